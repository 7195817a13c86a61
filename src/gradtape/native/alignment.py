"""Memory for NumPy's arrays that begins on a whole line of the cache.

What malloc gives begins 16 bytes after such a line as a rule, and every vector that is stored crosses a border between two:
adding arrays of 32,768 floats takes 7.3 us, on whole lines 3.6 (docs/design/native.md). NumPy lets others allocate for it. These
functions ask its own for some bytes more, and begin on the next line; the word before it keeps the address that was given.
"""

from __future__ import annotations

import ctypes
import functools
import sys
from typing import Any

import numpy as np

from ..base import context
from . import thresholds
from .engine import address_of, compiled

_LINE = 64
_NAME = b"mem_handler"  # of capsules that hold a handler
_SET, _GET = 304, 305  # the places of PyDataMem_SetHandler and PyDataMem_GetHandler in NumPy's table of functions


class _Handler(ctypes.Structure):
    """NumPy's PyDataMem_Handler."""

    _fields_ = (
        ("name", ctypes.c_char * 127),
        ("version", ctypes.c_uint8),
        ("context", ctypes.c_void_p),
        ("malloc", ctypes.c_void_p),
        ("calloc", ctypes.c_void_p),
        ("realloc", ctypes.c_void_p),
        ("free", ctypes.c_void_p),
    )


def align_arrays() -> bool:
    """Have arrays of this thread, and of threads that begin later, lie on whole lines; whether they do."""
    if not _reads_before_blocks() or not _align_in_this_thread():
        return False
    context.THREAD_STARTS.append(_align_in_this_thread)
    return True


def _align_in_this_thread() -> bool:
    get, put = _functions()
    if _handler_in(get()).name != b"default_allocator":  # somebody made a choice
        return False
    before = put(_capsule())
    if all(address_of(made(thresholds.ALIGNED_BYTES, np.int8)) % _LINE == 0 for made in (np.empty, np.zeros)):
        return True
    put(before)
    return False


def _reads_before_blocks() -> bool:
    """Whether the word before a block of memory can be read: glibc keeps the block's size there."""
    if sys.platform != "linux":
        return False
    process = ctypes.CDLL(None)
    if not hasattr(process, "gnu_get_libc_version"):
        return False
    in_use, own = process.malloc, ctypes.CDLL("libc.so.6").malloc
    return ctypes.cast(in_use, ctypes.c_void_p).value == ctypes.cast(own, ctypes.c_void_p).value


@functools.cache
def _functions() -> tuple[Any, Any]:
    """NumPy's functions that give the handler of this thread, and set it."""
    from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

    table = ctypes.cast(_inside(_multiarray_umath._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))
    get = ctypes.PYFUNCTYPE(ctypes.py_object)(table[_GET] or 0)
    put = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(table[_SET] or 0)
    return get, put


def _inside(capsule: Any, name: bytes | None) -> int:
    read = ctypes.pythonapi.PyCapsule_GetPointer
    read.restype, read.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return int(read(capsule, name))


def _handler_in(capsule: Any) -> _Handler:
    return _Handler.from_address(_inside(capsule, _NAME))


@functools.cache
def _capsule() -> Any:
    """Our handler, which has NumPy's own behind it, as NumPy takes it."""
    get, _ = _functions()
    own = _handler_in(get())
    text = (
        _PROGRAM.replace("SMALLEST", str(thresholds.ALIGNED_BYTES))
        .replace("LINE", str(_LINE))
        .replace("CONTEXT", str(own.context or 0))
    )
    for name in ("malloc", "calloc", "free"):
        text = text.replace(name.upper(), str(getattr(own, name)))
    handler = _Handler(b"gradtape", own.version, None, *compiled(text, "allocate", "zeros", "reallocate", "release"))
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    for needed in (handler, _NAME):  # arrays are freed until the very end of the process, when modules are gone
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(needed))
    return make(ctypes.addressof(handler), _NAME, None)


