"""Datasets that a function makes of its own tensors: of any size, in loops, branches and inner functions, returned, asked."""

import numpy as np
import pytest

import gradtape as tf

Dataset = tf.data.Dataset


def whole(number):
    return tf.constant(number, tf.int64)


def ways(f):
    return {way for trace in f.explain().traces for way, _ in trace.ways}


def folded(dataset):
    """A number that tells the elements and their order."""
    found = tf.constant(0, tf.int64)
    for element in dataset:
        found = found * 3 + tf.cast(tf.reduce_sum(element), tf.int64)
    return found


STEPS = {
    "range": lambda n: Dataset.range(n),
    "range of three": lambda n: Dataset.range(1, n, 2),
    "slices": lambda n: Dataset.from_tensor_slices(tf.range(n)),
    "one tensor": lambda n: Dataset.from_tensors(tf.range(n)).repeat(n),
    "map": lambda n: Dataset.range(n).map(lambda x: x * n),
    "map of a dataset from outside": lambda n: Dataset.range(4).map(lambda x: x + n),
    "filter": lambda n: Dataset.range(n).filter(lambda x: x % 2 == n % 2),
    "batch": lambda n: Dataset.range(10).batch(n, drop_remainder=True),
    "take and skip": lambda n: Dataset.range(10).take(n).skip(n // 2),
    "shard": lambda n: Dataset.range(10).shard(n, n - 1),
    "window": lambda n: Dataset.range(n).window(2).flat_map(lambda window: window.batch(2)),
    "flat map": lambda n: Dataset.range(n).flat_map(lambda x: Dataset.range(x).map(lambda y: x * n + y)),
    "interleave": lambda n: Dataset.range(n).interleave(lambda x: Dataset.from_tensors(x).repeat(n), cycle_length=2),
    "scan": lambda n: Dataset.range(n).scan(np.int64(0), lambda s, x: (s + x * n, s)),
    "zip": lambda n: Dataset.zip((Dataset.range(n), Dataset.range(n, 2 * n))).map(lambda a, b: a * b),
    "concatenate": lambda n: Dataset.range(n).concatenate(Dataset.range(2)),
    "groups": lambda n: Dataset.range(9).group_by_window(lambda x: x % n, lambda key, w: w.batch(3), window_size=3),
    "padded batches": lambda n: Dataset.range(n).map(lambda x: tf.fill([x], x)).padded_batch(2, padded_shapes=[None]),
    "choices": lambda n: Dataset.choose_from_datasets(
        [Dataset.range(n), Dataset.range(n, 9)], Dataset.range(2).repeat(n)
    ),
    "shuffled": lambda n: Dataset.range(n).shuffle(9, seed=2).batch(9),
    "cached and read ahead": lambda n: Dataset.range(n).cache().prefetch(tf.data.AUTOTUNE),
}


@pytest.mark.parametrize("make", STEPS.values(), ids=STEPS)
def test_a_dataset_of_tensors_of_the_function_has_the_elements_of_eager_code(make):
    f = tf.function(lambda n: folded(make(n)))
    for n in (2, 4):
        assert f(whole(n)).numpy() == folded(make(whole(n))).numpy()
    assert ways(f) == {"alone, compiled"}


def test_rows_of_unknown_number_are_the_rounds_of_a_loop():
    w = tf.Variable([[0.1], [0.2]])
    shapes = []

    def epoch(x, y):
        total = 0.0
        for a, b in Dataset.from_tensor_slices((x, y)).batch(2):
            shapes.append(a.shape.as_list())
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((a @ w - b) ** 2)
            w.assign_sub(0.1 * tape.gradient(loss, w))
            total += loss
        return total

    traced = tf.function(epoch, input_signature=[tf.TensorSpec([None, 2]), tf.TensorSpec([None, 1])])
    for rows in (5, 0, 3):
        x = np.arange(2 * rows, dtype=np.float32).reshape(rows, 2) / 10
        w.assign([[0.1], [0.2]])
        found, after = traced(x, x[:, :1]), w.numpy()
        w.assign([[0.1], [0.2]])
        np.testing.assert_allclose(found, epoch(tf.constant(x), tf.constant(x[:, :1])), rtol=1e-6)
        np.testing.assert_allclose(after, w, rtol=1e-6)
    assert shapes[0] == [None, 2]
    assert len(traced.explain().traces) == 1


def test_many_rows_of_known_number_are_a_loop_too():
    @tf.function
    def total(x):
        found = tf.zeros([3])
        for rows in Dataset.from_tensor_slices(x).batch(8):
            found += tf.reduce_sum(rows, 0)
        return found

    x = tf.reshape(tf.range(1500.0), [500, 3])
    np.testing.assert_allclose(total(x), tf.reduce_sum(x, 0))
    assert total.explain().traces[0].steps < 30


def test_specs_say_what_is_known():
    specs = []

    @tf.function(
        input_signature=[
            tf.TensorSpec([None, 3]),
            tf.TensorSpec([None, None]),
            tf.TensorSpec([5]),
            tf.TensorSpec([], tf.int64),
        ]
    )
    def f(x, y, z, n):
        rows = Dataset.from_tensor_slices(x)
        made = [
            rows,
            rows.batch(2),
            rows.batch(n, drop_remainder=True),
            Dataset.from_tensors(x),
            Dataset.range(n).batch(n),
        ]
        specs.extend(dataset.element_spec.shape.as_list() for dataset in made)
        specs.extend(spec.shape.as_list() for spec in Dataset.from_tensor_slices((y, z)).element_spec)
        return n

    f.get_concrete_function()
    assert specs == [[3], [None, 3], [None, 3], [None, 3], [None], [None], []]


def test_returned_datasets_have_the_values_of_the_call():
    @tf.function
    def f(n):
        return {"even": Dataset.range(n).map(lambda x: x * 2), "rows": Dataset.from_tensor_slices(tf.range(n)).batch(2)}

    made = f(whole(3))
    assert [int(x) for x in made["even"]] == [0, 2, 4]
    assert [x.numpy().tolist() for x in made["rows"]] == [[0, 1], [2]]
    assert [int(x) for x in f(whole(1))["even"]] == [0]
    assert [int(x) for x in made["even"]] == [0, 2, 4]


def test_questions():
    @tf.function
    def f(n):
        dataset = Dataset.range(n).batch(3)
        return (
            dataset.cardinality(),
            len(dataset),
            dataset.take(1).get_single_element(),
            Dataset.range(n).reduce(n, lambda a, b: a + b),
        )

    assert [np.asarray(x).tolist() for x in f(whole(7))] == [3, 3, [0, 1, 2], 28]
    assert [np.asarray(x).tolist() for x in f(whole(2))] == [1, 1, [0, 1], 3]
    with pytest.raises(tf.errors.InvalidArgumentError, match="empty"):
        f(whole(0))
    with pytest.raises(tf.errors.InvalidArgumentError, match="infinite"):
        tf.function(lambda n: len(Dataset.range(n).repeat()))(whole(2))
    with pytest.raises(RuntimeError, match="as_numpy_iterator"):
        tf.function(lambda n: list(Dataset.range(n).as_numpy_iterator()), autograph=False)(whole(2))


def test_iterators_branches_and_inner_functions():
    @tf.function
    def total(dataset):
        found = tf.constant(0, tf.int64)
        for x in dataset:
            found += x
        return found

    @tf.function
    def f(n, is_more):
        iterator = iter(Dataset.range(n).repeat())
        found = next(iterator) + next(iterator) * 10
        for _ in tf.range(3):
            found += next(iterator) * 100
        if is_more:
            for x in Dataset.range(n):
                found += x * 1000
        return found, total(Dataset.range(n)), total(Dataset.range(n).skip(2))

    assert [int(x) for x in f(whole(3), True)] == [3310, 3, 2]
    assert [int(x) for x in f(whole(4), tf.constant(False))] == [510, 6, 5]


def test_enumerate_and_zip_of_datasets():
    @tf.function
    def f(n):
        found = tf.constant(0, tf.int64)
        for place, (a, b) in enumerate(zip(Dataset.range(n), Dataset.range(5, 5 + n), strict=False)):
            found += place * a * b
        return found

    assert f(whole(4)).numpy() == sum(i * i * (5 + i) for i in range(4))


def test_elements_that_are_datasets_ragged_and_sparse_tensors():
    @tf.function
    def windows(n):
        found = tf.constant(0, tf.int64)
        for window in Dataset.range(n).window(2):
            for x in window:
                found = found * 2 + x
        return found

    assert windows(whole(5)).numpy() == 26

    @tf.function
    def sparse(x):
        found = 0.0
        for row in Dataset.from_tensor_slices(tf.sparse.from_dense(x)):
            found += tf.sparse.reduce_sum(row) * found + 1.0
        return found

    assert sparse(tf.constant([[1.0, 0.0], [2.0, 3.0]])).numpy() == 7.0

    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.int32)])
    def ragged(x):
        found = tf.constant(0)
        for row in Dataset.from_tensor_slices(x):
            found = found * 2 + tf.reduce_sum(row)
        return found

    assert ragged(tf.ragged.constant([[1, 2], [3], []], dtype=tf.int32)).numpy() == 18


