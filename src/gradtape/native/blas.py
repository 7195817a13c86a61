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
from .engine import Kernel, available, packed

_THREADED = 1 << 18  # multiplications, from which on OpenBLAS uses its threads
_LARGE = 1 << 23  # multiplications, from which on a second core pays
_LINE = 16  # rows and columns of a part are multiples of it, as the tiles of OpenBLAS are

Array = np.ndarray[Any, Any]


class _OpenBLAS(NamedTuple):
    threads: int
    set_threads: Any
    products: dict[str, int]  # addresses by the letter of the type


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
    library = ctypes.CDLL(files[0])
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
    found = multiply(a, b, out) if a.size * b.shape[-1] >= _THREADED else None
    return np.matmul(a, b, out=out) if found is None else found


def multiply(a: Array, b: Array, out: Array | None = None) -> Array | None:
    """The product on all cores; None where NumPy has to compute it."""
    library = _openblas()
    if library is None or a.dtype.char not in "fd" or a.dtype != b.dtype or a.shape[-1] != b.shape[-2]:
        return None
    if a.size * b.shape[-1] < _LARGE:
        library.set_threads(1)
        try:
            return np.matmul(a, b, out=out)
        finally:
            library.set_threads(library.threads)
    (a, a_turned, a_line), (b, b_turned, b_line) = _as_blas_reads(a), _as_blas_reads(b)
    batch = a.shape[:-2] if a.shape[:-2] == b.shape[:-2] else np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    rows, inner, columns = a.shape[-2], a.shape[-1], b.shape[-1]
    result = np.empty((*batch, rows, columns), a.dtype) if out is None else out
    _, turned, result_line = _as_blas_reads(result)
    if turned or result_line * result.itemsize != result.strides[-2]:
        return None
    parts = _of_batch(a, b, result) if batch else _cut(a, b, result)
    arguments = packed(parts, a_turned, b_turned, inner, a_line, b_line, result_line)
    library.set_threads(1)
    try:
        pool.run(_kernel(a.dtype.char), arguments, len(parts), 1)
    finally:
        library.set_threads(library.threads)
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


def _cut(a: Array, b: Array, result: Array) -> Array:
    """The parts of one product, cut along its longer side: addresses in a, b and the result, rows and columns of each."""
    rows, columns = result.shape
    wide = columns > rows
    length = max(_LINE, -(-max(rows, columns) // (cores() * _LINE)) * _LINE)
    starts = np.arange(0, max(rows, columns), length)
    parts = np.empty((len(starts), 5), np.int64)
    parts[:, 0] = _address(a) + (0 if wide else starts * a.strides[0])
    parts[:, 1] = _address(b) + (starts * b.strides[1] if wide else 0)
    parts[:, 2] = _address(result) + starts * result.strides[wide]
    parts[:, 3:] = rows, columns
    parts[:, 3 + wide] = np.minimum(length, max(rows, columns) - starts)
    return parts


def _of_batch(a: Array, b: Array, result: Array) -> Array:
    """The products of a batch, in the same form."""
    *batch, rows, columns = result.shape
    parts = np.empty((prod(batch), 5), np.int64)
    for column, x in enumerate((a, b, result)):
        addresses = np.full(batch, _address(x))
        for axis, (length, stride) in enumerate(zip(reversed(x.shape[:-2]), reversed(x.strides[:-2]), strict=True)):
            if length > 1:
                addresses += (np.arange(length) * stride).reshape(-1, *(1,) * axis)
        parts[:, column] = addresses.ravel()
    parts[:, 3:] = rows, columns
    return parts


def _address(x: Array) -> int:
    found: int = x.__array_interface__["data"][0]
    return found


@functools.cache
def _kernel(letter: str) -> Kernel:
    """Products by cblas_sgemm or cblas_dgemm: parts, whether a and b are turned, inner size, lines of a, b and the result."""
    library = _library()
    assert library is not None
    number = {"f": "float", "d": "double"}[letter]
    return Kernel(_PROGRAM.replace("NUMBER", number).replace("PRODUCT", str(library.products[letter])), "products")


_PROGRAM = """
define void @products(ptr %arguments, i64 %start, i64 %stop) {
entry:
  %parts = load ptr, ptr %arguments
  %a.turned.at = getelementptr i64, ptr %arguments, i64 1
  %a.turned = load i32, ptr %a.turned.at
  %a.order = add i32 %a.turned, 111
  %b.turned.at = getelementptr i64, ptr %arguments, i64 2
  %b.turned = load i32, ptr %b.turned.at
  %b.order = add i32 %b.turned, 111
  %inner.at = getelementptr i64, ptr %arguments, i64 3
  %inner = load i64, ptr %inner.at
  %a.line.at = getelementptr i64, ptr %arguments, i64 4
  %a.line = load i64, ptr %a.line.at
  %b.line.at = getelementptr i64, ptr %arguments, i64 5
  %b.line = load i64, ptr %b.line.at
  %c.line.at = getelementptr i64, ptr %arguments, i64 6
  %c.line = load i64, ptr %c.line.at
  %product = inttoptr i64 PRODUCT to ptr
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
  call void %product(i32 101, i32 %a.order, i32 %b.order, i64 %rows, i64 %columns, i64 %inner, NUMBER 1.0,
                     ptr %a, i64 %a.line, ptr %b, i64 %b.line, NUMBER 0.0, ptr %c, i64 %c.line)
  %following = add i64 %part, 1
  %more = icmp slt i64 %following, %stop
  br i1 %more, label %next, label %done
done:
  ret void
}
"""
