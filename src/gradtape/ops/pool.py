"""Pools: the largest element or the mean of each window, with their transposes.

The mean is linear: `window_sum` and `window_spread` are transposes of each other. The largest element is a choice of
positions: `window_max_gradient` puts cotangents at the chosen positions, `window_max_pick` takes values from there,
and they are transposes of each other. Of equal elements the first in row-major order is chosen, as in TensorFlow.

Layout: (batch, sizes ..., channels). A reduction over a window is done axis by axis, in blocks of the batch that fit
the cache; lines of a channels-last image are long runs in memory, which is what NumPy is fast at.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod
from typing import Any

import numpy as np

from ..dtypes import FLOATING, NARROW_FLOATS, REAL, Array
from ..errors import invalid
from ..op import BadInput, Op, Sample, op
from .family import all_batched, shape_of
from .layout import reshape
from .window import Padding, Sizes, Tap, Windows, blocks, windows


def _pool_windows(shape: Sizes, window: Sizes, strides: Sizes, dilations: Sizes, padding: Padding) -> Windows:
    if len(shape) < 3:
        raise invalid(f"pool: the input must have axes (batch, sizes ..., channels), got shape {shape}.")
    found = windows("pool", shape[1:-1], window, strides, dilations, padding)
    for (low, high), width, dilation in zip(found.padding, window, dilations, strict=True):
        if max(low, high) > (width - 1) * dilation:
            raise invalid(f"pool: padding {found.padding} must be smaller than the window {list(window)}, or windows are empty.")
    return found


def _pool_blocks(shape: Sizes, itemsize: int) -> Iterator[slice]:
    # A few arrays of the input's size are alive at a time: half a megabyte of input stays in a core's own cache.
    return blocks(shape[0], 8 * prod(shape[1:]) * itemsize)


def _reduce_windows(function: Any, x: Array, found: Windows, start: Any) -> Array:
    """Reduce each window with a ufunc, one axis after the other (the last first)."""
    result = np.empty((x.shape[0], *found.outputs, x.shape[-1]), x.dtype)
    for block in _pool_blocks(x.shape, x.itemsize):
        part = x[block]
        for axis in reversed(range(len(found.sizes))):
            part = _reduce_along(function, part, axis + 1, found.taps_along(axis), found.outputs[axis], start)
        result[block] = part
    return result


def _reduce_along(function: Any, x: Array, axis: int, taps: tuple[Tap, ...], count: int, start: Any) -> Array:
    lead = (slice(None),) * axis
    parts = [(x[(*lead, tap.inputs[0])], (*lead, tap.outputs[0])) for tap in taps]
    if parts and all(part.shape[axis] == count for part, _ in parts):  # no padding
        result = parts[0][0]
        if len(parts) > 1:
            result = function(result, parts[1][0])
            for part, _ in parts[2:]:
                function(result, part, out=result)
        return result
    result = np.full((*x.shape[:axis], count, *x.shape[axis + 1 :]), start, x.dtype)
    for part, outputs in parts:
        reached = result[outputs]
        function(reached, part, out=reached)
    return result


# --- the largest element -----------------------------------------------------------------------------------------------


def _lowest(dtype: np.dtype[Any]) -> Any:
    return np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf


def _window_max(input: Array, window: Sizes, strides: Sizes, dilations: Sizes, padding: Padding) -> Array:
    found = _pool_windows(input.shape, window, strides, dilations, padding)
    return _reduce_windows(np.maximum, input, found, _lowest(input.dtype))


@op(eager=_window_max, dtypes=REAL, tf_name="MaxPool")
def window_max(xp: Any, input: Any, *, window: Sizes, strides: Sizes, dilations: Sizes, padding: Padding) -> Any:
    """The largest element of each window."""
    found = _pool_windows(input.shape, window, strides, dilations, padding)
    result = xp.full((input.shape[0], *found.outputs, input.shape[-1]), _lowest(input.dtype), input.dtype)
    for _, inputs, outputs in found.taps():
        result = result.at[(slice(None), *outputs)].max(input[(slice(None), *inputs)])
    return result


def _stages(found: Windows) -> list[list[tuple[tuple[slice, ...], tuple[slice, ...]]]]:
    """Keys of inputs and outputs of the window's places, in row-major order: all at once, or axis by axis for many."""
    if prod(found.window) <= 9 or len(found.window) == 1:
        return [[((slice(None), *tap.inputs), (slice(None), *tap.outputs)) for tap in found.taps()]]
    return [
        [((*(slice(None),) * (axis + 1), *tap.inputs), (*(slice(None),) * (axis + 1), *tap.outputs)) for tap in found.taps_along(axis)]
        for axis in reversed(range(len(found.window)))
    ]  # fmt: skip


def _steps(x: Array, out: Array, found: Windows) -> list[Array]:
    """The values before, between and after the stages of `_stages`."""
    if prod(found.window) <= 9 or len(found.window) == 1:
        return [x, out]
    values = [x]
    for axis in reversed(range(1, len(found.window))):
        taps = found.taps_along(axis)
        values.append(_reduce_along(np.maximum, values[-1], axis + 1, taps, found.outputs[axis], _lowest(x.dtype)))
    return [*values, out]


