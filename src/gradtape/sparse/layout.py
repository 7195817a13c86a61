"""Sparse tensors made, made dense, reordered, cut and joined: the places change, the values are picked."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import math
from ..api import arrays, indexing, layout
from ..api.known_shapes import of_shape
from ..base import dtypes
from ..base.dtypes import Array
from ..base.errors import ResourceExhaustedError, invalid
from ..base.memory import has_too_many
from ..base.sizes import UNKNOWN, is_known
from ..base.traceable import shaped, trace_public, traceable
from ..base.types import AxisLike, DTypeLike, IntLike, ShapeLike, TensorLike
from ..op.abstract import Abstract
from ..op.arguments import flag, takes
from ..op.attributes import as_eye, as_int, as_int_vector, as_ints, as_shape
from ..ops.array.index import pick
from ..trace.abstract_tensor import abstract_of
from ..trace.composites import by_stand_ins
from ..trace.control import effect_on_abstract
from ..trace.symbolic import is_symbolic
from ..values.composite import COMPOSITES
from ..values.tensor import IndexedSlices, Tensor, from_array, to_tensor
from .tensor import SparseTensor, as_sparse, check_places, flat_places, from_parts, places_at, places_of, sizes_of


def picked(sp: SparseTensor, rows: Array, places: Array, sizes: Any) -> SparseTensor:
    """The values in these rows, at new places. Their gradient is dense, as TensorFlow's is: `gather` gives slices."""
    return from_parts(places, pick.public(sp.values, (np.asarray(rows, np.int64),)), sizes)


def from_dense(tensor: TensorLike, name: str | None = None) -> SparseTensor:
    """The elements that are not zero (for texts: not empty), in order; the tape follows them.

    >>> import gradtape as tf
    >>> tf.sparse.from_dense([[0.0, 3.0], [0.0, 0.0]]).indices.numpy()
    array([[0, 1]])

    Args:
        tensor: A tensor with at least one axis.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A SparseTensor of the same shape.

    Raises:
        tf.errors.InvalidArgumentError: The tensor is a scalar.
    """
    dense = to_tensor(tensor)
    if not dense.ndim:
        raise invalid("from_dense: a tensor with at least one axis is needed, got a scalar.")
    zero = b"" if dense.dtype == dtypes.string else 0
    places = np.argwhere(np.asarray(dense._array) != zero)
    return from_parts(places, indexing.gather_nd(dense, from_array(places)), tuple(dense.shape))


