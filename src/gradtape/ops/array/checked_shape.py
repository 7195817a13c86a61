"""A tensor with the shape that somebody says it has: checked when a compiled function runs, known to what comes after."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.dtypes import ANY, Array
from ...base.errors import invalid
from ...base.sizes import UNKNOWN, matched
from ...base.types import Cotangent, Draw, Namespace, Value
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op


def _check(x: Any, expected: tuple[int, ...]) -> Any:
    given = np.shape(x)
    if len(given) != len(expected) or any(n not in (-1, size) for n, size in zip(expected, given, strict=True)):
        shown = ", ".join("None" if n < 0 else str(n) for n in expected)
        raise invalid(f"ensure_shape: shape of tensor {list(given)} is not compatible with expected shape [{shown}].")
    return x


@op(eager=_check, dtypes=ANY)
def checked_shape(xp: Namespace, x: Array, *, expected: tuple[int, ...]) -> Any:
    """x, which must have this shape, in which -1 stands for any size."""
    return _check(x, expected)


@checked_shape.shapes
def _(x: Abstract, *, expected: tuple[int, ...]) -> Shape:
    known = (UNKNOWN,) * len(expected) if x.known is None else x.known
    if len(known) != len(expected):
        raise ValueError(f"{len(expected)} axes are expected, got shape {known}")
    return tuple([size if n < 0 else matched(size, n) for size, n in zip(known, expected, strict=True)])


@checked_shape.vjp("x")
def _(g: Cotangent) -> Any:
    return g


checked_shape.linear("x")


@checked_shape.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    return checked_shape(args[0], expected=(-1, *attributes["expected"]))


@checked_shape.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in [(), (4,), (0,), (3, 2), (2, 0), (1, 2, 3), (5, 1), (2, 1, 1, 2)]:
        yield Sample((draw(shape),), {"expected": shape})
        if shape:
            yield Sample((draw(shape),), {"expected": (-1, *shape[1:])})


@checked_shape.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((3, 2), np.float32)
    for shape in [(3,), (3, 3), (-1, 3), (3, 2, 1), (), (-1,)]:
        yield BadInput("another shape", (x,), {"expected": shape})
