"""Groups in machine code: every layout of operands, sums in every direction, and results that do not depend on threads."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.compile.test_compiled_programs import gradient_of, program_of

import gradtape as tf
from gradtape.compile.codegen import python_of
from gradtape.compile.fusion import grouped
from gradtape.compile.passes import optimized
from gradtape.native import pool, thresholds
from gradtape.native.engine import available

pytestmark = pytest.mark.skipif(not available(), reason="the extra `native` is not installed")


@pytest.fixture(autouse=True)
def no_whole_functions(monkeypatch):
    """Small arrays are in row groups, too."""
    monkeypatch.setattr(thresholds, "WHOLE_ELEMENTS", 2)


def normal(*shape, seed=0, dtype=np.float32):
    return tf.constant(np.random.default_rng(seed).normal(size=shape).astype(dtype))


def groups_of(function, *values):
    return [type(item).__name__ for item in grouped(optimized(program_of(function, *values)))]


def compare(function, *values, rtol=2e-5, atol=2e-5, groups=None):
    """What a program gives in machine code, and op by op."""
    program = optimized(program_of(function, *values))
    if groups is not None:
        assert sum(type(item).__name__ == "RowGroup" for item in grouped(program)) == groups
    arrays = [value._array for value in values]
    before = [array.copy() for array in arrays]
    expected = program.run(arrays)
    got = python_of(program)(*arrays)
    for a, b in zip(got, expected, strict=True):
        assert np.asarray(a).dtype == np.asarray(b).dtype
        assert np.shape(a) == np.shape(b)
        np.testing.assert_allclose(a, b, rtol=rtol, atol=atol)
    for array, old in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(array, old)
    return got


# --- layouts -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [4096, 4097, 4099, 4127, 5000, 8191, 8192, 8193, 70_000])
def test_flat_arrays_of_every_length(size):
    def f(x, y):
        z = tf.tanh(x) * y + 1.0
        return z, tf.exp(-z), tf.reduce_sum(z * x)

    compare(f, normal(size), normal(size, seed=1), atol=1e-3, groups=1)


@pytest.mark.parametrize("columns", [4, 5, 7, 8, 10, 15, 16, 17, 31, 32, 33, 63, 64, 100])
def test_rows_of_every_length(columns):
    def f(x, row, column):
        y = tf.nn.relu(x + column) * row
        z = y - tf.reduce_mean(y, axis=-1, keepdims=True)
        return z, tf.reduce_sum(z * z, axis=0), tf.reduce_max(z, axis=1), tf.reduce_sum(y)

    compare(f, normal(1100, columns), normal(1100, 1, seed=1), normal(columns, seed=2), atol=1e-3, groups=1)


SHAPES = [
    ((64, 128), (128,)),
    ((64, 128), (64, 1)),
    ((64, 128), (1, 128)),
    ((8, 16, 4, 16), (4, 16)),
    ((8, 16, 4, 16), (8, 16, 1, 1)),
    ((8, 16, 4, 16), (1, 1, 1, 16)),
    ((8, 16, 64), (8, 1, 1)),
    ((8, 16, 64), ()),
    ((8, 16, 64), (1, 1, 1)),
]


@pytest.mark.parametrize(("shape", "other"), SHAPES)
def test_broadcasts(shape, other):
    def f(x, y):
        return tf.sigmoid(x + y) * x, x * 2.0 - y

    compare(gradient_of(lambda x, y: tf.sigmoid(x + y) * x), normal(*shape), normal(*other, seed=1), atol=1e-3)
    compare(f, normal(*shape), normal(*other, seed=1), groups=1)
    compare(lambda x, y: f(y, x), normal(*other), normal(*shape, seed=1))


def test_a_broadcast_that_fits_no_matrix_is_left_alone():
    compare(lambda x, y: (x + y) * 2.0, normal(8, 16, 64), normal(8, 1, 64), groups=0)
    compare(lambda x, y, z: (x + y) * z, normal(8, 16, 64), normal(16, 64), normal(64))


def test_as_many_rows_as_columns():
    """Sums along rows without their axis look like columns; they are not."""

    def f(x):
        y = tf.exp(-x * x)
        return y + tf.reduce_sum(y, axis=1), y + tf.reduce_sum(y, axis=0)

    compare(f, normal(80, 80), rtol=1e-4)


def test_operands_with_gaps():
    def f(x):
        a, b, c = tf.split(x, 3, axis=-1)
        product = tf.tanh(a) * b
        return tf.concat([product, product + c, c * a], axis=-1), product

    compare(f, normal(64, 3 * 80), groups=1)
    compare(gradient_of(lambda x: f(x)[0]), normal(64, 3 * 80))
    compare(lambda x: tf.transpose(x) * 2.0 + tf.exp(tf.transpose(x)), normal(70, 90), groups=1)
    compare(lambda x: tf.tanh(x[:, ::2]) * x[:, 1::2], normal(70, 180))
    compare(lambda x: tf.tanh(x[::2]) * x[1::2], normal(140, 90))


def test_truth_values():
    def f(x, y, keep):
        mask = (x > y) & keep
        return tf.where(mask, x, -y), mask, tf.cast(mask, tf.float32) * x, tf.where(keep, 1.0, 0.0) + x

    keep = tf.constant(np.arange(5000) % 3 == 0)
    compare(f, normal(5000), normal(5000, seed=1), keep, groups=1)


def test_special_values():
    x = np.tile(np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40, 3e38, 1.0], np.float32), 600).reshape(60, 80)

    def f(x):
        y = tf.maximum(x, 1.0) + tf.minimum(x, 2.0)
        return y, tf.where(x > 0.0, x, y), tf.reduce_max(y, axis=1), 1.0 / (x * -0.0), tf.nn.relu(x) * 1.5

    compare(f, tf.constant(x))
    clean = np.where(np.isfinite(x), x, 0.5).astype(np.float32)
    compare(lambda x: tf.reduce_max(x * 2.0, axis=1), tf.constant(clean), rtol=0, atol=0)


def test_float64_is_exact():
    def f(x, y):
        z = (x + y) * x - 3.0
        return z, tf.sqrt(tf.abs(z)), tf.reduce_sum(z, axis=0)

    compare(f, normal(64, 100, dtype=np.float64), normal(100, dtype=np.float64), rtol=1e-13, atol=1e-12)


def test_other_types_are_left_to_numpy():
    x = tf.constant(np.arange(10_000, dtype=np.int32))
    compare(lambda x: (x + 1) * x, x, groups=0)
    compare(lambda x: (x + 1) * x, tf.cast(normal(10_000), tf.float16), groups=0)
    compare(lambda x: tf.sin(x) * tf.cos(x), normal(200_000))


# --- which instructions ------------------------------------------------------------------------------------------------------


def test_a_layer_and_its_gradient_are_two_products_and_one_kernel():
    def f(x, w, b):
        with tf.GradientTape() as tape:
            tape.watch([w, b])
            y = tf.nn.relu(x @ w + b)
        return tape.gradient(y, [w, b])

    values = normal(64, 30), normal(30, 80), normal(80)
    assert groups_of(f, *values) == ["Node", "RowGroup", "Node"]
    compare(f, *values, atol=1e-3)


def test_normalisation_is_one_kernel():
    def f(x):
        centred = x - tf.reduce_mean(x, axis=-1, keepdims=True)
        return centred * tf.math.rsqrt(tf.reduce_mean(centred * centred, axis=-1, keepdims=True) + 1e-3)

    def started(x):
        return f(x * 1.5)

    compare(started, normal(100, 64))
    compare(gradient_of(started), normal(100, 64), atol=1e-4)


def test_small_arrays_and_single_ops_stay_with_numpy():
    assert "RowGroup" not in groups_of(lambda x: tf.tanh(x) * 2.0, normal(1000))
    assert "RowGroup" not in groups_of(lambda x: tf.tanh(x), normal(100_000))


def test_equal_groups_share_a_kernel():
    def f(x, y):
        for _ in range(5):
            x = tf.tanh(x @ y) * 0.5
        return x

    program = optimized(program_of(f, normal(80, 80), normal(80, 80)))
    kernels = [item.kernel(program, set(), {})._kernel for item in grouped(program) if hasattr(item, "kernel")]
    assert len(kernels) == 5
    assert len(set(map(id, kernels))) == 1


def test_zero_and_minus_zero_are_two_constants():
    x = tf.zeros([5000])
    for zero, wanted in ((0.0, np.inf), (-0.0, -np.inf)):
        got = tf.function(lambda x, zero=zero: 1.0 / ((x + 1.0) * zero))(x)
        assert float(got[0]) == wanted


# --- any program -------------------------------------------------------------------------------------------------------------

STEPS = [
    lambda a, b, row, column: a + b,
    lambda a, b, row, column: a * column,
    lambda a, b, row, column: tf.tanh(a) - row,
    lambda a, b, row, column: tf.where(a > b, a - b, 2.0 * (b - a)),  # without a jump: tanh may differ in its last bit
    lambda a, b, row, column: a - tf.reduce_mean(b, axis=-1, keepdims=True),
    lambda a, b, row, column: a * tf.math.rsqrt(tf.reduce_sum(b * b, axis=1, keepdims=True) + 1.0),
    lambda a, b, row, column: a + tf.reduce_sum(b * 0.01, axis=0),
    lambda a, b, row, column: tf.concat([b, a], axis=-1)[:, 40:120],
    lambda a, b, row, column: tf.sigmoid(a) * tf.cast(b > 0.0, tf.float32) * b,
    lambda a, b, row, column: a * (0.001 * tf.reduce_sum(b)),
    lambda a, b, row, column: tf.reverse(a, [1]) * 0.5,
    lambda a, b, row, column: tf.matmul(a, b, transpose_b=True) @ b * 1e-3,
]


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(range(len(STEPS))), st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=8
    ),
    st.booleans(),
)
def test_any_program(choices, with_gradient):
    def f(x, y, row, column):
        values = [x, y]
        for step, left, right in choices:
            values.append(STEPS[step](values[left % len(values)], values[right % len(values)], row, column))
        return values[-1] if with_gradient else values[2:]

    given = normal(60, 80), normal(60, 80, seed=1), normal(60, 1, seed=2), normal(80, seed=3)
    compare(gradient_of(f) if with_gradient else f, *given, rtol=2e-3, atol=2e-3)


# --- threads, and without ----------------------------------------------------------------------------------------------------


def test_results_do_not_depend_on_the_number_of_threads(monkeypatch):
    def f(x, column):
        y = tf.tanh(x * column)
        return y, tf.reduce_sum(y, axis=0), tf.reduce_sum(y * x), tf.reduce_mean(y, axis=1)

    x, column = normal(3001, 130), normal(130, seed=1)
    run = python_of(optimized(program_of(f, x, column)))
    flat = python_of(optimized(program_of(lambda x: (tf.exp(x) * x, tf.reduce_sum(tf.exp(x) + x)), normal(500_003))))
    results = []
    for cores in (1, 2):
        monkeypatch.setattr(pool, "cores", lambda cores=cores: cores)
        results.append([*run(x._array, column._array), *flat(normal(500_003)._array)])
    for other in results[1:]:
        for a, b in zip(results[0], other, strict=True):
            np.testing.assert_array_equal(a, b)


def test_sums_are_exact_enough():
    x = normal(2000, 500)
    run = tf.function(
        lambda x: (tf.reduce_sum(x + 1000.0), tf.reduce_sum(x + 1000.0, axis=0), tf.reduce_sum(x + 1000.0, axis=1))
    )
    wide = x.numpy().astype(np.float64) + 1000.0
    for got, wanted in zip(run(x), (wide.sum(), wide.sum(0), wide.sum(1)), strict=True):
        np.testing.assert_allclose(got.numpy(), wanted, rtol=1e-6)


def test_sums_of_long_rows_are_exact_enough():
    x, column = normal(2, 600_000), normal(600_000, seed=1)
    wide = np.abs(x.numpy().astype(np.float64)) + np.abs(column.numpy().astype(np.float64))

    def first_rows(x, column):
        y = tf.abs(x) + tf.abs(column)
        return tf.reduce_sum(y), tf.reduce_sum(y, axis=1)

    def first_everything(x, column):
        y = tf.abs(x)
        return tf.reduce_sum(y) + tf.reduce_sum(tf.abs(column)) * 2.0, tf.reduce_sum(y + tf.abs(column), axis=1)

    for f in (first_rows, first_everything):
        total, rows = tf.function(f)(x, column)
        np.testing.assert_allclose(total.numpy(), wide.sum(), rtol=1e-6)
        np.testing.assert_allclose(rows.numpy(), wide.sum(1), rtol=1e-6)


def test_it_can_be_turned_off():
    code = (
        "import sys, numpy as np, gradtape as tf\n"
        "f = tf.function(lambda x, b: tf.reduce_sum(tf.nn.relu(x + b) * 2.0, axis=0))\n"
        "assert f(tf.ones([100, 100]), tf.ones([100]))[0] == 400.0\n"
        "assert 'llvmlite' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "GRADTAPE_NATIVE": "0"}, check=True)
