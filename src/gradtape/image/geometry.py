"""Pixels moved: flips, turns, crops and borders. Images are (height, width, channels) or a batch of those."""

from __future__ import annotations

from typing import Any

from ..api.layout import pad, reverse
from ..api.layout import transpose as permute
from ..base.errors import unfit
from ..base.sizes import UNKNOWN
from ..base.traceable import shaped, trace_public
from ..base.types import IntLike, TensorLike, Value
from ..op.abstract import Abstract
from ..op.attributes import as_float, as_int
from ..ops.array.index import getitem
from ..trace.abstract_tensor import abstract_of
from ..values.tensor import Tensor, to_tensor


def check_image(image: Value) -> None:
    """Raise ValueError unless there are at least three axes, the last three not empty."""
    if image.ndim < 3:
        raise ValueError(f"'image' (shape {image.shape}) must be at least three-dimensional.")
    if 0 in tuple(image.shape)[-3:]:
        raise ValueError(f"inner 3 dims of 'image.shape' must be > 0: {image.shape}")


def image_of(value: object) -> Any:
    """One image or one batch of images, not empty, as a tensor."""
    image = to_tensor(value)
    if image.ndim not in (3, 4):
        raise ValueError(f"'image' (shape {image.shape}) must have either 3 or 4 dimensions.")
    check_image(image)
    return image


def target_size(target_height: IntLike, target_width: IntLike) -> tuple[int, int]:
    """The height and width that are asked for, both positive."""
    height, width = as_int(target_height), as_int(target_width)
    if width <= 0 or height <= 0:
        raise unfit(f"target_height and target_width must be > 0, got {height} and {width}.")
    return height, width


def flip_left_right(image: TensorLike) -> Tensor:
    """The image seen in a mirror.

    >>> import gradtape as tf
    >>> tf.image.flip_left_right([[[1], [2], [3]]])[0, :, 0].numpy()
    array([3, 2, 1], dtype=int32)

    Args:
        image: Images: height, width, colours, with or without an axis for several.

    Returns:
        Images of the same shape.
    """
    return reverse(image_of(image), [-2])


def flip_up_down(image: TensorLike) -> Tensor:
    """The image with its lines in the other order.

    >>> import gradtape as tf
    >>> tf.image.flip_up_down([[[1]], [[2]]]).numpy().ravel()
    array([2, 1], dtype=int32)

    Args:
        image: Images: height, width, colours, with or without an axis for several.

    Returns:
        Images of the same shape.
    """
    return reverse(image_of(image), [-3])


def transpose(image: object, name: str | None = None) -> Tensor:
    """The image with lines and columns exchanged.

    >>> import gradtape as tf
    >>> tf.image.transpose([[[1], [2], [3]]]).shape
    TensorShape([3, 1, 1])

    Args:
        image: An image (height, width, channels), or a batch of images.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Images (width, height, channels).

    Raises:
        ValueError: There are not three or four axes, or an image is empty.
    """
    x = image_of(image)
    return permute(x, [1, 0, 2] if x.ndim == 3 else [0, 2, 1, 3])


def _turned_look(image: TensorLike, k: IntLike = 1, name: str | None = None) -> Abstract:
    x = abstract_of(to_tensor(image))
    return Abstract(None if x.known is None else (*x.known[:-3], UNKNOWN, UNKNOWN, *x.known[-1:]), x.dtype)


@shaped(_turned_look)
def rot90(image: TensorLike, k: IntLike = 1, name: str | None = None) -> Tensor:
    """The image turned by 90 degrees `k` times, against the clock.

    >>> import gradtape as tf
    >>> tf.image.rot90([[[1], [2]], [[3], [4]]]).numpy()[:, :, 0]
    array([[2, 4],
           [1, 3]], dtype=int32)

    Args:
        image: An image (height, width, channels), or a batch of images.
        k: How often; a negative number turns with the clock.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The turned images.

    Raises:
        ValueError: There are not three or four axes, or an image is empty.
    """
    x = image_of(image)
    turns = as_int(k) % 4
    if turns == 0:
        return x
    if turns == 2:
        return reverse(x, [-3, -2])
    return transpose(reverse(x, [-2])) if turns == 1 else reverse(transpose(x), [-2])


def _cut(image: TensorLike, top: int, left: int, height: int, width: int) -> Any:
    return getitem.public(image, (Ellipsis, slice(top, top + height), slice(left, left + width), slice(None)))


def central_crop(image: TensorLike, central_fraction: TensorLike) -> Tensor:
    """The middle of the image: this fraction of its height and width.

    >>> import gradtape as tf
    >>> image = tf.reshape(tf.range(16), [4, 4, 1])
    >>> tf.image.central_crop(image, 0.5).numpy()[:, :, 0]
    array([[ 5,  6],
           [ 9, 10]], dtype=int32)

    Args:
        image: An image (height, width, channels), or a batch of images.
        central_fraction: Above 0, and at most 1.

    Returns:
        The middle of each image.

    Raises:
        ValueError: The fraction is not in that range, or the image does not have three or four axes.
    """
    x, fraction = to_tensor(image), as_float(central_fraction)
    if not 0.0 < fraction <= 1.0:
        raise ValueError(f"central_fraction must be within (0, 1], got {fraction}.")
    if fraction == 1.0:
        return x
    x = image_of(x)
    height, width = x.shape[-3], x.shape[-2]
    top, left = int((height - height * fraction) / 2), int((width - width * fraction) / 2)
    return _cut(x, top, left, height - 2 * top, width - 2 * left)


