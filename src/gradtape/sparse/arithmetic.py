"""What sparse tensors compute: sums, products, extremes, softmax; and segments of picked rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, overload

import numpy as np

from .. import math
from ..api import arrays, indexing, layout
from ..base.errors import invalid
from ..base.sizes import UNKNOWN, same
from ..base.traceable import shaped, trace_public
from ..base.types import AxisLike, DenseLike, IntLike, TensorLike
from ..linalg import adjoint
from ..op.abstract import Abstract
from ..op.arguments import flag, optional_flag, takes
from ..op.attributes import as_int, as_ints
from ..ops.array import pooled_segments as segments
from ..ops.linalg.sparse import sparse_dense_matmul as product
from ..trace.abstract_tensor import abstract_of
from ..trace.composites import by_stand_ins
from ..values.tensor import EagerTensor, Tensor, from_array, to_tensor
from ..variables.variable import Variable
from .layout import picked, reorder
from .tensor import SparseTensor, as_sparse, check_places, flat_places, from_parts, places_at, places_of, sizes_of

# --- sums of tensors -----------------------------------------------------------------------------------


def _look_of_sum(a: Any, b: Any, threshold: object = 0) -> Abstract | None:
    """The sum of a sparse and a dense tensor has the shape of the dense one."""
    dense = [value for value in (a, b) if not isinstance(value, SparseTensor)]
    if len(dense) != 1:
        return None
    return Abstract(_known_shape(dense[0]), (b if dense[0] is a else a).dtype.numpy)


@overload
def add(a: SparseTensor, b: SparseTensor, threshold: Any = 0) -> SparseTensor: ...
@overload
def add(a: SparseTensor, b: DenseLike, threshold: Any = 0) -> Tensor: ...
@overload
def add(a: DenseLike, b: SparseTensor, threshold: Any = 0) -> Tensor: ...
@shaped(_look_of_sum)
def add(a: Any, b: Any, threshold: Any = 0) -> Any:
    """a + b, of which one may be dense.

    >>> import gradtape as tf
    >>> s = tf.sparse.from_dense([0.0, 1.0, 2.0])
    >>> tf.sparse.add(s, s).values.numpy()
    array([2., 4.], dtype=float32)
    >>> tf.sparse.add(s, [10.0, 10.0, 10.0]).numpy()
    array([10., 11., 12.], dtype=float32)

    Args:
        a: A SparseTensor, or a tensor.
        b: Another of the same shape and type. At least one of both is sparse.
        threshold: Sums of two elements whose magnitude is below it are left out of a sparse result.

    Returns:
        A SparseTensor if both are sparse, else a tensor.

    Raises:
        TypeError: Both are dense.
        tf.errors.InvalidArgumentError: The shapes differ.
    """
    sparse = [isinstance(x, SparseTensor) for x in (a, b)]
    if not any(sparse):
        raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
    if all(sparse):
        places, parts, both = _together(a, b, "add")
        total = from_parts(places, math.add(*parts), sizes_of(a))
        limit = to_tensor(threshold, None if isinstance(threshold, (Tensor, Variable)) else total.dtype.real_dtype)
        # (As in TensorFlow's kernel, what one operand alone has is no sum.)
        kept = np.flatnonzero((np.abs(total.values._array) >= limit._array) | ~both)
        return total if len(kept) == len(places) else picked(total, kept, places[kept], sizes_of(a))
    sp, dense = (a, b) if sparse[0] else (b, a)
    dense = to_tensor(dense, None if isinstance(dense, (Tensor, Variable)) else sp.dtype)
    if tuple(dense.shape) != sizes_of(sp):
        raise invalid(f"add: a dense tensor of shape {dense.shape} and a sparse one of shape {sizes_of(sp)}.")
    check_places(sp, "add")
    return (
        indexing.tensor_scatter_nd_add(dense, sp.indices, sp.values)
        if dense.ndim
        else dense + math.reduce_sum(sp.values)
    )


def maximum(sp_a: TensorLike, sp_b: TensorLike, name: str | None = None) -> SparseTensor:
    """The larger element of both at each place that one of them has; where the other has none, it counts as zero.

    >>> import gradtape as tf
    >>> a, b = tf.sparse.from_dense([0, 1, 5]), tf.sparse.from_dense([0, 3, 0])
    >>> tf.sparse.to_dense(tf.sparse.maximum(a, b)).numpy()
    array([0, 3, 5], dtype=int32)

    Args:
        sp_a: A SparseTensor of real numbers.
        sp_b: Another of the same shape and type.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A SparseTensor with the places of both.

    Raises:
        TypeError: An operand is not sparse.
        tf.errors.InvalidArgumentError: The shapes differ.
    """
    return _extreme(math.maximum, sp_a, sp_b, "maximum")


def minimum(sp_a: TensorLike, sp_b: TensorLike, name: str | None = None) -> SparseTensor:
    """The smaller element of both at each place that one of them has; where the other has none, it counts as zero.

    >>> import gradtape as tf
    >>> a, b = tf.sparse.from_dense([0, 1, 5]), tf.sparse.from_dense([0, 3, 0])
    >>> tf.sparse.to_dense(tf.sparse.minimum(a, b)).numpy()
    array([0, 1, 0], dtype=int32)

    Args:
        sp_a: A SparseTensor of real numbers.
        sp_b: Another of the same shape and type.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A SparseTensor with the places of both; elements that are zero now stay stored.

    Raises:
        TypeError: An operand is not sparse.
        tf.errors.InvalidArgumentError: The shapes differ.
    """
    return _extreme(math.minimum, sp_a, sp_b, "minimum")


def _extreme(choose: Callable[..., Any], a: TensorLike, b: TensorLike, name: str) -> SparseTensor:
    a, b = as_sparse(a, name), as_sparse(b, name)
    places, parts, _ = _together(a, b, name)
    return from_parts(places, choose(*parts), sizes_of(a))


def _together(a: SparseTensor, b: SparseTensor, name: str) -> tuple[Any, list[Any], Any]:
    """The places that one of both has, in order, the elements of each there, and whether both have one."""
    sizes = sizes_of(a)
    if sizes != sizes_of(b):
        raise invalid(f"{name}: shapes of both operands do not match: {sizes} and {sizes_of(b)}.")
    numbers = []
    for sp in (a, b):
        check_places(sp, name)
        numbers.append(flat_places(places_of(sp), sizes))
    union, first, inverse = np.unique(np.concatenate(numbers), return_index=True, return_inverse=True)
    places = np.concatenate([places_of(a), places_of(b)])[first]
    ids = inverse[: len(numbers[0])], inverse[len(numbers[0]) :]
    parts = [
        math.unsorted_segment_sum(sp.values, from_array(positions), len(union))
        for sp, positions in zip((a, b), ids, strict=True)
    ]
    both = np.bincount(ids[0], minlength=len(union)).astype(bool) & np.bincount(ids[1], minlength=len(union)).astype(
        bool
    )
    return places, parts, both


# --- reductions ----------------------------------------------------------------------------------------


@overload
def reduce_sum(
    sp_input: TensorLike,
    axis: AxisLike | None = None,
    keepdims: TensorLike | None = None,
    output_is_sparse: Literal[False] = False,
    name: str | None = None,
) -> Tensor: ...
@overload
def reduce_sum(
    sp_input: TensorLike,
    axis: AxisLike | None = None,
    keepdims: TensorLike | None = None,
    *,
    output_is_sparse: Literal[True],
    name: str | None = None,
) -> SparseTensor: ...
@takes(keepdims=optional_flag)
def reduce_sum(
    sp_input: TensorLike,
    axis: AxisLike | None = None,
    keepdims: TensorLike | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """The sum over some axes, or all; the tape follows the values.

    >>> import gradtape as tf
    >>> tf.sparse.reduce_sum(tf.sparse.from_dense([[1.0, 0.0], [2.0, 3.0]]), axis=1).numpy()
    array([1., 5.], dtype=float32)

    Args:
        sp_input: A SparseTensor of numbers.
        axis: One axis, or several; negative ones count from the last. None stands for all.
        keepdims: Whether reduced axes stay, with size 1.
        output_is_sparse: Whether the result is a SparseTensor.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor, or a SparseTensor.

    Raises:
        tf.errors.InvalidArgumentError: There is no such axis.
    """
    return _reduce(math.unsorted_segment_sum, sp_input, axis, keepdims, output_is_sparse, "reduce_sum")


@takes(keepdims=optional_flag)
def reduce_max(
    sp_input: TensorLike,
    axis: AxisLike | None = None,
    keepdims: TensorLike | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The largest stored value over some axes, or all; 0 where there are none. Zeros that are not stored do not count.

    >>> import gradtape as tf
    >>> tf.sparse.reduce_max(tf.sparse.from_dense([[-1.0, 0.0], [2.0, 3.0], [0.0, 0.0]]), axis=1).numpy()
    array([-1.,  3.,  0.], dtype=float32)

    Args:
        sp_input: A SparseTensor of real numbers.
        axis: One axis, or several; negative ones count from the last. None stands for all.
        keepdims: Whether reduced axes stay, with size 1.
        output_is_sparse: Whether the result is a SparseTensor.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor, or a SparseTensor.

    Raises:
        tf.errors.InvalidArgumentError: There is no such axis.
    """
    return _reduce(math.unsorted_segment_max, sp_input, axis, keepdims, output_is_sparse, "reduce_max")


