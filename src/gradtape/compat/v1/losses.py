"""`tf.compat.v1.losses`: losses with weights, each a mean over what has a weight unless told otherwise."""

from __future__ import annotations

from typing import Any

from ... import math, nn
from ...api.arrays import one_hot, ones_like, zeros_like
from ...api.indexing import where
from ...api.shapes import size as size_of
from ...base.namespaces import listing
from ...base.types import TensorLike
from ...values.tensor import to_tensor

__all__ = [
    "Reduction",
    "absolute_difference",
    "add_loss",
    "compute_weighted_loss",
    "cosine_distance",
    "get_losses",
    "get_regularization_loss",
    "get_regularization_losses",
    "get_total_loss",
    "hinge_loss",
    "huber_loss",
    "log_loss",
    "mean_pairwise_squared_error",
    "mean_squared_error",
    "sigmoid_cross_entropy",
    "softmax_cross_entropy",
    "sparse_softmax_cross_entropy",
]


class Reduction:
    """How losses become one number.

    >>> import gradtape as tf
    >>> tf.compat.v1.losses.Reduction.SUM
    'weighted_sum'
    """

    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """All of them.

        >>> import gradtape as tf
        >>> "weighted_mean" in tf.compat.v1.losses.Reduction.all()
        True

        Returns:
            A tuple of texts.
        """
        return (cls.NONE, cls.SUM, cls.MEAN, cls.SUM_OVER_BATCH_SIZE, cls.SUM_BY_NONZERO_WEIGHTS)

    @classmethod
    def validate(cls, key: str) -> None:
        """Check that it is one of them.

        >>> import gradtape as tf
        >>> tf.compat.v1.losses.Reduction.validate("weighted_sum")

        Args:
            key: A text.

        Raises:
            ValueError: It is none of them.
        """
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}.")


_MEAN = Reduction.SUM_BY_NONZERO_WEIGHTS


def compute_weighted_loss(
    losses: TensorLike,
    weights: TensorLike = 1.0,
    scope: object = None,
    loss_collection: object = None,
    reduction: str = _MEAN,
) -> Any:
    """Losses times weights, reduced as `reduction` says.

    >>> import gradtape as tf
    >>> float(tf.compat.v1.losses.compute_weighted_loss([1.0, 3.0], [1.0, 0.0]))
    1.0

    Args:
        losses: The losses.
        weights: A weight for each loss, broadcast to them; 0 leaves one out.
        scope: Ignored; accepted for compatibility with TensorFlow.
        loss_collection: Ignored; accepted for compatibility with TensorFlow.
        reduction: How the losses become one number: one of `Reduction`.

    Returns:
        One number; with `Reduction.NONE`, a tensor.
    """
    Reduction.validate(reduction)
    values = to_tensor(losses)
    if not values.dtype.is_floating:
        values = math.cast(values, "float32")
    factors = math.cast(to_tensor(weights), values.dtype)
    weighted = values * factors
    if reduction == Reduction.NONE:
        return weighted
    total = math.reduce_sum(weighted)
    if reduction == Reduction.SUM:
        return total
    everywhere = factors * ones_like(values)
    if reduction == Reduction.MEAN:
        count = math.reduce_sum(everywhere)
    elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
        count = math.cast(size_of(values), values.dtype)
    else:
        count = math.reduce_sum(math.cast(math.not_equal(everywhere, zeros_like(everywhere)), values.dtype))
    return math.divide_no_nan(total, count)


def _pair(labels: TensorLike, predictions: TensorLike) -> tuple[Any, Any]:
    second = to_tensor(predictions)
    first = math.cast(to_tensor(labels), second.dtype)
    if not first.shape.is_compatible_with(second.shape):
        raise ValueError(f"Shapes {second.shape} and {first.shape} are incompatible")
    return first, second


def absolute_difference(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    scope: object = None,
    loss_collection: object = None,
    reduction: str = _MEAN,
) -> Any:
    """The mean of absolute differences.

    >>> import gradtape as tf
    >>> float(tf.compat.v1.losses.absolute_difference([1.0, 2.0], [1.5, 4.0]))
    1.25

    Args:
        labels: What is to be predicted.
        predictions: What is predicted, of the same shape.
        weights: A weight for each loss, broadcast to them; 0 leaves one out.
        scope: Ignored; accepted for compatibility with TensorFlow.
        loss_collection: Ignored; accepted for compatibility with TensorFlow.
        reduction: How the losses become one number: one of `Reduction`.

    Returns:
        One number; with `Reduction.NONE`, a tensor.

    Raises:
        ValueError: The shapes differ.
    """
    first, second = _pair(labels, predictions)
    return compute_weighted_loss(math.abs(second - first), weights, reduction=reduction)


