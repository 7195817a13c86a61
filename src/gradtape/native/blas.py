"""NumPy's OpenBLAS, called from kernels: one thread of it on each of our threads.

OpenBLAS splits a product among threads of its own, which then look for more work for 25 ms before they sleep: they hold the
cores that our kernels want in between, and two of our threads finish no sooner than one. So a large product is cut into parts
here, each core multiplies one with OpenBLAS told to use a single thread, and all large work shares one pool.
(Measured in docs/design/native.md.)
"""

from __future__ import annotations

import ctypes
import functools
import sys
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ..threads import cores
from . import pool
from .engine import Kernel, address_of, available, packed

_THREADED = 1 << 18  # multiplications, from which on OpenBLAS uses its threads
_LARGE = 1 << 23  # multiplications, from which on a second core pays
_LINE = 16  # rows and columns of a part are multiples of it, as the tiles of OpenBLAS are

Array = np.ndarray[Any, Any]


class _OpenBLAS(NamedTuple):
    threads: int
    set_threads: Any
    products: dict[str, int]  # addresses by the letter of the type


@functools.cache
def _openblas() -> _OpenBLAS | None:
    """The library, if it and we may use several threads."""
    library = _library()
    return library if library is not None and library.threads > 1 and cores() > 1 else None


@functools.cache
def _library() -> _OpenBLAS | None:
    """The OpenBLAS that NumPy's own packages bring, with 64-bit sizes; None with any other library."""
    if not available() or sys.platform != "linux":
        return None
    files = _files()
    if len(files) != 1:
        return None
    library = ctypes.PyDLL(files[0])  # (it keeps the interpreter's lock: setting a number takes no time)
    try:
        products = {"f": library.scipy_cblas_sgemm64_, "d": library.scipy_cblas_dgemm64_}
        threads, set_threads = library.scipy_openblas_get_num_threads64_(), library.scipy_openblas_set_num_threads64_
    except AttributeError:
        return None
    addresses = {letter: ctypes.cast(function, ctypes.c_void_p).value or 0 for letter, function in products.items()}
    return _OpenBLAS(threads, set_threads, addresses)


def _files() -> list[str]:
    with open("/proc/self/maps", encoding="utf-8") as file:
        return sorted({line.split()[-1] for line in file if "libscipy_openblas64_" in line})


def product(a: Array, b: Array, out: Array | None = None) -> Array:
    """The product of matrices in the last two axes, of large ones on all cores."""
    size = a.size * b.shape[-1]
    library = _openblas() if size >= _THREADED else None
    if library is None or a.dtype.char not in "fd":
        return a @ b if out is None else np.matmul(a, b, out=out)
    library.set_threads(1)
    try:
        found = _on_all_cores(a, b, out) if size >= _LARGE else None
        if found is None:
            found = a @ b if out is None else np.matmul(a, b, out=out)
    finally:
        library.set_threads(library.threads)
    return found


def _on_all_cores(a: Array, b: Array, out: Array | None) -> Array | None:
    """The same, cut into parts; None where it cannot be."""
    if a.dtype != b.dtype or a.shape[-1] != b.shape[-2]:
        return None
    (a, a_turned, a_line), (b, b_turned, b_line) = _as_blas_reads(a), _as_blas_reads(b)
    rows, inner, columns = a.shape[-2], a.shape[-1], b.shape[-1]
    single = a.ndim == b.ndim == 2
    batch = () if single else np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    result = np.empty((*batch, rows, columns), a.dtype) if out is None else out
    _, turned, result_line = _as_blas_reads(result)
    if turned or result_line * result.itemsize != result.strides[-2]:
        return None
    form = (a_turned, b_turned, inner, a_line, b_line, result_line)
    if single:
        # Cut along the longer side.
        wide = columns > rows
        steps = (0, b.strides[1], result.itemsize) if wide else (a.strides[0], 0, result.strides[0])
        arguments = packed(a, b, result, *form, *steps, rows, columns, int(wide))
        pool.run(_kernels(a.dtype.char)[0], arguments, max(rows, columns), _LINE, line=_LINE, each=1)
    else:
        parts = _of_batch(a, b, result)
        pool.run(_kernels(a.dtype.char)[1], packed(parts, *form), len(parts), 1)
    return result


def _as_blas_reads(x: Array) -> tuple[Array, int, int]:
    """Matrices whose rows or columns lie without gaps (a copy if need be), 1 if columns do, and the way from one to the next."""
    size = x.itemsize
    down, right = x.strides[-2:]
    if right == size and down % size == 0 and down >= size * x.shape[-1]:
        return x, 0, down // size
    if down == size and right % size == 0 and right >= size * x.shape[-2]:
        return x, 1, right // size
    return np.ascontiguousarray(x), 0, x.shape[-1]


