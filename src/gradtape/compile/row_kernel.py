"""A group of instructions as a function of arrays that calls machine code."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.types import Look
from ..native import pool, thresholds
from ..native.rows import (
    BY_COLUMN,
    BY_ROW,
    FLAT,
    FULL,
    SINGLE,
    Constant,
    Given,
    Step,
    Text,
    Wanted,
    kernel_of,
    lanes_for,
    levels_for,
    packed_rows,
)

_EXPONENTIAL = 24  # instructions of an exponential, about
_ADDED = 256  # rows that are added one after the other, in sums down the columns


@dataclass(frozen=True)
class Made:
    """A value that a group makes. `how`: what a `Step` does, or

    "beside": values beside each other in one array; "down": the sum of all rows; "total": the sum of all elements
    """

    number: int
    how: str
    text: Any
    of: tuple[int | Constant, ...]
    look: Look
    layout: str


class RowKernel:
    """A group as a function of arrays.

    Args:
        size: How many elements there are.
        columns: How many of them are in a row; None where it does not matter.
        given: Types and layouts of the operands, by number, in the order of the call.
        constants: Arrays that are operands too, and their layouts.
        made: What is computed, in order.
        outputs: What is returned, by number.
        spare: Operands that may be written to.
        own: Operands, and results that may take their memory if the call says so.
        instructions: How many of machine code there are for each element, about.
    """

    def __init__(
        self,
        size: int,
        columns: int | None,
        given: dict[int, tuple[np.dtype[Any], str]],
        constants: dict[int, tuple[Any, str]],
        made: list[Made],
        outputs: Sequence[int],
        spare: set[int],
        own: dict[int, int],
        instructions: int = 0,
    ) -> None:
        self._size, self._columns = size, columns or FLAT
        self._is_flat = columns is None
        rows = -(-size // self._columns)
        down = any(value.how == "down" for value in made)
        # Where rows are added up, in parts whose number depends on the shape alone.
        self._unit = 1 if not down else rows if rows <= _ADDED else max(_ADDED // 4, math.isqrt(rows))
        self._units = -(-rows // self._unit)
        # (The part was measured with one exponential for each element.)
        part = thresholds.ROWS_PART_ELEMENTS * _EXPONENTIAL // max(_EXPONENTIAL, instructions)
        self._smallest = max(1, part // (self._unit * self._columns))
        self._constants = [array for array, _ in constants.values()]
        operands = [Given(*look) for look in given.values()]
        operands += [Given(array.dtype, layout) for array, layout in constants.values()]
        places = {number: place for place, number in enumerate((*given, *constants))}
        steps: list[Step] = []
        for value in made:
            if value.how not in ("beside", "down", "total"):
                places[value.number] = len(operands) + len(steps)
                of = tuple(o if isinstance(o, Constant) else places[o] for o in value.of)
                steps.append(Step(value.how, value.text, of, value.look[1], value.layout))
        by_number = {value.number: value for value in made}
        results = [by_number[number] for number in outputs]
        self._hows = [value.how for value in results]
        self._shapes = [value.look[0] for value in results]
        self._rooms = [(self._room(value, rows), value.look[1]) for value in results]
        wanted = [w for buffer, value in enumerate(results) for w in self._wanted(value, buffer, places)]
        self._layouts = [operand.layout for operand in operands]
        self._strides = [self._stride(operand.layout) for operand in operands]
        self._strides += [
            1 if value.how == "total" else self._stride(value.layout) * (len(value.of) if value.how == "beside" else 1)
            for value in results
        ]
        dtypes = [o.dtype for o in operands] + [step.dtype for step in steps] + [dtype for _, dtype in self._rooms]
        lanes = lanes_for(
            min(self._columns, size), dtypes
        )  # the last vector reaches back, not beyond the first element
        if own and size % lanes and not size % (lanes // 2):
            lanes //= 2
        self._into: dict[int, int] = {}  # which results take the memory of which operands
        self._asked: list[int] = []  # those for which the call decides
        if self._one_by_one(steps, lanes):
            order = list(given)
            self._asked = [list(outputs).index(result) for result in own.values()]
            self._into = {buffer: order.index(number) for buffer, number in zip(self._asked, own, strict=True)}
            self._find_room([order.index(number) for number in order if number in spare], results)
        self._finishes = any(how in ("down", "total") for how in self._hows)
        buffers, levels = tuple(dtype for _, dtype in self._rooms), levels_for(self._columns, lanes)
        self._kernel = kernel_of(Text(tuple(operands), tuple(steps), tuple(wanted), buffers, lanes, levels))

    def _stride(self, layout: str) -> int:
        return {FULL: self._columns, BY_ROW: 1}.get(layout, 0)

    def _room(self, value: Made, rows: int) -> tuple[int, ...]:
        return {"down": (self._units, self._columns), "total": (rows,)}.get(value.how, value.look[0])

    def _wanted(self, value: Made, buffer: int, places: dict[int, int]) -> list[Wanted]:
        of = [places[number] for number in value.of if isinstance(number, int)]
        if value.how == "beside":
            return [Wanted(place, FULL, buffer, k * self._columns) for k, place in enumerate(of)]
        if value.how in ("down", "total"):
            return [Wanted(of[0], BY_COLUMN if value.how == "down" else SINGLE, buffer)]
        return [Wanted(places[value.number], value.layout, buffer)]

    def _one_by_one(self, steps: list[Step], lanes: int) -> bool:
        """Whether each element is read once, and before it is overwritten."""
        return all(step.how == "map" for step in steps) and not (self._columns % lanes or self._size % lanes)

    def _find_room(self, spare: list[int], results: list[Made]) -> None:
        for buffer, value in enumerate(results):
            if buffer in self._into or value.how != "map" or value.layout != FULL:
                continue
            for place in spare:
                if self._layouts[place] == FULL and place not in self._into.values():
                    self._into[buffer] = place
                    break

    def __call__(self, *operands: Any, own: tuple[bool, ...] = ()) -> Any:
        arrays: list[Any] = [*operands, *self._constants]
        strides = self._strides
        for place, layout in enumerate(self._layouts):
            array = arrays[place]
            if layout == SINGLE:
                if array.__class__ is not np.ndarray:
                    arrays[place] = np.asarray(array)
            elif not array.flags.c_contiguous:
                if layout == FULL and not self._is_flat and _has_rows(array):
                    strides = list(strides) if strides is self._strides else strides
                    strides[place] = array.strides[0] // array.itemsize
                else:
                    arrays[place] = np.ascontiguousarray(array)
        refused = [buffer for buffer, may in zip(self._asked, own, strict=False) if not may]
        results = [
            self._taken(buffer, arrays) if buffer in self._into and buffer not in refused else np.empty(*room)
            for buffer, room in enumerate(self._rooms)
        ]
        arguments = packed_rows(self._columns, self._size, self._unit, [*arrays, *results], strides)
        pool.run(self._kernel, arguments, self._units, self._smallest)
        return [self._finished(*result) for result in enumerate(results)] if self._finishes else results

    def _taken(self, buffer: int, arrays: list[Any]) -> Any:
        """The operand whose memory takes a result, or a new array."""
        shape, dtype = self._rooms[buffer]
        array = arrays[self._into[buffer]]
        fits = array.dtype == dtype and array.flags.c_contiguous and array.flags.writeable
        return array if fits else np.empty(shape, dtype)

    def _finished(self, buffer: int, result: Any) -> Any:
        how, shape = self._hows[buffer], self._shapes[buffer]
        if how == "down":
            return (result[0] if self._units == 1 else np.add.reduce(result, 0)).reshape(shape)
        if how == "total":
            total = np.add.reduce(result)
            return np.full(shape, total) if shape else total
        return result


def _has_rows(array: Any) -> bool:
    """Whether each row of a matrix is contiguous; there may be gaps between rows."""
    return bool(array.ndim == 2 and array.strides[1] == array.itemsize and array.strides[0] % array.itemsize == 0)
