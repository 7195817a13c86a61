"""TensorFlow's top-level functions that take elements and slices out of tensors, and put them in."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from ..base.errors import invalid
from ..base.notes import CUTS, note_shadow
from ..base.sizes import UNKNOWN, Size, is_known, same
from ..base.traceable import shaped, trace_public
from ..base.types import Array, AxisLike, ShapeLike, TensorLike, Value
from ..op.abstract import Abstract
from ..op.arguments import takes, text
from ..op.attributes import as_int, as_int_vector, as_ints, as_shape
from ..ops.array import box as boxes
from ..ops.array import index, layout, masks, scatter
from ..ops.array.gather import put_nd, take, take_nd
from ..ops.math import logic, reduce
from ..ops.public import tensor_scatter_nd_update as tensor_scatter_nd_update
from ..trace.abstract_tensor import abstract_of
from ..values.tensor import EagerTensor, Tensor, to_tensor
from ..variables.part import SliceAssigner
from ..variables.variable import Variable

newaxis = None


def _box_look(input_: TensorLike, begin: TensorLike, size: TensorLike, name: str | None = None) -> Abstract:
    x = abstract_of(to_tensor(input_))
    return Abstract(boxes.box_sizes(x.known, as_ints(begin), as_ints(size)), x.dtype)


@shaped(_box_look)
def slice(input_: object, begin: TensorLike, size: object, name: str | None = None) -> Tensor:
    """The box that starts at `begin` and has `size` (-1: to the end).

    >>> import gradtape as tf
    >>> tf.slice([[1, 2, 3], [4, 5, 6]], begin=[0, 1], size=[-1, 2]).numpy()
    array([[2, 3],
           [5, 6]], dtype=int32)

    Args:
        input_: A tensor.
        begin: The first place, one number for each axis.
        size: The size of the box, one number for each axis; -1: to the end.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.

    Raises:
        tf.errors.InvalidArgumentError: There is not one start and one size for each axis, or they leave the tensor.
    """
    x = to_tensor(input_)
    starts, sizes, shape = as_ints(begin), as_ints(size), tuple(x.shape)
    if is_known(starts) and is_known(sizes) and is_known(shape):
        return index.getitem.public(x, boxes.key_of(shape, starts, sizes))
    return boxes.box.public(x, starts, sizes)


def strided_slice(
    input_: TensorLike,
    begin: TensorLike,
    end: TensorLike,
    strides: AxisLike | None = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """`input_[begin:end:strides]`, axis by axis; the bits of the masks say how each position is read.

    With `var`, a variable, the result can be assigned to, as a slice of that variable can.

    >>> import gradtape as tf
    >>> tf.strided_slice([1, 2, 3, 4], [0], [4], [2]).numpy()
    array([1, 3], dtype=int32)

    Args:
        input_: A tensor.
        begin: The first place along each axis.
        end: The place after the last along each axis.
        strides: The step along each axis; 1 by default.
        begin_mask: Bit i set: axis i begins at its beginning.
        end_mask: Bit i set: axis i goes to its end.
        ellipsis_mask: The bit of the entry that stands for all axes that are not named, as `...` does.
        new_axis_mask: Bit i set: entry i makes a new axis of size 1.
        shrink_axis_mask: Bit i set: axis i is taken at `begin` and goes away.
        var: The variable that `input_` is the value of, to assign to the slice.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.

    Raises:
        tf.errors.InvalidArgumentError: `begin`, `end` and `strides` have different lengths, there are two ellipses, or an
            axis that is taken away has a stride.
    """
    starts, stops = as_ints(begin), as_ints(end)
    steps = (1,) * len(starts) if strides is None else as_ints(strides)
    if not len(starts) == len(stops) == len(steps):
        raise invalid(
            f"strided_slice: begin, end and strides must be as long, got {len(starts)}, {len(stops)} and {len(steps)}."
        )
    key: list[Any] = []
    for position, (start, stop, step) in enumerate(zip(starts, stops, steps, strict=True)):
        bit = 1 << position
        if ellipsis_mask & bit:
            if Ellipsis in key:
                raise invalid("strided_slice: only one ellipsis is allowed.")
            key.append(Ellipsis)
        elif new_axis_mask & bit:
            key.append(None)
        elif shrink_axis_mask & bit:
            if step <= 0:
                raise invalid(f"strided_slice: where an axis is taken away the stride must be 1, got {step}.")
            key.append(start)
        else:
            key.append(builtins.slice(None if begin_mask & bit else start, None if end_mask & bit else stop, step))
    part: Any = index.getitem.public(to_tensor(input_), tuple(key))
    if isinstance(var, Variable):
        assigner = SliceAssigner(var, tuple(key))
        part.assign, part.assign_add, part.assign_sub = (
            assigner.assign,
            assigner.assign_add,
            assigner.assign_sub,
        )
    return part


def gather(
    params: object,
    indices: object,
    validate_indices: TensorLike | None = None,
    axis: AxisLike | None = None,
    batch_dims: int | None = 0,
    name: str | None = None,
) -> Tensor:
    """The slices of `params` at `indices` along `axis`. A negative `batch_dims` counts from the last axis of `indices`.

    >>> import gradtape as tf
    >>> tf.gather([10, 20, 30], [2, 0]).numpy()
    array([30, 10], dtype=int32)

    Args:
        params: A tensor or variable.
        indices: Positions along the axis: integers of any shape, from 0 up to its size.
        validate_indices: Ignored: indices are always checked.
        axis: The axis of `params` that the indices count.
        batch_dims: How many leading axes both have in common.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The slices at the indices. The gradient in `params` is `tf.IndexedSlices` where whole rows are taken.

    Raises:
        tf.errors.InvalidArgumentError: An index is out of range.
    """
    where = as_int(batch_dims) if axis is None else as_int(axis)
    shared = 0 if batch_dims is None else as_int(batch_dims)
    if shared < 0:
        rank = to_tensor(indices).ndim
        shared = shared + rank if shared >= -rank else shared
    return take.public(params, indices, where, shared)


@takes(bad_indices_policy=text)
def gather_nd(
    params: TensorLike, indices: TensorLike, batch_dims: int = 0, name: str | None = None, bad_indices_policy: str = ""
) -> Tensor:
    """The elements (or slices) at positions that `indices` lists in its last axis; with "IGNORE", zeros for bad positions.

    >>> import gradtape as tf
    >>> tf.gather_nd([[1, 2], [3, 4]], [[0, 1], [1, 0]]).numpy()
    array([2, 3], dtype=int32)

    Args:
        params: The tensor that is read from.
        indices: Integers; each row of the last axis is one index.
        batch_dims: How many leading axes both have in common.
        name: Ignored; accepted for compatibility with TensorFlow.
        bad_indices_policy: What an index out of range does.

    Returns:
        The elements or slices at the indices.

    Raises:
        tf.errors.InvalidArgumentError: An index is out of range.
    """
    if bad_indices_policy == "IGNORE" and not as_int(batch_dims):
        x = to_tensor(params)
        inside, positions = _inside(x, to_tensor(indices))
        found = take_nd.public(x, positions, 0)
        return where(_beside(inside, found), found, logic.zeros_like.public(found))
    return take_nd.public(params, indices, as_int(batch_dims))


@takes(bad_indices_policy=text)
def scatter_nd(
    indices: TensorLike,
    updates: TensorLike,
    shape: ShapeLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """Zeros of `shape` with `updates` added at positions that `indices` lists in its last axis.

    >>> import gradtape as tf
    >>> tf.scatter_nd([[1], [3]], [10, 20], [5]).numpy()
    array([ 0, 10,  0, 20,  0], dtype=int32)

    Args:
        indices: Integers; each row of the last axis is one index.
        updates: What is written or added at the indices: the shape of `indices` without its last axis, then that of one slice.
        shape: The shape of the result.
        bad_indices_policy: What an index out of range does.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Zeros with the updates added.

    Raises:
        tf.errors.InvalidArgumentError: An index is out of range.
    """
    if bad_indices_policy not in ("", "DEFAULT"):
        zero = np.zeros(as_shape(as_int_vector(shape, "scatter_nd: shape")), to_tensor(updates).dtype.numpy)
        return _scatter_combining(scatter.tensor_scatter_nd_add, zero, indices, updates, bad_indices_policy)
    return put_nd.public(updates, indices, as_shape(as_int_vector(shape, "scatter_nd: shape")), 0)


def _scatter_combining(
    combine: Any, tensor: TensorLike, indices: TensorLike, updates: TensorLike, bad_indices_policy: str
) -> Any:
    if bad_indices_policy not in ("", "DEFAULT", "ERROR", "IGNORE"):
        raise invalid(f"bad_indices_policy must be '', 'DEFAULT', 'ERROR' or 'IGNORE', got {bad_indices_policy!r}.")
    if bad_indices_policy == "IGNORE":
        x, given = to_tensor(tensor), to_tensor(indices)
        if given.ndim and given.shape[-1] <= x.ndim:
            if 0 in tuple(x.shape):
                return x  # no position is a good one
            inside, positions = _inside(x, given)
            changes = to_tensor(updates, None if isinstance(updates, (Tensor, Variable)) else x.dtype)
            if tuple(changes.shape)[: inside.ndim] == tuple(inside.shape):
                nothing = _neutral(combine.name, x.dtype.numpy)
                return combine.public(x, positions, where(_beside(inside, changes), changes, nothing))
    return combine.public(tensor, indices, updates)


def _inside(x: Tensor, positions: Tensor) -> tuple[Any, Any]:
    """Which of the positions are in the tensor, and the positions, with the first one in place of those that are not."""
    sizes = np.array(tuple(x.shape)[: positions.shape[-1]], positions.dtype.numpy)
    zero = np.zeros((), positions.dtype.numpy)
    good = logic.logical_and.public(
        logic.greater_equal.public(positions, zero), logic.less.public(positions, to_tensor(sizes))
    )
    inside = reduce.reduce_all.public(good, axis=-1)
    return inside, where(layout.expand_dims.public(inside, -1), positions, zero)


def _beside(truth: Any, values: Any) -> Any:
    """Truth values with as many axes as the values that they are for."""
    return layout.reshape.public(truth, (*truth.shape, *(1,) * (values.ndim - truth.ndim)))


def _neutral(name: str, dtype: np.dtype[Any]) -> Array:
    """What changes nothing where an op combines it with an element."""
    if not name.endswith(("max", "min")):
        return np.zeros((), dtype)
    lowest = name.endswith("max")
    if dtype.kind in "iu":
        return np.asarray(np.iinfo(dtype).min if lowest else np.iinfo(dtype).max, dtype)
    return np.asarray(-np.inf if lowest else np.inf, dtype)


@takes(bad_indices_policy=text)
def tensor_scatter_nd_add(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """The tensor with `updates` added at positions that `indices` lists in its last axis; "IGNORE" drops bad positions.

    >>> import gradtape as tf
    >>> tf.tensor_scatter_nd_add([1.0, 2.0, 3.0], [[0], [0]], [10.0, 20.0]).numpy()
    array([31.,  2.,  3.], dtype=float32)

    Args:
        tensor: A tensor.
        indices: Integers; each row of the last axis is one index.
        updates: What to add there.
        bad_indices_policy: What an index out of range does.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.

    Raises:
        tf.errors.InvalidArgumentError: An index is out of range.
    """
    return _scatter_combining(scatter.tensor_scatter_nd_add, tensor, indices, updates, bad_indices_policy)


@takes(bad_indices_policy=text)
def tensor_scatter_nd_sub(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """The tensor with `updates` subtracted at positions that `indices` lists in its last axis.

    >>> import gradtape as tf
    >>> tf.tensor_scatter_nd_sub([1.0, 2.0, 3.0], [[0], [0]], [10.0, 20.0]).numpy()
    array([-29.,   2.,   3.], dtype=float32)

    Args:
        tensor: A tensor.
        indices: Integers; each row of the last axis is one index.
        updates: What to subtract there.
        bad_indices_policy: "IGNORE" to drop an index out of range, which is an error otherwise.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.
    """
    return _scatter_combining(scatter.tensor_scatter_nd_sub, tensor, indices, updates, bad_indices_policy)


@takes(bad_indices_policy=text)
def tensor_scatter_nd_max(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """The tensor, with the larger of its element and the updates at `indices`; ties share the derivative.

    >>> import gradtape as tf
    >>> tf.tensor_scatter_nd_max([1.0, 2.0, 3.0], [[0], [2]], [10.0, 0.0]).numpy()
    array([10.,  2.,  3.], dtype=float32)

    Args:
        tensor: A tensor.
        indices: Integers; each row of the last axis is one index.
        updates: What to compare with.
        bad_indices_policy: "IGNORE" to drop an index out of range, which is an error otherwise.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.
    """
    return _scatter_combining(scatter.tensor_scatter_nd_max, tensor, indices, updates, bad_indices_policy)


@takes(bad_indices_policy=text)
def tensor_scatter_nd_min(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """The tensor, with the smaller of its element and the updates at `indices`; ties share the derivative.

    >>> import gradtape as tf
    >>> tf.tensor_scatter_nd_min([1.0, 2.0, 3.0], [[0], [2]], [10.0, 0.0]).numpy()
    array([1., 2., 0.], dtype=float32)

    Args:
        tensor: A tensor.
        indices: Integers; each row of the last axis is one index.
        updates: What to compare with.
        bad_indices_policy: "IGNORE" to drop an index out of range, which is an error otherwise.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.
    """
    return _scatter_combining(scatter.tensor_scatter_nd_min, tensor, indices, updates, bad_indices_policy)


def _masked_look(tensor: TensorLike, mask: TensorLike, axis: AxisLike | None = None, name: str = "") -> Abstract:
    x, truth = abstract_of(to_tensor(tensor)), abstract_of(to_tensor(mask))
    where: Any = 0 if axis is None else as_int(axis)
    if x.known is None or isinstance(where, Size):
        return Abstract(None, x.dtype)
    where = where + len(x.known) if where < 0 else where
    return Abstract((*x.known[:where], UNKNOWN, *x.known[where + truth.ndim :]), x.dtype)


@shaped(_masked_look)
def boolean_mask(
    tensor: TensorLike, mask: TensorLike, axis: AxisLike | None = None, name: str = "boolean_mask"
) -> Tensor:
    """The elements (or slices) where the mask is true.

    >>> import gradtape as tf
    >>> tf.boolean_mask([1, 2, 3], [True, False, True]).numpy()
    array([1, 3], dtype=int32)

    Args:
        tensor: A tensor.
        mask: Truth values, for the first axes of the tensor.
        axis: The axis at which the mask begins.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The chosen slices.

    Raises:
        ValueError: The shapes do not fit.
    """
    x, truth = to_tensor(tensor), to_tensor(mask)
    if truth.shape.rank is None:
        raise ValueError("boolean_mask: Number of mask dimensions must be specified, even if some sizes are None.")
    where = 0 if axis is None else as_int(axis)
    where = where + x.ndim if where < 0 else where
    if truth.__class__ is not EagerTensor:
        return _masked(x, truth, where)
    chosen = np.asarray(truth._array)
    if chosen.ndim == 0:
        raise ValueError("mask cannot be scalar.")
    if chosen.dtype.kind != "b":
        raise invalid(f"boolean_mask: the mask must be bool, got {to_tensor(mask).dtype!r}.")
    sizes = tuple(x.shape[where : where + chosen.ndim])
    if len(sizes) != chosen.ndim or any(same(*pair) is False for pair in zip(sizes, chosen.shape, strict=True)):
        raise ValueError(f"Shapes {x.shape[where : where + chosen.ndim]} and {chosen.shape} are incompatible")
    result = index.pick.public(x, (*(builtins.slice(None),) * where, chosen))
    if CUTS:  # (the mask is an attribute of that op, not an operand)
        note_shadow(take_nd, (truth,), (result,))
    return result


def _masked(x: Value, mask: Value, axis: int) -> Any:
    """`boolean_mask` with a mask whose values are not known yet: the true positions are looked up first."""
    if not mask.ndim:
        raise ValueError("mask cannot be scalar.")
    sizes = tuple(x.shape)[axis : axis + mask.ndim]
    # (Sizes that are not known yet may be equal.)
    if len(sizes) != mask.ndim or any(same(*pair) is False for pair in zip(sizes, tuple(mask.shape), strict=True)):
        raise ValueError(f"Shapes {sizes} and {mask.shape} are incompatible")
    front = (*builtins.range(axis, axis + mask.ndim), *builtins.range(axis), *builtins.range(axis + mask.ndim, x.ndim))
    picked = take_nd.public(layout.permute.public(x, front), masks.nonzero.public(mask))
    back = (*builtins.range(1, axis + 1), 0, *builtins.range(axis + 1, picked.ndim))
    return layout.permute.public(picked, back)


def where(
    condition: TensorLike, x: TensorLike | None = None, y: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """x where the condition holds and y elsewhere; with the condition alone, the positions where it holds.

    >>> import gradtape as tf
    >>> tf.where([True, False], [1.0, 2.0], 0.0).numpy()
    array([1., 0.], dtype=float32)

    Args:
        condition: Truth values, of the shape of the result or one that broadcasts to it.
        x: What to take where it is true.
        y: What to take elsewhere.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor; with the condition alone, the places where it is true, one in each row.

    Raises:
        tf.errors.InvalidArgumentError: The shapes do not broadcast.
    """
    if x is None and y is None:
        return masks.nonzero.public(condition)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    is_array = condition.__class__ is not EagerTensor and isinstance(condition, (np.ndarray, np.generic))
    if is_array and condition.dtype.kind in "iufc":  # type: ignore[union-attr] # (a tensor is not converted)
        condition = condition.astype(bool)  # type: ignore[union-attr]
    return logic.select.public(condition, x, y)


trace_public(globals())
