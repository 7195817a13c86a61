"""Large arrays go through machine code, small ones through NumPy: both give the same."""

import operator
import os
import subprocess
import sys

import numpy as np
import pytest

import gradtape as tf
from gradtape.extend import checks
from gradtape.native import engine, texts, thresholds, ufuncs
from gradtape.native.abi import makes_ufuncs
from gradtape.op.declaration import REGISTRY
from gradtape.op.family import one_pass

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

ELEMENTWISE = sorted(name for name, op in REGISTRY.items() if op.broadcasts and np.dtype(np.float32) in op.dtypes)


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_large_arrays_give_what_small_ones_give(name):
    op = REGISTRY[name]
    for sample in list(checks.samples(op, np.float32))[:6]:
        operands = [np.asarray(value) for value in sample.args]
        shape = np.broadcast_shapes(*(x.shape for x in operands))
        if 0 in shape:
            continue
        copies = thresholds.ONE_PASS_ELEMENTS // max(1, int(np.prod(shape))) + 7
        large = [np.ascontiguousarray(np.broadcast_to(x, (copies, *shape))) for x in operands]
        small = [np.broadcast_to(x, shape) for x in operands]
        found, got = op.eager(*small, **sample.attributes), op.eager(*large, **sample.attributes)
        for one, many in zip(_listed(found), _listed(got), strict=True):
            assert many.dtype == np.asarray(one).dtype
            wanted = np.broadcast_to(one, (copies, *shape))
            if many.dtype == object:
                np.testing.assert_array_equal(many, wanted)
            else:
                np.testing.assert_allclose(many, wanted, rtol=3e-6, atol=1e-6)


def _listed(results):
    return results if isinstance(results, tuple) else (results,)


def double_and_bend(x, y, scale=2.0):
    return np.tanh(x) * scale + y


