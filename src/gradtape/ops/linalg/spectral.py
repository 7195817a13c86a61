"""Eigenvalues and singular values of matrices in the last two axes.

Derivatives are TensorFlow's. Eigenvectors and singular vectors are defined up to their sign (complex ones:
up to their phase), and those of a repeated value only up to a rotation among each other. So derivatives of
vectors hold for functions that do not depend on that choice: 1 / (difference of values) is replaced by 0
where two values are equal, which is then exact, and the phase of complex vectors is left alone. Derivatives
of the values alone hold where they are not repeated; where they are, each of them gets one of several
possible derivatives, and symmetric functions of them (such as their sum) get the right one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...base.dtypes import Array
from ...base.errors import invalid
from ...base.sizes import smaller
from ...base.types import Cotangent, Draw, Namespace, Tangent, Value
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import batch_leading, is_complex, numpy_type, rarely, shape_of, usually
from ...op.shapes import complex_type, real_type, square, square_to_vector
from ..array.layout import concat, reshape
from ..math.complex_numbers import conj, imag, make_complex, real
from ..math.conversion import convert
from ..math.logic import equal, ones_like, select, zeros_like
from .diagonal import diagonal_matrix, diagonal_part, diagonal_vector, lower_part
from .products import adjoint, check_matrix, columns, product
from .solve import LAPACK, SQUARE, all_finite, bad_matrices, regular, solve


def _reciprocal(x: Value) -> Any:
    """1 / x with TensorFlow's broadening and its constant; 0 at 0, where it counts as constant."""
    is_zero = equal(x, zeros_like(x))
    safe = select(is_zero, ones_like(x), x)
    return select(is_zero, zeros_like(x), safe / (safe * safe + 1e-20))


def _row(x: Value) -> Any:
    return reshape(x, shape=(*shape_of(x)[:-1], 1, shape_of(x)[-1]))


def _column(x: Value) -> Any:
    return reshape(x, shape=(*shape_of(x), 1))


def _gaps(values: Value) -> Any:
    """The matrix 1 / (values[j] - values[i]), 0 on the diagonal."""
    return _reciprocal(_row(values) - _column(values))


def _like(x: Value, other: Any) -> Any:
    """`x` in the type of `other`."""
    dtype = numpy_type(other)
    return x if numpy_type(x) == dtype else convert(x, dtype=dtype)


# --- Hermitian matrices -------------------------------------------------------------------------------------

_NO_EIGENVALUES = "{}: the decomposition was not successful. The input might not be valid: it holds inf or nan."


def _eigh(tensor: Array) -> tuple[Array, Array]:
    check_matrix("eigh", tensor)
    try:
        values, vectors = np.linalg.eigh(tensor)
    except np.linalg.LinAlgError:
        raise invalid(_NO_EIGENVALUES.format("eigh")) from None
    if rarely(np.isnan(values).any()):
        raise invalid(_NO_EIGENVALUES.format("eigh"))
    return values.astype(tensor.dtype, copy=False), vectors


def _values_and_vectors(tensor: Abstract) -> list[Shape]:
    lead, size = square(tensor)
    return [(*lead, size), (*lead, size, size)]


@op(eager=_eigh, dtypes=LAPACK, outputs=2, tf_name="SelfAdjointEigV2", shape=_values_and_vectors)
def eigh(xp: Namespace, tensor: Array) -> Any:
    """Eigenvalues, ascending, and eigenvectors (columns) of Hermitian matrices; reads the lower triangle."""
    values, vectors = xp.linalg.eigh(_as_read(xp, tensor))
    return values.astype(tensor.dtype), vectors


def _as_read(xp: Namespace, tensor: Array) -> Any:
    """The Hermitian matrix whose lower triangle this is: jax would take the mean of both triangles."""
    below = xp.tril(tensor, -1)
    return below + xp.conj(xp.swapaxes(below, -1, -2)) + xp.tril(xp.triu(tensor))


def _for_lower_triangle(cotangent: Value) -> Any:
    """The cotangent of the elements that are read, from that of the whole Hermitian matrix."""
    whole = cotangent + adjoint(cotangent)
    return lower_part(whole) - 0.5 * diagonal_part(whole)


