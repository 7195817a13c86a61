"""Reductions over segments: rows of a tensor that carry the same segment id, and counts of integers.

`segment_*` take ids in increasing order, and the last id determines the number of segments. `unsorted_segment_*`
take any order and are told how many segments there are; rows with a negative id are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import ml_dtypes
import numpy as np

from ...base.dtypes import INDEX, NARROW_FLOATS, NUMERIC, REAL, Array
from ...base.errors import ResourceExhaustedError, UnimplementedError, invalid
from ...base.memory import MOST_COUNTS, has_too_many
from ...base.sizes import UNKNOWN, matched
from ...base.types import Cotangent, Draw, Namespace, Tangent, Value
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Rule, Sample, op
from ...op.family import all_batched, numpy_type, rank_of, shape_of
from ...op.shapes import matched_sizes, natural, typed_by
from ...values.tensor import EagerTensor
from ..math.complex_numbers import conj
from ..math.conversion import convert
from ..math.logic import equal, greater, less, maximum, ones_like, select, zeros_like
from .accumulate import add_rows
from .borders import pad_constant
from .gather import existing, take, widened
from .layout import permute, reshape

_IDS = INDEX | {np.dtype(np.int16)}
_INT32 = np.dtype(np.int32)
# Sums of segments take at least so many bytes, and so many times the bytes of the data, before their number counts as mistyped.
_FREE_BYTES, _FREE_GROWTH = 2**33 - 1, 4096

# --- kernels ------------------------------------------------------------------------------------------------


def _reduced(combine: np.ufunc, empty: object, rows: Array, ids: Array, count: int) -> Array:
    """`combine` over the rows of each segment, for ids from 0 on; `empty` where there are none."""
    wanted = count * int(np.prod(rows.shape[1:], dtype=np.int64)) * rows.dtype.itemsize
    if wanted > max(_FREE_BYTES, _FREE_GROWTH * rows.nbytes):
        raise ResourceExhaustedError(None, None, f"{count} segments for {len(rows)} rows of data take {wanted} bytes.")
    if combine is np.add:
        return add_rows(rows, ids, count)
    if (ids[1:] < ids[:-1]).any():
        order = np.argsort(ids, kind="stable")
        ids, rows = ids[order], rows[order]
    shape = (count, *rows.shape[1:])
    result = np.zeros(shape, rows.dtype) if empty == 0 else np.full(shape, empty, rows.dtype)
    if not len(ids):
        return result
    wide = rows.astype(np.float32) if rows.dtype in NARROW_FLOATS else rows
    starts = np.flatnonzero(np.concatenate([[True], ids[1:] != ids[:-1]]))
    result[ids[starts]] = combine.reduceat(wide, starts, axis=0, dtype=wide.dtype)
    return result


def _sorted_segments_of(name: str, combine: np.ufunc, empty: int, data: Array, segment_ids: Array) -> Array:
    _check_sorted(data, segment_ids, name)
    return _reduced(combine, empty, data, segment_ids, int(segment_ids[-1]) + 1 if len(segment_ids) else 0)


def _check_sorted(data: Array, ids: Array, name: str) -> None:
    if data.ndim == 0:
        raise invalid(f"{name}: data must be at least rank 1, got a scalar.")
    if ids.ndim != 1 or len(ids) != len(data):
        raise invalid(
            f"{name}: segment_ids must have one id for each row of data, got data {data.shape} and "
            f"segment_ids {ids.shape}."
        )
    if len(ids) and ids[0] < 0:
        raise invalid(f"{name}: segment id {ids[0]} is negative. Only unsorted_segment_* leave out negative ids.")
    if (ids[1:] < ids[:-1]).any():
        raise invalid(f"{name}: segment ids are not increasing. Use tf.math.unsorted_{name} for ids in any order.")


def _segment_mean(data: Array, segment_ids: Array) -> Array:
    if data.dtype in NARROW_FLOATS:
        return _segment_mean(data.astype(np.float32), segment_ids).astype(data.dtype)
    total = _SUM(data, segment_ids)
    sizes = np.maximum(np.bincount(segment_ids), 1).reshape(-1, *(1,) * (data.ndim - 1))
    if data.dtype.kind in "iu":
        return np.asarray(np.trunc(total / sizes)).astype(data.dtype)
    return np.asarray(total / sizes.astype(data.dtype))


_SUM = partial(_sorted_segments_of, "segment_sum", np.add, 0)


def _unsorted_kernel(name: str, combine: np.ufunc, empty: object) -> Rule:
    def kernel(data: Array, segment_ids: Array, num_segments: int) -> Array:
        rank = segment_ids.ndim
        if data.shape[:rank] != segment_ids.shape:
            raise invalid(f"{name}: data {data.shape} must begin with the shape of segment_ids, {segment_ids.shape}.")
        if num_segments < 0:
            raise invalid(f"{name}: num_segments must not be negative, got {num_segments}.")
        ids, rows = segment_ids.reshape(-1), data.reshape(segment_ids.size, *data.shape[rank:])
        if ids.size and ids.max() >= num_segments:
            raise invalid(f"{name}: segment id {ids.max()} is not in [0, {num_segments}).")
        if ids.size and ids.min() < 0:
            kept = ids >= 0
            ids, rows = ids[kept], rows[kept]
        return _reduced(combine, empty(data.dtype) if callable(empty) else empty, rows, ids, num_segments)

    return kernel


def _lowest(dtype: np.dtype[Any]) -> Any:
    return _limits(dtype).min


def _highest(dtype: np.dtype[Any]) -> Any:
    return _limits(dtype).max


def _limits(dtype: np.dtype[Any]) -> Any:
    return np.iinfo(dtype) if dtype.kind in "iu" else ml_dtypes.finfo(dtype)  # type: ignore[no-untyped-call]


# --- segments in order --------------------------------------------------------------------------------------


def _sorted_segments(data: Abstract, segment_ids: Abstract) -> Shape:
    """The last id determines the number of rows."""
    matched(data.shape[0], segment_ids.of_rank(1)[0], "rows and ids,")
    return (UNKNOWN, *data.shape[1:])


def segment_rows(data: Abstract, segment_ids: Abstract, *, num_segments: object, **_: object) -> Shape:
    """A row for each segment, in place of the axes of the ids."""
    matched_sizes(data.shape[: segment_ids.ndim], segment_ids.shape, "rows and ids,")
    return (natural(num_segments), *data.shape[segment_ids.ndim :])


@op(eager=_SUM, dtypes=NUMERIC, other={"segment_ids": INDEX}, shape=_sorted_segments)
def segment_sum(xp: Namespace, data: Array, segment_ids: Array) -> Any:
    """The sum of each segment; 0 for ids that are skipped.

    >>> import gradtape as tf
    >>> tf.math.segment_sum([1.0, 2.0, 5.0], [0, 0, 1]).numpy()
    array([3., 5.], dtype=float32)
    """
    return _SUM(data, segment_ids)


@op(eager=_segment_mean, dtypes=NUMERIC, other={"segment_ids": INDEX}, shape=_sorted_segments)
def segment_mean(xp: Namespace, data: Array, segment_ids: Array) -> Any:
    """The mean of each segment; 0 for ids that are skipped.

    >>> import gradtape as tf
    >>> tf.math.segment_mean([1.0, 2.0, 5.0], [0, 0, 1]).numpy()
    array([1.5, 5. ], dtype=float32)
    """
    return _segment_mean(data, segment_ids)


@op(dtypes=NUMERIC, other={"segment_ids": INDEX}, shape=_sorted_segments)
def segment_prod(xp: Namespace, data: Array, segment_ids: Array) -> Any:
    """The product of each segment; 1 for ids that are skipped.

    >>> import gradtape as tf
    >>> tf.math.segment_prod([1.0, 2.0, 5.0], [0, 0, 1]).numpy()
    array([2., 5.], dtype=float32)
    """
    return _sorted_segments_of("segment_prod", np.multiply, 1, data, segment_ids)


@op(dtypes=REAL, other={"segment_ids": INDEX}, shape=_sorted_segments)
def segment_max(xp: Namespace, data: Array, segment_ids: Array) -> Any:
    """The largest element of each segment; 0 for ids that are skipped. Ties share the derivative equally.

    >>> import gradtape as tf
    >>> tf.math.segment_max([1.0, 2.0, 5.0], [0, 0, 1]).numpy()
    array([2., 5.], dtype=float32)
    """
    return _sorted_segments_of("segment_max", np.maximum, 0, data, segment_ids)


@op(dtypes=REAL, other={"segment_ids": INDEX}, shape=_sorted_segments)
def segment_min(xp: Namespace, data: Array, segment_ids: Array) -> Any:
    """The smallest element of each segment; 0 for ids that are skipped. Ties share the derivative equally.

    >>> import gradtape as tf
    >>> tf.math.segment_min([1.0, 2.0, 5.0], [0, 0, 1]).numpy()
    array([1., 5.], dtype=float32)
    """
    return _sorted_segments_of("segment_min", np.minimum, 0, data, segment_ids)


for _op in (segment_sum, segment_mean, segment_prod, segment_max, segment_min):
    _op.host_only("the last id says how many rows there are")


# --- segments in any order ----------------------------------------------------------------------------------


@op(
    eager=_unsorted_kernel("unsorted_segment_sum", np.add, 0),
    dtypes=NUMERIC,
    other={"segment_ids": _IDS},
    shape=segment_rows,
)
def unsorted_segment_sum(xp: Any, data: Any, segment_ids: Any, *, num_segments: int) -> Any:
    """The sum of each segment; 0 for empty ones."""
    return _start(xp, data, segment_ids, num_segments, 0).add(widened(data))


@op(
    eager=_unsorted_kernel("unsorted_segment_prod", np.multiply, 1),
    dtypes=NUMERIC,
    other={"segment_ids": _IDS},
    shape=segment_rows,
)
def unsorted_segment_prod(xp: Any, data: Any, segment_ids: Any, *, num_segments: int) -> Any:
    """The product of each segment; 1 for empty ones."""
    return _start(xp, data, segment_ids, num_segments, 1).multiply(widened(data))


@op(
    eager=_unsorted_kernel("unsorted_segment_max", np.maximum, _lowest),
    dtypes=REAL,
    other={"segment_ids": _IDS},
    shape=segment_rows,
)
def unsorted_segment_max(xp: Any, data: Any, segment_ids: Any, *, num_segments: int) -> Any:
    """The largest element of each segment; the lowest finite number for empty ones. Ties share the derivative equally."""
    return _start(xp, data, segment_ids, num_segments, _lowest(data.dtype)).max(widened(data))


@op(
    eager=_unsorted_kernel("unsorted_segment_min", np.minimum, _highest),
    dtypes=REAL,
    other={"segment_ids": _IDS},
    shape=segment_rows,
)
def unsorted_segment_min(xp: Any, data: Any, segment_ids: Any, *, num_segments: int) -> Any:
    """The smallest element of each segment; the highest finite number for empty ones. Ties share the derivative equally."""
    return _start(xp, data, segment_ids, num_segments, _highest(data.dtype)).min(widened(data))


def _start(xp: Any, data: Any, segment_ids: Any, num_segments: int, empty: Any) -> Any:
    """What jax updates by the rows: a row for each segment, at the ids that exist."""
    rows = xp.full((num_segments, *data.shape[segment_ids.ndim :]), empty, widened(data).dtype)
    return rows.at[existing(xp, segment_ids, num_segments)]


# --- derivatives --------------------------------------------------------------------------------------------


def spread(values: Value, ids: Value) -> Any:
    """The row of `values` that belongs to each id; zeros for negative ids."""
    known = ids._array if ids.__class__ is EagerTensor else ids if isinstance(ids, np.ndarray | np.generic) else None
    if known is not None and (not known.size or known.min() >= 0):
        return take(values, ids, axis=0, batch_dims=0)
    count, rank = shape_of(values)[0], rank_of(values)
    more = pad_constant(values, paddings=((0, 1), *((0, 0),) * (rank - 1)), constant_values=0)
    wide = convert(ids, dtype=np.dtype(np.int64))
    return take(more, select(less(wide, 0), count + zeros_like(wide), wide), axis=0, batch_dims=0)


def _sum(values: Value, ids: Value, num_segments: int | None) -> Any:
    if num_segments is None:
        return segment_sum(values, ids)
    return unsorted_segment_sum(values, ids, num_segments=num_segments)


def _product(values: Value, ids: Value, num_segments: int | None) -> Any:
    if num_segments is None:
        return segment_prod(values, ids)
    return unsorted_segment_prod(values, ids, num_segments=num_segments)


def _sizes(ids: Value, like: Value) -> Array:
    """How many rows each segment has, at least 1, in a shape and type to divide `like` by."""
    counts = np.maximum(np.bincount(np.asarray(ids)), 1)
    return counts.reshape(-1, *(1,) * (rank_of(like) - 1)).astype(numpy_type(like))


def _chosen(data: Value, ids: Value, out: Value, like: Value, num_segments: int | None) -> tuple[Any, Any]:
    """1 for each element that is its segment's extreme, 0 for others; and how many there are."""
    chosen = convert(equal(data, spread(out, ids)), dtype=numpy_type(like))
    return chosen, maximum(_sum(chosen, ids, num_segments), 1.0)


