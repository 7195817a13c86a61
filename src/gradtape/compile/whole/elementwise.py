"""Elementwise steps in machine code: as one loop over vectors, or as calls of NumPy's inner loops."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from ...native import engine
from ...native.language import POINTER, loop
from .fast_math import PREFIX
from .memory import Memory, Place, collapsed, constant_of, is_uniform
from .scheduling import LINE, Fused
from .steps import Assembly, Elementwise, Gathering, View
from .texts import written

_UNROLLED = 128  # instructions that are written out rather than looped over
_SINGLE = 4  # elements that are computed one by one, where that is asked for


def write_fused(memory: Memory, group: Fused) -> None:
    """One loop over all elements."""
    shape = group.steps[0].writes.shape
    inside = {step.writes.buffer for step in group.steps}
    read: dict[Any, View] = {}
    for view in group.reads:
        if not is_uniform(view):
            read[_key(view)] = view.broadcast(shape)
    views = [*read.values(), *(step.writes for step in group.stored)]
    sizes, strides = collapsed(shape, [view.strides for view in views])
    if not all(sizes):
        return
    *outer, count = sizes
    widest = max(view.dtype.itemsize for step in group.steps for view in (*step.reads, step.writes))
    lanes = min(max(engine.register_bytes() // widest, 1), 1 << (count.bit_length() - 1))
    inner = [steps[-1] for steps in strides]

    def chunk(places: list[Place], at: Place, lanes: int) -> None:
        values: dict[Any, Any] = {}
        for (key, view), place, stride in zip(read.items(), places, inner, strict=False):
            values[key] = memory.load(view, memory.sum(place, memory.product(at, stride)), stride, lanes)
        for step in group.steps:
            given = [
                constant_of(view, lanes) if is_uniform(view) else values[view.buffer if view.buffer in inside else _key(view)]
                for view in step.reads
            ]  # fmt: skip
            kinds = tuple(view.dtype for view in (*step.reads, step.writes))
            values[step.writes.buffer] = written(memory.b, step.name, given, kinds)
        for step, place, stride in zip(group.stored, places[len(read) :], inner[len(read) :], strict=True):
            target = memory.sum(place, memory.product(at, stride))
            memory.store(step.writes, target, stride, lanes, values[step.writes.buffer])

    with memory.over(outer, views, [steps[:-1] for steps in strides]) as places:  # type: ignore[misc]
        if count < 2 * lanes and count * widest < LINE:  # few elements, each of them once: they stay in registers
            is_costly = any(step.name.startswith(PREFIX) for step in group.steps)
            for start, few in _in_few_vectors(count, memory.singly and not is_costly):
                chunk(places, start, few)
            return
        whole = count // lanes
        if whole * (len(group.steps) + len(views)) <= _UNROLLED:
            for place in range(whole):
                chunk(places, place * lanes, lanes)
        else:
            with loop(memory.b, 0, whole * lanes, lanes) as index:
                chunk(places, index.value, lanes)
        if count % lanes:  # the last elements, some of them once more
            chunk(places, count - lanes, lanes)


def _in_few_vectors(count: int, singly: bool) -> list[tuple[int, int]]:
    """A few elements as vectors of sizes that are powers of two: where each begins, and how many it has.

    Very few are numbers by themselves, if asked for. In a vector each of them would wait for all others: states of loops are
    often put together of elements that are not ready at the same time (position and speed), and rounds wait for each other.
    """
    if singly and count <= _SINGLE:
        return [(place, 1) for place in range(count)]
    found, start = [], 0
    for bit in reversed(range(count.bit_length())):
        if count & 1 << bit:
            found.append((start, 1 << bit))
            start += 1 << bit
    return found


def _key(view: View) -> Any:
    return view.buffer, view.offset, view.shape, view.strides


def write_called(memory: Memory, step: Elementwise) -> None:
    """NumPy's inner loop, called for each row of elements."""
    views = [*(view.broadcast(step.writes.shape) for view in step.reads), step.writes]
    assert step.ufunc is not None
    sizes, strides = collapsed(step.writes.shape, [view.strides for view in views])
    if not all(sizes):
        return
    if sizes == [1]:  # (as NumPy calls it for one element: see `abi.rounds_by_place`)
        strides = [
            [view.strides[0] if len(view.shape) == 1 else view.dtype.itemsize if view.shape else 0]
            for view in (*step.reads, step.writes)
        ]
    with memory.over(sizes[:-1], views, [steps[:-1] for steps in strides]) as places:  # type: ignore[misc]
        addresses = [memory.at(view.buffer, place) for view, place in zip(views, places, strict=True)]
        kinds = [view.dtype for view in views]
        memory.call_loop(step.ufunc, kinds, addresses, sizes[-1:], [steps[-1] for steps in strides])


