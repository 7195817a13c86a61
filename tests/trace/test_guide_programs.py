"""Small programs of the kind that guides and forums show, inside `tf.function`; the numbers were seen in TensorFlow."""

import numpy as np
import pytest

import gradtape as tf


def spec(*shape, dtype=tf.float32):
    return tf.TensorSpec(shape, dtype)


def test_a_signature_of_a_dict_takes_python_values_and_any_order_of_keys():
    @tf.function(input_signature=[{"a": spec(None), "b": spec(dtype=tf.int32)}])
    def f(d):
        return {"sum": tf.reduce_sum(d["a"]), "next": d["b"] + 1}

    first = f({"a": [1.0, 2.0], "b": 3})
    second = f({"b": tf.constant(4), "a": tf.ones([4])})
    assert (first["sum"].numpy(), first["next"].numpy()) == (3.0, 4)
    assert (second["sum"].numpy(), second["next"].numpy()) == (4.0, 5)
    assert f.experimental_get_tracing_count() == 1


@pytest.mark.parametrize("given", [{"c": [1.0]}, {"a": [1.0], "c": [1.0]}, [[1.0]], 1.0])
def test_what_does_not_have_the_structure_of_the_signature_is_a_type_error(given):
    @tf.function(input_signature=[{"a": spec(None)}])
    def f(d):
        return d["a"]

    with pytest.raises(TypeError, match="Binding inputs"):
        f(given)


def test_dicts_with_the_same_keys_share_a_trace():
    @tf.function
    def f(d):
        return d["a"] - d["b"]

    one, two = tf.constant(1.0), tf.constant(2.0)
    assert f({"a": one, "b": two}).numpy() == f({"b": two, "a": one}).numpy() == -1.0
    assert f.experimental_get_tracing_count() == 1


def test_an_array_of_strings_whose_size_is_an_argument():
    @tf.function
    def fizzbuzz(n):
        words = tf.TensorArray(tf.string, size=n)
        for i in tf.range(1, n + 1):
            if i % 3 == 0:
                word = "fizz"
            elif i % 5 == 0:
                word = "buzz"
            else:
                word = tf.strings.as_string(i)
            words = words.write(i - 1, word)
        return words.stack()

    assert fizzbuzz(tf.constant(5)).numpy().tolist() == [b"1", b"2", b"fizz", b"4", b"buzz"]


@pytest.mark.parametrize("rows", [3, 1, 0])
def test_maps_over_an_unknown_number_of_rows_even_none(rows):
    @tf.function(input_signature=[spec(None, 2)])
    def f(x):
        return (
            tf.map_fn(tf.reduce_sum, x),
            tf.vectorized_map(lambda row: row * row, x),
            tf.foldl(tf.add, x, tf.zeros(2)),
        )

    x = np.arange(2.0 * rows, dtype=np.float32).reshape(rows, 2)
    sums, squares, total = f(x)
    np.testing.assert_allclose(sums, x.sum(axis=1))
    np.testing.assert_allclose(squares, x * x)
    np.testing.assert_allclose(total, x.sum(axis=0))


def test_gradients_of_each_example_with_an_unknown_batch():
    w = tf.Variable([[1.0], [2.0]])

    @tf.function(input_signature=[spec(None, 2), spec(None)])
    def per_example(x, y):
        def one(example):
            xi, yi = example
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum((tf.linalg.matvec(w, xi, transpose_a=True) - yi) ** 2)
            return tape.gradient(loss, w)

        return tf.vectorized_map(one, (x, y))

    gradients = per_example(tf.constant([[1.0, 0.0], [1.0, 1.0]]), tf.constant([0.0, 1.0]))
    np.testing.assert_allclose(gradients, [[[2.0], [0.0]], [[4.0], [4.0]]])


def test_vectorized_maps_inside_each_other_with_unknown_sizes():
    @tf.function(input_signature=[spec(None, 3), spec(None, 3)])
    def distances(a, b):
        return tf.vectorized_map(lambda x: tf.vectorized_map(lambda y: tf.reduce_sum((x - y) ** 2), b), a)

    a, b = np.eye(3, dtype=np.float32)[:2], np.ones((4, 3), np.float32)
    np.testing.assert_allclose(distances(a, b), ((a[:, None] - b) ** 2).sum(-1))


