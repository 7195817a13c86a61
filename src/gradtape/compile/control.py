"""Loops and branches while a graph is lowered: what runs inside becomes a program of its own.

A loop is recorded on tapes as one call. Its gradient is a loop again, which goes back over the values that each round began
with and runs the round once more under a tape; so gradients of gradients need nothing else. What was drawn at random is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.context import STATE, Paused, scope
from ..base.sizes import UNKNOWN, Size, is_known, same
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
from ..trace.ghost import Ghost, NeedsValue
from ..trace.graph import leaves, map_parts
from ..values.tensor import EagerTensor, Tensor, from_array, to_tensor
from ..variables.variable import Variable
from .counting import counted
from .program import Branch, Look, Loop, Node, Program, Read, Update, Value

if TYPE_CHECKING:
    from .lowering import Lowering

_MANY = -1  # the size of what a loop collects in a number of rounds that only running it shows


class Assigned(Exception):
    """A loop turned out to assign a variable; it is lowered again with that knowledge."""

    def __init__(self, variable: Variable) -> None:
        self.variable = variable


@dataclass
class Level:
    """A program inside the one that is written: of a loop, its condition, or a branch."""

    program: Program
    is_loop: bool
    recorded: bool  # whether a tape or an accumulator outside follows the loop or branch as a whole
    assigned: set[int]  # the variables that it changes
    used: dict[int, Tensor] = field(default_factory=dict)  # the tensors from outside that its ops take, by `id`
    drawn: list[Ghost] = field(default_factory=list)  # the results of calls
    replay: Iterator[Any] | None = None  # the results of the first run, where a gradient runs it again


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


# --- values that are carried ---------------------------------------------------------------------------------------------
#
# A batched value is carried as its data, and gets its hidden axis back inside the loop.


@dataclass(frozen=True)
class _Shell:
    """The hidden axes around a value, outermost first."""

    layers: tuple[tuple[Any, int], ...] = ()

    def __call__(self, value: Any) -> Any:
        for level, depth in reversed(self.layers):
            value = Batched(value, level, depth)
        return value

    def element(self, sequence: Any) -> Any:
        """The data of a batched sequence with the axis of the sequence first."""
        count = len(self.layers)
        return _moved(sequence, [count, *range(count), *range(count + 1, _rank(sequence))]) if count else sequence

    def collected(self, stack: Any) -> Any:
        """The data of what was collected with its batch axes first."""
        count = len(self.layers)
        return self(_moved(stack, [*range(1, count + 1), 0, *range(count + 1, _rank(stack))]) if count else stack)


def _rank(value: Any) -> int:
    return len(value._array.shape)


def _moved(value: Any, order: list[int]) -> Any:
    return permute(value, perm=tuple(order))


def _opened(value: Any) -> tuple[Any, _Shell]:
    layers = []
    while value.__class__ is Batched:
        layers.append((value.level, value.depth))
        value = value.data
    return value if isinstance(value, Tensor) else from_array(value), _Shell(tuple(layers))


def _tensor(value: Any) -> Any:
    return value if isinstance(value, Tensor) else to_tensor(value)


def _look(value: Any) -> Look:
    array = value._array
    return array.shape if value.__class__ is EagerTensor else array.known, np.dtype(value.dtype.numpy)


def _operand(value: Any) -> Any:
    return Value(value.number) if isinstance(value, Ghost) else value._array


def _free(programs: Sequence[Program], given: set[int]) -> list[int]:
    """The numbers of the values that programs take from around them."""
    found: dict[int, None] = {}
    for program in programs:
        made = set(given)
        for node in program.nodes:
            found.update(dict.fromkeys(number for number in node.used if number not in made))
            made.update(node.outputs)
        ends = [output.number for output in program.outputs if output.__class__ is Value]
        found.update(dict.fromkeys(number for number in ends if number not in made))
    return list(found)


def _recording() -> bool:
    return bool(STATE.accumulators) or any(records.__class__ is not Paused for records in STATE.tapes)


def _followed(tensors: Any) -> list[Any]:
    """Those that a tape or an accumulator may differentiate."""
    found = []
    for tensor in tensors:
        number = tensor._id
        if number and tensor.dtype.is_differentiable:
            in_tapes = any(number in records for records in STATE.tapes)
            if in_tapes or any(accumulator.follows(number) for accumulator in STATE.accumulators):
                found.append(tensor)
    return found


def _as_recorded(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, run later with at least as many tapes as are open now.

    A batched value knows by number which tapes follow its data, not itself: a tape that is opened later must not be taken for one
    of these, when they are closed.
    """
    count = len(STATE.tapes)

    def run(*args: Any) -> Any:
        missing = count - len(STATE.tapes)
        if missing <= 0:
            return function(*args)
        with scope(tapes=[*STATE.tapes, *(Paused() for _ in range(missing))]):
            return function(*args)

    return run


