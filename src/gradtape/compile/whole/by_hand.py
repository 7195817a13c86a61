"""Ops whose kernels make new arrays and write into parts of them: what they do, said in steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...native.language import Unsupported
from .stand_in import StandIn, Steps, assembled

BY_HAND: dict[str, Callable[..., Any]] = {}


def _op(recorded: Callable[..., Any]) -> Callable[..., Any]:
    BY_HAND[recorded.__name__] = recorded
    return recorded


@_op
def setitem_zeros(steps: Steps, g: StandIn, *, shape: tuple[int, ...], key: tuple[Any, ...]) -> StandIn:
    """Zeros, with an array in a part of them."""
    result = np.zeros(shape, g.dtype)
    place = result[key if any(part is Ellipsis for part in key) else (*key, ...)]
    if place.shape != g.shape or not np.may_share_memory(place, result):
        raise Unsupported("a part that is no slice")
    return assembled(steps, result, [place], [g], zeros=True)


@_op
def zeros_like(steps: Steps, input: StandIn) -> Any:
    """Zeros of the shape of an array."""
    return np.broadcast_to(np.zeros((), input.dtype), input.shape)


@_op
def ones_like(steps: Steps, input: StandIn) -> Any:
    """Ones of the shape of an array."""
    return np.broadcast_to(np.ones((), input.dtype), input.shape)


@_op
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
