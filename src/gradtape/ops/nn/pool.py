"""Pools: the largest element or the mean of each window, with their transposes.

The mean is linear: `window_sum` and `window_spread` are transposes of each other. The largest element is a
choice of positions: `window_max_gradient` puts cotangents at the chosen positions, `window_max_pick` takes
values from there, and they are transposes of each other. Of equal elements the first in row-major order is
chosen, as in TensorFlow.

Layout: (batch, sizes ..., channels). Large sequences and images have kernels in machine code
(`native/pooling.py`). In NumPy a reduction over a window is done axis by axis, in blocks of the batch that
fit the cache; lines of a channels-last image are long runs in memory, which is what NumPy is fast at.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod
from typing import Any

import numpy as np

from ...base.dtypes import FLOATING, NARROW_FLOATS, REAL, Array
from ...base.errors import invalid
from ...base.types import Cotangent, Draw, Function, Namespace, Tangent, Value
from ...native import choice
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import all_batched, by_rows, shape_of
from ...op.shapes import equal_shapes, matched_sizes, shaped_by
from ..array.layout import reshape
from .window import Padding, Sizes, Tap, Windows, blocks, window_counts, windows


def _pool_windows(shape: Sizes, window: Sizes, strides: Sizes, dilations: Sizes, padding: Padding) -> Windows:
    if len(shape) < 3:
        raise invalid(f"pool: the input must have axes (batch, sizes ..., channels), got shape {shape}.")
    found = windows("pool", shape[1:-1], window, strides, dilations, padding)
    for (low, high), width, dilation in zip(found.padding, window, dilations, strict=True):
        if max(low, high) > (width - 1) * dilation:
            raise invalid(
                f"pool: padding {found.padding} must be smaller than the window {list(window)}, or windows are empty."
            )
    return found


def _pool_blocks(shape: Sizes, itemsize: int) -> Iterator[slice]:
    # A few arrays of the input's size are alive at a time: half a megabyte of input stays in a core's own cache.
    return blocks(shape[0], 8 * prod(shape[1:]) * itemsize)


def _in_machine_code(shape: Sizes, dtype: np.dtype[Any], found: Windows) -> Any:
    """The module of pools in machine code, where it takes the input and is faster; else None."""
    taken = dtype.char in "fd" and len(found.sizes) <= 2 and 0 not in found.outputs
    if not taken or not choice.in_pools(prod(shape)):
        return None
    from ...native import pooling

    return pooling


def _reduce_windows(function: Function, x: Array, found: Windows, start: object) -> Array:
    """Reduce each window with a ufunc, one axis after the other (the last first)."""
    result = np.empty((x.shape[0], *found.outputs, x.shape[-1]), x.dtype)
    for block in _pool_blocks(x.shape, x.itemsize):
        part = x[block]
        for axis in reversed(range(len(found.sizes))):
            part = _reduce_along(function, part, axis + 1, found.taps_along(axis), found.outputs[axis], start)
        result[block] = part
    return result


def _reduce_along(function: Function, x: Array, axis: int, taps: tuple[Tap, ...], count: int, start: object) -> Array:
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


# --- the largest element ------------------------------------------------------------------------------------


def _lowest(dtype: np.dtype[Any]) -> Any:
    return np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf


def _window_max(input: Array, window: Sizes, strides: Sizes, dilations: Sizes, padding: Padding) -> Array:
    found = _pool_windows(input.shape, window, strides, dilations, padding)
    compiled = _in_machine_code(input.shape, input.dtype, found)
    if compiled:
        return compiled.window_max(input, found)
    return _largest_of_windows(input, found=found)


@by_rows
def _largest_of_windows(input: Array, found: Windows) -> Array:
    return _reduce_windows(np.maximum, input, found, _lowest(input.dtype))


def _pooled(
    input: Abstract, *, window: Any, strides: Any, dilations: Any, padding: Any, **_: object
) -> tuple[Any, ...]:
    batch, *sizes, channels = input.of_rank(len(window) + 2)
    return (batch, *window_counts("pool", tuple(sizes), window, strides, dilations, padding), channels)


@op(eager=_window_max, dtypes=REAL, tf_name="MaxPool", shape=_pooled, called="max_pool")
def window_max(
    xp: Namespace, input: Array, *, window: Sizes, strides: Sizes, dilations: Sizes, padding: Padding
) -> Any:
    """The largest element of each window."""
    found = _pool_windows(input.shape, window, strides, dilations, padding)
    result = xp.full((input.shape[0], *found.outputs, input.shape[-1]), _lowest(input.dtype), input.dtype)
    for _, inputs, outputs in found.taps():
        result = result.at[(slice(None), *outputs)].max(input[(slice(None), *inputs)])
    return result


def _stages(found: Windows) -> list[list[tuple[tuple[slice, ...], tuple[slice, ...]]]]:
    """Keys of inputs and outputs of the window's places, row-major: all at once, or axis by axis if many."""
    if prod(found.window) <= 9 or len(found.window) == 1:
        return [[((slice(None), *tap.inputs), (slice(None), *tap.outputs)) for tap in found.taps()]]
    stages = []
    for axis in reversed(range(len(found.window))):
        lead = (slice(None),) * (axis + 1)
        stages.append([((*lead, *tap.inputs), (*lead, *tap.outputs)) for tap in found.taps_along(axis)])
    return stages


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
    for number, (inputs, outputs) in enumerate(keys, 1):
        hit = x[inputs] == out[outputs]
        before = done[outputs]
        if number > 1:
            np.greater(hit, before, out=hit)  # hit and not before
        if number < len(keys):
            before |= hit
        yield inputs, outputs, hit