def mean_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    scope: object = None,
    loss_collection: object = None,
    reduction: str = _MEAN,
) -> Any:
    """The mean of squared differences.

    >>> import gradtape as tf
    >>> float(tf.compat.v1.losses.mean_squared_error([1.0, 2.0], [2.0, 4.0]))
    2.5

    Args:
        labels: What is to be predicted.
        predictions: What is predicted, of the same shape.
        weights: A weight for each loss, broadcast to them; 0 leaves one out.
        scope: Ignored; accepted for compatibility with TensorFlow.
        loss_collection: Ignored; accepted for compatibility with TensorFlow.
        reduction: How the losses become one number: one of `Reduction`.

    Returns:
        One number; with `Reduction.NONE`, a tensor.

    Raises:
        ValueError: The shapes differ.
    """
    first, second = _pair(labels, predictions)
    return compute_weighted_loss(math.squared_difference(second, first), weights, reduction=reduction)


def mean_pairwise_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    scope: object = None,
    loss_collection: object = None,
) -> Any:
    """Squared differences of errors, over all pairs of places of a row, by the number of pairs; times weights, summed over rows.

    With one weight for all, the places of all rows are counted, as TensorFlow does outside of graphs.

    >>> import gradtape as tf
    >>> float(tf.compat.v1.losses.mean_pairwise_squared_error([[0.0, 0.0]], [[1.0, 4.0]]))
    9.0

    Args:
        labels: What is to be predicted.
        predictions: What is predicted, of the same shape.
        weights: A weight for all, or for each row.
        scope: Ignored; accepted for compatibility with TensorFlow.
        loss_collection: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        One number.

    Raises:
        ValueError: The shapes differ, or the weights do not fit.
    """
    first, second = _pair(labels, predictions)
    errors = second - first
    factors = math.cast(to_tensor(weights), errors.dtype)
    if factors.shape.rank not in (0, errors.shape.rank):
        shapes = f"weights of shape {factors.shape}, values of shape {errors.shape}"
        raise ValueError(f"weights can not be broadcast to values: {shapes}.")
    inner = list(range(1, errors.shape.rank))
    present = math.cast(factors + zeros_like(errors) != 0, errors.dtype)
    count = math.reduce_sum(present, inner if factors.shape.rank else None, keepdims=True)
    # Over pairs i != j: sum (e_i - e_j)^2 / (n (n - 1)) = 2 / (n - 1) * (sum e^2 - (sum e)^2 / n).
    squares = math.reduce_sum(math.square(errors), inner, keepdims=True)
    spread = squares - math.divide_no_nan(math.square(math.reduce_sum(errors, inner, keepdims=True)), count)
    return math.reduce_sum(2 * math.divide_no_nan(spread, math.maximum(count - 1, zeros_like(count))) * factors)


def huber_loss(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    delta: float = 1.0,
    scope: object = None,
    loss_collection: object = None,
    reduction: str = _MEAN,
) -> Any:
    """Squared differences up to `delta`, beyond it absolute ones.

    >>> import gradtape as tf
    >>> float(tf.compat.v1.losses.huber_loss([0.0, 0.0], [1.0, 3.0]))
    1.5

    Args:
        labels: What is to be predicted.
        predictions: What is predicted, of the same shape.
        weights: A weight for each loss, broadcast to them; 0 leaves one out.
        delta: Where the square ends.
        scope: Ignored; accepted for compatibility with TensorFlow.
        loss_collection: Ignored; accepted for compatibility with TensorFlow.
        reduction: How the losses become one number: one of `Reduction`.

    Returns:
        One number; with `Reduction.NONE`, a tensor.

    Raises:
        ValueError: The shapes differ.
    """
    first, second = _pair(labels, predictions)
    error = math.abs(second - first)
    losses = where(error <= delta, 0.5 * error * error, delta * error - 0.5 * delta**2)
    return compute_weighted_loss(losses, weights, reduction=reduction)


