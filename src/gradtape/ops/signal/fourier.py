"""Fourier transforms of complex and real signals, and the cosine transforms.

All of them are linear, and the transpose of each is another one up to weights: the gradient of a transform
is a transform. A real signal's spectrum is Hermitian and only half of it is kept; the weights make up for
the other half. SciPy's kernels are used: they keep single precision, and are 2 to 6 times faster than
NumPy's on many lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod
from typing import Any

import numpy as np

from ...base.dtypes import COMPLEX, Array, float32, float64
from ...base.errors import invalid
from ...base.sizes import smaller
from ...base.types import Cotangent, Draw, Namespace, Value
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import batch_leading, negative_axis, numpy_type, rank_of, shape_of
from ...op.shapes import along, complex_type, like, place, real_type, replaced

Axes = tuple[int, ...]

_REAL = frozenset({float32.numpy, float64.numpy})


def _check_axes(name: str, shape: tuple[int, ...], axes: Axes) -> None:
    rank = len(shape)
    if rank < len(axes):
        raise invalid(f"{name}: a transform over {len(axes)} axes needs at least as many, got shape {shape}.")
    if any(not -rank <= a < rank for a in axes) or len({a % rank for a in axes}) != len(axes):
        raise invalid(f"{name}: axes {list(axes)} must be different axes of a tensor of shape {shape}.")


def half_size(length: int) -> int:
    """How many numbers the spectrum of a real signal has: the others are their conjugates."""
    return length // 2 + 1 if length else 0


def _size(shape: tuple[int, ...], axes: Axes) -> int:
    return prod(shape[axis] for axis in axes)


# --- complex to complex -------------------------------------------------------------------------------------


def _complex_transform(name: str) -> Callable[..., Array]:
    def kernel(input: Array, axes: Axes) -> Array:
        _check_axes(name, input.shape, axes)
        if not input.size or not axes:
            return input
        from scipy import fft as transforms

        if len(axes) == 1:
            return getattr(transforms, name)(input, axis=axes[0])
        return getattr(transforms, f"{name}n")(input, axes=axes)

    return kernel


@op(eager=_complex_transform("fft"), dtypes=COMPLEX, tf_name="FFT", shape=along)
def fft(xp: Namespace, input: Array, *, axes: Axes) -> Any:
    """The discrete Fourier transform over some axes: sums of x * exp(-2 pi i k n / N)."""
    return xp.fft.fftn(input, axes=axes)


@op(eager=_complex_transform("ifft"), dtypes=COMPLEX, tf_name="IFFT", shape=along)
def ifft(xp: Namespace, input: Array, *, axes: Axes) -> Any:
    """The inverse discrete Fourier transform over some axes: means of x * exp(2 pi i k n / N)."""
    return xp.fft.ifftn(input, axes=axes)


@fft.vjp("input")
def _(g: Cotangent, axes: Axes) -> Any:
    return ifft(g, axes=axes) * float(_size(shape_of(g), axes))


@ifft.vjp("input")
def _(g: Cotangent, axes: Axes) -> Any:
    return fft(g, axes=axes) * (1.0 / max(_size(shape_of(g), axes), 1))


def _batch(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    (x,) = args
    return op(x, **{**attributes, "axes": negative_axis(attributes["axes"], rank_of(x) - 1)})


for _op in (fft, ifft):
    _op.linear("input")
    _op.batching = _batch


# --- real to half a spectrum, and back ----------------------------------------------------------------------


def _rfft(input: Array, axes: Axes) -> Array:
    _check_axes("rfft", input.shape, axes)
    if not axes:
        raise invalid("rfft: at least one axis is needed.")
    if not input.size:
        shape = list(input.shape)
        shape[axes[-1]] = half_size(shape[axes[-1]])
        return np.zeros(shape, np.result_type(input.dtype, np.complex64))
    from scipy import fft as transforms

    if len(axes) == 1:
        return transforms.rfft(input, axis=axes[0])
    return transforms.rfftn(input, axes=axes)


@op(eager=_rfft, dtypes=_REAL, tf_name="RFFT", gives=complex_type)
def rfft(xp: Namespace, input: Array, *, axes: Axes) -> Any:
    """The Fourier transform of a real signal over some axes, half of the last of them kept."""
    return xp.fft.rfftn(input, axes=axes)


@rfft.shapes
def _(input: Abstract, *, axes: Any) -> Shape:
    size = input.shape[place(axes[-1], input.ndim)]
    return replaced(input.shape, axes[-1], smaller(size, size // 2 + 1))  # the result of an empty signal is empty


def _irfft(input: Array, axes: Axes, length: int) -> Array:
    _check_axes("irfft", input.shape, axes)
    if not axes or length < 0 or input.shape[axes[-1]] != half_size(length):
        raise invalid(
            f"irfft: a signal of length {length} has a spectrum of {half_size(max(length, 0))} numbers, "
            f"got shape {input.shape} for axes {list(axes)}."
        )
    sizes = [input.shape[a] for a in axes[:-1]] + [length]
    if not input.size or not length:
        shape = list(input.shape)
        shape[axes[-1]] = length
        return np.zeros(shape, input.real.dtype)
    from scipy import fft as transforms

    if len(axes) == 1:
        return transforms.irfft(input, length, axis=axes[0])
    return transforms.irfftn(input, sizes, axes=axes)


@op(eager=_irfft, dtypes=COMPLEX, tf_name="IRFFT", gives=real_type)
def irfft(xp: Namespace, input: Array, *, axes: Axes, length: int) -> Any:
    """The real signal with this half of a spectrum; `length` is its size along the last of the axes."""
    return xp.fft.irfftn(input, [*(input.shape[a] for a in axes[:-1]), length], axes=axes)


@irfft.shapes
def _(input: Abstract, *, axes: Any, length: Any) -> Shape:
    return replaced(input.shape, axes[-1], length)


def _half_weights(like: object, axis: int, length: int, inner: float, scale: float) -> Array:
    """`scale`, times `inner` for the frequencies that stand for their conjugates too."""
    weights = np.full(half_size(length), inner * scale)
    weights[:1] = scale
    if length % 2 == 0:
        weights[-1:] = scale
    trailing = rank_of(like) - 1 - axis % rank_of(like)
    return weights.reshape(-1, *(1,) * trailing).astype(numpy_type(like))


@rfft.vjp("input")
def _(g: Cotangent, input_shape: tuple[int, ...], axes: Axes) -> Any:
    length = input_shape[axes[-1]]
    weights = _half_weights(g, axes[-1], length, 0.5, float(_size(input_shape, axes)))
    return irfft(g * weights, axes=axes, length=length)


@irfft.vjp("input")
def _(g: Cotangent, axes: Axes, length: int) -> Any:
    spectrum = rfft(g, axes=axes)
    return spectrum * _half_weights(spectrum, axes[-1], length, 2.0, 1.0 / max(_size(shape_of(g), axes), 1))


for _op in (rfft, irfft):
    _op.linear("input")
    _op.batching = _batch

# --- samples ------------------------------------------------------------------------------------------------

_SHAPES: list[tuple[tuple[int, ...], Axes]] = [
    ((4,), (-1,)), ((5,), (0,)), ((1,), (-1,)), ((2,), (-1,)), ((2, 3), (-1,)), ((3, 4), (0,)),
    ((3, 4), (-2, -1)), ((2, 3, 5), (1, 2)), ((2, 3, 4), (-3, -2, -1)), ((2, 3, 4), (2, 0)),
    ((0, 4), (-1,)), ((2, 0), (-1,)), ((3, 2, 2, 2), (-3, -2, -1)), ((2, 1, 3), (0, 1)),
]  # fmt: skip


def _complex(draw: Draw, shape: tuple[int, ...]) -> Array:
    values = np.asarray(draw(shape))
    return values if values.dtype.kind == "c" else values + 1j * np.asarray(draw(shape))


def _matrix(rows: int, columns: int, length: int, sign: float) -> Any:
    angles = 2 * np.pi * (np.outer(np.arange(rows), np.arange(columns)) % max(length, 1)) / max(length, 1)
    return np.exp(sign * 1j * angles)


def _along(matrix: Array, x: Any, axis: int) -> Any:
    return np.moveaxis(np.tensordot(matrix, x, ([1], [axis])), 0, axis)


for _op, _sign in ((fft, -1.0), (ifft, 1.0)):

    @_op.samples
    def _(draw: Draw) -> Iterator[Sample]:
        for shape, axes in _SHAPES:
            yield Sample((_complex(draw, shape),), {"axes": axes})
        yield Sample((_complex(draw, (3,)),), {"axes": ()})

    @_op.value
    def _(input: Array, axes: Axes, sign: float = _sign) -> Any:
        for axis in axes:
            size = input.shape[axis]
            input = _along(_matrix(size, size, size, sign), input, axis) / (max(size, 1) if sign > 0 else 1)
        return input

    @_op.rejects
    def _() -> Iterator[BadInput]:
        x = np.ones((2, 3), np.complex64)
        for axes in [(2,), (-3,), (0, 0), (0, -2), (0, 1, 2), (1, 5), (2**40,), (-(2**40),)]:
            yield BadInput("the axes must exist, once each", (x,), {"axes": axes})
        yield BadInput("a scalar has no axis", (np.complex64(1),), {"axes": (-1,)})


@rfft.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, axes in _SHAPES:
        yield Sample((draw(shape),), {"axes": axes})


@rfft.value
def _(input: Array, axes: Axes) -> Any:
    size = input.shape[axes[-1]]
    result = _along(_matrix(half_size(size), size, size, -1.0), input, axes[-1])
    for axis in axes[:-1]:
        result = _along(_matrix(input.shape[axis], input.shape[axis], input.shape[axis], -1.0), result, axis)
    return result


@rfft.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for axes in [(2,), (-3,), (0, 0), (0, -2), (0, 1, 2), (), (2**40,), (-(2**40),)]:
        yield BadInput("the axes must exist, once each", (x,), {"axes": axes})
    yield BadInput("a scalar has no axis", (np.float32(1),), {"axes": (-1,)})
    yield BadInput("only real numbers", (np.ones(3, np.complex64),), {"axes": (-1,)})
    yield BadInput("no half precision", (np.ones(3, np.float16),), {"axes": (-1,)})


@irfft.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, axes in _SHAPES:
        spectrum = list(shape)
        spectrum[axes[-1]] = half_size(shape[axes[-1]])
        yield Sample((_complex(draw, tuple(spectrum)),), {"axes": axes, "length": shape[axes[-1]]})


@irfft.value
def _(input: Array, axes: Axes, length: int) -> Any:
    for axis in axes[:-1]:
        size = input.shape[axis]
        input = _along(_matrix(size, size, size, 1.0), input, axis) / max(size, 1)
    # Written out: each number and its conjugate, those that are their own conjugate once.
    kept = input.shape[axes[-1]]
    once = np.array([1.0 if k == 0 or 2 * k == length else 2.0 for k in range(kept)])
    return np.real(_along(_matrix(length, kept, length, 1.0) * once, input, axes[-1])) / max(length, 1)


@irfft.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.complex64)
    for length in [0, 3, 6, -1, -4, 2**40, 2**62]:
        yield BadInput("the length must fit the spectrum", (x,), {"axes": (-1,), "length": length})
    for axes in [(2,), (0, 1, 2), (1, 1), ()]:
        yield BadInput("the axes must exist, once each", (x,), {"axes": axes, "length": 4})


# --- cosine transforms --------------------------------------------------------------------------------------


def _dct(input: Array, kind: int, orthonormal: bool) -> Array:
    if input.ndim < 1 or kind not in (1, 2, 3, 4) or (kind == 1 and (orthonormal or input.shape[-1] < 2)):
        raise ValueError("bad cosine transform")
    if not input.size:
        return input
    from scipy import fft as transforms

    return transforms.dct(input, kind, norm="ortho" if orthonormal else None)


@op(eager=_dct, dtypes=_REAL, tf_name="DCT", shape=like(0))
def dct(xp: Namespace, input: Array, *, kind: int = 2, orthonormal: bool = False) -> Any:
    """The discrete cosine transform of kind 1, 2, 3 or 4 along the last axis."""
    return xp.matmul(input, xp.asarray(_cosines(input.shape[-1], kind, orthonormal).T, dtype=input.dtype))


def _cosines(size: int, kind: int, orthonormal: bool) -> Array:
    """The matrix of a cosine transform."""
    k, n = np.arange(size)[:, None], np.arange(size)[None, :]
    if kind == 1:
        return np.cos(np.pi * k * n / (size - 1)) * np.where((n == 0) | (n == size - 1), 1.0, 2.0)
    if kind == 2:
        matrix = 2 * np.cos(np.pi * k * (2 * n + 1) / (2 * size))
        return matrix * (np.where(k == 0, 0.5, np.sqrt(0.5)) / np.sqrt(size) if orthonormal else 1.0)
    if kind == 3:
        if orthonormal:
            return _cosines(size, 2, True).T
        return np.cos(np.pi * (2 * k + 1) * n / (2 * size)) * np.where(n == 0, 1.0, 2.0)
    return 2 * np.cos(np.pi * (2 * k + 1) * (2 * n + 1) / (4 * size)) * (1 / np.sqrt(2 * size) if orthonormal else 1.0)


def _scaled_ends(x: Value, first: float, last: float = 1.0) -> Any:
    """x with the first and the last number along the last axis scaled."""
    weights = np.ones(shape_of(x)[-1], numpy_type(x))
    weights[:1] *= first
    weights[-1:] *= last
    return x * weights


@dct.vjp("input")
def _(g: Cotangent, kind: int, orthonormal: bool) -> Any:
    if kind == 4 or orthonormal:
        return dct(g, kind={1: 1, 2: 3, 3: 2, 4: 4}[kind], orthonormal=orthonormal)
    if kind == 1:  # only the ends break the symmetry
        return _scaled_ends(dct(_scaled_ends(g, 2.0, 2.0), kind=1, orthonormal=False), 0.5, 0.5)
    if kind == 2:
        return dct(_scaled_ends(g, 2.0), kind=3, orthonormal=False)
    return _scaled_ends(dct(g, kind=2, orthonormal=False), 0.5)


dct.linear("input")
dct.batching = batch_leading


@dct.checks
def _(input: Array, kind: int, orthonormal: bool) -> None:
    if kind not in (1, 2, 3, 4):
        raise invalid(f"dct: there are kinds 1, 2, 3 and 4, got {kind!r}.")
    if input.ndim < 1:
        raise invalid("dct: a signal has at least one axis, got a scalar.")
    if kind == 1:
        raise invalid(f"dct: kind 1 has no orthonormal form and needs at least two numbers, got shape {input.shape}.")


@dct.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, kind, orthonormal in [
        ((4,), 1, False), ((2,), 1, False), ((3, 5), 1, False), ((4,), 2, False), ((5,), 2, True),
        ((2, 3), 2, False), ((1,), 2, True), ((4,), 3, False), ((5,), 3, True), ((2, 3), 3, False),
        ((1,), 3, False), ((4,), 4, False), ((2, 5), 4, True), ((1,), 4, False), ((0, 3), 2, False),
        ((2, 0), 3, False), ((2, 1, 3), 4, False),
    ]:  # fmt: skip
        yield Sample((draw(shape),), {"kind": kind, "orthonormal": orthonormal})


@dct.value
def _(input: Array, kind: int, orthonormal: bool) -> Any:
    return input @ _cosines(input.shape[-1], kind, orthonormal).T if input.size else input


@dct.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for kind in [0, 5, -1, 2**40, None, "2"]:
        yield BadInput("there are four kinds", (x,), {"kind": kind})
    yield BadInput("kind 1 has no orthonormal form", (x,), {"kind": 1, "orthonormal": True})
    yield BadInput("kind 1 needs two numbers", (x[:, :1],), {"kind": 1})
    yield BadInput("kind 1 needs two numbers", (x[:, :0],), {"kind": 1})
    yield BadInput("a scalar has no axis", (np.float32(1),), {"kind": 2})
    yield BadInput("no half precision", (x.astype(np.float16),), {"kind": 2})
