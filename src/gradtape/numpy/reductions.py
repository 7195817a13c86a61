"""Sums, means, extremes and running totals, in the types that NumPy gives them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import math
from ..api import arrays, indexing, layout
from ..base.traceable import trace_public
from ..base.types import AxisLike, DTypeLike, TensorLike
from ..op.attributes import as_axis, as_int
from ..ops.math import nans
from ..ops.math import reduce as r
from ..ops.math import statistics as s
from ..ops.nn.normalization import reduce_variance
from ..values.tensor import Tensor, from_array
from . import descriptions
from .descriptions import describe
from .elementwise import truth
from .promotion import asarray, reduced_type, to_type

Function = Callable[..., Any]


def _typed(a: TensorLike, name: str, dtype: object) -> Any:
    x = asarray(a)
    return to_type(x, reduced_type(name, x.dtype.numpy) if dtype is None else dtype)


def _described(function: Function, name: str, compute: Function) -> Function:
    function.op = getattr(compute, "op", None)  # type: ignore[attr-defined]
    describe(function, name, descriptions.REDUCTIONS[name])
    return function


def _sum_like(name: str, compute: Function) -> Function:
    def reduce(
        a: TensorLike, axis: AxisLike | None = None, dtype: DTypeLike | None = None, keepdims: bool | None = None
    ) -> Tensor:
        return compute(_typed(a, name, dtype), axis, bool(keepdims))

    return _described(reduce, name, compute)


def _mean(name: str, compute: Function) -> Function:
    def reduce(
        a: TensorLike,
        axis: AxisLike | None = None,
        dtype: DTypeLike | None = None,
        out: None = None,
        keepdims: bool | None = None,
    ) -> Tensor:
        _check_no_out(name, out)
        return compute(_typed(a, name, dtype), axis, bool(keepdims))

    return _described(reduce, name, compute)


def _check_no_out(name: str, out: object) -> None:
    if out is not None:
        raise TypeError(f"{name}: a tensor never changes, so it cannot be `out`.")


def _with_out(name: str, reduction: Function) -> Function:
    def reduce(a: TensorLike, axis: AxisLike | None = None, out: None = None, keepdims: bool | None = None) -> Tensor:
        _check_no_out(name, out)
        return reduction(a, axis, keepdims)

    return _described(reduce, name, reduction)


def _max_like(name: str, compute: Function) -> Function:
    def reduce(a: TensorLike, axis: AxisLike | None = None, keepdims: bool | None = None) -> Tensor:
        x = asarray(a)
        if x.dtype.is_bool:
            return (math.reduce_any if compute is math.reduce_max else math.reduce_all)(x, axis, bool(keepdims))
        return compute(x, axis, bool(keepdims))

    return _described(reduce, name, compute)


def _all_like(name: str, compute: Function) -> Function:
    def reduce(a: TensorLike, axis: AxisLike | None = None, keepdims: bool | None = None) -> Tensor:
        return compute(truth(asarray(a)), axis, bool(keepdims))

    return _described(reduce, name, compute)


def _without_nan(name: str, plain: str, compute: Function) -> Function:
    def reduce(
        a: TensorLike, axis: AxisLike | None = None, dtype: DTypeLike | None = None, keepdims: bool | None = None
    ) -> Tensor:
        x = asarray(a)
        x = x if dtype is None else to_type(x, dtype)
        if not x.dtype.is_floating:
            return REDUCTIONS[plain](x, axis=axis, dtype=dtype, keepdims=keepdims)
        return compute(x, as_axis(axis), bool(keepdims))

    return _described(reduce, name, compute)


def _nanprod(x: TensorLike, axis: AxisLike, keepdims: bool) -> Any:
    return math.reduce_prod(indexing.where(math.is_nan(x), arrays.ones_like(x), x), axis, keepdims)


def _nan_extreme(name: str, plain: str, compute: Function) -> Function:
    def reduce(a: TensorLike, axis: AxisLike | None = None, keepdims: bool | None = None) -> Tensor:
        x = asarray(a)
        if not x.dtype.is_floating:
            return REDUCTIONS[plain](x, axis=axis, keepdims=keepdims)
        return compute(x, as_axis(axis), bool(keepdims))

    return _described(reduce, name, compute)


def _running(name: str, compute: Function) -> Function:
    def accumulate(a: TensorLike, axis: AxisLike | None = None, dtype: DTypeLike | None = None) -> Tensor:
        x = _typed(a, name, dtype)
        return compute(arrays.reshape(x, (-1,)), 0) if axis is None else compute(x, axis)

    return _described(accumulate, name, compute)


def _position(name: str, compute: Function) -> Function:
    def find(a: TensorLike, axis: AxisLike | None = None, keepdims: bool = False) -> Tensor:
        x = asarray(a)
        x = to_type(x, np.int8) if x.dtype.is_bool else x
        flat, place = (arrays.reshape(x, (-1,)), 0) if axis is None else (x, as_axis(axis))
        found = compute(flat, place, nan_wins=True)
        if not keepdims:
            return found
        return arrays.reshape(found, (1,) * x.ndim) if axis is None else layout.expand_dims(found, axis)

    return _described(find, name, compute)


REDUCTIONS: dict[str, Function] = {
    "sum": _sum_like("sum", math.reduce_sum),
    "prod": _sum_like("prod", math.reduce_prod),
    "mean": _mean("mean", math.reduce_mean),
    "max": _max_like("max", math.reduce_max),
    "amax": _with_out("amax", _max_like("amax", math.reduce_max)),
    "min": _max_like("min", math.reduce_min),
    "amin": _with_out("amin", _max_like("amin", math.reduce_min)),
    "all": _all_like("all", math.reduce_all),
    "any": _all_like("any", math.reduce_any),
    "nansum": _without_nan("nansum", "sum", nans.nansum.public),
    "nanprod": _without_nan("nanprod", "prod", _nanprod),
    "nanmax": _nan_extreme("nanmax", "max", nans.nanmax.public),
    "nanmin": _nan_extreme("nanmin", "min", nans.nanmin.public),
    "nanmean": _without_nan("nanmean", "mean", nans.nanmean.public),
    "cumsum": _running("cumsum", math.cumsum),
    "cumprod": _running("cumprod", math.cumprod),
    "argmax": _position("argmax", r.argmax.public),
    "argmin": _position("argmin", r.argmin.public),
}


def var(
    a: TensorLike,
    axis: AxisLike | None = None,
    dtype: DTypeLike | None = None,
    out: TensorLike | None = None,
    ddof: float = 0,
    keepdims: bool | None = None,
) -> Tensor:
    """The variance; the divisor is the number of elements less `ddof`.

    >>> import gradtape as tf
    >>> tf.numpy.var([1.0, 2.0, 3.0, 4.0], ddof=1).numpy()
    np.float64(1.6666666666666667)

    Args:
        a: A tensor, or what can become one.
        axis: The axis, or several; None: all.
        dtype: The type to compute in; by default the one that NumPy chooses.
        out: Must be None: a tensor never changes.
        ddof: What is taken off the number of elements in the divisor.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor, real for complex numbers too.
    """
    _check_no_out("var", out)
    x = asarray(a)
    x = to_type(x, reduced_type("mean", x.dtype.numpy) if dtype is None else dtype)
    if not x.dtype.is_complex:
        return reduce_variance.public(x, as_axis(axis), bool(keepdims), float(ddof))
    mean = math.reduce_mean(x, axis, True)
    total = math.reduce_sum(math.square(math.abs(x - mean)), axis, bool(keepdims))
    count = np.size(np.broadcast_to(0, tuple(x.shape))) // max(1, int(np.prod(tuple(mean.shape))))
    return total / float(max(count - ddof, 0))


def std(
    a: TensorLike,
    axis: AxisLike | None = None,
    dtype: DTypeLike | None = None,
    out: TensorLike | None = None,
    ddof: float = 0,
    keepdims: bool | None = None,
) -> Tensor:
    """The standard deviation; see `var`.

    >>> import gradtape as tf
    >>> tf.numpy.std([[1.0, 3.0], [2.0, 6.0]], axis=1).numpy()
    array([1., 2.])

    Args:
        a: A tensor, or what can become one.
        axis: The axis, or several; None: all.
        dtype: The type to compute in; by default the one that NumPy chooses.
        out: Must be None: a tensor never changes.
        ddof: What is taken off the number of elements in the divisor.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor, real for complex numbers too.
    """
    return math.sqrt(var(a, axis, dtype, out, ddof, keepdims))


def nanvar(
    a: TensorLike,
    axis: AxisLike | None = None,
    dtype: DTypeLike | None = None,
    ddof: float = 0,
    keepdims: bool | None = None,
) -> Tensor:
    """The variance of what is not NaN; the divisor is the number of such elements less `ddof`.

    >>> import gradtape as tf
    >>> tf.numpy.nanvar([1.0, tf.numpy.nan, 3.0]).numpy()
    np.float64(1.0)

    Args:
        a: A tensor, or what can become one.
        axis: The axis, or several; None: all.
        dtype: The type to compute in; by default the one that NumPy chooses.
        ddof: What is taken off the number of elements in the divisor.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor.
    """
    x = asarray(a)
    x = to_type(x, reduced_type("mean", x.dtype.numpy) if dtype is None else dtype)
    return nans.nanvar.public(x, as_axis(axis), bool(keepdims), float(ddof))


def nanstd(
    a: TensorLike,
    axis: AxisLike | None = None,
    dtype: DTypeLike | None = None,
    ddof: float = 0,
    keepdims: bool | None = None,
) -> Tensor:
    """The standard deviation of what is not NaN; see `nanvar`.

    >>> import gradtape as tf
    >>> tf.numpy.nanstd([1.0, tf.numpy.nan, 3.0]).numpy()
    np.float64(1.0)

    Args:
        a: A tensor, or what can become one.
        axis: The axis, or several; None: all.
        dtype: The type to compute in; by default the one that NumPy chooses.
        ddof: What is taken off the number of elements in the divisor.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor.
    """
    return math.sqrt(nanvar(a, axis, dtype, ddof, keepdims))


def nancumsum(a: TensorLike, axis: AxisLike | None = None, dtype: DTypeLike | None = None) -> Tensor:
    """Running sums, with NaN counted as 0.

    >>> import gradtape as tf
    >>> tf.numpy.nancumsum([1.0, tf.numpy.nan, 3.0]).numpy()
    array([1., 1., 4.])

    Args:
        a: A tensor, or what can become one.
        axis: The axis; None: all elements, flattened.
        dtype: The type to compute in; by default the one that NumPy chooses.

    Returns:
        A tensor.
    """
    x = asarray(a) if dtype is None else asarray(a, dtype)
    if not x.dtype.is_floating:
        return REDUCTIONS["cumsum"](x, axis)
    return (
        nans.nancumsum.public(arrays.reshape(x, (-1,)), 0) if axis is None else nans.nancumsum.public(x, as_int(axis))
    )


def _cumulative(name: str) -> Function:
    def accumulate(
        x: TensorLike, axis: int | None = None, dtype: DTypeLike | None = None, include_initial: bool = False
    ) -> Tensor:
        a = asarray(x)
        if axis is None and a.ndim != 1:
            raise ValueError(f"For arrays with {a.ndim} axes the argument axis must be given.")
        place = 0 if axis is None else as_int(axis) % a.ndim
        found = REDUCTIONS[name](a, place, dtype)
        if not include_initial:
            return found
        first = [*a.shape]
        first[place] = 1
        start = (arrays.zeros if name == "cumsum" else arrays.ones)(first, found.dtype)
        return layout.concat([start, found], place)

    return accumulate


cumulative_sum, cumulative_prod = _cumulative("cumsum"), _cumulative("cumprod")
for _function, _name in ((cumulative_sum, "cumulative_sum"), (cumulative_prod, "cumulative_prod")):
    describe(_function, _name, descriptions.REDUCTIONS[_name])


def _nan_position(a: TensorLike, axis: object, compute: Function) -> Any:
    x = asarray(a)
    x = x if x.dtype.is_floating else to_type(x, float)
    return compute(arrays.reshape(x, (-1,)), 0) if axis is None else compute(x, as_int(axis))


def nanargmax(a: TensorLike, axis: AxisLike | None = None) -> Tensor:
    """Where the largest element that is not NaN is.

    >>> import gradtape as tf
    >>> int(tf.numpy.nanargmax([1.0, tf.numpy.nan, 3.0]))
    2

    Args:
        a: A tensor, or what can become one.
        axis: The axis; None: all elements, flattened.

    Returns:
        Whole numbers.
    """
    return _nan_position(a, axis, nans.nanargmax.public)


def nanargmin(a: TensorLike, axis: AxisLike | None = None) -> Tensor:
    """Where the smallest element that is not NaN is.

    >>> import gradtape as tf
    >>> int(tf.numpy.nanargmin([tf.numpy.nan, 3.0, 1.0]))
    2

    Args:
        a: A tensor, or what can become one.
        axis: The axis; None: all elements, flattened.

    Returns:
        Whole numbers.
    """
    return _nan_position(a, axis, nans.nanargmin.public)


def count_nonzero(a: TensorLike, axis: AxisLike | None = None) -> Tensor:
    """How many elements are not zero.

    >>> import gradtape as tf
    >>> tf.numpy.count_nonzero([[1, 0, 2], [0, 0, 3]], axis=1).numpy()
    array([2, 1])

    Args:
        a: A tensor, or what can become one.
        axis: The axis, or several; None: all.

    Returns:
        Whole numbers.
    """
    return math.count_nonzero(asarray(a), axis)


def ptp(a: TensorLike, axis: AxisLike | None = None, keepdims: bool | None = None) -> Tensor:
    """The largest less the smallest element.

    >>> import gradtape as tf
    >>> tf.numpy.ptp([[1, 5, 2], [3, 3, 4]], axis=1).numpy()
    array([4, 1])

    Args:
        a: A tensor, or what can become one.
        axis: The axis, or several; None: all.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor.
    """
    return s.ptp.public(asarray(a), as_axis(axis), bool(keepdims))


def nonzero(a: TensorLike) -> tuple[Tensor, ...]:
    """The positions of the elements that are not zero, one tensor for each axis.

    >>> import gradtape as tf
    >>> rows, columns = tf.numpy.nonzero([[0, 7], [8, 0]])
    >>> rows.numpy(), columns.numpy()
    (array([0, 1]), array([1, 0]))

    Args:
        a: A tensor, or what can become one.

    Returns:
        A tuple with one vector of positions for each axis.
    """
    return tuple(from_array(np.asarray(part)) for part in np.nonzero(asarray(a)._array))


__test__ = REDUCTIONS  # doctest looks at these too

trace_public(globals())
