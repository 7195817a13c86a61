"""Grey-scale morphology: the largest of image plus filter in each window, and the linear maps that are its derivatives.

Which place of the window wins is a choice made from image and filter; of equal sums the first in row-major order, as in
TensorFlow, and never one on padding. Given that choice, the op is linear: cotangents are put where the winners are, in the image
or in the filter, and tangents are picked from there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.dtypes import FLOATING, REAL, Array
from ...base.errors import invalid
from ...base.sizes import matched
from ...base.types import Draw, Namespace, Value
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import all_batched, rank_of, shape_of
from ...op.shapes import like
from ..array.layout import permute, reshape
from ..nn.window import Padding, Sizes, Windows, window_counts, windows


def _found(input: Array, filters: Array, strides: Sizes, dilations: Sizes, padding: Padding) -> Windows:
    if input.ndim != 4 or filters.ndim != 3 or input.shape[-1] != filters.shape[-1]:
        raise invalid(
            "dilation2d: input (batch, height, width, channels) and filters (height, width, channels) must have the same "
            f"depth, got shapes {input.shape} and {filters.shape}."
        )
    return windows("dilation2d", input.shape[1:3], filters.shape[:2], strides, dilations, padding)


def _out_shape(input: Array, found: Windows) -> tuple[int, ...]:
    return (len(input), *found.outputs, input.shape[-1])


def _taps(found: Windows) -> Iterator[tuple[Any, Any, Any]]:
    for place, inputs, outputs in found.taps():
        yield place, (slice(None), *inputs), (slice(None), *outputs)


def _largest(xp: Namespace, input: Array, filters: Array, found: Windows) -> Any:
    lowest = np.iinfo(input.dtype).min if input.dtype.kind in "iu" else -np.inf
    result = xp.full(_out_shape(input, found), lowest, input.dtype)
    for place, inputs, outputs in _taps(found):
        result = _with(xp, result, outputs, xp.maximum(result[outputs], input[inputs] + filters[place]))
    return result


def _winners(xp: Namespace, input: Array, filters: Array, found: Windows) -> Iterator[tuple[Any, Any, Any, Any]]:
    """For each place of the window: the place, its keys, and where it wins."""
    largest = _largest(xp, input, filters, found)
    done = xp.zeros(largest.shape, bool)
    for place, inputs, outputs in _taps(found):
        hit = (input[inputs] + filters[place] == largest[outputs]) & ~done[outputs]
        done = _with(xp, done, outputs, done[outputs] | hit)
        yield place, inputs, outputs, hit


def _with(xp: Namespace, array: Any, key: object, values: Array) -> Any:
    """The array with other values at a key: changed in place by NumPy, a new one of jax."""
    if xp is not np:
        return array.at[key].set(values)
    array[key] = values
    return array


def _plus(xp: Namespace, array: Any, key: object, values: Array) -> Any:
    return _with(xp, array, key, array[key] + values)


def _dilated(input: Abstract, filters: Abstract, *, strides: object, dilations: object, padding: object) -> Shape:
    batch, *sizes, channels = input.of_rank(4)
    *window, depth = filters.of_rank(3)
    matched(channels, depth, "the depths of image and filter,")
    return (batch, *window_counts("dilation2d", tuple(sizes), window, strides, dilations, padding), channels)


def _picked(t: Abstract, input: Abstract, filters: Abstract, **geometry: object) -> Shape:
    return _dilated(input, filters, **geometry)


@op(dtypes=REAL, shape=_dilated)
def dilation2d(
    xp: Namespace, input: Array, filters: Array, *, strides: Sizes, dilations: Sizes, padding: Padding
) -> Any:
    """The largest of image plus filter in each window."""
    return _largest(xp, input, filters, _found(input, filters, strides, dilations, padding))


def _check_like(given: Array, shape: tuple[int, ...], what: str) -> None:
    if given.shape != shape:
        raise invalid(f"dilation2d: what is moved must be like the {what}, of shape {shape}; got {given.shape}.")


@op(dtypes=FLOATING, tf_name="Dilation2DBackpropInput", shape=like(1))
def dilation2d_backprop_input(
    xp: Namespace,
    out_backprop: Array,
    input: Array,
    filters: Array,
    *,
    strides: Sizes,
    dilations: Sizes,
    padding: Padding,
) -> Any:
    """Zeros like the image, with each output's cotangent added where its winner is."""
    found = _found(input, filters, strides, dilations, padding)
    _check_like(out_backprop, _out_shape(input, found), "output")
    result = xp.zeros(input.shape, out_backprop.dtype)
    for _, inputs, outputs, hit in _winners(xp, input, filters, found):
        result = _plus(xp, result, inputs, out_backprop[outputs] * hit)
    return result