# --- loops -----------------------------------------------------------------------------------------------------------------

Turn = Callable[[list[Any], list[Any]], tuple[list[Any], list[Any]]]


class _Wider(Exception):
    """A value becomes batched inside."""

    def __init__(self, place: int, like: Batched) -> None:
        self.place, self.like = place, like


class _Varies(Exception):
    """A carried value has another shape after a round: less is known of it inside."""

    def __init__(self, place: int, shape: Shape) -> None:
        self.place, self.shape = place, shape


def _covering(a: Shape, b: Shape) -> Shape:
    """What two shapes have in common; UNKNOWN for a size in which they differ or may differ."""
    if a is None or b is None or len(a) != len(b):
        return None
    return tuple([one if same(one, other) else UNKNOWN for one, other in zip(a, b, strict=True)])


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
    carried = list(map(_tensor, carried))
    changed = set(assigned)
    shapes: dict[int, Shape] = {}  # of carried values whose shapes vary
    if draws is not None and draws.given and draws.stacks:
        turn, sequences = _replaying(world, turn, len(sequences)), [*sequences, *draws.stacks]
        if draws.stacks[0].__class__ is Stack:
            condition, count = None, draws.rounds
    while True:
        try:
            made = _Loop(world, turn, carried, list(sequences), condition, count, reverse, changed, shapes, across)
            results = made.written(settle)
            if draws is not None and not draws.given:
                draws.rounds, draws.stacks = made.rounds, made.draws
            return results
        except Assigned as found:
            if found.variable._id in changed:
                raise
            changed.add(found.variable._id)
        except _Varies as found:
            shapes[found.place] = found.shape
        except _Wider as found:
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
        self.recorded = _recording()
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
        starts, shells = zip(*map(_opened, self.carried), strict=True) if self.carried else ((), ())
        opened = [_opened(sequence) for sequence in self.sequences]
        stacks = [shell.element(data) for data, shell in opened]
        depth = len(world.levels) + 1
        inside = [
            world.ghost_of(self.shapes.get(place, _look(start)[0]), _look(start)[1], depth=depth)
            for place, start in enumerate(starts)
        ]
        taken = [world.ghost_of(_look(stack)[0][1:], _look(stack)[1], depth=depth) for stack in stacks]
        hidden = [shell(ghost) for shell, ghost in zip(shells, inside, strict=True)]
        elements = [shell(ghost) for (_, shell), ghost in zip(opened, taken, strict=True)]
        test = self._condition(hidden) if self.condition is not None else None
        body, level, layers = self._body(hidden, elements, inside, shells)
        numbers = [ghost.number for ghost in (*inside, *taken)]
        free = _free([*([test] if test is not None else []), body], set(numbers))
        body.inputs = [*numbers, *free]
        if test is not None:
            test.inputs = [*(ghost.number for ghost in inside), *free]
        what = Loop(test, body, len(inside), len(taken), self.reverse, self.own, self.across)
        return what, starts, stacks, free, shells, layers, level, [_look(ghost) for ghost in inside]

    def _condition(self, carried: list[Any]) -> Program:
        assert self.condition is not None
        with self.world.inside(True, False, self.assigned) as level:
            truth = _tensor(self.condition(carried))
            if truth.__class__ is Batched:
                raise NeedsValue("Each entry of a batch has a number of rounds of its own.")
            level.program.outputs = [_operand(truth)]
        return level.program

    def _body(
        self, carried: list[Any], elements: list[Any], inside: list[Ghost], shells: Any
    ) -> tuple[Program, Level, list[_Shell]]:
        """The program of one round, and the hidden axes of what it collects."""
        with self.world.inside(True, self.recorded, self.assigned) as level:
            following, collected = self.turn(list(carried), list(elements))
            following, collected = list(map(_tensor, following)), list(map(_tensor, collected))
            for place, (value, start, shell) in enumerate(zip(following, inside, shells, strict=True)):
                data, layers = _opened(value)
                if layers.layers and not shell.layers:
                    raise _Wider(place, value)
                if shell.layers and not layers.layers:
                    size = _look(start)[0][0]
                    following[place] = shell(with_batch_axis(value, size))
                    data, layers = _opened(following[place])
                if layers != shell or _look(data)[1] != _look(start)[1]:
                    raise NeedsValue("What goes round in a loop changes its type.")
                self._compare(place, _look(start)[0], _look(data)[0])
            kept = [_opened(value) for value in [*following, *collected, *level.drawn]]
            for data, _ in kept:
                self.world.note(data)
            level.program.outputs = [_operand(data) for data, _ in kept]
        return level.program, level, [shell for _, shell in kept[len(following) :]]

    def _compare(self, place: int, before: Shape, after: Shape) -> None:
        """Raise if a carried value may have another shape after a round than it is taken to have before."""
        expected = self.shapes.get(place, before)
        if expected is None:
            return
        covering = _covering(before, after)
        if covering is not None:
            fixed = [UNKNOWN if size is UNKNOWN else one for size, one in zip(expected, covering, strict=True)]
            if all(new is not UNKNOWN or old is UNKNOWN for new, old in zip(covering, expected, strict=True)):
                return
            covering = tuple(fixed)
        raise _Varies(place, covering)

    def _results(
        self,
        what: Loop,
        operands: list[Any],
        free: list[int],
        shells: Any,
        layers: list[_Shell],
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
        inputs = (*map(_operand, operands), *map(Value, free))
        world.append(Node(what, inputs, {}, tuple(ghost.number for ghost in results)))
        after = [shell(ghost) for shell, ghost in zip(shells, finals, strict=True)]
        for place, value in known_after.items():
            after[place] = shells[place](from_array(value))
        collected = [shell.collected(stack) for shell, stack in zip(layers, stacks, strict=True)]
        self.rounds, self.draws = rounds, collected[len(collected) - len(level.drawn) :]
        if self.recorded:
            self._record(rounds, after, collected, level)
        for operand in operands:
            world.note(operand)
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
        constants = _followed([*level.used.values(), *_present_values(level.program)])
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
                targets = [_tensor(following[p]) for p in places] + [_tensor(found[p]) for p in weighted]
                parts_found = tape.gradient(targets, followed, output_gradients=[*backward, *pulled])
                dense = [None if part is None else to_tensor(part) for part in parts_found]
                own, rest = dense[: len(places)], dense[len(places) :]
                of_elements, of_constants = rest[: len(elements)], rest[len(elements) :]
                return (
                    [
                        *(zeros_of(began[p]) if part is None else part for p, part in zip(places, own, strict=True)),
                        *(s if part is None else s + part for s, part in zip(sums, of_constants, strict=True)),
                    ],
                    [
                        zeros_of(taken[p]) if part is None else part
                        for p, part in zip(elements, of_elements, strict=True)
                    ],
                )

            starts = [of_after[place] for place in places] + [zeros_of(constant) for constant in constants]
            _, ends, found = loop(
                self.world,
                turn_back,
                starts,
                [*states, *self.sequences, *weights, *draws],
                count=size,
                reverse=not self.reverse,
                assigned=self.assigned,
            )
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
                    following, found = list(map(_tensor, following)), list(map(_tensor, found))
                return (
                    [*following, *(_tangent(accumulator, following[p]) for p in places)],
                    [_tangent(accumulator, value) for value in found if value.dtype.is_differentiable],
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

        record_call(_as_recorded(gradient), _as_recorded(push), sources, [*after, *collected])


def _present_values(program: Program) -> list[Variable]:
    """The variables whose present values are read in each round, since the loop changes them."""
    found = {
        node.what.variable._id: node.what.variable for node in program.nodes if isinstance(node.what, (Read, Update))
    }
    return list(found.values())


def _tangent(accumulator: ForwardAccumulator, value: Any) -> Any:
    return accumulator.jvp(value, unconnected_gradients="zero")


def _is_weight(weight: Any) -> bool:
    if weight is None or not weight.dtype.is_differentiable:
        return False
    # (A missing cotangent is replaced by zeros.)
    return weight.__class__ is not EagerTensor or bool(weight._id) or bool(weight._array.any())


# Types that loops carry although they have no fixed shapes, with a function that converts them to a form that has. It takes
# the value, the shape of an element, and the final length, as far as an earlier attempt has found them. A growing form has a
# `length`, which is a tensor, and a `capacity`.
CARRIED: dict[type, Callable[[Any, Any, int], Any]] = {}
UNSHAPED: set[type] = set()  # forms whose element shape is not known yet


class ElementShape(Exception):
    """Restarts the lowering of a loop with the shape of the elements of a carried value."""

    def __init__(self, owner: Any, shape: tuple[int, ...]) -> None:
        self.owner, self.shape = owner, shape


class Longer(Exception):
    """Restarts the lowering of a loop with room for the final number of elements of a carried value."""

    def __init__(self, owner: Any, length: int) -> None:
        self.owner, self.length = owner, length


def while_loop(
    world: Lowering, condition: Any, body: Any, variables: list[Any], limit: Any, draws: Draws | None = None
) -> list[Any]:
    """`tf.while_loop`: the variables after the last round."""
    shapes: dict[int, tuple[int, ...]] = {}
    lengths: dict[int, int] = {}
    while True:
        carried, owners = _carried(variables, shapes, lengths)
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


def _carried(
    structure: Any, shapes: dict[int, tuple[int, ...]] | None = None, lengths: dict[int, int] | None = None
) -> tuple[Any, list[Any]]:
    """The structure in a form that loops can carry and branches can return, and the values that were converted."""
    owners: list[Any] = []

    def convert(part: Any) -> Any:
        if part.__class__ not in CARRIED:
            return map_parts(part, convert)
        place = len(owners)
        owners.append(CARRIED[part.__class__](part, (shapes or {}).get(place), (lengths or {}).get(place, 0)))
        return owners[-1]

    return convert(structure), owners


def _while_loop(
    world: Lowering,
    condition: Any,
    body: Any,
    variables: list[Any],
    owners: list[Any],
    limit: Any,
    draws: Draws | None,
) -> list[Any]:
    start = _leaves(variables)
    growing = {
        place: owner
        for owner in owners
        if hasattr(owner, "capacity") and owner.length.__class__ is EagerTensor
        for place, value in enumerate(start)
        if value is owner.length
    }
    own = [] if limit is None else [to_tensor(np.int64(0))]

    def holds(carried: list[Any]) -> Any:
        truth = _tensor(condition(*_filled(variables, carried[len(own) :])))
        return logical_and(less(carried[0], to_tensor(np.int64(limit))), truth) if own else truth

    def turn(carried: list[Any], elements: list[Any]) -> tuple[list[Any], list[Any]]:
        following, _ = _carried(list(body(*_filled(variables, carried[len(own) :]))))
        return [*(c + 1 for c in carried[: len(own)]), *_leaves(following)], []

    def check_room(known: dict[int, Any]) -> None:
        for place, owner in growing.items():
            length = known.get(len(own) + place)
            if length is None:
                raise NeedsValue("How long a TensorArray becomes is known only when the function runs.")
            if length > owner.capacity:
                raise Longer(owner, int(length))

    _, after, _ = loop(world, turn, [*own, *start], condition=holds, settle=check_room, draws=draws)
    results: list[Any] = _filled(variables, after[len(own) :])
    return results


def _leaves(structure: Any) -> list[Any]:
    """The tensors of the values that a loop carries or a branch returns."""
    found = []
    for leaf in leaves(structure):
        if isinstance(leaf, (Tensor, Variable, bool, int, float, complex, np.ndarray, np.generic)):
            found.append(_tensor(leaf))
        elif (
            leaf is not None
            and leaf.__class__ not in UNSHAPED
            and not (isinstance(leaf, (list, tuple, dict)) and not leaf)
        ):
            raise NeedsValue(f"{type(leaf).__name__} goes through a loop or a branch.")
    return found


def _filled(structure: Any, values: list[Any]) -> Any:
    """The structure with other tensors."""
    following = iter(values)

    def fill(part: Any) -> Any:
        if isinstance(part, (Tensor, Variable, bool, int, float, complex, np.ndarray, np.generic)):
            return next(following)
        return map_parts(part, fill)

    return fill(structure)


# --- branches --------------------------------------------------------------------------------------------------------------


def branch(world: Lowering, number: Any, functions: list[Callable[[], Any]], seen: Sequence[Any] = ()) -> Any:
    """The result of the function of that number, or of the last one; `seen` are values that the functions may use."""
    if number.__class__ is Batched:
        raise NeedsValue("Each entry of a batch may take a branch of its own.")
    seen = [*seen, *(value for function in functions if hasattr(function, "seen") for value in function.seen())]
    hidden: dict[int, Batched] = {}  # the results that are batched in one of the branches
    while True:
        try:
            return _Branch(world, number, functions, hidden, seen).written()
        except _Wider as found:
            hidden[found.place] = found.like


class _Branch:
    """One attempt to lower a branch."""

    def __init__(
        self,
        world: Lowering,
        number: Any,
        functions: list[Callable[[], Any]],
        hidden: dict[int, Batched],
        seen: Sequence[Any],
    ) -> None:
        self.world, self.number, self.functions, self.hidden, self.seen = world, number, functions, hidden, seen
        self.recorded = _recording()
        self.used: dict[int, Tensor] = {}
        self.assigned: set[int] = set()

    def written(self) -> Any:
        """Record the branch and return its results."""
        world = self.world
        programs, structures, layers = zip(*map(self._program, self.functions), strict=True)
        looks = [[program.look_of(output) for output in program.outputs] for program in programs]
        kinds = [[dtype for _, dtype in found] for found in looks]
        if any(found != kinds[0] for found in kinds) or any(found != layers[0] for found in layers):
            raise NeedsValue("The branches give different numbers of tensors, or different types.")
        shapes = [reduce(_covering, [shape for shape, _ in each]) for each in zip(*looks, strict=True)]
        free = _free(programs, set())
        for program in programs:
            program.inputs = list(free)
        ghosts = [world.ghost_of(*look) for look in zip(shapes, kinds[0], strict=True)]
        world.note(self.number)
        inputs = (_operand(self.number), *map(Value, free))
        world.append(Node(Branch(tuple(programs)), inputs, {}, tuple(ghost.number for ghost in ghosts)))
        results = [shell(ghost) for shell, ghost in zip(layers[0], ghosts, strict=True)]
        if self.recorded and results:
            # Ops on batched values use their data; what is differentiated by is the batched value.
            batched = {id(value.data): value for value in self.seen if value.__class__ is Batched}
            self._record(results, [batched.get(id(value), value) for value in _followed(self.used.values())])
        return _filled(structures[0], results)

    def _program(self, function: Callable[[], Any]) -> tuple[Program, Any, list[_Shell]]:
        """The program of one branch, what it returns, and the hidden axes of that."""
        with self.world.inside(False, self.recorded, self.assigned) as level:
            structure, _ = _carried(function())
            values = _leaves(structure)
            for place, value in enumerate(values):
                like = self.hidden.get(place)
                if value.__class__ is Batched and like is None:
                    raise _Wider(place, value)
                if value.__class__ is not Batched and like is not None:
                    values[place] = Batched(with_batch_axis(value, like.batch_size), like.level, like.depth)
            kept = [_opened(value) for value in values]
            for data, _ in kept:
                self.world.note(data)
            level.program.outputs = [_operand(data) for data, _ in kept]
        if self.recorded and level.drawn:
            raise NeedsValue("What is drawn in a branch is not kept for its gradient.")
        self.used.update(level.used)
        return level.program, structure, [shell for _, shell in kept]

    def _record(self, results: list[Any], sources: list[Any]) -> None:
        def again(function: Callable[[], Any]) -> list[Any]:
            return _leaves(_carried(function())[0])

        def gradient(*cotangents: Any) -> list[Any]:
            def back(function: Callable[[], Any]) -> list[Any]:
                with GradientTape(persistent=True, watch_accessed_variables=False) as tape:
                    tape.watch(sources)
                    values = again(function)
                pairs = [(v, c) for v, c in zip(values, cotangents, strict=True) if v.dtype.is_differentiable]
                found = tape.gradient([v for v, _ in pairs], sources, output_gradients=[c for _, c in pairs])
                return [
                    zeros_of(s) if part is None else to_tensor(part) for s, part in zip(sources, found, strict=True)
                ]

            return self._each(back, [*cotangents, *sources])

        def push(tangents: list[Any]) -> list[Any]:
            pairs = [(source, slope) for source, slope in zip(sources, tangents, strict=True) if slope is not None]

            def along(function: Callable[[], Any]) -> list[Any]:
                with ForwardAccumulator([source for source, _ in pairs], [slope for _, slope in pairs]) as accumulator:
                    values = again(function)
                return [_tangent(accumulator, value) for value in values if value.dtype.is_differentiable]

            kept = iter(self._each(along, [*tangents, *sources]))
            return [next(kept) if result.dtype.is_differentiable else None for result in results]

        if sources:
            record_call(_as_recorded(gradient), _as_recorded(push), sources, results)

    def _each(self, what: Callable[[Callable[[], Any]], list[Any]], given: list[Any]) -> list[Any]:
        """The same choice among functions derived from the branches, which use these values too."""
        functions: list[Callable[[], Any]] = [partial(what, function) for function in self.functions]
        made: list[Any] = branch(self.world, self.number, functions, [*self.seen, *given])
        return made