def _from_lower_triangle(tangent: Value) -> Any:
    half = lower_part(tangent) - 0.5 * diagonal_part(tangent)
    return half + adjoint(half)


@eigh.vjp("tensor")
def _(g: Sequence[Cotangent], out: Sequence[Value]) -> Any:
    (g_values, g_vectors), (values, vectors) = g, out
    inner = diagonal_matrix(g_values) + _gaps(values) * product(vectors, g_vectors, adjoint_a=True)
    return _for_lower_triangle(product(vectors, product(inner, vectors, adjoint_b=True)))


@eigh.jvp("tensor")
def _(t: Tangent, out: Sequence[Value]) -> Any:
    values, vectors = out
    inner = product(vectors, product(_from_lower_triangle(t), vectors), adjoint_a=True)
    return [diagonal_vector(inner), product(vectors, _gaps(values) * inner)]


eigh.batched(batch_leading)


@eigh.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in SQUARE:
        matrix = regular(draw, shape)
        yield Sample((matrix,), differentiable=matrix.dtype.kind != "c")


bad_matrices(eigh)


def _eigvalsh(tensor: Array) -> Array:
    check_matrix("eigvalsh", tensor)
    try:
        values = np.linalg.eigvalsh(tensor)
    except np.linalg.LinAlgError:
        raise invalid(_NO_EIGENVALUES.format("eigvalsh")) from None
    if rarely(np.isnan(values).any()):
        raise invalid(_NO_EIGENVALUES.format("eigvalsh"))
    return values.astype(tensor.dtype, copy=False)


@op(eager=_eigvalsh, dtypes=LAPACK, tf_name="SelfAdjointEigV2", shape=square_to_vector)
def eigvalsh(xp: Namespace, tensor: Array) -> Any:
    """The eigenvalues of Hermitian matrices in ascending order; reads the lower triangle.

    >>> import gradtape as tf
    >>> tf.linalg.eigvalsh([[2.0, 1.0], [1.0, 2.0]]).numpy()
    array([1., 3.], dtype=float32)
    """
    return xp.linalg.eigvalsh(_as_read(xp, tensor)).astype(tensor.dtype)


@eigvalsh.vjp("tensor")
def _(g: Cotangent, tensor: Value) -> Any:
    _, vectors = eigh(tensor)
    return _for_lower_triangle(product(vectors * _row(g), vectors, adjoint_b=True))


@eigvalsh.jvp("tensor")
def _(t: Tangent, tensor: Value) -> Any:
    _, vectors = eigh(tensor)
    return diagonal_vector(product(vectors, product(_from_lower_triangle(t), vectors), adjoint_a=True))


eigvalsh.batched(batch_leading)


@eigvalsh.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in SQUARE:
        yield Sample((regular(draw, shape),))


@eigvalsh.value
def _(tensor: Array) -> Any:
    lower = np.tril(tensor, -1)
    whole = lower + np.conj(lower.swapaxes(-1, -2)) + np.eye(tensor.shape[-1]) * tensor.real
    return np.sort(np.linalg.eigvals(whole).real, axis=-1)


bad_matrices(eigvalsh)


# --- general matrices ---------------------------------------------------------------------------------------


def _complex_type(dtype: np.dtype[Any]) -> Any:
    return np.result_type(dtype, np.complex64)


_ON_CPUS = "XLA computes eigenvalues of matrices that are not Hermitian on CPUs alone"


def _eig(tensor: Array) -> tuple[Array, Array]:
    check_matrix("eig", tensor)
    try:
        values, vectors = np.linalg.eig(tensor)
    except np.linalg.LinAlgError:
        raise invalid(_NO_EIGENVALUES.format("eig")) from None
    dtype = _complex_type(tensor.dtype)
    return values.astype(dtype, copy=False), vectors.astype(dtype, copy=False)


