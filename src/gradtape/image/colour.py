"""Colours of images: types of pixels, colour spaces, brightness, contrast, hue and saturation."""

from __future__ import annotations

from typing import Any

from ..api.arrays import identity, zeros_like
from ..api.casts import saturate_cast
from ..api.indexing import where
from ..api.layout import tile
from ..base import dtypes
from ..base.dtypes import DType
from ..base.errors import OperandTypeError, invalid, too_few_axes
from ..base.traceable import trace_public, traceable
from ..base.types import DTypeLike, TensorLike, Value
from ..io.images import decode_jpeg, encode_jpeg
from ..linalg import tensordot
from ..math import (
    cast,
    divide_no_nan,
    equal,
    floormod,
    greater,
    maximum,
    minimum,
    multiply,
    pow,
    reduce_max,
    reduce_min,
)
from ..op.arguments import real, takes
from ..op.attributes import as_int
from ..ops.image import colour as c
from ..ops.image.contrast import adjust_contrast as contrast
from ..ops.image.contrast import standardize_image
from ..ops.public import hsv_to_rgb as hsv_to_rgb
from ..ops.public import rgb_to_hsv as rgb_to_hsv
from ..trace.abstract_tensor import AbstractTensor, NeedsValue
from ..trace.graph import leaves
from ..trace.inference import Inference
from ..values.tensor import EagerTensor, Tensor, to_tensor
from ..variables.variable import Variable
from .geometry import check_image


