"""Sorting and ranking: `tf.sort`, `tf.argsort`, `tf.math.top_k`, `tf.math.in_top_k`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..base import dtypes
from ..base.errors import invalid
from ..base.traceable import trace_public
from ..base.types import AxisLike, IntLike, TensorLike
from ..op.arguments import flag, takes, text
from ..op.attributes import as_int
from ..ops.array import sort as o
from ..ops.array.layout import permute
from ..ops.public import invert_permutation as invert_permutation
from ..values.tensor import Tensor, to_tensor


def _descending(direction: str) -> bool:
    text("direction", direction)
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(
            f"Argument `direction` should be one of ASCENDING, DESCENDING. Received: direction={direction}"
        )
    return direction == "DESCENDING"


def _axis(axis: Any) -> int:
    if np.ndim(axis):
        raise ValueError(f"Argument `axis` must be a constant scalar. Received: axis={axis}.")
    return as_int(axis)


def sort(values: TensorLike, axis: AxisLike = -1, direction: str = "ASCENDING", name: str | None = None) -> Tensor:
    """The elements along an axis in order; each cotangent goes back to where its element came from.

    >>> import gradtape as tf
    >>> tf.sort([3.0, 1.0, 2.0], direction="DESCENDING").numpy()
    array([3., 2., 1.], dtype=float32)

    Args:
        values: A tensor of real numbers.
        axis: The axis to sort along.
        direction: ASCENDING or DESCENDING.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.
    """
    return o.sort_along.public(values, _axis(axis), _descending(direction))


def argsort(
    values: TensorLike, axis: AxisLike = -1, direction: str = "ASCENDING", stable: bool = False, name: str | None = None
) -> Tensor:
    """The places from which to take the elements along an axis, so that they are in order; always stable.

    >>> import gradtape as tf
    >>> tf.argsort([3.0, 1.0, 2.0]).numpy()
    array([1, 2, 0], dtype=int32)

    Args:
        values: A tensor of real numbers.
        axis: The axis to sort along.
        direction: ASCENDING or DESCENDING.
        stable: Equal elements keep their order in any case.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Places: int32.
    """
    return o.order_along.public(values, _axis(axis), _descending(direction))


class TopKV2(NamedTuple):
    """What `top_k` returns."""

    values: Tensor
    indices: Tensor


@takes(sorted=flag)
def top_k(
    input: object,
    k: Any = 1,
    sorted: bool = True,
    index_type: object = dtypes.int32,
    name: str | None = None,
) -> TopKV2:
    """The k largest elements along the last axis and their places; of equal elements the first comes first.

    >>> import gradtape as tf
    >>> values, indices = tf.math.top_k([1.0, 5.0, 3.0], k=2)
    >>> values.numpy(), indices.numpy()
    (array([5., 3.], dtype=float32), array([1, 2], dtype=int32))

    Args:
        input: A tensor of real numbers.
        k: How many of the elements are taken.
        sorted: Whether they are in order.
        index_type: The type of the places.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The values and their places in the last axis.

    Raises:
        tf.errors.InvalidArgumentError: `k` is larger than the axis.
    """
    place = dtypes.as_dtype(index_type)
    if place not in (dtypes.int16, dtypes.int32, dtypes.int64):
        raise invalid(f"top_k: index_type must be int16, int32 or int64, got {place.name}.")
    if np.ndim(k):
        raise invalid(f"top_k: k must be a scalar, got {k!r}.")
    values, indices = o.largest.public(input, as_int(k), place.numpy)
    return TopKV2(values, indices)


class ApproxTopK(NamedTuple):
    """What `tf.math.approx_max_k` returns."""

    values: Tensor
    indices: Tensor


def approx_max_k(
    operand: Any,
    k: Any,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """The k largest elements along an axis and their places: all of them are found, as on every processor but a TPU.

    >>> import gradtape as tf
    >>> tf.math.approx_max_k([1.0, 5.0, 3.0], k=2).indices.numpy()
    array([1, 2], dtype=int32)

    Args:
        operand: Floating numbers; they are compared along one axis.
        k: How many of the elements are taken.
        reduction_dimension: The axis along which they are compared; by default the last.
        recall_target: The share of the largest elements that must be found. Here it is always 1.
        reduction_input_size_override: Not used: nothing is approximated.
        aggregate_to_topk: Not used: there are always k.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The values in descending order, and their places along the axis.

    Raises:
        tf.errors.InvalidArgumentError: The axis has fewer than k elements, or the recall is not above 0 and at most 1.
    """
    x = to_tensor(operand)
    if not 0 < recall_target <= 1:
        raise invalid(f"approx_max_k: recall_target must be above 0 and at most 1, got {recall_target}.")
    if not x.dtype.is_floating or not -x.ndim <= reduction_dimension < x.ndim:
        raise invalid(
            f"approx_max_k: floating numbers with an axis {reduction_dimension} are needed, got {x.dtype.name} {x.shape}."
        )
    axis = reduction_dimension % x.ndim
    last = (*[other for other in range(x.ndim) if other != axis], axis)
    back = tuple(np.argsort(last).tolist())
    values, indices = top_k(permute.public(x, last), k)
    return ApproxTopK(permute.public(values, back), permute.public(indices, back))


def approx_min_k(
    operand: Any,
    k: Any,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """The k smallest elements along an axis and their places: all of them are found.

    >>> import gradtape as tf
    >>> tf.math.approx_min_k([1.0, 5.0, 3.0], k=2).values.numpy()
    array([1., 3.], dtype=float32)

    Args:
        operand: Floating numbers; they are compared along one axis.
        k: How many of the elements are taken.
        reduction_dimension: The axis along which they are compared; by default the last.
        recall_target: The share of the smallest elements that must be found. Here it is always 1.
        reduction_input_size_override: Not used: nothing is approximated.
        aggregate_to_topk: Not used: there are always k.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The values in ascending order, and their places along the axis.
    """
    values, indices = approx_max_k(-to_tensor(operand), k, reduction_dimension, recall_target)
    return ApproxTopK(-values, indices)


def in_top_k(targets: TensorLike, predictions: TensorLike, k: IntLike, name: str | None = None) -> Tensor:
    """Whether the target class of each row is among the k that are predicted highest.

    >>> import gradtape as tf
    >>> tf.math.in_top_k([0, 2], [[0.1, 0.6, 0.3], [0.1, 0.6, 0.3]], k=2).numpy()
    array([False,  True])

    Args:
        targets: The right class of each row.
        predictions: A matrix: for each row a number for each class.
        k: How many classes to look at.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A truth value for each row.
    """
    return o.in_top_k.public(targets, to_tensor(predictions, dtypes.float32), as_int(k))


trace_public(globals())
