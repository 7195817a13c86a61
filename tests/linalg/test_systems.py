"""Linear systems: solutions, least squares, factors, bands; gradients against finite differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf

from .test_decompositions import adjoint, both_kinds, check_gradient, random


@both_kinds
def test_cholesky_solve(kind: str) -> None:
    x, b = random(2, 3, 3, kind=kind), random(2, 3, 2, kind=kind)
    matrix = x @ adjoint(x) + np.eye(3)
    np.testing.assert_allclose(tf.linalg.cholesky_solve(tf.linalg.cholesky(matrix), b), np.linalg.solve(matrix, b))
    check_gradient(lambda x, b: tf.linalg.cholesky_solve(tf.linalg.cholesky(tf.matmul(x, x, adjoint_b=True)), b), x, b)
    assert tf.linalg.cholesky_solve(np.eye(3), np.ones((4, 3, 1))).shape == (4, 3, 1)


@both_kinds
@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (2, 4, 3), (3, 3)])
def test_lstsq(shape: tuple[int, ...], kind: str) -> None:
    a, b = random(*shape, kind=kind), random(*shape[:-1], 2, kind=kind)
    expected = np.linalg.pinv(a) @ b
    for fast in (True, False):
        np.testing.assert_allclose(tf.linalg.lstsq(a, b, fast=fast), expected, atol=1e-8)
        check_gradient(lambda a, b, fast=fast: tf.linalg.lstsq(a, b, fast=fast), a, b, tolerance=1e-4)
    gram = adjoint(a) @ a + 0.5 * np.eye(shape[-1])
    regular = np.linalg.solve(gram, adjoint(a) @ b)
    np.testing.assert_allclose(tf.linalg.lstsq(a, b, l2_regularizer=0.5), regular, atol=1e-10)
    check_gradient(lambda a, b: tf.linalg.lstsq(a, b, l2_regularizer=0.5), a, b)


def test_lstsq_corners() -> None:
    assert np.isnan(tf.linalg.lstsq(np.ones((3, 2)), np.ones((3, 1))).numpy()).all()
    np.testing.assert_allclose(tf.linalg.lstsq(np.ones((3, 2)), np.ones((3, 1)), fast=False), [[0.5], [0.5]])
    np.testing.assert_array_equal(tf.linalg.lstsq(np.zeros((0, 2)), np.zeros((0, 1))), np.zeros((2, 1)))
    assert tf.linalg.lstsq(np.ones((3, 1)), np.ones((4, 3, 1))).shape == (4, 1, 1)
    for a, b in [((3, 2), (3,)), ((3, 2), (2, 1)), ((3,), (3, 1))]:
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.linalg.lstsq(np.ones(a), np.ones(b))
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.linalg.lstsq(np.ones((3, 2)), np.ones((4, 3, 1)), fast=False)


@both_kinds
def test_pinv_of_a_matrix_without_full_rank(kind: str) -> None:
    left, right = random(4, 2, kind=kind), random(2, 3, kind=kind)
    np.testing.assert_allclose(tf.linalg.pinv(left @ right), np.linalg.pinv(left @ right), atol=1e-10)
    check_gradient(lambda left, right: tf.linalg.pinv(tf.matmul(left, right)), left, right)
    limits = tf.linalg.pinv(np.stack([np.diag([1.0, 0.1])] * 2), rcond=[0.5, 0.01])
    np.testing.assert_allclose(limits, [np.diag([1, 0]), np.diag([1, 10])])
    with pytest.raises(TypeError, match="float"):
        tf.linalg.pinv([[1, 2], [3, 4]])
    with pytest.raises(ValueError, match="at least 2"):
        tf.linalg.pinv([1.0])


@both_kinds
def test_lu_factors(kind: str) -> None:
    x, b = random(2, 3, 3, kind=kind), random(2, 3, 2, kind=kind)
    packed, order = tf.linalg.lu(x)
    np.testing.assert_allclose(tf.linalg.lu_reconstruct(packed, order), x, atol=1e-10)
    np.testing.assert_allclose(tf.linalg.lu_solve(packed, order, b), np.linalg.solve(x, b), atol=1e-9)
    np.testing.assert_allclose(tf.linalg.lu_matrix_inverse(packed, order), np.linalg.inv(x), atol=1e-9)
    check_gradient(lambda x, b: tf.linalg.lu_solve(*tf.linalg.lu(x), b), x, b, tolerance=1e-4)
    check_gradient(lambda x: tf.linalg.lu_reconstruct(*tf.linalg.lu(x)), x)
    single = tf.linalg.lu(x[0])
    assert tf.linalg.lu_solve(*single, rhs=b).shape == (2, 3, 2)
    assert tf.linalg.lu_solve(packed, order, b[0]).shape == (2, 3, 2)
    for rhs in (np.ones(3), np.ones((4, 1))):
        with pytest.raises(ValueError, match="rhs"):
            tf.linalg.lu_solve(*single, rhs=rhs)
    with pytest.raises(ValueError, match="rank"):
        tf.linalg.lu_reconstruct(packed, order[0])


def tridiagonal(*lead: int, size: int = 4, kind: str = "real") -> Any:
    diagonals = random(*lead, 3, size, kind=kind)
    diagonals[..., 1, :] += 4
    return diagonals


def dense(diagonals: Any) -> Any:
    upper, main, lower = (diagonals[..., row, :] for row in range(3))
    size = main.shape[-1]
    return main[..., None] * np.eye(size) + upper[..., None] * np.eye(size, k=1) + lower[..., None] * np.eye(size, k=-1)


@both_kinds
def test_tridiagonal_systems_and_products(kind: str) -> None:
    d, b = tridiagonal(2, kind=kind), random(2, 4, 3, kind=kind)
    x = np.linalg.solve(dense(d), b)
    np.testing.assert_allclose(tf.linalg.tridiagonal_solve(d, b), x, atol=1e-12)
    np.testing.assert_allclose(tf.linalg.tridiagonal_solve(dense(d), b, diagonals_format="matrix"), x, atol=1e-12)
    parts = [d[:, 0, :-1], d[:, 1], d[:, 2, 1:]]
    np.testing.assert_allclose(tf.linalg.tridiagonal_solve(parts, b, diagonals_format="sequence"), x, atol=1e-12)
    np.testing.assert_allclose(tf.linalg.tridiagonal_solve(d, b[..., 0]), x[..., 0], atol=1e-12)
    turned = tf.linalg.tridiagonal_solve(d, adjoint(b), transpose_rhs=True, conjugate_rhs=True)
    np.testing.assert_allclose(turned, x, atol=1e-12)
    for diagonals, form in ((d, "compact"), (dense(d), "matrix"), ([d[:, 0], d[:, 1], d[:, 2]], "sequence")):
        product = tf.linalg.tridiagonal_matmul(diagonals, b, diagonals_format=form)
        np.testing.assert_allclose(product, dense(d) @ b, atol=1e-12)
    check_gradient(tf.linalg.tridiagonal_matmul, d, b)
    check_gradient(lambda d, b: tf.linalg.tridiagonal_solve(d, b, diagonals_format="matrix"), dense(d), b[..., 0])


def test_tridiagonal_corners() -> None:
    d = tridiagonal()
    singular = np.stack([d, np.zeros((3, 4))])
    found = tf.linalg.tridiagonal_solve(singular, np.ones((2, 4))).numpy()
    assert np.isfinite(found[0]).all()
    assert np.isnan(found[1]).all()
    assert np.isfinite(tf.linalg.tridiagonal_solve(singular, np.ones((2, 4)), perturb_singular=True).numpy()).all()
    # A zero on the diagonal is no obstacle: rows are exchanged.
    exchanged = np.array([[1.0, 1, 0], [0, 1, 1], [0, 1, 1]])
    np.testing.assert_allclose(tf.linalg.tridiagonal_solve(exchanged, np.ones(3)), [0, 1, 0], atol=1e-12)
    assert tf.linalg.tridiagonal_solve(np.full((3, 1), 2.0), np.ones((1, 1))).numpy() == 0.5
    assert tf.linalg.tridiagonal_solve([[2.0]], [1.0], diagonals_format="matrix").numpy() == 0.5
    for arguments, options in [
        ((d, np.ones(5)), {}), ((d[:2], np.ones(4)), {}), ((d, np.ones((2, 4, 1))), {}),
        ((d[0], np.ones(4)), {}),
        ((d, np.ones(4)), {"diagonals_format": "nonsense"}),
        ((d, np.ones(4)), {"diagonals_format": "matrix"}),
        (([d[0], d[1]], np.ones(4)), {"diagonals_format": "sequence"}),
        ((d, np.ones(4)), {"partial_pivoting": False, "perturb_singular": True}),
    ]:  # fmt: skip
        with pytest.raises(ValueError):  # noqa: PT011 - TensorFlow's class; each has a message of its own
            tf.linalg.tridiagonal_solve(*arguments, **options)
    for a, b in [((3, 4), (4,)), ((3, 4), (5, 1)), ((2, 4), (4, 1)), ((3, 4), (2, 4, 1))]:
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.linalg.tridiagonal_matmul(np.ones(a), np.ones(b))


@both_kinds
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("use_adjoint", [True, False])
def test_banded_triangular_solve(lower: bool, use_adjoint: bool, kind: str) -> None:
    bands, b = random(3, 5, kind=kind), random(5, 2, kind=kind)
    bands[0 if lower else -1] += 4
    matrix = np.zeros((5, 5), bands.dtype)
    for i in range(5):
        for j in range(5):
            below = i - j if lower else j - i
            if 0 <= below < 3:
                # Subdiagonals are padded on the left, superdiagonals on the right.
                matrix[i, j] = bands[below, i] if lower else bands[2 - below, i]
    expected = np.linalg.solve(adjoint(matrix) if use_adjoint else matrix, b)
    found = tf.linalg.banded_triangular_solve(bands, b, lower=lower, adjoint=use_adjoint)
    np.testing.assert_allclose(found, expected, atol=1e-10)
    check_gradient(lambda a, b: tf.linalg.banded_triangular_solve(a, b, lower, use_adjoint), bands, b)


def test_triangular_solve_divides_by_zero_without_complaint() -> None:
    found = tf.linalg.triangular_solve(np.zeros((2, 2)), np.ones((2, 1))).numpy()
    assert np.isinf(found[0, 0])
    assert np.isnan(found[1, 0])


@pytest.mark.parametrize(("count", "size"), [(1, 4), (3, 5), (9, 2)])
def test_triangular_systems_one_few_or_many_at_a_time(count: int, size: int) -> None:
    a, b = random(count, size, size) + 3 * np.eye(size), random(count, size, 2)
    for lower in (True, False):
        triangle = np.tril(a) if lower else np.triu(a)
        np.testing.assert_allclose(tf.linalg.triangular_solve(a, b, lower=lower), np.linalg.solve(triangle, b))


def test_a_jacobian_through_a_solution() -> None:
    a, b = tf.constant(random(3, 3)), tf.constant(random(3, 2))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([a, b])
        x = tf.linalg.solve(a, b)
    inverse = np.linalg.inv(a.numpy())
    np.testing.assert_allclose(tape.jacobian(x, b), np.einsum("ik,jl->ijkl", inverse, np.eye(2)), atol=1e-10)
    expected = -np.einsum("ik,lj->ijkl", inverse, x.numpy())
    np.testing.assert_allclose(tape.jacobian(x, a), expected, atol=1e-10)
