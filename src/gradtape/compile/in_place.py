"""Kernels that update variables, in place where nothing else refers to the old value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..variables.in_place import changed
from ..variables.variable import Variable


class UpdatingKernel:
    """A kernel, of which some operands are values of variables and some results are to be their new ones.

    Args:
        kernel: A function of arrays that returns several. `own=` says for each variable whether its operand may be written to.
        variables: The variables.
        places: The places of their operands.
        results: The places of their results.
    """

    def __init__(
        self, kernel: Any, variables: Sequence[Variable], places: Sequence[int], results: Sequence[int]
    ) -> None:
        self._kernel = kernel
        self._variables, self._places, self._results = variables, places, results

    def __call__(self, operands: list[Any], arrays: list[Any]) -> Any:
        """Run the kernel; `arrays` has the arrays read from the variables, or None for their present values (see `changed`)."""
        return changed(self._variables, arrays, self._compute, operands)

    def _compute(self, arrays: list[Any], own: list[bool], operands: list[Any]) -> Any:
        for place, array in zip(self._places, arrays, strict=True):
            operands[place] = array
        outputs = self._kernel(*operands, own=own)
        for place, result in enumerate(self._results):
            arrays[place] = outputs[result]
        return outputs


class UfuncKernel:
    """A ufunc as such a kernel: the operand at `place` is that of a variable."""

    def __init__(self, ufunc: np.ufunc, place: int) -> None:
        self._ufunc, self._place = ufunc, place

    def __call__(self, *operands: Any, own: list[bool]) -> tuple[Any]:
        return (self._ufunc(*operands, out=operands[self._place] if own[0] else None),)
