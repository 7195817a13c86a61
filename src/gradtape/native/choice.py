"""The choice between two ways to compute an op: its declaration names them, and a threshold decides.

Ops compare no sizes. A kernel or a rule that can be computed in two ways is a function with a `Choice`; entries and steps back
are generated with that choice inlined (`op/entry.py`), so that it costs a comparison and no call. A choice that depends on more
than the number of elements is one of the functions at the end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from . import engine, thresholds

Kernel = Callable[..., Any]


class Choice(NamedTuple):
    """Two ways to compute the same, by the size of the first operand."""

    small: Kernel
    large: Kernel
    smallest: int  # the fewest elements for `large`


def by_size(small: Kernel, large: Kernel, smallest: int) -> Kernel:
    """A kernel, or a rule, that calls `large` for arrays of at least `smallest` elements, and `small` for all others."""

    def run(first: object, *rest: object, **attributes: object) -> Any:
        if first.__class__ is np.ndarray and first.size >= smallest:
            return large(first, *rest, **attributes)
        return small(first, *rest, **attributes)

    return with_choice(run, Choice(small, large, smallest))


def with_choice(run: Kernel, choice: Choice) -> Kernel:
    """The function, with the choice that it makes as an attribute."""
    run.choice = choice  # type: ignore[attr-defined]
    return run


def choice_of(kernel: Kernel) -> Choice | None:
    """The two ways of a kernel or a rule, if it has two."""
    found: Choice | None = getattr(kernel, "choice", None)
    return found


def is_native(array: Any) -> bool:
    """Whether there is machine code, and it takes the array's type."""
    return array.dtype.char in "fd" and engine.available()


# --- choices by more than the number of elements --------------------------------------------------------------------------


def in_rows(elements: int) -> bool:
    """Whether a kernel over the rows of a matrix of so many elements runs in machine code."""
    return elements >= thresholds.ROWS_ELEMENTS and engine.available()


def in_normalization_blocks(elements: int) -> bool:
    """Whether NumPy normalises rows block by block."""
    return elements > thresholds.NORMALIZATION_BLOCK_ELEMENTS


def in_recurrent_steps(state: Any) -> bool:
    """Whether a step of a recurrent layer with such a state runs in machine code."""
    long = state.size >= thresholds.ONE_PASS_ELEMENTS and state.shape[-1] >= thresholds.RECURRENT_COLUMNS
    return bool(long and engine.available())


def in_pools(elements: int) -> bool:
    """Whether a pool of so many elements runs in machine code."""
    return elements >= thresholds.POOL_ELEMENTS and engine.available()


def in_convolutions(multiplications: int, pixels: int) -> bool:
    """Whether a convolution with so many outputs in a batch runs in machine code."""
    large = multiplications >= thresholds.CONV_MULTIPLICATIONS and pixels >= thresholds.CONV_PIXELS
    return large and engine.available()


def in_depthwise_convolutions(multiplications: int, line: int) -> bool:
    """Whether a convolution with one filter for each channel, and windows with lines of that length, runs in machine code."""
    large = multiplications >= thresholds.DEPTHWISE_MULTIPLICATIONS and line <= thresholds.DEPTHWISE_LINE_PLACES
    return large and engine.available()


def sums_of_filters_stay_cached(filters: int, pixels: int) -> bool:
    """Whether the gradient of so many numbers in filters by images with so many outputs suits machine code."""
    return filters <= thresholds.CONV_CACHED_FILTERS or pixels >= thresholds.CONV_SMALL_IMAGE_PIXELS


def in_few_convolutions(kernels: int) -> bool:
    """Whether a gradient in the input is so few convolutions that machine code runs them."""
    return kernels <= thresholds.CONV_GRADIENT_KERNELS
