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
    """The short-time Fourier transform: the spectrum of each frame of a signal.

    >>> import gradtape as tf
    >>> wave = tf.cos(1.5708 * tf.range(64, dtype=tf.float32))  # four samples a period
    >>> spectra = tf.signal.stft(wave, frame_length=16, frame_step=8)
    >>> spectra.shape
    TensorShape([7, 9])
    >>> tf.argmax(tf.abs(spectra), axis=1).numpy()
    array([4, 4, 4, 4, 4, 4, 4])

    Args:
        signals: A tensor of float32 or float64 (..., samples).
        frame_length: How many samples a frame has.
        frame_step: How many samples after each other frames begin.
        fft_length: How many points are transformed, the frame cut or filled up with zeros; by default the least power of two
            that holds a frame.
        window_fn: A function of (frame_length, dtype=...) that gives the factors of the samples; None for no
            window. By default `tf.signal.hann_window`.
        pad_end: Whether frames that reach beyond the end are there too, filled up with zeros.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A complex tensor (..., frames, fft_length // 2 + 1).
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

    It undoes `stft` with the window that `inverse_stft_window_fn` gives, but for samples at both ends that few frames cover.

    >>> import gradtape as tf
    >>> signal = tf.range(16, dtype=tf.float32)
    >>> spectra = tf.signal.stft(signal, frame_length=8, frame_step=4)
    >>> window = tf.signal.inverse_stft_window_fn(frame_step=4)
    >>> again = tf.signal.inverse_stft(spectra, frame_length=8, frame_step=4, window_fn=window)
    >>> again.numpy()[4:12].round(4)
    array([ 4.,  5.,  6.,  7.,  8.,  9., 10., 11.], dtype=float32)

    Args:
        stfts: A complex tensor (..., frames, fft_length // 2 + 1).
        frame_length: How many samples a frame has.
        frame_step: How many samples after each other frames begin.
        fft_length: How many points were transformed; by default the least power of two that holds a frame.
        window_fn: A function of (frame_length, dtype=...) that gives the factors of the samples; None for no
            window. By default `tf.signal.hann_window`.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of floats (..., samples).

    Raises:
        ValueError: `stfts` has less than two axes.
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
    """The window for `inverse_stft` that undoes the one of `stft`: divided by the sum of the squares of all that cover a sample.

    >>> import gradtape as tf
    >>> window = tf.signal.inverse_stft_window_fn(frame_step=2)
    >>> window(4, dtype=tf.float32).numpy().round(4)
    array([0., 1., 1., 1.], dtype=float32)

    Args:
        frame_step: How many samples after each other frames begin.
        forward_window_fn: The window of `stft`.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A function of (frame_length, dtype=...), which gives a tensor.

    Raises:
        tf.errors.InvalidArgumentError: `frame_step` is not positive.
    """
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
    """The modified cosine transform: half as many coefficients as samples for each frame, and frames that overlap by half.

    >>> import gradtape as tf
    >>> tf.signal.mdct(tf.ones([12]), frame_length=4, norm="ortho").numpy().round(4)
    array([[-1.3955,  0.229 ],
           [-1.3955,  0.229 ],
           [-1.3955,  0.229 ],
           [-1.3955,  0.229 ],
           [-1.3955,  0.229 ]], dtype=float32)

    Args:
        signals: A tensor of float32 or float64 (..., samples).
        frame_length: How many samples a frame has: a multiple of 4.
        window_fn: A function of (frame_length, dtype=...) that gives the factors of the samples. With None all are sqrt(1/2).
        pad_end: Whether frames that reach beyond the end are there too, filled up with zeros.
        norm: "ortho" for an orthonormal cosine transform; None for the sums as they are.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor (..., frames, frame_length / 2).

    Raises:
        ValueError: `frame_length` is not a multiple of 4.
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
    """The signals with these modified cosine transforms; it undoes `mdct` but for half a frame at both ends.

    >>> import gradtape as tf
    >>> signal = tf.range(12, dtype=tf.float32)
    >>> tf.signal.inverse_mdct(tf.signal.mdct(signal, frame_length=4)).numpy()[2:10].round(4)
    array([2., 3., 4., 5., 6., 7., 8., 9.], dtype=float32)

    Args:
        mdcts: A tensor of float32 or float64 (..., frames, frame_length / 2).
        window_fn: The window that `mdct` had.
        norm: The norm that `mdct` had.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor (..., samples).

    Raises:
        ValueError: `mdcts` has less than two axes.
        tf.errors.InvalidArgumentError: Half a frame is not a multiple of 2.
    """
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