def _reduce(
    combine: Callable[..., Any], sp_input: TensorLike, axis: object, keepdims: object, sparse: bool, name: str
) -> Any:
    sp = as_sparse(sp_input, name)
    check_places(sp, name)
    sizes = sizes_of(sp)
    rank = len(sizes)
    reduced = set(range(rank)) if axis is None else set()
    for given in () if axis is None else as_ints(axis):
        if not -rank <= given < rank:
            raise invalid(f"{name}: axis {given} does not exist in a tensor of shape {sizes}.")
        reduced.add(given % rank)
    kept = [a for a in range(rank) if a not in reduced]
    inner = tuple(sizes[a] for a in kept)
    outer = tuple(1 if a in reduced else sizes[a] for a in range(rank)) if keepdims else inner
    numbers = flat_places(places_of(sp)[:, kept], inner)
    present, inverse = np.unique(numbers, return_inverse=True)
    found = combine(sp.values, from_array(inverse.reshape(-1)), len(present))
    places = places_at(present, outer)
    if sparse:
        return from_parts(places, found, outer)
    if not outer:
        return arrays.reshape(found, ()) if len(present) else arrays.zeros((), sp.dtype)
    return indexing.scatter_nd(from_array(places), found, outer)


# --- products ------------------------------------------------------------------------------------------


