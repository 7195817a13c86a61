"""Sampled functions, as NumPy has them: differences, integrals, interpolation, convolution, polynomials."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..api import arrays, indexing, layout
from ..base.traceable import trace_public
from ..base.types import TensorLike, Value
from ..op.attributes import as_int, as_ints
from ..ops.math import polynomials, series
from ..ops.math.series import trapezoid as integral
from .elementwise import FUNCTIONS
from .joining import concatenate
from .manipulation import broadcast_arrays, broadcast_to, moveaxis
from .promotion import asarray, promoted, to_type
from .selection import where

if TYPE_CHECKING:
    from ..values.tensor import Tensor


def diff(
    a: TensorLike, n: int = 1, axis: int = -1, prepend: TensorLike | None = None, append: TensorLike | None = None
) -> Tensor:
    """Differences of neighbours along an axis, `n` times; first joined with what is to stand before and after.

    >>> import gradtape as tf
    >>> tf.numpy.diff([1, 2, 4, 7]).numpy()
    array([1, 2, 3])
    >>> tf.numpy.diff([1, 2, 4, 7], prepend=0).numpy()
    array([1, 1, 2, 3])

    Args:
        a: A tensor, or what can become one.
        n: How many times differences are taken.
        axis: The axis.
        prepend: What stands before the first element: a number, or a tensor that fits.
        append: What stands behind the last element.

    Returns:
        A tensor, by `n` elements shorter along the axis.

    Raises:
        ValueError: `n` is negative.
    """
    x = asarray(a)
    if prepend is not None or append is not None:
        line = [*x.shape]
        line[axis] = 1
        ends = [v if v is None or asarray(v).ndim else broadcast_to(v, line) for v in (prepend, append)]
        x = concatenate([v for v in (ends[0], x, ends[1]) if v is not None], axis)
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n}")
    if not x.dtype.is_bool:
        return series.diff.public(x, n, as_int(axis))
    for _ in range(n):
        size = x.shape[axis]
        x = FUNCTIONS["not_equal"](*(_between(x, axis, first, max(size - 1, 0)) for first in (1 if size else 0, 0)))
    return x


def _between(x: Value, axis: int, first: int, count: int) -> Any:
    begin, size = [0] * x.ndim, list(x.shape)
    begin[axis], size[axis] = first, count
    return indexing.slice(x, begin, size)


def polyval(p: TensorLike, x: TensorLike) -> Tensor:
    """The polynomial with coefficients `p`, highest first, at x.

    >>> import gradtape as tf
    >>> tf.numpy.polyval([1, 0, 2], [3.0, 4.0]).numpy()
    array([11., 18.])

    Args:
        p: A vector of coefficients, that of the highest power first.
        x: Where it is evaluated.

    Returns:
        A tensor of the shape of `x`.
    """
    coefficients, points = promoted(p, x)
    if points.dtype.is_floating or points.dtype.is_complex:
        return polynomials.polyval.public(coefficients, points)
    result = arrays.zeros_like(points)
    for k in range(coefficients.shape[0]):
        result = result * points + coefficients[k]
    return result


def unwrap(p: TensorLike, discont: Any = None, axis: int = -1, *, period: float = 2 * np.pi) -> Tensor:
    """Phases with whole periods added, so that neighbours are at most half a period apart.

    >>> import gradtape as tf
    >>> tf.numpy.unwrap([1.0, 5.0, 9.0, 2.0], period=10.0).numpy()
    array([ 1.,  5.,  9., 12.])

    Args:
        p: Phases.
        discont: None, or a number up to half a period, which is the smallest jump that is undone whatever it says.
        axis: The axis.
        period: The length of a period.

    Returns:
        A tensor of the same shape.

    Raises:
        ValueError: `discont` is larger than half a period.
    """
    x = asarray(p)
    if discont is not None and discont > period / 2:
        raise ValueError("unwrap: a discont larger than half a period is not supported.")
    return series.unwrap.public(x if x.dtype.is_floating else to_type(x, float), as_int(axis), float(period))


def gradient(f: TensorLike, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Slopes from neighbours on both sides, from one side at the ends, along each axis or those named.

    The distances of points are 1, one number for all axes, or a number or a vector of positions for each axis.

    >>> import gradtape as tf
    >>> tf.numpy.gradient([1.0, 2.0, 4.0]).numpy()
    array([1. , 1.5, 2. ])

    Args:
        f: The values of a function on a grid.
        *varargs: The distances of points: one number for all axes, or a number or a vector of positions for each axis; by
            default 1.
        axis: The axis, or several; None: all.
        edge_order: 1 or 2: how many distances the slopes at both ends are computed from.

    Returns:
        A tensor of the shape of `f`; a tuple of them, where there are several axes.

    Raises:
        TypeError: The number of distances is neither 1 nor that of the axes.
        ValueError: An axis is too short, or `edge_order` is neither 1 nor 2.
    """
    values = asarray(f)
    values = values if values.dtype.is_floating or values.dtype.is_complex else to_type(values, float)
    axes = tuple(range(values.ndim)) if axis is None else as_ints(axis)
    spacing = varargs if len(varargs) == len(axes) else varargs * len(axes) if len(varargs) == 1 else ()
    if varargs and (not spacing or (len(varargs) == 1 < len(axes) and asarray(varargs[0]).ndim)):
        raise TypeError(f"gradient: one distance, or one for each of {len(axes)} axes, is needed, got {len(varargs)}.")
    if edge_order not in (1, 2):
        raise ValueError(f"gradient: edge_order must be 1 or 2, got {edge_order!r}.")
    slopes = [
        _slopes(values, place, spacing[k] if spacing else 1.0, edge_order)
        for k, place in enumerate(place % values.ndim for place in axes)
    ]
    return slopes[0] if len(slopes) == 1 else tuple(slopes)


