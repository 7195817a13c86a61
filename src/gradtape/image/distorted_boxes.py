"""Random parts of an image that still show enough of what was marked in it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..base import dtypes
from ..base.dtypes import Array
from ..base.errors import invalid
from ..base.philox import Words
from ..base.traceable import traceable
from ..base.types import TensorLike
from ..random import streams
from ..trace.control import sample_on_abstract
from ..values.tensor import Tensor, from_array, to_tensor


class SampleDistortedBoundingBoxV2(NamedTuple):
    """What `tf.image.sample_distorted_bounding_box` returns."""

    begin: Tensor
    size: Tensor
    bboxes: Tensor


class StatelessSampleDistortedBoundingBox(NamedTuple):
    """What `tf.image.stateless_sample_distorted_bounding_box` returns."""

    begin: Tensor
    size: Tensor
    bboxes: Tensor


class _Limits(NamedTuple):
    """What a part of the image must be like."""

    covered: float
    ratios: tuple[np.float32, np.float32]
    areas: tuple[np.float32, np.float32]
    attempts: int


def sample_distorted_bounding_box(
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    seed: int = 0,
    min_object_covered: float = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> SampleDistortedBoundingBoxV2:
    """A random part of an image that covers enough of at least one box, as `begin` and `size` for `tf.slice`, and as a box.

    >>> import gradtape as tf
    >>> image = tf.ones([40, 50, 3])
    >>> begin, size, box = tf.image.sample_distorted_bounding_box(tf.shape(image), [[[0.1, 0.2, 0.8, 0.9]]])
    >>> tf.slice(image, begin, size).shape[2], box.shape
    (3, TensorShape([1, 1, 4]))

    Args:
        image_size: Height, width and channels.
        bounding_boxes: Boxes (y1, x1, y2, x2) from 0 to 1, of shape (batch, boxes, 4).
        seed: A seed; with 0 every call is different.
        min_object_covered: The share of a box that must be seen.
        aspect_ratio_range: The least and the largest width / height; 0.75 and 1.33 by default.
        area_range: The least and the largest share of the image; 0.05 and 1 by default.
        max_attempts: After so many it is the whole image; 100 by default.
        use_image_if_no_bounding_boxes: Whether the whole image is the box, where none is given.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        `begin`, `size` (with -1 for all channels) and the box.

    Raises:
        tf.errors.InvalidArgumentError: A box is not inside the image, or there is none.
    """
    limits = _limits(min_object_covered, aspect_ratio_range, area_range, max_attempts)
    sizes, marked = _marked(image_size, bounding_boxes, bool(use_image_if_no_bounding_boxes))
    key = ("sample_distorted_bounding_box", sizes.dtype, limits, bool(use_image_if_no_bounding_boxes))
    words = Words(streams.stream_of(key, seed, limits.attempts))
    return SampleDistortedBoundingBoxV2(*_drawn(words, sizes, marked, limits))


def stateless_sample_distorted_bounding_box(
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    seed: TensorLike,
    min_object_covered: float = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> StatelessSampleDistortedBoundingBox:
    """As `sample_distorted_bounding_box`; the part depends on `seed`, two integers, alone.

    >>> import gradtape as tf
    >>> tf.image.stateless_sample_distorted_bounding_box([40, 50, 3], [[[0.1, 0.2, 0.8, 0.9]]], [1, 2]).begin.numpy()
    array([12,  3,  0], dtype=int32)

    Args:
        image_size: Height, width and channels.
        bounding_boxes: Boxes (y1, x1, y2, x2) from 0 to 1, of shape (batch, boxes, 4).
        seed: Two integers, from which the numbers follow: the same two give the same numbers.
        min_object_covered: The share of a box that must be seen.
        aspect_ratio_range: The least and the largest width / height; 0.75 and 1.33 by default.
        area_range: The least and the largest share of the image; 0.05 and 1 by default.
        max_attempts: After so many it is the whole image; 100 by default.
        use_image_if_no_bounding_boxes: Whether the whole image is the box, where none is given.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        `begin`, `size` (with -1 for all channels) and the box.
    """
    limits = _limits(min_object_covered, aspect_ratio_range, area_range, max_attempts)
    sizes, marked = _marked(image_size, bounding_boxes, bool(use_image_if_no_bounding_boxes))
    words = Words(streams.stateless_stream(seed))
    return StatelessSampleDistortedBoundingBox(*_drawn(words, sizes, marked, limits))


def _limits(covered: Any, ratios: Any, areas: Any, attempts: Any) -> _Limits:
    share = float(np.asarray(to_tensor(covered, dtypes.float32)._array))
    pairs: list[tuple[np.float32, np.float32]] = []
    for label, given in (("aspect_ratio_range", ratios or (0.75, 1.33)), ("area_range", areas or (0.05, 1.0))):
        if len(given) != 2 or min(given) <= 0 or (label == "area_range" and max(given) > 1):
            wanted = "two positive numbers" + (" of at most 1" if label == "area_range" else "")
            raise invalid(f"sample_distorted_bounding_box: {label} must be {wanted}, got {list(given)}.")
        pairs.append((np.float32(given[0]), np.float32(given[1])))
    tries = 100 if attempts is None else int(attempts)
    if share < 0 or tries < 1:
        raise invalid(
            "sample_distorted_bounding_box: min_object_covered must not be negative, and max_attempts must be positive; "
            f"got {share} and {tries}."
        )
    return _Limits(share, pairs[0], pairs[1], tries)


def _marked(image_size: Any, boxes: Any, whole: bool) -> tuple[Array, list[tuple[int, int, int, int]]]:
    """Height, width and channels; the boxes in pixels: (y1, x1, y2, x2)."""
    sizes = np.asarray(to_tensor(image_size)._array)
    given = np.asarray(to_tensor(boxes, None if isinstance(boxes, Tensor) else dtypes.float32)._array)
    if sizes.shape != (3,) or sizes.dtype.kind not in "iu":
        raise invalid(
            f"sample_distorted_bounding_box: image_size must be height, width and channels, got {image_size!r}."
        )
    if given.ndim != 3 or given.shape[2] != 4:
        raise invalid(
            f"sample_distorted_bounding_box: boxes must have shape (batch, boxes, 4), got {list(given.shape)}."
        )
    if not ((given >= 0) & (given <= 1)).all():
        raise invalid(
            "sample_distorted_bounding_box: all coordinates of boxes must be in [0, 1]. Divide pixels by the size."
        )
    scale = np.array([sizes[0], sizes[1], sizes[0], sizes[1]], np.float32)
    found = [tuple(row) for row in (given.reshape(-1, 4) * scale).astype(np.int64).tolist()]
    if not found:
        if not whole:
            raise invalid(
                "sample_distorted_bounding_box: no boxes are given. Set use_image_if_no_bounding_boxes=True to take the image."
            )
        found = [(0, 0, int(sizes[0]), int(sizes[1]))]
    return sizes, found


def _drawn(words: Words, sizes: Array, marked: list[Any], limits: _Limits) -> tuple[Tensor, Tensor, Tensor]:
    height, width = int(sizes[0]), int(sizes[1])
    part = (0, 0, height, width)
    for _ in range(limits.attempts):
        low, high = limits.ratios
        ratio = words.float32() * (high - low) + low
        crop = _crop(words, height, width, limits.areas, ratio)
        if crop is not None and _shows_enough(crop, limits.covered, marked):
            part = crop
            break
    top, left, bottom, right = part
    box = np.array(part, np.float32) / np.array([height, width, height, width], np.float32)
    begin, size = [top, left, 0], [bottom - top, right - left, -1]
    return (
        from_array(np.array(begin, sizes.dtype)),
        from_array(np.array(size, sizes.dtype)),
        from_array(box.reshape(1, 1, 4)),
    )


def _crop(words: Words, height: int, width: int, areas: Any, ratio: np.float32) -> tuple[int, int, int, int] | None:
    """A part with this ratio and a permitted area, or None where there is none. (All in float32, as in TensorFlow.)"""
    least, most = (share * np.float32(width) * np.float32(height) for share in areas)
    if least > most or not height or not width:
        return None

    def across(lines: int) -> int:
        return int(np.rint(np.float32(lines) * ratio))

    lines = int(np.rint(np.sqrt(least / ratio)))
    limit = int(np.rint(np.sqrt(most / ratio)))
    if across(limit) > width:
        limit = int((width + 0.5 - 1e-7) / float(ratio))
    limit = min(limit, height)
    lines = min(lines, limit)
    if lines < limit:
        lines += words.below(limit - lines + 1)
    if across(lines) * lines < least:  # only rounding makes it too small, or too large
        lines += 1
    if across(lines) * lines > most:
        lines -= 1
    columns = across(lines)
    if not least <= lines * columns <= most or not 0 < columns <= width or not 0 < lines <= height:
        return None
    top = words.below(height - lines) if lines < height else 0
    left = words.below(width - columns) if columns < width else 0
    return top, left, top + lines, left + columns


def _shows_enough(crop: tuple[int, int, int, int], share: float, marked: list[Any]) -> bool:
    top, left, bottom, right = crop
    for y1, x1, y2, x2 in marked:
        area = (y2 - y1) * (x2 - x1)
        if area < 1:
            continue
        seen = max(min(bottom, y2) - max(top, y1), 0) * max(min(right, x2) - max(left, x1), 0)
        if np.float32(seen) / np.float32(area) >= np.float32(share):
            return True
    return False


sample_distorted_bounding_box = traceable(sample_distorted_bounding_box, always=True, on_abstract=sample_on_abstract)
stateless_sample_distorted_bounding_box = traceable(
    stateless_sample_distorted_bounding_box, on_abstract=sample_on_abstract
)
