"""Convolutions of `tf.nn` with filters for each channel: depthwise and separable ones, and their gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..api.arrays import reshape
from ..base.errors import invalid
from ..base.traceable import trace_public
from ..base.types import AxisLike, TensorLike
from ..op.arguments import sequence, takes
from ..ops.nn.conv import conv, conv_filter_gradient, conv_input_gradient
from ..values.tensor import Tensor, to_tensor
from .convolution import conv2d
from .layout import (
    channels_first,
    in_channels_last,
    operand,
    settings,
    sizes_of,
    to_channels_first,
    to_channels_last,
)


def _depthwise_filters(name: str, filter: Tensor) -> Any:
    if filter.ndim != 4:
        raise invalid(f"{name}: filters must be (height, width, channels, multiplier), got shape {filter.shape}.")
    height, width, channels, multiplier = tuple(filter.shape)
    return reshape(filter, (height, width, 1, channels * multiplier))


@takes(strides=sequence)
def depthwise_conv2d(
    input: TensorLike,
    filter: Any,
    strides: AxisLike,
    padding: str | Sequence[Sequence[int]],
    data_format: str | None = None,
    dilations: AxisLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Convolve each channel of images with filters of its own.

    >>> import gradtape as tf
    >>> image = tf.reshape(tf.range(8.0), [1, 2, 2, 2])
    >>> filters = tf.constant([[[[1.0, 10.0], [2.0, 20.0]]]])
    >>> tf.nn.depthwise_conv2d(image, filters, [1, 1, 1, 1], "VALID").numpy()[0, 0]
    array([[ 0.,  0.,  2., 20.],
           [ 2., 20.,  6., 60.]], dtype=float32)

    Args:
        input: Images (batch, height, width, channels).
        filter: Filters (height, width, channels, multiplier): so many filters for each channel.
        strides: How far windows are apart: four numbers, 1 for the first and the channels.
        padding: "SAME", "VALID", or a pair of numbers for each axis of `input`.
        data_format: "NHWC" (channels last), or "NCHW".
        dilations: How far the elements of a filter are apart: a number, or one for height and one for width. 1 by
            default.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor (batch, new height, new width, channels * multiplier): the results of a channel are neighbours.

    Raises:
        tf.errors.InvalidArgumentError: Images and filters differ in their number of channels.
    """
    x = to_tensor(input)
    w = operand(filter, x)
    first = channels_first("depthwise_conv2d", data_format, 2)
    moving = settings("depthwise_conv2d", 2, strides, dilations, padding, first)
    flat = _depthwise_filters("depthwise_conv2d", w)

    def run(x: Tensor) -> Any:
        if x.shape[-1] != w.shape[2]:
            raise invalid(
                f"depthwise_conv2d: input and filter must have the same depth: {x.shape[-1]} vs {w.shape[2]}."
            )
        return conv.public(x, flat, *moving, max(x.shape[-1], 1))

    return in_channels_last(run, x, 2, first)


@takes(strides=sequence)
def separable_conv2d(
    input: TensorLike,
    depthwise_filter: TensorLike,
    pointwise_filter: Any,
    strides: AxisLike,
    padding: str | Sequence[Sequence[int]],
    data_format: str | None = None,
    dilations: AxisLike | None = None,
    name: str | None = None,
) -> Tensor:
    """`depthwise_conv2d`, then a convolution that mixes the channels of each pixel: far fewer weights than `conv2d`.

    >>> import gradtape as tf
    >>> image = tf.ones([1, 4, 4, 3])
    >>> depthwise, pointwise = tf.ones([2, 2, 3, 1]), tf.ones([1, 1, 3, 5])
    >>> tf.nn.separable_conv2d(image, depthwise, pointwise, [1, 1, 1, 1], "VALID").shape
    TensorShape([1, 3, 3, 5])

    Args:
        input: Images (batch, height, width, channels).
        depthwise_filter: Filters (height, width, channels, multiplier).
        pointwise_filter: Filters (1, 1, channels * multiplier, filters).
        strides: How far windows are apart: four numbers, 1 for the first and the channels.
        padding: "SAME", "VALID", or a pair of numbers for each axis of `input`.
        data_format: "NHWC" (channels last), or "NCHW".
        dilations: How far the elements of a depthwise filter are apart: a number, or one for height and one for width.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor (batch, new height, new width, filters).

    Raises:
        ValueError: `pointwise_filter` has another shape.
        tf.errors.InvalidArgumentError: The channels do not fit each other.
    """
    x = to_tensor(input)
    pointwise = operand(pointwise_filter, x)
    if pointwise.ndim != 4 or tuple(pointwise.shape)[:2] != (1, 1):
        raise ValueError(
            f"separable_conv2d: pointwise_filter must be (1, 1, channels, filters), got shape {pointwise.shape}."
        )
    depthwise = depthwise_conv2d(x, depthwise_filter, strides, padding, data_format, dilations)
    return conv2d(depthwise, pointwise, 1, "VALID", data_format or "NHWC")


