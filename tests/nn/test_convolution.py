"""Facts about convolutions that hold between calls: layouts, batch axes, transposes, derivatives, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf

rng = np.random.default_rng(5)


def draw(*shape: int) -> tf.Tensor:
    return tf.constant(rng.standard_normal(shape))


def to_first(x: Any) -> Any:
    return tf.transpose(x, [0, x.ndim - 1, *range(1, x.ndim - 1)])


def close(a: Any, b: Any) -> None:
    np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-10, atol=1e-12)


def test_channels_first_is_channels_last_transposed() -> None:
    x, w = draw(2, 5, 6, 4), draw(2, 3, 2, 6)
    last = tf.nn.conv2d(x, w, [1, 2, 1, 1], "SAME")
    close(tf.nn.conv2d(to_first(x), w, [1, 1, 2, 1], "SAME", data_format="NCHW"), to_first(last))
    padded = tf.nn.conv2d(x, w, 1, [[0, 0], [1, 2], [0, 1], [0, 0]])
    explicit = [[0, 0], [0, 0], [1, 2], [0, 1]]
    close(tf.nn.conv2d(to_first(x), w, 1, explicit, data_format="NCHW"), to_first(padded))
    w = draw(2, 2, 3, 4)
    y = tf.nn.conv2d_transpose(x, w, [2, 10, 12, 3], 2)
    close(tf.nn.conv2d_transpose(to_first(x), w, [2, 3, 10, 12], 2, data_format="NCHW"), to_first(y))
    d = draw(2, 2, 4, 2)
    y = tf.nn.depthwise_conv2d(x, d, [1, 1, 1, 1], "SAME")
    close(tf.nn.depthwise_conv2d(to_first(x), d, [1, 1, 1, 1], "SAME", data_format="NCHW"), to_first(y))


def test_several_batch_axes_are_one() -> None:
    x, w = draw(3, 2, 5, 5, 2), draw(2, 2, 2, 3)
    y = tf.nn.conv2d(x, w, 1, "VALID")
    assert y.shape == (3, 2, 4, 4, 3)
    close(y[1], tf.nn.conv2d(x[1], w, 1, "VALID"))


def test_groups_are_convolutions_of_their_own() -> None:
    x, w = draw(2, 5, 5, 6), draw(3, 3, 2, 9)
    y = tf.nn.conv2d(x, w, 1, "SAME")
    parts = [tf.nn.conv2d(x[..., 2 * g : 2 * g + 2], w[..., 3 * g : 3 * g + 3], 1, "SAME") for g in range(3)]
    close(y, tf.concat(parts, -1))


def test_convolution_in_one_dimension_is_a_row_of_two() -> None:
    x, w = draw(2, 7, 3), draw(3, 3, 4)
    two = tf.nn.conv2d(x[:, None], w[None], [1, 1, 2, 1], "SAME")[:, 0]
    close(tf.nn.conv1d(x, w, 2, "SAME"), two)
    close(tf.nn.convolution(x, w, strides=2, padding="SAME"), two)


def test_conv_transpose_takes_its_rank_from_the_shape() -> None:
    x, w = draw(2, 4, 3), draw(2, 5, 3)
    one = tf.nn.conv1d_transpose(x, w, [2, 8, 5], 2)
    close(tf.nn.conv_transpose(x, w, [2, 8, 5], 2), one)
    x, w = draw(1, 2, 2, 2, 3), draw(2, 2, 2, 4, 3)
    close(tf.nn.conv_transpose(x, w, [1, 4, 4, 4, 4], 2), tf.nn.conv3d_transpose(x, w, [1, 4, 4, 4, 4], 2))


def test_the_transpose_is_the_gradient() -> None:
    x, w, g = draw(2, 6, 5, 3), draw(3, 2, 3, 4), draw(2, 3, 5, 4)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.conv2d(x, w, [2, 1], "SAME")
    close(tape.gradient(y, x, g), tf.nn.conv2d_transpose(g, w, x.shape, [2, 1], "SAME"))


def test_depthwise_gradients_have_names_of_their_own() -> None:
    x, w = draw(2, 5, 5, 3), draw(2, 2, 3, 2)
    with tf.GradientTape() as tape:
        tape.watch([x, w])
        y = tf.nn.depthwise_conv2d(x, w, [1, 2, 2, 1], "SAME")
    g = draw(*y.shape)
    dx, dw = tape.gradient(y, [x, w], g)
    steps = [1, 2, 2, 1]
    close(dx, tf.nn.depthwise_conv2d_backprop_input(x.shape, w, g, steps, "SAME"))
    close(dw, tf.nn.depthwise_conv2d_backprop_filter(x, w.shape, g, steps, "SAME"))


def network(x: Any, first: Any, second: Any) -> Any:
    x = tf.nn.max_pool2d(tf.tanh(tf.nn.conv2d(x, first, 1, "SAME")), 2, 2, "VALID")
    x = tf.nn.avg_pool2d(tf.nn.silu(tf.nn.conv2d(x, second, 1, "VALID")), 2, 1, "SAME")
    return tf.reduce_sum(tf.square(x))


def test_hessian_times_vector_of_a_network_both_ways() -> None:
    x, first, second = draw(2, 6, 6, 2), draw(3, 3, 2, 3), draw(2, 2, 3, 2)
    v = draw(*first.shape)
    with tf.GradientTape() as outer:
        outer.watch(first)
        with tf.GradientTape() as inner:
            inner.watch(first)
            loss = network(x, first, second)
        gradient = inner.gradient(loss, first)
    reverse = outer.gradient(gradient, first, v)
    with tf.autodiff.ForwardAccumulator(first, v) as accumulator, tf.GradientTape() as tape:
        tape.watch(first)
        loss = network(x, first, second)
        gradient = tape.gradient(loss, first)
    close(reverse, accumulator.jvp(gradient))

    def slope(step: float) -> Any:
        moved = first + step * v
        with tf.GradientTape() as tape:
            tape.watch(moved)
            loss = network(x, moved, second)
        return tape.gradient(loss, moved)

    numeric = (slope(1e-5) - slope(-1e-5)) / 2e-5
    np.testing.assert_allclose(reverse.numpy(), numeric.numpy(), rtol=1e-5, atol=1e-6)


def test_vectorized_map_over_images_and_filters() -> None:
    x, w = draw(3, 2, 5, 5, 2), draw(3, 2, 2, 2, 4)
    together = tf.vectorized_map(lambda pair: tf.nn.conv2d(pair[0], pair[1], 1, "SAME"), (x, w))
    for k in range(3):
        close(together[k], tf.nn.conv2d(x[k], w[k], 1, "SAME"))


def test_large_batches_in_blocks_agree_with_small_ones() -> None:
    x, w = draw(40, 20, 20, 16), draw(3, 3, 16, 8)
    with tf.GradientTape() as tape:
        tape.watch([x, w])
        y = tf.nn.conv2d(x, w, 1, "SAME")
    close(y[17:19], tf.nn.conv2d(x[17:19], w, 1, "SAME"))
    g = draw(*y.shape)
    dx, dw = tape.gradient(y, [x, w], g)
    total = np.zeros(w.shape)
    for start in range(0, 40, 10):
        part = slice(start, start + 10)
        with tf.GradientTape() as tape:
            tape.watch([w])
            xs = x[part]
            tape.watch(xs)
            y = tf.nn.conv2d(xs, w, 1, "SAME")
        dxs, dws = tape.gradient(y, [xs, w], g[part])
        close(dx[part], dxs)
        total += dws.numpy()
    np.testing.assert_allclose(dw.numpy(), total, rtol=1e-9, atol=1e-9)


IMAGE, FILTERS = tf.ones([2, 5, 5, 3]), tf.ones([2, 2, 3, 4])
ONES = [1, 1, 1, 1]
INVALID = tf.errors.InvalidArgumentError
UNIMPLEMENTED = tf.errors.UnimplementedError


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: tf.nn.conv2d(IMAGE, FILTERS, 1, "FOO"), INVALID),
        (lambda: tf.nn.conv2d(IMAGE, FILTERS, 1, "valid"), INVALID),
        (lambda: tf.nn.conv2d(IMAGE, FILTERS, 0, "SAME"), INVALID),
        (lambda: tf.nn.conv2d(IMAGE, FILTERS, -1, "SAME"), INVALID),
        (lambda: tf.nn.conv2d(IMAGE, FILTERS, [1, 1, 1, 2], "SAME"), UNIMPLEMENTED),
        (lambda: tf.nn.conv2d(IMAGE, FILTERS, [2, 1, 1, 1], "SAME"), UNIMPLEMENTED),
        (lambda: tf.nn.conv2d(IMAGE, FILTERS, [1, 2, 3], "SAME"), ValueError),
        (lambda: tf.nn.conv2d(IMAGE, FILTERS, 1, "SAME", dilations=0), INVALID),
        (lambda: tf.nn.conv2d(IMAGE, FILTERS, 1, [[0, 0], [-1, 0], [0, 0], [0, 0]]), INVALID),
        (lambda: tf.nn.conv2d(IMAGE, FILTERS, 1, [[1, 0], [1, 0], [0, 0], [0, 0]]), INVALID),
        (lambda: tf.nn.conv2d(IMAGE, FILTERS, 1, [[1, 0], [1, 0]]), ValueError),
        (lambda: tf.nn.conv2d(IMAGE, tf.ones([7, 7, 3, 4]), 1, "VALID"), INVALID),
        (lambda: tf.nn.conv2d(IMAGE[0], FILTERS, 1, "VALID"), INVALID),
        (lambda: tf.nn.conv2d(IMAGE, FILTERS[0], 1, "VALID"), INVALID),
        (lambda: tf.nn.conv2d(IMAGE, tf.ones([2, 2, 2, 4]), 1, "VALID"), INVALID),
        (lambda: tf.nn.conv2d(IMAGE, tf.ones([2, 2, 1, 4]), 1, "VALID"), INVALID),
        (lambda: tf.nn.conv2d(IMAGE, tf.ones([0, 2, 3, 4]), 1, "VALID"), INVALID),
        (lambda: tf.nn.conv2d(IMAGE, tf.ones([2, 2, 0, 4]), 1, "VALID"), INVALID),
        (lambda: tf.nn.conv2d(IMAGE, tf.cast(FILTERS, tf.float64), 1, "VALID"), INVALID),
        (lambda: tf.nn.conv2d(IMAGE, FILTERS, 1, "SAME", data_format="NCWH"), INVALID),
        (lambda: tf.nn.convolution(IMAGE, FILTERS, strides=2, dilations=2), ValueError),
        (lambda: tf.nn.conv2d_transpose(IMAGE, tf.ones([2, 2, 4, 3]), [2, 8, 9, 4], 2), INVALID),
        (lambda: tf.nn.conv2d_transpose(IMAGE, tf.ones([2, 2, 4, 3]), [2, 10, 10, 3], 2), INVALID),
        (lambda: tf.nn.conv2d_transpose(IMAGE, tf.ones([2, 2, 4, 3]), [3, 10, 10, 4], 2), INVALID),
        (lambda: tf.nn.conv2d_transpose(IMAGE, tf.ones([2, 2, 4, 3]), [2, -1, 10, 4], 2), INVALID),
        (lambda: tf.nn.depthwise_conv2d(IMAGE, tf.ones([2, 2, 2, 2]), [1, 1, 1, 1], "SAME"), INVALID),
        (lambda: tf.nn.atrous_conv2d(IMAGE, FILTERS, 0, "SAME"), ValueError),
        (lambda: tf.nn.dilation2d(IMAGE, tf.ones([2, 2, 2]), ONES, "SAME", "NHWC", ONES), INVALID),
        (lambda: tf.nn.dilation2d(IMAGE, tf.ones([2, 2, 3]), ONES, "SAME", "NCHW", ONES), ValueError),
        (lambda: tf.nn.dilation2d(IMAGE, tf.ones([2, 2, 3]), [1, 0, 1, 1], "SAME", "NHWC", ONES), INVALID),
        (lambda: tf.nn.dilation2d(IMAGE, tf.ones([2, 2, 3]), 1, "SAME", "NHWC", ONES), TypeError),
    ],
)
def test_what_tensorflow_rejects_is_rejected(call: Any, error: Any) -> None:
    with pytest.raises(error):
        call()


def test_corners_that_tensorflow_allows() -> None:
    assert tf.nn.conv2d(IMAGE, tf.ones([6, 6, 3, 4]), 1, "VALID").shape == (2, 0, 0, 4)
    assert tf.nn.conv2d(IMAGE, tf.ones([8, 8, 3, 4]), 2, "VALID").shape == (2, 0, 0, 4)
    assert tf.nn.conv2d(IMAGE, tf.ones([2, 2, 3, 0]), 1, "VALID").shape == (2, 4, 4, 0)
    assert tf.nn.conv2d(tf.ones([2, 0, 5, 3]), FILTERS, 1, "SAME").shape == (2, 0, 5, 4)
    assert tf.nn.conv2d_transpose(IMAGE, tf.ones([2, 2, 4, 3]), [11, 11], 2, "VALID").shape == (2, 11, 11, 4)
    whole = tf.nn.conv2d(tf.cast(IMAGE, tf.int32), tf.cast(FILTERS, tf.int32), 1, "VALID")
    assert whole.dtype == tf.int32
    assert whole.numpy().max() == 12
