"""The function that CPython calls: it checks arguments, reads variables, makes the arrays of the results, and wraps them.

What it checks is all that the steps were written for: class, type, shape and layout of each argument. An array without axes may
also be a scalar of NumPy's. Anything else goes to `otherwise`, with the arguments as they are; nothing has changed by then.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir

from ...native import abi
from ...native.language import INT32, INT64, POINTER, Number, loop
from ...values.tensor import EagerTensor
from ...variables.variable import Variable
from ..program import Value
from .body_memory import DONE, RAISED, REFUSED
from .memory import Table, call_address, i64, untyped
from .objects import NULL, Elements, Objects
from .steps import Array, Buffer
from .texts import BYTE
from .variables import Change, Slots, Variables

ARRAYS = object()  # what is returned: a tuple of arrays


def is_returnable(structure: Any) -> bool:
    """Whether an entry can make what a function returns: tensors and None, in lists, tuples and dicts."""
    kind = structure.__class__
    if kind in (list, tuple):
        return all(map(is_returnable, structure))
    return all(map(is_returnable, structure.values())) if kind is dict else kind in (Value, EagerTensor, type(None))


class Entry:
    """Writes `entry(self, arguments, count, keywords)`; see the module's docstring.

    Args:
        module: Where it is written.
        addresses: Its table.
        reserved: Where in the table two objects stand: the function that takes any arguments, and the names of arguments.
        given: The memory of arguments.
        read: Variables that are read, each with its memory.
        changes: Variables that get new values.
        outputs: Arrays like the results.
        returned: What is returned, with `Value`s for results by their places, or `ARRAYS`.
    """

    def __init__(
        self,
        module: ir.Module,
        addresses: Table,
        reserved: tuple[int, int],
        given: Sequence[Buffer],
        read: Sequence[tuple[Variable, Buffer]],
        changes: Sequence[Change],
        outputs: Sequence[Array],
        returned: Any,
    ) -> None:
        self.slots = Slots(len(given), len(read), len(outputs), len(changes))
        self._module, self._addresses, self._reserved = module, addresses, reserved
        self._given, self._outputs, self._returned = given, outputs, returned
        self._elements = Elements(module, addresses, takes_tensors=returned is not ARRAYS)
        self.variables = Variables(module, addresses, self._elements, self.slots, read, changes)

    def write(self, body: ir.Function) -> None:
        """Write it. `body(table, slots)` does the steps, and says how they have ended."""
        kinds = [POINTER, POINTER, INT64, POINTER]
        function = ir.Function(self._module, ir.FunctionType(POINTER, kinds), "entry")
        b = ir.IRBuilder(function.append_basic_block("entry"))
        own, arguments, count, keywords = function.args
        otherwise, names = self._reserved
        elements = abi.array_fields().elements
        table = b.load(b.gep(own, [i64(elements)], source_etype=BYTE), typ=POINTER)
        slots, status, taken = (
            untyped(b.alloca(kind, size=i64(size)))
            for kind, size in ((POINTER, max(self.slots.count, 1)), (INT32, 1), (INT64, 1))
        )
        o = Objects(b, table, self._addresses, slots)
        other, failed = b.append_basic_block("otherwise"), b.append_basic_block("failed")
        total = self._write_counted(o, count, keywords, o.entry(names), other)
        o.need(b.icmp_signed("==", total, i64(len(self._given))), other)
        for place, buffer in enumerate(self._given):
            o.fill(place, self._elements.of(o, o.element(arguments, i64(place)), buffer.array, other))
        b.store(INT32(REFUSED), status)
        b.store(i64(0), taken)
        for place in range(self.slots.first_value, self.slots.count):
            o.fill(place, NULL)
        self.variables.hold(o, taken, failed)
        for place, array in enumerate(self._outputs):
            made = o.new_array(array)
            o.fill(self.slots.first_array + place, made)
            o.need(o.is_there(made), failed)
            o.fill(self.slots.first_output + place, o.field(made, elements))
        ended = b.call(body, [table, slots])
        b.store(ended, status)
        o.need(b.icmp_signed("==", ended, INT32(DONE)), failed)
        self.variables.store(o)
        self.variables.release(o, taken)
        b.ret(self._result(o))
        b.position_at_end(failed)
        self._write_failed(o, status, taken, other)
        b.position_at_end(other)
        vectorcall, callee = o.function("PyObject_Vectorcall"), o.entry(otherwise)
        b.ret(call_address(b, vectorcall, POINTER, callee, arguments, count, keywords))

    def _write_counted(self, o: Objects, count: object, keywords: object, names: object, other: object) -> Any:
        """How many arguments there are; those with names must have the names that come next."""
        b = o.b
        before, named, after = b.block, b.append_basic_block("named"), b.append_basic_block("counted")
        b.cbranch(o.is_there(keywords), named, after)
        b.position_at_end(named)
        total = b.add(count, o.call("PyTuple_Size", INT64, keywords))
        o.need(b.icmp_signed("==", total, i64(len(self._given))), other)
        o.need(b.icmp_signed("==", total, o.call("PyTuple_Size", INT64, names)), other)
        with loop(b, Number(b, count), Number(b, total)) as place:
            given = o.call("PyTuple_GetItem", POINTER, keywords, b.sub(place.value, count))
            o.need(o.is_same(given, o.call("PyTuple_GetItem", POINTER, names, place.value)), other)
        last = b.block
        b.branch(after)
        b.position_at_end(after)
        found = b.phi(INT64)
        found.add_incoming(count, before)
        found.add_incoming(total, last)
        return found

    def _write_failed(self, o: Objects, status: object, taken: object, other: object) -> None:
        """Give everything back. An interrupt is raised; else `otherwise` is called."""
        b = o.b
        error = [untyped(b.alloca(POINTER)) for _ in range(3)]
        o.call("PyErr_Fetch", None, *error)
        self.variables.release(o, taken)
        for place in range(len(self._outputs)):
            o.give_back(o.slot(self.slots.first_array + place))
        o.call("PyErr_Restore", None, *(b.load(part, typ=POINTER) for part in error))
        with b.if_then(b.icmp_signed("==", b.load(status, typ=INT32), INT32(RAISED))):
            b.ret(NULL)
        o.call("PyErr_Clear", None)
        b.branch(other)

    def _result(self, o: Objects) -> Any:
        arrays = [o.slot(self.slots.first_array + place) for place in range(len(self._outputs))]
        if self._returned is ARRAYS:
            return _filled(o, "Tuple", arrays)
        tensors = [o.new_tensor(array) for array in arrays]
        seen: set[int] = set()

        def made(structure: object) -> Any:
            if isinstance(structure, Value):
                tensor = tensors[structure.number]
                result = o.held(tensor) if structure.number in seen else tensor
                seen.add(structure.number)
                return result
            if structure.__class__ in (list, tuple):
                return _filled(o, "List" if structure.__class__ is list else "Tuple", list(map(made, structure)))
            if structure.__class__ is not dict:
                return o.held(o.thing(structure))
            result = o.call("PyDict_New", POINTER)
            for key, part in structure.items():
                value = made(part)
                o.call("PyDict_SetItem", INT32, result, o.thing(key), value)
                o.give_back(value)
            return result

        return made(self._returned)


def _filled(o: Objects, word: str, values: list[Any]) -> Any:
    """A new list or tuple, which takes the references."""
    result = o.call(f"Py{word}_New", POINTER, i64(len(values)))
    for place, value in enumerate(values):
        o.call(f"Py{word}_SetItem", INT32, result, i64(place), value)
    return result
