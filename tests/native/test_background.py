"""Gradients of weights that other threads compute while a backward pass goes on."""

import gc
import os
import subprocess
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import gradtape as tf
from gradtape.native import background, blas, pool

pytestmark = pytest.mark.usefixtures("two_threads")

ROWS, INNER, COLUMNS = 100, 60, 90


def arrays(*shapes, seed=0, dtype=np.float32):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape).astype(dtype) for shape in shapes]


def gradient_by_hand(inputs, w):
    return sum(x.T @ (1 - np.tanh(x @ w) ** 2) for x in (a.astype(np.float64) for a in inputs))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("times", [1, 2, 40])
def test_a_weight_used_many_times(times, dtype, totals):
    w, *inputs = arrays((INNER, COLUMNS), *[(ROWS, INNER)] * times, dtype=dtype)
    variable = tf.Variable(w)
    with tf.GradientTape() as tape:
        loss = tf.add_n([tf.reduce_sum(tf.tanh(tf.constant(x) @ variable)) for x in inputs])
    gradient = tape.gradient(loss, variable)
    assert len(totals) == 1
    assert gradient.dtype == dtype
    tolerance = 1e-4 if dtype == np.float32 else 1e-10
    np.testing.assert_allclose(gradient, gradient_by_hand(inputs, w.astype(np.float64)), tolerance, tolerance * 10)


@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("transpose_b", [False, True])
@pytest.mark.parametrize("shape", [(ROWS, INNER), (4, 25, INNER)])
def test_turned_operands_and_batches(transpose_a, transpose_b, shape, totals):
    if transpose_a:
        shape = (*shape[:-2], shape[-1], shape[-2])
    a, b = arrays(shape, (COLUMNS, INNER) if transpose_b else (INNER, COLUMNS))
    variable = tf.Variable(b)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.square(tf.matmul(tf.constant(a), variable, transpose_a, transpose_b)))
    gradient = tape.gradient(loss, variable)
    a, b = (x.astype(np.float64) for x in (a, b))
    a, b = (a.swapaxes(-1, -2) if transpose_a else a), (b.T if transpose_b else b)
    wanted = a.reshape(-1, INNER).T @ (2 * (a @ b)).reshape(-1, COLUMNS)
    np.testing.assert_allclose(gradient, wanted.T if transpose_b else wanted, 1e-3, 1e-2)
    assert len(totals) == (0 if transpose_a and len(shape) == 3 else 1)


def test_a_large_weight_in_several_parts(totals):
    x, w = arrays((300, 250), (250, 400))
    variable = tf.Variable(w)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.tanh(tf.constant(x) @ variable))
    gradient = tape.gradient(loss, variable)
    assert len(totals) == 1
    np.testing.assert_allclose(gradient, gradient_by_hand([x], w.astype(np.float64)), 1e-3, 1e-3)


@pytest.mark.parametrize("first", ["product", "penalty"])
def test_a_weight_with_another_use(first):
    x, w = arrays((ROWS, INNER), (INNER, COLUMNS))
    variable = tf.Variable(w)
    parts = {
        "product": lambda: tf.reduce_sum(tf.tanh(tf.constant(x) @ variable)),
        "penalty": lambda: tf.reduce_sum(tf.square(variable)),
    }
    with tf.GradientTape() as tape:
        loss = tf.add_n([parts[name]() for name in sorted(parts, key=lambda name: name != first)])
    wanted = gradient_by_hand([x], w.astype(np.float64)) + 2 * w
    np.testing.assert_allclose(tape.gradient(loss, variable), wanted, 1e-3, 1e-3)


def test_rows_that_are_looked_up_beside():
    x, w = arrays((ROWS, INNER), (INNER, COLUMNS))
    variable = tf.Variable(w)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.tanh(tf.constant(x) @ variable)) + tf.reduce_sum(tf.gather(variable, [1, 1, 3]))
    wanted = gradient_by_hand([x], w.astype(np.float64))
    wanted[1] += 2
    wanted[3] += 1
    np.testing.assert_allclose(tf.convert_to_tensor(tape.gradient(loss, variable)), wanted, 1e-3, 1e-3)


def test_what_other_steps_read_is_computed_at_once(totals):
    x, w = arrays((ROWS, INNER), (INNER, COLUMNS))
    variable = tf.Variable(w)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.tanh(tf.constant(x) @ tf.square(variable)))
    gradient = tape.gradient(loss, variable)
    assert not totals
    wanted = gradient_by_hand([x], w.astype(np.float64) ** 2) * 2 * w
    np.testing.assert_allclose(gradient, wanted, 1e-3, 1e-2)


def test_weights_that_nobody_asks_for(totals):
    x, w, u = arrays((ROWS, INNER), (INNER, COLUMNS), (COLUMNS, INNER))
    variables = tf.Variable(w), tf.Variable(u)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.tanh(tf.constant(x) @ variables[0]) @ variables[1])
    (gradient,) = tape.gradient(loss, variables[1:])
    assert len(totals) == 1
    np.testing.assert_allclose(gradient, np.tanh(x @ w).T @ np.ones((ROWS, INNER)), 1e-3, 1e-3)


