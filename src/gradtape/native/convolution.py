"""Convolutions without copies of windows: a tile of the result stays in registers while a sum runs.

    conv               a tile is some output pixels x some vectors of filters: each input of the window is spread over a vector
                       and multiplied by the vectors of filters
    input_gradient     a convolution of g, or one for each remainder of a place by the stride
    filter_gradient    a tile is some inputs of the window x some vectors of filters; the sum runs over output pixels

The order of additions does not depend on the number of threads.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from itertools import product
from math import prod
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir

from ..base.dtypes import Array
from . import thresholds
from .engine import Kernel
from .language import Memory, Number, array_at, kernel_module, loop, select, type_of
from .windows import (
    Geometry,
    Kind,
    Sizes,
    Target,
    Tile,
    all_places,
    band_of,
    best_tile,
    blocks_of,
    coordinates,
    everything,
    inside,
    lanes_of,
    masks_of,
    multiply_add,
    padded,
    pixels_of,
    place_of,
    places_from,
    places_of,
    portions_from,
    portions_of,
    product_of,
    run_on_images,
    smaller,
    steps_of,
    sums_of,
    times,
    total_of,
    wholes,
)

_PARTS = 16  # of which the work on a filter gradient should at least consist


class _Runs(NamedTuple):
    """The inputs of a group's window as runs in memory: how many there are along the first axes, and how long they are."""

    counts: Sizes
    length: int


def _runs(kind: Kind) -> _Runs:
    if kind.groups == 1 and kind.dilations[-1] == 1:  # places of a line follow each other
        return _Runs(kind.window[:-1], kind.window[-1] * kind.channels)
    return _Runs(kind.window, kind.channels)


def _rectangle(corner: Memory, tile: Tile, line: Any, step: int) -> list[tuple[Memory, int]]:
    """The places of a tile."""
    lines = [corner.from_(line * a) if a else corner for a in range(tile.lines)]
    return [(memory, b * step) for memory in lines for b in range(tile.length)]


# --- convolution -----------------------------------------------------------------------------------------------------------


class _Setting(NamedTuple):
    """What the kernel of a geometry is given, besides arrays."""

    kernel: Kernel
    numbers: list[int]
    images: int  # worked on together
    units: int
    panel: int  # how many filters a panel has


def conv(x: Array, filters: Array, shape: Geometry, result: Array, target: Target | None = None) -> None:
    """Write the convolution of images with filters (window ..., channels, groups, filters) to a result.

    Images and the result are contiguous. Without a target, all of the result is written.
    """
    setting = _conv_setting(shape, target or everything(shape), x.dtype)
    panels = _panels(filters, shape, setting.panel)
    units = x.shape[0] * setting.units
    run_on_images(setting.kernel, (x, panels, result), setting.numbers, shape, units, setting.images)


