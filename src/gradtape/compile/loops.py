"""Loops while a graph is lowered: the rounds become a program of their own.

A loop is recorded on tapes as one call. Its gradient is a loop again, which goes back over the values that each round began
with and runs the round once more under a tape; so gradients of gradients need nothing else. What was drawn at random is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.sizes import UNKNOWN, Size, is_known
from ..differentiation.backward import zeros_of
from ..differentiation.custom import record_call
from ..differentiation.forward import ForwardAccumulator
from ..differentiation.tape import GradientTape
from ..differentiation.vectorize import Batched
from ..op.abstract import Shape
from ..op.call import RUNNERS
from ..op.declaration import Op
from ..op.family import with_batch_axis
from ..ops.array.layout import permute, reshape
from ..ops.math.elementwise import add
from ..ops.math.logic import less, logical_and
from ..ops.math.reduce import reduce_sum
from ..trace.abstract_tensor import AbstractTensor, NeedsValue
from ..trace.carried import ElementShape
from ..trace.control import common
from ..values.tensor import EagerTensor, from_array, to_tensor
from .counting import counted
from .inside import (
    Assigned,
    Level,
    Longer,
    Shell,
    Wider,
    as_carried,
    as_recorded,
    as_tensor,
    filled,
    followed_among,
    free_values,
    is_recording,
    look_of,
    opened,
    operand,
    present_values,
    tangent_of,
    tensors_in,
)
from .outcomes import LoopOutcomes, Outcomes, Replay
from .program import MANY, Look, Loop, Node, Program, Value, element_of, is_stack, stack_of
from .replica_draws import Undrawn, drawn_before, with_draws

if TYPE_CHECKING:
    from .lowering import Lowering


Turn = Callable[[list[Any], list[Any]], tuple[list[Any], list[Any]]]


@dataclass
class Made:
    """What a loop gives."""

    rounds: Any  # their number
    after: list[Any]  # the carried values after the last one
    collected: list[Any]
    outcomes: LoopOutcomes


class Stack(AbstractTensor):
    """The values collected by a loop whose number of rounds is unknown."""

    __slots__ = ()


def run_on_stacks(op: Op, args: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
    """Run an op on collected values: their gradients are added and transposed, and other ops are not supported."""
    stack = next(value for value in args if value.__class__ is Stack)
    shape, dtype = stack._array.shape, stack.dtype.numpy
    if op is permute and element_of(shape) is not None:
        shape = tuple(shape[axis] for axis in attributes["perm"])
    elif op is not add or any(value.__class__ is not Stack for value in args):
        raise NeedsValue(f"The sizes of what {op.name} is given are known only when the function runs.")
    evaluator = stack.evaluator
    result = evaluator.tensor_of(shape, dtype, Stack)  # type: ignore[attr-defined]
    inputs = tuple(Value(value.number) for value in args)
    evaluator.append(Node(op, inputs, attributes, (result.number,)))  # type: ignore[attr-defined]
    return result


RUNNERS[Stack] = run_on_stacks


class _Varies(Exception):
    """A carried value has another shape after a round: less is known of it inside."""

    def __init__(self, place: int, shape: Shape) -> None:
        self.place, self.shape = place, shape


def loop(
    evaluator: Lowering,
    turn: Turn,
    carried: list[Any],
    sequences: Sequence[Any] = (),
    condition: Callable[[list[Any]], Any] | None = None,
    count: Any = None,
    reverse: bool = False,
    settle: Callable[[dict[int, Any]], None] | None = None,
    earlier: LoopOutcomes | None = None,
    assigned: Set[int] = frozenset(),
    across: Any = None,
) -> Made:
    """Record a loop.

    Args:
        evaluator: The lowering that records the loop.
        turn: A function from the carried values and one element of each sequence to the next values and the values to collect.
        carried: The carried values of the first round.
        sequences: Tensors of which each round takes one element along the first axis.
        condition: Of the carried values, whether there is another round; without it there are `count`.
        count: The number of rounds.
        reverse: Whether to begin with the last element.
        settle: Called before the loop is recorded, with the known carried values after the last round, by place.
        earlier: What it has read and drawn in an earlier run.
        assigned: The variables that are known to be changed.
        across: A mesh of devices that take one round each.
    """
    carried = list(map(as_tensor, carried))
    changed = set(assigned)
    shapes: dict[int, Shape] = {}  # of carried values whose shapes vary
    if earlier is not None:
        turn, sequences = _replaying(evaluator, turn, len(sequences), earlier), [*sequences, *earlier.stacks]
        count = earlier.rounds if earlier.rounds is not None else count
    drawn: list[Any] | None = None  # what rounds that run at the same time draw
    while True:
        try:
            elements = [*sequences, *(drawn or ())]
            run = turn if across is None else with_draws(evaluator, turn, len(sequences), drawn is not None)
            made = _Loop(evaluator, run, carried, elements, condition, count, reverse, changed, shapes, earlier, across)
            return made.written(settle)
        except Undrawn as found:
            drawn = drawn_before(evaluator, found.calls, count)
        except Assigned as found:
            if found.variable._id in changed:
                raise
            changed.add(found.variable._id)
        except _Varies as found:
            shapes[found.place] = found.shape
        except Wider as found:
            like, value = found.like, carried[found.place]
            carried[found.place] = Batched(with_batch_axis(value, like.batch_size), like.level, like.depth)


def _replaying(evaluator: Lowering, turn: Turn, count: int, earlier: LoopOutcomes) -> Turn:
    """The same rounds, in which what was read and drawn comes after the elements of `count` sequences."""

    def again(carried: list[Any], elements: list[Any]) -> tuple[list[Any], list[Any]]:
        evaluator.levels[-1].replay = Replay(earlier.one.like(iter(elements[count:])))
        return turn(carried, elements[:count])

    return again


class _Loop:
    """One attempt to lower a loop."""

    def __init__(
        self,
        evaluator: Lowering,
        turn: Turn,
        carried: list[Any],
        sequences: list[Any],
        condition: Callable[[list[Any]], Any] | None,
        count: Any,
        reverse: bool,
        assigned: set[int],
        shapes: dict[int, Shape],
        earlier: LoopOutcomes | None,
        across: Any = None,
    ) -> None:
        self.shapes, self.across = shapes, across
        self.evaluator, self.given_turn, self.condition, self.count, self.reverse = (
            evaluator,
            turn,
            condition,
            count,
            reverse,
        )
        self.carried, self.sequences, self.assigned = carried, sequences, assigned
        self.recorded = is_recording()
        self.own = 0  # how many of the collected values are the caller's
        self.earlier = earlier
        self.before: dict[int, Any] = {}  # what variables hold when it begins
        self.of_test = Outcomes()  # what the condition reads and draws

    def turn(self, carried: list[Any], elements: list[Any]) -> tuple[list[Any], list[Any]]:
        """One round; for the gradient, the values that it began with are collected too."""
        following, collected = self.given_turn(carried, elements)
        self.own = len(collected)
        return following, [*collected, *carried] if self.recorded else collected

    def written(self, settle: Callable[[dict[int, Any]], None] | None) -> Made:
        """Record the loop and return its results."""
        with self.evaluator.sizes_inside():
            what, starts, stacks, free, shells, layers, level, looks = self._lowered()
        finals: dict[int, Any] = {}
        if what.condition is not None:
            known = counted(what, [start._array if start.__class__ is EagerTensor else None for start in starts])
            if known is not None:
                self.count, finals = known.rounds, known.finals
                what = replace(what, condition=None)
        if settle is not None:
            settle(finals)
        operands = [*starts, *stacks]
        if what.condition is None:
            count = self.count
            operands.insert(0, self.evaluator.sized(count, np.int64) if isinstance(count, Size) else to_tensor(count))
        return self._results(what, operands, free, shells, layers, level, finals, looks)

    def _lowered(self) -> tuple[Any, ...]:
        """The loop, its operands, and what is known of the results."""
        evaluator = self.evaluator
        starts, shells = zip(*map(opened, self.carried), strict=True) if self.carried else ((), ())
        taken_apart = [opened(sequence) for sequence in self.sequences]
        stacks = [shell.element(data) for data, shell in taken_apart]
        depth = len(evaluator.levels) + 1
        inside = [
            evaluator.tensor_of(self.shapes.get(place, look_of(start)[0]), look_of(start)[1], depth=depth)
            for place, start in enumerate(starts)
        ]
        taken = [self._element(stack, depth) for stack in stacks]
        hidden = [shell(abstract) for shell, abstract in zip(shells, inside, strict=True)]
        elements = [shell(abstract) for (_, shell), abstract in zip(taken_apart, taken, strict=True)]
        test = self._condition(hidden) if self.condition is not None else None
        if self.count is not None:  # (as many rounds as the first run had, whose condition may have drawn)
            test = None
        body, level, layers = self._body(hidden, elements, inside, shells)
        numbers = [abstract.number for abstract in (*inside, *taken)]
        free = free_values([*([test] if test is not None else []), body], set(numbers))
        body.inputs = [*numbers, *free]
        if test is not None:
            test.inputs = [*(abstract.number for abstract in inside), *free]
        what = Loop(test, body, len(inside), len(taken), self.reverse, self.own, self.across)
        return what, starts, stacks, free, shells, layers, level, [look_of(abstract) for abstract in inside]

    def _element(self, stack: object, depth: int) -> AbstractTensor:
        """What one round gets of a sequence; that of a list of stacks is a stack."""
        shape, dtype = look_of(stack)
        taken = element_of(shape)
        return self.evaluator.tensor_of(taken, dtype, Stack if is_stack(taken) else AbstractTensor, depth=depth)

    def _condition(self, carried: list[Any]) -> Program:
        assert self.condition is not None
        with self.evaluator.inside(True, False, self.assigned) as level:
            level.discarded = self.count is not None
            if self.earlier is not None and not level.discarded:
                level.replay = Replay(self.earlier.test)
            truth = as_tensor(self.condition(carried))
            if truth.__class__ is Batched:
                raise NeedsValue("Each entry of a batch has a number of rounds of its own.")
            level.program.outputs = [operand(truth)]
        self.before.update(level.before)
        self.of_test = level.outcomes
        return level.program

    def _body(
        self, carried: list[Any], elements: list[Any], inside: list[AbstractTensor], shells: Any
    ) -> tuple[Program, Level, list[Shell]]:
        """The program of one round, and the hidden axes of what it collects."""
        with self.evaluator.inside(True, self.recorded, self.assigned) as level:
            following, collected = self.turn(list(carried), list(elements))
            following, collected = list(map(as_tensor, following)), list(map(as_tensor, collected))
            for place, (value, start, shell) in enumerate(zip(following, inside, shells, strict=True)):
                data, layers = opened(value)
                if layers.layers and not shell.layers:
                    raise Wider(place, value)
                if shell.layers and not layers.layers:
                    size = look_of(start)[0][0]
                    following[place] = shell(with_batch_axis(value, size))
                    data, layers = opened(following[place])
                if layers != shell or look_of(data)[1] != look_of(start)[1]:
                    raise NeedsValue("What goes round in a loop changes its type.")
                self._compare(place, look_of(start)[0], look_of(data)[0])
            kept = [opened(value) for value in [*following, *collected, *level.outcomes.all]]
            for data, _ in kept:
                self.evaluator.note(data)
            level.program.outputs = [operand(data) for data, _ in kept]
        self.before.update(level.before)
        return level.program, level, [shell for _, shell in kept[len(following) :]]

    def _compare(self, place: int, before: Shape, after: Shape) -> None:
        """Raise if a carried value may have another shape after a round than it is taken to have before."""
        expected = self.shapes.get(place, before)
        if expected is None:
            return
        shape = common(before, after)
        if shape is not None:
            fixed = [UNKNOWN if size is UNKNOWN else one for size, one in zip(expected, shape, strict=True)]
            if all(new is not UNKNOWN or old is UNKNOWN for new, old in zip(shape, expected, strict=True)):
                return
            shape = tuple(fixed)
        raise _Varies(place, shape)

    def _results(
        self,
        what: Loop,
        operands: list[Any],
        free: list[int],
        shells: Any,
        layers: list[Shell],
        level: Level,
        known_after: dict[int, Any],
        looks: list[Look],
    ) -> Made:
        evaluator = self.evaluator
        rounds = evaluator.tensor_of((), np.dtype(np.int64))
        finals = [evaluator.tensor_of(*look) for look in looks]
        known = self.count if isinstance(self.count, (int, Size)) else MANY
        stacks = []
        for place, output in enumerate(what.body.outputs[what.carried :]):
            shape: Any
            shape, dtype = what.body.look_of(output)
            # (What each round began with may have a size of its own each time, or even a rank.)
            listed = place >= self.own and (shape is None or is_stack(shape) or not all(map(evaluator.has_size, shape)))
            if listed or known is MANY:
                stacks.append(evaluator.tensor_of(stack_of(shape), dtype, Stack))
            elif shape is None:
                stacks.append(evaluator.tensor_of(None, dtype))
            else:
                stacks.append(
                    evaluator.tensor_of((known, *(n if n.__class__ is int else UNKNOWN for n in shape)), dtype)
                )
        results = [rounds, *finals, *stacks]
        inputs = (*map(operand, operands), *map(Value, free))
        evaluator.append(Node(what, inputs, {}, tuple(abstract.number for abstract in results)))
        after = [shell(abstract) for shell, abstract in zip(shells, finals, strict=True)]
        for place, value in known_after.items():
            after[place] = shells[place](from_array(value))
        collected = [shell.collected(stack) for shell, stack in zip(layers, stacks, strict=True)]
        drawn = collected[len(collected) - len(level.outcomes.all) :]
        # (Where counting shows the number of rounds, another run counts again.)
        is_needed = (drawn or self.of_test.all) and known is MANY and self.condition is not None
        outcomes = LoopOutcomes(level.outcomes, self.of_test, drawn, rounds if is_needed else None)
        if self.recorded:
            self._record(rounds, after, collected, level)
        for given in operands:
            evaluator.note(given)
        own = [self._sized(what, known, *each) for each in enumerate(collected[: self.own])]
        return Made(rounds, after, own, outcomes)

    def _sized(self, what: Loop, count: object, place: int, collected: object) -> Any:
        """What was collected, with the sizes that are known outside: if there was no round, it has no others."""
        shape = what.body.look_of(what.body.outputs[what.carried + place])[0]
        if collected.__class__ is not AbstractTensor or shape is None or is_known(shape):
            return collected
        if not all(map(self.evaluator.has_size, shape)):
            return collected
        return reshape(collected, shape=(count, *shape))

    # --- the gradient ------------------------------------------------------------------------------------------------

    def _record(self, rounds: object, after: list[Any], collected: list[Any], level: Level) -> None:
        """One record for the loop on all tapes that follow something of it."""
        constants = followed_among([*level.used.values(), *present_values([level.program])])
        states = collected[self.own : self.own + len(after)]
        draws = collected[self.own + len(after) :]
        places = [place for place, value in enumerate(after) if value.dtype.is_differentiable]
        drawn = () if self.earlier is None else self.earlier.stacks
        elements = [place for place, value in enumerate(self.sequences) if _has_gradient(value, drawn)]
        sources = [*self.carried, *self.sequences, *constants]
        size = self.count if isinstance(self.count, (int, Size)) else rounds

        def gradient(*cotangents: Any) -> list[Any]:
            of_after = cotangents[: len(after)]
            of_collected = cotangents[
                len(after) : len(after) + self.own + len(states)
            ]  # (no gradient of what was drawn)
            weighted = [place for place, weight in enumerate(of_collected) if _is_weight(weight)]
            weights = [of_collected[place] for place in weighted]

            def turn_back(carried: list[Any], given: list[Any]) -> tuple[list[Any], list[Any]]:
                parts = iter(given)
                began, taken = [next(parts) for _ in states], [next(parts) for _ in self.sequences]
                pulled = [next(parts) for _ in weights]
                self.evaluator.levels[-1].replay = Replay(level.outcomes.like(parts))
                backward, sums = carried[: len(places)], carried[len(places) :]
                followed = [*(began[p] for p in places), *(taken[p] for p in elements), *constants]
                with GradientTape(persistent=True, watch_accessed_variables=False) as tape:
                    tape.watch(followed)
                    following, found = self.turn(began, taken)
                targets = [as_tensor(following[p]) for p in places] + [as_tensor(found[p]) for p in weighted]
                parts_found = tape.gradient(targets, followed, output_gradients=[*backward, *pulled])
                dense = [None if part is None else to_tensor(part) for part in parts_found]
                own, rest = dense[: len(places)], dense[len(places) :]
                of_elements, of_constants = rest[: len(elements)], rest[len(elements) :]
                back = [zeros_of(began[p]) if part is None else part for p, part in zip(places, own, strict=True)]
                each = [
                    zeros_of(taken[p]) if part is None else part for p, part in zip(elements, of_elements, strict=True)
                ]
                if self.across is not None:
                    parts = zip(constants, of_constants, strict=True)
                    return back, [*each, *(zeros_of(c) if part is None else part for c, part in parts)]
                return [
                    *back,
                    *(s if part is None else s + part for s, part in zip(sums, of_constants, strict=True)),
                ], each

            starts = [of_after[place] for place in places]
            # (Rounds that run at the same time have no sum to carry: what each gives for a constant is collected, and added.)
            starts += [] if self.across is not None else [zeros_of(constant) for constant in constants]
            with self.evaluator.variables_as(self.before):
                made = loop(
                    self.evaluator,
                    turn_back,
                    starts,
                    [*states, *self.sequences, *weights, *draws],
                    count=size,
                    reverse=not self.reverse,
                    assigned=self.assigned,
                    across=self.across,
                )
            ends, found = made.after, made.collected
            if self.across is not None:
                found, apart = found[: len(elements)], found[len(elements) :]
                ends = [*ends, *(reduce_sum(part, axis=(0,), keepdims=False) for part in apart)]
            by_place = dict(zip(places, ends, strict=False))
            by_element = dict(zip(elements, found, strict=True))
            return [
                *(by_place.get(place) for place in range(len(self.carried))),
                *(by_element.get(place) for place in range(len(self.sequences))),
                *ends[len(places) :],
            ]

        def push(tangents: list[Any]) -> list[Any]:
            """The same rounds on pairs of a value and its tangent."""
            of_carried, rest = tangents[: len(self.carried)], tangents[len(self.carried) :]
            of_elements = {p: t for p, t in enumerate(rest[: len(self.sequences)]) if t is not None}
            of_constants = [
                (c, t) for c, t in zip(constants, rest[len(self.sequences) :], strict=True) if t is not None
            ]

            def turn(carried: list[Any], given: list[Any]) -> tuple[list[Any], list[Any]]:
                values, slopes = carried[: len(after)], carried[len(after) :]
                parts = iter(given)
                taken, beside = [next(parts) for _ in self.sequences], [next(parts) for _ in of_elements]
                self.evaluator.levels[-1].replay = Replay(level.outcomes.like(parts))
                followed = [
                    *(values[p] for p in places),
                    *(taken[p] for p in of_elements),
                    *(c for c, _ in of_constants),
                ]
                with ForwardAccumulator(followed, [*slopes, *beside, *(t for _, t in of_constants)]) as accumulator:
                    following, found = self.turn(values, taken)
                    following, found = list(map(as_tensor, following)), list(map(as_tensor, found))
                return (
                    [*following, *(tangent_of(accumulator, following[p]) for p in places)],
                    [tangent_of(accumulator, value) for value in found if value.dtype.is_differentiable],
                )

            slopes = [zeros_of(self.carried[p]) if of_carried[p] is None else of_carried[p] for p in places]
            with self.evaluator.variables_as(self.before):
                made = loop(
                    self.evaluator,
                    turn,
                    [*self.carried, *slopes],
                    [*self.sequences, *of_elements.values(), *draws],
                    count=size,
                    reverse=self.reverse,
                    assigned=self.assigned,
                    across=self.across,
                )
            by_place = dict(zip(places, made.after[len(after) :], strict=True))
            kept = iter(made.collected)
            return [
                *(by_place.get(place) for place in range(len(after))),
                *(
                    next(kept) if value.dtype.is_differentiable else None
                    for value in collected[: self.own + len(states)]
                ),
            ]

        results = [*after, *collected[: len(collected) - len(draws)]]
        record_call(as_recorded(gradient), as_recorded(push), sources, results)


def _has_gradient(sequence: Any, drawn: Sequence[Any]) -> bool:
    """Whether a gradient may be asked of a sequence: not of what was drawn (what inner loops draw is a list of stacks)."""
    is_drawn = is_stack(element_of(look_of(opened(sequence)[0])[0])) or any(sequence is other for other in drawn)
    return sequence.dtype.is_differentiable and not is_drawn


def _is_weight(weight: Any) -> bool:
    if weight is None or not weight.dtype.is_differentiable:
        return False
    # (A missing cotangent is replaced by zeros.)
    return weight.__class__ is not EagerTensor or bool(weight._id) or bool(weight._array.any())


def while_loop(
    evaluator: Lowering,
    condition: object,
    body: object,
    variables: list[Any],
    limit: object,
    earlier: LoopOutcomes | None = None,
) -> tuple[list[Any], LoopOutcomes]:
    """`tf.while_loop`: the variables after the last round, and what it reads and draws."""
    shapes: dict[int, Any] = {}
    lengths: dict[int, int | None] = {}
    while True:
        carried, owners = as_carried(variables, shapes, lengths)
        try:
            return _while_loop(evaluator, condition, body, carried, owners, limit, earlier)
        except (ElementShape, Longer) as found:
            place = next((place for place, owner in enumerate(owners) if owner is found.owner), None)
            if place is None:
                raise
            if isinstance(found, Longer):
                lengths[place] = found.length
            else:
                shapes[place] = found.shape


def _while_loop(
    evaluator: Lowering,
    condition: Any,
    body: Any,
    variables: list[Any],
    owners: list[Any],
    limit: Any,
    earlier: LoopOutcomes | None,
) -> tuple[list[Any], LoopOutcomes]:
    start = tensors_in(variables)
    growing = {
        place: owner
        for owner in owners
        if getattr(owner, "capacity", None) is not None and owner.length.__class__ is EagerTensor
        for place, value in enumerate(start)
        if value is owner.length
    }
    own = [] if limit is None else [to_tensor(np.int64(0))]

    def holds(carried: list[Any]) -> Any:
        truth = as_tensor(condition(*filled(variables, carried[len(own) :])))
        return logical_and(less(carried[0], to_tensor(np.int64(limit))), truth) if own else truth

    def turn(carried: list[Any], elements: list[Any]) -> tuple[list[Any], list[Any]]:
        following, _ = as_carried(list(body(*filled(variables, carried[len(own) :]))))
        return [*(c + 1 for c in carried[: len(own)]), *tensors_in(following)], []

    def check_room(known: dict[int, Any]) -> None:
        for place, owner in growing.items():
            length = known.get(len(own) + place)
            if length is None or length > owner.capacity:
                raise Longer(owner, None if length is None else int(length))

    made = loop(evaluator, turn, [*own, *start], condition=holds, settle=check_room, earlier=earlier)
    return filled(variables, made.after[len(own) :]), made.outcomes
