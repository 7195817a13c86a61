"""Ops on sampled functions: differences, phases, interpolation, convolution, integrals (trapezoid).

`gradtape.numpy` has them under NumPy's names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np

from ...base.dtypes import FLOATING, INEXACT, NARROW_FLOATS, NUMERIC, Array
from ...base.errors import invalid
from ...base.sizes import larger, matched, smaller
from ...base.types import Cotangent, Draw, Jax, Namespace, Tangent, Value
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import all_batched, batch_leading, batch_over_axis, explain_axis, rank_of, shape_of
from ...op.shapes import along, equal_shapes, matched_sizes, place, replaced
from ..array.borders import crop, pad_constant
from ..array.gather import each_entry, put, take, widened
from ..array.layout import broadcast_to, expand_dims, reshape
from ..array.rearrange import reverse
from ..linalg.products import conjugated
from .conversion import convert
from .logic import greater, less, less_equal, logical_or, maximum, minimum, select, zeros_like
from .reduce import reduce_sum

# --- differences --------------------------------------------------------------------------------------------


def _diff(a: Array, n: int = 1, axis: int = -1) -> Array:
    if n < 0:
        raise invalid(f"diff: the order cannot be negative, got {n}.")
    if not -a.ndim <= axis < a.ndim:
        raise invalid(f"diff: axis {axis} does not exist in a tensor of shape {a.shape}.")
    return np.diff(a, min(n, a.shape[axis]), axis)  # nothing is left after as many differences as there are elements


@op(eager=_diff, dtypes=NUMERIC)
def diff(xp: Namespace, a: Array, *, n: int = 1, axis: int = -1) -> Any:
    """Differences of neighbours along an axis, `n` times."""
    return xp.diff(a, n, axis)


@diff.shapes
def _(a: Abstract, *, n: Any, axis: Any) -> Shape:
    return replaced(a.shape, axis, larger(a.shape[place(axis, a.ndim)] - n, 0))


@diff.vjp("a")
def _(g: Cotangent, a_shape: tuple[int, ...], n: int, axis: int) -> Any:
    where = axis % len(a_shape)
    missing = a_shape[where] - shape_of(g)[where]  # less than n where there were fewer elements
    if missing < n:
        return zeros_like(pad_constant(g, paddings=_along(len(a_shape), where, (0, missing)), constant_values=0))
    padded = pad_constant(g, paddings=_along(len(a_shape), where, (n, n)), constant_values=0)
    result = diff(padded, n=n, axis=where)
    return -result if n % 2 else result


def _along(rank: int, axis: int, pair: tuple[int, int]) -> tuple[tuple[int, int], ...]:
    return tuple(pair if a == axis else (0, 0) for a in range(rank))


diff.linear("a")
diff.batching = batch_over_axis
diff.check = explain_axis("diff")


@diff.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, n, axis in [
        ((5,), 1, 0), ((5,), 2, -1), ((2, 3), 1, 0), ((2, 3), 1, 1), ((2, 3, 4), 3, 2), ((4,), 0, 0), ((1,), 1, 0), ((2,), 3, 0),
        ((3, 2), 2, -2), ((0,), 1, 0), ((2, 0), 1, 0), ((6,), 5, 0),
    ]:  # fmt: skip
        yield Sample((draw(shape),), {"n": n, "axis": axis})


@diff.value
def _(a: Array, n: int, axis: int) -> Any:
    moved = np.moveaxis(a, axis, 0)
    for _ in range(n):
        moved = moved[1:] - moved[:-1]
    return np.moveaxis(moved, 0, axis)


@diff.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for axis in (2, -3, 2**40):
        yield BadInput("the axis must exist", (x,), {"axis": axis})
    for n in (-1, -5):
        yield BadInput("an order", (x,), {"n": n})
    yield BadInput("a scalar has no axis", (x[0, 0],))


def _unwrap(p: Array, axis: int = -1, period: float = 2 * np.pi) -> Array:
    if not -p.ndim <= axis < p.ndim:
        raise invalid(f"unwrap: axis {axis} does not exist in a tensor of shape {p.shape}.")
    if not period > 0:
        raise invalid(f"unwrap: the period must be positive, got {period}.")
    wide = p.astype(np.float32) if p.dtype in NARROW_FLOATS else p
    return np.unwrap(wide, axis=axis, period=period).astype(p.dtype)


@op(eager=_unwrap, dtypes=FLOATING, shape=along)
def unwrap(xp: Namespace, p: Array, *, axis: int = -1, period: float = 2 * np.pi) -> Any:
    """Phases with whole periods added, so that neighbours along the axis are at most half a period apart."""
    return xp.unwrap(p, axis=axis, period=period)


@unwrap.vjp("p")
def _(g: Cotangent) -> Any:
    return g


@unwrap.jvp("p")
def _(t: Tangent) -> Any:
    return t


unwrap.batching = batch_over_axis


@unwrap.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, axis in [
        ((5,), 0), ((8,), -1), ((2, 3), 0), ((2, 3), 1), ((2, 3, 4), 2), ((1,), 0), ((0,), 0), ((3, 1), 1), ((2, 2, 2), -2), ((6,), 0),
    ]:  # fmt: skip
        yield Sample((draw(shape, -6.0, 6.0),), {"axis": axis})
    yield Sample((draw((5,)),), {"axis": 0, "period": 1.5})
    yield Sample((draw((2, 4)),), {"axis": 1, "period": 0.9})


@unwrap.value
def _(p: Array, axis: int, period: float) -> Any:
    moved = np.moveaxis(p, axis, -1).copy()
    for k in range(1, moved.shape[-1]):
        step = moved[..., k] - moved[..., k - 1]
        moved[..., k:] -= (period * np.round(step / period))[..., None]
    return np.moveaxis(moved, -1, axis)


@unwrap.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for axis in (2, -3, 2**40):
        yield BadInput("the axis must exist", (x,), {"axis": axis})
    for period in (0.0, -1.0):
        yield BadInput("a period", (x,), {"period": period})


# --- interpolation ------------------------------------------------------------------------------------------


def _interp(x: Array, points: Array, values: Array) -> Array:
    if points.ndim != 1 or points.shape != values.shape or not points.size:
        raise invalid(
            "interp: points and values must be vectors of one length, at least 1; "
            f"got shapes {points.shape} and {values.shape}."
        )
    return np.asarray(np.interp(x, points, values)).astype(x.dtype)


@op(eager=_interp, dtypes=FLOATING)
def interp(xp: Namespace, x: Array, points: Array, values: Array) -> Any:
    """The function that has `values` at increasing `points` and is linear between them, constant outside."""
    if x.dtype in NARROW_FLOATS:
        x, points, values = (part.astype(np.float32) for part in (x, points, values))
    return xp.interp(x, points, values)


@interp.shapes
def _(x: Abstract, points: Abstract, values: Abstract) -> Shape:
    matched(points.of_rank(1)[0], values.of_rank(1)[0], "points and values,")
    return x.known


class _Place:
    """Where x lies among the points: the neighbours' numbers, the fraction of the way, and the slope there."""

    def __init__(self, x: Array, points: Array, values: Array) -> None:
        count = shape_of(points)[0]
        after = interp_interval(x, points)
        if count == 1:
            self.left, self.right = after, after
            self.part, self.slope = zeros_like(x), zeros_like(x)
            return
        self.left, self.right = after - 1, after
        x0, x1 = self.at(points, self.left), self.at(points, self.right)
        first, last = (take(points, np.int32(k), axis=0, batch_dims=0) for k in (0, count - 1))
        outside = logical_or(less(x, first), greater(x, last))
        part = (x - x0) / (x1 - x0)
        slope = (self.at(values, self.right) - self.at(values, self.left)) / (x1 - x0)
        limited = select(less(x, first), zeros_like(part), select(greater(x, last), zeros_like(part) + 1.0, part))
        self.part, self.slope = limited, select(outside, zeros_like(slope), slope)

    @staticmethod
    def at(values: Value | Sequence[Value], places: Value) -> Any:
        return take(values, places, axis=0, batch_dims=0)


