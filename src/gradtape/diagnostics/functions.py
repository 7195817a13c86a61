"""Where the way from an argument to the results of a traced function ends: the function is recorded again on abstract values."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, NamedTuple

from ..base.context import STATE, next_id, nobody_outside
from ..base.dtypes import DType
from ..base.notes import CUTS, EXITS, STEPS_OF_WORLDS, Cut
from ..compile.lowering import Lowering
from ..compile.program import Branch, Loop, Program, Value
from ..compile.recorded import LostInFunction, Recorded
from ..differentiation.tape import GradientTape
from ..op.call import STEPWISE
from ..op.declaration import Op
from ..op.record import is_further_output, op_of, pull_of, saved_by
from ..trace.abstract_tensor import AbstractTensor
from ..trace.graph import Environment, Graph, Ref, bind, call_step, fill, leaves
from ..values.tensor import EagerTensor
from .chain import Chain, Ways
from .places import Where, from_text, step_of

Lines = list[tuple[int, int, str]]  # the first and last identity of a step, and its line


class Inside(NamedTuple):
    """Where the way of an argument ends inside a function."""

    op: Op | None  # None where the way was not followed to the line, or a variable is assigned there
    where: Where | None
    beyond: tuple[Cut, ...] | None  # what follows on the way to a result; None where that way is not known
    is_assigned: bool = False  # whether a variable is assigned on that line


def inside(lost: LostInFunction, position: int) -> Inside | None:
    """The op inside the function that ends the way of an argument, and its line; None where no op does.

    The way through a loop cannot be followed. There the answer is the one line that makes integers, if there is one.
    """
    recorded = lost.function()
    if recorded is None:
        return None
    lines: Lines = []
    with _Noting().asking():
        records, sources, results = recorded.again(lambda graph, environment: _run(graph, environment, lines))
    ways = Ways(Chain(records), CUTS, sources[lost.places[position]]._id)
    ends = [n for n in ways.parents if n not in ways.followed and isinstance(CUTS[n].by, Op)]
    stored = [n for n in ways.followed if n in EXITS and EXITS[n].into]
    if not ends and stored:
        return Inside(None, line_in(lines, EXITS[stored[-1]].at), None, is_assigned=True)
    if not ends:
        made = {line for graph in recorded.graph.graphs() for line in _lines_of_integers(graph)}
        return Inside(None, made.pop(), None) if len(made) == 1 else None
    numbers = {leaf._id for leaf in leaves(results) if getattr(leaf, "_id", 0)}
    whole = ways.to(numbers.__contains__)
    way = whole if whole is not None and ways.first_cut(whole) is not None else ways.back(max(ends))
    first = ways.first_cut(way)
    assert first is not None
    after = way[way.index(first) + 1 :]
    beyond = tuple(CUTS[number] for number in after if number in CUTS) if way is whole else None
    return Inside(CUTS[first].by, line_in(lines, first), beyond)


def _lines_of_integers(graph: Graph) -> Iterator[Where]:
    """The lines of a loop's body or a branch that cast to a type without derivatives, or call an op that has none."""
    for step in graph.steps:
        function = step.function
        name = getattr(function, "__name__", getattr(function, "name", ""))
        if name.startswith(("less", "greater", "equal", "not_equal", "logical")):
            continue  # (conditions of the loop itself)
        casts = name in ("cast", "convert")
        kinds = [each for each in leaves(step.inputs) if isinstance(each, DType)]
        integer = casts and any(not kind.is_differentiable for kind in kinds)
        computed = any(isinstance(each, Ref) for each in leaves(step.inputs))
        if (integer or getattr(function, "no_derivative", None)) and computed and (line := from_text(step.line)):
            yield line


