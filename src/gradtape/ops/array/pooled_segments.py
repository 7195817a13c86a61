"""Segments that are averaged or normalised: sums divided by counts or their roots, optionally after a lookup, and softmax.

A segment is the set of rows that carry one id. Negative ids are left out; a segment without rows is zeros.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.dtypes import FLOATING, INDEX, INEXACT, NARROW_FLOATS, REAL, Array
from ...base.errors import invalid
from ...base.sizes import matched
from ...base.types import Cotangent, Draw, Jax, Namespace, Value
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import all_batched, numpy_type, rank_of, shape_of
from ...op.shapes import natural
from ..math.conversion import convert
from ..math.elementwise import sqrt
from ..math.logic import greater_equal, maximum, select, zeros_like
from .accumulate import add_rows
from .borders import pad_constant
from .gather import existing, put, take, widened
from .layout import permute, reshape
from .segment import segment_rows, unsorted_segment_sum


def _sizes(ids: Array, count: int, root: bool) -> Array:
    sizes = np.bincount(ids[ids >= 0].reshape(-1), minlength=count).astype(np.float64)
    return np.maximum(np.sqrt(sizes) if root else sizes, 1)


def _check_ids(name: str, rows: tuple[int, ...], ids: Array, count: int) -> None:
    if ids.shape != rows:
        raise invalid(f"{name}: one segment id for each row is needed, {rows}; got shape {ids.shape}.")
    if count < 0:
        raise invalid(f"{name}: num_segments cannot be negative, got {count}.")
    if ids.size and ids.max() >= count:
        raise invalid(f"{name}: segment id {ids.max()} is not below num_segments = {count}.")


def _pooled(rows: Array, ids: Array, count: int, divisor: Array | None) -> Any:
    wide = rows.astype(np.float32) if rows.dtype in NARROW_FLOATS else rows
    kept = ids >= 0
    if not kept.all():
        wide, ids = wide[kept], ids[kept]
    total = add_rows(wide, ids, count)
    if divisor is None:
        return total.astype(rows.dtype, copy=False)
    return (total / divisor.astype(total.real.dtype).reshape(-1, *(1,) * (total.ndim - 1))).astype(
        rows.dtype, copy=False
    )


def _scaled(g: Value, ids: Value, root: bool | None) -> Any:
    """The cotangent of each segment, divided by the segment's divisor."""
    if root is None:
        return g
    count = shape_of(g)[0]
    kind = np.dtype(np.float64)
    sizes = unsorted_segment_sum(np.ones(shape_of(ids), kind), ids, num_segments=count)
    sizes = maximum(sqrt(sizes) if root else sizes, np.ones((), kind))
    return g / reshape(convert(sizes, dtype=numpy_type(g)), shape=(count, *(1,) * (rank_of(g) - 1)))


def _rows_of(g: Value, ids: Value) -> Any:
    """For each row its segment's value, zeros for rows that are left out."""
    if not shape_of(g)[0]:
        return zeros_like(take(_one_row(g), ids * 0, axis=0, batch_dims=0))
    found = take(g, maximum(ids, zeros_like(ids)), axis=0, batch_dims=0)
    left = reshape(greater_equal(ids, zeros_like(ids)), shape=(*shape_of(ids), *(1,) * (rank_of(found) - rank_of(ids))))
    return select(left, found, zeros_like(found))


def _one_row(g: Value) -> Any:
    return pad_constant(g, paddings=((0, 1), *((0, 0),) * (rank_of(g) - 1)), constant_values=0)


# --- means of rows ------------------------------------------------------------------------------------------


def _mean_of_segments(name: str, root: bool) -> Any:
    def kernel(data: Array, segment_ids: Array, num_segments: int) -> Any:
        ids = np.asarray(segment_ids)
        _check_ids(name, data.shape[: ids.ndim], ids, num_segments)
        rows = data.reshape(ids.size, *data.shape[ids.ndim :])
        return _pooled(rows, ids.reshape(-1), num_segments, _sizes(ids, num_segments, root))

    return kernel


def _means(xp: Namespace, data: Array, ids: Array, count: int, root: bool | None) -> Any:
    """Sums of segments, divided by the number of their rows or its root, for jax."""
    total = unsorted_segment_sum.kernel(xp, widened(data), ids, num_segments=count)
    if root is None:
        return total
    sizes = unsorted_segment_sum.kernel(xp, xp.ones(ids.shape, total.real.dtype), ids, num_segments=count)
    divisor = xp.maximum(xp.sqrt(sizes) if root else sizes, 1)
    return total / divisor.reshape(-1, *(1,) * (total.ndim - 1))


