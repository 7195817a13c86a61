"""`tf.experimental`: NumPy's names (`tf.experimental.numpy` is `gradtape.numpy`), DLPack, and rows of ragged tensors."""

from __future__ import annotations

import importlib
from types import SimpleNamespace
from typing import Any

from .api.interop import from_dlpack
from .values.tensor import to_tensor


def to_dlpack(tf_tensor: object) -> Any:
    """A DLPack capsule with a copy of the tensor's data.

    >>> import gradtape as tf
    >>> type(tf.experimental.dlpack.to_dlpack(tf.constant([1.0]))).__name__
    'PyCapsule'
    """
    return to_tensor(tf_tensor).__dlpack__()


dlpack = SimpleNamespace(from_dlpack=from_dlpack, to_dlpack=to_dlpack)


def __getattr__(name: str) -> Any:
    if name == "numpy":
        return importlib.import_module("gradtape.numpy")
    if name == "RowPartition":
        return importlib.import_module("gradtape.ragged.partition").RowPartition
    raise AttributeError(f"module 'gradtape.experimental' has no attribute {name!r}")
