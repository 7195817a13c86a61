"""Trigonometric and hyperbolic functions and their inverses."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.dtypes import FLOATING, INEXACT, Array
from ...base.types import Namespace, Value
from ...op.family import elementwise, is_complex, one_pass, sample_binary, sample_unary
from .elementwise import rsqrt
from .logic import ones_like
from .ufuncs import hypot


@elementwise(eager=np.sin, dtypes=INEXACT)
def sin(xp: Namespace, x: Array) -> Any:
    """The sine of an angle in radians.

    >>> import gradtape as tf
    >>> tf.sin([0.5, 1.0]).numpy()
    array([0.47942555, 0.841471  ], dtype=float32)
    """
    return xp.sin(x)


@sin.derivative("x")
def _(t: Value, x: Value) -> Any:
    return t * cos(x)


@elementwise(eager=np.cos, dtypes=INEXACT)
def cos(xp: Namespace, x: Array) -> Any:
    """The cosine of an angle in radians.

    >>> import gradtape as tf
    >>> tf.cos([0.5, 1.0]).numpy()
    array([0.87758255, 0.5403023 ], dtype=float32)
    """
    return xp.cos(x)


@cos.derivative("x")
def _(t: Value, x: Value) -> Any:
    return -t * sin(x)


@elementwise(eager=np.tan, dtypes=INEXACT)
def tan(xp: Namespace, x: Array) -> Any:
    """The tangent of an angle in radians.

    >>> import gradtape as tf
    >>> tf.tan([0.5, 1.0]).numpy()
    array([0.5463025, 1.5574077], dtype=float32)
    """
    return xp.tan(x)


@tan.derivative("x")
def _(t: Value, out: Value) -> Any:
    return t + t * (out * out)


@elementwise(eager=np.arcsin, dtypes=INEXACT)
def asin(xp: Namespace, x: Array) -> Any:
    """The angle whose sine is x.

    >>> import gradtape as tf
    >>> tf.asin([0.0, 1.0]).numpy()
    array([0.       , 1.5707964], dtype=float32)
    """
    return xp.arcsin(x)


@elementwise(dtypes=FLOATING)
def one_minus_square(xp: Namespace, x: Array) -> Any:
    """1 - x^2 of real numbers: near 1 and -1, x * x would lose what is left after the subtraction.

    An op, since the slope of the product would lose all digits near 0.
    """
    return (1 - x) * (1 + x)


@one_minus_square.derivative("x")
def _(t: Value, x: Value) -> Any:
    return t * (x * -2.0)


def _one_minus_square(x: Value) -> Any:
    """1 - x^2. A zero imaginary part keeps its sign: it says on which side of the branch cut a number lies."""
    return -(x * x - 1.0) if is_complex(x) else one_minus_square(x)


@asin.derivative("x")
def _(t: Value, x: Value) -> Any:
    return t * rsqrt(_one_minus_square(x))


@elementwise(eager=np.arccos, dtypes=INEXACT)
def acos(xp: Namespace, x: Array) -> Any:
    """The angle whose cosine is x.

    >>> import gradtape as tf
    >>> tf.acos([1.0, 0.0]).numpy()
    array([0.       , 1.5707964], dtype=float32)
    """
    return xp.arccos(x)


@acos.derivative("x")
def _(t: Value, x: Value) -> Any:
    return -t * rsqrt(_one_minus_square(x))


@elementwise(eager=np.arctan, dtypes=INEXACT)
def atan(xp: Namespace, x: Array) -> Any:
    """The angle whose tangent is x.

    >>> import gradtape as tf
    >>> tf.atan([0.5, 1.0]).numpy()
    array([0.4636476, 0.7853982], dtype=float32)
    """
    return xp.arctan(x)


@atan.derivative("x")
def _(t: Value, x: Value) -> Any:
    return t / (1.0 + x * x)


@elementwise(eager=np.arctan2, dtypes=FLOATING)
def atan2(xp: Namespace, y: Array, x: Array) -> Any:
    """The angle of the point (x, y).

    >>> import gradtape as tf
    >>> tf.atan2([1.0, -1.0], [1.0, 1.0]).numpy()
    array([ 0.7853982, -0.7853982], dtype=float32)
    """
    return xp.arctan2(y, x)


@atan2.derivative("y")
def _(t: Value, y: Value, x: Value) -> Any:
    # Divided twice by the distance: its square overflows, or vanishes, long before the result does.
    distance = hypot(x, y)
    return t * (x / distance) / distance


@atan2.derivative("x")
def _(t: Value, y: Value, x: Value) -> Any:
    distance = hypot(x, y)
    return -t * (y / distance) / distance


@elementwise(eager=np.sinh, dtypes=INEXACT)
def sinh(xp: Namespace, x: Array) -> Any:
    """The hyperbolic sine.

    >>> import gradtape as tf
    >>> tf.sinh([0.5, 1.0]).numpy()
    array([0.5210953, 1.1752012], dtype=float32)
    """
    return xp.sinh(x)


@sinh.derivative("x")
def _(t: Value, x: Value) -> Any:
    return t * cosh(x)


@elementwise(eager=np.cosh, dtypes=INEXACT)
def cosh(xp: Namespace, x: Array) -> Any:
    """The hyperbolic cosine.

    >>> import gradtape as tf
    >>> tf.cosh([0.5, 1.0]).numpy()
    array([1.127626 , 1.5430806], dtype=float32)
    """
    return xp.cosh(x)


@cosh.derivative("x")
def _(t: Value, x: Value) -> Any:
    return t * sinh(x)


@elementwise(eager=np.tanh, dtypes=INEXACT)
def tanh(xp: Namespace, x: Array) -> Any:
    """The hyperbolic tangent of each element: a number between -1 and 1.

    >>> import gradtape as tf
    >>> tf.tanh([0.0, 1.0])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0.       , 0.7615942], dtype=float32)>

    The derivative is 1 - tanh(x)^2.
    """
    return xp.tanh(x)


@tanh.derivative("x")
@one_pass
def _(t: Any, out: Any) -> Any:
    return t - t * (out * out)


@elementwise(eager=np.arcsinh, dtypes=INEXACT)
def asinh(xp: Namespace, x: Array) -> Any:
    """The inverse of the hyperbolic sine.

    >>> import gradtape as tf
    >>> tf.asinh([0.5, 1.0]).numpy()
    array([0.48121184, 0.8813736 ], dtype=float32)
    """
    return xp.arcsinh(x)


@asinh.derivative("x")
def _(t: Value, x: Value) -> Any:
    return t * rsqrt(x * x + 1.0) if is_complex(x) else t / hypot(x, ones_like(x))


@elementwise(eager=np.arccosh, dtypes=INEXACT)
def acosh(xp: Namespace, x: Array) -> Any:
    """The inverse of the hyperbolic cosine.

    >>> import gradtape as tf
    >>> tf.acosh([1.0, 2.0]).numpy()
    array([0.      , 1.316958], dtype=float32)
    """
    return xp.arccosh(x)


@acosh.derivative("x")
def _(t: Value, x: Value) -> Any:
    return t * rsqrt(x - 1.0) * rsqrt(x + 1.0)


@elementwise(eager=np.arctanh, dtypes=INEXACT)
def atanh(xp: Namespace, x: Array) -> Any:
    """The inverse of the hyperbolic tangent.

    >>> import gradtape as tf
    >>> tf.atanh([0.0, 0.5]).numpy()
    array([0.        , 0.54930615], dtype=float32)
    """
    return xp.arctanh(x)


@atanh.derivative("x")
def _(t: Value, x: Value) -> Any:
    return t / _one_minus_square(x)


for _op in (sin, cos, tanh, sinh, cosh, asinh, atan, one_minus_square):
    sample_unary(_op)
sample_unary(tan, -1.2, 1.2)
for _op in (asin, acos, atanh):
    sample_unary(_op, -0.9, 0.9)
sample_unary(acosh, 1.2, 4.0)
sample_binary(atan2, avoid=(0.0,))
