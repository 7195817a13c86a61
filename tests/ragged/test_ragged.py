"""Ragged tensors: what TensorFlow gives for the same expressions, gradients, and what is refused."""

import numpy as np
import pytest

import gradtape as tf

pytestmark = pytest.mark.quick

R = tf.RaggedTensor
r = tf.ragged.constant([[1.0, 2.0], [], [3.0]])
q = tf.ragged.constant([[[1], [2, 3]], [[]]])

# Expressions and their value in TensorFlow 2.21, ragged tensors as lists.
OBSERVED = {
    "r": [[1.0, 2.0], [], [3.0]],
    "q.values": [[1], [2, 3], []],
    "q.flat_values": [1, 2, 3],
    "list(r.shape)": [3, None],
    "list(q.shape)": [2, None, None],
    "q.ragged_rank": 2,
    "r.to_tensor()": [[1.0, 2.0], [0.0, 0.0], [3.0, 0.0]],
    "r.to_tensor(-1., shape=[4, 3])": [[1.0, 2.0, -1.0], [-1.0, -1.0, -1.0], [3.0, -1.0, -1.0], [-1.0, -1.0, -1.0]],
    "r.to_tensor(shape=[None, 1])": [[1.0], [0.0], [3.0]],
    "q.to_tensor()": [[[1, 0], [2, 3]], [[0, 0], [0, 0]]],
    "r.row_lengths()": [2, 0, 1],
    "q.row_lengths(axis=2)": [[1, 2], [0]],
    "r.nested_row_splits[0]": [0, 2, 2, 3],
    "r.bounding_shape()": [3, 2],
    "q.bounding_shape()": [2, 2, 2],
    "r[0]": [1.0, 2.0],
    "r[1:]": [[], [3.0]],
    "r[:, :1]": [[1.0], [], [3.0]],
    "r[:, ::-1]": [[2.0, 1.0], [], [3.0]],
    "r[0, 1]": 2.0,
    "r[-1]": [3.0],
    "q[0]": [[1], [2, 3]],
    "q[0, 1]": [2, 3],
    "q[:, 0:1]": [[[1]], [[]]],
    "q[:, :, 0:1]": [[[1], [2]], [[]]],
    "r[..., 0:1]": [[1.0], [], [3.0]],
    "r + 1": [[2.0, 3.0], [], [4.0]],
    "1 - r": [[0.0, -1.0], [], [-2.0]],
    "r * r": [[1.0, 4.0], [], [9.0]],
    "-r": [[-1.0, -2.0], [], [-3.0]],
    "r > 1": [[False, True], [], [True]],
    "r == r": [[True, True], [], [True]],
    "tf.where(r > 1, r, -r)": [[-1.0, 2.0], [], [3.0]],
    "tf.nn.relu(r)": [[1.0, 2.0], [], [3.0]],
    "tf.cast(r, tf.int32)": [[1, 2], [], [3]],
    "r + tf.constant([[1.], [2.], [3.]])": [[2.0, 3.0], [], [6.0]],
    "tf.reduce_sum(r)": 6.0,
    "tf.reduce_sum(r, axis=1)": [3.0, 0.0, 3.0],
    "tf.reduce_sum(r, axis=0)": [4.0, 2.0],
    "tf.reduce_mean(r[::2], axis=1)": [1.5, 3.0],
    "tf.reduce_max(r[::2], axis=1)": [2.0, 3.0],
    "tf.reduce_min(r, axis=0)": [1.0, 2.0],
    "tf.reduce_prod(r, axis=1)": [2.0, 1.0, 3.0],
    "tf.reduce_any(r > 1, axis=1)": [True, False, True],
    "tf.reduce_all(r > 1, axis=1)": [False, True, True],
    "tf.reduce_sum(q, axis=2)": [[1, 5], [0]],
    "tf.reduce_sum(q, axis=1)": [[3, 3], []],
    "tf.reduce_sum(q, axis=[1, 2])": [6, 0],
    "tf.reduce_sum(r, axis=1, keepdims=True)": [[3.0], [0.0], [3.0]],
    "tf.concat([r, r], axis=0)": [[1.0, 2.0], [], [3.0], [1.0, 2.0], [], [3.0]],
    "tf.concat([r, r], axis=1)": [[1.0, 2.0, 1.0, 2.0], [], [3.0, 3.0]],
    "tf.stack([r, r])": [[[1.0, 2.0], [], [3.0]], [[1.0, 2.0], [], [3.0]]],
    "tf.stack([r, r], axis=1)": [[[1.0, 2.0], [1.0, 2.0]], [[], []], [[3.0], [3.0]]],
    "tf.ragged.stack([[1., 2.], [3.]])": [[1.0, 2.0], [3.0]],
    "tf.gather(r, [2, 0])": [[3.0], [1.0, 2.0]],
    "tf.ragged.range([3, 0, 2])": [[0, 1, 2], [], [0, 1]],
    "tf.ragged.range([0, 5], [3, 6])": [[0, 1, 2], [5]],
    "tf.ragged.boolean_mask([1, 2, 3], [True, False, True])": [1, 3],
    "tf.ragged.boolean_mask([[1, 2], [3, 4]], [[True, False], [True, True]])": [[1], [3, 4]],
    "tf.ragged.boolean_mask(r, tf.ragged.constant([[True, False], [], [True]]))": [[1.0], [], [3.0]],
    "tf.ragged.boolean_mask(r, tf.ragged.constant([[False, False], [], [True]]))": [[], [], [3.0]],
    "R.from_tensor([[1, 2, 0], [3, 0, 0]])": [[1, 2, 0], [3, 0, 0]],
    "R.from_tensor([[1, 2, 0], [3, 0, 0]], padding=0)": [[1, 2], [3]],
    "R.from_tensor([[1, 2, 0], [3, 0, 0]], lengths=[2, 1])": [[1, 2], [3]],
    "R.from_row_lengths([1, 2, 3], [2, 0, 1])": [[1, 2], [], [3]],
    "R.from_value_rowids([1, 2, 3], [0, 0, 2])": [[1, 2], [], [3]],
    "R.from_value_rowids([1, 2, 3], [0, 0, 2], nrows=5)": [[1, 2], [], [3], [], []],
    "R.from_row_starts([1, 2, 3], [0, 2])": [[1, 2], [3]],
    "R.from_row_limits([1, 2, 3], [1, 3])": [[1], [2, 3]],
    "R.from_uniform_row_length([1, 2, 3, 4], 2)": [[1, 2], [3, 4]],
    "R.from_nested_row_splits([1, 2, 3], [[0, 2], [0, 1, 3]])": [[[1], [2, 3]]],
    "R.from_nested_row_lengths([1, 2, 3], [[2], [1, 2]])": [[[1], [2, 3]]],
    "R.from_sparse(tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 2, 3], [3, 4]))": [[1, 2], [], [3]],
    "R.from_sparse(r.to_sparse())": [[1.0, 2.0], [], [3.0]],
    "r.value_rowids()": [0, 0, 2],
    "r.nrows()": 3,
    "r.row_starts()": [0, 2, 2],
    "r.row_limits()": [2, 2, 3],
    "q.with_flat_values(tf.constant([4, 5, 6]))": [[[4], [5, 6]], [[]]],
    "q.merge_dims(0, 1)": [[1], [2, 3], []],
    "q.merge_dims(1, 2)": [[1, 2, 3], []],
    "tf.ragged.map_flat_values(tf.square, r)": [[1.0, 4.0], [], [9.0]],
    "tf.ragged.map_flat_values(tf.add, r, r)": [[2.0, 4.0], [], [6.0]],
    "tf.ragged.constant([[], []])": [[], []],
    "tf.ragged.constant([1, 2])": [1, 2],
    "tf.ragged.constant([['a'], ['b', 'c']])": [[b"a"], [b"b", b"c"]],
    "tf.ragged.constant([[[1, 2]], [[3, 4], [5, 6]]], ragged_rank=1)": [[[1, 2]], [[3, 4], [5, 6]]],
    "tf.ragged.constant([[[1, 2]], [[3, 4], [5, 6]]], inner_shape=(2,)).ragged_rank": 1,
    "tf.ragged.row_splits_to_segment_ids([0, 2, 2, 3])": [0, 0, 2],
    "tf.ragged.segment_ids_to_row_splits([0, 0, 2])": [0, 2, 2, 3],
    "tf.ragged.segment_ids_to_row_splits([2, 0])": [0, 1, 1, 2],
    "tf.ragged.segment_ids_to_row_splits([0, 0, 2], num_segments=4)": [0, 2, 2, 3, 3],
    "tf.ragged.segment_ids_to_row_splits([0, 0, 2], num_segments=1)": [0, 2],
    "tf.is_tensor(r), isinstance(r, tf.Tensor)": (True, False),
    "repr(r)": "<tf.RaggedTensor [[1.0, 2.0], [], [3.0]]>",
    "repr(tf.RaggedTensorSpec.from_value(r))": "RaggedTensorSpec(TensorShape([3, None]), tf.float32, 1, tf.int64)",
}


