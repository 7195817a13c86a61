"""Linear systems: inverses, general and triangular systems, Sylvester equations."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...base.dtypes import COMPLEX, Array, float16, float32, float64
from ...base.errors import invalid, unfit
from ...base.types import Cotangent, Draw, Namespace, Tangent, Value
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import all_batched, as_array, batch_leading, in_float32, insert_axes, rank_of, rarely, shape_of
from ...op.shapes import like, solved, square_like
from ..array.layout import permute, reshape, sum_to_shape
from .diagonal import lower_part, upper_part
from .products import adjoint, check_matrix, product

LAPACK = COMPLEX | {float32.numpy, float64.numpy}  # the types that TensorFlow's matrix kernels are made for


def all_finite(x: Array) -> Array:
    """For each matrix whether it holds neither inf nor nan, with two axes of size one."""
    return as_array(np.isfinite(x).all(axis=(-2, -1), keepdims=True))


def each_matrix(function: Callable[..., Array], *stacks: Array) -> Array:
    """`function` of the matrices of all stacks, one by one: for kernels that know no leading axes."""
    lead = stacks[0].shape[:-2]
    if not lead:
        return function(*stacks)
    flat = [s.reshape(math.prod(lead), *s.shape[-2:]) for s in stacks]
    results = [function(*matrices) for matrices in zip(*flat, strict=True)]
    if not results:
        return np.zeros_like(stacks[0])
    return np.stack(results).reshape(*lead, *results[0].shape)


def _is_singular(matrix: Array, result: Array) -> bool:
    # LAPACK accepts a pivot that is nan; TensorFlow raises.
    return rarely(np.isnan(result).any()) and bool(np.isnan(matrix).any())


# --- inv ----------------------------------------------------------------------------------------------------


@in_float32
def _inv(input: Array, adjoint: bool = False) -> Array:
    check_matrix("inv", input)
    try:
        result = np.linalg.inv(input)
    except np.linalg.LinAlgError:
        raise invalid("Input is not invertible.") from None
    if _is_singular(input, result):
        raise invalid("Input is not invertible.")
    return np.conj(result.swapaxes(-1, -2)) if adjoint else result


@op(eager=_inv, dtypes=LAPACK | {float16.numpy}, tf_name="MatrixInverse", shape=square_like)
def inv(xp: Namespace, input: Array, *, adjoint: bool = False) -> Any:
    """The inverse of each square matrix.

    >>> import gradtape as tf
    >>> tf.linalg.inv([[2.0, 0.0], [0.0, 4.0]]).numpy()
    array([[0.5 , 0.  ],
           [0.  , 0.25]], dtype=float32)

    To solve a system of equations, `tf.linalg.solve` is faster and more exact.

    Args:
        input: Square matrices of floating or complex numbers in the last two axes.
        adjoint: Whether to give the conjugate transpose of the inverse.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Matrices of the same shape.

    Raises:
        tf.errors.InvalidArgumentError: The matrices are not square, or one of them is singular.
    """
    result = xp.linalg.inv(input.astype(np.float32) if input.dtype == np.float16 else input)
    return xp.conj(xp.swapaxes(result, -1, -2)) if adjoint else result


@inv.vjp("input")
def _(g: Cotangent, out: Value, adjoint: bool) -> Any:
    return -product(out, product(g, out, adjoint, not adjoint), adjoint_a=not adjoint)


@inv.jvp("input")
def _(t: Tangent, out: Value, adjoint: bool) -> Any:
    return -product(out, product(t, out, adjoint_a=adjoint))


inv.batched(batch_leading)

SQUARE: list[tuple[int, ...]] = [
    (1, 1), (2, 2), (3, 3), (4, 4), (2, 3, 3), (0, 0), (0, 2, 2), (2, 1, 2, 2), (1, 3, 3), (5, 5),
    (3, 1, 1), (2, 0, 0),
]  # fmt: skip


def regular(draw: Draw, shape: tuple[int, ...], spread: float = 0.4) -> Array:
    """Well-conditioned square matrices without symmetry, with eigenvalues near 1, 2, 3, ..."""
    noise: Array = draw(shape, -spread, spread)
    matrix: Array = noise + np.diag(np.arange(1, shape[-1] + 1)).astype(noise.dtype)
    return matrix


def bad_matrices(function: Op, square: bool = True, **attributes: object) -> None:
    """Bad inputs of an op of one matrix."""

    @function.rejects
    def _() -> Iterator[BadInput]:
        dtype: Any = np.float32 if np.dtype(np.float32) in function.dtypes else np.complex64
        for shape in [(), (3,), (0,)]:
            yield BadInput("a matrix has two axes", (np.ones(shape, dtype),), attributes)
        for shape in [(2, 3), (3, 2), (0, 1), (2, 2, 3), (4, 0)] if square else []:
            yield BadInput("the matrix must be square", (np.ones(shape, dtype),), attributes)
        for dtype in (np.int32, np.int64, np.bool_):
            yield BadInput("a matrix of real or complex numbers", (np.ones((2, 2), dtype),), attributes)


@inv.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in SQUARE:
        yield Sample((regular(draw, shape),), {"adjoint": len(shape) == 2 and shape[0] % 2 == 0})


@inv.value
def _(input: Array, adjoint: bool) -> Any:
    solution = np.linalg.solve(input, np.broadcast_to(np.eye(input.shape[-1]), input.shape))
    return np.conj(np.swapaxes(solution, -1, -2)) if adjoint else solution


bad_matrices(inv)


def singular_matrices() -> Iterator[BadInput]:
    """Bad inputs of an op of one matrix that must be invertible."""
    for matrix in (
        np.zeros((2, 2)),
        np.array([[1.0, 2.0], [2.0, 4.0]]),
        np.full((2, 2), np.nan),
        np.stack([np.eye(2), np.ones((2, 2))]),
    ):
        yield BadInput("the matrix must be invertible", (matrix,))


inv.rejects(singular_matrices)


# --- solve --------------------------------------------------------------------------------------------------


def _check_system(name: str, matrix: Array, rhs: Array) -> None:
    check_matrix(name, matrix)
    if rhs.ndim < 2 or rhs.shape[-2] != matrix.shape[-1]:
        hint = " For a vector use tf.expand_dims(rhs, -1)." if rhs.ndim == 1 else ""
        raise unfit(
            f"{name}: rhs must be of shape [..., {matrix.shape[-1]}, K] for a matrix {matrix.shape}, "
            f"got {rhs.shape}.{hint}"
        )


def _solve(matrix: Array, rhs: Array, adjoint: bool = False) -> Array:
    _check_system("solve", matrix, rhs)
    if matrix.shape[:-2] != rhs.shape[:-2]:
        raise unfit(
            f"solve: the leading axes of matrix {matrix.shape} and rhs {rhs.shape} must be equal. Use tf.broadcast_to."
        )
    a = np.conj(matrix.swapaxes(-1, -2)) if adjoint else matrix
    try:
        result = np.linalg.solve(a, rhs)
    except np.linalg.LinAlgError:
        raise invalid("solve: Input matrix is not invertible.") from None
    if _is_singular(matrix, result):
        raise invalid("solve: Input matrix is not invertible.")
    return result


@op(eager=_solve, dtypes=LAPACK, tf_name="MatrixSolve", shape=solved)
def solve(xp: Namespace, matrix: Array, rhs: Array, *, adjoint: bool = False) -> Any:
    """The solution x of `matrix @ x = rhs`, for each square matrix.

    >>> import gradtape as tf
    >>> tf.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [[2.0], [2.0]]).numpy()
    array([[1. ],
           [0.5]], dtype=float32)

    Args:
        matrix: Square matrices of floating or complex numbers in the last two axes.
        rhs: The right-hand sides, as the columns of matrices. One vector is a matrix with one column: `b[:, None]`.
        adjoint: Whether to solve for the conjugate transpose of `matrix`.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The solutions, in the shape of `rhs`.

    Raises:
        tf.errors.InvalidArgumentError: The matrices are not square, one of them is singular, or the rows do not fit.
    """
    return xp.linalg.solve(xp.conj(xp.swapaxes(matrix, -1, -2)) if adjoint else matrix, rhs)


@solve.vjp("matrix")
def _(g: Cotangent, matrix: Value, out: Value, adjoint: bool) -> Any:
    back = solve(matrix, g, adjoint=not adjoint)
    return -product(out, back, adjoint_b=True) if adjoint else -product(back, out, adjoint_b=True)


@solve.vjp("rhs")
def _(g: Cotangent, matrix: Value, adjoint: bool) -> Any:
    return solve(matrix, g, adjoint=not adjoint)


@solve.jvp("matrix")
def _(t: Tangent, matrix: Value, out: Value, adjoint: bool) -> Any:
    return -solve(matrix, product(t, out, adjoint_a=adjoint), adjoint=adjoint)


solve.linear("rhs")


def batch_system(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    matrix, rhs = args
    if is_batched == (False, True):
        return _many_columns(op, matrix, rhs, attributes)
    return batch_leading(op, is_batched, args, attributes)


def _many_columns(op: Op, matrix: Value, rhs: Value, attributes: dict[str, Any]) -> Any:
    """One matrix for a batch of right-hand sides: all of them as columns, so that it is factored once."""
    size, columns = shape_of(rhs)[0], shape_of(rhs)[-1]
    rank = rank_of(rhs)
    together = permute(rhs, perm=(*range(1, rank), 0))
    flat = op(matrix, reshape(together, shape=(*shape_of(together)[:-2], columns * size)), **attributes)
    apart = reshape(flat, shape=(*shape_of(flat)[:-1], columns, size))
    rank = rank_of(apart)
    return permute(apart, perm=(rank - 1, *range(rank - 1)))


solve.batched(batch_system)

_SYSTEMS: list[tuple[tuple[int, ...], int]] = [
    ((1, 1), 1), ((2, 2), 1), ((3, 3), 2), ((4, 4), 3), ((2, 3, 3), 2), ((0, 0), 2), ((0, 2, 2), 1),
    ((2, 1, 2, 2), 2), ((1, 3, 3), 1), ((5, 5), 1),
    ((2, 2), 0), ((3, 1, 1), 2), ((6, 2, 2), 1),
]  # fmt: skip


@solve.samples
def _(draw: Draw) -> Iterator[Sample]:
    for position, (shape, columns) in enumerate(_SYSTEMS):
        rhs = draw((*shape[:-1], columns))
        yield Sample((regular(draw, shape), rhs), {"adjoint": position % 3 == 2})


@solve.value
def _(matrix: Array, rhs: Array, adjoint: bool) -> Any:
    inverse = np.linalg.inv(matrix)
    return (np.conj(np.swapaxes(inverse, -1, -2)) if adjoint else inverse) @ rhs


def _reject_systems(function: Op, singular: bool) -> None:
    @function.rejects
    def _() -> Iterator[BadInput]:
        for a, b in [
            ((2, 2), (2,)),
            ((2, 2), (3, 1)),
            ((2, 3), (2, 1)),
            ((2,), (2, 1)),
            ((), ()),
            ((3, 2, 2), (2, 2, 1)),
            ((2, 2), ()),
            ((0, 0), (1, 1)),
        ]:
            yield BadInput("the shapes must fit", (np.ones(a, np.float32), np.ones(b, np.float32)))
        yield BadInput("types never mix", (np.eye(2, dtype=np.float32), np.ones((2, 1), np.float64)))
        for matrix in (np.zeros((2, 2)), np.ones((2, 2)), np.full((2, 2), np.nan)) if singular else ():
            yield BadInput("the matrix must be invertible", (matrix, np.ones((2, 1))))


_reject_systems(solve, singular=True)


# --- triangular systems -------------------------------------------------------------------------------------


def _triangular_solve(matrix: Array, rhs: Array, lower: bool = True, adjoint: bool = False) -> Array:
    _check_system("triangular_solve", matrix, rhs)
    try:
        lead = np.broadcast_shapes(matrix.shape[:-2], rhs.shape[:-2])
    except ValueError:
        raise invalid(
            f"triangular_solve: the leading axes of {matrix.shape} and rhs {rhs.shape} do not broadcast."
        ) from None
    size, columns = rhs.shape[-2:]
    shape = (*lead, size, columns)
    if not math.prod(shape):
        return np.zeros(shape, rhs.dtype)
    if math.prod(matrix.shape[:-2]) == 1:
        # One matrix: all right-hand sides are columns of one call.
        flat = np.moveaxis(rhs, -2, 0).reshape(size, -1)
        found = trsm(matrix.reshape(size, size), flat, lower, adjoint)
        return np.moveaxis(found.reshape(size, *rhs.shape[:-2], columns), 0, -2).reshape(shape)
    count = math.prod(lead)
    a = np.broadcast_to(matrix, (*lead, size, size)).reshape(count, size, size)
    b = np.broadcast_to(rhs, shape).reshape(count, size, columns)
    if count > size:
        found = _substitute(a, b, lower, adjoint)
    else:
        found = np.stack([trsm(x, y, lower, adjoint) for x, y in zip(a, b, strict=True)])
    return found.reshape(shape)


def trsm(a: Array, b: Array, lower: bool, adjoint: bool = False) -> Array:
    """One system by BLAS, which divides by zero pivots without complaint, as TensorFlow does."""
    from scipy.linalg import get_blas_funcs

    (trsm,) = get_blas_funcs(("trsm",), (a, b))
    found: Array = trsm(1.0, a, b, lower=lower, trans_a=2 if adjoint else 0)
    return found


def _substitute(a: Array, b: Array, lower: bool, adjoint: bool) -> Array:
    """Many small systems: one row of all of them at a time."""
    if adjoint:
        a, lower = np.conj(a.swapaxes(-1, -2)), not lower
    x = np.array(b)
    size = a.shape[-1]
    for i in range(size) if lower else range(size - 1, -1, -1):
        known = slice(0, i) if lower else slice(i + 1, size)
        x[:, i] -= (a[:, i, None, known] @ x[:, known])[:, 0]
        x[:, i] /= a[:, i, i, None]
    return x


@op(eager=_triangular_solve, dtypes=LAPACK, tf_name="MatrixTriangularSolve", shape=solved)
def triangular_solve(xp: Namespace, matrix: Array, rhs: Array, *, lower: bool = True, adjoint: bool = False) -> Any:
    """The solution of `matrix @ x = rhs` for triangular matrices (adjoint: of `adjoint(matrix) @ x = rhs`).

    The other triangle is not read. Leading axes broadcast. A zero on the diagonal gives inf and nan.

    >>> import gradtape as tf
    >>> tf.linalg.triangular_solve([[2.0, 0.0], [1.0, 1.0]], [[2.0], [3.0]]).numpy()
    array([[1.],
           [2.]], dtype=float32)
    """
    a = xp.tril(matrix) if lower else xp.triu(matrix)
    a = xp.conj(xp.swapaxes(a, -1, -2)) if adjoint else a
    return xp.linalg.solve(a, rhs)


@triangular_solve.vjp("matrix")
def _(g: Cotangent, matrix: Value, out: Value, lower: bool, adjoint: bool) -> Any:
    back = triangular_solve(matrix, g, lower=lower, adjoint=not adjoint)
    result = -product(out, back, adjoint_b=True) if adjoint else -product(back, out, adjoint_b=True)
    result = lower_part(result) if lower else upper_part(result)
    shape = shape_of(matrix)
    return result if shape_of(result) == shape else sum_to_shape(result, shape=shape)


@triangular_solve.vjp("rhs")
def _(g: Cotangent, matrix: Value, rhs_shape: tuple[int, ...], lower: bool, adjoint: bool) -> Any:
    back = triangular_solve(matrix, g, lower=lower, adjoint=not adjoint)
    return back if shape_of(back) == rhs_shape else sum_to_shape(back, shape=rhs_shape)


@triangular_solve.jvp("matrix")
def _(t: Tangent, matrix: Value, out: Value, lower: bool, adjoint: bool) -> Any:
    t = lower_part(t) if lower else upper_part(t)
    return -triangular_solve(matrix, product(t, out, adjoint_a=adjoint), lower=lower, adjoint=adjoint)


triangular_solve.linear("rhs")


@triangular_solve.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    matrix, rhs = args
    if is_batched == (False, True):
        return _many_columns(op, matrix, rhs, attributes)
    rank = max(rank_of(x) - batched for x, batched in zip(args, is_batched, strict=True))
    aligned = [insert_axes(x, rank) if batched else x for x, batched in zip(args, is_batched, strict=True)]
    return op(*aligned, **attributes)


@triangular_solve.samples
def _(draw: Draw) -> Iterator[Sample]:
    for position, (shape, columns) in enumerate(_SYSTEMS):
        rhs = draw((*shape[:-1], columns))
        yield Sample((regular(draw, shape), rhs), {"lower": position % 2 == 0, "adjoint": position % 3 == 2})
    for a, b in [((2, 2), (3, 2, 1)), ((4, 1, 2, 2), (3, 2, 1)), ((3, 2, 2), (2, 2)), ((1, 2, 2), (2, 2, 2))]:
        yield Sample((regular(draw, a), draw(b)), {"lower": len(a) == 2})


@triangular_solve.value
def _(matrix: Array, rhs: Array, lower: bool, adjoint: bool) -> Any:
    a = np.tril(matrix) if lower else np.triu(matrix)
    return np.linalg.inv(np.conj(np.swapaxes(a, -1, -2)) if adjoint else a) @ rhs


_reject_systems(triangular_solve, singular=False)


# --- Sylvester equations ------------------------------------------------------------------------------------


def _sylvester(a: Array, b: Array, c: Array) -> Array:
    if not c.size:
        return np.zeros_like(c)

    def one(a: Array, b: Array, c: Array) -> Array:
        from scipy.linalg import LinAlgError, solve_sylvester

        try:
            found: Array = solve_sylvester(a, b, c)
        except (LinAlgError, ValueError):
            return np.full_like(c, np.nan)
        return found

    result = each_matrix(one, a, b, c).astype(c.dtype, copy=False)
    with np.errstate(all="ignore"):
        residual = a @ result + result @ b - c
    # Where a and -b share an eigenvalue, LAPACK perturbs it and returns a huge solution.
    if not np.abs(residual).max() <= 1e-2 * max(np.abs(c).max(), np.finfo(c.dtype).tiny):
        raise invalid("sylvester: the equation has no unique solution: a and -b share an eigenvalue.")
    return result


@op(eager=_sylvester, dtypes=LAPACK, shape=like(2))
def sylvester(xp: Namespace, a: Array, b: Array, c: Array) -> Any:
    """The solution x of the Sylvester equation a x + x b = c, as in the derivative of a matrix square root."""
    size = a.shape[-1] * b.shape[-1]
    left = xp.einsum("...ij,kl->...ikjl", a, xp.eye(b.shape[-1])).reshape(*a.shape[:-2], size, size)
    right = xp.einsum("ij,...lk->...ikjl", xp.eye(a.shape[-1]), b).reshape(*a.shape[:-2], size, size)
    return xp.linalg.solve(left + right, c.reshape(*c.shape[:-2], size, 1)).reshape(c.shape)


def _sylvester_back(g: Value, a: Value, b: Value) -> Any:
    return sylvester(adjoint(a), adjoint(b), g)


@sylvester.vjp("a")
def _(g: Cotangent, a: Value, b: Value, out: Value) -> Any:
    return -product(_sylvester_back(g, a, b), out, adjoint_b=True)


@sylvester.vjp("b")
def _(g: Cotangent, a: Value, b: Value, out: Value) -> Any:
    return -product(out, _sylvester_back(g, a, b), adjoint_a=True)


@sylvester.vjp("c")
def _(g: Cotangent, a: Value, b: Value) -> Any:
    return _sylvester_back(g, a, b)


@sylvester.jvp("a")
def _(t: Tangent, a: Value, b: Value, out: Value) -> Any:
    return -sylvester(a, b, product(t, out))


@sylvester.jvp("b")
def _(t: Tangent, a: Value, b: Value, out: Value) -> Any:
    return -sylvester(a, b, product(out, t))


sylvester.linear("c")


@sylvester.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    _, data = all_batched(is_batched, args)
    return op(*data)


@sylvester.samples
def _(draw: Draw) -> Iterator[Sample]:
    for lead, m, n in [
        ((), 1, 1), ((), 2, 2), ((), 3, 3), ((), 2, 3), ((), 4, 1), ((2,), 2, 2), ((2, 1), 2, 3),
        ((0,), 2, 2), ((), 0, 0), ((1,), 3, 2), ((3,), 1, 1),
        ((), 4, 4),
    ]:  # fmt: skip
        yield Sample((regular(draw, (*lead, m, m)), regular(draw, (*lead, n, n)), draw((*lead, m, n))))


@sylvester.value
def _(a: Array, b: Array, c: Array) -> Any:
    return sylvester.kernel(np, a, b, c) if c.size else c


@sylvester.rejects
def _() -> Iterator[BadInput]:
    for a, b, c in [
        ((2, 2), (2, 2), (2, 3)),
        ((2, 2), (3, 3), (3, 2)),
        ((2, 3), (2, 2), (2, 2)),
        ((2,), (2, 2), (2, 2)),
    ]:
        yield BadInput("the shapes must fit", tuple(np.ones(s, np.float32) for s in (a, b, c)))
    zero = np.zeros((2, 2), np.float32)
    yield BadInput("a and -b share no eigenvalue", (zero, zero, zero + 1))
    yield BadInput("a and -b share no eigenvalue", (np.eye(2), -np.eye(2), np.ones((2, 2))))
