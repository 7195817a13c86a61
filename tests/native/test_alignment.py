"""NumPy's arrays begin on whole lines of the cache."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import gradtape as tf
from gradtape.native import abi, alignment
from gradtape.native.abi import address_of
from gradtape.native.engine import available

pytestmark = pytest.mark.skipif(
    not available() or np._core.multiarray.get_handler_name() != "gradtape",
    reason="no llvmlite, another C library than glibc, or somebody else allocates",
)


@pytest.mark.parametrize("size", [4096, 4097, 5000, 65_536, 1_000_003, 5_000_000])
def test_arrays_lie_on_lines(size):
    arrays = [make(size, np.int8) for make in (np.empty, np.zeros, np.ones) for _ in range(5)]
    assert all(address_of(array) % 64 == 0 for array in arrays)
    assert not arrays[5].any()
    assert address_of(arrays[10] + arrays[11]) % 64 == 0
    tensor = tf.ones((size,)) * 2.0
    assert address_of(tensor._array) % 64 == 0


def test_arrays_that_grow_and_shrink_keep_their_elements():
    rng = np.random.default_rng(0)
    for _ in range(500):
        before, after = rng.integers(0, 9000, 2)
        array = rng.integers(1, 255, before).astype(np.uint8)
        copy = array.copy()
        array.resize(after, refcheck=False)
        kept = min(before, after)
        np.testing.assert_array_equal(array[:kept], copy[:kept])
        assert not array[kept:].any()


def test_numpy_functions_that_allocate_as_they_go():
    assert np.fromiter((k for k in range(100_000)), np.int64).sum() == 4_999_950_000
    assert np.argsort(np.arange(5)).tolist() == [0, 1, 2, 3, 4]  # (it frees what was never allocated)
    assert np.nonzero(np.ones(10_000))[0].size == 10_000


def test_too_much_is_refused_as_before():
    for make in (np.empty, np.zeros):
        with pytest.raises(MemoryError):
            make(2**62, np.int8)


def test_a_thread_that_records_has_such_arrays():
    found = []

    def work():
        with tf.GradientTape():
            found.append([address_of((tf.ones((3000,)) + 1.0)._array) % 64 for _ in range(5)])

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [[0] * 5]


def test_arrays_may_be_freed_by_other_threads():
    arrays = [np.ones(10_000) for _ in range(100)]
    thread = threading.Thread(target=arrays.clear)
    thread.start()
    thread.join()
    assert not arrays


def test_without_machine_code_it_stays_as_it_was():
    code = "import numpy as np, gradtape as tf; tf.nn.gelu(tf.ones(300_000)); print(np._core.multiarray.get_handler_name())"
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "GRADTAPE_NATIVE": "0"},
        check=True,
        capture_output=True,
        text=True,
    )
    assert run.stdout.strip() == "default_allocator"


def test_a_choice_that_somebody_made_stands(monkeypatch):
    monkeypatch.setattr(abi, "allocator", lambda: abi.Allocator(b"of another"))
    assert not alignment.align_arrays()


def test_arrays_that_outlive_the_modules():
    code = """
import builtins, sys
import numpy as np, gradtape as tf

class Late:
    def __init__(self):
        self.arrays, self.circle = [np.ones(10_000) for _ in range(20)], self

    def __del__(self):
        np.zeros(9_000), np.empty(100_000) + 1

tf.nn.gelu(tf.ones(300_000))
builtins.late, sys.late, here = Late(), Late(), Late()
"""
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "MALLOC_PERTURB_": "165"}, check=True)
