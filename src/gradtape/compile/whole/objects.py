"""Python's objects as a native function sees them: their fields, references to them, new arrays and tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir

from ...native import abi
from ...native.language import INT32, INT64, POINTER
from ...values.tensor import EagerTensor, Tensor
from . import origins
from .memory import Memory, Table, call_address, i64, untyped
from .steps import Array
from .texts import BYTE

NULL = ir.Constant(POINTER, None)


class Objects(Memory):
    """The objects of a function that is being written; those of the table are known by identity."""

    def __init__(self, builder: ir.IRBuilder, table: Any, addresses: Table, slots: Any) -> None:
        super().__init__(builder, table, addresses)
        self.fields = abi.array_fields()
        self.slots = slots  # addresses that functions share

    def methods_of_locks(self, variables: Sequence[Any], name: str) -> Any:
        """The address of a list of methods, of the locks of variables."""
        origin, address, kept = origins.methods_of_locks(variables, name, self.addresses.origin_of)
        return self.entry(self.addresses.place(address, origin, kept))

    def field(self, thing: Any, place: int, kind: Any = POINTER) -> Any:
        """What an object has so many bytes behind its beginning."""
        return self.b.load(self.b.gep(thing, [i64(place)], source_etype=BYTE), typ=kind)

    def element(self, list_of: Any, index: Any) -> Any:
        """An address in a list of them."""
        return self.b.load(self.b.gep(list_of, [index], source_etype=POINTER), typ=POINTER)

    def slot(self, place: int) -> Any:
        return self.element(self.slots, i64(place))

    def fill(self, place: int, address: Any) -> None:
        self.b.store(address, self.b.gep(self.slots, [i64(place)], source_etype=POINTER))

    # --- conditions --------------------------------------------------------------------------------------------------

    def is_same(self, one: Any, two: Any) -> Any:
        return self.b.icmp_unsigned("==", self.b.ptrtoint(one, INT64), self.b.ptrtoint(two, INT64))

    def is_there(self, thing: Any) -> Any:
        return self.b.icmp_unsigned("!=", self.b.ptrtoint(thing, INT64), i64(0))

    def need(self, condition: Any, other: Any) -> None:
        """Go on only if the condition holds."""
        there = self.b.append_basic_block("there")
        self.b.cbranch(condition, there, other)
        self.b.position_at_end(there)

    # --- references --------------------------------------------------------------------------------------------------

    def held(self, thing: Any) -> Any:
        """The object, with a reference of our own."""
        self.call("Py_IncRef", None, thing)
        return thing

    def give_back(self, thing: Any) -> None:
        """Give a reference back, if there is an object."""
        self.call("Py_DecRef", None, thing)

    # --- new objects -------------------------------------------------------------------------------------------------

    def new_array(self, like: Array) -> Any:
        """A new array of that layout, or nothing where there is no memory for it."""
        if like.strides == np.empty_like(like).strides or not like.size:
            return self._new_array(like, NULL if like.flags.c_contiguous else self.constants(like.strides))
        # A layout with gaps, repeated or reversed elements: a view of memory that holds them.
        reach = [(size - 1) * stride for size, stride in zip(like.shape, like.strides, strict=True)]
        before = -sum(step for step in reach if step < 0)
        room = np.empty(before + sum(step for step in reach if step > 0) + like.itemsize, np.uint8)
        b, base = self.b, self._new_array(room, NULL)
        start, view, done = b.block, b.append_basic_block("view"), b.append_basic_block("made")
        b.cbranch(self.is_there(base), view, done)
        b.position_at_end(view)
        first = b.gep(self.field(base, self.fields.elements), [i64(before)], source_etype=BYTE)
        made = self._new_array(like, self.constants(like.strides), first, abi.WRITEABLE)
        with b.if_else(self.is_there(made)) as (there, missing):
            with there:
                b.store(base, b.gep(made, [i64(self.fields.base)], source_etype=BYTE))
            with missing:
                self.give_back(base)
        end = b.block
        b.branch(done)
        b.position_at_end(done)
        found = b.phi(POINTER)
        found.add_incoming(NULL, start)
        found.add_incoming(made, end)
        return found

    def _new_array(self, like: Array, strides: Any, elements: Any = NULL, flags: int = 0) -> Any:
        """What NumPy makes: on memory of its own, or on these elements."""
        dtype = self.held(self.thing(like.dtype))  # NumPy takes the reference
        sizes = self.constants(like.shape) if like.ndim else NULL
        function = self.entry(self.addresses.place(abi.address_of_new_array(), origins.NEW_ARRAY))
        return call_address(
            self.b, function, POINTER, self.thing(np.ndarray), dtype, INT32(like.ndim), sizes, strides, elements,
            INT32(flags), NULL,
        )  # fmt: skip

    def new_tensor(self, array: Any, identity: int = 0) -> Any:
        """What `from_array` gives; the tensor takes the reference to the array."""
        tensor = self.call("PyType_GenericAlloc", POINTER, self.thing(EagerTensor), i64(0))
        for name, value in (("_array", array), ("_id", self.held(self.thing(identity)))):
            place = abi.slot_offset(Tensor.__dict__[name])
            self.b.store(value, self.b.gep(tensor, [i64(place)], source_etype=BYTE))
        return tensor

    def array_of(self, tensor: Any) -> Any:
        """The array of a tensor."""
        return self.field(tensor, abi.slot_offset(Tensor.__dict__["_array"]))


class Elements:
    """The function `elements(table, argument, scalar, dtype, axes, sizes)`: where an argument has its elements.

    It gives nothing for an argument of another type, shape or layout. It takes an array, a scalar of NumPy's where there are no
    axes, and a tensor if asked to.
    """

    def __init__(self, module: ir.Module, addresses: Table, takes_tensors: bool) -> None:
        kinds = [POINTER, POINTER, POINTER, POINTER, INT32, POINTER]
        self._function = ir.Function(module, ir.FunctionType(POINTER, kinds), "elements")
        self._function.linkage = "internal"
        b = ir.IRBuilder(self._function.append_basic_block("entry"))
        table, argument, scalar, dtype, axes, sizes = self._function.args
        o = Objects(b, table, addresses, None)
        refused = b.append_basic_block("refused")
        with b.goto_block(refused):
            b.ret(NULL)
        fields = o.fields
        kind_at = fields.elements - 8
        if takes_tensors:
            before, tensor, after = b.block, b.append_basic_block("tensor"), b.append_basic_block("array")
            b.cbranch(o.is_same(o.field(argument, kind_at), o.thing(EagerTensor)), tensor, after)
            b.position_at_end(tensor)
            inside = o.array_of(argument)
            b.branch(after)
            b.position_at_end(after)
            either = b.phi(POINTER)
            either.add_incoming(argument, before)
            either.add_incoming(inside, tensor)
            argument = either
        # A scalar of NumPy's has its value where an array has the address of its elements.
        kind = o.field(argument, kind_at)
        with b.if_then(o.is_same(kind, scalar)):
            b.ret(b.gep(argument, [i64(fields.elements)], source_etype=BYTE))
        o.need(o.is_same(kind, o.thing(np.ndarray)), refused)
        o.need(o.is_same(o.field(argument, fields.dtype), dtype), refused)
        wanted = INT32(abi.C_CONTIGUOUS | abi.ALIGNED)
        fits = b.icmp_signed("==", o.field(argument, fields.axes, INT32), axes)
        flags = b.and_(o.field(argument, fields.flags, INT32), wanted)
        o.need(b.and_(fits, b.icmp_signed("==", flags, wanted)), refused)
        found = o.field(argument, fields.sizes)
        axis = untyped(b.alloca(INT32))
        b.store(INT32(0), axis)
        head, size, done = (b.append_basic_block(name) for name in ("axes", "size", "done"))
        b.branch(head)
        b.position_at_end(head)
        here = b.load(axis, typ=INT32)
        b.cbranch(b.icmp_signed("<", here, axes), size, done)
        b.position_at_end(size)
        given, expected = (b.load(b.gep(s, [here], source_etype=INT64), typ=INT64) for s in (found, sizes))
        b.store(b.add(here, INT32(1)), axis)
        b.cbranch(b.icmp_signed("==", given, expected), head, refused)
        b.position_at_end(done)
        b.ret(o.field(argument, fields.elements))

    def of(self, objects: Objects, argument: Any, like: Array, other: Any) -> Any:
        """The address of the elements of an argument that is like an array; what is not goes to another block."""
        scalar = objects.thing(like.dtype.type) if not like.ndim else NULL
        sizes = objects.constants(like.shape) if like.ndim else NULL
        given = [objects.table, argument, scalar, objects.thing(like.dtype), INT32(like.ndim), sizes]
        found = objects.b.call(self._function, given)
        objects.need(objects.is_there(found), other)
        return found
