"""TensorArray: reading, writing, stacking; shared state; shapes; errors; gradients of what is inside."""

import numpy as np
import pytest

import gradtape as tf

F = tf.float32


def filled(*values, **settings):
    return tf.TensorArray(F, len(values), **settings).unstack(list(values))


def test_an_element_is_read_once_unless_told_otherwise():
    ta = filled(1.0, 2.0)
    assert float(ta.read(0)) == 1.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="clear_after_read"):
        ta.read(0)
    kept = filled(1.0, 2.0, clear_after_read=False)
    assert [float(kept.read(0)) for _ in range(2)] == [1.0, 1.0]


def test_arrays_that_come_from_each_other_share_their_elements():
    first = tf.TensorArray(F, 2)
    second = first.write(0, 5.0)
    assert second is not first
    assert float(first.read(0)) == 5.0
    assert second.identity().size() == 2


def test_what_was_never_written_is_zero_where_the_shape_is_known():
    ta = tf.TensorArray(F, 3).write(1, [1.0, 2.0])
    assert ta.stack().numpy().tolist() == [[0.0, 0.0], [1.0, 2.0], [0.0, 0.0]]
    assert tf.TensorArray(F, 2, element_shape=[2]).read(1).numpy().tolist() == [0.0, 0.0]
    assert tf.TensorArray(tf.string, 2).write(0, "a").stack().numpy().tolist() == [b"a", b""]
    with pytest.raises(ValueError, match="shape"):
        tf.TensorArray(F, 2).stack()


def test_dynamic_size_grows():
    ta = tf.TensorArray(F, 0, dynamic_size=True).write(3, 1.0)
    assert (int(ta.size()), ta.dynamic_size) == (4, True)
    assert int(ta.scatter([0, 5], [1.0, 2.0]).size()) == 6


def test_gather_scatter_split_concat_unstack():
    ta = tf.TensorArray(F, 3).scatter([0, 2], [1.0, 2.0])
    assert ta.gather([2, 0, 1]).numpy().tolist() == [2.0, 1.0, 0.0]
    assert ta.gather([]).shape == (0,)
    pieces = tf.TensorArray(F, 2).split([1.0, 2.0, 3.0], [1, 2])
    assert pieces.concat().numpy().tolist() == [1.0, 2.0, 3.0]
    assert pieces.read(1).numpy().tolist() == [2.0, 3.0]
    assert int(tf.TensorArray(F, 3).unstack([1.0, 2.0]).size()) == 2


def test_what_it_says_of_itself():
    ta = tf.TensorArray("float32", 2)
    assert (ta.dtype, ta.handle, ta.dynamic_size, ta.element_shape.rank) == (F, None, False, None)
    assert ta.flow.dtype == tf.int32
    ta.write(0, [1.0])
    assert ta.element_shape == [1]
    assert tf.TensorArray(F, 2, infer_shape=False).write(0, [1.0]).element_shape.rank is None
    ta.close()
    assert int(ta.size()) == 0


def test_gradients_follow_the_elements():
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        ta = tf.TensorArray(F, 3).unstack(x * x)
        y = ta.read(0) * ta.read(2) + tf.reduce_sum(tf.TensorArray(F, 2, infer_shape=False).split(x, [1, 2]).concat())
    assert tape.gradient(y, x).numpy().tolist() == [2.0 * 9.0 + 1.0, 1.0, 6.0 * 1.0 + 1.0]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: filled(1.0).read(1), tf.errors.OutOfRangeError),
        (lambda: filled(1.0).read(-1), tf.errors.OutOfRangeError),
        (lambda: filled(1.0).write(1, 1.0), tf.errors.OutOfRangeError),
        (lambda: filled(1.0).write(-1, 1.0), tf.errors.OutOfRangeError),
        (lambda: tf.TensorArray(F, 0, dynamic_size=True).write(2**40, 1.0), tf.errors.OutOfRangeError),
        (lambda: filled(1.0).write(0, tf.constant(1)), tf.errors.InvalidArgumentError),
        (lambda: filled(1.0).write(0, tf.constant(1.0, tf.float64)), tf.errors.InvalidArgumentError),
        (lambda: filled(1.0).write(0, [1.0]), ValueError),
        (lambda: tf.TensorArray(F, 1, element_shape=[2]).write(0, 1.0), ValueError),
        (lambda: filled(1.0).write(0.5, 1.0), TypeError),
        (lambda: filled(1.0).read("a"), TypeError),
        (lambda: filled(1.0).gather([7]), IndexError),
        (lambda: filled(1.0).scatter([0, 1], [1.0, 2.0]), tf.errors.OutOfRangeError),
        (lambda: tf.TensorArray(F, 1).unstack([1.0, 2.0]), ValueError),
        (lambda: tf.TensorArray(F, 1).unstack(1.0), tf.errors.InvalidArgumentError),
        (lambda: tf.TensorArray(F, 2).split([1.0, 2.0], [1, 2]), tf.errors.InvalidArgumentError),
        (lambda: tf.TensorArray(F, 2).split([1.0, 2.0], [-1, 3]), tf.errors.InvalidArgumentError),
        (lambda: tf.TensorArray(F, 1).split([1.0, 2.0], [1, 1]), ValueError),
        (lambda: filled(1.0, 2.0).concat(), tf.errors.InvalidArgumentError),
        (lambda: tf.TensorArray(F, 0).concat(), tf.errors.InvalidArgumentError),
        (lambda: tf.TensorArray(F), ValueError),
        (lambda: tf.TensorArray(F, 2.5), TypeError),
        (lambda: tf.TensorArray(F, 2, handle=tf.constant(1)), ValueError),
        (lambda: filled(1.0).grad("source"), NotImplementedError),
    ],
)
def test_bad_use_is_refused(call, error):
    with pytest.raises(error):
        call()


def test_elements_of_several_shapes_cannot_be_stacked():
    ta = tf.TensorArray(F, 2, infer_shape=False).write(0, [1.0, 2.0]).write(1, [1.0])
    with pytest.raises(tf.errors.InvalidArgumentError):
        ta.stack()
    np.testing.assert_array_equal(ta.concat(), [1.0, 2.0, 1.0])


def test_inside_functions_elements_can_be_read_any_number_of_times():
    @tf.function
    def f(x):
        rows = tf.TensorArray(F, 4).unstack(x)
        parts = tf.TensorArray(F, 2).split(x, [3, 1])
        return rows.read(0) + rows.read(0), rows.stack(), parts.read(0), parts.concat()

    found = [value.numpy().tolist() for value in f(tf.constant([1.0, 2.0, 3.0, 4.0]))]
    assert found == [2.0, [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0, 4.0]]


@pytest.mark.parametrize(("indices", "values"), [([0, 2], [1.0, 2.0, 3.0]), ([0, 1, 2], [1.0, 2.0]), ([], [1.0])])
@pytest.mark.parametrize("way", [lambda f: f, tf.function], ids=["eager", "function"])
def test_each_slice_has_an_index(way, indices, values):
    """None is lost; TensorFlow refuses it in functions alone."""
    scatter = way(lambda i, v: tf.TensorArray(tf.float32, size=3).scatter(i, v).stack())
    with pytest.raises(tf.errors.InvalidArgumentError, match="indices"):
        scatter(tf.constant(indices, tf.int32), tf.constant(values))