@pytest.mark.parametrize("expression", OBSERVED)
def test_values_are_those_of_tensorflow(expression):
    value = eval(expression)
    if isinstance(value, R):
        value = value.to_list()
    elif isinstance(value, tf.Tensor):
        value = value.numpy().tolist()
    assert value == OBSERVED[expression]


def test_rows_without_values_have_no_mean_and_the_lowest_maximum():
    assert np.isnan(tf.reduce_mean(r, axis=1).numpy()[1])
    assert tf.reduce_max(r, axis=1).numpy()[1] == np.finfo(np.float32).min


def test_types_of_values_and_splits_are_kept():
    assert tf.ragged.constant([[1]], dtype=tf.float64).dtype is tf.float64
    assert r.row_splits.dtype is tf.int64
    assert r.with_row_splits_dtype(tf.int32).row_lengths().dtype is tf.int32
    assert tf.ragged.constant([[1]], row_splits_dtype=tf.int32).row_splits.dtype is tf.int32


def test_numpy_gives_rows():
    assert [row.tolist() for row in r.numpy()] == [[1.0, 2.0], [], [3.0]]
    assert [row.numpy().tolist() for row in r] == [[1.0, 2.0], [], [3.0]]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x: tf.reduce_sum(x * x), [[2.0, 4.0], [], [6.0]]),
        (lambda x: tf.reduce_sum(tf.reduce_sum(x, axis=1) ** 2), [[6.0, 6.0], [], [6.0]]),
        (lambda x: tf.reduce_sum(tf.reduce_sum(x, axis=0) ** 2), [[8.0, 4.0], [], [8.0]]),
        (lambda x: tf.reduce_sum(x.to_tensor() ** 2), [[2.0, 4.0], [], [6.0]]),
        (lambda x: tf.reduce_sum(x[0]) + x[2, 0] * 3.0, [[1.0, 1.0], [], [3.0]]),
        (lambda x: tf.reduce_sum(x[:, :1]), [[1.0, 0.0], [], [1.0]]),
        (lambda x: tf.reduce_sum(tf.concat([x, 2.0 * x], axis=1)), [[3.0, 3.0], [], [3.0]]),
        (lambda x: tf.reduce_sum(tf.reduce_max(x, axis=0)), [[0.0, 1.0], [], [1.0]]),
    ],
)
def test_gradients_go_through_the_values(function, expected):
    with tf.GradientTape() as tape:
        tape.watch(r)
        y = function(r)
    gradient = tape.gradient(y, r)
    assert isinstance(gradient, R)
    assert gradient.to_list() == expected


