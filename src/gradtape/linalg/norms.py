"""Norms of vectors and matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import math
from ..api.layout import expand_dims, transpose
from ..base.errors import unfit
from ..base.traceable import trace_public
from ..base.types import AxisLike, TensorLike
from ..op.attributes import as_axis
from ..ops.linalg.norms import reduce_norm
from ..ops.linalg.spectral import singular_values
from ..values.tensor import Tensor, to_tensor

_MATRIX_NORMS = ("euclidean", "fro", 1, 2, np.inf)


def norm(
    tensor: TensorLike,
    ord: Any = "euclidean",
    axis: AxisLike | None = None,
    keepdims: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """A norm of vectors (one axis, or all elements) or of matrices (two axes).

    >>> import gradtape as tf
    >>> tf.norm([[3.0, 4.0], [6.0, 8.0]], axis=1).numpy()
    array([ 5., 10.], dtype=float32)

    The Euclidean norm has no derivative at zero: it gives nan there, as TensorFlow does.

    Args:
        tensor: A tensor of floating or complex numbers.
        ord: For vectors "euclidean", numpy.inf or any positive number; for matrices "euclidean" or "fro" (the
            root of the sum of squares), 1 (the largest column sum), numpy.inf (the largest row sum) or 2 (the
            largest singular value).
        axis: One axis for vectors, two for matrices; None for all elements as one vector.
        keepdims: Whether reduced axes stay, with size 1.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor without these axes, or with size 1 there.

    Raises:
        ValueError: `ord` or `axis` is none of these.
    """
    x = to_tensor(tensor)
    keep = bool(keepdims)
    if not (axis is None or isinstance(axis, int) or (isinstance(axis, (list, tuple)) and len(axis) == 2)):
        raise unfit(f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}.")
    where = as_axis(axis)
    if isinstance(where, tuple):
        if where[0] % max(x.ndim, 1) == where[1] % max(x.ndim, 1):
            raise unfit(f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}.")
        if ord not in _MATRIX_NORMS:
            raise ValueError(f"'ord' must be a supported matrix norm in {list(_MATRIX_NORMS)}, got {ord}.")
    elif not (isinstance(ord, str) and ord == "euclidean") and not _is_positive(ord):
        raise ValueError(f"'ord' must be a supported vector norm, got {ord}.")
    if ord in ("euclidean", "fro") or (ord == 2 and not isinstance(where, tuple)):
        squares = x * math.conj(x) if x.dtype.is_complex else math.square(x)
        return math.sqrt(math.reduce_sum(squares, where, keep))
    if isinstance(where, tuple):
        return _matrix_norm(x, ord, where, keep)
    sizes = math.abs(x)
    if ord == 1:
        return math.reduce_sum(sizes, where, keep)
    if ord == np.inf:
        return math.reduce_max(sizes, where, keep)
    return reduce_norm.public(sizes, float(ord), where, keep)


def _is_positive(ord: Any) -> bool:
    if ord is None:
        raise TypeError("'ord' must be a supported vector norm, got None.")
    return not isinstance(ord, str) and bool(np.isreal(ord)) and ord > 0


def _matrix_norm(x: Tensor, ord: TensorLike, axes: tuple[int, ...], keep: bool) -> Any:
    if ord == 2:
        return _spectral_norm(x, axes, keep)
    rows, columns = (a % x.ndim for a in axes)
    summed, maximal = (rows, columns) if ord == 1 else (columns, rows)
    totals = math.reduce_sum(math.abs(x), summed, True)
    return math.reduce_max(totals, (summed, maximal), keep)


def _spectral_norm(x: Tensor, axes: tuple[int, ...], keep: bool) -> Any:
    pair = [a % x.ndim for a in axes if -x.ndim <= a < x.ndim]
    if len(pair) != 2:
        raise ValueError(f"'axis' {axes} does not exist in a tensor of shape {x.shape}.")
    others = [a for a in range(x.ndim) if a not in pair]
    result = math.reduce_max(singular_values.public(transpose(x, [*others, *pair])), -1)
    for axis in sorted(pair) if keep else ():
        result = expand_dims(result, axis)
    return result


def normalize(
    tensor: TensorLike, ord: TensorLike = "euclidean", axis: AxisLike | None = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The tensor divided by its norm, and that norm.

    >>> import gradtape as tf
    >>> unit, length = tf.linalg.normalize([3.0, 4.0])
    >>> unit.numpy(), length.numpy()
    (array([0.6, 0.8], dtype=float32), array([5.], dtype=float32))

    Args:
        tensor: A tensor of floating or complex numbers.
        ord: Which norm: as `tf.norm` takes it.
        axis: One axis for norms of vectors, two for those of matrices; the whole tensor as one vector if None.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the same shape, and the norms, with the axes kept in size 1.

    Raises:
        ValueError: The norm is not known, or an axis does not exist.
    """
    x = to_tensor(tensor)
    length = math.cast(norm(x, ord, axis, True), x.dtype)
    return x / length, length


trace_public(globals())
