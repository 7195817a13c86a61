"""The same values: as a tensor of their own, without derivatives, in another type."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.dtypes import ANY, FLOATING, Array
from ...base.types import Cotangent, Draw, Jax, Namespace, Value
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import (
    UNARY_SHAPES,
    elementwise,
    not_tensors,
    numpy_type,
    sample_unary,
)
from ...op.shapes import like, typed_by


def _same(x: Array) -> Array:
    return x


@elementwise(eager=_same, dtypes=ANY, on_sizes=True)
def identity(xp: Namespace, input: Array) -> Any:
    """The same value as a tensor of its own."""
    return input


@identity.derivative("input")
def _(t: Value) -> Any:
    return t


@elementwise(eager=_same, dtypes=ANY)
def stop_gradient(xp: Namespace, input: Array) -> Any:
    """The same value; no derivative passes.

    >>> import gradtape as tf
    >>> x = tf.Variable(3.0)
    >>> with tf.GradientTape() as tape:
    ...     y = tf.stop_gradient(x * x) * x
    >>> tape.gradient(y, x).numpy()
    np.float32(9.0)
    """
    return input


stop_gradient.not_differentiable("that is what it is for")


def _cast(x: Array, dtype: np.dtype[Any]) -> Array:
    if x.dtype.kind == "c" and dtype.kind != "c":
        x = x.real
    if dtype.kind in "iu" and x.dtype in FLOATING:
        return _to_integers(x, dtype)
    return x.astype(dtype)


@functools.cache
def _open_interval(dtype: np.dtype[Any]) -> tuple[float, float]:
    """The bounds between which numbers fit an integer type after truncation."""
    info = np.iinfo(dtype)
    return info.min - 1.0, info.max + 1.0


def _to_integers(x: Array, dtype: np.dtype[Any]) -> Array:
    """Truncation towards zero. What does not fit is undefined in C; here it is what TensorFlow's scalars give on x86.

    A number becomes an int32 (for uint32, int64 and uint64: an int64), whose smallest value stands for all that does not fit,
    and of that the low bits are taken: -1.0 is 255 as a uint8.
    """
    low, high = _open_interval(dtype)
    if ((x > low) & (x < high)).all():
        return np.asarray(x.astype(dtype))
    through: Any = np.dtype(np.int32 if dtype.itemsize < 4 or dtype == np.int32 else np.int64)
    low, high = _open_interval(through)
    smallest = np.iinfo(through).min
    wide = np.asarray(x, np.float64)
    whole = np.where((wide > low) & (wide < high), wide, smallest).astype(through)
    if dtype == np.uint64:  # the upper half, which no int64 holds
        above = (wide >= high) & (wide < 2 * high)
        whole = np.where(above, (np.where(above, wide, high) - high).astype(through) | smallest, whole)
    return whole.astype(dtype)


@op(
    eager=_cast,
    dtypes=ANY,
    tf_name="Cast",
    retypes=True,
    on_sizes=lambda x, dtype: x if np.dtype(dtype).kind in "iu" else None,
    gives=typed_by("dtype"),
    shape=like(0),
)
def convert(xp: Namespace, x: Array, *, dtype: Any) -> Any:
    """The values in another type; floats become integers by truncation."""
    return x.astype(dtype)


@convert.xla
def _(jax: Jax, x: Any, *, dtype: Any) -> Any:
    kind = np.dtype(dtype)
    if x.dtype.kind == "c" and kind.kind != "c":
        x = x.real
    return _integers_on_xla(jax, x, kind) if kind.kind in "iu" and x.dtype in FLOATING else x.astype(kind)


def _integers_on_xla(jax: Jax, x: Any, dtype: np.dtype[Any]) -> Any:
    """The same as `_to_integers`, which XLA's own conversion is not: that takes the nearest number there is."""
    xp = jax.numpy
    through: Any = np.dtype(np.int32 if dtype.itemsize < 4 or dtype == np.int32 else np.int64)
    low, high = _open_interval(through)
    wide, smallest = x.astype(np.float64), np.iinfo(through).min
    whole = xp.where((wide > low) & (wide < high), wide, smallest).astype(through)
    if dtype == np.uint64:
        above = (wide >= high) & (wide < 2 * high)
        whole = xp.where(above, xp.where(above, wide - high, 0).astype(through) | smallest, whole)
    return whole.astype(dtype)


@convert.vjp("x")
def _(g: Cotangent, x: Value) -> Any:
    return convert(g, dtype=numpy_type(x))


convert.linear("x")


@convert.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    return convert(args[0], **attributes)


@convert.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in UNARY_SHAPES:
        x = draw(shape)
        yield Sample((x,), {"dtype": np.dtype(np.complex128 if x.dtype.kind == "c" else np.float64)})


@convert.rejects
def _() -> Iterator[BadInput]:
    yield from not_tensors()


@convert.value
def _(x: Array, dtype: np.dtype[Any]) -> Any:
    return np.asarray(x).astype(dtype)


for _op in (identity, stop_gradient):
    sample_unary(_op)
