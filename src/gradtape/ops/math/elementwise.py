"""Arithmetic and elementary functions, element by element.

A rule given to `derivative` maps a direction t to t * d out / d x. It serves as forward rule, and as reverse rule
too, conjugated for complex numbers (the gradient is the conjugate of the holomorphic derivative, as in TensorFlow).
Rules are written with few operations: `t - t * (out * out)` beats `t * (1 - out * out)` by one array.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.dtypes import FLOATING, INEXACT, NUMERIC, REAL, STRING, Array
from ...base.errors import invalid
from ...base.types import Cotangent, Function, Jax, Namespace, Tangent, Value
from ...op.declaration import BadInput
from ...op.family import (
    elementwise,
    is_complex,
    large_as,
    numpy_type,
    one_pass,
    rarely,
    sample_binary,
    sample_unary,
    usually,
)
from ...op.shapes import real_type
from .complex_numbers import cast_like, conj, real
from .logic import greater, not_equal, ones_like, select, zeros_like

# --- arithmetic ------------------------------------------------------------------------------------------------------


@elementwise(exact=True, eager=operator.add, tf_name="AddV2", dtypes=NUMERIC | STRING, numbers=True, on_sizes=True)
def add(xp: Namespace, x: Array, y: Array) -> Any:
    """x + y, element by element, with broadcasting; the operator `+` does the same. Texts are joined.

    >>> import gradtape as tf
    >>> tf.add([[1.0], [2.0]], [10.0, 20.0]).numpy()
    array([[11., 21.],
           [12., 22.]], dtype=float32)
    >>> tf.add("an ", ["apple", "egg"]).numpy()
    array([b'an apple', b'an egg'], dtype=object)

    Where an operand was repeated to broadcast, its derivative is the sum over the copies.
    """
    return x + y


@add.derivative("x")
def _(t: Value) -> Any:
    return t


@add.derivative("y")
def _(t: Value) -> Any:
    return t


@elementwise(exact=True, eager=operator.neg, tf_name="Neg", on_sizes=True)
def negative(xp: Any, x: Any) -> Any:
    """-x, element by element.

    >>> import gradtape as tf
    >>> tf.negative([1.0, -2.0]).numpy()
    array([-1.,  2.], dtype=float32)
    """
    return -x


@negative.derivative("x")
@large_as(negative)
def _negated(t: Any) -> Any:
    return -t


@elementwise(exact=True, eager=operator.sub, tf_name="Sub", numbers=True, on_sizes=True)
def subtract(xp: Namespace, x: Array, y: Array) -> Any:
    """x - y, element by element, with broadcasting; the operator `-` does the same.

    >>> import gradtape as tf
    >>> tf.subtract([1.0, 2.0], 10.0).numpy()
    array([-9., -8.], dtype=float32)
    """
    return x - y


@subtract.derivative("x")
def _(t: Value) -> Any:
    return t


subtract.derivative("y")(_negated)


@elementwise(exact=True, eager=operator.mul, tf_name="Mul", numbers=True, on_sizes=True)
def multiply(xp: Namespace, x: Array, y: Array) -> Any:
    """x * y, element by element, with broadcasting; the operator `*` does the same.

    >>> import gradtape as tf
    >>> tf.multiply([1.0, 2.0], 10.0).numpy()
    array([10., 20.], dtype=float32)
    """
    return x * y


@multiply.derivative("x")
@large_as(multiply)
def _(t: Any, y: Any) -> Any:
    return t * y


@multiply.derivative("y")
@large_as(multiply)
def _times(t: Any, x: Any) -> Any:
    return t * x


@elementwise(exact=True, eager=operator.truediv, tf_name="RealDiv", dtypes=INEXACT, numbers=True)
def divide(xp: Namespace, x: Array, y: Array) -> Any:
    """x / y, with broadcasting.

    >>> import gradtape as tf
    >>> tf.realdiv([6.0, 1.0], 2.0).numpy()
    array([3. , 0.5], dtype=float32)
    """
    return x / y


@divide.derivative("x")
def _(t: Value, y: Value) -> Any:
    return t / y


@divide.derivative("y")
@one_pass
def _(t: Any, y: Any, out: Any) -> Any:
    return -t * out / y


def _floor_divide(x: Array, y: Array) -> Any:
    if x.dtype.kind in "iu" and not usually(y.all()):
        raise invalid("floordiv: integer division by zero.")
    # TensorFlow rounds the quotient of floats down: floordiv(1, -inf) is -0 and floordiv(1, 0.1) is 10. NumPy's // uses the
    # remainder and gives -1 and 9.
    return x // y if x.dtype.kind in "iu" else np.floor(x / y)


@elementwise(eager=_floor_divide, tf_name="FloorDiv", dtypes=REAL, on_sizes=operator.floordiv)
def floordiv(xp: Namespace, x: Array, y: Array) -> Any:
    """The largest integer not above x / y.

    >>> import gradtape as tf
    >>> tf.math.floordiv([7, -7], 2).numpy()
    array([ 3, -4], dtype=int32)
    """
    return xp.floor_divide(x, y) if xp.issubdtype(x.dtype, xp.integer) else xp.floor(x / y)


floordiv.not_differentiable("it is constant between its jumps")


def _floor_mod(x: Array, y: Array) -> Any:
    if x.dtype.kind in "iu" and not usually(y.all()):
        raise invalid("floormod: integer division by zero.")
    rest = x % y
    if x.dtype.kind in "iu" or rest.all():
        return rest
    return np.where(rest == 0, np.copysign(rest, x), rest)  # a zero has the sign of x in TensorFlow, that of y in NumPy


@elementwise(eager=_floor_mod, tf_name="FloorMod", dtypes=REAL, on_sizes=operator.mod)
def floormod(xp: Namespace, x: Array, y: Array) -> Any:
    """What is left of x after taking floor(x / y) times y away; it has the sign of y.

    >>> import gradtape as tf
    >>> tf.math.floormod([7, -7], 3).numpy()
    array([1, 2], dtype=int32)
    """
    return xp.mod(x, y)


@floormod.derivative("x")
def _(t: Value) -> Any:
    return t


@floormod.derivative("y")
def _(t: Value, x: Value, y: Value) -> Any:
    return -t * floordiv(x, y)


def _power(x: Any, y: Any) -> Any:
    # NumPy has fast ways for the exponents -1, 0.5, 1 and 2; for others it takes 30 ns an element. A number is the same exponent as
    # a tensor without axes, which it becomes in a function.
    if getattr(x, "ndim", 0) and not getattr(y, "ndim", 0):
        if rarely(y == 3):
            return x * x * x
        if rarely(y == 4):
            squared = x * x
            return squared * squared
    # NumPy's scalars have another power than its arrays. Here they have the same one, whatever an array without axes came as.
    is_scalar = not (getattr(x, "ndim", 0) or getattr(y, "ndim", 0))
    return np.power(x, y) if is_scalar else x**y


@elementwise(eager=_power, tf_name="Pow", numbers=True)
def pow(xp: Namespace, x: Array, y: Array) -> Any:
    """x to the power y.

    >>> import gradtape as tf
    >>> tf.pow([2.0, 3.0], 2.0).numpy()
    array([4., 9.], dtype=float32)
    """
    return x**y


@pow.xla
def _(jax: Jax, x: Any, y: Any) -> Any:
    if not jax.numpy.issubdtype(x.dtype, jax.numpy.integer):
        return x**y
    if not isinstance(y, jax.core.Tracer) and np.ndim(y) == 0 and y >= 0:
        return jax.lax.integer_pow(x, int(y))

    # jax looks at six bits of an exponent: 3**70 would be 3**6.
    def square_and_multiply(place: Any, found: Any) -> Any:
        result, squared = found
        bit = (y >> place.astype(y.dtype)) & 1
        return jax.numpy.where(bit == 1, result * squared, result), squared * squared

    x, y = jax.numpy.broadcast_arrays(x, y)
    start = jax.numpy.ones_like(x), x
    result, _ = jax.lax.fori_loop(0, 8 * y.dtype.itemsize, square_and_multiply, start)
    return jax.numpy.where(y < 0, 0, result)  # an error on the host


@pow.rejects
def _() -> Iterator[BadInput]:
    yield BadInput("whole numbers have no negative powers", (np.array([2, 3]), np.array([2, -1])))
    yield BadInput("also 1 and -1", (np.array([1, -1], np.int32), np.array(-1, np.int32)))


@pow.derivative("x")
def _(t: Value, x: Value, y: Value) -> Any:
    # At x = y = 0 this is 0 * inf = nan, as in TensorFlow, which computes the exponent in the type of x.
    less = float(numpy_type(x).type(y) - 1) if isinstance(y, float) else y - 1
    return t * y * pow(x, less)


@pow.derivative("y")
def _(t: Value, x: Value, out: Value) -> Any:
    return t * (out * _log_or_zero(x if hasattr(x, "dtype") or is_complex(out) else numpy_type(out).type(x)))


def _log_or_zero(x: Value) -> Any:
    """log(x) where it is defined, 0 elsewhere: TensorFlow's gradient of pow in its exponent."""
    if isinstance(x, (int, float)):
        return math.log(x) if x > 0 else 0.0
    if isinstance(x, np.floating):
        return np.log(x) if x > 0 else x.dtype.type(0)
    defined = not_equal(x, 0) if is_complex(x) else greater(x, 0)
    return select(defined, log(select(defined, x, ones_like(x))), zeros_like(x))


