"""Shape rules of whole families of ops (op/abstract.py defines rules): elementwise, reductions, slices, windows, matrices.

Sizes are ints or expressions (base/sizes.py). Functions that take and give plain shapes come first, the rules made of them
follow.
"""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..base.dtypes import Array
from ..base.sizes import UNKNOWN, Mismatch, Size, Sizes, Undecided, joined, larger, matched, same, smaller
from .abstract import Abstract, Shape

Rule = Callable[..., Any]


# --- shapes from shapes ------------------------------------------------------------------------------------------------


def broadcast_sizes(*shapes: Shape) -> Shape:
    """The common shape of operands that broadcast."""
    known = [shape for shape in shapes if shape is not None]
    if len(known) != len(shapes):
        return None
    result: list[Any] = [1] * max(map(len, known), default=0)
    for shape in known:
        for position, size in enumerate(shape, len(result) - len(shape)):
            result[position] = joined(result[position], size)
    return tuple(result)


def place(axis: Any, rank: int) -> int:
    """An axis counted from the front; an error if it does not exist."""
    number = operator.index(axis)
    if not -rank <= number < rank:
        raise ValueError(f"axis {number} is out of range for {rank} axes")
    return number % rank


def places(axis: object, rank: int) -> list[int]:
    """One axis or several, or all for None, counted from the front."""
    if axis is None:
        return list(range(rank))
    found = [place(a, rank) for a in (axis if isinstance(axis, (tuple, list)) else (axis,))]
    if len(set(found)) != len(found):
        raise ValueError(f"an axis is named twice in {axis}")
    return found


def reduced_sizes(shape: Sizes, axis: Any, keepdims: Any) -> Shape:
    """What is left of a shape when some axes are summed over."""
    if axis is UNKNOWN:
        return (UNKNOWN,) * len(shape) if keepdims is True else None
    if isinstance(axis, (tuple, list)) and any(isinstance(a, Size) for a in axis):
        return (UNKNOWN,) * (len(shape) if keepdims else max(len(shape) - len(axis), 0))
    gone = places(axis, len(shape))
    if keepdims:
        return tuple([1 if a in gone else size for a, size in enumerate(shape)])
    return tuple([size for a, size in enumerate(shape) if a not in gone])


def replaced(shape: Sizes, axis: Any, *sizes: Any) -> Sizes:
    """The shape with other sizes, any number of them, in place of one."""
    at = place(axis, len(shape))
    return (*shape[:at], *sizes, *shape[at + 1 :])


def inserted(shape: Sizes, axis: Any, size: Any) -> Sizes:
    """The shape with one more axis."""
    at = place(axis, len(shape) + 1)
    return (*shape[:at], size, *shape[at:])


def matched_sizes(first: Sizes, second: Sizes, what: str = "shapes") -> Sizes:
    """One shape from two that must be equal."""
    if len(first) != len(second) or any(same(a, b) is False for a, b in zip(first, second, strict=True)):
        raise Mismatch(f"{what} {first} and {second} differ")
    return tuple([matched(a, b) for a, b in zip(first, second, strict=True)])


def broadcast_to_sizes(shape: Shape, target: Shape) -> Shape:
    """The target, to which an operand of the shape must broadcast."""
    if shape is None or target is None:
        return target
    if len(shape) > len(target):
        raise Mismatch(f"shape {shape} does not broadcast to {target}")
    found = list(target)
    for axis, own in enumerate(reversed(shape), 1):
        if same(own, 1) is False:
            found[-axis] = matched(own, target[-axis], "sizes that must broadcast,")
    return tuple(found)


def equal_shapes(first: Abstract, second: Abstract) -> Abstract:
    """The first of two operands that must have one shape, with what is known of both."""
    if first.rank is None or second.rank is None:
        return Abstract(second.known if first.rank is None else first.known, first.dtype)
    return Abstract(matched_sizes(first.shape, second.shape), first.dtype)


def natural(size: object) -> Any:
    """A size that an attribute gives: it cannot be negative."""
    if size.__class__ is int and size < 0:
        raise ValueError(f"a size cannot be negative, got {size}")
    return size


def axis_exists(axis: object, rank: int) -> None:
    """Raise if the axis does not exist; do nothing if the axis is not known yet."""
    with contextlib.suppress(Undecided):
        place(axis, rank)


def unknown_rest(shape: Shape) -> Shape:
    """A shape of the same rank with unknown sizes."""
    return None if shape is None else (UNKNOWN,) * len(shape)


def ceiling(size: Any, divisor: Any) -> Any:
    """The quotient, rounded up."""
    return (size + divisor - 1) // divisor


def sliced(size: Any, key: slice) -> Any:
    """How many elements a slice takes of an axis of this size."""
    start, stop, step = key.start, key.stop, 1 if key.step is None else key.step
    if any(part is UNKNOWN for part in (start, stop, step)) or step.__class__ is not int:
        return UNKNOWN
    if size.__class__ is int and not isinstance(start, Size) and not isinstance(stop, Size):
        return len(range(size)[key])
    if step == 0:
        raise ValueError("the step of a slice must not be zero")
    try:
        if step > 0:
            return ceiling(_stretch(size, 0 if start is None else start, stop), step)
        first = size - 1 if start is None else _from_end(size, start)
        return larger(ceiling(first - (-1 if stop is None else _from_end(size, stop)), -step), 0)
    except Undecided:
        return UNKNOWN


def _stretch(size: Any, start: Any, stop: Any) -> Any:
    """The length of [start:stop] on an axis of this size, in its simplest form."""
    if start >= 0:
        if stop is None:
            return larger(size - start, 0)
        if stop < 0:
            return larger(size + stop - start, 0)
        if stop <= start:
            return 0
        return smaller(size, stop) - smaller(size, start)
    if stop is None:
        return smaller(size, -start)
    end = smaller(size, stop) if stop >= 0 else larger(size + stop, 0)
    return larger(end - larger(size + start, 0), 0)