def _look_of_product(
    sp_a: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False, name: object = None
) -> Abstract:
    """What is known of a product before the function runs. (Stand-ins would need inner sizes that fit each other.)"""
    shapes = []
    for matrix, turned in ((sp_a, adjoint_a), (b, adjoint_b)):
        shape = _known_shape(matrix)
        known = [UNKNOWN if size is None else size for size in ((None, None) if shape is None else shape)]
        if len(known) != 2:
            raise invalid(f"sparse_dense_matmul: two matrices are needed, got shapes {sp_a.shape} and {b.shape}.")
        shapes.append(known[::-1] if turned else known)
    (rows, inner), (other, columns) = shapes
    if same(inner, other) is False:
        raise invalid(_INNER.format(inner, other))
    return Abstract((rows, columns), (sp_a if isinstance(sp_a, SparseTensor) else b).dtype.numpy)


def _known_shape(value: object) -> Any:
    """What is known of the shape of a sparse or dense tensor; None for an unknown rank."""
    if isinstance(value, SparseTensor):
        return None if value.shape.rank is None else value.shape
    return abstract_of(value._read() if isinstance(value, Variable) else to_tensor(value)).known


_INNER = (
    "sparse_dense_matmul: inner dimensions differ: {} of the left and {} of the right matrix. "
    "Did you mean adjoint_a=True or adjoint_b=True?"
)


