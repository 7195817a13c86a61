"""Loops while a graph is lowered: the rounds become a program of their own.

A loop is recorded on tapes as one call. Its gradient is a loop again, which goes back over the values that each round began
with and runs the round once more under a tape; so gradients of gradients need nothing else. What was drawn at random is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
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
from ..trace.carried import ElementShape
from ..trace.control import common
from ..trace.ghost import Ghost, NeedsValue
from ..values.tensor import EagerTensor, from_array, to_tensor
from ..variables.variable import Variable
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
    tangent_of,
    tensors_in,
)
from .program import Look, Loop, Node, Program, Read, Update, Value
from .replica_draws import Undrawn, drawn_before, with_draws

if TYPE_CHECKING:
    from .lowering import Lowering


_MANY = -1  # the size of what a loop collects in a number of rounds that only running it shows
Turn = Callable[[list[Any], list[Any]], tuple[list[Any], list[Any]]]


@dataclass
class Draws:
    """What a loop draws and reads in its rounds, stacked, with the number of rounds; empty where it draws nothing."""

    rounds: Any = None
    stacks: list[Any] = field(default_factory=list)
    given: bool = False  # whether it comes from an earlier run

    @property
    def all(self) -> list[Any]:
        """All values."""
        return [self.rounds, *self.stacks] if self.stacks else []

    def like(self, given: Iterator[Any]) -> Draws:
        """The same of these values."""
        if not self.stacks:
            return Draws(given=True)
        return Draws(next(given), [next(given) for _ in self.stacks], True)


class Stack(Ghost):
    """The values collected by a loop whose number of rounds is unknown."""

    __slots__ = ()


def run_on_stacks(op: Op, args: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
    """Run an op on collected values: their gradients are added and transposed, and other ops are not supported."""
    stack = next(value for value in args if value.__class__ is Stack)
    shape, dtype = stack._array.shape, stack.dtype.numpy
    if op is permute:
        shape = tuple(shape[axis] for axis in attributes["perm"])
    elif op is not add or any(value.__class__ is not Stack for value in args):
        raise NeedsValue(f"The sizes of what {op.name} is given are known only when the function runs.")
    world = stack.world
    result = world.ghost_of(shape, dtype, Stack)  # type: ignore[attr-defined]
    inputs = tuple(Value(value.number) for value in args)
    world.append(Node(op, inputs, attributes, (result.number,)))  # type: ignore[attr-defined]
    return result


RUNNERS[Stack] = run_on_stacks


class _Varies(Exception):
    """A carried value has another shape after a round: less is known of it inside."""

    def __init__(self, place: int, shape: Shape) -> None:
        self.place, self.shape = place, shape


def loop(
    world: Lowering,
    turn: Turn,
    carried: list[Any],
    sequences: Sequence[Any] = (),
    condition: Callable[[list[Any]], Any] | None = None,
    count: Any = None,
    reverse: bool = False,
    settle: Callable[[dict[int, Any]], None] | None = None,
    draws: Draws | None = None,
    assigned: Set[int] = frozenset(),
    across: Any = None,
) -> tuple[Any, list[Any], list[Any]]:
    """The number of rounds, the carried values after the last one, and what was collected.

    Args:
        world: The lowering that records the loop.
        turn: A function from the carried values and one element of each sequence to the next values and the values to collect.
        carried: The carried values of the first round.
        sequences: Tensors of which each round takes one element along the first axis.
        condition: Of the carried values, whether there is another round; without it there are `count`.
        count: The number of rounds.
        reverse: Whether to begin with the last element.
        settle: Called before the loop is recorded, with the known carried values after the last round, by place.
        draws: Where what is drawn in the rounds goes, or comes from.
        assigned: The variables that are known to be changed.
        across: A mesh of devices that take one round each.
    """
    carried = list(map(as_tensor, carried))
    changed = set(assigned)
    shapes: dict[int, Shape] = {}  # of carried values whose shapes vary
    if draws is not None and draws.given and draws.stacks:
        turn, sequences = _replaying(world, turn, len(sequences)), [*sequences, *draws.stacks]
        if draws.stacks[0].__class__ is Stack:
            condition, count = None, draws.rounds
    own = len(sequences)
    drawn: list[Any] | None = None  # what rounds that run at the same time draw
    while True:
        try:
            elements = [*sequences, *(drawn or ())]
            run = turn if across is None else with_draws(world, turn, own, drawn is not None)
            made = _Loop(world, run, carried, elements, condition, count, reverse, changed, shapes, across)
            results = made.written(settle)
            if draws is not None and not draws.given:
                draws.rounds, draws.stacks = made.rounds, made.draws
            return results
        except Undrawn as found:
            drawn = drawn_before(world, found.calls, count)
        except Assigned as found:
            if found.variable._id in changed:
                raise
            changed.add(found.variable._id)
        except _Varies as found:
            shapes[found.place] = found.shape
        except Wider as found:
            like, value = found.like, carried[found.place]
            carried[found.place] = Batched(with_batch_axis(value, like.batch_size), like.level, like.depth)


def _replaying(world: Lowering, turn: Turn, count: int) -> Turn:
    """The same rounds, in which what was drawn comes after the elements of `count` sequences."""

    def again(carried: list[Any], elements: list[Any]) -> tuple[list[Any], list[Any]]:
        world.levels[-1].replay = iter(elements[count:])
        return turn(carried, elements[:count])

    return again


class _Loop:
    """One attempt to lower a loop."""

    def __init__(
        self,
        world: Lowering,
        turn: Turn,
        carried: list[Any],
        sequences: list[Any],
        condition: Callable[[list[Any]], Any] | None,
        count: Any,
        reverse: bool,
        assigned: set[int],
        shapes: dict[int, Shape],
        across: Any = None,
    ) -> None:
        self.shapes, self.across = shapes, across
        self.world, self.given_turn, self.condition, self.count, self.reverse = world, turn, condition, count, reverse
        self.carried, self.sequences, self.assigned = carried, sequences, assigned
        self.recorded = is_recording()
        self.own = 0  # how many of the collected values are the caller's
        self.rounds: Any = None
        self.draws: list[Any] = []

    def turn(self, carried: list[Any], elements: list[Any]) -> tuple[list[Any], list[Any]]:
        """One round; for the gradient, the values that it began with are collected too."""
        following, collected = self.given_turn(carried, elements)
        self.own = len(collected)
        return following, [*collected, *carried] if self.recorded else collected

    def written(self, settle: Callable[[dict[int, Any]], None] | None) -> tuple[Any, list[Any], list[Any]]:
        """Record the loop and return its results."""
        with self.world.sizes_inside():
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
            operands.insert(0, self.world.sized(count, np.int64) if isinstance(count, Size) else to_tensor(count))
        return self._results(what, operands, free, shells, layers, level, finals, looks)

    def _lowered(self) -> tuple[Any, ...]:
        """The loop, its operands, and what is known of the results."""
        world = self.world
        starts, shells = zip(*map(opened, self.carried), strict=True) if self.carried else ((), ())
        taken_apart = [opened(sequence) for sequence in self.sequences]
        stacks = [shell.element(data) for data, shell in taken_apart]
        depth = len(world.levels) + 1
        inside = [
            world.ghost_of(self.shapes.get(place, look_of(start)[0]), look_of(start)[1], depth=depth)
            for place, start in enumerate(starts)
        ]
        taken = [world.ghost_of(look_of(stack)[0][1:], look_of(stack)[1], depth=depth) for stack in stacks]
        hidden = [shell(ghost) for shell, ghost in zip(shells, inside, strict=True)]
        elements = [shell(ghost) for (_, shell), ghost in zip(taken_apart, taken, strict=True)]
        test = self._condition(hidden) if self.condition is not None else None
        body, level, layers = self._body(hidden, elements, inside, shells)
        numbers = [ghost.number for ghost in (*inside, *taken)]
        free = free_values([*([test] if test is not None else []), body], set(numbers))
        body.inputs = [*numbers, *free]
        if test is not None:
            test.inputs = [*(ghost.number for ghost in inside), *free]
        what = Loop(test, body, len(inside), len(taken), self.reverse, self.own, self.across)
        return what, starts, stacks, free, shells, layers, level, [look_of(ghost) for ghost in inside]

    def _condition(self, carried: list[Any]) -> Program:
        assert self.condition is not None
        with self.world.inside(True, False, self.assigned) as level:
            truth = as_tensor(self.condition(carried))
            if truth.__class__ is Batched:
                raise NeedsValue("Each entry of a batch has a number of rounds of its own.")
            level.program.outputs = [operand(truth)]
        return level.program

    def _body(
        self, carried: list[Any], elements: list[Any], inside: list[Ghost], shells: Any
    ) -> tuple[Program, Level, list[Shell]]:
        """The program of one round, and the hidden axes of what it collects."""
        with self.world.inside(True, self.recorded, self.assigned) as level:
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
            kept = [opened(value) for value in [*following, *collected, *level.drawn]]
            for data, _ in kept:
                self.world.note(data)
            level.program.outputs = [operand(data) for data, _ in kept]
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
    ) -> tuple[Any, list[Any], list[Any]]:
        world = self.world
        rounds = world.ghost_of((), np.dtype(np.int64))
        finals = [world.ghost_of(*look) for look in looks]
        known = self.count if isinstance(self.count, (int, Size)) else _MANY
        stacks = []
        for place, output in enumerate(what.body.outputs[what.carried :]):
            shape: Shape
            shape, dtype = what.body.look_of(output)
            if shape is None:
                raise NeedsValue("The rank of what a loop collects is known only when the function runs.")
            # (What each round began with may have a size of its own each time.)
            listed = place >= self.own and not all(map(world.has_size, shape))
            if listed or known is _MANY:
                stacks.append(world.ghost_of((_MANY, *shape), dtype, Stack))
            else:
                stacks.append(world.ghost_of((known, *(n if n.__class__ is int else UNKNOWN for n in shape)), dtype))
        results = [rounds, *finals, *stacks]
        inputs = (*map(operand, operands), *map(Value, free))
        world.append(Node(what, inputs, {}, tuple(ghost.number for ghost in results)))
        after = [shell(ghost) for shell, ghost in zip(shells, finals, strict=True)]
        for place, value in known_after.items():
            after[place] = shells[place](from_array(value))
        collected = [shell.collected(stack) for shell, stack in zip(layers, stacks, strict=True)]
        self.rounds, self.draws = rounds, collected[len(collected) - len(level.drawn) :]
        if self.recorded:
            self._record(rounds, after, collected, level)
        for given in operands:
            world.note(given)
        return rounds, after, [self._sized(what, known, *each) for each in enumerate(collected[: self.own])]

    def _sized(self, what: Loop, count: Any, place: int, collected: Any) -> Any:
        """What was collected, with the sizes that are known outside: if there was no round, it has no others."""
        shape = what.body.look_of(what.body.outputs[what.carried + place])[0]
        if collected.__class__ is not Ghost or is_known(shape) or not all(map(self.world.has_size, shape)):
            return collected
        return reshape(collected, shape=(count, *shape))

    # --- the gradient ------------------------------------------------------------------------------------------------

    def _record(self, rounds: Any, after: list[Any], collected: list[Any], level: Level) -> None:
        """One record for the loop on all tapes that follow something of it."""
        constants = followed_among([*level.used.values(), *_present_values(level.program)])
        states = collected[self.own : self.own + len(after)]
        draws = collected[self.own + len(after) :]
        places = [place for place, value in enumerate(after) if value.dtype.is_differentiable]
        elements = [place for place, value in enumerate(self.sequences) if value.dtype.is_differentiable]
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
                self.world.levels[-1].replay = iter(list(parts))
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
            _, ends, found = loop(
                self.world,
                turn_back,
                starts,
                [*states, *self.sequences, *weights, *draws],
                count=size,
                reverse=not self.reverse,
                assigned=self.assigned,
                across=self.across,
            )
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
                self.world.levels[-1].replay = iter(list(parts))
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
            _, ends, found = loop(
                self.world,
                turn,
                [*self.carried, *slopes],
                [*self.sequences, *of_elements.values(), *draws],
                count=size,
                reverse=self.reverse,
                assigned=self.assigned,
                across=self.across,
            )
            by_place = dict(zip(places, ends[len(after) :], strict=True))
            kept = iter(found)
            return [
                *(by_place.get(place) for place in range(len(after))),
                *(
                    next(kept) if value.dtype.is_differentiable else None
                    for value in collected[: self.own + len(states)]
                ),
                *(None for _ in draws),
            ]

        record_call(as_recorded(gradient), as_recorded(push), sources, [*after, *collected])


def _present_values(program: Program) -> list[Variable]:
    """The variables whose present values are read in each round, since the loop changes them."""
    found = {
        node.what.variable._id: node.what.variable for node in program.nodes if isinstance(node.what, (Read, Update))
    }
    return list(found.values())


def _is_weight(weight: Any) -> bool:
    if weight is None or not weight.dtype.is_differentiable:
        return False
    # (A missing cotangent is replaced by zeros.)
    return weight.__class__ is not EagerTensor or bool(weight._id) or bool(weight._array.any())


def while_loop(
    world: Lowering, condition: Any, body: Any, variables: list[Any], limit: Any, draws: Draws | None = None
) -> list[Any]:
    """`tf.while_loop`: the variables after the last round."""
    shapes: dict[int, tuple[int, ...]] = {}
    lengths: dict[int, int | None] = {}
    while True:
        carried, owners = as_carried(variables, shapes, lengths)
        try:
            return _while_loop(world, condition, body, carried, owners, limit, draws)
        except (ElementShape, Longer) as found:
            place = next((place for place, owner in enumerate(owners) if owner is found.owner), None)
            if place is None:
                raise
            if isinstance(found, Longer):
                lengths[place] = found.length
            else:
                shapes[place] = found.shape


def _while_loop(
    world: Lowering,
    condition: Any,
    body: Any,
    variables: list[Any],
    owners: list[Any],
    limit: Any,
    draws: Draws | None,
) -> list[Any]:
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

    _, after, _ = loop(world, turn, [*own, *start], condition=holds, settle=check_room, draws=draws)
    results: list[Any] = filled(variables, after[len(own) :])
    return results
