"""Values and gradients where a formula that is right on paper loses its digits: far tails, large and equal numbers, tiny ones."""

import warnings

import numpy as np
import pytest

import gradtape as tf


def gradient(function, x, dtype=np.float32):
    x = tf.constant(x, dtype)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x).numpy()


@pytest.mark.parametrize("level", [1e6, -1e6, 1e8, 1e30])
def test_equal_logits_share_the_gradient_however_large(level):
    np.testing.assert_allclose(gradient(tf.reduce_logsumexp, [level, level]), [0.5, 0.5], rtol=1e-6)
    last = gradient(lambda x: tf.math.cumulative_logsumexp(x)[-1], [level, level])
    np.testing.assert_allclose(last, [0.5, 0.5], rtol=1e-6)


def test_forward_mode_agrees_for_large_equal_logits():
    x = tf.constant([1e8, 1e8])
    for function in (tf.reduce_logsumexp, lambda x: tf.math.cumulative_logsumexp(x)[-1]):
        with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0])) as accumulator:
            y = function(x)
        np.testing.assert_allclose(accumulator.jvp(y).numpy(), 0.5, rtol=1e-6)


def test_running_sums_that_begin_with_nothing():
    weights = np.exp([0.0, 1.0]) / (1 + np.e)
    last = gradient(lambda x: tf.math.cumulative_logsumexp(x)[-1], [-np.inf, -np.inf, 0.0, 1.0])
    np.testing.assert_allclose(last, [0.0, 0.0, *weights], rtol=1e-6)
    found = gradient(lambda x: tf.reduce_logsumexp(x), [-np.inf, 0.0, 1.0])
    np.testing.assert_allclose(found, [0.0, *weights], rtol=1e-6)
    np.testing.assert_array_equal(gradient(tf.reduce_logsumexp, [np.inf, 0.0]), [np.nan, 0.0])  # as in TensorFlow


def test_curvature_of_logsumexp_at_large_equal_logits():
    x = tf.constant([1e6, 1e6], tf.float64)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_logsumexp(x)
        slope = inner.gradient(y, x)
    np.testing.assert_allclose(outer.jacobian(slope, x).numpy(), [[0.25, -0.25], [-0.25, 0.25]], rtol=1e-12)


TAIL = float(np.exp(-20.0) / (1 + np.exp(-20.0)))


@pytest.mark.parametrize("size", [1, 5000])  # NumPy, and machine code
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_tails_of_the_sigmoid_have_all_their_digits(size, dtype):
    right, left = np.full(size, 20.0), np.full(size, -20.0)
    digits = 1e-6 if dtype is np.float32 else 1e-14

    def entropy(label, weight=1.0):
        return lambda x: tf.nn.weighted_cross_entropy_with_logits(tf.fill(x.shape, tf.cast(label, x.dtype)), x, weight)

    def plain(label):
        return lambda x: tf.nn.sigmoid_cross_entropy_with_logits(tf.fill(x.shape, tf.cast(label, x.dtype)), x)

    found = {
        "log_sigmoid": gradient(tf.math.log_sigmoid, right, dtype),
        "softplus": gradient(tf.math.softplus, left, dtype),
        "sigmoid": gradient(tf.sigmoid, left, dtype) / (1 - TAIL),
        "sigmoid itself": tf.sigmoid(tf.constant(left, dtype)).numpy(),
        "cross entropy of a sure 1": -gradient(plain(1.0), right, dtype),
        "cross entropy of a sure 0": gradient(plain(0.0), left, dtype),
        "weighted, of a sure 1": -gradient(entropy(1.0, 3.0), right, dtype) / 3,
        "weighted, of a sure 0": gradient(entropy(0.0, 3.0), left, dtype),
        "logaddexp": gradient(lambda x: tf.experimental.numpy.logaddexp(x, tf.zeros_like(x)), left, dtype),
    }
    for name, value in found.items():
        np.testing.assert_allclose(value, np.full(size, TAIL), rtol=digits, err_msg=name)


def test_the_curvature_of_a_cross_entropy_is_right_at_0():
    x = tf.constant([0.0, -2.0, 3.0], tf.float64)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.nn.sigmoid_cross_entropy_with_logits(tf.constant([0.0, 1.0, 0.3], tf.float64), x)
        slope = inner.gradient(y, x)
    gate = 1 / (1 + np.exp(-x.numpy()))
    np.testing.assert_allclose(outer.gradient(slope, x).numpy(), gate * (1 - gate), rtol=1e-14)


