"""Images as they look after a JPEG file of some quality."""

from __future__ import annotations

import numpy as np
import pytest

import gradtape as tf

pytest.importorskip("PIL")


def picture() -> np.ndarray:
    rows, columns = np.mgrid[0:16, 0:16] / 16
    return np.stack([rows, columns, rows * columns], -1).astype(np.float32)


def test_a_better_quality_is_nearer_to_the_image():
    image = tf.constant(picture())
    errors = [float(tf.reduce_mean(tf.abs(tf.image.adjust_jpeg_quality(image, q) - image))) for q in (5, 50, 95)]
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.02
    assert tf.image.adjust_jpeg_quality(image, 50).dtype == tf.float32
    grey = tf.cast(255.0 * image[..., :1], tf.uint8)
    assert tf.image.adjust_jpeg_quality(grey, 50).shape == (16, 16, 1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="0 to 100"):
        tf.image.adjust_jpeg_quality(image, 101)


def test_random_qualities():
    image = tf.constant(picture())
    first = tf.image.stateless_random_jpeg_quality(image, 5, 90, seed=(1, 2))
    np.testing.assert_array_equal(first, tf.image.stateless_random_jpeg_quality(image, 5, 90, seed=(1, 2)))
    assert tf.image.random_jpeg_quality(image, 5, 90).shape == image.shape
    with pytest.raises(ValueError, match="less than"):
        tf.image.random_jpeg_quality(image, 50, 50)
    with pytest.raises(ValueError, match="between 0 and 100"):
        tf.image.random_jpeg_quality(image, 5, 300)
