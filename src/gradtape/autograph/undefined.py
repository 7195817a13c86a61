"""Names that have no value yet. Converted code needs a value for every name that a loop or a branch may set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn


class Undefined:
    """Stands for a name that is not bound; reading it fails as Python does."""

    __slots__ = ("symbol_name",)

    def __init__(self, symbol_name: str) -> None:
        self.symbol_name = symbol_name

    def read(self) -> NoReturn:
        """Fail as reading an unbound name does."""
        raise UnboundLocalError(
            f"cannot access local variable '{self.symbol_name}' where it is not associated with a value"
        )

    def __repr__(self) -> str:
        return f"<undefined {self.symbol_name}>"


class UndefinedReturnValue:
    """Stands for what a function returns before it has reached a `return`."""

    def __repr__(self) -> str:
        return "<no return value>"


def is_undefined(value: object) -> bool:
    """Whether the value is a placeholder for a missing value."""
    return isinstance(value, (Undefined, UndefinedReturnValue))


def ld(value: object) -> Any:
    """Read a name."""
    if value.__class__ is Undefined:
        value.read()
    return value


def ldu(load: Callable[[], Any], name: str) -> Any:
    """Read something like `self.x` or `d['a']`, which may not be there."""
    try:
        return load()
    except (KeyError, AttributeError, NameError, IndexError):
        return Undefined(name)
