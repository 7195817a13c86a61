"""Ragged and sparse tensors inside traced functions: made there, given, returned; what is known of their sizes."""

import numpy as np
import pytest

import gradtape as tf

pytestmark = pytest.mark.quick

ROWS = tf.ragged.constant([[1.0, 2.0], [3.0], []])
MATRIX = tf.constant([[1.0, 0.0, 2.0], [0.0, 0.0, 3.0]])
TEXTS = tf.TensorSpec([None], tf.string)


def lists(value):
    return value.to_list() if isinstance(value, tf.RaggedTensor) else value.numpy().tolist()


def test_texts_come_apart_in_a_function_for_any_number_of_texts():
    shapes = []

    @tf.function(input_signature=[TEXTS])
    def words(texts):
        rows = tf.strings.split(tf.strings.lower(texts))
        padded = rows.to_tensor()
        shapes.append((rows.shape.as_list(), padded.shape.as_list(), rows.to_tensor(shape=[None, 4]).shape.as_list()))
        return rows, padded, rows.row_lengths(), rows.nrows(), tf.strings.ngrams(rows, 2)

    rows, padded, lengths, count, pairs = words(tf.constant(["A b c", "d"]))
    assert lists(rows) == [[b"a", b"b", b"c"], [b"d"]]
    assert lists(padded) == [[b"a", b"b", b"c"], [b"d", b"", b""]]
    assert (lists(lengths), int(count), lists(pairs)) == ([3, 1], 2, [[b"a b", b"b c"], []])
    assert lists(words(tf.constant(["e", "", "f g"]))[0]) == [[b"e"], [], [b"f", b"g"]]
    assert shapes == [([None, None], [None, None], [None, 4])]


COMPUTATIONS = [
    lambda r: tf.reduce_sum(r * 2.0 + 1.0, axis=1),
    lambda r: tf.reduce_mean(r),
    lambda r: r[0],
    lambda r: r[1:],
    lambda r: r[:, :1],
    lambda r: r + r,
    lambda r: r - tf.constant([[1.0], [2.0], [3.0]]),
    lambda r: tf.concat([r, r], axis=1),
    lambda r: tf.concat([r, r], axis=0),
    lambda r: tf.ragged.boolean_mask(r, r > 1.0),
    lambda r: tf.gather(r, [1, 0]),
    lambda r: r.to_tensor(-1.0),
    lambda r: r.to_tensor(shape=[None, 1]),
    lambda r: r.values,
    lambda r: r.value_rowids(),
    lambda r: r.bounding_shape(),
    lambda r: r.with_values(tf.cast(r.values, tf.int32)),
    lambda r: tf.sparse.to_dense(r.to_sparse()),
    lambda r: tf.RaggedTensor.from_row_lengths(r.values, r.row_lengths()),
    lambda r: tf.RaggedTensor.from_row_splits(r.values, r.row_splits),
    lambda r: tf.RaggedTensor.from_row_starts(r.values, r.row_starts()),
    lambda r: tf.RaggedTensor.from_row_limits(r.values, r.row_limits()),
    lambda r: tf.RaggedTensor.from_value_rowids(r.values, r.value_rowids()),
    lambda r: tf.RaggedTensor.from_value_rowids(r.values, r.value_rowids(), r.nrows()),
    lambda r: tf.RaggedTensor.from_uniform_row_length(r.values, 1),
    lambda r: tf.RaggedTensor.from_tensor(r.to_tensor(), padding=0.0),
]


@pytest.mark.parametrize("place", range(len(COMPUTATIONS)))
def test_a_function_of_rows_gives_what_eager_code_gives(place):
    compute = COMPUTATIONS[place]
    assert lists(tf.function(compute)(ROWS)) == lists(compute(ROWS))


def test_rows_of_other_lengths_need_no_new_trace():
    traces = []

    @tf.function(reduce_retracing=True)
    def total(rows):
        traces.append(rows.shape)
        return tf.reduce_sum(rows, axis=1)

    for lengths in ([2, 1, 0], [1, 1, 3], [0, 4, 1], [2, 2, 5]):
        rows = tf.RaggedTensor.from_row_lengths(tf.range(sum(lengths), dtype=tf.float32), lengths)
        np.testing.assert_allclose(total(rows), [row.numpy().sum() for row in rows])
    assert len(traces) <= 3


def test_gradients_go_through_rows_in_a_function():
    @tf.function
    def slope(rows):
        with tf.GradientTape() as tape:
            tape.watch(rows.values)
            loss = tf.reduce_sum(tf.square(rows.to_tensor()))
        return tape.gradient(loss, rows.values)

    np.testing.assert_allclose(slope(ROWS), [2.0, 4.0, 6.0])
    with tf.GradientTape() as tape:
        tape.watch(ROWS.values)
        loss = tf.function(lambda rows: tf.reduce_sum(tf.square(rows.to_tensor())))(ROWS)
    np.testing.assert_allclose(tape.gradient(loss, ROWS.values), [2.0, 4.0, 6.0])


