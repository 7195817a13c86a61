"""NumPy's OpenBLAS, called from kernels: one thread of it on each of our threads.

OpenBLAS splits a product among threads of its own, which then poll for more work for 25 ms before they sleep: they hold the
cores that our kernels want in between, and two of our threads finish no sooner than one. So a large product is cut into parts
here, each core multiplies one with OpenBLAS told to use a single thread, and all large work shares one pool.
(Measured in docs/design/native.md.)
"""

from __future__ import annotations

import functools
import struct
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..base.dtypes import Array
from ..base.locks import on_fork
from ..base.threads import cores
from . import abi, engine, pool, thresholds
from .abi import OpenBLAS, address_of
from .engine import Kernel, strides_of

_TILE = 16  # rows and columns of a part are multiples of it, as the tiles of OpenBLAS are


@functools.cache
def _openblas() -> OpenBLAS | None:
    """The library, if it and we may use several threads."""
    library = _library()
    return library if library is not None and library.threads > 1 and cores() > 1 else None


@functools.cache
def _library() -> OpenBLAS | None:
    """The library itself, where it can be called from kernels."""
    return abi.openblas() if engine.available() and abi.openblas() is not None and abi.multiplies() else None


def product(a: Array, b: Array, out: Array | None = None) -> Array:
    """The product of matrices in the last two axes, of large ones on all cores."""
    size = a.size * b.shape[-1]
    library = _openblas() if size >= thresholds.BLAS_THREADS_MULTIPLICATIONS else None
    if library is None or a.dtype.char not in "fd":
        return a @ b if out is None else np.matmul(a, b, out=out)
    held = bool(_HOLDERS)
    if not held:
        library.set_threads(1)
    try:
        found = _on_all_cores(a, b, out) if size >= thresholds.PRODUCT_CORES_MULTIPLICATIONS else None
        if found is None:
            found = a @ b if out is None else np.matmul(a, b, out=out)
    finally:
        if not held:
            library.set_threads(library.threads)
    return found


_HOLDERS: list[int] = []  # the threads, one for each `hold` without its `let_go`


def hold() -> None:
    """Have OpenBLAS use a single thread until `let_go`."""
    library = _openblas()
    if library is not None:
        library.set_threads(1)
    _HOLDERS.append(threading.get_ident())


def let_go() -> None:
    """The end of what `hold` began."""
    _HOLDERS.remove(threading.get_ident())
    library = _openblas()
    if library is not None and not _HOLDERS:
        library.set_threads(library.threads)


def _forget_lost_holders() -> None:
    """Runs in a forked child, where the parent's threads will never call `let_go`."""
    _HOLDERS[:] = [holder for holder in _HOLDERS if holder == threading.get_ident()]


on_fork(after_in_child=_forget_lost_holders)


def can_post(multiplications: int, dtype: np.dtype[Any]) -> bool:
    """Whether a product can be left to other threads, and is large enough to gain from it."""
    if multiplications < thresholds.BLAS_THREADS_MULTIPLICATIONS or dtype.char not in "fd" or _openblas() is None:
        return False
    return pool.can_post() and abi.has_interpreter_lock()  # (the lock keeps two threads from posting at once)


def post(a: Array, b: Array, out: Array, add: bool, after: int) -> int:
    """Have `a @ b` written to `out`, or added to it, between `hold` and `let_go`; the number is that of `pool.post`."""
    plan = _plan(a.dtype, (a.shape, a.strides), (b.shape, b.strides), out.strides, add)
    assert plan is not None, "a result with gaps"
    if plan.copies[0]:
        a = np.ascontiguousarray(a)
    if plan.copies[1]:
        b = np.ascontiguousarray(b)
    arguments = plan.pack(address_of(a), address_of(b), address_of(out), *plan.after)
    return pool.post(plan.kernel, arguments, plan.size, plan.posted, after, (a, b, out))


def _on_all_cores(a: Array, b: Array, out: Array | None) -> Array | None:
    """The same, cut into parts; None where it cannot be."""
    if a.dtype != b.dtype or a.shape[-1] != b.shape[-2]:
        return None
    target = None if out is None else out.strides
    plan = _plan(a.dtype, (a.shape, a.strides), (b.shape, b.strides), target)
    if plan is None:
        return None
    if plan.copies[0]:
        a = np.ascontiguousarray(a)
    if plan.copies[1]:
        b = np.ascontiguousarray(b)
    result = np.empty(plan.shape, a.dtype) if out is None else out
    arguments = plan.pack(address_of(a), address_of(b), address_of(result), *plan.after)
    pool.run_parts(plan.kernel, arguments, plan.size, plan.length)
    return result


