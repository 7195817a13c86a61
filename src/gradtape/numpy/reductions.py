"""Sums, means, extremes and running totals, in the types that NumPy gives them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import arrays, math
from ..op import as_axis
from ..ops.normalization import reduce_variance
from ..sorting import sort as sort_values
from ..tensor import from_array
from .elementwise import FUNCTIONS, truth
from .promotion import asarray, promoted, reduced_type, to_type

Function = Callable[..., Any]


def _typed(a: Any, name: str, dtype: Any) -> Any:
    x = asarray(a)
    return to_type(x, reduced_type(name, x.dtype.numpy) if dtype is None else dtype)


def _named(function: Function, name: str, does: str) -> Function:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{does} over an axis, several, or all; NumPy's types."
    return function


def _sum_like(name: str, compute: Function, does: str) -> Function:
    def reduce(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
        return compute(_typed(a, name, dtype), axis, bool(keepdims))

    return _named(reduce, name, does)


def _max_like(name: str, compute: Function, does: str) -> Function:
    def reduce(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
        x = asarray(a)
        if x.dtype.is_bool:
            return (math.reduce_any if compute is math.reduce_max else math.reduce_all)(x, axis, bool(keepdims))
        return compute(x, axis, bool(keepdims))

    return _named(reduce, name, does)


def _all_like(name: str, compute: Function, does: str) -> Function:
    def reduce(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
        return compute(truth(asarray(a)), axis, bool(keepdims))

    return _named(reduce, name, does)


def _without_nan(name: str, plain: str, empty: float) -> Function:
    def reduce(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
        x = asarray(a)
        if x.dtype.is_floating:
            x = arrays.where(math.is_nan(x), arrays.zeros_like(x) + empty, x)
        return REDUCTIONS[plain](x, axis, dtype, keepdims)

    return _named(reduce, name, f"The {plain} of what is not NaN")


def _nan_extreme(name: str, plain: str, empty: float) -> Function:
    def reduce(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
        x = asarray(a)
        if not x.dtype.is_floating:
            return REDUCTIONS[plain](x, axis, keepdims)
        missing = math.is_nan(x)
        found = REDUCTIONS[plain](arrays.where(missing, arrays.zeros_like(x) + empty, x), axis, keepdims)
        nothing = math.reduce_all(missing, axis, keepdims)
        return arrays.where(nothing, arrays.zeros_like(found) + float("nan"), found)

    return _named(reduce, name, f"The {plain} of what is not NaN")


def _running(name: str, compute: Function) -> Function:
    def accumulate(a: Any, axis: Any = None, dtype: Any = None) -> Any:
        x = _typed(a, name, dtype)
        return compute(arrays.reshape(x, (-1,)), 0) if axis is None else compute(x, axis)

    return _named(accumulate, name, "Running totals")


def _position(name: str, compute: Function) -> Function:
    def find(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
        x = asarray(a)
        x = to_type(x, np.int8) if x.dtype.is_bool else x
        found = compute(arrays.reshape(x, (-1,)), 0) if axis is None else compute(x, axis)
        if not keepdims:
            return found
        return arrays.reshape(found, (1,) * x.ndim) if axis is None else arrays.expand_dims(found, axis)

    return _named(find, name, "The position of the extreme")


REDUCTIONS: dict[str, Function] = {
    "sum": _sum_like("sum", math.reduce_sum, "The sum"),
    "prod": _sum_like("prod", math.reduce_prod, "The product"),
    "mean": _sum_like("mean", math.reduce_mean, "The mean"),
    "max": _max_like("max", math.reduce_max, "The largest element"),
    "amax": _max_like("amax", math.reduce_max, "The largest element"),
    "min": _max_like("min", math.reduce_min, "The smallest element"),
    "amin": _max_like("amin", math.reduce_min, "The smallest element"),
    "all": _all_like("all", math.reduce_all, "Whether all elements are true"),
    "any": _all_like("any", math.reduce_any, "Whether any element is true"),
    "nansum": _without_nan("nansum", "sum", 0.0),
    "nanprod": _without_nan("nanprod", "prod", 1.0),
    "nanmax": _nan_extreme("nanmax", "max", -np.inf),
    "nanmin": _nan_extreme("nanmin", "min", np.inf),
    "cumsum": _running("cumsum", math.cumsum),
    "cumprod": _running("cumprod", math.cumprod),
    "argmax": _position("argmax", math.argmax),
    "argmin": _position("argmin", math.argmin),
}


def nanmean(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    """The mean of what is not NaN."""
    x = asarray(a)
    if not x.dtype.is_floating:
        return REDUCTIONS["mean"](x, axis, dtype, keepdims)
    total = REDUCTIONS["nansum"](x, axis, dtype, keepdims)
    present = math.logical_not(math.is_nan(x))
    return total / math.reduce_sum(to_type(present, total.dtype), axis, bool(keepdims))


def var(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: bool = False) -> Any:
    """The variance; the divisor is the number of elements less `ddof`."""
    if out is not None:
        raise TypeError("var: a tensor never changes, so it cannot be `out`.")
    x = asarray(a)
    x = to_type(x, reduced_type("mean", x.dtype.numpy) if dtype is None else dtype)
    if not x.dtype.is_complex:
        return reduce_variance.public(x, as_axis(axis), bool(keepdims), float(ddof))
    mean = math.reduce_mean(x, axis, True)
    total = math.reduce_sum(math.square(math.abs(x - mean)), axis, bool(keepdims))
    count = np.size(np.broadcast_to(0, tuple(x.shape))) // max(1, int(np.prod(mean.shape)))
    return total / float(max(count - ddof, 0))


def std(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: bool = False) -> Any:
    """The standard deviation; see `var`."""
    return math.sqrt(var(a, axis, dtype, out, ddof, keepdims))


def median(a: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """The middle element in order, or the mean of both middle ones."""
    x = asarray(a)
    rank = x.ndim
    x = to_type(x, reduced_type("median", x.dtype.numpy))
    x = arrays.reshape(x, (-1,)) if axis is None else x
    along = 0 if axis is None else axis
    ordered = sort_values(x, along)
    size = x.shape[along]
    if not size:
        raise ValueError("median: there is no element.")
    low, high, last = (arrays.gather(ordered, k, axis=along) for k in ((size - 1) // 2, size // 2, size - 1))
    middle = (low + high) / 2
    middle = arrays.where(math.is_nan(last), last, middle)  # NaN is sorted last
    if not keepdims:
        return middle
    return arrays.reshape(middle, (1,) * rank) if axis is None else arrays.expand_dims(middle, axis)


def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False) -> Any:
    """The mean with weights, which have the shape of `a` or the size of its axis."""
    x = asarray(a)
    if weights is None:
        result = REDUCTIONS["mean"](x, axis)
        total = arrays.zeros_like(result) + x.shape.num_elements() / max(1, result.shape.num_elements())
        return (result, total) if returned else result
    dtype = np.result_type(reduced_type("mean", x.dtype.numpy), asarray(weights).dtype.numpy)
    x, w = to_type(x, dtype), asarray(weights, dtype)
    if tuple(w.shape) != tuple(x.shape):
        if axis is None:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        if w.ndim != 1 or w.shape[0] != x.shape[axis]:
            raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
        sizes = [1] * x.ndim
        sizes[axis] = -1
        w = arrays.broadcast_to(arrays.reshape(w, sizes), tuple(x.shape))
    total = math.reduce_sum(w, axis)
    result = math.reduce_sum(x * w, axis) / total
    return (result, total) if returned else result


def count_nonzero(a: Any, axis: Any = None) -> Any:
    """How many elements are not zero."""
    return math.reduce_sum(to_type(truth(asarray(a)), np.int64), axis)


def ptp(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The largest less the smallest element."""
    return REDUCTIONS["max"](a, axis, keepdims) - REDUCTIONS["min"](a, axis, keepdims)


