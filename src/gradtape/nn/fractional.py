"""Fractional pools: windows whose sizes vary at random, so that an image shrinks by a fraction (Graham 2014)."""

from __future__ import annotations

from math import ceil
from typing import Any, NamedTuple

import numpy as np

from .. import math
from ..api.arrays import reshape
from ..api.indexing import gather
from ..base import dtypes, philox
from ..base.dtypes import Array
from ..base.errors import invalid, unfit
from ..base.traceable import traceable
from ..base.types import TensorLike
from ..op.attributes import as_int
from ..random import streams
from ..values.tensor import Tensor, from_array, to_tensor


class FractionalMaxPool(NamedTuple):
    """What `tf.nn.fractional_max_pool` returns."""

    output: Tensor
    row_pooling_sequence: Tensor
    col_pooling_sequence: Tensor


class FractionalAvgPool(NamedTuple):
    """What `tf.nn.fractional_avg_pool` returns."""

    output: Tensor
    row_pooling_sequence: Tensor
    col_pooling_sequence: Tensor


def fractional_max_pool(
    value: TensorLike,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> FractionalMaxPool:
    """The largest numbers in windows of random sizes.

    >>> import gradtape as tf
    >>> tf.random.set_seed(1)
    >>> pooled, rows, columns = tf.nn.fractional_max_pool(tf.ones([1, 7, 8, 2]), [1.0, 1.44, 1.73, 1.0], seed=5)
    >>> pooled.shape, rows.numpy()
    (TensorShape([1, 4, 4, 2]), array([0, 2, 4, 6, 7]))

    Args:
        value: Images: (batch, height, width, channels).
        pooling_ratio: How much smaller they become: [1.0, rows, columns, 1.0], or one number for rows and columns.
        pseudo_random: Whether the sizes follow each other evenly, from a random start; else they are shuffled.
        overlapping: Whether a window has the first line of the next one too.
        seed: A seed; with 0 every call is different.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The pooled images, and where windows begin and end along rows and columns.

    Raises:
        ValueError: The ratio is below 1, or is not 1 for batch and channels.
    """
    if isinstance(pooling_ratio, (int, float)):
        pooling_ratio = [1.0, pooling_ratio, pooling_ratio, 1.0]
    elif not isinstance(pooling_ratio, (list, tuple)):
        raise unfit(f"fractional_max_pool: pooling_ratio must be a number or a list, got {pooling_ratio!r}.")
    x, rows, columns = _windows(value, pooling_ratio, pseudo_random, overlapping, seed, "fractional_max_pool")
    seen, _ = _seen(x, rows, columns, bool(overlapping))
    places = math.argmax(seen, axis=3)  # of equal numbers the first, which alone has the gradient
    return FractionalMaxPool(_picked(seen, places), from_array(rows), from_array(columns))


def fractional_avg_pool(
    value: TensorLike,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> FractionalAvgPool:
    """The means of windows of random sizes.

    >>> import gradtape as tf
    >>> tf.random.set_seed(1)
    >>> pooled, rows, columns = tf.nn.fractional_avg_pool(tf.ones([1, 7, 8, 2]), [1.0, 1.44, 1.73, 1.0], seed=5)
    >>> pooled.shape, rows.numpy()
    (TensorShape([1, 4, 4, 2]), array([0, 2, 4, 6, 7]))

    Args:
        value: Images: (batch, height, width, channels).
        pooling_ratio: How much smaller they become: [1.0, rows, columns, 1.0].
        pseudo_random: Whether the sizes follow each other evenly, from a random start; else they are shuffled.
        overlapping: Whether a window has the first line of the next one too.
        seed: A seed; with 0 every call is different.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The pooled images, and where windows begin and end along rows and columns.
    """
    x, rows, columns = _windows(value, pooling_ratio, pseudo_random, overlapping, seed, "fractional_avg_pool")
    seen, inside = _seen(x, rows, columns, bool(overlapping))
    share = (inside / inside.sum(axis=2, keepdims=True)).astype(x.dtype.numpy)
    found = math.reduce_sum(seen * from_array(share[None, :, :, :, None]), axis=3)
    return FractionalAvgPool(found, from_array(rows), from_array(columns))


def _windows(value: Any, ratio: Any, even: bool, overlapping: bool, seed: Any, name: str) -> tuple[Any, Array, Array]:
    x = to_tensor(value)
    if x.ndim != 4:
        raise invalid(f"{name}: images must be (batch, height, width, channels), got shape {x.shape}.")
    ratios = _ratios(ratio, name)
    sizes = [int(x.shape[axis] / ratios[axis]) for axis in (1, 2)]
    if min(sizes) < 1:
        raise invalid(f"{name}: images of shape {x.shape} are too small for the ratio {list(ratios)}.")
    own = as_int(seed)
    pair = streams.seeds_of(own) if own else None
    stream = philox.from_seeds(*pair) if pair is not None else streams.stream_of((name,), 0, 0)
    sequences = []
    for axis, size in zip((1, 2), sizes, strict=True):
        count = int(x.shape[axis])
        sequences.append(_even_sequence(stream, count, size) if even else _shuffled_sequence(stream, count, size))
        if pair is not None:
            stream = stream.skip(1 if even else -(-size // 4))
    return x, sequences[0], sequences[1]


def _ratios(ratio: Any, name: str) -> tuple[float, ...]:
    if not isinstance(ratio, (list, tuple)):
        raise TypeError(f"{name}: pooling_ratio must be a list [1.0, rows, columns, 1.0], got {ratio!r}.")
    given = [float(one) for one in ratio]
    if len(given) != 4:
        raise unfit(f"{name}: pooling_ratio must have 4 numbers [1.0, rows, columns, 1.0], got {ratio!r}.")
    if given[0] != 1 or given[3] != 1:
        raise ValueError(f"{name}: pooling_ratio must be 1.0 for batch and channels, got {ratio!r}.")
    if min(given) < 1:
        raise ValueError(f"{name}: the numbers of pooling_ratio must be at least 1.0, got {ratio!r}.")
    return tuple(given)


def _even_sequence(stream: Any, inputs: int, outputs: int) -> Array:
    """Where windows begin and end: at multiples of the ratio, from a random start, rounded up."""
    ratio, whole = inputs / outputs, inputs // outputs
    largest = min((whole + 2) / ratio - 1, (inputs + 1 - whole) / ratio - (outputs - 1))
    start = philox.Words(stream).double() * largest
    inner = [ceil(ratio * (place + start)) - 1 for place in range(1, outputs)]
    return np.array([0, *inner, inputs], np.int64)


def _shuffled_sequence(stream: Any, inputs: int, outputs: int) -> Array:
    """The same for windows of two sizes in random order."""
    whole, larger = divmod(inputs, outputs)
    sizes = np.full(outputs, whole)
    sizes[:larger] += 1
    return np.concatenate(([0], np.cumsum(sizes[philox.permutation(stream, outputs)]))).astype(np.int64)


def _lines(sequence: Array, overlapping: bool) -> tuple[Array, Array]:
    """The lines of each window, the last one again and again in small windows, and which of them count."""
    ends = np.minimum(sequence[1:] + overlapping, sequence[-1])
    lines = sequence[:-1, None] + np.arange(int((ends - sequence[:-1]).max()))
    return np.minimum(lines, ends[:, None] - 1), lines < ends[:, None]


def _seen(x: Any, rows: Array, columns: Array, overlapping: bool) -> tuple[Any, Array]:
    """What all windows see: (batch, rows, columns, places of a window, channels), and which places count."""
    down, counts_down = _lines(rows, overlapping)
    across, counts_across = _lines(columns, overlapping)
    batch, height, width, channels = tuple(x.shape)
    at = down[:, None, :, None] * width + across[None, :, None, :]
    inside = counts_down[:, None, :, None] & counts_across[None, :, None, :]
    shape = (len(down), len(across), down.shape[1] * across.shape[1])
    seen = gather(reshape(x, (batch, height * width, channels)), from_array(at.reshape(shape)), axis=1)
    return seen, inside.reshape(shape)


def _picked(seen: Any, places: Any) -> Any:
    """The elements at these places of the axis before the channels."""
    batch, rows, columns, count, channels = tuple(seen.shape)
    flat = reshape(seen, (-1,))
    outer = np.arange(batch * rows * columns, dtype=np.int64).reshape(batch, rows, columns, 1)
    at = (outer * count + math.cast(places, dtypes.int64)) * channels + np.arange(channels, dtype=np.int64)
    return gather(flat, at)


fractional_max_pool = traceable(fractional_max_pool, always=True)
fractional_avg_pool = traceable(fractional_avg_pool, always=True)
