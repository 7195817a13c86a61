"""The steps of a native function, one after the other: `body(table, slots)`, on the addresses of arguments and results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from llvmlite import ir

from ...native import engine, thresholds
from ...native.language import INT32, POINTER
from .body_memory import DONE, REFUSED, BodyMemory
from .callbacks import write_called_function
from .control import write_choice, write_rounds
from .elementwise import write_assembly, write_called, write_copy, write_fused, write_gathering
from .fast_math import OwnBuilder
from .matrices import write_matrix_function, write_product
from .memory import Table, i64
from .ordering import write_extreme_place, write_ordering, write_sorting
from .reductions import write_accumulation, write_reduction
from .rows import write_rows_combined, write_rows_read, write_rows_written
from .scheduling import Fused, calls_python, cost, in_registers, laid_out, multiplies_much, scheduled
from .stand_in import StandIn
from .steps import (
    MADE,
    Accumulation,
    AnyStep,
    Array,
    Assembly,
    Buffer,
    Called,
    Check,
    Choice,
    Elementwise,
    ExtremePlace,
    Gathering,
    MatrixFunction,
    Ordering,
    Product,
    Reduction,
    Rounds,
    RowsCombined,
    RowsRead,
    RowsWritten,
    Sorting,
)
from .texts import BYTE

_WRITERS: dict[type[Any], Callable[..., None]] = {
    Fused: write_fused,
    Elementwise: write_called,
    Reduction: write_reduction,
    Product: write_product,
    Assembly: write_assembly,
    Gathering: write_gathering,
    RowsRead: write_rows_read,
    RowsWritten: write_rows_written,
    RowsCombined: write_rows_combined,
    Accumulation: write_accumulation,
    ExtremePlace: write_extreme_place,
    Ordering: write_ordering,
    Sorting: write_sorting,
    MatrixFunction: write_matrix_function,
    Called: write_called_function,
}


def write_step(memory: BodyMemory, step: AnyStep) -> None:
    """One step as text of LLVM."""
    if isinstance(step, Rounds):
        write_rounds(memory, step, write_step)
    elif isinstance(step, Choice):
        write_choice(memory, step, write_step)
    elif isinstance(step, Check):
        found = memory.load(step.condition, step.condition.offset, 0, 1)
        memory.fail_if(found if not step.expected else memory.b.not_(found), REFUSED)
    else:
        _WRITERS[step.__class__](memory, step)


def write_body(
    module: ir.Module,
    addresses: Table,
    steps: list[AnyStep],
    given: list[Buffer],
    results: list[StandIn],
    outputs: list[Array],
    changes: Sequence[StandIn] = (),
    make_room: ir.Function | None = None,
    own: bool = False,
) -> ir.Function:
    """The function; it returns how the steps have ended (`body_memory.DONE` ...).

    `changes` are new values of variables. They are stored last, where `make_room` says. With `own`, the arithmetic is our own.
    """
    function = ir.Function(module, ir.FunctionType(INT32, [POINTER, POINTER]), "body")
    function.linkage = "internal"
    function.attributes.add("noinline")
    b = (OwnBuilder if own else ir.IRBuilder)(function.append_basic_block("entry"))
    table, slots = function.args
    memory = BodyMemory(b, table, addresses)

    if own and engine.is_x86():
        memory.flush_denormals()

    def slot(place: int) -> Any:
        with b.goto_entry_block():
            return b.load(b.gep(slots, [i64(place)], source_etype=POINTER), typ=POINTER)

    for place, buffer in enumerate(given):
        memory.begins[buffer] = slot(place)
    # A result that owns its memory is computed where it is returned; others are copied at the end.
    placed: dict[Buffer, int] = {}
    for place, (result, array) in enumerate(zip(results, outputs, strict=True)):
        whole = result.array is result.buffer.array and result.buffer.kind == MADE
        if whole and array.strides == result.array.strides and result.buffer not in placed:
            placed[result.buffer] = place
            memory.begins[result.buffer] = slot(len(given) + place)
    wanted = [value.buffer for value in (*results, *changes)]
    order = scheduled(steps, wanted)
    if multiplies_much(order):
        memory.keep_blas_to_one_thread()
    if not calls_python(order):
        memory.may_release()
        if sum(map(cost, order)) > thresholds.LOCK_NANOSECONDS:
            memory.release()
    pieces = _pieces(order)
    homes = _homes(pieces, wanted)
    small = [buffer for buffer in in_registers(order) if buffer not in placed and homes[buffer] is not None]
    registers: dict[int, list[Buffer]] = {}
    for buffer in small:
        registers.setdefault(homes[buffer], []).append(buffer)  # type: ignore[arg-type]
    places, size = laid_out(order, {*small, *placed}, wanted)
    arena = memory.arena(size)
    here = {buffer for piece in pieces if not piece.is_function for buffer in piece.buffers}.union(wanted)
    for buffer, begin in places.items():
        if buffer in here:
            memory.begins[buffer] = b.gep(arena, [i64(begin)], source_etype=BYTE)
    slots_of = {buffer: place for place, buffer in enumerate(given)}
    slots_of |= {buffer: len(given) + place for buffer, place in placed.items()}
    for number, piece in enumerate(pieces):
        inside = registers.get(number, [])
        if piece.is_function:
            part = _write_piece(module, addresses, f"part{number}", piece, slots_of, places, inside, own)
            memory.fail_if(b.icmp_signed("!=", b.call(part, [table, slots, arena]), INT32(DONE)), REFUSED)
            continue
        for buffer in inside:
            memory.begins[buffer] = memory.register(buffer)
        for step in piece.steps:
            write_step(memory, step)
    for place, (result, array) in enumerate(zip(results, outputs, strict=True)):
        if placed.get(result.buffer) != place:
            target = Buffer("output", array)
            memory.begins[target] = slot(len(given) + place)
            write_copy(memory, result.located, StandIn(result._steps, array, target).located)
    if make_room is not None:
        memory.hold()  # nobody sees a variable half written, and nobody comes to hold one that is written to
        status = b.call(make_room, [table, slots])
        memory.fail_if(b.icmp_signed("!=", status, INT32(DONE)), REFUSED)
        for place, value in enumerate(changes, len(given) + len(outputs)):
            target = Buffer("variable", np.empty(value.shape, value.dtype))
            memory.begins[target] = b.load(b.gep(slots, [i64(place)], source_etype=POINTER), typ=POINTER)
            write_copy(memory, value.located, StandIn(value._steps, target.array, target).located)
    memory.end()
    return function


# --- long programs -----------------------------------------------------------------------------------------------------------

_STRAIGHT = (*(kind for kind in _WRITERS if kind is not Called), Check)


@dataclass(slots=True)
class _Piece:
    """Some of the steps, one after the other: a function of its own, or part of the whole one."""

    steps: list[AnyStep]
    is_function: bool

    @property
    def buffers(self) -> set[Buffer]:
        return {buffer for step in self.steps for buffer in (*step.used, *step.made)}


def _pieces(order: list[AnyStep]) -> list[_Piece]:
    """The steps of a long program in pieces. Loops, branches and calls of Python are no functions of their own."""
    if sum(map(_instructions, order)) <= thresholds.NATIVE_FUNCTION_INSTRUCTIONS:
        return [_Piece(order, False)]
    pieces: list[_Piece] = []
    size = thresholds.NATIVE_PIECE_INSTRUCTIONS
    for step in order:
        is_straight = isinstance(step, _STRAIGHT)
        if size >= thresholds.NATIVE_PIECE_INSTRUCTIONS or pieces[-1].is_function is not is_straight:
            pieces.append(_Piece([], is_straight))
            size = 0
        pieces[-1].steps.append(step)
        size += _instructions(step)
    return pieces


def _instructions(step: AnyStep) -> int:
    return len(step.steps) if isinstance(step, Fused) else 4


def _homes(pieces: list[_Piece], wanted: list[Buffer]) -> dict[Buffer, int | None]:
    """The piece that a value belongs to; None for those of several pieces, and what is wanted at the end."""
    homes: dict[Buffer, int | None] = {}
    for number, piece in enumerate(pieces):
        for buffer in piece.buffers:
            homes[buffer] = number if buffer not in homes else None
    if len(pieces) > 1:
        homes |= dict.fromkeys(wanted)
    return homes


def _write_piece(
    module: ir.Module, addresses: Table, name: str, piece: _Piece, slots_of: dict[Buffer, int],
    places: dict[Buffer, int], registers: list[Buffer], own: bool,
) -> ir.Function:  # fmt: skip
    """`part(table, slots, arena)`: some of the steps; it returns how they have ended."""
    function = ir.Function(module, ir.FunctionType(INT32, [POINTER, POINTER, POINTER]), name)
    function.linkage = "internal"
    function.attributes.add("noinline")
    b = (OwnBuilder if own else ir.IRBuilder)(function.append_basic_block("entry"))
    table, slots, arena = function.args
    memory = BodyMemory(b, table, addresses)
    for step in piece.steps:
        for buffer in dict.fromkeys((*step.used, *step.made)):
            if buffer in memory.begins:
                continue
            if buffer in slots_of:
                memory.begins[buffer] = b.load(b.gep(slots, [i64(slots_of[buffer])], source_etype=POINTER), typ=POINTER)
            elif buffer in places:
                memory.begins[buffer] = b.gep(arena, [i64(places[buffer])], source_etype=BYTE)
    for buffer in registers:
        memory.begins[buffer] = memory.register(buffer)
    for step in piece.steps:
        write_step(memory, step)
    memory.end()
    return function
