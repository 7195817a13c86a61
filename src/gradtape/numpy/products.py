"""Products: of vectors, matrices and tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import linalg, math
from ..api import arrays, layout
from ..base.traceable import trace_public
from ..base.types import AxisLike, DTypeLike, TensorLike
from ..op.attributes import as_float, as_int, as_ints
from ..ops.linalg import products
from ..values.tensor import Tensor
from ..variables.operators import matmul_operator
from .creation import diagonal
from .elementwise import FUNCTIONS
from .manipulation import broadcast_arrays, moveaxis
from .promotion import asarray, promoted, to_type
from .reductions import REDUCTIONS


def matmul(x1: TensorLike, x2: TensorLike) -> Tensor:
    """x1 @ x2; a vector on either side is a row or a column.

    >>> import gradtape as tf
    >>> tf.numpy.matmul([[1, 2], [3, 4]], [1, 1]).numpy()
    array([3, 7])

    Args:
        x1: Matrices in the last two axes, or a vector.
        x2: The same, to broadcast with it in the other axes.

    Returns:
        A tensor of the type that both have together.
    """
    a, b = promoted(x1, x2)
    if a.dtype.is_bool:
        return to_type(matmul_operator(to_type(a, "int32"), to_type(b, "int32")), bool)
    return matmul_operator(a, b)


def dot(a: TensorLike, b: TensorLike) -> Tensor:
    """The sum of products over the last axis of `a` and the last but one of `b`; of scalars, the product.

    >>> import gradtape as tf
    >>> tf.numpy.dot([[1, 2], [3, 4]], [[1, 0], [0, 2]]).numpy()
    array([[1, 4],
           [3, 8]])

    Args:
        a: A tensor, or what can become one.
        b: Another, whose last axis but one (of a vector, the only one) has the size of the last axis of `a`.

    Returns:
        A tensor of the type that both have together.
    """
    x, y = promoted(a, b)
    if not x.ndim or not y.ndim:
        return FUNCTIONS["multiply"](x, y)
    return linalg.tensordot(x, y, [[x.ndim - 1], [max(y.ndim - 2, 0)]])


def vdot(a: TensorLike, b: TensorLike) -> Tensor:
    """The inner product of the flattened tensors, the first conjugated.

    >>> import gradtape as tf
    >>> complex(tf.numpy.vdot([1 + 1j, 2], [1j, 3]))
    (7+1j)

    Args:
        a: A tensor, or what can become one.
        b: Another, with as many elements.

    Returns:
        One number.
    """
    x, y = (arrays.reshape(v, (-1,)) for v in promoted(a, b))
    return math.reduce_sum(FUNCTIONS["conj"](x) * y)


def inner(a: TensorLike, b: TensorLike) -> Tensor:
    """The sum of products over the last axes.

    >>> import gradtape as tf
    >>> tf.numpy.inner([[1, 2], [3, 4]], [1, 1]).numpy()
    array([3, 7])

    Args:
        a: A tensor, or what can become one.
        b: Another, whose last axis has the same size.

    Returns:
        A tensor with the other axes of both.
    """
    x, y = promoted(a, b)
    return linalg.tensordot(x, y, [[-1], [-1]]) if x.ndim and y.ndim else x * y


def outer(a: TensorLike, b: TensorLike) -> Tensor:
    """All products of an element of one and an element of the other, flattened.

    >>> import gradtape as tf
    >>> tf.numpy.outer([1, 2], [10, 20, 30]).numpy()
    array([[10, 20, 30],
           [20, 40, 60]])

    Args:
        a: A tensor, or what can become one.
        b: The second tensor.

    Returns:
        A matrix with a row for each element of `a` and a column for each of `b`.
    """
    x, y = promoted(a, b)
    return arrays.reshape(x, (-1, 1)) * arrays.reshape(y, (1, -1))


def tensordot(a: TensorLike, b: object, axes: AxisLike = 2) -> Tensor:
    """The sum of products over axes of both: their number, or a list for each.

    >>> import gradtape as tf
    >>> tf.numpy.tensordot([[1, 2], [3, 4]], [[1, 0], [0, 1]], 2).numpy()
    np.int64(5)

    Args:
        a: A tensor, or what can become one.
        b: The second tensor.
        axes: How many of the last axes of `a` meet the first of `b`; or two lists of axes, which meet in pairs.

    Returns:
        A tensor with the other axes of both.
    """
    x, y = promoted(a, b)
    return linalg.tensordot(x, y, axes)


def einsum(subscripts: str, *operands: TensorLike) -> Tensor:
    """A sum of products, written in indices.

    >>> import gradtape as tf
    >>> tf.numpy.einsum("ij,j->i", [[1, 2], [3, 4]], [1, 10]).numpy()
    array([21, 43])

    Args:
        subscripts: A letter for each axis of each operand, and behind "->" those of the result; the others are summed
            over.
        *operands: The tensors.

    Returns:
        A tensor of the type that all have together.
    """
    return linalg.einsum(subscripts, *promoted(*operands))


def kron(a: TensorLike, b: TensorLike) -> Tensor:
    """Each element of `a` times the whole of `b`.

    >>> import gradtape as tf
    >>> tf.numpy.kron([1, 10], [1, 2, 3]).numpy()
    array([ 1,  2,  3, 10, 20, 30])

    Args:
        a: A tensor, or what can become one.
        b: The second tensor.

    Returns:
        A tensor; the size of each axis is the product of both sizes.
    """
    x, y = promoted(a, b)
    rank = max(x.ndim, y.ndim)
    left, right = (arrays.reshape(v, (*(1,) * (rank - v.ndim), *v.shape)) for v in (x, y))
    if x.dtype.is_bool:
        return to_type(kron(to_type(left, np.int8), to_type(right, np.int8)), bool)
    return products.kron.public(left, right, rank)


def vecdot(x1: TensorLike, x2: TensorLike, axis: int = -1) -> Tensor:
    """The inner products of vectors along an axis, the first conjugated.

    >>> import gradtape as tf
    >>> tf.numpy.vecdot([[1.0, 2.0], [3.0, 4.0]], [1.0, 1.0]).numpy()
    array([3., 7.])

    Args:
        x1: Vectors along the axis.
        x2: The same, to broadcast with them in the other axes.
        axis: The axis.

    Returns:
        A tensor without that axis.
    """
    a, b = promoted(x1, x2)
    if a.dtype.is_bool:
        return to_type(vecdot(to_type(a, "int32"), to_type(b, "int32"), axis), bool)
    return products.vecdot.public(a, b, as_int(axis))


def cross(
    a: TensorLike, b: TensorLike, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Tensor:
    """The vector product of vectors of three elements.

    >>> import gradtape as tf
    >>> tf.numpy.cross([1, 0, 0], [0, 1, 0]).numpy()
    array([0, 0, 1])

    Args:
        a: Vectors of three elements.
        b: The same, to broadcast with them.
        axisa: The axis of the vectors in `a`.
        axisb: The axis of the vectors in `b`.
        axisc: The axis of the vectors in the result.
        axis: One axis instead of these three.

    Returns:
        A tensor.

    Raises:
        ValueError: The vectors do not have three elements.
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    x, y = (moveaxis(v, p, -1) for v, p in zip(promoted(a, b), (axisa, axisb), strict=True))
    if x.shape[-1] != 3 or y.shape[-1] != 3:
        raise ValueError(f"cross: vectors of three elements are needed, got shapes {x.shape} and {y.shape}.")
    x, y = broadcast_arrays(x, y)
    return moveaxis(linalg.cross(x, y), -1, axisc)


