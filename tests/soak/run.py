"""Rounds of mixed work, until the time is over."""

from __future__ import annotations

import gc
import resource
import shutil
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from .work import UPDATES, Shared, at_once, train_function, train_keras

GROWTH = 0.03  # of the memory, from the second quarter of the time to the last, that is still called flat


def memory() -> float:
    """The memory of this process in MB: its own (files that are mapped come and go), also what was written to the disk."""
    if sys.platform == "linux":
        lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
        return sum(int(lines[name].split()[0]) for name in ("RssAnon", "VmSwap")) / 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


@dataclass
class Soak:
    """What was seen: the rounds, and the memory after each."""

    seconds: float = 0.0
    updates: int = 0
    memory: list[float] = field(default_factory=list)

    @property
    def growth(self) -> float:
        """How much more memory there was in the last quarter than in the second."""
        quarter = max(1, len(self.memory) // 4)
        return statistics.median(self.memory[-quarter:]) / statistics.median(self.memory[quarter : 2 * quarter]) - 1


def soak(seconds: float) -> Soak:
    """Work so long; raises AssertionError when a result differs from that of a thread alone, or an update is lost."""
    seen, shared = Soak(), Shared()
    folder = Path(tempfile.mkdtemp())
    began = time.monotonic()
    try:
        wanted = [train_function(1, folder), train_function(2, folder), train_keras(3, folder)]
        while time.monotonic() - began < seconds or len(seen.memory) < 4:
            works = [(train_function, 1), (train_function, 2), (train_keras, 3)]
            others = [(shared.count, 4), (shared.count, 5), (shared.save, 6)]
            found = at_once([*works, *others], folder)[: len(works)]
            if found != wanted:
                different = [works[place][0].__name__ for place in range(len(works)) if found[place] != wanted[place]]
                raise AssertionError(f"Round {len(seen.memory) + 1}: another result than alone: {different}.")
            shared.check(counters=2)
            seen.updates += 2 * UPDATES * 3
            shutil.rmtree(folder)
            folder.mkdir()
            gc.collect()
            seen.memory.append(memory())
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    seen.seconds = time.monotonic() - began
    return seen
