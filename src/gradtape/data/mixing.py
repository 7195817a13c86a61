"""Several datasets as one: concatenate, flat_map, interleave, and choosing among datasets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..base import nest, philox
from ..base.errors import invalid
from ..base.memory import slots
from ..values.tensor import Tensor, TensorSpec
from . import structure
from .functions import Function
from .nested import DatasetSpec
from .node import INFINITE, UNKNOWN, ElementIterator, Node, Settings
from .shuffling import Passes
from .sources import Uniform
from .structure import Element
from .transforms import Calling, PrefetchIterator, Step
from .workers import Ahead

Unwrap = Callable[[Any], Node]  # the node of a dataset that a user made


def check_same_types(nodes: list[Node], name: str) -> None:
    """Raise where the datasets' elements are known to differ in structure or type."""
    known = [spec for spec in (node.known_spec() for node in nodes) if spec is not None]
    for spec in known[1:]:
        try:
            nest.assert_same_structure(known[0], spec)
        except (TypeError, ValueError):
            raise TypeError(
                f"{name}: Incompatible dataset elements, of different structures: {known[0]!r} and {spec!r}."
            ) from None
        for first, second in zip(nest.flatten(known[0]), nest.flatten(spec), strict=True):
            if isinstance(first, TensorSpec) and isinstance(second, TensorSpec) and first.dtype is not second.dtype:
                raise TypeError(
                    f"{name}: Incompatible dataset elements, of different types: {known[0]!r} and {spec!r}. Use map with tf.cast."
                )


def _common(nodes: tuple[Node, ...]) -> Any:
    spec = nodes[0].spec()
    for node in nodes[1:]:
        spec = structure.common_spec(spec, node.spec())
    return spec


class Concatenate(Node):
    """The elements of one dataset, then those of another.

    What was concatenated before is one row of inputs with it: a program may add a dataset for each of a thousand files.
    """

    def __init__(self, first: Node, second: Node) -> None:
        check_same_types([first, second], "concatenate")
        parts = [part.inputs if isinstance(part, Concatenate) else (part,) for part in (first, second)]
        self.inputs = (*parts[0], *parts[1])
        known = [part.known_spec() for part in (first, second)]
        self._known = None if known[0] is None or known[1] is None else structure.common_spec(*known)

    def cardinality(self) -> int:
        counts = [node.cardinality() for node in self.inputs]
        return INFINITE if INFINITE in counts else UNKNOWN if UNKNOWN in counts else sum(counts)

    def spec(self) -> Any:
        return _common(self.inputs) if self._known is None else self._known

    def known_spec(self) -> Any:
        return self._known

    def iterate(self, settings: Settings) -> ElementIterator:
        return _ConcatenatedIterator(self.inputs, settings)


class _ConcatenatedIterator(ElementIterator):
    def __init__(self, nodes: tuple[Node, ...], settings: Settings) -> None:
        self._nodes, self._settings = nodes, settings
        self._part = 0
        self._inner = nodes[0].iterate(settings.of_input(0))

    def __next__(self) -> Element:
        while True:
            try:
                return next(self._inner)
            except StopIteration:
                if self._part + 1 == len(self._nodes):
                    raise
            self._part += 1
            self._inner = self._nodes[self._part].iterate(self._settings.of_input(self._part))

    def get_state(self) -> Any:
        return {"part": self._part, "inner": self._inner.get_state()}

    def set_state(self, state: Any) -> None:
        self._part = int(state["part"])
        self._inner = self._nodes[self._part].iterate(self._settings.of_input(self._part))
        self._inner.set_state(state["inner"])

    def close(self) -> None:
        self._inner.close()


# --- datasets made by a function ---------------------------------------------------------------------------


class _Opened:
    """A dataset that a function made of an element, and a run of it."""

    def __init__(self, element: Element, iterator: ElementIterator) -> None:
        self.element, self.iterator = element, iterator

    def get_state(self) -> Any:
        return {"element": structure.encoded(self.element), "inner": self.iterator.get_state()}


class FlatMap(Step):
    """The elements of the datasets that a function makes, one dataset after the other."""

    name = "flat_map"

    def __init__(self, source: Node, function: Any, unwrap: Unwrap) -> None:
        super().__init__(source)
        self.function = Function(function, self.name, lambda: (source.spec(),))
        self.unwrap = unwrap
        self._spec: Any = None

    def cardinality(self) -> int:
        return self.source.cardinality() if self.source.cardinality() in (0, INFINITE) else UNKNOWN

    def made(self, function: Function, element: Element) -> Node:
        """The dataset that the function makes."""
        return self.unwrap(function(element))

    def spec(self) -> Any:
        if self._spec is None:
            made = self.function.spec(lambda: (self.source.first_element(),))
            self._spec = made.element_spec if isinstance(made, DatasetSpec) else self.unwrap(made)
        return self._spec

    def known_spec(self) -> Any:
        return self._spec

    def open(self, function: Function, element: Element, settings: Settings, restoring: bool = False) -> _Opened:
        """A run of the dataset that the function makes."""
        return _Opened(element, self.made(function, element).iterate(settings))

    def reopen(self, function: Function, state: Any, settings: Settings) -> _Opened:
        """The run that was saved."""
        element = structure.decoded(state["element"], self.source.spec)
        opened = self.open(function, element, settings, restoring=True)
        opened.iterator.set_state(state["inner"])
        return opened

    def iterate(self, settings: Settings) -> ElementIterator:
        return _FlatMapIterator(self, self.source.iterate(settings), settings)


