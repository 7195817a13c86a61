"""`tf.signal`: what the functions are by definition, derivatives by differences, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.fft
import scipy.signal

import gradtape as tf

S = tf.signal
RNG = np.random.default_rng(0)


def real(*shape: int) -> Any:
    return tf.constant(RNG.standard_normal(shape))


def cplx(*shape: int) -> Any:
    return tf.constant(RNG.standard_normal(shape) + 1j * RNG.standard_normal(shape))


# --- values -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("norm", [None, "backward", "ortho", "forward"])
@pytest.mark.parametrize(
    ("sizes", "axes"),
    [
        (None, None),
        ([2, 3], [0, 1]),
        ([4, 6], [1, 2]),
        ([3], [2]),
        ([3, 4], None),
        ([5, 2], [2, 0]),
        (None, [1]),
    ],
)
def test_nd_transforms_are_numpys(sizes: Any, axes: Any, norm: Any) -> None:
    x, z = real(2, 3, 4), cplx(2, 3, 4)
    given = {"fft_length": sizes, "axes": axes, "norm": norm}
    if axes is None:  # NumPy wants the axes said where there are sizes
        axes = list(range(-(3 if sizes is None else len(sizes)), 0))
    for ours, theirs, value in [
        (S.fftnd, np.fft.fftn, z),
        (S.ifftnd, np.fft.ifftn, z),
        (S.rfftnd, np.fft.rfftn, x),
        (S.irfftnd, np.fft.irfftn, z),
    ]:
        np.testing.assert_allclose(ours(value, **given), theirs(value.numpy(), sizes, axes, norm), atol=1e-12)


def test_3d_real_transforms_are_numpys() -> None:
    x, z = real(2, 3, 4, 5), cplx(2, 3, 4, 3)
    np.testing.assert_allclose(S.rfft3d(x), np.fft.rfftn(x.numpy(), axes=(1, 2, 3)), atol=1e-12)
    np.testing.assert_allclose(S.irfft3d(z), np.fft.irfftn(z.numpy(), axes=(1, 2, 3)), atol=1e-12)
    np.testing.assert_allclose(S.irfft3d(z, [3, 4, 5]), np.fft.irfftn(z.numpy(), (3, 4, 5), (1, 2, 3)), atol=1e-12)


def test_a_transform_and_its_inverse_undo_each_other() -> None:
    x = real(3, 8)
    np.testing.assert_allclose(S.irfft(S.rfft(x)), x, atol=1e-12)
    np.testing.assert_allclose(S.irfft(S.rfft(x, [9]), [9])[:, :8], x, atol=1e-12)
    np.testing.assert_allclose(S.ifft(S.fft(cplx(3, 7) * 0 + 2)).numpy(), np.full((3, 7), 2.0), atol=1e-12)
    for kind in (1, 2, 3, 4):
        scale = 2 * (8 - (kind == 1))
        np.testing.assert_allclose(S.idct(S.dct(x, kind), kind) / scale, x, atol=1e-12)
        if kind > 1:
            np.testing.assert_allclose(S.idct(S.dct(x, kind, norm="ortho"), kind, norm="ortho"), x, atol=1e-12)
    np.testing.assert_array_equal(S.ifftshift(S.fftshift(x)), x)


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_cosine_transforms_are_scipys(kind: int) -> None:
    x = real(2, 6)
    np.testing.assert_allclose(S.dct(x, kind), scipy.fft.dct(x.numpy(), kind), atol=1e-12)
    for n in (3, 9):
        np.testing.assert_allclose(S.dct(x, kind, n=n), scipy.fft.dct(x.numpy(), kind, n), atol=1e-12)


def test_stft_is_scipys_and_its_inverse_gives_the_signal_back() -> None:
    x = real(200)
    spectrum = S.stft(x, 32, 8, window_fn=S.hann_window)
    window = scipy.signal.get_window("hann", 32)
    frames = np.lib.stride_tricks.sliding_window_view(x.numpy(), 32)[::8] * window
    np.testing.assert_allclose(spectrum, np.fft.rfft(frames), atol=1e-7)
    back = S.inverse_stft(spectrum, 32, 8, window_fn=S.inverse_stft_window_fn(8))
    np.testing.assert_allclose(back[32:-32], x[32 : back.shape[0] - 32], atol=1e-7)


@pytest.mark.parametrize("norm", [None, "ortho"])
@pytest.mark.parametrize("window", [S.vorbis_window, S.kaiser_bessel_derived_window, None])
def test_inverse_mdct_gives_the_signal_back(window: Any, norm: Any) -> None:
    x = real(40)
    back = S.inverse_mdct(S.mdct(tf.pad(x, [[8, 0]]), 16, window, True, norm), window, norm)
    np.testing.assert_allclose(back[8:48], x, atol=1e-7)


def test_windows_are_scipys() -> None:
    for length in (2, 5, 8):
        get = scipy.signal.get_window
        even = length % 2 == 0  # TensorFlow's odd windows are symmetric
        np.testing.assert_allclose(S.hann_window(length, dtype=tf.float64), get("hann", length, even), atol=1e-12)
        np.testing.assert_allclose(
            S.hamming_window(length, False, tf.float64), get("hamming", length, False), atol=1e-12
        )
        np.testing.assert_allclose(
            S.kaiser_window(length, 5.0, tf.float64), get(("kaiser", 5.0), length, False), atol=1e-12
        )
        derived = S.kaiser_bessel_derived_window(2 * length, 5.0, tf.float64)
        np.testing.assert_allclose(
            derived, scipy.signal.windows.kaiser_bessel_derived(2 * length, beta=5.0), atol=1e-12
        )
    for window in (S.hann_window, S.hamming_window, S.kaiser_window):
        np.testing.assert_array_equal(window(1), [1.0])
        assert window(4, dtype=tf.float16).dtype is tf.float16


def test_single_precision_stays_single() -> None:
    assert S.rfft(tf.ones([4])).dtype is tf.complex64
    assert S.irfft(tf.ones([4], tf.complex64)).dtype is tf.float32
    assert S.fft(tf.ones([4], tf.complex64)).dtype is tf.complex64
    assert S.dct(tf.ones([4])).dtype is tf.float32
    assert S.fft([1, 2]).dtype is tf.complex64
    assert S.rfft([1, 2]).dtype is tf.complex64


def test_empty_signals() -> None:
    assert S.rfft(tf.zeros([2, 0])).shape == (2, 0)
    assert S.rfft(tf.zeros([0, 5])).shape == (0, 3)
    assert S.irfft(tf.zeros([2, 1], tf.complex64)).shape == (2, 0)
    assert S.fft(tf.zeros([0], tf.complex64)).shape == (0,)
    assert S.frame(tf.zeros([3]), 5, 1).shape == (0, 5)
    assert S.dct(tf.zeros([0, 3])).shape == (0, 3)
    np.testing.assert_array_equal(S.overlap_and_add(tf.ones([0, 4]), 2), [0.0, 0.0])


def test_frames_of_any_type() -> None:
    assert S.frame([True, False, True], 2, 1).numpy().tolist() == [[True, False], [False, True]]
    assert S.frame(tf.constant(["a", "b", "c"]), 2, 1).numpy().tolist() == [[b"a", b"b"], [b"b", b"c"]]


# --- derivatives --------------------------------------------------------------------------------------------

DIFFERENTIATED: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    "rfft cut": (lambda x: S.rfft(x, [3]), [real(5)]),
    "rfft padded": (lambda x: S.rfft(x, [8]), [real(5)]),
    "rfft2d": (lambda x: S.rfft2d(x, [3, 5]), [real(4, 4)]),
    "rfft3d": (S.rfft3d, [real(2, 3, 4)]),
    "irfft cut": (lambda x: S.irfft(x, [3]), [cplx(4)]),
    "irfft padded": (lambda x: S.irfft(x, [9]), [cplx(4)]),
    "irfft2d": (S.irfft2d, [cplx(3, 3)]),
    "irfft3d": (S.irfft3d, [cplx(2, 3, 3)]),
    "fftnd": (lambda x: S.fftnd(x, [3, 2], [0, 2], "ortho"), [cplx(2, 2, 3)]),
    "rfftnd": (lambda x: S.rfftnd(x, None, [2, 0], "forward"), [real(2, 2, 3)]),
    "irfftnd": (lambda x: S.irfftnd(x, None, [0, 1], "ortho"), [cplx(2, 3, 2)]),
    "dct": (lambda x: S.dct(x, 1, 4), [real(2, 3)]),
    "frame": (lambda x: S.frame(x, 3, 2, True, axis=0), [real(6, 2)]),
    "overlap_and_add": (lambda x: S.overlap_and_add(x, 2), [real(2, 3, 5)]),
    "stft": (lambda x: S.stft(x, 4, 2, pad_end=True), [real(9)]),
    "inverse_stft": (lambda x: S.inverse_stft(x, 4, 2, window_fn=S.inverse_stft_window_fn(2)), [cplx(3, 3)]),
    "mdct": (lambda x: S.mdct(x, 4, pad_end=True), [real(9)]),
    "inverse_mdct": (S.inverse_mdct, [real(3, 4)]),
    "spectrogram": (lambda x: tf.math.log(tf.abs(S.stft(x, 4, 2)) ** 2 + 0.1), [real(8)]),
    "mfccs": (S.mfccs_from_log_mel_spectrograms, [real(2, 4)]),
    "kaiser": (lambda beta: S.kaiser_window(5, beta, tf.float64), [tf.constant(2.5, tf.float64)]),
    "derived": (
        lambda beta: S.kaiser_bessel_derived_window(6, beta, tf.float64),
        [tf.constant(2.5, tf.float64)],
    ),
    "fftshift": (lambda x: S.fftshift(x, 1), [real(2, 3)]),
}


@pytest.mark.parametrize("name", DIFFERENTIATED)
def test_gradients_by_differences(name: str) -> None:
    f, operands = DIFFERENTIATED[name]
    for exact, numeric in zip(*tf.test.compute_gradient(f, operands, 1e-4), strict=True):
        np.testing.assert_allclose(exact, numeric, atol=1e-6)


@pytest.mark.parametrize("name", ["stft", "spectrogram", "mdct", "rfft2d", "frame"])
def test_forward_mode_and_vectorization_agree(name: str) -> None:
    f, (x,) = DIFFERENTIATED[name]
    direction = real(*x.shape)
    with tf.GradientTape() as tape, tf.autodiff.ForwardAccumulator(x, direction) as accumulator:
        tape.watch(x)
        y = f(x)
        weights = tf.ones_like(y)
        total = tf.reduce_sum(tf.math.real(y * weights))
    gradient = tape.gradient(total, x)
    forward = tf.reduce_sum(tf.math.real(accumulator.jvp(y)))
    np.testing.assert_allclose(tf.reduce_sum(gradient * direction), forward, rtol=1e-9)
    many = tf.stack([x, 2 * x, -x])
    np.testing.assert_allclose(tf.vectorized_map(f, many), tf.stack([f(m) for m in many]), atol=1e-12)


# --- what is refused ----------------------------------------------------------------------------------------

Invalid = tf.errors.InvalidArgumentError
REFUSED: list[tuple[str, Callable[[], Any], Any]] = [
    ("fft of a scalar", lambda: S.fft(tf.constant(1 + 0j)), Invalid),
    ("fft of real numbers", lambda: S.fft(tf.ones([3])), Invalid),
    ("fft2d of a vector", lambda: S.fft2d(tf.ones([3], tf.complex64)), Invalid),
    ("fft3d of a matrix", lambda: S.ifft3d(tf.ones([3, 3], tf.complex64)), Invalid),
    ("rfft of integers", lambda: S.rfft(tf.constant([1, 2])), ValueError),
    ("rfft of half precision", lambda: S.rfft(tf.ones([3], tf.float16)), ValueError),
    ("rfft of a scalar", lambda: S.rfft(tf.ones([])), ValueError),
    ("rfft2d of a vector", lambda: S.rfft2d(tf.ones([3])), ValueError),
    ("irfft of real numbers", lambda: S.irfft(tf.ones([3])), ValueError),
    ("fft_length of another rank", lambda: S.rfft(tf.ones([3]), [3, 3]), Invalid),
    ("fft_length of zero", lambda: S.rfft(tf.ones([3]), [0]), Invalid),
    ("fft_length below zero", lambda: S.irfft(tf.ones([3], tf.complex64), [-4]), Invalid),
    (
        "fft_length that no memory holds",
        lambda: S.rfft(tf.ones([3]), [2**50]),
        (Invalid, tf.errors.ResourceExhaustedError),
    ),
    ("an axis that is not there", lambda: S.fftnd(tf.ones([3], tf.complex64), axes=[1]), Invalid),
    ("an axis twice", lambda: S.fftnd(tf.ones([3, 3], tf.complex64), axes=[1, -1]), Invalid),
    ("an unknown norm", lambda: S.fftnd(tf.ones([3], tf.complex64), norm="orthogonal"), ValueError),
    ("dct of integers", lambda: S.dct(tf.constant([1, 2])), TypeError),
    ("dct of half precision", lambda: S.dct(tf.ones([3], tf.float16)), TypeError),
    ("dct of another axis", lambda: S.dct(tf.ones([3]), axis=0), NotImplementedError),
    ("dct of type 5", lambda: S.dct(tf.ones([3]), 5), ValueError),
    ("dct 1 orthonormal", lambda: S.dct(tf.ones([3]), 1, norm="ortho"), ValueError),
    ("dct 1 of one number", lambda: S.dct(tf.ones([1]), 1), ValueError),
    ("dct to no length", lambda: S.dct(tf.ones([3]), n=0), ValueError),
    ("dct with another norm", lambda: S.dct(tf.ones([3]), norm="forward"), ValueError),
    ("frames without a step", lambda: S.frame(tf.ones([5]), 3, 0), Invalid),
    ("frames that go back", lambda: S.frame(tf.ones([5]), 3, -1), Invalid),
    ("frames of negative length", lambda: S.frame(tf.ones([5]), -3, 1), Invalid),
    ("frames of a scalar", lambda: S.frame(tf.ones([]), 3, 1), ValueError),
    ("frames of no axis", lambda: S.frame(tf.ones([5]), 3, 1, axis=1), Invalid),
    (
        "frames that no memory holds",
        lambda: S.frame(tf.ones([5]), 2**50, 1, True),
        (Invalid, tf.errors.ResourceExhaustedError),
    ),
    ("adding up a vector", lambda: S.overlap_and_add(tf.ones([3]), 1), ValueError),
    ("adding up without a step", lambda: S.overlap_and_add(tf.ones([3, 2]), 0), Invalid),
    ("adding up by half steps", lambda: S.overlap_and_add(tf.ones([3, 2]), 1.5), ValueError),
    ("a window of integers", lambda: S.hann_window(4, dtype=tf.int32), ValueError),
    ("a window of negative length", lambda: S.hann_window(-1), Invalid),
    ("an empty Kaiser window", lambda: S.kaiser_window(0), Invalid),
    ("a window of complex numbers", lambda: S.vorbis_window(4, tf.complex64), ValueError),
    ("mdct of frames of 6", lambda: S.mdct(tf.ones([8]), 6), ValueError),
    ("inverse_mdct of odd halves", lambda: S.inverse_mdct(tf.ones([2, 3])), Invalid),
    ("inverse_mdct with another norm", lambda: S.inverse_mdct(tf.ones([2, 4]), norm="forward"), ValueError),
    ("stft of integers", lambda: S.stft(tf.constant([1, 2, 3]), 2, 1), ValueError),
    ("mel bands of none", lambda: S.linear_to_mel_weight_matrix(0), ValueError),
    ("mel bands from below zero", lambda: S.linear_to_mel_weight_matrix(lower_edge_hertz=-1.0), ValueError),
    ("mel bands upside down", lambda: S.linear_to_mel_weight_matrix(lower_edge_hertz=9e3), ValueError),
    ("mel bands above Nyquist", lambda: S.linear_to_mel_weight_matrix(upper_edge_hertz=5e3), ValueError),
    ("mel bands without a rate", lambda: S.linear_to_mel_weight_matrix(sample_rate=0), ValueError),
    ("mel bands of integers", lambda: S.linear_to_mel_weight_matrix(dtype=tf.int32), ValueError),
    ("mfccs of no bands", lambda: S.mfccs_from_log_mel_spectrograms(tf.ones([2, 0])), ValueError),
    ("a shift of no axis", lambda: S.fftshift(tf.ones([3]), 7), Invalid),
]


@pytest.mark.parametrize(("call", "error"), [pytest.param(call, error, id=name) for name, call, error in REFUSED])
def test_refused(call: Callable[[], Any], error: Any) -> None:
    with pytest.raises(error):
        call()
