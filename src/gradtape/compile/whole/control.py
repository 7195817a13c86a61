"""Loops and branches in machine code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir

from ...native.language import INT64, POINTER, Number, Variable
from .body_memory import BodyMemory
from .elementwise import write_copy
from .memory import i64
from .scheduling import cost
from .steps import GROWN, AnyStep, Assembly, Buffer, Choice, Part, Rounds, View
from .texts import BYTE, element_of

_FIRST_ROOM = 64  # rounds that there is room for, in a loop that may have any number
_MOST_UNCHECKED = 1 << 12  # rounds after which it is looked whether somebody interrupts the program
_UNCHECKED_NANOSECONDS = 10e6  # ... or fewer, if they take longer than this

WriteStep = Callable[[BodyMemory, AnyStep], None]


def write_rounds(memory: BodyMemory, step: Rounds, write: WriteStep) -> None:
    """A loop: values that go round are copied to memory of their own at the end of each round."""
    outside = memory.singly
    memory.singly = outside or any(isinstance(inner, Assembly) for inner in step.body.order)
    _write_rounds(memory, step, write)
    memory.singly = outside


def _write_rounds(memory: BodyMemory, step: Rounds, write: WriteStep) -> None:
    b = memory.b
    for start, state in zip(step.starts, step.states, strict=True):
        write_copy(memory, start, state)
    _place(memory, step.scratch, step.body)
    if step.condition is not None:
        _place(memory, step.scratch, step.condition)
    count = None if step.count is None else _whole_number(memory, step.count)
    grown = {buffer: memory.grown() for buffer in step.collected if buffer.kind == GROWN}
    room = Variable(b, Number(b, count if count is not None else i64(_FIRST_ROOM)))
    for buffer, slot in grown.items():
        _resize(memory, slot, room.get().value, buffer)
    index = Variable(b, Number(b, i64(0)))
    head, body, after = (b.append_basic_block(name) for name in ("rounds", "round", "done"))
    b.branch(head)
    b.position_at_end(head)
    if count is not None:
        goes_on = b.icmp_signed("<", index.get().value, count)
    else:
        assert step.condition is not None
        for inner in step.condition.order:
            write(memory, inner)
        goes_on = memory.load(step.condition.results[0], step.condition.results[0].offset, 0, 1)
    b.cbranch(goes_on, body, after)
    b.position_at_end(body)
    here = index.get().value
    if step.condition is not None and grown:
        with b.if_then(b.icmp_signed("==", here, room.get().value)):
            room.set(room.get() + room.get())
            for buffer, slot in grown.items():
                _resize(memory, slot, room.get().value, buffer)
    place = b.sub(b.sub(count, i64(1)), here) if step.reverse and count is not None else here
    for sequence, element in step.sequences:
        memory.begins[element] = memory.at(
            sequence.buffer, memory.sum(sequence.offset, memory.product(place, sequence.strides[0]))
        )
    for inner in step.body.order:
        write(memory, inner)
    _collect(memory, step, grown, place)
    _go_round(memory, step)
    last = _rounds_unchecked(step) - 1
    memory.check_interrupts(b.icmp_unsigned("==", b.and_(here, i64(last)), i64(last)))
    index.set(Number(b, b.add(here, i64(1))))
    b.branch(head)
    b.position_at_end(after)
    memory.store(step.rounds, 0, 0, 1, index.get().value)
    for buffer, slot in grown.items():
        memory.begins[buffer] = b.load(slot, typ=POINTER)


def _rounds_unchecked(step: Rounds) -> int:
    """After how many rounds it is looked for interrupts: a power of two."""
    rounds = int(min(_UNCHECKED_NANOSECONDS / max(sum(map(cost, step.body.order)), 1.0), _MOST_UNCHECKED))
    return 1 << (max(rounds, 1).bit_length() - 1)


def _place(memory: BodyMemory, scratch: Buffer, part: Part) -> None:
    for buffer in part.registers:
        memory.begins[buffer] = memory.register(buffer)
    begin = memory.begin(scratch)
    for buffer, place in part.places.items():
        memory.begins[buffer] = memory.b.gep(begin, [i64(place)], source_etype=BYTE)
    for buffer, other in part.aliases.items():
        memory.begins[buffer] = memory.begin(other)


def _whole_number(memory: BodyMemory, view: View) -> Any:
    if view.buffer.kind == "constant":
        return i64(int(view.buffer.array.reshape(-1)[0]))
    value = memory.load(view, view.offset, 0, 1)
    return value if element_of(view.dtype) == INT64 else memory.b.sext(value, INT64)


def _resize(memory: BodyMemory, slot: object, rounds: object, buffer: Buffer) -> None:
    b = memory.b
    size = b.add(b.mul(rounds, i64(buffer.array.nbytes)), i64(1))
    b.store(memory.resized(b.load(slot, typ=POINTER), size), slot)


def _collect(memory: BodyMemory, step: Rounds, grown: dict[Buffer, Any], place: object) -> None:
    """Keep what a round leaves behind."""
    b = memory.b
    for buffer, value in zip(step.collected, step.body.results[len(step.states) :], strict=True):
        begin = b.load(grown[buffer], typ=POINTER) if buffer in grown else memory.begin(buffer)
        stride = buffer.array.strides[0]
        row = Buffer("row", buffer.array[:1].reshape(buffer.array.shape[1:]) if len(buffer.array) else buffer.array)
        memory.begins[row] = b.gep(begin, [b.mul(place, i64(stride))], source_etype=BYTE)
        shape = buffer.array.shape[1:]
        write_copy(memory, value, View(row, 0, shape, buffer.array.strides[1:], buffer.array.dtype))


def _go_round(memory: BodyMemory, step: Rounds) -> None:
    """Give the next round its values."""
    ends = step.body.results[: len(step.states)]
    sources = list(ends)
    for place, buffer in step.moved.items():
        sources[place] = View(buffer, 0, ends[place].shape, step.states[place].strides, ends[place].dtype)
        write_copy(memory, ends[place], sources[place])
    for source, state in zip(sources, step.states, strict=True):
        if step.body.aliases.get(source.buffer, source.buffer) is not state.buffer:
            write_copy(memory, source, state)


def write_choice(memory: BodyMemory, step: Choice, write: WriteStep) -> None:
    """A branch: the part of that number, or the last one."""
    b = memory.b
    blocks = [b.append_basic_block("part") for _ in step.parts]
    after = b.append_basic_block("joined")
    switch = b.switch(_whole_number(memory, step.number), blocks[-1])
    for number, block in enumerate(blocks[:-1]):
        switch.add_case(ir.Constant(INT64, number), block)
    for block, part in zip(blocks, step.parts, strict=True):
        b.position_at_end(block)
        _place(memory, step.scratch, part)
        for inner in part.order:
            write(memory, inner)
        for value, result in zip(part.results, step.results, strict=True):
            write_copy(memory, value, result)
        b.branch(after)
    b.position_at_end(after)
