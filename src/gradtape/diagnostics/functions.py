"""Where the way from an argument to the results of a traced function ends: the function is recorded again on abstract values."""

from __future__ import annotations

from typing import Any

from ..base.context import next_id
from ..base.notes import CUTS
from ..compile.recorded import LostInFunction
from ..op.declaration import Op
from ..trace.graph import Graph, bind, call_step, fill
from .chain import Chain, Ways
from .places import Where, from_text


def inside(lost: LostInFunction, position: int) -> tuple[Op, Where | None] | None:
    """The op inside the function that ends the way of an argument, and its line; None where no op does."""
    recorded = lost.function()
    if recorded is None:
        return None
    lines: list[tuple[int, int, str]] = []
    records, sources = recorded.again(lambda graph, environment: _run(graph, environment, lines))
    ways = Ways(Chain(records), CUTS, sources[lost.places[position]]._id)
    ends = [n for n in ways.parents if n not in ways.followed and isinstance(CUTS[n].by, Op)]
    if not ends:
        return None
    first = ways.first_cut(ways.back(max(ends)))
    assert first is not None
    line = next((text for begin, end, text in lines if begin <= first <= end), "")
    return CUTS[first].by, from_text(line)


def _run(graph: Graph, environment: Any, lines: list[tuple[int, int, str]]) -> Any:
    """Run the steps of a graph, and note which identities belong to which line."""
    for step in graph.steps:
        first = next_id()
        bind(step.results, call_step(step.function, step.args, step.kwargs, environment), environment.values)
        lines.append((first, next_id(), step.line))
    return fill(graph.outputs, environment)
