"""What Keras's backend interface calls `linalg`: decompositions, systems, norms, and forward derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg

import gradtape as tf
import gradtape.numpy as tnp
from gradtape import cast

from .core import convert_to_tensor
from .promotion import floats, together


def cholesky(a: Any, upper: bool = False) -> Any:
    """The lower triangular matrix L with L @ L^H = a, or its adjoint; an error where `a` is not positive definite."""
    factor = tf.debugging.check_numerics(tf.linalg.cholesky(floats(a)), "Cholesky")
    return tf.linalg.adjoint(factor) if upper else factor


def cholesky_inverse(a: Any, upper: bool = False) -> Any:
    """The inverse of the matrix whose Cholesky factor is `a`."""
    factor = floats(a)
    identity = tf.eye(tf.shape(factor)[-1], dtype=factor.dtype)
    inverse = tf.linalg.triangular_solve(factor, identity, lower=not upper)
    return tf.matmul(inverse, inverse, transpose_a=not upper, transpose_b=upper)


def det(a: Any) -> Any:
    """The determinant."""
    return tf.linalg.det(floats(a))


def eig(a: Any) -> Any:
    """Eigenvalues and eigenvectors, complex."""
    return tf.linalg.eig(floats(a))


def eigh(a: Any) -> Any:
    """Eigenvalues, in increasing order, and eigenvectors of a Hermitian matrix."""
    return tf.linalg.eigh(floats(a))


def inv(a: Any) -> Any:
    """The inverse matrix."""
    return tf.linalg.inv(floats(a))


def lu_factor(a: Any) -> Any:
    """L and U in one matrix, and the row that each row was exchanged with in its turn.

    Matrices that are not square are factorized as values, without derivative.
    """
    x = floats(a)
    if x.shape[-2] == x.shape[-1]:
        factors, order = tf.linalg.lu(x)
        return factors, convert_to_tensor(_exchanges(np.asarray(order)))
    values = np.asarray(x)
    parts = [scipy.linalg.lu_factor(matrix) for matrix in values.reshape(-1, *values.shape[-2:])]
    shapes = values.shape, (*values.shape[:-2], min(values.shape[-2:]))
    found = (np.stack(part).reshape(shape) for part, shape in zip(zip(*parts, strict=True), shapes, strict=True))
    return tuple(convert_to_tensor(part) for part in found)


def _exchanges(order: Any) -> Any:
    """The exchanges, as LAPACK counts them, that bring rows into this order."""
    rows = np.broadcast_to(np.arange(order.shape[-1], dtype=np.int32), order.shape).copy()
    exchanges = np.empty_like(rows)
    for turn in range(order.shape[-1]):
        partner = (rows == order[..., turn : turn + 1]).argmax(-1)[..., None]
        exchanges[..., turn] = partner[..., 0]
        moved = np.take_along_axis(rows, partner, -1)
        np.put_along_axis(rows, partner, rows[..., turn : turn + 1], -1)
        rows[..., turn : turn + 1] = moved
    return exchanges


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """The norm of vectors (one axis) or matrices (two)."""
    x = floats(x)
    axes = tuple(range(x.ndim)) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
    if any(not -x.ndim <= a < x.ndim for a in axes):
        raise ValueError(
            f"All `axis` values must be in the range [-ndim, ndim). Received inputs with ndim={x.ndim}, while axis={axis}"
        )
    if len(axes) == 1:
        if isinstance(ord, str):
            raise ValueError(f"Invalid `ord` argument for vector norm. Received: ord={ord}")
        return _euclidean(x, axes[0], keepdims) if ord in (None, 2) else tnp.linalg.norm(x, ord, axes[0], keepdims)
    if len(axes) != 2:
        raise ValueError(f"Invalid axis values. Received: axis={axis}")
    if ord in (None, "fro"):
        return _euclidean(x, axes, keepdims)
    if ord not in (1, -1, 2, -2, "nuc", float("inf"), -float("inf")):
        raise ValueError(f"Invalid `ord` argument for matrix norm. Received: ord={ord}")
    return tnp.linalg.norm(x, ord, axes, keepdims)


def _euclidean(x: Any, axis: Any, keepdims: bool) -> Any:
    squares = x * tf.math.conj(x) if x.dtype.is_complex else tf.square(x)
    return tf.sqrt(tf.reduce_sum(squares, axis, keepdims))


def qr(x: Any, mode: str = "reduced") -> Any:
    """An orthonormal q and an upper triangular r with q @ r = x."""
    if mode not in ("reduced", "complete"):
        raise ValueError(
            f"`mode` argument value not supported. Expected one of {{'reduced', 'complete'}}. Received: mode={mode}"
        )
    q, r = tf.linalg.qr(floats(x), full_matrices=mode == "complete")
    return q, r


def solve(a: Any, b: Any) -> Any:
    """x with a @ x = b; a `b` with one axis less is one column."""
    return _with_columns(tf.linalg.solve, a, b)


def solve_triangular(a: Any, b: Any, lower: bool = False) -> Any:
    """x with a @ x = b for a triangular `a`."""
    return _with_columns(lambda a, b: tf.linalg.triangular_solve(a, b, lower=lower), a, b)


def _with_columns(solver: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    matrix, right = together(floats(a), floats(b))
    if right.ndim == matrix.ndim - 1:
        return tf.squeeze(solver(matrix, tf.expand_dims(right, -1)), [-1])
    return solver(matrix, right)


def svd(x: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """u, s and v^H with x = u @ diag(s) @ v^H; only s without `compute_uv`."""
    x = floats(x)
    if not compute_uv:
        return tf.linalg.svd(x, full_matrices=full_matrices, compute_uv=False)
    s, u, v = tf.linalg.svd(x, full_matrices=full_matrices)
    return u, s, tf.linalg.adjoint(v)


def lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    """The x that brings a @ x nearest to b; singular values below `rcond` times the largest count as 0."""
    a, b = together(floats(a), floats(b))
    if a.shape[0] != b.shape[0]:
        raise ValueError("Leading dimensions of input arrays must match")
    if a.ndim != 2:
        raise TypeError(f"{a.ndim}-dimensional array given. Array must be two-dimensional")
    if b.ndim not in (1, 2):
        raise TypeError(f"{b.ndim}-dimensional array given. Array must be one or two-dimensional")
    columns = b[:, None] if b.ndim == 1 else b
    epsilon = float(tnp.finfo(a.dtype.as_numpy_dtype).eps)
    u, s, vh = svd(a, full_matrices=False)
    if rcond is None:
        limit = epsilon * cast(tf.reduce_max(tf.shape(a)), s.dtype) if None in a.shape else epsilon * max(a.shape)
    else:
        limit = epsilon if rcond < 0 else rcond
    counts = s >= s[0] * limit
    inverse = tf.where(counts, 1.0 / tf.where(counts, s, tf.ones_like(s)), tf.zeros_like(s))
    x = tf.matmul(vh, cast(inverse, a.dtype)[:, None] * tf.matmul(u, columns, adjoint_a=True), adjoint_a=True)
    return tf.squeeze(x, [1]) if b.ndim == 1 else x


def matrix_rank(x: Any, tol: Any = None) -> Any:
    """How many singular values are above the tolerance."""
    return tf.linalg.matrix_rank(floats(x), tol)


def pinv(x: Any, rcond: Any = None) -> Any:
    """The Moore-Penrose inverse."""
    return tf.linalg.pinv(floats(x), rcond)


def jvp(fun: Callable[..., Any], primals: Any, tangents: Any, has_aux: bool = False) -> Any:
    """The value of a function, and how it changes when its arguments move along the tangents."""
    points = tf.nest.map_structure(convert_to_tensor, primals)
    moves = [
        cast(convert_to_tensor(tangent), point.dtype)
        for tangent, point in zip(tf.nest.flatten(tangents), tf.nest.flatten(points), strict=True)
    ]
    with tf.autodiff.ForwardAccumulator(tf.nest.flatten(points), moves) as accumulator:
        result = fun(*points)
        value, *aux = result if has_aux else (result,)
        changes = [accumulator.jvp(part) for part in tf.nest.flatten(value)]
    return (value, tf.nest.pack_sequence_as(value, changes), *aux)
