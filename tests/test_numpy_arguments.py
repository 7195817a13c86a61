"""NumPy's numbers and arrays, and text as bytes, where Python's are expected: as TensorFlow takes them."""

from __future__ import annotations

import numpy as np
import pytest

import gradtape as tf

X = tf.constant([[1.0, 2.0], [3.0, 4.0]])
IMAGE = tf.ones([1, 4, 4, 1])
FILTER = tf.ones([2, 2, 1, 1])

# What TensorFlow 2.21 gives, type and values.
OPERANDS = {
    "a number before a float": (lambda: tf.add(1, np.float64(2.5)), "int32", 3),
    "a negative fraction is cut off": (lambda: tf.add(1, np.float64(-2.5)), "int32", -1),
    "a list before an array": (lambda: tf.add([1, 2], np.array([1.5, 2.7])), "int32", [2, 4]),
    "a tensor before a float": (lambda: tf.constant(1) + np.float64(2.5), "int32", 3),
    "a float before a tensor": (lambda: np.float64(2.5) * tf.constant(2), "int32", 4),
    "a float before a tensor, by name": (lambda: tf.add(np.float64(2.5), tf.constant(2)), "int32", 4),
    "an integer before a tensor, divided": (lambda: tf.truediv(np.int64(5), tf.constant(2.0)), "float32", 2.5),
    "a variable": (lambda: tf.Variable(1) + np.float32(2), "int32", 3),
    "integers": (lambda: tf.add(np.array([1, 2]), np.array([2.5, 2])), "int64", [3, 4]),
    "a real part": (lambda: tf.add(1.0, np.complex128(2 + 3j)), "float32", 3.0),
    "a comparison": (lambda: tf.less(1, np.float64(1.5)), "bool", False),
    "a choice": (lambda: tf.where([True, False], [1, 1], np.array([2.5, 2.5])), "int32", [1, 2]),
    "a product": (lambda: tf.matmul([[1]], np.array([[2.5]])), "int32", [[2]]),
    "bounds": (lambda: tf.clip_by_value(np.array([1, 5]), 2, np.float64(3.5)), "int64", [2, 3]),
    "joined": (lambda: tf.concat([[1], np.array([2.5])], 0), "int32", [1, 2]),
    "stacked": (lambda: tf.stack([1, np.float64(2.5)]), "float32", [1.0, 2.5]),
    "stacked numbers": (lambda: tf.stack([1, 2.5]), "float32", [1.0, 2.5]),
    "stacked arrays": (lambda: tf.stack([np.array([1]), np.array([2.5])]), "float32", [[1.0], [2.5]]),
    "stacked along another axis": (lambda: tf.stack([[1], np.array([2.5])], 1), "int32", [[1, 2]]),
    "stacked with a tensor": (lambda: tf.stack([np.float64(1.5), tf.constant(1)]), "int32", [1, 1]),
    "truth values": (lambda: tf.logical_or(np.array([0, 2]), False), "bool", [False, True]),
    "truth values after one": (lambda: tf.constant(True) & np.array([1, 0]), "bool", [True, False]),
}

LISTS = {
    "int64": ([np.int64(1), np.int64(2)], "int32"),
    "int16": ([np.int16(1)], "int32"),
    "uint8": ([np.uint8(1)], "int32"),
    "large integers": ([np.int64(2**40)], "int64"),
    "unsigned integers": ([np.uint32(2**31)], "int64"),
    "arrays of integers": ([np.array([1, 2]), np.array([3, 4])], "int32"),
    "nested": ([[np.int64(1)], [2]], "int32"),
    "float64": ([np.float64(0.5)], "float64"),
    "arrays of float64": ([np.array([0.5])], "float64"),
    "float16": ([np.float16(1), 2.0], "float16"),
    "the first float decides": ([np.float32(1), np.float64(2)], "float32"),
    "integers before floats": ([np.int64(1), np.float64(2)], "float32"),
    "a float before a number": ([np.float64(1), 2], "float64"),
    "complex64": ([np.complex64(1)], "complex128"),
    "nothing": ([np.array([], np.int64)], "float32"),
}


