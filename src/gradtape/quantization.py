"""`tf.quantization`: fake quantization, for training networks that will run on small integers."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import debugging, math
from .base.errors import invalid
from .base.namespaces import listing
from .base.traceable import trace_public
from .base.types import AxisLike, IntLike, TensorLike
from .op.arguments import flag, number, takes, text
from .op.attributes import as_int
from .ops.array.layout import reshape, sum_to_shape
from .ops.math.conversion import stop_gradient
from .ops.math.logic import maximum, minimum, zeros_like
from .ops.math.reduce import reduce_max, reduce_min
from .ops.nn.quantize import fake_quant, grid
from .ops.nn.quantize import quantize_and_dequantize as quantized_again
from .values.tensor import EagerTensor, Tensor, to_tensor


@takes(narrow_range=flag, min=number, max=number)
def fake_quant_with_min_max_args(
    inputs: TensorLike,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """The inputs clipped to a fixed range and rounded to `2**num_bits` values; the derivative inside the range is 1.

    >>> import gradtape as tf
    >>> tf.quantization.fake_quant_with_min_max_args([0.3, 9.0], min=0.0, max=3.0, num_bits=2).numpy()
    array([0., 3.], dtype=float32)

    Args:
        inputs: A tensor.
        min: The lower end of the range.
        max: The upper end.
        num_bits: How many bits a number has, from 2 to 16.
        narrow_range: Whether there is one value less, so that there are as many below as above zero.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the same shape.

    Raises:
        tf.errors.InvalidArgumentError: The range is empty, or there are no such numbers of bits.
    """
    x = to_tensor(inputs)
    low, high = _fixed_range(x, min, max)
    return fake_quant.public(x, low, high, _bits(num_bits), bool(narrow_range))


def _fixed_range(x: Tensor, low: Any, high: Any) -> tuple[Tensor, Tensor]:
    if not float(low) < float(high):
        raise invalid(f"fake_quant: min has to be smaller than max, got {low} and {high}.")
    return to_tensor(float(low), x.dtype), to_tensor(float(high), x.dtype)


def _bits(num_bits: IntLike) -> int:
    bits = as_int(num_bits)
    if not 2 <= bits <= 16:
        raise invalid(f"fake_quant: num_bits must be from 2 to 16, got {bits}.")
    return bits


@takes(narrow_range=flag)
def fake_quant_with_min_max_vars(
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """The inputs clipped to [min, max] and rounded; the tape follows the two bounds as well.

    >>> import gradtape as tf
    >>> low, high = tf.Variable(0.0), tf.Variable(3.0)
    >>> with tf.GradientTape() as tape:
    ...     y = tf.quantization.fake_quant_with_min_max_vars([0.3, 1.2, 9.0], low, high, num_bits=2)
    >>> y.numpy(), tape.gradient(y, high).numpy()
    (array([0., 1., 3.], dtype=float32), np.float32(1.0))

    Args:
        inputs: A tensor.
        min: The lower end of the range, one number.
        max: The upper end, one number.
        num_bits: How many bits a number has, from 2 to 16.
        narrow_range: Whether there is one value less, so that there are as many below as above zero.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the same shape.
    """
    x, low, high = _operands(inputs, min, max, 0)
    return fake_quant.public(x, low, high, _bits(num_bits), bool(narrow_range))


@takes(narrow_range=flag)
def fake_quant_with_min_max_vars_per_channel(
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """As `fake_quant_with_min_max_vars`, with bounds of their own for each entry of the last axis.

    >>> import gradtape as tf
    >>> x = [[0.3, 0.3], [9.0, 9.0]]
    >>> tf.quantization.fake_quant_with_min_max_vars_per_channel(x, [0.0, 0.0], [3.0, 6.0], num_bits=2).numpy()
    array([[0., 0.],
           [3., 6.]], dtype=float32)

    Args:
        inputs: A tensor.
        min: The lower ends, one for each entry of the last axis.
        max: The upper ends.
        num_bits: How many bits a number has, from 2 to 16.
        narrow_range: Whether there is one value less, so that there are as many below as above zero.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the same shape.
    """
    x, low, high = _operands(inputs, min, max, 1)
    return fake_quant.public(x, low, high, _bits(num_bits), bool(narrow_range))


def _operands(inputs: TensorLike, low: TensorLike, high: TensorLike, rank: int) -> tuple[Any, Any, Any]:
    x = to_tensor(inputs)
    bounds = [value if isinstance(value, Tensor) else to_tensor(value, x.dtype) for value in (low, high)]
    for label, bound in zip(("min", "max"), bounds, strict=True):
        if bound.ndim != rank:
            raise invalid(f"fake_quant: `{label}` must be rank {rank} but is rank {bound.ndim}.")
        if rank and (not x.ndim or bound.shape[0] != x.shape[-1]):
            raise invalid(
                f"fake_quant: {label} must have one number for each entry of the last axis of {x.shape}, got {bound.shape}."
            )
    return x, bounds[0], bounds[1]


# --- the gradients as functions of their own, as TensorFlow has them ---------------------------------------------------


def fake_quant_with_min_max_args_gradient(
    gradients: TensorLike,
    inputs: TensorLike,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """What reaches `inputs` when `gradients` reach `fake_quant_with_min_max_args`.

    >>> import gradtape as tf
    >>> tf.quantization.fake_quant_with_min_max_args_gradient([1.0, 1.0], [0.3, 9.0], min=0.0, max=3.0).numpy()
    array([1., 0.], dtype=float32)

    Args:
        gradients: What reaches the result.
        inputs: The inputs of the function.
        min: The lower end of the range.
        max: The upper end.
        num_bits: How many bits a number has, from 2 to 16.
        narrow_range: Whether there is one value less, so that there are as many below as above zero.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the same shape.
    """
    x = to_tensor(inputs)
    low, high = _fixed_range(x, min, max)
    return _pulled(gradients, x, low, high, num_bits, narrow_range)[0]


def fake_quant_with_min_max_vars_gradient(
    gradients: TensorLike,
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """What reaches `inputs`, `min` and `max` when `gradients` reach `fake_quant_with_min_max_vars`.

    >>> import gradtape as tf
    >>> parts = tf.quantization.fake_quant_with_min_max_vars_gradient([1.0, 1.0], [0.3, 9.0], 0.0, 3.0)
    >>> [part.numpy().tolist() for part in parts]
    [[1.0, 0.0], 0.0, 1.0]

    Args:
        gradients: What reaches the result.
        inputs: The inputs of the function.
        min: The lower end of the range.
        max: The upper end.
        num_bits: How many bits a number has, from 2 to 16.
        narrow_range: Whether there is one value less, so that there are as many below as above zero.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Three tensors, for `inputs`, `min` and `max`.
    """
    return _pulled(gradients, *_operands(inputs, min, max, 0), num_bits, narrow_range)


def fake_quant_with_min_max_vars_per_channel_gradient(
    gradients: TensorLike,
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """What reaches `inputs`, `min` and `max` when `gradients` reach `fake_quant_with_min_max_vars_per_channel`.

    >>> import gradtape as tf
    >>> ones = [[1.0, 1.0], [1.0, 1.0]]
    >>> parts = tf.quantization.fake_quant_with_min_max_vars_per_channel_gradient(
    ...     ones, [[0.3, 0.3], [9.0, 1.0]], [0.0, 0.0], [3.0, 6.0]
    ... )
    >>> [part.numpy().tolist() for part in parts]
    [[[1.0, 1.0], [0.0, 1.0]], [0.0, 0.0], [1.0, 0.0]]

    Args:
        gradients: What reaches the result.
        inputs: The inputs of the function.
        min: The lower ends, one for each entry of the last axis.
        max: The upper ends.
        num_bits: How many bits a number has, from 2 to 16.
        narrow_range: Whether there is one value less, so that there are as many below as above zero.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Three tensors, for `inputs`, `min` and `max`.
    """
    return _pulled(gradients, *_operands(inputs, min, max, 1), num_bits, narrow_range)


def _pulled(
    gradients: TensorLike, x: Tensor, low: Tensor, high: Tensor, num_bits: IntLike, narrow_range: TensorLike
) -> tuple[Any, Any, Any]:
    g = to_tensor(gradients, None if isinstance(gradients, Tensor) else x.dtype)
    if g.shape != x.shape:
        raise invalid(f"fake_quant: gradients and inputs must have one shape, got {g.shape} and {x.shape}.")
    first, last, _ = grid(low, high, _bits(num_bits), bool(narrow_range))
    no_range = np.asarray(low._array == 0) & np.asarray(high._array == 0)
    below = math.logical_and(math.less(x, first), ~no_range)
    above = math.logical_and(math.greater(x, last), ~no_range)
    inside = math.logical_not(math.logical_or(below, above))
    parts = [g * math.cast(chosen, x.dtype) for chosen in (inside, below, above)]
    shape = tuple(low.shape)
    return parts[0], sum_to_shape.public(parts[1], shape), sum_to_shape.public(parts[2], shape)


@takes(signed_input=flag, range_given=flag, narrow_range=flag, round_mode=text)
def quantize_and_dequantize_v2(
    input: TensorLike,
    input_min: TensorLike,
    input_max: TensorLike,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: AxisLike | None = None,
) -> Tensor:
    """Numbers rounded as if stored in `num_bits` bits; inside the range gradients pass unchanged.

    >>> import gradtape as tf
    >>> tf.quantization.quantize_and_dequantize_v2([0.26, 1.0], 0.0, 1.0, num_bits=3, range_given=True).numpy().round(2)
    array([0.33, 1.  ], dtype=float32)

    The range is from `input_min` to `input_max` if `range_given`, else that of the values; along an `axis`, one for each slice.

    Args:
        input: A tensor.
        input_min: The lower end of the range, where `range_given`.
        input_max: The upper end.
        signed_input: Whether numbers below zero are stored.
        num_bits: How many bits a number has.
        range_given: Whether the range is given; else it is that of the tensor.
        round_mode: "HALF_TO_EVEN" or "HALF_UP".
        name: Ignored; accepted for compatibility with TensorFlow.
        narrow_range: Whether there is one value less, so that there are as many below as above zero.
        axis: The axis whose entries have ranges of their own; None: one range.

    Returns:
        A tensor of the same shape.

    Raises:
        tf.errors.InvalidArgumentError: The axis does not exist, or `input_min` is above `input_max`.
    """
    x = to_tensor(input)
    where = None if axis is None or as_int(axis) == -1 else as_int(axis)
    if where is not None and not 0 <= where < x.ndim:
        least = where + 1 if where >= 0 else -where
        raise invalid(
            f"quantize_and_dequantize: Shape must be at least rank {least} but is rank {x.ndim}: axis {where} does not exist in "
            f"a tensor of shape {x.shape}."
        )
    others = None if where is None else tuple(a for a in range(x.ndim) if a != where)
    if range_given:
        low, high = (to_tensor(v, x.dtype) for v in (input_min, input_max))
        if where is None and (low.ndim or high.ndim):
            raise invalid(f"quantize_and_dequantize: the range must be two scalars, got {low.shape} and {high.shape}.")
        if low.__class__ is not EagerTensor or high.__class__ is not EagerTensor:  # known when the function runs
            debugging.assert_less_equal(low, high, "quantize_and_dequantize: input_min must not be above input_max.")
        elif not np.all(low._array <= high._array):
            raise invalid(
                f"quantize_and_dequantize: input_min {input_min!r} must not be above input_max {input_max!r}."
            )
        if where is not None:
            sizes = [1] * x.ndim
            sizes[where] = -1
            low, high = (reshape.public(v, tuple(sizes)) for v in (low, high))
    else:
        still = stop_gradient.public(x)
        low, high = (reduce.public(still, others, True) for reduce in (reduce_min, reduce_max))
        if x.shape.num_elements():
            low, high = minimum.public(low, zeros_like.public(low)), maximum.public(high, zeros_like.public(high))
        if where is None:
            low, high = (reshape.public(v, ()) for v in (low, high))
    settings = (bool(signed_input), as_int(num_bits), str(round_mode), bool(narrow_range), bool(range_given))
    return quantized_again.public(x, low, high, *settings)


quantize_and_dequantize = quantize_and_dequantize_v2


trace_public(globals())

__path__: list[str] = []  # as a package, so that `tf.quantization.experimental` is asked for and refused by name
__dir__ = listing(globals())
