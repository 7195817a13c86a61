"""tf.sort, tf.argsort, tf.math.top_k, tf.math.in_top_k, tf.math.invert_permutation."""

import numpy as np
import pytest

import gradtape as tf


def gradient(function, x, weights):
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x, output_gradients=tf.constant(weights)).numpy().tolist()


@pytest.mark.parametrize("direction", ["ASCENDING", "DESCENDING"])
@pytest.mark.parametrize("axis", [0, 1, -1, 2])
def test_sort_is_what_argsort_says(axis, direction):
    x = np.random.default_rng(0).integers(0, 4, (3, 4, 5)).astype(np.float32)
    ordered, order = tf.sort(x, axis, direction).numpy(), tf.argsort(x, axis, direction).numpy()
    assert order.dtype == np.int32
    np.testing.assert_array_equal(np.take_along_axis(x, order, axis), ordered)
    expected = np.sort(x, axis)
    np.testing.assert_array_equal(ordered, np.flip(expected, axis) if direction == "DESCENDING" else expected)


def test_equal_elements_keep_their_order_both_ways():
    assert tf.argsort([1.0, 2.0, 1.0, 2.0, 1.0]).numpy().tolist() == [0, 2, 4, 1, 3]
    assert tf.argsort([1.0, 2.0, 1.0, 2.0, 1.0], direction="DESCENDING").numpy().tolist() == [1, 3, 0, 2, 4]
    assert tf.math.top_k([1, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0], 3).indices.numpy().tolist() == [0, 1, 3]


def test_cotangents_go_back_to_where_the_element_came_from():
    assert gradient(tf.sort, [3.0, 1.0, 2.0], [10.0, 20.0, 30.0]) == [30.0, 10.0, 20.0]
    assert gradient(lambda x: tf.sort(x, direction="DESCENDING"), [1.0, 1.0], [10.0, 20.0]) == [10.0, 20.0]
    assert gradient(lambda x: tf.math.top_k(x, 2).values, [3.0, 5.0, 5.0, 1.0], [1.0, 2.0]) == [
        0.0,
        1.0,
        2.0,
        0.0,
    ]


def test_top_k_of_a_long_axis_agrees_with_a_full_sort():
    x = np.random.default_rng(1).integers(0, 30, (7, 500)).astype(np.float32)
    values, indices = tf.math.top_k(x, 9)
    expected = tf.argsort(x, direction="DESCENDING").numpy()[:, :9]
    np.testing.assert_array_equal(indices.numpy(), expected)
    np.testing.assert_array_equal(values.numpy(), np.take_along_axis(x, expected, -1))


def test_nan_is_the_largest():
    x = np.array([1.0, np.nan, 3.0, np.nan, 2.0])
    np.testing.assert_array_equal(tf.sort(x).numpy(), [1.0, 2.0, 3.0, np.nan, np.nan])
    assert tf.math.top_k(x, 3).indices.numpy().tolist() == [1, 3, 2]


def test_the_smallest_integer_can_be_sorted():
    assert tf.sort(tf.constant([-128, 127, 0], tf.int8)).numpy().tolist() == [-128, 0, 127]


def test_top_k_types_and_names():
    found = tf.math.top_k(tf.constant([1.0, 3.0]), tf.constant(1), index_type=tf.int16)
    assert found.indices.dtype == tf.int16
    assert found == (found.values, found.indices)
    for k, index_type in [(3, tf.int32), (-1, tf.int32), (1.0, tf.int32), ([1], tf.int32), (1, tf.uint8)]:
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.math.top_k([1.0, 2.0], k, index_type=index_type)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"direction": "UP"}, ValueError),
        ({"axis": [0]}, ValueError),
        ({"axis": 1}, tf.errors.InvalidArgumentError),
        ({"axis": -2}, tf.errors.InvalidArgumentError),
    ],
)
def test_what_sort_refuses(options, error):
    for function in (tf.sort, tf.argsort):
        with pytest.raises(error):
            function([1.0, 2.0], **options)
        with pytest.raises(tf.errors.InvalidArgumentError):
            function([1j, 2j])


def test_in_top_k_counts_ties_in_and_doubts_out():
    rows = [[1.0, 2.0, 3.0], [1.0, 2.0, 2.0]]
    assert tf.math.in_top_k([0, 1], rows, 1).numpy().tolist() == [False, True]
    assert tf.math.in_top_k([3, -1], rows, 3).numpy().tolist() == [False, False]
    assert tf.math.in_top_k([0, 1], [[1.0, 2.0, np.inf], [np.nan, 2.0, 2.0]], 3).numpy().tolist() == [
        False,
        False,
    ]
    assert tf.math.in_top_k([2], [[1.0, 2.0, 3.0]], 0).numpy().tolist() == [False]


def test_inside_a_vectorized_map():
    x = np.random.default_rng(2).normal(size=(4, 6))
    np.testing.assert_array_equal(tf.vectorized_map(tf.sort, x).numpy(), np.sort(x, -1))
    order = tf.argsort(x)
    back = tf.vectorized_map(tf.math.invert_permutation, order)
    np.testing.assert_array_equal(np.take_along_axis(order.numpy(), back.numpy(), -1), [range(6)] * 4)
    found = tf.vectorized_map(lambda row: tf.math.top_k(row, 2).values, x)
    np.testing.assert_array_equal(found.numpy(), np.sort(x, -1)[:, :-3:-1])
