"""Losses of `tf.nn`: cross entropies, regularisation, averages over a batch."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import math
from ..api.arrays import convert_to_tensor, reshape, zeros_like
from ..api.layout import transpose
from ..api.shapes import shape
from ..base import dtypes
from ..base.errors import invalid
from ..base.traceable import trace_public
from ..base.types import AxisLike, IntLike, TensorLike
from ..distribute.strategy import get_strategy, has_strategy, in_cross_replica_context
from ..op.attributes import as_int
from ..ops.nn import activations as n
from ..ops.nn import isotonic
from ..ops.nn import losses as o
from ..values.tensor import EagerTensor, Tensor, to_tensor


def softmax_cross_entropy_with_logits(labels: Any, logits: Any, axis: int = -1, name: str | None = None) -> Tensor:
    """The cross entropy between class probabilities and softmax(logits), one number for each row, without overflow.

    >>> import gradtape as tf
    >>> labels, logits = tf.constant([[1.0, 0.0]]), tf.constant([[2.0, 0.0]])
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(logits)
    ...     loss = tf.nn.softmax_cross_entropy_with_logits(labels, logits)
    >>> loss.numpy().round(4)
    array([0.1269], dtype=float32)

    The gradient is softmax(logits) - labels:

    >>> tape.gradient(loss, logits).numpy().round(4)
    array([[-0.1192,  0.1192]], dtype=float32)

    Args:
        labels: The true probabilities of the classes: each row should add up to 1. Gradients flow to them too.
        logits: Scores for each class, of the same shape.
        axis: The axis of the classes.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        One loss for each row: the shape of `logits` without `axis`.

    Raises:
        tf.errors.InvalidArgumentError: The shapes do not fit, or the axis does not exist.
    """
    logits = to_tensor(logits)
    labels = to_tensor(labels)
    if labels.dtype is not logits.dtype:
        labels = math.cast(labels, logits.dtype)
    if not logits.ndim:
        raise invalid("softmax_cross_entropy_with_logits: logits need a class axis, got a scalar.")
    if not labels.ndim or (labels.ndim > logits.ndim and labels.shape[0] != 1):
        raise invalid(
            "softmax_cross_entropy_with_logits: labels need a class axis, and no more rows than the logits, got shapes "
            f"{labels.shape} and {logits.shape}."
        )
    where_ = as_int(axis)
    if not -logits.ndim <= where_ < logits.ndim:
        raise invalid(
            f"softmax_cross_entropy_with_logits: axis {where_} does not exist in logits of shape {logits.shape}."
        )
    if where_ not in (-1, logits.ndim - 1):
        order = [a for a in range(logits.ndim) if a != where_ % logits.ndim] + [where_ % logits.ndim]
        logits, labels = transpose(logits, order), transpose(labels, order)
    return n.cross_entropy.public(logits, labels)


def sparse_softmax_cross_entropy_with_logits(labels: Any, logits: Any, name: str | None = None) -> Tensor:
    """The cross entropy between class numbers and softmax(logits), one number for each row.

    >>> import gradtape as tf
    >>> tf.nn.sparse_softmax_cross_entropy_with_logits([0, 1], [[1.0, 2.0], [3.0, 4.0]]).numpy()
    array([1.3132616 , 0.31326166], dtype=float32)

    Args:
        labels: The true classes: integers.
        logits: Scores for each class, in the last axis.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        One loss for each label.

    Raises:
        ValueError: The shapes do not fit.
    """
    logits, labels = to_tensor(logits), to_tensor(labels)
    if not logits.ndim:
        raise ValueError(f"`logits` cannot be a scalar. Received logits={logits}`")
    if labels.ndim != logits.ndim - 1:
        raise ValueError(
            "`labels.shape.rank` must equal `logits.shape.rank - 1`. Received: "
            f"labels.shape={labels.shape} of rank {labels.ndim} and "
            f"logits.shape={logits.shape} of rank {logits.ndim}"
        )
    if tuple(labels.shape) != tuple(logits.shape)[:-1]:
        raise ValueError(
            "`labels.shape` must equal `logits.shape` except for the last dimension. Received: "
            f"labels.shape={labels.shape} and "
            f"logits.shape={logits.shape}"
        )
    if logits.ndim == 2:
        return n.sparse_cross_entropy.public(logits, labels)[0]
    rows = reshape(logits, (int(np.prod(labels.shape, dtype=np.int64)), logits.shape[-1]))
    loss, _ = n.sparse_cross_entropy.public(rows, reshape(labels, (-1,)))
    return reshape(loss, tuple(labels.shape))


def _pair(labels: Any, logits: Any) -> tuple[Any, Any]:
    logits = to_tensor(logits)
    labels = convert_to_tensor(labels, logits.dtype)
    if logits.shape != labels.shape:
        raise ValueError(
            f"`logits` and `labels` must have the same shape, received ({logits.shape} vs {labels.shape})."
        )
    return labels, logits


def sigmoid_cross_entropy_with_logits(
    labels: TensorLike | None = None, logits: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """The cross entropy between probabilities and sigmoid(logits), element by element, without overflow.

    >>> import gradtape as tf
    >>> tf.nn.sigmoid_cross_entropy_with_logits(labels=[1.0, 0.0], logits=[0.0, 0.0]).numpy()
    array([0.6931472, 0.6931472], dtype=float32)

    Args:
        labels: Numbers from 0 to 1.
        logits: Scores of the same shape and type.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        One loss for each element.

    Raises:
        ValueError: The shapes differ.
    """
    if labels is None or logits is None:
        raise ValueError(
            "Both `labels` and `logits` must be provided for sigmoid_cross_entropy_with_logits. Received: "
            f"labels={labels} and logits={logits}"
        )
    labels, logits = _pair(labels, logits)
    return o.sigmoid_cross_entropy.public(logits, labels)


def weighted_cross_entropy_with_logits(
    labels: TensorLike, logits: Any, pos_weight: TensorLike, name: str | None = None
) -> Tensor:
    """The sigmoid cross entropy with positive examples weighted by `pos_weight`, element by element.

    >>> import gradtape as tf
    >>> labels, logits = [1.0, 0.0], tf.constant([0.0, 0.0])
    >>> tf.nn.weighted_cross_entropy_with_logits(labels, logits, pos_weight=3.0).numpy()
    array([2.0794415, 0.6931472], dtype=float32)

    Args:
        labels: Numbers from 0 to 1.
        logits: Scores of the same shape.
        pos_weight: How much a positive example counts: above 1 fewer of them are missed, below 1 fewer are found where
            there are none.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        One loss for each element.

    Raises:
        ValueError: The shapes differ.
    """
    labels, logits = _pair(labels, logits)
    return o.weighted_cross_entropy.public(logits, labels, convert_to_tensor(pos_weight, logits.dtype))


def l2_loss(t: TensorLike, name: str | None = None) -> Tensor:
    """Half the sum of squares.

    >>> import gradtape as tf
    >>> tf.nn.l2_loss([3.0, 4.0]).numpy()
    np.float32(12.5)

    Args:
        t: A tensor of floating numbers.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A number.
    """
    return o.l2_loss.public(t)


def log_poisson_loss(targets: Any, log_input: Any, compute_full_loss: bool = False, name: str | None = None) -> Tensor:
    """The negative log likelihood of counts under Poisson distributions, from their log rates: exp(x) - x * target.

    >>> import gradtape as tf
    >>> tf.nn.log_poisson_loss([1.0, 3.0], [0.0, 1.0]).numpy().round(4)
    array([ 1.    , -0.2817], dtype=float32)

    Args:
        targets: The counts that were seen: non-negative numbers.
        log_input: The logarithms of the expected counts, in the same shape.
        compute_full_loss: Whether Stirling's approximation of log(target!) is added, for targets above 1. It does not
            depend on `log_input`.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        One loss for each element.

    Raises:
        ValueError: The shapes differ.
    """
    log_input = to_tensor(log_input)
    targets = convert_to_tensor(targets, log_input.dtype)
    if log_input.shape != targets.shape:
        raise ValueError(
            f"`log_input` and `targets` must have the same shape, received ({log_input.shape} vs {targets.shape})."
        )
    if log_input.dtype.is_complex and not compute_full_loss:
        return math.exp(log_input) - log_input * targets
    return o.log_poisson.public(log_input, targets, bool(compute_full_loss))


def isotonic_regression(
    inputs: TensorLike, decreasing: bool = True, axis: AxisLike = -1, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The nearest sequence along an axis that never increases (or never decreases), and the level each element is on.

    >>> import gradtape as tf
    >>> found, levels = tf.nn.isotonic_regression(tf.constant([[3.0, 1.0, 2.0]]))
    >>> found.numpy(), levels.numpy()
    (array([[3. , 1.5, 1.5]], dtype=float32), array([[0, 1, 1]], dtype=int32))

    Args:
        inputs: Sequences along `axis`.
        decreasing: False for sequences that never decrease.
        axis: The axis.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The sequences, and for each element the number of the level (a run of equal elements) it belongs to.

    Raises:
        tf.errors.InvalidArgumentError: The axis does not exist.
    """
    x = to_tensor(inputs)
    x = x if x.dtype.is_floating else math.cast(x, dtypes.float64 if x.dtype in _WIDE else dtypes.float32)
    if not x.ndim:
        return math.add(x, 0.0), zeros_like(x, dtypes.int32)
    if not -x.ndim <= as_int(axis) < x.ndim:
        raise invalid(f"isotonic_regression: axis {axis} does not exist in a tensor of shape {x.shape}.")
    last = as_int(axis) % max(x.ndim, 1) == x.ndim - 1
    order = [p for p in range(x.ndim) if p != as_int(axis) % max(x.ndim, 1)] + [as_int(axis) % max(x.ndim, 1)]
    lines = x if last else transpose(x, order)
    found, levels = isotonic.isotonic_regression.public(lines if decreasing else -lines)
    found = found if decreasing else -found
    if last:
        return found, levels
    back = sorted(range(x.ndim), key=order.__getitem__)
    return transpose(found, back), transpose(levels, back)