def test_a_ragged_target_is_the_sum_of_its_values():
    x = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        rows = R.from_row_lengths(x * x, [1, 2])
    assert tape.gradient(rows, x).numpy().tolist() == [2.0, 4.0, 6.0]


def test_sources_may_mix_ragged_and_dense_in_a_structure():
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        tape.watch(r)
        y = tf.reduce_sum(r * v)
    gradients = tape.gradient(y, {"rows": r, "v": v})
    assert gradients["rows"].to_list() == [[2.0, 2.0], [], [2.0]]
    assert float(gradients["v"]) == 6.0


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (lambda: tf.ragged.constant([[1], 2]), ValueError, "nesting depth"),
        (lambda: R.from_row_splits([1, 2, 3], [0, 2]), tf.errors.InvalidArgumentError, "2 values in all, but 3"),
        (lambda: R.from_row_splits([1, 2, 3], [0, 2, 1, 3]), tf.errors.InvalidArgumentError, "must not decrease"),
        (lambda: R.from_row_splits([1, 2, 3], [1, 3]), tf.errors.InvalidArgumentError, "begin with 0"),
        (lambda: R.from_row_lengths([1, 2, 3], [2, 2]), tf.errors.InvalidArgumentError, "4 values in all, but 3"),
        (lambda: R.from_row_lengths([1, 2, 3], [4, -1]), tf.errors.InvalidArgumentError, "negative"),
        (lambda: R.from_value_rowids([1, 2], [1, 0]), tf.errors.InvalidArgumentError, "must not decrease"),
        (lambda: R.from_row_splits(3, [0, 2]), ValueError, "at least one axis"),
        (lambda: R.from_row_splits([1.0], [0.0, 1.0]), TypeError, "int64"),
        (lambda: R.from_tensor([1, 2]), ValueError, "ragged_rank"),
        (lambda: r + tf.ragged.constant([[1.0], [2.0], [3.0]]), tf.errors.InvalidArgumentError, "do not broadcast"),
        (lambda: r + tf.constant([1.0, 2.0]), tf.errors.InvalidArgumentError, "do not broadcast"),
        (lambda: r[5], tf.errors.InvalidArgumentError, "out of bounds"),
        (lambda: r[:, 0], ValueError, r"rt\[:, 0:1\]"),
        (lambda: tf.reduce_sum(r, axis=2), ValueError, "out of bounds"),
        (lambda: tf.cumsum(r, axis=1), tf.errors.UnimplementedError, "to_tensor"),
        (lambda: tf.convert_to_tensor(r), ValueError, "RaggedTensor"),
        (lambda: tf.gather(r, [3]), tf.errors.InvalidArgumentError, r"indices\[0\] = 3 is not in \[0, 3\)"),
        (lambda: r.with_values([1.0]), tf.errors.InvalidArgumentError, "1 new values for 3"),
        (lambda: tf.ragged.stack([[1], [[2]]]), ValueError, "one rank"),
        (lambda: tf.ragged.segment_ids_to_row_splits([[0]]), ValueError, "must be a vector"),
        (lambda: tf.ragged.segment_ids_to_row_splits([-1]), tf.errors.InvalidArgumentError, "must not be negative"),
        (lambda: R.from_sparse(tf.SparseTensor([[3, 0]], [1], [3, 4])), tf.errors.InvalidArgumentError, "row 3 is out"),
    ],
)
def test_what_is_wrong_has_a_named_error(build, error, message):
    with pytest.raises(error, match=message):
        build()


