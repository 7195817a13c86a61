"""Sums of lists (add_n) and clipping (clip_by_value), in one pass."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...base.dtypes import NUMERIC, REAL, Array
from ...base.errors import invalid
from ...base.types import Cotangent, Draw, Namespace, Value
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import UNARY_SHAPES, all_batched, as_array, elementwise, usually
from ...op.shapes import equal_shapes
from .logic import greater_equal, less_equal, logical_and, logical_not, minimum, select, zeros_like

# --- sums of lists ------------------------------------------------------------------------------------------


def _add_n(inputs: list[Array]) -> Array:
    if not inputs:
        raise invalid("add_n needs at least one tensor, got an empty list.")
    shapes = [np.shape(x) for x in inputs]
    if any(shape != shapes[0] for shape in shapes):
        raise invalid(f"add_n: all shapes must be equal, got {shapes}.")
    if len(inputs) == 1:
        return inputs[0]
    total = as_array(inputs[0] + inputs[1])
    for x in inputs[2:]:
        total += x
    return total


@op(eager=_add_n, dtypes=NUMERIC, variadic=True, tf_name="AddN")
def add_n(xp: Namespace, inputs: Sequence[Array]) -> Any:
    """The sum of tensors of one shape, in one array."""
    return sum(inputs[1:], inputs[0])


@add_n.shapes
def _(inputs: list[Abstract]) -> Shape:
    return functools.reduce(equal_shapes, inputs).known


@add_n.vjp("inputs")
def _(g: Cotangent, inputs_shape: tuple[tuple[int, ...], ...]) -> Any:
    return [g] * len(inputs_shape)


add_n.linear("inputs")


@add_n.batched
def _(declared: Op, is_batched: tuple[bool, ...], args: Any, attributes: dict[str, Any]) -> Any:
    return declared(all_batched(is_batched, args[0])[1])


@add_n.samples
def _(draw: Draw) -> Iterator[Sample]:
    for number, shape in enumerate(UNARY_SHAPES):
        yield Sample(([draw(shape) for _ in range(1 + number % 4)],))


@add_n.value
def _(inputs: Sequence[Array]) -> Any:
    return np.sum(np.stack(inputs), axis=0)


@add_n.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for shape in ((3,), (2, 1), (3, 2), (), (1, 2, 3)):
        yield BadInput("shapes are equal, and never broadcast", ([x, np.ones(shape, np.float32)],))
    yield BadInput("types never mix", ([x, x.astype(np.float64)],))
    yield BadInput("at least one", ([],), error=(Exception,))


# --- clipping -----------------------------------------------------------------------------------------------


def _clip(t: Array, clip_value_min: Array, clip_value_max: Array) -> Any:
    single = t.dtype.kind != "V" and not np.ndim(clip_value_min) and not np.ndim(clip_value_max)
    if single and usually(clip_value_min <= clip_value_max):
        return np.clip(t, clip_value_min, clip_value_max)
    # In this order: where the bounds cross, the lower one wins.
    return np.maximum(np.minimum(t, clip_value_max), clip_value_min)


@elementwise(eager=_clip, dtypes=REAL)
def clip_by_value(xp: Namespace, t: Array, clip_value_min: Array, clip_value_max: Array) -> Any:
    """The values between two bounds; the derivative at the bounds themselves is that of the value."""
    return xp.maximum(xp.minimum(t, clip_value_max), clip_value_min)


def _below(t: Value, high: Value) -> Any:
    """Whether `minimum` takes the value: not a nan, whose derivative is 0."""
    return less_equal(t, high)


def _above(t: Value, low: Value, high: Value) -> Any:
    """Whether `maximum` takes what `minimum` gave it."""
    return greater_equal(minimum(t, high), low)


@clip_by_value.derivative("t")
def _(d: Value, t: Value, clip_value_min: Value, clip_value_max: Value) -> Any:
    taken = logical_and(_below(t, clip_value_max), _above(t, clip_value_min, clip_value_max))
    return select(taken, d, zeros_like(d))


@clip_by_value.derivative("clip_value_min")
def _(d: Value, t: Value, clip_value_min: Value, clip_value_max: Value) -> Any:
    return select(_above(t, clip_value_min, clip_value_max), zeros_like(d), d)


@clip_by_value.derivative("clip_value_max")
def _(d: Value, t: Value, clip_value_min: Value, clip_value_max: Value) -> Any:
    taken = logical_and(logical_not(_below(t, clip_value_max)), _above(t, clip_value_min, clip_value_max))
    return select(taken, d, zeros_like(d))


@clip_by_value.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in UNARY_SHAPES:
        yield Sample((draw(shape, -3.0, 3.0, (-1.0, 1.0)), draw((), -1.05, -0.95), draw((), 0.95, 1.05)))
    yield Sample((draw((2, 3)), draw((3,), -1.0, -0.5), draw((2, 1), 0.5, 1.0)))
    yield Sample((draw((3,)), draw((3,), 1.5, 2.0), draw((3,), -2.0, -1.5)))


@clip_by_value.value
def _(t: Array, clip_value_min: Array, clip_value_max: Array) -> Any:
    limited = np.where(t > clip_value_max, clip_value_max, t)
    return np.where(limited < clip_value_min, clip_value_min, limited)
