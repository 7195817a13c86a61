"""The line that repairs a cut, written from the line that has it."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable

from ..base.frames import is_library
from .places import Where

Span = tuple[int, int, int, int]
Change = Callable[[ast.expr], ast.expr | None]  # what stands in place of an expression; None to leave it

# NumPy's and Python's functions with a name of their own in tf; all others have the same one.
_IN_TF = {
    **{"arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2", "power": "pow", "absolute": "abs"},
    **{"sum": "reduce_sum", "mean": "reduce_mean", "max": "reduce_max", "min": "reduce_min", "prod": "reduce_prod"},
    **{"dot": "tensordot", "log": "math.log", "log1p": "math.log1p", "fabs": "abs", "concatenate": "concat"},
}
_NUMERIC = {"float", "int", "complex"}
_ARRAYS = {"asarray", "array", "ascontiguousarray"}
_TENSORS = {"constant", "convert_to_tensor"}
_MODULES = {"np", "numpy", "math"}


def statement_at(where: Where) -> ast.stmt | None:
    """The innermost statement at a line of the user's program, without the blocks in it."""
    if is_library(where.file):
        return None  # (which nobody should change)
    try:
        tree = ast.parse("".join(linecache.getlines(where.file)))
    except (SyntaxError, ValueError):
        return None
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt)
        and not hasattr(node, "body")
        and node.lineno <= where.line <= (node.end_lineno or node.lineno)
    ]
    if where.span is not None:  # of several on one line
        found = [
            n for n in found if (n.lineno, n.col_offset) <= where.span[:2] <= (n.end_lineno, n.end_col_offset)
        ] or found
    return found[-1] if found else None


def scope_at(where: Where) -> ast.AST | None:
    """The function around a line, or the module."""
    try:
        tree = ast.parse("".join(linecache.getlines(where.file)))
    except (SyntaxError, ValueError):
        return None
    functions = [
        node
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and node.lineno <= where.line <= (node.end_lineno or node.lineno)
    ]
    return max(functions, key=lambda node: node.lineno) if functions else tree


def span_of(node: ast.AST | None) -> Span | None:
    """Where an expression stands: first line, column, last line, and the column behind it."""
    if not isinstance(node, ast.expr) or node.end_lineno is None or node.end_col_offset is None:
        return None
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def expression_at(where: Where, statement: ast.stmt | None = None) -> ast.expr | None:
    """The expression at a place of a statement; None where the columns are not known."""
    statement = statement or statement_at(where)
    for node in ast.walk(statement) if statement is not None and where.span is not None else ():
        is_one = isinstance(node, (ast.Call, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Subscript))
        if is_one and span_of(node) == where.span:
            return node  # type: ignore[return-value]
    return None


def rewritten(where: Where, *changes: Change, at: Span | None = None) -> str:
    """The statement at a line with its expressions changed, from the inside out; empty if nothing changed.

    With `at`, only the expression that stands there is changed.
    """
    statement = statement_at(where)
    if statement is None or any(isinstance(node, ast.JoinedStr) for node in ast.walk(statement)):
        return ""  # (what goes through text cannot be kept a tensor)
    before = ast.unparse(statement)
    for change in changes:
        # (As text in between: what a change has put in place of several nodes may be one object.)
        statement = ast.parse(ast.unparse(ast.fix_missing_locations(_Rewriter(change, at).visit(statement)))).body[0]
    after = ast.unparse(statement)
    return after if after != before else ""


