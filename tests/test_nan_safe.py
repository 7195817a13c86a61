"""GradientTape(nan_safe=True): zeros stay zero in the backward pass, and errors stay visible."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.base.context import STATE

pytestmark = pytest.mark.quick

CLASSICS = {
    "log": (lambda x: tf.where(x > 0.0, tf.math.log(x), 0.0), [0.0, 0.25]),
    "reciprocal": (lambda x: tf.where(x > 0.0, 1.0 / x, 0.0), [0.0, -0.0625]),
    "power": (lambda x: tf.where(x > 0.0, x**0.5, 0.0), [0.0, 0.25]),
    "quotient": (lambda x: tf.where(x > 0.0, x / x, 0.0), [0.0, 0.0]),
    "overflow": (lambda x: tf.where(x > 1.0, 0.0, tf.exp(x * 1e4)), [1e4, 0.0]),
    "root of a negative": (lambda x: tf.where(x > 1.0, tf.math.log(x - 1.0), x), [1.0, 1 / 3]),
    "norm": (lambda x: tf.norm(x - x), [0.0, 0.0]),
    "euclidean norm": (lambda x: tf.math.reduce_euclidean_norm(x * 1.0 - x * 1.0), [0.0, 0.0]),
    "standard deviation": (lambda x: tf.math.reduce_std(x * 0.0 + 1.0), [0.0, 0.0]),
}


def gradient(function, x, **options):
    with tf.GradientTape(**options) as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x).numpy()


@pytest.mark.parametrize("name", CLASSICS)
def test_the_classic_cases_have_finite_gradients(name: str) -> None:
    function, expected = CLASSICS[name]
    np.testing.assert_allclose(gradient(function, tf.constant([0.0, 4.0]), nan_safe=True), expected, rtol=1e-6)


@pytest.mark.parametrize("name", sorted(set(CLASSICS) - {"root of a negative"}))
def test_they_are_nan_without_it(name: str) -> None:
    assert np.isnan(gradient(CLASSICS[name][0], tf.constant([0.0, 4.0]))).any()


@pytest.mark.parametrize("name", CLASSICS)
def test_jacobians_keep_zeros_too(name: str) -> None:
    function, expected = CLASSICS[name]
    x = tf.constant([0.0, 4.0])
    with tf.GradientTape(nan_safe=True) as tape:
        tape.watch(x)
        y = function(x)
    matrix = tape.jacobian(y, x).numpy()
    np.testing.assert_allclose(matrix.sum(axis=0) if matrix.ndim == 2 else matrix, expected, rtol=1e-6)


def test_second_order_is_finite_as_well() -> None:
    x = tf.constant([0.0, 4.0])
    with tf.GradientTape(nan_safe=True) as outer:
        outer.watch(x)
        with tf.GradientTape(nan_safe=True) as tape:
            tape.watch(x)
            y = tf.where(x > 0.0, tf.math.log(x), 0.0)
        g = tape.gradient(y, x)
    np.testing.assert_allclose(outer.gradient(g, x).numpy(), [0.0, -1 / 16])


def test_an_infinite_gradient_stays_infinite() -> None:
    assert gradient(tf.sqrt, tf.constant(0.0), nan_safe=True) == np.inf


def test_a_nan_of_the_forward_pass_stays() -> None:
    assert np.isnan(gradient(lambda x: x * tf.math.log(x), tf.constant(-1.0), nan_safe=True))


def test_where_nothing_is_special_both_modes_agree() -> None:
    x = tf.constant(np.linspace(0.1, 2.0, 7).astype(np.float32))

    def function(x):
        return tf.reduce_sum(tf.tanh(x) * tf.exp(-x) / (1.0 + x**2))

    np.testing.assert_array_equal(gradient(function, x), gradient(function, x, nan_safe=True))


def test_the_mode_ends_with_the_call_also_after_an_error() -> None:
    @tf.custom_gradient
    def failing(x):
        def grad(upstream):
            raise KeyError("boom")

        return x * 1.0, grad

    with pytest.raises(KeyError):
        gradient(failing, tf.constant(1.0), nan_safe=True)
    assert STATE.nan_safe == 0


def test_traced_functions_under_a_safe_tape():
    function = tf.function(lambda x: tf.where(x > 0.0, tf.math.log(x), 0.0))
    x = tf.constant([0.0, 4.0])
    with tf.GradientTape(nan_safe=True) as tape:
        tape.watch(x)
        y = function(x)
    assert tape.gradient(y, x).numpy().tolist() == [0.0, 0.25]


def test_rows_that_are_looked_up_stay_slices():
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape(nan_safe=True) as tape:
        loss = tf.reduce_sum(tf.gather(table, [1, 1]))
    gradient = tape.gradient(loss, table)
    assert isinstance(gradient, tf.IndexedSlices)
    np.testing.assert_array_equal(tf.convert_to_tensor(gradient), [[0, 0], [2, 2]])
