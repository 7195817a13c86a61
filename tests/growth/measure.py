"""The exponents with which time and memory grow: 1 is proportional to the data, 2 quadratic.

Time is processor time, the best of several runs, on sizes that take a few milliseconds; memory is the most that was allocated at
a time. The data is what grows: elements along an axis, or the bytes of all operands and results where these grow faster.
"""

from __future__ import annotations

import gc
import math
import time
import tracemalloc
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import gradtape as tf

STEP = 8  # from n to 8 n
SMALLEST = 64  # elements along the axis, at first
BYTES = 4 << 20  # well above what a call needs in any case
DATA = 1 << 24  # bytes of operands and results that are enough to see growth
TOLERATED = 1.6  # n log n, and arrays that leave the caches, stay below


class Effort(NamedTuple):
    """How far measuring goes."""

    largest: int  # elements along the axis
    seconds: float  # that are well above the overhead of a call: a time to measure


QUICK = Effort(1 << 12, 4e-3)
FULL = Effort(1 << 15, 1e-2)


class Growing(Protocol):
    """Something that can be called with everything that grows `factor` times as large."""

    @property
    def dimensions(self) -> int: ...  # how many axes grow together

    def size(self, factor: int) -> int: ...

    def data(self, factor: int) -> int: ...


class Exponents(NamedTuple):
    """None where there is too little to measure, up to the largest size that was tried."""

    time: float | None
    memory: float | None

    @property
    def largest(self) -> float:
        return max(self.time or 0.0, self.memory or 0.0)


class Cost(NamedTuple):
    """What one call takes."""

    seconds: float
    bytes: float


Make = Callable[[int], Callable[[], Any]]


def exponents(growing: Growing, make: Make, effort: Effort, tries: int = 6) -> Exponents:
    """The exponents; where one is too large, the least of some tries: the machine may have been busy."""
    found = _exponents(growing, make, effort)
    while found.largest > TOLERATED and tries > 1:
        tries -= 1
        again = _exponents(growing, make, effort)
        found = min(found, again, key=lambda e: e.largest)
    return found


def _exponents(growing: Growing, make: Make, effort: Effort) -> Exponents:
    smallest = SMALLEST if growing.dimensions == 1 else SMALLEST // 4
    factor = max(1, smallest // max(1, growing.size(1)))
    before = _cost(make, factor)
    while before is not None:
        larger = factor * STEP
        after = _cost(make, larger)
        if after is None:
            break
        if after.seconds >= effort.seconds or after.bytes >= BYTES:
            grown = max(growing.size(larger) / growing.size(factor), growing.data(larger) / growing.data(factor))
            return Exponents(
                math.log(after.seconds / before.seconds, grown) if after.seconds >= effort.seconds else None,
                math.log(after.bytes / before.bytes, grown) if after.bytes >= BYTES else None,
            )
        if growing.size(larger) >= effort.largest or growing.data(larger) >= DATA:
            break
        factor, before = larger, after
    return Exponents(None, None)


def _cost(make: Make, factor: int) -> Cost | None:
    """The cost of a call; None where such a size is refused."""
    call = make(factor)
    tracemalloc.start()  # the first run: what is compiled then, and what stays in a cache, is not what takes time
    try:
        call()
        peak = tracemalloc.get_traced_memory()[1]
    except tf.errors.OpError:
        return None
    finally:
        tracemalloc.stop()
    best = math.inf
    collecting = gc.isenabled()
    gc.disable()  # how long that takes depends on all that is alive
    try:
        for _ in range(5):
            start = time.process_time()
            call()
            best = min(best, time.process_time() - start)
            if best > 0.05:
                break
    finally:
        if collecting:
            gc.enable()
    return Cost(best, peak)
