"""Groups of instructions that become one kernel in machine code: elementwise ops, and sums along rows and down columns.

A group has a shape. With `split` it is seen as a matrix: the axes before it are the rows, the others the columns. So a bias
is a number for each column, and a mean over the last axis one for each row.

    (128, 32, 64)    the group's shape, split = 2
    (64,)            by column
    (128, 32, 1)     by row

Several groups of different shapes can be open at once; a group is closed when an instruction outside needs its results.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..native import thresholds
from ..native.language import FLOAT32, FLOAT64, Number, Unsupported
from ..native.rows import BY_COLUMN, BY_ROW, FULL, SINGLE, Constant, instructions_of
from ..op.declaration import Op
from .group import Group, Item, uses
from .program import Node, Program, Value, size_of
from .row_kernel import Made, RowKernel

_LONGEST = 1 << 13  # elements of a row: longer ones are summed in parts, for accuracy
_ALONG = {"reduce_sum": "sum", "reduce_mean": "mean", "reduce_max": "max"}
_VIEWS = ("split_sizes", "getitem")  # their results may have gaps between rows

Shape = tuple[int, ...]


def row_groups(program: Program) -> list[Item]:
    """The instructions in order, with groups where several can become one kernel."""
    items: list[Item] = []
    opened: list[RowGroup] = []

    def close(groups: list[RowGroup]) -> None:
        for group in groups:
            opened.remove(group)
            items.extend([group] if len(group.nodes) > 1 else group.nodes)

    made: dict[int, Node] = {}
    for node in program.nodes:
        made.update(dict.fromkeys(node.outputs, node))
        needed = [group for group in opened if uses(node, group.nodes)]
        taker = next((group for group in (*needed, *opened) if group.takes(node)), None)
        if taker is None and (group := _begun(program, made, node)) is not None:
            taker = group
        # An update in place must not come before a read of the old value.
        close([g for g in (opened if node.has_effect and not node.outputs else needed) if g is not taker])
        if taker is None:
            items.append(node)
        else:
            close([g for g in opened if g.shape == taker.shape and g is not taker])
            if taker not in opened:
                opened.append(taker)
            taker.nodes.append(node)
    close(list(opened))
    return items


def _begun(program: Program, made: dict[int, Node], node: Node) -> RowGroup | None:
    """A new group that begins with this instruction."""
    if not isinstance(node.what, Op) or not node.what.broadcasts or len(node.outputs) != 1:
        return None
    shape = program.looks[node.outputs[0]][0]
    if (size_of(program.looks[node.outputs[0]]) or 0) < thresholds.ONE_PASS_ELEMENTS:
        return None
    group = RowGroup(program, made, shape)
    return group if group.takes(node) else None


@dataclass(frozen=True)
class _OpText:
    """An op with its attributes, on Numbers."""

    op: Op
    attributes: tuple[tuple[str, Any], ...]

    def __call__(self, *numbers: Any) -> Any:
        attributes = dict(self.attributes)
        if self.op.name == "convert":
            return _converted(numbers[0], attributes["dtype"])
        try:
            return self.op.eager(*numbers, **attributes)
        except Exception:  # `eager` may need attributes that only arrays have; the declared kernel may not
            try:
                return self.op.kernel(np, *numbers, **attributes)
            except Exception as error:
                raise Unsupported(f"{self.op.name}: {error}") from None


def _converted(x: Number, dtype: np.dtype[Any]) -> Number:
    if dtype == x.dtype:
        return x
    if dtype == np.bool_:
        return x != 0.0
    if x.is_bool:
        return x.as_float({4: FLOAT32, 8: FLOAT64}[dtype.itemsize])
    raise Unsupported(f"{x.dtype} as {dtype}")


_instructions_of = functools.cache(instructions_of)


class RowGroup(Group):
    """Instructions that become one kernel."""

    def __init__(self, program: Program, made: dict[int, Node], shape: Shape) -> None:
        super().__init__(shape)
        self._program = program
        self._made_by = made
        self._split: int | None = None
        self._layouts: dict[int, str] = {}  # of the values that are made here and can be used here
        self._instructions: dict[int, int] = {}  # of the text of each value, for one element
        self._steps: dict[int, tuple[str, Any, str]] = {}  # by result: how, the text or more, layout of the result

    # --- which instructions belong to it -------------------------------------------------------------------------

    def takes(self, node: Node) -> bool:
        """Whether an instruction can be part of the group; it is then described here, and has to be appended."""
        op = node.what
        if not isinstance(op, Op) or len(node.outputs) != 1 or len(self.nodes) >= thresholds.GROUP_INSTRUCTIONS:
            return False
        if node.has_open_attributes or any(
            size_of(self._program.look_of(operand)) is None for operand in (*node.inputs, Value(node.outputs[0]))
        ):
            return False
        before = self._split
        if op.variadic:
            step = self._concat(node, op)
        elif op.broadcasts or op.name == "convert":
            step = self._map(node, op)
        else:
            step = self._sum(node, op)
        if step is None:
            self._split = before
            return False
        (number,) = node.outputs
        self._steps[number] = step
        if step[0] in ("map", *_ALONG.values()) and self._look(number)[0] in (self.shape, self._row_shape):
            self._layouts[number] = step[2]
        return True

    @property
    def _row_shape(self) -> Shape | None:
        split = self._split
        return None if split is None else (*self.shape[:split], *(1,) * (len(self.shape) - split))

    def _look(self, operand: Any) -> tuple[Shape, np.dtype[Any]]:
        return self._program.looks[operand]

    def _map(self, node: Node, op: Op) -> tuple[str, Any, str] | None:
        shape, dtype = self._look(node.outputs[0])
        if shape not in (self.shape, self._row_shape):
            return None
        layouts, kinds = [], []
        for operand in node.inputs:
            layout = self._layout(operand)
            if layout is None:
                return None
            constant = _constant(operand)
            layouts.append(layout)
            kinds.append(constant or _dtype(self._program, operand))
        by_row = shape != self.shape
        if by_row and not (set(layouts) <= {BY_ROW, SINGLE} and self._uses_own(node)):
            return None
        if not by_row and FULL not in layouts and not (BY_ROW in layouts and BY_COLUMN in layouts):
            return None
        text = _OpText(op, tuple(node.attributes.items()))
        try:
            instructions = _instructions_of(text, tuple(kinds), dtype)
        except TypeError:  # an attribute that cannot be hashed
            return None
        if instructions is None:
            return None
        self._instructions[node.outputs[0]] = instructions
        return "map", text, BY_ROW if by_row else FULL

    def _uses_own(self, node: Node) -> bool:
        return any(number in self._layouts for number in node.used)

    def _layout(self, operand: Any) -> str | None:
        """The layout of an operand within the matrix; None where it has none. May choose where rows begin."""
        if operand is None:
            return None
        if operand.__class__ is Value:
            if operand.number in self._steps:
                return self._layouts.get(operand.number)
            shape = self._look(operand.number)[0]
        else:
            shape = np.shape(operand)
        if math.prod(shape) == 1:
            return SINGLE
        if shape == self.shape:
            return FULL
        if len(shape) > len(self.shape):
            return None
        shape = (*(1,) * (len(self.shape) - len(shape)), *shape)
        for split in range(1, len(self.shape)) if self._split is None else (self._split,):
            rows, columns = (1,) * split, (1,) * (len(shape) - split)
            layout = None
            if shape == (*rows, *self.shape[split:]):
                layout = BY_COLUMN
            elif shape == (*self.shape[:split], *columns):
                layout = BY_ROW
            if layout is not None and self._split_at(split):
                return layout
        return None

    def _split_at(self, split: int) -> bool:
        columns = math.prod(self.shape[split:])
        if self._split not in (None, split) or columns < thresholds.GROUP_COLUMNS:
            return False
        if columns > _LONGEST and any(how == "total" for how, _, _ in self._steps.values()):
            return False  # sums over everything begin with those of rows
        self._split = split
        return True

    def _sum(self, node: Node, op: Op) -> tuple[str, Any, str] | None:
        operand = node.inputs[0]
        if operand.__class__ is not Value or self._look(operand.number)[0] != self.shape:
            return None
        dtype = self._look(operand.number)[1]
        if dtype not in (np.float32, np.float64) or not self._uses_own(node):
            return None
        rank, result = len(self.shape), self._look(node.outputs[0])[0]
        if op.name == "sum_to_shape":
            padded = (*(1,) * (rank - len(result)), *result)
            axes = [axis for axis in range(rank) if padded[axis] != self.shape[axis]]
        elif op.name in _ALONG:
            axis = node.attributes["axis"]
            given = range(rank) if axis is None else (axis,) if isinstance(axis, int) else axis
            axes = sorted({axis % rank for axis in given})
        else:
            return None
        is_sum = op.name not in ("reduce_mean", "reduce_max")
        if is_sum and axes == list(range(rank)):
            short = self._split is None or math.prod(self.shape[self._split :]) <= _LONGEST
            return ("total", None, SINGLE) if short else None
        if is_sum and axes and axes == list(range(len(axes))) and self._split_at(len(axes)):
            return "down", None, BY_COLUMN
        first = rank - len(axes)
        if op.name not in _ALONG or not 0 < first < rank or axes != list(range(first, rank)):
            return None
        if math.prod(self.shape[first:]) > _LONGEST or not self._split_at(first):
            return None
        return _ALONG[op.name], None, BY_ROW

    def _concat(self, node: Node, op: Op) -> tuple[str, Any, str] | None:
        """Results that are columns of one array."""
        last = len(self.shape) - 1
        if op.name != "concat" or node.attributes["axis"] not in (-1, last) or not last:
            return None
        if not all(o.__class__ is Value and self._layouts.get(o.number) == FULL for o in node.inputs):
            return None
        return ("beside", None, FULL) if self._split_at(last) else None

    # --- as a kernel ---------------------------------------------------------------------------------------------

    def kernel(self, program: Program, spare: set[int], own: dict[int, int]) -> RowKernel:
        """The group as a function of arrays."""
        operands = list(self.used)
        if self._split is None and len(self.shape) > 1 and any(map(self._is_view, operands)):
            self._split_at(len(self.shape) - 1)
        given = {number: (self._look(number)[1], self._layout_of(Value(number))) for number in operands}
        arrays: dict[int, tuple[Any, str]] = {}
        steps: list[Made] = []
        for node in self.nodes:
            (number,) = node.outputs
            of: list[Any] = []
            for operand in node.inputs:
                if operand.__class__ is Value:
                    of.append(operand.number)
                    continue
                constant = _constant(operand)
                if constant is None:  # an array, passed to the kernel at each call
                    arrays[~id(operand)] = np.asarray(operand), self._layout_of(operand)
                of.append(~id(operand) if constant is None else constant)
            how, text, layout = self._steps[number]
            steps.append(Made(number, how, text, tuple(of), self._look(number), layout))
        columns = None if self._split is None else math.prod(self.shape[self._split :])
        instructions = sum(self._instructions.get(step.number, 0) for step in steps)
        return RowKernel(math.prod(self.shape), columns, given, arrays, steps, self.outputs, spare, own, instructions)

    def _is_view(self, number: int) -> bool:
        node = self._made_by.get(number)
        return node is not None and isinstance(node.what, Op) and node.what.name in _VIEWS

    def _layout_of(self, operand: object) -> str:
        found = self._layout(operand)
        assert found is not None
        return found


def _dtype(program: Program, operand: object) -> np.dtype[Any]:
    return program.looks[operand.number][1] if operand.__class__ is Value else np.asarray(operand).dtype


def _constant(operand: object) -> Constant | None:
    """An operand that is one known number, perhaps many times."""
    if operand.__class__ is Value:
        return None
    array = np.asarray(operand)
    if array.size != 1 and (not array.size or any(array.strides)):
        return None
    first = array.reshape(-1)[:1] if array.size == 1 else array[(0,) * array.ndim]
    return Constant(np.asarray(first).tobytes(), array.dtype)