_WIDE = (dtypes.int32, dtypes.int64, dtypes.uint32, dtypes.uint64)


def compute_average_loss(
    per_example_loss: object, sample_weight: TensorLike | None = None, global_batch_size: IntLike | None = None
) -> Tensor:
    """The sum of the losses of all examples, divided by the global batch size.

    >>> import gradtape as tf
    >>> tf.nn.compute_average_loss([1.0, 3.0], sample_weight=[1.0, 0.5], global_batch_size=4).numpy()
    np.float32(0.625)

    With several replicas each adds its own examples, and the sum over replicas is the mean over the whole batch.

    Args:
        per_example_loss: One loss for each example.
        sample_weight: How much each example counts.
        global_batch_size: How many examples all replicas have together. By default as many as there are losses, for each replica.

    Returns:
        A number.

    Raises:
        ValueError: The losses are a scalar, or the batch size is not.
        TypeError: The batch size is not an integer.
        RuntimeError: It is called without a batch size in the scope of a strategy, outside of `run`.
    """
    losses = to_tensor(per_example_loss)
    if losses.shape.rank == 0:
        raise ValueError(
            "Invalid value passed for `per_example_loss`. Expected a tensor with at least rank 1. "
            "Received per_example_loss="
            f"{per_example_loss} with rank 0"
        )
    kind = losses.dtype
    if sample_weight is not None:
        losses = losses * math.cast(sample_weight, kind)
    if global_batch_size is None:
        count = shape(losses)[0] * _replicas("compute_average_loss")
    else:
        count = to_tensor(global_batch_size)
    if not count.dtype.is_integer:
        raise TypeError(f"`global_batch_size` must be an int scalar, got {global_batch_size!r}.")
    if count.shape.rank:
        raise ValueError(f"`global_batch_size` must be scalar, got shape {count.shape}.")
    if isinstance(count, EagerTensor) and count._array < 0:
        raise invalid(f"global_batch_size must be non-negative, got {global_batch_size!r}.")
    if not kind.is_floating:
        losses = math.cast(losses, dtypes.float64)
    return math.reduce_sum(losses) / math.cast(count, losses.dtype)


def scale_regularization_loss(regularization_loss: TensorLike) -> Tensor:
    """The sum of the loss, divided by the number of replicas, so that replicas add it once together.

    >>> import gradtape as tf
    >>> tf.nn.scale_regularization_loss([0.25, 0.5]).numpy()
    np.float32(0.75)

    Args:
        regularization_loss: A loss that does not depend on the batch.

    Returns:
        A number.

    Raises:
        RuntimeError: It is called in the scope of a strategy, outside of `run`.
    """
    total = math.reduce_sum(regularization_loss)
    if not total.dtype.is_floating:
        total = math.cast(total, dtypes.float64)
    return total / _replicas("scale_regularization_loss")


def _replicas(name: str) -> int:
    """How many replicas call a function of that name."""
    if has_strategy() and in_cross_replica_context():
        raise RuntimeError(
            f"You are calling `{name}` in cross replica context, while it was expected to be called in replica context. Call "
            "it in the function given to strategy.run."
        )
    return get_strategy().num_replicas_in_sync


# (Those that ask how many replicas there are ask while a function is traced: their parts are steps.)
trace_public(globals(), skip=("compute_average_loss", "scale_regularization_loss"))
