"""What a run has read and drawn, kept for those who run the same again: gradients, and gradients of gradients.

Outcomes have the structure of the run: values in order, and those of each loop and branch inside. A loop collects the values of
its rounds; each branch gives its own values, and something of the same type in place of those of the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Outcomes:
    """What one program has read and drawn: values in order, and what happened in its loops and branches."""

    values: list[Any] = field(default_factory=list)
    inside: list[LoopOutcomes | BranchOutcomes] = field(default_factory=list)

    @property
    def all(self) -> list[Any]:
        """All values that another run needs."""
        return [*self.values, *(value for part in self.inside for value in part.all)]

    def cut(self, place: tuple[int, int]) -> None:
        """Forget what came after so many values, and so many loops and branches."""
        del self.values[place[0] :], self.inside[place[1] :]

    @property
    def place(self) -> tuple[int, int]:
        """How many values, and how many loops and branches, there are."""
        return len(self.values), len(self.inside)

    def like(self, given: Iterator[Any]) -> Outcomes:
        """The same, of these values."""
        return Outcomes([next(given) for _ in self.values], [part.like(given) for part in self.inside])


@dataclass
class LoopOutcomes:
    """What the rounds of a loop have read and drawn, stacked; empty if that is nothing."""

    one: Outcomes  # of one round
    test: Outcomes  # of its condition; where that has drawn something, `rounds` stands for it
    stacks: list[Any]
    rounds: Any = None  # their number as a value, where it is needed and only running shows it

    @property
    def all(self) -> list[Any]:
        """All values."""
        return self.stacks if self.rounds is None else [self.rounds, *self.stacks]

    def like(self, given: Iterator[Any]) -> LoopOutcomes:
        """The same, of these values."""
        rounds = None if self.rounds is None else next(given)
        return LoopOutcomes(self.one, self.test, [next(given) for _ in self.stacks], rounds)


@dataclass
class BranchOutcomes:
    """What each of several branches reads and draws if it is the one that runs."""

    branches: list[Outcomes]

    @property
    def all(self) -> list[Any]:
        """All values."""
        return [value for branch in self.branches for value in branch.all]

    def like(self, given: Iterator[Any]) -> BranchOutcomes:
        """The same, of these values."""
        return BranchOutcomes([branch.like(given) for branch in self.branches])


class Replay:
    """Outcomes that are taken one after the other, in the order in which they arose."""

    def __init__(self, outcomes: Outcomes) -> None:
        self._outcomes = outcomes
        self.place = 0, 0  # how many values, and how many loops and branches, were taken

    def value(self) -> Any:
        """The next value; None after the last one."""
        values, inside = self.place
        self.place = values + 1, inside
        return self._outcomes.values[values] if values < len(self._outcomes.values) else None

    def part(self) -> Any:
        """What happened in the next loop or branch."""
        values, inside = self.place
        self.place = values, inside + 1
        return self._outcomes.inside[inside]