def _offset(offset_height: IntLike, offset_width: IntLike) -> tuple[int, int]:
    top, left = as_int(offset_height), as_int(offset_width)
    if left < 0 or top < 0:
        raise unfit(f"offset_height and offset_width must be >= 0, got {top} and {left}.")
    return top, left


def _placed_look(
    image: TensorLike, top: TensorLike, left: TensorLike, height: TensorLike, width: TensorLike
) -> Abstract:
    x = abstract_of(to_tensor(image))
    sizes = as_int(height), as_int(width)
    return Abstract(None if x.known is None else (*x.known[:-3], *sizes, *x.known[-1:]), x.dtype)


@shaped(_placed_look)
def crop_to_bounding_box(
    image: TensorLike, offset_height: IntLike, offset_width: IntLike, target_height: IntLike, target_width: IntLike
) -> Tensor:
    """The part of the image with this upper left corner and this size.

    >>> import gradtape as tf
    >>> image = tf.reshape(tf.range(9), [3, 3, 1])
    >>> tf.image.crop_to_bounding_box(image, 1, 0, 2, 2).numpy()[:, :, 0]
    array([[3, 4],
           [6, 7]], dtype=int32)

    Args:
        image: An image (height, width, channels), or a batch of images.
        offset_height: The first line.
        offset_width: The first column.
        target_height: The height of the part.
        target_width: The width of the part.

    Returns:
        The parts.

    Raises:
        tf.errors.InvalidArgumentError: The part does not lie in the image. (It is a ValueError, too.)
    """
    x = image_of(image)
    top, left = _offset(offset_height, offset_width)
    height, width = target_size(target_height, target_width)
    if x.shape[-2] < left + width or x.shape[-3] < top + height:
        raise unfit(
            f"height and width must be >= target + offset: {height} + {top} and {width} + {left} in shape {x.shape}."
        )
    return _cut(x, top, left, height, width)


@shaped(_placed_look)
def pad_to_bounding_box(
    image: TensorLike, offset_height: IntLike, offset_width: IntLike, target_height: IntLike, target_width: IntLike
) -> Tensor:
    """The image put into a black one of the target size, with its upper left corner at the offset.

    >>> import gradtape as tf
    >>> tf.image.pad_to_bounding_box([[[5]]], 1, 0, 2, 2).numpy()[:, :, 0]
    array([[0, 0],
           [5, 0]], dtype=int32)

    Args:
        image: An image (height, width, channels), or a batch of images.
        offset_height: How many lines of zeros are above.
        offset_width: How many columns of zeros are on the left.
        target_height: The new height.
        target_width: The new width.

    Returns:
        The larger images.

    Raises:
        ValueError: The image does not fit into the target.
    """
    x = image_of(image)
    top, left = _offset(offset_height, offset_width)
    height, width = as_int(target_height), as_int(target_width)
    below, right = height - top - x.shape[-3], width - left - x.shape[-2]
    if right < 0 or below < 0:
        raise unfit(
            f"height and width must be <= target - offset: {height} - {top} and {width} - {left} for shape {x.shape}."
        )
    return pad(x, [*[[0, 0]] * (x.ndim - 3), [top, below], [left, right], [0, 0]])


@shaped(lambda image, height, width: _placed_look(image, 0, 0, height, width))
def resize_with_crop_or_pad(image: TensorLike, target_height: IntLike, target_width: IntLike) -> Tensor:
    """The image cut, or put into a black one, to the target size; its middle stays in the middle.

    >>> import gradtape as tf
    >>> image = tf.reshape(tf.range(1, 4), [1, 3, 1])
    >>> tf.image.resize_with_crop_or_pad(image, 3, 1).numpy()[:, :, 0]
    array([[0],
           [2],
           [0]], dtype=int32)

    Args:
        image: An image (height, width, channels), or a batch of images.
        target_height: The new height.
        target_width: The new width.

    Returns:
        Images of the new size.

    Raises:
        ValueError: A size is not positive, or the image does not have three or four axes.
    """
    x = image_of(image)
    height, width = target_size(target_height, target_width)
    spare_height, spare_width = height - x.shape[-3], width - x.shape[-2]
    cut = _cut(
        x,
        max(-spare_height // 2, 0),
        max(-spare_width // 2, 0),
        min(height, x.shape[-3]),
        min(width, x.shape[-2]),
    )
    return pad_to_bounding_box(cut, max(spare_height // 2, 0), max(spare_width // 2, 0), height, width)


trace_public(globals())
