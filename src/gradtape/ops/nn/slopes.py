"""Derivatives of activations as ops of their own: one pass over the memory, under TensorFlow's names.

TensorFlow has them in `tf.raw_ops`. Given what the forward pass kept (its input or its output) and a cotangent, each
gives the cotangent of the input. The mask of a piecewise linear function has a derivative of zero,
not None, so that a second derivative through relu6 is zeros.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.dtypes import FLOATING, REAL, Array
from ...base.types import Draw, Namespace, Value
from ...op.declaration import Sample
from ...op.family import UNARY_SHAPES, elementwise, in_float32, one_pass
from ..math.arithmetic import clip_by_value
from ..math.elementwise import abs as absolute
from ..math.elementwise import exp, sigmoid, sign, square
from ..math.logic import less, select, zeros_like
from ..math.slopes import sample_slope
from ..math.special import functions
from ..math.trigonometric import tanh

SELU_SCALE = 1.0507009873554804934193349852946
SELU_ALPHA = 1.6732632423543772848170429916717

# --- piecewise linear ---------------------------------------------------------------------------------------


@one_pass
def _mask_positive(gradients: Array, features: Array) -> Any:
    return gradients * (features > 0)


@elementwise(eager=_mask_positive, dtypes=REAL, tf_name="ReluGrad")
def mask_positive(xp: Namespace, gradients: Array, features: Array) -> Any:
    """The gradients where `features` is positive, 0 elsewhere: the derivative of relu, in two array passes."""
    return gradients * (features > 0)


@mask_positive.derivative("gradients")
def _(t: Value, features: Value) -> Any:
    return mask_positive(t, features)


mask_positive.constant_in("features")


@one_pass
def _relu6_grad(gradients: Array, features: Array) -> Any:
    return gradients * ((features > 0) & (features < 6))


@elementwise(eager=_relu6_grad, dtypes=REAL)
def relu6_grad(xp: Namespace, gradients: Array, features: Array) -> Any:
    """The gradients where a feature is between 0 and 6, 0 elsewhere."""
    return gradients * ((features > 0) & (features < 6))


@relu6_grad.derivative("gradients")
def _(t: Value, features: Value) -> Any:
    return relu6_grad(t, features)


relu6_grad.constant_in("features")


@one_pass
def _leaky_relu_grad(gradients: Array, features: Array, alpha: float = 0.2) -> Any:
    return np.where(features > 0, gradients, gradients * gradients.dtype.type(alpha))


@elementwise(eager=_leaky_relu_grad, dtypes=FLOATING)
def leaky_relu_grad(xp: Namespace, gradients: Array, features: Array, *, alpha: float = 0.2) -> Any:
    """The gradients where a feature is positive, alpha times them elsewhere."""
    return xp.where(features > 0, gradients, alpha * gradients)


@leaky_relu_grad.derivative("gradients")
def _(t: Value, features: Value, alpha: float) -> Any:
    return leaky_relu_grad(t, features, alpha=alpha)


leaky_relu_grad.constant_in("features")


# --- exponential --------------------------------------------------------------------------------------------


def _exponential_slope(gradients: Array, outputs: Array, scale: float, offset: float) -> Any:
    kind = gradients.dtype.type
    return np.where(outputs < 0, gradients * (outputs + kind(offset)), gradients * kind(scale))


@one_pass
def _elu_grad(gradients: Array, outputs: Array) -> Any:
    return _exponential_slope(gradients, outputs, 1.0, 1.0)


@elementwise(eager=_elu_grad, dtypes=FLOATING)
def elu_grad(xp: Namespace, gradients: Array, outputs: Array) -> Any:
    """The gradients times the slope of elu where it has these outputs: 1, or output + 1 below 0."""
    return xp.where(outputs < 0, gradients * (outputs + 1), gradients)


@one_pass
def _selu_grad(gradients: Array, outputs: Array) -> Any:
    return _exponential_slope(gradients, outputs, SELU_SCALE, SELU_SCALE * SELU_ALPHA)


@elementwise(eager=_selu_grad, dtypes=FLOATING)
def selu_grad(xp: Namespace, gradients: Array, outputs: Array) -> Any:
    """The gradients times the slope of selu where it has these outputs."""
    return xp.where(outputs < 0, gradients * (outputs + SELU_SCALE * SELU_ALPHA), gradients * SELU_SCALE)


def _below_zero(t: Array, gradients: Array, outputs: Array) -> Any:
    return select(less(outputs, 0), t * gradients, zeros_like(t))


@elu_grad.derivative("gradients")
def _(t: Value, outputs: Value) -> Any:
    return elu_grad(t, outputs)


@selu_grad.derivative("gradients")
def _(t: Value, outputs: Value) -> Any:
    return selu_grad(t, outputs)


elu_grad.derivative("outputs")(_below_zero)
selu_grad.derivative("outputs")(_below_zero)


@in_float32
@one_pass
def _softplus_grad(gradients: Array, features: Array) -> Any:
    return gradients / (1.0 + np.exp(-features))


@elementwise(eager=_softplus_grad, dtypes=FLOATING)
def softplus_grad(xp: Namespace, gradients: Array, features: Array) -> Any:
    """The gradients times the slope of softplus, which is the sigmoid."""
    return gradients / (1.0 + xp.exp(-features))


@softplus_grad.derivative("gradients")
def _(t: Value, features: Value) -> Any:
    return softplus_grad(t, features)


@softplus_grad.derivative("features")
def _(t: Value, gradients: Value, features: Value) -> Any:
    return (t * gradients) * (sigmoid(features) * sigmoid(-features))


@in_float32
@one_pass
def _softsign_grad(gradients: Array, features: Array) -> Any:
    size = np.abs(features) + 1
    return gradients / size / size  # (its square overflows)


@elementwise(eager=_softsign_grad, dtypes=FLOATING)
def softsign_grad(xp: Namespace, gradients: Array, features: Array) -> Any:
    """The gradients divided by (1 + |x|)^2: the slope of softsign."""
    size = xp.abs(features) + 1
    return gradients / size / size


@softsign_grad.derivative("gradients")
def _(t: Value, features: Value) -> Any:
    return softsign_grad(t, features)


@softsign_grad.derivative("features")
def _(t: Value, features: Value, out: Value) -> Any:
    return -2.0 * (t * out) * sign(features) / (absolute(features) + 1.0)


@in_float32
@one_pass
def _sigmoid_grad(y: Array, dy: Array) -> Any:
    return y * (1.0 - y) * dy


@elementwise(eager=_sigmoid_grad, dtypes=FLOATING)
def sigmoid_grad(xp: Namespace, y: Array, dy: Array) -> Any:
    """dy * y * (1 - y): the slope of the sigmoid where it is y."""
    return dy * y * (1 - y)


@sigmoid_grad.derivative("y")
def _(t: Value, y: Value, dy: Value) -> Any:
    return t * dy * (1.0 - 2.0 * y)


@sigmoid_grad.derivative("dy")
def _(t: Value, y: Value) -> Any:
    return sigmoid_grad(y, t)


@in_float32
@one_pass
def _tanh_grad(y: Array, dy: Array) -> Any:
    return (1.0 - y) * (1.0 + y) * dy


@elementwise(eager=_tanh_grad, dtypes=FLOATING)
def tanh_grad(xp: Namespace, y: Array, dy: Array) -> Any:
    """dy * (1 - y^2): the slope of tanh where it is y."""
    return dy * (1 - y) * (1 + y)


@tanh_grad.derivative("y")
def _(t: Value, y: Value, dy: Value) -> Any:
    return -2.0 * (t * dy) * y


@tanh_grad.derivative("dy")
def _(t: Value, y: Value) -> Any:
    return tanh_grad(y, t)


# --- slopes of gelu and silu --------------------------------------------------------------------------------

_ROOT_HALF, _DENSITY = 0.7071067811865476, 0.3989422804014327  # 1 / sqrt(2), and the normal density at 0
_C, _K = 0.7978845608028654, 0.044715  # of the tanh formula: tanh(c (x + k x^3))


_FAR = 40.0  # here the tanh formula is already 0 or x, and its slope 0 or 1; x^3 overflows further out


@in_float32
@one_pass
def _gelu_grad(gradients: Array, features: Array, approximate: bool = False) -> Any:
    if approximate:
        x = np.maximum(np.minimum(features, _FAR), -_FAR)
        squared = x * x
        gate, rest = _gates(x * (squared * (2.0 * _K * _C) + 2.0 * _C))
        return gradients * (gate * (1.0 + x * (squared * (6.0 * _K * _C) + 2.0 * _C) * rest))
    density = np.exp(features * features * -0.5) * _DENSITY
    return gradients * (functions(np).erfc(features * -_ROOT_HALF) * 0.5 + features * density)


def _gates(x: Array) -> tuple[Any, Any]:
    """sigmoid(x) and sigmoid(-x), both exact."""
    power = np.exp(-np.abs(x))
    larger = 1.0 / (1.0 + power)
    smaller = power * larger
    positive = x >= 0
    return np.where(positive, larger, smaller), np.where(positive, smaller, larger)


@elementwise(eager=_gelu_grad, dtypes=FLOATING)
def gelu_grad(xp: Namespace, gradients: Array, features: Array, *, approximate: bool = False) -> Any:
    """The gradients times the slope of gelu, exact or of the tanh formula."""
    if approximate:
        x = xp.clip(features, -_FAR, _FAR)
        gate, rest = (1 / (1 + xp.exp(sign * 2 * _C * (x + _K * x**3))) for sign in (-1, 1))
        return gradients * gate * (1 + 2 * _C * (x + 3 * _K * x**3) * rest)
    bell = xp.exp(-0.5 * features**2) * _DENSITY
    return gradients * (0.5 * functions(xp).erfc(features * -_ROOT_HALF) + features * bell)


@gelu_grad.derivative("gradients")
def _(t: Value, features: Value, approximate: bool) -> Any:
    return gelu_grad(t, features, approximate=approximate)


@gelu_grad.derivative("features")
def _(t: Value, gradients: Value, features: Value, approximate: bool) -> Any:
    x = clip_by_value(features, -_FAR, _FAR)  # beyond, the powers of x would be inf, and their product with 0 is nan
    squared = square(x)
    if not approximate:
        return (t * gradients) * (exp(squared * -0.5) * _DENSITY * (2.0 - squared))
    inside = tanh(x * (squared * (_K * _C) + _C))
    steep = squared * (3.0 * _K * _C) + _C  # d (argument of tanh) / dx
    bend = steep + x * (3.0 * _K * _C * x - inside * square(steep))
    return (t * gradients) * ((1.0 - square(inside)) * bend)


@gelu_grad.samples
def _(draw: Draw) -> Iterator[Sample]:
    for number, shape in enumerate(UNARY_SHAPES):
        yield Sample((draw(shape), draw(shape)), {"approximate": number % 2 == 1})


@gelu_grad.value
def _(gradients: Array, features: Array, approximate: bool) -> Any:
    if approximate:
        u = np.sqrt(2 / np.pi) * (features + 0.044715 * features**3)
        du = np.sqrt(2 / np.pi) * (1 + 0.134145 * features**2)
        return gradients * (0.5 * np.tanh(u) + 0.5 + 0.5 * features / np.cosh(u) ** 2 * du)
    return gradients * (functions(np).ndtr(features) + features * np.exp(-(features**2) / 2) / np.sqrt(2 * np.pi))


@in_float32
@one_pass
def _silu_grad(gradients: Array, features: Array) -> Any:
    gate, rest = _gates(features)
    return gradients * (gate * (1.0 + features * rest))


@elementwise(eager=_silu_grad, dtypes=FLOATING)
def silu_grad(xp: Namespace, gradients: Array, features: Array) -> Any:
    """The gradients times the slope of x * sigmoid(x)."""
    gate, rest = 1 / (1 + xp.exp(-features)), 1 / (1 + xp.exp(features))
    return gradients * (gate * (1 + features * rest))


@silu_grad.derivative("gradients")
def _(t: Value, features: Value) -> Any:
    return silu_grad(t, features)


@silu_grad.derivative("features")
def _(t: Value, gradients: Value, features: Value) -> Any:
    gate, rest = sigmoid(features), sigmoid(-features)
    return (t * gradients) * (gate * rest) * (2.0 + features * (rest - gate))


@silu_grad.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in UNARY_SHAPES:
        yield Sample((draw(shape), draw(shape)))


@silu_grad.value
def _(gradients: Array, features: Array) -> Any:
    gate = functions(np).expit(features)
    return gradients * gate * (1 + features * (1 - gate))


# --- samples and references ---------------------------------------------------------------------------------


for _op in (mask_positive, leaky_relu_grad, softplus_grad, softsign_grad):
    sample_slope(_op, -2.0, 2.0, False, (0.0,))
sample_slope(relu6_grad, -3.0, 8.0, False, (0.0, 6.0))
for _op in (elu_grad, selu_grad):
    sample_slope(_op, -0.9, 2.0, False, (0.0,))
sample_slope(sigmoid_grad, 0.1, 0.9, True)
sample_slope(tanh_grad, -0.9, 0.9, True)


@relu6_grad.value
def _(gradients: Array, features: Array) -> Any:
    return np.where(np.clip(features, 0, 6) == features, gradients, 0)


@leaky_relu_grad.value
def _(gradients: Array, features: Array, alpha: float) -> Any:
    return gradients * np.heaviside(features, 0) + alpha * gradients * np.heaviside(-features, 1)


@elu_grad.value
def _(gradients: Array, outputs: Array) -> Any:
    return gradients * np.minimum(outputs + 1, 1)


@selu_grad.value
def _(gradients: Array, outputs: Array) -> Any:
    # From the input: outputs = scale * alpha * (exp(x) - 1) below 0, so that the slope is scale * alpha * exp(x).
    x = np.log1p(np.minimum(outputs, 0) / (SELU_SCALE * SELU_ALPHA))
    return gradients * SELU_SCALE * np.where(outputs < 0, SELU_ALPHA * np.exp(x), 1)


@softplus_grad.value
def _(gradients: Array, features: Array) -> Any:
    return gradients / (1 + np.exp(-features))


@softsign_grad.value
def _(gradients: Array, features: Array) -> Any:
    return gradients / (1 + 2 * np.abs(features) + features**2)


@sigmoid_grad.value
def _(y: Array, dy: Array) -> Any:
    return dy * np.exp(np.log(y) + np.log1p(-y))


@tanh_grad.value
def _(y: Array, dy: Array) -> Any:
    return dy / np.cosh(np.arctanh(y)) ** 2
