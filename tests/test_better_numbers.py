"""Rows of docs/differences.md where TensorFlow gives another number: ours agrees with differences of the value."""

import numpy as np
import pytest

import gradtape as tf

STEP = 1e-6


def slope(function, x, direction):
    """The derivative of a real number along a direction, by central differences."""
    return (function(x + STEP * direction) - function(x - STEP * direction)) / (2 * STEP)


def gradient_and_tangent(function, x, direction):
    x, direction = tf.constant(x), tf.constant(direction)
    with tf.GradientTape() as tape, tf.autodiff.ForwardAccumulator(x, direction) as forward:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x).numpy(), forward.jvp(y).numpy()


LOGITS = np.array([[1.0, 2.0, 3.0], [0.0, -1.0, 4.0]])


@pytest.mark.parametrize("labels", [[[1.0, 1.0, 0.0], [0.0, 0.0, 0.0]], [[2.0, -1.0, 0.0], [3.0, 0.0, 0.5]]])
def test_the_cross_entropy_of_labels_that_do_not_sum_to_1_has_its_own_gradient(labels):
    def loss(logits):
        return tf.reduce_sum(tf.nn.softmax_cross_entropy_with_logits(labels, logits))

    for place in np.ndindex(LOGITS.shape):
        direction = np.zeros_like(LOGITS)
        direction[place] = 1
        gradient, tangent = gradient_and_tangent(loss, LOGITS, direction)
        expected = slope(lambda logits: loss(logits).numpy(), LOGITS, direction)
        np.testing.assert_allclose([gradient[place], tangent], expected, atol=1e-7)


def test_the_cross_entropy_of_labels_that_sum_to_1_has_tensorflows_gradient():
    labels = np.array([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]])
    gradient, _ = gradient_and_tangent(
        lambda logits: tf.nn.softmax_cross_entropy_with_logits(labels, logits), LOGITS, np.ones_like(LOGITS)
    )
    np.testing.assert_allclose(gradient, tf.nn.softmax(LOGITS).numpy() - labels)


@pytest.mark.parametrize("seed", [1.0 + 0.0j, 1j, 2.0 - 3.0j])
@pytest.mark.parametrize(
    "function",
    [
        tf.math.squared_difference,
        tf.math.multiply_no_nan,
        tf.math.xlogy,
        tf.math.xlog1py,
        tf.math.xdivy,
        lambda z, w: tf.math.cumprod(tf.stack([z, w])),
        lambda z, w: tf.math.segment_prod(tf.stack([z, w]), [0, 0]),
    ],
    ids=["squared_difference", "multiply_no_nan", "xlogy", "xlog1py", "xdivy", "cumprod", "segment_prod"],
)
def test_complex_gradients_are_those_of_the_value(function, seed):
    z, w = np.complex128(1.0 + 2.0j), np.complex128(0.3 - 1.0j)

    def weighted(z, w):
        return np.real(np.sum(np.conj(seed) * function(z, w).numpy()))

    tensors = [tf.constant(z), tf.constant(w)]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        y = function(*tensors)
    found = tape.gradient(y, tensors, tf.fill(y.shape, tf.constant(seed, tf.complex128)))
    expected = [
        slope(lambda z: weighted(z, w), z, 1.0) + 1j * slope(lambda z: weighted(z, w), z, 1j),
        slope(lambda w: weighted(z, w), w, 1.0) + 1j * slope(lambda w: weighted(z, w), w, 1j),
    ]
    np.testing.assert_allclose([f.numpy() for f in found], expected, atol=1e-7)


def test_the_weighted_cross_entropy_is_smooth_at_0():
    gradient, tangent = gradient_and_tangent(
        lambda x: tf.nn.weighted_cross_entropy_with_logits(np.float64(1.0), x, 2.0), np.float64(0.0), np.float64(1.0)
    )
    assert (gradient, tangent) == (-1.0, -1.0)


def test_the_poisson_loss_has_a_gradient_at_a_target_of_0():
    gradient, _ = gradient_and_tangent(
        lambda target: tf.nn.log_poisson_loss(target, np.float64(2.0), compute_full_loss=True),
        np.float64(0.0),
        np.float64(1.0),
    )
    assert gradient == -2.0


def test_erf_of_infinity_is_1_in_float64():
    assert tf.math.erf(tf.constant([np.inf, -np.inf], tf.float64)).numpy().tolist() == [1.0, -1.0]


def test_a_large_array_is_cast_like_its_elements():
    x = np.tile(np.array([-1.0, 300.0, 3e9, -70000.0], np.float32), 100)
    for dtype in (tf.uint8, tf.int8, tf.uint16, tf.int16, tf.uint32):
        each = [tf.cast(value, dtype).numpy() for value in x[:4]]
        np.testing.assert_array_equal(tf.cast(x, dtype).numpy(), np.tile(each, 100))


@pytest.mark.parametrize("imaginary", [0.0, -0.0])
@pytest.mark.parametrize("real", [2.0, -2.0, 4.0])
@pytest.mark.parametrize("function", [tf.asin, tf.acos])
def test_on_a_branch_cut_the_gradient_is_that_of_the_side_which_the_value_is_on(function, real, imaginary):
    z = tf.constant(complex(real, imaginary), tf.complex128)
    inside = tf.constant(complex(real, np.copysign(1e-9, imaginary)), tf.complex128)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([z, inside])
        y, near = function(z), function(inside)
    np.testing.assert_allclose(y.numpy(), near.numpy(), atol=1e-8)
    np.testing.assert_allclose(tape.gradient(y, z).numpy(), tape.gradient(near, inside).numpy(), atol=1e-8)


@pytest.mark.parametrize("pool", ["max_pool2d", "max_pool"])
def test_the_largest_of_a_window_with_nan_is_nan(pool):
    x = tf.reshape(tf.constant([1.0, np.nan, 2.0, 3.0]), [1, 2, 2, 1])
    assert np.isnan(getattr(tf.nn, pool)(x, 2, 1, "VALID").numpy()).all()