class _FlatMapIterator(Calling):
    def __init__(self, node: FlatMap, inner: ElementIterator, settings: Settings) -> None:
        super().__init__(node.function, inner, settings)
        self._node, self._settings = node, settings
        self._current: _Opened | None = None

    def __next__(self) -> Element:
        while True:
            if self._current is None:
                self._current = self._node.open(self._passing, next(self._inner), self._settings)
            try:
                return next(self._current.iterator)
            except StopIteration:
                self._current = None

    def get_state(self) -> Any:
        return {**super().get_state(), "current": self._current and self._current.get_state()}

    def set_state(self, state: Any) -> None:
        current = state["current"]
        self._current = None if current is None else self._node.reopen(self._passing, current, self._settings)
        super().set_state(state)  # after the calls for what was open, which draw


class Interleave(FlatMap):
    """The elements of the datasets that a function makes, of several datasets in turns."""

    name = "interleave"

    def __init__(
        self,
        source: Node,
        function: Any,
        unwrap: Unwrap,
        cycle_length: int,
        block_length: int,
        parallel: int | None,
    ) -> None:
        super().__init__(source, function, unwrap)
        if cycle_length < 1 or block_length < 1:
            raise invalid(
                f"interleave: cycle_length and block_length must be at least 1, got {cycle_length} and {block_length}."
            )
        self.cycle_length, self.block_length, self.parallel = cycle_length, block_length, parallel

    def open(self, function: Function, element: Element, settings: Settings, restoring: bool = False) -> _Opened:
        """A run whose elements are made ahead in a thread of its own, where that was asked for."""
        node = self.made(function, element)
        iterator = node.iterate(settings)
        if self.parallel is not None:
            ahead = Ahead(iterator, max(2, self.block_length), "interleave")
            iterator = PrefetchIterator(node, ahead)
            if not restoring:
                ahead.start()
        return _Opened(element, iterator)

    def iterate(self, settings: Settings) -> ElementIterator:
        return _InterleaveIterator(self, self.source.iterate(settings), settings)


class _InterleaveIterator(Calling):
    def __init__(self, node: Interleave, inner: ElementIterator, settings: Settings) -> None:
        super().__init__(node.function, inner, settings)
        self._node, self._settings = node, settings
        self._cycle: list[_Opened | None] = slots("interleave", node.cycle_length)
        self._turn = 0
        self._given = 0  # of the block of this turn
        self._ended = False
        self._eager = node.parallel is not None  # whether datasets are opened before their turn comes
        self._begun = False

    def __next__(self) -> Element:
        if self._eager and not self._begun:
            for place in range(len(self._cycle)):
                self._fill(place)
        self._begun = True
        while True:
            opened = self._cycle[self._turn]
            if opened is not None:
                try:
                    element = next(opened.iterator)
                except StopIteration:
                    self._cycle[self._turn] = None
                    if self._eager:
                        self._fill(self._turn)
                    self._pass_on()
                    continue
                self._given += 1
                if self._given == self._node.block_length:
                    self._pass_on()
                return element
            if not self._fill(self._turn):
                if not any(self._cycle):
                    raise StopIteration
                self._pass_on()

    def _fill(self, place: int) -> bool:
        """Open the next dataset in this place of the cycle; False where there is none."""
        if not self._ended:
            try:
                element = next(self._inner)
            except StopIteration:
                self._ended = True
            else:
                self._cycle[place] = self._node.open(self._passing, element, self._settings)
        return not self._ended

    def _pass_on(self) -> None:
        self._given = 0
        self._turn = (self._turn + 1) % self._node.cycle_length

    def get_state(self) -> Any:
        cycle = [None if opened is None else opened.get_state() for opened in self._cycle]
        position = {"turn": self._turn, "given": self._given, "ended": self._ended, "begun": self._begun}
        return {**super().get_state(), "cycle": cycle, **position}

    def set_state(self, state: Any) -> None:
        self._cycle = [
            None if part is None else self._node.reopen(self._passing, part, self._settings) for part in state["cycle"]
        ]
        super().set_state(state)  # after the calls for what was open, which draw
        self._turn, self._given = int(state["turn"]), int(state["given"])
        self._ended, self._begun = bool(state["ended"]), bool(state["begun"])

    def close(self) -> None:
        super().close()
        for opened in self._cycle:
            if opened is not None:
                opened.iterator.close()


