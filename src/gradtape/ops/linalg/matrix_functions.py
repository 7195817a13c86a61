"""Functions of square matrices: determinants, exponential, logarithm, square root, whole powers; and the
pseudo-inverse.

The derivative of a matrix function f at A along T is the upper right block of f([[A, T], [0, A]]).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...base.dtypes import COMPLEX, FLOATING, NARROW_FLOATS, Array
from ...base.errors import invalid, unfit
from ...base.types import Cotangent, Draw, Jax, Namespace, Tangent, Value
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import all_batched, batch_leading, insert_axes, is_complex, rank_of, shape_of
from ...op.shapes import square_like, square_to_number
from ..array.borders import crop
from ..array.layout import concat, reshape
from ..math.complex_numbers import conj, imag, make_complex, real
from ..math.logic import zeros_like
from ..math.reduce import reduce_sum
from .products import adjoint, check_matrix, conjugated, product, transposed
from .solve import LAPACK, SQUARE, all_finite, bad_matrices, each_matrix, inv, regular, sylvester, trsm


def _over_matrices(numbers: Value) -> Any:
    """One number for each matrix, with two axes of size one so that it multiplies the matrix."""
    return reshape(numbers, shape=(*shape_of(numbers), 1, 1))


def _total(x: Value) -> Any:
    """The sum of the elements of each matrix."""
    return reduce_sum(x, axis=(-2, -1), keepdims=False)


# --- determinants -------------------------------------------------------------------------------------------


def _det(input: Array) -> Array:
    check_matrix("det", input)
    with np.errstate(all="ignore"):
        result: Array = np.linalg.det(input)
    return result


@op(eager=_det, dtypes=LAPACK, tf_name="MatrixDeterminant", shape=square_to_number)
def det(xp: Namespace, input: Array) -> Any:
    """The determinant of each square matrix.

    >>> import gradtape as tf
    >>> tf.linalg.det([[3.0, 1.0], [1.0, 2.0]]).numpy()
    np.float32(5.0)

    Of large matrices it overflows: `tf.linalg.slogdet` gives its sign and logarithm.

    Args:
        input: Square matrices of floating or complex numbers in the last two axes.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor without these axes: one number for each matrix.

    Raises:
        tf.errors.InvalidArgumentError: The matrices are not square.
    """
    return xp.linalg.det(input)


@det.vjp("input")
def _(g: Cotangent, input: Value) -> Any:
    return _over_matrices(g) * conjugated(cofactors(input))


@det.jvp("input")
def _(t: Tangent, input: Value) -> Any:
    return _total(cofactors(input) * t)


det.batched(batch_leading)


@det.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in SQUARE:
        yield Sample((regular(draw, shape),))


@det.value
def _(input: Array) -> Any:
    """Leibniz's sum over permutations."""
    from itertools import permutations

    n = input.shape[-1]
    total = np.zeros(input.shape[:-2], input.dtype)
    for order in permutations(range(n)):
        sign = (-1) ** sum(a > b for i, a in enumerate(order) for b in order[i + 1 :])
        total = total + sign * np.prod([input[..., i, order[i]] for i in range(n)], axis=0)
    return total


bad_matrices(det)


def _cofactors(input: Array) -> Array:
    check_matrix("cofactors", input)
    try:
        with np.errstate(all="ignore"):
            result: Array = np.linalg.det(input)[..., None, None] * np.linalg.inv(input).swapaxes(-1, -2)
        if np.isfinite(result).all():
            return result
    except np.linalg.LinAlgError:
        pass
    return _cofactors_by_svd(input)


def _cofactors_by_svd(input: Array) -> Array:
    """Also for singular matrices: for u s v^H the cofactors are det(u v^H) conj(u) cofactors(s) v^T."""
    if not np.isfinite(input).all():
        return np.full_like(input, np.nan)
    u, s, v = np.linalg.svd(input)
    n = input.shape[-1]
    others = np.multiply.reduce(np.where(np.eye(n, dtype=bool), np.ones((), s.dtype), s[..., None, :]), axis=-1)
    result: Array = np.linalg.det(u @ v)[..., None, None] * (np.conj(u * others[..., None, :]) @ np.conj(v))
    return result