def _window_max_gradient(
    g: Array, input: Array, largest: Array, window: Sizes, strides: Sizes, dilations: Sizes, padding: Padding
) -> Array:
    found = _checked_triple(g, input, largest, window, strides, dilations, padding, "output")
    compiled = _in_machine_code(input.shape, input.dtype, found)
    if compiled:
        return compiled.window_max_gradient(g, input, largest, found)
    return _at_largest(g, input, largest, found=found)


@by_rows
def _at_largest(g: Array, input: Array, largest: Array, found: Windows) -> Array:
    result = (np.empty if found.tiled else np.zeros)(input.shape, g.dtype)
    stages = _stages(found)
    for block in _pool_blocks(input.shape, input.itemsize):
        values = _steps(input[block], largest[block], found)
        part = g[block]
        for stage in reversed(range(len(stages))):
            before = np.zeros(values[stage].shape, g.dtype) if stage else result[block]
            for inputs, outputs, hit in _chosen(values[stage], values[stage + 1], stages[stage]):
                if found.overlap:
                    before[inputs] += part[outputs] * hit
                else:
                    np.multiply(part[outputs], hit, out=before[inputs])
            part = before
    return result


@op(eager=_window_max_gradient, dtypes=FLOATING, tf_name="MaxPoolGrad")
def window_max_gradient(
    xp: Namespace,
    g: Array,
    input: Array,
    largest: Array,
    *,
    window: Sizes,
    strides: Sizes,
    dilations: Sizes,
    padding: Padding,
) -> Any:
    """Zeros with g where each window of the input has its largest element, which is `largest`."""
    found = _checked_triple(g, input, largest, window, strides, dilations, padding, "output")
    result = xp.zeros(input.shape, g.dtype)
    for inputs, outputs, hit in _first_hits(xp, input, largest, found):
        result = result.at[inputs].add(xp.where(hit, g[outputs], 0))
    return result


def _first_hits(xp: Namespace, input: Array, largest: Array, found: Windows) -> Iterator[tuple[Any, Any, Any]]:
    """For each place of the window: its keys, and where it holds the first of the largest elements (`_chosen`, in `xp`)."""
    done = xp.zeros(largest.shape, bool)
    for _, inputs, outputs in found.taps():
        i, o = (slice(None), *inputs), (slice(None), *outputs)
        hit = (input[i] == largest[o]) & ~done[o]
        done = done.at[o].set(done[o] | hit)
        yield i, o, hit


@window_max_gradient.shapes
def _(g: Abstract, input: Abstract, largest: Abstract, **geometry: object) -> Shape:
    pooled = _pooled(input, **geometry)
    for given in (g, largest):
        if given.rank is not None:
            matched_sizes(given.shape, pooled, "what is given and the output,")
    return input.known


def _window_max_pick(
    t: Array, input: Array, largest: Array, window: Sizes, strides: Sizes, dilations: Sizes, padding: Padding
) -> Array:
    found = _checked_triple(t, input, largest, window, strides, dilations, padding, "input")
    result = np.empty(largest.shape, t.dtype)
    for block in _pool_blocks(input.shape, input.itemsize):
        values = _steps(input[block], largest[block], found)
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
    xp: Namespace,
    t: Array,
    input: Array,
    largest: Array,
    *,
    window: Sizes,
    strides: Sizes,
    dilations: Sizes,
    padding: Padding,
) -> Any:
    """The elements of t where each window of the input has its largest element, which is `largest`."""
    found = _checked_triple(t, input, largest, window, strides, dilations, padding, "input")
    result = xp.zeros(largest.shape, t.dtype)
    for inputs, outputs, hit in _first_hits(xp, input, largest, found):
        result = result.at[outputs].add(xp.where(hit, t[inputs], 0))
    return result


