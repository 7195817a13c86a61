"""Products with a structure of their own: affine maps, inner and Kronecker products, traces, powers, three diagonals."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from ...base.dtypes import INEXACT, NARROW_FLOATS, NUMERIC, Array
from ...base.errors import invalid
from ...base.sizes import matched
from ...base.types import Cotangent, Draw, Namespace, Tangent, Value
from ...native import blas
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ..array.layout import expand_dims, reshape, sum_to_shape
from ..family import all_batched, batch_leading, insert_axes, negative_axis, numpy_type, rank_of, shape_of
from ..math.logic import zeros_like
from ..math.reduce import reduce_sum
from ..shapes import broadcast_sizes, matched_sizes, place, replaced, square_like, without_last
from .products import adjoint, check_matrix, conjugated, matmul, product
from .solve import LAPACK, bad_matrices

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
    """x @ weights + biases over the last axis of x, in one array."""
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


# --- inner products and traces ------------------------------------------------------------------------------


def _vecdot(x1: Array, x2: Array, axis: int = -1) -> Array:
    for x in (x1, x2):
        if not -x.ndim <= axis < x.ndim:
            raise invalid(f"vecdot: axis {axis} does not exist in a tensor of shape {x.shape}.")
    first, second = np.moveaxis(x1, axis, -1), np.moveaxis(x2, axis, -1)
    if first.shape[-1] != second.shape[-1]:
        raise invalid(f"vecdot: axis {axis} has two sizes, in shapes {x1.shape} and {x2.shape}.")
    if x1.dtype in NARROW_FLOATS:
        return np.asarray(np.einsum("...i,...i", first.astype(np.float32), second.astype(np.float32))).astype(x1.dtype)
    return np.einsum("...i,...i", np.conj(first) if x1.dtype.kind == "c" else first, second)  # type: ignore[no-any-return]


@op(eager=_vecdot, dtypes=NUMERIC)
def vecdot(xp: Namespace, x1: Array, x2: Array, *, axis: int = -1) -> Any:
    """The inner products of vectors along an axis, the first conjugated; the other axes broadcast."""
    return xp.sum(xp.conj(x1) * x2, axis=axis)


@vecdot.shapes
def _(x1: Abstract, x2: Abstract, *, axis: Any) -> Shape:
    first, second = place(axis, x1.ndim), place(axis, x2.ndim)
    matched(x1.shape[first], x2.shape[second], "the sizes along the axis,")
    return broadcast_sizes(replaced(x1.shape, first), replaced(x2.shape, second))


def _kept(g: Any, rank: int, axis: int) -> Any:
    return expand_dims(g, axis=axis % rank)


@vecdot.vjp("x1")
def _(g: Cotangent, x2: Value, x1_shape: tuple[int, ...], axis: int) -> Any:
    rank = max(len(x1_shape), rank_of(x2))
    return sum_to_shape(conjugated(_kept(g, rank, axis)) * x2, shape=x1_shape)


@vecdot.vjp("x2")
def _(g: Cotangent, x1: Value, x2_shape: tuple[int, ...], axis: int) -> Any:
    rank = max(len(x2_shape), rank_of(x1))
    return sum_to_shape(_kept(g, rank, axis) * x1, shape=x2_shape)


@vecdot.jvp("x1")
def _(t: Tangent, x2: Value, axis: int) -> Any:
    return vecdot(t, x2, axis=axis)


@vecdot.jvp("x2")
def _(t: Tangent, x1: Value, axis: int) -> Any:
    return vecdot(x1, t, axis=axis)


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


def _trace(x: Array) -> Any:
    if x.ndim < 2:
        raise invalid(f"trace: matrices have at least two axes, got shape {x.shape}.")
    diagonal = np.diagonal(x, axis1=-2, axis2=-1)
    return reduce_sum(diagonal, axis=-1, keepdims=False)


@op(eager=_trace, dtypes=NUMERIC, shape=without_last(2))
def trace(xp: Namespace, x: Array) -> Any:
    """The sum of the main diagonal of matrices."""
    return xp.trace(x, axis1=-2, axis2=-1)


@trace.vjp("x")
def _(g: Cotangent, x_shape: tuple[int, ...]) -> Any:
    return reshape(g, shape=(*x_shape[:-2], 1, 1)) * np.eye(x_shape[-2], x_shape[-1], dtype=numpy_type(g))


trace.linear("x")
trace.batching = batch_leading


@trace.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in [
        (2, 2),
        (3, 3),
        (2, 3),
        (3, 1),
        (2, 2, 2),
        (1, 1),
        (0, 0),
        (2, 3, 4, 4),
        (0, 2, 2),
        (4, 2),
        (1, 3, 2),
        (5, 5),
    ]:
        yield Sample((draw(shape),))


@trace.value
def _(x: Array) -> Any:
    return sum((x[..., k, k] for k in range(min(x.shape[-2:]))), np.zeros(x.shape[:-2], x.dtype))


@trace.rejects
def _() -> Iterator[BadInput]:
    for shape in ((), (3,), (0,), (1,)):
        yield BadInput("a matrix", (np.ones(shape, np.float32),))


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
    return whole.reshape((*a.shape[:lead], *sizes))  # type: ignore[no-any-return]


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


def _apart(g: Any, a_shape: tuple[int, ...], b_shape: tuple[int, ...], rank: int) -> Any:
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


# --- powers of matrices -------------------------------------------------------------------------------------


def _matrix_power(a: Array, n: int) -> Array:
    check_matrix("matrix_power", a)
    if n < 0:
        raise invalid(f"matrix_power: the exponent cannot be negative, got {n}. Take the power of tf.linalg.inv(a).")
    return np.linalg.matrix_power(a, n)


@op(eager=_matrix_power, dtypes=LAPACK, shape=square_like)
def matrix_power(xp: Namespace, a: Array, *, n: int) -> Any:
    """Square matrices multiplied by themselves, n times."""
    return xp.linalg.matrix_power(a, n)


def _power_derivative(a: Value, t: Value, n: int) -> Any:
    """The sum of a^k t a^(n - 1 - k): by doubling, in as many products as the power itself takes, times three."""
    power: Any = None
    change: Any = None
    square, slope = a, t
    while n:
        if n & 1:
            if power is None:
                power, change = square, slope
            else:
                power, change = product(power, square), product(change, square) + product(power, slope)
        n >>= 1
        if n:
            square, slope = product(square, square), product(slope, square) + product(square, slope)
    return zeros_like(t) if change is None else change


@matrix_power.vjp("a")
def _(g: Cotangent, a: Value, n: int) -> Any:
    return _power_derivative(adjoint(a), g, n)


@matrix_power.jvp("a")
def _(t: Tangent, a: Value, n: int) -> Any:
    return _power_derivative(a, t, n)


matrix_power.batching = batch_leading


@matrix_power.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, n in [
        ((2, 2), 0), ((2, 2), 1), ((2, 2), 2), ((3, 3), 3), ((1, 1), 5), ((2, 2, 2), 4), ((0, 2, 2), 3), ((3, 3), 7), ((2, 1, 2, 2), 2), ((4, 4), 3),
        ((0, 0), 2), ((2, 2), 6),
    ]:  # fmt: skip
        yield Sample((draw(shape, -0.8, 0.8),), {"n": n})


@matrix_power.value
def _(a: Array, n: int) -> Any:
    result = np.broadcast_to(np.eye(a.shape[-1]), a.shape)
    for _ in range(n):
        result = np.einsum("...ij,...jk->...ik", result, a)
    return result


@matrix_power.rejects
def _() -> Iterator[BadInput]:
    for n in (-1, -3):
        yield BadInput("an exponent", (np.ones((2, 2), np.float32),), {"n": n})


bad_matrices(matrix_power)
