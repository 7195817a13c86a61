"""Memory as a native function sees it: where buffers begin, loops over views, loads and stores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
from llvmlite import ir

from ...native import abi
from ...native.language import INT64, POINTER, _Callee, loop
from . import origins
from .origins import LATER, Origin
from .steps import Buffer, Shape, View
from .texts import BYTE, element_of, stored_as

Place = Any  # a number of bytes: Python's, or one that the function computes


def i64(value: int) -> ir.Constant:
    return ir.Constant(INT64, value)


def untyped(pointer: Any) -> Any:
    """(llvmlite still gives the addresses that it makes a type, which those in LLVM no longer have.)"""
    pointer.type = POINTER
    return pointer


class Table:
    """The addresses that a function is given: functions of others, constants, objects. None of them is part of its text.

    `origin_of` says where the address of a thing comes from that belongs to the program.
    """

    def __init__(self, origin_of: Callable[[int], Origin | None] | None = None) -> None:
        self.addresses: list[int] = []
        self.kept: list[Any] = []
        self.origins: list[Origin | None] = []  # where each comes from, in words for other processes
        self.origin_of = origin_of or (lambda address: None)
        self._places: dict[Any, int] = {}  # by origin, so that the text does not depend on which addresses are equal

    def add(self, address: int, kept: object = None, origin: Origin | None = None) -> int:
        """Add an address; its place."""
        self.addresses.append(address)
        self.kept.append(kept)
        self.origins.append(origin)
        return len(self.addresses) - 1

    def place(self, address: int, origin: Origin | None, kept: object = None) -> int:
        """Where an address stands in the table."""
        origin = origin or self.origin_of(address)
        found = self._places.get(origin or address)
        if found is None:
            found = self._places[origin or address] = self.add(address, kept, origin)
        return found

    def reserve(self) -> int:
        """A place for an address that is filled in later."""
        return self.add(0, None, LATER)

    def array(self, array: np.ndarray[Any, Any]) -> int:
        """Where the address of an array's first element stands."""
        return self.place(abi.address_of(array), None, array)

    def object(self, value: object) -> int:
        """Where an object stands."""
        return self.place(id(value), origins.of_object(value), value)


