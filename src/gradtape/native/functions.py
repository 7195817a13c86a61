"""Elementary functions on vectors of float32, and NumPy's elementwise functions by name.

Each function brings its argument into a short interval and takes a polynomial there. The coefficients were fitted for the
minimal maximum error; the tests measure the distance to the nearest float32 (at most 2 units in the last place, erf 3,
erfc 7).
For other types there are no such functions: NumPy runs the texts that use them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from .language import FLOAT32, FUNCTIONS, INT32, Number, Unsupported, fma, intrinsic, select


def polynomial(x: Number, coefficients: Sequence[float]) -> Number:
    """c0 + c1 x + c2 x^2 + ..."""
    *rest, last = coefficients
    result = x.constant(last)
    for coefficient in reversed(rest):
        result = fma(result, x, coefficient)
    return result


def _only_float32(x: Number) -> None:
    if x.element != FLOAT32:
        raise Unsupported(f"this function of {x.element}")


_LOG2_E = 1.4426950408889634
_LN2_HIGH, _LN2_LOW = 0.693145751953125, 1.42860682030941723212e-6  # high: few bits, so that n * high is exact
_ROUNDER = 12582912.0  # 1.5 * 2**23: a float32 so large that adding it leaves no fraction
_EXP = (0.50000001, 0.166665188, 0.0416662059, 0.00836889015, 0.00139504831)  # (e^r - 1 - r) / r^2, |r| < ln(2) / 2
_EXPM1 = (0.500000042, 0.166666679, 0.0416653124, 0.00833308215, 0.0013997542, 0.000199904732)  # the same, |r| < 1/2
_TANH = (
    -0.333333296,
    0.133331579,
    -0.0539405614,
    0.021666339,
    -0.00809195173,
    0.00206465211,
)  # (tanh x - x) / x^3 in x^2
_ERF = (
    1.12837917,
    -0.376126271,
    0.112836002,
    -0.0268544444,
    0.00518953498,
    -0.00080208381,
    7.88910891e-05,
)  # erf(x) / x in x^2
_LOG_ERFC = (
    0.000188047972, -1.12957846, -0.633219827, -0.108418646, 0.0252082983, -0.00420457673, 0.000441339265, -2.16870855e-05,
)  # log(1 - erf(x)), 1 < x < 4  # fmt: skip
_ERFC = (
    1.25300806, -0.135621144, -0.0475623658, 0.129646551, -0.119271363, 0.0682945552, -0.023796405, 0.00257145603, 0.00200199187,
    -0.000781925145, -0.000270422902,
)  # erfc(x) e^(x^2) (1 + 2 x) in (x - 3) / (x + 3), 0 < x < 10.3  # fmt: skip
_LOG = (
    0.333333167, -0.250008105, 0.200022855, -0.166245503, 0.141812097, -0.13128809, 0.128815409, -0.0785933353,
)  # (log(1 + f) - f + f^2 / 2) / f^3, sqrt(1/2) < 1 + f < sqrt(2)  # fmt: skip


def exp(x: Number) -> Number:
    """e^x = 2^n e^r, with n the whole number nearest to x / ln(2)."""
    _only_float32(x)
    x = select(x > 89.0, 89.0, x)
    x = select(x < -104.0, -104.0, x)
    value, n = _exp_in_parts(x)
    # 2^n in two factors: n reaches from -150 to 128, further than one exponent does.
    half = Number(n.builder, n.builder.ashr(n.value, n.constant(1).value))
    return value * _power_of_two(half) * _power_of_two(n - half)


def _exp_in_parts(x: Number) -> tuple[Number, Number]:
    """e^r and n."""
    shifted = fma(x, _LOG2_E, _ROUNDER)  # its last bits are n
    n = shifted - _ROUNDER
    r = fma(n, -_LN2_LOW, fma(n, -_LN2_HIGH, x))
    value = fma(r * r, polynomial(r, _EXP), r) + 1.0
    return value, shifted.bits(INT32) - shifted.constant(_ROUNDER).bits(INT32)


def _power_of_two(n: Number) -> Number:
    biased = n + 127
    return Number(n.builder, n.builder.shl(biased.value, n.constant(23).value)).bits(FLOAT32)


def expm1(x: Number) -> Number:
    """e^x - 1, exact near 0."""
    near = _with_sign_of(fma(x * x, polynomial(x, _EXPM1), x), x)
    return select(absolute(x) < 0.5, near, exp(x) - 1.0)


def log(x: Number) -> Number:
    """log(2^e (1 + f)) = e ln(2) + log(1 + f)."""
    _only_float32(x)
    tiny = x < 1.17549435e-38  # below the normal numbers
    scaled = select(tiny, x * 8388608.0, x)
    bits = scaled.bits(INT32)
    # 1 + f between sqrt(1/2) and sqrt(2): count exponents from the bits of sqrt(1/2).
    offset = bits - 0x3F3504F3
    exponent = Number(x.builder, x.builder.ashr(offset.value, offset.constant(23).value))
    shift = Number(x.builder, x.builder.shl(exponent.value, exponent.constant(23).value))
    f = (bits - shift).bits(FLOAT32) - 1.0
    e = Number(x.builder, x.builder.sitofp(exponent.value, x.type)) - select(tiny, x.constant(23.0), 0.0)
    squared = f * f
    tail = fma(squared * f, polynomial(f, _LOG), e * _LN2_LOW)
    value = fma(e, _LN2_HIGH, f + fma(squared, -0.5, tail))
    value = select(x == math.inf, x, value)
    value = select(x == 0.0, -math.inf, value)
    return select((x < 0.0) | (x != x), math.nan, value)


def log1p(x: Number) -> Number:
    """log(1 + x), exact near 0: what 1 + x loses is put back."""
    total = x + 1.0
    lost = x - (total - 1.0)
    value = log(total) + select(total == 0.0, 0.0, lost / total)
    return select((total == 1.0) | (x == math.inf), x, value)


def tanh(x: Number) -> Number:
    """Odd polynomial near 0, else 1 - 2 / (e^2x + 1)."""
    _only_float32(x)
    size, squared = absolute(x), x * x
    near = fma(x * squared, polynomial(squared, _TANH), x)
    value, n = _exp_in_parts(select(size > 9.1, 18.2, size + size))  # tanh(9.1) is 1 in float32
    far = 1.0 - 2.0 / (value * _power_of_two(n) + 1.0)
    return _with_sign_of(select(size < 0.625, near, far), x)


def erf(x: Number) -> Number:
    """Odd polynomial near 0, else 1 - e^p(x)."""
    _only_float32(x)
    size = absolute(x)
    near = x * polynomial(x * x, _ERF)
    within = select(size > 4.0, 4.0, size)  # erf(4) is 1 in float32
    far = 1.0 - exp(polynomial(within, _LOG_ERFC))
    return _with_sign_of(select(size < 1.0, near, far), x)


def erfc(x: Number) -> Number:
    """e^(-x^2) times a function that changes little; what x^2 loses to rounding is put back."""
    _only_float32(x)
    size = absolute(x)
    size = select(size > 10.3, 10.3, size)  # erfc(10.3) is 0 in float32
    squared = size * size
    lost = fma(size, size, -squared)
    power = exp(-squared)
    above, twice = size + 3.0, size + size + 1.0
    share = 1.0 / (above * twice)  # one division for two
    smooth = polynomial((size - 3.0) * (twice * share), _ERFC) * (above * share)
    right = fma(power, -lost, power) * smooth
    return select(x < 0.0, 2.0 - right, right)


def absolute(x: Number) -> Number:
    return intrinsic("fabs", x)


def sqrt(x: Number) -> Number:
    return intrinsic("sqrt", x)


def _with_sign_of(x: Number, sign: Number) -> Number:
    return intrinsic("copysign", x, sign)


def _one_of(sign: str) -> Callable[[Any, Any], Number]:
    """The larger or the smaller of two numbers; NaN if one is. (LLVM's own way also orders 0 and -0, and takes longer.)"""

    def function(x: Any, y: Any) -> Number:
        x, y = (x, y) if isinstance(x, Number) else (y, x)
        known = not isinstance(y, Number) and y == y
        x, y = x.beside(y)
        if not x.is_float:
            raise Unsupported(f"the larger of {x.type}")
        # True, too, where a number is NaN: x is right if it is that one.
        first = Number(x.builder, x.builder.fcmp_unordered(sign, x.value, y.value))
        chosen = select(first, x, y)
        return chosen if known else select(y != y, y, chosen)

    return function


def _reciprocal(x: Number) -> Number:
    return 1.0 / x


def _logical_not(x: Number) -> Number:
    return ~x


FUNCTIONS |= {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
    "divide": lambda x, y: x / y,
    "true_divide": lambda x, y: x / y,
    "negative": lambda x: -x,
    "square": lambda x: x * x,
    "reciprocal": _reciprocal,
    "absolute": absolute,
    "fabs": absolute,
    "sqrt": sqrt,
    "maximum": _one_of(">"),
    "minimum": _one_of("<"),
    "exp": exp,
    "expm1": expm1,
    "log": log,
    "log1p": log1p,
    "tanh": tanh,
    "erf": erf,
    "erfc": erfc,
    "expit": lambda x: 1.0 / (exp(-x) + 1.0),
    "where": select,
    "greater": lambda x, y: x > y,
    "greater_equal": lambda x, y: x >= y,
    "less": lambda x, y: x < y,
    "less_equal": lambda x, y: x <= y,
    "equal": lambda x, y: x == y,
    "not_equal": lambda x, y: x != y,
    "logical_and": lambda x, y: x & y,
    "logical_or": lambda x, y: x | y,
    "logical_not": _logical_not,
}