@window_max_pick.shapes
def _(t: Abstract, input: Abstract, largest: Abstract, **geometry: object) -> Shape:
    equal_shapes(t, input)
    pooled = _pooled(input, **geometry)
    return pooled if largest.rank is None else matched_sizes(largest.shape, pooled, "the largest and the output,")


def _checked_triple(
    given: Any,
    input: Any,
    largest: Any,
    window: Any,
    strides: Any,
    dilations: Any,
    padding: Any,
    like: str,
) -> Windows:
    found = _pool_windows(input.shape, window, strides, dilations, padding)
    expected = (input.shape[0], *found.outputs, input.shape[-1])
    if largest.shape != expected or given.shape != (expected if like == "output" else input.shape):
        raise invalid(
            f"max_pool: an input of shape {input.shape} gives an output of shape {expected}; the output "
            f"given has {largest.shape} and the "
            f"gradient, which must be like the {like}, has {given.shape}."
        )
    return found


@window_max.vjp("input")
def _(g: Cotangent, input: Value, out: Value, window: Sizes, strides: Sizes, dilations: Sizes, padding: Padding) -> Any:
    return window_max_gradient(g, input, out, window=window, strides=strides, dilations=dilations, padding=padding)


@window_max.jvp("input")
def _(t: Tangent, input: Value, out: Value, window: Sizes, strides: Sizes, dilations: Sizes, padding: Padding) -> Any:
    return window_max_pick(t, input, out, window=window, strides=strides, dilations=dilations, padding=padding)


@window_max_gradient.vjp("g")
def _(
    t: Cotangent, input: Value, largest: Value, window: Sizes, strides: Sizes, dilations: Sizes, padding: Padding
) -> Any:
    return window_max_pick(t, input, largest, window=window, strides=strides, dilations=dilations, padding=padding)


window_max_gradient.constant_in("input")


@window_max_pick.vjp("t")
def _(
    g: Cotangent, input: Value, largest: Value, window: Sizes, strides: Sizes, dilations: Sizes, padding: Padding
) -> Any:
    return window_max_gradient(g, input, largest, window=window, strides=strides, dilations=dilations, padding=padding)


window_max_gradient.linear("g")


window_max_pick.linear("t")


def _window_argmax(
    input: Array, window: Sizes, strides: Sizes, dilations: Sizes, padding: Padding, with_batch: bool
) -> Array:
    found = _pool_windows(input.shape, window, strides, dilations, padding)
    largest = _window_max(input, window, strides, dilations, padding)
    positions = np.arange(prod(input.shape[1:]), dtype=np.int64).reshape(1, *input.shape[1:])
    result = np.zeros(largest.shape, np.int64)
    keys = [((slice(None), *tap.inputs), (slice(None), *tap.outputs)) for tap in found.taps()]
    for inputs, outputs, hit in _chosen(input, largest, keys):
        result[outputs] += positions[inputs] * hit
    if with_batch:
        result += np.arange(input.shape[0]).reshape(-1, *(1,) * (input.ndim - 1)) * positions.size
    return result


@op(eager=_window_argmax, dtypes=REAL, tf_name="MaxPoolWithArgmax", gives=np.int64, shape=_pooled)
def window_argmax(
    xp: Namespace,
    input: Array,
    *,
    window: Sizes,
    strides: Sizes,
    dilations: Sizes,
    padding: Padding,
    with_batch: bool,
) -> Any:
    """Where each window has its largest element: the place in the flattened image, or batch."""
    found = _pool_windows(input.shape, window, strides, dilations, padding)
    shape = (input.shape[0], *found.outputs, input.shape[-1])
    positions = xp.broadcast_to(xp.arange(prod(input.shape[1:])).reshape(1, *input.shape[1:]), input.shape)
    best, result = xp.full(shape, _lowest(input.dtype), input.dtype), xp.full(shape, -1)
    for _, inputs, outputs in found.taps():
        i, o = (slice(None), *inputs), (slice(None), *outputs)
        better = (input[i] > best[o]) | (result[o] < 0)
        best = best.at[o].set(xp.where(better, input[i], best[o]))
        result = result.at[o].set(xp.where(better, positions[i], result[o]))
    if with_batch:
        result = result + xp.arange(input.shape[0]).reshape(-1, *(1,) * (input.ndim - 1)) * prod(input.shape[1:])
    return result