@op(eager=_eig, dtypes=LAPACK, outputs=2, gives=complex_type, shape=_values_and_vectors)
def eig(xp: Namespace, tensor: Array) -> Any:
    """Eigenvalues (in no order) and eigenvectors of unit length (columns) of square matrices, complex."""
    dtype = _complex_type(tensor.dtype)
    return tuple(part.astype(dtype) for part in xp.linalg.eig(tensor))


def _as_given(cotangent: Value, tensor: Any) -> Any:
    return cotangent if is_complex(tensor) else real(cotangent)


@eig.vjp("tensor")
def _(g: Sequence[Cotangent], tensor: Value, out: Sequence[Value]) -> Any:
    (g_values, g_vectors), (values, vectors) = g, out
    turned = product(vectors, g_vectors, adjoint_a=True)
    # The vectors keep unit length: what would stretch them is taken out.
    stretch = real(diagonal_vector(turned))
    gram = product(vectors, vectors, adjoint_a=True)
    inner = diagonal_matrix(g_values) + conj(_gaps(values)) * (turned - gram * _row(_like(stretch, values)))
    back = adjoint(vectors)
    return _as_given(solve(back, product(inner, back), adjoint=False), tensor)


@eig.jvp("tensor")
def _(t: Tangent, out: Sequence[Value]) -> Any:
    values, vectors = out
    inner = solve(vectors, product(_like(t, values), vectors), adjoint=False)
    turn = _gaps(values) * inner
    change = product(vectors, turn)
    stretch = real(diagonal_vector(product(vectors, change, adjoint_a=True)))
    return [diagonal_vector(inner), change - vectors * _row(_like(stretch, values))]


eig.batched(batch_leading)


@eig.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in SQUARE:
        matrix = regular(draw, shape, 0.15)
        yield Sample((matrix,), differentiable=matrix.dtype.kind != "c")


bad_matrices(eig)
eig.host_only(_ON_CPUS)


def _eigvals(tensor: Array) -> Array:
    check_matrix("eigvals", tensor)
    # Above this size LAPACK's order depends on whether it computes vectors, as it does in the rules below.
    if tensor.shape[-1] > 75:
        return _eig(tensor)[0]
    try:
        return np.linalg.eigvals(tensor).astype(_complex_type(tensor.dtype), copy=False)
    except np.linalg.LinAlgError:
        raise invalid(_NO_EIGENVALUES.format("eigvals")) from None


@op(eager=_eigvals, dtypes=LAPACK, tf_name="Eig", gives=complex_type, shape=square_to_vector)
def eigvals(xp: Namespace, tensor: Array) -> Any:
    """The eigenvalues of square matrices, in no order: complex numbers.

    >>> import gradtape as tf
    >>> tf.linalg.eigvals([[0.0, -1.0], [1.0, 0.0]]).numpy()
    array([0.+1.j, 0.-1.j], dtype=complex64)
    """
    return xp.linalg.eigvals(tensor).astype(_complex_type(tensor.dtype))


@eigvals.vjp("tensor")
def _(g: Cotangent, tensor: Value) -> Any:
    back = adjoint(eig(tensor)[1])
    return _as_given(solve(back, _column(g) * back, adjoint=False), tensor)


@eigvals.jvp("tensor")
def _(t: Tangent, tensor: Value) -> Any:
    vectors = eig(tensor)[1]
    return diagonal_vector(solve(vectors, product(_like(t, vectors), vectors), adjoint=False))


eigvals.batched(batch_leading)


@eigvals.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in SQUARE:
        yield Sample((regular(draw, shape),))
    yield Sample((draw((4, 4)),))


bad_matrices(eigvals)
eigvals.host_only(_ON_CPUS)


# --- singular values ----------------------------------------------------------------------------------------


def _svd(tensor: Array, full_matrices: bool = False) -> tuple[Array, Array, Array]:
    check_matrix("svd", tensor, square=False)
    finite = all_finite(tensor)
    is_spoiled = rarely(np.logical_not(finite.all()))
    if is_spoiled:  # LAPACK would refuse; TensorFlow gives nan, for that matrix alone
        tensor = np.where(finite, tensor, np.zeros((), tensor.dtype))
    u, s, v = np.linalg.svd(tensor, full_matrices=full_matrices)
    v = np.conj(v.swapaxes(-1, -2))
    if is_spoiled:
        u, v = (np.where(finite, part, np.asarray(np.nan, part.dtype)) for part in (u, v))
        s = np.where(finite[..., 0], s, np.asarray(np.nan, s.dtype))
    return s, u, v