@takes(validate_indices=flag)
def to_dense(
    sp_input: TensorLike,
    default_value: TensorLike | None = None,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """The tensor with all its elements; `default_value`, zero if not given, where there is no value.

    With `validate_indices`, places must be in order and none repeated; without, the last value at a place
    counts.

    >>> import gradtape as tf
    >>> s = tf.sparse.SparseTensor([[0, 1], [1, 0]], [5, 6], [2, 2])
    >>> tf.sparse.to_dense(s, default_value=-1).numpy()
    array([[-1,  5],
           [ 6, -1]], dtype=int32)

    Args:
        sp_input: A SparseTensor.
        default_value: What stands where there is no value.
        validate_indices: Whether places out of order, or given twice, are an error.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.

    Raises:
        tf.errors.ResourceExhaustedError: The dense tensor would be larger than any memory.
        tf.errors.InvalidArgumentError: `default_value` is no scalar.
    """
    sp = as_sparse(sp_input, "to_dense")
    check_places(sp, "to_dense", ordered=validate_indices)
    sizes = sizes_of(sp)
    if has_too_many(sizes):
        raise ResourceExhaustedError(None, None, f"to_dense: a dense tensor of shape {sizes} is too large.")
    if default_value is None:
        empty = arrays.zeros(sizes, sp.dtype)
    else:
        default = to_tensor(default_value, sp.dtype)
        if default.ndim:
            raise invalid(f"to_dense: default_value must be a scalar, got shape {default.shape}.")
        empty = arrays.fill(sizes, default)
    if not sizes:  # places without axes all mean the one element
        return arrays.reshape(sp.values[-1:], ()) if sp.values.shape[0] else empty
    return indexing.tensor_scatter_nd_update(empty, sp.indices, sp.values)


def reorder(sp_input: TensorLike, name: str | None = None) -> SparseTensor:
    """The same tensor with its places in row-major order, as most functions want them.

    >>> import gradtape as tf
    >>> s = tf.sparse.SparseTensor([[1, 0], [0, 1]], [6, 5], [2, 2])
    >>> tf.sparse.reorder(s).values.numpy()
    array([5, 6], dtype=int32)

    Args:
        sp_input: A SparseTensor.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A SparseTensor.
    """
    sp = as_sparse(sp_input, "reorder")
    places = places_of(sp)
    order = np.lexsort(places.T[::-1]) if places.shape[1] else np.arange(len(places))
    return picked(sp, order, places[order], sizes_of(sp))


def slice(sp_input: object, start: TensorLike, size: object, name: str | None = None) -> SparseTensor:
    """The part that begins at `start` and has `size`, as far as the tensor goes.

    >>> import gradtape as tf
    >>> s = tf.sparse.from_dense([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
    >>> tf.sparse.to_dense(tf.sparse.slice(s, [0, 1], [2, 2])).numpy()
    array([[0., 2.],
           [3., 0.]], dtype=float32)

    Args:
        sp_input: A SparseTensor.
        start: The first place, one number for each axis.
        size: The size of the part, one number for each axis.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A SparseTensor.

    Raises:
        tf.errors.InvalidArgumentError: There is not one start and one size for each axis, or a size is negative.
    """
    sp = as_sparse(sp_input, "slice")
    sizes = sizes_of(sp)
    first, length = as_ints(start), as_ints(size)
    if len(first) != len(sizes) or len(length) != len(sizes):
        raise invalid(f"slice: start {list(first)} and size {list(length)} must have {len(sizes)} entries each.")
    if any(part < 0 for part in length):
        raise invalid(f"slice: a size cannot be negative, got {list(length)}.")
    begin = np.array(first, np.int64)
    places = places_of(sp) - begin
    kept = np.flatnonzero(((places >= 0) & (places < np.array(length, np.int64))).all(axis=1))
    result = [max(0, min(n, have - b)) for n, have, b in zip(length, sizes, first, strict=True)]
    return picked(sp, kept, places[kept], result)


def split(
    sp_input: TensorLike | None = None,
    num_split: object = None,
    axis: AxisLike | None = None,
    name: str | None = None,
) -> list[SparseTensor]:
    """`num_split` parts along an axis; where sizes do not come out even, the first parts have one more.

    >>> import gradtape as tf
    >>> s = tf.sparse.from_dense([[1, 0, 2], [0, 3, 0]])
    >>> first, second = tf.sparse.split(s, num_split=2, axis=1)
    >>> first.shape, second.shape
    (TensorShape([2, 2]), TensorShape([2, 1]))

    Args:
        sp_input: A SparseTensor.
        num_split: How many parts.
        axis: Along which axis.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A list of SparseTensors.

    Raises:
        ValueError: `num_split` or `axis` is missing.
        tf.errors.InvalidArgumentError: The axis has fewer slices than there are parts.
    """
    if num_split is None:
        raise ValueError("num_split is required")
    if axis is None:
        raise ValueError("axis is required")
    sp = as_sparse(sp_input, "split")
    sizes, count = sizes_of(sp), as_int(num_split)
    along = _axis(as_int(axis), len(sizes), "split")
    if not 1 <= count <= sizes[along]:
        raise invalid(f"split: {count} parts of an axis of size {sizes[along]} cannot be.")
    whole, more = divmod(sizes[along], count)
    parts, begin = [], 0
    for number in builtins.range(count):
        length = whole + (number < more)
        start, size = [0] * len(sizes), list(sizes)
        start[along], size[along] = begin, length
        parts.append(slice(sp, start, size))
        begin += length
    return parts


def concat(
    axis: AxisLike, sp_inputs: object, expand_nonconcat_dims: bool = False, name: str | None = None
) -> SparseTensor:
    """Sparse tensors one after the other along an axis; the others must agree, or grow to the largest.

    >>> import gradtape as tf
    >>> s = tf.sparse.from_dense([[1, 0, 2], [0, 3, 0]])
    >>> tf.sparse.to_dense(tf.sparse.concat(0, [s, s])).numpy()
    array([[1, 0, 2],
           [0, 3, 0],
           [1, 0, 2],
           [0, 3, 0]], dtype=int32)

    Args:
        axis: Along which axis.
        sp_inputs: SparseTensors of one rank.
        expand_nonconcat_dims: Whether the other axes may differ; they then grow to the largest.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A SparseTensor.

    Raises:
        ValueError: The list is empty.
        tf.errors.InvalidArgumentError: The ranks differ, or the sizes of another axis without `expand_nonconcat_dims`.
    """
    inputs = [as_sparse(sp, "concat") for sp in (sp_inputs if isinstance(sp_inputs, Sequence) else [sp_inputs])]
    if not inputs:
        raise ValueError("concat: at least one SparseTensor is needed.")
    if len(inputs) == 1:
        return inputs[0]
    shapes = [sizes_of(sp) for sp in inputs]
    rank = len(shapes[0])
    if any(len(shape) != rank for shape in shapes):
        raise invalid(f"concat: all inputs must have the same rank, got shapes {shapes}.")
    along = _axis(as_int(axis), rank, "concat")
    sizes = [max(shape[a] for shape in shapes) for a in builtins.range(rank)]
    for position, shape in enumerate(shapes):
        for a in builtins.range(rank):
            if a != along and shape[a] != sizes[a] and not expand_nonconcat_dims:
                raise invalid(
                    f"concat: sizes of axis {a} differ: {sizes[a]} and {shape[a]} at position {position}. "
                    "Did you mean expand_nonconcat_dims=True?"
                )
    offset, places = 0, []
    for sp, shape in zip(inputs, shapes, strict=True):
        moved = places_of(sp).copy()
        moved[:, along] += offset
        offset += shape[along]
        places.append(moved)
    sizes[along] = offset
    values = layout.concat([sp.values for sp in inputs], 0)
    return reorder(from_parts(np.concatenate(places), values, sizes))


def _with_sizes(sp: SparseTensor, sizes: Any) -> SparseTensor:
    """What is known of a tensor with as many elements and a dense shape of these sizes."""
    kind = COMPOSITES[SparseTensor]
    indices, values, shape = map(abstract_of, kind.parts(sp))
    known = (UNKNOWN,) * shape.of_rank(1)[0] if sizes is UNKNOWN else tuple(sizes)
    parts = [Abstract((indices.of_rank(2)[0], len(known)), np.int64), Abstract(values.known, values.dtype)]
    return kind.rebuilt(sp, [*parts, Abstract.of_sizes(known, np.int64)])


def _transposed_look(sp_input: Any, perm: Any = None, name: str | None = None) -> SparseTensor | None:
    order = [] if perm is None else as_ints(perm)
    is_unknown = order is UNKNOWN or not is_known(order)
    return _with_sizes(sp_input, UNKNOWN) if is_unknown and isinstance(sp_input, SparseTensor) else None


@shaped(_transposed_look)
def transpose(sp_input: object, perm: object = None, name: str | None = None) -> SparseTensor:
    """The tensor with its axes in another order (the reverse, if none is given).

    >>> import gradtape as tf
    >>> s = tf.sparse.from_dense([[1, 0, 2], [0, 3, 0]])
    >>> tf.sparse.to_dense(tf.sparse.transpose(s)).numpy()
    array([[1, 0],
           [0, 3],
           [2, 0]], dtype=int32)

    Args:
        sp_input: A SparseTensor.
        perm: The axes in their new order.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A SparseTensor.

    Raises:
        tf.errors.InvalidArgumentError: `perm` is no order of the axes.
    """
    sp = as_sparse(sp_input, "transpose")
    sizes = sizes_of(sp)
    order = tuple(reversed(builtins.range(len(sizes)))) if perm is None else as_ints(perm)
    if sorted(order) != [*builtins.range(len(sizes))]:
        raise invalid(f"transpose: {list(order)} is not an order of the {len(sizes)} axes.")
    return reorder(from_parts(places_of(sp)[:, list(order)], sp.values, [sizes[a] for a in order]))


def reshape(sp_input: object, shape: ShapeLike, name: str | None = None) -> SparseTensor:
    """The same elements in another shape; one size may be -1.

    >>> import gradtape as tf
    >>> s = tf.sparse.from_dense([[1, 0, 2], [0, 3, 0]])
    >>> tf.sparse.to_dense(tf.sparse.reshape(s, [3, -1])).numpy()
    array([[1, 0],
           [2, 0],
           [3, 0]], dtype=int32)

    Args:
        sp_input: A SparseTensor.
        shape: The new shape; one size may be -1.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A SparseTensor.

    Raises:
        tf.errors.InvalidArgumentError: The sizes have another product, or two of them are -1.
    """
    sp = as_sparse(sp_input, "reshape")
    check_places(sp, "reshape")
    old, new = sizes_of(sp), list(as_shape(as_int_vector(shape, "reshape: shape")))
    total = int(np.prod(old, dtype=np.int64))
    known = int(np.prod([n for n in new if n != -1], dtype=np.int64))
    if new.count(-1) > 1:
        raise invalid(f"reshape: only one size can be -1, got {new}.")
    if -1 in new and known and total % known == 0:
        new[new.index(-1)] = total // known
    if -1 in new or int(np.prod(new, dtype=np.int64)) != total:
        raise invalid(f"reshape: a sparse tensor of shape {old} has {total} elements, which do not fit in {new}.")
    return from_parts(places_at(flat_places(places_of(sp), old), new), sp.values, new)


def expand_dims(sp_input: TensorLike, axis: AxisLike | None = None, name: str | None = None) -> SparseTensor:
    """The tensor with a new axis of size one, last if `axis` is not given.

    >>> import gradtape as tf
    >>> s = tf.sparse.from_dense([[1, 0, 2], [0, 3, 0]])
    >>> tf.sparse.expand_dims(s, axis=0).shape
    TensorShape([1, 2, 3])

    Args:
        sp_input: A SparseTensor.
        axis: Where the new axis stands.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A SparseTensor.

    Raises:
        ValueError: There is no such place for an axis.
    """
    sp = as_sparse(sp_input, "expand_dims")
    sizes = list(sizes_of(sp))
    at = -1 if axis is None else as_int(axis)
    if not -len(sizes) - 1 <= at <= len(sizes):
        raise ValueError(f"expand_dims: axis {at} must be in [{-len(sizes) - 1}, {len(sizes)}].")
    at %= len(sizes) + 1
    sizes.insert(at, 1)
    return from_parts(np.insert(places_of(sp), at, 0, axis=1), sp.values, sizes)


def retain(sp_input: TensorLike, to_retain: TensorLike) -> SparseTensor:
    """Only the values where the mask holds, one truth value for each value.

    >>> import gradtape as tf
    >>> s = tf.sparse.from_dense([[1, 0, 2], [0, 3, 0]])
    >>> tf.sparse.to_dense(tf.sparse.retain(s, [True, False, True])).numpy()
    array([[1, 0, 0],
           [0, 3, 0]], dtype=int32)

    Args:
        sp_input: A SparseTensor.
        to_retain: Truth values, one for each value of `sp_input`.

    Returns:
        A SparseTensor.

    Raises:
        ValueError: There is not one truth value for each value.
    """
    sp = as_sparse(sp_input, "retain")
    mask = to_tensor(to_retain, dtypes.bool)
    if tuple(mask.shape) != tuple(sp.values.shape):
        raise ValueError(f"retain: a mask of shape {mask.shape} for {sp.values.shape[0]} values.")
    kept = np.flatnonzero(mask._array)
    return from_parts(places_of(sp)[kept], indexing.gather(sp.values, from_array(kept)), sizes_of(sp))


def _reset_look(sp_input: TensorLike, new_shape: TensorLike | None = None) -> SparseTensor | None:
    sizes = [] if new_shape is None else as_shape(new_shape)
    is_unknown = sizes is UNKNOWN or not is_known(sizes)
    return _with_sizes(sp_input, sizes) if is_unknown and isinstance(sp_input, SparseTensor) else None


@shaped(_reset_look)
def reset_shape(sp_input: TensorLike, new_shape: TensorLike | None = None) -> SparseTensor:
    """The tensor with another dense shape that holds all places; the smallest, if none is given.

    >>> import gradtape as tf
    >>> s = tf.sparse.from_dense([[1, 0, 2], [0, 3, 0]])
    >>> tf.sparse.reset_shape(s, [2, 5]).shape
    TensorShape([2, 5])

    Args:
        sp_input: A SparseTensor.
        new_shape: A shape that is nowhere smaller than that of `sp_input`.

    Returns:
        A SparseTensor.

    Raises:
        ValueError: The new shape has another rank.
        tf.errors.InvalidArgumentError: It is smaller than the old one.
    """
    sp = as_sparse(sp_input, "reset_shape")
    places = places_of(sp)
    if new_shape is None:
        sizes = tuple((places.max(axis=0) + 1).tolist()) if len(places) else (0,) * len(sizes_of(sp))
        return from_parts(places, sp.values, sizes)
    sizes = as_shape(new_shape)
    if len(sizes) != len(sizes_of(sp)):
        raise ValueError(f"reset_shape: {sizes} has another rank than the input of shape {sizes_of(sp)}.")
    if any(new < old for new, old in zip(sizes, sizes_of(sp), strict=True)):
        raise invalid(f"reset_shape: {sizes} is smaller than the input's shape {sizes_of(sp)}.")
    return from_parts(places, sp.values, sizes)


def fill_empty_rows(
    sp_input: TensorLike, default_value: TensorLike, name: str | None = None
) -> tuple[SparseTensor, Tensor]:
    """The tensor with `default_value` first in each row that had none, and which rows these are.

    >>> import gradtape as tf
    >>> s = tf.sparse.from_dense([[1, 2], [0, 0]])
    >>> filled, empty = tf.sparse.fill_empty_rows(s, 9)
    >>> tf.sparse.to_dense(filled).numpy()
    array([[1, 2],
           [9, 0]], dtype=int32)
    >>> empty.numpy()
    array([False,  True])

    Args:
        sp_input: A SparseTensor.
        default_value: A scalar.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A pair: the filled SparseTensor, and a truth value for each row, true where it was empty.

    Raises:
        tf.errors.InvalidArgumentError: `default_value` is no scalar, or the tensor has no rows.
    """
    sp = as_sparse(sp_input, "fill_empty_rows")
    check_places(sp, "fill_empty_rows")
    sizes, places = sizes_of(sp), places_of(sp)
    default = to_tensor(default_value, sp.dtype)
    if default.ndim:
        raise invalid(f"fill_empty_rows: default_value must be a scalar, got shape {default.shape}.")
    if not sizes:
        raise invalid("fill_empty_rows: a scalar has no rows.")
    empty = np.bincount(places[:, 0], minlength=sizes[0]) == 0
    added = np.zeros((int(empty.sum()), len(sizes)), np.int64)
    added[:, 0] = np.flatnonzero(empty)
    all_places = np.concatenate([places, added])
    order = from_array(np.argsort(all_places[:, 0], kind="stable"))
    values = layout.concat([sp.values, arrays.fill([len(added)], default)], 0)
    filled = from_parts(all_places[order._array], indexing.gather(values, order), sizes)
    return filled, from_array(empty)


def eye(
    num_rows: IntLike, num_columns: IntLike | None = None, dtype: DTypeLike = dtypes.float32, name: str | None = None
) -> SparseTensor:
    """The identity matrix.

    >>> import gradtape as tf
    >>> tf.sparse.to_dense(tf.sparse.eye(2, 3)).numpy()
    array([[1., 0., 0.],
           [0., 1., 0.]], dtype=float32)

    Args:
        num_rows: How many rows.
        num_columns: How many columns; as many as rows by default.
        dtype: The type of the elements.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A SparseTensor.
    """
    rows, columns = as_eye(num_rows, num_columns)
    diagonal = np.arange(min(rows, columns))
    return from_parts(np.stack([diagonal, diagonal], axis=1), arrays.ones([len(diagonal)], dtype), (rows, columns))


def to_indicator(sp_input: TensorLike, vocab_size: IntLike, name: str | None = None) -> Tensor:
    """Truth values: the last axis, of size `vocab_size`, has True at each value that occurs there.

    >>> import gradtape as tf
    >>> s = tf.sparse.SparseTensor([[0, 0], [1, 0]], [2, 0], [2, 1])
    >>> tf.sparse.to_indicator(s, vocab_size=3).numpy()
    array([[False, False,  True],
           [ True, False, False]])

    Args:
        sp_input: A SparseTensor of integers from 0 to `vocab_size - 1`.
        vocab_size: The size of the last axis of the result.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Truth values.

    Raises:
        TypeError: The values are no integers.
        tf.errors.InvalidArgumentError: A value is not below `vocab_size`.
    """
    sp = as_sparse(sp_input, "to_indicator")
    if not sp.dtype.is_integer:
        raise TypeError(f"to_indicator: values must be integers, got {sp.dtype!r}.")
    size = as_int(vocab_size)
    ids = sp.values._array.astype(np.int64)
    if ids.size and (ids.min() < 0 or ids.max() >= size):
        raise invalid(f"to_indicator: values must be in [0, {size}).")
    result = np.zeros((*sizes_of(sp)[:-1], size), np.bool_)
    result[(*places_of(sp)[:, :-1].T, ids)] = True
    return from_array(result)


def mask(a: Any, mask_indices: TensorLike, name: str | None = None) -> IndexedSlices:
    """IndexedSlices without the rows whose index is among `mask_indices`.

    >>> import gradtape as tf
    >>> rows = tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([4, 7]))
    >>> tf.sparse.mask(rows, [4]).values.numpy()
    array([[2.]], dtype=float32)

    Args:
        a: IndexedSlices.
        mask_indices: A vector of the indices to leave out.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        IndexedSlices.

    Raises:
        tf.errors.InvalidArgumentError: `mask_indices` is no vector of the type of the indices.
    """
    present = to_tensor(a.indices)._array
    removed = to_tensor(mask_indices, None if isinstance(mask_indices, Tensor) else to_tensor(a.indices).dtype)._array
    if removed.ndim != 1 or removed.dtype != present.dtype:
        raise invalid(f"mask: mask_indices must be a vector of {present.dtype}, got {mask_indices!r}.")
    kept = from_array(np.flatnonzero(~np.isin(present, removed)).astype(present.dtype))
    return IndexedSlices(indexing.gather(a.values, kept), indexing.gather(a.indices, kept), a.dense_shape)


def _axis(axis: int, rank: int, name: str) -> int:
    if not -rank <= axis < rank:
        raise invalid(f"{name}: axis {axis} does not exist in a tensor with {rank} axes.")
    return axis % rank


def _check_elements(old: Tensor, new: Tensor, missing: Tensor) -> None:
    total, sizes = int(np.prod(old._array)), new._array.tolist()
    if as_int(missing) > 1 or min(sizes, default=0) < 0 or int(np.prod(sizes, dtype=np.int64)) != total:
        raise invalid(
            f"reshape: a sparse tensor of shape {tuple(old._array.tolist())} has {total} elements, which do not fit in {sizes}."
        )


_check_elements = traceable(_check_elements, on_abstract=effect_on_abstract)


def _trace_reshape(trace: Any, sp_input: Any, shape: Any, name: str | None = None) -> Any:
    """The places in ops, where only running shows the new shape."""
    sp = as_sparse(sp_input, "reshape")
    if not is_symbolic(shape) or sp.dense_shape.shape.rank is None:
        return trace.step(reshape, (sp, shape), {})
    old, wanted = sp.dense_shape, math.cast(shape, dtypes.int64)
    is_missing = math.equal(wanted, -1)
    total = math.reduce_prod(old)
    rest = math.maximum(math.reduce_prod(indexing.where(is_missing, arrays.ones_like(wanted), wanted)), 1)
    new = indexing.where(is_missing, arrays.zeros_like(wanted) + total // rest, wanted)
    _check_elements(old, new, math.reduce_sum(math.cast(is_missing, dtypes.int64)))
    before, after = (math.cumprod(sizes, exclusive=True, reverse=True) for sizes in (old, new))
    flat = math.reduce_sum(sp.indices * before, axis=1, keepdims=True)
    return SparseTensor(flat // math.maximum(after, 1) % math.maximum(new, 1), sp.values, new)


def _axes(arguments: dict[str, Any]) -> tuple[int] | None:
    """A number for each axis."""
    rank = as_sparse(arguments["sp_input"], "slice").shape.rank
    return None if rank is None else (rank,)


trace_public(globals(), skip=("reshape",), on_abstract=by_stand_ins)
reshape = traceable(reshape, on_abstract=by_stand_ins, on_trace=_trace_reshape)
of_shape(slice, start=_axes, size=_axes)
