"""`tf.experimental.DynamicRaggedShape`: what `tf.shape` gives for a ragged tensor, and all that takes such a shape."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .. import math
from ..api import arrays, layout, shapes
from ..base import dtypes
from ..base.dispatch import OVERRIDES, Override
from ..base.dtypes import DType
from ..base.shapes import TensorShape
from ..base.traceable import traceable
from ..base.type_spec import CompositeSpec, TypeSpec
from ..base.types import DTypeLike, TensorLike
from ..trace.composites import by_stand_ins
from ..values.composite import Composite, Solid, declare
from ..values.tensor import EagerTensor, Tensor, TensorSpec, from_array, to_tensor
from ..variables.variable import Variable
from .broadcast import Axis, axes_of, common_axes, described, in_rows, spread
from .partition import RowPartition
from .splits import lengths_of, splits_of
from .tensor import RaggedTensor


class DynamicRaggedShape:
    """The shape of a tensor, some of whose axes may be ragged: how values are divided into rows, and the shape of the values.

    >>> import gradtape as tf
    >>> shape = tf.shape(tf.ragged.constant([[1, 2], [], [3]]))
    >>> shape
    <DynamicRaggedShape lengths=[3, (2, 0, 1)] num_row_partitions=1>
    >>> tf.broadcast_to([[10], [20], [30]], shape)
    <tf.RaggedTensor [[10, 10], [], [30]]>

    Args:
        row_partitions: How rows are divided, the outermost axis first.
        inner_shape: The shape of all values, one after the other; its first size is the number of values in all rows.
        dtype: int32 or int64; by default that of the partitions, or of `inner_shape`.
        validate: Whether to check that each partition has as many values as the next one has rows.
        static_inner_shape: Not used: sizes are known as far as `inner_shape` is.

    Raises:
        TypeError: `row_partitions` is no list of `RowPartition`.
        ValueError: `dtype` is no integer type, or `inner_shape` has too few axes.
    """

    __slots__ = ("_inner", "_partitions")

    Spec: ClassVar[type[CompositeSpec]]  # DynamicRaggedShapeSpec, below

    def __init__(
        self,
        row_partitions: Sequence[RowPartition],
        inner_shape: TensorLike,
        dtype: DTypeLike | None = None,
        validate: bool = False,
        static_inner_shape: object = None,
    ) -> None:
        if not isinstance(row_partitions, (list, tuple)) or not all(
            isinstance(part, RowPartition) for part in row_partitions
        ):
            raise TypeError(
                f"DynamicRaggedShape: row_partitions must be a list of RowPartition, got {row_partitions!r}."
            )
        if dtype is not None:
            kind = dtypes.as_dtype(dtype)
        elif row_partitions:
            kind = row_partitions[0].dtype
        else:
            given = isinstance(inner_shape, (Tensor, Variable, np.ndarray))
            kind = to_tensor(inner_shape).dtype if given else dtypes.int64
        if kind not in (dtypes.int32, dtypes.int64):
            raise ValueError(f"DynamicRaggedShape: dtype must be int32 or int64, got {kind.name}.")
        inner = math.cast(to_tensor(inner_shape, None if isinstance(inner_shape, Tensor) else kind), kind)
        if inner.ndim != 1 or (row_partitions and inner.shape[0] == 0):
            least = "at least one size, the number of values in all rows" if row_partitions else "a vector of sizes"
            raise ValueError(f"DynamicRaggedShape: inner_shape needs {least}; got {inner_shape!r}.")
        self._partitions = tuple([part.with_dtype(kind) for part in row_partitions])
        self._inner = inner
        if validate and self._is_known():
            self._check()

    def _check(self) -> None:
        counts = [*[part.static_nrows for part in self._partitions[1:]], *self._inner._array[:1].tolist()]
        for part, count in zip(self._partitions, counts, strict=False):
            if part.static_nvals != count:
                raise ValueError(
                    f"DynamicRaggedShape: a partition has {part.static_nvals} values, but what it divides has {count} rows."
                )

    # --- making ----------------------------------------------------------------------------------------------

    @classmethod
    def from_lengths(
        cls, lengths: Sequence[Any], num_row_partitions: int | None = None, dtype: DTypeLike = dtypes.int64
    ) -> DynamicRaggedShape:
        """The shape with these lengths: a number for an axis whose rows all have it, else a tuple with the length of each row.

        >>> import gradtape as tf
        >>> tf.ones(tf.experimental.DynamicRaggedShape.from_lengths([2, (1, 3)]))
        <tf.RaggedTensor [[1.0], [1.0, 1.0, 1.0]]>

        Args:
            lengths: For each axis a number or a tuple; the first is a number.
            num_row_partitions: How many axes after the first are told by partitions; up to the last tuple by default.
            dtype: int32 or int64.

        Returns:
            A shape.

        Raises:
            ValueError: The lengths do not go together.
        """
        axes: list[Axis] = []
        rows = 1
        for place, length in enumerate(lengths):
            if isinstance(length, (int, np.integer)) and length >= 0:
                axes.append(int(length))
                rows *= int(length)
                continue
            whole = isinstance(length, tuple) and all(isinstance(one, (int, np.integer)) and one >= 0 for one in length)
            if not whole or not place:
                wanted = (
                    "the first length must be a number" if not place else "a length is a number or a tuple of numbers"
                )
                raise ValueError(f"DynamicRaggedShape.from_lengths: {wanted}, none of them negative; got {length!r}.")
            if len(length) != rows:
                raise ValueError(
                    f"DynamicRaggedShape.from_lengths: axis {place} has {rows} rows, but {len(length)} lengths are given: "
                    f"{length!r}."
                )
            axes.append(np.array(length, np.int64))
            rows = sum(length)
        least = max([place for place, axis in enumerate(axes) if not isinstance(axis, int)], default=0)
        count = least if num_row_partitions is None else num_row_partitions
        if not least <= count <= max(len(axes) - 1, 0):
            raise ValueError(
                f"DynamicRaggedShape.from_lengths: num_row_partitions must be from {least} to {max(len(axes) - 1, 0)} for the "
                f"lengths {list(lengths)}, got {num_row_partitions}."
            )
        return cls._from_axes(axes, count, dtypes.as_dtype(dtype))

    @classmethod
    def from_row_partitions(
        cls, row_partitions: Sequence[RowPartition], dtype: DTypeLike | None = None
    ) -> DynamicRaggedShape:
        """The shape of a ragged tensor with these partitions, whose values are a vector.

        >>> import gradtape as tf
        >>> rows = tf.experimental.RowPartition.from_row_lengths([2, 0, 1])
        >>> tf.experimental.DynamicRaggedShape.from_row_partitions([rows])
        <DynamicRaggedShape lengths=[3, (2, 0, 1)] num_row_partitions=1>

        Args:
            row_partitions: How rows are divided, the outermost axis first.
            dtype: int32 or int64; that of the partitions by default.

        Returns:
            A shape.

        Raises:
            ValueError: The list is empty.
        """
        if not row_partitions:
            raise ValueError("DynamicRaggedShape.from_row_partitions: row_partitions cannot be empty.")
        return cls(row_partitions, arrays.reshape(row_partitions[-1].nvals(), [1]), dtype)

    @classmethod
    def from_tensor(cls, t: Any, dtype: DTypeLike | None = None) -> DynamicRaggedShape:
        """The shape of a tensor or a ragged tensor.

        >>> import gradtape as tf
        >>> tf.experimental.DynamicRaggedShape.from_tensor(tf.zeros([2, 3]))
        <DynamicRaggedShape lengths=[2, 3] num_row_partitions=0>

        Args:
            t: A tensor, or what can become one, or a ragged tensor.
            dtype: int32 or int64; by default that of the row splits, or int32.

        Returns:
            A shape.

        Raises:
            TypeError: A shape was given in place of a tensor.
        """
        if isinstance(t, DynamicRaggedShape):
            raise TypeError("DynamicRaggedShape.from_tensor: a tensor is needed, got a shape.")
        levels, flat = [], t
        while isinstance(flat, RaggedTensor):
            levels.append(RowPartition(flat))
            flat = flat.values
        kind = levels[0].dtype if levels and dtype is None else dtypes.as_dtype(dtype or dtypes.int32)
        return cls(levels, shapes.shape(flat, kind), kind)

    @classmethod
    def _from_axes(cls, axes: Sequence[Axis], partitions: int, kind: DType) -> DynamicRaggedShape:
        """The shape with axes that are known."""
        count = 1
        parts: list[RowPartition] = []
        for place, axis in enumerate(axes[: partitions + 1]):
            lengths = np.full(count, axis) if isinstance(axis, int) else axis
            count = int(lengths.sum())
            if place:
                splits = from_array(splits_of(lengths.astype(kind.numpy)))
                parts.append(_partition(splits, axis if isinstance(axis, int) else None))
        inner = [count, *axes[partitions + 1 :]] if axes else []
        return cls(parts, from_array(np.array(inner, kind.numpy)), kind)

    # --- parts -----------------------------------------------------------------------------------------------

    @property
    def row_partitions(self) -> tuple[RowPartition, ...]:
        """How rows are divided, the outermost axis first."""
        return self._partitions

    @property
    def num_row_partitions(self) -> int:
        """How many axes after the first are told by partitions."""
        return len(self._partitions)

    @property
    def inner_shape(self) -> Tensor:
        """The shape of all values, one after the other."""
        return self._inner

    @property
    def inner_rank(self) -> int | None:
        """How many sizes `inner_shape` has."""
        found: int | None = self._inner.shape[0]
        return found

    @property
    def rank(self) -> int | None:
        """How many axes there are; None where it is not known."""
        return None if self.inner_rank is None else self.inner_rank + len(self._partitions)

    @property
    def dtype(self) -> DType:
        """int32 or int64."""
        return self._inner.dtype

    def with_dtype(self, dtype: DTypeLike) -> DynamicRaggedShape:
        """The same shape in the other type.

        >>> import gradtape as tf
        >>> tf.experimental.DynamicRaggedShape.from_lengths([2, (1, 3)]).with_dtype(tf.int32).dtype
        tf.int32

        Args:
            dtype: int32 or int64.

        Returns:
            A shape.
        """
        return DynamicRaggedShape(self._partitions, self._inner, dtypes.as_dtype(dtype))

    def is_uniform(self, axis: int) -> bool:
        """Whether all rows along an axis have one length by construction.

        >>> import gradtape as tf
        >>> shape = tf.experimental.DynamicRaggedShape.from_lengths([2, (1, 3)])
        >>> shape.is_uniform(0), shape.is_uniform(1)
        (True, False)

        Args:
            axis: The axis; negative ones count from the last.

        Returns:
            True or False.
        """
        place = self._place(axis)
        return not 0 < place <= len(self._partitions) or self._partitions[place - 1].is_uniform()

    def static_lengths(self, ragged_lengths: bool = True) -> list[Any]:
        """What is known of the lengths: a number or a tuple for each axis, None for what is not known yet.

        >>> import gradtape as tf
        >>> tf.experimental.DynamicRaggedShape.from_lengths([2, (1, 3)]).static_lengths()
        [2, (1, 3)]

        Args:
            ragged_lengths: Whether to give the lengths of ragged axes; None stands there otherwise.

        Returns:
            A list, which `from_lengths` takes.
        """
        found: list[Any] = []
        for place in range(len(self._partitions)):
            part = self._partitions[place]
            if not place:
                found.append(part._rows.shape[0])
            known = ragged_lengths and isinstance(part.row_splits(), EagerTensor)
            lengths = tuple(lengths_of(part._rows).tolist()) if known else None
            found.append(part.static_uniform_row_length if part.is_uniform() else lengths)
        known = isinstance(self._inner, EagerTensor)
        inner = self._inner._array.tolist() if known else [None] * (self.inner_rank or 0)
        unknown_rank = [...] if self.inner_rank is None else []
        return [*found, *(inner[1:] if self._partitions else inner), *unknown_rank]

    def _is_known(self) -> bool:
        parts = [self._inner, *[part.row_splits() for part in self._partitions]]
        return all(isinstance(part, EagerTensor) for part in parts)

    def _axes(self) -> list[Axis]:
        """The axes of a shape whose values are known."""
        axes: list[Axis] = [part.static_nrows for part in self._partitions[:1]]
        for part in self._partitions:
            uniform = part.static_uniform_row_length
            axes.append(lengths_of(part._rows) if uniform is None else uniform)
        return [*axes, *self._inner._array.tolist()[1 if axes else 0 :]]

    def _place(self, axis: int) -> int:
        rank = self.rank
        if rank is None or not -rank <= axis < rank:
            raise IndexError(f"DynamicRaggedShape: axis {axis} of a shape with {rank} axes.")
        return axis + rank if axis < 0 else axis

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return self._slice(key)
        try:
            place = self._place(operator.index(key))
        except TypeError:
            raise TypeError(f"DynamicRaggedShape: an index is a number or a slice, got {key!r}.") from None
        if not self.is_uniform(place):
            raise ValueError(
                f"DynamicRaggedShape: rows along axis {place} have lengths of their own; there is no one size."
            )
        if not self._partitions or place > len(self._partitions):
            return self._inner[place - len(self._partitions)]
        if not place:
            return self._partitions[0].nrows()
        return self._partitions[place - 1].uniform_row_length()

    def _slice(self, key: slice) -> DynamicRaggedShape:
        if key.step not in (None, 1):
            raise IndexError("DynamicRaggedShape: a slice takes axes one after the other; its step must be 1.")
        start, stop, _ = key.indices(self.rank or 0)
        if start >= stop:
            return DynamicRaggedShape([], from_array(np.zeros(0, self.dtype.numpy)))
        parts = len(self._partitions)
        if not start and stop > parts:
            return DynamicRaggedShape(self._partitions, self._inner[: stop - parts], self.dtype)
        if not start and stop > 1:
            return DynamicRaggedShape.from_row_partitions(self._partitions[: stop - 1])
        if not all(self.is_uniform(axis) for axis in range(stop)):
            raise ValueError(
                "DynamicRaggedShape: a slice that leaves out the first axis is defined where no axis is ragged."
            )
        return DynamicRaggedShape([], layout.stack([self[axis] for axis in range(start, stop)]), self.dtype)

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, DynamicRaggedShape):
            return NotImplemented
        ours, theirs = _components(self), _components(other)
        if _static(self) != _static(other) or [x.shape for x in ours] != [y.shape for y in theirs]:
            return False
        if self.dtype != other.dtype:
            return False
        return math.reduce_all([math.reduce_all(math.equal(x, y)) for x, y in zip(ours, theirs, strict=True)])

    def __ne__(self, other: object) -> Any:
        equal = self.__eq__(other)
        return (
            math.logical_not(equal)
            if isinstance(equal, Tensor)
            else NotImplemented
            if equal is NotImplemented
            else True
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        lengths = ", ".join("..." if length is ... else str(length) for length in self.static_lengths())
        return f"<DynamicRaggedShape lengths=[{lengths}] num_row_partitions={len(self._partitions)}>"


def _partition(splits: Any, uniform: int | None) -> RowPartition:
    return RowPartition(RaggedTensor(splits, splits, uniform))  # (a partition looks at no values)


# --- as a value made of tensors ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RowPartitionSpec:
    """What is known of a partition before it exists."""

    nrows: int | None = None
    nvals: int | None = None
    uniform_row_length: int | None = None
    dtype: DType = dtypes.int64

    def __repr__(self) -> str:
        return (
            f"RowPartitionSpec(nrows={self.nrows}, nvals={self.nvals}, "
            f"uniform_row_length={self.uniform_row_length}, dtype={self.dtype!r})"
        )


class DynamicRaggedShapeSpec(CompositeSpec):
    """What is known of a `DynamicRaggedShape` before it exists."""

    __slots__ = ("_dtype", "_inner", "_partitions")

    def __init__(self, row_partitions: Sequence[RowPartitionSpec], static_inner_shape: Any, dtype: DTypeLike) -> None:
        self._partitions = tuple(row_partitions)
        self._inner = TensorShape(static_inner_shape)
        self._dtype = dtypes.as_dtype(dtype)

    @classmethod
    def from_value(cls, value: Any) -> DynamicRaggedShapeSpec:
        """The spec of an existing shape."""
        lengths = value.static_lengths(ragged_lengths=False)
        known = isinstance(value._inner, EagerTensor)
        inner = (
            value._inner._array.tolist() if known else None if value.inner_rank is None else [None] * value.inner_rank
        )
        counts = [*[part._rows.shape[0] for part in value.row_partitions[1:]], *(inner or [None])[:1]]
        parts = [
            RowPartitionSpec(part._rows.shape[0], count, length, value.dtype)
            for part, count, length in zip(value.row_partitions, counts, lengths[1:], strict=False)
        ]
        return cls(parts, inner, value.dtype)

    @property
    def value_type(self) -> type[DynamicRaggedShape]:
        """`tf.experimental.DynamicRaggedShape`."""
        return DynamicRaggedShape

    @property
    def dtype(self) -> DType:
        """int32 or int64."""
        return self._dtype

    @property
    def num_row_partitions(self) -> int:
        """How many axes after the first are told by partitions."""
        return len(self._partitions)

    @property
    def inner_rank(self) -> int | None:
        """How many sizes the inner shape has."""
        return self._inner.rank

    @property
    def rank(self) -> int | None:
        """How many axes there are; None where it is not known."""
        return None if self._inner.rank is None else self._inner.rank + len(self._partitions)

    @property
    def _component_specs(self) -> list[TypeSpec]:
        counts = [None if part.nrows is None else part.nrows + 1 for part in self._partitions]
        return [TensorSpec([self._inner.rank], self._dtype), *[TensorSpec([n], self._dtype) for n in counts]]

    def _from_components(self, components: Sequence[Any]) -> Any:
        return _built(tuple([part.uniform_row_length for part in self._partitions]), list(components))

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether the value, or what the other spec describes, may stand here."""
        other = spec_or_value
        if isinstance(other, DynamicRaggedShape):
            other = DynamicRaggedShapeSpec.from_value(other)
        return (
            isinstance(other, DynamicRaggedShapeSpec)
            and self._dtype == other._dtype
            and len(self._partitions) == len(other._partitions)
            and self._inner.is_compatible_with(other._inner)
            and all(_fits(ours, theirs) for ours, theirs in zip(self._partitions, other._partitions, strict=True))
        )

    def most_specific_compatible_type(self, other: Any) -> DynamicRaggedShapeSpec:
        """The tightest spec that covers both; ValueError where there is none."""
        alike = isinstance(other, DynamicRaggedShapeSpec) and self._dtype == other._dtype
        if not alike or len(self._partitions) != len(other._partitions):
            raise ValueError(f"No spec covers both {self!r} and {other!r}.")
        parts = [_covering(x, y, self._dtype) for x, y in zip(self._partitions, other._partitions, strict=True)]
        return DynamicRaggedShapeSpec(parts, self._inner.most_specific_compatible_shape(other._inner), self._dtype)

    def _serialize(self) -> tuple[Any, ...]:
        return self._partitions, self._inner, self._dtype

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DynamicRaggedShapeSpec) and self._serialize() == other._serialize()

    def __hash__(self) -> int:
        return hash((self._partitions, str(self._inner), self._dtype))

    def __repr__(self) -> str:
        inner = f"static_inner_shape={self._inner!r}"
        return f"DynamicRaggedShape.Spec(row_partitions={self._partitions!r}, {inner}, dtype={self._dtype!r})"


