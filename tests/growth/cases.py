"""Everything whose growth is measured, and what may come out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from tests.ops.registry import all_ops

from .declared import DECLARED, Declared
from .measure import TOLERATED, Effort, Exponents, exponents
from .programs import programs
from .samples import growths

_MATRICES = "square matrices"
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
        """By its own name, or as one of a family."""
        return DECLARED.get(self.subject) or (DECLARED[_MATRICES] if self.growing.dimensions == 2 else LINEAR)

    def exponents(self, effort: Effort) -> Exponents:
        return exponents(self.growing, self.make, effort)

    def excess(self, found: Exponents) -> str | None:
        """How this grows faster than it may; None if it does not."""
        allowed = self.declared
        if (found.time or 0) > allowed.time or (found.memory or 0) > allowed.memory:
            return f"{self.subject}, {self.what} along {self.along}: {found}"
        return None


def of_ops() -> Iterator[Case]:
    """All ways in which ops and their gradients grow."""
    for op in all_ops():
        for growth in growths(op):
            yield Case(op.name, "forward", growth.label, growth, growth.forward)
            if growth.differentiable:
                yield Case(op.name, "gradient", growth.label, growth, growth.gradient)


def one_of_each_op() -> Iterator[Case]:
    """One way for each op that can grow, with its gradient if it has one."""
    for op in all_ops():
        for growth in growths(op):
            what, make = ("gradient", growth.gradient) if growth.differentiable else ("forward", growth.forward)
            yield Case(op.name, what, growth.label, growth, make)
            break


def of_programs() -> Iterator[Case]:
    for program in programs():
        yield Case(program.name, "program", "n", program, program.make)
