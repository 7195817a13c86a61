"""The memory of a tensor, as all that takes buffers reads it: `memoryview`, `bytes`, `np.frombuffer`, files, hashes."""

import gc
import hashlib
import io
import logging
import struct
import sys
import weakref

import numpy as np
import pytest

import gradtape as tf

pytestmark = pytest.mark.quick

TYPES = {
    "float16": "e",
    "float32": "f",
    "float64": "d",
    "int8": "b",
    "uint8": "B",
    "int32": "i",
    "uint16": "H",
    "bool": "?",
}


def test_a_view_has_the_form_of_the_value():
    view = memoryview(tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    assert (view.format, view.shape, view.strides, view.itemsize) == ("f", (2, 3), (12, 4), 4)
    assert view.readonly
    assert view.c_contiguous
    assert view.tolist() == [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


@pytest.mark.parametrize("name", TYPES)
def test_a_view_has_the_format_of_the_type(name):
    assert memoryview(tf.cast([0, 1], name)).format == TYPES[name]


@pytest.mark.parametrize("shape", [(), (0, 3), (1,), (2, 1, 2)])
def test_sizes_of_any_kind(shape):
    view = memoryview(tf.ones(shape, tf.int32))
    assert view.shape == shape
    assert view.tolist() == np.ones(shape, np.int32).tolist()


def test_it_is_the_memory_of_the_tensor_itself():
    x = tf.constant([1.0, 2.0])
    assert np.shares_memory(np.asarray(memoryview(x)), x._array)


@pytest.mark.parametrize(
    "x", [tf.transpose(tf.reshape(tf.range(6), [2, 3])), tf.range(9)[::2], tf.broadcast_to(3, [4])]
)
def test_rows_follow_each_other_in_any_tensor(x):
    assert bytes(x) == bytes(memoryview(x)) == x.numpy().tobytes()
    assert hashlib.sha256(x).digest() == hashlib.sha256(x.numpy()).digest()


def test_all_that_takes_bytes_takes_a_tensor():
    x = tf.constant([1.0, 2.0])
    words = struct.pack("2f", 1.0, 2.0)
    assert bytes(x) == bytearray(x) == b"".join([x]) == io.BytesIO(x).read() == words
    assert struct.unpack("2f", x) == (1.0, 2.0)
    np.testing.assert_array_equal(np.frombuffer(x, np.float32), [1.0, 2.0])
    file = io.BytesIO()
    file.write(x)
    assert file.getvalue() == words


def test_a_view_keeps_the_memory_alive():
    x = tf.range(1000)
    tensor, view = weakref.ref(x), memoryview(x)
    del x
    gc.collect()
    assert view.tolist() == list(range(1000))
    if sys.version_info >= (3, 12):
        view.release()  # until then the language's own wrapper (PEP 688) keeps the tensor, too
        gc.collect()
    assert tensor() is None


def test_nobody_writes_to_a_tensor():
    x = tf.constant([1.0, 2.0])
    with pytest.raises(TypeError, match="read-only"):
        memoryview(x)[0] = 3.0
    with pytest.raises((TypeError, BufferError)):
        io.BytesIO(b"12345678").readinto(x)
    assert not np.asarray(x).flags.writeable
    assert not np.frombuffer(x, np.float32).flags.writeable


def test_a_variable_that_is_changed_leaves_the_views_of_its_values_alone():
    v = tf.Variable([1.0, 2.0])
    view = memoryview(v.read_value())
    v.assign_add([1.0, 1.0])
    assert view.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("make", [lambda: tf.Variable([1.0]), lambda: tf.ragged.constant([[1], [2, 3]])])
def test_what_changes_and_what_has_several_parts_has_no_memory_to_read(make):
    with pytest.raises(TypeError, match="bytes-like object is required"):
        memoryview(make())


def test_a_tensor_of_a_traced_function_has_no_memory_yet():
    @tf.function
    def f(x):
        with pytest.raises(TypeError, match="bytes-like object is required"):
            memoryview(x)
        return x

    f(tf.constant(1.0))


def test_texts_are_objects_as_in_numpy():
    x = tf.constant([b"ab", b"c"])
    assert memoryview(x).format == "O"
    assert np.asarray(x).tolist() == [b"ab", b"c"]


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn"])
def test_elements_that_python_has_no_format_for_are_bytes_without_a_meaning(name):
    x = tf.cast([[1.0, 2.0], [3.0, 4.0]], name)
    view = memoryview(x)
    assert (view.shape, view.itemsize, view.format) == ((2, 2), x.dtype.size, f"{x.dtype.size}x")
    assert view.tobytes() == bytes(x) == bytearray(x) == b"".join([x]) == x.numpy().tobytes()
    assert hashlib.sha256(x).digest() == hashlib.sha256(view).digest()
    np.testing.assert_array_equal(np.frombuffer(x, x.dtype.as_numpy_dtype), [1.0, 2.0, 3.0, 4.0])
    with pytest.raises(NotImplementedError, match="unsupported format"):
        view.tolist()
    assert memoryview(tf.transpose(x)).tobytes() == tf.transpose(x).numpy().tobytes()
    assert memoryview(x[0, 1]).tobytes() == x[0, 1].numpy().tobytes()


def test_numpy_knows_what_such_elements_are():
    x = tf.constant([1.0, 2.0], tf.bfloat16)
    assert np.asarray(x).dtype == np.array(x).dtype == tf.bfloat16.as_numpy_dtype
    with pytest.raises(BufferError, match=r"no format for bfloat16; x.numpy\(\) is an array of it"):
        x.__buffer__(0x4)


def test_a_library_that_computes_with_the_memory_of_a_followed_value_is_named(caplog):
    import scipy.linalg

    x = tf.Variable([[2.0, 1.0], [1.0, 3.0]])
    with caplog.at_level(logging.WARNING, "gradtape"), tf.GradientTape():
        scipy.linalg.det(x * 1.0)
    assert "no gradient passes through it" in caplog.text


def test_probabilities_of_small_floats_are_drawn_with():
    draws = np.random.default_rng(0)
    for seed in range(40):
        p = tf.nn.softmax(tf.random.stateless_normal([7], [1, seed]))
        assert 0 <= draws.choice(7, p=p) < 7
        assert 0 <= np.random.choice(7, p=p) < 7