def _sizes(part: RowPartitionSpec) -> tuple[int | None, ...]:
    return part.nrows, part.nvals, part.uniform_row_length


def _covering(x: RowPartitionSpec, y: RowPartitionSpec, dtype: DType) -> RowPartitionSpec:
    nrows, nvals, length = [a if a == b else None for a, b in zip(_sizes(x), _sizes(y), strict=True)]
    return RowPartitionSpec(nrows, nvals, length, dtype)


def _fits(ours: RowPartitionSpec, theirs: RowPartitionSpec) -> bool:
    return all(a is None or b is None or a == b for a, b in zip(_sizes(ours), _sizes(theirs), strict=True))


DynamicRaggedShape.Spec = DynamicRaggedShapeSpec


def _components(shape: DynamicRaggedShape) -> list[Any]:
    return [shape._inner, *[part.row_splits() for part in shape._partitions]]


def _static(shape: DynamicRaggedShape) -> tuple[int | None, ...]:
    return tuple([part.static_uniform_row_length for part in shape._partitions])


def _built(lengths: tuple[int | None, ...], parts: list[Any]) -> DynamicRaggedShape:
    made = object.__new__(DynamicRaggedShape)
    made._inner = parts[0]
    made._partitions = tuple([_partition(splits, length) for splits, length in zip(parts[1:], lengths, strict=True)])
    return made


