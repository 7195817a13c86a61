"""Convolutions without copies of windows: a tile of the result stays in registers while a sum runs.

    conv               a tile is some output pixels x some vectors of filters: each input of the window is spread over a vector
                       and multiplied by the vectors of filters
    input_gradient     a convolution of g, or one for each remainder of a place by the stride
    filter_gradient    a tile is some inputs of the window x some vectors of filters; the sum runs over output pixels

A kernel is written for one geometry and any number of images. The order of additions does not depend on the threads.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from itertools import product
from math import prod
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir

from . import pool
from .engine import Kernel, packed
from .language import Number, array_at, kernel_module, loop, select, type_of
from .windows import (
    TERMS,
    Array,
    Geometry,
    Sizes,
    Target,
    Tile,
    all_places,
    begin,
    best_tile,
    coordinates,
    everything,
    inside,
    lanes_of,
    masks_of,
    multiply_add,
    padded,
    place_of,
    rectangle,
    room_for,
    steps_of,
    summed_lines,
    sums_of,
    total_of,
    unit_size,
    wholes,
)

_PIXELS = 256  # for which a panel of filters should at least be used once it is in the cache
_PARTS = 16  # of which the work on a filter gradient should at least consist


class _Runs(NamedTuple):
    """The inputs of a group's window as runs in memory: how many on each axis, how far apart, how long."""

    counts: Sizes
    apart: Sizes
    length: int


def _runs(shape: Geometry) -> _Runs:
    if shape.groups == 1 and shape.dilations[-1] == 1:  # places of a line follow each other
        return _Runs(shape.window[:-1], shape.apart[:-1], shape.window[-1] * shape.channels)
    return _Runs(shape.window, shape.apart, shape.channels)


# --- convolution -----------------------------------------------------------------------------------------------------------


class _ConvTiles(NamedTuple):
    tile: Tile
    counts: Sizes  # for one image: planes ..., lines of tiles, tiles in a line
    panels: int  # of filters, for each group
    images: int  # worked on together

    @property
    def units(self) -> int:
        """Lines of tiles in an image."""
        return prod(self.counts[:-1])


