"""Running totals along an axis: cumsum, cumprod, the running log-sum-exp (`tf.math.cumulative_logsumexp`).

The linear recurrence comes first: the derivatives of running products and running log-sum-exps are made of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np

from ...base.dtypes import FLOATING, INEXACT, NUMERIC, Array
from ...base.errors import invalid
from ...base.types import Cotangent, Draw, Function, Namespace, Tangent, Value
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import (
    all_batched,
    batch_over_axis,
    in_float32,
    negative_axis,
    numpy_type,
    rank_of,
    shape_of,
)
from ...op.shapes import along, equal_shapes
from ..array.borders import crop, pad_constant
from .complex_numbers import conj
from .conversion import stop_gradient
from .elementwise import divide_no_nan, exp
from .logic import maximum

# --- the linear recurrence y[i] = x[i] + decay[i] * y[i - 1] ------------------------------------------------


def end_of_axis(rank: int, axis: int, front: bool) -> tuple[tuple[int, int], ...]:
    """One place at the front or at the back of an axis, as `pad_constant` and `crop` take it."""
    place = (1, 0) if front else (0, 1)
    return tuple(place if a == axis % rank else (0, 0) for a in range(rank))


def moved_on(x: Value, axis: int, reverse: bool) -> Any:
    """Each element one place further along the axis (back with `reverse`), a zero where one is missing."""
    rank = rank_of(x)
    longer = pad_constant(x, paddings=end_of_axis(rank, axis, not reverse), constant_values=0)
    return crop(longer, paddings=end_of_axis(rank, axis, reverse))


def _recurrence(x: Array, decay: Array, axis: int, reverse: bool) -> Array:
    if x.shape != decay.shape or not -x.ndim <= axis < x.ndim:
        raise invalid(f"linear_recurrence: x {x.shape} and decay {decay.shape} need one shape that has axis {axis}.")
    total, factor = np.moveaxis(x, axis, 0).copy(), np.moveaxis(decay, axis, 0)
    if reverse:
        total, factor = total[::-1], factor[::-1]
    # Step by step, so that no product of many decays overflows beside a zero. The Python loop runs over the smaller of the two
    # sizes: 2^20 numbers in one line take 5 ms, as do 2^10 lines of 2^10 numbers.
    if len(total) ** 2 <= total.size:
        for i in range(1, len(total)):
            total[i] += factor[i] * total[i - 1]
    elif total.size:
        lines = total.reshape(len(total), -1)
        for line, factors in zip(lines.T, factor.reshape(lines.shape).T, strict=True):
            line[:] = _along_line(line, factors)
        total = lines.reshape(total.shape)
    return np.moveaxis(total[::-1] if reverse else total, 0, axis)


def _along_line(x: Array, decay: Array) -> Array:
    """The recurrence by BLAS, as a triangular system with two diagonals, solved by forward substitution."""
    from scipy.linalg import get_blas_funcs

    diagonals = np.ones((2, len(x)), x.dtype, order="F")
    diagonals[1, :-1] = -decay[1:]
    (solve,) = get_blas_funcs(("tbsv",), (x,))
    return solve(1, diagonals, x, lower=1, diag=1)


@op(eager=in_float32(_recurrence), dtypes=INEXACT)
def linear_recurrence(xp: Namespace, x: Array, decay: Array, *, axis: int, reverse: bool = False) -> Any:
    """y[i] = x[i] + decay[i] * y[i - 1] along an axis (y[i + 1] with `reverse`)."""
    total, factor = xp.moveaxis(x, axis, 0), xp.moveaxis(decay, axis, 0)
    if reverse:
        total, factor = total[::-1], factor[::-1]
    step = 1
    while step < len(total):
        total = xp.concatenate([total[:step], total[step:] + factor[step:] * total[:-step]])
        factor = xp.concatenate([factor[:step], factor[step:] * factor[:-step]])
        step *= 2
    return xp.moveaxis(total[::-1] if reverse else total, 0, axis)


@linear_recurrence.shapes
def _(x: Abstract, decay: Abstract, *, axis: object, reverse: object) -> Shape:
    return along(equal_shapes(x, decay), axis=axis)


def _transposed(g: object, decay: object, axis: int, reverse: bool) -> Any:
    """The recurrence run back: z[i] = g[i] + conj(decay[i + 1]) * z[i + 1]."""
    return linear_recurrence(g, moved_on(conj(decay), axis, not reverse), axis=axis, reverse=not reverse)


@linear_recurrence.vjp("x")
def _(g: Cotangent, decay: Value, axis: int, reverse: bool) -> Any:
    return _transposed(g, decay, axis, reverse)


@linear_recurrence.vjp("decay")
def _(g: Cotangent, decay: Value, out: Value, axis: int, reverse: bool) -> Any:
    return _transposed(g, decay, axis, reverse) * conj(moved_on(out, axis, reverse))


linear_recurrence.linear("x")


@linear_recurrence.jvp("decay")
def _(t: Tangent, decay: Value, out: Value, axis: int, reverse: bool) -> Any:
    return linear_recurrence(t * moved_on(out, axis, reverse), decay, axis=axis, reverse=reverse)


@linear_recurrence.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    _, (x, decay) = all_batched(is_batched, args)
    return linear_recurrence(x, decay, **{**attributes, "axis": negative_axis(attributes["axis"], rank_of(x) - 1)})


CASES: list[tuple[tuple[int, ...], int, bool]] = [
    ((4,), 0, False), ((4,), -1, True), ((2, 3), 0, False), ((2, 3), 1, True), ((2, 3), -1, False),
    ((2, 5, 2), 1, True), ((1,), 0, False),
    ((1, 1), 1, True), ((0,), 0, False), ((2, 0), 1, True), ((0, 3), 1, False), ((9,), 0, True),
    ((8,), 0, False),
]  # fmt: skip


@linear_recurrence.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, axis, reverse in CASES:
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


# --- cumulative sums and products ------------------------------------------------------------------------------------


def _cumulative(function: Function, unit: int) -> Any:
    def kernel(x: Array, axis: int, exclusive: bool, reverse: bool) -> Array:
        if not -x.ndim <= axis < x.ndim:
            raise ValueError("no such axis")
        x = np.flip(x, axis) if reverse else x
        if exclusive:
            head = [slice(None)] * x.ndim
            head[axis] = slice(None, -1)
            first = np.full(
                [*x.shape[: axis % x.ndim], min(1, x.shape[axis]), *x.shape[axis % x.ndim + 1 :]],
                unit,
                x.dtype,
            )
            x = np.concatenate([first, x[tuple(head)]], axis)
        result = function(x, axis=axis, dtype=x.dtype)
        return np.flip(result, axis) if reverse else result

    return kernel


@op(eager=_cumulative(np.add.accumulate, 0), dtypes=NUMERIC, shape=along)
def cumsum(xp: Namespace, x: Array, *, axis: int = 0, exclusive: bool = False, reverse: bool = False) -> Any:
    """Running sums along one axis: each element is added to those before it.

    >>> import gradtape as tf
    >>> tf.cumsum([1, 2, 3]).numpy().tolist(), tf.cumsum([1, 2, 3], exclusive=True).numpy().tolist()
    ([1, 3, 6], [0, 1, 3])
    >>> tf.cumsum([1, 2, 3], reverse=True).numpy().tolist()
    [6, 5, 3]

    Args:
        x: A tensor of numbers, or what becomes one, such as a list.
        axis: The axis along which to go; a negative one counts from the last.
        exclusive: Whether an element itself is left out of its sum, which begins with 0 then.
        reverse: Whether to begin at the end.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold numbers, or has no such axis.
    """
    x = xp.flip(x, axis) if reverse else x
    total = xp.cumsum(x, axis=axis)
    total = total - x if exclusive else total
    return xp.flip(total, axis) if reverse else total


@cumsum.vjp("x")
def _(g: Cotangent, axis: int, exclusive: bool, reverse: bool) -> Any:
    return cumsum(g, axis=axis, exclusive=exclusive, reverse=not reverse)


cumsum.linear("x")


@op(eager=_cumulative(np.multiply.accumulate, 1), dtypes=NUMERIC, shape=along)
def cumprod(xp: Namespace, x: Array, *, axis: int = 0, exclusive: bool = False, reverse: bool = False) -> Any:
    """Running products along one axis: each element is multiplied with those before it.

    >>> import gradtape as tf
    >>> tf.math.cumprod([1, 2, 3]).numpy().tolist(), tf.math.cumprod([1, 2, 3], exclusive=True).numpy().tolist()
    ([1, 2, 6], [1, 1, 2])

    The derivative is right where elements are 0, too.

    Args:
        x: A tensor of numbers, or what becomes one, such as a list.
        axis: The axis along which to go; a negative one counts from the last.
        exclusive: Whether an element itself is left out of its product, which begins with 1 then.
        reverse: Whether to begin at the end.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold numbers, or has no such axis.
    """
    x = xp.flip(x, axis) if reverse else x
    if exclusive and x.shape[axis]:
        x = xp.concatenate(
            [xp.ones_like(xp.take(x, xp.arange(1), axis)), xp.take(x, xp.arange(x.shape[axis] - 1), axis)],
            axis,
        )
    total = xp.cumprod(x, axis=axis)
    return xp.flip(total, axis) if reverse else total


@cumprod.vjp("x")
def _(g: Cotangent, x: Value, axis: int, exclusive: bool, reverse: bool) -> Any:
    # d x[j] is what stands before x[j], times the sum over i >= j of g[i] x[j + 1] ... x[i]. Nothing is divided by: exact at
    # zeros, where TensorFlow's rule gives 0 or nan.
    before = cumprod(x, axis=axis, exclusive=True, reverse=reverse)
    reached = moved_on(g, axis, not reverse) if exclusive else g
    later = moved_on(conj(x), axis, not reverse)
    return conj(before) * linear_recurrence(reached, later, axis=axis, reverse=not reverse)


@cumprod.jvp("x")
def _(t: Tangent, x: Value, out: Value, axis: int, exclusive: bool, reverse: bool) -> Any:
    if exclusive:
        return linear_recurrence(
            moved_on(t * out, axis, reverse), moved_on(x, axis, reverse), axis=axis, reverse=reverse
        )
    before = cumprod(x, axis=axis, exclusive=True, reverse=reverse)
    return linear_recurrence(t * before, x, axis=axis, reverse=reverse)


def _explain_scan(name: str) -> Any:
    """The check of a running total: one axis, which exists."""

    def check(x: Array, axis: Any, **attributes: Any) -> None:
        if isinstance(axis, tuple):
            raise invalid(f"{name}: axis must be a scalar, got {list(axis)}.")
        if not -x.ndim <= axis < x.ndim:
            raise invalid(
                f"{name}: axis {axis} does not exist in a tensor of shape {x.shape}: Expected scan axis in the range "
                f"[{-x.ndim}, {x.ndim})."
            )

    return check


for _op in (cumsum, cumprod):
    _op.check = _explain_scan(_op.name)
    _op.batching = batch_over_axis

    @_op.samples
    def _(draw: Draw) -> Iterator[Sample]:
        for shape, axis, exclusive, backwards in [
            ((4,), 0, False, False), ((4,), 0, True, False), ((4,), -1, False, True), ((4,), 0, True, True), ((2, 3), 0, False, False),
            ((2, 3), 1, True, False), ((2, 3), -1, False, True), ((2, 3, 2), 1, True, True), ((1,), 0, True, False), ((0,), 0, False, False),
            ((2, 0), 1, True, False), ((3, 1), 1, False, False),
        ]:  # fmt: skip
            yield Sample((draw(shape),), {"axis": axis, "exclusive": exclusive, "reverse": backwards})

    @_op.rejects
    def _() -> Iterator[BadInput]:
        for axis in [2, -3, 9, 2**40, -(2**40), 3, 100, -7]:
            yield BadInput("the axis must exist", (np.ones((2, 3), np.float32),), {"axis": axis})
        yield BadInput("a scalar has no axis", (np.float32(1),), {"axis": 0})
        yield BadInput("a scalar has no axis", (np.float32(1),), {"axis": -1})


# --- running log-sum-exp ------------------------------------------------------------------------------------


def _running(x: Array, axis: int, reverse: bool) -> Array:
    if not -x.ndim <= axis < x.ndim:
        raise ValueError("no such axis")
    x = np.flip(x, axis) if reverse else x
    total = np.logaddexp.accumulate(x, axis=axis) if x.size else x
    return np.flip(total, axis) if reverse else total


@op(
    eager=in_float32(_running),
    dtypes=FLOATING,
    tf_name="CumulativeLogsumexp",
    shape=along,
    called="cumulative_logsumexp",
)
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

    The sums are 1 up to the rounding of `out`. After dividing by them the result does not depend on what was subtracted,
    so a finite number stands for -inf, where all sums are 0.
    """
    lowest = float(ml_dtypes.finfo(numpy_type(out)).min)  # type: ignore[no-untyped-call]
    level = maximum(stop_gradient(out), lowest)
    powers = exp(x - level)
    return powers, linear_recurrence(powers, _rises(level, axis, True, reverse), axis=axis, reverse=reverse), level


running_logsumexp.batching = batch_over_axis
running_logsumexp.check = _explain_scan("cumulative_logsumexp")


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