@elementwise(exact=True, eager=np.square, on_sizes=True)
def square(xp: Namespace, x: Array) -> Any:
    """x * x, element by element.

    >>> import gradtape as tf
    >>> tf.square([2.0, -3.0]).numpy()
    array([4., 9.], dtype=float32)

    The derivative is 2 x.
    """
    return x * x


@square.derivative("x")
def _(t: Value, x: Value) -> Any:
    if t.__class__ is np.ndarray and t.size and not any(t.strides) and t.itemsize >= 4:
        # One number for all elements, the cotangent of a sum or a mean: one pass over memory, not two.
        return _times(x, 2 * t.item(0))
    return _twice(t, x)


@one_pass
def _twice(t: Array, x: Array) -> Any:
    product = t * x  # (twice x may overflow where the cotangent is small)
    return product + product


@elementwise(tf_name="SquaredDifference", numbers=True)
def squared_difference(xp: Namespace, x: Array, y: Array) -> Any:
    """(x - y) squared, element by element; of complex numbers the squared modulus of the difference.

    >>> import gradtape as tf
    >>> tf.math.squared_difference([1.0, 5.0], 2.0).numpy()
    array([1., 9.], dtype=float32)
    """
    difference = x - y
    return xp.conj(difference) * difference


@squared_difference.vjp("x")
def _(g: Cotangent, x: Value, y: Value) -> Any:
    return (2.0 * _real_part(g)) * (x - y)


