"""What a native function does, step by step: NumPy calls on memory whose layout is known.

A `Buffer` is memory that one step writes; a `View` is what a step reads or writes of it. Both have the layout that NumPy would
give them, because the order of a sum, and so its last bits, depends on how its operand lies in memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]

GIVEN, MADE, CONSTANT = "given", "made", "constant"
GROWN = "grown"  # made by a loop, of a size that shows only while it runs


class Buffer:
    """Memory: an argument of the function, what a step makes, or a constant."""

    def __init__(self, kind: str, array: Array) -> None:
        self.kind = kind
        self.array = array  # of that layout: the constant itself, else what stands for it while steps are recorded

        self.is_viewed = False  # whether parts of it were taken while steps were recorded
        self.extra = 0  # bytes, of memory that no array stands for

    @property
    def bytes(self) -> int:
        return max(self.array.nbytes, self.extra, 1)


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """Elements of a buffer: where they begin and how far they are apart, in bytes."""

    buffer: Buffer
    offset: int
    shape: Shape
    strides: Shape
    dtype: np.dtype[Any]

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def broadcast(self, shape: Shape) -> View:
        """The same elements, repeated to fill a shape."""
        missing = len(shape) - len(self.shape)
        pairs = zip(self.shape, shape[missing:], self.strides, strict=True)
        strides = tuple(0 if size == 1 and wanted != 1 else stride for size, wanted, stride in pairs)
        return View(self.buffer, self.offset, shape, (0,) * missing + strides, self.dtype)


@dataclass(slots=True, eq=False)
class Step:
    """One step. Each buffer is written by one."""

    reads: list[View]
    writes: View

    @property
    def used(self) -> list[Buffer]:
        """The buffers that it reads."""
        return [view.buffer for view in self.reads]

    @property
    def made(self) -> list[Buffer]:
        """The buffers that it writes."""
        return [self.writes.buffer]


@dataclass(slots=True, eq=False)
class Elementwise(Step):
    """A function of each element: a ufunc, `where`, or a conversion to the type of the result."""

    name: str
    ufunc: np.ufunc | None = None


@dataclass(slots=True, eq=False)
class Reduction(Step):
    """A ufunc's reduction of the view over axes, into memory of the shape with these axes of size one."""

    ufunc: np.ufunc
    axes: tuple[int, ...]
    initial: Any = None  # what it begins with, if that is given


@dataclass(slots=True, eq=False)
class Product(Step):
    """A product of matrices in the last two axes."""


@dataclass(slots=True, eq=False)
class Assembly(Step):
    """Memory put together: zeros first if asked for, then each view in its place."""

    places: list[View]
    zeros: bool = False


@dataclass(slots=True, eq=False)
class Gathering(Step):
    """Elements of the first view in the order of the second: each stands so many bytes behind the first one."""


@dataclass(slots=True, eq=False)
class RowsRead(Step):
    """The rows of the first view at the positions that the second has, one after the other."""


@dataclass(slots=True, eq=False)
class RowsWritten(Step):
    """The first view with other rows: positions and rows are the last two."""

    in_place: bool = False  # whether the result lies where the first view does (see `Part.aliases`)
    is_row: bool = False  # whether it is one row, which Python lines write in place


@dataclass(slots=True, eq=False)
class RowsCombined(Step):
    """The first view, or zeros without one, with rows added (or subtracted...): positions and rows are the last two."""

    name: str = "add"
    skips: bool = False  # whether rows at negative positions are left out
    in_place: bool = False  # as above
    is_row: bool = False  # whether it is one row, which Python lines add in place


@dataclass(slots=True, eq=False)
class Accumulation(Step):
    """Running sums (or products...) of the view along an axis."""

    ufunc: np.ufunc
    axis: int


@dataclass(slots=True, eq=False)
class ExtremePlace(Step):
    """The place of the first of the largest (`>`) or smallest (`<`) elements along an axis."""

    sign: str
    axis: int


@dataclass(slots=True, eq=False)
class Ordering(Step):
    """The places of the elements along the last axis in increasing order, NaN last; equal ones keep their order."""


