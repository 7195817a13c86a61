"""The kernels of the three ops of a convolution, on arrays.

Large convolutions run in machine code (`native/convolution.py`, `native/depthwise.py`), which copies no windows. The NumPy
form copies windows into rows and multiplies once by BLAS ("im2col"), in blocks of the batch that fit the cache; with few
channels the copy runs along an image line instead. docs/design/convolution.md has measurements of where each is faster.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...base.dtypes import NARROW_FLOATS, Array
from ...base.errors import invalid
from ...native import blas, choice
from .window import Padding, Sizes, Windows, blocks, windows

if TYPE_CHECKING:
    from ...native.windows import Geometry


class Plan(NamedTuple):
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
def plan_of(
    input_shape: Sizes, filter_shape: Sizes, strides: Sizes, dilations: Sizes, padding: Padding, groups: int
) -> Plan:
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
    return Plan(found, groups, channels, filters)


# --- machine code ----------------------------------------------------------------------------------------------------------

_TYPES = (np.dtype(np.float32), np.dtype(np.float64))


def _geometry(plan: Plan, batch: int, dtype: np.dtype[Any], lanes: int, fewest: int = 8) -> Geometry | None:
    """The geometry for machine code where that is faster than the NumPy form. It uses `lanes` elements of a vector, which
    should be at least `fewest` bytes: 8 or 16, for registers of 16, 32 or 64 bytes alike."""
    if dtype not in _TYPES or lanes * dtype.itemsize < fewest:
        return None
    pixels = batch * prod(plan.windows.outputs)
    multiplications = pixels * prod(plan.filter_shape())
    if plan.depthwise:
        pays = choice.in_depthwise_convolutions(multiplications, plan.windows.window[-1])
    else:
        # Where windows do not overlap, or an image has only one, the NumPy form copies no element twice.
        pays = plan.windows.overlap and pixels != batch and choice.in_convolutions(multiplications, pixels)
    return _geometry_of(plan) if pays else None


@lru_cache(maxsize=1024)
def _geometry_of(plan: Plan) -> Geometry:
    from ...native.windows import Geometry

    groups = plan.filters if plan.depthwise else plan.groups
    return Geometry._make((*plan.windows.on_images(), groups, max(1, plan.channels // groups), plan.filters // groups))


def _by_groups(filters: Array, shape: Geometry) -> Array:
    return filters.reshape(*shape.window, shape.channels, shape.groups, shape.filters)


def _conv_compiled(x: Array, filters: Array, plan: Plan, shape: Geometry) -> Array:
    from ...native import convolution, depthwise

    run = depthwise.depthwise if plan.depthwise else convolution.conv
    result = np.empty(plan.output_shape(x.shape[0]), x.dtype)
    run(np.ascontiguousarray(_repeated(x, plan) if plan.depthwise else x), _by_groups(filters, shape), shape, result)
    return result


def _filter_gradient_compiled(x: Array, g: Array, plan: Plan, shape: Geometry) -> Array:
    from ...native import convolution, depthwise

    g = np.ascontiguousarray(g)
    if plan.depthwise:
        found = depthwise.depthwise_filter_gradient(np.ascontiguousarray(_repeated(x, plan)), g, shape)
    else:
        found = convolution.filter_gradient(np.ascontiguousarray(x), g, shape)
    return found.reshape(plan.filter_shape())


def _input_gradient_compiled(g: Array, filters: Array, plan: Plan, shape: Geometry) -> Array:
    from ...native import convolution, depthwise

    run = depthwise.depthwise if plan.depthwise else convolution.conv
    g = g.reshape(g.shape[0], *shape.outputs, g.shape[-1])
    found = convolution.input_gradient(g, _by_groups(filters, shape), shape, run)
    found = found.reshape(g.shape[0], *plan.windows.sizes, shape.kind.depth)
    return _summed(found, plan) if plan.depthwise else found


def _transposes(plan: Plan) -> bool:
    """Whether the gradient in the input takes only a few convolutions."""
    strides, dilations = plan.windows.strides, plan.windows.dilations
    return choice.in_few_convolutions(prod(strides)) and all(1 in pair for pair in zip(strides, dilations, strict=True))


# --- the three kernels -----------------------------------------------------------------------------------------------------


def _columns(x: Array, plan: Plan) -> Array:
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


def _grouped_filters(filters: Array, plan: Plan) -> Array:
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


def _row_bytes(plan: Plan, itemsize: int) -> int:
    return prod(plan.windows.outputs) * prod(plan.windows.window) * plan.channels * itemsize


def conv(input: Array, filters: Array, strides: Sizes, dilations: Sizes, padding: Padding, groups: int) -> Array:
    plan = plan_of(input.shape, filters.shape, strides, dilations, padding, groups)
    if input.dtype in NARROW_FLOATS:
        wide = conv(input.astype(np.float32), filters.astype(np.float32), strides, dilations, padding, groups)
        return wide.astype(input.dtype)
    geometry = _geometry(plan, input.shape[0], input.dtype, plan.filters if plan.depthwise else plan.filters // groups)
    if geometry is not None:
        return _conv_compiled(input, filters, plan, geometry)
    if plan.depthwise:
        return _depthwise(input, filters, plan)
    result = np.empty(plan.output_shape(input.shape[0]), input.dtype)
    matrix = _grouped_filters(filters, plan)
    for block in blocks(input.shape[0], _row_bytes(plan, input.itemsize)):
        blas.product(_columns(input[block], plan), matrix, out=_grouped_rows(result[block], groups))
    return result


def conv_filter_gradient(
    input: Array, g: Array, window: Sizes, strides: Sizes, dilations: Sizes, padding: Padding, groups: int
) -> Array:
    if groups < 1 or input.ndim < 3 or input.shape[-1] % groups:
        raise invalid(f"conv_filter_gradient: {groups} groups do not divide the channels of an input {input.shape}.")
    shape = (*window, input.shape[-1] // groups, g.shape[-1])
    plan = plan_of(input.shape, shape, strides, dilations, padding, groups)
    _check_gradient("conv_filter_gradient", g.shape, plan.output_shape(input.shape[0]))
    if input.dtype in NARROW_FLOATS:
        wide = conv_filter_gradient(
            input.astype(np.float32), g.astype(np.float32), window, strides, dilations, padding, groups
        )
        return wide.astype(input.dtype)
    each = plan.filters // groups
    geometry = _geometry(plan, input.shape[0], input.dtype, plan.filters if plan.depthwise else each)
    if geometry is not None and choice.sums_of_filters_stay_cached(prod(shape), prod(plan.windows.outputs)):
        return _filter_gradient_compiled(input, g, plan, geometry)
    if plan.depthwise:
        return _depthwise_filter_gradient(input, g, plan)
    total = np.zeros((groups, prod(shape[:-1]), each) if groups > 1 else (prod(shape[:-1]), each), input.dtype)
    for block in blocks(input.shape[0], _row_bytes(plan, input.itemsize)):
        total += blas.product(_columns(input[block], plan).swapaxes(-1, -2), _grouped_rows(g[block], groups))
    return np.moveaxis(total, 0, -2).reshape(shape) if groups > 1 else total.reshape(shape)


def conv_input_gradient(
    g: Array, filters: Array, shape: Sizes, strides: Sizes, dilations: Sizes, padding: Padding, groups: int
) -> Array:
    plan = plan_of(shape, filters.shape, strides, dilations, padding, groups)
    _check_gradient("conv_input_gradient", g.shape, plan.output_shape(shape[0]))
    if g.dtype in NARROW_FLOATS:
        wide = conv_input_gradient(
            g.astype(np.float32), filters.astype(np.float32), shape, strides, dilations, padding, groups
        )
        return wide.astype(g.dtype)
    # (The NumPy form is good at one to three channels.)
    geometry = _geometry(
        plan, shape[0], g.dtype, plan.filters if plan.depthwise else plan.channels // groups, fewest=16
    )
    if geometry is not None and _transposes(plan):
        return _input_gradient_compiled(g, filters, plan, geometry)
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


def _spread_rows(g: Array, filters: Array, plan: Plan, result: Array) -> None:
    """For each place of the window one product, added where its inputs were."""
    rows = _grouped_rows(g, plan.groups)
    lead = (slice(None),)
    for place, inputs, outputs in plan.windows.taps():
        part = blas.product(rows, _grouped_filters(filters[place], plan).swapaxes(-1, -2))
        if plan.groups > 1:
            part = part.transpose(1, 0, 2)
        result[lead + inputs] += part.reshape(*g.shape[:-1], plan.channels)[lead + outputs]


def _spread_images(g: Array, filters: Array, plan: Plan, result: Array) -> None:
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
    parts = blas.product(rows, turned.reshape(last * plan.filters, outer * plan.channels))
    parts = parts.reshape(*g.shape[:-2], found.sizes[-1], outer, plan.channels)
    if len(found.window) == 1:
        result += parts[..., 0, :]
        return
    lead = (slice(None),)
    for place, inputs, outputs in found.outer_taps():
        number = int(np.ravel_multi_index(place, found.window[:-1]))
        result[lead + inputs] += parts[lead + outputs][..., number, :]


def _spread_lines(g: Array, filters: Array, plan: Plan, result: Array) -> None:
    """The same for few channels: one product whose rows run along image lines."""
    parts = blas.product(_grouped_filters(filters, plan), _grouped_rows(g, 1).T)
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


# One filter (or a few) for each channel: elementwise products, place by place. Where a channel has
# several filters, the channel is repeated.


def _depthwise(x: Array, filters: Array, plan: Plan) -> Array:
    x = _repeated(x, plan)
    filters = filters.reshape(*plan.windows.window, plan.filters)
    result = np.zeros(plan.output_shape(x.shape[0]), x.dtype)
    lead = (slice(None),)
    for block in _depthwise_blocks(x, plan):
        part, target = x[block], result[block]
        for place, inputs, outputs in plan.windows.taps():
            target[lead + outputs] += part[lead + inputs] * filters[place]
    return result


def _depthwise_filter_gradient(x: Array, g: Array, plan: Plan) -> Array:
    x = _repeated(x, plan)
    result = np.zeros((*plan.windows.window, plan.filters), x.dtype)
    lead = (slice(None),)
    for block in _depthwise_blocks(x, plan):
        part, gradient = x[block], g[block]
        for place, inputs, outputs in plan.windows.taps():
            products = part[lead + inputs] * gradient[lead + outputs]
            result[place] += products.reshape(prod(products.shape[:-1]), plan.filters).sum(axis=0)
    return result.reshape(plan.filter_shape())


def _depthwise_input_gradient(g: Array, filters: Array, plan: Plan) -> Array:
    filters = filters.reshape(*plan.windows.window, plan.filters)
    result = np.zeros((g.shape[0], *plan.windows.sizes, plan.filters), g.dtype)
    lead = (slice(None),)
    for block in _depthwise_blocks(result, plan):
        part, target = g[block], result[block]
        for place, inputs, outputs in plan.windows.taps():
            target[lead + inputs] += part[lead + outputs] * filters[place]
    return _summed(result, plan)


def _summed(gradients: Array, plan: Plan) -> Array:
    """The gradients of a channel from all of its filters."""
    if plan.filters == plan.channels:
        return gradients
    several = gradients.reshape(*gradients.shape[:-1], plan.channels, plan.filters // plan.channels)
    return np.asarray(several.sum(axis=-1))


def _repeated(x: Array, plan: Plan) -> Array:
    return x if plan.filters == plan.channels else np.repeat(x, plan.filters // plan.channels, axis=-1)


def _depthwise_blocks(x: Array, plan: Plan) -> Iterator[slice]:
    # Three arrays of this size are touched for each place: they stay in a core's own cache.
    return blocks(x.shape[0], 16 * prod(plan.windows.sizes) * plan.filters * x.itemsize)
