"""Ops on sparse tensors and slices of rows: what they give is what they give on the dense tensor, and sparse where it can be."""

import numpy as np
import pytest
from keras.src.backend import compute_output_spec
from keras.src.backend.common.keras_tensor import KerasTensor

import gradtape as tf

ops = tf.keras.ops
DENSE = np.array([[0.0, 0.5, 0.0], [-0.25, 0.0, 0.0], [0.0, 0.0, 0.75]], np.float32)
OTHER = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 2.0], [0.0, 0.0, -3.0]], np.float32)


def sparse(array=DENSE):
    return tf.sparse.from_dense(array)


def slices(array=DENSE):
    rows = np.flatnonzero(array.any(axis=tuple(range(1, array.ndim))))
    return tf.IndexedSlices(tf.constant(array[rows]), tf.constant(rows), tf.constant(array.shape))


def dense(x):
    return tf.keras.ops.convert_to_numpy(x)


@pytest.mark.parametrize("make", [sparse, slices])
@pytest.mark.parametrize("name", ["abs", "tanh", "sqrt", "square", "sign", "negative", "expm1", "log1p", "cbrt"])
def test_what_keeps_zeros_runs_on_the_values(name, make):
    x = make(np.abs(DENSE))
    y = getattr(ops, name)(x)
    assert type(y) is type(x)
    np.testing.assert_allclose(dense(y), getattr(np, name)(np.abs(DENSE)), rtol=1e-5)


@pytest.mark.parametrize("make", [sparse, slices])
@pytest.mark.parametrize("name", ["exp", "cos", "arccos", "isfinite"])
def test_what_makes_something_of_zeros_is_dense(name, make):
    y = getattr(ops, name)(make())
    assert isinstance(y, tf.Tensor)
    np.testing.assert_allclose(dense(y), getattr(np, name)(DENSE), rtol=1e-5)


@pytest.mark.parametrize("make", [sparse, slices])
@pytest.mark.parametrize("name", ["add", "subtract", "maximum", "minimum", "multiply"])
def test_two_sparse_operands_give_a_sparse_result(name, make):
    y = getattr(ops, name)(make(), make(OTHER))
    assert type(y) is type(make())
    np.testing.assert_allclose(dense(y), getattr(np, name)(DENSE, OTHER))


@pytest.mark.parametrize("make", [sparse, slices])
def test_a_sparse_and_a_dense_operand(make):
    kind = type(make())
    full = OTHER + 4
    for factor in (full, full[:1], 2.0, np.float32(2)):
        for a, b in ((make(), factor), (factor, make())):
            y = ops.multiply(a, b)
            assert type(y) is kind
            np.testing.assert_allclose(dense(y), DENSE * factor)
    for y in (ops.add(make(), full), ops.maximum(full, make()), ops.divide(full, make()), ops.subtract(1.0, make())):
        assert isinstance(y, tf.Tensor)
    larger = np.ones([2, 3, 3], np.float32)
    np.testing.assert_allclose(dense(ops.multiply(make(), larger)), DENSE * larger)


@pytest.mark.parametrize("make", [sparse, slices])
def test_a_quotient_has_the_nans_of_a_zero_divisor(make):
    with np.errstate(all="ignore"):
        wanted = DENSE / OTHER
    y = ops.divide(make(), OTHER)
    assert type(y) is type(make())
    np.testing.assert_array_equal(dense(y), wanted)
    np.testing.assert_array_equal(dense(ops.divide(make(), 2)), DENSE / 2)


def test_repeated_rows_of_slices_are_summed_before_anything_is_computed():
    x = tf.IndexedSlices(tf.constant([[1.0], [2.0], [3.0]]), tf.constant([1, 0, 1]), tf.constant([3, 1]))
    np.testing.assert_allclose(dense(ops.square(x)), [[4.0], [16.0], [0.0]])
    np.testing.assert_allclose(dense(ops.multiply(x, x)), [[4.0], [16.0], [0.0]])
    np.testing.assert_allclose(dense(ops.add(x, x)), [[4.0], [8.0], [0.0]])
    np.testing.assert_allclose(dense(ops.exp(x)), np.exp([[2.0], [4.0], [0.0]]), rtol=1e-6)


