"""Ops of training in one pass: dropout, the Poisson loss, contrast, quantisation, isotonic regression, beta functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...base.dtypes import FLOATING, NARROW_FLOATS, Array
from ...base.errors import invalid
from ...base.types import Cotangent, Draw, Namespace, Tangent, Value
from ...op.declaration import BadInput, Op, Sample, op
from ..array.layout import expand_dims, sum_to_shape
from ..family import (
    UNARY_SHAPES,
    batch_leading,
    elementwise,
    in_float32,
    insert_axes,
    numpy_type,
    one_pass,
    rank_of,
    shape_of,
    with_batch_axis,
)
from ..math.cumulative import linear_recurrence, moved_on
from ..math.elementwise import convert, exp, log
from ..math.gamma import digamma
from ..math.logic import equal, greater, greater_equal, less, less_equal, logical_and, ones_like, select, zeros_like
from ..math.reduce import reduce_mean, reduce_sum
from ..math.special import functions
from ..shapes import like, without_last

# --- dropout ------------------------------------------------------------------------------------------------


@one_pass
def _keep_scaled(x: Array, noise: Array, rate: float = 0.5) -> Any:
    # A product with 0 and 1: where() takes eight times as long on a random mask.
    return x * ((noise >= rate) * x.dtype.type(1 / (1 - rate)))


def _dropped(x: Array, noise: Array, rate: float = 0.5) -> Any:
    if not 0 <= rate < 1:
        raise invalid(f"apply_dropout: the rate must be in [0, 1), got {rate}.")
    return _keep_scaled(x, noise, rate=rate)


@elementwise(eager=_dropped, dtypes=FLOATING)
def apply_dropout(xp: Namespace, x: Array, noise: Array, *, rate: float = 0.5) -> Any:
    """x / (1 - rate) where the noise is at least the rate, 0 elsewhere."""
    return xp.where(noise >= rate, x / (1 - rate), 0)


@apply_dropout.derivative("x")
def _(t: Value, noise: Value, rate: float) -> Any:
    return apply_dropout(t, noise, rate=rate)


apply_dropout.constant_in("noise")


@apply_dropout.samples
def _(draw: Draw) -> Iterator[Sample]:
    for number, shape in enumerate(UNARY_SHAPES):
        rate = (0.3, 0.6, 0.0)[number % 3]
        yield Sample((draw(shape), draw(shape, 0.0, 1.0, (rate,))), {"rate": rate})
    yield Sample((draw((2, 3)), draw((2, 1), 0.0, 1.0, (0.5,))), {"rate": 0.5})


@apply_dropout.value
def _(x: Array, noise: Array, rate: float) -> Any:
    return x * (np.floor(noise - rate) + 1) / (1 - rate)


@apply_dropout.rejects
def _() -> Iterator[BadInput]:
    x = np.ones(2, np.float32)
    for rate in (1.0, -0.1, 2.0, float("nan")):
        yield BadInput("a rate", (x, x), {"rate": rate})


# --- the Poisson loss ---------------------------------------------------------------------------------------


@in_float32
@one_pass
def _log_poisson(log_input: Array, targets: Array, full: bool = False) -> Any:
    loss = np.exp(log_input) - log_input * targets
    if full:
        with np.errstate(divide="ignore", invalid="ignore"):
            stirling = targets * np.log(targets) - targets + 0.5 * np.log(2 * np.pi * targets)
        loss = loss + np.where((targets >= 0) & (targets <= 1), 0, stirling).astype(loss.dtype)
    return loss


@elementwise(eager=_log_poisson, dtypes=FLOATING)
def log_poisson(xp: Namespace, log_input: Array, targets: Array, *, full: bool = False) -> Any:
    """exp(x) - x * target; `full` adds Stirling's approximation of log(target!) for targets above 1."""
    loss = xp.exp(log_input) - log_input * targets
    if full:
        stirling = targets * xp.log(targets) - targets + 0.5 * xp.log(2 * xp.pi * targets)
        loss = loss + xp.where((targets >= 0) & (targets <= 1), 0, stirling)
    return loss


@log_poisson.derivative("log_input")
def _(t: Value, log_input: Value, targets: Value) -> Any:
    return t * (exp(log_input) - targets)


@log_poisson.derivative("targets")
def _(t: Value, log_input: Value, targets: Value, full: bool) -> Any:
    if not full:
        return -t * log_input
    small = logical_and(greater_equal(targets, 0.0), less_equal(targets, 1.0))
    slope = log(targets) + 0.5 / targets
    return t * (select(small, zeros_like(slope), slope) - log_input)


