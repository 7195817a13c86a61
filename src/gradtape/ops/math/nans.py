"""Reductions that leave NaN out, under NumPy's names: nansum, nanmean, nanmax, nanmin, nancumsum, nanargmax, nanargmin, nanvar.

NaN that is left out gets a derivative of zero; ties share theirs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.dtypes import FLOATING, NARROW_FLOATS, Array
from ...base.errors import invalid
from ...base.types import Axis, Cotangent, Draw, Function, Namespace, Tangent, Value
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import (
    as_array,
    batch_over_axis,
    in_float32,
    numpy_type,
    reject_reduction,
    sample_reduction,
    shape_of,
)
from ...op.shapes import along, reduced
from ..array.layout import reshape
from .conversion import convert
from .cumulative import cumsum
from .logic import is_nan, logical_not, select, zeros_like
from .reduce import kept_shape, reduce_sum, refuse_axis_of_scalar, spread
from .statistics import line_by_line, shares_of_extremes

_add: Any = np.add.reduce


# --- sums, means, extremes ----------------------------------------------------------------------------------


def _with_holes(draw: Draw, shape: tuple[int, ...], low: float = -2.0, high: float = 2.0) -> Any:
    """Values of which every third is NaN, but never a whole line."""
    x = np.array(draw(shape, low, high))
    holes = np.arange(x.size).reshape(x.shape) % 5 == 3
    return np.where(holes, np.nan, x).astype(x.dtype)


def _sample_holes(declared: Op, **more: object) -> None:
    sample_reduction(declared)

    @declared.samples
    def _(draw: Draw) -> Iterator[Sample]:
        yield Sample((_with_holes(draw, (8,)),), {"axis": 0}, differentiable=False)
        yield Sample((_with_holes(draw, (3, 4)),), {"axis": 1, "keepdims": True}, differentiable=False)


@in_float32
def _nansum(a: Array, axis: Axis = None, keepdims: bool = False) -> Any:
    refuse_axis_of_scalar(a, axis)
    return _add(np.where(np.isnan(a), a.dtype.type(0), a), axis, a.dtype, None, keepdims)


@op(eager=_nansum, dtypes=FLOATING, shape=reduced)
def nansum(xp: Namespace, a: Array, *, axis: Axis = None, keepdims: bool = False) -> Any:
    """The sum of what is not NaN."""
    return xp.nansum(a, axis=axis, keepdims=keepdims)


@nansum.vjp("a")
def _(g: Cotangent, a: Value, axis: Axis) -> Any:
    return _where_there(a, spread(g, shape_of(a), axis))


@nansum.jvp("a")
def _(t: Tangent, a: Value, axis: Axis, keepdims: bool) -> Any:
    return reduce_sum(_where_there(a, t), axis=axis, keepdims=keepdims)


def _where_there(a: Value, values: Value) -> Any:
    return select(is_nan(a), zeros_like(values), values)


@in_float32
def _nanmean(a: Array, axis: Axis = None, keepdims: bool = False) -> Any:
    refuse_axis_of_scalar(a, axis)
    there = ~np.isnan(a)
    total = _add(np.where(there, a, a.dtype.type(0)), axis, a.dtype, None, keepdims)
    return as_array(total / _add(there, axis, a.dtype, None, keepdims), a.dtype)


@op(eager=_nanmean, dtypes=FLOATING, shape=reduced)
def nanmean(xp: Namespace, a: Array, *, axis: Axis = None, keepdims: bool = False) -> Any:
    """The mean of what is not NaN."""
    return xp.nanmean(a, axis=axis, keepdims=keepdims)


def _count_there(a: Value, axis: Axis, keepdims: bool) -> Any:
    return reduce_sum(convert(logical_not(is_nan(a)), dtype=numpy_type(a)), axis=axis, keepdims=keepdims)


@nanmean.vjp("a")
def _(g: Cotangent, a: Value, axis: Axis) -> Any:
    share = reshape(g, shape=kept_shape(shape_of(a), axis)) / _count_there(a, axis, True)
    return _where_there(a, spread(share, shape_of(a), axis))


@nanmean.jvp("a")
def _(t: Tangent, a: Value, axis: Axis, keepdims: bool) -> Any:
    return reduce_sum(_where_there(a, t), axis=axis, keepdims=keepdims) / _count_there(a, axis, keepdims)


def _nan_extreme(choose: np.ufunc) -> Any:
    def kernel(a: Array, axis: Axis = None, keepdims: bool = False) -> Any:
        refuse_axis_of_scalar(a, axis)
        if not a.size:
            empty = a.dtype.type(-np.inf if choose is np.fmax else np.inf)
            return choose.reduce(a, axis=axis, keepdims=keepdims, initial=empty)
        return choose.reduce(a, axis=axis, keepdims=keepdims)

    return kernel


@op(eager=_nan_extreme(np.fmax), dtypes=FLOATING, shape=reduced)
def nanmax(xp: Namespace, a: Array, *, axis: Axis = None, keepdims: bool = False) -> Any:
    """The largest element that is not NaN; NaN where there is no other."""
    return xp.nanmax(a, axis=axis, keepdims=keepdims)


@op(eager=_nan_extreme(np.fmin), dtypes=FLOATING, shape=reduced)
def nanmin(xp: Namespace, a: Array, *, axis: Axis = None, keepdims: bool = False) -> Any:
    """The smallest element that is not NaN; NaN where there is no other."""
    return xp.nanmin(a, axis=axis, keepdims=keepdims)


def _extreme_vjp(g: Value, a: Value, out: Value, axis: Axis) -> Any:
    return spread(g, shape_of(a), axis) * shares_of_extremes(a, out, axis)


def _extreme_jvp(t: Value, a: Value, out: Value, axis: Axis, keepdims: bool) -> Any:
    return reduce_sum(t * shares_of_extremes(a, out, axis), axis=axis, keepdims=keepdims)


for _op in (nanmax, nanmin):
    _op.vjp("a")(_extreme_vjp)
    _op.jvp("a")(_extreme_jvp)
for _op in (nansum, nanmean, nanmax, nanmin):
    _op.batching = batch_over_axis
    _sample_holes(_op)
    reject_reduction(_op)


@nansum.value
def _(a: Array, axis: Axis, keepdims: bool) -> Any:
    return line_by_line(a, axis, keepdims, sum)


@nanmean.value
def _(a: Array, axis: Axis, keepdims: bool) -> Any:
    return line_by_line(a, axis, keepdims, lambda row: sum(row) / len(row))


@nanmax.value
def _(a: Array, axis: Axis, keepdims: bool) -> Any:
    return line_by_line(a, axis, keepdims, max)


@nanmin.value
def _(a: Array, axis: Axis, keepdims: bool) -> Any:
    return line_by_line(a, axis, keepdims, min)


# --- running sums, positions, variances ---------------------------------------------------------------------


@in_float32
def _nancumsum(a: Array, axis: int = 0) -> Any:
    if not -a.ndim <= axis < a.ndim:
        raise invalid(f"nancumsum: axis {axis} does not exist in a tensor of shape {a.shape}.")
    return np.cumsum(np.where(np.isnan(a), a.dtype.type(0), a), axis=axis, dtype=a.dtype)


@op(eager=_nancumsum, dtypes=FLOATING, shape=along)
def nancumsum(xp: Namespace, a: Array, *, axis: int = 0) -> Any:
    """Running sums along an axis, with NaN counted as 0."""
    return xp.nancumsum(a, axis=axis)


@nancumsum.vjp("a")
def _(g: Cotangent, a: Value, axis: int) -> Any:
    return _where_there(a, cumsum(g, axis=axis, exclusive=False, reverse=True))


@nancumsum.jvp("a")
def _(t: Tangent, a: Value, axis: int) -> Any:
    return cumsum(_where_there(a, t), axis=axis, exclusive=False, reverse=False)


nancumsum.batching = batch_over_axis


@nancumsum.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, axis in [
        ((4,), 0), ((2, 3), 0), ((2, 3), 1), ((2, 3, 2), -2), ((1,), 0), ((0,), 0), ((3, 1), 0), ((2, 0), 0), ((5,), -1), ((2, 2, 3), 2), ((6,), 0), ((3, 4), 1),
    ]:  # fmt: skip
        yield Sample((draw(shape),), {"axis": axis})
    yield Sample((np.array([1.0, np.nan, 2.0]).astype(draw(()).dtype),), differentiable=False)


@nancumsum.value
def _(a: Array, axis: int) -> Any:
    moved = np.moveaxis(np.nan_to_num(a), axis, 0).copy()
    for k in range(1, len(moved)):
        moved[k] += moved[k - 1]
    return np.moveaxis(moved, 0, axis)


@nancumsum.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for axis in (2, -3, 2**40):
        yield BadInput("the axis must exist", (x,), {"axis": axis})
    yield BadInput("a scalar has no axis", (x[0, 0],))


def _nan_position(name: str, function: Function) -> Any:
    def kernel(a: Array, axis: int = 0) -> Any:
        if not -a.ndim <= axis < a.ndim:
            raise invalid(f"{name}: axis {axis} does not exist in a tensor of shape {a.shape}.")
        if not a.shape[axis] or np.isnan(a).all(axis=axis).any():
            raise invalid(f"{name}: there is a line along axis {axis} without a number in it.")
        wide = a.astype(np.float32) if a.dtype in NARROW_FLOATS else a
        return np.asarray(function(wide, axis=axis), np.int64)

    return kernel


@op(eager=_nan_position("nanargmax", np.nanargmax), dtypes=FLOATING, retypes=True, gives=np.int64, shape=reduced)
def nanargmax(xp: Namespace, a: Array, *, axis: int = 0) -> Any:
    """Where the largest element that is not NaN is along an axis."""
    return xp.nanargmax(a, axis=axis)


@op(eager=_nan_position("nanargmin", np.nanargmin), dtypes=FLOATING, retypes=True, gives=np.int64, shape=reduced)
def nanargmin(xp: Namespace, a: Array, *, axis: int = 0) -> Any:
    """Where the smallest element that is not NaN is along an axis."""
    return xp.nanargmin(a, axis=axis)


def _declare_position(declared: Op, sign: int) -> None:
    declared.not_differentiable("positions are integers")
    declared.batching = batch_over_axis

    @declared.samples
    def _(draw: Draw) -> Iterator[Sample]:
        yield Sample((draw((5,)),))
        yield Sample((np.array([[1.0, np.nan], [np.nan, 2.0], [3.0, -1.0]]),), {"axis": 0})
        yield Sample((draw((2, 3)),), {"axis": -1})

    @declared.value
    def _(a: Array, axis: int) -> Any:
        return np.argmax(np.where(np.isnan(a), -np.inf, sign * a), axis=axis)

    @declared.rejects
    def _() -> Iterator[BadInput]:
        x = np.ones((2, 3), np.float32)
        for axis in (2, -3):
            yield BadInput("the axis must exist", (x,), {"axis": axis})
        yield BadInput("a number in each line", (np.full(3, np.nan, np.float32),))
        yield BadInput("an element", (x[:0],))


_declare_position(nanargmax, 1)
_declare_position(nanargmin, -1)


@in_float32
def _nanvar(a: Array, axis: Axis = None, keepdims: bool = False, ddof: float = 0.0) -> Any:
    refuse_axis_of_scalar(a, axis)
    there = ~np.isnan(a)
    count = _add(there, axis, a.dtype, None, True)
    mean = _add(np.where(there, a, a.dtype.type(0)), axis, a.dtype, None, True) / count
    apart = np.where(there, a - mean, a.dtype.type(0))
    lost = np.square(_add(apart, axis, a.dtype, None, True)) / count  # the mean's error, as in reduce_variance
    total = np.maximum(_add(np.square(apart), axis, a.dtype, None, True) - np.minimum(lost, np.finfo(a.dtype).max), 0)
    divisor = count - a.dtype.type(ddof)
    result = as_array(total / np.where(divisor > 0, divisor, np.nan), a.dtype)
    return result if keepdims else result.reshape(_add(np.empty(a.shape, bool), axis).shape)


@op(eager=_nanvar, dtypes=FLOATING, shape=reduced)
def nanvar(xp: Namespace, a: Array, *, axis: Axis = None, keepdims: bool = False, ddof: float = 0.0) -> Any:
    """The variance of what is not NaN; the divisor is the number of such elements less `ddof`."""
    return xp.nanvar(a, axis=axis, keepdims=keepdims, ddof=ddof)


def _from_mean(a: Value, axis: Axis) -> tuple[Any, Any]:
    """The distances from the mean of what is not NaN, 0 for NaN; and how many elements are not NaN."""
    count = reduce_sum(convert(logical_not(is_nan(a)), dtype=numpy_type(a)), axis=axis, keepdims=True)
    mean = reduce_sum(_where_there(a, a), axis=axis, keepdims=True) / count
    return _where_there(a, a - mean), count


@nanvar.vjp("a")
def _(g: Cotangent, a: Value, axis: Axis, ddof: float) -> Any:
    distance, count = _from_mean(a, axis)
    return reshape(g, shape=kept_shape(shape_of(a), axis)) * (2.0 / (count - ddof)) * distance


@nanvar.jvp("a")
def _(t: Tangent, a: Value, axis: Axis, out: Value, ddof: float) -> Any:
    distance, count = _from_mean(a, axis)
    total = reduce_sum(t * distance, axis=axis, keepdims=True) * (2.0 / (count - ddof))
    return reshape(total, shape=shape_of(out))


nanvar.batching = batch_over_axis
sample_reduction(nanvar)
reject_reduction(nanvar)


@nanvar.samples
def _(draw: Draw) -> Iterator[Sample]:
    holes = np.array([[1.0, np.nan, 3.0, 2.5], [0.5, -1.0, np.nan, 2.0]]).astype(draw(()).dtype)
    yield Sample((holes,), {"axis": 1, "ddof": 1.0}, differentiable=False)
    yield Sample((draw((2, 4)),), {"axis": 1, "ddof": 1.0})


@nanvar.value
def _(a: Array, axis: Axis, keepdims: bool, ddof: float) -> Any:
    return np.nanvar(a, axis=axis, keepdims=keepdims, ddof=ddof)