@dataclass(slots=True, eq=False)
class Sorting(Step):
    """The elements along an axis in increasing order, NaN last."""

    axis: int
    line: Buffer  # memory for the elements of one line, where they have gaps between them

    @property
    def made(self) -> list[Buffer]:
        return [self.writes.buffer, self.line]


@dataclass(slots=True, eq=False)
class MatrixFunction(Step):
    """NumPy's own loop of a function of matrices (LAPACK); where it fails, the steps end."""

    ufunc: np.ufunc
    core: tuple[int, ...]  # the sizes that the loop is given
    axes: tuple[int, ...]  # how many axes of each operand and result belong to a matrix
    others: list[View]  # further results
    in_place: bool = False  # whether the loop overwrites its operand: it is given a copy, which is the last result

    @property
    def made(self) -> list[Buffer]:
        return [self.writes.buffer, *(view.buffer for view in self.others)]


@dataclass(slots=True, eq=False)
class Called(Step):
    """A function of Python's, given arrays of what is read and of what it is to fill."""

    function: Callable[..., None]
    others: list[View]  # further results

    @property
    def made(self) -> list[Buffer]:
        return [self.writes.buffer, *(view.buffer for view in self.others)]


@dataclass(slots=True, eq=False)
class Check:
    """The steps end, and the same instructions run as Python lines, unless a truth value is as expected."""

    condition: View
    expected: bool

    @property
    def used(self) -> list[Buffer]:
        return [self.condition.buffer]

    @property
    def made(self) -> list[Buffer]:
        return []


# --- loops and branches ------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Part:
    """Steps inside of a loop or a branch, in their order, and the views that they end with."""

    order: list[AnyStep]
    results: list[View]
    registers: list[Buffer]  # values that registers have room for
    places: dict[Buffer, int]  # where the others lie in the scratch memory
    size: int  # how much of it is needed
    aliases: dict[Buffer, Buffer] = field(
        default_factory=dict
    )  # values that lie where others do, which nobody needs any more

    @property
    def outside(self) -> list[Buffer]:
        """The buffers that it does not make itself."""
        made = {buffer for step in self.order for buffer in step.made}
        used = [buffer for step in self.order for buffer in step.used] + [view.buffer for view in self.results]
        return [buffer for buffer in dict.fromkeys(used) if buffer not in made]


@dataclass(slots=True, eq=False)
class Rounds:
    """A loop; see `program.Loop`. The values that go round have memory of their own, which the rounds read and write."""

    count: View | None  # how many rounds, if there is no condition
    starts: list[View]
    states: list[View]
    sequences: list[tuple[View, Buffer]]  # what is gone through, and the memory that stands for one element
    collected: list[Buffer]  # what the rounds leave behind, one after the other
    moved: dict[
        int, Buffer
    ]  # by place: results that are other values of the round, copied before those are overwritten
    rounds: View  # the number of rounds, as a result
    condition: Part | None
    body: Part
    reverse: bool
    scratch: Buffer

    @property
    def used(self) -> list[Buffer]:
        found = [view.buffer for view in self.starts] + [view.buffer for view, _ in self.sequences]
        found += [] if self.count is None else [self.count.buffer]
        own = {view.buffer for view in self.states} | {element for _, element in self.sequences}
        inside = [*self.body.outside, *(self.condition.outside if self.condition is not None else ())]
        return [*found, *(buffer for buffer in inside if buffer not in own)]

    @property
    def made(self) -> list[Buffer]:
        return [*(view.buffer for view in self.states), *self.collected, self.rounds.buffer, self.scratch]


@dataclass(slots=True, eq=False)
class Choice:
    """A branch; see `program.Branch`."""

    number: View
    parts: list[Part]
    results: list[View]
    scratch: Buffer

    @property
    def used(self) -> list[Buffer]:
        return [self.number.buffer, *(buffer for part in self.parts for buffer in part.outside)]

    @property
    def made(self) -> list[Buffer]:
        return [*(view.buffer for view in self.results), self.scratch]


AnyStep = Step | Rounds | Choice | Check
