"""Ops that move elements without changing them: reshape, transpose, broadcast, concatenate, stack, split."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...base.dtypes import ANY, NUMERIC, Array
from ...base.errors import ArgumentValueError, invalid
from ...base.sizes import UNKNOWN, is_known, matched, product, same
from ...base.types import Axis, Cotangent, Draw, Namespace, Value
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import all_batched, negative_axis, rank_of, shape_of
from ...op.shapes import (
    broadcast_to_sizes,
    equal_shapes,
    inserted,
    matched_sizes,
    place,
    places,
    replaced,
    unknown_rest,
)
from ..nn.rows import along_rows, sum_of_rows

# --- reshape ---------------------------------------------------------------------------------------------------------


def _sizes(given: tuple[int, ...], wanted: tuple[int, ...]) -> tuple[int, ...]:
    """The shape with its -1 worked out. Where a size is 0 the others decide, as in TensorFlow: (2, 0) to [0, -1] is (0, 2)."""
    if 0 not in wanted or wanted.count(-1) != 1 or 0 not in given:
        return wanted
    known = math.prod(size for size in wanted if size > 0)
    return tuple(math.prod(size for size in given if size) // known if size == -1 else size for size in wanted)


@op(dtypes=ANY, on_sizes=True)
def reshape(xp: Namespace, tensor: Array, *, shape: tuple[int, ...]) -> Any:
    """The same elements in another shape, in the order of the rows.

    >>> import gradtape as tf
    >>> tf.reshape(tf.range(6), [2, -1])
    <tf.Tensor: shape=(2, 3), dtype=int32, numpy=
    array([[0, 1, 2],
           [3, 4, 5]], dtype=int32)>
    >>> tf.reshape(tf.ones([2, 3, 4]), [2, -1]).shape
    TensorShape([2, 12])

    Args:
        tensor: A tensor of any type, or what becomes one, such as a list.
        shape: The new sizes: a list, or a vector of integers. One of them may be -1: it is worked out from the others.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of that shape. No element is moved: to swap axes there is `tf.transpose`.

    Raises:
        tf.errors.InvalidArgumentError: The sizes do not hold as many elements as there are.
    """
    return tensor.reshape(shape if tensor.size else _sizes(tensor.shape, shape))


@reshape.shapes
def _(tensor: Abstract, *, shape: Any) -> Shape:
    if shape is UNKNOWN:
        return None
    missing = [axis for axis, size in enumerate(shape) if size.__class__ is int and size == -1]
    if len(missing) > 1:
        raise ValueError("only one size may be -1")
    if tensor.rank is None:
        return tuple([UNKNOWN if axis in missing else size for axis, size in enumerate(shape)])
    if not missing:
        matched(tensor.size, product(shape), "the numbers of elements,")
        return tuple(shape)
    (axis,) = missing
    others = [size for position, size in enumerate(shape) if position != axis]
    count, rest = tensor.size, product(others)
    if is_known(tensor.shape) and is_known(others):
        found = _sizes(tensor.shape, tuple(shape))[axis]  # type: ignore[arg-type]
        if found == -1 and (not rest or count % rest):
            raise ValueError(f"{count} elements do not fill up rows of {rest}")
        return replaced(tuple(shape), axis, count // rest if found == -1 else found)
    # If a size may be 0, dividing by it is not safe: only sizes that also occur in the operand's shape cancel.
    if same(rest, 0) or any(same(size, 0) is None and not any(same(size, n) for n in tensor.shape) for size in others):
        return replaced(tuple(shape), axis, UNKNOWN)
    return replaced(tuple(shape), axis, count // rest)


@reshape.vjp("tensor")
def _(g: Cotangent, tensor_shape: tuple[int, ...]) -> Any:
    return reshape(g, shape=tensor_shape)


reshape.linear("tensor")


@reshape.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    (x,) = args
    shape = attributes["shape"]
    size = shape_of(x)[0]
    if -1 in shape:
        shape = _sizes(shape_of(x)[1:], shape)
        known = -math.prod(shape)
        shape = tuple(math.prod(shape_of(x)[1:]) // known if s == -1 else s for s in shape)
    return reshape(x, shape=(size, *shape))


@reshape.checks
def _(tensor: Array, shape: tuple[int, ...]) -> None:
    if len(shape) > 64:
        raise invalid(f"reshape: {len(shape)} are too many dimensions: an array of NumPy has at most 64.")
    if sum(s == -1 for s in shape) > 1:
        raise invalid(f"reshape: only one size can be -1, got shape {list(shape)}.")
    raise invalid(
        f"reshape: the tensor of shape {tensor.shape} has {tensor.size} values, but the requested shape is "
        f"{list(shape)} ({abs(int(np.prod(shape)))} values). Use -1 for one size to have it worked out."
    )


@reshape.samples
def _(draw: Draw) -> Iterator[Sample]:
    for given, wanted in [
        ((2, 3), (3, 2)), ((2, 3), (6,)), ((6,), (-1, 2)), ((), (1,)), ((1,), ()), ((0, 3), (3, 0)), ((2, 3, 4), (4, -1)),
        ((2, 3, 4), (2, 12)), ((4,), (1, 4, 1)), ((1, 1), ()), ((2, 2, 2), (8,)), ((3, 4), (2, 2, 3)), ((0,), (0, 2)),
        ((2, 0), (0, 2)), ((2, 0, 3), (4, -1)),
    ]:  # fmt: skip
        yield Sample((draw(given),), {"shape": wanted})
    yield Sample((draw((2, 0, 5)),), {"shape": (0, -1, 5)})


@reshape.value
def _(tensor: Array, shape: Shape) -> Any:
    return np.reshape(tensor, (0, 2, 5) if shape == (0, -1, 5) else shape)


@reshape.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for shape in [(4,), (5, 2), (-1, -1), (-2, 3), (-1, 4), (2, 3, 0), (0, -1), (2**40, 2**40), (7, -1), ()]:
        yield BadInput("the number of elements must not change", (x,), {"shape": shape})
    yield BadInput("sizes are integers", (x,), {"shape": (2.0, 3)})
    yield BadInput("a shape has one axis", (x,), {"shape": [[2, 3]]})
    yield BadInput("sizes are known", (x,), {"shape": (None, 3)}, TypeError)


# --- broadcast_to and its transpose ------------------------------------------------------------------------------------


def _broadcast_to(input: Any, shape: tuple[int, ...]) -> Array:
    if isinstance(input, np.generic) and input.dtype.kind in "biufc":
        # The cotangent of a sum over all axes comes here: np.broadcast_to takes eight times as long. (Scalars are read-only.)
        if -1 in shape:  # (of which it would make an array beyond its memory; it refuses other negative sizes)
            raise ValueError("a size cannot be negative")
        return np.ndarray(shape, input.dtype, input, strides=(0,) * len(shape))
    return np.broadcast_to(input, shape)


@op(eager=_broadcast_to, dtypes=ANY, on_sizes=True)
def broadcast_to(xp: Namespace, input: Array, *, shape: tuple[int, ...]) -> Any:
    """The tensor repeated to fill a larger shape, by NumPy's broadcasting rule.

    >>> import gradtape as tf
    >>> tf.broadcast_to([1, 2], [2, 2]).numpy()
    array([[1, 2],
           [1, 2]], dtype=int32)

    Args:
        input: A tensor of any type, or what becomes one, such as a list.
        shape: The sizes of the result. Counted from the last axis, each size of `input` must be equal to it, or 1.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of that shape. Its derivative sums over the copies.

    Raises:
        tf.errors.InvalidArgumentError: A size of `input` is neither 1 nor that of `shape`.
    """
    return xp.broadcast_to(input, shape)


@broadcast_to.shapes
def _(input: Abstract, *, shape: Any) -> Shape:
    return None if shape is UNKNOWN else broadcast_to_sizes(input.known, tuple(shape))


@broadcast_to.vjp("input")
def _(g: Cotangent, input_shape: tuple[int, ...]) -> Any:
    return sum_to_shape(g, shape=input_shape)


broadcast_to.linear("input")


@broadcast_to.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    (x,) = args
    shape = attributes["shape"]
    size, *rest = shape_of(x)
    x = reshape(x, shape=(size, *(1,) * (len(shape) - len(rest)), *rest))
    return broadcast_to(x, shape=(size, *shape))


@broadcast_to.checks
def _(input: Array, shape: tuple[int, ...]) -> None:
    raise invalid(f"broadcast_to: a tensor of shape {input.shape} cannot be broadcast to {list(shape)}.")


@broadcast_to.samples
def _(draw: Draw) -> Iterator[Sample]:
    for given, wanted in [
        ((), (3,)), ((3,), (2, 3)), ((1, 3), (2, 3)), ((2, 1), (2, 4)), ((1,), (0,)), ((2, 3), (2, 3)), ((), ()), ((1, 1), (3, 2)),
        ((3, 1), (2, 3, 4)), ((1, 2, 1), (3, 2, 2)), ((0,), (2, 0)), ((1,), (5,)),
    ]:  # fmt: skip
        yield Sample((draw(given),), {"shape": wanted})


@broadcast_to.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for shape in [(3,), (2,), (3, 3), (2, 6), (), (-1, 3), (2, 3, 1), (4, 2), (0, 3), (2**40, 2**40)]:
        yield BadInput("the shapes do not broadcast", (x,), {"shape": shape})


def _sum_to_shape(x: Array, shape: tuple[int, ...]) -> Array:
    extra = x.ndim - len(shape)
    if extra > 0 and x.size and x.dtype.char in "fd" and x.flags.c_contiguous:
        # The common case: the gradient of a bias.
        x = sum_of_rows(x.reshape(math.prod(x.shape[:extra]), -1)).reshape(x.shape[extra:])
    elif extra > 1 and x.size and x.dtype.char in "fd":
        # Where axes were swapped, one axis after the other is eleven times faster than all at once.
        for _ in range(extra):
            x = np.add.reduce(x, 0)
    if x.shape != shape and shape[-1:] == (1,) and x.shape[:-1] == shape[:-1]:  # the gradient of a mean along rows
        total = along_rows("sum", x, -1, True)
        if total is not None:
            return total
    # (`x.sum` would do the same, and warn of overflow in NumPy's name.)
    extra = x.ndim - len(shape)
    if extra > 0:
        x = np.add.reduce(x, axis=tuple(range(extra)), dtype=x.dtype)
    axes = tuple(axis for axis, size in enumerate(shape) if size == 1 and x.ndim > axis and x.shape[axis] != 1)
    if axes:
        x = np.add.reduce(x, axis=axes, dtype=x.dtype, keepdims=True)
    return sum_to_shape.kernel(np, x, shape=shape)


@op(eager=_sum_to_shape, dtypes=NUMERIC)
def sum_to_shape(xp: Namespace, x: Array, *, shape: tuple[int, ...]) -> Any:
    """The transpose of broadcasting: sum over the axes along which `shape` was repeated to become `x.shape`."""
    if x.shape == shape:
        return x
    extra = x.ndim - len(shape)
    if extra > 0:
        x = x.sum(axis=tuple(range(extra)), dtype=x.dtype)
    axes = tuple(axis for axis, size in enumerate(shape) if size == 1 and x.shape[axis] != 1)
    x = x.sum(axis=axes, keepdims=True, dtype=x.dtype) if axes else x
    if x.shape != shape:
        raise ValueError(f"shape {shape} cannot have been broadcast to the operand's")
    return x


@sum_to_shape.shapes
def _(x: Abstract, *, shape: Any) -> Shape:
    if shape is UNKNOWN:
        return None
    broadcast_to_sizes(tuple(shape), x.known)
    return tuple(shape)


@sum_to_shape.vjp("x")
def _(g: Cotangent, x_shape: tuple[int, ...]) -> Any:
    return broadcast_to(g, shape=x_shape)


sum_to_shape.linear("x")


@sum_to_shape.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    (x,) = args
    shape = attributes["shape"]
    size, *rest = shape_of(x)
    aligned = sum_to_shape(x, shape=(size, *(1,) * (len(rest) - len(shape)), *shape))
    return reshape(aligned, shape=(size, *shape))


@sum_to_shape.samples
def _(draw: Draw) -> Iterator[Sample]:
    for given, wanted in [
        ((3,), ()), ((2, 3), (3,)), ((2, 3), (1, 3)), ((2, 4), (2, 1)), ((0,), (1,)), ((2, 3), (2, 3)), ((), ()), ((3, 2), (1, 1)),
        ((2, 3, 4), (3, 1)), ((3, 2, 2), (1, 2, 1)), ((2, 0), (0,)), ((5,), (1,)),
    ]:  # fmt: skip
        yield Sample((draw(given),), {"shape": wanted})


@sum_to_shape.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for shape in [(4,), (2,), (3, 3), (2, 3, 1), (5, 5, 5), (2, 4), (0,), (1, 2)]:
        yield BadInput("the shape must broadcast to the operand's", (x,), {"shape": shape})


# --- transpose -------------------------------------------------------------------------------------------------------


@op(dtypes=ANY, on_sizes=True, called="transpose")
def permute(xp: Namespace, a: Array, *, perm: tuple[int, ...]) -> Any:
    """The axes in another order."""
    return a.transpose(perm)


@permute.shapes
def _(a: Abstract, *, perm: Any) -> Shape:
    if perm is UNKNOWN:
        return unknown_rest(a.known)
    if a.rank is not None and len(perm) != a.rank:
        raise ValueError(f"{len(perm)} axes are named, there are {a.rank}")
    if a.rank is None or not is_known(perm):
        return (UNKNOWN,) * len(perm)
    return tuple([a.shape[axis] for axis in places(tuple(perm), len(perm))])


@permute.vjp("a")
def _(g: Cotangent, a_shape: tuple[int, ...], perm: tuple[int, ...]) -> Any:
    if not is_known(perm):
        return of_shape(permute_back(g, perm=perm), a_shape, perm)
    return permute(g, perm=tuple(np.argsort(perm).tolist()))


permute.linear("a")


@permute.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    rank = rank_of(args[0]) - 1
    return permute(args[0], perm=(0, *(p % rank + 1 for p in attributes["perm"])))


@permute.checks
def _(a: Array, perm: tuple[int, ...]) -> None:
    raise invalid(
        f"transpose: perm {list(perm)} is not a permutation of the {a.ndim} axes of a tensor of shape {a.shape}."
    )


@op(dtypes=ANY)
def permute_back(xp: Namespace, a: Array, *, perm: tuple[int, ...]) -> Any:
    """The axes where `permute` took them from: for an order that only running shows."""
    order = [axis + a.ndim if axis < 0 else axis for axis in perm]
    if sorted(order) != list(range(a.ndim)):
        raise ValueError("no permutation of the axes")
    return a.transpose(tuple(np.argsort(order).tolist()))


@permute_back.shapes
def _(a: Abstract, *, perm: Any) -> Shape:
    if perm is UNKNOWN:
        return unknown_rest(a.known)
    if a.rank is not None and len(perm) != a.rank:
        raise ValueError(f"{len(perm)} axes are named, there are {a.rank}")
    if a.rank is None or not is_known(perm):
        return (UNKNOWN,) * len(perm)
    order = places(tuple(perm), len(perm))
    return tuple([a.shape[order.index(axis)] for axis in range(len(order))])


@permute_back.vjp("a")
def _(g: Cotangent, a_shape: tuple[int, ...], perm: tuple[int, ...]) -> Any:
    return of_shape(permute(g, perm=perm), a_shape, perm)


permute_back.linear("a")


@permute_back.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    rank = rank_of(args[0]) - 1
    return permute_back(args[0], perm=(0, *(p % rank + 1 for p in attributes["perm"])))


@permute_back.checks
def _(a: Array, perm: tuple[int, ...]) -> None:
    raise invalid(
        f"transpose: perm {list(perm)} is not a permutation of the {a.ndim} axes of a tensor of shape {a.shape}."
    )


for _op in (permute, permute_back):

    @_op.samples
    def _(draw: Draw) -> Iterator[Sample]:
        for shape, perm in [
            ((2, 3), (1, 0)), ((2, 3, 4), (2, 0, 1)), ((2, 3, 4), (0, 2, 1)), ((), ()), ((3,), (0,)), ((0, 2), (1, 0)), ((2, 1, 3), (1, 0, 2)),
            ((2, 3, 1, 2), (3, 1, 0, 2)), ((1, 1), (1, 0)), ((2, 2, 2), (1, 2, 0)), ((3, 2), (0, 1)), ((4, 1, 2), (2, 1, 0)),
        ]:  # fmt: skip
            yield Sample((draw(shape),), {"perm": perm})

    @_op.rejects
    def _() -> Iterator[BadInput]:
        x = np.ones((2, 3), np.float32)
        for perm in [(0,), (0, 0), (0, 2), (1, 0, 2), (), (-3, 0), (5, 6), (1, 1), (0, 1, 1), (2, 1)]:
            yield BadInput("perm is a permutation of the axes", (x,), {"perm": perm})


def of_shape(cotangent: Any, shape: tuple[int, ...], attribute: Any) -> Any:
    """A cotangent with the shape of the value that it belongs to, which an attribute that only running shows does not tell."""
    if all(is_known(part if isinstance(part, (tuple, list)) else (part,)) for part in attribute):
        return cotangent
    return reshape(cotangent, shape=tuple(shape))


# --- expand_dims, squeeze --------------------------------------------------------------------------------------------


@op(dtypes=ANY, on_sizes=True)
def expand_dims(xp: Namespace, input: Array, *, axis: int) -> Any:
    """The tensor with a new axis of size one.

    >>> import gradtape as tf
    >>> tf.expand_dims(tf.ones([2, 3]), -1).shape
    TensorShape([2, 3, 1])
    """
    return xp.expand_dims(input, axis)


@expand_dims.shapes
def _(input: Abstract, *, axis: Any) -> Shape:
    return (UNKNOWN,) * (input.ndim + 1) if axis is UNKNOWN else inserted(input.shape, axis, 1)


@expand_dims.vjp("input")
def _(g: Cotangent, input_shape: tuple[int, ...]) -> Any:
    return reshape(g, shape=input_shape)


expand_dims.linear("input")


@expand_dims.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    return expand_dims(args[0], axis=negative_axis(attributes["axis"], rank_of(args[0])))


@expand_dims.checks
def _(input: Array, axis: Axis) -> None:
    raise invalid(
        f"expand_dims: axis must be one integer from {-input.ndim - 1} to {input.ndim} for a tensor of shape "
        f"{input.shape}, got {axis}."
    )


@expand_dims.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, axis in [
        ((), 0), ((), -1), ((3,), 0), ((3,), 1), ((3,), -1), ((3,), -2), ((2, 3), 1), ((2, 3), 2), ((0,), 0), ((2, 0), -1), ((2, 3), -3),
        ((1,), 0),
    ]:  # fmt: skip
        yield Sample((draw(shape),), {"axis": axis})


@expand_dims.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for axis in [3, -4, 10, 2**40, (0, 0), (0, 9), -(2**40), None, (5,), 4]:
        yield BadInput("the axis must exist", (x,), {"axis": axis})


@op(dtypes=ANY, on_sizes=True)
def squeeze(xp: Namespace, input: Array, *, axis: Any = None) -> Any:
    """The tensor without its axes of size one, or without those named in `axis`."""
    return xp.squeeze(input, axis=axis if axis != () else None)


@squeeze.shapes
def _(input: Abstract, *, axis: Any) -> Shape:
    if axis is None or axis == ():
        return tuple([size for size in input.shape if size != 1])  # undecided where a size may be 1 or not
    gone = places(axis, input.ndim)
    for a in gone:
        matched(input.shape[a], 1, f"axis {a} is not of size one:")
    return tuple([size for a, size in enumerate(input.shape) if a not in gone])


@squeeze.vjp("input")
def _(g: Cotangent, input_shape: tuple[int, ...]) -> Any:
    return reshape(g, shape=input_shape)


squeeze.linear("input")


@squeeze.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    (x,) = args
    axis = attributes["axis"]
    rank = rank_of(x) - 1
    if axis is None or axis == ():
        axis = tuple(a for a, size in enumerate(shape_of(x)[1:]) if size == 1)
        if not axis:
            return x
    return squeeze(x, axis=negative_axis(axis, rank))


@squeeze.checks
def _(input: Array, axis: Axis) -> None:
    for a in axis if isinstance(axis, tuple) else (axis,):
        if a is not None and -input.ndim <= a < input.ndim and input.shape[a] != 1:
            size = input.shape[a]
            raise invalid(
                f"squeeze: Can not squeeze dim[{a}], expected a dimension of 1, got {size}: the shape is {input.shape}."
            )
    raise invalid(f"squeeze: axis {axis} must name axes of size one; the tensor has shape {input.shape}.")


@squeeze.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, axis in [
        ((1, 3), 0), ((1, 3), None), ((3, 1), -1), ((1, 1), None), ((1, 2, 1), (0, 2)), ((1, 2, 1), -3), ((), None), ((2, 3), None),
        ((1, 0), 0), ((1, 1, 1), (0, 1)), ((2, 1, 3, 1), 3), ((1,), 0),
    ]:  # fmt: skip
        yield Sample((draw(shape),), {"axis": axis})


@squeeze.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 1, 3), np.float32)
    for axis in [0, 2, 3, -4, (0, 1), (1, 1), -1, 7, (5,), 2**40]:
        yield BadInput("only axes of size one can go", (x,), {"axis": axis})


# --- concat, stack, split, unstack -----------------------------------------------------------------------------------


@op(eager=np.concatenate, dtypes=ANY, variadic=True, tf_name="ConcatV2", on_sizes=True)
def concat(xp: Namespace, values: Sequence[Array], *, axis: int) -> Any:
    """The tensors one after the other along an existing axis.

    >>> import gradtape as tf
    >>> tf.concat([tf.ones([2, 1]), tf.zeros([2, 2])], axis=1).shape
    TensorShape([2, 3])
    """
    return xp.concatenate(values, axis=axis)


@concat.shapes
def _(values: list[Abstract], *, axis: Any) -> Shape:
    known = [value.shape for value in values if value.rank is not None]
    if not known:
        return None
    if axis is UNKNOWN:
        return (UNKNOWN,) * len(known[0])
    at = place(axis, len(known[0]))
    total: Any = 0 if len(known) == len(values) else UNKNOWN
    others = replaced(known[0], at)
    for shape in known:
        others = matched_sizes(others, replaced(shape, at), "the other sizes,")
        total = total + shape[at]
    return inserted(others, at, total)


@concat.vjp("values")
def _(g: Cotangent, values_shape: tuple[tuple[int, ...], ...], axis: int) -> Any:
    return split_sizes(g, sizes=tuple(shape[axis] for shape in values_shape), axis=axis)


concat.linear("values")


@concat.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
    _, data = all_batched(is_batched, args[0])
    return concat(data, axis=negative_axis(attributes["axis"], rank_of(data[0]) - 1))


@concat.checks
def _(values: list[Array], axis: Axis) -> None:
    shapes = [v.shape for v in values]
    if any(len(s) != len(shapes[0]) for s in shapes) or not shapes[0]:
        raise invalid(f"concat: all tensors need the same rank, at least 1; got shapes {shapes}.")
    if not isinstance(axis, int) or not -len(shapes[0]) <= axis < len(shapes[0]):
        raise invalid(f"concat: axis {axis} does not exist in tensors of shape {shapes[0]}.")
    raise invalid(f"concat: all sizes but that of axis {axis} must agree, got shapes {shapes}.")


@concat.samples
def _(draw: Draw) -> Iterator[Sample]:
    cases: list[tuple[list[tuple[int, ...]], int]] = [
        ([(2,), (3,)], 0), ([(2, 3), (2, 1)], 1), ([(2, 3), (4, 3)], 0), ([(2, 3)], -1), ([(0,), (2,)], 0), ([(2, 0), (2, 2)], 1),
        ([(1, 2, 3), (2, 2, 3)], 0), ([(1, 2, 3), (1, 1, 3)], -2), ([(2,), (2,), (2,)], 0), ([(1, 1), (1, 1)], -1), ([(3, 2), (3, 2)], -2),
        ([(0,), (0,)], 0),
    ]  # fmt: skip
    for shapes, axis in cases:
        yield Sample(([draw(shape) for shape in shapes],), {"axis": axis})


@concat.rejects
def _() -> Iterator[BadInput]:
    x, y, z = np.ones((2, 3), np.float32), np.ones((2, 4), np.float32), np.ones(2, np.float32)
    yield BadInput("sizes differ", ([x, y],), {"axis": 0})
    for axis in [2, -3, 9, 2**40]:
        yield BadInput("the axis must exist", ([x, x],), {"axis": axis})
    for values in ([x, z], [z, x], [x[0, 0], x[0, 0]], [x, x[:, :2], y], [z, z[:1].reshape(1, 1)]):
        yield BadInput("ranks and sizes must agree", (values,), {"axis": 0})
    yield BadInput("types never mix", ([x, x.astype(np.float64)],), {"axis": 0})


@op(dtypes=ANY, variadic=True, tf_name="Pack", on_sizes=True)
def stack(xp: Namespace, values: Sequence[Array], *, axis: int = 0) -> Any:
    """The tensors, all of one shape, along a new axis.

    >>> import gradtape as tf
    >>> tf.stack([1, 2, 3])
    <tf.Tensor: shape=(3,), dtype=int32, numpy=array([1, 2, 3], dtype=int32)>
    """
    return xp.stack(values, axis=axis)


@stack.shapes
def _(values: list[Abstract], *, axis: Any) -> Shape:
    shape = functools.reduce(equal_shapes, values).shape
    return (UNKNOWN,) * (len(shape) + 1) if axis is UNKNOWN else inserted(shape, axis, len(values))


@stack.vjp("values")
def _(g: Cotangent, axis: int) -> Any:
    return unpack(g, axis=axis)


stack.linear("values")


@stack.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
    _, data = all_batched(is_batched, args[0])
    return stack(data, axis=negative_axis(attributes["axis"], rank_of(data[0])))


@stack.checks
def _(values: list[Array], axis: Axis) -> None:
    shapes = [np.shape(v) for v in values]
    if any(s != shapes[0] for s in shapes):
        raise invalid(f"stack: Shapes of all inputs must match, got {shapes}.")
    rank = len(shapes[0]) + 1
    message = f"stack: Argument `axis` = {axis} not in range [{-rank}, {rank}): it is one integer."
    raise ArgumentValueError(None, None, message)


@stack.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, count, axis in [
        ((), 3, 0), ((2,), 2, 0), ((2,), 2, 1), ((2, 3), 2, -1), ((2, 3), 1, 1), ((0,), 2, 0), ((2, 0), 3, 2), ((1,), 1, -2), ((2, 3), 3, -3),
        ((2, 2), 4, 0), ((), 1, -1), ((3,), 5, 1),
    ]:  # fmt: skip
        yield Sample(([draw(shape) for _ in range(count)],), {"axis": axis})


@stack.rejects
def _() -> Iterator[BadInput]:
    x, y = np.ones((2, 3), np.float32), np.ones((2, 4), np.float32)
    for values in ([x, y], [x, x[0]], [x[0, 0], x], [y, x, x], [x, x.T]):
        yield BadInput("shapes must be equal", (values,))
    for axis in [3, -4, 2**40, -(2**40)]:
        yield BadInput("the axis must exist", ([x, x],), {"axis": axis})
    yield BadInput("types never mix", ([x, x.astype(np.float64)],))


def _pieces(value: Array, sizes: tuple[int, ...], axis: int) -> list[Array]:
    """Slices, not np.split: that takes 10 us before it looks at the data."""
    if -1 in sizes and axis.__class__ is int and -value.ndim <= axis < value.ndim:  # (a size that only running showed)
        rest = value.shape[axis] - sum(sizes) - 1
        sizes = tuple([rest if size == -1 else size for size in sizes])
    if not -value.ndim <= axis < value.ndim or sum(sizes) != value.shape[axis] or min(sizes, default=0) < 0:
        raise ValueError("bad sizes")
    before = (slice(None),) * (axis % value.ndim)
    pieces, start = [], 0
    for size in sizes:
        pieces.append(value[(*before, slice(start, start + size))])
        start += size
    return pieces


@op(eager=_pieces, dtypes=ANY, outputs=None, tf_name="SplitV", on_sizes=True, called="split")
def split_sizes(xp: Namespace, value: Array, *, sizes: tuple[int, ...], axis: int) -> Any:
    """Pieces of the given sizes along one axis."""
    return xp.split(value, np.cumsum(sizes[:-1]).tolist(), axis=axis)


@split_sizes.shapes
def _(value: Abstract, *, sizes: Any, axis: Any) -> list[Shape]:
    if value.rank is None or axis is UNKNOWN:
        return [unknown_rest(value.known)] * len(sizes)
    at = place(axis, value.ndim)
    matched(value.shape[at], sum(sizes), "the size and the sum of the pieces,")
    return [replaced(value.shape, at, size) for size in sizes]


@split_sizes.vjp("value")
def _(g: Cotangent, value_shape: tuple[int, ...], sizes: tuple[int, ...], axis: int) -> Any:
    return of_shape(concat(g, axis=axis), value_shape, sizes)


split_sizes.linear("value")


@split_sizes.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    axis = negative_axis(attributes["axis"], rank_of(args[0]) - 1)
    return split_sizes(args[0], sizes=attributes["sizes"], axis=axis)


@split_sizes.checks
def _(value: Array, sizes: tuple[int, ...], axis: Axis) -> None:
    if not isinstance(axis, int) or not -value.ndim <= axis < value.ndim:
        raise invalid(f"split: axis {axis} does not exist in a tensor of shape {value.shape}.")
    for number, size in enumerate(sizes):
        if size < 0:
            raise invalid(f"split: Split size at index {number} must be >= 0. Got: {size}")
    raise invalid(
        f"split: Determined shape must either match input shape along axis {axis} exactly if fully specified, or be less than its "
        f"size if not: sizes {list(sizes)} must add up to {value.shape[axis]}."
    )


@split_sizes.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, sizes, axis in [
        ((4,), (2, 2), 0), ((5,), (2, 3), 0), ((2, 6), (1, 2, 3), 1), ((2, 6), (6,), -1), ((3, 0), (0, 0), 1), ((4, 2), (0, 4), 0),
        ((2, 3, 4), (1, 3), 2), ((2, 3, 4), (1, 2), -2), ((1,), (1,), 0), ((6, 1), (3, 3), -2), ((3,), (1, 1, 1), -1), ((0,), (0,), 0),
    ]:  # fmt: skip
        yield Sample((draw(shape),), {"sizes": sizes, "axis": axis})


@split_sizes.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((4, 3), np.float32)
    for sizes, axis in [
        ((1, 2), 0), ((5,), 0), ((-1, 5), 0), ((), 0), ((2, 2), 1), ((4,), 2), ((4,), -3), ((2, 2, 1), 0), ((3, 0, -3), 1), ((4, 4), 0),
    ]:  # fmt: skip
        yield BadInput("sizes add up to the size of the axis", (x,), {"sizes": sizes, "axis": axis})


@op(dtypes=ANY, outputs=None, tf_name="Unpack", on_sizes=True)
def unpack(xp: Namespace, value: Array, *, axis: int = 0) -> Any:
    """The slices along one axis, as a list of tensors without it."""
    moved = xp.moveaxis(value, axis, 0)
    return [moved[i] for i in range(moved.shape[0])]


@unpack.shapes
def _(value: Abstract, *, axis: Any) -> list[Shape]:
    rest = replaced(value.shape, axis)
    return [rest] * operator.index(value.shape[place(axis, value.ndim)])


@unpack.vjp("value")
def _(g: Cotangent, axis: int) -> Any:
    return stack(g, axis=axis)


unpack.linear("value")


@unpack.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    return unpack(args[0], axis=negative_axis(attributes["axis"], rank_of(args[0]) - 1))


@unpack.checks
def _(value: Array, axis: Axis) -> None:
    raise invalid(f"unstack: axis {axis} does not exist in a tensor of shape {value.shape}.")


@unpack.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, axis in [
        ((3,), 0), ((2, 3), 0), ((2, 3), 1), ((2, 3), -1), ((1, 2, 3), 2), ((1, 2, 3), -2), ((1,), 0), ((4, 0), 0), ((2, 2, 2), 1), ((3, 1), 1),
        ((2, 3), -2), ((5,), -1),
    ]:  # fmt: skip
        yield Sample((draw(shape),), {"axis": axis})


@unpack.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((4, 3), np.float32)
    for axis in [2, -3, 5, 2**40, -(2**40), 3, -9, 100]:
        yield BadInput("the axis must exist", (x,), {"axis": axis})
    yield BadInput("a scalar has no axis", (x[0, 0],), {"axis": 0})
    yield BadInput("a scalar has no axis", (x[0, 0],), {"axis": -1})