@op(eager=_cofactors, dtypes=LAPACK, shape=square_like)
def cofactors(xp: Namespace, input: Array) -> Any:
    """The derivative of the determinant with respect to each element; it exists for singular matrices too."""
    return xp.linalg.det(input)[..., None, None] * xp.swapaxes(xp.linalg.inv(input), -1, -2)


@cofactors.vjp("input")
def _(g: Cotangent, input: Value, out: Value) -> Any:
    inverse, c = conjugated(transposed(inv(input, adjoint=False))), conjugated(out)
    return _over_matrices(_total(g * c)) * inverse - product(c, product(transposed(g), inverse))


@cofactors.jvp("input")
def _(t: Tangent, input: Value, out: Value) -> Any:
    inverse = transposed(inv(input, adjoint=False))
    return _over_matrices(_total(inverse * t)) * out - product(inverse, product(transposed(t), out))


cofactors.batched(batch_leading)


@cofactors.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in SQUARE:
        yield Sample((regular(draw, shape),))


@cofactors.value
def _(input: Array) -> Any:
    n = input.shape[-1]
    result = np.zeros_like(input)
    for i in range(n):
        for j in range(n):
            minor = np.delete(np.delete(input, i, -2), j, -1)
            result[..., i, j] = (-1) ** (i + j) * np.linalg.det(minor)
    return result


bad_matrices(cofactors)


def _slogdet(input: Array) -> tuple[Array, Array]:
    check_matrix("slogdet", input)
    with np.errstate(all="ignore"):
        sign, size = np.linalg.slogdet(input)
    sign = np.where(np.isnan(size), sign.dtype.type(np.nan), sign)  # LAPACK gives 1 or -1 there
    return sign, size.astype(input.dtype, copy=False)


@op(eager=_slogdet, dtypes=LAPACK, outputs=2, tf_name="LogMatrixDeterminant", shape=square_to_number)
def slogdet(xp: Namespace, input: Array) -> Any:
    """The sign (complex: the phase) of the determinant, and the logarithm of its absolute value."""
    sign, size = xp.linalg.slogdet(input)
    return sign, size.astype(input.dtype)


@slogdet.vjp("input")
def _(g: Sequence[Cotangent], input: Value, out: Any) -> Any:
    g_sign, g_size = g
    if is_complex(input):
        # d log det = tr(A^-1 dA): its real part moves the size, its imaginary part turns the phase.
        g_size = make_complex(real(g_size), -imag(conj(g_sign) * out[0]))
    return _over_matrices(g_size) * inv(input, adjoint=True)


@slogdet.jvp("input")
def _(t: Tangent, input: Value, out: Sequence[Value]) -> Any:
    change = _total(transposed(inv(input, adjoint=False)) * t)
    if not is_complex(input):
        return [zeros_like(change), change]
    size, turn = real(change), imag(change)
    return [out[0] * make_complex(zeros_like(turn), turn), make_complex(size, zeros_like(size))]


slogdet.batched(batch_leading)


@slogdet.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in SQUARE:
        yield Sample((np.flip(regular(draw, shape), -1).copy(),))


@slogdet.value
def _(input: Array) -> Any:
    determinant = np.linalg.det(input)
    return determinant / np.abs(determinant), np.log(np.abs(determinant))


bad_matrices(slogdet)


# --- exponential, logarithm ---------------------------------------------------------------------------------


def _frechet(function: Op, matrix: Value, direction: Value) -> Any:
    """The derivative of a matrix function at `matrix` along `direction`."""
    n, rank = shape_of(matrix)[-1], rank_of(matrix)
    upper = concat([matrix, direction], axis=-1)
    lower = concat([zeros_like(matrix), matrix], axis=-1)
    result = function(concat([upper, lower], axis=-2))
    return crop(result, paddings=(*((0, 0),) * (rank - 2), (0, n), (n, 0)))


def _differentiated(function: Op) -> None:
    """Both rules of a matrix function, from its own value on block matrices."""

    @function.vjp("input")
    def _(g: Cotangent, input: Value) -> Any:
        return _frechet(function, adjoint(input), g)

    @function.jvp("input")
    def _(t: Tangent, input: Value) -> Any:
        return _frechet(function, input, t)

    function.batched(batch_leading)
    bad_matrices(function)