class _Plan(NamedTuple):
    """How arrays of certain shapes and strides are multiplied."""

    shape: tuple[int, ...]
    copies: tuple[bool, bool]  # whether a and b have gaps
    kernel: Kernel
    pack: Callable[..., bytes]
    after: tuple[int, ...]  # what comes after the addresses of the arrays
    size: int
    length: int  # of a part
    posted: int  # of a part of a product that is posted
    table: Array | None = None  # kept alive: its address is among the arguments


@functools.lru_cache(maxsize=1024)
def _plan(dtype: np.dtype[Any], a: _Look, b: _Look, target: tuple[int, ...] | None, add: bool = False) -> _Plan | None:
    """`target` are the strides of the result, if it is there already, and `add` whether it is added to."""
    itemsize = dtype.itemsize
    a_read, b_read = _as_blas_reads(a, itemsize), _as_blas_reads(b, itemsize)
    (*_, rows, inner), (*_, columns) = a[0], b[0]
    single = len(a[0]) == len(b[0]) == 2
    batch = () if single else np.broadcast_shapes(a[0][:-2], b[0][:-2])
    shape = (*batch, rows, columns)
    result = _as_blas_reads((shape, strides_of(shape, itemsize) if target is None else target), itemsize)
    if result.turned or result.copied:
        return None
    form = (a_read.turned, b_read.turned, inner, a_read.line, b_read.line, result.line, int(add))
    copies = a_read.copied, b_read.copied
    part, batches = _kernels(dtype.char)
    after: tuple[int, ...]
    if single:
        # Cut along the longer side.
        wide = columns > rows
        steps = (0, b_read.strides[1], itemsize) if wide else (a_read.strides[0], 0, result.strides[0])
        after = (*form, *steps, rows, columns, int(wide))
        size = max(rows, columns)
        shared = rows * columns * inner >= thresholds.PRODUCT_CORES_MULTIPLICATIONS
        posted = pool.part_length(size, _TILE, _TILE, 2) if shared else size
        return _Plan(shape, copies, part, _pack(after), after, size, pool.part_length(size, _TILE, _TILE, 1), posted)
    looks = [(a[0], a_read.strides), (b[0], b_read.strides), (shape, result.strides)]
    table = np.stack([_offsets(batch, *look) for look in looks], axis=1)
    after = (address_of(table), rows, columns, *form)
    size = len(table)
    return _Plan(shape, copies, batches, _pack(after), after, size, pool.part_length(size, 1), size, table)


def _pack(after: tuple[int, ...]) -> Callable[..., bytes]:
    return struct.Struct(f"{3 + len(after)}q").pack


_Look = tuple[tuple[int, ...], tuple[int, ...]]  # shape and strides


class _Read(NamedTuple):
    """How BLAS reads matrices: the strides, 1 if columns lie without gaps instead of rows, and the way from one to the next."""

    strides: tuple[int, ...]
    turned: int
    line: int
    copied: bool = False  # neither do


