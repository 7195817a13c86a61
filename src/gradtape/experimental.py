"""`tf.experimental`: NumPy's names (`tf.experimental.numpy` is `gradtape.numpy`), DLPack, and rows of ragged tensors."""

from __future__ import annotations

import importlib
from typing import Any

from .api.interop import from_dlpack
from .base.namespaces import listing, namespace
from .values.tensor import to_tensor

__path__: list[str] = []  # as a package: `gradtape.experimental.numpy` is found by another name


def to_dlpack(tf_tensor: object) -> Any:
    """A DLPack capsule with a copy of the tensor's data.

    >>> import gradtape as tf
    >>> type(tf.experimental.dlpack.to_dlpack(tf.constant([1.0]))).__name__
    'PyCapsule'
    """
    return to_tensor(tf_tensor).__dlpack__()


@namespace("gradtape.experimental.dlpack")
class dlpack:
    """`tf.experimental.dlpack`."""

    from_dlpack = staticmethod(from_dlpack)
    to_dlpack = staticmethod(to_dlpack)


def __getattr__(name: str) -> Any:
    if name == "numpy":
        return importlib.import_module("gradtape.numpy")
    if name == "RowPartition":
        return importlib.import_module("gradtape.ragged.partition").RowPartition
    raise AttributeError(f"module 'gradtape.experimental' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*listing(globals())(), "RowPartition", "numpy"])