@op(dtypes=LAPACK, tf_name="MatrixExponential", shape=square_like)
def expm(xp: Namespace, input: Array) -> Any:
    """The exponential of square matrices.

    >>> import gradtape as tf
    >>> tf.linalg.expm([[0.0, 1.0], [0.0, 0.0]]).numpy()
    array([[1., 1.],
           [0., 1.]], dtype=float32)
    """
    from scipy.linalg import expm as exponential

    check_matrix("expm", input)
    with np.errstate(all="ignore"):
        result: Array = exponential(input)
    finite = all_finite(input)
    return result if finite.all() else np.where(finite, result, np.asarray(np.nan, input.dtype))


@expm.xla
def _(jax: Jax, input: Array) -> Any:
    return jax.scipy.linalg.expm(input, max_squarings=64) if input.size else input


_differentiated(expm)


@expm.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in SQUARE:
        yield Sample((draw(shape, -1.0, 1.0),))


@expm.value
def _(input: Array) -> Any:
    """The series, after halving ten times."""
    x = input / 1024
    term = total = np.broadcast_to(np.eye(input.shape[-1]), input.shape)
    for k in range(1, 20):
        term = term @ x / k
        total = total + term
    for _ in range(10):
        total = total @ total
    return total


def _logm_of_one(matrix: Array) -> Array:
    from scipy.linalg import logm as logarithm
    from scipy.linalg import schur

    if not np.isfinite(matrix).all():
        return np.full_like(matrix, np.nan)
    triangle, vectors = schur(matrix, output="complex")
    if not np.diagonal(triangle).all():  # exactly singular: no logarithm
        return np.full_like(matrix, np.nan)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SciPy's warn that a nearly singular matrix loses digits
        result: Array = vectors @ logarithm(triangle) @ np.conj(vectors.T)
    return result.astype(matrix.dtype)


@op(dtypes=COMPLEX, tf_name="MatrixLogarithm", shape=square_like)
def logm(xp: Namespace, input: Array) -> Any:
    """The principal logarithm of complex square matrices: expm(logm(x)) = x. A singular matrix gives nan.

    >>> import gradtape as tf
    >>> tf.linalg.logm(tf.cast([[1.0, 0.0], [0.0, 1.0]], tf.complex64)).numpy()
    array([[0.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]], dtype=complex64)
    """
    check_matrix("logm", input)
    return each_matrix(_logm_of_one, input) if input.size else np.zeros_like(input)


_differentiated(logm)
logm.host_only("XLA has no Schur decomposition")


@logm.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in SQUARE:
        matrix = regular(draw, shape)
        yield Sample((matrix if matrix.dtype.kind == "c" else matrix.astype(np.complex128),))


@logm.value
def _(input: Array) -> Any:
    values, vectors = np.linalg.eig(input)
    return vectors * np.log(values)[..., None, :] @ np.linalg.inv(vectors)


# --- square root --------------------------------------------------------------------------------------------


def _sqrtm_of_one(matrix: Array) -> Array:
    """By Björck and Hammarling: the root of the (complex) Schur factor, column by column.

    (SciPy's own prints or warns for singular matrices, depending on its version.)
    """
    from scipy.linalg import rsf2csf, schur

    if not np.isfinite(matrix).all():
        return np.full_like(matrix, np.nan)
    triangle, vectors = (
        schur(matrix, output="complex") if matrix.dtype.kind == "c" else rsf2csf(*schur(matrix, output="real"))
    )
    n = len(matrix)
    root = np.diag(np.sqrt(np.diagonal(triangle)))
    for j in range(1, n):
        column = triangle[:j, j : j + 1]
        if column.any():
            root[:j, j : j + 1] = trsm(root[:j, :j] + root[j, j] * np.eye(j, dtype=root.dtype), column, lower=False)
    with np.errstate(all="ignore"):
        result: Array = vectors @ root @ np.conj(vectors.T)
    if matrix.dtype.kind == "c":
        return result.astype(matrix.dtype)
    scale = np.abs(result).max()
    if not np.abs(result.imag).max() <= 100 * n * np.finfo(result.dtype).eps * scale:
        return np.full_like(matrix, np.nan)  # a real matrix with a negative eigenvalue has no real root
    return result.real.astype(matrix.dtype)


@op(dtypes=LAPACK, tf_name="MatrixSquareRoot", shape=square_like)
def sqrtm(xp: Namespace, input: Array) -> Any:
    """The principal square root of square matrices; nan for a real matrix that has no real one.

    >>> import gradtape as tf
    >>> tf.linalg.sqrtm([[4.0, 0.0], [0.0, 9.0]]).numpy()
    array([[2., 0.],
           [0., 3.]], dtype=float32)
    """
    check_matrix("sqrtm", input)
    return each_matrix(_sqrtm_of_one, input) if input.size else np.zeros_like(input)


