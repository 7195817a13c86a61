"""Steps as machine code, and as functions that Python calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from llvmlite import ir

from ...native import abi, engine
from ...native.object_cache import of_user
from ...variables.variable import Variable
from .body import write_body
from .entry import ARRAYS, Entry
from .identity import Identity, Unidentified
from .known import Known, known, remember
from .memory import Table
from .stand_in import StandIn
from .steps import AnyStep, Buffer
from .variables import Change

_OTHERWISE, _NAMES = 0, 1  # places in the table of what each function of Python has of its own


@dataclass(slots=True)
class Parts:
    """What a native function is written from."""

    steps: Sequence[AnyStep]  # what is to be done
    given: Sequence[Buffer]  # the memory of arguments
    results: Sequence[StandIn]  # what is made
    returned: Any = ARRAYS  # how results are returned; see `entry.Entry`
    read: Sequence[tuple[Variable, Buffer]] = ()  # variables whose values are taken at each call, each with its memory
    changed: Sequence[tuple[Variable, StandIn]] = ()  # variables that get new values, and these
    own: bool = False  # whether the arithmetic is our own (see fast_math.py)


class NativeCode:
    """Steps as machine code: made once, it becomes functions of Python."""

    def __init__(self, parts: Parts) -> None:
        self._parts: Parts | None = parts
        self._made: Known | None = None

    @property
    def address(self) -> int:
        """Where the machine code begins; it is compiled now, if it was not before."""
        return self._compiled().address

    def function(self, otherwise: Callable[..., Any], names: tuple[str, ...] = ()) -> Any:
        """The steps as a function of Python, whose arguments have these names (interned ones: they are compared by identity).

        Where an argument is not what the steps are for (another type, shape or layout), `otherwise` is called with the same
        arguments: what that returns or raises is the result.
        """
        address, made = self._compiled()
        addresses = list(made.addresses)
        addresses[_OTHERWISE], addresses[_NAMES] = id(otherwise), id(names)
        return abi.new_function("whole", address, abi.new_table(addresses, [*made.kept, otherwise, names]))

    def _compiled(self) -> Known:
        if self._made is None:
            assert self._parts is not None
            self._made, self._parts = _compiled(self._parts), None  # (the steps are needed no more)
        return self._made


def _compiled(parts: Parts) -> Known:
    """From disk, if it is known there; else it is written and compiled, and noted there."""
    identity = _identity(parts) if of_user() is not None else None
    found = None if identity is None else known(identity)
    if found is not None:
        return found
    module, table = written(parts, identity)
    text = str(module)
    (address,) = engine.compiled(text, "entry")
    if identity is not None:
        remember(identity, engine.module_key(text), table)
    return Known(address, table)


def _identity(parts: Parts) -> Identity | None:
    try:
        return Identity(parts)
    except Unidentified:
        return None


def written(parts: Parts, identity: Identity | None = None) -> tuple[ir.Module, Table]:
    """The text of LLVM, and the table that its function is given."""
    module, table = ir.Module("whole"), Table(identity.origin if identity is not None else None)
    reserved = table.reserve(), table.reserve()
    assert reserved == (_OTHERWISE, _NAMES)
    outputs = [result.array for result in parts.results]  # (in memory of their own, laid out as NumPy's would be)
    places = {variable._id: place for place, (variable, _) in enumerate(parts.read)}
    changes = [
        Change(variable, np.empty(value.shape, value.dtype), places.get(variable._id))
        for variable, value in parts.changed
    ]
    entry = Entry(module, table, reserved, parts.given, parts.read, changes, outputs, parts.returned)
    memory = [*parts.given, *(buffer for _, buffer in parts.read)]
    values = [value for _, value in parts.changed]
    room = entry.variables.make_room
    body = write_body(module, table, list(parts.steps), memory, list(parts.results), outputs, values, room, parts.own)
    entry.write(body)
    return module, table
