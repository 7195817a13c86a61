"""The machine: two threads for everybody, what it is, and whether it is quiet enough to measure on."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

THREADS = 2
BUSY_CORES = 0.25  # more than this much of a core taken by others, and threads wait for each other

ENVIRONMENT: Mapping[str, str] = {
    **dict.fromkeys(
        (
            "OMP_NUM_THREADS",
            "OPENBLAS_NUM_THREADS",
            "MKL_NUM_THREADS",
            "VECLIB_MAXIMUM_THREADS",
            "TF_NUM_INTRAOP_THREADS",
            "TF_NUM_INTEROP_THREADS",
            "NPROC",  # the size of XLA's thread pool
            "PJRT_NPROC",
        ),
        str(THREADS),
    ),
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=true",
    "JAX_PLATFORMS": "cpu",
    "CUDA_VISIBLE_DEVICES": "-1",
    "TF_CPP_MIN_LOG_LEVEL": "3",
}
# What would keep OpenBLAS, and so NumPy, from the kernels that are the best for the processor.
_PINNED = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")


def environment() -> dict[str, str]:
    """The environment of the process of a library: two threads, and nothing that holds one of them back."""
    kept = {name: value for name, value in os.environ.items() if name not in _PINNED}
    return {**kept, **ENVIRONMENT}


def keep_to_two_cores() -> None:
    """Whatever pool a library opens, it gets the same two cores as the others, if the system can do that."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:THREADS])


def description() -> dict[str, object]:
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "threads": THREADS,
        "system": platform.platform(terse=True),
        "python": platform.python_version(),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")


class Meter:
    """How many cores others keep busy, from its making on; `ours` names the processes that are no others.

    Read from the processors' own counters: the load average still counts what ended a minute ago. Time that a
    hypervisor gave to other guests counts as taken.
    """

    def __init__(self, ours: Callable[[], Iterable[int]] = tuple) -> None:
        self.ours = ours
        self.start = self._now()

    def cores_taken(self) -> float | None:
        """None where the system does not tell."""
        (wall, busy), (wall_before, busy_before) = self._now(), self.start
        if busy is None or busy_before is None:
            return os.getloadavg()[0] if hasattr(os, "getloadavg") else None
        return max(0.0, busy - busy_before) / (wall - wall_before)

    def _now(self) -> tuple[float, float | None]:
        """The time, and the processor seconds of others so far."""
        busy = _busy_seconds()
        if busy is not None:
            own = os.times()
            busy -= sum(own[:4]) + sum(map(_seconds_of, self.ours()))
        return time.monotonic(), busy


def cores_taken(seconds: float = 0.5) -> float | None:
    """How many cores others keep busy at the moment."""
    meter = Meter()
    time.sleep(seconds)
    return meter.cores_taken()


def _busy_seconds() -> float | None:
    """Of all processors, since the start of the system."""
    try:
        user, nice, system, _idle, _waiting, *rest = _fields("/proc/stat", skip=1)[:8]
    except OSError:
        return None
    return (user + nice + system + sum(rest)) / os.sysconf("SC_CLK_TCK")


def _seconds_of(process: int) -> float:
    """Processor seconds of a process and of its children that have ended."""
    try:
        return sum(_fields(f"/proc/{process}/stat", skip=13)[:4]) / os.sysconf("SC_CLK_TCK")
    except OSError:
        return 0.0  # it has ended, and counts among this process's children


def _fields(path: str, skip: int) -> list[int]:
    """The numbers of a file's first line, after so many fields."""
    with open(path) as file:
        return [int(field) for field in file.readline().split()[skip:]]


def is_busy(taken: float | None) -> bool:
    return taken is not None and taken > BUSY_CORES


def refusal(taken: float | None) -> str | None:
    """Why not to measure now, or None."""
    if not is_busy(taken):
        return None
    return (
        f"The machine is busy: others take {taken:.2f} cores, and more than {BUSY_CORES} make two-threaded "
        "libraries wait for each other. Measure when it is quiet, or pass --force to measure all the same."
    )
