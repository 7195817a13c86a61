"""Decompositions of matrices, and functions that are computed from them.

See ops/linalg/spectral.py for the derivatives of the vectors of `eigh`, `eig` and `svd` where they are not unique.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, overload

import numpy as np

from .. import math
from ..api.indexing import boolean_mask, gather
from ..base import dtypes
from ..base.errors import invalid, too_few_axes
from ..base.traceable import trace_public
from ..base.types import TensorLike
from ..op.arguments import flag, takes, tensor_type
from ..ops.linalg import decompositions as o
from ..ops.linalg import matrix_functions as functions
from ..ops.linalg import spectral
from ..ops.public import cholesky as cholesky
from ..ops.public import det as det
from ..ops.public import eigvals as eigvals
from ..ops.public import eigvalsh as eigvalsh
from ..ops.public import logm as logm
from ..ops.public import sqrtm as sqrtm
from ..values.tensor import Tensor, to_tensor
from ..variables.variable import Variable
from .diagonals import diag, diag_part

self_adjoint_eigvals = eigvalsh


class Qr(NamedTuple):
    """What `qr` returns."""

    q: Tensor
    r: Tensor


class Lu(NamedTuple):
    """What `lu` returns."""

    lu: Tensor
    p: Tensor


class LogMatrixDeterminant(NamedTuple):
    """What `slogdet` returns."""

    sign: Tensor
    log_abs_determinant: Tensor


def expm(input: TensorLike, name: str | None = None) -> Tensor:
    """The exponential of square matrices.

    >>> import gradtape as tf
    >>> tf.linalg.expm([[0.0, 1.0], [0.0, 0.0]]).numpy()
    array([[1., 1.],
           [0., 1.]], dtype=float32)

    Args:
        input: Square matrices, in the last two axes.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Matrices of the same shape.

    Raises:
        ValueError: They are neither floating nor complex.
        tf.errors.InvalidArgumentError: They are not square.
    """
    x = to_tensor(input)
    if not x.dtype.is_differentiable:
        raise ValueError(f"tf.linalg.expm does not support matrices of type {x.dtype!r}. Use tf.cast.")
    return functions.expm.public(x)


@takes(full_matrices=flag)
def qr(input: TensorLike, full_matrices: bool = False, name: str | None = None) -> Qr:
    """Matrices as q @ r, with orthonormal columns in q and an upper triangular r.

    >>> import gradtape as tf
    >>> q, r = tf.linalg.qr(tf.constant([[3.0, 1.0], [4.0, 2.0]]))
    >>> tf.round(q @ r).numpy()
    array([[3., 1.],
           [4., 2.]], dtype=float32)

    Args:
        input: Matrices, in the last two axes.
        full_matrices: Whether q is square. The gradient is then defined for at most one row more than columns.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A pair of `q` and `r`.

    Raises:
        tf.errors.InvalidArgumentError: There are fewer than two axes.
    """
    x = to_tensor(input)
    parts = o.qr.public(math.cast(x, dtypes.float32) if x.dtype is dtypes.float16 else x, bool(full_matrices))
    return Qr(*(math.cast(part, x.dtype) if x.dtype is dtypes.float16 else part for part in parts))


@takes(output_idx_type=tensor_type)
def lu(input: object, output_idx_type: object = dtypes.int32, name: str | None = None) -> Lu:
    """The factors L and U of square matrices, packed into one matrix, and the order of the rows: input[p] = L @ U.

    >>> import gradtape as tf
    >>> packed, order = tf.linalg.lu([[1.0, 2.0], [4.0, 4.0]])
    >>> packed.numpy(), order.numpy()
    (array([[4.  , 4.  ],
           [0.25, 1.  ]], dtype=float32), array([1, 0], dtype=int32))

    Args:
        input: Square matrices, in the last two axes.
        output_idx_type: The type of the order: tf.int32 or tf.int64.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A pair: `lu`, with U in the upper triangle and L, without the ones on its diagonal, below; and `p`.

    Raises:
        tf.errors.InvalidArgumentError: The matrices are not square, or one is singular.
    """
    return Lu(*o.lu.public(input, dtypes.as_dtype(output_idx_type).numpy))


def slogdet(input: TensorLike, name: str | None = None) -> LogMatrixDeterminant:
    """The sign of the determinant and the logarithm of its absolute value, which does not overflow.

    >>> import gradtape as tf
    >>> sign, log = tf.linalg.slogdet([[0.0, 1.0], [1.0, 0.0]])
    >>> print(sign.numpy(), log.numpy())
    -1.0 0.0

    Args:
        input: Square matrices, in the last two axes.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A pair: `sign` (of absolute value 1, or 0 for a singular matrix) and `log_abs_determinant`.

    Raises:
        tf.errors.InvalidArgumentError: The matrices are not square, or their type has no decomposition.
    """
    return LogMatrixDeterminant(*functions.slogdet.public(input))


def logdet(matrix: TensorLike, name: str | None = None) -> Tensor:
    """The logarithm of the determinant of Hermitian positive definite matrices.

    >>> import gradtape as tf
    >>> tf.linalg.logdet([[2.0, 0.0], [0.0, 2.0]]).numpy().round(4)
    np.float32(1.3863)

    Args:
        matrix: Hermitian positive definite matrices, in the last two axes.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A number for each matrix.

    Raises:
        tf.errors.InvalidArgumentError: The matrices are not square.
    """
    return 2.0 * math.reduce_sum(math.log(math.real(diag_part(cholesky(matrix)))), -1)


@overload
def svd(
    tensor: TensorLike, full_matrices: bool = False, compute_uv: Literal[True] = True, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor]: ...
@overload
def svd(
    tensor: TensorLike, full_matrices: bool = False, *, compute_uv: Literal[False], name: str | None = None
) -> Tensor: ...
@overload
def svd(tensor: TensorLike, full_matrices: bool, compute_uv: Literal[False], name: str | None = None) -> Tensor: ...
@overload
def svd(tensor: object, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None) -> Any: ...
@takes(full_matrices=flag, compute_uv=flag)
def svd(tensor: object, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None) -> Any:
    """Singular values s in descending order, u and v: tensor = u @ diag(s) @ adjoint(v).

    >>> import gradtape as tf
    >>> s, u, v = tf.linalg.svd(tf.constant([[0.0, 2.0], [1.0, 0.0]]))
    >>> s.numpy()
    array([2., 1.], dtype=float32)

    (NumPy returns u, s and the adjoint of v.)

    Args:
        tensor: Matrices, in the last two axes.
        full_matrices: Whether u and v are square. The gradient is then defined where the numbers of rows and columns
            differ by at most one.
        compute_uv: False for the singular values alone.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The tensors s, u and v, or s alone.

    Raises:
        tf.errors.InvalidArgumentError: There are fewer than two axes.
    """
    if not compute_uv:
        return spectral.singular_values.public(tensor)
    return tuple(spectral.svd.public(tensor, bool(full_matrices)))


def eigh(tensor: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Eigenvalues, ascending, and eigenvectors of Hermitian matrices.

    >>> import gradtape as tf
    >>> values, vectors = tf.linalg.eigh([[2.0, 0.0], [0.0, 1.0]])
    >>> values.numpy()
    array([1., 2.], dtype=float32)

    Args:
        tensor: Hermitian matrices, in the last two axes; the lower triangle is read.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The eigenvalues, and the eigenvectors as columns. Where eigenvalues are equal their vectors are not unique, and
        a gradient through them has no meaning.

    Raises:
        tf.errors.InvalidArgumentError: The matrices are not square, or their type has no decomposition.
    """
    values, vectors = spectral.eigh.public(tensor)
    return values, vectors


