"""Sliding windows: where they stand on an input, how many there are, and which elements each of their
places meets.

Convolutions and pools share this. Values have the layout (batch, sizes ..., channels); everything here is
about the sizes. A window has `window[a]` places along an axis, `dilations[a]` apart, and moves by
`strides[a]`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ...base.dtypes import Array
from ...base.errors import invalid
from ...base.sizes import Size, larger
from ...native import geometry, thresholds
from ...native.geometry import Sizes as Sizes

Padding = str | tuple[tuple[int, int], ...]

_LARGEST = 1 << 31  # products of two such numbers still fit 64-bit integers


class Tap(NamedTuple):
    """One place of the window: where its inputs lie and which outputs they reach, padding left out."""

    place: Sizes
    inputs: tuple[slice, ...]
    outputs: tuple[slice, ...]


class Windows(geometry.Windows):
    """All windows on an input of some sizes, and the places of each."""

    __slots__ = ()

    def taps(self) -> tuple[Tap, ...]:
        """The places of the window in row-major order; those that meet nothing but padding are left out."""
        return _taps(self)

    def taps_along(self, axis: int) -> tuple[Tap, ...]:
        """The places of the window's projection on one axis."""
        return _taps(Windows(*((part[axis],) for part in self)))  # type: ignore[arg-type]

    def outer_taps(self) -> tuple[Tap, ...]:
        """The places of the window's projection on all axes but the last."""
        return _taps(Windows(*(part[:-1] for part in self)))  # type: ignore[arg-type]

    def input_of(self, output: Sizes, place: Sizes) -> Sizes | None:
        """The position of the input that a place of the window sees for an output; None in the padding."""
        along = zip(output, self.strides, place, self.dilations, self.padding, strict=True)
        at = tuple(o * stride + p * dilation - low for o, stride, p, dilation, (low, _) in along)
        return at if all(0 <= a < size for a, size in zip(at, self.sizes, strict=True)) else None

    def pad(self, x: Array) -> Array:
        """The input with zeros around it, long enough for all windows."""
        if not self.padded:
            return x
        sizes = [n + low + high for n, (low, high) in zip(self.sizes, self.padding, strict=True)]
        padded = np.zeros((x.shape[0], *sizes, x.shape[-1]), x.dtype)
        inside = tuple(slice(low, low + n) for n, (low, _) in zip(self.sizes, self.padding, strict=True))
        padded[(slice(None), *inside)] = x
        return padded

    def view(self, x: Array) -> Array:
        """What each window of a padded input sees, as a view: (batch, outputs ..., window ..., channels)."""
        first, *middle, last = x.strides
        moves = [s * stride for s, stride in zip(middle, self.strides, strict=True)]
        places = [s * dilation for s, dilation in zip(middle, self.dilations, strict=True)]
        shape = (x.shape[0], *self.outputs, *self.window, x.shape[-1])
        return as_strided(x, shape, (first, *moves, *places, last), writeable=False)

    def counts(self) -> Array:
        """How many places of each window meet the input, not padding."""
        counts: Any = np.ones(self.outputs, np.int64)
        for axis, size in enumerate(self.outputs):
            along = np.zeros(size, np.int64)
            for tap in self.taps_along(axis):
                along[tap.outputs[0]] += 1
            counts = counts * along.reshape(-1, *(1,) * (len(self.outputs) - axis - 1))
        return np.asarray(counts)


