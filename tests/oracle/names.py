"""Public names: which of them a text calls, and whether a library has them."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator
from typing import Any

NAMESPACES = (
    "", "math", "math.special", "nn", "linalg", "random", "signal", "image", "bitwise", "quantization", "sparse", "strings",
)  # fmt: skip


MISSING = object()


def used_in(text: str) -> set[str]:
    """The dotted names below `tf` in a text."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if isinstance(node, ast.Name) and node.id == "tf" and parts:
            found.add(".".join(["tf", *reversed(parts)]))
    return found


def resolves(library: Any, name: str) -> bool:
    """Whether the library has `tf.a.b`."""
    value = library
    for part in name.split(".")[1:]:
        value = getattr(value, part, MISSING)
        if value is MISSING:
            return False
    return True


def functions(library: Any) -> Iterator[str]:
    """Every public function of the library's namespaces."""
    for namespace in NAMESPACES:
        module = library
        for part in filter(None, namespace.split(".")):
            module = getattr(module, part, None)
        shown = getattr(module, "__all__", None) or dir(module) if module is not None else ()
        for name in shown:
            value = getattr(module, name, None)
            if not name.startswith("_") and isinstance(value, types.FunctionType):
                yield f"tf.{namespace}.{name}".replace("..", ".")
