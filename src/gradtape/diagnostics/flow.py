"""What the text of a program says about where a value comes from: the statements that a name was computed by.

This is a reading of one function or module, from a name back over all statements that bind it, and over the functions of the
same file that are called on the way. It takes each branch and each round of a loop as run, so it finds too much rather than too
little: what it does not find did not take part.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

Path = tuple[
    str, ...
]  # "model.layers[0].kernel" is ("model", "layers", "[0]", "kernel"); "[*]" is a place that is not known

_WEIGHTS = ("variables", "weights", "kernel", "bias")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class Flow:
    """The statements of a scope that a value was computed by."""

    def __init__(self, scope: ast.AST | None, target: str, before: int) -> None:
        self._scope = scope
        self._before = before
        self._target = target
        self.functions = {
            node.name: node
            for node in (ast.walk(scope) if scope is not None else ())
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node is not scope
        }
        self._binding = self._bindings()
        self.names: list[str] = []  # in the order of the way back
        self.statements: list[ast.stmt] = []
        self.called: set[str] = set()  # functions of this file, and methods, whose result goes into it
        self._follow(_names_of(target))

    def holds(self, node: ast.AST) -> bool:
        """Whether an expression or a statement takes part."""
        return any(inner is node for statement in self.statements for inner in ast.walk(statement))

    def reads(self, path: Path) -> bool:
        """Whether it is the target, or a statement that takes part reads it, or more or less than it."""
        used = [
            parse_path(self._target),
            *(p for each in self.statements for p in self._reads(self.value_of(each), set())),
        ]
        return any(_meets(each, path) for each in used if each)

    def covers(self, line: int) -> bool:
        """Whether a statement that takes part, or a function that one calls, stands on a line."""
        if any(is_on(statement, line) for statement in self.statements):
            return True
        for loop in statements_of(self._scope):
            if isinstance(loop, (ast.For, ast.While)) and loop.lineno <= line < loop.body[0].lineno:
                return any(self.holds(each) for each in statements_of(loop))
        return any(is_on(self.functions[name], line) for name in self.called & self.functions.keys())

    def knows(self, line: int) -> bool:
        """Whether a line is in what was read: outside of it nothing can be said."""
        scope = self._scope
        if not self.statements or scope is None or not (isinstance(scope, ast.Module) or is_on(scope, line)):
            return False  # (nor in methods: it is not known whose they are)
        return not any(isinstance(node, ast.ClassDef) and is_on(node, line) for node in ast.walk(scope))

    def value_of(self, statement: ast.stmt) -> ast.AST:
        """What a statement computes with: its value, or all of it."""
        return getattr(statement, "value", None) or getattr(statement, "iter", None) or statement

    def uses(self, node: ast.AST, paths: Iterable[Path]) -> bool:
        """Whether an expression reads one of these values, itself or in a function of this file that it calls."""
        wanted = list(paths)
        return any(_meets(used, path) for used in self._reads(node, set()) for path in wanted)

    def symbolic(self) -> set[str]:
        """The names of what is built from `keras.Input`: layers called on it, and models. None of it is computed yet."""
        found: set[str] = set()
        for statement in statements_of(self._scope):
            value = self.value_of(statement)
            if not targets_of(statement) or isinstance(statement, ast.With):
                continue
            calls = [node for node in ast.walk(value) if isinstance(node, ast.Call)]
            named = {
                call.func.attr if isinstance(call.func, ast.Attribute) else ast.unparse(call.func) for call in calls
            }
            # (A model that is called, or asked by a method, computes what it is given.)
            given = value.args if isinstance(value, ast.Call) and path_of(value.func) else [value]
            read = {path[0] for each in given for path in paths_in(each) if not path[-1].endswith(_WEIGHTS)}
            if "Input" in named or found & read:
                found.update(_bound_by(statement))
        return found

    def chain_to(self, statement: ast.stmt, paths: Iterable[Path]) -> list[ast.stmt]:
        """The statements from one that reads a source to this one, in the order of the text; empty if none leads there."""
        wanted = list(paths)
        if self.uses(self.value_of(statement), wanted):
            return [statement]
        seen: set[int] = {id(statement)}
        waiting = [[statement]]
        while waiting:
            way = waiting.pop(0)
            for name in sorted({path[0] for path in self._reads(self.value_of(way[0]), set())}):
                for earlier in self._binding.get(name, ()):
                    if id(earlier) in seen or earlier.lineno > way[0].lineno:
                        continue
                    seen.add(id(earlier))
                    if self.uses(self.value_of(earlier), wanted):
                        return [earlier, *way]
                    waiting.append([earlier, *way])
        return []

    # --- reading -----------------------------------------------------------------------------------------------------

    def _follow(self, names: Iterable[str]) -> None:
        waiting, seen = list(names), set(names)
        while waiting:
            name = waiting.pop(0)
            self.names.append(name)
            if name in self.functions:
                self.called.add(name)
            for statement in self._binding.get(name, ()):
                if statement not in self.statements:
                    self.statements.append(statement)
                for call in ast.walk(statement):
                    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
                        self.called.add(call.func.attr)
                for path in {*self._reads(statement, set()), *self._rounds(statement)}:
                    if path[0] not in seen:
                        seen.add(path[0])
                        waiting.append(path[0])

    def _rounds(self, statement: ast.stmt) -> Iterator[Path]:
        """What decides how often a statement runs: the loops around it."""
        for loop in statements_of(self._scope):
            if isinstance(loop, (ast.For, ast.While)) and loop.lineno < statement.lineno <= (loop.end_lineno or 0):
                yield from paths_in(loop.iter if isinstance(loop, ast.For) else loop.test)

    def _reads(self, node: ast.AST, within: set[str]) -> set[Path]:
        """The values that an expression reads, with those that the functions it calls read from around them."""
        found = set(paths_in(node))
        for name in {path[0] for path in found} & self.functions.keys() - within:
            function = self.functions[name]
            own = {argument.arg for argument in ast.walk(function.args) if isinstance(argument, ast.arg)}
            own |= {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
            for statement in function.body:
                found |= {path for path in self._reads(statement, within | {name}) if path[0] not in own}
        return found

    def _bindings(self) -> dict[str, list[ast.stmt]]:
        """For each name the statements that bind it, or change what it holds."""
        found: dict[str, list[ast.stmt]] = {}
        for statement in statements_of(self._scope):
            if statement.lineno > self._before:
                continue
            for name in _bound_by(statement):
                found.setdefault(name, []).append(statement)
        for loop in statements_of(self._scope):  # what is put into the elements that a loop goes over
            if isinstance(loop, ast.For):
                own = {n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name)}
                for statement in statements_of(loop):
                    if isinstance(statement, ast.Expr) and own.intersection(_bound_by(statement)):
                        for path in paths_in(loop.iter):
                            found.setdefault(path[0], []).append(statement)
        for function in self.functions.values():  # what they store in names from around them
            for statement in statements_of(function):
                stored = [t for t in targets_of(statement) if isinstance(t, (ast.Subscript, ast.Attribute))]
                names = {path[0] for target in stored if (path := parse_path(ast.unparse(target)))}
                for name in names or (_bound_by(statement) if isinstance(statement, ast.Expr) else ()):
                    found.setdefault(name, []).append(statement)
        return found


def statements_of(scope: ast.AST | None) -> Iterator[ast.stmt]:
    """All statements of a scope in the order of the text, without those of functions and classes in it."""
    waiting: list[ast.AST] = [scope] if scope is not None else []
    while waiting:
        node = waiting.pop()
        inside: list[ast.AST] = []
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                continue
            if isinstance(child, (ast.stmt, ast.excepthandler)):
                inside.append(child)
        if isinstance(node, ast.stmt) and node is not scope:
            yield node
        waiting += reversed(inside)


def targets_of(statement: ast.stmt) -> list[ast.expr]:
    """The expressions that a statement stores into, one by one."""
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = list(statement.targets)
    elif isinstance(statement, (ast.AugAssign, ast.AnnAssign, ast.For)):
        targets = [statement.target]
    elif isinstance(statement, ast.With):
        targets = [item.optional_vars for item in statement.items if item.optional_vars is not None]
    flat: list[ast.expr] = []
    while targets:
        target = targets.pop(0)
        if isinstance(target, (ast.Tuple, ast.List)):
            targets = [*target.elts, *targets]
        else:
            flat.append(target.value if isinstance(target, ast.Starred) else target)
    return flat


def _bound_by(statement: ast.stmt) -> list[str]:
    names = [path[0] for target in targets_of(statement) if (path := parse_path(ast.unparse(target)))]
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call = statement.value  # `parts.append(x)`, `state.assign(x)`
        if isinstance(call.func, ast.Attribute) and (call.args or call.keywords):
            names += path_of(call.func.value)[:1]
    return names


def paths_in(node: ast.AST) -> Iterator[Path]:
    """The values that an expression reads, each with all of its attributes and places; for a method, of what it belongs to."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        yield from paths_in(node.func.value)
        for part in (*node.args, *node.keywords):
            yield from paths_in(part)
        return
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("self", "cls"):
        yield node.func.id, "[*]"  # (an object that is called may use all it has)
        for part in (*node.args, *node.keywords):
            yield from paths_in(part)
        return
    if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
        path = path_of(node)
        if path:
            if isinstance(getattr(node, "ctx", None), ast.Load):
                yield path
            while isinstance(node, (ast.Attribute, ast.Subscript)):
                if isinstance(node, ast.Subscript):
                    yield from paths_in(node.slice)
                node = node.value
            return
    if isinstance(node, ast.With):  # (only what it opens)
        for item in node.items:
            yield from paths_in(item.context_expr)
        return
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.stmt) and not isinstance(node, _FUNCTIONS)):
            yield from paths_in(child)


