"""Graphs as text."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..op.declaration import Op
from ..values.tensor import EagerTensor, TensorSpec
from ..variables.variable import Variable
from .graph import Graph, Method, Ref, leaves, map_parts


class _Text:
    """Prints as it is, inside the repr of a structure."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def text_of(graph: Graph, indent: str = "") -> str:
    """The steps of a graph, one in each line: `%3: float32[2, 3] = matmul(%0, variable 'w')`."""
    lines = [f"{indent}{graph.name}({_inputs(graph)}):"]
    lines += _steps(graph, indent + "    ", graph.specs)
    return "\n".join(lines)


def _steps(graph: Graph, indent: str, specs: dict[int, TensorSpec]) -> list[str]:
    lines = []
    for step in graph.steps:
        inner: list[Graph] = [g for g in leaves((step.args, tuple(step.kwargs.values()))) if isinstance(g, Graph)]
        given = [_shown(value) for value in step.args]
        given += [f"{name}={_shown(value)}" for name, value in step.kwargs.items()]
        results = ", ".join(_result(leaf, specs) for leaf in leaves(step.results) if leaf.__class__ is Ref)
        left = f"{results} = " if results else ""
        lines.append(f"{indent}{left}{name_of(step.function)}({', '.join(given)})")
        for graph_inside in inner:
            lines.append(f"{indent}    {graph_inside.name}({_inputs(graph_inside)}):")
            lines += _steps(graph_inside, indent + "        ", specs)
    lines.append(f"{indent}return {_shown(graph.outputs)}")
    return lines


def _inputs(graph: Graph) -> str:
    return ", ".join(f"%{leaf.number}" for leaf in leaves(graph.inputs) if leaf.__class__ is Ref)


def _result(ref: Ref, specs: dict[int, TensorSpec]) -> str:
    spec = specs.get(ref.number)
    if spec is None:
        return f"%{ref.number}"
    shape = "[...]" if spec.shape.rank is None else f"[{', '.join(str(n) for n in spec.shape)}]"
    return f"%{ref.number}: {spec.dtype.name}{shape}"


def _shown(value: object) -> str:
    return repr(map_deep(value))


def map_deep(value: object) -> Any:
    """A structure whose repr shows Refs and constants in short."""
    if value.__class__ is Ref:
        return _Text(f"%{value.number}")
    if isinstance(value, Graph):
        return _Text(value.name)
    if isinstance(value, Variable):
        return _Text(f"variable {value.name.removesuffix(':0')!r}")
    if isinstance(value, (EagerTensor, np.ndarray)):
        array = value._array if isinstance(value, EagerTensor) else value
        return _Text(
            f"{array.dtype}{list(np.shape(array))}" if np.size(array) > 4 else repr(np.asarray(array).tolist())
        )
    if callable(value) and not isinstance(value, type):
        return _Text(getattr(value, "__name__", type(value).__name__))
    return map_parts(value, map_deep)


def name_of(function: object) -> str:
    """What a step calls."""
    if isinstance(function, Op):
        return function.name
    if isinstance(function, Method):
        return f".{function.name}"
    return getattr(function, "__name__", type(function).__name__).lstrip("_")


Graph.__str__ = text_of  # type: ignore[method-assign, assignment]
