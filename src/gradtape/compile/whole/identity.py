"""What the text of a native function depends on, as one number that is there before the text is.

The text is written from steps, arguments and results alone, so these are gone through, with everything in them: a new field of a
step is part of the number without a line here. Besides them, the text depends on the code that writes it, on thresholds, and on
what machine code depends on anyway (`engine.machine_identity`).
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...native import abi, engine, thresholds
from ...native.object_cache import key_of
from ...values.tensor import EagerTensor, Tensor
from ...variables.in_place import MASK
from ..program import Value
from .origins import Origin, has_name, of_object
from .stand_in import StandIn
from .steps import CONSTANT, Buffer, Check, Choice, Part, Rounds, Step, View

if TYPE_CHECKING:
    from .native_function import Parts

# Folders and files of gradtape whose code a text depends on, besides the steps: writers, and whom they ask.
SOURCES = ("compile/whole", "native", "values", "base/memory.py", "variables/in_place.py")
_PACKAGE = os.path.join(os.path.dirname(__file__), os.pardir, os.pardir)
_PLAIN = (int, bool, str, type(None))
_SHORT = 1 << 10  # bytes of a constant that are part of a key as they are


class Unidentified(Exception):
    """Something that there are no words for: the text is written to know what it is."""


class Identity:
    """The key of a native function, and the things that belong to its program, in the order in which they were met."""

    def __init__(self, parts: Parts) -> None:
        self.things: list[Any] = []
        self._places: dict[int, int] = {}  # by identity, arrays by the address of their elements
        self._buffers: dict[Buffer, int] = {}
        found = (
            [self._buffer(buffer) for buffer in parts.given],
            [(self._thing(variable), self._buffer(buffer)) for variable, buffer in parts.read],
            [self._of(step) for step in parts.steps],
            [self._of(result) for result in parts.results],
            self._returned(parts.returned),
            [(self._thing(variable), self._thing(variable._id), self._of(value)) for variable, value in parts.changed],
            len({variable._id & MASK for variable, _ in parts.changed}),
            parts.own,
        )
        surroundings = _of_code()
        if surroundings is None:
            raise Unidentified("the source of gradtape cannot be read")
        self.key = key_of("steps", repr(found), repr(_of_process()), surroundings, *engine.machine_identity())

    def origin(self, address: int) -> Origin | None:
        """The place of a thing of the program, by its address."""
        place = self._places.get(address)
        return None if place is None else ("thing", place)

    # --- one thing after the other ---------------------------------------------------------------------------------

    def _thing(self, thing: Any, address: int | None = None) -> int:
        address = id(thing) if address is None else address
        place = self._places.get(address)
        if place is None:
            place = self._places[address] = len(self.things)
            self.things.append(thing)
        return place

    def _of(self, value: Any) -> Any:
        kind = type(value)  # (what stands for an array says that it is one)
        if kind in _PLAIN:
            return value
        if kind is View:
            return self._view(value)
        if kind is StandIn:
            return "stand-in", self._view(value.located), value.array is value.buffer.array
        if kind is Buffer:
            return self._buffer(value)
        if kind in (list, tuple):
            return [self._of(part) for part in value]
        if kind is dict:
            return [(self._of(key), self._of(part)) for key, part in value.items()]
        if isinstance(value, np.dtype):
            return self._dtype(value)
        if isinstance(value, np.ufunc):
            name = value.__name__
            is_numpys = getattr(np, name, None) is value
            return "ufunc", name, is_numpys, value.nin, value.nout, repr(value.identity), self._thing(value)
        if isinstance(value, (Step, Part, Rounds, Choice, Check)):
            return kind.__name__, [self._of(getattr(value, name)) for name in _fields(kind)]  # type: ignore[arg-type]
        if isinstance(value, (np.generic, float, complex)):
            number = np.asarray(value)
            return "number", number.dtype.char, number.tobytes()
        if callable(value):
            return "function", self._thing(value)
        raise Unidentified(f"{kind.__name__} as a part of a step")

    def _view(self, view: View) -> Any:
        return self._buffer(view.buffer), view.offset, view.shape, view.strides, self._dtype(view.dtype)

    def _buffer(self, buffer: Buffer) -> Any:
        """Its number; the first time also what is known of it. A constant's elements may stand in the text."""
        place = self._buffers.get(buffer)
        if place is not None:
            return place
        self._buffers[buffer] = len(self._buffers)
        array = buffer.array
        look = buffer.kind, array.shape, array.strides, self._dtype(array.dtype), buffer.extra
        if buffer.kind != CONSTANT:
            return look
        return *look, self._thing(array, abi.address_of(array)), _elements(array)

    def _dtype(self, dtype: np.dtype[Any]) -> str:
        if not has_name(dtype):
            raise Unidentified(f"elements of {dtype}")
        return dtype.char

    def _returned(self, structure: Any) -> Any:
        kind = structure.__class__
        if kind is Value:
            return structure.number
        if kind in (list, tuple):
            return kind.__name__, [self._returned(part) for part in structure]
        if kind is dict:
            if not all(type(key) in _PLAIN for key in structure):
                raise Unidentified("a dict with keys that are no texts or numbers")
            return "dict", [(key, self._thing(key), self._returned(part)) for key, part in structure.items()]
        if kind is EagerTensor:
            return "tensor", self._thing(structure)
        if of_object(structure) is None and kind is not object:
            raise Unidentified(f"{kind.__name__} as a result")
        return kind.__name__


def _elements(array: np.ndarray[Any, Any]) -> bytes:
    """What tells the elements of a constant from others: of many, such as a table of embeddings, a digest."""
    if array.size and not any(array.strides):  # one number, however often it counts
        array = array[(0,) * array.ndim]
    if array.nbytes <= _SHORT:
        return array.tobytes()
    return hashlib.sha256(np.ascontiguousarray(array).view(np.uint8).data).digest()


@functools.cache
def _fields(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))


def _of_process() -> Sequence[Any]:
    """Numbers that can be changed while a process runs, and what it has found out about the interpreter and NumPy."""
    fields = [abi.slot_offset(Tensor.__dict__[name]) for name in ("_array", "_id")]
    numbers = [(name, value) for name, value in vars(thresholds).items() if name.isupper()]
    return abi.array_fields(), fields, abi.reads_counts(), abi.orders_lines(), numbers


@functools.cache
def _of_code() -> str | None:
    """The code that writes texts; None where its source is not there."""
    try:
        texts = [(name, _text(name)) for source in SOURCES for name in _files(source)]
    except OSError:
        return None
    return key_of(*(part for named in texts for part in named))


def _files(source: str) -> list[str]:
    if source.endswith(".py"):
        return [source]
    return [f"{source}/{name}" for name in sorted(os.listdir(os.path.join(_PACKAGE, source))) if name.endswith(".py")]


def _text(name: str) -> str:
    with open(os.path.join(_PACKAGE, name), "rb", buffering=0) as file:
        return file.read().decode()
