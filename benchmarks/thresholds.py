"""Measures the thresholds of `gradtape.native.thresholds` again: `python -m benchmarks.thresholds [NAME ...]`.

A threshold is where two ways to compute the same cross: both are timed on sizes around it, in turns, and the best of some rounds
counts. A block or a number of parts has no second way: several values of it are timed. What is measured for each name is in
`crossings.py`.
"""

from __future__ import annotations

import argparse
import fnmatch
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from gradtape.native import engine, thresholds

NEVER = 1 << 62
_ROUNDS = 15
Run = Callable[[], Any]


class Unavailable(Exception):
    """What is to be measured is not there on this machine."""


class Way:
    """A call, and the settings under which it runs: thresholds, or `available=False` for NumPy's forms."""

    def __init__(self, run: Run, **settings: Any) -> None:
        self.run = run
        self.settings = settings


@dataclass(frozen=True)
class Crossing:
    """Two ways: `ways(size)` gives what runs below the threshold and what runs from it on, for an operand of that size."""

    ways: Callable[[int], tuple[Way, Way]]
    sizes: Sequence[int]
    at_most: bool = False  # the second way is taken up to the threshold, not from it on

    def measure(self, name: str, seconds: float) -> Iterator[str]:
        unit = name.rpartition("_")[2].lower()
        yield f"{unit:>16}  {'other way, us':>14}  {'this way, us':>14}   ratio"
        faster: list[bool] = []
        for size in self.sizes:
            plain, fast = best(self.ways(size), seconds)
            faster.append(fast < plain)
            yield f"{size:16,}  {plain * 1e6:14.2f}  {fast * 1e6:14.2f}  {fast / plain:6.2f}"
        yield "    " + self._verdict(faster)

    def _verdict(self, faster: list[bool]) -> str:
        pays = faster[::-1] if self.at_most else faster
        sizes = self.sizes[::-1] if self.at_most else self.sizes
        if not pays[-1]:
            return "it does not pay at any of these sizes"
        losing = [place for place, won in enumerate(pays) if not won]
        if not losing:
            return "it pays at each of these sizes"
        return "they cross between {:,} and {:,}".format(*sorted(sizes[losing[-1] : losing[-1] + 2]))


@dataclass(frozen=True)
class Values:
    """One way: `way(value)` gives what runs with this value of the constant."""

    way: Callable[[int], Way]
    values: Sequence[int]

    def measure(self, name: str, seconds: float) -> Iterator[str]:
        yield f"{'value':>16}  {'us':>14}"
        times = best([self.way(value) for value in self.values], seconds)
        for value, taken in zip(self.values, times, strict=True):
            yield f"{value:16,}  {taken * 1e6:14.2f}"
        yield f"    the fastest is {self.values[times.index(min(times))]:,}"


def best(ways: Sequence[Way], seconds: float) -> list[float]:
    """How long a call of each takes: the best of some rounds, which take turns."""
    calls, found = [], [float("inf")] * len(ways)
    for way in ways:
        with setting(**way.settings):
            way.run()  # compiles
            calls.append(seconds / _ROUNDS / max(_timed(way.run, 1), 1e-7))
    for _ in range(_ROUNDS if min(calls) * _ROUNDS > 1 else 2):  # (few of what takes long)
        for place, way in enumerate(ways):
            with setting(**way.settings):
                found[place] = min(found[place], _timed(way.run, max(1, int(calls[place]))))
    return found


def _timed(run: Run, calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        run()
    return (time.perf_counter() - start) / calls


@contextmanager
def setting(**values: Any) -> Iterator[None]:
    """Other values of thresholds, or `available=False`, inside of a `with` block."""
    owners = {name: engine if name == "available" else thresholds for name in values}
    before = {name: getattr(owner, name) for name, owner in owners.items()}
    try:
        for name, value in values.items():
            setattr(owners[name], name, (lambda: False) if name == "available" else value)
        yield
    finally:
        for name, value in before.items():
            setattr(owners[name], name, value)


def switched(name: str, run: Run, **settings: Any) -> tuple[Way, Way]:
    """A call with a threshold that is never reached, and with one that always is."""
    return Way(run, **{name: NEVER}, **settings), Way(run, **{name: 1}, **settings)


def names() -> list[str]:
    """All thresholds."""
    return [name for name, value in vars(thresholds).items() if name.isupper() and not name.startswith("_")]


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; its exit status."""
    from benchmarks.crossings import MEASUREMENTS

    parser = argparse.ArgumentParser(prog="python -m benchmarks.thresholds", description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", default=["*"], help="thresholds; * and ? match")
    parser.add_argument("--seconds", type=float, default=0.03, help="for each size and way")
    given = parser.parse_args(arguments)
    if unknown := [pattern for pattern in given.names if not fnmatch.filter(names(), pattern)]:
        parser.error(f"no threshold {', '.join(unknown)}; there are {', '.join(names())}")
    for name in names():
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in given.names):
            print(f"{name} = {getattr(thresholds, name):,}", flush=True)
            try:
                for line in MEASUREMENTS[name].measure(name, given.seconds):
                    print(line, flush=True)
            except Unavailable as error:
                print(f"    not here: {error}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
