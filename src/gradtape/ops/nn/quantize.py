"""Fake quantization: values rounded to a grid as small integers would hold them, with the derivative of a clip."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.dtypes import FLOATING, NARROW_FLOATS, Array
from ...base.errors import invalid
from ...base.types import Draw, Namespace, Value
from ...op.declaration import BadInput, Sample
from ..family import elementwise, numpy_type
from ..math.elementwise import convert, floor
from ..math.logic import (
    equal,
    greater,
    greater_equal,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    maximum,
    minimum,
)


def grid(low: Value, high: Value, num_bits: int, narrow_range: bool) -> tuple[Any, Any, Any]:
    """The bounds moved a little so that 0 is on the grid, and the width of a step."""
    first, last = (1.0 if narrow_range else 0.0), float(2**num_bits - 1)
    step = (high - low) / (last - first)
    zero = first - low / step
    zero = minimum(maximum(floor(zero + 0.5), zero * 0.0 + first), zero * 0.0 + last)
    return (first - zero) * step, (last - zero) * step, step


def _check_bits(num_bits: int) -> None:
    if not 2 <= num_bits <= 16:
        raise invalid(f"fake_quant: num_bits must be from 2 to 16, got {num_bits}.")


def _fake_quant(inputs: Array, min: Array, max: Array, num_bits: int, narrow_range: bool) -> Array:
    _check_bits(num_bits)
    dtype = np.asarray(inputs).dtype
    if dtype in NARROW_FLOATS:  # 16 bits of grid do not fit in a float of 16 bits
        x, a, b = (np.asarray(value).astype(np.float32) for value in (inputs, min, max))
        return _fake_quant(x, a, b, num_bits, narrow_range).astype(dtype)
    low, high, step = grid(min, max, num_bits, narrow_range)
    inside = np.minimum(np.maximum(inputs, low), high) - low
    # Counted from the zero of the grid, so that 0 stays exactly 0.
    inverse = 1.0 / step
    result = np.floor(inside * inverse - np.floor(-low * inverse + 0.5) + 0.5) * step
    quantized: Array = np.where((min == 0) & (max == 0), result.dtype.type(0), result)
    return quantized


@elementwise(eager=_fake_quant, dtypes=FLOATING, tf_name="FakeQuantWithMinMaxVars")
def fake_quant(
    xp: Namespace, inputs: Array, min: Array, max: Array, *, num_bits: int = 8, narrow_range: bool = False
) -> Any:
    """`inputs` clipped to [min, max] and rounded to a grid of `2**num_bits` values that contains 0.

    The derivative is that of the clip alone: 1 inside; outside it goes to `min` or `max`.
    """
    low, high, step = grid(min, max, num_bits, narrow_range)
    inside = xp.minimum(xp.maximum(inputs, low), high) - low
    rounded = xp.floor(inside / step - xp.floor(-low / step + 0.5) + 0.5) * step
    return xp.where((min == 0) & (max == 0), 0, rounded)


def _no_range(min: Value, max: Value) -> Any:
    return logical_and(equal(min, min * 0.0), equal(max, max * 0.0))


@fake_quant.derivative("inputs")
def _(t: Value, inputs: Value, min: Value, max: Value, num_bits: int, narrow_range: bool) -> Any:
    low, high, _ = grid(min, max, num_bits, narrow_range)
    inside = logical_and(greater_equal(inputs, low), less_equal(inputs, high))
    return t * convert(logical_or(inside, _no_range(min, max)), dtype=numpy_type(inputs))


@fake_quant.derivative("min")
def _(t: Value, inputs: Value, min: Value, max: Value, num_bits: int, narrow_range: bool) -> Any:
    low, _, _ = grid(min, max, num_bits, narrow_range)
    outside = logical_and(less(inputs, low), logical_not(_no_range(min, max)))
    return t * convert(outside, dtype=numpy_type(inputs))


@fake_quant.derivative("max")
def _(t: Value, inputs: Value, min: Value, max: Value, num_bits: int, narrow_range: bool) -> Any:
    _, high, _ = grid(min, max, num_bits, narrow_range)
    outside = logical_and(greater(inputs, high), logical_not(_no_range(min, max)))
    return t * convert(outside, dtype=numpy_type(inputs))


@fake_quant.samples
def _(draw: Draw) -> Iterator[Sample]:
    # Not differentiable: the derivative that is declared is not that of the steps.
    for shape, bounds, bits, narrow in [
        ((), (), 8, False), ((4,), (), 8, False), ((0,), (), 8, True), ((2, 3), (), 4, False), ((2, 3), (3,), 8, False), ((2, 3), (3,), 2, True),
        ((2, 2, 3), (3,), 16, False), ((3, 1), (1,), 5, False), ((1,), (), 3, True), ((5, 2), (2,), 7, False), ((1, 1, 1), (), 8, False),
        ((2, 0), (), 6, True),
    ]:  # fmt: skip
        attributes = {"num_bits": bits, "narrow_range": narrow}
        yield Sample((draw(shape), draw(bounds, -2.0, -0.5), draw(bounds, 0.5, 2.0)), attributes, differentiable=False)


@fake_quant.value
def _(inputs: Array, min: Array, max: Array, num_bits: int, narrow_range: bool) -> Any:
    first = int(narrow_range)
    last = 2**num_bits - 1
    result = np.zeros(np.broadcast_shapes(np.shape(inputs), np.shape(min)))
    x, low, high = np.broadcast_arrays(inputs, min, max)
    for place in np.ndindex(result.shape):
        step = (high[place] - low[place]) / (last - first)
        zero = np.clip(np.floor(first - low[place] / step + 0.5), first, last)
        ends = (first - zero) * step, (last - zero) * step
        result[place] = np.floor((np.clip(x[place], *ends) - ends[0]) / step + 0.5) * step + ends[0]
    return result


@fake_quant.rejects
def _() -> Iterator[BadInput]:
    x, low, high = np.ones((2, 3), np.float32), np.float32(-1), np.float32(1)
    for bits in [1, 0, -3, 17, 2**40]:
        yield BadInput("from 2 to 16 bits", (x, low, high), {"num_bits": bits})
    yield BadInput("the bounds broadcast", (x, np.ones(2, np.float32), high))
    yield BadInput(
        "complex numbers have no order",
        (x.astype(np.complex64), low.astype(np.complex64), high.astype(np.complex64)),
    )
