"""Products of matrices of which one was scaled, element by element, along the axis that is summed: the smaller matrix is scaled.

    matmul(a, multiply(m, w))     becomes   matmul(multiply(a, w), m)

`w` differs along the axis that is summed, and from matrix to matrix, but not along the other axis of `m`. Where `w` repeats `m`
for each of its own matrices, the array that is saved is as many times as large as `m`: in the gradient of a sum that is weighted
in several ways (the skin of a hand on 22 bones), with 300 cotangents at once, 115 MB. And matrices of one operand that all meet
the same matrix of the other one are rows of one product. Sums are rounded in another order, so programs on small arrays are left
as they are.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np

from ..native import thresholds
from ..ops.array.layout import permute, reshape
from ..ops.linalg.products import matmul
from ..ops.math.elementwise import multiply
from .program import Node, Program, Value, size_of

_WORTH = 4  # times as many elements are scaled as need be


def with_smaller_operands_scaled(program: Program) -> Program:
    """The program, with large scaled operands of products left unscaled where the other operand can be scaled instead."""
    if not any(node.what is matmul and _is_large(program, node) for node in program.nodes):
        return program
    scaled = _Scaled(program)
    for node in program.nodes:
        if node.what is not matmul or not scaled.changes(node):
            scaled.nodes.append(node)
    return replace(program, nodes=scaled.nodes, looks=scaled.looks)


def _is_large(program: Program, node: Node) -> bool:
    return any((size_of(program.look_of(operand)) or 0) >= thresholds.WHOLE_ELEMENTS for operand in node.inputs)


class _Scaled:
    """The program that is written."""

    def __init__(self, program: Program) -> None:
        self.program, self.nodes, self.looks = program, list[Node](), dict(program.looks)
        self._makers = {number: node for node in program.nodes for number in node.outputs}
        self._uses = Counter(number for node in program.nodes for number in node.used)
        self._uses.update(output.number for output in program.outputs if output.__class__ is Value)
        self._following = max(self.looks, default=0) + 1

    def changes(self, node: Node) -> bool:
        """Write a product in the other way, if that is worth it."""
        if node.has_open_attributes:
            return False
        flags = [bool(node.attributes.get(name)) for name in ("transpose_a", "transpose_b")]
        for place, other in ((1, 0), (0, 1)):
            found = self._unscaled(node.inputs[place], node.inputs[other], place, flags)
            if found is not None:
                large, scale = found
                small = self._add(multiply, (node.inputs[other], scale))
                operands = (large, small) if place == 0 else (small, large)
                self._write_product(operands, flags, node.outputs[0])
                return True
        return False

    def _unscaled(self, operand: Any, other: Any, place: int, flags: list[bool]) -> tuple[Any, Any] | None:
        """What an operand was before it was scaled, and the scale as the other operand takes it."""
        maker = self._makers.get(operand.number) if operand.__class__ is Value else None
        if maker is None or maker.what is not multiply or self._uses[operand.number] != 1:
            return None
        sizes = self._shape(operand)
        if sizes is None or math.prod(sizes) < thresholds.WHOLE_ELEMENTS:
            return None
        is_last = (place == 0) != flags[place]  # whether the last axis of the operand is the one that is summed
        free, summed = (-2, -1) if is_last else (-1, -2)
        for unscaled, scale in (maker.inputs, maker.inputs[::-1]):
            shape, before, beside = self._shape(scale), self._shape(unscaled), self._shape(other)
            if shape is None or before is None or beside is None:
                continue
            fits = len(shape) >= 2 and len(before) >= 2 and shape[free] == 1 and before[free] == sizes[free]
            if not fits or before[summed] != sizes[summed]:
                continue
            is_last_there = (place == 1) != flags[1 - place]
            turned = (*shape[:-2], shape[-1], shape[-2]) if is_last_there != is_last else shape
            made = math.prod(np.broadcast_shapes(turned, beside))
            if made * _WORTH > math.prod(sizes):
                continue
            if turned is not shape:
                rank = len(shape)
                scale = self._add(permute, (scale,), perm=(*range(rank - 2), rank - 1, rank - 2))
            return unscaled, scale
        return None

    def _write_product(self, operands: tuple[Any, Any], flags: list[bool], output: int) -> None:
        """`matmul`; matrices on the left that all meet the same matrix are rows of one."""
        left, right = self._shape(operands[0]), self._shape(operands[1])
        assert left is not None
        assert right is not None
        if len(left) != 3 or len(right) < 3 or right[-3] != 1 or left[0] == 1:
            attributes = dict(zip(("transpose_a", "transpose_b"), flags, strict=True))
            self.nodes.append(Node(matmul, operands, attributes, (output,)))
            return
        x, y = operands
        if flags[0]:
            x = self._add(permute, (x,), perm=(0, 2, 1))
        count, rows, inner = self._shape(x) or ()
        x = self._add(reshape, (x,), shape=(count * rows, inner))
        y = self._add(reshape, (y,), shape=(*right[:-3], *right[-2:]))
        product = self._add(matmul, (x, y), transpose_a=False, transpose_b=flags[1])
        self.nodes.append(Node(reshape, (product,), {"shape": self.looks[output][0]}, (output,)))

    def _add(self, what: Any, inputs: tuple[Any, ...], **attributes: Any) -> Any:
        """Write an instruction; its result. One on constants is computed now."""
        constants = [np.asarray(value) for value in inputs if value.__class__ is not Value]
        if len(constants) == len(inputs):
            return np.asarray(what(*constants, **attributes))
        shapes = [self._shape(operand) for operand in inputs]
        dtype = (
            self.program.look_of(inputs[0])[1] if inputs[0].__class__ is not Value else self.looks[inputs[0].number][1]
        )
        if what is multiply:
            shape = np.broadcast_shapes(*shapes)  # type: ignore[arg-type]
        elif what is permute:
            shape = tuple([shapes[0][axis] for axis in attributes["perm"]])  # type: ignore[index]
        elif what is reshape:
            shape = attributes["shape"]
        else:
            x, y = shapes
            assert x is not None
            assert y is not None
            shape = (*y[:-2], x[0], y[-2 if attributes["transpose_b"] else -1])
        number = self._following
        self._following += 1
        self.looks[number] = shape, dtype
        self.nodes.append(Node(what, inputs, attributes, (number,)))
        return Value(number)

    def _shape(self, operand: Any) -> tuple[int, ...] | None:
        """The shape of an operand, if it is known."""
        look = self.looks[operand.number] if operand.__class__ is Value else self.program.look_of(operand)
        return None if size_of(look) is None else look[0]
