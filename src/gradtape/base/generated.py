"""Text that becomes code: the one place where Python source is compiled, and what may stand in it.

Entries of ops, programs of traced functions and blocks of fused ops are written as text. What users and files bring
never becomes a part of it:

- A value is an object that the text refers to by a generated name (`Names`). Only whole numbers, True, False and None, and
  tuples of them, are written out (`literal`).
- A name that the text must spell, as that of an op's parameter, is a plain identifier (`identifier`).

And compiled text reaches nothing that it was not given: it runs without builtins.
"""

from __future__ import annotations

import importlib
import keyword
import linecache
import sys
import weakref
from types import FunctionType
from typing import Any
from unicodedata import is_normalized


def _import_for_numpy(name: str, *_: object) -> None:
    """Import a part of a package that is in use, and give nothing back.

    NumPy's C code imports parts of itself at their first use, through the `__import__` of the code that calls it, and
    takes the module from `sys.modules`. To text that spells `__import__` this gives None.
    """
    if name.partition(".")[0] not in sys.modules:
        raise ImportError(f"Generated code imports nothing, and {name!r} is not in use.", name=name)
    importlib.import_module(name)


_BUILTINS = {"__import__": _import_for_numpy}


def scope(module: str, **objects: object) -> dict[str, Any]:
    """The globals of generated functions: these objects, and no builtins."""
    return {"__name__": module, "__builtins__": _BUILTINS, **objects}


def define(source: str, filename: str, objects: dict[str, Any]) -> FunctionType:
    """The one function that a generated text defines, with globals made by `scope`."""
    assert objects["__builtins__"] is _BUILTINS
    defined: dict[str, Any] = {}
    exec(compile(source, filename, "exec", dont_inherit=True), objects, defined)
    (function,) = defined.values()
    assert isinstance(function, FunctionType)
    # Tracebacks show these lines as long as the code object lives.
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    weakref.finalize(function.__code__, linecache.cache.pop, filename, None).atexit = False
    return function


class Names:
    """Names for the objects that a text uses, in the globals of the function it defines."""

    def __init__(self) -> None:
        self.objects = scope("gradtape.compile.generated")
        self._known: dict[int, str] = {}  # by identity: the objects live as long as this

    def of(self, prefix: str, thing: object) -> str:
        """The name of an object; `prefix` tells the reader of the text what it is."""
        name = self._known.get(id(thing))
        if name is None:
            name = self._known[id(thing)] = f"{prefix}{len(self.objects)}"
            self.objects[name] = thing
        return name

    def setting(self, name: str, value: object) -> str:
        """`name=value` in a call: the name is an identifier, the value written out where it can be."""
        return f"{identifier(name)}={literal(value) or self.of('a', value)}"


def literal(value: Any) -> str | None:
    """The text of None, of a bool, of an int of 64 bits, or of a tuple of them; None for everything else.

    Classes are compared with `is`: a subclass could define its own text.
    """
    cls = value.__class__
    if value is None or cls is bool or (cls is int and -(1 << 63) <= value < 1 << 63):
        return repr(value)
    if cls is tuple:
        parts = [literal(part) for part in value]
        return None if None in parts else f"({''.join(f'{part}, ' for part in parts)})"
    return None


def identifier(name: object) -> str:
    """The name, if Python takes it as that of a parameter, and as it is: it reads other forms of a letter as one."""
    if (
        name.__class__ is not str
        or not name.isidentifier()
        or keyword.iskeyword(name)
        or not is_normalized("NFKC", name)
    ):
        raise ValueError(f"A plain name is needed, as that of a parameter of a Python function; got {name!r}.")
    return str(name)
