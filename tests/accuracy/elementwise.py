"""The true values of elementwise ops: arithmetic, elementary functions, activations and losses."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from mpmath import inf, mp, mpf, nan

from .reference import Reference

ONE = mpf(1)
LN2, LN10 = mp.log(2), mp.log(10)
SELU_SCALE, SELU_ALPHA = mpf("1.0507009873554804934193349852946"), mpf("1.6732632423543772848170429916717")
POSITIVE = (0.0, np.inf)
HALF_TURNS = tuple(k * math.pi / 2 for k in (-3, -2, -1, 1, 2, 3, 7, 22, 355))


def _one(*_: Any) -> Any:
    return ONE


def zero(*_: Any) -> Any:
    return mpf(0)


def expit(x: Any) -> Any:
    return 1 / (1 + mp.exp(-x))


def bell(x: Any) -> Any:
    """The slope of the sigmoid."""
    return 1 / (mp.exp(x / 2) + mp.exp(-x / 2)) ** 2


def _softplus(x: Any) -> Any:
    return mp.log1p(mp.exp(x)) if x < 0 else x + mp.log1p(mp.exp(-x))


def _sign(x: Any) -> Any:
    return mp.sign(x)


def _round(x: Any) -> Any:
    return mp.nint(x)


# --- arithmetic ---------------------------------------------------------------------------------------------


def _floor_quotient(x: Any, y: Any) -> Any:
    with mp.workprec(4400):
        return mp.floor(x / y)


def _floor_rest(x: Any, y: Any) -> Any:
    with mp.workprec(4400):
        return x - y * mp.floor(x / y)


def _truncated(x: Any, y: Any) -> Any:
    with mp.workprec(4400):
        return mp.floor(x / y) if x / y > 0 else mp.ceil(x / y)


def _truncated_rest(x: Any, y: Any) -> Any:
    with mp.workprec(4400):
        return x - y * _truncated(x, y)


def _power(x: Any, y: Any) -> Any:
    if y == 0:
        return ONE
    if x == 0:
        return (
            mpf(0) if y > 0 else inf
        )  # (the sign of an infinite result is that of the zero, which mpmath has none of)
    if x < 0 and y != mp.floor(y):
        return nan
    size = mp.exp(y * mp.log(abs(x)))
    return -size if x < 0 and mp.fmod(y, 2) != 0 else size


def _power_in_x(x: Any, y: Any) -> Any:
    if x == 0 and y == 0:
        return nan  # 0 * inf, as in TensorFlow
    if x < 0 and (y != mp.floor(y) or abs(y) > 2**23):
        return None  # the power itself is nan, or nobody can tell whether y - 1 is odd
    return y * _power(x, y - 1) if y else mpf(0)


def _power_in_y(x: Any, y: Any) -> Any:
    # Where the logarithm is not defined TensorFlow takes 0 for it, times the power, which may have overflowed.
    return _power(x, y) * mp.log(x) if x > 0 else None if x < 0 or y <= 0 else mpf(0)


def _difference_squared(x: Any, y: Any) -> Any:
    return (x - y) ** 2


def _exact_power(x: Any, y: Any) -> Any:
    with mp.workdps(420 + 50):  # y log(x) has up to 308 digits before the point
        return _power(x, y)


ARITHMETIC = {
    "add": Reference(lambda x, y: x + y, {"x": _one, "y": _one}, beyond=lambda x, y: np.add(x, y)),
    "subtract": Reference(lambda x, y: x - y, {"x": _one, "y": lambda x, y: -ONE}, beyond=np.subtract),
    "multiply": Reference(lambda x, y: x * y, {"x": lambda x, y: y, "y": lambda x, y: x}, beyond=np.multiply),
    "divide": Reference(
        lambda x, y: x / y if y else (nan if not x else None),
        {"x": lambda x, y: 1 / y if y else None, "y": lambda x, y: -x / y**2 if y else None},
    ),
    "floordiv": Reference(lambda x, y: _floor_quotient(x, y) if y else None),
    "floor_divide": Reference(lambda x, y: _floor_quotient(x, y) if y else None),
    "floormod": Reference(
        lambda x, y: _floor_rest(x, y) if y else nan,
        {"x": _one, "y": lambda x, y: -_floor_quotient(x, y) if y else None},
    ),
    "truncatediv": Reference(lambda x, y: _truncated(x, y) if y else None),
    "truncatemod": Reference(
        lambda x, y: _truncated_rest(x, y) if y else nan,
        {"x": _one, "y": lambda x, y: -_truncated(x, y) if y else None},
        beyond=np.fmod,
    ),
    "negative": Reference(lambda x: -x, {"x": lambda x: -ONE}),
    "pow": Reference(
        _exact_power,
        {"x": _power_in_x, "y": _power_in_y},
        near=((1.0,), (0.0, 1.0, 2.0, 3.0, 0.5, -1.0)),
        beyond=np.power,
        count=4000,
    ),
    "square": Reference(lambda x: x * x, {"x": lambda x: 2 * x}),
    "one_minus_square": Reference(lambda x: 1 - x * x, {"x": lambda x: -2 * x}, near=((-1.0, 1.0),)),
    "squared_difference": Reference(
        _difference_squared, {"x": lambda x, y: 2 * (x - y), "y": lambda x, y: 2 * (y - x)}
    ),
    "reciprocal": Reference(
        lambda x: 1 / x, {"x": lambda x: -1 / x**2}, ends={"0.0": (inf, -inf), "-0.0": (-inf, -inf)}
    ),
    "divide_no_nan": Reference(
        lambda x, y: x / y if y else 0,
        {"x": lambda x, y: 1 / y if y else 0, "y": lambda x, y: -x / y**2 if y else 0},
    ),
    "multiply_no_nan": Reference(lambda x, y: x * y, {"x": lambda x, y: y, "y": lambda x, y: x}),
    "zero_safe_divide": Reference(
        lambda x, y: 0 if not x else x / y if y else None,
        {"x": lambda x, y: 1 / y if y else None, "y": lambda x, y: 0 if not x else -x / y**2 if y else None},
    ),
    "maximum": Reference(max, {"x": lambda x, y: ONE * (x >= y), "y": lambda x, y: ONE * (x < y)}, beyond=np.maximum),
    "minimum": Reference(min, {"x": lambda x, y: ONE * (x <= y), "y": lambda x, y: ONE * (x > y)}, beyond=np.minimum),
    "fmax": Reference(max, {"x1": lambda x, y: ONE * (x >= y), "x2": lambda x, y: ONE * (x < y)}, beyond=np.fmax),
    "fmin": Reference(min, {"x1": lambda x, y: ONE * (x <= y), "x2": lambda x, y: ONE * (x > y)}, beyond=np.fmin),
    "abs": Reference(abs, {"x": _sign}),
    "sign": Reference(_sign, {"x": zero}),
    "floor": Reference(mp.floor),
    "ceil": Reference(mp.ceil),
    "rint": Reference(_round),
    "round": Reference(_round),
    "trunc": Reference(lambda x: mp.floor(x) if x > 0 else mp.ceil(x)),
    "real": Reference(lambda x: x, {"input": _one}),
    "imag": Reference(zero, {"input": zero}, ends={"nan": (0.0, 0.0)}),
    "conj": Reference(lambda x: x, {"x": _one}),
    "angle": Reference(
        lambda x: mp.pi if x < 0 else mpf(0), {"input": zero}, ends={"-0.0": (0.0, 0.0), "nan": (0.0, 0.0)}
    ),
    "identity": Reference(lambda x: x, {"input": _one}),
    "stop_gradient": Reference(lambda x: x),
    "copysign": Reference(
        lambda x, y: None if y == 0 else abs(x) * _sign(y),
        {"x1": lambda x, y: None if y == 0 else _sign(x) * _sign(y), "x2": zero},
        beyond=np.copysign,
    ),
    "heaviside": Reference(
        lambda x, y: mpf(0) if x < 0 else ONE if x > 0 else y,
        {"x1": zero, "x2": lambda x, y: ONE if x == 0 else mpf(0)},
    ),
    "deg2rad": Reference(lambda x: x * mp.pi / 180, {"x": lambda x: mp.pi / 180}),
    "rad2deg": Reference(lambda x: x * 180 / mp.pi, {"x": lambda x: 180 / mp.pi}),
    "clip_by_value": Reference(
        lambda t, low, high: max(min(t, high), low),
        {
            "t": lambda t, low, high: ONE * (not (t > high or min(t, high) < low)),
            "clip_value_min": lambda t, low, high: ONE * (min(t, high) < low),
            "clip_value_max": lambda t, low, high: ONE * (t > high and high >= low),
        },
    ),
}

# --- powers, exponentials, logarithms -----------------------------------------------------------------------

_LOG_SLOPE_ENDS = {"-inf": (nan, 0.0), "0.0": (-inf, inf), "-0.0": (-inf, -inf)}

ELEMENTARY = {
    "sqrt": Reference(
        mp.sqrt,
        {"x": lambda x: 1 / (2 * mp.sqrt(x))},
        ends={"0.0": (0.0, inf), "-0.0": (0.0, -inf), "-inf": (nan, nan)},
    ),
    "rsqrt": Reference(
        lambda x: 1 / mp.sqrt(x),
        {"x": lambda x: -1 / (2 * x * mp.sqrt(x))},
        ends={"0.0": (inf, -inf), "-0.0": (-inf, -inf), "-inf": (nan, nan)},
    ),
    "cbrt": Reference(
        lambda x: _sign(x) * mp.cbrt(abs(x)),
        {"x": lambda x: 1 / (3 * mp.cbrt(abs(x)) ** 2)},
        ends={"0.0": (0.0, inf), "-0.0": (0.0, inf), "inf": (inf, 0.0), "-inf": (-inf, 0.0)},
    ),
    "exp": Reference(mp.exp, {"x": mp.exp}),
    "exp2": Reference(lambda x: mp.exp(x * LN2), {"x": lambda x: LN2 * mp.exp(x * LN2)}),
    "expm1": Reference(mp.expm1, {"x": mp.exp}, near=((0.0,),)),
    "log": Reference(mp.log, {"x": lambda x: 1 / x}, near=((1.0,),), ends=_LOG_SLOPE_ENDS),
    "log2": Reference(lambda x: mp.log(x) / LN2, {"x": lambda x: 1 / (x * LN2)}, near=((1.0,),), ends=_LOG_SLOPE_ENDS),
    "log10": Reference(
        lambda x: mp.log(x) / LN10, {"x": lambda x: 1 / (x * LN10)}, near=((1.0,),), ends=_LOG_SLOPE_ENDS
    ),
    "log1p": Reference(
        mp.log1p, {"x": lambda x: 1 / (1 + x)}, near=((-1.0, 0.0),), ends={"-1.0": (-inf, inf), "-inf": (nan, 0.0)}
    ),
    "sin": Reference(mp.sin, {"x": mp.cos}, near=(HALF_TURNS,), ends={"inf": (nan, nan), "-inf": (nan, nan)}),
    "cos": Reference(
        mp.cos, {"x": lambda x: -mp.sin(x)}, near=(HALF_TURNS,), ends={"inf": (nan, nan), "-inf": (nan, nan)}
    ),
    "tan": Reference(
        mp.tan, {"x": lambda x: mp.sec(x) ** 2}, near=(HALF_TURNS,), ends={"inf": (nan, nan), "-inf": (nan, nan)}
    ),
    "asin": Reference(
        mp.asin,
        {"x": lambda x: 1 / mp.sqrt((1 - x) * (1 + x))},
        near=((-1.0, 1.0, 0.5),),
        ends={"1.0": (math.pi / 2, inf), "-1.0": (-math.pi / 2, inf), "inf": (nan, nan), "-inf": (nan, nan)},
    ),
    "acos": Reference(
        mp.acos,
        {"x": lambda x: -1 / mp.sqrt((1 - x) * (1 + x))},
        near=((-1.0, 1.0, 0.5),),
        ends={"1.0": (0.0, -inf), "-1.0": (math.pi, -inf), "inf": (nan, nan), "-inf": (nan, nan)},
    ),
    "atan": Reference(mp.atan, {"x": lambda x: 1 / (1 + x * x)}),
    "sinh": Reference(mp.sinh, {"x": mp.cosh}),
    "cosh": Reference(mp.cosh, {"x": mp.sinh}),
    "tanh": Reference(
        mp.tanh, {"x": lambda x: 4 / (mp.exp(x) + mp.exp(-x)) ** 2}, ends={"inf": (1.0, 0.0), "-inf": (-1.0, 0.0)}
    ),
    "asinh": Reference(
        lambda x: _sign(x) * mp.asinh(abs(x)),
        {"x": lambda x: 1 / mp.sqrt(1 + x * x)},
        ends={"inf": (inf, 0.0), "-inf": (-inf, 0.0)},
    ),
    "acosh": Reference(
        mp.acosh,
        {"x": lambda x: 1 / mp.sqrt((x - 1) * (x + 1)) if x > 1 else nan},
        near=((1.0,),),
        within=((-4.0, np.inf),),
        ends={"1.0": (0.0, inf), "inf": (inf, 0.0), "-inf": (nan, nan)},
    ),
    "atanh": Reference(
        mp.atanh,
        {"x": lambda x: 1 / ((1 - x) * (1 + x))},
        near=((-1.0, 1.0),),
        within=((-4.0, 4.0),),
        ends={"1.0": (inf, inf), "-1.0": (-inf, inf)},
    ),
    "atan2": Reference(
        lambda y, x: mp.atan2(y, x) if y else (mpf(0) if x > 0 else None),
        {
            "y": lambda y, x: x / (x * x + y * y) if x or y else nan,
            "x": lambda y, x: -y / (x * x + y * y) if x or y else nan,
        },
        beyond=np.arctan2,
    ),
    "hypot": Reference(
        lambda x, y: mp.sqrt(x * x + y * y),
        {
            "x1": lambda x, y: x / mp.sqrt(x * x + y * y) if x or y else 0,
            "x2": lambda x, y: y / mp.sqrt(x * x + y * y) if x or y else 0,
        },
        beyond=np.hypot,
    ),
    "logaddexp": Reference(
        lambda x, y: max(x, y) + mp.log1p(mp.exp(-abs(x - y))),
        {"x1": lambda x, y: expit(x - y), "x2": lambda x, y: expit(y - x)},
        beyond=np.logaddexp,
    ),
    "logaddexp2": Reference(
        lambda x, y: max(x, y) + mp.log1p(mp.exp(-abs(x - y) * LN2)) / LN2,
        {"x1": lambda x, y: expit((x - y) * LN2), "x2": lambda x, y: expit((y - x) * LN2)},
        beyond=np.logaddexp2,
    ),
}

# --- activations and losses ---------------------------------------------------------------------------------


def _normal(x: Any) -> Any:
    return mp.erfc(-x / mp.sqrt(2)) / 2


def _density(x: Any) -> Any:
    return mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi)


def _gelu(x: Any) -> Any:
    return x * _normal(x)


def gelu_slope(x: Any) -> Any:
    return _normal(x) + x * _density(x)


_C, _K = mp.sqrt(2 / mp.pi), mpf("0.044715")


def _tanh_gelu(x: Any) -> Any:
    return x * expit(2 * _C * (x + _K * x**3))


def tanh_gelu_slope(x: Any) -> Any:
    u = 2 * _C * (x + _K * x**3)
    return expit(u) + x * bell(u) * 2 * _C * (1 + 3 * _K * x * x)


def silu_slope(x: Any) -> Any:
    # The sum has one sign on each side of its zero at -1.278.
    return expit(x) + x * bell(x)


def _elu_slope(x: Any) -> Any:
    return ONE if x > 0 else mp.exp(x)


def _cross_entropy(x: Any, z: Any) -> Any:
    return (1 - z) * _softplus(x) + z * _softplus(-x)


def _weighted(x: Any, z: Any, w: Any) -> Any:
    return (1 - z) * _softplus(x) + w * z * _softplus(-x)


PROBABILITY = (0.0, 1.0)
_TO_ZERO = {"-inf": (0.0, 0.0), "inf": (inf, 1.0)}

ACTIVATIONS = {
    "sigmoid": Reference(expit, {"x": bell}, ends={"inf": (1.0, 0.0), "-inf": (0.0, 0.0)}),
    "softplus": Reference(_softplus, {"features": expit}, ends=_TO_ZERO),
    "log_sigmoid": Reference(
        lambda x: -_softplus(-x), {"x": lambda x: expit(-x)}, ends={"inf": (0.0, 0.0), "-inf": (-inf, 1.0)}
    ),
    "relu": Reference(lambda x: max(x, mpf(0)), {"features": lambda x: ONE * (x > 0)}),
    "relu6": Reference(
        lambda x: min(max(x, mpf(0)), mpf(6)), {"features": lambda x: ONE * (0 < x < 6)}, near=((6.0,),)
    ),
    "scaled_relu": Reference(
        lambda x: x if x > 0 else x * mpf("0.2"), {"features": lambda x: ONE if x > 0 else mpf("0.2")}, {"alpha": 0.2}
    ),
    "elu": Reference(lambda x: x if x > 0 else mp.expm1(x), {"features": _elu_slope}, ends={"-inf": (-1.0, 0.0)}),
    "selu": Reference(
        lambda x: SELU_SCALE * (x if x > 0 else SELU_ALPHA * mp.expm1(x)),
        {"features": lambda x: SELU_SCALE * (ONE if x > 0 else SELU_ALPHA * mp.exp(x))},
    ),
    "softsign": Reference(
        lambda x: x / (1 + abs(x)),
        {"features": lambda x: 1 / (1 + abs(x)) ** 2},
        ends={"inf": (1.0, 0.0), "-inf": (-1.0, 0.0)},
    ),
    "silu": Reference(
        lambda x, b: x * expit(b * x),
        {
            "features": lambda x, b: silu_slope(b * x),
            "beta": lambda x, b: x * x * bell(b * x),
        },
        within=((-1e4, 1e4), (-8.0, 8.0)),
        near=((), (1.0,)),
    ),
    "gelu_of": Reference(_gelu, {"features": gelu_slope}, {"approximate": False}, ends=_TO_ZERO, within=((-1e5, 1e5),)),
    "gelu_of (tanh)": Reference(_tanh_gelu, {"features": tanh_gelu_slope}, {"approximate": True}, ends=_TO_ZERO),
    "logistic_error": Reference(
        lambda x, z: (1 - z) * expit(x) - z * expit(-x),
        {"logits": lambda x, z: bell(x), "labels": lambda x, z: -ONE},
        near=((), (0.0, 1.0, 0.5)),
        within=((-np.inf, np.inf), PROBABILITY),
    ),
    "sigmoid_cross_entropy": Reference(
        _cross_entropy,
        {"logits": lambda x, z: (1 - z) * expit(x) - z * expit(-x), "labels": lambda x, z: -x},
        near=((), (0.0, 1.0, 0.5)),
        within=((-np.inf, np.inf), PROBABILITY),
    ),
    "weighted_cross_entropy": Reference(
        _weighted,
        {
            "logits": lambda x, z, w: (1 - z) * expit(x) - w * z * expit(-x),
            "labels": lambda x, z, w: (w - 1) * _softplus(-abs(x)) - (x if x > 0 else w * x),
            "pos_weight": lambda x, z, w: z * _softplus(-x),
        },
        near=((), (0.0, 1.0, 0.5), (1.0, 2.0)),
        within=((-1e4, 1e4), PROBABILITY, (0.0, 100.0)),
    ),
    "log_poisson": Reference(
        lambda x, z: mp.exp(x) - x * z,
        {"log_input": lambda x, z: mp.exp(x) - z, "targets": lambda x, z: -x},
        {"full": False},
        within=((-1e4, 1e4), POSITIVE),
    ),
}
