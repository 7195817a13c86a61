"""Sums, means and extremes of rows that share a segment id, in any order."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import dtypes
from ..base.errors import NumberNeededError
from ..base.traceable import trace_public
from ..base.types import IntLike, TensorLike, Value
from ..math import cast, maximum, sqrt, truediv
from ..op.attributes import as_int
from ..ops.array import layout, pooled_segments, segment
from ..ops.math import logic
from ..values.tensor import Tensor, to_tensor


def unsorted_segment_sum(
    data: TensorLike, segment_ids: TensorLike, num_segments: IntLike, name: str | None = None
) -> Tensor:
    """The sum over the rows with each segment id; 0 where there are none.

    >>> import gradtape as tf
    >>> tf.math.unsorted_segment_sum([1.0, 10.0, 100.0], [1, 0, 1], num_segments=3).numpy()
    array([ 10., 101.,   0.], dtype=float32)

    Args:
        data: A tensor.
        segment_ids: An integer for each row of `data`, or for each element of its leading axes, in any order. What has
            a negative one is left out.
        num_segments: How many segments there are.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of `num_segments` rows.

    Raises:
        tf.errors.InvalidArgumentError: The shapes do not fit, or an id is not below `num_segments`.
    """
    return segment.unsorted_segment_sum.public(data, segment_ids, _segments(num_segments))


def unsorted_segment_prod(
    data: TensorLike, segment_ids: TensorLike, num_segments: IntLike, name: str | None = None
) -> Tensor:
    """The product over the rows with each segment id; 1 where there are none.

    >>> import gradtape as tf
    >>> tf.math.unsorted_segment_prod([2.0, 3.0, 5.0], [1, 0, 1], num_segments=3).numpy()
    array([ 3., 10.,  1.], dtype=float32)

    Args:
        data: A tensor.
        segment_ids: An integer for each row of `data`, or for each element of its leading axes, in any order. What has
            a negative one is left out.
        num_segments: How many segments there are.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of `num_segments` rows.

    Raises:
        tf.errors.InvalidArgumentError: The shapes do not fit, or an id is not below `num_segments`.
    """
    return segment.unsorted_segment_prod.public(data, segment_ids, _segments(num_segments))


def unsorted_segment_max(
    data: TensorLike, segment_ids: TensorLike, num_segments: IntLike, name: str | None = None
) -> Tensor:
    """The largest of the rows with each segment id; the smallest number of the type where there are none.

    >>> import gradtape as tf
    >>> tf.math.unsorted_segment_max([2.0, 3.0, 5.0], [1, 0, 1], num_segments=2).numpy()
    array([3., 5.], dtype=float32)

    Args:
        data: A tensor.
        segment_ids: An integer for each row of `data`, or for each element of its leading axes, in any order. What has
            a negative one is left out.
        num_segments: How many segments there are.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of `num_segments` rows.

    Raises:
        tf.errors.InvalidArgumentError: The shapes do not fit, or an id is not below `num_segments`.
    """
    return segment.unsorted_segment_max.public(data, segment_ids, _segments(num_segments))


def unsorted_segment_min(
    data: TensorLike, segment_ids: TensorLike, num_segments: IntLike, name: str | None = None
) -> Tensor:
    """The smallest of the rows with each segment id; the largest number of the type where there are none.

    >>> import gradtape as tf
    >>> tf.math.unsorted_segment_min([2.0, 3.0, 5.0], [1, 0, 1], num_segments=2).numpy()
    array([3., 2.], dtype=float32)

    Args:
        data: A tensor.
        segment_ids: An integer for each row of `data`, or for each element of its leading axes, in any order. What has
            a negative one is left out.
        num_segments: How many segments there are.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of `num_segments` rows.

    Raises:
        tf.errors.InvalidArgumentError: The shapes do not fit, or an id is not below `num_segments`.
    """
    return segment.unsorted_segment_min.public(data, segment_ids, _segments(num_segments))


def unsorted_segment_mean(
    data: TensorLike, segment_ids: TensorLike, num_segments: IntLike, name: str | None = None
) -> Tensor:
    """The mean over the rows with each segment id; 0 where there are none.

    >>> import gradtape as tf
    >>> tf.math.unsorted_segment_mean([2.0, 3.0, 5.0], [1, 0, 1], num_segments=2).numpy()
    array([3. , 3.5], dtype=float32)

    Args:
        data: A tensor.
        segment_ids: An integer for each row of `data`, or for each element of its leading axes, in any order. What has
            a negative one is left out.
        num_segments: How many segments there are.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of `num_segments` rows.

    Raises:
        tf.errors.InvalidArgumentError: The shapes do not fit, or an id is not below `num_segments`.
    """
    data = to_tensor(data)
    if data.dtype.is_differentiable:
        return pooled_segments.unsorted_segment_mean.public(data, segment_ids, _segments(num_segments))
    total = unsorted_segment_sum(data, segment_ids, num_segments)
    return truediv(total, _segment_sizes(data, segment_ids, num_segments))


def unsorted_segment_sqrt_n(
    data: TensorLike, segment_ids: TensorLike, num_segments: IntLike, name: str | None = None
) -> Tensor:
    """The sum over the rows with each segment id, divided by the square root of their number.

    >>> import gradtape as tf
    >>> tf.math.unsorted_segment_sqrt_n([1.0, 1.0, 1.0, 1.0], [0, 0, 0, 0], num_segments=1).numpy()
    array([2.], dtype=float32)

    Args:
        data: A tensor.
        segment_ids: An integer for each row of `data`, or for each element of its leading axes, in any order. What has
            a negative one is left out.
        num_segments: How many segments there are.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of `num_segments` rows.

    Raises:
        tf.errors.InvalidArgumentError: The shapes do not fit, or an id is not below `num_segments`.
    """
    data = to_tensor(data)
    if data.dtype.is_differentiable:
        return pooled_segments.unsorted_segment_sqrt_n.public(data, segment_ids, _segments(num_segments))
    total = unsorted_segment_sum(data, segment_ids, num_segments)
    return truediv(total, sqrt(_segment_sizes(data, segment_ids, num_segments)))


def _segments(num_segments: IntLike) -> int:
    if np.ndim(num_segments):
        message = f"num_segments should be a scalar, not shape {list(np.shape(num_segments))}."
        raise NumberNeededError(None, None, message)
    return as_int(num_segments)


def _segment_sizes(data: Value, segment_ids: TensorLike, num_segments: IntLike) -> Any:
    """How many rows each segment has, at least 1, in a shape and type to divide the reduced data by."""
    ids = to_tensor(segment_ids)
    sizes = maximum(unsorted_segment_sum(logic.ones_like.public(cast(ids, dtypes.int64)), ids, num_segments), 1)
    shape = (_segments(num_segments), *(1,) * (data.ndim - ids.ndim))
    return cast(layout.reshape.public(sizes, shape), data.dtype)


trace_public(globals())
