"""What gradtape relies on inside of CPython and NumPy, beyond what they promise to programs in Python.

Each reliance is one function here that says what it takes for granted. It is tried once, at its first use. Where the
trial fails (another interpreter, another NumPy) there is one notice, and the slow way is taken, which gives the same results.

    reads_elements()      the address of an array's elements is read from the array's memory    else: NumPy is asked for it
    makes_ufuncs()        machine code becomes a ufunc                                          else: NumPy runs the text
    sets_allocators()     NumPy's arrays get memory from our functions                          else: from NumPy's own
    counts_holders()      reference counts say who else holds an object                         else: all are assumed to be held
    multiplies()          NumPy's OpenBLAS is called from machine code                          else: NumPy multiplies
    calls_inner_loops()   machine code calls the inner loops of NumPy's ufuncs                  else: programs call ufuncs
    reads_counts()        machine code reads the counts that say who holds an object           else: all are assumed to be held
    orders_lines()        machine code calls what NumPy sorts a line of elements with           else: programs call NumPy
    makes_functions()     machine code is called as a function of Python, and makes arrays      else: programs call ufuncs
    calls_objects_directly()  (callables.py) an object is called in machine code                else: through `__call__` in Python
    exports_memory()      a class gets `__buffer__` in Python 3.11, where the language has none else: `memoryview(x.numpy())`

Each is a `Reliance` (base/reliance.py). What is asked of the bytecode of a frame is one too, in base/frames.py. What Python's
language reference allows needs no other way: `become`, and the `__code__` of an entry (op/entry.py).
"""

from __future__ import annotations

import ctypes
import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..base.reliance import otherwise as _otherwise

_LASTING: list[Any] = []  # NumPy keeps addresses of these


def _is_cpython() -> bool:
    """Whether `id` is an address, at which an object begins with a count and a type."""
    return sys.implementation.name == "cpython"


def keep_for_ever(thing: object) -> None:
    """Never free it, not even when the interpreter ends. (`Py_IncRef` is part of Python's stable interface.)"""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))


# --- the elements of arrays --------------------------------------------------------------------------------------------------


@_otherwise("Kernels get the addresses of arrays from NumPy, which takes longer.")
def reads_elements() -> bool:
    """An array's memory begins with what every object begins with, and then has the address of the first element.

    Reading it takes a quarter of the time of asking NumPy for it. The head of an object has another size in a free-threaded
    interpreter; `object.__basicsize__` is that of the one that runs.
    """
    matrix = np.zeros((3, 4))
    samples = [matrix, matrix[1:, ::2], matrix.T, np.array(1.0), np.empty(0, np.int8), np.frombuffer(b"12", np.uint8)]
    return _is_cpython() and all(_read_address(array) == _asked_address(array) for array in samples)


def address_of(array: Any) -> int:
    """The address of an array's first element."""
    return _read_address(array) if reads_elements._holds or reads_elements() else _asked_address(array)


def reference() -> Callable[[Any], int]:
    """What makes the word that stands for an array in the arguments of a kernel: `id`, or `address_of`."""
    return id if reads_elements() else address_of


def elements_at() -> int | None:
    """How many bytes behind the word of `reference` the elements' address stands; None if the word is that address itself."""
    return _HEAD if reads_elements() else None


_HEAD: int = getattr(object, "__basicsize__", 0)  # (not every interpreter has it)


def _read_address(array: Any) -> int:
    return ctypes.c_int64.from_address(id(array) + _HEAD).value


def _asked_address(array: Any) -> int:
    return int(array.__array_interface__["data"][0])


# --- NumPy's tables of functions ---------------------------------------------------------------------------------------------

_ABI_VERSION = 0x0200_0000  # of NumPy 2: as long as it is this one, functions keep their places in the tables
_ABI_VERSION_AT = 0  # PyArray_GetNDArrayCVersion in the table of arrays
_SET_HANDLER_AT, _GET_HANDLER_AT = 304, 305  # PyDataMem_SetHandler, PyDataMem_GetHandler there
_MAKE_UFUNC_AT = 1  # PyUFunc_FromFuncAndData in the table of ufuncs
_HANDLER = b"mem_handler"  # the name of capsules that hold a handler