@pytest.mark.parametrize("name", OPERANDS)
def test_operands_of_numpy_take_the_type_of_what_they_meet(name):
    call, dtype, value = OPERANDS[name]
    result = call()
    assert result.dtype.name == dtype
    np.testing.assert_array_equal(result, value)


@pytest.mark.parametrize(
    "call", [lambda: tf.add(tf.constant(1), 2.5), lambda: tf.add(1, 2.5), lambda: tf.multiply(tf.constant(1), [2.5])]
)
def test_floats_of_python_never_become_integers(call):
    with pytest.raises((tf.errors.InvalidArgumentError, TypeError)):
        call()


@pytest.mark.parametrize("name", LISTS)
def test_the_type_of_a_list_of_numpys_numbers(name):
    values, dtype = LISTS[name]
    for convert in (tf.constant, tf.convert_to_tensor, tf.Variable):
        assert convert(values).dtype.name == dtype
    np.testing.assert_array_equal(tf.constant(values), np.array(values).astype(dtype))


def test_an_integer_that_no_type_holds():
    with pytest.raises(ValueError, match="out of range"):
        tf.constant([np.uint64(2**63)])


RAGGED = {
    "an array of integers": (np.array([[1, 2], [3, 4]]), "int32"),
    "arrays of integers": ([np.array([1, 2]), np.array([3])], "int32"),
    "an array of arrays": (np.array([np.array([1, 2]), np.array([3])], dtype=object), "int32"),
    "large integers": ([np.array([2**40])], "int64"),
    "arrays of floats": ([np.array([1.0, 2.0]), np.array([3.0])], "float64"),
    "a vector is no list": (np.array([1, 2]), "int64"),
    "an empty vector": (np.zeros(0), "float64"),
}


@pytest.mark.parametrize("name", RAGGED)
def test_ragged_constants_of_arrays(name):
    values, dtype = RAGGED[name]
    made = tf.ragged.constant(values)
    assert made.dtype.name == dtype
    rows = made.to_list() if isinstance(made, tf.RaggedTensor) else made.numpy().tolist()
    assert rows == [row.tolist() for row in values]


# --- settings --------------------------------------------------------------------------------------------------------

SAME = {
    "padding": (lambda p: tf.nn.conv2d(IMAGE, FILTER, 1, padding=p), "VALID", b"VALID"),
    "padding of a transpose": (lambda p: tf.nn.conv2d_transpose(IMAGE, FILTER, [1, 5, 5, 1], 1, p), "VALID", b"VALID"),
    "padding of a depthwise one": (lambda p: tf.nn.depthwise_conv2d(IMAGE, FILTER, [1] * 4, p), "SAME", b"SAME"),
    "padding of a pool": (lambda p: tf.nn.max_pool2d(IMAGE, 2, 1, p), "SAME", b"SAME"),
    "padding of any pool": (lambda p: tf.nn.pool(IMAGE, [2, 2], "MAX", padding=p), "SAME", b"SAME"),
    "padding of patches": (
        lambda p: tf.image.extract_patches(IMAGE, [1, 2, 2, 1], [1] * 4, [1] * 4, p),
        "VALID",
        b"VALID",
    ),
    "padding of a dilation": (
        lambda p: tf.nn.dilation2d(IMAGE, FILTER[..., 0], [1] * 4, p, "NHWC", [1] * 4),
        "SAME",
        b"SAME",
    ),
    "data_format": (lambda f: tf.nn.space_to_depth(IMAGE, 2, data_format=f), "NHWC", b"NHWC"),
    "unit": (lambda u: tf.strings.length("é", unit=u), "UTF8_CHAR", b"UTF8_CHAR"),
    "fill": (lambda f: tf.strings.as_string([1.5], width=6, fill=f), "0", b"0"),
    "encoding": (lambda e: tf.strings.unicode_decode("é", e), "UTF-8", b"UTF-8"),
    "encodings": (lambda e: tf.strings.unicode_transcode("é", e, "UTF-16-BE"), "UTF-8", b"UTF-8"),
    "align": (lambda a: tf.linalg.diag_part(X, k=(-1, 1), align=a), "LEFT_LEFT", b"LEFT_LEFT"),
    "mode": (lambda m: tf.raw_ops.MirrorPadGrad(input=X[0], paddings=[[0, 1]], mode=m), "SYMMETRIC", b"SYMMETRIC"),
    "format": (lambda f: tf.io.encode_jpeg(tf.zeros([2, 2, 3], tf.uint8), format=f), "rgb", b"rgb"),
    "quality": (lambda q: tf.io.encode_jpeg(tf.zeros([2, 2, 3], tf.uint8), quality=q), 90, np.int64(90)),
    "density": (lambda d: tf.io.encode_jpeg(tf.zeros([2, 2, 3], tf.uint8), x_density=d), 90, np.int64(90)),
    "compression": (lambda c: tf.io.encode_png(tf.zeros([2, 2, 3], tf.uint8), c), 3, np.int64(3)),
    "keepdims": (lambda k: tf.reduce_sum(X, 0, keepdims=k), True, np.bool_(True)),
    "buckets": (
        lambda n: tf.raw_ops.StringToHashBucketStrong(input=["a", "b"], num_buckets=n, key=[1, 2]),
        5,
        np.int64(5),
    ),
    "buckets of a table": (
        lambda n: tf.lookup.StaticVocabularyTable(
            tf.lookup.KeyValueTensorInitializer(["a"], tf.constant([0], tf.int64)), n
        ).lookup(tf.constant(["a", "b", "c"])),
        3,
        np.int64(3),
    ),
    "boxes": (
        lambda b: tf.image.draw_bounding_boxes(IMAGE, [[[b, 0.0, 1.0, 1.0]]], [[b, 0.0, 0.0, 1.0]]),
        0.0,
        np.float64(0.0),
    ),
    "positions": (lambda p: tf.gather_nd(X, p), [[0, 1]], np.array([[0, 1]], np.int16)),
}


