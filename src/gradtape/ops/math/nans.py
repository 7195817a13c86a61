"""More of NumPy's functions that leave NaN out, and its questions about single numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.dtypes import FLOATING, INEXACT, NARROW_FLOATS, Array
from ...base.errors import invalid
from ...base.types import Cotangent, Draw, Function, Namespace, Tangent, Value
from ...op.declaration import BadInput, Op, Sample, op
from ..array.layout import reshape
from ..family import batch_over_axis, elementwise, in_float32, numpy_type, sample_unary, shape_of
from ..nn.normalization import reject_axes, sample_axes
from ..shapes import along, reduced
from .cumulative import cumsum
from .elementwise import convert
from .logic import is_nan, logical_not, select, zeros_like
from .reduce import kept_shape, reduce_sum, refuse_axis_of_scalar

Axis = int | tuple[int, ...] | None
_add: Any = np.add.reduce

# --- questions ----------------------------------------------------------------------------------------------


@elementwise(eager=np.isneginf, dtypes=FLOATING - NARROW_FLOATS, gives=np.bool_)
def isneginf(xp: Namespace, x: Array) -> Any:
    """Whether x is minus infinity."""
    return xp.isneginf(x)


@elementwise(eager=np.isposinf, dtypes=FLOATING - NARROW_FLOATS, gives=np.bool_)
def isposinf(xp: Namespace, x: Array) -> Any:
    """Whether x is plus infinity."""
    return xp.isposinf(x)


@elementwise(eager=np.isreal, dtypes=INEXACT, gives=np.bool_)
def isreal(xp: Namespace, x: Array) -> Any:
    """Whether the imaginary part is 0."""
    return xp.isreal(x)


@elementwise(eager=np.iscomplex, dtypes=INEXACT, gives=np.bool_)
def iscomplex(xp: Namespace, x: Array) -> Any:
    """Whether the imaginary part is not 0."""
    return xp.iscomplex(x)


for _op in (isneginf, isposinf, isreal, iscomplex):
    _op.not_differentiable("truth values have no derivative")
    sample_unary(_op)
for _op in (isneginf, isposinf):

    @_op.samples
    def _(draw: Draw) -> Iterator[Sample]:
        yield Sample((np.array([np.inf, -np.inf, np.nan, 0.0]),))


@isneginf.value
def _(x: Array) -> Any:
    return x == -np.inf


@isposinf.value
def _(x: Array) -> Any:
    return x == np.inf


# --- running sums, positions, variances ---------------------------------------------------------------------


def _there(a: Value, values: Value) -> Any:
    return select(is_nan(a), zeros_like(values), values)


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
    return _there(a, cumsum(g, axis=axis, exclusive=False, reverse=True))


@nancumsum.jvp("a")
def _(t: Tangent, a: Value, axis: int) -> Any:
    return cumsum(_there(a, t), axis=axis, exclusive=False, reverse=False)


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
    lost = np.square(_add(apart, axis, a.dtype, None, True)) / count  # as in the variance of all
    total = np.maximum(_add(np.square(apart), axis, a.dtype, None, True) - np.minimum(lost, np.finfo(a.dtype).max), 0)
    divisor = count - a.dtype.type(ddof)
    result = np.asarray(total / np.where(divisor > 0, divisor, np.nan), a.dtype)
    return result if keepdims else result.reshape(_add(np.empty(a.shape, bool), axis).shape)


@op(eager=_nanvar, dtypes=FLOATING, shape=reduced)
def nanvar(xp: Namespace, a: Array, *, axis: Axis = None, keepdims: bool = False, ddof: float = 0.0) -> Any:
    """The variance of what is not NaN; the divisor is the number of such elements less `ddof`."""
    return xp.nanvar(a, axis=axis, keepdims=keepdims, ddof=ddof)


def _from_mean(a: Value, axis: Axis) -> tuple[Any, Any]:
    """The distances from the mean of what is there, 0 where nothing is; and how many there are."""
    count = reduce_sum(convert(logical_not(is_nan(a)), dtype=numpy_type(a)), axis=axis, keepdims=True)
    mean = reduce_sum(_there(a, a), axis=axis, keepdims=True) / count
    return _there(a, a - mean), count


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
sample_axes(nanvar)
reject_axes(nanvar)


@nanvar.samples
def _(draw: Draw) -> Iterator[Sample]:
    holes = np.array([[1.0, np.nan, 3.0, 2.5], [0.5, -1.0, np.nan, 2.0]]).astype(draw(()).dtype)
    yield Sample((holes,), {"axis": 1, "ddof": 1.0}, differentiable=False)
    yield Sample((draw((2, 4)),), {"axis": 1, "ddof": 1.0})


@nanvar.value
def _(a: Array, axis: Axis, keepdims: bool, ddof: float) -> Any:
    return np.nanvar(a, axis=axis, keepdims=keepdims, ddof=ddof)
