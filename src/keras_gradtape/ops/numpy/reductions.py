"""Sums, products, extremes, running totals and statistics, in Keras's types."""

from __future__ import annotations

import math as _math
from collections.abc import Callable
from typing import Any

import gradtape as tf
import gradtape.numpy as tnp
from gradtape import cast

from ..core import convert_to_tensor
from ..promotion import (
    floats,
    given_type,
    named,
    result_type,
    sum_type,
    to_type,
    together,
    truth,
    wide_floats,
)
from .elementwise import isnan, signbit, where
from .manipulation import moveaxis, reshape

Function = Callable[..., Any]


def axes_of(axis: Any, rank: int) -> list[int]:
    """The axes that are meant, counted from the front; None means all."""
    if axis is None:
        return list(range(rank))
    given = [int(a) for a in axis] if isinstance(axis, (list, tuple)) else [int(axis)]
    for a in given:
        if not -rank <= a < rank:
            raise ValueError(f"axis {a} is out of bounds for a tensor with {rank} axes.")
    return [a % rank for a in given]


# --- sums and products -----------------------------------------------------------------------------------------------


def sum(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The sum over axes; small integers are added up in 32 bits."""
    x = convert_to_tensor(x)
    return tf.reduce_sum(to_type(x, sum_type(x.dtype)), axis, keepdims)


def prod(x: Any, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Any:
    """The product over axes; small integers are multiplied in 32 bits."""
    x = convert_to_tensor(x)
    return tf.reduce_prod(to_type(x, sum_type(x.dtype) if dtype is None else given_type(dtype)), axis, keepdims)


def mean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The mean over axes, in floats."""
    x = convert_to_tensor(x)
    return tf.reduce_mean(x if x.dtype.is_differentiable else cast(x, tf.float32), axis, keepdims)


def var(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The mean squared distance from the mean; narrow floats are computed in float32."""
    x = convert_to_tensor(x)
    kind = result_type(x.dtype, float)
    return to_type(tf.math.reduce_variance(to_type(x, result_type(x.dtype, "float32")), axis, keepdims), kind)


def std(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The square root of the variance."""
    return tf.math.reduce_std(floats(x), axis, keepdims)


def average(x: Any, axis: Any = None, weights: Any = None) -> Any:
    """The mean with weights, which have the shape of `x` or the size of its axis."""
    if weights is None:
        return tf.reduce_mean(floats(x), axis)
    x, weights = (floats(v) for v in together(convert_to_tensor(x), convert_to_tensor(weights)))
    if weights.shape != x.shape and weights.ndim == 1 and axis is not None:
        [along] = axes_of(axis, x.ndim)
        weights = reshape(weights, [-1 if a == along else 1 for a in range(x.ndim)])
    total = tf.reduce_sum(weights * tf.ones_like(x), axis)
    return tf.math.divide_no_nan(tf.reduce_sum(x * weights, axis), total)


def count_nonzero(x: Any, axis: Any = None) -> Any:
    """How many elements are not zero."""
    return tf.reduce_sum(cast(truth(x), tf.int32), axis)


def all(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Whether all elements are true."""
    return tf.reduce_all(truth(x), axis, keepdims)


def any(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Whether any element is true."""
    return tf.reduce_any(truth(x), axis, keepdims)


# --- extremes --------------------------------------------------------------------------------------------------------


def _extreme(
    name: str, of_numbers: Function, of_truths: Function, of_two: Function, of_two_truths: Function
) -> Function:
    def reduce(x: Any, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Any:
        x = convert_to_tensor(x)
        is_bool = x.dtype.is_bool
        found = (of_truths if is_bool else of_numbers)(x, axis, keepdims)
        if initial is None:
            return found
        bound = convert_to_tensor(initial, found.dtype)
        return (of_two_truths if is_bool else of_two)(found, bound)

    return named(name, f"The {name} over axes; `initial` takes part.", reduce)


max = _extreme("max", tf.reduce_max, tf.reduce_any, tf.maximum, tf.logical_or)
min = _extreme("min", tf.reduce_min, tf.reduce_all, tf.minimum, tf.logical_and)


def amax(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The largest element over axes."""
    return max(x, axis, keepdims)


def amin(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The smallest element over axes."""
    return min(x, axis, keepdims)


def ptp(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The largest less the smallest element."""
    x = convert_to_tensor(x)
    return tf.reduce_max(x, axis, keepdims) - tf.reduce_min(x, axis, keepdims)


def _position(name: str, find: Function) -> Function:
    def position(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        x = convert_to_tensor(x)
        if x.dtype.is_bool:
            x = cast(x, tf.int32)
        if x.dtype.is_floating and x.ndim:
            # Keras orders zeros by their sign.
            x = to_type(x, result_type(x.dtype, "float32"))
            x = where(tf.logical_and(tf.equal(x, 0.0), signbit(x)), -float(_tiny(x.dtype)), x)
        rank = x.ndim
        found = find(reshape(x, [-1]), 0, tf.int32) if axis is None else find(x, axis, tf.int32)
        if not keepdims:
            return found
        return reshape(found, [1] * rank) if axis is None else tf.expand_dims(found, axis)

    return named(name, "The position of the extreme element along an axis, or of all of them.", position)


def _tiny(dtype: Any) -> Any:
    return tnp.finfo(dtype.as_numpy_dtype).tiny


argmax = _position("argmax", tf.argmax)
argmin = _position("argmin", tf.argmin)


# --- running totals --------------------------------------------------------------------------------------------------


def _running(name: str, compute: Function) -> Function:
    def accumulate(x: Any, axis: Any = None, dtype: Any = None) -> Any:
        x = convert_to_tensor(x)
        kind = x.dtype if dtype is None else given_type(dtype)
        x = to_type(x, tf.int32 if kind.is_bool else kind)
        return compute(reshape(x, [-1]), 0) if axis is None else compute(x, axis)

    return named(name, "Running totals along an axis, or of all elements in a row.", accumulate)


cumsum = _running("cumsum", tf.cumsum)
cumprod = _running("cumprod", tf.math.cumprod)


# --- without NaN -----------------------------------------------------------------------------------------------------


def _filled(x: Any, value: float) -> Any:
    """The tensor with `value` instead of NaN."""
    x = convert_to_tensor(x)
    return where(isnan(x), value, x) if x.dtype.is_floating else x


def nansum(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The sum of what is not NaN."""
    return sum(_filled(x, 0.0), axis, keepdims)


def nanprod(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The product of what is not NaN."""
    return prod(_filled(x, 1.0), axis, keepdims)


def nancumsum(x: Any, axis: Any = None, dtype: Any = None) -> Any:
    """Running sums of what is not NaN."""
    return cumsum(_filled(x, 0.0), axis, dtype)


def nancumprod(x: Any, axis: Any = None, dtype: Any = None) -> Any:
    """Running products of what is not NaN."""
    return cumprod(_filled(x, 1.0), axis, dtype)


def _nan_extreme(name: str, plain: Function, empty: float) -> Function:
    def reduce(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        x = convert_to_tensor(x)
        found = plain(_filled(x, empty), axis, keepdims)
        return where(all(isnan(x), axis, keepdims), _math.nan, found) if x.dtype.is_floating else found

    return named(name, "The extreme of what is not NaN.", reduce)


nanmax = _nan_extreme("nanmax", max, -_math.inf)
nanmin = _nan_extreme("nanmin", min, _math.inf)


def _nan_position(name: str, plain: Function, empty: float) -> Function:
    def find(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        x = convert_to_tensor(x)
        found = plain(_filled(x, empty), axis, keepdims)
        return where(all(isnan(x), axis, keepdims), -1, found) if x.dtype.is_floating else found

    return named(name, "The position of the extreme of what is not NaN; -1 where all are.", find)


nanargmax = _nan_position("nanargmax", argmax, -_math.inf)
nanargmin = _nan_position("nanargmin", argmin, _math.inf)


def _present(x: Any, axis: Any, keepdims: bool) -> Any:
    """How many elements are not NaN, in the type of the elements."""
    return tf.reduce_sum(cast(tf.logical_not(tf.math.is_nan(x)), x.dtype), axis, keepdims)


def nanmean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The mean of what is not NaN."""
    x = floats(x)
    return tf.reduce_sum(_filled(x, 0.0), axis, keepdims) / _present(x, axis, keepdims)


def nanvar(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The variance of what is not NaN."""
    x = convert_to_tensor(x)
    kind = result_type(x.dtype, float)
    x = to_type(x, result_type(x.dtype, "float32"))
    # Filled before it is squared: a derivative that meets NaN stays NaN.
    distance = _filled(x - nanmean(x, axis, True), 0.0)
    return to_type(tf.reduce_sum(tf.square(distance), axis, keepdims) / _present(x, axis, keepdims), kind)


def nanstd(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The standard deviation of what is not NaN."""
    return tf.sqrt(nanvar(x, axis, keepdims))


# --- quantiles -------------------------------------------------------------------------------------------------------

_INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


def _quantiles(x: Any, q: Any, axis: Any, method: str, keepdims: bool, ignore_nan: bool) -> Any:
    if method not in _INTERPOLATIONS:
        raise ValueError(f"Invalid method: {method}. Expected one of {_INTERPOLATIONS}.")
    x = floats(x)
    q = convert_to_tensor(q, x.dtype)
    if q.ndim > 1:
        raise ValueError(f"`q` must be a number or a vector, got shape {q.shape}.")
    rank, axes = x.ndim, axes_of(axis, x.ndim)
    rest = [a for a in range(rank) if a not in axes]
    kept = tf.shape(tf.reduce_any(tf.zeros_like(x, tf.bool), axes, True))
    lines = tf.transpose(x, [*rest, *axes])
    lines = reshape(lines, tf.concat([tf.shape(lines)[: len(rest)], [-1]], 0)) if axes else tf.expand_dims(x, -1)
    missing = tf.math.is_nan(lines)
    count = tf.reduce_sum(cast(tf.logical_not(missing), x.dtype), -1, True)
    ordered = tf.sort(where(missing, _math.inf, lines), axis=-1)
    place = tf.maximum(count - 1.0, 0.0) * reshape(q, [-1])
    low, high = tf.floor(place), tf.math.ceil(place)
    if method == "nearest":
        low = high = tf.round(place)
    elif method in ("lower", "higher"):
        low = high = low if method == "lower" else high
    part = 0.5 if method == "midpoint" else tf.stop_gradient(place - low)
    below, above = (tf.gather(ordered, cast(p, tf.int32), batch_dims=len(rest), axis=len(rest)) for p in (low, high))
    # Between two equal infinities there is no difference to interpolate.
    found = where(tf.equal(below, above), below, below + (above - below) * part)
    unknown = tf.equal(count, 0.0) if ignore_nan else tf.reduce_any(missing, -1, True)
    found = where(unknown, _math.nan, found)
    found = moveaxis(found, -1, 0) if q.ndim else tf.squeeze(found, [-1])
    if not keepdims:
        return found
    return reshape(found, tf.concat([tf.shape(q), kept], 0))


def quantile(x: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False) -> Any:
    """The value below which the fraction q of the elements lies."""
    return _quantiles(x, q, axis, method, keepdims, False)


def nanquantile(x: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False) -> Any:
    """`quantile` of what is not NaN."""
    return _quantiles(x, q, axis, method, keepdims, True)


def _fraction(q: Any, x: Any) -> Any:
    return convert_to_tensor(q, floats(x).dtype) / 100.0


def percentile(x: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False) -> Any:
    """`quantile` with q in percent."""
    return _quantiles(x, _fraction(q, x), axis, method, keepdims, False)


def nanpercentile(x: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False) -> Any:
    """`percentile` of what is not NaN."""
    return _quantiles(x, _fraction(q, x), axis, method, keepdims, True)


def median(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The middle element in order, or the mean of both middle ones."""
    return quantile(x, 0.5, axis, keepdims=keepdims)


def nanmedian(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """`median` of what is not NaN."""
    return nanquantile(x, 0.5, axis, keepdims=keepdims)


# --- how rows vary together ------------------------------------------------------------------------------------------


def corrcoef(x: Any) -> Any:
    """The correlation of the rows with each other."""
    x = wide_floats(x)
    x = tf.reshape(x, [1, -1]) if x.ndim < 2 else x
    x = x - tf.reduce_mean(x, -1, True)
    covariance = tf.matmul(x, x, transpose_b=True)
    spread = tf.sqrt(tf.linalg.diag_part(covariance))
    result = covariance / tf.expand_dims(spread, -1) / tf.expand_dims(spread, -2)
    return tf.squeeze(result, [-2, -1]) if result.shape[-1] == 1 else result
