"""A line that reads a tensor as a number or an array, written again so that it stays one, with the lines that use the result.

Only what is sure to work is written: a function that is not known to take tensors, or a method of arrays that tensors have no
function for, leaves the program as it is.
"""

from __future__ import annotations

import ast
import itertools
import sys
from typing import Any

from ..base.frames import is_library
from . import repairs
from .flow import parse_path, statements_of, targets_of
from .places import Where

# Methods of arrays, and NumPy's and Python's functions with a name of their own in tf; all other functions have the same one.
_METHODS = {
    **{name: f"reduce_{name}" for name in ("sum", "mean", "max", "min", "prod")},
    **{"std": "math.reduce_std", "var": "math.reduce_variance", "cumsum": "cumsum", "squeeze": "squeeze"},
    **{"transpose": "transpose", "clip": "clip_by_value"},
}
_FUNCTIONS = {
    **{"arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2", "power": "pow", "absolute": "abs"},
    **{"log": "math.log", "log1p": "math.log1p", "fabs": "abs", "concatenate": "concat", "linalg.norm": "norm"},
    **{"amax": "reduce_max", "amin": "reduce_min"},
    **{name: f"reduce_{name}" for name in ("sum", "mean", "max", "min", "prod")},
    **{"std": "math.reduce_std", "var": "math.reduce_variance"},
}
_ARRAYS = {"asarray", "array", "ascontiguousarray"}
_READ = {"numpy", "item", "tolist"}
_NUMERIC = {"float", "int", "complex"}
_MODULES = {"np", "numpy", "math"}
_TAKING = {"tf", "keras", "print", "sum", "abs", "len", "list", "tuple", "zip", "enumerate", "isinstance", "reversed"}
# They want sizes and places, which floats are not.
_COUNTING = {
    *("range", "ones", "zeros", "fill", "eye", "normal", "uniform", "truncated_normal", "one_hot", "tile", "repeat"),
    *("split", "islice", "top_k", "roll", "expand_dims", "linspace", "arange", "full", "Dense", "randint", "choice"),
}
_FACTS = {"shape", "dtype", "ndim"}


class _CannotError(Exception):
    """The program uses the value in a way that tensors may not have."""


def as_tensors(where: Where) -> list[tuple[Where, str]]:
    """The line with tensors, then the lines below that use its result, as far as they have to change; empty if not sure."""
    scope = None if is_library(where.file) else repairs.scope_at(where)
    if scope is None:
        return []
    tainted: set[str] = set()
    found: dict[int, list[str]] = {}
    changed: set[int] = set()
    try:
        for statement in statements_of(scope):
            if hasattr(statement, "body"):  # (only what it begins with)
                for header in ("iter", "test"):
                    if hasattr(statement, header) and tainted:
                        _Keeping(tainted, False).visit(ast.parse(ast.unparse(getattr(statement, header)), mode="eval"))
                continue
            here = statement.lineno <= where.line <= (statement.end_lineno or statement.lineno)
            if statement.lineno < where.line and not here:
                continue
            before = ast.unparse(statement)
            keeping = _Keeping(tainted, here)
            after = ast.unparse(ast.fix_missing_locations(keeping.visit(ast.parse(before).body[0])))
            if here or after != before:
                found.setdefault(statement.lineno, []).append(after)
            if after != before:
                changed.add(statement.lineno)
            if here or keeping.met:
                tainted |= {
                    _stored(path) for target in targets_of(statement) if (path := parse_path(ast.unparse(target)))
                }
                tainted |= _extended(statement)
    except _CannotError:
        return []
    if not found or min(found) not in changed:
        return []
    return [
        (where if line == min(found) else Where(where.file, line), "\n".join(found[line]))
        for line in sorted(found)
        if line in changed
    ]


def _stored(path: tuple[str, ...]) -> str:
    """What a statement stores into: a name or an attribute; of a place in a list, the list."""
    names = list(itertools.takewhile(lambda part: not part.startswith("["), path))
    return ".".join(names)


