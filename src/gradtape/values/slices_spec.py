"""`tf.IndexedSlicesSpec`: the kind of IndexedSlices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..base import dtypes
from ..base.dtypes import DType
from ..base.shapes import TensorShape
from ..base.type_spec import ShapedSpec, TypeSpec
from ..base.types import DTypeLike
from .tensor import EagerTensor, IndexedSlices, TensorSpec


class IndexedSlicesSpec(ShapedSpec):
    """What is known of IndexedSlices before they exist: the shape and type of the dense tensor, and those of the indices.

    >>> slices = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([3]), tf.constant([9, 2]))
    >>> tf.type_spec_from_value(slices)
    IndexedSlicesSpec(TensorShape([9, 2]), tf.float32, tf.int32, tf.int32, TensorShape([1]))

    Args:
        shape: The shape of the dense tensor.
        dtype: The type of the values.
        indices_dtype: The type of the indices.
        dense_shape_dtype: The type of `dense_shape`; None for slices without one.
        indices_shape: The shape of the indices: how many rows there are.
    """

    __slots__ = ("_dense_shape_dtype", "_indices_dtype", "_indices_shape")

    def __init__(
        self,
        shape: Any = None,
        dtype: DTypeLike = dtypes.float32,
        indices_dtype: Any = dtypes.int64,
        dense_shape_dtype: Any = None,
        indices_shape: Any = None,
    ) -> None:
        self._shape = TensorShape(shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._indices_dtype = dtypes.as_dtype(indices_dtype)
        self._dense_shape_dtype = None if dense_shape_dtype is None else dtypes.as_dtype(dense_shape_dtype)
        self._indices_shape = TensorShape([None] if indices_shape is None else indices_shape)

    @classmethod
    def from_value(cls, value: IndexedSlices) -> IndexedSlicesSpec:
        """The spec of existing slices.

        >>> slices = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([3]))
        >>> tf.IndexedSlicesSpec.from_value(slices).shape
        TensorShape([None, 2])

        Args:
            value: `tf.IndexedSlices`.

        Returns:
            An IndexedSlicesSpec.
        """
        shape = TensorShape([None, *value.values.shape[1:]])
        sizes: Any = value.dense_shape
        if sizes is None:
            return cls(shape, value.dtype, value.indices.dtype, None, value.indices.shape)
        if isinstance(sizes, (EagerTensor, np.ndarray)):
            shape = shape.merge_with(np.asarray(sizes).tolist())
        return cls(shape, value.dtype, value.indices.dtype, sizes.dtype, value.indices.shape)

    @property
    def value_type(self) -> type[IndexedSlices]:
        """The class that the spec describes."""
        return IndexedSlices

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether the value (or everything the other spec describes) may stand here.

        >>> slices = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([3]))
        >>> tf.IndexedSlicesSpec([None, 2], indices_dtype=tf.int32).is_compatible_with(slices)
        True

        Args:
            spec_or_value: `tf.IndexedSlices` or an IndexedSlicesSpec; anything else may not.

        Returns:
            True or False.
        """
        if isinstance(spec_or_value, IndexedSlices):
            spec_or_value = self.from_value(spec_or_value)
        if not isinstance(spec_or_value, IndexedSlicesSpec) or self._types() != spec_or_value._types():
            return False
        return self._shape.is_compatible_with(spec_or_value._shape) and self._indices_shape.is_compatible_with(
            spec_or_value._indices_shape
        )

    def most_specific_compatible_type(self, other: Any) -> IndexedSlicesSpec:
        """The tightest spec that covers both.

        >>> tf.IndexedSlicesSpec([5, 2]).most_specific_compatible_type(tf.IndexedSlicesSpec([6, 2])).shape
        TensorShape([None, 2])

        Args:
            other: Another IndexedSlicesSpec of the same types.

        Returns:
            A spec whose sizes are None where theirs differ.

        Raises:
            ValueError: There is none.
        """
        if not isinstance(other, IndexedSlicesSpec) or self._types() != other._types():
            raise ValueError(f"No spec covers both {self!r} and {other!r}.")
        shape = self._shape.most_specific_compatible_shape(other._shape)
        rows = self._indices_shape.most_specific_compatible_shape(other._indices_shape)
        return IndexedSlicesSpec(shape, *self._types(), rows)

    @property
    def _component_specs(self) -> list[TypeSpec]:
        rank = self._shape.rank
        values = None if rank is None else (*self._indices_shape, *self._shape[1:])
        specs: list[TypeSpec] = [
            TensorSpec(values, self._dtype),
            TensorSpec(self._indices_shape, self._indices_dtype),
        ]
        if self._dense_shape_dtype is not None:
            specs.append(TensorSpec([rank], self._dense_shape_dtype))
        return specs

    def _from_components(self, components: Sequence[Any]) -> IndexedSlices:
        return IndexedSlices(*components)

    def _types(self) -> tuple[DType, DType, DType | None]:
        return self._dtype, self._indices_dtype, self._dense_shape_dtype

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, *self._types(), self._indices_shape
