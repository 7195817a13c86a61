"""Windows of an image laid out side by side, and their transpose: windows added up where they lie."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from ...base.dtypes import NUMERIC, Array
from ...base.errors import invalid
from ...base.sizes import product
from ...base.types import Cotangent, Draw, Namespace, Value
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import shape_of
from ...op.shapes import shaped_by
from ..array.layout import reshape
from ..nn.window import Padding, Sizes, Windows, window_counts, windows


def _found(shape: Sizes, window: Sizes, strides: Sizes, dilations: Sizes, padding: Padding) -> Windows:
    if len(shape) < 3:
        raise invalid(f"windows: the input must have axes (batch, sizes ..., channels), got shape {shape}.")
    return windows("windows", shape[1:-1], window, strides, dilations, padding)


def _shape_of_windows(shape: Sizes, found: Windows) -> Sizes:
    return (shape[0], *found.outputs, prod(found.window), shape[-1])


def _extract(input: Array, window: Sizes, strides: Sizes, dilations: Sizes, padding: Padding) -> Array:
    found = _found(input.shape, window, strides, dilations, padding)
    return np.array(found.view(found.pad(input)), order="C").reshape(_shape_of_windows(input.shape, found))


@op(eager=_extract, dtypes=NUMERIC, tf_name="ExtractImagePatches")
def extract_windows(
    xp: Namespace, input: Array, *, window: Sizes, strides: Sizes, dilations: Sizes, padding: Padding
) -> Any:
    """What each window sees: (batch, outputs ..., places of the window, channels); zero on padding."""
    found = _found(input.shape, window, strides, dilations, padding)
    result = xp.zeros(_shape_of_windows(input.shape, found), input.dtype)
    for place, inputs, outputs in found.taps():
        at = (slice(None), *outputs, int(np.ravel_multi_index(place, window)))
        result = result.at[at].set(input[(slice(None), *inputs)])
    return result


@extract_windows.shapes
def _(input: Abstract, *, window: Any, strides: Any, dilations: Any, padding: Any) -> Shape:
    batch, *sizes, channels = input.of_rank(len(window) + 2)
    return (
        batch,
        *window_counts("windows", tuple(sizes), window, strides, dilations, padding),
        product(window),
        channels,
    )


def _overlay(g: Array, shape: Sizes, window: Sizes, strides: Sizes, dilations: Sizes, padding: Padding) -> Array:
    found = _checked(g, shape, window, strides, dilations, padding)
    result = np.zeros(shape, g.dtype)
    for place, inputs, outputs in found.taps():
        at: Any = (slice(None), *outputs, int(np.ravel_multi_index(place, window)))
        result[(slice(None), *inputs)] += g[at]
    return result


def _checked(g: Any, shape: Any, window: Any, strides: Any, dilations: Any, padding: Any) -> Windows:
    found = _found(shape, window, strides, dilations, padding)
    if g.shape != _shape_of_windows(shape, found):
        raise invalid(
            f"windows: an input of shape {shape} has windows {_shape_of_windows(shape, found)}, got shape {g.shape}."
        )
    return found


@op(eager=_overlay, dtypes=NUMERIC, tf_name="ExtractImagePatchesGrad", shape=shaped_by("shape"))
def overlay_windows(
    xp: Any,
    g: Any,
    *,
    shape: Sizes,
    window: Sizes,
    strides: Sizes,
    dilations: Sizes,
    padding: Padding,
) -> Any:
    """The transpose of `extract_windows`, for an input of this shape: windows added where they lie."""
    found = _checked(g, shape, window, strides, dilations, padding)
    result = xp.zeros(shape, g.dtype)
    for place, inputs, outputs in found.taps():
        at = (slice(None), *outputs, int(np.ravel_multi_index(place, window)))
        result = result.at[(slice(None), *inputs)].add(g[at])
    return result


@extract_windows.vjp("input")
def _(g: Cotangent, input_shape: Sizes, window: Sizes, strides: Sizes, dilations: Sizes, padding: Padding) -> Any:
    return overlay_windows(g, shape=input_shape, window=window, strides=strides, dilations=dilations, padding=padding)


@overlay_windows.vjp("g")
def _(t: Cotangent, window: Sizes, strides: Sizes, dilations: Sizes, padding: Padding) -> Any:
    return extract_windows(t, window=window, strides=strides, dilations=dilations, padding=padding)


extract_windows.linear("input")
overlay_windows.linear("g")


def _batch(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    (x,) = args
    size, batch, *rest = shape_of(x)
    if "shape" in attributes:
        attributes["shape"] = (size * batch, *attributes["shape"][1:])
    result = op(reshape(x, shape=(size * batch, *rest)), **attributes)
    return reshape(result, shape=(size, batch, *shape_of(result)[1:]))


extract_windows.batching = overlay_windows.batching = _batch

_CASES: list[tuple[Sizes, Sizes, Sizes, Sizes, Padding]] = [
    ((2, 4, 4, 3), (2, 2), (1, 1), (1, 1), "VALID"), ((2, 5, 5, 2), (2, 2), (2, 2), (1, 1), "SAME"),
    ((1, 5, 5, 2), (3, 3), (1, 1), (1, 1), "SAME"),
    ((1, 5, 6, 1), (3, 2), (2, 1), (1, 1), "VALID"), ((2, 6, 5, 2), (2, 2), (1, 1), (2, 3), "VALID"),
    ((1, 4, 4, 2), (2, 3), (1, 1), (1, 1), ((1, 0), (1, 2))),
    ((2, 7, 2), (3,), (2,), (1,), "SAME"), ((2, 7, 2), (2,), (3,), (1,), "VALID"), ((1, 4, 3, 4, 2),
    (2, 2, 2), (2, 1, 2), (1, 1, 1), "VALID"),
    ((0, 4, 4, 1), (2, 2), (1, 1), (1, 1), "SAME"), ((2, 3, 3, 2), (1, 1), (1, 1), (1, 1), "VALID"),
    ((1, 2, 2, 1), (3, 2), (1, 1), (1, 1), "VALID"),
]  # fmt: skip


def _cases() -> Iterator[tuple[Sizes, Sizes, dict[str, Any]]]:
    for shape, window, strides, dilations, padding in _CASES:
        attributes: dict[str, Any] = {
            "window": window,
            "strides": strides,
            "dilations": dilations,
            "padding": padding,
        }
        yield shape, _shape_of_windows(shape, _found(shape, **attributes)), attributes


@extract_windows.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, _, attributes in _cases():
        yield Sample((draw(shape),), attributes)


@overlay_windows.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, seen, attributes in _cases():
        yield Sample((draw(seen),), {"shape": shape, **attributes})


def _written_out(shape: Sizes, attributes: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    found = _found(shape, **attributes)
    for position in np.ndindex(found.outputs):
        for number, place in enumerate(np.ndindex(found.window)):
            at = found.input_of(position, place)
            if at is not None:
                yield (slice(None), *position, number), (slice(None), *at)


@extract_windows.value
def _(input: Array, **attributes: Any) -> Any:
    result = np.zeros(_shape_of_windows(input.shape, _found(input.shape, **attributes)))
    for seen, at in _written_out(input.shape, attributes):
        result[seen] = input[at]
    return result


@overlay_windows.value
def _(g: Array, shape: tuple[int, ...], **attributes: object) -> Any:
    result = np.zeros(shape)
    for seen, at in _written_out(shape, attributes):
        result[at] += g[seen]
    return result


_BAD: list[dict[str, Any]] = [
    {"strides": (0, 1)}, {"strides": (1,)}, {"dilations": (1, -1)}, {"window": (0, 1)},
    {"window": (2**40, 1)}, {"padding": "FULL"},
    {"padding": ((0, 0),)}, {"padding": ((0, 0), (-1, 0))}, {"window": (2, 2, 2)}, {"dilations": (9, 9)},
]  # fmt: skip


@extract_windows.rejects
def _() -> Iterator[BadInput]:
    usual = {"window": (2, 2), "strides": (1, 1), "dilations": (1, 1), "padding": "VALID"}
    for settings in _BAD:
        yield BadInput("windows must make sense", (np.ones((1, 4, 4, 2), np.float32),), usual | settings)
    yield BadInput("axes for batch, sizes and channels", (np.ones((4, 4), np.float32),), usual)


@overlay_windows.rejects
def _() -> Iterator[BadInput]:
    usual = {
        "shape": (1, 4, 4, 2),
        "window": (2, 2),
        "strides": (1, 1),
        "dilations": (1, 1),
        "padding": "VALID",
    }
    for settings in [*_BAD, {"shape": (2, 4, 4, 2)}, {"shape": (4, 4)}, {"shape": (1, 5, 4, 2)}]:
        yield BadInput("windows must make sense", (np.ones((1, 3, 3, 4, 2), np.float32),), usual | settings)
