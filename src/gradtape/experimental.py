"""`tf.experimental`: extension types and dispatch, NumPy's names (`gradtape.numpy`), DLPack, rows of ragged tensors."""

from __future__ import annotations

import importlib
from types import SimpleNamespace
from typing import Any

from .api.dispatch import (
    dispatch_for_api,
    dispatch_for_binary_elementwise_apis,
    dispatch_for_binary_elementwise_assert_apis,
    dispatch_for_unary_elementwise_apis,
    unregister_dispatch_for,
)
from .api.extension_type import BatchableExtensionType, ExtensionType, ExtensionTypeSpec, as_dict
from .api.interop import from_dlpack
from .values.tensor import to_tensor

__all__ = [
    "BatchableExtensionType",
    "ExtensionType",
    "ExtensionTypeSpec",
    "dispatch_for_api",
    "dispatch_for_binary_elementwise_apis",
    "dispatch_for_binary_elementwise_assert_apis",
    "dispatch_for_unary_elementwise_apis",
    "dlpack",
    "extension_type",
    "unregister_dispatch_for",
]


def to_dlpack(tf_tensor: object) -> Any:
    """A DLPack capsule with a copy of the tensor's data.

    >>> import gradtape as tf
    >>> type(tf.experimental.dlpack.to_dlpack(tf.constant([1.0]))).__name__
    'PyCapsule'
    """
    return to_tensor(tf_tensor).__dlpack__()


extension_type = SimpleNamespace(as_dict=as_dict)
dlpack = SimpleNamespace(from_dlpack=from_dlpack, to_dlpack=to_dlpack)


def __getattr__(name: str) -> Any:
    if name == "numpy":
        return importlib.import_module("gradtape.numpy")
    if name == "RowPartition":
        return importlib.import_module("gradtape.ragged.partition").RowPartition
    raise AttributeError(f"module 'gradtape.experimental' has no attribute {name!r}")
