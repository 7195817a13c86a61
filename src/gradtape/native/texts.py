"""Texts that are compiled when they are first called with large enough arrays."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..base.threads import in_parts
from . import engine, thresholds
from .abi import makes_ufuncs

_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


class CompiledText:
    """An elementwise NumPy text, compiled to one ufunc for each combination of types and attributes that it is called with."""

    def __init__(self, text: Callable[..., Any]) -> None:
        self._text = text
        self._ufuncs: dict[Any, np.ufunc | None] = {}
        self.ready: dict[Any, np.ufunc] = {}  # what there is for operands of one type, without attributes

    def __call__(self, operands: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
        """The result, or None where NumPy has to run the text."""
        ufunc = self.ufunc_of(operands, attributes)
        return None if ufunc is None else apply(ufunc, operands)

    def ufunc_of(self, operands: tuple[Any, ...], attributes: dict[str, Any]) -> np.ufunc | None:
        """What is compiled for such operands; None if nothing can be."""
        key: Any = (*[x.dtype if x.__class__ is np.ndarray else None for x in operands], *attributes.values())
        try:
            return self._ufuncs[key]
        except KeyError:
            return self._ufuncs.setdefault(key, self._compiled(key, attributes))

    def _compiled(self, dtypes: tuple[Any, ...], attributes: dict[str, Any]) -> np.ufunc | None:
        dtypes = dtypes[: len(dtypes) - len(attributes)]
        # (None, for what is no array, equals NumPy's default type.)
        if not engine.available() or not makes_ufuncs() or any(d is None or d not in _FLOATS for d in dtypes):
            return None
        from .language import Unsupported
        from .ufuncs import ufunc

        try:
            name = self._text.__name__.strip("_") or "text"
            made = ufunc(name, functools.partial(self._text, **attributes), dtypes)
        except Unsupported:
            return None
        if not attributes and len(set(dtypes)) == 1:
            self.ready[dtypes[0]] = made
        return made


def apply(ufunc: np.ufunc, operands: tuple[Any, ...]) -> Any:
    """A compiled ufunc on arrays, on all cores if they are large."""
    if operands[0].size < thresholds.TEXT_CORES_ELEMENTS:
        return ufunc(*operands)
    return _on_all_cores()(ufunc, operands)


@functools.cache
def _on_all_cores() -> Any:
    from . import ufuncs  # imported late: it imports llvmlite

    return ufuncs.apply


class NumPyFunction:
    """A NumPy function of one operand on large arrays: in machine code where functions.py has it, else NumPy's; on all cores."""

    smallest = thresholds.FUNCTION_ELEMENTS

    def __init__(self, numpy: np.ufunc) -> None:
        self._numpy = numpy
        self._compiled = CompiledText(numpy)

    def __call__(self, x: Any) -> Any:
        result = self._compiled((x,), {})
        if result is not None:
            return result
        if x.size < thresholds.NUMPY_CORES_ELEMENTS or not x.flags.c_contiguous or x.dtype.kind not in "fc":
            return self._numpy(x)
        operand, result = x.reshape(-1), np.empty(x.shape, self._numpy.resolve_dtypes((x.dtype, None))[1])
        target = result.reshape(-1)
        in_parts(
            lambda start, stop: self._numpy(operand[start:stop], out=target[start:stop]),
            x.size,
            thresholds.NUMPY_CORES_ELEMENTS // 2,
        )
        return result


class Exact:
    """A kernel whose results are rounded exactly by NumPy and by machine code. Programs that use it often compile it.

    Compiling takes 20 ms, so NumPy runs such kernels until it has computed many elements. The results have the same bits.
    """

    smallest = thresholds.EXACT_ELEMENTS
    seen = 0  # elements of large arrays, of all exact kernels together

    def __init__(self, kernel: Callable[..., Any]) -> None:
        self._kernel = kernel
        self._compiled = CompiledText(kernel)

    def __call__(self, first: Any, *rest: Any) -> Any:
        """The kernel of a large array and others, or Python numbers, which take the array's type."""
        result = None
        if self._is_due(first.size):
            dtype = first.dtype
            ufunc = self._compiled.ready.get(dtype)
            if ufunc is not None and all(x.__class__ is np.ndarray and x.dtype is dtype for x in rest):
                return _on_all_cores()(ufunc, (first, *rest))  # a fast path of the general case below
            if all(x.__class__ in (np.ndarray, float, int, dtype.type) for x in rest):
                others = [x if x.__class__ is np.ndarray else np.asarray(x, dtype) for x in rest]
                result = self._compiled((first, *others), {})
        return self._kernel(first, *rest) if result is None else result

    def into(self, total: Any, part: Any) -> bool:
        """total = kernel(total, part) in the memory of the total, if machine code can do it; returns whether it did."""
        lie_alike = total.shape == part.shape and total.flags.c_contiguous and part.flags.c_contiguous
        ufunc = self._compiled.ufunc_of((total, part), {}) if self._is_due(total.size) and lie_alike else None
        if ufunc is None:
            return False
        from . import ufuncs

        ufuncs.apply_in_place(ufunc, [total, part], [total])
        return True

    def _is_due(self, size: int) -> bool:
        if Exact.seen < thresholds.EXACT_SEEN_ELEMENTS:
            Exact.seen += size
            return False
        return True
