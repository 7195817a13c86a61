"""Where the addresses of a native function's table come from, in words that another process understands.

Functions of NumPy and CPython are found by name, objects of ours by their place in `_OBJECTS`, and what belongs to the program
(constants, variables, functions that are called) by its place among the things that `identity.py` counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...native import abi, blas
from ...values.tensor import EagerTensor
from ...variables.in_place import locks_of

Origin = tuple[Any, ...]  # a word, then texts and whole numbers

AT_ONCE = (False,)  # the arguments of a lock that is only tried
_OBJECTS = (
    EagerTensor, np.ndarray, Exception, None, True, 0, "_value", AT_ONCE, np.matmul, blas.hold, blas.let_go,
)  # fmt: skip
_OURS: dict[int, Origin] = {id(thing): ("ours", place) for place, thing in enumerate(_OBJECTS)}
LATER: Origin = ("later",)  # filled in for each function of Python that is made
NEW_ARRAY: Origin = ("new array",)


class Unknown(Exception):
    """There is no such thing in this process."""


def python_function(name: str) -> tuple[int, Origin]:
    """A function of CPython's C interface."""
    return abi.address_of_function(name), ("python", name)


def library_function(name: str) -> tuple[int, Origin]:
    """A function of the C library."""
    return abi.address_of_library(name), ("library", name)


def line_function(dtype: np.dtype[Any], name: str) -> tuple[int, Origin]:
    """What a dtype does with a line of elements."""
    return getattr(abi.line_functions(dtype), name), ("line", dtype.char, name)


def of_object(thing: object) -> Origin | None:
    """An object that every process has: one of ours, a dtype, or the type of its scalars."""
    found = _OURS.get(id(thing))
    if found is None and isinstance(thing, np.dtype) and has_name(thing):
        return "dtype", thing.char
    if found is None and isinstance(thing, type) and issubclass(thing, np.generic):
        dtype = np.dtype(thing)
        return ("scalar", dtype.char) if dtype.type is thing and has_name(dtype) else None
    return found


def has_name(dtype: np.dtype[Any]) -> bool:
    """Whether a dtype is the one that NumPy gives for its letter."""
    return len(dtype.char) == 1 and dtype.char not in "OSUVMm" and np.dtype(dtype.char) is dtype


def methods_of_locks(
    variables: Sequence[Any], name: str, origin_of: Callable[[int], Origin | None]
) -> tuple[Origin | None, int, Any]:
    """Methods of the locks of variables, one after the other in memory: origin, address, and what has to be kept."""
    methods = [getattr(lock, name) for lock in locks_of(variables)]
    memory = np.array([id(method) for method in methods], np.int64)
    places = [origin_of(id(variable)) for variable in variables]
    origin = None if None in places else ("locks", name, *(place[-1] for place in places if place is not None))
    return origin, abi.address_of(memory), (memory, methods)


def found(origin: Sequence[Any], things: Sequence[Any]) -> tuple[int, Any]:
    """The address of that origin in this process, and what has to be kept for it. Raises Unknown where there is none."""
    word, *rest = origin
    if word == "thing":
        thing = things[rest[0]]
        return (abi.address_of(thing) if isinstance(thing, np.ndarray) else id(thing)), thing
    if word == "ours":
        return id(_OBJECTS[rest[0]]), _OBJECTS[rest[0]]
    if word in ("dtype", "scalar"):
        dtype = np.dtype(rest[0])
        kind: Any = dtype if word == "dtype" else dtype.type
        return id(kind), kind
    if word == "loop":
        whose, letters, place, has_data = rest
        ufunc = found(whose, things)[1]
        loop = abi.inner_loop(ufunc, tuple(map(np.dtype, letters)))
        if loop is None or bool(loop[1]) is not has_data:
            raise Unknown(f"the inner loop of {ufunc} for {letters}")
        return loop[place], None
    if word == "locks":
        _, address, kept = methods_of_locks([things[place] for place in rest[1:]], rest[0], lambda _: None)
        return address, kept
    address = 0
    if word == "python":
        (address, _) = python_function(*rest)
    elif word == "library":
        (address, _) = library_function(*rest)
    elif word == "line":
        (address, _) = line_function(np.dtype(rest[0]), rest[1])
    elif word == "new array":
        address = abi.address_of_new_array()
    elif word == "later":
        return 0, None
    if not address:
        raise Unknown(str(origin))
    return address, None