@functools.lru_cache(maxsize=256)
def _conv_tiles(shape: Geometry, lanes: int) -> _ConvTiles:
    vectors = -(-shape.filters // lanes)
    tile = best_tile(shape.outputs[-2], shape.outputs[-1], vectors)
    counts = (*shape.outputs[:-2], *tile.counts(shape.outputs[-2], shape.outputs[-1]))
    return _ConvTiles(tile, counts, -(-vectors // tile.vectors), -(-_PIXELS // prod(shape.outputs)))


def conv(x: Array, filters: Array, shape: Geometry, result: Array, target: Target | None = None) -> None:
    """Write the convolution of images with filters (window ..., channels, groups * filters) to a result.

    Arrays are contiguous. Without a target, all of the result is written.
    """
    target = target or everything(shape)
    lanes = lanes_of(x.dtype)
    tiles = _conv_tiles(shape, lanes)
    kernel = _conv_kernel(shape, target, x.dtype)
    panels = _panels(filters, shape, tiles.panels, tiles.tile.vectors * lanes)

    def arguments() -> Any:
        return packed(x, panels, result, room_for(shape, tiles.images, x.dtype))

    units = x.shape[0] * tiles.units
    pool.run(kernel, arguments, units, unit_size(units, x.shape[0] * shape.multiplications))


def _panels(filters: Array, shape: Geometry, panels: int, width: int) -> Array:
    """Filters as (groups, panels, inputs of the window, width), with zeros behind the last ones."""
    inputs = prod(shape.window) * shape.channels
    split = filters.reshape(inputs, shape.groups, shape.filters)
    if panels * width != shape.filters:
        filled = np.zeros((inputs, shape.groups, panels * width), filters.dtype)
        filled[..., : shape.filters] = split
        split = filled
    return np.ascontiguousarray(split.reshape(inputs, shape.groups, panels, width).transpose(1, 2, 0, 3))


@functools.lru_cache(maxsize=256)
def _conv_kernel(shape: Geometry, target: Target, dtype: np.dtype[Any]) -> Kernel:
    module, builder, arguments, start, stop = kernel_module("conv")
    element, lanes = type_of(dtype), lanes_of(dtype)
    images, panels, results, room = (array_at(arguments, k, element) for k in range(4))
    tiles, runs = _conv_tiles(shape, lanes), _runs(shape)
    tile, width, inputs = tiles.tile, tiles.tile.vectors * lanes, prod(shape.window) * shape.channels
    zero = Number(builder, ir.Constant(element, 0.0)).spread(lanes)
    read, written = rectangle(tile, shape.moves), rectangle(tile, target.steps)
    with wholes(start, stop, tiles.units * tiles.images) as (number, first, last):
        first_image, number = first // tiles.units, number * tiles.images
        last_image = (last + (tiles.units - 1)) // tiles.units
        seen, apart = padded(shape, images, number + first_image, number + last_image, room)
        with (
            loop(builder, 0, shape.groups) as group,
            loop(builder, 0, tiles.panels) as panel,
            loop(builder, first, last) as unit,
            loop(builder, 0, tiles.counts[-1]) as column,
        ):
            image, *planes, line = coordinates(unit, (1, *tiles.counts[:-1]))
            corner = [
                *planes,
                begin(line, tile.lines, shape.outputs[-2]),
                begin(column, tile.length, shape.outputs[-1]),
            ]
            here = seen.from_((image - first_image) * apart + place_of(corner, shape.moves) + group * shape.channels)
            weights = panels.from_((group * tiles.panels + panel) * (inputs * width))
            sums = sums_of(zero, len(read), tile.vectors)
            with (
                all_places(builder, runs.counts, runs.apart, inside(shape, corner, tile.lines)) as (offset, place),
                loop(builder, 0, runs.length) as index,
            ):
                row, run = weights.from_((place * runs.length + index) * width), here.from_(offset + index)
                vectors = [row.load(v * lanes, lanes) for v in range(tile.vectors)]
                for pixel, offset_of_pixel in enumerate(read):
                    multiply_add(sums[pixel], run.load(offset_of_pixel).spread(lanes), vectors)
            outputs = results.from_((number + image) * target.image + place_of(corner, target.steps) + target.first)
            outputs = outputs.from_(group * shape.filters + panel * width)
            for v, mask in enumerate(masks_of(panel * width, tile.vectors, shape.filters, lanes)):
                for pixel, offset_of_pixel in enumerate(written):
                    outputs.store(offset_of_pixel + v * lanes, sums[pixel][v].get(), mask)
    builder.ret_void()
    return Kernel(module, "conv")


# --- gradient in the input -------------------------------------------------------------------------------------------------


class Transposed(NamedTuple):
    """Inputs of one axis whose places have the same remainder by the stride: their gradients are a convolution of g."""

    first: int  # of these inputs
    inputs: int
    taps: slice  # places of the window that reach them
    crop: slice  # outputs that reach them, with zeros around
    padding: tuple[int, int]


def transposed(
    size: int, window: int, stride: int, dilation: int, padding: tuple[int, int], output: int
) -> list[Transposed]:
    """The transpose of an axis as convolutions that move by one (of windows with the same dilation, or stride 1)."""
    found = []
    for remainder in range(stride):
        # Input i meets place k of output o where i + padding = stride * o + dilation * k.
        taps = -(-(window - remainder) // stride) if stride > 1 else window
        reach = (taps - 1) * dilation
        begin = -(-(padding[0] - remainder) // stride)
        begin = max(begin, 0) if remainder >= padding[0] else begin
        first = remainder + stride * begin - padding[0]
        count = -(-(size - first) // stride)
        if count <= 0:
            continue
        low, high = reach - begin, count + begin - output
        crop = slice(max(0, -low), output - max(0, -high))
        found.append(Transposed(first, count, slice(remainder, None, stride), crop, (max(low, 0), max(high, 0))))
    return found


def input_gradient(g: Array, filters: Array, shape: Geometry, convolve: Callable[..., None] = conv) -> Array:
    """The gradient of images, from contiguous gradients; along each axis the stride or the dilation is 1."""
    rank, size = len(shape.sizes), prod(shape.sizes) * shape.depth
    classes = [transposed(*axis) for axis in zip(*shape[:6], strict=True)]
    result = np.zeros((g.shape[0], *shape.sizes, shape.depth), g.dtype)
    steps = steps_of(shape.sizes, shape.depth)
    strided = tuple(step * stride for step, stride in zip(steps, shape.strides, strict=True))
    # As (window ..., filters, groups * channels), the last place of the window first.
    turned = filters.reshape(*shape.window, shape.channels, shape.groups, shape.filters)
    turned = turned.swapaxes(-1, -3).reshape(*shape.window, shape.filters, shape.depth)
    for parts in product(*classes):
        some = turned[tuple(part.taps for part in parts)][(slice(None, None, -1),) * rank]
        given = g[(slice(None), *(part.crop for part in parts))]
        if 0 in some.shape or 0 in given.shape:
            continue  # no window reaches these inputs
        geometry = Geometry(
            sizes=given.shape[1:-1],
            window=some.shape[:rank],
            strides=(1,) * rank,
            dilations=shape.dilations,
            padding=tuple(part.padding for part in parts),
            outputs=tuple(part.inputs for part in parts),
            groups=shape.groups,
            channels=shape.filters,
            filters=shape.channels,
        )
        first = sum(part.first * step for part, step in zip(parts, steps, strict=True))
        convolve(np.ascontiguousarray(given), some, geometry, result, Target(size, first, strided))
    return result


# --- gradient in the filters -----------------------------------------------------------------------------------------------


class _FilterTiles(NamedTuple):
    tile: Tile  # lines are runs of the window
    counts: Sizes  # groups, panels of filters, runs ..., pieces of a run
    images: int  # worked on together
    lines: int  # of outputs, worked on together


@functools.lru_cache(maxsize=256)
def _filter_tiles(shape: Geometry, lanes: int) -> _FilterTiles:
    runs, vectors = _runs(shape), -(-shape.filters // lanes)
    tile = best_tile(runs.counts[-1], runs.length, vectors, exact=True)
    counts = (shape.groups, -(-vectors // tile.vectors), *runs.counts[:-1], *tile.counts(runs.counts[-1], runs.length))
    return _FilterTiles(tile, counts, max(1, TERMS // prod(shape.outputs)), summed_lines(shape))


def filter_gradient(x: Array, g: Array, shape: Geometry) -> Array:
    """The gradient (window ..., channels, groups * filters) of filters, from contiguous images and gradients."""
    tiles = _filter_tiles(shape, lanes_of(x.dtype))
    count = prod(tiles.counts)
    # Few tiles: some images each, and a sum of sums at the end.
    chunks = max(1, min(-(-x.shape[0] // tiles.images), -(-_PARTS // count)))
    sums = np.zeros((chunks, *shape.window, shape.channels, shape.width), x.dtype)
    kernel = _filter_gradient_kernel(shape, x.dtype)

    def arguments() -> Any:
        return packed(x, g, sums, room_for(shape, tiles.images, x.dtype), x.shape[0], chunks)

    pool.run(kernel, arguments, chunks * count, unit_size(chunks * count, x.shape[0] * shape.multiplications))
    return total_of(sums)


@functools.lru_cache(maxsize=256)
def _filter_gradient_kernel(shape: Geometry, dtype: np.dtype[Any]) -> Kernel:
    module, builder, arguments, start, stop = kernel_module("filter_gradient")
    element, lanes = type_of(dtype), lanes_of(dtype)
    images, gradients, totals, room = (array_at(arguments, k, element) for k in range(4))
    batch, chunks = arguments.load(4), arguments.load(5)
    tiles, runs = _filter_tiles(shape, lanes), _runs(shape)
    tile, counts, width = tiles.tile, tiles.counts, tiles.tile.vectors * lanes
    zero = Number(builder, ir.Constant(element, 0.0)).spread(lanes)
    # Where tiles and their rows lie, in the image and in the result.
    read = (*runs.apart, 1)
    written = steps_of((*runs.counts, runs.length), shape.width)
    rows = list(zip(rectangle(tile, read), rectangle(tile, written), strict=True))
    larger = (*(1,) * (len(read) - 2), tile.lines, tile.length)
    read = tuple(step * size for step, size in zip(read, larger, strict=True))
    written = tuple(step * size for step, size in zip(written, larger, strict=True))
    pixels = prod(shape.outputs)
    with wholes(start, stop, prod(counts)) as (chunk, first_tile, last_tile):
        total = totals.from_(chunk * (prod(shape.window) * shape.channels * shape.width))
        end = batch * (chunk + 1) // chunks
        with loop(builder, batch * chunk // chunks, end, tiles.images) as first:
            last = select(first + tiles.images > end, end, first + tiles.images)
            seen, apart = padded(shape, images, first, last, room)
            with (
                loop(builder, 0, prod(shape.outputs[:-1]), tiles.lines) as upper,
                loop(builder, first_tile, last_tile) as index,
            ):
                lines = prod(shape.outputs[:-1])
                lower = select(upper + tiles.lines > lines, lines, upper + tiles.lines)
                group, panel, *place = coordinates(index, counts)
                corner = seen.from_(group * shape.channels + place_of(place, read))
                source = gradients.from_(first * (pixels * shape.width) + group * shape.filters + panel * width)
                masks = masks_of(panel * width, tile.vectors, shape.filters, lanes)
                sums = sums_of(zero, len(rows), tile.vectors)
                with loop(builder, 0, last - first) as image, loop(builder, upper, lower) as line:
                    line_at = image * apart + place_of(coordinates(line, shape.outputs[:-1]), shape.moves[:-1])
                    pixel_at = image * pixels + line * shape.outputs[-1]
                    with loop(builder, 0, shape.outputs[-1]) as pixel:
                        there = source.from_((pixel_at + pixel) * shape.width)
                        vectors = [there.load(v * lanes, lanes, mask) for v, mask in enumerate(masks)]
                        here = corner.from_(line_at + pixel * shape.moves[-1])
                        for row, (offset, _) in enumerate(rows):
                            multiply_add(sums[row], here.load(offset).spread(lanes), vectors)
                result = total.from_(group * shape.filters + panel * width + place_of(place, written))
                for row, (_, offset) in enumerate(rows):
                    for v, mask in enumerate(masks):
                        at = offset + v * lanes
                        result.store(at, result.load(at, lanes, mask) + sums[row][v].get(), mask)
    builder.ret_void()
    return Kernel(module, "filter_gradient")
