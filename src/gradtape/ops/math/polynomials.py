"""Polynomials, the powers that they are made of, and evenly spaced points."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.dtypes import INEXACT, NUMERIC, Array
from ...base.errors import invalid
from ...base.sizes import UNKNOWN
from ...base.types import Cotangent, Draw, Namespace, Tangent, Value
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import all_batched, as_array, batch_leading, numpy_type, rank_of, shape_of
from ...op.shapes import equal_shapes, inserted, natural
from ..array.gather import take
from ..array.layout import expand_dims, reshape
from ..linalg.products import conjugated
from .logic import zeros_like
from .reduce import reduce_sum

# --- polynomials --------------------------------------------------------------------------------------------


def _powers(x: Array, exponents: tuple[int, ...]) -> Array:
    if any(e < 0 for e in exponents):
        raise invalid(f"powers: exponents cannot be negative, got {list(exponents)}.")
    table = np.ones((*x.shape, max(exponents, default=0) + 1), x.dtype)
    if table.shape[-1] > 1:
        table[..., 1:] = x[..., None]
        np.multiply.accumulate(table, axis=-1, out=table)
    return table[..., list(exponents)] if exponents else table[..., :0]


@op(eager=_powers, dtypes=NUMERIC)
def powers(xp: Namespace, x: Array, *, exponents: tuple[int, ...]) -> Any:
    """Powers of x along a new last axis: the rows of a Vandermonde matrix."""
    return x[..., None] ** xp.asarray(exponents)


@powers.shapes
def _(x: Abstract, *, exponents: Any) -> Shape:
    return (*x.shape, UNKNOWN if exponents is UNKNOWN else len(exponents))


def _slopes(x: object, exponents: tuple[int, ...]) -> Any:
    lower = powers(x, exponents=tuple(max(e - 1, 0) for e in exponents))
    return lower * np.array(exponents, numpy_type(lower))


@powers.vjp("x")
def _(g: Cotangent, x: Value, exponents: tuple[int, ...]) -> Any:
    slopes = _slopes(x, exponents)
    return reduce_sum(g * conjugated(slopes), axis=-1, keepdims=False)


@powers.jvp("x")
def _(t: Tangent, x: Value, exponents: tuple[int, ...]) -> Any:
    return expand_dims(t, axis=rank_of(t)) * _slopes(x, exponents)


powers.batching = batch_leading


@powers.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, exponents in [
        ((), (0, 1, 2)), ((3,), (3, 2, 1, 0)), ((2, 3), (1,)), ((0,), (0, 1)), ((4,), ()), ((2,), (5, 0)), ((1,), (2,)), ((2, 1, 2), (0, 3)),
        ((3, 2), (4, 1)), ((5,), (0,)), ((2, 2), (1, 1)), ((3,), (2, 6)),
    ]:  # fmt: skip
        yield Sample((draw(shape, 0.3, 1.5),), {"exponents": exponents})


@powers.value
def _(x: Array, exponents: Array) -> Any:
    return np.array([x**e for e in exponents]).transpose(*range(1, np.ndim(x) + 1), 0) if exponents else (
        np.zeros((*np.shape(x), 0))
    )  # fmt: skip


@powers.rejects
def _() -> Iterator[BadInput]:
    for exponents in ((-1,), (0, -2), (3, -1), (-(2**40),)):
        yield BadInput("exponents that are not negative", (np.ones(3, np.float32),), {"exponents": exponents})


def _polyval(p: Array, x: Array) -> Array:
    if p.ndim != 1:
        raise invalid(f"polyval: the coefficients must be a vector, got shape {p.shape}.")
    result = np.zeros(x.shape, x.dtype)
    for coefficient in p:
        result = as_array(result * x + coefficient, x.dtype)
    return result


@op(eager=_polyval, dtypes=INEXACT)
def polyval(xp: Namespace, p: Array, x: Array) -> Any:
    """The polynomial with coefficients `p`, highest first, at x: Horner's rule in one op."""
    return xp.polyval(p, x)


@polyval.shapes
def _(p: Abstract, x: Abstract) -> Shape:
    p.of_rank(1)
    return x.known


def _derived(p: object) -> Any:
    count = shape_of(p)[0]
    lower = take(p, np.arange(count - 1, dtype=np.int32), axis=0, batch_dims=0)
    return lower * np.arange(count - 1, 0, -1).astype(numpy_type(lower))


@polyval.vjp("x")
def _(g: Cotangent, p: Value, x: Value) -> Any:
    slope = polyval(_derived(p), x) if shape_of(p)[0] > 1 else zeros_like(x)
    return g * conjugated(slope)


@polyval.jvp("x")
def _(t: Tangent, p: Value, x: Value) -> Any:
    return t * polyval(_derived(p), x) if shape_of(p)[0] > 1 else zeros_like(t)


@polyval.vjp("p")
def _(g: Cotangent, x: Value, p_shape: tuple[int, ...]) -> Any:
    rows = powers(x, exponents=tuple(range(p_shape[0] - 1, -1, -1)))
    rows = conjugated(rows)
    weighted = expand_dims(g, axis=rank_of(g)) * rows
    return reduce_sum(weighted, axis=tuple(range(rank_of(weighted) - 1)), keepdims=False)


polyval.linear("p")


