"""Bits: and, or, xor, shifts of integers; bits packed into bytes; and bytes read as another type (bitcast)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...base.dtypes import BOOL, BY_NUMPY, INTEGER, NUMERIC, Array, uint8
from ...base.errors import invalid
from ...base.sizes import matched
from ...base.types import Draw, Jax, Namespace
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import batch_leading, batch_over_axis, check_axis, elementwise, sample_binary, sample_unary
from ...op.shapes import ceiling, place, replaced, typed_by


@elementwise(eager=np.bitwise_and, dtypes=INTEGER)
def bitwise_and(xp: Namespace, x: Array, y: Array) -> Any:
    """The bits that are set in both.

    >>> import gradtape as tf
    >>> tf.bitwise.bitwise_and([6, 5], [3, 4]).numpy()
    array([2, 4], dtype=int32)
    """
    return x & y


@elementwise(eager=np.bitwise_or, dtypes=INTEGER)
def bitwise_or(xp: Namespace, x: Array, y: Array) -> Any:
    """The bits that are set in at least one.

    >>> import gradtape as tf
    >>> tf.bitwise.bitwise_or([6, 5], [3, 4]).numpy()
    array([7, 5], dtype=int32)
    """
    return x | y


@elementwise(eager=np.bitwise_xor, dtypes=INTEGER)
def bitwise_xor(xp: Namespace, x: Array, y: Array) -> Any:
    """The bits that are set in exactly one.

    >>> import gradtape as tf
    >>> tf.bitwise.bitwise_xor([6, 5], [3, 4]).numpy()
    array([5, 1], dtype=int32)
    """
    return x ^ y


@elementwise(eager=np.invert, dtypes=INTEGER)
def invert(xp: Namespace, x: Array) -> Any:
    """All bits flipped.

    >>> import gradtape as tf
    >>> tf.bitwise.invert([0, 5]).numpy()
    array([-1, -6], dtype=int32)
    """
    return ~x


def _shift(shift: Callable[..., Array]) -> Callable[..., Array]:
    # What C leaves undefined is clamped, as in TensorFlow: amounts below 0, or of the width and more.
    def kernel(x: Array, y: Array) -> Array:
        return shift(x, np.clip(y, 0, y.dtype.itemsize * 8 - 1))

    return kernel


@elementwise(eager=_shift(np.left_shift), dtypes=INTEGER)
def left_shift(xp: Namespace, x: Array, y: Array) -> Any:
    """The bits moved y places up; y is clamped to the places that there are.

    >>> import gradtape as tf
    >>> tf.bitwise.left_shift([1, 3], [2, 1]).numpy()
    array([4, 6], dtype=int32)
    """
    return x << xp.clip(y, 0, x.dtype.itemsize * 8 - 1)


@elementwise(eager=_shift(np.right_shift), dtypes=INTEGER)
def right_shift(xp: Namespace, x: Array, y: Array) -> Any:
    """The bits moved y places down, the sign kept; y is clamped to the places that there are.

    >>> import gradtape as tf
    >>> tf.bitwise.right_shift([8, 9], [1, 2]).numpy()
    array([4, 2], dtype=int32)
    """
    return x >> xp.clip(y, 0, x.dtype.itemsize * 8 - 1)


for _op in (bitwise_and, bitwise_or, bitwise_xor, invert, left_shift, right_shift):
    _op.not_differentiable("its operands are integers")
for _op in (bitwise_and, bitwise_or, bitwise_xor):
    sample_binary(_op)
for _op in (left_shift, right_shift):
    sample_binary(_op, second=(0.0, 3.0))
sample_unary(invert)


@invert.rejects
def _() -> Iterator[BadInput]:
    for dtype in (np.float64, np.complex64, np.bool_, np.float16):
        yield BadInput("only integers have bits to flip", (np.ones(2, dtype),))


# --- packed bits --------------------------------------------------------------------------------------------

_BITS = BOOL | frozenset({uint8.numpy})


def _check_order(name: str, bitorder: str) -> None:
    if bitorder not in ("big", "little"):
        raise invalid(f"{name}: bitorder must be 'big' or 'little', got {bitorder!r}.")


def _packbits(a: Array, axis: int = -1, bitorder: str = "big") -> Any:
    check_axis("packbits", a, axis)
    _check_order("packbits", bitorder)
    pack: Any = np.packbits
    return pack(a, axis, bitorder)


@op(eager=_packbits, dtypes=_BITS, retypes=True, gives=np.uint8)
def packbits(xp: Namespace, a: Array, *, axis: int = -1, bitorder: str = "big") -> Any:
    """Eight truth values along an axis as the bits of one uint8; zeros fill up the last."""
    return xp.packbits(a, axis, bitorder)


@packbits.shapes
def _(a: Abstract, *, axis: object, **_: object) -> Shape:
    return replaced(a.shape, axis, ceiling(a.shape[place(axis, a.ndim)], 8))


def _unpackbits(a: Array, axis: int = -1, count: int | None = None, bitorder: str = "big") -> Any:
    check_axis("unpackbits", a, axis)
    _check_order("unpackbits", bitorder)
    unpack: Any = np.unpackbits
    return unpack(a, axis, count, bitorder)


@op(eager=_unpackbits, dtypes=frozenset({uint8.numpy}))
def unpackbits(xp: Namespace, a: Array, *, axis: int = -1, count: int | None = None, bitorder: str = "big") -> Any:
    """The bits of each uint8 as eight numbers along an axis, or only the first `count` of them."""
    return xp.unpackbits(a, axis, count, bitorder)


@unpackbits.shapes
def _(a: Abstract, *, axis: Any, count: Any, **_: object) -> Shape:
    bits = a.shape[place(axis, a.ndim)] * 8
    if count is None:
        return replaced(a.shape, axis, bits)
    return replaced(a.shape, axis, count if count >= 0 else bits + count)


packbits.not_differentiable("bits have no derivative")
unpackbits.not_differentiable("bits have no derivative")
packbits.batching = unpackbits.batching = batch_over_axis


@packbits.samples
def _(draw: Draw) -> Iterator[Sample]:
    bits = np.arange(20).reshape(2, 10) % 3 == 0
    yield Sample((bits,))
    yield Sample((bits,), {"axis": 0, "bitorder": "little"})
    yield Sample((bits[0, :8].astype(np.uint8),), {"axis": 0})


@packbits.value
def _(a: Array, axis: int, bitorder: str) -> Any:
    moved = np.moveaxis(np.asarray(a, bool), axis, -1)
    padded = np.pad(moved, [(0, 0)] * (moved.ndim - 1) + [(0, -moved.shape[-1] % 8)])
    weights = 2 ** (np.arange(8)[::-1] if bitorder == "big" else np.arange(8))
    return np.moveaxis((padded.reshape(*padded.shape[:-1], -1, 8) * weights).sum(axis=-1), -1, axis)


@unpackbits.samples
def _(draw: Draw) -> Iterator[Sample]:
    numbers = np.array([[0, 1, 128], [255, 37, 6]], np.uint8)
    yield Sample((numbers,))
    yield Sample((numbers,), {"axis": 0, "bitorder": "little"})
    yield Sample((numbers[0],), {"axis": 0, "count": 11})


@unpackbits.value
def _(a: Array, axis: int, count: Array, bitorder: str) -> Any:
    moved = np.moveaxis(a, axis, -1)
    shifts = np.arange(8)[::-1] if bitorder == "big" else np.arange(8)
    bits = ((moved[..., None] >> shifts) & 1).reshape(*moved.shape[:-1], -1)
    return np.moveaxis(bits[..., :count], -1, axis)


def _reject_bits(declared: Op) -> None:
    @declared.rejects
    def _() -> Iterator[BadInput]:
        x = np.ones((2, 8), np.uint8)
        for axis in (2, -3):
            yield BadInput("the axis must exist", (x,), {"axis": axis})
        for bitorder in ("middle", ""):
            yield BadInput("an order of bits", (x,), {"bitorder": bitorder})
        yield BadInput("bits or bytes", (np.ones(8, np.float32),))


_reject_bits(packbits)
_reject_bits(unpackbits)


# --- bitcast ---------------------------------------------------------------------------------------------------------


def _bitcast(input: Array, dtype: np.dtype[Any]) -> Array:
    if dtype not in NUMERIC:
        raise invalid(f"bitcast: the type must be a number, got {BY_NUMPY[dtype].name}.")
    shape = np.shape(input)
    array = np.ascontiguousarray(input)
    old, new = array.dtype.itemsize, dtype.itemsize
    if new <= old:
        parts: Array = array.reshape(-1, 1).view(dtype)
        return parts.reshape(shape if new == old else (*shape, old // new))
    if not shape or shape[-1] * old != new:
        raise invalid(
            f"bitcast: from {BY_NUMPY[array.dtype].name} to {BY_NUMPY[dtype].name} the last axis must have size {new // old}, "
            f"got shape {shape}."
        )
    whole: Array = array.view(dtype)
    return whole.reshape(shape[:-1])


@op(eager=_bitcast, dtypes=NUMERIC, gives=typed_by("dtype"))
def bitcast(xp: Namespace, input: Array, *, dtype: Any) -> Any:
    """The same bits read as another type; a size ratio other than one takes or adds a last axis."""
    return _bitcast(input, dtype)


@bitcast.xla
def _(jax: Jax, input: Array, *, dtype: np.dtype[Any]) -> Any:
    xp, cast = jax.numpy, jax.lax.bitcast_convert_type
    parts = xp.stack([input.real, input.imag], axis=-1) if input.dtype.kind == "c" else input
    old, new = input.dtype.itemsize, dtype.itemsize
    shape = input.shape[:-1] if new > old else input.shape if new == old else (*input.shape, old // new)
    plain = np.dtype(f"f{new // 2}") if dtype.kind == "c" else dtype
    sizes = (*shape, *(2,) * (dtype.kind == "c"), *(plain.itemsize,) * (plain.itemsize > 1))
    result = cast(cast(parts, np.uint8).reshape(sizes), plain)
    return jax.lax.complex(result[..., 0], result[..., 1]) if dtype.kind == "c" else result


@bitcast.shapes
def _(input: Abstract, *, dtype: Any) -> Shape:
    old, new = input.dtype.itemsize, np.dtype(dtype).itemsize
    if new > old:
        matched(input.shape[-1], new // old, "the last size and the ratio of the types,")
        return input.shape[:-1]
    return input.known if new == old else (*input.shape, old // new)


bitcast.not_differentiable("bits have no derivative", lookup_error=True)
bitcast.batched(batch_leading)


@bitcast.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, target in [
        ((), np.int64),
        ((3,), np.int64),
        ((2, 3), np.int32),
        ((2,), np.complex64),
        ((2, 2), np.complex128),
        ((0,), np.uint8),
    ]:
        yield Sample((draw(shape),), {"dtype": np.dtype(target)})


@bitcast.rejects
def _() -> Iterator[BadInput]:
    for shape in [(), (3,), (1,), (2, 3), (0,), (2, 1)]:
        yield BadInput(
            "elements must fill the larger type", (np.ones(shape, np.float32),), {"dtype": np.dtype(np.int64)}
        )
    for target in [np.bool_, np.object_]:
        yield BadInput(
            "truth values and strings have no bits to read",
            (np.ones(3, np.float32),),
            {"dtype": np.dtype(target)},
        )
    yield BadInput("truth values have no bits to read", (np.ones(3, bool),), {"dtype": np.dtype(np.uint8)})
    yield BadInput("strings have no bits to read", (np.array([b"a"], object),), {"dtype": np.dtype(np.uint8)})
