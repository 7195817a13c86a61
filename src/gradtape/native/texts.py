"""NumPy texts that compile themselves when they meet arrays large enough."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .engine import available

SMALLEST = 1 << 12  # elements, from which on one pass in machine code is faster than a few NumPy calls
_SHARED = 1 << 15  # elements that are worth a second core
_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


class CompiledText:
    """An elementwise NumPy text, as one ufunc for each combination of types and attributes that it meets."""

    def __init__(self, text: Callable[..., Any]) -> None:
        self._text = text
        self._ufuncs: dict[Any, np.ufunc | None] = {}

    def __call__(self, operands: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
        """The result, or None where NumPy has to run the text."""
        key: Any = tuple([x.dtype if x.__class__ is np.ndarray else None for x in operands])
        if attributes:
            key += tuple(attributes.values())
        try:
            ufunc = self._ufuncs[key]
        except KeyError:
            ufunc = self._ufuncs[key] = self._compiled(key, attributes)
        return None if ufunc is None else apply(ufunc, operands)

    def _compiled(self, dtypes: tuple[Any, ...], attributes: dict[str, Any]) -> np.ufunc | None:
        dtypes = dtypes[: len(dtypes) - len(attributes)]
        if not available() or not all(dtype in _FLOATS for dtype in dtypes):
            return None
        from .language import Unsupported
        from .ufuncs import ufunc

        try:
            return ufunc(self._text.__name__.strip("_"), functools.partial(self._text, **attributes), dtypes)
        except Unsupported:
            return None


def apply(ufunc: np.ufunc, operands: tuple[Any, ...]) -> Any:
    """A compiled ufunc on arrays, on all cores if they are large and lie alike."""
    first = operands[0]
    if first.size < _SHARED or any(x.shape != first.shape or not x.flags.c_contiguous for x in operands):
        return ufunc(*operands)
    from . import ufuncs

    result = np.empty(first.shape, first.dtype)
    ufuncs.apply(ufunc, operands, (result,))
    return result
