"""`tf.nn`: activations, losses, normalisation."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import dtypes, math
from .arrays import convert_to_tensor, gather, reshape, shape, transpose
from .blocks import depth_to_space as depth_to_space
from .blocks import space_to_batch as space_to_batch
from .blocks import space_to_depth as space_to_depth
from .clip import clip_by_norm
from .errors import invalid
from .op import as_int
from .ops import nn as n
from .tensor import to_tensor

relu = n.relu.public
relu6 = n.relu6.public
elu = n.elu.public
selu = n.selu.public
softsign = n.softsign.public
softplus = math.softplus
sigmoid = math.sigmoid
tanh = math.tanh
l2_normalize = math.l2_normalize
zero_fraction = math.zero_fraction


def leaky_relu(features: Any, alpha: float = 0.2, name: str | None = None) -> Any:
    """x where it is positive, alpha * x elsewhere."""
    x = to_tensor(features)
    if x.dtype.is_integer:
        x = math.cast(x, dtypes.float32)
    return n.scaled_relu.public(x, float(alpha))


def silu(features: Any, beta: Any = 1.0, name: str | None = None) -> Any:
    """x * sigmoid(beta * x), also known as swish."""
    x = to_tensor(features)
    return x * sigmoid(beta * x)


swish = silu


def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Any:
    """x times the normal distribution function of x, exact or by the tanh formula."""
    x = to_tensor(features)
    if not x.dtype.is_floating:
        raise ValueError(f"`features.dtype` must be a floating point tensor. Received: {x.dtype!r}.")
    if approximate:
        return 0.5 * x * (1.0 + tanh(0.7978845608028654 * (x + 0.044715 * math.pow(x, 3))))
    return 0.5 * x * (1.0 + math.erf(x * 0.7071067811865476))


def softmax(logits: Any, axis: Any = None, name: str | None = None) -> Any:
    """exp(x) / sum(exp(x)) along an axis, the last by default."""
    return n.softmax.public(logits, -1 if axis is None else as_int(axis))


def log_softmax(logits: Any, axis: Any = None, name: str | None = None) -> Any:
    """log(softmax(x)) along an axis, the last by default."""
    return n.log_softmax.public(logits, -1 if axis is None else as_int(axis))


def softmax_cross_entropy_with_logits(labels: Any, logits: Any, axis: int = -1, name: str | None = None) -> Any:
    """The cross entropy between class probabilities and softmax(logits), one number for each row."""
    logits = to_tensor(logits)
    labels = convert_to_tensor(labels, logits.dtype)
    if not logits.ndim:
        raise invalid("softmax_cross_entropy_with_logits: logits need a class axis, got a scalar.")
    where = as_int(axis)
    if where not in (-1, logits.ndim - 1):
        order = [a for a in range(logits.ndim) if a != where % logits.ndim] + [where % logits.ndim]
        logits, labels = transpose(logits, order), transpose(labels, order)
    return n.cross_entropy.public(logits, labels)


def sparse_softmax_cross_entropy_with_logits(labels: Any, logits: Any, name: str | None = None) -> Any:
    """The cross entropy between class numbers and softmax(logits), one number for each row."""
    logits, labels = to_tensor(logits), to_tensor(labels)
    if not logits.ndim or tuple(labels.shape) != tuple(logits.shape)[:-1]:
        raise invalid(
            f"sparse_softmax_cross_entropy_with_logits: logits {logits.shape} must have the shape of labels {labels.shape} and one "
            "class axis more."
        )
    rows = reshape(logits, (-1, logits.shape[-1]) if logits.shape[-1] else (int(np.prod(labels.shape)), 0))
    loss, _ = n.sparse_cross_entropy.public(rows, reshape(labels, (-1,)))
    return reshape(loss, tuple(labels.shape))


def sigmoid_cross_entropy_with_logits(labels: Any = None, logits: Any = None, name: str | None = None) -> Any:
    """The cross entropy between probabilities and sigmoid(logits), element by element, without overflow."""
    logits = to_tensor(logits)
    labels = convert_to_tensor(labels, logits.dtype)
    if logits.shape != labels.shape:
        raise ValueError(f"`logits` and `labels` must have the same shape, received ({logits.shape} vs {labels.shape}).")
    # max(x, 0) - x * z + log(1 + exp(-|x|)), whose derivative is sigmoid(x) - z also at x = 0
    return softplus(logits) - logits * labels


def weighted_cross_entropy_with_logits(labels: Any, logits: Any, pos_weight: Any, name: str | None = None) -> Any:
    """The sigmoid cross entropy with positive examples weighted by `pos_weight`."""
    logits = to_tensor(logits)
    labels = convert_to_tensor(labels, logits.dtype)
    if logits.shape != labels.shape:
        raise ValueError(f"`logits` and `labels` must have the same shape, received ({logits.shape} vs {labels.shape}).")
    weight = 1.0 + (pos_weight - 1.0) * labels
    return (1.0 - labels) * logits + weight * softplus(-logits)


def l2_loss(t: Any, name: str | None = None) -> Any:
    """Half the sum of squares."""
    return math.reduce_sum(math.square(t)) * 0.5


def bias_add(value: Any, bias: Any, data_format: str | None = None, name: str | None = None) -> Any:
    """A vector added along the channel axis: the last, or the second for "NC..." formats."""
    x = to_tensor(value)
    b = to_tensor(bias, x.dtype)
    if b.ndim != 1:
        raise invalid(f"bias_add: the bias must have one axis, got shape {b.shape}.")
    if data_format is not None and not data_format.startswith("N"):
        raise ValueError(f"data_format must be of the form `N...C` or `NC...`, got {data_format!r}.")
    channels_first = data_format is not None and data_format.startswith("NC") and len(data_format) > 2
    axis = 1 if channels_first else x.ndim - 1
    if x.ndim < 2 or x.shape[axis] != b.shape[0]:
        raise invalid(f"bias_add: a bias of size {b.shape[0]} does not fit axis {axis} of shape {x.shape}.")
    if channels_first:
        b = reshape(b, (b.shape[0], *(1,) * (x.ndim - 2)))
    return x + b


def embedding_lookup(params: Any, ids: Any, max_norm: Any = None, name: str | None = None) -> Any:
    """The rows of `params` at `ids`; with `max_norm`, rows longer than that are scaled down."""
    rows = gather(params, ids)
    if max_norm is None:
        return rows
    axes = list(range(to_tensor(ids).ndim, rows.ndim))
    return clip_by_norm(rows, max_norm, axes)


def moments(x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None) -> tuple[Any, Any]:
    """Mean and variance over some axes."""
    x = to_tensor(x)
    narrow = x.dtype is dtypes.float16
    y = math.cast(x, dtypes.float32) if narrow else x
    mean = math.reduce_mean(y, axes, True)
    variance = math.reduce_mean(math.squared_difference(y, mean), axes, keepdims)
    mean = mean if keepdims else math.reduce_sum(mean, axes, False)
    return (math.cast(mean, x.dtype), math.cast(variance, x.dtype)) if narrow else (mean, variance)


def scale_regularization_loss(regularization_loss: Any) -> Any:
    """The sum of the loss, divided by the number of replicas (one)."""
    return math.reduce_sum(regularization_loss)


def compute_average_loss(
    per_example_loss: Any, sample_weight: Any = None, global_batch_size: Any = None
) -> Any:
    """The sum of the losses of all examples, divided by the global batch size."""
    losses = to_tensor(per_example_loss)
    if sample_weight is not None:
        losses = losses * math.cast(sample_weight, losses.dtype)
    count = shape(losses)[0] if global_batch_size is None else to_tensor(global_batch_size)
    if not count.dtype.is_integer:
        raise TypeError(f"`global_batch_size` must be an int scalar, got {global_batch_size!r}.")
    return math.reduce_sum(losses) / math.cast(count, losses.dtype)
