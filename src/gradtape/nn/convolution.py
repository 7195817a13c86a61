"""Convolutions of `tf.nn`: all of them are one op, `ops.conv.conv`, or its transpose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..base.errors import ArgumentValueError, NumberNeededError, invalid, unfit
from ..base.namespaces import homes, on_first_use
from ..base.sizes import UNKNOWN
from ..base.traceable import shaped, trace_public
from ..base.types import AxisLike, ShapeLike, TensorLike
from ..op.abstract import Abstract
from ..op.arguments import choice, sequence, takes, text
from ..op.attributes import as_ints
from ..ops.nn.conv import conv, conv_input_gradient
from ..values.tensor import Tensor, to_tensor
from .layout import (
    FORMATS,
    channels_first,
    in_channels_last,
    not_both,
    operand,
    settings,
    sizes_of,
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
    """Convolve sequences (batch, width, channels) with filters (window, channels / groups, filters).

    >>> import gradtape as tf
    >>> x = tf.reshape(tf.constant([1.0, 2.0, 4.0, 8.0]), [1, 4, 1])
    >>> difference = tf.reshape(tf.constant([-1.0, 1.0]), [2, 1, 1])
    >>> tf.nn.conv1d(x, difference, stride=1, padding="VALID").numpy().ravel()
    array([1., 2., 4.], dtype=float32)

    Args:
        input: The sequences.
        filters: One window for each channel of a filter. Filters of smaller depth than the input make groups. They are
            not flipped: this is a correlation, as everywhere in deep learning.
        stride: How far windows are apart.
        padding: "SAME" for an output as large as the input (divided by the strides), "VALID" for windows that lie
            inside the input, or a pair of numbers (zeros before and after) for each axis of `input`.
        data_format: "NWC" (channels last), or "NCW".
        dilations: How far the elements of a filter are apart. 1 by default.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor (batch, new width, filters), in the layout of the input.

    Raises:
        ValueError: The filters have another number of axes, or an option is none of those above.
        tf.errors.InvalidArgumentError: The channels of the filters do not fit those of the input, or a filter is larger
            than its input.
    """
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
    """Convolve images (batch, height, width, channels) with filters (height, width, channels / groups, filters).

    >>> import gradtape as tf
    >>> image, filters = tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1])
    >>> tf.nn.conv2d(image, filters, strides=1, padding="VALID").numpy()[0, :, :, 0]
    array([[4., 4.],
           [4., 4.]], dtype=float32)

    The gradient counts how many windows each pixel is in:

    >>> with tf.GradientTape() as tape:
    ...     tape.watch(image)
    ...     total = tf.reduce_sum(tf.nn.conv2d(image, filters, strides=1, padding="VALID"))
    >>> tape.gradient(total, image).numpy()[0, :, :, 0]
    array([[1., 2., 1.],
           [2., 4., 2.],
           [1., 2., 1.]], dtype=float32)

    Args:
        input: The images; further axes in front count as one batch.
        filters: One window for each channel of a filter. Filters of smaller depth than the input make groups. They are
            not flipped: this is a correlation, as everywhere in deep learning.
        strides: How far windows are apart: a number, one for each spatial axis, or one for each axis of `input`.
        padding: "SAME" for an output as large as the input (divided by the strides), "VALID" for windows that lie
            inside the input, or a pair of numbers (zeros before and after) for each axis of `input`.
        data_format: "NHWC" (channels last), or "NCHW".
        dilations: How far the elements of a filter are apart: as `strides`. 1 by default.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor (batch, new height, new width, filters), in the layout of the input.

    Raises:
        ValueError: The filters have another number of axes, or an option is none of those above.
        tf.errors.InvalidArgumentError: The channels of the filters do not fit those of the input, or a filter is larger
            than its input.
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
    """Convolve volumes (batch, depth, height, width, channels) with filters of three sizes.

    >>> import gradtape as tf
    >>> volume, filters = tf.ones([1, 4, 4, 4, 1]), tf.ones([2, 2, 2, 1, 3])
    >>> tf.nn.conv3d(volume, filters, strides=[1, 2, 2, 2, 1], padding="VALID").shape
    TensorShape([1, 2, 2, 2, 3])

    Args:
        input: The volumes.
        filters: Filters (depth, height, width, channels / groups, filters).
        strides: How far windows are apart: one number for each axis of `input`, 1 for the first and the channels.
        padding: "SAME" for an output as large as the input (divided by the strides), "VALID" for windows that lie
            inside the input, or a pair of numbers (zeros before and after) for each axis of `input`.
        data_format: "NDHWC" (channels last), or "NCDHW".
        dilations: How far the elements of a filter are apart: as `strides`. 1 by default.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor (batch, new depth, new height, new width, filters), in the layout of the input.

    Raises:
        ValueError: The filters have another number of axes, or an option is none of those above.
        tf.errors.InvalidArgumentError: The channels of the filters do not fit those of the input, or a filter is larger
            than its input.
    """
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
    """Convolve in one, two or three dimensions, according to the rank of the filters.

    >>> import gradtape as tf
    >>> x = tf.reshape(tf.range(5.0), [1, 5, 1])
    >>> tf.nn.convolution(x, tf.ones([3, 1, 1]), padding="SAME").numpy().ravel()
    array([1., 3., 6., 9., 7.], dtype=float32)

    Args:
        input: Sequences, images or volumes, with their channels in the last axis.
        filters: One window for each channel of a filter, in three to five axes: as `conv1d`, `conv2d` and `conv3d` take
            them.
        strides: How far windows are apart: a number, or one for each spatial axis. 1 by default.
        padding: "SAME" or "VALID".
        data_format: A text that begins with "NC" for channels in the second axis; otherwise they are in the last.
        dilations: How far the elements of a filter are apart: as `strides`. Strides and dilations cannot both be above
            1.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor (batch, new sizes, filters), in the layout of the input.

    Raises:
        ValueError: The filters have another number of axes, or an option is none of those above.
        tf.errors.InvalidArgumentError: The channels of the filters do not fit those of the input, or a filter is larger
            than its input.
    """
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
    """Convolve images with filters whose elements are `rate` pixels apart: a wide view with few weights.

    >>> import gradtape as tf
    >>> image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    >>> tf.nn.atrous_conv2d(image, tf.ones([2, 2, 1, 1]), rate=2, padding="VALID").numpy()[0, :, :, 0]
    array([[20., 24.],
           [36., 40.]], dtype=float32)

    Args:
        value: Images (batch, height, width, channels).
        filters: Filters (height, width, channels, filters).
        rate: The distance of neighbouring elements of a filter, in pixels.
        padding: "SAME" or "VALID".
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor (batch, new height, new width, filters).

    Raises:
        ValueError: `rate` is less than one.
    """
    _check_rate(rate)
    return _convolve("atrous_conv2d", 2, value, filters, None, padding, None, rate)


