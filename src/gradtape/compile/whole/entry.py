"""The function that CPython calls: it checks arguments, makes the arrays of the results, and wraps them.

What it checks is all that the steps were written for: class, type, shape and layout of each argument. An array without axes may
also be a scalar of NumPy's. Anything else goes to `otherwise`, with the arguments as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from llvmlite import ir

from ...native import abi
from ...native.language import INT32, INT64, POINTER
from ...values.tensor import EagerTensor, Tensor
from .body_memory import DONE, RAISED
from .memory import Memory, Table, call_address, i64, untyped
from .steps import Array, Buffer
from .texts import BYTE


@dataclass(frozen=True, slots=True)
class Returned:
    """Results as tensors: one, or a list or tuple of them, each by its place among the results."""

    kind: type  # EagerTensor, list or tuple
    places: tuple[int, ...]


class Entry:
    """Writes `entry(self, arguments, count)`; see the module's docstring. Without `returned` it gives a tuple of arrays."""

    def __init__(
        self,
        module: ir.Module,
        addresses: Table,
        otherwise: int,
        body: ir.Function,
        given: Sequence[Buffer],
        variables: Sequence[tuple[Any, Buffer]],
        outputs: Sequence[Array],
        returned: Returned | None,
    ) -> None:
        self._function = ir.Function(module, ir.FunctionType(POINTER, [POINTER, POINTER, INT64]), "entry")
        self._b = b = ir.IRBuilder(self._function.append_basic_block("entry"))
        self._fields = abi.array_fields()
        self._returned = returned
        own, arguments, count = self._function.args
        table = self._at(own, self._fields.elements)
        self._memory, self._addresses = Memory(b, table, addresses), addresses
        self._other = self._write_otherwise(table, otherwise, arguments, count)
        self._need(b.icmp_signed("==", count, i64(len(given))))
        self._slots = untyped(b.alloca(POINTER, size=i64(max(len(given) + len(variables) + len(outputs), 1))))
        for place, buffer in enumerate(given):
            self._check(place, self._at(arguments, 8 * place), buffer.array)
        held: list[Any] = []
        for place, (variable, buffer) in enumerate(variables, len(given)):
            held.append(self._read(place, variable, buffer.array, held))
        arrays: list[Any] = []
        for place, array in enumerate(outputs, len(given) + len(held)):
            arrays.append(self._make(place, array, [*held, *arrays]))
        status = b.call(body, [table, self._slots])
        for value in held:
            self._call("Py_DecRef", None, value)
        with b.if_then(b.icmp_signed("!=", status, INT32(DONE)), likely=False):
            for array in arrays:
                self._call("Py_DecRef", None, array)
            with b.if_then(b.icmp_signed("==", status, INT32(RAISED))):
                b.ret(ir.Constant(POINTER, None))
            b.branch(self._other)
        b.ret(self._packed(arrays) if returned is None else self._wrapped(arrays, returned))

    # --- parts -----------------------------------------------------------------------------------------------------

    def _at(self, address: Any, place: int, kind: Any = POINTER) -> Any:
        return self._b.load(self._b.gep(address, [i64(place)], source_etype=BYTE), typ=kind)

    def _thing(self, value: object) -> Any:
        return self._memory.entry(self._addresses.place(id(value), value))

    def _call(self, name: str, result: Any, *arguments: Any) -> Any:
        return self._memory.call(name, result, *arguments)

    def _write_otherwise(self, table: Any, place: int, arguments: Any, count: Any) -> Any:
        b, block = self._b, self._function.append_basic_block("otherwise")
        with b.goto_block(block):
            vectorcall = self._addresses.place(abi.address_of_function("PyObject_Vectorcall"))
            callee, function = (
                b.load(b.gep(table, [i64(p)], source_etype=POINTER), typ=POINTER) for p in (place, vectorcall)
            )
            b.ret(call_address(b, function, POINTER, callee, arguments, count, ir.Constant(POINTER, None)))
        return block

    def _need(self, condition: Any, other: Any = None) -> None:
        """Go on only if the condition holds."""
        there = self._function.append_basic_block("there")
        self._b.cbranch(condition, there, other or self._other)
        self._b.position_at_end(there)

    def _is(self, one: Any, two: Any) -> Any:
        return self._b.icmp_unsigned("==", self._b.ptrtoint(one, INT64), self._b.ptrtoint(two, INT64))

    def _fill(self, place: int, address: Any) -> None:
        self._b.store(address, self._b.gep(self._slots, [i64(place)], source_etype=POINTER))

    # --- arguments -------------------------------------------------------------------------------------------------

    def _check(self, place: int, argument: Any, array: Array, other: Any = None) -> None:
        """Check an argument, and note where its elements are."""
        b, fields = self._b, self._fields
        if self._returned is not None:  # a tensor, of which the array is taken; or the array itself
            is_tensor = self._is(self._at(argument, fields.elements - 8), self._thing(EagerTensor))
            before, tensor, after = (
                b.block,
                self._function.append_basic_block("tensor"),
                self._function.append_basic_block("array"),
            )
            b.cbranch(is_tensor, tensor, after)
            b.position_at_end(tensor)
            inside = self._at(argument, abi.slot_offset(Tensor.__dict__["_array"]))
            b.branch(after)
            b.position_at_end(after)
            either = b.phi(POINTER)
            either.add_incoming(argument, before)
            either.add_incoming(inside, tensor)
            argument = either
        kind = self._at(argument, fields.elements - 8)
        end = None
        if not array.ndim:  # a scalar of NumPy's has its value where an array has the address of its elements
            scalar, whole, end = (self._function.append_basic_block(name) for name in ("scalar", "whole", "end"))
            b.cbranch(self._is(kind, self._thing(array.dtype.type)), scalar, whole)
            b.position_at_end(scalar)
            self._fill(place, b.gep(argument, [i64(fields.elements)], source_etype=BYTE))
            b.branch(end)
            b.position_at_end(whole)
        self._need(self._is(kind, self._thing(np.ndarray)), other)
        self._need(self._is(self._at(argument, fields.dtype), self._thing(array.dtype)), other)
        wanted = INT32(abi.C_CONTIGUOUS | abi.ALIGNED)
        fits = b.icmp_signed("==", self._at(argument, fields.axes, INT32), INT32(array.ndim))
        flags = b.and_(self._at(argument, fields.flags, INT32), wanted)
        self._need(b.and_(fits, b.icmp_signed("==", flags, wanted)), other)
        if array.ndim:
            sizes = self._at(argument, fields.sizes)
            fits = ir.Constant(ir.IntType(1), 1)
            for axis, size in enumerate(array.shape):
                fits = b.and_(fits, b.icmp_signed("==", self._at(sizes, 8 * axis, INT64), i64(size)))
            self._need(fits, other)
        self._fill(place, self._at(argument, fields.elements))
        if end is not None:
            b.branch(end)
            b.position_at_end(end)

    def _read(self, place: int, variable: Any, array: Array, held: list[Any]) -> Any:
        """Take the value of a variable; it is held until the end, so that nobody changes it in place."""
        value = self._call("PyObject_GetAttr", POINTER, self._thing(variable), self._thing("_value"))
        self._need(
            self._b.icmp_unsigned("!=", self._b.ptrtoint(value, INT64), i64(0)), self._released(held, clear=True)
        )
        self._check(place, value, array, self._released([*held, value]))
        return value

    def _released(self, held: list[Any], clear: bool = False) -> Any:
        """A block that gives values back before it goes to `otherwise`."""
        block = self._function.append_basic_block("released")
        with self._b.goto_block(block):
            if clear:
                self._call("PyErr_Clear", None)
            for value in held:
                self._call("Py_DecRef", None, value)
            self._b.branch(self._other)
        return block

    # --- results ---------------------------------------------------------------------------------------------------

    def _make(self, place: int, array: Array, held: list[Any]) -> Any:
        """A new array like this one; without memory for it, what is held is given back."""
        null, memory = ir.Constant(POINTER, None), self._memory
        dtype = self._thing(array.dtype)
        self._call("Py_IncRef", None, dtype)  # NumPy takes it
        strides = null if array.flags.c_contiguous else memory.constants(array.strides)
        sizes = memory.constants(array.shape) if array.ndim else null
        function = memory.entry(self._addresses.place(abi.address_of_new_array()))
        made = call_address(
            self._b, function, POINTER, self._thing(np.ndarray), dtype, INT32(array.ndim), sizes, strides, null, INT32(0), null
        )  # fmt: skip
        there = self._b.icmp_unsigned("!=", self._b.ptrtoint(made, INT64), i64(0))
        self._need(there, self._released(held, clear=True))
        self._fill(place, self._at(made, self._fields.elements))
        return made

    def _packed(self, arrays: list[Any]) -> Any:
        packed = self._call("PyTuple_New", POINTER, i64(len(arrays)))
        for place, array in enumerate(arrays):
            self._call("PyTuple_SetItem", INT32, packed, i64(place), array)
        return packed

    def _wrapped(self, arrays: list[Any], returned: Returned) -> Any:
        """The arrays as tensors, in the structure that is returned."""
        tensors = [self._tensor(array) for array in arrays]
        if returned.kind is EagerTensor:
            return tensors[returned.places[0]]
        word = "List" if returned.kind is list else "Tuple"
        packed = self._call(f"Py{word}_New", POINTER, i64(len(returned.places)))
        for place, which in enumerate(returned.places):
            if which in returned.places[:place]:
                self._call("Py_IncRef", None, tensors[which])
            self._call(f"Py{word}_SetItem", INT32, packed, i64(place), tensors[which])
        return packed

    def _tensor(self, array: Any) -> Any:
        """What `from_array` gives."""
        tensor = self._call("PyType_GenericAlloc", POINTER, self._thing(EagerTensor), i64(0))
        zero = self._thing(0)
        self._call("Py_IncRef", None, zero)
        for name, value in (("_array", array), ("_id", zero)):
            place = abi.slot_offset(Tensor.__dict__[name])
            self._b.store(value, self._b.gep(tensor, [i64(place)], source_etype=BYTE))
        return tensor
