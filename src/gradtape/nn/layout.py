"""How `tf.nn` writes strides, windows, padding and data formats, brought to one channels-last form."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from ..api.arrays import reshape
from ..api.layout import transpose
from ..base.errors import ArgumentValueError, UnimplementedError, invalid
from ..base.traceable import trace_public
from ..base.types import TensorLike, Value
from ..op.arguments import text
from ..op.attributes import as_ints
from ..values.tensor import Tensor, to_tensor

Sizes = tuple[int, ...]
FORMATS = {1: ("NWC", "NCW"), 2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}


def operand(value: Value, like: Value) -> Any:
    """A second operand as a tensor: Python values and arrays take the type of the first, tensors do not."""
    if isinstance(value, Tensor) or hasattr(value.__class__, "_read"):
        return to_tensor(value)
    return to_tensor(value, like.dtype)


def channels_first(name: str, data_format: object, rank: int) -> bool:
    """Whether the channels are the second axis; None means channels last."""
    last, first = FORMATS[rank]
    if data_format is not None:
        text("data_format", data_format)
    if data_format is not None and data_format not in (last, first):
        raise invalid(f'{name}: data_format must be "{last}" or "{first}", got {data_format!r}.')
    return bool(data_format == first)


def per_axis(name: str, what: str, value: object, rank: int, first: bool, default: int = 1) -> tuple[Sizes, int]:
    """One number for each of the `rank` sizes and for the channels, from 1, `rank` or `rank + 2` numbers."""
    if value is None:
        return (default,) * rank, default
    numbers = as_ints(value)
    if len(numbers) == 1:
        return numbers * rank, 1
    if len(numbers) == rank:
        return numbers, 1
    if len(numbers) != rank + 2:
        raise ValueError(
            f"{what} should be of length 1, {rank} or {rank + 2}. Received: {what}={value} of length {len(numbers)}"
        )
    batch, sizes, channels = numbers[0], numbers[1:-1], numbers[-1]
    if first:
        channels, sizes = numbers[1], numbers[2:]
    if batch != 1:
        raise UnimplementedError(None, None, f"{name}: {what} on the batch axis must be 1, got {value}.")
    return sizes, channels


def spatial(name: str, what: str, value: object, rank: int, first: bool) -> Sizes:
    """One number for each of the `rank` sizes; on batch and channels it must be 1."""
    sizes, channels = per_axis(name, what, value, rank, first)
    if channels != 1:
        raise UnimplementedError(None, None, f"{name}: {what} on the channel axis must be 1, got {value}.")
    return sizes


def paddings(name: str, padding: Any, rank: int, first: bool) -> Any:
    """ "SAME" and "VALID" as they are; explicit padding as pairs for the sizes."""
    padding = padding.decode() if isinstance(padding, bytes) else padding
    if isinstance(padding, str):
        return padding
    if not isinstance(padding, (list, tuple)):
        text("padding", padding)
    if len(padding) != rank + 2:
        raise ValueError(
            f"When padding is a list, it must be of size {rank + 2}. Received: padding={padding} of size {len(padding)}"
        )
    pairs = [as_ints(pair) for pair in padding]
    outside = (pairs[0], pairs[1] if first else pairs[-1])
    if any(any(pair) for pair in outside):
        raise invalid(f"{name}: padding of the batch and channel axes must be zero, got {padding}.")
    return tuple(pairs[2:] if first else pairs[1:-1])


def settings(name: str, rank: int, strides: Any, dilations: Any, padding: Any, first: bool) -> tuple[Sizes, Sizes, Any]:
    """Strides, dilations and padding of windows that move over the `rank` sizes."""
    steps = spatial(name, "strides", strides, rank, first)
    return steps, spatial(name, "dilations", dilations, rank, first), paddings(name, padding, rank, first)


def not_both(strides: Any, dilations: Any) -> None:
    """Refuse windows with both strides and dilations greater than 1."""
    if strides is not None and dilations is not None and np.max(strides) > 1 and np.max(dilations) > 1:
        raise ValueError(
            "`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: "
            f"strides={strides} and dilation_rate={dilations}"
        )


def only_channels_last(data_format: Any) -> None:
    """Refuse a data format other than "NHWC"."""
    if data_format != "NHWC":
        raise ValueError(
            f"`data_format` values other  than 'NHWC' are not supported. Received: data_format={data_format}"
        )


def sizes_of(name: str, value: Any) -> Sizes:
    """The requested shape of an output."""
    sizes = as_ints(value)
    if any(size < 0 for size in sizes):
        raise invalid(f"{name}: sizes cannot be negative, got {list(sizes)}.")
    return sizes


def to_channels_last(x: TensorLike, rank: int) -> Any:
    """The second axis moved to the end."""
    return transpose(x, (0, *range(2, rank + 2), 1))


def to_channels_first(x: TensorLike, rank: int) -> Any:
    """The last axis moved to the second place."""
    return transpose(x, (0, rank + 1, *range(1, rank + 1)))


def in_channels_last(function: Callable[[Any], Any], x: Any, rank: int, first: bool) -> Any:
    """Run a function of a channels-last value on a value of either format, with any number of batch axes."""
    lead = tuple(x.shape)[: -rank - 1]
    if len(lead) < 1:
        message = f"The input must have {rank + 2} axes (batch, {rank} sizes, channels), got shape {x.shape}."
        if len(x.shape) == rank + 1:
            message += " A single one gets its batch axis by tf.expand_dims(x, 0)."
        raise ArgumentValueError(None, None, message)
    if len(lead) > 1:
        x = reshape(x, (prod(lead), *tuple(x.shape)[-rank - 1 :]))
    if first:
        result = to_channels_first(function(to_channels_last(x, rank)), rank)
    else:
        result = function(x)
    return reshape(result, (*lead, *tuple(result.shape)[1:])) if len(lead) > 1 else result


trace_public(globals())