def _partials(data: Value, ids: Value, out: Value, num_segments: int | None) -> Any:
    """d product / d element as in TensorFlow: by division, or the product of the others if the element is zero."""
    is_zero = equal(data, 0)
    others = select(is_zero, ones_like(data), data)
    zeros = _sum(convert(is_zero, dtype=np.dtype(np.int64)), ids, num_segments)
    product = _product(others, ids, num_segments)
    alone = select(greater(zeros, 1), zeros_like(product), product)
    return select(is_zero, spread(alone, ids), spread(out, ids) / others)


def _extreme_vjp(g: Value, data: Value, segment_ids: Value, out: Value, num_segments: int | None) -> Any:
    chosen, ties = _chosen(data, segment_ids, out, g, num_segments)
    return chosen * spread(g / ties, segment_ids)


def _extreme_jvp(t: Value, data: Value, segment_ids: Value, out: Value, num_segments: int | None) -> Any:
    chosen, ties = _chosen(data, segment_ids, out, t, num_segments)
    return _sum(t * chosen, segment_ids, num_segments) / ties


@segment_sum.vjp("data")
def _(g: Cotangent, segment_ids: Value) -> Any:
    return spread(g, segment_ids)


@segment_mean.vjp("data")
def _(g: Cotangent, segment_ids: Value) -> Any:
    return spread(g / _sizes(segment_ids, g), segment_ids) if shape_of(segment_ids)[0] else spread(g, segment_ids)


