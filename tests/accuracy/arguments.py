"""The arguments on which ops are measured: all exponents, the special values, and the places where functions are hard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

_PLAIN = (
    0.0,
    0.5,
    1.0,
    1.5,
    2.0,
    3.0,
    6.0,
    10.0,
    17.0,
    20.0,
    37.0,
    88.0,
    89.0,
    104.0,
    127.5,
    709.0,
    710.0,
    745.0,
    746.0,
)


def special(dtype: Any) -> Array:
    """Zeros, infinities, nan, the ends of the type's range, denormal numbers, 1 and its neighbours, a few round numbers."""
    info = np.finfo(dtype)
    ends = [info.smallest_subnormal, info.tiny / 8, info.tiny, info.max, np.inf, 1 + info.eps, 1 - info.epsneg]
    found = np.array([*_PLAIN, *ends], dtype)
    return np.concatenate([found, -found, np.array([np.nan], dtype)])


def _around(points: Sequence[float], dtype: Any) -> Array:
    """Each point, its nearest neighbours, and numbers that come closer to it by halves."""
    found = []
    for point in points:
        at = dtype(point)
        below = above = at
        found.append(at)
        for _ in range(4):
            below, above = np.nextafter(below, dtype(-np.inf)), np.nextafter(above, dtype(np.inf))
            found += [below, above]
        for power in range(0, 2 - int(np.log2(np.finfo(dtype).eps)), 2):
            found += [dtype(at + dtype(2.0) ** -power), dtype(at - dtype(2.0) ** -power)]
    return np.array(found, dtype)


def _random(draw: np.random.Generator, count: int, dtype: Any, low: float, high: float) -> Array:
    """A half over all exponents, a half where functions bend; all between `low` and `high`."""
    info = np.finfo(dtype)
    wide = np.ldexp(draw.uniform(1, 2, count), draw.integers(info.minexp - info.nmant, info.maxexp, count))
    near = np.ldexp(draw.uniform(1, 2, count), draw.integers(-12, 10, count))
    whole = draw.integers(0, 60, count) / 2
    kind = draw.integers(0, 20, count)
    size = np.where(kind < 9, wide, np.where(kind < 18, near, whole))
    numbers = np.where(draw.integers(0, 2, count) == 0, size, -size).astype(dtype)
    inside = (numbers >= low) & (numbers <= high)
    first, last = max(low, -float(info.max) / 4), min(high, float(info.max) / 4)
    spread = draw.uniform(first, last, count) if last - first < 1e6 else np.clip(np.abs(numbers), first, last)
    return np.where(inside, numbers, spread).astype(dtype)


def numbers(
    draw: np.random.Generator,
    count: int,
    dtype: Any,
    near: Sequence[float] = (),
    low: float = -np.inf,
    high: float = np.inf,
    specials: bool = True,
) -> Array:
    """`count` numbers, of which the special ones and those around hard points come first."""
    fixed = np.concatenate([special(dtype) if specials else np.array([], dtype), _around(near, dtype)])
    fixed = fixed[np.isnan(fixed) | ((fixed >= low) & (fixed <= high))]
    rest = max(count - len(fixed), count // 2)
    if len(fixed) + rest > count:  # a small part of everything: as many of the fixed ones as there is room for
        fixed = draw.permutation(fixed)[: count - rest]
    return np.concatenate([fixed, _random(draw, rest, dtype, low, high)])


def pairs(draw: np.random.Generator, first: Array, second: Array, low: float, high: float) -> tuple[Array, Array]:
    """Two lists side by side; in a third of the pairs the second number is near the first, or near its negative."""
    second = draw.permutation(second)
    dtype = first.dtype.type
    factor = np.choose(
        draw.integers(0, 4, len(first)),
        [draw.uniform(-2, 2, len(first)), np.ones(len(first)), -np.ones(len(first)), 1 + np.finfo(dtype).eps],
    )
    close = (first * factor).astype(dtype)
    takes = (draw.integers(0, 3, len(first)) == 0) & (close >= low) & (close <= high)
    return first, np.where(takes, close, second).astype(dtype)
