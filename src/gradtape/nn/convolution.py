"""Convolutions of `tf.nn`: all of them are one op, `ops.conv.conv`, or its transpose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import math
from ..api.arrays import reshape
from ..api.layout import reverse
from ..base.errors import ArgumentValueError, invalid, unfit
from ..base.sizes import UNKNOWN
from ..base.traceable import shaped, trace_public
from ..base.types import AxisLike, ShapeLike, TensorLike
from ..op.abstract import Abstract
from ..op.arguments import choice, sequence, takes, text
from ..op.attributes import as_ints
from ..ops.image import morphology
from ..ops.nn.conv import conv, conv_filter_gradient, conv_input_gradient
from ..values.tensor import Tensor, to_tensor
from .layout import (
    FORMATS,
    channels_first,
    in_channels_last,
    not_both,
    only_channels_last,
    operand,
    per_axis,
    settings,
    sizes_of,
    spatial,
    to_channels_first,
    to_channels_last,
)


def _convolve(
    name: str,
    rank: int,
    input: TensorLike,
    filters: Any,
    strides: object,
    padding: str | Sequence[Sequence[int]],
    data_format: object,
    dilations: object,
) -> Any:
    x = to_tensor(input)
    w = operand(filters, x)
    first = channels_first(name, data_format, rank)
    if w.ndim != rank + 2:
        message = f"{name}: filters must have {rank + 2} axes (window, channels, filters), got shape {w.shape}."
        raise ArgumentValueError(None, None, message)
    moving = settings(name, rank, strides, dilations, padding, first)

    def run(x: Any) -> Any:
        return conv.public(x, w, *moving, _groups(x.shape[-1], w.shape[-2]))

    if x.ndim == rank + 2 and not first:
        return run(x)
    return in_channels_last(run, x, rank, first)


def _groups(channels: int, depth: int) -> int:
    """How many groups of channels there are for filters of some depth."""
    return max(channels // depth, 1) if depth and channels % depth == 0 else 1


@takes(padding=text)
def conv1d(
    input: TensorLike,
    filters: TensorLike,
    stride: TensorLike,
    padding: str | Sequence[Sequence[int]],
    data_format: str = "NWC",
    dilations: AxisLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Convolve sequences (batch, width, channels) with filters (window, channels, filters)."""
    if data_format not in (None, "NWC", "NCW"):
        raise ValueError(f"`data_format` must be 'NWC' or 'NCW'. Received: data_format={data_format}")
    return _convolve("conv1d", 1, input, filters, stride, padding, data_format, dilations)


def conv2d(
    input: TensorLike,
    filters: TensorLike,
    strides: AxisLike,
    padding: str | Sequence[Sequence[int]],
    data_format: str = "NHWC",
    dilations: AxisLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Convolve images (batch, height, width, channels) with filters (height, width, channels / groups,
    filters).

    >>> import gradtape as tf
    >>> image, filters = tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1])
    >>> tf.nn.conv2d(image, filters, strides=1, padding="VALID").numpy()[0, :, :, 0]
    array([[4., 4.],
           [4., 4.]], dtype=float32)

    `padding` is "SAME", "VALID" or four pairs of numbers. Filters of smaller depth than the input make
    groups.
    """
    return _convolve("conv2d", 2, input, filters, strides, padding, data_format, dilations)


@takes(strides=sequence, padding=text)
def conv3d(
    input: TensorLike,
    filters: TensorLike,
    strides: AxisLike,
    padding: str | Sequence[Sequence[int]],
    data_format: str = "NDHWC",
    dilations: AxisLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Convolve volumes (batch, depth, height, width, channels)."""
    return _convolve("conv3d", 3, input, filters, strides, padding, data_format, dilations)


