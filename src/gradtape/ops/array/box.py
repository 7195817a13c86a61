"""A box in a tensor, whose place and size only running shows: `tf.slice` with tensors. Its transpose puts a box into zeros."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.dtypes import ANY, NUMERIC, Array
from ...base.errors import invalid
from ...base.sizes import UNKNOWN, same
from ...base.types import Cotangent, Draw, Namespace, Value
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ...op.shapes import natural

Numbers = tuple[int, ...]


def box_sizes(shape: Any, begin: Any, size: Any) -> Shape:
    """The shape of a box, as far as its size is known; -1 goes to the end."""
    rank = next((len(part) for part in (shape, begin, size) if part is not None and part is not UNKNOWN), None)
    if rank is None:
        return None
    given = [(UNKNOWN,) * rank if part is None or part is UNKNOWN else part for part in (shape, begin, size)]
    found = []
    for length, start, count in zip(*given, strict=True):
        rest = same(count, -1)
        found.append(count if rest is False else length - start if rest else UNKNOWN)
    return tuple(found)


def key_of(shape: Numbers, begin: Numbers, size: Numbers) -> tuple[builtins.slice, ...]:
    """The box as a key; raises where it does not lie inside of this shape."""
    if len(begin) != len(shape) or len(size) != len(shape):
        raise invalid(
            f"slice: begin and size need {len(shape)} numbers for a tensor of shape {list(shape)}, got {list(begin)}, {list(size)}."
        )
    key = []
    for axis, (length, start, count) in enumerate(zip(shape, begin, size, strict=True)):
        stop = length if count == -1 else start + count
        if not 0 <= start <= length or count < -1 or stop > length:
            raise invalid(f"slice: begin {start} and size {count} leave axis {axis} of size {length}.")
        key.append(builtins.slice(start, stop))
    return tuple(key)


@op(dtypes=ANY, called="slice")
def box(xp: Namespace, input: Array, *, begin: Numbers, size: Numbers) -> Any:
    """The box that begins at `begin` and has `size`."""
    return input[key_of(input.shape, begin, size)]


@box.shapes
def _(input: Abstract, *, begin: Any, size: Any) -> Shape:
    return box_sizes(input.known, begin, size)


@box.vjp("input")
def _(g: Cotangent, input_shape: Numbers, begin: Numbers) -> Any:
    return put_box(g, begin=begin, sizes=input_shape)


box.linear("input")


@box.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    return box(args[0], begin=(0, *attributes["begin"]), size=(-1, *attributes["size"]))


@op(dtypes=NUMERIC)
def put_box(xp: Namespace, input: Array, *, begin: Numbers, sizes: Numbers) -> Any:
    """Zeros of these sizes, with a box in them that begins at `begin`."""
    key = key_of(tuple(sizes), begin, np.shape(input))
    result = np.zeros(sizes, input.dtype)
    result[key] = input
    return result


@put_box.shapes
def _(input: Abstract, *, begin: Any, sizes: Any) -> Shape:
    return tuple([natural(size) for size in sizes])


@put_box.vjp("input")
def _(g: Cotangent, input_shape: Numbers, begin: Numbers) -> Any:
    return box(g, begin=begin, size=input_shape)


put_box.linear("input")
put_box.host_only("it is made where sizes are known only when the program runs")


@put_box.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    (input,) = args
    count = input._array.shape[0] if hasattr(input, "_array") else input.shape[0]
    return put_box(input, begin=(0, *attributes["begin"]), sizes=(count, *attributes["sizes"]))


_BOXES: list[tuple[Numbers, Numbers, Numbers]] = [
    ((4,), (1,), (2,)), ((4,), (0,), (4,)), ((2, 3), (0, 1), (2, 2)), ((2, 3), (1, 0), (1, 3)), ((2, 3, 4), (0, 1, 2), (2, 1, 2)), ((), (), ()),
    ((0, 2), (0, 1), (0, 1)), ((3, 3), (2, 2), (1, 1)), ((5,), (5,), (0,)), ((1, 4), (0, 3), (1, 1)), ((3, 1), (1, 0), (2, 1)), ((2, 2), (0, 0), (1, 1)),
]  # fmt: skip


@box.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, begin, size in _BOXES:
        yield Sample((draw(shape),), {"begin": begin, "size": size})
    yield Sample((draw((3, 4)),), {"begin": (1, 2), "size": (-1, -1)})


@put_box.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, begin, size in _BOXES:
        yield Sample((draw(size),), {"begin": begin, "sizes": shape})


_WRONG = [
    ((1, 1), (2, 1)),
    ((-1, 0), (1, 1)),
    ((0,), (1,)),
    ((0, 0), (1, 4)),
    ((0, 0), (-2, 1)),
    ((3, 0), (0, 1)),
    ((0, 0, 0), (1, 1, 1)),
]


@box.rejects
def _() -> Iterator[BadInput]:
    for begin, size in _WRONG:
        yield BadInput("the box lies inside", (np.ones((2, 3), np.float32),), {"begin": begin, "size": size})


@put_box.rejects
def _() -> Iterator[BadInput]:
    for begin, sizes in [((1, 1), (2, 3)), ((-1, 0), (2, 3)), ((0,), (2,)), ((0, 0), (1, 4)), ((0, 0, 0), (2, 3, 1))]:
        yield BadInput("the box lies inside", (np.ones((2, 3), np.float32),), {"begin": begin, "sizes": sizes})