def _function_at(place: int, kind: Any, table: str = "_ARRAY_API") -> Any:
    """A function of NumPy's C interface, as a C compiler would find it."""
    from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

    functions = ctypes.cast(_inside(getattr(_multiarray_umath, table), None), ctypes.POINTER(ctypes.c_void_p))
    return kind(functions[place] or 0)


def _has_known_tables() -> bool:
    return _is_cpython() and _function_at(_ABI_VERSION_AT, ctypes.PYFUNCTYPE(ctypes.c_uint))() == _ABI_VERSION


def _inside(capsule: Any, name: bytes | None) -> int:
    read = ctypes.pythonapi.PyCapsule_GetPointer
    read.restype, read.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return int(read(capsule, name))


# --- ufuncs of machine code --------------------------------------------------------------------------------------------------


@_otherwise("NumPy computes elementwise functions step by step, which takes longer on large arrays.")
def makes_ufuncs() -> bool:
    """NumPy's table of ufunc functions has PyUFunc_FromFuncAndData at its known position.

    What it makes is tried with an inner loop in Python, on elements with gaps between them.
    """
    if not _has_known_tables():
        return False
    integer, pointer = ctypes.c_int64, ctypes.c_void_p

    def loop(arrays: Any, count: Any, strides: Any, _: Any) -> None:
        for k in range(count[0]):
            given, result = (integer.from_address(arrays[a] + k * strides[a]) for a in (0, 1))
            result.value = 3 * given.value

    words = ctypes.POINTER(integer)
    entry = ctypes.CFUNCTYPE(None, words, words, words, pointer)(loop)
    _LASTING.append(entry)
    int64 = np.dtype(np.int64)
    tripled = new_ufunc("tripled", ctypes.cast(entry, pointer).value or 0, [int64], [int64])
    return bool(np.array_equal(tripled(np.arange(10)[::3]), [0, 9, 18, 27]))


def new_ufunc(name: str, address: int, inputs: Sequence[np.dtype[Any]], outputs: Sequence[np.dtype[Any]]) -> np.ufunc:
    """A ufunc with one inner loop, which is the function at `address` (`makes_ufuncs` says whether this can be done)."""
    loops = (ctypes.c_void_p * 1)(address)
    data = (ctypes.c_void_p * 1)(None)
    kinds = bytes(dtype.num for dtype in [*inputs, *outputs])
    text = ctypes.create_string_buffer(kinds, len(kinds))
    label = ctypes.create_string_buffer(name.encode())
    _LASTING.append((loops, data, text, label))
    pointer, number = ctypes.c_void_p, ctypes.c_int
    kind = ctypes.PYFUNCTYPE(
        ctypes.py_object, pointer, pointer, pointer, number, number, number, number, pointer, pointer, number
    )
    made = _function_at(_MAKE_UFUNC_AT, kind, "_UFUNC_API")(
        ctypes.addressof(loops), ctypes.addressof(data), ctypes.addressof(text), 1, len(inputs), len(outputs), -1,
        ctypes.addressof(label), None, 0,
    )  # fmt: skip
    assert isinstance(made, np.ufunc)
    return made


# --- the inner loops of NumPy's ufuncs ---------------------------------------------------------------------------------------


class _UfuncHead(ctypes.Structure):
    """What stands first in the memory of a ufunc, behind the head of an object."""

    _fields_ = (
        ("inputs", ctypes.c_int),
        ("outputs", ctypes.c_int),
        ("operands", ctypes.c_int),
        ("identity", ctypes.c_int),
        ("functions", ctypes.POINTER(ctypes.c_void_p)),
        ("data", ctypes.POINTER(ctypes.c_void_p)),
        ("loops", ctypes.c_int),
        ("reserved", ctypes.c_int),
        ("name", ctypes.c_char_p),
        ("kinds", ctypes.c_void_p),
    )


