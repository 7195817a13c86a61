"""`tf.ragged`: functions that make ragged tensors, and those of `tf` that take them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, overload

import numpy as np

from .. import math
from ..api import arrays, indexing, layout, sorting
from ..base import dtypes
from ..base.dtypes import Array
from ..base.errors import NotATensorError, TensorTypeError, invalid, unfit
from ..base.memory import repeated
from ..base.sizes import UNKNOWN
from ..base.traceable import shaped, trace_public, traceable
from ..base.types import AxisLike, DTypeLike, IntLike, TensorLike
from ..op.abstract import Abstract
from ..op.attributes import as_int, as_ints
from ..sparse import SparseTensor, crossing
from ..trace.abstract_tensor import abstract_of
from ..trace.composites import by_stand_ins
from ..values.tensor import EagerTensor, Tensor, from_array, to_tensor
from .splits import ranges
from .tensor import RaggedTensor, concat_rows, stacked_rows, take_rows


@overload
def constant(
    pylist: str | bytes | complex,
    dtype: DTypeLike | None = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    name: str | None = None,
    row_splits_dtype: DTypeLike = dtypes.int64,
) -> Tensor: ...
@overload
def constant(
    pylist: Any,
    dtype: DTypeLike | None = None,
    *,
    ragged_rank: Literal[0],
    inner_shape: Any = None,
    name: str | None = None,
    row_splits_dtype: DTypeLike = dtypes.int64,
) -> Tensor: ...
@overload
def constant(
    pylist: Any,
    dtype: DTypeLike | None = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    name: str | None = None,
    row_splits_dtype: DTypeLike = dtypes.int64,
) -> RaggedTensor: ...
def constant(
    pylist: Any,
    dtype: DTypeLike | None = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    name: str | None = None,
    row_splits_dtype: DTypeLike = dtypes.int64,
) -> Any:
    """A ragged tensor from nested lists.

    >>> import gradtape as tf
    >>> tf.ragged.constant([[1, 2], [3]])
    <tf.RaggedTensor [[1, 2], [3]]>
    >>> tf.ragged.constant([[[1, 2]], [[3, 4], [5, 6]]], ragged_rank=1).shape
    TensorShape([2, None, 2])

    Args:
        pylist: Lists in lists, all elements as deep; or arrays.
        dtype: The type of the values; by default the one that `tf.constant` would give.
        ragged_rank: How many axes are ragged; by default all but the first, less those of `inner_shape`.
        inner_shape: The shape of each innermost value, if it is not one element.
        name: Ignored; accepted for compatibility with TensorFlow.
        row_splits_dtype: The type of the row splits: int32 or int64.

    Returns:
        A RaggedTensor; a tensor if no axis is ragged.

    Raises:
        ValueError: Elements are not as deep as others, or the lists are not deep enough for `ragged_rank`.
    """
    lists = _as_lists(pylist)
    deepest, scalars = _nesting(lists), _depth_of_scalars(lists)
    inner = None if inner_shape is None else tuple(as_ints(inner_shape))
    if ragged_rank is None:
        ragged_rank = max(0, deepest - 1 - len(inner or ()))
    if ragged_rank < 0:
        raise ValueError(f"Invalid ragged_rank={ragged_rank}: must be nonnegative")
    if not isinstance(lists, list) and (ragged_rank or inner):
        raise ValueError(
            f"Invalid pylist={pylist!r}: incompatible with ragged_rank={ragged_rank}, inner_shape={inner_shape}"
        )
    if scalars is not None and scalars < deepest:
        raise ValueError(f"Invalid pylist={pylist!r}: empty list nesting is greater than scalar value nesting")
    if scalars is not None and 0 < scalars <= ragged_rank:
        raise ValueError(
            f"Invalid pylist={pylist!r}: pylist has scalar values depth {scalars}, but ragged_rank={ragged_rank} requires "
            f"scalar value depth greater than {ragged_rank}"
        )
    if scalars is not None and ragged_rank and inner is not None and scalars != ragged_rank + 1 + len(inner):
        raise ValueError(
            f"Invalid pylist={pylist!r}: incompatible with ragged_rank={ragged_rank} and dim(inner_shape)={len(inner)}"
        )
    kind = None if dtype is None else dtypes.as_dtype(dtype)
    lengths: list[Any] = []
    values: Any = lists
    for _ in range(ragged_rank):
        lengths.append([len(row) for row in values])
        values = [item for row in values for item in row]
    found = _shape_of(values)
    flat: Any
    if isinstance(pylist, np.ndarray) and not ragged_rank:
        found, flat = pylist.shape, to_tensor(pylist, kind)  # (an array that is not taken apart keeps its type)
    else:
        flat = arrays.zeros(found, kind or dtypes.float32) if scalars is None else to_tensor(values, kind)
    if inner is not None:
        shape = (len(values), *inner) if ragged_rank else inner
        if np.prod(found) != np.prod(shape):
            raise TypeError(f"ragged.constant: values of shape {found} do not fit inner_shape={inner}.")
        flat = arrays.reshape(flat, shape)
    splits = dtypes.as_dtype(row_splits_dtype)
    for row in reversed(lengths):
        flat = RaggedTensor.from_row_lengths(flat, from_array(np.array(row, splits.numpy)))
    return flat


def _as_lists(value: Any) -> Any:
    """Lists in place of arrays, tuples and tensors; an element as it is."""
    if isinstance(value, (list, tuple)) or (isinstance(value, (np.ndarray, Tensor)) and value.ndim):
        return [_as_lists(item) for item in value]
    return value


def _nesting(value: Any) -> int:
    """How deep lists are nested, empty ones too."""
    return 1 + max(map(_nesting, value), default=0) if isinstance(value, list) else 0


def _depth_of_scalars(value: Any) -> int | None:
    """How many lists are around each element; None if there are no elements."""
    if not isinstance(value, list):
        return 0
    depths = set(map(_depth_of_scalars, value)) - {None}
    if len(depths) > 1:
        raise ValueError("all scalar values must have the same nesting depth")
    return 1 + depths.pop() if depths else None  # type: ignore[operator]


def _shape_of(value: Any) -> tuple[int, ...]:
    """The shape of nested lists that are all as long at one depth."""
    if not isinstance(value, list):
        return ()
    shapes = set(map(_shape_of, value))
    if len(shapes) > 1:
        raise ValueError(f"Invalid pylist: inner values have inconsistent shape: {sorted(shapes)}")
    return (len(value), *(shapes.pop() if shapes else ()))


def range_of(
    starts: TensorLike,
    limits: TensorLike | None = None,
    deltas: TensorLike = 1,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    row_splits_dtype: DTypeLike = dtypes.int64,
) -> RaggedTensor:
    """Rows of numbers: from each start up to its limit in steps of its delta.

    >>> import gradtape as tf
    >>> tf.ragged.range([3, 0, 2])
    <tf.RaggedTensor [[0, 1, 2], [], [0, 1]]>
    >>> tf.ragged.range([0, 10], limits=[3, 20], deltas=[1, 5])
    <tf.RaggedTensor [[0, 1, 2], [10, 15]]>

    Args:
        starts: Where rows begin: a vector or a number. The limits, if no others are given; rows then begin with 0.
        limits: Where rows end; a row does not reach its limit. Broadcasts with `starts`.
        deltas: The steps, likewise; not zero.
        dtype: The type of the values; by default the common one of the arguments.
        name: Ignored; accepted for compatibility with TensorFlow.
        row_splits_dtype: The type of the row splits: int32 or int64.

    Returns:
        A RaggedTensor with one row for each start.

    Raises:
        tf.errors.InvalidArgumentError: A delta is zero, or the arguments are not real numbers.
    """
    if limits is None:
        starts, limits = 0, starts
    kind = None if dtype is None else dtypes.as_dtype(dtype)
    parts = [np.asarray(to_tensor(part, kind)._array) for part in (starts, limits, deltas)]
    if any(part.dtype.kind not in "fiuV" for part in parts):
        raise invalid(f"ragged.range: real numbers are needed, got {[part.dtype.name for part in parts]}.")
    common = np.result_type(*parts) if kind is None else kind.numpy
    first, last, step = np.broadcast_arrays(*[np.atleast_1d(part).astype(common) for part in parts])
    if (step == 0).any():
        raise invalid("ragged.range: deltas must not be zero.")
    rows = [np.arange(a, b, d, dtype=common) for a, b, d in zip(first, last, step, strict=True)]
    lengths = np.array([len(row) for row in rows], dtypes.as_dtype(row_splits_dtype).numpy)
    flat = np.concatenate(rows) if rows else np.zeros(0, common)
    return RaggedTensor.from_row_lengths(from_array(flat), from_array(lengths))


def stack(values: Any, axis: AxisLike = 0, name: str | None = None) -> RaggedTensor | Any:
    """Tensors of one rank put together along a new axis, ragged where their sizes differ.

    >>> import gradtape as tf
    >>> tf.ragged.stack([[1, 2], [3]])
    <tf.RaggedTensor [[1, 2], [3]]>

    Args:
        values: A list of tensors or ragged tensors.
        axis: Where the new axis stands; negative ones count from the last.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A RaggedTensor; a tensor if the values are scalars.

    Raises:
        ValueError: There are no values, or their ranks differ.
        tf.errors.InvalidArgumentError: There is no such axis, or the numbers of rows differ before it.
    """
    if isinstance(values, (dict, set)):
        raise NotATensorError(f"ragged.stack: a list of tensors is needed, got {values!r}.")
    parts = [value if isinstance(value, RaggedTensor) else to_tensor(value) for value in values]
    if not parts:
        raise ValueError("ragged.stack: at least one tensor is needed.")
    ranks = {len(part.shape) for part in parts}
    if len(ranks) > 1:
        raise ValueError(f"ragged.stack: all tensors must have one rank, got {sorted(ranks)}.")
    (rank,) = ranks
    where = as_int(axis)
    where = where + rank + 1 if where < 0 else where
    if rank == 0:
        return layout.stack(parts)
    if where == 0:
        return stacked_rows([_ragged(part) for part in parts])
    if where == 1:
        rows = concat(parts, 0)
        count = _rows(parts[0])
        if any(_rows(part) != count for part in parts):
            raise invalid(f"ragged.stack: all tensors must have {count} rows to be stacked along axis 1.")
        order = np.arange(count * len(parts)).reshape(len(parts), count).T.reshape(-1)
        together = take_rows(rows, order)
        return RaggedTensor(together, from_array(np.arange(count + 1) * len(parts)))
    if not 1 < where <= rank:
        raise invalid(f"ragged.stack: tensors with {rank} axes have no axis {axis} to be stacked along.")
    rows = [_ragged(part) for part in parts]
    for part in rows[1:]:
        check_same_rows(rows[0], part)
    inner = [part.values for part in rows]
    ragged = isinstance(inner[0], RaggedTensor)
    return rows[0].with_values(stack(inner, where - 1) if ragged else layout.stack(inner, where - 1))


def concat(values: Any, axis: AxisLike, name: str | None = None) -> Any:
    """Tensors and ragged tensors one after the other, along rows (axis 0) or inside of them (axis 1)."""
    parts = [value if isinstance(value, RaggedTensor) else to_tensor(value) for value in values]
    rank = max(len(part.shape) for part in parts)
    where = as_int(axis)
    where = where + rank if where < 0 else where
    if not 0 <= where < rank:
        raise unfit(f"concat: axis={axis} out of bounds: expected -{rank}<=axis<{rank}")
    if where == 0:
        return concat_rows(parts)
    rows = [_ragged(part) for part in parts]
    count = rows[0]._row_count()
    if any(row._row_count() != count for row in rows):
        raise invalid(f"concat: all ragged tensors must have one number of rows, got {[r._row_count() for r in rows]}.")
    if where == 1:
        lengths = np.stack([np.diff(row.row_splits._array) for row in rows], axis=1)
        sizes = [int(row.row_splits._array[-1]) for row in rows]
        offsets = np.cumsum([0, *sizes[:-1]])
        starts = np.stack(
            [row.row_splits._array[:-1] + offset for row, offset in zip(rows, offsets, strict=True)], axis=1
        )
        joined = concat_rows([row.values for row in rows])
        flat = take_rows(joined, ranges(starts.reshape(-1), lengths.reshape(-1)))
        return RaggedTensor.from_row_lengths(flat, from_array(lengths.sum(axis=1)))
    return rows[0].with_values(concat([row.values for row in rows], where - 1))


def _ragged(part: Any) -> Any:
    return part if isinstance(part, RaggedTensor) or part.ndim < 2 else RaggedTensor.from_tensor(part)


def _rows(part: Any) -> int:
    return part._row_count() if isinstance(part, RaggedTensor) else int(part.shape[0])


def boolean_mask(data: TensorLike, mask: TensorLike, name: str | None = None) -> RaggedTensor | Any:
    """The values where a mask is true; rows stay rows, and become shorter.

    >>> import gradtape as tf
    >>> tf.ragged.boolean_mask([[1, 2], [3, 4]], [[True, False], [True, True]])
    <tf.RaggedTensor [[1], [3, 4]]>

    Args:
        data: A tensor or ragged tensor.
        mask: Truth values for its first axes, ragged where these are.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A RaggedTensor; with a mask for rows (one axis) whole rows, of the kind of `data`.

    Raises:
        tf.errors.InvalidArgumentError: The mask is not bool, or its rows have other lengths.
    """
    keep = mask if isinstance(mask, RaggedTensor) else to_tensor(mask)
    if keep.dtype is not dtypes.bool:
        raise TensorTypeError(None, None, f"boolean_mask: the mask must be bool, got {keep.dtype!r}.")
    if keep.shape.rank is None:
        raise ValueError(
            "boolean_mask: the rank of the mask must be known: it decides what the result is. Use tf.ensure_shape."
        )
    values = data if isinstance(data, RaggedTensor) else to_tensor(data)
    if isinstance(values, Tensor) and isinstance(keep, Tensor):
        if keep.ndim == 1:
            return take_rows(values, np.flatnonzero(keep._array))
        values, keep = RaggedTensor.from_tensor(values), RaggedTensor.from_tensor(keep)
    if isinstance(keep, Tensor):
        if keep.ndim == 1:
            return take_rows(values, np.flatnonzero(keep._array))
        keep = RaggedTensor.from_tensor(keep)
    if isinstance(values, Tensor):
        values = RaggedTensor.from_tensor(values)
    ours, theirs = (np.asarray(part.row_splits._array) for part in (values, keep))
    if not np.array_equal(ours, theirs):
        raise invalid("boolean_mask: the rows of the mask must have the lengths of those of the data.")
    if isinstance(keep.values, RaggedTensor) or keep.values.ndim > 1:
        return values.with_values(boolean_mask(values.values, keep.values))
    chosen = keep.values._array
    counts = np.add.reduceat(np.append(chosen, False), keep.row_splits._array[:-1]) if len(chosen) else None
    lengths = np.diff(keep.row_splits._array)
    sizes = np.where(lengths == 0, 0, lengths if counts is None else counts)
    inner = take_rows(values.values, np.flatnonzero(chosen))
    return RaggedTensor.from_row_lengths(inner, from_array(sizes.astype(lengths.dtype)))


def map_flat_values(op: Callable[..., Any], *args: object, **kwargs: object) -> Any:
    """A function of the innermost values, in the same rows.

    >>> import gradtape as tf
    >>> tf.ragged.map_flat_values(tf.square, tf.ragged.constant([[1, 2], [3]]))
    <tf.RaggedTensor [[1, 4], [9]]>

    Args:
        op: A function of tensors that keeps the number of rows of its first axis.
        args: Its arguments. In the place of each RaggedTensor it gets the flat values; all must have the same rows.
        kwargs: Its arguments by name, likewise.

    Returns:
        A RaggedTensor; what `op` returns if no argument is ragged.

    Raises:
        tf.errors.InvalidArgumentError: The ragged arguments have rows of different lengths, or `op` gives more or less values.
    """
    given = [value for value in (*args, *kwargs.values()) if isinstance(value, RaggedTensor)]
    if not given:
        return op(*args, **kwargs)
    for other in given[1:]:
        check_same_rows(given[0], other)

    def flat(value: Any) -> Any:
        return value.flat_values if isinstance(value, RaggedTensor) else value

    result = op(*map(flat, args), **{name: flat(value) for name, value in kwargs.items()})
    return given[0].with_flat_values(result)


def cross(inputs: Any, name: str | None = None) -> RaggedTensor:
    """The features of each row, joined to texts in all combinations of one from each input.

    >>> import gradtape as tf
    >>> tf.ragged.cross([tf.ragged.constant([["a"], ["b", "c"]]), tf.constant([["d"], ["e"]])])
    <tf.RaggedTensor [[b'a_X_d'], [b'b_X_e', b'c_X_e']]>

    Args:
        inputs: A list of matrices of texts or integers, ragged, sparse or dense, with one row for each example.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A RaggedTensor of texts, with as many rows.

    Raises:
        ValueError: A ragged input is not a matrix.
        tf.errors.InvalidArgumentError: The numbers of rows differ.
    """
    return _crossed(inputs, crossing.joining("_X_"), dtypes.string)


def cross_hashed(
    inputs: Any, num_buckets: Any = 0, hash_key: int | None = None, name: str | None = None
) -> RaggedTensor:
    """The features of each row, hashed in all combinations of one from each input; the hashes are TensorFlow's.

    >>> import gradtape as tf
    >>> tf.ragged.cross_hashed([tf.ragged.constant([["a"], ["b", "c"]]), tf.constant([["d"], ["e"]])], num_buckets=100)
    <tf.RaggedTensor [[82], [61, 41]]>

    Args:
        inputs: A list of matrices of texts or integers, ragged, sparse or dense, with one row for each example.
        num_buckets: The hashes are below this number; 0 for hashes of 63 bits.
        hash_key: Where hashing begins: an integer; TensorFlow's constant by default.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A RaggedTensor of int64, with as many rows.

    Raises:
        ValueError: A ragged input is not a matrix.
        tf.errors.InvalidArgumentError: The numbers of rows differ, or `num_buckets` is negative.
    """
    return _crossed(inputs, crossing.hashing(num_buckets, hash_key), dtypes.int64)


def _crossed(inputs: Sequence[TensorLike], meet: Any, kind: dtypes.DType) -> RaggedTensor:
    if not isinstance(inputs, (list, tuple)):
        raise TypeError(f"cross: a list of inputs is needed, got {inputs!r}.")
    parts = [value if isinstance(value, (RaggedTensor, SparseTensor)) else to_tensor(value) for value in inputs]
    if any(isinstance(part, RaggedTensor) and len(part.shape) != 2 for part in parts):
        raise ValueError("tf.ragged.cross only supports inputs with rank=2.")
    columns = [
        part.to_list() if isinstance(part, RaggedTensor) else crossing.features(part, place)
        for place, part in enumerate(parts)
    ]
    rows = crossing.crossed(columns, meet)
    flat = np.empty(sum(map(len, rows)), kind.numpy)
    flat[:] = [value for row in rows for value in row]
    return RaggedTensor.from_row_lengths(from_array(flat), [len(row) for row in rows])


def have_same_rows(first: RaggedTensor, second: RaggedTensor) -> bool:
    """Whether two ragged tensors have rows of the same lengths, as far as that is known."""
    ours, theirs = first.nested_row_splits, second.nested_row_splits
    return len(ours) == len(theirs) and all(
        a is b or not isinstance(a, EagerTensor) or not isinstance(b, EagerTensor) or np.array_equal(a._array, b._array)
        for a, b in zip(ours, theirs, strict=True)
    )


def check_same_rows(first: RaggedTensor, second: RaggedTensor) -> None:
    """Raise where two ragged tensors have rows of different lengths."""
    if not have_same_rows(first, second):
        raise invalid(
            f"Ragged operands must have rows of the same lengths: the lengths are {_lengths(first)} and {_lengths(second)}."
        )


def _lengths(value: RaggedTensor) -> list[int]:
    lengths: Array = np.diff(value.row_splits._array)
    found: list[int] = lengths[:10].tolist()
    return found


def _look_of_ids(splits: TensorLike, name: str | None = None, out_type: DTypeLike | None = None) -> Abstract:
    return _vector(splits, UNKNOWN, out_type)


def _vector(like: TensorLike, size: Any, out_type: DTypeLike | None) -> Abstract:
    """A vector of positions; how long it is may depend on values."""
    return Abstract(
        (size,), abstract_of(to_tensor(like)).dtype if out_type is None else dtypes.as_dtype(out_type).numpy
    )


@shaped(_look_of_ids)
def row_splits_to_segment_ids(splits: TensorLike, name: str | None = None, out_type: DTypeLike | None = None) -> Tensor:
    """The row number of each value.

    >>> import gradtape as tf
    >>> tf.ragged.row_splits_to_segment_ids([0, 2, 3]).numpy()
    array([0, 0, 1])

    Args:
        splits: Where rows begin, and where the last one ends.
        name: Ignored; accepted for compatibility with TensorFlow.
        out_type: int32 or int64; the type of `splits` by default.

    Returns:
        A vector.

    Raises:
        ValueError: `splits` is no vector, or is empty.
    """
    array = to_tensor(splits, None if isinstance(splits, (Tensor, np.ndarray)) else dtypes.int64)._array
    if array.ndim != 1 or not array.size:
        raise ValueError(f"Invalid row_splits: {splits!r}. A vector that begins with 0 is needed.")
    ids = repeated("row_splits_to_segment_ids", np.arange(len(array) - 1, dtype=array.dtype), np.diff(array))
    return from_array(ids if out_type is None else ids.astype(dtypes.as_dtype(out_type).numpy))


def _look_of_splits(
    segment_ids: TensorLike,
    num_segments: IntLike | None = None,
    out_type: DTypeLike | None = None,
    name: str | None = None,
) -> Abstract:
    size = num_segments + 1 if isinstance(num_segments, int) else UNKNOWN
    return _vector(segment_ids, size, dtypes.int64 if out_type is None else out_type)


@shaped(_look_of_splits)
def segment_ids_to_row_splits(
    segment_ids: TensorLike,
    num_segments: IntLike | None = None,
    out_type: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Where rows begin, from the row number of each value.

    >>> import gradtape as tf
    >>> tf.ragged.segment_ids_to_row_splits([0, 0, 1]).numpy()
    array([0, 2, 3])

    Args:
        segment_ids: The row number of each value, in ascending order.
        num_segments: How many rows there are, values of later ones being left out; by default up to the last with a value.
        out_type: int32 or int64.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A vector: where rows begin, and where the last one ends.

    Raises:
        ValueError: The ids are not a vector.
        tf.errors.InvalidArgumentError: An id is negative.
    """
    ids = to_tensor(segment_ids, None if isinstance(segment_ids, (Tensor, np.ndarray)) else dtypes.int64)
    if ids.ndim != 1:
        raise ValueError(f"segment_ids_to_row_splits: segment_ids must be a vector, got shape {ids.shape}.")
    count = None if num_segments is None else as_int(num_segments)
    lengths = math.bincount(ids, minlength=count, maxlength=count, dtype=dtypes.int64)._array
    kind = dtypes.int64.numpy if out_type is None else dtypes.as_dtype(out_type).numpy
    return from_array(np.concatenate(([0], np.cumsum(lengths))).astype(kind))


