"""Parts of complex numbers, element by element: conjugate, real and imaginary part, angle."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.dtypes import FLOATING, INEXACT, NARROW_FLOATS, NUMERIC, Array
from ...base.types import Cotangent, Namespace, Tangent, Value
from ...op.family import (
    elementwise,
    is_complex,
    sample_binary,
    sample_unary,
)
from ...op.shapes import complex_type, real_type
from .logic import zeros_like


def _conj(x: Array) -> Array:
    return np.conj(x) if x.dtype.kind == "c" else x


@elementwise(eager=_conj, dtypes=NUMERIC)
def conj(xp: Namespace, x: Array) -> Any:
    """The complex conjugate.

    >>> import gradtape as tf
    >>> tf.math.conj([1 + 2j]).numpy()
    array([1.-2.j])
    """
    return xp.conj(x)


@conj.vjp("x")
def _(g: Cotangent) -> Any:
    return conj(g)


conj.linear("x")


@elementwise(eager=np.real, dtypes=NUMERIC, gives=real_type)
def real(xp: Namespace, input: Array) -> Any:
    """The real part.

    >>> import gradtape as tf
    >>> tf.math.real([1 + 2j]).numpy()
    array([1.])
    """
    return xp.real(input)


@real.vjp("input")
def _(g: Cotangent, input: Value) -> Any:
    return cast_like(g, input)


real.linear("input")


@elementwise(eager=np.imag, dtypes=NUMERIC, gives=real_type)
def imag(xp: Namespace, input: Array) -> Any:
    """The imaginary part."""
    return xp.imag(input)


@imag.vjp("input")
def _(g: Cotangent, input: Value) -> Any:
    return make_complex(zeros_like(g), g) if is_complex(input) else zeros_like(g)


imag.linear("input")


def _make_complex(real: Array, imag: Array) -> Array:
    result = np.empty(np.broadcast_shapes(np.shape(real), np.shape(imag)), np.result_type(real, np.complex64))
    result.real = real
    result.imag = imag
    return result


@elementwise(
    eager=_make_complex,
    dtypes=FLOATING - NARROW_FLOATS,
    tf_name="Complex",
    retypes=True,
    gives=complex_type,
    called="complex",
)
def make_complex(xp: Namespace, real: Array, imag: Array) -> Any:
    """The complex number with this real and this imaginary part."""
    return real + 1j * imag


@make_complex.vjp("real")
def _(g: Cotangent) -> Any:
    return real(g)


@make_complex.vjp("imag")
def _(g: Cotangent) -> Any:
    return imag(g)


@make_complex.jvp("real")
def _(t: Tangent) -> Any:
    return make_complex(t, zeros_like(t))


@make_complex.jvp("imag")
def _(t: Tangent) -> Any:
    return make_complex(zeros_like(t), t)


def _angle(input: Array) -> Any:
    # (NumPy's angle of -0.0 is pi, and that of nan is nan.)
    return np.angle(input) if input.dtype.kind == "c" else np.where(input < 0, np.pi, 0).astype(input.dtype)


@elementwise(eager=_angle, dtypes=INEXACT, gives=real_type)
def angle(xp: Namespace, input: Array) -> Any:
    """The argument of a complex number; of a real one pi if it is negative and 0 otherwise."""
    return xp.angle(input) if xp.iscomplexobj(input) else xp.where(input < 0, xp.pi, 0).astype(input.dtype)


@angle.vjp("input")
def _(g: Cotangent, input: Value) -> Any:
    if not is_complex(input):
        return zeros_like(g)
    # d angle = Im(dz / z), so the cotangent of z is g * i z / |z|^2.
    return make_complex(zeros_like(g), g) / conj(input)


@angle.jvp("input")
def _(t: Tangent, input: Value) -> Any:
    return imag(t / input) if is_complex(input) else zeros_like(t)


def cast_like(g: Value, x: Value) -> Any:
    """A real cotangent as a complex one, where x is complex."""
    return make_complex(g, zeros_like(g)) if is_complex(x) and not is_complex(g) else g


for _op in (conj, real, imag):
    sample_unary(_op)
sample_unary(angle, avoid=(0.0,))
sample_binary(make_complex)
