"""Fourier transforms over the last one, two or three axes, or over any axes."""

from __future__ import annotations

from math import prod, sqrt
from typing import Any

import numpy as np

from ..api.arrays import convert_to_tensor
from ..api.layout import pad, roll
from ..base import dtypes
from ..base.errors import ArgumentValueError, NumberNeededError, invalid
from ..base.traceable import trace_public
from ..base.types import AxisLike, IntLike, TensorLike, Value
from ..op.attributes import as_int, as_ints, no_setting
from ..ops.array.index import getitem
from ..ops.signal import fourier as f
from ..values.tensor import Tensor, to_tensor
from ..variables.variable import Variable


def _complex_tensor(value: TensorLike) -> Any:
    """Tensors as they are; other real numbers become complex64."""
    x = to_tensor(value)
    if isinstance(value, (Tensor, Variable)) or x.dtype.is_complex:
        return x
    return convert_to_tensor(value, dtype_hint=dtypes.complex64)


def fft(input: TensorLike, name: str | None = None) -> Tensor:
    """The Fourier transform of complex signals along the last axis.

    >>> import gradtape as tf
    >>> tf.signal.fft([1, 0, 0, 0]).numpy()
    array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j], dtype=complex64)

    Args:
        input: Complex numbers with at least one axis.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Complex numbers in the same shape.
    """
    return f.fft.public(_complex_tensor(input), (-1,))


def ifft(input: TensorLike, name: str | None = None) -> Tensor:
    """The inverse Fourier transform along the last axis.

    >>> import gradtape as tf
    >>> tf.signal.ifft([4, 0, 0, 0]).numpy()
    array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j], dtype=complex64)

    Args:
        input: Complex numbers with at least one axis.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Complex numbers in the same shape.
    """
    return f.ifft.public(_complex_tensor(input), (-1,))


def fft2d(input: TensorLike, name: str | None = None) -> Tensor:
    """The Fourier transform over the last two axes.

    >>> import gradtape as tf
    >>> tf.signal.fft2d([[1, 0], [0, 0]]).numpy()
    array([[1.+0.j, 1.+0.j],
           [1.+0.j, 1.+0.j]], dtype=complex64)

    Args:
        input: Complex numbers with at least two axes.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Complex numbers in the same shape.
    """
    return f.fft.public(_complex_tensor(input), (-2, -1))


def ifft2d(input: TensorLike, name: str | None = None) -> Tensor:
    """The inverse Fourier transform over the last two axes.

    >>> import gradtape as tf
    >>> tf.signal.ifft2d([[4, 0], [0, 0]]).numpy()
    array([[1.+0.j, 1.+0.j],
           [1.+0.j, 1.+0.j]], dtype=complex64)

    Args:
        input: Complex numbers with at least two axes.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Complex numbers in the same shape.
    """
    return f.ifft.public(_complex_tensor(input), (-2, -1))


def fft3d(input: TensorLike, name: str | None = None) -> Tensor:
    """The Fourier transform over the last three axes.

    >>> import gradtape as tf
    >>> tf.signal.fft3d([[[1, 0], [0, 0]]]).numpy()
    array([[[1.+0.j, 1.+0.j],
            [1.+0.j, 1.+0.j]]], dtype=complex64)

    Args:
        input: Complex numbers with at least three axes.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Complex numbers in the same shape.
    """
    return f.fft.public(_complex_tensor(input), (-3, -2, -1))


def ifft3d(input: TensorLike, name: str | None = None) -> Tensor:
    """The inverse Fourier transform over the last three axes.

    >>> import gradtape as tf
    >>> tf.signal.ifft3d([[[4, 0], [0, 0]]]).numpy()
    array([[[1.+0.j, 1.+0.j],
            [1.+0.j, 1.+0.j]]], dtype=complex64)

    Args:
        input: Complex numbers with at least three axes.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Complex numbers in the same shape.
    """
    return f.ifft.public(_complex_tensor(input), (-3, -2, -1))