def _as_blas_reads(look: _Look, size: int) -> _Read:
    shape, strides = look
    down, right = strides[-2:]
    if right == size and down % size == 0 and down >= size * shape[-1]:
        return _Read(strides, 0, down // size)
    if down == size and right % size == 0 and right >= size * shape[-2]:
        return _Read(strides, 1, right // size)
    return _Read(strides_of(shape, size), 0, shape[-1], copied=True)


def _offsets(batch: tuple[int, ...], shape: tuple[int, ...], strides: tuple[int, ...]) -> Array:
    """For each product of a batch the bytes from the first element of an array on."""
    offsets = np.zeros(batch, np.int64)
    for axis, (length, stride) in enumerate(zip(reversed(shape[:-2]), reversed(strides[:-2]), strict=True)):
        if length > 1:
            offsets += (np.arange(length) * stride).reshape(-1, *(1,) * axis)
    return offsets.ravel()


@functools.cache
def _kernels(letter: str) -> tuple[Kernel, Kernel]:
    """One product from one row (or column) to another, and the products of a batch, by cblas_sgemm or cblas_dgemm."""
    library = _library()
    assert library is not None
    text = _PROGRAM.replace("NUMBER", {"f": "float", "d": "double"}[letter])
    symbols = {"cblas_gemm": library.products[letter]}
    return Kernel(text, "part", symbols), Kernel(text, "batch", symbols)


# `multiply` reads its `form`: whether a and b are turned, the inner size, the lines of a, b and the result, whether to add to it.
_PROGRAM = """
declare void @cblas_gemm(i32, i32, i32, i64, i64, i64, NUMBER, ptr, i64, ptr, i64, NUMBER, ptr, i64)

define internal void @multiply(ptr %form, ptr %a, ptr %b, ptr %c, i64 %rows, i64 %columns) {
  %a.turned = load i32, ptr %form
  %a.order = add i32 %a.turned, 111
  %b.turned.at = getelementptr i64, ptr %form, i64 1
  %b.turned = load i32, ptr %b.turned.at
  %b.order = add i32 %b.turned, 111
  %inner.at = getelementptr i64, ptr %form, i64 2
  %inner = load i64, ptr %inner.at
  %a.line.at = getelementptr i64, ptr %form, i64 3
  %a.line = load i64, ptr %a.line.at
  %b.line.at = getelementptr i64, ptr %form, i64 4
  %b.line = load i64, ptr %b.line.at
  %c.line.at = getelementptr i64, ptr %form, i64 5
  %c.line = load i64, ptr %c.line.at
  %add.at = getelementptr i64, ptr %form, i64 6
  %add = load i64, ptr %add.at
  %kept = uitofp i64 %add to NUMBER
  call void @cblas_gemm(i32 101, i32 %a.order, i32 %b.order, i64 %rows, i64 %columns, i64 %inner, NUMBER 1.0,
                        ptr %a, i64 %a.line, ptr %b, i64 %b.line, NUMBER %kept, ptr %c, i64 %c.line)
  ret void
}

; Arguments: a, b, the result, the form, the bytes from one row (column) to the next in each, rows, columns, 1 for columns.
define void @part(ptr %arguments, i64 %start, i64 %stop) {
  %a = load ptr, ptr %arguments
  %b.at = getelementptr i64, ptr %arguments, i64 1
  %b = load ptr, ptr %b.at
  %c.at = getelementptr i64, ptr %arguments, i64 2
  %c = load ptr, ptr %c.at
  %form = getelementptr i64, ptr %arguments, i64 3
  %a.step.at = getelementptr i64, ptr %arguments, i64 10
  %a.step = load i64, ptr %a.step.at
  %a.offset = mul i64 %a.step, %start
  %a.from = getelementptr i8, ptr %a, i64 %a.offset
  %b.step.at = getelementptr i64, ptr %arguments, i64 11
  %b.step = load i64, ptr %b.step.at
  %b.offset = mul i64 %b.step, %start
  %b.from = getelementptr i8, ptr %b, i64 %b.offset
  %c.step.at = getelementptr i64, ptr %arguments, i64 12
  %c.step = load i64, ptr %c.step.at
  %c.offset = mul i64 %c.step, %start
  %c.from = getelementptr i8, ptr %c, i64 %c.offset
  %rows.at = getelementptr i64, ptr %arguments, i64 13
  %all.rows = load i64, ptr %rows.at
  %columns.at = getelementptr i64, ptr %arguments, i64 14
  %all.columns = load i64, ptr %columns.at
  %wide.at = getelementptr i64, ptr %arguments, i64 15
  %wide.word = load i64, ptr %wide.at
  %wide = icmp ne i64 %wide.word, 0
  %length = sub i64 %stop, %start
  %rows = select i1 %wide, i64 %all.rows, i64 %length
  %columns = select i1 %wide, i64 %length, i64 %all.columns
  call void @multiply(ptr %form, ptr %a.from, ptr %b.from, ptr %c.from, i64 %rows, i64 %columns)
  ret void
}

; Arguments: a, b, the result, a table with the offset in each for each product, rows, columns, the form.
define void @batch(ptr %arguments, i64 %start, i64 %stop) {
entry:
  %a.all = load ptr, ptr %arguments
  %b.all.at = getelementptr i64, ptr %arguments, i64 1
  %b.all = load ptr, ptr %b.all.at
  %c.all.at = getelementptr i64, ptr %arguments, i64 2
  %c.all = load ptr, ptr %c.all.at
  %table.at = getelementptr i64, ptr %arguments, i64 3
  %table = load ptr, ptr %table.at
  %rows.at = getelementptr i64, ptr %arguments, i64 4
  %rows = load i64, ptr %rows.at
  %columns.at = getelementptr i64, ptr %arguments, i64 5
  %columns = load i64, ptr %columns.at
  %form = getelementptr i64, ptr %arguments, i64 6
  br label %next
next:
  %part = phi i64 [ %start, %entry ], [ %following, %next ]
  %place = mul i64 %part, 3
  %a.at = getelementptr i64, ptr %table, i64 %place
  %a.offset = load i64, ptr %a.at
  %a = getelementptr i8, ptr %a.all, i64 %a.offset
  %b.at = getelementptr i64, ptr %a.at, i64 1
  %b.offset = load i64, ptr %b.at
  %b = getelementptr i8, ptr %b.all, i64 %b.offset
  %c.at = getelementptr i64, ptr %a.at, i64 2
  %c.offset = load i64, ptr %c.at
  %c = getelementptr i8, ptr %c.all, i64 %c.offset
  call void @multiply(ptr %form, ptr %a, ptr %b, ptr %c, i64 %rows, i64 %columns)
  %following = add i64 %part, 1
  %more = icmp slt i64 %following, %stop
  br i1 %more, label %next, label %done
done:
  ret void
}
"""
