"""Ops that find, count and number values: unique, searchsorted, histograms, buckets, positions (unravel_index), membership
(isin, list_diff).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from ...base.dtypes import ANY, INDEX, REAL, Array
from ...base.errors import invalid, unfit
from ...base.sizes import UNKNOWN
from ...base.types import Draw, Namespace, Value
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import all_batched, batch_elementwise, not_tensors
from ...op.shapes import fixed, like, matched_sizes, natural, typed_by, unknown_rest

_INT32 = np.dtype(np.int32)
_WIDE = frozenset(np.dtype(t) for t in (np.float32, np.float64, np.int32, np.int64))


def _index_type(dtype: np.dtype[Any], name: str) -> Any:
    if dtype not in INDEX:
        raise invalid(f"{name}: the type of positions and counts must be int32 or int64, got {dtype}.")
    return dtype


# --- unique ----------------------------------------------------------------------------------------------------------


def _unique(x: Array, dtype: np.dtype[Any]) -> list[Array]:
    x = np.asarray(x)
    if x.ndim != 1:
        raise invalid(f"unique: a vector is needed, got shape {x.shape}. Use tf.reshape(x, [-1]).")
    # NumPy sorts; TensorFlow keeps the order of first appearance. Every nan is a value of its own in both.
    values, first, inverse, counts = np.unique(
        x, return_index=True, return_inverse=True, return_counts=True, equal_nan=False
    )
    order = np.argsort(first, kind="stable")
    place = np.empty(order.size, np.int64)
    place[order] = np.arange(order.size)
    kind = _index_type(dtype, "unique")
    return [values[order], place[inverse.reshape(-1)].astype(kind), counts[order].astype(kind)]


@op(dtypes=ANY, outputs=2, gives=typed_by(None, "dtype"))
def unique(xp: Namespace, x: Array, *, dtype: Any = _INT32) -> Any:
    """The different values of a vector in order of first appearance, and for each element which of them it is."""
    return _unique(x, dtype)[:2]


@unique.shapes
def _(x: Abstract, **_: object) -> list[Shape]:
    return [(UNKNOWN,), x.of_rank(1)]


@op(dtypes=ANY, outputs=3, gives=typed_by(None, "dtype", "dtype"))
def unique_with_counts(xp: Namespace, x: Array, *, dtype: Any = _INT32) -> Any:
    """The different values of a vector, for each element which of them it is, and how often each occurs."""
    return _unique(x, dtype)


@unique_with_counts.shapes
def _(x: Abstract, **_: object) -> list[Shape]:
    return [(UNKNOWN,), x.of_rank(1), (UNKNOWN,)]


def _written_out(x: Array, dtype: np.dtype[Any]) -> list[Any]:
    seen: list[Any] = []
    numbers = []
    for value in np.asarray(x).tolist():
        if value not in seen:
            seen.append(value)
        numbers.append(seen.index(value))
    counts = [numbers.count(n) for n in range(len(seen))]
    return [np.array(seen, np.asarray(x).dtype), np.array(numbers, dtype), np.array(counts, dtype)]


for _op in (unique, unique_with_counts):
    _op.not_differentiable("which values there are, and how many, depends on the values", lookup_error=True)
    _op.host_only("how many different values there are depends on the values")

    @_op.samples
    def _(draw: Draw) -> Iterator[Sample]:
        for values in [[1, 1, 2, 4, 4, 4, 7, 8, 8], [3], [], [2, 1, 2, 1], [5, 4, 3], [0, -0.0, 1]]:
            yield Sample((np.array(values, np.float64),), {"dtype": np.dtype(np.int64)})
            yield Sample((np.array(values, np.int32),))

    @_op.rejects
    def _() -> Iterator[BadInput]:
        for shape in [(), (1, 2), (2, 0), (1, 1, 1)]:
            yield BadInput("a vector", (np.ones(shape, np.float32),))
        for dtype in [np.float32, np.int16, np.uint8, np.bool_]:
            yield BadInput("positions are int32 or int64", (np.ones(2, np.float32),), {"dtype": np.dtype(dtype)})


unique.value(lambda x, dtype: _written_out(x, dtype)[:2])
unique_with_counts.value(_written_out)


# --- searchsorted ----------------------------------------------------------------------------------------------------


def _search_rows(sorted_sequence: Array, values: Array, right: bool, dtype: np.dtype[Any]) -> Array:
    rows, wanted = np.asarray(sorted_sequence), np.asarray(values)
    if not rows.ndim or not wanted.ndim or rows.shape[:-1] != wanted.shape[:-1]:
        raise invalid(
            f"searchsorted: both need a last axis and the same axes before it, got shapes {rows.shape} and {wanted.shape}."
        )
    size = rows.shape[-1]
    if size > np.iinfo(_index_type(dtype, "searchsorted")).max:
        raise invalid(f"searchsorted: {size} elements do not fit in {dtype}.")
    # A binary search of all values at once, with the steps of C++'s lower_bound and upper_bound, which determine where nan goes.
    low = np.zeros(wanted.shape, np.int64)
    count = np.full(wanted.shape, size, np.int64)
    while size and count.any():
        step = count // 2
        probe = np.take_along_axis(rows, np.minimum(low + step, size - 1), axis=-1)
        ahead = (count > 0) & (~(wanted < probe) if right else probe < wanted)
        low = np.where(ahead, low + step + 1, low)
        count = np.where(ahead, count - step - 1, step)
    return low.astype(dtype)


@op(eager=_search_rows, dtypes=REAL, tf_name="LowerBound", gives=typed_by("dtype"), called="searchsorted")
def search_sorted(
    xp: Namespace, sorted_sequence: Array, values: Array, *, right: bool = False, dtype: object = _INT32
) -> Any:
    """Where each value would be put into its sorted row so that the row stays sorted."""
    below = (
        values[..., :, None] >= sorted_sequence[..., None, :]
        if right
        else values[..., :, None] > sorted_sequence[..., None, :]
    )
    return xp.sum(below, axis=-1).astype(dtype)


@search_sorted.shapes
def _(sorted_sequence: Abstract, values: Abstract, **_: object) -> Shape:
    if values.rank is None or sorted_sequence.rank is None:
        return unknown_rest(values.known or sorted_sequence.known)
    lead = matched_sizes(sorted_sequence.shape[:-1], values.shape[:-1], "the axes before the last,")
    return (*lead, values.shape[-1])


search_sorted.not_differentiable("positions are integers")


@search_sorted.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    return search_sorted(*all_batched(is_batched, args)[1], **attributes)


@search_sorted.samples
def _(draw: Draw) -> Iterator[Sample]:
    for row, values in [
        ((3,), (4,)),
        ((0,), (2,)),
        ((5,), (0,)),
        ((2, 3), (2, 2)),
        ((2, 3, 7), (2, 3, 2)),
        ((1,), (3,)),
        ((0, 3), (0, 2)),
    ]:
        for right in (False, True):
            yield Sample((np.sort(draw(row), axis=-1), draw(values)), {"right": right, "dtype": np.dtype(np.int64)})
    yield Sample((np.array([1.0, 2.0, 2.0, 3.0]), np.array([2.0, 0.0, 9.0, 3.0])), {"right": True})


@search_sorted.value
def _(sorted_sequence: Array, values: Array, right: bool, dtype: np.dtype[Any]) -> Any:
    result = np.zeros(np.shape(values), dtype)
    for row in np.ndindex(*np.shape(values)[:-1]):
        result[row] = np.searchsorted(
            np.asarray(sorted_sequence)[row], np.asarray(values)[row], "right" if right else "left"
        )
    return result


@search_sorted.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for row, values in [
        (x, x[0]),
        (x[0], x),
        (x[0], x[0, 0]),
        (x[0, 0], x[0]),
        (x[0, 0], x[0, 0]),
        (x, x.T),
        (x[:1], x),
    ]:
        yield BadInput("the axes before the last must agree", (row, values))
    yield BadInput("positions are int32 or int64", (x, x), {"dtype": np.dtype(np.int16)})
    yield BadInput("types never mix", (x, x.astype(np.float64)))
    yield BadInput("complex numbers have no order", (x.astype(np.complex64), x.astype(np.complex64)))


# --- histograms and buckets --------------------------------------------------------------------------------------------


def _histogram(values: Array, value_range: Array, nbins: int, dtype: np.dtype[Any]) -> Array:
    ends = np.asarray(value_range)
    if ends.shape != (2,):
        raise invalid(f"histogram_fixed_width: value_range must hold two numbers, got shape {ends.shape}.")
    if not ends[0] < ends[1]:
        raise invalid(f"histogram_fixed_width: value_range must go up, got {ends.tolist()}.")
    if nbins <= 0:
        raise invalid(f"histogram_fixed_width: nbins must be positive, got {nbins}.")
    if nbins > 2**31 - 1:
        raise invalid(f"histogram_fixed_width: {nbins} bins are too many.")
    if np.isnan(values).any():
        raise invalid("histogram_fixed_width: the values must not contain nan.")
    kind = _index_type(dtype, "histogram_fixed_width")
    with np.errstate(over="ignore"):
        width = ends[1] - ends[0]
    if not np.isfinite(width):  # beyond the type
        values, ends = np.asarray(values, np.float64), ends.astype(np.float64)
        width = ends[1] - ends[0]
    step = float(width) / nbins
    bins = np.minimum((np.maximum(values, ends[0]) - ends[0]).astype(np.float64) / step, nbins - 1).astype(np.int64)
    return np.bincount(bins.reshape(-1), minlength=nbins).astype(kind)


@op(eager=_histogram, dtypes=_WIDE, gives=typed_by("dtype"))
def histogram_fixed_width(
    xp: Namespace, values: Array, value_range: Array, *, nbins: int = 100, dtype: object = _INT32
) -> Any:
    """How many values fall into each of `nbins` bins of one width; what lies outside counts in the outer bins."""
    step = (value_range[1] - value_range[0]) / nbins
    bins = xp.clip((values - value_range[0]) / step, 0, nbins - 1).astype(np.int64)
    return xp.bincount(bins.reshape(-1), minlength=nbins, length=nbins).astype(dtype)


@histogram_fixed_width.shapes
def _(values: Abstract, value_range: Abstract, *, nbins: object, **_: object) -> Shape:
    return (natural(nbins),)


histogram_fixed_width.not_differentiable("counts are integers", lookup_error=True)


@histogram_fixed_width.samples
def _(draw: Draw) -> Iterator[Sample]:
    ends = np.array([0.0, 5.0])
    for values, bins in [
        ([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], 5),
        ([], 3),
        ([[1.0], [4.0]], 1),
        (2.5, 4),
        ([np.inf, -np.inf], 2),
    ]:
        yield Sample((np.array(values, np.float64), ends), {"nbins": bins})


@histogram_fixed_width.value
def _(values: Array, value_range: Array, nbins: int, dtype: np.dtype[Any]) -> Any:
    result = np.zeros(nbins, dtype)
    low, high = np.asarray(value_range).tolist()
    for value in np.asarray(values).reshape(-1).tolist():
        inside = min(max(value, low), high)
        result[min(int((inside - low) / (high - low) * nbins), nbins - 1)] += 1
    return result


@histogram_fixed_width.rejects
def _() -> Iterator[BadInput]:
    x = np.ones(3, np.float32)
    for ends in [[5.0, 5.0], [5.0, 0.0], [0.0, 5.0, 6.0], [0.0], [[0.0, 5.0]], 3.0, [np.nan, 1.0]]:
        yield BadInput("the range goes up", (x, np.array(ends, np.float32)))
    for bins in [0, -1, -(2**40), 2**40]:
        yield BadInput("bins are counted", (x, np.array([0.0, 5.0], np.float32)), {"nbins": bins})
    yield BadInput("nan has no bin", (np.array([np.nan], np.float32), np.array([0.0, 5.0], np.float32)))
    yield BadInput("counts are integers", (x, np.array([0.0, 5.0], np.float32)), {"dtype": np.dtype(np.float32)})


def _bucketize(input: Array, boundaries: tuple[float, ...]) -> Array:
    if list(boundaries) != sorted(boundaries):
        raise invalid(f"Bucketize: boundaries must be sorted, got {list(boundaries)}.")
    return np.searchsorted(np.array(boundaries, np.float32), input, side="right").astype(np.int32)


@op(eager=_bucketize, dtypes=_WIDE, shape=like(0), gives=np.int32)
def bucketize(xp: Namespace, input: Array, *, boundaries: tuple[float, ...]) -> Any:
    """For each value, how many of the sorted boundaries are not larger."""
    return xp.searchsorted(xp.asarray(boundaries), input, side="right").astype(np.int32)


bucketize.not_differentiable("the number of a bucket is an integer", lookup_error=True)
bucketize.batched(batch_elementwise)


@bucketize.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in [(), (3,), (0,), (2, 3)]:
        for boundaries in [(), (0.0,), (-1.0, 0.0, 1.0)]:
            yield Sample((draw(shape),), {"boundaries": boundaries})


@bucketize.value
def _(input: Array, boundaries: Array) -> Any:
    return sum((np.asarray(input) >= b).astype(np.int32) for b in boundaries) + np.zeros(np.shape(input), np.int32)


@bucketize.rejects
def _() -> Iterator[BadInput]:
    x = np.ones(3, np.float32)
    for boundaries in [(1.0, 0.0), (0.0, 2.0, 1.0), (3.0, 2.0, 1.0), (0.0, -1.0)]:
        yield BadInput("boundaries go up", (x,), {"boundaries": boundaries})


def _histogram_between(values: Array, edges: tuple[float, ...]) -> Any:
    if len(edges) < 2 or any(not low <= high for low, high in pairwise(edges)):
        raise invalid(f"histogram: at least two edges in ascending order are needed, got {list(edges)}.")
    wide = values.astype(np.float32) if values.dtype.kind == "V" else values
    return np.histogram(wide, np.asarray(edges, np.float64))[0].astype(np.int64)


@op(eager=_histogram_between, dtypes=REAL, retypes=True, gives=np.int64)
def histogram(xp: Namespace, values: Array, *, edges: tuple[float, ...]) -> Any:
    """How many values lie in each bin between two edges; the last bin holds its right edge too."""
    return xp.histogram(values, xp.asarray(edges))[0]


@histogram.shapes
def _(values: Abstract, *, edges: Any) -> Shape:
    return (UNKNOWN if edges is UNKNOWN else len(edges) - 1,)


histogram.not_differentiable("counts are integers")


@histogram.samples
def _(draw: Draw) -> Iterator[Sample]:
    yield Sample((draw((20,)),), {"edges": (-2.0, -0.5, 0.0, 1.0)})
    yield Sample((draw((2, 5)),), {"edges": (-1.0, 1.0)})
    yield Sample((np.array([0.0, 1.0, 2.0, 3.0]),), {"edges": (0.0, 1.0, 3.0)})
    yield Sample((draw((0,)),), {"edges": (0.0, 1.0)})


@histogram.value
def _(values: Array, edges: Array) -> Any:
    bins = list(pairwise(edges))
    inside = [
        ((values >= low) & ((values < high) | ((values == high) & (high == edges[-1])))).sum() for low, high in bins
    ]
    return np.array(inside, np.int64)


@histogram.rejects
def _() -> Iterator[BadInput]:
    for edges in ((), (1.0,), (1.0, 0.0), (0.0, 2.0, 1.0), (float("nan"), 1.0)):
        yield BadInput("edges in ascending order", (np.ones(3, np.float32),), {"edges": edges})


# --- positions -------------------------------------------------------------------------------------------------------


def _unravel(indices: Array, dims: Array) -> Array:
    where, sizes = np.asarray(indices), np.asarray(dims)
    if where.ndim > 1:
        raise invalid(f"unravel_index: indices must be a scalar or a vector, got shape {where.shape}.")
    if sizes.ndim != 1:
        raise invalid(f"unravel_index: dims must be a vector, got shape {sizes.shape}.")
    if sizes.size and sizes.min() <= 0:
        raise invalid(f"unravel_index: dims cannot contain a dim of zero or less, got {sizes.tolist()}.")
    count = 1
    for size in sizes.tolist():
        count *= size
    if count > np.iinfo(sizes.dtype).max:
        raise invalid(
            f"unravel_index: Input dims product is causing integer overflow: {sizes.tolist()} of type {sizes.dtype}."
        )
    if where.size and (where.min() < 0 or where.max() >= count):
        raise invalid(
            f"unravel_index: indices must be in [0, {count}) for dims {sizes.tolist()}, got {where.tolist()}."
        )
    result = np.empty((sizes.size, *where.shape), where.dtype)
    rest = where
    for axis in range(sizes.size - 1, -1, -1):
        rest, result[axis] = np.divmod(rest, sizes[axis])
    return result


@op(eager=_unravel, dtypes=INDEX)
def unravel_index(xp: Namespace, indices: Array, dims: Array) -> Any:
    """The coordinates, one row for each axis, of flat positions in an array of shape `dims`.

    >>> import gradtape as tf
    >>> tf.unravel_index([5, 7], [3, 4]).numpy()
    array([[1, 1],
           [1, 3]], dtype=int32)
    """
    if not len(dims):
        return xp.zeros((0, *indices.shape), indices.dtype)
    return xp.stack(xp.unravel_index(indices, dims))


@unravel_index.shapes
def _(indices: Abstract, dims: Abstract) -> Shape:
    return (dims.of_rank(1)[0], *indices.shape)


unravel_index.not_differentiable("positions are integers", lookup_error=True)


@unravel_index.samples
def _(draw: Draw) -> Iterator[Sample]:
    for indices, dims in [
        ([2, 5, 7], [3, 3]),
        (5, [3, 3]),
        ([], [2, 2]),
        ([0], []),
        ([23, 0], [2, 3, 4]),
        (0, [1]),
    ]:
        yield Sample((np.array(indices, np.int64), np.array(dims, np.int64)))


@unravel_index.value
def _(indices: Array, dims: Array) -> Any:
    parts = np.unravel_index(np.asarray(indices), tuple(np.asarray(dims).tolist())) if len(dims) else ()
    return np.array(parts, np.asarray(indices).dtype).reshape(len(dims), *np.shape(indices))


@unravel_index.rejects
def _() -> Iterator[BadInput]:
    for indices, dims in [
        ([9], [3, 3]), ([-1], [3, 3]), ([0], [3, 0]), ([0], [3, -3]), ([[0, 1]], [3, 3]), ([0], [[3]]), (5, 3), ([1], []), ([2**31 - 1], [2, 2]),
    ]:  # fmt: skip
        yield BadInput("positions must exist", (np.array(indices, np.int32), np.array(dims, np.int32)))
    yield BadInput("positions are integers", (np.array([2.0], np.float32), np.array([3.0], np.float32)))


# --- membership ---------------------------------------------------------------------------------------------


def _isin(element: Array, test_elements: Array, invert: bool = False) -> Any:
    return np.isin(element, test_elements, invert=invert)


@op(eager=_isin, dtypes=ANY, retypes=True, shape=like(0), gives=np.bool_)
def isin(xp: Namespace, element: Array, test_elements: Array, *, invert: bool = False) -> Any:
    """Whether each element is among the test elements, or with `invert` whether it is not."""
    return xp.isin(element, test_elements, invert=invert)


isin.not_differentiable("truth values have no derivative")


@isin.samples
def _(draw: Draw) -> Iterator[Sample]:
    x = draw((2, 3))
    yield Sample((x, x[0]))
    yield Sample((x, x[:, :1]), {"invert": True})
    yield Sample((draw(()), draw((0,))))


@isin.value
def _(element: Array, test_elements: Array, invert: bool) -> Any:
    known = set(np.ravel(test_elements).tolist())
    return np.array([(v in known) != invert for v in np.ravel(element).tolist()], bool).reshape(np.shape(element))


@isin.rejects
def _() -> Iterator[BadInput]:
    x = np.ones(3, np.float32)
    yield from not_tensors(x)
    for other in (x.astype(np.int32), x.astype(np.float64), x.astype(bool), x.astype(np.complex64)):
        yield BadInput("types never mix", (x, other))


@op(dtypes=ANY, outputs=2, shape=fixed(UNKNOWN), gives=typed_by(None, "out_idx"))
def list_diff(xp: Namespace, x: Array, y: Array, *, out_idx: Any = _INT32) -> Any:
    """The elements of x that are not in y, in their order, and their positions in x."""
    if x.ndim != 1 or y.ndim != 1:
        raise unfit(f"list_diff: two vectors are needed, got shapes {x.shape} and {y.shape}.")
    kept = np.flatnonzero(~np.isin(x, y))
    return x[kept], kept.astype(out_idx)


list_diff.host_only("how many elements are left depends on the values")
list_diff.not_differentiable("elements are only chosen by being equal")


@list_diff.samples
def _(draw: Draw) -> Iterator[Sample]:
    x = draw((6,))
    yield Sample((x, x[1:3]))
    yield Sample((x, x), {"out_idx": np.dtype(np.int64)})
    yield Sample((x, x[:0]))


@list_diff.value
def _(x: Array, y: Array, out_idx: np.dtype[Any]) -> Any:
    places = [k for k, v in enumerate(x.tolist()) if v not in y.tolist()]
    return x[np.array(places, int)], np.array(places, out_idx)


@list_diff.rejects
def _() -> Iterator[BadInput]:
    x = np.ones(3, np.float32)
    for left, right in [((), (3,)), ((3,), ()), ((2, 2), (3,)), ((3,), (1, 1))]:
        yield BadInput("two vectors", (np.ones(left, np.float32), np.ones(right, np.float32)))
    yield BadInput("types never mix", (x, x.astype(np.float64)))
