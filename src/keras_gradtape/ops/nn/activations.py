"""Activations, softmax and its variants."""

from __future__ import annotations

from typing import Any

import gradtape as tf
from gradtape import cast

from ..core import convert_to_tensor


def _with_logits(probabilities: Any, logits: Any) -> Any:
    """Probabilities that remember their logits: a cross entropy computed from logits loses no precision."""
    probabilities._keras_logits = logits
    return probabilities


def relu(x: Any) -> Any:
    """x where it is positive, 0 elsewhere."""
    return tf.nn.relu(convert_to_tensor(x))


def relu6(x: Any) -> Any:
    """`relu`, at most 6."""
    return tf.nn.relu6(convert_to_tensor(x))


def sigmoid(x: Any) -> Any:
    """1 / (1 + exp(-x))."""
    logits = convert_to_tensor(x)
    return _with_logits(tf.sigmoid(logits), logits)


def sparse_sigmoid(x: Any) -> Any:
    """A straight line from 0 at -1 to 1 at 1, constant outside."""
    x = convert_to_tensor(x)
    return tf.where(x <= -1, 0.0, tf.where(x >= 1, 1.0, 0.5 * (x + 1)))


def tanh(x: Any) -> Any:
    """The hyperbolic tangent."""
    return tf.tanh(convert_to_tensor(x))


def tanh_shrink(x: Any) -> Any:
    """x - tanh(x)."""
    x = convert_to_tensor(x)
    return x - tf.tanh(x)


def softplus(x: Any) -> Any:
    """log(1 + exp(x))."""
    return tf.math.softplus(convert_to_tensor(x))


def softsign(x: Any) -> Any:
    """x / (1 + |x|)."""
    return tf.nn.softsign(convert_to_tensor(x))


def soft_shrink(x: Any, threshold: float = 0.5) -> Any:
    """x moved towards 0 by the threshold, 0 below it."""
    x = convert_to_tensor(x)
    return tf.where(x > threshold, x - threshold, tf.where(x < -threshold, x + threshold, tf.zeros_like(x)))


def sparse_plus(x: Any) -> Any:
    """0 up to -1, a parabola up to 1, x from there."""
    x = convert_to_tensor(x)
    return tf.where(x <= -1, tf.zeros_like(x), tf.where(x < 1, 0.25 * tf.square(x + 1), x))


def silu(x: Any) -> Any:
    """x * sigmoid(x)."""
    return tf.nn.silu(convert_to_tensor(x))


def squareplus(x: Any, b: Any = 4) -> Any:
    """(x + sqrt(x * x + b)) / 2."""
    x = convert_to_tensor(x)
    return (x + tf.sqrt(tf.square(x) + b)) * 0.5


def log_sigmoid(x: Any) -> Any:
    """log(sigmoid(x))."""
    return tf.math.log_sigmoid(convert_to_tensor(x))


def leaky_relu(x: Any, negative_slope: float = 0.2) -> Any:
    """x where it is positive, `negative_slope` * x elsewhere."""
    return tf.nn.leaky_relu(convert_to_tensor(x), negative_slope)


def hard_sigmoid(x: Any) -> Any:
    """A straight line from 0 at -3 to 1 at 3, constant outside."""
    return tf.nn.relu6(convert_to_tensor(x) + 3.0) * (1.0 / 6.0)


def hard_silu(x: Any) -> Any:
    """x * hard_sigmoid(x)."""
    x = convert_to_tensor(x)
    return x * hard_sigmoid(x)


def elu(x: Any, alpha: float = 1.0) -> Any:
    """x where it is positive, alpha * (exp(x) - 1) elsewhere."""
    x = convert_to_tensor(x)
    result = tf.nn.elu(x)
    return result if alpha == 1 else tf.where(x > 0, result, result * alpha)


def selu(x: Any) -> Any:
    """`elu`, scaled so that mean 0 and variance 1 stay."""
    return tf.nn.selu(convert_to_tensor(x))


def gelu(x: Any, approximate: bool = True) -> Any:
    """x times the normal distribution function of x, by the tanh formula or exact."""
    return tf.nn.gelu(convert_to_tensor(x), approximate)


def celu(x: Any, alpha: float = 1.0) -> Any:
    """max(x, 0) + alpha * (exp(min(x, 0) / alpha) - 1)."""
    x = convert_to_tensor(x)
    return tf.maximum(x, 0.0) + tf.math.expm1(tf.minimum(x, 0.0) / alpha) * alpha


def glu(x: Any, axis: int = -1) -> Any:
    """One half along the axis times the sigmoid of the other."""
    x = convert_to_tensor(x)
    if (x.shape[axis] or 0) % 2:
        raise ValueError(f"axis size must be divisible by 2. Received: x.shape={x.shape} with axis={axis}")
    value, gate = tf.split(x, 2, axis)
    return value * tf.sigmoid(gate)


def hard_tanh(x: Any) -> Any:
    """x between -1 and 1."""
    return tf.clip_by_value(convert_to_tensor(x), -1.0, 1.0)


def hard_shrink(x: Any, threshold: float = 0.5) -> Any:
    """x where it is further from 0 than the threshold, 0 elsewhere."""
    x = convert_to_tensor(x)
    return tf.where(tf.abs(x) > threshold, x, tf.zeros_like(x))


def threshold(x: Any, threshold: Any, default_value: Any) -> Any:
    """x where it is above the threshold, `default_value` elsewhere."""
    x = convert_to_tensor(x)
    return tf.where(x > threshold, x, convert_to_tensor(default_value, x.dtype))


def softmax(x: Any, axis: Any = -1) -> Any:
    """exp(x) / sum(exp(x)) along an axis, or over all elements."""
    logits = convert_to_tensor(x)
    if axis is None:
        flat = tf.nn.softmax(tf.reshape(logits, [-1]))
        return _with_logits(tf.reshape(flat, tf.shape(logits)), logits)
    return _with_logits(tf.nn.softmax(logits, axis), logits)


def log_softmax(x: Any, axis: Any = -1) -> Any:
    """log(softmax(x)) along an axis, or over all elements."""
    x = convert_to_tensor(x)
    if axis is None:
        return tf.reshape(tf.nn.log_softmax(tf.reshape(x, [-1])), tf.shape(x))
    return tf.nn.log_softmax(x, axis)


def sparsemax(x: Any, axis: int = -1) -> Any:
    """The nearest point to x among the probabilities: many of them are exactly 0."""
    x = convert_to_tensor(x)
    ordered = tf.sort(x, direction="DESCENDING", axis=axis)
    sums = tf.cumsum(ordered, axis)
    places = [1] * x.ndim
    places[axis] = -1
    rank = tf.reshape(tf.range(1, tf.shape(x)[axis] + 1), places)
    rank = cast(rank, x.dtype)
    inside = ordered - (sums - 1.0) / rank > 0
    count = tf.reduce_sum(cast(inside, x.dtype), axis, True)
    total = tf.reduce_sum(tf.where(inside, ordered, 0.0), axis, True)
    return tf.maximum(x - (total - 1.0) / count, 0.0)
