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
    """
    return fourier.fftnd(_complex(a), _length(n), [axis], norm)


def ifft(a: TensorLike, n: int | None = None, axis: int = -1, norm: str | None = None) -> Tensor:
    """The inverse of `fft`."""
    return fourier.ifftnd(_complex(a), _length(n), [axis], norm)


def fft2(a: TensorLike, s: _Sizes = None, axes: _Axes = (-2, -1), norm: str | None = None) -> Tensor:
    """The Fourier transform over two axes."""
    return fftn(a, s, axes, norm)


def ifft2(a: TensorLike, s: _Sizes = None, axes: _Axes = (-2, -1), norm: str | None = None) -> Tensor:
    """The inverse of `fft2`."""
    return ifftn(a, s, axes, norm)


def fftn(a: TensorLike, s: _Sizes = None, axes: _Axes = None, norm: str | None = None) -> Tensor:
    """The Fourier transform over some axes, by default all; or as many of the last as there are sizes."""
    return fourier.fftnd(_complex(a), s, axes, norm)  # type: ignore[arg-type]


def ifftn(a: TensorLike, s: _Sizes = None, axes: _Axes = None, norm: str | None = None) -> Tensor:
    """The inverse of `fftn`."""
    return fourier.ifftnd(_complex(a), s, axes, norm)  # type: ignore[arg-type]


def rfft(a: TensorLike, n: int | None = None, axis: int = -1, norm: str | None = None) -> Tensor:
    """The first half of the Fourier transform of a real signal; the rest are the conjugates."""
    return fourier.rfftnd(_real(a), _length(n), [axis], norm)


def irfft(a: TensorLike, n: int | None = None, axis: int = -1, norm: str | None = None) -> Tensor:
    """The inverse of `rfft`, a signal of length `n`."""
    return fourier.irfftnd(_complex(a), _length(n), [axis], norm)


def rfft2(a: TensorLike, s: _Sizes = None, axes: _Axes = (-2, -1), norm: str | None = None) -> Tensor:
    """`rfft` over the second of two axes, after `fft` over the first."""
    return rfftn(a, s, axes, norm)


def irfft2(a: TensorLike, s: _Sizes = None, axes: _Axes = (-2, -1), norm: str | None = None) -> Tensor:
    """The inverse of `rfft2`."""
    return irfftn(a, s, axes, norm)


def rfftn(a: TensorLike, s: _Sizes = None, axes: _Axes = None, norm: str | None = None) -> Tensor:
    """`rfft` over the last of some axes, after `fft` over the others."""
    return fourier.rfftnd(_real(a), s, axes, norm)  # type: ignore[arg-type]


def irfftn(a: TensorLike, s: _Sizes = None, axes: _Axes = None, norm: str | None = None) -> Tensor:
    """The inverse of `rfftn`."""
    return fourier.irfftnd(_complex(a), s, axes, norm)  # type: ignore[arg-type]


_OTHER_WAY = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


def hfft(a: TensorLike, n: int | None = None, axis: int = -1, norm: str | None = None) -> Tensor:
    """The transform of a signal whose second half are the conjugates of the first: real."""
    return irfft(math.conj(_complex(a)), n, axis, _OTHER_WAY.get(norm, norm))


def ihfft(a: TensorLike, n: int | None = None, axis: int = -1, norm: str | None = None) -> Tensor:
    """The inverse of `hfft`."""
    return math.conj(rfft(a, n, axis, _OTHER_WAY.get(norm, norm)))


def fftshift(x: TensorLike, axes: AxisLike | None = None) -> Tensor:
    """The spectrum with frequency zero in the middle."""
    return fourier.fftshift(asarray(x), axes)


def ifftshift(x: TensorLike, axes: AxisLike | None = None) -> Tensor:
    """Undoes `fftshift`."""
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
