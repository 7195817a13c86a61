"""How much an image varies, and how like two images are."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..api.arrays import reshape, zeros_like
from ..api.layout import concat, pad, stack
from ..base import dtypes
from ..base.errors import NumberNeededError, invalid, unfit
from ..base.traceable import trace_public
from ..base.types import TensorLike
from ..math import abs, cast, log, pow, reduce_mean, reduce_prod, reduce_sum, square, squared_difference
from ..op.attributes import as_float, as_int
from ..ops.nn.activations import relu
from ..ops.nn.conv import conv
from ..values.tensor import Tensor, from_array, to_tensor
from .colour import convert_image_dtype


def total_variation(images: TensorLike, name: str | None = None) -> Tensor:
    """The sum of the differences of all neighbours, one number for each image: small where an image is smooth.

    >>> import gradtape as tf
    >>> tf.image.total_variation([[[1.0], [4.0]], [[1.0], [4.0]]]).numpy()
    np.float32(6.0)

    Args:
        images: An image (height, width, channels), or a batch of images.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A number for each image.

    Raises:
        ValueError: There are not three or four axes.
    """
    x = to_tensor(images)
    if x.ndim not in (3, 4):
        raise ValueError(f"'images' must be either 3 or 4-dimensional, got shape {x.shape}.")
    axes = (-3, -2, -1)
    down, right = _differences(x)
    return reduce_sum(abs(down), axes) + reduce_sum(abs(right), axes)


def _differences(x: Any) -> tuple[Any, Any]:
    return x[..., 1:, :, :] - x[..., :-1, :, :], x[..., 1:, :] - x[..., :-1, :]


def image_gradients(image: TensorLike) -> tuple[Tensor, Tensor]:
    """The differences to the next pixel below and to the right; zero in the last line and column.

    >>> import gradtape as tf
    >>> image = tf.reshape(tf.constant([1.0, 3.0, 6.0, 10.0]), [1, 2, 2, 1])
    >>> down, right = tf.image.image_gradients(image)
    >>> down.numpy()[0, :, :, 0]
    array([[5., 7.],
           [0., 0.]], dtype=float32)

    Args:
        image: A batch of images (batch, height, width, channels).

    Returns:
        Two tensors of the same shape: the differences down and to the right.

    Raises:
        ValueError: There are not four axes.
    """
    x = to_tensor(image)
    if x.ndim != 4:
        raise ValueError(f"image_gradients expects a 4D tensor [batch_size, h, w, d], not {x.shape}.")
    down, right = _differences(x)
    return concat([down, zeros_like(x[:, :1])], axis=1), concat([right, zeros_like(x[:, :, :1])], axis=2)


def sobel_edges(image: TensorLike) -> Tensor:
    """Sobel's smoothed differences down and to the right, in a new last axis of size 2.

    >>> import gradtape as tf
    >>> image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> tf.image.sobel_edges(image).numpy()[0, 1, 1, 0]
    array([24.,  8.], dtype=float32)

    Args:
        image: A batch of images (batch, height, width, channels).

    Returns:
        A tensor (batch, height, width, channels, 2).

    Raises:
        tf.errors.InvalidArgumentError: There are not four axes.
    """
    x = to_tensor(image)
    if x.ndim != 4:
        raise invalid(f"sobel_edges: images must be a batch (batch, height, width, channels), got shape {x.shape}.")
    x = pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]], mode="REFLECT")
    across = x[:, :, :-2] + 2 * x[:, :, 1:-1] + x[:, :, 2:]
    along = x[:, :-2] + 2 * x[:, 1:-1] + x[:, 2:]
    return stack([across[:, 2:] - across[:, :-2], along[:, :, 2:] - along[:, :, :-2]], axis=-1)


# --- likeness -----------------------------------------------------------------------------------------------


def _comparable(a: object, b: object, max_val: TensorLike) -> tuple[Any, Any, Any]:
    """Two images and their largest value in the scale where an integer image's is 1, as float32."""
    a, b = to_tensor(a), to_tensor(b)
    for x in (a, b):
        if x.ndim < 3:
            raise ValueError(f"Images have at least 3 axes, got shape {x.shape}.")
    if a.dtype is not b.dtype:
        raise invalid(
            f"Both images must have one type, got {a.dtype!r} and {b.dtype!r}. Use tf.image.convert_image_dtype."
        )
    if a.shape[-3:] != b.shape[-3:]:
        raise unfit(f"Shapes {a.shape} and {b.shape} are incompatible: the images must have one size.")
    for first, second in zip(tuple(a.shape)[-4::-1], tuple(b.shape)[-4::-1], strict=False):
        if first != second and 1 not in (first, second):
            raise ValueError(f"Two images are not compatible: {a.shape} and {b.shape}.")
    largest = convert_image_dtype(cast(max_val, a.dtype), dtypes.float32)
    return convert_image_dtype(a, dtypes.float32), convert_image_dtype(b, dtypes.float32), largest


