"""`tf.math.special`: Bessel functions and integrals without a closed form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..base.namespaces import listing
from ..base.traceable import trace_public
from ..base.types import TensorLike
from ..ops.math import bessel as b
from ..ops.public import dawsn as dawsn
from ..ops.public import expint as expint
from ..ops.public import fresnel_cos as fresnel_cos
from ..ops.public import fresnel_sin as fresnel_sin
from ..ops.public import spence as spence

if TYPE_CHECKING:
    from ..values.tensor import Tensor


def bessel_i0(x: TensorLike, name: str | None = None) -> Tensor:
    """The modified Bessel function of the first kind and order 0.

    >>> import gradtape as tf
    >>> tf.math.special.bessel_i0([0.0, 1.0]).numpy()
    array([1.       , 1.2660658], dtype=float32)
    """
    return b.bessel_i.public(x, 0)


def bessel_i0e(x: TensorLike, name: str | None = None) -> Tensor:
    """bessel_i0(x) * exp(-|x|)."""
    return b.bessel_ie.public(x, 0)


def bessel_i1(x: TensorLike, name: str | None = None) -> Tensor:
    """The modified Bessel function of the first kind and order 1."""
    return b.bessel_i.public(x, 1)


def bessel_i1e(x: TensorLike, name: str | None = None) -> Tensor:
    """bessel_i1(x) * exp(-|x|)."""
    return b.bessel_ie.public(x, 1)


def bessel_j0(x: TensorLike, name: str | None = None) -> Tensor:
    """The Bessel function of the first kind and order 0."""
    return b.bessel_j.public(x, 0)


def bessel_j1(x: TensorLike, name: str | None = None) -> Tensor:
    """The Bessel function of the first kind and order 1."""
    return b.bessel_j.public(x, 1)


def bessel_k0(x: TensorLike, name: str | None = None) -> Tensor:
    """The modified Bessel function of the second kind and order 0."""
    return b.bessel_k.public(x, 0)


def bessel_k0e(x: TensorLike, name: str | None = None) -> Tensor:
    """bessel_k0(x) * exp(x)."""
    return b.bessel_ke.public(x, 0)


def bessel_k1(x: TensorLike, name: str | None = None) -> Tensor:
    """The modified Bessel function of the second kind and order 1."""
    return b.bessel_k.public(x, 1)


def bessel_k1e(x: TensorLike, name: str | None = None) -> Tensor:
    """bessel_k1(x) * exp(x)."""
    return b.bessel_ke.public(x, 1)


def bessel_y0(x: TensorLike, name: str | None = None) -> Tensor:
    """The Bessel function of the second kind and order 0."""
    return b.bessel_y.public(x, 0)


def bessel_y1(x: TensorLike, name: str | None = None) -> Tensor:
    """The Bessel function of the second kind and order 1."""
    return b.bessel_y.public(x, 1)


trace_public(globals())

__dir__ = listing(globals())
