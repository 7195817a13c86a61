"""Updates in place: machine code and NumPy give the same bits, on any number of cores."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.base import threads
from gradtape.native import engine, pool, updates

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def text(g, w, m, rate, decay):
    m *= decay
    m += np.sqrt(g * g + 1)
    w = w - np.maximum(m, g) / rate  # a new array
    return w, m


def of_one(g, w, rate):
    w -= g * rate
    return (w,)


def values(size, dtype, count):
    return list(np.random.default_rng(0).normal(size=(count, size)).astype(dtype))


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
@pytest.mark.parametrize("size", [0, 1, 17, 5000, 100_003])
def test_the_text_is_done_in_place(size, dtype, alone, monkeypatch):
    if alone:
        for module in (pool, threads):
            monkeypatch.setattr(module, "cores", lambda: 1)
    g, w, m = values(size, dtype, 3)
    wanted = text(g, w.copy(), m.copy(), dtype(0.3), dtype(0.9))
    before = g.copy()
    updates.Update(text, 2)(g, [w, m], (0.3, 0.9))
    np.testing.assert_array_equal(w, wanted[0])
    np.testing.assert_array_equal(m, wanted[1])
    np.testing.assert_array_equal(g, before)


@pytest.mark.parametrize("size", [3, 100_003])
def test_without_machine_code(size, monkeypatch):
    g, w, m = values(size, np.float32, 3)
    twins = w.copy(), m.copy()
    updates.Update(text, 2)(g, [w, m], (0.3, 0.9))
    monkeypatch.setattr(engine, "available", lambda: False)
    updates.Update(text, 2)(g, twins, (0.3, 0.9))
    np.testing.assert_array_equal(w, twins[0])
    np.testing.assert_array_equal(m, twins[1])


def test_of_a_variable_alone_and_small_after_large():
    update = updates.Update(of_one, 1)
    for size in (10, 50_000, 10):
        g, w = values(size, np.float32, 2)
        wanted = w - g * np.float32(0.1)
        update(g, [w], (0.1,))
        np.testing.assert_array_equal(w, wanted)


@pytest.mark.parametrize("use_nesterov", [False, True])
@pytest.mark.parametrize("shape", [(3,), (300, 400)])
def test_adam_follows_its_formula(shape, use_nesterov):
    rng = np.random.default_rng(0)
    w, m, v = (tf.Variable(rng.uniform(0.1, 1, shape).astype(np.float32)) for _ in range(3))
    g = rng.normal(size=shape).astype(np.float32)
    old, first, second = (x.numpy().astype(np.float64) for x in (w, m, v))
    held = w.read_value()
    tf.raw_ops.ResourceApplyAdam(
        var=w.handle, m=m.handle, v=v.handle, beta1_power=0.81, beta2_power=0.99, lr=tf.constant(0.1), beta1=0.9, beta2=0.995,
        epsilon=1e-7, grad=g, use_nesterov=use_nesterov,
    )  # fmt: skip
    first, second = first * 0.9 + g * 0.1, second * 0.995 + g.astype(np.float64) ** 2 * 0.005
    step = first * 0.9 + g * 0.1 if use_nesterov else first
    wanted = old - 0.1 * np.sqrt(1 - 0.99) / (1 - 0.81) * step / (np.sqrt(second) + 1e-7)
    np.testing.assert_allclose(w, wanted, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(m, first, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(v, second, rtol=1e-4, atol=1e-6)
    np.testing.assert_array_equal(held, old.astype(np.float32))  # a tensor that was read does not change


def test_a_gradient_of_another_shape_changes_nothing():
    w, m, v = (tf.Variable(tf.ones(5000)) for _ in range(3))
    with pytest.raises(ValueError, match="gradient has shape"):
        tf.raw_ops.ResourceApplyAdam(
            var=w,
            m=m,
            v=v,
            beta1_power=0.9,
            beta2_power=0.999,
            lr=0.1,
            beta1=0.9,
            beta2=0.999,
            epsilon=1e-8,
            grad=tf.ones(4999),
        )
    with pytest.raises(ValueError, match="gradient has shape"):
        tf.raw_ops.ResourceApplyGradientDescent(var=w, alpha=0.1, delta=tf.ones(4999))
    for variable in (w, m, v):
        np.testing.assert_array_equal(variable, np.ones(5000))
