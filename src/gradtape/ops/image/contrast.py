"""The contrast of images: adjusted by a factor (adjust_contrast), or standardised to mean 0 and deviation 1
(standardize_image, which is `tf.image.per_image_standardization`).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from ...base.dtypes import FLOATING, NARROW_FLOATS, Array
from ...base.errors import invalid
from ...base.types import Cotangent, Draw, Namespace, Tangent, Value
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import batch_leading, in_float32, insert_axes, rank_of, shape_of, with_batch_axis
from ...op.shapes import like
from ..array.layout import sum_to_shape
from ..math.elementwise import rsqrt, square
from ..math.logic import greater_equal, maximum, select, zeros_like
from ..math.reduce import reduce_mean

# --- standardised images ------------------------------------------------------------------------------------


@in_float32
def _standardize_image(image: Array) -> Any:
    if image.ndim < 3:
        raise invalid(f"per_image_standardization: images have at least 3 axes, got shape {image.shape}.")
    axes = (-3, -2, -1)
    count = prod(image.shape[-3:])
    centred = image - image.mean(axis=axes, keepdims=True)
    deviation = np.sqrt((centred * centred).mean(axis=axes, keepdims=True))
    return centred / np.maximum(deviation, image.dtype.type(1 / np.sqrt(count or 1)))


@op(eager=_standardize_image, dtypes=FLOATING, shape=like(0))
def standardize_image(xp: Namespace, image: Array) -> Any:
    """Images with mean 0 and deviation 1 over all of their pixels; the deviation counts as at least 1 / sqrt(pixels)."""
    axes = (-3, -2, -1)
    centred = image - xp.mean(image, axis=axes, keepdims=True)
    return centred / xp.maximum(xp.std(image, axis=axes, keepdims=True), 1 / np.sqrt(prod(image.shape[-3:])))


def _image_derivative(t: Array, image: Value, out: Array) -> Any:
    """Symmetric: it serves both directions. Where the deviation is cut it does not change."""
    axes = (-3, -2, -1)
    count = prod(shape_of(image)[-3:]) or 1
    centred = image - reduce_mean(image, axis=axes, keepdims=True)
    squares = reduce_mean(square(centred), axis=axes, keepdims=True)
    floor = 1.0 / count
    inverse = rsqrt(maximum(squares, floor))
    along = reduce_mean(t * out, axis=axes, keepdims=True)
    along = select(greater_equal(squares, floor), along, zeros_like(along))
    return inverse * (t - reduce_mean(t, axis=axes, keepdims=True) - out * along)


standardize_image.vjp("image")(_image_derivative)
standardize_image.jvp("image")(_image_derivative)
standardize_image.batching = batch_leading


@standardize_image.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in [
        (2, 3, 1), (1, 1, 3), (3, 2, 2), (2, 2, 2, 3), (1, 2, 2, 1), (4, 1, 2), (0, 2, 2, 3), (2, 1, 1, 2, 2), (5, 2, 1), (2, 3, 4), (1, 4, 1), (3, 3, 3),
    ]:  # fmt: skip
        yield Sample((draw(shape, -4.0, 4.0),))
    yield Sample((draw((2, 2, 1)) * 1e-3,))


@standardize_image.value
def _(image: Array) -> Any:
    axes = (-3, -2, -1)
    floor = 1 / np.sqrt(prod(image.shape[-3:]))
    return (image - image.mean(axis=axes, keepdims=True)) / np.maximum(image.std(axis=axes, keepdims=True), floor)


@standardize_image.rejects
def _() -> Iterator[BadInput]:
    for shape in ((), (3,), (2, 3), (0,)):
        yield BadInput("images have at least three axes", (np.ones(shape, np.float32),))


# --- contrast -----------------------------------------------------------------------------------------------


def _adjust_contrast(images: Array, contrast_factor: Array) -> Any:
    if images.ndim < 3 or np.ndim(contrast_factor):
        raise invalid(
            "adjust_contrast: images with at least 3 axes and one factor are needed, "
            f"got shapes {images.shape} and {np.shape(contrast_factor)}."
        )
    x = images.astype(np.float32) if images.dtype in NARROW_FLOATS else images
    mean = x.mean(axis=(-3, -2), keepdims=True)
    result = x - mean
    result *= x.dtype.type(contrast_factor)
    result += mean
    return result.astype(images.dtype, copy=False)


@op(eager=_adjust_contrast, dtypes=FLOATING, tf_name="AdjustContrastv2", shape=like(0))
def adjust_contrast(xp: Namespace, images: Array, contrast_factor: Array) -> Any:
    """Distances from the mean of the image and channel, times a factor."""
    mean = xp.mean(images, axis=(-3, -2), keepdims=True)
    return (images - mean) * contrast_factor + mean


def _contrast_of(t: Value, factor: Value) -> Any:
    """Linear in the image, and symmetric: it serves both directions."""
    mean = reduce_mean(t, axis=(-3, -2), keepdims=True)
    return (t - mean) * factor + mean


@adjust_contrast.vjp("images")
def _(g: Cotangent, contrast_factor: Value) -> Any:
    return _contrast_of(g, contrast_factor)


@adjust_contrast.jvp("images")
def _(t: Tangent, contrast_factor: Value) -> Any:
    return _contrast_of(t, contrast_factor)


@adjust_contrast.vjp("contrast_factor")
def _(g: Cotangent, images: Value) -> Any:
    return sum_to_shape(g * (images - reduce_mean(images, axis=(-3, -2), keepdims=True)), shape=())


@adjust_contrast.jvp("contrast_factor")
def _(t: Tangent, images: Value) -> Any:
    return t * (images - reduce_mean(images, axis=(-3, -2), keepdims=True))


@adjust_contrast.batched
def _(declared: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    images, factor = args
    if not is_batched[1]:
        return declared(images, factor)
    size = shape_of(factor)[0]
    images = images if is_batched[0] else with_batch_axis(images, size)
    return _contrast_of(images, insert_axes(factor, rank_of(images) - 1))


@adjust_contrast.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in [
        (2, 3, 1), (1, 1, 3), (3, 2, 2), (2, 2, 2, 3), (1, 2, 2, 1), (4, 1, 2), (0, 2, 2, 3), (2, 1, 1, 2, 2), (5, 2, 1), (2, 3, 4), (1, 4, 1), (3, 3, 3),
    ]:  # fmt: skip
        yield Sample((draw(shape), draw((), 0.5, 1.5)))


@adjust_contrast.value
def _(images: Array, contrast_factor: Array) -> Any:
    mean = np.mean(images, axis=(-3, -2), keepdims=True)
    return contrast_factor * images + (1 - contrast_factor) * mean


@adjust_contrast.rejects
def _() -> Iterator[BadInput]:
    x, one = np.ones((2, 2, 3), np.float32), np.float32(1)
    for images in (x[0], x[0, 0], one):
        yield BadInput("images have at least three axes", (images, one))
    yield BadInput("one factor", (x, x[0, 0]))
