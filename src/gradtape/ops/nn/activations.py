"""Ops of neural networks that have a derivative of their own: activations, softmax, cross entropies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...base.dtypes import FLOATING, INEXACT, INTEGER, NARROW_FLOATS, REAL, Array
from ...base.errors import invalid
from ...base.sizes import matched
from ...base.types import Cotangent, Draw, Namespace, Tangent, Value
from ...native import thresholds
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import (
    UNARY_SHAPES,
    all_batched,
    as_array,
    batch_over_axis,
    by_rows,
    elementwise,
    explain_axis,
    in_float32,
    is_complex,
    machine_code_for,
    one_pass,
    sample_unary,
    shape_of,
)
from ...op.shapes import along, broadcast_sizes
from ..array.layout import expand_dims, reshape, sum_to_shape
from ..math.elementwise import exp, sigmoid, square
from ..math.reduce import reduce_sum, refuse_axis_of_scalar
from ..math.special import functions
from .rows import FULL, RowText
from .slopes import (
    SELU_ALPHA,
    SELU_SCALE,
    elu_grad,
    gelu_grad,
    leaky_relu_grad,
    mask_positive,
    relu6_grad,
    selu_grad,
    silu_grad,
    softsign_grad,
)

# --- activations --------------------------------------------------------------------------------------------


def _relu_of_few(x: Array) -> Array:
    return np.maximum(x, 0)


@machine_code_for(_relu_of_few, thresholds.ONE_CALL_ELEMENTS)
def _relu(x: Array) -> Any:
    return np.where(x < 0, 0, x)  # NaN is kept


@elementwise(eager=_relu, dtypes=REAL)
def relu(xp: Namespace, features: Array) -> Any:
    """The larger of the element and 0: the rectified linear unit.

    >>> import gradtape as tf
    >>> tf.nn.relu([-1.0, 2.0]).numpy()
    array([0., 2.], dtype=float32)

    The derivative at 0 is 0.
    """
    return xp.maximum(features, 0)


@relu.derivative("features")
def _(t: Value, out: Value) -> Any:
    return mask_positive(t, out)


@elementwise(dtypes=REAL)
def relu6(xp: Namespace, features: Array) -> Any:
    """The element, cut to the numbers from 0 to 6.

    >>> import gradtape as tf
    >>> tf.nn.relu6([-1.0, 3.0, 8.0]).numpy()
    array([0., 3., 6.], dtype=float32)

    The derivative is 1 between 0 and 6, and 0 at both ends and beyond.
    """
    return xp.minimum(xp.maximum(features, 0), 6).astype(features.dtype)


@relu6.derivative("features")
def _(t: Value, features: Value) -> Any:
    return relu6_grad(t, features)


@elementwise(dtypes=FLOATING, tf_name="LeakyRelu", called="leaky_relu")
def scaled_relu(xp: Namespace, features: Array, *, alpha: float = 0.2) -> Any:
    """x where it is positive, alpha * x elsewhere; the derivative at 0 is alpha."""
    return xp.where(features > 0, features, alpha * features).astype(features.dtype)


@scaled_relu.derivative("features")
def _(t: Value, features: Value, alpha: float) -> Any:
    return leaky_relu_grad(t, features, alpha=alpha)


@elementwise(dtypes=FLOATING)
def elu(xp: Namespace, features: Array) -> Any:
    """The element where it is positive, and exp(x) - 1 elsewhere: the exponential linear unit.

    >>> import gradtape as tf
    >>> tf.nn.elu([0.5, 1.0]).numpy()
    array([0.5, 1. ], dtype=float32)
    """
    return xp.where(features > 0, features, xp.expm1(xp.minimum(features, 0))).astype(features.dtype)


@elu.derivative("features")
def _(t: Value, out: Value) -> Any:
    return elu_grad(t, out)


@elementwise(dtypes=FLOATING)
def selu(xp: Namespace, features: Array) -> Any:
    """The scaled exponential linear unit: 1.0507 x where x is positive, and 1.7581 (exp(x) - 1) elsewhere.

    >>> import gradtape as tf
    >>> tf.nn.selu([0.5, 1.0]).numpy()
    array([0.5253505, 1.050701 ], dtype=float32)

    With these constants, sums over many inputs keep mean 0 and variance 1 from layer to layer.
    """
    negative = SELU_SCALE * SELU_ALPHA * xp.expm1(xp.minimum(features, 0))
    return xp.where(features > 0, SELU_SCALE * features, negative).astype(features.dtype)


@selu.derivative("features")
def _(t: Value, out: Value) -> Any:
    return selu_grad(t, out)


@elementwise(dtypes=FLOATING)
def softsign(xp: Namespace, features: Array) -> Any:
    """x / (|x| + 1) of each element: a number between -1 and 1.

    >>> import gradtape as tf
    >>> tf.math.softsign([0.5, 1.0]).numpy()
    array([0.33333334, 0.5       ], dtype=float32)
    """
    return features / (xp.abs(features) + 1)


@softsign.derivative("features")
def _(t: Value, features: Value) -> Any:
    return softsign_grad(t, features)


for _op in (relu, relu6, scaled_relu, elu, selu, softsign):
    sample_unary(_op, avoid=(0.0,))


def _silu(features: Array, beta: Array) -> Array:
    result: Array = np.multiply(features, -beta)
    np.exp(result, out=result)
    result += 1.0
    np.divide(features, result, out=result)
    return result


def _silu_any(features: Array, beta: Array) -> Any:
    if features.ndim and features.dtype not in NARROW_FLOATS and not getattr(beta, "ndim", 0):
        return _silu(features, beta)
    return features * sigmoid(as_array(beta * features))


@elementwise(eager=_silu_any, dtypes=INEXACT, tf_name="Silu")
def silu(xp: Namespace, features: Array, beta: Array) -> Any:
    """x * sigmoid(beta * x); only the features are kept for the derivative."""
    return features / (1 + xp.exp(-beta * features))


@silu.derivative("features")
def _(t: Value, features: Value, beta: Value) -> Any:
    scaled = beta * features
    if not is_complex(features):
        return silu_grad(t, scaled)
    return t * (sigmoid(scaled) * (1.0 + scaled * sigmoid(-scaled)))


@silu.derivative("beta")
def _(t: Value, features: Value, beta: Value) -> Any:
    scaled = beta * features
    return t * (square(features) * (sigmoid(scaled) * sigmoid(-scaled)))


_ROOT_HALF = 0.7071067811865476
_ROOT_TWO_OVER_PI = 0.7978845608028654
_CUBIC = 0.044715


@one_pass
def _gelu(features: Array, approximate: bool = False) -> Any:
    if approximate:
        # x times the sigmoid of twice tanh's argument: tanh + 1 loses all digits below -5.
        inner = features * features
        inner = inner * (-2.0 * _CUBIC * _ROOT_TWO_OVER_PI) - 2.0 * _ROOT_TWO_OVER_PI
        return features / (np.exp(inner * features) + 1)
    return functions(np).erfc(features * -_ROOT_HALF) * (features * 0.5)


@elementwise(eager=in_float32(_gelu), dtypes=FLOATING, tf_name="Gelu", called="gelu")
def gelu_of(xp: Namespace, features: Array, *, approximate: bool = False) -> Any:
    """x times the normal distribution function of x, exact or by the tanh formula."""
    if approximate:
        inner = 2 * _ROOT_TWO_OVER_PI * (features + _CUBIC * features * features * features)
        return features / (1 + xp.exp(-inner))
    return 0.5 * features * functions(xp).erfc(features * -_ROOT_HALF)


@gelu_of.derivative("features")
def _(t: Value, features: Value, approximate: bool) -> Any:
    return gelu_grad(t, features, approximate=approximate)


@silu.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in UNARY_SHAPES:
        yield Sample((draw(shape), draw((), 0.5, 1.5)))
    yield Sample((draw((2, 3)), draw((3,))))
    yield Sample((draw((3,)), draw((2, 1))))


@gelu_of.samples
def _(draw: Draw) -> Iterator[Sample]:
    for number, shape in enumerate(
        [(), (), (4,), (4,), (0,), (2, 3), (3, 1), (1, 3), (2, 0), (2, 1, 3), (2, 3, 2), (5, 2), (1, 1)]
    ):
        yield Sample((draw(shape),), {"approximate": number % 2 == 1})


@silu.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for beta in [
        np.ones(2, np.float32),
        np.ones((3, 3), np.float32),
        np.ones(4, np.float32),
        np.ones((3, 2), np.float32),
    ]:
        yield BadInput("beta must broadcast", (x, beta))
    yield BadInput("types never mix", (x, np.float64(1)))
    yield BadInput("integers have no sigmoid", (x.astype(np.int32), np.int32(1)))


@gelu_of.rejects
def _() -> Iterator[BadInput]:
    for dtype in (np.int32, np.int64, np.uint8, np.bool_, np.complex64, np.complex128):
        yield BadInput("it is a function of real numbers", (np.ones(3, dtype),))


@gelu_of.value
def _(features: Array, approximate: bool) -> Any:
    if approximate:
        return 0.5 * features * (1 + np.tanh(np.sqrt(2 / np.pi) * (features + 0.044715 * features**3)))
    return features * functions(np).ndtr(features)


@silu.value
def _(features: Array, beta: Array) -> Any:
    return features * functions(np).expit(beta * features)


# --- softmax ------------------------------------------------------------------------------------------------


def _power(x: Array, largest: Array) -> Any:
    return np.exp(x - largest)


_SOFTMAX_STEPS = [("max", None, (0,)), ("map", _power, (0, 1)), ("sum", None, (2,)), ("map", np.divide, (2, 3))]
_SOFTMAX = RowText([FULL], _SOFTMAX_STEPS, [4])
_PROBABILITIES = RowText([FULL], _SOFTMAX_STEPS, [4, 1, 3])  # with the largest logit and the sum of the exponentials


def _softmax(logits: Array, axis: int) -> Array:
    refuse_axis_of_scalar(logits, axis)
    if not logits.size:
        return logits
    if _SOFTMAX.takes(logits, axis) and (found := _SOFTMAX(logits)):
        return found[0]
    return (_softmax_here if axis % logits.ndim == 0 else _softmax_by_rows)(logits, axis=axis)


def _softmax_here(logits: Array, axis: int) -> Array:
    shifted: Array = logits - logits.max(axis=axis, keepdims=True)
    np.exp(shifted, out=shifted)
    shifted /= shifted.sum(axis=axis, keepdims=True)
    return shifted


_softmax_by_rows = by_rows(_softmax_here)


@op(eager=in_float32(_softmax), dtypes=FLOATING, shape=along)
def softmax(xp: Namespace, logits: Array, *, axis: int = -1) -> Any:
    """exp(x) / sum(exp(x)) along an axis, without overflow."""
    powers = xp.exp(logits - xp.max(logits, axis=axis, keepdims=True))
    return powers / xp.sum(powers, axis=axis, keepdims=True)


def _less_its_part(weighted: Array, total: Array, out: Array) -> Any:
    return weighted - total * out


_SOFTMAX_DERIVATIVE = RowText(
    [FULL, FULL],
    [("map", np.multiply, (0, 1)), ("sum", None, (2,)), ("map", _less_its_part, (2, 3, 1))],
    [4],
)


def _softmax_derivative(t: Any, out: Any, axis: int) -> Any:
    if _SOFTMAX_DERIVATIVE.takes(t, axis) and out.__class__ is np.ndarray and (found := _SOFTMAX_DERIVATIVE(t, out)):
        return found[0]
    weighted = t * out
    return weighted - reduce_sum(weighted, axis=axis, keepdims=True) * out


softmax.vjp("logits")(_softmax_derivative)
softmax.jvp("logits")(_softmax_derivative)


def _less_the_log(x: Array, largest: Array, total: Array) -> Any:
    return (x - largest) - np.log(total)


_LOG_SOFTMAX = RowText(
    [FULL], [("max", None, (0,)), ("map", _power, (0, 1)), ("sum", None, (2,)), ("map", _less_the_log, (0, 1, 3))], [4]
)


def _log_softmax(logits: Array, axis: int) -> Array:
    refuse_axis_of_scalar(logits, axis)
    if not logits.size:
        return logits
    if _LOG_SOFTMAX.takes(logits, axis) and (found := _LOG_SOFTMAX(logits)):
        return found[0]
    shifted: Array = logits - logits.max(axis=axis, keepdims=True)
    shifted -= np.log(np.exp(shifted).sum(axis=axis, keepdims=True))
    return shifted


@op(eager=in_float32(_log_softmax), dtypes=FLOATING, shape=along)
def log_softmax(xp: Namespace, logits: Array, *, axis: int = -1) -> Any:
    """log(softmax(x)), without overflow."""
    shifted = logits - xp.max(logits, axis=axis, keepdims=True)
    return shifted - xp.log(xp.sum(xp.exp(shifted), axis=axis, keepdims=True))


def _less_its_share(g: Array, out: Array, total: Array) -> Any:
    return g - np.exp(out) * total


_LOG_SOFTMAX_DERIVATIVE = RowText([FULL, FULL], [("sum", None, (0,)), ("map", _less_its_share, (0, 1, 2))], [3])


@log_softmax.vjp("logits")
def _(g: Any, out: Any, axis: int) -> Any:
    text = _LOG_SOFTMAX_DERIVATIVE
    if text.takes(g, axis) and out.__class__ is np.ndarray and (found := text(g, out)):
        return found[0]
    return g - exp(out) * reduce_sum(g, axis=axis, keepdims=True)


@log_softmax.jvp("logits")
def _(t: Tangent, out: Value, axis: int) -> Any:
    return t - reduce_sum(exp(out) * t, axis=axis, keepdims=True)


for _op in (softmax, log_softmax):
    _op.batching = batch_over_axis
    _op.check = explain_axis(_op.name)

    @_op.samples
    def _(draw: Draw) -> Iterator[Sample]:
        for shape, axis in [
            ((4,), -1), ((4,), 0), ((2, 3), -1), ((2, 3), 0), ((2, 3, 4), 1), ((2, 3, 4), -2),
            ((1,), 0), ((3, 1), -1), ((0, 3), -1), ((5, 2), 1),
            ((1, 1, 1), 2), ((2, 2), -2),
        ]:  # fmt: skip
            yield Sample((draw(shape),), {"axis": axis})

    @_op.rejects
    def _() -> Iterator[BadInput]:
        for axis in [2, -3, 9, 2**40, -(2**40), 3, 100, -7]:
            yield BadInput("the axis must exist", (np.ones((2, 3), np.float32),), {"axis": axis})
        yield BadInput("integers have no softmax", (np.ones((2, 3), np.int32),))
        yield BadInput("truth values have no softmax", (np.ones((2, 3), bool),))


# --- cross entropies ----------------------------------------------------------------------------------------


def _sparse_cross_entropy(logits: Array, labels: Array) -> tuple[Array, Array]:
    if logits.ndim != 2 or labels.shape != logits.shape[:1]:
        raise invalid(
            "sparse_softmax_cross_entropy_with_logits: logits must have one axis more than labels and the "
            "same leading sizes, "
            f"got logits {logits.shape} and labels {labels.shape}."
        )
    classes = logits.shape[1]
    if labels.size and (labels.min() < 0 or labels.max() >= classes):
        bad = labels[(labels < 0) | (labels >= classes)].flat[0]
        raise invalid(
            f"Received a label value of {bad} which is outside the valid range of [0, {classes}). Labels "
            "are class numbers that "
            "start at 0."
        )
    wide = logits.astype(np.float32) if logits.dtype in NARROW_FLOATS else logits
    if _PROBABILITIES.takes(wide) and (found := _PROBABILITIES(wide)):
        gradient, largest, total = found
        chosen = np.arange(len(labels)), labels
        loss = np.log(total) - (wide[chosen] - largest)
        gradient[chosen] -= 1
        return loss.astype(logits.dtype, copy=False), gradient.astype(logits.dtype, copy=False)
    log_probabilities = _log_softmax(wide, -1)
    loss = -log_probabilities[np.arange(len(labels)), labels]
    gradient = np.exp(log_probabilities)
    gradient[np.arange(len(labels)), labels] -= 1
    return loss.astype(logits.dtype), gradient.astype(logits.dtype)


@op(
    eager=_sparse_cross_entropy,
    dtypes=FLOATING,
    other={"labels": INTEGER},
    outputs=2,
    tf_name="SparseSoftmaxCrossEntropyWithLogits",
    called="sparse_softmax_cross_entropy_with_logits",
)
def sparse_cross_entropy(xp: Namespace, logits: Array, labels: Array) -> Any:
    """For rows of logits and class numbers: the loss of each row, and its derivative in the logits."""
    shifted = logits - xp.max(logits, axis=-1, keepdims=True)
    log_probabilities = shifted - xp.log(xp.sum(xp.exp(shifted), axis=-1, keepdims=True))
    hot = (labels[:, None] == xp.arange(logits.shape[1])).astype(logits.dtype)
    return -xp.sum(log_probabilities * hot, axis=-1), xp.exp(log_probabilities) - hot


@sparse_cross_entropy.shapes
def _(logits: Abstract, labels: Abstract) -> list[Shape]:
    rows, classes = logits.of_rank(2)
    rows = matched(rows, labels.of_rank(1)[0], "rows of logits and labels,")
    return [(rows,), (rows, classes)]


def _through_probabilities(t: Any, logits: Any) -> Any:
    """t times the derivative of softmax(logits), which is symmetric."""
    return _softmax_derivative(t, softmax(logits, axis=-1), -1)


@sparse_cross_entropy.vjp("logits")
def _(g: Sequence[Cotangent], logits: Value, out: Sequence[Value]) -> Any:
    loss, gradient = g
    result = out[1] * expand_dims(loss, axis=-1)
    if _is_zero(gradient):
        return result
    return result + _through_probabilities(gradient, logits)


def _is_zero(value: Value) -> bool:
    """Whether a cotangent is known to stay zero, as the second output's is in a first derivative that nobody records."""
    return isinstance(value, np.ndarray) and not value.any()


