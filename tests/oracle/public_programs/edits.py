"""The cells of a program, and the same small edits for both libraries: other values for named settings, shorter loops.

A row of programs.toml says which: `set` gives names new values wherever they are assigned, passed as keyword arguments or
stand as defaults; `loops` is the longest that a `range` of a number may be; `replace` has patterns and what stands for them,
where Keras 3 took a name away; `drop` removes the cells that match, `drop_names` leaves out what a clock decides.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_MAGIC = re.compile(r"^\s*[!%]|^\s*get_ipython\(|^\s*\w[\w, ]*=\s*[!%]\w")
_FOREIGN = re.compile(r"^\s*%%(bash|writefile|html|shell|sh|javascript|script)")


def cells_of(program: Path) -> list[str]:
    """The texts of a notebook's code cells, of the blocks of Python in a page of Markdown, or of a script as one."""
    text = program.read_text(encoding="utf-8")
    if program.suffix == ".ipynb":
        found = ["".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
        return [_without_magic(cell) for cell in found if not _FOREIGN.match(cell)]
    if program.suffix == ".md":
        return re.findall(r"^```\s*python[^\n]*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [text]


def _without_magic(cell: str) -> str:
    """A cell without the lines that only IPython understands; `pass` holds the place of one in a block."""
    lines = cell.splitlines()
    return "\n".join(re.match(r"\s*", line).group() + "pass" if _MAGIC.match(line) else line for line in lines)  # type: ignore[union-attr]


def edited(cell: str, row: Mapping[str, Any]) -> str:
    """The cell with the row's edits; as it is where it is not Python."""
    for old, new in row.get("replace", []):
        cell = re.sub(old, new, cell, flags=re.MULTILINE)
    if any(re.search(pattern, cell) for pattern in row.get("drop", [])):
        return ""
    if not ("set" in row or "loops" in row):
        return cell
    try:
        tree = ast.parse(cell)
    except SyntaxError:
        return cell
    return ast.unparse(ast.fix_missing_locations(_Edits(row.get("set", {}), row.get("loops")).visit(tree)))


class _Edits(ast.NodeTransformer):
    def __init__(self, settings: Mapping[str, Any], longest: int | None) -> None:
        self._settings, self._longest = settings, longest

    def _value(self, name: str, old: ast.expr | None) -> ast.expr | None:
        """The new value of a setting, or the old one."""
        if name not in self._settings or old is None:
            return old
        return ast.parse(repr(self._settings[name]), mode="eval").body

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        target = node.targets[0]
        name = target.id if isinstance(target, ast.Name) else target.attr if isinstance(target, ast.Attribute) else ""
        if isinstance(node.value, ast.Constant | ast.UnaryOp | ast.BinOp | ast.Tuple | ast.List):
            node.value = self._value(name, node.value) or node.value
        return node

    def visit_keyword(self, node: ast.keyword) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.value, ast.Constant | ast.BinOp):
            node.value = self._value(node.arg or "", node.value) or node.value
        return node

    def visit_arguments(self, node: ast.arguments) -> ast.AST:
        self.generic_visit(node)
        plain = [*node.posonlyargs, *node.args]
        for names, defaults in (
            (plain[len(plain) - len(node.defaults) :], node.defaults),
            (node.kwonlyargs, node.kw_defaults),
        ):
            for place, argument in enumerate(names):
                defaults[place] = self._value(argument.arg, defaults[place])  # type: ignore[call-overload]
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        called = (
            node.func.id
            if isinstance(node.func, ast.Name)
            else node.func.attr
            if isinstance(node.func, ast.Attribute)
            else ""
        )
        if self._longest is not None and called in ("range", "trange") and len(node.args) == 1:
            (length,) = node.args
            if isinstance(length, ast.Constant) and isinstance(length.value, int):
                node.args = [ast.Constant(min(length.value, self._longest))]
        return node
