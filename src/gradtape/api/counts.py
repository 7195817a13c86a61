"""How often integers occur, alone and in pairs of true and predicted classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import sparse
from ..base import dtypes
from ..base.errors import invalid, unfit
from ..base.memory import MOST_COUNTS, has_too_many
from ..base.sizes import UNKNOWN
from ..base.traceable import shaped, trace_public
from ..base.types import DTypeLike, IntLike, TensorLike
from ..math import cast
from ..op.abstract import Abstract
from ..op.arguments import flag, takes
from ..op.attributes import as_int
from ..ops.array import gather, layout, segment
from ..ops.math import logic
from ..values.composite import is_composite
from ..values.tensor import Tensor, to_tensor
from .segments import unsorted_segment_sum


@takes(binary_output=flag)
def bincount(
    arr: object,
    weights: TensorLike | None = None,
    minlength: TensorLike | None = None,
    maxlength: TensorLike | None = None,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Tensor:
    """How often each integer occurs, or the sum of its weights; with `axis=-1` for each row of a matrix.

    >>> import gradtape as tf
    >>> tf.math.bincount([1, 1, 2, 5]).numpy()
    array([0, 2, 1, 0, 0, 1], dtype=int32)

    Args:
        arr: Integers that are not negative.
        weights: What each counts, in the same shape; 1 if None.
        minlength: The result has at least so many places.
        maxlength: Integers from here on are not counted.
        dtype: The type of the counts, if there are no weights.
        name: Ignored; accepted for compatibility with TensorFlow.
        axis: -1 for counts of each row of a matrix, None or 0 for counts of all.
        binary_output: Whether to say 1 for each integer that occurs, however often.

    Returns:
        A vector whose place i has the count of i, or one for each row.

    Raises:
        tf.errors.InvalidArgumentError: There are negative integers, or the shapes do not fit.
    """
    if weights is not None and binary_output:
        raise ValueError("Arguments `binary_output` and `weights` are mutually exclusive. Please specify only one.")
    if axis not in (None, 0, -1):
        raise ValueError(f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported.")
    if is_composite(arr):
        counts = sparse.bincount(arr, weights, axis or 0, minlength, maxlength, binary_output)
        return sparse.to_dense(counts if weights is not None else cast(counts, dtype))
    arr = to_tensor(arr)
    arr = arr if arr.dtype.is_integer else cast(arr, dtypes.int32)
    size = _bins(arr, minlength, maxlength)
    by_row = bool(axis == -1 and arr.ndim != 1)
    if weights is None:
        return segment.count_bins.public(arr, size, by_row, bool(binary_output), dtypes.as_dtype(dtype).numpy)
    weights = to_tensor(weights)
    if weights.shape != arr.shape:
        raise invalid(f"bincount: weights {weights.shape} must have the shape of arr, {arr.shape}.")
    segment.count_bins.public(arr, 0, by_row)  # errors in arr are reported with weights too
    places = cast(arr, dtypes.int64)
    if not by_row:
        return unsorted_segment_sum(weights, logic.select.public(places < size, places, -1), size)
    rows = arr.shape[0]
    own = logic.select.public(places < size, places + np.arange(rows)[:, None] * size, -1)
    return layout.reshape.public(unsorted_segment_sum(weights, own, rows * size), (rows, size))


def _bins(arr: Tensor, minlength: object, maxlength: object) -> int:
    """How many bins: one more than the largest value, at least `minlength`, at most `maxlength`."""
    if maxlength is not None and minlength is not None and as_int(minlength) >= as_int(maxlength):
        return as_int(maxlength)
    values = arr.numpy()
    size = int(values.max()) + 1 if values.size else 0
    size = size if minlength is None else max(size, as_int(minlength))
    return size if maxlength is None else min(size, as_int(maxlength))


def _confused_look(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: TensorLike | None = None,
    weights: TensorLike | None = None,
    dtype: DTypeLike = dtypes.int32,
    name: TensorLike | None = None,
) -> Abstract:
    classes = UNKNOWN if num_classes is None else as_int(num_classes)
    return Abstract((classes, classes), dtypes.as_dtype(dtype).numpy)


@shaped(_confused_look)
def confusion_matrix(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: IntLike | None = None,
    weights: TensorLike | None = None,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """How often (or with what weight) each class was predicted for each true class: rows are the true ones.

    >>> import gradtape as tf
    >>> tf.math.confusion_matrix([0, 1, 1], [0, 1, 0]).numpy()
    array([[1, 0],
           [1, 1]], dtype=int32)

    Args:
        labels: The true classes: integers.
        predictions: The predicted classes.
        num_classes: How many classes there are; by default one more than the largest number.
        weights: What each example counts; 1 if None.
        dtype: The type of the counts.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A matrix (num_classes, num_classes): rows are the true classes, columns the predicted ones.

    Raises:
        tf.errors.InvalidArgumentError: A class is negative, or not below `num_classes`.
    """
    truth, guess = _vectors(to_tensor(labels), to_tensor(predictions))
    truth, guess = cast(truth, dtypes.int64), cast(guess, dtypes.int64)
    values = [truth.numpy(), guess.numpy()]
    if any((v < 0).any() for v in values):
        raise invalid("confusion_matrix: labels and predictions are class numbers from 0 on, got negative ones.")
    if num_classes is None:
        if not values[0].size:
            raise invalid("confusion_matrix: without labels, num_classes must be given.")
        classes = int(max(v.max() for v in values)) + 1
    else:
        classes = as_int(num_classes)
        if any((v >= classes).any() for v in values):
            raise invalid(f"confusion_matrix: labels and predictions must be below num_classes, {classes}.")
    if classes < 0 or has_too_many((classes, classes), MOST_COUNTS):
        raise invalid(f"confusion_matrix: cannot make a matrix of {classes} classes.")
    target = dtypes.as_dtype(dtype)
    if weights is None:
        amounts = logic.ones_like.public(cast(guess, target))
    else:
        amounts = cast(weights, target)
        if amounts.shape != guess.shape:
            raise ValueError(f"Shapes {guess.shape} and {amounts.shape} are incompatible")
    return gather.put_nd.public(amounts, layout.stack.public([truth, guess], 1), (classes, classes))


def _vectors(labels: Any, predictions: Any) -> tuple[Any, Any]:
    """Labels and predictions with one axis each; a last axis of size 1 that only one has is dropped."""
    if labels.ndim == 2 and predictions.ndim == 1 and labels.shape[1] == 1:
        labels = layout.squeeze.public(labels, (1,))
    if predictions.ndim == 2 and labels.ndim == 1 and predictions.shape[1] == 1:
        predictions = layout.squeeze.public(predictions, (1,))
    if labels.ndim != 1 or predictions.ndim != 1:
        raise unfit(f"labels and predictions must be vectors, got shapes {labels.shape} and {predictions.shape}.")
    if labels.shape != predictions.shape:
        raise invalid(f"confusion_matrix: {labels.shape[0]} labels and {predictions.shape[0]} predictions.")
    return labels, predictions


trace_public(globals())
