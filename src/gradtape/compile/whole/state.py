"""A program as a function of the values of its variables: they are given after the arguments, and new ones are results."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ...trace.graph import map_parts
from ...variables.variable import AwaitingVariable, Variable
from ..program import Assign, Node, Program, Read, Update, Value


@dataclass(slots=True)
class State:
    """The variables of a program, and the program without them."""

    program: Program
    read: dict[int, Variable]  # those whose values it takes, by the number of the input that they are
    changed: dict[int, tuple[Variable, Any]]  # by identity: those that get new values, and what each one is
    _names: dict[int, Any]  # what stands for a value that is read once more

    def renamed(self, structure: Any) -> Any:
        """What a call of the program returned, by the names that values have now."""
        if structure.__class__ is Value:
            return self._names.get(structure.number, structure)
        return map_parts(structure, self.renamed)


def separated(program: Program) -> State | None:
    """The program with its variables set apart; None where that is not possible.

    A variable is read once, at the beginning, and written once, at the end, so that a call is one step for everybody else. Python
    functions that are called could read and write it in between, and loops or branches that change one are left to Python.
    """
    state = State(replace(program, inputs=list(program.inputs), nodes=[], looks=dict(program.looks)), {}, {}, {})
    present: dict[int, Any] = {}  # by identity: what each variable has so far

    def value_of(variable: Variable, number: int) -> Any:
        if variable._id not in present:
            state.read[number] = variable
            state.program.inputs.append(number)
            present[variable._id] = Value(number)
        return present[variable._id]

    for node in program.nodes:
        what = node.what
        if not isinstance(what, (Read, Assign, Update)):
            if not node.computes:
                return None
            state.program.nodes.append(replace(node, inputs=tuple(map(state.renamed, node.inputs))))
            continue
        if isinstance(what.variable, AwaitingVariable):
            return None
        if isinstance(what, Read):
            state._names[node.outputs[0]] = value_of(what.variable, node.outputs[0])
            continue
        operand = state.renamed(node.inputs[0])
        if isinstance(what, Update):
            number = max(state.program.looks) + 1
            state.program.looks[number] = program.looks[node.outputs[0]]
            inputs = value_of(what.variable, number), operand
            state.program.nodes.append(Node(what.op, inputs, {}, node.outputs))
            operand = Value(node.outputs[0])
        present[what.variable._id] = operand
        state.changed[what.variable._id] = what.variable, operand
    return state