def trace(a: TensorLike, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: DTypeLike | None = None) -> Tensor:
    """The sum of a diagonal.

    >>> import gradtape as tf
    >>> int(tf.numpy.trace([[1, 2], [3, 4]]))
    5

    Args:
        a: A tensor with at least two axes.
        offset: Which diagonal: 0 is the main one, 1 the one above it.
        axis1: The axis of the rows.
        axis2: The axis of the columns.
        dtype: The type to compute in; by default the one that NumPy chooses.

    Returns:
        A tensor without these two axes.
    """
    return REDUCTIONS["sum"](diagonal(a, offset, axis1, axis2), -1, dtype)


def norm(x: Any, ord: Any = None, axis: AxisLike | None = None, keepdims: bool = False) -> Tensor:
    """The norm of vectors (one axis, or no `ord`) or matrices (two axes), as `numpy.linalg.norm` has it.

    >>> import gradtape as tf
    >>> tf.numpy.linalg.norm([[3.0, 4.0], [6.0, 8.0]], axis=1).numpy()
    array([ 5., 10.])
    >>> float(tf.numpy.linalg.norm([[3.0, 4.0], [6.0, 8.0]], tf.numpy.inf))
    14.0

    Args:
        x: A tensor, or what can become one.
        ord: Of vectors: the exponent p, 0 (how many elements are not 0), or plus or minus infinity (the largest or
            smallest magnitude). Of matrices: "fro", "nuc" (the sum of singular values), 2 or -2 (the largest or smallest
            one), 1 or -1 (the largest or smallest sum of a column), plus or minus infinity (of a row). None: the square
            root of the sum of squares.
        axis: The axis of vectors, or the two axes of matrices; None: the whole tensor is one vector or matrix.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor of real numbers.

    Raises:
        ValueError: There is no such norm.
    """
    x = asarray(x)
    x = x if x.dtype.is_floating or x.dtype.is_complex else to_type(x, float)
    ord = as_float(ord) if isinstance(ord, Tensor) else ord
    if axis is None and ord is not None and x.ndim not in (1, 2):
        raise ValueError("Improper number of dimensions to norm.")
    axes = None if axis is None else as_ints(axis)
    vectors = len(axes) == 1 if axes is not None else x.ndim == 1
    if ord is None or (ord == "fro" and not vectors):
        return linalg.norm(x, "euclidean", _axes(axes), keepdims)
    if vectors:
        return _vector_norm(x, ord, axes[0] if axes is not None else 0, keepdims)
    pair = axes if axes is not None else (0, 1)
    if ord in (2, -2, "nuc"):
        values = linalg.svd(moveaxis(x, pair, (-2, -1)), compute_uv=False)
        chosen = {2: math.reduce_max, -2: math.reduce_min, "nuc": math.reduce_sum}[ord](values, -1)
    elif ord in (1, -1, float("inf"), -float("inf")):
        summed, rest = pair if abs(ord) == 1 else pair[::-1]
        sums = math.reduce_sum(math.abs(x), summed, True)
        chosen = (math.reduce_max if ord > 0 else math.reduce_min)(sums, rest, True)
        chosen = layout.squeeze(chosen, tuple(p % x.ndim for p in pair))
    else:
        raise ValueError(f"Invalid norm order {ord!r} for matrices.")
    if not keepdims:
        return chosen
    return arrays.reshape(chosen, [1 if p in {q % x.ndim for q in pair} else n for p, n in enumerate(x.shape)])


def _axes(axes: tuple[int, ...] | None) -> Any:
    return axes[0] if axes is not None and len(axes) == 1 else axes


def _vector_norm(x: Tensor, ord: Any, axis: int, keepdims: bool) -> Any:
    if not isinstance(ord, (int, float)):
        raise ValueError(f"Invalid norm order {ord!r} for vectors")
    sizes = math.abs(x)
    if ord == float("inf"):
        return math.reduce_max(sizes, axis, keepdims)
    if ord == -float("inf"):
        return math.reduce_min(sizes, axis, keepdims)
    if ord == 0:
        return math.reduce_sum(to_type(math.not_equal(sizes, arrays.zeros_like(sizes)), sizes.dtype), axis, keepdims)
    if ord == 2:
        return math.reduce_euclidean_norm(sizes, axis, keepdims)
    if ord == 1:
        return math.reduce_sum(sizes, axis, keepdims)
    return math.pow(math.reduce_sum(math.pow(sizes, float(ord)), axis, keepdims), 1.0 / ord)


trace_public(globals())
