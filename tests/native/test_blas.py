"""Large matrix products: cut into parts, one on each core."""

import ctypes
import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import gradtape as tf
from gradtape.native import abi, blas

pytestmark = pytest.mark.skipif(blas._library() is None, reason="no llvmlite, or a NumPy without OpenBLAS of its own")


@pytest.fixture(autouse=True)
def library(monkeypatch):
    """The library with two threads, whatever the environment says."""
    found = blas._library()
    monkeypatch.setattr(blas, "_openblas", lambda: found._replace(threads=2))
    yield found._replace(threads=2)
    found.set_threads(found.threads)


def test_a_library_of_one_thread_is_left_alone(monkeypatch):
    monkeypatch.undo()
    monkeypatch.setattr(blas, "_library", lambda: abi.OpenBLAS(1, None, {}))
    assert blas._openblas.__wrapped__() is None


def matrices(rng, *shape, dtype=np.float32):
    return rng.normal(size=shape).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("rows", "inner", "columns"),
    [
        (300, 200, 400),
        (400, 200, 300),
        (1, 3000, 4000),
        (4000, 3000, 1),
        (3000, 1, 3000),
        (17, 20_001, 33),
        (16, 90_000, 16),
    ],
)
def test_products(rows, inner, columns, dtype):
    rng = np.random.default_rng(0)
    a, b = matrices(rng, rows, inner, dtype=dtype), matrices(rng, inner, columns, dtype=dtype)
    got = blas.product(a, b)
    assert got.dtype == dtype
    wanted = a.astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_allclose(got, wanted, atol=(1e-6 if dtype == np.float32 else 1e-13) * inner, rtol=1e-5)


LAYOUTS = {
    "as it is": lambda x: x,
    "turned": lambda x: np.ascontiguousarray(x.swapaxes(-1, -2)).swapaxes(-1, -2),
    "part of a larger one": lambda x: np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, 3)])[..., :-3],
    "every second column": lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
    "every second row": lambda x: np.repeat(x, 2, axis=-2)[..., ::2, :],
    "backwards": lambda x: np.ascontiguousarray(x[..., ::-1])[..., ::-1],
    "upside down": lambda x: np.ascontiguousarray(x[..., ::-1, :])[..., ::-1, :],
    "one row for all": lambda x: np.broadcast_to(x[..., :1, :], x.shape),
}


@pytest.mark.parametrize(("first", "second"), list(itertools.product(LAYOUTS, LAYOUTS)))
def test_layouts(first, second):
    rng = np.random.default_rng(0)
    a, b = LAYOUTS[first](matrices(rng, 230, 250)), LAYOUTS[second](matrices(rng, 250, 210))
    np.testing.assert_allclose(blas.product(a, b), a.astype(np.float64) @ b, atol=1e-3)
    a, b = LAYOUTS[first](matrices(rng, 5, 130, 140)), LAYOUTS[second](matrices(rng, 5, 140, 150))
    np.testing.assert_allclose(blas.product(a, b), a.astype(np.float64) @ b, atol=1e-3)


@pytest.mark.parametrize(
    ("first", "second"),
    [((3, 4), (3, 4)), ((3, 4), (4,)), ((1, 4), (3, 1)), ((), (6,)), ((6,), ()), ((2, 1, 3), (2, 3)), ((1,), (1,))],
)
def test_batches_broadcast(first, second):
    rng = np.random.default_rng(0)
    a, b = matrices(rng, *first, 150, 160), matrices(rng, *second, 160, 170)
    got = blas.product(a, b)
    wanted = a.astype(np.float64) @ b
    assert got.shape == wanted.shape
    np.testing.assert_allclose(got, wanted, atol=1e-3)


def test_heads_of_attention_are_views():
    rng = np.random.default_rng(0)
    x = matrices(rng, 4, 128, 8, 64)
    q, k = x.transpose(0, 2, 1, 3), x[::-1].transpose(0, 2, 3, 1)
    np.testing.assert_allclose(blas.product(q, k), q.astype(np.float64) @ k, atol=1e-3)


def test_results_go_where_they_are_wanted():
    rng = np.random.default_rng(0)
    a, b = matrices(rng, 300, 310), matrices(rng, 310, 320)
    wanted = a.astype(np.float64) @ b
    for room in (
        np.empty((300, 320), np.float32),
        np.empty((300, 330), np.float32)[:, 5:325],
        np.empty((320, 300), np.float32).T,
    ):
        assert blas.product(a, b, out=room) is room
        np.testing.assert_allclose(room, wanted, atol=1e-3)


def test_not_a_number_and_infinity_come_through():
    a, b = np.ones((300, 300), np.float32), np.ones((300, 300), np.float32)
    a[7, 3], b[5, 200] = np.nan, np.inf
    np.testing.assert_array_equal(blas.product(a, b), a @ b)


def test_other_types_are_left_to_numpy():
    for first, second in [(np.int32, np.int32), (np.complex64, np.complex64), (np.float32, np.float64)]:
        a, b = np.full((210, 210), 2, first), np.full((210, 210), 3, second)
        got = blas.product(a, b)
        assert got.dtype == (a @ b).dtype
        np.testing.assert_array_equal(got, a @ b)


def test_numpy_keeps_its_threads(library):
    x = tf.ones((700, 700))
    x @ x
    with pytest.raises(tf.errors.InvalidArgumentError):
        x @ tf.ones((699, 700))
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.ones((3, 300, 300)) @ tf.ones((2, 300, 300))
    handles = [ctypes.CDLL(name) for name in abi._openblas_files()]
    assert all(handle.scipy_openblas_get_num_threads64_() == library.threads for handle in handles)


def test_several_threads_multiply_at_once():
    rng = np.random.default_rng(0)
    pairs = [(matrices(rng, 260, 270), matrices(rng, 270, 280)) for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        for (a, b), got in zip(pairs * 5, pool.map(lambda pair: blas.product(*pair), pairs * 5), strict=True):
            np.testing.assert_allclose(got, a @ b, atol=1e-3)


def test_gradients_of_large_products():
    rng = np.random.default_rng(0)
    a, b = tf.Variable(matrices(rng, 500, 300)), tf.Variable(matrices(rng, 300, 400))
    weights = matrices(rng, 500, 400)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum((a @ b) * weights)
    for got, wanted in zip(tape.gradient(loss, [a, b]), [weights @ b.numpy().T, a.numpy().T @ weights], strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-3)
