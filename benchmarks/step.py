"""What a workload hands to the harness: its data, and one step that can be called again and again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class Data(NamedTuple):
    """The arrays every contestant starts from: what is differentiated, and what is only read.

    Arrays of rank 4 are laid out as NHWC images (inputs) and HWIO kernels (parameters).
    """

    parameters: list[Array]
    inputs: list[Array]


def no_state() -> Sequence[Any]:
    return ()


@dataclass(frozen=True)
class Step:
    """One unit of work: a function and its arguments, kept apart so that the timed loop calls it directly.

    `state` reads what the step changes in place; it is asked once, after the first call.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()
    state: Callable[[], Sequence[Any]] = no_state

    def __call__(self) -> Any:
        return self.function(*self.arguments)


class Unavailable(Exception):
    """This contestant cannot run this workload here; the text says what is missing."""


def float32(rng: np.random.Generator, *shape: int, scale: float = 1.0) -> Array:
    """Normally distributed float32 numbers."""
    return rng.standard_normal(shape, dtype=np.float32) * np.float32(scale)
