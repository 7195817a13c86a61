"""Checks a user's tree before malt converts it: refused where its meaning would change, simplified where malt needs it."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from typing import Any

from .source import ConversionError


def prepare(node: ast.FunctionDef | ast.Lambda, qualname: str, taken: set[str]) -> None:
    """Check and simplify a function; `taken` are names that must not get another meaning."""
    _Unsupported().visit(node)
    _Demangle(qualname).visit(node)
    _Simplify(taken | set(names_in(node))).visit(node)
    _erase_signature(node)


def names_in(node: ast.AST) -> Iterator[str]:
    """All names that are used in a tree."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            yield part.id
        elif isinstance(part, ast.arg):
            yield part.arg


def _erase_signature(node: ast.FunctionDef | ast.Lambda) -> None:
    """Defaults and annotations are those of the original function; their expressions must not run again."""
    arguments = node.args
    arguments.defaults = [ast.Constant(None) for _ in arguments.defaults]
    arguments.kw_defaults = [value and ast.Constant(None) for value in arguments.kw_defaults]
    for argument in ast.walk(arguments):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    if isinstance(node, ast.FunctionDef):
        node.returns = None


class _Unsupported(ast.NodeVisitor):
    """Raises at the first construct whose meaning malt would change."""

    def _refuse(self, node: ast.AST, what: str) -> None:
        raise ConversionError(f"line {getattr(node, 'lineno', '?')}: {what}")

    def visit_Yield(self, node: ast.AST) -> None:
        self._refuse(node, "generators are not converted")

    visit_YieldFrom = visit_Yield

    def visit_Await(self, node: ast.AST) -> None:
        self._refuse(node, "coroutines are not converted")

    visit_AsyncFor = visit_AsyncWith = visit_AsyncFunctionDef = visit_Await

    def visit_Match(self, node: ast.AST) -> None:
        self._refuse(node, "the match statement is not converted: write it with if and elif")

    def visit_ClassDef(self, node: ast.AST) -> None:
        self._refuse(node, "a class defined inside a function is not converted: define it outside")

    def visit_TryStar(self, node: ast.AST) -> None:
        self._refuse(node, "except* is not converted")

    def visit_While(self, node: ast.While) -> None:
        self._refuse_bindings(node.test)
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.expr) -> None:
        self._refuse_bindings(node)
        self.generic_visit(node)

    visit_IfExp = visit_BoolOp

    def visit_Lambda(self, node: ast.Lambda) -> None:
        own = {argument.arg for argument in ast.walk(node.args) if isinstance(argument, ast.arg)}
        for part in ast.walk(node.body):
            if isinstance(part, ast.NamedExpr) and part.target.id in own:
                self._refuse(part, ":= on a parameter of a lambda is not converted: write the function with def")
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        if len(node.ops) > 1:
            self._refuse_bindings(node)
        self.generic_visit(node)

    def _refuse_bindings(self, node: ast.expr) -> None:
        """Assignments in an expression that becomes a function of its own would not be visible outside."""
        for part in ast.walk(node):
            if isinstance(part, ast.NamedExpr):
                self._refuse(part, ":= in a condition is not converted: assign in a statement before it")


class _Demangle(ast.NodeTransformer):
    """Writes `self.__x` as the name that it has outside its class."""

    def __init__(self, qualname: str) -> None:
        self.owner = ""
        for part in reversed(qualname.split(".<locals>.")):
            if "." in part:
                self.owner = part.split(".")[-2].lstrip("_")
                break

    def _name(self, name: str) -> str:
        mangled = self.owner and name.startswith("__") and not name.endswith("__")
        return f"_{self.owner}{name}" if mangled else name

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        node.attr = self._name(node.attr)
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self._name(node.id)
        return node


class _Simplify(ast.NodeTransformer):
    """Rewrites constructs that malt 2.15.3 does not support, or misinterprets, as simpler statements.

    The else of a loop and of a try become an `if` with a flag; the name of an exception is assigned in the handler.
    """

    def __init__(self, taken: set[str]) -> None:
        self.taken = taken
        self.loops: list[str | None] = []  # the flag that `break` sets, for each loop around

    def _flag(self, name: str) -> str:
        flag = next(f"{name}_{n}" for n in itertools.count() if f"{name}_{n}" not in self.taken)
        self.taken.add(flag)
        return flag

    def visit_For(self, node: ast.For | ast.While) -> Any:
        flag = self._flag("broke") if node.orelse else None
        self.loops.append(flag)
        node.body = self._visited(node.body)
        self.loops.pop()
        orelse, node.orelse = self._visited(node.orelse), []
        if flag is None:
            return node
        check = _statements(f"if not {flag}: pass", node)
        check[0].body = orelse  # type: ignore[attr-defined]
        return [*_statements(f"{flag} = False", node), node, *check]

    visit_While = visit_For

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        outer, self.loops = self.loops, []
        self.generic_visit(node)
        self.loops = outer
        return node

    def visit_Break(self, node: ast.Break) -> Any:
        flag = self.loops[-1]
        return node if flag is None else [*_statements(f"{flag} = True", node), node]

    def visit_Try(self, node: ast.Try) -> Any:
        self.generic_visit(node)
        if not node.orelse:
            return node
        flag = self._flag("completed")
        check = _statements(f"if {flag}: pass", node)
        check[0].body, node.orelse = node.orelse, []  # type: ignore[attr-defined]
        node.body = [*node.body, *_statements(f"{flag} = True", node)]
        finalbody, node.finalbody = node.finalbody, []
        block = [*_statements(f"{flag} = False", node), node, *check]
        if not finalbody:
            return block
        return ast.copy_location(ast.Try(block, [], [], finalbody), node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> Any:
        self.generic_visit(node)
        if node.name is None:
            return node
        name, node.name = node.name, None
        block = _statements(f"{name} = ag__.caught()\ntry: pass\nfinally: del {name}", node)
        block[1].body, node.body = node.body, block  # type: ignore[attr-defined]
        return node

    def _visited(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        return self.generic_visit(ast.Module(statements, [])).body  # type: ignore[attr-defined]


def _statements(text: str, at: ast.AST) -> list[ast.stmt]:
    statements = ast.parse(text).body
    for statement in statements:
        for part in ast.walk(statement):
            ast.copy_location(part, at)
    return statements
