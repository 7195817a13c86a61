"""Functions with steps that need values (Python code, datasets) run as programs with these steps between them."""

import numpy as np
import pytest

import gradtape as tf

X = tf.constant([1.0, 2.0, 3.0])


def twice(x):
    return np.float32(2.0) * x


def ways(f):
    return [way for trace in f.explain().traces for way, _ in trace.ways]


@tf.function
def around_python(x):
    y = tf.exp(x) * x
    z = tf.numpy_function(twice, [y], tf.float32)
    return tf.reduce_sum(tf.tanh(z) * z + x)


def by_hand(x):
    y = tf.exp(x) * x
    z = 2.0 * y
    return tf.reduce_sum(tf.tanh(z) * z + x)


def test_a_call_of_python_code_is_part_of_a_program():
    np.testing.assert_allclose(around_python(X), by_hand(X), rtol=1e-6)
    assert ways(around_python) == ["alone, compiled"]


@tf.function
def through_python(x):
    y = tf.exp(x) * x
    z = tf.py_function(lambda y: 2.0 * y, [y], tf.float32)
    return tf.reduce_sum(tf.tanh(z) * z + x)


def test_a_tape_outside_follows_all_parts():
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        values = through_python(X), by_hand(X)
        assert len(tape._records()) < 20  # one for each part, not one for each op, and those of `by_hand`
    first, second = (tape.gradient(value, X) for value in values)
    np.testing.assert_allclose(first, second, rtol=1e-5)
    assert ways(through_python) == ["under a tape, compiled in 2 parts"]


def test_a_tape_inside_is_open_across_parts():
    w = tf.Variable(3.0)

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            y = tf.py_function(lambda a: a * a, [x * w * 2.0], tf.float32)
            loss = tf.reduce_mean(tf.square(y) + y)
        gradient = tape.gradient(loss, w)
        w.assign_sub(1e-4 * gradient)
        return loss, gradient

    with tf.GradientTape() as tape:
        y = tf.square(X * w * 2.0)
        loss = tf.reduce_mean(tf.square(y) + y)
    expected = tape.gradient(loss, w)
    found, gradient = step(X)
    np.testing.assert_allclose([found, gradient], [loss, expected], rtol=1e-5)
    np.testing.assert_allclose(w, 3.0 - 1e-4 * expected, rtol=1e-6)


def test_each_round_over_a_dataset_is_a_program_also_under_tapes():
    rows = tf.data.Dataset.from_tensor_slices(np.float32([1.0, 2.0, 3.0]))
    w = tf.Variable(2.0)

    @tf.function
    def total(x):
        found = tf.zeros_like(x)
        for row in rows:
            found += tf.exp(-row * w) * x
        return found

    with tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        value = total(X)
        expected = sum(tf.exp(-row * w) * X for row in [1.0, 2.0, 3.0])
    np.testing.assert_allclose(value, expected, rtol=1e-6)
    for source in (X, w):
        np.testing.assert_allclose(tape.gradient(value, source), tape.gradient(expected, source), rtol=1e-6)
    assert [way.split(",")[1][:9] for way in ways(total)] == [" compiled"]


def test_draws_do_not_depend_on_where_a_function_is_cut():
    @tf.function
    def whole():
        return tf.random.normal([2]) + 1.0, tf.random.normal([2]) * 2.0, tf.random.uniform([2])

    @tf.function
    def cut():
        first = tf.random.normal([2]) + 1.0
        tf.py_function(lambda: None, [], [])
        second = tf.random.normal([2]) * 2.0
        tf.py_function(lambda: None, [], [])
        return first, second, tf.random.uniform([2])

    found = []
    for f in (whole, cut):
        tf.random.set_seed(3)
        found.append([f(), f()])
    np.testing.assert_array_equal(found[0], found[1])


