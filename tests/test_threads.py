"""Threads: a tape belongs to the thread that entered it, and threads that train at once do not meet."""

import gc
import sys
import threading

import numpy as np
import pytest
from tests.in_threads import in_threads

import gradtape as tf
from gradtape.base.context import ACTIVE, STATE


@pytest.fixture
def switching_often():
    """Threads take turns after a few instructions, so that races have every chance."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def train(seed, steps=30):
    """A small network trained with a tape; the bytes of its weights."""
    rng = np.random.default_rng(seed)
    x = tf.constant(rng.normal(size=(8, 4)).astype(np.float32))
    y = tf.constant(rng.normal(size=(8, 1)).astype(np.float32))
    w1, b1 = tf.Variable(rng.normal(size=(4, 5)).astype(np.float32)), tf.Variable(tf.zeros([5]))
    w2 = tf.Variable(rng.normal(size=(5, 1)).astype(np.float32))
    variables = [w1, b1, w2]
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((tf.tanh(x @ w1 + b1) @ w2 - y) ** 2)
        for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
            variable.assign_sub(0.1 * gradient)
        with tf.GradientTape() as tape:
            curvature = tf.reduce_sum(tf.tanh(x @ w1) ** 2)
        tape.hvp(curvature, w1, tf.ones_like(w1))
        with tf.autodiff.ForwardAccumulator(w1, tf.ones_like(w1)) as accumulator:
            tangent = tf.reduce_sum(tf.tanh(x @ w1))
        accumulator.jvp(tangent)
        tf.vectorized_map(lambda row: row * row, x)
    return b"".join(v.numpy().tobytes() for v in variables)


@pytest.mark.parametrize("count", [2, 8])
def test_threads_that_train_at_once_give_the_results_of_one(count, switching_often):
    alone = [train(seed) for seed in range(count)]
    together = in_threads(*(lambda seed=seed: train(seed) for seed in range(count)))
    assert together == alone
    assert not ACTIVE


def test_a_tape_does_not_record_the_work_of_another_thread():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        (y,) = in_threads(lambda: x * x)
        z = x * x
    assert len(tape._tape) == 2
    assert tape.gradient([y, z], x).numpy() == 6.0


def test_a_variable_read_in_another_thread_is_not_watched():
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        in_threads(lambda: v * v)
    assert tape.watched_variables() == ()


def test_a_tape_of_one_thread_answers_in_another():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    (gradient,) = in_threads(lambda: tape.gradient(y, x))
    assert gradient.numpy() == 6.0


def test_each_thread_has_its_own_name_scopes():
    with tf.name_scope("outer"):
        (name,) = in_threads(lambda: tf.Variable(1.0, name="w").name)
    assert name == "w:0"


def test_identities_are_unique_across_threads(switching_often):
    def make():
        x = tf.constant(1.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            for _ in range(300):
                x = x + 1.0
        return list(tape._tape)

    numbers = [number for part in in_threads(*[make] * 8) for number in part]
    assert len(set(numbers)) == len(numbers)


def test_threads_that_watch_one_tensor_for_the_first_time_agree_on_it(switching_often):
    for _ in range(200):
        x = tf.constant(2.0)
        start = threading.Barrier(4)

        def work(x=x, start=start):
            start.wait()
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x * x
            return tape.gradient(y, x)

        assert all(gradient is not None for gradient in in_threads(*[work] * 4))


def test_recorders_that_come_and_go_in_many_threads_are_all_counted(switching_often):
    x = tf.constant(2.0)

    def work():
        wrong = 0
        for _ in range(300):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x * x
            gradient = tape.gradient(y, x)
            wrong += gradient is None or gradient.numpy() != 4.0
        return wrong

    assert in_threads(*[work] * 8) == [0] * 8
    assert not ACTIVE


@pytest.mark.parametrize(
    "make", [tf.GradientTape, lambda: tf.autodiff.ForwardAccumulator(tf.constant(1.0), tf.constant(1.0))]
)
def test_a_thread_that_ends_inside_a_context_leaves_nothing(make):
    def enter():
        make().__enter__()
        assert ACTIVE

    in_threads(enter)
    gc.collect()
    assert not ACTIVE
    assert not STATE.tapes


def test_one_variable_may_be_read_by_many_threads_while_it_is_assigned(switching_often):
    v = tf.Variable(tf.zeros([100]))

    def read():
        return all(len(set(v.numpy().tolist())) == 1 for _ in range(200))

    def write():
        for number in range(200):
            v.assign(tf.fill([100], float(number)))
        return True

    assert in_threads(read, read, write) == [True] * 3
