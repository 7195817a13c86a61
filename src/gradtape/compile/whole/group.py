"""Whole-program groups: instructions on small arrays that become one native function."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from typing import Any

from ...native import abi, thresholds
from ...op.declaration import Op
from ...values.tensor import EagerTensor
from ...variables.variable import AwaitingVariable
from ..group import Group, Item
from ..program import Branch, Loop, Node, Program, Read, Value
from .entry import Returned
from .native_function import NativeCode
from .recording import Recording

LONGEST = 500  # instructions of one native function: LLVM takes more than twice as long for twice as many

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
        """The group's steps as text of LLVM."""
        given = [self.recording.given[number].buffer for number in self.used]
        results = [self.recording.values[number] for number in self.outputs]
        return NativeCode(self.recording.steps.current, given, results)

    def _as_program(self, program: Program) -> Program:
        """The group's instructions alone, from the values that it uses to its outputs."""
        return Program(list(self.used), list(self.nodes), [Value(number) for number in self.outputs], program.looks)


def can_be_whole(program: Program) -> bool:
    """Whether a program is made of ops on small arrays, and there is machine code."""
    return abi.calls_inner_loops() and abi.makes_functions() and all(_is_small(program, node) for node in program.nodes)


def _is_small(program: Program, node: Node) -> bool:
    if isinstance(node.what, (Loop, Branch)):
        return all(_is_small(inner, each) for inner in node.what.programs for each in inner.nodes)
    numbers = (*node.outputs, *node.used) if isinstance(node.what, Op) else ()
    return all(math.prod(program.looks[number][0]) < thresholds.ONE_PASS_ELEMENTS for number in numbers)


def whole_groups(program: Program, python_of: Callable[[Program], Any]) -> list[Item]:
    """The instructions in order, with those that become native functions as groups.

    A group is open as long as no instruction outside of it needs a value of it. What does not need one goes before it.
    """
    items: list[Item] = []
    group: WholeGroup | None = None
    made: set[int] = set()
    for node in program.nodes:
        if group is not None and len(group.nodes) >= LONGEST:
            items.append(group)
            group, made = None, set()
        open_group = group or WholeGroup(Recording(program), python_of)
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


def whole_function(program: Program, returned: Any) -> NativeCode | None:
    """A program as one native function of tensors, or arrays, which returns this structure of them; None where there is none.

    Such a program has instructions that can be recorded, and reads of variables. It returns a tensor, or a list or tuple of them.
    """
    parts = list(returned) if returned.__class__ in (list, tuple) else [returned]
    if not can_be_whole(program) or not parts or any(part.__class__ is not Value for part in parts):
        return None
    recording, variables = Recording(program), {}
    for number in program.inputs:
        recording.take(number)
    for node in program.nodes:
        if isinstance(node.what, Read) and not isinstance(node.what.variable, AwaitingVariable):
            variables[node.outputs[0]] = node.what.variable
        elif len(program.nodes) > LONGEST or not recording.add(node):
            return None
    numbers = list(dict.fromkeys(part.number for part in parts))
    given = [recording.take(number).buffer for number in (*program.inputs, *variables)]
    kind = returned.__class__ if returned.__class__ in (list, tuple) else EagerTensor
    packed = Returned(kind, tuple(numbers.index(part.number) for part in parts))
    results = [recording.take(number) for number in numbers]
    try:
        code = NativeCode(recording.steps.current, given, results, list(variables.values()), packed)
        return code if code.address else None  # (compiled here, so that a failure is noticed)
    except Exception:
        LOGGER.debug("A program of %d instructions has no native form.", len(program.nodes), exc_info=True)
        return None