@pytest.mark.parametrize(
    "build",
    [
        lambda ids: tf.ragged.segment_ids_to_row_splits(ids),
        lambda ids: R.from_sparse(tf.SparseTensor(tf.stack([ids, [0, 0]], axis=1), [1, 2], [3, 4])),
        lambda ids: R.from_value_rowids([1, 2], ids),
        lambda ids: tf.math.bincount(ids),
        lambda ids: tf.math.segment_mean(tf.ones([2, 0]), ids),
    ],
)
def test_the_largest_integer_as_a_row_is_refused(build):
    """np.bincount takes the row after it for a negative length, and writes in front of its result."""
    with pytest.raises((tf.errors.ResourceExhaustedError, tf.errors.InvalidArgumentError, ValueError)):
        build(tf.constant([0, 2**63 - 1]))


def test_the_largest_integer_as_a_row_is_left_out_of_fewer_rows():
    assert tf.ragged.segment_ids_to_row_splits([0, 2**63 - 1], num_segments=2).numpy().tolist() == [0, 1, 1]


def test_slices_at_ragged_positions():
    params = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    rows = tf.ragged.constant([[1], [0, 1]])
    with tf.GradientTape() as tape:
        tape.watch(params)
        found = tf.gather(params, rows)
        total = tf.reduce_sum(found.flat_values * [[1.0], [2.0], [3.0]])
    assert found.to_list() == [[[3.0, 4.0]], [[1.0, 2.0], [3.0, 4.0]]]
    np.testing.assert_allclose(tf.convert_to_tensor(tape.gradient(total, params)), [[2.0, 2.0], [4.0, 4.0]])
    assert tf.gather(params, rows, axis=1).to_list() == [[[2.0], [1.0, 2.0]], [[4.0], [3.0, 4.0]]]
    cube = tf.reshape(tf.range(12), [2, 3, 2])
    assert tf.gather(cube, rows, axis=2).to_list()[1] == [[[7], [6, 7]], [[9], [8, 9]], [[11], [10, 11]]]