@sparse_cross_entropy.jvp("logits")
def _(t: Tangent, logits: Value, out: Sequence[Value]) -> Any:
    return [reduce_sum(t * out[1], axis=-1, keepdims=False), _through_probabilities(t, logits)]


@sparse_cross_entropy.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    size, (logits, labels) = all_batched(is_batched, args)
    _, rows, classes = shape_of(logits)
    loss, gradient = sparse_cross_entropy(
        reshape(logits, shape=(size * rows, classes)), reshape(labels, shape=(size * rows,))
    )
    return [reshape(loss, shape=(size, rows)), reshape(gradient, shape=(size, rows, classes))]


@sparse_cross_entropy.samples
def _(draw: Draw) -> Iterator[Sample]:
    for rows, classes in [
        (1, 1),
        (1, 3),
        (2, 3),
        (4, 2),
        (3, 5),
        (0, 3),
        (5, 1),
        (2, 2),
        (6, 4),
        (3, 3),
        (1, 7),
        (8, 2),
    ]:
        yield Sample((draw((rows, classes)), np.arange(rows, dtype=np.int32) % classes))


@sparse_cross_entropy.rejects
def _() -> Iterator[BadInput]:
    logits = np.ones((2, 3), np.float32)
    for labels in [[0, 3], [-1, 0], [0], [0, 1, 2], [[0, 1]], 0, [2**31 - 1, 0], [5, 5], []]:
        yield BadInput("labels are class numbers, one a row", (logits, np.array(labels, np.int32)))
    yield BadInput("labels are integers", (logits, np.array([0.0, 1.0], np.float32)))
    yield BadInput("logits have two axes here", (logits[0], np.array(0, np.int32)))


