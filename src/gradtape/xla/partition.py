"""A program in parts: what XLA runs, and between them what stays on the host.

Random numbers that depend on nothing are drawn before the first part, what is printed comes after the last one: most programs
are one part on XLA.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..compile.program import Assign, Branch, Call, Loop, Node, Program, Read, Update, Value
from .draws import is_draw
from .lowering import reason_against, stacks_of


@dataclass(frozen=True)
class Part:
    """Instructions that run together, as a program of their own."""

    program: Program
    reasons: tuple[str, ...]  # why it stays on the host; none where XLA runs it

    @property
    def on_host(self) -> bool:
        """Whether it stays on the host."""
        return bool(self.reasons)


def parts_of(program: Program, refused: dict[int, str] | None = None) -> list[Part]:
    """The parts in the order in which they run; `refused` has reasons against more instructions, by `id`.

    Parts with even numbers are the host's, those with odd numbers XLA's; an instruction is in the first part that comes after all
    it needs. A call of Python may read and change variables, so it keeps its place among their reads and assignments.
    """
    more = refused or {}
    reasons = [more.get(id(node)) or reason_against(node, program) for node in program.nodes]
    of_value = dict.fromkeys(program.inputs, 0)
    of_nodes: list[int] = []
    after_calls = after_variables = 0
    for node, reason in zip(program.nodes, reasons, strict=True):
        earliest = max((of_value[number] for number in node.used), default=0)
        calls = isinstance(node.what, Call) and not is_draw(node.what)
        if calls or _touches_variables(node):
            earliest = max(earliest, after_calls, after_variables if calls else 0)
        place = earliest + (earliest % 2 if reason is not None else 1 - earliest % 2)
        if calls:
            after_calls = place
        if _touches_variables(node):
            after_variables = max(after_variables, place)
        of_nodes.append(place)
        of_value.update(dict.fromkeys(node.outputs, place))
    for node, place in zip(program.nodes, of_nodes, strict=True):
        # What has no size cannot leave the part that makes it.
        stacks = set(stacks_of(node, program)).intersection(node.outputs)
        if stacks and place % 2 and _leave(program, stacks, of_nodes, place):
            reason = f"{node.what.name}: it collects values in a number of rounds that only running shows"
            return parts_of(program, {**more, id(node): reason})
        if place % 2 and any(of_value[number] != place for number in stacks_of(node, program)):
            return parts_of(program, {**more, id(node): f"{node.what.name}: sizes depend on values"})
    if set(of_nodes) == {1} and all(output.__class__ is Value for output in program.outputs):
        return [Part(program, ())]
    found = []
    for place in sorted(set(of_nodes)):
        chosen = [k for k, own in enumerate(of_nodes) if own == place]
        nodes = [program.nodes[k] for k in chosen]
        why = tuple(dict.fromkeys(reason for k in chosen if (reason := reasons[k]) is not None))
        later = [program.nodes[k] for k, own in enumerate(of_nodes) if own > place]
        found.append(Part(_alone(program, nodes, later), why))
    return found


def _leave(program: Program, numbers: set[int], of_nodes: list[int], place: int) -> bool:
    """Whether values are used outside of a part, or are results."""
    users = (own for node, own in zip(program.nodes, of_nodes, strict=True) if numbers.intersection(node.used))
    return any(own != place for own in users) or any(
        output.__class__ is Value and output.number in numbers for output in program.outputs
    )


def _touches_variables(node: Node) -> bool:
    if isinstance(node.what, (Loop, Branch)):
        return any(_touches_variables(inner) for body in node.what.programs for inner in body.nodes)
    return isinstance(node.what, (Read, Assign, Update))


def _alone(program: Program, nodes: Sequence[Node], later: Sequence[Node]) -> Program:
    """Some instructions as a program: of what they take from elsewhere, to what others take from them."""
    made = {number for node in nodes for number in node.outputs}
    taken = dict.fromkeys(number for node in nodes for number in node.used if number not in made)
    wanted = {number for node in later for number in node.used}
    wanted |= {output.number for output in program.outputs if output.__class__ is Value}
    given = [Value(number) for number in sorted(made & wanted)]
    return replace(program, inputs=list(taken), nodes=list(nodes), outputs=given)
