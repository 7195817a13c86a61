"""The one op that sparse tensors need of their own: a sparse matrix times a dense one.

Everything else that `tf.sparse` computes is made of gather, scatter and segment sums over the values, with
the positions worked out beside it (see the package `gradtape.sparse`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.dtypes import INDEX, NARROW_FLOATS, NUMERIC, Array
from ...base.errors import invalid
from ...base.memory import has_too_many
from ...base.types import Cotangent, Draw, Namespace, Value
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import all_batched, shape_of
from ..array.gather import take
from ..array.index import getitem
from ..array.layout import permute, reshape
from ..array.rearrange import reverse as flip
from ..math.complex_numbers import conj
from ..math.elementwise import add, multiply
from ..math.reduce import reduce_sum


def _multiply(values: Array, b: Array, indices: Array, size: int) -> Array:
    from scipy.sparse import coo_array

    _check(values, b, indices, size)
    wide = np.dtype(np.float32) if values.dtype in NARROW_FLOATS else values.dtype
    matrix = coo_array((values.astype(wide), (indices[:, 0], indices[:, 1])), shape=(size, b.shape[0]))
    return np.asarray(matrix.tocsr() @ b.astype(wide)).astype(values.dtype)


@op(eager=_multiply, dtypes=NUMERIC, other={"indices": INDEX}, tf_name="SparseTensorDenseMatMul")
def sparse_dense_matmul(xp: Namespace, values: Array, b: Array, indices: Array, *, size: int) -> Any:
    """A @ b, where A has `size` rows and `values` at the places [row, column] that `indices` lists."""
    products = values[:, None] * b[indices[:, 1]]
    return xp.zeros((size, b.shape[1]), values.dtype).at[indices[:, 0]].add(products)


@sparse_dense_matmul.shapes
def _(values: Abstract, b: Abstract, indices: Abstract, *, size: Any) -> Shape:
    return (size, b.of_rank(2)[1])


@sparse_dense_matmul.vjp("values")
def _(g: Cotangent, b: Value, indices: Value) -> Any:
    # Only the entries of g @ b^H at A's places: the whole product would be as large as A made dense.
    rows, columns = _column(indices, 0), _column(indices, 1)
    products = multiply(_rows(g, rows), conj(_rows(b, columns)))
    return reduce_sum(products, axis=-1, keepdims=False)


@sparse_dense_matmul.vjp("b")
def _(g: Cotangent, values: Value, indices: Value, b_shape: tuple[int, ...]) -> Any:
    return sparse_dense_matmul(conj(values), g, flip(indices, axis=(-1,)), size=b_shape[0])


sparse_dense_matmul.linear("values", "b")


def _column(indices: Value, position: int) -> Any:
    return getitem(indices, key=(slice(None), position))


def _rows(x: Value, positions: Value) -> Any:
    return take(x, positions, axis=0, batch_dims=0)


@sparse_dense_matmul.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
    values, b, indices = args
    size = attributes["size"]
    if is_batched == (False, True, False):  # the batch is more columns
        count, inner, width = shape_of(b)
        wide = reshape(permute(b, perm=(1, 0, 2)), shape=(inner, count * width))
        product = reshape(op(values, wide, indices, size=size), shape=(size, count, width))
        return permute(product, perm=(1, 0, 2))
    # One matrix for each entry of the batch: together a block-diagonal one.
    count, (values, b, indices) = all_batched(is_batched, args)
    inner, width = shape_of(b)[1:]
    steps = np.arange(count)[:, None, None] * np.array([size, inner])
    kind = getattr(indices.dtype, "numpy", indices.dtype)
    places = reshape(add(indices, steps.astype(kind)), shape=(-1, 2))
    product = op(reshape(values, shape=(-1,)), reshape(b, shape=(count * inner, width)), places, size=count * size)
    return reshape(product, shape=(count, size, width))


def _check(values: Array, b: Array, indices: Array, size: int) -> None:
    if b.ndim != 2:
        raise invalid(f"sparse_dense_matmul: the dense operand must be a matrix, got shape {b.shape}.")
    if values.ndim != 1 or indices.shape != (len(values), 2):
        raise invalid(
            "sparse_dense_matmul: the sparse operand must be a matrix: one [row, column] for each value, "
            f"got indices of shape {indices.shape} and values of shape {values.shape}."
        )
    if size < 0 or has_too_many((size, b.shape[1])):
        raise invalid(f"sparse_dense_matmul: a result of shape {(size, b.shape[1])} cannot be.")
    limits = np.array([size, b.shape[0]])
    outside = ((indices < 0) | (indices >= limits)).any(axis=1)
    if outside.any():
        place = int(np.argmax(outside))
        raise invalid(
            f"sparse_dense_matmul: indices[{place}] = {indices[place].tolist()} is out of bounds: the sparse "
            f"operand has shape {(size, b.shape[0])}."
        )


_CASES: list[tuple[list[list[int]], tuple[int, int, int]]] = [
    ([[0, 1], [1, 2]], (3, 4, 2)), ([[0, 0]], (1, 1, 1)), ([[2, 0], [0, 3], [1, 1]], (3, 4, 1)),
    ([], (2, 3, 2)), ([[0, 0], [0, 0]], (2, 2, 3)), ([[0, 1], [0, 2], [0, 0]], (1, 3, 2)),
    ([[0, 0], [1, 0], [2, 0]], (3, 1, 2)), ([[1, 1]], (2, 2, 0)), ([], (0, 2, 2)), ([], (2, 0, 2)),
    ([[3, 4], [0, 0], [3, 4], [2, 1]], (4, 5, 3)), ([[0, 0], [1, 1], [2, 2]], (3, 3, 3)),
]  # fmt: skip


@sparse_dense_matmul.samples
def _(draw: Draw) -> Iterator[Sample]:
    for position, (places, (rows, inner, width)) in enumerate(_CASES):
        indices = np.array(places, np.int32 if position % 2 else np.int64).reshape(-1, 2)
        yield Sample((draw((len(places),)), draw((inner, width)), indices), {"size": rows})


@sparse_dense_matmul.value
def _(values: Array, b: Array, indices: Array, size: int) -> Array:
    dense = np.zeros((size, len(b)), np.result_type(values, b))
    for (row, column), value in zip(indices, values, strict=True):
        dense[row, column] += value
    return dense @ b


@sparse_dense_matmul.rejects
def _() -> Iterator[BadInput]:
    x, b = np.ones(2, np.float32), np.ones((3, 2), np.float32)
    good = np.array([[0, 0], [1, 2]])
    for indices in ([[0, 0], [2, 0]], [[0, 0], [0, 3]], [[-1, 0], [0, 0]], [[0, 0]], [0, 0], [[0], [1]]):
        yield BadInput("places inside the matrix, one a value", (x, b, np.array(indices)), {"size": 2})
    yield BadInput("b is a matrix", (x, np.ones(3, np.float32), good), {"size": 2})
    yield BadInput("values are a vector", (np.ones((2, 1), np.float32), b, good), {"size": 2})
    yield BadInput("a size", (x, b, good), {"size": -1})
    yield BadInput("no memory", (x, b, good), {"size": 2**50})
    yield BadInput("types never mix", (x, b.astype(np.float64), good), {"size": 2})
    yield BadInput("indices are integers", (x, b, good.astype(np.float32)), {"size": 2})
