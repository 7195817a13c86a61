"""Elements along an axis in order, and the places of extremes."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from ...native import abi, engine, thresholds
from ...native.language import INT32, INT64, POINTER, Number, Variable, loop
from .body_memory import REFUSED, BodyMemory
from .elementwise import write_copy
from .memory import Memory, Place, call_address, collapsed, i64
from .origins import line_function
from .steps import ExtremePlace, Ordering, Sorting, View
from .texts import kind_of, splat, written

_NULL = ir.Constant(POINTER, None)


def write_extreme_place(memory: Memory, step: ExtremePlace) -> None:
    """The first of the largest or smallest elements along an axis, or the first NaN, as NumPy finds it."""
    (source,), target, axis = step.reads, step.writes, step.axis
    if not target.size:
        return
    length, size = source.shape[axis], source.dtype.itemsize
    if source.strides[axis] == size and length >= thresholds.EXTREME_ELEMENTS and abi.orders_lines():
        name = "argmax" if step.sign == ">" else "argmin"
        function = memory.entry(memory.addresses.place(*line_function(source.dtype, name)))
        with _over_lines(memory, step) as (first, place):
            line = memory.at(source.buffer, first), i64(length), memory.at(target.buffer, place), _NULL
            call_address(memory.b, function, INT32, *line)
        return
    # Lines that lie beside each other are gone through together.
    inner = source.shape[axis + 1 :]
    sizes, (given, into) = collapsed(inner, [source.strides[axis + 1 :], target.strides[axis:]])
    count = sizes[0] if len(sizes) == 1 and (given[0], into[0]) == (size, target.dtype.itemsize) else 1
    lanes = min(max(engine.register_bytes() // size, 1), 1 << (count.bit_length() - 1))
    if lanes == 1:
        with _over_lines(memory, step) as (first, place):
            _write_extreme(memory, step, first, place, 1)
        return
    outer, views = source.shape[:axis], [source, target]
    with memory.over(outer, views, [source.strides[:axis], target.strides[:axis]]) as (first, place):

        def chunk(at: Place) -> None:
            start, end = memory.product(at, size), memory.product(at, target.dtype.itemsize)
            _write_extreme(memory, step, memory.sum(first, start), memory.sum(place, end), lanes)

        whole = count // lanes
        if whole == 1:
            chunk(0)
        else:
            with loop(memory.b, 0, whole * lanes, lanes) as index:
                chunk(index.value)
        if count % lanes:  # the last lines, some of them once more
            chunk(count - lanes)


def _over_lines(memory: Memory, step: ExtremePlace) -> Any:
    """Loops over all lines along an axis: where each begins, and where its place goes."""
    (source,), target, axis = step.reads, step.writes, step.axis
    kept = (*source.shape[:axis], 1, *source.shape[axis + 1 :])
    into = (*target.strides[:axis], 0, *target.strides[axis:])
    return memory.over(kept, [source, target], [source.strides, into])


def _write_extreme(memory: Memory, step: ExtremePlace, first: Place, place: Place, lanes: int) -> None:
    """The places of so many lines that lie beside each other."""
    b, (source,), target = memory.b, step.reads, step.writes
    size, stride = source.dtype.itemsize, source.strides[step.axis]
    best = Variable(b, Number(b, memory.load(source, first, size, lanes)))
    none = i64(0) if lanes == 1 else splat(ir.VectorType(INT64, lanes), 0)
    where = Variable(b, Number(b, none))
    with loop(b, 1, source.shape[step.axis]) as index:
        value = memory.load(source, memory.sum(first, memory.product(index.value, stride)), size, lanes)
        better = _is_before(b, source, step.sign, value, best.get().value)
        here = index.value if lanes == 1 else memory.spread(index.value, lanes)
        best.set(Number(b, b.select(better, value, best.get().value)))
        where.set(Number(b, b.select(better, here, where.get().value)))
    memory.store(target, place, target.dtype.itemsize, lanes, where.get().value)


def _is_before(b: ir.IRBuilder, view: View, sign: str, value: Any, other: Any) -> Any:
    """Whether a value is larger or smaller than another, or NaN and the other is not."""
    kinds = (view.dtype, view.dtype)
    better = written(b, "greater" if sign == ">" else "less", [value, other], kinds)
    if kind_of(view.dtype) != "f":
        return better
    nan = b.and_(b.fcmp_unordered("uno", value, value), b.fcmp_ordered("ord", other, other))
    return b.or_(better, nan)


def write_ordering(memory: BodyMemory, step: Ordering) -> None:
    """NumPy's own order of each line, which begins with the places as they are."""
    b, (source,), target = memory.b, step.reads, step.writes
    if not target.size:
        return
    count = source.shape[-1]
    function = memory.entry(memory.addresses.place(*line_function(source.dtype, "order")))
    outer = [source.strides[:-1], target.strides[:-1]]
    with memory.over(source.shape[:-1], [source, target], outer) as (first, start):
        with loop(b, 0, count) as index:
            place = memory.sum(start, memory.product(index.value, target.strides[-1]))
            memory.store(target, place, 0, 1, index.value)
        given = memory.at(source.buffer, first), memory.at(target.buffer, start), i64(count), _NULL
        _expect_success(memory, call_address(b, function, INT32, *given))


def write_sorting(memory: BodyMemory, step: Sorting) -> None:
    """Each line is sorted in its place by NumPy's own function, or beside it where its elements have gaps."""
    (source,), target, axis = step.reads, step.writes, step.axis
    if not target.size:
        return
    count, stride = target.shape[axis], target.strides[axis]
    function = memory.entry(memory.addresses.place(*line_function(target.dtype, "sort")))
    dense = stride == target.dtype.itemsize
    if dense:
        write_copy(memory, source, target)
    kept = [tuple(1 if place == axis else size for place, size in enumerate(view.shape)) for view in (source, target)]
    with memory.over(kept[0], [source, target], [source.strides, target.strides]) as (first, place):
        if dense:
            line = memory.at(target.buffer, place)
            _expect_success(memory, call_address(memory.b, function, INT32, line, i64(count), _NULL))
            return
        size = target.dtype.itemsize
        beside = View(step.line, 0, (count,), (size,), target.dtype)
        _copy_line(memory, (source, first, source.strides[axis]), (beside, 0, size), count)
        line = memory.at(step.line, 0)
        _expect_success(memory, call_address(memory.b, function, INT32, line, i64(count), _NULL))
        _copy_line(memory, (beside, 0, size), (target, place, stride), count)


def _copy_line(memory: Memory, given: tuple[View, Place, int], into: tuple[View, Place, int], count: int) -> None:
    """Elements from a place on, so many bytes apart, to others."""
    with loop(memory.b, 0, count) as index:
        (source, first, step), (target, place, stride) = given, into
        value = memory.load(source, memory.sum(first, memory.product(index.value, step)), 0, 1)
        memory.store(target, memory.sum(place, memory.product(index.value, stride)), 0, 1, value)


def _expect_success(memory: BodyMemory, status: Any) -> None:
    """(There is no memory for what a function needs.)"""
    memory.fail_if(memory.b.icmp_signed("!=", status, INT32(0)), REFUSED)