@pytest.mark.parametrize("make", [sparse, slices])
@pytest.mark.parametrize("name", ["sum", "mean"])
@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 2), (1, 2), ()])
@pytest.mark.parametrize("keepdims", [False, True])
def test_sums_and_means(make, name, axis, keepdims):
    x = np.stack([DENSE, np.zeros_like(DENSE), OTHER])
    y = getattr(ops, name)(make(x), axis=axis, keepdims=keepdims)
    np.testing.assert_allclose(dense(y), getattr(x, name)(axis=axis, keepdims=keepdims), rtol=1e-5)


def test_layout():
    x = np.stack([DENSE])
    for y, wanted in (
        (ops.reshape(sparse(x), (3, -1)), x.reshape(3, -1)),
        (ops.transpose(sparse(x), (1, -1, 0)), x.transpose(1, 2, 0)),
        (ops.squeeze(sparse(x)), x[0]),
        (ops.squeeze(sparse(x), 0), x[0]),
        (ops.expand_dims(sparse(x), (0, -1)), x[None, ..., None]),
        (ops.concatenate([sparse(x), sparse(x)], 1), np.concatenate([x, x], 1)),
        (ops.cast(sparse(x), "int32"), x.astype("int32")),
    ):
        assert type(y) is tf.SparseTensor
        np.testing.assert_array_equal(dense(y), wanted)
    mixed = ops.concatenate([sparse(), OTHER])
    assert isinstance(mixed, tf.Tensor)
    np.testing.assert_array_equal(dense(mixed), np.concatenate([DENSE, OTHER]))
    for y in (ops.reshape(slices(), (9,)), ops.transpose(slices()), ops.expand_dims(slices(), 0)):
        assert isinstance(y, tf.Tensor)


@pytest.mark.parametrize("batch", [(), (2,), (2, 2)])
@pytest.mark.parametrize("which", [(True, True), (True, False), (False, True)])
def test_matmul(batch, which):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(*batch, 3, 4)), rng.normal(size=(*batch, 4, 5))
    a, b = a * (rng.random(a.shape) < 0.5), b * (rng.random(b.shape) < 0.5)
    x, y = (sparse(m) if s else tf.constant(m) for m, s in zip((a, b), which, strict=True))
    z = ops.matmul(x, y)
    assert (type(z) is tf.SparseTensor) == all(which)
    np.testing.assert_allclose(dense(z), a @ b, atol=1e-12)


def test_matmul_of_other_batches_is_dense():
    np.testing.assert_allclose(dense(ops.matmul(sparse(), np.ones([2, 3, 2], "float32"))), DENSE @ np.ones([2, 3, 2]))
    np.testing.assert_allclose(dense(ops.matmul(sparse(), np.ones(3, "float32"))), DENSE.sum(1))
    batch = np.stack([DENSE, OTHER])
    np.testing.assert_allclose(dense(ops.matmul(sparse(batch), np.ones([3, 2], "float32"))), batch @ np.ones([3, 2]))
    with pytest.raises(ValueError, match="inner sizes differ"):
        ops.matmul(sparse(), np.ones([4, 2], "float32"))


def test_gradients_reach_the_values_and_what_is_beside_them():
    values, weights = tf.Variable([1.0, 2.0]), tf.Variable(np.ones([3, 2], np.float32))
    with tf.GradientTape() as tape:
        x = tf.SparseTensor([[0, 1], [2, 0]], values, [3, 3])
        y = ops.matmul(ops.multiply(ops.tanh(x), x), weights)
        total = ops.sum(y)
    of_values, of_weights = tape.gradient(total, [values, weights])
    v = np.array([1.0, 2.0])
    np.testing.assert_allclose(of_values, 2 * (np.tanh(v) + v / np.cosh(v) ** 2), rtol=1e-5)
    np.testing.assert_allclose(
        dense(of_weights), np.repeat([[2 * np.tanh(2)], [np.tanh(1)], [0]], 2, axis=1), rtol=1e-5
    )