def write_copy(memory: Memory, source: View, target: View) -> None:
    """Elements copied from one view to another of the same type, whatever they are."""
    views = [source.broadcast(target.shape), target]
    sizes, strides = collapsed(target.shape, [view.strides for view in views])
    if not all(sizes):
        return
    kind = ir.IntType(8 * source.dtype.itemsize)
    size, count = source.dtype.itemsize, sizes[-1]
    steps = [step[-1] for step in strides]
    dense = steps == [size, size]
    lanes = min(max(engine.register_bytes() // size, 1), 1 << (count.bit_length() - 1)) if dense else 1
    vector = kind if lanes == 1 else ir.VectorType(kind, lanes)

    def chunk(places: list[Place], at: Place) -> None:
        given, into = (
            memory.at(view.buffer, memory.sum(place, memory.product(at, step)))
            for view, place, step in zip(views, places, steps, strict=True)
        )
        memory.b.store(memory.b.load(given, align=1, typ=vector), into, align=1)

    with memory.over(sizes[:-1], views, [step[:-1] for step in strides]) as places:  # type: ignore[misc]
        if dense and count < 2 * lanes and count * size < LINE:
            for start, few in _in_few_vectors(count, memory.singly):
                vector = kind if few == 1 else ir.VectorType(kind, few)
                chunk(places, start)
            return
        whole = count // lanes
        if whole <= 8:
            for place in range(whole):
                chunk(places, place * lanes)
        else:
            with loop(memory.b, 0, whole * lanes, lanes) as index:
                chunk(places, index.value)
        if count % lanes:
            chunk(places, count - lanes)


def write_assembly(memory: Memory, step: Assembly) -> None:
    """Memory put together of parts."""
    if step.zeros:
        write_zeros(memory, step.writes)
    for source, target in zip(step.reads, step.places, strict=True):
        write_copy(memory, source, target)


def write_zeros(memory: Memory, view: View) -> None:
    """Zeros in all of a buffer."""
    b, byte = memory.b, ir.IntType(8)
    name, size = "llvm.memset.p0.i64", ir.IntType(64)
    kind = ir.FunctionType(ir.VoidType(), [POINTER, byte, size, ir.IntType(1)])
    clear = b.module.globals.get(name) or ir.Function(b.module, kind, name)
    begin = memory.begin(view.buffer)
    b.call(clear, [begin, byte(0), size(view.buffer.array.nbytes), ir.IntType(1)(0)])


def write_gathering(memory: Memory, step: Gathering) -> None:
    """Elements in a given order: how many bytes behind the first each one stands."""
    source, order = step.reads
    target = step.writes
    if not target.size:
        return
    b, size = memory.b, target.dtype.itemsize
    kind = ir.IntType(8 * size)
    with memory.over(target.shape, [order, target], [order.strides, target.strides]) as (which, place):
        behind = memory.load(order, which, 0, 1)
        element = b.load(memory.at(source.buffer, memory.sum(source.offset, behind)), align=1, typ=kind)
        b.store(element, memory.at(target.buffer, place), align=1)