@op(dtypes=FLOATING, tf_name="Dilation2DBackpropFilter", shape=like(2))
def dilation2d_backprop_filter(
    xp: Namespace,
    out_backprop: Array,
    input: Array,
    filters: Array,
    *,
    strides: Sizes,
    dilations: Sizes,
    padding: Padding,
) -> Any:
    """Zeros like the filter, with each output's cotangent added where its winner is."""
    found = _found(input, filters, strides, dilations, padding)
    _check_like(out_backprop, _out_shape(input, found), "output")
    result = xp.zeros(filters.shape, out_backprop.dtype)
    for place, _, outputs, hit in _winners(xp, input, filters, found):
        result = _plus(xp, result, place, (out_backprop[outputs] * hit).sum(axis=(0, 1, 2)))
    return result


@op(dtypes=FLOATING, shape=_picked)
def dilation2d_pick_input(
    xp: Namespace, t: Array, input: Array, filters: Array, *, strides: Sizes, dilations: Sizes, padding: Padding
) -> Any:
    """For each output, the element of t (like the image) where its winner is."""
    found = _found(input, filters, strides, dilations, padding)
    _check_like(t, input.shape, "input")
    result = xp.zeros(_out_shape(input, found), t.dtype)
    for _, inputs, outputs, hit in _winners(xp, input, filters, found):
        result = _plus(xp, result, outputs, t[inputs] * hit)
    return result


@op(dtypes=FLOATING, shape=_picked)
def dilation2d_pick_filter(
    xp: Namespace, t: Array, input: Array, filters: Array, *, strides: Sizes, dilations: Sizes, padding: Padding
) -> Any:
    """For each output, the element of t (like the filter) where its winner is."""
    found = _found(input, filters, strides, dilations, padding)
    _check_like(t, filters.shape, "filter")
    result = xp.zeros(_out_shape(input, found), t.dtype)
    for place, _, outputs, hit in _winners(xp, input, filters, found):
        result = _plus(xp, result, outputs, t[place] * hit)
    return result


def _moves(rule_of: Op) -> Any:
    """A rule that applies this op to its direction, with the winners chosen from image and filter."""

    def rule(
        t: Value,
        input: Value,
        filters: Value,
        strides: tuple[int, ...],
        dilations: tuple[int, ...],
        padding: tuple[int, ...],
    ) -> Any:
        return rule_of(t, input, filters, strides=strides, dilations=dilations, padding=padding)

    return rule


dilation2d.vjp("input")(_moves(dilation2d_backprop_input))
dilation2d.vjp("filters")(_moves(dilation2d_backprop_filter))
dilation2d.jvp("input")(_moves(dilation2d_pick_input))
dilation2d.jvp("filters")(_moves(dilation2d_pick_filter))
for _put, _pick in (
    (dilation2d_backprop_input, dilation2d_pick_input),
    (dilation2d_backprop_filter, dilation2d_pick_filter),
):
    _put.vjp("out_backprop")(_moves(_pick))
    _put.jvp("out_backprop")(_moves(_put))
    _pick.vjp("t")(_moves(_put))
    _pick.jvp("t")(_moves(_pick))