def psnr(a: TensorLike, b: TensorLike, max_val: TensorLike, name: str | None = None) -> Tensor:
    """The peak signal-to-noise ratio of two images, in decibels: the larger, the more alike they are.

    >>> import gradtape as tf
    >>> round(float(tf.image.psnr(tf.zeros([2, 2, 1]), tf.ones([2, 2, 1]), 255)), 4)
    48.1308

    Args:
        a: Images.
        b: Images of the same size and type.
        max_val: The largest value a pixel can have, such as 1.0 or 255.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A number for each pair of images.

    Raises:
        ValueError: The shapes do not fit.
        tf.errors.InvalidArgumentError: The types differ.
    """
    a, b, largest = _comparable(a, b, max_val)
    error = reduce_mean(squared_difference(a, b), (-3, -2, -1))
    decibel = float(10 / np.log(10))
    return 2 * decibel * log(largest) - decibel * log(error)


def _bell(size: int, sigma: float) -> Any:
    """A Gaussian kernel of this size whose elements sum to 1."""
    heights = np.exp(-0.5 * np.square(np.arange(size) - (size - 1) / 2) / sigma**2)
    return (heights / heights.sum()).astype(np.float32)


def _smooth(x: Tensor, bell: Any) -> Any:
    """Each channel smoothed with a Gaussian, without padding: one convolution along each axis."""
    *lead, height, width, channels = tuple(x.shape)
    flat = reshape(x, (int(np.prod(lead, dtype=np.int64)), height, width, channels))
    for shape in ((len(bell), 1, 1, 1), (1, len(bell), 1, 1)):
        filters = from_array(np.tile(bell.reshape(shape), (1, 1, 1, channels)))
        flat = conv.public(flat, filters, (1, 1), (1, 1), "VALID", channels)
    return reshape(flat, (*lead, *tuple(flat.shape)[1:]))


def _similarity(
    x: Tensor, y: Tensor, largest: Tensor, size: int, sigma: float, k1: Tensor, k2: Tensor
) -> tuple[Any, Any]:
    """Structural similarity around each pixel, and its part that does not measure brightness."""
    if size < 1 or sigma <= 0:
        raise invalid(f"ssim: the filter needs a positive size and sigma, got {size} and {sigma}.")
    for image in (x, y):
        if min(image.shape[-3], image.shape[-2]) < size:
            raise invalid(
                f"ssim: an image of shape {image.shape} is smaller than the filter, {size}. Use a smaller filter_size."
            )
        if not image.shape[-1]:
            raise invalid(f"ssim: an image needs at least one channel, got shape {image.shape}.")
    bell = _bell(size, sigma)
    c1, c2 = square(k1 * largest), square(k2 * largest)
    mean_x, mean_y = _smooth(x, bell), _smooth(y, bell)
    product, squares = 2.0 * mean_x * mean_y, square(mean_x) + square(mean_y)
    brightness = (product + c1) / (squares + c1)
    together, apart = 2.0 * _smooth(x * y, bell), _smooth(square(x) + square(y), bell)
    structure = (together - product + c2) / (apart - squares + c2)
    return brightness * structure, structure