@log_poisson.samples
def _(draw: Draw) -> Iterator[Sample]:
    for number, shape in enumerate(UNARY_SHAPES):
        yield Sample((draw(shape), draw(shape, 0.1, 4.0, (1.0,))), {"full": number % 2 == 0})


@log_poisson.value
def _(log_input: Array, targets: Array, full: bool) -> Any:
    loss = np.exp(log_input) - log_input * targets
    extra = targets * np.log(targets) - targets + 0.5 * np.log(2 * np.pi * targets)
    return loss + np.where(targets > 1, extra, 0) if full else loss


# --- contrast -----------------------------------------------------------------------------------------------


def _adjust_contrast(images: Array, contrast_factor: Array) -> Any:
    if images.ndim < 3 or np.ndim(contrast_factor):
        raise invalid(
            "adjust_contrast: images with at least 3 axes and one factor are needed, "
            f"got shapes {images.shape} and {np.shape(contrast_factor)}."
        )
    x = images.astype(np.float32) if images.dtype in NARROW_FLOATS else images
    mean = x.mean(axis=(-3, -2), keepdims=True)
    result = x - mean
    result *= x.dtype.type(contrast_factor)
    result += mean
    return result.astype(images.dtype, copy=False)


@op(eager=_adjust_contrast, dtypes=FLOATING, tf_name="AdjustContrastv2", shape=like(0))
def adjust_contrast(xp: Namespace, images: Array, contrast_factor: Array) -> Any:
    """Distances from the mean of the image and channel, times a factor."""
    mean = xp.mean(images, axis=(-3, -2), keepdims=True)
    return (images - mean) * contrast_factor + mean


def _contrast_of(t: Value, factor: Value) -> Any:
    """Linear in the image, and symmetric: it serves both directions."""
    mean = reduce_mean(t, axis=(-3, -2), keepdims=True)
    return (t - mean) * factor + mean


@adjust_contrast.vjp("images")
def _(g: Cotangent, contrast_factor: Value) -> Any:
    return _contrast_of(g, contrast_factor)


@adjust_contrast.jvp("images")
def _(t: Tangent, contrast_factor: Value) -> Any:
    return _contrast_of(t, contrast_factor)


@adjust_contrast.vjp("contrast_factor")
def _(g: Cotangent, images: Value) -> Any:
    return sum_to_shape(g * (images - reduce_mean(images, axis=(-3, -2), keepdims=True)), shape=())


@adjust_contrast.jvp("contrast_factor")
def _(t: Tangent, images: Value) -> Any:
    return t * (images - reduce_mean(images, axis=(-3, -2), keepdims=True))