@shaped(_look_of_product)
@takes(adjoint_a=flag, adjoint_b=flag)
def sparse_dense_matmul(
    sp_a: TensorLike, b: TensorLike, adjoint_a: bool = False, adjoint_b: bool = False, name: str | None = None
) -> Tensor:
    """A sparse matrix times a dense one, or a dense one times a sparse one; the tape follows both.

    >>> import gradtape as tf
    >>> a = tf.SparseTensor([[0, 1]], [2.0], [2, 2])
    >>> tf.sparse.sparse_dense_matmul(a, [[1.0], [3.0]]).numpy()
    array([[6.],
           [0.]], dtype=float32)

    Args:
        sp_a: The left matrix: a SparseTensor, or a tensor if `b` is sparse.
        b: The right matrix, of the same type.
        adjoint_a: Whether to take the conjugate transpose of the left matrix.
        adjoint_b: Whether to take that of the right one.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A dense matrix.

    Raises:
        tf.errors.InvalidArgumentError: They are not two matrices, or the inner sizes differ.
    """
    if isinstance(b, SparseTensor) and not isinstance(sp_a, SparseTensor):
        # A B = (B^H A^H)^H
        return adjoint(sparse_dense_matmul(b, sp_a, adjoint_a=not adjoint_b, adjoint_b=not adjoint_a))
    sp = as_sparse(sp_a, "sparse_dense_matmul")
    dense = to_tensor(b, None if isinstance(b, (Tensor, Variable)) else sp.dtype)
    sizes = sizes_of(sp)
    if len(sizes) != 2 or dense.ndim != 2:
        raise invalid(f"sparse_dense_matmul: two matrices are needed, got shapes {sizes} and {dense.shape}.")
    dense = adjoint(dense) if adjoint_b else dense
    indices, values = sp.indices, sp.values
    if adjoint_a:
        indices, values, sizes = layout.reverse(indices, [1]), math.conj(values), sizes[::-1]
    if sizes[1] != dense.shape[0]:
        raise invalid(_INNER.format(sizes[1], dense.shape[0]))
    return product.public(values, dense, indices, size=sizes[0])


def softmax(sp_input: TensorLike, name: str | None = None) -> SparseTensor:
    """Softmax over the stored values of each row (the last axis); zeros that are not stored take no part.

    >>> import gradtape as tf
    >>> tf.sparse.softmax(tf.sparse.from_dense([[2.0, 2.0, 0.0], [0.0, 0.0, 5.0]])).values.numpy()
    array([0.5, 0.5, 1. ], dtype=float32)

    Args:
        sp_input: A SparseTensor of floats with at least two axes.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A SparseTensor with the same places, in order.

    Raises:
        tf.errors.InvalidArgumentError: There are less than two axes.
    """
    sp = as_sparse(sp_input, "softmax")
    sizes = sizes_of(sp)
    if len(sizes) < 2:
        raise invalid(f"softmax: at least two axes are needed, got shape {sizes}.")
    sp = reorder(sp)
    check_places(sp, "softmax")
    numbers = flat_places(places_of(sp)[:, :-1], sizes[:-1])
    rows, inverse = np.unique(numbers, return_inverse=True)
    ids = from_array(inverse.reshape(-1))
    return sp.with_values(segments.segment_softmax.public(sp.values, ids, len(rows)))


def map_values(op: Callable[..., Any], *args: object, **kwargs: object) -> SparseTensor:
    """A function of the stored values, at the same places.

    >>> import gradtape as tf
    >>> tf.sparse.map_values(tf.square, tf.sparse.from_dense([0.0, 3.0])).values.numpy()
    array([9.], dtype=float32)

    Args:
        op: A function of tensors that keeps their shape.
        args: Its arguments. In the place of each SparseTensor it gets the values; all must have the same places.
        kwargs: Its arguments by name, likewise.

    Returns:
        A SparseTensor.

    Raises:
        ValueError: No argument is sparse.
        tf.errors.InvalidArgumentError: The sparse arguments have different places.
    """
    given = [a for a in (*args, *kwargs.values()) if isinstance(a, SparseTensor)]
    if not given:
        raise ValueError("No SparseTensor in argument list of map_values")
    first = given[0]
    for sp in given[1:]:
        known = sp.indices.__class__ is first.indices.__class__ is EagerTensor
        if known and not np.array_equal(places_of(sp), places_of(first)):
            raise invalid("map_values: the sparse arguments must have values at the same places.")
        if not sp.shape.is_compatible_with(first.shape):
            raise invalid(f"map_values: the sparse arguments must have one shape, got {first.shape} and {sp.shape}.")

    def values(a: Any) -> Any:
        return a.values if isinstance(a, SparseTensor) else a

    return first.with_values(op(*[values(a) for a in args], **{k: values(a) for k, a in kwargs.items()}))


# --- segments of rows ----------------------------------------------------------------------------------


def _look_of_segments(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: IntLike | None = None,
    *args: object,
    **_: object,
) -> Abstract:
    x = abstract_of(to_tensor(data))
    count = UNKNOWN if num_segments is None else as_int(num_segments)
    return Abstract(None if x.known is None else (count, *x.known[1:]), x.dtype)


