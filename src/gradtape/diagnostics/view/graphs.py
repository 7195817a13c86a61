"""The picture of a traced function: its steps, with loops, branches and calls of other functions as groups."""

from __future__ import annotations

import itertools
from typing import Any

from ...trace.concrete import ConcreteFunction
from ...trace.function import Function
from ...trace.graph import Graph, Ref, leaves, used_numbers
from ...trace.printing import name_of
from ...values.tensor import TensorSpec
from ...variables.variable import Variable
from ..places import from_text
from .folding import arranged
from .picture import Node, Picture, Scope

_NUMBERS = itertools.count(-1, -1)  # of scopes: those of a tape have identities, which are positive


_KINDS = {"cond": "branches", "switch_case": "branches"} | dict.fromkeys(
    ("while_loop", "for_dataset", "map_fn", "scan", "foldl", "foldr"), "while"
)  # of public functions that take functions; any other calls what it takes


class Steps:
    """Adds the steps of graphs to the nodes of a picture."""

    def __init__(
        self, nodes: list[Node], scopes: tuple[Scope, ...] = (), variables: dict[int, int] | None = None
    ) -> None:
        self.nodes = nodes
        self._scopes = scopes
        self._variables = {} if variables is None else variables  # places of nodes, by identity
        self._places: dict[int, int] = {}  # of nodes, by the numbers of their results
        self._specs: dict[int, TensorSpec] = {}
        self._inside: list[Graph] = []
        self._alone: dict[int, str] = {}  # why steps are not compiled, by `id`

    def interpreted(self, alone: dict[int, str]) -> None:
        """These steps run by themselves, for these reasons."""
        self._alone |= alone

    def add(self, graph: Graph, given: list[int | None]) -> list[int | None]:
        """The steps of a graph, whose inputs are these nodes, or None for a new one; the nodes of its results."""
        self._specs |= graph.specs
        inputs = [leaf for leaf in leaves(graph.inputs) if leaf.__class__ is Ref]
        named = len(graph.labels) == len(inputs)
        for place, leaf in enumerate(inputs):
            known = given[place] if place < len(given) else None
            if known is None:
                name = graph.labels[place] if named else f"input {place + 1}"
                known = self._leaf("value" if self._scopes else "watched", name, leaf.number)
                self.nodes[known].scopes = self._scopes  # (what no tape follows is seen in the function alone)
            self._places[leaf.number] = known
        self._inside.append(graph)
        used = {number for step in graph.steps for number in used_numbers(step.inputs)} | {*used_numbers(graph.outputs)}
        for step in graph.steps:
            # (A loop over `tf.range(n)` has a counter of its own; the range is not computed.)
            if not step.is_idle(tuple(number for number in used_numbers(step.results) if number not in used)):
                self._step(step)
        self._inside.pop()
        return [self._places.get(leaf.number) for leaf in leaves(graph.outputs) if leaf.__class__ is Ref]

    def _leaf(self, kind: str, name: str, number: int | None, look: str = "") -> int:
        self.nodes.append(Node(name, kind, look=look or self._look([] if number is None else [number])))
        return len(self.nodes) - 1

    def _step(self, step: Any) -> None:
        name = name_of(step.function)
        given: list[int] = []
        graphs: list[Graph] = []
        for leaf in leaves((step.args, tuple(step.kwargs.values()))):
            if leaf.__class__ is Ref and leaf.number in self._places:
                given.append(self._places[leaf.number])
            elif leaf.__class__ is Graph:
                graphs.append(leaf)
            elif isinstance(leaf, Variable):
                given.append(self._variable(leaf))
        results = [leaf.number for leaf in leaves(step.results) if leaf.__class__ is Ref]
        if name == "read_variable" and given:  # the variable itself says it
            self._places.update(dict.fromkeys(results, given[0]))
            return
        called = getattr(step.function, "concrete", None)
        graphs += [called.graph] if called is not None else []
        where = from_text(step.line)
        node = Node(name, "op", given, where=where, look=self._look(results), scopes=self._scopes)
        if id(step) in self._alone:
            node.note = f"Runs by itself, between compiled parts. {self._alone[id(step)]}"
        graphs = [graph for graph in graphs if graph not in self._inside]  # (a function may call itself)
        if graphs:
            self._put_inside(name, node, given, graphs, None if called is None else "; ".join(_ways(called.executors)))
        self.nodes.append(node)
        self._places.update(dict.fromkeys(results, len(self.nodes) - 1))

    def _put_inside(self, name: str, node: Node, given: list[int], graphs: list[Graph], called: str | None) -> None:
        """The graphs that a step takes as a group, with the node of its results at the end; `called` is how a function runs."""
        kind = "function" if called is not None else _KINDS.get(name, "call")
        outer = self._scopes
        self._scopes = (*outer, Scope(kind, name, next(_NUMBERS), node.where, called or ""))
        ends: list[int] = []
        for graph in graphs:
            around = self._scopes
            if len(graphs) > 1:
                note = "; ".join(_ways([graph.body]))  # where the function around it is interpreted, it may be compiled
                inner = "branch" if kind == "branches" else "body"
                self._scopes = (*around, Scope(inner, graph.name, next(_NUMBERS), note=note))
            count = sum(leaf.__class__ is Ref for leaf in leaves(graph.inputs))
            matching: list[int | None] = [*given[-count:]] if 0 < count <= len(given) else []
            ends += [place for place in self.add(graph, matching) if place is not None]
            self._scopes = around
        node.kind, node.scopes = "result", self._scopes
        node.inputs = list(dict.fromkeys([*ends, *([] if ends else given)]))
        self._scopes = outer

    def _variable(self, variable: Variable) -> int:
        if variable._id not in self._variables:
            name = getattr(variable, "path", "") or variable.name.removesuffix(":0")
            look = f"{variable.dtype.name} {_sizes(variable.shape)}"
            self._variables[variable._id] = self._leaf("variable", name, None, look)
        return self._variables[variable._id]

    def _look(self, numbers: list[int]) -> str:
        known = [spec for number in numbers if (spec := self._specs.get(number)) is not None]
        more = f" and {len(known) - 1} more" if len(known) > 1 else ""
        return f"{known[0].dtype.name} {_sizes(known[0].shape)}{more}" if known else ""


