"""Windows on images inside kernels: the memory layout, and what stays in registers.

Values have the layout (images, sizes ..., channels). Sizes are numbers that a kernel is given; windows, strides, dilations,
channels and filters are written into it. Padded images are made a few lines at a time, in a place that stays in the cache.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from math import prod
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir

from ..base.dtypes import Array
from . import pool, thresholds
from .engine import Kernel, packed, register_bytes, registers
from .geometry import Sizes as Sizes
from .language import INT64, Memory, Number, Variable, fma, loop, select

_TERMS = 200  # added up in one register before the sum goes to memory: for accuracy, and to stay in the cache
_SUMS = 64  # added up in one place of memory


class Kind(NamedTuple):
    """What is written into a kernel. Channels and filters are those of one group."""

    window: Sizes
    strides: Sizes
    dilations: Sizes
    pads: tuple[bool, ...]
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
    def inputs(self) -> int:
        """Inputs of a window, in one group."""
        return prod(self.window) * self.channels


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
    def kind(self) -> Kind:
        pads = tuple(any(pair) for pair in self.padding)
        return Kind(self.window, self.strides, self.dilations, pads, self.groups, self.channels, self.filters)

    @property
    def padded(self) -> Sizes:
        return tuple(n + low + high for n, (low, high) in zip(self.sizes, self.padding, strict=True))

    @property
    def multiplications(self) -> int:
        """For one image."""
        return prod(self.outputs) * prod(self.window) * self.channels * self.groups * self.filters


class Target(NamedTuple):
    """Where a convolution writes in the images of a result: how large they are, the first output, and the steps between."""

    image: int
    first: int
    steps: Sizes


def steps_of(sizes: Sizes, last: int) -> Sizes:
    """How many elements lie from one place to the next on each axis, where each place has `last` elements."""
    return tuple(prod(sizes[axis + 1 :]) * last for axis in range(len(sizes)))


@functools.lru_cache(maxsize=1024)
def everything(shape: Geometry) -> Target:
    """All of a result."""
    width = shape.kind.width
    return Target(prod(shape.outputs) * width, 0, steps_of(shape.outputs, width))


class Places(NamedTuple):
    """What a kernel is given: how large images are, and how many elements lie between one place and the next."""

    sizes: Any
    outputs: Any
    low: Any  # padding before the first place
    steps: Any  # in padded images
    target: Any  # in the result
    image: Any  # elements of an image
    padded: Any
    result: Any  # elements of an image of the result
    first: Any  # where the first output lies in it


def places_of(shape: Geometry, target: Target) -> list[int]:
    """The numbers for `Places`, as arguments of a kernel."""
    depth = shape.kind.depth
    low = tuple(pair[0] for pair in shape.padding)
    axes = (shape.sizes, shape.outputs, low, steps_of(shape.padded, depth), target.steps)
    image = prod(shape.sizes) * depth
    padded = prod(shape.padded) * depth if any(shape.kind.pads) else image
    return [*(n for axis in axes for n in axis), image, padded, target.image, target.first]


def places_from(arguments: Memory, first: int, kind: Kind, step: int) -> tuple[Places, int]:
    """The numbers of `Places` inside of a kernel, and where the next argument stands. Outputs of a line lie `step` apart."""
    rank = len(kind.window)
    axes = [[arguments.load(first + axis * rank + k) for k in range(rank)] for axis in range(5)]
    axes[3][-1], axes[4][-1] = (Number(arguments.builder, ir.Constant(INT64, n)) for n in (kind.depth, step))
    after = first + 5 * rank
    return Places(*axes, *(arguments.load(after + k) for k in range(4))), after + 4


def lanes_of(dtype: Any) -> int:
    """How many numbers a vector has."""
    return register_bytes() // int(np.dtype(dtype).itemsize)


def _unit_size(units: int, multiplications: int) -> int:
    """How many units justify a core of their own, of so many units with so many multiplications in all."""
    return max(1, -(-thresholds.CONV_PART_MULTIPLICATIONS * units // max(1, multiplications)))


def evenly(size: int, most: int) -> int:
    """The length of about equal parts that are not longer than this."""
    return -(-size // -(-size // max(1, most)))


# --- what stays in registers -----------------------------------------------------------------------------------------------


class Tile(NamedTuple):
    """A rectangle of places, each with some vectors."""

    lines: int
    length: int
    vectors: int


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
        count = -(-lines // tile.lines) * -(-length // tile.length) * -(-vectors // tile.vectors)
        # Vectors come from a larger part of memory than numbers do: few of them are better.
        return count * (max(products / 2, loads / 2, 4.0) + places / 16 + tile.vectors / 4 + 1), tile.lines

    return min(tiles, key=cycles)


def sums_of(zero: Number, rows: int, vectors: int) -> list[list[Variable]]:
    """Registers that begin with zero."""
    return [[Variable(zero.builder, zero) for _ in range(vectors)] for _ in range(rows)]


def multiply_add(sums: list[Variable], x: Number, vectors: list[Number]) -> None:
    """Add x times each vector to its sum."""
    for total, vector in zip(sums, vectors, strict=True):
        total.set(fma(x, vector, total.get()))


def masks_of(first: Number, vectors: int, limit: int, lanes: int) -> list[Number | None]:
    """Which lanes of vectors that begin at element `first` lie below `limit`: None where all of them always do."""
    if limit % (vectors * lanes) == 0:
        return [None] * vectors
    numbers = Number(first.builder, ir.Constant(ir.VectorType(INT64, lanes), list(range(lanes))))
    return [numbers + (first + v * lanes).spread(lanes) < limit for v in range(vectors)]


# --- sums over outputs -----------------------------------------------------------------------------------------------------


class Portions(NamedTuple):
    """A sum over all outputs of a batch, cut into portions that are added up in registers.

    Some portions are a chunk, which has a place in memory of its own. All lengths are bounded: the error of a sum depends
    neither on the number of its terms nor on how wide registers are. The numbers are arguments of a kernel.
    """

    images: Any  # worked on together
    lines: Any  # of an image, worked on together: a block
    pixels: Any  # of a line
    blocks: Any  # of an image
    stretches: Any  # of a line
    batch: Any
    count: Any  # of all portions
    chunks: Any


def portions_of(shape: Geometry, batch: int, fewest: int, images: int | None = None) -> Portions:
    """The portions of a batch, in `fewest` chunks at least where there are so many; `images` of them together, if given."""
    lines, length = prod(shape.outputs[:-1]), shape.outputs[-1]
    images = images or max(1, _TERMS // (lines * length))
    together, pixels = evenly(lines, _TERMS // length), evenly(length, _TERMS)
    blocks, stretches = -(-lines // together), -(-length // pixels)
    count = -(-batch // images) * blocks * stretches
    chunks = max(1, min(count, max(fewest, -(-count // _SUMS))))
    return Portions(images, together, pixels, blocks, stretches, batch, count, chunks)


def portions_from(arguments: Memory, first: int) -> Portions:
    """The numbers of `Portions` inside of a kernel."""
    return Portions(*(arguments.load(first + k) for k in range(len(Portions._fields))))


class Block(NamedTuple):
    """Lines of some images, and which stretches of them belong to a chunk: each a range."""

    images: tuple[Number, Number]
    lines: tuple[Number, Number]
    stretches: tuple[Number, Number]


@contextmanager
def blocks_of(portions: Portions, chunk: Number, lines: Number) -> Iterator[Block]:
    """A loop over the blocks of a chunk, of images with so many lines."""
    first, last = (portions.count * k // portions.chunks for k in (chunk, chunk + 1))
    with wholes(first, last, portions.stretches) as (block, *stretches):
        image, upper = block // portions.blocks * portions.images, block % portions.blocks * portions.lines
        images = image, smaller(image + portions.images, portions.batch)
        yield Block(images, (upper, smaller(upper + portions.lines, lines)), (stretches[0], stretches[1]))


@contextmanager
def pixels_of(portions: Portions, stretch: Number, length: Number) -> Iterator[Number]:
    """A loop over the pixels of a stretch of a line."""
    left = stretch * portions.pixels
    with loop(stretch.builder, left, smaller(left + portions.pixels, length)) as pixel:
        yield pixel


def total_of(sums: Array) -> Array:
    """The sum of the sums of all chunks."""
    while len(sums) > _SUMS:
        sums = np.add.reduceat(sums, range(0, len(sums), _SUMS), axis=0)
    return sums[0] if len(sums) == 1 else np.asarray(np.add.reduce(sums, axis=0))


# --- loops and places ------------------------------------------------------------------------------------------------------


@contextmanager
def all_places(
    builder: ir.IRBuilder, counts: Sequence[Any], steps: Sequence[Any], bounds: Sequence[tuple[Any, Any]] = ()
) -> Iterator[tuple[Number, Number]]:
    """Nested loops over some axes: the offset of a place, and its number. The first axes may have bounds."""
    offset = number = Number(builder, ir.Constant(INT64, 0))
    with ExitStack() as loops:
        for axis, (count, step) in enumerate(zip(counts, steps, strict=True)):
            index = loops.enter_context(loop(builder, *(bounds[axis] if axis < len(bounds) else (0, count))))
            offset, number = offset + index * step, number * count + index
        yield offset, number


def coordinates(number: Number, counts: Sequence[Any]) -> list[Number]:
    """The indices of the place with this number in row-major order; the first may be larger than its count."""
    found = []
    for count in reversed(counts[1:]):
        found.append(number % count)
        number = number // count
    return [number, *found[::-1]]


def place_of(indices: Sequence[Number], steps: Sequence[Any]) -> Number:
    """Where a place lies."""
    total: Number = indices[0] * steps[0]
    for index, step in zip(indices[1:], steps[1:], strict=True):
        total += index * step
    return total


def times(steps: Sequence[Any], factors: Sizes) -> list[Any]:
    """How far apart places lie that are some steps apart."""
    return [step * factor for step, factor in zip(steps, factors, strict=True)]


def product_of(numbers: Sequence[Any]) -> Any:
    """The product: 1 if there are none."""
    total: Any = 1
    for number in numbers:
        total = number * total
    return total


def smaller(x: Number, y: object) -> Number:
    """The smaller of two whole numbers."""
    return select(x > y, y, x)


def larger(x: Number, y: object) -> Number:
    """The larger of two whole numbers."""
    return select(x < y, y, x)


def inside(kind: Kind, places: Places, corner: Sequence[Number], lines: int) -> list[tuple[Any, Any]]:
    """For all axes but the last, which places of windows meet more than padding, for `lines` lines of outputs."""
    bounds: list[tuple[Any, Any]] = []
    for axis, output in enumerate(corner[:-1]):
        if not kind.pads[axis]:
            bounds.append((0, kind.window[axis]))
            continue
        stride, dilation = kind.strides[axis], kind.dilations[axis]
        behind = lines - 1 if axis == len(corner) - 2 else 0
        first = places.low[axis] + (dilation - 1) - (output + behind) * stride
        last = places.low[axis] + places.sizes[axis] + (dilation - 1) - output * stride
        bounds.append((larger(first, 0) // dilation, smaller(larger(last, 0) // dilation, kind.window[axis])))
    return bounds


@contextmanager
def wholes(start: Number, stop: Number, size: object) -> Iterator[tuple[Number, Number, Number]]:
    """From `start` to `stop` in wholes of `size`: the number of a whole, and the range of its parts."""
    with loop(start.builder, start // size, (stop + size - 1) // size) as whole:
        yield whole, larger(start - whole * size, 0), smaller(stop - whole * size, size)


# --- padding ---------------------------------------------------------------------------------------------------------------


def padded(
    kind: Kind,
    places: Places,
    images: Memory,
    room: Memory,
    first: Number,
    last: Number,
    outputs: tuple[Number, Number],
) -> Memory:
    """Images from `first` to `last`: where there is padding, copies in `room`, of what a range of outputs on the first axis
    sees. The borders in `room` are zero and stay so."""
    if not any(kind.pads):
        return images.from_(first * places.image)
    builder, line = first.builder, places.sizes[-1] * kind.depth
    reach = (kind.window[0] - 1) * kind.dilations[0] + 1
    upper = larger(outputs[0] * kind.strides[0] - places.low[0], 0)
    lower = smaller((outputs[1] - 1) * kind.strides[0] + reach - places.low[0], places.sizes[0])
    corner = place_of(places.low, places.steps)
    with (
        loop(builder, 0, last - first) as number,
        all_places(builder, places.sizes[:-1], places.steps[:-1], [(upper, lower)]) as (offset, place),
    ):
        source = images.from_((first + number) * places.image + place * line)
        room.copy(number * places.padded + offset + corner, source, line)
    return room


def _room_for(shape: Geometry, images: int, dtype: Any) -> Array:
    """Memory for padded images."""
    return np.zeros(images * prod(shape.padded) * shape.kind.depth if shape.padded != shape.sizes else 0, dtype)


def run_on_images(
    kernel: Kernel,
    arrays: tuple[Array, Array, Array],
    numbers: Sequence[int],
    shape: Geometry,
    units: int,
    images: int = 1,
) -> None:
    """Run a kernel on all cores: on images, what is multiplied with them and the result, with room for some padded images."""
    x = arrays[0]

    def arguments() -> Any:
        return packed(*arrays, _room_for(shape, images, x.dtype), *numbers)

    pool.run(kernel, arguments, units, _unit_size(units, x.shape[0] * shape.multiplications))


def band_of(shape: Geometry, itemsize: int, pixels: int) -> int:
    """How many output lines on the first axis are worked on together: as many as stay in the cache, and some pixels."""
    plane = prod(shape.padded[1:]) * shape.kind.depth * itemsize * shape.strides[0]
    return max(thresholds.CONV_BAND_BYTES // plane, -(-pixels // prod(shape.outputs[1:])), 1)
