"""`tf.train.GradientAccumulator`: k small batches equal one large one."""

import numpy as np
import pytest

import gradtape as tf


def gradients_of(w, x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((tf.linalg.matvec(x, w) - y) ** 2)
    return tape.gradient(loss, [w])


@pytest.mark.parametrize("exact", [True, False])
def test_small_batches_equal_one_large_batch(exact):
    draw = np.random.default_rng(0)
    x, y = draw.normal(size=(32, 4)), draw.normal(size=32)
    if exact:  # integers and powers of two: no rounding anywhere, so the bytes must be the same
        x, y = np.round(x * 4), np.round(y * 4)
    w = tf.Variable(np.array([1.0, -2.0, 3.0, 0.5]))
    accumulator = tf.train.GradientAccumulator()
    for start in range(0, 32, 8):
        accumulator(gradients_of(w, x[start : start + 8], y[start : start + 8]))
    (large,) = gradients_of(w, x, y)
    (small,) = accumulator.gradients
    assert accumulator.step == 4
    assert small.dtype == tf.float64
    if exact:
        np.testing.assert_array_equal(small, large)
    else:
        np.testing.assert_allclose(small, large, rtol=1e-14)


def test_batches_of_different_sizes_are_weighted():
    w = tf.Variable(np.array([1.0, 2.0]))
    x, y = np.array([[1.0, 2.0], [4.0, 8.0], [2.0, 1.0], [0.0, 2.0]]), np.array([1.0, 2.0, 3.0, 4.0])
    accumulator = tf.train.GradientAccumulator()
    accumulator.add(gradients_of(w, x[:3], y[:3]), weight=3)
    accumulator.add(gradients_of(w, x[3:], y[3:]), weight=1)
    np.testing.assert_allclose(accumulator.gradients[0], gradients_of(w, x, y)[0], rtol=1e-15)


def test_a_sum_does_not_divide():
    accumulator = tf.train.GradientAccumulator(reduction="sum")
    for value in (1.0, 2.0, 4.0):
        accumulator.add([tf.constant(value)])
    assert accumulator.gradients[0].numpy() == 7.0


def test_the_structure_is_kept():
    accumulator = tf.train.GradientAccumulator()
    accumulator.add({"a": tf.constant(1.0), "b": (tf.constant(2.0), None)})
    accumulator.add({"a": tf.constant(3.0), "b": (None, None)})
    result = accumulator.gradients
    assert result["a"].numpy() == 2.0
    assert result["b"][0].numpy() == 1.0  # None counts as zero beside a gradient
    assert result["b"][1] is None


def slices(rows, indices, count=3):
    return tf.IndexedSlices(tf.constant(rows), tf.constant(indices), tf.constant([count, 2]))


def test_slices_stay_slices():
    accumulator = tf.train.GradientAccumulator(reduction="sum")
    accumulator.add([slices([[1.0, 1.0]], [2])])
    accumulator.add([slices([[2.0, 2.0]], [0])])
    (total,) = accumulator.gradients
    assert isinstance(total, tf.IndexedSlices)
    assert total.indices.numpy().tolist() == [2, 0]
    np.testing.assert_array_equal(tf.convert_to_tensor(total), [[2, 2], [0, 0], [1, 1]])


def test_slices_hold_no_more_rows_than_the_variable():
    accumulator = tf.train.GradientAccumulator(reduction="sum")
    for _ in range(10):
        accumulator.add([slices([[1.0, 2.0], [1.0, 2.0]], [1, 2])])
    (total,) = accumulator.gradients
    assert len(total.indices) <= 4
    np.testing.assert_array_equal(tf.convert_to_tensor(total), [[0, 0], [10, 20], [10, 20]])


@pytest.mark.parametrize("dense_first", [True, False])
def test_slices_and_dense_are_dense(dense_first):
    parts = [tf.ones([3, 2]), slices([[1.0, 1.0]], [1])]
    accumulator = tf.train.GradientAccumulator(reduction="sum")
    for part in parts if dense_first else parts[::-1]:
        accumulator.add([part])
    np.testing.assert_array_equal(accumulator.gradients[0], [[1, 1], [2, 2], [1, 1]])


def test_embeddings_accumulate_as_users_expect():
    table = tf.Variable(np.arange(8.0).reshape(4, 2))
    accumulator = tf.train.GradientAccumulator(reduction="sum")
    for ids in ([0, 1], [1, 3]):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(table, ids) ** 2)
        accumulator.add(tape.gradient(loss, [table]))
    expected = 2 * np.array([[0, 1], [4, 6], [0, 0], [6, 7]])
    np.testing.assert_array_equal(tf.convert_to_tensor(accumulator.gradients[0]), expected)


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16])
def test_narrow_types_are_added_up_in_float32(dtype):
    accumulator = tf.train.GradientAccumulator(reduction="sum")
    accumulator.add([tf.constant(256.0, dtype)])
    for _ in range(256):
        accumulator.add([tf.constant(0.25, dtype)])
    (total,) = accumulator.gradients
    assert total.dtype == dtype
    assert float(total) == 320.0


