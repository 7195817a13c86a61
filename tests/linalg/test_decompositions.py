"""Decompositions: what they promise, where they are not unique, what becomes of unsuitable matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradtape as tf

RNG = np.random.default_rng(11)


def random(*shape: int, kind: str = "real") -> Any:
    values = RNG.standard_normal(shape)
    return values + 1j * RNG.standard_normal(shape) if kind == "complex" else values


def hermitian(*shape: int, kind: str = "real") -> Any:
    x = random(*shape, kind=kind)
    return x + np.conj(x.swapaxes(-1, -2))


def adjoint(x: Any) -> Any:
    return np.conj(np.swapaxes(x, -1, -2))


def check_gradient(function: Callable[..., Any], *values: Any, tolerance: float = 1e-6) -> None:
    theoretical, numerical = tf.test.compute_gradient(function, [tf.constant(v) for v in values], delta=1e-5)
    for a, b in zip(theoretical, numerical, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=tolerance)


both_kinds = pytest.mark.parametrize("kind", ["real", "complex"])


@both_kinds
@pytest.mark.parametrize("shape", [(3, 3), (2, 4, 3), (2, 3, 4), (5, 1)])
@pytest.mark.parametrize("full", [False, True])
def test_svd_rebuilds_the_matrix(shape: tuple[int, ...], full: bool, kind: str) -> None:
    x = random(*shape, kind=kind)
    s, u, v = tf.linalg.svd(x, full_matrices=full)
    k = min(shape[-2:])
    rebuilt = (u.numpy()[..., :k] * s.numpy()[..., None, :]) @ adjoint(v.numpy()[..., :k])
    np.testing.assert_allclose(rebuilt, x, atol=1e-10)
    for q in (u.numpy(), v.numpy()):
        np.testing.assert_allclose(
            adjoint(q) @ q, np.broadcast_to(np.eye(q.shape[-1]), (*shape[:-2], *q.shape[-1:] * 2)), atol=1e-10
        )
    assert s.dtype == tf.float64
    assert u.shape[-1] == (shape[-2] if full else k)
    np.testing.assert_allclose(tf.linalg.svd(x, compute_uv=False), s)


@both_kinds
def test_eigh_rebuilds_the_matrix_from_its_lower_triangle(kind: str) -> None:
    x = hermitian(2, 4, 4, kind=kind)
    e, v = tf.linalg.eigh(np.tril(x) + np.triu(random(4, 4), 1))
    np.testing.assert_allclose((v.numpy() * e.numpy()[..., None, :]) @ adjoint(v.numpy()), x, atol=1e-10)
    assert e.dtype == v.dtype  # complex eigenvalues of a complex matrix, as TensorFlow has it
    assert (np.diff(e.numpy().real) >= 0).all()
    np.testing.assert_allclose(tf.linalg.eigvalsh(x), e, atol=1e-12)
    assert tf.linalg.self_adjoint_eig is tf.linalg.eigh


@both_kinds
def test_eig_gives_complex_eigenvectors_of_unit_length(kind: str) -> None:
    x = random(2, 4, 4, kind=kind)
    e, v = tf.linalg.eig(x)
    assert e.dtype == v.dtype == tf.complex128
    np.testing.assert_allclose(x @ v.numpy(), v.numpy() * e.numpy()[..., None, :], atol=1e-10)
    np.testing.assert_allclose(np.linalg.norm(v.numpy(), axis=-2), 1)
    assert (
        tf.linalg.eigvals(tf.constant(x, tf.complex64) if kind == "complex" else tf.constant(x, tf.float32)).dtype
        == tf.complex64
    )


@pytest.mark.parametrize("size", [20, 120])
def test_the_gradient_of_one_eigenvalue_belongs_to_that_eigenvalue(size: int) -> None:
    # For large matrices LAPACK orders eigenvalues differently when no vectors are asked for.
    x = tf.constant(random(size, size))
    with tf.GradientTape() as tape:
        tape.watch(x)
        values = tf.linalg.eigvals(x)
        chosen = tf.math.real(values[3])
    gradient = tape.gradient(chosen, x).numpy()
    lefts = np.linalg.inv(tf.linalg.eig(x)[1].numpy())
    e, v = (part.numpy() for part in tf.linalg.eig(x))
    position = int(np.argmin(np.abs(e - values.numpy()[3])))
    expected = np.real(np.outer(np.conj(lefts[position]), np.conj(v[:, position])))
    np.testing.assert_allclose(gradient, expected, atol=1e-8)


# --- derivatives where vectors are free to turn: functions that do not depend on the choice -----------------


@both_kinds
@pytest.mark.parametrize("shape", [(3, 3), (4, 3), (3, 4)])
def test_svd_gradient_of_functions_that_do_not_depend_on_the_phase(shape: tuple[int, int], kind: str) -> None:
    def smoothed(x: Any) -> Any:
        s, u, v = tf.linalg.svd(x)
        return tf.matmul(u * tf.cast(tf.exp(-s), u.dtype)[..., None, :], v, adjoint_b=True)

    def projected(x: Any) -> Any:
        _, u, v = tf.linalg.svd(x, full_matrices=True)
        k = min(shape)
        weights = tf.cast(tf.range(1, k + 1), u.dtype)
        return tf.matmul(u[..., :k] * weights, u[..., :k], adjoint_b=True) @ tf.ones_like(u), tf.matmul(
            v[..., :k] * weights, v[..., :k], adjoint_b=True
        )

    x = random(*shape, kind=kind)
    check_gradient(smoothed, x)
    check_gradient(lambda x: projected(x)[0], x)
    check_gradient(lambda x: projected(x)[1], x)


@both_kinds
def test_eigh_gradient_of_a_matrix_function(kind: str) -> None:
    def exponential(x: Any) -> Any:
        e, v = tf.linalg.eigh(x + tf.linalg.adjoint(x))
        return tf.matmul(v * tf.exp(e)[..., None, :], v, adjoint_b=True)

    x = random(3, 3, kind=kind) / 2
    np.testing.assert_allclose(exponential(tf.constant(x)), tf.linalg.expm(x + adjoint(x)), rtol=1e-8)
    check_gradient(exponential, x)


@both_kinds
def test_eig_gradient_of_a_matrix_function(kind: str) -> None:
    def exponential(x: Any) -> Any:
        e, v = tf.linalg.eig(x)
        return tf.matmul(v * tf.exp(e)[..., None, :], tf.linalg.inv(v))

    x = random(3, 3, kind=kind)
    np.testing.assert_allclose(exponential(tf.constant(x)), tf.linalg.expm(x), rtol=1e-8, atol=1e-8)
    check_gradient(exponential if kind == "complex" else lambda x: tf.math.real(exponential(x)), x)


def test_second_derivatives_of_a_function_of_eigenvalues_of_a_complex_matrix() -> None:
    def energy(x: Any) -> Any:
        e, v = tf.linalg.eigh(x)
        return tf.math.real(tf.reduce_sum(tf.matmul(v * tf.exp(e)[..., None, :], v, adjoint_b=True) * weights))

    weights = tf.constant(hermitian(3, 3, kind="complex"))
    x = tf.constant(hermitian(3, 3, kind="complex") / 2)

    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = energy(x)
        return tape.gradient(y, x)

    check_gradient(gradient, x.numpy(), tolerance=1e-5)


def test_repeated_eigenvalues_give_finite_gradients() -> None:
    x = tf.Variable(np.eye(3))
    for function in (
        lambda x: tf.reduce_sum(tf.linalg.eigh(x)[0] ** 2),
        lambda x: tf.reduce_sum(tf.matmul(*[tf.linalg.eigh(x)[1]] * 2, transpose_b=True)),
        lambda x: tf.reduce_sum(tf.linalg.svd(x)[0] ** 2),
        lambda x: tf.reduce_sum(tf.matmul(tf.linalg.svd(x)[1], tf.linalg.svd(x)[2], transpose_b=True)),
    ):
        with tf.GradientTape() as outer, tf.GradientTape() as tape:
            first = tape.gradient(function(x), x)
        assert np.isfinite(first.numpy()).all()
        second = outer.gradient(first, x)
        assert second is None or np.isfinite(second.numpy()).all()
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.linalg.eigh(x)[0] ** 2)
    np.testing.assert_allclose(tape.gradient(y, x), 2 * np.eye(3))


# --- matrices that cannot be treated ------------------------------------------------------------------------


def test_cholesky_of_what_is_not_positive_definite_is_nan_for_that_matrix_alone() -> None:
    nan = np.nan
    stack = np.stack([np.eye(2), -np.eye(2), [[nan, 0], [0, 1]], np.zeros((2, 2))])
    expected = np.stack([np.eye(2), *[[[nan, 0], [nan, nan]]] * 3])
    np.testing.assert_array_equal(tf.linalg.cholesky(stack), expected)


def test_svd_of_nan_is_nan_for_that_matrix_alone() -> None:
    stack = np.stack([np.diag([3.0, 2.0]), np.full((2, 2), np.nan)])
    s, u, v = tf.linalg.svd(stack)
    np.testing.assert_array_equal(s, [[3, 2], [np.nan, np.nan]])
    for vectors in (u, v):
        assert np.isfinite(vectors[0].numpy()).all()
        assert np.isnan(vectors[1].numpy()).all()
    np.testing.assert_array_equal(tf.linalg.svd(stack, compute_uv=False), s)


@pytest.mark.parametrize("function", [tf.linalg.eigh, tf.linalg.eigvalsh, tf.linalg.eig, tf.linalg.eigvals])
def test_eigenvalues_of_nan_raise(function: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="not successful"):
        function(np.full((2, 2), np.nan))


def test_bases_that_are_arbitrary_have_no_derivative() -> None:
    x = tf.constant(random(4, 2))
    for function in (
        lambda x: tf.linalg.qr(x, full_matrices=True)[0],
        lambda x: tf.linalg.svd(x, full_matrices=True)[1],
    ):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        with pytest.raises(NotImplementedError, match="full_matrices=False"):
            tape.gradient(y, x)
        with pytest.raises(NotImplementedError), tf.autodiff.ForwardAccumulator(x, x):
            function(x)


# --- functions of matrices ----------------------------------------------------------------------------------


@both_kinds
def test_determinant_of_a_singular_matrix_has_a_gradient(kind: str) -> None:
    x = random(3, 3, kind=kind)
    x[2] = x[0] + x[1]
    check_gradient(tf.linalg.det, x)
    check_gradient(tf.linalg.det, np.array([[1.0, 2.0], [2.0, 4.0]]))
    check_gradient(tf.linalg.det, np.zeros((2, 2)))
    assert tf.linalg.det(np.zeros((0, 0))).numpy() == 1


@both_kinds
def test_slogdet_and_logdet(kind: str) -> None:
    x = random(2, 3, 3, kind=kind)
    result = tf.linalg.slogdet(x)
    np.testing.assert_allclose(result.sign * tf.exp(result.log_abs_determinant), np.linalg.det(x))
    assert result.log_abs_determinant.dtype == result.sign.dtype
    positive = x @ adjoint(x)
    np.testing.assert_allclose(tf.linalg.logdet(positive), np.log(np.linalg.det(positive).real))
    assert tf.linalg.logdet(positive).dtype == tf.float64
    check_gradient(lambda x: tf.linalg.logdet(tf.matmul(x, x, adjoint_b=True)), x)
    sign, size = tf.linalg.slogdet(np.zeros((2, 2)))
    assert (sign.numpy(), size.numpy()) == (0, -np.inf)


def test_square_root_of_what_has_none_is_nan() -> None:
    assert np.isnan(tf.linalg.sqrtm(np.diag([1.0, -4.0])).numpy()).all()
    np.testing.assert_array_equal(tf.linalg.sqrtm(np.diag([1.0, 0.0])), np.diag([1.0, 0.0]))
    np.testing.assert_array_equal(tf.linalg.sqrtm(np.zeros((2, 2))), np.zeros((2, 2)))
    np.testing.assert_allclose(tf.linalg.sqrtm(np.diag([1.0, -4.0]) + 0j), np.diag([1, 2j]), atol=1e-12)
    rotation = np.array([[0.0, -1.0], [1.0, 0.0]])
    root = tf.linalg.sqrtm(rotation).numpy()
    np.testing.assert_allclose(root @ root, rotation, atol=1e-12)


def test_logarithm_and_exponential_invert_each_other() -> None:
    x = random(2, 3, 3, kind="complex") / 2
    np.testing.assert_allclose(tf.linalg.logm(tf.linalg.expm(x)), x, atol=1e-9)
    assert np.isnan(tf.linalg.logm(np.zeros((2, 2), complex)).numpy()).all()
    assert np.isfinite(tf.linalg.logm(np.diag([1.0, 1e-300 + 0j])).numpy()).all()
    assert np.isnan(tf.linalg.expm(np.diag([np.nan, 1.0])).numpy()).all()
    np.testing.assert_array_equal(tf.linalg.expm(np.diag([1000.0, -1000.0])), np.diag([np.inf, 0]))
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.linalg.logm(np.eye(2))
    with pytest.raises(ValueError, match="int32"):
        tf.linalg.expm(np.eye(2, dtype=np.int32))


def test_matrix_rank() -> None:
    assert tf.linalg.matrix_rank(np.zeros((2, 2))).numpy() == 0
    np.testing.assert_array_equal(tf.linalg.matrix_rank(np.stack([np.eye(3), np.ones((3, 3))])), [3, 1])
    assert tf.linalg.matrix_rank(np.diag([1.0, 0.1]), tol=0.5).numpy() == 1
    assert tf.linalg.matrix_rank([[1, 2], [2, 4]]).dtype == tf.int32
    with pytest.raises(ValueError, match="at least 2 dimensions"):
        tf.linalg.matrix_rank([1.0])


def test_eigh_tridiagonal() -> None:
    alpha, beta = random(5), random(4)
    matrix = np.diag(alpha) + np.diag(beta, 1) + np.diag(beta, -1)
    expected = np.linalg.eigvalsh(matrix)
    np.testing.assert_allclose(tf.linalg.eigh_tridiagonal(alpha, beta), expected)
    values, vectors = tf.linalg.eigh_tridiagonal(alpha, beta, eigvals_only=False)
    np.testing.assert_allclose(matrix @ vectors.numpy(), vectors.numpy() * values.numpy(), atol=1e-10)
    chosen = tf.linalg.eigh_tridiagonal(alpha, beta, select="i", select_range=(1, 2))
    np.testing.assert_allclose(chosen, expected[1:3])
    chosen = tf.linalg.eigh_tridiagonal(alpha, beta, select="v", select_range=(expected[0], expected[2]))
    assert len(chosen) in (2, 3)
    check_gradient(tf.linalg.eigh_tridiagonal, alpha, beta)
    for arguments in ({"select": "x"}, {"select": "i"}, {"select": "i", "select_range": (0, 9)}):
        with pytest.raises(ValueError, match="select"):
            tf.linalg.eigh_tridiagonal(alpha, beta, **arguments)


def test_results_have_the_names_of_their_parts() -> None:
    assert tf.linalg.qr(np.eye(2))._fields == ("q", "r")
    assert tf.linalg.lu(np.eye(2))._fields == ("lu", "p")
    assert tf.linalg.slogdet(np.eye(2))._fields == ("sign", "log_abs_determinant")
    assert tf.linalg.lu(np.eye(2), output_idx_type=tf.int64).p.dtype == tf.int64