class _Rewriter(ast.NodeTransformer):
    def __init__(self, change: Change, at: Span | None) -> None:
        self._change, self._at = change, at

    def generic_visit(self, node: ast.AST) -> ast.AST:
        here = isinstance(node, ast.expr) and self._at in (None, span_of(node))
        node = super().generic_visit(node)
        return (self._change(node) or node) if here and isinstance(node, ast.expr) else node


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def kept_as_tensor(node: ast.expr) -> ast.expr | None:
    """`x.numpy()`, `float(x)`, `np.asarray(x)` and `tf.constant(x)` are x; `np.sin` and `math.sin` are `tf.sin`."""
    if not isinstance(node, ast.Call):
        return None
    function = node.func
    if isinstance(function, ast.Attribute):
        if function.attr in ("numpy", "item", "tolist") and not node.args:
            return function.value
        module = _name(function.value)
        if module in ("np", "numpy") and function.attr in _ARRAYS and node.args:
            return node.args[0]
        if (
            module == "tf"
            and function.attr in _TENSORS
            and node.args
            and not isinstance(node.args[0], ast.Constant | ast.List)
        ):
            return node.args[0]
        if module in _MODULES:
            node.func = ast.parse(f"tf.{_IN_TF.get(function.attr, function.attr)}", mode="eval").body
            return node
    elif _name(function) in _NUMERIC and len(node.args) == 1:
        return node.args[0]
    return None


def persistent(where: Where) -> str:
    """The `with` line of a tape, which answers more than once; empty where there is no such line."""
    try:
        tree = ast.parse("".join(linecache.getlines(where.file)))
    except (SyntaxError, ValueError):
        return ""
    block = next((n for n in ast.walk(tree) if isinstance(n, ast.With) and n.lineno == where.line), None)
    opened = [i.context_expr for i in block.items if isinstance(i.context_expr, ast.Call)] if block is not None else []
    tapes = [call for call in opened if _name(call.func) == "GradientTape"]
    for call in tapes:
        call.keywords = [k for k in call.keywords if k.arg != "persistent"]
        call.keywords.append(ast.keyword("persistent", ast.Constant(True)))
    return f"with {', '.join(map(ast.unparse, block.items))}:" if block is not None and tapes else ""


def replaced_names(node: ast.expr, old: str, new: str) -> ast.expr:
    """An expression with another one in place of a name."""

    class Renamed(ast.NodeTransformer):
        def visit_Name(self, name: ast.Name) -> ast.expr:
            return ast.parse(new, mode="eval").body if name.id == old else name

    copied = ast.parse(ast.unparse(node), mode="eval").body
    changed: ast.expr = Renamed().visit(copied)
    return changed


def in_place_of(text: str, other: ast.expr) -> Change:
    """A change that puts another expression in place of those with this text."""
    return lambda node: other if ast.unparse(node) == text else None


def stopped(text: str) -> Change:
    """A change that puts `tf.stop_gradient` around the operands of an expression with this text."""

    def change(node: ast.expr) -> ast.expr | None:
        if not (isinstance(node, ast.Call) and node.args and ast.unparse(node) == text):
            return None
        first = ast.Call(ast.parse("tf.stop_gradient", mode="eval").body, [node.args[0]], [])
        return ast.Call(node.func, [first, *node.args[1:]], node.keywords)

    return change


def without_call(*names: str) -> Change:
    """A change that puts the first argument in place of a call of one of these functions."""

    def change(node: ast.expr) -> ast.expr | None:
        return node.args[0] if isinstance(node, ast.Call) and _name(node.func) in names and node.args else None

    return change


def staying_floating(node: ast.expr) -> ast.expr | None:
    """`tf.cast(x, tf.int32)` and `tf.cast(x, "bool")` are x; a cast to a floating type stays."""
    if not isinstance(node, ast.Call) or not node.args:
        return None
    given = [*node.args[1:2], *(keyword.value for keyword in node.keywords if keyword.arg == "dtype")]
    kind = "".join(map(ast.unparse, given))
    if _name(node.func) == "cast" and any(word in kind for word in ("int", "bool", "string")):
        return node.args[0]
    return node.args[0] if _name(node.func) in ("to_int32", "to_int64") else None


def as_call(node: ast.expr) -> ast.expr | None:
    """`model.predict(x, ...)` as `model(x)`."""
    method = node.func if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
    if isinstance(node, ast.Call) and method is not None and method.attr in ("predict", "predict_on_batch"):
        return ast.Call(method.value, node.args[:1], [])
    if (
        isinstance(node, ast.Call)
        and method is not None
        and method.attr in ("evaluate", "test_on_batch")
        and len(node.args) >= 2
    ):
        compute = ast.Attribute(method.value, "compute_loss", ast.Load())
        return ast.Call(compute, [*node.args[:2], ast.Call(method.value, node.args[:1], [])], [])
    return kept_as_tensor(node)


