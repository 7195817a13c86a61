"""Parts of a kernel on threads that wait in machine code."""

import multiprocessing
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra `native` is not installed")

import gradtape as tf
from gradtape.native import pool
from gradtape.native.engine import Kernel, packed
from gradtape.native.language import FLOAT64, array_at, kernel_module, loop


@pytest.fixture(scope="module")
def counting():
    """A kernel that adds 1 to each element of its range."""
    module, builder, arguments, start, stop = kernel_module("count")
    values = array_at(arguments, 0, FLOAT64)
    with loop(builder, start, stop) as i:
        values.store(i, values.load(i) + 1.0)
    builder.ret_void()
    return Kernel(module, "count")


@pytest.mark.parametrize("size", [0, 1, 2, 7, 8, 9, 63, 64, 65, 1000, 12345])
@pytest.mark.parametrize("line", [1, 8, 64])
def test_every_element_once(counting, size, line):
    values = np.zeros(size)
    pool.run(counting, packed(values), size, 1, line)
    np.testing.assert_array_equal(values, 1)


def test_arguments_of_each_part(counting, monkeypatch):
    for possible in (True, False):
        monkeypatch.setattr(pool, "_possible", lambda possible=possible: possible)
        arrays = []

        def arguments(arrays=arrays):
            arrays.append(np.zeros(100))
            return packed(arrays[-1])

        pool.run(counting, arguments, 100, 1)
        np.testing.assert_array_equal(sum(arrays), 1)
        assert len(arrays) == pool.cores()


@pytest.mark.parametrize("workers", [0, 1, 3, 7])
def test_any_number_of_workers(counting, workers):
    made = pool._Pool(workers)
    values = np.zeros(1001)
    arguments = packed(values)
    for _ in range(200):
        made.run(counting.address, arguments, 1001, 1001 // (workers + 1) + 1)
    np.testing.assert_array_equal(values, 200)


def test_several_threads_ask_at_once(counting):
    def ask(_):
        values = np.zeros(5000)
        arguments = packed(values)
        for _ in range(300):
            pool.run(counting, arguments, 5000, 1)
        return values

    with ThreadPoolExecutor(6) as threads:
        for values in threads.map(ask, range(12)):
            np.testing.assert_array_equal(values, 300)


def test_workers_that_fell_asleep_wake_up(counting):
    values = np.zeros(1000)
    arguments = packed(values)
    for _ in range(20):
        time.sleep(0.005)
        pool.run(counting, arguments, 1000, 1)
    np.testing.assert_array_equal(values, 20)


def _in_child(queue):
    queue.put(float(tf.reduce_sum(tf.nn.gelu(tf.ones(300_000)))))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_has_threads_of_its_own():
    wanted = float(tf.reduce_sum(tf.nn.gelu(tf.ones(300_000))))
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_in_child, args=(queue,))
    child.start()
    assert queue.get(timeout=60) == wanted
    child.join(60)
    assert child.exitcode == 0


def test_matrix_products_go_on_beside_it():
    code = (
        "import numpy as np, gradtape as tf; a = np.random.rand(600, 600).astype('f'); b = a @ a\n"
        "for _ in range(50): tf.nn.gelu(tf.constant(a)); c = a @ a; assert np.allclose(b, c)"
    )
    for setting in ({}, {"OPENBLAS_THREAD_TIMEOUT": "20"}, {"OPENBLAS_NUM_THREADS": "1"}):
        subprocess.run([sys.executable, "-c", code], env={**os.environ, **setting}, check=True, timeout=100)


def test_no_setting_is_left_in_the_environment():
    code = "import os, gradtape as tf; tf.nn.gelu(tf.ones(300_000)); assert 'OPENBLAS_THREAD_TIMEOUT' not in os.environ"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_caller_sleeps_until_long_parts_are_done(counting):
    # More threads than cores: when nothing is left to take, others have parts that they did not get to yet.
    made = pool._Pool(7)
    values = np.zeros(4_000_000)
    arguments = packed(values)
    for _ in range(5):
        made.run(counting.address, arguments, len(values), len(values) // 16)
    np.testing.assert_array_equal(values, 5)


@pytest.fixture(scope="module")
def doubling():
    """A kernel that doubles each element of its range and adds 1: in another order, its results are others."""
    module, builder, arguments, start, stop = kernel_module("double")
    values = array_at(arguments, 0, FLOAT64)
    with loop(builder, start, stop) as i:
        values.store(i, values.load(i) * 2.0 + 1.0)
    builder.ret_void()
    return Kernel(module, "double")


@pytest.mark.parametrize("workers", [0, 1, 3, 7])
@pytest.mark.parametrize("times", [1, 2, 15, 16, 17, 45])
def test_what_is_posted_runs_in_the_order_asked_for(doubling, workers, times):
    made = pool._Pool(workers)
    arrays = [np.zeros(1000) for _ in range(3)]
    last = [0, 0, 0]
    for _ in range(times):
        for k, array in enumerate(arrays):
            last[k] = made.post(doubling.address, bytes(packed(array)), 1000, 300, last[k], array)
    made.settle(last[0])
    np.testing.assert_array_equal(arrays[0], 2.0**times - 1)
    made.settle_all()
    np.testing.assert_array_equal(arrays, 2.0**times - 1)
    assert not made._kept


def test_what_is_posted_waits_for_nobody_and_is_kept_until_it_is_done(counting):
    made = pool._Pool(0)  # nobody there to run it
    array = np.zeros(100)
    references = sys.getrefcount(array)
    number = made.post(counting.address, bytes(packed(array)), 100, 100, 0, array)
    assert array[0] == 0
    assert sys.getrefcount(array) == references + 1
    made.settle(number)
    assert array[0] == 1
    assert sys.getrefcount(array) == references


def test_kernels_are_run_while_others_are_posted(counting, doubling):
    made = pool._Pool(3)
    posted, values = np.zeros(50_000), np.zeros(1001)
    number = 0
    for _ in range(40):
        number = made.post(doubling.address, bytes(packed(posted)), len(posted), 7000, number, posted)
        made.run(counting.address, packed(values), 1001, 100)
    made.settle(number)
    np.testing.assert_array_equal(values, 40)
    np.testing.assert_array_equal(posted, 2.0**40 - 1)


def test_several_threads_post_at_once(doubling):
    def ask(_):
        array, number = np.zeros(500), 0
        for _ in range(50):
            number = pool.post(doubling, bytes(packed(array)), 500, 200, number, array)
        pool.settle(number)
        return array

    with ThreadPoolExecutor(6) as threads:
        for array in threads.map(ask, range(24)):
            np.testing.assert_array_equal(array, 2.0**50 - 1)
    pool.settle_all()


def test_sleeping_workers_hear_of_what_is_posted(counting):
    made = pool._Pool(1)
    values = np.zeros(10)
    for count in range(1, 6):
        time.sleep(0.02)
        made.post(counting.address, bytes(packed(values)), 10, 10, 0, values)
        end = time.monotonic() + 20
        while values[0] < count and time.monotonic() < end:
            time.sleep(0.001)
        assert values[0] == count
