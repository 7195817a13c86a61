"""Writes docs/ops.md from the registry: `python -m tests.ops.page`."""

from __future__ import annotations

import importlib
import inspect
import pathlib
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

import gradtape as tf
from gradtape.base import dtypes
from gradtape.extend import checks
from gradtape.op.declaration import Op

from .registry import all_ops

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "ops.md"
NAMESPACES = (
    "",
    "math",
    "math.special",
    "nn",
    "linalg",
    "random",
    "signal",
    "image",
    "bitwise",
    "quantization",
    "strings",
    "sparse",
    "sets",
    "raw_ops",
    "nn.experimental",
    "numpy",
)

HEADER = """# The ops

Generated from the registry by `python -m tests.ops.page`; a test keeps it up to date. Public functions that are made of several
ops (`tf.nn.batch_normalization`, `tf.norm`, the losses) have their derivatives from these and are not listed.

An op is differentiable in the arguments named under *reverse*; each of them has a forward rule too, and the op has a
batching rule, unless the row says why there is no derivative.
"""

GROUPS = (
    ("any type", dtypes.ANY),
    ("numbers", dtypes.NUMERIC),
    ("float, complex", dtypes.INEXACT),
    ("real numbers", dtypes.REAL),
    ("float", dtypes.FLOATING),
    ("integer", dtypes.INTEGER),
    ("bool", dtypes.BOOL),
    ("complex", dtypes.COMPLEX),
)


def public_functions() -> Iterator[tuple[str, Any]]:
    for namespace in NAMESPACES:
        module: Any = tf
        try:
            for part in filter(None, namespace.split(".")):
                module = getattr(module, part)
        except AttributeError:
            continue
        for name in sorted(dir(module)):
            value = getattr(module, name)
            if not name.startswith("_") and isinstance(value, types.FunctionType):
                yield f"tf.{namespace}.{name}".replace("..", "."), value


def names_in(code: types.CodeType) -> set[str]:
    """The names that a function looks up; those in its comprehensions too, which are code of their own before Python 3.12."""
    parts = [part for part in code.co_consts if isinstance(part, types.CodeType)]
    return set(code.co_names).union(*map(names_in, parts))


def names_of(op: Op) -> list[str]:
    """The public functions that are this op, or a thin wrapper around it."""
    found = []
    for name, function in public_functions():
        inside = names_in(inspect.unwrap(function).__code__)
        if getattr(function, "op", None) is op or ("public" in inside and op.name in inside):
            found.append(name)
    return found


def types_of(op: Op) -> str:
    for label, group in GROUPS:
        if op.dtypes == group:
            return label
    return ", ".join(sorted(dtypes.BY_NUMPY[d].name for d in op.dtypes))


def row(op: Op, names: list[str]) -> str:
    if op.no_derivative is not None:
        derivative = f"none: {op.no_derivative}"
    else:
        derivative = ", ".join(op.vjps)
    count = len(list(checks.samples(op, np.float64 if op.vjps else checks.numeric_kind(op))))
    shown = ", ".join(f"`{name}`" for name in names) or "internal"
    return f"| `{op.name}` | {shown} | {derivative} | {types_of(op)} | {count} |"


def page() -> str:
    ops = all_ops()
    by_module: dict[str, list[Op]] = {}
    for op in ops:
        by_module.setdefault(op.__module__, []).append(op)
    differentiable = sum(1 for op in ops if op.vjps)
    parts = [HEADER, f"{len(ops)} ops, {differentiable} of them differentiable.\n"]
    for module in sorted(by_module):
        title = (importlib.import_module(module).__doc__ or "").splitlines()[0]
        parts.append(f"## `{module.removeprefix('gradtape.')}`\n\n{title}\n")
        parts.append("| op | public names | reverse | types | samples |\n| --- | --- | --- | --- | --- |")
        parts += [row(op, names_of(op)) for op in by_module[module]]
        parts.append("")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE}")
