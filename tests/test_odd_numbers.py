"""Numbers at the places where libraries differ: ends of types, nan, infinities, ties, zeros of both signs.

Each value was observed on TensorFlow 2.21 (x86). `tests/oracle/calls/hard.txt` has the same calls for a comparison with a
TensorFlow that is installed.
"""

import numpy as np
import pytest

import gradtape as tf

inf, nan = np.inf, np.nan

ROWS = [
    # --- quotients: of floats the quotient is rounded down, not the true one
    ("tf.math.floordiv(1.0, -inf)", -0.0),
    ("tf.math.floordiv(-1.0, inf)", -0.0),
    ("tf.math.floordiv(1.0, 0.1)", 10.0),
    ("tf.constant(-1.0) // 0.1", -10.0),
    ("tf.math.floordiv([1.0, -1.0, 0.0], 0.0)", [inf, -inf, nan]),
    ("tf.math.floordiv(inf, 2.0)", inf),
    ("tf.math.floordiv([7, -7, 7, -7], [2, 2, -2, -2])", [3, -4, -4, 3]),
    ("tf.math.floordiv(tf.constant(-128, tf.int8), tf.constant(-1, tf.int8))", -128),
    ("tf.math.floormod([0.0, -0.0, 0.0, 6.0, -6.0], [-1.0, 1.0, 1.0, -3.0, 3.0])", [0.0, -0.0, 0.0, 0.0, -0.0]),
    ("tf.math.floormod([5.0, -5.0, 5.0, 1.0, -1.0], [3.0, 3.0, -3.0, -inf, inf])", [2.0, 1.0, -1.0, -inf, inf]),
    ("tf.constant([5.5, -5.5]) % 2.0", [1.5, 0.5]),
    # --- positions: nan is passed over
    ("tf.argmax([nan, 1.0, 2.0])", 2),
    ("tf.argmin([nan, 1.0, 2.0])", 1),
    ("tf.argmax([1.0, nan, 0.0])", 0),
    ("tf.argmin([3.0, nan, 1.0])", 2),
    ("tf.argmax([nan, nan])", 0),
    ("tf.argmin([nan, -inf, nan])", 1),
    ("tf.argmax([nan, nan, -inf])", 0),
    ("tf.argmax([[1.0, nan], [nan, nan]], axis=1)", [0, 0]),
    ("tf.argmax(tf.constant([nan, 1.0, 3.0], tf.bfloat16))", 2),
    ("tf.argmin(tf.constant([nan, 1.0, 3.0], tf.float16))", 1),
    ("tf.argmax([2.0, 3.0, 3.0])", 1),
    # --- casts: through int32 or int64, of which the low bits are taken
    ("tf.cast([-1.0, -1.5, -200.0, 300.0, 256.0], tf.uint8)", [255, 255, 56, 44, 0]),
    ("tf.cast([128.0, -129.0, 200.5, 3e9, nan, inf], tf.int8)", [-128, 127, -56, 0, 0, 0]),
    ("tf.cast([-1.0, 70000.0, -70000.0], tf.uint16)", [65535, 4464, 61072]),
    ("tf.cast([32768.0, 70000.0], tf.int16)", [-32768, 4464]),
    ("tf.cast([3e9, -3e9, nan, inf, -inf], tf.int32)", [-(2**31)] * 5),
    ("tf.cast([1e19, -1e19, nan, inf], tf.int64)", [-(2**63)] * 4),
    ("tf.cast([-1.0, 3e9, 5e9, -3e9, nan], tf.uint32)", [2**32 - 1, 3000000000, 705032704, 1294967296, 0]),
    ("tf.cast([-1.0, 1e20, nan], tf.uint64)", [2**64 - 1, 2**63, 2**63]),
    ("tf.cast(tf.constant(1e19, tf.float64), tf.uint64)", 10**19),
    ("tf.cast(tf.constant([-1.0, 300.0], tf.bfloat16), tf.uint8)", [255, 44]),
    ("tf.cast(tf.constant([1e19, -1.0], tf.bfloat16), tf.uint64)", [10016005571271983104, 2**64 - 1]),
    ("tf.cast(tf.constant([-1.0, inf], tf.float16), tf.uint8)", [255, 0]),
    ("tf.cast(tf.constant([0j, 1j, 1 + 0j]), tf.bool)", [False, False, True]),
    ("tf.cast(tf.constant(-1.5 + 9j), tf.uint8)", 255),
    ("tf.cast([0.0, -0.0, nan, 0.1], tf.bool)", [False, False, True, True]),
    ("tf.cast([300, -1], tf.uint8)", [44, 255]),
    ("tf.saturate_cast([300.0, -5.0, inf], tf.uint8)", [255, 0, 255]),
    ("tf.saturate_cast(tf.constant([65535], tf.uint16), tf.float16)", [65504.0]),
    ("tf.saturate_cast(tf.constant([1e30, -1e30], tf.bfloat16), tf.float16)", [65280.0, -65280.0]),
    # --- angles of real numbers
    ("tf.math.angle([-0.0, 0.0, -1.0, 1.0, nan])", [0.0, 0.0, np.pi, 0.0, 0.0]),
    # --- ranges
    ("tf.range(0, np.float64(2.5), dtype=tf.int32)", [0, 1]),
    ("tf.range(0.0, 1.0, 0.3)", [0.0, 0.3, 0.6, 0.9]),
    ("tf.linspace(0.0, nan, 3)", [0.0, nan, nan]),
    ("tf.linspace(inf, 1.0, 2)", [inf, 1.0]),
    # --- norms
    ("tf.clip_by_norm([3.0, 4.0], -1.0)", [0.0, 0.0]),
    ("tf.clip_by_norm([0.0, 0.0], 1.0)", [0.0, 0.0]),
    # --- text
    ("tf.strings.as_string([nan, inf, -inf, 1.5], width=6, fill='0')", [b"   nan", b"   inf", b"  -inf", b"1.500000"]),
    ("tf.strings.as_string(tf.constant([5], tf.uint8), fill='+')", [b"5"]),
    ("tf.strings.as_string(tf.constant([5], tf.int8), fill='+')", [b"+5"]),
]  # fmt: skip