# --- real signals -------------------------------------------------------------------------------------------


def _real_tensor(value: TensorLike) -> Any:
    x = convert_to_tensor(value, dtype_hint=dtypes.float32)
    if x.dtype not in (dtypes.float32, dtypes.float64):
        raise ValueError(f"RFFT requires tf.float32 or tf.float64 inputs, got {x.dtype!r}. Use tf.cast.")
    return x


def _spectrum_tensor(value: TensorLike) -> Any:
    x = convert_to_tensor(value, dtype_hint=dtypes.complex64)
    if not x.dtype.is_complex:
        raise ValueError(f"IRFFT requires tf.complex64 or tf.complex128 inputs, got {x.dtype!r}. Use tf.cast.")
    return x


def _check_rank(x: Value, count: int) -> None:
    if x.ndim < count:
        raise ValueError(f"Shape {x.shape} must have rank at least {count}.")


def _lengths(fft_length: Any, count: int) -> tuple[int, ...]:
    if not np.ndim(fft_length):
        as_ints(fft_length)
        raise NumberNeededError(None, None, f"fft_length must be a list of {count} sizes, got {fft_length!r}.")
    lengths = as_ints(fft_length)
    if len(lengths) != count or min(lengths, default=1) < 1:
        raise invalid(f"fft_length must be {count} positive sizes, one for each axis, got {list(lengths)}.")
    return lengths


def _resized(x: Any, axes: tuple[int, ...], sizes: tuple[int, ...]) -> Any:
    """x cut, or filled up with zeros at the end, to these sizes along these axes."""
    wanted = dict(zip((axis % x.ndim for axis in axes), sizes, strict=True))
    if any(size < x.shape[axis] for axis, size in wanted.items()):
        key = tuple(slice(None, wanted.get(axis)) for axis in range(x.ndim))
        x = getitem.public(x, key)
    if any(size > x.shape[axis] for axis, size in wanted.items()):
        x = pad(x, [[0, wanted.get(axis, x.shape[axis]) - x.shape[axis]] for axis in range(x.ndim)])
    return x


def _rfft(x: TensorLike, axes: tuple[int, ...], fft_length: object) -> Any:
    if fft_length is not None:
        x = _resized(x, axes, _lengths(fft_length, len(axes)))
    return f.rfft.public(x, axes)


def _irfft(x: Any, axes: tuple[int, ...], fft_length: object) -> Any:
    if fft_length is None:
        length = max(0, 2 * (x.shape[axes[-1]] - 1))
        sizes = (*(x.shape[axis] for axis in axes[:-1]), f.half_size(length))
    else:
        *outer, length = _lengths(fft_length, len(axes))
        sizes = (*outer, f.half_size(length))
    return f.irfft.public(_resized(x, axes, sizes), axes, length)


def _last_axes(x: Any, count: int) -> tuple[int, ...]:
    _check_rank(x, count)
    return tuple(range(-count, 0))


def rfft(input_tensor: TensorLike, fft_length: object = None, name: str | None = None) -> Tensor:
    """The Fourier transform of real signals along the last axis: the first `fft_length / 2 + 1` frequencies.

    With `fft_length` the signal is first cut, or filled up with zeros.

    >>> import gradtape as tf
    >>> tf.signal.rfft([1.0, 2.0, 3.0, 4.0]).numpy()
    array([10.+0.j, -2.+2.j, -2.+0.j], dtype=complex64)

    Args:
        input_tensor: Real numbers with at least one axis.
        fft_length: The length to which the signal is cut or filled up with zeros; by default its own.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Complex numbers.
    """
    x = _real_tensor(input_tensor)
    return _rfft(x, _last_axes(x, 1), fft_length)