@pytest.mark.parametrize("name", SAME)
def test_settings_of_numpy_and_bytes_mean_what_pythons_do(name):
    call, of_python, other = SAME[name]
    expected, result = call(of_python), call(other)
    assert result.dtype is expected.dtype
    np.testing.assert_array_equal(getattr(result, "flat_values", result), getattr(expected, "flat_values", expected))


def test_a_seed_of_numpys_is_a_vector():
    assert tf.random.Generator.from_seed(1).state.numpy().tolist() == [1, 0, 0]
    for seed in (np.int64(1), np.array(1), [1], tf.constant(1)):
        assert tf.random.Generator.from_seed(seed).state.numpy().tolist() == [0, 0, 1]


# --- lists of tensors ------------------------------------------------------------------------------------------------


def test_add_n_of_a_tensor_adds_its_rows():
    np.testing.assert_array_equal(tf.add_n(X), [4.0, 6.0])
    np.testing.assert_array_equal(tf.add_n(tf.Variable(X)), [4.0, 6.0])
    x = tf.Variable(X)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.add_n(x) ** 2)
    np.testing.assert_array_equal(tape.gradient(y, x), [[8.0, 12.0], [8.0, 12.0]])


def test_a_list_holds_the_parts_of_an_embedding():
    parts = [X, X[:1] + 10.0]
    np.testing.assert_array_equal(tf.nn.embedding_lookup(parts, [2, 0]), [[11.0, 12.0], [1.0, 2.0]])
    np.testing.assert_array_equal(tf.nn.embedding_lookup([X], [[1]]), [[[3.0, 4.0]]])
    np.testing.assert_array_equal(tf.nn.embedding_lookup([[1.0, 2.0], [3.0, 4.0]], [0, 3]), [1.0, 4.0])
    ids = tf.sparse.from_dense([[1, 2]])
    np.testing.assert_array_equal(tf.nn.embedding_lookup_sparse(parts, ids, None), [[7.0, 8.0]])
    v = tf.Variable(X)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.nn.embedding_lookup([v], [1, 1]))
    assert isinstance(tape.gradient(y, v), tf.IndexedSlices)
    with pytest.raises(ValueError, match="should not be empty"):
        tf.nn.embedding_lookup([], [0])
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.nn.embedding_lookup(parts, [3])
