"""TensorFlow's top-level functions on the axes of tensors: order, add and drop them; join, cut, pad, repeat along them."""

from __future__ import annotations

import builtins
import contextlib
import operator
from typing import Any

import numpy as np

from ..base import dtypes, nest
from ..base.errors import ArgumentValueError, invalid, unfit
from ..base.memory import repeated
from ..base.sizes import UNKNOWN, is_known, same
from ..base.traceable import shaped, trace_public
from ..base.types import AxisLike, TensorLike, Value
from ..op.abstract import Abstract
from ..op.arguments import optional_whole_number, takes, text
from ..op.attributes import as_axis, as_int, as_int_vector, as_ints
from ..op.family import shape_of
from ..op.shapes import padded_sizes
from ..ops.array import borders, gather, index, layout, masks, rearrange
from ..ops.math import complex_numbers
from ..trace.abstract_tensor import abstract_of
from ..values.composite import OPERANDS
from ..values.tensor import EagerTensor, Tensor, from_array, to_tensor
from ..variables.variable import Variable
from .arrays import broadcast_to, identity, reshape, zeros
from .shapes import shape

_NUMBERS = (bool, int, float, complex, np.ndarray, np.generic)


def _transposed_look(
    a: TensorLike, perm: TensorLike | None = None, conjugate: bool = False, name: str = "transpose"
) -> Abstract:
    x = abstract_of(to_tensor(a))
    order = None if perm is None else as_ints(perm)
    rank = len(order) if x.rank is None and order is not None and order is not UNKNOWN else x.rank
    return Abstract(None if rank is None else (UNKNOWN,) * rank, x.dtype)


@shaped(_transposed_look)
def transpose(a: object, perm: object = None, conjugate: bool = False, name: str = "transpose") -> Tensor:
    """The axes in the order `perm`, or reversed.

    >>> import gradtape as tf
    >>> tf.transpose([[1, 2], [3, 4]]).numpy()
    array([[1, 3],
           [2, 4]], dtype=int32)

    Args:
        a: A tensor.
        perm: For each axis of the result, which axis it was; all reversed if it is not given.
        conjugate: Whether to conjugate complex numbers too.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor with its axes in another order.

    Raises:
        tf.errors.InvalidArgumentError: `perm` is no permutation of the axes.
    """
    x = to_tensor(a)
    order = tuple(builtins.range(x.ndim))[::-1] if perm is None else as_ints(perm)
    if is_known(order) and any(p < 0 for p in order) and min(order) >= -x.ndim:
        order = tuple(p + x.ndim if p < 0 else p for p in order)
    result = layout.permute.public(x, order)
    return complex_numbers.conj.public(result) if conjugate and x.dtype.is_complex else result


def expand_dims(input: TensorLike, axis: AxisLike, name: str | None = None) -> Tensor:
    """The tensor with a new axis of size one at `axis`.

    >>> import gradtape as tf
    >>> tf.expand_dims([1, 2], axis=1).numpy()
    array([[1],
           [2]], dtype=int32)

    Args:
        input: A tensor.
        axis: Where the new axis is; negative ones count from the last.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor with one more axis, of size 1.

    Raises:
        tf.errors.InvalidArgumentError: There is no such place.
    """
    if isinstance(axis, (list, tuple, np.ndarray)) and np.size(axis) != 1:
        raise invalid(f"expand_dims: `axis` must be a tensor with a single value, got {axis!r}.")
    return layout.expand_dims.public(input, as_int(axis))


def squeeze(input: TensorLike, axis: AxisLike | None = None, name: str | None = None) -> Tensor:
    """The tensor without its axes of size one, or without those named in `axis`.

    >>> import gradtape as tf
    >>> tf.squeeze([[[1, 2]]]).numpy()
    array([1, 2], dtype=int32)

    Args:
        input: A tensor.
        axis: Which axes of size 1; all if none is named.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor without these axes.

    Raises:
        tf.errors.InvalidArgumentError: An axis that is named has another size than 1.
    """
    return layout.squeeze.public(input, as_axis(axis))


