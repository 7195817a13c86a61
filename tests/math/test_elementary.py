"""tf.math: the functions that are made of several ops, and corners of the elementary ones."""

import numpy as np
import pytest
import scipy.special

import gradtape as tf


def agrees(function, *arguments, delta=1e-5):
    exact, numeric = tf.test.compute_gradient(function, list(arguments), delta=delta)
    for a, b in zip(exact, numeric, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-8)


def gradient(function, x):
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


X = tf.constant([[0.5, -1.5, 2.0], [1.0, 0.25, -0.75]], tf.float64)

# --- polynomials, reciprocals, divisions --------------------------------------------------------------------


def test_polyval_is_horner():
    assert tf.math.polyval([2, 1, 0], 3).numpy() == 21
    coefficients = [tf.constant(c, tf.float64) for c in (1.0, -2.0, 0.5)]
    np.testing.assert_allclose(tf.math.polyval(coefficients, X).numpy(), np.polyval([1.0, -2.0, 0.5], X.numpy()))
    agrees(lambda x, c: tf.math.polyval([c, 2.0 * c, c * c], x), X, tf.constant(0.7, tf.float64))
    np.testing.assert_array_equal(tf.math.polyval([], X).numpy(), np.zeros((2, 3)))


@pytest.mark.parametrize("coefficients", [(1.0, 2.0), np.array([1.0, 2.0]), 3.0])
def test_polyval_takes_a_list_only(coefficients):
    with pytest.raises(ValueError, match="must be list"):
        tf.math.polyval(coefficients, 3.0)


def test_polyval_does_not_mix_types():
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.math.polyval([2, 1], 3.0)


def test_reciprocal_no_nan():
    np.testing.assert_array_equal(tf.math.reciprocal_no_nan([2.0, 0.0, -0.5]).numpy(), [0.5, 0.0, -2.0])
    np.testing.assert_array_equal(gradient(tf.math.reciprocal_no_nan, [2.0, 0.0, -0.5]).numpy(), [-0.25, 0.0, -4.0])
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.math.reciprocal_no_nan([2, 0])


def test_truncated_division_rounds_towards_zero():
    assert tf.truncatediv([7, -7], [2, 2]).numpy().tolist() == [3, -3]
    assert tf.truncatediv([7.0, -7.0, 1.0], [2.0, 2.0, 0.0]).numpy().tolist() == [3.0, -3.0, np.inf]
    assert tf.truncatemod([7, -7], [2, 2]).numpy().tolist() == [1, -1]
    assert tf.truncatediv(tf.constant([-128], tf.int8), tf.constant([-1], tf.int8)).numpy().tolist() == [-128]
    for function in (tf.truncatediv, tf.truncatemod):
        with pytest.raises(tf.errors.InvalidArgumentError, match="division by zero"):
            function([1], [0])


def test_truncatemod_has_a_derivative_and_truncatediv_none():
    x, y = tf.constant(-7.5), tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, y])
        rest, quotient = tf.truncatemod(x, y), tf.truncatediv(x, y)
    assert [g.numpy() for g in tape.gradient(rest, [x, y])] == [1.0, 3.0]
    assert tape.gradient(quotient, [x, y]) == [None, None]


def test_nextafter():
    found = tf.math.nextafter(tf.constant([0.0, 1.0, np.inf], tf.float64), tf.constant([1.0, 2.0, 0.0], tf.float64))
    np.testing.assert_array_equal(found.numpy(), [5e-324, 1.0 + 2**-52, np.finfo(np.float64).max])


# --- cumulative_logsumexp -----------------------------------------------------------------------------------


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_cumulative_logsumexp(axis, exclusive, reverse):
    rng = np.random.default_rng(0)
    x = tf.constant(rng.normal(size=(3, 4)))
    found = tf.math.cumulative_logsumexp(x, axis, exclusive, reverse)
    expected = tf.cumsum(tf.exp(x), axis, exclusive, reverse).numpy()
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(found.numpy(), np.log(expected), rtol=1e-12)
    weights = tf.constant(rng.normal(size=(3, 4)))
    agrees(lambda x: tf.exp(tf.math.cumulative_logsumexp(x, axis, exclusive, reverse)) * weights, x)


def test_cumulative_logsumexp_neither_overflows_nor_mixes_scales():
    x = tf.constant([1000.0, -1000.0, 1000.0, 2000.0], tf.float64)
    np.testing.assert_allclose(
        tf.math.cumulative_logsumexp(x).numpy(), [1000.0, 1000.0, 1000.0 + np.log(2.0), 2000.0], rtol=1e-15
    )
    found = gradient(lambda x: tf.math.cumulative_logsumexp(x), x.numpy()).numpy()
    np.testing.assert_allclose(found, [1.0 + 1.0 + 0.5, 0.0, 0.5, 1.0], rtol=1e-12)