def diff(a: Any, n: int = 1, axis: int = -1) -> Any:
    """Differences of neighbours along an axis, `n` times."""
    x = asarray(a)
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n}")
    for _ in range(n):
        size = x.shape[axis]
        ahead, behind = (_between(x, axis, first, max(size - 1, 0)) for first in (1 if size else 0, 0))
        x = FUNCTIONS["not_equal" if x.dtype.is_bool else "subtract"](ahead, behind)
    return x


def _between(x: Any, axis: int, first: int, count: int) -> Any:
    begin, size = [0] * x.ndim, list(x.shape)
    begin[axis], size[axis] = first, count
    return arrays.slice(x, begin, size)


def polyval(p: Any, x: Any) -> Any:
    """The polynomial with coefficients `p`, highest first, at x."""
    coefficients, points = promoted(p, x)
    result = arrays.zeros_like(points)
    for k in range(coefficients.shape[0]):
        result = result * points + coefficients[k]
    return result


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """The integral by the trapezoidal rule."""
    y = asarray(y)
    if x is None:
        steps = asarray(dx)
    else:
        points = asarray(x)
        steps = diff(points, axis=axis if points.ndim > 1 else -1)
        if steps.ndim == 1:
            sizes = [1] * y.ndim
            sizes[axis] = -1
            steps = arrays.reshape(steps, sizes)
    size = y.shape[axis]
    ends = [_between(y, axis, first, max(size - 1, 0)) for first in (0, 1 if size else 0)]
    return REDUCTIONS["sum"](FUNCTIONS["multiply"](FUNCTIONS["add"](*ends) / 2.0, steps), axis)


def nonzero(a: Any) -> tuple[Any, ...]:
    """The positions of the elements that are not zero, one tensor for each axis."""
    return tuple(from_array(np.asarray(part)) for part in np.nonzero(asarray(a)._array))
