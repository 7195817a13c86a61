"""What a native function does, step by step: NumPy calls on memory whose layout is known.

A `Buffer` is memory that one step writes; a `View` is what a step reads or writes of it. Both have the layout that NumPy would
give them, because the order of a sum, and so its last bits, depends on how its operand lies in memory.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]

GIVEN, MADE, CONSTANT = "given", "made", "constant"


class Buffer:
    """Memory: an argument of the function, what a step makes, or a constant."""

    def __init__(self, kind: str, array: Array) -> None:
        self.kind = kind
        self.array = array  # of that layout: the constant itself, else what stands for it while steps are recorded

    @property
    def bytes(self) -> int:
        return max(self.array.nbytes, 1)


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
        return [view.buffer for view in self.reads]


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
