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

from ..base import nest
from ..base.context import ACTIVE, call_with_seeds, scope
from ..base.seeds import GLOBAL, SeedScope, Used, decoded, encoded
from ..base.shapes import TensorShape
from ..base.type_spec import CompositeSpec
from ..values.composite import COMPOSITES
from ..values.tensor import Tensor, TensorSpec, from_array
from . import structure
from .node import Node
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
        if len(elements) == 1:
            (element,) = elements
            arguments = element if element.__class__ is tuple else elements
        else:
            arguments = elements
        try:
            return self._unrecorded(arguments)
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
        return structure.element_of(tuple(result) if result.__class__ is list else result)

    def scalar(self, element: Element, kind: type, what: str) -> Any:
        """What the function returns, as one Python number."""
        result = structure.element_of(self(element))
        if not isinstance(result, Tensor) or np.size(result._array) != 1:
            raise TypeError(f"{self.name}: {what}, got {result!r}.")
        return kind(result._array.item() if hasattr(result._array, "item") else result._array)

    def spec(self, source: Node) -> Any:
        """The specs of what the function returns for the elements of `source`, found by a call on the first of them.

        Where a size of the input is unknown, a second call with another size shows which output sizes depend on it.
        """
        specs = source.spec()
        trial = self.for_pass()
        try:
            element = source.first_element()
        except StopIteration:
            element = _blank(specs)
        found = structure.spec_of(trial.element(element))
        if any(map(_has_open_size, nest.flatten(specs))):
            try:
                other = structure.spec_of(trial.element(_resized(element, specs)))
                found = structure.common_spec(found, other)
            except Exception:  # the function does not accept that size: no output size is known
                found = structure.with_shape(found, lambda shape: [None] * len(shape))
        return found


def _has_open_size(spec: Any) -> bool:
    """Whether elements of a spec differ in a size: any of a tensor, the number of rows of what is made of several tensors."""
    if isinstance(spec, TensorSpec):
        return not spec.shape.is_fully_defined()
    shape = getattr(spec, "shape", None)  # an extension type need not have one
    return isinstance(spec, CompositeSpec) and isinstance(shape, TensorShape) and bool(shape.rank) and shape[0] is None


def _blank(specs: object) -> Element:
    """Zeros of these specs, with 1 for unknown sizes: the trial input of a function when there is no element."""

    def zeros(spec: Any) -> Any:
        if not isinstance(spec, TensorSpec):
            raise ValueError(f"The specs of an empty dataset's elements cannot be worked out from {spec!r}.")
        sizes = [1 if size is None else size for size in spec.shape]
        return from_array(np.full(sizes, b"" if spec.dtype.name == "string" else 0, spec.dtype.numpy))

    return nest.map_structure(zeros, specs)


def _resized(element: Element, specs: object) -> Element:
    """The element with one row more wherever the specs leave the size open."""

    def resized(leaf: Any, spec: Any) -> Any:
        if not isinstance(leaf, Tensor):
            kind = COMPOSITES.get(leaf.__class__)
            if kind is None or kind.rows is None or not _has_open_size(spec):
                return leaf
            rows = [kind.rows.at(leaf, number) for number in range(kind.rows.count(leaf))]
            return kind.rows.stack([*rows, rows[0]])
        array = np.asarray(leaf._array)
        shape = spec.shape if spec.shape.rank is not None else TensorShape([None] * array.ndim)
        for axis, size in enumerate(shape):
            if size is None:
                count = array.shape[axis]
                order = np.minimum(np.arange(count + 1), max(count - 1, 0))
                if not count:
                    raise ValueError("An empty axis cannot grow.")
                array = array.take(order, axis=axis)
        return from_array(array)

    return nest.map_structure(resized, element, specs, check_types=False)