class Memory:
    """The buffers of a function that is being written."""

    def __init__(self, builder: ir.IRBuilder, table: Any, addresses: Table) -> None:
        self.b = builder
        self.table = table  # the table's address, in the function
        self.addresses = addresses
        self.begins: dict[Buffer, Any] = {}
        self.singly = False  # whether very few elements are computed one by one, not as a vector
        self._entries: dict[int, Any] = {}
        self._scratch: dict[int, Any] = {}

    def entry(self, place: int) -> Any:
        """An address of the table. (It is read where the function begins, so that it is there everywhere.)"""
        found = self._entries.get(place)
        if found is None:
            with self.b.goto_entry_block():
                slot = self.b.gep(self.table, [i64(place)], source_etype=POINTER)
                found = self._entries[place] = self.b.load(slot, typ=POINTER)
        return found

    def thing(self, value: object) -> Any:
        """An object of ours."""
        return self.entry(self.addresses.object(value))

    def begin(self, buffer: Buffer) -> Any:
        """Where a buffer begins."""
        found = self.begins.get(buffer)
        if found is None:  # a constant
            found = self.begins[buffer] = self.entry(self.addresses.array(buffer.array))
        return found

    def at(self, buffer: Buffer, place: Place) -> Any:
        """The address so many bytes behind the begin of a buffer."""
        begin = self.begin(buffer)
        if isinstance(place, int):
            return self.b.gep(begin, [i64(place)], source_etype=BYTE) if place else begin
        return self.b.gep(begin, [place], source_etype=BYTE)

    def function(self, name: str) -> Any:
        """The address of a function of CPython's."""
        return self.entry(self.addresses.place(*origins.python_function(name)))

    def call(self, name: str, result: Any, *arguments: Any) -> Any:
        """Call a function of CPython's."""
        return call_address(self.b, self.function(name), result, *arguments)

    # --- loads and stores ------------------------------------------------------------------------------------------

    def load(self, view: View, place: Place, stride: int, lanes: int) -> Any:
        """So many elements from a place on, `stride` bytes apart, as a vector (as a number, if it is one)."""
        kind, size = stored_as(view.dtype), view.dtype.itemsize
        if lanes == 1 or stride == 0:
            value = self._as_read(view, self.b.load(self.at(view.buffer, place), align=size, typ=kind))
            return value if lanes == 1 else self.spread(value, lanes)
        vector = ir.VectorType(kind, lanes)
        if stride == size:
            return self._as_read(view, self.b.load(self.at(view.buffer, place), align=size, typ=vector))
        value = ir.Constant(vector, ir.Undefined)
        for lane in range(lanes):
            one = self.b.load(self.at(view.buffer, self.sum(place, lane * stride)), align=size, typ=kind)
            value = self.b.insert_element(value, one, ir.Constant(ir.IntType(32), lane))
        return self._as_read(view, value)

    def store(self, view: View, place: Place, stride: int, lanes: int, value: Any) -> None:
        size = view.dtype.itemsize
        if view.dtype.kind == "b":
            value = self.b.zext(value, BYTE if lanes == 1 else ir.VectorType(BYTE, lanes))
        if lanes == 1 or stride == size:
            self.b.store(value, self.at(view.buffer, place), align=size)
            return
        for lane in range(lanes):
            one = self.b.extract_element(value, ir.Constant(ir.IntType(32), lane))
            self.b.store(one, self.at(view.buffer, self.sum(place, lane * stride)), align=size)

    def _as_read(self, view: View, value: Any) -> Any:
        return self.b.icmp_unsigned("!=", value, ir.Constant(value.type, None)) if view.dtype.kind == "b" else value

    def spread(self, value: Any, lanes: int) -> Any:
        """A vector that has the value in every lane."""
        kind, number = ir.VectorType(value.type, lanes), ir.IntType(32)
        one = self.b.insert_element(ir.Constant(kind, ir.Undefined), value, ir.Constant(number, 0))
        return self.b.shuffle_vector(
            one, ir.Constant(kind, ir.Undefined), ir.Constant(ir.VectorType(number, lanes), None)
        )

    def sum(self, place: Place, more: Place) -> Place:
        """The sum of two numbers of bytes."""
        if isinstance(place, int) and isinstance(more, int):
            return place + more
        if isinstance(more, int) and not more:
            return place
        if isinstance(place, int):
            place, more = more, place
        return self.b.add(place, i64(more) if isinstance(more, int) else more)

    def product(self, index: Any, stride: int) -> Place:
        """An index times a stride, in bytes."""
        if isinstance(index, int):
            return index * stride
        return self.b.mul(index, i64(stride)) if stride else 0

    # --- loops -----------------------------------------------------------------------------------------------------

    @contextmanager
    def over(self, sizes: Sequence[int], views: Sequence[View], strides: Sequence[Shape]) -> Iterator[list[Place]]:
        """Loops over axes of these sizes; the place of each view, in each round, by its strides along these axes."""
        with ExitStack() as stack:
            indices = [stack.enter_context(loop(self.b, 0, size)).value if size > 1 else 0 for size in sizes]
            places: list[Place] = []
            for view, steps in zip(views, strides, strict=True):
                place: Place = view.offset
                for index, stride in zip(indices, steps, strict=True):
                    place = self.sum(place, self.product(index, stride))
                places.append(place)
            yield places

    # --- functions of others ---------------------------------------------------------------------------------------

    def _of_loop(self, ufunc: np.ufunc, dtypes: Sequence[np.dtype[Any]], loop: tuple[int, int], place: int) -> Any:
        """An inner loop, or what it is given."""
        if not loop[place]:
            return ir.Constant(POINTER, None)
        whose = origins.of_object(ufunc) or self.addresses.origin_of(id(ufunc))
        letters = "".join(dtype.char for dtype in dtypes)
        origin = None if whose is None else ("loop", whose, letters, place, bool(loop[1]))
        return self.entry(self.addresses.place(loop[place], origin))

    def constants(self, numbers: Sequence[int]) -> Any:
        """Whole numbers in memory."""
        name = "numbers_" + "_".join(map(str, numbers)).replace("-", "m")
        found = self.b.module.globals.get(name)
        if found is None:
            kind = ir.ArrayType(INT64, len(numbers))
            found = ir.GlobalVariable(self.b.module, kind, name)
            found.initializer, found.global_constant, found.linkage = ir.Constant(kind, list(numbers)), True, "internal"
        return untyped(found)

    def call_loop(
        self,
        ufunc: np.ufunc,
        dtypes: Sequence[np.dtype[Any]],
        places: list[Any],
        sizes: Sequence[int],
        strides: Sequence[int],
    ) -> None:
        """Call an inner loop of NumPy's for operands of these types: `loop(addresses, sizes, strides, data)`."""
        loop = abi.inner_loop(ufunc, tuple(dtypes))
        assert loop is not None
        function, data = (self._of_loop(ufunc, dtypes, loop, place) for place in (0, 1))
        given = self._scratch.get(len(places))
        if given is None:
            with self.b.goto_entry_block():
                given = self._scratch[len(places)] = untyped(self.b.alloca(POINTER, size=i64(len(places))))
        for number, place in enumerate(places):
            self.b.store(place, self.b.gep(given, [i64(number)], source_etype=POINTER))
        kind = ir.FunctionType(ir.VoidType(), [POINTER] * 4)
        self.b.call(_Callee(function, kind), [given, self.constants(sizes), self.constants(strides), data])


def collapsed(shape: Shape, strides: Sequence[Shape]) -> tuple[list[int], list[list[int]]]:
    """Axes joined where all views allow it: the sizes, and the strides of each view. There is at least one axis."""
    sizes: list[int] = []
    steps: list[list[int]] = [[] for _ in strides]
    for axis in reversed(range(len(shape))):
        if shape[axis] == 1:
            continue
        here = [s[axis] for s in strides]
        if sizes and all(step == done[0] * sizes[0] for step, done in zip(here, steps, strict=True)):
            sizes[0] *= shape[axis]
            continue
        sizes.insert(0, shape[axis])
        for step, done in zip(here, steps, strict=True):
            done.insert(0, step)
    if not sizes:
        return [1], [[0] for _ in strides]
    return sizes, steps


def is_uniform(view: View) -> bool:
    """Whether all elements of a constant are one number."""
    array = view.buffer.array
    return view.buffer.kind == "constant" and (array.size == 1 or not any(array.strides))


def constant_of(view: View, lanes: int) -> Any:
    """The number that a uniform constant is, in every lane."""
    value = view.buffer.array.reshape(-1)[0] if view.buffer.array.size else 0
    kind = element_of(view.dtype)
    plain = ir.Constant(kind, float(value) if view.dtype.kind == "f" else int(value))
    return plain if lanes == 1 else ir.Constant(ir.VectorType(kind, lanes), [plain] * lanes)


def call_address(b: ir.IRBuilder, address: Any, result: Any, *arguments: Any) -> Any:
    """Call what begins at an address; `result` is None for a function that gives nothing."""
    kind = ir.FunctionType(result or ir.VoidType(), [argument.type for argument in arguments])
    return b.call(_Callee(address, kind), list(arguments))