def _stand_in(shape: DynamicRaggedShape, variant: int, solid: Solid) -> DynamicRaggedShape:
    """Rows of one element, or of two, where lengths are not known; the values have size 1 along axes that are not known."""
    rows = [part.row_splits()._array.shape[0] - 1 for part in shape._partitions]
    splits = []
    for part, count, inside in zip(shape._partitions, rows, [*rows[1:], None], strict=True):
        ends = part.row_splits()
        if not isinstance(ends, EagerTensor):
            length = part.static_uniform_row_length
            total = inside if inside is not None else count * (length if length is not None else variant + 1)
            array = np.arange(count + 1) * total // max(count, 1)
            ends = from_array(array.astype(shape.dtype.numpy))
        splits.append(ends)
    inner: Any = shape._inner
    if not isinstance(inner, EagerTensor):
        sizes = np.ones(inner._array.shape[0], shape.dtype.numpy)
        sizes[:1] = int(splits[-1]._array[-1]) if splits else variant + 1
        inner = from_array(sizes)
    return _built(_static(shape), [inner, *splits])


declare(
    Composite(
        DynamicRaggedShape,
        components=_components,
        build=_built,
        static=_static,
        spec=DynamicRaggedShapeSpec,
        stand_in=_stand_in,
    )
)


# --- functions that take such a shape ----------------------------------------------------------------------