@op(eager=_svd, dtypes=LAPACK, outputs=3, gives=lambda tensor, **_: [real_type(tensor), None, None])
def svd(xp: Namespace, tensor: Array, *, full_matrices: bool = False) -> Any:
    """Singular values s in descending order, and u and v, with tensor = u @ diag(s) @ adjoint(v)."""
    u, s, v = xp.linalg.svd(tensor, full_matrices=full_matrices)
    return s, u, xp.conj(xp.swapaxes(v, -1, -2))


@svd.shapes
def _(tensor: Abstract, *, full_matrices: Any) -> list[Shape]:
    *lead, rows, columns = tensor.shape
    count = smaller(rows, columns)
    left, right = (rows, columns) if full_matrices else (count, count)
    return [(*lead, count), (*lead, rows, left), (*lead, columns, right)]


def _refuse_basis(m: int, n: int, full_matrices: bool) -> None:
    if full_matrices and abs(m - n) > 1:
        raise NotImplementedError(
            f"The derivative of svd is not defined for {m} rows and {n} columns with full_matrices=True: "
            f"the last {abs(m - n)} vectors are an arbitrary basis. Use full_matrices=False."
        )


def _phase(inner: Value, s: Value) -> Any:
    """i * Im(diagonal of `inner`) / s."""
    turn = imag(diagonal_vector(inner)) * _reciprocal(real(s))
    return make_complex(zeros_like(turn), turn)


@svd.vjp("tensor")
def _(g: Sequence[Cotangent], tensor: Value, out: Sequence[Value], full_matrices: bool) -> Any:
    m, n = shape_of(tensor)[-2:]
    _refuse_basis(m, n, full_matrices)
    k = min(m, n)
    (gs, gu, gv), (s, u, v) = g, out
    s, gs = _like(s, tensor), _like(gs, tensor)
    u1, v1, gu1, gv1 = (columns(x, 0, k) for x in (u, v, gu, gv))
    gaps = _gaps(s * s)
    inner_u, inner_v = product(u1, gu1, adjoint_a=True), product(v1, gv1, adjoint_a=True)
    turn_u, turn_v = gaps * inner_u, gaps * inner_v
    inner = diagonal_matrix(gs) + (turn_u + adjoint(turn_u)) * _row(s) + _column(s) * (turn_v + adjoint(turn_v))
    if is_complex(tensor):  # the free phases are those of the longer vectors, as in TensorFlow
        turn = -_phase(inner_v, s) if m <= n else _phase(inner_u, s)
        inner = inner + diagonal_matrix(turn)
    result = product(u1, product(inner, v1, adjoint_b=True))
    inverse = _row(_reciprocal(s))
    if m > n:
        outside = gu1 - product(u1, inner_u)
        if full_matrices:
            outside = outside - product(columns(u, k, m), product(columns(gu, k, m), u1, adjoint_a=True))
        result = result + product(outside * inverse, v1, adjoint_b=True)
    elif m < n:
        outside = gv1 - product(v1, inner_v)
        if full_matrices:
            outside = outside - product(columns(v, k, n), product(columns(gv, k, n), v1, adjoint_a=True))
        result = result + product(u1 * inverse, outside, adjoint_b=True)
    return result


