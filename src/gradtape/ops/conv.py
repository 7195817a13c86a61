"""Convolution in any number of dimensions: three bilinear ops, each the transpose of the others.

    conv(x, w)                     what windows of x give when multiplied by the filters w
    conv_input_gradient(g, w)      its transpose in x; as a layer, the "transposed convolution"
    conv_filter_gradient(x, g)     its transpose in w

The derivative of any one of them in any operand is another one, so all orders, forward mode and batching need
nothing else. Layouts: input (batch, sizes ..., channels), filters (window ..., channels / groups,
filters). Where a batch of filters is convolved, the batch goes into channels or groups.

The kernels copy windows into rows and multiply once by BLAS ("im2col"), in blocks of the batch that fit
the cache; with few channels the copy runs along an image line instead. Measured in
docs/design/convolution.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ..dtypes import FLOATING, NARROW_FLOATS, Array, int32
from ..errors import invalid
from ..op import BadInput, Op, Sample, op
from .family import shape_of
from .layout import permute, reshape
from .window import Padding, Sizes, Windows, blocks, windows

_TYPES = FLOATING | {int32.numpy}


class _Plan(NamedTuple):
    windows: Windows
    groups: int
    channels: int
    filters: int

    @property
    def depthwise(self) -> bool:
        return self.groups == self.channels and self.channels > 1

    @property
    def copies_lines(self) -> bool:
        """Whether a window's line is so short that copying along the image's line is faster."""
        return self.groups == 1 and self.channels * self.windows.window[-1] < 16

    def output_shape(self, batch: int) -> Sizes:
        return (batch, *self.windows.outputs, self.filters)

    def filter_shape(self) -> Sizes:
        return (*self.windows.window, self.channels // self.groups, self.filters)


@lru_cache(maxsize=1024)
def _plan(
    input_shape: Sizes, filter_shape: Sizes, strides: Sizes, dilations: Sizes, padding: Padding, groups: int
) -> _Plan:
    """The geometry of a convolution, or the error that says what does not fit."""
    rank = len(input_shape)
    if rank < 3 or len(filter_shape) != rank:
        raise invalid(
            "conv: the input must have axes (batch, sizes ..., channels) and the filters as many, got "
            f"input {input_shape} "
            f"and filters {filter_shape}."
        )
    *window, depth, filters = filter_shape
    channels = input_shape[-1]
    if prod(window) < 1 or depth < 1:
        raise invalid(f"conv: the filters must not be empty, got shape {filter_shape}.")
    if groups < 1 or channels != depth * groups:
        raise invalid(
            f"conv: the input depth {channels} must be the filter depth {depth} times the number of groups "
            f"{groups}; input "
            f"{input_shape}, filters {filter_shape} (window ..., channels, filters)."
        )
    if filters % groups:
        raise invalid(f"conv: the number of filters {filters} must be a multiple of the {groups} groups.")
    found = windows("conv", input_shape[1:-1], tuple(window), strides, dilations, padding)
    return _Plan(found, groups, channels, filters)


# --- the three kernels
# -------------------------------------------------------------------------------------------------


def _columns(x: Array, plan: _Plan) -> Array:
    """The windows of a block as rows of matrices, one for each group: ([groups,] rows, window * channels)."""
    seen = plan.windows.view(plan.windows.pad(x))
    rank = len(plan.windows.outputs)
    rows, width = x.shape[0] * prod(plan.windows.outputs), prod(plan.windows.window)
    if plan.copies_lines:
        order = (*range(rank + 1, 2 * rank + 2), *range(rank + 1))
        return seen.transpose(order).reshape(width * plan.channels, rows).T
    if plan.groups == 1:
        return seen.reshape(rows, width * plan.channels)
    depth = plan.channels // plan.groups
    grouped = seen.reshape(*seen.shape[:-1], plan.groups, depth) if depth > 1 else seen[..., None]
    return np.moveaxis(grouped, -2, 0).reshape(plan.groups, rows, width * depth)


def _grouped_filters(filters: Array, plan: _Plan) -> Array:
    """The filters as matrices ([groups,] window * channels, filters)."""
    rows = prod(filters.shape[:-1])
    if plan.groups == 1:
        return filters.reshape(rows, plan.filters)
    each = plan.filters // plan.groups
    split = filters.reshape(*filters.shape[:-1], plan.groups, each)
    return np.moveaxis(split, -2, 0).reshape(plan.groups, rows, each)


def _grouped_rows(g: Array, groups: int) -> Array:
    """Values (..., channels) as rows of a matrix for each group: ([groups,] rows, channels / groups)."""
    rows = prod(g.shape[:-1])
    if groups == 1:
        return g.reshape(rows, g.shape[-1])
    return g.reshape(rows, groups, g.shape[-1] // groups).transpose(1, 0, 2)


def _row_bytes(plan: _Plan, itemsize: int) -> int:
    return prod(plan.windows.outputs) * prod(plan.windows.window) * plan.channels * itemsize


def _conv(input: Array, filters: Array, strides: Sizes, dilations: Sizes, padding: Padding, groups: int) -> Array:
    plan = _plan(input.shape, filters.shape, strides, dilations, padding, groups)
    if input.dtype in NARROW_FLOATS:
        wide = _conv(input.astype(np.float32), filters.astype(np.float32), strides, dilations, padding, groups)
        return wide.astype(input.dtype)
    if plan.depthwise:
        return _depthwise(input, filters, plan)
    result = np.empty(plan.output_shape(input.shape[0]), input.dtype)
    matrix = _grouped_filters(filters, plan)
    for block in blocks(input.shape[0], _row_bytes(plan, input.itemsize)):
        np.matmul(_columns(input[block], plan), matrix, out=_grouped_rows(result[block], groups))
    return result


def _conv_filter_gradient(
    input: Array, g: Array, window: Sizes, strides: Sizes, dilations: Sizes, padding: Padding, groups: int
) -> Array:
    if groups < 1 or input.ndim < 3 or input.shape[-1] % groups:
        raise invalid(f"conv_filter_gradient: {groups} groups do not divide the channels of an input {input.shape}.")
    shape = (*window, input.shape[-1] // groups, g.shape[-1])
    plan = _plan(input.shape, shape, strides, dilations, padding, groups)
    _check_gradient("conv_filter_gradient", g.shape, plan.output_shape(input.shape[0]))
    if input.dtype in NARROW_FLOATS:
        wide = _conv_filter_gradient(
            input.astype(np.float32), g.astype(np.float32), window, strides, dilations, padding, groups
        )
        return wide.astype(input.dtype)
    if plan.depthwise:
        return _depthwise_filter_gradient(input, g, plan)
    each = plan.filters // groups
    total = np.zeros((groups, prod(shape[:-1]), each) if groups > 1 else (prod(shape[:-1]), each), input.dtype)
    for block in blocks(input.shape[0], _row_bytes(plan, input.itemsize)):
        total += np.matmul(_columns(input[block], plan).swapaxes(-1, -2), _grouped_rows(g[block], groups))
    return np.moveaxis(total, 0, -2).reshape(shape) if groups > 1 else total.reshape(shape)


def _conv_input_gradient(
    g: Array, filters: Array, shape: Sizes, strides: Sizes, dilations: Sizes, padding: Padding, groups: int
) -> Array:
    plan = _plan(shape, filters.shape, strides, dilations, padding, groups)
    _check_gradient("conv_input_gradient", g.shape, plan.output_shape(shape[0]))
    if g.dtype in NARROW_FLOATS:
        wide = _conv_input_gradient(
            g.astype(np.float32), filters.astype(np.float32), shape, strides, dilations, padding, groups
        )
        return wide.astype(g.dtype)
    if plan.depthwise:
        return _depthwise_input_gradient(g, filters, plan)
    result = np.zeros(shape, g.dtype)
    spread, width = _spread_rows, plan.channels
    if plan.groups == 1 and plan.channels < 5:
        spread, width = _spread_lines, prod(plan.windows.window) * plan.channels
    elif plan.groups == 1 and plan.windows.strides[-1] == 1 and plan.filters <= 4 * plan.channels:
        spread, width = _spread_images, prod(plan.windows.window[:-1]) * plan.channels
        width += plan.windows.window[-1] * plan.filters
    bytes_each = prod(plan.windows.outputs) * (width + plan.filters) * g.itemsize
    for block in blocks(shape[0], bytes_each):
        spread(g[block], filters, plan, result[block])
    return result


def _spread_rows(g: Array, filters: Array, plan: _Plan, result: Array) -> None:
    """For each place of the window one product, added where its inputs were."""
    rows = _grouped_rows(g, plan.groups)
    lead = (slice(None),)
    for place, inputs, outputs in plan.windows.taps():
        part = rows @ _grouped_filters(filters[place], plan).swapaxes(-1, -2)
        if plan.groups > 1:
            part = part.transpose(1, 0, 2)
        result[lead + inputs] += part.reshape(*g.shape[:-1], plan.channels)[lead + outputs]


def _spread_images(g: Array, filters: Array, plan: _Plan, result: Array) -> None:
    """The same where windows move by one along lines: a convolution of g there, then whole lines to add."""
    found, last = plan.windows, plan.windows.window[-1]
    reach, low = (last - 1) * found.dilations[-1], found.padding[-1][0]
    lines = windows("conv", (found.sizes[-1] + reach,), (last,), (1,), found.dilations[-1:], "VALID")
    padded = np.zeros((prod(g.shape[:-2]), found.sizes[-1] + reach, plan.filters), g.dtype)
    shift = reach - low
    first, stop = max(0, -shift), min(g.shape[-2], padded.shape[1] - shift)
    if stop > first:
        padded[:, first + shift : stop + shift] = g.reshape(padded.shape[0], *g.shape[-2:])[:, first:stop]
    rows = lines.view(padded).reshape(padded.shape[0] * found.sizes[-1], last * plan.filters)
    # As a matrix (line places, last first, * filters) x (outer places * channels).
    outer = prod(found.window[:-1])
    turned = filters.reshape(outer, last, plan.channels, plan.filters)[:, ::-1].transpose(1, 3, 0, 2)
    parts = rows @ turned.reshape(last * plan.filters, outer * plan.channels)
    parts = parts.reshape(*g.shape[:-2], found.sizes[-1], outer, plan.channels)
    if len(found.window) == 1:
        result += parts[..., 0, :]
        return
    lead = (slice(None),)
    for place, inputs, outputs in found.outer_taps():
        number = int(np.ravel_multi_index(place, found.window[:-1]))
        result[lead + inputs] += parts[lead + outputs][..., number, :]


def _spread_lines(g: Array, filters: Array, plan: _Plan, result: Array) -> None:
    """The same for few channels: one product whose rows run along image lines."""
    parts = _grouped_filters(filters, plan) @ _grouped_rows(g, 1).T
    parts = parts.reshape(*plan.windows.window, plan.channels, *g.shape[:-1])
    lines = np.moveaxis(result, -1, 0)
    lead = (slice(None), slice(None))
    for place, inputs, outputs in plan.windows.taps():
        lines[lead + inputs] += parts[place][lead + outputs]


def _check_gradient(name: str, given: Sizes, expected: Sizes) -> None:
    if given != expected:
        raise invalid(
            f"{name}: the windows of this input give an output of shape {expected}, but the gradient (of a "
            "transposed convolution: "
            f"the input) has shape {given}. Check output_shape, strides and padding."
        )


# One filter (or a few) for each channel: elementwise products, place by place. Several filters for a
# channel are one
# filter each for the channel repeated.


def _depthwise(x: Array, filters: Array, plan: _Plan) -> Array:
    x = _repeated(x, plan)
    filters = filters.reshape(*plan.windows.window, plan.filters)
    result = np.zeros(plan.output_shape(x.shape[0]), x.dtype)
    lead = (slice(None),)
    for block in _depthwise_blocks(x, plan):
        part, target = x[block], result[block]
        for place, inputs, outputs in plan.windows.taps():
            target[lead + outputs] += part[lead + inputs] * filters[place]
    return result


def _depthwise_filter_gradient(x: Array, g: Array, plan: _Plan) -> Array:
    x = _repeated(x, plan)
    result = np.zeros((*plan.windows.window, plan.filters), x.dtype)
    lead = (slice(None),)
    for block in _depthwise_blocks(x, plan):
        part, gradient = x[block], g[block]
        for place, inputs, outputs in plan.windows.taps():
            products = part[lead + inputs] * gradient[lead + outputs]
            result[place] += products.reshape(prod(products.shape[:-1]), plan.filters).sum(axis=0)
    return result.reshape(plan.filter_shape())


def _depthwise_input_gradient(g: Array, filters: Array, plan: _Plan) -> Array:
    filters = filters.reshape(*plan.windows.window, plan.filters)
    result = np.zeros((g.shape[0], *plan.windows.sizes, plan.filters), g.dtype)
    lead = (slice(None),)
    for block in _depthwise_blocks(result, plan):
        part, target = g[block], result[block]
        for place, inputs, outputs in plan.windows.taps():
            target[lead + inputs] += part[lead + outputs] * filters[place]
    if plan.filters == plan.channels:
        return result
    several = result.reshape(*result.shape[:-1], plan.channels, plan.filters // plan.channels)
    return np.asarray(several.sum(axis=-1))


def _repeated(x: Array, plan: _Plan) -> Array:
    return x if plan.filters == plan.channels else np.repeat(x, plan.filters // plan.channels, axis=-1)


def _depthwise_blocks(x: Array, plan: _Plan) -> Iterator[slice]:
    # Three arrays of this size are touched for each place: they stay in a core's own cache.
    return blocks(x.shape[0], 16 * prod(plan.windows.sizes) * plan.filters * x.itemsize)


# --- the ops
# -----------------------------------------------------------------------------------------------------------


@op(eager=_conv, dtypes=_TYPES, tf_name="Conv")
def conv(
    xp: Any, input: Any, filters: Any, *, strides: Sizes, dilations: Sizes, padding: Padding, groups: int = 1
) -> Any:
    """The convolution (without flipping, as in neural networks) of an input with filters."""
    plan = _plan(input.shape, filters.shape, strides, dilations, padding, groups)
    result = xp.zeros((*plan.output_shape(input.shape[0])[:-1], groups, plan.filters // groups), input.dtype)
    for place, part, outputs in _kernel_taps(input, plan):
        matrix = filters[place].reshape(-1, groups, plan.filters // groups)
        result = result.at[outputs].add(xp.einsum("...gi,igo->...go", part, matrix))
    return result.reshape(plan.output_shape(input.shape[0]))


@op(eager=_conv_input_gradient, dtypes=_TYPES, tf_name="ConvBackpropInput")
def conv_input_gradient(
    xp: Any,
    g: Any,
    filters: Any,
    *,
    shape: Sizes,
    strides: Sizes,
    dilations: Sizes,
    padding: Padding,
    groups: int = 1,
) -> Any:
    """The transpose of `conv` in its input, which had this shape."""
    plan = _plan(shape, filters.shape, strides, dilations, padding, groups)
    parts = g.reshape(*g.shape[:-1], groups, plan.filters // groups)
    result = xp.zeros((*shape[:-1], groups, plan.channels // groups), g.dtype)
    for place, inputs, outputs in plan.windows.taps():
        matrix = filters[place].reshape(-1, groups, plan.filters // groups)
        part = xp.einsum("...go,igo->...gi", parts[(slice(None), *outputs)], matrix)
        result = result.at[(slice(None), *inputs)].add(part)
    return result.reshape(shape)


@op(eager=_conv_filter_gradient, dtypes=_TYPES, tf_name="ConvBackpropFilter")
def conv_filter_gradient(
    xp: Any,
    input: Any,
    g: Any,
    *,
    window: Sizes,
    strides: Sizes,
    dilations: Sizes,
    padding: Padding,
    groups: int = 1,
) -> Any:
    """The transpose of `conv` in its filters, whose window had these sizes."""
    shape = (*window, input.shape[-1] // groups, g.shape[-1])
    plan = _plan(input.shape, shape, strides, dilations, padding, groups)
    parts = g.reshape(*g.shape[:-1], groups, plan.filters // groups)
    result = xp.zeros(shape, g.dtype)
    for place, part, outputs in _kernel_taps(input, plan):
        product = xp.einsum("...gi,...go->igo", part, parts[outputs])
        result = result.at[place].add(product.reshape(-1, plan.filters))
    return result


def _kernel_taps(input: Any, plan: _Plan) -> Iterator[tuple[Sizes, Any, tuple[slice, ...]]]:
    for place, inputs, outputs in plan.windows.taps():
        part = input[(slice(None), *inputs)]
        yield place, part.reshape(*part.shape[:-1], plan.groups, -1), (slice(None), *outputs)


@conv.vjp("input")
def _(g: Any, filters: Any, input_shape: Sizes, strides: Any, dilations: Any, padding: Any, groups: int) -> Any:
    return conv_input_gradient(
        g, filters, shape=input_shape, strides=strides, dilations=dilations, padding=padding, groups=groups
    )


@conv.vjp("filters")
def _(g: Any, input: Any, filters_shape: Sizes, strides: Any, dilations: Any, padding: Any, groups: int) -> Any:
    return conv_filter_gradient(
        input,
        g,
        window=filters_shape[:-2],
        strides=strides,
        dilations=dilations,
        padding=padding,
        groups=groups,
    )


@conv_input_gradient.vjp("g")
def _(t: Any, filters: Any, strides: Any, dilations: Any, padding: Any, groups: int) -> Any:
    return conv(t, filters, strides=strides, dilations=dilations, padding=padding, groups=groups)


@conv_input_gradient.vjp("filters")
def _(t: Any, g: Any, filters_shape: Sizes, strides: Any, dilations: Any, padding: Any, groups: int) -> Any:
    return conv_filter_gradient(
        t, g, window=filters_shape[:-2], strides=strides, dilations=dilations, padding=padding, groups=groups
    )


@conv_filter_gradient.vjp("input")
def _(t: Any, g: Any, input_shape: Sizes, strides: Any, dilations: Any, padding: Any, groups: int) -> Any:
    return conv_input_gradient(
        g, t, shape=input_shape, strides=strides, dilations=dilations, padding=padding, groups=groups
    )


@conv_filter_gradient.vjp("g")
def _(t: Any, input: Any, strides: Any, dilations: Any, padding: Any, groups: int) -> Any:
    return conv(input, t, strides=strides, dilations=dilations, padding=padding, groups=groups)


conv.linear("input", "filters")
conv_input_gradient.linear("g", "filters")
conv_filter_gradient.linear("input", "g")


# --- batching
# ----------------------------------------------------------------------------------------------------------
#
# Three axes can take the hidden one: the batch axis of (input, output), the channels of (input, filters),
# the filters of
# (filters, output). Each belongs to two of the three values, so one batched operand puts the hidden axis
# where the other operand
# does not have it; two batched operands make the hidden axis a part of the groups.


def _into_batch(x: Any) -> Any:
    size, batch, *rest = shape_of(x)
    return reshape(x, shape=(size * batch, *rest))


def _out_of_batch(x: Any, size: int) -> Any:
    batch, *rest = shape_of(x)
    return reshape(x, shape=(size, batch // size, *rest))


def _into_axis(x: Any, axis: int, groups: int) -> Any:
    """The hidden axis merged into `axis` (counted without it), between the groups there and the rest."""
    size, *shape = shape_of(x)
    axis %= len(shape)
    each = shape[axis] // groups
    split = reshape(x, shape=(size, *shape[:axis], groups, each, *shape[axis + 1 :]))
    order = (*range(1, axis + 2), 0, *range(axis + 2, len(shape) + 2))
    merged = (*shape[:axis], shape[axis] * size, *shape[axis + 1 :])
    return reshape(permute(split, perm=order), shape=merged)


def _out_of_axis(x: Any, axis: int, groups: int, size: int) -> Any:
    """The reverse of `_into_axis`."""
    shape = shape_of(x)
    axis %= len(shape)
    each = shape[axis] // groups // size
    split = reshape(x, shape=(*shape[:axis], groups, size, each, *shape[axis + 1 :]))
    order = (axis + 1, *range(axis + 1), *range(axis + 2, len(shape) + 2))
    return reshape(permute(split, perm=order), shape=(size, *shape[:axis], groups * each, *shape[axis + 1 :]))


@conv.batched
def _(op: Op, is_batched: Any, args: Any, attributes: dict[str, Any]) -> Any:
    input, filters = args
    groups = attributes["groups"]
    if is_batched == (True, False):
        return _out_of_batch(conv(_into_batch(input), filters, **attributes), shape_of(input)[0])
    size = shape_of(filters)[0]
    if is_batched == (False, True):
        return _out_of_axis(conv(input, _into_axis(filters, -1, groups), **attributes), -1, groups, size)
    attributes["groups"] = size * groups
    return _out_of_axis(conv(_into_axis(input, -1, 1), _into_axis(filters, -1, 1), **attributes), -1, 1, size)


@conv_input_gradient.batched
def _(op: Op, is_batched: Any, args: Any, attributes: dict[str, Any]) -> Any:
    g, filters = args
    groups = attributes["groups"]
    batch, *rest, channels = attributes["shape"]
    if is_batched == (True, False):
        size = shape_of(g)[0]
        attributes["shape"] = (size * batch, *rest, channels)
        return _out_of_batch(conv_input_gradient(_into_batch(g), filters, **attributes), size)
    size = shape_of(filters)[0]
    attributes["shape"] = (batch, *rest, size * channels)
    if is_batched == (False, True):
        # Each group has its own channels: the hidden axis goes between the groups and the filter depth.
        return _out_of_axis(conv_input_gradient(g, _into_axis(filters, -2, 1), **attributes), -1, groups, size)
    attributes["groups"] = size * groups
    found = conv_input_gradient(_into_axis(g, -1, 1), _into_axis(filters, -1, 1), **attributes)
    return _out_of_axis(found, -1, 1, size)


@conv_filter_gradient.batched
def _(op: Op, is_batched: Any, args: Any, attributes: dict[str, Any]) -> Any:
    input, g = args
    groups = attributes["groups"]
    size = shape_of(input if is_batched[0] else g)[0]
    if is_batched == (True, False):
        return _out_of_axis(conv_filter_gradient(_into_axis(input, -1, groups), g, **attributes), -2, 1, size)
    if is_batched == (False, True):
        return _out_of_axis(conv_filter_gradient(input, _into_axis(g, -1, groups), **attributes), -1, groups, size)
    attributes["groups"] = size * groups
    return _out_of_axis(conv_filter_gradient(_into_axis(input, -1, 1), _into_axis(g, -1, 1), **attributes), -1, 1, size)


# --- samples and bad inputs
# --------------------------------------------------------------------------------------------

_CASES: list[tuple[Sizes, Sizes, dict[str, Any]]] = [
    ((2, 5, 4, 3), (2, 3, 3, 2), {"padding": "VALID"}),
    ((2, 5, 4, 3), (2, 3, 3, 2), {"padding": "SAME"}),
    ((1, 6, 5, 2), (3, 2, 2, 3), {"padding": "SAME", "strides": (2, 3)}),
    ((1, 6, 6, 2), (2, 2, 2, 2), {"padding": "VALID", "dilations": (2, 3)}),
    ((1, 5, 5, 1), (3, 3, 1, 2), {"padding": ((1, 0), (2, 1))}),
    ((2, 4, 4, 4), (2, 2, 2, 6), {"padding": "SAME", "groups": 2}),
    ((2, 4, 4, 3), (2, 2, 1, 3), {"padding": "SAME", "groups": 3}),
    ((2, 4, 4, 3), (3, 2, 1, 6), {"padding": "SAME", "groups": 3, "strides": (2, 2)}),
    ((2, 7, 2), (3, 2, 3), {"padding": "SAME", "strides": (2,)}),
    ((1, 3, 4, 3, 2), (2, 2, 2, 2, 3), {"padding": "VALID"}),
    ((1, 4, 3, 20), (2, 1, 20, 2), {"padding": "SAME", "strides": (1, 2)}),
    ((2, 3, 3, 2), (1, 1, 2, 4), {"padding": "VALID"}),
    ((0, 4, 4, 1), (2, 2, 1, 2), {"padding": "SAME"}),
    ((1, 3, 3, 2), (3, 3, 2, 1), {"padding": "VALID"}),
    ((1, 5, 4, 17), (2, 2, 17, 2), {"padding": ((1, 3), (0, 2)), "strides": (2, 1), "dilations": (1, 2)}),
    ((1, 2, 2, 1), (3, 3, 1, 1), {"padding": ((0, 0), (0, 0))}),
    ((1, 3, 3, 1), (2, 2, 1, 0), {"padding": "VALID"}),
    ((2, 4, 5, 6), (3, 3, 6, 5), {"padding": "SAME"}),
    ((1, 6, 5), (3, 5, 4), {"padding": ((4, 1),)}),
    ((1, 3, 4, 2, 5), (2, 1, 2, 5, 3), {"padding": "SAME", "strides": (2, 1, 1)}),
]


def _cases() -> Iterator[tuple[Sizes, Sizes, Sizes, dict[str, Any]]]:
    for input_shape, filter_shape, settings in _CASES:
        rank = len(input_shape) - 2
        attributes = {"strides": (1,) * rank, "dilations": (1,) * rank, "groups": 1} | settings
        plan = _plan(input_shape, filter_shape, **attributes)
        yield input_shape, filter_shape, plan.output_shape(input_shape[0]), attributes


@conv.samples
def _(draw: Any) -> Iterator[Sample]:
    for x, w, _, attributes in _cases():
        yield Sample((draw(x, -1, 1), draw(w, -1, 1)), attributes)


@conv_input_gradient.samples
def _(draw: Any) -> Iterator[Sample]:
    for x, w, y, attributes in _cases():
        yield Sample((draw(y, -1, 1), draw(w, -1, 1)), {"shape": x, **attributes})


@conv_filter_gradient.samples
def _(draw: Any) -> Iterator[Sample]:
    for x, w, y, attributes in _cases():
        yield Sample((draw(x, -1, 1), draw(y, -1, 1)), {"window": w[:-2], **attributes})


def _written_out(x_shape: Sizes, w_shape: Sizes, attributes: dict[str, Any]) -> Iterator[tuple[Any, Any, Any]]:
    """Every product of a convolution, from its definition: places in the input, the filters, the output."""
    plan = _plan(x_shape, w_shape, **attributes)
    per_group_in, per_group_out = w_shape[-2], w_shape[-1] // plan.groups
    for position in np.ndindex(plan.windows.outputs):
        for place in np.ndindex(plan.windows.window):
            at = tuple(
                p * s + k * d - low
                for p, s, k, d, (low, _) in zip(
                    position,
                    plan.windows.strides,
                    place,
                    plan.windows.dilations,
                    plan.windows.padding,
                    strict=True,
                )
            )
            if not all(0 <= a < n for a, n in zip(at, plan.windows.sizes, strict=True)):
                continue
            for o in range(w_shape[-1]):
                for c in range(per_group_in):
                    channel = o // per_group_out * per_group_in + c
                    yield (slice(None), *at, channel), (*place, c, o), (slice(None), *position, o)


@conv.value
def _(input: Any, filters: Any, **attributes: Any) -> Any:
    shape = _plan(input.shape, filters.shape, **attributes).output_shape(input.shape[0])
    result = np.zeros(shape)
    for x, w, y in _written_out(input.shape, filters.shape, attributes):
        result[y] += input[x] * filters[w]
    return result


@conv_input_gradient.value
def _(g: Any, filters: Any, shape: Any, **attributes: Any) -> Any:
    result = np.zeros(shape)
    for x, w, y in _written_out(shape, filters.shape, attributes):
        result[x] += g[y] * filters[w]
    return result


@conv_filter_gradient.value
def _(input: Any, g: Any, window: Any, **attributes: Any) -> Any:
    result = np.zeros((*window, input.shape[-1] // attributes["groups"], g.shape[-1]))
    for x, w, y in _written_out(input.shape, result.shape, attributes):
        result[w] += (input[x] * g[y]).sum()
    return result


_BAD: list[tuple[str, dict[str, Any]]] = [
    ("a stride is positive", {"strides": (0, 1)}), ("a stride is positive", {"strides": (1, -2)}),
    ("a stride for each size", {"strides": (1,)}),
    ("a dilation is positive", {"dilations": (0, 1)}), ("a dilation for each size", {"dilations": (1, 1, 1)}),
    ("padding has a name", {"padding": "same"}), ("padding is not negative", {"padding": ((-1, 0), (0, 0))}),
    ("padding has pairs", {"padding": ((0, 0),)}), ("groups divide", {"groups": 2}),
    ("groups are positive", {"groups": 0}),
    ("groups are positive", {"groups": -1}),
    ("the window must fit", {"dilations": (2**40, 1), "padding": "VALID"}),
]  # fmt: skip


def _bad(first: Sizes, second: Sizes, **more: Any) -> Iterator[BadInput]:
    usual = {"strides": (1, 1), "dilations": (1, 1), "padding": "SAME", "groups": 1, **more}
    a, b = np.ones(first, np.float32), np.ones(second, np.float32)
    for why, settings in _BAD:
        yield BadInput(why, (a, b), usual | settings)
    yield BadInput("types never mix", (a, b.astype(np.float64)), usual)
    yield BadInput("one axis too few", (a[0], b), usual)
    yield BadInput("one axis too few", (a, b[0]), usual)
    yield BadInput("complex numbers are not convolved", (a.astype(np.complex64), b.astype(np.complex64)), usual)


@conv.rejects
def _() -> Iterator[BadInput]:
    yield from _bad((1, 4, 4, 3), (2, 2, 3, 1))
    usual = {"strides": (1, 1), "dilations": (1, 1), "padding": "VALID"}
    for w in [(2, 2, 2, 1), (0, 2, 3, 1), (2, 2, 0, 1), (6, 2, 3, 1), (2, 2, 4, 1), (2, 9, 3, 1)]:
        yield BadInput(
            "the filters must fit the input",
            (np.ones((1, 4, 4, 3), np.float32), np.ones(w, np.float32)),
            usual,
        )


@conv_input_gradient.rejects
def _() -> Iterator[BadInput]:
    yield from _bad((1, 4, 4, 1), (2, 2, 3, 1), shape=(1, 4, 4, 3))
    usual = {"strides": (1, 1), "dilations": (1, 1), "padding": "VALID"}
    for shape in [(1, 4, 4, 3), (2, 5, 5, 3), (1, 5, 5, 2), (1, 6, 5, 3), (-1, 5, 5, 3), (2**40, 5, 5, 3)]:
        arrays = np.ones((1, 4, 4, 1), np.float32), np.ones((2, 2, 3, 1), np.float32)
        yield BadInput("the shape must be one whose convolution gives g", arrays, {"shape": shape, **usual})


@conv_filter_gradient.rejects
def _() -> Iterator[BadInput]:
    yield from _bad((1, 4, 4, 3), (1, 4, 4, 1), window=(2, 2))
    usual = {"strides": (1, 1), "dilations": (1, 1), "padding": "VALID"}
    for window in [(2, 2), (0, 1), (-1, 1), (5, 5), (1,), (2**40, 1)]:
        arrays = np.ones((1, 4, 4, 3), np.float32), np.ones((1, 4, 4, 1), np.float32)
        yield BadInput("the window must be one whose convolution gives g", arrays, {"window": window, **usual})
