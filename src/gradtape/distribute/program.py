"""The program of all replicas: one that runs on all devices at the same time, or in turn on the host where there is none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.context import STATE, scope
from ..base.errors import UnimplementedError
from ..base.traceable import traceable
from ..op.call import STEPWISE
from ..ops.array.layout import stack
from ..trace.abstract_tensor import NeedsValue
from ..trace.engines import engine_on_devices
from ..trace.function import function
from ..trace.graph import Graph
from ..trace.inference import Inference, depending_on, like, slice_of
from ..values.tensor import Tensor, to_tensor
from ..variables.variable import Variable
from ..xla import processes
from .in_turn import in_turn
from .mesh import Mesh
from .on_read import Parts, trace_with_parts
from .per_replica import Apart, ApartSpec


class Way:
    """How a call of `run` goes."""

    def __init__(self) -> None:
        self.touched: list[Parts] = []  # what it touches of variables that replicas have values of their own of
        self.reason = ""  # why no program of all devices computes it

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Way) and self.touched == other.touched  # (the reason is found by running it)

    __hash__ = None  # type: ignore[assignment]


class _NotTogether(Exception):
    """A program of all devices is interpreted."""


def replicas(one: Callable[..., Any], elements: list[Any], mesh: Mesh, way: Way) -> list[Any]:
    """What a function gives on each device for its elements of stacked tensors, stacked."""
    if STATE.replicas_run:
        raise _NotTogether("a step of it asks for values")
    if not way.reason and not STEPWISE:
        run = function(
            lambda *given: replicas(one, list(given), mesh, way), engine=engine_on_devices(), autograph=False
        )
        try:
            with scope(replicas_run=True):
                found: list[Any] = run(*elements)
            return found
        except _NotTogether as error:
            way.reason = str(error)
    return [stack.public(rows, 0) for rows in _on_host(one, elements, mesh, way)]


def apart(one: Callable[..., Any], elements: list[Any], mesh: Mesh, way: Way) -> list[list[Any]]:
    """What a function gives for elements of stacked tensors, and of lists with a part for each replica: such lists."""
    return _on_host(one, elements, mesh, way)


def _on_host(one: Any, elements: list[Any], mesh: Mesh, way: Way) -> list[list[Any]]:
    if processes.here().count > 1:
        raise UnimplementedError(
            None,
            None,
            "The function given to `run` has a step that no program of all devices can have, such as a size that is computed, "
            "and there are several processes. Do that outside of it; `f.explain()` of a tf.function of it names the step.",
        )
    count = mesh.size
    rows = in_turn(lambda number: one([element[number] for element in elements]), count, _variables_of(one.graph))
    return [list(map(to_tensor, values)) for values in zip(*rows, strict=True)]


def _variables_of(graph: Graph) -> list[Variable]:
    """The variables that a graph uses, and those of what its steps are given: an optimizer, a generator of the strategy."""
    found: dict[int, Variable] = {}
    for leaf in graph.given():
        own = [leaf] if isinstance(leaf, Variable) else getattr(leaf, "variables", ())
        if getattr(leaf, "of_replicas", False):
            own = [leaf.state]
        found.update((one._id, one) for one in own if isinstance(one, Variable))
    return list(found.values())


def _trace_replicas(trace: Any, one: Callable[..., Any], elements: list[Any], mesh: Mesh, way: Way) -> Any:
    symbolic: list[Any] = []
    given: list[Any] = []
    for element in elements:
        if isinstance(element, Apart):
            symbolic.append([trace.symbolic(part) if isinstance(part, Tensor) else part for part in element.parts])
            given.append(trace.stand_in(ApartSpec.from_value(Apart(symbolic[-1])).one))
        else:
            symbolic.append(trace.symbolic(element))
            given.append(trace.slice_like(symbolic[-1]))
    graph, results = trace.subgraph(one, (given,), "replica")
    symbolic += trace_with_parts(trace, graph, way.touched)
    has_parts = any(isinstance(element, Apart) for element in elements)
    # (A size that is not known although all others are depends on values: it may be another in each replica.)
    differ = _are_known(given) and not _are_known(results)
    step = apart if has_parts or differ else replicas
    return trace.step(step, (graph, symbolic, mesh, Way()), {})  # (the graph has its parts now)


def _are_known(tensors: list[Any]) -> bool:
    return all(tensor.shape.is_fully_defined() for tensor in tensors)


def _replicas_on_abstract(
    evaluator: Any, function: Any, one: Callable[..., Any], elements: list[Any], mesh: Mesh, way: Way
) -> list[Any]:
    if isinstance(evaluator, Inference):
        found: list[Any] = evaluator.mapped(one, elements, list)
        return found
    if evaluator.updates_in_place or way.reason:
        raise NeedsValue("Replicas run on XLA.")
    _, collected = evaluator.rounds(lambda _, given: ([], list(one(given))), [], elements, mesh.size, across=mesh)
    return list(collected)


def _apart_on_abstract(
    evaluator: Any, function: Any, one: Callable[..., Any], elements: list[Any], mesh: Mesh, way: Way
) -> list[list[Any]]:
    if not isinstance(evaluator, Inference):
        raise NeedsValue("Replicas with parts of several shapes run one after the other.")
    given = [element[0] if isinstance(element, list) else slice_of(evaluator, element) for element in elements]
    found = evaluator.result_of(one, given)
    return [[depending_on(evaluator, like(evaluator, value), [value]) for _ in range(mesh.size)] for value in found]


replicas.is_for_devices = True  # type: ignore[attr-defined]
replicas = traceable(replicas, always=True, on_abstract=_replicas_on_abstract, on_trace=_trace_replicas)
apart = traceable(apart, always=True, on_abstract=_apart_on_abstract)
