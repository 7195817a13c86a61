"""Work on large arrays on all cores: NumPy releases the interpreter's lock while it computes."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from contextvars import copy_context
from typing import TYPE_CHECKING, Any

from .memory import CACHE_LINE

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

_LINE = CACHE_LINE  # elements, of whatever type: parts begin at cache lines


@functools.cache
def cores() -> int:
    """How many cores this process may use: those it is bound to, and no more than OMP_NUM_THREADS in the environment."""
    bound = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    wanted = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    return max(1, min(bound, int(wanted))) if wanted.isdigit() else bound


@functools.cache
def _pool(process: int) -> ThreadPoolExecutor:
    from concurrent.futures import ThreadPoolExecutor  # (imported late: most programs on small arrays have no pool)

    return ThreadPoolExecutor(cores(), thread_name_prefix="gradtape")


def in_parts(work: Callable[[int, int], Any], size: int, smallest: int, line: int = _LINE) -> list[Any]:
    """`work(start, stop)` for parts of `range(size)`, one on each core, none shorter than `smallest`; all results.

    Borders are multiples of `line`: 64 for elements, 1 for rows. Each part runs in the caller's context, `np.errstate` included.
    """
    workers = max(1, min(cores(), size // smallest))
    bounds = [min(-(-(size * k // workers) // line) * line, size) for k in range(workers + 1)]
    if workers == 1:
        return [work(0, size)]
    # (A forked child does not inherit threads, so each process has its own pool.)
    pool = _pool(os.getpid())
    rest = [pool.submit(copy_context().run, work, bounds[k], bounds[k + 1]) for k in range(1, workers)]
    return [work(bounds[0], bounds[1]), *(future.result() for future in rest)]