@op(
    eager=_mean_of_segments("unsorted_segment_mean", False),
    dtypes=INEXACT,
    other={"segment_ids": INDEX},
    shape=segment_rows,
)
def unsorted_segment_mean(xp: Namespace, data: Array, segment_ids: Array, *, num_segments: int) -> Any:
    """The mean over the rows with each segment id, 0 where there are none."""
    return _means(xp, data, segment_ids, num_segments, False)


@op(
    eager=_mean_of_segments("unsorted_segment_sqrt_n", True),
    dtypes=INEXACT,
    other={"segment_ids": INDEX},
    shape=segment_rows,
)
def unsorted_segment_sqrt_n(xp: Namespace, data: Array, segment_ids: Array, *, num_segments: int) -> Any:
    """The sum over the rows with each segment id, divided by the square root of their number."""
    return _means(xp, data, segment_ids, num_segments, True)


@unsorted_segment_mean.vjp("data")
def _(g: Cotangent, segment_ids: Value) -> Any:
    return _rows_of(_scaled(g, segment_ids, False), segment_ids)


@unsorted_segment_sqrt_n.vjp("data")
def _(g: Cotangent, segment_ids: Value) -> Any:
    return _rows_of(_scaled(g, segment_ids, True), segment_ids)


def _batch_rows(declared: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    """The batch becomes an axis of the rows; where ids are batched, each entry gets a range of its own."""
    data, ids = args
    if not is_batched[1]:
        rank, depth = rank_of(data), rank_of(ids)
        result = declared(permute(data, perm=(*range(1, depth + 1), 0, *range(depth + 1, rank))), ids, **attributes)
        return permute(result, perm=(1, 0, *range(2, rank_of(result))))
    size, (data, ids) = all_batched(is_batched, args)
    count = attributes["num_segments"]
    offset = np.arange(size).reshape(size, *(1,) * (rank_of(ids) - 1)) * count
    kept = select(greater_equal(ids, zeros_like(ids)), ids + offset.astype(numpy_type(ids)), ids)
    result = declared(data, kept, num_segments=size * count)
    return reshape(result, shape=(size, count, *shape_of(result)[1:]))


_UNSORTED: list[tuple[tuple[int, ...], Any, int]] = [
    ((4,), [0, 1, 0, 2], 3), ((3, 2), [1, 1, 0], 2), ((4,), [0, -1, 2, 0], 4), ((2, 3), [[0, 1, 0], [1, 1, 2]], 3), ((2, 2, 3), [0, 0], 1),
    ((1,), [0], 1), ((0,), [], 2), ((5,), [3, 3, 3, 0, 1], 5), ((3, 1), [2, 0, 2], 3), ((2, 2), [[0, 0], [0, 0]], 2), ((3, 2, 2), [1, 0, -1], 2),
    ((6,), [0, 1, 2, 0, 1, 2], 3),
]  # fmt: skip

for _op in (unsorted_segment_mean, unsorted_segment_sqrt_n):
    _op.linear("data")
    _op.batching = _batch_rows

    @_op.samples
    def _(draw: Draw) -> Iterator[Sample]:
        for shape, ids, count in _UNSORTED:
            yield Sample((draw(shape), np.array(ids, np.int32)), {"num_segments": count})

    @_op.rejects
    def _() -> Iterator[BadInput]:
        x = np.ones((3, 2), np.float32)
        for ids, count in [([0, 1], 2), ([0, 1, 2], 2), ([0, 0, 0], -1), ([[0], [0], [0]], 1), ([0, 1, 2, 3], 4)]:
            yield BadInput("ids below the number of segments", (x, np.array(ids, np.int32)), {"num_segments": count})
        yield BadInput("ids are integers", (x, np.ones(3, np.float32)), {"num_segments": 2})


def _listed(rows: Array, ids: Array, count: int, power: float) -> Any:
    result = np.zeros((count, *rows.shape[1:]), rows.dtype)
    for segment in range(count):
        own = [row for row, i in zip(rows, ids, strict=True) if i == segment]
        if own:
            result[segment] = sum(own) / len(own) ** power
    return result


def _reference(power: float) -> Any:
    def value(data: Array, segment_ids: Array, num_segments: int) -> Any:
        rows = data.reshape(segment_ids.size, *data.shape[segment_ids.ndim :])
        return _listed(rows, segment_ids.reshape(-1), num_segments, power)

    return value


unsorted_segment_mean.value(_reference(1.0))
unsorted_segment_sqrt_n.value(_reference(0.5))

# --- with a lookup before -----------------------------------------------------------------------------------


def _looked_up(name: str, root: bool | None, data: Array, indices: Array, segment_ids: Array, num_segments: int) -> Any:
    if not data.ndim or indices.ndim != 1:
        raise invalid(f"{name}: rows of data and a vector of indices are needed, got {data.shape}, {indices.shape}.")
    _check_ids(name, indices.shape, segment_ids, num_segments)
    if indices.size and (indices.min() < 0 or indices.max() >= len(data)):
        raise invalid(f"{name}: indices must be in [0, {len(data)}), got {indices.tolist()}.")
    divisor = None if root is None else _sizes(segment_ids, num_segments, root)
    return _pooled(data[indices], segment_ids, num_segments, divisor)


_LOOKUP: Any = {"other": {"indices": INDEX, "segment_ids": INDEX}}


def _looked_up_rows(data: Abstract, indices: Abstract, segment_ids: Abstract, *, num_segments: object) -> Shape:
    matched(indices.of_rank(1)[0], segment_ids.of_rank(1)[0], "rows and ids,")
    return (natural(num_segments), *data.shape[1:])


@op(dtypes=REAL, tf_name="SparseSegmentSumWithNumSegments", **_LOOKUP, shape=_looked_up_rows)
def sparse_segment_sum(xp: Namespace, data: Array, indices: Array, segment_ids: Array, *, num_segments: int) -> Any:
    """The sums of the rows `data[indices]` that share a segment."""
    return _looked_up("sparse_segment_sum", None, data, indices, segment_ids, num_segments)


@op(dtypes=FLOATING, tf_name="SparseSegmentMeanWithNumSegments", **_LOOKUP, shape=_looked_up_rows)
def sparse_segment_mean(xp: Namespace, data: Array, indices: Array, segment_ids: Array, *, num_segments: int) -> Any:
    """The means of the rows `data[indices]` that share a segment."""
    return _looked_up("sparse_segment_mean", False, data, indices, segment_ids, num_segments)


@op(dtypes=FLOATING, tf_name="SparseSegmentSqrtNWithNumSegments", **_LOOKUP, shape=_looked_up_rows)
def sparse_segment_sqrt_n(xp: Namespace, data: Array, indices: Array, segment_ids: Array, *, num_segments: int) -> Any:
    """The sums of the rows `data[indices]` that share a segment, divided by the root of their number."""
    return _looked_up("sparse_segment_sqrt_n", True, data, indices, segment_ids, num_segments)


def _declare_lookup(declared: Op, root: bool | None) -> None:
    declared.linear("data")

    @declared.xla
    def _(jax: Jax, data: Array, indices: Array, segment_ids: Array, *, num_segments: int) -> Any:
        places = existing(jax.numpy, indices, len(data))
        rows = jax.numpy.take(data, places, axis=0, mode="fill", fill_value=0)
        return _means(jax.numpy, rows, segment_ids, num_segments, root)

    @declared.vjp("data")
    def _(g: Cotangent, indices: Value, segment_ids: Value, data_shape: tuple[int, ...]) -> Any:
        rows = _rows_of(_scaled(g, segment_ids, root), segment_ids)
        return put(rows, indices, shape=data_shape, axis=0, batch_dims=0)

    @declared.batched
    def _(own: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
        data, indices, ids = args
        if is_batched[1] or is_batched[2]:
            raise invalid(f"{own.name}: in a batch the indices and segments must be the same for all entries.")
        moved = permute(data, perm=(1, 0, *range(2, rank_of(data))))
        result = own(moved, indices, ids, **attributes)
        return permute(result, perm=(1, 0, *range(2, rank_of(result))))

    @declared.samples
    def _(draw: Draw) -> Iterator[Sample]:
        for shape, places, ids, count in [
            ((3, 2), [0, 2, 2], [0, 0, 1], 2), ((4,), [1, 1, 3], [0, 1, 1], 3), ((2, 3), [0], [0], 1), ((5, 1), [4, 0, 1, 4], [0, 1, 1, 2], 4),
            ((3, 2, 2), [1, 2], [0, 0], 1), ((2,), [], [], 2), ((1,), [0, 0, 0], [0, 0, 1], 2), ((4, 2), [3, 2, 1, 0], [0, 0, 0, 0], 1),
            ((6,), [5, 1], [1, 3], 5), ((2, 2), [0, 1], [0, 1], 2), ((3,), [2, 2], [0, 0], 1), ((3, 1), [0, 1, 2], [0, 2, 2], 3),
        ]:  # fmt: skip
            yield Sample((draw(shape), np.array(places, np.int32), np.array(ids, np.int32)), {"num_segments": count})

    @declared.value
    def _(data: Array, indices: Array, segment_ids: Array, num_segments: int) -> Any:
        return _listed(data[indices], segment_ids, num_segments, {None: 0.0, False: 1.0, True: 0.5}[root])

    @declared.rejects
    def _() -> Iterator[BadInput]:
        x = np.ones((3, 2), np.float32)
        for places, ids, count in [([3], [0], 1), ([-1], [0], 1), ([0, 1], [0], 1), ([0], [1], 1), ([[0]], [[0]], 1)]:
            arrays = (np.array(places, np.int32), np.array(ids, np.int32))
            yield BadInput("rows and segments that exist", (x, *arrays), {"num_segments": count})


_declare_lookup(sparse_segment_sum, None)
_declare_lookup(sparse_segment_mean, False)
_declare_lookup(sparse_segment_sqrt_n, True)

# --- softmax within segments --------------------------------------------------------------------------------


@op(dtypes=FLOATING, other={"segment_ids": INDEX}, tf_name="SparseSoftmax")
def segment_softmax(xp: Namespace, values: Array, segment_ids: Array, *, num_segments: int) -> Any:
    """Softmax over the values that share a segment."""
    if values.ndim != 1:
        raise invalid(f"segment_softmax: a vector of values is needed, got shape {values.shape}.")
    ids = np.asarray(segment_ids)
    _check_ids("segment_softmax", values.shape, ids, num_segments)
    if ids.size and ids.min() < 0:
        raise invalid("segment_softmax: segment ids cannot be negative.")
    wide = values.astype(np.float32) if values.dtype in NARROW_FLOATS else values
    largest = np.full(num_segments, -np.inf, wide.dtype)
    np.maximum.at(largest, ids, wide)
    powers = np.exp(wide - largest[ids])
    totals = np.bincount(ids, powers, num_segments).astype(wide.dtype)
    return (powers / totals[ids]).astype(values.dtype, copy=False)


@segment_softmax.xla
def _(jax: Jax, values: Array, segment_ids: Array, *, num_segments: int) -> Any:
    wide = widened(values)
    ids = existing(jax.numpy, segment_ids, num_segments)
    largest = jax.numpy.full(num_segments, -jax.numpy.inf, wide.dtype).at[ids].max(wide)
    powers = jax.numpy.exp(wide - largest[ids])
    return powers / jax.numpy.zeros(num_segments, wide.dtype).at[ids].add(powers)[ids]


@segment_softmax.shapes
def _(values: Abstract, segment_ids: Abstract, *, num_segments: object) -> Shape:
    return (matched(values.of_rank(1)[0], segment_ids.of_rank(1)[0], "values and ids,"),)


def _through_softmax(t: Any, segment_ids: Any, out: Any, num_segments: int) -> Any:
    weighted = t * out
    totals = unsorted_segment_sum(weighted, segment_ids, num_segments=num_segments)
    return weighted - take(totals, segment_ids, axis=0, batch_dims=0) * out


segment_softmax.vjp("values")(_through_softmax)
segment_softmax.jvp("values")(_through_softmax)


@segment_softmax.batched
def _(declared: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    size, (values, ids) = all_batched(is_batched, args)
    count, length = attributes["num_segments"], shape_of(values)[1]
    offset = (np.arange(size) * count).astype(numpy_type(ids))[:, None]
    flat = reshape(ids + offset, shape=(size * length,))
    return reshape(
        declared(reshape(values, shape=(size * length,)), flat, num_segments=size * count), shape=(size, length)
    )


@segment_softmax.samples
def _(draw: Draw) -> Iterator[Sample]:
    for ids, count in [
        ([0, 0, 1], 2), ([0], 1), ([], 1), ([1, 0, 1, 0], 2), ([2, 2, 2], 3), ([0, 1, 2], 3), ([0, 0, 0, 0], 1), ([3, 1, 3, 1, 0], 4), ([0, 0], 5),
        ([1, 1, 0, 0, 1], 2), ([4], 5), ([0, 1, 0, 1, 0, 1], 2),
    ]:  # fmt: skip
        yield Sample((draw((len(ids),)), np.array(ids, np.int32)), {"num_segments": count})


@segment_softmax.value
def _(values: Array, segment_ids: Array, num_segments: int) -> Any:
    powers = np.exp(values)
    return np.array([p / powers[segment_ids == i].sum() for p, i in zip(powers, segment_ids, strict=True)])


@segment_softmax.rejects
def _() -> Iterator[BadInput]:
    x = np.ones(3, np.float32)
    for ids, count in [([0, 1], 2), ([0, 1, 2], 2), ([0, -1, 0], 2), ([[0, 0, 0]], 1)]:
        yield BadInput("one segment for each value", (x, np.array(ids, np.int32)), {"num_segments": count})
    yield BadInput("a vector", (np.ones((3, 1), np.float32), np.zeros((3, 1), np.int32)), {"num_segments": 1})
