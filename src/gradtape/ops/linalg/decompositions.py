"""Factorisations of matrices in the last two axes: Cholesky, QR, LU. (Spectral ones are in spectral.py.)

Where a factor is not unique, its derivative is that of the factor as it is computed here: QR with a real
diagonal of R. The basis that `qr(full_matrices=True)` adds to a tall matrix is arbitrary for two or more vectors,
and has no derivative.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...base.dtypes import INDEX, Array
from ...base.errors import invalid
from ...base.sizes import smaller
from ...base.types import Cotangent, Draw, Jax, Namespace, Tangent, Value
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Sample, op
from ...op.family import batch_leading, is_complex, rank_of, shape_of
from ...op.shapes import square, square_like, typed_by
from ..array.borders import crop
from ..array.gather import put, take
from ..array.layout import concat
from ..math.complex_numbers import imag, make_complex
from ..math.logic import zeros_like
from .diagonal import diagonal_part, lower_part, upper_part
from .products import adjoint, check_matrix, columns, product
from .solve import LAPACK, SQUARE, bad_matrices, regular, singular_matrices, triangular_solve

# --- Cholesky -----------------------------------------------------------------------------------------------


def _cholesky(input: Array) -> Array:
    check_matrix("cholesky", input)
    try:
        return np.linalg.cholesky(input)
    except np.linalg.LinAlgError:
        return np.stack([_cholesky_or_nan(m) for m in input.reshape(-1, *input.shape[-2:])]).reshape(input.shape)


def _cholesky_or_nan(matrix: Array) -> Array:
    try:
        return np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        return np.tril(np.full_like(matrix, np.nan))


@op(eager=_cholesky, dtypes=LAPACK, shape=square_like)
def cholesky(xp: Namespace, input: Array) -> Any:
    """The lower triangular L with L @ adjoint(L) = input, of each Hermitian positive definite matrix.

    >>> import gradtape as tf
    >>> tf.linalg.cholesky([[4.0, 2.0], [2.0, 10.0]]).numpy()
    array([[2., 0.],
           [1., 3.]], dtype=float32)

    Only the lower triangle of `input` is read. A matrix that is not positive definite gives nan in the lower triangle.
    The gradient is Hermitian: it stands for changes that keep the matrix so.

    Args:
        input: Square matrices of floating or complex numbers in the last two axes.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Lower triangular matrices of the same shape.

    Raises:
        tf.errors.InvalidArgumentError: The matrices are not square.
    """
    return xp.linalg.cholesky(input)


def _half_diagonal(x: Value) -> Any:
    """The lower triangle with half of the diagonal: x + adjoint of it is a whole Hermitian matrix."""
    return lower_part(x) - 0.5 * diagonal_part(x)


@cholesky.vjp("input")
def _(g: Cotangent, out: Value) -> Any:
    middle = _half_diagonal(product(out, g, adjoint_a=True))
    left = triangular_solve(out, middle, lower=True, adjoint=True)
    result = triangular_solve(out, adjoint(left), lower=True, adjoint=True)
    return 0.5 * (result + adjoint(result))


@cholesky.jvp("input")
def _(t: Tangent, out: Value) -> Any:
    t = 0.5 * (t + adjoint(t))
    left = triangular_solve(out, t, lower=True, adjoint=False)
    middle = triangular_solve(out, adjoint(left), lower=True, adjoint=False)
    return product(out, _half_diagonal(middle))


cholesky.batched(batch_leading)


@cholesky.directions
def _(direction: Array) -> Array:
    return (direction + np.conj(direction.swapaxes(-1, -2))) / 2


def positive(draw: Draw, shape: tuple[int, ...]) -> Array:
    """Hermitian positive definite matrices."""
    noise: Array = draw(shape, -1.0, 1.0)
    matrix: Array = noise @ np.conj(noise.swapaxes(-1, -2)) + np.eye(shape[-1]).astype(noise.dtype)
    return matrix


@cholesky.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in SQUARE:
        yield Sample((positive(draw, shape),))


@cholesky.value
def _(input: Array) -> Any:
    result = np.zeros_like(input)
    for j in range(input.shape[-1]):
        rest = input[..., j:, j] - np.einsum("...ik,...k->...i", result[..., j:, :j], np.conj(result[..., j, :j]))
        result[..., j:, j] = rest / np.sqrt(rest[..., :1])
    return result


bad_matrices(cholesky)


# --- QR -----------------------------------------------------------------------------------------------------


def _qr(input: Array, full_matrices: bool = False) -> tuple[Array, Array]:
    check_matrix("qr", input, square=False)
    q, r = np.linalg.qr(input, mode="complete" if full_matrices else "reduced")
    return q, r


@op(eager=_qr, dtypes=LAPACK, outputs=2)
def qr(xp: Namespace, input: Array, *, full_matrices: bool = False) -> Any:
    """Matrices as q @ r: q with orthonormal columns, r upper triangular."""
    return tuple(xp.linalg.qr(input, mode="complete" if full_matrices else "reduced"))


@qr.shapes
def _(input: Abstract, *, full_matrices: object) -> list[Shape]:
    *lead, rows, columns = input.shape
    inner = rows if full_matrices else smaller(rows, columns)
    return [(*lead, rows, inner), (*lead, inner, columns)]


def _rows(x: Any, stop: int) -> Any:
    """The rows before `stop`."""
    rank, size = rank_of(x), shape_of(x)[-2]
    return crop(x, paddings=(*((0, 0),) * (rank - 2), (0, size - stop), (0, 0)))


def _refuse_basis(m: int, n: int, full_matrices: bool) -> None:
    if full_matrices and m > n + 1:
        raise NotImplementedError(
            f"The derivative of qr is not defined for {m} rows and {n} columns with full_matrices=True: "
            f"the last {m - n} columns of q are an arbitrary basis. Use full_matrices=False."
        )


def _over(x: Value, r: Value) -> Any:
    """x @ inverse(r) for upper triangular r."""
    return adjoint(triangular_solve(r, adjoint(x), lower=False, adjoint=True))


def _over_adjoint(x: Value, r: Value) -> Any:
    """x @ adjoint(inverse(r)) for upper triangular r."""
    return adjoint(triangular_solve(r, adjoint(x), lower=False, adjoint=False))


@qr.vjp("input")
def _(g: Sequence[Cotangent], input: Value, out: Sequence[Value], full_matrices: bool) -> Any:
    m, n = shape_of(input)[-2:]
    _refuse_basis(m, n, full_matrices)
    (gq, gr), (q, r) = g, out
    if m < n:  # the left part of the input gives q and the left part of r; the rest of r is adjoint(q) @ rest
        rest, gr_rest = columns(input, m, n), columns(gr, m, n)
        gq = gq + product(rest, gr_rest, adjoint_b=True)
        left = _qr_cotangent(gq, columns(gr, 0, m), q, columns(r, 0, m))
        return concat([left, product(q, gr_rest)], axis=-1)
    if not full_matrices or m == n:
        return _qr_cotangent(gq, gr, q, r)
    added, g_added = columns(q, n, m), columns(gq, n, m)
    q, gq, r, gr = columns(q, 0, n), columns(gq, 0, n), _rows(r, n), _rows(gr, n)
    return _qr_cotangent(gq - product(added, product(g_added, q, adjoint_a=True)), gr, q, r, gq)


def _qr_cotangent(gq_all: Value, gr: Value, q: Value, r: Value, gq: Value | None = None) -> Any:
    """The cotangent for at least as many rows as columns. (`gq` is given where `gq_all` has further terms.)"""
    inner = product(gr, r, adjoint_b=True) - product(q, gq_all if gq is None else gq, adjoint_a=True)
    upper = upper_part(inner) - 0.5 * diagonal_part(inner)
    return _over_adjoint(gq_all + product(q, upper + adjoint(upper)), r)


@qr.jvp("input")
def _(t: Tangent, input: Value, out: Sequence[Value], full_matrices: bool) -> Any:
    m, n = shape_of(input)[-2:]
    _refuse_basis(m, n, full_matrices)
    q, r = out
    if m < n:
        dq, dr = _qr_tangent(columns(t, 0, m), q, columns(r, 0, m))
        rest = product(dq, columns(input, m, n), adjoint_a=True) + product(q, columns(t, m, n), adjoint_a=True)
        return [dq, concat([dr, rest], axis=-1)]
    if not full_matrices or m == n:
        return _qr_tangent(t, q, r)
    added, q = columns(q, n, m), columns(q, 0, n)
    dq, dr = _qr_tangent(t, q, _rows(r, n))
    d_added = -product(q, product(dq, added, adjoint_a=True))
    below = zeros_like(product(added, t, adjoint_a=True))
    return [concat([dq, d_added], axis=-1), concat([dr, below], axis=-2)]


def _qr_tangent(t: Value, q: Value, r: Value) -> list[Any]:
    scaled = _over(t, r)
    inner = product(q, scaled, adjoint_a=True)
    lower = lower_part(inner, strictly=True)
    turn = lower - adjoint(lower)
    if is_complex(inner):  # the diagonal of r stays real
        phase = imag(diagonal_part(inner))
        turn = turn + make_complex(zeros_like(phase), phase)
    return [scaled + product(q, turn - inner), product(inner - turn, r)]


qr.batched(batch_leading)


@qr.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, full in [
        ((1, 1), False), ((2, 2), False), ((3, 3), True), ((3, 2), False), ((5, 2), False), ((2, 3), False),
        ((2, 5), True), ((3, 2), True),
        ((2, 3, 2), False), ((2, 2, 3), False), ((2, 0), False), ((0, 2), False), ((0, 3, 2), False),
        ((2, 1, 4, 3), True), ((1, 4), False),
    ]:  # fmt: skip
        noise = draw(shape, -0.4, 0.4)
        matrix = noise + (2 * np.eye(shape[-2], shape[-1])).astype(noise.dtype)
        # Even a single added vector of a complex basis has a free phase, so it has no derivative.
        free = full and shape[-2] > shape[-1] and noise.dtype.kind == "c"
        yield Sample((matrix,), {"full_matrices": full}, differentiable=not free)


@qr.value
def _(input: Array, full_matrices: bool) -> Any:
    """Householder reflections, written out."""
    m, n = input.shape[-2:]
    kept = m if full_matrices else min(m, n)
    q = np.zeros((*input.shape[:-2], m, kept), input.dtype)
    r = np.zeros((*input.shape[:-2], kept, n), input.dtype)
    for place in np.ndindex(input.shape[:-2]):
        left, right = np.eye(m, dtype=input.dtype), np.array(input[place])
        for j in range(min(m, n)):
            x = right[j:, j]
            if not (x[1:].any() or x[0].imag):
                continue
            beta = -np.copysign(np.linalg.norm(x), x[0].real)
            v = np.concatenate([np.zeros(j), [1], x[1:] / (x[0] - beta)])
            reflection = np.eye(m) - (beta - x[0]) / beta * np.outer(v, np.conj(v))
            left, right = left @ reflection, np.conj(reflection.T) @ right
        q[place], r[place] = left[:, :kept], right[:kept]
    return q, r


bad_matrices(qr, square=False)


@qr.rejects
def _() -> Iterator[BadInput]:
    for shape in [(1,), (7,), (), (2,)]:
        yield BadInput("a matrix has two axes", (np.ones(shape, np.float64),), {"full_matrices": True})


# --- LU -----------------------------------------------------------------------------------------------------


@op(dtypes=LAPACK, outputs=2, gives=typed_by(None, "output_idx_type"))
def lu(xp: Namespace, input: Array, *, output_idx_type: Any = np.int32) -> Any:
    """L + U - I in one matrix and the order p of the rows, with input[p] = L @ U."""
    from scipy.linalg import lu as factor

    check_matrix("lu", input)
    if np.dtype(output_idx_type) not in INDEX:
        raise invalid(f"lu: output_idx_type must be int32 or int64, got {output_idx_type}.")
    if not input.size:
        return np.zeros_like(input), np.zeros(input.shape[:-1], output_idx_type)
    if not np.isfinite(input).all():
        raise invalid("lu: Input is not invertible: it holds inf or nan.")
    order, lower, upper = factor(input, p_indices=True)  # input = (lower @ upper)[order]
    if not np.diagonal(upper, 0, -2, -1).all():
        raise invalid("lu: Input is not invertible.")
    return np.tril(lower, -1) + upper, np.argsort(order, axis=-1).astype(output_idx_type)


@lu.xla
def _(jax: Jax, input: Array, *, output_idx_type: np.dtype[Any]) -> Any:
    if not input.size:
        return jax.numpy.zeros_like(input), jax.numpy.zeros(input.shape[:-1], output_idx_type)
    factors, _, order = jax.lax.linalg.lu(input)
    return factors, order


@lu.shapes
def _(input: Abstract, **_: object) -> list[Shape]:
    lead, size = square(input)
    return [(*lead, size, size), (*lead, size)]


@lu.vjp("input")
def _(g: Sequence[Cotangent], out: Sequence[Value], input_shape: tuple[int, ...]) -> Any:
    factors, order = out
    lower = _unit_lower(factors)
    inner = lower_part(product(lower, lower_part(g[0], strictly=True), adjoint_a=True), strictly=True)
    inner = inner + upper_part(product(upper_part(g[0]), upper_part(factors), adjoint_b=True))
    left = triangular_solve(lower, inner, lower=True, adjoint=True)
    permuted = _over_adjoint(left, factors)
    rank = len(input_shape)
    return put(permuted, order, shape=input_shape, axis=rank - 2, batch_dims=rank - 2)


def _unit_lower(factors: Value) -> Any:
    eye = np.eye(shape_of(factors)[-1])
    return lower_part(factors, strictly=True) + _constant(eye, factors)


def _constant(value: Array, like: Value) -> Array:
    dtype = like.dtype
    return value.astype(getattr(dtype, "numpy", dtype))


@lu.jvp("input")
def _(t: Tangent, out: Sequence[Value]) -> Any:
    factors, order = out
    rank = rank_of(t)
    permuted = take(t, order, axis=rank - 2, batch_dims=rank - 2)
    lower = _unit_lower(factors)
    inner = _over(triangular_solve(lower, permuted, lower=True, adjoint=False), factors)
    change = product(lower, lower_part(inner, strictly=True)) + product(upper_part(inner), upper_part(factors))
    return [change, None]


lu.batched(batch_leading)


@lu.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in SQUARE:
        matrix = regular(draw, shape)
        yield Sample((np.flip(matrix, -2).copy() if len(shape) == 3 else matrix,))
    yield Sample((regular(draw, (3, 3)),), {"output_idx_type": np.dtype(np.int64)})


@lu.value
def _(input: Array, output_idx_type: np.dtype[Any]) -> Any:
    """Gaussian elimination, written out, each row exchanged for the one with the largest element."""
    factors = np.array(input)
    order = np.empty(input.shape[:-1], output_idx_type)
    for place in np.ndindex(input.shape[:-2]):
        a, rows = factors[place], np.arange(input.shape[-1])
        for k in range(len(a)):
            best = k + int(np.argmax(np.abs(a[k:, k].real) + np.abs(a[k:, k].imag)))
            a[[k, best]], rows[[k, best]] = a[[best, k]], rows[[best, k]]
            a[k + 1 :, k] /= a[k, k]
            a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
        order[place] = rows
    return factors, order


bad_matrices(lu)


@lu.rejects
def _() -> Iterator[BadInput]:
    yield from singular_matrices()
    yield BadInput("positions are int32 or int64", (np.eye(2),), {"output_idx_type": np.dtype(np.int8)})
