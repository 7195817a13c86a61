"""The linear recurrence that derivatives of running products and running log-sum-exps are made of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.dtypes import INEXACT, Array
from ...base.errors import invalid
from ...base.types import Cotangent, Draw, Namespace, Tangent, Value
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ..array.borders import crop, pad_constant
from ..family import all_batched, in_float32, negative_axis, rank_of
from ..shapes import along, equal_shapes
from .elementwise import conj


def end_of_axis(rank: int, axis: int, front: bool) -> tuple[tuple[int, int], ...]:
    """One place at the front or at the back of an axis, as `pad_constant` and `crop` take it."""
    place = (1, 0) if front else (0, 1)
    return tuple(place if a == axis % rank else (0, 0) for a in range(rank))


def moved_on(x: Value, axis: int, reverse: bool) -> Any:
    """Each element one place further along the axis (back with `reverse`), a zero where one is missing."""
    rank = rank_of(x)
    longer = pad_constant(x, paddings=end_of_axis(rank, axis, not reverse), constant_values=0)
    return crop(longer, paddings=end_of_axis(rank, axis, reverse))


# --- y[i] = x[i] + decay[i] * y[i - 1] ----------------------------------------------------------------------


def _recurrence(x: Array, decay: Array, axis: int, reverse: bool) -> Array:
    if x.shape != decay.shape or not -x.ndim <= axis < x.ndim:
        raise invalid(f"linear_recurrence: x {x.shape} and decay {decay.shape} need one shape that has axis {axis}.")
    total, factor = np.moveaxis(x, axis, 0).copy(), np.moveaxis(decay, axis, 0)
    if reverse:
        total, factor = total[::-1], factor[::-1]
    # Step by step, so that no product of many decays overflows beside a zero. Of the two sizes the smaller one is looped over
    # in Python: 2^20 numbers in one line take 5 ms, as do 2^10 lines of as many.
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
    """The recurrence as what it is for BLAS: a triangular system with two diagonals, solved from the first row on."""
    from scipy.linalg import get_blas_funcs

    diagonals = np.ones((2, len(x)), x.dtype, order="F")
    diagonals[1, :-1] = -decay[1:]
    (solve,) = get_blas_funcs(("tbsv",), (x,))
    return solve(1, diagonals, x, lower=1, diag=1)  # type: ignore[no-any-return]


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
def _(x: Abstract, decay: Abstract, *, axis: Any, reverse: Any) -> Shape:
    return along(equal_shapes(x, decay), axis=axis)


def _transposed(g: Any, decay: Any, axis: int, reverse: bool) -> Any:
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