def log_loss(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    epsilon: float = 1e-7,
    scope: object = None,
    loss_collection: object = None,
    reduction: str = _MEAN,
) -> Any:
    """The cross entropy of probabilities.

    >>> import gradtape as tf
    >>> round(float(tf.compat.v1.losses.log_loss([1.0, 0.0], [0.5, 0.5])), 4)
    0.6931

    Args:
        labels: 0 or 1, or chances.
        predictions: The probabilities of a 1.
        weights: A weight for each loss, broadcast to them; 0 leaves one out.
        epsilon: What is added, so that no logarithm is infinite.
        scope: Ignored; accepted for compatibility with TensorFlow.
        loss_collection: Ignored; accepted for compatibility with TensorFlow.
        reduction: How the losses become one number: one of `Reduction`.

    Returns:
        One number; with `Reduction.NONE`, a tensor.

    Raises:
        ValueError: The shapes differ.
    """
    first, second = _pair(labels, predictions)
    losses = -first * math.log(second + epsilon) - (1 - first) * math.log(1 - second + epsilon)
    return compute_weighted_loss(losses, weights, reduction=reduction)


def hinge_loss(
    labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    scope: object = None,
    loss_collection: object = None,
    reduction: str = _MEAN,
) -> Any:
    """The hinge loss; labels are 0 and 1.

    >>> import gradtape as tf
    >>> float(tf.compat.v1.losses.hinge_loss([1.0, 0.0], [0.5, -2.0]))
    0.25

    Args:
        labels: 0 and 1.
        logits: Numbers of the same shape, above 0 where a 1 is predicted.
        weights: A weight for each loss, broadcast to them; 0 leaves one out.
        scope: Ignored; accepted for compatibility with TensorFlow.
        loss_collection: Ignored; accepted for compatibility with TensorFlow.
        reduction: How the losses become one number: one of `Reduction`.

    Returns:
        One number; with `Reduction.NONE`, a tensor.

    Raises:
        ValueError: The shapes differ.
    """
    first, second = _pair(labels, logits)
    return compute_weighted_loss(nn.relu(1.0 - (2 * first - 1) * second), weights, reduction=reduction)


def cosine_distance(
    labels: TensorLike,
    predictions: TensorLike,
    axis: int | None = None,
    weights: TensorLike = 1.0,
    scope: object = None,
    loss_collection: object = None,
    reduction: str = _MEAN,
    dim: int | None = None,
) -> Any:
    """1 minus the product of vectors of unit length along the axis.

    >>> import gradtape as tf
    >>> float(tf.compat.v1.losses.cosine_distance([[1.0, 0.0]], [[0.0, 1.0]], axis=1))
    1.0

    Args:
        labels: Vectors of length 1.
        predictions: Vectors of length 1.
        axis: The axis of the vectors.
        weights: A weight for each loss, broadcast to them; 0 leaves one out.
        scope: Ignored; accepted for compatibility with TensorFlow.
        loss_collection: Ignored; accepted for compatibility with TensorFlow.
        reduction: How the losses become one number: one of `Reduction`.
        dim: The older name of `axis`.

    Returns:
        One number; with `Reduction.NONE`, a tensor.

    Raises:
        ValueError: There is no axis, or the shapes differ.
    """
    axis = dim if axis is None else axis
    if axis is None:
        raise ValueError("You must specify 'axis'.")
    first, second = _pair(labels, predictions)
    losses = 1 - math.reduce_sum(second * first, axis=axis, keepdims=True)
    return compute_weighted_loss(losses, weights, reduction=reduction)


def sigmoid_cross_entropy(
    multi_class_labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    label_smoothing: float = 0,
    scope: object = None,
    loss_collection: object = None,
    reduction: str = _MEAN,
) -> Any:
    """The cross entropy of independent classes.

    >>> import gradtape as tf
    >>> round(float(tf.compat.v1.losses.sigmoid_cross_entropy([[1.0, 0.0]], [[0.0, 0.0]])), 4)
    0.6931

    Args:
        multi_class_labels: For each class, 0 or 1, or a chance.
        logits: The logits, of the same shape.
        weights: A weight for each loss, broadcast to them; 0 leaves one out.
        label_smoothing: Above 0: how far labels are moved towards 1/2.
        scope: Ignored; accepted for compatibility with TensorFlow.
        loss_collection: Ignored; accepted for compatibility with TensorFlow.
        reduction: How the losses become one number: one of `Reduction`.

    Returns:
        One number; with `Reduction.NONE`, a tensor.

    Raises:
        ValueError: The shapes differ.
    """
    first, second = _pair(multi_class_labels, logits)
    first = first * (1 - label_smoothing) + 0.5 * label_smoothing if label_smoothing > 0 else first
    losses = nn.sigmoid_cross_entropy_with_logits(labels=first, logits=second)
    return compute_weighted_loss(losses, weights, reduction=reduction)


