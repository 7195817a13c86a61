"""New tensors: given values, ranges, grids and patterned matrices, with NumPy's default types."""

from __future__ import annotations

from typing import Any, Literal, overload

import numpy as np

from .. import math
from ..api import arrays, indexing, layout
from ..base import dtypes
from ..base.dtypes import BY_NUMPY
from ..base.memory import MOST_ELEMENTS
from ..base.traceable import trace_public
from ..base.types import DTypeLike, IntLike, ShapeLike, TensorLike
from ..op.attributes import as_int, as_shape
from ..ops.math.polynomials import powers
from ..values.tensor import Tensor, from_array
from .promotion import asarray, is_followed, numpy_dtype, promoted, result_type, to_type


def array(val: TensorLike, dtype: DTypeLike | None = None, copy: bool = True, ndmin: int = 0) -> Tensor:
    """A tensor of the value, with at least `ndmin` axes; lists may hold tensors, which the tape follows.

    >>> import gradtape as tf
    >>> tf.numpy.array([1.0, 2.0], ndmin=2).numpy()
    array([[1., 2.]])

    Args:
        val: A value, or lists of values.
        dtype: The type of the result; by default that of the value, with NumPy's types for Python's numbers (float64, int64).
        copy: Whether the result has a memory of its own.
        ndmin: How many axes it has at least.

    Returns:
        A tensor.
    """
    x = asarray(val, dtype)
    x = arrays.identity(x) if copy else x
    return x if x.ndim >= ndmin else arrays.reshape(x, (*(1,) * (ndmin - x.ndim), *x.shape))