def _from_end(size: Any, at: Any) -> Any:
    """Where a slice that runs backwards begins or ends."""
    return smaller(at, size - 1) if at >= 0 else larger(size + at, -1)


def indexed(shape: Sizes, key: Any) -> Sizes:
    """The shape of x[key], for integers, slices, None and Ellipsis."""
    used = sum(1 for k in key if k is not None and k is not Ellipsis)
    if used > len(shape):
        raise ValueError(f"{used} indices for a tensor of shape {shape}")
    result: list[Any] = []
    axis = 0
    for k in key:
        if k is None:
            result.append(1)
        elif k is Ellipsis:
            width = len(shape) - used
            result += shape[axis : axis + width]
            axis += width
        elif isinstance(k, slice):
            result.append(sliced(shape[axis], k))
            axis += 1
        else:
            if k.__class__ is int and shape[axis].__class__ is int and not -shape[axis] <= k < shape[axis]:
                raise IndexError(f"index {k} of dimension {axis} out of bounds: it has size {shape[axis]}")
            axis += 1
    return (*result, *shape[axis:])


def divided(size: Any, by: Any) -> Any:
    """The quotient of a size that must be divisible."""
    if same(size % by, 0) is False:
        raise Mismatch(f"{by} does not divide {size}")
    return size // by


def padded_sizes(x: Abstract, paddings: Any, sign: int = 1) -> Shape:
    """Sizes with the amounts before and after added, or subtracted."""
    if paddings is UNKNOWN:
        return unknown_rest(x.known)
    shape = x.of_rank(len(paddings))
    result = tuple(
        [
            size + sign * (natural(before) + natural(after))
            for size, (before, after) in zip(shape, paddings, strict=True)
        ]
    )
    if any(size.__class__ is int and size < 0 for size in result):
        raise ValueError("more is cut off than there is")
    return result


# --- rules -------------------------------------------------------------------------------------------------------------


def broadcasted(*operands: Any, **_: object) -> Shape:
    """Elementwise: the common shape of the operands."""
    if len(operands) == 1:
        shape: Shape = operands[0].known
        return shape
    return broadcast_sizes(*[operand.known for operand in operands if operand is not None])


def like(position: int) -> Rule:
    """The results have the shape of one of the operands."""
    return lambda *operands, **_: operands[position].known


def along(x: Abstract, *_: object, axis: object = None, axes: object = None, **__: object) -> Shape:
    """The results have the shape of the first operand, and the axes along which they are computed must exist."""
    if x.rank is not None:
        with contextlib.suppress(Undecided):
            places(axes if axis is None else axis, x.rank)
    return x.known


def fixed(*sizes: object) -> Rule:
    """The results have one shape, whatever is given."""
    return lambda *operands, **_: sizes


def shaped_by(name: str) -> Rule:
    """The results have the shape that an attribute gives."""

    def rule(*operands: Any, **attributes: Any) -> Shape:
        return None if attributes[name] is UNKNOWN else tuple(attributes[name])

    return rule


def reduced(x: Abstract, *_: object, axis: object = None, keepdims: object = False, **__: object) -> Shape:
    """Reductions over some axes of the first operand."""
    if x.known is None and axis is None and keepdims is False:
        return ()
    return reduced_sizes(x.shape, axis, keepdims)


def without_last(count: int = 1) -> Rule:
    """The shape of the first operand without its last axes."""

    def rule(x: Abstract, *_: object, **__: object) -> Sizes:
        if len(x.shape) < count:
            raise ValueError(f"at least {count} axes are needed, got shape {x.shape}")
        return x.shape[: len(x.shape) - count]

    return rule


def square(x: Abstract) -> tuple[Sizes, Any]:
    """Leading axes and size of square matrices in the last two."""
    if len(x.shape) < 2:
        raise ValueError(f"matrices are needed, got shape {x.shape}")
    return x.shape[:-2], matched(x.shape[-2], x.shape[-1], "the sizes of a square matrix,")


def square_like(x: Abstract, **_: object) -> Sizes:
    """Functions of square matrices that give matrices."""
    lead, size = square(x)
    return (*lead, size, size)


def square_to_vector(x: Abstract, **_: object) -> Sizes:
    """Functions of square matrices that give a number for each row."""
    lead, size = square(x)
    return (*lead, size)


def square_to_number(x: Abstract, **_: object) -> Sizes:
    """Functions of square matrices that give a number."""
    return square(x)[0]


def solved(matrix: Abstract, rhs: Abstract, **_: object) -> Shape:
    """Systems of equations: leading axes broadcast."""
    lead, size = square(matrix)
    if len(rhs.shape) < 2:
        raise ValueError(f"rhs must be matrices, got shape {rhs.shape}")
    front = broadcast_sizes(lead, rhs.shape[:-2])
    return None if front is None else (*front, matched(size, rhs.shape[-2], "rows"), rhs.shape[-1])


# --- types -------------------------------------------------------------------------------------------------------------


def typed_by(*names: str | None) -> Rule:
    """These attributes give the types of the results; None for a result of the operands' type."""

    def rule(*_: Array, **attributes: Any) -> list[Any]:
        return [None if name is None else np.dtype(attributes[name]) for name in names]

    return rule


def real_type(x: Abstract, *_: object, **__: object) -> Any:
    """The type of the parts of complex numbers; real numbers keep theirs."""
    return np.empty(0, x.dtype).real.dtype


def complex_type(x: Abstract, *_: object, **__: object) -> Any:
    """The complex type of that precision."""
    return np.result_type(x.dtype, np.complex64)
