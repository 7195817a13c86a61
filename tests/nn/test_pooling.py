"""Facts about pools that hold between calls, and what they reject."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf

rng = np.random.default_rng(6)
IMAGE = tf.reshape(tf.range(1.0, 151.0), (2, 5, 5, 3))
INVALID = tf.errors.InvalidArgumentError


def close(a: Any, b: Any) -> None:
    np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("pool", [tf.nn.max_pool2d, tf.nn.avg_pool2d])
def test_channels_first_is_channels_last_transposed(pool: Any) -> None:
    x = tf.constant(rng.standard_normal((2, 5, 6, 3)))
    first = tf.transpose(x, [0, 3, 1, 2])
    close(
        pool(first, 2, [2, 1], "SAME", data_format="NCHW"),
        tf.transpose(pool(x, 2, [2, 1], "SAME"), [0, 3, 1, 2]),
    )


def test_the_rank_chooses_the_pool() -> None:
    x = tf.constant(rng.standard_normal((2, 6, 3)))
    close(tf.nn.max_pool(x, 2, 2, "SAME"), tf.nn.max_pool1d(x, 2, 2, "SAME"))
    close(tf.nn.avg_pool(x[:, None], 2, 2, "SAME"), tf.nn.avg_pool2d(x[:, None], 2, 2, "SAME"))
    close(tf.nn.pool(x, [2], "MAX", strides=[2]), tf.nn.max_pool1d(x, 2, 2, "VALID"))


def test_argmax_is_the_position_in_the_image() -> None:
    found = tf.nn.max_pool_with_argmax(IMAGE, 2, 2, "SAME")
    expected = [[18, 24, 27], [48, 54, 57], [63, 69, 72]]
    assert found.argmax.numpy()[:, :, :, 0].tolist() == [expected, expected]
    assert found.argmax.dtype == tf.int64
    batch = tf.nn.max_pool_with_argmax(IMAGE, 2, 2, "SAME", output_dtype=tf.int32, include_batch_in_index=True)
    assert batch.argmax.numpy()[1, :, :, 0].tolist() == [[93, 99, 102], [123, 129, 132], [138, 144, 147]]
    assert batch.argmax.dtype == tf.int32
    close(tf.gather(tf.reshape(IMAGE, [-1]), batch.argmax), batch.output)


def test_equal_elements_give_the_gradient_to_the_first() -> None:
    x = tf.ones([1, 4, 4, 1])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.max_pool2d(x, 2, 2, "VALID")
    assert tape.gradient(y, x).numpy()[0, :, :, 0].tolist() == [[1, 0, 1, 0], [0] * 4, [1, 0, 1, 0], [0] * 4]


def test_large_windows_choose_the_same_places_as_small_ones() -> None:
    # Windows of more than nine places are reduced axis by axis; ties must still go to the first in
    # row-major order.
    x = tf.constant(rng.integers(0, 3, (2, 9, 9, 2)).astype(np.float64))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.max_pool2d(x, 4, 2, "SAME")
    g = rng.standard_normal(y.shape)
    found = tape.gradient(y, x, tf.constant(g)).numpy()
    argmax = tf.nn.max_pool_with_argmax(x, 4, 2, "SAME", include_batch_in_index=True).argmax.numpy()
    expected = np.zeros(found.size)
    np.add.at(expected, argmax.ravel(), g.ravel())
    close(found.ravel(), expected)


def test_half_types_average_in_float32() -> None:
    x = tf.fill([1, 32, 32, 1], tf.constant(100.0, tf.float16))  # the sum is beyond float16
    assert tf.nn.avg_pool2d(x, 32, 1, "VALID").numpy().ravel().tolist() == [100.0]


def test_integers_have_a_largest_element() -> None:
    assert tf.nn.max_pool2d(-tf.cast(IMAGE, tf.int32), 2, 2, "SAME").numpy()[0, 0, 0].tolist() == [-1, -2, -3]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: tf.nn.max_pool2d(IMAGE, 2, 0, "SAME"), INVALID),
        (lambda: tf.nn.max_pool2d(IMAGE, 0, 1, "SAME"), INVALID),
        (lambda: tf.nn.max_pool2d(IMAGE, 7, 1, "VALID"), INVALID),
        (lambda: tf.nn.max_pool2d(IMAGE, 2, 1, "FOO"), INVALID),
        (lambda: tf.nn.max_pool2d(IMAGE, 2, 1, [[0, 0], [2, 1], [1, 1], [0, 0]]), INVALID),
        (lambda: tf.nn.max_pool2d(IMAGE, [2, 1, 1, 1], 1, "VALID"), tf.errors.UnimplementedError),
        (lambda: tf.nn.avg_pool2d(IMAGE, [1, 1, 1, 3], [1, 1, 1, 3], "VALID"), tf.errors.UnimplementedError),
        (lambda: tf.nn.max_pool2d(IMAGE, [1, 1, 1, 2], [1, 1, 1, 2], "VALID"), tf.errors.UnimplementedError),
        (lambda: tf.nn.max_pool(IMAGE[0, 0], 2, 2, "SAME"), ValueError),
        (lambda: tf.nn.avg_pool2d(tf.cast(IMAGE, tf.int32), 2, 2, "SAME"), INVALID),
        (lambda: tf.nn.max_pool2d(tf.cast(IMAGE, tf.bool), 2, 2, "SAME"), INVALID),
        (lambda: tf.nn.pool(IMAGE, [2, 2], "SUM"), ValueError),
        (lambda: tf.nn.pool(IMAGE, [2, 2], "MAX", padding="SAME", dilations=[2, 2]), ValueError),
        (lambda: tf.nn.pool(IMAGE, [2, 2], "MAX", strides=[2, 2], dilations=[2, 2]), ValueError),
        (lambda: tf.nn.pool(IMAGE, [2], "MAX"), ValueError),
        (lambda: tf.nn.max_pool_with_argmax(IMAGE, 2, 2, "SAME", output_dtype=tf.float32), INVALID),
        (lambda: tf.nn.max_pool_with_argmax(IMAGE, 2, 2, "SAME", data_format="NCHW"), ValueError),
    ],
)
def test_what_tensorflow_rejects_is_rejected(call: Any, error: Any) -> None:
    with pytest.raises(error):
        call()


def test_a_fractional_pool_takes_one_ratio_for_rows_and_columns():
    images = np.arange(64.0, dtype=np.float32).reshape(1, 8, 8, 1)
    one = tf.nn.fractional_max_pool(images, 1.5, seed=3)
    four = tf.nn.fractional_max_pool(images, [1.0, 1.5, 1.5, 1.0], seed=3)
    assert one.output.shape == (1, 5, 5, 1)
    for a, b in zip(one, four, strict=True):
        np.testing.assert_array_equal(a.numpy(), b.numpy())
    for ratio in (0.5, -1.0, "a", None, [1.5, 1.5]):
        with pytest.raises(ValueError, match="pooling_ratio"):
            tf.nn.fractional_max_pool(images, ratio)
