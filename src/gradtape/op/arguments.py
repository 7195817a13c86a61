"""What an argument that is no tensor must be: truth values, text, numbers and so on, checked before a function runs.

TensorFlow is strict about these: `adjoint=1` is a TypeError, not True. Integers, axes and shapes are in `op/attributes.py`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from ..base import dtypes
from ..base.errors import InfiniteNumberError, NotTextError, TensorAsSettingError, TensorTypeError
from ..values.tensor import to_tensor
from .attributes import no_setting

_Function = TypeVar("_Function", bound=Callable[..., Any])


def flag(name: str, value: object) -> None:
    """Raise unless the value is True or False."""
    if value is not True and value is not False:
        message = f"Expected bool for argument {name!r}, got {value!r}. Use True or False."
        if no_setting(TypeError, value) is TypeError:
            raise TypeError(message)
        raise TensorAsSettingError(None, None, message)


def optional_flag(name: str, value: object) -> None:
    """Raise unless the value is True, False or None."""
    if value is not None:
        flag(name, value)


def truth(name: str, value: object) -> None:
    """Raise unless the value is True, False or a tensor of one truth value."""
    if value is not True and value is not False and to_tensor(value, dtypes.bool).ndim:
        raise TensorTypeError(None, None, f"{name!r} must be one truth value, got {value!r}.")


def real(name: str, value: object) -> None:
    """Raise where the value is a complex number."""
    if isinstance(value, complex):
        raise TypeError(f"Expected a real number for argument {name!r}, got {value!r}.")


def count(name: str, value: object) -> None:
    """Raise unless the value is a positive number."""
    if not isinstance(value, (int, float, np.integer, np.floating)) or not value > 0:
        raise TypeError(f"{name!r} must be a positive integer, got {value!r} of type {type(value).__name__}.")


def optional_count(name: str, value: object) -> None:
    """Raise unless the value is None or a positive number."""
    if value is not None:
        count(name, value)


def text(name: str, value: object) -> None:
    """Raise unless the value is text."""
    if not isinstance(value, (str, bytes)):
        message = f"Expected string for argument {name!r}, got {value!r} of type {type(value).__name__}."
        if no_setting(NotTextError, value) is NotTextError:
            raise NotTextError(message)
        raise TensorAsSettingError(None, None, message)


def choice(name: str, value: object) -> None:
    """Raise unless the value is text. Unlike with `text`, None does not stand for the default."""
    text(name, value)


def function(name: str, value: object) -> None:
    """Raise unless the value can be called."""
    if not callable(value):
        raise TypeError(f"{name!r} must be a function, got {value!r} of type {type(value).__name__}.")


def sequence(name: str, value: object) -> None:
    """Raise unless the value is a list or a tuple."""
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"Expected list for argument {name!r}, got {value!r} of type {type(value).__name__}.")


def number(name: str, value: object) -> None:
    """Raise unless the value is a real number."""
    _made_of(value, float, name)


def whole_number(name: str, value: object) -> None:
    """Raise unless the value is a number that can be made an integer."""
    _made_of(value, int, name)


def _made_of(value: object, kind: type, name: str) -> None:
    try:
        if not isinstance(value, (str, bytes)):
            kind(value)
            return
    except (TypeError, ValueError):
        pass
    except OverflowError as error:
        raise InfiniteNumberError(
            None, None, f"A finite number is needed for argument {name!r}, got {value!r}."
        ) from error
    raise TypeError(f"Expected {kind.__name__} for argument {name!r}, got {value!r} of type {type(value).__name__}.")


def optional_whole_number(name: str, value: object) -> None:
    """Raise unless the value is None or a number that can be made an integer."""
    if value is not None:
        whole_number(name, value)


def tensor_type(name: str, value: object) -> None:
    """Raise unless the value is the type of a tensor, or its name."""
    dtypes.as_dtype(value)


_OF_KERNELS = (flag, text, number, whole_number, tensor_type)


def given(check: Callable[[str, Any], None], name: str, value: object, default: object) -> Any:
    """The value, checked; the default where it is None."""
    if value is None:
        return default
    check(name, value)
    return _of_python(value)


def _of_python(value: object) -> Any:
    """The value as a Python object: bytes become text, NumPy's integers and booleans become Python's."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value.item() if isinstance(value, np.integer | np.bool_) else value


def takes(**kinds: Callable[[str, Any], None]) -> Callable[[_Function], _Function]:
    """Decorator: check the named arguments, where they are given, before the function runs.

    In arguments that TensorFlow passes to a kernel unchanged, None stands for the default if there is one.
    """

    def declare(function: _Function) -> _Function:
        parameters = inspect.signature(function).parameters
        positions = list(parameters)
        checks = [(positions.index(name), name, check, parameters[name].default) for name, check in kinds.items()]

        @functools.wraps(function)
        def call(*args: Any, **kwargs: object) -> Any:
            for position, name, check, default in checks:
                value = args[position] if position < len(args) else kwargs.get(name, default)
                if value is default:
                    continue
                if value is not None or default is inspect.Parameter.empty or check not in _OF_KERNELS:
                    check(name, value)
                    meant = _of_python(value)
                else:
                    meant = default
                if meant is value:
                    continue
                if position < len(args):
                    args = (*args[:position], meant, *args[position + 1 :])
                else:
                    kwargs[name] = meant
            return function(*args, **kwargs)

        return call  # type: ignore[return-value]

    return declare
