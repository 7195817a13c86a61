"""Convolutions in one, two and three dimensions; gradtape infers the number of groups from the depth of the filters."""

from __future__ import annotations

import math
from typing import Any

from keras.src.backend import standardize_data_format
from keras.src.backend.common.backend_utils import compute_conv_transpose_output_shape

import gradtape as tf

from ..core import convert_to_tensor
from ..promotion import together

_CONVOLUTIONS = {3: tf.nn.conv1d, 4: tf.nn.conv2d, 5: tf.nn.conv3d}
_FORMATS = {
    "channels_last": {3: "NWC", 4: "NHWC", 5: "NDHWC"},
    "channels_first": {3: "NCW", 4: "NCHW", 5: "NCDHW"},
}


def _operands(inputs: Any, kernel: Any) -> tuple[Any, Any]:
    x, w = together(convert_to_tensor(inputs), convert_to_tensor(kernel))
    if x.ndim not in _CONVOLUTIONS:
        raise ValueError(f"Input rank not supported: {x.ndim}. Expected values are [3, 4, 5]")
    return x, w


def _convolve(x: Any, w: Any, strides: Any, padding: str, data_format: str, dilation_rate: Any) -> Any:
    layout = _FORMATS[data_format][x.ndim]
    result = _CONVOLUTIONS[x.ndim](x, w, strides, padding.upper(), data_format=layout, dilations=dilation_rate)
    if 0 in result.shape and 0 not in x.shape:
        raise ValueError(
            f"The convolution operation resulted in an empty output. Output shape: {result.shape}. This can happen if "
            "the input is too small for the given kernel size, strides, dilation rate, and padding mode. Please check "
            "the input shape and convolution parameters."
        )
    return result


def conv(
    inputs: Any,
    kernel: Any,
    strides: Any = 1,
    padding: str = "valid",
    data_format: Any = None,
    dilation_rate: Any = 1,
) -> Any:
    """Convolve with filters (window, channels / groups, filters)."""
    x, w = _operands(inputs, kernel)
    return _convolve(x, w, strides, padding, standardize_data_format(data_format), dilation_rate)


def depthwise_conv(
    inputs: Any,
    kernel: Any,
    strides: Any = 1,
    padding: str = "valid",
    data_format: Any = None,
    dilation_rate: Any = 1,
) -> Any:
    """Convolve each channel with filters of its own: (window, channels, multiplier)."""
    data_format = standardize_data_format(data_format)
    x, w = _operands(inputs, kernel)
    if x.ndim > 4:
        raise ValueError(f"`inputs` rank must be 3 (1D conv) or 4 (2D conv). Received: {x.ndim}.")
    _check_channels(x, w.shape[-2], data_format)
    *window, channels, multiplier = tuple(w.shape)
    filters = tf.reshape(w, (*window, 1, channels * multiplier))
    return _convolve(x, filters, strides, padding, data_format, dilation_rate)


def _check_channels(inputs: Any, expected: int | None, data_format: str) -> None:
    """ValueError unless the inputs have the channels that the kernel is for. (Keras has this check from 3.15 on.)"""
    found = inputs.shape[-1 if data_format == "channels_last" else 1]
    if isinstance(found, int) and isinstance(expected, int) and found != expected:
        raise ValueError(
            f"The number of input channels must match the kernel's input channels: the inputs have {found}, the kernel is for "
            f"{expected} (data_format={data_format!r})."
        )


def separable_conv(
    inputs: Any,
    depthwise_kernel: Any,
    pointwise_kernel: Any,
    strides: Any = 1,
    padding: str = "valid",
    data_format: Any = None,
    dilation_rate: Any = 1,
) -> Any:
    """`depthwise_conv`, then a convolution that mixes the channels of each point."""
    data_format = standardize_data_format(data_format)
    channelwise = depthwise_conv(inputs, depthwise_kernel, strides, padding, data_format, dilation_rate)
    return conv(channelwise, pointwise_kernel, 1, "valid", data_format)


def conv_transpose(
    inputs: Any,
    kernel: Any,
    strides: Any = 1,
    padding: str = "valid",
    output_padding: Any = None,
    data_format: Any = None,
    dilation_rate: Any = 1,
) -> Any:
    """The transpose of `conv`: filters are (window, output channels, input channels)."""
    data_format = standardize_data_format(data_format)
    x, w = _operands(inputs, kernel)
    _check_channels(x, w.shape[-1], data_format)
    known, dynamic = list(x.shape), tf.shape(x)
    shape = compute_conv_transpose_output_shape(
        [dynamic[axis] if size is None else size for axis, size in enumerate(known)],
        tuple(w.shape)[:-2],
        w.shape[-2],
        strides,
        padding,
        output_padding,
        data_format,
        dilation_rate,
    )
    layout = _FORMATS[data_format][x.ndim]
    return tf.nn.conv_transpose(x, w, shape, strides, padding.upper(), layout, dilation_rate)


# --- blocks of pixels ------------------------------------------------------------------------------------------------


def _pair(value: Any) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else tuple(value)


def unfold(input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """The windows of images (batch, channels, height, width) as columns: (batch, channels * window, windows)."""
    x = convert_to_tensor(input)
    window, rate, border, step = (_pair(v) for v in (kernel_size, dilation, padding, stride))
    if any(border):
        x = tf.pad(x, [[0, 0], [0, 0], [border[0]] * 2, [border[1]] * 2])
    channels = x.shape[1]
    patches = tf.image.extract_patches(
        tf.transpose(x, [0, 2, 3, 1]), [1, *window, 1], [1, *step, 1], [1, *rate, 1], "VALID"
    )
    rows, columns = patches.shape[1:3]
    parts = tf.reshape(patches, [-1, rows * columns, math.prod(window), channels])
    return tf.reshape(tf.transpose(parts, [0, 3, 2, 1]), [-1, channels * math.prod(window), rows * columns])


def fold(x: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """The transpose of `unfold`: columns added up to images, where windows overlap."""
    x = convert_to_tensor(x)
    size, window, rate, border, step = (_pair(v) for v in (output_size, kernel_size, dilation, padding, stride))
    whole = [n + 2 * p for n, p in zip(size, border, strict=True)]
    counts = [(n - d * (k - 1) - 1) // s + 1 for n, k, d, s in zip(whole, window, rate, step, strict=True)]
    rows, columns = (
        (tf.range(k) * d)[:, None] + tf.range(n) * s for k, d, n, s in zip(window, rate, counts, step, strict=True)
    )
    # The pixel that each element of a column belongs to: (window rows, window columns, rows, columns).
    pixels = rows[:, None, :, None] * whole[1] + columns[None, :, None, :]
    channels = x.shape[1] // math.prod(window)
    parts = tf.reshape(x, [-1, channels, math.prod(window) * math.prod(counts)])
    sums = tf.math.unsorted_segment_sum(tf.transpose(parts, [2, 0, 1]), tf.reshape(pixels, [-1]), math.prod(whole))
    images = tf.reshape(tf.transpose(sums, [1, 2, 0]), [-1, channels, *whole])
    return images[:, :, border[0] : whole[0] - border[0], border[1] : whole[1] - border[1]]


def depth_to_space(x: Any, block_size: int, data_format: str = "channels_last") -> Any:
    """Channels rearranged to blocks of pixels."""
    return tf.nn.depth_to_space(convert_to_tensor(x), block_size, _FORMATS[data_format][4])


def space_to_depth(x: Any, block_size: int, data_format: str = "channels_last") -> Any:
    """Blocks of pixels rearranged to channels."""
    return tf.nn.space_to_depth(convert_to_tensor(x), block_size, _FORMATS[data_format][4])
