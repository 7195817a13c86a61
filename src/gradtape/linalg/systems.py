"""Linear systems: general, triangular, factored, banded, and in the least squares sense."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import math
from ..api.arrays import broadcast_to, eye, ones, ones_like, zeros_like
from ..api.indexing import gather, where
from ..api.layout import expand_dims, pad, squeeze, stack
from ..api.sorting import argsort
from ..base.errors import invalid, too_few_axes
from ..base.shapes import broadcast
from ..base.traceable import trace_public
from ..base.types import AxisLike, TensorLike, Value
from ..op.arguments import flag, real, takes
from ..op.attributes import as_int
from ..ops.linalg import matrix_functions, tridiagonal
from ..ops.linalg import solve as o
from ..ops.public import inv as inv
from ..ops.public import solve as solve
from ..ops.public import triangular_solve as triangular_solve
from ..values.tensor import EagerTensor, Tensor, to_tensor
from ..variables.variable import Variable
from .decompositions import cholesky, svd
from .diagonals import band_part, diag, diag_part, set_diag
from .products import matmul, matrix_transpose


def _pair(a: object, b: Value) -> tuple[Any, Any]:
    """Two operands as tensors; what is not a tensor takes the type of what is one."""
    if isinstance(b, (Tensor, Variable)) and not isinstance(a, (Tensor, Variable)):
        return to_tensor(a, b.dtype), to_tensor(b)
    first = to_tensor(a)
    return first, to_tensor(b, None if isinstance(b, (Tensor, Variable)) else first.dtype)


def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Tensor:
    """The solution x of A @ x = rhs, given the Cholesky factor of A.

    >>> import gradtape as tf
    >>> chol = tf.linalg.cholesky([[4.0, 0.0], [0.0, 9.0]])
    >>> tf.linalg.cholesky_solve(chol, [[4.0], [9.0]]).numpy()
    array([[1.],
           [1.]], dtype=float32)

    Args:
        chol: What `tf.linalg.cholesky` gave for A.
        rhs: The right sides, as columns: [..., M, K].
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The solutions, in the shape of `rhs`.

    Raises:
        tf.errors.InvalidArgumentError: The shapes do not fit.
    """
    factor, right = _pair(chol, rhs)
    return triangular_solve(factor, triangular_solve(factor, right), adjoint=True)


@takes(l2_regularizer=real)
def lstsq(
    matrix: Any, rhs: Any, l2_regularizer: TensorLike = 0.0, fast: bool = True, name: str | None = None
) -> Tensor:
    """The x that minimises |matrix @ x - rhs|^2 + l2_regularizer |x|^2; of several the smallest.

    >>> import gradtape as tf
    >>> tf.linalg.lstsq([[2.0], [0.0]], [[4.0], [3.0]]).numpy()
    array([[2.]], dtype=float32)

    Args:
        matrix: Matrices [..., M, N].
        rhs: The right sides, as columns: [..., M, K].
        l2_regularizer: How much large solutions are avoided.
        fast: Whether the normal equations are solved, which loses accuracy for ill-conditioned matrices and gives nan
            for those without full rank. Without, the pseudo-inverse is used, and `l2_regularizer` ignored.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The solutions [..., N, K].

    Raises:
        ValueError: The shapes do not fit.
    """
    a, b = _pair(matrix, rhs)
    if a.ndim < 2 or b.ndim < 2 or a.shape[-2] != b.shape[-2]:
        raise too_few_axes(f"lstsq: matrix [..., M, N] and rhs [..., M, K] are needed, got {a.shape} and {b.shape}.")
    if not fast:
        if a.shape[:-2] != b.shape[:-2]:
            raise invalid(f"lstsq: with fast=False the leading axes of {a.shape} and {b.shape} must be equal.")
        return matmul(pinv(a), b)
    tall = a.shape[-2] >= a.shape[-1]
    gram = matmul(a, a, adjoint_a=True) if tall else matmul(a, a, adjoint_b=True)
    if isinstance(l2_regularizer, (Tensor, Variable)) or l2_regularizer != 0:
        gram = gram + math.cast(to_tensor(l2_regularizer), a.dtype) * eye(gram.shape[-1], dtype=a.dtype)
    factor = cholesky(gram)
    if tall:
        return cholesky_solve(factor, matmul(a, b, adjoint_a=True))
    return matmul(a, cholesky_solve(factor, b), adjoint_a=True)


def pinv(
    a: TensorLike, rcond: TensorLike | None = None, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The Moore-Penrose pseudo-inverse.

    >>> import gradtape as tf
    >>> tf.linalg.pinv([[2.0, 0.0], [0.0, 0.0]]).numpy()
    array([[0.5, 0. ],
           [0. , 0. ]], dtype=float32)

    The derivative holds for changes that keep the rank.

    Args:
        a: Matrices [..., M, N].
        rcond: Singular values up to `rcond` times the largest count as zero; 10 max(M, N) eps by default.
        validate_args: Ignored; accepted for compatibility with TensorFlow.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Matrices [..., N, M].

    Raises:
        TypeError: The matrices are neither floating nor complex.
        ValueError: There are fewer than two axes.
    """
    x = to_tensor(a)
    if not x.dtype.is_differentiable:
        raise TypeError(f"Input `a` must have `float`-like `dtype` (saw {x.dtype.name}).")
    if x.ndim < 2:
        raise ValueError(f"Input `a` must have at least 2 dimensions (saw: {x.ndim}).")
    kind = x.dtype.real_dtype
    if rcond is None:
        rcond = 10.0 * max(x.shape[-2:]) * float(np.finfo(kind.numpy).eps)
    limit = to_tensor(rcond, None if isinstance(rcond, (Tensor, Variable)) else kind)
    result = matrix_functions.pinv.public(x, limit)
    if isinstance(x, EagerTensor) and _cuts(x._array, limit._array):
        return _pinv_from_svd(x, limit)
    return result