def test_sizes_that_are_others_each_time_are_not_compiled_each_time():
    @tf.function(input_signature=[tf.TensorSpec([None])])
    def f(x):
        rows = tf.map_fn(lambda a: tf.fill([2], a), x, fn_output_signature=tf.RaggedTensorSpec([None], tf.float32))
        return tf.reduce_sum(tf.exp(rows.values) * rows.values)

    for count in range(8):
        np.testing.assert_allclose(f(tf.ones([count])), 2 * count * np.e, rtol=1e-6)
    (executor,) = [trace._executor for trace in f._all_traces()]
    after = [part.run for part in executor.parts()._parts.values() if part.run is not None][-1]
    assert len(after._plans) == 1


@pytest.mark.parametrize("under_tape", [False, True])
def test_an_error_between_parts_leaves_what_was_done_before_it(under_tape):
    done = tf.Variable(0.0)

    @tf.function
    def f(x):
        done.assign_add(x)
        tf.py_function(fail, [x], [])
        done.assign_add(10.0)
        return x * 2.0

    def fail(x):
        raise ValueError("not today")

    with (
        tf.GradientTape() if under_tape else tf.name_scope("none"),
        pytest.raises(tf.errors.InvalidArgumentError, match="not today"),
    ):
        f(tf.constant(1.0))
    assert done.numpy() == 1.0


def test_functions_return_structures_and_composites_from_programs():
    from collections import namedtuple

    Pair = namedtuple("Pair", "left right")

    @tf.function
    def f(x, ragged):
        return Pair(x + 1.0, {"b": x, "a": 3}), ragged.with_values(ragged.values * 2.0)

    pair, ragged = f(X, tf.ragged.constant([[1.0], [2.0, 3.0]]))
    assert isinstance(pair, Pair)
    assert pair.left.numpy().tolist() == [2.0, 3.0, 4.0]
    assert ragged.to_list() == [[2.0], [4.0, 6.0]]
    assert ways(f) == ["alone, compiled"]


def positive(a):
    return a[a > 0]


@pytest.mark.parametrize("call", [tf.numpy_function, tf.py_function])
def test_what_python_code_returns_may_have_any_shape_in_a_program(call):
    @tf.function
    def f(x, w):
        found = call(lambda a: positive(np.asarray(a)), [x], tf.float32)
        return tf.reduce_sum(tf.exp(found) * w), tf.shape(found), tf.reshape(found, [-1, 1])

    for numbers in ([1.0, -1.0], [1.0, 2.0], [-1.0, -2.0]):
        total, shape, column = f(numbers, 2.0)
        kept = positive(np.float32(numbers))
        np.testing.assert_allclose(total, 2 * np.exp(kept).sum(), rtol=1e-6)
        assert shape.numpy().tolist() == [len(kept)]
        np.testing.assert_array_equal(column, kept[:, None])
    assert set(ways(f)) == {"alone, compiled"}


def test_the_gradient_of_what_stands_beside_python_code_of_any_shape_is_compiled():
    @tf.function
    def f(x):
        found = tf.numpy_function(positive, [x], tf.float32)
        return tf.reduce_sum(found) * tf.reduce_sum(x * x)

    with tf.GradientTape() as tape:
        tape.watch(X)
        total = f(X)
    np.testing.assert_allclose(tape.gradient(total, X), 6.0 * 2.0 * X.numpy(), rtol=1e-6)
    assert ways(f) == ["under a tape, compiled"]


def test_a_shorter_last_batch_goes_through_the_same_program():
    batches = tf.data.Dataset.range(10).map(lambda n: tf.cast(n, tf.float32)).batch(4)
    w = tf.Variable(0.5)

    @tf.function
    def total(batches):
        found = 0.0
        for batch in batches:
            found += tf.reduce_mean(tf.exp(-batch * w))
        return found

    expected = sum(np.exp(-0.5 * part).mean() for part in np.split(np.arange(10.0), [4, 8]))
    np.testing.assert_allclose(total(batches), expected, rtol=1e-6)
    with tf.GradientTape() as tape:
        found = total(batches)
    slope = sum((-part * np.exp(-0.5 * part)).mean() for part in np.split(np.arange(10.0), [4, 8]))
    np.testing.assert_allclose(tape.gradient(found, w), slope, rtol=1e-5)
    assert ways(total) == ["alone, compiled", "under a tape, compiled"]
