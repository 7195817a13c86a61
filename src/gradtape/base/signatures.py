"""Signatures that are read when somebody asks for them: `inspect.signature` of 300 functions takes 13 ms."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any


class DeferredSignature(inspect.Signature):
    """The signature of a function, for the `__signature__` of what wraps it.

    (`inspect.getfullargspec` does not look through `__wrapped__`.)
    """

    __slots__ = ("_function",)
    _function: Callable[..., Any]

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    @property
    def _parameters(self) -> Any:
        return dict(inspect.signature(self._function).parameters)

    @property
    def _return_annotation(self) -> Any:
        return inspect.signature(self._function).return_annotation

    def replace(self, **changes: Any) -> inspect.Signature:  # type: ignore[override]
        """A plain signature with other parameters or another result."""
        return inspect.signature(self._function).replace(**changes)

    def __reduce__(self) -> Any:
        return inspect.signature(self._function).__reduce__()