def _cuts(matrix: Any, limit: TensorLike) -> bool:
    """Whether `rcond` cuts off singular values above rounding error, for which the derivative rule of `pinv` does not hold."""
    if not matrix.size or not np.isfinite(matrix).all():
        return False
    values = np.linalg.svd(matrix, compute_uv=False)
    noise = 10.0 * max(matrix.shape[-2:]) * np.finfo(values.dtype).eps * values[..., :1]
    return bool(np.any((values <= np.asarray(limit)[..., None] * values[..., :1]) & (values > noise)))


def _pinv_from_svd(x: Value, limit: TensorLike) -> Any:
    values, left, right = svd(x)
    kept = values > expand_dims(limit, -1) * values[..., :1]
    inverse = where(kept, math.reciprocal(where(kept, values, ones_like(values))), zeros_like(values))
    return matmul(right * expand_dims(math.cast(inverse, x.dtype), -2), left, adjoint_b=True)


# --- LU factors ---------------------------------------------------------------------------------------------


def _factors(lower_upper: TensorLike, perm: AxisLike) -> tuple[Any, Any]:
    packed = to_tensor(lower_upper)
    order = to_tensor(perm)
    if packed.ndim < 2:
        raise ValueError("Input `lower_upper` must have at least 2 dimensions.")
    if packed.ndim != order.ndim + 1:
        raise ValueError("`rank(lower_upper)` must equal `rank(perm) + 1`")
    if packed.shape[-1] != packed.shape[-2]:
        raise ValueError("`lower_upper` must be square.")
    return packed, order


def _unit_lower(packed: Value) -> Any:
    return set_diag(band_part(packed, -1, 0), ones(tuple(packed.shape)[:-1], packed.dtype))


