"""Ops whose kernels make new arrays and write into parts of them: what they do, said in steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...native import abi
from ...native.language import Unsupported
from .numpy_functions import assembled
from .stand_in import StandIn, Steps
from .steps import ExtremePlace, Ordering
from .texts import kind_of

BY_HAND: dict[str, Callable[..., Any]] = {}


def by_hand(recorded: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator: what the op of this name does."""
    BY_HAND[recorded.__name__] = recorded
    return recorded


@by_hand
def setitem_zeros(steps: Steps, g: StandIn, *, shape: tuple[int, ...], key: tuple[Any, ...]) -> StandIn:
    """Zeros, with an array in a part of them."""
    result = np.zeros(shape, g.dtype)
    place = result[key if any(part is Ellipsis for part in key) else (*key, ...)]
    if place.shape != g.shape or not np.may_share_memory(place, result):
        raise Unsupported("a part that is no slice")
    return assembled(steps, result, [place], [g], zeros=True)


@by_hand
def zeros_like(steps: Steps, input: StandIn) -> Any:
    """Zeros of the shape of an array."""
    return np.broadcast_to(np.zeros((), input.dtype), input.shape)


@by_hand
def ones_like(steps: Steps, input: StandIn) -> Any:
    """Ones of the shape of an array."""
    return np.broadcast_to(np.ones((), input.dtype), input.shape)


@by_hand
def convert(steps: Steps, x: StandIn, *, dtype: np.dtype[Any]) -> StandIn:
    """Another type. Numbers that no integer is near become the smallest one, as in the op's own kernel."""
    if x.dtype.kind != "f" or dtype.kind not in "iu":
        return x.astype(dtype)
    if dtype == np.uint64:
        raise Unsupported("the upper half of uint64")
    through = np.iinfo(np.int32 if dtype.itemsize < 4 or dtype == np.int32 else np.int64)
    wide: Any = x.astype(np.float64)
    fits = (wide > through.min - 1.0) & (wide < through.max + 1.0)
    whole: StandIn = np.where(fits, wide, float(through.min))  # type: ignore[assignment]
    return whole.astype(through.dtype).astype(dtype)


# --- places and orders -------------------------------------------------------------------------------------------------------


def _extreme_place(sign: str, last: float) -> Callable[..., StandIn]:
    def recorded(steps: Steps, x: Any, *, axis: int, output_type: np.dtype[Any], nan_wins: bool) -> StandIn:
        if not kind_of(x.dtype) or not x.shape[axis]:
            raise Unsupported(f"the places of {x.dtype}")
        if x.dtype.kind == "f" and not nan_wins:
            x = np.where(x != x, x.dtype.type(last), x)
        axis %= x.ndim
        made = steps.made(np.asarray(np.argmax(x.array, axis)))
        steps.append(ExtremePlace([x.located], made.located, sign, axis))
        return made.astype(output_type)

    return recorded


BY_HAND["argmax"] = _extreme_place(">", -np.inf)
BY_HAND["argmin"] = _extreme_place("<", np.inf)


def order_of(steps: Steps, x: Any, axis: int, descending: bool) -> Any:
    """Where elements along an axis are taken from, so that they are in order; as the last axis."""
    expect_lines(x, axis)
    line = x.rearranged(lambda array: np.moveaxis(array, axis, -1))
    if descending:  # (reversed before and after, so that equal elements keep their order)
        line = np.flip(line, -1)
    if not line.flags.c_contiguous:
        line = line.astype(line.dtype, order="C")
    made = steps.made(np.empty(line.shape, np.int64))
    steps.append(Ordering([line.located], made.located))
    return np.flip(line.shape[-1] - 1 - made, -1) if descending else made


def expect_lines(x: Any, axis: int) -> None:
    """Raise unless NumPy's functions can be called for the lines along an axis."""
    if not abi.orders_lines() or not kind_of(x.dtype) or not x.shape[axis]:
        raise Unsupported(f"the order of {x.dtype}")


@by_hand
def order_along(steps: Steps, values: object, *, axis: int, descending: bool) -> Any:
    """The places from which elements are taken, so that they are in order."""
    found = order_of(steps, values, axis, descending).astype(np.int32)
    return found.rearranged(lambda array: np.moveaxis(array, -1, axis))