def test_cumulative_logsumexp_is_linear_in_its_cotangent_at_zero():
    """The derivative of a vector-Jacobian product in the vector is the Jacobian, also where that is zero."""
    x, v = tf.constant([0.3, -0.2, 0.9], tf.float64), tf.constant([0.0, 0.0, 0.0], tf.float64)
    with tf.GradientTape() as outer:
        outer.watch(v)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.math.cumulative_logsumexp(x)
        product = tape.gradient(y, x, output_gradients=v)
    transposed = outer.jacobian(product, v).numpy()
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.math.cumulative_logsumexp(x)
    np.testing.assert_allclose(transposed.T, tape.jacobian(y, x).numpy(), rtol=1e-13)


# --- small composites ---------------------------------------------------------------------------------------


def test_log_sigmoid_softmax_softsign_of_math():
    np.testing.assert_allclose(
        tf.math.log_sigmoid([0.0, -100.0, 100.0]).numpy(), [-np.log(2.0), -100.0, 0.0], atol=1e-7
    )
    np.testing.assert_allclose(tf.math.softmax(X, axis=0).numpy(), scipy.special.softmax(X.numpy(), 0))
    np.testing.assert_allclose(tf.math.log_softmax(X).numpy(), scipy.special.log_softmax(X.numpy(), -1))
    np.testing.assert_allclose(tf.math.softsign([1.0, -3.0]).numpy(), [0.5, -0.75])
    agrees(tf.math.log_sigmoid, X)


def test_zero_fraction():
    assert tf.math.zero_fraction([0.0, 1.0, 0.0, 2.0]).numpy() == np.float32(0.5)
    assert tf.math.zero_fraction([True, False]).numpy() == np.float32(0.5)
    assert np.isnan(tf.math.zero_fraction(tf.zeros([0])).numpy())


@pytest.mark.parametrize(
    ("values", "never_falls", "always_rises"),
    [
        ([[1, 2], [2, 3]], True, False),
        ([1.0, 2.0], True, True),
        ([2, 1], False, False),
        ([], True, True),
        (1.0, True, True),
    ],
)
def test_monotonic_sequences(values, never_falls, always_rises):
    assert tf.math.is_non_decreasing(values).numpy() == never_falls
    assert tf.math.is_strictly_increasing(values).numpy() == always_rises


def test_accumulate_n():
    assert tf.math.accumulate_n([tf.constant([1.0]), tf.constant([2.0])]).numpy().tolist() == [3.0]
    for inputs, options, error in [
        ([], {}, ValueError),
        ([[1.0], [1]], {}, ValueError),
        ([[1.0], [1.0, 2.0]], {}, ValueError),
        ([[1.0]], {"shape": [2]}, ValueError),
        ([[1.0]], {"tensor_dtype": tf.int32}, TypeError),
    ]:
        with pytest.raises(error):
            tf.math.accumulate_n(inputs, **options)


def test_euclidean_norm_of_integers_is_an_integer():
    found = tf.math.reduce_euclidean_norm(tf.constant([100, 75], tf.int8))
    assert (found.numpy(), found.dtype) == (125, tf.int8)


def test_l2_normalize_takes_dim_as_an_old_name_of_axis():
    np.testing.assert_allclose(tf.math.l2_normalize(X, dim=1).numpy(), tf.math.l2_normalize(X, 1).numpy())


# --- bits ---------------------------------------------------------------------------------------------------


def test_shifts_are_clamped_as_in_tensorflow():
    shift = tf.bitwise.left_shift(tf.constant([1, 1, 1, -1, 1]), tf.constant([2, 31, 32, 3, -1]))
    assert shift.numpy().tolist() == [4, -(2**31), -(2**31), -8, 1]
    shift = tf.bitwise.right_shift(tf.constant([8, -8, 8, 8, -8]), tf.constant([2, 1, 32, -1, 40]))
    assert shift.numpy().tolist() == [2, -4, 0, 8, -1]
    shift = tf.bitwise.right_shift(tf.constant([255, 255], tf.uint8), tf.constant([7, 9], tf.uint8))
    assert shift.numpy().tolist() == [1, 1]


def test_operators_on_integers_are_bitwise():
    x = tf.constant([5, 12])
    assert (x & 6).numpy().tolist() == [4, 4]
    assert (3 | x).numpy().tolist() == [7, 15]
    assert (x ^ x).numpy().tolist() == [0, 0]
    assert (~x).numpy().tolist() == [-6, -13]
    assert tf.bitwise.invert(tf.constant([0, 5], tf.uint8)).numpy().tolist() == [255, 250]
    for bad in (
        lambda: ~tf.constant(1.0),
        lambda: tf.constant(1.0) & tf.constant(1.0),
        lambda: tf.bitwise.invert([True]),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError):
            bad()
    with pytest.raises(tf.errors.InvalidArgumentError):
        x & tf.constant([1], tf.int64)
