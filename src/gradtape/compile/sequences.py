"""Rows that a loop takes at its counter: `rows[i]` for i = 0, 1, 2... becomes a sequence that the loop goes through.

A sequence costs a round nothing but the row; the same row at a position that is a value is a check of the position, a
comparison with zero for positions from the end, and a gather.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..op.declaration import Op
from .counting import values_of_rounds
from .program import Loop, Node, Program, Value

_AT_A_PLACE = ("take", "get_row")  # ops that take a row at a position


def with_sequences(program: Program) -> Program:
    """The program, with rows at the counters of loops as sequences."""
    return program.with_nodes(
        _sequenced(program, node, node.what) if isinstance(node.what, Loop) else node for node in program.nodes
    )


def _sequenced(program: Program, node: Node, loop: Loop) -> Node:
    if loop.condition is not None or node.inputs[0].__class__ is Value or loop.across is not None:
        return node
    rounds, body = int(node.inputs[0]), loop.body
    constants = set(body.inputs[loop.carried + loop.sequences :])
    takes = [each for each in body.nodes if _takes_a_row(body, each, rounds, constants)]
    if not takes or not rounds:
        return node
    starts = [None if start.__class__ is Value else np.asarray(start) for start in node.inputs[1 : loop.carried + 1]]
    places = values_of_rounds(loop, starts, rounds, [each.inputs[1].number for each in takes])
    if places is None:
        return node
    order = list(range(rounds))[:: -1 if loop.reverse else 1]
    found = [each for place, each in enumerate(takes) if [int(values[place]) for values in places] == order]
    if not found:
        return node
    outside = dict(zip(body.inputs, node.inputs[1:], strict=True))
    begin = loop.carried + loop.sequences
    rows = [outside[each.inputs[0].number] if each.inputs[0].__class__ is Value else each.inputs[0] for each in found]
    taken = [each.outputs[0] for each in found]
    kept = [each for each in body.nodes if not any(each is one for one in found)]
    inner = replace(body, inputs=[*body.inputs[:begin], *taken, *body.inputs[begin:]], nodes=kept)
    inputs = (*node.inputs[: 1 + begin], *rows, *node.inputs[1 + begin :])
    return replace(node, what=replace(loop, body=inner, sequences=loop.sequences + len(found)), inputs=inputs)


def _takes_a_row(body: Program, node: Node, rounds: int, constants: set[int]) -> bool:
    """Whether an instruction takes one row of an array that stays the same and has one for each round."""
    if not isinstance(node.what, Op) or node.what.name not in _AT_A_PLACE or len(node.inputs) != 2:
        return False
    rows, place = node.inputs
    if any(attribute != 0 for attribute in node.attributes.values()):
        return False  # (another axis, or a batch)
    if place.__class__ is not Value or body.looks[place.number][0] != ():
        return False
    shape, dtype = body.look_of(rows)
    same = rows.__class__ is not Value or rows.number in constants
    # (A size that only running shows is no number; an element of an array of objects is no array.)
    return same and dtype.kind != "O" and bool(shape) and shape[0].__class__ is int and shape[0] == rounds
