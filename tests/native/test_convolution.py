"""Convolutions in machine code give what the NumPy form gives, for every geometry."""

import functools
import os
import subprocess
import sys

import numpy as np
import pytest

import gradtape as tf
from gradtape.native import engine, thresholds
from gradtape.ops.nn import conv_kernels as kernels

pytestmark = pytest.mark.skipif(not engine.available(), reason="the extra `native` is not installed")

# input shape, filter shape, and what is not usual
CASES = {
    "lines and pixels left over": ((3, 9, 13, 5), (3, 3, 5, 24), {}),
    "padded": ((2, 9, 8, 4), (3, 3, 4, 16), {"padding": "SAME"}),
    "padded on one side": ((2, 6, 7, 3), (2, 3, 3, 20), {"padding": ((2, 0), (0, 3))}),
    "padded by more than the window": ((2, 4, 5, 2), (2, 2, 2, 8), {"padding": ((3, 3), (4, 0))}),
    "one channel": ((5, 12, 12, 1), (3, 3, 1, 32), {}),
    "many filters": ((1, 5, 6, 3), (2, 2, 3, 112), {"padding": "SAME"}),
    "few filters": ((2, 7, 9, 8), (3, 2, 8, 5), {"padding": "SAME"}),
    "strides": ((2, 11, 12, 4), (3, 3, 4, 16), {"padding": "SAME", "strides": (2, 2)}),
    "strides and padding of frameworks": ((2, 12, 11, 4), (7, 5, 4, 8), {"padding": ((3, 3), (2, 2)), "strides": (2, 1)}),
    "windows apart on one axis": ((2, 13, 12, 4), (3, 1, 4, 8), {"strides": (2, 2), "padding": ((1, 1), (0, 0))}),
    "dilations": ((2, 11, 12, 4), (3, 3, 4, 8), {"padding": "SAME", "dilations": (2, 3)}),
    "strides and dilations": ((2, 11, 12, 4), (3, 2, 4, 8), {"padding": "SAME", "dilations": (2, 1), "strides": (1, 3)}),
    "strides with dilations": ((2, 14, 12, 4), (3, 2, 4, 8), {"dilations": (2, 2), "strides": (2, 1)}),
    "groups": ((2, 8, 9, 12), (3, 3, 4, 24), {"padding": "SAME", "groups": 3}),
    "lines": ((3, 40, 6), (5, 6, 20), {"padding": "SAME", "strides": (2,)}),
    "volumes": ((2, 5, 6, 7, 3), (2, 3, 2, 3, 18), {"padding": "SAME", "strides": (1, 2, 1)}),
    "one image": ((1, 20, 20, 4), (5, 5, 4, 8), {"padding": "SAME"}),
    "a long line": ((1, 1, 300, 3), (1, 4, 3, 16), {"padding": "SAME"}),
    "depthwise": ((3, 9, 13, 19), (3, 3, 1, 19), {"padding": "SAME", "groups": 19}),
    "depthwise strides": ((2, 9, 12, 16), (3, 4, 1, 16), {"padding": "SAME", "groups": 16, "strides": (2, 2)}),
    "depthwise several": ((2, 9, 12, 6), (5, 3, 1, 18), {"groups": 6, "dilations": (1, 2)}),
    "depthwise long windows": ((2, 2, 60, 18), (2, 31, 1, 18), {"padding": "SAME", "groups": 18}),
    "depthwise lines": ((2, 30, 8), (7, 1, 8), {"padding": "SAME", "groups": 8}),
}  # fmt: skip


@pytest.fixture
def always(monkeypatch):
    """Small convolutions are compiled, too."""
    for limit in ("CONV_MULTIPLICATIONS", "DEPTHWISE_MULTIPLICATIONS", "CONV_PIXELS"):
        monkeypatch.setattr(thresholds, limit, 1)


def values(case, dtype, seed=0):
    input_shape, filter_shape, unusual = CASES[case]
    rank = len(input_shape) - 2
    settings = {"strides": (1,) * rank, "dilations": (1,) * rank, "padding": "VALID", "groups": 1, **unusual}
    plan = kernels.plan_of(input_shape, filter_shape, *settings.values())
    shapes = input_shape, filter_shape, plan.output_shape(input_shape[0])
    rng = np.random.default_rng(seed)
    return *(rng.normal(size=shape).astype(dtype) for shape in shapes), settings


