"""What a tape holds for the backward pass: bytes by line, by op and by layer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..base.context import Record, Records
from ..differentiation.tape import GradientTape
from ..op.record import ids_of, is_further_output, looks_of_outputs, op_of, place_of, pull_of, saved_by
from ..values.tensor import EagerTensor, IndexedSlices
from ..variables.variable import Variable
from .functions import holders
from .notebook import preformatted
from .places import Where, layer_of, where_of_record


@dataclass(frozen=True, slots=True)
class Held:
    """Bytes under one heading, and in how many arrays."""

    name: str
    bytes: int
    arrays: int


@dataclass(frozen=True, slots=True)
class Memory:
    """What `tape.memory` found; the largest first.

    `total` counts each array once, under the first record that holds it; what belongs to variables, which live anyway, is
    `of_variables`. `peak` estimates the most that is held during the backward pass: by the records then, and by cotangents.
    `recomputable` is what `tf.recompute_grad` around everything, or a small `memory_budget`, would not hold.
    """

    total: int
    of_variables: int
    peak: int
    recomputable: int
    by_line: tuple[Held, ...]
    by_op: tuple[Held, ...]
    by_layer: tuple[Held, ...]

    def budget_saves(self, budget: float) -> int:
        """How many bytes a tape with this `memory_budget` would not hold at the end of the forward pass."""
        return max(0, self.total - max(int(budget), self.total - self.recomputable))

    def __str__(self) -> str:
        lines = [
            f"The tape holds {size_text(self.total)} (and {size_text(self.of_variables)} of variables); "
            f"the backward pass reaches about {size_text(self.peak)}."
        ]
        for title, rows in (("by line", self.by_line), ("by op", self.by_op), ("by layer", self.by_layer)):
            if rows:
                lines.append(f"  {title}:")
                lines += [f"    {size_text(row.bytes):>10}  {row.arrays:>4} arrays  {row.name}" for row in rows[:8]]
        if self.recomputable:
            budget = max(self.total // 4, 1)
            lines += [
                f"  {size_text(self.recomputable)} can be computed again: tf.GradientTape(memory_budget={budget}) would hold "
                f"{size_text(self.total - self.budget_saves(budget))},",
                "  tf.recompute_grad around a function only its inputs.",
            ]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return preformatted(str(self))


def held_by(tape: GradientTape) -> Memory:
    """What the records of a tape hold."""
    records = tape._records()
    of_variables = recomputable = 0
    tables: tuple[dict[str, list[int]], ...] = ({}, {}, {})
    own: dict[int, int] = {}  # bytes that a record is the first to hold
    for held in arrays_of(records, tape.watched_variables()):
        if held.of_variable:
            of_variables += held.size
            continue
        own[held.number] = own.get(held.number, 0) + held.size
        recomputable += held.size if held.made else 0
        op = op_of(pull_of(held.record))
        name, where = held.inside or ("a compiled function" if op is None else op.name, None)
        names = (
            _line(held.number, held.record) if where is None else f"{where}  {where.text}",
            name,
            layer_of(held.number),
        )
        for table, name in zip(tables, names, strict=True):
            if name:
                entry = table.setdefault(name, [0, 0])
                entry[0] += held.size
                entry[1] += 1
    by_line, by_op, by_layer = (_sorted(table) for table in tables)
    total = sum(own.values())
    return Memory(total, of_variables, _peak(records, own, total), recomputable, by_line, by_op, by_layer)


class HeldArray(NamedTuple):
    """An array that a record is the first to hold."""

    number: int
    record: Record
    size: int
    of_variable: bool
    made: bool  # whether it was computed on the tape
    inside: tuple[str, Where | None] | None  # of a compiled function: the op that needs it, and its line


def arrays_of(records: Records, variables: Iterable[Variable]) -> Iterator[HeldArray]:
    """What the records hold, each array once."""
    known = {id(_base(variable._value._array)) for variable in variables}
    seen: set[int] = set()
    for number in sorted(records):
        record = records[number]
        if record is None or is_further_output(record):
            continue
        inside = _kept_inside(record)
        for array, made in _arrays(record, records):
            base = _base(array)
            if id(base) not in seen:
                seen.add(id(base))
                yield HeldArray(number, record, int(base.nbytes), id(base) in known, made, inside.get(id(base)))


def _kept_inside(record: Record) -> dict[int, tuple[str, Where | None]]:
    """Who needs what a compiled function keeps, by the array."""
    pull = pull_of(record)
    function = getattr(pull, "function", None)
    if function is None:
        return {}
    needed = holders(function[0])
    pairs = zip(function[0].kept, pull.kept, strict=True)
    return {id(_base(array)): needed[number] for number, array in pairs if number in needed}


def _line(number: int, record: Record) -> str:
    where = where_of_record(number, *place_of(record))
    return f"{where}  {where.text}"


def _arrays(record: Record, records: Records) -> Iterator[tuple[Any, bool]]:
    """The arrays of a record, each with whether it was computed on the tape."""
    closure = getattr(pull_of(record), "__closure__", None) if op_of(pull_of(record)) is None else None
    kept: list[Any] = list(saved_by(record))
    for cell in closure or ():
        try:
            kept.append(cell.cell_contents)
        except ValueError:  # not filled yet
            continue
    waiting = kept[::-1]
    while waiting:
        value = waiting.pop()
        if isinstance(value, (list, tuple)):
            waiting += reversed(value)
        elif value.__class__ is dict:
            waiting += value.values()
        elif value.__class__ is IndexedSlices:
            waiting += [value.values, value.indices]
        elif value.__class__ is EagerTensor:
            yield value._array, bool(value._id) and records.get(value._id) is not None
        elif isinstance(value, np.ndarray):
            yield value, op_of(pull_of(record)) is not None


def _base(array: Any) -> Any:
    while isinstance(getattr(array, "base", None), np.ndarray):
        array = array.base
    return array


def _sorted(table: dict[str, list[int]]) -> tuple[Held, ...]:
    rows = [Held(name, size, count) for name, (size, count) in table.items()]
    return tuple(sorted(rows, key=lambda row: -row.bytes))


def _peak(records: Records, own: dict[int, int], total: int) -> int:
    """Walk down the identities: what is still held, and the cotangents that wait for their turn."""
    sizes = _sizes(records)
    held, peak = total, total
    waiting: dict[int, int] = {}
    for number in sorted(records, reverse=True):
        record = records[number]
        if record is None or is_further_output(record):
            continue
        waiting.setdefault(number, sizes.get(number, 0))
        for source in ids_of(record):
            waiting.setdefault(source, sizes.get(source, 0))
        peak = max(peak, held + sum(waiting.values()))
        waiting.pop(number)
        held -= own.get(number, 0)
    return peak


def _sizes(records: Records) -> dict[int, int]:
    """The sizes of values by identity, as far as records show them."""
    sizes: dict[int, int] = {}
    for number, record in records.items():
        if record is None or is_further_output(record):
            continue
        looks = looks_of_outputs(record)
        if looks is not None:
            shape, dtype = looks[0]
            sizes[number] = int(np.prod(shape)) * dtype.itemsize
        for value in saved_by(record):
            for each in value if isinstance(value, (tuple, list)) else (value,):
                if each.__class__ is EagerTensor and each._id:
                    sizes[each._id] = int(each._array.nbytes)
    return sizes


def size_text(count: float) -> str:
    """A number of bytes in words."""
    for unit in ("B", "KB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.2f} GB"
