"""Segments, bincount, confusion_matrix."""

import numpy as np
import pytest

import gradtape as tf

m = tf.math


def gradient(function, x, dtype=tf.float64):
    x = tf.constant(x, dtype)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x).numpy().tolist()


# --- segments -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.int8, tf.int32, tf.uint8])
def test_extremes_of_empty_segments_are_the_bounds_of_the_type(dtype):
    data = tf.constant([5, 2, 4], dtype)
    largest = m.unsorted_segment_max(data, [0, 0, 2], 3)
    smallest = m.unsorted_segment_min(data, [0, 0, 2], 3)
    assert largest.dtype == smallest.dtype == dtype
    assert largest.numpy().tolist() == [5, dtype.min, 4]
    assert smallest.numpy().tolist() == [2, dtype.max, 4]


def test_ids_that_are_skipped():
    data = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    for function, empty in ((m.segment_sum, 0), (m.segment_mean, 0), (m.segment_prod, 1), (m.segment_max, 0)):
        assert function(data, [0, 0, 2]).numpy()[1].tolist() == [empty, empty]


def test_integers_wrap_and_their_mean_is_truncated():
    data = tf.constant([100, 100, 4], tf.int8)
    assert m.segment_sum(data, [0, 0, 1]).numpy().tolist() == [-56, 4]
    assert m.segment_mean(data, [0, 0, 1]).numpy().tolist() == [-28, 4]
    assert m.segment_mean([5, 2, 4], [0, 0, 1]).numpy().tolist() == [3, 4]
    found = m.unsorted_segment_mean([5, 2, 4], [0, 0, 1], 3)
    assert (found.dtype, found.numpy().tolist()) == (tf.float64, [3.5, 4.0, 0.0])


def test_half_types_add_up_in_float32():
    ones = tf.ones([4096], tf.float16)
    assert m.segment_sum(ones, tf.zeros([4096], tf.int32)).numpy().tolist() == [4096.0]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "complex64", "int32"])
def test_many_rows_add_up_as_few_do(dtype):
    rng = np.random.default_rng(0)
    data, ids = rng.integers(-4, 5, (3000, 3, 5)), rng.integers(-1, 40, 3000)
    expected = np.zeros((40, 3, 5))
    np.add.at(expected, ids[ids >= 0], data[ids >= 0])
    total = m.unsorted_segment_sum(tf.cast(data, dtype), ids, 40)
    assert total.dtype == dtype
    np.testing.assert_array_equal(total.numpy().astype(complex), expected)
    order = np.argsort(ids[ids >= 0], kind="stable")
    total = m.segment_sum(tf.cast(data[ids >= 0][order], dtype), ids[ids >= 0][order])
    np.testing.assert_array_equal(total.numpy().astype(complex), expected)


def test_ties_share_the_derivative():
    assert gradient(lambda x: m.segment_max(x, [0, 0, 0, 1]), [2.0, 2.0, 1.0, 0.0]) == [0.5, 0.5, 0.0, 1.0]
    assert gradient(lambda x: m.unsorted_segment_min(x, [1, -1, 1, 0], 3), [2.0, 0.0, 2.0, 5.0]) == [
        0.5,
        0.0,
        0.5,
        1.0,
    ]


