"""Steps of recurrent layers and softmax in machine code give what their NumPy forms give."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.native import engine, pool
from gradtape.ops.nn.sequence import gru_step, lstm_step, scaled_softmax

pytestmark = pytest.mark.skipif(not engine.available(), reason="the extra `native` is not installed")


def normal(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def compare(declared, *operands, rtol=2e-5, atol=2e-6, **attributes):
    """In machine code, and in float64, which NumPy computes."""
    before = [x.copy() for x in operands]
    got = declared.eager(*operands, **attributes)
    wanted = declared.eager(*[x.astype(np.float64) for x in operands], **attributes)
    for a, b in zip(_listed(got), _listed(wanted), strict=True):
        assert a.dtype == np.float32
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=rtol, atol=atol)
    for x, old in zip(operands, before, strict=True):
        np.testing.assert_array_equal(x, old)


def _listed(results):
    return results if isinstance(results, tuple) else (results,)


@pytest.mark.parametrize(("rows", "units"), [(128, 64), (257, 16), (300, 17), (64, 100), (1, 5000), (700, 33)])
def test_recurrent_steps(rows, units):
    compare(lstm_step, normal(rows, 4 * units), normal(rows, units, seed=1))
    compare(gru_step, normal(rows, 3 * units), normal(rows, 3 * units, seed=1), normal(rows, units, seed=2))
    wide = normal(rows, 8 * units)
    compare(lstm_step, wide[:, 1::2], normal(units, rows).T)


@pytest.mark.parametrize("columns", [16, 17, 31, 32, 33, 48, 64, 100, 1000])
def test_softmax(columns):
    logits = normal(7, 50, columns) * 5
    for bias in (np.float32(0.5), normal(columns, seed=1)):
        compare(scaled_softmax, logits, np.asarray(bias), scale=0.7, causal=False)
    compare(scaled_softmax, logits.swapaxes(0, 1), np.asarray(np.float32(0)), scale=0.7, causal=False)


def test_softmax_of_extremes():
    logits = normal(200, 32)
    logits[3] = -np.inf
    logits[4, 5] = np.nan
    logits[5, 7] = 3e38
    logits[6, :31] = -np.inf
    logits[7, 2] = np.inf
    with np.errstate(all="ignore"):
        compare(scaled_softmax, logits, np.asarray(np.float32(0)), scale=1.0, causal=False)


def test_gradients_through_the_public_functions(monkeypatch):
    x, cell = tf.constant(normal(64, 4 * 80)), tf.constant(normal(64, 80, seed=1))

    def gradients():
        with tf.GradientTape() as tape:
            tape.watch([x, cell])
            output, new, _ = tf.nn.experimental.lstm_step(x, cell)
            y = tf.reduce_sum(output * new)
        return [g.numpy() for g in tape.gradient(y, [x, cell])]

    native = gradients()
    monkeypatch.setattr(engine, "available", lambda: False)
    for a, b in zip(native, gradients(), strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-6)


def test_results_do_not_depend_on_the_number_of_threads(monkeypatch):
    gates, cell, logits = normal(600, 4 * 64), normal(600, 64), normal(900, 100)
    results = []
    for cores in (1, 2):
        monkeypatch.setattr(pool, "cores", lambda cores=cores: cores)
        softmax = scaled_softmax.eager(logits, np.float32(0), scale=0.5, causal=False)
        results.append([*lstm_step.eager(gates, cell), softmax])
    for a, b in zip(*results, strict=True):
        np.testing.assert_array_equal(a, b)