def test_like_size_rank_and_quotients():
    rows = tf.ragged.constant([[1, 2], [3]])
    assert tf.ones_like(rows).to_list() == [[1, 1], [1]]
    assert tf.zeros_like(rows, tf.bool).to_list() == [[False, False], [False]]
    assert (int(tf.size(rows)), int(tf.rank(rows))) == (3, 2)
    assert (rows / 2).to_list() == [[0.5, 1.0], [1.5]]
    assert (rows / 2).dtype == tf.float64


def test_gathered_rows_may_have_any_length():
    rows = tf.RaggedTensor.from_tensor(tf.ones([3, 4, 2]), ragged_rank=2)
    assert tuple(rows[:2].shape) == (2, 4, 2)
    assert tuple(tf.gather(rows, [0, 2]).shape) == (2, None, None)


def test_row_partitions():
    kind = tf.experimental.RowPartition
    splits = [0, 2, 2, 3]
    for rows in (
        kind.from_row_splits(splits),
        kind.from_row_lengths([2, 0, 1]),
        kind.from_row_starts([0, 2, 2], nvals=3),
        kind.from_row_limits([2, 2, 3]),
        kind.from_value_rowids([0, 0, 2]),
    ):
        np.testing.assert_array_equal(rows.row_splits(), splits)
        np.testing.assert_array_equal(rows.row_lengths(), [2, 0, 1])
        np.testing.assert_array_equal(rows.value_rowids(), [0, 0, 2])
        assert (int(rows.nrows()), int(rows.nvals()), rows.is_uniform()) == (3, 3, False)
    even = kind.from_uniform_row_length(2, nrows=3, dtype=tf.int32)
    np.testing.assert_array_equal(even.row_limits(), [2, 4, 6])
    assert (even.is_uniform(), even.dtype) == (True, tf.int32)
    with pytest.raises(ValueError, match="nvals or nrows"):
        kind.from_uniform_row_length(2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="must not decrease"):
        kind.from_value_rowids([1, 0])


def test_a_function_of_each_row():
    rows = tf.ragged.constant([[1, 2, 2], [3, 3]])
    assert tf.map_fn(lambda row: tf.unique(row)[0], rows).to_list() == [[1, 2], [3]]
    assert tf.map_fn(tf.reduce_sum, rows, fn_output_signature=tf.int32).numpy().tolist() == [5, 6]
    deep = tf.ragged.constant([[[1], [2, 3]], [[4]]])
    assert tf.map_fn(lambda row: row, deep).to_list() == deep.to_list()
    spec = tf.RaggedTensorSpec([None], tf.int32)
    assert tf.map_fn(tf.range, tf.constant([1, 2]), fn_output_signature=spec).to_list() == [[0], [0, 1]]
    assert tf.map_fn(lambda row: row, rows[:0]).to_list() == []
    none = tf.map_fn(tf.range, tf.zeros([0], tf.int32), fn_output_signature=spec)
    assert (none.shape.as_list(), none.row_splits.numpy().tolist()) == ([0, None], [0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="fn_output_signature"):
        tf.map_fn(tf.reduce_sum, rows)


def test_a_function_with_rows_of_any_length_inside_a_function():
    spec = tf.RaggedTensorSpec([None], tf.float32)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32), tf.TensorSpec([])])
    def f(counts, x):
        rows = tf.map_fn(lambda n: tf.fill([n], x), counts, fn_output_signature=spec)
        return rows, tf.reduce_sum(rows * rows)

    for counts in ([2, 0, 1], [3], []):
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            rows, total = f(tf.constant(counts, tf.int32), x)
        assert rows.to_list() == [[3.0] * count for count in counts]
        assert not counts or float(tape.gradient(total, x)) == 6.0 * sum(counts)


