"""DType: one object for each element type, equal to whatever names it."""

import copy
import pickle

import ml_dtypes
import numpy as np
import pytest

import gradtape as tf
from gradtape.base import dtypes

pytestmark = pytest.mark.quick

ALL = dtypes.ALL


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_a_type_is_found_by_every_name_it_has(dtype):
    assert tf.as_dtype(dtype.name) is dtype
    assert tf.as_dtype(dtype.as_datatype_enum) is dtype
    assert tf.as_dtype(dtype.as_numpy_dtype) is dtype
    assert tf.as_dtype(np.dtype(dtype.as_numpy_dtype)) is dtype
    assert getattr(tf, dtype.name) is dtype


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_types_print_as_tensorflows(dtype):
    assert repr(dtype) == f"tf.{dtype.name}"
    assert str(dtype) == f"<dtype: '{dtype.name}'>"


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_there_is_one_object_for_a_type(dtype):
    assert pickle.loads(pickle.dumps(dtype)) is dtype
    assert copy.deepcopy(dtype) is dtype
    assert {dtype: 1}[tf.as_dtype(dtype.name)] == 1


def test_equality_takes_names_and_numpy_types():
    assert tf.float32 == np.float32
    assert np.float32 == tf.float32
    assert tf.float32 == "float32"
    assert tf.float32 == float  # noqa: E721
    assert tf.float32 != tf.float64
    assert tf.float32 != None  # noqa: E711
    assert tf.float32 != "nope"
    assert tf.int32 in (tf.float32, np.int32)


def test_python_types_have_tensorflows_defaults():
    assert [tf.as_dtype(t).name for t in (float, bool, str, complex)] == [
        "float32",
        "bool",
        "string",
        "complex128",
    ]
    assert (tf.as_dtype("half"), tf.as_dtype("double"), tf.half, tf.double) == (tf.float16, tf.float64) * 2


@pytest.mark.parametrize("wrong", ["nope", None, object()], ids=["a word", "None", "an object"])
def test_what_names_no_type_is_a_type_error(wrong):
    with pytest.raises(TypeError, match="dtype"):
        tf.as_dtype(wrong)


def test_kinds():
    def named(kind):
        return {t.name for t in ALL if getattr(t, kind)}

    assert named("is_floating") == {"float16", "bfloat16", "float32", "float64"}
    assert named("is_complex") == {"complex64", "complex128"}
    assert named("is_differentiable") == named("is_floating") | named("is_complex")
    assert named("is_integer") == {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}
    assert named("is_unsigned") == {"uint8", "uint16", "uint32", "uint64"}
    assert named("is_bool") == {"bool"}
    assert named("is_quantized") == set()


def test_limits():
    assert (tf.int8.min, tf.int8.max, tf.uint8.limits) == (-128, 127, (0, 255))
    assert tf.float32.max == np.finfo(np.float32).max
    assert tf.bfloat16.max == ml_dtypes.finfo(ml_dtypes.bfloat16).max
    assert tf.float32.limits == (0, 1)
    for dtype in (tf.string, tf.complex64):
        with pytest.raises(TypeError):
            dtype.max  # noqa: B018


def test_sizes_and_real_types():
    assert [t.size for t in (tf.float32, tf.bfloat16, tf.bool, tf.complex128, tf.string)] == [4, 2, 1, 16, 0]
    assert (tf.complex64.real_dtype, tf.complex128.real_dtype, tf.float16.real_dtype) == (
        tf.float32,
        tf.float64,
        tf.float16,
    )
    assert tf.string.as_numpy_dtype is object


def test_the_numpy_type_makes_arrays():
    assert np.zeros(2, tf.bfloat16.as_numpy_dtype).dtype == ml_dtypes.bfloat16
    assert tf.zeros([2], tf.bfloat16).numpy().dtype == ml_dtypes.bfloat16


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_gradients_keep_the_type_through_python_numbers_and_numpy_scalars(dtype):
    x = tf.constant([0.5, 1.5], dtype)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.tanh(x * 2.0 + np.float64(0.5)) / 3 - x**2)
    assert y.dtype == dtype
    assert tape.gradient(y, x).dtype == dtype


@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e5m2"])
def test_floats_of_eight_bits_are_kept_moved_and_cast(name):
    dtype = getattr(tf.dtypes.experimental, name)
    assert dtype.is_floating
    assert dtype.size == 1
    x = tf.constant([1.5, -3.1])
    with tf.GradientTape() as tape:
        tape.watch(x)
        small = tf.reshape(tf.cast(x, name), [2, 1])
        y = tf.reduce_sum(tf.cast(small, tf.float32) * 3.0)
    assert small.dtype is dtype
    assert small.numpy().astype(float).tolist() == [[1.5], [-3.0]]
    assert tape.gradient(y, x).numpy().tolist() == [3.0, 3.0]
    assert tf.Variable(small).dtype is dtype
    with pytest.raises((TypeError, tf.errors.InvalidArgumentError)):
        tf.add(small, small)


def test_quantized_types_have_names_and_no_ops():
    assert tf.qint8.is_quantized
    assert not tf.qint8.is_integer
    assert [tf.as_dtype(name).as_datatype_enum for name in ("qint8", "quint8", "qint32", "qint16", "quint16")] == [
        11,
        12,
        13,
        15,
        16,
    ]
    assert tf.constant([1, 2], tf.quint8).dtype is tf.quint8
    with pytest.raises(TypeError, match="not defined for qint8"):
        tf.add(tf.constant([1], tf.qint8), tf.constant([1], tf.qint8))
