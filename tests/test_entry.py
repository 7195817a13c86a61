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


def _mapped(x, y):
    return tf.vectorized_map(lambda row: tf.math.floordiv(7, row) + tf.math.floormod(row, 3) * 2, tf.stack([x, y]))


OF_INTEGERS = {
    "function of a quotient": tf.math.floordiv,
    "function of a rest": tf.math.floormod,
    "function of a sum": tf.add,
    "in a function": lambda x, y: tf.function(lambda a: tf.math.floordiv(a, y) + y * a)(x),
    "in a map": _mapped,
    "sum": lambda x, y: x + y,
    "difference": lambda x, y: x - y,
    "product": lambda x, y: x * y,
    "quotient": lambda x, y: x // y,
    "rest": lambda x, y: x % y,
    "order": lambda x, y: x < y,
    "equality": lambda x, y: x == y,
    "larger": tf.maximum,
    "bits": tf.bitwise.bitwise_xor,
    "power": lambda x, y: x**y,
    "rounded to zero": tf.truncatediv,
}
INTEGERS = [
    (tf.constant(7), 2), (3, tf.constant([4, -5])), (tf.constant([[1], [2]]), tf.constant([3, 4])), (tf.constant(2**31 - 1), 1),
    (tf.constant(-3, tf.int64), 2**31), (2**62, tf.constant(5, tf.int64)), (tf.constant(7), 0),
    (tf.constant([4]), tf.constant([0])),
    (tf.constant(7), 2.5), (tf.constant(7), True), (tf.constant(7), tf.constant(7, tf.int64)), (tf.constant(7, tf.int8), 2),
    (tf.constant(7, tf.uint8), -1), (tf.constant(7), 2**31), (tf.constant(5), np.int64(3)),
    (np.array([1, 2]), tf.constant([3, 4])),
    (5, 2), (5, [2, 3]), ([5, 6], 4), (7, np.array([5, 4])), (np.int32(7), 2), (5, None), (5, "a"), (tf.constant([]), 2),
    (tf.Variable(3), 2), (5, tf.Variable([2, 3])), (tf.constant([1, 2]), [3, 4]), (tf.constant([1, 2]), tf.constant([1, 2, 3])),
]  # fmt: skip


@pytest.mark.parametrize("name", OF_INTEGERS)
def test_integers_go_a_short_way_that_gives_the_same(name, request):
    """Results, types and errors: positions and counts are computed without the general path."""

    def outcomes():
        found = []
        for x, y in INTEGERS:
            try:
                with np.errstate(all="ignore"):
                    result = np.asarray(OF_INTEGERS[name](x, y))
            except Exception as error:
                found.append((type(error), str(error)))
            else:
                found.append((result.dtype, result.shape, result.tobytes()))
        return found

    short = outcomes()
    request.getfixturevalue("general_path")
    assert outcomes() == short


def test_integers_that_a_tape_watches_are_noted():
    """They have no gradient, and `tape.why` can say so: they take the general path."""
    with tf.GradientTape() as tape:
        x = tf.constant(2.0)
        tape.watch(x)
        place = tf.cast(x, tf.int32)
        y = x * tf.cast(place * 2 + place, tf.float32)
    assert tape.gradient(y, x).numpy() == 6.0


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
