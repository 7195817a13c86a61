"""The mel scale of frequencies, and the cepstral coefficients made of it."""

from __future__ import annotations

from math import sqrt

import numpy as np

from ..base import dtypes
from ..base.dtypes import Array
from ..base.errors import invalid
from ..base.traceable import shaped, trace_public
from ..base.types import DTypeLike, IntLike, TensorLike
from ..op.abstract import Abstract
from ..op.attributes import as_float, as_int
from ..values.tensor import Tensor, from_array, to_tensor
from .cosine import dct


def _mel(hertz: TensorLike) -> Array:
    """Frequencies on the mel scale, by the formula of the Hidden Markov Model Toolkit."""
    return np.asarray(1127.0 * np.log1p(np.asarray(hertz, np.float64) / 700.0))


def _look(
    num_mel_bins: IntLike = 20,
    num_spectrogram_bins: IntLike = 129,
    sample_rate: object = 8000,
    lower_edge_hertz: object = 125.0,
    upper_edge_hertz: object = 3800.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Abstract:
    return Abstract((as_int(num_spectrogram_bins), as_int(num_mel_bins)), dtypes.as_dtype(dtype).numpy)


@shaped(_look)
def linear_to_mel_weight_matrix(
    num_mel_bins: int = 20,
    num_spectrogram_bins: IntLike = 129,
    sample_rate: TensorLike = 8000,
    lower_edge_hertz: float = 125.0,
    upper_edge_hertz: float = 3800.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """The matrix that turns a spectrum into bands that are even on the mel scale, the one of hearing.

    >>> import gradtape as tf
    >>> spectrogram = tf.abs(tf.signal.stft(tf.zeros([1024]), frame_length=256, frame_step=128))
    >>> matrix = tf.signal.linear_to_mel_weight_matrix(num_mel_bins=20, num_spectrogram_bins=129, sample_rate=8000)
    >>> tf.tensordot(spectrogram, matrix, 1).shape
    TensorShape([7, 20])

    Args:
        num_mel_bins: How many bands there are.
        num_spectrogram_bins: How many frequencies a spectrum has: `fft_length // 2 + 1`.
        sample_rate: Samples per second of the signal.
        lower_edge_hertz: Where the lowest band begins.
        upper_edge_hertz: Where the highest band ends.
        dtype: A floating type.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor (num_spectrogram_bins, num_mel_bins).

    Raises:
        ValueError: A number is not positive, the edges are in the wrong order, the upper one is above half the sample rate, or
            the type is not floating.
    """
    kind = dtypes.as_dtype(dtype)
    bands, bins, rate = as_int(num_mel_bins), as_int(num_spectrogram_bins), as_float(sample_rate)
    low, high = as_float(lower_edge_hertz), as_float(upper_edge_hertz)
    if bands <= 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {bands}")
    if low < 0.0:
        raise ValueError(f"lower_edge_hertz must be non-negative. Got: {low}")
    if low >= high:
        raise ValueError(f"lower_edge_hertz {low:.1f} >= upper_edge_hertz {high:.1f}")
    if rate <= 0.0:
        raise ValueError(f"sample_rate must be positive. Got: {rate}")
    if high > rate / 2:
        raise ValueError(
            "upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / 2). "
            f"Got {high} for sample_rate: {rate}"
        )
    if not kind.is_floating:
        raise ValueError(f"dtype must be a floating point type. Got: {kind!r}")
    if bins <= 0:
        raise invalid(f"num_spectrogram_bins must be positive, got {bins}.")
    frequencies = _mel(np.linspace(0.0, rate / 2, bins))[:, None]
    edges = np.linspace(_mel(low), _mel(high), bands + 2)
    rising = (frequencies - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - frequencies) / (edges[2:] - edges[1:-1])
    matrix = np.maximum(0.0, np.minimum(rising, falling))
    matrix[0] = 0.0  # frequency zero is in no band
    return from_array(matrix.astype(kind.numpy))


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: TensorLike, name: str | None = None) -> Tensor:
    """Mel-frequency cepstral coefficients: cosine transforms of log mel spectrograms.

    >>> import gradtape as tf
    >>> log_mel = tf.math.log(tf.constant([[1.0, 2.0, 4.0, 9.0]]))
    >>> tf.signal.mfccs_from_log_mel_spectrograms(log_mel).numpy().round(4)
    array([[ 3.0241, -1.623 ,  0.0589, -0.1417]], dtype=float32)

    Args:
        log_mel_spectrograms: A tensor of float32 or float64 (..., num_mel_bins).
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the same shape.

    Raises:
        ValueError: There are no bands.
    """
    x = to_tensor(log_mel_spectrograms)
    if x.ndim and x.shape[-1] == 0:
        raise ValueError(f"num_mel_bins must be positive. Got shape {x.shape}.")
    cosines = dct(x, type=2)
    return cosines * (1.0 / sqrt(2.0 * x.shape[-1]))


trace_public(globals())
