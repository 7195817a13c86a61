"""Elements along an axis in order, and the places of extremes."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from ...native.language import Number, Variable, loop
from .memory import Memory, i64
from .steps import ExtremePlace, Ordering, View
from .texts import kind_of, written


def write_extreme_place(memory: Memory, step: ExtremePlace) -> None:
    """The first of the largest or smallest elements along an axis, or the first NaN, as NumPy finds it."""
    b, (source,), target, axis = memory.b, step.reads, step.writes, step.axis
    if not target.size:
        return
    kept = (*source.shape[:axis], 1, *source.shape[axis + 1 :])
    into = (*target.strides[:axis], 0, *target.strides[axis:])
    with memory.over(kept, [source, target], [source.strides, into]) as (first, place):
        best = Variable(b, Number(b, memory.load(source, first, 0, 1)))
        where = Variable(b, Number(b, i64(0)))
        with loop(b, 1, source.shape[axis]) as index:
            value = memory.load(source, memory.sum(first, memory.product(index.value, source.strides[axis])), 0, 1)
            better = _is_before(b, source, step.sign, value, best.get().value)
            best.set(Number(b, b.select(better, value, best.get().value)))
            where.set(Number(b, b.select(better, index.value, where.get().value)))
        memory.store(target, place, 0, 1, where.get().value)


def _is_before(b: ir.IRBuilder, view: View, sign: str, value: Any, other: Any) -> Any:
    """Whether a value is larger or smaller than another, or NaN and the other is not."""
    kinds = (view.dtype, view.dtype)
    better = written(b, "greater" if sign == ">" else "less", [value, other], kinds)
    if kind_of(view.dtype) != "f":
        return better
    nan = b.and_(b.fcmp_unordered("uno", value, value), b.fcmp_ordered("ord", other, other))
    return b.or_(better, nan)


def write_ordering(memory: Memory, step: Ordering) -> None:
    """Each element is put where it belongs among those before it: for the few elements of small arrays."""
    b, (source,), target = memory.b, step.reads, step.writes
    if not target.size:
        return
    step_in, step_out = source.strides[-1], target.strides[-1]
    with memory.over(source.shape[:-1], [source, target], [source.strides[:-1], target.strides[:-1]]) as (first, start):

        def value_of(place: Any) -> Any:
            return memory.load(source, memory.sum(first, memory.product(place, step_in)), 0, 1)

        def slot(position: Any) -> Any:
            return memory.sum(start, memory.product(position, step_out))

        memory.store(target, start, 0, 1, i64(0))
        with loop(b, 1, source.shape[-1]) as index:
            value = value_of(index.value)
            position = Variable(b, Number(b, index.value))
            head, test, move, done = (b.append_basic_block(name) for name in ("search", "compare", "move", "found"))
            b.branch(head)
            b.position_at_end(head)
            b.cbranch(b.icmp_signed(">", position.get().value, i64(0)), test, done)
            b.position_at_end(test)
            before = b.sub(position.get().value, i64(1))
            earlier = memory.load(target, slot(before), 0, 1)
            b.cbranch(_belongs_before(b, source, value, value_of(earlier)), move, done)
            b.position_at_end(move)
            memory.store(target, slot(position.get().value), 0, 1, earlier)
            position.set(Number(b, before))
            b.branch(head)
            b.position_at_end(done)
            memory.store(target, slot(position.get().value), 0, 1, index.value)


def _belongs_before(b: ir.IRBuilder, view: View, value: Any, other: Any) -> Any:
    """Whether a value is smaller than another, or the other is NaN and it is not."""
    smaller = written(b, "less", [value, other], (view.dtype, view.dtype))
    if kind_of(view.dtype) != "f":
        return smaller
    nan = b.and_(b.fcmp_unordered("uno", other, other), b.fcmp_ordered("ord", value, value))
    return b.or_(smaller, nan)
