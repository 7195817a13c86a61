"""Public namespaces: names that are imported on first use, modules without a file of their own, and what `dir` shows of all."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any, NoReturn, TypeVar

from .absent import missing
from .frames import module_of
from .locks import new_rlock

_Body = TypeVar("_Body")

# Rooms whose functions and classes a namespace uses, but does not offer; the entries of ops are offered.
_BELOW = frozenset(
    ("base", "native", "values", "op", "ops", "variables", "differentiation", "trace", "autograph", "compile", "errors")
)


_LATER: dict[
    str, dict[str, tuple[str, str]]
] = {}  # the names that each namespace imports on first use, and their homes


def homes(namespace: str, table: dict[str, str]) -> dict[str, tuple[str, str]]:
    """Where each name that a namespace imports on first use is defined, for `take`.

    Args:
        namespace: The module's `__name__`.
        table: Modules of the package, with the names that are taken from them; `realdiv=divide` takes one under another name.
    """
    found = _LATER[namespace] = {}
    for module, names in table.items():
        for name in names.split():
            public, _, there = name.partition("=")
            found[public] = (f"gradtape.{module}", there or public)
    return found


def in_use(namespace: Any) -> dict[str, Any]:
    """The names of a namespace with their values, as `vars` gives them, and those of its later names whose home is imported."""
    later = {
        name: getattr(sys.modules[module], there)
        for name, (module, there) in _LATER.get(namespace.__name__, {}).items()
        if module in sys.modules
    }
    return later | vars(namespace)


_IMPORTING = new_rlock()
_IMPORTS_END = (
    5.0  # seconds after which another thread waits for this one: it came to a late import by an `import` statement
)


def import_late(module: str) -> ModuleType:
    """A module of this package, on first use; only one thread at a time does that.

    A thread that imports `io.tensors` takes the lock of that module before the one of `io`, one that imports `io` the other way
    round, and where Python finds two that wait for each other, it gives one of them a module that is half there.
    """
    held = _IMPORTING.acquire(timeout=_IMPORTS_END)
    try:
        return import_module(module)
    finally:
        if held:
            _IMPORTING.release()


def take(namespace: dict[str, Any], name: str, known: dict[str, tuple[str, str]]) -> Any:
    """A name that a namespace has not asked for yet, from the module that defines it; from then on it stands in the namespace."""
    module, there = known[name]
    namespace[name] = value = getattr(import_late(module), there)
    return value


def on_first_use(namespace: dict[str, Any], known: dict[str, tuple[str, str]]) -> Callable[[str], Any]:
    """The `__getattr__` of a module some of whose names are imported on first use."""

    def found(name: str) -> Any:
        if name in known:
            return take(namespace, name, known)
        if name == "__all__":  # `from gradtape.math import *` asks for it, and would else see only what has been used
            return listing(namespace, known)()
        raise missing(namespace["__name__"], name)

    return found


def namespace(*names: str) -> Callable[[type[_Body]], type[_Body]]:
    """Make a class body the module of these names, so that `import gradtape.config.threading` finds it.

    Python looks into `sys.modules` once more when the parent is imported; that is where such a module is found.
    """

    def made(body: type) -> Any:
        module = ModuleType(names[0], body.__doc__)
        module.__path__ = []  # as a package, so that finders are asked for what could stand below it
        for name, value in vars(body).items():
            if not name.startswith("__"):
                setattr(module, name, value.__func__ if isinstance(value, staticmethod) else value)
        module.__all__ = [name for name in vars(body) if not name.startswith("_")]  # type: ignore[attr-defined]
        module.__dir__ = listing(vars(module))  # type: ignore[method-assign]
        if parent := sys.modules.get(names[0].rpartition(".")[0]):
            vars(parent).setdefault("__path__", [])
        sys.modules.update(dict.fromkeys(names, module))
        return module

    return made


def as_one_class(body: type[_Body]) -> type[_Body]:
    """A class whose methods stand in several parts, which are its bases: the methods' names say the class, as errors show it."""
    for part in body.__mro__[1:]:
        if part.__module__.partition(".")[0] != "gradtape":
            continue
        for name, value in vars(part).items():
            function = getattr(value, "__func__", value)
            while isinstance(function, FunctionType):  # what decorators made of it, and it
                function.__module__, function.__qualname__ = body.__module__, f"{body.__qualname__}.{name}"
                function = getattr(function, "__wrapped__", None)
    return body


def listing(names: dict[str, Any], later: Iterable[str] = ()) -> Callable[[], list[str]]:
    """The `__dir__` of a module, from its `globals()`: its `__all__`, or else the functions and classes that it offers.

    `later` are names that are imported on first use. A name that the module lacks is refused with a word of what to use instead,
    unless the module has a `__getattr__` of its own. (One that is written in the module would tell type checkers that all names
    are there.)
    """

    def refuse(name: str) -> NoReturn:
        raise missing(names["__name__"], name)

    names.setdefault("__getattr__", refuse)

    def public() -> list[str]:
        if "__all__" in names:
            return sorted(names["__all__"])
        here = f"{names['__name__']}."
        offered = {name for name, value in names.items() if not name.startswith("_") and _is_offered(value, here)}
        return sorted(offered.union(later))

    return public


def _is_offered(value: object, here: str) -> bool:
    package, _, rest = (module_of(value) or str(getattr(value, "__name__", ""))).partition(".")
    room = rest.partition(".")[0]
    if package not in ("gradtape", "tensorflow"):
        return False
    if isinstance(value, ModuleType):
        return "__dir__" in vars(value) and (value.__name__.startswith(here) or room == "api")
    if isinstance(value, type):
        return room not in _BELOW
    return isinstance(value, FunctionType) and (hasattr(value, "op") or room not in _BELOW - {"variables"})
