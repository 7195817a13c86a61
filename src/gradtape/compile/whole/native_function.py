"""Steps as machine code, and as functions that Python calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from llvmlite import ir

from ...native import abi, engine
from ...native.language import INT32, POINTER
from .elementwise import write_assembly, write_called, write_copy, write_fused, write_gathering
from .entry import Entry, Returned
from .memory import Memory, Table, call_address, i64, untyped
from .reductions import write_product, write_reduction
from .scheduling import Fused, laid_out, scheduled
from .stand_in import StandIn
from .steps import Array, Assembly, Buffer, Elementwise, Gathering, Product, Reduction, Step
from .texts import BYTE

_STACK = 1 << 15  # bytes that a function takes of the stack; more come from the heap

_WRITERS: dict[type[Step], Callable[..., None]] = {
    Fused: write_fused,
    Elementwise: write_called,
    Reduction: write_reduction,
    Product: write_product,
    Assembly: write_assembly,
    Gathering: write_gathering,
}


class NativeCode:
    """Steps as machine code: made once, it becomes functions of Python.

    Args:
        steps: What is to be done.
        given: The memory of arguments, and of variables after them.
        results: What is made.
        variables: Variables whose values are read at each call.
        returned: How results are returned; see `entry.Returned`.
    """

    def __init__(
        self,
        steps: Sequence[Step],
        given: Sequence[Buffer],
        results: Sequence[StandIn],
        variables: Sequence[Any] = (),
        returned: Returned | None = None,
    ) -> None:
        self.module, self._addresses = ir.Module("whole"), Table()
        self._otherwise = self._addresses.reserve()
        outputs = [_own_memory(result) for result in results]
        body = _Body(self.module, self._addresses, list(steps), list(given), list(results), outputs)
        arguments = list(given[: len(given) - len(variables)])
        inside = list(zip(variables, given[len(arguments) :], strict=True))
        Entry(self.module, self._addresses, self._otherwise, body.function, arguments, inside, outputs, returned)
        (self._address,) = engine.compiled(self.module, "entry")

    def function(self, otherwise: Callable[..., Any]) -> Any:
        """The steps as a function of Python.

        Where an argument is not what the steps are for (another type, shape or layout), `otherwise` is called with the same
        arguments: what that returns or raises is the result.
        """
        addresses = list(self._addresses.addresses)
        addresses[self._otherwise] = id(otherwise)
        table = abi.new_table(addresses, [*self._addresses.kept, otherwise])
        return abi.new_function("whole", self._address, table)


def _own_memory(result: StandIn) -> Array:
    """An array of the layout that a result is returned in: NumPy's, or without gaps where that would be a part of another."""
    array = result.array
    dense = np.empty_like(array)  # (in the order of the axes that the array has)
    return dense if dense.strides == array.strides else np.empty(array.shape, array.dtype)


class _Body:
    """`body(table, slots)`: the steps, on the addresses of arguments and results."""

    def __init__(
        self,
        module: ir.Module,
        addresses: Table,
        steps: list[Step],
        given: list[Buffer],
        results: list[StandIn],
        outputs: list[Array],
    ) -> None:
        kind = ir.FunctionType(INT32, [POINTER, POINTER])
        self.function = ir.Function(module, kind, "body")
        self.function.linkage = "internal"
        self.function.attributes.add("noinline")
        b = ir.IRBuilder(self.function.append_basic_block("entry"))
        table, slots = self.function.args
        memory = Memory(b, table, addresses)
        for place, buffer in enumerate(given):
            memory.begins[buffer] = b.load(b.gep(slots, [i64(place)], source_etype=POINTER), typ=POINTER)
        # A result that owns its memory is computed where it is returned; others are copied at the end.
        own: dict[Buffer, int] = {}
        for place, (result, array) in enumerate(zip(results, outputs, strict=True)):
            whole = result.array is result.buffer.array and result.buffer.kind == "made"
            if whole and array.strides == result.array.strides and result.buffer not in own:
                own[result.buffer] = place
        for buffer, place in own.items():
            slot = b.gep(slots, [i64(len(given) + place)], source_etype=POINTER)
            memory.begins[buffer] = b.load(slot, typ=POINTER)
        wanted = [result.buffer for result in results]
        order = scheduled(steps, wanted)
        places, size = laid_out(order, set(own), wanted)
        arena = self._arena(memory, size)
        for buffer, begin in places.items():
            memory.begins[buffer] = b.gep(arena, [i64(begin)], source_etype=BYTE)
        for step in order:
            _WRITERS[step.__class__](memory, step)
        for place, (result, array) in enumerate(zip(results, outputs, strict=True)):
            if own.get(result.buffer) != place:
                target = Buffer("output", array)
                with b.goto_entry_block():
                    slot = b.gep(slots, [i64(len(given) + place)], source_etype=POINTER)
                    memory.begins[target] = b.load(slot, typ=POINTER)
                write_copy(memory, result.located, StandIn(result._steps, array, target).located)
        if size > _STACK:
            call_address(b, memory.entry(addresses.place(abi.address_of_function("PyMem_RawFree"))), None, arena)
        b.ret(INT32(0))

    def _arena(self, memory: Memory, size: int) -> Any:
        """Memory of the function's own."""
        b = memory.b
        if size <= _STACK:
            room = b.alloca(BYTE, size=i64(max(size, 1)))
            room.align = 64
            return untyped(room)
        return call_address(
            b, memory.entry(memory.addresses.place(abi.address_of_function("PyMem_RawMalloc"))), POINTER, i64(size)
        )
