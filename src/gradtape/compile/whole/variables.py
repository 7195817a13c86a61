"""Variables of a native function: their values are read when it begins, and new ones are stored when it ends.

The rules are those of `variables/in_place.py`. The locks of variables that are changed are held from the first read to the last
store, and are only tried: where somebody else has one, the call goes to `otherwise`, which waits. New values are computed in
memory of the function's own. At the end, when nothing can fail any more and nobody else runs, they are copied to the memory of
the variables, or to new arrays where others hold the old ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from llvmlite import ir

from ...native import abi
from ...native.language import INT32, INT64, POINTER, Number, loop
from ...variables.in_place import locks_of
from ...variables.variable import Variable
from .body_memory import DONE, REFUSED
from .memory import Table, i64
from .objects import NULL, Elements, Objects
from .origins import AT_ONCE
from .steps import Array, Buffer

_OWN_TENSOR, _OWN_ARRAY = 2, 1  # references: by the variable and the function that runs; by the tensor


@dataclass(frozen=True, slots=True)
class Change:
    """A variable that gets a new value."""

    variable: Variable
    like: Array  # of the type and shape of its value
    read: int | None  # its place among the variables that are read


@dataclass(frozen=True, slots=True)
class Slots:
    """Places in the list of addresses that an entry and its steps share."""

    arguments: int
    variables: int
    outputs: int
    changes: int

    # The elements of arguments are first, then those of variables.

    @property
    def first_output(self) -> int:
        """The elements of results."""
        return self.arguments + self.variables

    @property
    def first_target(self) -> int:
        """The elements of new values."""
        return self.first_output + self.outputs

    @property
    def first_value(self) -> int:
        """What is given back at the end: values of variables ..."""
        return self.first_target + self.changes

    @property
    def first_new(self) -> int:
        """... their new values, where those are not stored in place ..."""
        return self.first_value + self.variables

    @property
    def first_array(self) -> int:
        """... and the arrays of results."""
        return self.first_new + self.changes

    @property
    def count(self) -> int:
        """How many there are."""
        return self.first_array + self.outputs


class Variables:
    """Writes what a function does with variables.

    Args:
        module, addresses: Of the function.
        elements: The check of a value.
        slots: Where addresses and values are.
        read: Variables whose values are taken, each with its memory.
        changes: Variables that get new values.
    """

    def __init__(
        self,
        module: ir.Module,
        addresses: Table,
        elements: Elements,
        slots: Slots,
        read: Sequence[tuple[Variable, Buffer]],
        changes: Sequence[Change],
    ) -> None:
        self._elements, self._slots, self._read, self._changes = elements, slots, read, changes
        self._changed = [change.variable for change in changes]
        self._locks = len(locks_of(self._changed))
        self.make_room = self._write_make_room(module, addresses) if changes else None

    def hold(self, o: Objects, taken: Any, failed: Any) -> None:
        """Take locks and values. `taken` counts the locks that have to be released, whatever happens next."""
        b = o.b
        if self._locks:
            methods = o.methods_of_locks(self._changed, "acquire")
            with loop(b, 0, self._locks) as lock:
                got = o.call("PyObject_Call", POINTER, o.element(methods, lock.value), o.thing(AT_ONCE), NULL)
                is_taken = o.is_same(got, o.thing(True))
                o.give_back(got)
                o.need(is_taken, failed)
                b.store(b.add(lock.value, i64(1)), taken)
        for place, (variable, buffer) in enumerate(self._read):
            value = o.call("PyObject_GetAttr", POINTER, o.thing(variable), o.thing("_value"))
            o.fill(self._slots.first_value + place, value)
            o.need(o.is_there(value), failed)
            o.fill(self._slots.arguments + place, self._elements.of(o, value, buffer.array, failed))

    def _write_make_room(self, module: ir.Module, addresses: Table) -> ir.Function:
        """`make_room(table, slots)`: where new values go. The memory of a variable is taken if nobody else refers to it."""
        function = ir.Function(module, ir.FunctionType(INT32, [POINTER, POINTER]), "make_room")
        function.linkage = "internal"
        b = ir.IRBuilder(function.append_basic_block("entry"))
        o = Objects(b, function.args[0], addresses, function.args[1])
        refused = b.append_basic_block("refused")
        with b.goto_block(refused):
            b.ret(INT32(REFUSED))
        for place, change in enumerate(self._changes):
            target, new, done = (
                self._slots.first_target + place,
                b.append_basic_block("new"),
                b.append_basic_block("done"),
            )
            if change.read is not None and abi.reads_counts():
                tensor = o.slot(self._slots.first_value + change.read)
                array = o.array_of(tensor)
                o.need(b.icmp_signed("==", o.field(tensor, 0, INT32), INT32(_OWN_TENSOR)), new)
                o.need(b.icmp_signed("==", o.field(array, 0, INT32), INT32(_OWN_ARRAY)), new)
                own = INT32(abi.WRITEABLE | abi.OWNS_DATA)  # (without gaps it is: that was checked when it was read)
                flags = b.and_(o.field(array, o.fields.flags, INT32), own)
                o.need(b.icmp_signed("==", flags, own), new)
                o.fill(target, o.field(array, o.fields.elements))
                b.branch(done)
            else:
                b.branch(new)
            b.position_at_end(new)
            made = o.new_array(change.like)
            o.need(o.is_there(made), refused)
            o.fill(target, o.field(made, o.fields.elements))
            o.fill(self._slots.first_new + place, o.new_tensor(made, change.variable._id))
            b.branch(done)
            b.position_at_end(done)
        b.ret(INT32(DONE))
        return function

    def store(self, o: Objects) -> None:
        """Give variables the new values that are not in their memory already."""
        for place, change in enumerate(self._changes):
            new = o.slot(self._slots.first_new + place)
            with o.b.if_then(o.is_there(new)):
                o.call("PyObject_SetAttr", INT32, o.thing(change.variable), o.thing("_value"), new)

    def release(self, o: Objects, taken: Any) -> None:
        """Release the locks, then give back the values: what is freed may run code of the user."""
        if self._locks:
            methods = o.methods_of_locks(self._changed, "release")
            with loop(o.b, 0, Number(o.b, o.b.load(taken, typ=INT64))) as place:
                o.give_back(o.call("PyObject_CallNoArgs", POINTER, o.element(methods, place.value)))
        first, last = self._slots.first_value, self._slots.first_array
        if last > first:
            with loop(o.b, first, last) as place:
                o.give_back(o.element(o.slots, place.value))
