"""Every function of `tf.signal` on numbers that TensorFlow 2.21 was run on: values and gradients.

The operands are sines (`wave`), so that a test file can write down what they give. Complex numbers are
written as pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
import pytest

import gradtape as tf

from .tensorflow_values import OBSERVED


def wave(*shape: int, k: float = 1.0) -> Any:
    return tf.constant(np.sin(k * np.arange(prod(shape))).reshape(shape).astype(np.float32))


def spiral(*shape: int) -> Any:
    angles = np.arange(prod(shape)).reshape(shape)
    return tf.constant((np.sin(angles) + 1j * np.cos(2.0 * angles)).astype(np.complex64))


S = tf.signal
CASES: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    "fft": (S.fft, [spiral(2, 5)]),
    "ifft": (S.ifft, [spiral(2, 5)]),
    "fft2d": (S.fft2d, [spiral(2, 2, 3)]),
    "ifft2d": (S.ifft2d, [spiral(2, 2, 3)]),
    "fft3d": (S.fft3d, [spiral(2, 2, 3)]),
    "ifft3d": (S.ifft3d, [spiral(2, 2, 3)]),
    "rfft even": (S.rfft, [wave(2, 4)]),
    "rfft odd": (S.rfft, [wave(2, 5)]),
    "rfft padded": (lambda x: S.rfft(x, [6]), [wave(2, 4)]),
    "irfft": (S.irfft, [spiral(2, 3)]),
    "irfft odd": (lambda x: S.irfft(x, [5]), [spiral(2, 3)]),
    "irfft padded": (lambda x: S.irfft(x, [8]), [spiral(2, 3)]),
    "rfft2d": (S.rfft2d, [wave(2, 3, 4)]),
    "rfft2d padded": (lambda x: S.rfft2d(x, [3, 5]), [wave(2, 4)]),
    "irfft2d": (S.irfft2d, [spiral(3, 3)]),
    "irfft2d odd": (lambda x: S.irfft2d(x, [3, 5]), [spiral(3, 3)]),
    "dct 1": (lambda x: S.dct(x, 1), [wave(2, 5)]),
    "dct 2": (lambda x: S.dct(x, 2), [wave(2, 5)]),
    "dct 3": (lambda x: S.dct(x, 3), [wave(2, 5)]),
    "dct 4": (lambda x: S.dct(x, 4), [wave(2, 5)]),
    "dct 2 ortho": (lambda x: S.dct(x, 2, norm="ortho"), [wave(2, 5)]),
    "dct 3 ortho": (lambda x: S.dct(x, 3, norm="ortho"), [wave(2, 5)]),
    "dct 4 ortho": (lambda x: S.dct(x, 4, norm="ortho"), [wave(2, 5)]),
    "dct longer": (lambda x: S.dct(x, n=7), [wave(2, 4)]),
    "dct shorter": (lambda x: S.dct(x, n=3), [wave(2, 4)]),
    "idct 2": (S.idct, [wave(2, 5)]),
    "idct 3 ortho": (lambda x: S.idct(x, 3, norm="ortho"), [wave(2, 5)]),
    "frame": (lambda x: S.frame(x, 4, 3), [wave(2, 11)]),
    "frame pad_end": (lambda x: S.frame(x, 4, 3, True, 0.5), [wave(8)]),
    "frame axis": (lambda x: S.frame(x, 2, 1, axis=0), [wave(4, 2)]),
    "overlap_and_add": (lambda x: S.overlap_and_add(x, 2), [wave(3, 5)]),
    "overlap_and_add apart": (lambda x: S.overlap_and_add(x, 3), [wave(3, 2)]),
    "stft": (lambda x: S.stft(x, 5, 3), [wave(12)]),
    "stft pad_end": (lambda x: S.stft(x, 4, 3, 4, pad_end=True), [wave(8)]),
    "stft short fft": (lambda x: S.stft(S.frame(x, 4, 4), 2, 1, 4, S.hamming_window), [wave(8)]),
    "inverse_stft": (lambda x: S.inverse_stft(x, 4, 2), [spiral(3, 3)]),
    "inverse_stft window": (
        lambda x: S.inverse_stft(x, 3, 2, 4, S.inverse_stft_window_fn(2, S.hamming_window)),
        [spiral(3, 3)],
    ),
    "mdct": (lambda x: S.mdct(x, 4), [wave(9)]),
    "mdct ortho": (lambda x: S.mdct(x, 4, S.kaiser_bessel_derived_window, True, "ortho"), [wave(9)]),
    "mdct no window": (lambda x: S.mdct(x, 4, None), [wave(9)]),
    "inverse_mdct": (S.inverse_mdct, [wave(3, 4)]),
    "inverse_mdct ortho": (lambda x: S.inverse_mdct(x, None, "ortho"), [wave(3, 4)]),
    "hann": (lambda: S.hann_window(6), []),
    "hann symmetric": (lambda: S.hann_window(6, periodic=False), []),
    "hann odd": (lambda: S.hann_window(5), []),
    "hamming": (lambda: S.hamming_window(4), []),
    "kaiser": (lambda beta: S.kaiser_window(5, beta), [tf.constant(3.0)]),
    "kaiser_bessel_derived": (lambda beta: S.kaiser_bessel_derived_window(6, beta), [tf.constant(3.0)]),
    "vorbis": (lambda: S.vorbis_window(6), []),
    "mel": (lambda: S.linear_to_mel_weight_matrix(3, 6, 100, 0.0, 40.0), []),
    "mfccs": (S.mfccs_from_log_mel_spectrograms, [wave(2, 4)]),
    "fftshift": (S.fftshift, [wave(3, 4)]),
    "fftshift axes": (lambda x: S.fftshift(x, [-1]), [wave(2, 5)]),
    "ifftshift": (S.ifftshift, [wave(3, 5)]),
}


def numbers(tensor: Any) -> Any:
    """All numbers in one line, complex ones as pairs."""
    flat = np.ascontiguousarray(tensor.numpy()).reshape(-1)
    return flat.view(flat.real.dtype) if flat.dtype.kind == "c" else flat


def value_and_gradients(f: Callable[..., Any], operands: list[Any]) -> list[Any]:
    with tf.GradientTape() as tape:
        tape.watch(operands)
        y = f(*operands)
    direction = tf.cast(wave(*y.shape, k=0.7), y.dtype)
    return [numbers(t) for t in (y, *(tape.gradient(y, operands, direction) if operands else []))]


@pytest.mark.parametrize("name", CASES)
def test_values_and_gradients_are_those_of_tensorflow(name: str) -> None:
    found = value_and_gradients(*CASES[name])
    assert len(found) == len(OBSERVED[name])
    for got, expected in zip(found, OBSERVED[name], strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-4)


def test_every_public_name_has_a_case() -> None:
    covered = " ".join(CASES)
    special = {
        "rfft3d",
        "irfft3d",
        "fftnd",
        "ifftnd",
        "rfftnd",
        "irfftnd",
    }  # no gradient, or no kernel, in TensorFlow
    for name in dir(S):
        if callable(getattr(S, name)) and name not in special:
            stem = name.removesuffix("_window").removesuffix("_fn").removesuffix("_from_log_mel_spectrograms")
            stem = {"inverse_stft_window": "inverse_stft window", "linear_to_mel_weight_matrix": "mel"}.get(stem, stem)
            assert stem in covered, name
