"""Pools of `tf.nn`."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from typing import Any

from .. import math
from ..api.layout import expand_dims, squeeze
from ..base import dtypes
from ..base.errors import UnimplementedError, invalid
from ..base.traceable import trace_public
from ..base.types import AxisLike, TensorLike
from ..op.arguments import flag, takes, text
from ..op.attributes import as_ints
from ..ops.nn.pool import window_argmax, window_max, window_sum
from ..values.tensor import Tensor, to_tensor
from .layout import FORMATS, channels_first, in_channels_last, not_both, only_channels_last, paddings, per_axis


def _pool(
    name: str,
    kind: str,
    rank: int,
    input: TensorLike,
    ksize: AxisLike,
    strides: AxisLike,
    padding: str | Sequence[Sequence[int]],
    data_format: object,
) -> Any:
    x = to_tensor(input)
    first = channels_first(name, data_format, rank)
    if x.ndim != rank + 2:
        raise invalid(
            f"{name}: the input must have {rank + 2} axes (batch, {rank} sizes, channels), got shape {x.shape}."
        )
    window, over_channels = per_axis(name, "ksize", ksize, rank, first)
    steps, channel_step = per_axis(name, "strides", strides, rank, first)
    pads = paddings(name, padding, rank, first)
    ones = (1,) * rank
    if over_channels == 1 and channel_step == 1:

        def run(x: TensorLike) -> Any:
            if kind == "MAX":
                return window_max.public(x, window, steps, ones, pads)
            return window_sum.public(x, window, steps, ones, pads, True)

        return run(x) if not first else in_channels_last(run, x, rank, first)
    if kind != "MAX" or window != ones or over_channels != channel_step or x.shape[1 if first else -1] % over_channels:
        raise UnimplementedError(
            None,
            None,
            f"{name}: a pool over channels must be a max pool with strides equal to ksize that divide the "
            "channels and no other axis "
            f"pooled; got ksize {ksize} and strides {strides} for shape {x.shape}.",
        )

    def across(x: TensorLike) -> Any:
        # The channels as one more size: the windows then lie along it.
        pooled = window_max.public(
            expand_dims(x, -1),
            (*ones, over_channels),
            (*steps, channel_step),
            (*ones, 1),
            "VALID" if rank else pads,
        )
        return squeeze(pooled, -1)

    return in_channels_last(across, x, rank, first)


def _any_rank(
    kind: str,
    input: TensorLike,
    ksize: AxisLike,
    strides: AxisLike,
    padding: str | Sequence[Sequence[int]],
    data_format: object,
) -> Any:
    x = to_tensor(input)
    rank = x.ndim - 2
    if rank not in FORMATS:
        raise ValueError(f"`input.shape.rank` must be 3, 4 or 5. Received: input.shape={x.shape} of rank {x.ndim}.")
    return _pool(f"{kind.lower()}_pool", kind, rank, x, ksize, strides, padding, data_format)


def max_pool(
    input: TensorLike,
    ksize: AxisLike,
    strides: AxisLike,
    padding: str | Sequence[Sequence[int]],
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The largest element of each window, in one, two or three dimensions.

    >>> import gradtape as tf
    >>> x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    >>> tf.nn.max_pool(x, ksize=2, strides=2, padding="VALID").numpy()[0, :, :, 0]
    array([[ 5.,  7.],
           [13., 15.]], dtype=float32)

    The gradient goes to the largest element; of equal ones the first takes it:

    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     pooled = tf.nn.max_pool(x, ksize=2, strides=2, padding="VALID")
    >>> tape.gradient(pooled, x).numpy()[0, :, :, 0]
    array([[0., 0., 0., 0.],
           [0., 1., 0., 1.],
           [0., 0., 0., 0.],
           [0., 1., 0., 1.]], dtype=float32)

    Args:
        input: Sequences, images or volumes: (batch, sizes, channels).
        ksize: The size of a window: a number, one for each spatial axis, or one for each axis of `input`.
        strides: How far windows are apart: as `ksize`.
        padding: "SAME" for as many windows as elements (divided by the strides), "VALID" for windows that lie inside
            the input, or a pair of numbers (how much before and after) for each axis of `input`.
        data_format: A text that begins with "NC" for channels in the second axis; otherwise they are in the last.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor (batch, new sizes, channels), in the layout of the input.

    Raises:
        ValueError: The input has fewer than three axes, or more than five.
        tf.errors.InvalidArgumentError: A window is larger than the input.
    """
    return _any_rank("MAX", input, ksize, strides, padding, data_format)