def convert_image_dtype(image: TensorLike, dtype: DTypeLike, saturate: bool = False, name: str | None = None) -> Tensor:
    """The image in another type: floats from 0 to 1 stand for integers from 0 to their largest value.

    >>> import gradtape as tf
    >>> tf.image.convert_image_dtype([0, 51, 255], tf.float32).dtype
    tf.float32
    >>> tf.image.convert_image_dtype([0.0, 0.5, 1.0], tf.uint8).numpy()
    array([  0, 127, 255], dtype=uint8)

    Args:
        image: Images.
        dtype: The type of the elements, such as tf.float32.
        saturate: Whether values beyond the range stay at its ends.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Images of the other type, scaled to its range.

    Raises:
        AttributeError: A type is neither floating nor integer, as in TensorFlow.
    """
    x, target = to_tensor(image), dtypes.as_dtype(dtype)
    for kind, label in ((target, "dtype"), (x.dtype, "image dtype")):
        if not (kind.is_floating or kind.is_integer):
            raise AttributeError(f"{label} must be either floating point or integer, got {kind!r}.")
    if target is x.dtype:
        return identity(x)
    narrowed = saturate_cast if saturate else cast
    if x.dtype.is_floating:
        if target.is_floating:
            return cast(x, target)
        # A half more than the largest integer: 1.0 becomes the largest, and all integers have the same share.
        return narrowed(x * (target.max + 0.5), target)
    if target.is_floating:
        return cast(x, target) * (1.0 / x.dtype.max)
    if x.dtype.max > target.max:
        return narrowed(x // ((x.dtype.max + 1) // (target.max + 1)), target)
    return narrowed(x, target) * ((target.max + 1) // (x.dtype.max + 1))


def _as_floats(image: object) -> Any:
    """The image in a type to compute in: its own where that is float16, float32 or float64, else float32."""
    x = to_tensor(image)
    return x if x.dtype in (dtypes.float16, dtypes.float32, dtypes.float64) else convert_image_dtype(x, dtypes.float32)


def _type_of(image: Value) -> DType:
    kind: DType = image.dtype if isinstance(image, (Tensor, Variable)) else to_tensor(image).dtype
    return kind


# --- colour spaces ------------------------------------------------------------------------------------------

_RGB_TO_GREY = [0.2989, 0.587, 0.114]
_RGB_TO_YIQ = [
    [0.299, 0.59590059, 0.2115],
    [0.587, -0.27455667, -0.52273617],
    [0.114, -0.32134392, 0.31119955],
]
_YIQ_TO_RGB = [[1.0, 1.0, 1.0], [0.95598634, -0.27201283, -1.10674021], [0.6208248, -0.64720424, 1.70423049]]
_RGB_TO_YUV = [
    [0.299, -0.14714119, 0.61497538],
    [0.587, -0.28886916, -0.51496512],
    [0.114, 0.43601035, -0.10001026],
]
_YUV_TO_RGB = [[1.0, 1.0, 1.0], [0.0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0.0]]


def _times(images: TensorLike, matrix: list[Any]) -> Any:
    """Each colour as the sum of the three by the columns of a matrix."""
    x = to_tensor(images)
    if not (x.dtype.is_floating or x.dtype.is_complex):
        raise OperandTypeError(
            None, None, f"An image in three colours must be floating, got {x.dtype.name}. Use tf.cast."
        )
    if not x.ndim or x.shape[-1] != 3:
        raise too_few_axes(f"The last axis of an image in three colours must have size 3, got shape {x.shape}.")
    return tensordot(x, to_tensor(matrix, x.dtype), [[x.ndim - 1], [0]])


def rgb_to_yiq(images: TensorLike) -> Tensor:
    """Red, green and blue in the last axis to luma and the two chromas of NTSC television.

    >>> import gradtape as tf
    >>> tf.image.rgb_to_yiq([[[1.0, 0.0, 0.0]]]).numpy().round(3)
    array([[[0.299, 0.596, 0.212]]], dtype=float32)

    Args:
        images: Floating images whose last axis holds red, green and blue.

    Returns:
        Images of the same shape.
    """
    return _times(images, _RGB_TO_YIQ)


def yiq_to_rgb(images: TensorLike) -> Tensor:
    """Luma and the two chromas of NTSC television to red, green and blue: undoes `rgb_to_yiq`.

    >>> import gradtape as tf
    >>> tf.image.yiq_to_rgb(tf.image.rgb_to_yiq([[[0.5, 0.25, 0.75]]])).numpy().round(2)
    array([[[0.5 , 0.25, 0.75]]], dtype=float32)

    Args:
        images: Floating images whose last axis holds the three.

    Returns:
        Images of the same shape.
    """
    return _times(images, _YIQ_TO_RGB)


def rgb_to_yuv(images: TensorLike) -> Tensor:
    """Red, green and blue in the last axis to luma and the two chromas of PAL television.

    >>> import gradtape as tf
    >>> tf.image.rgb_to_yuv([[[1.0, 0.0, 0.0]]]).numpy().round(3)
    array([[[ 0.299, -0.147,  0.615]]], dtype=float32)

    Args:
        images: Floating images whose last axis holds red, green and blue.

    Returns:
        Images of the same shape.
    """
    return _times(images, _RGB_TO_YUV)


def yuv_to_rgb(images: TensorLike) -> Tensor:
    """Luma and the two chromas of PAL television to red, green and blue: undoes `rgb_to_yuv`.

    >>> import gradtape as tf
    >>> tf.image.yuv_to_rgb(tf.image.rgb_to_yuv([[[0.5, 0.25, 0.75]]])).numpy().round(2)
    array([[[0.5 , 0.25, 0.75]]], dtype=float32)

    Args:
        images: Floating images whose last axis holds the three.

    Returns:
        Images of the same shape.
    """
    return _times(images, _YUV_TO_RGB)


def rgb_to_grayscale(images: Any, name: str | None = None) -> Tensor:
    """The luma of colours in the last axis, which becomes one of size 1.

    >>> import gradtape as tf
    >>> tf.image.rgb_to_grayscale([[[1.0, 1.0, 1.0]]]).shape
    TensorShape([1, 1, 1])

    Args:
        images: Images whose last axis holds red, green and blue.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Images with one colour.
    """
    x = _as_floats(images)
    if x.dtype is dtypes.float16:
        x = cast(x, dtypes.float32)
    return convert_image_dtype(_times(x, [[weight] for weight in _RGB_TO_GREY]), _type_of(images))


def grayscale_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """The grey repeated as red, green and blue; the last axis must have size 1.

    >>> import gradtape as tf
    >>> tf.image.grayscale_to_rgb([[[0.5]]]).numpy()
    array([[[0.5, 0.5, 0.5]]], dtype=float32)

    Args:
        images: Images whose last axis has size 1.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Images in three colours.

    Raises:
        ValueError: The last axis is not of size 1, or there is only one.
    """
    x = to_tensor(images)
    if x.ndim < 2:
        raise ValueError(f"A grayscale image (shape {x.shape}) must be at least two-dimensional.")
    if x.shape[-1] != 1:
        raise ValueError(f"Last dimension of a grayscale image should be size 1, got shape {x.shape}.")
    return tile(x, [*[1] * (x.ndim - 1), 3])


# --- adjustments --------------------------------------------------------------------------------------------


def _number(value: object) -> float | None:
    """The value of a scalar; None for tensors without a known value, such as batched ones."""
    x = to_tensor(value)
    return float(x._array) if x.__class__ is EagerTensor and not x.ndim else None


def _factor(value: TensorLike, image: Value, label: str) -> Any:
    x = cast(to_tensor(value), image.dtype)
    if x.ndim:
        raise invalid(f"{label} must be a scalar, got shape {x.shape}.")
    return x


def adjust_brightness(image: Any, delta: Any) -> Tensor:
    """The image with `delta` added, in the scale where white is 1.

    >>> import gradtape as tf
    >>> tf.image.adjust_brightness([[[0.25, 0.5, 0.75]]], 0.25).numpy()
    array([[[0.5 , 0.75, 1.  ]]], dtype=float32)

    Args:
        image: An image, or several.
        delta: A number, from -1 to 1 for images of integers.

    Returns:
        An image of the same type.
    """
    x = _as_floats(image)
    return convert_image_dtype(x + cast(delta, x.dtype), _type_of(image), saturate=True)


@takes(contrast_factor=real)
def adjust_contrast(images: Any, contrast_factor: TensorLike) -> Tensor:
    """Distances from the mean of the image and channel, times a factor. (TensorFlow has no derivative.)

    >>> import gradtape as tf
    >>> tf.image.adjust_contrast([[[1.0], [3.0]]], 2.0).numpy().ravel()
    array([0., 4.], dtype=float32)

    Args:
        images: Images with at least three axes.
        contrast_factor: A number; above 1 for more contrast.

    Returns:
        Images of the same type.

    Raises:
        tf.errors.InvalidArgumentError: The images have less than 3 axes.
    """
    x = _as_floats(images)
    if x.ndim < 3:
        raise invalid(f"adjust_contrast: images have at least 3 axes, got shape {x.shape}.")
    factor = _factor(contrast_factor, x, "contrast_factor")
    return convert_image_dtype(contrast.public(x, factor), _type_of(images), saturate=True)


@takes(gamma=real, gain=real)
def adjust_gamma(image: Any, gamma: Any = 1, gain: Any = 1) -> Tensor:
    """gain * image ** gamma, in the scale where white is 1.

    >>> import gradtape as tf
    >>> tf.image.adjust_gamma([[[0.5, 1.0]]], gamma=2.0).numpy()
    array([[[0.25, 1.  ]]], dtype=float32)

    Args:
        image: An image, or several.
        gamma: The exponent, not negative.
        gain: What the result is multiplied by.

    Returns:
        An image of the same type.

    Raises:
        ValueError: `gamma` is negative.
    """
    known = _number(gamma)
    if known is not None and not known >= 0:  # NaN too
        raise ValueError(f"Gamma should be a non-negative real number, got {known}.")
    x = _as_floats(image)
    return convert_image_dtype(
        multiply(cast(gain, x.dtype), pow(x, cast(gamma, x.dtype))), _type_of(image), saturate=True
    )


def adjust_jpeg_quality(
    image: TensorLike, jpeg_quality: TensorLike, dct_method: str = "", name: str | None = None
) -> Tensor:
    """The image as it looks after it was stored as a JPEG of that quality (needs Pillow; no derivative).

    >>> import gradtape as tf
    >>> image = tf.fill([8, 8, 3], 0.5)
    >>> tf.image.adjust_jpeg_quality(image, 75).shape
    TensorShape([8, 8, 3])

    Args:
        image: An image (height, width, 1 or 3).
        jpeg_quality: From 0 (small, with many artefacts) to 100 (nearly exact).
        dct_method: Ignored; accepted for compatibility with TensorFlow.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        An image of the same shape and type.

    Raises:
        tf.errors.InvalidArgumentError: The quality is not in that range.
    """
    x = to_tensor(image)
    quality = as_int(jpeg_quality)
    if not 0 <= quality <= 100:
        raise invalid(f"adjust_jpeg_quality: the quality must be from 0 to 100, got {quality}.")
    pixels = convert_image_dtype(x, dtypes.uint8, saturate=True)
    stored = decode_jpeg(encode_jpeg(pixels, quality=quality), channels=x.shape[-1])
    return convert_image_dtype(stored, x.dtype, saturate=True)


def _stored_on_abstract(evaluator: object, function: Any, image: Any, *args: Any, **kwargs: Any) -> Any:
    """On abstract values: the shape stays, and the pixels are unknown."""
    if not any(leaf.__class__ is AbstractTensor for leaf in leaves((image, args, kwargs))):
        return function.__wrapped__(image, *args, **kwargs)
    if not isinstance(evaluator, Inference):
        raise NeedsValue("How an image looks after it was stored is known only when it is stored.")
    x = to_tensor(image)
    return AbstractTensor(evaluator, tuple(x.shape), x.dtype.numpy)


adjust_jpeg_quality = traceable(adjust_jpeg_quality, on_abstract=_stored_on_abstract)


def _colours(image: object, name: str) -> Any:
    x = _as_floats(image)
    if x.ndim < 3 or x.shape[-1] != 3:
        raise invalid(f"{name}: images have at least 3 axes, and 3 channels in the last, got shape {x.shape}.")
    return x


@takes(delta=real)
def adjust_hue(image: Any, delta: TensorLike, name: str | None = None) -> Tensor:
    """The image with each hue turned by `delta`.

    >>> import gradtape as tf
    >>> red = tf.constant([[[1.0, 0.0, 0.0]]])
    >>> tf.image.adjust_hue(red, 1 / 3).numpy().ravel().round(3)
    array([0., 1., 0.], dtype=float32)

    The derivative is ours: TensorFlow has none. Where channels are equal, they share it.

    Args:
        image: An image (height, width, 3), or a batch of images.
        delta: From -1 to 1, a full turn.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Images of the same shape and type.

    Raises:
        ValueError: `delta` is not in that range.
        tf.errors.InvalidArgumentError: There are not three channels.
    """
    known = _number(delta)
    if known is not None and not -1 <= known <= 1:
        raise ValueError(f"delta must be in the interval [-1, 1], got {known}.")
    x = _colours(image, "adjust_hue")
    turn = _factor(delta, x, "delta")
    largest, smallest = reduce_max(x, -1, True), reduce_min(x, -1, True)
    spread = largest - smallest
    red, green, blue = x[..., 0:1], x[..., 1:2], x[..., 2:3]
    within = where(equal(red, largest), green - blue, where(equal(green, largest), blue - red, red - green))
    third = where(
        equal(red, largest),
        zeros_like(red),
        where(equal(green, largest), zeros_like(red) + 2.0, zeros_like(red) + 4.0),
    )
    hue = floormod((divide_no_nan(within, spread) + third) / 6.0 + turn, 1.0)
    height, _ = c.heights(hue)
    return convert_image_dtype(smallest + height * spread, _type_of(image))


@takes(saturation_factor=real)
def adjust_saturation(image: Any, saturation_factor: TensorLike, name: str | None = None) -> Tensor:
    """The image with each saturation times a factor, and kept between 0 and 1.

    >>> import gradtape as tf
    >>> image = tf.constant([[[0.8, 0.4, 0.4]]])
    >>> tf.image.adjust_saturation(image, 0.5).numpy().ravel().round(3)
    array([0.8, 0.6, 0.6], dtype=float32)

    The derivative is ours: TensorFlow has none.

    Args:
        image: An image (height, width, 3), or a batch of images.
        saturation_factor: A number; 0 makes the image grey.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Images of the same shape and type.

    Raises:
        tf.errors.InvalidArgumentError: There are not three channels.
    """
    x = _colours(image, "adjust_saturation")
    factor = _factor(saturation_factor, x, "saturation_factor")
    largest = reduce_max(x, -1, True)
    spread = largest - reduce_min(x, -1, True)
    # Distances from the largest channel grow by the factor, until the smallest channel is 0; black has none.
    full = where(greater(spread, 0.0), divide_no_nan(largest, spread), zeros_like(largest) + factor)
    factor = where(greater(largest, 0.0), minimum(maximum(factor, 0.0), full), zeros_like(largest))
    return convert_image_dtype(largest - factor * (largest - x), _type_of(image))


def per_image_standardization(image: TensorLike) -> Tensor:
    """Each image minus its mean, divided by its standard deviation (at least 1 / sqrt(numbers)).

    >>> import gradtape as tf
    >>> tf.image.per_image_standardization([[[1.0], [3.0]]]).numpy().ravel()
    array([-1.,  1.], dtype=float32)

    Args:
        image: An image (height, width, channels), or a batch of images.

    Returns:
        Images of the same shape, in float32.

    Raises:
        ValueError: There are fewer than three axes, or an image is empty.
    """
    x = to_tensor(image)
    check_image(x)
    x = cast(x, dtypes.float32)
    return standardize_image.public(x)


trace_public(globals())
