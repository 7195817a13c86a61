"""`gradtape.numpy.linalg`: numpy.linalg's functions that the tape follows."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Literal, NamedTuple, overload

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
    """The sign of a determinant and the logarithm of its magnitude.

    >>> import gradtape as tf
    >>> sign, logabsdet = tf.numpy.linalg.slogdet([[0.0, 1.0], [1.0, 0.0]])
    >>> float(sign), float(logabsdet)
    (-1.0, 0.0)

    Args:
        sign: The sign of the determinant, or its direction where it is complex; 0 for a singular matrix.
        logabsdet: The logarithm of the magnitude of the determinant.
    """

    sign: Tensor
    logabsdet: Tensor


class QRResult(NamedTuple):
    """An orthonormal and an upper triangular matrix.

    >>> import gradtape as tf
    >>> tf.numpy.linalg.qr([[3.0, 1.0], [4.0, 2.0]]).R.shape
    TensorShape([2, 2])

    Args:
        Q: A matrix with orthonormal columns.
        R: An upper triangular matrix.
    """

    Q: Tensor
    R: Tensor


class EighResult(NamedTuple):
    """Eigenvalues in increasing order, and the eigenvectors as columns.

    >>> import gradtape as tf
    >>> tf.numpy.linalg.eigh([[2.0, 0.0], [0.0, 1.0]]).eigenvalues.numpy()
    array([1., 2.])

    Args:
        eigenvalues: The eigenvalues, in increasing order.
        eigenvectors: The matrix whose columns are the eigenvectors, of length 1.
    """

    eigenvalues: Tensor
    eigenvectors: Tensor


class EigResult(NamedTuple):
    """Eigenvalues, and the eigenvectors as columns.

    >>> import gradtape as tf
    >>> values, vectors = tf.numpy.linalg.eig([[0.0, 1.0], [-1.0, 0.0]])
    >>> values.numpy()
    array([0.+1.j, 0.-1.j])

    Args:
        eigenvalues: The eigenvalues, in no particular order.
        eigenvectors: The matrix whose columns are the eigenvectors, of length 1.
    """

    eigenvalues: Tensor
    eigenvectors: Tensor


class SVDResult(NamedTuple):
    """Singular values in decreasing order, and the matrices on both sides of them.

    >>> import gradtape as tf
    >>> tf.numpy.linalg.svd([[0.0, 2.0], [3.0, 0.0]]).S.numpy()
    array([3., 2.])

    Args:
        U: The left singular vectors, as columns.
        S: The singular values, in decreasing order.
        Vh: The right singular vectors, conjugated, as rows.
    """

    U: Tensor
    S: Tensor
    Vh: Tensor


def _inexact(a: object) -> Any:
    x = asarray(a)
    return x if x.dtype.is_floating or x.dtype.is_complex else to_type(x, float)


def det(a: TensorLike) -> Tensor:
    """The determinant.

    >>> import gradtape as tf
    >>> float(tf.numpy.linalg.det([[2.0, 0.0], [0.0, 3.0]]))
    6.0

    Args:
        a: Square matrices in the last two axes.

    Returns:
        A tensor without these two axes.
    """
    return ours.det(_inexact(a))


def slogdet(a: TensorLike) -> SlogdetResult:
    """The sign of the determinant and the logarithm of its magnitude.

    >>> import gradtape as tf
    >>> sign, logarithm = tf.numpy.linalg.slogdet([[-2.0, 0.0], [0.0, 3.0]])
    >>> float(sign), round(float(logarithm), 4)
    (-1.0, 1.7918)

    Args:
        a: Square matrices in the last two axes.

    Returns:
        A `SlogdetResult`, a pair of tensors.
    """
    return SlogdetResult(*ours.slogdet(_inexact(a)))


def inv(a: TensorLike) -> Tensor:
    """The inverse matrix.

    >>> import gradtape as tf
    >>> tf.numpy.linalg.inv([[2.0, 0.0], [0.0, 4.0]]).numpy()
    array([[0.5 , 0.  ],
           [0.  , 0.25]])

    Args:
        a: Square matrices in the last two axes.

    Returns:
        A tensor of the same shape.

    Raises:
        InvalidArgumentError: A matrix is singular.
    """
    return ours.inv(_inexact(a))


def pinv(a: TensorLike) -> Tensor:
    """The Moore-Penrose inverse.

    >>> import gradtape as tf
    >>> tf.numpy.linalg.pinv([[2.0, 0.0], [0.0, 0.0]]).numpy()
    array([[0.5, 0. ],
           [0. , 0. ]])

    Args:
        a: Matrices in the last two axes.

    Returns:
        A tensor with these two axes exchanged.
    """
    return ours.pinv(_inexact(a))


def solve(a: TensorLike, b: TensorLike) -> Tensor:
    """x with a @ x = b; a `b` of one axis is one column.

    >>> import gradtape as tf
    >>> tf.numpy.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [2.0, 8.0]).numpy()
    array([1., 2.])

    Args:
        a: Square matrices in the last two axes.
        b: Right-hand sides as the columns of matrices, or one vector.

    Returns:
        A tensor of the shape of `b`.

    Raises:
        InvalidArgumentError: A matrix is singular.
    """
    matrix, right = promoted(_inexact(a), b)
    if right.ndim == 1:
        return layout.squeeze(ours.solve(matrix, layout.expand_dims(right, -1)), -1)
    return ours.solve(matrix, right)


def cholesky(a: TensorLike) -> Tensor:
    """The lower triangular matrix L with L @ L^H = a.

    >>> import gradtape as tf
    >>> tf.numpy.linalg.cholesky([[4.0, 2.0], [2.0, 5.0]]).numpy()
    array([[2., 0.],
           [1., 2.]])

    Args:
        a: Hermitian positive definite matrices in the last two axes.

    Returns:
        A tensor of the same shape; NaN where a matrix is not positive definite.
    """
    return ours.cholesky(_inexact(a))


def qr(a: TensorLike) -> QRResult:
    """An orthonormal q and an upper triangular r with q @ r = a.

    >>> import gradtape as tf
    >>> q, r = tf.numpy.linalg.qr([[3.0, 1.0], [4.0, 2.0]])
    >>> tf.numpy.allclose(q @ r, [[3.0, 1.0], [4.0, 2.0]]).numpy()
    np.True_

    Args:
        a: Matrices in the last two axes.

    Returns:
        A `QRResult`, a pair of tensors.
    """
    return QRResult(*ours.qr(_inexact(a)))


def eigh(a: TensorLike) -> EighResult:
    """Eigenvalues, in increasing order, and eigenvectors of a Hermitian matrix.

    >>> import gradtape as tf
    >>> values, vectors = tf.numpy.linalg.eigh([[2.0, 1.0], [1.0, 2.0]])
    >>> values.numpy().round(6)
    array([1., 3.])

    Args:
        a: Hermitian matrices in the last two axes.

    Returns:
        An `EighResult`, a pair of tensors.
    """
    return EighResult(*ours.eigh(_inexact(a)))


def eigvalsh(a: TensorLike) -> Tensor:
    """The eigenvalues of a Hermitian matrix, in increasing order.

    >>> import gradtape as tf
    >>> tf.numpy.linalg.eigvalsh([[2.0, 1.0], [1.0, 2.0]]).numpy().round(6)
    array([1., 3.])

    Args:
        a: Hermitian matrices in the last two axes.

    Returns:
        A tensor of real numbers, with the eigenvalues in its last axis.
    """
    return ours.eigvalsh(_inexact(a))


def eig(a: TensorLike) -> EigResult:
    """Eigenvalues and eigenvectors of any square matrix: complex, or before NumPy 2.5 real where all of them are.

    >>> import gradtape as tf
    >>> values, vectors = tf.numpy.linalg.eig([[0.0, 1.0], [-1.0, 0.0]])
    >>> values.numpy()
    array([0.+1.j, 0.-1.j])

    Args:
        a: Square matrices in the last two axes.

    Returns:
        An `EigResult`, a pair of tensors.
    """
    x = _inexact(a)
    values, vectors = ours.eig(x)
    return EigResult(*(map(ours_math.real, (values, vectors)) if _are_real(x, values) else (values, vectors)))


def _are_real(x: Tensor, values: Tensor) -> bool:
    """Whether a real matrix has real eigenvalues alone. (Inside a traced function nobody knows: they are complex.)"""
    if np.lib.NumpyVersion(np.__version__) >= "2.5.0":  # they are always complex there
        return False
    return not x.dtype.is_complex and values.__class__ is EagerTensor and not np.imag(values._array).any()


def eigvals(a: TensorLike) -> Tensor:
    """The eigenvalues of any square matrix: complex, or before NumPy 2.5 real where all of them are.

    >>> import gradtape as tf
    >>> tf.numpy.linalg.eigvals([[0.0, 1.0], [-1.0, 0.0]]).numpy()
    array([0.+1.j, 0.-1.j])

    Args:
        a: Square matrices in the last two axes.

    Returns:
        A tensor with the eigenvalues in its last axis.
    """
    x = _inexact(a)
    values = ours.eigvals(x)
    return ours_math.real(values) if _are_real(x, values) else values


def svdvals(x: TensorLike) -> Tensor:
    """The singular values, in decreasing order.

    >>> import gradtape as tf
    >>> tf.numpy.linalg.svdvals([[0.0, 2.0], [3.0, 0.0]]).numpy()
    array([3., 2.])

    Args:
        x: Matrices in the last two axes.

    Returns:
        A tensor of real numbers, with the singular values in its last axis.
    """
    return ours.svd(_inexact(x), compute_uv=False)


def cond(x: TensorLike, p: Any = None) -> Tensor:
    """The condition number: by default the largest singular value by the smallest, else norm(x) * norm(inv(x)).

    >>> import gradtape as tf
    >>> float(tf.numpy.linalg.cond([[2.0, 0.0], [0.0, 4.0]]))
    2.0

    Args:
        x: Matrices in the last two axes; square ones unless `p` is None, 2 or -2.
        p: The `ord` of the norm; None is the same as 2.

    Returns:
        A tensor without these two axes.
    """
    a = _inexact(x)
    if p in (None, 2, -2):
        values = svdvals(a)
        return values[..., -1] / values[..., 0] if p == -2 else values[..., 0] / values[..., -1]
    return norm(a, p, (-2, -1)) * norm(inv(a), p, (-2, -1))


def matrix_rank(A: TensorLike, tol: Any = None) -> Tensor:
    """How many singular values are larger than `tol`.

    >>> import gradtape as tf
    >>> int(tf.numpy.linalg.matrix_rank([[1.0, 2.0], [2.0, 4.0]]))
    1

    Args:
        A: Matrices in the last two axes.
        tol: The bound; None: what rounding makes of 0, by the size of the matrix and its largest singular value.

    Returns:
        Whole numbers.
    """
    return to_type(ours.matrix_rank(_inexact(A), tol), np.int64)


@overload
def svd(a: TensorLike, full_matrices: bool = True, compute_uv: Literal[True] = True) -> SVDResult: ...
@overload
def svd(a: TensorLike, full_matrices: bool = True, *, compute_uv: Literal[False]) -> Tensor: ...
@overload
def svd(a: TensorLike, full_matrices: bool = True, compute_uv: bool = True) -> Any: ...
def svd(a: object, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """u, s and v^H with a = u @ diag(s) @ v^H; only s without `compute_uv`.

    >>> import gradtape as tf
    >>> u, s, vh = tf.numpy.linalg.svd([[0.0, 2.0], [3.0, 0.0]])
    >>> s.numpy()
    array([3., 2.])

    Args:
        a: Matrices in the last two axes.
        full_matrices: Whether u and v are square; else they have as many columns as there are singular values.
        compute_uv: Whether u and v^H are wanted too.

    Returns:
        An `SVDResult` of three tensors; without `compute_uv`, one tensor.
    """
    if not compute_uv:
        return ours.svd(_inexact(a), compute_uv=False)
    s, u, v = ours.svd(_inexact(a), full_matrices=full_matrices)
    return SVDResult(u, s, ours.adjoint(v))


def matrix_power(a: TensorLike, n: IntLike) -> Tensor:
    """The matrix multiplied with itself, or with its inverse for a negative n.

    >>> import gradtape as tf
    >>> tf.numpy.linalg.matrix_power([[1, 1], [0, 1]], 3).numpy()
    array([[1, 3],
           [0, 1]])

    Args:
        a: Square matrices in the last two axes.
        n: The exponent, a whole number.

    Returns:
        A tensor of the same shape.

    Raises:
        ValueError: The matrices are not square.
    """
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

    >>> import gradtape as tf
    >>> tf.numpy.linalg.multi_dot([[[1, 2], [3, 4]], [[1, 0], [0, 2]], [1, 1]]).numpy()
    array([ 5, 11])

    Args:
        arrays: At least two matrices, of which the first and the last may be vectors.

    Returns:
        A matrix; a vector or a number where there are vectors.

    Raises:
        ValueError: There are fewer than two, or more than 25.
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
    """The norm of vectors: of the whole tensor as one, or along some axes.

    >>> import gradtape as tf
    >>> tf.numpy.linalg.vector_norm([[3.0, 4.0], [6.0, 8.0]], axis=1).numpy()
    array([ 5., 10.])

    Args:
        x: A tensor, or what can become one.
        axis: The axis, or several that are taken as one; None: all.
        keepdims: Whether the axes stay, with size 1.
        ord: The exponent p; infinity: the largest magnitude; 0: how many elements are not 0.

    Returns:
        A tensor of real numbers.
    """
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
    """The norms of the matrices in the last two axes.

    >>> import gradtape as tf
    >>> float(tf.numpy.linalg.matrix_norm([[3.0, 0.0], [0.0, 4.0]]))
    5.0

    Args:
        x: Matrices in the last two axes.
        keepdims: Whether these axes stay, with size 1.
        ord: "fro", "nuc", 1, -1, 2, -2, or plus or minus infinity, as in `norm`.

    Returns:
        A tensor of real numbers.
    """
    return norm(x, ord, (-2, -1), keepdims)


def tensorinv(a: TensorLike, ind: int = 2) -> Tensor:
    """The tensor that undoes `tensordot(a, x, ind)`.

    >>> import gradtape as tf
    >>> tf.numpy.linalg.tensorinv(tf.numpy.reshape(tf.numpy.eye(6), [6, 2, 3]), ind=1).shape
    TensorShape([2, 3, 6])

    Args:
        a: A tensor whose first `ind` axes have as many elements as the others.
        ind: How many axes count as the rows.

    Returns:
        A tensor, whose first axes are the last ones of `a`.

    Raises:
        ValueError: `ind` is not positive.
    """
    x = _inexact(a)
    if ind < 1:
        raise ValueError(f"tensorinv: ind must be positive, got {ind}.")
    rows = prod(x.shape[ind:])
    return arrays.reshape(inv(arrays.reshape(x, (-1, rows))), (*x.shape[ind:], *x.shape[:ind]))


def tensorsolve(a: TensorLike, b: TensorLike, axes: Sequence[int] | None = None) -> Tensor:
    """x with tensordot(a, x, x.ndim) = b.

    >>> import gradtape as tf
    >>> tf.numpy.linalg.tensorsolve(tf.numpy.reshape(tf.numpy.eye(4), [4, 2, 2]), [1.0, 2.0, 3.0, 4.0]).numpy()
    array([[1., 2.],
           [3., 4.]])

    Args:
        a: A tensor whose first axes are those of `b`; the others are those of x, with as many elements.
        b: The right-hand side.
        axes: The axes of `a` that are first moved to its end; None: none.

    Returns:
        A tensor.
    """
    left, right = promoted(_inexact(a), b)
    if axes is not None:
        moved = [p % left.ndim for p in axes]
        left = transpose(left, [p for p in range(left.ndim) if p not in moved] + moved)
    shape = tuple(left.shape[right.ndim :])
    found = solve(arrays.reshape(left, (-1, prod(shape))), arrays.reshape(right, (-1,)))
    return arrays.reshape(found, shape)


def cross(x1: TensorLike, x2: TensorLike, axis: int = -1) -> Tensor:
    """The vector product of vectors of three elements.

    >>> import gradtape as tf
    >>> tf.numpy.linalg.cross([1, 0, 0], [0, 1, 0]).numpy()
    array([0, 0, 1])

    Args:
        x1: Vectors of three elements.
        x2: The same, to broadcast with them.
        axis: The axis of the vectors.

    Returns:
        A tensor.
    """
    return cross_product(x1, x2, axis=axis)


def diagonal(x: TensorLike, offset: int = 0) -> Tensor:
    """The diagonals of the matrices in the last two axes.

    >>> import gradtape as tf
    >>> tf.numpy.linalg.diagonal([[1, 2], [3, 4]]).numpy()
    array([1, 4])

    Args:
        x: Matrices in the last two axes.
        offset: Which diagonal: 0 is the main one, 1 the one above it.

    Returns:
        A tensor with the diagonals in its last axis.
    """
    return diagonal_of(x, offset, -2, -1)


def trace(x: TensorLike, offset: int = 0, dtype: DTypeLike | None = None) -> Tensor:
    """The sums of the diagonals of the matrices in the last two axes.

    >>> import gradtape as tf
    >>> int(tf.numpy.linalg.trace([[1, 2], [3, 4]]))
    5

    Args:
        x: Matrices in the last two axes.
        offset: Which diagonal: 0 is the main one, 1 the one above it.
        dtype: The type to compute in; by default the one that NumPy chooses.

    Returns:
        A tensor without these two axes.
    """
    return trace_of(x, offset, -2, -1, dtype)


class LstsqResult(NamedTuple):
    """What numpy.linalg.lstsq gives: the solution, the squared residuals, the rank and the singular values.

    >>> import gradtape as tf
    >>> tf.numpy.linalg.lstsq([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]], [1.0, 3.0, 5.0]).rank
    2

    Args:
        x: The solution: the vector or matrix with the least error.
        residuals: The squared distances from `b`, one for each column; empty where the rank is smaller than the number of
            unknowns, or where there are no more equations than unknowns.
        rank: The rank of the matrix.
        singular_values: The singular values of the matrix.
    """

    x: Tensor
    residuals: Tensor
    rank: int
    singular_values: Tensor


def lstsq(a: TensorLike, b: TensorLike, rcond: Any = None) -> LstsqResult:
    """The x that minimises |a @ x - b|: the smallest one, from the singular values above `rcond` times the largest.

    >>> import gradtape as tf
    >>> x, residuals, rank, singular = tf.numpy.linalg.lstsq([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]], [1.0, 3.0, 5.0])
    >>> x.numpy().round(6)
    array([1., 2.])

    Args:
        a: A matrix with a row for each equation.
        b: The right-hand side: a vector, or a matrix of columns.
        rcond: The bound, as a part of the largest singular value; None: what rounding makes of 0.

    Returns:
        An `LstsqResult`, a tuple of four.
    """
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
