"""Groups of elements as datasets of their own: window and group_by_window."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base import dtypes, nest
from ..base.errors import invalid
from ..values.tensor import TensorSpec
from . import structure
from .functions import Function
from .nested import DatasetSpec, Listed
from .node import ElementIterator, Node, Settings
from .structure import Element, int64
from .transforms import Step, Wrapping

Wrap = Callable[[Node], Any]  # makes the dataset that users see


class Window(Step):
    """Datasets of neighbouring elements, one in each place of the elements' structure."""

    def __init__(self, source: Node, size: int, shift: int, stride: int, drop_remainder: bool, wrap: Wrap) -> None:
        super().__init__(source)
        for name, value in (("size", size), ("shift", shift), ("stride", stride)):
            if value < 1:
                raise invalid(f"window: {name} must be greater than zero, got {value}.")
        self.size, self.shift, self.stride, self.drop_remainder, self.wrap = size, shift, stride, drop_remainder, wrap

    def cardinality(self) -> int:
        count = self.source.cardinality()
        if count < 0:
            return count
        if self.drop_remainder:
            reach = (self.size - 1) * self.stride + 1
            return 0 if count < reach else (count - reach) // self.shift + 1
        return -(-count // self.shift)

    def spec(self) -> Any:
        return nest.map_structure(lambda leaf: DatasetSpec(leaf), self.source.spec())

    def packed(self, elements: list[Element]) -> Element:
        """The window's elements as a structure of datasets."""
        columns = zip(*(nest.flatten(element) for element in elements), strict=True)
        datasets = []
        for number, column in enumerate(columns):

            def spec(number: int = number) -> Any:
                return nest.flatten(self.source.spec())[number]

            datasets.append(self.wrap(Listed(list(column), spec)))
        return nest.pack_sequence_as(elements[0], datasets)

    def iterate(self, settings: Settings) -> ElementIterator:
        return _WindowIterator(self, self.source.iterate(settings))


class _WindowIterator(Wrapping):
    def __init__(self, node: Window, inner: ElementIterator) -> None:
        super().__init__(inner)
        self._node = node
        self._buffer: list[Element] = []
        self._skip = 0  # how many elements to pass over before the next window
        self._ended = False

    def __next__(self) -> Element:
        node = self._node
        reach = (node.size - 1) * node.stride + 1
        while not self._ended and (self._skip or len(self._buffer) < reach):
            try:
                element = next(self._inner)
            except StopIteration:
                self._ended = True
                break
            if self._skip:
                self._skip -= 1
            else:
                self._buffer.append(element)
        if not self._buffer or (node.drop_remainder and len(self._buffer) < reach):
            raise StopIteration
        window = node.packed(self._buffer[: reach : node.stride])
        self._skip = max(0, node.shift - len(self._buffer))
        self._buffer = self._buffer[node.shift :]
        return window

    def get_state(self) -> Any:
        buffer = [structure.encoded(element) for element in self._buffer]
        return {**super().get_state(), "buffer": buffer, "skip": self._skip, "ended": self._ended}

    def set_state(self, state: dict[str, Any]) -> None:
        super().set_state(state)
        self._buffer = [structure.decoded(element, self._node.source.spec) for element in state["buffer"]]
        self._skip, self._ended = int(state["skip"]), bool(state["ended"])


class GroupByWindow(Node):
    """Elements gathered by key; each group of a key's window size becomes a dataset through a function."""

    def __init__(
        self,
        source: Node,
        key: Any,
        reduce: Any,
        size: int | None,
        size_of: Any,
        wrap: Wrap,
        unwrap: Callable[[Any], Node],
        reduced_spec: Callable[[], object] | None = None,
    ) -> None:
        """`reduced_spec` gives the spec of the elements, where `reduce` cannot be traced."""
        if (size is None) == (size_of is None):
            raise ValueError("group_by_window: give one of window_size and window_size_func, and not both.")
        if size is not None and size < 1:
            raise invalid(f"group_by_window: window_size must be greater than zero, got {size}.")
        self.inputs = (source,)
        self.source = source
        self.key = Function(key, "group_by_window", lambda: (source.spec(),))
        self.reduce = Function(
            reduce, "group_by_window", lambda: (TensorSpec([], dtypes.int64), DatasetSpec(source.spec()))
        )
        self.size_of = None if size_of is None else Function(size_of, "group_by_window")
        self.size = size
        self.wrap, self.unwrap = wrap, unwrap
        self._spec: Any = None
        self._reduced_spec = reduced_spec

    def spec(self) -> Any:
        if self._spec is None and self._reduced_spec is not None:
            self._spec = self._reduced_spec()
        if self._spec is None:
            made = self.reduce.spec(self._first_group)
            self._spec = made.element_spec if isinstance(made, DatasetSpec) else self.unwrap(made)
        return self._spec

    def _first_group(self) -> tuple[Element, ...]:
        """The arguments of `reduce` for a group of the first element."""
        element = self.source.first_element()
        key = self.key.scalar(element, int, "key_func must return one integer")
        return int64(key), self.wrap(Listed([element], self.source.spec))

    def known_spec(self) -> Any:
        return self._spec

    def window_size(self, size_of: Function | None, key: int) -> int:
        """How many elements make a group of this key."""
        if size_of is None:
            return self.size or 1
        size: int = size_of.scalar(int64(key), int, "window_size_func must return one integer")
        if size < 1:
            raise invalid(f"group_by_window: Window size must be greater than zero, but got {size}.")
        return size

    def reduced(self, reduce: Function, key: int, elements: list[Element]) -> Node:
        """The dataset that the function makes of a group."""
        group = self.wrap(Listed(elements, self.source.spec))
        return self.unwrap(reduce(int64(key), group))

    def iterate(self, settings: Settings) -> ElementIterator:
        return _GroupIterator(self, self.source.iterate(settings), settings)


class _GroupIterator(Wrapping):
    def __init__(self, node: GroupByWindow, inner: ElementIterator, settings: Settings) -> None:
        super().__init__(inner)
        self._node, self._settings = node, settings
        self._key, self._reduce = node.key.for_pass(settings), node.reduce.for_pass(settings)
        self._size_of = None if node.size_of is None else node.size_of.for_pass(settings)
        self._functions = [part for part in (self._key, self._reduce, self._size_of) if part is not None]
        self._groups: dict[int, list[Element]] = {}
        self._sizes: dict[int, int] = {}
        self._ended = False
        self._current: tuple[int, list[Element], ElementIterator] | None = None

    def __next__(self) -> Element:
        while True:
            if self._current is not None:
                try:
                    return next(self._current[2])
                except StopIteration:
                    self._current = None
            self._gather()

    def _gather(self) -> None:
        """Take elements until a group is full; at the end, what is left, in the order of the keys."""
        while not self._ended:
            try:
                element = next(self._inner)
            except StopIteration:
                self._ended = True
                break
            key = self._key.scalar(element, int, "key_func must return one integer")
            group = self._groups.setdefault(key, [])
            if not group:
                self._sizes[key] = self._node.window_size(self._size_of, key)
            group.append(element)
            if len(group) == self._sizes[key]:
                return self._open(key, self._groups.pop(key))
        if not self._groups:
            raise StopIteration
        key = min(self._groups)
        self._open(key, self._groups.pop(key))

    def _open(self, key: int, group: list[Element]) -> None:
        self._current = (key, group, self._node.reduced(self._reduce, key, group).iterate(self._settings))

    def get_state(self) -> Any:
        groups = [[key, self._sizes[key], [structure.encoded(e) for e in group]] for key, group in self._groups.items()]
        current = None
        if self._current is not None:
            key, group, iterator = self._current
            current = [key, [structure.encoded(element) for element in group], iterator.get_state()]
        draws = [function.get_state() for function in self._functions]
        return {**super().get_state(), "groups": groups, "ended": self._ended, "current": current, "draws": draws}

    def set_state(self, state: dict[str, Any]) -> None:
        super().set_state(state)
        self._ended = bool(state["ended"])
        decode = structure.decoded
        spec = self._node.source.spec
        self._groups = {int(key): [decode(e, spec) for e in group] for key, _, group in state["groups"]}
        self._sizes = {int(key): int(size) for key, size, _ in state["groups"]}
        self._current = None
        if state["current"] is not None:
            key, group, inner = state["current"]
            self._open(int(key), [decode(element, spec) for element in group])
            assert self._current is not None
            self._current[2].set_state(inner)  # type: ignore[unreachable]
        # After the call for the group that was open, which draws. (Older states have none.)
        for function, draws in zip(self._functions, state.get("draws", ()), strict=False):
            function.set_state(draws)
