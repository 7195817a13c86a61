"""Arrays that are repeated to fill a shape (`broadcast_to`), as the gradients of sums are: instructions take what was repeated.

    multiply(broadcast_to(g), x)      becomes   multiply(g, x), which repeats g itself
    divide(broadcast_to(g), 3.0)      becomes   broadcast_to(divide(g, 3.0))

So there is no array of equal elements to write and to read.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..native import thresholds
from ..op.declaration import Op
from ..ops.array.layout import broadcast_to
from .program import Node, Program, Value, size_of


def with_repetitions_late(program: Program) -> Program:
    """The program, with elementwise instructions on arrays before they are repeated."""
    repeated: dict[int, Any] = {}  # by number: what a value repeats
    looks = dict(program.looks)
    nodes: list[Node] = []
    following = max(looks, default=0) + 1
    for node in program.nodes:
        wanted: Any = program.looks[node.outputs[0]] if len(node.outputs) == 1 else (None, np.dtype(bool))
        if node.what is broadcast_to and node.inputs[0].__class__ is Value and not node.has_open_attributes:
            if size_of(wanted) is not None and size_of(program.looks[node.inputs[0].number]) is not None:
                repeated[node.outputs[0]] = node.inputs[0]
        elif is_elementwise(node) and size_of(wanted) is not None:
            inputs = [repeated.get(getattr(operand, "number", -1), operand) for operand in node.inputs]
            shapes = [_shape(looks, operand) for operand in inputs]
            if None in shapes or all(a is b for a, b in zip(inputs, node.inputs, strict=True)):
                nodes.append(node)
                continue
            shape = np.broadcast_shapes(*shapes)
            if shape == wanted[0]:
                node = replace(node, inputs=tuple(inputs))
            # (Sums of repeated elements have no native form: small arrays are repeated first.)
            elif (size_of(wanted) or 0) >= thresholds.WHOLE_ELEMENTS:
                looks[following] = shape, wanted[1]
                nodes.append(replace(node, inputs=tuple(inputs), outputs=(following,)))
                repeated[node.outputs[0]] = Value(following)
                node = Node(broadcast_to, (Value(following),), {"shape": wanted[0]}, node.outputs)
                following += 1
        nodes.append(node)
    return replace(program, nodes=nodes, looks=looks)


def is_elementwise(node: Node) -> bool:
    """Whether an instruction computes each element by itself, of operands that are repeated to fill a shape."""
    op = node.what
    if not isinstance(op, Op) or op.variadic or op.outputs != 1 or node.has_open_attributes:
        return False
    return op.broadcasts and not any(operand is None for operand in node.inputs)


def _shape(looks: dict[int, Any], operand: Any) -> Any:
    """The shape of an operand, if it is known."""
    look = looks[operand.number] if operand.__class__ is Value else (np.shape(operand), np.dtype(bool))
    return None if size_of(look) is None else look[0]
