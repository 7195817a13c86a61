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
from llvmlite import ir

from ..base import context
from ..base.memory import CACHE_LINE
from . import abi, thresholds
from .abi import address_of
from .engine import compiled
from .language import INT64, Declared, Function, Number, memory_at, select


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
    symbols = {f"numpy_{name}": getattr(own, name) for name in ("malloc", "calloc", "free")}
    functions = compiled(_program(), "allocate", "zeros", "reallocate", "release", symbols=symbols)
    return abi.allocator_capsule(abi.Allocator(b"gradtape", own.version, own.context, *functions))


def _program() -> ir.Module:
    """The functions of the allocator. NumPy gives each of them the context of the allocator, which is that of NumPy's own.

    Addresses are whole numbers here. Sizes of 2**63 bytes and more are negative, and left to NumPy, which refuses them.
    """
    module, word, smallest = ir.Module("alignment"), INT64, thresholds.ALIGNED_BYTES
    numpy_malloc = Declared(module, "numpy_malloc", word, [word] * 2)
    numpy_calloc = Declared(module, "numpy_calloc", word, [word] * 3)
    numpy_free = Declared(module, "numpy_free", ir.VoidType(), [word] * 3)
    usable_size = Declared(module, "malloc_usable_size", word, [word])
    times = Declared(module, "llvm.umul.with.overflow.i64", ir.LiteralStructType([word, ir.IntType(1)]), [word] * 2)

    # The first line that begins inside of a block, with the block's address before it.
    line_in = Function(module, "line_in", word, [word], internal=True)
    (block,) = line_in.arguments
    with line_in.where(block == 0):
        line_in.give(0)
    line = (block + CACHE_LINE) & -CACHE_LINE
    memory_at(line, word).store(-1, block)
    line_in.give(line)

    # The block that memory lies in: one of ours, if its address stands before and is at most a line away; else the memory itself.
    block_of = Function(module, "block_of", word, [word], internal=True)
    (memory,) = block_of.arguments
    with block_of.where((memory & CACHE_LINE - 1 == 0) & (memory != 0)):
        block = memory_at(memory, word).load(-1)
        with block_of.where((memory - block > 0) & (memory - block <= CACHE_LINE)):
            block_of.give(block)
    block_of.give(memory)

    allocate = Function(module, "allocate", word, [word] * 2)
    b, (context, size) = allocate.builder, allocate.arguments
    with allocate.where(size < smallest):
        allocate.give(numpy_malloc(b, context, size))
    allocate.give(line_in(b, numpy_malloc(b, context, size + CACHE_LINE)))

    zeros = Function(module, "zeros", word, [word] * 3)
    b, (context, count, each) = zeros.builder, zeros.arguments
    size, too_much = (Number(b, b.extract_value(times(b, count, each).value, place)) for place in (0, 1))
    with zeros.where((size < smallest) | too_much):
        zeros.give(numpy_calloc(b, context, count, each))
    zeros.give(line_in(b, numpy_calloc(b, context, size + CACHE_LINE, zeros.number(1))))

    release = Function(module, "release", ir.VoidType(), [word] * 3)
    b, (context, memory, size) = release.builder, release.arguments
    block = block_of(b, memory)
    numpy_free(b, context, block, size + select(block != memory, release.number(CACHE_LINE), 0))
    release.give()

    reallocate = Function(module, "reallocate", word, [word] * 3)
    b, (context, memory, size) = reallocate.builder, reallocate.arguments
    new = allocate(b, context, size)
    with reallocate.where(new != 0):
        block = block_of(b, memory)
        present = usable_size(b, block) - (memory - block)
        kept = select(present < size, present, size)
        memory_at(new, ir.IntType(8)).copy(0, memory_at(memory, ir.IntType(8)), kept)
        numpy_free(
            b, context, block, reallocate.number(smallest)
        )  # (so much that NumPy does not keep it for another array)
    reallocate.give(new)
    return module