@squared_difference.vjp("y")
def _(g: Cotangent, x: Value, y: Value) -> Any:
    return (-2.0 * _real_part(g)) * (x - y)


@squared_difference.jvp("x")
def _(t: Tangent, x: Value, y: Value) -> Any:
    return _real_product(t, x - y)


@squared_difference.jvp("y")
def _(t: Tangent, x: Value, y: Value) -> Any:
    return _real_product(t, y - x)


def _real_part(g: Value) -> Any:
    """The real part of a cotangent, in the type of g: the value is always real."""
    return 0.5 * (g + conj(g)) if is_complex(g) else g


def _real_product(t: Value, difference: Value) -> Any:
    """The change of |difference|^2 along t: 2 Re(conj(difference) t)."""
    if is_complex(t):
        product = conj(difference) * t
        return product + conj(product)
    return 2.0 * t * difference


@elementwise(eager=np.reciprocal, tf_name="Reciprocal", dtypes=INEXACT)
def reciprocal(xp: Namespace, x: Array) -> Any:
    """1 / x, element by element; of 0 it is infinite.

    >>> import gradtape as tf
    >>> tf.math.reciprocal([2.0, 4.0]).numpy()
    array([0.5 , 0.25], dtype=float32)
    """
    return 1.0 / x


@reciprocal.derivative("x")
def _(t: Value, out: Value) -> Any:
    return -t * out * out


def _divide_no_nan(x: Value, y: Value) -> Any:
    if isinstance(y, np.generic):  # the common case: the mean at the end of a loss
        return x / y if y else np.zeros_like(x)
    return divide_no_nan.kernel(np, x, y)


@elementwise(eager=_divide_no_nan, dtypes=INEXACT)
def divide_no_nan(xp: Namespace, x: Array, y: Array) -> Any:
    """x / y, and 0 where y is 0."""
    zero = y == 0
    return xp.where(zero, 0, x / xp.where(zero, 1, y)).astype(xp.result_type(x, y))