def lu_solve(
    lower_upper: TensorLike, perm: AxisLike, rhs: TensorLike, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The solution x of A @ x = rhs, given what `lu(A)` returned.

    >>> import gradtape as tf
    >>> tf.linalg.lu_solve(*tf.linalg.lu([[0.0, 2.0], [4.0, 0.0]]), rhs=[[2.0], [4.0]]).numpy()
    array([[1.],
           [1.]], dtype=float32)

    Args:
        lower_upper: The packed factors.
        perm: The order of the rows.
        rhs: The right sides, as columns: [..., M, K].
        validate_args: Ignored; accepted for compatibility with TensorFlow.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The solutions, in the shape of `rhs`.

    Raises:
        ValueError: The shapes do not fit.
        tf.errors.InvalidArgumentError: The leading axes do not broadcast.
    """
    packed, order = _factors(lower_upper, perm)
    right = to_tensor(rhs, None if isinstance(rhs, (Tensor, Variable)) else packed.dtype)
    if right.ndim < 2:
        raise ValueError("Input `rhs` must have at least 2 dimensions.")
    if packed.shape[-1] != right.shape[-2]:
        raise ValueError("`lower_upper.shape[-1]` must equal `rhs.shape[-1]`.")
    lead = broadcast(tuple(right.shape)[:-2], tuple(order.shape)[:-1])
    if lead is None:
        raise invalid(f"lu_solve: the leading axes of {packed.shape} and rhs {right.shape} do not broadcast.")
    if lead:
        right = broadcast_to(right, (*lead, *tuple(right.shape)[-2:]))
        order = broadcast_to(order, (*lead, order.shape[-1]))
    permuted = gather(right, order, axis=len(lead), batch_dims=len(lead))
    return triangular_solve(packed, triangular_solve(_unit_lower(packed), permuted), lower=False)


def lu_matrix_inverse(
    lower_upper: TensorLike, perm: AxisLike, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The inverse of a matrix, given what `lu` returned for it.

    >>> import gradtape as tf
    >>> tf.linalg.lu_matrix_inverse(*tf.linalg.lu([[0.0, 2.0], [4.0, 0.0]])).numpy()
    array([[0.  , 0.25],
           [0.5 , 0.  ]], dtype=float32)

    Args:
        lower_upper: The packed factors.
        perm: The order of the rows.
        validate_args: Ignored; accepted for compatibility with TensorFlow.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Matrices of the shape of `lower_upper`.

    Raises:
        ValueError: The shapes do not fit.
    """
    packed, order = _factors(lower_upper, perm)
    identity = eye(packed.shape[-1], batch_shape=tuple(packed.shape)[:-2], dtype=packed.dtype)
    return lu_solve(packed, order, identity)


def lu_reconstruct(
    lower_upper: TensorLike, perm: AxisLike, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The matrix, given what `lu` returned for it.

    >>> import gradtape as tf
    >>> tf.linalg.lu_reconstruct(*tf.linalg.lu([[1.0, 2.0], [4.0, 4.0]])).numpy()
    array([[1., 2.],
           [4., 4.]], dtype=float32)

    Args:
        lower_upper: The packed factors.
        perm: The order of the rows.
        validate_args: Ignored; accepted for compatibility with TensorFlow.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Matrices of the shape of `lower_upper`.

    Raises:
        ValueError: The shapes do not fit.
    """
    packed, order = _factors(lower_upper, perm)
    permuted = matmul(_unit_lower(packed), band_part(packed, 0, -1))
    rank = packed.ndim - 2
    return gather(permuted, argsort(order), axis=rank, batch_dims=rank)


# --- bands --------------------------------------------------------------------------------------------------


@takes(partial_pivoting=flag, perturb_singular=flag)
def tridiagonal_solve(
    diagonals: Any,
    rhs: Any,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Tensor:
    """The solution of tridiagonal systems; a singular one gives nan.

    >>> import gradtape as tf
    >>> tf.linalg.tridiagonal_solve([[1.0, 0.0], [2.0, 2.0], [0.0, 1.0]], [3.0, 3.0]).numpy()
    array([1., 1.], dtype=float32)

    Args:
        diagonals: In "compact" format [..., 3, M] the superdiagonal (its last element unused), the diagonal and the
            subdiagonal (its first element unused); in "sequence" format the three as a list; or a "matrix".
        rhs: [..., M] or [..., M, K].
        diagonals_format: "compact", "sequence" or "matrix".
        transpose_rhs: Whether `rhs` is [..., K, M].
        conjugate_rhs: Whether `rhs` is conjugated first.
        name: Ignored; accepted for compatibility with TensorFlow.
        partial_pivoting: Accepted; rows are always exchanged where that is more accurate.
        perturb_singular: Whether a singular matrix is changed a little instead of giving nan.

    Returns:
        The solutions, [..., M] or [..., M, K].

    Raises:
        ValueError: The shapes do not fit, or an option is another.
    """
    if perturb_singular and not partial_pivoting:
        raise ValueError("partial_pivoting must be True if perturb_singular is.")
    compact, right = _pair(_compact(diagonals, diagonals_format, _from_sequence), rhs)
    rank = compact.ndim
    if rank < 2:
        raise too_few_axes(f"Expected diagonals to have rank at least 2, got {rank}")
    if compact.shape[-2] != 3:
        raise ValueError(f"Expected 3 diagonals got {compact.shape[-2]}")
    if right.ndim not in (rank, rank - 1):
        raise too_few_axes(f"Expected the rank of rhs to be {rank - 1} or {rank}, got {right.ndim}")
    if compact.shape[:-2] != right.shape[: rank - 2]:
        raise ValueError(f"Batch shapes {compact.shape[:-2]} and {right.shape[: rank - 2]} are incompatible")
    is_vector = right.ndim == rank - 1
    if is_vector:
        right = expand_dims(math.conj(right) if conjugate_rhs else right, -1)
    elif transpose_rhs:
        right = matrix_transpose(right, conjugate=conjugate_rhs)
    elif conjugate_rhs:
        right = math.conj(right)
    if compact.shape[-1] != right.shape[-2]:
        raise ValueError(
            "Expected number of left-hand sided and right-hand sides to be equal, got "
            f"{compact.shape[-1]} and {right.shape[-2]}"
        )
    result = tridiagonal.tridiagonal_solve.public(compact, right, bool(partial_pivoting), bool(perturb_singular))
    return squeeze(result, -1) if is_vector else result


def _compact(diagonals: object, diagonals_format: str, from_sequence: Callable[[Any], Any]) -> Any:
    """The three diagonals as rows of one tensor, from any of the formats."""
    if diagonals_format == "sequence":
        return from_sequence(diagonals)
    if diagonals_format == "matrix":
        return _from_matrix(to_tensor(diagonals))
    if diagonals_format == "compact":
        return to_tensor(diagonals)
    raise ValueError(f"Unrecognized diagonals_format: {diagonals_format}")


def _from_sequence(diagonals: Sequence[TensorLike]) -> Any:
    if not isinstance(diagonals, (tuple, list)) or len(diagonals) != 3:
        raise ValueError("Expected diagonals to be a sequence of length 3.")
    upper, main, lower = (to_tensor(d) for d in diagonals)
    size = main.shape[-1]
    if upper.shape[:-1] != main.shape[:-1] or lower.shape[:-1] != main.shape[:-1]:
        raise ValueError(
            "Tensors representing the three diagonals must have the same shape, except for the last "
            f"dimension, got {lower.shape}, {main.shape}, {upper.shape}"
        )

    def whole(x: Value, label: str, padding: tuple[int, int]) -> Any:
        if x.shape[-1] == size:
            return x
        if x.shape[-1] == size - 1:
            return pad(x, [*((0, 0),) * (x.ndim - 1), padding])
        raise ValueError(f"Expected {label} to be have length {size} or {size - 1}, got {x.shape[-1]}.")

    return stack([whole(upper, "superdiagonal", (0, 1)), main, whole(lower, "subdiagonal", (1, 0))], -2)


def _from_matrix(matrix: Value) -> Any:
    if matrix.ndim < 2 or matrix.shape[-1] != matrix.shape[-2]:
        raise ValueError(f"Expected last two dimensions of diagonals to be same, got shape {matrix.shape}")
    if matrix.shape[-1] < 2:
        main = diag_part(matrix)
        return stack([math.multiply(main, 0), main, math.multiply(main, 0)], -2)
    return diag_part(matrix, k=(-1, 1), align="LEFT_RIGHT")


def _of_one_shape(diagonals: Sequence[TensorLike]) -> Any:
    """Three diagonals in compact format, all as long as the main one."""
    upper, main, lower = (to_tensor(d) for d in diagonals)
    if not upper.shape == main.shape == lower.shape:
        raise invalid(
            f"tridiagonal_matmul: three diagonals of one shape are needed, "
            f"got {upper.shape}, {main.shape}, {lower.shape}."
        )
    return stack([upper, main, lower], -2)


def tridiagonal_matmul(diagonals: Any, rhs: Any, diagonals_format: str = "compact", name: str | None = None) -> Tensor:
    """The product of tridiagonal matrices and `rhs`.

    >>> import gradtape as tf
    >>> tf.linalg.tridiagonal_matmul([[1.0, 0.0], [2.0, 2.0], [0.0, 1.0]], [[1.0], [1.0]]).numpy()
    array([[3.],
           [3.]], dtype=float32)

    Args:
        diagonals: Written as in `tf.linalg.tridiagonal_solve`.
        rhs: [..., M, K].
        diagonals_format: "compact", "sequence" or "matrix".
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The product [..., M, K].

    Raises:
        ValueError: The format is another.
        tf.errors.InvalidArgumentError: The shapes or types do not fit.
    """
    compact, right = _pair(_compact(diagonals, diagonals_format, _of_one_shape), rhs)
    shape = tuple(compact.shape)
    if (
        len(shape) < 2
        or shape[-2] != 3
        or right.ndim != len(shape)
        or tuple(right.shape)[:-1] != (*shape[:-2], shape[-1])
    ):
        raise invalid(
            f"tridiagonal_matmul: diagonals [..., 3, M] and rhs [..., M, K] are needed, got {shape} and {right.shape}."
        )
    if right.dtype != compact.dtype:
        raise invalid(
            f"tridiagonal_matmul: diagonals are {compact.dtype.name}, rhs is {right.dtype.name}. Use tf.cast."
        )
    if compact.dtype.numpy not in o.LAPACK:
        raise invalid(f"tridiagonal_matmul is not defined for {compact.dtype.name}. Use tf.cast.")
    return tridiagonal.tridiagonal_matmul.public(compact, right)


@takes(lower=flag, adjoint=flag)
def banded_triangular_solve(
    bands: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """The solution of triangular systems with few diagonals.

    >>> import gradtape as tf
    >>> tf.linalg.banded_triangular_solve([[2.0, 3.0, 4.0], [0.0, 2.0, 3.0]], tf.ones([3, 1])).numpy()
    array([[0.5 ],
           [0.  ],
           [0.25]], dtype=float32)

    Args:
        bands: The diagonals [..., K, M], the main one first if `lower`, else last; shorter ones are padded on the left
            below the main one, and on the right above it.
        rhs: The right sides, as columns: [..., M, N].
        lower: Whether the matrices are lower triangular.
        adjoint: Whether to solve with the adjoint matrices.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The solutions [..., M, N].

    Raises:
        tf.errors.InvalidArgumentError: The shapes do not fit.
    """
    diagonals, right = _pair(bands, rhs)
    if diagonals.ndim < 2 or not 0 < diagonals.shape[-2] <= max(diagonals.shape[-1], 1):
        raise invalid(f"banded_triangular_solve: bands [..., K, M] with 1 <= K <= M are needed, got {diagonals.shape}.")
    count, size = as_int(diagonals.shape[-2]), as_int(diagonals.shape[-1])
    k = (1 - count, 0) if lower else (0, count - 1)
    if count == 1:
        diagonals = squeeze(diagonals, -2)
    matrix = diag(diagonals, k=k, num_rows=size, num_cols=size, align="LEFT_RIGHT")
    return triangular_solve(matrix, right, lower=lower, adjoint=adjoint)


trace_public(globals())
