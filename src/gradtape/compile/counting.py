"""How often a loop runs, where that follows from constants: `for i in tf.range(5)`, a counter up to a bound.

The values such a loop collects have a known size, and its counters are known after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..ops.array.open_row import resize_open_rows, set_open_row
from ..ops.array.row import add_row, resize_rows, set_row
from .codegen import python_of
from .dead_code import without_dead_code
from .program import Loop, Node, Program, Value

_MOST = 10_000  # rounds, beyond which counting would take as long as it saves
_CHANGES = (set_row, add_row, resize_rows, set_open_row, resize_open_rows)
_SMALL = 16  # elements of a value that may be a counter


@dataclass(frozen=True)
class Counted:
    """A number of rounds, and the carried values after them that depend on constants alone, by place."""

    rounds: int
    finals: dict[int, Any]


def counted(loop: Loop, starts: Sequence[Any]) -> Counted | None:
    """Run the part that depends on constants alone; `starts` are arrays, or None for carried values that are not known before."""
    condition, body = loop.condition, loop.body
    assert condition is not None
    places = _counters(body, starts)
    given = [body.inputs[place] for place in places]
    if not _is_known(condition.outputs[0], _made_of(condition, set(given))) or any(
        n.has_effect for n in condition.nodes
    ):
        return None
    holds = python_of(_part(condition, given, condition.outputs))
    turn = python_of(_part(body, given, [body.outputs[place] for place in places]))
    values = tuple(starts[place] for place in places)
    try:
        for rounds in range(_MOST + 1):
            if not holds(*values)[0]:
                return Counted(rounds, dict(zip(places, values, strict=True)))
            values = turn(*values)
    except Exception:  # (an error belongs to the call, after what is done before it)
        return None
    return None


def values_of_rounds(loop: Loop, starts: Sequence[Any], rounds: int, numbers: Sequence[int]) -> list[list[Any]] | None:
    """The values that these have in each round, one list for a round; None unless all of them depend on constants alone."""
    body, places = loop.body, _counters(loop.body, starts)
    given = [body.inputs[place] for place in places]
    if rounds > _MOST or not _made_of(body, set(given)).issuperset(numbers):
        return None
    wanted: list[Any] = [*(body.outputs[place] for place in places), *map(Value, numbers)]
    turn = python_of(_part(body, given, wanted))
    values, found = [starts[place] for place in places], []
    for _ in range(rounds):
        results = turn(*values)
        values = results[: len(places)]
        found.append(list(results[len(places) :]))
    return found


def _counters(body: Program, starts: Sequence[Any]) -> list[int]:
    """The places of the carried values that depend on constants alone, in all rounds."""
    places = [p for p, start in enumerate(starts) if start is not None and start.size <= _SMALL]
    while True:
        made = _made_of(body, {body.inputs[place] for place in places})
        kept = [place for place in places if _is_known(body.outputs[place], made)]
        if kept == places:
            return places
        places = kept


def _made_of(program: Program, known: set[int]) -> set[int]:
    """The values that are computed from known ones. Rows are none of them: a growing array gets room after counting."""
    made = set(known)
    for node in program.nodes:
        if node.computes and node.what not in _CHANGES and all(number in made for number in node.used):
            made.update(node.outputs)
    return made


def _is_known(output: object, made: set[int]) -> bool:
    return output.__class__ is not Value or output.number in made


def _part(program: Program, inputs: list[int], outputs: list[Any]) -> Program:
    """The part of a program that leads from some of its inputs to some of its outputs."""
    computing: list[Node] = [node for node in program.nodes if node.computes]
    return without_dead_code(Program(inputs, computing, outputs, program.looks))
