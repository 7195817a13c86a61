"""Glimpses: windows of one size around points of images, which may reach beyond the border."""

from __future__ import annotations

import numpy as np

from .. import math, random
from ..api.arrays import broadcast_to, reshape
from ..api.indexing import gather, where
from ..base import dtypes
from ..base.errors import invalid
from ..base.traceable import trace_public
from ..base.types import TensorLike
from ..op.arguments import takes, text
from ..op.attributes import as_ints
from ..values.tensor import Tensor, to_tensor


@takes(noise=text)
def extract_glimpse(
    input: TensorLike,
    size: TensorLike,
    offsets: TensorLike,
    centered: bool = True,
    normalized: bool = True,
    noise: str = "uniform",
    name: str | None = None,
) -> Tensor:
    """One window of each image, around the point that `offsets` names; what lies beyond the border is noise.

    The tape follows the pixels.

    >>> import gradtape as tf
    >>> image = tf.reshape(tf.range(1.0, 21.0), [1, 4, 5, 1])
    >>> tf.image.extract_glimpse(image, [2, 2], [[0.0, 0.0]], noise="zero")[0, :, :, 0].numpy()
    array([[ 7.,  8.],
           [12., 13.]], dtype=float32)

    Args:
        input: Images: (batch, height, width, channels).
        size: Height and width of the windows.
        offsets: (y, x) for each image.
        centered: Whether (0, 0) is the middle of the image and the window lies around the point; else it is the first pixel, and
            the window begins there.
        normalized: Whether 1 is the size of the image (half of it, where centered); else offsets are pixels.
        noise: "uniform" between the smallest and the largest number of the image, "gaussian" with its mean and deviation, "zero".
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The windows: (batch, *size, channels).

    Raises:
        tf.errors.InvalidArgumentError: The shapes do not go together, or the noise is not known.
    """
    x = math.cast(input, dtypes.float32)
    places = to_tensor(offsets, None if isinstance(offsets, Tensor) else dtypes.float32)
    window = as_ints(size)
    if x.ndim != 4:
        raise invalid(f"extract_glimpse: the input must be (batch, height, width, channels), got shape {x.shape}.")
    if len(window) != 2 or min(window) < 1:
        raise invalid(f"extract_glimpse: size must be height and width, got {size!r}.")
    if places.ndim != 2 or tuple(places.shape) != (x.shape[0], 2):
        raise invalid(
            f"extract_glimpse: offsets must be (y, x) for each of {x.shape[0]} images, got shape {places.shape}."
        )
    if noise not in ("uniform", "gaussian", "zero"):
        raise invalid(f'extract_glimpse: noise must be "uniform", "gaussian" or "zero", got {noise!r}.')
    batch, height, width, channels = tuple(x.shape)
    rows, inside_rows = _lines(places[:, 0], height, window[0], centered, normalized)
    columns, inside_columns = _lines(places[:, 1], width, window[1], centered, normalized)
    at = (np.arange(batch, dtype=np.int32)[:, None, None] * height + rows[:, :, None]) * width + columns[:, None, :]
    seen = gather(reshape(x, (batch * height * width, channels)), at)
    inside = math.logical_and(inside_rows[:, :, None, None], inside_columns[:, None, :, None])
    return where(inside, seen, _noise(x, noise, tuple(seen.shape)))


def _lines(place: Tensor, count: int, window: int, centered: bool, normalized: bool) -> tuple[Tensor, Tensor]:
    """The lines of each image that a window sees, the nearest ones where it leaves the image, and which lie inside."""
    if normalized:
        place = place * float(count)
        if centered:
            place = place / 2.0 + count / 2.0 - window / 2.0
    elif centered:
        place = place + count / 2.0
    first = math.cast(place, dtypes.int32)  # towards 0
    lines = first[:, None] + np.arange(window, dtype=np.int32)
    inside = math.logical_and(math.greater_equal(lines, 0), math.less(lines, count))
    return math.maximum(math.minimum(lines, count - 1), 0), inside


def _noise(x: Tensor, noise: str, shape: tuple[int, ...]) -> Tensor:
    if noise == "zero":
        return broadcast_to(0.0, shape)
    if noise == "uniform":
        low, high = (reduce(x, [1, 2, 3], keepdims=True) for reduce in (math.reduce_min, math.reduce_max))
        return low + (high - low) * random.uniform(shape)
    mean = math.reduce_mean(x, [1, 2, 3], keepdims=True)
    return mean + math.reduce_std(x, [1, 2, 3], keepdims=True) * random.normal(shape)


trace_public(globals())
