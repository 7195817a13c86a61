"""Known ways to a NaN or an infinity, and how each is rewritten."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.dtypes import Array
from . import repairs
from .places import Where

_TINY = "1e-12"


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known where the first bad value appeared."""

    op: str
    where: Where
    backward: bool
    operands: list[Array]
    result: Array
    cotangent: Array | None
    consumers: frozenset[str]
    given: tuple[Array | None, ...] = ()  # the operands by their place; None for one that is not known
    use: str = ""  # what became of it: "shares" (divided by its own sum), "logarithm" (of its sum), or something else
    logarithm: Where | None = None  # of such shares

    def has(self, test: Callable[[Array], Any]) -> bool:
        """Whether an operand has an element for which the test holds."""
        return any(bool(np.any(test(array))) for array in self.operands)

    @property
    def tiny(self) -> str:
        """A number next to 0 that the type of the operands can hold."""
        return _TINY if self.result.dtype.itemsize >= 4 else "0.0001"

    def changed(self, change: repairs.Change) -> str:
        """The statement with the expression of this op changed, or with all like it where the expression is not known."""
        return repairs.rewritten(self.where, change, at=self.where.span)


def known(facts: Facts) -> tuple[str, str]:
    """The reason in words, and the line to write instead; both are empty for what is not known."""
    with np.errstate(all="ignore"):
        if _overflows_float16(facts):
            return _in_halves(facts)
        masked = _masked(facts) if facts.backward and _is_masked(facts) else ("", "")
        if masked[1]:
            return masked
        if not facts.backward and facts.op != "softmax" and _bad(facts) is not None:
            return _given(facts), ""
        for names, pattern in _PATTERNS:
            if facts.op in names:
                reason, repair = pattern(facts)
                return masked[0] or reason, repair
        if masked[0]:
            return masked
        if not facts.backward and facts.op in _PLAIN and np.isnan(facts.result).any():
            return _OUTSIDE, ""
        if not facts.backward and facts.op in _PLAIN and facts.result.dtype.kind == "f":
            return _too_large(facts), ""
    return "", ""


def _too_large(facts: Facts) -> str:
    kind = facts.result.dtype
    return f"{kind} ends at {np.finfo(kind).max:.3g}, and the values have grown beyond it: scale or normalise them."


def _bad(facts: Facts) -> list[int] | None:
    """The places of the operands that are not finite; None if all are, as far as they are known."""
    unknown = [place for place, array in enumerate(facts.given) if array is None]
    bad = [place for place, array in enumerate(facts.given) if array is not None and not np.isfinite(array).all()]
    if not bad and len(unknown) == 1 and facts.op in CARRYING and np.isnan(facts.result).any():
        bad = unknown  # it can be no other one
    return bad or ([] if facts.has(lambda a: ~np.isfinite(a)) else None)


def _given(facts: Facts) -> str:
    """What an op is told that was given something not finite, with the name of the operand if the text shows it."""
    node = repairs.expression_at(facts.where)
    if isinstance(node, ast.BinOp):
        written = [node.left, node.right]
    else:
        written = node.args if isinstance(node, ast.Call) else []
    bad = [ast.unparse(written[place]) for place in _bad(facts) or () if len(written) == len(facts.given)]
    bad = list(dict.fromkeys(bad))
    name = " and ".join(f"`{each}`" for each in bad) or "What it is given"
    be, come = ("are", "come") if len(bad) > 1 else ("is", "comes")
    return (
        f"{name} {be} not finite already, and {come} from outside the tape: the data, or a variable that an earlier "
        "step has changed too much (a smaller learning rate, or clipped gradients; tf.diagnostics.Monitor shows when)."
    )


_OUTSIDE = (
    "It makes NaN only of operands that are nan or inf. One that no tape follows, such as the data, may be: "
    "tf.debugging.check_numerics(x, 'x') tells."
)
_PLAIN = frozenset(
    ("add", "subtract", "multiply", "matmul", "square", "negative", "reduce_sum", "squared_difference", "dot")
)


CARRYING = frozenset(("add", "subtract", "multiply", "squared_difference"))  # NaN only from what is not finite


