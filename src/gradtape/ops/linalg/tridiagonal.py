"""Matrices with three diagonals: products and systems.

The diagonals are the rows of a tensor [..., 3, M]: upper (its last element unused), main, lower (its first unused).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.dtypes import Array
from ...base.errors import invalid
from ...base.types import Cotangent, Draw, Namespace, Tangent, Value
from ...op.declaration import BadInput, Sample, op
from ...op.family import batch_leading, rank_of
from ...op.shapes import like
from ..array.borders import crop, pad_constant
from ..array.layout import stack, unpack
from ..math.reduce import reduce_sum
from .products import check_matrix, conjugated
from .solve import LAPACK, batch_system

# --- helpers for the rules ----------------------------------------------------------------------------------


def _moved(x: Value, by: int, axis: int) -> Any:
    """x shifted along an axis by one place, filled with zero."""
    rank = rank_of(x)
    where = axis % rank
    before, after = ((1, 0), (0, 1)) if by > 0 else ((0, 1), (1, 0))
    pairs = [tuple(pair if a == where else (0, 0) for a in range(rank)) for pair in (before, after)]
    return crop(pad_constant(x, paddings=pairs[0], constant_values=0), paddings=pairs[1])


def _adjoint(diagonals: Value) -> Any:
    """The diagonals of the adjoint matrix."""
    upper, main, lower = unpack(conjugated(diagonals), axis=-2)
    return stack([_moved(lower, -1, -1), main, _moved(upper, 1, -1)], axis=-2)


def _outer(g: Value, x: Value) -> Any:
    """The diagonals of g times the adjoint of x: the cotangent of a matrix that is multiplied by x."""
    x = conjugated(x)
    parts = (_moved(x, -1, -2), x, _moved(x, 1, -2))
    return stack([reduce_sum(g * part, axis=-1, keepdims=False) for part in parts], axis=-2)


def _whole(diagonals: Array) -> Array:
    """The whole matrix, for references."""
    size = diagonals.shape[-1]
    i = np.arange(size)
    matrix = np.zeros((*diagonals.shape[:-2], size, size), diagonals.dtype)
    matrix[..., i, i] = diagonals[..., 1, :]
    matrix[..., i[:-1], i[1:]] = diagonals[..., 0, :-1]
    matrix[..., i[1:], i[:-1]] = diagonals[..., 2, 1:]
    return matrix


# --- products -----------------------------------------------------------------------------------------------


def _tridiagonal_matmul(diagonals: Array, rhs: Array) -> Array:
    shape = diagonals.shape
    if len(shape) < 2 or shape[-2] != 3 or rhs.ndim != len(shape) or rhs.shape[:-1] != (*shape[:-2], shape[-1]):
        raise invalid(
            f"tridiagonal_matmul: diagonals [..., 3, M] and rhs [..., M, K] are needed, got {shape} and {rhs.shape}."
        )
    upper, main, lower = (diagonals[..., k, :, None] for k in range(3))
    result = main * rhs
    result[..., :-1, :] += upper[..., :-1, :] * rhs[..., 1:, :]
    result[..., 1:, :] += lower[..., 1:, :] * rhs[..., :-1, :]
    return result


@op(eager=_tridiagonal_matmul, dtypes=LAPACK, tf_name="TridiagonalMatMul", shape=like(1))
def tridiagonal_matmul(xp: Namespace, diagonals: Array, rhs: Any) -> Any:
    """The product of matrices with three diagonals (upper, main, lower, in the last but one axis) and `rhs`."""
    upper, main, lower = (diagonals[..., k, :, None] for k in range(3))
    result = main * rhs
    result = result.at[..., :-1, :].add(upper[..., :-1, :] * rhs[..., 1:, :])
    return result.at[..., 1:, :].add(lower[..., 1:, :] * rhs[..., :-1, :])


@tridiagonal_matmul.vjp("rhs")
def _(g: Cotangent, diagonals: Value) -> Any:
    return tridiagonal_matmul(_adjoint(diagonals), g)


@tridiagonal_matmul.vjp("diagonals")
def _(g: Cotangent, rhs: Value) -> Any:
    return _outer(g, rhs)


tridiagonal_matmul.linear("diagonals", "rhs")
tridiagonal_matmul.batching = batch_leading


@tridiagonal_matmul.samples
def _(draw: Draw) -> Iterator[Sample]:
    for lead, m, k in [
        ((), 3, 1), ((), 4, 2), ((2,), 3, 2), ((), 1, 1), ((), 2, 3), ((2, 2), 2, 1), ((0,), 3, 1), ((), 5, 1), ((3,), 1, 2), ((), 3, 0), ((1,), 4, 1),
        ((), 6, 2),
    ]:  # fmt: skip
        yield Sample((draw((*lead, 3, m)), draw((*lead, m, k))))


@tridiagonal_matmul.value
def _(diagonals: Array, rhs: Array) -> Any:
    return _whole(diagonals) @ rhs


@tridiagonal_matmul.rejects
def _() -> Iterator[BadInput]:
    for left, right in [((2, 3), (3, 1)), ((3, 3), (2, 1)), ((3,), (3, 1)), ((3, 3), (3,)), ((2, 3, 3), (3, 1))]:
        yield BadInput("three diagonals", (np.ones(left, np.float32), np.ones(right, np.float32)))


# --- systems ------------------------------------------------------------------------------------------------


def _tridiagonal_solve(
    diagonals: Array, rhs: Array, partial_pivoting: bool = True, perturb_singular: bool = False
) -> Array:
    check_matrix("tridiagonal_solve", diagonals, square=False)
    *lead, three, size = diagonals.shape
    if three != 3:
        raise invalid(f"tridiagonal_solve: three diagonals are needed, of shape [..., 3, M], got {diagonals.shape}.")
    if rhs.ndim != diagonals.ndim or rhs.shape[:-1] != (*lead, size):
        raise invalid(f"tridiagonal_solve: rhs must be of shape {(*lead, size)} with one more axis, got {rhs.shape}.")
    if not rhs.size:
        return np.zeros_like(rhs)
    count = math.prod(lead)
    found, failed = _gtsv(diagonals.reshape(count, 3, size), rhs.reshape(count, size, -1))
    if failed:  # at least one of the systems is singular: one by one, so that the others are solved
        systems = zip(diagonals.reshape(count, 3, size), rhs.reshape(count, size, -1), strict=True)
        found = np.stack([_tridiagonal_or_nan(d, b, perturb_singular) for d, b in systems])
    return found.reshape(rhs.shape)


def _gtsv(diagonals: Array, rhs: Array) -> tuple[Array, bool]:
    """All systems as one, uncoupled where one ends and the next begins; whether a pivot was zero."""
    from scipy.linalg import get_lapack_funcs

    count, _, size = diagonals.shape
    upper, main, lower = (np.array(diagonals[:, row]) for row in range(3))
    upper[:, -1] = 0
    lower[:, 0] = 0
    if main.size == 1:  # (LAPACK's wrapper does not accept empty off-diagonals)
        return rhs / main[..., None], not main.any()
    (gtsv,) = get_lapack_funcs(("gtsv",), (main, rhs))
    *_, found, info = gtsv(
        lower.reshape(-1)[1:], main.reshape(-1), upper.reshape(-1)[:-1], rhs.reshape(count * size, -1)
    )
    return found.reshape(rhs.shape), info > 0


def _tridiagonal_or_nan(diagonals: Array, rhs: Array, perturb: bool) -> Array:
    found, failed = _gtsv(diagonals[None], rhs[None])
    if failed and perturb:
        info = np.finfo(diagonals.dtype)
        shift = np.zeros_like(diagonals)
        shift[1] = max(float(info.eps * np.abs(diagonals).max()), float(info.tiny))
        found, failed = _gtsv((diagonals + shift)[None], rhs[None])
    return np.full_like(rhs, np.nan) if failed else found[0]


@op(dtypes=LAPACK, tf_name="TridiagonalSolve", eager=_tridiagonal_solve, shape=like(1))
def tridiagonal_solve(
    xp: Namespace, diagonals: Array, rhs: Array, *, partial_pivoting: bool = True, perturb_singular: bool = False
) -> Any:
    """The solution of tridiagonal systems, given as rows superdiagonal, diagonal, subdiagonal."""
    upper, main, lower = (diagonals[..., row, :] for row in range(3))
    size = main.shape[-1]
    matrix = (
        main[..., None] * xp.eye(size) + upper[..., None] * xp.eye(size, k=1) + lower[..., None] * xp.eye(size, k=-1)
    )
    return xp.linalg.solve(matrix, rhs)


@tridiagonal_solve.vjp("diagonals")
def _(g: Cotangent, diagonals: Value, out: Value, partial_pivoting: bool, perturb_singular: bool) -> Any:
    back = tridiagonal_solve(
        _adjoint(diagonals), g, partial_pivoting=partial_pivoting, perturb_singular=perturb_singular
    )
    return -_outer(back, out)


@tridiagonal_solve.vjp("rhs")
def _(g: Cotangent, diagonals: Value, partial_pivoting: bool, perturb_singular: bool) -> Any:
    return tridiagonal_solve(
        _adjoint(diagonals), g, partial_pivoting=partial_pivoting, perturb_singular=perturb_singular
    )


@tridiagonal_solve.jvp("diagonals")
def _(t: Tangent, diagonals: Value, out: Value, partial_pivoting: bool, perturb_singular: bool) -> Any:
    change = tridiagonal_matmul(t, out)
    return -tridiagonal_solve(diagonals, change, partial_pivoting=partial_pivoting, perturb_singular=perturb_singular)


tridiagonal_solve.linear("rhs")
tridiagonal_solve.batched(batch_system)


@tridiagonal_solve.samples
def _(draw: Draw) -> Iterator[Sample]:
    for lead, size, columns in [
        ((), 1, 1), ((), 2, 1), ((), 3, 2), ((), 5, 3), ((2,), 3, 1), ((2, 2), 4, 2), ((0,), 3, 1),
        ((), 0, 1), ((), 3, 0), ((1,), 6, 1), ((3,), 1, 2),
        ((3,), 2, 2),
    ]:  # fmt: skip
        diagonals = draw((*lead, 3, size), -0.6, 0.6)
        diagonals[..., 1, :] += 2
        yield Sample((diagonals, draw((*lead, size, columns))), {})


@tridiagonal_solve.value
def _(diagonals: Array, rhs: Array, partial_pivoting: bool, perturb_singular: bool) -> Any:
    return np.linalg.solve(_whole(diagonals), rhs)


@tridiagonal_solve.rejects
def _() -> Iterator[BadInput]:
    for a, b in [
        ((3, 3), (3,)), ((3, 3), (4, 1)), ((2, 3), (3, 1)), ((3,), (3, 1)), ((2, 3, 3), (3, 1)), ((3, 3),
        (2, 3, 1)), ((2, 3, 3), (3, 3, 1)), ((), ()),
        ((4, 3), (3, 1)), ((3, 0), (1, 1)),
    ]:  # fmt: skip
        yield BadInput("the shapes must fit", (np.ones(a, np.float32), np.ones(b, np.float32)))
