"""Sums over the rows of a matrix in machine code: the gradient of every bias.

Rows are added up in vectors, BLOCK rows at a time, and the sums of the blocks in the same way. So an element is part of few
additions, errors stay small, and the result does not depend on how many threads there are.
"""

from __future__ import annotations

import functools
from math import gcd
from typing import Any

import numpy as np
from llvmlite import ir

from ..base.dtypes import Array
from . import pool, thresholds
from .engine import Kernel, packed, register_bytes
from .language import INT64, Memory, Number, Variable, array_at, kernel_module, loop, select, type_of

_BLOCK = 128  # rows
_WIDEST = 4  # registers worked on together


def sum_of_rows(rows: Array) -> Array:
    """The sum over the first axis of a matrix of float32 or float64 without gaps, which is not empty."""
    count, columns = rows.shape
    lanes = register_bytes() // rows.itemsize
    together = _rows_together(columns, lanes)
    if together == 1 or count < 2 * together:
        return _summed(rows)
    whole = count - count % together
    sums = _summed(rows[:whole].reshape(-1, together * columns)).reshape(together, columns)
    return np.add.reduce(np.concatenate([sums, rows[whole:]]), 0)


def _rows_together(columns: int, lanes: int) -> int:
    """How many short rows are taken for a long one, which is then a multiple of the registers' length."""
    if columns >= _WIDEST * lanes:
        return 1
    even = lanes // gcd(columns, lanes)
    return even * -(-_WIDEST * lanes // (even * columns))


def _summed(rows: Array) -> Array:
    kernel = _kernel(rows.dtype)
    while True:
        count, columns = rows.shape
        blocks = -(-count // _BLOCK)
        sums = np.empty((blocks, columns), rows.dtype)
        smallest = max(1, thresholds.SUM_PART_ELEMENTS // (_BLOCK * columns))
        pool.run(kernel, packed(sums, rows, count, columns), blocks, smallest)
        if blocks == 1:
            return sums[0]
        rows = sums


@functools.cache
def _kernel(dtype: Any) -> Kernel:
    module, builder, arguments, start, stop = kernel_module("sums")
    sums, rows = (array_at(arguments, k, type_of(dtype)) for k in range(2))
    count, columns = arguments.load(2), arguments.load(3)
    lanes = register_bytes() // dtype.itemsize
    wide = columns - columns % (_WIDEST * lanes)

    def add_up(block: Number, column: Number, lanes: int, mask: Number | None) -> None:
        total = Variable(builder, _zeros(sums, lanes))
        end = (block + 1) * _BLOCK
        with loop(builder, block * _BLOCK, select(end < count, end, count)) as row:
            total.set(total.get() + rows.load(row * columns + column, lanes, mask))
        sums.store(block * columns + column, total.get(), mask)

    with loop(builder, start, stop) as block:
        with loop(builder, 0, wide, _WIDEST * lanes) as column:
            add_up(block, column, _WIDEST * lanes, None)
        with loop(builder, wide, columns, lanes) as column:
            add_up(block, column, lanes, _first(columns - column, lanes))
    builder.ret_void()
    return Kernel(module, "sums")


def _zeros(like: Memory, lanes: int) -> Number:
    return Number(like.builder, ir.Constant(ir.VectorType(like.element, lanes), None))


def _first(count: Number, lanes: int) -> Number:
    """The mask of the first so many lanes."""
    numbers = ir.Constant(ir.VectorType(INT64, lanes), [ir.Constant(INT64, k) for k in range(lanes)])
    return Number(count.builder, numbers) < count.spread(lanes)