@divide_no_nan.derivative("x")
def _(t: Value, y: Value) -> Any:
    return divide_no_nan(t, y)


@divide_no_nan.derivative("y")
def _(t: Value, x: Value, y: Value) -> Any:
    return t * divide_no_nan(divide_no_nan(-x, y), y)


@elementwise(dtypes=INEXACT, tf_name="MulNoNan")
def multiply_no_nan(xp: Namespace, x: Array, y: Array) -> Any:
    """x * y, and 0 where y is 0, even if x is infinite or nan.

    >>> import gradtape as tf
    >>> tf.math.multiply_no_nan([2.0, float("inf")], [3.0, 0.0]).numpy()
    array([6., 0.], dtype=float32)
    """
    zero = y == 0
    return xp.where(zero, 0, xp.where(zero, 0, x) * y).astype(xp.result_type(x, y))


@multiply_no_nan.derivative("x")
def _(t: Value, y: Value) -> Any:
    return multiply_no_nan(t, y)


@multiply_no_nan.derivative("y")
def _(t: Value, x: Value) -> Any:
    return multiply_no_nan(x, t)


def _zero_safe_divide(x: Array, y: Array) -> Any:
    if np.ndim(x) == np.ndim(y) == 0:  # the gradient of a norm over all axes
        return x / y if x else x
    return zero_safe_divide.kernel(np, x, y)


@elementwise(eager=_zero_safe_divide, dtypes=INEXACT, tf_name="ZeroSafeDivide")
def zero_safe_divide(xp: Namespace, x: Array, y: Array) -> Any:
    """x / y, and 0 where x is 0, whatever y: what TensorFlow does inside the gradients of sqrt and rsqrt."""
    zero = x == 0
    return xp.where(zero, 0, x / xp.where(zero, 1, y)).astype(xp.result_type(x, y))


@zero_safe_divide.derivative("x")
def _(t: Value, y: Value) -> Any:
    return t / y


@zero_safe_divide.derivative("y")
def _(t: Value, x: Value, y: Value) -> Any:
    return -t * zero_safe_divide(zero_safe_divide(x, y), y)


# --- powers, exponentials, logarithms --------------------------------------------------------------------------------


@elementwise(exact=True, eager=np.sqrt, dtypes=INEXACT)
def sqrt(xp: Namespace, x: Array) -> Any:
    """The square root of each element; of negative real numbers nan.

    >>> import gradtape as tf
    >>> tf.sqrt([4.0, 9.0]).numpy()
    array([2., 3.], dtype=float32)

    The derivative at 0 is infinite.
    """
    return xp.sqrt(x)


@sqrt.vjp("x")
def _(g: Cotangent, out: Value) -> Any:
    return zero_safe_divide(
        0.5 * g, conj(out) if is_complex(out) else out
    )  # (a cotangent of 0 stays one, as in TensorFlow; a tangent of 0 gives nan at 0)


@sqrt.jvp("x")
def _(t: Tangent, out: Value) -> Any:
    return 0.5 * t / out


@elementwise(dtypes=INEXACT)
def rsqrt(xp: Namespace, x: Array) -> Any:
    """1 / sqrt(x), element by element; of 0 it is infinite.

    >>> import gradtape as tf
    >>> tf.math.rsqrt([4.0, 16.0]).numpy()
    array([0.5 , 0.25], dtype=float32)
    """
    return xp.reciprocal(xp.sqrt(x))


@rsqrt.derivative("x")
def _(t: Value, x: Value, out: Value) -> Any:
    return zero_safe_divide(multiply_no_nan(out, -0.5 * t), x)  # (0 of a cotangent of 0, also where `out` is infinite)


@elementwise(eager=np.exp, dtypes=INEXACT)
def exp(xp: Namespace, x: Array) -> Any:
    """e to the power of each element; of large ones infinite.

    >>> import gradtape as tf
    >>> tf.exp([0.5, 1.0]).numpy()
    array([1.6487212, 2.718282 ], dtype=float32)

    The derivative is the result itself.
    """
    return xp.exp(x)


@exp.derivative("x")
@large_as(multiply)
def _(t: Any, out: Any) -> Any:
    return t * out


