"""Boxes: what TensorFlow chose and drew, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.ops.image.detection import _BOXES, _SCORES

BOXES, SCORES = _BOXES.astype(np.float32), _SCORES.astype(np.float32)


def test_the_boxes_that_tensorflow_takes() -> None:
    np.testing.assert_array_equal(tf.image.non_max_suppression(BOXES, SCORES, 4, 0.1), [3, 1, 4, 5])
    np.testing.assert_array_equal(tf.image.non_max_suppression(BOXES, SCORES, 10, 0.0, 0.6), [3])
    chosen, count = tf.image.non_max_suppression_padded(BOXES, SCORES, 8, 0.1, pad_to_max_output_size=True)
    np.testing.assert_array_equal(chosen, [3, 1, 4, 5, 2, 0, 0, 0])
    assert int(count) == 6
    chosen, scores = tf.image.non_max_suppression_with_scores(BOXES, SCORES, 6, 0.5, 0.1, 0.3)
    np.testing.assert_array_equal(chosen, [3, 1, 4, 5, 2, 0])
    expected = [0.9446689, 0.63984895, 0.5199585, 0.4146468, 0.14335328, 0.11826259]
    np.testing.assert_allclose(scores, expected, rtol=1e-5)


def test_boxes_of_several_classes() -> None:
    scores = np.array([[[0.9, 0.1], [0.8, 0.7], [0.3, 0.95], [0.2, 0.2], [0.1, 0.6], [0.5, 0.4]]], np.float32)
    boxes, values, kinds, count = tf.image.combined_non_max_suppression(BOXES[None, :, None], scores, 2, 3, 0.1, 0.2)
    np.testing.assert_allclose(values, [[0.95, 0.9, 0.8]])
    np.testing.assert_array_equal(kinds, [[1.0, 0.0, 0.0]])
    np.testing.assert_array_equal(count, [3])
    np.testing.assert_allclose(boxes[0, 0], BOXES[2])


def test_outlines_are_drawn_where_tensorflow_draws_them() -> None:
    boxes = [[[0.1, 0.2, 0.8, 0.9], [-0.5, 0.5, 0.5, 1.5]]]
    drawn = tf.image.draw_bounding_boxes(tf.zeros((1, 5, 6, 3)), boxes, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    rows = ["014110", "014010", "014444", "011110", "000000"]
    np.testing.assert_array_equal(drawn[0, :, :, 0], [[int(c) for c in row] for row in rows])
    yellow = tf.image.draw_bounding_boxes(tf.zeros((1, 5, 6, 3)), boxes, None)
    np.testing.assert_array_equal(yellow[0, 3, 1], [1.0, 1.0, 0.0])
    half = tf.image.draw_bounding_boxes(tf.zeros((1, 5, 6, 3), tf.float16), boxes, None)
    assert half.dtype == tf.float16


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.image.non_max_suppression(BOXES, SCORES[:3], 4),
        lambda: tf.image.non_max_suppression(BOXES[:, :3], SCORES, 4),
        lambda: tf.image.non_max_suppression(BOXES, SCORES, -1),
        lambda: tf.image.non_max_suppression(BOXES, SCORES, 4, 1.5),
        lambda: tf.image.draw_bounding_boxes(tf.zeros((5, 6, 3)), BOXES[None], None),
        lambda: tf.image.draw_bounding_boxes(tf.zeros((1, 5, 6, 3)), BOXES, None),
    ],
)
def test_what_does_not_fit_is_refused(call: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        call()


def test_a_padded_choice_has_a_known_size_inside_a_function():
    boxes = tf.constant([[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9], [2.0, 2.0, 3.0, 3.0]])
    scores = tf.constant([0.9, 0.8, 0.7])

    @tf.function
    def chosen(boxes, scores):
        found, count = tf.image.non_max_suppression_padded(boxes, scores, 4, pad_to_max_output_size=True)
        assert found.shape == [4]
        return found, count

    found, count = chosen(boxes, scores)
    assert (found.numpy().tolist(), int(count)) == ([0, 2, 0, 0], 2)


def test_soft_suppression_keeps_boxes_that_overlap_much_with_lower_scores():
    boxes = [[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, -0.1, 1, 0.9], [0, 10, 1, 11], [0, 10.1, 1, 11.1], [0, 100, 1, 101]]
    scores = [0.9, 0.75, 0.6, 0.95, 0.5, 0.3]
    chosen, kept = tf.image.non_max_suppression_with_scores(tf.cast(boxes, tf.float32), scores, 6, 0.5, 0.0, 0.5)
    assert chosen.numpy().tolist() == [3, 0, 1, 5, 4, 2]
    np.testing.assert_allclose(kept, [0.95, 0.9, 0.384, 0.3, 0.256, 0.197], atol=1e-3)
