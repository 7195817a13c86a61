"""Watches what is compiled while something runs: every text of Python and of LLVM, and who had it compiled."""

from __future__ import annotations

import ast
import builtins
import contextlib
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import llvmlite.binding as llvm
import pytest


class Compiled(NamedTuple):
    """One text, and the module whose code asked for it."""

    text: str
    module: str


@contextlib.contextmanager
def watching() -> Iterator[list[Compiled]]:
    """A list of everything that is given to `compile`, `exec`, `eval` and LLVM while the block runs."""
    seen: list[Compiled] = []

    def watched(real: Any) -> Any:
        def call(source: Any, *args: Any, **kwargs: Any) -> Any:
            if isinstance(source, (str, bytes, ast.AST)):
                caller = sys._getframe(1).f_globals.get("__name__", "")
                seen.append(Compiled(ast.dump(source) if isinstance(source, ast.AST) else str(source), caller))
            return real(source, *args, **kwargs)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for name in ("compile", "exec", "eval"):
            patch.setattr(builtins, name, watched(getattr(builtins, name)))
        patch.setattr(llvm, "parse_assembly", watched(llvm.parse_assembly))
        yield seen