def _cross_entropy(logits: Array, labels: Array) -> Array:
    if not logits.ndim:
        raise ValueError("no class axis")
    if not logits.size:
        return np.zeros(np.broadcast_shapes(logits.shape, labels.shape)[:-1], logits.dtype)
    wide = logits.astype(np.float32) if logits.dtype in NARROW_FLOATS else logits
    return as_array(-(_log_softmax(wide, -1) * labels.astype(wide.dtype)).sum(axis=-1)).astype(logits.dtype)


@op(
    eager=_cross_entropy,
    dtypes=FLOATING,
    tf_name="SoftmaxCrossEntropyWithLogits",
    called="softmax_cross_entropy_with_logits",
)
def cross_entropy(xp: Namespace, logits: Array, labels: Array) -> Any:
    """For logits and class probabilities along the last axis: the cross entropy."""
    shifted = logits - xp.max(logits, axis=-1, keepdims=True)
    return -xp.sum((shifted - xp.log(xp.sum(xp.exp(shifted), axis=-1, keepdims=True))) * labels, axis=-1)


@cross_entropy.shapes
def _(logits: Abstract, labels: Abstract) -> Shape:
    shape = broadcast_sizes(logits.shape, labels.shape)
    if not shape:
        raise ValueError("no class axis")
    return shape[:-1]