@functools.cache
def inner_loop(ufunc: np.ufunc, dtypes: tuple[np.dtype[Any], ...]) -> tuple[int, int] | None:
    """The address of the inner loop for these types, and that of what it is given (`calls_inner_loops` says whether to ask)."""
    head = _UfuncHead.from_address(id(ufunc) + _HEAD)
    wanted = bytes(dtype.num for dtype in dtypes)
    kinds = ctypes.string_at(head.kinds, head.loops * head.operands)
    for place in range(head.loops):
        if kinds[place * head.operands : (place + 1) * head.operands] == wanted:
            return head.functions[place] or 0, (head.data[place] or 0) if head.data else 0
    return None


def rounds_by_place(ufunc: np.ufunc, dtype: np.dtype[Any]) -> bool:
    """Whether one element has other last bits where NumPy goes through it without steps, as for a result written in place.

    NumPy's vectors round once in a product of complex numbers and the sum of it; its loop for strides of zero rounds twice.
    """
    return dtype.kind == "c" and ufunc in (np.multiply, np.square)


@_otherwise("Compiled functions on small arrays call NumPy for each op, which takes longer.")
def calls_inner_loops() -> bool:
    """A ufunc has its inner loops where `_UfuncHead` says, and they can be called as NumPy's C interface describes."""
    if not _has_known_tables() or not has_interpreter_lock():
        return False
    pointer, size = ctypes.c_void_p, ctypes.c_int64
    for ufunc, letter in ((np.tanh, "f"), (np.exp, "d"), (np.arctan2, "f"), (np.floor_divide, "l")):
        head = _UfuncHead.from_address(id(ufunc) + _HEAD)
        if (head.inputs, head.outputs, head.operands, head.loops) != (
            ufunc.nin, ufunc.nout, ufunc.nargs, ufunc.ntypes,
        ) or head.name.decode() != ufunc.__name__:  # fmt: skip
            return False
        arrays = [np.arange(1.0, 12.0).astype(letter) for _ in range(ufunc.nargs)]
        found = inner_loop(ufunc, tuple(array.dtype for array in arrays))
        if found is None:
            return False
        addresses = (pointer * len(arrays))(*(array.ctypes.data for array in arrays))
        strides = (size * len(arrays))(*(array.itemsize for array in arrays))
        expected = ufunc(*arrays[:-1])
        ctypes.CFUNCTYPE(None, pointer, pointer, pointer, pointer)(found[0])(
            addresses, ctypes.byref(size(len(expected))), strides, found[1] or None
        )
        if not np.array_equal(arrays[-1], expected):
            return False
    return True


# --- what a dtype does with a line of elements -------------------------------------------------------------------------------

_LINE_FUNCTIONS_AT = 365  # _PyDataType_GetArrFuncs in the table of arrays
_ARGMAX_AT, _SORT_AT, _STABLE_ORDER_AT, _ARGMIN_AT = 26, 33, 38, 46  # words of PyArray_ArrFuncs


class LineFunctions(NamedTuple):
    """Functions of NumPy's on elements without gaps, each by its address."""

    argmax: int  # int function(void *elements, intp count, intp *place, void *unused)
    argmin: int
    sort: int  # int function(void *elements, intp count, void *unused), in place; what is not zero is a failure
    order: int  # int function(void *elements, intp *places, intp count, void *unused): equal elements keep their order


@functools.cache
def line_functions(dtype: np.dtype[Any]) -> LineFunctions:
    """Those of a dtype of numbers (`orders_lines` says whether to ask)."""
    table = _function_at(_LINE_FUNCTIONS_AT, ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object))(dtype)
    words = ctypes.cast(table, ctypes.POINTER(ctypes.c_void_p))
    return LineFunctions(*(words[place] or 0 for place in (_ARGMAX_AT, _ARGMIN_AT, _SORT_AT, _STABLE_ORDER_AT)))


