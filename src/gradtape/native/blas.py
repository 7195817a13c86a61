"""OpenBLAS's threads beside ours, on the same cores.

After a matrix product OpenBLAS's threads look for more work for 2**26 cycles (25 ms) before they sleep. That takes the cores
from our threads: two of them finish a kernel no sooner than one. With 2**16 cycles they are as fast at the next product, and
the cores are free in between (measured in docs/design/native.md).
"""

from __future__ import annotations

import ctypes
import os
import sys

_SETTING = "OPENBLAS_THREAD_TIMEOUT"
_CYCLES = "16"  # as a power of two


def sleep_sooner() -> bool:
    """Ask each OpenBLAS of the process to read that setting and start its threads anew; whether there was one.

    A setting that the user made stands.
    """
    if _SETTING in os.environ or sys.platform != "linux":
        return False
    found = [library for library in map(ctypes.CDLL, _loaded()) if hasattr(library, "openblas_read_env")]
    os.environ[_SETTING] = _CYCLES
    try:
        for library in found:
            library.openblas_read_env()
            library.blas_thread_shutdown_()  # what it does before a fork; the next product starts them again
    finally:
        del os.environ[_SETTING]
    return bool(found)


def _loaded() -> list[str]:
    """The files of the OpenBLAS libraries of this process: NumPy and SciPy bring one each."""
    with open("/proc/self/maps", encoding="utf-8") as file:
        return sorted({line.split()[-1] for line in file if "openblas" in line})
