"""Steps that make new elements: map, filter, scan, take_while, unique, ignore_errors, prefetch."""

from __future__ import annotations

import logging
import os
import time
from typing import Any

import numpy as np

from ..base import dtypes, nest
from ..base.errors import FailedPreconditionError, OperandTypeError
from ..values.tensor import Tensor
from . import structure
from .functions import Function
from .node import UNKNOWN, ElementIterator, Node, Settings
from .selection import Selection
from .structure import Element
from .workers import Ahead, SideBySide

AUTOTUNE = -1

LOGGER = logging.getLogger("gradtape")


class Step(Node):
    """A step on one input, with as many elements as it."""

    def __init__(self, source: Node) -> None:
        self.inputs = (source,)
        self.source = source

    def cardinality(self) -> int:
        return self.source.cardinality()


class Wrapping(ElementIterator):
    """A run on the run of an input, with no position of its own."""

    def __init__(self, inner: ElementIterator) -> None:
        self._inner = inner

    def get_state(self) -> Any:
        return {"inner": self._inner.get_state()}

    def set_state(self, state: Any) -> None:
        self._inner.set_state(state["inner"])

    def close(self) -> None:
        self._inner.close()


class Calling(Wrapping):
    """A run that calls a user's function, whose random ops have a position too."""

    def __init__(self, function: Function, inner: ElementIterator, settings: Settings) -> None:
        super().__init__(inner)
        self._passing = function.for_pass(settings)

    def get_state(self) -> Any:
        return {**super().get_state(), "draws": self._passing.get_state()}

    def set_state(self, state: Any) -> None:
        super().set_state(state)
        if "draws" in state:  # (older states have none)
            self._passing.set_state(state["draws"])


# --- map ---------------------------------------------------------------------------------------------------


class Map(Step):
    """A function of each element; in several threads where `parallel` is given."""

    def __init__(self, source: Node, function: Any, parallel: int | None = None, ordered: bool | None = None) -> None:
        super().__init__(source)
        self.function = Function(function, "map", lambda: (source.spec(),))
        self.parallel, self.ordered = parallel, ordered
        self._spec: Any = None

    def spec(self) -> Any:
        if self._spec is None:
            self._spec = self.function.spec(lambda: (self.source.first_element(),))
        return self._spec

    def known_spec(self) -> Any:
        return self._spec

    def iterate(self, settings: Settings) -> ElementIterator:
        inner = self.source.iterate(settings)
        if self.parallel is None:
            return _MapIterator(self.function, inner, settings)
        ordered = settings.deterministic if self.ordered is None else self.ordered
        if self.parallel == AUTOTUNE:
            return _TunedMapIterator(self, inner, settings, settings.threads or max(4, os.cpu_count() or 1), ordered)
        return _ParallelMapIterator(self, inner, settings, self.parallel, ordered)


class _MapIterator(Calling):
    def __init__(self, function: Function, inner: ElementIterator, settings: Settings) -> None:
        super().__init__(function, inner, settings)
        self._function = self._passing.element

    def __next__(self) -> Element:
        return self._function(next(self._inner))


class _ParallelMapIterator(ElementIterator):
    def __init__(self, node: Map, inner: ElementIterator, settings: Settings, count: int, ordered: bool) -> None:
        self._node = node
        self._passing = node.function.for_pass(settings)
        self._calls = SideBySide(inner, self._passing.element, count, ordered)

    def __next__(self) -> Element:
        return self._calls.next()

    def get_state(self) -> Any:
        return {**self._calls.get_state(structure.encoded), "draws": self._passing.get_state()}

    def set_state(self, state: Any) -> None:
        if "draws" in state:  # (older states have none)
            self._passing.set_state(state["draws"])
        self._calls.set_state(state, lambda element: structure.decoded(element, self._node.spec))

    def close(self) -> None:
        self._calls.close()


class _TunedMapIterator(_ParallelMapIterator):
    """Starts in the caller's thread, and switches to several threads where the calls take long enough."""

    _SLOW, _WORTH, _TRIALS = 20e-3, 150e-6, 4  # seconds for one call, or for the fastest of _TRIALS calls

    def __init__(self, node: Map, inner: ElementIterator, settings: Settings, count: int, ordered: bool) -> None:
        super().__init__(node, inner, settings, count, ordered)
        self._inner = inner
        self._function = self._passing.element
        self._trials, self._quickest = 0, float("inf")
        self._alone = True

    def __next__(self) -> Element:
        if not self._alone or self._calls.restored:
            return self._calls.next()
        if self._trials >= self._TRIALS:
            if self._quickest > self._WORTH:
                self._alone = False
                return self._calls.next()
            return self._function(next(self._inner))
        began = time.perf_counter()
        element = self._function(next(self._inner))
        spent = time.perf_counter() - began
        self._trials += 1
        self._quickest = min(self._quickest, spent)
        if spent > self._SLOW:
            self._alone = False
        return element