# --- choosing among datasets -------------------------------------------------------------------------------


class Choose(Node):
    """The next element of the dataset whose number comes next."""

    def __init__(self, nodes: list[Node], choices: Node, stop_on_empty: bool) -> None:
        check_same_types(nodes, "choose_from_datasets")
        self.nodes, self.choices, self.stop_on_empty = nodes, choices, stop_on_empty
        self.inputs = (*nodes, choices)

    def spec(self) -> Any:
        return _common(tuple(self.nodes))

    def iterate(self, settings: Settings) -> ElementIterator:
        return _ChooseIterator(self, settings)


class _Several(ElementIterator):
    """Runs of several datasets, some of which have ended."""

    def __init__(self, nodes: list[Node], settings: Settings) -> None:
        self._runs = [node.iterate(settings.of_input(number)) for number, node in enumerate(nodes)]
        self._ended = [False] * len(nodes)

    def get_state(self) -> Any:
        return {"runs": [run.get_state() for run in self._runs], "ended": list(self._ended)}

    def set_state(self, state: Any) -> None:
        for run, inner in zip(self._runs, state["runs"], strict=True):
            run.set_state(inner)
        self._ended = [bool(ended) for ended in state["ended"]]

    def close(self) -> None:
        for run in self._runs:
            run.close()


class _ChooseIterator(_Several):
    def __init__(self, node: Choose, settings: Settings) -> None:
        super().__init__(node.nodes, settings)
        self._stop_on_empty = node.stop_on_empty
        self._choices = node.choices.iterate(settings)

    def __next__(self) -> Element:
        for choice in self._choices:
            if not isinstance(choice, Tensor) or not choice.dtype.is_integer or choice.ndim:
                raise TypeError(f"choose_from_datasets: a choice must be one int64, got {choice!r}.")
            number = int(choice)
            if not 0 <= number < len(self._runs):
                raise invalid(f"Selector index out of range: {number} >= {len(self._runs)}")
            if self._ended[number]:
                continue
            try:
                return next(self._runs[number])
            except StopIteration:
                self._ended[number] = True
                if self._stop_on_empty:
                    raise
        raise StopIteration

    def get_state(self) -> Any:
        return {**super().get_state(), "choices": self._choices.get_state()}

    def set_state(self, state: Any) -> None:
        super().set_state(state)
        self._choices.set_state(state["choices"])


class Sample(Node):
    """The next element of a dataset chosen at random."""

    def __init__(self, nodes: list[Node], weights: Any, seed: Any, stop_on_empty: bool, renew: bool) -> None:
        check_same_types(nodes, "sample_from_datasets")
        self.nodes, self.weights, self.stop_on_empty = nodes, weights, stop_on_empty
        self.inputs = (*nodes, *([weights] if isinstance(weights, Node) else []))
        self.passes = Passes(seed, renew)

    def cardinality(self) -> int:
        counts = [node.cardinality() for node in self.nodes]
        return INFINITE if (all if self.stop_on_empty else any)(count == INFINITE for count in counts) else UNKNOWN

    def spec(self) -> Any:
        return _common(tuple(self.nodes))

    def iterate(self, settings: Settings) -> ElementIterator:
        return _SampleIterator(self, settings)


class _SampleIterator(_Several):
    def __init__(self, node: Sample, settings: Settings) -> None:
        super().__init__(node.nodes, settings)
        self._stop_on_empty = node.stop_on_empty
        self._numbers = Uniform(node.passes)
        self._weights = node.weights.iterate(settings) if isinstance(node.weights, Node) else None
        self._fixed = node.weights

    def __next__(self) -> Element:
        while not all(self._ended):
            weights = self._fixed if self._weights is None else next(self._weights)
            chances = np.asarray(weights, np.float64)
            if not np.where(self._ended, 0.0, chances).sum() > 0:
                break
            # Two numbers are the seed of one draw, and a dataset that has ended may be drawn again, as in TensorFlow.
            seeds = philox.from_pair(self._numbers.next(), self._numbers.next())
            with np.errstate(divide="ignore"):
                number = int(philox.categorical(seeds, np.log(chances)[None], 1, np.dtype(np.int64))[0, 0])
            if self._ended[number]:
                continue
            try:
                return next(self._runs[number])
            except StopIteration:
                self._ended[number] = True
                if self._stop_on_empty:
                    self._ended = [True] * len(self._ended)
        raise StopIteration

    def get_state(self) -> Any:
        weights = None if self._weights is None else self._weights.get_state()
        return {**super().get_state(), "numbers": self._numbers.get_state(), "weights": weights}

    def set_state(self, state: Any) -> None:
        super().set_state(state)
        self._numbers.set_state(state["numbers"])
        if self._weights is not None:
            self._weights.set_state(state["weights"])
