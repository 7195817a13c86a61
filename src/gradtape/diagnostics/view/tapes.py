"""The picture of a tape."""

from __future__ import annotations

import os
from types import CodeType
from typing import Any

from ...base import nest
from ...base.context import Records
from ...base.frames import is_library
from ...base.types import Look
from ...differentiation.backward import backpropagate, checked_tensors, starting_cotangents
from ...differentiation.tape import GradientTape
from ...op.call import PULL_OBSERVERS
from ..memory import size_text
from ..nonfinite import is_finite
from ..norms import norm_of
from ..places import Where, is_of_library, where_of
from ..profile import ProfiledTape, Profiler
from .entries import Entries, Entry, entries_of, entries_of_chain
from .folding import arranged
from .graphs import Steps
from .looks import text_of
from .picture import Node, Picture, Scope
from .surroundings import Around, around_all

_MOST_STEPS = 2000  # of a compiled function that is shown inside a tape


def picture_of_tape(tape: GradientTape, target: object = None, sources: object = None) -> Picture:
    """What a tape has recorded, with the gradients of the target if one is given."""
    profiler = tape._own_profiler if isinstance(tape, ProfiledTape) else None
    targets = [] if target is None else checked_tensors(target, "target")
    flat = [] if sources is None else checked_tensors(sources, "source")
    records = tape._tape
    norms = dict(profiler.norms) if profiler is not None else {}
    looks: dict[int, Look] = dict(profiler.looks) if profiler is not None else {}
    looks |= {each._id: (tuple(each.shape), each.dtype.numpy) for each in (*targets, *flat) if each._id}
    if records is not None:
        if targets:
            _walk(records, targets, flat, norms, looks)
        entries = entries_of(records, tape.watched_variables(), looks)
    elif isinstance(tape, ProfiledTape) and tape.entries is not None:
        entries = tape.entries
    elif tape._missing is not None:
        entries = entries_of_chain(tape._missing.chain)
    else:
        raise RuntimeError(
            "The records of this tape are gone: its one gradient was taken, or it was not entered yet. Call view() before "
            "gradient(), or make the tape with tf.GradientTape(persistent=True) or tf.GradientTape(profile=True)."
        )
    for number in {each._id for each in targets} & entries.found.keys():
        entries.found[number].note = entries.found[number].note or "The target."
    if target is not None and sources is not None:
        _explain(tape, target, sources, entries)
    return Picture(*_drawn(entries, profiler, norms), _facts(entries, profiler), _hints(profiler, norms, entries))


def _walk(
    records: Records, targets: list[Any], sources: list[Any], norms: dict[int, float], looks: dict[int, Look]
) -> None:
    """Take the gradient once, without dropping the records: the size of each cotangent, and the look of each value."""
    numbers = {id(record): number for number, record in records.items()}

    def look_on(pull: object, cotangent: object, record: object, parts: object) -> None:
        number = numbers.get(id(record))
        if number is not None:
            norms[number] = norm_of(cotangent)
            if hasattr(cotangent, "shape") and hasattr(cotangent, "dtype"):
                looks.setdefault(number, (tuple(cotangent.shape), cotangent.dtype))

    leaves = [number for number, record in records.items() if record is None]
    PULL_OBSERVERS.append(look_on)
    try:
        wanted = [*leaves, *(source._id for source in sources)]
        found = backpropagate(starting_cotangents(records, targets, wanted), consume=False, on_tensors=False)
    finally:
        PULL_OBSERVERS.remove(look_on)
    for number in leaves:
        cotangent = found.get(number)
        if cotangent is not None:
            norms[number] = norm_of(cotangent)


def _explain(tape: GradientTape, target: Any, sources: Any, entries: Entries) -> None:
    """Mark the sources that have no gradient, with the reason."""
    for source, answer in zip(
        checked_tensors(sources, "source"), nest.flatten(tape.explain(target, sources)), strict=True
    ):
        if not answer.connected:
            entry = entries.found.setdefault(source._id, Entry(answer.source, "watched"))
            entry.marks = (*entry.marks, "none")
            entry.note = answer.text()


# --- from entries to nodes -----------------------------------------------------------------------------------------------