def _interp_interval(x: Array, points: Array) -> Array:
    if points.ndim != 1 or not points.size:
        raise invalid(f"interp: points must be a vector of at least one element, got shape {points.shape}.")
    found = np.searchsorted(points, x, side="right")
    return np.asarray(np.clip(found, min(1, points.size - 1), points.size - 1), np.int32)


@op(eager=_interp_interval, dtypes=FLOATING, retypes=True, gives=np.int32)
def interp_interval(xp: Namespace, x: Array, points: Array) -> Any:
    """For each x, the number of the point that ends the piece between increasing points in which it lies."""
    return xp.clip(xp.searchsorted(points, x, side="right"), 1, points.shape[0] - 1)


@interp_interval.shapes
def _(x: Abstract, points: Abstract) -> Shape:
    points.of_rank(1)
    return x.known


interp_interval.not_differentiable("positions are integers")


@interp_interval.batched
def _(declared: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    x, points = args
    if is_batched[1]:
        return _interval_rows(*all_batched(is_batched, args)[1])
    return declared(x, points)


def _interval_rows(x: Value, points: Value) -> Any:
    """The same for rows of points: count those that are not above."""
    shape, count = shape_of(x), shape_of(points)[-1]
    flat = reshape(x, shape=(shape[0], prod(shape[1:]), 1))
    reached = convert(less_equal(reshape(points, shape=(shape[0], 1, count)), flat), dtype=np.dtype(np.int32))
    found = reduce_sum(reached, axis=-1, keepdims=False)
    limited = minimum(maximum(found, np.int32(min(1, count - 1))), np.int32(count - 1))
    return reshape(limited, shape=shape)


@interp.vjp("x")
def _(g: Sequence[Cotangent], x: Any, points: Any, values: Any) -> Any:
    return g * _Place(x, points, values).slope


@interp.jvp("x")
def _(t: Sequence[Tangent], x: Any, points: Any, values: Any) -> Any:
    return t * _Place(x, points, values).slope


def _put(place: _Place, left: Value, right: Value, count: int) -> Any:
    settings: dict[str, Any] = {"shape": (count,), "axis": 0, "batch_dims": 0}
    return put(left, place.left, **settings) + put(right, place.right, **settings)


@interp.vjp("values")
def _(g: Cotangent, x: Any, points: Any, values: Any) -> Any:
    place = _Place(x, points, values)
    return _put(place, g * (1.0 - place.part), g * place.part, shape_of(points)[0])


@interp.vjp("points")
def _(g: Cotangent, x: Any, points: Any, values: Any) -> Any:
    place = _Place(x, points, values)
    scaled = -g * place.slope
    return _put(place, scaled * (1.0 - place.part), scaled * place.part, shape_of(points)[0])


def _mixed(place: _Place, t: Value | Sequence[Value]) -> Any:
    return (1.0 - place.part) * place.at(t, place.left) + place.part * place.at(t, place.right)


@interp.jvp("values")
def _(t: Sequence[Tangent], x: Any, points: Any, values: Any) -> Any:
    return _mixed(_Place(x, points, values), t)


@interp.jvp("points")
def _(t: Tangent, x: Any, points: Any, values: Any) -> Any:
    place = _Place(x, points, values)
    return -place.slope * _mixed(place, t)


@interp.batched
def _(declared: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    if is_batched == (True, False, False):
        return declared(*args)
    size, (x, points, values) = all_batched(is_batched, args)
    shape, count = shape_of(x), shape_of(points)[-1]
    # Points differ between rows: the formula, with elements picked from flattened points and values.
    if count == 1:
        return broadcast_to(reshape(values, shape=(size, *(1,) * (len(shape) - 1))), shape=shape)
    right = _interval_rows(x, points)
    offset = np.arange(size, dtype=np.int32).reshape(size, *(1,) * (len(shape) - 1)) * np.int32(count)
    flat_points, flat_values = reshape(points, shape=(size * count,)), reshape(values, shape=(size * count,))
    at = _Place.at
    x0, x1 = at(flat_points, right - 1 + offset), at(flat_points, right + offset)
    f0, f1 = at(flat_values, right - 1 + offset), at(flat_values, right + offset)
    part = (x - x0) / (x1 - x0)
    limited = select(less(part, 0.0), zeros_like(part), select(greater(part, 1.0), zeros_like(part) + 1.0, part))
    return f0 + (f1 - f0) * limited


@interp.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, count in [
        ((), 3), ((4,), 2), ((2, 3), 4), ((0,), 3), ((5,), 5), ((3,), 1), ((1,), 2), ((2, 1, 2), 3), ((6,), 6), ((3, 2), 2), ((2,), 8), ((4, 1), 3),
    ]:  # fmt: skip
        knots = np.linspace(-1.5, 1.5, count)
        points = (knots + draw((count,), -0.1, 0.1)).astype(draw(()).dtype)
        x = draw(shape, -1.9, 1.9, tuple(points.tolist()))
        yield Sample((x, points, draw((count,))))


@interp_interval.samples
def _(draw: Draw) -> Iterator[Sample]:
    yield Sample((draw((2, 3)), np.array([-1.0, 0.0, 0.5])))
    yield Sample((draw(()), np.array([0.0])))
    yield Sample((draw((0,)), np.array([0.0, 1.0])))


@interp.value
def _(x: Array, points: Array, values: Array) -> Any:
    def one(at: float) -> float:
        for k in range(len(points) - 1):
            if points[k] <= at <= points[k + 1]:
                part = (at - points[k]) / (points[k + 1] - points[k])
                return float(values[k] * (1 - part) + values[k + 1] * part)
        return float(values[0] if at < points[0] else values[-1])

    return np.array([one(at) for at in np.ravel(x)]).reshape(np.shape(x))


@interp.rejects
def _() -> Iterator[BadInput]:
    x, good = np.ones(2, np.float32), np.arange(3, dtype=np.float32)
    for points, values in [((2,), (3,)), ((3, 1), (3, 1)), ((), ()), ((0,), (0,)), ((3,), (3, 1))]:
        bad = (np.ones(points, np.float32), np.ones(values, np.float32))
        yield BadInput("vectors of one length", (x, *bad))
    yield BadInput("types never mix", (x, good.astype(np.float64), good))


@interp_interval.rejects
def _() -> Iterator[BadInput]:
    for shape in ((), (0,), (2, 1), (1, 1)):
        yield BadInput("a vector of points", (np.ones(2, np.float32), np.ones(shape, np.float32)))


# --- convolution --------------------------------------------------------------------------------------------


_lines_convolved: Any = np.convolve


def _convolve(a: Array, v: Array, mode: str = "full") -> Array:
    if mode not in ("full", "valid"):
        raise invalid(f"convolve: mode must be 'full' or 'valid', got {mode!r}.")
    if not a.ndim or not v.ndim or a.shape[:-1] != v.shape[:-1] or not a.shape[-1] or not v.shape[-1]:
        raise invalid(f"convolve: lines of at least one element are needed, got shapes {a.shape} and {v.shape}.")
    wide = (x.astype(np.float32) if x.dtype in NARROW_FLOATS else x for x in (a, v))
    first, second = wide
    if mode == "valid" and v.shape[-1] > a.shape[-1]:
        first, second = second, first
    if a.ndim == 1:
        return _lines_convolved(first, second, mode).astype(a.dtype, copy=False)
    size, taps = first.shape[-1], second.shape[-1]
    if mode == "full":
        result = np.zeros((*a.shape[:-1], size + taps - 1), first.dtype)
        for k in range(taps):
            result[..., k : k + size] += first * second[..., k : k + 1]
    else:
        count = size - taps + 1
        result = np.zeros((*a.shape[:-1], count), first.dtype)
        for k in range(taps):
            start = taps - 1 - k
            result += first[..., start : start + count] * second[..., k : k + 1]
    return result.astype(a.dtype, copy=False)


@op(eager=_convolve, dtypes=NUMERIC)
def convolve(xp: Namespace, a: Array, v: Array, *, mode: str = "full") -> Any:
    """The convolution of lines in the last axis: all of it, or where both overlap fully ("valid")."""
    return _convolve(a, v, mode)


@convolve.xla
def _(jax: Jax, a: Array, v: Array, *, mode: str) -> Any:
    lines = partial(jax.numpy.convolve, mode=mode)
    return each_entry(jax, lines, a.ndim - 1)(widened(a), widened(v))


@convolve.shapes
def _(a: Abstract, v: Abstract, *, mode: object) -> Shape:
    lead, size, taps = matched_sizes(a.shape[:-1], v.shape[:-1]), a.shape[-1], v.shape[-1]
    if mode == "full":
        return (*lead, size + taps - 1)
    return (*lead, larger(size, taps) - smaller(size, taps) + 1)


def _flipped(x: Any) -> Any:
    return reverse(conjugated(x), axis=(rank_of(x) - 1,))


def _convolve_vjp(g: Value, other: Value, size: int, mode: str) -> Any:
    """The cotangent of a line of this size that was convolved with `other`."""
    if mode == "full":
        return convolve(g, _flipped(other), mode="valid")
    if size >= shape_of(other)[-1]:  # the other was moved along this line
        return convolve(g, _flipped(other), mode="full")
    return convolve(_flipped(other), g, mode="valid")


@convolve.vjp("a")
def _(g: Cotangent, v: Value, a_shape: tuple[int, ...], mode: str) -> Any:
    return _convolve_vjp(g, v, a_shape[-1], mode)


@convolve.vjp("v")
def _(g: Cotangent, a: Value, v_shape: tuple[int, ...], mode: str) -> Any:
    return _convolve_vjp(g, a, v_shape[-1], mode)


convolve.linear("a", "v")
convolve.batching = batch_leading


@convolve.samples
def _(draw: Draw) -> Iterator[Sample]:
    for n, m, mode in [
        (5, 3, "full"), (3, 5, "full"), (5, 3, "valid"), (3, 5, "valid"), (1, 1, "full"), (4, 4, "valid"), (1, 4, "full"), (4, 1, "valid"),
        (6, 2, "full"), (2, 6, "valid"),
    ]:  # fmt: skip
        yield Sample((draw((n,)), draw((m,))), {"mode": mode})
    yield Sample((draw((2, 4)), draw((2, 3))), {"mode": "full"})
    yield Sample((draw((2, 1, 5)), draw((2, 1, 2))), {"mode": "valid"})


@convolve.value
def _(a: Array, v: Array, mode: str) -> Any:
    lines = [
        _lines_convolved(x, y, mode)
        for x, y in zip(a.reshape(-1, a.shape[-1]), v.reshape(-1, v.shape[-1]), strict=True)
    ]
    return np.array(lines).reshape(*a.shape[:-1], -1)


@convolve.rejects
def _() -> Iterator[BadInput]:
    x = np.ones(3, np.float32)
    for left, right in [((), (3,)), ((3,), ()), ((0,), (3,)), ((3,), (0,)), ((2, 3), (3, 3)), ((2, 3), (3,))]:
        yield BadInput("lines to convolve", (np.ones(left, np.float32), np.ones(right, np.float32)))
    yield BadInput("a mode", (x, x), {"mode": "same"})


# --- integrals ----------------------------------------------------------------------------------------------


def _trapezoid(y: Array, x: Array) -> Array:
    if not y.ndim or y.shape != x.shape:
        raise invalid(f"trapezoid: values and points of one shape are needed, got {y.shape} and {x.shape}.")
    heights = (y[..., 1:] + y[..., :-1]) * y.dtype.type(0.5)
    return _vector_sum(heights * (x[..., 1:] - x[..., :-1]))


def _vector_sum(x: Array) -> Array:
    return reduce_sum(x, axis=-1, keepdims=False)


@op(eager=_trapezoid, dtypes=INEXACT)
def trapezoid(xp: Namespace, y: Array, x: Array) -> Any:
    """The integral of values `y` at points `x` along the last axis, by the trapezoidal rule."""
    return xp.trapezoid(y, x, axis=-1)


@trapezoid.shapes
def _(y: Abstract, x: Abstract) -> Shape:
    return equal_shapes(y, x).shape[:-1]


def _pairs(values: Any, difference: bool) -> Any:
    """Neighbours along the last axis: half their sum, or their difference."""
    ahead, behind = _cut(values, 1, 0), _cut(values, 0, 1)
    return ahead - behind if difference else 0.5 * (ahead + behind)


def _cut(x: Value, first: int, last: int) -> Any:
    size = shape_of(x)[-1]
    pair = (min(first, size), min(last, size)) if size else (0, 0)
    return crop(x, paddings=(*((0, 0),) * (rank_of(x) - 1), pair))


def _spread_back(g: Value, size: int, difference: bool) -> Any:
    """The transpose of `_pairs`."""
    lead = ((0, 0),) * (rank_of(g) - 1)
    if not size:
        return g
    ahead, behind = (pad_constant(g, paddings=(*lead, pair), constant_values=0) for pair in ((1, 0), (0, 1)))
    return ahead - behind if difference else 0.5 * (ahead + behind)


def _last(g: Value) -> Any:
    return expand_dims(g, axis=rank_of(g))


@trapezoid.vjp("y")
def _(g: Cotangent, x: Value) -> Any:
    return _spread_back(_last(g) * conjugated(_pairs(x, True)), shape_of(x)[-1], False)


@trapezoid.vjp("x")
def _(g: Cotangent, y: Value) -> Any:
    return _spread_back(_last(g) * conjugated(_pairs(y, False)), shape_of(y)[-1], True)


trapezoid.linear("y", "x")
trapezoid.batching = batch_leading


@trapezoid.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in [(4,), (2,), (1,), (2, 3), (3, 5), (0, 3), (2, 2, 4), (6,), (1, 2), (5, 2), (2, 1), (7,)]:
        yield Sample((draw(shape), draw(shape)))


@trapezoid.value
def _(y: Array, x: Array) -> Any:
    pieces = [(y[..., k] + y[..., k + 1]) / 2 * (x[..., k + 1] - x[..., k]) for k in range(y.shape[-1] - 1)]
    return sum(pieces, np.zeros(y.shape[:-1], y.dtype))


@trapezoid.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for shape in ((3,), (2, 2), (3, 2), ()):
        yield BadInput("values and points of one shape", (x, np.ones(shape, np.float32)))
    yield BadInput("a line", (x[0, 0], x[0, 0]))
