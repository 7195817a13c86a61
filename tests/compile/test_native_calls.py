"""Instructions without a native form inside of native functions: they are called, with eager's bits and errors."""

from __future__ import annotations

import gc
import sys
import threading

import numpy as np
import pytest
from tests.compile.test_native_programs import check, numbers, same_bits

import gradtape as tf
from gradtape.native import abi, engine, thresholds

pytestmark = pytest.mark.skipif(
    not (engine.available() and abi.calls_inner_loops() and abi.makes_functions()), reason="there is no machine code"
)


@pytest.fixture
def at_once(monkeypatch):
    """Functions become native with their first call."""
    monkeypatch.setattr(thresholds, "WARMING_CALLS", 0)


def turned(x, rounds=40):
    """A loop whose body has a function that is only called."""
    for k in tf.range(rounds):
        x = 0.9 * x + 0.1 * tf.linalg.qr(x)[0] - tf.cast(k, x.dtype) * 0.001 * x
    return x


def test_a_loop_with_a_call_in_its_body_and_its_gradient_are_one_function():
    def run(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(turned(x) ** 2)
        return y, tape.gradient(y, x)

    check(run, numbers(3, 3, dtype=np.float64))


def test_results_in_the_order_of_other_axes():
    def run(x):
        for _ in tf.range(40):
            x = x * 0.5 + tf.reduce_sum(tf.linalg.qr(x)[0] * 0.1 + x * 0.2, 1, keepdims=True)
        return x

    check(run, numbers(4, 4))


def test_a_branch_with_a_call():
    def run(x):
        return tf.cond(tf.reduce_sum(x) > 0, lambda: tf.linalg.expm(x * 0.5) * 2.0 + x, lambda: x - 1.0)

    check(run, np.abs(numbers(3, 3)))
    check(run, -np.abs(numbers(3, 3)))


@pytest.mark.usefixtures("at_once")
def test_a_function_with_a_call_is_called_at_once():
    function = tf.function(lambda x: tf.linalg.expm(x * 0.5 + 1.0) * 2.0 - x)
    x = tf.constant(numbers(3, 3))
    for _ in range(3):
        same_bits(function(x), tf.linalg.expm(x * 0.5 + 1.0) * 2.0 - x)
    assert function._direct is not None


@pytest.mark.usefixtures("at_once")
def test_an_error_of_a_call_is_that_of_eager_code_and_changes_nothing():
    v = tf.Variable(tf.zeros([2, 2]))

    @tf.function
    def run(x):
        y = tf.linalg.lu(x * 2.0)[0] * 0.5 + x + 1.0
        v.assign_add(x)
        return y

    good, bad = tf.constant([[2.0, 0.5], [0.5, 1.0]]), tf.constant([[np.nan, 0.0], [0.0, 1.0]])
    run(good)
    assert run._direct is not None
    before = v.numpy()
    with pytest.raises(tf.errors.InvalidArgumentError, match="lu: Input is not invertible: it holds inf or nan"):
        run(bad)
    same_bits(v.numpy(), before)


@pytest.mark.usefixtures("at_once")
def test_calls_leave_nothing_behind():
    function = tf.function(lambda x: turned(x, 50))
    x = tf.constant(numbers(3, 3))
    for _ in range(10):
        function(x)
    gc.collect()
    before, dtype = sys.getallocatedblocks(), sys.getrefcount(np.dtype(np.float32))
    for _ in range(100):
        function(x)
    gc.collect()
    assert sys.getallocatedblocks() - before < 1000  # (of 5,000 calls)
    assert abs(sys.getrefcount(np.dtype(np.float32)) - dtype) < 1000


@pytest.mark.usefixtures("at_once")
def test_many_threads_call_one_function():
    function = tf.function(lambda x: turned(x, 50))
    values = [tf.constant(numbers(3, 3)) for _ in range(4)]
    expected = [turned(x, 50) for x in values]
    wrong = []

    def work(place):
        for _ in range(20):
            if function(values[place]).numpy().tobytes() != expected[place].numpy().tobytes():
                wrong.append(place)

    threads = [threading.Thread(target=work, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.usefixtures("at_once")
def test_numbers_below_the_normal_ones_reach_a_call_of_jit_compile():
    """The mode in which they count as zero is that of the function alone."""
    function = tf.function(lambda x: tf.linalg.expm(x) - tf.linalg.eye(2), jit_compile=True)
    small = np.float32(1e-40)
    function(tf.constant([[0.0, small], [0.0, 0.0]]))
    assert np.float32(1e-40) * np.float32(1) == small