def _drawn(entries: Entries, profiler: Profiler | None, norms: dict[int, float]) -> tuple[str, list[Node], Any]:
    forward, backward = profiler.seconds() if profiler is not None else ({}, {})
    nodes: list[Node] = []
    places: dict[int, int] = {}  # of nodes, by identity

    def place_of(number: int) -> int:
        number = number if number in places else entries.links.get(number, number)
        if number not in places:  # a value that is no leaf of this tape: a record that was dropped
            places[number] = len(nodes)
            nodes.append(Node("value", "value"))
        return places[number]

    made = [number for number, entry in entries.found.items() if number > 0]
    around = dict(around_all(made))
    for number in (*sorted(made), *(number for number in entries.found if number < 0)):
        entry = entries.found[number]
        where, scopes = _at(entry, around.get(number, Around((), None)))
        node = Node(
            entry.name,
            entry.kind,
            [place_of(each) for each in entry.ids],
            [place_of(each) for each in entry.lost],
            where,
            text_of(entry.look),
            entry.bytes,
            scopes,
            _function(entry.code),
            forward.get(number),
            backward.get(number),
            norms.get(number),
            _with_gradient(entry.marks, norms.get(number)),
            entry.note,
        )
        if entry.graph is not None and len(entry.graph.steps) <= _MOST_STEPS:
            _put_function(entry, number, node, nodes, places, entries, place_of)
        else:
            places[number] = len(nodes)
            nodes.append(node)
    title = _title(nodes)
    return title, nodes, arranged(nodes)


def _put_function(
    entry: Entry, number: int, node: Node, nodes: list[Node], places: dict[int, int], entries: Entries, place_of: Any
) -> None:
    """A compiled function as a group with its steps; the results are nodes of their own, which others refer to."""
    assert entry.graph is not None
    scope = Scope("function", node.name, number, node.where, "compiled: one record of the tape")
    given = [place_of(each) if each in entries.found or each in entries.links else None for each in entry.arguments]
    variables = {each: place_of(each) for each in entry.ids if each not in entry.arguments}
    steps = Steps(nodes, (*node.scopes, scope), variables)
    ends = steps.add(entry.graph, given)
    node.kind, node.scopes = "result", (*node.scopes, scope)
    node.inputs = [place for place in ends if place is not None] or node.inputs
    places[number] = len(nodes)
    nodes.append(node)


def _at(entry: Entry, around: Around) -> tuple[Where | None, tuple[Scope, ...]]:
    if entry.code is None:
        return None, ()
    own = where_of(entry.code, entry.offset)
    where = around.where if is_of_library(entry.code) else None
    return around.step or where or own, around.scopes


def _function(code: CodeType | None) -> str:
    if code is None or is_of_library(code) or code.co_name.startswith("<"):
        return ""
    return code.co_qualname.replace("<locals>.", "")


def _with_gradient(marks: tuple[str, ...], norm: float | None) -> tuple[str, ...]:
    if norm is None or is_finite(norm):
        return marks
    return (*marks, "bad gradient" if norm != norm else "infinite gradient")


def _title(nodes: list[Node]) -> str:
    files = [node.where.file for node in nodes if node.where is not None and node.kind in ("op", "result")]
    own = [file for file in files if not is_library(file)] or files
    count = sum(node.kind in ("op", "function", "result") for node in nodes)
    words = f"{count:,} op{'' if count == 1 else 's'}"
    return f"Tape · {words}" + (f" · {os.path.basename(own[-1])}" if own else "")


def _facts(entries: Entries, profiler: Profiler | None) -> tuple[str, ...]:
    facts = [f"holds {size_text(entries.held)}"] if entries.complete else ["the way from the target is dropped"]
    if profiler is not None:
        forward, backward = profiler.seconds()
        facts.append(f"{sum(forward.values()) * 1e3:.2f} ms forward")
        facts += [f"{sum(backward.values()) * 1e3:.2f} ms backward"] if backward else []
    return tuple(facts)


def _hints(profiler: Profiler | None, norms: dict[int, float], entries: Entries) -> tuple[str, ...]:
    hints = []
    if profiler is None:
        hints.append("For times: tf.GradientTape(profile=True).")
    if not norms:
        hints.append("For gradient norms: tape.view(target), or profile=True and view() after gradient().")
    if not entries.complete:
        hints.append("For the whole computation: view() before gradient(), or persistent=True.")
    return tuple(hints)