def test_classes_of_values_in_rows():
    rows = tf.ragged.constant([[1, 2], [3]])
    coded = tf.one_hot(rows, 4, on_value=5, off_value=1, dtype=tf.int32)
    assert coded.to_list() == [[[1, 5, 1, 1], [1, 1, 5, 1]], [[1, 1, 1, 5]]]
    with pytest.raises(ValueError, match="axis=0"):
        tf.one_hot(rows, 4, axis=0)


WRONG_PARTS = {  # how rows of three values are given, and parts that do not fit
    "from_row_lengths": ([2, -1, 2], [2, 3], [1, 1]),
    "from_row_splits": ([1, 3], [0, 2, 1, 3], [0, 2], [0, 5], []),
    "from_row_limits": ([2, 1, 3], [1, 2], [-1, 3]),
    "from_row_starts": ([1, 2], [0, 2, 1], [0, 5]),
    "from_value_rowids": ([1, 0, 1], [-1, 0, 1], [0, 1]),
}


@pytest.mark.parametrize(("way", "parts"), [(way, parts) for way, several in WRONG_PARTS.items() for parts in several])
def test_parts_are_checked_in_functions_as_in_eager_code(way, parts):
    given = tf.constant(parts, tf.int64)
    make = getattr(R, way)
    for use in (lambda rows: rows.to_tensor(), lambda rows: tf.reduce_sum(rows.values)):  # (the second needs no rows)

        def call(values, part, use=use):
            return use(make(values, part))

        unknown = [tf.TensorSpec([None]), tf.TensorSpec([None], tf.int64)]
        for run in (call, tf.function(call), tf.function(call, input_signature=unknown)):
            with pytest.raises(tf.errors.InvalidArgumentError, match="RaggedTensor"):
                run(tf.constant([1.0, 2.0, 3.0]), given)

    def unchecked(values, part):
        return tf.reduce_sum(make(values, part, validate=False).values)

    if parts:
        assert float(tf.function(unchecked)(tf.constant([1.0, 2.0, 3.0]), given)) == 6.0


def test_nested_parts_are_checked_in_functions():
    x = tf.constant([1.0, 2.0, 3.0])
    nested = tf.function(lambda part: R.from_nested_row_splits(x, [[0, 1, 2], part]).to_tensor())
    assert nested(tf.constant([0, 2, 3], tf.int64)).shape == [2, 1, 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="must not decrease"):
        nested(tf.constant([0, 2, 1], tf.int64))
    with pytest.raises(tf.errors.InvalidArgumentError, match="value_rowids"):
        tf.function(lambda ids, n: R.from_value_rowids(x, ids, n).to_tensor())([0, 1, 5], tf.constant(3))


def test_rows_of_one_length_that_a_tensor_says():
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    rows = tf.function(lambda length: R.from_uniform_row_length(x, length).to_tensor())
    assert rows(tf.constant(2)).numpy().tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert rows(tf.constant(4)).numpy().tolist() == [[1.0, 2.0, 3.0, 4.0]]
    for length in (3, -1, 0):
        with pytest.raises(tf.errors.InvalidArgumentError, match="RaggedTensor"):
            rows(tf.constant(length))


