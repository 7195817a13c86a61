"""What distributions with a tensor of parameters have in common: how many numbers each element is for."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ..api.arrays import broadcast_to
from ..base.errors import invalid
from ..base.memory import repeated
from ..base.shapes import broadcast
from ..base.types import TensorLike


def drawn_for(draw: Any, stream: Any, parameter: TensorLike, sizes: tuple[int, ...], samples: int) -> Any:
    """`samples` numbers for each parameter, in TensorFlow's order: one parameter after the other, samples innermost."""
    flat = repeated("random", np.asarray(parameter).reshape(-1), samples)
    return draw(stream, flat).reshape(-1, samples).T.reshape(sizes)


def filling(value: TensorLike, common: tuple[int, ...] | None, sizes: tuple[int, ...], name: str) -> tuple[Any, int]:
    """A parameter broadcast to the last axes of `sizes`, and how many numbers each of its elements is for."""
    if common is None or broadcast(common, sizes) != sizes:
        raise invalid(f"random.{name}: parameters of shape {common} do not broadcast to shape {list(sizes)}.")
    last = sizes[len(sizes) - len(common) :]
    return broadcast_to(value, last), prod(sizes[: len(sizes) - len(common)])