def test_products_with_zeros_have_the_product_of_the_others():
    ids = [0, 0, 1, 1, 1, 2]
    data = [0.0, 3.0, 0.0, 0.0, 2.0, 5.0]
    assert gradient(lambda x: m.segment_prod(x, ids), data) == [3.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    assert gradient(lambda x: m.unsorted_segment_prod(x, ids, 4), data) == [3.0, 0.0, 0.0, 0.0, 0.0, 1.0]


def test_second_derivative_of_a_product_with_one_zero():
    x = tf.constant([0.0, 3.0, 2.0], tf.float64)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = m.segment_prod(x, [0, 0, 0])
        first = tape.gradient(y, x)
    hessian = outer.jacobian(first, x).numpy()
    np.testing.assert_allclose(hessian, [[0.0, 2.0, 3.0], [2.0, 0.0, 0.0], [3.0, 0.0, 0.0]])


def test_empty_segments_leave_no_nan_in_second_derivatives():
    x, w = tf.constant([1.0, 2.0, 3.0]), tf.constant([1.0, 1.0, 1.0, 1.0])
    with tf.GradientTape() as outer:
        outer.watch(w)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = m.unsorted_segment_max(x, [0, 0, 3], 4)
        first = tape.gradient(y, x, output_gradients=w)
    assert outer.gradient(first, w).numpy().tolist() == [1.0, 0.0, 0.0, 1.0]


def test_mean_and_sqrt_n_divide_by_the_number_of_rows():
    data = np.arange(12.0).reshape(6, 2)
    ids = np.array([2, 0, -1, 2, 2, 0])
    total = m.unsorted_segment_sum(data, ids, 4).numpy()
    sizes = np.array([[2.0], [1.0], [3.0], [1.0]])
    np.testing.assert_allclose(m.unsorted_segment_mean(data, ids, 4).numpy(), total / sizes)
    np.testing.assert_allclose(m.unsorted_segment_sqrt_n(data, ids, 4).numpy(), total / np.sqrt(sizes))
    for function in (m.unsorted_segment_mean, m.unsorted_segment_sqrt_n):
        exact, numeric = tf.test.compute_gradient(lambda x, f=function: f(x, ids, 4), [tf.constant(data)], delta=1e-4)
        np.testing.assert_allclose(exact[0], numeric[0], atol=1e-8)
    with pytest.raises(tf.errors.InvalidArgumentError):
        m.unsorted_segment_sqrt_n([1, 2], [0, 1], 2)


def test_num_segments_is_a_scalar_also_as_a_tensor():
    assert m.unsorted_segment_sum([1.0, 2.0], [1, 1], tf.constant(2)).numpy().tolist() == [0.0, 3.0]
    with pytest.raises(tf.errors.InvalidArgumentError):
        m.unsorted_segment_sum([1.0, 2.0], [1, 1], [2])


def test_ids_may_differ_within_a_vectorized_map():
    rng = np.random.default_rng(0)
    data, ids = rng.normal(size=(5, 6, 2)), rng.integers(-1, 3, (5, 6))
    for function in (m.unsorted_segment_sum, m.unsorted_segment_max, m.unsorted_segment_mean):
        found = tf.vectorized_map(
            lambda pair, f=function: f(pair[0], pair[1], 3), (tf.constant(data), tf.constant(ids))
        )
        expected = [function(data[i], ids[i], 3).numpy() for i in range(5)]
        np.testing.assert_allclose(found.numpy(), expected)
    # How many segments there are may differ from entry to entry: these are taken one after the other.
    sorted_ids = np.sort(np.where(np.arange(6) == 0, 2, ids % 3))
    found = tf.vectorized_map(lambda pair: m.segment_sum(*pair), (tf.constant(data), tf.constant(sorted_ids)))
    np.testing.assert_allclose(found, [m.segment_sum(data[i], sorted_ids[i]).numpy() for i in range(5)])
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.vectorized_map(lambda pair: m.unsorted_segment_sum(*pair, 2), (tf.constant(data), tf.constant(ids)))


# --- bincount -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arr", "options", "expected"),
    [
        ([1, 1, 2, 5], {}, [0, 2, 1, 0, 0, 1]),
        ([1, 1], {"minlength": 4}, [0, 2, 0, 0]),
        ([1, 1, 5], {"maxlength": 3}, [0, 2, 0]),
        ([1, 1, 5], {"weights": [1.0, 2.0, 3.0]}, [0.0, 3.0, 0.0, 0.0, 0.0, 3.0]),
        ([1, 1, 5], {"weights": [1.0, 2.0, 3.0], "maxlength": 3}, [0.0, 3.0, 0.0]),
        ([1, 1, 5], {"binary_output": True}, [0, 1, 0, 0, 0, 1]),
        ([[1, 1], [0, 5]], {"axis": -1}, [[0, 2, 0, 0, 0, 0], [1, 0, 0, 0, 0, 1]]),
        (
            [[1, 1], [0, 2]],
            {"axis": -1, "weights": [[1.0, 2.0], [3.0, 4.0]]},
            [[0.0, 3.0, 0.0], [3.0, 0.0, 4.0]],
        ),
        ([1, 1], {"axis": -1}, [0, 2]),
        ([[1, 1], [0, 5]], {}, [1, 2, 0, 0, 0, 1]),
        ([1.7, 1.0, 2.0], {}, [0, 2, 1]),
        ([True, False], {}, [1, 1]),
        (3, {}, [0, 0, 0, 1]),
        ([], {"minlength": 2}, [0, 0]),
        ([1], {"minlength": -4}, [0, 1]),
        ([4, 0], {"minlength": 2, "maxlength": 2}, [1, 0]),
    ],
)
def test_bincount(arr, options, expected):
    found = m.bincount(arr, **options).numpy()
    assert found.tolist() == expected
    assert found.dtype == (np.float32 if "weights" in options else np.int32)