def _slopes(values: Any, axis: int, spacing: Any, edge_order: int) -> Any:
    size = values.shape[axis]
    if size < edge_order + 1:
        raise ValueError(f"gradient: an axis of at least {edge_order + 1} elements is needed, got {size}.")
    steps = asarray(spacing, values.dtype)
    if steps.ndim:
        if tuple(steps.shape) != (size,):
            raise ValueError(f"gradient: {size} positions are needed, got shape {steps.shape}.")
        steps = diff(steps)
    else:
        steps = broadcast_to(steps, (size - 1,))
    line = [1] * values.ndim
    line[axis] = -1
    h = arrays.reshape(steps, line)
    rises = diff(values, axis=axis) / h
    before, after = (_between(h, axis, first, size - 2) for first in (0, 1))
    inner = (_between(rises, axis, 0, size - 2) * after + _between(rises, axis, 1, size - 2) * before) / (
        before + after
    )
    ends = [_between(rises, axis, place, 1) for place in (0, size - 2)]
    if edge_order == 2:
        for k, (near, far) in enumerate(((0, 1), (size - 2, size - 3))):
            step, other = (_between(h, axis, place, 1) for place in (near, far))
            bend = (ends[k] - _between(rises, axis, far, 1)) / (step + other)
            ends[k] = ends[k] + bend * step
    return concatenate([ends[0], inner, ends[1]], axis)


def ediff1d(ary: TensorLike, to_end: TensorLike | None = None, to_begin: TensorLike | None = None) -> Tensor:
    """Differences of neighbours of all elements, between what is to stand at the beginning and at the end.

    >>> import gradtape as tf
    >>> tf.numpy.ediff1d([1, 2, 4], to_begin=0, to_end=[8, 9]).numpy()
    array([0, 1, 2, 8, 9])

    Args:
        ary: A tensor, or what can become one.
        to_end: What stands behind the differences.
        to_begin: What stands before them.

    Returns:
        A vector.
    """
    x = arrays.reshape(asarray(ary), (-1,))
    parts = [arrays.reshape(asarray(v, x.dtype), (-1,)) for v in (to_begin, None, to_end) if v is not None]
    inner = diff(x)
    if not parts:
        return inner
    return concatenate([*parts[: to_begin is not None], inner, *parts[to_begin is not None :]])


