"""Statistics: ranges (ptp), weighted means and moments, quantiles, covariances. Those that leave NaN out are in nans.py.

`gradtape.numpy` has them under NumPy's names. Ties share the derivative.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...base.dtypes import FLOATING, INEXACT, NARROW_FLOATS, REAL, Array
from ...base.errors import invalid
from ...base.sizes import UNKNOWN
from ...base.types import Axis, Cotangent, Draw, Function, Namespace, Tangent, Value
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import (
    all_batched,
    as_array,
    batch_leading,
    batch_over_axis,
    in_float32,
    insert_axes,
    negative_axis,
    numpy_type,
    rank_of,
    sample_reduction,
    shape_of,
)
from ...op.shapes import broadcast_to_sizes, equal_shapes, reduced, reduced_sizes, replaced
from ..array.layout import permute, reshape, sum_to_shape
from ..array.sort import order_along, put_along, take_along
from ..linalg.products import adjoint, check_matrix, conjugated, matmul, product
from .conversion import convert
from .elementwise import divide_no_nan, square
from .logic import equal, zeros_like
from .reduce import kept_shape, reduce_max, reduce_min, reduce_sum, refuse_axis_of_scalar, spread

_add: Any = np.add.reduce


def shares_of_extremes(a: Value, extreme: Value, axis: Axis) -> Any:
    """1 at the elements that are the extreme, divided by how many there are."""
    chosen = convert(equal(a, reshape(extreme, shape=kept_shape(shape_of(a), axis))), dtype=numpy_type(a))
    return divide_no_nan(chosen, reduce_sum(chosen, axis=axis, keepdims=True))


def line_by_line(values: Array, axis: Axis, keepdims: bool, function: Function) -> Any:
    """A reference: line by line, as lists."""
    axes = tuple(range(values.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = tuple(a % values.ndim for a in axes)
    lead = np.moveaxis(values, axes, range(-len(axes), 0)) if axes else values[..., None]
    kept = lead.shape[: values.ndim - len(axes)]
    rows = lead.reshape(*kept, -1) if lead.size else np.empty((*kept, 1))
    lines = [rows[place] for place in np.ndindex(kept)]
    found = np.array([function([v for v in line if v == v]) for line in lines], np.float64).reshape(kept)
    return np.expand_dims(found, axes) if keepdims else found


# --- range and weighted mean --------------------------------------------------------------------------------


def _ptp(a: Array, axis: Axis = None, keepdims: bool = False) -> Any:
    refuse_axis_of_scalar(a, axis)
    return np.ptp(a, axis=axis, keepdims=keepdims)


@op(eager=_ptp, dtypes=REAL, shape=reduced)
def ptp(xp: Namespace, a: Array, *, axis: Axis = None, keepdims: bool = False) -> Any:
    """The largest less the smallest element."""
    return xp.max(a, axis=axis, keepdims=keepdims) - xp.min(a, axis=axis, keepdims=keepdims)


def _ends(a: Value, axis: Axis) -> Any:
    high = reduce_max(a, axis=axis, keepdims=True)
    return shares_of_extremes(a, high, axis) - shares_of_extremes(a, reduce_min(a, axis=axis, keepdims=True), axis)


@ptp.vjp("a")
def _(g: Cotangent, a: Value, axis: Axis) -> Any:
    return spread(g, shape_of(a), axis) * _ends(a, axis)


@ptp.jvp("a")
def _(t: Tangent, a: Value, axis: Axis, keepdims: bool) -> Any:
    return reduce_sum(t * _ends(a, axis), axis=axis, keepdims=keepdims)


ptp.batching = batch_over_axis
sample_reduction(ptp)


@ptp.value
def _(a: Array, axis: Axis, keepdims: bool) -> Any:
    return line_by_line(a, axis, keepdims, lambda row: max(row) - min(row))


@ptp.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for axis in [2, -3, 7, (0, 0), (0, 2), 2**40]:
        yield BadInput("the axes must exist, once each", (x,), {"axis": axis})
    yield BadInput("a scalar has no axis", (x[0, 0],), {"axis": 0})
    yield BadInput("nothing has no range", (np.ones((0,), np.float32),))


def _average(a: Array, weights: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    refuse_axis_of_scalar(a, axis)
    if a.shape != weights.shape:
        raise invalid(f"average: weights of shape {weights.shape} must have the shape {a.shape} of the values.")
    x, w = (v.astype(np.float32) if v.dtype in NARROW_FLOATS else v for v in (a, weights))
    total = _add(x * w, axis, None, None, keepdims) / _add(w, axis, None, None, keepdims)
    return as_array(total).astype(a.dtype, copy=False)


@op(eager=_average, dtypes=INEXACT)
def average(xp: Namespace, a: Array, weights: Array, *, axis: Axis = None, keepdims: bool = False) -> Any:
    """The sum of values times weights, divided by the sum of the weights."""
    total = xp.sum(a * weights, axis=axis, keepdims=keepdims)
    return total / xp.sum(weights, axis=axis, keepdims=keepdims)


@average.shapes
def _(a: Abstract, weights: Abstract, *, axis: object, keepdims: object) -> Shape:
    return reduced(equal_shapes(a, weights), axis=axis, keepdims=keepdims)


def _total(weights: object, axis: Axis, keepdims: bool = True) -> Any:
    return reduce_sum(weights, axis=axis, keepdims=keepdims)


@average.vjp("a")
def _(g: Cotangent, weights: Value, axis: Axis) -> Any:
    share = reshape(g, shape=kept_shape(shape_of(weights), axis))
    return share * conjugated(weights / _total(weights, axis))


@average.vjp("weights")
def _(g: Cotangent, a: Value, weights: Value, out: Value, axis: Axis) -> Any:
    kept = kept_shape(shape_of(a), axis)
    return reshape(g, shape=kept) * conjugated((a - reshape(out, shape=kept)) / _total(weights, axis))


@average.jvp("a")
def _(t: Tangent, weights: Value, axis: Axis, keepdims: bool) -> Any:
    return reduce_sum(t * weights, axis=axis, keepdims=keepdims) / _total(weights, axis, keepdims)


@average.jvp("weights")
def _(t: Tangent, a: Value, weights: Value, out: Value, axis: Axis, keepdims: bool) -> Any:
    distance = a - reshape(out, shape=kept_shape(shape_of(a), axis))
    return reduce_sum(t * distance, axis=axis, keepdims=keepdims) / _total(weights, axis, keepdims)


@average.batched
def _(declared: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    rank = rank_of(args[0]) - is_batched[0]
    return batch_leading(declared, is_batched, args, {**attributes, "axis": negative_axis(attributes["axis"], rank)})


@average.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, axis, keepdims in [
        ((4,), None, False), ((4,), 0, True), ((2, 3), None, True), ((2, 3), 0, False), ((2, 3), -1, True), ((2, 3), (0, 1), False),
        ((2, 3, 4), (0, 2), False), ((2, 3, 4), 1, True), ((3, 1), 0, False), ((2, 3, 2), (-1, 0), True), ((1,), -1, False), ((), None, False),
    ]:  # fmt: skip
        yield Sample((draw(shape), draw(shape, 0.5, 2.0)), {"axis": axis, "keepdims": keepdims})


@average.value
def _(a: Array, weights: Array, axis: Axis, keepdims: bool) -> Any:
    reference: Any = np.average
    return reference(a, axis=axis, weights=weights, keepdims=keepdims)


@average.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for shape in ((3,), (2, 1), (3, 2), ()):
        yield BadInput("one weight for each value", (x, np.ones(shape, np.float32)))
    for axis in (2, -3, (0, 0)):
        yield BadInput("the axes must exist, once each", (x, x), {"axis": axis})


# --- quantiles ----------------------------------------------------------------------------------------------


def _quantile_weights(count: int, q: tuple[float, ...], dtype: np.dtype[Any]) -> Array:
    """What each element, in order, contributes to each quantile."""
    places = np.asarray(q, np.float64) * (count - 1)
    low = np.floor(places).astype(int)
    high, part = np.minimum(low + 1, count - 1), places - low
    weights, rows = np.zeros((len(q), count), np.float64), np.arange(len(q))
    weights[rows, low] += 1 - part
    weights[rows, high] += part
    return weights.astype(dtype)


def _quantile(a: Array, q: tuple[float, ...], axis: int = -1) -> Array:
    if not -a.ndim <= axis < a.ndim:
        raise invalid(f"quantile: axis {axis} does not exist in a tensor of shape {a.shape}.")
    if not a.shape[axis]:
        raise invalid(f"quantile: there is no element along axis {axis} of shape {a.shape}.")
    if any(not 0 <= each <= 1 for each in q):
        raise invalid(f"quantile: quantiles must be from 0 to 1, got {list(q)}.")
    wide = a.astype(np.float32) if a.dtype in NARROW_FLOATS else a
    return np.asarray(np.quantile(wide, np.asarray(q, np.float64), axis=axis)).astype(a.dtype)


@op(eager=_quantile, dtypes=FLOATING)
def quantile(xp: Namespace, a: Array, *, q: tuple[float, ...], axis: int = -1) -> Any:
    """Quantiles along an axis, one for each of `q` in a new first axis; between two elements, linear."""
    return xp.quantile(a, xp.asarray(q), axis=axis)


@quantile.shapes
def _(a: Abstract, *, q: Any, axis: Any) -> Shape:
    return (UNKNOWN if q is UNKNOWN else len(q), *replaced(a.shape, axis))


def _axis_last(x: object, axis: int) -> Any:
    rank = rank_of(x)
    where = axis % rank
    return permute(x, perm=(*(a for a in range(rank) if a != where), where))


def _axis_back(x: Value, axis: int) -> Any:
    rank = rank_of(x)
    where = axis % rank
    return permute(x, perm=(*range(where), rank - 1, *range(where, rank - 1)))


def _first_last(x: Value) -> Any:
    return permute(x, perm=(*range(1, rank_of(x)), 0))


def _matrix_rows(x: Value, matrix: Array) -> Any:
    """x @ matrix over the last axis, also of a vector."""
    shape = shape_of(x)
    rows = matmul(reshape(x, shape=(int(np.prod(shape[:-1])), shape[-1])), matrix, transpose_a=False, transpose_b=False)
    return reshape(rows, shape=(*shape[:-1], matrix.shape[1]))


@quantile.vjp("a")
def _(g: Cotangent, a: Value, q: tuple[float, ...], axis: int) -> Any:
    size = shape_of(a)[axis]
    weights = _quantile_weights(size, q, numpy_type(a))
    in_order = _matrix_rows(_first_last(g), weights)
    order = order_along(_axis_last(a, axis), axis=-1, descending=False)
    return _axis_back(put_along(in_order, order, size=size, axis=-1), axis)


@quantile.jvp("a")
def _(t: Tangent, a: Value, q: tuple[float, ...], axis: int) -> Any:
    weights = _quantile_weights(shape_of(a)[axis], q, numpy_type(a))
    order = order_along(_axis_last(a, axis), axis=-1, descending=False)
    found = _matrix_rows(take_along(_axis_last(t, axis), order, axis=-1), np.ascontiguousarray(weights.T))
    return permute(found, perm=(rank_of(found) - 1, *range(rank_of(found) - 1)))


@quantile.batched
def _(declared: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    (x,) = args
    result = declared(x, q=attributes["q"], axis=negative_axis(attributes["axis"], rank_of(x) - 1))
    return permute(result, perm=(1, 0, *range(2, rank_of(result))))


@quantile.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, q, axis in [
        ((4,), (0.5,), 0), ((5,), (0.25, 0.75), -1), ((2, 3), (0.1,), 0), ((2, 3), (0.0, 1.0), 1), ((2, 3, 4), (0.3, 0.6), 1), ((1,), (0.4,), 0),
        ((2, 3), (), 1), ((3, 1), (0.9,), 0), ((0, 3), (0.5,), 1), ((6,), (0.5, 0.5), 0), ((2, 2, 2), (0.35,), -3), ((7,), (0.2, 0.4, 0.95), 0),
    ]:  # fmt: skip
        yield Sample((draw(shape),), {"q": q, "axis": axis})


@quantile.value
def _(a: Array, q: Array, axis: int) -> Any:
    ordered = np.moveaxis(np.sort(a, axis=axis), axis, -1)
    found = np.zeros((len(q), *ordered.shape[:-1]))
    for number, each in enumerate(q):
        for place in np.ndindex(ordered.shape[:-1]):
            row = ordered[place]
            found[(number, *place)] = np.interp(each * (len(row) - 1), np.arange(len(row)), row)
    return found


@quantile.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for q in ((1.5,), (-0.1,), (0.5, 2.0), (float("nan"),)):
        yield BadInput("quantiles are from 0 to 1", (x,), {"q": q})
    for axis in (2, -3):
        yield BadInput("the axis must exist", (x,), {"axis": axis, "q": (0.5,)})
    yield BadInput("nothing has no quantile", (x[:, :0],), {"q": (0.5,)})


# --- covariance ---------------------------------------------------------------------------------------------


@in_float32
def _cov(m: Array, ddof: float = 1.0) -> Any:
    check_matrix("cov", m, square=False)
    centred = m - m.mean(axis=-1, keepdims=True)
    return centred @ np.conj(centred.swapaxes(-1, -2)) / max(m.shape[-1] - ddof, 0)


@op(eager=_cov, dtypes=INEXACT)
def cov(xp: Namespace, m: Array, *, ddof: float = 1.0) -> Any:
    """The covariances of the rows of matrices; the divisor is the number of columns less `ddof`."""
    centred = m - xp.mean(m, axis=-1, keepdims=True)
    return centred @ xp.conj(xp.swapaxes(centred, -1, -2)) / (m.shape[-1] - ddof)


@cov.shapes
def _(m: Abstract, **_: object) -> Shape:
    *lead, rows, _columns = m.shape
    return (*lead, rows, rows)


def _centred_rows(m: object) -> Any:
    return m - reduce_sum(m, axis=-1, keepdims=True) * (1.0 / shape_of(m)[-1])


@cov.vjp("m")
def _(g: Cotangent, m: Value, ddof: float) -> Any:
    return product(g + adjoint(g), _centred_rows(m)) * (1.0 / (shape_of(m)[-1] - ddof))


@cov.jvp("m")
def _(t: Tangent, m: Value, ddof: float) -> Any:
    half = product(_centred_rows(t), _centred_rows(m), adjoint_b=True) * (1.0 / (shape_of(m)[-1] - ddof))
    return half + adjoint(half)


cov.batching = batch_leading


@cov.samples
def _(draw: Draw) -> Iterator[Sample]:
    for number, shape in enumerate(
        [(2, 3), (1, 4), (3, 2), (2, 2, 3), (4, 5), (1, 2), (3, 1, 3), (2, 6), (0, 3), (2, 1, 2, 4), (5, 3), (3, 3)]
    ):
        yield Sample((draw(shape),), {"ddof": (1.0, 0.0, 0.5)[number % 3]})


@cov.value
def _(m: Array, ddof: float) -> Any:
    mean = m.mean(axis=-1, keepdims=True)
    return np.einsum("...it,...jt->...ij", m - mean, np.conj(m - mean)) / (m.shape[-1] - ddof)


@cov.rejects
def _() -> Iterator[BadInput]:
    for shape in ((), (3,), (0,), (1,)):
        yield BadInput("rows and columns", (np.ones(shape, np.float32),))


# --- moments with weights -----------------------------------------------------------------------------------


def _weighted_moments(x: Array, weights: Array, axis: Axis = None) -> tuple[Array, Array]:
    refuse_axis_of_scalar(x, axis)
    if weights.ndim > x.ndim or np.broadcast_shapes(weights.shape, x.shape) != x.shape:
        raise invalid(f"weighted_moments: weights of shape {weights.shape} do not broadcast to {x.shape}.")
    values, w = (
        v.astype(np.float32) if v.dtype in NARROW_FLOATS else v for v in (x, np.broadcast_to(weights, x.shape))
    )
    total = _add(w, axis, None, None, True)
    mean = as_array(_add(w * values, axis, None, None, True) / total)
    variance = as_array(_add(w * np.square(values - mean), axis, None, None, True) / total)
    return mean.astype(x.dtype, copy=False), variance.astype(x.dtype, copy=False)


@op(eager=_weighted_moments, dtypes=FLOATING, outputs=2)
def weighted_moments(xp: Namespace, x: Array, weights: Array, *, axis: Axis = None) -> Any:
    """Mean and variance over some axes, which stay with size 1; each element counts as much as its weight says."""
    total = xp.sum(weights + xp.zeros_like(x), axis=axis, keepdims=True)
    mean = xp.sum(weights * x, axis=axis, keepdims=True) / total
    return mean, xp.sum(weights * xp.square(x - mean), axis=axis, keepdims=True) / total


@weighted_moments.shapes
def _(x: Abstract, weights: Abstract, *, axis: object) -> Shape:
    broadcast_to_sizes(weights.known, x.known)
    return reduced_sizes(x.shape, axis, True)


def _weighted_total(x: object, weights: object, axis: Axis) -> Any:
    return reduce_sum(weights + zeros_like(x), axis=axis, keepdims=True)


@weighted_moments.vjp("x")
def _(g: Sequence[Cotangent], x: Value, weights: Value, out: Sequence[Value], axis: Axis) -> Any:
    return (g[0] + 2.0 * g[1] * (x - out[0])) / _weighted_total(x, weights, axis) * weights


@weighted_moments.vjp("weights")
def _(g: Sequence[Cotangent], x: Value, weights: Value, out: Any, axis: Axis, weights_shape: tuple[int, ...]) -> Any:
    distance = x - out[0]
    change = g[0] * distance + g[1] * (square(distance) - out[1])
    return sum_to_shape(change / _weighted_total(x, weights, axis), shape=weights_shape)


@weighted_moments.jvp("x")
def _(t: Tangent, x: Value, weights: Value, out: Sequence[Value], axis: Axis) -> Any:
    weighted, total = t * weights, _weighted_total(x, weights, axis)
    change = 2.0 * (weighted * (x - out[0]))
    return [reduce_sum(part, axis=axis, keepdims=True) / total for part in (weighted, change)]


@weighted_moments.jvp("weights")
def _(t: Tangent, x: Value, weights: Value, out: Sequence[Value], axis: Axis) -> Any:
    distance, total = x - out[0], _weighted_total(x, weights, axis)
    changes = (t * distance, t * (square(distance) - out[1]))
    return [reduce_sum(part, axis=axis, keepdims=True) / total for part in changes]


@weighted_moments.batched
def _(declared: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    x, weights = args
    rank = rank_of(x) - is_batched[0]
    if not is_batched[0]:
        x, weights = all_batched(is_batched, args)[1]
    weights = insert_axes(weights, rank) if is_batched[1] else weights
    return declared(x, weights, axis=negative_axis(attributes["axis"], rank))


@weighted_moments.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, of_weights, axis in [
        ((4,), (4,), None), ((2, 3), (2, 3), 0), ((2, 3), (3,), 1), ((2, 3), (2, 1), (0, 1)), ((2, 3, 4), (4,), (0, 2)), ((3,), (), 0), ((2, 2), (2, 2), -1),
        ((1, 4), (4,), 1), ((0, 3), (3,), 1), ((2, 3, 2), (2, 3, 2), 1), ((5,), (1,), 0), ((3, 2), (3, 1), 0),
    ]:  # fmt: skip
        yield Sample((draw(shape), draw(of_weights, 0.5, 2.0)), {"axis": axis})


@weighted_moments.value
def _(x: Array, weights: Array, axis: Axis) -> Any:
    w = np.broadcast_to(weights, x.shape)
    mean: Any = np.sum(w * x, axis=axis, keepdims=True) / np.sum(w, axis=axis, keepdims=True)
    return mean, np.sum(w * x * x, axis=axis, keepdims=True) / np.sum(w, axis=axis, keepdims=True) - mean**2


@weighted_moments.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for shape in ((2,), (4,), (3, 1), (1, 2, 3)):
        yield BadInput("weights that broadcast", (x, np.ones(shape, np.float32)))
    for axis in (2, (0, 0)):
        yield BadInput("the axes must exist, once each", (x, x), {"axis": axis})
