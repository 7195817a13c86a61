"""Images seen through a projective transform: turned, sheared, shifted, in perspective."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..api.arrays import reshape
from ..api.indexing import gather, where
from ..base import dtypes
from ..base.dtypes import Array
from ..base.errors import invalid
from ..base.types import ShapeLike, TensorLike
from ..math import add_n, cast
from ..values.tensor import from_array, to_tensor


def projective_transform(
    images: TensorLike,
    transforms: TensorLike,
    output_shape: ShapeLike,
    fill_value: TensorLike,
    interpolation: str,
    fill_mode: str,
) -> Any:
    """For each pixel (x, y) of the output, the pixel ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k) of the image.

    k is c0 x + c1 y + 1, and a transform is [a0, a1, a2, b0, b1, b2, c0, c1]. The result is linear in the images, and
    tapes follow them; the transforms have no derivative, as in TensorFlow.
    """
    pictures = to_tensor(images)
    if pictures.ndim != 4:
        raise invalid(f"Images of shape [batch, height, width, channels] are needed, got {pictures.shape}.")
    count, height, width, channels = pictures.shape
    table = np.asarray(to_tensor(transforms, None if hasattr(transforms, "dtype") else dtypes.float32)._array)
    if table.shape not in ((1, 8), (count, 8)):
        raise invalid(f"Input transform should be num_images x 8 or 1 x 8, got {table.shape}.")
    sizes: Array = np.asarray(to_tensor(output_shape)._array)
    if sizes.shape != (2,) or np.any(sizes <= 0):
        raise invalid(f"output shape must have two elements that are positive, got {sizes.tolist()}.")
    if fill_mode not in _FOLD:
        raise invalid(f"fill_mode must be one of {', '.join(_FOLD)}, got {fill_mode!r}.")
    x, y = _sources(np.broadcast_to(table, (count, 8)).astype(np.float32), *map(int, sizes))
    x, y = _FOLD[fill_mode](x, width), _FOLD[fill_mode](y, height)
    rows = reshape(pictures, [count * height * width, channels])
    fill = to_tensor(fill_value, pictures.dtype if pictures.dtype.is_floating else None)

    def pixel(column: Array, line: Array) -> Any:
        """Whole pixels; the fill value outside of the image."""
        inside = (column >= 0) & (column < width) & (line >= 0) & (line < height)
        batch = np.arange(count).reshape(-1, 1, 1)
        place = (batch * height + np.where(inside, line, 0)) * width + np.where(inside, column, 0)
        found = gather(rows, from_array(place.astype(np.int64)))
        return where(from_array(inside[..., None]), found, cast(fill, pictures.dtype))

    if interpolation == "NEAREST":
        return pixel(*(np.copysign(np.floor(np.abs(place) + 0.5), place) for place in (x, y)))
    if interpolation != "BILINEAR":
        raise invalid(f"interpolation must be NEAREST or BILINEAR, got {interpolation!r}.")
    left, top = np.floor(x), np.floor(y)
    corners = []
    for column, across in ((left, left + 1 - x), (left + 1, x - left)):
        for line, down in ((top, top + 1 - y), (top + 1, y - top)):
            share = (across * down)[..., None].astype(np.float32)
            corners.append(cast(pixel(column, line), dtypes.float32) * from_array(share))
    return cast(add_n(corners), pictures.dtype)


def _sources(table: Array, height: int, width: int) -> tuple[Array, Array]:
    """Where each pixel of the output comes from; far outside where it comes from infinity."""
    y, x = np.meshgrid(np.arange(height, dtype=np.float32), np.arange(width, dtype=np.float32), indexing="ij")
    a0, a1, a2, b0, b1, b2, c0, c1 = (table[:, n].reshape(-1, 1, 1) for n in range(8))
    depth = c0 * x + c1 * y + np.float32(1)
    nowhere = depth == 0
    depth = np.where(nowhere, np.float32(1), depth)
    columns, lines = (a0 * x + a1 * y + a2) / depth, (b0 * x + b1 * y + b2) / depth
    return np.where(nowhere, np.float32(-1e6), columns), np.where(nowhere, np.float32(-1e6), lines)


# --- coordinates outside of the image, by fill mode ------------------------------------------------------------------------


def _reflect(place: Array, size: int) -> Array:
    """d c b a | a b c d | d c b a."""
    if size <= 1:
        return np.zeros_like(place)
    period = np.float32(2 * size)
    below = place + period * np.trunc(-place / period)
    below = np.where(below < -size, below + period, -below - 1)
    above = place - period * np.trunc(place / period)
    above = np.where(above >= size, period - above - 1, above)
    return _nearest(np.where(place < 0, below, np.where(place > size - 1, above, place)), size)


def _wrap(place: Array, size: int) -> Array:
    """a b c d | a b c d | a b c d."""
    if size <= 1:
        return np.zeros_like(place)
    last, period = np.float32(size - 1), np.float32(size)
    below = place + period * (np.trunc(-place / last) + 1)
    above = place - period * np.trunc(place / last)
    return _nearest(np.where(place < 0, below, np.where(place > last, above, place)), size)


def _nearest(place: Array, size: int) -> Array:
    """a a a a | a b c d | d d d d."""
    return np.clip(place, 0, size - 1)


_FOLD = {"CONSTANT": lambda place, size: place, "REFLECT": _reflect, "WRAP": _wrap, "NEAREST": _nearest}
