"""Steps as machine code, and as functions that Python calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from llvmlite import ir

from ...native import abi, engine
from ...variables.variable import Variable
from .body import write_body
from .entry import ARRAYS, Entry
from .memory import Table
from .stand_in import StandIn
from .steps import AnyStep, Buffer
from .variables import Change


class NativeCode:
    """Steps as machine code: made once, it becomes functions of Python.

    Args:
        steps: What is to be done.
        given: The memory of arguments.
        results: What is made.
        returned: How results are returned; see `entry.Entry`.
        read: Variables whose values are taken at each call, each with its memory.
        changed: Variables that get new values, and these.
        own: Whether the arithmetic is our own (see own.py).
    """

    def __init__(
        self,
        steps: Sequence[AnyStep],
        given: Sequence[Buffer],
        results: Sequence[StandIn],
        returned: Any = ARRAYS,
        read: Sequence[tuple[Variable, Buffer]] = (),
        changed: Sequence[tuple[Variable, StandIn]] = (),
        own: bool = False,
    ) -> None:
        self.module, self._addresses = ir.Module("whole"), Table()
        self._otherwise, self._names = self._addresses.reserve(), self._addresses.reserve()
        self._address: int | None = None
        outputs = [
            result.array for result in results
        ]  # (in memory of their own, which is laid out as NumPy's would be)
        places = {variable._id: place for place, (variable, _) in enumerate(read)}
        changes = [
            Change(variable, np.empty(value.shape, value.dtype), places.get(variable._id))
            for variable, value in changed
        ]
        reserved = self._otherwise, self._names
        entry = Entry(self.module, self._addresses, reserved, given, read, changes, outputs, returned)
        memory = [*given, *(buffer for _, buffer in read)]
        values = [value for _, value in changed]
        room = entry.variables.make_room
        body = write_body(self.module, self._addresses, list(steps), memory, list(results), outputs, values, room, own)
        entry.write(body)

    @property
    def address(self) -> int:
        """Where the machine code begins; it is compiled now, if it was not before."""
        if self._address is None:
            (self._address,) = engine.compiled(self.module, "entry")
        return self._address

    def function(self, otherwise: Callable[..., Any], names: tuple[str, ...] = ()) -> Any:
        """The steps as a function of Python, whose arguments have these names (interned ones: they are compared by identity).

        Where an argument is not what the steps are for (another type, shape or layout), `otherwise` is called with the same
        arguments: what that returns or raises is the result.
        """
        addresses = list(self._addresses.addresses)
        addresses[self._otherwise], addresses[self._names] = id(otherwise), id(names)
        table = abi.new_table(addresses, [*self._addresses.kept, otherwise, names])
        return abi.new_function("whole", self.address, table)
