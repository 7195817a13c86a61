"""Means, variances and what is normalised by them, each in one op: one record, few passes over the memory.

`standardize` is layer, batch, instance and group normalisation, by its axes. It keeps what its derivative needs, the
mean and the inverse deviation, as further outputs, which are small.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod, sqrt
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from ...base.dtypes import FLOATING, NARROW_FLOATS, Array
from ...base.errors import invalid
from ...base.types import Axis, Cotangent, Draw, Jax, Namespace, Tangent, Value
from ...native import choice, thresholds
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import (
    REDUCTIONS,
    as_array,
    batch_over_axis,
    in_float32,
    insert_axes,
    negative_axis,
    rank_of,
    reject_reduction,
    sample_reduction,
    shape_of,
    with_batch_axis,
)
from ...op.shapes import along, broadcast_to_sizes, like, reduced, reduced_sizes
from ..array.layout import broadcast_to, reshape, sum_to_shape
from ..math.elementwise import pow, square, zero_safe_divide
from ..math.logic import greater_equal, maximum, select, zeros_like
from ..math.reduce import (
    count_reduced,
    kept_shape,
    reduce_euclidean_norm,
    reduce_mean,
    reduce_sum,
    refuse_axis_of_scalar,
    root_of_squares,
)
from .normalization_kernels import gradient_by_scale, gradient_by_x, row_length, standardized
from .pool import window_sum
from .rows import sum_over


def _mean(x: Array, axis: Axis) -> Any:
    refuse_axis_of_scalar(x, axis)
    return sum_over(x, axis, True) / count_reduced(x.shape, axis)


# --- mean and variance --------------------------------------------------------------------------------------


def _moments(x: Array, axis: Axis = None, keepdims: bool = False) -> tuple[Array, Array]:
    wide = x.astype(np.float32) if x.dtype in NARROW_FLOATS else x
    mean = as_array(_mean(wide, axis), wide.dtype)
    variance = as_array(_mean(np.square(wide - mean), axis), wide.dtype)
    if not keepdims:
        axes = None if axis is None else axis if isinstance(axis, tuple) else (axis,)
        mean, variance = np.squeeze(mean, axes), np.squeeze(variance, axes)
    return mean.astype(x.dtype), variance.astype(x.dtype)


@op(eager=_moments, dtypes=FLOATING, outputs=2, shape=reduced)
def moments(xp: Namespace, x: Array, *, axis: Axis = None, keepdims: bool = False) -> Any:
    """The mean and the variance over some axes, or over all."""
    return xp.mean(x, axis=axis, keepdims=keepdims), xp.var(x, axis=axis, keepdims=keepdims)


def _centred(x: Value, mean: Value, axis: Axis) -> Any:
    return x - reshape(mean, shape=kept_shape(shape_of(x), axis))


@moments.vjp("x")
def _(g: Sequence[Cotangent], x: Value, out: Sequence[Value], axis: Axis) -> Any:
    of_mean, of_variance = (reshape(part, shape=kept_shape(shape_of(x), axis)) for part in g)
    count = count_reduced(shape_of(x), axis) or 1
    return of_mean * (1.0 / count) + of_variance * (2.0 / count) * _centred(x, out[0], axis)


@moments.jvp("x")
def _(t: Tangent, x: Value, out: Sequence[Value], axis: Axis, keepdims: bool) -> Any:
    change = 2.0 * (t * _centred(x, out[0], axis))
    return [reduce_mean(part, axis=axis, keepdims=keepdims) for part in (t, change)]


def _variance(x: Array, axis: Axis = None, keepdims: bool = False, ddof: float = 0.0) -> Array:
    refuse_axis_of_scalar(x, axis)
    wide = x.astype(np.float32) if x.dtype in NARROW_FLOATS else x
    centred = as_array(wide - as_array(_mean(wide, axis), wide.dtype))
    # The rounding error of the mean is in every distance: their sum, which should be 0, shows how large it is.
    count = count_reduced(x.shape, axis)
    lost = np.square(sum_over(centred, axis, keepdims)) / (count or 1)
    centred *= centred
    total = np.maximum(sum_over(centred, axis, keepdims) - np.minimum(lost, np.finfo(wide.dtype).max), 0)
    return as_array(total / max(count - ddof, 0), wide.dtype).astype(x.dtype, copy=False)


@op(eager=_variance, dtypes=FLOATING, shape=reduced)
def reduce_variance(xp: Namespace, x: Array, *, axis: Axis = None, keepdims: bool = False, ddof: float = 0.0) -> Any:
    """The sum of squared distances from the mean, divided by the number of elements less `ddof`."""
    return xp.var(x, axis=axis, keepdims=keepdims, ddof=ddof)


@reduce_variance.vjp("x")
def _(g: Cotangent, x: Value, axis: Axis, ddof: float) -> Any:
    factor = 2.0 / _divisor(shape_of(x), axis, ddof)
    return reshape(g, shape=kept_shape(shape_of(x), axis)) * factor * _from_mean(x, axis)


@reduce_variance.jvp("x")
def _(t: Tangent, x: Value, axis: Axis, keepdims: bool, ddof: float) -> Any:
    factor = 2.0 / _divisor(shape_of(x), axis, ddof)
    return factor * reduce_sum(t * _from_mean(x, axis), axis=axis, keepdims=keepdims)


def _from_mean(x: Value, axis: Axis) -> Any:
    return x - reduce_mean(x, axis=axis, keepdims=True)


def _divisor(shape: tuple[int, ...], axis: Axis, ddof: float) -> float:
    return max(count_reduced(shape, axis) - ddof, 0) or float("nan")


def _deviation(x: Array, axis: Axis = None, keepdims: bool = False, ddof: float = 0.0) -> Array:
    wide = x.astype(np.float32) if x.dtype in NARROW_FLOATS else x
    return as_array(np.sqrt(_variance(wide, axis, keepdims, ddof))).astype(x.dtype)


@op(eager=_deviation, dtypes=FLOATING, shape=reduced)
def reduce_std(xp: Namespace, x: Array, *, axis: Axis = None, keepdims: bool = False, ddof: float = 0.0) -> Any:
    """The square root of the variance."""
    return xp.std(x, axis=axis, keepdims=keepdims, ddof=ddof)


@reduce_std.vjp("x")
def _(g: Cotangent, x: Value, out: Value, axis: Axis, ddof: float) -> Any:
    # Where all elements are equal this is 0 * inf = nan, unless the cotangent is 0: as in TensorFlow.
    slope = reshape(zero_safe_divide(g, out), shape=kept_shape(shape_of(x), axis)) / _divisor(shape_of(x), axis, ddof)
    return slope * _from_mean(x, axis)


@reduce_std.jvp("x")
def _(t: Tangent, x: Value, out: Value, axis: Axis, keepdims: bool, ddof: float) -> Any:
    # 0 / 0 = nan where all elements are equal: as the root, and as the gradient.
    total = reduce_sum(t * _from_mean(x, axis), axis=axis, keepdims=keepdims)
    return total / (out * _divisor(shape_of(x), axis, ddof))


for _op in (moments, reduce_variance, reduce_std):
    _op.batching = batch_over_axis
    sample_reduction(_op, least=2 if _op is reduce_std else 1)  # (the root of 0 has no slope)
    reject_reduction(_op)


@moments.value
def _(x: Array, axis: Axis, keepdims: bool) -> Any:
    mean = np.mean(x, axis=axis, keepdims=keepdims)
    return mean, np.mean(x * x, axis=axis, keepdims=keepdims) - mean**2


@reduce_variance.value
def _(x: Array, axis: Axis, keepdims: bool, ddof: float) -> Any:
    return np.var(x, axis=axis, keepdims=keepdims, ddof=ddof)


@reduce_std.value
def _(x: Array, axis: Axis, keepdims: bool, ddof: float) -> Any:
    return np.std(x, axis=axis, keepdims=keepdims, ddof=ddof)


for _op in (reduce_variance, reduce_std):

    @_op.samples
    def _(draw: Draw) -> Iterator[Sample]:
        yield Sample((draw((5,)),), {"ddof": 1.0})
        yield Sample((draw((3, 4)),), {"axis": 1, "ddof": 1.5, "keepdims": True})


# --- layer and batch normalisation --------------------------------------------------------------------------


def _standardize(
    x: Array, scale: Array, offset: Array, axis: Axis = -1, epsilon: float = 1e-3
) -> tuple[Array, Array, Array]:
    refuse_axis_of_scalar(x, axis)
    for label, operand in (("scale", scale), ("offset", offset)):
        if len(operand.shape) > x.ndim or np.broadcast_shapes(operand.shape, x.shape) != x.shape:
            raise invalid(
                f"standardize: {label} of shape {operand.shape} does not broadcast to the shape {x.shape} of x."
            )
    wide = [v.astype(np.float32) if v.dtype in NARROW_FLOATS else v for v in (x, scale, offset)]
    in_rows, in_blocks = choice.in_rows(x.size), choice.in_normalization_blocks(x.size)
    if axis is not None and (in_rows or in_blocks):  # (else NumPy looks at it)
        normalize_axis_tuple(axis, x.ndim)
    kept = kept_shape(x.shape, axis)
    row = row_length(x.shape, kept)
    found = standardized(wide[0], wide[1], wide[2], kept, epsilon) if in_rows else None
    if found is not None:
        y, mean, inverse = found
    elif in_blocks and row and all(v.size in (1, row) for v in wide[1:]):
        y, mean, inverse = _standardize_rows(wide, row, epsilon)
        y, mean, inverse = y.reshape(x.shape), mean.reshape(kept), inverse.reshape(kept)
    else:
        y, mean, inverse = _standardize_whole(wide[0], wide[1], wide[2], axis, epsilon)
    return y.astype(x.dtype, copy=False), mean.astype(x.dtype, copy=False), inverse.astype(x.dtype, copy=False)


def _standardize_whole(x: Array, scale: Array, offset: Array, axis: Axis, epsilon: float) -> tuple[Array, Array, Array]:
    mean = as_array(_mean(x, axis), x.dtype)
    y = as_array(x - mean)
    inverse = as_array(1 / np.sqrt(_mean(y * y, axis) + epsilon), x.dtype)
    y *= inverse
    y *= scale
    y += offset
    return y, mean, inverse


def _standardize_rows(operands: list[Array], row: int, epsilon: float) -> tuple[Array, Array, Array]:
    x = operands[0].reshape(-1, row)
    scale, offset = (np.broadcast_to(v.reshape(-1), (row,)) for v in operands[1:])
    y, mean, inverse = np.empty_like(x), np.empty((len(x), 1), x.dtype), np.empty((len(x), 1), x.dtype)
    step = max(1, thresholds.NORMALIZATION_BLOCK_ELEMENTS // row)
    for start in range(0, len(x), step):
        rows = slice(start, start + step)
        y[rows], mean[rows], inverse[rows] = _standardize_whole(x[rows], scale, offset, 1, epsilon)
    return y, mean, inverse


@op(eager=_standardize, dtypes=FLOATING, outputs=3)
def standardize(xp: Namespace, x: Array, scale: Array, offset: Array, *, axis: Axis = -1, epsilon: float = 1e-3) -> Any:
    """(x - mean) / sqrt(variance + epsilon) * scale + offset, with the mean and 1 / sqrt(variance + epsilon).

    Mean and variance are taken over `axis`; scale and offset broadcast against x.
    """
    mean = xp.mean(x, axis=axis, keepdims=True)
    inverse = 1 / xp.sqrt(xp.var(x, axis=axis, keepdims=True) + epsilon)
    return (x - mean) * inverse * scale + offset, mean, inverse


@standardize.shapes
def _(x: Abstract, scale: Abstract, offset: Abstract, *, axis: Any, epsilon: Any) -> list[Shape]:
    for operand in (scale, offset):
        broadcast_to_sizes(operand.known, x.known)
    kept = reduced_sizes(x.shape, axis, True)
    return [x.shape, kept, kept]


@standardize.vjp("x")
def _(g: Sequence[Cotangent], x: Value, scale: Value, out: Sequence[Value], axis: Axis) -> Any:
    gradient, of_mean, of_inverse = g
    _, mean, inverse = out
    share = 1.0 / (count_reduced(shape_of(x), axis) or 1)
    found = gradient_by_x(gradient, x, scale, mean, inverse, of_mean, of_inverse)
    if found is not None:
        return found
    normal, scaled = (x - mean) * inverse, gradient * scale
    level = inverse * reduce_mean(scaled, axis=axis, keepdims=True) - share * of_mean
    slope = inverse * (reduce_mean(scaled * normal, axis=axis, keepdims=True) + share * (of_inverse * inverse))
    return scaled * inverse - level - normal * slope


@standardize.vjp("scale")
def _(g: Sequence[Cotangent], x: Value, out: Sequence[Value], scale_shape: tuple[int, ...]) -> Any:
    found = gradient_by_scale(g[0], x, out[1], out[2], scale_shape)
    if found is not None:
        return found
    return sum_to_shape(g[0] * ((x - out[1]) * out[2]), shape=scale_shape)


@standardize.vjp("offset")
def _(g: Sequence[Cotangent], offset_shape: tuple[int, ...]) -> Any:
    return sum_to_shape(g[0], shape=offset_shape)


@standardize.jvp("x")
def _(t: Tangent, x: Value, scale: Value, out: Sequence[Value], axis: Axis) -> Any:
    _, mean, inverse = out
    level = reduce_mean(t, axis=axis, keepdims=True)
    centred = x - mean
    turn = -(inverse * inverse * inverse) * reduce_mean(t * centred, axis=axis, keepdims=True)
    return [scale * ((t - level) * inverse + centred * turn), level, turn]


@standardize.jvp("scale")
def _(t: Tangent, x: Value, out: Sequence[Value]) -> Any:
    return [t * ((x - out[1]) * out[2]), zeros_like(out[1]), zeros_like(out[2])]


@standardize.jvp("offset")
def _(t: Tangent, out: Sequence[Value], x_shape: tuple[int, ...]) -> Any:
    return [broadcast_to(t, shape=x_shape), zeros_like(out[1]), zeros_like(out[2])]


def _batch_affine(
    declared: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]
) -> Any:
    size = next(shape_of(a)[0] for a, batched in zip(args, is_batched, strict=True) if batched)
    x = args[0] if is_batched[0] else with_batch_axis(args[0], size)
    rank = rank_of(x) - 1
    rest = [insert_axes(a, rank) if batched else a for a, batched in zip(args[1:], is_batched[1:], strict=True)]
    return declared(x, *rest, **{**attributes, "axis": negative_axis(attributes["axis"], rank)})


standardize.batching = _batch_affine

_AFFINE: list[tuple[tuple[int, ...], tuple[int, ...], Axis]] = [
    ((3, 4), (4,), -1), ((3, 4), (4,), 0), ((2, 3, 4), (4,), -1), ((2, 3, 4), (4,), (0, 1)), ((2, 3, 4), (3, 4), (1, 2)), ((4,), (4,), 0),
    ((4,), (), -1), ((2, 3, 3, 2), (2,), (0, 1, 2)), ((2, 3, 4), (1, 1, 4), -1), ((2, 3, 4), (3, 1), 2), ((3, 5), (1,), (0, 1)), ((0, 4), (4,), -1),
    ((2, 2, 3), (3,), (1, 2)),
]  # fmt: skip


@standardize.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, affine, axis in _AFFINE:
        yield Sample((draw(shape), draw(affine, 0.5, 1.5), draw(affine)), {"axis": axis, "epsilon": 0.01})


@standardize.value
def _(x: Array, scale: Array, offset: Array, axis: Axis, epsilon: float) -> Any:
    mean, inverse = x.mean(axis=axis, keepdims=True), (x.var(axis=axis, keepdims=True) + epsilon) ** -0.5
    return (x - mean) * inverse * scale + offset, mean, inverse


@standardize.rejects
def _() -> Iterator[BadInput]:
    x, good = np.ones((2, 3), np.float32), np.ones(3, np.float32)
    for shape in ((2,), (4,), (2, 2, 3), (3, 1)):
        bad = np.ones(shape, np.float32)
        yield BadInput("scale must broadcast", (x, bad, good))
        yield BadInput("offset must broadcast", (x, good, bad))
    for axis in (2, -3, (0, 0)):
        yield BadInput("the axes must exist, once each", (x, good, good), {"axis": axis})
    yield BadInput("types never mix", (x, good.astype(np.float64), good))


# --- by the root mean square, by the length -----------------------------------------------------------------


def _rms_standardize(x: Array, scale: Array, axis: Axis = -1, epsilon: float = 1e-6) -> tuple[Array, Array]:
    refuse_axis_of_scalar(x, axis)
    if len(scale.shape) > x.ndim or np.broadcast_shapes(scale.shape, x.shape) != x.shape:
        raise invalid(f"rms_standardize: scale of shape {scale.shape} does not broadcast to the shape {x.shape} of x.")
    wide, factor = (v.astype(np.float32) if v.dtype in NARROW_FLOATS else v for v in (x, scale))
    inverse = as_array(1 / np.sqrt(_mean(wide * wide, axis) + epsilon), wide.dtype)
    y = as_array(wide * inverse)
    y *= factor
    return y.astype(x.dtype, copy=False), inverse.astype(x.dtype, copy=False)


@op(eager=_rms_standardize, dtypes=FLOATING, outputs=2)
def rms_standardize(xp: Namespace, x: Array, scale: Array, *, axis: Axis = -1, epsilon: float = 1e-6) -> Any:
    """x / sqrt(mean(x^2) + epsilon) * scale, with 1 / sqrt(mean(x^2) + epsilon)."""
    inverse = 1 / xp.sqrt(xp.mean(x * x, axis=axis, keepdims=True) + epsilon)
    return x * inverse * scale, inverse


@rms_standardize.shapes
def _(x: Abstract, scale: Abstract, *, axis: Any, epsilon: Any) -> list[Shape]:
    broadcast_to_sizes(scale.known, x.known)
    return [x.shape, reduced_sizes(x.shape, axis, True)]


@rms_standardize.vjp("x")
def _(g: Sequence[Cotangent], x: Value, scale: Value, out: Sequence[Value], axis: Axis) -> Any:
    gradient, of_inverse = g
    inverse, share = out[1], 1.0 / (count_reduced(shape_of(x), axis) or 1)
    scaled = gradient * scale
    total = reduce_mean(scaled * x, axis=axis, keepdims=True) + share * of_inverse
    return scaled * inverse - x * (inverse * inverse * inverse * total)


@rms_standardize.vjp("scale")
def _(g: Sequence[Cotangent], x: Value, out: Sequence[Value], scale_shape: tuple[int, ...]) -> Any:
    return sum_to_shape(g[0] * (x * out[1]), shape=scale_shape)


@rms_standardize.jvp("x")
def _(t: Tangent, x: Value, scale: Value, out: Sequence[Value], axis: Axis) -> Any:
    inverse = out[1]
    turn = -(inverse * inverse * inverse) * reduce_mean(t * x, axis=axis, keepdims=True)
    return [scale * (t * inverse + x * turn), turn]


@rms_standardize.jvp("scale")
def _(t: Tangent, x: Value, out: Sequence[Value]) -> Any:
    return [t * (x * out[1]), zeros_like(out[1])]


rms_standardize.batching = _batch_affine


@rms_standardize.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, affine, axis in _AFFINE:
        yield Sample((draw(shape), draw(affine, 0.5, 1.5)), {"axis": axis, "epsilon": 0.01})


@rms_standardize.value
def _(x: Array, scale: Array, axis: Axis, epsilon: float) -> Any:
    inverse = ((x**2).mean(axis=axis, keepdims=True) + epsilon) ** -0.5
    return x * inverse * scale, inverse


@rms_standardize.rejects
def _() -> Iterator[BadInput]:
    x, good = np.ones((2, 3), np.float32), np.ones(3, np.float32)
    for shape in ((2,), (4,), (2, 2, 3), (3, 1)):
        yield BadInput("scale must broadcast", (x, np.ones(shape, np.float32)))
    for axis in (2, -3, (0, 0)):
        yield BadInput("the axes must exist, once each", (x, good), {"axis": axis})
    yield BadInput("types never mix", (x, good.astype(np.float64)))


@in_float32
def _l2_normalize(x: Array, axis: Axis = None, epsilon: float = 1e-12) -> Any:
    refuse_axis_of_scalar(x, axis)
    return x / np.maximum(root_of_squares(x, axis), x.dtype.type(sqrt(max(epsilon, 0.0))))


@op(eager=_l2_normalize, dtypes=FLOATING, shape=along)
def l2_normalize(xp: Namespace, x: Array, *, axis: Axis = None, epsilon: float = 1e-12) -> Any:
    """x divided by its Euclidean norm along `axis`; the squared norm is at least `epsilon`."""
    return x / xp.sqrt(xp.maximum(xp.sum(x * x, axis=axis, keepdims=True), epsilon))


def _l2_derivative(t: Array, x: Array, out: Array, axis: Axis, epsilon: float) -> Any:
    """Symmetric in t: the part of t orthogonal to x, divided by the length; where the length is clipped, all of t."""
    length, least = reduce_euclidean_norm(x, axis=axis, keepdims=True), sqrt(max(epsilon, 0.0))
    along = reduce_sum(t * out, axis=axis, keepdims=True)
    return (t - out * select(greater_equal(length, least), along, zeros_like(along))) / maximum(length, least)


l2_normalize.vjp("x")(_l2_derivative)
l2_normalize.jvp("x")(_l2_derivative)
l2_normalize.batching = batch_over_axis
reject_reduction(l2_normalize)


@l2_normalize.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, axis, _ in REDUCTIONS:
        yield Sample((draw(shape, 0.3, 2.0),), {"axis": axis})
    yield Sample((draw((2, 3)) * 1e-3,), {"axis": 1, "epsilon": 1.0})


@l2_normalize.value
def _(x: Array, axis: Axis, epsilon: float) -> Any:
    return x / np.maximum(np.sqrt((x**2).sum(axis=axis, keepdims=True)), np.sqrt(epsilon))


# --- by neighbouring channels -------------------------------------------------------------------------------


def _over_channels(x: Value, radius: int) -> Any:
    """For each channel, the sum of the channels at most `radius` away."""
    shape = shape_of(x)
    reach = min(radius, max(shape[-1] - 1, 0))
    rows = reshape(x, shape=(prod(shape[:-1]), shape[-1], 1))
    window = {"window": (2 * reach + 1,), "strides": (1,), "dilations": (1,), "padding": ((reach, reach),)}
    return reshape(window_sum(rows, **window, average=False), shape=shape)


@in_float32
def _lrn(input: Array, depth_radius: int = 5, bias: float = 1.0, alpha: float = 1.0, beta: float = 0.5) -> Any:
    if input.ndim != 4:
        raise invalid(f"lrn: the input must have 4 axes (batch, height, width, channels), got shape {input.shape}.")
    if not 0 <= depth_radius < 2**31:
        raise invalid(f"lrn: depth_radius must be from 0 to 2**31 - 1, got {depth_radius}.")
    kind = input.dtype.type
    base = _over_channels(input * input, depth_radius) * kind(alpha) + kind(bias)
    return input / np.sqrt(base) if beta == 0.5 else input * base ** kind(-beta)


@op(eager=_lrn, dtypes=FLOATING, tf_name="LRN", shape=like(0))
def lrn(
    xp: Namespace, input: Array, *, depth_radius: int = 5, bias: float = 1.0, alpha: float = 1.0, beta: float = 0.5
) -> Any:
    """x / (bias + alpha * sum of squares over the neighbouring channels)^beta."""
    return _lrn(input, depth_radius, bias, alpha, beta)


@lrn.xla
def _(jax: Jax, input: Array, *, depth_radius: int, bias: float, alpha: float, beta: float) -> Any:
    wide = input.astype(np.float32) if input.dtype in NARROW_FLOATS else input
    reach = min(depth_radius, max(input.shape[-1] - 1, 0))
    zero, ones = wide.dtype.type(0), (1, 1, 1)
    borders = ((0, 0), (0, 0), (0, 0), (reach, reach))
    sums = jax.lax.reduce_window(wide * wide, zero, jax.lax.add, (*ones, 2 * reach + 1), (*ones, 1), borders)
    return wide * (bias + alpha * sums) ** -beta


def _lrn_factor(input: Value, depth_radius: int, bias: float, alpha: float) -> Any:
    return _over_channels(square(input), depth_radius) * alpha + bias


@lrn.vjp("input")
def _(g: Cotangent, input: Value, depth_radius: int, bias: float, alpha: float, beta: float) -> Any:
    base = _lrn_factor(input, depth_radius, bias, alpha)
    spread = _over_channels(g * input * pow(base, -beta - 1.0), depth_radius)
    return g * pow(base, -beta) - (2.0 * alpha * beta) * (input * spread)


@lrn.jvp("input")
def _(t: Tangent, input: Value, depth_radius: int, bias: float, alpha: float, beta: float) -> Any:
    base = _lrn_factor(input, depth_radius, bias, alpha)
    change = _over_channels(t * input, depth_radius) * pow(base, -beta - 1.0)
    return t * pow(base, -beta) - (2.0 * alpha * beta) * (input * change)


@lrn.batched
def _(declared: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    shape = shape_of(args[0])
    if len(shape) != 5:
        raise invalid(f"lrn: the input must have 4 axes (batch, height, width, channels), got {len(shape) - 1}.")
    return reshape(lrn(reshape(args[0], shape=(shape[0] * shape[1], *shape[2:])), **attributes), shape=shape)


@lrn.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, radius in [
        ((1, 1, 1, 4), 1), ((2, 1, 2, 3), 1), ((1, 2, 2, 5), 2), ((1, 1, 1, 1), 5), ((2, 2, 1, 6), 3), ((0, 1, 1, 3), 1),
        ((1, 1, 2, 4), 0), ((1, 3, 1, 3), 9), ((2, 1, 1, 2), 1), ((1, 1, 1, 7), 2), ((1, 2, 3, 2), 1),
    ]:  # fmt: skip
        yield Sample((draw(shape),), {"depth_radius": radius})
    yield Sample((draw((1, 2, 1, 4)),), {"depth_radius": 1, "bias": 2.0, "alpha": 0.3, "beta": 0.75})


@lrn.value
def _(input: Array, depth_radius: int, bias: float, alpha: float, beta: float) -> Any:
    result = np.empty_like(input)
    for channel in range(input.shape[-1]):
        near = input[..., max(0, channel - depth_radius) : channel + depth_radius + 1]
        result[..., channel] = input[..., channel] / (bias + alpha * (near**2).sum(axis=-1)) ** beta
    return result


@lrn.rejects
def _() -> Iterator[BadInput]:
    for shape in ((), (3,), (2, 3), (2, 3, 4), (1, 1, 1, 1, 1)):
        yield BadInput("images have four axes", (np.ones(shape, np.float32),))
    for radius in (-1, 2**31, -(2**40)):
        yield BadInput("a radius", (np.ones((1, 1, 1, 2), np.float32),), {"depth_radius": radius})
