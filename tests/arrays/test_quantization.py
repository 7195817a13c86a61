"""Fake quantization: the grid, and the derivative of a clip."""

import numpy as np
import pytest

import gradtape as tf

q = tf.quantization


def test_values_lie_on_a_grid_that_contains_zero():
    x = np.linspace(-7, 7, 50).astype(np.float32)
    y = q.fake_quant_with_min_max_args(x, min=-6.0, max=6.0, num_bits=4).numpy()
    steps = y / np.float32(12 / 15)
    np.testing.assert_allclose(steps, np.round(steps), atol=1e-5)
    assert len(np.unique(y)) == 16
    assert 0.0 in y


def test_known_values():
    # Observed on TensorFlow 2.21.
    y = q.fake_quant_with_min_max_args([-7.0, -6.0, 0.0, 0.03, 1.2, 6.0])
    np.testing.assert_allclose(y, [-6.0235295, -5.9764705, 0.0, 0.04705882, 1.2235295, 5.9764705], rtol=1e-6)
    narrow = q.fake_quant_with_min_max_args([-7.0, 0.3, 0.5], min=-0.5, max=1.0, num_bits=3, narrow_range=True)
    assert narrow.numpy().tolist() == [-0.5, 0.25, 0.5]


def test_the_gradient_is_that_of_a_clip_and_reaches_the_bounds():
    x, low, high = tf.constant([-7.0, -2.0, 1.0, 3.0, 7.0]), tf.constant(-2.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch([x, low, high])
        y = q.fake_quant_with_min_max_vars(x, low, high)
    of_x, of_low, of_high = tape.gradient(y, [x, low, high], tf.constant([1.0, 2.0, 3.0, 4.0, 5.0]))
    assert of_x.numpy().tolist() == [0.0, 2.0, 3.0, 4.0, 0.0]
    assert (float(of_low), float(of_high)) == (1.0, 5.0)


def test_an_empty_range_gives_zeros_and_passes_the_gradient():
    x = tf.constant([-7.0, 7.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = q.fake_quant_with_min_max_vars(x, 0.0, 0.0)
    assert y.numpy().tolist() == [0.0, 0.0]
    assert tape.gradient(y, x).numpy().tolist() == [1.0, 1.0]


def test_channels_have_bounds_of_their_own():
    x = tf.constant([[-7.0, -1.0], [0.3, 7.0]])
    low, high = tf.constant([-2.0, -1.0]), tf.constant([3.0, 1.0])
    with tf.GradientTape() as tape:
        tape.watch([x, low, high])
        y = q.fake_quant_with_min_max_vars_per_channel(x, low, high)
    for column in range(2):
        alone = q.fake_quant_with_min_max_vars(x[:, column], low[column], high[column])
        np.testing.assert_array_equal(y[:, column], alone)
    gradients = tape.gradient(y, [x, low, high])
    written = q.fake_quant_with_min_max_vars_per_channel_gradient(tf.ones([2, 2]), x, low, high)
    for a, b in zip(gradients, written, strict=True):
        np.testing.assert_array_equal(a, b)


def test_gradient_functions():
    found = q.fake_quant_with_min_max_vars_gradient([1.0, 2.0, 3.0], [-7.0, 1.0, 7.0], -2.0, 3.0)
    assert [np.asarray(g).tolist() for g in found] == [[0.0, 2.0, 0.0], 1.0, 3.0]
    assert q.fake_quant_with_min_max_args_gradient([1.0, 2.0], [-7.0, 1.0]).numpy().tolist() == [0.0, 2.0]


@pytest.mark.parametrize(
    "call",
    [
        lambda: q.fake_quant_with_min_max_args([1.0], min=1.0, max=1.0),
        lambda: q.fake_quant_with_min_max_args([1.0], min=2.0, max=1.0),
        lambda: q.fake_quant_with_min_max_args([1.0], num_bits=1),
        lambda: q.fake_quant_with_min_max_args([1.0], num_bits=17),
        lambda: q.fake_quant_with_min_max_vars([1.0], [1.0], 2.0),
        lambda: q.fake_quant_with_min_max_vars_per_channel([[1.0, 2.0]], [1.0], [2.0]),
        lambda: q.fake_quant_with_min_max_vars_per_channel([[1.0, 2.0]], 1.0, [2.0, 3.0]),
        lambda: q.fake_quant_with_min_max_vars_per_channel(1.0, [1.0], [2.0]),
        lambda: q.fake_quant_with_min_max_args_gradient([1.0, 2.0], [1.0]),
    ],
)
def test_bad_ranges_are_refused(call):
    with pytest.raises(tf.errors.InvalidArgumentError):
        call()


def test_quantize_and_dequantize_has_tensorflows_numbers() -> None:
    x = tf.constant([-1.3, -0.4, 0.0, 0.26, 0.9, 2.0])
    again = tf.quantization.quantize_and_dequantize_v2
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = again(x, -1.0, 1.5, range_given=True)
    np.testing.assert_array_equal(tape.gradient(y, x), [0.0, 1.0, 1.0, 1.0, 1.0, 0.0])
    unsigned = again(x, -1.0, 1.5, signed_input=False, num_bits=3)
    np.testing.assert_allclose(unsigned, [-1.42857, -0.28571, 0.0, 0.28571, 0.85714, 2.0], atol=1e-5)
    columns = again(tf.reshape(x, (3, 2)), [-1.0, -2.0], [1.0, 2.0], range_given=True, num_bits=4, axis=1)
    assert columns.shape == (3, 2)


def test_a_range_upside_down_is_refused_when_a_function_runs():
    @tf.function
    def quantized(x, low, high):
        return tf.quantization.quantize_and_dequantize_v2(x, low, high, True, 8, True)

    x = tf.constant([0.3])
    assert np.isfinite(quantized(x, tf.constant(0.0), tf.constant(1.0)).numpy()).all()
    for low, high in [(2.0, 1.0), (np.nan, np.nan)]:
        with pytest.raises(tf.errors.InvalidArgumentError, match="input_min must not be above input_max"):
            quantized(x, tf.constant(low), tf.constant(high))