_PROGRAM = """
declare i64 @malloc_usable_size(ptr)
declare i64 @llvm.umin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare { i64, i1 } @llvm.umul.with.overflow.i64(i64, i64)

define internal ptr @take(i64 %size) {
  %malloc = inttoptr i64 MALLOC to ptr
  %context = inttoptr i64 CONTEXT to ptr
  %block = call ptr %malloc(ptr %context, i64 %size)
  ret ptr %block
}

define internal void @give_back(ptr %block, i64 %size) {
  %free = inttoptr i64 FREE to ptr
  %context = inttoptr i64 CONTEXT to ptr
  call void %free(ptr %context, ptr %block, i64 %size)
  ret void
}

; The first line that begins inside of a block, with the block's address before it.
define internal ptr @line_in(ptr %block) {
  %address = ptrtoint ptr %block to i64
  %none = icmp eq i64 %address, 0
  br i1 %none, label %nothing, label %found
nothing:
  ret ptr null
found:
  %up = add i64 %address, LINE
  %whole = and i64 %up, -LINE
  %line = inttoptr i64 %whole to ptr
  %word = getelementptr i64, ptr %line, i64 -1
  store i64 %address, ptr %word
  ret ptr %line
}

; The block that memory lies in: one of ours, if its address stands before and is less than a line away; else the memory itself.
define internal ptr @block_of(ptr %memory) {
  %address = ptrtoint ptr %memory to i64
  %whole = and i64 %address, -LINE
  %aligned = icmp eq i64 %whole, %address
  %some = icmp ne i64 %address, 0
  %possible = and i1 %aligned, %some
  br i1 %possible, label %look, label %not.ours
look:
  %word = getelementptr i64, ptr %memory, i64 -1
  %block = load i64, ptr %word
  %distance = sub i64 %address, %block
  %less = sub i64 %distance, 1
  %ours = icmp ult i64 %less, LINE
  br i1 %ours, label %found, label %not.ours
found:
  %result = inttoptr i64 %block to ptr
  ret ptr %result
not.ours:
  ret ptr %memory
}

define ptr @allocate(ptr %unused, i64 %size) {
  %small = icmp ult i64 %size, SMALLEST
  br i1 %small, label %as.before, label %on.line
as.before:
  %memory = call ptr @take(i64 %size)
  ret ptr %memory
on.line:
  %more = add i64 %size, LINE
  %block = call ptr @take(i64 %more)
  %line = call ptr @line_in(ptr %block)
  ret ptr %line
}

define ptr @zeros(ptr %unused, i64 %count, i64 %each) {
  %calloc = inttoptr i64 CALLOC to ptr
  %context = inttoptr i64 CONTEXT to ptr
  %product = call { i64, i1 } @llvm.umul.with.overflow.i64(i64 %count, i64 %each)
  %size = extractvalue { i64, i1 } %product, 0
  %too.much = extractvalue { i64, i1 } %product, 1
  %less = icmp ult i64 %size, SMALLEST
  %plain = or i1 %less, %too.much
  br i1 %plain, label %as.before, label %on.line
as.before:
  %memory = call ptr %calloc(ptr %context, i64 %count, i64 %each)
  ret ptr %memory
on.line:
  %more = add i64 %size, LINE
  %block = call ptr %calloc(ptr %context, i64 %more, i64 1)
  %line = call ptr @line_in(ptr %block)
  ret ptr %line
}

define void @release(ptr %unused, ptr %memory, i64 %size) {
  %block = call ptr @block_of(ptr %memory)
  %ours = icmp ne ptr %block, %memory
  %added = select i1 %ours, i64 LINE, i64 0
  %whole = add i64 %size, %added
  call void @give_back(ptr %block, i64 %whole)
  ret void
}

define ptr @reallocate(ptr %unused, ptr %memory, i64 %size) {
  %new = call ptr @allocate(ptr %unused, i64 %size)
  %none = icmp eq ptr %new, null
  br i1 %none, label %end, label %copy
copy:
  %block = call ptr @block_of(ptr %memory)
  %usable = call i64 @malloc_usable_size(ptr %block)
  %from = ptrtoint ptr %block to i64
  %to = ptrtoint ptr %memory to i64
  %before = sub i64 %to, %from
  %present = sub i64 %usable, %before
  %count = call i64 @llvm.umin.i64(i64 %present, i64 %size)
  call void @llvm.memcpy.p0.p0.i64(ptr %new, ptr %memory, i64 %count, i1 false)
  call void @give_back(ptr %block, i64 SMALLEST) ; (so much that NumPy does not keep it for another array)
  br label %end
end:
  ret ptr %new
}
"""
