"""Products of matrices and vectors: matmul with transposes, affine maps (dense), cross, inner and Kronecker products."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from ...base.dtypes import INEXACT, NARROW_FLOATS, NUMERIC, REAL, Array
from ...base.errors import FailedPreconditionError, invalid, unfit
from ...base.sizes import Undecided, matched
from ...base.types import Cotangent, Draw, Namespace, Tangent, Value
from ...native import blas
from ...native.background import later
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import all_batched, batch_leading, insert_axes, is_complex, negative_axis, rank_of, shape_of
from ...op.shapes import broadcast_sizes, equal_shapes, matched_sizes, place, replaced
from ..array.borders import crop
from ..array.layout import expand_dims, permute, reshape, sum_to_shape
from ..math.complex_numbers import conj
from ..math.logic import zeros_like
from ..math.reduce import reduce_sum

# --- matmul -------------------------------------------------------------------------------------------------


def _matmul(a: Array, b: Array, transpose_a: bool = False, transpose_b: bool = False) -> Array:
    if a.ndim == 2 and b.ndim == 2 and a.itemsize >= 4:
        return blas.product(a.T if transpose_a else a, b.T if transpose_b else b)
    if a.ndim < 2 or b.ndim < 2:
        raise ValueError("matrices have two axes")
    if transpose_a:
        a = a.swapaxes(-1, -2)
    if transpose_b:
        b = b.swapaxes(-1, -2)
    if a.dtype in NARROW_FLOATS:  # NumPy's half-precision product is 300 times slower
        return (a.astype(np.float32) @ b.astype(np.float32)).astype(a.dtype)
    if a.ndim > 2 and b.ndim == 2:
        # One large product instead of many small ones.
        lead = a.shape[:-1]
        return blas.product(a.reshape(math.prod(lead), a.shape[-1]), b).reshape(*lead, b.shape[-1])
    if 2 < a.ndim < b.ndim and b.shape[-1] == 1 and a.shape[:-2] == b.shape[-a.ndim : -2]:
        return _by_matrix(a, b[..., 0])[..., None]
    if 2 < b.ndim < a.ndim and a.shape[-2] == 1 and b.shape[:-2] == a.shape[-b.ndim : -2]:
        return _by_matrix(b.swapaxes(-1, -2), a[..., 0, :])[..., None, :]
    return blas.product(a, b)


def _by_matrix(matrices: Array, vectors: Array) -> Array:
    """The products of matrices (..., m, k) with many vectors each (many..., ..., k): for a matrix they are rows of one product."""
    many, kept = vectors.shape[: 1 - matrices.ndim], vectors.shape[1 - matrices.ndim :]
    rows = vectors.reshape(prod(many), *kept)
    result = np.empty((*rows.shape[:-1], matrices.shape[-2]), vectors.dtype)
    by_matrix = (*range(1, rows.ndim - 1), 0, rows.ndim - 1)
    blas.product(rows.transpose(by_matrix), matrices.swapaxes(-1, -2), out=result.transpose(by_matrix))
    return result.reshape(*vectors.shape[:-1], matrices.shape[-2])


# (`tf.matmul` checks the flags: on small matrices the check is 2 % of a call, and `@` does not need it.)
@op(eager=_matmul, dtypes=NUMERIC, tf_name="MatMul", checks_flags=False)
def matmul(xp: Namespace, a: Array, b: Array, *, transpose_a: bool = False, transpose_b: bool = False) -> Any:
    """The product of matrices in the last two axes, with broadcasting over the others."""
    a = xp.swapaxes(a, -1, -2) if transpose_a else a
    b = xp.swapaxes(b, -1, -2) if transpose_b else b
    return xp.matmul(a, b)


@matmul.shapes
def _(a: Abstract, b: Abstract, *, transpose_a: object, transpose_b: object) -> Shape:
    if a.ndim < 2 or b.ndim < 2:
        raise ValueError(f"matrices are needed, got shapes {a.shape} and {b.shape}")
    *front, rows, inner = (*a.shape[:-2], *a.shape[:-3:-1]) if transpose_a else a.shape
    *other, inside, columns = (*b.shape[:-2], *b.shape[:-3:-1]) if transpose_b else b.shape
    matched(inner, inside, "inner dimensions")
    lead = broadcast_sizes(tuple(front), tuple(other))
    return None if lead is None else (*lead, rows, columns)


@matmul.vjp("a")
def _(g: Cotangent, b: Value, a_shape: tuple[int, ...], transpose_a: bool, transpose_b: bool) -> Any:
    b = conj(b) if is_complex(b) else b
    if transpose_a:
        return _summed_product(b, g, transpose_b, True, a_shape)
    return _summed_product(g, b, False, not transpose_b, a_shape)


@matmul.vjp("b")
def _(g: Cotangent, a: Value, b_shape: tuple[int, ...], transpose_a: bool, transpose_b: bool) -> Any:
    a = conj(a) if is_complex(a) else a
    if len(b_shape) == 2 and rank_of(a) > 2 and not transpose_a and shape_of(a)[:-1] == shape_of(g)[:-1]:
        # b was shared by all leading axes: one product over all rows, not many that are then added up.
        rows = math.prod(shape_of(a)[:-1])
        a = reshape(a, shape=(rows, shape_of(a)[-1]))
        g = reshape(g, shape=(rows, shape_of(g)[-1]))
    if a.__class__ is np.ndarray and g.__class__ is np.ndarray and a.ndim == g.ndim == len(b_shape) == 2:
        turned = a if transpose_a else a.T
        postponed = later(g.T, turned.T) if transpose_b else later(turned, g)
        if postponed is not None:
            return postponed
    if transpose_b:
        return _summed_product(g, a, True, transpose_a, b_shape)
    return _summed_product(a, g, not transpose_a, False, b_shape)


def _summed_product(x: Value, y: Value, transpose_x: bool, transpose_y: bool, shape: tuple[int, ...]) -> Any:
    """x @ y, added up over the leading axes that were broadcast to get there from the shape."""
    lead, inner = shape_of(x)[:-2], shape_of(x)[-2 if transpose_x else -1]
    extra = len(lead) + 2 - len(shape)
    if extra > 0 and inner == 1 and len(shape) > 2 and lead == shape_of(y)[:-2] and lead[extra:] == shape[:-2]:
        # Sums of outer products, for each matrix one product over all vectors that met it.
        x, y = (_rows_by_matrix(v, extra, size) for v, size in ((x, shape[-2]), (y, shape[-1])))
        return matmul(x, y, transpose_a=True)
    result = matmul(x, y, transpose_a=transpose_x, transpose_b=transpose_y)
    return result if shape_of(result) == shape else sum_to_shape(result, shape=shape)


def _rows_by_matrix(vectors: Value, extra: int, size: int) -> Any:
    """Vectors (many..., ..., size), as matrices with an axis of length 1, as matrices (..., many, size)."""
    lead = shape_of(vectors)[:-2]
    rows = reshape(vectors, shape=(prod(lead[:extra]), *lead[extra:], size))
    rank = len(lead) - extra + 2
    return permute(rows, perm=(*range(1, rank - 1), 0, rank - 1))


matmul.linear("a", "b")


@matmul.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    a, b = args
    if is_batched == (True, False) and rank_of(a) == 3 and not attributes.get("transpose_a") and rank_of(b) == 2:
        # Fold the batch into the rows of one product.
        size, rows, inner = shape_of(a)
        product = matmul(reshape(a, shape=(size * rows, inner)), b, transpose_b=attributes.get("transpose_b", False))
        return reshape(product, shape=(size, rows, shape_of(product)[-1]))
    ranks = [rank_of(x) - batched for x, batched in zip(args, is_batched, strict=True)]
    rank = max(ranks)
    aligned = []
    for x, batched in zip(args, is_batched, strict=True):
        if batched:
            shape = shape_of(x)
            x = reshape(x, shape=(shape[0], *(1,) * (rank - len(shape) + 1), *shape[1:]))
        aligned.append(x)
    return matmul(*aligned, **attributes)


@matmul.checks
def _(a: Array, b: Array, transpose_a: bool = False, transpose_b: bool = False) -> None:
    if a.ndim < 2 or b.ndim < 2:
        raise invalid(
            f"matmul: both operands need at least two axes, got shapes {a.shape} and {b.shape}. "
            "For a vector use tf.linalg.matvec or tf.tensordot."
        )
    inner_a = a.shape[-2] if transpose_a else a.shape[-1]
    inner_b = b.shape[-1] if transpose_b else b.shape[-2]
    if inner_a != inner_b:
        hint = ""
        if a.shape[-1] == b.shape[-1] and not (transpose_a or transpose_b):
            hint = " Did you mean transpose_b=True?"
        elif a.shape[-2] == b.shape[-2] and not (transpose_a or transpose_b):
            hint = " Did you mean transpose_a=True?"
        raise invalid(
            f"matmul: inner dimensions differ: a is {a.shape}{' transposed' if transpose_a else ''}, "
            f"b is {b.shape}{' transposed' if transpose_b else ''}.{hint}"
        )
    raise invalid(f"matmul: the leading axes of a {a.shape} and b {b.shape} do not broadcast.")


@matmul.samples
def _(draw: Draw) -> Iterator[Sample]:
    for a, b, ta, tb in [
        ((2, 3), (3, 4), False, False), ((3, 2), (3, 4), True, False), ((2, 3), (4, 3), False, True),
        ((3, 2), (4, 3), True, True),
        ((5, 2, 3), (3, 2), False, False), ((2, 3), (5, 3, 2), False, False), ((4, 1, 2, 3),
        (2, 3, 2), False, False),
        ((2, 3, 2), (2, 3, 4), True, False), ((2, 2, 3), (2, 4, 3), False, True), ((0, 3),
        (3, 2), False, False), ((2, 0), (0, 3), False, False),
        ((1, 1), (1, 1), False, False), ((2, 4, 3), (3, 3), False, True), ((3, 1, 4, 2),
        (1, 4, 2), True, False),
        ((2, 3, 0), (0, 4), False, False), ((0, 2, 3), (3, 2), False, False),
        # Vectors that share their matrices.
        ((3, 2, 4), (5, 3, 4, 1), False, False), ((3, 4, 2), (5, 3, 1, 4), True, True), ((5, 3, 1, 4), (3, 4, 2), False, False),
        ((2, 2, 3, 4, 1), (3, 2, 4), True, True), ((3, 2, 4), (0, 3, 4, 1), False, False), ((3, 0, 4), (2, 3, 4, 1), False, False),
    ]:  # fmt: skip
        yield Sample((draw(a), draw(b)), {"transpose_a": ta, "transpose_b": tb})


@matmul.value
def _(a: Array, b: Array, transpose_a: bool, transpose_b: bool) -> Any:
    left = "ji" if transpose_a else "ij"
    right = "kj" if transpose_b else "jk"
    return np.einsum(f"...{left},...{right}->...ik", a, b)


@matmul.rejects
def _() -> Iterator[BadInput]:
    for a, b in [
        ((2, 3), (2, 3)), ((3,), (3, 2)), ((2, 3), (3,)), ((), (2, 2)), ((2, 3), (4, 2)), ((2, 2, 3),
        (3, 3, 2)), ((2, 3), ()), ((3,), (3,)),
        ((2, 0), (2, 3)), ((4, 2, 3), (5, 3, 2)),
    ]:  # fmt: skip
        yield BadInput("the shapes must fit", (np.ones(a, np.float32), np.ones(b, np.float32)))
    yield BadInput("types never mix", (np.ones((2, 2), np.float32), np.ones((2, 2), np.float64)))


# --- helpers for the rules of matrix ops --------------------------------------------------------------------


def transposed(x: Value) -> Any:
    """The last two axes exchanged."""
    rank = rank_of(x)
    return permute(x, perm=(*range(rank - 2), rank - 1, rank - 2))


def conjugated(x: Value) -> Any:
    """x as it stands in reverse rules: conjugated where it is complex, and untouched where it is not."""
    return conj(x) if is_complex(x) else x


def adjoint(x: Value) -> Any:
    """The last two axes exchanged, and complex elements conjugated."""
    return transposed(conjugated(x))


def product(a: Value, b: Value, adjoint_a: bool = False, adjoint_b: bool = False) -> Any:
    """a @ b, either of them as its adjoint."""
    a = conjugated(a) if adjoint_a else a
    b = conjugated(b) if adjoint_b else b
    return matmul(a, b, transpose_a=adjoint_a, transpose_b=adjoint_b)


def columns(x: object, start: int, stop: int) -> Any:
    """The columns from `start` to before `stop`."""
    rank, size = rank_of(x), shape_of(x)[-1]
    return x if stop - start == size else crop(x, paddings=(*((0, 0),) * (rank - 1), (start, size - stop)))


def check_matrix(name: str, x: Array, square: bool = True) -> None:
    """Raise unless the last two axes hold a matrix, a square one by default."""
    if x.ndim < 2:
        raise unfit(f"{name}: a matrix in the last two axes is needed, got a tensor of shape {x.shape}.")
    if square and x.shape[-1] != x.shape[-2]:
        raise unfit(f"{name}: the matrix must be square, got a tensor of shape {x.shape}.")


# --- the cross product --------------------------------------------------------------------------------------


_NEXT = np.array([1, 2, 0])


def _check_cross(a: Any, b: Any) -> None:
    if a.shape != b.shape or not a.ndim:
        raise invalid(f"cross: both operands need one shape, with at least one axis; got {a.shape} and {b.shape}.")
    if a.shape[-1] != 3:
        message = f"cross: the cross product is defined for vectors of 3 elements, got shape {a.shape}."
        raise FailedPreconditionError(None, None, message)


def _cross(a: Array, b: Array) -> Array:
    _check_cross(a, b)
    # The bits of `np.cross`, which takes ten times as long for one vector.
    return (a * b.take(_NEXT, -1) - a.take(_NEXT, -1) * b).take(_NEXT, -1)


@op(eager=_cross, dtypes=REAL)
def cross(xp: Namespace, a: Array, b: Array) -> Any:
    """The cross product of vectors of three elements in the last axis.

    >>> import gradtape as tf
    >>> tf.linalg.cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]).numpy()
    array([0., 0., 1.], dtype=float32)
    """
    return xp.cross(a, b)


@cross.shapes
def _(a: Abstract, b: Abstract) -> Shape:
    with contextlib.suppress(Undecided):
        _check_cross(a, b)
    return equal_shapes(a, b).known


@cross.vjp("a")
def _(g: Cotangent, b: Value) -> Any:
    return cross(b, g)


@cross.vjp("b")
def _(g: Cotangent, a: Value) -> Any:
    return cross(g, a)


cross.linear("a", "b")
cross.batched(batch_leading)


@cross.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in [
        (3,),
        (2, 3),
        (1, 3),
        (3, 3),
        (0, 3),
        (2, 1, 3),
        (4, 3),
        (2, 2, 3),
        (5, 3),
        (1, 1, 3),
        (2, 0, 3),
        (6, 3),
    ]:
        yield Sample((draw(shape), draw(shape)))


@cross.value
def _(a: Array, b: Array) -> Any:
    rows = [a[..., i] * b[..., j] - a[..., j] * b[..., i] for i, j in ((1, 2), (2, 0), (0, 1))]
    return np.stack(rows, axis=-1)


@cross.rejects
def _() -> Iterator[BadInput]:
    for a, b in [((3,), (2, 3)), ((2, 3), (3,)), ((1, 3), (2, 3)), ((), ()), ((3,), ()), ((0, 3), (1, 3))]:
        yield BadInput("the shapes must be equal", (np.ones(a, np.float32), np.ones(b, np.float32)))
    for size in (2, 4, 0, 1):
        x = np.ones(size, np.float32)
        yield BadInput("vectors have three elements", (x, x), {}, FailedPreconditionError)
    yield BadInput("types never mix", (np.ones(3, np.float32), np.ones(3, np.float64)))


# --- affine maps --------------------------------------------------------------------------------------------


def _dense(x: Array, weights: Array, biases: Array) -> Array:
    if x.ndim < 1 or weights.ndim != 2 or x.shape[-1] != weights.shape[0] or biases.shape != weights.shape[1:]:
        raise invalid(
            "dense: x (..., n), weights (n, m) and biases (m,) are needed, "
            f"got {x.shape}, {weights.shape} and {biases.shape}."
        )
    lead, dtype = x.shape[:-1], x.dtype
    if dtype in NARROW_FLOATS:
        x, weights, biases = (v.astype(np.float32) for v in (x, weights, biases))
    result = blas.product(x.reshape(prod(lead), x.shape[-1]), weights)
    result += biases
    return result.reshape(*lead, weights.shape[1]).astype(dtype, copy=False)


@op(eager=_dense, dtypes=INEXACT, tf_name="XwPlusB")
def dense(xp: Namespace, x: Array, weights: Array, biases: Array) -> Any:
    """x @ weights + biases over the last axis of x, in one array.

    >>> import gradtape as tf
    >>> tf.nn.experimental.dense([[1.0, 2.0]], weights=[[1.0], [1.0]], biases=[0.5]).numpy()
    array([[3.5]], dtype=float32)

    Args:
        x: A tensor (..., inputs) of floating or complex numbers.
        weights: A matrix (inputs, outputs) of the same type.
        biases: A vector (outputs) of the same type.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor (..., outputs).

    Raises:
        tf.errors.InvalidArgumentError: The shapes or types of the operands do not fit each other.
    """
    return x @ weights + biases


@dense.shapes
def _(x: Abstract, weights: Abstract, biases: Abstract) -> Shape:
    rows, columns = weights.of_rank(2)
    matched(x.shape[-1], rows, "inner dimensions")
    return replaced(x.shape, -1, matched(columns, biases.of_rank(1)[0], "columns and biases,"))


def _rows(x: Any) -> Any:
    shape = shape_of(x)
    return reshape(x, shape=(prod(shape[:-1]), shape[-1]))


@dense.vjp("x")
def _(g: Cotangent, weights: Value, x_shape: tuple[int, ...]) -> Any:
    return reshape(matmul(_rows(g), conjugated(weights), transpose_a=False, transpose_b=True), shape=x_shape)


@dense.vjp("weights")
def _(g: Cotangent, x: Value) -> Any:
    return matmul(_rows(conjugated(x)), _rows(g), transpose_a=True, transpose_b=False)


@dense.vjp("biases")
def _(g: Cotangent) -> Any:
    return reduce_sum(_rows(g), axis=0, keepdims=False)


@dense.jvp("x")
def _(t: Tangent, weights: Value, out: Value) -> Any:
    return reshape(matmul(_rows(t), weights, transpose_a=False, transpose_b=False), shape=shape_of(out))


@dense.jvp("weights")
def _(t: Tangent, x: Value, out: Value) -> Any:
    return reshape(matmul(_rows(x), t, transpose_a=False, transpose_b=False), shape=shape_of(out))


@dense.jvp("biases")
def _(t: Tangent, out: Value) -> Any:
    return zeros_like(out) + t


@dense.batched
def _(declared: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    if is_batched == (True, False, False):
        return declared(*args)
    size, (x, weights, biases) = all_batched(is_batched, args)
    shape = shape_of(x)
    rows = reshape(x, shape=(size, prod(shape[1:-1]), shape[-1]))
    result = matmul(rows, weights, transpose_a=False, transpose_b=False) + insert_axes(biases, 2)
    return reshape(result, shape=(*shape[:-1], shape_of(weights)[-1]))


@dense.samples
def _(draw: Draw) -> Iterator[Sample]:
    for lead, n, m in [
        ((), 3, 2), ((4,), 3, 2), ((2, 3), 2, 4), ((0,), 2, 3), ((1,), 1, 1), ((5,), 4, 1), ((2, 1, 2), 3, 3), ((3,), 1, 5), ((2,), 2, 2),
        ((1, 1), 2, 3), ((6,), 2, 1), ((3, 2), 4, 2),
    ]:  # fmt: skip
        yield Sample((draw((*lead, n)), draw((n, m)), draw((m,))))


@dense.value
def _(x: Array, weights: Array, biases: Array) -> Any:
    return np.einsum("...n,nm->...m", x, weights) + biases


@dense.rejects
def _() -> Iterator[BadInput]:
    for x, w, b in [
        ((2, 3), (2, 4), (4,)),
        ((2, 3), (3, 4), (3,)),
        ((), (3, 4), (4,)),
        ((2, 3), (3,), (3,)),
        ((2, 3), (3, 4), (1, 4)),
    ]:
        yield BadInput("sizes that fit", tuple(np.ones(shape, np.float32) for shape in (x, w, b)))


# --- inner products -----------------------------------------------------------------------------------------


def _vecdot(x1: Array, x2: Array, axis: int = -1) -> Array:
    for x in (x1, x2):
        if not -x.ndim <= axis < x.ndim:
            raise invalid(f"vecdot: axis {axis} does not exist in a tensor of shape {x.shape}.")
    first, second = np.moveaxis(x1, axis, -1), np.moveaxis(x2, axis, -1)
    if first.shape[-1] != second.shape[-1]:
        raise invalid(f"vecdot: axis {axis} has two sizes, in shapes {x1.shape} and {x2.shape}.")
    if x1.dtype in NARROW_FLOATS:
        return np.asarray(np.einsum("...i,...i", first.astype(np.float32), second.astype(np.float32))).astype(x1.dtype)
    return np.einsum("...i,...i", np.conj(first) if x1.dtype.kind == "c" else first, second)


@op(eager=_vecdot, dtypes=NUMERIC)
def vecdot(xp: Namespace, x1: Array, x2: Array, *, axis: int = -1) -> Any:
    """The inner products of vectors along an axis, the first conjugated; the other axes broadcast."""
    return xp.sum(xp.conj(x1) * x2, axis=axis)


@vecdot.shapes
def _(x1: Abstract, x2: Abstract, *, axis: object) -> Shape:
    first, second = place(axis, x1.ndim), place(axis, x2.ndim)
    matched(x1.shape[first], x2.shape[second], "the sizes along the axis,")
    return broadcast_sizes(replaced(x1.shape, first), replaced(x2.shape, second))


def _kept(g: object, rank: int, axis: int) -> Any:
    return expand_dims(g, axis=axis % rank)


@vecdot.vjp("x1")
def _(g: Cotangent, x2: Value, x1_shape: tuple[int, ...], axis: int) -> Any:
    rank = max(len(x1_shape), rank_of(x2))
    return sum_to_shape(conjugated(_kept(g, rank, axis)) * x2, shape=x1_shape)


@vecdot.vjp("x2")
def _(g: Cotangent, x1: Value, x2_shape: tuple[int, ...], axis: int) -> Any:
    rank = max(len(x2_shape), rank_of(x1))
    return sum_to_shape(_kept(g, rank, axis) * x1, shape=x2_shape)


vecdot.linear("x1", "x2")


@vecdot.batched
def _(declared: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    rank = max(rank_of(a) - batched for a, batched in zip(args, is_batched, strict=True))
    aligned = [insert_axes(a, rank) if batched else a for a, batched in zip(args, is_batched, strict=True)]
    return declared(*aligned, axis=negative_axis(attributes["axis"], rank))


@vecdot.samples
def _(draw: Draw) -> Iterator[Sample]:
    for first, second, axis in [
        ((3,), (3,), -1), ((2, 3), (2, 3), -1), ((2, 3), (3,), -1), ((3,), (2, 3), -1), ((2, 3), (2, 3), -2), ((2, 1, 3), (4, 3), -1), ((0,), (0,), -1),
        ((1,), (1,), 0), ((2, 3, 4), (2, 3, 4), 1), ((2, 0), (2, 0), -1), ((5, 2), (1, 2), -1), ((0, 3), (0, 3), -1),
    ]:  # fmt: skip
        yield Sample((draw(first), draw(second)), {"axis": axis})


@vecdot.value
def _(x1: Array, x2: Array, axis: int) -> Any:
    return np.sum(np.conj(x1) * x2, axis=axis)


@vecdot.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for shape in ((2, 2), (4,), (3, 2)):
        yield BadInput("vectors of one size", (x, np.ones(shape, np.float32)))
    for axis in (2, -3):
        yield BadInput("the axis must exist", (x, x), {"axis": axis})


# --- Kronecker products -------------------------------------------------------------------------------------


def _spread(a: Value, rank: int) -> Any:
    shape = shape_of(a)
    lead = len(shape) - rank
    return reshape(a, shape=(*shape[:lead], *(size for n in shape[lead:] for size in (n, 1))))


def _spaced(b: Value, rank: int) -> Any:
    shape = shape_of(b)
    lead = len(shape) - rank
    return reshape(b, shape=(*shape[:lead], *(size for n in shape[lead:] for size in (1, n))))


def _kron(a: Array, b: Array, rank: int) -> Array:
    if a.ndim != b.ndim or a.ndim < rank or a.shape[: a.ndim - rank] != b.shape[: b.ndim - rank] or rank < 0:
        raise invalid(
            f"kron: operands with {rank} axes after equal leading ones are needed, got {a.shape} and {b.shape}."
        )
    lead = a.ndim - rank
    whole = _spread(a, rank) * _spaced(b, rank)
    sizes = (n * m for n, m in zip(a.shape[lead:], b.shape[lead:], strict=True))
    return whole.reshape((*a.shape[:lead], *sizes))


@op(eager=_kron, dtypes=NUMERIC)
def kron(xp: Namespace, a: Array, b: Array, *, rank: int) -> Any:
    """Each element of `a` times the whole of `b`, over the last `rank` axes."""
    return _kron(a, b, rank)


@kron.shapes
def _(a: Abstract, b: Abstract, *, rank: Any) -> Shape:
    if a.ndim != b.ndim or a.ndim < rank:
        raise ValueError(f"{rank} axes after equal leading ones are needed")
    lead = a.ndim - rank
    sizes = [n * m for n, m in zip(a.shape[lead:], b.shape[lead:], strict=True)]
    return (*matched_sizes(a.shape[:lead], b.shape[:lead]), *sizes)


def _apart(g: object, a_shape: tuple[int, ...], b_shape: tuple[int, ...], rank: int) -> Any:
    lead = len(a_shape) - rank
    pairs = (size for n, m in zip(a_shape[lead:], b_shape[lead:], strict=True) for size in (n, m))
    return reshape(g, shape=(*a_shape[:lead], *pairs))


@kron.vjp("a")
def _(g: Cotangent, b: Value, a_shape: tuple[int, ...], rank: int) -> Any:
    lead = len(a_shape) - rank
    parts = _apart(g, a_shape, shape_of(b), rank) * _spaced(conjugated(b), rank)
    return reduce_sum(parts, axis=tuple(lead + 2 * k + 1 for k in range(rank)), keepdims=False)


@kron.vjp("b")
def _(g: Cotangent, a: Value, b_shape: tuple[int, ...], rank: int) -> Any:
    lead = len(b_shape) - rank
    parts = _apart(g, shape_of(a), b_shape, rank) * _spread(conjugated(a), rank)
    return reduce_sum(parts, axis=tuple(lead + 2 * k for k in range(rank)), keepdims=False)


kron.linear("a", "b")
kron.batching = batch_leading


@kron.samples
def _(draw: Draw) -> Iterator[Sample]:
    for left, right, rank in [
        ((2,), (3,), 1), ((2, 3), (2, 2), 2), ((1, 2), (3, 1), 2), ((), (), 0), ((2, 2), (2, 3), 1), ((3, 2, 2), (3, 1, 2), 2), ((0,), (2,), 1),
        ((2, 1, 2), (1, 2, 2), 3), ((1,), (4,), 1), ((4, 1), (1, 4), 2), ((2, 0), (2, 2), 2), ((2, 2), (2, 2), 0),
    ]:  # fmt: skip
        yield Sample((draw(left), draw(right)), {"rank": rank})


@kron.value
def _(a: Array, b: Array, rank: int) -> Any:
    lead = a.shape[: a.ndim - rank]
    found = [np.kron(a[place], b[place]) for place in np.ndindex(lead)]
    return np.array(found).reshape((*lead, *np.shape(found[0])))


@kron.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for other, rank in [((2,), 2), ((2, 3), 3), ((3, 3), 1), ((2, 3, 1), 2), ((2, 3), -1)]:
        yield BadInput("axes that fit", (x, np.ones(other, np.float32)), {"rank": rank})