def test_vectorized_map_of_a_scalar_says_so():
    @tf.function
    def f(x):
        return tf.vectorized_map(lambda row: row, x)

    with pytest.raises(ValueError, match="need a first axis"):
        f(tf.constant(1.0))


def test_images_of_unknown_size_are_put_into_a_small_one():
    @tf.function(input_signature=[spec(None, None, None, 3)])
    def f(images):
        return tf.image.pad_to_bounding_box(images, 1, 1, 10, 10)

    assert f.get_concrete_function().output_shapes.as_list() == [None, 10, 10, 3]
    assert f(tf.ones([2, 8, 5, 3])).numpy().sum() == 2 * 8 * 5 * 3


def test_set_shape_after_a_python_function_counts_in_a_loop():
    w = tf.Variable(tf.eye(2))

    def environment(action):
        return np.array([float(action), 1.0], np.float32)

    @tf.function
    def episode(state, steps):
        chosen = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        shape = state.shape
        for step in tf.range(steps):
            logits = tf.expand_dims(state, 0) @ w
            action = tf.argmax(logits, 1)[0]
            chosen = chosen.write(step, tf.nn.softmax(logits)[0, action])
            state = tf.numpy_function(environment, [action], tf.float32)
            state.set_shape(shape)
        return chosen.stack()

    with tf.GradientTape() as tape:
        result = episode(tf.constant([1.0, 2.0]), 3)
    np.testing.assert_allclose(result, [0.7310586, 0.5, 0.7310586], rtol=1e-6)
    np.testing.assert_allclose(tape.gradient(result, w)[0], [0.05338807, -0.05338807], rtol=1e-5)


def test_gradients_pass_a_set_shape():
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.py_function(lambda a: a * a, [x], tf.float32)
            y.set_shape([2, 3])
            z = y @ tf.ones([3, 1])
        return z, tape.gradient(z, x)

    z, gradient = f(tf.ones([2, 3]) * 2.0)
    np.testing.assert_allclose(z, [[12.0], [12.0]])
    np.testing.assert_allclose(gradient, np.full((2, 3), 4.0))


def test_a_mask_as_long_as_the_longest():
    @tf.function(input_signature=[spec(None, dtype=tf.int32)])
    def f(lengths):
        mask = tf.sequence_mask(lengths)
        assert mask.shape.as_list() == [None, None]
        return mask

    assert f([1, 3]).numpy().tolist() == [[True, False, False], [True, True, True]]
    assert f(tf.zeros([0], tf.int32)).shape == (0, 0)
    assert tf.sequence_mask([1.5, 0.5]).numpy().tolist() == [[True, True], [True, False]]


def test_shapes_that_do_not_fit_are_a_value_error_while_the_function_is_traced():
    @tf.function
    def f(x):
        try:
            return tf.matmul(x, x)
        except ValueError:
            return tf.matmul(x, x, transpose_b=True)

    assert f(tf.ones([2, 3])).numpy().tolist() == [[3.0, 3.0], [3.0, 3.0]]

    @tf.function
    def g(x):
        return x @ x

    for error in (ValueError, tf.errors.InvalidArgumentError):
        with pytest.raises(error, match="inner dimensions differ"):
            g(tf.ones([2, 3]))


def test_inside_function():
    @tf.function
    def f():
        with tf.init_scope():
            lifted = tf.inside_function()
        return tf.constant([tf.inside_function(), lifted])

    assert f().numpy().tolist() == [True, False]
    assert not tf.inside_function()


def test_an_iterator_gives_another_element_each_time_the_function_runs():
    elements = iter(tf.data.Dataset.range(10))

    @tf.function
    def three(iterator):
        total = tf.constant(0, tf.int64)
        for _ in tf.range(3):
            total += next(iterator)
        return total

    @tf.function
    def rest(iterator):
        total = tf.constant(0, tf.int64)
        for element in iterator:
            total += element
        return total

    assert three(elements).numpy() == 0 + 1 + 2
    assert three(elements).numpy() == 3 + 4 + 5
    assert next(elements).numpy() == 6
    assert rest(elements).numpy() == 7 + 8 + 9
    with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
        three(elements)


