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


def lookup(library: Any, name: str) -> Any:
    """What `tf.a.b` is in the library; MISSING where there is nothing, or an extra is not installed."""
    value = library
    for part in name.split(".")[1:]:
        try:
            value = getattr(value, part, MISSING)
        except ImportError:
            return MISSING
    return value


def resolves(library: Any, name: str) -> bool:
    """Whether the library has `tf.a.b`."""
    return lookup(library, name) is not MISSING


def functions(library: Any) -> Iterator[str]:
    """Every public function of the library's namespaces."""
    for namespace in NAMESPACES:
        module = lookup(library, f"tf.{namespace}" if namespace else "tf")
        for name in getattr(module, "__all__", None) or dir(module):
            full = f"tf.{namespace}.{name}".replace("..", ".")
            if not name.startswith("_") and isinstance(lookup(library, full), types.FunctionType):
                yield full
