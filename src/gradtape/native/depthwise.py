"""Convolutions with one filter for each channel: vectors run along channels, and products are elementwise.

Geometries have a group for each channel, with one filter.
"""

from __future__ import annotations

import functools
from itertools import product
from math import prod
from typing import Any

import numpy as np
from llvmlite import ir

from ..base.dtypes import Array
from .engine import Kernel
from .language import Number, array_at, kernel_module, loop, type_of
from .windows import (
    Geometry,
    Kind,
    Target,
    all_places,
    band_of,
    blocks_of,
    coordinates,
    evenly,
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
    sums_of,
    times,
    total_of,
    wholes,
)

_PIXELS = 8  # of a line that are computed together: neighbours share inputs
_PLACES = 12  # of a window that are summed together
_CHUNKS = 16  # of a batch, each with its own sum of filter gradients


def depthwise(x: Array, filters: Array, shape: Geometry, result: Array, target: Target | None = None) -> None:
    """Write the convolution of images with filters (window ..., 1, channels, 1) to a result: `convolution.conv` for these."""
    kernel, numbers = _depthwise_setting(shape, target or everything(shape), x.dtype)
    units = x.shape[0] * prod(shape.outputs[:-1])
    run_on_images(kernel, (x, np.ascontiguousarray(filters), result), numbers, shape, units)


@functools.lru_cache(maxsize=1024)
def _depthwise_setting(shape: Geometry, target: Target, dtype: np.dtype[Any]) -> tuple[Kernel, list[int]]:
    kernel = _depthwise_kernel(shape.kind, evenly(shape.outputs[-1], _PIXELS), target.steps[-1], dtype)
    return kernel, [*places_of(shape, target), band_of(shape, dtype.itemsize, 1) * prod(shape.outputs[1:-1])]


