"""What a picture needs of a tape's records: no arrays, so that it can be kept when the records are dropped."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

import numpy as np

from ...base.context import Records
from ...base.notes import CUTS, EXITS
from ...base.types import Look
from ...compile.recorded import LostInFunction
from ...op.declaration import Op
from ...op.record import ids_of, is_further_output, op_of, place_of, pull_of, way_to_first
from ...trace.graph import Graph
from ...variables.variable import Variable
from ..chain import Chain
from ..memory import arrays_of
from ..operands import known_values
from .looks import looks_of


@dataclass(slots=True)
class Entry:
    """One value of a tape: what made it from which others, and where."""

    name: str
    kind: str  # of the node, see picture.py
    ids: tuple[int, ...] = ()
    lost: tuple[int, ...] = ()  # operands that it has no gradient in
    code: CodeType | None = None
    offset: int = 0
    look: Look | None = None
    bytes: int = 0
    marks: tuple[str, ...] = ()
    note: str = ""
    graph: Graph | None = None  # of a compiled function
    arguments: tuple[int, ...] = ()  # of the function: the identities of all arguments
    outputs: tuple[int, ...] = ()  # the identities of all results, where there are several


@dataclass(slots=True)
class Entries:
    """The entries of a tape by identity, and what is known beside them."""

    found: dict[int, Entry]
    links: dict[int, int] = field(default_factory=dict)  # from further results to the first of their op
    held: int = 0  # bytes
    complete: bool = True  # whether no record has been dropped


def entries_of(records: Records, variables: Iterable[Variable], looks: dict[int, Look]) -> Entries:
    """The entries of these records; `looks` are shapes and types that are known already."""
    variables = list(variables)
    given = {each._id: (tuple(each.shape), each.dtype.numpy) for each in variables} | looks
    known = looks_of(records, given)
    names = {each._id: each.name.removesuffix(":0") for each in variables}
    paths = {each._id: path for each in variables if (path := getattr(each, "path", ""))}
    values = known_values(records, [])
    entries = Entries({})
    outputs: dict[int, list[int]] = {}
    for number, record in sorted(records.items()):
        if record is None:
            kind = "variable" if number in names else "watched"
            name = paths.get(number) or names.get(number) or "watched tensor"
            entry = Entry(name, kind)
        elif is_further_output(record):
            first = way_to_first(record)[0]
            entries.links[number] = first
            outputs.setdefault(first, [first]).append(number)
            continue
        else:
            entry = _entry(record)
        entry.look = known.get(number)
        entry.marks = _marks(values.get(number))
        entries.found[number] = entry
    for variable in variables:
        entries.found[variable._id].marks = _marks(variable._value._array) if variable._id in entries.found else ()
    for first, numbers in outputs.items():
        entries.found[first].outputs = tuple(numbers)
    for held in arrays_of(records, variables):
        if not held.of_variable:
            entries.found[held.number].bytes += held.size
            entries.held += held.size
    _add_cuts(entries)
    return entries


def entries_of_chain(chain: Chain) -> Entries:
    """The entries of what a tape keeps when a gradient was None."""
    entries = Entries({}, complete=False)
    for number, link in sorted(chain.items()):
        if link is None:
            entries.found[number] = Entry("source", "watched")
        elif link.code is None:
            entries.links[number] = link.ids[0]
        else:
            entries.found[number] = Entry(link.name, "op", link.ids, code=link.code, offset=link.offset)
    _add_cuts(entries)
    return entries


def _entry(record: Any) -> Entry:
    pull = pull_of(record)
    code, offset = place_of(record)
    op = op_of(pull)
    if op is not None:
        return Entry(op.name, "op", ids_of(record), code=code, offset=offset)
    function = getattr(pull, "function", None)
    if function is None:
        return Entry("custom gradient", "function", ids_of(record), code=code, offset=offset)
    recorded, tensors = function
    entry = Entry(recorded.graph.name, "function", ids_of(record), code=code, offset=offset, graph=recorded.graph)
    entry.arguments = tuple(tensor._id for tensor in tensors)
    return entry


def _marks(array: object) -> tuple[str, ...]:
    """Whether there is a nan or an inf."""
    if array is None or np.asarray(array).dtype.kind not in "fcV":
        return ()
    values = np.asarray(array)
    if np.isfinite(values).all():
        return ()
    return tuple(mark for mark, test in (("nan", np.isnan), ("inf", np.isinf)) if test(values).any())


_BY_SHAPE = ("zeros_like", "ones_like")  # nothing is cut: the value of the operand does not matter


def _add_cuts(entries: Entries) -> None:
    """The ops that ended a way, those on their results, and where a value left as a number."""
    found = entries.found
    for number, cut in sorted(CUTS.items()):
        ids = tuple(each for each in cut.ids if each in found or each in entries.links)
        if not ids or getattr(cut.by, "name", "") in _BY_SHAPE:
            continue
        if number in found:
            found[number].lost += tuple(each for each in ids if each not in found[number].ids)
            continue
        known = found[entries.links.get(ids[0], ids[0])].kind
        first = known not in ("cut", "lost")
        name, note = _words(cut.by) if first else (getattr(cut.by, "name", "function"), "No tape follows its operands.")
        found[number] = Entry(name, "cut" if first else "lost", (), ids, cut.code, cut.offset, note=note)
    last = max(
        (number for number, entry in found.items() if entry.kind == "op"), default=0
    )  # a loss, which people print
    for number, exit in sorted(EXITS.items()):
        if number in found and number != last and not exit.into:
            note = "The value left for code that no tape sees."
            found[-number] = Entry(exit.how, "exit", (), (number,), exit.code, exit.offset, note=note)


def _words(by: object) -> tuple[str, str]:
    if isinstance(by, Op):
        reason = by.no_derivative or "its result is of a type that has none"
        return by.name, f"The gradient ends here. {by.name} has no derivative: {reason}."
    if isinstance(by, LostInFunction):
        return by.name, "The gradient ends here: the function has none in this argument."
    return str(getattr(by, "name", by)), "The gradient ends here."
