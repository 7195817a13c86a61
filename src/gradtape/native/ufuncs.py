"""Elementwise texts as NumPy ufuncs: one pass over memory, with NumPy's broadcasting, strides and `out`.

NumPy's C interface makes a ufunc of a function with the inner loop

    void loop(char **arrays, const intp *count, const intp *strides, void *data)

so only this loop has to be written: where each array lies without gaps, or is one number for the whole loop, in vectors; else,
and for the last few elements, one by one.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir

from ..base.dtypes import Array
from ..base.memory import CACHE_LINE
from . import abi, engine, functions, pool, thresholds  # noqa: F401 (`functions` fills the table of functions)
from .abi import address_of
from .engine import Kernel, compiled, register_bytes, strides_of
from .language import INT64, POINTER, Memory, Number, Unsupported, end_streams, loop, type_of, vector_type

_REFERENCE = abi.reference()  # what stands for an array in the arguments of a kernel
_UNROLLED = 2  # registers worked on together: the steps of a polynomial wait for each other

Text = Callable[..., Any]


class _Loop(NamedTuple):
    address: int
    inputs: list[np.dtype[Any]]
    outputs: list[np.dtype[Any]]
    text: Text


_LOOPS: dict[np.ufunc, _Loop] = {}


def ufunc(name: str, text: Text, inputs: Sequence[Any], outputs: int = 1) -> np.ufunc:
    """A ufunc that computes `text(*numbers)`; `inputs` are the dtypes of its operands. Raises Unsupported."""
    module = ir.Module(name)
    given = [np.dtype(t) for t in inputs]
    kinds = _write_loop(module, name, text, given, outputs)
    (address,) = compiled(module, name)
    made = abi.new_ufunc(name, address, given, kinds)
    _LOOPS[made] = _Loop(address, given, kinds, text)
    return made


@functools.cache
def _streaming(function: np.ufunc) -> int:
    """The address of the same loop for one result on whole lines, which goes around the caches."""
    _, inputs, _, text = _LOOPS[function]
    module = ir.Module(function.__name__)
    _write_loop(module, function.__name__, text, inputs, 1, streams=True)
    return compiled(module, function.__name__)[0]


def apply(function: np.ufunc, operands: Sequence[Array]) -> Array:
    """A ufunc of one result made here, on all cores."""
    plan = _plan(function, *[(x.shape, x.strides) for x in operands])
    if plan is None:
        return function(*operands)
    result = np.empty(plan.shape, plan.dtype)
    if plan.axes is not None:
        result = result.transpose(plan.axes)
    streamed = plan.streamable > thresholds.STREAMED_BYTES and address_of(result) % _LINE == 0
    loop = _streaming(function) if streamed else plan.loop
    arguments = plan.pack(loop, *plan.before, *map(_REFERENCE, operands), _REFERENCE(result), *plan.after)
    pool.run_parts(plan.kernel, arguments, plan.size, plan.length)
    return result


class _Plan(NamedTuple):
    """How a ufunc is applied to arrays of certain shapes and strides. (Large arrays empty the caches: Python is slow then.)"""

    shape: tuple[int, ...]  # of the result, with its axes in the order of memory, which is that of the operands
    axes: tuple[int, ...] | None  # where to find its own axes there; None if they are in order
    dtype: np.dtype[Any]
    kernel: Kernel
    pack: Callable[..., bytes]
    loop: int
    before: tuple[int, ...]  # what comes between the loop and the arrays, and after them
    after: tuple[int, ...]
    size: int
    length: int  # of a part
    streamable: int  # bytes read and written; 0 where the result may not be written around the caches


@functools.lru_cache(maxsize=4096)
def _plan(function: np.ufunc, *looks: tuple[tuple[int, ...], tuple[int, ...]]) -> _Plan | None:
    """None where NumPy has to compute it, or to raise the error."""
    address, inputs, (dtype,), _ = _LOOPS[function]
    try:
        shape = np.broadcast_shapes(*(own for own, _ in looks))
    except ValueError:
        return None
    sizes = [dtype.itemsize for dtype in (*inputs, dtype)]
    strides = [_strides_within(shape, *look) for look in looks]
    order = _memory_order(shape, strides)
    ordered = tuple(shape[axis] for axis in order)
    axes = None if order == sorted(order) else tuple(order.index(axis) for axis in range(len(order)))
    steps = [[own[axis] for axis in order] for own in strides]
    lines = _lines(ordered, [*steps, strides_of(ordered, dtype.itemsize)], sizes) if prod(shape) else None
    if lines is None:
        return None
    before: tuple[int, ...] = (len(sizes), *lines.inner)
    after: tuple[int, ...] = () if lines.rows == 1 else (*lines.outer, lines.columns)
    part, rows = _kernels()
    pack = struct.Struct(f"{1 + len(before) + len(sizes) + len(after)}q").pack
    if lines.rows == 1:
        length = pool.part_length(lines.columns, thresholds.TEXT_PART_ELEMENTS, _LINE)
        streamable = lines.columns * sum(lines.inner) if engine.streams() and dtype.kind == "f" else 0
        return _Plan(ordered, axes, dtype, part, pack, address, before, after, lines.columns, length, streamable)
    length = pool.part_length(lines.rows, -(-thresholds.TEXT_PART_ELEMENTS // lines.columns))
    return _Plan(ordered, axes, dtype, rows, pack, address, before, after, lines.rows, length, streamable=0)


def apply_in_place(function: np.ufunc, operands: Sequence[Array], results: Sequence[Array]) -> None:
    """A ufunc made here, on all cores: arrays of one size without gaps, or single numbers, into arrays of that size."""
    strides = [0 if x.size == 1 else x.itemsize for x in operands] + [x.itemsize for x in results]
    words = [_LOOPS[function].address, len(strides), *strides, *map(_REFERENCE, operands), *map(_REFERENCE, results)]
    arguments = struct.pack(f"{len(words)}q", *words)
    pool.run(_kernels()[0], arguments, results[0].size, thresholds.TEXT_PART_ELEMENTS, line=_LINE)


class _Lines(NamedTuple):
    """Arrays as rows of equal length, and for each array the bytes from one element, and from one row, to the next."""

    rows: int
    columns: int
    inner: list[int]
    outer: list[int]


def _strides_within(shape: tuple[int, ...], own: tuple[int, ...], strides: tuple[int, ...]) -> list[int]:
    """The strides of an array that is broadcast to a shape."""
    return [0] * (len(shape) - len(own)) + [0 if n == 1 else step for n, step in zip(own, strides, strict=True)]


def _memory_order(shape: tuple[int, ...], strides: Sequence[Sequence[int]]) -> list[int]:
    """The axes from the longest stride to the shortest in an operand that is not broadcast, as NumPy orders them."""
    whole = [own for own in strides if all(step or n == 1 for step, n in zip(own, shape, strict=True))]
    axes = range(len(shape))
    return sorted(axes, key=lambda axis: -abs(whole[0][axis])) if whole else list(axes)


def _lines(shape: tuple[int, ...], strides: Sequence[Sequence[int]], sizes: Sequence[int]) -> _Lines | None:
    """Axes that lie behind each other in all arrays as one; None if more than two are left, or elements have gaps."""
    rank = len(shape)
    merged: list[tuple[int, list[int]]] = []
    for axis in range(rank - 1, -1, -1):
        n, here = shape[axis], [own[axis] for own in strides]
        if n == 1:
            continue
        if merged and all(step == last * merged[-1][0] for step, last in zip(here, merged[-1][1], strict=True)):
            merged[-1] = (n * merged[-1][0], merged[-1][1])
        else:
            merged.append((n, here))
    if not merged:
        merged = [(1, list(sizes))]
    columns, inner = merged[0]
    if len(merged) > 2 or not all(step in (0, size) for step, size in zip(inner, sizes, strict=True)):
        return None
    rows, outer = merged[1] if len(merged) == 2 else (1, [0] * len(sizes))
    return _Lines(rows, columns, inner, outer)


_LINE = CACHE_LINE  # elements, and bytes: borders between threads lie on whole lines of the cache


@functools.cache
def _kernels() -> tuple[Kernel, Kernel]:
    """The inner loop of a ufunc from one element to another, and for some rows.

    Their arguments are its address, how many arrays, their strides, the arrays; for rows, too, the strides from row to row and
    the number of columns.
    """
    place = abi.elements_at()
    text = _PROGRAM.replace(
        "READ_ADDRESS", _WORD_ITSELF if place is None else _BEHIND_WORD.replace("PLACE", str(place))
    )
    return Kernel(text, "part"), Kernel(text, "rows")


_WORD_ITSELF = "%address = getelementptr i8, ptr %word, i64 0"
_BEHIND_WORD = """%address.at = getelementptr i8, ptr %word, i64 PLACE
  %address = load ptr, ptr %address.at"""

_PROGRAM = """
; Where an element of each array lies; the word for an array is the address of its first one, or of the object that has it inside.
define internal void @shift(i64 %arrays, ptr %words, ptr %strides, i64 %by, ptr %to) {
entry:
  br label %next
next:
  %k = phi i64 [ 0, %entry ], [ %following, %next ]
  %stride.at = getelementptr i64, ptr %strides, i64 %k
  %stride = load i64, ptr %stride.at
  %word.at = getelementptr ptr, ptr %words, i64 %k
  %word = load ptr, ptr %word.at
  READ_ADDRESS
  %offset = mul i64 %stride, %by
  %from = getelementptr i8, ptr %address, i64 %offset
  %place = getelementptr ptr, ptr %to, i64 %k
  store ptr %from, ptr %place
  %following = add i64 %k, 1
  %more = icmp slt i64 %following, %arrays
  br i1 %more, label %next, label %done
done:
  ret void
}

