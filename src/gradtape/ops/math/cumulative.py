"""Running log-sum-exp."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np

from ...base.dtypes import FLOATING, Array
from ...base.types import Cotangent, Draw, Namespace, Tangent, Value
from ...op.declaration import BadInput, Sample, op
from ..array.borders import crop, pad_constant
from ..family import batch_over_axis, in_float32, numpy_type, rank_of, shape_of
from ..shapes import along
from .elementwise import divide_no_nan, exp, stop_gradient
from .logic import maximum
from .recurrence import CASES, end_of_axis, linear_recurrence
from .reduce import explain_axis

# --- running log-sum-exp ------------------------------------------------------------------------------------


def _running(x: Array, axis: int, reverse: bool) -> Array:
    if not -x.ndim <= axis < x.ndim:
        raise ValueError("no such axis")
    x = np.flip(x, axis) if reverse else x
    total = np.logaddexp.accumulate(x, axis=axis) if x.size else x
    return np.flip(total, axis) if reverse else total


@op(eager=in_float32(_running), dtypes=FLOATING, tf_name="CumulativeLogsumexp", shape=along)
def running_logsumexp(xp: Namespace, x: Array, *, axis: int = 0, reverse: bool = False) -> Any:
    """log(cumsum(exp(x))) along an axis, without overflow; `reverse` runs from the end."""
    total = xp.moveaxis(x, axis, 0)
    total = total[::-1] if reverse else total
    step = 1
    while step < len(total):
        total = xp.concatenate([total[:step], xp.logaddexp(total[step:], total[:-step])])
        step *= 2
    return xp.moveaxis(total[::-1] if reverse else total, 0, axis)


def _rises(out: Value, axis: int, first: bool, reverse: bool) -> Any:
    """exp(-(out[i] - out[i - 1])) in place i, or in place i - 1; 1 where one is missing. Never above 1."""
    rank = rank_of(out)
    if not shape_of(out)[axis]:
        return out
    later = crop(out, paddings=end_of_axis(rank, axis, not reverse))
    earlier = crop(out, paddings=end_of_axis(rank, axis, reverse))
    return exp(pad_constant(earlier - later, paddings=end_of_axis(rank, axis, first != reverse), constant_values=0))


@running_logsumexp.vjp("x")
def _(g: Cotangent, x: Value, out: Value, axis: int, reverse: bool) -> Any:
    # The sum over i >= j of g[i] exp(x[j] - out[i]) / total[i], with every exponent at most 0, and linear in g.
    powers, total, level = _shares(x, out, axis, reverse)
    decay = _rises(level, axis, False, reverse)
    return powers * linear_recurrence(divide_no_nan(g, total), decay, axis=axis, reverse=not reverse)


@running_logsumexp.jvp("x")
def _(t: Tangent, x: Value, out: Value, axis: int, reverse: bool) -> Any:
    powers, total, level = _shares(x, out, axis, reverse)
    change = linear_recurrence(t * powers, _rises(level, axis, True, reverse), axis=axis, reverse=reverse)
    return divide_no_nan(change, total)


def _shares(x: Value, out: Value, axis: int, reverse: bool) -> tuple[Any, Any, Any]:
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
def _(draw: Draw) -> Iterator[Sample]:
    for shape, axis, reverse in CASES:
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
