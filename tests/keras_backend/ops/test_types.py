"""Which types results have: samples of Keras's promotion, as Keras on TensorFlow gives them."""

import numpy as np
import pytest

import gradtape as tf

ops = tf.keras.ops


@pytest.mark.parametrize(
    ("one", "other", "result"),
    [
        ("float32", "float32", "float32"),
        ("int32", "float16", "float16"),
        ("bfloat16", "float16", "float32"),
        ("float32", "float64", "float64"),
        ("uint8", "int8", "int16"),
        ("uint32", "int32", "int64"),
        ("int64", "float32", "float32"),
        ("bool", "int8", "int8"),
        ("bool", "bool", "bool"),
        ("float32", "complex64", "complex64"),
    ],
)
def test_two_tensors_have_a_type_together(one, other, result):
    x, y = ops.ones([2], one), ops.ones([2], other)
    for function in (ops.add, ops.multiply):
        assert function(x, y).dtype == result
        assert function(y, x).dtype == result
    assert ops.concatenate([x, y]).dtype == result
    assert ops.where([True, False], x, y).dtype == result


@pytest.mark.parametrize(
    ("dtype", "number", "result"),
    [
        ("float16", 2, "float16"),
        ("float16", 2.5, "float16"),
        ("bfloat16", 2.5, "bfloat16"),
        ("int8", 2, "int8"),
        ("int8", 2.5, "float32"),
        ("bool", 2, "int32"),
        ("bool", 2.5, "float32"),
    ],
)
def test_python_numbers_are_weak(dtype, number, result):
    x = ops.ones([2], dtype)
    assert ops.add(x, number).dtype == result
    assert ops.maximum(number, x).dtype == result


def test_the_default_float_type_decides_where_nothing_else_does():
    tf.keras.config.set_floatx("float64")
    try:
        assert ops.sqrt([1, 4]).dtype == "float64"
        assert ops.add(ops.ones([2], "int32"), 2.5).dtype == "float64"
        assert ops.zeros([2]).dtype == "float64"
    finally:
        tf.keras.config.set_floatx("float32")
    assert ops.add(ops.ones([2], "int32"), 2.5).dtype == "float32"


@pytest.mark.parametrize(
    ("function", "dtype", "result"),
    [
        (ops.sqrt, "int64", "float32"),
        (ops.exp, "bool", "float32"),
        (ops.tanh, "bfloat16", "bfloat16"),
        (ops.floor, "int8", "float32"),
        (ops.sum, "bool", "int32"),
        (ops.sum, "uint8", "uint32"),
        (ops.sum, "float16", "float16"),
        (ops.prod, "int16", "int32"),
        (ops.mean, "int32", "float32"),
        (ops.var, "float16", "float16"),
        (ops.std, "int8", "float32"),
        (ops.median, "int32", "float32"),
        (ops.cumsum, "bool", "int32"),
        (ops.square, "bool", "int32"),
        (ops.argmax, "float16", "int32"),
        (ops.argsort, "float32", "int32"),
        (ops.count_nonzero, "float32", "int32"),
        (ops.cbrt, "int64", "float64"),
        (ops.sign, "uint8", "uint8"),
        (ops.isnan, "int32", "bool"),
        (ops.logical_not, "float32", "bool"),
        (lambda x: ops.divide(x, x), "int32", "float32"),
        (lambda x: ops.matmul(x, x), "int8", "int32"),
        (lambda x: ops.einsum("i,i->", x, x), "int8", "int32"),
        (lambda x: ops.mod(x, x), "bool", "int32"),
    ],
)
def test_the_type_of_a_result(function, dtype, result):
    assert function(ops.ones([3], dtype)).dtype == result


def test_truth_values_add_as_in_numpy():
    x, y = ops.array([True, True, False]), ops.array([True, False, False])
    assert ops.add(x, y).numpy().tolist() == [True, True, False]
    assert ops.multiply(x, y).numpy().tolist() == [True, False, False]
    assert ops.less(y, x).numpy().tolist() == [False, True, False]
    assert ops.maximum(x, y).numpy().tolist() == [True, True, False]


def test_numbers_and_arrays_are_taken_as_they_are():
    assert ops.add(1, 2).dtype == "int32"
    assert ops.add([1, 2], np.float16([1, 2])).dtype == "float16"
    assert ops.arange(3).dtype == "int32"
    assert ops.arange(0.0, 1.0, 0.25).numpy().tolist() == [0.0, 0.25, 0.5, 0.75]
    assert ops.arange(3, dtype="bfloat16").dtype == "bfloat16"
    assert ops.linspace(0, 1, 3).dtype == "float32"
    assert ops.full([2], 3).dtype == "float32"
