"""Products of vectors, matrices and tensors, and differences and integrals along an axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from keras.src.backend import config

import gradtape as tf
import gradtape.numpy as tnp
from gradtape import cast

from ..core import convert_to_tensor
from ..promotion import floats, named, result_type, sum_type, to_type, together
from .elementwise import logical_xor, subtract


def matmul(x1: Any, x2: Any) -> Any:
    """x1 @ x2; a vector on either side is a row or a column, and 8-bit integers are added up in 32 bits."""
    x1, x2 = convert_to_tensor(x1), convert_to_tensor(x2)
    kind = x1.dtype
    if kind is not x2.dtype or not kind.is_floating:
        kind = tf.int32 if kind is x2.dtype is tf.int8 else result_type(kind, x2.dtype)
        inside = tf.int32 if kind.is_bool else kind
        return to_type(_product(to_type(x1, inside), to_type(x2, inside)), kind)
    return _product(x1, x2)


def _product(x1: Any, x2: Any) -> Any:
    return tf.matmul(x1, x2) if x1.ndim > 1 < x2.ndim else x1 @ x2


def _typed(x1: Any, x2: Any) -> tuple[Any, Any, Any]:
    """Two tensors in a type that products are computed in, and the type of the result."""
    x1, x2 = together(convert_to_tensor(x1), convert_to_tensor(x2))
    kind = x1.dtype
    return (cast(x1, tf.int32), cast(x2, tf.int32), kind) if kind.is_bool else (x1, x2, kind)


def _of_two(name: str, compute: Callable[[Any, Any], Any], does: str) -> Callable[..., Any]:
    def multiply(x1: Any, x2: Any) -> Any:
        x1, x2, kind = _typed(x1, x2)
        return to_type(compute(x1, x2), kind)

    return named(name, does, multiply)


dot = _of_two("dot", tnp.dot, "The sum of products over the last axis of x1 and the last but one of x2.")
vdot = _of_two("vdot", tnp.vdot, "The inner product of the flattened tensors, the first conjugated.")
inner = _of_two("inner", tnp.inner, "The sum of products over the last axes.")
outer = _of_two("outer", tnp.outer, "All products of an element of one and an element of the other.")
kron = _of_two("kron", tnp.kron, "Each element of x1 times the whole of x2.")


def tensordot(x1: Any, x2: Any, axes: Any = 2) -> Any:
    """The sum of products over axes of both: their number, or a list for each."""
    x1, x2, kind = _typed(x1, x2)
    if not isinstance(axes, int):
        axes = [[a] if isinstance(a, int) else list(a) for a in axes]
    return to_type(tf.tensordot(x1, x2, axes), kind)


def einsum(subscripts: str, *operands: Any, **kwargs: Any) -> Any:
    """A sum of products, written in indices; 8-bit integers are added up in 32 bits."""
    tensors = [convert_to_tensor(x) for x in operands]
    kinds = {x.dtype for x in tensors}
    kind = tf.int32 if kinds == {tf.int8} else result_type(*kinds)
    inside = tf.int32 if kind.is_bool else kind
    return to_type(tf.einsum(subscripts, *[to_type(x, inside) for x in tensors], **kwargs), kind)


def cross(x1: Any, x2: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None) -> Any:
    """The vector product of vectors of three elements, or two, of which the third is zero."""
    x1, x2, kind = _typed(x1, x2)
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = tnp.moveaxis(x1, axisa, -1), tnp.moveaxis(x2, axisb, -1)
    lengths = a.shape[-1], b.shape[-1]
    if not set(lengths) <= {2, 3, None}:
        raise ValueError(
            "`x1`'s dim on `axis={axisa}` must be either 2 or 3, and so must `x2`'s on `axis={axisb}`. "
            f"Received: x1.shape={x1.shape}, x2.shape={x2.shape}"
        )
    (a0, a1, *a2), (b0, b1, *b2) = tf.unstack(a, axis=-1), tf.unstack(b, axis=-1)
    third = a0 * b1 - a1 * b0
    if not a2 and not b2:
        return to_type(third, kind)
    a_last, b_last = a2[0] if a2 else tf.zeros_like(a0), b2[0] if b2 else tf.zeros_like(b0)
    result = tf.stack([a1 * b_last - a_last * b1, a_last * b0 - a0 * b_last, third], axis=-1)
    return to_type(tnp.moveaxis(result, -1, axisc), kind)


def trace(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The sum of a diagonal."""
    x = convert_to_tensor(x)
    kind = sum_type(x.dtype)
    return tf.reduce_sum(tnp.diagonal(to_type(x, kind), offset, axis1, axis2), -1)


def slogdet(x: Any) -> Any:
    """The sign of the determinant and the logarithm of its magnitude."""
    sign, logarithm = tf.linalg.slogdet(floats(x))
    return sign, logarithm


def correlate(x1: Any, x2: Any, mode: str = "valid") -> Any:
    """The sums of products of two vectors, one shifted along the other."""
    x1, x2 = convert_to_tensor(x1), convert_to_tensor(x2)
    kind = result_type(x1.dtype, x2.dtype)
    if kind is tf.int64:
        kind = tf.float64
    elif kind not in (tf.bfloat16, tf.float16, tf.float64):
        kind = tf.as_dtype(config.floatx())
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(f"correlate: vectors are needed, got shapes {x1.shape} and {x2.shape}.")
    long, short = to_type(x1, kind), to_type(x2, kind)
    swapped = short.shape[0] > long.shape[0]
    if swapped:
        long, short = short, long
    count = short.shape[0]
    before = {"valid": 0, "same": count // 2, "full": count - 1}.get(mode)
    if before is None:
        raise ValueError(f"Invalid mode: {mode!r}. Expected 'valid', 'same' or 'full'.")
    after = 0 if mode == "valid" else count - 1 - before if mode == "same" else count - 1
    signal = tf.pad(long, [[before, after]])[None, :, None]
    result = tf.nn.conv1d(signal, short[:, None, None], 1, "VALID")[0, :, 0]
    return tf.reverse(result, [0]) if swapped else result


def diff(a: Any, n: int = 1, axis: int = -1) -> Any:
    """Differences of neighbours along an axis, `n` times."""
    a = convert_to_tensor(a)
    if n < 0:
        raise ValueError(f"Order `n` must be non-negative. Received n={n}")
    along = axis % a.ndim if a.ndim else 0
    lead = (slice(None),) * along
    for _ in range(n):
        ahead, behind = a[(*lead, slice(1, None))], a[(*lead, slice(None, -1))]
        a = logical_xor(ahead, behind) if a.dtype.is_bool else subtract(ahead, behind)
    return a


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """The integral by the trapezoidal rule."""
    y = floats(y)
    steps = convert_to_tensor(dx if x is None else x, y.dtype)
    return tnp.trapezoid(y, dx=steps, axis=axis) if x is None else tnp.trapezoid(y, x=steps, axis=axis)