def irfft(input_tensor: TensorLike, fft_length: object = None, name: str | None = None) -> Tensor:
    """The real signals with these spectra, of length `fft_length`, by default `2 * (frequencies - 1)`.

    >>> import gradtape as tf
    >>> tf.signal.irfft(tf.signal.rfft([1.0, 2.0, 3.0, 4.0])).numpy()
    array([1., 2., 3., 4.], dtype=float32)

    Args:
        input_tensor: Complex numbers with at least one axis.
        fft_length: The length of the signal; by default an even one.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Real numbers.
    """
    x = _spectrum_tensor(input_tensor)
    return _irfft(x, _last_axes(x, 1), fft_length)


def rfft2d(input_tensor: TensorLike, fft_length: IntLike | None = None, name: str | None = None) -> Tensor:
    """The Fourier transform of real signals over the last two axes, half of the last one kept.

    >>> import gradtape as tf
    >>> tf.signal.rfft2d([[1.0, 2.0], [3.0, 4.0]]).numpy()
    array([[10.+0.j, -2.+0.j],
           [-4.+0.j,  0.+0.j]], dtype=complex64)

    Args:
        input_tensor: Real numbers with at least two axes.
        fft_length: The sizes to which the signal is cut or filled up with zeros; by default its own.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Complex numbers.
    """
    x = _real_tensor(input_tensor)
    return _rfft(x, _last_axes(x, 2), fft_length)


def irfft2d(input_tensor: TensorLike, fft_length: IntLike | None = None, name: str | None = None) -> Tensor:
    """The inverse of `rfft2d`; `fft_length` holds the two sizes of the signal.

    >>> import gradtape as tf
    >>> tf.signal.irfft2d(tf.signal.rfft2d([[1.0, 2.0], [3.0, 4.0]])).numpy()
    array([[1., 2.],
           [3., 4.]], dtype=float32)

    Args:
        input_tensor: Complex numbers with at least two axes.
        fft_length: The sizes of the signal; by default the last one is even.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Real numbers.
    """
    x = _spectrum_tensor(input_tensor)
    return _irfft(x, _last_axes(x, 2), fft_length)


def rfft3d(input_tensor: TensorLike, fft_length: IntLike | None = None, name: str | None = None) -> Tensor:
    """The Fourier transform of real signals over the last three axes, half of the last one kept.

    >>> import gradtape as tf
    >>> tf.signal.rfft3d([[[1.0, 2.0], [3.0, 4.0]]]).numpy()
    array([[[10.+0.j, -2.+0.j],
            [-4.+0.j,  0.+0.j]]], dtype=complex64)

    Args:
        input_tensor: Real numbers with at least three axes.
        fft_length: The sizes to which the signal is cut or filled up with zeros; by default its own.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Complex numbers.
    """
    x = _real_tensor(input_tensor)
    return _rfft(x, _last_axes(x, 3), fft_length)


def irfft3d(input_tensor: TensorLike, fft_length: IntLike | None = None, name: str | None = None) -> Tensor:
    """The inverse of `rfft3d`; `fft_length` holds the three sizes of the signal.

    >>> import gradtape as tf
    >>> tf.signal.irfft3d(tf.signal.rfft3d([[[1.0, 2.0], [3.0, 4.0]]])).numpy()
    array([[[1., 2.],
            [3., 4.]]], dtype=float32)

    Args:
        input_tensor: Complex numbers with at least three axes.
        fft_length: The sizes of the signal; by default the last one is even.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Real numbers.
    """
    x = _spectrum_tensor(input_tensor)
    return _irfft(x, _last_axes(x, 3), fft_length)


# --- any axes -----------------------------------------------------------------------------------------------


def _over(x: Tensor, fft_length: object, axes: object) -> tuple[Tensor, tuple[int, ...]]:
    """The tensor, cut or filled up with zeros where lengths are given, and the axes to transform."""
    chosen = _any_axes(x, fft_length, axes)
    if fft_length is not None:
        x = _resized(x, chosen, _lengths(fft_length, len(chosen)))
    return x, chosen