@_otherwise("Compiled functions call NumPy to sort, which takes longer.")
def orders_lines() -> bool:
    """A dtype's functions stand where these words say, and give what `np.sort`, `np.argmax` and relatives do."""
    if not _has_known_tables():
        return False
    pointer, size = ctypes.c_void_p, ctypes.c_int64
    for letter in "fdlB":
        line = np.array([3, 7, 1, 7, 1, 0, 2, 9, 9, 4], letter)
        found = line_functions(line.dtype)
        if not all(found):
            return False
        place = size()
        for address, expected in ((found.argmax, np.argmax(line)), (found.argmin, np.argmin(line))):
            extreme = ctypes.CFUNCTYPE(ctypes.c_int, pointer, size, pointer, pointer)(address)
            if extreme(line.ctypes.data, line.size, ctypes.addressof(place), None) or place.value != expected:
                return False
        ordered, places = line.copy(), np.arange(line.size)
        sort = ctypes.CFUNCTYPE(ctypes.c_int, pointer, size, pointer)(found.sort)
        order = ctypes.CFUNCTYPE(ctypes.c_int, pointer, pointer, size, pointer)(found.order)
        if sort(ordered.ctypes.data, line.size, None) or order(line.ctypes.data, places.ctypes.data, line.size, None):
            return False
        if not np.array_equal(ordered, np.sort(line)) or not np.array_equal(places, np.argsort(line, kind="stable")):
            return False
    return True


# --- LAPACK, as NumPy calls it -----------------------------------------------------------------------------------------------

_INVALID = 0x01  # FE_INVALID of <fenv.h>, on x86 and ARM


@_otherwise("Compiled functions on small arrays call NumPy for each matrix function, which takes longer.")
def calls_matrix_functions() -> bool:
    """`np.linalg` has generalised ufuncs whose loops call LAPACK, and note a failure as an invalid floating-point number."""
    solve, inverse = matrix_function("solve"), matrix_function("inv")
    if solve is None or inverse is None or not calls_inner_loops():
        return False
    pointer, size = ctypes.c_void_p, ctypes.c_int64
    number = np.dtype(np.float64)
    found = inner_loop(inverse, (number, number))
    if found is None:
        return False
    run = ctypes.CFUNCTYPE(None, pointer, pointer, pointer, pointer)(found[0])
    clear, test = (
        ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(address_of_library(name))
        for name in ("feclearexcept", "fetestexcept")
    )
    for matrix, fails in ((np.array([[2.0, 0.0], [0.0, 4.0]]), False), (np.ones((2, 2)), True)):
        result = np.empty((2, 2))
        addresses = (pointer * 2)(matrix.ctypes.data, result.ctypes.data)
        clear(_INVALID)
        run(addresses, (size * 2)(1, 2), (size * 6)(0, 0, 16, 8, 16, 8), found[1] or None)
        if bool(test(_INVALID)) is not fails or not (fails or np.array_equal(result, np.diag([0.5, 0.25]))):
            return False
    clear(_INVALID)
    return True


def matrix_function(name: str) -> np.ufunc | None:
    """The generalised ufunc behind a function of `np.linalg`."""
    found = getattr(getattr(np.linalg, "_umath_linalg", None), name, None)
    return found if isinstance(found, np.ufunc) and address_of_library("fetestexcept") else None


def clip_ufunc() -> np.ufunc | None:
    """The ufunc behind `np.clip`."""
    found = getattr(getattr(getattr(np, "_core", None), "umath", None), "clip", None)
    return found if isinstance(found, np.ufunc) else None


@functools.cache
def address_of_library(name: str) -> int:
    """A function of the C library; 0 where there is none."""
    try:
        return ctypes.cast(getattr(ctypes.CDLL(None), name), ctypes.c_void_p).value or 0
    except (OSError, TypeError, AttributeError):
        return 0


# --- machine code as functions of Python -------------------------------------------------------------------------------------