def _overflows_float16(facts: Facts) -> bool:
    halves = any(array.dtype == np.float16 for array in (facts.result, *facts.operands))
    return halves and not facts.backward and facts.op not in ("log", "divide") and bool(np.isinf(facts.result).any())


def _is_masked(facts: Facts) -> bool:
    """Whether a zero cotangent met an infinite derivative: the branch of a `tf.where` that was not taken."""
    cotangent = facts.cotangent
    if cotangent is None or not np.isnan(facts.result).any() or cotangent.shape != facts.result.shape:
        return False
    return bool(np.all(cotangent[np.isnan(facts.result)] == 0)) and "select" in facts.consumers


def _masked(facts: Facts) -> tuple[str, str]:
    reason = (
        f"0 * inf: the branch of tf.where that was not taken sends a zero back, and the derivative of {facts.op} is infinite "
        "there. Choose a harmless operand first (or use tf.GradientTape(nan_safe=True))."
    )
    statement = repairs.statement_at(facts.where)
    if statement is None:
        return reason, ""
    node = repairs.expression_at(facts.where, statement) or _only_one(statement, facts.op)
    arms = _arms_around(statement, node) if node is not None else []
    if not arms and isinstance(statement, ast.Assign):
        arms = _arms_later(facts.where, statement)
    if not arms:
        return reason, ""

    def harmless(operand: ast.expr) -> ast.expr:
        text = ast.unparse(operand)
        for condition, taken in arms:
            text = f"tf.where({condition}, {f'{text}, {fill}' if taken else f'{fill}, {text}'})"
        return _expression(text)

    fill = {"acosh": "2.0", **dict.fromkeys(("acos", "asin", "atanh"), "0.5")}.get(facts.op, "1.0")

    def change(node: ast.expr) -> ast.expr | None:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and facts.op == "divide":
            node.right = harmless(node.right)
            return node
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and facts.op == "pow":
            node.left = harmless(node.left)
            return node
        if isinstance(node, ast.Call) and _last_name(node.func) in _CALLED.get(facts.op, (facts.op,)):
            place = 1 if facts.op == "divide" else 0
            if len(node.args) > place:
                node.args[place] = harmless(node.args[place])
                return node
        return None

    return reason, repairs.rewritten(facts.where, change, at=repairs.span_of(node))


_CALLED = {"divide": ("divide", "truediv")}


def _only_one(statement: ast.stmt, op: str) -> ast.expr | None:
    """The expression of an op in a statement, where there is one such expression only."""
    found = [
        node
        for node in ast.walk(statement)
        if (isinstance(node, ast.Call) and _last_name(node.func) in _CALLED.get(op, (op,)))
        or (isinstance(node, ast.BinOp) and {ast.Div: "divide", ast.Pow: "pow"}.get(type(node.op)) == op)
    ]
    return found[0] if len(found) == 1 else None


def _arms(node: ast.AST) -> list[ast.expr]:
    """Condition, value where it holds, value where not; empty for what is no `tf.where` with three arguments."""
    if not (isinstance(node, ast.Call) and _last_name(node.func) == "where" and node.args):
        return []
    named = {keyword.arg: keyword.value for keyword in node.keywords}
    arms = [*node.args, *(named[name] for name in ("x", "y") if name in named)]
    return arms if len(arms) == 3 else []


def _arms_around(statement: ast.stmt, inner: ast.expr) -> list[tuple[str, bool]]:
    """The conditions of the `tf.where` around an expression, from the inside out, and whether it is taken where they hold."""
    found = []
    for node in ast.walk(statement):
        arms = _arms(node)
        held = [any(each is inner for each in ast.walk(arm)) for arm in arms]
        if held in ([False, True, False], [False, False, True]):
            found.append((ast.unparse(arms[0]), held[1]))
    return found[::-1]


