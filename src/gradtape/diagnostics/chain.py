"""What remains of a tape's records without their values: which op made which value from which, and on which line.

A plain tape drops its records while `gradient` passes them. Where a None came out, the records that were not passed are those
that lead away from the source: their chain is kept here (`Missing`), and says where the way to the target ends.
"""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import CodeType
from typing import Any

from ..base.context import Records, next_id
from ..base.dtypes import DType
from ..base.frames import program_frame
from ..base.notes import ENDS, Cut, End
from ..op.record import ids_of, is_further_output, looks_of_outputs, op_of, place_of, pull_of, way_to_first


@dataclass(frozen=True, slots=True)
class Link:
    """A record without its values."""

    name: str  # of the op; "function" for a compiled function or a custom gradient
    ids: tuple[int, ...]
    code: CodeType | None
    offset: int
    op: Any = None  # the op itself
    typed: bool = True  # whether the value is of a type that has derivatives


class Chain(dict[int, Link | None]):
    """Links by the identity of their output; None for a leaf, which was watched."""

    def __init__(self, records: Records) -> None:
        super().__init__()
        for number, record in records.items():
            if record is None:
                self[number] = None
            elif is_further_output(record):
                first, position, _ = way_to_first(record)
                stored = dict.get(records, first)  # (one that was dropped says enough, and is not made again)
                self[number] = Link("output", (first,), None, 0, None, _is_typed(stored, position))
            else:
                code, offset = place_of(record)
                op = op_of(pull_of(record)) or getattr(pull_of(record), "refused", None)
                self[number] = Link(_name(op), ids_of(record), code, offset, op, _is_typed(record, 0))

    def add(self, ends: Iterable[End]) -> None:
        """Add backward steps that gave nothing, as links that nothing leads on from."""
        for end in ends:
            self[next_id()] = Link(end.name, end.ids, end.code, end.offset, end)

    def ancestors(self, numbers: Iterable[int]) -> set[int]:
        """Everything that these values were computed from, themselves included."""
        seen: set[int] = set()
        waiting = list(numbers)
        while waiting:
            number = waiting.pop()
            if number not in seen:
                seen.add(number)
                link = self.get(number)
                waiting += link.ids if link is not None else ()
        return seen


def _is_typed(record: Any, position: int) -> bool:
    """Whether an output of a record has derivatives, as far as the record says its type."""
    if record is None or is_further_output(record):
        return True
    looks = looks_of_outputs(record)
    if looks is not None and position < len(looks):
        return looks[position][1].kind not in "iub"
    refused = getattr(pull_of(record), "refused", None)
    return refused is None


def _name(op: Any) -> str:
    return "function" if op is None else op.name


@dataclass(slots=True)
class Missing:
    """What a tape keeps when a gradient was None: until it is dropped, or entered again."""

    chain: Chain
    targets: list[tuple[int, DType]]
    reached: set[int]  # the sources that have a gradient
    consumed: bool  # whether the way from the targets down has been dropped
    code: CodeType
    offset: int
    places: dict[int, int]  # of each source among those that were asked for
    ends: tuple[End, ...]  # the backward steps that gave nothing


# Called with each tape whose gradient is None for one of these sources (`gradtape explain`).
LISTENERS: list[Callable[[Any, list[Any]], None]] = []

# The tape that was last asked for a gradient that is None, for those who are handed the None: optimizers.
LATEST: list[weakref.ref[Any]] = []


def missing_from(
    tape: object, records: Records, targets: list[Any], sources: list[Any], results: list[Any], consumed: bool
) -> Missing:
    """What to keep of a tape, one of whose results is None."""
    frame = program_frame(2)
    reached = {source._id for source, result in zip(sources, results, strict=True) if result is not None}
    looks = [(target._id, target.dtype) for target in targets]
    places = {source._id: place for place, source in enumerate(sources)}
    ends = tuple(ENDS)
    ENDS.clear()
    chain = Chain(records)
    chain.add(ends)
    kept = Missing(chain, looks, reached, consumed, frame.f_code, frame.f_lasti, places, ends)
    LATEST[:] = [weakref.ref(tape)]
    return kept


class Ways:
    """The ways from a source forward: over records, and where these end, over what was noted of cuts."""

    def __init__(self, chain: Chain, cuts: dict[int, Cut], source: int) -> None:
        recorded: dict[int, list[int]] = {}
        for number, link in chain.items():
            for operand in link.ids if link is not None else ():
                recorded.setdefault(operand, []).append(number)
        lost: dict[int, list[int]] = {}
        for number, cut in cuts.items():
            for operand in cut.ids:
                if operand:
                    lost.setdefault(operand, []).append(number)
        self.source = source
        self.chain = chain
        self.followed = _reached(source, recorded, {})
        self.parents = _reached(source, recorded, lost)

    def to(self, is_goal: Callable[[int], bool]) -> list[int] | None:
        """The shortest way from the source to a value that the test accepts; None if there is none."""
        for number in self.parents:
            if number != self.source and is_goal(number):
                return self.back(number)
        return None

    def back(self, number: int) -> list[int]:
        """The way from the source to one of the values that it leads to."""
        way = [number]
        while way[-1] != self.source:
            way.append(self.parents[way[-1]])
        return way[::-1]

    def first_cut(self, way: list[int]) -> int | None:
        """The first value on a way that no tape follows from the source on."""
        return next((number for number in way if number not in self.followed), None)


def _reached(source: int, recorded: dict[int, list[int]], lost: dict[int, list[int]]) -> dict[int, int]:
    parents = {source: source}
    waiting = deque([source])
    while waiting:
        number = waiting.popleft()
        for child in (*recorded.get(number, ()), *lost.get(number, ())):
            if child not in parents:
                parents[child] = number
                waiting.append(child)
    return parents