@takes(sparse_gradient=flag)
@shaped(_look_of_segments)
def segment_sum(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: IntLike | None = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """The sums of the rows `data[indices]` that share a segment; zeros for a segment without rows.

    >>> import gradtape as tf
    >>> data = tf.constant([[1.0, 2.0], [10.0, 20.0], [100.0, 200.0]])
    >>> tf.sparse.segment_sum(data, indices=[0, 2, 1], segment_ids=[0, 0, 1]).numpy()
    array([[101., 202.],
           [ 10.,  20.]], dtype=float32)

    Args:
        data: A tensor.
        indices: Which of its rows are added: a vector of integers.
        segment_ids: The segment of each of them: as many integers, ascending.
        num_segments: How many segments there are; by default one more than the last id.
        name: Ignored; accepted for compatibility with TensorFlow.
        sparse_gradient: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor with one row for each segment.

    Raises:
        tf.errors.InvalidArgumentError: Ids are not ascending, not as many as indices, or not below `num_segments`, or a row
            does not exist.
    """
    return segments.sparse_segment_sum.public(*_segments(data, indices, segment_ids, num_segments))


@takes(sparse_gradient=flag)
@shaped(_look_of_segments)
def segment_mean(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: IntLike | None = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """The means of the rows `data[indices]` that share a segment; zeros for a segment without rows.

    >>> import gradtape as tf
    >>> data = tf.constant([[1.0, 2.0], [10.0, 20.0], [100.0, 200.0]])
    >>> tf.sparse.segment_mean(data, indices=[0, 2, 1], segment_ids=[0, 0, 1]).numpy()
    array([[ 50.5, 101. ],
           [ 10. ,  20. ]], dtype=float32)

    Args:
        data: A floating tensor.
        indices: Which of its rows are averaged: a vector of integers.
        segment_ids: The segment of each of them: as many integers, ascending.
        num_segments: How many segments there are; by default one more than the last id.
        name: Ignored; accepted for compatibility with TensorFlow.
        sparse_gradient: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor with one row for each segment.

    Raises:
        tf.errors.InvalidArgumentError: Ids are not ascending, not as many as indices, or not below `num_segments`, or a row
            does not exist.
    """
    return segments.sparse_segment_mean.public(*_segments(data, indices, segment_ids, num_segments))


@takes(sparse_gradient=flag)
@shaped(_look_of_segments)
def segment_sqrt_n(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: IntLike | None = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """The sums of the rows `data[indices]` that share a segment, over the square root of their number.

    >>> import gradtape as tf
    >>> data = tf.constant([[1.0], [2.0], [3.0], [6.0]])
    >>> tf.sparse.segment_sqrt_n(data, indices=[0, 1, 2, 3], segment_ids=[0, 0, 0, 0]).numpy()
    array([[6.]], dtype=float32)

    Args:
        data: A floating tensor.
        indices: Which of its rows are added: a vector of integers.
        segment_ids: The segment of each of them: as many integers, ascending.
        num_segments: How many segments there are; by default one more than the last id.
        name: Ignored; accepted for compatibility with TensorFlow.
        sparse_gradient: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor with one row for each segment; zeros for a segment without rows.

    Raises:
        tf.errors.InvalidArgumentError: Ids are not ascending, not as many as indices, or not below `num_segments`, or a row
            does not exist.
    """
    return segments.sparse_segment_sqrt_n.public(*_segments(data, indices, segment_ids, num_segments))


def _segments(
    data: TensorLike, indices: TensorLike, segment_ids: TensorLike, num_segments: object
) -> tuple[Any, Any, Any, int]:
    """The operands of a segment op, with ids that increase, and how many segments there are."""
    rows, ids = to_tensor(indices), to_tensor(segment_ids)
    numbers = ids._array
    if numbers.ndim != 1 or tuple(ids.shape) != tuple(rows.shape[:1]):
        raise invalid(f"segment: ids of shape {ids.shape} for {rows.shape.num_elements()} rows.")
    if numbers.size and (np.diff(numbers) < 0).any():
        raise invalid("segment: segment ids are not increasing.")
    last = int(numbers[-1]) + 1 if numbers.size else 0
    count = last if num_segments is None else as_int(num_segments)
    if last > count or (numbers.size and numbers[0] < 0):
        raise invalid(f"segment: segment ids must be in [0, {count}), got {numbers[0]} to {numbers[-1]}.")
    return to_tensor(data), rows, ids, count


trace_public(globals(), skip=("map_values",), on_abstract=by_stand_ins)