@svd.jvp("tensor")
def _(t: Tangent, tensor: Value, out: Sequence[Value], full_matrices: bool) -> Any:
    m, n = shape_of(tensor)[-2:]
    _refuse_basis(m, n, full_matrices)
    k = min(m, n)
    values, u, v = out
    s = _like(values, tensor)
    u1, v1 = columns(u, 0, k), columns(v, 0, k)
    inner = product(u1, product(t, v1), adjoint_a=True)
    gaps, turned = _gaps(s * s), adjoint(inner)
    ds = diagonal_vector(inner)
    du = product(u1, gaps * (inner * _row(s) + _column(s) * turned))
    dv = product(v1, gaps * (_column(s) * inner + turned * _row(s)))
    if is_complex(tensor):
        ds = real(ds)
        if m <= n:
            dv = dv - v1 * _row(_phase(inner, s))
        else:
            du = du + u1 * _row(_phase(inner, s))
    inverse = _row(_reciprocal(s))
    if m > n:
        along = product(t, v1) * inverse
        outside = along - product(u1, product(u1, along, adjoint_a=True))
        du = du + outside
        if full_matrices:
            du = concat([du, -product(u1, product(outside, columns(u, k, m), adjoint_a=True))], axis=-1)
    elif m < n:
        along = product(t, u1, adjoint_a=True) * inverse
        outside = along - product(v1, product(v1, along, adjoint_a=True))
        dv = dv + outside
        if full_matrices:
            dv = concat([dv, -product(v1, product(outside, columns(v, k, n), adjoint_a=True))], axis=-1)
    return [ds, du, dv]


svd.batched(batch_leading)

_SHAPES: list[tuple[int, ...]] = [
    (1, 1), (2, 2), (3, 3), (3, 2), (2, 3), (5, 2), (2, 5), (2, 3, 2), (2, 2, 3), (0, 2), (2, 0), (0, 3, 2),
    (2, 1, 3, 3), (1, 4), (4, 1),
]  # fmt: skip


def _rectangular(draw: Draw, shape: tuple[int, ...]) -> Array:
    matrix: Array = np.array(draw(shape, -0.3, 0.3))
    for i in range(min(shape[-2:])):
        matrix[..., i, i] += i + 1
    return matrix


@svd.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in _SHAPES:
        matrix = _rectangular(draw, shape)
        yield Sample((matrix,), {"full_matrices": False}, differentiable=matrix.dtype.kind != "c")
    for shape in [(2, 2), (3, 2), (2, 3), (2, 4, 3)]:
        matrix = _rectangular(draw, shape)
        yield Sample((matrix,), {"full_matrices": True}, differentiable=matrix.dtype.kind != "c")


def _reject_rectangular(function: Op) -> None:
    bad_matrices(function, square=False)

    @function.rejects
    def _() -> Iterator[BadInput]:
        for shape in [(1,), (7,), (), (2,)]:
            yield BadInput("a matrix has two axes", (np.ones(shape, np.float64),))


_reject_rectangular(svd)


def _singular_values(tensor: Array) -> Array:
    check_matrix("svd", tensor, square=False)
    if usually(all_finite(tensor).all()):
        return np.linalg.svd(tensor, compute_uv=False)
    return _svd(tensor)[0]


@op(eager=_singular_values, dtypes=LAPACK, tf_name="Svd", gives=real_type, called="svd")
def singular_values(xp: Namespace, tensor: Array) -> Any:
    """The singular values of matrices in descending order."""
    return xp.linalg.svd(tensor, compute_uv=False)


@singular_values.shapes
def _(tensor: Abstract) -> Shape:
    *lead, rows, columns = tensor.shape
    return (*lead, smaller(rows, columns))


@singular_values.vjp("tensor")
def _(g: Cotangent, tensor: Value) -> Any:
    _, u, v = svd(tensor, full_matrices=False)
    return product(u * _row(_like(g, tensor)), v, adjoint_b=True)


@singular_values.jvp("tensor")
def _(t: Tangent, tensor: Value) -> Any:
    _, u, v = svd(tensor, full_matrices=False)
    change = diagonal_vector(product(u, product(t, v), adjoint_a=True))
    return real(change) if is_complex(change) else change


singular_values.batched(batch_leading)


@singular_values.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in _SHAPES:
        yield Sample((_rectangular(draw, shape),))


@singular_values.value
def _(tensor: Array) -> Any:
    flipped = np.conj(tensor.swapaxes(-1, -2))
    gram = flipped @ tensor if tensor.shape[-1] <= tensor.shape[-2] else tensor @ flipped
    return np.sqrt(np.linalg.eigvalsh(gram))[..., ::-1]


_reject_rectangular(singular_values)