@segment_prod.vjp("data")
def _(g: Cotangent, data: Value, segment_ids: Value, out: Value) -> Any:
    return spread(g, segment_ids) * conj(_partials(data, segment_ids, out, None))


@segment_prod.jvp("data")
def _(t: Tangent, data: Value, segment_ids: Value, out: Value) -> Any:
    return segment_sum(t * _partials(data, segment_ids, out, None), segment_ids)


@unsorted_segment_sum.vjp("data")
def _(g: Cotangent, segment_ids: Value) -> Any:
    return spread(g, segment_ids)


@unsorted_segment_prod.vjp("data")
def _(g: Cotangent, data: Value, segment_ids: Value, out: Value, num_segments: int) -> Any:
    return spread(g, segment_ids) * conj(_partials(data, segment_ids, out, num_segments))


@unsorted_segment_prod.jvp("data")
def _(t: Tangent, data: Value, segment_ids: Value, out: Value, num_segments: int) -> Any:
    return _sum(t * _partials(data, segment_ids, out, num_segments), segment_ids, num_segments)


for _op in (segment_sum, segment_mean, unsorted_segment_sum):
    _op.linear("data")

for _op in (segment_max, segment_min):

    @_op.vjp("data")
    def _(g: Cotangent, data: Value, segment_ids: Value, out: Value) -> Any:
        return _extreme_vjp(g, data, segment_ids, out, None)

    @_op.jvp("data")
    def _(t: Tangent, data: Value, segment_ids: Value, out: Value) -> Any:
        return _extreme_jvp(t, data, segment_ids, out, None)


