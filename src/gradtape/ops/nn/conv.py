"""Convolution in any number of dimensions: three bilinear ops, each the transpose of the others.

    conv(x, w)                     what windows of x give when multiplied by the filters w
    conv_input_gradient(g, w)      its transpose in x; as a layer, the "transposed convolution"
    conv_filter_gradient(x, g)     its transpose in w

The derivative of any one of them in any operand is another one, so all orders, forward mode and batching need
nothing else. Layouts: input (batch, sizes ..., channels), filters (window ..., channels / groups,
filters). Where a batch of filters is convolved, the batch goes into channels or groups.
The kernels stand in conv_kernels.py.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.dtypes import FLOATING, Array, int32
from ...base.sizes import UNKNOWN, Undecided, matched
from ...base.types import Cotangent, Draw, Function, Jax, Namespace, Value
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import shape_of
from ...op.shapes import matched_sizes
from ..array.layout import permute, reshape
from ..nn.window import window_counts
from . import conv_kernels as kernels
from .conv_kernels import plan_of
from .window import Padding, Sizes

_TYPES = FLOATING | {int32.numpy}


# --- the ops ------------------------------------------------------------------------------------------------


def _convolved(input: Abstract, filters: Abstract, *, strides: Any, dilations: Any, padding: Any, groups: Any) -> Sizes:
    rank = len(strides) + 2
    (batch, *sizes, channels), (*window, depth, count) = input.of_rank(rank), filters.of_rank(rank)
    matched(channels, depth * groups, "the input depth and that of the filters times the groups,")
    return (batch, *window_counts("conv", tuple(sizes), window, strides, dilations, padding), count)


@op(eager=kernels.conv, dtypes=_TYPES, tf_name="Conv", shape=_convolved)
def conv(
    xp: Namespace, input: Array, filters: Array, *, strides: Sizes, dilations: Sizes, padding: Padding, groups: int = 1
) -> Any:
    """The convolution (without flipping, as in neural networks) of an input with filters."""
    return kernels.conv(input, filters, strides, dilations, padding, groups)


@conv.xla
def _(
    jax: Jax, input: Array, filters: Array, *, strides: Sizes, dilations: Sizes, padding: Padding, groups: int
) -> Any:
    shape = plan_of(input.shape, filters.shape, strides, dilations, padding, groups).output_shape(input.shape[0])
    if not input.size or not filters.size:
        return jax.numpy.zeros(shape, input.dtype)
    axes = "ABCDEF"[: len(strides)]
    return jax.lax.conv_general_dilated(
        input,
        filters,
        strides,
        padding,
        rhs_dilation=dilations,
        dimension_numbers=(f"N{axes}C", f"{axes}IO", f"N{axes}C"),
        feature_group_count=groups,
    )


@op(eager=kernels.conv_input_gradient, dtypes=_TYPES, tf_name="ConvBackpropInput")
def conv_input_gradient(
    xp: Namespace,
    g: Array,
    filters: Array,
    *,
    shape: Sizes,
    strides: Sizes,
    dilations: Sizes,
    padding: Padding,
    groups: int = 1,
) -> Any:
    """The transpose of `conv` in its input, which had this shape."""
    return kernels.conv_input_gradient(g, filters, shape, strides, dilations, padding, groups)


@conv_input_gradient.xla
def _(jax: Jax, g: Array, filters: Array, *, shape: Sizes, **geometry: object) -> Any:
    return _transposed(jax, lambda input: _on_xla(jax, input, filters, **geometry), shape, g)


def _on_xla(jax: Jax, input: Array, filters: Array, **geometry: object) -> Any:
    assert conv.xla_kernel is not None
    return conv.xla_kernel(jax, input, filters, **geometry)


def _transposed(jax: Jax, linear: Function, shape: Sizes, g: Array) -> Any:
    """The transpose of a function of an array of this shape."""
    if not math.prod(shape) or not g.size:
        return jax.numpy.zeros(shape, g.dtype)
    return jax.linear_transpose(linear, jax.ShapeDtypeStruct(shape, g.dtype))(g)[0]


@conv_input_gradient.shapes
def _(g: Abstract, filters: Abstract, *, shape: Any, **geometry: Any) -> Shape:
    if shape is UNKNOWN:
        return None
    with contextlib.suppress(Undecided):
        matched_sizes(g.shape, _convolved(Abstract(tuple(shape), g.dtype), filters, **geometry), "g and the output,")
    return tuple(shape)


@op(eager=kernels.conv_filter_gradient, dtypes=_TYPES, tf_name="ConvBackpropFilter")
def conv_filter_gradient(
    xp: Namespace,
    input: Array,
    g: Array,
    *,
    window: Sizes,
    strides: Sizes,
    dilations: Sizes,
    padding: Padding,
    groups: int = 1,
) -> Any:
    """The transpose of `conv` in its filters, whose window had these sizes."""
    return kernels.conv_filter_gradient(input, g, window, strides, dilations, padding, groups)


@conv_filter_gradient.xla
def _(jax: Jax, input: Array, g: Array, *, window: Sizes, groups: int, **geometry: object) -> Any:
    shape = (*window, input.shape[-1] // groups, g.shape[-1])
    return _transposed(jax, lambda filters: _on_xla(jax, input, filters, groups=groups, **geometry), shape, g)


@conv_filter_gradient.shapes
def _(input: Abstract, g: Abstract, *, window: Any, groups: Any, **_: object) -> Shape:
    rank = len(window) + 2
    return (*window, input.of_rank(rank)[-1] // groups, g.of_rank(rank)[-1])


@conv.vjp("input")
def _(
    g: Cotangent, filters: Value, input_shape: Sizes, strides: Sizes, dilations: Sizes, padding: Padding, groups: int
) -> Any:
    return conv_input_gradient(
        g, filters, shape=input_shape, strides=strides, dilations=dilations, padding=padding, groups=groups
    )


@conv.vjp("filters")
def _(
    g: Cotangent, input: Value, filters_shape: Sizes, strides: Sizes, dilations: Sizes, padding: Padding, groups: int
) -> Any:
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
def _(t: Cotangent, filters: Value, strides: Sizes, dilations: Sizes, padding: Padding, groups: int) -> Any:
    return conv(t, filters, strides=strides, dilations=dilations, padding=padding, groups=groups)


@conv_input_gradient.vjp("filters")
def _(
    t: Cotangent, g: Value, filters_shape: Sizes, strides: Sizes, dilations: Sizes, padding: Padding, groups: int
) -> Any:
    return conv_filter_gradient(
        t, g, window=filters_shape[:-2], strides=strides, dilations=dilations, padding=padding, groups=groups
    )


@conv_filter_gradient.vjp("input")
def _(
    t: Cotangent, g: Value, input_shape: Sizes, strides: Sizes, dilations: Sizes, padding: Padding, groups: int
) -> Any:
    return conv_input_gradient(
        g, t, shape=input_shape, strides=strides, dilations=dilations, padding=padding, groups=groups
    )


@conv_filter_gradient.vjp("g")
def _(t: Cotangent, input: Value, strides: Sizes, dilations: Sizes, padding: Padding, groups: int) -> Any:
    return conv(input, t, strides=strides, dilations=dilations, padding=padding, groups=groups)


conv.linear("input", "filters")
conv_input_gradient.linear("g", "filters")
conv_filter_gradient.linear("input", "g")


# --- batching -----------------------------------------------------------------------------------------------
#
# Three axes can take the hidden one: the batch axis of (input, output), the channels of (input, filters), the filters of
# (filters, output). Each belongs to two of the three values, so one batched operand puts the hidden axis where the other
# operand does not have it; two batched operands make the hidden axis a part of the groups.


def _into_batch(x: Value) -> Any:
    size, batch, *rest = shape_of(x)
    return reshape(x, shape=(size * batch, *rest))


def _out_of_batch(x: Value, size: int) -> Any:
    batch, *rest = shape_of(x)
    return reshape(x, shape=(size, batch // size, *rest))


def _into_axis(x: Value, axis: int, groups: int) -> Any:
    """The hidden axis merged into `axis` (counted without it), between the groups there and the rest."""
    size, *shape = shape_of(x)
    axis %= len(shape)
    each = shape[axis] // groups
    split = reshape(x, shape=(size, *shape[:axis], groups, each, *shape[axis + 1 :]))
    order = (*range(1, axis + 2), 0, *range(axis + 2, len(shape) + 2))
    merged = (*shape[:axis], shape[axis] * size, *shape[axis + 1 :])
    return reshape(permute(split, perm=order), shape=merged)


def _out_of_axis(x: Value, axis: int, groups: int, size: int) -> Any:
    """The reverse of `_into_axis`."""
    shape = shape_of(x)
    axis %= len(shape)
    each = shape[axis] // groups // size
    split = reshape(x, shape=(*shape[:axis], groups, size, each, *shape[axis + 1 :]))
    order = (axis + 1, *range(axis + 1), *range(axis + 2, len(shape) + 2))
    return reshape(permute(split, perm=order), shape=(size, *shape[:axis], groups * each, *shape[axis + 1 :]))


@conv.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
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
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
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
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    input, g = args
    groups = attributes["groups"]
    size = shape_of(input if is_batched[0] else g)[0]
    if is_batched == (True, False):
        return _out_of_axis(conv_filter_gradient(_into_axis(input, -1, groups), g, **attributes), -2, 1, size)
    if is_batched == (False, True):
        return _out_of_axis(conv_filter_gradient(input, _into_axis(g, -1, groups), **attributes), -1, groups, size)
    attributes["groups"] = size * groups
    return _out_of_axis(conv_filter_gradient(_into_axis(input, -1, 1), _into_axis(g, -1, 1), **attributes), -1, 1, size)


# --- samples and bad inputs ---------------------------------------------------------------------------------

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
        plan = plan_of(input_shape, filter_shape, **attributes)
        yield input_shape, filter_shape, plan.output_shape(input_shape[0]), attributes


@conv.samples
def _(draw: Draw) -> Iterator[Sample]:
    for x, w, _, attributes in _cases():
        yield Sample((draw(x, -1, 1), draw(w, -1, 1)), attributes)


@conv_input_gradient.samples
def _(draw: Draw) -> Iterator[Sample]:
    for x, w, y, attributes in _cases():
        yield Sample((draw(y, -1, 1), draw(w, -1, 1)), {"shape": x, **attributes})


@conv_filter_gradient.samples
def _(draw: Draw) -> Iterator[Sample]:
    for x, w, y, attributes in _cases():
        yield Sample((draw(x, -1, 1), draw(y, -1, 1)), {"window": w[:-2], **attributes})


def _written_out(x_shape: Sizes, w_shape: Sizes, attributes: dict[str, Any]) -> Iterator[tuple[Any, Any, Any]]:
    """Every product of a convolution, from its definition: places in the input, the filters, the output."""
    plan = plan_of(x_shape, w_shape, **attributes)
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
def _(input: Array, filters: Array, **attributes: object) -> Any:
    shape = plan_of(input.shape, filters.shape, **attributes).output_shape(input.shape[0])
    result = np.zeros(shape)
    for x, w, y in _written_out(input.shape, filters.shape, attributes):
        result[y] += input[x] * filters[w]
    return result


@conv_input_gradient.value
def _(g: Array, filters: Array, shape: tuple[int, ...], **attributes: object) -> Any:
    result = np.zeros(shape)
    for x, w, y in _written_out(shape, filters.shape, attributes):
        result[x] += g[y] * filters[w]
    return result


@conv_filter_gradient.value
def _(input: Array, g: Array, window: tuple[int, ...], **attributes: object) -> Any:
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


def _bad(first: Sizes, second: Sizes, **more: object) -> Iterator[BadInput]:
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