def holders(recorded: Recorded) -> dict[int, tuple[str, Where | None]]:
    """For each value that a compiled function keeps for its backward pass: the op that needs it, and its line in the function."""
    found: dict[int, tuple[str, Where | None]] = {}
    lines = _Noting()
    with lines.asking():
        records, _, _ = recorded.again()
    for number in sorted(records):
        record = records[number]
        op = None if record is None or is_further_output(record) else op_of(pull_of(record))
        if record is None or op is None:
            continue
        for value in leaves(saved_by(record)):
            if value.__class__ is AbstractTensor:  # (a value has the same number each time the function is lowered)
                found.setdefault(value.number, (op.name, step_of(number)))
    forward = recorded.programs[0]
    for node in forward.nodes:  # what the passes have made of the rules
        what = node.what
        name = (
            "a loop"
            if isinstance(what, Loop)
            else "a branch"
            if isinstance(what, Branch)
            else getattr(what, "name", "")
        )
        for number in node.outputs if name else ():
            found.setdefault(number, (name, lines.line_of(number)))
        if isinstance(what, Loop):
            ends = what.body.outputs[what.carried :]
            for number, end in zip(node.outputs[1 + what.carried :], ends, strict=True):
                line = _line_of_collected(what, end.number, lines) if end.__class__ is Value else None
                found[number] = name, line or lines.line_of(number)
    for number in recorded.kept:
        if number not in found and (line := _first_use(forward, number, lines)) is not None:
            found[number] = "a compiled function", line
    return found


class _Noting:
    """Which values of a program were made on which line, noted while its graph is lowered."""

    def __init__(self) -> None:
        self._steps: list[tuple[int, int, str]] = []

    @contextlib.contextmanager
    def asking(self) -> Iterator[None]:
        """A block in which steps are noted."""
        STEPS_OF_WORLDS.append(self)
        try:
            yield
        finally:
            STEPS_OF_WORLDS.pop()

    def begins(self) -> int:
        """How many values there are."""
        return STATE.trace.values_made if isinstance(STATE.trace, Lowering) else 0

    def ends(self, first: int, line: str) -> None:
        """The values since then are of this line."""
        self._steps.append((first, self.begins(), line))

    def line_of(self, number: int) -> Where | None:
        """The line that made a value: of the innermost step, where functions and loops have steps inside."""
        around = [step for step in self._steps if step[0] <= number < step[1]]
        return from_text(min(around, key=lambda step: step[1] - step[0])[2]) if around else None


def _line_of_collected(loop: Loop, number: int, lines: _Noting) -> Where | None:
    """The line for a value that all rounds keep: of what makes it, or needs it first, or else makes it for the next round."""
    carried = loop.body.inputs[: loop.carried]
    if number not in carried:
        return lines.line_of(number)
    following = loop.body.outputs[carried.index(number)]
    made = lines.line_of(following.number) if following.__class__ is Value else None
    return _first_use(loop.body, number, lines) or made


def _first_use(program: Program, number: int, lines: _Noting) -> Where | None:
    """The line of the first instruction that takes a value, also inside of loops."""
    for node in program.nodes:
        if number not in node.used:
            continue
        what = node.what
        if isinstance(what, Loop):
            operands = node.inputs if what.condition is not None else node.inputs[1:]
            places = [place for place, each in enumerate(operands) if each.__class__ is Value and each.number == number]
            inner = [what.body.inputs[place] for place in places if place < len(what.body.inputs)]
            found = next((line for each in inner if (line := _first_use(what.body, each, lines)) is not None), None)
            if found is not None:
                return found
        for output in node.outputs:
            line = lines.line_of(output)
            if line is not None:
                return line
    return None


def recorded_in_steps(recorded: Recorded, tensors: list[Any]) -> tuple[GradientTape, list[Any], Lines]:
    """Run a compiled function once more, op by op, on the values that it was called with: the tape, the results, the lines."""
    lines: Lines = []
    environment = Environment({})
    arguments = list(leaves(recorded.graph.inputs))
    STEPWISE.add(id(lines))  # (the rounds of its loops too)
    try:
        with nobody_outside(), GradientTape(persistent=True) as tape:
            tape.watch([tensor for tensor in tensors if tensor.dtype.is_differentiable])
            bind(recorded.graph.inputs, tuple(tensors[: len(arguments)]), environment.values)
            results = _run(recorded.graph, environment, lines)
    finally:
        STEPWISE.discard(id(lines))
    return tape, [leaf for leaf in leaves(results) if leaf.__class__ is EagerTensor], lines


def line_in(lines: Lines, number: int) -> Where | None:
    """The line of the step that gave out an identity: of the innermost one, where functions call functions."""
    return step_of(number) or from_text(next((text for first, last, text in lines if first <= number <= last), ""))


def _run(graph: Graph, environment: Environment, lines: Lines) -> Any:
    """Run the steps of a graph, and note which identities belong to which line."""
    for step in graph.steps:
        first = next_id()
        bind(step.results, call_step(step.function, step.args, step.kwargs, environment), environment.values)
        lines.append((first, next_id(), step.line))
    return fill(graph.outputs, environment)
