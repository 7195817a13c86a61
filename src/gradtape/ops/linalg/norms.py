"""Norms of any order, moments with weights, whole images standardised, sums over samples of a function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

import numpy as np

from ...base.dtypes import FLOATING, INEXACT, NARROW_FLOATS, Array
from ...base.errors import invalid
from ...base.types import Cotangent, Draw, Namespace, Tangent, Value
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ..array.borders import crop, pad_constant
from ..array.layout import expand_dims, reshape, sum_to_shape
from ..family import (
    all_batched,
    batch_leading,
    batch_over_axis,
    in_float32,
    insert_axes,
    negative_axis,
    rank_of,
    shape_of,
)
from ..math.elementwise import abs as absolute
from ..math.elementwise import divide_no_nan, pow, rsqrt, sign, square
from ..math.logic import greater_equal, maximum, select, zeros_like
from ..math.reduce import kept_shape, reduce_mean, reduce_sum, refuse_axis_of_scalar, spread
from ..nn.normalization import reject_axes
from ..shapes import broadcast_to_sizes, equal_shapes, like, real_type, reduced, reduced_sizes
from .products import conjugated

Axis = int | tuple[int, ...] | None
_add: Any = np.add.reduce
_maximum: Any = np.maximum.reduce

# --- norms of any order -------------------------------------------------------------------------------------


@in_float32
def _reduce_norm(x: Array, order: float, axis: Axis = None, keepdims: bool = False) -> Any:
    refuse_axis_of_scalar(x, axis)
    if not order > 0 or order == np.inf:
        raise invalid(f"reduce_norm: the order must be positive and finite, got {order}.")
    size = np.abs(x)
    # Divided by the largest element, so that powers neither overflow nor vanish.
    top = _maximum(size, axis=axis, keepdims=True, initial=0)
    scale = np.where((top > 0) & np.isfinite(top), top, 1).astype(x.dtype)
    total = _add((size / scale) ** x.dtype.type(order), axis, None, None, True) ** x.dtype.type(1 / order) * scale
    return total if keepdims else np.asarray(total).reshape(_add(np.empty(x.shape, bool), axis).shape)


@op(eager=_reduce_norm, dtypes=FLOATING, shape=reduced, gives=real_type)
def reduce_norm(xp: Namespace, x: Array, *, order: float, axis: Axis = None, keepdims: bool = False) -> Any:
    """(sum |x|^order)^(1 / order) over some axes, or over all; without overflow."""
    return xp.sum(xp.abs(x) ** order, axis=axis, keepdims=keepdims) ** (1 / order)


def _slope(x: Value, out: Value, axis: Axis, order: float) -> Any:
    kept = reshape(out, shape=kept_shape(shape_of(x), axis))
    return sign(x) * pow(divide_no_nan(absolute(x), kept), order - 1.0)


@reduce_norm.vjp("x")
def _(g: Cotangent, x: Value, out: Value, axis: Axis, order: float) -> Any:
    return spread(g, shape_of(x), axis) * _slope(x, out, axis, order)


@reduce_norm.jvp("x")
def _(t: Tangent, x: Value, out: Value, axis: Axis, keepdims: bool, order: float) -> Any:
    return reduce_sum(t * _slope(x, out, axis, order), axis=axis, keepdims=keepdims)


reduce_norm.batching = batch_over_axis
reject_axes(reduce_norm)


@reduce_norm.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, order, axis, keepdims in [
        ((4,), 3.0, None, False), ((2, 3), 2.5, 0, False), ((2, 3), 1.0, 1, True), ((2, 3, 2), 4.0, (0, 2), False), ((1,), 2.0, 0, False),
        ((3, 2), 0.5, -1, False), ((2, 2, 2), 3.0, None, True), ((5,), 1.5, -1, False), ((0, 2), 3.0, 1, False), ((3, 3), 6.0, (0, 1), False),
        ((2, 4), 2.0, 1, False), ((6,), 10.0, 0, True),
    ]:  # fmt: skip
        yield Sample((draw(shape, avoid=(0.0,)),), {"order": order, "axis": axis, "keepdims": keepdims})


@reduce_norm.value
def _(x: Array, order: float, axis: Axis, keepdims: bool) -> Any:
    return np.sum(np.abs(x) ** order, axis=axis, keepdims=keepdims) ** (1 / order)


@reduce_norm.rejects
def _() -> Iterator[BadInput]:
    for order in (0.0, -1.0, float("inf"), float("nan")):
        yield BadInput("an order", (np.ones(3, np.float32),), {"order": order})


# --- moments with weights -----------------------------------------------------------------------------------


def _weighted_moments(x: Array, weights: Array, axis: Axis = None) -> tuple[Array, Array]:
    refuse_axis_of_scalar(x, axis)
    if weights.ndim > x.ndim or np.broadcast_shapes(weights.shape, x.shape) != x.shape:
        raise invalid(f"weighted_moments: weights of shape {weights.shape} do not broadcast to {x.shape}.")
    values, w = (
        v.astype(np.float32) if v.dtype in NARROW_FLOATS else v for v in (x, np.broadcast_to(weights, x.shape))
    )
    total = _add(w, axis, None, None, True)
    mean = np.asarray(_add(w * values, axis, None, None, True) / total)
    variance = np.asarray(_add(w * np.square(values - mean), axis, None, None, True) / total)
    return mean.astype(x.dtype, copy=False), variance.astype(x.dtype, copy=False)


@op(eager=_weighted_moments, dtypes=FLOATING, outputs=2)
def weighted_moments(xp: Namespace, x: Array, weights: Array, *, axis: Axis = None) -> Any:
    """Mean and variance over some axes, which stay with size 1; each element counts as much as its weight says."""
    total = xp.sum(weights + xp.zeros_like(x), axis=axis, keepdims=True)
    mean = xp.sum(weights * x, axis=axis, keepdims=True) / total
    return mean, xp.sum(weights * xp.square(x - mean), axis=axis, keepdims=True) / total


@weighted_moments.shapes
def _(x: Abstract, weights: Abstract, *, axis: Any) -> Shape:
    broadcast_to_sizes(weights.known, x.known)
    return reduced_sizes(x.shape, axis, True)


def _total(x: Any, weights: Any, axis: Axis) -> Any:
    return reduce_sum(weights + zeros_like(x), axis=axis, keepdims=True)


@weighted_moments.vjp("x")
def _(g: Sequence[Cotangent], x: Value, weights: Value, out: Sequence[Value], axis: Axis) -> Any:
    return (g[0] + 2.0 * g[1] * (x - out[0])) / _total(x, weights, axis) * weights


@weighted_moments.vjp("weights")
def _(g: Sequence[Cotangent], x: Value, weights: Value, out: Any, axis: Axis, weights_shape: tuple[int, ...]) -> Any:
    distance = x - out[0]
    change = g[0] * distance + g[1] * (square(distance) - out[1])
    return sum_to_shape(change / _total(x, weights, axis), shape=weights_shape)


@weighted_moments.jvp("x")
def _(t: Tangent, x: Value, weights: Value, out: Sequence[Value], axis: Axis) -> Any:
    weighted, total = t * weights, _total(x, weights, axis)
    change = 2.0 * (weighted * (x - out[0]))
    return [reduce_sum(part, axis=axis, keepdims=True) / total for part in (weighted, change)]


@weighted_moments.jvp("weights")
def _(t: Tangent, x: Value, weights: Value, out: Sequence[Value], axis: Axis) -> Any:
    distance, total = x - out[0], _total(x, weights, axis)
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


# --- whole images -------------------------------------------------------------------------------------------


@in_float32
def _standardize_image(image: Array) -> Any:
    if image.ndim < 3:
        raise invalid(f"per_image_standardization: images have at least 3 axes, got shape {image.shape}.")
    axes = (-3, -2, -1)
    count = prod(image.shape[-3:])
    centred = image - image.mean(axis=axes, keepdims=True)
    deviation = np.sqrt((centred * centred).mean(axis=axes, keepdims=True))
    return centred / np.maximum(deviation, image.dtype.type(1 / np.sqrt(count or 1)))


@op(eager=_standardize_image, dtypes=FLOATING, shape=like(0))
def standardize_image(xp: Namespace, image: Array) -> Any:
    """Images with mean 0 and deviation 1 over all of their pixels; the deviation counts as at least 1 / sqrt(pixels)."""
    axes = (-3, -2, -1)
    centred = image - xp.mean(image, axis=axes, keepdims=True)
    return centred / xp.maximum(xp.std(image, axis=axes, keepdims=True), 1 / np.sqrt(prod(image.shape[-3:])))


def _image_derivative(t: Array, image: Value, out: Array) -> Any:
    """Symmetric: it serves both directions. Where the deviation is cut it does not change."""
    axes = (-3, -2, -1)
    count = prod(shape_of(image)[-3:]) or 1
    centred = image - reduce_mean(image, axis=axes, keepdims=True)
    squares = reduce_mean(square(centred), axis=axes, keepdims=True)
    floor = 1.0 / count
    inverse = rsqrt(maximum(squares, floor))
    along = reduce_mean(t * out, axis=axes, keepdims=True)
    along = select(greater_equal(squares, floor), along, zeros_like(along))
    return inverse * (t - reduce_mean(t, axis=axes, keepdims=True) - out * along)


standardize_image.vjp("image")(_image_derivative)
standardize_image.jvp("image")(_image_derivative)
standardize_image.batching = batch_leading


@standardize_image.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in [
        (2, 3, 1), (1, 1, 3), (3, 2, 2), (2, 2, 2, 3), (1, 2, 2, 1), (4, 1, 2), (0, 2, 2, 3), (2, 1, 1, 2, 2), (5, 2, 1), (2, 3, 4), (1, 4, 1), (3, 3, 3),
    ]:  # fmt: skip
        yield Sample((draw(shape, -4.0, 4.0),))
    yield Sample((draw((2, 2, 1)) * 1e-3,))


@standardize_image.value
def _(image: Array) -> Any:
    axes = (-3, -2, -1)
    floor = 1 / np.sqrt(prod(image.shape[-3:]))
    return (image - image.mean(axis=axes, keepdims=True)) / np.maximum(image.std(axis=axes, keepdims=True), floor)


@standardize_image.rejects
def _() -> Iterator[BadInput]:
    for shape in ((), (3,), (2, 3), (0,)):
        yield BadInput("images have at least three axes", (np.ones(shape, np.float32),))


# --- sampled functions --------------------------------------------------------------------------------------


def _trapezoid(y: Array, x: Array) -> Array:
    if not y.ndim or y.shape != x.shape:
        raise invalid(f"trapezoid: values and points of one shape are needed, got {y.shape} and {x.shape}.")
    heights = (y[..., 1:] + y[..., :-1]) * y.dtype.type(0.5)
    return _vector_sum(heights * (x[..., 1:] - x[..., :-1]))


def _vector_sum(x: Array) -> Array:
    return reduce_sum(x, axis=-1, keepdims=False)  # type: ignore[no-any-return]


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