@cross_entropy.vjp("logits")
def _(g: Cotangent, logits: Value, labels: Value) -> Any:
    total = reduce_sum(labels, axis=-1, keepdims=True)
    result = (softmax(logits, axis=-1) * total - labels) * expand_dims(g, axis=-1)
    return sum_to_shape(result, shape=shape_of(logits))


@cross_entropy.vjp("labels")
def _(g: Cotangent, logits: Value, labels_shape: tuple[int, ...]) -> Any:
    return sum_to_shape(-log_softmax(logits, axis=-1) * expand_dims(g, axis=-1), shape=labels_shape)


@cross_entropy.jvp("logits")
def _(t: Tangent, logits: Value, labels: Value) -> Any:
    total = reduce_sum(labels, axis=-1, keepdims=True)
    return reduce_sum(t * (softmax(logits, axis=-1) * total - labels), axis=-1, keepdims=False)


@cross_entropy.jvp("labels")
def _(t: Tangent, logits: Value) -> Any:
    return -reduce_sum(t * log_softmax(logits, axis=-1), axis=-1, keepdims=False)


@cross_entropy.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    _, (logits, labels) = all_batched(is_batched, args)
    return cross_entropy(logits, labels)


@cross_entropy.checks
def _(logits: Array, labels: Array) -> None:
    raise invalid(
        "softmax_cross_entropy_with_logits: logits and labels must be broadcastable, got logits "
        f"{logits.shape} and labels "
        f"{labels.shape}."
    )


@cross_entropy.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in [
        (3,),
        (2, 3),
        (4, 2),
        (1, 1),
        (0, 3),
        (2, 3, 4),
        (1, 5),
        (5, 1),
        (2, 2, 2),
        (3, 4),
        (6, 2),
        (1,),
    ]:
        yield Sample((draw(shape), draw(shape, 0.1, 1.0)))


@cross_entropy.rejects
def _() -> Iterator[BadInput]:
    for a, b in [
        ((2, 3), (2, 4)),
        ((2, 3), (3, 3)),
        ((3,), (4,)),
        ((2, 3), (2, 5)),
        ((4, 2), (2, 3)),
        ((2, 2), (3, 2)),
    ]:
        yield BadInput("the shapes must fit", (np.ones(a, np.float32), np.ones(b, np.float32)))
    yield BadInput("types never mix", (np.ones((2, 3), np.float32), np.ones((2, 3), np.float64)))
    yield BadInput("a class axis is needed", (np.float32(1), np.float32(1)))
    yield BadInput("logits are floats", (np.ones((2, 3), np.int32), np.ones((2, 3), np.int32)))
    yield BadInput("labels are probabilities", (np.ones((2, 3), np.float32), np.ones((2, 3), bool)))