window_argmax.not_differentiable("positions are integers")


# --- sums and means -----------------------------------------------------------------------------------------


def _divisor(found: Windows, dtype: np.dtype[Any]) -> Any:
    """How many elements each window has, padding not counted: a number, or an array where windows differ."""
    if not found.padded:
        return float(prod(found.window))
    return found.counts().astype(dtype)[..., None]


def _window_sum(
    input: Array, window: Sizes, strides: Sizes, dilations: Sizes, padding: Padding, average: bool
) -> Array:
    found = _pool_windows(input.shape, window, strides, dilations, padding)
    compiled = _in_machine_code(input.shape, input.dtype, found)
    if compiled:
        return compiled.window_sum(input, found, average)
    x = input.astype(np.float32) if input.dtype in NARROW_FLOATS else input
    result = _reduce_windows(np.add, x, found, 0)
    if average:
        result /= _divisor(found, result.dtype)
    return result.astype(input.dtype, copy=False)


@op(eager=_window_sum, dtypes=FLOATING, tf_name="AvgPool", shape=_pooled, called="avg_pool")
def window_sum(
    xp: Namespace, input: Array, *, window: Sizes, strides: Sizes, dilations: Sizes, padding: Padding, average: bool
) -> Any:
    """The sum or the mean of each window; padding does not count."""
    found = _pool_windows(input.shape, window, strides, dilations, padding)
    result = xp.zeros((input.shape[0], *found.outputs, input.shape[-1]), input.dtype)
    for _, inputs, outputs in found.taps():
        result = result.at[(slice(None), *outputs)].add(input[(slice(None), *inputs)])
    return result / _divisor(found, input.dtype) if average else result


def _window_spread(
    g: Array, shape: Sizes, window: Sizes, strides: Sizes, dilations: Sizes, padding: Padding, average: bool
) -> Array:
    found = _checked_spread(g, shape, window, strides, dilations, padding)
    compiled = _in_machine_code(shape, g.dtype, found)
    if compiled:
        return compiled.window_spread(g, shape, found, average)
    wide = g.astype(np.float32) if g.dtype in NARROW_FLOATS else g
    result = np.empty(shape, wide.dtype)
    divisor = _divisor(found, wide.dtype)
    for block in _pool_blocks(shape, wide.itemsize):
        part = wide[block] / divisor if average else wide[block]
        for axis in range(len(shape) - 2):
            part = _spread_along(part, axis + 1, found.taps_along(axis), shape[axis + 1])
        result[block] = part
    return result.astype(g.dtype, copy=False)


def _spread_along(g: Array, axis: int, taps: tuple[Tap, ...], size: int) -> Array:
    result = np.zeros((*g.shape[:axis], size, *g.shape[axis + 1 :]), g.dtype)
    lead = (slice(None),) * axis
    for tap in taps:
        result[(*lead, tap.inputs[0])] += g[(*lead, tap.outputs[0])]
    return result


@op(eager=_window_spread, dtypes=FLOATING, tf_name="AvgPoolGrad", shape=shaped_by("shape"))
def window_spread(
    xp: Namespace,
    g: Array,
    *,
    shape: Sizes,
    window: Sizes,
    strides: Sizes,
    dilations: Sizes,
    padding: Padding,
    average: bool,
) -> Any:
    """The transpose of `window_sum`, for an input of this shape."""
    found = _checked_spread(g, shape, window, strides, dilations, padding)
    g = g / _divisor(found, g.dtype) if average else g
    result = xp.zeros(shape, g.dtype)
    for _, inputs, outputs in found.taps():
        result = result.at[(slice(None), *inputs)].add(g[(slice(None), *outputs)])
    return result


def _checked_spread(g: Any, shape: Any, window: Any, strides: Any, dilations: Any, padding: Any) -> Windows:
    found = _pool_windows(shape, window, strides, dilations, padding)
    if g.shape != (shape[0], *found.outputs, shape[-1]):
        raise invalid(
            f"avg_pool: an input of shape {shape} gives an output of shape "
            f"{(shape[0], *found.outputs, shape[-1])}, but the gradient "
            f"has shape {g.shape}."
        )
    return found


