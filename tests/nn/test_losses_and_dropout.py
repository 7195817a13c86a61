"""Losses, moments and dropout: facts and errors, as TensorFlow has them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf

INVALID = tf.errors.InvalidArgumentError
X = tf.reshape(tf.range(1.0, 151.0), (2, 5, 5, 3))
LOGITS = tf.constant([[1.0, 2.0], [3.0, 4.0]])


def test_dropout_keeps_the_expected_sum_and_its_share() -> None:
    x = tf.ones([200, 200])
    y = tf.nn.dropout(x, 0.25, seed=3).numpy()
    assert set(np.unique(y)) == {np.float32(0), np.float32(4 / 3)}
    assert abs((y > 0).mean() - 0.75) < 0.01


def test_dropout_gradient_is_the_mask() -> None:
    x = tf.constant(np.linspace(1, 2, 50))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.dropout(x, 0.5)
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), y.numpy() / x.numpy())


def test_dropout_noise_shape_drops_together() -> None:
    y = tf.nn.dropout(tf.ones([8, 4, 5]), 0.5, noise_shape=[None, 1, 5], seed=1).numpy()
    assert (y == y[:, :1]).all()
    assert 0 < y.mean() < 2


def test_dropout_is_repeated_by_a_seed_and_by_set_seed() -> None:
    x = tf.ones([100])
    tf.random.set_seed(4)
    first = tf.nn.dropout(x, 0.5).numpy()
    tf.random.set_seed(4)
    np.testing.assert_array_equal(first, tf.nn.dropout(x, 0.5).numpy())
    assert not np.array_equal(first, tf.nn.dropout(x, 0.5).numpy())


def test_dropout_of_rate_zero_is_the_tensor_and_a_tensor_rate_has_a_gradient() -> None:
    assert tf.nn.dropout(X, 0) is X
    rate = tf.constant(0.5)
    with tf.GradientTape() as tape:
        tape.watch(rate)
        y = tf.reduce_sum(tf.nn.dropout(tf.ones([10]), rate))
    np.testing.assert_allclose(tape.gradient(y, rate), y * 2)


def test_stateless_dropout_depends_on_its_seed_alone() -> None:
    x = tf.ones([100])
    first = tf.nn.experimental.stateless_dropout(x, 0.5, seed=[1, 2]).numpy()
    np.testing.assert_array_equal(first, tf.nn.experimental.stateless_dropout(x, 0.5, seed=[1, 2]).numpy())
    assert not np.array_equal(first, tf.nn.experimental.stateless_dropout(x, 0.5, seed=[1, 3]).numpy())
    kept = tf.nn.experimental.general_dropout(x, 0.5, lambda shape, dtype: tf.fill(shape, tf.cast(0.7, dtype)))
    assert kept.numpy().tolist() == [2.0] * 100


def test_moments_from_sufficient_statistics() -> None:
    x = tf.constant(np.random.default_rng(0).standard_normal((4, 3)))
    mean, variance = tf.nn.moments(x, [0])
    for shift in (None, 0.5):
        found = tf.nn.normalize_moments(*tf.nn.sufficient_statistics(x, [0], shift))
        np.testing.assert_allclose(found[0], mean)
        np.testing.assert_allclose(found[1], variance)
    np.testing.assert_allclose(mean, x.numpy().mean(0))
    np.testing.assert_allclose(variance, x.numpy().var(0))
    assert [m.shape for m in tf.nn.moments(x, [-1], keepdims=True)] == [(4, 1), (4, 1)]


def test_moments_of_float16_are_computed_in_float32() -> None:
    x = tf.fill([4096], tf.constant(32.0, tf.float16))
    mean, variance = tf.nn.moments(x, [0])
    assert (mean.numpy(), variance.numpy(), mean.dtype) == (32.0, 0.0, tf.float16)


def test_batch_normalization_takes_lists() -> None:
    for offset, expected in ((None, [[-1.0], [1.0]]), ([0.5], [[-0.5], [1.5]])):
        y = tf.nn.batch_normalization([[1.0], [3.0]], [2.0], [1.0], offset, None, 0.0)
        np.testing.assert_array_equal(y, expected)


def test_batch_normalization_of_half_types_keeps_their_type() -> None:
    y = tf.nn.batch_normalization(tf.cast(X, tf.float16), tf.zeros(3), tf.ones(3), None, None, 1e-3)
    assert y.dtype == tf.float16


def test_softmax_cross_entropy_takes_any_axis_and_casts_labels() -> None:
    logits = tf.constant(np.random.default_rng(1).standard_normal((2, 3, 4)))
    labels = tf.nn.softmax(logits * 0.3, axis=1)
    last = tf.nn.softmax_cross_entropy_with_logits(tf.transpose(labels, [0, 2, 1]), tf.transpose(logits, [0, 2, 1]))
    np.testing.assert_allclose(tf.nn.softmax_cross_entropy_with_logits(labels, logits, axis=1), last)
    whole = tf.nn.softmax_cross_entropy_with_logits(tf.constant([[1, 0]]), tf.constant([[1.0, 2.0]]))
    np.testing.assert_allclose(whole, [1.3132616])
    spread = tf.nn.softmax_cross_entropy_with_logits(tf.constant([[1.0, 0.0]]), LOGITS)
    np.testing.assert_allclose(spread, [1.3132616, 1.3132616])


def test_sparse_cross_entropy_of_any_rank() -> None:
    np.testing.assert_allclose(tf.nn.sparse_softmax_cross_entropy_with_logits(0, [1.0, 2.0]), 1.3132616)
    assert tf.nn.sparse_softmax_cross_entropy_with_logits(tf.zeros([2, 3], tf.int32), tf.zeros([2, 3, 4])).shape == (
        2,
        3,
    )
    assert tf.nn.sparse_softmax_cross_entropy_with_logits(tf.zeros([0], tf.int32), tf.zeros([0, 3])).shape == (0,)


def test_averages_of_losses() -> None:
    assert tf.nn.compute_average_loss([1.0, 2.0], [1.0, 0.5]).numpy() == 1.0
    assert tf.nn.compute_average_loss([1.0, 2.0], global_batch_size=4).numpy() == 0.75
    whole = tf.nn.compute_average_loss([1, 2], global_batch_size=4)
    assert (whole.numpy(), whole.dtype) == (0.75, tf.float64)
    assert tf.nn.scale_regularization_loss([1.0, 2.0]).numpy() == 3.0
    assert tf.nn.scale_regularization_loss([1, 2]).dtype == tf.float64


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: tf.nn.dropout(X, 1.0), ValueError),
        (lambda: tf.nn.dropout(X, -0.1), ValueError),
        (lambda: tf.nn.dropout(X, "a"), ValueError),
        (lambda: tf.nn.dropout(tf.cast(X, tf.int32), 0.5), ValueError),
        (lambda: tf.nn.dropout(X, tf.constant(0.5, tf.float64)), ValueError),
        (lambda: tf.nn.dropout(X, tf.constant([0.5])), ValueError),
        (lambda: tf.nn.dropout(X, 0.5, noise_shape=[2, 1, 1]), INVALID),
        (lambda: tf.nn.dropout(X, 0.5, noise_shape=[2, 4, 1, 3]), INVALID),
        (lambda: tf.nn.log_poisson_loss([1.0, 2.0], [0.0, 1.0, 2.0]), ValueError),
        (lambda: tf.nn.compute_average_loss(3.0), ValueError),
        (lambda: tf.nn.compute_average_loss([1.0], global_batch_size=4.0), TypeError),
        (lambda: tf.nn.compute_average_loss([1.0], global_batch_size=[4]), ValueError),
        (lambda: tf.nn.softmax_cross_entropy_with_logits([[1.0, 0.0]], [[1.0, 2.0]], axis=5), INVALID),
        (lambda: tf.nn.sigmoid_cross_entropy_with_logits([1.0, 2.0], [1.0]), ValueError),
        (lambda: tf.nn.sigmoid_cross_entropy_with_logits(logits=[1.0]), ValueError),
        (lambda: tf.nn.weighted_cross_entropy_with_logits([1.0, 2.0], [1.0], 2.0), ValueError),
        (lambda: tf.nn.sparse_softmax_cross_entropy_with_logits([0, 2], LOGITS), INVALID),
        (lambda: tf.nn.sparse_softmax_cross_entropy_with_logits([[0, 1]], LOGITS), ValueError),
        (lambda: tf.nn.sparse_softmax_cross_entropy_with_logits([0.0, 1.0], LOGITS), INVALID),
        (lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(0, 1.0), ValueError),
        (lambda: tf.nn.l2_loss([1, 2]), INVALID),
        (lambda: tf.nn.silu(tf.constant([1, 2])), INVALID),
        (lambda: tf.nn.gelu(tf.constant([1, 2])), ValueError),
        (lambda: tf.nn.lrn(X[0], 2), INVALID),
        (lambda: tf.nn.lrn(X, -1), INVALID),
        (lambda: tf.nn.moments(X, [0, 1, 2, 7]), INVALID),
        (lambda: tf.nn.sufficient_statistics(X, [7]), INVALID),
        (lambda: tf.nn.bias_add(X, tf.ones(3), "NC.."), INVALID),
        (lambda: tf.nn.bias_add(X, tf.ones(3), "FOO"), ValueError),
        (lambda: tf.nn.bias_add(tf.ones(3), tf.ones(3)), INVALID),
        (
            lambda: tf.nn.nce_loss(tf.ones([5, 2]), tf.ones(5), [[1], [2]], tf.ones([3, 2]), 3, 5, 1, (0, 0, 0)),
            INVALID,
        ),
    ],
)
def test_what_tensorflow_rejects_is_rejected(call: Any, error: Any) -> None:
    with pytest.raises(error):
        call()


def test_silu_keeps_only_its_features() -> None:
    x = tf.constant(np.linspace(-100, 100, 9))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.silu(x)
    assert np.isfinite(y.numpy()).all()
    np.testing.assert_allclose(tape.gradient(y, x).numpy()[[0, 4, 8]], [0, 0.5, 1], atol=1e-12)


def test_sampled_losses_sample_for_themselves() -> None:
    w, b, x = tf.ones([50, 4]), tf.zeros(50), tf.ones([3, 4])
    loss = tf.nn.nce_loss(w, b, [[1], [2], [3]], x, num_sampled=5, num_classes=50)
    assert loss.shape == (3,)
    soft = tf.nn.sampled_softmax_loss(w, b, [[1], [2], [3]], x, num_sampled=5, num_classes=50, seed=1)
    assert np.isfinite(soft.numpy()).all()
