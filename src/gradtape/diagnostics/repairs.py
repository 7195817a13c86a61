"""The line that repairs a cut, written from the line that has it."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable

from .places import Where

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
    """The innermost statement at a line, without the blocks in it."""
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
    return found[-1] if found else None


def rewritten(where: Where, change: Callable[[ast.expr], ast.expr | None]) -> str:
    """The statement at a line with its expressions changed, from the inside out; empty if nothing changed."""
    statement = statement_at(where)
    if statement is None:
        return ""
    before = ast.unparse(statement)
    after = ast.unparse(ast.fix_missing_locations(_Rewriter(change).visit(statement)))
    return after if after != before else ""


class _Rewriter(ast.NodeTransformer):
    def __init__(self, change: Callable[[ast.expr], ast.expr | None]) -> None:
        self._change = change

    def generic_visit(self, node: ast.AST) -> ast.AST:
        node = super().generic_visit(node)
        return (self._change(node) or node) if isinstance(node, ast.expr) else node


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


def without_call(*names: str) -> Callable[[ast.expr], ast.expr | None]:
    """A change that puts the first argument in place of a call of one of these functions."""

    def change(node: ast.expr) -> ast.expr | None:
        return node.args[0] if isinstance(node, ast.Call) and _name(node.func) in names and node.args else None

    return change


def as_call(node: ast.expr) -> ast.expr | None:
    """`model.predict(x, ...)` as `model(x)`."""
    method = node.func if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
    if isinstance(node, ast.Call) and method is not None and method.attr in ("predict", "predict_on_batch"):
        return ast.Call(method.value, node.args[:1], [])
    return kept_as_tensor(node)


def straight_through(*names: str) -> Callable[[ast.expr], ast.expr | None]:
    """`tf.round(x)` as `x + tf.stop_gradient(tf.round(x) - x)`: the same value, with the gradient of x."""

    def change(node: ast.expr) -> ast.expr | None:
        if not (isinstance(node, ast.Call) and _name(node.func) in names and node.args):
            return None
        inner, whole = ast.unparse(node.args[0]), ast.unparse(node)
        return ast.parse(f"{inner} + tf.stop_gradient({whole} - {inner})", mode="eval").body

    return change


def smooth(node: ast.expr) -> ast.expr | None:
    """A comparison as a sigmoid of the difference, `argmax` as the mean position under a softmax."""
    text = ""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        left, right = ast.unparse(node.left), ast.unparse(node.comparators[0])
        if isinstance(node.ops[0], (ast.Lt, ast.LtE)):
            left, right = right, left
        text = f"tf.sigmoid({left} - {right})"
    elif isinstance(node, ast.Call) and _name(node.func) in ("greater", "greater_equal", "less", "less_equal"):
        left, right = (ast.unparse(argument) for argument in node.args[:2])
        text = f"tf.sigmoid({right} - {left})" if "less" in _name(node.func) else f"tf.sigmoid({left} - {right})"
    elif isinstance(node, ast.Call) and _name(node.func) == "argmax":
        values = ast.unparse(node.args[0])
        positions = f"tf.cast(tf.range(tf.shape({values})[-1]), tf.float32)"
        text = f"tf.reduce_sum(tf.nn.softmax({values}) * {positions}, -1)"
    return ast.parse(text, mode="eval").body if text else None


def assignment_in_place(name: str, value: ast.expr, augmented: ast.operator | None = None) -> str:
    """`v = v - step` (or `v -= step`) as a change of the variable."""
    methods = {ast.Sub: "assign_sub", ast.Add: "assign_add"}
    if augmented is not None and type(augmented) in methods:
        return f"{name}.{methods[type(augmented)]}({ast.unparse(value)})"
    if isinstance(value, ast.BinOp) and type(value.op) in methods and ast.unparse(value.left) == name:
        return f"{name}.{methods[type(value.op)]}({ast.unparse(value.right)})"
    return f"{name}.assign({ast.unparse(value)})"


def line_text(where: Where) -> str:
    """The statement at a line as it is."""
    statement = statement_at(where)
    return where.text if statement is None else ast.unparse(statement)