@window_sum.vjp("input")
def _(
    g: Cotangent, input_shape: Sizes, window: Sizes, strides: Sizes, dilations: Sizes, padding: Padding, average: bool
) -> Any:
    return window_spread(
        g,
        shape=input_shape,
        window=window,
        strides=strides,
        dilations=dilations,
        padding=padding,
        average=average,
    )


@window_spread.vjp("g")
def _(t: Cotangent, window: Sizes, strides: Sizes, dilations: Sizes, padding: Padding, average: bool) -> Any:
    return window_sum(t, window=window, strides=strides, dilations=dilations, padding=padding, average=average)


window_sum.linear("input")
window_spread.linear("g")


# --- batching: the hidden axis joins the batch --------------------------------------------------------------


def _batch_pool(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    size, data = all_batched(is_batched, args)
    if "shape" in attributes:
        batch, *rest = attributes["shape"]
        attributes["shape"] = (size * batch, *rest)
    folded = [reshape(x, shape=(size * shape_of(x)[1], *shape_of(x)[2:])) for x in data]
    result = op(*folded, **attributes)
    batch, *rest = shape_of(result)
    return reshape(result, shape=(size, batch // size, *rest))


for _op in (window_max, window_max_gradient, window_max_pick, window_sum, window_spread):
    _op.batching = _batch_pool


# --- samples and bad inputs ---------------------------------------------------------------------------------

_CASES: list[tuple[Sizes, Sizes, dict[str, Any]]] = [
    ((2, 4, 6, 3), (2, 2), {"strides": (2, 2), "padding": "VALID"}),
    ((2, 5, 5, 2), (2, 2), {"strides": (2, 2), "padding": "SAME"}),
    ((1, 5, 5, 2), (3, 3), {"padding": "SAME"}),
    ((1, 5, 6, 1), (3, 2), {"strides": (2, 1), "padding": "VALID"}),
    ((2, 6, 5, 2), (2, 2), {"dilations": (2, 3), "padding": "VALID"}),
    ((1, 4, 4, 2), (2, 3), {"padding": ((1, 0), (1, 2))}),
    ((2, 7, 2), (3,), {"strides": (2,), "padding": "SAME"}),
    ((2, 7, 2), (2,), {"strides": (3,), "padding": "VALID"}),
    ((1, 4, 3, 4, 2), (2, 2, 2), {"strides": (2, 1, 2), "padding": "VALID"}),
    ((1, 5, 5, 1), (4, 4), {"padding": "SAME", "strides": (2, 2)}),
    ((1, 4, 4, 3), (4, 4), {"padding": "VALID"}),
    ((0, 4, 4, 1), (2, 2), {"padding": "SAME"}),
    ((2, 3, 3, 2), (1, 1), {"padding": "VALID"}),
    ((1, 1, 3, 1), (2, 2), {"padding": "SAME", "strides": (2, 2)}),
    ((1, 2, 2, 1), (3, 2), {"padding": "VALID"}),
]


def _cases() -> Iterator[tuple[Sizes, Sizes, dict[str, Any]]]:
    for shape, window, settings in _CASES:
        rank = len(window)
        attributes = {"window": window, "strides": (1,) * rank, "dilations": (1,) * rank} | settings
        found = _pool_windows(shape, **attributes)
        yield shape, (shape[0], *found.outputs, shape[-1]), attributes


@window_max.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, _, attributes in _cases():
        yield Sample((draw(shape),), attributes)


@window_max_gradient.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, output, attributes in _cases():
        x = draw(shape)
        yield Sample((draw(output), x, _window_max(x, **attributes)), attributes)


@window_max_pick.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, _, attributes in _cases():
        x = draw(shape)
        yield Sample((draw(shape), x, _window_max(x, **attributes)), attributes)


@window_argmax.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, _, attributes in _cases():
        yield Sample((draw(shape),), {**attributes, "with_batch": shape[0] == 2})


@window_sum.samples
def _(draw: Draw) -> Iterator[Sample]:
    for number, (shape, _, attributes) in enumerate(_cases()):
        yield Sample((draw(shape),), {**attributes, "average": number % 4 != 3})


@window_spread.samples
def _(draw: Draw) -> Iterator[Sample]:
    for number, (shape, output, attributes) in enumerate(_cases()):
        yield Sample((draw(output),), {"shape": shape, **attributes, "average": number % 4 != 3})


def _written_out(shape: Sizes, attributes: dict[str, Any]) -> Iterator[tuple[Any, list[Any]]]:
    """From the definition: each output position with the input positions of its window."""
    found = _pool_windows(shape, **attributes)
    for n, c in product(range(shape[0]), range(shape[-1])):
        for position in np.ndindex(found.outputs):
            seen = []
            for place in np.ndindex(found.window):
                at = found.input_of(position, place)
                if at is not None:
                    seen.append((n, *at, c))
            yield (n, *position, c), seen


def _output_shape(shape: Sizes, attributes: dict[str, Any]) -> Sizes:
    return (shape[0], *_pool_windows(shape, **attributes).outputs, shape[-1])


@window_max.value
def _(input: Array, **attributes: object) -> Any:
    result = np.zeros(_output_shape(input.shape, attributes))
    for at, seen in _written_out(input.shape, attributes):
        result[at] = max(input[s] for s in seen)
    return result


@window_max_gradient.value
def _(g: Array, input: Array, largest: Array, **attributes: object) -> Any:
    result = np.zeros(input.shape)
    for at, seen in _written_out(input.shape, attributes):
        result[max(seen, key=lambda s: input[s])] += g[at]
    return result


@window_max_pick.value
def _(t: Array, input: Array, largest: Array, **attributes: object) -> Any:
    result = np.zeros(_output_shape(input.shape, attributes))
    for at, seen in _written_out(input.shape, attributes):
        result[at] = t[max(seen, key=lambda s: input[s])]
    return result


@window_argmax.value
def _(input: Array, with_batch: bool, **attributes: object) -> Any:
    result = np.zeros(_output_shape(input.shape, attributes), np.int64)
    for at, seen in _written_out(input.shape, attributes):
        n, *rest = max(seen, key=lambda s: input[s])
        result[at] = np.ravel_multi_index((n * with_batch, *rest), input.shape)
    return result


@window_sum.value
def _(input: Array, average: bool, **attributes: object) -> Any:
    result = np.zeros(_output_shape(input.shape, attributes))
    for at, seen in _written_out(input.shape, attributes):
        result[at] = sum(input[s] for s in seen) / (len(seen) if average else 1)
    return result


@window_spread.value
def _(g: Array, shape: tuple[int, ...], average: bool, **attributes: object) -> Any:
    result = np.zeros(shape)
    for at, seen in _written_out(shape, attributes):
        for s in seen:
            result[s] += g[at] / (len(seen) if average else 1)
    return result


_BAD: list[tuple[str, dict[str, Any]]] = [
    ("a stride is positive", {"strides": (0, 1)}), ("a stride is positive", {"strides": (1, -2)}),
    ("a stride for each size", {"strides": (1,)}),
    ("a dilation is positive", {"dilations": (0, 1)}), ("a window is positive", {"window": (0, 2)}),
    ("a window is positive", {"window": (2, -1)}),
    ("a window size for each size", {"window": (2,)}), ("padding has a name", {"padding": "valid"}),
    ("padding is not negative", {"padding": ((-1, 0), (0, 0))}),
    ("no window is all padding", {"padding": ((2, 0), (0, 0))}),
    ("the window must fit", {"window": (9, 2)}), ("the window must fit", {"window": (2, 2**40)}),
    ("padding has pairs", {"padding": ((0, 0),)}),
]  # fmt: skip


def _bad(*shapes: Sizes, **more: object) -> Any:
    def declared() -> Iterator[BadInput]:
        usual = {"window": (2, 2), "strides": (1, 1), "dilations": (1, 1), "padding": "VALID", **more}
        arrays = tuple(np.ones(shape, np.float32) for shape in shapes)
        for why, settings in _BAD:
            yield BadInput(why, arrays, usual | settings)
        yield BadInput("axes for batch, sizes and channels", tuple(a[0, 0] for a in arrays), usual)
        if len(arrays) > 1 or "shape" in more:
            yield BadInput("the shapes must fit", (arrays[0][:, :1], *arrays[1:]), usual)
            yield BadInput("the shapes must fit", (arrays[0][..., :0], *arrays[1:]), usual)

    return declared


window_max.rejects(_bad((1, 4, 4, 2)))
window_argmax.rejects(_bad((1, 4, 4, 2), with_batch=False))
window_max_gradient.rejects(_bad((1, 3, 3, 2), (1, 4, 4, 2), (1, 3, 3, 2)))
window_max_pick.rejects(_bad((1, 4, 4, 2), (1, 4, 4, 2), (1, 3, 3, 2)))
window_sum.rejects(_bad((1, 4, 4, 2), average=True))
window_spread.rejects(_bad((1, 3, 3, 2), shape=(1, 4, 4, 2), average=True))