def results(x, w, g, settings):
    return {
        "conv": kernels.conv(x, w, **settings),
        "input gradient": kernels.conv_input_gradient(g, w, shape=x.shape, **settings),
        "filter gradient": kernels.conv_filter_gradient(x, g, window=w.shape[:-2], **settings),
    }


def in_numpy(monkeypatch, *arguments):
    with monkeypatch.context() as patch:
        patch.setattr(engine, "available", lambda: False)
        return results(*arguments)


def count_compiled(monkeypatch):
    """Which of the three went to machine code."""
    found = []

    def counted(name, run, *args):
        found.append(name)
        return run(*args)

    for name in ("_conv_compiled", "_input_gradient_compiled", "_filter_gradient_compiled"):
        monkeypatch.setattr(kernels, name, functools.partial(counted, name, getattr(kernels, name)))
    return found


@pytest.mark.parametrize("case", CASES)
def test_gives_what_numpy_gives(always, monkeypatch, case):
    x, w, g, settings = values(case, np.float32)
    compiled = count_compiled(monkeypatch)
    wanted = in_numpy(monkeypatch, *(a.astype(np.float64) for a in (x, w, g)), settings)
    before = [a.copy() for a in (x, w, g)]
    got = results(x, w, g, settings)
    assert {"_conv_compiled", "_filter_gradient_compiled"} <= set(compiled)
    for name, value in got.items():
        assert value.dtype == np.float32
        assert value.shape == wanted[name].shape
        np.testing.assert_allclose(value, wanted[name], rtol=2e-5, atol=2e-5 * abs(wanted[name]).max(), err_msg=name)
    for old, new in zip(before, (x, w, g), strict=True):
        np.testing.assert_array_equal(old, new)


@pytest.mark.parametrize("case", ["padded", "strides", "depthwise"])
def test_float64(always, monkeypatch, case):
    *arrays, settings = values(case, np.float64)
    wanted = in_numpy(monkeypatch, *arrays, settings)
    for name, value in results(*arrays, settings).items():
        np.testing.assert_allclose(value, wanted[name], rtol=1e-12, atol=1e-12, err_msg=name)


def test_arrays_with_gaps(always, monkeypatch):
    x, w, g, settings = values("padded", np.float32)
    gaps = [np.repeat(a, 2, axis=-1)[..., ::2] for a in (x, w, g)]
    gaps[0] = np.asfortranarray(gaps[0])
    for name, value in results(*gaps, settings).items():
        np.testing.assert_array_equal(value, results(x, w, g, settings)[name], err_msg=name)