def depthwise_conv2d_backprop_input(
    input_sizes: TensorLike,
    filter: Any,
    out_backprop: TensorLike,
    strides: AxisLike,
    padding: str | Sequence[Sequence[int]],
    data_format: str = "NHWC",
    dilations: AxisLike = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of `depthwise_conv2d` with respect to its images.

    >>> import gradtape as tf
    >>> filters, seed = tf.ones([2, 2, 1, 1]), tf.ones([1, 2, 2, 1])
    >>> found = tf.nn.depthwise_conv2d_backprop_input([1, 3, 3, 1], filters, seed, [1, 1, 1, 1], "VALID")
    >>> found.numpy()[0, :, :, 0]
    array([[1., 2., 1.],
           [2., 4., 2.],
           [1., 2., 1.]], dtype=float32)

    Args:
        input_sizes: The shape of the images: four sizes.
        filter: Filters (height, width, channels, multiplier).
        out_backprop: The gradient with respect to the result of `depthwise_conv2d`.
        strides: As in `depthwise_conv2d`.
        padding: As in `depthwise_conv2d`.
        data_format: "NHWC" (channels last), or "NCHW".
        dilations: As in `depthwise_conv2d`.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of shape `input_sizes`.

    Raises:
        tf.errors.InvalidArgumentError: The shapes do not fit each other.
    """
    named = "depthwise_conv2d_backprop_input"
    g = to_tensor(out_backprop)
    w = operand(filter, g)
    first = channels_first(named, data_format, 2)
    shape = _four_sizes(named, "input_sizes", input_sizes)
    if first:
        shape, g = (shape[0], *shape[2:], shape[1]), to_channels_last(g, 2)
    moving = settings(named, 2, strides, dilations, padding, first)
    result = conv_input_gradient.public(g, _depthwise_filters(named, w), shape, *moving, max(shape[-1], 1))
    return to_channels_first(result, 2) if first else result


def depthwise_conv2d_backprop_filter(
    input: TensorLike,
    filter_sizes: TensorLike,
    out_backprop: Any,
    strides: AxisLike,
    padding: str | Sequence[Sequence[int]],
    data_format: str = "NHWC",
    dilations: AxisLike = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of `depthwise_conv2d` with respect to its filters.

    >>> import gradtape as tf
    >>> image, seed = tf.reshape(tf.range(9.0), [1, 3, 3, 1]), tf.ones([1, 2, 2, 1])
    >>> found = tf.nn.depthwise_conv2d_backprop_filter(image, [2, 2, 1, 1], seed, [1, 1, 1, 1], "VALID")
    >>> found.numpy()[:, :, 0, 0]
    array([[ 8., 12.],
           [20., 24.]], dtype=float32)

    Args:
        input: Images (batch, height, width, channels).
        filter_sizes: The shape of the filters: four sizes.
        out_backprop: The gradient with respect to the result of `depthwise_conv2d`.
        strides: As in `depthwise_conv2d`.
        padding: As in `depthwise_conv2d`.
        data_format: "NHWC" (channels last), or "NCHW".
        dilations: As in `depthwise_conv2d`.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of shape `filter_sizes`.

    Raises:
        tf.errors.InvalidArgumentError: The shapes do not fit each other.
    """
    named = "depthwise_conv2d_backprop_filter"
    x = to_tensor(input)
    g = operand(out_backprop, x)
    first = channels_first(named, data_format, 2)
    shape = _four_sizes(named, "filter_sizes", filter_sizes)
    if first:
        x, g = to_channels_last(x, 2), to_channels_last(g, 2)
    moving = settings(named, 2, strides, dilations, padding, first)
    return reshape(conv_filter_gradient.public(x, g, shape[:2], *moving, max(shape[2], 1)), shape)


def _four_sizes(name: str, what: str, value: object) -> tuple[int, ...]:
    shape = sizes_of(name, value)
    if len(shape) != 4:
        raise invalid(f"{name}: {what} needs four sizes, got {list(shape)}.")
    return shape


trace_public(globals())
