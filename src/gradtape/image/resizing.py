"""Images of another size."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..api.arrays import identity
from ..api.indexing import gather
from ..base import dtypes
from ..base.dtypes import Array
from ..base.errors import invalid
from ..base.memory import check_room
from ..base.sizes import UNKNOWN, Undecided, is_known
from ..base.traceable import shaped, trace_public
from ..base.types import IntLike, TensorLike, Value
from ..math import cast
from ..op.abstract import Abstract
from ..op.arguments import choice, flag, takes
from ..op.attributes import as_ints
from ..ops.image import resize as r
from ..trace.abstract_tensor import abstract_of
from ..values.tensor import Tensor, to_tensor
from ..variables.variable import Variable
from .geometry import image_of, pad_to_bounding_box, target_size


class ResizeMethod:
    """The names of the methods of `tf.image.resize`.

    >>> import gradtape as tf
    >>> tf.image.ResizeMethod.NEAREST_NEIGHBOR
    'nearest'
    """

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


# Without antialiasing these are the identity if the size does not change.
_EXACT: dict[str, Callable[[int, int], r.Weights]] = {
    ResizeMethod.NEAREST_NEIGHBOR: r.nearest,
    ResizeMethod.BILINEAR: r.bilinear,
    ResizeMethod.BICUBIC: r.bicubic,
    ResizeMethod.AREA: r.area,
}
_KERNELS = {
    ResizeMethod.BILINEAR: "triangle",
    ResizeMethod.BICUBIC: "keyscubic",
    ResizeMethod.LANCZOS3: "lanczos3",
    ResizeMethod.LANCZOS5: "lanczos5",
    ResizeMethod.GAUSSIAN: "gaussian",
    ResizeMethod.MITCHELLCUBIC: "mitchellcubic",
}


def _method(method: object, antialias: bool) -> Callable[[int, int], r.Weights]:
    """The weights for one axis, as a function of its old and new size."""
    if method in _KERNELS and (antialias or method not in _EXACT):
        return partial(_windowed, _KERNELS[method], bool(antialias))
    if method not in _EXACT:
        raise ValueError(f"Resize method is not implemented: {method}. Use one of tf.image.ResizeMethod.")
    return _EXACT[method]


def _windowed(kernel: str, antialias: bool, inputs: int, outputs: int) -> r.Weights:
    return r.windowed(kernel, inputs, outputs, antialias)


def _size(size: Value) -> tuple[int, int]:
    if isinstance(size, (Tensor, Variable)) and size.dtype is not dtypes.int32:
        raise ValueError(f"'size' must be a 1-D int32 Tensor, got {size.dtype!r}.")
    try:
        numbers = np.asarray(to_tensor(size)._array)
    except (TypeError, ValueError):
        raise ValueError(f"'size' must be a 1-D int32 Tensor, got {size!r}.") from None
    if numbers.dtype.kind not in "iu":
        raise ValueError(f"'size' must be a 1-D int32 Tensor, got {size!r}.")
    if numbers.shape != (2,):
        raise ValueError(f"'size' must be a 1-D Tensor of 2 elements: new_height, new_width, got {size!r}.")
    return int(numbers[0]), int(numbers[1])


def _within(height: int, width: int, new_height: int, new_width: int) -> tuple[int, int]:
    """The largest size within the new one that keeps the proportions; rounded in float32, as TensorFlow."""
    scale = min(np.float32(new_height) / np.float32(height), np.float32(new_width) / np.float32(width))
    return int(np.rint(scale * np.float32(height))), int(np.rint(scale * np.float32(width)))


def _resized_look(
    images: TensorLike,
    size: TensorLike,
    method: TensorLike = ResizeMethod.BILINEAR,
    preserve_aspect_ratio: bool = False,
    *args: object,
    **kwargs: object,
) -> Abstract:
    x, sizes = abstract_of(to_tensor(images)), as_ints(size)
    height, width = (UNKNOWN, UNKNOWN) if sizes is UNKNOWN or preserve_aspect_ratio else sizes
    dtype = x.dtype if method == ResizeMethod.NEAREST_NEIGHBOR else np.float32
    return Abstract(None if x.known is None else (*x.known[:-3], height, width, x.known[-1]), dtype)


@takes(method=choice)
@shaped(_resized_look)
def resize(
    images: TensorLike,
    size: object,
    method: TensorLike = ResizeMethod.BILINEAR,
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Tensor:
    """Images (height, width, channels), or a batch of them, resized to `size` = (new_height, new_width).

    The result is float32, but for the method "nearest", which keeps the type. `antialias` smooths images that
    shrink. All methods are linear in the image, and differentiable.

    >>> import gradtape as tf
    >>> tf.image.resize([[[0.0], [1.0]]], [1, 4])[0, :, 0].numpy()
    array([0.  , 0.25, 0.75, 1.  ], dtype=float32)

    Args:
        images: Images: height, width, colours, with or without an axis for several.
        size: The new height and width.
        method: "bilinear", "nearest", "bicubic", "area", "lanczos3", ...
        preserve_aspect_ratio: Whether the picture keeps its form and fits into the size.
        antialias: Whether to average when it becomes smaller.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Images of the new size; float32 unless the method keeps the values.

    Raises:
        ValueError: The method is not known.
    """
    if antialias:
        flag("antialias", antialias)
    weights = _method(method, antialias)
    keeps_type = str(method) == ResizeMethod.NEAREST_NEIGHBOR
    return resized(images, size, weights, keeps_type, preserve_aspect_ratio, weights in _EXACT.values())


def resized(
    images: TensorLike,
    size: Any,
    weights: Callable[[int, int], r.Weights],
    keeps_type: bool,
    preserve_aspect_ratio: bool = False,
    exact: bool = True,
) -> Tensor:
    """Images in another size, with the weights of a method; `exact` ones change nothing where the size stays."""
    x = to_tensor(images)
    if x.ndim not in (3, 4):
        raise ValueError(f"'images' must have either 3 or 4 dimensions, got shape {x.shape}.")
    new_height, new_width = _size(size)
    if not (x.dtype.is_floating or x.dtype.is_integer):
        raise invalid(f"resize: images must hold real numbers, got {x.dtype!r}. Use tf.cast.")
    height, width = x.shape[-3], x.shape[-2]
    if not (height and width and x.shape[-1]):
        raise invalid(f"resize: an image must have at least one pixel and one channel, got shape {x.shape}.")
    if preserve_aspect_ratio:
        new_height, new_width = _within(height, width, new_height, new_width)
    if new_height < 1 or new_width < 1:
        raise invalid(f"resize: output dimensions must be positive, got {new_height} and {new_width}.")
    check_room("resize", (*x.shape[:-3], new_height, new_width, x.shape[-1]), x.dtype.numpy)
    if not keeps_type:
        x = cast(x, dtypes.float32)
    axes = [(-3, height, new_height), (-2, width, new_width)]
    axes.sort(key=lambda axis: axis[2] / axis[1])  # shrink first: less work for the other axis
    changed = [axis for axis in axes if not exact or axis[1] != axis[2]]
    for axis, old, new in changed:
        x = _along(x, axis, weights(old, new))
    return x if changed else identity(x)


def _along(x: Value, axis: int, weights: r.Weights) -> Any:
    if x.dtype.is_integer:
        return gather(x, weights.positions[:, 0].astype(np.int32), axis=axis)
    return r.resample.public(x, axis, weights)


def _fitted_look(
    image: TensorLike,
    target_height: IntLike,
    target_width: IntLike,
    method: TensorLike = ResizeMethod.BILINEAR,
    antialias: bool = False,
) -> Abstract | None:
    if abstract_of(to_tensor(image)).known is None:
        return None
    return _resized_look(image, [target_height, target_width], method)


@shaped(_fitted_look)
def resize_with_pad(
    image: TensorLike,
    target_height: IntLike,
    target_width: IntLike,
    method: TensorLike = ResizeMethod.BILINEAR,
    antialias: bool = False,
) -> Tensor:
    """The image resized to fit into the target size, in proportion, in the middle of a black one.

    >>> import gradtape as tf
    >>> tf.image.resize_with_pad(tf.ones([2, 4, 1]), 2, 2).numpy()[:, :, 0]
    array([[1., 1.],
           [0., 0.]], dtype=float32)

    Args:
        image: An image (height, width, channels), or a batch of images.
        target_height: The new height.
        target_width: The new width.
        method: "bilinear", "nearest" or another of `tf.image.ResizeMethod`.
        antialias: Whether to average when the image becomes smaller.

    Returns:
        Images of the new size; float32 unless the method keeps the values.

    Raises:
        ValueError: A size is not positive, or the method is not known.
    """
    x = image_of(image)
    height, width = target_size(target_height, target_width)
    inner, border = fitting(x, height, width)
    made = resize(x, inner, method, antialias=antialias)
    return pad_to_bounding_box(made, border[0], border[1], height, width)


def fitting(x: Tensor, height: int, width: int) -> tuple[Array, Array]:
    """The size of an image that fits into another one in proportion, and the border above it and on its left."""
    if not is_known([*tuple(x.shape)[-3:-1], height, width]):
        raise Undecided("The size of an image.")
    # In float32, as TensorFlow: the sizes must come out the same.
    old, new = np.array(tuple(x.shape)[-3:-1], np.float32), np.array([height, width], np.float32)
    exact = old / np.max(old / new)
    return np.floor(exact).astype(np.int32), np.maximum(np.floor((new - exact) / 2), 0).astype(np.int32)


trace_public(globals(), skip=("resized", "fitting"))
