"""Random changes of images, for training.

The `stateless_*` forms depend on nothing but their seed, a pair of integers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .. import random
from ..api.indexing import slice as box
from ..api.indexing import where
from ..base import dtypes
from ..base.errors import invalid
from ..base.sizes import UNKNOWN
from ..base.traceable import shaped, trace_public
from ..base.types import IntLike, TensorLike
from ..op.abstract import Abstract
from ..op.attributes import as_ints
from ..trace.abstract_tensor import abstract_of
from ..values.tensor import Tensor, to_tensor
from .colour import adjust_brightness, adjust_contrast, adjust_hue, adjust_jpeg_quality, adjust_saturation
from .geometry import check_image, flip_left_right, flip_up_down

# A function that draws random numbers, called as TensorFlow calls its own, so that the same seeds give the same numbers.
Draw = Callable[..., Any]


def _stateful(seed: object) -> Draw:
    return partial(random.uniform, seed=seed)


def _stateless(seed: object) -> Draw:
    return partial(random.stateless_uniform, seed=seed)


# --- flips and crops ----------------------------------------------------------------------------------------


def _flip(image: TensorLike, flip: Callable[[Any], Any], draw: Draw) -> Any:
    x = to_tensor(image)
    check_image(x)
    if x.ndim == 3:
        return where(draw(shape=[], minval=0, maxval=1.0) < 0.5, flip(x), x)
    if x.ndim != 4:
        raise ValueError(f"'image' (shape {x.shape}) must have either 3 or 4 dimensions.")
    return where(draw(shape=[x.shape[0], 1, 1, 1], minval=0, maxval=1.0) > 0.5, flip(x), x)


def random_flip_left_right(image: TensorLike, seed: TensorLike | None = None) -> Tensor:
    """The image or its mirror image, with even chances; each image of a batch for itself.

    >>> import gradtape as tf
    >>> image = tf.constant([[[1.0], [2.0]]])
    >>> tf.image.random_flip_left_right(image).numpy().ravel().tolist() in ([1.0, 2.0], [2.0, 1.0])
    True

    Args:
        image: An image (height, width, channels), or a batch of images.
        seed: With `tf.random.set_seed`, what decides.

    Returns:
        Images of the same shape.

    Raises:
        ValueError: There are not three or four axes.
    """
    return _flip(image, flip_left_right, _stateful(seed))


def random_flip_up_down(image: TensorLike, seed: TensorLike | None = None) -> Tensor:
    """The image or the image upside down, with even chances; each image of a batch for itself.

    >>> import gradtape as tf
    >>> image = tf.constant([[[1.0]], [[2.0]]])
    >>> tf.image.random_flip_up_down(image).numpy().ravel().tolist() in ([1.0, 2.0], [2.0, 1.0])
    True

    Args:
        image: An image (height, width, channels), or a batch of images.
        seed: With `tf.random.set_seed`, what decides.

    Returns:
        Images of the same shape.

    Raises:
        ValueError: There are not three or four axes.
    """
    return _flip(image, flip_up_down, _stateful(seed))


def stateless_random_flip_left_right(image: TensorLike, seed: TensorLike) -> Tensor:
    """`random_flip_left_right` that depends on its seed alone.

    >>> import gradtape as tf
    >>> image = tf.constant([[[1.0], [2.0]]])
    >>> tf.image.stateless_random_flip_left_right(image, seed=[1, 2]).numpy().ravel()
    array([1., 2.], dtype=float32)

    Args:
        image: An image (height, width, channels), or a batch of images.
        seed: Two integers: the same ones give the same result.

    Returns:
        Images of the same shape.

    Raises:
        ValueError: There are not three or four axes.
    """
    return _flip(image, flip_left_right, _stateless(seed))


def stateless_random_flip_up_down(image: TensorLike, seed: TensorLike) -> Tensor:
    """`random_flip_up_down` that depends on its seed alone.

    >>> import gradtape as tf
    >>> image = tf.constant([[[1.0]], [[2.0]]])
    >>> tf.image.stateless_random_flip_up_down(image, seed=[1, 2]).numpy().ravel()
    array([1., 2.], dtype=float32)

    Args:
        image: An image (height, width, channels), or a batch of images.
        seed: Two integers: the same ones give the same result.

    Returns:
        Images of the same shape.

    Raises:
        ValueError: There are not three or four axes.
    """
    return _flip(image, flip_up_down, _stateless(seed))


def _crop(value: TensorLike, size: IntLike, draw: Draw) -> Any:
    x, sizes = to_tensor(value), as_ints(size)
    shape = tuple(x.shape)
    if len(sizes) != len(shape) or any(not 0 <= part <= whole for part, whole in zip(sizes, shape, strict=False)):
        raise invalid(f"random_crop: need value.shape >= size, got {list(shape)} and {list(sizes)}.")
    drawn = np.asarray(draw(shape=[len(shape)], dtype=dtypes.int32, maxval=dtypes.int32.max))
    offset = drawn % (np.array(shape, np.int32) - np.array(sizes, np.int32) + 1)
    return box(x, offset.tolist(), sizes)


def _crop_look(value: TensorLike, size: TensorLike, *args: object, **kwargs: object) -> Abstract:
    x, sizes = abstract_of(to_tensor(value)), as_ints(size)
    return Abstract(None if sizes is UNKNOWN else sizes, x.dtype)


@shaped(_crop_look)
def random_crop(value: TensorLike, size: IntLike, seed: TensorLike | None = None, name: str | None = None) -> Tensor:
    """A box of this size, somewhere in the tensor.

    >>> import gradtape as tf
    >>> tf.image.random_crop(tf.ones([4, 4, 3]), [2, 2, 3]).shape
    TensorShape([2, 2, 3])

    Args:
        value: A tensor.
        size: The size of each axis.
        seed: With `tf.random.set_seed`, what decides the place.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A part of the image, from another place with each call.

    Raises:
        tf.errors.InvalidArgumentError: The size is larger than the image.
    """
    return _crop(value, size, _stateful(seed))


@shaped(_crop_look)
def stateless_random_crop(value: TensorLike, size: IntLike, seed: TensorLike, name: str | None = None) -> Tensor:
    """`random_crop` that depends on its seed alone.

    >>> import gradtape as tf
    >>> image = tf.reshape(tf.range(9), [3, 3, 1])
    >>> tf.image.stateless_random_crop(image, [2, 2, 1], seed=[1, 2]).numpy()[:, :, 0]
    array([[1, 2],
           [4, 5]], dtype=int32)

    Args:
        value: A tensor.
        size: The size of each axis.
        seed: Two integers: the same ones give the same result.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A part of the tensor.

    Raises:
        tf.errors.InvalidArgumentError: The size is larger than the tensor.
    """
    return _crop(value, size, _stateless(seed))


# --- colours ------------------------------------------------------------------------------------------------


def _around_zero(reach: Any, draw: Draw, largest: float = float("inf")) -> Any:
    if reach > largest:
        raise ValueError(f"max_delta must be <= {largest}, got {reach}.")
    if reach < 0:
        raise ValueError(f"max_delta must be non-negative, got {reach}.")
    return draw(shape=[], minval=-reach, maxval=reach)


def _between(lower: Any, upper: Any, draw: Draw) -> Any:
    if upper <= lower:
        raise ValueError(f"upper must be > lower, got {upper} and {lower}.")
    if lower < 0:
        raise ValueError(f"lower must be non-negative, got {lower}.")
    return draw(shape=[], minval=lower, maxval=upper)


def random_brightness(image: TensorLike, max_delta: TensorLike, seed: TensorLike | None = None) -> Tensor:
    """`adjust_brightness` by a random number between -max_delta and max_delta.

    >>> import gradtape as tf
    >>> tf.image.random_brightness(tf.fill([2, 2, 1], 0.5), max_delta=0.2).shape
    TensorShape([2, 2, 1])

    Args:
        image: An image (height, width, channels), or a batch of images.
        max_delta: The largest change, not negative.
        seed: With `tf.random.set_seed`, what decides.

    Returns:
        Images of the same shape and type.

    Raises:
        ValueError: `max_delta` is negative.
    """
    return adjust_brightness(image, _around_zero(max_delta, _stateful(seed)))


def stateless_random_brightness(image: TensorLike, max_delta: TensorLike, seed: TensorLike) -> Tensor:
    """`random_brightness` that depends on its seed alone.

    >>> import gradtape as tf
    >>> image = tf.fill([1, 1, 1], 0.5)
    >>> tf.image.stateless_random_brightness(image, 0.2, seed=[1, 2]).numpy().ravel().round(3)
    array([0.638], dtype=float32)

    Args:
        image: An image (height, width, channels), or a batch of images.
        max_delta: The largest change, not negative.
        seed: Two integers: the same ones give the same result.

    Returns:
        Images of the same shape and type.

    Raises:
        ValueError: `max_delta` is negative.
    """
    return adjust_brightness(image, _around_zero(max_delta, _stateless(seed)))


def random_contrast(image: TensorLike, lower: TensorLike, upper: TensorLike, seed: TensorLike | None = None) -> Tensor:
    """`adjust_contrast` by a random factor between `lower` and `upper`.

    >>> import gradtape as tf
    >>> tf.image.random_contrast(tf.ones([2, 2, 3]), lower=0.5, upper=1.5).shape
    TensorShape([2, 2, 3])

    Args:
        image: An image (height, width, channels), or a batch of images.
        lower: The smallest factor, not negative.
        upper: The largest factor.
        seed: With `tf.random.set_seed`, what decides.

    Returns:
        Images of the same shape and type.

    Raises:
        ValueError: `lower` is negative, or `upper` is not larger.
    """
    return adjust_contrast(image, _between(lower, upper, _stateful(seed)))


def stateless_random_contrast(image: TensorLike, lower: TensorLike, upper: TensorLike, seed: TensorLike) -> Tensor:
    """`random_contrast` that depends on its seed alone.

    >>> import gradtape as tf
    >>> image = tf.constant([[[0.25], [0.75]]])
    >>> tf.image.stateless_random_contrast(image, 0.5, 1.5, seed=[1, 2]).numpy().ravel().round(3)
    array([0.164, 0.836], dtype=float32)

    Args:
        image: An image (height, width, channels), or a batch of images.
        lower: The smallest factor, not negative.
        upper: The largest factor.
        seed: Two integers: the same ones give the same result.

    Returns:
        Images of the same shape and type.

    Raises:
        ValueError: `lower` is negative, or `upper` is not larger.
    """
    return adjust_contrast(image, _between(lower, upper, _stateless(seed)))


def random_hue(image: TensorLike, max_delta: TensorLike, seed: TensorLike | None = None) -> Tensor:
    """`adjust_hue` by a random number between -max_delta and max_delta.

    >>> import gradtape as tf
    >>> tf.image.random_hue(tf.ones([2, 2, 3]), max_delta=0.1).shape
    TensorShape([2, 2, 3])

    Args:
        image: An image (height, width, 3), or a batch of images.
        max_delta: The largest turn, from 0 to 0.5 (half a turn).
        seed: With `tf.random.set_seed`, what decides.

    Returns:
        Images of the same shape and type.

    Raises:
        ValueError: `max_delta` is not in that range.
    """
    return adjust_hue(image, _around_zero(max_delta, _stateful(seed), 0.5))


def stateless_random_hue(image: TensorLike, max_delta: TensorLike, seed: TensorLike) -> Tensor:
    """`random_hue` that depends on its seed alone.

    >>> import gradtape as tf
    >>> red = tf.constant([[[1.0, 0.0, 0.0]]])
    >>> tf.image.stateless_random_hue(red, 0.5, seed=[1, 2]).numpy().ravel().round(3)
    array([0.   , 1.   , 0.064], dtype=float32)

    Args:
        image: An image (height, width, 3), or a batch of images.
        max_delta: The largest turn, from 0 to 0.5 (half a turn).
        seed: Two integers: the same ones give the same result.

    Returns:
        Images of the same shape and type.

    Raises:
        ValueError: `max_delta` is not in that range.
    """
    return adjust_hue(image, _around_zero(max_delta, _stateless(seed), 0.5))


def random_saturation(
    image: TensorLike, lower: TensorLike, upper: TensorLike, seed: TensorLike | None = None
) -> Tensor:
    """`adjust_saturation` by a random factor between `lower` and `upper`.

    >>> import gradtape as tf
    >>> tf.image.random_saturation(tf.ones([2, 2, 3]), lower=0.5, upper=1.5).shape
    TensorShape([2, 2, 3])

    Args:
        image: An image (height, width, 3), or a batch of images.
        lower: The smallest factor, not negative.
        upper: The largest factor.
        seed: With `tf.random.set_seed`, what decides.

    Returns:
        Images of the same shape and type.

    Raises:
        ValueError: `lower` is negative, or `upper` is not larger.
    """
    return adjust_saturation(image, _between(lower, upper, _stateful(seed)))


def stateless_random_saturation(
    image: TensorLike, lower: TensorLike, upper: TensorLike, seed: TensorLike | None = None
) -> Tensor:
    """`random_saturation` that depends on its seed alone.

    >>> import gradtape as tf
    >>> image = tf.constant([[[0.8, 0.4, 0.4]]])
    >>> tf.image.stateless_random_saturation(image, 0.5, 1.5, seed=[1, 2]).numpy().ravel().round(3)
    array([0.8  , 0.262, 0.262], dtype=float32)

    Args:
        image: An image (height, width, 3), or a batch of images.
        lower: The smallest factor, not negative.
        upper: The largest factor.
        seed: Two integers: the same ones give the same result.

    Returns:
        Images of the same shape and type.

    Raises:
        ValueError: `lower` is negative, or `upper` is not larger.
    """
    return adjust_saturation(image, _between(lower, upper, _stateless(seed)))


def random_jpeg_quality(
    image: TensorLike, min_jpeg_quality: int, max_jpeg_quality: int, seed: TensorLike | None = None
) -> Tensor:
    """The image as it looks as a JPEG of a random quality (needs Pillow; no derivative).

    >>> import gradtape as tf
    >>> image = tf.zeros([8, 8, 3], tf.uint8)
    >>> tf.image.random_jpeg_quality(image, 50, 90).shape
    TensorShape([8, 8, 3])

    Args:
        image: An image (height, width, 1 or 3).
        min_jpeg_quality: The lowest quality, 0 to 100.
        max_jpeg_quality: The quality that is not reached any more.
        seed: With `tf.random.set_seed`, what decides.

    Returns:
        An image of the same shape and type.

    Raises:
        ValueError: The bounds are not in that range, or not in order.
    """
    return adjust_jpeg_quality(image, _quality(min_jpeg_quality, max_jpeg_quality, _stateful(seed)))


def stateless_random_jpeg_quality(
    image: TensorLike, min_jpeg_quality: int, max_jpeg_quality: int, seed: TensorLike
) -> Tensor:
    """`random_jpeg_quality` that depends on its seed alone.

    >>> import gradtape as tf
    >>> image = tf.zeros([8, 8, 3], tf.uint8)
    >>> tf.image.stateless_random_jpeg_quality(image, 50, 90, seed=[1, 2]).shape
    TensorShape([8, 8, 3])

    Args:
        image: An image (height, width, 1 or 3).
        min_jpeg_quality: The lowest quality, 0 to 100.
        max_jpeg_quality: The quality that is not reached any more.
        seed: Two integers: the same ones give the same result.

    Returns:
        An image of the same shape and type.

    Raises:
        ValueError: The bounds are not in that range, or not in order.
    """
    return adjust_jpeg_quality(image, _quality(min_jpeg_quality, max_jpeg_quality, _stateless(seed)))


def _quality(low: int, high: int, draw: Draw) -> Any:
    for bound in (low, high):
        if not 0 <= bound <= 100:
            raise ValueError(f"min_jpeg_quality and max_jpeg_quality must be between 0 and 100, got {bound}.")
    if low >= high:
        raise ValueError(f"`min_jpeg_quality` must be less than `max_jpeg_quality`, got {low} and {high}.")
    return draw(shape=[], minval=low, maxval=high, dtype=dtypes.int32)


trace_public(globals(), always=tuple(name for name in globals() if name.startswith("random_")))
