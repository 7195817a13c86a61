"""`element_spec` after users' functions is what a trace tells: a size which depends on values is unknown, as in TensorFlow."""

import numpy as np
import pytest

import gradtape as tf

Dataset = tf.data.Dataset
INT = tf.int32


def example(count):
    values = {
        "a": tf.train.Feature(int64_list=tf.train.Int64List(value=[1, count])),
        "v": tf.train.Feature(float_list=tf.train.FloatList(value=[1.0] * count)),
    }
    return tf.train.Example(features=tf.train.Features(feature=values)).SerializeToString()


WANTED = {"a": tf.io.FixedLenFeature([2], tf.int64), "v": tf.io.VarLenFeature(tf.float32)}


def sizes():
    return Dataset.from_tensor_slices([0, 1, 5])


def texts():
    return Dataset.from_tensor_slices(["a b", "c"])


def changed_in_place(x):
    element = {"x": x, "other": x}
    element.pop("other")
    element["y"] = tf.ones([x, 3])
    return element


CASES = {
    "range": (lambda: sizes().map(lambda n: tf.range(n)), tf.TensorSpec([None], INT)),
    "boolean_mask": (
        lambda: Dataset.from_tensor_slices([[0, 1], [1, 1]]).map(lambda x: tf.boolean_mask(x, x > 0)),
        tf.TensorSpec([None], INT),
    ),
    "split": (lambda: texts().map(tf.strings.split), tf.TensorSpec([None], tf.string)),
    "one known size": (lambda: sizes().map(lambda n: tf.ones([n, 3])), tf.TensorSpec([None, 3])),
    "branches": (
        lambda: sizes().map(lambda n: tf.cond(n > 0, lambda: tf.ones([2]), lambda: tf.ones([3]))),
        tf.TensorSpec([None]),
    ),
    "example": (
        lambda: Dataset.from_tensor_slices([example(1), example(3)]).map(
            lambda text: tf.io.parse_single_example(text, WANTED)
        ),
        {"a": tf.TensorSpec([2], tf.int64), "v": tf.SparseTensorSpec([None])},
    ),
    "batch of examples": (
        lambda: (
            Dataset.from_tensor_slices([example(1), example(3)])
            .batch(2)
            .map(lambda text: tf.io.parse_example(text, WANTED))
        ),
        {"a": tf.TensorSpec([None, 2], tf.int64), "v": tf.SparseTensorSpec([None, None])},
    ),
    "py_function": (
        lambda: sizes().map(lambda x: tf.py_function(lambda v: v * 2, [x], INT)),
        tf.TensorSpec(None, INT),
    ),
    "rows of unknown length": (
        lambda: Dataset.from_generator(lambda: [[1]], output_signature=tf.TensorSpec([None], INT)).map(
            lambda x: (tf.reduce_sum(x), tf.shape(x), x)
        ),
        (tf.TensorSpec([], INT), tf.TensorSpec([1], INT), tf.TensorSpec([None], INT)),
    ),
    "a dict that the function changes": (
        lambda: sizes().map(changed_in_place),
        {"x": tf.TensorSpec([], INT), "y": tf.TensorSpec([None, 3])},
    ),
    "flat_map": (
        lambda: sizes().flat_map(lambda n: Dataset.range(tf.cast(n, tf.int64)).map(lambda x: tf.range(x))),
        tf.TensorSpec([None], tf.int64),
    ),
    "generators of interleave": (
        lambda: sizes().interleave(
            lambda n: Dataset.from_generator(
                lambda n: [np.zeros(2)], args=[n], output_signature=tf.TensorSpec([2], tf.float64)
            ).take(n)
        ),
        tf.TensorSpec([2], tf.float64),
    ),
    "windows": (
        lambda: sizes().window(2, drop_remainder=True).flat_map(lambda window: window.batch(2, drop_remainder=True)),
        tf.TensorSpec([2], INT),
    ),
    "groups": (
        lambda: sizes().group_by_window(lambda x: tf.cast(x, tf.int64), lambda key, group: group.batch(3), 3),
        tf.TensorSpec([None], INT),
    ),
    "buckets": (
        lambda: sizes().map(lambda n: tf.range(n)).bucket_by_sequence_length(tf.size, [2], [2, 2]),
        tf.TensorSpec([None, None], INT),
    ),
    "scan": (
        lambda: sizes().scan(tf.constant([0]), lambda state, x: (tf.concat([state, [x]], 0), tf.size(state))),
        tf.TensorSpec([], INT),
    ),
    "empty": (
        lambda: Dataset.from_tensor_slices(np.zeros([0, 3], np.float32)).map(lambda x: (x, tf.reduce_sum(x))),
        (tf.TensorSpec([3]), tf.TensorSpec([])),
    ),
    "files that are not there": (
        lambda: Dataset.from_tensor_slices(["no such file"]).map(
            lambda name: tf.io.decode_jpeg(tf.io.read_file(name), channels=3)
        ),
        tf.TensorSpec([None, None, 3], tf.uint8),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_spec_is_that_of_every_element(case):
    make, expected = CASES[case]
    assert make().element_spec == expected


def test_a_function_that_cannot_be_traced_is_called_and_tells_no_size():
    seen = []

    def plain(n):
        seen.append(int(n.numpy()))
        return np.zeros(seen[-1])

    assert sizes().map(plain).element_spec == tf.TensorSpec([None], tf.float64)
    assert seen == [0]
    with pytest.raises(ZeroDivisionError):
        _ = sizes().map(lambda n: 1 // 0).element_spec


def test_loops_in_functions_over_elements_of_many_sizes():
    @tf.function
    def total(dataset):
        found = tf.constant(0)
        for x in dataset:
            found += tf.reduce_sum(x) + tf.shape(x)[0]
        return found

    assert int(total(sizes().map(lambda n: tf.range(n)))) == 16
    rows = Dataset.from_tensor_slices([[0, 1], [1, 1]])
    assert int(total(rows.map(lambda x: tf.boolean_mask(x, x > 0)))) == 6


def test_a_spec_is_the_signature_of_a_generator():
    ragged = sizes().map(lambda n: {"r": tf.range(n), "s": tf.sparse.from_dense([n, 1])})
    again = Dataset.from_generator(lambda: iter(ragged), output_signature=ragged.element_spec)
    assert again.element_spec == ragged.element_spec
    assert [len(x["r"]) for x in again] == [0, 1, 5]


def sparse_rows():
    return Dataset.from_tensor_slices([[0, 1], [1, 1], [2, 3]]).map(tf.sparse.from_dense)


SPARSE = {"rows": sparse_rows, "batches": lambda: sparse_rows().batch(2)}


@pytest.mark.parametrize("make", SPARSE.values(), ids=SPARSE)
def test_loops_in_functions_over_sparse_elements(make):
    @tf.function
    def total(dataset):
        found = tf.constant(0)
        for x in dataset:
            found += tf.reduce_sum(x.values)
        return found

    @tf.function
    def until(dataset):
        found = tf.constant(0)
        for x in dataset:
            found += tf.reduce_sum(x.values)
            if found > 2:
                break
        return found

    @tf.function
    def reduced(dataset):
        return dataset.reduce(0, lambda found, x: found + tf.reduce_sum(x.values))

    assert int(total(make())) == int(reduced(make())) == 8
    assert int(until(make())) == 3


def test_a_loop_knows_the_sizes_of_sparse_elements():
    shapes, weights = [], tf.Variable([[1.0], [2.0]])

    @tf.function
    def products(dataset):
        found = 0.0
        for x in dataset:
            shapes.append(x.shape.as_list())
            found += tf.reduce_sum(tf.sparse.sparse_dense_matmul(tf.cast(x, tf.float32), weights))
        return found

    assert float(products(sparse_rows().batch(2))) == 13
    assert shapes[-1] == [None, 2]


@pytest.mark.parametrize("adjoint", [False, True])
def test_a_sparse_matrix_of_unknown_sizes_is_multiplied(adjoint):
    spec = tf.SparseTensorSpec([None, None])
    product = tf.function(
        lambda x: tf.sparse.sparse_dense_matmul(x, tf.ones([2, 1]), adjoint_a=adjoint), input_signature=[spec]
    )
    assert product.get_concrete_function().output_shapes == [None, 1]
    assert product(tf.sparse.from_dense([[1.0, 2.0], [0.0, 4.0]])).numpy().ravel().tolist() == (
        [1.0, 6.0] if adjoint else [3.0, 4.0]
    )


@pytest.mark.parametrize("inner", [(), (None,)])
def test_a_loop_over_ragged_elements_that_ends_early(inner):
    rows = tf.ragged.constant([[[1], [2, 3]], [[4]], [[5, 6]]])
    elements = Dataset.from_tensor_slices(tf.stack([rows, rows]) if inner else rows)

    @tf.function
    def until(dataset):
        found = tf.constant(0)
        for x in dataset:
            found += tf.reduce_sum(x.flat_values)
            if found > 2:
                break
        return found

    assert int(until(elements)) == (21 if inner else 6)
