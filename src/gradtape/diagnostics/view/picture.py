"""What a picture shows: nodes, the groups around them, and the lines that they come from. Drawing is somebody else's work.

A picture is written as JSON (`Picture.data`), which the script of the page and the layout outside of a browser read.
"""

from __future__ import annotations

import linecache
import math
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ..places import Where

_AROUND = 6  # lines of source above and below a line
_OPEN_AT_FIRST = 60  # boxes


@dataclass(frozen=True, slots=True)
class Scope:
    """A call around a node: of a layer, a name scope, a public function, a branch. Nodes of one call share the number."""

    kind: str  # "layer", "scope", "module", "function", "call", "loop", "branch"
    name: str
    number: int
    where: Where | None = None
    note: str = ""


@dataclass(slots=True)
class Node:
    """One op, variable, watched value or result."""

    name: str
    kind: str  # "op", "function", "variable", "watched", "value", "result", "cut", "lost", "exit"
    inputs: list[int] = field(default_factory=list)  # places of nodes
    lost: list[int] = field(default_factory=list)  # places of nodes that it depends on without a gradient
    where: Where | None = None
    look: str = ""  # "float32 [2, 3]", empty where it is not known
    bytes: int = 0  # that the tape holds for it
    scopes: tuple[Scope, ...] = ()
    function: str = ""  # the function of the user's program that it was made in
    forward: float | None = None  # seconds
    backward: float | None = None
    norm: float | None = None  # of the gradient in its result
    marks: tuple[str, ...] = ()  # "nan", "inf", "none", "bad gradient" (NaN), "infinite gradient"
    note: str = ""
    same: int | None = None  # of a copy: the place of the node that it is a copy of

    @property
    def is_leaf(self) -> bool:
        """Whether no op made it."""
        return self.kind in ("variable", "watched", "value")


@dataclass(slots=True)
class Group:
    """Nodes under one heading, and groups inside."""

    kind: str
    name: str
    children: list[Group | int]
    where: Where | None = None
    note: str = ""

    def groups(self) -> Iterator[Group]:
        """This group and all inside, the outer first."""
        waiting = [self]
        while waiting:
            group = waiting.pop()
            yield group
            waiting += [child for child in reversed(group.children) if isinstance(child, Group)]

    def nodes(self) -> Iterator[int]:
        """All nodes inside, in their order."""
        for child in self.children:
            if isinstance(child, Group):
                yield from child.nodes()
            else:
                yield child


@dataclass(slots=True)
class Picture:
    """One recorded computation."""

    title: str
    nodes: list[Node]
    root: Group
    facts: tuple[str, ...] = ()  # in words: totals, how it runs
    hints: tuple[str, ...] = ()  # what could be shown too, and how

    def opened(self) -> list[Group]:
        """The groups that are open at first: the outermost, until there are some sixty boxes."""
        found = [self.root]
        shown = len(self.root.children)
        waiting = list(self.root.children)
        while waiting:
            following: list[Group | int] = []
            for group in waiting:
                if not isinstance(group, Group) or group.kind in _FOLDED:
                    continue
                if shown + len(group.children) - 1 > _OPEN_AT_FIRST:
                    continue
                shown += len(group.children) - 1
                found.append(group)
                following += group.children
            waiting = following
        return found

    def data(self) -> dict[str, Any]:
        """The picture as JSON; what is empty is left out of a node."""
        places: dict[Where, int] = {}

        def at(where: Where | None) -> int | None:
            return None if where is None else places.setdefault(where, len(places))

        opened = {id(group) for group in self.opened()}

        def tree(group: Group) -> dict[str, Any]:
            children = [tree(child) if isinstance(child, Group) else child for child in group.children]
            found = {"kind": group.kind, "name": group.name, "children": children}
            optional = {"at": at(group.where), "note": group.note or None, "open": (id(group) in opened) or None}
            return found | {name: value for name, value in optional.items() if value is not None}

        nodes = [_written(node, at(node.where)) for node in self.nodes]
        root = tree(self.root)
        return {
            "title": self.title,
            "facts": self.facts,
            "hints": self.hints,
            "nodes": nodes,
            "root": root,
            "lines": [[where.file, where.line] for where in places],
            "files": _sources(list(places)),
        }


_FOLDED = ("loop", "run", "round", "part")


def _written(node: Node, at: int | None) -> dict[str, Any]:
    if node.same is not None:
        return {"same": node.same}
    found: dict[str, Any] = {"name": node.name, "kind": node.kind}
    optional = {
        "in": node.inputs or None,
        "lost": node.lost or None,
        "at": at,
        "look": node.look or None,
        "bytes": node.bytes or None,
        "fwd": node.forward,
        "bwd": node.backward,
        "norm": _number(node.norm),
        "marks": node.marks or None,
        "note": node.note or None,
    }
    return found | {name: value for name, value in optional.items() if value is not None}


def _number(value: float | None) -> float | str | None:
    """A number that JSON has."""
    return value if value is None or math.isfinite(value) else str(value)


def _sources(places: list[Where]) -> dict[str, dict[str, Any]]:
    """Of each file its short name, and the lines around those that are shown."""
    found: dict[str, dict[str, Any]] = {}
    for where in places:
        file = found.setdefault(where.file, {"name": short_name(where.file), "text": {}})
        for line in range(max(1, where.line - _AROUND), where.line + _AROUND + 1):
            text = linecache.getline(where.file, line)
            if text and line not in file["text"]:
                file["text"][line] = text.rstrip("\n")
    return found


def short_name(file: str) -> str:
    """The name of a file with its folder; what stands for no file, such as a cell of a notebook, as it is."""
    folder, name = os.path.split(file)
    return os.path.join(os.path.basename(folder), name) if folder else name