self_adjoint_eig = eigh


def eig(tensor: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Eigenvalues and eigenvectors of square matrices, complex.

    >>> import gradtape as tf
    >>> values, vectors = tf.linalg.eig([[0.0, -1.0], [1.0, 0.0]])
    >>> sorted(values.numpy().imag.tolist())
    [-1.0, 1.0]

    Args:
        tensor: Square matrices, in the last two axes.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The eigenvalues, in no order, and the eigenvectors, of length 1, as columns.

    Raises:
        tf.errors.InvalidArgumentError: The matrices are not square, or their type has no decomposition.
    """
    values, vectors = spectral.eig.public(tensor)
    return values, vectors


@overload
def eigh_tridiagonal(
    alpha: TensorLike,
    beta: TensorLike,
    eigvals_only: Literal[True] = True,
    select: str = "a",
    select_range: Any = None,
    tol: TensorLike | None = None,
    name: str | None = None,
) -> Tensor: ...
@overload
def eigh_tridiagonal(
    alpha: TensorLike,
    beta: TensorLike,
    eigvals_only: Literal[False],
    select: str = "a",
    select_range: Any = None,
    tol: TensorLike | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]: ...
@overload
def eigh_tridiagonal(
    alpha: TensorLike,
    beta: TensorLike,
    eigvals_only: bool,
    select: str = "a",
    select_range: Any = None,
    tol: TensorLike | None = None,
    name: str | None = None,
) -> Any: ...
def eigh_tridiagonal(
    alpha: TensorLike,
    beta: TensorLike,
    eigvals_only: bool = True,
    select: str = "a",
    select_range: Any = None,
    tol: TensorLike | None = None,
    name: str | None = None,
) -> Any:
    """Eigenvalues, and eigenvectors unless `eigvals_only`, of a Hermitian tridiagonal matrix.

    >>> import gradtape as tf
    >>> tf.linalg.eigh_tridiagonal([0.0, 0.0], [1.0]).numpy()
    array([-1.,  1.], dtype=float32)

    Args:
        alpha: The diagonal; imaginary parts are ignored.
        beta: The superdiagonal, one element less.
        eigvals_only: False for the eigenvectors as well.
        select: "a" for all eigenvalues, "i" for those at positions `select_range` (both included), "v" for those in the
            interval `select_range` (without its lower end).
        select_range: A pair of numbers in ascending order, for "i" and "v".
        tol: Accepted as TensorFlow does; the values are exact to rounding.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The eigenvalues in ascending order, or a pair of them and the eigenvectors as columns.

    Raises:
        ValueError: The sizes do not fit, or `select` or its range is another.
    """
    main, upper = to_tensor(alpha), to_tensor(beta)
    if main.dtype is upper.dtype is dtypes.float16:
        main32, upper32 = (math.cast(part, dtypes.float32) for part in (main, upper))
        result = eigh_tridiagonal(main32, upper32, eigvals_only, select, select_range, tol)
        return math.cast(result, main.dtype) if eigvals_only else tuple(math.cast(r, main.dtype) for r in result)
    if main.ndim != 1 or upper.ndim != 1 or len(upper) != len(main) - 1:
        raise too_few_axes(f"alpha and beta need shapes [n] and [n - 1], got {main.shape} and {upper.shape}.")
    if select not in ("a", "i", "v"):
        raise ValueError(f"select must be 'a', 'i' or 'v', got {select!r}.")
    if select != "a" and (select_range is None or len(select_range) != 2 or select_range[0] > select_range[1]):
        raise ValueError(f"select_range must be a pair in ascending order for select={select!r}, got {select_range!r}.")
    matrix = diag(main) + diag(math.conj(upper), k=-1) if len(main) > 1 else diag(main)
    if eigvals_only:
        values, vectors = eigvalsh(matrix), None
    else:
        values, vectors = eigh(matrix)
    values = math.real(values)
    if select == "i":
        first, last = (int(bound) for bound in select_range)
        if first < 0 or last >= len(main):
            raise ValueError(f"select_range must lie in [0, {len(main)}), got {select_range!r}.")
        positions = np.arange(first, last + 1)
    elif select == "v":
        low, high = (to_tensor(bound, values.dtype) for bound in select_range)
        chosen = math.logical_and(values > low, values <= high)
        return boolean_mask(values, chosen) if vectors is None else (
            boolean_mask(values, chosen), boolean_mask(vectors, chosen, axis=1)
        )  # fmt: skip
    else:
        return values if vectors is None else (values, vectors)
    return (
        gather(values, positions)
        if vectors is None
        else (gather(values, positions), gather(vectors, positions, axis=1))
    )


def matrix_rank(a: TensorLike, tol: object = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The number of singular values above `tol`.

    >>> import gradtape as tf
    >>> tf.linalg.matrix_rank([[1.0, 2.0], [2.0, 4.0]]).numpy()
    np.int32(1)

    Args:
        a: Matrices, in the last two axes.
        tol: What counts as zero; by default the rounding error of the largest singular value.
        validate_args: Ignored; accepted for compatibility with TensorFlow.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A whole number for each matrix.

    Raises:
        TypeError: The matrices are neither floating nor complex.
        ValueError: There are fewer than two axes.
    """
    x = to_tensor(a)
    if not isinstance(a, (Tensor, Variable)) and x.dtype.is_integer:
        x = math.cast(x, dtypes.float32)
    if not x.dtype.is_differentiable:
        raise TypeError(f"Input `a` must have `float`-like `dtype` (saw {x.dtype.name}).")
    if x.ndim < 2:
        raise ValueError(f"Input `a` must have at least 2 dimensions (saw: {x.ndim}).")
    s = svd(x, compute_uv=False)
    if not s.shape[-1]:
        return math.reduce_sum(math.cast(s, dtypes.int32), -1)
    if tol is None:
        rounding = float(np.finfo(s.dtype.numpy).eps) * max(x.shape[-2:])
        tol = rounding * math.reduce_max(s, -1, True)
    else:
        tol = to_tensor(tol, None if isinstance(tol, (Tensor, Variable)) else s.dtype)
        if tol.dtype != s.dtype:
            raise invalid(f"matrix_rank: tol must be {s.dtype.name}, got {tol.dtype.name}. Use tf.cast.")
    return math.reduce_sum(math.cast(s > tol, dtypes.int32), -1)


trace_public(globals())
