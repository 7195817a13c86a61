"""New tensors: given values, ranges, grids and patterned matrices, with NumPy's default types."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import math
from ..api import arrays, indexing, layout
from ..base.dtypes import BY_NUMPY
from ..base.traceable import trace_public
from ..base.types import DTypeLike, IntLike, ShapeLike, TensorLike
from ..op.attributes import as_int, as_shape
from ..ops.math.polynomials import powers
from ..values.tensor import Tensor, from_array
from .promotion import asarray, is_followed, numpy_dtype, promoted, result_type, to_type


def array(val: TensorLike, dtype: DTypeLike | None = None, copy: bool = True, ndmin: int = 0) -> Tensor:
    """A tensor of the value, with at least `ndmin` axes; lists may hold tensors, which the tape follows."""
    x = asarray(val, dtype)
    x = arrays.identity(x) if copy else x
    return x if x.ndim >= ndmin else arrays.reshape(x, (*(1,) * (ndmin - x.ndim), *x.shape))


def asanyarray(a: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """The same as `asarray`."""
    return asarray(a, dtype)


def ascontiguousarray(a: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """The value as a tensor with at least one axis."""
    return array(a, dtype, copy=False, ndmin=1)


def copy(a: TensorLike) -> Tensor:
    """The value as a tensor of its own."""
    return array(a)


def _sizes(shape: ShapeLike) -> tuple[int, ...]:
    sizes = as_shape(shape)
    if -1 in sizes:
        raise ValueError("negative dimensions are not allowed")
    return sizes


def full(shape: ShapeLike, fill_value: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """`fill_value` everywhere, broadcast; the tape follows it."""
    value = asarray(fill_value, dtype)
    return arrays.broadcast_to(value, _sizes(shape))


def zeros(shape: ShapeLike, dtype: DTypeLike = float) -> Tensor:
    """Zeros."""
    return arrays.zeros(_sizes(shape), BY_NUMPY[numpy_dtype(dtype)])


def ones(shape: ShapeLike, dtype: object = float) -> Tensor:
    """Ones."""
    return arrays.ones(_sizes(shape), BY_NUMPY[numpy_dtype(dtype)])


def empty(shape: ShapeLike, dtype: DTypeLike = float) -> Tensor:
    """Zeros: tensors are immutable, so an uninitialised one could not be filled later."""
    return zeros(shape, dtype)


def full_like(
    a: TensorLike,
    fill_value: TensorLike,
    dtype: DTypeLike | None = None,
    order: str = "K",
    subok: bool = True,
    shape: ShapeLike | None = None,
) -> Tensor:
    """`fill_value` in the shape and type of `a`, or in those that are given; a tensor has neither an order nor a subclass."""
    x = asarray(a)
    return full(tuple(x.shape) if shape is None else shape, fill_value, x.dtype if dtype is None else dtype)


def zeros_like(a: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """Zeros in the shape and type of `a`."""
    return full_like(a, 0, dtype)


def ones_like(a: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """Ones in the shape and type of `a`."""
    return full_like(a, 1, dtype)


def empty_like(a: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """Zeros in the shape and type of `a`; see `empty`."""
    return full_like(a, 0, dtype)


def eye(N: TensorLike, M: TensorLike | None = None, k: IntLike = 0, dtype: DTypeLike = float) -> Tensor:
    """Ones on the k-th diagonal, zeros elsewhere."""
    return from_array(np.eye(as_int(N), None if M is None else as_int(M), as_int(k), numpy_dtype(dtype)))


def identity(n: IntLike, dtype: DTypeLike = float) -> Tensor:
    """The identity matrix."""
    return eye(n, dtype=dtype)


def arange(
    start: TensorLike, stop: TensorLike | None = None, step: IntLike = 1, dtype: DTypeLike | None = None
) -> Tensor:
    """Numbers from `start` up to `stop` in steps; no derivative in the bounds."""
    first, last = (0, start) if stop is None else (start, stop)
    bounds: list[Any] = [np.asarray(v)[()] if hasattr(v, "dtype") else v for v in (first, last, step)]
    low, high, delta = bounds
    count = np.ceil((high - low) / delta) if delta else np.inf
    if not count < 2**40:
        raise ValueError("Maximum allowed size exceeded")
    kind: Any = None if dtype is None else numpy_dtype(dtype)
    return from_array(np.arange(low, high, delta, dtype=kind))


def linspace(
    start: TensorLike,
    stop: TensorLike,
    num: TensorLike = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Any:
    """`num` evenly spaced numbers from `start` to `stop`; the tape follows both.

    >>> import gradtape as tf
    >>> tf.numpy.linspace(0, 1, 3).numpy()
    array([0. , 0.5, 1. ])
    """
    count = as_int(num)
    if count < 0:
        raise ValueError(f"Number of samples, {count}, must be non-negative.")
    first, last = promoted(start, stop, 1.0)[:2]
    parts = count - 1 if endpoint else count
    shape = np.broadcast_shapes(tuple(first.shape), tuple(last.shape))
    first, last = (layout.expand_dims(arrays.broadcast_to(v, shape), axis) for v in (first, last))
    sizes = [1] * (len(shape) + 1)
    sizes[axis] = count
    places = (np.arange(count) / max(parts, 1)).astype(first.dtype.numpy).reshape(sizes)
    # As a mean of both ends: the last number is `stop` to the bit.
    result = first * from_array(1 - places) + last * from_array(places)
    result = result if dtype is None else to_type(result, dtype)
    step = layout.squeeze(last - first, [axis]) / parts if parts > 0 else float("nan")
    return (result, step) if retstep else result


def logspace(
    start: TensorLike,
    stop: TensorLike,
    num: TensorLike = 50,
    endpoint: bool = True,
    base: TensorLike = 10.0,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Tensor:
    """`base` to the power of evenly spaced numbers."""
    powers = linspace(start, stop, num, endpoint, axis=axis)
    result = math.pow(asarray(base, powers.dtype), powers)
    return result if dtype is None else to_type(result, dtype)


def geomspace(
    start: TensorLike,
    stop: TensorLike,
    num: TensorLike = 50,
    endpoint: bool = True,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Tensor:
    """Numbers with a constant ratio from `start` to `stop`, both of one sign."""
    first, last = promoted(start, stop, 1.0)[:2]
    signs = math.sign(first)
    result = signs * math.exp(linspace(math.log(math.abs(first)), math.log(math.abs(last)), num, endpoint, axis=axis))
    return result if dtype is None else to_type(result, dtype)


def meshgrid(*xi: TensorLike, indexing: str = "xy", sparse: bool = False, copy: bool = True) -> list[Tensor]:
    """Coordinate grids from coordinate vectors."""
    grids = arrays.meshgrid(*[asarray(x) for x in xi], indexing=indexing)
    if not sparse:
        return grids
    order = [1, 0, *range(2, len(xi))] if indexing == "xy" and len(xi) > 1 else [*range(len(xi))]
    return [arrays.reshape(asarray(x), [-1 if a == order[p] else 1 for a in range(len(xi))]) for p, x in enumerate(xi)]


def diag(v: TensorLike, k: object = 0) -> Tensor:
    """A matrix with `v` on its k-th diagonal; of a matrix, that diagonal."""
    x, offset = asarray(v), as_int(k)
    if x.ndim == 1:
        return diagflat(x, offset)
    if x.ndim != 2:
        raise ValueError("Input must be 1- or 2-d.")
    return diagonal(x, offset)


def diagflat(v: TensorLike, k: IntLike = 0) -> Tensor:
    """A matrix with the flattened `v` on its k-th diagonal."""
    x, offset = arrays.reshape(asarray(v), (-1,)), as_int(k)
    size = x.shape[0] + abs(offset)
    rows = np.arange(x.shape[0]) + max(-offset, 0)
    places = np.stack([rows, rows + offset], axis=1)
    return indexing.scatter_nd(from_array(places), x, (size, size))


def diagonal(a: TensorLike, offset: IntLike = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """The elements of a diagonal, along a new last axis."""
    x, shift = asarray(a), as_int(offset)
    if x.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    first, second = axis1 % x.ndim, axis2 % x.ndim
    rest = [p for p in range(x.ndim) if p not in (first, second)]
    moved = layout.transpose(x, [first, second, *rest])
    rows, columns = moved.shape[0], moved.shape[1]
    count = max(0, min(rows + min(shift, 0), columns - max(shift, 0)))
    places = np.arange(count) + max(-shift, 0)
    indices = from_array(np.stack([places, places + shift], axis=1))
    return layout.transpose(indexing.gather_nd(moved, indices), [*range(1, x.ndim - 1), 0])


def diag_indices(n: IntLike, ndim: int = 2) -> tuple[Tensor, ...]:
    """The positions of the main diagonal."""
    return (arange(as_int(n)),) * ndim


def tri(N: TensorLike, M: TensorLike | None = None, k: IntLike = 0, dtype: DTypeLike | None = None) -> Tensor:
    """Ones at and below the k-th diagonal, zeros above; of Python's floats unless a type is given."""
    kind = numpy_dtype(float if dtype is None else dtype)
    return from_array(np.tri(as_int(N), None if M is None else as_int(M), as_int(k), kind))


