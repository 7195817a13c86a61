"""Functions of one or two operands, element by element, in Keras's types."""

from __future__ import annotations

import math as _math
from collections.abc import Callable
from typing import Any

import gradtape as tf
import gradtape.numpy as tnp
from gradtape import cast
from gradtape.numpy.elementwise import sinc as normalized_sinc
from gradtape.values.tensor import EagerTensor

from ..core import convert_to_tensor
from ..promotion import (
    floats,
    kind_of,
    named,
    operand,
    result_type,
    to_type,
    together,
    truth,
    wide_floats,
)

Function = Callable[..., Any]


def _of_floats(name: str, compute: Function) -> Function:
    return named(name, f"{name}(x); integers become floats.", lambda x: compute(floats(x)))


# --- one operand -----------------------------------------------------------------------------------------------------

arccos = _of_floats("arccos", tf.acos)
arccosh = _of_floats("arccosh", tf.acosh)
arcsin = _of_floats("arcsin", tf.asin)
arcsinh = _of_floats("arcsinh", tf.asinh)
arctan = _of_floats("arctan", tf.atan)
arctanh = _of_floats("arctanh", tf.atanh)
ceil = _of_floats("ceil", tf.math.ceil)
cos = _of_floats("cos", tf.cos)
cosh = _of_floats("cosh", tf.cosh)
exp = _of_floats("exp", tf.exp)
exp2 = _of_floats("exp2", lambda x: tf.pow(tf.constant(2, x.dtype), x))
expm1 = _of_floats("expm1", tf.math.expm1)
fabs = _of_floats("fabs", tf.abs)
floor = _of_floats("floor", tf.floor)
log = _of_floats("log", tf.math.log)
log10 = _of_floats("log10", tnp.log10)
log1p = _of_floats("log1p", tf.math.log1p)
log2 = _of_floats("log2", tnp.log2)
sin = _of_floats("sin", tf.sin)
sinc = _of_floats("sinc", lambda x: to_type(normalized_sinc(x), x.dtype))
sinh = _of_floats("sinh", tf.sinh)
sqrt = _of_floats("sqrt", tf.sqrt)
tan = _of_floats("tan", tf.tan)
tanh = _of_floats("tanh", tf.tanh)


def absolute(x: Any) -> Any:
    """The distance from zero."""
    x = convert_to_tensor(x)
    return x if x.dtype.is_bool or x.dtype.is_unsigned else tf.abs(x)


def abs(x: Any) -> Any:
    """The distance from zero."""
    return absolute(x)


def negative(x: Any) -> Any:
    """-x."""
    return tf.negative(convert_to_tensor(x))


def sign(x: Any) -> Any:
    """-1, 0 or 1."""
    x = convert_to_tensor(x)
    if x.dtype.is_bool or x.dtype.is_unsigned:
        return cast(cast(x, tf.bool), x.dtype)
    return tf.sign(x)


def square(x: Any) -> Any:
    """x * x."""
    x = convert_to_tensor(x)
    return tf.square(cast(x, tf.int32) if x.dtype.is_bool else x)


def reciprocal(x: Any) -> Any:
    """1 / x."""
    return tf.math.reciprocal(convert_to_tensor(x))


def cbrt(x: Any) -> Any:
    """The cube root."""
    return tnp.cbrt(wide_floats(x))


def i0(x: Any) -> Any:
    """The modified Bessel function of the first kind and order 0."""
    return tf.math.bessel_i0(wide_floats(x))


def deg2rad(x: Any) -> Any:
    """Radians of degrees."""
    return wide_floats(x) * (_math.pi / 180)


def rad2deg(x: Any) -> Any:
    """Degrees of radians."""
    return wide_floats(x) * (180 / _math.pi)


def trunc(x: Any) -> Any:
    """The nearest integer towards zero."""
    x = convert_to_tensor(x)
    return tnp.trunc(x) if x.dtype.is_floating else x


def round(x: Any, decimals: int = 0) -> Any:
    """The nearest number with so many decimals; halves go to the even one."""
    x = convert_to_tensor(x)
    if x.dtype.is_floating:
        return tnp.round(x, decimals)
    if decimals >= 0 or x.dtype.is_bool:
        return x
    return cast(tnp.round(cast(x, tf.float64), decimals), x.dtype)