@polyval.batched
def _(declared: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    p, x = args
    if not is_batched[0]:
        return declared(p, x)
    _, (p, x) = all_batched(is_batched, args)
    count = shape_of(p)[1]
    rows = powers(x, exponents=tuple(range(count - 1, -1, -1)))
    lined = reshape(p, shape=(shape_of(p)[0], *(1,) * (rank_of(x) - 1), count))
    return reduce_sum(rows * lined, axis=-1, keepdims=False)


@polyval.samples
def _(draw: Draw) -> Iterator[Sample]:
    for count, shape in [
        (3, ()), (1, (2,)), (4, (3,)), (2, (2, 3)), (0, (3,)), (5, (0,)), (3, (2, 1, 2)), (2, ()), (6, (4,)), (3, (1,)), (1, ()), (4, (2, 2)),
    ]:  # fmt: skip
        yield Sample((draw((count,)), draw(shape)))


@polyval.value
def _(p: Array, x: Array) -> Any:
    return sum((c * x ** (len(p) - 1 - k) for k, c in enumerate(p)), np.zeros(np.shape(x), np.result_type(p, x)))


@polyval.rejects
def _() -> Iterator[BadInput]:
    x = np.ones(3, np.float32)
    for shape in ((), (2, 1), (1, 2), (2, 2)):
        yield BadInput("a vector of coefficients", (np.ones(shape, np.float32), x))
    yield BadInput("types never mix", (x, x.astype(np.float64)))


# --- evenly spaced numbers ----------------------------------------------------------------------------------


def _fractions(rank: int, num: int, axis: int, dtype: np.dtype[Any]) -> Array:
    """The part of the way from start to stop at each of `num` points, along the new axis."""
    shape = [1] * (rank + 1)
    shape[axis] = num
    return np.linspace(0, 1, num, dtype=np.float64).reshape(shape).astype(dtype)


def _linspace(start: Array, stop: Array, num: int, axis: int = 0) -> Array:
    if start.shape != stop.shape:
        raise invalid(f"linspace: start and stop must have one shape, got {start.shape} and {stop.shape}.")
    if num < 0:
        raise invalid(f"linspace: num cannot be negative, got {num}.")
    if not -start.ndim - 1 <= axis <= start.ndim:
        raise invalid(f"linspace: axis {axis} does not exist in a result of {start.ndim + 1} axes.")
    part = _fractions(start.ndim, num, axis, start.dtype)
    # Written as a mean of both ends, so that the last number is `stop` to the bit.
    first, last = np.expand_dims(start, axis), np.expand_dims(stop, axis)
    means = as_array(first * (1 - part) + last * part).astype(start.dtype, copy=False)
    if np.isfinite(first).all() and np.isfinite(last).all():
        return means
    # An end that is not finite, times a weight of 0, is nan: the other end is put in directly.
    return np.where(part == 0, first, np.where(part == 1, last, means))


@op(eager=_linspace, dtypes=INEXACT, tf_name="LinSpace")
def linspace(xp: Namespace, start: Array, stop: Array, *, num: int, axis: int = 0) -> Any:
    """`num` evenly spaced numbers from start to stop, both included, along a new axis."""
    return xp.linspace(start, stop, num, axis=axis)


@linspace.shapes
def _(start: Abstract, stop: Abstract, *, num: object, axis: object) -> Shape:
    return inserted(equal_shapes(start, stop).shape, axis, natural(num))


def _spaced(t: object, num: int, axis: int, from_stop: bool) -> Any:
    part = _fractions(rank_of(t), num, axis, numpy_type(t))
    return expand_dims(t, axis=axis) * (part if from_stop else 1 - part)


def _gathered(g: Value, num: int, axis: int, from_stop: bool) -> Any:
    part = _fractions(rank_of(g) - 1, num, axis, numpy_type(g))
    return reduce_sum(g * (part if from_stop else 1 - part), axis=axis, keepdims=False)


@linspace.vjp("start")
def _(g: Cotangent, num: int, axis: int) -> Any:
    return _gathered(g, num, axis, False)


@linspace.vjp("stop")
def _(g: Cotangent, num: int, axis: int) -> Any:
    return _gathered(g, num, axis, True)


@linspace.jvp("start")
def _(t: Tangent, num: int, axis: int) -> Any:
    return _spaced(t, num, axis, False)


@linspace.jvp("stop")
def _(t: Tangent, num: int, axis: int) -> Any:
    return _spaced(t, num, axis, True)


@linspace.batched
def _(declared: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    axis = attributes["axis"]
    return batch_leading(declared, is_batched, args, {**attributes, "axis": axis + 1 if axis >= 0 else axis})


@linspace.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, num, axis in [
        ((), 3, 0), ((), 1, 0), ((), 0, 0), ((2,), 4, 0), ((2,), 3, -1), ((2, 3), 2, 1), ((0,), 3, 0), ((2, 2), 5, -1), ((3,), 1, 1), ((1,), 2, 0),
        ((2, 1, 2), 3, 2), ((4,), 6, -2),
    ]:  # fmt: skip
        yield Sample((draw(shape), draw(shape)), {"num": num, "axis": axis})


@linspace.value
def _(start: Array, stop: Array, num: int, axis: int) -> Any:
    return np.linspace(start, stop, num, axis=axis)


@linspace.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    yield BadInput("a count", (x, x), {"num": -1})
    for axis in (3, -4):
        yield BadInput("an axis of the result", (x, x), {"num": 2, "axis": axis})
    yield BadInput("ends of one shape", (x, x[0]), {"num": 2})
