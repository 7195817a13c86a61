"""The worlds of a trace: its steps run on ghosts, with numbers in place of unknown sizes, to see what they give.

There are one or two. Where a size is unknown, the two have different numbers for it, and what differs between their
results is unknown too.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.errors import OpError
from ..base.sizes import UNKNOWN
from ..native.abi import become
from ..op.declaration import Op
from ..values.composite import COMPOSITES
from ..values.tensor import EagerTensor, Tensor, TensorSpec
from ..variables.variable import Variable
from .ghost import Ghost, NeedsValue, World, depending_on, is_known_error
from .graph import Environment, Ref, bind, leaves, map_parts

# Stand-ins for an unknown size, by axis, in the first and the second world. They divide well, because programs split.
_SIZES = ((12, 24), (48, 96), (60, 120), (36, 72), (18, 54), (30, 90))
_MOST_TRIES = 60
_MOST_KNOWN = 1 << 12  # elements of a tensor from outside whose value is used while tracing

Unknown = tuple[str, int]  # ("axis", 0), ("guess", 3), ("rank", 2)


class Inference(World):
    """A world in which unknown sizes have a number, to see what comes out."""

    def __init__(self, side: int, chosen: dict[Unknown, tuple[int, int]]) -> None:
        super().__init__()
        self.side = side  # 0 or 1: which of the two numbers of an unknown size this world has
        self.chosen = chosen
        self.environment = Environment({})
        self.used: dict[Unknown, None] = {}  # the unknowns that were met, in order
        self.doubts = 0  # how often something was computed with a guess
        self._guessed = 0
        self.last: Any = None  # what the newest entry gave, where all was done again
        self._large: dict[int, Ghost] = {}  # in place of large tensors that the function refers to

    def size(self, unknown: Unknown) -> int:
        """The number that stands for an unknown size here."""
        self.used[unknown] = None
        if unknown in self.chosen:
            return self.chosen[unknown][self.side]
        kind, place = unknown
        if kind == "rank":
            return 1 + self.side
        return _SIZES[place % len(_SIZES)][self.side] if kind == "axis" else (7, 11)[self.side] + 6 * place

    def ghost(self, spec: TensorSpec, label: int = 0) -> Ghost:
        """A ghost that fits a spec."""
        if spec.shape.rank is None:
            sizes: list[int | None] = [None] * self.size(("rank", label))
        else:
            sizes = list(spec.shape)
        shape = tuple(self.size(("axis", axis)) if n is None else n for axis, n in enumerate(sizes))
        return Ghost(self, shape, spec.dtype.numpy)

    def initial(self, variable: Variable) -> Any:
        """A ghost of the variable's shape."""
        ghost = self.ghost(TensorSpec(variable.shape, variable.dtype), variable._id)
        ghost._id = variable._id
        return ghost

    def change(self, variable: Variable, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """The variable has another value of the same shape; what was read before is not followed to it."""
        self.hold(variable, self.ghost(TensorSpec(variable.shape, variable.dtype), variable._id))

    def captured(self, tensor: EagerTensor) -> Any:
        """A large tensor that may be followed is known by its shape: to compute with its value takes time and memory."""
        if tensor._array.size <= _MOST_KNOWN or not tensor.dtype.is_differentiable:
            return tensor
        if id(tensor) not in self._large:
            self._large[id(tensor)] = Ghost(self, tensor._array.shape, tensor._array.dtype)
        return self._large[id(tensor)]

    def looks(self, op: Op, inputs: list[Any], attributes: dict[str, Any]) -> list[Any]:
        """Shapes and types of an op's results; a guess need not divide what it is to divide."""
        try:
            return super().looks(op, inputs, attributes)
        except (OpError, ValueError):
            if op.name != "reshape" or not any(kind == "guess" for kind, _ in self.used):
                raise
            shape = tuple(self.guess() if size == -1 else size for size in attributes["shape"])
            return [(shape, inputs[0]._array.dtype)]

    def outputs(self, op: Op, inputs: list[Any], attributes: dict[str, Any], shapes: list[Any]) -> list[Ghost]:
        """The results of an op; sizes that depend on values are guesses."""
        shapes = [(tuple(self.guess() if n is UNKNOWN else n for n in shape), dtype) for shape, dtype in shapes]
        return super().outputs(op, inputs, attributes, shapes)

    def value_of(self, array: Any) -> Any:
        """A guess at integers, which are sizes as a rule; for anything else there is none."""
        if array.dtype.kind not in "iu":
            raise NeedsValue(f"The value of a tensor of shape {array.shape} is needed before the function runs.")
        guesses = [self.guess() for _ in range(array.size)]
        return np.array(guesses, array.dtype).reshape(array.shape)

    def adopt(self, thing: Any, cls: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Some classes have a form that does with guesses."""
        guessed = COMPOSITES[cls].guessed if cls in COMPOSITES else None
        if guessed is None or thing.__class__ is not cls:
            return False
        become(thing, guessed)
        guessed.begin(thing, *args, **kwargs)
        return True

    def guess(self, certain: bool = False) -> int:
        """A number for a size that nothing is known of; `certain` if nothing but that size comes of it."""
        self.doubts += not certain
        self._guessed += 1
        return self.size(("guess", self._guessed))

    def perform(self, entry: Entry) -> Any:
        """Run one entry of the journal here."""
        doubts = self.doubts
        with self.running():
            result = entry.action(self)
        if self.doubts != doubts:
            result = _all_ghosts(self, result)  # what was computed with a guess is a guess
        if entry.results is not None:
            bind(entry.results, result, self.environment.values)
        return result


@dataclass(slots=True)
class Entry:
    """Something that was done in all worlds, to be done again in new ones."""

    action: Callable[[Inference], Any]
    results: Any = None
    given: Any = ()  # what the step is given, to find sizes in


class Worlds:
    """The worlds of one trace, and the journal of what was done in them."""

    def __init__(self) -> None:
        self._chosen: dict[Unknown, tuple[int, int]] = {}
        self._worlds = [Inference(0, self._chosen)]
        self._journal: list[Entry] = []

    def __iter__(self) -> Iterator[Inference]:
        return iter(self._worlds)

    def close(self) -> None:
        """Tapes that were never left in a world do not record any more."""
        for world in self._worlds:
            world.close()

    def do(self, entry: Entry) -> list[Any]:
        """Run an entry in all worlds, with other numbers for unknown sizes if these do not fit together."""
        try:
            results = [world.perform(entry) for world in self._worlds]
            if len(self._worlds) == 1 and self._worlds[0].used:
                second = self._replayed(1, self._chosen, entry)
                results.append(second.last)
                self._worlds.append(second)
        except Exception as error:
            if not any(world.used for world in self._worlds) or not (
                is_known_error(error) or isinstance(error, NeedsValue)
            ):
                raise
            results = self._refit(entry, error)
        self._journal.append(entry)
        return results

    def _replayed(self, side: int, chosen: dict[Unknown, tuple[int, int]], entry: Entry) -> Inference:
        """A new world in which all was done again, and this entry after it."""
        world = Inference(side, chosen)
        try:
            for past in self._journal:
                world.perform(past)
            world.last = world.perform(entry)
        except Exception:
            world.close()
            raise
        return world

    def _refit(self, entry: Entry, error: Exception) -> list[Any]:
        """Choose sizes with which the entry runs: an unknown size may have to be equal to another."""
        for chosen in itertools.chain(itertools.islice(self._choices(entry), _MOST_TRIES), [self._small()]):
            worlds: list[Inference] = []
            try:
                for side in (0, 1):
                    worlds.append(self._replayed(side, chosen, entry))
            except Exception:
                for world in worlds:
                    world.close()
                continue
            for world in self._worlds:
                world.close()
            self._chosen, self._worlds = chosen, worlds
            return [world.last for world in worlds]
        raise error

    def _choices(self, entry: Entry) -> Iterator[dict[Unknown, tuple[int, int]]]:
        world = self._worlds[0]
        near = [world.environment[v.number] if v.__class__ is Ref else v for v in leaves(entry.given)]
        sizes: dict[int, None] = {}
        for value in (*near, *world.environment.values.values()):
            if isinstance(value, (Tensor, Variable, np.ndarray)):
                sizes.update((n, None) for n in getattr(getattr(value, "_array", value), "shape", ()) if n)
        unknowns = list(world.used)[::-1]
        pairs = [(world.size(u), self._worlds[-1].size(u)) for u in unknowns]
        candidates = [*pairs, *((n, n) for n in sizes), (1, 1)]
        for unknown in unknowns:
            if unknown[0] == "rank":
                for rank in range(5):
                    yield {**self._chosen, unknown: (rank, rank)}
            else:
                for candidate in candidates:
                    yield {**self._chosen, unknown: candidate}

    def _small(self) -> dict[Unknown, tuple[int, int]]:
        """Small numbers for all unknown sizes: something may have to hold them, such as an image that others are put into."""
        axes = [unknown for unknown in self._worlds[0].used if unknown[0] == "axis"]
        return {**self._chosen, **{unknown: (2 + unknown[1] % 3, 5 + unknown[1] % 3) for unknown in axes}}


def _all_ghosts(world: Inference, value: object) -> Any:
    """The value with ghosts in place of constants."""
    return as_ghost(world, value) if isinstance(value, Tensor) else map_parts(value, lambda p: _all_ghosts(world, p))


def as_ghost(world: Inference, value: Any) -> Any:
    """A value that may be another each time: constants too are only seen by type and shape."""
    if value.__class__ is EagerTensor:
        return Ghost(world, value._array.shape, value._array.dtype)
    return value


def with_known_shape(value: Any, spec: TensorSpec) -> Any:
    """The value; in a world that only guessed at its shape, something of the shape that it has."""
    world = getattr(value, "world", None)
    if not isinstance(world, Inference) or spec.shape.is_compatible_with(value.shape):
        return value
    return depending_on(world.ghost(spec), value)
