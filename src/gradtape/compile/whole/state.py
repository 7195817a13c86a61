"""A program as a function of the values of its variables: they are given after the arguments, and new ones are results.

In loops that change variables the values go round; in branches they are results.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from ...trace.graph import map_parts
from ...variables.awaiting import AwaitingVariable
from ...variables.variable import Variable
from ..program import Assign, Branch, Call, Look, Loop, Node, Program, Read, Update, Value
from .draws import STATE, from_state, is_stateless, state_of_draw


class _Inseparable(Exception):
    """A program whose variables cannot be set apart."""


@dataclass(slots=True)
class State:
    """The variables of a program, and the program without them."""

    program: Program
    read: dict[int, Variable] = field(default_factory=dict)  # those whose values it takes, by the number of the input
    changed: dict[int, tuple[Variable, Any]] = field(default_factory=dict)  # by identity: those that get new values
    present: dict[int, Any] = field(default_factory=dict)  # by identity: what each variable has so far
    names: dict[int, Any] = field(default_factory=dict)  # what stands for a value that is read once more

    def renamed(self, structure: Any) -> Any:
        """What a call of the program returned, by the names that values have now."""
        if structure.__class__ is Value:
            return self.names.get(structure.number, structure)
        return map_parts(structure, self.renamed)

    def new(self, look: Look) -> int:
        """The number of a new value."""
        number = max(self.program.looks, default=-1) + 1
        self.program.looks[number] = look
        return number

    def value_of(self, variable: Variable, look: Look, number: int | None = None) -> Any:
        """What a variable has; at first, an input of the program."""
        if variable._id not in self.present:
            number = self.new(look) if number is None else number
            self.read[number] = variable
            self.program.inputs.append(number)
            self.present[variable._id] = Value(number)
        return self.present[variable._id]

    def change(self, variable: Variable, value: Any) -> None:
        self.present[variable._id] = value
        self.changed[variable._id] = variable, value


def separated(program: Program) -> State | None:
    """The program with its variables set apart; None where that is not possible.

    A variable is read once, at the beginning, and written once, at the end, so that a call is one step for everybody else. Python
    functions that are called could read and write it in between.
    """
    state = _begun(program)
    try:
        _separate(program, state)
    except _Inseparable:
        return None
    return state


def _begun(program: Program) -> State:
    return State(replace(program, inputs=list(program.inputs), nodes=[], looks=dict(program.looks)))


def _separate(program: Program, state: State) -> None:
    for node in program.nodes:
        what = node.what
        if isinstance(what, Loop) and not node.computes:
            _separate_loop(state, node, what)
        elif isinstance(what, Branch) and not node.computes:
            _separate_branch(state, node, what)
        elif isinstance(what, Call) and (generator := state_of_draw(what)) is not None:
            _separate_draw(state, node, generator)
        elif not isinstance(what, (Read, Assign, Update)):
            if isinstance(what, Call) and is_stateless(what):
                node = replace(node, what=replace(what, arguments=state.renamed(what.arguments)))
            elif not node.computes:
                raise _Inseparable
            state.program.nodes.append(replace(node, inputs=tuple(map(state.renamed, node.inputs))))
        elif isinstance(what.variable, AwaitingVariable):
            raise _Inseparable
        elif isinstance(what, Read):
            (number,) = node.outputs
            state.names[number] = state.value_of(what.variable, program.looks[number], number)
        else:
            operand = state.renamed(node.inputs[0])
            if isinstance(what, Update):
                inputs = state.value_of(what.variable, program.looks[node.outputs[0]]), operand
                state.program.nodes.append(Node(what.op, inputs, {}, node.outputs))
                operand = Value(node.outputs[0])
            state.change(what.variable, operand)


def _separate_draw(state: State, node: Node, variable: Variable) -> None:
    """A draw from a generator, whose state is this variable."""
    if isinstance(variable, AwaitingVariable):
        raise _Inseparable
    after = state.new(STATE)
    what = from_state(node.what, state.value_of(variable, STATE))  # type: ignore[arg-type]
    state.program.nodes.append(replace(node, what=what, outputs=(*node.outputs, after)))
    state.change(variable, Value(after))


@dataclass(slots=True)
class _Touched:
    """The variables that programs read or change, with the looks of their values."""

    variables: dict[int, tuple[Variable, Look]] = field(default_factory=dict)
    changed: set[int] = field(default_factory=set)

    @staticmethod
    def of(program: Program) -> _Touched:
        found = _Touched()
        for node in program.nodes:
            what = node.what
            if isinstance(what, (Loop, Branch)):
                found = _Touched.together([found, *map(_Touched.of, what.programs)])
            elif isinstance(what, (Read, Assign, Update)):
                look = program.look_of(node.inputs[0]) if isinstance(what, Assign) else program.looks[node.outputs[0]]
                found.variables.setdefault(what.variable._id, (what.variable, look))
                found.changed |= set() if isinstance(what, Read) else {what.variable._id}
            elif isinstance(what, Call) and (generator := state_of_draw(what)) is not None:
                found.variables.setdefault(generator._id, (generator, STATE))
                found.changed.add(generator._id)
        return found

    @staticmethod
    def together(parts: Iterable[_Touched]) -> _Touched:
        found = _Touched()
        for part in parts:
            found.variables = {**part.variables, **found.variables}
            found.changed |= part.changed
        return found

    def split(self) -> tuple[list[tuple[Variable, Look]], list[tuple[Variable, Look]]]:
        """Those that are changed, and those that are only read."""
        kinds: tuple[list[Any], list[Any]] = [], []
        for identity, found in self.variables.items():
            kinds[identity not in self.changed].append(found)
        return kinds


def _inner(program: Program, variables: list[tuple[Variable, Look]]) -> tuple[State, list[int]]:
    """A program inside, with an input for each of these variables; the program's own inputs stay the first ones."""
    state = _begun(program)
    numbers = []
    for variable, look in variables:
        numbers.append(state.new(look))
        state.present[variable._id] = Value(numbers[-1])
    _separate(program, state)
    return state, numbers


