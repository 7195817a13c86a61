"""Sampled functions, as NumPy has them: differences, integrals, interpolation, convolution, polynomials."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..api import arrays, indexing, layout
from ..base.traceable import trace_public
from ..base.types import TensorLike, Value
from ..op.attributes import as_int
from ..ops.math import polynomials, series
from ..ops.math.series import trapezoid as integral
from .elementwise import FUNCTIONS
from .manipulation import broadcast_arrays, moveaxis
from .promotion import asarray, promoted, to_type


def diff(a: TensorLike, n: int = 1, axis: int = -1) -> Any:
    """Differences of neighbours along an axis, `n` times."""
    x = asarray(a)
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


def polyval(p: TensorLike, x: TensorLike) -> Any:
    """The polynomial with coefficients `p`, highest first, at x."""
    coefficients, points = promoted(p, x)
    if points.dtype.is_floating or points.dtype.is_complex:
        return polynomials.polyval.public(coefficients, points)
    result = arrays.zeros_like(points)
    for k in range(coefficients.shape[0]):
        result = result * points + coefficients[k]
    return result


def unwrap(p: TensorLike, discont: Any = None, axis: int = -1, *, period: float = 2 * np.pi) -> Any:
    """Phases with whole periods added, so that neighbours are at most half a period apart."""
    x = asarray(p)
    if discont is not None and discont > period / 2:
        raise ValueError("unwrap: a discont larger than half a period is not supported.")
    return series.unwrap.public(x if x.dtype.is_floating else to_type(x, float), as_int(axis), float(period))


def interp(x: TensorLike, xp: TensorLike, fp: TensorLike) -> Any:
    """The function that has values `fp` at increasing points `xp` and is linear between them, constant outside.

    >>> import gradtape as tf
    >>> tf.numpy.interp([0.5, 3.0], [0.0, 1.0, 2.0], [1.0, 2.0, 0.0]).numpy()
    array([1.5, 0. ])
    """
    at, points, values = (to_type(v, float) if not v.dtype.is_floating else v for v in promoted(x, xp, fp))
    return series.interp.public(at, points, values)


def convolve(a: TensorLike, v: TensorLike, mode: str = "full") -> Any:
    """The convolution of two vectors: all of it, as long as the longer ("same"), or where they overlap ("valid")."""
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


def correlate(a: TensorLike, v: TensorLike, mode: str = "valid") -> Any:
    """The sums of products of `a` and the conjugate of `v`, one shifted along the other."""
    first, second = promoted(a, v)
    if len(second) > len(first):
        return layout.reverse(FUNCTIONS["conj"](correlate(second, first, mode)), [0])
    return convolve(first, layout.reverse(FUNCTIONS["conj"](second), [0]), mode)


def trapezoid(y: TensorLike, x: TensorLike | None = None, dx: TensorLike = 1.0, axis: int = -1) -> Any:
    """The integral by the trapezoidal rule.

    >>> import gradtape as tf
    >>> tf.numpy.trapezoid([1.0, 2.0, 4.0], dx=0.5).numpy()
    np.float64(2.25)
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
