"""The same instructions on each row of an array, as instructions on the whole array:

    stack([tanh(x[0] - c), tanh(x[1] - c), ...])       becomes   tanh(x - c)
    tanh(x[0] - c) + tanh(x[1] - c) + ...              becomes   sum_to_shape(tanh(x - c))
    setitem_zeros(g[0], 0) + setitem_zeros(g[1], 1) + ...    becomes   g

The first is a list that Python made by going through an array; the others are the gradients of `c` and `x` there. Elementwise
instructions are taken so, and only in a program with large arrays: one on small arrays has the bits of eager code, and the sum
here is in another order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..native import thresholds
from ..op.declaration import Op
from ..ops.array.index import getitem, setitem_zeros
from ..ops.array.layout import reshape, stack, sum_to_shape, unpack
from ..ops.math.elementwise import add
from .keys import key_of, operand_key
from .program import Look, Node, Program, Value, size_of
from .repetitions import is_elementwise

_DEEPEST = 64  # instructions from a row to what is made of it


def with_rows_together(program: Program) -> Program:
    """The program, with stacks and sums of what is computed row by row computed at once."""
    if not any(_is_of_many_rows(program, node) for node in program.nodes):
        return program
    rows = _Rows(program)
    for node in program.nodes:
        rows.nodes.append(rows.joined(node) or node)
    return replace(program, nodes=rows.nodes, looks=rows.looks)


def _is_of_many_rows(program: Program, node: Node) -> bool:
    """Whether an instruction puts a large array together of many rows, or takes one apart."""
    if node.what is stack:
        return len(node.inputs) >= thresholds.JOINED_ROWS and _is_large(program.looks[node.outputs[0]])
    return (
        node.what is unpack
        and len(node.outputs) >= thresholds.JOINED_ROWS
        and _is_large(program.look_of(node.inputs[0]))
    )


def _is_large(look: Look) -> bool:
    return (size_of(look) or 0) >= thresholds.WHOLE_ELEMENTS


class _Rows:
    """The program that is written, in which rows may be computed together."""

    def __init__(self, program: Program) -> None:
        self.looks = dict(program.looks)
        self.nodes: list[Node] = []
        self._makers = {number: node for node in program.nodes for number in node.outputs}
        self._uses = Counter(number for node in program.nodes for number in node.used)
        self._uses.update(output.number for output in program.outputs if output.__class__ is Value)
        self._users = {number: node for node in program.nodes for number in node.used}
        self._following = max(self.looks, default=0) + 1
        self._arrays: dict[tuple[Any, ...], Any] = {}  # by the numbers of rows: the array that they are

    def joined(self, node: Node) -> Node | None:
        """What stands in place of an instruction, where it is a stack or a sum of such rows."""
        if node.what is stack:
            return self._stacked(node)
        return self._added(node) if node.what is add else None

    def _stacked(self, node: Node) -> Node | None:
        look = self.looks[node.outputs[0]]
        if (
            len(node.inputs) < thresholds.JOINED_ROWS
            or not _is_large(look)
            or node.attributes["axis"] not in (0, -len(look[0]))
        ):
            return None
        array = self._array(node.inputs, _DEEPEST)
        return None if array is None else Node(reshape, (array,), {"shape": look[0]}, node.outputs)

    def _added(self, node: Node) -> Node | None:
        """Many additions, of which this is the last one."""
        if self._is_added(node) or size_of(self.looks[node.outputs[0]]) is None:
            return None
        terms = self._terms(node)
        ((op, count),) = Counter(map(self._op_of, terms)).most_common(1)
        if count < thresholds.JOINED_ROWS or op is None:
            return None
        rows = [term for term in terms if self._op_of(term) is op]
        others = [term for term in terms if self._op_of(term) is not op]
        shape, dtype = self.looks[node.outputs[0]]
        array = self._put_together(rows) if op is setitem_zeros else self._of_terms(rows, op)
        if array is None:
            return None
        if not others:
            return Node(sum_to_shape, (array,), {"shape": shape}, node.outputs)
        total = self._append(sum_to_shape, (array,), {"shape": shape}, (shape, dtype))
        for other in others[:-1]:
            total = self._append(add, (total, other), {}, (shape, dtype))
        return Node(add, (total, others[-1]), {}, node.outputs)

    def _of_terms(self, rows: list[Any], op: Op) -> Any:
        """The array of what is added up."""
        if op is sum_to_shape:  # (a row that was repeated: the sum of all adds up the repetitions, too)
            rows = [self._makers[row.number].inputs[0] for row in rows]
        shape, dtype = self._look(rows[0])
        if shape is None or not _is_large(((len(rows), *shape), dtype)):
            return None
        return self._array(rows[::-1], _DEEPEST) or self._array(rows, _DEEPEST)  # (a walk goes backwards)

    def _put_together(self, terms: list[Value]) -> Any:
        """Arrays of zeros but for one row each, as the array of these rows; None where not each row is as often among them."""
        shape, _ = look = self.looks[terms[0].number]
        arrays: list[dict[int, Any]] = []  # by place: the rows
        for term in terms:
            maker = self._makers[term.number]
            place, *rest = maker.attributes["key"] or (None,)
            if rest or place.__class__ is not int:
                return None
            array = next((array for array in arrays if place not in array), None)
            if array is None:
                arrays.append(array := {})
            array[place] = maker.inputs[0]
        places = range(shape[0])
        if any(sorted(array) != list(places) for array in arrays):
            return None
        total = None
        for array in arrays:
            rows = tuple([array[place] for place in places])
            found = self._array(rows, _DEEPEST) or self._append(stack, rows, {"axis": 0}, look)
            total = found if total is None else self._append(add, (total, found), {}, look)
        return total

    def _is_added(self, node: Node) -> bool:
        """Whether the only use of a sum is another sum of the same shape and type."""
        (number,) = node.outputs
        user = self._users.get(number)
        return (
            self._uses[number] == 1
            and user is not None
            and user.what is add
            and self.looks[user.outputs[0]] == self.looks[number]
        )

    def _terms(self, node: Node) -> list[Any]:
        """What is added up, in the order of the additions."""
        found, waiting = [], [*reversed(node.inputs)]
        while waiting:
            operand = waiting.pop()
            maker = self._makers.get(operand.number) if operand.__class__ is Value else None
            if maker is not None and maker.what is add and self._is_added(maker):
                waiting += reversed(maker.inputs)
            else:
                found.append(operand)
        return found

    def _op_of(self, operand: object) -> Any:
        maker = self._makers.get(operand.number) if operand.__class__ is Value else None
        return maker.what if maker is not None and isinstance(maker.what, Op) else None

    def _look(self, operand: object) -> Look:
        if operand.__class__ is Value:
            return self.looks[operand.number]
        array = np.asarray(operand)
        return array.shape, array.dtype

    def _append(self, op: Op, inputs: tuple[Any, ...], attributes: dict[str, Any], look: Look) -> Value:
        number, self._following = self._following, self._following + 1
        self.looks[number] = look
        self.nodes.append(Node(op, inputs, attributes, (number,)))
        return Value(number)

    # --- rows ------------------------------------------------------------------------------------------------------

    def _array(self, rows: Sequence[Any], depth: int) -> Any:
        """The array that has these rows; None where they are not parts of one, nor computed of such in the same way."""
        if not all(row.__class__ is Value for row in rows):
            return None
        key = tuple([row.number for row in rows])
        if key not in self._arrays:
            self._arrays[key] = self._parts(rows) or self._computed(rows, depth)
        return self._arrays[key]

    def _parts(self, rows: Sequence[Any]) -> Any:
        """The array that was taken apart: in one instruction, or row by row."""
        makers = [self._makers.get(row.number) for row in rows]
        first = makers[0]
        if first is None or first.what not in (unpack, getitem) or first.inputs[0].__class__ is not Value:
            return None
        array = first.inputs[0]
        sizes, dtype = self.looks[array.number]
        if first.what is unpack:
            is_whole = first.attributes["axis"] == 0 and first.outputs == tuple([row.number for row in rows])
            return array if is_whole else None
        begin, *rest = first.attributes["key"] or (None,)
        if begin.__class__ is not int or begin < 0 or size_of((sizes, dtype)) is None:
            return None
        for place, maker in enumerate(makers, begin):
            row = Node(getitem, (array,), {"key": (place, *rest)}, ())
            if maker is None or key_of(row) is None or key_of(maker) != key_of(row):
                return None
        if not rest and not begin and len(rows) == sizes[0]:
            return array
        key = slice(begin, begin + len(rows)), *rest
        return self._append(getitem, (array,), {"key": key}, ((len(rows), *self.looks[rows[0].number][0]), dtype))

    def _computed(self, rows: Sequence[Any], depth: int) -> Any:
        """The array that an elementwise instruction gives, which computes each row."""
        makers = [self._makers.get(row.number) for row in rows]
        first = makers[0]
        if first is None or not (is_elementwise(first) or first.what is sum_to_shape) or not depth:
            return None
        same = key_of(replace(first, inputs=()))
        if same is None or any(maker is None or key_of(replace(maker, inputs=())) != same for maker in makers):
            return None
        shape, dtype = self.looks[rows[0].number]
        if first.what is sum_to_shape:
            array = self._array([maker.inputs[0] for maker in makers if maker], depth - 1)
            return None if array is None else self._summed(array, shape, dtype)
        operands: list[Any] = []
        for given in zip(*(maker.inputs for maker in makers if maker), strict=True):
            operand = self._operand(given, len(shape), depth - 1)
            if operand is None:
                return None
            operands.append(operand)
        assert isinstance(first.what, Op)
        return self._append(first.what, tuple(operands), first.attributes, ((len(rows), *shape), dtype))

    def _summed(self, rows: Value, shape: tuple[int, ...], dtype: Any) -> Value:
        """Each row of an array summed to a shape."""
        count, *sizes = self.looks[rows.number][0]
        aligned = (count, *(1,) * (len(sizes) - len(shape)), *shape)
        total = self._append(sum_to_shape, (rows,), {"shape": aligned}, (aligned, dtype))
        return self._append(reshape, (total,), {"shape": (count, *shape)}, ((count, *shape), dtype))

    def _operand(self, given: Sequence[Any], rank: int, depth: int) -> Any:
        """What an instruction on all rows takes in place of an operand of each: the one that all take, or an array."""
        if len({operand_key(operand) for operand in given}) == 1:
            return given[0]
        look = self._look(given[0])
        if any(self._look(operand) != look for operand in given):
            return None
        if not any(operand.__class__ is Value for operand in given):
            array: Any = np.stack([np.asarray(operand) for operand in given])
        else:
            array = self._array(given, depth)
        shape = (len(given), *(1,) * (rank - len(look[0])), *look[0])
        if array is None or shape == self._look(array)[0]:
            return array
        if array.__class__ is not Value:
            return array.reshape(shape)
        return self._append(reshape, (array,), {"shape": shape}, (shape, look[1]))