def test_one_kernel_for_images_of_all_sizes(always, monkeypatch):
    from gradtape.native import convolution

    rng = np.random.default_rng(0)
    w = rng.normal(size=(3, 3, 3, 17)).astype(np.float32)
    settings = {"strides": (1, 2), "dilations": (1, 1), "padding": "SAME", "groups": 1}
    before = convolution._filter_gradient_kernel.cache_info().misses
    for height, width in [(3, 4), (1, 30), (40, 2), (17, 19), (64, 65)]:
        x = rng.normal(size=(3, height, width, 3)).astype(np.float32)
        g = rng.normal(size=(3, height, -(-width // 2), 17)).astype(np.float32)
        got = kernels.conv_filter_gradient(x, g, window=(3, 3), **settings)
        wanted = in_numpy(monkeypatch, x, w, g, settings)["filter gradient"]
        np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-4 * abs(wanted).max())
    assert convolution._filter_gradient_kernel.cache_info().misses == before + 1


def test_large_images_are_padded_in_bands(always, monkeypatch):
    rng = np.random.default_rng(0)
    for channels, filters, groups in (16, 8, 1), (16, 16, 16):
        x = rng.normal(size=(2, 90, 70, channels)).astype(np.float32)
        w = rng.normal(size=(5, 3, channels // groups, filters)).astype(np.float32)
        g = rng.normal(size=(2, 90, 70, filters)).astype(np.float32)
        settings = {"strides": (1, 1), "dilations": (2, 1), "padding": "SAME", "groups": groups}
        wanted = in_numpy(monkeypatch, x, w, g, settings)
        for name, value in results(x, w, g, settings).items():
            np.testing.assert_allclose(value, wanted[name], rtol=1e-4, atol=1e-5 * abs(wanted[name]).max())


def test_processors_with_fewer_and_shorter_registers(always, monkeypatch):
    from gradtape.native import windows

    monkeypatch.setattr(windows, "register_bytes", lambda: 32)
    monkeypatch.setattr(windows, "registers", lambda: 16)
    rng = np.random.default_rng(0)
    for shapes, groups in (((2, 10, 10, 3), (3, 3, 3, 44)), 1), (((2, 10, 10, 20), (3, 3, 1, 20)), 20):
        x, w = (rng.normal(size=shape).astype(np.float32) for shape in shapes)
        g = rng.normal(size=(2, 8, 8, w.shape[-1])).astype(np.float32)
        settings = {"strides": (1, 1), "dilations": (1, 1), "padding": "VALID", "groups": groups}
        wanted = in_numpy(monkeypatch, x, w, g, settings)
        for name, value in results(x, w, g, settings).items():
            np.testing.assert_allclose(value, wanted[name], rtol=1e-4, atol=1e-4, err_msg=name)


@pytest.mark.parametrize("case", ["padded", "one channel", "groups", "depthwise", "one image", "volumes"])
def test_how_work_is_cut_changes_no_bit(always, monkeypatch, case):
    from gradtape.native import pool

    *arrays, settings = values(case, np.float32)
    found = []
    for parts in (1, 2, 3, 7):

        def run(kernel, arguments, size, smallest, parts=parts):
            for k in reversed(range(parts)):
                kernel(arguments(), size * k // parts, size * (k + 1) // parts)

        monkeypatch.setattr(pool, "run", run)
        found.append(results(*arrays, settings))
    for other in found[1:]:
        for name, value in other.items():
            np.testing.assert_array_equal(value, found[0][name], err_msg=name)


@pytest.mark.parametrize("case", ["padded", "one channel", "depthwise", "depthwise strides"])
def test_on_all_cores(always, monkeypatch, case):
    *arrays, settings = values(case, np.float32)
    wanted = results(*arrays, settings)
    monkeypatch.setattr(thresholds, "CONV_PART_MULTIPLICATIONS", 1)
    for _ in range(20):
        for name, value in results(*arrays, settings).items():
            np.testing.assert_array_equal(value, wanted[name], err_msg=name)


def test_no_images(always):
    x, w, g, settings = values("padded", np.float32)
    got = results(x[:0], w, g[:0], settings)
    assert got["conv"].shape == g[:0].shape
    assert got["input gradient"].shape == x[:0].shape
    np.testing.assert_array_equal(got["filter gradient"], np.zeros_like(w))


@pytest.mark.parametrize("case", ["one channel", "depthwise"])
def test_long_sums_stay_exact(always, case):
    input_shape, filter_shape, unusual = CASES[case]
    x = np.full((200, 50, 50, input_shape[-1]), 0.1, np.float32)
    settings = {"strides": (1, 1), "dilations": (1, 1), "groups": 1, **unusual, "padding": "VALID"}
    g = np.ones((200, 48, 48, filter_shape[-1]), np.float32)
    got = kernels.conv_filter_gradient(x, g, window=(3, 3), **settings)
    np.testing.assert_allclose(got, 200 * 48 * 48 * np.float64(np.float32(0.1)), rtol=2e-6)


@pytest.mark.parametrize(
    ("input_shape", "filter_shape", "groups"),
    [
        ((200, 50, 50, 1), (3, 3, 1, 128), 1),  # many filters: cores have work without cutting the batch
        ((1, 700, 700, 3), (3, 3, 3, 16), 1),  # one image
        ((1, 100_000, 4), (3, 4, 16), 1),  # one line
        ((2, 40_000, 16), (5, 1, 16), 16),
        ((40, 7, 7, 256), (3, 3, 256, 16), 1),
    ],
    ids=str,
)
def test_sums_stay_exact_however_they_are_long(always, input_shape, filter_shape, groups):
    *window, _, filters = filter_shape
    ones = (1,) * len(window)
    settings = {"strides": ones, "dilations": ones, "padding": "VALID", "groups": groups}
    x = np.full(input_shape, 0.1, np.float32)
    outputs = [size - reach + 1 for size, reach in zip(input_shape[1:-1], window, strict=True)]
    g = np.ones((input_shape[0], *outputs, filters), np.float32)
    got = kernels.conv_filter_gradient(x, g, window=tuple(window), **settings)
    wanted = input_shape[0] * np.prod(outputs) * np.float64(np.float32(0.1))
    np.testing.assert_allclose(got, wanted, rtol=2.5e-6)


def test_nan_and_infinity_go_where_numpy_has_them(always, monkeypatch):
    x, w, g, settings = values("strides", np.float32)
    x[0, 5, 5, 1], x[1, 0, 0, 0], g[0, 2, 3, 4] = np.nan, np.inf, -np.inf
    wanted = in_numpy(monkeypatch, x, w, g, settings)
    for name, value in results(x, w, g, settings).items():
        np.testing.assert_array_equal(np.isfinite(value), np.isfinite(wanted[name]), err_msg=name)


def test_large_convolutions_go_there_by_themselves(monkeypatch):
    compiled = count_compiled(monkeypatch)
    rng = np.random.default_rng(0)
    x, w = (tf.constant(rng.normal(size=s).astype(np.float32)) for s in [(8, 24, 24, 16), (3, 3, 16, 32)])

    def gradients():
        with tf.GradientTape() as tape:
            tape.watch((x, w))
            loss = tf.reduce_sum(tf.nn.conv2d(x, w, 1, "SAME") ** 2)
        return tape.gradient(loss, (x, w))

    got = gradients()
    assert sorted(compiled) == ["_conv_compiled", "_filter_gradient_compiled", "_input_gradient_compiled"]
    monkeypatch.setattr(engine, "available", lambda: False)
    for value, wanted in zip(got, gradients(), strict=True):
        np.testing.assert_allclose(value, wanted, rtol=1e-4, atol=1e-4 * np.max(np.abs(wanted)))
    assert len(compiled) == 3


@pytest.mark.parametrize(
    ("input_shape", "filter_shape"),
    [
        ((64, 16, 16, 64), (1, 1, 64, 64)),  # a product of matrices
        ((512, 5, 5, 64), (5, 5, 64, 10)),  # one window for an image
        ((4, 64, 64, 64), (3, 3, 64, 1)),  # vectors almost empty
        ((1, 4, 4, 512), (3, 3, 512, 512)),  # more filters than pixels
        ((2, 8, 8, 4), (3, 3, 4, 8)),  # small
    ],
)
def test_what_blas_does_better_stays_there(monkeypatch, input_shape, filter_shape):
    compiled = count_compiled(monkeypatch)
    kernels.conv(np.ones(input_shape, np.float32), np.ones(filter_shape, np.float32), (1, 1), (1, 1), "VALID", 1)
    assert compiled == []


@pytest.mark.parametrize("dtype", [np.int32, np.float16])
def test_other_types(always, monkeypatch, dtype):
    *arrays, settings = values("padded", np.float32)
    arrays = [np.round(2 * a).astype(dtype) for a in arrays]
    wanted = in_numpy(monkeypatch, *arrays, settings)
    for name, value in results(*arrays, settings).items():
        assert value.dtype == dtype
        np.testing.assert_allclose(value, wanted[name], rtol=2e-3, err_msg=name)


def test_small_programs_do_not_import_llvmlite():
    code = (
        "import sys, gradtape as tf; tf.nn.conv2d(tf.ones((2, 8, 8, 3)), tf.ones((3, 3, 3, 8)), 1, 'SAME');"
        "assert 'llvmlite' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], env=os.environ, check=True)
