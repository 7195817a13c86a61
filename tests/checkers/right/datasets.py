"""Datasets know their elements."""

from typing import assert_type

import numpy as np

import gradtape as tf

features, labels = np.ones([8, 2], np.float32), np.zeros([8], np.int64)
numbers = tf.data.Dataset.from_tensor_slices([1, 2, 3])
assert_type(numbers, tf.data.Dataset[tf.Tensor])
assert_type(next(iter(numbers)), tf.Tensor)
assert_type(numbers.map(lambda n: n * 2).batch(2), tf.data.Dataset[tf.Tensor])
assert_type(numbers.map(lambda n: (n, n)).take(1), tf.data.Dataset[tuple[tf.Tensor, tf.Tensor]])
pairs = tf.data.Dataset.from_tensor_slices((features, labels)).shuffle(8, seed=1).batch(4).prefetch(tf.data.AUTOTUNE)
assert_type(pairs, tf.data.Dataset[tuple[tf.Tensor, tf.Tensor]])
for x, y in pairs:
    assert_type(x, tf.Tensor)
    assert_type(y, tf.Tensor)
assert_type(pairs.map(lambda a, b: a + tf.cast(b, tf.float32)), tf.data.Dataset[tf.Tensor])
assert_type(tf.data.Dataset.from_tensor_slices({"a": [1], "b": [2]}), tf.data.Dataset[dict[str, tf.Tensor]])
assert_type(tf.data.Dataset.zip(numbers, pairs), tf.data.Dataset[tuple[tf.Tensor, tuple[tf.Tensor, tf.Tensor]]])
assert_type(numbers.enumerate(), tf.data.Dataset[tuple[tf.Tensor, tf.Tensor]])
assert_type(tf.data.Dataset.range(3).repeat().cardinality(), tf.Tensor)


def prepared(path: str) -> tf.data.Dataset:
    return tf.data.Dataset.list_files(path)
