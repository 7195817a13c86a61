"""Moments and normalisation of `tf.nn`."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from .. import dtypes, math
from ..arrays import reshape, squeeze, zeros_like
from ..errors import invalid
from ..op import as_int, as_ints
from ..ops.pool import window_sum
from ..tensor import from_array, to_tensor


def moments(x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None) -> tuple[Any, Any]:
    """Mean and variance over some axes.

    >>> import gradtape as tf
    >>> mean, variance = tf.nn.moments(tf.constant([1.0, 3.0]), axes=[0])
    >>> print(mean.numpy(), variance.numpy())
    2.0 1.0
    """
    x = to_tensor(x)
    narrow = x.dtype is dtypes.float16
    y = math.cast(x, dtypes.float32) if narrow else x
    mean = math.reduce_mean(y, axes, True)
    variance = math.reduce_mean(math.squared_difference(y, mean), axes, keepdims)
    mean = mean if keepdims else squeeze(mean, _listed(axes, y.ndim))
    return (math.cast(mean, x.dtype), math.cast(variance, x.dtype)) if narrow else (mean, variance)


def _listed(axes: Any, rank: int) -> list[int]:
    return [a % rank for a in as_ints(axes)]


def weighted_moments(
    x: Any, axes: Any, frequency_weights: Any, keepdims: bool = False, name: str | None = None
) -> tuple[Any, Any]:
    """Mean and variance over some axes, each element counted as often as its weight says."""
    x = to_tensor(x)
    narrow = x.dtype is dtypes.float16
    y = math.cast(x, dtypes.float32) if narrow else x
    weights = math.cast(frequency_weights, y.dtype)
    total = math.reduce_sum(weights + zeros_like(y), axes, True)
    mean = math.reduce_sum(weights * y, axes, True) / total
    variance = math.reduce_sum(weights * math.squared_difference(y, mean), axes, True) / total
    if not keepdims:
        mean, variance = (squeeze(part, _listed(axes, y.ndim)) for part in (mean, variance))
    return (math.cast(mean, x.dtype), math.cast(variance, x.dtype)) if narrow else (mean, variance)


def sufficient_statistics(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Any, Any, Any, Any]:
    """Count, sum, sum of squares (both of x - shift) and shift: what `normalize_moments` needs."""
    x = to_tensor(x)
    numbers = sorted(set(_listed(axes, x.ndim)))
    for axis in as_ints(axes):
        if not -x.ndim <= axis < x.ndim:
            raise invalid(f"sufficient_statistics: axis {axis} does not exist in a tensor of shape {x.shape}.")
    count = from_array(np.array(prod(x.shape[axis] for axis in numbers), x.dtype.numpy))
    if shift is None:
        values, squares = x, math.square(x)
    else:
        shift = to_tensor(shift, x.dtype)
        values, squares = x - shift, math.squared_difference(x, shift)
    return (
        count,
        math.reduce_sum(values, numbers, keepdims),
        math.reduce_sum(squares, numbers, keepdims),
        shift,
    )


def normalize_moments(
    counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None
) -> tuple[Any, Any]:
    """Mean and variance from sufficient statistics."""
    divisor = math.reciprocal(to_tensor(counts))
    shifted = to_tensor(mean_ss) * divisor
    mean = shifted if shift is None else shifted + to_tensor(shift, shifted.dtype)
    return mean, to_tensor(variance_ss) * divisor - math.square(shifted)


def batch_normalization(
    x: Any, mean: Any, variance: Any, offset: Any, scale: Any, variance_epsilon: Any, name: str | None = None
) -> Any:
    """scale * (x - mean) / sqrt(variance + epsilon) + offset; offset and scale may be None."""
    x = to_tensor(x)
    inverse = math.rsqrt(to_tensor(variance) + variance_epsilon)
    if scale is not None:
        inverse = inverse * scale
    shift = -mean * inverse if offset is None else offset - mean * inverse
    return x * _as(inverse, x.dtype) + _as(shift, x.dtype)


def _as(value: Any, dtype: Any) -> Any:
    return value if value.dtype is dtype else math.cast(value, dtype)


def batch_norm_with_global_normalization(
    input: Any,
    mean: Any,
    variance: Any,
    beta: Any,
    gamma: Any,
    variance_epsilon: Any,
    scale_after_normalization: bool,
    name: str | None = None,
) -> Any:
    """`batch_normalization` under its old name and argument order."""
    return batch_normalization(
        input, mean, variance, beta, gamma if scale_after_normalization else None, variance_epsilon
    )


def local_response_normalization(
    input: Any,
    depth_radius: Any = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
    name: str | None = None,
) -> Any:
    """x / (bias + alpha * sum of squares over the neighbouring channels) ** beta."""
    x = to_tensor(input)
    radius = as_int(depth_radius)
    if x.ndim != 4:
        raise invalid(f"lrn: the input must have 4 axes (batch, height, width, channels), got shape {x.shape}.")
    if not 0 <= radius < 2**31:
        raise invalid(f"lrn: depth_radius must be from 0 to 2**31 - 1, got {radius}.")
    shape = tuple(x.shape)
    radius = min(radius, max(shape[-1] - 1, 0))
    rows = reshape(math.square(x), (prod(shape[:-1]), shape[-1], 1))
    sums = window_sum.public(rows, (2 * radius + 1,), (1,), (1,), ((radius, radius),), False)
    return x * math.pow(reshape(sums, shape) * float(alpha) + float(bias), -float(beta))


lrn = local_response_normalization


def bias_add(value: Any, bias: Any, data_format: str | None = None, name: str | None = None) -> Any:
    """A vector added along the channel axis: the last, or the second for "NC..." formats."""
    x = to_tensor(value)
    b = to_tensor(bias, x.dtype)
    if b.ndim != 1:
        raise invalid(f"bias_add: the bias must have one axis, got shape {b.shape}.")
    if data_format is not None and not data_format.startswith("N"):
        raise ValueError(f"`data_format` must be of the form `N...C` or `NC...`. Received: data_format={data_format}")
    channels_first = data_format is not None and data_format.startswith("NC") and len(data_format) > 2
    axis = 1 if channels_first else x.ndim - 1
    if x.ndim < 2 or x.shape[axis] != b.shape[0]:
        raise invalid(f"bias_add: a bias of size {b.shape[0]} does not fit axis {axis} of shape {x.shape}.")
    if channels_first:
        b = reshape(b, (b.shape[0], *(1,) * (x.ndim - 2)))
    return x + b
