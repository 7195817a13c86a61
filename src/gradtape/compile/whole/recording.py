"""Instructions of a program as steps on memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...native import thresholds
from ...native.choice import choice_of
from ...native.language import Unsupported
from ...op.declaration import Op
from ..program import Branch, Call, Loop, Node, Program, Value, size_of
from . import positions  # noqa: F401  (fills BY_HAND)
from .by_hand import BY_HAND
from .callbacks import are_mostly_calls, record_call
from .draws import drawn, drawn_from_state, is_of_state, is_stateless
from .in_place import changed_in_place, expect_no_large_copies
from .scheduling import LINE, in_registers, laid_out, scheduled
from .stand_in import StandIn, Steps
from .steps import CONSTANT, GIVEN, GROWN, MADE, AnyStep, Buffer, Choice, Part, Reduction, Rounds, View


class Stack:
    """What a loop has collected, in as many rounds as it took: other loops go through it."""

    def __init__(self, view: View) -> None:
        self.located = view


class Recording:
    """Steps for instructions that were given one after the other, with the values they made."""

    def __init__(self, program: Program, steps: Steps | None = None) -> None:
        self._program = program
        self.steps = steps or Steps()
        self.given: dict[int, StandIn] = {}  # by number: values that come from outside
        self.values: dict[int, Any] = {}  # those that are made here

    def add(self, node: Node) -> bool:
        """Record an instruction; False, and nothing is changed, where that is not possible."""
        before, given = len(self.steps.current), dict(self.given)
        try:
            made = self._results(node)
        except Exception:  # a kernel that cannot run without values fails in its own way
            del self.steps.current[before:]
            self.given = given
            return False
        self.values.update(zip(node.outputs, made, strict=True))
        return True

    def _results(self, node: Node) -> Sequence[Any]:
        what = node.what
        if isinstance(what, Op):
            return self._op(node, what)
        if isinstance(what, Loop):
            return self._loop(node, what)
        if isinstance(what, Branch):
            return self._branch(node, what)
        if isinstance(what, Call) and is_stateless(what):
            return drawn(self.steps, what, self._value, self._program.looks[node.outputs[0]])
        if isinstance(what, Call) and is_of_state(what):
            return drawn_from_state(self.steps, what, self._value, self._program.looks[node.outputs[0]])
        raise Unsupported(what.name)

    def _op(self, node: Node, op: Op) -> list[StandIn]:
        if op.waits:
            raise Unsupported(f"{op.name} waits for others")
        if node.has_open_attributes or any(size_of(self._program.looks[number]) is None for number in node.outputs):
            raise Unsupported(f"{op.name}: a size depends on values")
        operands = [self._operand(operand) for operand in node.inputs]
        before = len(self.steps.current)
        try:
            return self._written(node, op, operands)
        except Exception:  # a kernel that cannot run without values fails in its own way
            if not self.steps.may_call or any(isinstance(x, Stack) for x in operands):
                raise
        del self.steps.current[before:]
        return record_call(self.steps, op, operands, node.attributes, [self._program.looks[n] for n in node.outputs])

    def _written(self, node: Node, op: Op, operands: list[Any]) -> list[StandIn]:
        """The op's kernel as steps."""
        self.steps.was_read = False
        by_hand = BY_HAND.get(op.name)
        if by_hand is not None:
            result = by_hand(self.steps, *operands, **node.attributes)
        else:
            ways = choice_of(op.eager)
            if ways is not None and getattr(operands[0], "size", 1) >= ways.smallest:
                raise Unsupported(f"{op.name} of a large array")
            kernel = ways.small if ways is not None else op.eager
            with np.errstate(all="ignore"):  # (it may be given some numbers)
                result = kernel(operands, **node.attributes) if op.variadic else kernel(*operands, **node.attributes)
        made = []
        for number, value in zip(node.outputs, (result,) if op.outputs == 1 else tuple(result), strict=True):
            if not isinstance(value, StandIn):
                value = self.steps.constant(value)
            if (value.shape, value.dtype) != self._program.looks[number]:
                raise Unsupported(f"{op.name} gives another type here")
            made.append(value)
        if self.steps.was_read:
            raise Unsupported(f"{op.name} reads the values of an array")
        return made

    def _operand(self, operand: Any) -> Any:
        return self.take(operand.number) if operand.__class__ is Value else operand

    def take(self, number: int) -> Any:
        """The value of that number: one that is made here, or one from outside."""
        found = self.values.get(number, self.given.get(number))
        if found is None:
            found = self.given[number] = self._placeholder(GIVEN, *self._program.looks[number])
        return found

    def _placeholder(self, kind: str, shape: tuple[int, ...], dtype: Any) -> StandIn:
        # (Zeros take no memory until they are touched, which large arrays never are.)
        array = np.ones(shape, dtype) if math.prod(shape) < thresholds.WHOLE_ELEMENTS else np.zeros(shape, dtype)
        return StandIn(self.steps, array, Buffer(kind, array))

    def _value(self, operand: Any) -> Any:
        """An operand as a stand-in, also where it is a constant."""
        found = self._operand(operand)
        return found if isinstance(found, (StandIn, Stack)) else self.steps.constant(found)

    def own_value(self, operand: Any) -> StandIn:
        """An operand in memory of its own, or a constant: nothing that is given from outside."""
        found: StandIn = self._value(operand)
        return found if found.buffer.kind in (MADE, CONSTANT) else found.astype(found.dtype)

    def lies_in_order(self, operand: Any) -> bool:
        """Whether an operand lies in the order of its axes, without gaps."""
        return bool(self._value(operand).array.flags.c_contiguous)

    # --- loops and branches ----------------------------------------------------------------------------------------

    def _part(self, program: Program, values: Sequence[Any]) -> tuple[list[AnyStep], list[StandIn]]:
        """The steps of a program inside, and the values that it ends with."""
        inner = Recording(program, self.steps)
        inner.values.update(zip(program.inputs, values, strict=True))
        with self.steps.inside() as steps:
            for node in program.nodes:
                if not inner.add(node):
                    raise Unsupported(f"{node.what.name} in a loop or a branch")
            results = [inner._value(output) for output in program.outputs]
        if are_mostly_calls(steps, len(program.nodes)):
            raise Unsupported("a loop or a branch of calls")
        if not all(isinstance(result, StandIn) for result in results):
            raise Unsupported("what a loop has collected, as a value")
        return steps, results

    def _loop(self, node: Node, loop: Loop) -> list[Any]:
        operands = [self._value(operand) for operand in node.inputs]
        count = None if loop.condition is not None else operands.pop(0)
        starts, rest = operands[: loop.carried], operands[loop.carried :]
        sequences, constants = rest[: loop.sequences], rest[loop.sequences :]
        looks = [loop.body.looks[number] for number in loop.body.inputs]
        states = [self._placeholder(MADE, *look) for look in looks[: loop.carried]]
        elements = [self._placeholder(GIVEN, *look) for look in looks[loop.carried : loop.carried + loop.sequences]]
        if any(isinstance(value, Stack) for value in (*starts, *constants)) or not all(map(_in_order, starts)):
            raise Unsupported("what goes round lies in another order")
        if not all(isinstance(sequence, Stack) or _in_order(sequence) for sequence in sequences):
            raise Unsupported("what a loop goes through lies in another order")
        body, results = self._part(loop.body, [*states, *elements, *constants])
        condition = None
        if loop.condition is not None:
            condition = _planned(*self._part(loop.condition, [*states, *constants]))
        ends, collected = results[: loop.carried], results[loop.carried :]
        summed = {view.buffer for step in body if isinstance(step, Reduction) for view in step.reads}
        for state, end in zip(states, ends, strict=True):
            if (state.shape, state.dtype) != (end.shape, end.dtype) or not _in_order(
                end, gaps=state.buffer not in summed
            ):
                raise Unsupported("what goes round changes its shape or order")
        moved = {
            place: Buffer(MADE, np.empty(state.shape, state.dtype))
            for place, (state, end) in enumerate(zip(states, ends, strict=True))
            if end.buffer is not state.buffer and any(end.buffer is other.buffer for other in states)
        }
        in_place = changed_in_place(body, states, results, condition)
        part = _planned(body, results, list(moved.values()), in_place)
        # (What goes round unchanged is copied before the first round, which Python lines do not.)
        copied = [end for state, end in zip(states, ends, strict=True) if in_place.get(end.buffer) is not state.buffer]
        expect_no_large_copies(body, [*copied, *collected])
        rounds = int(count.array) if count is not None and count.buffer.kind == CONSTANT else None
        stacks = [self._stack(rounds, value) for value in collected]
        scratch = Buffer(MADE, np.empty(0, np.uint8))
        scratch.extra = max(part.size, condition.size if condition is not None else 0)
        total = self._placeholder(MADE, (), np.int64)
        step = Rounds(
            None if count is None else count.located, [start.located for start in starts], [s.located for s in states],
            [(s.located, element.buffer) for s, element in zip(sequences, elements, strict=True)],
            [stack.located.buffer for stack in stacks], moved, total.located, condition, part, loop.reverse, scratch,
        )  # fmt: skip
        self.steps.append(step)
        return [total, *states, *stacks]

    def _stack(self, rounds: int | None, value: StandIn) -> Any:
        if rounds is not None:
            return self._placeholder(MADE, (rounds, *value.shape), value.dtype)
        array = np.empty((1, *value.shape), value.dtype)
        return Stack(View(Buffer(GROWN, array), 0, array.shape, array.strides, array.dtype))

    def _branch(self, node: Node, branch: Branch) -> list[Any]:
        number, *given = [self._value(operand) for operand in node.inputs]
        parts = [self._part(program, given) for program in branch.programs]
        results = [self._placeholder(MADE, *self._program.looks[number]) for number in node.outputs]
        for _, values in parts:
            for result, value in zip(results, values, strict=True):
                if (result.shape, result.dtype) != (value.shape, value.dtype) or not _in_order(value):
                    raise Unsupported("branches that give several types or orders")
        for steps, values in parts:
            expect_no_large_copies(steps, values)
        planned = [_planned(*part) for part in parts]
        scratch = Buffer(MADE, np.empty(0, np.uint8))
        scratch.extra = max(part.size for part in planned)
        self.steps.append(Choice(number.located, planned, [result.located for result in results], scratch))
        return list(results)


