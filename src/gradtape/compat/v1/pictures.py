"""`tf.compat.v1.image`: `tf.image`, with functions that resize as TensorFlow 1 did."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ... import image as v2
from ...base.errors import invalid
from ...base.types import IntLike, TensorLike
from ...image.geometry import pad_to_bounding_box, target_size
from ...image.resizing import fitting, resized
from ...ops.image import first_grids, resize
from ...values.tensor import Tensor, to_tensor


class ResizeMethod:
    """The numbers of the methods of `resize_images`."""

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


_NUMBERS = {0: "bilinear", 1: "nearest", 2: "bicubic", 3: "area"}
_FIRST: dict[str, Callable[..., resize.Weights]] = {
    "bilinear": first_grids.bilinear,
    "nearest": first_grids.nearest,
    "bicubic": first_grids.bicubic,
    "area": first_grids.area,
}
_CENTRED: dict[str, Callable[[int, int], resize.Weights]] = {
    "bilinear": resize.bilinear,
    "nearest": resize.nearest,
    "bicubic": resize.bicubic,
}


def _batch(images: TensorLike, size: Any, method: str, align_corners: bool, half_pixel_centers: bool) -> Tensor:
    if align_corners and half_pixel_centers:
        raise invalid(f"resize_{method}: align_corners and half_pixel_centers are two grids; set one of them.")
    if to_tensor(images).ndim != 4:
        raise invalid(
            f"resize_{method}: images must be (batch, height, width, channels), got {to_tensor(images).shape}."
        )
    weights = _CENTRED[method] if half_pixel_centers else partial(_FIRST[method], align_corners=bool(align_corners))
    return resized(images, size, weights, keeps_type=method == "nearest")


def resize_bilinear(
    images: TensorLike,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """A batch of images in another size, bilinear, on TensorFlow 1's grid unless told otherwise.

    >>> import gradtape as tf
    >>> tf.compat.v1.image.resize_bilinear([[[[0.0], [1.0]]]], [1, 4])[0, 0, :, 0].numpy()
    array([0. , 0.5, 1. , 1. ], dtype=float32)
    """
    return _batch(images, size, "bilinear", align_corners, half_pixel_centers)


def resize_nearest_neighbor(
    images: TensorLike,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """A batch of images in another size, by the nearest pixel; the type is kept."""
    return _batch(images, size, "nearest", align_corners, half_pixel_centers)


def resize_bicubic(
    images: TensorLike,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """A batch of images in another size, bicubic."""
    return _batch(images, size, "bicubic", align_corners, half_pixel_centers)


def resize_area(images: TensorLike, size: Any, align_corners: bool = False, name: str | None = None) -> Tensor:
    """A batch of images in another size, by the pixels that a new one covers."""
    return _batch(images, size, "area", align_corners, False)


def _method(method: Any) -> str:
    name = _NUMBERS[method] if isinstance(method, int) and method in _NUMBERS else method
    if name not in _FIRST:
        raise ValueError(f"Resize method is not implemented: {method!r}. Use one of tf.compat.v1.image.ResizeMethod.")
    return str(name)


def resize_images(
    images: TensorLike,
    size: Any,
    method: Any = ResizeMethod.BILINEAR,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: str | None = None,
) -> Tensor:
    """Images, or a batch of them, in another size, on TensorFlow 1's grid."""
    kind = _method(method)
    weights = partial(_FIRST[kind], align_corners=bool(align_corners))
    return resized(images, size, weights, keeps_type=kind == "nearest", preserve_aspect_ratio=preserve_aspect_ratio)


def resize_image_with_pad(
    image: TensorLike,
    target_height: IntLike,
    target_width: IntLike,
    method: Any = ResizeMethod.BILINEAR,
    align_corners: bool = False,
) -> Tensor:
    """The image in proportion, in the middle of a black one of the target size."""
    height, width = target_size(target_height, target_width)
    inner, border = fitting(to_tensor(image), height, width)
    return pad_to_bounding_box(
        resize_images(image, inner, method, align_corners=align_corners), border[0], border[1], height, width
    )


resize_image_with_crop_or_pad = v2.resize_with_crop_or_pad

OWN = {
    "ResizeMethod": ResizeMethod,
    "resize": resize_images,
    "resize_area": resize_area,
    "resize_bicubic": resize_bicubic,
    "resize_bilinear": resize_bilinear,
    "resize_image_with_crop_or_pad": resize_image_with_crop_or_pad,
    "resize_image_with_pad": resize_image_with_pad,
    "resize_images": resize_images,
    "resize_nearest_neighbor": resize_nearest_neighbor,
}
