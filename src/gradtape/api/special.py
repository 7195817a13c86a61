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

    Args:
        x: A tensor of floating numbers.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the same shape and type.
    """
    return b.bessel_i.public(x, 0)


def bessel_i0e(x: TensorLike, name: str | None = None) -> Tensor:
    """bessel_i0(x) * exp(-|x|), which stays finite where bessel_i0 is too large for the type.

    >>> import gradtape as tf
    >>> tf.math.special.bessel_i0e([0.0, 1.0, 1000.0]).numpy()
    array([1.        , 0.4657596 , 0.01261724], dtype=float32)

    Args:
        x: A tensor of floating numbers.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the same shape and type.
    """
    return b.bessel_ie.public(x, 0)


def bessel_i1(x: TensorLike, name: str | None = None) -> Tensor:
    """The modified Bessel function of the first kind and order 1.

    >>> import gradtape as tf
    >>> tf.math.special.bessel_i1([0.0, 1.0]).numpy()
    array([0.       , 0.5651591], dtype=float32)

    Args:
        x: A tensor of floating numbers.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the same shape and type.
    """
    return b.bessel_i.public(x, 1)


def bessel_i1e(x: TensorLike, name: str | None = None) -> Tensor:
    """bessel_i1(x) * exp(-|x|), which stays finite where bessel_i1 is too large for the type.

    >>> import gradtape as tf
    >>> tf.math.special.bessel_i1e([0.0, 1.0, 1000.0]).numpy()
    array([0.        , 0.20791042, 0.01261093], dtype=float32)

    Args:
        x: A tensor of floating numbers.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the same shape and type.
    """
    return b.bessel_ie.public(x, 1)


def bessel_j0(x: TensorLike, name: str | None = None) -> Tensor:
    """The Bessel function of the first kind and order 0.

    >>> import gradtape as tf
    >>> tf.math.special.bessel_j0([0.0, 1.0]).numpy()
    array([1.       , 0.7651977], dtype=float32)

    Args:
        x: A tensor of floating numbers.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the same shape and type.
    """
    return b.bessel_j.public(x, 0)


def bessel_j1(x: TensorLike, name: str | None = None) -> Tensor:
    """The Bessel function of the first kind and order 1.

    >>> import gradtape as tf
    >>> tf.math.special.bessel_j1([0.0, 1.0]).numpy()
    array([0.        , 0.44005057], dtype=float32)

    Args:
        x: A tensor of floating numbers.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the same shape and type.
    """
    return b.bessel_j.public(x, 1)


def bessel_k0(x: TensorLike, name: str | None = None) -> Tensor:
    """The modified Bessel function of the second kind and order 0.

    >>> import gradtape as tf
    >>> tf.math.special.bessel_k0([0.5, 1.0]).numpy()
    array([0.92441905, 0.42102444], dtype=float32)

    Args:
        x: Positive floating numbers.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the same shape and type.
    """
    return b.bessel_k.public(x, 0)


def bessel_k0e(x: TensorLike, name: str | None = None) -> Tensor:
    """bessel_k0(x) * exp(x), which does not vanish where bessel_k0 is too small for the type.

    >>> import gradtape as tf
    >>> tf.math.special.bessel_k0e([1.0, 1000.0]).numpy()
    array([1.1444631 , 0.03962832], dtype=float32)

    Args:
        x: Positive floating numbers.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the same shape and type.
    """
    return b.bessel_ke.public(x, 0)


def bessel_k1(x: TensorLike, name: str | None = None) -> Tensor:
    """The modified Bessel function of the second kind and order 1.

    >>> import gradtape as tf
    >>> tf.math.special.bessel_k1([0.5, 1.0]).numpy()
    array([1.6564411 , 0.60190725], dtype=float32)

    Args:
        x: Positive floating numbers.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the same shape and type.
    """
    return b.bessel_k.public(x, 1)


def bessel_k1e(x: TensorLike, name: str | None = None) -> Tensor:
    """bessel_k1(x) * exp(x), which does not vanish where bessel_k1 is too small for the type.

    >>> import gradtape as tf
    >>> tf.math.special.bessel_k1e([1.0, 1000.0]).numpy()
    array([1.6361535 , 0.03964813], dtype=float32)

    Args:
        x: Positive floating numbers.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the same shape and type.
    """
    return b.bessel_ke.public(x, 1)


def bessel_y0(x: TensorLike, name: str | None = None) -> Tensor:
    """The Bessel function of the second kind and order 0.

    >>> import gradtape as tf
    >>> tf.math.special.bessel_y0([0.5, 1.0]).numpy()
    array([-0.44451874,  0.08825696], dtype=float32)

    Args:
        x: Positive floating numbers.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the same shape and type.
    """
    return b.bessel_y.public(x, 0)


def bessel_y1(x: TensorLike, name: str | None = None) -> Tensor:
    """The Bessel function of the second kind and order 1.

    >>> import gradtape as tf
    >>> tf.math.special.bessel_y1([0.5, 1.0]).numpy()
    array([-1.4714724, -0.7812128], dtype=float32)

    Args:
        x: Positive floating numbers.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the same shape and type.
    """
    return b.bessel_y.public(x, 1)


trace_public(globals())

__dir__ = listing(globals())