# --- prefetch ----------------------------------------------------------------------------------------------


class Prefetch(Step):
    """Elements made ahead, in a thread."""

    def __init__(self, source: Node, size: int) -> None:
        super().__init__(source)
        self.size = 4 if size == AUTOTUNE else size

    def spec(self) -> Any:
        return self.source.spec()

    def iterate(self, settings: Settings) -> ElementIterator:
        inner = self.source.iterate(settings)
        return PrefetchIterator(self.source, Ahead(inner, self.size)) if self.size else inner


class PrefetchIterator(ElementIterator):
    """A run whose elements are made ahead."""

    def __init__(self, source: Node, ahead: Ahead) -> None:
        self._source = source
        self._ahead = ahead

    def __next__(self) -> Element:
        return self._ahead.next()

    def get_state(self) -> Any:
        return self._ahead.get_state(structure.encoded)

    def set_state(self, state: Any) -> None:
        self._ahead.set_state(state, lambda element: structure.decoded(element, self._source.spec))

    def close(self) -> None:
        self._ahead.close()


# --- steps that drop elements ------------------------------------------------------------------------------


class Filter(Selection):
    """The elements for which a function is true."""

    def __init__(self, source: Node, predicate: Any, name: str = "filter") -> None:
        super().__init__(source)
        self.predicate = Function(predicate, name, lambda: (source.spec(),))

    @property
    def rows(self) -> None:
        return None

    def elements(self, settings: Settings) -> ElementIterator:
        return _FilterIterator(self.predicate, self.source.iterate(settings), settings)


_NOT_BOOL = "the function must return one boolean"


def _holds(predicate: Function, element: Element) -> bool:
    result = predicate(element)
    if result is True or result is False:
        return result
    if (
        not isinstance(result, (Tensor, np.bool_, np.ndarray))
        or np.asarray(result).dtype != bool
        or np.size(result) != 1
    ):
        raise ValueError(f"{predicate.name}: {_NOT_BOOL}, got {result!r}.")
    return bool(result)


class _FilterIterator(Calling):
    def __next__(self) -> Element:
        for element in self._inner:
            if _holds(self._passing, element):
                return element
        raise StopIteration


class TakeWhile(Filter):
    """The elements up to the first for which a function is false."""

    def __init__(self, source: Node, predicate: Any) -> None:
        super().__init__(source, predicate, "take_while")

    def elements(self, settings: Settings) -> ElementIterator:
        return _WhileIterator(self.predicate, self.source.iterate(settings), settings)


class _WhileIterator(Calling):
    def __init__(self, predicate: Function, inner: ElementIterator, settings: Settings) -> None:
        super().__init__(predicate, inner, settings)
        self._ended = False

    def __next__(self) -> Element:
        if not self._ended:
            element = next(self._inner)
            if _holds(self._passing, element):
                return element
            self._ended = True
        raise StopIteration

    def get_state(self) -> Any:
        return {**super().get_state(), "ended": self._ended}

    def set_state(self, state: Any) -> None:
        super().set_state(state)
        self._ended = bool(state["ended"])


class Unique(Selection):
    """Each distinct element once, at its first occurrence; elements are single integers or texts, or of one shape."""

    @property
    def rows(self) -> None:
        return None

    def elements(self, settings: Settings) -> ElementIterator:
        return _UniqueIterator(self.source.iterate(settings))


_UNIQUE = (dtypes.int32, dtypes.int64, dtypes.string)


class _UniqueIterator(Wrapping):
    def __init__(self, inner: ElementIterator) -> None:
        super().__init__(inner)
        self._seen: dict[Any, Element] = {}

    def __next__(self) -> Element:
        for element in self._inner:
            if not isinstance(element, Tensor) or element.dtype not in _UNIQUE:
                raise TypeError(f"unique: elements must be int32, int64 or string tensors, got {element!r}.")
            key = self._key(element)
            if key not in self._seen:
                self._seen[key] = element
                return element
        raise StopIteration

    @staticmethod
    def _key(element: Any) -> Any:
        array = np.asarray(element._array)
        return (array.shape, *array.reshape(-1).tolist())

    def get_state(self) -> Any:
        return {**super().get_state(), "seen": [structure.encoded(element) for element in self._seen.values()]}

    def set_state(self, state: Any) -> None:
        super().set_state(state)
        elements = [structure.decoded(element, lambda: None) for element in state["seen"]]
        self._seen = {self._key(element): element for element in elements}


class IgnoreErrors(Selection):
    """The elements whose computation raises no error."""

    def __init__(self, source: Node, log_warning: bool) -> None:
        super().__init__(source)
        self.log_warning = log_warning

    @property
    def rows(self) -> None:
        return None

    def elements(self, settings: Settings) -> ElementIterator:
        return _IgnoringIterator(self.source.iterate(settings), self.log_warning)


