"""What the text of the user's program says about a call of `tape.gradient`: names, and where they were assigned.

Records say what was computed under the tape. What was computed before it, after it, or while it paused left no record; the
text around the call shows it. Without the text (a prompt, `python -c`) these questions stay open.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import Any

from .flow import Flow, Path, is_on, parse_path, path_of, same_place, statements_of, targets_of
from .places import Where, line_of

_ASKING = frozenset({"gradient", "jacobian", "batch_jacobian", "explain", "hessian", "hvp", "explain_nonfinite"})
_THREADS = {"submit", "apply_async", "map_async", "run_in_executor", "to_thread", "Thread"}
_MAKING = frozenset({"Variable", "add_weight"})
_TENSORS = frozenset({"Variable", "constant", "convert_to_tensor", "ones", "zeros"})
_BUILDING = {"list", "dict", "tuple", "map_structure", "tree_map", "deepcopy", "copy"}
_CHOOSING = {"max", "min", "sorted", "bool", "any", "all"}
_MAPS = {"map", "imap", "imap_unordered", "starmap"}  # of a pool, if it was made as one


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
        self._tree: ast.Module | None = None
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
        return self._source(place)[0]

    def names_source(self, place: int) -> bool:
        """Whether that is the text of one source, and not that of a structure that holds it."""
        return self._source(place)[1]

    def _source(self, place: int) -> tuple[str, bool]:
        written = self._node(1, "sources") or self._node(1, "source")
        whole = _element(written, place)
        if whole is None and isinstance(written, ast.Name):
            assigned = self.assigned(written.id)
            whole = _element(assigned[0].value, place) if len(assigned) == 1 else None
            whole = whole if whole is not None and path_of(whole) else None
        return (_text(written), False) if whole is None else (_text(whole), True)

    def paths_of(self, text: str) -> list[Path]:
        """The paths by which the program may read a source: its own, and that of what it is a name for."""
        paths = [path] if (path := parse_path(text)) else []
        assigned = self.last_assigned(text)
        other = path_of(assigned.value) if assigned is not None and assigned.value is not None else ()
        return [*paths, other] if len(other) > 1 else paths

    def with_zeros(self) -> str:
        """The call with zeros asked for in place of None; empty where it is no call for gradients."""
        if self.call is None or _called(self.call) not in ("gradient", "jacobian", "batch_jacobian"):
            return ""
        given = [keyword for keyword in self.call.keywords if keyword.arg != "unconnected_gradients"]
        call = ast.Call(self.call.func, self.call.args[:3], given)
        return ast.unparse(call)[:-1] + ', unconnected_gradients="zero")'

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

    def threads_in_block(self, functions: Sequence[ast.AST] = ()) -> list[ast.Call]:
        """The calls that hand work to another thread in the `with` block, or in functions that it calls."""
        pools = {
            parse_path(_text(target))[:1]
            for statement in self._statements()
            for target in targets_of(statement)
            if "Executor(" in (opened := _opened(statement)) or "Pool(" in opened
        }
        found = []
        for call in (call for place in (self.block, *functions) for call in self._calls(place)):
            method = call.func if isinstance(call.func, ast.Attribute) else None
            of_pool = method is not None and path_of(method.value)[:1] in pools - {()}
            if _called(call) in _THREADS or (_called(call) in _MAPS and of_pool):
                found.append(call)
        return found

    def branch_with(self, is_used: Callable[[ast.AST], bool], functions: Sequence[ast.AST] = ()) -> ast.AST | None:
        """What chooses in the `with` block, or in functions that it calls, between branches of which not all use a value."""
        places = [self.block, *functions] if self.block is not None else []
        for node in (node for place in places for node in ast.walk(place)):
            branches: list[list[Any]] = []
            if isinstance(node, ast.If):
                branches = [node.body, node.orelse]
            elif isinstance(node, ast.IfExp):
                branches = [[node.body], [node.orelse]]
            elif isinstance(node, ast.Call) and called(node) in ("cond", "case", "switch_case"):
                given = [*node.args[1:], *(k.value for k in node.keywords if k.arg in ("true_fn", "false_fn"))]
                branches = [[each] for each in given]
            if len({any(is_used(each) for each in branch) for branch in branches}) > 1:
                return node
        return None

    def methods_of(self, attribute: str, names: Iterable[str]) -> list[ast.FunctionDef]:
        """The methods of these names, and those that calling an object runs, of the classes in this file with this attribute."""
        wanted = {*names, "__call__", "call", "forward"}
        classes = [
            node
            for node in (ast.walk(self._tree) if self._tree is not None else ())
            if isinstance(node, ast.ClassDef)
            and any(
                isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store) and n.attr == attribute
                for n in ast.walk(node)
            )
        ]
        return [
            each for node in classes for each in node.body if isinstance(each, ast.FunctionDef) and each.name in wanted
        ]

    def stored_by(self, attribute: str) -> list[ast.Assign]:
        """The statements in methods that store something in this attribute of their object."""
        found = []
        for node in ast.walk(self._tree) if self._tree is not None else ():
            for statement in ast.walk(node) if isinstance(node, ast.ClassDef) else ():
                if isinstance(statement, ast.Assign) and any(
                    path_of(t) == ("self", attribute) for t in statement.targets
                ):
                    found.append(statement)
        return found

    def choice_at(self, where: Where, flow: Flow) -> ast.AST | None:
        """The `if`, `while` or expression that chooses on a line, if what it chooses may go into the target."""
        try:
            tree = ast.parse("".join(linecache.getlines(where.file)))
        except (SyntaxError, ValueError):
            return None
        seen = where.file == self.file and (flow.knows(where.line) or flow.covers(where.line))
        for node in ast.walk(tree):
            test = getattr(node, "test", None)
            if test is None or not test.lineno <= where.line <= (test.end_lineno or test.lineno):
                continue
            if isinstance(node, ast.IfExp):
                return node if not seen or flow.covers(where.line) else None
            if isinstance(node, (ast.If, ast.While)) and _gives(node, set(flow.names) if seen else None, flow, where):
                return node
        for statement in ast.walk(tree):  # `max(a, b)`, `a and b`
            if isinstance(statement, (ast.Assign, ast.AugAssign, ast.Return)) and is_on(statement, where.line):
                chooses = any(called(n) in _CHOOSING or isinstance(n, ast.BoolOp) for n in ast.walk(statement))
                return statement if chooses and (not seen or flow.covers(where.line)) else None
        return None

    def flow(self, target: str) -> Flow:
        """What the target was computed by, as the text has it."""
        return Flow(self.scope, target, self.line)

    def is_outside(self, statement: ast.stmt) -> bool:
        """Whether a statement of this scope stands in no block of the tape, and in no function."""
        around = [each for each in self._statements() if any(inner is statement for inner in ast.walk(each))]
        names = [
            _text(part) for each in around if isinstance(each, ast.With) for item in each.items for part in _parts(item)
        ]
        return bool(around) and self.block is not None and self.tape not in names and not self.is_in_block(statement)

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

    def replaced(self, path: Path, whole: bool) -> ast.stmt | None:
        """The last statement that puts something else in the place of what was a variable; None if none does.

        With `whole`, the path is that of a list or a dictionary of variables.
        """
        made, others = False, list[ast.stmt]()
        for statement in statements_of(self.scope):
            value = getattr(statement, "value", None)
            for target in targets_of(statement):
                written = path_of(target)
                there = written == path[: len(written)] or same_place(written, path)
                if not written or value is None or not (there or (whole and written[: len(path)] == path)):
                    continue
                if len(written) < len(path) and isinstance(value, ast.Call) and called(value) not in _BUILDING:
                    continue  # (an object is made, whose attributes may be anything)
                if any(called(call) in _MAKING for call in ast.walk(value)):
                    made = True
                elif isinstance(statement, (ast.Assign, ast.AugAssign)) and not isinstance(value, ast.Constant):
                    others.append(statement)
        attribute = path[-1] if len(path) > 1 else ""
        for node in ast.walk(self._tree) if self._tree is not None and attribute else ():
            if isinstance(node, ast.Assign) and any(called(call) in _MAKING for call in ast.walk(node.value)):
                made = made or any(isinstance(t, ast.Attribute) and t.attr == attribute for t in targets_of(node))
        return others[-1] if made and others else None

    def parsed(self, text: str) -> ast.expr | None:
        """An expression of the program, from its text."""
        try:
            return ast.parse(text, mode="eval").body
        except SyntaxError:
            return None

    def part_of(self, text: str) -> tuple[str, str] | None:
        """A variable or a watched tensor and the place, for the text of a part of it; None for another text."""
        node = self.parsed(text)
        if not isinstance(node, ast.Subscript):
            return None
        whole = _text(node.value)
        assigned = self.last_assigned(whole)
        is_tensor = called(assigned.value if assigned is not None else None) in _TENSORS or bool(self.watches(whole))
        return (whole, text[len(whole) :]) if is_tensor and text.startswith(whole) else None

    def computes_with(self, name: str) -> bool:
        """Whether the block uses a name only in ways that a number with fractions has too: no place in a table, no count."""
        nodes = [self.block] if self.block is not None else []
        functions = {
            n.name: n
            for n in (ast.walk(self._tree) if self._tree is not None else ())
            if isinstance(n, ast.FunctionDef)
        }
        return bool(nodes) and all(_is_arithmetic(node, name, functions, 3) for node in nodes)

    def uses_after(self, name: str, line: int) -> list[ast.stmt]:
        """The statements below a line, up to the call, that mention a name."""
        return [
            each
            for each in self._statements()
            if line < each.lineno <= self.line
            and not hasattr(each, "body")
            and any(isinstance(n, (ast.Name, ast.Attribute)) and _text(n) == name for n in ast.walk(each))
        ]

    def function_around(self, node: ast.AST) -> ast.FunctionDef | None:
        """The innermost function that a part of the text stands in."""
        around = [
            each
            for each in (ast.walk(self._tree) if self._tree is not None else ())
            if isinstance(each, ast.FunctionDef) and any(inner is node for inner in ast.walk(each))
        ]
        return around[-1] if around else None

    def is_in_comprehension(self, node: ast.AST) -> bool:
        """Whether names of a part of the text may be known only inside of a comprehension or a lambda around it."""
        kinds = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)
        return any(
            isinstance(each, kinds) and any(inner is node for inner in ast.walk(each)) and each is not node
            for each in (ast.walk(self.scope) if self.scope is not None else ())
        )

    def in_loop(self, line: int) -> bool:
        """Whether a line stands in a loop inside the block."""
        loops = (
            [n for n in ast.walk(self.block) if isinstance(n, (ast.For, ast.While))] if self.block is not None else []
        )
        return any(loop.lineno <= line <= (loop.end_lineno or loop.lineno) for loop in loops)

    def statement_of(self, node: ast.AST) -> ast.stmt | None:
        """The innermost statement around an expression."""
        around = [each for each in self._statements() if any(inner is node for inner in ast.walk(each))]
        return around[-1] if around else None

    def where(self, node: ast.AST) -> Where:
        """The place of a part of the text."""
        return Where(self.file, getattr(node, "lineno", self.line))

    def opening(self) -> Where:
        """The `with` line of the tape; the line of the question where there is none."""
        return Where(self.file, self.block.lineno if self.block is not None else self.line)

    # --- the text ----------------------------------------------------------------------------------------------------

    def _scope(self, code: CodeType) -> ast.AST | None:
        try:
            tree = self._tree = ast.parse("".join(self.lines))
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
        return statements_of(self.scope)

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
        """The last `with` block before the call (or around it) that opens the tape; None where a library asks."""
        found = None
        if self.call is None:
            return None
        for statement in self._statements():
            if isinstance(statement, ast.With) and statement.lineno <= self.line:
                for item in statement.items:
                    name = _text(item.optional_vars)
                    if (
                        (name == self.tape and self.tape)
                        or (not self.tape and _called(item.context_expr) == "GradientTape")
                        or (_text(item.context_expr) == self.tape and self.tape)
                    ):
                        found = statement
        return found


_SMOOTH = frozenset(
    {
        "cast",
        "square",
        "sqrt",
        "exp",
        "sin",
        "cos",
        "tan",
        "tanh",
        "sigmoid",
        "abs",
        "pow",
        "add",
        "subtract",
        "multiply",
    }
    | {
        "divide",
        "matmul",
        "reduce_sum",
        "reduce_mean",
        "reduce_max",
        "reduce_min",
        "reshape",
        "watch",
        "log",
        "relu",
        "print",
    }
)


def _gives(node: ast.If | ast.While, names: set[str] | None, flow: Flow, where: Where) -> bool:
    """Whether what a branch or a loop does can reach the target: it binds one of these names, or returns from a function.

    Without names nothing is known of the function around it.
    """
    inside = list(statements_of(node))
    if names is None:
        return any(isinstance(each, (ast.Return, ast.Assign, ast.AugAssign)) for each in inside)
    if any(isinstance(each, ast.Return) for each in inside):
        return flow.covers(where.line)
    bound = {path[0] for each in inside for t in targets_of(each) if (path := path_of(t))}
    in_function = any(is_on(flow.functions[name], where.line) for name in flow.called & flow.functions.keys())
    return bool(bound & names) or (in_function and bool(bound))


def _is_arithmetic(scope: ast.AST, name: str, functions: dict[str, ast.FunctionDef], depth: int) -> bool:
    for node in ast.walk(scope):
        for child in ast.iter_child_nodes(node):
            if not (isinstance(child, ast.Name) and child.id == name and isinstance(child.ctx, ast.Load)):
                continue
            if isinstance(node, ast.Call) and child in node.args:
                function = functions.get(_called(node))
                if _called(node) in _SMOOTH:
                    continue
                if function is None or not depth or node.args.index(child) >= len(function.args.args):
                    return False
                inner = function.args.args[node.args.index(child)].arg
                if not all(_is_arithmetic(each, inner, functions, depth - 1) for each in function.body):
                    return False
            elif not isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Return, ast.Assign, ast.Attribute)):
                return False
    return True


def _element(node: ast.expr | None, place: int) -> ast.expr | None:
    """The element of a list, a tuple or a dictionary that is written out, as `tf.nest.flatten` counts."""
    if isinstance(node, (ast.List, ast.Tuple)) and place < len(node.elts):
        return node.elts[place]
    if isinstance(node, ast.Dict) and place < len(node.keys):
        named = [(str(k.value), v) for k, v in zip(node.keys, node.values, strict=True) if isinstance(k, ast.Constant)]
        return sorted(named, key=lambda pair: pair[0])[place][1] if len(named) == len(node.keys) else None
    return None


def _parts(item: ast.withitem) -> tuple[ast.expr | None, ast.expr]:
    return item.optional_vars, item.context_expr


def _opened(statement: ast.stmt) -> str:
    """What a statement binds its names to."""
    if isinstance(statement, ast.With):
        return " ".join(_text(item.context_expr) for item in statement.items)
    return _text(getattr(statement, "value", None))


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