@sqrtm.vjp("input")
def _(g: Cotangent, out: Value) -> Any:
    root = adjoint(out)
    return sylvester(root, root, g)


@sqrtm.jvp("input")
def _(t: Tangent, out: Value) -> Any:
    return sylvester(out, out, t)


sqrtm.batched(batch_leading)


@sqrtm.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in SQUARE:
        yield Sample((regular(draw, shape),))


@sqrtm.value
def _(input: Array) -> Any:
    """Newton's iteration of Denman and Beavers."""
    y, z = input, np.broadcast_to(np.eye(input.shape[-1]), input.shape)
    for _ in range(40):
        y, z = (y + np.linalg.inv(z)) / 2, (z + np.linalg.inv(y)) / 2
    return y


bad_matrices(sqrtm)
sqrtm.host_only("XLA has no Schur decomposition")


# --- pseudo-inverse -----------------------------------------------------------------------------------------


def _pinv(a: Array, rcond: Array) -> Array:
    check_matrix("pinv", a, square=False)
    finite = all_finite(a)
    if not finite.all():
        a = np.where(finite, a, np.zeros((), a.dtype))
    try:
        limit = np.broadcast_to(rcond, a.shape[:-2])[..., None]
    except ValueError:
        raise unfit(
            f"pinv: rcond must fit the leading axes of a, {a.shape[:-2]}, got shape {np.shape(rcond)}."
        ) from None
    u, s, v = np.linalg.svd(a, full_matrices=False)
    large = s > limit * s.max(axis=-1, keepdims=True, initial=0)
    with np.errstate(divide="ignore"):
        inverse = np.where(large, 1 / s, np.zeros((), s.dtype))
    result: Array = np.conj(v.swapaxes(-1, -2)) * inverse[..., None, :] @ np.conj(u.swapaxes(-1, -2))
    if not finite.all():
        result = np.where(finite, result, np.asarray(np.nan, a.dtype))
    return result.astype(a.dtype, copy=False)


@op(dtypes=LAPACK, eager=_pinv, other={"rcond": FLOATING - NARROW_FLOATS})
def pinv(xp: Namespace, a: Array, rcond: Array) -> Any:
    """The Moore-Penrose pseudo-inverse; singular values up to `rcond` times the largest count as zero."""
    return xp.linalg.pinv(a, rcond)


@pinv.shapes
def _(a: Abstract, rcond: Abstract) -> Shape:
    *lead, rows, columns = a.shape
    return (*lead, columns, rows)


def _of_three(x: Any, y: Any, z: Any) -> Any:
    """x @ y @ z, by the smaller intermediate product: a tall matrix needs no (rows, rows) array."""
    if shape_of(x)[-2] * shape_of(y)[-1] <= shape_of(y)[-2] * shape_of(z)[-1]:
        return product(product(x, y), z)
    return product(x, product(y, z))


@pinv.vjp("a")
def _(g: Cotangent, a: Value, out: Value) -> Any:
    # Golub and Pereyra's formula, for changes that keep the rank.
    flipped = adjoint(out)
    first = _of_three(flipped, g, flipped)
    outside = _of_three(adjoint(g), out, flipped)
    outside = outside - _of_three(a, out, outside)
    inside = _of_three(flipped, out, adjoint(g))
    inside = inside - _of_three(inside, out, a)
    return outside + inside - first


@pinv.jvp("a")
def _(t: Tangent, a: Value, out: Value) -> Any:
    flipped = adjoint(out)
    first = _of_three(out, t, out)
    outside = _of_three(out, flipped, adjoint(t))
    outside = outside - _of_three(outside, a, out)
    inside = _of_three(adjoint(t), flipped, out)
    inside = inside - _of_three(out, a, inside)
    return outside + inside - first


@pinv.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    if not is_batched[1]:
        return op(*args)
    _, (a, rcond) = all_batched(is_batched, args)
    return op(a, insert_axes(rcond, rank_of(a) - 3))