@takes(padding=choice)
def convolution(
    input: TensorLike,
    filters: Any,
    strides: AxisLike | None = None,
    padding: str | Sequence[Sequence[int]] = "VALID",
    data_format: str | None = None,
    dilations: AxisLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Convolve in one, two or three dimensions, according to the rank of the filters."""
    x = to_tensor(input)
    w = operand(filters, x)
    rank = w.ndim - 2
    if rank not in FORMATS:
        raise unfit(
            f"`filters.ndim` must be at least 3 and at most 5. Received: filters.shape={w.shape} of rank {w.ndim}"
        )
    not_both(strides, dilations)
    return _convolve("convolution", rank, x, w, strides, padding, data_format, dilations)


def atrous_conv2d(value: Any, filters: Any, rate: Any, padding: Any, name: str | None = None) -> Tensor:
    """Convolve with filters whose places are `rate` pixels apart."""
    _check_rate(rate)
    return _convolve("atrous_conv2d", 2, value, filters, None, padding, None, rate)


def _check_rate(rate: Any) -> None:
    if int(rate) < 1:
        raise ValueError(f"`rate` cannot be less than one, got {rate}.")


# --- transposes
# --------------------------------------------------------------------------------------------------------


def _transposed(
    name: str,
    rank: int,
    input: TensorLike,
    filters: Any,
    output_shape: ShapeLike,
    strides: object,
    padding: str | Sequence[Sequence[int]],
    data_format: object,
    dilations: object,
) -> Any:
    x = to_tensor(input)
    w = operand(filters, x)
    first = channels_first(name, data_format, rank)
    if x.ndim != rank + 2 or w.ndim != rank + 2:
        raise invalid(f"{name}: input and filters must have {rank + 2} axes, got shapes {x.shape} and {w.shape}.")
    moving = settings(name, rank, strides, dilations, padding, first)
    shape = sizes_of(name, output_shape)
    if len(shape) == rank:
        shape = (x.shape[0], *shape, w.shape[-2])
    elif len(shape) != rank + 2:
        raise unfit(f"{name}: output_shape needs {rank + 2} sizes, got {list(shape)}.")
    elif first:
        shape = (shape[0], *shape[2:], shape[1])
    if first:
        x = to_channels_last(x, rank)
    result = conv_input_gradient.public(x, w, shape, *moving, _groups(shape[-1], w.shape[-2]))
    return to_channels_first(result, rank) if first else result


def _transposed_look(
    input: TensorLike, filters: TensorLike, output_shape: TensorLike, *args: object, **kwargs: object
) -> Abstract:
    sizes = as_ints(output_shape)
    return Abstract(None if sizes is UNKNOWN else sizes, to_tensor(input).dtype.numpy)


@takes(padding=text)
@shaped(_transposed_look)
def conv1d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    strides: AxisLike,
    padding: str | Sequence[Sequence[int]] = "SAME",
    data_format: str = "NWC",
    dilations: AxisLike | None = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of `conv1d`: filters are (window, output channels, input channels)."""
    return _transposed("conv1d_transpose", 1, input, filters, output_shape, strides, padding, data_format, dilations)


@shaped(_transposed_look)
def conv2d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    strides: AxisLike,
    padding: str | Sequence[Sequence[int]] = "SAME",
    data_format: str = "NHWC",
    dilations: AxisLike | None = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of `conv2d`: filters are (height, width, output channels, input channels).

    >>> import gradtape as tf
    >>> x, filters = tf.ones([1, 2, 2, 1]), tf.ones([2, 2, 1, 1])
    >>> tf.nn.conv2d_transpose(x, filters, [1, 4, 4, 1], strides=2).shape
    TensorShape([1, 4, 4, 1])
    """
    return _transposed("conv2d_transpose", 2, input, filters, output_shape, strides, padding, data_format, dilations)


@takes(padding=choice)
@shaped(_transposed_look)
def conv3d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    strides: AxisLike,
    padding: str | Sequence[Sequence[int]] = "SAME",
    data_format: str = "NDHWC",
    dilations: AxisLike | None = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of `conv3d`: filters are (depth, height, width, output channels, input channels)."""
    return _transposed("conv3d_transpose", 3, input, filters, output_shape, strides, padding, data_format, dilations)


@shaped(_transposed_look)
def conv_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    strides: AxisLike,
    padding: str | Sequence[Sequence[int]] = "SAME",
    data_format: str | None = None,
    dilations: AxisLike | None = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of `convolution`, in as many dimensions as `output_shape` says."""
    if output_shape is None:
        raise ValueError("conv_transpose: `output_shape` must be a tensor or sized collection, got None.")
    rank = len(sizes_of("conv_transpose", output_shape)) - 2
    if rank not in FORMATS:
        raise ValueError(
            f"`output_shape` must be of length 3, 4 or 5. Received: output_shape={output_shape} of length {rank + 2}."
        )
    return _transposed("conv_transpose", rank, input, filters, output_shape, strides, padding, data_format, dilations)


def atrous_conv2d_transpose(
    value: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    rate: Any,
    padding: str | Sequence[Sequence[int]],
    name: str | None = None,
) -> Tensor:
    """The transpose of `atrous_conv2d`."""
    _check_rate(rate)
    return _transposed("atrous_conv2d_transpose", 2, value, filters, output_shape, None, padding, None, rate)


# --- one filter for each channel
# ---------------------------------------------------------------------------------------


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
    """Convolve each channel with filters of its own: filters (height, width, channels, multiplier).

    >>> import gradtape as tf
    >>> tf.nn.depthwise_conv2d(tf.ones([1, 4, 4, 3]), tf.ones([2, 2, 3, 2]), [1, 1, 1, 1], "VALID").shape
    TensorShape([1, 3, 3, 6])
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
    """`depthwise_conv2d`, then a convolution with filters (1, 1, channels * multiplier, filters)."""
    x = to_tensor(input)
    pointwise = operand(pointwise_filter, x)
    if pointwise.ndim != 4 or tuple(pointwise.shape)[:2] != (1, 1):
        raise ValueError(
            f"separable_conv2d: pointwise_filter must be (1, 1, channels, filters), got shape {pointwise.shape}."
        )
    depthwise = depthwise_conv2d(x, depthwise_filter, strides, padding, data_format, dilations)
    return _convolve("separable_conv2d", 2, depthwise, pointwise, 1, "VALID", data_format, None)


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
    """The gradient of `depthwise_conv2d` with respect to its input."""
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
    """The gradient of `depthwise_conv2d` with respect to its filters."""
    named = "depthwise_conv2d_backprop_filter"
    x = to_tensor(input)
    g = operand(out_backprop, x)
    first = channels_first(named, data_format, 2)
    shape = _four_sizes(named, "filter_sizes", filter_sizes)
    if first:
        x, g = to_channels_last(x, 2), to_channels_last(g, 2)
    moving = settings(named, 2, strides, dilations, padding, first)
    return reshape(conv_filter_gradient.public(x, g, shape[:2], *moving, max(shape[2], 1)), shape)


def _four_sizes(name: str, what: str, value: Any) -> tuple[int, ...]:
    shape = sizes_of(name, value)
    if len(shape) != 4:
        raise invalid(f"{name}: {what} needs four sizes, got {list(shape)}.")
    return shape


# --- morphology
# --------------------------------------------------------------------------------------------------------


def _four(strides: Any, dilations: Any) -> None:
    for name, value in (("strides", strides), ("dilations", dilations)):
        if len(value) < 4:
            raise invalid(f"{name} must be four numbers, one for each axis of the images, got {value!r}.")


@takes(strides=sequence, dilations=sequence, padding=text)
def dilation2d(
    input: TensorLike,
    filters: Any,
    strides: AxisLike,
    padding: Any,
    data_format: str,
    dilations: AxisLike,
    name: str | None = None,
) -> Tensor:
    """The largest of image plus filter in each window; filters are (height, width, channels)."""
    only_channels_last(data_format)
    _four(strides, dilations)
    padding = padding.decode() if isinstance(padding, bytes) else padding
    x = to_tensor(input)
    w = operand(filters, x)
    if x.ndim != 4 or w.ndim != 3 or x.shape[-1] != w.shape[-1]:
        raise invalid(
            "dilation2d: input (batch, height, width, channels) and filters (height, width, channels) "
            "must have the same depth, got "
            f"shapes {x.shape} and {w.shape}."
        )
    steps = spatial("dilation2d", "strides", strides, 2, False)
    rates, _ = per_axis("dilation2d", "dilations", dilations, 2, False)
    return morphology.dilation2d.public(x, w, steps, rates, padding)


@takes(strides=sequence, dilations=sequence, padding=text)
def erosion2d(
    value: TensorLike,
    filters: Any,
    strides: AxisLike,
    padding: str | Sequence[Sequence[int]],
    data_format: str,
    dilations: AxisLike,
    name: str | None = None,
) -> Tensor:
    """The smallest of image minus filter in each window: minus the dilation of the negative image."""
    only_channels_last(data_format)
    _four(strides, dilations)
    x = to_tensor(value)
    flipped = reverse(operand(filters, x), [0, 1])
    return math.negative(dilation2d(math.negative(x), flipped, strides, padding, data_format, dilations))


trace_public(globals())