class _MethodDef(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


class Table(np.ndarray[Any, Any]):
    """Addresses that a function in machine code uses: an array that keeps alive what they belong to."""

    kept: list[Any]


# METH_FASTCALL | METH_KEYWORDS: the function gets itself, the address of its arguments, the number of those without names, and a
# tuple of the names of the others, or nothing.
_FASTCALL = 0x82


def new_table(addresses: Sequence[int], kept: Sequence[Any]) -> Table:
    """A table of addresses, with the objects that must live as long."""
    table = np.array(addresses, np.int64).view(Table)
    table.kept = list(kept)
    return table


def new_function(name: str, address: int, table: Table) -> Any:
    """A function of Python that is the machine code at an address; it is given the table as its `self`."""
    definition = _MethodDef(name.encode(), address, _FASTCALL, None)
    table.kept.append(definition)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    return make(ctypes.addressof(definition), table, None)


def address_of_function(name: str) -> int:
    """A function of CPython's C interface."""
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0


_NEW_ARRAY_AT = 94  # PyArray_NewFromDescr in the table of arrays


def address_of_new_array() -> int:
    """PyArray_NewFromDescr of NumPy's C interface."""
    return int(_function_at(_NEW_ARRAY_AT, ctypes.c_void_p).value or 0)


class ArrayFields(NamedTuple):
    """Where an array's memory has what a function asks of it, in bytes."""

    elements: int
    axes: int
    sizes: int
    strides: int
    base: int
    dtype: int
    flags: int


def array_fields() -> ArrayFields:
    """The fields of PyArrayObject, behind the head of an object."""
    return ArrayFields(*(_HEAD + 8 * word for word in range(7)))


C_CONTIGUOUS, OWNS_DATA, ALIGNED, WRITEABLE = 0x1, 0x4, 0x100, 0x400  # flags of an array


def slot_offset(descriptor: Any) -> int:
    """Where an object has the field of a `__slots__` descriptor: PyMemberDescrObject points to a PyMemberDef, which says it."""
    member = ctypes.c_int64.from_address(id(descriptor) + _HEAD + 24).value
    return ctypes.c_int64.from_address(member + 16).value


class _Slotted:
    __slots__ = ("__dict__", "__weakref__", "first", "second")

    first: object
    second: object


@_otherwise("Compiled functions on small arrays are called through Python, which takes longer.")
def makes_functions() -> bool:
    """PyMethodDef, the fields of arrays and those of objects with `__slots__` lie where they are said to."""
    if not _has_known_tables() or not has_interpreter_lock():
        return False
    fields, array = array_fields(), np.zeros((3, 4), np.float32)[::2]
    word, number = ctypes.c_int64.from_address, ctypes.c_int.from_address
    sizes, strides = (word(id(array) + place).value for place in (fields.sizes, fields.strides))
    found = (
        number(id(array) + fields.axes).value, word(sizes).value, word(sizes + 8).value, word(strides).value,
        word(id(array) + fields.base).value, word(id(array) + fields.dtype).value,
        number(id(array) + fields.flags).value & (C_CONTIGUOUS | ALIGNED),
    )  # fmt: skip
    if found != (2, 2, 4, 32, id(array.base), id(array.dtype), ALIGNED):
        return False
    scalar = np.float32(1.5)
    if ctypes.c_float.from_address(id(scalar) + _HEAD).value != 1.5:
        return False
    slotted = _Slotted()
    slotted.first, slotted.second = [], {}
    for name in ("first", "second"):
        if word(id(slotted) + slot_offset(_Slotted.__dict__[name])).value != id(getattr(slotted, name)):
            return False

    def twice(own: Any, given: Any, count: int, names: Any) -> Any:
        return [ctypes.cast(given[0], ctypes.py_object).value] * 2 if count == 1 and not names else own

    kind = ctypes.PYFUNCTYPE(
        ctypes.py_object, ctypes.py_object, ctypes.POINTER(ctypes.c_void_p), ctypes.c_int64, ctypes.c_void_p
    )
    entry = kind(twice)
    _LASTING.append(entry)
    table = new_table([1], [])
    function = new_function("twice", ctypes.cast(entry, ctypes.c_void_p).value or 0, table)
    return function(slotted) == [slotted, slotted] and function() is table and function(first=slotted) is table


# --- memory for arrays -------------------------------------------------------------------------------------------------------


class Allocator(ctypes.Structure):
    """NumPy's PyDataMem_Handler: functions that give memory for arrays, and take it back."""

    _fields_ = (
        ("name", ctypes.c_char * 127),
        ("version", ctypes.c_uint8),
        ("context", ctypes.c_void_p),
        ("malloc", ctypes.c_void_p),
        ("calloc", ctypes.c_void_p),
        ("realloc", ctypes.c_void_p),
        ("free", ctypes.c_void_p),
    )


@_otherwise("Arrays do not begin on whole lines of the cache, and ops on large ones take longer.")
def sets_allocators() -> bool:
    """NumPy's table of array functions has those that get and set a thread's handler at their known positions,
    and a handler has the fields of `Allocator`."""
    from numpy._core import multiarray

    if not _has_known_tables():
        return False
    own = allocator()
    known = own.name.decode(), own.version
    given = own.malloc, own.calloc, own.realloc, own.free
    return known == (multiarray.get_handler_name(), multiarray.get_handler_version()) and all(given)


def allocator() -> Allocator:
    """What this thread's arrays get their memory from."""
    capsule = _function_at(_GET_HANDLER_AT, ctypes.PYFUNCTYPE(ctypes.py_object))()
    return Allocator.from_address(_inside(capsule, _HANDLER))


def set_allocator(capsule: Any) -> Any:
    """Have this thread's arrays get memory from what `allocator_capsule` made; returns what they had before, to be set again."""
    return _function_at(_SET_HANDLER_AT, ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object))(capsule)


