"""What the text of the user's program says about a call of `tape.gradient`: names, and where they were assigned.

Records say what was computed under the tape. What was computed before it, after it, or while it paused left no record; the
text around the call shows it. Without the text (a prompt, `python -c`) these questions stay open.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType

from .places import Where, line_of

_ASKING = frozenset({"gradient", "jacobian", "batch_jacobian", "explain", "hessian", "hvp", "explain_nonfinite"})
_THREADS = ("submit", "Thread", "apply_async", "map_async", "start")  # the first that is found is shown


@dataclass(frozen=True, slots=True)
class Assigned:
    """One assignment of a name: its statement, and the value if there is a single one."""

    statement: ast.stmt
    value: ast.expr | None

    @property
    def line(self) -> int:
        return self.statement.lineno


class Reading:
    """The function (or the module) around a call of a tape's method."""

    def __init__(self, code: CodeType, offset: int) -> None:
        self.file = code.co_filename
        self.lines = linecache.getlines(self.file)
        self.line = line_of(code, offset)
        self.scope = self._scope(code)
        self.call = self._asking()
        self.tape = _text(self.call.func.value) if self.call and isinstance(self.call.func, ast.Attribute) else ""
        self.block = self._block()

    # --- names ---------------------------------------------------------------------------------------------------

    def target(self) -> str:
        """How the program writes the target."""
        return self._argument(0, "target")

    def source(self, place: int) -> str:
        """How the program writes the source at this place of a list, or the only one."""
        written = self._node(1, "sources") or self._node(1, "source")
        if isinstance(written, (ast.List, ast.Tuple)) and place < len(written.elts):
            written = written.elts[place]
        return _text(written)

    def _argument(self, place: int, name: str) -> str:
        return _text(self._node(place, name))

    def _node(self, place: int, name: str) -> ast.expr | None:
        if self.call is None:
            return None
        if place < len(self.call.args):
            return self.call.args[place]
        return next((keyword.value for keyword in self.call.keywords if keyword.arg == name), None)

    # --- assignments -----------------------------------------------------------------------------------------------

    def assigned(self, name: str) -> list[Assigned]:
        """The assignments of a name in this scope, in the order of the text, up to the call."""
        found = []
        for statement in self._statements():
            if isinstance(statement, ast.Assign):
                for target in statement.targets:
                    found += _bound_to(name, target, statement)
            elif isinstance(statement, (ast.AugAssign, ast.AnnAssign)) and _text(statement.target) == name:
                found.append(Assigned(statement, statement.value))
            elif isinstance(statement, ast.For) and name in _names(statement.target):
                found.append(Assigned(statement, None))
        return found

    def last_assigned(self, name: str) -> Assigned | None:
        """The last assignment before the call."""
        before = [each for each in self.assigned(name) if each.line <= self.line]
        return before[-1] if before else None

    def is_in_block(self, node: ast.AST) -> bool:
        """Whether a statement stands in the `with` block of the tape."""
        return self.block is not None and any(inner is node for inner in ast.walk(self.block))

    def is_before_block(self, node: ast.stmt) -> bool:
        """Whether it stands above that block."""
        return self.block is not None and node.lineno < self.block.lineno

    def is_after_block(self, node: ast.stmt) -> bool:
        """Whether it stands below that block, and not in it."""
        return self.block is not None and node.lineno > (self.block.end_lineno or self.block.lineno)

    def name_of(self, text: str) -> str:
        """A name that was given to an expression in the block; empty where there is none."""
        for statement in self._statements():
            if isinstance(statement, ast.Assign) and self.is_in_block(statement) and _text(statement.value) == text:
                return _text(statement.targets[0])
        return ""

    def names_in(self, node: ast.expr) -> list[str]:
        """The names in an expression."""
        return sorted(_names(node))

    def pause_around(self, node: ast.AST) -> ast.With | None:
        """The `with tape.stop_recording()` around a statement."""
        for statement in self._statements():
            if (
                isinstance(statement, ast.With)
                and any(_called(item.context_expr) == "stop_recording" for item in statement.items)
                and any(inner is node for inner in ast.walk(statement))
            ):
                return statement
        return None

    def watches(self, name: str) -> list[ast.Call]:
        """The calls `tape.watch(name)`."""
        return [
            call
            for call in self._calls(self.scope)
            if _called(call) == "watch" and call.args and name in (_text(call.args[0]), *_names(call.args[0]))
        ]

    def calls_in_block(self, *names: str) -> list[ast.Call]:
        """The calls of functions or methods of these names in the `with` block."""
        return [call for call in self._calls(self.block) if _called(call) in names] if self.block is not None else []

    def thread_in_block(self) -> ast.Call | None:
        """A call that hands work to another thread in the `with` block."""
        if "Thread" not in "".join(self.lines):
            return None
        return next((call for name in _THREADS for call in self.calls_in_block(name)), None)

    def branch_with(self, name: str) -> ast.If | None:
        """An `if` in the `with` block, of whose branches not all use the name."""
        for statement in ast.walk(self.block) if self.block is not None else ():
            if isinstance(statement, ast.If):
                uses = [any(name in _names(s) for s in part) for part in (statement.body, statement.orelse)]
                if uses[0] != uses[1]:
                    return statement
        return None

    def made_outside(self, target: str, source: str) -> tuple[str, ast.stmt] | None:
        """A name that the target was computed from in the block, and its assignment outside, which leads back to the source."""
        if self.block is None:
            return None
        waiting, seen = [target], {target}
        while waiting:
            assigned = self.last_assigned(waiting.pop(0))
            if assigned is None or assigned.value is None or not self.is_in_block(assigned.statement):
                continue
            for name in sorted(_names(assigned.value) - seen):
                seen.add(name)
                waiting.append(name)
                made = self.last_assigned(name)
                if made is not None and not self.is_in_block(made.statement) and self._leads_to(source, made, set()):
                    return name, made.statement
        return None

    def _leads_to(self, source: str, assigned: Assigned, seen: set[str]) -> bool:
        """Whether a name was computed from the source, as the text has it."""
        names = _names(assigned.value) if assigned.value is not None else set()
        if source in names or source in (
            _text(node) for node in ast.walk(assigned.statement) if isinstance(node, ast.Attribute)
        ):
            return True
        before = [self.last_assigned(name) for name in names - seen]
        return any(each is not None and self._leads_to(source, each, seen | names) for each in before)

    def block_asked_in(self, statement: ast.stmt) -> ast.With | None:
        """The block of the tape that a statement asks for a gradient, if it asks one that is closed."""
        asked = [call for call in self._calls(statement) if _called(call) in _ASKING]
        for call in asked:
            name = _text(call.func.value) if isinstance(call.func, ast.Attribute) else ""
            for each in self._statements():
                if isinstance(each, ast.With) and any(_text(item.optional_vars) == name for item in each.items):
                    return each
        return None

    def uses(self, name: str) -> int:
        """How often the `with` block mentions a name, apart from `tape.watch`."""
        if self.block is None:
            return 0
        watched = {id(inner) for call in self.watches(name) for inner in ast.walk(call)}
        return sum(isinstance(n, ast.Name) and n.id == name and id(n) not in watched for n in ast.walk(self.block))

    def where(self, node: ast.AST) -> Where:
        """The place of a part of the text."""
        return Where(self.file, getattr(node, "lineno", self.line))

    def opening(self) -> Where:
        """The `with` line of the tape; the line of the question where there is none."""
        return Where(self.file, self.block.lineno if self.block is not None else self.line)

    # --- the text ----------------------------------------------------------------------------------------------------

    def _scope(self, code: CodeType) -> ast.AST | None:
        try:
            tree = ast.parse("".join(self.lines))
        except (SyntaxError, ValueError):
            return None
        if code.co_name == "<module>":
            return tree
        functions = [
            node
            for node in ast.walk(tree)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            and node.lineno <= self.line <= (node.end_lineno or node.lineno)
        ]
        return max(functions, key=lambda node: node.lineno) if functions else tree

    def _statements(self) -> Iterator[ast.stmt]:
        """All statements of the scope in the order of the text, without those of functions in it."""
        waiting: list[ast.AST] = [self.scope] if self.scope is not None else []
        while waiting:
            node = waiting.pop()
            inside: list[ast.AST] = []
            for child in ast.iter_child_nodes(node):
                if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                    continue
                if isinstance(child, (ast.stmt, ast.excepthandler)):
                    inside.append(child)
            if isinstance(node, ast.stmt) and node is not self.scope:
                yield node
            waiting += reversed(inside)

    def _calls(self, node: ast.AST | None) -> list[ast.Call]:
        return [inner for inner in ast.walk(node) if isinstance(inner, ast.Call)] if node is not None else []

    def _asking(self) -> ast.Call | None:
        found = [
            call
            for call in self._calls(self.scope)
            if _called(call) in _ASKING and call.lineno <= self.line <= (call.end_lineno or call.lineno)
        ]
        return found[0] if found else None

    def _block(self) -> ast.With | None:
        """The last `with` block before the call (or around it) that opens the tape."""
        found = None
        for statement in self._statements():
            if isinstance(statement, ast.With) and statement.lineno <= self.line:
                for item in statement.items:
                    name = _text(item.optional_vars)
                    if (
                        name == self.tape
                        or (not self.tape and _called(item.context_expr) == "GradientTape")
                        or (_text(item.context_expr) == self.tape and self.tape)
                    ):
                        found = statement
        return found


def _bound_to(name: str, target: ast.expr, statement: ast.Assign) -> list[Assigned]:
    if _text(target) == name:
        return [Assigned(statement, statement.value)]
    if isinstance(target, (ast.Tuple, ast.List)) and name in [_text(part) for part in target.elts]:
        whole = isinstance(statement.value, (ast.Tuple, ast.List)) and len(statement.value.elts) == len(target.elts)
        place = [_text(part) for part in target.elts].index(name)
        return [Assigned(statement, statement.value.elts[place] if whole else statement.value)]  # type: ignore[attr-defined]
    return []


def _called(node: ast.AST | None) -> str:
    """The last name of what is called: "watch" for `tape.watch(x)`."""
    if not isinstance(node, ast.Call):
        return ""
    return node.func.attr if isinstance(node.func, ast.Attribute) else _text(node.func)


def _names(node: ast.AST) -> set[str]:
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}


def _text(node: ast.AST | None) -> str:
    return "" if node is None else ast.unparse(node)


def called(node: ast.AST | None) -> str:
    """The same as `_called`, for who decides by it."""
    return _called(node)