@pytest.mark.parametrize(
    ("function", "axis", "kind", "expected"),
    [
        (tf.reduce_mean, None, "float64", 3.875),
        (tf.math.reduce_variance, None, "float64", 6.609375),
        (tf.math.reduce_variance, 1, "float64", [14 / 9, 4.0, 0.0, 4.0]),
        (tf.math.reduce_std, 1, "float64", [(14 / 9) ** 0.5, 2.0, 0.0, 2.0]),
    ],
)
def test_means_and_variances_of_whole_numbers_are_not_whole(function, axis, kind, expected):
    found = function(tf.ragged.constant([[3, 1, 4], [1, 5], [9], [2, 6]]), axis)
    assert found.dtype == kind
    np.testing.assert_allclose(found, expected)


def test_all_axes_are_kept_where_that_is_asked_for():
    rows = tf.ragged.constant([[3, 1, 4], [1, 5]])
    assert tf.reduce_sum(rows, keepdims=True).numpy().tolist() == [[14]]
    assert tf.reduce_any(rows > 4, keepdims=True).numpy().tolist() == [[True]]


def test_the_variance_of_equal_numbers_is_not_negative():
    assert tf.math.reduce_std(tf.ragged.constant([[0.1, 0.1, 0.1], [1.1]]), 1).numpy().min() >= 0


@pytest.mark.parametrize(
    ("lists", "settings", "shape"),
    [
        ([], {"ragged_rank": 1}, [0, None]),
        ([], {"ragged_rank": 2, "inner_shape": (100, 20)}, [0, None, None, 100, 20]),
        ([], {"inner_shape": (0, 100, 20)}, [0, 100, 20]),
        ([[], [], []], {"ragged_rank": 2}, [3, None, None]),
        ([[[1, 2], np.array([3, 4])], np.array([]), [[5, 6]]], {}, [3, None, None]),
        ([[[1, 2], [3, 4]], [], [[5, 6]]], {"ragged_rank": 1, "inner_shape": (2,)}, [3, None, 2]),
    ],
)
def test_constants_of_empty_lists_and_arrays(lists, settings, shape):
    assert tf.ragged.constant(lists, **settings).shape.as_list() == shape


@pytest.mark.parametrize(
    ("lists", "settings", "error", "words"),
    [
        (12, {"ragged_rank": 1}, ValueError, "incompatible with ragged_rank=1"),
        ([[[1], [2]]], {"ragged_rank": -1}, ValueError, "must be nonnegative"),
        ([1, 2, 3], {"ragged_rank": 1}, ValueError, "scalar values depth 1, but ragged_rank=1"),
        ([[1], [[]]], {}, ValueError, "empty list nesting is greater"),
        ([1, [2]], {}, ValueError, "same nesting depth"),
        ([[[1, 2], [3, 4]], [[5, 6], [7, 8, 9]]], {"ragged_rank": 1}, ValueError, "inconsistent shape"),
        ([1, 2, 3], {"inner_shape": (1, 1)}, TypeError, "do not fit"),
    ],
)
def test_lists_that_make_no_ragged_tensor_are_refused(lists, settings, error, words):
    with pytest.raises(error, match=words):
        tf.ragged.constant(lists, **settings)


def test_axes_that_are_merged_are_checked():
    rows = tf.ragged.constant([[1]])
    with pytest.raises(ValueError, match=r"inner_axis=-3 out of bounds: expected -2<=inner_axis<2"):
        rows.merge_dims(1, -3)
    with pytest.raises(ValueError, match=r"Expected outer_axis .* to be less than or equal"):
        rows.merge_dims(1, 0)


def test_masks_of_several_axes_pick_in_the_innermost_one():
    data, mask = np.arange(16).reshape(2, 2, 2, 2), np.arange(16).reshape(2, 2, 2, 2) % 3 == 0
    found = tf.ragged.boolean_mask(data, mask)
    assert found.to_list() == [[[[0], [3]], [[], [6]]], [[[9], []], [[12], [15]]]]
    assert tf.ragged.boolean_mask(data, mask[..., 0]).to_list() == [[[[0, 1]], [[6, 7]]], [[], [[12, 13]]]]