def _separate_loop(state: State, node: Node, loop: Loop) -> None:
    changed, kept = _Touched.together(map(_Touched.of, loop.programs)).split()
    carried, count = loop.carried, len(changed)
    body, numbers = _inner(loop.body, [*changed, *kept])
    inputs, outputs = loop.body.inputs, [body.renamed(output) for output in loop.body.outputs]
    middle = carried + loop.sequences
    body.program.inputs = [
        *inputs[:carried],
        *numbers[:count],
        *inputs[carried:middle],
        *inputs[middle:],
        *numbers[count:],
    ]
    new = [body.present[variable._id] for variable, _ in changed]
    body.program.outputs = [*outputs[:carried], *new, *outputs[carried:]]
    condition = None
    if loop.condition is not None:
        asked, numbers = _inner(loop.condition, [*changed, *kept])
        if asked.changed:
            raise _Inseparable
        given = loop.condition.inputs
        asked.program.inputs = [*given[:carried], *numbers[:count], *given[carried:], *numbers[count:]]
        asked.program.outputs = [asked.renamed(output) for output in loop.condition.outputs]
        condition = asked.program
    operands = [state.renamed(operand) for operand in node.inputs]
    first = carried + (loop.condition is None)
    starts, constants = ([state.value_of(*found) for found in part] for part in (changed, kept))
    ends = [state.new(look) for _, look in changed]
    what = replace(loop, body=body.program, condition=condition, carried=carried + count)
    given_to = (*operands[:first], *starts, *operands[first:], *constants)
    gives = (*node.outputs[: carried + 1], *ends, *node.outputs[carried + 1 :])
    state.program.nodes.append(Node(what, given_to, node.attributes, gives))
    for (variable, _), number in zip(changed, ends, strict=True):
        state.change(variable, Value(number))


def _separate_branch(state: State, node: Node, branch: Branch) -> None:
    changed, kept = _Touched.together(map(_Touched.of, branch.programs)).split()
    programs = []
    for program in branch.programs:
        inner, numbers = _inner(program, [*changed, *kept])
        inner.program.inputs = [*program.inputs, *numbers]
        new = [inner.present[variable._id] for variable, _ in changed]
        inner.program.outputs = [*(inner.renamed(output) for output in program.outputs), *new]
        programs.append(inner.program)
    operands = [state.renamed(operand) for operand in node.inputs]
    values = [state.value_of(*found) for found in (*changed, *kept)]
    ends = [state.new(look) for _, look in changed]
    gives = (*node.outputs, *ends)
    state.program.nodes.append(Node(Branch(tuple(programs)), (*operands, *values), node.attributes, gives))
    for (variable, _), number in zip(changed, ends, strict=True):
        state.change(variable, Value(number))
