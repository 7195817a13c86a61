"""Reductions over axes, positions of extremes (argmax, argmin), and counts (count_nonzero)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np

from ...base.dtypes import ANY, BOOL, FLOATING, NARROW_FLOATS, NUMERIC, REAL, Array
from ...base.errors import invalid
from ...base.sizes import Size, larger
from ...base.types import Axis, Cotangent, Draw, Function, Namespace, Tangent, Value
from ...native import thresholds
from ...native.choice import by_size
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Sample, op
from ...op.family import (
    as_array,
    batch_over_axis,
    check_axis,
    explain_axis,
    in_float32,
    is_complex,
    not_tensors,
    numpy_type,
    reject_reduction,
    sample_reduction,
    shape_of,
    usually,
)
from ...op.shapes import reduced, typed_by
from ..array.layout import broadcast_to, permute, reshape
from ..nn.rows import along_rows, sum_over
from .complex_numbers import conj
from .conversion import convert, stop_gradient
from .cumulative import cumprod
from .elementwise import exp, zero_safe_divide
from .logic import equal, minimum, ones_like

# The ufuncs' own reductions: ndarray.sum and the like go through a Python layer.
_add: Any = np.add.reduce
_multiply: Any = np.multiply.reduce
_largest: Any = np.maximum.reduce


def kept_shape(shape: tuple[int, ...], axis: Axis) -> tuple[int, ...]:
    """The shape of the reduced tensor with the reduced axes kept as size one."""
    if axis is None:
        return (1,) * len(shape)
    if axis.__class__ is tuple and len(axis) == 1:
        (axis,) = axis
    if axis.__class__ is int:  # (a comprehension is a call on Python 3.11)
        place = axis % len(shape)
        return (*shape[:place], 1, *shape[place + 1 :])
    axes = {a % len(shape) for a in (axis if isinstance(axis, tuple) else (axis,))}
    return tuple(1 if position in axes else size for position, size in enumerate(shape))


def spread(reduced: Value, shape: tuple[int, ...], axis: Axis) -> Any:
    """A reduced value repeated over the axes that were reduced."""
    if axis is None:
        return broadcast_to(reduced, shape=shape)
    return broadcast_to(reshape(reduced, shape=kept_shape(shape, axis)), shape=shape)


def count_reduced(shape: tuple[int, ...], axis: Axis) -> int:
    """How many elements go into one element of the reduced tensor."""
    if axis is None:
        return math.prod(shape)
    count: Any = 1
    size: Any
    for size, kept in zip(shape, kept_shape(shape, axis), strict=True):
        if kept is not size and ((size.__class__ is not int and isinstance(size, Size)) or kept != size):
            count = size * count
    return count


def at_least_one(count: Any) -> Any:
    """A number of elements to divide by; it may be a size that is not known yet."""
    return larger(count, 1) if isinstance(count, Size) else max(count, 1)


def refuse_axis_of_scalar(x: Array, axis: Axis) -> None:
    """Raise for axis 0 of a scalar, as TensorFlow does; NumPy accepts it."""
    if not x.ndim and axis is not None and axis != ():
        raise ValueError(f"axis {axis} does not exist in a scalar")


def _checked(kernel: Function) -> Any:
    def checked(x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
        refuse_axis_of_scalar(x, axis)
        return kernel(x, axis=axis, keepdims=keepdims)

    return checked


# --- sum, mean, product ----------------------------------------------------------------------------------------------


def _sum(x: Array, axis: Axis, keepdims: bool) -> Array:
    if not x.ndim:
        refuse_axis_of_scalar(x, axis)
    if x.dtype in NARROW_FLOATS:
        return np.asarray(x.astype(np.float32).sum(axis=axis, keepdims=keepdims)).astype(x.dtype)
    return sum_over(x, axis, keepdims)


@op(eager=_sum, dtypes=NUMERIC, tf_name="Sum", on_sizes=True, shape=reduced)
def reduce_sum(xp: Namespace, input_tensor: Array, *, axis: Axis = None, keepdims: bool = False) -> Any:
    """The sum of all elements, or of those along some axes.

    >>> import gradtape as tf
    >>> x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.reduce_sum(x).numpy(), tf.reduce_sum(x, axis=0).numpy().tolist()
    (np.float32(10.0), [4.0, 6.0])
    >>> (x / tf.reduce_sum(x, axis=1, keepdims=True)).numpy()  # each row divided by its sum
    array([[0.33333334, 0.6666667 ],
           [0.42857143, 0.5714286 ]], dtype=float32)

    The sum of no elements is 0.
    """
    return xp.sum(input_tensor, axis=axis, keepdims=keepdims, dtype=input_tensor.dtype)


@reduce_sum.vjp("input_tensor")
def _(g: Cotangent, input_tensor_shape: tuple[int, ...], axis: Axis) -> Any:
    return spread(g, input_tensor_shape, axis)


reduce_sum.linear("input_tensor")


def _mean(x: Array, axis: Axis, keepdims: bool) -> Array:
    if not x.ndim:
        refuse_axis_of_scalar(x, axis)
    if x.dtype.kind in "iu":
        total = x.sum(axis=axis, keepdims=keepdims)
        count = max(count_reduced(x.shape, axis), 1)
        return np.asarray(np.trunc(total / count)).astype(x.dtype)
    if x.dtype in NARROW_FLOATS:
        return np.asarray(_mean(x.astype(np.float32), axis, keepdims)).astype(x.dtype)
    # Not ndarray.mean: it goes through a slow Python layer, and warns where there is nothing to average.
    count = count_reduced(x.shape, axis)
    return sum_over(x, axis, keepdims) / x.dtype.type(count)


@op(eager=_mean, dtypes=NUMERIC, tf_name="Mean", shape=reduced)
def reduce_mean(xp: Namespace, input_tensor: Array, *, axis: Axis = None, keepdims: bool = False) -> Any:
    """The mean of all elements, or of those along some axes.

    >>> import gradtape as tf
    >>> tf.reduce_mean([[1.0, 2.0], [3.0, 4.0]], axis=0).numpy()
    array([2., 3.], dtype=float32)
    >>> tf.reduce_mean([1, 2]).numpy(), tf.reduce_mean(tf.cast([1, 2], tf.float32)).numpy()
    (np.int32(1), np.float32(1.5))

    The mean of integers is an integer, as in TensorFlow: its fraction is cut off. The mean of no elements is nan.
    """
    return xp.mean(input_tensor, axis=axis, keepdims=keepdims)


@reduce_mean.vjp("input_tensor")
def _(g: Cotangent, input_tensor_shape: tuple[int, ...], axis: Axis) -> Any:
    return spread(g / at_least_one(count_reduced(input_tensor_shape, axis)), input_tensor_shape, axis)


reduce_mean.linear("input_tensor")


def _product(x: Array, axis: Axis, keepdims: bool) -> Array:
    return _multiply(x, axis, x.dtype, None, keepdims)


@op(eager=_checked(_product), dtypes=NUMERIC, tf_name="Prod", on_sizes=True, shape=reduced)
def reduce_prod(xp: Namespace, input_tensor: Array, *, axis: Axis = None, keepdims: bool = False) -> Any:
    """The product of all elements, or of those along some axes.

    >>> import gradtape as tf
    >>> tf.reduce_prod([[1.0, 2.0], [3.0, 4.0]], axis=1).numpy()
    array([ 2., 12.], dtype=float32)

    The derivative by an element is the product of the others, where some are 0 too. The product of no elements is 1.
    """
    return xp.prod(input_tensor, axis=axis, keepdims=keepdims, dtype=input_tensor.dtype)


@reduce_prod.vjp("input_tensor")
def _(g: Cotangent, input_tensor: Value, axis: Axis) -> Any:
    return spread(g, shape_of(input_tensor), axis) * conj(_product_of_others(input_tensor, axis))


@reduce_prod.jvp("input_tensor")
def _(t: Tangent, input_tensor: Value, axis: Axis, keepdims: bool) -> Any:
    return reduce_sum(t * _product_of_others(input_tensor, axis), axis=axis, keepdims=keepdims)


def _product_of(shape: tuple[int, ...], axes: tuple[int, ...]) -> int:
    return int(np.prod([shape[a] for a in axes], dtype=np.int64))


def _product_of_others(x: Value, axis: Axis) -> Any:
    """For each element the product of all others it is multiplied with, without dividing: right at zeros too."""
    shape = shape_of(x)
    rank = len(shape)
    if rank == 0:
        return ones_like(x)
    reduced = (
        tuple(range(rank)) if axis is None else tuple(a % rank for a in (axis if isinstance(axis, tuple) else (axis,)))
    )
    kept = tuple(a for a in range(rank) if a not in reduced)
    order = (*kept, *reduced)
    rows = reshape(permute(x, perm=order), shape=(_product_of(shape, kept), _product_of(shape, reduced)))
    before = cumprod(rows, axis=1, exclusive=True, reverse=False)
    after = cumprod(rows, axis=1, exclusive=True, reverse=True)
    others = reshape(before * after, shape=tuple(shape[a] for a in order))
    return permute(others, perm=tuple(np.argsort(order).tolist()))


# --- maximum, minimum ------------------------------------------------------------------------------------------------


def _extreme(function: Any, empty_value: Any) -> Any:
    def kernel(x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
        refuse_axis_of_scalar(x, axis)
        if not x.size:
            info = np.iinfo(x.dtype) if x.dtype.kind in "iu" else None
            initial = empty_value if info is None else (info.min if empty_value < 0 else info.max)
            return function(x, axis=axis, keepdims=keepdims, initial=initial)
        return function(x, axis=axis, keepdims=keepdims)

    return kernel


_maximum = _extreme(_largest, -np.inf)


def _maximum_along_rows(x: Array, axis: Axis = None, keepdims: bool = False) -> Any:
    found = along_rows("max", x, axis, keepdims)
    return _maximum(x, axis, keepdims) if found is None else found


def _extreme_vjp(g: Any, input_tensor: Any, out: Any, axis: Axis) -> Any:
    """Elements that tie share the cotangent equally, as in TensorFlow."""
    shape = shape_of(input_tensor)
    chosen = convert(equal(input_tensor, spread(out, shape, axis)), dtype=numpy_type(g))
    ties = reduce_sum(chosen, axis=axis, keepdims=True)
    return spread(g, shape, axis) * (chosen / ties)


def _extreme_jvp(t: Value, input_tensor: Value, out: Value, axis: Axis, keepdims: bool) -> Any:
    chosen = convert(equal(input_tensor, spread(out, shape_of(input_tensor), axis)), dtype=numpy_type(t))
    ties = reduce_sum(chosen, axis=axis, keepdims=keepdims)
    return reduce_sum(t * chosen, axis=axis, keepdims=keepdims) / ties


@op(eager=by_size(_maximum, _maximum_along_rows, thresholds.ROWS_ELEMENTS), dtypes=REAL, tf_name="Max", shape=reduced)
def reduce_max(xp: Any, input_tensor: Any, *, axis: Axis = None, keepdims: bool = False) -> Any:
    """The largest of all elements, or of those along some axes.

    >>> import gradtape as tf
    >>> tf.reduce_max([[1.0, 2.0], [3.0, 4.0]], axis=1).numpy()
    array([2., 4.], dtype=float32)
    >>> x = tf.constant([1.0, 5.0, 5.0])
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = tf.reduce_max(x)
    >>> tape.gradient(y, x).numpy()
    array([0. , 0.5, 0.5], dtype=float32)

    Elements that are the largest together share the derivative equally.
    """
    return xp.max(input_tensor, axis=axis, keepdims=keepdims)


@op(eager=_extreme(np.minimum.reduce, np.inf), dtypes=REAL, tf_name="Min", shape=reduced)
def reduce_min(xp: Any, input_tensor: Any, *, axis: Axis = None, keepdims: bool = False) -> Any:
    """The smallest of all elements, or of those along some axes.

    >>> import gradtape as tf
    >>> tf.reduce_min([[1.0, 2.0], [3.0, 4.0]], axis=1).numpy()
    array([1., 3.], dtype=float32)

    Elements that are the smallest together share the derivative equally.
    """
    return xp.min(input_tensor, axis=axis, keepdims=keepdims)


for _op in (reduce_max, reduce_min):
    _op.vjp("input_tensor")(_extreme_vjp)
    _op.jvp("input_tensor")(_extreme_jvp)


# --- all, any --------------------------------------------------------------------------------------------------------


@op(eager=_checked(np.logical_and.reduce), dtypes=BOOL, tf_name="All", shape=reduced)
def reduce_all(xp: Namespace, input_tensor: Array, *, axis: Axis = None, keepdims: bool = False) -> Any:
    """Whether all elements are true, or all along some axes.

    >>> import gradtape as tf
    >>> tf.reduce_all([[True, False], [True, True]], axis=1).numpy()
    array([False,  True])
    """
    return xp.all(input_tensor, axis=axis, keepdims=keepdims)


@op(eager=_checked(np.logical_or.reduce), dtypes=BOOL, tf_name="Any", shape=reduced)
def reduce_any(xp: Namespace, input_tensor: Array, *, axis: Axis = None, keepdims: bool = False) -> Any:
    """Whether at least one element is true, or one along some axes.

    >>> import gradtape as tf
    >>> tf.reduce_any([[True, False], [False, False]], axis=1).numpy()
    array([ True, False])
    """
    return xp.any(input_tensor, axis=axis, keepdims=keepdims)


for _op in (reduce_all, reduce_any):
    _op.not_differentiable("truth values have no derivative")


# --- logsumexp, norm -------------------------------------------------------------------------------------------------


def _logsumexp(x: Array, axis: Axis, keepdims: bool) -> Array:
    top: Any = np.maximum.reduce(x, axis=axis, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0).astype(x.dtype)
    total: Array = np.log(_add(np.exp(x - top), axis, None, None, True)) + top
    return total if keepdims or axis == () else np.squeeze(total, axis=axis)


@op(eager=_checked(in_float32(_logsumexp)), dtypes=FLOATING, tf_name="LogSumExp", shape=reduced)
def reduce_logsumexp(xp: Namespace, input_tensor: Array, *, axis: Axis = None, keepdims: bool = False) -> Any:
    """The logarithm of the sum of exponentials, without overflow: log(sum(exp(x))).

    >>> import gradtape as tf
    >>> tf.reduce_logsumexp([1000.0, 1000.0]).numpy()  # exp(1000) is infinite
    np.float32(1000.6931)

    The derivative is softmax(x).
    """
    top = xp.max(input_tensor, axis=axis, keepdims=True)
    top = xp.where(xp.isfinite(top), top, 0)
    total = xp.log(xp.sum(xp.exp(input_tensor - top), axis=axis, keepdims=True)) + top
    return total if keepdims else xp.squeeze(total, axis=axis)


@reduce_logsumexp.vjp("input_tensor")
def _(g: Cotangent, input_tensor: Value, out: Value, axis: Axis) -> Any:
    shape = shape_of(input_tensor)
    powers = _powers_below(input_tensor, out, axis)
    total = reduce_sum(powers, axis=axis, keepdims=True)
    return (reshape(g, shape=kept_shape(shape, axis)) / total) * powers


@reduce_logsumexp.jvp("input_tensor")
def _(t: Tangent, input_tensor: Value, out: Value, axis: Axis, keepdims: bool) -> Any:
    powers = _powers_below(input_tensor, out, axis)
    change = reduce_sum(t * powers, axis=axis, keepdims=keepdims)
    return change / reduce_sum(powers, axis=axis, keepdims=keepdims)


def _powers_below(x: Value, out: Value, axis: Axis) -> Any:
    """exp(x - out), which add up to 1 only up to the rounding of `out`: rules divide by their sum.

    The quotient does not depend on what is subtracted, so `out` counts as a constant, and a finite number replaces inf.
    """
    largest = float(ml_dtypes.finfo(numpy_type(out)).max)  # type: ignore[no-untyped-call]
    return exp(x - spread(minimum(stop_gradient(out), largest), shape_of(x), axis))


def _euclidean_norm(x: Array, axis: Axis, keepdims: bool) -> Array:
    wide = x.astype(np.float64) if x.dtype.kind in "iu" else x  # squares of small integers overflow
    length = root_of_squares(wide, axis)
    return as_array(length if keepdims or axis == () else np.squeeze(length, axis=axis)).astype(x.dtype)


# Between these bounds no sum of squares has overflowed or lost digits to underflow.
_SAFE_SQUARES = {
    info.dtype.char: (float(info.tiny / info.eps), float(info.max))
    for info in (np.finfo(np.float32), np.finfo(np.float64))
}


def root_of_squares(x: Array, axis: Axis) -> Array:
    """The square root of the sum of squares, with the axes kept; also where the squares overflow or vanish."""
    total = _sum_of_squares(x, axis)
    least, most = _SAFE_SQUARES[total.dtype.char]
    single = type(total) is np.ndarray and total.size == 1
    if least < total.item() < most if single else usually(((total > least) & (total < most)).all()):
        return np.sqrt(total)
    top = _largest(np.abs(x), axis=axis, keepdims=True, initial=0)
    _, exponent = np.frexp(np.where(np.isfinite(top), top, 1))
    scaled = np.sqrt(
        _sum_of_squares(np.ldexp(x.real, -exponent), axis) + _sum_of_squares(np.ldexp(x.imag, -exponent), axis)
    )
    return np.ldexp(scaled, exponent)


def _sum_of_squares(x: Array, axis: Axis) -> Any:
    squares = x.real**2 + x.imag**2 if x.dtype.kind == "c" else x * x
    return _add(squares, axis, None, None, True)


@op(eager=_checked(in_float32(_euclidean_norm)), dtypes=NUMERIC, tf_name="EuclideanNorm", shape=reduced)
def reduce_euclidean_norm(xp: Namespace, input_tensor: Array, *, axis: Axis = None, keepdims: bool = False) -> Any:
    """The square root of the sum of squares.

    >>> import gradtape as tf
    >>> tf.math.reduce_euclidean_norm([3.0, 4.0]).numpy()
    np.float32(5.0)
    """
    return xp.sqrt(xp.sum(xp.abs(input_tensor) ** 2, axis=axis, keepdims=keepdims)).astype(input_tensor.dtype)


@reduce_euclidean_norm.vjp("input_tensor")
def _(g: Cotangent, input_tensor: Value, out: Value, axis: Axis) -> Any:
    g = 0.5 * (g + conj(g)) if is_complex(g) else g  # the norm is real, whatever its type
    # A norm with a zero cotangent may be 0.
    return input_tensor * spread(zero_safe_divide(g, out), shape_of(input_tensor), axis)


@reduce_euclidean_norm.jvp("input_tensor")
def _(t: Tangent, input_tensor: Value, out: Value, axis: Axis, keepdims: bool) -> Any:
    product = conj(input_tensor / spread(out, shape_of(input_tensor), axis)) * t
    return 0.5 * reduce_sum(product + conj(product), axis=axis, keepdims=keepdims)


# --- positions -------------------------------------------------------------------------------------------------------


def _passing_over_nan(xp: Namespace, x: Array, last: float) -> Any:
    return x if x.dtype.kind in "iub" else xp.where(x != x, x.dtype.type(last), x)


def _nan_anywhere(x: Array, place: Array, axis: int) -> bool:
    return bool(np.isnan(x).any())


def _nan_chosen(x: Array, place: Array, axis: int) -> bool:
    """Whether NumPy's functions have chosen a nan, which they do if there is one."""
    return bool(np.isnan(np.take_along_axis(x, np.expand_dims(place, axis), axis)).any())