@elementwise(eager=np.expm1, dtypes=INEXACT)
def expm1(xp: Namespace, x: Array) -> Any:
    """exp(x) - 1, exact for small x too.

    >>> import gradtape as tf
    >>> tf.math.expm1([0.5, 1.0]).numpy()
    array([0.6487213, 1.7182817], dtype=float32)
    """
    return xp.expm1(x)


@expm1.derivative("x")
def _(t: Value, x: Value) -> Any:
    # Not t * out + t: far below 0, out is -1 and the digits of exp(x) are gone.
    return t * exp(x)


@elementwise(eager=np.log, dtypes=INEXACT)
def log(xp: Namespace, x: Array) -> Any:
    """The natural logarithm of each element; of 0 minus infinity, of negative real numbers nan.

    >>> import gradtape as tf
    >>> tf.math.log([1.0, 10.0]).numpy()
    array([0.       , 2.3025851], dtype=float32)

    The derivative is 1 / x.
    """
    return xp.log(x)


@log.derivative("x")
def _(t: Value, x: Value) -> Any:
    # Not t / x: TensorFlow multiplies by the reciprocal, so that 0 * inf is nan where t is 0 and x is 0.
    return t * reciprocal(x)


@elementwise(eager=np.log1p, dtypes=INEXACT)
def log1p(xp: Namespace, x: Array) -> Any:
    """log(1 + x), exact for small x too.

    >>> import gradtape as tf
    >>> tf.math.log1p([0.5, 1.0]).numpy()
    array([0.4054651, 0.6931472], dtype=float32)
    """
    return xp.log1p(x)


@log1p.derivative("x")
def _(t: Value, x: Value) -> Any:
    return t / (1.0 + x)


# --- sigmoid and its relatives ---------------------------------------------------------------------------------------


@one_pass
def _sigmoid(x: Array) -> Any:
    # Exact far below 0 too, where 0.5 * tanh(x / 2) + 0.5 is 0. Where exp overflows the result is below all normal numbers.
    return 1.0 / (1.0 + np.exp(-x)) if x.dtype.itemsize >= 4 else _through_float32(_sigmoid, x)


def _through_float32(function: Function, x: Array) -> Array:
    result: Array = function(np.asarray(x).astype(np.float32)).astype(x.dtype)
    return result


@elementwise(eager=_sigmoid, dtypes=INEXACT)
def sigmoid(xp: Namespace, x: Array) -> Any:
    """The logistic function 1 / (1 + exp(-x)) of each element: a number between 0 and 1.

    >>> import gradtape as tf
    >>> tf.sigmoid([0.5, 1.0]).numpy()
    array([0.62245935, 0.7310586 ], dtype=float32)

    For a loss take `tf.nn.sigmoid_cross_entropy_with_logits`, which does not round to 0 and 1.
    """
    return 1.0 / (1.0 + xp.exp(-x))


@sigmoid.derivative("x")
@one_pass
def _(t: Any, out: Any) -> Any:
    return t * (out * (1.0 - out))


def _softplus_of_few(x: Any) -> Any:
    return np.logaddexp(x, x.dtype.type(0)) if x.dtype.itemsize >= 4 else _through_float32(_softplus, x)


def _softplus_of_many(x: Any) -> Any:
    if x.dtype.itemsize < 4:
        return _through_float32(_softplus, x)
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


_softplus = one_pass(_softplus_of_many, small=_softplus_of_few)


@elementwise(eager=_softplus, dtypes=FLOATING)
def softplus(xp: Namespace, features: Array) -> Any:
    """log(1 + exp(x)) of each element, without overflow: a smooth max(x, 0).

    >>> import gradtape as tf
    >>> tf.math.softplus([0.5, 1.0]).numpy()
    array([0.974077 , 1.3132617], dtype=float32)

    The derivative is sigmoid(x).
    """
    return xp.logaddexp(features, 0.0)


@softplus.derivative("features")
def _(t: Value, features: Value) -> Any:
    return t * sigmoid(features)


# --- sign, absolute value, rounding ----------------------------------------------------------------------------------


@elementwise(eager=np.abs, dtypes=NUMERIC, gives=real_type)
def abs(xp: Namespace, x: Array) -> Any:
    """The absolute value of each element; of complex numbers the modulus, which is real.

    >>> import gradtape as tf
    >>> tf.abs([-1.0, 2.0]).numpy()
    array([1., 2.], dtype=float32)

    The derivative at 0 is 0.
    """
    return xp.abs(x)