def interp(
    x: TensorLike, xp: TensorLike, fp: TensorLike, left: TensorLike | None = None, right: TensorLike | None = None
) -> Tensor:
    """The function that has values `fp` at increasing points `xp` and is linear between them, constant outside.

    With `left` and `right` it has these values there.

    >>> import gradtape as tf
    >>> tf.numpy.interp([0.5, 3.0], [0.0, 1.0, 2.0], [1.0, 2.0, 0.0]).numpy()
    array([1.5, 0. ])

    Args:
        x: Where the function is evaluated.
        xp: A vector of increasing points.
        fp: The values at these points.
        left: The value before the first point; None: that of the first point.
        right: The value behind the last point; None: that of the last point.

    Returns:
        A tensor of the shape of `x`.
    """
    at, points, values = (to_type(v, float) if not v.dtype.is_floating else v for v in promoted(x, xp, fp))
    found = series.interp.public(at, points, values)
    if left is not None:
        found = where(at < points[0], asarray(left, found.dtype), found)
    if right is not None:
        found = where(at > points[-1], asarray(right, found.dtype), found)
    return found


def convolve(a: TensorLike, v: TensorLike, mode: str = "full") -> Tensor:
    """The convolution of two vectors: all of it, as long as the longer ("same"), or where they overlap ("valid").

    >>> import gradtape as tf
    >>> tf.numpy.convolve([1, 2, 3], [1, 1]).numpy()
    array([1, 3, 5, 3])

    Args:
        a: A vector.
        v: Another vector.
        mode: "full", "same" or "valid".

    Returns:
        A vector.

    Raises:
        ValueError: A vector is empty, or there is no such mode.
    """
    first, second = promoted(a, v)
    first, second = (arrays.reshape(x, (-1,)) for x in (first, second))
    if not len(first) or not len(second):
        raise ValueError("convolve: both vectors need at least one element.")
    if mode not in ("full", "same", "valid"):
        raise ValueError(f"convolve: mode must be 'full', 'same' or 'valid', got {mode!r}.")
    if first.dtype.is_bool:
        return to_type(convolve(to_type(first, np.int32), to_type(second, np.int32), mode), bool)
    found = series.convolve.public(first, second, "full" if mode == "same" else mode)
    if mode != "same":
        return found
    size, start = max(len(first), len(second)), (min(len(first), len(second)) - 1) // 2
    return found[start : start + size]


def correlate(a: TensorLike, v: TensorLike, mode: str = "valid") -> Tensor:
    """The sums of products of `a` and the conjugate of `v`, one shifted along the other.

    >>> import gradtape as tf
    >>> tf.numpy.correlate([1, 2, 3, 4], [1, -1]).numpy()
    array([-1, -1, -1])

    Args:
        a: A vector.
        v: Another vector.
        mode: "valid": where they overlap; "same": as long as the longer; "full": wherever they meet.

    Returns:
        A vector.
    """
    first, second = promoted(a, v)
    if len(second) > len(first):
        return layout.reverse(FUNCTIONS["conj"](correlate(second, first, mode)), [0])
    return convolve(first, layout.reverse(FUNCTIONS["conj"](second), [0]), mode)


def trapezoid(y: TensorLike, x: TensorLike | None = None, dx: TensorLike = 1.0, axis: int = -1) -> Tensor:
    """The integral by the trapezoidal rule.

    >>> import gradtape as tf
    >>> tf.numpy.trapezoid([1.0, 2.0, 4.0], dx=0.5).numpy()
    np.float64(2.25)

    Args:
        y: The values of a function.
        x: Where the function has them: a vector, or a tensor that broadcasts with `y`; None: they are `dx` apart.
        dx: The distance of points.
        axis: The axis along which is integrated.

    Returns:
        A tensor without that axis.
    """
    values = asarray(y)
    size = values.shape[axis]
    if x is None:
        values, step = promoted(values, dx)
        points = arrays.reshape(asarray(np.arange(size), values.dtype), (size,)) * step
    else:
        values, points = promoted(values, x)
    if not (values.dtype.is_floating or values.dtype.is_complex):
        values, points = to_type(values, float), to_type(points, float)
    if points.ndim == 1:
        lines = [1] * values.ndim
        lines[axis] = size
        points = arrays.reshape(points, lines)
    values, points = (moveaxis(v, axis, -1) for v in broadcast_arrays(values, points))
    return integral.public(values, points)


trace_public(globals())
