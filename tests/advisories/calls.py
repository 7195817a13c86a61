"""Attempts on the public functions: each number, list and drawn tensor of the calls in lists, replaced by each kind.

The lists are those of `tests/oracle/calls`, and `calls.txt` here for what they lack.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from tests.oracle import calls as oracle
from tests.oracle.names import resolves, used_in

import gradtape as tf

from .kinds import Attempt, replacements

_DRAWS = ("N", "P", "U", "F", "B", "I", "L", "SPD", "M")


def attempts() -> Iterator[Callable[[], Attempt]]:
    lines = {line: types[0] for line, types in oracle.lines()}
    lines.update({line: types[0] for line, types in oracle.lines(Path(__file__).parent)})
    for line, dtype in lines.items():
        if not all(resolves(tf, name) for name in used_in(line)):
            continue
        subject = min(used_in(line), default="operators", key=line.find)
        for position, kind, bad in _replacements(ast.parse(line)):
            yield partial(_attempt, subject, line, dtype, position, kind, bad)


def _attempt(subject: str, line: str, dtype: str, position: int, kind: str, bad: str) -> Attempt:
    tree = ast.parse(line)
    _replace(tree, position, bad)
    text = ast.unparse(tree)
    return Attempt(subject, kind, text, _caller(text, dtype))


def _replacements(tree: ast.AST) -> Iterator[tuple[int, str, str]]:
    """What stands at which place of `ast.walk` instead, and of what kind that is."""
    # Numbers of Python code around the call are left as they are: the steps of a loop, the part of a result.
    kept = [part for node in ast.walk(tree) for part in _python_parts(node)]
    drawn = {id(part) for node in [*kept, *filter(_is_draw, ast.walk(tree))] for part in ast.walk(node)}
    parents = {id(part): node for node in ast.walk(tree) for part in ast.iter_child_nodes(node)}
    for position, node in enumerate(ast.walk(tree)):
        if _is_draw(node):
            changes = list(_other_draws(node))
        elif id(node) in drawn:
            continue
        else:
            changes = [(kind, _literal(bad)) for kind, bad in _of_literal(node)]
        for kind, changed in changes:
            if not _is_pythons(kind, parents.get(id(node))):
                yield position, kind, changed


def _is_pythons(kind: str, parent: Any) -> bool:
    """Whether Python itself answers, not a function of ours: for an attribute of None, and the whole number of an infinity."""
    if isinstance(parent, ast.Attribute):
        return kind == "None"
    whole = isinstance(parent, ast.Call) and ast.unparse(parent.func) == "int"
    return whole and kind == "not a finite number"


def _python_parts(node: Any) -> list[Any]:
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Call) and not _is_draw(node.value):
        return [node.slice]
    if isinstance(node, ast.Call) and ast.unparse(node.func) in ("tf.while_loop", "round"):
        return list(node.args)
    return []


def _is_draw(node: Any) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _DRAWS


def _of_literal(node: Any) -> Iterator[tuple[str, Any]]:
    if not isinstance(node, (ast.Constant, ast.List, ast.Tuple, ast.UnaryOp)):
        return
    try:
        value = ast.literal_eval(node)
    except ValueError:  # a list of draws
        value = []
    if isinstance(value, (list, tuple)):
        yield from ((kind, bad) for kind, bad in replacements(value) if kind != "huge" or len(value) < 3)
    elif not isinstance(value, bool) and value is not None:
        yield from replacements(value)


def _other_draws(node: ast.Call) -> Iterator[tuple[str, str]]:
    name = node.func.id  # type: ignore[attr-defined]
    first = 1 if name in "IL" else 0
    given = [ast.unparse(argument) for argument in node.args]
    limit, sizes = given[:first], given[first:]

    def draw(*shape: str) -> str:
        return f"{name}({', '.join([*limit, *shape])})"

    yield "None", "None"
    for place in range(len(sizes)):
        yield "empty", draw(*sizes[:place], "0", *sizes[place + 1 :])
        yield "wrong size", draw(*sizes[:place], "7", *sizes[place + 1 :])
    if name not in ("SPD", "M"):
        yield "wrong rank", draw()
        yield "wrong rank", draw(*sizes, "1")
        yield "wrong rank", draw(*sizes[1:])
        yield "empty", draw("0")
    if name in "IL":
        for number in (-1, 2**31 - 1, -(2**31)):
            yield "index out of range", f"({draw(*sizes)} * 0 + ({number}))"
    else:
        for number in ("nan", "inf"):
            yield "not a finite number", f"({draw(*sizes)} * float({number!r}))"
    yield "another type", f"tf.strings.as_string({draw(*sizes)})"
    yield "another type", f"tf.cast({draw(*sizes)}, tf.int32)"
    yield "another type", f"tf.cast({draw(*sizes)}, tf.complex64)"


def _literal(value: Any) -> str:
    if value is object:
        return "object()"
    if isinstance(value, (list, tuple)):
        inside = ", ".join(_literal(v) for v in value)
        return f"[{inside}]" if isinstance(value, list) else f"({inside}{',' if len(value) == 1 else ''})"
    return f"float('{value}')" if isinstance(value, float) else repr(value)


def _replace(tree: ast.AST, position: int, text: str) -> None:
    target = list(ast.walk(tree))[position]
    new = ast.parse(text, mode="eval").body
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            if value is target:
                setattr(node, name, new)
            elif isinstance(value, list) and any(v is target for v in value):
                setattr(node, name, [new if v is target else v for v in value])


def _caller(text: str, dtype: str) -> Any:
    def call() -> Any:
        case = oracle.case(text, dtype)
        inputs = {name: tf.constant(value) for name, value in case.inputs.items()}
        return eval(case.text, {"tf": tf, "np": np, **inputs})

    return call