def straight_through(*names: str) -> Change:
    """`tf.round(x)` as `x + tf.stop_gradient(tf.round(x) - x)`: the same value, with the gradient of x."""

    def change(node: ast.expr) -> ast.expr | None:
        if not (isinstance(node, ast.Call) and _name(node.func) in names and node.args):
            return None
        inner, whole = ast.unparse(node.args[0]), ast.unparse(node)
        return ast.parse(f"{inner} + tf.stop_gradient({whole} - {inner})", mode="eval").body

    return change


def quotient(node: ast.expr) -> ast.expr | None:
    """`x // y` as the quotient whose value is rounded: with the gradient of `x / y`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv):
        one, two = node.left, node.right
    elif isinstance(node, ast.Call) and _name(node.func) in ("floordiv", "floor_div") and len(node.args) == 2:
        one, two = node.args
    else:
        return None
    exact, whole = ast.unparse(ast.BinOp(one, ast.Div(), two)), ast.unparse(node)
    return ast.parse(f"{exact} + tf.stop_gradient({whole} - {exact})", mode="eval").body


def mixture(node: ast.expr) -> ast.expr | None:
    """`tf.where(gate, a, b)` as the mixture of both, for a gate between 0 and 1."""
    if not (isinstance(node, ast.Call) and _name(node.func) == "where" and len(node.args) == 3):
        return None
    gate, one, two = node.args
    rest = ast.BinOp(ast.Constant(1.0), ast.Sub(), gate)
    return ast.BinOp(ast.BinOp(gate, ast.Mult(), one), ast.Add(), ast.BinOp(rest, ast.Mult(), two))


def asks_for_integers(text: str) -> bool:
    """Whether a line names a type without derivatives as an argument."""
    kinds = [
        ast.unparse(argument).strip("'\"").rpartition(".")[2]
        for call in ast.walk(ast.parse(text))
        if isinstance(call, ast.Call)
        for argument in (*call.args, *(keyword.value for keyword in call.keywords))
    ]
    return not _INTEGERS.isdisjoint(kinds)


_INTEGERS = {"bool", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))}


def smooth(node: ast.expr) -> ast.expr | None:
    """A comparison as a sigmoid of the difference, equality as closeness, `argmax` as the mean position under a softmax."""
    text = ""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        left, right = ast.unparse(node.left), ast.unparse(node.comparators[0])
        if isinstance(node.ops[0], (ast.Lt, ast.LtE)):
            left, right = right, left
        if isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            text = _agreement(node.left, node.comparators[0], isinstance(node.ops[0], ast.Eq))
        else:
            text = f"tf.sigmoid({left} - {right})"
    elif isinstance(node, ast.Call) and _name(node.func) in ("equal", "not_equal"):
        text = _agreement(node.args[0], node.args[1], _name(node.func) == "equal")
    elif isinstance(node, ast.Call) and _name(node.func) in ("greater", "greater_equal", "less", "less_equal"):
        left, right = (ast.unparse(argument) for argument in node.args[:2])
        text = f"tf.sigmoid({right} - {left})" if "less" in _name(node.func) else f"tf.sigmoid({left} - {right})"
    elif isinstance(node, ast.Call) and _name(node.func) == "argmax":
        values = ast.unparse(node.args[0])
        positions = f"tf.cast(tf.range(tf.shape({values})[-1]), tf.float32)"
        text = f"tf.reduce_sum(tf.nn.softmax({values}) * {positions}, -1)"
    return ast.parse(text, mode="eval").body if text else None


def _agreement(left: ast.expr, right: ast.expr, equal: bool) -> str:
    """1 where two are equal, less the further they are apart; labels may be integers."""
    one, two = (f"tf.cast({ast.unparse(side)}, tf.float32)" for side in (left, right))
    return f"1.0 - tf.abs({one} - {two})" if equal else f"tf.abs({one} - {two})"


def shares(node: ast.expr) -> ast.expr | None:
    """`argmax` as a softmax: how much each place counts."""
    if isinstance(node, ast.Call) and _name(node.func) == "argmax":
        return ast.parse(f"tf.nn.softmax({ast.unparse(node.args[0])})", mode="eval").body
    return None


_OTHER_LOOK = {"cast", "reshape", "transpose", "expand_dims", "squeeze", "concat", "stack", "tile", "gather", "pad"}
_IN_PLACE = {ast.Sub: "assign_sub", ast.Add: "assign_add"}


def in_place(statement: ast.stmt) -> str:
    """`v = v - step`, `v -= step` and a comprehension over variables as changes of the variables."""
    if isinstance(statement, ast.AugAssign):
        name = ast.unparse(statement.target)
        method = _IN_PLACE.get(type(statement.op))
        return f"{name}.{method}({ast.unparse(statement.value)})" if method else ""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return ""
    target, value = statement.targets[0], statement.value
    if isinstance(target, (ast.Tuple, ast.List)):
        if not isinstance(value, (ast.Tuple, ast.List)) or len(value.elts) != len(target.elts):
            return ""
        pairs = zip(target.elts, value.elts, strict=True)
        return "\n".join(_assignment(ast.unparse(one), other) for one, other in pairs)
    if isinstance(value, (ast.ListComp, ast.DictComp)) and len(value.generators) == 1:
        (loop,) = value.generators
        element = value.elt if isinstance(value, ast.ListComp) else value.value
        names = {n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name)}
        if (
            isinstance(element, ast.BinOp)
            and isinstance(element.left, ast.Name)
            and element.left.id in names
            and not loop.ifs
        ):
            change = _assignment(element.left.id, element)
            return f"for {ast.unparse(loop.target).strip('()')} in {ast.unparse(loop.iter)}:\n    {change}"
        return ""
    return _assignment(ast.unparse(target), value)


def _assignment(name: str, value: ast.expr) -> str:
    if isinstance(value, ast.Call) and _name(value.func) in _OTHER_LOOK:
        return f"{name} = tf.Variable({ast.unparse(value)})"
    if isinstance(value, ast.BinOp) and type(value.op) in _IN_PLACE and ast.unparse(value.left) == name:
        return f"{name}.{_IN_PLACE[type(value.op)]}({ast.unparse(value.right)})"
    return f"{name}.assign({ast.unparse(value)})"


def in_this_thread(node: ast.expr) -> ast.expr | None:
    """`pool.submit(f, x).result()` as `f(x)`, and `pool.map(f, xs)` as `map(f, xs)`."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    inner = node.func.value
    if (
        node.func.attr in ("result", "get")
        and isinstance(inner, ast.Call)
        and _name(inner.func) in ("submit", "apply_async")
    ):
        return _called_directly(inner)
    if node.func.attr in ("map", "imap") and len(node.args) >= 2 and _name(inner) not in ("tf", "np", "nest", "data"):
        node.func = ast.Name("map")
        return node
    return None


def _called_directly(call: ast.Call) -> ast.expr | None:
    if not call.args:
        return None
    function, arguments = call.args[0], call.args[1:]
    if _name(call.func) == "apply_async":
        given = arguments[0] if arguments else None
        if len(arguments) > 1 or (given is not None and not isinstance(given, (ast.Tuple, ast.List))):
            return None
        arguments = list(given.elts) if isinstance(given, (ast.Tuple, ast.List)) else []
    if isinstance(function, ast.Lambda) and not arguments and not function.args.args:
        return function.body
    return ast.Call(function, arguments, call.keywords)


def called_here(call: ast.Call) -> str:
    """What `Thread(target=f, args=(x,))` would run."""
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    function, given = named.get("target"), named.get("args")
    if function is None or "kwargs" in named or not (given is None or isinstance(given, (ast.Tuple, ast.List))):
        return ""
    return ast.unparse(ast.Call(function, [] if given is None else given.elts, []))


def line_text(where: Where) -> str:
    """The statement at a line as it is."""
    statement = statement_at(where)
    return where.text if statement is None else ast.unparse(statement)
