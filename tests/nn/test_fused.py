"""Normalisation, attention and recurrent steps in one op: against the formulas, and TensorFlow's batch normalisation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf


def images() -> Any:
    return tf.constant(np.random.RandomState(0).randn(2, 3, 2, 2).astype(np.float32))


SCALE, OFFSET = tf.constant([1.0, 2.0]), tf.constant([0.5, -0.5])


def test_batch_norm_in_training_has_tensorflows_numbers() -> None:
    found = tf.raw_ops.FusedBatchNormV3(
        x=images(), scale=SCALE, offset=OFFSET, mean=tf.constant([]), variance=tf.constant([]), epsilon=1e-3
    )
    np.testing.assert_allclose(found.y.numpy().ravel()[:4], [1.5659795, -0.10816029, 0.8607255, 3.9802084], rtol=1e-5)
    np.testing.assert_allclose(found.batch_mean, [0.577063, 0.22373636], rtol=1e-5)
    np.testing.assert_allclose(found.batch_variance, [1.351556, 0.88347775], rtol=1e-5)  # unbiased
    np.testing.assert_allclose(found.reserve_space_2, [1.2389263, 0.80985457], rtol=1e-5)
    assert found.reserve_space_3.shape == (0,)


def test_batch_norm_mixes_what_runs_and_uses_it_in_inference() -> None:
    given = {"mean": tf.constant([0.1, 0.2]), "variance": tf.constant([1.0, 2.0]), "epsilon": 1e-3}
    trained = tf.raw_ops.FusedBatchNormV3(
        x=images(), scale=SCALE, offset=OFFSET, exponential_avg_factor=0.9, is_training=True, **given
    )
    np.testing.assert_allclose(trained.batch_mean, [0.5293567, 0.22136272], rtol=1e-5)
    np.testing.assert_allclose(trained.batch_variance, [1.3164004, 0.99513], rtol=1e-5)
    used = tf.raw_ops.FusedBatchNormV3(x=images(), scale=SCALE, offset=OFFSET, is_training=False, **given)
    np.testing.assert_allclose(used.y.numpy().ravel()[:4], [2.163221, -0.2170057, 1.378299, 2.3855374], rtol=1e-5)


def test_batch_norm_in_both_formats_and_narrow_types() -> None:
    x = images()
    nothing = tf.constant([])
    last = tf.raw_ops.FusedBatchNormV3(x=x, scale=SCALE, offset=OFFSET, mean=nothing, variance=nothing)
    first = tf.raw_ops.FusedBatchNormV3(
        x=tf.transpose(x, [0, 3, 1, 2]), scale=SCALE, offset=OFFSET, mean=nothing, variance=nothing, data_format="NCHW"
    )
    np.testing.assert_allclose(tf.transpose(first.y, [0, 2, 3, 1]), last.y, rtol=1e-6)
    half = tf.raw_ops.FusedBatchNormV3(
        x=tf.cast(x, tf.float16), scale=SCALE, offset=OFFSET, mean=nothing, variance=nothing
    )
    assert half.y.dtype == tf.float16
    assert half.batch_mean.dtype == tf.float32
    for bad in ({"data_format": "CHWN"}, {"x": x[0]}, {"scale": tf.ones(3)}):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.raw_ops.FusedBatchNormV3(
                **{"x": x, "scale": SCALE, "offset": OFFSET, "mean": nothing, "variance": nothing, **bad}
            )


def test_layer_norm_is_the_formula() -> None:
    x = tf.random.stateless_normal((3, 4, 5), [1, 2], dtype=tf.float64)
    mean, variance = tf.nn.moments(x, [-1], keepdims=True)
    expected = (x - mean) / tf.sqrt(variance + 1e-3)
    np.testing.assert_allclose(tf.nn.experimental.layer_norm(x), expected, rtol=1e-12)
    scaled = tf.nn.experimental.layer_norm(x, tf.fill([5], tf.constant(2.0, tf.float64)), np.ones(5))
    np.testing.assert_allclose(scaled, 2 * expected + 1, rtol=1e-12)
    length = tf.sqrt(tf.reduce_mean(x**2, -1, keepdims=True))
    np.testing.assert_allclose(tf.nn.experimental.rms_norm(x, epsilon=0.0), x / length, rtol=1e-12)


def test_layer_norm_of_many_rows_is_that_of_each() -> None:
    x = tf.random.stateless_normal((700, 130), [1, 2])
    whole = tf.nn.experimental.layer_norm(x, tf.ones(130), tf.zeros(130))
    one = tf.nn.experimental.layer_norm(x[333:334], tf.ones(130), tf.zeros(130))
    np.testing.assert_allclose(whole[333:334], one, rtol=1e-5, atol=1e-6)


def attention(q: Any, k: Any, v: Any, hidden: Any) -> Any:
    logits = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    powers = np.where(hidden, 0, np.exp(logits))
    return powers / powers.sum(axis=-1, keepdims=True) @ v


def test_attention_is_the_formula() -> None:
    rng = np.random.default_rng(0)
    q, k, v = rng.normal(size=(2, 3, 4)), rng.normal(size=(2, 5, 4)), rng.normal(size=(2, 5, 6))
    found = tf.nn.experimental.dot_product_attention(q, k, v)
    np.testing.assert_allclose(found, attention(q, k, v, False), rtol=1e-10)
    later = np.arange(5) > np.arange(3)[:, None] + 2
    found = tf.nn.experimental.dot_product_attention(q, k, v, is_causal=True)
    np.testing.assert_allclose(found, attention(q, k, v, later), rtol=1e-10)
    mask = rng.random((2, 1, 5)) < 0.7
    found = tf.nn.experimental.dot_product_attention(q, k, v, mask=mask)
    np.testing.assert_allclose(found, attention(q, k, v, ~mask), rtol=1e-10)


def test_attention_from_which_all_is_hidden_is_finite() -> None:
    x = tf.ones((2, 3))
    found = tf.nn.experimental.dot_product_attention(x, x, x, mask=[[True, False], [False, False]])
    np.testing.assert_allclose(found, np.ones((2, 3)))


@pytest.mark.parametrize(("q", "k", "v"), [((3,), (2, 3), (2, 3)), ((2, 3), (2, 4), (2, 3)), ((2, 3), (4, 3), (5, 3))])
def test_attention_says_which_shapes_it_needs(q: Any, k: Any, v: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="query"):
        tf.nn.experimental.dot_product_attention(tf.ones(q), tf.ones(k), tf.ones(v))


def test_a_recurrent_layer_made_of_steps_learns_through_time() -> None:
    x = tf.random.stateless_normal((4, 2, 3), [1, 2], dtype=tf.float64)
    kernel = tf.Variable(tf.random.stateless_normal((3, 8), [3, 4], dtype=tf.float64))
    recurrent = tf.Variable(tf.random.stateless_normal((2, 8), [5, 6], dtype=tf.float64))

    def final(kernel: Any, recurrent: Any) -> Any:
        h = c = tf.zeros((2, 2), tf.float64)
        for t in range(4):
            h, c, _ = tf.nn.experimental.lstm_step(x[t] @ kernel + h @ recurrent, c)
        return h

    theoretical, numerical = tf.test.compute_gradient(final, [kernel.numpy(), recurrent.numpy()])
    for ours, expected in zip(theoretical, numerical, strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-4, atol=1e-7)