def test_what_was_added_is_not_changed():
    given = tf.ones([2])
    accumulator = tf.train.GradientAccumulator()
    accumulator.add([given])
    accumulator.add([given])
    np.testing.assert_array_equal(given, [1, 1])


def test_reset_starts_again():
    accumulator = tf.train.GradientAccumulator()
    accumulator.add([tf.constant(1.0)])
    accumulator.reset()
    assert accumulator.step == 0
    accumulator.add([tf.constant(5.0), None])
    assert accumulator.gradients[0].numpy() == 5.0


def test_the_state_goes_on_where_it_was():
    accumulator = tf.train.GradientAccumulator()
    accumulator.add({"a": slices([[1.0, 1.0]], [2]), "b": tf.constant(2.0), "c": None}, weight=2)
    twin = tf.train.GradientAccumulator()
    twin.set_state(accumulator.get_state())
    for one in (accumulator, twin):
        one.add({"a": slices([[1.0, 1.0]], [1]), "b": tf.constant(1.0), "c": None})
    first, second = accumulator.gradients, twin.gradients
    np.testing.assert_array_equal(tf.convert_to_tensor(first["a"]), tf.convert_to_tensor(second["a"]))
    assert first["b"].numpy() == second["b"].numpy()
    assert second["c"] is None


def test_bad_input_changes_nothing():
    accumulator = tf.train.GradientAccumulator()
    with pytest.raises(ValueError, match="nothing was added"):
        _ = accumulator.gradients
    accumulator.add([tf.constant(1.0), tf.ones([2])])
    with pytest.raises(ValueError, match="1 gradients were given, and 2 before"):
        accumulator.add([tf.constant(1.0)])
    with pytest.raises(ValueError, match=r"number 1 has shape \(3,\)"):
        accumulator.add([tf.constant(1.0), tf.ones([3])])
    with pytest.raises(ValueError, match="float64"):
        accumulator.add([tf.constant(1.0), tf.ones([2], tf.float64)])
    with pytest.raises(ValueError, match="dense_shape"):
        accumulator.add([tf.IndexedSlices(tf.ones([1]), tf.constant([0])), None])
    assert accumulator.step == 1
    assert accumulator.gradients[0].numpy() == 1.0
    with pytest.raises(ValueError, match="reduction"):
        tf.train.GradientAccumulator(reduction="max")


def test_a_traced_function_adds_and_resets():
    w, table = tf.Variable([1.0, 2.0]), tf.Variable(tf.ones([3, 2]))
    accumulator = tf.train.GradientAccumulator()

    @tf.function
    def add(x, weight):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(w * x) + tf.reduce_sum(tf.gather(table, [1, 1]))
        accumulator.add(tape.gradient(loss, [w, table]), weight)

    @tf.function
    def take():
        gradients = accumulator.gradients
        accumulator.reset()
        return gradients

    for factor in (1.0, 10.0):  # after a reset it begins again
        add(tf.constant([1.0, 2.0]) * factor, tf.constant(1.0))
        add(tf.constant([3.0, 6.0]) * factor, tf.constant(3.0))
        assert accumulator.step == 2
        first, second = take()
        np.testing.assert_allclose(first, np.array([2.5, 5.0]) * factor)
        np.testing.assert_array_equal(second, [[0, 0], [2, 2], [0, 0]])
        assert accumulator.step == 0
