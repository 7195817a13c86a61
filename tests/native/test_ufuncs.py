"""NumPy texts as ufuncs in machine code: every layout that NumPy hands to an inner loop."""

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra `native` is not installed")

from gradtape.native.language import Unsupported
from gradtape.native.ufuncs import ufunc

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def text(x, y):
    return np.where(x > 0, x * y + 1, np.maximum(-y, 0.5)) / (1 + y * y)


@pytest.fixture(scope="module", params=[np.float32, np.float64])
def both(request):
    return ufunc("both", text, [request.param] * 2), request.param


def operands(dtype, *shapes):
    rng = np.random.default_rng(0)
    return [rng.normal(size=shape).astype(dtype) for shape in shapes]


@pytest.mark.parametrize("size", [0, 1, 3, 15, 16, 17, 31, 32, 33, 64, 1000])
def test_all_sizes(both, size):
    compiled, dtype = both
    x, y = operands(dtype, size, size)
    got = compiled(x, y)
    assert got.dtype == dtype
    np.testing.assert_allclose(got, text(x, y), rtol=1e-6)


@pytest.mark.parametrize(
    "shapes", [((50, 70), (70,)), ((50, 1), (1, 70)), ((), (100,)), ((100,), ()), ((3, 0), (1,)), ((), ())]
)
def test_broadcasts(both, shapes):
    compiled, dtype = both
    x, y = operands(dtype, *shapes)
    np.testing.assert_allclose(compiled(x, y), text(x, y), rtol=1e-6)


def test_gaps_backwards_and_transposed(both):
    compiled, dtype = both
    x, y = operands(dtype, (60, 80), (60, 80))
    for view in [np.s_[::2, ::3], np.s_[::-1], np.s_[:, ::-1], np.s_[5:, 1]]:
        np.testing.assert_allclose(compiled(x[view], y[view]), text(x[view], y[view]), rtol=1e-6)
    np.testing.assert_allclose(compiled(x.T, y.T), text(x.T, y.T), rtol=1e-6)
    np.testing.assert_allclose(compiled(x.T, y.reshape(80, 60)), text(x.T, y.reshape(80, 60)), rtol=1e-6)
    misaligned = np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:].view(dtype).reshape(x.shape)
    np.testing.assert_allclose(compiled(misaligned, y), text(x, y), rtol=1e-6)


def test_in_place_and_overlapping(both):
    compiled, dtype = both
    x, y = operands(dtype, 500, 500)
    wanted = text(x, y)
    compiled(x, y, out=x)
    np.testing.assert_allclose(x, wanted, rtol=1e-6)
    line = operands(dtype, 501)[0]
    wanted = text(line[:-1], y)
    compiled(line[:-1], y, out=line[1:])
    np.testing.assert_allclose(line[1:], wanted, rtol=1e-6)


def test_the_last_elements_have_the_bits_of_the_first():
    compiled = ufunc("curve", lambda x: np.tanh(x * 0.5) * np.exp(-x), [np.float32])
    x = np.full(1003, 0.7371, np.float32)
    assert len(set(compiled(x).tolist())) == 1
    assert compiled(x[::2])[0] == compiled(x)[0]


def test_truth_values_come_and_go():
    compiled = ufunc("mask", lambda x, keep: (x > 0) & keep, [np.float32, np.bool_])
    x = operands(np.float32, 100)[0]
    keep = np.arange(100) % 3 == 0
    got = compiled(x, keep)
    assert got.dtype == np.bool_
    np.testing.assert_array_equal(got, (x > 0) & keep)


def test_several_results():
    compiled = ufunc("pair", lambda x: (x * 2, x > 1), [np.float32], outputs=2)
    x = operands(np.float32, 50)[0]
    twice, above = compiled(x)
    np.testing.assert_array_equal(twice, 2 * x)
    np.testing.assert_array_equal(above, x > 1)


@pytest.mark.parametrize(
    "bad",
    [
        lambda x: x if x > 0 else -x,
        lambda x: np.sin(x),
        lambda x: x**2.5,
        lambda x: x & True,
        lambda x: x.astype(np.float16),
        lambda x: np.where(x > 0, 1.0, 2.0),
        lambda x: 3.0,
        lambda x: x + 1j,
        lambda x: np.add.reduce(x),
        lambda x: np.exp(x, where=True),
    ],
)
def test_what_cannot_be_written_is_refused(bad):
    with pytest.raises(Unsupported):
        ufunc("bad", bad, [np.float32])


@pytest.mark.parametrize("dtype", [np.int32, np.complex64, np.float16, object])
def test_other_types_are_refused(dtype):
    with pytest.raises(Unsupported):
        ufunc("bad", lambda x: x + 1, [dtype])


def test_functions_of_float64_are_left_to_numpy():
    with pytest.raises(Unsupported):
        ufunc("bad", np.exp, [np.float64])