@abs.vjp("x")
def _(g: Cotangent, x: Value) -> Any:
    return cast_like(g, x) * sign(x)


@abs.jvp("x")
def _(t: Tangent, x: Value) -> Any:
    return real(t * conj(sign(x))) if is_complex(x) else t * sign(x)


@elementwise(eager=np.sign)
def sign(xp: Namespace, x: Array) -> Any:
    """-1, 0 or 1, as the element is negative, zero or positive; of complex numbers x / |x|.

    >>> import gradtape as tf
    >>> tf.sign([-3.0, 0.0, 2.0]).numpy()
    array([-1.,  0.,  1.], dtype=float32)

    The derivative of real numbers is 0 everywhere.
    """
    return xp.sign(x)


@sign.vjp("x")
def _(g: Cotangent, x: Value) -> Any:
    return _unit_direction_change(g, x) if is_complex(x) else zeros_like(g)


@sign.jvp("x")
def _(t: Tangent, x: Value) -> Any:
    return _unit_direction_change(t, x) if is_complex(x) else zeros_like(t)


def _unit_direction_change(t: Value, x: Value) -> Any:
    """The part of t across x, divided by |x|: how the direction x / |x| changes."""
    unit = sign(x)
    size = abs(x)
    across = t - unit * cast_like(real(conj(unit) * t), x)
    return divide_no_nan(across, cast_like(size, x))


@elementwise(eager=np.floor, dtypes=FLOATING)
def floor(xp: Namespace, x: Array) -> Any:
    """The largest whole number that is not above the element, in the same type.

    >>> import gradtape as tf
    >>> tf.floor([1.2, -1.2]).numpy()
    array([ 1., -2.], dtype=float32)
    """
    return xp.floor(x)


@elementwise(eager=np.ceil, dtypes=FLOATING)
def ceil(xp: Namespace, x: Array) -> Any:
    """The smallest whole number that is not below the element, in the same type.

    >>> import gradtape as tf
    >>> tf.math.ceil([1.2, -1.2]).numpy()
    array([ 2., -1.], dtype=float32)
    """
    return xp.ceil(x)


@elementwise(eager=np.rint, dtypes=FLOATING)
def rint(xp: Namespace, x: Array) -> Any:
    """The nearest integer, ties to even.

    >>> import gradtape as tf
    >>> tf.math.rint([0.5, 1.5, 2.6]).numpy()
    array([0., 2., 3.], dtype=float32)
    """
    return xp.rint(x)


@elementwise(eager=np.round, dtypes=REAL)
def round(xp: Namespace, x: Array) -> Any:
    """The nearest whole number, in the same type; halves go to the even one, as in IEEE 754.

    >>> import gradtape as tf
    >>> tf.round([0.5, 1.5, 2.6]).numpy()
    array([0., 2., 3.], dtype=float32)
    """
    return xp.round(x)


for _op in (floor, ceil, rint, round):
    _op.not_differentiable("it is constant between its jumps")


def no_division_by_zero() -> Iterator[BadInput]:
    for dtype in (np.int32, np.int64, np.uint8):
        yield BadInput("a whole number divided by 0", (np.array([1, 2], dtype), np.array([1, 0], dtype)))


for _op in (floordiv, floormod):
    _op.rejects(no_division_by_zero)

# --- samples: the values on which each op is tested ------------------------------------------------------------------

for _op in (
    square,
    negative,
    exp,
    expm1,
    sigmoid,
    softplus,
    floor,
    ceil,
    rint,
    round,
):
    sample_unary(_op)
for _op in (sqrt, rsqrt, log):
    sample_unary(_op, 0.2, 3.0)
for _op in (abs, sign, reciprocal):
    sample_unary(_op, avoid=(0.0,))
sample_unary(log1p, -0.7, 3.0)
for _op in (add, subtract, multiply, squared_difference, multiply_no_nan):
    sample_binary(_op)
for _op in (divide, divide_no_nan, floordiv, floormod, zero_safe_divide):
    sample_binary(_op, second=(0.4, 2.0))
sample_binary(pow, first=(0.3, 2.0), second=(-1.5, 2.5))