def _triangle(m: TensorLike, k: IntLike, upper: bool) -> Any:
    x = asarray(m)
    if x.ndim < 2:
        raise ValueError("Argument to tril or triu must have a rank of at least 2")
    rows, columns = x.shape[-2:]
    lower = np.tri(rows, columns, as_int(k) - upper, np.bool_)
    kept = np.broadcast_to(~lower if upper else lower, tuple(x.shape))
    return indexing.where(from_array(kept), x, zeros_like(x))


def tril(m: TensorLike, k: IntLike = 0) -> Tensor:
    """The part at and below the k-th diagonal, zeros above."""
    return _triangle(m, k, upper=False)


def triu(m: TensorLike, k: IntLike = 0) -> Tensor:
    """The part at and above the k-th diagonal, zeros below."""
    return _triangle(m, k, upper=True)


def vander(x: Any, N: TensorLike | None = None, increasing: bool = False) -> Tensor:
    """The powers of each element as a row, the highest first unless `increasing`."""
    x = asarray(x)
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    count = x.shape[0] if N is None else as_int(N)
    x = to_type(x, result_type(x, 0))
    exponents = range(count) if increasing else range(count - 1, -1, -1)
    return powers.public(x, tuple(exponents))


def ix_(*args: object) -> tuple[Tensor, ...]:
    """Vectors shaped so that together they index a grid."""
    parts = []
    for position, given in enumerate(args):
        x = asarray(given)
        if x.dtype.is_bool:
            x = from_array(np.flatnonzero(x._array))
        parts.append(arrays.reshape(x, [-1 if a == position else 1 for a in range(len(args))]))
    return tuple(parts)


def shape(a: Any) -> tuple[int, ...]:
    """The sizes of all axes."""
    return tuple(asarray(a).shape) if is_followed(a) else np.shape(a)


def ndim(a: object) -> int:
    """The number of axes."""
    return len(shape(a))


def size(x: object, axis: int | None = None) -> int:
    """The number of elements, or the size of an axis."""
    sizes = shape(x)
    return int(np.prod(sizes, dtype=np.int64)) if axis is None else sizes[axis]


trace_public(globals())
