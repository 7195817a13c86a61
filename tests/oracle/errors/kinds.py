"""Bad arguments: from one good call many, each with one argument replaced, left out or added.

What is put in an argument's place depends on what stands there: a constant tensor is cast, reshaped, emptied and filled
with NaN; every argument is replaced by Python values of all sorts. The result is the same in every run.
"""

from __future__ import annotations

import ast
import inspect
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import gradtape as tf

from ..case import Case
from ..names import lookup
from .good import constant

MODES = ("error",)
EACH = 1  # in how many good calls one argument of one function is replaced

# What may stand in any argument's place, by the name of the kind.
VALUES = {
    "None": "None",
    "text": "'a'",
    "a float": "1.5",
    "an integer": "3",
    "a truth value": "True",
    "minus one": "-1",
    "zero": "0",
    "a large integer": "100",
    "nan": "np.nan",
    "inf": "np.inf",
    "a complex number": "1j",
    "an empty list": "[]",
    "a list of integers": "[1, 2]",
    "a list of floats": "[0.5, 1.5, 2.5]",
    "a ragged list": "[[1.0], [1.0, 2.0]]",
    "a list with None": "[None]",
    "object()": "object()",
    "a dict": "{'a': 1}",
    "a set": "{1, 2}",
    "a string tensor": "tf.constant('a')",
    "a float tensor": "tf.constant([[1.5, 2.5]])",
    "a type": "tf.float32",
}
# Those that are tried on arguments that the good call leaves at their default.
FOR_DEFAULTS = (
    "text",
    "a float",
    "minus one",
    "a large integer",
    "an empty list",
    "object()",
    "a string tensor",
    "None",
)

TYPES = ("string", "bool", "int8", "uint64", "int32", "int64", "float64", "complex64")


def cases(good: Iterable[str]) -> Iterator[Case]:
    """Every bad call, once, in a fixed order."""
    counts: Counter[tuple[str, str]] = Counter()
    seen: set[str] = set()
    for text in good:
        for call in _calls(text):
            for argument, kind, changed in _changes(call, counts):
                if changed not in seen:
                    seen.add(changed)
                    yield Case(kind, f"{call.function}: {argument}", changed, "", {}, MODES)


@dataclass
class Call:
    """One call within a text: what stands around it, its function, and its arguments as texts."""

    before: str
    after: str
    head: str
    positional: list[str]
    keywords: dict[str, str]

    @property
    def function(self) -> str:
        """`tf.a.b`, or `.method` of an object."""
        plain = self.head.startswith("tf.") and self.head.replace(".", "").replace("_", "").isalnum()
        return self.head if plain else "." + self.head.rpartition(".")[2]

    def given(self) -> dict[str, str]:
        """The arguments by position or keyword."""
        return {str(p): text for p, text in enumerate(self.positional) if text[0] != "*"} | self.keywords

    def written(self, positional: Iterable[str], keywords: Mapping[str, str]) -> str:
        """The whole text, with these arguments."""
        arguments = ", ".join([*positional, *(f"{name}={text}" for name, text in keywords.items())])
        return f"{self.before}{self.head}({arguments}){self.after}"

    def with_argument(self, name: str, text: str) -> str:
        """The whole text, with one argument replaced or added."""
        if name.isdigit():
            position = int(name)
            return self.written([*self.positional[:position], text, *self.positional[position + 1 :]], self.keywords)
        return self.written(self.positional, self.keywords | {name: text})

    def without_argument(self, name: str) -> str:
        """The whole text, with one argument left out."""
        positional = [text for position, text in enumerate(self.positional) if str(position) != name]
        return self.written(positional, {k: text for k, text in self.keywords.items() if k != name})


def _calls(text: str) -> Iterator[Call]:
    """The calls of functions and methods in the last statement, but not those that only make constants."""
    for node in ast.walk(ast.parse(text).body[-1]):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if any(k.arg is None for k in node.keywords) or node.end_col_offset is None:
            continue
        encoded = text.encode()
        before, after = encoded[: node.col_offset].decode(), encoded[node.end_col_offset :].decode()
        positional = [ast.unparse(argument) for argument in node.args]
        call = Call(
            before, after, ast.unparse(node.func), positional, {str(k.arg): ast.unparse(k.value) for k in node.keywords}
        )
        if call.function not in ("tf.constant", "np.array") or text.startswith(call.head):
            yield call


def _changes(call: Call, counts: Counter[tuple[str, str]]) -> Iterator[tuple[str, str, str]]:
    """The name of the argument, the kind of the change, and the whole text."""
    for argument, text in call.given().items():
        counts[call.function, argument] += 1
        if counts[call.function, argument] <= EACH:
            for kind, new in (*VALUES.items(), *_tensors(text)):
                yield argument, kind, call.with_argument(argument, new)
            yield argument, "left out", call.without_argument(argument)
    for parameter in _defaults(call):
        counts[call.function, parameter] += 1
        if counts[call.function, parameter] <= EACH:
            for kind in FOR_DEFAULTS:
                yield parameter, kind, call.with_argument(parameter, VALUES[kind])
    counts[call.function, "all"] += 1
    if counts[call.function, "all"] <= EACH:
        yield "all", "an unknown keyword", call.with_argument("no_such_argument", "1")
        yield "all", "too many arguments", call.written([*call.positional, *["None"] * 30], call.keywords)


def _defaults(call: Call) -> list[str]:
    """The arguments that the call does not give."""
    target = lookup(tf, call.function) if call.function.startswith("tf.") else None
    try:
        parameters = list(inspect.signature(target).parameters.values()) if callable(target) else []
    except (TypeError, ValueError):
        return []
    rest = [p for p in parameters[len(call.positional) :] if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    return [p.name for p in rest if p.name not in call.keywords and p.name != "name" and not p.name.startswith("_")]


def _tensors(text: str) -> Iterator[tuple[str, str]]:
    """What `tf.constant(...)` can be changed to; nothing for any other argument."""
    if text.startswith("tf.constant("):
        try:
            given = eval(text, {"tf": tf, "np": np}).numpy()
        except NameError:
            return
        for kind, other in _arrays(given):
            yield kind, constant(other)


def _arrays(given: Any) -> Iterator[tuple[str, Any]]:
    """Arrays that differ from the given one in type, rank, sizes or values."""
    array = np.asarray(given, object if isinstance(given, bytes) else None)
    kind = array.dtype.kind
    for name in TYPES:
        if name == "string":
            yield "another type", np.full(array.shape, b"a", object)
        elif kind != "O" and array.dtype.name != name:
            values = array.real if kind == "c" and not name.startswith("complex") else array
            with np.errstate(invalid="ignore"):
                yield "another type", (np.abs(values) if name == "uint64" else values).astype(name)
    yield "one axis more", array[None]
    yield "one axis more at the end", array[..., None]
    yield "an empty tensor", array[:0] if array.ndim else array.reshape(1)[:0]
    if array.ndim:
        yield "one axis less", array[0] if len(array) else array.reshape(-1)
        yield "a scalar", array.reshape(-1)[0] if array.size else np.zeros((), array.dtype)
        yield "a longer tensor", np.concatenate([array, array[:1]])
        yield "a longer last axis", np.concatenate([array, array[..., :1]], axis=-1)
        yield "empty in the last axis", array[..., :0]
    if array.ndim > 1:
        yield "a vector", array.reshape(-1)
    if kind in "fV":
        yield "values nan", np.full_like(array, np.nan)
    if kind in "fVi":
        yield "negative values", -np.abs(array) - np.asarray(1, array.dtype)
    if kind in "iu":
        yield "large values", array + np.asarray(100, array.dtype)