def test_a_weighted_cross_entropy_does_not_cancel():
    loss = tf.nn.weighted_cross_entropy_with_logits(tf.constant([1e-30]), tf.constant([-1000.0]), 2.0)
    np.testing.assert_allclose(loss.numpy(), [2e-27], rtol=1e-6)


@pytest.mark.parametrize("size", [1, 5000])
def test_activations_far_below_0(size):
    x = np.full(size, -8.0, np.float32)
    gate = 1 / (1 + np.exp(8.0))
    normal = 6.220960574271785e-16
    np.testing.assert_allclose(tf.nn.gelu(x).numpy(), -8 * normal, rtol=5e-6)
    np.testing.assert_allclose(gradient(tf.nn.gelu, x), normal - 8 * np.exp(-32) / np.sqrt(2 * np.pi), rtol=5e-6)
    np.testing.assert_allclose(tf.nn.silu(x).numpy(), -8 * gate, rtol=1e-6)
    np.testing.assert_allclose(gradient(tf.nn.silu, x), gate * (1 - 8 * (1 - gate)), rtol=1e-6)
    inner = 2 * np.sqrt(2 / np.pi) * (8 + 0.044715 * 512)
    np.testing.assert_allclose(tf.nn.gelu(x, approximate=True).numpy(), -8 * np.exp(-inner), rtol=5e-6)


