"""Native functions of the samples of ops, on memory with guards: who reads or writes beside an array ends the process.

python -m tests.ops.guarded END START STEP

Arguments end right before a page that nobody may touch, or (with END 0) begin right after one. Results do the same: NumPy gets
its memory from here meanwhile, and what is freed may not be touched again. Prints the name of each op before it runs, and then
how many there were.
"""

from __future__ import annotations

import ctypes
import mmap
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from gradtape.compile.codegen import python_of
from gradtape.extend import checks
from gradtape.native import abi

from .registry import all_ops
from .test_whole_samples import same_bits, samples_as_program

PAGE, NONE, BOTH = mmap.PAGESIZE, 0, mmap.PROT_READ | mmap.PROT_WRITE
_protect = ctypes.CDLL(None, use_errno=True).mprotect
_protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_KEPT: list[Any] = []
_PAGES: dict[int, tuple[int, int]] = {}  # by the address that was given: the pages, which are locked when it is freed


def room(size: int, at_end: bool) -> int:
    """The address of so many bytes between two guards, at the end or at the beginning of their pages."""
    pages = max(-(-size // PAGE), 1) * PAGE
    memory = mmap.mmap(-1, pages + 2 * PAGE)
    begin = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    _KEPT.append(memory)
    for guard in (begin, begin + PAGE + pages):
        if _protect(guard, PAGE, NONE):
            raise OSError(ctypes.get_errno(), "mprotect")
    address = begin + PAGE + (pages - size if at_end else 0)
    _PAGES[address] = begin + PAGE, pages
    return address


def placed(array: np.ndarray[Any, Any], at_end: bool) -> np.ndarray[Any, Any]:
    """A copy of an array between guards."""
    address = room(array.nbytes, at_end)
    memory = (ctypes.c_char * max(array.nbytes, 1)).from_address(address)
    result = np.frombuffer(memory, array.dtype, array.size).reshape(array.shape)
    result[...] = array
    return result


@contextmanager
def guarded_results(at_end: bool) -> Iterator[None]:
    """Arrays that are made meanwhile lie between guards."""
    address, size = ctypes.c_void_p, ctypes.c_size_t

    def free(_: Any, pointer: int, __: int) -> None:
        _protect(*_PAGES.pop(pointer), NONE)

    def resize(_: Any, pointer: int, count: int) -> int:
        made = room(count, at_end)
        begin, pages = _PAGES[pointer]
        ctypes.memmove(made, pointer, min(count, begin + pages - pointer))
        return made

    make = ctypes.CFUNCTYPE(address, address, size)(lambda _, count: room(count, at_end))
    zeros = ctypes.CFUNCTYPE(address, address, size, size)(lambda _, count, each: room(count * each, at_end))
    resized = ctypes.CFUNCTYPE(address, address, address, size)(resize)
    freed = ctypes.CFUNCTYPE(None, address, address, size)(free)
    _KEPT.extend((make, zeros, resized, freed))
    functions = [ctypes.cast(function, address) for function in (make, zeros, resized, freed)]
    own = abi.Allocator(b"guarded", 1, None, *functions)
    before = abi.set_allocator(abi.allocator_capsule(own))
    try:
        yield
    finally:
        abi.set_allocator(before)


def run(op: Any, at_end: bool) -> None:
    """The samples of an op as native functions, and the same as Python lines."""
    dtype = np.float32 if np.dtype(np.float32) in op.dtypes else checks.numeric_kind(op)
    program, arrays = samples_as_program(op, dtype)
    expected = python_of(program)(*arrays)
    native = python_of(program, whole=True)
    given = [placed(array, at_end) for array in arrays]
    with guarded_results(at_end):
        found = native(*given)
    for one, other in zip(found, expected, strict=True):
        same_bits(one, other)
    for one, array in zip(given, arrays, strict=True):
        same_bits(one, array)


if __name__ == "__main__":
    end, start, step = map(int, sys.argv[1:])
    ops = all_ops()[start::step]
    for each in ops:
        print(each.name, flush=True)
        run(each, bool(end))
    print(len(ops))