def path_of(node: ast.AST) -> Path:
    """The path of an expression; empty for one that is no name with attributes and places."""
    parts: list[str] = []
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        if isinstance(node, ast.Attribute):
            parts.append(node.attr)
        else:
            known = isinstance(node.slice, (ast.Constant, ast.Slice, ast.Tuple))
            parts.append(f"[{ast.unparse(node.slice)}]" if known else "[*]")
        node = node.value
    return (node.id, *reversed(parts)) if isinstance(node, ast.Name) else ()


def parse_path(text: str) -> Path:
    """The path of an expression as text."""
    try:
        return path_of(ast.parse(text, mode="eval").body)
    except SyntaxError:
        return ()


def _names_of(text: str) -> list[str]:
    try:
        return sorted({path[0] for path in paths_in(ast.parse(text, mode="eval"))})
    except SyntaxError:
        return []


def _meets(used: Path, path: Path) -> bool:
    """Whether one of two paths begins with the other: a model reads its weights, and `w[0]` is a part of `w`."""
    if used[0] in ("tf", "np") or (len(used) == 1 < len(path) and used[0] in ("self", "cls")):
        return used == path
    return all(one == two or "[*]" in (one, two) for one, two in zip(used, path, strict=False))


def same_place(one: Path, two: Path) -> bool:
    """Whether two paths may be one place: `ws[i]` and `ws[0]` are."""
    return len(one) == len(two) and _meets(one, two)


def is_on(node: ast.AST, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)  # type: ignore[attr-defined]
