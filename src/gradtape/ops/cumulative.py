"""Running log-sum-exp, and the linear recurrence that its derivatives are made of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np

from ..dtypes import FLOATING, INEXACT, Array
from ..errors import invalid
from ..op import BadInput, Op, Sample, op
from .borders import crop, pad_constant
from .elementwise import conj, divide_no_nan, exp, stop_gradient
from .family import all_batched, batch_over_axis, in_float32, negative_axis, numpy_type, rank_of, shape_of
from .logic import maximum
from .reduce import explain_axis


def _end(rank: int, axis: int, front: bool) -> tuple[tuple[int, int], ...]:
    """One place at the front or at the back of an axis, as `pad_constant` and `crop` take it."""
    place = (1, 0) if front else (0, 1)
    return tuple(place if a == axis % rank else (0, 0) for a in range(rank))


def moved_on(x: Any, axis: int, reverse: bool) -> Any:
    """Each element one place further along the axis (back with `reverse`), a zero where one is missing."""
    rank = rank_of(x)
    longer = pad_constant(x, paddings=_end(rank, axis, not reverse), constant_values=0)
    return crop(longer, paddings=_end(rank, axis, reverse))


# --- y[i] = x[i] + decay[i] * y[i - 1] ----------------------------------------------------------------------


def _recurrence(x: Array, decay: Array, axis: int, reverse: bool) -> Array:
    if x.shape != decay.shape or not -x.ndim <= axis < x.ndim:
        raise invalid(f"linear_recurrence: x {x.shape} and decay {decay.shape} need one shape that has axis {axis}.")
    total, factor = np.moveaxis(x, axis, 0).copy(), np.moveaxis(decay, axis, 0).copy()
    if reverse:
        total, factor = total[::-1], factor[::-1]
    step = 1
    while step < len(total):  # after each round, 2 * step places have been added up
        total[step:] = total[step:] + factor[step:] * total[:-step]
        factor[step:] = factor[step:] * factor[:-step]
        step *= 2
    return np.moveaxis(total[::-1] if reverse else total, 0, axis)


@op(eager=_recurrence, dtypes=INEXACT)
def linear_recurrence(xp: Any, x: Any, decay: Any, *, axis: int, reverse: bool = False) -> Any:
    """y[i] = x[i] + decay[i] * y[i - 1] along an axis (y[i + 1] with `reverse`), in log2(size) rounds."""
    total, factor = xp.moveaxis(x, axis, 0), xp.moveaxis(decay, axis, 0)
    if reverse:
        total, factor = total[::-1], factor[::-1]
    step = 1
    while step < len(total):
        total = xp.concatenate([total[:step], total[step:] + factor[step:] * total[:-step]])
        factor = xp.concatenate([factor[:step], factor[step:] * factor[:-step]])
        step *= 2
    return xp.moveaxis(total[::-1] if reverse else total, 0, axis)


def _transposed(g: Any, decay: Any, axis: int, reverse: bool) -> Any:
    """The recurrence run back: z[i] = g[i] + conj(decay[i + 1]) * z[i + 1]."""
    return linear_recurrence(g, moved_on(conj(decay), axis, not reverse), axis=axis, reverse=not reverse)


@linear_recurrence.vjp("x")
def _(g: Any, decay: Any, axis: int, reverse: bool) -> Any:
    return _transposed(g, decay, axis, reverse)


@linear_recurrence.vjp("decay")
def _(g: Any, decay: Any, out: Any, axis: int, reverse: bool) -> Any:
    return _transposed(g, decay, axis, reverse) * conj(moved_on(out, axis, reverse))


linear_recurrence.linear("x")


@linear_recurrence.jvp("decay")
def _(t: Any, decay: Any, out: Any, axis: int, reverse: bool) -> Any:
    return linear_recurrence(t * moved_on(out, axis, reverse), decay, axis=axis, reverse=reverse)


@linear_recurrence.batched
def _(op: Op, is_batched: Any, args: Any, attributes: dict[str, Any]) -> Any:
    _, (x, decay) = all_batched(is_batched, args)
    return linear_recurrence(x, decay, **{**attributes, "axis": negative_axis(attributes["axis"], rank_of(x) - 1)})


_CASES: list[tuple[tuple[int, ...], int, bool]] = [
    ((4,), 0, False), ((4,), -1, True), ((2, 3), 0, False), ((2, 3), 1, True), ((2, 3), -1, False),
    ((2, 5, 2), 1, True), ((1,), 0, False),
    ((1, 1), 1, True), ((0,), 0, False), ((2, 0), 1, True), ((0, 3), 1, False), ((9,), 0, True),
    ((8,), 0, False),
]  # fmt: skip


@linear_recurrence.samples
def _(draw: Any) -> Iterator[Sample]:
    for shape, axis, reverse in _CASES:
        yield Sample((draw(shape), draw(shape, 0.1, 0.9)), {"axis": axis, "reverse": reverse})


@linear_recurrence.value
def _(x: Array, decay: Array, axis: int, reverse: bool) -> Array:
    rows, factors = np.moveaxis(x, axis, 0), np.moveaxis(decay, axis, 0)
    result = np.zeros_like(rows)
    order = range(len(rows))[::-1] if reverse else range(len(rows))
    before = np.zeros(rows.shape[1:])
    for i in order:
        result[i] = before = rows[i] + factors[i] * before
    return np.moveaxis(result, 0, axis)


@linear_recurrence.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for axis in (2, -3, 2**40):
        yield BadInput("the axis must exist", (x, x), {"axis": axis})
    for decay in (x[0], x[:1], x.T):
        yield BadInput("every element has a decay", (x, decay), {"axis": 0})


# --- running log-sum-exp ------------------------------------------------------------------------------------


def _running(x: Array, axis: int, reverse: bool) -> Array:
    if not -x.ndim <= axis < x.ndim:
        raise ValueError("no such axis")
    x = np.flip(x, axis) if reverse else x
    total = np.logaddexp.accumulate(x, axis=axis) if x.size else x
    return np.flip(total, axis) if reverse else total


@op(eager=in_float32(_running), dtypes=FLOATING, tf_name="CumulativeLogsumexp")
def running_logsumexp(xp: Any, x: Any, *, axis: int = 0, reverse: bool = False) -> Any:
    """log(cumsum(exp(x))) along an axis, without overflow; `reverse` runs from the end."""
    total = xp.moveaxis(x, axis, 0)
    total = total[::-1] if reverse else total
    step = 1
    while step < len(total):
        total = xp.concatenate([total[:step], xp.logaddexp(total[step:], total[:-step])])
        step *= 2
    return xp.moveaxis(total[::-1] if reverse else total, 0, axis)


def _rises(out: Any, axis: int, first: bool, reverse: bool) -> Any:
    """exp(-(out[i] - out[i - 1])) in place i, or in place i - 1; 1 where one is missing. Never above 1."""
    rank = rank_of(out)
    if not shape_of(out)[axis]:
        return out
    later = crop(out, paddings=_end(rank, axis, not reverse))
    earlier = crop(out, paddings=_end(rank, axis, reverse))
    return exp(pad_constant(earlier - later, paddings=_end(rank, axis, first != reverse), constant_values=0))


@running_logsumexp.vjp("x")
def _(g: Any, x: Any, out: Any, axis: int, reverse: bool) -> Any:
    # The sum over i >= j of g[i] exp(x[j] - out[i]) / total[i], with every exponent at most 0, and linear in g.
    powers, total, level = _shares(x, out, axis, reverse)
    decay = _rises(level, axis, False, reverse)
    return powers * linear_recurrence(divide_no_nan(g, total), decay, axis=axis, reverse=not reverse)


@running_logsumexp.jvp("x")
def _(t: Any, x: Any, out: Any, axis: int, reverse: bool) -> Any:
    powers, total, level = _shares(x, out, axis, reverse)
    change = linear_recurrence(t * powers, _rises(level, axis, True, reverse), axis=axis, reverse=reverse)
    return divide_no_nan(change, total)


def _shares(x: Any, out: Any, axis: int, reverse: bool) -> tuple[Any, Any, Any]:
    """exp(x - out), their running sums at each place's own `out`, and `out` as a constant.

    The sums are 1 as far as `out` has digits behind the point. Divided by them, it does not matter what was subtracted,
    so a finite number stands for -inf, where all sums are 0.
    """
    lowest = float(ml_dtypes.finfo(numpy_type(out)).min)  # type: ignore[no-untyped-call]
    level = maximum(stop_gradient(out), lowest)
    powers = exp(x - level)
    return powers, linear_recurrence(powers, _rises(level, axis, True, reverse), axis=axis, reverse=reverse), level


running_logsumexp.batching = batch_over_axis
running_logsumexp.check = explain_axis("cumulative_logsumexp")


@running_logsumexp.samples
def _(draw: Any) -> Iterator[Sample]:
    for shape, axis, reverse in _CASES:
        yield Sample((draw(shape, -3.0, 3.0),), {"axis": axis, "reverse": reverse})


@running_logsumexp.value
def _(x: Array, axis: int, reverse: bool) -> Array:
    powers = np.exp(np.flip(x, axis) if reverse else x)
    total = np.log(np.cumsum(powers, axis))
    return np.flip(total, axis) if reverse else total


@running_logsumexp.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for axis in (2, -3, 2**40, 7):
        yield BadInput("the axis must exist", (x,), {"axis": axis})
    yield BadInput("a scalar has no axis", (np.float32(1),), {"axis": 0})