@pinv.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in [
        (1, 1), (2, 2), (3, 3), (3, 2), (2, 3), (5, 2), (2, 5), (2, 3, 2), (2, 2, 3), (0, 2), (2, 0),
        (0, 3, 2), (2, 1, 3, 3),
    ]:  # fmt: skip
        noise = draw(shape, -0.4, 0.4)
        matrix = noise + (2 * np.eye(shape[-2], shape[-1])).astype(noise.dtype)
        yield Sample((matrix, np.asarray(1e-6, matrix.real.dtype)))
    thin = draw((4, 2), 0.5, 2.0)
    yield Sample((thin @ draw((2, 3), 0.5, 2.0), np.asarray(1e-3, thin.real.dtype)), differentiable=False)
    yield Sample((regular(draw, (2, 2, 2)), np.asarray([0.9, 1e-6], thin.real.dtype)), differentiable=False)


@pinv.value
def _(a: Array, rcond: Array) -> Any:
    places = np.ndindex(a.shape[:-2])
    limits = np.broadcast_to(rcond, a.shape[:-2])
    result = np.zeros((*a.shape[:-2], a.shape[-1], a.shape[-2]), a.dtype)
    for place in places:
        result[place] = np.linalg.pinv(a[place], rtol=limits[place])
    return result


@pinv.rejects
def _() -> Iterator[BadInput]:
    limit = np.float32(1e-6)
    for shape in [(), (3,), (0,), (1,)]:
        yield BadInput("a matrix has two axes", (np.ones(shape, np.float32), limit))
    for limits in [(2,), (3, 1)]:
        yield BadInput("one limit for each matrix", (np.ones((3, 2, 2), np.float32), np.ones(limits, np.float32)))
    for kind in ("int32", "bool", "float16"):
        yield BadInput("a matrix of real or complex numbers", (np.ones((2, 2), kind), limit))
    for kind in ("int32", "complex64"):
        yield BadInput("limits are real numbers", (np.ones((2, 2), np.float32), np.ones((), kind)))


# --- powers of matrices -------------------------------------------------------------------------------------


def _matrix_power(a: Array, n: int) -> Array:
    check_matrix("matrix_power", a)
    if n < 0:
        raise invalid(f"matrix_power: the exponent cannot be negative, got {n}. Take the power of tf.linalg.inv(a).")
    return np.linalg.matrix_power(a, n)


@op(eager=_matrix_power, dtypes=LAPACK, shape=square_like)
def matrix_power(xp: Namespace, a: Array, *, n: int) -> Any:
    """Square matrices multiplied by themselves, n times."""
    return xp.linalg.matrix_power(a, n)


def _power_derivative(a: Value, t: Value, n: int) -> Any:
    """The sum of a^k t a^(n - 1 - k), by doubling: three times as many products as the power itself takes."""
    power: Any = None
    change: Any = None
    square, slope = a, t
    while n:
        if n & 1:
            if power is None:
                power, change = square, slope
            else:
                power, change = product(power, square), product(change, square) + product(power, slope)
        n >>= 1
        if n:
            square, slope = product(square, square), product(slope, square) + product(square, slope)
    return zeros_like(t) if change is None else change


@matrix_power.vjp("a")
def _(g: Cotangent, a: Value, n: int) -> Any:
    return _power_derivative(adjoint(a), g, n)


@matrix_power.jvp("a")
def _(t: Tangent, a: Value, n: int) -> Any:
    return _power_derivative(a, t, n)


matrix_power.batching = batch_leading


@matrix_power.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, n in [
        ((2, 2), 0), ((2, 2), 1), ((2, 2), 2), ((3, 3), 3), ((1, 1), 5), ((2, 2, 2), 4), ((0, 2, 2), 3), ((3, 3), 7), ((2, 1, 2, 2), 2), ((4, 4), 3),
        ((0, 0), 2), ((2, 2), 6),
    ]:  # fmt: skip
        yield Sample((draw(shape, -0.8, 0.8),), {"n": n})


@matrix_power.value
def _(a: Array, n: int) -> Any:
    result = np.broadcast_to(np.eye(a.shape[-1]), a.shape)
    for _ in range(n):
        result = np.einsum("...ij,...jk->...ik", result, a)
    return result


@matrix_power.rejects
def _() -> Iterator[BadInput]:
    for n in (-1, -3):
        yield BadInput("an exponent", (np.ones((2, 2), np.float32),), {"n": n})


bad_matrices(matrix_power)