def _check_rate(rate: Any) -> None:
    if isinstance(rate, (list, tuple)):
        raise NumberNeededError(None, None, f"`rate` must be one number, got {rate!r}.")
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
    """The transpose of `conv1d` (also called deconvolution): each element of the input adds one filter to the result.

    >>> import gradtape as tf
    >>> x = tf.reshape(tf.constant([1.0, 10.0]), [1, 2, 1])
    >>> filters = tf.reshape(tf.constant([1.0, 2.0]), [2, 1, 1])
    >>> tf.nn.conv1d_transpose(x, filters, [1, 4, 1], strides=2).numpy().ravel()
    array([ 1.,  2., 10., 20.], dtype=float32)

    Args:
        input: Sequences (batch, width, channels).
        filters: Filters (window, output channels, input channels).
        output_shape: The shape of the result (a shape that the convolution would take to that of `input`).
        strides: How far the filters are apart in the result.
        padding: That of the convolution: "SAME" or "VALID".
        data_format: "NWC" (channels last), or "NCW".
        dilations: How far the elements of a filter are apart. 1 by default.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of shape `output_shape`.

    Raises:
        tf.errors.InvalidArgumentError: The shapes do not fit each other.
    """
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
    """The transpose of `conv2d` (also called deconvolution): it makes images larger.

    >>> import gradtape as tf
    >>> x, filters = tf.ones([1, 2, 2, 1]), tf.ones([3, 3, 1, 1])
    >>> tf.nn.conv2d_transpose(x, filters, [1, 4, 4, 1], strides=2).numpy()[0, :, :, 0]
    array([[1., 1., 2., 1.],
           [1., 1., 2., 1.],
           [2., 2., 4., 2.],
           [1., 1., 2., 1.]], dtype=float32)

    Args:
        input: Images (batch, height, width, channels).
        filters: Filters (height, width, output channels, input channels).
        output_shape: The shape of the result (a shape that the convolution would take to that of `input`).
        strides: How far the filters are apart in the result: a number, one for each spatial axis, or one for each axis
            of `input`.
        padding: That of the convolution: "SAME", "VALID", or a pair of numbers for each axis of `input`.
        data_format: "NHWC" (channels last), or "NCHW".
        dilations: How far the elements of a filter are apart: as `strides`. 1 by default.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of shape `output_shape`.

    Raises:
        tf.errors.InvalidArgumentError: The shapes do not fit each other.
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
    """The transpose of `conv3d`: it makes volumes larger.

    >>> import gradtape as tf
    >>> x, filters = tf.ones([1, 2, 2, 2, 3]), tf.ones([2, 2, 2, 1, 3])
    >>> tf.nn.conv3d_transpose(x, filters, [1, 4, 4, 4, 1], strides=2).shape
    TensorShape([1, 4, 4, 4, 1])

    Args:
        input: Volumes (batch, depth, height, width, channels).
        filters: Filters (depth, height, width, output channels, input channels).
        output_shape: The shape of the result (a shape that the convolution would take to that of `input`).
        strides: How far the filters are apart in the result: a number, one for each spatial axis, or one for each axis
            of `input`.
        padding: That of the convolution: "SAME" or "VALID".
        data_format: "NDHWC" (channels last), or "NCDHW".
        dilations: How far the elements of a filter are apart: as `strides`. 1 by default.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of shape `output_shape`.

    Raises:
        tf.errors.InvalidArgumentError: The shapes do not fit each other.
    """
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
    """The transpose of `convolution`, in as many dimensions as `output_shape` says.

    >>> import gradtape as tf
    >>> x = tf.reshape(tf.constant([1.0, 10.0]), [1, 2, 1])
    >>> tf.nn.conv_transpose(x, tf.ones([2, 1, 1]), [1, 4, 1], strides=2).numpy().ravel()
    array([ 1.,  1., 10., 10.], dtype=float32)

    Args:
        input: Sequences, images or volumes.
        filters: Filters (window sizes, output channels, input channels).
        output_shape: The shape of the result, of three to five sizes.
        strides: How far the filters are apart in the result: a number, or one for each spatial axis.
        padding: That of the convolution: "SAME" or "VALID".
        data_format: A text that begins with "NC" for channels in the second axis; otherwise they are in the last.
        dilations: How far the elements of a filter are apart: as `strides`. 1 by default.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of shape `output_shape`.

    Raises:
        ValueError: `output_shape` is None, or has fewer than three or more than five sizes.
        tf.errors.InvalidArgumentError: The shapes do not fit each other.
    """
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
    rate: object,
    padding: str | Sequence[Sequence[int]],
    name: str | None = None,
) -> Tensor:
    """The transpose of `atrous_conv2d`.

    >>> import gradtape as tf
    >>> x, filters = tf.ones([1, 2, 2, 1]), tf.ones([2, 2, 1, 1])
    >>> tf.nn.atrous_conv2d_transpose(x, filters, [1, 4, 4, 1], rate=2, padding="VALID").numpy()[0, :, :, 0]
    array([[1., 1., 1., 1.],
           [1., 1., 1., 1.],
           [1., 1., 1., 1.],
           [1., 1., 1., 1.]], dtype=float32)

    Args:
        value: Images (batch, height, width, channels).
        filters: Filters (height, width, output channels, input channels).
        output_shape: The shape of the result.
        rate: The distance of neighbouring elements of a filter, in pixels.
        padding: That of the convolution: "SAME" or "VALID".
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of shape `output_shape`.

    Raises:
        ValueError: `rate` is less than one.
    """
    _check_rate(rate)
    return _transposed("atrous_conv2d_transpose", 2, value, filters, output_shape, None, padding, None, rate)


trace_public(globals())

# Pickles of earlier versions look for these names here.
__getattr__ = on_first_use(
    globals(),
    homes(
        __name__,
        {
            "nn.depthwise": """
                depthwise_conv2d depthwise_conv2d_backprop_filter depthwise_conv2d_backprop_input separable_conv2d
            """,
            "nn.morphology": "dilation2d erosion2d",
        },
    ),
)
