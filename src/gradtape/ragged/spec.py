"""`RaggedTensorSpec`: the kind of a ragged tensor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from ..base import dtypes
from ..base.dtypes import DType
from ..base.shapes import TensorShape
from ..base.type_spec import ShapedSpec, TypeSpec
from ..base.types import DTypeLike, ShapeLike, TensorLike
from ..values.tensor import TensorSpec


class RaggedTensorSpec(ShapedSpec):
    """What is known of a ragged tensor before it exists: what `tf.function` and datasets ask for.

    >>> import gradtape as tf
    >>> spec = tf.RaggedTensorSpec(shape=[2, None], dtype=tf.int32)
    >>> spec.is_compatible_with(tf.ragged.constant([[1, 2], [3]]))
    True

    Args:
        shape: The sizes, None for ragged axes and for sizes that are unknown; None for an unknown rank.
        dtype: The type of the values.
        ragged_rank: How many axes are ragged; by default all but the first.
        row_splits_dtype: The type of the row splits: int32 or int64.
        flat_values_spec: Ignored; accepted for compatibility with TensorFlow.

    Raises:
        ValueError: Neither the rank nor `ragged_rank` is known.
    """

    __slots__ = ("_ragged_rank", "_row_splits_dtype")

    value_type: ClassVar[type[Any]]  # RaggedTensor, which puts itself here

    def __init__(
        self,
        shape: ShapeLike | None = None,
        dtype: DTypeLike = dtypes.float32,
        ragged_rank: int | None = None,
        row_splits_dtype: DTypeLike = dtypes.int64,
        flat_values_spec: TensorLike | None = None,
    ) -> None:
        self._shape = TensorShape(shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._row_splits_dtype = dtypes.as_dtype(row_splits_dtype)
        if ragged_rank is None:
            if self._shape.rank is None:
                raise ValueError("RaggedTensorSpec: give the shape's rank, or ragged_rank.")
            ragged_rank = self._shape.rank - 1
        self._ragged_rank = ragged_rank

    @classmethod
    def from_value(cls, value: Any) -> RaggedTensorSpec:
        """The spec of an existing ragged tensor.

        >>> tf.RaggedTensorSpec.from_value(tf.ragged.constant([[1, 2], [3]])).shape
        TensorShape([2, None])

        Args:
            value: A RaggedTensor.

        Returns:
            A RaggedTensorSpec with its shape, its types and the number of its ragged axes.
        """
        return cls(value.shape, value.dtype, value.ragged_rank, value.row_splits.dtype)

    @property
    def ragged_rank(self) -> int:
        """How many axes are ragged."""
        return self._ragged_rank

    @property
    def row_splits_dtype(self) -> DType:
        """The type of the splits."""
        return self._row_splits_dtype

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether the value (or everything the other spec describes) may stand here.

        >>> tf.RaggedTensorSpec([None, None], tf.int32).is_compatible_with(tf.ragged.constant([[1, 2], [3]]))
        True

        Args:
            spec_or_value: A RaggedTensor or a RaggedTensorSpec; anything else may not.

        Returns:
            True or False.
        """
        return (
            isinstance(spec_or_value, (self.value_type, RaggedTensorSpec))
            and spec_or_value.dtype == self._dtype
            and spec_or_value.ragged_rank == self._ragged_rank
            and self._shape.is_compatible_with(spec_or_value.shape)
        )

    def most_specific_compatible_type(self, other: Any) -> RaggedTensorSpec:
        """The tightest spec that covers both.

        >>> tf.RaggedTensorSpec([2, None]).most_specific_compatible_type(tf.RaggedTensorSpec([3, None])).shape
        TensorShape([None, None])

        Args:
            other: Another RaggedTensorSpec of the same types, with as many ragged axes.

        Returns:
            A spec whose sizes are None where theirs differ.

        Raises:
            ValueError: There is none.
        """
        if not isinstance(other, RaggedTensorSpec) or self._serialize()[1:] != other._serialize()[1:]:
            raise ValueError(f"No spec covers both {self!r} and {other!r}.")
        return RaggedTensorSpec(self._shape.most_specific_compatible_shape(other._shape), *self._serialize()[1:])

    @property
    def _component_specs(self) -> list[TypeSpec]:
        rank = self._ragged_rank
        sizes = [None] * (rank + 1) if self._shape.rank is None else [*self._shape[: rank + 1]]
        flat = None if self._shape.rank is None else (_product(sizes), *self._shape[rank + 1 :])
        counts = [_product(sizes[: axis + 1]) for axis in range(rank)]  # of rows, for each ragged axis
        return [
            TensorSpec(flat, self._dtype),
            *(TensorSpec([None if n is None else n + 1], self._row_splits_dtype) for n in counts),
        ]

    def _from_components(self, components: Sequence[Any]) -> Any:
        made, *splits = components
        sizes: Any = self._shape[1:] if self._shape.rank is not None else [None] * self._ragged_rank
        for length, row_splits in reversed(list(zip(sizes, splits, strict=False))):
            made = self.value_type.from_row_splits(made, row_splits, validate=False)
            made._uniform = length
        return made

    def _with_changed_shape(self, change: Callable[[TensorShape], Any]) -> RaggedTensorSpec:
        new = TensorShape(change(self._shape))
        rank = max(0, self._ragged_rank + (new.rank or 0) - (self._shape.rank or 0))
        return RaggedTensorSpec(new, self._dtype, rank, self._row_splits_dtype)

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._ragged_rank, self._row_splits_dtype


def _product(sizes: Sequence[int | None]) -> int | None:
    if 0 in sizes:
        return 0
    product = 1
    for size in sizes:
        if size is None:
            return None
        product *= size
    return product