def test_what_a_function_cannot_know_of_rows_is_an_error_that_says_so():
    @tf.function(input_signature=[TEXTS])
    def loop(texts):
        return list(tf.strings.split(texts))

    with pytest.raises(TypeError, match="nrows"):
        loop(tf.constant(["a"]))


def test_sparse_tensors_in_a_function():
    shapes = []

    @tf.function
    def compute(dense):
        sparse = tf.sparse.from_dense(dense)
        shapes.append((sparse.shape.as_list(), sparse.values.shape.as_list()))
        return sparse, tf.sparse.to_dense(sparse), tf.sparse.sparse_dense_matmul(sparse, tf.transpose(dense))

    sparse, dense, product = compute(MATRIX)
    assert sparse.indices.numpy().tolist() == [[0, 0], [0, 2], [1, 2]]
    np.testing.assert_allclose(dense, MATRIX)
    np.testing.assert_allclose(product, MATRIX @ tf.transpose(MATRIX))
    assert shapes == [([2, 3], [None])]


def test_a_sparse_argument_has_its_shape():
    traces = []

    @tf.function
    def slope(sparse, weights):
        traces.append(sparse.shape.as_list())
        with tf.GradientTape() as tape:
            tape.watch(weights)
            loss = tf.reduce_sum(tf.sparse.sparse_dense_matmul(sparse, weights) ** 2)
        return tape.gradient(loss, weights)

    for matrix in (MATRIX, 2.0 * MATRIX, MATRIX[:, ::-1]):
        expected = 2 * tf.matmul(matrix, tf.matmul(matrix, tf.ones([3, 2])), transpose_a=True)
        np.testing.assert_allclose(slope(tf.sparse.from_dense(matrix), tf.ones([3, 2])), expected)
    assert traces == [[2, 3]]
    slope(tf.sparse.from_dense(MATRIX[:1]), tf.ones([3, 2]))
    assert traces == [[2, 3], [1, 3]]


def test_crossed_features_in_a_function():
    first, second = tf.constant([["a"], ["b"]]), tf.constant([["c"], ["d"]])
    crossed = tf.function(lambda *inputs: tf.sparse.to_dense(tf.sparse.cross_hashed(inputs, 100)))
    assert crossed(first, second).numpy().tolist() == [[66], [54]]
    assert crossed(second, first).numpy().tolist() == lists(
        tf.sparse.to_dense(tf.sparse.cross_hashed([second, first], 100))
    )


SPARSE = tf.SparseTensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 2])


def test_a_loop_carries_ragged_and_sparse_tensors():
    @tf.function
    def doubled(value, times):
        for _ in tf.range(times):
            value = value * 2.0
        return value

    assert lists(doubled(ROWS, tf.constant(3))) == [[8.0, 16.0], [24.0], []]
    assert lists(tf.sparse.to_dense(tf.sparse.reorder(doubled(SPARSE, tf.constant(2))))) == [[0.0, 4.0], [8.0, 0.0]]
    assert lists(tf.while_loop(lambda i, _: i < 2, lambda i, x: (i + 1, x * 2.0), [0, ROWS])[1])[0] == [4.0, 8.0]


def test_rows_grow_in_a_loop():
    @tf.function
    def grown(rows, times):
        for _ in tf.range(times):
            rows = tf.concat([rows, rows], 1)
        return rows, tf.reduce_sum(rows, 1)

    rows, sums = grown(ROWS, tf.constant(2))
    assert lists(rows) == [[1.0, 2.0] * 4, [3.0] * 4, []]
    assert lists(sums) == [12.0, 12.0, 0.0]


def test_the_number_of_rows_does_not_grow_in_a_loop():
    @tf.function
    def grown(rows, times):
        for _ in tf.range(times):
            rows = tf.concat([rows, rows], 0)
        return rows

    with pytest.raises(ValueError, match="after one iteration"):
        grown(ROWS, tf.constant(2))


@pytest.mark.parametrize("truth", [True, False])
def test_branches_give_rows_of_different_lengths(truth):
    @tf.function
    def either(rows, truth):
        chosen = tf.concat([rows, rows], 1) if truth else rows
        return chosen, tf.reduce_sum(chosen, 1)

    chosen, sums = either(ROWS, tf.constant(truth))
    assert lists(chosen) == ([[1.0, 2.0, 1.0, 2.0], [3.0, 3.0], []] if truth else lists(ROWS))
    assert lists(sums) == ([6.0, 6.0, 0.0] if truth else [3.0, 3.0, 0.0])


