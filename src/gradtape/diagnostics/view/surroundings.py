"""The calls around each record: layers, name scopes and public functions, found for all records in one sweep.

(`where_of_record` and `layer_of` of diagnostics/places.py search all notes for one record; a picture asks for all records.)
"""

from __future__ import annotations

import linecache
import re
from collections.abc import Iterable, Iterator
from types import CodeType
from typing import NamedTuple

from ...base.notes import SCOPES, SPANS, STEPS
from ..places import Where, from_text, is_of_library, kept_for_code, where_of
from .picture import Scope


class Call(NamedTuple):
    """A call that was noted while it ran: the identities that were given out in it, and what is known of it."""

    first: int
    last: int
    kind: str  # "layer", "scope", "call", or "step" of a function that runs step by step
    path: str  # of a step: its line
    code: CodeType | None
    offset: int


class Around(NamedTuple):
    """What is around a record."""

    scopes: tuple[Scope, ...]
    where: Where | None  # the line of the program, for a record whose own place is in a library
    step: Where | None = None  # the line of the function's step, for any record


def around_all(numbers: Iterable[int]) -> Iterator[tuple[int, Around]]:
    """For each identity, in ascending order, the calls around it, the outermost first."""
    ordered = sorted(numbers)
    if not ordered:
        return
    waiting = iter([*_calls(ordered[0], ordered[-1])])
    following = next(waiting, None)
    stack: list[tuple[Call, Around]] = []
    for number in ordered:
        while following is not None and following.first <= number:
            while stack and stack[-1][0].last < following.first:
                stack.pop()
            if not stack or following.last <= stack[-1][0].last:  # (calls of another thread may overlap)
                stack.append((following, _entered(following, stack)))
            following = next(waiting, None)
        while stack and stack[-1][0].last < number:
            stack.pop()
        yield number, stack[-1][1] if stack else Around((), None)


def _calls(lowest: int, highest: int) -> list[Call]:
    found = [
        Call(first, last, "layer" if path else "call", path, code, offset)
        for first, last, path, code, offset in tuple(SPANS)
        if last >= lowest and first <= highest
    ]
    found += [
        Call(first, last, "scope", path, code, offset)
        for first, last, path, code, offset in tuple(SCOPES)
        if last >= lowest and first <= highest
    ]
    found += [
        Call(first, last, "step", line, None, 0)
        for first, last, line in tuple(STEPS)
        if last >= lowest and first <= highest
    ]
    return sorted(found, key=lambda call: (call.first, -call.last))


def _entered(call: Call, stack: list[tuple[Call, Around]]) -> Around:
    outer = stack[-1][1] if stack else Around((), None)
    if call.code is None:
        return outer._replace(step=from_text(call.path))
    library = is_of_library(call.code)
    where = outer.where if library else where_of(call.code, call.offset)
    name = _name(call, outer)
    if not name or (call.kind == "call" and library):
        return outer._replace(where=where)
    return outer._replace(scopes=(*outer.scopes, Scope(call.kind, name, call.first, where)), where=where)


def _name(call: Call, outer: Around) -> str:
    """The last part of a path whose first part stands outside; of a function, how it was called."""
    if call.kind == "call" and call.code is not None:
        return callee(call.code, call.offset)
    above = [scope.name for scope in outer.scopes if scope.kind == call.kind]
    prefix = "/".join(above) + "/"
    return call.path.removeprefix(prefix) if above else call.path


_DOTTED = re.compile(r"[\w.]+(?=\()")


def callee(code: CodeType, offset: int) -> str:
    """What the call at an instruction is written with, as "nn.softmax"; empty where the text cannot be read."""
    line, column = _positions(code)[offset // 2]
    if line is None or column is None:
        return ""
    text = linecache.getline(code.co_filename, line).encode()[column:].decode(errors="replace")  # (columns count bytes)
    found = _DOTTED.match(text)
    return ".".join(found[0].split(".")[-2:]) if found else ""


@kept_for_code(256)
def _positions(code: CodeType) -> list[tuple[int | None, int | None]]:
    return [(line, column) for line, _, column, _ in code.co_positions()]
