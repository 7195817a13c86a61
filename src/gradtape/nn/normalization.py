"""Moments and normalisation of `tf.nn`."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from .. import math
from ..api.arrays import ones, reshape, stop_gradient, zeros, zeros_like
from ..api.layout import squeeze, transpose
from ..base import dtypes
from ..base.errors import invalid
from ..base.traceable import trace_public
from ..base.types import AxisLike, DTypeLike, IntLike, TensorLike, Value
from ..op.arguments import number, takes
from ..op.attributes import as_axis, as_float, as_int, as_ints
from ..ops.math import statistics
from ..ops.nn import bias as biases
from ..ops.nn import normalization as o
from ..values.tensor import Tensor, from_array, to_tensor


def moments(
    x: TensorLike, axes: AxisLike, shift: TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Mean and variance over some axes.

    >>> import gradtape as tf
    >>> mean, variance = tf.nn.moments(tf.constant([1.0, 3.0]), axes=[0])
    >>> print(mean.numpy(), variance.numpy())
    2.0 1.0

    Args:
        x: A tensor.
        axes: The axes to reduce.
        shift: Ignored; accepted for compatibility with TensorFlow.
        keepdims: Whether reduced axes stay, with size 1.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The mean and the variance.
    """
    x = to_tensor(x)
    if x.dtype.is_floating:
        mean, variance = o.moments.public(x, axes, keepdims)
        return mean, variance
    mean = math.reduce_mean(x, axes, True)
    variance = math.reduce_mean(math.squared_difference(x, mean), axes, keepdims)
    return mean if keepdims else squeeze(mean, _listed(axes, x.ndim)), variance


def _listed(axes: AxisLike, rank: int) -> list[int]:
    for axis in (numbers := as_ints(axes)):
        if not -rank <= axis < rank:
            raise invalid(f"Axis {axis} does not exist in a tensor of {rank} axes.")
    return [a % rank for a in numbers]


