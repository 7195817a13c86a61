"""Convolutions with one filter for each channel: vectors run along channels, and products are elementwise.

Geometries have a group for each channel, with one filter.
"""

from __future__ import annotations

import functools
from math import prod
from typing import Any

import numpy as np
from llvmlite import ir

from . import pool
from .engine import Kernel, packed
from .language import Number, array_at, kernel_module, loop, select, type_of
from .windows import (
    Array,
    Geometry,
    Target,
    Tile,
    all_places,
    begin,
    coordinates,
    everything,
    inside,
    lanes_of,
    masks_of,
    multiply_add,
    padded,
    place_of,
    room_for,
    summed_lines,
    sums_of,
    total_of,
    unit_size,
    wholes,
)

_PIXELS = 8  # of a line that are computed together: neighbours share inputs
_PLACES = 12  # of a window that are summed together
_CHUNKS = 16  # of images, each with its own sum of filter gradients


def _tile(line: int) -> Tile:
    return Tile(1, -(-line // -(-line // _PIXELS)), 1)


def depthwise(x: Array, filters: Array, shape: Geometry, result: Array, target: Target | None = None) -> None:
    """Write the convolution of images with filters (window ..., 1, channels) to a result. Arrays are contiguous."""
    kernel = _depthwise_kernel(shape, target or everything(shape), x.dtype)
    filters = np.ascontiguousarray(filters)

    def arguments() -> Any:
        return packed(x, filters, result, room_for(shape, 1, x.dtype))

    units = x.shape[0] * prod(shape.outputs[:-1])
    pool.run(kernel, arguments, units, unit_size(units, x.shape[0] * shape.multiplications))


@functools.lru_cache(maxsize=256)
def _depthwise_kernel(shape: Geometry, target: Target, dtype: np.dtype[Any]) -> Kernel:
    module, builder, arguments, start, stop = kernel_module("depthwise")
    element, lanes = type_of(dtype), lanes_of(dtype)
    images, weights, results, room = (array_at(arguments, k, element) for k in range(4))
    tile, lines = _tile(shape.outputs[-1]), shape.outputs[:-1]
    zero = Number(builder, ir.Constant(element, 0.0)).spread(lanes)
    with wholes(start, stop, prod(lines)) as (number, first, last):
        seen, _ = padded(shape, images, number, number + 1, room)
        with (
            loop(builder, first, last) as line,
            loop(builder, 0, -(-shape.outputs[-1] // tile.length)) as column,
            loop(builder, 0, shape.depth, lanes) as channel,
        ):
            corner = [*coordinates(line, lines), begin(column, tile.length, shape.outputs[-1])]
            here = seen.from_(place_of(corner, shape.moves) + channel)
            filters = weights.from_(channel)
            (mask,) = masks_of(channel, 1, shape.depth, lanes)
            sums = sums_of(zero, tile.length, 1)
            bounds = inside(shape, corner, 1)
            with all_places(builder, shape.window[:-1], shape.apart[:-1], bounds) as (offset, place):
                for k in range(shape.window[-1]):
                    vector = filters.load((place * shape.window[-1] + k) * shape.depth, lanes, mask)
                    run = here.from_(offset)
                    for pixel in range(tile.length):
                        x = run.load(k * shape.apart[-1] + pixel * shape.moves[-1], lanes, mask)
                        multiply_add(sums[pixel], x, [vector])
            outputs = results.from_(number * target.image + place_of(corner, target.steps) + channel + target.first)
            for pixel in range(tile.length):
                outputs.store(pixel * target.steps[-1], sums[pixel][0].get(), mask)
    builder.ret_void()
    return Kernel(module, "depthwise")


def depthwise_filter_gradient(x: Array, g: Array, shape: Geometry) -> Array:
    """The gradient (window ..., 1, channels) of filters, from contiguous images and gradients."""
    chunks = max(1, min(x.shape[0], _CHUNKS))
    sums = np.zeros((chunks, *shape.window, 1, shape.depth), x.dtype)
    kernel = _filter_gradient_kernel(shape, x.dtype)

    def arguments() -> Any:
        return packed(x, g, sums, room_for(shape, 1, x.dtype), x.shape[0], chunks)

    units = chunks * -(-shape.depth // lanes_of(x.dtype))
    pool.run(kernel, arguments, units, unit_size(units, x.shape[0] * shape.multiplications))
    return total_of(sums)


@functools.lru_cache(maxsize=256)
def _filter_gradient_kernel(shape: Geometry, dtype: np.dtype[Any]) -> Kernel:
    module, builder, arguments, start, stop = kernel_module("depthwise_filter_gradient")
    element, lanes = type_of(dtype), lanes_of(dtype)
    images, gradients, totals, room = (array_at(arguments, k, element) for k in range(4))
    batch, chunks = arguments.load(4), arguments.load(5)
    zero = Number(builder, ir.Constant(element, 0.0)).spread(lanes)
    lines, pixels = prod(shape.outputs[:-1]), prod(shape.outputs)
    block = summed_lines(shape)
    # Lines of the window that are summed together: as many as there are registers for.
    fitting = [
        n for n in range(1, shape.window[-2] + 1) if shape.window[-2] % n == 0 and n * shape.window[-1] <= _PLACES
    ]
    rows = max(fitting, default=1)
    together = [
        (a * shape.apart[-2] + b * shape.apart[-1], (a * shape.window[-1] + b) * shape.depth)
        for a in range(rows)
        for b in range(shape.window[-1])
    ]
    counts = (*shape.window[:-2], shape.window[-2] // rows)
    steps = (*shape.apart[:-2], shape.apart[-2] * rows)
    with wholes(start, stop, -(-shape.depth // lanes)) as (chunk, first_vector, last_vector):
        total = totals.from_(chunk * (prod(shape.window) * shape.depth))
        with loop(builder, batch * chunk // chunks, batch * (chunk + 1) // chunks) as number:
            seen, _ = padded(shape, images, number, number + 1, room)
            gradient = gradients.from_(number * (pixels * shape.depth))
            with (
                loop(builder, 0, lines, block) as upper,
                loop(builder, first_vector * lanes, last_vector * lanes, lanes) as channel,
                all_places(builder, counts, steps) as (offset, place),
            ):
                lower = select(upper + block > lines, lines, upper + block)
                (mask,) = masks_of(channel, 1, shape.depth, lanes)
                sums = sums_of(zero, len(together), 1)
                with loop(builder, upper, lower) as line:
                    at = place_of(coordinates(line, shape.outputs[:-1]), shape.moves[:-1]) + offset + channel
                    with loop(builder, 0, shape.outputs[-1]) as pixel:
                        vector = gradient.load((line * shape.outputs[-1] + pixel) * shape.depth + channel, lanes, mask)
                        here = seen.from_(at + pixel * shape.moves[-1])
                        for k, (there, _) in enumerate(together):
                            multiply_add(sums[k], here.load(there, lanes, mask), [vector])
                written = total.from_(place * (len(together) * shape.depth) + channel)
                for k, (_, there) in enumerate(together):
                    written.store(there, written.load(there, lanes, mask) + sums[k][0].get(), mask)
    builder.ret_void()
    return Kernel(module, "depthwise_filter_gradient")
