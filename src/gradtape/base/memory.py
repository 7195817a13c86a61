"""Memory: whether there is room for an array, and what is kept of freed ones.

The size is checked where NumPy's own arithmetic on sizes overflows (np.repeat and np.tile write beyond the end of an array then),
and where an array of many elements takes no memory itself, but every array that is computed from it does.

Freed memory stays with the process, for the next array. By default glibc hands arrays above 128 KB back to the system as soon as
they are freed, and the next op pays for fresh pages: a third of the time of elementwise ops on large arrays (measured: 4M floats
forward and backward 52 ms, with this 38; two transformer blocks 122 ms, with this 95). Nothing is held that is not free, and at
most KEPT bytes.
"""

from __future__ import annotations

import ctypes
import functools
import math
import os
import sys
from collections.abc import Iterable
from typing import Any

import numpy as np

from .dtypes import Array
from .errors import too_large

KEPT = 512 * 2**20
CACHE_LINE = 64  # bytes
# Elements that no program means: a size was mistyped, or a file is damaged, and the memory must not be filled.
MOST_ELEMENTS = 2**40
MOST_COUNTS = 2**33  # the same of tables of counts, whose size is decided by the largest value among the data
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # from malloc.h
_LARGEST_MMAP_THRESHOLD = 32 * 2**20  # glibc refuses more


@functools.cache
def machine_bytes() -> int:
    """The memory that this machine has."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # Windows
        return sys.maxsize


def check_room(name: str, shape: Iterable[Any], dtype: Any = np.uint8) -> None:
    """Raise unless the machine can hold an array of this shape."""
    count = np.dtype(dtype).itemsize
    for size in shape:
        count *= int(size)
    if count > machine_bytes():
        raise too_large(name, f"an array of shape {list(shape)} takes {count} bytes, more than the machine has")


def has_too_many(shape: Iterable[Any], most: int = MOST_ELEMENTS) -> bool:
    """Whether an array of this shape has so many elements that the call cannot be meant."""
    return math.prod(map(int, shape)) >= most


def repeated(name: str, values: Array, counts: Any) -> Array:
    """`np.repeat` of one line of values, without its overflow: each value as often as its count says."""
    total = float(np.sum(counts, dtype=np.float64)) * (len(values) if np.size(counts) == 1 else 1)
    check_room(name, [int(total)], values.dtype)
    return np.repeat(values, counts)


def slots(name: str, count: int) -> list[Any]:
    """A list of `count` places."""
    try:
        return [None] * count
    except (MemoryError, OverflowError):
        raise too_large(name, f"there is no room for {count} elements") from None


def keep_freed_memory() -> bool:
    """Ask glibc to keep up to KEPT bytes; whether it agreed. GRADTAPE_KEEP_MEMORY=0 in the environment turns it off."""
    if os.environ.get("GRADTAPE_KEEP_MEMORY") == "0" or not sys.platform.startswith("linux"):
        return False
    # A choice that the user made for the process stands.
    if os.environ.get("MALLOC_TRIM_THRESHOLD_") or os.environ.get("MALLOC_MMAP_THRESHOLD_"):
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:  # another C library
        return False
    return bool(mallopt(_MMAP_THRESHOLD, _LARGEST_MMAP_THRESHOLD)) and bool(mallopt(_TRIM_THRESHOLD, KEPT))
