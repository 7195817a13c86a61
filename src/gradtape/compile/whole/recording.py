"""Instructions of a program as steps on memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...native.choice import choice_of
from ...native.language import Unsupported
from ...op.declaration import Op
from ..program import Node, Program, Value
from .by_hand import BY_HAND
from .stand_in import StandIn, Steps
from .steps import GIVEN, Buffer


class Recording:
    """Steps for instructions that were given one after the other, with the values they made."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.steps = Steps()
        self.given: dict[int, StandIn] = {}  # by number: values that come from outside
        self.values: dict[int, StandIn] = {}  # those that are made here

    def add(self, node: Node) -> bool:
        """Record an instruction; False, and nothing is changed, where that is not possible."""
        before, given = len(self.steps), dict(self.given)
        try:
            self._add(node)
        except Exception:  # a kernel that cannot run without values fails in its own way
            del self.steps[before:]
            self.given = given
            return False
        return True

    def _add(self, node: Node) -> None:
        op = node.what
        if not isinstance(op, Op):
            raise Unsupported(op.name)
        operands = [self._operand(operand) for operand in node.inputs]
        by_hand = BY_HAND.get(op.name)
        if by_hand is not None:
            result = by_hand(self.steps, *operands, **node.attributes)
        else:
            ways = choice_of(op.eager)
            kernel = ways.small if ways is not None else op.eager
            result = kernel(operands, **node.attributes) if op.variadic else kernel(*operands, **node.attributes)
        results = (result,) if op.outputs == 1 else tuple(result)
        made = {}
        for number, value in zip(node.outputs, results, strict=True):
            if not isinstance(value, StandIn):
                value = self.steps.constant(value)
            if (value.shape, value.dtype) != self._program.looks[number]:
                raise Unsupported(f"{op.name} gives another type here")
            made[number] = value
        self.values.update(made)

    def _operand(self, operand: Any) -> Any:
        return self.take(operand.number) if operand.__class__ is Value else operand

    def take(self, number: int) -> StandIn:
        """The value of that number: one that is made here, or one from outside."""
        found = self.values.get(number, self.given.get(number))
        if found is None:
            shape, dtype = self._program.looks[number]
            array = np.ones(shape, dtype)
            found = self.given[number] = StandIn(self.steps, array, Buffer(GIVEN, array))
        return found
