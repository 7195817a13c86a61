"""`gradtape.numpy.linalg`: numpy.linalg's functions that the tape follows."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import linalg as ours
from ..api import arrays, layout
from ..base.traceable import trace_public
from ..base.types import IntLike, TensorLike
from ..op.attributes import as_int
from ..ops.linalg.matrix_functions import matrix_power as power
from ..ops.linalg.solve import LAPACK
from ..values.tensor import Tensor
from .products import matmul as matmul
from .products import norm as norm
from .products import outer as outer
from .promotion import asarray, promoted, to_type


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


class SVDResult(NamedTuple):
    """Singular values in decreasing order, and the matrices on both sides of them."""

    U: Tensor
    S: Tensor
    Vh: Tensor


def _inexact(a: object) -> Any:
    x = asarray(a)
    return x if x.dtype.is_floating or x.dtype.is_complex else to_type(x, float)


def det(a: TensorLike) -> Any:
    """The determinant."""
    return ours.det(_inexact(a))


def slogdet(a: TensorLike) -> SlogdetResult:
    """The sign of the determinant and the logarithm of its magnitude."""
    return SlogdetResult(*ours.slogdet(_inexact(a)))


def inv(a: TensorLike) -> Any:
    """The inverse matrix."""
    return ours.inv(_inexact(a))


def pinv(a: TensorLike) -> Any:
    """The Moore-Penrose inverse."""
    return ours.pinv(_inexact(a))


def solve(a: TensorLike, b: TensorLike) -> Any:
    """x with a @ x = b; a `b` of one axis is one column."""
    matrix, right = promoted(_inexact(a), b)
    if right.ndim == 1:
        return layout.squeeze(ours.solve(matrix, layout.expand_dims(right, -1)), -1)
    return ours.solve(matrix, right)


def cholesky(a: TensorLike) -> Any:
    """The lower triangular matrix L with L @ L^H = a."""
    return ours.cholesky(_inexact(a))


def qr(a: TensorLike) -> QRResult:
    """An orthonormal q and an upper triangular r with q @ r = a."""
    return QRResult(*ours.qr(_inexact(a)))


def eigh(a: TensorLike) -> EighResult:
    """Eigenvalues, in increasing order, and eigenvectors of a Hermitian matrix."""
    return EighResult(*ours.eigh(_inexact(a)))


def eigvalsh(a: TensorLike) -> Any:
    """The eigenvalues of a Hermitian matrix, in increasing order."""
    return ours.eigvalsh(_inexact(a))


def svd(a: object, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """u, s and v^H with a = u @ diag(s) @ v^H; only s without `compute_uv`."""
    if not compute_uv:
        return ours.svd(_inexact(a), compute_uv=False)
    s, u, v = ours.svd(_inexact(a), full_matrices=full_matrices)
    return SVDResult(u, s, ours.adjoint(v))


def matrix_power(a: TensorLike, n: IntLike) -> Any:
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


trace_public(globals())
