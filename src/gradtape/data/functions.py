"""Users' functions inside a pipeline: the one place where they are called.

A function gets the parts of a tuple as arguments of their own and any other element as one argument. What it
computes is recorded by no tape, whichever thread it runs in. Its random ops have the seeds that they would have in a graph, and
begin anew with each pass over the dataset, as in TensorFlow.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..autograph import convert
from ..base import nest
from ..base.context import ACTIVE, call_with_seeds, scope
from ..base.seeds import GLOBAL, SeedScope, Used, decoded, encoded
from ..base.type_spec import NoneTensorSpec
from ..trace.function import Function as TracedFunction
from ..values.tensor import Tensor
from . import structure
from .nested import DATASETS, DatasetSpec, Described
from .structure import Element


@dataclass
class _Seeds:
    """The global seed at the time when the pipeline was built, shared by all passes over it."""

    seed: int | None


class Function:
    """A user's function, from element to element."""

    def __init__(self, function: Callable[..., Any], name: str) -> None:
        if not callable(function):
            raise ValueError(f"{name}: a function is needed, got {function!r}.")
        self._function = function
        self.name = name
        self._seeds = _Seeds(GLOBAL.seed)
        self._used: Used = {}

    def for_pass(self) -> Function:
        """The function for one pass over the dataset: the streams of its random ops start again."""
        found = copy.copy(self)
        found._used = {}
        return found

    def get_state(self) -> Any:
        """The seed of its random ops, and how far their streams have come in this pass."""
        return {"seed": self._seeds.seed, "used": encoded(self._used)}

    def set_state(self, state: Any) -> None:
        """Go on where `get_state` was called, in this pass and in those that follow."""
        self._seeds.seed, self._used = state["seed"], decoded(state["used"])

    def __call__(self, *elements: Element) -> Any:
        """Call the function on an element (for `reduce` and `scan`: on a state and an element)."""
        try:
            return self._unrecorded(_arguments(elements))
        except StopIteration as error:  # it would end the loop over the dataset
            raise self._stopped() from error

    def _stopped(self) -> RuntimeError:
        return RuntimeError(f"{self.name}: the function raised StopIteration.")

    def _unrecorded(self, arguments: tuple[Any, ...]) -> Any:
        with scope(tapes=[], accumulators=[], readers=[], seeds=SeedScope(self._seeds.seed, (), self._used)):
            return self._function(*arguments)

    def element(self, element: Element) -> Element:
        """What the function returns, as an element; a list at the top counts as a tuple."""
        if ACTIVE:
            result = self(element)
        else:  # the same as __call__ with less overhead: this runs for every element of a map
            seeds = SeedScope(self._seeds.seed, (), self._used)
            try:
                result = call_with_seeds(seeds, self._function, element if element.__class__ is tuple else (element,))
            except StopIteration as error:
                raise self._stopped() from error
        return _as_element(result)

    def scalar(self, element: Element, kind: type, what: str) -> Any:
        """What the function returns, as one Python number."""
        result = structure.element_of(self(element))
        if not isinstance(result, Tensor) or np.size(result._array) != 1:
            raise TypeError(f"{self.name}: {what}, got {result!r}.")
        return kind(result._array.item() if hasattr(result._array, "item") else result._array)

    def spec(self, specs: tuple[Any, ...], trial: Callable[[], tuple[Element, ...]]) -> Any:
        """The specs of what the function returns for an element of these specs (in `scan`: for a state and an element).

        They come from a trace, as in TensorFlow: a size that depends on values is unknown. A function that cannot be traced, since
        it asks for `numpy()` for example, is called on a `trial`, and no size of what it returns is known.
        """
        try:
            return self._traced_spec(specs)
        except Exception as error:
            refused = error
        try:
            given = trial()
        except StopIteration:
            raise refused from None
        found = structure.spec_of(_as_element(self.for_pass()(*given)))
        return structure.with_shape(found, lambda shape: [None] * len(shape))

    def _traced_spec(self, specs: tuple[Any, ...]) -> Any:
        found = []

        def traced(*parts: Any) -> None:
            # The structures are new ones: a function may change those that it is given.
            parts = tuple([nest.map_structure(lambda leaf: leaf, part) for part in parts])
            found.append(structure.spec_of(_as_element(convert(self._function)(*_arguments(parts)))))

        given = [nest.map_structure(_as_argument, spec) for spec in specs]
        TracedFunction(traced, self.name, autograph=False).get_concrete_function(*given)
        return found[-1]


def _arguments(elements: tuple[Element, ...]) -> tuple[Any, ...]:
    """The arguments of a user's function for an element, or for a state and an element."""
    return elements[0] if len(elements) == 1 and elements[0].__class__ is tuple else elements


def _as_element(result: Any) -> Element:
    """What a user's function returned; a list at the top counts as a tuple."""
    return structure.element_of(tuple(result) if result.__class__ is list else result)


def _as_argument(spec: Any) -> Any:
    """A spec as a traced function takes it; for the spec of a dataset a dataset that has nothing else."""
    if spec.__class__ is NoneTensorSpec:
        return None
    return DATASETS[0](Described(spec.element_spec)) if isinstance(spec, DatasetSpec) else spec