@takes(padding=text)
def avg_pool(
    input: TensorLike,
    ksize: AxisLike,
    strides: AxisLike,
    padding: str | Sequence[Sequence[int]],
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The mean of each window, in one, two or three dimensions; padding does not count.

    >>> import gradtape as tf
    >>> x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    >>> tf.nn.avg_pool(x, ksize=2, strides=2, padding="VALID").numpy()[0, :, :, 0]
    array([[ 2.5,  4.5],
           [10.5, 12.5]], dtype=float32)

    Args:
        input: Sequences, images or volumes: (batch, sizes, channels).
        ksize: The size of a window: a number, one for each spatial axis, or one for each axis of `input`.
        strides: How far windows are apart: as `ksize`.
        padding: "SAME" for as many windows as elements (divided by the strides), or "VALID" for windows that lie inside
            the input.
        data_format: A text that begins with "NC" for channels in the second axis; otherwise they are in the last.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor (batch, new sizes, channels), in the layout of the input.

    Raises:
        ValueError: The input has fewer than three axes, or more than five.
        tf.errors.InvalidArgumentError: A window is larger than the input.
    """
    return _any_rank("AVG", input, ksize, strides, padding, data_format)


def max_pool1d(
    input: TensorLike,
    ksize: AxisLike,
    strides: AxisLike,
    padding: str | Sequence[Sequence[int]],
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """The largest element of each window of sequences (batch, width, channels).

    >>> import gradtape as tf
    >>> x = tf.reshape(tf.constant([1.0, 5.0, 2.0, 3.0]), [1, 4, 1])
    >>> tf.nn.max_pool1d(x, ksize=2, strides=2, padding="VALID").numpy().ravel()
    array([5., 3.], dtype=float32)

    Args:
        input: The sequences.
        ksize: The size of a window.
        strides: How far windows are apart.
        padding: "SAME" for as many windows as elements (divided by the strides), "VALID" for windows that lie inside
            the input, or a pair of numbers (how much before and after) for each axis of `input`.
        data_format: "NWC" (channels last), or "NCW".
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor (batch, new sizes, channels), in the layout of the input.

    Raises:
        tf.errors.InvalidArgumentError: The input has another number of axes, or a window is larger than the input.
    """
    return _pool("max_pool1d", "MAX", 1, input, ksize, strides, padding, data_format)


def max_pool2d(
    input: TensorLike,
    ksize: AxisLike,
    strides: AxisLike,
    padding: str | Sequence[Sequence[int]],
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The largest element of each window of images (batch, height, width, channels).

    >>> import gradtape as tf
    >>> x = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> tf.nn.max_pool2d(x, ksize=2, strides=1, padding="VALID").numpy()[0, :, :, 0]
    array([[4., 5.],
           [7., 8.]], dtype=float32)

    Args:
        input: The images.
        ksize: The size of a window: a number, one for each spatial axis, or one for each axis of `input`.
        strides: How far windows are apart: as `ksize`.
        padding: "SAME" for as many windows as elements (divided by the strides), "VALID" for windows that lie inside
            the input, or a pair of numbers (how much before and after) for each axis of `input`.
        data_format: "NHWC" (channels last), or "NCHW".
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor (batch, new sizes, channels), in the layout of the input.

    Raises:
        tf.errors.InvalidArgumentError: The input has another number of axes, or a window is larger than the input.
    """
    return _pool("max_pool2d", "MAX", 2, input, ksize, strides, padding, data_format)


@takes(padding=text)
def max_pool3d(
    input: TensorLike,
    ksize: AxisLike,
    strides: AxisLike,
    padding: str | Sequence[Sequence[int]],
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The largest element of each window of volumes (batch, depth, height, width, channels).

    >>> import gradtape as tf
    >>> x = tf.reshape(tf.range(8.0), [1, 2, 2, 2, 1])
    >>> tf.nn.max_pool3d(x, ksize=[1, 2, 2], strides=1, padding="VALID").numpy().ravel()
    array([3., 7.], dtype=float32)

    Args:
        input: The volumes.
        ksize: The size of a window: a number, one for each spatial axis, or one for each axis of `input`.
        strides: How far windows are apart: as `ksize`.
        padding: "SAME" or "VALID".
        data_format: "NDHWC" (channels last), or "NCDHW".
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor (batch, new sizes, channels), in the layout of the input.

    Raises:
        tf.errors.InvalidArgumentError: The input has another number of axes, or a window is larger than the input.
    """
    return _pool("max_pool3d", "MAX", 3, input, ksize, strides, padding, data_format)


@takes(padding=text)
def avg_pool1d(
    input: TensorLike,
    ksize: AxisLike,
    strides: AxisLike,
    padding: str | Sequence[Sequence[int]],
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of sequences (batch, width, channels); padding does not count.

    >>> import gradtape as tf
    >>> x = tf.reshape(tf.constant([1.0, 5.0, 2.0, 3.0]), [1, 4, 1])
    >>> tf.nn.avg_pool1d(x, ksize=2, strides=2, padding="VALID").numpy().ravel()
    array([3. , 2.5], dtype=float32)

    Args:
        input: The sequences.
        ksize: The size of a window.
        strides: How far windows are apart.
        padding: "SAME" or "VALID".
        data_format: "NWC" (channels last), or "NCW".
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor (batch, new sizes, channels), in the layout of the input.

    Raises:
        tf.errors.InvalidArgumentError: The input has another number of axes, or a window is larger than the input.
    """
    return _pool("avg_pool1d", "AVG", 1, input, ksize, strides, padding, data_format)


@takes(padding=text)
def avg_pool2d(
    input: TensorLike,
    ksize: AxisLike,
    strides: AxisLike,
    padding: str | Sequence[Sequence[int]],
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of images (batch, height, width, channels); padding does not count.

    >>> import gradtape as tf
    >>> x = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> tf.nn.avg_pool2d(x, ksize=2, strides=1, padding="VALID").numpy()[0, :, :, 0]
    array([[2., 3.],
           [5., 6.]], dtype=float32)

    Args:
        input: The images.
        ksize: The size of a window: a number, one for each spatial axis, or one for each axis of `input`.
        strides: How far windows are apart: as `ksize`.
        padding: "SAME" or "VALID".
        data_format: "NHWC" (channels last), or "NCHW".
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor (batch, new sizes, channels), in the layout of the input.

    Raises:
        tf.errors.InvalidArgumentError: The input has another number of axes, or a window is larger than the input.
    """
    return _pool("avg_pool2d", "AVG", 2, input, ksize, strides, padding, data_format)


@takes(padding=text)
def avg_pool3d(
    input: TensorLike,
    ksize: AxisLike,
    strides: AxisLike,
    padding: str | Sequence[Sequence[int]],
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of volumes (batch, depth, height, width, channels); padding does not count.

    >>> import gradtape as tf
    >>> x = tf.reshape(tf.range(8.0), [1, 2, 2, 2, 1])
    >>> tf.nn.avg_pool3d(x, ksize=[1, 2, 2], strides=1, padding="VALID").numpy().ravel()
    array([1.5, 5.5], dtype=float32)

    Args:
        input: The volumes.
        ksize: The size of a window: a number, one for each spatial axis, or one for each axis of `input`.
        strides: How far windows are apart: as `ksize`.
        padding: "SAME" or "VALID".
        data_format: "NDHWC" (channels last), or "NCDHW".
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor (batch, new sizes, channels), in the layout of the input.

    Raises:
        tf.errors.InvalidArgumentError: The input has another number of axes, or a window is larger than the input.
    """
    return _pool("avg_pool3d", "AVG", 3, input, ksize, strides, padding, data_format)


def pool(
    input: TensorLike,
    window_shape: object,
    pooling_type: str,
    strides: AxisLike | None = None,
    padding: str | Sequence[Sequence[int]] = "VALID",
    data_format: str | None = None,
    dilations: AxisLike | None = None,
    name: str | None = None,
) -> Tensor:
    """The largest element or the mean of windows of any size, stride and dilation.

    >>> import gradtape as tf
    >>> x = tf.reshape(tf.range(5.0), [1, 5, 1])
    >>> tf.nn.pool(x, [2], "AVG", dilations=[2]).numpy().ravel()
    array([1., 2., 3.], dtype=float32)

    Args:
        input: Sequences, images or volumes: (batch, sizes, channels).
        window_shape: The size of a window along each spatial axis.
        pooling_type: "MAX" or "AVG".
        strides: How far windows are apart, along each spatial axis. 1 by default.
        padding: "SAME", "VALID", or a pair of numbers for each axis of `input`.
        data_format: A text that begins with "NC" for channels in the second axis; otherwise they are in the last.
        dilations: How far the elements of a window are apart, along each spatial axis. 1 by default.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor (batch, new sizes, channels), in the layout of the input.

    Raises:
        ValueError: `window_shape` does not fit the input, `pooling_type` is another, strides and dilations are both
            above 1, or a dilated pool has padding "SAME".
    """
    x = to_tensor(input)
    window = as_ints(window_shape)
    rank = len(window)
    if rank not in FORMATS or x.ndim != rank + 2:
        raise ValueError(
            f"`input.shape.rank` must be the number of window sizes plus 2. Received: {x.shape}, "
            f"window_shape={window_shape}"
        )
    text("pooling_type", pooling_type)
    if pooling_type not in ("MAX", "AVG"):
        raise ValueError(f"{rank}-D {pooling_type} pooling is not supported.")
    first = channels_first("pool", data_format, rank)
    steps, _ = per_axis("pool", "strides", strides, rank, first)
    rates, _ = per_axis("pool", "dilations", dilations, rank, first)
    not_both(steps, rates)
    if max(rates) > 1 and padding == "SAME":
        raise ValueError(
            f"pooling with 'SAME' padding is not implemented for `dilation_rate` > 1. Received: dilation_rate={rates}"
        )
    pads = paddings("pool", padding, rank, first)

    def run(x: TensorLike) -> Any:
        if pooling_type == "MAX":
            return window_max.public(x, window, steps, rates, pads)
        return window_sum.public(x, window, steps, rates, pads, True)

    return in_channels_last(run, x, rank, first)


MaxPoolWithArgmax = namedtuple("MaxPoolWithArgmax", ["output", "argmax"])


@takes(padding=text, include_batch_in_index=flag)
def max_pool_with_argmax(
    input: object,
    ksize: object,
    strides: object,
    padding: object,
    data_format: str = "NHWC",
    output_dtype: object = dtypes.int64,
    include_batch_in_index: bool = False,
    name: str | None = None,
) -> MaxPoolWithArgmax:
    """`max_pool2d`, and where each largest element was.

    >>> import gradtape as tf
    >>> x = tf.reshape(tf.constant([1.0, 9.0, 3.0, 4.0]), [1, 2, 2, 1])
    >>> found = tf.nn.max_pool_with_argmax(x, ksize=2, strides=2, padding="VALID")
    >>> found.output.numpy().ravel(), found.argmax.numpy().ravel()
    (array([9.], dtype=float32), array([1]))

    Args:
        input: Images (batch, height, width, channels).
        ksize: The size of a window: a number, one for each spatial axis, or one for each axis of `input`.
        strides: How far windows are apart: as `ksize`.
        padding: "SAME" or "VALID".
        data_format: "NHWC"; there is no other.
        output_dtype: The type of the places: tf.int64 or tf.int32.
        include_batch_in_index: Whether places are counted in the whole batch, not in each image.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A pair: `output`, the largest elements, and `argmax`, their places in the flattened image.

    Raises:
        tf.errors.InvalidArgumentError: The input has another number of axes, or `output_dtype` is another type.
        tf.errors.UnimplementedError: A window goes over channels.
    """
    only_channels_last(data_format)
    kind = dtypes.as_dtype(output_dtype)
    if kind not in (dtypes.int32, dtypes.int64):
        raise invalid(f"max_pool_with_argmax: output_dtype must be int32 or int64, got {kind.name}.")
    x = to_tensor(input)
    if x.ndim != 4:
        raise invalid(
            f"max_pool_with_argmax: the input must have 4 axes (batch, height, width, channels), got shape {x.shape}."
        )
    window, over_channels = per_axis("max_pool_with_argmax", "ksize", ksize, 2, False)
    steps, channel_step = per_axis("max_pool_with_argmax", "strides", strides, 2, False)
    if over_channels != 1 or channel_step != 1:
        raise UnimplementedError(None, None, "max_pool_with_argmax: a pool over channels has no argmax.")
    output = window_max.public(x, window, steps, (1, 1), padding)
    argmax = window_argmax.public(x, window, steps, (1, 1), padding, bool(include_batch_in_index))
    return MaxPoolWithArgmax(output, argmax if kind is dtypes.int64 else math.cast(argmax, kind))


trace_public(globals())