def _sizes(shape: Any) -> str:
    return "[...]" if shape.rank is None else f"[{', '.join('?' if size is None else str(size) for size in shape)}]"


def pictures_of_function(function: Function) -> list[Picture]:
    """A picture for each trace of a function."""
    traces = function._all_traces()
    if not traces:
        raise RuntimeError(
            f"{function.name} has not been traced yet. Call it, or use {function.name}.get_concrete_function(...).view()."
        )
    return [picture_of_trace(trace) for trace in traces]


def picture_of_trace(trace: ConcreteFunction) -> Picture:
    """The steps of one trace."""
    nodes: list[Node] = []
    steps = Steps(nodes)
    graph = trace.graph
    for made in trace.executors:
        steps.interpreted(getattr(made, "alone", dict)())
    for place in dict.fromkeys(steps.add(graph, [])):
        if place is not None:
            nodes.append(Node("return", "result", [place], look=nodes[place].look))
    count = len(graph.steps)
    title = f"{graph.name} · {count:,} step{'' if count == 1 else 's'}"
    return Picture(title, nodes, arranged(nodes), tuple(_ways(trace.executors) or ["it has not run yet"]))


def _ways(executors: list[Any]) -> list[str]:
    """How a graph has run, in words, by what ran it; empty if it has not."""
    ways: list[tuple[str, str]] = [way for made in executors for way in getattr(made, "ways", list)()]
    found = [f"{way}: {reason}" if reason else way for way, reason in dict.fromkeys(ways)]
    if any(getattr(made, "direct", None) is not None for made in executors):
        found.append("one native function")
    return found
