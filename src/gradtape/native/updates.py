"""Updates of optimizers: one elementwise text for a variable and its slots, done in place and in one pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..base.threads import in_parts
from . import engine, thresholds
from .abi import makes_ufuncs

Text = Callable[..., tuple[Any, ...]]


def _is_compiled() -> bool:
    return engine.available() and makes_ufuncs()


class Update:
    """`text(gradient, *values, *numbers)` gives a tuple of the new values; a call writes them where the old ones are.

    The text should change the values by `+=` and the like: NumPy then works in place. It is compiled for the first array that is
    large enough; small arrays then use the compiled form too, which gives the same bits.
    """

    def __init__(self, text: Text, values: int) -> None:
        self._text = text
        self._values = values
        self._ufuncs: dict[Any, np.ufunc] = {}

    def __call__(self, gradient: Any, values: Sequence[Any], numbers: Sequence[float]) -> None:
        """All arrays are flat, without gaps, and of one length and type, in which the numbers are taken."""
        size, dtype = gradient.size, gradient.dtype
        ufunc = self._ufuncs.get(dtype)
        if ufunc is None and size >= thresholds.ONE_PASS_ELEMENTS and dtype.char in "fd" and _is_compiled():
            ufunc = self._ufuncs[dtype] = self._compiled(dtype, len(numbers))
        if ufunc is None:
            self._with_numpy(gradient, values, [dtype.type(number) for number in numbers])
        elif size < thresholds.UPDATE_PART_ELEMENTS:
            ufunc(gradient, *values, *[dtype.type(number) for number in numbers], out=tuple(values))
        else:
            from . import ufuncs

            ufuncs.apply_in_place(ufunc, [gradient, *values, *[np.array(number, dtype) for number in numbers]], values)

    def _compiled(self, dtype: object, numbers: int) -> np.ufunc:
        from .ufuncs import ufunc

        text = self._text if self._values > 1 else lambda *operands: self._text(*operands)[0]
        return ufunc("update", text, [dtype] * (1 + self._values + numbers), self._values)

    def _with_numpy(self, gradient: Any, values: Sequence[Any], constants: list[Any]) -> None:
        length = thresholds.UPDATE_BLOCK_ELEMENTS

        def part(start: int, stop: int) -> None:
            for low in range(start, stop, length):
                block = slice(low, min(low + length, stop))
                self._in_cache(gradient[block], [value[block] for value in values], constants)

        if gradient.size > length:
            in_parts(part, gradient.size, thresholds.UPDATE_PART_ELEMENTS)
        else:
            self._in_cache(gradient, values, constants)

    def _in_cache(self, gradient: object, values: Sequence[Any], constants: list[Any]) -> None:
        for value, new in zip(values, self._text(gradient, *values, *constants), strict=True):
            if new is not value:
                value[:] = new