def allocator_capsule(made: Allocator) -> Any:
    """An allocator as NumPy takes it. It stays for ever: arrays are freed until the very end, when modules are gone."""
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    for needed in (made, _HANDLER):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(needed))
    return make(ctypes.addressof(made), _HANDLER, None)


# --- reference counts --------------------------------------------------------------------------------------------------------


@_otherwise("Variables are given new memory with each change, which takes longer for large ones.")
def counts_holders() -> bool:
    """Every name, container, view and buffer that refers to an object adds one to its count, immediately.

    This holds where one thread runs at a time. Without the interpreter's lock, counts are not exact, and another thread may come
    to hold an object between the count and the action that relies on it.
    """
    if not has_interpreter_lock():
        return False
    arrays: list[Any] = [np.zeros(2)]
    things = [[arrays[0]]]
    alone = holders(things, arrays, 0)
    seen = []
    for hold in (lambda: things[0], lambda: arrays[0], lambda: arrays[0][:1], lambda: memoryview(arrays[0])):
        held = hold()
        seen.append(holders(things, arrays, 0))
        del held
        seen.append(holders(things, arrays, 0))
    value, memory = alone
    more = value, memory + 1
    return seen == [(value + 1, memory), alone, more, alone, more, alone, more, alone]


def holders(values: list[Any], arrays: list[Any], place: int) -> tuple[int, int]:
    """The counts of a value and of its array. Their values for an unshared object are measured, since interpreters differ."""
    return sys.getrefcount(values[place]), sys.getrefcount(arrays[place])


def all_holders(things: list[Any]) -> list[int]:
    """The counts of all things in a list."""
    return list(map(sys.getrefcount, things))


@_otherwise("Compiled functions give variables new memory with each change, which takes longer.")
def reads_counts() -> bool:
    """The count of an object is the first number of its memory."""
    if not counts_holders():
        return False
    things = [np.zeros(2)]
    count = ctypes.c_int32.from_address(id(things[0]))
    seen = [count.value]
    things.append(things[0])
    seen.append(count.value)
    things.pop()
    return [*seen, count.value] == [1, 2, 1]


def has_interpreter_lock() -> bool:
    """Whether one thread runs at a time. (Free-threaded interpreters may take the lock back when they import a module.)"""
    return bool(getattr(sys, "_is_gil_enabled", lambda: True)())


# --- objects that are called in machine code (callables.py has the trial) ------------------------------------------------------

_MEMBERS, _TRAVERSE, _CLEAR, _DEALLOC = 72, 71, 51, 52  # numbers of slots in CPython's typeslots.h
_VECTORCALL, _SUBCLASSES, _COLLECTED = 1 << 11, 1 << 10, 1 << 14  # flags of a type
_SIZE, _READ_ONLY = 19, 1  # the kind of a member, and its flag
_WORD = 8


class _TypeSlot(ctypes.Structure):
    """CPython's PyType_Slot."""

    _fields_ = (("number", ctypes.c_int), ("value", ctypes.c_void_p))


