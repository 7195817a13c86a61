"""Pools in machine code: vectors over channels, windows in any order of threads.

Arrays have the layout (batch, rows, columns, channels); a sequence is an image of one row. Sizes of images are numbers that a
kernel is given; windows, strides, dilations and channels are written into it. A kernel runs over rows of outputs where each
input belongs to one window at most and every input to one, else over images: no two threads write the same element.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from math import prod
from typing import Any

import numpy as np
from llvmlite import ir

from . import pool, thresholds
from .engine import Kernel, packed, register_bytes
from .geometry import Sizes, Windows
from .language import Memory, Number, Variable, array_at, kernel_module, loop, select, type_of

_WIDEST = 4  # registers worked on together


def window_max(x: object, found: Windows) -> Any:
    """The largest element of each window."""
    return _forward(_largest, x, found)


def window_sum(x: object, found: Windows, average: bool) -> Any:
    """The sum or the mean of each window."""
    return _forward(_mean if average else _total, x, found)


def window_max_gradient(g: Any, x: Any, largest: Any, found: Windows) -> Any:
    """Zeros, and g where each window has its first largest element."""
    return _backward(_at_largest, x.shape, found, g, x, largest)


def window_spread(g: object, shape: Sizes, found: Windows, average: bool) -> Any:
    """Each g, or its part, at all elements of its window."""
    return _backward(_part_everywhere if average else _everywhere, shape, found, g)


def _forward(body: Any, x: Any, found: Windows) -> Any:
    result = np.empty((x.shape[0], *found.outputs, x.shape[-1]), x.dtype)
    _run(body, found, x.shape, True, result, x)
    return result


def _backward(body: Any, shape: Sizes, found: Windows, g: Any, *others: Any) -> Any:
    result = np.empty(shape, g.dtype)
    _run(body, found, shape, found.tiled, result, g, *others)
    return result


def _run(body: object, found: Windows, shape: Sizes, by_rows: bool, *given: object) -> None:
    found = found.on_images()
    arrays = [np.ascontiguousarray(array) for array in given]
    fixed = (found.window, found.strides, found.dilations, shape[-1])
    kernel = _kernel(body, arrays[0].dtype, *fixed, found.padded, found.overlap, by_rows)
    units = shape[0] * (found.outputs[0] if by_rows else 1)
    arguments = packed(*arrays, *found.sizes, *found.outputs, *(low for low, _ in found.padding))
    smallest = max(1, thresholds.POOL_PART_ELEMENTS * units // max(1, prod(shape)))
    pool.run(kernel, arguments, units, smallest)


# --- the code of a kernel ----------------------------------------------------------------------------------------------------


class _Window:
    """One window, and some of its channels, in a kernel that is being written."""

    def __init__(self, output: Number, count: Number, overlap: bool, places: Any) -> None:
        self.output = output  # where its output lies
        self.count = count  # how many places of the input it has, as a vector for these channels
        self.lanes = count.lanes
        self.places = places  # a loop over those places
        self._overlap = overlap

    def put(self, target: Memory, place: Number, value: Number) -> None:
        """Give a value to an element of the input."""
        target.store(place, target.load(place, self.lanes) + value if self._overlap else value)


def _largest(window: _Window, result: Memory, x: Memory) -> None:
    best = Variable(x.builder, window.count.constant(-np.inf))
    with window.places() as place:
        value = x.load(place, window.lanes)
        best.set(select((value > best.get()) | (value != value), value, best.get()))  # NaN stays
    result.store(window.output, best.get())


def _total(window: _Window, result: Memory, x: Memory) -> None:
    result.store(window.output, _sum(window, x))


def _mean(window: _Window, result: Memory, x: Memory) -> None:
    result.store(window.output, _sum(window, x) / window.count)


def _sum(window: _Window, x: Memory) -> Number:
    total = Variable(x.builder, window.count.constant(0.0))
    with window.places() as place:
        total.set(total.get() + x.load(place, window.lanes))
    return total.get()


def _at_largest(window: _Window, result: Memory, g: Memory, x: Memory, largest: Memory) -> None:
    given = g.load(window.output, window.lanes)
    wanted = Variable(g.builder, largest.load(window.output, window.lanes))
    with window.places() as place:
        hit = x.load(place, window.lanes) == wanted.get()
        wanted.set(select(hit, np.nan, wanted.get()))  # found: nothing else is equal to NaN
        window.put(result, place, select(hit, given, 0.0))


def _everywhere(window: _Window, result: Memory, g: Memory) -> None:
    given = g.load(window.output, window.lanes)
    with window.places() as place:
        window.put(result, place, given)


def _part_everywhere(window: _Window, result: Memory, g: Memory) -> None:
    part = g.load(window.output, window.lanes) / window.count
    with window.places() as place:
        window.put(result, place, part)


_ARRAYS = {_largest: 2, _total: 2, _mean: 2, _at_largest: 4, _everywhere: 2, _part_everywhere: 2}


@functools.lru_cache(maxsize=256)
def _kernel(
    body: Any,
    dtype: Any,
    window: Sizes,
    strides: Sizes,
    dilations: Sizes,
    channels: int,
    padded: bool,
    overlap: bool,
    by_rows: bool,
) -> Kernel:
    name = f"pool{body.__name__}"
    module, builder, arguments, start, stop = kernel_module(name)
    arrays = [array_at(arguments, k, type_of(dtype)) for k in range(_ARRAYS[body])]
    height, width, rows, columns, *before = (arguments.load(len(arrays) + k) for k in range(6))

    def reach(axis: int, position: Number, size: Number) -> tuple[Number, Any, Any]:
        """Where a window starts on an axis, and which of its places meet the input."""
        first = position * strides[axis]
        if not padded:
            return first, 0, window[axis]
        first = first - before[axis]
        dilation = dilations[axis]
        low = select(first < 0, (0 - first + (dilation - 1)) // dilation, 0)
        high = (size - first + (dilation - 1)) // dilation
        return first, low, select(high < window[axis], high, window[axis])

    def row_of_windows(image: Number, row: Number) -> None:
        top, first_row, last_row = reach(0, row, height)
        with loop(builder, 0, columns) as column:
            left, first_column, last_column = reach(1, column, width)
            output = ((image * rows + row) * columns + column) * channels

            @contextmanager
            def places(channel: Number) -> Iterator[Number]:
                with loop(builder, first_row, last_row) as i:
                    line = (image * height + top + i * dilations[0]) * width + left
                    with loop(builder, first_column, last_column) as j:
                        yield (line + j * dilations[1]) * channels + channel

            for channel, lanes in _channels(builder, channels, dtype):
                count = _as_vector(builder, (last_row - first_row) * (last_column - first_column), arrays[0], lanes)
                body(_Window(output + channel, count, overlap, functools.partial(places, channel)), *arrays)

    with loop(builder, start, stop) as unit:
        if by_rows:
            row_of_windows(unit // rows, unit % rows)
        else:
            _clear(arrays[0].from_(unit * height * width * channels), height * width * channels, dtype)
            with loop(builder, 0, rows) as row:
                row_of_windows(unit, row)
    builder.ret_void()
    return Kernel(module, name)


def _channels(builder: ir.IRBuilder, channels: int, dtype: Any) -> Iterator[tuple[Any, int]]:
    """All channels in vectors, from wide ones to narrow ones: the place of the first channel, and how many."""
    done, lanes = 0, _WIDEST * register_bytes() // dtype.itemsize
    while done < channels:
        stop = done + (channels - done) // lanes * lanes
        if stop > done:
            with loop(builder, done, stop, lanes) as channel:
                yield channel, lanes
        done, lanes = stop, lanes // 2


def _as_vector(builder: ir.IRBuilder, count: object, like: Memory, lanes: int) -> Number:
    """A whole number as a vector of floating-point numbers."""
    plain = builder.sitofp(count.value, like.element) if isinstance(count, Number) else ir.Constant(like.element, count)
    number = Number(builder, plain)
    return number.spread(lanes) if lanes > 1 else number


def _clear(target: Memory, size: Number, dtype: Any) -> None:
    lanes = register_bytes() // dtype.itemsize
    zero = Number(target.builder, ir.Constant(target.element, 0.0))
    whole = size - size % lanes
    with loop(target.builder, 0, whole, lanes) as k:
        target.store(k, zero.spread(lanes))
    with loop(target.builder, whole, size) as k:
        target.store(k, zero)