def _batched(declared: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    """Channels do not mix: the hidden axis goes among them."""
    size, data = all_batched(is_batched, args)

    def fold(x: Array) -> Any:
        shape, rank = shape_of(x), rank_of(x)
        return reshape(permute(x, perm=(*range(1, rank - 1), 0, rank - 1)), shape=(*shape[1:-1], size * shape[-1]))

    result = declared(*[fold(x) for x in data], **attributes)
    shape, rank = shape_of(result), rank_of(result)
    apart = reshape(result, shape=(*shape[:-1], size, shape[-1] // size))
    return permute(apart, perm=(rank - 1, *range(rank - 1), rank))


_CASES: list[tuple[tuple[int, ...], Sizes, Sizes, Sizes, Any]] = [
    ((1, 3, 3, 1), (2, 2), (1, 1), (1, 1), "VALID"), ((2, 4, 3, 2), (2, 2), (1, 1), (1, 1), "SAME"), ((1, 4, 4, 1), (3, 2), (2, 1), (1, 1), "SAME"),
    ((1, 5, 5, 2), (2, 2), (1, 1), (2, 2), "VALID"), ((2, 2, 2, 1), (1, 1), (1, 1), (1, 1), "VALID"), ((1, 3, 4, 3), (2, 3), (2, 2), (1, 1), "SAME"),
    ((1, 4, 3, 1), (2, 2), (1, 2), (1, 1), "VALID"), ((0, 3, 3, 1), (2, 2), (1, 1), (1, 1), "VALID"), ((1, 1, 1, 2), (1, 1), (1, 1), (1, 1), "SAME"),
    ((1, 6, 2, 1), (3, 1), (1, 1), (2, 1), "VALID"), ((2, 3, 3, 1), (3, 3), (1, 1), (1, 1), "SAME"), ((1, 2, 5, 2), (1, 3), (1, 1), (1, 1), "SAME"),
]  # fmt: skip


def _sampled(declared: Op, like: str | None) -> None:
    declared.batching = _batched

    @declared.samples
    def _(draw: Draw) -> Iterator[Sample]:
        for shape, window, strides, dilations, padding in _CASES:
            filters = draw((*window, shape[-1]), -0.2, 0.2)
            apart = np.random.default_rng(1).permutation(int(np.prod(shape)))  # no two sums nearly equal
            image = apart.reshape(shape).astype(filters.dtype)
            settings = {"strides": strides, "dilations": dilations, "padding": padding}
            outputs = windows("dilation2d", shape[1:3], window, strides, dilations, padding).outputs
            sizes = {"input": shape, "filter": (*window, shape[-1]), "output": (shape[0], *outputs, shape[-1])}
            first = () if like is None else (draw(sizes[like]),)
            yield Sample((*first, image, filters), settings)

    @declared.rejects
    def _() -> Iterator[BadInput]:
        good = {"strides": (1, 1), "dilations": (1, 1), "padding": "VALID"}
        image, filters = np.ones((1, 3, 3, 2), np.float32), np.ones((2, 2, 2), np.float32)
        first = {None: (), "input": (image,), "filter": (filters,), "output": (np.ones((1, 2, 2, 2), np.float32),)}[
            like
        ]
        for bad in ((image[0], filters), (image, filters[0]), (image[..., :1], filters)):
            yield BadInput("an image and a filter of one depth", (*first, *bad), good)
        for changed in ({"strides": (0, 1)}, {"dilations": (1, -1)}, {"padding": "FULL"}, {"strides": (1,)}):
            yield BadInput("a window", (*first, image, filters), {**good, **changed})
        if like is not None:
            yield BadInput("what fits the choice", (image[:, :1, :1], image, filters), good)


for _declared, _like in (
    (dilation2d, None),
    (dilation2d_backprop_input, "output"),
    (dilation2d_backprop_filter, "output"),
    (dilation2d_pick_input, "input"),
    (dilation2d_pick_filter, "filter"),
):
    _sampled(_declared, _like)


@dilation2d.value
def _(
    input: Array, filters: Array, strides: tuple[int, ...], dilations: tuple[int, ...], padding: tuple[int, ...]
) -> Any:
    found = windows("dilation2d", input.shape[1:3], filters.shape[:2], strides, dilations, padding)
    result = np.full((len(input), *found.outputs, input.shape[-1]), -np.inf)
    for row, column in np.ndindex(found.outputs):
        for i, j in np.ndindex(filters.shape[:2]):
            y = row * strides[0] + i * dilations[0] - found.padding[0][0]
            x = column * strides[1] + j * dilations[1] - found.padding[1][0]
            if 0 <= y < input.shape[1] and 0 <= x < input.shape[2]:
                result[:, row, column] = np.maximum(result[:, row, column], input[:, y, x] + filters[i, j])
    return result