def ssim(
    img1: TensorLike,
    img2: TensorLike,
    max_val: TensorLike,
    filter_size: Any = 11,
    filter_sigma: Any = 1.5,
    k1: Any = 0.01,
    k2: Any = 0.03,
    return_index_map: bool = False,
) -> Tensor:
    """The structural similarity of two images: 1 where they are the same.

    >>> import gradtape as tf
    >>> image = tf.reshape(tf.range(144.0) / 144, [12, 12, 1])
    >>> tf.image.ssim(image, image, max_val=1.0).numpy().round(4)
    np.float32(1.0)
    >>> bool(tf.image.ssim(image, 1.0 - image, max_val=1.0) < 0)
    True

    Args:
        img1: Images, at least as large as the filter.
        img2: Images of the same size and type.
        max_val: The largest value a pixel can have, such as 1.0 or 255.
        filter_size: The size of the neighbourhood that is looked at.
        filter_sigma: How fast neighbours count less.
        k1: Keeps quotients of brightness away from 0 / 0.
        k2: Keeps quotients of structure away from 0 / 0.
        return_index_map: Whether there is a number for each pixel.

    Returns:
        A number for each pair of images, or for each place of the filter.

    Raises:
        ValueError: The shapes do not fit.
        tf.errors.InvalidArgumentError: The types differ, or an image is smaller than the filter.
    """
    x, y, largest = _comparable(img1, img2, max_val)
    similarity, _ = _similarity(x, y, largest, as_int(filter_size), as_float(filter_sigma), k1, k2)
    return reduce_mean(similarity, -1 if return_index_map else (-3, -2, -1))


def ssim_multiscale(
    img1: TensorLike,
    img2: TensorLike,
    max_val: TensorLike,
    power_factors: TensorLike = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333),
    filter_size: Any = 11,
    filter_sigma: Any = 1.5,
    k1: Any = 0.01,
    k2: Any = 0.03,
) -> Tensor:
    """The structural similarity on several scales, each half of the last, weighted by `power_factors`.

    >>> import gradtape as tf
    >>> image = tf.reshape(tf.range(1024.0) / 1024, [32, 32, 1])
    >>> tf.image.ssim_multiscale(image, image, max_val=1.0, power_factors=[0.5, 0.5]).numpy().round(4)
    np.float32(1.0)

    Args:
        img1: Images, at least as large as the filter on the last scale.
        img2: Images of the same size and type.
        max_val: The largest value a pixel can have, such as 1.0 or 255.
        power_factors: How much each scale counts; their number is that of the scales.
        filter_size: The size of the neighbourhood that is looked at.
        filter_sigma: How fast neighbours count less.
        k1: Keeps quotients of brightness away from 0 / 0.
        k2: Keeps quotients of structure away from 0 / 0.

    Returns:
        A number for each pair of images.

    Raises:
        ValueError: The shapes do not fit.
        tf.errors.InvalidArgumentError: The types differ, or an image is smaller than the filter on some scale.
    """
    x, y, largest = _comparable(img1, img2, max_val)
    powers = to_tensor(power_factors, dtypes.float32)
    if powers.ndim != 1 or not powers.shape[0]:
        raise NumberNeededError(
            None, None, f"ssim_multiscale: power_factors must be a list of numbers, got {power_factors!r}."
        )
    factors = []
    for scale in range(powers.shape[0]):
        if scale:
            x, y = _halved(x), _halved(y)
        similarity, structure = _similarity(x, y, largest, as_int(filter_size), as_float(filter_sigma), k1, k2)
        last = scale == powers.shape[0] - 1
        factors.append(relu.public(reduce_mean(similarity if last else structure, (-3, -2))))
    return reduce_mean(reduce_prod(pow(stack(factors, axis=-1), powers), -1), -1)


def _halved(x: Any) -> Any:
    """Means of two by two pixels; an odd last line or column counts twice."""
    odd = [size % 2 for size in tuple(x.shape)[-3:-1]]
    if any(odd):
        x = pad(x, [*[[0, 0]] * (x.ndim - 3), [0, odd[0]], [0, odd[1]], [0, 0]], mode="SYMMETRIC")
    *lead, height, width, channels = tuple(x.shape)
    blocks = reshape(x, (*lead, height // 2, 2, width // 2, 2, channels))
    return reduce_mean(blocks, (-4, -2))


trace_public(globals())
