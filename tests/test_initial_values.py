"""Initializers of the top level, compared with numbers seen in TensorFlow."""

import numpy as np
import pytest

import gradtape as tf


def test_random_numbers_with_a_seed_are_tensorflows_at_each_call():
    make = tf.random_normal_initializer(mean=1.0, stddev=2.0, seed=5)
    expected = [[-3.1107569, 3.3163755], [1.3832172, 0.74044216]]
    for _ in range(2):
        np.testing.assert_array_equal(make(shape=(2, 2)).numpy(), np.array(expected, np.float32))
    np.testing.assert_allclose(make((2,), dtype=tf.float64).numpy(), [-1.3029262, 1.5700114], rtol=1e-7)


def test_random_numbers_without_a_seed_follow_the_global_one():
    for make, draw in [
        (tf.random_normal_initializer(), lambda: tf.random.normal([3], stddev=0.05)),
        (tf.random_uniform_initializer(-1, 1), lambda: tf.random.uniform([3], -1, 1)),
        (tf.random_uniform_initializer(0, 10), lambda: tf.random.uniform([3], 0, 10)),
    ]:
        tf.random.set_seed(1)
        first = make((3,)).numpy()
        tf.random.set_seed(1)
        np.testing.assert_array_equal(first, draw().numpy())
    assert tf.random_uniform_initializer(0, 10)((3,), dtype=tf.int32).dtype == tf.int32
    same = tf.random_uniform_initializer(seed=3)
    np.testing.assert_array_equal(same([4]), same([4]))


def test_constants():
    assert tf.zeros_initializer()((2,), dtype=tf.int32).numpy().tolist() == [0, 0]
    assert tf.ones_initializer()(tf.TensorShape([2])).numpy().tolist() == [1.0, 1.0]
    assert tf.constant_initializer(3)((2, 2)).numpy().tolist() == [[3, 3], [3, 3]]
    assert tf.constant_initializer(3.5)((2,), dtype=tf.float64).dtype == tf.float64
    assert tf.constant_initializer([1, 2, 3, 4])((2, 2)).numpy().tolist() == [[1, 2], [3, 4]]


def test_they_make_variables():
    v = tf.Variable(tf.random_normal_initializer()(shape=(3, 2)))
    assert v.shape == (3, 2)
    w = tf.Variable(lambda: tf.zeros_initializer()([2]))
    assert w.numpy().tolist() == [0.0, 0.0]


def test_configurations_make_the_same_again():
    make = tf.random_normal_initializer(0.0, 0.1, seed=2)
    assert make.get_config() == {"mean": 0.0, "stddev": 0.1, "seed": 2}
    again = type(make).from_config(make.get_config())
    np.testing.assert_array_equal(make([3]), again([3]))
    assert repr(tf.constant_initializer(3)) == "constant_initializer(value=3)"


def test_wrong_arguments():
    for call, error in [
        (lambda: tf.random_normal_initializer()((2,), dtype=tf.int32), ValueError),
        (lambda: tf.random_uniform_initializer()((2,), dtype=tf.string), ValueError),
        (lambda: tf.zeros_initializer()((2,), dtype=tf.string), ValueError),
        (lambda: tf.zeros_initializer()((2,), other=1), TypeError),
        (lambda: tf.constant_initializer(None), TypeError),
        (lambda: tf.constant_initializer([1, 2, 3])((2,)), TypeError),
    ]:
        with pytest.raises(error):
            call()
