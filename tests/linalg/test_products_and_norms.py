"""Products, diagonals of tensors, norms, einsum: composites of ops that are tested from the registry."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf

from .test_decompositions import adjoint, both_kinds, check_gradient, random


@both_kinds
@pytest.mark.parametrize("order", ["euclidean", "fro", 1, 2, np.inf])
@pytest.mark.parametrize("axes", [(-2, -1), (0, 2), (2, 1)])
def test_matrix_norms(order: Any, axes: tuple[int, int], kind: str) -> None:
    x = random(3, 4, 2, kind=kind)
    expected = np.linalg.norm(x, "fro" if order == "euclidean" else order, axis=axes)
    np.testing.assert_allclose(tf.norm(x, order, axis=axes), expected)
    kept = tf.norm(x, order, axis=axes, keepdims=True)
    assert kept.shape == tuple(1 if a in {b % 3 for b in axes} else n for a, n in enumerate(x.shape))
    np.testing.assert_allclose(np.squeeze(kept), expected)
    if not (kind == "complex" and order in ("euclidean", "fro")):  # its complex result is not holomorphic
        check_gradient(lambda x: tf.norm(x, order, axis=axes), x)


@both_kinds
@pytest.mark.parametrize("order", ["euclidean", 1, 2, 3, 0.7, np.inf])
@pytest.mark.parametrize("axis", [None, 0, -1])
def test_vector_norms(order: Any, axis: int | None, kind: str) -> None:
    x = random(3, 4, kind=kind)
    flat = x.reshape(-1) if axis is None else x
    expected = np.linalg.norm(flat, 2 if order == "euclidean" else order, axis=-1 if axis is None else axis)
    np.testing.assert_allclose(tf.norm(x, order, axis=axis), expected)
    normalized, norm = tf.linalg.normalize(x, order, axis=axis)
    assert normalized.dtype == norm.dtype
    np.testing.assert_allclose(normalized, x / np.expand_dims(expected, tuple(range(2)) if axis is None else axis))


def test_norm_corners() -> None:
    assert tf.norm(np.ones((2, 2), np.complex64)).dtype == tf.complex64
    assert tf.norm(np.ones((2, 2), np.complex64), 1).dtype == tf.float32
    assert tf.norm(3.0).numpy() == 3
    assert tf.norm(np.ones((0, 2)), 2, axis=(0, 1)).numpy() == -np.inf
    x = np.ones((2, 3))
    for order, axis in [
        ("nuc", (0, 1)),
        (3, (0, 1)),
        (-1, (0, 1)),
        ("fro", None),
        (0, None),
        (-np.inf, None),
    ]:
        with pytest.raises(ValueError, match="'ord' must be a supported"):
            tf.norm(x, order, axis=axis)
    for axis in [(0, 1, 2), [0], (0, 0), (0, -2), "x"]:
        with pytest.raises(ValueError, match="'axis' must be"):
            tf.norm(x, 2, axis=axis)
    with pytest.raises(TypeError):
        tf.norm(x, None)
    with pytest.raises(ValueError, match="does not exist"):
        tf.norm(x, 2, axis=(0, 5))
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.norm(np.ones((2, 3), int))


def test_ties_of_the_spectral_norm_share_the_gradient() -> None:
    x = tf.Variable(np.eye(2))
    with tf.GradientTape() as tape:
        y = tf.norm(x, 2, axis=(0, 1))
    np.testing.assert_allclose(np.abs(tape.gradient(y, x)), np.eye(2) / 2, atol=1e-12)


@both_kinds
def test_tensor_diagonals(kind: str) -> None:
    x = random(2, 3, kind=kind)
    diagonal = tf.linalg.tensor_diag(x)
    assert diagonal.shape == (2, 3, 2, 3)
    expected = np.zeros((2, 3, 2, 3), x.dtype)
    for place in np.ndindex(2, 3):
        expected[place + place] = x[place]
    np.testing.assert_array_equal(diagonal, expected)
    np.testing.assert_array_equal(tf.linalg.tensor_diag_part(diagonal), x)
    check_gradient(tf.linalg.tensor_diag, x)
    check_gradient(tf.linalg.tensor_diag_part, random(2, 2, 2, 2, kind=kind))
    for bad in (np.ones((2, 2, 2)), np.ones((2, 3))):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.linalg.tensor_diag_part(bad)
    for bad in (1.0, [True]):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.linalg.tensor_diag(bad)


def test_diagonals_take_their_arguments_in_tensorflows_forms() -> None:
    x = np.arange(12.0).reshape(3, 4)
    for k in (1, [1], (1, 1), np.int32(1), tf.constant(1)):
        np.testing.assert_array_equal(tf.linalg.diag_part(x, k=k), [1, 6, 11])
    assert tf.linalg.diag_part(np.eye(2, dtype=bool), k=(0, 1)).dtype == tf.bool
    assert tf.linalg.diag([1, 2], padding_value=tf.constant(3)).numpy().tolist() == [[1, 3], [3, 2]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.linalg.diag_part(x, k=(0, 1, 2))
    for bad in ({"padding_value": 1.5}, {"padding_value": 1j}):
        with pytest.raises(TypeError):
            tf.linalg.diag([1, 2], **bad)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.linalg.band_part(x, 1.0, 0)
    assert tf.linalg.trace(np.arange(12.0).reshape(2, 2, 3)).numpy().tolist() == [4, 16]


@both_kinds
def test_transposes_and_products_with_vectors(kind: str) -> None:
    a, b = random(2, 3, 4, kind=kind), random(2, 4, kind=kind)
    np.testing.assert_allclose(tf.linalg.matvec(a, b), np.einsum("bij,bj->bi", a, b))
    np.testing.assert_array_equal(tf.linalg.adjoint(a), adjoint(a))
    np.testing.assert_array_equal(tf.linalg.matrix_transpose(a), a.swapaxes(-1, -2))
    check_gradient(tf.linalg.matvec, a, b)
    check_gradient(lambda a, b: tf.matmul(a, b, adjoint_a=True), a, random(3, 2, kind=kind))


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("...ij,...jk->...ik", [(1, 2, 3), (4, 3, 2)]),
        ("...ij,...jk->...ik", [(5, 1, 2, 3), (4, 3, 2)]),
        ("...i,...i->...", [(2, 1, 3), (4, 3)]),
        ("...,...->...", [(2, 1), (3,)]),
        ("b...i,b...i->b...", [(2, 1, 3), (2, 4, 3)]),
        ("i...,...->i...", [(3, 1, 2), (4, 2)]),
        ("...i,...i->...", [(0, 2), (1, 2)]),
        ("...i,...i,...i->...", [(1, 3), (2, 3), (4, 1, 3)]),
        ("...ii->...i", [(2, 3, 3)]),
    ],
)
@both_kinds
def test_einsum_broadcasts_under_the_ellipsis_only(equation: str, shapes: list[tuple[int, ...]], kind: str) -> None:
    values = [random(*shape, kind=kind) for shape in shapes]
    np.testing.assert_allclose(tf.einsum(equation, *values), np.einsum(equation, *values))
    if 0 not in shapes[0]:
        check_gradient(lambda *values: tf.einsum(equation, *values), *values)


def test_an_output_of_einsum_that_names_a_label_twice_is_a_diagonal() -> None:
    values = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(tf.einsum("i->ii", [1.0, 2.0]), [[1, 0], [0, 2]])
    expected = np.zeros((3, 2, 3))
    expected[np.arange(3), :, np.arange(3)] = values.T
    np.testing.assert_array_equal(tf.einsum("ab->bab", values), expected)
    check_gradient(lambda x: tf.einsum("ab->bab", x), values)
    check_gradient(lambda x, y: tf.einsum("ab,bc->aaca", x, y), values, np.arange(12.0).reshape(3, 4))
    spec = tf.TensorSpec([None], tf.float64)
    grown = tf.function(lambda x: tf.einsum("i->ii", x), input_signature=[spec])
    np.testing.assert_array_equal(grown(np.array([1.0, 2.0, 3.0])), np.diag([1.0, 2.0, 3.0]))


def test_einsum_refuses() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="two sizes"):
        tf.einsum("bi,bi->b", np.ones((1, 3)), np.ones((4, 3)))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"needs '\.\.\.'"):
        tf.einsum("...i->i", np.ones((2, 3)))
    np.testing.assert_array_equal(tf.einsum("ij->ji", [[1.0, 2.0], [3.0, 4.0]]), [[1, 3], [2, 4]])


def test_products_over_nothing_are_zero() -> None:
    assert (tf.matmul(np.zeros((2, 3, 0)), np.zeros((0, 4))).numpy() == np.zeros((2, 3, 4))).all()


def test_names_at_top_level() -> None:
    for name in ("eig", "eigvals", "matmul", "norm", "tensordot", "einsum", "eye"):
        assert getattr(tf, name) is getattr(tf.linalg, name)