def _extended(statement: ast.stmt) -> set[str]:
    """The list that a statement puts something into."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in ("append", "extend"):
        path = parse_path(ast.unparse(call.func.value))
        return {_stored(path)} if path else set()
    return set()


class _Keeping(ast.NodeTransformer):
    """Puts tensors in place of numbers and arrays; what has been one is marked by `array`."""

    def __init__(self, tainted: set[str], here: bool) -> None:
        self._tainted, self._here = tainted, here
        self.met = False  # whether a tainted name was read

    def _marked(self, node: Any) -> bool:
        return bool(getattr(node, "array", False))

    def _mark(self, node: Any) -> Any:
        node.array = self.met = True
        return node

    def visit_Name(self, node: ast.Name) -> Any:
        return self._mark(node) if node.id in self._tainted and isinstance(node.ctx, ast.Load) else node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> Any:
        if self._here:
            raise _CannotError  # (what goes through text cannot be kept a tensor)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        if isinstance(node.ctx, ast.Load) and ast.unparse(node) in self._tainted:
            return self._mark(node)
        node.value = self.visit(node.value)
        if not self._marked(node.value) or not isinstance(node.ctx, ast.Load):
            return node
        if node.attr == "T":
            return self._mark(_call("tf.transpose", node.value))
        if node.attr not in _FACTS:
            raise _CannotError
        return node

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        node.value, node.slice = self.visit(node.value), self.visit(node.slice)
        if self._marked(node.slice):
            raise _CannotError  # a place, which no float can be
        if self._marked(node.value) and _picks(node.slice):  # (arrays pick rows by a list, tensors do not)
            rows = node.slice
            if not (isinstance(rows, ast.List) and all(_is_count(each) for each in rows.elts)):
                raise _CannotError
            return self._mark(_call("tf.gather", node.value, rows))
        return self._mark(node) if self._marked(node.value) else node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        carries = isinstance(node, (ast.BinOp, ast.UnaryOp, ast.IfExp, ast.Compare))
        return self._mark(node) if carries and any(map(self._marked, ast.iter_child_nodes(node))) else node

    def visit_Call(self, node: ast.Call) -> Any:
        method = node.func if isinstance(node.func, ast.Attribute) else None
        if method is not None:
            method.value = self.visit(method.value)
        node.args = [self.visit(argument) for argument in node.args]
        node.keywords = [self.visit(keyword) for keyword in node.keywords]
        path = parse_path(ast.unparse(node.func))
        marked = any(map(self._marked, node.args)) or any(self._marked(each.value) for each in node.keywords)
        if method is not None and method.attr in _READ and not node.args and (self._here or self._marked(method.value)):
            return self._mark(method.value)
        if method is not None and self._marked(method.value):
            return self._mark(self._of_method(node, method))
        if path[:1] and path[0] in _MODULES:
            return self._of_module(node, path, marked)
        if path and path[0] in _NUMERIC and len(path) == 1 and len(node.args) == 1 and (self._here or marked):
            return self._mark(node.args[0])
        if path[:1] == ("tf",) and path[-1] in ("constant", "convert_to_tensor") and self._here and node.args:
            return self._unwrapped(node)
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        if (
            path[-1:]
            and path[-1] in _COUNTING
            and any(self._marked(inner) for each in given for inner in ast.walk(each))
        ):
            raise _CannotError
        if marked and self._here and not (path and (path[0] in _TAKING or path[-1] in ("append", "extend"))):
            raise _CannotError
        return self._mark(node) if marked and path and path[0] in ("tf", "keras", "sum", "abs") else node

    def _of_method(self, node: ast.Call, method: ast.Attribute) -> ast.expr:
        value, name = method.value, method.attr
        if name in _METHODS:
            return _call(f"tf.{_METHODS[name]}", value, *node.args, keywords=node.keywords)
        if name in ("flatten", "ravel") and not node.args:
            return _call("tf.reshape", value, ast.parse("[-1]", mode="eval").body)
        if name == "reshape" and node.args and not node.keywords:
            whole = len(node.args) == 1 and not isinstance(node.args[0], (ast.Constant, ast.UnaryOp))
            return _call("tf.reshape", value, node.args[0] if whole else ast.List(node.args, ast.Load()))
        if name == "dot" and len(node.args) == 1:
            return _call("tf.tensordot", value, node.args[0], ast.Constant(1))
        if name == "astype" and len(node.args) == 1 and (kind := _floating(node.args[0])):
            return _call("tf.cast", value, ast.parse(kind, mode="eval").body)
        if name == "copy" and not node.args:
            return value
        raise _CannotError

    def _of_module(self, node: ast.Call, path: tuple[str, ...], marked: bool) -> ast.expr:
        name = ".".join(path[1:])
        if name in _ARRAYS and node.args:
            if not (self._here or marked) or _is_literal(node.args[0]):
                return node
            kinds = [
                _floating(each) for each in (*node.args[1:], *(k.value for k in node.keywords if k.arg == "dtype"))
            ]
            if not all(kinds):
                raise _CannotError
            return self._mark(
                _call("tf.cast", node.args[0], ast.parse(kinds[0], mode="eval").body) if kinds else node.args[0]
            )
        if not (self._here or marked) or all(map(_is_literal, node.args)):
            return node
        if name == "dot" and len(node.args) == 2:
            return self._mark(_call("tf.tensordot", *node.args, ast.Constant(1)))
        name = _FUNCTIONS.get(name, name)
        found: Any = sys.modules.get("gradtape")
        for part in name.split("."):
            found = getattr(found, part, None)
        if not callable(found):
            raise _CannotError
        return self._mark(_call(f"tf.{name}", *node.args, keywords=node.keywords))

    def _unwrapped(self, node: ast.Call) -> ast.expr:
        """`tf.constant(x)` as x: it is one already."""
        if isinstance(node.args[0], (ast.Constant, ast.List)):
            return node
        kinds = [*node.args[1:2], *(keyword.value for keyword in node.keywords if keyword.arg == "dtype")]
        return self._mark(_call("tf.cast", node.args[0], kinds[0]) if kinds else node.args[0])


def _call(function: str, *args: ast.expr, keywords: list[ast.keyword] | None = None) -> ast.Call:
    return ast.Call(ast.parse(function, mode="eval").body, list(args), keywords or [])


def _floating(node: ast.expr) -> str:
    """A floating type as tf writes it; empty for another one."""
    text = ast.unparse(node).strip("'\"").rpartition(".")[2]
    return f"tf.{text}" if text in ("float16", "float32", "float64", "bfloat16") else ""


def _picks(place: ast.expr) -> bool:
    return any(isinstance(each, (ast.List, ast.ListComp)) for each in ast.walk(place))


def _is_count(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int


def _is_literal(node: ast.expr) -> bool:
    return not any(isinstance(each, (ast.Name, ast.Call)) for each in ast.walk(node))
