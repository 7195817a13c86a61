"""`Dataset.rejection_resample`, with TensorFlow's elements for the same seeds."""

from __future__ import annotations

import numpy as np
import pytest

import gradtape as tf


def _pairs(dataset, count=12):
    return [(int(number), int(element)) for number, element in dataset.take(count)]


def test_elements_are_those_of_tensorflow():
    tf.random.set_seed(1)
    numbers = tf.data.Dataset.range(1000)
    found = numbers.rejection_resample(lambda n: tf.cast(n % 2, tf.int32), [0.9, 0.1], [0.5, 0.5], seed=3)
    assert [element for _, element in _pairs(found)] == [0, 0, 2, 4, 1, 6, 2, 8, 10, 3, 4, 12]
    estimated = numbers.rejection_resample(lambda n: n % 4, [0.1, 0.1, 0.1, 0.7], seed=3)
    assert [element for _, element in _pairs(estimated)] == [0, 3, 7, 11, 1, 15, 2, 19, 23, 3, 4, 27]


def test_a_class_that_is_not_wanted_is_left_out_and_equal_shares_change_nothing():
    numbers = tf.data.Dataset.range(20)
    even = numbers.rejection_resample(lambda n: n % 2, [1.0, 0.0], [0.5, 0.5])
    assert _pairs(even, 10) == [(0, n) for n in range(0, 20, 2)]
    same = numbers.rejection_resample(lambda n: n % 2, [0.5, 0.5], [0.5, 0.5])
    assert _pairs(same, 20) == [(n % 2, n) for n in range(20)]


def test_a_class_function_gets_the_parts_of_an_element():
    pairs = tf.data.Dataset.from_tensor_slices((np.arange(50), np.arange(50) * 2))
    found = pairs.rejection_resample(lambda a, b: a % 2, [0.8, 0.2], [0.5, 0.5], seed=5)
    for number, (a, b) in found.take(9):
        assert (int(number), int(b)) == (int(a) % 2, 2 * int(a))
    assert found.element_spec[1] == pairs.element_spec


def test_distributions_must_fit_each_other():
    numbers = tf.data.Dataset.range(4)
    with pytest.raises(tf.errors.InvalidArgumentError, match="one share for each class"):
        numbers.rejection_resample(lambda n: n % 2, [0.5, 0.5], [1.0])