def shape_of(input: Any, out_type: DTypeLike | None = None, name: str | None = None) -> DynamicRaggedShape:
    """`tf.shape` of a ragged tensor."""
    return DynamicRaggedShape.from_tensor(input, dtypes.int32 if out_type is None else out_type)


def _in_rows_of(flat: Tensor, shape: DynamicRaggedShape) -> Any:
    made: Any = flat
    for part in reversed(shape._partitions):
        made = RaggedTensor(made, part.row_splits(), part.static_uniform_row_length)
    return made


def zeros(shape: Any, dtype: DTypeLike = dtypes.float32, name: str | None = None, layout: object = None) -> Any:
    """`tf.zeros` of such a shape."""
    return _in_rows_of(arrays.zeros(shape._inner, dtype), shape)


def ones(shape: Any, dtype: DTypeLike = dtypes.float32, name: str | None = None, layout: object = None) -> Any:
    """`tf.ones` of such a shape."""
    return _in_rows_of(arrays.ones(shape._inner, dtype), shape)


def fill(dims: Any, value: Any, name: str | None = None, layout: object = None) -> Any:
    """`tf.fill` of such a shape."""
    return _in_rows_of(arrays.fill(dims._inner, value), dims)


def reshape(tensor: Any, shape: Any, name: str | None = None) -> Any:
    """`tf.reshape` to such a shape: the flat values in other rows."""
    flat = tensor.flat_values if isinstance(tensor, RaggedTensor) else to_tensor(tensor)
    return _in_rows_of(arrays.reshape(flat, shape._inner), shape)


