"""Clipping: of values, and of gradients by their norm. None and IndexedSlices pass as in TensorFlow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

import numpy as np

from .. import math
from ..base.shapes import TensorShape, broadcast
from ..base.traceable import trace_public
from ..base.types import AxisLike, TensorLike, Value
from ..op.attributes import as_axis
from ..ops.math import arithmetic
from ..ops.math.logic import select
from ..values.tensor import IndexedSlices, Tensor, to_tensor
from .indexing import where


@overload
def clip_by_value(  # type: ignore[overload-overlap]
    t: IndexedSlices, clip_value_min: TensorLike, clip_value_max: TensorLike, name: str | None = None
) -> IndexedSlices: ...
@overload
def clip_by_value(
    t: TensorLike, clip_value_min: TensorLike, clip_value_max: TensorLike, name: str | None = None
) -> Tensor: ...
def clip_by_value(t: object, clip_value_min: TensorLike, clip_value_max: TensorLike, name: str | None = None) -> Any:
    """The values between two bounds; the derivative at the bounds themselves is 1.

    >>> import gradtape as tf
    >>> tf.clip_by_value([-1.0, 0.5, 3.0], 0.0, 1.0).numpy()
    array([0. , 0.5, 1. ], dtype=float32)

    Args:
        t: A tensor, or `tf.IndexedSlices`.
        clip_value_min: The lower bound, which broadcasts.
        clip_value_max: The upper bound.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The values within the bounds.
    """
    if isinstance(t, IndexedSlices):
        return IndexedSlices(clip_by_value(t.values, clip_value_min, clip_value_max), t.indices, t.dense_shape)
    x = to_tensor(t)
    _check_growth(x, "clip_by_value", clip_value_min, clip_value_max)
    return arithmetic.clip_by_value.public(x, clip_value_min, clip_value_max)


def _check_growth(values: Value, name: str, *bounds: Any) -> None:
    """Raise where a bound has a shape that the result would take over."""
    shape = TensorShape(values.shape)
    for bound in bounds:
        other = TensorShape(bound.shape if hasattr(bound, "shape") else np.shape(bound))
        if (
            shape.is_fully_defined()
            and other.is_fully_defined()
            and broadcast(tuple(shape), tuple(other)) != tuple(shape)
        ):
            raise ValueError(f"{name}: a bound of shape {other} does not fit a tensor of shape {shape}.")


@overload
def clip_by_norm(  # type: ignore[overload-overlap]
    t: IndexedSlices, clip_norm: TensorLike, axes: AxisLike | None = None, name: str | None = None
) -> IndexedSlices: ...
@overload
def clip_by_norm(
    t: TensorLike, clip_norm: TensorLike, axes: AxisLike | None = None, name: str | None = None
) -> Tensor: ...
def clip_by_norm(t: Any, clip_norm: Any, axes: AxisLike | None = None, name: str | None = None) -> Any:
    """The tensor scaled down so that its Euclidean norm (along `axes`) is at most `clip_norm`.

    >>> import gradtape as tf
    >>> tf.clip_by_norm([3.0, 4.0], 1.0).numpy()
    array([0.6, 0.8], dtype=float32)

    Args:
        t: A tensor, or `tf.IndexedSlices`.
        clip_norm: The largest norm.
        axes: The axes that the norm is of; all if none is given.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The tensor, shorter if it was too long.
    """
    if isinstance(t, IndexedSlices):
        return IndexedSlices(clip_by_norm(t.values, clip_norm, axes), t.indices, t.dense_shape)
    values = to_tensor(t)
    limit = (
        to_tensor(clip_norm, values.dtype) if not hasattr(clip_norm, "dtype") else math.cast(clip_norm, values.dtype)
    )
    _check_growth(values, "clip_by_norm", limit)
    total = math.reduce_sum(math.square(values), as_axis(axes), True)
    positive = math.greater(total, 0)
    # sqrt has no derivative at 0: compute sqrt(1) there, and put the 0 back afterwards.
    safe = select.public(positive, total, math.add(total, 1))
    norm = where(positive, math.sqrt(safe), total)
    return values * math.maximum(limit, 0) / math.maximum(norm, limit)  # (a negative limit counts as 0)


def clip_by_average_norm(t: TensorLike, clip_norm: TensorLike, name: str | None = None) -> Any:
    """The tensor scaled down so that its norm divided by its size is at most `clip_norm`."""
    values = to_tensor(t)
    count = values.shape.num_elements() or 1
    norm = math.sqrt(math.reduce_sum(math.square(values))) / float(count)
    limit = to_tensor(clip_norm, values.dtype)
    return values * limit / math.maximum(norm, limit)


def global_norm(t_list: Any, name: str | None = None) -> Tensor:
    """The Euclidean norm of all tensors of a list together; None entries are passed over.

    >>> import gradtape as tf
    >>> tf.linalg.global_norm([tf.constant([3.0]), None, tf.constant([4.0])]).numpy()
    np.float32(5.0)

    Args:
        t_list: A list of tensors, IndexedSlices and None.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        One number: the square root of the sum of all squares.
    """
    values = _values(t_list, "t_list")
    present = [value for value in values if value is not None]
    if not present:
        return to_tensor(0.0)
    squares = [math.reduce_sum(math.square(value)) for value in present]
    return math.sqrt(math.add_n(squares))


def clip_by_global_norm(
    t_list: Sequence[TensorLike], clip_norm: TensorLike, use_norm: TensorLike | None = None, name: str | None = None
) -> tuple[list[Tensor], Tensor]:
    """All tensors scaled by one factor so that their common norm is at most `clip_norm`; and the norm before that.

    A norm that is not finite makes all of them nan, as in TensorFlow.

    >>> import gradtape as tf
    >>> clipped, norm = tf.clip_by_global_norm([tf.constant([3.0]), tf.constant([4.0])], 1.0)
    >>> norm.numpy()
    np.float32(5.0)

    Args:
        t_list: Tensors, `tf.IndexedSlices` or None.
        clip_norm: The largest norm of all together.
        use_norm: The norm, if it is known.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The tensors, scaled by one factor, and the norm of all of them before.
    """
    norm = global_norm(t_list) if use_norm is None else to_tensor(use_norm)
    limit = to_tensor(clip_norm, norm.dtype) if not hasattr(clip_norm, "dtype") else math.cast(clip_norm, norm.dtype)
    scale = limit * math.minimum(math.divide(1.0, norm), math.divide(to_tensor(1.0, norm.dtype), limit))
    scale = scale + (norm - norm)
    clipped: list[Any] = []
    for original, value in zip(t_list, _values(t_list, "t_list"), strict=True):
        if value is None:
            clipped.append(None)
            continue
        scaled = value * math.cast(scale, value.dtype)
        if isinstance(original, IndexedSlices):
            scaled = IndexedSlices(scaled, original.indices, original.dense_shape)
        clipped.append(scaled)
    return clipped, norm


def _values(t_list: Sequence[TensorLike], name: str) -> list[Any]:
    if not isinstance(t_list, (list, tuple)):
        raise TypeError(f"`{name}` should be a sequence of tensors, got {t_list!r}.")
    return [
        None if value is None else to_tensor(value.values if isinstance(value, IndexedSlices) else value)
        for value in t_list
    ]


trace_public(globals())