def _planned(
    steps: list[AnyStep],
    results: list[StandIn],
    more: Sequence[Buffer] = (),
    aliases: dict[Buffer, Buffer] | None = None,
) -> Part:
    """Steps in their order, with places for what they make, and for more at the end. `aliases` lie where other values do."""
    aliases = aliases or {}
    wanted = [result.buffer for result in results]
    order = scheduled(steps, wanted)
    registers = in_registers(order)
    places, size = laid_out(order, {*registers, *aliases}, wanted)
    for buffer in more:
        if buffer.bytes <= LINE:
            registers.append(buffer)
        else:
            places[buffer], size = size, size + -(-buffer.bytes // LINE) * LINE
    return Part(order, [result.located for result in results], registers, places, size, aliases)


def _in_order(value: StandIn, gaps: bool = False) -> bool:
    """Whether elements lie in the order of the axes, without gaps if they matter, or are all one.

    What goes round is copied to memory without gaps. Only a sum of it would be computed in another order.
    """
    array = value.array
    strides = [stride for stride, size in zip(array.strides, array.shape, strict=True) if size > 1]
    ordered = strides == sorted(strides, reverse=True) and all(stride > 0 for stride in strides)
    return bool(array.flags.c_contiguous or not any(array.strides) or (gaps and ordered))
