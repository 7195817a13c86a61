"""Elementwise instructions on transposed arrays, turned round: `tanh(transpose(x))` becomes `transpose(tanh(x))`.

    sum(tanh(transpose(x)), axis=0)   becomes   sum(tanh(x), axis=1)

A transpose is a view. Machine code goes through memory in its order, so an operand that lies in another one is copied first, and
of 4M elements that copy takes ten times as long as all the rest. Turned round, instructions take arrays as they lie; reductions
and products take transposed operands as they are, and transposes that nobody uses any more are dead code.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ..native import thresholds
from ..op.declaration import Op
from ..ops.array.layout import permute, reshape
from ..ops.linalg.products import matmul
from .program import Look, Node, Program, Value, size_of

Order = tuple[int, ...]

_REDUCTIONS = (
    "reduce_sum",
    "reduce_mean",
    "reduce_max",
    "reduce_min",
    "reduce_prod",
    "reduce_all",
    "reduce_any",
    "reduce_logsumexp",
    "reduce_euclidean_norm",
)
_TRIALS = 8  # each finds what cannot be turned round because of what was found before; real programs need two


def with_transposes_late(program: Program) -> Program:
    """The program, with elementwise instructions on large transposed arrays before the transposes."""
    transposed = {
        node.outputs[0]: _order(node)
        for node in program.nodes
        if node.what is permute and node.inputs[0].__class__ is Value and _is_large(program.looks[node.outputs[0]])
    }
    if not transposed:
        return program
    turned = _turned_round(program, transposed)
    if turned is None:
        return program
    return _Rewriting(program, turned).result()


def _order(node: Node) -> Order:
    perm = node.attributes["perm"]
    return tuple(axis % len(perm) for axis in perm)


def _is_large(look: Look) -> bool:
    """(Small arrays become part of native functions, which have the bits of eager code: sums depend on how arrays lie.)"""
    return (size_of(look) or 0) >= thresholds.WHOLE_ELEMENTS


def _turned_round(program: Program, transposed: dict[int, Order]) -> dict[int, Order] | None:
    """All values that are transposes in the new program, with the orders of their axes.

    An instruction is turned round if all of its large operands are such values, of one order, and if nobody needs its result as
    an array in its own order.
    """
    kept: set[int] = set()
    for _ in range(_TRIALS):
        turned = dict(transposed)
        for node in program.nodes:
            order = _order_of_operands(program, node, turned)
            if order is not None and node.outputs[0] not in kept:
                turned[node.outputs[0]] = order
        needed = {number for node in program.nodes for number in _needed_in_order(node, turned)} - transposed.keys()
        if not needed:
            return turned
        kept |= needed
    return None


def _order_of_operands(program: Program, node: Node, turned: dict[int, Order]) -> Order | None:
    """The order in which all large operands of an elementwise instruction are transposed; None for any other instruction."""
    op = node.what
    if not isinstance(op, Op) or op.variadic or op.outputs != 1 or not (op.broadcasts or op.name == "convert"):
        return None
    look = program.looks[node.outputs[0]]
    if node.has_open_attributes or not _is_large(look):
        return None
    found = None
    for operand in node.inputs:
        if operand is None or size_of(program.look_of(operand)) is None:
            return None
        if program.look_of(operand)[0] != look[0] or _is_uniform(operand):
            continue  # it is repeated
        order = turned.get(operand.number) if operand.__class__ is Value else None
        if order is None or found not in (None, order):
            return None
        found = order
    return found


def _is_uniform(operand: object) -> bool:
    return operand.__class__ is not Value and not any(np.asarray(operand).strides)


def _needed_in_order(node: Node, turned: dict[int, Order]) -> Iterator[int]:
    """The values of `turned` that an instruction takes in their own order."""
    if node.outputs and node.outputs[0] in turned:
        return
    if isinstance(node.what, Op) and (node.what.name in _REDUCTIONS or node.what in (permute, matmul)):
        return
    yield from (number for number in node.used if number in turned)


class _Rewriting:
    """The program while it is written again; `turned` are the values that become transposes."""

    def __init__(self, program: Program, turned: dict[int, Order]) -> None:
        self._program, self._turned = program, turned
        self._looks = dict(program.looks)
        self._next = max(self._looks) + 1
        self._nodes: list[Node] = []
        self._inner: dict[int, Any] = {}  # by number: what a value is the transpose of

    def result(self) -> Program:
        for node in self._program.nodes:
            (number, *_) = node.outputs or (-1,)
            operand: Any = node.inputs[0] if node.inputs else None
            if node.what is permute and number in self._turned:
                self._inner[number] = operand
                self._nodes.append(node)
            elif number in self._turned:
                self._turn(node, self._turned[number])
            elif getattr(node.what, "name", "") in _REDUCTIONS and getattr(operand, "number", -1) in self._turned:
                self._reduce(node, self._turned[operand.number])
            else:
                self._nodes.append(node)
        return replace(self._program, nodes=self._nodes, looks=self._looks)

    def _make(self, what: Op, inputs: tuple[Any, ...], attributes: dict[str, Any], look: Look) -> Value:
        number, self._next = self._next, self._next + 1
        self._looks[number] = look
        self._nodes.append(Node(what, inputs, attributes, (number,)))
        return Value(number)

    def _turn(self, node: Node, order: Order) -> None:
        """The instruction on what its operands are transposes of, and the transpose of the result."""
        (number,) = node.outputs
        back = tuple(np.argsort(order).tolist())
        shape, dtype = self._looks[number]
        operands = tuple(self._before(operand, back) for operand in node.inputs)
        made = self._make(node.what, operands, node.attributes, (_in_order(shape, back), dtype))  # type: ignore[arg-type]
        self._inner[number] = made
        self._nodes.append(Node(permute, (made,), {"perm": order}, (number,)))

    def _before(self, operand: object, back: Order) -> Any:
        """An operand as it is before the transpose."""
        if operand.__class__ is Value and operand.number in self._inner:
            return self._inner[operand.number]
        shape, dtype = self._program.look_of(operand)
        if size_of((shape, dtype)) == 1:
            return operand
        padded = (*(1,) * (len(back) - len(shape)), *shape)
        if operand.__class__ is not Value:
            array = np.asarray(operand)
            return (array.reshape(padded) if array.shape != padded else array).transpose(back)
        if padded != shape:
            operand = self._make(reshape, (operand,), {"shape": padded}, (padded, dtype))
        return self._make(permute, (operand,), {"perm": back}, (_in_order(padded, back), dtype))

    def _reduce(self, node: Node, order: Order) -> None:
        """The reduction along the axes that these were before the transpose."""
        (number,), rank = node.outputs, len(order)
        axis = node.attributes["axis"]
        given = range(rank) if axis is None else (axis,) if isinstance(axis, int) else axis
        axes = {int(each) % rank for each in given}
        inner = self._inner[node.inputs[0].number]
        attributes = {**node.attributes, "axis": tuple(sorted(order[each] for each in axes))}
        keeps = bool(node.attributes.get("keepdims"))
        left = [order[each] for each in range(rank) if keeps or each not in axes]
        after = tuple(sorted(left).index(each) for each in left)
        if after == tuple(range(len(after))):
            self._nodes.append(replace(node, inputs=(inner,), attributes=attributes))
            return
        shape, dtype = self._looks[number]
        made = self._make(node.what, (inner,), attributes, (_in_order(shape, np.argsort(after).tolist()), dtype))  # type: ignore[arg-type]
        self._nodes.append(Node(permute, (made,), {"perm": after}, (number,)))


def _in_order(shape: Any, order: Any) -> Any:
    return tuple(shape[axis] for axis in order)
