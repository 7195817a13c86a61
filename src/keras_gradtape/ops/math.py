"""What Keras's backend interface calls `math`: segments, extremes, Fourier transforms, special functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradtape as tf
from gradtape import cast
from gradtape.signal import (
    fft as complex_fft,
)
from gradtape.signal import (
    fft2d,
    frame,
    hamming_window,
    hann_window,
    ifft2d,
    inverse_stft,
    inverse_stft_window_fn,
)

from .core import convert_to_tensor
from .numpy.selection import histogram as histogram
from .promotion import floats, named, to_type, together

Function = Callable[..., Any]

# --- segments --------------------------------------------------------------------------------------------------------


def _segment(name: str, of_sorted: Function, of_any: Function) -> Function:
    def reduce(data: Any, segment_ids: Any, num_segments: Any = None, sorted: bool = False) -> Any:
        data, ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
        ids = ids if ids.dtype in (tf.int32, tf.int64) else cast(ids, tf.int32)
        if sorted and num_segments is None:
            return of_sorted(data, ids)
        return of_any(data, ids, tf.reduce_max(ids) + 1 if num_segments is None else num_segments)

    return named(name, f"The {name.removeprefix('segment_')} of the rows that have the same segment id.", reduce)


segment_sum = _segment("segment_sum", tf.math.segment_sum, tf.math.unsorted_segment_sum)
segment_max = _segment("segment_max", tf.math.segment_max, tf.math.unsorted_segment_max)
segment_min = _segment("segment_min", tf.math.segment_min, tf.math.unsorted_segment_min)
segment_prod = _segment("segment_prod", tf.math.segment_prod, tf.math.unsorted_segment_prod)


# --- extremes and distances ------------------------------------------------------------------------------------------


def top_k(x: Any, k: int, sorted: bool = True) -> Any:
    """The k largest elements along the last axis, and where they are."""
    return tf.math.top_k(convert_to_tensor(x), k, sorted)


def in_top_k(targets: Any, predictions: Any, k: int) -> Any:
    """Whether the prediction for each target is among the k largest of its row."""
    predictions = convert_to_tensor(predictions)
    return tf.math.in_top_k(convert_to_tensor(targets), to_type(predictions, tf.float32), k)


def logsumexp(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """log(sum(exp(x))), without overflow."""
    return tf.reduce_logsumexp(floats(x), axis, keepdims)


def cdist(x: Any, y: Any) -> Any:
    """The distances of all points of x from all points of y."""
    x, y = together(convert_to_tensor(x), convert_to_tensor(y))
    if x.ndim < 2 or y.ndim < 2:
        raise ValueError("`cdist` inputs must have rank >= 2")
    if x.shape[-1] != y.shape[-1]:
        raise ValueError("Last dimension of inputs to `cdist` must match")
    return tf.sqrt(tf.reduce_sum(tf.math.squared_difference(tf.expand_dims(x, -2), tf.expand_dims(y, -3)), -1))


def logdet(x: Any) -> Any:
    """The logarithm of the determinant of a positive definite matrix."""
    return tf.linalg.logdet(floats(x))


# --- special functions -----------------------------------------------------------------------------------------------


def rsqrt(x: Any) -> Any:
    """1 / sqrt(x)."""
    return tf.math.rsqrt(floats(x))


def erf(x: Any) -> Any:
    """The error function."""
    return tf.math.erf(floats(x))


def erfc(x: Any) -> Any:
    """1 - erf(x)."""
    return tf.math.erfc(floats(x))


def erfinv(x: Any) -> Any:
    """The inverse of the error function; narrow floats are computed in float32."""
    x = floats(x)
    return cast(tf.math.erfinv(cast(x, tf.float32)), x.dtype) if x.dtype.is_narrow else tf.math.erfinv(x)


# --- Fourier transforms ----------------------------------------------------------------------------------------------


def extract_sequences(x: Any, sequence_length: int, sequence_stride: int) -> Any:
    """Windows along the last axis, as rows."""
    return frame(convert_to_tensor(x), sequence_length, sequence_stride)


def _get_complex_tensor_from_tuple(x: Any) -> Any:
    """A complex tensor from its real and its imaginary part; Keras calls this function by its private name."""
    if not isinstance(x, (tuple, list)) or len(x) != 2:
        raise ValueError(f"Input `x` should be a tuple of two tensors - real and imaginary. Received: x={x}")
    real, imaginary = (convert_to_tensor(part) for part in x)
    if real.shape != imaginary.shape:
        raise ValueError(
            "Input `x` should be a tuple of two tensors - real and imaginary. Both the real and imaginary parts should "
            f"have the same shape. Received: x[0].shape = {real.shape}, x[1].shape = {imaginary.shape}"
        )
    if not real.dtype.is_floating or not imaginary.dtype.is_floating:
        raise ValueError(f"At least one tensor in input `x` is not of type float. Received: x={x}.")
    return tf.complex(real, imaginary)


def _parts(x: Any) -> tuple[Any, Any]:
    return tf.math.real(x), tf.math.imag(x)


def fft(x: Any) -> Any:
    """The Fourier transform along the last axis, of real and imaginary part."""
    return _parts(complex_fft(_get_complex_tensor_from_tuple(x)))


def fft2(x: Any) -> Any:
    """The Fourier transform along the last two axes."""
    return _parts(fft2d(_get_complex_tensor_from_tuple(x)))


def ifft2(x: Any) -> Any:
    """The inverse of `fft2`."""
    return _parts(ifft2d(_get_complex_tensor_from_tuple(x)))


def rfft(x: Any, fft_length: Any = None) -> Any:
    """The Fourier transform of real numbers along the last axis: the non-negative frequencies."""
    return _parts(tf.signal.rfft(floats(x), None if fft_length is None else [fft_length]))


def irfft(x: Any, fft_length: Any = None) -> Any:
    """The inverse of `rfft`."""
    return tf.signal.irfft(_get_complex_tensor_from_tuple(x), None if fft_length is None else [fft_length])


_WINDOWS = {"hann": hann_window, "hamming": hamming_window}


def _window(window: Any, sequence_length: int, fft_length: int, dtype: Any) -> Any:
    """The window, given by name or as a tensor, zero-padded at both ends to `fft_length`; None without a window."""
    if window is None:
        return None
    if isinstance(window, str):
        if window not in _WINDOWS:
            raise ValueError(
                f'If a string is passed to `window`, it must be one of `"hann"`, `"hamming"`. Received: window={window}'
            )
        weights = _WINDOWS[window](sequence_length, periodic=True, dtype=dtype)
    else:
        weights = convert_to_tensor(window, dtype)
    if weights.ndim != 1 or weights.shape[0] != sequence_length:
        raise ValueError(
            f"The shape of `window` must be equal to [sequence_length]. Received: window shape={weights.shape}"
        )
    before = (fft_length - sequence_length) // 2
    return tf.pad(weights, [[before, fft_length - sequence_length - before]])


def stft(
    x: Any, sequence_length: int, sequence_stride: int, fft_length: int, window: Any = "hann", center: bool = True
) -> Any:
    """The Fourier transforms of windows along the last axis; `center` mirrors the ends so that each sample counts."""
    x = convert_to_tensor(x)
    if x.dtype not in (tf.float32, tf.float64):
        raise TypeError(f"Invalid input type. Expected `float32` or `float64`. Received: input type={x.dtype.name}")
    if fft_length < sequence_length:
        raise ValueError(
            "`fft_length` must equal or larger than `sequence_length`. "
            f"Received: sequence_length={sequence_length}, fft_length={fft_length}"
        )
    weights = _window(window, sequence_length, fft_length, x.dtype)
    if center:
        x = tf.pad(x, [[0, 0]] * (x.ndim - 1) + [[fft_length // 2] * 2], "REFLECT")
    frames = frame(x, fft_length, sequence_stride)
    return _parts(tf.signal.rfft(frames if weights is None else frames * weights))


def istft(
    x: Any,
    sequence_length: int,
    sequence_stride: int,
    fft_length: int,
    length: Any = None,
    window: Any = "hann",
    center: bool = True,
) -> Any:
    """The inverse of `stft`."""
    spectrum = _get_complex_tensor_from_tuple(x)
    weights = _window(window, sequence_length, fft_length, tf.math.real(spectrum).dtype)
    whole = fft_length + sequence_stride * (tf.shape(spectrum)[-2] - 1)
    scaled = None if weights is None else inverse_stft_window_fn(sequence_stride, lambda length, dtype=None: weights)
    signal = inverse_stft(spectrum, fft_length, sequence_stride, fft_length, scaled)
    start = fft_length // 2 if center else 0
    if length is not None:
        return signal[..., start : start + length]
    return signal[..., start : -start if center else whole]
