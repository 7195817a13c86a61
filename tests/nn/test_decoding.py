"""Label sequences read off scores, levels, segments: TensorFlow's numbers on the same inputs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf

SCORES = np.random.RandomState(0).randn(5, 2, 4).astype(np.float32)


def test_the_best_path() -> None:
    (labels,), scores = tf.nn.ctc_greedy_decoder(SCORES, [5, 3])
    np.testing.assert_array_equal(labels.indices, [[0, 0], [1, 0], [1, 1]])
    np.testing.assert_array_equal(labels.values, [0, 0, 2])
    np.testing.assert_array_equal(labels.dense_shape, [2, 2])
    np.testing.assert_allclose(scores, [[-7.61535], [-3.493032]], rtol=1e-5)
    (labels,), _ = tf.nn.ctc_greedy_decoder(SCORES, [5, 3], merge_repeated=False, blank_index=0)
    np.testing.assert_array_equal(labels.values, [3, 3, 3, 2])


def test_the_best_labellings() -> None:
    paths, chances = tf.nn.ctc_beam_search_decoder(SCORES, [5, 3], top_paths=3)
    assert [path.values.numpy().tolist() for path in paths] == [[0, 0, 2], [2, 0, 0, 1], [1, 0, 2, 1]]
    expected = [[-1.9902732, -2.2076759, -2.4572072], [-1.2680192, -1.5635376, -2.549851]]
    np.testing.assert_allclose(chances, expected, rtol=1e-5)
    paths, chances = tf.nn.ctc_beam_search_decoder(SCORES, [5, 3], beam_width=3, top_paths=2)
    np.testing.assert_allclose(chances, [[-2.0562439, -2.6588655], [-1.2680192, -1.8774607]], rtol=1e-5)


def test_a_labelling_is_as_likely_as_all_its_paths_together() -> None:
    (path,), chances = tf.nn.ctc_beam_search_decoder(SCORES[:, :1], [5], beam_width=1000)
    loss = tf.nn.ctc_loss(path.values[None], SCORES[:, :1], [len(path.values)], [5], blank_index=-1)
    np.testing.assert_allclose(-loss, chances[:, 0], rtol=1e-5)


def test_levels_fall_or_rise() -> None:
    x = tf.constant([[3.0, 1.0, 2.0, 5.0], [1.0, 2.0, 3.0, 4.0]])
    falling, levels = tf.nn.isotonic_regression(x)
    np.testing.assert_allclose(falling, [[3.0, 8 / 3, 8 / 3, 8 / 3], [2.5, 2.5, 2.5, 2.5]], rtol=1e-6)
    np.testing.assert_array_equal(levels, [[0, 1, 1, 1], [0, 0, 0, 0]])
    rising, _ = tf.nn.isotonic_regression(x, decreasing=False)
    np.testing.assert_allclose(rising, [[2.0, 2.0, 2.0, 5.0], [1.0, 2.0, 3.0, 4.0]])
    columns, _ = tf.nn.isotonic_regression(tf.transpose(x), axis=0)
    np.testing.assert_allclose(tf.transpose(columns), falling)
    assert tf.nn.isotonic_regression(tf.constant([1, 2]))[0].dtype == tf.float64


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.nn.ctc_greedy_decoder(SCORES[0], [5, 3]),
        lambda: tf.nn.ctc_greedy_decoder(SCORES, [6, 3]),
        lambda: tf.nn.ctc_greedy_decoder(SCORES, [5, 3], blank_index=4),
        lambda: tf.nn.ctc_beam_search_decoder(SCORES, [5, 3], beam_width=2, top_paths=3),
        lambda: tf.nn.collapse_repeated([1, 1], [2]),
    ],
)
def test_what_does_not_fit_is_refused(call: Any) -> None:
    with pytest.raises((tf.errors.InvalidArgumentError, tf.errors.FailedPreconditionError, ValueError)):
        call()


def test_kernels_of_derivatives_are_the_derivatives() -> None:
    rng = np.random.default_rng(0)
    x, filters = tf.constant(rng.normal(size=(1, 4, 4, 2))), tf.constant(rng.normal(size=(2, 2, 2)))
    with tf.GradientTape() as tape:
        tape.watch([x, filters])
        y = tf.nn.dilation2d(x, filters, [1, 1, 1, 1], "VALID", "NHWC", [1, 1, 1, 1])
    given = {"input": x, "filter": filters, "out_backprop": tf.ones_like(y)}
    window = {"strides": [1, 1, 1, 1], "rates": [1, 1, 1, 1], "padding": "VALID"}
    by_image, by_filter = tape.gradient(y, [x, filters])
    np.testing.assert_allclose(tf.raw_ops.Dilation2DBackpropInput(**given, **window), by_image)
    np.testing.assert_allclose(tf.raw_ops.Dilation2DBackpropFilter(**given, **window), by_filter)
    row = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(row)
        padded = tf.pad(row, [[1, 2]], "REFLECT")
    cotangent = tf.range(6.0)
    expected = tape.gradient(padded, row, cotangent)
    np.testing.assert_allclose(tf.raw_ops.MirrorPadGrad(input=cotangent, paddings=[[1, 2]], mode="REFLECT"), expected)
