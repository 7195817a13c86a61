"""Functions of `jit_compile=True`: how far from the true values, and where they are special."""

import mpmath
import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra `native` is not installed")

from gradtape.native.doubles import DOUBLES
from gradtape.native.trigonometry import LIMITS, TRIGONOMETRY, has_numpys_bits
from gradtape.native.ufuncs import ufunc

# Both sides of a choice are computed: NumPy sees flags that belong to the side not taken. (gradtape never warns.)
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

WAVES = [(-3.2, 3.2), (-1e-3, 1e-3), (-100.0, 100.0), (-7e4, 7e4)]
CASES = {
    "sin": (mpmath.sin, WAVES, 1.5),
    "cos": (mpmath.cos, WAVES, 1.5),
    "tan": (mpmath.tan, WAVES, 3.5),
    "exp": (mpmath.exp, [(-1, 1), (-700, 709)], 1.0),
    "expm1": (mpmath.expm1, [(-1, 1), (-1e-3, 1e-3), (-30, 500)], 2.0),
    "log": (mpmath.log, [(0.5, 2), (0.99, 1.01), (0, 1e300), (0, 1e-310)], 1.0),
    "log1p": (mpmath.log1p, [(-0.99, 1), (-1e-3, 1e-3), (1, 1e9)], 2.0),
    "tanh": (mpmath.tanh, [(-1, 1), (-20, 20), (-1e-3, 1e-3)], 2.0),
    "expit": (lambda x: 1 / (1 + mpmath.exp(-x)), [(-30, 30), (-700, 700)], 3.0),
}
TEXTS = [(name, np.float64) for name in CASES] + [(name, np.float32) for name in TRIGONOMETRY]


def in_machine_code(name, dtype):
    return ufunc(name, (TRIGONOMETRY | DOUBLES)[name], [np.dtype(dtype)])


def units(found, true, dtype):
    """The distance from the true value, in units of the last place."""
    unit = np.spacing(np.abs(dtype(float(true))))
    return abs(mpmath.mpf(float(found)) - true) / float(unit)


@pytest.mark.parametrize(("name", "dtype"), TEXTS)
def test_results_are_as_near_as_promised(name, dtype):
    rng = np.random.default_rng(0)
    reference, ranges, limit = CASES[name]
    function = in_machine_code(name, dtype)
    with mpmath.workprec(140):
        for low, high in ranges:
            x = rng.uniform(low, high, 400).astype(dtype)
            worst = max(units(y, reference(mpmath.mpf(float(a))), dtype) for a, y in zip(x, function(x), strict=True))
            assert worst <= limit


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_near_multiples_of_half_pi(name, dtype):
    reference, _, limit = CASES[name]
    x = (np.arange(1, 44_000, 97) * (np.pi / 2)).astype(dtype)
    found = in_machine_code(name, dtype)(x)
    with mpmath.workprec(140):
        worst = max(units(y, reference(mpmath.mpf(float(a))), dtype) for a, y in zip(x, found, strict=True))
    assert worst <= limit


@pytest.mark.parametrize(("name", "dtype"), TEXTS)
def test_special_values_are_those_of_numpy(name, dtype):
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0], dtype)
    with np.errstate(all="ignore"):
        expected = 1 / (1 + np.exp(-special)) if name == "expit" else getattr(np, name)(special)
    found = in_machine_code(name, dtype)(special)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    known = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(found[known]), np.signbit(expected[known]))


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_those_that_are_said_to_have_numpys_bits_have_them(name):
    if not has_numpys_bits(name):
        pytest.skip("this NumPy computes it in another way")
    rng, limit = np.random.default_rng(1), next(iter(LIMITS.values()))[name]
    for size in (1e-30, 0.1, 10.0, 1e4, limit):
        x = rng.uniform(-size, size, 200_000).astype(np.float32)
        np.testing.assert_array_equal(in_machine_code(name, np.float32)(x), getattr(np, name)(x))
