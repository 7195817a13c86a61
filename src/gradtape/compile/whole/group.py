"""Whole-program groups: instructions on small arrays that become one native function."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...native import abi, thresholds
from ...op.declaration import Op
from ...ops.array.gather import take, take_nd
from ...ops.array.index import getitem
from ...ops.array.row import add_row, get_row, set_row
from ...ops.array.scatter import tensor_scatter_nd_add, tensor_scatter_nd_update
from ...trace.graph import leaves, map_parts
from ...variables.variable import Variable
from ..group import Group, Item
from ..program import Branch, Loop, Node, Program, Value, size_of
from .callbacks import are_mostly_calls
from .entry import is_returnable
from .native_function import NativeCode, Parts
from .recording import Recording
from .stand_in import StandIn, Steps
from .state import State, separated

_LONGEST_WHOLE = 200_000  # instructions of a program that becomes one native function: more are not even written down

# Ops that read some places of their first operand: the time they take depends on what they give.
_READS_A_PART = frozenset([get_row, take, take_nd, getitem])
# Ops whose result is their first operand with other rows. In a loop they change it in place (`in_place.py`).
_CHANGES_ROWS = frozenset([set_row, add_row, tensor_scatter_nd_update, tensor_scatter_nd_add])

LOGGER = logging.getLogger("gradtape")


class WholeGroup(Group):
    """Instructions that become one native function, with the steps that they are."""

    def __init__(self, recording: Recording, python_of: Callable[[Program], Any]) -> None:
        super().__init__((), makes_own_memory=False)  # (as Python lines it may give what it was given)
        self.recording = recording
        self._python_of = python_of

    def kernel(self, program: Program, spare: set[int], own: dict[int, int]) -> Any:
        """The group as a native function of arrays. What it does not take goes to the same instructions as Python."""
        otherwise = self._python_of(self._as_program(program))
        try:
            return self.code().function(otherwise)
        except Exception:  # the same is computed either way
            LOGGER.debug("A group of %d instructions has no native form.", len(self.nodes), exc_info=True)
            return otherwise

    def code(self) -> NativeCode:
        """The group as machine code."""
        return NativeCode(self.parts())

    def parts(self) -> Parts:
        """What its native function is written from."""
        given = [self.recording.given[number].buffer for number in self.used]
        results = [self.recording.values[number] for number in self.outputs]
        return Parts(self.recording.steps.current, given, results, own=self.recording.steps.own)

    def _as_program(self, program: Program) -> Program:
        """The group's instructions alone, from the values that it uses to its outputs."""
        return Program(list(self.used), list(self.nodes), [Value(number) for number in self.outputs], program.looks)


def can_be_whole(program: Program) -> bool:
    """Whether a program is made of ops on small arrays, and there is machine code."""
    return abi.calls_inner_loops() and abi.makes_functions() and all(_is_small(program, node) for node in program.nodes)


def _is_small(program: Program, node: Node) -> bool:
    if isinstance(node.what, (Loop, Branch)):
        return all(_is_small(inner, each) for inner in node.what.programs for each in inner.nodes)
    return all((size_of(program.looks[number]) or 0) < thresholds.WHOLE_ELEMENTS for number in _touched(node))


def _touched(node: Node) -> tuple[int, ...]:
    """The values that an instruction goes through as a whole, and not in some rows alone."""
    if not isinstance(node.what, Op):
        return ()
    if node.what in _CHANGES_ROWS:
        return tuple(operand.number for operand in node.inputs[1:] if operand.__class__ is Value)
    if node.what in _READS_A_PART and node.inputs[0].__class__ is Value:
        return (*node.outputs, *(operand.number for operand in node.inputs[1:] if operand.__class__ is Value))
    return (*node.outputs, *node.used)


def whole_groups(program: Program, python_of: Callable[[Program], Any]) -> list[Item]:
    """The instructions in order, with those that become native functions as groups.

    A group is open as long as no instruction outside of it needs a value of it. What does not need one goes before it.
    """
    items: list[Item] = []
    group: WholeGroup | None = None
    made: set[int] = set()
    for node in program.nodes:
        if group is not None and len(group.nodes) >= thresholds.NATIVE_GROUP_INSTRUCTIONS:
            items.append(group)
            group, made = None, set()
        open_group = group or WholeGroup(Recording(program, Steps(program.own_arithmetic)), python_of)
        if open_group.recording.add(node):
            group = open_group
            group.nodes.append(node)
            made.update(node.outputs)
            continue
        if group is not None and made.intersection(node.used):
            items.append(group)
            group, made = None, set()
        items.append(node)
    return items if group is None else [*items, group]


@dataclass(slots=True)
class WholeProgram:
    """A program as the steps of one native function."""

    inputs: list[int]  # the numbers of its arguments
    state: State
    recording: Recording
    numbers: list[int]  # of its results
    returned: Any  # what is returned, with results by their places
    changed: list[tuple[Variable, StandIn]]

    @property
    def wanted(self) -> list[StandIn]:
        """Results, and new values of variables."""
        return [*map(self.recording.take, self.numbers), *(value for _, value in self.changed)]

    def code(self) -> NativeCode:
        """The program as machine code."""
        return NativeCode(self.parts())

    def parts(self) -> Parts:
        """What its native function is written from."""
        take = self.recording.take
        return Parts(
            self.recording.steps.current,
            [take(number).buffer for number in self.inputs],
            [take(number) for number in self.numbers],
            self.returned,
            [(variable, take(number).buffer) for number, variable in self.state.read.items()],
            self.changed,
            self.state.program.own_arithmetic,
        )


def whole_program(program: Program, returned: Any) -> WholeProgram | None:
    """A program as one native function that returns this structure; None where there is none.

    All instructions of such a program can be recorded, but for those that read and change variables.
    """
    state = separated(program)
    if state is None or not can_be_whole(program) or not is_returnable(returned := state.renamed(returned)):
        return None
    recording = Recording(state.program, Steps(program.own_arithmetic, calls=True))
    for number in state.program.inputs:
        recording.take(number)
    if len(program.nodes) > _LONGEST_WHOLE or not all(map(recording.add, state.program.nodes)):
        return None
    if are_mostly_calls(recording.steps.current, len(program.nodes)):
        return None
    if not all(recording.lies_in_order(operand) for _, operand in state.changed.values()):
        return None  # (eager code gives a variable the array as it lies, and later sums depend on that)
    changed = [(variable, recording.own_value(operand)) for variable, operand in state.changed.values()]
    numbers = list(dict.fromkeys(leaf.number for leaf in leaves(returned) if leaf.__class__ is Value))
    if not all(isinstance(recording.take(number), StandIn) for number in numbers):
        return None
    return WholeProgram(program.inputs, state, recording, numbers, _by_place(returned, numbers), changed)


def whole_function(program: Program, returned: Any) -> NativeCode | None:
    """A program as one native function of tensors, or arrays, which returns this structure of them; None where there is none."""
    whole = whole_program(program, returned)
    if whole is None:
        return None
    try:
        code = whole.code()
        return code if code.address else None  # (compiled here, so that a failure is noticed)
    except Exception:
        LOGGER.debug("A program of %d instructions has no native form.", len(program.nodes), exc_info=True)
        return None


def _by_place(returned: Any, numbers: list[int]) -> Any:
    """What is returned, with results by their places."""
    if returned.__class__ is Value:
        return Value(numbers.index(returned.number))
    return map_parts(returned, lambda part: _by_place(part, numbers))
