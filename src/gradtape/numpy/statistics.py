"""Statistics, as NumPy has them: medians, quantiles, weighted means, covariances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from .. import linalg, math
from ..api import arrays, layout
from ..base.traceable import trace_public
from ..base.types import AxisLike, TensorLike
from ..op.attributes import as_axis, as_ints
from ..ops.math import statistics as s
from .promotion import asarray, promoted, reduced_type, to_type
from .reductions import REDUCTIONS

if TYPE_CHECKING:
    from ..values.tensor import Tensor


def median(a: TensorLike, axis: AxisLike | None = None, keepdims: bool = False) -> Tensor:
    """The middle element in order, or the mean of both middle ones.

    >>> import gradtape as tf
    >>> tf.numpy.median([[3.0, 1.0, 2.0], [4.0, 9.0, 6.0]], axis=1).numpy()
    array([2., 6.])

    Args:
        a: A tensor, or what can become one.
        axis: The axis, or several; None: all.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor.

    Raises:
        ValueError: There is no element.
    """
    x = asarray(a)
    if not x.shape.num_elements():
        raise ValueError("median: there is no element.")
    return quantile(to_type(x, reduced_type("median", x.dtype.numpy)), 0.5, axis, keepdims)


def quantile(a: TensorLike, q: TensorLike, axis: AxisLike | None = None, keepdims: bool = False) -> Tensor:
    """The values below which the fractions `q` of the elements lie, linear between two elements.

    >>> import gradtape as tf
    >>> tf.numpy.quantile([1.0, 2.0, 4.0], [0.5, 0.75]).numpy()
    array([2., 3.])

    Args:
        a: A tensor, or what can become one.
        q: Fractions between 0 and 1: one, or a tensor of them, whose axes come first in the result.
        axis: The axis, or several; None: all.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor.

    Raises:
        ValueError: The axis does not exist.
    """
    x = asarray(a)
    x = x if x.dtype.is_floating else to_type(x, float)
    fractions = np.asarray(q, np.float64)
    axes = tuple(range(x.ndim)) if axis is None else as_ints(axis)
    if any(not -x.ndim <= p < x.ndim for p in axes):
        raise ValueError(f"quantile: axis {axis} does not exist in a tensor of shape {x.shape}.")
    axes = tuple(p % x.ndim for p in axes)
    others = [p for p in range(x.ndim) if p not in axes]
    kept = [x.shape[p] for p in others]
    lines = arrays.reshape(layout.transpose(x, [*others, *axes]), (*kept, -1 if 0 not in kept else 1))
    found = s.quantile.public(lines, tuple(fractions.reshape(-1).tolist()), -1)
    sizes = [1 if p in axes else n for p, n in enumerate(x.shape)] if keepdims else kept
    return arrays.reshape(found, (*fractions.shape, *sizes))


def percentile(a: TensorLike, q: TensorLike, axis: AxisLike | None = None, keepdims: bool = False) -> Tensor:
    """`quantile` for fractions in percent.

    >>> import gradtape as tf
    >>> tf.numpy.percentile([1.0, 2.0, 4.0], 50).numpy()
    np.float64(2.0)

    Args:
        a: A tensor, or what can become one.
        q: Percentages between 0 and 100: one, or a tensor of them, whose axes come first in the result.
        axis: The axis, or several; None: all.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor.
    """
    return quantile(a, np.asarray(q, np.float64) / 100.0, axis, keepdims)


def cov(
    m: TensorLike, y: TensorLike | None = None, rowvar: bool = True, bias: bool = False, ddof: Any = None
) -> Tensor:
    """The covariances of variables in the rows (or columns) of `m`, and of `y` below them.

    >>> import gradtape as tf
    >>> tf.numpy.cov([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]).numpy()
    array([[ 1., -1.],
           [-1.,  1.]])

    Args:
        m: A matrix of observations; a vector is one variable.
        y: More variables, with as many observations.
        rowvar: Whether each row is a variable, and each column an observation.
        bias: Whether to divide by the number of observations n, rather than by n - 1.
        ddof: What is taken off n in the divisor, whatever `bias` says; None: as `bias` says.

    Returns:
        A square matrix with one row for each variable; of one variable, its variance.

    Raises:
        ValueError: The data have more than two axes.
    """
    parts = [
        to_type(x, np.result_type(x.dtype.numpy, np.float64)) for x in (asarray(v) for v in (m, y) if v is not None)
    ]
    if any(x.ndim > 2 for x in parts):
        raise ValueError("cov: at most two axes are allowed.")
    rows = [arrays.reshape(x, (1, -1)) if x.ndim < 2 else x if rowvar else layout.transpose(x) for x in parts]
    rows = promoted(*rows)
    whole = rows[0] if len(rows) == 1 else layout.concat(rows, 0)
    less = float(ddof) if ddof is not None else 0.0 if bias else 1.0
    found = s.cov.public(whole, less)
    return layout.squeeze(found) if found.shape == (1, 1) else found


def corrcoef(x: TensorLike, y: TensorLike | None = None, rowvar: bool = True) -> Tensor:
    """The correlation coefficients: covariances divided by both standard deviations.

    >>> import gradtape as tf
    >>> tf.numpy.corrcoef([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]).numpy()
    array([[ 1., -1.],
           [-1.,  1.]])

    Args:
        x: A matrix of observations; a vector is one variable.
        y: More variables, with as many observations.
        rowvar: Whether each row is a variable, and each column an observation.

    Returns:
        A square matrix with one row for each variable, ones on its diagonal.
    """
    c = cov(x, y, rowvar)
    if not c.ndim:
        return c / c
    deviations = math.sqrt(math.real(linalg.diag_part(c)))
    scale = layout.expand_dims(deviations, 1) * layout.expand_dims(deviations, 0)
    return c / to_type(scale, c.dtype)


@overload
def average(
    a: TensorLike, axis: Any = None, weights: TensorLike | None = None, returned: Literal[False] = False
) -> Tensor: ...
@overload
def average(
    a: TensorLike, axis: Any = None, weights: TensorLike | None = None, *, returned: Literal[True]
) -> tuple[Tensor, Tensor]: ...
@overload
def average(a: TensorLike, axis: Any = None, weights: TensorLike | None = None, returned: bool = False) -> Any: ...
def average(a: TensorLike, axis: Any = None, weights: TensorLike | None = None, returned: bool = False) -> Any:
    """The mean with weights, which have the shape of `a` or the size of its axis.

    >>> import gradtape as tf
    >>> tf.numpy.average([1.0, 2.0, 4.0], weights=[3, 1, 0]).numpy()
    np.float64(1.25)

    Args:
        a: A tensor, or what can become one.
        axis: The axis, or several; None: all.
        weights: The weight of each element, or of each place along the axis; None: all are equal.
        returned: Whether to return the sum of the weights too.

    Returns:
        A tensor; with `returned`, a pair of it and the sums of weights.

    Raises:
        TypeError: The weights have another shape than `a`, and no axis is named.
        ValueError: The weights do not fit the axis.
    """
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
    result = s.average.public(x, w, as_axis(axis))
    return (result, math.reduce_sum(w, axis)) if returned else result


trace_public(globals())
