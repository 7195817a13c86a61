"""Rows of an array at positions that are values: read, written, or added to.

A position that there is no row for ends the steps; the same instructions as Python lines then say what is wrong.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from llvmlite import ir

from ...native.language import INT64
from .body_memory import REFUSED, BodyMemory
from .elementwise import write_copy, write_zeros
from .memory import Place, i64
from .steps import Buffer, RowsCombined, RowsRead, RowsWritten, View
from .texts import element_of, written


def write_rows_read(memory: BodyMemory, step: RowsRead) -> None:
    """The rows at positions, one after the other."""
    source, positions = step.reads
    target = step.writes
    if not positions.size:
        return
    steps = [positions.strides, target.strides[:1]]
    with memory.over(positions.shape, [positions, target], steps) as (which, place):
        write_copy(memory, _row_at(memory, source, positions, which), _part(memory, target, place))


def write_rows_written(memory: BodyMemory, step: RowsWritten) -> None:
    """An array with other rows at positions."""
    before, positions, rows = step.reads
    if not step.in_place:
        write_copy(memory, before, step.writes)
    if not positions.size:
        return
    with memory.over(positions.shape, [positions, rows], [positions.strides, rows.strides[:1]]) as (which, place):
        write_copy(memory, _part(memory, rows, place), _row_at(memory, step.writes, positions, which))


def write_rows_combined(memory: BodyMemory, step: RowsCombined) -> None:
    """An array, or zeros, with rows added at positions, one after the other."""
    *before, positions, rows = step.reads
    if before and not step.in_place:
        write_copy(memory, before[0], step.writes)
    elif not before:
        write_zeros(memory, step.writes)
    if not rows.size:
        return
    kinds = (rows.dtype,) * 3
    with memory.over(positions.shape, [positions, rows], [positions.strides, rows.strides[:1]]) as (which, place):
        taken = memory.b.if_then(_is_taken(memory, positions, which)) if step.skips else nullcontext()
        with taken:
            row, target = _part(memory, rows, place), _row_at(memory, step.writes, positions, which)
            with memory.over(row.shape, [row, target], [row.strides, target.strides]) as (given, into):
                values = [memory.load(target, into, 0, 1), memory.load(row, given, 0, 1)]
                memory.store(target, into, 0, 1, written(memory.b, step.name, values, kinds))


def _is_taken(memory: BodyMemory, positions: View, which: Place) -> Any:
    position = memory.load(positions, which, 0, 1)
    return memory.b.icmp_signed(">=", position, ir.Constant(position.type, 0))


def _row_at(memory: BodyMemory, view: View, positions: View, which: Place) -> View:
    """The row at the position that stands there."""
    b, position = memory.b, memory.load(positions, which, 0, 1)
    if element_of(positions.dtype) != INT64:
        position = b.sext(position, INT64)
    memory.fail_if(b.icmp_unsigned(">=", position, i64(view.shape[0])), REFUSED)  # (a negative one is very large)
    return _part(memory, view, memory.sum(view.offset, memory.product(position, view.strides[0])))


def _part(memory: BodyMemory, view: View, place: Place) -> View:
    """The row of a view that begins at a place."""
    row: Any = Buffer("row", view.buffer.array)
    memory.begins[row] = memory.at(view.buffer, place)
    return View(row, 0, view.shape[1:], view.strides[1:], view.dtype)