def test_the_slope_of_the_tanh_gelu_is_0_or_1_however_far():
    found = gradient(lambda x: tf.nn.gelu(x, approximate=True), [1e13, 3e38, -1e13, -3e38])
    np.testing.assert_array_equal(found, [1.0, 1.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("function", "x", "expected"),
    [
        (tf.math.expm1, -30.0, np.exp(-30.0)),
        (tf.math.asin, -0.99993896484375, 90.511049091421),
        (tf.math.acos, -0.99993896484375, -90.511049091421),
        (tf.math.atanh, -0.99993896484375, 8192.2500076296),
        (tf.math.asinh, 1e28, 1e-28),
        (tf.math.acosh, 1e28, 1e-28),
        (lambda x: tf.atan2(x, tf.ones_like(x)), 1e25, 0.0),
        (lambda x: tf.atan2(tf.ones_like(x), x), 1e-25, -1.0),
        (lambda x: tf.atan2(x, 1e25 * tf.ones_like(x)), 1.0, 1e-25),
    ],
)
def test_slopes_near_the_ends(function, x, expected):
    np.testing.assert_allclose(gradient(function, x), expected, rtol=1e-6)


@pytest.mark.parametrize("scale", [1e30, 1.0, 1e-30])
def test_norms_neither_overflow_nor_vanish(scale):
    x = np.array([[3.0, 4.0], [0.0, 0.0]], np.float32) * np.float32(scale)
    np.testing.assert_allclose(tf.math.reduce_euclidean_norm(x, axis=1).numpy(), [5 * scale, 0.0], rtol=1e-6)
    np.testing.assert_allclose(gradient(tf.math.reduce_euclidean_norm, x[0]), [0.6, 0.8], rtol=1e-6)
    if scale >= 1:
        np.testing.assert_allclose(tf.math.l2_normalize(x[0]).numpy(), [0.6, 0.8], rtol=1e-6)
        across = gradient(lambda x: tf.math.l2_normalize(x)[0], x[0])
        np.testing.assert_allclose(across, np.array([0.128, -0.096]) / scale, rtol=1e-6)


def test_the_second_derivative_of_l2_normalize_is_finite_at_0():
    x = tf.zeros(3)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(tf.math.l2_normalize(x))
        slope = inner.gradient(y, x)
    np.testing.assert_array_equal(outer.gradient(slope, x).numpy(), [0.0, 0.0, 0.0])


def test_the_variance_of_equal_numbers_is_0():
    for level in (0.1, 1e6, 1e8 / 3):
        assert tf.math.reduce_variance(tf.fill([12], level)).numpy() == 0.0
        assert tf.math.reduce_std(tf.fill([7], tf.constant(level, tf.float64))).numpy() == 0.0


def test_the_variance_of_numbers_far_from_0():
    x = (np.arange(1000) % 7 + 2e6 + 1.0).astype(np.float32)
    np.testing.assert_allclose(tf.math.reduce_variance(x).numpy(), np.var(x.astype(np.float64)), rtol=1e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_variances_that_overflow_are_infinite(dtype):
    large = np.finfo(dtype).max / 4
    assert tf.math.reduce_variance(tf.constant([large, -large])).numpy() == np.inf
    assert np.isnan(tf.math.reduce_variance(tf.constant([large, np.nan], dtype)).numpy())


@pytest.mark.parametrize("x", [1e10, 1e15, 1e20, -1e12])
def test_slopes_of_scaled_bessel_functions_far_out(x):
    fall = -0.5 * abs(x) ** -1.5 / np.sqrt(2 * np.pi)
    for dtype, digits in ((np.float32, 1e-6), (np.float64, 1e-9)):
        np.testing.assert_allclose(gradient(tf.math.special.bessel_i0e, x, dtype), np.sign(x) * fall, rtol=digits)
        np.testing.assert_allclose(gradient(tf.math.special.bessel_i1e, x, dtype), fall, rtol=digits)
        if x > 0:
            np.testing.assert_allclose(gradient(tf.math.special.bessel_k1e, x, dtype), fall * np.pi, rtol=digits)


@pytest.mark.parametrize(
    ("function", "x", "expected"),
    [
        (tf.math.lgamma, 1.9999999999999998, -9.387698065543117e-17),
        (tf.math.lgamma, 1 + 2**-52, -np.euler_gamma * 2**-52),
        (tf.math.lgamma, 2.781342323134e-309, 710.475860073944),
        (tf.math.digamma, -0.9999999999999432, -17592186044415.578),
        (tf.math.erfc, 25.38819006133772, 2.615298810863422e-282),
        (tf.math.special.dawsn, -0.011057572949484302, -0.011056671654528913),
        (tf.math.special.bessel_i0, 710.0, 3.345334558619656e306),
        (tf.math.special.bessel_i1, 710.0, 3.3429778585097626e306),
        (tf.experimental.numpy.sinc, 1e15 + 0.5, 1 / (np.pi * (1e15 + 0.5))),
    ],
)
def test_values_next_to_zeros_and_ends(function, x, expected):
    np.testing.assert_allclose(function(tf.constant(x, tf.float64)).numpy(), expected, rtol=3e-15)


@pytest.mark.parametrize(
    ("function", "x", "expected"),
    [
        (tf.math.erf, 24.88394498760844, 1.357241195421397e-269),
        (tf.math.special.fresnel_cos, 27.0, 0.0),
        (tf.math.special.fresnel_sin, 28.0, 0.0),
        (tf.math.special.expint, 710.0, 3.1464715016362125e305),
        (tf.math.special.bessel_i1, 2.2250738585072014e-308, 0.5),
        (tf.math.special.bessel_k1, 698.2621989437916, -2.66179756908757e-305),
        (tf.math.special.dawsn, 1e87, -5e-175),
    ],
)
def test_slopes_of_special_functions_at_hard_places(function, x, expected):
    np.testing.assert_allclose(gradient(function, x, np.float64), expected, rtol=3e-15)


@pytest.mark.parametrize("rows", [1, 2, 100_000])
@pytest.mark.parametrize(("kind", "large"), [(tf.float16, 4e4), (tf.float32, 3e38), (tf.float64, 1.5e308)])
@pytest.mark.parametrize("function", [tf.square, lambda x: x**2, lambda x: x * x], ids=["square", "power", "product"])
def test_the_slope_of_a_square_whose_argument_cannot_be_doubled(function, kind, large, rows):
    x = tf.fill([rows, 2], tf.constant(large, kind))
    small = tf.fill([rows, 2], tf.constant(0.25, kind))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    np.testing.assert_allclose(tape.gradient(y, x, small), np.full([rows, 2], large / 2), rtol=2e-3)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.sqrt(tf.reduce_sum(function(x), -1))
    assert not tape.gradient(y, x).numpy().any()  # as in TensorFlow: the norm is infinite


def test_zeta_of_nan():
    assert np.isnan(tf.math.zeta(np.float64("nan"), [0.0, -1.0, 1.0, np.inf])).all()
    assert tf.math.zeta(2.0, [0.0]).numpy() == np.inf


@pytest.mark.parametrize("size", [1, 5000])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_sure_cross_entropy_with_labels_beyond_1(size, dtype):
    def loss(label):
        return lambda x: tf.nn.sigmoid_cross_entropy_with_logits(tf.fill(x.shape, tf.cast(label, x.dtype)), x)

    for logit, label, slope in [(-100.0, 100.0, -100.0), (-800.0, 3.0, -3.0), (100.0, -7.0, 8.0), (-1e30, -2.0, 2.0)]:
        np.testing.assert_allclose(gradient(loss(label), np.full(size, logit), dtype), np.full(size, slope), rtol=1e-6)


def test_a_second_derivative_where_the_first_one_is_0():
    """At the mean the variance has no slope; the slope has one. (`rsqrt` had left it out where its cotangent is 0.)"""
    x, mean, variance = (tf.constant(v, tf.float64) for v in ([[1.0], [1.0]], [1.0], [4.0]))
    with tf.GradientTape() as outer:
        outer.watch([x, variance])
        with tf.GradientTape() as inner:
            inner.watch(variance)
            y = tf.nn.batch_normalization(x, mean, variance, None, None, 0.0)
        slope = inner.gradient(y, variance)
    np.testing.assert_array_equal(slope.numpy(), [0.0])
    by_x, by_variance = outer.gradient(slope, [x, variance])
    np.testing.assert_allclose(by_x.numpy(), np.full((2, 1), -0.5 * 4.0**-1.5), rtol=1e-14)
    np.testing.assert_array_equal(by_variance.numpy(), [0.0])


@pytest.mark.parametrize("traced", [False, True])
def test_forward_mode_by_two_backward_passes_with_a_cotangent_of_0(traced):
    def product(x, direction):
        with tf.GradientTape() as outer:
            cotangent = tf.zeros_like(x)
            outer.watch(cotangent)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.math.rsqrt(x)
            slope = inner.gradient(y, x, output_gradients=cotangent)
        return outer.gradient(slope, cotangent, output_gradients=direction)

    found = (tf.function(product) if traced else product)(tf.constant([1.0, 4.0]), tf.constant([1.0, 16.0]))
    np.testing.assert_allclose(found.numpy(), [-0.5, -1.0], rtol=1e-6)


@pytest.mark.parametrize("size", [1, 5000])
def test_what_is_clipped_has_no_slope_at_nan(size):
    x = np.resize([np.nan, 0.5, 2.0, np.inf, -1.0], 5 * size)
    expected = np.resize([0.0, 1.0, 0.0, 0.0, 0.0], 5 * size)
    np.testing.assert_array_equal(gradient(lambda x: tf.clip_by_value(x, 0.0, 1.0), x), expected)
    with tf.GradientTape() as tape:
        low, high = tf.Variable(0.0), tf.Variable(1.0)
        y = tf.clip_by_value(tf.constant(x, tf.float32), low, high)
    np.testing.assert_array_equal(tape.gradient(y, [low, high]), [2.0 * size, 2.0 * size])  # nan and -1; 2 and inf


def test_the_sign_of_a_determinant_that_is_nan_is_nan():
    sign, size = tf.linalg.slogdet([[[1.0, np.nan], [2.0, 3.0]], [[0.0, 1.0], [1.0, 0.0]]])
    np.testing.assert_array_equal(sign.numpy(), [np.nan, -1.0])
    np.testing.assert_array_equal(size.numpy(), [np.nan, 0.0])


def test_no_warning_where_sums_of_gradients_overflow_or_a_matrix_holds_nan():
    with warnings.catch_warnings():
        warnings.simplefilter(
            "error"
        )  # (gradtape's own filter stands behind it: what NumPy says in its own name is seen)
        warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"gradtape(\..*)?$")
        for shape in [(2,), (2, 1)]:
            factor = tf.Variable(tf.ones(shape))
            with tf.GradientTape() as tape:
                y = tf.constant([[3e38, 3e38], [3e38, 3e38]]) * factor
            assert np.isinf(tape.gradient(y, factor).numpy()).all()
        assert np.isnan(tf.linalg.det([[1.0, np.nan], [2.0, 3.0]]).numpy())
