"""`shuffle`: a buffer from which elements are drawn at random, each replaced by the next of the input; TensorFlow's order.

The draws of one pass depend on the seeds, the number of the pass and nothing else. The buffer is a ring: the n-th draw takes an
element at random, and the oldest one moves to its place. So the order is the same whether elements go through the buffer
one by one or, as row numbers, in blocks.
"""

from __future__ import annotations

import secrets
from typing import Any

import numpy as np

from ..base import philox
from ..base.dtypes import Array
from ..base.locks import new_lock
from ..base.types import TensorLike
from ..op.attributes import as_int
from . import structure
from .node import ElementIterator, Indices, Node, Settings
from .selection import Selection
from .structure import Element

_BLOCK = 4096  # how many numbers are drawn at once


def op_seeds(seed: TensorLike) -> tuple[int, int]:
    """The two seeds of a random step: from the global seed and its own as for random ops, else from the system."""
    from ..random.streams import seeds_of

    return seeds_of(None if seed is None else as_int(seed)) or (secrets.randbits(63), secrets.randbits(63))


class Passes:
    """Counts the passes over a random step, so that each gives another order; it belongs to the step."""

    def __init__(self, seed: TensorLike, renew: bool) -> None:
        self.seeds = op_seeds(seed)
        self._renew = renew
        self._lock = new_lock()
        self.count = 0

    def begin(self) -> int:
        """The number of a new pass."""
        with self._lock:
            number = self.count
            self.count += self._renew
        return number

    def stream(self, number: int) -> philox.Philox:
        """The random numbers of a pass: from the seeds, or from the pair that the seeds give for this pass."""
        stream = philox.from_seeds(*self.seeds)
        if not self._renew:
            return stream
        words = stream.skip(number // 2).blocks(1)[0, 2 * (number % 2) :]
        return philox.from_seeds(int(words[0]), int(words[1]))


def numbers(stream: philox.Philox, block: int, count: int) -> Array:
    """A block of so many numbers below 2**32, a multiple of four, of a stream."""
    return stream.skip(block * count // 4).blocks(count // 4).reshape(-1).astype(np.int64)


class Shuffle(Selection):
    """Elements in random order."""

    def __init__(self, source: Node, buffer_size: int, seed: TensorLike, reshuffle_each_iteration: bool) -> None:
        super().__init__(source)
        self.buffer_size = buffer_size
        self.passes = Passes(seed, reshuffle_each_iteration)

    def cardinality(self) -> int:
        return self.source.cardinality()

    def indices(self, settings: Settings) -> Indices:
        return _ShuffledIndices(self, settings)

    def elements(self, settings: Settings) -> ElementIterator:
        return _ShuffledElements(self, settings)


class _Shuffled:
    """What runs on elements and runs on row numbers share: the ring, the draws, and their position."""

    def __init__(self, node: Shuffle) -> None:
        self._node = node
        self._size = node.buffer_size
        self._pass = node.passes.begin()
        self._stream = node.passes.stream(self._pass)
        self._ring: list[
            Any
        ] = []  # once the input has ended: what is left in the order in which it leaves, the next one last
        self._drawn = 0  # how many elements have left the ring: the oldest is at this place, modulo its size
        self._ended = False
        self._words: Array = np.zeros(0, np.int64)  # the block of random numbers that holds the next one

    def _draws(self, count: int) -> Array:
        """The next random numbers, at least one and at most `count`."""
        block, position = divmod(self._drawn, _BLOCK)
        if not position or not len(self._words):
            self._words = numbers(self._stream, block, _BLOCK)
        found = self._words[position : position + count]
        self._drawn += len(found)
        return found

    def _end(self, has_gap: bool = False) -> None:
        """The input has ended: draw all that is left. With `has_gap` the last place before the oldest element is empty."""
        oldest = self._drawn % len(self._ring) if self._ring else 0
        rest = self._ring[oldest:] + self._ring[:oldest]
        if has_gap:
            rest.pop()
        count = len(rest)
        words = [self._draws(count) for _ in range(0, count + _BLOCK, _BLOCK)]
        first = np.arange(count)
        places = first + np.concatenate(words)[:count] % (count - first)
        order = []
        for start, place in enumerate(places.tolist()):
            order.append(rest[place])
            rest[place] = rest[start]
        self._ring = order[::-1]
        self._ended = True

    def _draw_state(self) -> dict[str, Any]:
        passes = self._node.passes
        return {
            "pass": self._pass,
            "drawn": self._drawn,
            "ended": self._ended,
            "passes": passes.count,
            "seeds": list(passes.seeds),
        }

    def _set_draw_state(self, state: dict[str, Any]) -> None:
        passes = self._node.passes
        passes.count, passes.seeds = int(state["passes"]), (int(state["seeds"][0]), int(state["seeds"][1]))
        self._pass, self._drawn = int(state["pass"]), int(state["drawn"])
        self._ended = bool(state["ended"])
        self._stream = passes.stream(self._pass)
        self._words = self._words[:0]


class _ShuffledIndices(_Shuffled):
    def __init__(self, node: Shuffle, settings: Settings) -> None:
        super().__init__(node)
        self._inner = node.source.indices(settings)
        self._started = False

    def take(self, count: int) -> Array:
        if not self._started:
            self._started = True
            self._ring = self._inner.take(self._size).tolist()
            if len(self._ring) < self._size:
                self._end()
        found: list[int] = []
        while not self._ended and len(found) < count:
            self._exchange(found, count - len(found))
        if self._ended:
            first = max(len(self._ring) - (count - len(found)), 0)
            found += self._ring[first:][::-1]
            del self._ring[first:]
        return np.array(found, np.int64)

    def _exchange(self, found: list[int], count: int) -> None:
        """Draw up to `count` numbers, and put the next of the input in the places that become free."""
        ring, size = self._ring, self._size
        incoming = self._inner.take(min(count, _BLOCK - self._drawn % _BLOCK)).tolist()
        if not incoming:
            self._end()
            return
        oldest = (self._drawn + np.arange(len(incoming))) % size
        places = (oldest + self._draws(len(incoming))) % size
        for number, place, old in zip(incoming, places.tolist(), oldest.tolist(), strict=True):
            found.append(ring[place])
            ring[place] = ring[old]
            ring[old] = number

    def get_state(self) -> Any:
        return {
            **self._draw_state(),
            "buffer": np.array(self._ring, np.int64) if self._started else None,
            "inner": self._inner.get_state(),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        self._set_draw_state(state)
        self._inner.set_state(state["inner"])
        self._started = state["buffer"] is not None
        self._ring = [int(number) for number in state["buffer"]] if self._started else []


class _ShuffledElements(_Shuffled, ElementIterator):
    def __init__(self, node: Shuffle, settings: Settings) -> None:
        super().__init__(node)
        self._inner = node.source.iterate(settings)
        self._free: int | None = None  # the place of the element that was given out last, to be filled from the input

    def __next__(self) -> Element:
        if not self._ended:
            self._fill()
        if self._ended:
            if not self._ring:
                raise StopIteration
            return self._ring.pop()
        ring, self._free = self._ring, self._drawn % self._size
        place = (self._free + int(self._draws(1)[0])) % self._size
        found, ring[place] = ring[place], ring[self._free]
        return found

    def _fill(self) -> None:
        try:
            if self._free is not None:
                self._ring[self._free] = next(self._inner)
            while len(self._ring) < self._size:
                self._ring.append(next(self._inner))
        except StopIteration:
            self._end(has_gap=self._free is not None)
        self._free = None

    def get_state(self) -> Any:
        return {
            **self._draw_state(),
            "buffer": [structure.encoded(element) for element in self._ring],
            "free": self._free,
            "inner": self._inner.get_state(),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        self._set_draw_state(state)
        self._inner.set_state(state["inner"])
        self._ring = [structure.decoded(element, self._node.spec) for element in state["buffer"]]
        self._free = None if state["free"] is None else int(state["free"])

    def close(self) -> None:
        self._inner.close()
