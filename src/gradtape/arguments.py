"""What an argument that is no tensor must be: truth values, text and functions, checked before a function runs.

TensorFlow is strict about these: `adjoint=1` is a TypeError, not True. Integers, axes and shapes are in `op.py`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])


def flag(name: str, value: Any) -> None:
    """Raise unless the value is True or False."""
    if value is not True and value is not False:
        raise TypeError(f"Expected bool for argument {name!r}, got {value!r}. Use True or False.")


def optional_flag(name: str, value: Any) -> None:
    """Raise unless the value is True, False or None."""
    if value is not None:
        flag(name, value)


def text(name: str, value: Any) -> None:
    """Raise unless the value is text."""
    if not isinstance(value, (str, bytes)):
        raise TypeError(f"Expected string for argument {name!r}, got {value!r} of type {type(value).__name__}.")


def function(name: str, value: Any) -> None:
    """Raise unless the value can be called."""
    if not callable(value):
        raise TypeError(f"{name!r} must be a function, got {value!r} of type {type(value).__name__}.")


def takes(**kinds: Callable[[str, Any], None]) -> Callable[[_Function], _Function]:
    """Decorator: check the named arguments, where they are given, before the function runs."""

    def declare(function: _Function) -> _Function:
        positions = list(inspect.signature(function).parameters)
        checks = [(positions.index(name), name, check) for name, check in kinds.items()]

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            for position, name, check in checks:
                if position < len(args):
                    check(name, args[position])
                elif name in kwargs:
                    check(name, kwargs[name])
            return function(*args, **kwargs)

        return call  # type: ignore[return-value]

    return declare
