"""Short-time transforms: a signal's frames, windowed and transformed, and the way back."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any

from ..api.arrays import reshape, zeros_like
from ..api.indexing import where
from ..api.layout import concat, pad, reverse, split, tile
from ..base.errors import invalid
from ..base.traceable import trace_public
from ..base.types import DTypeLike, IntLike, TensorLike
from ..math import equal, reduce_sum, square
from ..op.attributes import as_int
from ..ops.array.index import getitem
from ..values.tensor import Tensor, to_tensor
from .cosine import dct
from .fourier import irfft, rfft
from .frames import frame, overlap_and_add
from .windows import hann_window, vorbis_window

WindowFunction = Callable[..., Any]


def _enclosing_power_of_two(value: int) -> int:
    return 1 << max(value - 1, 0).bit_length()


def stft(
    signals: TensorLike,
    frame_length: IntLike,
    frame_step: IntLike,
    fft_length: IntLike | None = None,
    window_fn: WindowFunction | None = hann_window,
    pad_end: bool = False,
    name: str | None = None,
) -> Tensor:
    """The short-time Fourier transform of real signals (..., samples): (..., frames, frequencies).

    Each frame is multiplied by `window_fn(frame_length, dtype=...)` and transformed with `fft_length` points,
    by default the power of two that holds a frame.

    >>> import gradtape as tf
    >>> tf.signal.stft(tf.zeros([10000]), frame_length=400, frame_step=160).shape
    TensorShape([61, 257])
    """
    length = as_int(frame_length)
    points = _enclosing_power_of_two(length) if fft_length is None else as_int(fft_length)
    framed = frame(signals, length, frame_step, pad_end)
    if window_fn is not None:
        framed = framed * window_fn(length, dtype=framed.dtype)
    return rfft(framed, [points])


def inverse_stft(
    stfts: TensorLike,
    frame_length: IntLike,
    frame_step: IntLike,
    fft_length: IntLike | None = None,
    window_fn: WindowFunction | None = hann_window,
    name: str | None = None,
) -> Tensor:
    """The signals with these short-time Fourier transforms: frames transformed back, windowed and added up.

    It undoes `stft` with `window_fn=tf.signal.inverse_stft_window_fn(frame_step)`.
    """
    x = to_tensor(stfts)
    if x.ndim < 2:
        raise ValueError(f"Shape {x.shape} must have rank at least 2.")
    length = as_int(frame_length)
    points = _enclosing_power_of_two(length) if fft_length is None else as_int(fft_length)
    frames = irfft(x, [points])
    if length < points:
        frames = getitem.public(frames, (Ellipsis, slice(None, length)))
    elif length > points:
        frames = pad(frames, [*[[0, 0]] * (frames.ndim - 1), [0, length - points]])
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=frames.dtype)
    return overlap_and_add(frames, frame_step)


def inverse_stft_window_fn(
    frame_step: IntLike, forward_window_fn: WindowFunction = hann_window, name: str | None = None
) -> WindowFunction:
    """The window for `inverse_stft` that undoes `stft` with `forward_window_fn` and this `frame_step`."""
    step = as_int(frame_step)
    if step < 1:
        raise invalid(f"inverse_stft_window_fn: frame_step must be positive, got {step}.")

    def window_fn(frame_length: IntLike, dtype: DTypeLike) -> Any:
        length = as_int(frame_length)
        forward = to_tensor(forward_window_fn(length, dtype=dtype))
        # Griffin and Lim, equation 7: divide by the sum of the squares of all windows that cover a sample.
        overlaps = -(-length // step)
        squares = reshape(pad(square(forward), [[0, overlaps * step - length]]), (overlaps, step))
        total = reshape(tile(reduce_sum(squares, 0, True), [overlaps, 1]), (overlaps * step,))
        total = getitem.public(total, (slice(None, length),))
        return where(equal(total, 0.0), zeros_like(forward), forward / total)

    return window_fn


def mdct(
    signals: TensorLike,
    frame_length: IntLike,
    window_fn: WindowFunction | None = vorbis_window,
    pad_end: bool = False,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The modified cosine transform of signals (..., samples): (..., frames, frame_length / 2).

    Frames overlap by half; `frame_length` must be a multiple of 4. Without `window_fn` every sample is
    divided by sqrt(2).
    """
    length = as_int(frame_length)
    if length < 4 or length % 4:
        raise ValueError(f"The frame length must be a multiple of 4, got {length}.")
    framed = frame(signals, length, length // 2, pad_end)
    framed = framed * (sqrt(0.5) if window_fn is None else window_fn(length, dtype=framed.dtype))
    a, b, c, d = split(framed, 4, axis=-1)
    folded = concat([-reverse(c, [-1]) - d, a - reverse(b, [-1])], axis=-1)
    return dct(folded, type=4, norm=norm)


def inverse_mdct(
    mdcts: TensorLike,
    window_fn: WindowFunction | None = vorbis_window,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The signals with these modified cosine transforms; undoes `mdct` with the same window and norm."""
    x = to_tensor(mdcts)
    if x.ndim < 2:
        raise ValueError(f"Shape {x.shape} must have rank at least 2.")
    half = x.shape[-1]
    if half < 2 or half % 2:
        raise invalid(f"inverse_mdct: half a frame is a positive multiple of 2, got shape {x.shape}.")
    folded = dct(x, type=4, norm=norm)
    if norm is None:
        folded = folded * (0.5 / half)
    first, second = split(folded, 2, axis=-1)
    frames = concat([second, -reverse(second, [-1]), -reverse(first, [-1]), -first], axis=-1)
    frames = frames * (sqrt(0.5) if window_fn is None else window_fn(2 * half, dtype=frames.dtype))
    return overlap_and_add(frames, half)


trace_public(globals())