@adjust_contrast.batched
def _(declared: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    images, factor = args
    if not is_batched[1]:
        return declared(images, factor)
    size = shape_of(factor)[0]
    images = images if is_batched[0] else with_batch_axis(images, size)
    return _contrast_of(images, insert_axes(factor, rank_of(images) - 1))


@adjust_contrast.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in [
        (2, 3, 1), (1, 1, 3), (3, 2, 2), (2, 2, 2, 3), (1, 2, 2, 1), (4, 1, 2), (0, 2, 2, 3), (2, 1, 1, 2, 2), (5, 2, 1), (2, 3, 4), (1, 4, 1), (3, 3, 3),
    ]:  # fmt: skip
        yield Sample((draw(shape), draw((), 0.5, 1.5)))


@adjust_contrast.value
def _(images: Array, contrast_factor: Array) -> Any:
    mean = np.mean(images, axis=(-3, -2), keepdims=True)
    return contrast_factor * images + (1 - contrast_factor) * mean


@adjust_contrast.rejects
def _() -> Iterator[BadInput]:
    x, one = np.ones((2, 2, 3), np.float32), np.float32(1)
    for images in (x[0], x[0, 0], one):
        yield BadInput("images have at least three axes", (images, one))
    yield BadInput("one factor", (x, x[0, 0]))


# --- quantisation -------------------------------------------------------------------------------------------


def _quantize_and_dequantize(
    input: Array,
    input_min: Array,
    input_max: Array,
    signed_input: bool = True,
    num_bits: int = 8,
    round_mode: str = "HALF_TO_EVEN",
    narrow_range: bool = False,
    clamp: bool = True,
) -> Any:
    if not 1 <= num_bits <= 62:
        raise invalid(f"quantize_and_dequantize: num_bits must be from 1 to 62, got {num_bits}.")
    if round_mode not in ("HALF_TO_EVEN", "HALF_UP"):
        raise invalid(f"quantize_and_dequantize: round_mode must be HALF_TO_EVEN or HALF_UP, got {round_mode!r}.")
    if np.any(input_min > input_max):
        raise invalid(f"quantize_and_dequantize: the range from {input_min} to {input_max} is empty.")
    lowest = (-(2 ** (num_bits - 1)) + int(narrow_range)) if signed_input else int(narrow_range)
    highest = 2 ** (num_bits - 1) - 1 if signed_input else 2**num_bits - 1
    largest = np.finfo(input.dtype).max
    with np.errstate(divide="ignore", invalid="ignore"):
        of_low = np.where(lowest * input_min > 0, lowest / input_min, largest).astype(input.dtype)
        of_high = np.where(highest * input_max > 0, highest / input_max, largest).astype(input.dtype)
        scale = np.minimum(of_low, of_high)
        # The range is widened at the end that is not the limit, so that 0 is a value that can be kept.
        high = np.where(of_low < of_high, highest / scale, input_max).astype(input.dtype)
        low = np.where(of_low < of_high, input_min, lowest / scale).astype(input.dtype)
    scaled = (np.clip(input, low, high) if clamp else input) * scale
    rounded = np.rint(scaled) if round_mode == "HALF_TO_EVEN" else np.floor(scaled + input.dtype.type(0.5))
    return np.asarray(rounded / scale)


@elementwise(eager=in_float32(_quantize_and_dequantize), dtypes=FLOATING, tf_name="QuantizeAndDequantizeV4")
def quantize_and_dequantize(
    xp: Namespace,
    input: Array,
    input_min: Array,
    input_max: Array,
    *,
    signed_input: bool = True,
    num_bits: int = 8,
    round_mode: str = "HALF_TO_EVEN",
    narrow_range: bool = False,
    clamp: bool = True,
) -> Any:
    """What is left of numbers that are stored in so many bits; gradients pass inside the range as if nothing were."""
    settings = (signed_input, num_bits, round_mode, narrow_range, clamp)
    return _quantize_and_dequantize(input, input_min, input_max, *settings)


@quantize_and_dequantize.derivative("input")
def _(t: Value, input: Value, input_min: Value, input_max: Value) -> Any:
    inside = logical_and(greater_equal(input, input_min), less_equal(input, input_max))
    return select(inside, t, zeros_like(t))


@quantize_and_dequantize.derivative("input_min")
def _(t: Value, input: Value, input_min: Value) -> Any:
    return select(less(input, input_min), t, zeros_like(t))


@quantize_and_dequantize.derivative("input_max")
def _(t: Value, input: Value, input_max: Value) -> Any:
    return select(greater(input, input_max), t, zeros_like(t))


@quantize_and_dequantize.samples
def _(draw: Draw) -> Iterator[Sample]:
    dtype = np.asarray(draw(())).dtype
    low, high = np.array(-1.0, dtype), np.array(1.5, dtype)
    for number, shape in enumerate(UNARY_SHAPES):
        settings = {
            "num_bits": (8, 4, 3)[number % 3], "narrow_range": number % 5 == 0, "round_mode": ("HALF_TO_EVEN", "HALF_UP")[number % 2],
        }  # fmt: skip
        yield Sample((draw(shape), low, high), settings, differentiable=False)
    yield Sample((draw((5,), 0.0, 2.0), low * 0, high), {"signed_input": False}, differentiable=False)
    yield Sample((draw((3, 2)), draw((2,), -2.0, -1.0), draw((2,), 1.0, 2.0)), {}, differentiable=False)


@quantize_and_dequantize.rejects
def _() -> Iterator[BadInput]:
    x, one = np.ones(3, np.float32), np.float32(1)
    for settings in ({"num_bits": 0}, {"num_bits": 63}, {"round_mode": "UP"}):
        yield BadInput("settings", (x, -one, one), settings)
    yield BadInput("a range", (x, one, -one))


# --- isotonic regression ------------------------------------------------------------------------------------


@op(dtypes=FLOATING, outputs=2, shape=like(0), gives=(None, np.int32))
def isotonic_regression(xp: Namespace, input: Array) -> Any:
    """The nearest sequence that never increases, along the last axis; and the number of the level each element is on."""
    if not input.ndim:
        raise invalid("isotonic_regression: at least one axis is needed, got a scalar.")
    rows = input.reshape(-1, input.shape[-1]) if input.size else input.reshape(0, 1)
    found, segments = np.empty(rows.shape, np.result_type(input.dtype, np.float32)), np.empty(rows.shape, np.int32)
    for row in range(len(rows)):
        totals: list[float] = []
        counts: list[int] = []
        for value in rows[row].tolist():  # pool neighbours until the means do not increase
            totals.append(value)
            counts.append(1)
            while len(totals) > 1 and totals[-2] * counts[-1] < totals[-1] * counts[-2]:
                total, count = totals.pop(), counts.pop()
                totals[-1] += total
                counts[-1] += count
        means = np.array(totals) / np.array(counts) if counts else np.zeros(0)
        found[row], segments[row] = np.repeat(means, counts), np.repeat(np.arange(len(counts)), counts)
    return found.reshape(input.shape).astype(input.dtype), segments.reshape(input.shape)


def _level_means(t: Value, segments: Value) -> Any:
    """The mean of t over each level: the derivative, which is symmetric."""
    joined = convert(equal(segments, moved_on(segments, -1, False)), dtype=numpy_type(t))  # 1 where a level goes on
    return _level_sums(t, joined) / _level_sums(ones_like(joined), joined)


def _level_sums(t: Value, joined: Value) -> Any:
    """In each place the sum over its level: added up to the end of the level, and brought back from there."""
    goes_on = moved_on(joined, -1, True)
    at_end = linear_recurrence(t, joined, axis=-1) * (1 - goes_on)
    return linear_recurrence(at_end, goes_on, axis=-1, reverse=True)


@isotonic_regression.vjp("input")
def _(g: Sequence[Cotangent], out: Any) -> Any:
    return _level_means(g[0], out[1])


@isotonic_regression.jvp("input")
def _(t: Tangent, out: Sequence[Value]) -> Any:
    return [_level_means(t, out[1]), zeros_like(out[1])]


isotonic_regression.batching = batch_leading


@isotonic_regression.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in [(4,), (1,), (6,), (2, 3), (3, 5), (0, 3), (2, 2, 4), (8,), (1, 7), (5, 2), (2,), (3, 1)]:
        yield Sample((draw(shape, -3.0, 3.0),))


@isotonic_regression.value
def _(input: Array) -> Any:
    # The min-max formula: the level at k is the smallest over starts of the largest mean of a run that holds k.
    size = input.shape[-1]
    result, levels = np.empty_like(input), np.zeros(input.shape, np.int32)
    for k in range(size):
        runs = [
            np.max([np.mean(input[..., first : last + 1], axis=-1) for last in range(k, size)], axis=0)
            for first in range(k + 1)
        ]
        result[..., k] = np.min(runs, axis=0)
        if k:
            levels[..., k] = levels[..., k - 1] + (np.abs(result[..., k] - result[..., k - 1]) > 1e-12)
    return result, levels


@isotonic_regression.rejects
def _() -> Iterator[BadInput]:
    yield BadInput("an axis", (np.float32(1),))
    for dtype in (np.int32, np.bool_, np.complex64):
        yield BadInput("real numbers", (np.ones(3, dtype),))


# --- the beta function of many --------------------------------------------------------------------------------


@in_float32
def _lbeta(x: Array) -> Any:
    if not x.ndim:
        raise invalid("lbeta: at least one axis is needed, got a scalar.")
    gammaln = functions(np).gammaln
    return gammaln(x).sum(axis=-1) - gammaln(x.sum(axis=-1))


@op(eager=_lbeta, dtypes=FLOATING, shape=without_last())
def lbeta(xp: Namespace, x: Array) -> Any:
    """log of the beta function of many arguments: the sum of log gamma over the last axis, less that of the sum."""
    gammaln = functions(xp).gammaln
    return xp.sum(gammaln(x), axis=-1) - gammaln(xp.sum(x, axis=-1))


@lbeta.vjp("x")
def _(g: Cotangent, x: Value) -> Any:
    slope = digamma(x) - digamma(reduce_sum(x, axis=-1, keepdims=True))
    return expand_dims(g, axis=rank_of(g)) * slope


@lbeta.jvp("x")
def _(t: Tangent, x: Value) -> Any:
    slope = digamma(x) - digamma(reduce_sum(x, axis=-1, keepdims=True))
    return reduce_sum(t * slope, axis=-1, keepdims=False)


lbeta.batching = batch_leading


@lbeta.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in [(2,), (3,), (2, 3), (1,), (4, 2), (0, 3), (2, 2, 2), (5,), (1, 4), (3, 1), (2, 5), (6,)]:
        yield Sample((draw(shape, 0.3, 3.0),))


@lbeta.value
def _(x: Array) -> Any:
    beta = functions(np).betaln
    total, result = x[..., 0], np.zeros(x.shape[:-1])
    for k in range(1, x.shape[-1]):  # B(a, b, c) = B(a, b) B(a + b, c)
        result = result + beta(total, x[..., k])
        total = total + x[..., k]
    return result


@lbeta.rejects
def _() -> Iterator[BadInput]:
    for dtype in (np.int32, np.int64, np.bool_, np.complex64, np.complex128):
        yield BadInput("real numbers", (np.ones(3, dtype),))
