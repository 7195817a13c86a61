"""Users' functions inside a pipeline: the one place where they are called.

A function gets the parts of a tuple as arguments of their own and any other element as one argument. What it
computes is recorded by no tape, whichever thread it runs in. Its random ops have the seeds that they would have in a graph, and
begin anew with each pass over the dataset, as in TensorFlow.

It is called as it is: Python code in it runs for each element. But where it draws random numbers and has branches or loops, or
calls traced functions, each of these numbers its random ops by itself, and has streams of its own: the numbers are TensorFlow's
only if the function is traced, and its graph runs. That is found out after the first call that draws.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..autograph import convert
from ..base import nest
from ..base.context import ACTIVE, STATE, call_with_seeds, scope
from ..base.locks import new_rlock
from ..base.seeds import GLOBAL, SeedScope, Used, decoded, encoded
from ..base.type_spec import NoneTensorSpec
from ..trace.concrete import ConcreteFunction
from ..trace.function import Function as TracedFunction
from ..trace.graph import Graph, leaves
from ..values.tensor import Tensor
from . import structure
from .nested import DATASETS, DatasetSpec, Described
from .node import Settings
from .structure import Element

_NUMBERING = new_rlock()


@dataclass
class _Shared:
    """What all passes over a dataset have in common."""

    seed: int | None  # the global one at the time when the pipeline was built
    numbered: bool = False  # whether it is known how its random ops are numbered
    graph: ConcreteFunction | None = (
        None  # what runs in place of the function, so that they are numbered as in TensorFlow
    )


class Function:
    """A user's function, from element to element."""

    def __init__(
        self, function: Callable[..., Any], name: str, specs: Callable[[], tuple[Any, ...]] = lambda: ()
    ) -> None:
        """`specs` gives those of its arguments: of an element, or of a state and an element."""
        if not callable(function):
            raise ValueError(f"{name}: a function is needed, got {function!r}.")
        self._function = function
        self.name = name
        self._specs = specs
        self._shared = _Shared(GLOBAL.seed)
        self._used: Used = {}
        self._place: tuple[int, ...] = ()
        around = STATE.seeds
        # In a dataset that the function of another step makes, streams go on from one such dataset to the next.
        self._is_inner = around is not None and around.used is not None
        if around is not None and around.used is not None:
            around.step += 1
            self._used, self._place = around.used, (*around.place, around.step)
            self._shared.seed = around.seed

    def for_pass(self, settings: Settings) -> Function:
        """The function for one pass over the pipeline: the streams of its random ops start again with it."""
        found = copy.copy(self)
        if not self._is_inner:
            found._used = settings.draws.setdefault((self, settings.branch), {})
        return found

    def get_state(self) -> Any:
        """The seed of its random ops, and how far their streams have come in this pass."""
        return {"seed": self._shared.seed, "used": [] if self._is_inner else encoded(self._used)}

    def set_state(self, state: Any) -> None:
        """Go on where `get_state` was called, in this pass and in those that follow."""
        self._shared.seed = state["seed"]
        if not self._is_inner:  # (else the function around it has them, and this one may have them already)
            self._used.clear()
            self._used.update(decoded(state["used"]))
        if self._shared.graph is not None:
            _seed(self._shared.graph.graph, state["seed"])

    def __call__(self, *elements: Element) -> Any:
        """Call the function on an element (for `reduce` and `scan`: on a state and an element)."""
        try:
            result = self._unrecorded(_arguments(elements))
        except StopIteration as error:  # it would end the loop over the dataset
            raise self._stopped() from error
        except TypeError as error:
            self._check_arguments(error, _arguments(elements))
            raise
        if self._used and not self._shared.numbered and self._find_graph():
            return self._unrecorded(_arguments(elements))
        return result

    def _check_arguments(self, error: TypeError, arguments: tuple[Any, ...]) -> None:
        """Raise a TypeError that says what the function is given, if it takes another number of arguments."""
        try:
            inspect.signature(self._function).bind(*arguments)
        except TypeError:
            given = "one argument is given" if len(arguments) == 1 else f"{len(arguments)} arguments are given"
            raise TypeError(
                f"{self.name}: {error}, and {given}. The parts of a tuple are arguments of their own; dataset.element_spec shows "
                "what an element is."
            ) from None
        except ValueError:  # a builtin whose signature nobody knows
            pass

    def _stopped(self) -> RuntimeError:
        return RuntimeError(f"{self.name}: the function raised StopIteration.")

    def _unrecorded(self, arguments: tuple[Any, ...]) -> Any:
        seeds = SeedScope(self._shared.seed, self._place, self._used)
        with scope(tapes=[], accumulators=[], readers=[], seeds=seeds):
            return (self._shared.graph or self._function)(*arguments)

    def _find_graph(self) -> bool:
        """Find out, once the function has drawn, whether its graph has to run; then the streams start again for it."""
        shared = self._shared
        with _NUMBERING:
            if not shared.numbered:
                shared.numbered = True
                shared.graph = self._graph()
        if shared.graph is None:
            return False
        if not self._is_inner:
            self._used.clear()
        return True

    def _graph(self) -> ConcreteFunction | None:
        """The graph of a function whose branches, loops or calls number random ops by themselves; None for any other."""
        try:
            specs = self._specs()
            if not specs or any(isinstance(leaf, DatasetSpec) for leaf in nest.flatten(specs)):
                return None
            concrete = self._traced(specs)
        except Exception:  # it asks for values: its random ops are numbered in the order of their calls
            return None
        results = concrete.structured_outputs
        if (
            any(hasattr(leaf, "element_spec") for leaf in nest.flatten(results))
            or len(list(concrete.graph.graphs())) == 1
        ):
            return None
        _seed(concrete.graph, self._shared.seed)
        return concrete

    def element(self, element: Element) -> Element:
        """What the function returns, as an element; a list at the top counts as a tuple."""
        if ACTIVE or self._shared.graph is not None:
            result = self(element)
        else:  # the same as __call__ with less overhead: this runs for every element of a map
            seeds = SeedScope(self._shared.seed, self._place, self._used)
            try:
                result = call_with_seeds(seeds, self._function, element if element.__class__ is tuple else (element,))
            except StopIteration as error:
                raise self._stopped() from error
            except TypeError as error:
                self._check_arguments(error, element if element.__class__ is tuple else (element,))
                raise
            if self._used and not self._shared.numbered and self._find_graph():
                result = self(element)
        return _as_element(result)

    def scalar(self, element: Element, kind: type, what: str) -> Any:
        """What the function returns, as one Python number."""
        result = structure.element_of(self(element))
        if not isinstance(result, Tensor) or np.size(result._array) != 1:
            raise TypeError(f"{self.name}: {what}, got {result!r}.")
        return kind(result._array.item() if hasattr(result._array, "item") else result._array)

    def spec(self, trial: Callable[[], tuple[Element, ...]]) -> Any:
        """The specs of what the function returns.

        They come from a trace, as in TensorFlow: a size that depends on values is unknown. A function that cannot be traced,
        since it asks for `numpy()` for example, is called on a `trial`, and no size of what it returns is known.
        """
        try:
            return self._traced_spec()
        except Exception as error:
            refused = error
        try:
            given = trial()
        except StopIteration:
            raise refused from None
        found = structure.spec_of(_as_element(self.for_pass(Settings())(*given)))
        return structure.with_shape(found, lambda shape: [None] * len(shape))

    def _traced_spec(self) -> Any:
        found: list[Any] = []
        self._traced(self._specs(), lambda result: found.append(structure.spec_of(result)))
        return found[-1]

    def traced(self) -> ConcreteFunction:
        """The function as a graph, for the elements that it will be given."""
        return self._traced(self._specs())

    def _traced(self, specs: tuple[Any, ...], note: Callable[[Any], None] = lambda result: None) -> ConcreteFunction:
        """The function as a graph, for arguments of these specs; `note` sees what it returns."""

        def traced(*parts: Any) -> Any:
            # The structures are new ones: a function may change those that it is given.
            result = _as_element(
                convert(self._function)(*[nest.map_structure(lambda leaf: leaf, part) for part in parts])
            )
            note(result)
            return result

        given = [nest.map_structure(_as_argument, spec) for spec in _arguments(specs)]
        return TracedFunction(traced, self.name, autograph=False).get_concrete_function(*given)


def _seed(graph: Graph, seed: int | None, number: int = 0) -> int:
    """Give a graph and those inside it a global seed, and numbers that are the same in every run of the program.

    Functions that it calls have those of their own traces.
    """
    graph.seed, graph.number = seed, number
    for step in graph.steps:
        for leaf in leaves(step.inputs):
            if leaf.__class__ is Graph:
                number = _seed(leaf, seed, number + 1)
    return number


def _arguments(elements: tuple[Element, ...]) -> tuple[Any, ...]:
    """The arguments of a user's function for an element, or for a state and an element."""
    return elements[0] if len(elements) == 1 and elements[0].__class__ is tuple else elements


def _as_element(result: object) -> Element:
    """What a user's function returned; a list at the top counts as a tuple."""
    return structure.element_of(tuple(result) if isinstance(result, list) else result)


def _as_argument(spec: object) -> Any:
    """A spec as a traced function takes it; for the spec of a dataset a dataset that has nothing else."""
    if isinstance(spec, NoneTensorSpec):
        return None
    return DATASETS[0](Described(spec.element_spec)) if isinstance(spec, DatasetSpec) else spec
