"""The steps of a native function, one after the other: `body(table, slots)`, on the addresses of arguments and results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir

from ...native.language import INT32, POINTER
from .body_memory import BodyMemory
from .control import write_choice, write_rounds
from .elementwise import write_assembly, write_called, write_copy, write_fused, write_gathering
from .memory import Table, i64
from .reductions import write_product, write_reduction
from .scheduling import Fused, cost, laid_out, scheduled
from .stand_in import StandIn
from .steps import (
    MADE,
    AnyStep,
    Array,
    Assembly,
    Buffer,
    Choice,
    Elementwise,
    Gathering,
    Product,
    Reduction,
    Rounds,
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
}


def write_step(memory: BodyMemory, step: AnyStep) -> None:
    """One step as text of LLVM."""
    if isinstance(step, Rounds):
        write_rounds(memory, step, write_step)
    elif isinstance(step, Choice):
        write_choice(memory, step, write_step)
    else:
        _WRITERS[step.__class__](memory, step)


def write_body(
    module: ir.Module,
    addresses: Table,
    steps: list[AnyStep],
    given: list[Buffer],
    results: list[StandIn],
    outputs: list[Array],
) -> ir.Function:
    """The function; it returns how the steps have ended (`entry.DONE` ...)."""
    function = ir.Function(module, ir.FunctionType(INT32, [POINTER, POINTER]), "body")
    function.linkage = "internal"
    function.attributes.add("noinline")
    b = ir.IRBuilder(function.append_basic_block("entry"))
    table, slots = function.args
    memory = BodyMemory(b, table, addresses)

    def slot(place: int) -> Any:
        with b.goto_entry_block():
            return b.load(b.gep(slots, [i64(place)], source_etype=POINTER), typ=POINTER)

    for place, buffer in enumerate(given):
        memory.begins[buffer] = slot(place)
    # A result that owns its memory is computed where it is returned; others are copied at the end.
    own: dict[Buffer, int] = {}
    for place, (result, array) in enumerate(zip(results, outputs, strict=True)):
        whole = result.array is result.buffer.array and result.buffer.kind == MADE
        if whole and array.strides == result.array.strides and result.buffer not in own:
            own[result.buffer] = place
            memory.begins[result.buffer] = slot(len(given) + place)
    wanted = [result.buffer for result in results]
    order = scheduled(steps, wanted)
    if sum(map(cost, order)) > _RELEASING:
        memory.release()
    places, size = laid_out(order, set(own), wanted)
    arena = memory.arena(size)
    for buffer, begin in places.items():
        memory.begins[buffer] = b.gep(arena, [i64(begin)], source_etype=BYTE)
    for step in order:
        write_step(memory, step)
    for place, (result, array) in enumerate(zip(results, outputs, strict=True)):
        if own.get(result.buffer) != place:
            target = Buffer("output", array)
            memory.begins[target] = slot(len(given) + place)
            write_copy(memory, result.located, StandIn(result._steps, array, target).located)
    memory.end()
    return function
