"""Many elementwise steps in one pass over the rows of a matrix, with sums along rows, down columns and over everything.

What a kernel is given is whole matrices, a number for each row, one for each column, or a single one. A sum along a row can
be used by later steps: the row, which is in the cache, is then gone through again.

    y = f(x);  s = sum(y, along the row)      first time through the row
    z = g(y, s)                               second time

Arrays of other shapes are cut into rows of `FLAT` elements, the last of which may be shorter. The last vector of a row
reaches back into the one before it, so that there is one text for all elements; sums leave out what is there already.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from llvmlite import ir

from . import abi, functions  # noqa: F401 (it fills the table of functions)
from .engine import Kernel, register_bytes
from .language import (
    INT32,
    INT64,
    POINTER,
    Memory,
    Number,
    Unsupported,
    Variable,
    intrinsic,
    kernel_module,
    loop,
    select,
    type_of,
)

FLAT = 4096  # elements of a row, where its length is free
FULL, BY_ROW, BY_COLUMN, SINGLE = "full", "by row", "by column", "single"

_REFERENCE = abi.reference()  # what stands for an array in the arguments of a kernel
_ADDED = 128  # vectors that are added up one after the other
_UNROLLED = 2  # registers worked on together: the steps of a polynomial wait for each other
_HEADER = 3  # arguments before the arrays: columns, elements, rows of a unit

Dtype = np.dtype[Any]


@dataclass(frozen=True)
class Given:
    """An operand: its type, and the part of the matrix that it belongs to."""

    dtype: Dtype
    layout: str


@dataclass(frozen=True)
class Constant:
    """An operand that is known while the kernel is written. Its bits tell 0.0 from -0.0."""

    bits: bytes
    dtype: Dtype

    @property
    def value(self) -> Any:
        """As a Python number."""
        return np.frombuffer(self.bits, self.dtype)[0].item()


@dataclass(frozen=True)
class Step:
    """One value made of others: `of` has their numbers (operands come first) and constants.

    `how` is "map", with a text, or what is done along each row: "sum", "mean" or "max".
    """

    how: str
    text: Callable[..., Any] | None
    of: tuple[int | Constant, ...]
    dtype: Dtype
    layout: str


@dataclass(frozen=True)
class Wanted:
    """A result: a value itself ("full", "by row"), its sums down the columns ("by column"), or those of its rows ("single")."""

    value: int
    layout: str
    buffer: int
    offset: int = 0  # several results may lie beside each other in the rows of one array


@dataclass(frozen=True)
class Text:
    """What a kernel computes."""

    given: tuple[Given, ...]
    steps: tuple[Step, ...]
    wanted: tuple[Wanted, ...]
    buffers: tuple[Dtype, ...]
    lanes: int
    levels: int  # of sums along a row


def lanes_for(columns: int, dtypes: Sequence[Dtype]) -> int:
    """How many elements of a row are worked on together."""
    most = _UNROLLED * register_bytes() // max(dtype.itemsize for dtype in dtypes)
    return min(most, 1 << (columns.bit_length() - 1))


def levels_for(columns: int, lanes: int) -> int:
    """In how many levels a row of so many columns is added up: vectors, then sums of _ADDED vectors, then sums of such sums.

    No element is part of more than _ADDED additions at each level: the error hardly depends on the length of the row, nor on
    how wide registers are.
    """
    levels = 1
    while lanes * _ADDED**levels < columns:
        levels += 1
    return levels


def instructions_of(text: Callable[..., Any], operands: Sequence[Dtype | Constant], result: Dtype) -> int | None:
    """How many instructions machine code has for a text on operands of these types, with results of that type.

    None where it cannot be written.
    """
    try:
        kinds = [type_of(o) for o in operands if not isinstance(o, Constant)]
        function = ir.Function(ir.Module(), ir.FunctionType(ir.VoidType(), kinds), "scratch")
        builder = ir.IRBuilder(function.append_basic_block())
        loaded = iter(Number(builder, a) if a.type != ir.IntType(8) else Number(builder, a) != 0 for a in function.args)
        made = applied(text, [o if isinstance(o, Constant) else next(loaded) for o in operands])
        return len(builder.block.instructions) if made.dtype == result else None
    except Unsupported:
        return None


@functools.cache
def kernel_of(text: Text) -> Kernel:
    """A text as machine code: `kernel(packed_rows(...), start, stop)` runs some units of rows. Raises Unsupported."""
    return _Writer(text).kernel()


def packed_rows(
    columns: int, size: int, unit: int, arrays: Sequence[Any], strides: Sequence[int], offsets: Sequence[int] = ()
) -> Any:
    """The arguments of a kernel: its arrays (operands, then buffers), the distances between their rows, and their first elements.

    The arrays must live until the kernel has returned.
    """
    count = len(arrays)
    return (ctypes.c_int64 * (_HEADER + 3 * count))(columns, size, unit, *map(_REFERENCE, arrays), *strides, *offsets)


def applied(text: Callable[..., Any], operands: Sequence[Number | Constant]) -> Number:
    """A text of Numbers and constants. Raises Unsupported."""
    like = next((o for o in operands if isinstance(o, Number)), None)
    if like is None:
        raise Unsupported("a text of constants alone")
    # As a Python number a constant can be an exponent; as a Number it can be one of two to choose from.
    tries: list[Callable[[Constant], Any]] = [lambda c: c.value, lambda c: _as_number(c, like)]
    for known in tries:
        try:
            result = text(*[known(o) if isinstance(o, Constant) else o for o in operands])
        except Unsupported:
            if known is tries[-1]:
                raise
            continue
        if not isinstance(result, Number):
            raise Unsupported("a text that gives no number")
        return result
    raise AssertionError


class _Writer:
    def __init__(self, text: Text) -> None:
        self.text = text
        self.values: list[Given | Step] = [*text.given, *text.steps]
        self.module, self.builder, arguments, self.start, self.stop = kernel_module("rows")
        self.columns, self.size, self.unit = (arguments.load(k) for k in range(_HEADER))
        kinds = [type_of(dtype) for dtype in (*(given.dtype for given in text.given), *text.buffers)]
        count = len(kinds)
        self.arrays = [
            _array(arguments.load(_HEADER + k), kind).from_(arguments.load(_HEADER + 2 * count + k))
            for k, kind in enumerate(kinds)
        ]
        self.strides = [arguments.load(_HEADER + count + k) for k in range(count)]
        self.turns = self._turns()

    def _turns(self) -> list[int]:
        """For each value the first time through a row in which it is known."""
        turns: list[int] = []
        for value in self.values:
            before = [turns[k] for k in value.of if isinstance(k, int)] if isinstance(value, Step) else []
            turns.append(max(before, default=0) + _is_along(value))
        return turns

    def kernel(self) -> Kernel:
        text, builder = self.text, self.builder
        singles = {k: self.arrays[k].load(0) for k, given in enumerate(text.given) if given.layout == SINGLE}
        buffers = self.arrays[len(text.given) :]
        rows = _quotient(self.size + self.columns - 1, self.columns)
        with loop(builder, self.start, self.stop) as unit:
            sums = {
                w.buffer: buffers[w.buffer].from_(unit * self.columns) for w in text.wanted if w.layout == BY_COLUMN
            }
            for memory in sums.values():
                with _vectors(self.columns, text.lanes) as (place, _):
                    memory.store(place, Number(builder, ir.Constant(memory.element, 0.0)).spread(text.lanes))
            first = unit * self.unit
            with loop(builder, first, _smaller(first + self.unit, rows)) as row:
                _Row(self, row, singles, sums).write()
        builder.ret_void()
        return Kernel(self.module, "rows")


class _Row:
    """The text of one row."""

    def __init__(self, whole: _Writer, row: Number, singles: dict[int, Number], sums: dict[int, Memory]) -> None:
        self.text, self.values, self.turns = whole.text, whole.values, whole.turns
        self.builder = whole.builder
        self.length = _smaller(whole.columns, whole.size - row * whole.columns)
        self.arrays = [array.from_(row * stride) for array, stride in zip(whole.arrays, whole.strides, strict=True)]
        self.buffers = self.arrays[len(self.text.given) :]
        self.sums = sums
        self.turn = 0
        self.scalars = dict(singles)  # values that exist once for the row
        self.kept = {w.value: w for w in self.text.wanted if w.layout == FULL}  # later it is not computed again
        for k, given in enumerate(self.text.given):
            if given.layout == BY_ROW:
                self.scalars[k] = self.arrays[k].load(0)

    def write(self) -> None:
        for turn in range(max(self.turns) + 1):
            self.turn = turn
            for k, value in enumerate(self.values):  # before the loop that uses it
                if value.layout == BY_ROW and self.turns[k] == turn:
                    self._scalar(k)
            along = [k for k, value in enumerate(self.values) if _is_along(value) and self.turns[k] == turn + 1]
            stored = [w for w in self.text.wanted if w.layout != BY_ROW and self.turns[w.value] == turn]
            if along or stored:
                self._once_through(along, stored)
        for wanted in self.text.wanted:
            if wanted.layout == BY_ROW:
                self.buffers[wanted.buffer].store(0, self._scalar(wanted.value))

    def _once_through(self, along: list[int], stored: list[Wanted]) -> None:
        totals = [w for w in stored if w.layout == SINGLE]
        collected: dict[Any, tuple[str, int, list[Variable]]] = {}  # how, of which value, so far at each level
        for k in along:
            step = self.values[k]
            assert isinstance(step, Step)
            assert isinstance(step.of[0], int)
            collected[k] = (step.how, step.of[0], self._nothing_yet(step.of[0], step.how))
        for w in totals:
            collected[w] = ("sum", w.value, self._nothing_yet(w.value, "sum"))
        sums = [so_far for *_, so_far in collected.values() if len(so_far) > 1]
        with _vectors(self.length, self.text.lanes, sums) as (place, repeated):
            here = _Here(self, place, repeated)
            for k in (*(w.value for w in stored), *(k for _, k, _ in collected.values())):
                here.value(k)  # all is read before anything is written: a result may take the place of an operand
            for w in stored:
                if w.layout == FULL:
                    self.buffers[w.buffer].store(place + w.offset, here.value(w.value))
                elif w.layout == BY_COLUMN:
                    memory = self.sums[w.buffer]
                    memory.store(place, memory.load(place, self.text.lanes) + here.new(w.value))
            for how, k, (lowest, *_) in collected.values():
                if how == "max":
                    lowest.set(intrinsic("maximum", lowest.get(), here.value(k)))
                else:
                    lowest.set(lowest.get() + here.new(k))
        for key, (how, _, so_far) in collected.items():
            result = _folded(so_far[-1].get(), how)
            if how == "mean":
                result = result / Number(self.builder, self.builder.sitofp(self.length.value, result.type))
            if isinstance(key, Wanted):
                self.buffers[key.buffer].store(0, result)
            else:
                self.scalars[key] = result

    def _nothing_yet(self, k: int, how: str) -> list[Variable]:
        start = ir.Constant(type_of(self.values[k].dtype), -np.inf if how == "max" else 0.0)
        levels = 1 if how == "max" else self.text.levels
        return [Variable(self.builder, Number(self.builder, start).spread(self.text.lanes)) for _ in range(levels)]

    def _scalar(self, k: int) -> Number:
        """A value that exists once for the row."""
        if k not in self.scalars:
            step = self.values[k]
            assert isinstance(step, Step)
            assert step.text is not None
            self.scalars[k] = applied(step.text, [self._scalar(o) if isinstance(o, int) else o for o in step.of])
        return self.scalars[k]

    def value(self, k: int, here: _Here) -> Number:
        """A value at some elements of the row."""
        value = self.values[k]
        if value.layout in (BY_ROW, SINGLE):
            return self._scalar(k).spread(self.text.lanes)
        if isinstance(value, Given):
            return self.arrays[k].load(here.place, self.text.lanes)
        if k in self.kept and self.turn > self.turns[k]:
            kept = self.kept[k]
            return self.buffers[kept.buffer].load(here.place + kept.offset, self.text.lanes)
        assert value.text is not None
        return applied(value.text, [here.value(o) if isinstance(o, int) else o for o in value.of])


class _Here:
    """The values at one place of a row."""

    def __init__(self, row: _Row, place: Number, repeated: Number) -> None:
        self._row = row
        self.place = place
        self._repeated = repeated
        self._values: dict[int, Number] = {}

    def value(self, k: int) -> Number:
        if k not in self._values:
            self._values[k] = self._row.value(k, self)
        return self._values[k]

    def new(self, k: int) -> Number:
        """The value, with 0 in the first lanes, which the vector before had already."""
        lanes, builder = self._row.text.lanes, self._row.builder
        order = Number(builder, ir.Constant(ir.VectorType(INT32, lanes), list(range(lanes))))
        repeated = Number(builder, builder.trunc(self._repeated.value, INT32)).spread(lanes)
        return select(order >= repeated, self.value(k), 0.0)


def _is_along(value: Given | Step) -> bool:
    return isinstance(value, Step) and value.how != "map"


@contextmanager
def _vectors(length: Number, lanes: int, sums: Sequence[list[Variable]] = ()) -> Iterator[tuple[Number, Number]]:
    """A loop over vectors: where each begins, and how many of its lanes the one before had.

    With sums, the loop is nested in others: one loop for each level of a sum.
    """
    with _blocks(0, length, lanes, sums, len(sums[0]) - 1 if sums else 0) as index:
        place = _smaller(index, length - lanes)
        yield place, index - place


@contextmanager
def _blocks(start: object, stop: Number, lanes: int, sums: Sequence[list[Variable]], level: int) -> Iterator[Number]:
    if level == 0:
        with loop(stop.builder, start, stop, lanes) as index:
            yield index
        return
    size = lanes * _ADDED**level
    with loop(stop.builder, start, stop, size) as first:
        with _blocks(first, _smaller(first + size, stop), lanes, sums, level - 1) as index:
            yield index
        for so_far in sums:
            below, here = so_far[level - 1], so_far[level]
            here.set(here.get() + below.get())
            below.set(below.get().constant(0.0))


def _folded(vector: Number, how: str) -> Number:
    """The lanes of a vector as one number, in an order that is always the same."""
    builder = vector.builder
    while vector.lanes > 1:
        half = vector.lanes // 2
        if half > 1:
            places = [ir.Constant(ir.VectorType(INT32, half), list(range(k, k + half))) for k in (0, half)]
            parts = [builder.shuffle_vector(vector.value, vector.value, place) for place in places]
        else:
            parts = [builder.extract_element(vector.value, ir.Constant(INT32, k)) for k in (0, 1)]
        low, high = (Number(builder, part) for part in parts)
        vector = intrinsic("maximum", low, high) if how == "max" else low + high
    return vector


def _array(word: Number, element: Any) -> Memory:
    """The elements of an array, given the word that stands for it."""
    builder, place = word.builder, abi.elements_at()
    if place is not None:
        word = Memory(builder, builder.inttoptr(word.value, POINTER), INT64).load(place // 8)
    return Memory(builder, builder.inttoptr(word.value, POINTER), element)


def _as_number(constant: Constant, like: Number) -> Number:
    kind = ir.IntType(1) if constant.dtype == np.bool_ else type_of(constant.dtype)
    number = Number(like.builder, ir.Constant(kind, constant.value))
    return number.spread(like.lanes) if like.lanes > 1 else number


def _smaller(a: Number, b: Number) -> Number:
    return select(a < b, a, b)


def _quotient(a: Number, b: Number) -> Number:
    return Number(a.builder, a.builder.sdiv(a.value, b.value))