def weighted_moments(
    x: TensorLike, axes: AxisLike, frequency_weights: TensorLike, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Mean and variance over some axes, each element counted as often as its weight says.

    >>> import gradtape as tf
    >>> mean, variance = tf.nn.weighted_moments([1.0, 4.0], axes=[0], frequency_weights=[2.0, 1.0])
    >>> print(mean.numpy(), variance.numpy())
    2.0 2.0

    Args:
        x: A tensor.
        axes: The axes to reduce.
        frequency_weights: The weights; they broadcast to `x`.
        keepdims: Whether reduced axes stay, with size 1.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The mean and the variance.

    Raises:
        tf.errors.InvalidArgumentError: An axis does not exist.
    """
    x = to_tensor(x)
    narrow = x.dtype is dtypes.float16
    y = math.cast(x, dtypes.float32) if narrow else x
    weights = math.cast(frequency_weights, y.dtype)
    if y.dtype.is_floating and weights.ndim <= y.ndim:
        mean, variance = statistics.weighted_moments.public(y, weights, as_axis(axes))
    else:
        total = math.reduce_sum(weights + zeros_like(y), axes, True)
        mean = math.reduce_sum(weights * y, axes, True) / total
        variance = math.reduce_sum(weights * math.squared_difference(y, mean), axes, True) / total
    if not keepdims:
        mean, variance = (squeeze(part, _listed(axes, y.ndim)) for part in (mean, variance))
    return (math.cast(mean, x.dtype), math.cast(variance, x.dtype)) if narrow else (mean, variance)


def sufficient_statistics(
    x: TensorLike, axes: AxisLike, shift: TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """Count, sum and sum of squares over some axes: what `normalize_moments` needs. They can be added up over batches.

    >>> import gradtape as tf
    >>> count, total, squares, shift = tf.nn.sufficient_statistics(tf.constant([1.0, 3.0]), [0])
    >>> print(count.numpy(), total.numpy(), squares.numpy(), shift)
    2.0 4.0 10.0 None

    Args:
        x: A tensor.
        axes: The axes to reduce.
        shift: Subtracted from `x` first. A value near the mean loses fewer digits.
        keepdims: Whether reduced axes stay, with size 1.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The count, the sum of x - shift, the sum of its squares, and the shift or None.

    Raises:
        tf.errors.InvalidArgumentError: An axis does not exist.
    """
    x = to_tensor(x)
    numbers = sorted(set(_listed(axes, x.ndim)))
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
    counts: TensorLike, mean_ss: TensorLike, variance_ss: TensorLike, shift: TensorLike, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Mean and variance from sufficient statistics.

    >>> import gradtape as tf
    >>> statistics = tf.nn.sufficient_statistics(tf.constant([1.0, 3.0]), [0])
    >>> mean, variance = tf.nn.normalize_moments(*statistics)
    >>> print(mean.numpy(), variance.numpy())
    2.0 1.0

    Args:
        counts: How many elements there were.
        mean_ss: The sum of x - shift.
        variance_ss: The sum of the squares of x - shift.
        shift: What was subtracted, or None.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The mean and the variance.
    """
    divisor = math.reciprocal(to_tensor(counts))
    shifted = to_tensor(mean_ss) * divisor
    mean = shifted if shift is None else shifted + to_tensor(shift, shifted.dtype)
    return mean, to_tensor(variance_ss) * divisor - math.square(shifted)


def batch_normalization(
    x: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    offset: TensorLike | None,
    scale: TensorLike | None,
    variance_epsilon: TensorLike,
    name: str | None = None,
) -> Tensor:
    """scale * (x - mean) / sqrt(variance + epsilon) + offset, with given moments.

    >>> import gradtape as tf
    >>> x = tf.constant([[1.0], [3.0]])
    >>> mean, variance = tf.nn.moments(x, axes=[0])
    >>> tf.nn.batch_normalization(x, mean, variance, offset=None, scale=None, variance_epsilon=0.0).numpy()
    array([[-1.],
           [ 1.]], dtype=float32)

    Args:
        x: A tensor.
        mean: The mean, which broadcasts to `x`. Take it from `tf.nn.moments`, and gradients flow through it.
        variance: The variance.
        offset: What is added in the end, or None.
        scale: The factor, or None.
        variance_epsilon: A small number that keeps the divisor away from 0.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and type of `x`.
    """
    x = to_tensor(x)
    inverse = math.rsqrt(math.add(to_tensor(variance), variance_epsilon))
    if scale is not None:
        inverse = math.multiply(inverse, scale)
    shift = math.multiply(inverse, mean)
    shift = -shift if offset is None else math.subtract(offset, shift)
    return x * _as(inverse, x.dtype) + _as(shift, x.dtype)


def _as(value: Value, dtype: DTypeLike) -> Any:
    return value if value.dtype is dtype else math.cast(value, dtype)


def fused_batch_norm(
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any,
    variance: Any,
    epsilon: float = 0.0001,
    exponential_avg_factor: float = 1.0,
    data_format: str = "NHWC",
    is_training: bool = True,
) -> list[Any]:
    """Batch normalisation over all axes but the channels: the result, and the updated running mean and variance.

    In training, `mean` and `variance` (the running ones; may be empty) are mixed with the batch's; the variance handed
    on is the unbiased one. No derivative passes through these two, as in TensorFlow.

    >>> import gradtape as tf
    >>> from gradtape.nn.normalization import fused_batch_norm
    >>> x = tf.reshape(tf.constant([1.0, 3.0, 5.0, 7.0]), [1, 2, 2, 1])
    >>> y, mean, variance, *_ = fused_batch_norm(x, [1.0], [0.0], [], [], epsilon=0.0)
    >>> print(mean.numpy(), variance.numpy().round(3))
    [4.] [6.667]

    Args:
        x: Images or volumes.
        scale: A factor for each channel.
        offset: What is added to each channel.
        mean: The running mean of each channel.
        variance: The running variance of each channel.
        epsilon: A small number that keeps the divisor away from 0.
        exponential_avg_factor: The share of the batch in the new running moments.
        data_format: "NHWC", "NDHWC" (channels last), "NCHW" or "NCDHW".
        is_training: False to normalise with the running moments.

    Returns:
        A list: the result, the running mean and variance, the batch's own mean and variance, and an empty tensor.

    Raises:
        tf.errors.InvalidArgumentError: The input does not have 4 or 5 axes, or the format is another.
    """
    x = to_tensor(x)
    channels_first = data_format in ("NCHW", "NCDHW")
    if not channels_first and data_format not in ("NHWC", "NDHWC"):
        raise invalid(f"fused_batch_norm: data_format must be NHWC, NCHW, NDHWC or NCDHW, got {data_format!r}.")
    if x.ndim not in (4, 5):
        raise invalid(f"fused_batch_norm: the input must have 4 or 5 axes, got shape {x.shape}.")
    if channels_first:
        last = (0, *range(2, x.ndim), 1)
        y, *rest = fused_batch_norm(
            transpose(x, last), scale, offset, mean, variance, epsilon, exponential_avg_factor, "NHWC", is_training
        )
        return [transpose(y, (0, x.ndim - 1, *range(1, x.ndim - 1))), *rest]
    nothing = zeros((0,), dtypes.float32)
    if not is_training:
        y = batch_normalization(x, to_tensor(mean), to_tensor(variance), offset, scale, epsilon)
        return [y, to_tensor(mean), to_tensor(variance), to_tensor(mean), to_tensor(variance), nothing]
    axes = tuple(range(x.ndim - 1))
    wide = math.cast(x, dtypes.float32) if x.dtype in (dtypes.float16, dtypes.bfloat16) else x
    y, centre, inverse = o.standardize.public(wide, scale, offset, axes, as_float(epsilon))
    of_batch = reshape(stop_gradient(centre), (x.shape[-1],))
    squares = reshape(1.0 / math.square(stop_gradient(inverse)) - epsilon, (x.shape[-1],))
    count = prod(x.shape[:-1])
    unbiased = squares * (count / max(count - 1, 1))
    running = (of_batch, unbiased)
    if exponential_avg_factor != 1.0:
        share = as_float(exponential_avg_factor)
        given = (stop_gradient(to_tensor(value)) for value in (mean, variance))
        running = tuple(old * (1.0 - share) + new * share for old, new in zip(given, running, strict=True))
    return [math.cast(y, x.dtype), *running, of_batch, squares, nothing]


def layer_norm(
    x: TensorLike,
    scale: TensorLike | None = None,
    offset: IntLike | None = None,
    axis: AxisLike = -1,
    epsilon: float = 1e-3,
    name: str | None = None,
) -> Tensor:
    """x brought to mean 0 and variance 1 along `axis`, then times `scale` plus `offset`: layer normalisation.

    >>> import gradtape as tf
    >>> tf.nn.experimental.layer_norm([[1.0, 3.0]], epsilon=0.0).numpy()
    array([[-1.,  1.]], dtype=float32)

    It is one op, where TensorFlow needs a dozen.

    Args:
        x: A tensor.
        scale: A factor, which broadcasts against `x`. 1 by default.
        offset: What is added, which broadcasts against `x`. 0 by default.
        axis: One axis, or several.
        epsilon: A small number that keeps the divisor away from 0.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape of `x`.
    """
    x = to_tensor(x)
    factor, shift = _affine(x, scale, offset)
    return o.standardize.public(x, factor, shift, as_axis(axis), as_float(epsilon))[0]


def rms_norm(
    x: TensorLike, scale: TensorLike | None = None, axis: AxisLike = -1, epsilon: float = 1e-6, name: str | None = None
) -> Tensor:
    """x divided by its root mean square along `axis`, then times `scale`.

    >>> import gradtape as tf
    >>> tf.nn.experimental.rms_norm([[1.0, 7.0]], epsilon=0.0).numpy()
    array([[0.2, 1.4]], dtype=float32)

    Args:
        x: A tensor.
        scale: A factor, which broadcasts against `x`. 1 by default.
        axis: One axis, or several.
        epsilon: A small number that keeps the divisor away from 0.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape of `x`.
    """
    x = to_tensor(x)
    return o.rms_standardize.public(x, _affine(x, scale, None)[0], as_axis(axis), as_float(epsilon))[0]


def _affine(x: Value, scale: object, offset: object) -> tuple[Any, Any]:
    factor = ones((), x.dtype) if scale is None else to_tensor(scale, None if hasattr(scale, "dtype") else x.dtype)
    shift = zeros((), x.dtype) if offset is None else to_tensor(offset, None if hasattr(offset, "dtype") else x.dtype)
    return factor, shift


def batch_norm_with_global_normalization(
    input: Any,
    mean: Any,
    variance: Any,
    beta: Any,
    gamma: Any,
    variance_epsilon: Any,
    scale_after_normalization: bool,
    name: str | None = None,
) -> Tensor:
    """`batch_normalization` under its old name and argument order.

    >>> import gradtape as tf
    >>> x, beta, gamma = tf.constant([[1.0], [3.0]]), tf.constant([10.0]), tf.constant([2.0])
    >>> mean, variance = tf.nn.moments(x, axes=[0])
    >>> tf.nn.batch_norm_with_global_normalization(x, mean, variance, beta, gamma, 0.0, True).numpy()
    array([[ 8.],
           [12.]], dtype=float32)

    Args:
        input: A tensor.
        mean: The mean.
        variance: The variance.
        beta: What is added in the end.
        gamma: What the normalised numbers are multiplied by.
        variance_epsilon: A small number that keeps the divisor away from 0.
        scale_after_normalization: Whether `gamma` is used.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and type of `input`.
    """
    return batch_normalization(
        input, mean, variance, beta, gamma if scale_after_normalization else None, variance_epsilon
    )


@takes(bias=number, alpha=number, beta=number)
def local_response_normalization(
    input: TensorLike,
    depth_radius: TensorLike = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
    name: str | None = None,
) -> Tensor:
    """x / (bias + alpha * sum of squares over the neighbouring channels) ** beta.

    >>> import gradtape as tf
    >>> x = tf.reshape(tf.constant([3.0, 4.0]), [1, 1, 1, 2])
    >>> tf.nn.local_response_normalization(x, depth_radius=1, bias=0.0).numpy().ravel()
    array([0.6, 0.8], dtype=float32)

    Args:
        input: Images (batch, height, width, channels).
        depth_radius: How many channels on each side count.
        bias: Keeps the divisor away from 0.
        alpha: A factor of the sum.
        beta: The exponent of the sum over the neighbours.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape of `input`.

    Raises:
        tf.errors.InvalidArgumentError: The input does not have four axes.
    """
    return o.lrn.public(input, as_int(depth_radius), float(bias), float(alpha), float(beta))


lrn = local_response_normalization


def bias_add(value: TensorLike, bias: TensorLike, data_format: str | None = None, name: str | None = None) -> Tensor:
    """A vector added along the channel axis: the last, or the second for "NC..." formats.

    >>> import gradtape as tf
    >>> tf.nn.bias_add(tf.zeros([2, 3]), [1.0, 2.0, 3.0]).numpy()
    array([[1., 2., 3.],
           [1., 2., 3.]], dtype=float32)

    Args:
        value: A tensor of two or more axes.
        bias: One number for each channel.
        data_format: "N...C" (the default) or "NC...".
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and type of `value`.

    Raises:
        tf.errors.InvalidArgumentError: The bias has another number of axes, or does not fit the channels.
        ValueError: `data_format` does not begin with "N".
    """
    x = to_tensor(value)
    b = to_tensor(bias, x.dtype)
    if b.ndim != 1:
        raise invalid(f"bias_add: the bias must have one axis, got shape {b.shape}.")
    if data_format is not None and not data_format.startswith("N"):
        raise ValueError(f"`data_format` must be of the form `N...C` or `NC...`. Received: data_format={data_format}")
    channels_first = data_format is not None and data_format.startswith("NC") and len(data_format) > 2
    return biases.bias_add.public(x, b, "NCHW" if channels_first else "NHWC")


trace_public(globals())
