"""Functions by the rows of `table.py`."""

from __future__ import annotations

import ast
import functools
import inspect
import sys
from collections.abc import Callable
from typing import Any

from .table import ROWS


@functools.cache
def rows() -> dict[str, str]:
    """The rows by each name under which their functions stand."""
    return {name: row for row in ROWS.splitlines() for name in row.split()[0].split(",")}


def of(namespace: str) -> list[str]:
    """The names of the rows in a namespace, or at the top with ""."""
    return [name.rpartition(".")[2] for name in rows() if name.rpartition(".")[0] == namespace]


@functools.cache
def function_of(name: str) -> Callable[..., Any]:
    """The function of a row."""
    return _made(rows()[name])


@functools.cache
def _made(row: str) -> Callable[..., Any]:
    names, *texts = row.partition(" | ")[0].split()
    target, *passed = row.partition(" | ")[2].split()
    last = names.partition(",")[0]
    declared = inspect.Signature([_parameter(text) for text in texts])
    arguments = [_argument(text) for text in passed]

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            values = declared.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"tf.compat.v1.{last}: {error}. Its arguments are {list(declared.parameters)}.") from None
        named = {key for key, value in values.arguments.items() if value is not None}
        values.apply_defaults()
        given: dict[str, Any] = {}
        for key, sources, constant, always in arguments:
            value = _one_of(last, sources, named, values.arguments) if sources else constant
            if value is not None or always:
                given[key] = value
        package: Any = sys.modules["gradtape"]
        function = functools.reduce(getattr, target.split("."), package)
        return function(**given)

    call.__name__ = call.__qualname__ = last.rpartition(".")[2]
    call.__signature__ = declared  # type: ignore[attr-defined]
    call.__doc__ = f"`tf.{target}` with the arguments of TensorFlow 1."
    return call


def _one_of(name: str, sources: list[str], named: set[str], values: dict[str, Any]) -> Any:
    """The argument, which may have an older name too: the one that the caller named, else a default that is not None."""
    given = [source for source in sources if source in named]
    if len(given) > 1:
        raise ValueError(f"tf.compat.v1.{name}: cannot specify both {given[0]!r} and {given[1]!r}. Leave one out.")
    return next((values[source] for source in given or sources if values[source] is not None), None)


def _parameter(text: str) -> inspect.Parameter:
    name, has_default, default = text.partition("=")
    value: Any = ast.literal_eval(default) if has_default else inspect.Parameter.empty
    return inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=value)


def _argument(text: str) -> tuple[str, list[str], Any, bool]:
    """An argument of the function of TensorFlow 2: its name, of which ones it is made, a constant, and whether None is given."""
    name, is_constant, value = text.partition(":")
    if is_constant:
        return name, [], ast.literal_eval(value), True
    key, _, source = text.removeprefix("~").partition("=")
    return key, (source or key).split("/"), None, not text.startswith("~") and "/" not in source