_has_nan = by_size(_nan_anywhere, _nan_chosen, thresholds.NAN_CHOSEN_ELEMENTS)


def _arg_extreme(function: Function, last: float) -> Any:
    def kernel(x: Array, axis: int, output_type: np.dtype[Any], nan_wins: bool) -> Array:
        if not -x.ndim <= axis < x.ndim:
            raise ValueError("no such axis")
        place = np.asarray(function(x, axis=axis))
        if x.dtype.kind not in "iub" and not nan_wins and _has_nan(x, place, axis):
            place = np.asarray(function(_passing_over_nan(np, x, last), axis=axis))
        return place.astype(output_type)

    return kernel


def _without_one(input: Abstract, *, axis: object, **_: object) -> Shape:
    """The shape of the operand without one axis, which may be a tensor."""
    return reduced(input, axis=(axis,))


@op(eager=_arg_extreme(np.argmax, -np.inf), dtypes=REAL | BOOL, shape=_without_one, gives=typed_by("output_type"))
def argmax(
    xp: Namespace, input: Array, *, axis: int = 0, output_type: object = np.int64, nan_wins: bool = False
) -> Any:
    """The position of the largest element along one axis; nan is passed over as in TensorFlow, or chosen as in NumPy."""
    return xp.argmax(input if nan_wins else _passing_over_nan(xp, input, -np.inf), axis=axis).astype(output_type)


