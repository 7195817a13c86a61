"""Steps as machine code, and as functions that Python calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from llvmlite import ir

from ...native import abi, engine
from .body import write_body
from .entry import Entry, Returned
from .memory import Table
from .stand_in import StandIn
from .steps import AnyStep, Array, Buffer


class NativeCode:
    """Steps as machine code: made once, it becomes functions of Python.

    Args:
        steps: What is to be done.
        given: The memory of arguments, and of variables after them.
        results: What is made.
        variables: Variables whose values are read at each call.
        returned: How results are returned; see `entry.Returned`.
    """

    def __init__(
        self,
        steps: Sequence[AnyStep],
        given: Sequence[Buffer],
        results: Sequence[StandIn],
        variables: Sequence[Any] = (),
        returned: Returned | None = None,
    ) -> None:
        self.module, self._addresses = ir.Module("whole"), Table()
        self._otherwise = self._addresses.reserve()
        self._address: int | None = None
        outputs = [_own_memory(result) for result in results]
        body = write_body(self.module, self._addresses, list(steps), list(given), list(results), outputs)
        arguments = list(given[: len(given) - len(variables)])
        inside = list(zip(variables, given[len(arguments) :], strict=True))
        Entry(self.module, self._addresses, self._otherwise, body, arguments, inside, outputs, returned)

    @property
    def address(self) -> int:
        """Where the machine code begins; it is compiled now, if it was not before."""
        if self._address is None:
            (self._address,) = engine.compiled(self.module, "entry")
        return self._address

    def function(self, otherwise: Callable[..., Any]) -> Any:
        """The steps as a function of Python.

        Where an argument is not what the steps are for (another type, shape or layout), `otherwise` is called with the same
        arguments: what that returns or raises is the result.
        """
        addresses = list(self._addresses.addresses)
        addresses[self._otherwise] = id(otherwise)
        table = abi.new_table(addresses, [*self._addresses.kept, otherwise])
        return abi.new_function("whole", self.address, table)


def _own_memory(result: StandIn) -> Array:
    """An array of the layout that a result is returned in: NumPy's, or without gaps where that would be a part of another."""
    array = result.array
    dense = np.empty_like(array)  # (in the order of the axes that the array has)
    return dense if dense.strides == array.strides else np.empty(array.shape, array.dtype)
