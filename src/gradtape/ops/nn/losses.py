"""Losses in one op each: half the sum of squares (l2_loss), sigmoid cross entropies, plain and weighted, and the Poisson loss.

Softmax cross entropies stand with softmax, in activations.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.dtypes import FLOATING, Array
from ...base.types import Cotangent, Draw, Namespace, Tangent, Value
from ...op.declaration import Op, Sample, op
from ...op.family import UNARY_SHAPES, elementwise, in_float32, one_pass, rank_of, reject_operands, sample_binary
from ...op.shapes import fixed
from ..math.elementwise import exp, log, sigmoid, softplus, square
from ..math.logic import greater_equal, less_equal, logical_and, select, zeros_like
from ..math.reduce import reduce_sum


@in_float32
def _l2_loss(t: Array) -> Any:
    flat = np.ascontiguousarray(t).reshape(-1)
    return t.dtype.type(0.5) * np.dot(flat, flat)


@op(eager=_l2_loss, dtypes=FLOATING, tf_name="L2Loss", shape=fixed())
def l2_loss(xp: Namespace, t: Array) -> Any:
    """Half the sum of squares."""
    return 0.5 * xp.sum(t * t)


@l2_loss.vjp("t")
def _(g: Cotangent, t: Value) -> Any:
    return g * t


@l2_loss.jvp("t")
def _(d: Tangent, t: Value) -> Any:
    return reduce_sum(d * t, axis=None, keepdims=False)


@l2_loss.batched
def _(declared: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    (x,) = args
    return 0.5 * reduce_sum(square(x), axis=tuple(range(1, rank_of(x))), keepdims=False)


@l2_loss.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in UNARY_SHAPES:
        yield Sample((draw(shape),))


@l2_loss.value
def _(t: Array) -> Any:
    return np.linalg.norm(np.ravel(t)) ** 2 / 2


reject_operands(l2_loss)


@in_float32
@one_pass
def _logistic_error(logits: Array, labels: Array) -> Any:
    power = np.exp(-np.abs(logits))  # (at most 1, so that no product overflows, whatever the labels are)
    return np.where(logits > 0, (1 - labels) - labels * power, (1 - labels) * power - labels) / (1 + power)


@elementwise(eager=_logistic_error, dtypes=FLOATING)
def logistic_error(xp: Namespace, logits: Array, labels: Array) -> Any:
    """sigmoid(logits) - labels, with all digits where the sigmoid is almost 0 or 1 and the label is 0 or 1."""
    return (1 - labels) / (1 + xp.exp(-logits)) - labels / (1 + xp.exp(logits))


@logistic_error.derivative("logits")
def _(t: Value, logits: Value) -> Any:
    return t * (sigmoid(logits) * sigmoid(-logits))


@logistic_error.derivative("labels")
def _(t: Value) -> Any:
    return -t


sample_binary(logistic_error, second=(0.0, 1.0))


@logistic_error.value
def _(logits: Array, labels: Array) -> Any:
    return 0.5 * np.tanh(0.5 * logits) + 0.5 - labels


@in_float32
@one_pass
def _sigmoid_cross_entropy(logits: Array, labels: Array) -> Any:
    # (1 - labels) softplus(logits) + labels softplus(-logits): nothing cancels.
    return np.where(logits > 0, (1 - labels) * logits, -labels * logits) + np.log1p(np.exp(-np.abs(logits)))


@elementwise(eager=_sigmoid_cross_entropy, dtypes=FLOATING, called="sigmoid_cross_entropy_with_logits")
def sigmoid_cross_entropy(xp: Namespace, logits: Array, labels: Array) -> Any:
    """The cross entropy between probabilities and sigmoid(logits), without overflow."""
    return xp.logaddexp(logits, 0.0) - logits * labels


@sigmoid_cross_entropy.derivative("logits")
def _(t: Value, logits: Value, labels: Value) -> Any:
    return t * logistic_error(logits, labels)


@sigmoid_cross_entropy.derivative("labels")
def _(t: Value, logits: Value) -> Any:
    return -t * logits


sample_binary(sigmoid_cross_entropy, second=(0.0, 1.0))


@sigmoid_cross_entropy.value
def _(logits: Array, labels: Array) -> Any:
    p = 1 / (1 + np.exp(-logits))
    return -labels * np.log(p) - (1 - labels) * np.log(1 - p)


# --- with weights for the positive class --------------------------------------------------------------------


@in_float32
@one_pass
def _weighted_cross_entropy(logits: Array, labels: Array, pos_weight: Array) -> Any:
    # Two terms of one sign: nothing cancels.
    rest = np.log1p(np.exp(-np.abs(logits)))
    positive = pos_weight * labels * (np.maximum(-logits, 0) + rest)
    return (1 - labels) * (np.maximum(logits, 0) + rest) + positive


@elementwise(eager=_weighted_cross_entropy, dtypes=FLOATING, called="weighted_cross_entropy_with_logits")
def weighted_cross_entropy(xp: Namespace, logits: Array, labels: Array, pos_weight: Array) -> Any:
    """The sigmoid cross entropy with positive examples weighted by `pos_weight`."""
    return (1 - labels) * xp.logaddexp(logits, 0.0) + pos_weight * labels * xp.logaddexp(-logits, 0.0)


@weighted_cross_entropy.derivative("logits")
def _(t: Value, logits: Value, labels: Value, pos_weight: Value) -> Any:
    return t * ((1.0 - labels) * sigmoid(logits) - pos_weight * labels * sigmoid(-logits))


@weighted_cross_entropy.derivative("labels")
def _(t: Value, logits: Value, pos_weight: Value) -> Any:
    # w softplus(-x) - softplus(x), with what both have in common taken out.
    right = greater_equal(logits, 0)
    rest = softplus(select(right, -logits, logits))
    return t * ((pos_weight - 1.0) * rest - select(right, logits, pos_weight * logits))


@weighted_cross_entropy.derivative("pos_weight")
def _(t: Value, logits: Value, labels: Value) -> Any:
    return t * (labels * softplus(-logits))


@weighted_cross_entropy.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in UNARY_SHAPES:
        yield Sample((draw(shape), draw(shape, 0.0, 1.0), draw((), 0.5, 3.0)))
    yield Sample((draw((2, 3)), draw((2, 3), 0.0, 1.0), draw((3,), 0.5, 3.0)))


@weighted_cross_entropy.value
def _(logits: Array, labels: Array, pos_weight: Array) -> Any:
    p = 1 / (1 + np.exp(-logits))
    return -pos_weight * labels * np.log(p) - (1 - labels) * np.log(1 - p)


# --- the Poisson loss ---------------------------------------------------------------------------------------


@in_float32
@one_pass
def _log_poisson(log_input: Array, targets: Array, full: bool = False) -> Any:
    loss = np.exp(log_input) - log_input * targets
    if full:
        with np.errstate(divide="ignore", invalid="ignore"):
            stirling = targets * np.log(targets) - targets + 0.5 * np.log(2 * np.pi * targets)
        loss = loss + np.where((targets >= 0) & (targets <= 1), 0, stirling).astype(loss.dtype)
    return loss


@elementwise(eager=_log_poisson, dtypes=FLOATING, called="log_poisson_loss")
def log_poisson(xp: Namespace, log_input: Array, targets: Array, *, full: bool = False) -> Any:
    """exp(x) - x * target; `full` adds Stirling's approximation of log(target!) for targets above 1."""
    loss = xp.exp(log_input) - log_input * targets
    if full:
        stirling = targets * xp.log(targets) - targets + 0.5 * xp.log(2 * xp.pi * targets)
        loss = loss + xp.where((targets >= 0) & (targets <= 1), 0, stirling)
    return loss


@log_poisson.derivative("log_input")
def _(t: Value, log_input: Value, targets: Value) -> Any:
    return t * (exp(log_input) - targets)


@log_poisson.derivative("targets")
def _(t: Value, log_input: Value, targets: Value, full: bool) -> Any:
    if not full:
        return -t * log_input
    small = logical_and(greater_equal(targets, 0.0), less_equal(targets, 1.0))
    slope = log(targets) + 0.5 / targets
    return t * (select(small, zeros_like(slope), slope) - log_input)


@log_poisson.samples
def _(draw: Draw) -> Iterator[Sample]:
    for number, shape in enumerate(UNARY_SHAPES):
        yield Sample((draw(shape), draw(shape, 0.1, 4.0, (1.0,))), {"full": number % 2 == 0})


@log_poisson.value
def _(log_input: Array, targets: Array, full: bool) -> Any:
    loss = np.exp(log_input) - log_input * targets
    extra = targets * np.log(targets) - targets + 0.5 * np.log(2 * np.pi * targets)
    return loss + np.where(targets > 1, extra, 0) if full else loss