@op(eager=_arg_extreme(np.argmin, np.inf), dtypes=REAL | BOOL, shape=_without_one, gives=typed_by("output_type"))
def argmin(
    xp: Namespace, input: Array, *, axis: int = 0, output_type: object = np.int64, nan_wins: bool = False
) -> Any:
    """The position of the smallest element along one axis; nan is passed over as in TensorFlow, or chosen as in NumPy."""
    return xp.argmin(input if nan_wins else _passing_over_nan(xp, input, np.inf), axis=axis).astype(output_type)


def _explain_position(name: str) -> Any:
    """The check of argmax and argmin: the axis must exist, and have elements."""

    def check(input: Array, axis: int, **attributes: object) -> None:
        check_axis(name, input, axis)
        if not input.shape[axis]:
            raise invalid(f"{name}: Reduction axis {axis} is empty in shape {list(input.shape)}.")

    return check


for _op in (argmax, argmin):
    _op.not_differentiable("a position is an integer")
    _op.check = _explain_position(_op.name)
    _op.batching = batch_over_axis

    @_op.samples
    def _(draw: Draw) -> Iterator[Sample]:
        for shape, axis in [
            ((4,), 0),
            ((2, 3), 0),
            ((2, 3), 1),
            ((2, 3), -1),
            ((1,), 0),
            ((2, 3, 2), 1),
            ((0, 3), 1),
            ((5, 1), -2),
        ]:
            yield Sample((draw(shape),), {"axis": axis})

    @_op.rejects
    def _() -> Iterator[BadInput]:
        for axis in [2, -3, 9, 2**40, -(2**40), 3, 100, -7]:
            yield BadInput("the axis must exist", (np.ones((2, 3), np.float32),), {"axis": axis})
        yield BadInput("there must be something to choose from", (np.ones((0, 3), np.float32),), {"axis": 0})
        yield BadInput("a scalar has no axis", (np.float32(1),), {"axis": 0})


# --- what the reductions have in common ------------------------------------------------------------------------------

_REDUCTIONS = (
    reduce_sum, reduce_mean, reduce_prod, reduce_max, reduce_min, reduce_all, reduce_any, reduce_logsumexp, reduce_euclidean_norm,
)  # fmt: skip

for _op in _REDUCTIONS:
    _op.batching = batch_over_axis
    reject_reduction(_op, bool if _op.dtypes is BOOL else np.float32)
for _op in (reduce_sum, reduce_prod, reduce_all, reduce_any):
    sample_reduction(_op, least=0)
for _op in (reduce_mean, reduce_max, reduce_min, reduce_logsumexp):
    sample_reduction(_op)
sample_reduction(reduce_euclidean_norm, 0.3, 2.0)


# --- counts -------------------------------------------------------------------------------------------------


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