def _of_batch(a: Array, b: Array, result: Array) -> Array:
    """The products of a batch: addresses in a, b and the result, rows and columns of each."""
    parts = _offsets(result.shape, *((x.shape, x.strides) for x in (a, b, result))).copy()
    parts[:, :3] += [address_of(a), address_of(b), address_of(result)]
    return parts


@functools.lru_cache(maxsize=256)
def _offsets(shape: tuple[int, ...], *looks: tuple[tuple[int, ...], tuple[int, ...]]) -> Array:
    """The same with bytes from the first element on in the place of addresses, for arrays of these shapes and strides."""
    *batch, rows, columns = shape
    parts = np.empty((prod(batch), 5), np.int64)
    for column, (lengths, strides) in enumerate(looks):
        offsets = np.zeros(batch, np.int64)
        for axis, (length, stride) in enumerate(zip(reversed(lengths[:-2]), reversed(strides[:-2]), strict=True)):
            if length > 1:
                offsets += (np.arange(length) * stride).reshape(-1, *(1,) * axis)
        parts[:, column] = offsets.ravel()
    parts[:, 3:] = rows, columns
    return parts


@functools.cache
def _kernels(letter: str) -> tuple[Kernel, Kernel]:
    """One product from one row (or column) to another, and the products of a batch, by cblas_sgemm or cblas_dgemm."""
    library = _library()
    assert library is not None
    text = _PROGRAM.replace("NUMBER", {"f": "float", "d": "double"}[letter])
    text = text.replace("PRODUCT", str(library.products[letter]))
    return Kernel(text, "part"), Kernel(text, "batch")


# `multiply` reads its `form`: whether a and b are turned, the inner size, the lines of a, b and the result.
_PROGRAM = """
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
  %product = inttoptr i64 PRODUCT to ptr
  call void %product(i32 101, i32 %a.order, i32 %b.order, i64 %rows, i64 %columns, i64 %inner, NUMBER 1.0,
                     ptr %a, i64 %a.line, ptr %b, i64 %b.line, NUMBER 0.0, ptr %c, i64 %c.line)
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
  %a.step.at = getelementptr i64, ptr %arguments, i64 9
  %a.step = load i64, ptr %a.step.at
  %a.offset = mul i64 %a.step, %start
  %a.from = getelementptr i8, ptr %a, i64 %a.offset
  %b.step.at = getelementptr i64, ptr %arguments, i64 10
  %b.step = load i64, ptr %b.step.at
  %b.offset = mul i64 %b.step, %start
  %b.from = getelementptr i8, ptr %b, i64 %b.offset
  %c.step.at = getelementptr i64, ptr %arguments, i64 11
  %c.step = load i64, ptr %c.step.at
  %c.offset = mul i64 %c.step, %start
  %c.from = getelementptr i8, ptr %c, i64 %c.offset
  %rows.at = getelementptr i64, ptr %arguments, i64 12
  %all.rows = load i64, ptr %rows.at
  %columns.at = getelementptr i64, ptr %arguments, i64 13
  %all.columns = load i64, ptr %columns.at
  %wide.at = getelementptr i64, ptr %arguments, i64 14
  %wide.word = load i64, ptr %wide.at
  %wide = icmp ne i64 %wide.word, 0
  %length = sub i64 %stop, %start
  %rows = select i1 %wide, i64 %all.rows, i64 %length
  %columns = select i1 %wide, i64 %length, i64 %all.columns
  call void @multiply(ptr %form, ptr %a.from, ptr %b.from, ptr %c.from, i64 %rows, i64 %columns)
  ret void
}

; Arguments: the parts (addresses in a, b and the result, rows, columns), the form.
define void @batch(ptr %arguments, i64 %start, i64 %stop) {
entry:
  %parts = load ptr, ptr %arguments
  %form = getelementptr i64, ptr %arguments, i64 1
  br label %next
next:
  %part = phi i64 [ %start, %entry ], [ %following, %next ]
  %place = mul i64 %part, 5
  %a.at = getelementptr i64, ptr %parts, i64 %place
  %a = load ptr, ptr %a.at
  %b.at = getelementptr i64, ptr %a.at, i64 1
  %b = load ptr, ptr %b.at
  %c.at = getelementptr i64, ptr %a.at, i64 2
  %c = load ptr, ptr %c.at
  %rows.at = getelementptr i64, ptr %a.at, i64 3
  %rows = load i64, ptr %rows.at
  %columns.at = getelementptr i64, ptr %a.at, i64 4
  %columns = load i64, ptr %columns.at
  call void @multiply(ptr %form, ptr %a, ptr %b, ptr %c, i64 %rows, i64 %columns)
  %following = add i64 %part, 1
  %more = icmp slt i64 %following, %stop
  br i1 %more, label %next, label %done
done:
  ret void
}
"""