def test_always_the_same_bits():
    w, *inputs = arrays((INNER, COLUMNS), *[(ROWS, INNER)] * 30)
    variable = tf.Variable(w)

    def gradient():
        with tf.GradientTape() as tape:
            loss = tf.add_n([tf.reduce_sum(tf.tanh(tf.constant(x) @ variable)) for x in inputs])
        return tape.gradient(loss, variable).numpy()

    first = gradient()
    for _ in range(20):
        np.testing.assert_array_equal(gradient(), first)


def test_twice_from_a_persistent_tape_and_second_derivatives():
    x, w = arrays((ROWS, INNER), (INNER, COLUMNS))
    variable = tf.Variable(w)
    with tf.GradientTape() as outer:
        with tf.GradientTape(persistent=True) as tape:
            loss = tf.reduce_sum(tf.tanh(tf.constant(x) @ variable))
        inner = tape.gradient(loss, variable)
        total = tf.reduce_sum(tf.square(inner))
    first, second = tape.gradient(loss, variable), tape.gradient(loss, variable)
    np.testing.assert_array_equal(first, second)
    np.testing.assert_allclose(first, inner, 1e-4, 1e-4)
    assert outer.gradient(total, variable).shape == w.shape


def test_an_error_in_a_later_step_leaves_nothing_behind():
    @tf.custom_gradient
    def fails(x):
        def gradient(_):
            raise RuntimeError("no such slope")

        return x, gradient

    x, w = arrays((ROWS, INNER), (INNER, COLUMNS))
    variable, source = tf.Variable(w), tf.Variable(x)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.tanh(fails(source) @ variable))
    with pytest.raises(RuntimeError, match="no such slope"):
        tape.gradient(loss, [source, variable])


def test_nans_that_a_safe_tape_keeps_away(totals):
    x, w = arrays((ROWS, INNER), (INNER, COLUMNS))
    x[0, 0] = np.inf
    variable = tf.Variable(w)
    with tf.GradientTape(nan_safe=True) as tape:
        loss = tf.reduce_sum(tf.where(np.arange(ROWS)[:, None] > 0, tf.constant(x) @ variable, 0.0))
    assert np.isfinite(tape.gradient(loss, variable).numpy()).all()


def test_operands_are_let_go_of():
    x, w = arrays((ROWS, INNER), (INNER, COLUMNS))
    variable = tf.Variable(w)
    with tf.GradientTape() as tape:
        hidden = tf.tanh(tf.constant(x) * 2.0)
        reference = weakref.ref(hidden._array)
        loss = tf.reduce_sum(hidden @ variable)
        del hidden
    gradient = tape.gradient(loss, variable)
    del tape, loss
    gc.collect()
    assert reference() is None
    assert gradient.shape == w.shape


def test_threads_that_differentiate_at_once():
    def gradient(seed):
        w, *inputs = arrays((INNER, COLUMNS), *[(ROWS, INNER)] * 10, seed=seed)
        variable = tf.Variable(w)
        for _ in range(20):
            with tf.GradientTape() as tape:
                loss = tf.add_n([tf.reduce_sum(tf.tanh(tf.constant(x) @ variable)) for x in inputs])
            found = tape.gradient(loss, variable)
            np.testing.assert_allclose(found, gradient_by_hand(inputs, w.astype(np.float64)), 1e-3, 1e-2)
        return True

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(gradient, range(8)))


def test_an_interrupt_gives_openblas_its_threads_back(monkeypatch):
    def interrupted():
        monkeypatch.undo()
        raise KeyboardInterrupt

    background.begin()
    monkeypatch.setattr(pool, "settle_all", interrupted)
    with pytest.raises(KeyboardInterrupt):
        background.finish({})
    assert not blas._HOLDERS


def run_alone(code):
    """In a process of its own, where the pool is not there yet."""
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    return subprocess.run([sys.executable, "-c", PROGRAM + code], env=environment, check=True, timeout=100)


PROGRAM = """
import os, sys, threading
import numpy as np, gradtape as tf
from gradtape.native import pool

rng = np.random.default_rng(0)
x, w = (rng.normal(size=shape).astype(np.float32) for shape in ((100, 60), (60, 90)))
wanted = x.T @ (1 - np.tanh(x @ w) ** 2)

"""


def test_threads_that_need_the_pool_first_at_the_same_time():
    run_alone("""
start = threading.Barrier(4)

def work():
    variable, operand = tf.Variable(w), tf.constant(x)
    start.wait()
    for _ in range(20):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.tanh(operand @ variable))
        np.testing.assert_allclose(tape.gradient(loss, variable), wanted, 1e-3, 1e-3)

threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert len(pool._POOLS) == 1
""")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_process_that_is_forked_during_a_backward_pass():
    run_alone("""
@tf.custom_gradient
def forks(x):
    def gradient(g):
        children.append(os.fork())
        return g
    return x, gradient

children = []
variables = tf.Variable(x), tf.Variable(w)
for _ in range(20):  # products were posted before
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.tanh(variables[0] @ variables[1]))
    tape.gradient(loss, variables)
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(tf.tanh(forks(variables[0] * 1.0) @ variables[1]))
gradient = tape.gradient(loss, variables)[1]
np.testing.assert_allclose(gradient, wanted, 1e-3, 1e-3)
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(tf.tanh(variables[0] @ variables[1]))
np.testing.assert_allclose(tape.gradient(loss, variables)[1], wanted, 1e-3, 1e-3)
if children[0] == 0:
    os._exit(0)
assert os.waitpid(children[0], 0)[1] == 0
""")
