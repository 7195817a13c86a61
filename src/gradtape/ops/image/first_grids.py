"""Weights of `tf.compat.v1.image.resize_*`, on the grids that TensorFlow 1 laid over images.

There the first pixels of both images lie on each other, and with `align_corners` the last ones too; later grids align the borders.
Cubic weights have another curve (a = -3/4), and what lies outside of the image is its outermost pixel.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ...base.dtypes import Array
from .resize import CUBIC_TABLE, KEPT, Weights, checked_scale, cubic_table


def _scale(inputs: int, outputs: int, align_corners: bool) -> np.float32:
    plain = checked_scale(inputs, outputs)
    return np.float32(inputs - 1) / np.float32(outputs - 1) if align_corners and outputs > 1 else plain


def _corners(inputs: int, outputs: int, align_corners: bool) -> Array:
    """Where the new pixels lie, in old pixels."""
    return np.arange(outputs, dtype=np.float32) * _scale(inputs, outputs, align_corners)


@lru_cache(KEPT)
def nearest(inputs: int, outputs: int, align_corners: bool) -> Weights:
    """The pixel before the place, or the nearest one where corners are aligned."""
    places = _corners(inputs, outputs, align_corners)
    found = np.floor(places + np.float32(0.5)) if align_corners else np.floor(places)
    return Weights(np.minimum(found.astype(np.intp), inputs - 1)[:, None], np.ones((outputs, 1)), inputs)


@lru_cache(KEPT)
def bilinear(inputs: int, outputs: int, align_corners: bool) -> Weights:
    """The two neighbours, by distance."""
    places = _corners(inputs, outputs, align_corners)
    below = np.floor(places)
    share = (places - below).astype(np.float64)
    neighbours = np.minimum(below.astype(np.intp)[:, None] + [0, 1], inputs - 1)
    return Weights(neighbours, np.stack([1 - share, share], axis=1), inputs)


@lru_cache(KEPT)
def bicubic(inputs: int, outputs: int, align_corners: bool) -> Weights:
    """The four neighbours."""
    places = _corners(inputs, outputs, align_corners)
    below = np.floor(places)
    offset = np.rint((places - below) * np.float32(CUBIC_TABLE)).astype(np.intp)
    near, far = cubic_table(-0.75)
    values = np.stack([far[offset], near[offset], near[CUBIC_TABLE - offset], far[CUBIC_TABLE - offset]], axis=1)
    neighbours = np.clip(below.astype(np.intp)[:, None] + np.arange(-1, 3), 0, inputs - 1)
    return Weights(neighbours, values.astype(np.float64), inputs)


@lru_cache(KEPT)
def area(inputs: int, outputs: int, align_corners: bool) -> Weights:
    """The pixels that the new one covers, each by the part of it that is covered."""
    scale = _scale(inputs, outputs, align_corners)
    starts = np.arange(outputs, dtype=np.float32) * scale
    ends = np.arange(1, outputs + 1, dtype=np.float32) * scale
    first = np.floor(starts).astype(np.intp)
    taps = max(int((np.ceil(ends).astype(np.intp) - first).max(initial=1)), 1)
    pixels = first[:, None] + np.arange(taps)
    covered = np.minimum(pixels + 1, ends[:, None]) - np.maximum(pixels, starts[:, None])
    # (An image of one line that is aligned has a scale of 0, and TensorFlow divides by it.)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.maximum(covered, 0).astype(np.float64) / np.float64(scale)
    return Weights(np.clip(pixels, 0, inputs - 1), values, inputs)
