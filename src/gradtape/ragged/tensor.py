"""`RaggedTensor`: rows of different lengths, kept as one tensor of all values and the places where rows begin.

Tapes follow the values; row splits are integers. Inside a traced function both are symbolic: an op that depends on the
lengths of rows is a step there, and so are the checks of what is given; one that only combines the two runs directly.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, overload

import numpy as np

from .. import math
from ..api import arrays, indexing, layout, shapes
from ..base import dtypes
from ..base.context import ACTIVE
from ..base.dtypes import Array, DType
from ..base.errors import invalid
from ..base.memory import repeated
from ..base.namespaces import as_one_class
from ..base.notebook import Form, in_notebook
from ..base.shapes import TensorShape
from ..base.traceable import traceable
from ..op.attributes import as_int
from ..trace.composites import by_stand_ins
from ..values.exits import tell_exit
from ..values.tensor import EagerTensor, Tensor, from_array, to_tensor
from .making import Making, checked_values, count_of, row_count
from .spec import RaggedTensorSpec
from .splits import lengths_of, ranges, splits_of

if TYPE_CHECKING:
    from ..base.types import DenseLike, DTypeLike, IntLike, ShapeLike, TensorLike
    from ..values.operators import Arithmetic

    _Arithmetic: TypeAlias = Arithmetic["RaggedTensor | DenseLike", "RaggedTensor"]
else:
    _Arithmetic = object


@as_one_class
class RaggedTensor(Making, _Arithmetic):
    """Rows of different lengths: row i is `values[row_splits[i]:row_splits[i + 1]]`.

    The values are a tensor, or a ragged tensor where several axes are ragged. `tf.ragged.constant` and the class methods
    `from_...` make one, and check what they are given.

    >>> import gradtape as tf
    >>> rows = tf.ragged.constant([[1, 2], [], [3]])
    >>> rows.values.numpy(), rows.row_splits.numpy()
    (array([1, 2, 3], dtype=int32), array([0, 2, 2, 3]))

    Args:
        values: The values of all rows, one row after the other.
        row_splits: Where rows begin, and the number of all values; not checked here.
        uniform_row_length: The length of all rows, if they have one.
    """

    __slots__ = ("_row_splits", "_uniform", "_values")

    # NumPy must hand `array * ragged` to the operators of this class.
    __array_priority__ = 100
    __array_ufunc__ = None

    def __init__(self, values: Any, row_splits: Any, uniform_row_length: int | None = None) -> None:
        self._values = values
        self._row_splits = row_splits
        self._uniform = uniform_row_length

    # --- making ----------------------------------------------------------------------------------------------

    # --- parts -----------------------------------------------------------------------------------------------

    @property
    def values(self) -> Tensor | Any:
        """All values: a tensor, or a ragged tensor."""
        return self._values

    @property
    def flat_values(self) -> Tensor:
        """The innermost values; what tapes follow."""
        return self._values.flat_values if isinstance(self._values, RaggedTensor) else self._values

    @property
    def row_splits(self) -> Tensor:
        """Where rows begin, and the number of all values."""
        return self._row_splits

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """The splits of all ragged axes, the outermost first."""
        inner = self._values.nested_row_splits if isinstance(self._values, RaggedTensor) else ()
        return (self._row_splits, *inner)

    @property
    def uniform_row_length(self) -> Any:
        """The length of all rows, where they were made of one length."""
        return None if self._uniform is None else to_tensor(self._uniform, self._row_splits.dtype)

    @property
    def ragged_rank(self) -> int:
        """How many axes are ragged."""
        return len(self.nested_row_splits)

    @property
    def dtype(self) -> DType:
        """The type of the values."""
        dtype: DType = self._values.dtype
        return dtype

    @property
    def shape(self) -> TensorShape:
        """The shape, with None for ragged axes."""
        inside = self._values.shape
        return TensorShape(None if inside.rank is None else [row_count(self), self._uniform, *inside[1:]])

    def get_shape(self) -> TensorShape:
        """The same as `shape`.

        >>> tf.ragged.constant([[1, 2], [3]]).get_shape()
        TensorShape([2, None])

        Returns:
            A `tf.TensorShape`, with None for sizes that differ between rows.
        """
        return self.shape

    def nrows(self, out_type: DTypeLike | None = None, name: str | None = None) -> Tensor:
        """The number of rows.

        >>> int(tf.ragged.constant([[1, 2], [], [3]]).nrows())
        3

        Args:
            out_type: int32 or int64; the type of the row splits by default.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A scalar.
        """
        kind = self._row_splits.dtype if out_type is None else dtypes.as_dtype(out_type)
        return shapes.shape(self._row_splits, kind)[0] - 1

    def _number(self, values: Any, out_type: DTypeLike | None = None) -> Any:
        kind = self._row_splits._array.dtype if out_type is None else dtypes.as_dtype(out_type).numpy
        return from_array(np.asarray(values, kind)[()])

    @overload
    def row_lengths(self, axis: Literal[1] = 1, name: str | None = None) -> Tensor: ...
    @overload
    def row_lengths(self, axis: IntLike, name: str | None = None) -> Tensor | Any: ...
    def row_lengths(self, axis: IntLike = 1, name: str | None = None) -> Tensor | Any:
        """The length of each row.

        >>> tf.ragged.constant([[1, 2], [], [3]]).row_lengths().numpy()
        array([2, 0, 1])

        Args:
            axis: The axis whose sizes are asked for. For one further inside the result is ragged.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A vector of integers, or a RaggedTensor of them; for axis 0 the number of rows.
        """
        where = as_int(axis)
        if where == 0:
            return self.nrows()
        if where == 1:
            return from_array(lengths_of(self))
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.row_lengths(where - 1))
        shape = self._values.shape
        return self.with_values(
            from_array(np.full(shape[: where - 1], shape[where - 1], self._row_splits._array.dtype))
        )

    def nested_row_lengths(self, name: str | None = None) -> tuple[Tensor, ...]:
        """The lengths of the rows of all ragged axes, the outermost first.

        >>> [axis.numpy().tolist() for axis in tf.ragged.constant([[[1], [2, 3]], []]).nested_row_lengths()]
        [[2, 0], [1, 2]]

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A tuple with a vector of integers for each ragged axis.
        """
        return tuple(from_array(np.diff(splits._array)) for splits in self.nested_row_splits)

    def nested_value_rowids(self, name: str | None = None) -> tuple[Tensor, ...]:
        """The row numbers of all ragged axes, the outermost first.

        >>> [axis.numpy().tolist() for axis in tf.ragged.constant([[[1], [2, 3]], []]).nested_value_rowids()]
        [[0, 0], [0, 1, 1]]

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A tuple with a vector of integers for each ragged axis.
        """
        inner = self._values.nested_value_rowids() if isinstance(self._values, RaggedTensor) else ()
        return (self.value_rowids(), *inner)

    def row_starts(self, name: str | None = None) -> Tensor:
        """Where each row begins among the values.

        >>> tf.ragged.constant([[1, 2], [], [3]]).row_starts().numpy()
        array([0, 2, 2])

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A vector of integers.
        """
        return from_array(self._row_splits._array[:-1])

    def row_limits(self, name: str | None = None) -> Tensor:
        """Where each row ends among the values.

        >>> tf.ragged.constant([[1, 2], [], [3]]).row_limits().numpy()
        array([2, 2, 3])

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A vector of integers.
        """
        return from_array(self._row_splits._array[1:])

    def value_rowids(self, name: str | None = None) -> Tensor:
        """The number of the row of each value.

        >>> tf.ragged.constant([[1, 2], [], [3]]).value_rowids().numpy()
        array([0, 0, 2])

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A vector of integers.
        """
        lengths = lengths_of(self)
        return from_array(repeated("value_rowids", np.arange(len(lengths), dtype=lengths.dtype), lengths))

    def bounding_shape(self, axis: Any = None, name: str | None = None, out_type: DTypeLike | None = None) -> Tensor:
        """The shape of the smallest tensor that all rows fit into.

        >>> tf.ragged.constant([[1, 2], [], [3]]).bounding_shape().numpy()
        array([3, 2])

        Args:
            axis: The axis whose size is asked for, or several; None for all.
            name: Ignored; accepted for compatibility with TensorFlow.
            out_type: int32 or int64; the type of the row splits by default.

        Returns:
            A vector of integers; a scalar for one axis.
        """
        sizes = [len(splits._array) - 1 for splits in self.nested_row_splits[:1]]
        sizes += [int(np.diff(splits._array).max(initial=0)) for splits in self.nested_row_splits]
        sizes += list(self.flat_values.shape[1:])
        whole = self._number(sizes, out_type)
        return whole if axis is None else whole[as_int(axis)] if np.ndim(axis) == 0 else indexing.gather(whole, axis)

    def with_values(self, new_values: TensorLike) -> RaggedTensor:
        """Other values in rows of the same lengths.

        >>> tf.ragged.constant([[1, 2], [3]]).with_values(["a", "b", "c"])
        <tf.RaggedTensor [[b'a', b'b'], [b'c']]>

        Args:
            new_values: A tensor or ragged tensor with as many values.

        Returns:
            A RaggedTensor.

        Raises:
            tf.errors.InvalidArgumentError: There are more values, or less.
        """
        values = checked_values(new_values)
        given, wanted = count_of(values), count_of(self._values)
        if given != wanted and given is not None and wanted is not None:
            raise invalid(f"RaggedTensor: {given} new values for {wanted}.")
        return RaggedTensor(values, self._row_splits, self._uniform)

    def with_flat_values(self, new_values: TensorLike) -> RaggedTensor:
        """Other innermost values in the same rows.

        >>> tf.ragged.constant([[[1], [2, 3]], []]).with_flat_values([4, 5, 6]).to_list()
        [[[4], [5, 6]], []]

        Args:
            new_values: A tensor with as many values.

        Returns:
            A RaggedTensor.

        Raises:
            tf.errors.InvalidArgumentError: There are more values, or less.
        """
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.with_flat_values(new_values))
        return self.with_values(new_values)

    def with_row_splits_dtype(self, dtype: DTypeLike) -> RaggedTensor:
        """The same rows, with splits of another type.

        >>> tf.ragged.constant([[1, 2], [3]]).with_row_splits_dtype(tf.int32).row_splits.dtype
        tf.int32

        Args:
            dtype: int32 or int64.

        Returns:
            A RaggedTensor.

        Raises:
            ValueError: The type is another.
        """
        kind = dtypes.as_dtype(dtype)
        if kind not in (dtypes.int32, dtypes.int64):
            raise ValueError(f"row_splits must have dtype int32 or int64, got {kind.name}.")
        inner = self._values.with_row_splits_dtype(kind) if isinstance(self._values, RaggedTensor) else self._values
        return RaggedTensor(inner, math.cast(self._row_splits, kind), self._uniform)

    def merge_dims(self, outer_axis: int, inner_axis: int) -> Any:
        """The axes from `outer_axis` to `inner_axis` as one.

        >>> tf.ragged.constant([[[1, 2], [3]], [[4]]]).merge_dims(1, 2)
        <tf.RaggedTensor [[1, 2, 3], [4]]>

        Args:
            outer_axis: The first of the axes; negative ones count from the last.
            inner_axis: The last of them.

        Returns:
            A RaggedTensor; a tensor if no axis is ragged any more.

        Raises:
            ValueError: There are no such axes.
        """
        rank = len(self.shape)
        outer, inner = (axis + rank if axis < 0 else axis for axis in (as_int(outer_axis), as_int(inner_axis)))
        if not 0 <= outer <= inner < rank:
            for label, axis in (("outer_axis", outer_axis), ("inner_axis", inner_axis)):
                if not -rank <= as_int(axis) < rank:
                    raise ValueError(f"merge_dims: {label}={axis} out of bounds: expected -{rank}<={label}<{rank}")
            raise ValueError(
                f"Expected outer_axis ({outer_axis}) to be less than or equal to inner_axis ({inner_axis}) of a tensor of "
                f"rank {rank}."
            )
        if outer == inner:
            return self
        if outer > 0:
            if outer == 1 and inner > 1 and isinstance(self._values, RaggedTensor):
                splits = self._values._row_splits._array[self._row_splits._array]
                merged = RaggedTensor(self._values._values, from_array(splits))
                return merged.merge_dims(1, inner - 1) if inner > 2 else merged
            if not isinstance(self._values, RaggedTensor):
                shape = self._values.shape
                if outer == 1:  # rows and an axis of the values
                    size = int(np.prod(shape[1:inner], dtype=np.int64))
                    flat = arrays.reshape(self._values, (-1, *shape[inner:]))
                    return RaggedTensor(flat, from_array(self._row_splits._array * size))
                sizes = (*shape[: outer - 1], -1, *shape[inner:])
                return self.with_values(arrays.reshape(self._values, sizes))
            return self.with_values(self._values.merge_dims(outer - 1, inner - 1))
        if inner == 1:
            return self._values
        if isinstance(self._values, RaggedTensor):
            return self._values.merge_dims(0, inner - 1)
        return arrays.reshape(self._values, (-1, *self._values.shape[inner:]))

    # --- as other kinds of values ----------------------------------------------------------------------------

    def to_list(self) -> list[Any]:
        """The rows as nested Python lists.

        >>> tf.ragged.constant([[1, 2], [], [3]]).to_list()
        [[1, 2], [], [3]]

        Returns:
            A list.
        """
        if ACTIVE and isinstance(self._values, EagerTensor) and self._values._id:
            tell_exit(self._values, "to_list()")
        inner = self._values.to_list() if isinstance(self._values, RaggedTensor) else self._values._array.tolist()
        splits = self._row_splits._array.tolist()
        return [inner[start:stop] for start, stop in itertools.pairwise(splits)]

    def numpy(self) -> Array:
        """The rows as one NumPy array.

        >>> tf.ragged.constant([[1, 2], [3]]).numpy()
        array([array([1, 2], dtype=int32), array([3], dtype=int32)], dtype=object)

        Returns:
            An array of objects, each of them a row; an array of numbers where all rows have one length.
        """
        values = self._values.numpy()
        rows = [values[start:stop] for start, stop in itertools.pairwise(self._row_splits._array.tolist())]
        if rows and len({row.shape for row in rows}) == 1:
            return np.stack(rows)
        result = np.empty(len(rows), object)
        for number, row in enumerate(rows):
            result[number] = row
        return result

    def to_tensor(
        self, default_value: TensorLike | None = None, name: str | None = None, shape: ShapeLike | None = None
    ) -> Tensor:
        """A tensor of all rows, filled up (or cut) to one length; tapes follow the values.

        >>> tf.ragged.constant([[1, 2, 3], [4]]).to_tensor(default_value=-1).numpy()
        array([[ 1,  2,  3],
               [ 4, -1, -1]], dtype=int32)
        >>> tf.ragged.constant([[1, 2, 3], [4]]).to_tensor(shape=[None, 2]).numpy()
        array([[1, 2],
               [4, 0]], dtype=int32)

        Args:
            default_value: What rows are filled up with; zeros, or empty texts, by default.
            name: Ignored; accepted for compatibility with TensorFlow.
            shape: The sizes of the result; None for as much as is needed.

        Returns:
            A tensor.

        Raises:
            tf.errors.InvalidArgumentError: `shape` has less than two sizes.
        """
        values = self._values
        sizes = None if shape is None else list(TensorShape(shape))
        if sizes is not None and len(sizes) < 2:
            raise invalid(f"to_tensor: shape must have at least two sizes, got {shape!r}.")
        if isinstance(values, RaggedTensor):
            inner = None if sizes is None else [None, *sizes[2:]]
            values = values.to_tensor(default_value, shape=inner)
        lengths = lengths_of(self)
        count, width = len(lengths), int(lengths.max(initial=0))
        rows = count if sizes is None or sizes[0] is None else int(sizes[0])
        columns = width if sizes is None or sizes[1] is None else int(sizes[1])
        if default_value is None:
            filler = arrays.zeros((1, *values.shape[1:]), values.dtype)
        else:
            default = to_tensor(default_value, values.dtype if not isinstance(default_value, Tensor) else None)
            filler = arrays.broadcast_to(default, (1, *values.shape[1:]))
        places = np.full((rows, columns), count_of(values))  # of the filler
        kept = np.minimum(lengths[:rows], columns)
        starts = self._row_splits._array[:-1][:rows]
        row = repeated("from_tensor", np.arange(len(kept)), kept)
        places[row, ranges(np.zeros(len(kept), np.int64), kept)] = ranges(starts, kept)
        return indexing.gather(layout.concat([values, filler], 0), from_array(places))

    def to_sparse(self, name: str | None = None) -> Any:
        """A sparse tensor with the values at the beginning of its rows.

        >>> tf.ragged.constant([[1, 2], [], [3]]).to_sparse().indices.numpy()
        array([[0, 0],
               [0, 1],
               [2, 0]])

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A SparseTensor of the shape that `bounding_shape` gives.
        """
        from ..sparse.tensor import from_parts

        places = places_of(self)
        flat = self.flat_values
        if flat.ndim > 1:
            inner = np.indices(tuple(flat.shape[1:])).reshape(flat.ndim - 1, -1).T
            places = np.concatenate([np.repeat(places, len(inner), axis=0), np.tile(inner, (len(places), 1))], axis=1)
            flat = arrays.reshape(flat, (-1,))
        return from_parts(places, flat, self.bounding_shape()._array.tolist())

    # --- rows ------------------------------------------------------------------------------------------------

    __getitem__: ClassVar[Callable[[Any, Any], Any]]  # set by indexing.py

    def __iter__(self) -> Iterator[Any]:
        for index in range(self._row_count()):
            yield self[index]

    @property
    def _type_spec(self) -> RaggedTensorSpec:
        return RaggedTensorSpec.from_value(self)

    def _row_count(self) -> int:
        count = row_count(self)
        if count is None:
            raise TypeError(
                "The number of rows of a ragged tensor inside tf.function is not known yet: use rt.nrows()."
            )
        return count

    def consumers(self) -> list[Any]:
        """Always empty: there is no graph.

        >>> tf.ragged.constant([[1, 2], [3]]).consumers()
        []
        """
        return []

    def _notebook_form(self) -> Form:
        lengths = self.row_lengths()._array
        facts = [("shape", str(self.shape)), ("dtype", self.dtype.name)]
        facts += [("lengths of rows", f"{lengths.min()} to {lengths.max()}")] if lengths.size else []
        return Form("tf.RaggedTensor", tuple(facts), self.flat_values._array)

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        if any(not isinstance(part, EagerTensor) for part in (self.flat_values, *self.nested_row_splits)):
            return f"tf.RaggedTensor(values={self._values!r}, row_splits={self._row_splits!r})"
        # (NumPy breaks lines between rows of one length, and where a line gets long; the rows inside ask for the formatter.)
        with np.printoptions(formatter={"all": _element_text}):
            return f"<tf.RaggedTensor {_element_text(self.numpy())}>"

    __hash__ = None  # type: ignore[assignment]


RaggedTensorSpec.value_type = RaggedTensor


# --- the rows of a tensor or a ragged tensor -----------------------------------------------------------------


def _element_text(value: object) -> str:
    """How an element, or an array of rows, is printed."""
    if not isinstance(value, np.ndarray):
        return str(value)
    return np.array2string(value, separator=", ") if value.size else repr(value.tolist())


def take_rows(values: RaggedTensor | Tensor, indices: Array) -> Any:
    """Some rows of a tensor or a ragged tensor, in this order."""
    if not isinstance(values, RaggedTensor):
        return indexing.gather(values, from_array(indices))
    lengths = lengths_of(values)[indices]
    inner = take_rows(values.values, ranges(values.row_splits._array[:-1][indices], lengths))
    return RaggedTensor(inner, from_array(splits_of(lengths)), values._uniform)


def places_of(ragged: RaggedTensor) -> Array:
    """For each value of the innermost ragged axis, its place: one number for each axis."""
    lengths = lengths_of(ragged)
    column = ranges(np.zeros(len(lengths), np.int64), lengths)
    outer = np.stack([repeated("places", np.arange(len(lengths)), lengths), column], axis=1)
    if not isinstance(ragged.values, RaggedTensor):
        return outer
    inner = places_of(ragged.values)
    return np.concatenate([outer[inner[:, 0]], inner[:, 1:]], axis=1)


def concat_rows(values: list[Any]) -> Any:
    """The rows of several tensors or ragged tensors, one after the other."""
    if not any(isinstance(value, RaggedTensor) for value in values):
        return layout.concat(values, 0)
    parts = [value if isinstance(value, RaggedTensor) else RaggedTensor.from_tensor(value) for value in values]
    inner = concat_rows([part.values for part in parts])
    return RaggedTensor(inner, from_array(splits_of(np.concatenate([lengths_of(part) for part in parts]))))


def stacked_rows(values: list[Any]) -> RaggedTensor:
    """Tensors or ragged tensors as the rows of one."""
    counts = np.array([count_of(value) for value in values], np.int64)
    return RaggedTensor(concat_rows(values), from_array(splits_of(counts)))


# Methods that read the lengths of rows.
for _name in (
    *("row_lengths", "nested_row_lengths", "nested_value_rowids", "row_starts", "row_limits", "value_rowids"),
    *("bounding_shape", "merge_dims", "to_tensor", "to_sparse"),
):
    setattr(RaggedTensor, _name, traceable(getattr(RaggedTensor, _name), on_abstract=by_stand_ins))
for _name in ("from_tensor", "from_sparse"):
    _made = traceable(getattr(RaggedTensor, _name).__func__, on_abstract=by_stand_ins)
    setattr(RaggedTensor, _name, classmethod(_made))