@pytest.mark.parametrize("in_function", [False, True], ids=["eager", "function"])
@pytest.mark.parametrize(("text", "expected"), ROWS, ids=[row[0] for row in ROWS])
def test_the_number_is_tensorflows(text, expected, in_function):
    compute = eval(f"lambda: {text}", {"tf": tf, "np": np, "inf": inf, "nan": nan})
    found = (tf.function(compute) if in_function else compute)().numpy()
    if found.dtype.kind == "f":
        np.testing.assert_allclose(found, expected, rtol=1e-6)
        np.testing.assert_array_equal(np.signbit(found[found == 0]), np.signbit(np.asarray(expected)[found == 0]))
    else:
        assert found.tolist() == expected


@pytest.mark.parametrize(("limit", "dtype"), [(3.5, tf.int32), (3.0, tf.int64)])
def test_a_range_of_integers_has_no_bounds_that_are_floats(limit, dtype):
    with pytest.raises(TypeError, match="range"):
        tf.range(limit, dtype=dtype)


def test_a_saturating_cast_gives_the_largest_number_that_both_types_have():
    found = tf.saturate_cast(tf.constant([1e30, -5.0], tf.bfloat16), tf.uint64)
    assert found.numpy().tolist() == [2**64 - 2**56, 0]


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float32, tf.float64])
def test_nan_comes_last_in_a_sorted_list_of_every_type(dtype):
    x = tf.constant([3.0, nan, 1.0, -5.0, nan, 2.0, 7.0, -inf], dtype)
    ordered = [-inf, -5.0, 1.0, 2.0, 3.0, 7.0, nan, nan]
    np.testing.assert_array_equal(tf.cast(tf.sort(x), tf.float32).numpy(), ordered)
    assert tf.argsort(x).numpy().tolist() == [7, 3, 2, 5, 0, 6, 1, 4]


@pytest.mark.parametrize("axis", [0, 1])
def test_positions_in_large_arrays_pass_over_nan_too(axis):
    x = np.random.default_rng(0).normal(size=(100, 80)).astype(np.float32)
    x[x > 0.5] = nan
    np.testing.assert_array_equal(tf.argmax(x, axis).numpy(), np.nanargmax(x, axis))
    np.testing.assert_array_equal(tf.argmin(x, axis).numpy(), np.nanargmin(x, axis))


def test_numpys_functions_on_tensors_keep_numpys_rules():
    x = tf.constant([[1.0, nan, 3.0], [4.0, 5.0, -6.0]])
    assert np.argmax(x, 1).tolist() == np.argmax(x.numpy(), 1).tolist() == [1, 1]
    assert np.argmin(x) == np.argmin(x.numpy()) == 1
    assert tf.experimental.numpy.argmax(x, 1).numpy().tolist() == [1, 1]
    assert (
        np.floor_divide(tf.constant(1.0), np.float32(0.1)) == np.floor_divide(np.float32(1.0), np.float32(0.1)) == 9.0
    )
    assert tf.experimental.numpy.floor_divide(1.0, 0.1).numpy() == 9.0
    z = tf.constant([1j, 0j])
    assert np.any(z)
    assert not np.all(z)
    assert tf.experimental.numpy.logical_or(z, False).numpy().tolist() == [True, False]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("function", "slope_at_zero"), [(tf.asin, 1.0), (tf.acos, -1.0), (tf.atanh, 2.0)])
def test_second_derivatives_of_inverse_functions_keep_their_digits(function, slope_at_zero, dtype):
    x = tf.constant([1e-8, -1e-20, 1.0, -1.0], dtype)
    second = second_derivative(function, x)
    np.testing.assert_allclose(second[:2], slope_at_zero * x[:2], rtol=1e-6)
    np.testing.assert_array_equal(second[2:], slope_at_zero * np.array([np.inf, -np.inf]))


def test_the_second_derivative_of_acosh_at_its_end_is_infinite():
    np.testing.assert_array_equal(second_derivative(tf.acosh, tf.constant([1.0])), [-np.inf])


@pytest.mark.parametrize("approximate", [False, True])
def test_gelu_is_straight_far_away(approximate):
    x = tf.constant([1e10, -1e10, 1e20, -1e30, 3e38, np.inf, -np.inf])
    second = second_derivative(lambda x: tf.nn.gelu(x, approximate=approximate), x)
    np.testing.assert_array_equal(second, np.zeros(7))


def test_zeta_of_powers_beyond_all_sums_is_its_first_term():
    np.testing.assert_array_equal(tf.math.zeta([3e38, np.inf, 1e6], [2.0, 20.0, 1.0]), [0.0, 0.0, 1.0])


def second_derivative(function, x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        slope = tape.gradient(y, x)
    return outer.gradient(slope, x).numpy()
