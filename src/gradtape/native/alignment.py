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
from ..base.memory import CACHE_LINE
from . import abi, thresholds
from .abi import address_of
from .engine import compiled


def align_arrays() -> bool:
    """Have arrays of this thread, and of threads that begin later, lie on whole lines; whether they do."""
    if not _reads_before_blocks() or not abi.sets_allocators() or not _align_in_this_thread():
        return False
    context.THREAD_STARTS.append(_align_in_this_thread)
    return True


def _align_in_this_thread() -> bool:
    if abi.allocator().name != b"default_allocator":  # another allocator was chosen already
        return False
    before = abi.set_allocator(_capsule())
    if all(address_of(made(thresholds.ALIGNED_BYTES, np.int8)) % CACHE_LINE == 0 for made in (np.empty, np.zeros)):
        return True
    abi.set_allocator(before)
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
def _capsule() -> Any:
    """Our allocator, which has NumPy's own behind it, as NumPy takes it."""
    own = abi.allocator()
    text = _PROGRAM.replace("SMALLEST", str(thresholds.ALIGNED_BYTES)).replace("LINE", str(CACHE_LINE))
    symbols = {f"numpy_{name}": getattr(own, name) for name in ("malloc", "calloc", "free")}
    functions = compiled(text, "allocate", "zeros", "reallocate", "release", symbols=symbols)
    return abi.allocator_capsule(abi.Allocator(b"gradtape", own.version, own.context, *functions))


# NumPy gives each function the context of the allocator, which is that of NumPy's own.
_PROGRAM = """
declare ptr @numpy_malloc(ptr, i64)
declare ptr @numpy_calloc(ptr, i64, i64)
declare void @numpy_free(ptr, ptr, i64)
declare i64 @malloc_usable_size(ptr)
declare i64 @llvm.umin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare { i64, i1 } @llvm.umul.with.overflow.i64(i64, i64)

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

define ptr @allocate(ptr %context, i64 %size) {
  %small = icmp ult i64 %size, SMALLEST
  br i1 %small, label %as.before, label %on.line
as.before:
  %memory = call ptr @numpy_malloc(ptr %context, i64 %size)
  ret ptr %memory
on.line:
  %more = add i64 %size, LINE
  %block = call ptr @numpy_malloc(ptr %context, i64 %more)
  %line = call ptr @line_in(ptr %block)
  ret ptr %line
}

define ptr @zeros(ptr %context, i64 %count, i64 %each) {
  %product = call { i64, i1 } @llvm.umul.with.overflow.i64(i64 %count, i64 %each)
  %size = extractvalue { i64, i1 } %product, 0
  %too.much = extractvalue { i64, i1 } %product, 1
  %less = icmp ult i64 %size, SMALLEST
  %plain = or i1 %less, %too.much
  br i1 %plain, label %as.before, label %on.line
as.before:
  %memory = call ptr @numpy_calloc(ptr %context, i64 %count, i64 %each)
  ret ptr %memory
on.line:
  %more = add i64 %size, LINE
  %block = call ptr @numpy_calloc(ptr %context, i64 %more, i64 1)
  %line = call ptr @line_in(ptr %block)
  ret ptr %line
}

define void @release(ptr %context, ptr %memory, i64 %size) {
  %block = call ptr @block_of(ptr %memory)
  %ours = icmp ne ptr %block, %memory
  %added = select i1 %ours, i64 LINE, i64 0
  %whole = add i64 %size, %added
  call void @numpy_free(ptr %context, ptr %block, i64 %whole)
  ret void
}

define ptr @reallocate(ptr %context, ptr %memory, i64 %size) {
  %new = call ptr @allocate(ptr %context, i64 %size)
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
  call void @numpy_free(ptr %context, ptr %block, i64 SMALLEST) ; (so much that NumPy does not keep it for another array)
  br label %end
end:
  ret ptr %new
}
"""
