"""`tf.linalg`: products, norms."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import math
from .arrays import einsum as einsum
from .arrays import eye as eye
from .arrays import expand_dims, squeeze, transpose
from .arrays import tensordot as tensordot
from .clip import global_norm as global_norm
from .errors import invalid
from .op import as_axis
from .ops.linalg import matmul as _matmul
from .tensor import Tensor, to_tensor
from .variable import Variable

l2_normalize = math.l2_normalize


def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: Any = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Any:
    """The product of matrices in the last two axes, with broadcasting over the others.

    >>> import gradtape as tf
    >>> tf.matmul([[1.0, 2.0]], [[3.0], [4.0]]).numpy()
    array([[11.]], dtype=float32)
    """
    if not (adjoint_a or adjoint_b or output_type):
        return _matmul.public(a, b, transpose_a, transpose_b)
    if (transpose_a and adjoint_a) or (transpose_b and adjoint_b):
        raise ValueError("Only one of transpose and adjoint can be True for an operand.")
    first = next((v for v in (a, b) if isinstance(v, (Tensor, Variable))), None)
    a = to_tensor(a, None if first is None or isinstance(a, (Tensor, Variable)) else first.dtype)
    b = to_tensor(b, a.dtype if not isinstance(b, (Tensor, Variable)) else None)
    if output_type is not None:
        a, b = math.cast(a, output_type), math.cast(b, output_type)
    a = math.conj(a) if adjoint_a else a
    b = math.conj(b) if adjoint_b else b
    return _matmul.public(a, b, transpose_a or adjoint_a, transpose_b or adjoint_b)


def matvec(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """The product of matrices in the last two axes of `a` with vectors in the last axis of `b`."""
    b = to_tensor(b, None if isinstance(b, (Tensor, Variable)) else to_tensor(a).dtype)
    if not b.ndim:
        raise invalid("matvec: b must have at least one axis, got a scalar.")
    product = matmul(a, expand_dims(b, -1), transpose_a=transpose_a, adjoint_a=adjoint_a)
    return squeeze(product, -1)


def matrix_transpose(a: Any, name: str = "matrix_transpose", conjugate: bool = False) -> Any:
    """The last two axes exchanged."""
    x = to_tensor(a)
    if x.ndim < 2:
        raise ValueError(f"Argument `a` should be a (batch) matrix with rank >= 2. Received `a` = {x!r} with shape {x.shape}")
    return transpose(x, [*range(x.ndim - 2), x.ndim - 1, x.ndim - 2], conjugate)


def adjoint(matrix: Any, name: str | None = None) -> Any:
    """The last two axes exchanged and conjugated."""
    return matrix_transpose(matrix, conjugate=True)


def norm(tensor: Any, ord: Any = "euclidean", axis: Any = None, keepdims: Any = None, name: str | None = None) -> Any:
    """A norm of vectors (one axis, or all) or matrices (two axes).

    `ord` is "euclidean", "fro" (matrices), 1, 2, any positive number, or numpy.inf.
    """
    x = to_tensor(tensor)
    keep = bool(keepdims)
    where = as_axis(axis)
    is_matrix = isinstance(where, tuple)
    if isinstance(where, tuple) and (len(where) != 2 or where[0] % max(x.ndim, 1) == where[1] % max(x.ndim, 1)):
        raise ValueError(f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}.")
    if is_matrix and ord not in ("euclidean", "fro", 1, 2, np.inf):
        raise ValueError(f"'ord' must be a supported matrix norm in ['euclidean', 'fro', 1, 2, inf], got {ord}.")
    if not is_matrix and not (ord == "euclidean" or (isinstance(ord, (int, float)) and ord > 0)):
        raise ValueError(f"'ord' must be a supported vector norm, got {ord}.")
    if ord in ("euclidean", "fro") or (ord == 2 and not is_matrix):
        squares = x * math.conj(x) if x.dtype.is_complex else math.square(x)
        return math.sqrt(math.reduce_sum(squares, where, keep))
    sizes = math.abs(x)
    if isinstance(where, tuple):
        return _matrix_norm(x, sizes, ord, where, keep)
    if ord == 1:
        return math.reduce_sum(sizes, where, keep)
    if ord == np.inf:
        return math.reduce_max(sizes, where, keep)
    return math.pow(math.reduce_sum(math.pow(sizes, float(ord)), where, keep), 1.0 / ord)


def _matrix_norm(x: Any, sizes: Any, ord: Any, axes: tuple[int, ...], keep: bool) -> Any:
    rows, columns = (a % x.ndim for a in axes)
    if ord == 2:
        raise invalid("norm: the spectral norm (ord=2 of a matrix) needs tf.linalg.svd.")
    summed, maximal = (rows, columns) if ord == 1 else (columns, rows)
    totals = math.reduce_sum(sizes, summed, True)
    return math.reduce_max(totals, (summed, maximal), keep)
