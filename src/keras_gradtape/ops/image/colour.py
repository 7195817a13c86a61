"""Colours, edges and blur."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from keras.src.backend import standardize_data_format

import gradtape as tf
from gradtape import cast
from gradtape import image as ours

from ..core import convert_to_tensor
from ..promotion import floats
from .layout import batched, channels_last, check_rank

_LUMA = (0.2989, 0.5870, 0.1140)


def rgb_to_grayscale(images: Any, data_format: Any = None) -> Any:
    """How bright each pixel is, as one channel of the same type."""
    images = convert_to_tensor(images)
    axis = -1 if standardize_data_format(data_format) == "channels_last" else -3
    check_rank(images)
    if images.shape[axis] not in (1, 3):
        raise ValueError(
            "Invalid channel size: expected 3 (RGB) or 1 (Grayscale). "
            f"Received input with shape: images.shape={images.shape}"
        )
    if images.shape[axis] == 1:
        return tf.identity(images)
    colours = floats(images)
    weights = tf.reshape(tf.constant(_LUMA, colours.dtype), [3] if axis == -1 else [3, 1, 1])
    return cast(tf.reduce_sum(colours * weights, axis, True), images.dtype)


def _of_colours(convert: Callable[[Any], Any], images: Any, data_format: Any) -> Any:
    images = convert_to_tensor(images)
    check_rank(images)
    if not images.dtype.is_floating:
        raise ValueError(f"Invalid images dtype: expected float dtype. Received: images.dtype={images.dtype.name}")
    return channels_last(convert, images, data_format)


def rgb_to_hsv(images: Any, data_format: Any = None) -> Any:
    """Hue, saturation and value of red, green and blue."""
    return _of_colours(ours.rgb_to_hsv, images, data_format)


def hsv_to_rgb(images: Any, data_format: Any = None) -> Any:
    """Red, green and blue of hue, saturation and value."""
    return _of_colours(ours.hsv_to_rgb, images, data_format)


def gaussian_blur(images: Any, kernel_size: Any = (3, 3), sigma: Any = (1.0, 1.0), data_format: Any = None) -> Any:
    """Images smoothed by a bell of `sigma` (rows, columns), cut to `kernel_size`."""
    images = convert_to_tensor(images)
    check_rank(images)
    kind = images.dtype
    rows, columns = (_bell(n, s, kind) for n, s in zip(kernel_size, _numbers(sigma), strict=True))

    def blur(x: Any) -> Any:
        window = tf.reshape(tf.expand_dims(columns, 1) * rows, [kernel_size[0], kernel_size[1], 1, 1])
        return tf.nn.depthwise_conv2d(x, tf.tile(window, [1, 1, tf.shape(x)[-1], 1]), [1, 1, 1, 1], "SAME")

    return channels_last(lambda x: batched(blur, x), images, data_format)


def _numbers(values: Any) -> list[Any]:
    return list(values) if isinstance(values, (list, tuple)) else tf.unstack(convert_to_tensor(values))


def _bell(size: Any, sigma: Any, dtype: Any) -> Any:
    """`size` values of the normal distribution's density, that sum up to 1."""
    places = cast(tf.range(size), dtype) - (cast(convert_to_tensor(size), dtype) - 1.0) / 2.0
    values = tf.exp(tf.square(places / cast(convert_to_tensor(sigma), dtype)) * -0.5)
    return values / tf.reduce_sum(values)


def sobel_edges(images: Any, data_format: Any = None) -> Any:
    """How images change along rows and columns, in a new last axis."""
    images = convert_to_tensor(images)
    if data_format != "channels_first":
        return ours.sobel_edges(images)
    return tf.transpose(ours.sobel_edges(tf.transpose(images, [0, 2, 3, 1])), [0, 3, 1, 2, 4])
