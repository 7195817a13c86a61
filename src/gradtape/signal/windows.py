"""Window functions: what a frame is multiplied by before it is transformed."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..api.layout import concat, reverse
from ..base import dtypes
from ..base.dtypes import Array, DType
from ..base.errors import ResourceExhaustedError, invalid
from ..base.traceable import trace_public
from ..base.types import DTypeLike, IntLike, TensorLike
from ..math import bessel_i0e, cast, cumsum, exp, sqrt
from ..op.arguments import takes, truth
from ..op.attributes import as_int
from ..values.tensor import Tensor, from_array, to_tensor

_LARGEST = 1 << 31


def _length_and_type(window_length: IntLike, dtype: DTypeLike, least: int = 0) -> tuple[int, DType]:
    kind = dtypes.as_dtype(dtype)
    if not kind.is_floating:
        raise ValueError(f"dtype must be a floating point type. Found {kind!r}")
    length = as_int(window_length)
    if length < least:
        raise invalid(f"A window has at least {least} numbers, got window_length={length}.")
    if length > _LARGEST:
        raise ResourceExhaustedError(None, None, f"A window of {length} numbers is too large.")
    return length, kind


def _window(values: Array, kind: DType) -> Any:
    return from_array(values.astype(kind.numpy))


def _raised_cosine(window_length: IntLike, periodic: TensorLike, dtype: DTypeLike, level: float, swing: float) -> Any:
    length, kind = _length_and_type(window_length, dtype)
    if length == 1:
        return _window(np.ones(1), kind)
    # As in TensorFlow, a window of odd length is symmetric whatever `periodic` says.
    period = length - 1 + (bool(periodic) and length % 2 == 0)
    return _window(level - swing * np.cos(2 * np.pi * np.arange(length) / period), kind)


@takes(periodic=truth)
def hann_window(
    window_length: IntLike, periodic: TensorLike = True, dtype: DTypeLike = dtypes.float32, name: str | None = None
) -> Tensor:
    """The Hann window, half a raised cosine.

    >>> import gradtape as tf
    >>> tf.signal.hann_window(4).numpy()
    array([0. , 0.5, 1. , 0.5], dtype=float32)

    Args:
        window_length: How many numbers the window has.
        periodic: True for a window that repeats without a seam, False for a symmetric one.
        dtype: A floating type.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A vector.
    """
    return _raised_cosine(window_length, periodic, dtype, 0.5, 0.5)


@takes(periodic=truth)
def hamming_window(
    window_length: IntLike, periodic: TensorLike = True, dtype: DTypeLike = dtypes.float32, name: str | None = None
) -> Tensor:
    """The Hamming window, a cosine raised a little more.

    >>> import gradtape as tf
    >>> tf.signal.hamming_window(4).numpy()
    array([0.08, 0.54, 1.  , 0.54], dtype=float32)

    Args:
        window_length: How many numbers the window has.
        periodic: True for a window that repeats without a seam, False for a symmetric one.
        dtype: A floating type.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A vector.
    """
    return _raised_cosine(window_length, periodic, dtype, 0.54, 0.46)


def vorbis_window(window_length: IntLike, dtype: DTypeLike = dtypes.float32, name: str | None = None) -> Tensor:
    """The window of the Vorbis format: the squares of its halves add up to 1.

    >>> import gradtape as tf
    >>> window = tf.signal.vorbis_window(4).numpy()
    >>> (window[:2] ** 2 + window[2:] ** 2).round(3)
    array([1., 1.], dtype=float32)

    Args:
        window_length: How many numbers the window has.
        dtype: A floating type.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A vector.
    """
    length, kind = _length_and_type(window_length, dtype)
    places = (np.arange(length) + 0.5) / max(length, 1)
    return _window(np.sin(np.pi / 2 * np.sin(np.pi * places) ** 2), kind)


def kaiser_window(
    window_length: IntLike, beta: TensorLike = 12.0, dtype: DTypeLike = dtypes.float32, name: str | None = None
) -> Tensor:
    """The Kaiser window; the tape follows `beta`, which says how narrow it is.

    >>> import gradtape as tf
    >>> tf.signal.kaiser_window(5, beta=2.0).numpy().round(2)
    array([0.44, 0.83, 1.  , 0.83, 0.44], dtype=float32)

    Args:
        window_length: How many numbers the window has.
        beta: How narrow the window is; larger is narrower.
        dtype: A floating type.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A vector.
    """
    length, kind = _length_and_type(window_length, dtype, least=1)
    if length == 1:
        return _window(np.ones(1), kind)
    half = (length - 1) / 2
    arch = np.sqrt(np.maximum(1 - ((np.arange(length) - half) / half) ** 2, 0))
    scale = cast(to_tensor(beta), kind)
    height = scale * _window(arch, kind)
    return exp(height - scale) * (bessel_i0e(height) / bessel_i0e(scale))


def kaiser_bessel_derived_window(
    window_length: IntLike, beta: TensorLike = 12.0, dtype: DTypeLike = dtypes.float32, name: str | None = None
) -> Tensor:
    """The window made of running sums of a Kaiser window: the squares of its halves add up to 1.

    >>> import gradtape as tf
    >>> tf.signal.kaiser_bessel_derived_window(4, beta=2.0).numpy().round(2)
    array([0.48, 0.88, 0.88, 0.48], dtype=float32)

    Args:
        window_length: How many numbers the window has.
        beta: How narrow the window is; larger is narrower.
        dtype: A floating type.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A vector.
    """
    length, kind = _length_and_type(window_length, dtype)
    sums = cumsum(kaiser_window(length // 2 + 1, beta, kind))
    half = sqrt(sums[:-1] / sums[-1])
    return concat([half, reverse(half, [0])], axis=0)


trace_public(globals())
