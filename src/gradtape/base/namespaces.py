"""Public namespaces: small ones that are modules without a file of their own, and what `dir` shows of all of them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any, TypeVar

_Body = TypeVar("_Body")

# Rooms whose functions and classes a namespace uses, but does not offer; the entries of ops are offered.
_BELOW = frozenset(
    ("base", "native", "values", "op", "ops", "variables", "differentiation", "trace", "autograph", "compile", "errors")
)


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


def listing(names: dict[str, Any]) -> Callable[[], list[str]]:
    """The `__dir__` of a module, from its `globals()`: its `__all__`, or else the functions and classes that it offers."""

    def public() -> list[str]:
        if "__all__" in names:
            return sorted(names["__all__"])
        here = f"{names['__name__']}."
        return sorted(name for name, value in names.items() if not name.startswith("_") and _is_offered(value, here))

    return public


def _is_offered(value: object, here: str) -> bool:
    package, _, rest = str(getattr(value, "__module__", getattr(value, "__name__", ""))).partition(".")
    room = rest.partition(".")[0]
    if package not in ("gradtape", "tensorflow"):
        return False
    if isinstance(value, ModuleType):
        return "__dir__" in vars(value) and (value.__name__.startswith(here) or room == "api")
    if isinstance(value, type):
        return room not in _BELOW
    return isinstance(value, FunctionType) and (hasattr(value, "op") or room not in _BELOW - {"variables"})
