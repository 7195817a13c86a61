"""Timing a step: how many calls make a round long enough to trust, and what one call of it takes."""

from __future__ import annotations

import math
import os
import time
import timeit
from collections.abc import Callable

from benchmarks.step import Step

CLOCK = "GRADTAPE_BENCHMARK_CLOCK"  # in the environment of a worker: which clock it measures with
PROCESSOR = "processor"


def clock() -> Callable[[], float]:
    """The clock on the wall, or the processor time of all threads of this process."""
    return time.process_time if os.environ.get(CLOCK) == PROCESSOR else time.perf_counter


def timer_of(step: Step) -> Callable[[int], float]:
    """A function from a number of calls to the seconds they take.

    `timeit` writes the loop with the call inside, so the harness adds no frame of its own to an op that takes
    a microsecond. Its setup switches the garbage collector back on: users run with it, and tapes feed it.
    """
    names = [f"argument{i}" for i in range(len(step.arguments))]
    scope = dict(zip(names, step.arguments, strict=True), function=step.function)
    timer = timeit.Timer(f"function({', '.join(names)})", "import gc; gc.enable()", timer=clock(), globals=scope)
    return timer.timeit


def first_call_less_second(build: Callable[[], Step]) -> float:
    """The seconds that a new step takes before it computes: tracing, and compiling."""
    now, step = clock(), build()
    start = now()
    step()
    first = now()
    step()
    return (first - start) - (now() - first)


def autorange(seconds_for: Callable[[int], float], at_least: float) -> int:
    """How many calls take at least so many seconds (`timeit.Timer.autorange` knows no length but 0.2 s).

    It grows at most tenfold at a time, because first calls are slow: they trace, compile and fill caches.

    >>> autorange(lambda calls: calls * 0.25, at_least=1.0)
    5
    """
    calls = 1
    while (elapsed := seconds_for(calls)) < at_least:
        wanted = math.ceil(1.2 * calls * at_least / elapsed) if elapsed > 0 else 10 * calls
        calls = max(calls + 1, min(10 * calls, wanted))
    return calls
