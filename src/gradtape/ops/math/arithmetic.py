"""Sums of lists, clipping, a weighted loss, counts and checks: what is several ops elsewhere, in one pass."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...base.dtypes import ANY, FLOATING, INEXACT, NUMERIC, REAL, Array
from ...base.errors import invalid
from ...base.types import Cotangent, Draw, Namespace, Tangent, Value
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ..family import (
    UNARY_SHAPES,
    all_batched,
    batch_over_axis,
    elementwise,
    explain_axis,
    in_float32,
    not_tensors,
    one_pass,
)
from ..shapes import equal_shapes, like, reduced
from .elementwise import sigmoid, softplus
from .logic import greater, greater_equal, less, logical_and, logical_not, logical_or, minimum, select, zeros_like
from .reduce import refuse_axis_of_scalar

Axis = int | tuple[int, ...] | None

# --- sums of lists ------------------------------------------------------------------------------------------


def _add_n(inputs: list[Array]) -> Array:
    if not inputs:
        raise invalid("add_n needs at least one tensor, got an empty list.")
    shapes = [np.shape(x) for x in inputs]
    if any(shape != shapes[0] for shape in shapes):
        raise invalid(f"add_n: all shapes must be equal, got {shapes}.")
    if len(inputs) == 1:
        return inputs[0]
    total = np.asarray(inputs[0] + inputs[1])
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
    if single and clip_value_min <= clip_value_max:
        return np.clip(t, clip_value_min, clip_value_max)
    # In this order: where the bounds cross, the lower one wins.
    return np.maximum(np.minimum(t, clip_value_max), clip_value_min)


@elementwise(eager=_clip, dtypes=REAL)
def clip_by_value(xp: Namespace, t: Array, clip_value_min: Array, clip_value_max: Array) -> Any:
    """The values between two bounds; the derivative at the bounds themselves is that of the value."""
    return xp.maximum(xp.minimum(t, clip_value_max), clip_value_min)


def _inside(t: Value, low: Value, high: Value) -> Any:
    return logical_not(logical_or(greater(t, high), less(minimum(t, high), low)))


@clip_by_value.derivative("t")
def _(d: Value, t: Value, clip_value_min: Value, clip_value_max: Value) -> Any:
    return select(_inside(t, clip_value_min, clip_value_max), d, zeros_like(d))


@clip_by_value.derivative("clip_value_min")
def _(d: Value, t: Value, clip_value_min: Value, clip_value_max: Value) -> Any:
    return select(less(minimum(t, clip_value_max), clip_value_min), d, zeros_like(d))


@clip_by_value.derivative("clip_value_max")
def _(d: Value, t: Value, clip_value_min: Value, clip_value_max: Value) -> Any:
    above = logical_and(greater(t, clip_value_max), greater_equal(clip_value_max, clip_value_min))
    return select(above, d, zeros_like(d))


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


# --- losses of three operands -------------------------------------------------------------------------------


@in_float32
@one_pass
def _weighted_cross_entropy(logits: Array, labels: Array, pos_weight: Array) -> Any:
    # Two terms of one sign: nothing cancels.
    rest = np.log1p(np.exp(-np.abs(logits)))
    positive = pos_weight * labels * (np.maximum(-logits, 0) + rest)
    return (1 - labels) * (np.maximum(logits, 0) + rest) + positive


@elementwise(eager=_weighted_cross_entropy, dtypes=FLOATING)
def weighted_cross_entropy(xp: Namespace, logits: Array, labels: Array, pos_weight: Array) -> Any:
    """The sigmoid cross entropy with positive examples weighted by `pos_weight`."""
    return (1 - labels) * xp.logaddexp(logits, 0.0) + pos_weight * labels * xp.logaddexp(-logits, 0.0)


@weighted_cross_entropy.derivative("logits")
def _(t: Value, logits: Value, labels: Value, pos_weight: Value) -> Any:
    return t * ((1.0 - labels) * sigmoid(logits) - pos_weight * labels * sigmoid(-logits))


@weighted_cross_entropy.derivative("labels")
def _(t: Value, logits: Value, pos_weight: Value) -> Any:
    # w softplus(-x) - softplus(x), with what both have in common taken out.
    right = greater_equal(logits, 0)
    rest = softplus(select(right, -logits, logits))
    return t * ((pos_weight - 1.0) * rest - select(right, logits, pos_weight * logits))


@weighted_cross_entropy.derivative("pos_weight")
def _(t: Value, logits: Value, labels: Value) -> Any:
    return t * (labels * softplus(-logits))


@weighted_cross_entropy.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in UNARY_SHAPES:
        yield Sample((draw(shape), draw(shape, 0.0, 1.0), draw((), 0.5, 3.0)))
    yield Sample((draw((2, 3)), draw((2, 3), 0.0, 1.0), draw((3,), 0.5, 3.0)))


@weighted_cross_entropy.value
def _(logits: Array, labels: Array, pos_weight: Array) -> Any:
    p = 1 / (1 + np.exp(-logits))
    return -pos_weight * labels * np.log(p) - (1 - labels) * np.log(1 - p)


# --- counting and checking ----------------------------------------------------------------------------------


def _count_nonzero(input: Array, axis: Axis = None, keepdims: bool = False) -> Any:
    refuse_axis_of_scalar(input, axis)
    there = input != (b"" if input.dtype.kind == "O" else input.dtype.type(0))
    return np.asarray(np.count_nonzero(np.asarray(there), axis=axis, keepdims=keepdims), np.int64)


@op(eager=_count_nonzero, dtypes=ANY, retypes=True, gives=np.int64, shape=reduced)
def count_nonzero(xp: Namespace, input: Array, *, axis: Axis = None, keepdims: bool = False) -> Any:
    """How many elements are not zero (no empty text)."""
    return xp.count_nonzero(input, axis=axis, keepdims=keepdims)


count_nonzero.not_differentiable("counts are integers")
count_nonzero.batching = batch_over_axis
count_nonzero.check = explain_axis("count_nonzero")


@count_nonzero.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, axis, keepdims in [
        ((), None, False), ((4,), None, False), ((2, 3), 0, False), ((2, 3), -1, True), ((2, 3, 4), (0, 2), False), ((0,), None, False),
        ((2, 0), 1, False),
    ]:  # fmt: skip
        x = np.array(draw(shape))
        yield Sample(
            (np.where(np.arange(x.size).reshape(shape) % 3 == 0, 0, x).astype(x.dtype),),
            {"axis": axis, "keepdims": keepdims},
        )


@count_nonzero.value
def _(input: Array, axis: Axis, keepdims: bool) -> Any:
    return np.sum(input.astype(bool).astype(np.int64), axis=axis, keepdims=keepdims)


@count_nonzero.rejects
def _() -> Iterator[BadInput]:
    yield from not_tensors()
    x = np.ones((2, 3), np.float32)
    for axis in (2, -3, (0, 0), 2**40):
        yield BadInput("the axes must exist, once each", (x,), {"axis": axis})


def _check_numerics(tensor: Array, message: str = "") -> Array:
    if not np.all(np.isfinite(tensor)):
        found = [word for word, test in (("Inf", np.isinf), ("NaN", np.isnan)) if np.any(test(tensor))]
        raise invalid(f"{message} : Tensor had {' and '.join(found)} values")
    return tensor


@op(eager=_check_numerics, dtypes=INEXACT, shape=like(0))
def check_numerics(xp: Namespace, tensor: Array, *, message: str) -> Any:
    """The tensor, if it has no nan and no inf."""
    return tensor


@check_numerics.vjp("tensor")
def _(g: Cotangent) -> Any:
    return g


@check_numerics.jvp("tensor")
def _(t: Tangent) -> Any:
    return t


@check_numerics.batched
def _(declared: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    return declared(args[0], **attributes)


@check_numerics.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in UNARY_SHAPES:
        yield Sample((draw(shape),), {"message": "checked"})


@check_numerics.rejects
def _() -> Iterator[BadInput]:
    for value in (np.nan, np.inf, -np.inf):
        yield BadInput("a finite number", (np.array([1.0, value], np.float32),), {"message": "checked"})
        yield BadInput("a finite number", (np.array(value),), {"message": "checked"})