def test_bincount_refuses():
    for arr, options, error in [
        ([-1, 1], {}, tf.errors.InvalidArgumentError),
        ([-1, 1], {"weights": [1.0, 1.0]}, tf.errors.InvalidArgumentError),
        ([1, 1, 5], {"weights": [1.0, 2.0]}, tf.errors.InvalidArgumentError),
        ([1], {"maxlength": -4}, tf.errors.InvalidArgumentError),
        ([[[1]]], {"axis": -1}, tf.errors.InvalidArgumentError),
        ([[1]], {"axis": 1}, ValueError),
        ([1], {"weights": [1.0], "binary_output": True}, ValueError),
    ]:
        with pytest.raises(error):
            m.bincount(arr, **options)
    with pytest.raises(tf.errors.ResourceExhaustedError):
        m.bincount(tf.constant([2**40], tf.int64))


def test_weights_of_bincount_have_a_derivative():
    found = gradient(lambda w: m.bincount([1, 3, 1, 9], w, maxlength=4) * tf.range(4, dtype=tf.float64), [1.0] * 4)
    assert found == [1.0, 3.0, 1.0, 0.0]


# --- confusion_matrix ---------------------------------------------------------------------------------------


def test_confusion_matrix():
    found = m.confusion_matrix([1, 2, 4], [2, 2, 4]).numpy()
    expected = np.zeros((5, 5), np.int32)
    expected[1, 2] = expected[2, 2] = expected[4, 4] = 1
    np.testing.assert_array_equal(found, expected)
    assert m.confusion_matrix([1, 1], [1, 0], weights=[0.5, 2.5], dtype=tf.float32).numpy().tolist() == [
        [0.0, 0.0],
        [2.5, 0.5],
    ]
    assert m.confusion_matrix([[1], [1]], [1, 0]).numpy().tolist() == [[0, 0], [1, 1]]
    assert m.confusion_matrix(tf.zeros([0], tf.int32), tf.zeros([0], tf.int32), 2).numpy().tolist() == [
        [0, 0],
        [0, 0],
    ]
    weighted = gradient(lambda w: m.confusion_matrix([0, 1], [1, 1], weights=w, dtype=w.dtype)[0], [1.0, 1.0])
    assert weighted == [1.0, 0.0]


@pytest.mark.parametrize(
    ("labels", "predictions", "options", "error"),
    [
        ([1, 2], [2, 2], {"num_classes": 2}, tf.errors.InvalidArgumentError),
        ([1, -2], [2, 2], {}, tf.errors.InvalidArgumentError),
        ([1, 1], [1], {}, tf.errors.InvalidArgumentError),
        ([], [], {}, tf.errors.InvalidArgumentError),
        ([1, 1], [1, 0], {"weights": [0.5]}, ValueError),
        (1, 1, {}, ValueError),
        ([[1, 1]], [[1, 0]], {}, ValueError),
        ([2**40], [0], {}, tf.errors.InvalidArgumentError),
    ],
)
def test_confusion_matrix_refuses(labels, predictions, options, error):
    with pytest.raises(error):
        m.confusion_matrix(np.array(labels, np.int64), np.array(predictions, np.int64), **options)
