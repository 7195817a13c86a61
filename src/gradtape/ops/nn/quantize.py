"""Quantization followed by dequantization: values rounded to a grid that small integers can hold, with the derivative of a
clip (fake_quant, quantize_and_dequantize).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.dtypes import FLOATING, NARROW_FLOATS, Array
from ...base.errors import invalid
from ...base.types import Draw, Namespace, Value
from ...op.declaration import BadInput, Sample
from ...op.family import UNARY_SHAPES, elementwise, in_float32, numpy_type
from ..math.conversion import convert
from ..math.elementwise import floor
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
    select,
    zeros_like,
)


def grid(low: Value, high: Value, num_bits: int, narrow_range: bool, xp: Any = None) -> tuple[Any, Any, Any]:
    """The bounds moved a little so that 0 is on the grid, and the width of a step; on arrays with their functions."""
    least, most, down = (minimum, maximum, floor) if xp is None else (xp.minimum, xp.maximum, xp.floor)
    first, last = (1.0 if narrow_range else 0.0), float(2**num_bits - 1)
    step = (high - low) / (last - first)
    zero = first - low / step
    zero = least(most(down(zero + 0.5), zero * 0.0 + first), zero * 0.0 + last)
    return (first - zero) * step, (last - zero) * step, step


def _check_bits(num_bits: int) -> None:
    if not 2 <= num_bits <= 16:
        raise invalid(f"fake_quant: num_bits must be from 2 to 16, got {num_bits}.")


def _fake_quant(inputs: Array, min: Array, max: Array, num_bits: int, narrow_range: bool) -> Array:
    _check_bits(num_bits)
    dtype = np.asarray(inputs).dtype
    if dtype in NARROW_FLOATS:  # a 16-bit float cannot hold a grid of 16 bits
        x, a, b = (np.asarray(value).astype(np.float32) for value in (inputs, min, max))
        return _fake_quant(x, a, b, num_bits, narrow_range).astype(dtype)
    quantized: Array = _on_grid(np, inputs, min, max, num_bits, narrow_range)
    return quantized


def _on_grid(xp: Namespace, inputs: Array, min: Array, max: Array, num_bits: int, narrow_range: bool) -> Any:
    low, high, step = grid(min, max, num_bits, narrow_range, xp)
    inside = xp.minimum(xp.maximum(inputs, low), high) - low
    # Counted from the zero of the grid, so that 0 stays exactly 0.
    inverse = 1.0 / step
    result = xp.floor(inside * inverse - xp.floor(-low * inverse + 0.5) + 0.5) * step
    return xp.where((min == 0) & (max == 0), result.dtype.type(0), result)


@elementwise(eager=_fake_quant, dtypes=FLOATING, tf_name="FakeQuantWithMinMaxVars")
def fake_quant(
    xp: Namespace, inputs: Array, min: Array, max: Array, *, num_bits: int = 8, narrow_range: bool = False
) -> Any:
    """`inputs` clipped to [min, max] and rounded to a grid of `2**num_bits` values that contains 0.

    The derivative is that of the clip alone: 1 inside; outside it goes to `min` or `max`.
    """
    return _on_grid(xp, inputs, min, max, num_bits, narrow_range)


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
    # Not differentiable: the declared derivative is not that of the steps.
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


# --- quantize_and_dequantize --------------------------------------------------------------------------------


def _quantize_and_dequantize(
    input: Array,
    input_min: Array,
    input_max: Array,
    signed_input: bool = True,
    num_bits: int = 8,
    round_mode: str = "HALF_TO_EVEN",
    narrow_range: bool = False,
    clamp: bool = True,
) -> Any:
    if not 1 <= num_bits <= 62:
        raise invalid(f"quantize_and_dequantize: num_bits must be from 1 to 62, got {num_bits}.")
    if round_mode not in ("HALF_TO_EVEN", "HALF_UP"):
        raise invalid(f"quantize_and_dequantize: round_mode must be HALF_TO_EVEN or HALF_UP, got {round_mode!r}.")
    if np.any(input_min > input_max):
        raise invalid(f"quantize_and_dequantize: the range from {input_min} to {input_max} is empty.")
    settings = (signed_input, num_bits, round_mode, narrow_range, clamp)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(_there_and_back(np, input, input_min, input_max, *settings))


def _there_and_back(
    xp: Namespace,
    input: Array,
    input_min: Array,
    input_max: Array,
    signed_input: bool,
    num_bits: int,
    round_mode: str,
    narrow_range: bool,
    clamp: bool,
) -> Any:
    lowest = (-(2 ** (num_bits - 1)) + int(narrow_range)) if signed_input else int(narrow_range)
    highest = 2 ** (num_bits - 1) - 1 if signed_input else 2**num_bits - 1
    largest = np.finfo(input.dtype).max
    of_low = xp.where(lowest * input_min > 0, lowest / input_min, largest).astype(input.dtype)
    of_high = xp.where(highest * input_max > 0, highest / input_max, largest).astype(input.dtype)
    scale = xp.minimum(of_low, of_high)
    # The end of the range that does not set the scale is widened, so that 0 is on the grid.
    high = xp.where(of_low < of_high, highest / scale, input_max).astype(input.dtype)
    low = xp.where(of_low < of_high, input_min, lowest / scale).astype(input.dtype)
    scaled = (xp.clip(input, low, high) if clamp else input) * scale
    rounded = xp.rint(scaled) if round_mode == "HALF_TO_EVEN" else xp.floor(scaled + input.dtype.type(0.5))
    return rounded / scale


@elementwise(eager=in_float32(_quantize_and_dequantize), dtypes=FLOATING, tf_name="QuantizeAndDequantizeV4")
def quantize_and_dequantize(
    xp: Namespace,
    input: Array,
    input_min: Array,
    input_max: Array,
    *,
    signed_input: bool = True,
    num_bits: int = 8,
    round_mode: str = "HALF_TO_EVEN",
    narrow_range: bool = False,
    clamp: bool = True,
) -> Any:
    """Numbers rounded to what `num_bits` bits can store; inside the range gradients pass unchanged."""
    settings = (signed_input, num_bits, round_mode, narrow_range, clamp)
    return _there_and_back(xp, input, input_min, input_max, *settings)


@quantize_and_dequantize.derivative("input")
def _(t: Value, input: Value, input_min: Value, input_max: Value) -> Any:
    inside = logical_and(greater_equal(input, input_min), less_equal(input, input_max))
    return select(inside, t, zeros_like(t))


@quantize_and_dequantize.derivative("input_min")
def _(t: Value, input: Value, input_min: Value) -> Any:
    return select(less(input, input_min), t, zeros_like(t))


@quantize_and_dequantize.derivative("input_max")
def _(t: Value, input: Value, input_max: Value) -> Any:
    return select(greater(input, input_max), t, zeros_like(t))


@quantize_and_dequantize.samples
def _(draw: Draw) -> Iterator[Sample]:
    dtype = np.asarray(draw(())).dtype
    low, high = np.array(-1.0, dtype), np.array(1.5, dtype)
    for number, shape in enumerate(UNARY_SHAPES):
        settings = {
            "num_bits": (8, 4, 3)[number % 3], "narrow_range": number % 5 == 0, "round_mode": ("HALF_TO_EVEN", "HALF_UP")[number % 2],
        }  # fmt: skip
        yield Sample((draw(shape), low, high), settings, differentiable=False)
    yield Sample((draw((5,), 0.0, 2.0), low * 0, high), {"signed_input": False}, differentiable=False)
    yield Sample((draw((3, 2)), draw((2,), -2.0, -1.0), draw((2,), 1.0, 2.0)), {}, differentiable=False)


@quantize_and_dequantize.rejects
def _() -> Iterator[BadInput]:
    x, one = np.ones(3, np.float32), np.float32(1)
    for settings in ({"num_bits": 0}, {"num_bits": 63}, {"round_mode": "UP"}):
        yield BadInput("settings", (x, -one, one), settings)
    yield BadInput("a range", (x, one, -one))