def test_nothing_stored_and_no_axes():
    empty = tf.SparseTensor(np.zeros([0, 2], int), np.zeros(0, "float32"), [3, 3])
    for y in (ops.add(empty, empty), ops.multiply(empty, sparse()), ops.matmul(empty, sparse()), ops.tanh(empty)):
        assert type(y) is tf.SparseTensor
        np.testing.assert_array_equal(dense(y), np.zeros([3, 3]))
    np.testing.assert_array_equal(dense(ops.matmul(empty, DENSE)), np.zeros([3, 3]))
    np.testing.assert_array_equal(dense(ops.add(empty, sparse())), DENSE)
    assert float(dense(ops.sum(empty))) == 0
    total = ops.add(ops.sum(sparse()), ops.sum(sparse()))
    assert float(dense(total)) == 2.0


def test_classes_as_sparse_ones():
    x = np.array([[0, 3], [-1, 2]])
    for axis in (-1, 0, 1):
        y = ops.one_hot(x, 4, axis=axis, sparse=True)
        assert type(y) is tf.SparseTensor
        np.testing.assert_array_equal(dense(y), dense(ops.one_hot(x, 4, axis=axis)))
    y = ops.multi_hot(x, 4, sparse=True, dtype="int32")
    np.testing.assert_array_equal(dense(y), [[1, 0, 0, 1], [0, 0, 1, 0]])
    y = ops.bincount([1, 1, 3], sparse=True)
    assert type(y) is tf.SparseTensor
    np.testing.assert_array_equal(dense(y), [0, 2, 0, 1])


def test_conversions():
    for x in (sparse(), slices()):
        assert ops.convert_to_tensor(x) is x
        assert ops.convert_to_tensor(x, sparse=True) is x
        assert isinstance(ops.convert_to_tensor(x, sparse=False), tf.Tensor)
        assert ops.convert_to_tensor(x, "float16").dtype == tf.float16
    assert ops.shape(sparse()) == (3, 3)
    rows = tf.ragged.constant([[1, 2], [3]])
    assert ops.convert_to_tensor(rows) is rows
    np.testing.assert_array_equal(ops.convert_to_tensor(rows, ragged=False), [[1, 2], [3, 0]])
    np.testing.assert_array_equal(dense(rows), [[1, 2], [3, 0]])
    assert ops.shape(rows) == (2, None)


def test_specs_say_what_is_sparse_and_ragged():
    x = KerasTensor((None, 3), sparse=True)
    spec = compute_output_spec(lambda x: (ops.tanh(x), ops.exp(x)), x)
    assert [(s.shape, s.sparse) for s in spec] == [((None, 3), True), ((None, 3), False)]
    rows = KerasTensor((None, None), dtype="int32", ragged=True)
    spec = compute_output_spec(lambda i: ops.take(np.ones([5, 2], "float32"), i, axis=0), rows)
    assert (spec.shape, spec.ragged) == ((None, None, 2), True)


def test_ragged_operands():
    rows = tf.ragged.constant([[1.0, -2.0], [3.0]])
    for y in (ops.relu(rows), ops.maximum(rows, 0), ops.add(ops.abs(rows), rows) / 2):
        assert isinstance(y, tf.RaggedTensor)
        assert y.to_list() == [[1.0, 0.0], [3.0]]
    taken = ops.take(np.array([10, 20, 30]), tf.ragged.constant([[-1], [0, 1]]), axis=0)
    assert taken.to_list() == [[30], [10, 20]]


def test_an_op_without_a_rule_says_so():
    with pytest.raises(ValueError, match=r"sparse\.to_dense"):
        ops.power(sparse(), 2.0)
    with pytest.raises(ValueError, match="dense_shape"):
        ops.exp(tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0])))


def test_the_kernel_of_a_sparse_product_has_a_gradient_of_rows():
    kernel = tf.Variable(np.ones([3, 2], np.float32))
    with tf.GradientTape() as tape:
        y = ops.matmul(tf.SparseTensor([[0, 2], [1, 2]], [2.0, 3.0], [2, 3]), kernel)
    gradient = tape.gradient(y, kernel)
    assert isinstance(gradient, tf.IndexedSlices)
    np.testing.assert_array_equal(dense(gradient), [[0, 0], [0, 0], [5, 5]])
