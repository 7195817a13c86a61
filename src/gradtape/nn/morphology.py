"""Morphology of `tf.nn`: the largest of image plus filter in each window, and the smallest of image minus filter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import math
from ..api.layout import reverse
from ..base.errors import invalid
from ..base.traceable import trace_public
from ..base.types import AxisLike, TensorLike
from ..op.arguments import sequence, takes, text
from ..ops.image import morphology
from ..values.tensor import Tensor, to_tensor
from .layout import only_channels_last, operand, per_axis, spatial


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
    """The largest of image plus filter in each window, channel by channel: bright spots grow.

    >>> import gradtape as tf
    >>> image = tf.reshape(tf.constant([0.0, 0, 0, 0, 5, 0, 0, 0, 0]), [1, 3, 3, 1])
    >>> ones = [1, 1, 1, 1]
    >>> tf.nn.dilation2d(image, tf.zeros([2, 2, 1]), ones, "SAME", "NHWC", ones).numpy()[0, :, :, 0]
    array([[5., 5., 0.],
           [5., 5., 0.],
           [0., 0., 0.]], dtype=float32)

    Args:
        input: Images (batch, height, width, channels).
        filters: What is added to a window: (height, width, channels).
        strides: How far windows are apart: four numbers, 1 for the first and the channels.
        padding: "SAME" or "VALID".
        data_format: "NHWC"; there is no other.
        dilations: How far the elements of a filter are apart: four numbers, 1 for the first and the channels.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor (batch, new height, new width, channels).

    Raises:
        tf.errors.InvalidArgumentError: The channels differ, or `strides` or `dilations` are not four numbers.
    """
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
    """The smallest of image minus filter in each window, channel by channel: bright spots shrink.

    >>> import gradtape as tf
    >>> image = tf.reshape(tf.constant([9.0, 9, 9, 9, 5, 9, 9, 9, 9]), [1, 3, 3, 1])
    >>> ones = [1, 1, 1, 1]
    >>> tf.nn.erosion2d(image, tf.zeros([2, 2, 1]), ones, "SAME", "NHWC", ones).numpy()[0, :, :, 0]
    array([[5., 5., 9.],
           [5., 5., 9.],
           [9., 9., 9.]], dtype=float32)

    Args:
        value: Images (batch, height, width, channels).
        filters: What is subtracted from a window: (height, width, channels), turned by 180 degrees.
        strides: How far windows are apart: four numbers, 1 for the first and the channels.
        padding: "SAME" or "VALID".
        data_format: "NHWC"; there is no other.
        dilations: How far the elements of a filter are apart: four numbers, 1 for the first and the channels.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor (batch, new height, new width, channels).

    Raises:
        tf.errors.InvalidArgumentError: The channels differ, or `strides` or `dilations` are not four numbers.
    """
    only_channels_last(data_format)
    _four(strides, dilations)
    x = to_tensor(value)
    flipped = reverse(operand(filters, x), [0, 1])
    return math.negative(dilation2d(math.negative(x), flipped, strides, padding, data_format, dilations))


trace_public(globals())