class _TypeSpec(ctypes.Structure):
    """CPython's PyType_Spec."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("bytes", ctypes.c_int),
        ("item_bytes", ctypes.c_int),
        ("flags", ctypes.c_uint),
        ("slots", ctypes.c_void_p),
    )


class _TypeMember(ctypes.Structure):
    """CPython's PyMemberDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("kind", ctypes.c_int),
        ("place", ctypes.c_ssize_t),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


def type_with_words(cls: type) -> type:
    """A subclass whose objects have two more words: the address that is called, and that of a table for it."""
    place: int = cls.__basicsize__
    members = (_TypeMember * 2)(_TypeMember(b"__vectorcalloffset__", _SIZE, place, _READ_ONLY, None))
    of_class = ctypes.pythonapi.PyType_GetSlot
    of_class.restype, of_class.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_int]
    inherited = [_TypeSlot(number, of_class(cls, number)) for number in (_TRAVERSE, _CLEAR, _DEALLOC)]
    slots = (_TypeSlot * 5)(_TypeSlot(_MEMBERS, ctypes.addressof(members)), *inherited)
    name = f"{cls.__module__}.{cls.__qualname__}".encode()
    flags = _VECTORCALL | _SUBCLASSES | _COLLECTED
    spec = _TypeSpec(name, place + 2 * _WORD, 0, flags, ctypes.addressof(slots))
    keep_for_ever((members, slots, name, spec))
    make = ctypes.pythonapi.PyType_FromSpecWithBases
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object]
    made: type = make(ctypes.addressof(spec), (cls,))
    made.__doc__ = cls.__doc__
    return made


def set_words(thing: object, address: int, table: int) -> None:
    """Fill the two words of an object whose type `type_with_words` has made."""
    place = type(thing).__basicsize__ - 2 * _WORD
    ctypes.c_int64.from_address(id(thing) + place + _WORD).value = table
    ctypes.c_int64.from_address(id(thing) + place).value = address


def bytes_of(cls: type) -> int:
    """How long an object of a class is, without what a subclass adds."""
    return cls.__basicsize__


def word_at(thing: object, place: int) -> int:
    """The word so many bytes into an object."""
    return ctypes.c_int64.from_address(id(thing) + place).value


# --- NumPy's OpenBLAS --------------------------------------------------------------------------------------------------------


class OpenBLAS(NamedTuple):
    """The library that NumPy multiplies matrices with."""

    threads: int
    set_threads: Any
    products: dict[str, int]  # addresses by the letter of the type


@functools.cache
def openblas() -> OpenBLAS | None:
    """The OpenBLAS that NumPy's own packages bring, with 64-bit sizes; None with any other library."""
    files = _openblas_files() if sys.platform == "linux" else []
    if len(files) != 1:
        return None
    library = ctypes.PyDLL(files[0])  # (it keeps the interpreter's lock: setting a number takes no time)
    try:
        products = {"f": library.scipy_cblas_sgemm64_, "d": library.scipy_cblas_dgemm64_}
        threads, set_threads = library.scipy_openblas_get_num_threads64_(), library.scipy_openblas_set_num_threads64_
    except AttributeError:
        return None
    addresses = {letter: ctypes.cast(function, ctypes.c_void_p).value or 0 for letter, function in products.items()}
    return OpenBLAS(threads, set_threads, addresses)


def _openblas_files() -> list[str]:
    with open("/proc/self/maps", encoding="utf-8") as file:
        return sorted({line.split()[-1] for line in file if "libscipy_openblas64_" in line})


@_otherwise("NumPy multiplies matrices with threads of its own, which takes longer.")
def multiplies() -> bool:
    """Functions of these names take sizes of 64 bits, in the order of CBLAS."""
    library = openblas()
    assert library is not None
    a, b = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    for letter, number in (("f", ctypes.c_float), ("d", ctypes.c_double)):
        size, memory, flag = ctypes.c_int64, ctypes.c_void_p, ctypes.c_int
        kind = ctypes.CFUNCTYPE(
            None, flag, flag, flag, size, size, size, number, memory, size, memory, size, number, memory, size
        )
        left, right, result = a.astype(letter), b.astype(letter), np.zeros((2, 4), letter)
        kind(library.products[letter])(
            _ROWS, _AS_IT_IS, _AS_IT_IS, 2, 4, 3, 1.0, left.ctypes.data, 3, right.ctypes.data, 4, 0.0, result.ctypes.data, 4
        )  # fmt: skip
        if not np.array_equal(result, a @ b):
            return False
    return True


