"""Steps that choose and order elements and leave each one as it is: take, skip, shard, repeat.

Each runs in two ways: on the numbers of rows where its input is rows of arrays, on elements elsewhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.dtypes import Array
from ..base.errors import invalid
from .node import INFINITE, UNKNOWN, ElementIterator, Indices, Node, RowIterator, Rows, Settings
from .structure import Element


class Selection(Node):
    """A step whose elements are elements of its input."""

    def __init__(self, source: Node) -> None:
        self.inputs = (source,)
        self.source = source

    def spec(self) -> Any:
        return self.source.spec()

    @property
    def rows(self) -> Rows | None:
        return self.source.rows

    def iterate(self, settings: Settings) -> ElementIterator:
        rows = self.rows
        return self.elements(settings) if rows is None else RowIterator(rows, self.indices(settings))

    def elements(self, settings: Settings) -> ElementIterator:
        """A run on elements."""
        raise NotImplementedError


# --- take and skip -----------------------------------------------------------------------------------------


class Take(Selection):
    """The first `count` elements; all of them for -1."""

    def __init__(self, source: Node, count: int) -> None:
        super().__init__(source)
        self.count = count

    def cardinality(self) -> int:
        whole = self.source.cardinality()
        if self.count < 0:
            return whole
        return UNKNOWN if whole == UNKNOWN else self.count if whole == INFINITE else min(whole, self.count)

    def indices(self, settings: Settings) -> Indices:
        return _TakenIndices(self.source.indices(settings), self.count)

    def elements(self, settings: Settings) -> ElementIterator:
        return _TakenElements(self.source.iterate(settings), self.count)


class _Counted:
    """A run over another run, with a counter as its position."""

    def __init__(self, inner: Any, left: int) -> None:
        self._inner = inner
        self._left = left

    def get_state(self) -> Any:
        return {"left": self._left, "inner": self._inner.get_state()}

    def set_state(self, state: Any) -> None:
        self._inner.set_state(state["inner"])
        self._left = int(state["left"])

    def close(self) -> None:
        self._inner.close()


class _TakenIndices(_Counted):
    def take(self, count: int) -> Array:
        if self._left >= 0:
            count = min(count, self._left)
            self._left -= count
        taken: Array = self._inner.take(count)
        return taken


class _TakenElements(_Counted, ElementIterator):
    def __next__(self) -> Element:
        if not self._left:
            raise StopIteration
        self._left -= 1
        return next(self._inner)

    def next_batch(self, size: int) -> tuple[Element, int] | None:
        if not self._left:
            return None
        if self._left > 0:
            size = min(size, self._left)
            self._left -= size
        batch: tuple[Element, int] | None = self._inner.next_batch(size)
        return batch


class Skip(Selection):
    """All but the first `count` elements; none for -1."""

    def __init__(self, source: Node, count: int) -> None:
        super().__init__(source)
        self.count = count

    def cardinality(self) -> int:
        whole = self.source.cardinality()
        if self.count < 0:
            return 0
        return whole if whole in (INFINITE, UNKNOWN) else max(0, whole - self.count)

    def indices(self, settings: Settings) -> Indices:
        return _SkippedIndices(self.source.indices(settings), self.count)

    def elements(self, settings: Settings) -> ElementIterator:
        return _SkippedElements(self.source.iterate(settings), self.count)


_MANY = 1 << 16


class _SkippedIndices(_Counted):
    def take(self, count: int) -> Array:
        while self._left:
            passed = len(self._inner.take(min(self._left, _MANY) if self._left > 0 else _MANY))
            if not passed:
                break
            self._left -= passed if self._left > 0 else 0
        taken: Array = self._inner.take(count)
        return taken


class _SkippedElements(_Counted, ElementIterator):
    def __next__(self) -> Element:
        while self._left:
            next(self._inner)
            self._left -= self._left > 0
        return next(self._inner)


class Shard(Selection):
    """Every `count`-th element, beginning with number `index`."""

    def __init__(self, source: Node, count: int, index: int) -> None:
        super().__init__(source)
        if count < 1:
            raise invalid(f"shard: num_shards must be at least 1, got {count}.")
        if not 0 <= index < count:
            raise invalid(f"shard: index must be from 0 to num_shards - 1 = {count - 1}, got {index}.")
        self.count, self.index = count, index

    def cardinality(self) -> int:
        whole = self.source.cardinality()
        return whole if whole in (INFINITE, UNKNOWN) else (whole - self.index + self.count - 1) // self.count

    def indices(self, settings: Settings) -> Indices:
        return _ShardIndices(self.source.indices(settings), self.count, self.index)

    def elements(self, settings: Settings) -> ElementIterator:
        return _ShardElements(self.source.iterate(settings), self.count, self.index)


class _ShardIndices(_Counted):
    """`left` is how many are passed over before the next."""

    def __init__(self, inner: Any, count: int, index: int) -> None:
        super().__init__(inner, index)
        self._count = count

    def take(self, count: int) -> Array:
        if not count:
            return np.zeros(0, np.int64)
        wanted = self._left + (count - 1) * self._count + 1
        taken = self._inner.take(wanted)
        found: Array = taken[self._left :: self._count]
        if len(taken) > self._left:
            self._left = self._count - 1 - (len(taken) - 1 - self._left) % self._count
        else:
            self._left -= len(taken)
        return found


class _ShardElements(_Counted, ElementIterator):
    def __init__(self, inner: Any, count: int, index: int) -> None:
        super().__init__(inner, index)
        self._count = count

    def __next__(self) -> Element:
        while self._left:
            next(self._inner)
            self._left -= 1
        element = next(self._inner)
        self._left = self._count - 1
        return element


# --- repeat ------------------------------------------------------------------------------------------------


class Repeat(Selection):
    """The elements `count` times over; without end for None and -1."""

    def __init__(self, source: Node, count: int | None) -> None:
        super().__init__(source)
        self.count = -1 if count is None else count

    def cardinality(self) -> int:
        whole = self.source.cardinality()
        if self.count == 0 or whole == 0:
            return 0
        if whole == INFINITE or self.count < 0:
            return INFINITE
        return UNKNOWN if whole == UNKNOWN else whole * self.count

    def indices(self, settings: Settings) -> Indices:
        return _RepeatedIndices(self, settings)

    def elements(self, settings: Settings) -> ElementIterator:
        return _RepeatedElements(self, settings)


class _Repeated:
    def __init__(self, node: Repeat, settings: Settings) -> None:
        self._node, self._settings = node, settings
        self._left = node.count
        self._inner: Any = None
        self._empty = True  # whether this pass has given nothing yet

    def _pass(self) -> Any:
        """A new run of the input."""
        raise NotImplementedError

    def _begin(self) -> bool:
        """Start another pass; False where there is none, or where the last one was empty (and so will the next be)."""
        if not self._left or (self._inner is not None and self._empty):
            self._inner, self._left = None, 0
            return False
        self._left -= self._left > 0
        self._inner, self._empty = self._pass(), True
        return True

    def get_state(self) -> Any:
        inner = None if self._inner is None else self._inner.get_state()
        return {"left": self._left, "empty": self._empty, "inner": inner}

    def set_state(self, state: Any) -> None:
        self._left, self._empty = int(state["left"]), bool(state["empty"])
        self._inner = None if state["inner"] is None else self._pass()
        if self._inner is not None:
            self._inner.set_state(state["inner"])


class _RepeatedIndices(_Repeated):
    def _pass(self) -> Indices:
        return self._node.source.indices(self._settings)

    def take(self, count: int) -> Array:
        parts, missing = [], count
        while missing:
            part = np.zeros(0, np.int64) if self._inner is None else self._inner.take(missing)
            if len(part):
                parts.append(part)
                missing -= len(part)
                self._empty = False
            elif not self._begin():
                break
        return parts[0] if len(parts) == 1 else np.concatenate(parts) if parts else np.zeros(0, np.int64)


class _RepeatedElements(_Repeated, ElementIterator):
    def _pass(self) -> ElementIterator:
        return self._node.source.iterate(self._settings)

    def __next__(self) -> Element:
        while True:
            if self._inner is not None:
                try:
                    element = next(self._inner)
                except StopIteration:
                    pass
                else:
                    self._empty = False
                    return element
            if not self._begin():
                raise StopIteration

    def close(self) -> None:
        if self._inner is not None:
            self._inner.close()
