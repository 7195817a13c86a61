"""Passes that make a program smaller: common subexpressions, algebraic simplification; and put it in order.

`PASSES` has all of them; some stand in files of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..op.declaration import Op
from ..ops.array.open_row import resize_open_rows, set_open_row
from ..ops.array.row import add_row, get_row, resize_rows, set_row
from ..trace.graph import map_parts
from ..values.tensor import from_array
from .dead_code import without_dead_code
from .keys import key_of
from .measures import Measure, map_attribute
from .program import Branch, Call, Loop, Node, Program, Value, same_looks, size_of
from .repetitions import with_repetitions_late
from .residuals import with_residuals
from .row_sums import with_rows_added
from .rows_together import with_rows_together
from .scaled_products import with_smaller_operands_scaled
from .sequences import with_sequences
from .transposes import with_transposes_late

Pass = Callable[[Program], Program]


def optimized(program: Program) -> Program:
    """The program after all passes."""
    for run in PASSES:
        program = run(program)
    return program


# --- loops and branches ----------------------------------------------------------------------------------------------------


def optimized_inside(program: Program) -> Program:
    """Run all passes on the programs of loops and branches."""
    return program.with_nodes(_optimized_inside(node) for node in program.nodes)


def _optimized_inside(node: Node) -> Node:
    if isinstance(node.what, Loop):
        condition = None if node.what.condition is None else optimized(node.what.condition)
        return replace(node, what=replace(node.what, condition=condition, body=optimized(node.what.body)))
    if isinstance(node.what, Branch):
        return replace(node, what=replace(node.what, programs=tuple(map(optimized, node.what.programs))))
    return node


# --- common subexpressions -------------------------------------------------------------------------------------------------


def without_repetition(program: Program) -> Program:
    """Merge instructions with the same op, operands and attributes."""
    same: dict[int, Any] = {}
    seen: dict[Any, tuple[int, ...]] = {}
    kept: list[Node] = []
    for node in program.nodes:
        node = _renamed(node, same)
        key = key_of(node) if isinstance(node.what, (Op, Measure)) else None
        if key is not None and key in seen:
            same.update((number, Value(other)) for number, other in zip(node.outputs, seen[key], strict=True))
            continue
        if key is not None:
            seen[key] = node.outputs
        kept.append(node)
    return program.with_nodes(kept, [_resolved(output, same) for output in program.outputs])


def _renamed(node: Node, same: dict[int, Any]) -> Node:
    if not same:
        return node
    if isinstance(node.what, Call):

        def value(part: Any) -> Any:
            if part.__class__ is not Value:
                return map_parts(part, value)
            found = _resolved(part, same)
            return found if found.__class__ is Value else from_array(np.asarray(found))  # it is called with tensors

        return Node(replace(node.what, arguments=value(node.what.arguments)), (), {}, node.outputs)
    attributes = node.attributes
    if node.has_open_attributes:

        def number(part: Any) -> Any:
            return _resolved(part, same) if part.__class__ is Value else part

        attributes = {name: map_attribute(attribute, number) for name, attribute in attributes.items()}
    return Node(node.what, tuple(_resolved(o, same) for o in node.inputs), attributes, node.outputs)


def _resolved(operand: Any, same: dict[int, Any]) -> Any:
    while operand.__class__ is Value and operand.number in same:
        operand = same[operand.number]
    return operand


# --- algebraic simplification ------------------------------------------------------------------------------------------------


def simplified(program: Program) -> Program:
    """Remove instructions that return one of their operands; merge chains of reshapes and of transposes."""
    same: dict[int, Any] = {}
    made: dict[int, Node] = {}
    kept: list[Node] = []
    for node in program.nodes:
        node = _renamed(node, same)
        if isinstance(node.what, Op):
            if _is_constant(program, node):
                same[node.outputs[0]] = node.what(*node.inputs, **node.attributes)
                continue
            rule = _RULES.get(node.what.name)
            found = rule(program, node, made) if rule is not None else None
            if isinstance(found, (np.ndarray, np.generic)):
                shape = program.looks[node.outputs[0]][0]
                if size_of(program.looks[node.outputs[0]]) is not None:
                    same[node.outputs[0]] = found if found.shape == shape else np.broadcast_to(found, shape)
                    continue
            if isinstance(found, Value) and same_looks(program.looks[found.number], program.looks[node.outputs[0]]):
                same[node.outputs[0]] = found
                continue
            if isinstance(found, Node):
                node = found
            for number in node.outputs:
                made[number] = node
        kept.append(node)
    return program.with_nodes(kept, [_resolved(output, same) for output in program.outputs])


def _is_constant(program: Program, node: Node) -> bool:
    """Whether an instruction can be folded into a constant: it is deterministic, and its result is small."""
    op = node.what
    if not isinstance(op, Op) or op.variadic or op.outputs != 1 or any(o.__class__ is Value for o in node.inputs):
        return False
    if node.has_open_attributes:
        return False
    size = size_of(program.looks[node.outputs[0]])
    return op.name == "broadcast_to" or (size is not None and size <= _MOST_KEPT)


_MOST_KEPT = 1 << 12

Rule = Callable[[Program, Node, dict[int, Node]], Any]
_RULES: dict[str, Rule] = {}


def _rule(*names: str) -> Callable[[Rule], Rule]:
    def declare(rule: Rule) -> Rule:
        _RULES.update(dict.fromkeys(names, rule))
        return rule

    return declare


def _is_all(operand: Any, number: float) -> bool:
    """Whether an operand is a constant with this value everywhere."""
    if operand.__class__ is Value or operand is None:
        return False
    array = np.asarray(operand)
    if array.dtype.kind not in "fciu" or not array.size:
        return False
    if not any(array.strides):  # one element, broadcast
        return bool(array.flat[0] == number)
    return bool((array == number).all())


def _is_factor(operand: Any) -> bool:
    """Whether an operand is one everywhere, which changes nothing as a factor.

    A complex one does: it is multiplied by the parts, and zero times a number may be another zero, or NaN.
    """
    return _is_all(operand, 1) and np.asarray(operand).dtype.kind != "c"


def _is_term(operand: Any, sign: int) -> bool:
    """Whether an operand is zero everywhere, which changes nothing if it is added (`sign` is 1) or subtracted (-1).

    0.0 added to -0.0 gives 0.0, so it must be -0.0 that is added.
    """
    if not _is_all(operand, 0):
        return False
    array = np.asarray(operand)
    parts = (array.real, array.imag) if array.dtype.kind == "c" else (array,)
    return array.dtype.kind not in "fc" or all((np.signbit(part) == (sign > 0)).all() for part in parts)


@_rule("identity", "stop_gradient")
def _(program: Program, node: Node, made: dict[int, Node]) -> Any:
    return node.inputs[0]


@_rule("getitem")
def _(program: Program, node: Node, made: dict[int, Node]) -> Any:
    return node.inputs[0] if node.attributes.get("key") == () else None


@_rule("ones_like", "zeros_like")
def _(program: Program, node: Node, made: dict[int, Node]) -> Any:
    """A constant array of equal elements; one of them is kept."""
    shape, dtype = program.looks[node.outputs[0]]
    if dtype.kind not in "fciu" or size_of((shape, dtype)) is None:
        return None
    value = np.array(1 if getattr(node.what, "name", "") == "ones_like" else 0, dtype)
    return np.broadcast_to(value, shape) if shape else value[()]


@_rule("multiply")
def _(program: Program, node: Node, made: dict[int, Node]) -> Any:
    first, second = node.inputs
    return first if _is_factor(second) else second if _is_factor(first) else None


@_rule("divide")
def _(program: Program, node: Node, made: dict[int, Node]) -> Any:
    first, second = node.inputs
    return first if _is_factor(second) else None


@_rule("add")
def _(program: Program, node: Node, made: dict[int, Node]) -> Any:
    first, second = node.inputs
    if _is_term(second, 1) or _is_term(first, 1):
        return first if _is_term(second, 1) else second
    for total, part in ((first, second), (second, first)):
        inner = _made_by(part, made, "put_row")  # an array of zeros but for one row, as gradients of rows are
        if inner is not None and same_looks(program.look_of(total), program.looks[node.outputs[0]]):
            row, index = inner.inputs
            return Node(add_row, (total, index, row), {}, node.outputs)
    return None


@_rule("subtract")
def _(program: Program, node: Node, made: dict[int, Node]) -> Any:
    first, second = node.inputs
    return first if _is_term(second, -1) else None


@_rule("negative")
def _(program: Program, node: Node, made: dict[int, Node]) -> Any:
    inner = _made_by(node.inputs[0], made, "negative")
    return None if inner is None else inner.inputs[0]


@_rule("reshape")
def _(program: Program, node: Node, made: dict[int, Node]) -> Any:
    """Merge two reshapes into one; remove one that changes nothing."""
    (x,) = node.inputs
    inner = _made_by(x, made, "reshape")
    if inner is not None:
        x = inner.inputs[0]
    if x.__class__ is Value and same_looks(program.looks[x.number], program.looks[node.outputs[0]]):
        return x
    return None if inner is None else Node(node.what, (x,), node.attributes, node.outputs)


@_rule("sum_to_shape", "broadcast_to")
def _(program: Program, node: Node, made: dict[int, Node]) -> Any:
    return node.inputs[0]  # taken only if the shape stays the same


@_rule("permute")
def _(program: Program, node: Node, made: dict[int, Node]) -> Any:
    """Merge two transposes into one, or none."""
    inner = _made_by(node.inputs[0], made, "permute")
    order = node.attributes["perm"]
    if inner is None:
        return node.inputs[0] if tuple(order) == tuple(range(len(order))) else None
    joined = tuple(inner.attributes["perm"][axis] for axis in order)
    if joined == tuple(range(len(joined))):
        return inner.inputs[0]
    return Node(node.what, inner.inputs, {"perm": joined}, node.outputs)


@_rule("matmul")
def _(program: Program, node: Node, made: dict[int, Node]) -> Any:
    """Fold a transpose into the `transpose_a` or `transpose_b` of the product that uses it."""
    attributes, inputs, changed = dict(node.attributes), list(node.inputs), False
    for place, flag in enumerate(("transpose_a", "transpose_b")):
        inner = _made_by(inputs[place], made, "permute")
        if flag not in attributes or inner is None:
            continue
        order = tuple(inner.attributes["perm"])
        last = len(order)
        if order == (*range(last - 2), last - 1, last - 2):
            inputs[place], attributes[flag], changed = inner.inputs[0], not attributes[flag], True
    return Node(node.what, tuple(inputs), attributes, node.outputs) if changed else None


def _made_by(operand: Any, made: dict[int, Node], name: str) -> Node | None:
    node = made.get(operand.number) if operand.__class__ is Value else None
    return node if node is not None and isinstance(node.what, Op) and node.what.name == name else None


# --- order -----------------------------------------------------------------------------------------------------------------

_CHANGES = (set_row, add_row, resize_rows, set_open_row, resize_open_rows)


def with_rows_read_first(program: Program) -> Program:
    """Rows of an array are read before it is changed, where that is possible: the last use of an array can change it in place."""
    made = dict.fromkeys(program.inputs, -1)
    changed: dict[int, int] = {}  # where an array is changed first
    for position, node in enumerate(program.nodes):
        made.update(dict.fromkeys(node.outputs, position))
        if node.what in _CHANGES and node.inputs[0].__class__ is Value:
            changed.setdefault(node.inputs[0].number, position)
    order = list(range(len(program.nodes)))
    places: dict[int, float] = {}
    for position, node in enumerate(program.nodes):
        if node.what is get_row and node.inputs[0].__class__ is Value:
            place = changed.get(node.inputs[0].number, position)
            if place < position and all(made.get(number, -1) < place for number in node.used):
                places[position] = place - 0.5
    if not places:
        return program
    order.sort(key=lambda position: places.get(position, position))
    return program.with_nodes([program.nodes[position] for position in order])


PASSES: tuple[Pass, ...] = (
    without_dead_code,
    optimized_inside,
    simplified,
    without_repetition,
    with_rows_together,
    with_repetitions_late,
    with_smaller_operands_scaled,
    with_transposes_late,
    simplified,
    without_repetition,
    with_residuals,
    with_sequences,
    with_rows_added,
    without_dead_code,
    with_rows_read_first,
)
