"""Parts of TensorFlow that gradtape does not have: importing one raises an error that says what to use.

They are not modules full of refusals: programs that can do without a part ask for it with `try: import`.
"""

from __future__ import annotations

import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from typing import Any

_ONE_PROCESS = "gradtape runs in one process. Use tf.distribute.get_strategy(), or tf.data in the process itself."
_NO_CONVERTER = "gradtape converts no models. Save them with tf.saved_model.save or model.export."
_INSTEAD = {
    "compiler": "It is private to TensorFlow. Use tf.function(jit_compile=True).",
    "core": "Its protocol buffers are private to TensorFlow. Use tf.train.Example, tf.summary and tf.saved_model.",
    "data.experimental.service": _ONE_PROCESS,
    "distribute.experimental.rpc": _ONE_PROCESS,
    "dtensor": "It is private to TensorFlow. Use tf.experimental.dtensor.",
    "experimental.extension_type": "Use a tf.Module or a dataclass, which tf.nest and tf.data take too.",
    "experimental.tensorrt": _NO_CONVERTER,
    "graph_util": "gradtape reads no graphs of TensorFlow 1. Use tf.function, and tf.saved_model for files.",
    "linalg.experimental": "Use tf.linalg.solve or tf.linalg.cholesky_solve.",
    "lite": _NO_CONVERTER,
    "mlir": "gradtape has a graph of its own. tf.function(...).experimental_get_compiler_ir and `gradtape trace` show it.",
    "profiler.experimental.client": "Profiles are of this process. Use tf.profiler.experimental.start and stop.",
    "profiler.experimental.server": "Profiles are of this process. Use tf.profiler.experimental.start and stop.",
    "quantization.experimental": "gradtape quantizes no saved models. Use Keras's model.quantize before you save one.",
    "saved_model.experimental": "Use tf.saved_model.SaveOptions, and tf.saved_model.load.",
    "security": "It holds TensorFlow's own advisories. SECURITY.md has gradtape's.",
    "tools": "It holds TensorFlow's own scripts. `gradtape --help` lists gradtape's.",
    "tpu.experimental.embedding": "There is no TPU. Use tf.nn.embedding_lookup, or tf.keras.layers.Embedding.",
}


class MissingPartError(ModuleNotFoundError):
    """The module is a part of TensorFlow that gradtape does not have."""


def advice(name: str) -> str | None:
    """What to use instead of a module of TensorFlow, given without the package's name; None if nothing is known of it."""
    while name:
        if name in _INSTEAD:
            return _INSTEAD[name]
        name = name.rpartition(".")[0]
    return None


class _Refuser(MetaPathFinder):
    def find_spec(self, fullname: str, path: object = None, target: Any = None) -> ModuleSpec | None:
        package, _, rest = fullname.partition(".")
        if package == "gradtape" and rest and (instead := advice(rest)):
            # (Without `name=`: Python would replace an error that names the module in `from package import module`.)
            raise MissingPartError(f"gradtape has no tf.{rest}: {instead}")
        return None


def install() -> None:
    """Let imports of absent parts raise their error."""
    sys.meta_path.append(_Refuser())