def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Any:
    """`tf.broadcast_to` such a shape."""
    value = input if isinstance(input, RaggedTensor) else to_tensor(input)
    if not isinstance(value, RaggedTensor) and (not value.shape.rank and value.shape.rank is not None):
        return fill(shape, value)
    return _broadcast_rows(value, shape)


def _broadcast_rows(value: Any, shape: DynamicRaggedShape) -> Any:
    axes = shape._axes()
    if len(value.shape) > len(axes):
        raise ValueError(
            f"broadcast_to: {described(axes_of(value))} has more axes than the shape to broadcast to, {described(axes)}."
        )
    of_value = value.ragged_rank + len(axes) - len(value.shape) if isinstance(value, RaggedTensor) else 0
    partitions = max(len(shape._partitions), of_value)
    flat = spread(value, axes, partitions, "broadcast_to")
    if partitions == len(shape._partitions):
        return _in_rows_of(flat, shape)
    return in_rows(flat, axes, partitions, shape.dtype.numpy)


_broadcast_rows = traceable(_broadcast_rows, on_abstract=by_stand_ins)


def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Any:
    """`tf.broadcast_dynamic_shape` of two shapes, one of which may be a vector of sizes."""
    pair = [
        shape if isinstance(shape, DynamicRaggedShape) else DynamicRaggedShape([], shape)
        for shape in (shape_x, shape_y)
    ]
    rank = max(shape.rank or 0 for shape in pair)
    kind = dtypes.int64 if any(shape.dtype == dtypes.int64 for shape in pair) else dtypes.int32
    counts = [len(s._partitions) + rank - (s.rank or 0) if s._partitions else 0 for s in pair]
    axes = common_axes(pair[0]._axes(), pair[1]._axes(), "broadcast_dynamic_shape")
    return DynamicRaggedShape._from_axes(axes, max(counts), kind)


broadcast_dynamic_shape = traceable(broadcast_dynamic_shape, on_abstract=by_stand_ins)

_TAKE_SHAPES: dict[Any, Callable[..., Any]] = {
    shapes.broadcast_dynamic_shape: broadcast_dynamic_shape,
    arrays.broadcast_to: broadcast_to,
    arrays.fill: fill,
    arrays.ones: ones,
    arrays.reshape: reshape,
    arrays.zeros: zeros,
}
for _function, _target in _TAKE_SHAPES.items():
    OVERRIDES.setdefault(_function, []).append(Override(_target, operand=DynamicRaggedShape))
OVERRIDES.setdefault(shapes.shape, []).append(Override(shape_of, operand=RaggedTensor))
