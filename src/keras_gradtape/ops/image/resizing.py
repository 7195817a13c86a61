"""Images of another size."""

from __future__ import annotations

import math
from typing import Any

import gradtape as tf
import gradtape.numpy as tnp
from gradtape import cast
from gradtape import image as ours

from ..core import convert_to_tensor
from ..numpy.manipulation import length
from ..promotion import result_type, to_type
from .layout import channels_last, check_choice, check_rank

_INTERPOLATIONS = ("bilinear", "nearest", "lanczos3", "lanczos5", "bicubic", "area")


def resize(
    images: Any,
    size: Any,
    interpolation: str = "bilinear",
    antialias: bool = False,
    crop_to_aspect_ratio: bool = False,
    pad_to_aspect_ratio: bool = False,
    fill_mode: str = "constant",
    fill_value: Any = 0.0,
    data_format: Any = None,
) -> Any:
    """Images resized to (height, width), optionally cropped or padded first to keep the aspect ratio."""
    check_choice("interpolation", interpolation, _INTERPOLATIONS)
    if fill_mode != "constant":
        raise ValueError(
            f"Invalid value for argument `fill_mode`. Only `'constant'` is supported. Received: fill_mode={fill_mode}"
        )
    if pad_to_aspect_ratio and crop_to_aspect_ratio:
        raise ValueError("Only one of `pad_to_aspect_ratio` & `crop_to_aspect_ratio` can be `True`.")
    if len(size) != 2:
        raise ValueError(f"Argument `size` must be a tuple of two elements (height, width). Received: size={size}")
    images = convert_to_tensor(images)
    check_rank(images)

    def fit(x: Any) -> Any:
        if crop_to_aspect_ratio:
            x = _cropped(x, *size)
        elif pad_to_aspect_ratio:
            x = _padded(x, fill_value, *size)
        return ours.resize(x, tuple(size), interpolation, antialias=antialias)

    return channels_last(fit, images, data_format)


def _proportional(x: Any, height: int, width: int) -> tuple[Any, Any, Any, Any]:
    """The image's height and width, and those that its width and height would have in the target's proportions."""
    known = tuple(x.shape)[-3:-1]
    rows, columns = tf.unstack(tf.shape(x)[-3:-1]) if None in known else known
    return rows, columns, int(columns * height / width), int(rows * width / height)


def _cropped(x: Any, height: int, width: int) -> Any:
    """The middle of the images, in the proportions of the target."""
    rows, columns, fit_rows, fit_columns = _proportional(x, height, width)
    fit_rows, fit_columns = max(min(rows, fit_rows), 1), max(min(columns, fit_columns), 1)
    top, left = (rows - fit_rows) // 2, (columns - fit_columns) // 2
    return x[..., top : top + fit_rows, left : left + fit_columns, :]


def _padded(x: Any, fill_value: Any, height: int, width: int) -> Any:
    """The images in the middle of a frame in the proportions of the target."""
    rows, columns, fit_rows, fit_columns = _proportional(x, height, width)
    borders = [[max(fit_rows - rows, 0) // 2] * 2, [max(fit_columns - columns, 0) // 2] * 2]
    lead = [[0, 0]] * (x.ndim - 3)
    return tf.pad(x, [*lead, *borders, [0, 0]], "CONSTANT", fill_value)


# --- scaled and moved ------------------------------------------------------------------------------------------------


def _triangle(x: Any) -> Any:
    return tf.maximum(1.0 - x, 0.0)


def _cubic(x: Any) -> Any:
    """Keys's cubic convolution kernel with a = -1/2."""
    near = ((x * 1.5 - 2.5) * x) * x + 1.0
    far = ((x * -0.5 + 2.5) * x - 4.0) * x + 2.0
    return tf.where(x >= 2.0, 0.0, tf.where(x >= 1.0, far, near))


def _lanczos(radius: float) -> Any:
    def kernel(x: Any) -> Any:
        wave = tf.sin(x * math.pi) * tf.sin(x * (math.pi / radius)) * radius
        curve = wave / tf.square(tf.where(x > 1e-3, x, 1.0) * math.pi)
        return tf.where(x > radius, 0.0, tf.where(x > 1e-3, curve, 1.0))

    return kernel


_KERNELS = {
    **dict.fromkeys(("linear", "bilinear", "trilinear"), _triangle),
    **dict.fromkeys(("cubic", "bicubic", "tricubic"), _cubic),
    "lanczos3": _lanczos(3.0),
    "lanczos5": _lanczos(5.0),
}


def scale_and_translate(
    images: Any,
    output_shape: Any,
    scale: Any,
    translation: Any,
    spatial_dims: Any,
    method: str,
    antialias: bool = True,
) -> Any:
    """Images scaled and moved along some axes, resampled by a kernel; the tape follows scale and translation too."""
    check_choice("method", method, set(_KERNELS))
    images, scale, translation = (convert_to_tensor(v) for v in (images, scale, translation))
    kind = result_type(scale.dtype, translation.dtype, float)
    scale, translation = to_type(scale, kind), to_type(translation, kind)
    x = images if images.dtype.is_floating else cast(images, tf.float32)
    for place, axis in enumerate(spatial_dims):
        axis %= images.ndim
        weights = _weights(
            length(images, axis), output_shape[axis], scale[place], translation[place], _KERNELS[method], antialias
        )
        x = tnp.moveaxis(tf.tensordot(x, to_type(weights, x.dtype), [[axis], [0]]), -1, axis)
    if images.dtype.is_floating:
        return x
    low, high = (cast(extreme(images), x.dtype) for extreme in (tf.reduce_min, tf.reduce_max))
    return cast(tf.clip_by_value(tf.round(x), low, high), images.dtype)


def _weights(inputs: Any, outputs: int, scale: Any, translation: Any, kernel: Any, antialias: bool) -> Any:
    """The weight of each input pixel (rows) in each output pixel (columns)."""
    kind, inverse = scale.dtype, 1.0 / scale
    width = tf.maximum(inverse, 1.0) if antialias else tf.ones_like(inverse)
    centre = (cast(tf.range(outputs), kind) + 0.5) * inverse - translation * inverse - 0.5
    weights = kernel(tf.abs(centre - cast(tf.range(inputs), kind)[:, None]) / width)
    total = tf.reduce_sum(weights, 0, True)
    sound = tf.abs(total) > 1000.0 * float(tnp.finfo("float32").eps)
    weights = tf.where(sound, weights / tf.where(sound, total, 1.0), 0.0)
    inside = tf.logical_and(centre >= -0.5, centre <= cast(inputs, kind) - 0.5)
    return tf.where(inside, weights, 0.0)