def conjugate(x: Any) -> Any:
    """The complex conjugate."""
    x = convert_to_tensor(x)
    return tf.math.conj(x) if x.dtype.is_complex else x


def conj(x: Any) -> Any:
    """The complex conjugate."""
    return conjugate(x)


def real(x: Any) -> Any:
    """The real part."""
    x = convert_to_tensor(x)
    return tf.math.real(x) if x.dtype.is_complex else x


def imag(x: Any) -> Any:
    """The imaginary part."""
    x = convert_to_tensor(x)
    return tf.math.imag(x) if x.dtype.is_complex else tf.zeros_like(x)


def angle(x: Any) -> Any:
    """The angle of complex numbers; of negative numbers it is pi."""
    return tnp.angle(floats(x))


def nan_to_num(x: Any, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    """NaN replaced by `nan`, infinities by the largest numbers or what is given."""
    x = convert_to_tensor(x)
    if x.dtype.is_complex:
        return tf.complex(*(nan_to_num(part, nan, posinf, neginf) for part in (tf.math.real(x), tf.math.imag(x))))
    return tnp.nan_to_num(x, nan, posinf, neginf)


# --- what is true of each element ------------------------------------------------------------------------------------


def isfinite(x: Any) -> Any:
    """Whether each element is neither infinite nor NaN."""
    return tnp.isfinite(convert_to_tensor(x))


def isinf(x: Any) -> Any:
    """Whether each element is infinite."""
    return tnp.isinf(convert_to_tensor(x))


def isnan(x: Any) -> Any:
    """Whether each element is NaN."""
    return tnp.isnan(convert_to_tensor(x))


def isneginf(x: Any) -> Any:
    """Whether each element is minus infinity."""
    x = convert_to_tensor(x)
    return tf.equal(x, -_math.inf) if x.dtype.is_floating else tf.zeros_like(x, tf.bool)


def isposinf(x: Any) -> Any:
    """Whether each element is infinity."""
    x = convert_to_tensor(x)
    return tf.equal(x, _math.inf) if x.dtype.is_floating else tf.zeros_like(x, tf.bool)


def isreal(x: Any) -> Any:
    """Whether the imaginary part of each element is zero."""
    x = convert_to_tensor(x)
    if not x.dtype.is_complex:
        return tf.ones_like(x, tf.bool)
    part = tf.math.imag(x)
    return tf.equal(part, tf.zeros_like(part))


_BITS = {2: tf.int16, 4: tf.int32, 8: tf.int64}


def signbit(x: Any) -> Any:
    """Whether each element has a minus sign; -0.0 has one."""
    x = convert_to_tensor(x)
    if x.dtype.is_bool or x.dtype.is_unsigned:
        return tf.zeros_like(x, tf.bool)
    if x.dtype.is_floating:
        x = tf.bitcast(x, _BITS[x.dtype.size])
    return tf.less(x, 0)


def logical_not(x: Any) -> Any:
    """Whether each element is zero."""
    return tf.logical_not(truth(x))


# --- two operands ----------------------------------------------------------------------------------------------------


def _as_integers(compute: Function) -> Function:
    return lambda x1, x2: compute(cast(x1, tf.int8), cast(x2, tf.int8))


def _two(name: str, compute: Function, on_bool: Function) -> Function:
    def apply(x1: Any, x2: Any) -> Any:
        # Most calls have two tensors of one float type, and nothing to convert.
        if x1.__class__ is x2.__class__ is EagerTensor and (kind := x1.dtype) is x2.dtype and kind.is_floating:
            return compute(x1, x2)
        x1, x2 = together(x1, x2)
        return (on_bool if kind_of(x1) is tf.bool else compute)(x1, x2)

    return named(name, f"{name} of two operands, in the type that they have together.", apply)


add = _two("add", tf.add, tf.logical_or)
subtract = _two("subtract", tf.subtract, tf.math.logical_xor)
multiply = _two("multiply", tf.multiply, tf.logical_and)
maximum = _two("maximum", tf.maximum, tf.logical_or)
minimum = _two("minimum", tf.minimum, tf.logical_and)
fmax = _two("fmax", tnp.fmax, tf.logical_or)
fmin = _two("fmin", tnp.fmin, tf.logical_and)
equal = _two("equal", tf.equal, tf.equal)
not_equal = _two("not_equal", tf.not_equal, tf.not_equal)
less = _two("less", tf.less, _as_integers(tf.less))
less_equal = _two("less_equal", tf.less_equal, _as_integers(tf.less_equal))
greater = _two("greater", tf.greater, _as_integers(tf.greater))
greater_equal = _two("greater_equal", tf.greater_equal, _as_integers(tf.greater_equal))


def bitwise_and(x: Any, y: Any) -> Any:
    """The bits that both have."""
    x, y = together(x, y)
    return (tf.logical_and if kind_of(x) is tf.bool else tf.bitwise.bitwise_and)(x, y)


def bitwise_or(x: Any, y: Any) -> Any:
    """The bits that one of them has."""
    x, y = together(x, y)
    return (tf.logical_or if kind_of(x) is tf.bool else tf.bitwise.bitwise_or)(x, y)


def bitwise_xor(x: Any, y: Any) -> Any:
    """The bits that exactly one of them has."""
    x, y = together(x, y)
    return (tf.math.logical_xor if kind_of(x) is tf.bool else tf.bitwise.bitwise_xor)(x, y)


def bitwise_left_shift(x: Any, y: Any) -> Any:
    """The bits of x moved to the left by y."""
    return tf.bitwise.left_shift(*together(x, y))


def bitwise_right_shift(x: Any, y: Any) -> Any:
    """The bits of x moved to the right by y."""
    return tf.bitwise.right_shift(*together(x, y))


def left_shift(x: Any, y: Any) -> Any:
    """The bits of x moved to the left by y."""
    return bitwise_left_shift(x, y)


def right_shift(x: Any, y: Any) -> Any:
    """The bits of x moved to the right by y."""
    return bitwise_right_shift(x, y)


def bitwise_invert(x: Any) -> Any:
    """All bits turned."""
    x = convert_to_tensor(x)
    return tf.logical_not(x) if x.dtype.is_bool else tf.bitwise.invert(x)


def bitwise_not(x: Any) -> Any:
    """All bits turned."""
    return bitwise_invert(x)


def logical_and(x1: Any, x2: Any) -> Any:
    """Whether both are not zero."""
    return tf.logical_and(truth(x1), truth(x2))


def logical_or(x1: Any, x2: Any) -> Any:
    """Whether one of them is not zero."""
    return tf.logical_or(truth(x1), truth(x2))


def logical_xor(x1: Any, x2: Any) -> Any:
    """Whether exactly one of them is not zero."""
    return tf.math.logical_xor(truth(x1), truth(x2))


def divide(x1: Any, x2: Any) -> Any:
    """x1 / x2, in floats."""
    return tf.divide(*together(x1, x2, float))


def true_divide(x1: Any, x2: Any) -> Any:
    """x1 / x2, in floats."""
    return divide(x1, x2)


def divide_no_nan(x1: Any, x2: Any) -> Any:
    """x1 / x2, and 0 where x2 is 0."""
    return tf.math.divide_no_nan(*together(x1, x2, float))


def _numbers_together(x1: Any, x2: Any) -> tuple[Any, Any]:
    """As `together`, truth values as integers."""
    x1, x2 = together(x1, x2)
    return (cast(x1, tf.int32), cast(x2, tf.int32)) if kind_of(x1) is tf.bool else (x1, x2)


def floor_divide(x1: Any, x2: Any) -> Any:
    """The largest integer not above x1 / x2."""
    return tf.math.floordiv(*_numbers_together(x1, x2))


def mod(x1: Any, x2: Any) -> Any:
    """What is left of x1 after `floor_divide`; it has the sign of x2."""
    return tf.math.floormod(*_numbers_together(x1, x2))


def fmod(x1: Any, x2: Any) -> Any:
    """What is left of x1 after a division towards zero; it has the sign of x1."""
    return tf.truncatemod(*_numbers_together(x1, x2))


def power(x1: Any, x2: Any) -> Any:
    """x1 ** x2."""
    return tf.pow(*_numbers_together(x1, x2))


def _tensors_together(x1: Any, x2: Any, *more: Any) -> tuple[Any, Any]:
    return together(convert_to_tensor(x1), convert_to_tensor(x2), *more)


def arctan2(x1: Any, x2: Any) -> Any:
    """The angle of the point (x2, x1)."""
    return tf.atan2(*_tensors_together(x1, x2, float))


def logaddexp(x1: Any, x2: Any) -> Any:
    """log(exp(x1) + exp(x2)), without overflow."""
    return tnp.logaddexp(*_tensors_together(x1, x2, float))


def logaddexp2(x1: Any, x2: Any) -> Any:
    """log2(2**x1 + 2**x2), without overflow."""
    return tnp.logaddexp2(*_tensors_together(x1, x2, float))


def nextafter(x1: Any, x2: Any) -> Any:
    """The number after x1 towards x2."""
    x1, x2 = _tensors_together(x1, x2, float)
    if not x1.dtype.is_narrow:
        return tf.math.nextafter(x1, x2)
    return cast(tf.math.nextafter(cast(x1, tf.float32), cast(x2, tf.float32)), x1.dtype)


def _wide_together(x1: Any, x2: Any) -> tuple[Any, Any]:
    """Two tensors as floats; 64-bit integers become float64."""
    x1, x2 = _tensors_together(x1, x2)
    return wide_floats(x1), wide_floats(x2)


def hypot(x1: Any, x2: Any) -> Any:
    """The length of the vector (x1, x2)."""
    return tnp.hypot(*_wide_together(x1, x2))


def heaviside(x1: Any, x2: Any) -> Any:
    """0 where x1 is negative, 1 where it is positive, x2 where it is 0."""
    return tnp.heaviside(*_wide_together(x1, x2))


def gcd(x1: Any, x2: Any) -> Any:
    """The greatest common divisor."""
    return tnp.gcd(*_tensors_together(x1, x2))


def lcm(x1: Any, x2: Any) -> Any:
    """The least common multiple."""
    return tnp.lcm(*_tensors_together(x1, x2))


def ldexp(x1: Any, x2: Any) -> Any:
    """x1 * 2**x2."""
    x1, x2 = convert_to_tensor(x1), convert_to_tensor(x2)
    if not x2.dtype.is_integer:
        raise TypeError(f"ldexp exponent must be an integer type. Received: x2 dtype={x2.dtype.name}")
    dtype = result_type(x1.dtype, x2.dtype, float)
    return to_type(x1, dtype) * tf.pow(tf.constant(2, dtype), cast(x2, dtype))


def isclose(x1: Any, x2: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False) -> Any:
    """Whether x1 and x2 differ by at most atol + rtol * |x2|."""
    x1, x2 = together(floats(x1), floats(x2))
    near = tf.logical_and(tf.abs(x1 - x2) <= tf.abs(x2) * rtol + atol, tf.math.is_finite(x2))
    result = tf.logical_or(near, tf.equal(x1, x2))
    return tf.logical_or(result, tf.logical_and(tf.math.is_nan(x1), tf.math.is_nan(x2))) if equal_nan else result


def allclose(x1: Any, x2: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False) -> Any:
    """Whether all elements are close."""
    return tf.reduce_all(isclose(x1, x2, rtol, atol, equal_nan))


# --- bounds and choices ----------------------------------------------------------------------------------------------


def clip(x: Any, x_min: Any, x_max: Any) -> Any:
    """The values brought between two bounds, which take the type of `x`."""
    x = convert_to_tensor(x)
    x = cast(x, tf.int32) if x.dtype.is_bool else x
    return tf.maximum(tf.minimum(x, _bound(x_max, x.dtype)), _bound(x_min, x.dtype))


def _bound(bound: Any, dtype: Any) -> Any:
    if bound.__class__ is float and dtype.is_floating:
        return bound
    return convert_to_tensor(bound, dtype)


def where(condition: Any, x1: Any = None, x2: Any = None) -> Any:
    """x1 where the condition holds, x2 elsewhere; without them, the positions where it holds."""
    condition = truth(condition)
    if x1 is None and x2 is None:
        return tuple(tf.unstack(tf.cast(tf.where(condition), tf.int32), axis=1))
    if x1 is None or x2 is None:
        raise ValueError("`x1` and `x2` either both should be `None` or both should have non-None value.")
    return tf.where(condition, *together(x1, x2))


def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """The choice that belongs to the first condition that holds."""
    if len(condlist) != len(choicelist):
        raise ValueError(f"select: {len(condlist)} conditions for {len(choicelist)} choices.")
    result = operand(default)
    for condition, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        result = where(condition, choice, result)
    return result
