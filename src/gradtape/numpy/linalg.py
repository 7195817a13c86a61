"""`gradtape.numpy.linalg`: numpy.linalg's functions that the tape follows."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from .. import linalg as ours
from .. import math as ours_math
from ..api import arrays, layout
from ..base.namespaces import listing
from ..base.traceable import trace_public
from ..base.types import DTypeLike, IntLike, TensorLike
from ..op.attributes import as_float, as_int, as_ints
from ..ops.linalg.matrix_functions import matrix_power as power
from ..ops.linalg.solve import LAPACK
from ..values.tensor import EagerTensor, Tensor
from .creation import diagonal as diagonal_of
from .manipulation import matrix_transpose as matrix_transpose
from .manipulation import transpose
from .products import cross as cross_product
from .products import matmul as matmul
from .products import norm as norm
from .products import outer as outer
from .products import tensordot as tensordot
from .products import trace as trace_of
from .products import vecdot as vecdot
from .promotion import asarray, promoted, to_type
from .reductions import REDUCTIONS


class SlogdetResult(NamedTuple):
    """The sign of a determinant and the logarithm of its magnitude."""

    sign: Tensor
    logabsdet: Tensor


class QRResult(NamedTuple):
    """An orthonormal and an upper triangular matrix."""

    Q: Tensor
    R: Tensor


class EighResult(NamedTuple):
    """Eigenvalues in increasing order, and the eigenvectors as columns."""

    eigenvalues: Tensor
    eigenvectors: Tensor


class EigResult(NamedTuple):
    """Eigenvalues, and the eigenvectors as columns."""

    eigenvalues: Tensor
    eigenvectors: Tensor


class SVDResult(NamedTuple):
    """Singular values in decreasing order, and the matrices on both sides of them."""

    U: Tensor
    S: Tensor
    Vh: Tensor


def _inexact(a: object) -> Any:
    x = asarray(a)
    return x if x.dtype.is_floating or x.dtype.is_complex else to_type(x, float)


def det(a: TensorLike) -> Tensor:
    """The determinant."""
    return ours.det(_inexact(a))


def slogdet(a: TensorLike) -> SlogdetResult:
    """The sign of the determinant and the logarithm of its magnitude."""
    return SlogdetResult(*ours.slogdet(_inexact(a)))


def inv(a: TensorLike) -> Tensor:
    """The inverse matrix."""
    return ours.inv(_inexact(a))


def pinv(a: TensorLike) -> Tensor:
    """The Moore-Penrose inverse."""
    return ours.pinv(_inexact(a))


def solve(a: TensorLike, b: TensorLike) -> Tensor:
    """x with a @ x = b; a `b` of one axis is one column."""
    matrix, right = promoted(_inexact(a), b)
    if right.ndim == 1:
        return layout.squeeze(ours.solve(matrix, layout.expand_dims(right, -1)), -1)
    return ours.solve(matrix, right)


def cholesky(a: TensorLike) -> Tensor:
    """The lower triangular matrix L with L @ L^H = a."""
    return ours.cholesky(_inexact(a))


def qr(a: TensorLike) -> QRResult:
    """An orthonormal q and an upper triangular r with q @ r = a."""
    return QRResult(*ours.qr(_inexact(a)))


def eigh(a: TensorLike) -> EighResult:
    """Eigenvalues, in increasing order, and eigenvectors of a Hermitian matrix."""
    return EighResult(*ours.eigh(_inexact(a)))


def eigvalsh(a: TensorLike) -> Tensor:
    """The eigenvalues of a Hermitian matrix, in increasing order."""
    return ours.eigvalsh(_inexact(a))


def eig(a: TensorLike) -> EigResult:
    """Eigenvalues and eigenvectors of any square matrix: complex, or before NumPy 2.5 real where all of them are."""
    x = _inexact(a)
    values, vectors = ours.eig(x)
    return EigResult(*(map(ours_math.real, (values, vectors)) if _are_real(x, values) else (values, vectors)))


def _are_real(x: Tensor, values: Tensor) -> bool:
    """Whether a real matrix has real eigenvalues alone. (Inside a traced function nobody knows: they are complex.)"""
    if np.lib.NumpyVersion(np.__version__) >= "2.5.0":  # they are always complex there
        return False
    return not x.dtype.is_complex and values.__class__ is EagerTensor and not np.imag(values._array).any()


def eigvals(a: TensorLike) -> Tensor:
    """The eigenvalues of any square matrix: complex, or before NumPy 2.5 real where all of them are."""
    x = _inexact(a)
    values = ours.eigvals(x)
    return ours_math.real(values) if _are_real(x, values) else values


def svdvals(x: TensorLike) -> Tensor:
    """The singular values, in decreasing order."""
    return ours.svd(_inexact(x), compute_uv=False)


def cond(x: TensorLike, p: Any = None) -> Tensor:
    """The condition number: by default the largest singular value by the smallest, else norm(x) * norm(inv(x))."""
    a = _inexact(x)
    if p in (None, 2, -2):
        values = svdvals(a)
        return values[..., -1] / values[..., 0] if p == -2 else values[..., 0] / values[..., -1]
    return norm(a, p, (-2, -1)) * norm(inv(a), p, (-2, -1))


def matrix_rank(A: TensorLike, tol: Any = None) -> Tensor:
    """How many singular values are larger than `tol`."""
    return to_type(ours.matrix_rank(_inexact(A), tol), np.int64)


def svd(a: object, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """u, s and v^H with a = u @ diag(s) @ v^H; only s without `compute_uv`."""
    if not compute_uv:
        return ours.svd(_inexact(a), compute_uv=False)
    s, u, v = ours.svd(_inexact(a), full_matrices=full_matrices)
    return SVDResult(u, s, ours.adjoint(v))


def matrix_power(a: TensorLike, n: IntLike) -> Tensor:
    """The matrix multiplied with itself, or with its inverse for a negative n."""
    x, times = asarray(a), as_int(n)
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise ValueError(f"matrix_power: square matrices are needed, got shape {x.shape}.")
    if times < 0:
        x, times = inv(x), -times
    if x.dtype.numpy in LAPACK:
        return power.public(x, times)
    result = arrays.broadcast_to(arrays.eye(x.shape[-1], dtype=x.dtype), tuple(x.shape))
    while times:
        if times & 1:
            result = matmul(result, x)
        x, times = matmul(x, x) if times > 1 else x, times >> 1
    return result


def multi_dot(arrays: Sequence[TensorLike]) -> Tensor:
    """The product of several matrices, in the order that needs the fewest multiplications.

    The first and the last may be vectors.
    """
    parts = [asarray(a) for a in arrays]
    if len(parts) < 2:
        raise ValueError(f"multi_dot: at least two arrays are needed, got {len(parts)}.")
    letters = "abcdefghijklmnopqrstuvwxyz"
    if len(parts) >= len(letters):
        raise ValueError(f"multi_dot: at most {len(letters) - 1} arrays can be multiplied, got {len(parts)}.")
    terms = [letters[k : k + 2] for k in range(len(parts))]
    if parts[0].ndim == 1:
        terms[0] = terms[0][1:]
    if parts[-1].ndim == 1:
        terms[-1] = terms[-1][:1]
    result = (terms[0][0] if parts[0].ndim == 2 else "") + (terms[-1][1] if parts[-1].ndim == 2 else "")
    return ours.einsum(",".join(terms) + "->" + result, *promoted(*parts), optimize="optimal")


def vector_norm(x: TensorLike, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Tensor:
    """The norm of vectors: of the whole tensor as one, or along some axes."""
    a = asarray(x)
    if axis is None:
        found = norm(arrays.reshape(a, (-1,)), ord)
        return arrays.reshape(found, (1,) * a.ndim) if keepdims else found
    axes = as_ints(axis)
    if len(axes) == 1:
        return norm(a, ord, axes[0], keepdims)
    chosen = [p % a.ndim for p in axes]
    rest = [p for p in range(a.ndim) if p not in chosen]
    lines = arrays.reshape(transpose(a, rest + chosen), [*(a.shape[p] for p in rest), -1])
    found = norm(lines, ord, -1)
    return arrays.reshape(found, [1 if p in chosen else n for p, n in enumerate(a.shape)]) if keepdims else found


def matrix_norm(x: TensorLike, keepdims: bool = False, ord: Any = "fro") -> Tensor:
    """The norms of the matrices in the last two axes."""
    return norm(x, ord, (-2, -1), keepdims)


def tensorinv(a: TensorLike, ind: int = 2) -> Tensor:
    """The tensor that undoes `tensordot(a, x, ind)`."""
    x = _inexact(a)
    if ind < 1:
        raise ValueError(f"tensorinv: ind must be positive, got {ind}.")
    rows = prod(x.shape[ind:])
    return arrays.reshape(inv(arrays.reshape(x, (-1, rows))), (*x.shape[ind:], *x.shape[:ind]))


def tensorsolve(a: TensorLike, b: TensorLike, axes: Sequence[int] | None = None) -> Tensor:
    """x with tensordot(a, x, x.ndim) = b."""
    left, right = promoted(_inexact(a), b)
    if axes is not None:
        moved = [p % left.ndim for p in axes]
        left = transpose(left, [p for p in range(left.ndim) if p not in moved] + moved)
    shape = tuple(left.shape[right.ndim :])
    found = solve(arrays.reshape(left, (-1, prod(shape))), arrays.reshape(right, (-1,)))
    return arrays.reshape(found, shape)


def cross(x1: TensorLike, x2: TensorLike, axis: int = -1) -> Tensor:
    """The vector product of vectors of three elements."""
    return cross_product(x1, x2, axis=axis)


def diagonal(x: TensorLike, offset: int = 0) -> Tensor:
    """The diagonals of the matrices in the last two axes."""
    return diagonal_of(x, offset, -2, -1)


def trace(x: TensorLike, offset: int = 0, dtype: DTypeLike | None = None) -> Tensor:
    """The sums of the diagonals of the matrices in the last two axes."""
    return trace_of(x, offset, -2, -1, dtype)


class LstsqResult(NamedTuple):
    """What numpy.linalg.lstsq gives: the solution, the squared residuals, the rank and the singular values."""

    x: Tensor
    residuals: Tensor
    rank: int
    singular_values: Tensor


def lstsq(a: TensorLike, b: TensorLike, rcond: Any = None) -> LstsqResult:
    """The x that minimises |a @ x - b|: the smallest one, from the singular values above `rcond` times the largest."""
    left, right = promoted(_inexact(a), b)
    columns = layout.expand_dims(right, -1) if right.ndim == 1 else right
    rows, width = left.shape
    u, s, vh = svd(left, full_matrices=False)
    smallest = np.finfo(left.dtype.numpy).eps * max(rows, width) if rcond is None else as_float(rcond)
    rank = int(np.sum(s.numpy() > smallest * s.numpy().max(initial=0.0)))
    u, s, vh = u[:, :rank], s[:rank], vh[:rank]
    found = matmul(ours.adjoint(vh), matmul(ours.adjoint(u), columns) / layout.expand_dims(to_type(s, left.dtype), -1))
    if rank == width < rows:
        off = ours_math.abs(matmul(left, found) - columns)
        residuals = REDUCTIONS["sum"](off * off, 0)
    else:
        residuals = asarray([], left.dtype)
    return LstsqResult(layout.squeeze(found, -1) if right.ndim == 1 else found, residuals, rank, svdvals(left))


trace_public(globals())

__all__ = [
    "EigResult",
    "EighResult",
    "LstsqResult",
    "QRResult",
    "SVDResult",
    "SlogdetResult",
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "tensorinv",
    "tensorsolve",
    "trace",
    "vecdot",
    "vector_norm",
]

__dir__ = listing(globals())
