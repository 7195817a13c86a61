"""Kernels by the rows of `table.py`: functions that take their arguments by name only, as TensorFlow's do."""

from __future__ import annotations

import ast
import collections
import functools
import importlib
import inspect
import operator
from collections.abc import Callable
from typing import Any

from ..base.seeds import OpSeed
from ..op.attributes import as_int
from ..sparse.tensor import SparseTensor
from .more_rows import ROWS as MORE_ROWS
from .table import ROWS

_PUBLIC_DEFAULT: Any = object()  # the public function has the default


@functools.cache
def rows() -> dict[str, str]:
    """The rows by the names of their kernels."""
    return {row.split()[0]: row for row in (ROWS + MORE_ROWS).splitlines()}


def keywords_only(name: str, function: Callable[..., Any]) -> Any:
    """The function with TensorFlow's error where an argument is given without its name."""
    keys = list(inspect.signature(function).parameters)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if args:
            raise TypeError(
                f"{name} only takes keyword args (possible keys: {keys}). Please pass these args as kwargs instead."
            )
        return function(**kwargs)

    call.__name__ = call.__qualname__ = name
    return call


def function_of(name: str) -> Any:
    """The kernel of a row."""
    signature, target, *results = (part.split() for part in rows()[name].split(" | "))
    parameters = [_parameter(text) for text in signature[1:]]
    declared = inspect.Signature([*parameters, inspect.Parameter("name", inspect.Parameter.KEYWORD_ONLY, default=None)])
    method = target[0].removeprefix("@") if target[0].startswith("@") else None
    given, constants = _arguments(target[1 if method is None else 2 :])
    finish = _finish(name, results[0]) if results else None

    def call(**kwargs: Any) -> Any:
        try:
            values = declared.bind(**kwargs)
        except TypeError as error:
            raise TypeError(f"{name}: {error}. Its arguments are {[p.name for p in parameters]}.") from None
        values.apply_defaults()
        found = {key: make(*[values.arguments[source] for source in sources]) for key, (make, sources) in given.items()}
        passed = {key: value for key, value in found.items() if value is not _PUBLIC_DEFAULT}
        if method is None:
            result = _public(target[0])(**passed, **constants)
        else:
            result = getattr(values.arguments[target[1]], method)(**passed, **constants)
        return result if finish is None else finish(result)

    call.__signature__ = declared  # type: ignore[attr-defined]
    call.__doc__ = f"The kernel of `tf.{target[0]}`." if method is None else f"The kernel of the method `{method}`."
    return keywords_only(name, call)


def _parameter(text: str) -> inspect.Parameter:
    name, has_default, default = text.partition("=")
    value: Any = inspect.Parameter.empty
    if has_default:
        value = _PUBLIC_DEFAULT if default == "?" else ast.literal_eval(default)
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=value)


def _given(value: object) -> Any:
    return value


def two_seeds(seed: object, seed2: object) -> OpSeed | None:
    """The two seeds of a kernel; it takes other numbers with each call if both are 0."""
    pair = as_int(seed), as_int(seed2)
    return OpSeed(pair, ()) if any(pair) else None


# How several arguments of a kernel become one of the function.
_FORMS: dict[str, Callable[..., Any]] = {
    "": _given,
    "sparse": SparseTensor,
    "seeds": two_seeds,
    "both": lambda size: [size, size],
    "tuple": tuple,
    "shapes": lambda shapes: [[None if n is None or n < 0 else n for n in shape] for shape in shapes] or None,
    "alone": lambda parts: parts[0] if len(parts) == 1 else tuple(parts),
    "kept": lambda value: value or None,
    "bound": lambda function, last: lambda *args: function(*args, *last),
    "bound_of": lambda count: 2**31 - 1 if count < 0 else count,
}


def _arguments(texts: list[str]) -> tuple[dict[str, tuple[Callable[..., Any], list[str]]], dict[str, Any]]:
    """Of what each argument of the function is made, and which are constants."""
    given, constants = {}, {}
    for text in texts:
        name, is_constant, value = text.partition(":")
        if is_constant:
            constants[name] = ast.literal_eval(value)
        else:
            key, _, source = text.partition("=")
            form, _, several = source.partition("(")
            given[key] = (_FORMS[form], several[:-1].split(",")) if several else (_given, [source or key])
    return given, constants


def _finish(name: str, results: list[str]) -> Callable[[Any], Any]:
    """What makes the results of the kernel of that of the function: a named tuple."""
    whole = collections.namedtuple(name, [result for result in results if result != "sparse:"])  # type: ignore[misc]
    if results[0] != "sparse:":
        return lambda result: whole(*result)
    names = results[1:]
    parts = [{"shape": "dense_shape"}.get(word, word) for word in (text.rpartition("_")[2] for text in names)]
    if len(parts) == 1:
        return operator.attrgetter(parts[0])
    return lambda result: whole(*[getattr(result, part) for part in parts])


def _public(path: str) -> Any:
    value: Any = importlib.import_module("gradtape")
    for part in path.split("."):
        value = getattr(value, part)
    return value
