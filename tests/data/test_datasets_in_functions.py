"""Datasets, iterators and Optionals inside traced functions."""

import numpy as np
import pytest

import gradtape as tf


def numbers(count=5):
    return tf.data.Dataset.range(count)


def ways(f):
    return {way for trace in f.explain().traces for way, _ in trace.ways}


def test_a_loop_over_elements_of_known_shapes_is_one_program():
    @tf.function
    def total(dataset):
        found = tf.constant(0, tf.int64)
        for x in dataset:
            if x == 3:
                break
            if x == 1:
                continue
            found += x
        return found

    assert total(numbers()).numpy() == 2
    assert total(numbers(2)).numpy() == 0
    assert ways(total) == {"alone, compiled"}


def test_a_training_loop_is_one_program():
    x = np.arange(8, dtype=np.float32).reshape(4, 2)
    rows = tf.data.Dataset.from_tensor_slices((x, x.sum(1, keepdims=True))).batch(2, drop_remainder=True)

    def train(w, dataset):
        losses = 0.0
        for a, b in dataset:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((a @ w - b) ** 2)
            w.assign_sub(0.01 * tape.gradient(loss, w))
            losses += loss
        return losses

    first, second = tf.Variable(tf.fill([2, 1], 0.1)), tf.Variable(tf.fill([2, 1], 0.1))
    traced = tf.function(train)
    for _ in range(3):
        np.testing.assert_allclose(traced(first, rows), train(second, rows), rtol=1e-6)
    np.testing.assert_allclose(first, second, rtol=1e-6)
    assert ways(traced) == {"alone, compiled"}


def test_a_loop_over_batches_of_any_size_is_compiled():
    @tf.function
    def total():
        found = tf.constant(0, tf.int64)
        for batch in numbers().batch(2):
            assert batch.shape.as_list() == [None]
            found += tf.reduce_sum(batch * batch)
        return found

    assert total().numpy() == 30
    assert ways(total) == {"alone, compiled"}


def test_gradients_go_through_a_loop_over_a_dataset():
    rows = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0])
    w = tf.Variable(2.0)

    @tf.function
    def total(x):
        found = 0.0
        for row in rows:
            found += row * w * x
        return found

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = total(x)
    assert [y.numpy(), *(g.numpy() for g in tape.gradient(y, [x, w]))] == [36.0, 12.0, 18.0]
    assert ways(total) == {"under a tape, compiled"}


def test_a_loop_over_an_iterator_takes_no_element_after_a_break():
    @tf.function
    def total(iterator):
        found = tf.constant(0, tf.int64)
        for x in iterator:
            found += x
            if x >= 4:
                break
        return found

    iterator = iter(numbers(10))
    assert total(iterator).numpy() == 10
    assert total(iterator).numpy() == 5
    assert next(iterator).numpy() == 6


def test_a_function_is_traced_once_for_all_iterators_over_equal_elements():
    count = 0

    @tf.function
    def first(iterator):
        nonlocal count
        count += 1
        return next(iterator) * 2

    assert first(iter(numbers())).numpy() == 0
    assert first(iter(numbers(9).skip(5))).numpy() == 10
    assert count == 1
    iterator = iter(numbers(2))
    assert [first(iterator).numpy() for _ in range(2)] == [0, 2]
    with pytest.raises(tf.errors.OutOfRangeError):
        first(iterator)
    assert ways(first) == {"alone, compiled"}


def test_an_iterator_that_a_function_makes_begins_anew_with_each_call():
    seen = []

    def generate():
        seen.append(len(seen))
        yield seen[-1]
        yield 10

    dataset = tf.data.Dataset.from_generator(generate, output_signature=tf.TensorSpec([], tf.int32))

    @tf.function
    def f():
        iterator = iter(dataset)
        return next(iterator) + next(iterator)

    first, second = f().numpy(), f().numpy()
    assert second == first + 1


def test_optionals_say_whether_there_is_an_element():
    @tf.function
    def following(iterator):
        optional = iterator.get_next_as_optional()
        if optional.has_value():
            return optional.get_value()
        return tf.constant(-1, tf.int64)

    iterator = iter(numbers(2))
    assert [following(iterator).numpy() for _ in range(4)] == [0, 1, -1, -1]
    assert ways(following) == {"alone, compiled"}


def test_loops_carry_optionals():
    @tf.function
    def total(iterator):
        optional, found = iterator.get_next_as_optional(), tf.constant(0, tf.int64)
        while optional.has_value():
            found += optional.get_value()
            optional = iterator.get_next_as_optional()
        return found

    assert total(iter(numbers())).numpy() == 10
    assert ways(total) == {"alone, compiled"}


def test_an_empty_optional_has_no_value():
    @tf.function
    def value(iterator):
        return iterator.get_next_as_optional().get_value()

    with pytest.raises(tf.errors.InvalidArgumentError, match="does not have a value"):
        value(iter(numbers(0)))


def test_reduce_is_a_loop_of_the_function():
    @tf.function
    def total(k):
        return numbers(200).reduce(tf.constant(0, tf.int64), lambda state, x: state + x * k)

    assert total(tf.constant(2, tf.int64)).numpy() == 39800
    (trace,) = total.explain().traces
    assert trace.steps < 20
    assert trace.compiled


def test_ragged_elements():
    rows = tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1, 2], [3], []], dtype=tf.int32))

    @tf.function
    def total():
        found = 0
        for row in rows.batch(1):
            assert isinstance(row, tf.RaggedTensor)
            found += tf.reduce_sum(row)
        return found

    assert total().numpy() == 6


def test_a_dataset_of_the_function_s_own_tensors_is_taken_apart():
    @tf.function
    def total(x, scale):
        found = 0.0
        for batch in tf.data.Dataset.from_tensor_slices(x).map(lambda a: a * scale).batch(2):
            found += tf.reduce_sum(batch * batch)
        return found

    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = total(x, tf.constant(2.0))
    assert y.numpy() == 56.0
    assert tape.gradient(y, x).numpy().tolist() == [8.0, 16.0, 24.0]


def test_specs_of_iterators_and_datasets_in_signatures():
    scalar = tf.TensorSpec([], tf.int64)

    @tf.function(input_signature=[tf.data.IteratorSpec(scalar)])
    def first(iterator):
        return next(iterator)

    @tf.function(input_signature=[tf.data.DatasetSpec(scalar)])
    def total(dataset):
        return dataset.reduce(np.int64(0), lambda a, b: a + b)

    iterator = iter(numbers())
    assert [first(iterator).numpy() for _ in range(2)] == [0, 1]
    assert [total(numbers(4)).numpy(), total(numbers(4).skip(2)).numpy()] == [6, 5]
    with pytest.raises(TypeError, match="IteratorSpec"):
        first(iter(tf.data.Dataset.from_tensor_slices([1.0])))
    with pytest.raises(TypeError, match="DatasetSpec"):
        total(tf.data.Dataset.from_tensor_slices([1.0]))