def _arms_later(where: Where, statement: ast.Assign) -> list[tuple[str, bool]]:
    """The same for a value that has a name, and is used once: as an arm of a `tf.where` below."""
    (name, *more) = statement.targets
    scope = repairs.scope_at(where)
    if more or not isinstance(name, ast.Name) or scope is None:
        return []
    used = [n for n in ast.walk(scope) if isinstance(n, ast.Name) and n.id == name.id and isinstance(n.ctx, ast.Load)]
    for node in ast.walk(scope):
        arms = _arms(node)
        held = [arm in used for arm in arms]
        if len(used) == 1 and held in ([False, True, False], [False, False, True]) and node.lineno > where.line:  # type: ignore[attr-defined]
            needed = {n.id for n in ast.walk(arms[0]) if isinstance(n, ast.Name)}
            stored = [n for n in ast.walk(scope) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
            between = {n.id for n in stored if where.line <= n.lineno <= node.lineno}  # type: ignore[attr-defined]
            return [] if needed & between else [(ast.unparse(arms[0]), held[1])]
    return []


def _log(facts: Facts) -> tuple[str, str]:
    if facts.result.dtype.kind == "c":
        return "The logarithm of 0 is -inf.", ""
    if facts.has(lambda a: a < 0):
        return "The logarithm of a negative number is NaN.", repairs.rewritten(
            facts.where, _guard(facts.tiny, "log", "log2", "log10")
        )
    statement = repairs.statement_at(facts.where)
    text = "" if statement is None else ast.unparse(statement)
    if "softmax" in text and (repair := facts.changed(_log_softmax)):
        reason = "A probability has become 0. tf.nn.log_softmax computes the logarithm without the probability."
        return reason, repair
    if "sigmoid" in text and (repair := facts.changed(_log_sigmoid)):
        return "A probability has become 0 or 1. tf.math.log_sigmoid computes the logarithm without it.", repair
    if facts.has(lambda a: a == 0):
        return "The logarithm of 0 is -inf.", repairs.rewritten(facts.where, _guard(facts.tiny, "log", "log2", "log10"))
    return "", ""


def _log_of_more(facts: Facts) -> tuple[str, str]:
    def change(node: ast.expr) -> ast.expr | None:
        if isinstance(node, ast.Call) and _last_name(node.func) == "log1p" and node.args:
            node.args[0] = _expression(f"tf.maximum({ast.unparse(node.args[0])}, {least})")
            return node
        return None

    least = "-0.999" if facts.result.dtype.itemsize < 4 else "-0.9999999"
    what = "below -1 is NaN" if facts.has(lambda a: a < -1) else "of -1 is -inf"
    return f"The logarithm of 1 + x is that of a number above 0: log1p {what}.", facts.changed(change)


def _sqrt(facts: Facts) -> tuple[str, str]:
    repair = repairs.rewritten(facts.where, _guard(facts.tiny, "sqrt", "rsqrt"))
    norm = ("", "") if repair else _norm(facts)  # which is made of a square root
    if norm[1]:
        return norm
    if facts.has(lambda a: a < 0):
        return "The square root of a negative number is NaN.", repair
    return "The square root has an infinite slope at 0.", repair


def _norm(facts: Facts) -> tuple[str, str]:
    def change(node: ast.expr) -> ast.expr | None:
        if isinstance(node, ast.Call) and _last_name(node.func) in ("norm", "reduce_euclidean_norm") and node.args:
            square = ast.Call(_expression("tf.reduce_sum"), [_expression(f"({ast.unparse(node.args[0])}) ** 2")], [])
            square.args += node.args[1:]
            square.keywords = [each for each in node.keywords if each.arg != "ord"]
            return _expression(f"tf.sqrt({ast.unparse(square)} + {facts.tiny})")
        return None

    return "The norm has no derivative at 0: 0 / 0.", facts.changed(change)


def _divide(facts: Facts) -> tuple[str, str]:
    def change(node: ast.expr) -> ast.expr | None:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            return _expression(f"tf.math.divide_no_nan({ast.unparse(node.left)}, {ast.unparse(node.right)})")
        if isinstance(node, ast.Call) and _last_name(node.func) in ("divide", "truediv") and len(node.args) == 2:
            node.func = _expression("tf.math.divide_no_nan")
            return node
        if isinstance(node, ast.Call) and _last_name(node.func) == "reciprocal" and node.args:
            return _expression(f"tf.math.divide_no_nan(1.0, {ast.unparse(node.args[0])})")
        return None

    def bounded(node: ast.expr) -> ast.expr | None:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            node.right = _expression(f"tf.maximum({ast.unparse(node.right)}, {facts.tiny})")
            return node
        return None

    if facts.has(np.isinf):
        return "inf / inf is NaN: what is divided has overflowed before.", ""
    by = facts.given[1] if len(facts.given) > 1 else None
    if "log" in facts.consumers and by is not None and bool(np.all(by >= 0)):  # (the logarithm of 0 would come next)
        return "Division by 0, before a logarithm.", facts.changed(bounded)
    return (
        "Division by 0. tf.math.divide_no_nan gives 0 there, with a gradient of 0.",
        facts.changed(change),
    )


def _pow(facts: Facts) -> tuple[str, str]:
    def change(node: ast.expr) -> ast.expr | None:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            node.left = _expression(f"tf.maximum({ast.unparse(node.left)}, {facts.tiny})")
            return node
        if isinstance(node, ast.Call) and _last_name(node.func) == "pow" and node.args:
            node.args[0] = _expression(f"tf.maximum({ast.unparse(node.args[0])}, {facts.tiny})")
            return node
        return None

    base = facts.given[0] if facts.given else None
    is_whole = not facts.backward and base is not None and base.shape == facts.result.shape
    if is_whole and not np.isnan(facts.result).any() and np.all(base[np.isinf(facts.result)] != 0):  # type: ignore[index]
        return _too_large(facts), ""
    reason = "A power of 0 with an exponent below 1 has an infinite slope, one of a negative base no real value."
    good = base is not None and base.shape == facts.result.shape and (base < 0) & np.isfinite(facts.result)
    if np.any(good):
        return reason, ""  # (it would change the powers of negative numbers that are right)
    return reason, facts.changed(change)


def _exp(facts: Facts) -> tuple[str, str]:
    kind = str(facts.result.dtype)
    most = {"float16": "11.0", "float64": "709.0"}.get(kind, "88.0")
    limit = f"exp in {kind} overflows above {most.removesuffix('.0')}."
    softplus = repairs.rewritten(facts.where, _softplus)
    if softplus:
        return f"{limit} tf.nn.softplus(x) is log(1 + exp(x)) without it.", softplus
    node = repairs.expression_at(facts.where)
    scope = repairs.scope_at(facts.where)
    over = None if facts.use not in ("shares", "logarithm") or scope is None else _summed_over(scope, facts.where, node)
    if facts.use == "logarithm":
        reason = f"{limit} tf.reduce_logsumexp is the logarithm of the sum without it."
        return reason, repairs.rewritten(facts.where, _logsumexp)
    if facts.logarithm is not None and over is not None and node is not None:
        return (
            f"{limit} tf.nn.log_softmax is the logarithm of these shares without it.",
            _log_of_shares(facts.logarithm, node, over),
        )
    if facts.use == "shares" and over is not None:
        return f"{limit} Take the largest value away first, as tf.nn.softmax does.", facts.changed(_less_largest(over))

    def change(node: ast.expr) -> ast.expr | None:
        if isinstance(node, ast.Call) and _last_name(node.func) in ("exp", "expm1") and node.args:
            node.args[0] = _expression(f"tf.minimum({ast.unparse(node.args[0])}, {most})")
            return node
        return None

    return limit, "" if facts.op == "exp2" else facts.changed(change)


def _log_of_shares(logarithm: Where, power: ast.expr, over: str) -> str:
    """`log(shares[i])` as `log_softmax(x)[i]`, where the shares are made of `exp(x)` by dividing by its sum over these axes."""
    if not (isinstance(power, ast.Call) and power.args):
        return ""
    axis = over.removesuffix(", keepdims=True")
    whole = f"tf.nn.log_softmax({ast.unparse(power.args[0])}{axis})"

    def change(node: ast.expr) -> ast.expr | None:
        if not (isinstance(node, ast.Call) and _last_name(node.func) == "log" and len(node.args) == 1):
            return None
        place = node.args[0]
        while isinstance(place, ast.Subscript) and isinstance(place.value, ast.Subscript):
            place = place.value
        if isinstance(place, ast.Subscript):
            place.value = _expression(whole)
            return node.args[0]
        return _expression(whole) if isinstance(place, (ast.Name, ast.BinOp)) else None

    return repairs.rewritten(logarithm, change, at=logarithm.span)


def _less_largest(over: str) -> repairs.Change:
    """`exp(x)` as `exp(x - max(x))`, over the axes that its sum has."""

    def change(node: ast.expr) -> ast.expr | None:
        if isinstance(node, ast.Call) and _last_name(node.func) == "exp" and node.args:
            inner = ast.unparse(node.args[0])
            node.args[0] = _expression(f"({inner}) - tf.reduce_max({inner}{over})")
            return node
        return None

    return change


def _summed_over(scope: ast.AST, where: Where, node: ast.expr | None) -> str | None:
    """The arguments of `tf.reduce_max` that go with the sum of an expression, or of the name it is given."""
    statement = repairs.statement_at(where)
    names = [ast.unparse(target) for target in statement.targets] if isinstance(statement, ast.Assign) else []
    written = {*names, "" if node is None else ast.unparse(node)}
    for call in ast.walk(scope):
        if isinstance(call, ast.Call) and _last_name(call.func) == "reduce_sum" and call.args:
            if ast.unparse(call.args[0]) not in written:
                continue
            axis = next((k.value for k in call.keywords if k.arg == "axis"), call.args[1] if call.args[1:] else None)
            return "" if axis is None else f", {ast.unparse(axis)}, keepdims=True"
    return None


def _logsumexp(node: ast.expr) -> ast.expr | None:
    """`log(reduce_sum(exp(x), axis))` as `reduce_logsumexp(x, axis)`."""
    if not (isinstance(node, ast.Call) and _last_name(node.func) == "log" and node.args):
        return None
    total = node.args[0]
    if not (isinstance(total, ast.Call) and _last_name(total.func) == "reduce_sum" and total.args):
        return None
    power = total.args[0]
    if not (isinstance(power, ast.Call) and _last_name(power.func) == "exp" and power.args):
        return None
    total.func, total.args[0] = _expression("tf.reduce_logsumexp"), power.args[0]
    return total


def _spread(facts: Facts) -> tuple[str, str]:
    def change(node: ast.expr) -> ast.expr | None:
        if isinstance(node, ast.Call) and _last_name(node.func) == "reduce_std":
            node.func = _expression("tf.math.reduce_variance")
            return _expression(f"tf.sqrt({ast.unparse(node)} + {facts.tiny})")
        return None

    reason = (
        "The standard deviation of equal values (or of one value) is 0, where the square root has an infinite slope."
    )
    return reason, facts.changed(change)


def _inverse_cosine(facts: Facts) -> tuple[str, str]:
    def change(node: ast.expr) -> ast.expr | None:
        if isinstance(node, ast.Call) and _last_name(node.func) in ("acos", "asin", "atanh", "acosh") and node.args:
            node.args[0] = _expression(f"tf.clip_by_value({ast.unparse(node.args[0])}, -0.9999999, 0.9999999)")
            return node
        return None

    reason = f"{facts.op} has an infinite slope at the ends of its range, and is NaN beyond them."
    return reason, facts.changed(change)


def _mean(facts: Facts) -> tuple[str, str]:
    if any(array.size == 0 for array in facts.operands) or not facts.operands:
        reason = "The mean of no elements is 0 / 0. Take the sum and divide it with tf.math.divide_no_nan."
        return reason, facts.changed(_mean_of_any(str(facts.result.dtype)))
    return "", ""


def _mean_of_any(kind: str) -> repairs.Change:
    """`reduce_mean(x)` as a sum divided by the number of elements, which may be 0."""

    def change(node: ast.expr) -> ast.expr | None:
        if not (isinstance(node, ast.Call) and _last_name(node.func) == "reduce_mean"):
            return None
        if len(node.args) != 1 or node.keywords:
            return None
        of = ast.unparse(node.args[0])
        return _expression(f"tf.math.divide_no_nan(tf.reduce_sum({of}), tf.cast(tf.size({of}), tf.{kind}))")

    return change


def _softmax(facts: Facts) -> tuple[str, str]:
    return "All values of a row are -inf, as where a mask leaves nothing. Mask with a large negative number: -1e9.", ""


def _angle(facts: Facts) -> tuple[str, str]:
    def change(node: ast.expr) -> ast.expr | None:
        if isinstance(node, ast.Call) and _last_name(node.func) in ("atan2", "arctan2") and len(node.args) == 2:
            node.args[1] = _expression(f"({ast.unparse(node.args[1])}) + {facts.tiny}")
            return node
        return None

    return "The angle of the point (0, 0) has no derivative. Keep the point away from it.", facts.changed(change)


_PATTERNS: list[tuple[tuple[str, ...], Callable[[Facts], tuple[str, str]]]] = [
    (("log", "log2", "log10"), _log),
    (("log1p",), _log_of_more),
    (("sqrt", "rsqrt"), _sqrt),
    (("reduce_euclidean_norm", "reduce_norm", "l2_normalize"), _norm),
    (("divide", "reciprocal"), _divide),
    (("pow",), _pow),
    (("exp", "expm1", "exp2"), _exp),
    (("reduce_std",), _spread),
    (("acos", "asin", "atanh"), _inverse_cosine),
    (("reduce_mean",), _mean),
    (("softmax",), _softmax),
    (("atan2",), _angle),
]


def _guard(tiny: str, *names: str) -> Callable[[ast.expr], ast.expr | None]:
    """A change that keeps the operand of these functions above 0."""

    def change(node: ast.expr) -> ast.expr | None:
        if isinstance(node, ast.Call) and _last_name(node.func) in names and node.args:
            node.args[0] = _expression(f"tf.maximum({ast.unparse(node.args[0])}, {tiny})")
            return node
        return None

    return change


def _softplus(node: ast.expr) -> ast.expr | None:
    """`log(1 + exp(x))` and `log1p(exp(x))` as `softplus(x)`."""
    if not (isinstance(node, ast.Call) and _last_name(node.func) in ("log", "log1p") and node.args):
        return None
    sides: list[ast.expr] = [node.args[0]]
    if _last_name(node.func) == "log":
        total = node.args[0]
        if not (isinstance(total, ast.BinOp) and isinstance(total.op, ast.Add)):
            return None
        ones = [isinstance(side, ast.Constant) and side.value == 1 for side in (total.left, total.right)]
        sides = [side for side, one in zip((total.right, total.left), ones, strict=True) if one]
    if sides and isinstance(sides[0], ast.Call) and _last_name(sides[0].func) == "exp":
        return _expression(f"tf.nn.softplus({ast.unparse(sides[0].args[0])})")
    return None


def _log_softmax(node: ast.expr) -> ast.expr | None:
    if isinstance(node, ast.Call) and _last_name(node.func) == "log" and node.args:
        inner = node.args[0]
        if isinstance(inner, ast.Subscript):  # the probability of one class
            changed = _log_softmax(ast.Call(node.func, [inner.value], []))
            return None if changed is None else ast.Subscript(changed, inner.slice, inner.ctx)
        if isinstance(inner, ast.Call) and _last_name(inner.func) == "softmax":
            inner.func = _expression("tf.nn.log_softmax")
            return inner
    return None


def _log_sigmoid(node: ast.expr) -> ast.expr | None:
    if not (isinstance(node, ast.Call) and _last_name(node.func) == "log" and node.args):
        return None
    inner, sign = node.args[0], ""
    if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Sub):  # 1 - sigmoid(x) is sigmoid(-x)
        inner, sign = inner.right, "-"
    if isinstance(inner, ast.Call) and _last_name(inner.func) == "sigmoid":
        return _expression(f"tf.math.log_sigmoid({sign}({ast.unparse(inner.args[0])}))")
    return None


def _in_halves(facts: Facts) -> tuple[str, str]:
    """A value that float16 cannot hold: the operands in float32, where the op stands on the line itself."""
    node = repairs.expression_at(facts.where)
    if isinstance(node, ast.Call) and _root(node.func) not in ("tf", "np", "keras"):
        name = ast.unparse(node.func)
        return f"float16 ends at 65504. Compute this part in float32: for a layer, `{name}` with dtype='float32'.", ""
    statement = repairs.statement_at(facts.where)
    called = {_root(n.func) for n in ast.walk(statement) if isinstance(n, ast.Call)} if statement is not None else set()

    def change(node: ast.expr) -> ast.expr | None:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in {*called, "tf", "np"}:
            return _expression(f"tf.cast({node.id}, tf.float32)")
        return None

    return "float16 ends at 65504. Compute this part in float32.", repairs.rewritten(facts.where, change)


def _root(node: ast.expr) -> str:
    """The name that an expression begins with: `tf` for `tf.math.log`."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