def _any_axes(x: Any, fft_length: object, axes: object) -> tuple[int, ...]:
    """The axes given; or as many of the last as there are lengths; or all."""
    if axes is not None:
        chosen = as_ints(axes)
        if any(not -x.ndim <= axis < x.ndim for axis in chosen):
            raise invalid(f"axes {list(chosen)} must exist in a tensor of shape {x.shape}.")
        return chosen
    return _last_axes(x, x.ndim if fft_length is None else len(as_ints(fft_length)))


def _factor(norm: str | None, count: int, inverse: bool) -> float:
    """What the transform without a norm has to be multiplied by."""
    if norm not in (None, "backward", "ortho", "forward"):
        message = f"norm must be None, 'backward', 'ortho' or 'forward', got {norm!r}."
        raise no_setting(ArgumentValueError, norm)(None, None, message)
    factor = {"ortho": 1 / sqrt(max(count, 1)), "forward": 1 / max(count, 1)}.get(norm or "", 1.0)
    return 1 / factor if inverse else factor


def _scaled(x: Value, factor: float) -> Any:
    return x if factor == 1.0 else x * factor


def fftnd(
    input_tensor: TensorLike,
    fft_length: IntLike | None = None,
    axes: AxisLike | None = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The Fourier transform over any axes.

    >>> import gradtape as tf
    >>> tf.signal.fftnd(tf.constant([[1, 1], [1, 1]], tf.complex64)).numpy()
    array([[4.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]], dtype=complex64)

    Args:
        input_tensor: A tensor of complex64 or complex128.
        fft_length: The size of each axis, which is cut, or filled up with zeros; all as they are by default.
        axes: The axes; by default all, or as many of the last ones as `fft_length` has sizes.
        norm: Where the factor 1 / N goes: "backward" or None (to the inverse), "forward" (here), "ortho" (its root to each).
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A complex tensor of the same rank.

    Raises:
        ValueError: `norm` is another word, or `fft_length` has more sizes than there are axes.
        tf.errors.InvalidArgumentError: An axis does not exist, or the lengths do not fit the axes.
    """
    x, chosen = _over(_complex_tensor(input_tensor), fft_length, axes)
    count = prod(x.shape[axis] for axis in chosen)
    return f.fft.public(_scaled(x, _factor(norm, count, inverse=False)), chosen)


def ifftnd(
    input_tensor: TensorLike,
    fft_length: IntLike | None = None,
    axes: AxisLike | None = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The inverse Fourier transform over any axes; it undoes `fftnd` with the same arguments.

    >>> import gradtape as tf
    >>> x = tf.constant([[1, 2], [3, 4]], tf.complex64)
    >>> tf.signal.ifftnd(tf.signal.fftnd(x)).numpy()
    array([[1.+0.j, 2.+0.j],
           [3.+0.j, 4.+0.j]], dtype=complex64)

    Args:
        input_tensor: A tensor of complex64 or complex128.
        fft_length: The size of each axis, which is cut, or filled up with zeros; all as they are by default.
        axes: The axes; by default all, or as many of the last ones as `fft_length` has sizes.
        norm: Where the factor 1 / N goes: "backward" or None (here), "forward" (to `fftnd`), "ortho" (its root to each).
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A complex tensor of the same rank.

    Raises:
        ValueError: `norm` is another word, or `fft_length` has more sizes than there are axes.
        tf.errors.InvalidArgumentError: An axis does not exist, or the lengths do not fit the axes.
    """
    x, chosen = _over(_complex_tensor(input_tensor), fft_length, axes)
    count = prod(x.shape[axis] for axis in chosen)
    return f.ifft.public(_scaled(x, _factor(norm, count, inverse=True)), chosen)


def rfftnd(
    input_tensor: TensorLike,
    fft_length: IntLike | None = None,
    axes: AxisLike | None = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The Fourier transform of real numbers over any axes; of the last one only the frequencies that are not negative.

    >>> import gradtape as tf
    >>> tf.signal.rfftnd([[1.0, 1.0, 1.0, 1.0]] * 2).numpy()
    array([[8.+0.j, 0.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j, 0.+0.j]], dtype=complex64)

    Args:
        input_tensor: A tensor of float32 or float64.
        fft_length: The size of each axis, which is cut, or filled up with zeros; all as they are by default.
        axes: The axes; by default all, or as many of the last ones as `fft_length` has sizes.
        norm: Where the factor 1 / N goes: "backward" or None (to the inverse), "forward" (here), "ortho" (its root to each).
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A complex tensor of the same rank, with n // 2 + 1 frequencies along the last axis.

    Raises:
        ValueError: `norm` is another word, or `fft_length` has more sizes than there are axes.
        tf.errors.InvalidArgumentError: An axis does not exist, or the lengths do not fit the axes.
    """
    x = _real_tensor(input_tensor)
    chosen = _any_axes(x, fft_length, axes)
    sizes = tuple(x.shape[axis] for axis in chosen) if fft_length is None else _lengths(fft_length, len(chosen))
    return _rfft(_scaled(x, _factor(norm, prod(sizes), inverse=False)), chosen, fft_length)


def irfftnd(
    input_tensor: TensorLike,
    fft_length: IntLike | None = None,
    axes: AxisLike | None = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The real numbers with this Fourier transform; it undoes `rfftnd`.

    >>> import gradtape as tf
    >>> spectrum = tf.signal.rfftnd([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    >>> tf.signal.irfftnd(spectrum, fft_length=[2, 3]).numpy().round(4)
    array([[1., 2., 3.],
           [4., 5., 6.]], dtype=float32)

    Args:
        input_tensor: A tensor of complex64 or complex128; along the last axis the frequencies that are not negative.
        fft_length: The size of each axis of the result. By default the last one is even, 2 * (n - 1): an odd one has to be given.
        axes: The axes; by default all, or as many of the last ones as `fft_length` has sizes.
        norm: Where the factor 1 / N goes: "backward" or None (here), "forward" (to `rfftnd`), "ortho" (its root to each).
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of floats of the same rank.

    Raises:
        ValueError: `norm` is another word, or `fft_length` has more sizes than there are axes.
        tf.errors.InvalidArgumentError: An axis does not exist, or the lengths do not fit the axes.
    """
    x = _spectrum_tensor(input_tensor)
    chosen = _any_axes(x, fft_length, axes)
    signal = _irfft(x, chosen, fft_length)
    count = prod(signal.shape[axis] for axis in chosen)
    return _scaled(signal, _factor(norm, count, inverse=True))


# --- shifts -------------------------------------------------------------------------------------------------


def _shift(x: Any, axes: object, sign: int) -> Any:
    if axes is None:
        chosen = tuple(range(x.ndim))
    elif isinstance(axes, int):
        chosen = (as_int(axes),)
    else:
        chosen = as_ints(axes)
    if any(not -x.ndim <= axis < x.ndim for axis in chosen):
        raise invalid(f"fftshift: axes {list(chosen)} must exist in a tensor of shape {x.shape}.")
    return roll(x, tuple(sign * (x.shape[axis] // 2) for axis in chosen), chosen)


def fftshift(x: TensorLike, axes: AxisLike | None = None, name: str | None = None) -> Tensor:
    """The spectrum with frequency zero in the middle, along some axes (all by default).

    >>> import gradtape as tf
    >>> tf.signal.fftshift([0, 1, 2, -2, -1]).numpy()
    array([-2, -1,  0,  1,  2], dtype=int32)

    Args:
        x: A tensor.
        axes: One axis, or several; all by default.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.
    """
    return _shift(to_tensor(x), axes, 1)


def ifftshift(x: TensorLike, axes: AxisLike | None = None, name: str | None = None) -> Tensor:
    """Undoes `fftshift`.

    >>> import gradtape as tf
    >>> tf.signal.ifftshift([-2, -1, 0, 1, 2]).numpy()
    array([ 0,  1,  2, -2, -1], dtype=int32)

    Args:
        x: A tensor.
        axes: One axis, or several; all by default.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.
    """
    return _shift(to_tensor(x), axes, -1)


trace_public(globals())