def test_training_steps_that_take_their_batches_from_an_iterator():
    x = np.linspace(-1.0, 1.0, 20, dtype=np.float32)[:, None]
    batches = iter(tf.data.Dataset.from_tensor_slices((x, 3.0 * x)).repeat().batch(8))
    w = tf.Variable([[0.0]])

    @tf.function
    def steps(iterator, count):
        for _ in tf.range(count):
            inputs, labels = iterator.get_next()
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((inputs @ w - labels) ** 2)
            w.assign_sub(0.5 * tape.gradient(loss, w))

    steps(batches, 20)
    steps(batches, 20)
    np.testing.assert_allclose(w, [[3.0]], rtol=1e-3)


def test_the_text_of_a_variable_is_that_of_the_moment():
    v = tf.Variable("a")

    @tf.function
    def f(suffix):
        v.assign(tf.strings.join([v, suffix]))
        return tf.strings.format("{} x", v)

    assert f("b").numpy() == b'"ab" x'
    assert f("c").numpy() == b'"abc" x'


def test_a_range_of_floats_with_a_step_that_is_an_argument():
    @tf.function
    def f(step):
        total = 0.0
        for t in tf.range(0.0, 1.0, step):
            total += t
        return total, tf.range(0.0, 1.0, step)

    total, numbers = f(tf.constant(0.25))
    assert total.numpy() == 1.5
    assert numbers.numpy().tolist() == [0.0, 0.25, 0.5, 0.75]
    assert f(tf.constant(0.5))[1].numpy().tolist() == [0.0, 0.5]


def test_an_iterator_that_is_made_inside_starts_anew():
    numbers = tf.data.Dataset.range(5)

    @tf.function
    def f():
        elements = iter(numbers)
        return next(elements) + 10 * next(elements)

    assert [f().numpy(), f().numpy()] == [10, 10]


def test_assignments_whose_result_is_not_wanted():
    v = tf.Variable(1.0)

    @tf.function
    def f():
        v.assign(5.0, read_value=False)
        v.assign_add(1.0, use_locking=True, read_value=False)
        v.assign_sub(2.0, read_value=False)
        return v + 0.0

    assert f().numpy() == v.numpy() == 4.0


def test_a_tape_outside_follows_a_tensor_that_the_function_refers_to():
    factors = tf.constant([1.0, 2.0])

    @tf.function
    def f(x):
        return x * factors

    x = tf.constant([3.0, 4.0])
    f(x)
    with tf.GradientTape() as tape:
        tape.watch([x, factors])
        y = f(x)
    of_x, of_factors = tape.gradient(y, [x, factors])
    np.testing.assert_allclose(of_x, factors)
    np.testing.assert_allclose(of_factors, x)


def test_a_constant_image_is_cut_elsewhere_each_time():
    image = tf.reshape(tf.range(3000), [100, 10, 3])

    @tf.function
    def f():
        return tf.image.random_crop(image, [2, 2, 3])

    assert len({f().numpy().tobytes() for _ in range(10)}) > 1


def test_a_table_that_changes_is_looked_into_when_the_function_runs():
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)

    @tf.function
    def f(key, value):
        table.insert(key, value)
        return table.lookup(["a", "b"]), table.size()

    first, count = f(tf.constant(["a"]), tf.constant([1], tf.int64))
    assert (first.numpy().tolist(), count.numpy()) == ([1, -1], 1)
    second, count = f(tf.constant(["b"]), tf.constant([2], tf.int64))
    assert (second.numpy().tolist(), count.numpy()) == ([1, 2], 2)


def test_a_concrete_function_takes_tensors_by_the_names_of_their_specs():
    @tf.function
    def f(x, y):
        return x - y

    concrete = f.get_concrete_function(
        tf.TensorSpec([None], tf.float32, name="first"), tf.TensorSpec([None], tf.float32, name="second")
    )
    assert concrete(second=tf.constant([1.0]), first=tf.constant([3.0])).numpy().tolist() == [2.0]
    with pytest.raises(TypeError, match="unexpected keyword arguments: third"):
        concrete(first=tf.constant([3.0]), third=tf.constant([1.0]))
