"""Sums, products and extremes over axes, and running ones, in the order in which NumPy computes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .elementwise import write_copy
from .memory import Memory, collapsed
from .steps import Accumulation, Reduction, View
from .texts import element_of, splat, written

_SHORT = 8  # terms that NumPy adds one after the other


def write_reduction(memory: Memory, step: Reduction) -> None:
    """A reduction: NumPy goes through the elements as they lie in memory, and adds up what lies along the last axis in pairs."""
    (source,), target = step.reads, step.writes
    name, dtype = step.ufunc.__name__, source.dtype
    if not target.size:
        return
    source = _begun(memory, step, source, target)
    if not source.size:
        return
    order = sorted(
        range(len(source.shape)), key=lambda axis: -source.strides[axis]
    )  # the last is the nearest in memory
    shape = tuple(source.shape[axis] for axis in order)
    kept = [0 if axis in step.axes else target.strides[axis] for axis in order]
    sizes, (into, given) = collapsed(shape, [tuple(kept), tuple(source.strides[axis] for axis in order)])
    *outer, count = sizes
    with memory.over(outer, [target, source], [tuple(into[:-1]), tuple(given[:-1])]) as (place, first):
        if count < _SHORT and into[-1] == 0 and name == "add" and dtype.kind != "c":
            _add_few(memory, source, target, place, first, count, given[-1])
            return
        addresses = [memory.at(target.buffer, place), memory.at(source.buffer, first)]
        kinds = target.dtype, dtype, target.dtype
        memory.call_loop(step.ufunc, kinds, [*addresses, addresses[0]], [count], [into[-1], given[-1], into[-1]])


def _begun(memory: Memory, step: Reduction, source: View, target: View) -> View:
    """Write what a reduction begins with; what is left to be reduced then."""
    identity, reduced = step.ufunc.identity if step.initial is None else step.initial, step.axes
    if step.initial is not None or step.ufunc in (np.add, np.multiply, np.logical_and, np.logical_or):
        _fill(memory, target, identity)
        return source
    # Extremes begin with the first elements, and go on with the others along the first axis that is reduced.
    axes = [axis for axis in reduced if source.shape[axis] > 1]
    first = View(
        source.buffer,
        source.offset,
        tuple(1 if axis in reduced else size for axis, size in enumerate(source.shape)),
        source.strides,
        source.dtype,
    )
    write_copy(memory, first, target)
    if len(axes) > 1:  # an extreme that is met once more is still one
        return source
    if not axes:
        return View(source.buffer, source.offset, (0,) * len(source.shape), source.strides, source.dtype)
    (axis,) = axes
    rest = tuple(size - 1 if place == axis else size for place, size in enumerate(source.shape))
    return View(source.buffer, source.offset + source.strides[axis], rest, source.strides, source.dtype)


def _fill(memory: Memory, view: View, value: Any) -> None:
    kind = element_of(view.dtype)
    number = splat(kind, float(value) if view.dtype.kind == "f" else int(value))
    sizes, (strides,) = collapsed(view.shape, [view.strides])
    with memory.over(sizes, [view], [tuple(strides)]) as (place,):
        memory.store(view, place, 0, 1, number)


def _add_few(memory: Memory, source: View, target: View, place: Any, first: Any, count: int, stride: int) -> None:
    """So few terms that they are added one after the other, and the sum to what is there."""
    kinds = (source.dtype,) * 3
    total = memory.load(source, first, 0, 1)
    for term in range(1, count):
        more = memory.load(source, memory.sum(first, term * stride), 0, 1)
        total = written(memory.b, "add", [total, more], kinds)
    before = memory.load(target, place, 0, 1)
    memory.store(target, place, 0, 1, written(memory.b, "add", [before, total], kinds))


def write_accumulation(memory: Memory, step: Accumulation) -> None:
    """The first element of a line, then NumPy's loop from each result to the next one."""
    (source,), target, axis = step.reads, step.writes, step.axis
    if not target.size:
        return
    views = [source, target]
    lines = [(*view.shape[:axis], 1, *view.shape[axis + 1 :]) for view in views]
    firsts = [View(v.buffer, v.offset, shape, v.strides, v.dtype) for v, shape in zip(views, lines, strict=True)]
    write_copy(memory, firsts[0], firsts[1])
    count, (given, into) = source.shape[axis] - 1, (view.strides[axis] for view in views)
    if not count:
        return
    with memory.over(lines[0], views, [view.strides for view in views]) as (first, place):
        before, after = memory.at(target.buffer, place), memory.at(target.buffer, memory.sum(place, into))
        terms = memory.at(source.buffer, memory.sum(first, given))
        memory.call_loop(step.ufunc, (source.dtype,) * 3, [before, terms, after], [count], [into, given, into])