class _IgnoringIterator(Wrapping):
    def __init__(self, inner: ElementIterator, log_warning: bool) -> None:
        super().__init__(inner)
        self._log_warning = log_warning

    def __next__(self) -> Element:
        while True:
            try:
                return next(self._inner)
            except StopIteration:
                raise
            except Exception as error:
                if self._log_warning:
                    LOGGER.warning("ignore_errors: an element was left out: %r", error)


# --- scan --------------------------------------------------------------------------------------------------


class Scan(Step):
    """A function of a state and each element, which gives the next state and an element."""

    def __init__(self, source: Node, initial_state: Any, function: Any) -> None:
        super().__init__(source)
        self.initial = structure.element_of(initial_state)
        self._state_spec = structure.spec_of(self.initial)
        self.function = Function(function, "scan", lambda: (self._state_spec, source.spec()))
        self._spec: Any = None

    def advance(self, function: Function, state: Element, element: Element) -> tuple[Element, Element]:
        """The next state, and what is given out."""
        following, output = structure.element_of(_pair(function(state, element)))
        check_state(self.initial, following, "scan")
        return following, output

    def spec(self) -> Any:
        if self._spec is None:
            state = None
            while state != self._state_spec:  # until it covers each state: sizes may change from one to the next
                state = self._state_spec
                after, self._spec = _pair(self.function.spec(lambda: (self.initial, self.source.first_element())))
                self._state_spec = structure.common_spec(state, after)
        return self._spec

    def known_spec(self) -> Any:
        return self._spec

    def iterate(self, settings: Settings) -> ElementIterator:
        return _ScanIterator(self, self.source.iterate(settings), settings)


def _pair(result: object) -> tuple[Any, Any]:
    """What a function of `scan` returns."""
    if not isinstance(result, (tuple, list)) or len(result) != 2:
        raise TypeError(f"scan: the function must return a pair of state and output, got {result!r}.")
    first, second = result
    return first, second


def check_state(initial: Element, following: Element, name: str) -> None:
    """Raise where a state has another structure or other types than the first one."""
    try:
        nest.assert_same_structure(initial, following)
    except (TypeError, ValueError) as error:
        words = f"{name}: the new state must have the structure of the initial one. {error}"
        raise OperandTypeError(None, None, words) from None
    for old, new in zip(nest.flatten(initial), nest.flatten(following), strict=True):
        if isinstance(old, Tensor) and old.dtype is not new.dtype:
            raise TypeError(
                f"{name}: the element types for the new state must match the initial state. "
                f"Expected {old.dtype!r}; got {new.dtype!r}. Use tf.cast."
            )


class _ScanIterator(Calling):
    def __init__(self, node: Scan, inner: ElementIterator, settings: Settings) -> None:
        super().__init__(node.function, inner, settings)
        self._node = node
        self._state = node.initial

    def __next__(self) -> Element:
        self._state, output = self._node.advance(self._passing, self._state, next(self._inner))
        return output

    def get_state(self) -> Any:
        return {**super().get_state(), "state": structure.encoded(self._state)}

    def set_state(self, state: Any) -> None:
        super().set_state(state)
        self._state = structure.decoded(state["state"], lambda: structure.spec_of(self._node.initial))


# --- checked cardinality -----------------------------------------------------------------------------------


class AssertCardinality(Selection):
    """The same elements, and an error where their number is not the asserted one."""

    def __init__(self, source: Node, expected: int) -> None:
        super().__init__(source)
        self.expected = expected

    @property
    def rows(self) -> None:
        return None

    def cardinality(self) -> int:
        return self.expected

    def elements(self, settings: Settings) -> ElementIterator:
        return _CheckedIterator(self.source.iterate(settings), self.expected)


def _differs(how: str) -> FailedPreconditionError:
    return FailedPreconditionError(None, None, f"Input dataset was expected to contain {how}")


class _CheckedIterator(Wrapping):
    def __init__(self, inner: ElementIterator, expected: int) -> None:
        super().__init__(inner)
        self._expected = expected
        self._count = 0

    def __next__(self) -> Element:
        try:
            element = next(self._inner)
        except StopIteration:
            if self._expected not in (self._count, UNKNOWN):
                said = "an infinite number of" if self._expected < 0 else self._expected
                raise _differs(f"{said} elements but contained only {self._count} elements.") from None
            raise
        self._count += 1
        if 0 <= self._expected < self._count:
            raise _differs(f"{self._expected} elements but contained more.")
        return element

    def get_state(self) -> Any:
        return {**super().get_state(), "count": self._count}

    def set_state(self, state: Any) -> None:
        super().set_state(state)
        self._count = int(state["count"])