_ROWS, _AS_IT_IS = 101, 111  # CblasRowMajor and CblasNoTrans


# --- buffers -----------------------------------------------------------------------------------------------------------------

_BUFFER_SLOT_AT = 160  # tp_as_buffer in CPython 3.11's PyTypeObject: behind the head of an object, a size and 17 words
_GET_BUFFER = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p, ctypes.c_int)


def has_buffer_methods() -> bool:
    """Whether the language calls `__buffer__` itself (PEP 688; PyPy did so before)."""
    return sys.version_info >= (3, 12) or not _is_cpython()


@_otherwise("memoryview(x) of a tensor is a TypeError; write memoryview(x.numpy()).")
def exports_memory() -> bool:
    """A class in CPython 3.11 has two functions for buffers where `_BUFFER_SLOT_AT` says, and the first may be filled in.

    Classes that are written in C show whether the place is the right one, before a class of our own is changed.
    """
    if not _is_cpython() or sys.version_info[:2] != (3, 11):
        return False
    word = ctypes.c_void_p.from_address
    with_buffers = [word(id(cls) + _BUFFER_SLOT_AT).value for cls in (bytes, bytearray, memoryview, np.ndarray)]
    without = [word(id(cls) + _BUFFER_SLOT_AT).value for cls in (int, str, list, tuple, dict)]
    if any(without) or not all(with_buffers) or len(set(with_buffers)) != 4:
        return False

    class Exporter:
        def __buffer__(self, flags: int) -> memoryview:
            if flags & WRITABLE_BUFFER:
                raise BufferError
            return memoryview(b"1234").cast("B", (2, 2))

    own = _buffer_slot(Exporter)
    if own is None or own.value is not None:  # (in a class of Python the functions stand behind the type itself)
        return False
    own.value = _get_buffer_address()
    return memoryview(Exporter()).tolist() == [[49, 50], [51, 52]]  # type: ignore[comparison-overlap]


WRITABLE_BUFFER = 0x1  # PyBUF_WRITABLE: who asks wants to write


def export_memory(cls: type) -> None:
    """Have `memoryview` and all that takes buffers call the `__buffer__` of this class, also in Python 3.11.

    An error of `__buffer__` does not reach the caller there: a function of ctypes cannot hand one on. NumPy, and what takes
    memory to write to, have an error of their own; for others it is a SystemError.
    """
    if not has_buffer_methods() and exports_memory():
        slot = _buffer_slot(cls)
        assert slot is not None
        slot.value = _get_buffer_address()


def _buffer_slot(cls: type) -> ctypes.c_void_p | None:
    """The place of a class's bf_getbuffer."""
    functions = ctypes.c_void_p.from_address(id(cls) + _BUFFER_SLOT_AT).value or 0
    size: int = getattr(type, "__basicsize__", 0)
    inside = id(cls) < functions < id(cls) + size
    return ctypes.c_void_p.from_address(functions) if inside else None


@functools.cache
def _get_buffer_address() -> int:
    """A bf_getbuffer that asks `__buffer__`: the buffer of the memoryview that this gives."""
    ask = ctypes.pythonapi.PyObject_GetBuffer
    ask.restype, ask.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_void_p, ctypes.c_int]

    def get_buffer(exporter: Any, view: int, flags: int) -> int:
        try:
            return int(ask(exporter.__buffer__(flags), view, flags))
        except Exception:  # (ctypes would print it)
            return -1

    entry = _GET_BUFFER(get_buffer)
    _LASTING.append(entry)
    return ctypes.cast(entry, ctypes.c_void_p).value or 0


# --- classes -----------------------------------------------------------------------------------------------------------------


def become(thing: Any, cls: type) -> None:
    """Give an object another class.

    Python allows it between classes whose objects have the same fields in memory, and raises TypeError elsewhere: `cls` adds
    methods to the class that the object has, but no `__slots__`.
    """
    thing.__class__ = cls