@lru_cache(maxsize=1024)
def windows(name: str, sizes: Sizes, window: Sizes, strides: Sizes, dilations: Sizes, padding: Padding) -> Windows:
    """The windows on an input, or the error that says why there are none."""
    rank = len(sizes)
    for what, values in (("window", window), ("strides", strides), ("dilations", dilations)):
        if len(values) != rank:
            raise invalid(
                f"{name}: {what} {list(values)} must have one number for each of the {rank} sizes {list(sizes)}."
            )
        if min(values, default=1) < 1:
            said = "Sliding window ksize must be positive." if what == "window" else f"{what} must be positive"
            raise invalid(f"{name}: {said}, got {list(values)}.")
        if max(values, default=1) >= _LARGEST:
            raise invalid(f"{name}: {what} must be below 2^31, got {list(values)}.")
    extents = [(w - 1) * d + 1 for w, d in zip(window, dilations, strict=True)]
    if padding == "SAME":
        pads = []
        for size, extent, stride in zip(sizes, extents, strides, strict=True):
            missing = max((-(-size // stride) - 1) * stride + extent - size, 0)
            pads.append((missing // 2, missing - missing // 2))
    elif padding == "VALID":
        pads = [(0, 0)] * rank
    elif isinstance(padding, tuple):
        pads = list(padding)
        if len(pads) != rank or any(len(pair) != 2 or min(pair) < 0 for pair in pads):
            raise invalid(f"{name}: explicit padding needs {rank} pairs of sizes that are not negative, got {padding}.")
    else:
        raise invalid(f'{name}: padding must be "SAME", "VALID" or explicit sizes, got {padding!r}.')
    outputs = []
    for axis in range(rank):
        room = sizes[axis] + sum(pads[axis]) - extents[axis]
        # TensorFlow's bound: just below zero no window fits, and the output is empty.
        if room <= -2 * strides[axis]:
            raise invalid(
                f"{name}: the window (with dilation {extents[axis]}) is larger than size {sizes[axis]} "
                "with padding "
                f'{pads[axis]} on axis {axis + 1}. Use a smaller window or padding="SAME".'
            )
        outputs.append(max(room // strides[axis] + 1, 0))
    return Windows(sizes, window, strides, dilations, tuple(pads), tuple(outputs))


def window_counts(name: str, sizes: Any, window: Any, strides: Any, dilations: Any, padding: Any) -> tuple[Any, ...]:
    """How many windows fit along each axis; (batch, sizes ..., channels) without the first and the last."""
    if not any(isinstance(part, Size) for part in (*sizes, *window, *strides, *dilations)):
        return windows(name, tuple(sizes), tuple(window), tuple(strides), tuple(dilations), padding).outputs
    if not len(sizes) == len(window) == len(strides) == len(dilations):
        raise invalid(f"{name}: one number for each of {len(sizes)} sizes is needed.")
    pairs = padding if isinstance(padding, tuple) else ((0, 0),) * len(sizes)
    counts: list[Any] = []
    for size, width, stride, dilation, pair in zip(sizes, window, strides, dilations, pairs, strict=True):
        if padding == "SAME":
            counts.append((size + stride - 1) // stride)
        else:
            room = size + sum(pair) - (width - 1) * dilation - 1
            counts.append(larger(room // stride + 1, 0))
    return tuple(counts)


@lru_cache(maxsize=256)
def _taps(windows: Windows) -> tuple[Tap, ...]:
    axes = []
    for size, width, stride, dilation, (low, _), count in zip(*windows, strict=True):
        along = []
        # Only places that can meet the input: a window may be far larger than what it stands on.
        least = -((max(count - 1, 0) * stride - low) // dilation)
        most = (size - 1 + low) // dilation
        for place in range(max(0, least), min(width, most + 1)):
            offset = place * dilation - low
            first = max(0, -(offset // stride))
            last = min(count - 1, (size - 1 - offset) // stride)
            if first <= last:
                inputs = slice(first * stride + offset, last * stride + offset + 1, stride)
                along.append((place, inputs, slice(first, last + 1)))
        axes.append(along)
    return tuple(Tap(*zip(*parts, strict=True)) if parts else Tap((), (), ()) for parts in product(*axes))


def blocks(count: int, bytes_each: int) -> Iterator[slice]:
    """The batch in parts whose work fits the cache."""
    step = max(1, thresholds.WINDOW_BLOCK_BYTES // max(bytes_each, 1))
    for start in range(0, count, step):
        yield slice(start, start + step)