def test_on_all_cores():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 700, 701)).astype(np.float32)
    kernel = one_pass(double_and_bend)
    np.testing.assert_allclose(kernel(x, y), double_and_bend(x, y), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(kernel(x, y, scale=0.5), double_and_bend(x, y, 0.5), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(kernel(x.T, y.T), double_and_bend(x.T, y.T), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(kernel(x, y[0]), double_and_bend(x, y[0]), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", [np.float64, np.float16, np.complex64])
def test_numpy_runs_what_is_not_compiled(dtype):
    x = np.ones((300, 300), dtype)
    kernel = one_pass(lambda x, y: np.tanh(x) + y)
    got = kernel(x, x)
    np.testing.assert_allclose(got, np.tanh(x) + x)
    assert got.dtype == x.dtype


def test_a_text_with_a_branch_stays_with_numpy():
    kernel = one_pass(lambda x: x if x.sum() > 0 else -x)
    x = -np.ones(10_000, np.float32)
    np.testing.assert_array_equal(kernel(x), -x)


def test_it_can_be_turned_off():
    code = (
        "import sys, numpy as np, gradtape as tf; from gradtape.native import engine;"
        "x = tf.nn.gelu(tf.ones(100_000)); assert not engine.available(); assert 'llvmlite' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "GRADTAPE_NATIVE": "0"}, check=True)


def test_small_programs_do_not_import_llvmlite():
    code = "import sys, gradtape as tf; tf.nn.gelu(tf.ones(100)); assert 'llvmlite' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.skipif(not engine.available(), reason="the extra `native` is not installed")
def test_threads_may_compile_at_once():
    from concurrent.futures import ThreadPoolExecutor

    kernels = [one_pass(lambda x, k=k: np.exp(x) * k + 1) for k in (0.5, 1.5, 2.5, 3.5)]
    x = np.linspace(-1, 1, 50_000, dtype=np.float32)
    with ThreadPoolExecutor(4) as pool:
        for k, got in zip((0.5, 1.5, 2.5, 3.5), pool.map(lambda kernel: kernel(x), kernels), strict=True):
            np.testing.assert_allclose(got, np.exp(x) * k + 1, rtol=1e-6)


SHAPES = [
    ((600, 700), (700,)),
    ((600, 700), (600, 1)),
    ((600, 700), ()),
    ((600, 700), (1, 1)),
    ((20, 30, 700), (30, 700)),
    ((20, 30, 700), (20, 30, 1)),
    ((20, 30, 700), (20, 1, 700)),
    ((20, 30, 700), (30, 1)),
    ((420_000, 1), (1, 0)),
    ((420_000,), (420_000,)),
    ((700, 1, 600), (600,)),
]


@pytest.mark.parametrize(("first", "second"), SHAPES)
def test_broadcasts_on_all_cores(first, second):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=first).astype(np.float32), rng.normal(size=second).astype(np.float32)
    kernel = one_pass(double_and_bend)
    got = kernel(x, y)
    assert got.shape == np.broadcast_shapes(first, second)
    np.testing.assert_allclose(got, double_and_bend(x, y), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "view", [np.s_[::2], np.s_[:, ::2], np.s_[::-1], np.s_[:, ::-1], np.s_[1:, 1:], np.s_[:, :, None]]
)
def test_views_on_all_cores(view):
    x, y = np.random.default_rng(0).normal(size=(2, 900, 901)).astype(np.float32)
    kernel = one_pass(double_and_bend)
    np.testing.assert_allclose(kernel(x[view], y[view]), double_and_bend(x[view], y[view]), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(kernel(x[view].T, y[view].T), double_and_bend(x[view], y[view]).T, rtol=1e-5, atol=1e-6)


EXACT = [name for name, op in REGISTRY.items() if isinstance(op.large, texts.Exact)]


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_exact_kernels_have_the_bits_of_numpy_before_and_after_they_are_compiled(name, dtype, monkeypatch):
    op = REGISTRY[name]
    monkeypatch.setattr(op, "large", texts.Exact(op.eager))
    rng = np.random.default_rng(0)
    values = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, 1.0, -1.0, 3e38], dtype)
    operands = [
        rng.choice(np.concatenate([values, rng.normal(size=50).astype(dtype)]), (400, 500)) for _ in op.arguments
    ]
    wanted = op.eager(*operands)
    for seen in (0, thresholds.EXACT_SEEN_ELEMENTS):
        monkeypatch.setattr(texts.Exact, "seen", seen)
        got = op.large(*operands)
        assert got.dtype == wanted.dtype
        np.testing.assert_array_equal(got, wanted)
    smaller = [x[0] if k else x for k, x in enumerate(operands)]
    np.testing.assert_array_equal(op.large(*smaller), op.eager(*smaller))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.int32, np.complex64])
def test_numbers_beside_large_arrays(dtype, monkeypatch):
    """As users meet it: operators with Python numbers, on arrays of every kind, once kernels are compiled."""
    monkeypatch.setattr(texts.Exact, "seen", thresholds.EXACT_SEEN_ELEMENTS)
    values = (np.arange(140_000) % 90 + 1).astype(dtype)
    x = tf.constant(values)
    number = 3 if dtype is np.int32 else 0.1
    for got, wanted in [
        (x * number, values * number),
        (number * x, values * number),
        (x + number, values + number),
        (number - x, number - values),
        (x - 2, values - 2),
        (-x, -values),
        (tf.square(x), values * values),
        (x + x[:1], values + values[:1]),
    ]:
        assert got.dtype == x.dtype
        np.testing.assert_array_equal(got.numpy(), wanted.astype(dtype))
    if dtype is not np.int32:
        np.testing.assert_array_equal((x / number).numpy(), (values / number).astype(dtype))
        np.testing.assert_array_equal(tf.sqrt(x).numpy(), np.sqrt(values))


def test_sums_in_place(monkeypatch):
    rng = np.random.default_rng(0)
    kernel = texts.Exact(operator.add)
    monkeypatch.setattr(texts.Exact, "seen", 0)
    total, part = rng.normal(size=(2, 400, 500)).astype(np.float32)
    wanted = total + part
    assert not kernel.into(total, part), "it has not been used a lot"
    monkeypatch.setattr(texts.Exact, "seen", thresholds.EXACT_SEEN_ELEMENTS)
    if engine.available() and makes_ufuncs():
        assert kernel.into(total, part)
        np.testing.assert_array_equal(total, wanted)
    assert not kernel.into(total.T, part.T)
    assert not kernel.into(total, part[0])
    assert not kernel.into(total.astype(np.int32), part.astype(np.int32))


def test_gradients_of_large_arrays_add_up(monkeypatch):
    monkeypatch.setattr(texts.Exact, "seen", thresholds.EXACT_SEEN_ELEMENTS)
    x = tf.Variable(np.linspace(-1, 1, 300_000, dtype=np.float32))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(x * x + x * 3.0 + tf.exp(x) + x)
    np.testing.assert_allclose(tape.gradient(y, x), 2 * x.numpy() + 4.0 + np.exp(x.numpy()), rtol=1e-6)


def test_large_cotangents_are_what_small_ones_are(monkeypatch):
    # Negated, multiplied by a number, added up twice and three times, and the one number of a mean.
    monkeypatch.setattr(texts.Exact, "seen", thresholds.EXACT_SEEN_ELEMENTS)
    row = np.random.default_rng(0).standard_normal(64).astype(np.float32)

    def gradient(array):
        x = tf.constant(array)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum((1.0 - x) * 3.0 + x * x - (-x) * tf.constant(0.5)) + tf.reduce_mean(x**2)
        return tape.gradient(y, x).numpy()

    rows = thresholds.EXACT_ELEMENTS // len(row) + 1
    expected = np.float32(-3) + 2 * row + np.float32(0.5) + 2 * row / np.float32(rows * len(row))
    found = gradient(np.tile(row, (rows, 1)))
    np.testing.assert_allclose(found, np.broadcast_to(expected, found.shape), rtol=1e-6, atol=1e-6)


FUNCTIONS = [np.exp, np.expm1, np.log, np.log1p, np.tanh]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_large_arrays_of_functions_are_as_accurate_and_do_not_depend_on_how_they_are_cut(function, monkeypatch):
    monkeypatch.setattr(thresholds, "STREAMED_BYTES", 1 << 23)
    op = getattr(tf.math, function.__name__)
    size = thresholds.STREAMED_BYTES // 4 + 37
    x = np.random.default_rng(0).uniform(0.001, 9, size).astype(np.float32)
    whole = op(x).numpy()
    nearest = function(x.astype(np.float64)).astype(np.float32)
    ours, numpys = (np.max(np.abs(found - nearest) / np.spacing(np.abs(nearest))) for found in (whole, function(x)))
    assert ours <= max(2, numpys)
    for start, stop in ((0, size // 2), (1, size), (12_345, 12_345 + thresholds.FUNCTION_ELEMENTS)):
        np.testing.assert_array_equal(op(x[start:stop]).numpy(), whole[start:stop])
    np.testing.assert_array_equal(op(x[::2]).numpy(), whole[::2])
    np.testing.assert_array_equal(op(np.broadcast_to(x[5], (size,))).numpy(), whole[5])


@pytest.mark.parametrize("function", [np.exp, np.tanh, np.sin, np.arctan], ids=lambda f: f.__name__)
def test_large_arrays_that_are_not_compiled_have_numpys_bits(function):
    kernel = texts.NumPyFunction(function)
    for dtype in (np.float64, np.complex64):
        x = np.random.default_rng(0).normal(size=(3, thresholds.NUMPY_CORES_ELEMENTS)).astype(dtype)
        found = kernel(x)
        assert found.dtype == x.dtype
        np.testing.assert_array_equal(found, function(x))
        np.testing.assert_array_equal(kernel(x.T), function(x.T))


def test_results_written_around_the_caches_are_the_same(monkeypatch):
    monkeypatch.setattr(thresholds, "STREAMED_BYTES", 1 << 23)
    part = 65_536
    size = thresholds.STREAMED_BYTES // 8 + part // 2 + 5
    x, y = np.random.default_rng(0).normal(size=(2, size)).astype(np.float32)
    kernel = one_pass(double_and_bend)
    for shifted in (x, x + 1, x + 2):  # (memory is used again: what was there before must not be seen)
        few = [kernel(shifted[k : k + part], y[k : k + part]) for k in range(0, size, part)]
        np.testing.assert_array_equal(kernel(shifted, y), np.concatenate(few))
    few = [kernel(x[k : k + part], y[:1]) for k in range(0, size, part)]
    np.testing.assert_array_equal(kernel(x, y[:1]), np.concatenate(few))


LAYOUTS = {
    "rows": lambda x: (x, x),
    "columns": lambda x: (x.transpose(1, 0, 2), x.transpose(1, 0, 2)),
    "reversed axes": lambda x: (x.T, x.T),
    "of two orders": lambda x: (x.T, np.ascontiguousarray(x.T)),
    "a row for all": lambda x: (x.T, x.T[:1]),
    "a column for all": lambda x: (x.T, x.T[..., :1]),
    "one for all": lambda x: (x[:1, :1, :1], x.T),
    "fewer axes": lambda x: (x.T[0], x.T),
    "backwards": lambda x: (x.T[::-1], x.T),
    "with gaps": lambda x: (x.T[:, ::2], x.T[:, ::2]),
    "no whole one": lambda x: (x.T[:1], x.T[..., :1]),
}


no_ufuncs = pytest.mark.skipif(
    not engine.available() or not makes_ufuncs(), reason="without machine code of its own NumPy computes it"
)


@no_ufuncs
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_a_result_lies_in_memory_as_its_operands_do(layout):
    x = np.random.default_rng(0).uniform(1, 2, (40, 30, 50)).astype(np.float32)
    operands = layout(x)
    ufunc = texts.CompiledText(double_and_bend).ufunc_of(operands, {})
    found, plain = ufuncs.apply(ufunc, operands), ufunc(*operands)
    np.testing.assert_array_equal(found, plain)
    assert found.strides == plain.strides


@no_ufuncs
@pytest.mark.parametrize("layout", ["columns", "reversed axes", "a row for all"])
def test_all_cores_work_on_transposed_arrays(layout):
    x = np.random.default_rng(0).uniform(1, 2, (40, 30, 50)).astype(np.float32)
    operands = LAYOUTS[layout](x)
    ufunc = texts.CompiledText(double_and_bend).ufunc_of(operands, {})
    assert ufuncs._plan(ufunc, *[(o.shape, o.strides) for o in operands]) is not None
