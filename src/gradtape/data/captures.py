"""Whether a pipeline is made of tensors that have no value before a function runs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from types import CellType, FunctionType, MethodType
from typing import Any

from ..base.frames import module_of
from ..trace.symbolic import is_symbolic
from ..values.composite import COMPOSITES, is_composite

_PLAIN = (bool, int, float, complex, str, bytes, type(None), type)


def holds_symbolic(pipeline: object) -> bool:
    """Whether a symbolic tensor is in one of its steps, or in a function that one of them calls."""
    seen, waiting = set(), [pipeline]
    while waiting:
        value = waiting.pop()
        if isinstance(value, _PLAIN) or id(value) in seen:
            continue
        if is_symbolic(value):
            return True
        seen.add(id(value))
        waiting += _parts(value)
    return False


def _parts(value: object) -> Iterator[Any]:
    """What a step, a structure or a function refers to."""
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, (list, tuple)):
        yield from value
    elif isinstance(value, FunctionType):
        yield from value.__closure__ or ()
        yield from value.__defaults__ or ()
    elif isinstance(value, CellType):
        if value != CellType():
            yield value.cell_contents
    elif isinstance(value, MethodType):
        yield value.__func__
    elif isinstance(value, partial):
        yield from (value.func, value.args, value.keywords)
    elif is_composite(value):
        yield from COMPOSITES[value.__class__].parts(value)
    elif module_of(type(value)).startswith(__package__):
        yield from getattr(value, "__dict__", {}).values()
        for cls in type(value).__mro__:
            yield from (getattr(value, name, None) for name in getattr(cls, "__slots__", ()))
