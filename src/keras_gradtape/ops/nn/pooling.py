"""Pooling over windows of a given size, and adaptive pooling over a given number of windows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from keras.src.backend import standardize_data_format

import gradtape as tf

from ..core import convert_to_tensor
from ..promotion import floats
from .convolution import _FORMATS


def _pool(pool: Callable[..., Any], inputs: Any, pool_size: Any, strides: Any, padding: str, data_format: Any) -> Any:
    x = convert_to_tensor(inputs)
    if not 3 <= x.ndim <= 5:
        raise ValueError(
            f"Pooling inputs's shape must be 3, 4 or 5, corresponding to 1D, 2D and 3D inputs. But received shape: {x.shape}."
        )
    layout = _FORMATS[standardize_data_format(data_format)][x.ndim]
    return pool(x, pool_size, pool_size if strides is None else strides, padding.upper(), layout)


def max_pool(inputs: Any, pool_size: Any, strides: Any = None, padding: str = "valid", data_format: Any = None) -> Any:
    """The largest element of each window."""
    return _pool(tf.nn.max_pool, inputs, pool_size, strides, padding, data_format)


def average_pool(
    inputs: Any, pool_size: Any, strides: Any = None, padding: str = "valid", data_format: Any = None
) -> Any:
    """The mean of each window; padding does not count."""
    return _pool(tf.nn.avg_pool, inputs, pool_size, strides, padding, data_format)


def _windows(size: int, count: int) -> tuple[Any, Any]:
    """First and last place (exclusive) of `count` windows that cover an axis as evenly as can be."""
    number = np.arange(count)
    return number * size // count, -(-(number + 1) * size // count)


def _mean_along(x: Any, axis: int, count: int) -> Any:
    first, last = _windows(x.shape[axis], count)
    place = np.arange(x.shape[axis])
    inside = (place >= first[:, None]) & (place < last[:, None])
    weights = inside / (last - first)[:, None]
    pooled = tf.tensordot(x, tf.constant(weights.T, x.dtype), [[axis], [0]])
    order = list(range(x.ndim - 1))
    order.insert(axis, x.ndim - 1)
    return tf.transpose(pooled, order)


def _max_along(x: Any, axis: int, count: int) -> Any:
    first, last = _windows(x.shape[axis], count)
    # Shorter windows repeat the index of their last element.
    places = np.minimum(first[:, None] + np.arange((last - first).max()), last[:, None] - 1)
    return tf.reduce_max(tf.gather(x, places.astype(np.int32), axis=axis), axis + 1)


def _adaptive(name: str, along: Callable[..., Any], x: Any, output_size: Any, data_format: Any) -> Any:
    rank = x.ndim - 2
    if not 1 <= rank <= 3:
        raise ValueError(f"{name} supports 1D, 2D, or 3D inputs only.")
    sizes = (output_size,) * rank if isinstance(output_size, int) else tuple(output_size)
    start = 1 if standardize_data_format(data_format) == "channels_last" else 2
    if None in tuple(x.shape)[start : start + rank]:
        raise ValueError(f"{name} needs inputs with known sizes. Received: inputs.shape={x.shape}")
    for axis, size in enumerate(sizes, start):
        x = along(x, axis, size)
    return x


def adaptive_average_pool(inputs: Any, output_size: Any, data_format: Any = None) -> Any:
    """The means of `output_size` windows that cover each axis."""
    return _adaptive("adaptive_average_pool", _mean_along, floats(inputs), output_size, data_format)


def adaptive_max_pool(inputs: Any, output_size: Any, data_format: Any = None) -> Any:
    """The largest elements of `output_size` windows that cover each axis."""
    return _adaptive("adaptive_max_pool", _max_along, convert_to_tensor(inputs), output_size, data_format)