@functools.lru_cache(maxsize=512)
def _depthwise_kernel(kind: Kind, pixels: int, step: int, dtype: np.dtype[Any]) -> Kernel:
    module, builder, arguments, start, stop = kernel_module("depthwise")
    element, lanes = type_of(dtype), lanes_of(dtype)
    images, weights, results, room = (array_at(arguments, k, element) for k in range(4))
    places, after = places_from(arguments, 4, kind, step)
    band = arguments.load(after)
    moves, apart = times(places.steps, kind.strides), times(places.steps, kind.dilations)
    move, tap = kind.depth * kind.strides[-1], kind.depth * kind.dilations[-1]
    *heights, length = places.outputs
    zero = Number(builder, ir.Constant(element, 0.0)).spread(lanes)
    plane = product_of(heights[1:])
    with wholes(start, stop, product_of(heights)) as (image, first, last), loop(builder, first, last, band) as upper:
        lower = smaller(upper + band, last)
        rows = upper // plane, (lower + plane - 1) // plane
        seen = padded(kind, places, images, room, image, image + 1, rows)
        with (
            loop(builder, upper, lower) as line,
            loop(builder, 0, (length + (pixels - 1)) // pixels) as column,
            loop(builder, 0, kind.depth, lanes) as channel,
        ):
            corner = [*coordinates(line, heights), smaller(column * pixels, length - pixels)]
            here, filters = seen.from_(place_of(corner, moves) + channel), weights.from_(channel)
            (mask,) = masks_of(channel, 1, kind.depth, lanes)
            sums = sums_of(zero, pixels, 1)
            bounds = inside(kind, places, corner, 1)
            # Neighbours share inputs where the places of a line are written one after the other.
            written_out = kind.window[-1] if kind.window[-1] <= _PLACES else 1
            counts = kind.window[:-1] if written_out > 1 else kind.window
            with all_places(builder, counts, apart[: len(counts)], bounds) as (offset, place):
                run = here.from_(offset)
                for k in range(written_out):
                    vector = filters.load((place * written_out + k) * kind.depth, lanes, mask)
                    for pixel in range(pixels):
                        multiply_add(sums[pixel], run.load(k * tap + pixel * move, lanes, mask), [vector])
            outputs = results.from_(image * places.result + place_of(corner, places.target) + channel + places.first)
            for pixel in range(pixels):
                outputs.store(pixel * step, sums[pixel][0].get(), mask)
    builder.ret_void()
    return Kernel(module, "depthwise")


def depthwise_filter_gradient(x: Array, g: Array, shape: Geometry) -> Array:
    """The gradient (window ..., 1, channels) of filters, from contiguous images and gradients."""
    portions = portions_of(shape, x.shape[0], _CHUNKS, images=1)
    sums = np.zeros((portions.chunks, *shape.window, 1, shape.groups), x.dtype)
    kernel = _filter_gradient_kernel(shape.kind, x.dtype)
    numbers = [*places_of(shape, everything(shape)), *portions]
    units = portions.chunks * -(-shape.groups // lanes_of(x.dtype))
    run_on_images(kernel, (x, g, sums), numbers, shape, units)
    return total_of(sums)


@functools.lru_cache(maxsize=512)
def _filter_gradient_kernel(kind: Kind, dtype: np.dtype[Any]) -> Kernel:
    module, builder, arguments, start, stop = kernel_module("depthwise_filter_gradient")
    element, lanes = type_of(dtype), lanes_of(dtype)
    images, gradients, totals, room = (array_at(arguments, k, element) for k in range(4))
    places, after = places_from(arguments, 4, kind, kind.depth)
    portions = portions_from(arguments, after)
    moves, apart = times(places.steps, kind.strides), times(places.steps, kind.dilations)
    zero = Number(builder, ir.Constant(element, 0.0)).spread(lanes)
    *heights, length = places.outputs
    lines, plane = product_of(heights), product_of(heights[1:])
    # Places of the window that are summed together: some of its lines, or a piece of a line.
    *outer, high, wide = kind.window
    rows = max((n for n in range(1, high + 1) if high % n == 0 and n * wide <= _PLACES), default=1)
    length_of_piece = evenly(wide, _PLACES)
    pieces = [range(wide)[k : k + length_of_piece] for k in range(0, wide, length_of_piece)]
    steps = [*apart[:-2], apart[-2] * rows]
    with wholes(start, stop, -(-kind.depth // lanes)) as (chunk, first_vector, last_vector):
        total = totals.from_(chunk * (prod(kind.window) * kind.depth))
        with blocks_of(portions, chunk, lines) as block:
            (image, behind), (upper, lower) = block.images, block.lines
            seen = padded(kind, places, images, room, image, behind, (upper // plane, (lower + plane - 1) // plane))
            with (
                loop(builder, first_vector * lanes, last_vector * lanes, lanes) as channel,
                all_places(builder, [*outer, high // rows], steps) as (offset, place),
                loop(builder, *block.stretches) as stretch,
            ):
                (mask,) = masks_of(channel, 1, kind.depth, lanes)
                written = total.from_(place * (rows * wide * kind.depth) + channel)
                for piece in pieces:
                    sums = sums_of(zero, rows, len(piece))
                    with loop(builder, upper, lower) as line:
                        at = place_of(coordinates(line, heights), moves[:-1]) + offset + channel
                        outputs = gradients.from_(image * places.result + line * length * kind.depth + channel)
                        with pixels_of(portions, stretch, length) as pixel:
                            vector = outputs.load(pixel * kind.depth, lanes, mask)
                            here = seen.from_(at + pixel * (kind.depth * kind.strides[-1]))
                            for row in range(rows):
                                run = here.from_(apart[-2] * row)
                                for k, total_so_far in zip(piece, sums[row], strict=True):
                                    x = run.load(k * kind.depth * kind.dilations[-1], lanes, mask)
                                    multiply_add([total_so_far], x, [vector])
                    for row, k in product(range(rows), piece):
                        there = (row * wide + k) * kind.depth
                        found = sums[row][k - piece.start].get()
                        written.store(there, written.load(there, lanes, mask) + found, mask)
    builder.ret_void()
    return Kernel(module, "depthwise_filter_gradient")
