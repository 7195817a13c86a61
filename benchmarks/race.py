"""One row, run by all its contestants in turns: A, B, C, then B, C, A, and so on; the best round counts."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from benchmarks.agreement import disagreement
from benchmarks.step import Array, Unavailable

# Idle threads of the last one go on spinning for a while: those of NumPy's OpenBLAS for 0.1 s, in the next one's first step.
SETTLE_SECONDS = 0.4


class Outcome(Enum):
    MEASURED = "measured"
    UNAVAILABLE = "unavailable"
    FAILED = "failed"
    DISAGREES = "disagrees"


class Failed(Exception):
    """A contestant broke down; the text says how."""


class Runner(Protocol):
    """A contestant that is ready for a row."""

    def prepare(self) -> tuple[Sequence[Array], int]:
        """The results of a first step, and how many steps make a round."""

    def round(self) -> float:
        """Seconds a step, or whatever the row reads."""


@dataclass
class Entry:
    """How one contestant did in one row."""

    outcome: Outcome = Outcome.MEASURED
    detail: str = ""
    calls: int = 0
    rounds: list[float] = field(default_factory=list)

    @property
    def reason(self) -> str:
        """The first line of the detail, which may be a whole traceback of a compiler."""
        return self.detail.partition("\n")[0]

    @property
    def best(self) -> float | None:
        return min(self.rounds) if self.outcome is Outcome.MEASURED and self.rounds else None


def race(
    runners: Mapping[str, Runner],
    tolerance: float,
    rounds: int,
    settle: Callable[[], None] = lambda: time.sleep(SETTLE_SECONDS),
    passed: Callable[[str], None] = lambda name: None,
) -> dict[str, Entry]:
    """Prepare all, hold their results against the first one's, and time those that agree, in turns.

    `passed` is told the name of the contestant whenever one of its 1 + rounds turns is over.
    """
    entries = {name: Entry() for name in runners}
    reference: Sequence[Array] | None = None

    def attempt(name: str, turn: Callable[[str], None]) -> None:
        if entries[name].outcome is Outcome.MEASURED:
            try:
                turn(name)
            except Unavailable as error:
                entries[name] = Entry(Outcome.UNAVAILABLE, str(error))
            except Failed as error:
                entries[name] = Entry(Outcome.FAILED, str(error))
        passed(name)

    def prepare(name: str) -> None:
        nonlocal reference
        results, entries[name].calls = runners[name].prepare()
        reference = results if reference is None else reference
        if difference := disagreement(results, reference, tolerance):
            entries[name] = Entry(Outcome.DISAGREES, difference)

    def time_round(name: str) -> None:
        settle()
        entries[name].rounds.append(runners[name].round())

    names = list(runners)
    for name in names:
        attempt(name, prepare)
    for turn in range(rounds):
        first = turn % max(len(names), 1)
        for name in names[first:] + names[:first]:
            attempt(name, time_round)
    return entries
