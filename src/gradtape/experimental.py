"""`tf.experimental`: extension types and dispatch, NumPy's names (`gradtape.numpy`), DLPack, rows of ragged
tensors, values that may be missing."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .api.batch_encoder import ExtensionTypeBatchEncoder
from .api.dispatch import (
    dispatch_for_api,
    dispatch_for_binary_elementwise_apis,
    dispatch_for_binary_elementwise_assert_apis,
    dispatch_for_unary_elementwise_apis,
    unregister_dispatch_for,
)
from .api.extension_type import BatchableExtensionType, ExtensionType, ExtensionTypeSpec, as_dict
from .api.interop import from_dlpack
from .base.absent import missing
from .base.namespaces import listing, namespace
from .values.tensor import to_tensor

__all__ = [
    "BatchableExtensionType",
    "ExtensionType",
    "ExtensionTypeBatchEncoder",
    "ExtensionTypeSpec",
    "dispatch_for_api",
    "dispatch_for_binary_elementwise_apis",
    "dispatch_for_binary_elementwise_assert_apis",
    "dispatch_for_unary_elementwise_apis",
    "dlpack",
    "extension_type",
    "unregister_dispatch_for",
]

__path__: list[str] = []  # as a package: `gradtape.experimental.numpy` is found by another name


def to_dlpack(tf_tensor: object) -> Any:
    """A DLPack capsule with a copy of the tensor's data.

    >>> import gradtape as tf
    >>> type(tf.experimental.dlpack.to_dlpack(tf.constant([1.0]))).__name__
    'PyCapsule'

    Args:
        tf_tensor: A tensor; the capsule shares its memory.

    Returns:
        A capsule, which other libraries take.
    """
    return to_tensor(tf_tensor).__dlpack__()


@namespace("gradtape.experimental.extension_type")
class extension_type:
    """`tf.experimental.extension_type`: what is asked of an `ExtensionType`."""

    as_dict = staticmethod(as_dict)


@namespace("gradtape.experimental.dlpack")
class dlpack:
    """`tf.experimental.dlpack`: arrays shared with other libraries, without a copy."""

    from_dlpack = staticmethod(from_dlpack)
    to_dlpack = staticmethod(to_dlpack)


if TYPE_CHECKING:  # what is imported on first use
    from . import numpy as numpy
    from .data.optional import Optional as Optional
    from .distribute import dtensor as dtensor
    from .distribute.tape import DistributedGradientTape as DistributedGradientTape
    from .ragged.dynamic_shape import DynamicRaggedShape as DynamicRaggedShape
    from .ragged.partition import RowPartition as RowPartition
else:

    def __getattr__(name: str) -> Any:
        if name == "numpy":
            return importlib.import_module("gradtape.numpy")
        if name == "dtensor":
            return importlib.import_module("gradtape.distribute.dtensor")
        if name == "DistributedGradientTape":
            return importlib.import_module("gradtape.distribute.tape").DistributedGradientTape
        if name == "DynamicRaggedShape":
            return importlib.import_module("gradtape.ragged.dynamic_shape").DynamicRaggedShape
        if name == "Optional":
            return importlib.import_module("gradtape.data.optional").Optional
        if name == "RowPartition":
            return importlib.import_module("gradtape.ragged.partition").RowPartition
        raise missing(__name__, name)


def __dir__() -> list[str]:
    later = "DistributedGradientTape", "DynamicRaggedShape", "Optional", "RowPartition", "dtensor", "numpy"
    return sorted([*listing(globals())(), *later])
