"""Sums of single rows that a loop only adds to: the gradient of an array that each round reads at a position.

    total = total + (put(a, i) + put(b, j))     becomes   total = add_row(add_row(total, i, a), j, b)

An array of zeros with one row, added to all of the sum, takes as long as the array is large in each round. A row is added in
place, in machine code as in Python lines, in the order in which the tape adds them in eager code. The sum begins with zeros, so
no element of it is -0, which adding 0 would change.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from ..base.sizes import is_known
from ..ops.array.gather import put
from ..ops.array.layout import reshape
from ..ops.array.row import add_row, put_row
from ..ops.math.elementwise import add
from .program import Loop, Node, Program, Value


def with_rows_added(program: Program) -> Program:
    """The program, with loops that add rows to their sums in place."""
    last = max(program.looks, default=0)
    return program.with_nodes(
        _with_rows_added(node, node.what, last) if isinstance(node.what, Loop) else node for node in program.nodes
    )


def _with_rows_added(node: Node, loop: Loop, last: int) -> Node:
    if loop.across is not None:
        return node
    uses = Counter(number for each in loop.body.nodes for number in each.used)
    uses.update(output.number for output in loop.body.outputs if output.__class__ is Value)
    if loop.condition is not None:
        uses.update(number for each in loop.condition.nodes for number in each.used)
    starts = node.inputs[loop.condition is None :][: loop.carried]
    for place, start in enumerate(starts):
        if _is_zero(start):
            loop = replace(loop, body=_with_sum(loop.body, place, uses, last))
    return replace(node, what=loop)


def _is_zero(start: object) -> bool:
    """Whether a sum begins with zeros, none of them negative."""
    if start.__class__ is Value or start is None:
        return False
    array = np.asarray(start)
    return array.dtype.kind in "fc" and array.ndim > 0 and not array.any() and not np.signbit(array.real).any()


def _with_sum(body: Program, place: int, uses: Counter[int], last: int) -> Program:
    """The round, with rows added to the carried value at a place, if it does nothing else with it.

    What is new has numbers above `last`, those of the program around it.
    """
    carried, output = body.inputs[place], body.outputs[place]
    makers = {number: node for node in body.nodes for number in node.outputs}
    addition = makers.get(output.number) if output.__class__ is Value else None
    if addition is None or addition.what is not add or uses[carried] != 1 or uses[addition.outputs[0]] != 1:
        return body
    operands = [operand for operand in addition.inputs if operand.__class__ is Value]
    terms = [operand.number for operand in operands if operand.number != carried]
    if len(operands) != 2 or len(terms) != 1:
        return body
    removed = [addition]
    rows = _rows_of(terms[0], makers, uses, body, removed)
    if not rows:
        return body
    new, total = _New(dict(body.looks), last), carried
    for index, row, shape in rows:
        taken = new.reshaped(index, ()), new.reshaped(row, shape)
        total = new.append(add_row, (Value(total), *taken), body.looks[carried])
    # (They stand at the end: what they take is there, and nobody reads the sum before.)
    gone = {id(each) for each in removed}
    outputs = list(body.outputs)
    outputs[place] = Value(total)
    kept = [each for each in body.nodes if id(each) not in gone]
    return replace(body, nodes=[*kept, *new.nodes], outputs=outputs, looks=new.looks)


_Row = tuple[Any, Any, tuple[int, ...]]  # the position, the row, the shape of the row


def _rows_of(
    number: int, makers: dict[int, Node], uses: Counter[int], body: Program, removed: list[Node]
) -> list[_Row] | None:
    """The rows that a sum of arrays with one row each is made of, in order; None where it is another value."""
    node = makers.get(number)
    if node is None or uses[number] != 1 or node.has_open_attributes:
        return None
    shape = body.looks[number][0]
    if shape is None or not is_known(shape):
        return None
    removed.append(node)
    if node.what is add:
        found: list[_Row] = []
        for operand in node.inputs:
            is_whole = operand.__class__ is Value and body.looks[operand.number] == body.looks[number]
            rows = _rows_of(operand.number, makers, uses, body, removed) if is_whole else None
            if rows is None:
                return None
            found += rows
        return found
    if node.what is put_row:
        return [(node.inputs[1], node.inputs[0], shape[1:])]
    if node.what is put and node.attributes["axis"] == 0 and node.attributes["batch_dims"] == 0:
        values, indices = node.inputs
        sizes = body.look_of(indices)[0]
        if sizes is not None and is_known(sizes) and prod(sizes) == 1:
            return [(indices, values, shape[1:])]
    return None


class _New:
    """Further instructions of a round."""

    def __init__(self, looks: dict[int, Any], last: int) -> None:
        self.nodes: list[Node] = []
        self.looks, self._last = looks, max(last, *looks)

    def reshaped(self, operand: object, shape: tuple[int, ...]) -> Any:
        """The operand with that shape."""
        if operand.__class__ is not Value:
            return np.asarray(operand).reshape(shape)
        before, dtype = self.looks[operand.number]
        return operand if before == shape else Value(self.append(reshape, (operand,), (shape, dtype), shape=shape))

    def append(self, op: Any, inputs: tuple[Any, ...], look: Any, **attributes: Any) -> int:
        """The number of the result of one more."""
        self._last += 1
        self.looks[self._last] = look
        self.nodes.append(Node(op, inputs, attributes, (self._last,)))
        return self._last