def softmax_cross_entropy(
    onehot_labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    label_smoothing: float = 0,
    scope: object = None,
    loss_collection: object = None,
    reduction: str = _MEAN,
) -> Any:
    """The cross entropy of classes that exclude each other.

    >>> import gradtape as tf
    >>> round(float(tf.compat.v1.losses.softmax_cross_entropy([[1.0, 0.0]], [[0.0, 0.0]])), 4)
    0.6931

    Args:
        onehot_labels: For each class, 0 or 1, or a chance.
        logits: The logits, of the same shape.
        weights: A weight for each loss, broadcast to them; 0 leaves one out.
        label_smoothing: Above 0: how far labels are moved towards equal chances.
        scope: Ignored; accepted for compatibility with TensorFlow.
        loss_collection: Ignored; accepted for compatibility with TensorFlow.
        reduction: How the losses become one number: one of `Reduction`.

    Returns:
        One number; with `Reduction.NONE`, a tensor.

    Raises:
        ValueError: The shapes differ.
    """
    first, second = _pair(onehot_labels, logits)
    if label_smoothing > 0:
        first = first * (1 - label_smoothing) + label_smoothing / second.shape[-1]
    losses = nn.softmax_cross_entropy_with_logits(labels=first, logits=second)
    return compute_weighted_loss(losses, weights, reduction=reduction)


def sparse_softmax_cross_entropy(
    labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    scope: object = None,
    loss_collection: object = None,
    reduction: str = _MEAN,
) -> Any:
    """The same for labels that are numbers of classes.

    >>> import gradtape as tf
    >>> round(float(tf.compat.v1.losses.sparse_softmax_cross_entropy([1], [[0.0, 0.0]])), 4)
    0.6931

    Args:
        labels: The number of the class.
        logits: The logits, with the classes in the last axis.
        weights: A weight for each loss, broadcast to them; 0 leaves one out.
        scope: Ignored; accepted for compatibility with TensorFlow.
        loss_collection: Ignored; accepted for compatibility with TensorFlow.
        reduction: How the losses become one number: one of `Reduction`.

    Returns:
        One number; with `Reduction.NONE`, a tensor.
    """
    second = to_tensor(logits)
    first = one_hot(to_tensor(labels), second.shape[-1], dtype=second.dtype)
    return softmax_cross_entropy(first, second, weights, reduction=reduction)


# --- collections, which belong to graphs ------------------------------------------------------------------------------


def add_loss(loss: TensorLike, loss_collection: object = None) -> None:
    """Nothing to do: losses are collected in graphs only, and there are none.

    >>> import gradtape as tf
    >>> tf.compat.v1.losses.add_loss(tf.constant(1.0))

    Args:
        loss: Ignored; accepted for compatibility with TensorFlow.
        loss_collection: Ignored; accepted for compatibility with TensorFlow.
    """


def get_losses(scope: object = None, loss_collection: object = None) -> list[Any]:
    """The losses that were collected: none, since they are collected in graphs only.

    >>> import gradtape as tf
    >>> tf.compat.v1.losses.get_losses()
    []

    Args:
        scope: Ignored; accepted for compatibility with TensorFlow.
        loss_collection: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        An empty list.
    """
    return []


def get_regularization_losses(scope: object = None) -> list[Any]:
    """The losses that were collected: none, since they are collected in graphs only.

    >>> import gradtape as tf
    >>> tf.compat.v1.losses.get_regularization_losses()
    []

    Args:
        scope: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        An empty list.
    """
    return []


def get_regularization_loss(scope: object = None, name: str = "total_regularization_loss") -> Any:
    """Zero: losses are collected in graphs only.

    >>> import gradtape as tf
    >>> float(tf.compat.v1.losses.get_regularization_loss())
    0.0

    Args:
        scope: Ignored; accepted for compatibility with TensorFlow.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        0.
    """
    return to_tensor(0.0)


def get_total_loss(add_regularization_losses: bool = True, name: str = "total_loss", scope: object = None) -> Any:
    """Not offered: there is no loss to add. Sum the losses that your functions return.

    >>> import gradtape as tf
    >>> tf.compat.v1.losses.get_total_loss()
    Traceback (most recent call last):
    ValueError: get_total_loss: no losses are collected without graphs. Add the losses that ...

    Args:
        add_regularization_losses: Ignored.
        name: Ignored.
        scope: Ignored.

    Raises:
        ValueError: Always.
    """
    raise ValueError(
        "get_total_loss: no losses are collected without graphs. Add the losses that your functions return."
    )


__dir__ = listing(globals())
