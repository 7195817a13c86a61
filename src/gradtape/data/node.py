"""A step of a pipeline, and the iterators that run it.

A `Node` describes a step: its inputs and settings. It never changes, and any number of iterators can run it. An
`ElementIterator` is one run; its whole position, buffers included, can be taken out as plain values and put into
another iterator over the same pipeline (`get_state`, `set_state`).

Steps that only choose and order the rows of arrays run on row numbers instead (`rows`, `indices`): shuffling and
batching arrays then costs one `np.take` for each batch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from ..base.dtypes import Array
from ..base.seeds import Used
from . import structure
from .structure import Element

INFINITE = -1
UNKNOWN = -2


@dataclass(frozen=True)
class Settings:
    """What holds for a whole pipeline while it runs: what `tf.data.Options` say, and how far streams of random numbers are."""

    deterministic: bool = True
    threads: int | None = None  # how many a step with AUTOTUNE may use
    # For each function of a user, how far its random ops have come. They go on where a step is run again (`repeat`).
    draws: dict[Any, Used] = field(default_factory=dict)
    branch: tuple[int, ...] = ()  # the place among the inputs of steps with several; each has its own streams

    def of_input(self, number: int) -> Settings:
        """The settings for one of several inputs of a step."""
        return replace(self, branch=(*self.branch, number))


class Rows(Protocol):
    """Elements with random access, by number."""

    @property
    def count(self) -> int:
        """How many there are."""

    def row(self, index: int) -> Element:
        """One of them."""

    def take(self, indices: Array) -> Element:
        """Several of them, stacked."""


class Indices(Protocol):
    """A run over row numbers."""

    def take(self, count: int) -> Array:
        """The next numbers: `count` of them, fewer only at the end."""

    def get_state(self) -> Any:
        """The position as plain values."""

    def set_state(self, state: dict[str, Any]) -> None:
        """Go to a position."""


class Node:
    """One step of a pipeline."""

    inputs: tuple[Node, ...] = ()

    def iterate(self, settings: Settings) -> ElementIterator:
        """A new run of this step and all before it."""
        rows = self.rows
        assert rows is not None
        return RowIterator(rows, self.indices(settings))

    def cardinality(self) -> int:
        """How many elements there are; INFINITE, or UNKNOWN where only a run tells."""
        return UNKNOWN

    def spec(self) -> Any:
        """The structure of specs of the elements; it may trace users' functions, or call them on a first element."""
        raise NotImplementedError

    def known_spec(self) -> Any:
        """The specs where they are known without calling a user's function, else None."""
        return None if any(node.known_spec() is None for node in self.inputs) else self.spec()

    @property
    def rows(self) -> Rows | None:
        """The elements by number, where this step only chooses among rows and orders them."""
        return None

    def indices(self, settings: Settings) -> Indices:
        """A run over the numbers of `rows`."""
        raise NotImplementedError

    def first_element(self) -> Element:
        """The first element of a run of its own; StopIteration where there is none."""
        iterator = self.iterate(Settings())
        try:
            return next(iterator)
        finally:
            iterator.close()


class ElementIterator(Iterator[Element]):
    """One run of a step."""

    def __next__(self) -> Element:
        raise NotImplementedError

    def next_batch(self, size: int) -> tuple[Element, int] | None:
        """Up to `size` elements, stacked, and how many they are; fewer only at the end, None after it."""
        elements = []
        for _ in range(size):
            try:
                elements.append(next(self))
            except StopIteration:
                break
        return (structure.stacked(elements), len(elements)) if elements else None

    def get_state(self) -> Any:
        """The position as plain values and arrays."""
        raise NotImplementedError

    def set_state(self, state: dict[str, Any]) -> None:
        """Go to a position that `get_state` gave."""
        raise NotImplementedError

    def close(self) -> None:
        """End the threads of this run. (Dropping an iterator does it too.)"""


class RowIterator(ElementIterator):
    """Elements from rows and a run over their numbers."""

    _LOOK_AHEAD = 256  # row numbers taken at once, to keep the overhead of Python small

    def __init__(self, rows: Rows, indices: Indices) -> None:
        self._rows = rows
        self._indices = indices
        self._row = rows.row
        self._ahead: Array = np.zeros(0, np.int64)
        self._next: Iterator[int] = iter(())
        self._left = 0

    def __next__(self) -> Element:
        if not self._left:
            self._ahead = self._indices.take(self._LOOK_AHEAD)
            self._left = len(self._ahead)
            if not self._left:
                raise StopIteration
            self._next = iter(self._ahead.tolist())
        self._left -= 1
        return self._row(next(self._next))

    def next_batch(self, size: int) -> tuple[Element, int] | None:
        numbers = self._ahead[len(self._ahead) - self._left :]
        if len(numbers) > size:
            self._left -= size
            numbers = numbers[:size]
            self._next = iter(self._ahead[len(self._ahead) - self._left :].tolist())
        else:
            more = self._indices.take(size - len(numbers)) if len(numbers) < size else numbers[:0]
            numbers = np.concatenate((numbers, more)) if len(numbers) else more
            self._left = 0
        return (self._rows.take(numbers), len(numbers)) if len(numbers) else None

    def get_state(self) -> Any:
        return {"ahead": self._ahead[len(self._ahead) - self._left :].copy(), "indices": self._indices.get_state()}

    def set_state(self, state: dict[str, Any]) -> None:
        self._indices.set_state(state["indices"])
        self._ahead = np.asarray(state["ahead"], np.int64)
        self._left = len(self._ahead)
        self._next = iter(self._ahead.tolist())
