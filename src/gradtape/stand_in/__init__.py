"""gradtape under the name tensorflow, for programs that import TensorFlow: docs/design/stand-in.md."""

from __future__ import annotations

import sys
from types import ModuleType

from keras_gradtape import aliases, hook

from ..differentiation.slices import ROWS
from . import distribution, first_layer, identity


class TensorFlowIsImported(ImportError):
    """The real TensorFlow is in this process, and gradtape does not take its place."""


def as_tensorflow() -> ModuleType:
    """Let `import tensorflow` give gradtape in this process, and Keras run on it; the module is returned.

    Call it before the first import of tensorflow. A second call changes nothing.

    >>> import gradtape
    >>> tf = gradtape.as_tensorflow()  # doctest: +SKIP
    >>> tf.__version__  # doctest: +SKIP
    '2.21.0'

    Returns:
        The module `gradtape`.

    Raises:
        TensorFlowIsImported: The real TensorFlow has been imported.
    """
    known = sys.modules.get("tensorflow")
    if isinstance(known, identity.StandIn):
        return known
    if known is not None:
        raise TensorFlowIsImported(
            f"TensorFlow {getattr(known, '__version__', '')} is already imported, and gradtape does not take its place: call "
            "gradtape.as_tensorflow() before the first `import tensorflow`."
        )
    module = identity.StandIn()
    aliases.PACKAGES["tensorflow"] = "gradtape"
    hook.insist()
    sys.meta_path.insert(0, first_layer.FirstLayer())
    sys.meta_path.insert(0, distribution.Distributions())
    sys.modules["tensorflow"] = module
    identity.take_names()
    ROWS.summed = False  # programs that were written for TensorFlow expect its steps: `tf.config.sum_repeated_rows`
    return module