def _chosen(x: Array, out: Array, keys: Any) -> Iterator[tuple[Any, Any, Array]]:
    """For each place of the window: its keys, and whether it holds the first of the largest elements."""
    done = np.zeros(out.shape, bool)
    for inputs, outputs in keys:
        hit = x[inputs] == out[outputs]
        before = done[outputs]
        np.greater(hit, before, out=hit)  # hit and not before
        before |= hit
        yield inputs, outputs, hit


def _window_max_gradient(
    g: Array, input: Array, out: Array, window: Sizes, strides: Sizes, dilations: Sizes, padding: Padding
) -> Array:
    found = _checked_triple(g, input, out, window, strides, dilations, padding, "output")
    result = np.empty(input.shape, g.dtype)
    overlap = any(s <= (w - 1) * d for s, w, d in zip(strides, window, dilations, strict=True))
    for block in _pool_blocks(input.shape, input.itemsize):
        values = _steps(input[block], out[block], found)
        part = g[block]
        for x, y, keys in reversed(list(zip(values[:-1], values[1:], _stages(found), strict=True))):
            before = np.zeros(x.shape, g.dtype)
            for inputs, outputs, hit in _chosen(x, y, keys):
                if overlap:
                    before[inputs] += part[outputs] * hit
                else:
                    np.multiply(part[outputs], hit, out=before[inputs])
            part = before
        result[block] = part
    return result


@op(eager=_window_max_gradient, dtypes=FLOATING, tf_name="MaxPoolGrad")
def window_max_gradient(
    xp: Any, g: Any, input: Any, out: Any, *, window: Sizes, strides: Sizes, dilations: Sizes, padding: Padding
) -> Any:
    """Zeros with g where each window of the input has its largest element, which is `out`."""
    found = _checked_triple(g, input, out, window, strides, dilations, padding, "output")
    done, result = xp.zeros(out.shape, bool), xp.zeros(input.shape, g.dtype)
    for _, inputs, outputs in found.taps():
        i, o = (slice(None), *inputs), (slice(None), *outputs)
        hit = (input[i] == out[o]) & ~done[o]
        done = done.at[o].set(done[o] | hit)
        result = result.at[i].add(xp.where(hit, g[o], 0))
    return result


def _window_max_pick(
    t: Array, input: Array, out: Array, window: Sizes, strides: Sizes, dilations: Sizes, padding: Padding
) -> Array:
    found = _checked_triple(t, input, out, window, strides, dilations, padding, "input")
    result = np.empty(out.shape, t.dtype)
    for block in _pool_blocks(input.shape, input.itemsize):
        values = _steps(input[block], out[block], found)
        part = t[block]
        for x, y, keys in zip(values[:-1], values[1:], _stages(found), strict=True):
            after = np.zeros(y.shape, t.dtype)
            for inputs, outputs, hit in _chosen(x, y, keys):
                after[outputs] += part[inputs] * hit
            part = after
        result[block] = part
    return result


@op(eager=_window_max_pick, dtypes=FLOATING, tf_name="MaxPoolGradGrad")
def window_max_pick(
    xp: Any, t: Any, input: Any, out: Any, *, window: Sizes, strides: Sizes, dilations: Sizes, padding: Padding
) -> Any:
    """The elements of t where each window of the input has its largest element, which is `out`."""
    found = _checked_triple(t, input, out, window, strides, dilations, padding, "input")
    done, result = xp.zeros(out.shape, bool), xp.zeros(out.shape, t.dtype)
    for _, inputs, outputs in found.taps():
        i, o = (slice(None), *inputs), (slice(None), *outputs)
        hit = (input[i] == out[o]) & ~done[o]
        done = done.at[o].set(done[o] | hit)
        result = result.at[o].add(xp.where(hit, t[i], 0))
    return result


def _checked_triple(
    given: Any, input: Any, out: Any, window: Any, strides: Any, dilations: Any, padding: Any, like: str
) -> Windows:
    found = _pool_windows(input.shape, window, strides, dilations, padding)
    expected = (input.shape[0], *found.outputs, input.shape[-1])
    if out.shape != expected or given.shape != (expected if like == "output" else input.shape):
        raise invalid(
            f"max_pool: an input of shape {input.shape} gives an output of shape {expected}; the output given has {out.shape} and the "
            f"gradient, which must be like the {like}, has {given.shape}."
        )
    return found


@window_max.vjp("input")
def _(g: Any, input: Any, out: Any, window: Any, strides: Any, dilations: Any, padding: Any) -> Any:
    return window_max_gradient(g, input, out, window=window, strides=strides, dilations=dilations, padding=padding)


@window_max.jvp("input")
def _(t: Any, input: Any, out: Any, window: Any, strides: Any, dilations: Any, padding: Any) -> Any:
    return window_max_pick(t, input, out, window=window, strides=strides, dilations=dilations, padding=padding)


@window_max_gradient.vjp("g")
def _(t: Any, input: Any, out_: Any, window: Any, strides: Any, dilations: Any, padding: Any) -> Any:
    return window_max_pick(t, input, out_, window=window, strides=strides, dilations=dilations, padding=padding)
