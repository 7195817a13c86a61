"""Generated entries: they give what the general path gives, and note where in the user's program they were called."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.base.context import STATE
from gradtape.op import entry
from gradtape.op.declaration import REGISTRY

TABLE = np.arange(12, dtype=np.float32).reshape(4, 3)


@pytest.fixture
def general_path():
    somebody = object()
    entry.take_general_path(somebody)
    yield
    entry.leave_general_path(somebody)


def _lookup(indices):
    table = tf.Variable(TABLE)
    with tf.GradientTape() as tape:
        rows = tf.gather(table, indices)
        loss = tf.reduce_sum(rows * rows)
    gradient = tape.gradient(loss, table)
    return rows.numpy(), gradient.values.numpy(), gradient.indices.numpy(), gradient.dense_shape.numpy()


def _pieces(indices):
    x = tf.Variable(TABLE)
    with tf.GradientTape() as tape:
        first, second = tf.split(x, [1, 2], axis=1)
        loss = tf.reduce_sum(second * second) + tf.reduce_sum(first)
    return first.numpy(), second.numpy(), tape.gradient(loss, x).numpy()


INDICES = [np.array([1, 3, 1], np.int32), np.array([[0, 2]], np.int64), np.array(2, np.uint8), np.zeros(0, np.int32)]
CASES = [(_lookup, tf.constant(indices)) for indices in INDICES] + [(_lookup, [0, 1]), (_pieces, None)]


@pytest.mark.parametrize(("function", "argument"), CASES)
def test_an_entry_gives_what_the_general_path_gives(function, argument, request):
    inlined = function(argument)
    request.getfixturevalue("general_path")
    for result, expected in zip(inlined, function(argument), strict=True):
        assert result.dtype == expected.dtype
        assert result.shape == expected.shape
        assert np.array_equal(result, expected)


@pytest.mark.parametrize("name", ["take", "split_sizes"])
def test_ops_on_indices_and_with_several_outputs_are_inlined(name):
    assert "kernel(" in REGISTRY[name].public.__source__


@pytest.mark.parametrize(
    "call", [lambda x: tf.tanh(x), lambda x: tf.gather(x, tf.constant([0])), lambda x: tf.split(x, 3)[0]]
)
def test_the_line_of_a_record_is_the_users(call):
    x = tf.constant([1.0, 2.0, 3.0])
    for _ in range(2):  # the first call may compile the entry
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = call(x)
            code, offset = STATE.tapes[-1][y._id][-2:]
        assert code is call.__code__
        assert 0 < offset < len(code.co_code)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64])
@pytest.mark.parametrize("index", [4, 100, -1])
def test_a_lookup_outside_of_the_table_is_refused(dtype, index):
    if index < 0 and np.dtype(dtype).kind == "u":
        index = 255
    with pytest.raises(tf.errors.InvalidArgumentError, match=rf"= {index} is not in \[0, 4\)"):
        tf.gather(tf.constant(TABLE), tf.constant(np.array([0, index], dtype)))


def test_tables_larger_than_the_type_of_the_indices_can_say():
    table = tf.range(1000.0)
    assert tf.gather(table, tf.constant([0, 255], tf.uint8)).numpy().tolist() == [0.0, 255.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="= -1 is not in"):
        tf.gather(table, tf.constant([-1], tf.int8))