def stack_dynamic_partitions(
    data: TensorLike, partitions: TensorLike, num_partitions: IntLike, name: str | None = None
) -> RaggedTensor:
    """The slices of `data` as rows, by the number that `partitions` has for each: row i has those of number i, in their order.

    >>> import gradtape as tf
    >>> tf.ragged.stack_dynamic_partitions(["a", "b", "c"], [2, 0, 2], 4)
    <tf.RaggedTensor [[b'b'], [], [b'a', b'c'], []]>

    Args:
        data: A tensor or ragged tensor; its shape begins with that of `partitions`.
        partitions: The number of a row for each slice.
        num_partitions: How many rows there are.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A RaggedTensor.

    Raises:
        ValueError: `partitions` and `data` have other shapes.
        tf.errors.InvalidArgumentError: There is no row of a number.
    """
    values = data if isinstance(data, RaggedTensor) else to_tensor(data)
    numbers = partitions if isinstance(partitions, RaggedTensor) else to_tensor(partitions)
    rank = numbers.shape.rank
    if rank is None:
        raise ValueError("stack_dynamic_partitions: the rank of partitions must be known. Use tf.ensure_shape.")
    if not numbers.shape.is_compatible_with(values.shape[:rank]):
        raise ValueError(
            f"stack_dynamic_partitions: data of shape {values.shape} must start with the shape {numbers.shape} of partitions."
        )
    if rank > 1:
        if not isinstance(values, RaggedTensor):
            values = RaggedTensor.from_tensor(values)
        if not isinstance(numbers, RaggedTensor):
            numbers = RaggedTensor.from_tensor(numbers)
        return stack_dynamic_partitions(values.values, numbers.values, num_partitions)
    if rank == 0:
        values, numbers = layout.stack([values]), layout.stack([numbers])
    order = sorting.argsort(numbers, stable=True)
    return RaggedTensor.from_value_rowids(
        indexing.gather(values, order), indexing.gather(numbers, order), nrows=num_partitions
    )


stack_dynamic_partitions = traceable(stack_dynamic_partitions)
trace_public(globals(), skip=("check_same_rows", "constant", "map_flat_values"), on_abstract=by_stand_ins)