def concat(values: Any, axis: object, name: str = "concat") -> Tensor:
    """The tensors one after the other along an existing axis.

    >>> import gradtape as tf
    >>> tf.concat([[[1, 2]], [[3, 4]]], axis=0).numpy()
    array([[1, 2],
           [3, 4]], dtype=int32)

    Args:
        values: Tensors of one type.
        axis: The axis along which they follow each other.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        One tensor, or a ragged one where one is given.

    Raises:
        tf.errors.InvalidArgumentError: The shapes differ in another axis.
    """
    if isinstance(values, (Tensor, Variable)) or not isinstance(values, (list, tuple)):
        values = [values]
    if not values:
        raise ArgumentValueError(None, None, "concat needs at least one tensor, got an empty list.")
    where = as_int(axis)
    for value in values:
        if value.__class__ in OPERANDS:
            return OPERANDS[value.__class__](layout.concat, (values,), {"axis": where})
    if len(values) == 1:
        return identity(values[0])
    return layout.concat.public(list(values), where)


def stack(values: Any, axis: AxisLike = 0, name: str = "stack") -> Tensor:
    """The tensors, all of one shape, along a new axis.

    >>> import gradtape as tf
    >>> tf.stack([[1, 2], [3, 4]], axis=1).numpy()
    array([[1, 3],
           [2, 4]], dtype=int32)

    Args:
        values: Tensors of one shape and type.
        axis: Where the new axis is.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor with one more axis.

    Raises:
        tf.errors.InvalidArgumentError: The shapes differ.
    """
    if isinstance(values, (Tensor, Variable)):
        values = unstack(values)
    if isinstance(values, (dict, set)):
        raise TypeError(f"stack: a list of tensors is needed, got {values!r}.")
    values = list(values)
    where = as_int(axis)
    for value in values:
        if value.__class__ in OPERANDS:
            return OPERANDS[value.__class__](layout.stack, (values,), {"axis": where})
    if not values:
        if where:
            raise ArgumentValueError(None, None, f"stack of nothing has one axis, got axis={where}.")
        return zeros((0,))
    made_of_numbers = isinstance(values[0], (list, tuple, *_NUMBERS)) and all(
        isinstance(leaf, _NUMBERS) for leaf in nest.flatten(values)
    )
    if made_of_numbers and not where:
        with contextlib.suppress(TypeError, ValueError):  # the op below raises a clearer error
            return to_tensor(values)  # numbers of mixed types are promoted as in a list
    return layout.stack.public(values, where)


@takes(num=optional_whole_number)
def unstack(value: object, num: int | None = None, axis: AxisLike = 0, name: str = "unstack") -> list[Tensor]:
    """The slices along one axis, as a list of tensors without it.

    >>> import gradtape as tf
    >>> [row.numpy().tolist() for row in tf.unstack([[1, 2], [3, 4]])]
    [[1, 2], [3, 4]]

    Args:
        value: A tensor.
        num: The size of the axis, which is known in any case.
        axis: The axis to take apart.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The slices, without the axis.

    Raises:
        tf.errors.InvalidArgumentError: `num` is not the size of the axis.
    """
    where = as_int(axis)
    x = to_tensor(value)
    if not -x.ndim <= where < x.ndim:
        raise unfit(f"Argument `axis` = {where} not in range [{-x.ndim}, {x.ndim}).")
    if num is not None and num != x.shape[where]:
        raise invalid(f"unstack: num is {num}, but axis {where} of shape {x.shape} has size {x.shape[where]}.")
    if x.shape[where] == 0:
        return []
    return list(layout.unpack.public(x, where))


