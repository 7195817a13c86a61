"""Everything whose growth is measured, and what may come out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from tests.ops import checks

from .declared import DECLARED, Declared
from .measure import TOLERATED, Effort, Exponents, exponents
from .programs import programs
from .samples import growths

LINEAR = Declared(TOLERATED, TOLERATED, "")


class Case(NamedTuple):
    """One thing that grows in one way: the value of an op, its value and gradient, or a program."""

    subject: str
    what: str  # "forward", "gradient" or "program"
    along: str
    growing: Any
    make: Any

    @property
    def declared(self) -> Declared:
        return DECLARED.get(self.subject, LINEAR)

    def exponents(self, effort: Effort) -> Exponents:
        return exponents(self.growing, self.make, effort)

    def excess(self, found: Exponents) -> str | None:
        """How this grows faster than it may; None if it does not."""
        allowed = self.declared
        if (found.time or 0) > allowed.time or (found.memory or 0) > allowed.memory:
            return f"{self.subject}, {self.what} along {self.along}: {found}"
        return None


def of_ops() -> Iterator[list[Case]]:
    """For each op all that grows."""
    for op in checks.all_ops():
        found = []
        for growth in growths(op):
            found.append(Case(op.name, "forward", growth.label, growth, growth.forward))
            if growth.differentiable:
                found.append(Case(op.name, "gradient", growth.label, growth, growth.gradient))
        yield found


def of_programs() -> Iterator[Case]:
    for program in programs():
        yield Case(program.name, "program", "n", program, program.make)
