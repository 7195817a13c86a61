"""`shuffle`: a buffer from which elements are drawn at random, each replaced by the next of the input.

The draws of one pass depend on the seeds, the number of the pass and nothing else: the n-th draw is the same
whether elements go through the buffer one by one or, as row numbers, in blocks.
"""

from __future__ import annotations

import secrets
from typing import Any

import numpy as np

from ..base.dtypes import Array
from ..base.locks import new_lock
from ..base.types import TensorLike
from ..op.attributes import as_int
from . import structure
from .node import ElementIterator, Indices, Node, Settings
from .selection import Selection
from .structure import Element

_BLOCK = 4096  # how many places are drawn at once
_WORD = 2**64
_DRAIN = _WORD - 1  # the block that empties the buffer


def op_seeds(seed: TensorLike) -> tuple[int, int]:
    """The two seeds of a random step: from the global seed and its own as for random ops, else from the system."""
    from ..random import seeds_of

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


def generator(seeds: tuple[int, int], passed: int, block: int) -> np.random.Generator:
    """Random numbers that depend on these numbers alone."""
    key = seeds[0] % _WORD << 64 | seeds[1] % _WORD
    return np.random.Generator(np.random.Philox(key=key, counter=passed << 128 | block << 64))


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
    """What runs on elements and runs on row numbers share: the draws, and their position."""

    def __init__(self, node: Shuffle) -> None:
        self._node = node
        self._size = node.buffer_size
        self._pass = node.passes.begin()
        self._drawn = 0  # in this pass
        self._places: Array = np.zeros(0, np.int64)  # the block of draws that holds the next one

    def _draws(self, count: int) -> Array:
        """The next places to draw from, `count` or fewer."""
        block, position = divmod(self._drawn, _BLOCK)
        if not position or not len(self._places):
            self._places = generator(self._node.passes.seeds, self._pass, block).integers(0, self._size, _BLOCK)
        places = self._places[position : position + count]
        self._drawn += len(places)
        return places

    def _drain_order(self, count: int) -> Array:
        return generator(self._node.passes.seeds, self._pass, _DRAIN).permutation(count)

    def _draw_state(self) -> dict[str, Any]:
        passes = self._node.passes
        return {"pass": self._pass, "drawn": self._drawn, "passes": passes.count, "seeds": list(passes.seeds)}

    def _set_draw_state(self, state: dict[str, Any]) -> None:
        passes = self._node.passes
        passes.count, passes.seeds = int(state["passes"]), (int(state["seeds"][0]), int(state["seeds"][1]))
        self._pass, self._drawn = int(state["pass"]), int(state["drawn"])
        self._places = np.zeros(0, np.int64)


class _ShuffledIndices(_Shuffled):
    def __init__(self, node: Shuffle, settings: Settings) -> None:
        super().__init__(node)
        self._inner = node.source.indices(settings)
        self._buffer: Array | None = None
        self._left: Array | None = None  # what is left when the input has ended, in its final order

    def take(self, count: int) -> Array:
        if self._buffer is None:
            self._buffer = self._inner.take(self._size)
            if len(self._buffer) < self._size:
                self._drain()
        parts = []
        while self._left is None and count:
            part = self._draw(count)
            parts.append(part)
            count -= len(part)
        if self._left is not None:
            parts.append(self._left[:count])
            self._left = self._left[count:]
        return parts[0] if len(parts) == 1 else np.concatenate(parts) if parts else np.zeros(0, np.int64)

    def _draw(self, count: int) -> Array:
        """Draw from the full buffer in one step: a place that is drawn again gives the element that replaced the first."""
        buffer = self._buffer
        assert buffer is not None
        incoming = self._inner.take(min(count, _BLOCK - self._drawn % _BLOCK))
        if not len(incoming):
            self._drain()
            return incoming
        places = self._draws(len(incoming))
        found: Array = buffer[places]
        order = np.argsort(places, kind="stable")
        again = places[order[1:]] == places[order[:-1]]
        found[order[1:][again]] = incoming[order[:-1][again]]
        buffer[places] = incoming  # for equal places, the last assignment counts
        return found

    def _drain(self) -> None:
        assert self._buffer is not None
        self._left = self._buffer[self._drain_order(len(self._buffer))]
        self._buffer = self._buffer[:0]

    def get_state(self) -> Any:
        return {
            **self._draw_state(),
            "buffer": None if self._buffer is None else self._buffer.copy(),
            "left": None if self._left is None else self._left.copy(),
            "inner": self._inner.get_state(),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        self._set_draw_state(state)
        self._inner.set_state(state["inner"])
        self._buffer = None if state["buffer"] is None else np.array(state["buffer"], np.int64)
        self._left = None if state["left"] is None else np.array(state["left"], np.int64)


class _ShuffledElements(_Shuffled, ElementIterator):
    def __init__(self, node: Shuffle, settings: Settings) -> None:
        super().__init__(node)
        self._inner = node.source.iterate(settings)
        self._buffer: list[Element] = []
        self._filled = False
        self._ended = False
        self._ahead: list[int] = []  # places drawn already, the next one last

    def __next__(self) -> Element:
        if not self._filled:
            while len(self._buffer) < self._size and not self._ended:
                self._pull()
            self._filled = True
            if self._ended:
                self._drain()
        if not self._ended:
            element = self._exchange()
            if element is not None:
                return element[0]
        if not self._buffer:
            raise StopIteration
        return self._buffer.pop()

    def _pull(self) -> None:
        try:
            self._buffer.append(next(self._inner))
        except StopIteration:
            self._ended = True

    def _exchange(self) -> tuple[Element] | None:
        """Draw one element and put the next of the input in its place; None where the input has ended."""
        try:
            incoming = next(self._inner)
        except StopIteration:
            self._ended = True
            self._drain()
            return None
        if not self._ahead:
            self._ahead = self._draws(_BLOCK).tolist()[::-1]
        place = self._ahead.pop()
        found, self._buffer[place] = self._buffer[place], incoming
        return (found,)

    def _drain(self) -> None:
        """Put what is left into its final order, the next one last."""
        self._buffer = [self._buffer[place] for place in self._drain_order(len(self._buffer))[::-1].tolist()]

    def get_state(self) -> Any:
        return {
            **self._draw_state(),
            "drawn": self._drawn - len(self._ahead),
            "buffer": [structure.encoded(element) for element in self._buffer],
            "filled": self._filled,
            "ended": self._ended,
            "inner": self._inner.get_state(),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        self._set_draw_state(state)
        self._ahead = []
        self._inner.set_state(state["inner"])
        self._buffer = [structure.decoded(element, self._node.spec) for element in state["buffer"]]
        self._filled, self._ended = bool(state["filled"]), bool(state["ended"])

    def close(self) -> None:
        self._inner.close()