def _split_look(
    value: TensorLike, num_or_size_splits: Any, axis: TensorLike = 0, num: int | None = None, name: str = "split"
) -> Any:
    x, where = abstract_of(to_tensor(value)), as_int(axis)
    sizes: Any
    if isinstance(num_or_size_splits, (list, tuple)) or np.ndim(num_or_size_splits):
        sizes = as_ints(num_or_size_splits)
        sizes = [UNKNOWN] * num if sizes is UNKNOWN and num is not None else list(sizes)
    else:
        sizes = [UNKNOWN] * operator.index(as_int(num_or_size_splits))
    if x.known is None or where is UNKNOWN:
        return [Abstract(None if x.known is None else (UNKNOWN,) * len(x.known), x.dtype) for _ in sizes]
    if len(sizes) and is_known(sizes) and -1 not in sizes and same(sum(sizes), x.known[where]) is False:
        raise invalid(f"split: sizes {sizes} must add up to {x.known[where]}, the size of axis {where}.")
    lead, rest = x.known[: where % len(x.known)], x.known[where % len(x.known) + 1 :]
    sizes = [UNKNOWN if size is UNKNOWN or same(size, -1) is not False else size for size in sizes]
    return [Abstract((*lead, size, *rest), x.dtype) for size in sizes]


