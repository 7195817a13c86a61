"""Sparse tensors against the dense tensors they stand for: values, gradients, and what must raise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradtape as tf

PLACES = np.array([[0, 1], [0, 3], [1, 0], [2, 2]], np.int64)
SIZES = (3, 4)
VALUES = np.array([1.5, -2.0, 0.5, 3.0])


def sparse(values: Any = VALUES, places: Any = PLACES, sizes: Any = SIZES) -> Any:
    return tf.SparseTensor(places, values, sizes)


def dense(values: Any = VALUES) -> Any:
    result = np.zeros(SIZES, np.asarray(values).dtype)
    result[tuple(PLACES.T)] = values
    return result


RIGHT = np.arange(8.0).reshape(4, 2) - 3.0
LEFT = np.arange(6.0).reshape(2, 3) - 2.0


def softmax_of_stored(x: Any) -> Any:
    powers = np.where(x != 0, np.exp(x), 0.0)
    return powers / powers.sum(axis=1, keepdims=True)


# What a function of a sparse tensor gives (made dense), and the same in NumPy on the dense tensor.
CASES: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "to_dense": (lambda s: s, lambda x: x),
    "to_dense with a default": (
        lambda s: tf.sparse.to_dense(s, default_value=7.0),
        lambda x: np.where(x == 0, 7.0, x),
    ),
    "reorder": (
        lambda s: tf.sparse.reorder(tf.SparseTensor(s.indices[::-1], s.values[::-1], s.dense_shape)),
        lambda x: x,
    ),
    "slice": (lambda s: tf.sparse.slice(s, [0, 1], [2, 3]), lambda x: x[:2, 1:]),
    "slice beyond the end": (lambda s: tf.sparse.slice(s, [1, 2], [9, 9]), lambda x: x[1:, 2:]),
    "transpose": (tf.sparse.transpose, np.transpose),
    "transpose by perm": (lambda s: tf.sparse.transpose(s, [1, 0]), np.transpose),
    "reshape": (lambda s: tf.sparse.reshape(s, [2, -1]), lambda x: x.reshape(2, 6)),
    "reshape to a vector": (lambda s: tf.sparse.reshape(s, [12]), lambda x: x.reshape(12)),
    "expand_dims": (tf.sparse.expand_dims, lambda x: x[..., None]),
    "expand_dims first": (lambda s: tf.sparse.expand_dims(s, 0), lambda x: x[None]),
    "concat": (lambda s: tf.sparse.concat(1, [s, s]), lambda x: np.concatenate([x, x], 1)),
    "concat rows": (lambda s: tf.sparse.concat(0, [s, s, s]), lambda x: np.concatenate([x, x, x], 0)),
    "split": (
        lambda s: tf.sparse.concat(1, tf.sparse.split(s, 3, 1)[::-1]),
        lambda x: np.concatenate([x[:, 3:], x[:, 2:3], x[:, :2]], 1),
    ),
    "retain": (
        lambda s: tf.sparse.retain(s, [True, False, False, True]),
        lambda x: np.where((x == 1.5) | (x == 3.0), x, 0),
    ),
    "reset_shape": (lambda s: tf.sparse.reset_shape(s, [4, 5]), lambda x: np.pad(x, [(0, 1), (0, 1)])),
    "fill_empty_rows": (
        lambda s: tf.sparse.fill_empty_rows(tf.sparse.slice(s, [0, 1], [3, 3]), 9.0)[0],
        lambda x: np.array([[1.5, 0, -2.0], [9.0, 0, 0], [0, 3.0, 0]]),
    ),
    "reduce_sum": (tf.sparse.reduce_sum, np.sum),
    "reduce_sum of rows": (lambda s: tf.sparse.reduce_sum(s, axis=1), lambda x: x.sum(1)),
    "reduce_sum of columns": (
        lambda s: tf.sparse.reduce_sum(s, axis=-2, keepdims=True),
        lambda x: x.sum(0, keepdims=True),
    ),
    "reduce_sum of both": (
        lambda s: tf.sparse.reduce_sum(s, axis=[0, 1], keepdims=True),
        lambda x: x.sum(keepdims=True),
    ),
    "reduce_sum, sparse": (
        lambda s: tf.sparse.reduce_sum(s, axis=1, output_is_sparse=True),
        lambda x: x.sum(1),
    ),
    "reduce_max": (lambda s: tf.sparse.reduce_max(s, axis=0), lambda x: x.sum(0)),
    "add": (lambda s: tf.sparse.add(s, tf.sparse.transpose(tf.sparse.transpose(s))), lambda x: 2 * x),
    "add dense": (lambda s: tf.sparse.add(s, np.ones(SIZES)), lambda x: x + 1),
    "add to dense": (lambda s: tf.sparse.add(np.ones(SIZES), s), lambda x: x + 1),
    "add above a threshold": (
        lambda s: tf.sparse.add(s, s, threshold=2.5),
        lambda x: np.where(np.abs(2 * x) >= 2.5, 2 * x, 0),
    ),
    "maximum": (
        lambda s: tf.sparse.maximum(s, tf.SparseTensor([[0, 0], [0, 1]], np.array([1.0, 2.0]), SIZES)),
        lambda x: np.maximum(x, np.array([[1.0, 2.0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]])),
    ),
    "minimum": (
        lambda s: tf.sparse.minimum(s, tf.SparseTensor([[0, 0], [0, 1]], np.array([1.0, 1.0]), SIZES)),
        lambda x: np.minimum(x, np.array([[1.0, 1.0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]])),
    ),
    "map_values": (lambda s: tf.sparse.map_values(tf.square, s), np.square),
    "map_values of two": (lambda s: tf.sparse.map_values(tf.multiply, s, s), np.square),
    "softmax": (tf.sparse.softmax, softmax_of_stored),
    "times a number": (lambda s: s * 3.0, lambda x: x * 3.0),
    "times a vector": (lambda s: s * np.arange(4.0), lambda x: x * np.arange(4.0)),
    "array times sparse": (lambda s: np.arange(4.0) * s, lambda x: x * np.arange(4.0)),
    "divided": (lambda s: s / np.full(SIZES, 2.0), lambda x: x / 2.0),
    "matmul": (lambda s: tf.sparse.sparse_dense_matmul(s, RIGHT), lambda x: x @ RIGHT),
    "matmul with both adjoint": (
        lambda s: tf.sparse.sparse_dense_matmul(s, LEFT, adjoint_a=True, adjoint_b=True),
        lambda x: x.T @ LEFT.T,
    ),
    "dense matmul": (lambda s: tf.sparse.sparse_dense_matmul(LEFT, s), lambda x: LEFT @ x),
    "dense matmul with both adjoint": (
        lambda s: tf.sparse.sparse_dense_matmul(RIGHT, s, adjoint_a=True, adjoint_b=True),
        lambda x: RIGHT.T @ x.T,
    ),
}


def made_dense(result: Any) -> Any:
    return tf.sparse.to_dense(result) if isinstance(result, tf.SparseTensor) else result


@pytest.mark.parametrize("name", CASES)
def test_value_is_that_of_the_dense_tensor(name):
    function, expected = CASES[name]
    result = made_dense(function(sparse()))
    np.testing.assert_allclose(result.numpy(), expected(dense()), rtol=1e-12)
    assert result.dtype == tf.float64


@pytest.mark.parametrize("name", CASES)
def test_gradient_with_respect_to_the_values(name):
    function, _ = CASES[name]
    weights = np.cos(np.arange(made_dense(function(sparse())).shape.num_elements()))

    def scalar(values):
        return tf.reduce_sum(tf.reshape(made_dense(function(sparse(values))), [-1]) * weights)

    theoretical, numerical = tf.test.compute_gradient(scalar, [VALUES], delta=1e-6)
    np.testing.assert_allclose(theoretical, numerical, rtol=1e-6, atol=1e-8)
    assert np.abs(numerical[0]).max() > 0


@pytest.mark.parametrize("name", ["matmul", "softmax", "map_values", "reduce_sum of rows", "add"])
def test_second_derivatives_and_jacobians(name):
    function, _ = CASES[name]
    values = tf.constant(VALUES)
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(values)
        with tf.GradientTape() as tape:
            tape.watch(values)
            y = tf.reduce_sum(made_dense(function(sparse(values))) ** 2)
        g = tf.convert_to_tensor(tape.gradient(y, values))
    hessian = outer.jacobian(g, values).numpy()
    step = 1e-5
    for k in range(len(VALUES)):
        change = np.eye(len(VALUES))[k] * step
        sides = []
        for shifted in (VALUES + change, VALUES - change):
            moved = tf.constant(shifted)
            with tf.GradientTape() as tape:
                tape.watch(moved)
                y = tf.reduce_sum(made_dense(function(sparse(moved))) ** 2)
            sides.append(tf.convert_to_tensor(tape.gradient(y, moved)).numpy())
        np.testing.assert_allclose(hessian[:, k], (sides[0] - sides[1]) / (2 * step), rtol=1e-5, atol=1e-7)


def test_matmul_follows_the_dense_operand_and_complex_values():
    b = tf.constant(RIGHT)
    with tf.GradientTape() as tape:
        tape.watch(b)
        y = tf.sparse.sparse_dense_matmul(sparse(), b)
    np.testing.assert_allclose(tape.gradient(y, b).numpy(), dense().T @ np.ones((3, 2)))
    z = VALUES + 1j * np.arange(4)
    c = RIGHT + 2j
    np.testing.assert_allclose(tf.sparse.sparse_dense_matmul(sparse(z), c).numpy(), dense(z) @ c)
    np.testing.assert_allclose(tf.sparse.sparse_dense_matmul(LEFT + 1j, sparse(z)).numpy(), (LEFT + 1j) @ dense(z))
    np.testing.assert_allclose(
        tf.sparse.sparse_dense_matmul(sparse(z), LEFT + 1j, adjoint_a=True, adjoint_b=True).numpy(),
        dense(z).conj().T @ (LEFT + 1j).conj().T,
    )


def test_from_dense_keeps_what_is_not_zero_and_is_followed():
    x = tf.constant(dense())
    with tf.GradientTape() as tape:
        tape.watch(x)
        s = tf.sparse.from_dense(x)
        y = tf.sparse.reduce_sum(tf.sparse.map_values(tf.square, s))
    np.testing.assert_array_equal(s.indices.numpy(), PLACES)
    np.testing.assert_array_equal(s.values.numpy(), VALUES)
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), 2 * dense())


def test_from_dense_of_strings_and_truth_values():
    s = tf.sparse.from_dense(["a", "", "b"])
    assert s.values.numpy().tolist() == [b"a", b"b"]
    assert tf.sparse.to_dense(s).numpy().tolist() == [b"a", b"", b"b"]
    assert tf.sparse.from_dense([True, False]).indices.numpy().tolist() == [[0]]


@pytest.mark.parametrize("name", ["slice", "reorder", "transpose", "reshape", "add", "softmax"])
def test_gradient_is_dense_as_in_tensorflow(name):
    values = tf.constant(VALUES)
    with tf.GradientTape() as tape:
        tape.watch(values)
        y = CASES[name][0](sparse(values)).values
    assert isinstance(tape.gradient(y, values), tf.Tensor)


def test_the_class():
    s = tf.SparseTensor([[0, 1]], [2.0], [2, 3])
    assert s.dtype is tf.float32
    assert s.shape == (2, 3)
    assert s.get_shape() == (2, 3)
    assert s.indices.dtype is tf.int64
    assert s.dense_shape.numpy().tolist() == [2, 3]
    assert tf.is_tensor(s)
    assert not isinstance(s, tf.Tensor)
    assert tf.shape(s).numpy().tolist() == [2, 3]
    assert tf.cast(s, tf.int32).values.dtype is tf.int32
    assert repr(s).startswith("SparseTensor(indices=tf.Tensor([[0 1]], shape=(1, 2), dtype=int64), values=")
    assert s.with_values([5.0]).values.numpy().tolist() == [5.0]
    assert tf.sparse.SparseTensor is tf.SparseTensor
    assert tf.SparseTensor.from_value(s).shape == (2, 3)


def test_a_variable_as_values_is_watched():
    v = tf.Variable(VALUES)
    with tf.GradientTape() as tape:
        y = tf.sparse.reduce_sum(sparse(v) * 2.0)
    np.testing.assert_array_equal(tape.gradient(y, v).numpy(), np.full(4, 2.0))


def test_spec():
    spec = tf.SparseTensorSpec([3, None], tf.float64)
    assert spec.is_compatible_with(sparse())
    assert not spec.is_compatible_with(sparse(VALUES.astype(np.float32)))
    assert not tf.SparseTensorSpec([3, 5], tf.float64).is_compatible_with(sparse())
    assert tf.SparseTensorSpec.from_value(sparse()) == tf.SparseTensorSpec([3, 4], tf.float64)
    assert repr(spec) == "SparseTensorSpec(TensorShape([3, None]), tf.float64)"


def test_scalars_and_empties():
    assert tf.sparse.to_dense(tf.SparseTensor(np.zeros((1, 0), np.int64), [4.0], np.zeros(0, np.int64))).numpy() == 4.0
    empty = tf.SparseTensor(np.zeros((0, 2), np.int64), np.zeros(0, np.float32), [2, 3])
    np.testing.assert_array_equal(tf.sparse.to_dense(empty).numpy(), np.zeros((2, 3), np.float32))
    assert tf.sparse.reduce_sum(empty).numpy() == 0.0
    assert tf.sparse.reduce_max(empty, axis=0).numpy().tolist() == [0.0, 0.0, 0.0]
    assert tf.sparse.transpose(empty).shape == (3, 2)
    assert tf.sparse.reshape(empty, [6]).shape == (6,)
    assert tf.sparse.add(empty, empty).values.shape == (0,)


def test_eye_indicator_mask_and_counts():
    np.testing.assert_array_equal(tf.sparse.to_dense(tf.sparse.eye(2, 3)).numpy(), np.eye(2, 3, dtype=np.float32))
    ids = tf.SparseTensor([[0, 0], [1, 1]], [1, 2], [3, 4])
    expected = [[False, True, False, False], [False, False, True, False], [False] * 4]
    assert tf.sparse.to_indicator(ids, 4).numpy().tolist() == expected
    rows = tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([0, 2]), tf.constant([3, 1]))
    kept = tf.sparse.mask(rows, [0])
    assert kept.indices.numpy().tolist() == [2]
    assert kept.values.numpy().tolist() == [[2.0]]
    counted = tf.sparse.bincount([[1, 1, 2], [0, 0, 5]], weights=[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], axis=-1)
    assert counted.indices.numpy().tolist() == [[0, 1], [0, 2], [1, 0], [1, 5]]
    assert counted.values.numpy().tolist() == [3.0, 3.0, 9.0, 6.0]
    assert counted.shape == (2, 6)
    assert tf.sparse.bincount([1, 1, 7], maxlength=3, binary_output=True).values.numpy().tolist() == [1]


def test_segments_of_picked_rows():
    data = tf.constant(np.arange(8.0).reshape(4, 2))
    indices, ids = [0, 1, 3], [0, 0, 2]
    picked = data.numpy()[indices]
    total = np.stack([picked[:2].sum(0), np.zeros(2), picked[2]])
    np.testing.assert_allclose(tf.sparse.segment_sum(data, indices, ids).numpy(), total)
    np.testing.assert_allclose(tf.sparse.segment_mean(data, indices, ids).numpy(), total / [[2], [1], [1]])
    np.testing.assert_allclose(tf.sparse.segment_sqrt_n(data, indices, ids).numpy(), total / np.sqrt([[2], [1], [1]]))
    assert tf.sparse.segment_mean(data, indices, ids, num_segments=5).shape == (5, 2)
    for function in (tf.sparse.segment_sum, tf.sparse.segment_mean, tf.sparse.segment_sqrt_n):
        theoretical, numerical = tf.test.compute_gradient(lambda d, f=function: f(d, indices, ids), [data])
        np.testing.assert_allclose(theoretical, numerical, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("combiner", ["mean", "sum", "sqrtn"])
@pytest.mark.parametrize("weighted", [False, True])
def test_embedding_lookup_sparse(combiner, weighted):
    table = np.arange(10.0).reshape(5, 2) + 1.0
    ids = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 3, 0], [3, 2])
    w = np.array([1.0, 3.0, 2.0]) if weighted else np.ones(3)

    def lookup(table, w):
        weights = tf.SparseTensor(ids.indices, w, ids.dense_shape) if weighted else None
        return tf.nn.embedding_lookup_sparse(table, ids, weights, combiner=combiner)

    first = w[0] * table[1] + w[1] * table[3]
    scale = {"mean": (w[:2].sum(), w[2]), "sum": (1.0, 1.0), "sqrtn": (np.sqrt((w[:2] ** 2).sum()), w[2])}[combiner]
    expected = np.stack([first / scale[0], np.zeros(2), w[2] * table[0] / scale[1]])
    np.testing.assert_allclose(lookup(table, w).numpy(), expected)
    theoretical, numerical = tf.test.compute_gradient(lookup, [table, w])
    np.testing.assert_allclose(theoretical[0], numerical[0], rtol=1e-6, atol=1e-8)
    if weighted:
        np.testing.assert_allclose(theoretical[1], numerical[1], rtol=1e-6, atol=1e-8)


def test_embedding_lookup_sparse_with_a_largest_norm():
    ids = tf.SparseTensor([[0, 0]], [1], [1, 1])
    result = tf.nn.embedding_lookup_sparse(tf.constant([[1.0, 0.0], [3.0, 4.0]]), ids, None, max_norm=1.0)
    np.testing.assert_allclose(result.numpy(), [[0.6, 0.8]], rtol=1e-6)


INVALID = tf.errors.InvalidArgumentError


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (ValueError, lambda: tf.SparseTensor([[0, 1]], [1.0, 2.0], [3, 4])),
        (ValueError, lambda: tf.SparseTensor([[0, 1]], [1.0], [3])),
        (TypeError, lambda: tf.SparseTensor([[0.0, 1.0]], [1.0], [3, 4])),
        (ValueError, lambda: tf.SparseTensor(tf.constant([[0, 1]]), [1.0], [3, 4])),
        (ValueError, lambda: tf.SparseTensor([0, 1], [1.0], [3, 4])),
        (ValueError, lambda: tf.SparseTensor([[0, 1]], [[1.0]], [3, 4])),
        (ValueError, lambda: tf.convert_to_tensor(sparse())),
        (TypeError, lambda: sparse() + sparse()),
        (TypeError, lambda: sparse()[0]),
        (TypeError, lambda: -sparse()),
        (TypeError, lambda: tf.sparse.to_dense(tf.ones([2]))),
        (INVALID, lambda: tf.sparse.to_dense(sparse(places=[[0, 1], [0, 1], [1, 0], [2, 2]]))),
        (INVALID, lambda: tf.sparse.to_dense(sparse(places=[[0, 3], [0, 1], [1, 0], [2, 2]]))),
        (INVALID, lambda: tf.sparse.to_dense(sparse(places=[[0, 1], [0, 3], [1, 0], [2, 4]]))),
        (INVALID, lambda: tf.sparse.to_dense(sparse(places=[[0, -1], [0, 3], [1, 0], [2, 2]]))),
        (tf.errors.ResourceExhaustedError, lambda: tf.sparse.to_dense(sparse(sizes=(2**30, 2**30)))),
        (INVALID, lambda: tf.sparse.sparse_dense_matmul(sparse(), np.ones((3, 2)))),
        (INVALID, lambda: tf.sparse.sparse_dense_matmul(sparse(), tf.ones([4, 2]))),
        (INVALID, lambda: tf.sparse.sparse_dense_matmul(sparse(), np.ones(4))),
        (INVALID, lambda: tf.sparse.add(sparse(), sparse(sizes=(3, 5)))),
        (INVALID, lambda: tf.sparse.add(sparse(), np.ones((3, 1)))),
        (TypeError, lambda: tf.sparse.add(tf.ones([2]), tf.ones([2]))),
        (INVALID, lambda: tf.sparse.reshape(sparse(), [5, -1])),
        (INVALID, lambda: tf.sparse.reshape(sparse(), [-1, -1])),
        (INVALID, lambda: tf.sparse.transpose(sparse(), [0, 0])),
        (INVALID, lambda: tf.sparse.concat(0, [sparse(), sparse(sizes=(3, 5))])),
        (INVALID, lambda: tf.sparse.concat(2, [sparse(), sparse()])),
        (ValueError, lambda: tf.sparse.retain(sparse(), [True])),
        (INVALID, lambda: tf.sparse.slice(sparse(), [0], [1])),
        (INVALID, lambda: tf.sparse.reduce_sum(sparse(), axis=2)),
        (INVALID, lambda: tf.sparse.reset_shape(sparse(), [2, 2])),
        (INVALID, lambda: tf.sparse.map_values(tf.add, sparse(), tf.sparse.transpose(sparse()))),
        (ValueError, lambda: tf.sparse.map_values(tf.square, tf.ones([2]))),
        (INVALID, lambda: tf.sparse.softmax(tf.sparse.from_dense([1.0]))),
        (INVALID, lambda: tf.sparse.bincount([-1])),
        (INVALID, lambda: tf.sparse.segment_sum(tf.ones([2, 2]), [0, 1], [1, 0])),
        (ValueError, lambda: tf.nn.embedding_lookup_sparse(tf.ones([2, 2]), sparse(), None, combiner="max")),
        (
            INVALID,
            lambda: tf.nn.embedding_lookup_sparse(
                tf.ones([4, 2]),
                tf.SparseTensor([[0, 0]], [1], [1, 1]),
                tf.SparseTensor([[0, 1]], [1.0], [1, 2]),
            ),
        ),
    ],
)
def test_what_cannot_be_raises(error, call):
    with pytest.raises(error):
        call()


def test_a_sparse_tensor_is_no_source():
    s = sparse()
    with tf.GradientTape() as tape:
        tape.watch(s)
        y = tf.sparse.reduce_sum(s)
    with pytest.raises(ValueError, match="SparseTensor"):
        tape.gradient(y, s)


@pytest.mark.parametrize(
    "function",
    [tf.abs, tf.negative, tf.sign, tf.square, tf.sqrt, tf.tanh, tf.math.erf, tf.identity, tf.stop_gradient],
)
def test_ops_that_run_on_the_values(function):
    s = sparse()
    result = function(s)
    assert isinstance(result, tf.SparseTensor)
    np.testing.assert_array_equal(result.indices, s.indices)
    np.testing.assert_array_equal(result.values, function(s.values))


def test_an_op_that_is_not_defined_says_what_to_use():
    with pytest.raises(ValueError, match=r"exp: .*tf\.sparse\.map_values"):
        tf.exp(sparse())


def test_size_and_rank():
    assert (int(tf.size(sparse())), int(tf.rank(sparse()))) == (12, 2)


def test_a_sum_over_everything_can_be_sparse():
    total = tf.sparse.reduce_sum(sparse(), output_is_sparse=True)
    assert tuple(total.shape) == ()
    np.testing.assert_allclose(tf.sparse.to_dense(total), tf.reduce_sum(sparse().values))


def test_the_stored_numbers_are_counted():
    numbers = tf.SparseTensor([[0, 1], [1, 0], [1, 3]], [1, 2, 2], [3, 4])
    weights = numbers.with_values(tf.constant([1.0, 2.0, 4.0]))
    by_row = tf.sparse.bincount(numbers, axis=-1)
    np.testing.assert_array_equal(tf.sparse.to_dense(by_row), [[0, 1, 0], [0, 0, 2], [0, 0, 0]])
    weighted = tf.sparse.bincount(numbers, weights=weights, axis=-1)
    np.testing.assert_array_equal(weighted.values, [1.0, 6.0])
    np.testing.assert_array_equal(tf.sparse.to_dense(tf.sparse.bincount(numbers)), [0, 1, 2])
    np.testing.assert_array_equal(tf.math.bincount(numbers, axis=-1), tf.sparse.to_dense(by_row))
    np.testing.assert_array_equal(
        tf.math.bincount(tf.ragged.constant([[1, 2], [3]]), axis=-1), [[0, 1, 1, 0], [0, 0, 0, 1]]
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match="same places"):
        tf.sparse.bincount(numbers, weights=[1.0, 2.0, 3.0])


def test_edit_distances_are_those_of_tensorflow():
    guess = tf.SparseTensor([[0, 0], [0, 1], [1, 0], [3, 0]], [1, 2, 3, 9], [4, 2])
    truth = tf.SparseTensor([[0, 0], [0, 1], [0, 2], [1, 0], [2, 0]], [1, 5, 2, 3, 4], [4, 3])
    np.testing.assert_allclose(tf.edit_distance(guess, truth), [1 / 3, 0, 1, np.inf])
    np.testing.assert_allclose(tf.edit_distance(guess, truth, normalize=False), [1, 0, 1, 1])
    np.testing.assert_allclose(tf.function(tf.edit_distance)(guess, truth), [1 / 3, 0, 1, np.inf])
    with pytest.raises(tf.errors.InvalidArgumentError, match="as many axes"):
        tf.edit_distance(guess, tf.sparse.from_dense([1, 2]))
    with pytest.raises(TypeError, match="two sparse tensors"):
        tf.edit_distance(guess, [[1]])


def test_a_traced_function_that_gives_a_sparse_tensor_says_its_type():
    traced = tf.function(lambda x: tf.sparse.from_dense(x)).get_concrete_function(tf.TensorSpec([3]))
    assert "SparseTensorSpec(TensorShape([None]), tf.float32)" in str(traced)
    assert traced.structured_outputs.shape.as_list() == [None]


def test_parts_of_sizes_that_are_not_known():
    given = tf.TensorSpec([None, None], tf.int64)
    made = tf.function(lambda i: tf.sparse.to_dense(tf.SparseTensor(i, [1.0, 2.0], [3])), input_signature=[given])
    assert made(tf.constant([[0], [1]], tf.int64)).numpy().tolist() == [1.0, 2.0, 0.0]
    for places in ([[0]], [[0, 1], [1, 1]], [[0], [5]], [[1], [0]]):
        with pytest.raises(tf.errors.InvalidArgumentError):
            made(tf.constant(places, tf.int64))
    with pytest.raises(ValueError, match="2 places for 1 values"):
        tf.function(lambda i: tf.SparseTensor(i, [1.0], [3]).values)(tf.constant([[0], [1]], tf.int64))


def test_a_threshold_is_for_sums_of_two_elements():
    a = tf.SparseTensor([[0, 0], [1, 1]], [1.0, 1.0], [2, 2])
    b = tf.SparseTensor([[0, 1], [1, 1]], [0.5, 0.5], [2, 2])
    assert tf.sparse.add(a, b, 2.0).values.numpy().tolist() == [1.0, 0.5]  # as in TensorFlow
    assert tf.sparse.add(a, b, 0.7).values.numpy().tolist() == [1.0, 0.5, 1.5]


@pytest.mark.parametrize("function", [tf.sin, tf.tan, tf.asin, tf.atan, tf.asinh, tf.atanh, tf.tanh, tf.math.erf])
def test_functions_that_keep_zero_run_on_the_values(function):
    x = tf.sparse.from_dense([[0.0, 0.5], [-0.25, 0.0]])
    np.testing.assert_array_equal(tf.sparse.to_dense(function(x)), function(tf.sparse.to_dense(x)))


def test_set_shape_checks_in_eager_code_and_adds_to_what_a_function_knows():
    x = tf.sparse.from_dense([[0.0, 0.5], [-0.25, 0.0]])
    x.set_shape([None, 2])
    with pytest.raises(ValueError, match="not compatible"):
        x.set_shape([3, None])

    @tf.function
    def f(sizes):
        made = tf.SparseTensor([[0, 0]], [1.0], sizes)
        made.set_shape([5, None])
        made.set_shape([None, 6])
        assert made.shape == [5, 6]
        return tf.sparse.to_dense(made)

    assert f(tf.constant([5, 6], tf.int64)).shape == (5, 6)


def test_map_values_wants_one_shape():
    x = tf.sparse.from_dense([[0.0, 0.5], [-0.25, 0.0]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="one shape"):
        tf.sparse.map_values(tf.add, x, tf.SparseTensor(x.indices, x.values, [9, 9]))