define void @part(ptr %arguments, i64 %start, i64 %stop) {
  %loop = load ptr, ptr %arguments
  %arrays.at = getelementptr i64, ptr %arguments, i64 1
  %arrays = load i64, ptr %arrays.at
  %strides = getelementptr i64, ptr %arguments, i64 2
  %words = getelementptr i64, ptr %strides, i64 %arrays
  %shifted = alloca ptr, i64 %arrays
  %count = alloca i64
  %length = sub i64 %stop, %start
  store i64 %length, ptr %count
  call void @shift(i64 %arrays, ptr %words, ptr %strides, i64 %start, ptr %shifted)
  call void %loop(ptr %shifted, ptr %count, ptr %strides, ptr null)
  ret void
}

define void @rows(ptr %arguments, i64 %start, i64 %stop) {
entry:
  %loop = load ptr, ptr %arguments
  %arrays.at = getelementptr i64, ptr %arguments, i64 1
  %arrays = load i64, ptr %arrays.at
  %strides = getelementptr i64, ptr %arguments, i64 2
  %words = getelementptr i64, ptr %strides, i64 %arrays
  %outer = getelementptr i64, ptr %words, i64 %arrays
  %columns = getelementptr i64, ptr %outer, i64 %arrays
  %shifted = alloca ptr, i64 %arrays
  br label %next
next:
  %row = phi i64 [ %start, %entry ], [ %following, %next ]
  call void @shift(i64 %arrays, ptr %words, ptr %outer, i64 %row, ptr %shifted)
  call void %loop(ptr %shifted, ptr %columns, ptr %strides, ptr null)
  %following = add i64 %row, 1
  %more = icmp slt i64 %following, %stop
  br i1 %more, label %next, label %done
done:
  ret void
}
"""


def _write_loop(
    module: object, name: str, text: Text, dtypes: list[np.dtype[Any]], outputs: int, streams: bool = False
) -> list[np.dtype[Any]]:
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [POINTER] * 4), name)
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    arrays, counts, strides = (
        Memory(builder, a, k) for a, k in zip(function.args, (POINTER, INT64, INT64), strict=False)
    )
    count = counts.load(0)
    types = [type_of(dtype) for dtype in dtypes]
    lanes = _UNROLLED * register_bytes() // max(dtype.itemsize for dtype in dtypes)
    found = _result_types(text, types, outputs)
    places = [Memory(builder, builder.load(arrays._at(k), typ=POINTER), t) for k, t in enumerate([*types, *found])]
    steps = [strides.load(k) for k in range(len(places))]
    sizes = [p._bytes for p in places]

    # Vectors: how many whole ones there are, or none where an array has gaps.
    gapless = steps[len(types)] == sizes[len(types)]
    for step, size in zip(steps[len(types) + 1 :], sizes[len(types) + 1 :], strict=True):
        gapless = gapless & (step == size)
    single = [step == 0 for step in steps[: len(types)]]
    for step, size, alone in zip(steps, sizes, single, strict=False):
        gapless = gapless & (alone | (step == size))
    whole = Number(builder, builder.select(gapless.value, (count - _rest(count, lanes)).value, ir.Constant(INT64, 0)))
    spread = [_spread(builder, place, lanes) for place in places[: len(types)]]
    sources = [
        Memory(builder, builder.select(alone.value, copy.address, place.address), place.element)
        for alone, copy, place in zip(single, spread, places, strict=False)
    ]
    advance = [
        Number(builder, builder.select(alone.value, ir.Constant(INT64, 0), ir.Constant(INT64, 1))) for alone in single
    ]
    with loop(builder, 0, whole, lanes) as i:
        numbers = [source.load(i * a, lanes) for source, a in zip(sources, advance, strict=True)]
        for place, result in zip(places[len(types) :], _results(text, numbers, outputs), strict=True):
            if streams:
                place.stream(i, result, register_bytes())
            else:
                place.store(i, result)
    if streams:
        end_streams(builder)
    with loop(builder, whole, count) as i:
        at = [
            Memory(builder, builder.gep(p.address, [(i * s).value], source_etype=ir.IntType(8)), p.element)
            for p, s in zip(places, steps, strict=True)
        ]
        for place, result in zip(
            at[len(types) :], _results(text, [p.load(0) for p in at[: len(types)]], outputs), strict=True
        ):
            place.store(0, result)
    builder.ret_void()
    return [_dtype_of(t) for t in found]


def _results(text: Text, numbers: list[Number], outputs: int) -> tuple[Number, ...]:
    given = text(*numbers)
    results = given if outputs > 1 else (given,)
    if len(results) != outputs or not all(isinstance(r, Number) for r in results):
        raise Unsupported("a text that gives no numbers")
    return tuple(results)


def _result_types(text: Text, types: list[Any], outputs: int) -> list[Any]:
    """What a text returns, found by writing it once to a function that is discarded."""
    scratch = ir.Function(ir.Module(), ir.FunctionType(ir.VoidType(), types), "scratch")
    builder = ir.IRBuilder(scratch.append_basic_block())
    numbers = [
        Number(builder, a) if t != ir.IntType(8) else Number(builder, a) != 0
        for a, t in zip(scratch.args, types, strict=True)
    ]
    return [ir.IntType(8) if r.is_bool else r.element for r in _results(text, numbers, outputs)]


def _dtype_of(element: object) -> np.dtype[Any]:
    return np.dtype({"i8": np.bool_, "float": np.float32, "double": np.float64}[str(element)])


def _rest(count: Number, lanes: int) -> Number:
    return Number(count.builder, count.builder.and_(count.value, ir.Constant(INT64, lanes - 1)))


def _spread(builder: ir.IRBuilder, place: Memory, lanes: int) -> Memory:
    """A vector in memory that repeats the first element, for operands that are one number."""
    room = builder.alloca(vector_type(place.element, lanes))
    copy = Memory(builder, room, place.element)
    first = Number(builder, builder.load(place.address, typ=place.element))
    copy.store(0, first.spread(lanes))
    return copy