for _op in (unsorted_segment_max, unsorted_segment_min):
    _op.vjp("data")(_extreme_vjp)
    _op.jvp("data")(_extreme_jvp)


# --- batching -----------------------------------------------------------------------------------------------


def _batched(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    data, ids = args
    if not is_batched[1]:  # the batch becomes an axis of the rows
        rank, depth = rank_of(data), rank_of(ids)
        moved = permute(data, perm=(*range(1, depth + 1), 0, *range(depth + 1, rank)))
        result = op(moved, ids, **attributes)
        return permute(result, perm=(1, 0, *range(2, rank_of(result))))
    if "num_segments" not in attributes:
        raise UnimplementedError(
            None,
            None,
            f"{op.name}: how many segments there are differs within a batch. Use tf.math.unsorted_{op.name}.",
        )
    count = attributes["num_segments"]
    size, (data, ids) = all_batched(is_batched, args)
    wide = convert(ids, dtype=np.dtype(np.int64))
    entry = np.arange(size).reshape(size, *(1,) * (rank_of(ids) - 1)) * count
    outside = zeros_like(wide) + size * count  # an id out of range stays out of range
    own = select(less(wide, 0), wide, select(less(wide, count), wide + entry, outside))
    result = op(data, own, num_segments=size * count)
    return reshape(result, shape=(size, count, *shape_of(result)[1:]))


# --- samples ------------------------------------------------------------------------------------------------

_SORTED: list[tuple[tuple[int, ...], list[int]]] = [
    ((4,), [0, 0, 1, 1]), ((4,), [0, 1, 2, 3]), ((4,), [0, 0, 0, 0]), ((3,), [0, 2, 2]), ((3,), [1, 1, 4]),
    ((3, 2), [0, 0, 1]), ((3, 2), [2, 2, 2]),
    ((1,), [0]), ((1, 3), [1]), ((0,), []), ((0, 2), []), ((3, 2, 2), [0, 1, 1]), ((3, 0), [0, 1, 1]),
    ((5, 1), [0, 0, 2, 2, 2]),
]  # fmt: skip
_UNSORTED: list[tuple[tuple[int, ...], Any, int]] = [
    ((4,), [1, 0, 1, 0], 2), ((4,), [3, 1, 2, 0], 4), ((4,), [0, 0, 0, 0], 1), ((3,), [2, -1, 2], 4),
    ((3,), [-1, -1, -1], 2), ((3, 2), [1, 0, 1], 3),
    ((3, 2), [[0, 1], [1, 0], [-1, 1]], 2), ((2,), 1, 3), ((), 0, 2), ((0,), [], 2), ((0, 2), [], 0),
    ((3, 2, 2), [2, 0, 2], 3), ((3, 0), [1, 0, 1], 2),
    ((2, 2, 3), [[0, 2], [2, 2]], 3), ((3,), [-1, -2, -1], 0),
]  # fmt: skip
# Extremes of empty segments are the bounds of a type: they are tested by themselves.
_WITHOUT_EMPTY: list[tuple[tuple[int, ...], Any, int]] = [
    ((4,), [1, 0, 1, 0], 2), ((4,), [3, 1, 2, 0], 4), ((4,), [0, 0, 0, 0], 1), ((3,), [1, -1, 0], 2),
    ((3, 2), [1, 0, 1], 2), ((1,), [0], 1),
    ((3, 2), [[0, 1], [1, 0], [-1, 1]], 2), ((2,), 0, 1), ((), 0, 1), ((0,), [], 0),
    ((3, 2, 2), [1, 0, 1], 2), ((3, 0), [1, 0, 1], 2),
    ((2, 2, 3), [[0, 2], [1, 2]], 3), ((3,), [-1, -2, -1], 0),
]  # fmt: skip
_SORTED_OPS = (segment_sum, segment_mean, segment_prod, segment_max, segment_min)
_UNSORTED_OPS = (unsorted_segment_sum, unsorted_segment_prod, unsorted_segment_max, unsorted_segment_min)

for _op in (*_SORTED_OPS, *_UNSORTED_OPS):
    _op.batching = _batched

for _op in _SORTED_OPS:

    @_op.samples
    def _(draw: Draw) -> Iterator[Sample]:
        for shape, ids in _SORTED:
            yield Sample((draw(shape, 0.3, 2.0), np.array(ids, np.int32)))

    @_op.rejects
    def _() -> Iterator[BadInput]:
        x = np.ones((3, 2), np.float32)
        for ids in (
            [1, 0, 2],
            [-1, 0, 1],
            [0, 1],
            [0, 0, 1, 1],
            [[0, 0], [1, 1], [1, 1]],
            0,
            [0, 2, 1],
            [-5, -5, -5],
        ):
            yield BadInput("one id a row, in increasing order from 0 on", (x, np.array(ids, np.int32)))
        yield BadInput("ids are integers", (x, np.array([0.0, 0.0, 1.0], np.float32)))
        yield BadInput("a scalar has no rows", (np.float32(1), np.array(0, np.int32)))
        huge = np.array([0, 0, 2**50], np.int64)
        yield BadInput("no memory for all ids up to the last", (x, huge), {}, ResourceExhaustedError)


def _sample_unsorted(reduction: Op, cases: list[tuple[tuple[int, ...], Any, int]]) -> None:
    @reduction.samples
    def _(draw: Draw) -> Iterator[Sample]:
        for shape, ids, count in cases:
            yield Sample((draw(shape, 0.3, 2.0), np.array(ids, np.int32)), {"num_segments": count})


for _op in _UNSORTED_OPS:
    _sample_unsorted(_op, _UNSORTED if _op in (unsorted_segment_sum, unsorted_segment_prod) else _WITHOUT_EMPTY)

    @_op.rejects
    def _() -> Iterator[BadInput]:
        x = np.ones((3, 2), np.float32)
        for ids, count in [
            ([0, 1, 2], 2), ([0, 1], 2), ([[0, 1, 0]], 2), ([0, 0, 0], -1), ([0, 0, 0], 0),
            ([2**31 - 1, 0, 0], 3),
            ([0, 0, 0], -(2**40)),
        ]:  # fmt: skip
            why = "ids are below num_segments, their shape begins that of data"
            yield BadInput(why, (x, np.array(ids, np.int32)), {"num_segments": count})
        yield BadInput("ids are integers", (x, np.array([0.0, 0.0, 1.0], np.float32)), {"num_segments": 2})
        huge = {"num_segments": 2**50}
        yield BadInput(
            "no memory for that many segments",
            (x, np.array([0, 0, 1], np.int32)),
            huge,
            ResourceExhaustedError,
        )


def _reference(combine: Any, empty: object) -> Rule:
    def value(data: Array, segment_ids: Array, **attributes: Any) -> Array:
        segments = attributes["num_segments"] if attributes else max(segment_ids.tolist(), default=-1) + 1
        result = np.full((segments, *data.shape[segment_ids.ndim :]), empty, np.float64)
        for segment in range(segments):
            rows = data[segment_ids == segment]
            if len(rows):
                result[segment] = combine(rows, axis=0)
        return result

    return value


for _op, _combine, _empty in [
    (segment_sum, np.sum, 0), (segment_mean, np.mean, 0), (segment_prod, np.prod, 1),
    (segment_max, np.max, 0), (segment_min, np.min, 0),
    (unsorted_segment_sum, np.sum, 0), (unsorted_segment_prod, np.prod, 1),
    (unsorted_segment_max, np.max, np.finfo(np.float64).min),
    (unsorted_segment_min, np.min, np.finfo(np.float64).max),
]:  # fmt: skip
    _op.value(_reference(_combine, _empty))


# --- counts -------------------------------------------------------------------------------------------------


def _count_bins(arr: Array, size: int, by_row: bool, binary: bool, dtype: np.dtype[Any]) -> Array:
    if size < 0:
        raise invalid(f"bincount: the number of bins must not be negative, got {size}.")
    if by_row and arr.ndim != 2:
        raise invalid(f"bincount: rows are counted in a tensor with two axes, got shape {arr.shape}.")
    if arr.size and arr.min() < 0:
        raise invalid(f"bincount: values must not be negative, got {arr.min()}.")
    rows = len(arr) if by_row else 1
    if has_too_many((rows, size), MOST_COUNTS):
        raise ResourceExhaustedError(None, None, f"bincount: {rows} rows of {size} bins are too many.")
    offsets = np.arange(rows).reshape(rows, 1) * size
    places = arr.reshape(rows, arr.size // rows if rows else 0).astype(np.int64)
    counts = np.bincount((places + offsets)[places < size], minlength=rows * size)
    counts = counts.reshape(rows, size) if by_row else counts
    return ((counts > 0) if binary else counts).astype(dtype)


@op(eager=_count_bins, dtypes=INDEX, tf_name="DenseBincount", gives=typed_by("dtype"), called="bincount")
def count_bins(
    xp: Namespace, arr: Array, *, size: int, by_row: bool = False, binary: bool = False, dtype: object = _INT32
) -> Any:
    """How often each of 0, 1, ..., size - 1 occurs (with `binary`: whether), in all or in each row."""
    hot = arr[..., None] == xp.arange(size)
    axes = 1 if by_row else tuple(range(arr.ndim))
    return (hot.any(axis=axes) if binary else hot.sum(axis=axes)).astype(dtype)


@count_bins.shapes
def _(arr: Abstract, *, size: object, by_row: object, **_: object) -> Shape:
    return (arr.of_rank(2)[0], natural(size)) if by_row else (natural(size),)


count_bins.not_differentiable("its operand is an integer")


@count_bins.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    (arr,) = args
    shape = shape_of(arr)
    lead = shape[:2] if attributes["by_row"] else shape[:1]
    rows, length = (int(np.prod(part, dtype=np.int64)) for part in (lead, shape[len(lead) :]))
    counts = count_bins(reshape(arr, shape=(rows, length)), **{**attributes, "by_row": True})
    return reshape(counts, shape=(*lead, attributes["size"]))


@count_bins.samples
def _(draw: Draw) -> Iterator[Sample]:
    for values, size, by_row, binary in [
        ([1, 1, 2, 5], 6, False, False), ([1, 1, 5], 3, False, True), (3, 4, False, False),
        ([], 2, False, False), ([0], 0, False, False),
        ([[1, 1], [0, 5]], 6, True, False), ([[1, 1], [0, 5]], 3, True, True),
        ([[1, 1], [0, 5]], 6, False, False),
    ]:  # fmt: skip
        yield Sample((np.array(values, np.int32),), {"size": size, "by_row": by_row, "binary": binary})


@count_bins.value
def _(arr: Array, size: int, by_row: bool, binary: bool, dtype: np.dtype[Any]) -> Array:
    hot = arr[..., None] == np.arange(size)
    counts = hot.sum(axis=1) if by_row else hot.reshape(-1, size).sum(axis=0) if size else np.zeros(0)
    return np.minimum(counts, 1) if binary else counts


@count_bins.rejects
def _() -> Iterator[BadInput]:
    for values, size, by_row in [
        ([-1, 1], 3, False),
        ([1], -1, False),
        ([1, 1], 3, True),
        ([[[1]]], 3, True),
        (0, 2, True),
    ]:
        yield BadInput(
            "integers from 0 on, bins that can be",
            (np.array(values, np.int32),),
            {"size": size, "by_row": by_row},
        )
    yield BadInput("no memory", (np.array([1], np.int32),), {"size": 2**50}, ResourceExhaustedError)
    yield BadInput("integers", (np.array([1.0], np.float32),), {"size": 2})