def test_a_variable_as_a_size_is_read_with_each_call():
    v = tf.Variable(3, dtype=tf.int64)
    f = tf.function(lambda: folded(Dataset.range(v)))
    first = f().numpy()
    v.assign(4)
    assert [first, f().numpy()] == [folded(Dataset.range(3)).numpy(), folded(Dataset.range(4)).numpy()]


def test_names_of_files_may_be_tensors(tmp_path):
    path = tmp_path / "lines.txt"
    path.write_text("ab\nc\n")

    @tf.function
    def f(name):
        found = tf.constant("")
        for line in tf.data.TextLineDataset(name):
            found += line
        return found

    assert f(tf.constant(str(path))).numpy() == b"abc"


def test_what_is_wrong_with_the_values_shows_when_the_function_runs():
    @tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([None]), tf.TensorSpec([], tf.int64)])
    def f(x, y, size):
        found = 0.0
        for a, b in Dataset.from_tensor_slices((x, y)).batch(size):
            found += tf.reduce_sum(a * b)
        return found

    assert f(tf.ones([3]), tf.ones([3]), 2).numpy() == 3.0
    with pytest.raises(tf.errors.InvalidArgumentError):
        f(tf.ones([3]), tf.ones([4]), 2)
    with pytest.raises(tf.errors.InvalidArgumentError):
        f(tf.ones([3]), tf.ones([3]), 0)
