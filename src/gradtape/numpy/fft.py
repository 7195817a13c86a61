"""`gradtape.numpy.fft`: numpy.fft's transforms that the tape follows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .. import math
from ..base import dtypes
from ..base.namespaces import listing
from ..base.traceable import trace_public
from ..base.types import AxisLike, TensorLike
from ..signal import fourier
from .promotion import asarray, to_type

if TYPE_CHECKING:
    from ..values.tensor import Tensor

_Sizes = Sequence[int] | None
_Axes = Sequence[int] | None
_SINGLE = (dtypes.float32, dtypes.complex64)


def _complex(a: object) -> Any:
    x = asarray(a)
    return x if x.dtype.is_complex else to_type(x, "complex64" if x.dtype in _SINGLE else "complex128")


def _real(a: object) -> Any:
    x = asarray(a)
    if x.dtype.is_complex:
        raise TypeError(f"The transform of a real signal needs real numbers, got {x.dtype!r}.")
    return x if x.dtype in (dtypes.float32, dtypes.float64) else to_type(x, "float64")


def _length(n: int | None) -> Any:
    return None if n is None else [n]


def fft(a: TensorLike, n: int | None = None, axis: int = -1, norm: str | None = None) -> Tensor:
    """The Fourier transform along one axis, cut or filled up with zeros to `n`.

    >>> import gradtape as tf
    >>> tf.numpy.fft.fft([1.0, 0.0, 0.0, 0.0]).numpy()
    array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])

    Args:
        a: A tensor, or what can become one.
        n: The length, cut or filled up with zeros; None: that of `a`.
        axis: The axis.
        norm: Where the division by the length stands: "backward" in the inverse, "forward", or "ortho" in both as a
            square root.

    Returns:
        Complex numbers.
    """
    return fourier.fftnd(_complex(a), _length(n), [axis], norm)


def ifft(a: TensorLike, n: int | None = None, axis: int = -1, norm: str | None = None) -> Tensor:
    """The inverse of `fft`.

    >>> import gradtape as tf
    >>> tf.numpy.fft.ifft([4.0, 0.0, 0.0, 0.0]).numpy()
    array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])

    Args:
        a: A tensor, or what can become one.
        n: The length, cut or filled up with zeros; None: that of `a`.
        axis: The axis.
        norm: Where the division by the length stands: "backward" in the inverse, "forward", or "ortho" in both as a
            square root.

    Returns:
        Complex numbers.
    """
    return fourier.ifftnd(_complex(a), _length(n), [axis], norm)


def fft2(a: TensorLike, s: _Sizes = None, axes: _Axes = (-2, -1), norm: str | None = None) -> Tensor:
    """The Fourier transform over two axes.

    >>> import gradtape as tf
    >>> tf.numpy.fft.fft2([[1.0, 2.0], [3.0, 4.0]]).numpy()
    array([[10.+0.j, -2.+0.j],
           [-4.+0.j,  0.+0.j]])

    Args:
        a: A tensor, or what can become one.
        s: The sizes along the axes, cut or filled up with zeros.
        axes: The two axes.
        norm: Where the division by the length stands: "backward" in the inverse, "forward", or "ortho" in both as a
            square root.

    Returns:
        Complex numbers.
    """
    return fftn(a, s, axes, norm)


def ifft2(a: TensorLike, s: _Sizes = None, axes: _Axes = (-2, -1), norm: str | None = None) -> Tensor:
    """The inverse of `fft2`.

    >>> import gradtape as tf
    >>> tf.numpy.fft.ifft2([[4.0, 0.0], [0.0, 0.0]]).numpy()
    array([[1.+0.j, 1.+0.j],
           [1.+0.j, 1.+0.j]])

    Args:
        a: A tensor, or what can become one.
        s: The sizes along the axes, cut or filled up with zeros.
        axes: The two axes.
        norm: Where the division by the length stands: "backward" in the inverse, "forward", or "ortho" in both as a
            square root.

    Returns:
        Complex numbers.
    """
    return ifftn(a, s, axes, norm)


def fftn(a: TensorLike, s: _Sizes = None, axes: _Axes = None, norm: str | None = None) -> Tensor:
    """The Fourier transform over some axes, by default all; or as many of the last as there are sizes.

    >>> import gradtape as tf
    >>> tf.numpy.fft.fftn([[1.0, 2.0], [3.0, 4.0]], axes=[0]).numpy()
    array([[ 4.+0.j,  6.+0.j],
           [-2.+0.j, -2.+0.j]])

    Args:
        a: A tensor, or what can become one.
        s: The sizes along the axes, cut or filled up with zeros.
        axes: The axes; None: all, or as many of the last as there are sizes.
        norm: Where the division by the length stands: "backward" in the inverse, "forward", or "ortho" in both as a
            square root.

    Returns:
        Complex numbers.
    """
    return fourier.fftnd(_complex(a), s, axes, norm)  # type: ignore[arg-type]


def ifftn(a: TensorLike, s: _Sizes = None, axes: _Axes = None, norm: str | None = None) -> Tensor:
    """The inverse of `fftn`.

    >>> import gradtape as tf
    >>> tf.numpy.fft.ifftn(tf.numpy.fft.fftn([[1.0, 2.0], [3.0, 4.0]])).numpy().real
    array([[1., 2.],
           [3., 4.]])

    Args:
        a: A tensor, or what can become one.
        s: The sizes along the axes, cut or filled up with zeros.
        axes: The axes; None: all, or as many of the last as there are sizes.
        norm: Where the division by the length stands: "backward" in the inverse, "forward", or "ortho" in both as a
            square root.

    Returns:
        Complex numbers.
    """
    return fourier.ifftnd(_complex(a), s, axes, norm)  # type: ignore[arg-type]


def rfft(a: TensorLike, n: int | None = None, axis: int = -1, norm: str | None = None) -> Tensor:
    """The first half of the Fourier transform of a real signal; the rest are the conjugates.

    >>> import gradtape as tf
    >>> tf.numpy.fft.rfft([1.0, 2.0, 3.0, 4.0]).numpy()
    array([10.+0.j, -2.+2.j, -2.+0.j])

    Args:
        a: A tensor of real numbers, or what can become one.
        n: The length, cut or filled up with zeros; None: that of `a`.
        axis: The axis.
        norm: Where the division by the length stands: "backward" in the inverse, "forward", or "ortho" in both as a
            square root.

    Returns:
        Complex numbers, half the length and one more along the axis.

    Raises:
        TypeError: The numbers are complex.
    """
    return fourier.rfftnd(_real(a), _length(n), [axis], norm)


def irfft(a: TensorLike, n: int | None = None, axis: int = -1, norm: str | None = None) -> Tensor:
    """The inverse of `rfft`, a signal of length `n`.

    >>> import gradtape as tf
    >>> tf.numpy.fft.irfft([10.0, -2 + 2j, -2.0]).numpy()
    array([1., 2., 3., 4.])

    Args:
        a: A tensor, or what can become one.
        n: The length of the signal; None: twice that of the spectrum, less 2.
        axis: The axis.
        norm: Where the division by the length stands: "backward" in the inverse, "forward", or "ortho" in both as a
            square root.

    Returns:
        Real numbers.
    """
    return fourier.irfftnd(_complex(a), _length(n), [axis], norm)


def rfft2(a: TensorLike, s: _Sizes = None, axes: _Axes = (-2, -1), norm: str | None = None) -> Tensor:
    """`rfft` over the second of two axes, after `fft` over the first.

    >>> import gradtape as tf
    >>> tf.numpy.fft.rfft2([[1.0, 2.0], [3.0, 4.0]]).numpy()
    array([[10.+0.j, -2.+0.j],
           [-4.+0.j,  0.+0.j]])

    Args:
        a: A tensor of real numbers, or what can become one.
        s: The sizes along the axes, cut or filled up with zeros.
        axes: The two axes.
        norm: Where the division by the length stands: "backward" in the inverse, "forward", or "ortho" in both as a
            square root.

    Returns:
        Complex numbers, half the length and one more along the second of the axes.

    Raises:
        TypeError: The numbers are complex.
    """
    return rfftn(a, s, axes, norm)


def irfft2(a: TensorLike, s: _Sizes = None, axes: _Axes = (-2, -1), norm: str | None = None) -> Tensor:
    """The inverse of `rfft2`.

    >>> import gradtape as tf
    >>> tf.numpy.fft.irfft2([[10.0, -2.0], [-4.0, 0.0]]).numpy()
    array([[1., 2.],
           [3., 4.]])

    Args:
        a: A tensor, or what can become one.
        s: The sizes of the signal along the axes; None: the last is twice that of the spectrum, less 2.
        axes: The two axes.
        norm: Where the division by the length stands: "backward" in the inverse, "forward", or "ortho" in both as a
            square root.

    Returns:
        Real numbers.
    """
    return irfftn(a, s, axes, norm)


def rfftn(a: TensorLike, s: _Sizes = None, axes: _Axes = None, norm: str | None = None) -> Tensor:
    """`rfft` over the last of some axes, after `fft` over the others.

    >>> import gradtape as tf
    >>> tf.numpy.fft.rfftn(tf.numpy.ones([2, 2, 4])).shape
    TensorShape([2, 2, 3])

    Args:
        a: A tensor of real numbers, or what can become one.
        s: The sizes along the axes, cut or filled up with zeros.
        axes: The axes; None: all, or as many of the last as there are sizes.
        norm: Where the division by the length stands: "backward" in the inverse, "forward", or "ortho" in both as a
            square root.

    Returns:
        Complex numbers, half the length and one more along the last of the axes.

    Raises:
        TypeError: The numbers are complex.
    """
    return fourier.rfftnd(_real(a), s, axes, norm)  # type: ignore[arg-type]


def irfftn(a: TensorLike, s: _Sizes = None, axes: _Axes = None, norm: str | None = None) -> Tensor:
    """The inverse of `rfftn`.

    >>> import gradtape as tf
    >>> tf.numpy.fft.irfftn(tf.numpy.ones([2, 2, 3])).shape
    TensorShape([2, 2, 4])

    Args:
        a: A tensor, or what can become one.
        s: The sizes of the signal along the axes; None: the last is twice that of the spectrum, less 2.
        axes: The axes; None: all, or as many of the last as there are sizes.
        norm: Where the division by the length stands: "backward" in the inverse, "forward", or "ortho" in both as a
            square root.

    Returns:
        Real numbers.
    """
    return fourier.irfftnd(_complex(a), s, axes, norm)  # type: ignore[arg-type]


_OTHER_WAY = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


def hfft(a: TensorLike, n: int | None = None, axis: int = -1, norm: str | None = None) -> Tensor:
    """The transform of a signal whose second half are the conjugates of the first: real.

    >>> import gradtape as tf
    >>> tf.numpy.fft.hfft([1.0, 2.0, 3.0]).numpy()
    array([ 8., -2.,  0., -2.])

    Args:
        a: The first half of the signal.
        n: The length of the signal; None: twice that of the first half, less 2.
        axis: The axis.
        norm: Where the division by the length stands: "backward" in the inverse, "forward", or "ortho" in both as a
            square root.

    Returns:
        Real numbers.
    """
    return irfft(math.conj(_complex(a)), n, axis, _OTHER_WAY.get(norm, norm))


def ihfft(a: TensorLike, n: int | None = None, axis: int = -1, norm: str | None = None) -> Tensor:
    """The inverse of `hfft`.

    >>> import gradtape as tf
    >>> tf.numpy.fft.ihfft([8.0, -2.0, 0.0, -2.0]).numpy().real
    array([1., 2., 3.])

    Args:
        a: A tensor of real numbers, or what can become one.
        n: The length, cut or filled up with zeros; None: that of `a`.
        axis: The axis.
        norm: Where the division by the length stands: "backward" in the inverse, "forward", or "ortho" in both as a
            square root.

    Returns:
        Complex numbers, half the length and one more along the axis.
    """
    return math.conj(rfft(a, n, axis, _OTHER_WAY.get(norm, norm)))


def fftshift(x: TensorLike, axes: AxisLike | None = None) -> Tensor:
    """The spectrum with frequency zero in the middle.

    >>> import gradtape as tf
    >>> tf.numpy.fft.fftshift([0, 1, 2, -2, -1]).numpy()
    array([-2, -1,  0,  1,  2])

    Args:
        x: A tensor, or what can become one.
        axes: The axis, or several; None: all.

    Returns:
        A tensor of the same shape.
    """
    return fourier.fftshift(asarray(x), axes)


def ifftshift(x: TensorLike, axes: AxisLike | None = None) -> Tensor:
    """Undoes `fftshift`.

    >>> import gradtape as tf
    >>> tf.numpy.fft.ifftshift([-2, -1, 0, 1, 2]).numpy()
    array([ 0,  1,  2, -2, -1])

    Args:
        x: A tensor, or what can become one.
        axes: The axis, or several; None: all.

    Returns:
        A tensor of the same shape.
    """
    return fourier.ifftshift(asarray(x), axes)


trace_public(globals())

__all__ = [
    "fft",
    "fft2",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftn",
]

__dir__ = listing(globals())
