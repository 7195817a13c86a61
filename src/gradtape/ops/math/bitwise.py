"""Operations on the bits of integers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...base.dtypes import INTEGER, Array
from ...base.types import Namespace
from ...op.declaration import BadInput
from ..family import elementwise, sample_binary, sample_unary


@elementwise(eager=np.bitwise_and, dtypes=INTEGER)
def bitwise_and(xp: Namespace, x: Array, y: Array) -> Any:
    """The bits that are set in both."""
    return x & y


@elementwise(eager=np.bitwise_or, dtypes=INTEGER)
def bitwise_or(xp: Namespace, x: Array, y: Array) -> Any:
    """The bits that are set in at least one."""
    return x | y


@elementwise(eager=np.bitwise_xor, dtypes=INTEGER)
def bitwise_xor(xp: Namespace, x: Array, y: Array) -> Any:
    """The bits that are set in exactly one."""
    return x ^ y


@elementwise(eager=np.invert, dtypes=INTEGER)
def invert(xp: Namespace, x: Array) -> Any:
    """All bits flipped."""
    return ~x


def _shift(shift: Callable[..., Array]) -> Callable[..., Array]:
    # What C leaves undefined is clamped, as in TensorFlow: amounts below 0, or of the width and more.
    def kernel(x: Array, y: Array) -> Array:
        return shift(x, np.clip(y, 0, y.dtype.itemsize * 8 - 1))

    return kernel


@elementwise(eager=_shift(np.left_shift), dtypes=INTEGER)
def left_shift(xp: Namespace, x: Array, y: Array) -> Any:
    """The bits moved y places up; y is clamped to the places that there are."""
    return x << xp.clip(y, 0, x.dtype.itemsize * 8 - 1)


@elementwise(eager=_shift(np.right_shift), dtypes=INTEGER)
def right_shift(xp: Namespace, x: Array, y: Array) -> Any:
    """The bits moved y places down, the sign kept; y is clamped to the places that there are."""
    return x >> xp.clip(y, 0, x.dtype.itemsize * 8 - 1)


for _op in (bitwise_and, bitwise_or, bitwise_xor, invert, left_shift, right_shift):
    _op.not_differentiable("its operands are integers")
for _op in (bitwise_and, bitwise_or, bitwise_xor):
    sample_binary(_op)
for _op in (left_shift, right_shift):
    sample_binary(_op, second=(0.0, 3.0))
sample_unary(invert)


@invert.rejects
def _() -> Iterator[BadInput]:
    for dtype in (np.float64, np.complex64, np.bool_, np.float16):
        yield BadInput("only integers have bits to flip", (np.ones(2, dtype),))
