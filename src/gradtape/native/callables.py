"""Objects of a class that Python calls in machine code, without making a tuple and a dict of the arguments first.

CPython asks an object of a type with a "vectorcall" for an address in the object (PEP 590). A class written in Python has
none; but a type made by `PyType_FromSpecWithBases` on top of it can have one. `directly_callable` makes that type. As long as
an object of it has no address, its class's `__call__` is called, as ever. `call_directly` gives an object the address of
`_program`, which calls one attribute of the object, and `__call__` where that gives `NotImplemented`, or where somebody wants
to see each call.
"""

from __future__ import annotations

import ctypes
import functools
import sys
from collections.abc import Sequence
from typing import Any, TypeVar

from ..base.reliance import otherwise
from . import abi
from .engine import compiled

_Object = TypeVar("_Object")

_WORD = 8
_COUNT_MASK = (1 << 63) - 1  # the number of arguments has a flag in its highest bit
_MADE: dict[type, type] = {}  # the type of `directly_callable` for each class


@otherwise("Functions are called through Python, which takes longer.")
def calls_objects_directly() -> bool:
    """A type made on top of a class has a vectorcall, its objects are else like those of the class, and a set has its size where
    it is said to be."""
    if not abi.has_interpreter_lock() or not abi.reads_elements() or hasattr(sys, "gettotalrefcount"):
        return False  # (an interpreter made for finding errors wants `__call__` in C)

    class Sample:
        __slots__ = ("__dict__", "__weakref__", "word")

        def __init__(self, number: int) -> None:
            self.number = number

        def __call__(self, *given: object, **named: object) -> tuple[object, ...]:
            return "python", given, named

    def answer(thing: Any, given: Any, count: int, names: Any) -> Any:
        inside = ctypes.cast(given[0], ctypes.py_object).value
        return inside, count & _COUNT_MASK, ctypes.cast(names, ctypes.py_object).value if names else None

    words = [abi.word_at(one, _used_at()) for one in (set(), {1}, {1, 2, 3})]
    if words != [0, 1, 3]:
        return False
    kind = ctypes.PYFUNCTYPE(
        ctypes.py_object, ctypes.py_object, ctypes.POINTER(ctypes.c_void_p), ctypes.c_size_t, ctypes.c_void_p
    )
    entry = kind(answer)
    abi.keep_for_ever(entry)
    thing: Any = abi.type_with_words(Sample)(3)
    before = thing(1, b=2)
    abi.set_words(thing, ctypes.cast(entry, ctypes.c_void_p).value or 0, 0)
    during = thing("x", 1), thing("x", b=1)
    abi.set_words(thing, 0, 0)
    expected: Any = ("python", (1,), {"b": 2}), (("x", 2, None), ("x", 1, ("b",))), ("python", (), {})
    return (before, during, thing()) == expected and thing.__dict__ == {"number": 3} and isinstance(thing, Sample)


def _used_at() -> int:
    """Where a set has the number of its elements: behind its head, and the number of places that are taken."""
    return abi.bytes_of(object) + _WORD


def directly_callable(cls: type[_Object]) -> type[_Object]:
    """A subclass whose objects can be called by `call_directly`; the class itself where that is impossible."""
    made = _MADE.get(cls)
    if made is None:
        if not calls_objects_directly():
            return cls
        made = _MADE.setdefault(cls, abi.type_with_words(cls))
    return made


def call_directly(thing: Any, attribute: str, unless: Sequence[set[Any]]) -> None:
    """Have calls of an object go to an attribute of it, one of its class's `__slots__`, without Python in between.

    Args:
        thing: The object; nothing happens if its type was not made by `directly_callable`.
        attribute: What is called, unless it is None. Where it gives `NotImplemented`, `__call__` is called with the
            same arguments.
        unless: `__call__` is called as long as one of these has an element.
    """
    cls = type(thing).__mro__[1]
    if _MADE.get(cls) is type(thing):
        address, table = _machine_code(cls, attribute, tuple(map(_Same, unless)))
        abi.set_words(thing, address, abi.address_of(table))


def call_usually(thing: Any) -> None:
    """Undo `call_directly`."""
    if _MADE.get(type(thing).__mro__[1]) is type(thing):
        abi.set_words(thing, 0, 0)


class _Same:
    """An object that is looked up by its identity."""

    def __init__(self, thing: Any) -> None:
        self.thing = thing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.thing is self.thing

    def __hash__(self) -> int:
        return id(self.thing)


@functools.cache
def _machine_code(cls: type, attribute: str, unless: tuple[_Same, ...]) -> tuple[int, abi.Table]:
    """The address of `_program`, and the table for it."""
    module = _program(abi.bytes_of(cls) + _WORD, abi.slot_offset(cls.__dict__[attribute]), len(unless))
    (address,) = compiled(module, "called")
    things = ["__call__", None, NotImplemented, *(one.thing for one in unless)]
    return address, abi.new_table(list(map(id, things)), things)


def _program(table_at: int, attribute_at: int, sets: int) -> Any:
    """`called(thing, arguments, count, names)`; addresses are whole numbers here."""
    from llvmlite import ir

    # llvmlite is imported with the first function that has machine code
    from .language import INT64, Declared, Function, Number, Variable, memory_at

    module, word, nothing = ir.Module("callables"), INT64, ir.VoidType()
    vectorcall = Declared(module, "PyObject_Vectorcall", word, [word] * 4)
    method = Declared(module, "PyObject_VectorcallMethod", word, [word] * 4)
    size_of = Declared(module, "PyTuple_Size", word, [word])
    allocate, free = Declared(module, "PyMem_Malloc", word, [word]), Declared(module, "PyMem_Free", nothing, [word])
    no_memory = Declared(module, "PyErr_NoMemory", word, [])
    hold, let_go = (Declared(module, name, nothing, [word]) for name in ("Py_IncRef", "Py_DecRef"))
    called = Function(module, "called", word, [word] * 4)
    b, (thing, arguments, count, names) = called.builder, called.arguments

    def at(address: Number, place: int) -> Number:
        return memory_at(address + place, word).load(0)

    table = at(thing, table_at)
    call_name, none, not_implemented, *watched = (at(table, _WORD * place) for place in range(3 + sets))
    attribute = at(thing, attribute_at)
    usual = attribute != none
    for one in watched:
        usual = usual & (at(one, _used_at()) == 0)
    with called.where(usual):
        hold(b, attribute)
        result = vectorcall(b, attribute, arguments, count, names)
        let_go(b, attribute)
        with called.where(result != not_implemented):
            called.give(result)
        let_go(b, result)
    # A method takes its object before the arguments, in one piece of memory.
    total = Variable(b, count & _COUNT_MASK)
    with called.where(names != 0):
        total.set(total.get() + size_of(b, names))
    given = allocate(b, (total.get() + 1) * _WORD)
    with called.where(given == 0):
        called.give(no_memory(b))
    memory_at(given, word).store(0, thing)
    memory_at(given + _WORD, word).copy(0, memory_at(arguments, word), total.get())
    result = method(b, call_name, given, (count & _COUNT_MASK) + 1, names)
    free(b, given)
    called.give(result)
    return module