@pytest.mark.parametrize("change", [lambda rows: tf.cast(rows, tf.int32), lambda rows: rows.to_tensor()])
def test_branches_and_loops_keep_kind_and_type(change):
    branch = tf.function(lambda rows, truth: tf.cond(truth, lambda: rows, lambda: change(rows)))
    loop = tf.function(lambda rows, n: tf.while_loop(lambda i, _: i < n, lambda i, x: (i + 1, change(x)), (0, rows)))
    with pytest.raises(TypeError, match="types"):
        branch(ROWS, tf.constant(True))
    with pytest.raises(TypeError, match="type"):
        loop(ROWS, tf.constant(1))


def test_gradients_of_rows_go_through_a_loop():
    @tf.function
    def cubes(rows, times):
        product = rows
        for _ in tf.range(times):
            product = product * rows
        return tf.reduce_sum(product)

    with tf.GradientTape() as tape:
        tape.watch(ROWS.values)
        total = cubes(ROWS, tf.constant(2))
    assert lists(tape.gradient(total, ROWS)) == [[3.0, 12.0], [27.0], []]


def test_slices_are_traced_for_each_dense_shape():
    shapes = []

    @tf.function
    def doubled(slices):
        shapes.append(slices.shape)
        return tf.IndexedSlices(slices.values * 2.0, slices.indices, slices.dense_shape)

    for dense_shape in ([4, 1], [4, 1], [5, 1], None):
        given = tf.IndexedSlices(tf.ones([2, 1]), tf.range(2), dense_shape and tf.constant(dense_shape))
        result = doubled(given)
        assert lists(result.values) == [[2.0], [2.0]]
        assert (None if result.dense_shape is None else lists(result.dense_shape)) == dense_shape
    assert len(shapes) == 3


@pytest.mark.parametrize("make", [tf.Variable, tf.constant], ids=["variable", "tensor"])
def test_a_tape_follows_what_sparse_tensors_are_multiplied_with(make):
    w = make(np.ones([3, 2], np.float32))

    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(w)
            y = tf.reduce_sum(tf.sparse.sparse_dense_matmul(x, w) ** 2)
        return tape.gradient(y, w)

    x = tf.sparse.from_dense([[0.0, 1.0, 0.0], [2.0, 0.0, 0.0]])
    np.testing.assert_allclose(tf.function(slope)(x), slope(x))


def test_map_fn_takes_rows_of_ragged_and_sparse_tensors_inside_functions():
    ragged = tf.ragged.constant([[1.0, 2.0], [3.0], []])

    @tf.function
    def squares(r):
        assert isinstance(r, tf.RaggedTensor)
        return tf.map_fn(lambda row: tf.reduce_sum(row) ** 2, r, fn_output_signature=tf.float32)

    @tf.function
    def reversed_rows(r):
        found = tf.map_fn(lambda row: row[::-1], r, fn_output_signature=tf.RaggedTensorSpec([None], tf.float32))
        return found, found.row_lengths()

    assert squares(ragged).numpy().tolist() == [9.0, 9.0, 0.0]
    rows, lengths = reversed_rows(ragged)
    assert rows.to_list() == [[2.0, 1.0], [3.0], []]
    assert lengths.numpy().tolist() == [2, 1, 0]
    values = ragged.values
    with tf.GradientTape() as tape:
        tape.watch(values)
        y = squares(tf.RaggedTensor.from_row_splits(values, ragged.row_splits))
    assert tape.gradient(y, values).numpy().tolist() == [6.0, 6.0, 6.0]
    sparse = tf.sparse.from_dense([[0.0, 1.0], [2.0, 0.0]])
    sums = tf.function(lambda s: tf.map_fn(tf.sparse.reduce_sum, s, fn_output_signature=tf.float32))(sparse)
    assert sums.numpy().tolist() == [1.0, 2.0]


def test_the_sizes_that_the_spec_of_a_sparse_tensor_tells_are_known():
    seen = []

    @tf.function(input_signature=[tf.SparseTensorSpec([None, 3], tf.float32)])
    def product(s):
        result = tf.sparse.sparse_dense_matmul(s, tf.ones([3, 2]))
        for value in (s, s * 2.0, tf.sparse.to_dense(s), tf.sparse.transpose(s), result):
            seen.append(value.shape.as_list())
        return result

    for rows in (2, 5):
        s = tf.SparseTensor([[0, 1], [1, 2]], [1.0, 2.0], [rows, 3])
        assert product(s).numpy().tolist() == [[1, 1], [2, 2], *[[0, 0]] * (rows - 2)]
    assert seen == [[None, 3], [None, 3], [None, 3], [3, None], [None, 2]]


@pytest.mark.parametrize("traced", [False, True])
def test_slices_with_lists_of_positions_become_dense(traced):
    def dense(rows):
        return tf.convert_to_tensor(tf.IndexedSlices(rows, [2, 0], [3, 2]))

    found = (tf.function(dense) if traced else dense)(tf.constant([[1.0, 2.0], [3.0, 4.0]]))
    np.testing.assert_array_equal(found.numpy(), [[3.0, 4.0], [0.0, 0.0], [1.0, 2.0]])
