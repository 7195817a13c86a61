"""The steps of a native function, one after the other: `body(table, slots)`, on the addresses of arguments and results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from llvmlite import ir

from ...native import engine
from ...native.language import INT32, POINTER
from .body_memory import DONE, REFUSED, BodyMemory
from .callbacks import write_called_function
from .control import write_choice, write_rounds
from .elementwise import write_assembly, write_called, write_copy, write_fused, write_gathering
from .matrices import write_matrix_function, write_product
from .memory import Table, i64
from .ordering import write_extreme_place, write_ordering
from .own import OwnBuilder
from .reductions import write_accumulation, write_reduction
from .rows import write_rows_combined, write_rows_read, write_rows_written
from .scheduling import Fused, calls_python, cost, in_registers, laid_out, scheduled
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
)
from .texts import BYTE

_RELEASING = 10_000  # ns: what takes longer lets go of the interpreter's lock

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
    if sum(map(cost, order)) > _RELEASING and not calls_python(order):
        memory.release()
    registers = [buffer for buffer in in_registers(order) if buffer not in placed]
    for buffer in registers:
        memory.begins[buffer] = memory.register(buffer)
    places, size = laid_out(order, {*registers, *placed}, wanted)
    arena = memory.arena(size)
    for buffer, begin in places.items():
        memory.begins[buffer] = b.gep(arena, [i64(begin)], source_etype=BYTE)
    for step in order:
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