@functools.lru_cache(maxsize=1024)
def _conv_setting(shape: Geometry, target: Target, dtype: np.dtype[Any]) -> _Setting:
    """Units are lines of tiles. Small images are worked on together, large ones in bands."""
    lanes = lanes_of(dtype)
    tile = best_tile(shape.outputs[-2], shape.outputs[-1], -(-shape.filters // lanes))
    rows = (*shape.outputs[:-2], -(-shape.outputs[-2] // tile.lines))
    pixels = thresholds.CONV_PANEL_PIXELS
    units, images = prod(rows), -(-pixels // prod(shape.outputs))
    band = max(1, band_of(shape, dtype.itemsize, pixels) // (tile.lines if len(rows) == 1 else 1)) * prod(rows[1:])
    numbers = [*places_of(shape, target), images, images * units if images > 1 else band]
    kernel = _conv_kernel(shape.kind, tile, target.steps[-1], dtype)
    return _Setting(kernel, numbers, images, units, tile.vectors * lanes)


def _panels(filters: Array, shape: Geometry, width: int) -> Array:
    """Filters as (groups, panels, inputs of the window, width), with zeros behind the last ones."""
    count = -(-shape.filters // width)
    make = np.empty if count * width == shape.filters else np.zeros
    panels = make((shape.groups, count, *shape.window, shape.channels, width), filters.dtype)
    for panel in range(count):
        some = filters[..., panel * width : (panel + 1) * width]
        panels[:, panel, ..., : some.shape[-1]] = np.moveaxis(some, -2, 0)
    return panels


@functools.lru_cache(maxsize=512)
def _conv_kernel(kind: Kind, tile: Tile, step: int, dtype: np.dtype[Any]) -> Kernel:
    module, builder, arguments, start, stop = kernel_module("conv")
    element, lanes = type_of(dtype), lanes_of(dtype)
    images, panels, results, room = (array_at(arguments, k, element) for k in range(4))
    places, after = places_from(arguments, 4, kind, step)
    together, band = arguments.load(after), arguments.load(after + 1)
    moves, apart, runs = times(places.steps, kind.strides), times(places.steps, kind.dilations), _runs(kind)
    width, move = tile.vectors * lanes, kind.depth * kind.strides[-1]
    count = -(-kind.filters // width)
    zero = Number(builder, ir.Constant(element, 0.0)).spread(lanes)
    *planes, height, length = places.outputs
    rows, columns = (height + (tile.lines - 1)) // tile.lines, (length + (tile.length - 1)) // tile.length
    counts = [*planes, rows]
    units, plane = product_of(counts), product_of(counts[1:])
    with wholes(start, stop, units * together) as (whole, first, last), loop(builder, first, last, band) as upper:
        lower = smaller(upper + band, last)
        first_image, last_image = upper // units, (lower + units - 1) // units
        # The outputs of these units on the first axis: all of them, where several images are worked on together.
        size, lines, several = places.outputs[0], 1 if planes else tile.lines, together > 1
        begin = select(several, 0, smaller(upper // plane * lines, size - lines))
        end = select(several, size, smaller((lower + plane - 1) // plane * lines, size))
        number = whole * together
        seen = padded(kind, places, images, room, number + first_image, number + last_image, (begin, end))
        with (
            loop(builder, 0, kind.groups) as group,
            loop(builder, 0, count) as panel,
            loop(builder, upper, lower) as unit,
            loop(builder, 0, columns) as column,
        ):
            image, *indices = coordinates(unit, [1, *counts])
            # The last tile begins so early that it is whole: some pixels are computed twice.
            corner = [
                *indices[:-1],
                smaller(indices[-1] * tile.lines, height - tile.lines),
                smaller(column * tile.length, length - tile.length),
            ]
            here = seen.from_((image - first_image) * places.padded + place_of(corner, moves) + group * kind.channels)
            weights = panels.from_((group * count + panel) * (kind.inputs * width))
            sums = sums_of(zero, tile.lines * tile.length, tile.vectors)
            bounds = inside(kind, places, corner, tile.lines)
            with (
                all_places(builder, runs.counts, apart[: len(runs.counts)], bounds) as (offset, place),
                loop(builder, 0, runs.length) as index,
            ):
                row = weights.from_((place * runs.length + index) * width)
                vectors = [row.load(v * lanes, lanes) for v in range(tile.vectors)]
                for pixel, (memory, at) in enumerate(_rectangle(here.from_(offset + index), tile, moves[-2], move)):
                    multiply_add(sums[pixel], memory.load(at).spread(lanes), vectors)
            outputs = results.from_((number + image) * places.result + place_of(corner, places.target) + places.first)
            outputs = outputs.from_(group * kind.filters + panel * width)
            masks = masks_of(panel * width, tile.vectors, kind.filters, lanes)
            for pixel, (memory, at) in enumerate(_rectangle(outputs, tile, places.target[-2], step)):
                for v, mask in enumerate(masks):
                    memory.store(at + v * lanes, sums[pixel][v].get(), mask)
    builder.ret_void()
    return Kernel(module, "conv")


# --- gradient in the input -------------------------------------------------------------------------------------------------


class _Transposed(NamedTuple):
    """Inputs of one axis whose places have the same remainder by the stride: their gradients are a convolution of g."""

    first: int
    inputs: int
    taps: slice  # places of the window that reach them
    crop: slice  # outputs that reach them, and how many zeros around
    padding: tuple[int, int]


def _transposed(
    size: int, window: int, stride: int, dilation: int, padding: tuple[int, int], output: int
) -> list[_Transposed]:
    """The transpose of an axis, as convolutions that move by one. The stride or the dilation is 1."""
    found = []
    for remainder in range(stride):
        # Input i meets place k of output o where i + padding = stride * o + dilation * k. Inputs of one remainder meet the
        # places of that remainder; from one such input to the next, and one such place to the next, outputs move by one.
        taps = range(remainder, window, stride)
        begin = max(0, -(-(padding[0] - remainder) // stride))
        first = remainder + stride * begin - padding[0]
        inputs = -(-(size - first) // stride)
        if inputs > 0:
            low, high = (len(taps) - 1) * dilation - begin, begin + inputs - output
            crop = slice(max(0, -low), output - max(0, -high))
            around = max(low, 0), max(high, 0)
            found.append(_Transposed(first, inputs, slice(remainder, None, stride), crop, around))
    return found


class _Part(NamedTuple):
    """A part of a gradient in the input: which places of the window and which outputs it takes, and where it writes."""

    taps: tuple[slice, ...]
    crop: tuple[slice, ...]
    shape: Geometry
    target: Target


@functools.lru_cache(maxsize=1024)
def _parts_of(shape: Geometry) -> tuple[list[_Part], bool]:
    """The parts of a gradient in the input, and whether they cover all of it."""
    depth, found = shape.kind.depth, []
    steps = steps_of(shape.sizes, depth)
    classes = [_transposed(*axis) for axis in zip(*shape[:6], strict=True)]
    for axes in product(*classes):
        window = tuple(len(range(*axis.taps.indices(size))) for axis, size in zip(axes, shape.window, strict=True))
        sizes = tuple(axis.crop.stop - axis.crop.start for axis in axes)
        if min(*window, *sizes) < 1:
            continue  # no window reaches these inputs
        part = Geometry(
            sizes=sizes,
            window=window,
            strides=(1,) * len(axes),
            dilations=shape.dilations,
            padding=tuple(axis.padding for axis in axes),
            outputs=tuple(axis.inputs for axis in axes),
            groups=shape.groups,
            channels=shape.filters,
            filters=shape.channels,
        )
        first = sum(axis.first * step for axis, step in zip(axes, steps, strict=True))
        target = Target(prod(shape.sizes) * depth, first, tuple(times(steps, shape.strides)))
        found.append(_Part(tuple(axis.taps for axis in axes), tuple(axis.crop for axis in axes), part, target))
    return found, len(found) == prod(map(len, classes))


def input_gradient(g: Array, filters: Array, shape: Geometry, convolve: Callable[..., None] = conv) -> Array:
    """The gradient of images, by `conv` or a function like it; along each axis the stride or the dilation is 1."""
    parts, all_covered = _parts_of(shape)
    result = (np.empty if all_covered else np.zeros)((g.shape[0], *shape.sizes, shape.kind.depth), g.dtype)
    turned = filters.swapaxes(-1, -3)  # filters as channels
    backwards = (slice(None, None, -1),) * len(shape.sizes)
    for part in parts:
        some, given = turned[part.taps][backwards], g[(slice(None), *part.crop)]
        convolve(np.ascontiguousarray(given), some, part.shape, result, part.target)
    return result


# --- gradient in the filters -----------------------------------------------------------------------------------------------


def _filter_tile(kind: Kind, lanes: int) -> tuple[Tile, Sizes]:
    """A tile, whose lines are runs, and how many there are: groups, panels of filters, runs ..., pieces of a run."""
    runs, vectors = _runs(kind), -(-kind.filters // lanes)
    tile = best_tile(runs.counts[-1], runs.length, vectors, exact=True)
    pieces = runs.counts[-1] // tile.lines, runs.length // tile.length
    return tile, (kind.groups, -(-vectors // tile.vectors), *runs.counts[:-1], *pieces)


def filter_gradient(x: Array, g: Array, shape: Geometry) -> Array:
    """The gradient (window ..., channels, groups * filters) of filters, from contiguous images and gradients."""
    kernel, places, tiles = _filter_setting(shape, x.dtype)
    # Few tiles: more chunks, so that there is something to do for all cores.
    portions = portions_of(shape, x.shape[0], -(-_PARTS // tiles))
    sums = np.zeros((portions.chunks, *shape.window, shape.channels, shape.groups * shape.filters), x.dtype)
    units = portions.chunks * tiles
    run_on_images(kernel, (x, g, sums), [*places, *portions], shape, units, portions.images)
    return total_of(sums)


@functools.lru_cache(maxsize=1024)
def _filter_setting(shape: Geometry, dtype: np.dtype[Any]) -> tuple[Kernel, list[int], int]:
    """The kernel, the numbers of its places, and how many tiles the result has: a unit is a tile of a chunk."""
    tiles = prod(_filter_tile(shape.kind, lanes_of(dtype))[1])
    return _filter_gradient_kernel(shape.kind, dtype), places_of(shape, everything(shape)), tiles


@functools.lru_cache(maxsize=512)
def _filter_gradient_kernel(kind: Kind, dtype: np.dtype[Any]) -> Kernel:
    module, builder, arguments, start, stop = kernel_module("filter_gradient")
    element, lanes = type_of(dtype), lanes_of(dtype)
    images, gradients, totals, room = (array_at(arguments, k, element) for k in range(4))
    places, after = places_from(arguments, 4, kind, kind.width)
    portions = portions_from(arguments, after)
    (tile, counts), runs = _filter_tile(kind, lanes), _runs(kind)
    width, move = tile.vectors * lanes, kind.depth * kind.strides[-1]
    moves, apart = times(places.steps, kind.strides), times(places.steps, kind.dilations)[: len(runs.counts)]
    zero = Number(builder, ir.Constant(element, 0.0)).spread(lanes)
    # Where the runs lie and their inputs, in an image and in the result; then the same for tiles.
    written = steps_of((*runs.counts, runs.length), kind.width)
    tile_size = (*(1,) * (len(runs.counts) - 1), tile.lines, tile.length)
    tiles_read, tiles_written = times([*apart, 1], tile_size), times(written, tile_size)
    *_, length = places.outputs
    lines = product_of(places.outputs[:-1])
    plane = product_of(places.outputs[1:-1])
    with wholes(start, stop, prod(counts)) as (chunk, first_tile, last_tile):
        total = totals.from_(chunk * (kind.inputs * kind.width))
        with blocks_of(portions, chunk, lines) as block:
            (first, last), (upper, lower) = block.images, block.lines
            seen = padded(kind, places, images, room, first, last, (upper // plane, (lower + plane - 1) // plane))
            with loop(builder, first_tile, last_tile) as index, loop(builder, *block.stretches) as stretch:
                group, panel, *place = coordinates(index, counts)
                corner = seen.from_(group * kind.channels + place_of(place, tiles_read))
                source = gradients.from_(first * places.result + group * kind.filters + panel * width)
                masks = masks_of(panel * width, tile.vectors, kind.filters, lanes)
                sums = sums_of(zero, tile.lines * tile.length, tile.vectors)
                with loop(builder, 0, last - first) as image, loop(builder, upper, lower) as line:
                    line_at = image * places.padded + place_of(coordinates(line, places.outputs[:-1]), moves[:-1])
                    outputs = source.from_(image * places.result + line * length * kind.width)
                    with pixels_of(portions, stretch, length) as pixel:
                        there = outputs.from_(pixel * kind.width)
                        vectors = [there.load(v * lanes, lanes, mask) for v, mask in enumerate(masks)]
                        here = corner.from_(line_at + pixel * move)
                        for row, (memory, at) in enumerate(_rectangle(here, tile, apart[-1], 1)):
                            multiply_add(sums[row], memory.load(at).spread(lanes), vectors)
                result = total.from_(group * kind.filters + panel * width + place_of(place, tiles_written))
                for row, (memory, at) in enumerate(_rectangle(result, tile, written[-2], kind.width)):
                    for v, mask in enumerate(masks):
                        old = memory.load(at + v * lanes, lanes, mask)
                        memory.store(at + v * lanes, old + sums[row][v].get(), mask)
    builder.ret_void()
    return Kernel(module, "filter_gradient")