def asanyarray(a: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """The same as `asarray`.

    >>> import gradtape as tf
    >>> tf.numpy.asanyarray([1, 2]).dtype
    tf.int64

    Args:
        a: A tensor, or what can become one.
        dtype: The type of the result; by default that of the value, with NumPy's types for Python's numbers (float64, int64).

    Returns:
        A tensor.
    """
    return asarray(a, dtype)


def ascontiguousarray(a: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """The value as a tensor with at least one axis.

    >>> import gradtape as tf
    >>> tf.numpy.ascontiguousarray(3.0).shape
    TensorShape([1])

    Args:
        a: A tensor, or what can become one.
        dtype: The type of the result; by default that of the value, with NumPy's types for Python's numbers (float64, int64).

    Returns:
        A tensor.
    """
    return array(a, dtype, copy=False, ndmin=1)


def copy(a: TensorLike) -> Tensor:
    """The value as a tensor of its own.

    >>> import gradtape as tf
    >>> tf.numpy.copy([1.0, 2.0]).numpy()
    array([1., 2.])

    Args:
        a: A tensor, or what can become one.

    Returns:
        A tensor.
    """
    return array(a)


def _sizes(shape: ShapeLike) -> tuple[int, ...]:
    sizes = as_shape(shape)
    if -1 in sizes:
        raise ValueError("negative dimensions are not allowed")
    return sizes


def full(shape: ShapeLike, fill_value: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """`fill_value` everywhere, broadcast; the tape follows it.

    >>> import gradtape as tf
    >>> tf.numpy.full([2, 2], 7).numpy()
    array([[7, 7],
           [7, 7]])

    Args:
        shape: The sizes of the axes.
        fill_value: A value that broadcasts to the shape.
        dtype: The type of the result; by default that of `fill_value`.

    Returns:
        A tensor.
    """
    value = asarray(fill_value, dtype)
    return arrays.broadcast_to(value, _sizes(shape))


def zeros(shape: ShapeLike, dtype: DTypeLike = float) -> Tensor:
    """A tensor of a shape and type in which every element is 0.

    >>> import gradtape as tf
    >>> tf.numpy.zeros([2]).numpy()
    array([0., 0.])

    Args:
        shape: The sizes of the axes.
        dtype: The type of the result; by default float64.

    Returns:
        A tensor.
    """
    return arrays.zeros(_sizes(shape), BY_NUMPY[numpy_dtype(dtype)])


def ones(shape: ShapeLike, dtype: object = float) -> Tensor:
    """A tensor of a shape and type in which every element is 1.

    >>> import gradtape as tf
    >>> tf.numpy.ones([2], int).numpy()
    array([1, 1])

    Args:
        shape: The sizes of the axes.
        dtype: The type of the result; by default float64.

    Returns:
        A tensor.
    """
    return arrays.ones(_sizes(shape), BY_NUMPY[numpy_dtype(dtype)])


def empty(shape: ShapeLike, dtype: DTypeLike = float) -> Tensor:
    """Zeros: tensors are immutable, so an uninitialised one could not be filled later.

    >>> import gradtape as tf
    >>> tf.numpy.empty([2]).numpy()
    array([0., 0.])

    Args:
        shape: The sizes of the axes.
        dtype: The type of the result; by default float64.

    Returns:
        A tensor.
    """
    return zeros(shape, dtype)


def full_like(
    a: TensorLike,
    fill_value: TensorLike,
    dtype: DTypeLike | None = None,
    order: str = "K",
    subok: bool = True,
    shape: ShapeLike | None = None,
) -> Tensor:
    """`fill_value` in the shape and type of `a`, or in those that are given; a tensor has neither an order nor a subclass.

    >>> import gradtape as tf
    >>> tf.numpy.full_like([1, 2, 3], 7).numpy()
    array([7, 7, 7])

    Args:
        a: A tensor, or what can become one.
        fill_value: A value that broadcasts to the shape.
        dtype: The type; by default that of `a`.
        order: Ignored; accepted for compatibility with NumPy.
        subok: Ignored; accepted for compatibility with NumPy.
        shape: The shape; by default that of `a`.

    Returns:
        A tensor.
    """
    x = asarray(a)
    return full(tuple(x.shape) if shape is None else shape, fill_value, x.dtype if dtype is None else dtype)


def zeros_like(a: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """Zeros in the shape and type of `a`.

    >>> import gradtape as tf
    >>> tf.numpy.zeros_like([1.5, 2.5]).numpy()
    array([0., 0.])

    Args:
        a: A tensor, or what can become one.
        dtype: The type; by default that of `a`.

    Returns:
        A tensor.
    """
    x = asarray(a)
    return arrays.zeros_like(x) if x.dtype is dtypes.string else full_like(x, 0, dtype)


def ones_like(a: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """Ones in the shape and type of `a`.

    >>> import gradtape as tf
    >>> tf.numpy.ones_like([1.5, 2.5]).numpy()
    array([1., 1.])

    Args:
        a: A tensor, or what can become one.
        dtype: The type; by default that of `a`.

    Returns:
        A tensor.
    """
    return full_like(a, 1, dtype)


def empty_like(a: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """Zeros in the shape and type of `a`; see `empty`.

    >>> import gradtape as tf
    >>> tf.numpy.empty_like([1.5, 2.5]).numpy()
    array([0., 0.])

    Args:
        a: A tensor, or what can become one.
        dtype: The type; by default that of `a`.

    Returns:
        A tensor.
    """
    return zeros_like(a, dtype)


def eye(N: TensorLike, M: TensorLike | None = None, k: IntLike = 0, dtype: DTypeLike = float) -> Tensor:
    """Ones on the k-th diagonal, zeros elsewhere.

    >>> import gradtape as tf
    >>> tf.numpy.eye(2, 3).numpy()
    array([[1., 0., 0.],
           [0., 1., 0.]])

    Args:
        N: How many rows.
        M: How many columns; by default as many as rows.
        k: Which diagonal: 0 is the main one, 1 the one above it.
        dtype: The type of the result; by default float64.

    Returns:
        A matrix.
    """
    return from_array(np.eye(as_int(N), None if M is None else as_int(M), as_int(k), numpy_dtype(dtype)))


def identity(n: IntLike, dtype: DTypeLike = float) -> Tensor:
    """The identity matrix.

    >>> import gradtape as tf
    >>> tf.numpy.identity(2).numpy()
    array([[1., 0.],
           [0., 1.]])

    Args:
        n: How many rows and columns.
        dtype: The type of the result; by default float64.

    Returns:
        A matrix.
    """
    return eye(n, dtype=dtype)


def arange(
    start: TensorLike, stop: TensorLike | None = None, step: IntLike = 1, dtype: DTypeLike | None = None
) -> Tensor:
    """Numbers from `start` up to `stop` in steps; no derivative in the bounds.

    >>> import gradtape as tf
    >>> tf.numpy.arange(1, 10, 3).numpy()
    array([1, 4, 7])

    Args:
        start: The first number; the end, where `stop` is not given.
        stop: The end, which is not reached.
        step: The distance of two numbers.
        dtype: The type of the result; by default that of the bounds and the step together.

    Returns:
        A vector.

    Raises:
        ValueError: There would be too many numbers.
    """
    first, last = (0, start) if stop is None else (start, stop)
    bounds: list[Any] = [np.asarray(v)[()] if hasattr(v, "dtype") else v for v in (first, last, step)]
    low, high, delta = bounds
    count = np.ceil((high - low) / delta) if delta else np.inf
    if not count < MOST_ELEMENTS:
        raise ValueError("Maximum allowed size exceeded")
    kind: Any = None if dtype is None else numpy_dtype(dtype)
    return from_array(np.arange(low, high, delta, dtype=kind))


@overload
def linspace(
    start: TensorLike,
    stop: TensorLike,
    num: TensorLike = 50,
    endpoint: bool = True,
    retstep: Literal[False] = False,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Tensor: ...
@overload
def linspace(
    start: TensorLike,
    stop: TensorLike,
    num: TensorLike = 50,
    endpoint: bool = True,
    *,
    retstep: Literal[True],
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> tuple[Tensor, Tensor]: ...
@overload
def linspace(
    start: TensorLike,
    stop: TensorLike,
    num: TensorLike = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Any: ...
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

    Args:
        start: The first number, or a tensor of them.
        stop: The last number.
        num: How many numbers.
        endpoint: Whether `stop` is the last number.
        retstep: Whether to return the distance of two numbers too.
        dtype: The type of the result; by default that of the bounds, float64 for whole numbers.
        axis: Where the new axis is.

    Returns:
        A tensor; with `retstep`, a pair of it and the distance.

    Raises:
        ValueError: `num` is negative.
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
    """`base` to the power of evenly spaced numbers.

    >>> import gradtape as tf
    >>> tf.numpy.logspace(0, 2, 3).numpy()
    array([  1.,  10., 100.])

    Args:
        start: The first exponent.
        stop: The last exponent.
        num: How many numbers.
        endpoint: Whether `stop` is the last number.
        base: What is raised to the powers.
        dtype: The type of the result; by default that of the bounds, float64 for whole numbers.
        axis: Where the new axis is.

    Returns:
        A tensor.
    """
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
    """Numbers with a constant ratio from `start` to `stop`, both of one sign.

    >>> import gradtape as tf
    >>> tf.numpy.geomspace(1, 8, 4).numpy()
    array([1., 2., 4., 8.])

    Args:
        start: The first number.
        stop: The last number.
        num: How many numbers.
        endpoint: Whether `stop` is the last number.
        dtype: The type of the result; by default that of the bounds, float64 for whole numbers.
        axis: Where the new axis is.

    Returns:
        A tensor.
    """
    first, last = promoted(start, stop, 1.0)[:2]
    signs = math.sign(first)
    result = signs * math.exp(linspace(math.log(math.abs(first)), math.log(math.abs(last)), num, endpoint, axis=axis))
    return result if dtype is None else to_type(result, dtype)


def meshgrid(*xi: TensorLike, indexing: str = "xy", sparse: bool = False, copy: bool = True) -> list[Tensor]:
    """Coordinate grids from coordinate vectors.

    >>> import gradtape as tf
    >>> x, y = tf.numpy.meshgrid([1, 2, 3], [10, 20])
    >>> (x + y).numpy()
    array([[11, 12, 13],
           [21, 22, 23]])

    Args:
        *xi: Vectors.
        indexing: "xy": the first vector runs along the second axis; "ij": along the first.
        sparse: Whether the grids have size 1 along the axes of the others.
        copy: Ignored; accepted for compatibility with NumPy.

    Returns:
        A list of tensors, one for each vector.
    """
    grids = arrays.meshgrid(*[asarray(x) for x in xi], indexing=indexing)
    if not sparse:
        return grids
    order = [1, 0, *range(2, len(xi))] if indexing == "xy" and len(xi) > 1 else [*range(len(xi))]
    return [arrays.reshape(asarray(x), [-1 if a == order[p] else 1 for a in range(len(xi))]) for p, x in enumerate(xi)]


def diag(v: TensorLike, k: object = 0) -> Tensor:
    """A matrix with `v` on its k-th diagonal; of a matrix, that diagonal.

    >>> import gradtape as tf
    >>> tf.numpy.diag([1, 2]).numpy()
    array([[1, 0],
           [0, 2]])

    Args:
        v: A vector or a matrix.
        k: Which diagonal: 0 is the main one, 1 the one above it.

    Returns:
        A matrix, or a vector.

    Raises:
        ValueError: The tensor has neither one axis nor two.
    """
    x, offset = asarray(v), as_int(k)
    if x.ndim == 1:
        return diagflat(x, offset)
    if x.ndim != 2:
        raise ValueError("Input must be 1- or 2-d.")
    return diagonal(x, offset)


def diagflat(v: TensorLike, k: IntLike = 0) -> Tensor:
    """A matrix with the flattened `v` on its k-th diagonal.

    >>> import gradtape as tf
    >>> tf.numpy.diagflat([[1], [2]]).numpy()
    array([[1, 0],
           [0, 2]])

    Args:
        v: A tensor.
        k: Which diagonal: 0 is the main one, 1 the one above it.

    Returns:
        A matrix.
    """
    x, offset = arrays.reshape(asarray(v), (-1,)), as_int(k)
    size = x.shape[0] + abs(offset)
    rows = np.arange(x.shape[0]) + max(-offset, 0)
    places = np.stack([rows, rows + offset], axis=1)
    return indexing.scatter_nd(from_array(places), x, (size, size))


def diagonal(a: TensorLike, offset: IntLike = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """The elements of a diagonal, along a new last axis.

    >>> import gradtape as tf
    >>> tf.numpy.diagonal([[1, 2], [3, 4]]).numpy()
    array([1, 4])

    Args:
        a: A tensor, or what can become one.
        offset: Which diagonal: 0 is the main one, 1 the one above it.
        axis1: The axis of the rows.
        axis2: The axis of the columns.

    Returns:
        A tensor.

    Raises:
        ValueError: The tensor has less than two axes.
    """
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
    """The positions of the main diagonal.

    >>> import gradtape as tf
    >>> rows, columns = tf.numpy.diag_indices(3)
    >>> columns.numpy()
    array([0, 1, 2])

    Args:
        n: The size of the axes.
        ndim: How many axes there are.

    Returns:
        A tuple with one vector for each axis.
    """
    return (arange(as_int(n)),) * ndim


def tri(N: TensorLike, M: TensorLike | None = None, k: IntLike = 0, dtype: DTypeLike | None = None) -> Tensor:
    """Ones at and below the k-th diagonal, zeros above; of Python's floats unless a type is given.

    >>> import gradtape as tf
    >>> tf.numpy.tri(2, 3).numpy()
    array([[1., 0., 0.],
           [1., 1., 0.]])

    Args:
        N: How many rows.
        M: How many columns; by default as many as rows.
        k: Which diagonal: 0 is the main one, 1 the one above it.
        dtype: The type of the result; by default float64.

    Returns:
        A matrix.
    """
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
    """The part at and below the k-th diagonal, zeros above.

    >>> import gradtape as tf
    >>> tf.numpy.tril([[1, 2], [3, 4]]).numpy()
    array([[1, 0],
           [3, 4]])

    Args:
        m: A tensor; the last two axes are matrices.
        k: Which diagonal: 0 is the main one, 1 the one above it.

    Returns:
        A tensor of the same shape.
    """
    return _triangle(m, k, upper=False)


def triu(m: TensorLike, k: IntLike = 0) -> Tensor:
    """The part at and above the k-th diagonal, zeros below.

    >>> import gradtape as tf
    >>> tf.numpy.triu([[1, 2], [3, 4]]).numpy()
    array([[1, 2],
           [0, 4]])

    Args:
        m: A tensor; the last two axes are matrices.
        k: Which diagonal: 0 is the main one, 1 the one above it.

    Returns:
        A tensor of the same shape.
    """
    return _triangle(m, k, upper=True)


def vander(x: Any, N: TensorLike | None = None, increasing: bool = False) -> Tensor:
    """The powers of each element as a row, the highest first unless `increasing`.

    >>> import gradtape as tf
    >>> tf.numpy.vander([2, 3], 3).numpy()
    array([[4, 2, 1],
           [9, 3, 1]])

    Args:
        x: A vector.
        N: How many powers; as many as elements by default.
        increasing: Whether the lowest comes first.

    Returns:
        A matrix.

    Raises:
        ValueError: `x` is no vector.
    """
    x = asarray(x)
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    count = x.shape[0] if N is None else as_int(N)
    x = to_type(x, result_type(x, 0))
    exponents = range(count) if increasing else range(count - 1, -1, -1)
    return powers.public(x, tuple(exponents))


def ix_(*args: object) -> tuple[Tensor, ...]:
    """Vectors shaped so that together they index a grid.

    >>> import gradtape as tf
    >>> rows, columns = tf.numpy.ix_([0, 1], [2, 4])
    >>> rows.shape, columns.shape
    (TensorShape([2, 1]), TensorShape([1, 2]))

    Args:
        *args: Vectors of whole numbers or truth values.

    Returns:
        A tuple of tensors.
    """
    parts = []
    for position, given in enumerate(args):
        x = asarray(given)
        if x.dtype.is_bool:
            x = from_array(np.flatnonzero(x._array))
        parts.append(arrays.reshape(x, [-1 if a == position else 1 for a in range(len(args))]))
    return tuple(parts)


def shape(a: Any) -> tuple[int, ...]:
    """The sizes of all axes.

    >>> import gradtape as tf
    >>> tf.numpy.shape([[1, 2, 3]])
    (1, 3)

    Args:
        a: A tensor, or what can become one.

    Returns:
        A tuple.
    """
    return tuple(asarray(a).shape) if is_followed(a) else np.shape(a)


def ndim(a: object) -> int:
    """The number of axes.

    >>> import gradtape as tf
    >>> tf.numpy.ndim([[1, 2, 3]])
    2

    Args:
        a: A tensor, or what can become one.

    Returns:
        A whole number.
    """
    return len(shape(a))


def size(x: object, axis: int | None = None) -> int:
    """The number of elements, or the size of an axis.

    >>> import gradtape as tf
    >>> tf.numpy.size([[1, 2, 3]]), tf.numpy.size([[1, 2, 3]], axis=0)
    (3, 1)

    Args:
        x: A tensor, or what can become one.
        axis: The axis; None: all elements.

    Returns:
        A whole number.
    """
    sizes = shape(x)
    return int(np.prod(sizes, dtype=np.int64)) if axis is None else sizes[axis]


trace_public(globals())
