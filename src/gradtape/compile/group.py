"""Instructions of a program that are run together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .program import Node, Program, Value


@dataclass(slots=True, eq=False)
class Group:
    """Instructions that are run together, in one call."""

    shape: tuple[int, ...]  # the common shape of all values computed here
    nodes: list[Node] = field(default_factory=list)
    sums: list[Node] = field(default_factory=list)  # sums over all elements, which end the group
    outputs: tuple[int, ...] = ()  # values that are used outside of the group
    makes_own_memory: bool = True  # whether no result is a view of something else

    @property
    def all(self) -> list[Node]:
        """The instructions in order."""
        return [*self.nodes, *self.sums]

    @property
    def made(self) -> set[int]:
        """All values that are computed here."""
        return {number for node in self.all for number in node.outputs}

    @property
    def used(self) -> Iterator[int]:
        """The values that come from outside."""
        inside = self.made
        return iter(dict.fromkeys(n for node in self.all for n in node.used if n not in inside))

    def kernel(self, program: Program, spare: set[int], own: dict[int, int]) -> Any:
        """A function of the arrays that are used, which returns the group's outputs.

        It may write into the arrays of `spare`. `own` has operands and results that may take their memory if the call says
        so, with `own=` and a truth value for each.
        """
        raise NotImplementedError


Item = Node | Group


def uses(item: Item, others: list[Node]) -> bool:
    """Whether an instruction uses a value that one of these makes."""
    made = {number for other in others for number in other.outputs}
    return any(number in made for number in item.used)


def with_outputs(program: Program, items: list[Item]) -> list[Item]:
    """The items; each group gets its outputs, and a group of one instruction becomes that instruction."""
    wanted = {output.number for output in program.outputs if output.__class__ is Value}
    kept: list[Item] = []
    for item in reversed(items):
        if isinstance(item, Group):
            item.outputs = tuple(number for number in sorted(item.made) if number in wanted)
            if len(item.all) == 1 and len(items) > 1:
                item = item.all[0]  # fusing a single instruction saves nothing
        wanted.update(item.used)
        kept.append(item)
    return kept[::-1]
