"""What loops and branches share while a graph is lowered: what runs inside becomes a program of its own.

A `Level` is such a program. Values that go in and out are opened (a batched value is carried as its data), compared and put
together again; structures of them are taken apart and filled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..base.context import STATE, Paused, scope
from ..differentiation.forward import ForwardAccumulator
from ..differentiation.vectorize import Batched
from ..ops.array.layout import permute
from ..trace.abstract_tensor import AbstractTensor, NeedsValue
from ..trace.carried import CARRIED, UNSHAPED
from ..trace.graph import leaves, map_parts
from ..values.tensor import EagerTensor, Tensor, from_array, to_tensor
from ..variables.variable import Variable
from .outcomes import Outcomes, Replay
from .program import Branch, Look, Loop, Program, Read, Update, Value
from .replica_draws import DrawnBefore


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
    outcomes: Outcomes = field(default_factory=Outcomes)  # what it reads and draws
    replay: Replay | None = None  # the same of the first run, where a gradient runs it again
    discarded: bool = False  # whether nobody will run the program: it was lowered for what it takes from outside
    before: dict[int, Any] = field(default_factory=dict)  # what variables hold when it begins
    replicas: DrawnBefore | None = None  # what is drawn in it, where its rounds run at the same time


# --- values that are carried ---------------------------------------------------------------------------------------------
#
# A batched value is carried as its data, and gets its hidden axis back inside the loop.


@dataclass(frozen=True)
class Shell:
    """The hidden axes around a value, outermost first."""

    layers: tuple[tuple[Any, int], ...] = ()

    def __call__(self, value: Any) -> Any:
        for level, depth in reversed(self.layers):
            value = Batched(value, level, depth)
        return value

    def element(self, sequence: object) -> Any:
        """The data of a batched sequence with the axis of the sequence first."""
        count = len(self.layers)
        return _moved(sequence, [count, *range(count), *range(count + 1, _rank(sequence))]) if count else sequence

    def collected(self, stack: object) -> Any:
        """The data of what was collected with its batch axes first."""
        count = len(self.layers)
        return self(_moved(stack, [*range(1, count + 1), 0, *range(count + 1, _rank(stack))]) if count else stack)


def _rank(value: Any) -> int:
    return len(value._array.shape)


def _moved(value: Any, order: list[int]) -> Any:
    return permute(value, perm=tuple(order))


def opened(value: Any) -> tuple[Any, Shell]:
    layers = []
    while value.__class__ is Batched:
        layers.append((value.level, value.depth))
        value = value.data
    return value if isinstance(value, Tensor) else from_array(value), Shell(tuple(layers))


def as_tensor(value: object) -> Any:
    return value if isinstance(value, Tensor) else to_tensor(value)


def look_of(value: Any) -> Look:
    array = value._array
    return array.shape if value.__class__ is EagerTensor else array.known, np.dtype(value.dtype.numpy)


def operand(value: Any) -> Any:
    return Value(value.number) if isinstance(value, AbstractTensor) else value._array


def free_values(programs: Sequence[Program], given: set[int]) -> list[int]:
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


def is_recording() -> bool:
    return bool(STATE.accumulators) or any(records.__class__ is not Paused for records in STATE.tapes)


def followed_among(tensors: Any) -> list[Any]:
    """Those that a tape or an accumulator may differentiate."""
    found = []
    for tensor in tensors:
        number = tensor._id
        if number and tensor.dtype.is_differentiable:
            in_tapes = any(number in records for records in STATE.tapes)
            if in_tapes or any(accumulator._follows(number) for accumulator in STATE.accumulators):
                found.append(tensor)
    return found


def as_recorded(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, run later with at least as many tapes as are open now.

    A batched value knows by number which tapes follow its data, not itself: a tape that is opened later must not be taken for one
    of these, when they are closed.
    """
    count = len(STATE.tapes)

    def run(*args: object) -> Any:
        missing = count - len(STATE.tapes)
        if missing <= 0:
            return function(*args)
        with scope(tapes=[*STATE.tapes, *(Paused() for _ in range(missing))]):
            return function(*args)

    return run


def present_values(programs: Sequence[Program]) -> list[Variable]:
    """The variables whose present values are read inside, since they are changed there."""
    found: dict[int, Variable] = {}
    for node in (node for program in programs for node in program.nodes):
        if isinstance(node.what, (Read, Update)):
            found[node.what.variable._id] = node.what.variable
        elif isinstance(node.what, (Loop, Branch)):
            found.update((variable._id, variable) for variable in present_values(node.what.programs))
    return list(found.values())


class Wider(Exception):
    """A value becomes batched inside."""

    def __init__(self, place: int, like: Batched) -> None:
        self.place, self.like = place, like


def tangent_of(accumulator: ForwardAccumulator, value: Any) -> Any:
    return accumulator.jvp(value, unconnected_gradients="zero")


# --- structures ----------------------------------------------------------------------------------------------------------


class Longer(Exception):
    """Restarts the lowering of a loop with room for the final number of elements of a carried value, or for any number (None)."""

    def __init__(self, owner: Any, length: int | None) -> None:
        self.owner, self.length = owner, length


def as_carried(
    structure: Any, shapes: dict[int, Any] | None = None, lengths: dict[int, int | None] | None = None
) -> tuple[Any, list[Any]]:
    """The structure in a form that loops can carry and branches can return, and the values that were converted."""
    owners: list[Any] = []

    def convert(part: object) -> Any:
        if part.__class__ not in CARRIED:
            return map_parts(part, convert)
        place = len(owners)
        owners.append(CARRIED[part.__class__](part, (shapes or {}).get(place), (lengths or {}).get(place, 0)))
        return owners[-1]

    return convert(structure), owners


def tensors_in(structure: object) -> list[Any]:
    """The tensors of the values that a loop carries or a branch returns."""
    found = []
    for leaf in leaves(structure):
        if isinstance(leaf, (Tensor, Variable, bool, int, float, complex, np.ndarray, np.generic)):
            found.append(as_tensor(leaf))
        elif (
            leaf is not None
            and leaf.__class__ not in UNSHAPED
            and not (isinstance(leaf, (list, tuple, dict)) and not leaf)
        ):
            raise NeedsValue(f"{type(leaf).__name__} goes through a loop or a branch.")
    return found


def filled(structure: object, values: list[Any]) -> Any:
    """The structure with other tensors."""
    following = iter(values)

    def fill(part: object) -> Any:
        if isinstance(part, (Tensor, Variable, bool, int, float, complex, np.ndarray, np.generic)):
            return next(following)
        return map_parts(part, fill)

    return fill(structure)
