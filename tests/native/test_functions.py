"""Elementary functions in machine code: how far from the nearest float32, and where they are special."""

import numpy as np
import pytest
from scipy import special

pytest.importorskip("llvmlite", reason="the extra `native` is not installed")

from gradtape.native.language import call
from gradtape.native.ufuncs import ufunc

# Both sides of a choice are computed: NumPy sees flags that belong to the side not taken. (gradtape never warns.)
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, -1e-40, 3e38, -3e38, 1.0, -1.0], np.float32)
RANGES = {
    "exp": (np.exp, [(-110, 95), (-1, 1)], 1.1),
    "expm1": (np.expm1, [(-20, 90), (-1, 1), (-1e-3, 1e-3)], 2.0),
    "log": (np.log, [(0, 3e38), (0.5, 2), (0, 1e-38)], 1.1),
    "log1p": (np.log1p, [(-1, 1), (-1e-3, 1e-3), (1, 1e30)], 2.0),
    "tanh": (np.tanh, [(-12, 12), (-1, 1), (-1e-3, 1e-3)], 2.0),
    "erf": (special.erf, [(-5, 5), (-1e-3, 1e-3)], 3.0),
    "erfc": (special.erfc, [(-5, 5), (-1e-3, 1e-3), (2, 9)], 7.0),
    "expit": (special.expit, [(-80, 80)], 3.0),
    "sqrt": (np.sqrt, [(0, 1e30)], 0.51),
    "absolute": (np.abs, [(-5, 5)], 0.0),
    "square": (np.square, [(-5, 5)], 0.51),
    "reciprocal": (np.reciprocal, [(-5, 5)], 0.51),
    "negative": (np.negative, [(-5, 5)], 0.0),
}


def in_machine_code(name):
    return ufunc(name, lambda *numbers: call(name, numbers), [np.float32])


@pytest.mark.parametrize("name", RANGES)
def test_results_are_as_near_as_promised(name):
    rng = np.random.default_rng(0)
    reference, ranges, limit = RANGES[name]
    function = in_machine_code(name)
    for low, high in ranges:
        x = rng.uniform(low, high, 200_000).astype(np.float32)
        wanted, got = reference(x.astype(np.float64)), function(x).astype(np.float64)
        with np.errstate(over="ignore"):
            rounded = wanted.astype(np.float32)
        finite = np.isfinite(rounded)
        assert np.array_equal(np.isfinite(got), finite)
        unit = np.spacing(np.abs(rounded[finite])).astype(np.float64)
        assert np.max(np.abs(got - wanted)[finite] / unit) <= limit


@pytest.mark.parametrize("name", RANGES)
def test_special_values_are_those_of_numpy(name):
    reference, _, _ = RANGES[name]
    got, wanted = in_machine_code(name)(SPECIAL), reference(SPECIAL.astype(np.float64)).astype(np.float32)
    np.testing.assert_allclose(got, wanted, rtol=1e-6)
    known = ~np.isnan(wanted)
    np.testing.assert_array_equal(np.signbit(got[known]), np.signbit(wanted[known]))


@pytest.mark.parametrize(
    "name", ["maximum", "minimum", "greater", "less_equal", "equal", "not_equal", "divide", "subtract"]
)
def test_of_two_numbers(name):
    rng = np.random.default_rng(1)
    text = lambda x, y: call(name, (x, y))  # noqa: E731
    x, y = rng.normal(size=(2, 1000)).astype(np.float32)
    x[::7], y[::5] = np.nan, np.nan
    x[::11] = y[::11]
    got = ufunc(name, text, [np.float32, np.float32])(x, y)
    wanted = getattr(np, name)(x, y)
    assert got.dtype == wanted.dtype
    np.testing.assert_array_equal(got, wanted)
