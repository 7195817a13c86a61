"""Seeds of random ops inside graphs: TensorFlow's numbers depend on where an op stands, and each op has a stream of its own.

Eagerly an op without a seed gets the next one that the global seed gives. In a graph it gets its number among the ops without a
seed in that graph, beside the global seed at the time of the trace; two ops with one seed are two streams; and an op that runs
again goes on with its stream. A `SeedScope` numbers the ops of one run of a graph.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .dtypes import DType, as_dtype

MAXINT32 = 2**31 - 1
DEFAULT_GLOBAL_SEED = 87654321

Pair = tuple[int, int]
# How many blocks each op has taken of its stream: by the kind of the op, with its types, and its seeds and place.
Used = dict[tuple[tuple[Any, ...], tuple[int, ...]], int]


def encoded(used: Used) -> list[Any]:
    """The positions of streams as plain values."""
    return [
        (tuple(("dtype", part.name) if isinstance(part, DType) else part for part in op), seeds, blocks)
        for (op, seeds), blocks in used.items()
    ]


def decoded(rows: list[Any]) -> Used:
    """What `encoded` was given."""
    return {
        (tuple(as_dtype(part[1]) if isinstance(part, (tuple, list)) else part for part in op), tuple(seeds)): blocks
        for op, seeds, blocks in rows
    }


class _Global:
    """The global seed of the program."""

    seed: int | None = None


GLOBAL = _Global()


def seed_pair(global_seed: int | None, op_seed: int | None) -> Pair | None:
    """The two seeds of an op as TensorFlow's kernels get them; None where there is no seed at all."""
    if op_seed is None:
        return None
    first = DEFAULT_GLOBAL_SEED if global_seed is None else global_seed % MAXINT32
    second = op_seed % MAXINT32
    return (0, MAXINT32) if (first, second) == (0, 0) else (first, second)  # (0, 0) means "no seed" to the kernels


@dataclass(frozen=True, slots=True)
class OpSeed:
    """The seeds of one op of a graph, and the place by which its stream is known."""

    pair: Pair | None
    place: tuple[int, ...]
    own: int | None = None  # what the op itself was given

    def numbered(self, number: int) -> OpSeed:
        """The seeds of an op that has none of its own, and this number in its graph."""
        pair = None if self.pair is None else (self.pair[0], number % MAXINT32)
        return OpSeed((0, MAXINT32) if pair == (0, 0) else pair, (*self.place, number))


class SeedScope:
    """One run of a graph, or of a function that stands for one: hands out seeds in the order of the ops."""

    __slots__ = ("_ops", "_unseeded", "place", "seed", "step", "used")

    def __init__(
        self,
        seed: int | None,
        place: tuple[int, ...],
        used: Used | None = None,
        begin: tuple[int, int, int] = (0, 0, 0),
    ) -> None:
        """`begin` is where another run has stopped (`reached`), if this one goes on from there."""
        self.seed = seed
        self.place = place
        self.used = used  # how far the streams have come, if that ends with the runs it is kept for
        # The number of the step that runs: a graph that it runs is at another place than that of another step.
        self.step, self._ops, self._unseeded = begin

    @property
    def reached(self) -> tuple[int, int, int]:
        """How many steps have run, how many random ops were in them, and how many of these had no seed."""
        return self.step, self._ops, self._unseeded

    def go_to(self, reached: tuple[int, int, int]) -> None:
        """Go on from where another run has stopped."""
        self.step, self._ops, self._unseeded = reached

    def next(self, seed: int | None) -> OpSeed:
        """The seeds of the next op, which has this one of its own."""
        own = seed
        if seed is None and self.seed is not None:
            seed = self._unseeded
            self._unseeded += 1
        self._ops += 1
        return OpSeed(seed_pair(self.seed, seed), (*self.place, self.step, self._ops), own)

    def reserved(self, count: int) -> range:
        """The numbers of so many ops without a seed."""
        self._unseeded += count
        return range(self._unseeded - count, self._unseeded)