@shaped(_split_look)
def split(
    value: TensorLike, num_or_size_splits: Any, axis: AxisLike = 0, num: int | None = None, name: str = "split"
) -> list[Tensor]:
    """Pieces along one axis: as many as an integer says, all of one size, or of the sizes in a list (-1: the rest).

    >>> import gradtape as tf
    >>> [part.numpy().tolist() for part in tf.split([1, 2, 3, 4, 5], [2, 3])]
    [[1, 2], [3, 4, 5]]

    Args:
        value: A tensor.
        num_or_size_splits: How many equal pieces, or the size of each; one size may be -1.
        axis: The axis to cut.
        num: How many sizes there are.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The pieces.

    Raises:
        tf.errors.InvalidArgumentError: The sizes do not fill the axis.
    """
    x = to_tensor(value)
    where, shape = as_int(axis), shape_of(x)
    if not -len(shape) <= where < len(shape):
        raise invalid(f"split: axis {where} does not exist in a tensor of shape {x.shape}.")
    length = shape[where] or 0
    if isinstance(num_or_size_splits, (list, tuple)) or (
        num_or_size_splits.__class__ is not int and np.ndim(num_or_size_splits)
    ):
        sizes = list(as_ints(num_or_size_splits))
        if num is not None and num != len(sizes):
            raise invalid(f"split: num={num}, but there are {len(sizes)} sizes: {sizes}.")
        rest = [place for place, size in enumerate(sizes) if size.__class__ is int and size == -1]
        if len(rest) == 1:
            sizes[rest[0]] = length - sum(sizes) - 1
    else:
        count = as_int(num_or_size_splits)
        if count <= 0 or length % count:
            raise invalid(f"split: axis {where} of size {length} cannot be cut into {count} equal pieces.")
        sizes = [length // count] * count
    return list(layout.split_sizes.public(x, tuple(sizes), where))


def _padded_look(tensor: TensorLike, paddings: TensorLike, *args: object, **kwargs: object) -> Abstract:
    x, table = abstract_of(to_tensor(tensor)), abstract_of(to_tensor(paddings))
    return Abstract(padded_sizes(x, UNKNOWN if table.value is None else table.value.tolist()), x.dtype)


@shaped(_padded_look)
def pad(
    tensor: object,
    paddings: TensorLike,
    mode: str = "CONSTANT",
    constant_values: Any = 0,
    name: str | None = None,
) -> Tensor:
    """The tensor with a border: constant, or mirrored with (SYMMETRIC) or without (REFLECT) the edge itself.

    `paddings` has one row (before, after) for each axis.

    >>> import gradtape as tf
    >>> tf.pad([1, 2], [[1, 2]]).numpy()
    array([0, 1, 2, 0, 0], dtype=int32)

    Args:
        tensor: A tensor.
        paddings: For each axis, how much to add before and after it.
        mode: CONSTANT, REFLECT (mirrored at the last element) or SYMMETRIC (at the border).
        constant_values: What to add, if it is CONSTANT.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A larger tensor.

    Raises:
        tf.errors.InvalidArgumentError: There is not one pair for each axis, or a mirror would need more than there is.
    """
    x = to_tensor(tensor)
    given: Any = to_tensor(paddings)
    sizes = UNKNOWN if given.__class__ is EagerTensor or not given.dtype.is_integer else given.sizes
    table: Any = np.asarray(given._array) if sizes is UNKNOWN else sizes
    if table.shape != (x.ndim, 2) or any(size.__class__ is int and size < 0 for size in table.reshape(-1).tolist()):
        if table.ndim != 2 or table.shape[1] != 2:
            wrong = "paddings must be a matrix with 2 columns"
        elif len(table) != x.ndim:
            wrong = "paddings must be the rank of inputs, a row for each axis"
        else:
            wrong = "paddings must be non-negative"
        raise invalid(f"pad: {wrong}: {x.ndim} pairs of integers are needed for shape {x.shape}, got {table.tolist()}.")
    rows = tuple((before, after) for before, after in table.tolist())
    kind = str(mode).upper()
    if kind == "CONSTANT":
        if (
            not isinstance(constant_values, (Tensor, Variable))
            and constant_values is not None
            and np.ndim(constant_values) == 0
            and not constant_values
        ):
            # 0 stands for what is zero in any type
            constant_values = from_array(np.asarray(b"" if x.dtype is dtypes.string else 0, x.dtype.numpy))
        value = to_tensor(constant_values, None if isinstance(constant_values, (Tensor, Variable)) else x.dtype)
        return borders.pad_constant.public(
            x, rows, value._array.item() if x.dtype is not dtypes.string else value._array[()]
        )
    text("mode", mode)
    if kind not in ("REFLECT", "SYMMETRIC"):
        raise ValueError(
            "Value of argument `mode` expected to be one of CONSTANT, REFLECT or SYMMETRIC. "
            f"Received `mode` = {mode.upper()}"
        )
    return borders.mirror_pad.public(x, rows, kind)


def tile(input: TensorLike, multiples: TensorLike, name: str | None = None) -> Tensor:
    """The tensor repeated `multiples[i]` times along axis i.

    >>> import gradtape as tf
    >>> tf.tile([1, 2], [2]).numpy()
    array([1, 2, 1, 2], dtype=int32)

    Args:
        input: A tensor.
        multiples: How often, for each axis.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.

    Raises:
        tf.errors.InvalidArgumentError: There is not one multiple for each axis.
    """
    return rearrange.tile.public(input, as_int_vector(multiples, "tile: multiples"))


def _repeated_look(
    input: TensorLike, repeats: TensorLike, axis: TensorLike | None = None, name: str | None = None
) -> Abstract:
    x, counts = abstract_of(to_tensor(input)), abstract_of(to_tensor(repeats))
    where = None if axis is None else as_int(axis)
    if x.known is None or where is UNKNOWN:
        return Abstract(None if axis is not None else (UNKNOWN,), x.dtype)
    count = counts.value.item() if counts.value is not None and counts.value.size == 1 else UNKNOWN
    if where is None:
        return Abstract((x.size * count,), x.dtype)
    shape = list(x.known)
    shape[where] *= count
    return Abstract(tuple(shape), x.dtype)


@shaped(_repeated_look)
def repeat(input: TensorLike, repeats: TensorLike, axis: AxisLike | None = None, name: str | None = None) -> Tensor:
    """Each element (or slice along `axis`) repeated.

    >>> import gradtape as tf
    >>> tf.repeat([1, 2], [1, 3]).numpy()
    array([1, 2, 2, 2], dtype=int32)

    Args:
        input: A tensor.
        repeats: How often: one number, or one for each slice along the axis.
        axis: The axis; the elements of all axes if none is given.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.

    Raises:
        TypeError: `repeats` are no integers.
        tf.errors.InvalidArgumentError: The axis does not exist, or `repeats` has neither one entry nor one for each slice.
    """
    x = to_tensor(input)
    if axis is None:
        x, where = reshape(x, (-1,)), 0
    else:
        where = as_int(axis)
    times = to_tensor(repeats)
    if times.__class__ is not EagerTensor and times.dtype.is_integer:
        return _rows_of_unknown_counts(x, times, where)
    counts = np.asarray(times._array)
    if counts.dtype.kind not in "iu":
        raise TypeError(f"repeat: repeats must be integers, got {counts.tolist()} of type {counts.dtype}.")
    if not -x.ndim <= where < x.ndim:
        raise ArgumentValueError(None, None, f"repeat: axis {where} does not exist in a tensor of shape {x.shape}.")
    length = x.shape[where] or 0
    if counts.ndim > 1 or (counts.ndim == 1 and counts.size not in (1, length)) or (counts.size and counts.min() < 0):
        message = f"repeat: repeats must be one non-negative integer, or {length} of them; got {counts.tolist()}."
        raise ArgumentValueError(None, None, message)
    return _rows(x, repeated("repeat", np.arange(length, dtype=np.int32), counts), where)


def _rows_of_unknown_counts(x: Any, times: Any, axis: int) -> Any:
    """`repeat` in a traced function, by counts that are known when it runs: the place of each row is computed."""
    positions = masks.repeated_positions.public(broadcast_to(times, shape(x)[axis : axis + 1 or None]))
    # Behind one more axis: a lookup along the first one has IndexedSlices for a gradient.
    rows = gather.take.public(expand_dims(x, 0), positions, axis + 1 if axis >= 0 else axis, 0)
    return squeeze(rows, 0)


def _rows(x: Value, positions: object, axis: int) -> Any:
    """The slices at `positions`, with a dense gradient: only explicit lookups by the user give IndexedSlices."""
    return index.pick.public(x, (*(builtins.slice(None),) * (axis % x.ndim), positions))


def reverse(tensor: TensorLike, axis: AxisLike, name: str | None = None) -> Tensor:
    """The tensor with the order along the given axes turned round.

    >>> import gradtape as tf
    >>> tf.reverse([1, 2, 3], axis=[0]).numpy()
    array([3, 2, 1], dtype=int32)

    Args:
        tensor: A tensor.
        axis: The axes to turn round.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.

    Raises:
        tf.errors.InvalidArgumentError: There is no such axis.
    """
    return rearrange.reverse.public(tensor, as_int_vector(axis, "reverse: axis"))


def roll(input: object, shift: Any, axis: Any, name: str | None = None) -> Tensor:
    """The tensor moved cyclically along the given axes.

    >>> import gradtape as tf
    >>> tf.roll([1, 2, 3], shift=1, axis=0).numpy()
    array([3, 1, 2], dtype=int32)

    Args:
        input: A tensor.
        shift: By how many places, for each axis.
        axis: One axis, or several.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.

    Raises:
        tf.errors.InvalidArgumentError: `shift` and `axis` have different lengths, or an axis does not exist.
    """
    several = [isinstance(v, (list, tuple)) or bool(np.ndim(v)) for v in (shift, axis)]
    shifts, axes = (as_ints(v) if many else as_int(v) for v, many in zip((shift, axis), several, strict=True))
    if np.size(shifts) != np.size(axes) or several[0] != several[1]:
        raise invalid(f"roll: shift and axis must be as many, got {shift!r} and {axis!r}.")
    return rearrange.roll.public(input, shifts, axes)


trace_public(globals())
