"""Windows on images, as kernels see them: where things lie in memory, and what stays in registers.

Values have the layout (images, sizes ..., channels). Images are padded a few at a time, in a place that stays in the cache.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import product
from math import prod
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir

from .engine import register_bytes, registers
from .language import INT64, Memory, Number, Variable, fma, loop, select

Sizes = tuple[int, ...]
Array = np.ndarray[Any, Any]

WORTH_A_CORE = 1 << 20  # multiplications
TERMS = 200  # added up in one register before the sum goes to memory: for accuracy, and to stay in the cache


class Geometry(NamedTuple):
    """A convolution of images of one size: lengths for each axis (two at least), channels and filters for each group."""

    sizes: Sizes
    window: Sizes
    strides: Sizes
    dilations: Sizes
    padding: tuple[tuple[int, int], ...]
    outputs: Sizes
    groups: int
    channels: int
    filters: int

    @property
    def depth(self) -> int:
        """Channels of all groups."""
        return self.groups * self.channels

    @property
    def width(self) -> int:
        """Filters of all groups."""
        return self.groups * self.filters

    @property
    def pads(self) -> bool:
        return any(low or high for low, high in self.padding)

    @property
    def padded(self) -> Sizes:
        return tuple(n + low + high for n, (low, high) in zip(self.sizes, self.padding, strict=True))

    @property
    def steps(self) -> Sizes:
        """How many elements of a padded image lie from one place to the next, for each axis."""
        return steps_of(self.padded, self.depth)

    @property
    def moves(self) -> Sizes:
        """The same from one window to the next."""
        return tuple(step * stride for step, stride in zip(self.steps, self.strides, strict=True))

    @property
    def apart(self) -> Sizes:
        """The same from one place of a window to the next."""
        return tuple(step * dilation for step, dilation in zip(self.steps, self.dilations, strict=True))

    @property
    def multiplications(self) -> int:
        """For one image."""
        return prod(self.outputs) * prod(self.window) * self.channels * self.width


def steps_of(sizes: Sizes, last: int) -> Sizes:
    """How many elements lie from one place to the next on each axis, where each place has `last` elements."""
    return tuple(prod(sizes[axis + 1 :]) * last for axis in range(len(sizes)))


class Target(NamedTuple):
    """Where a convolution writes in the images of a result: how large they are, the first output, and the steps between."""

    image: int
    first: int
    steps: Sizes


def everything(shape: Geometry) -> Target:
    """All of a result."""
    return Target(prod(shape.outputs) * shape.width, 0, steps_of(shape.outputs, shape.width))


def lanes_of(dtype: Any) -> int:
    """How many numbers a vector has."""
    return register_bytes() // int(np.dtype(dtype).itemsize)


def unit_size(units: int, multiplications: int) -> int:
    """How many of so many units of work, with so many multiplications in all, are worth a core."""
    return -(-WORTH_A_CORE * units // max(1, multiplications))


def summed_lines(shape: Geometry) -> int:
    """How many output lines make up about TERMS terms of a sum."""
    lines = prod(shape.outputs[:-1])
    return -(-lines // -(-lines // max(1, TERMS // shape.outputs[-1])))


# --- what stays in registers -----------------------------------------------------------------------------------------------


class Tile(NamedTuple):
    """A rectangle of places, each with some vectors."""

    lines: int
    length: int
    vectors: int

    def counts(self, lines: int, length: int) -> Sizes:
        """How many tiles cover a rectangle."""
        return -(-lines // self.lines), -(-length // self.length)


def best_tile(lines: int, length: int, vectors: int, exact: bool = False) -> Tile:
    """The tile that covers a rectangle of places, with so many vectors each, in the fewest cycles.

    At each step a tile loads a number for each place and its vectors, and multiplies and adds each with each: two loads and
    two products for each cycle. `exact` asks for tiles that cover nothing twice.
    """
    room = registers() - 2
    tiles = [
        Tile(a, b, v)
        for v in range(1, min(vectors, 6) + 1)
        for a in range(1, min(lines, room // v) + 1)
        for b in range(1, min(length, room // v // a) + 1)
        if a * b * v + v <= room and not (exact and (lines % a or length % b))
    ]

    def cycles(tile: Tile) -> tuple[float, int]:
        places = tile.lines * tile.length
        loads, products = places + tile.vectors, places * tile.vectors
        count = prod(tile.counts(lines, length)) * -(-vectors // tile.vectors)
        # Vectors come from a larger part of memory than numbers do: few of them are better.
        return count * (max(products / 2, loads / 2, 4.0) + places / 16 + tile.vectors / 4 + 1), tile.lines

    return min(tiles, key=cycles)


def sums_of(zero: Number, rows: int, vectors: int) -> list[list[Variable]]:
    """Registers that begin with zero."""
    return [[Variable(zero.builder, zero) for _ in range(vectors)] for _ in range(rows)]


def total_of(sums: Array) -> Array:
    """The sum of the sums along the first axis, in their order."""
    return sums[0] if len(sums) == 1 else np.asarray(np.add.reduce(sums, axis=0))


def multiply_add(sums: list[Variable], x: Number | list[Number], vectors: list[Number]) -> None:
    """Add x times each vector to its sum; x may have one number for each."""
    for k, (total, vector) in enumerate(zip(sums, vectors, strict=True)):
        total.set(fma(x[k] if isinstance(x, list) else x, vector, total.get()))


def mask_of(first: Number, limit: int, lanes: int) -> Number:
    """Which lanes of a vector that begins at element `first` lie below `limit`."""
    numbers = Number(first.builder, ir.Constant(ir.VectorType(INT64, lanes), list(range(lanes))))
    return numbers + first.spread(lanes) < limit


def masks_of(first: Number, vectors: int, limit: int, lanes: int) -> list[Number | None]:
    """The same for vectors that follow each other: none where all of them are always whole."""
    if limit % (vectors * lanes) == 0:
        return [None] * vectors
    return [mask_of(first + v * lanes, limit, lanes) for v in range(vectors)]


# --- loops and places ------------------------------------------------------------------------------------------------------


@contextmanager
def all_places(
    builder: ir.IRBuilder, counts: Sizes, steps: Sizes, bounds: Sequence[tuple[Any, Any]] = ()
) -> Iterator[tuple[Number, Number]]:
    """Nested loops over some axes: the offset of a place, and its number. The first axes may have bounds."""
    offset = number = Number(builder, ir.Constant(INT64, 0))
    with ExitStack() as loops:
        for axis, (count, step) in enumerate(zip(counts, steps, strict=True)):
            index = loops.enter_context(loop(builder, *(bounds[axis] if axis < len(bounds) else (0, count))))
            offset, number = offset + index * step, number * count + index
        yield offset, number


def coordinates(number: Number, counts: Sizes) -> list[Number]:
    """The indices of the place with this number in row-major order."""
    found = []
    for axis in reversed(range(len(counts))):
        found.append(number % counts[axis] if axis else number)
        number = number // counts[axis]
    return found[::-1]


def place_of(indices: list[Number], steps: Sizes) -> Number:
    """Where a place lies."""
    total = indices[0] * steps[0]
    for index, step in zip(indices[1:], steps[1:], strict=True):
        total = total + index * step
    return total


def rectangle(tile: Tile, steps: Sizes) -> list[int]:
    """Where the places of a tile lie, from its first one."""
    return [a * steps[-2] + b * steps[-1] for a, b in product(range(tile.lines), range(tile.length))]


def begin(index: Number, tile: int, size: int) -> Number:
    """Where a tile begins along an axis: the last one so early that it is whole. Some places are then computed twice."""
    start = index * tile
    return start if size % tile == 0 else select(start > size - tile, size - tile, start)


def inside(shape: Geometry, corner: list[Number], lines: int) -> list[tuple[Any, Any]]:
    """For all axes but the last, which places of a window meet more than padding, for outputs from a corner on."""
    bounds: list[tuple[Any, Any]] = []
    for axis, output in enumerate(corner[:-1]):
        stride, dilation, (low, high) = shape.strides[axis], shape.dilations[axis], shape.padding[axis]
        if not low and not high:
            bounds.append((0, shape.window[axis]))
            continue
        behind = lines - 1 if axis == len(corner) - 2 else 0
        first = (output + behind) * -stride + (low + dilation - 1)
        last = (output * -stride + (low + shape.sizes[axis] - 1 + dilation)) // dilation
        first = select(first < 0, 0, first) // dilation
        bounds.append((first, select(last > shape.window[axis], shape.window[axis], last)))
    return bounds


@contextmanager
def wholes(start: Number, stop: Number, size: int) -> Iterator[tuple[Number, Number, Number]]:
    """From `start` to `stop` in wholes of `size`: the number of a whole, and the range of its parts."""
    with loop(start.builder, start // size, (stop + (size - 1)) // size) as whole:
        first, last = start - whole * size, stop - whole * size
        yield whole, select(first < 0, 0, first), select(last > size, size, last)


# --- padding ---------------------------------------------------------------------------------------------------------------


def padded(shape: Geometry, images: Memory, first: Number, last: Number, room: Memory) -> tuple[Memory, int]:
    """Images from `first` to `last`, in the middle of `room` if there is padding, and how far apart they lie."""
    size = prod(shape.sizes) * shape.depth
    if not shape.pads:
        return images.from_(first * size), size
    apart, line = prod(shape.padded) * shape.depth, shape.sizes[-1] * shape.depth
    corner = sum(low * step for (low, _), step in zip(shape.padding, shape.steps, strict=True))
    with (
        loop(first.builder, 0, last - first) as number,
        all_places(first.builder, shape.sizes[:-1], shape.steps[:-1]) as (offset, place),
    ):
        room.copy(number * apart + offset + corner, images.from_((first + number) * size + place * line), line)
    return room, apart


def room_for(shape: Geometry, images: int, dtype: Any) -> Array:
    """Memory for padded images; the borders are zero and stay so."""
    return np.zeros(images * prod(shape.padded) * shape.depth if shape.pads else 0, dtype)
