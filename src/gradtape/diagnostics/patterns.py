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

    def has(self, test: Callable[[Array], Any]) -> bool:
        """Whether an operand has an element for which the test holds."""
        return any(bool(np.any(test(array))) for array in self.operands)


def known(facts: Facts) -> tuple[str, str]:
    """The reason in words, and the line to write instead; both are empty for what is not known."""
    with np.errstate(all="ignore"):
        if _overflows_float16(facts):
            reason = "float16 ends at 65504. Compute this part in float32."
            return reason, repairs.rewritten(facts.where, _in_float32)
        if facts.backward and _is_masked(facts):
            return _masked(facts)
        if not facts.backward and facts.op != "softmax" and facts.has(lambda a: ~np.isfinite(a)):
            return _GIVEN, ""
        for names, pattern in _PATTERNS:
            if facts.op in names:
                return pattern(facts)
        if not facts.backward and facts.op in _PLAIN and np.isnan(facts.result).any():
            return _OUTSIDE, ""
    return "", ""


_GIVEN = (
    "What it is given is not finite already, and comes from outside the tape: the data, or a variable that an earlier step has "
    "changed too much (a smaller learning rate, or clipped gradients; tf.diagnostics.Monitor shows when)."
)
_OUTSIDE = (
    "It makes NaN only of operands that are nan or inf. One that no tape follows, such as the data, may be: "
    "tf.debugging.check_numerics(x, 'x') tells."
)
_PLAIN = frozenset(
    ("add", "subtract", "multiply", "matmul", "square", "negative", "reduce_sum", "squared_difference", "dot")
)


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
    call = _where_call(statement)
    if call is None:
        return reason, repairs.rewritten(facts.where, _guard(facts.op))
    condition = ast.unparse(call.args[0])

    def change(node: ast.expr) -> ast.expr | None:
        if isinstance(node, ast.Call) and _last_name(node.func) == facts.op and node.args:
            node.args[0] = _expression(f"tf.where({condition}, {ast.unparse(node.args[0])}, 1.0)")
            return node
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and facts.op == "divide":
            node.right = _expression(f"tf.where({condition}, {ast.unparse(node.right)}, 1.0)")
            return node
        return None

    return reason, repairs.rewritten(facts.where, change)


def _where_call(statement: ast.stmt | None) -> ast.Call | None:
    for node in ast.walk(statement) if statement is not None else ():
        if isinstance(node, ast.Call) and _last_name(node.func) == "where" and len(node.args) == 3:
            return node
    return None


def _log(facts: Facts) -> tuple[str, str]:
    if facts.has(lambda a: a < 0):
        return "The logarithm of a negative number is NaN.", repairs.rewritten(facts.where, _guard("log"))
    statement = repairs.statement_at(facts.where)
    text = "" if statement is None else ast.unparse(statement)
    if "softmax" in text:
        return (
            "A probability has become 0. tf.nn.log_softmax computes the logarithm without the probability.",
            repairs.rewritten(facts.where, _log_softmax),
        )
    if "sigmoid" in text:
        return (
            "A probability has become 0 or 1. tf.math.log_sigmoid computes the logarithm without it.",
            repairs.rewritten(facts.where, _log_sigmoid),
        )
    if facts.has(lambda a: a == 0):
        return "The logarithm of 0 is -inf.", repairs.rewritten(facts.where, _guard("log"))
    return "", ""


def _sqrt(facts: Facts) -> tuple[str, str]:
    if not repairs.rewritten(facts.where, _guard("sqrt", "rsqrt")):
        return _norm(facts)  # which is made of a square root
    if facts.has(lambda a: a < 0):
        return "The square root of a negative number is NaN.", repairs.rewritten(facts.where, _guard("sqrt", "rsqrt"))
    return (
        "The square root has an infinite slope at 0.",
        repairs.rewritten(facts.where, _guard("sqrt", "rsqrt")),
    )


def _norm(facts: Facts) -> tuple[str, str]:
    def change(node: ast.expr) -> ast.expr | None:
        if isinstance(node, ast.Call) and _last_name(node.func) in ("norm", "reduce_euclidean_norm") and node.args:
            square = ast.Call(_expression("tf.reduce_sum"), [_expression(f"({ast.unparse(node.args[0])}) ** 2")], [])
            square.args += node.args[1:]
            square.keywords = [each for each in node.keywords if each.arg != "ord"]
            return _expression(f"tf.sqrt({ast.unparse(square)} + {_TINY})")
        return None

    return "The norm has no derivative at 0: 0 / 0.", repairs.rewritten(facts.where, change)


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

    if facts.has(np.isinf):
        return "inf / inf is NaN: what is divided has overflowed before.", ""
    return (
        "Division by 0. tf.math.divide_no_nan gives 0 there, with a gradient of 0.",
        repairs.rewritten(facts.where, change),
    )


def _pow(facts: Facts) -> tuple[str, str]:
    def change(node: ast.expr) -> ast.expr | None:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            node.left = _expression(f"tf.maximum({ast.unparse(node.left)}, {_TINY})")
            return node
        if isinstance(node, ast.Call) and _last_name(node.func) == "pow" and node.args:
            node.args[0] = _expression(f"tf.maximum({ast.unparse(node.args[0])}, {_TINY})")
            return node
        return None

    reason = "A power of 0 with an exponent below 1 has an infinite slope, one of a negative base no real value."
    return reason, repairs.rewritten(facts.where, change)


def _exp(facts: Facts) -> tuple[str, str]:
    limit = "float16 overflows above 11" if facts.result.dtype == np.float16 else "float32 overflows above 88"
    normalized = bool(facts.consumers & {"divide", "reduce_sum"})
    softplus = repairs.rewritten(facts.where, _softplus)
    if softplus:
        return f"exp in {limit}. tf.nn.softplus(x) is log(1 + exp(x)) without it.", softplus

    def change(node: ast.expr) -> ast.expr | None:
        if isinstance(node, ast.Call) and _last_name(node.func) == "exp" and node.args:
            inner = ast.unparse(node.args[0])
            if normalized:
                node.args[0] = _expression(f"{inner} - tf.reduce_max({inner}, -1, keepdims=True)")
            else:
                node.args[0] = _expression(f"tf.minimum({inner}, 80.0)")
            return node
        return None

    if normalized:
        reason = f"exp in {limit}. Take the largest value away first, as tf.nn.softmax and tf.reduce_logsumexp do."
    else:
        reason = f"exp in {limit}."
    return reason, repairs.rewritten(facts.where, change)


def _spread(facts: Facts) -> tuple[str, str]:
    def change(node: ast.expr) -> ast.expr | None:
        if isinstance(node, ast.Call) and _last_name(node.func) == "reduce_std":
            node.func = _expression("tf.math.reduce_variance")
            return _expression(f"tf.sqrt({ast.unparse(node)} + {_TINY})")
        return None

    reason = (
        "The standard deviation of equal values (or of one value) is 0, where the square root has an infinite slope."
    )
    return reason, repairs.rewritten(facts.where, change)


def _inverse_cosine(facts: Facts) -> tuple[str, str]:
    def change(node: ast.expr) -> ast.expr | None:
        if isinstance(node, ast.Call) and _last_name(node.func) in ("acos", "asin", "atanh", "acosh") and node.args:
            node.args[0] = _expression(f"tf.clip_by_value({ast.unparse(node.args[0])}, -0.9999999, 0.9999999)")
            return node
        return None

    reason = f"{facts.op} has an infinite slope at the ends of its range, and is NaN beyond them."
    return reason, repairs.rewritten(facts.where, change)


def _mean(facts: Facts) -> tuple[str, str]:
    if any(array.size == 0 for array in facts.operands) or not facts.operands:
        return "The mean of no elements is 0 / 0. Take the sum and divide it with tf.math.divide_no_nan.", ""
    return "", ""


def _softmax(facts: Facts) -> tuple[str, str]:
    return "All values of a row are -inf, as where a mask leaves nothing. Mask with a large negative number: -1e9.", ""


def _angle(facts: Facts) -> tuple[str, str]:
    return "The angle of the point (0, 0) has no derivative. Keep the point away from it: tf.atan2(y, x + 1e-12).", ""


_PATTERNS: list[tuple[tuple[str, ...], Callable[[Facts], tuple[str, str]]]] = [
    (("log", "log2", "log10", "log1p"), _log),
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


def _guard(*names: str) -> Callable[[ast.expr], ast.expr | None]:
    """A change that keeps the operand of these functions above 0."""

    def change(node: ast.expr) -> ast.expr | None:
        if isinstance(node, ast.Call) and _last_name(node.func) in names and node.args:
            node.args[0] = _expression(f"tf.maximum({ast.unparse(node.args[0])}, {_TINY})")
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


def _in_float32(node: ast.expr) -> ast.expr | None:
    """The operands of the op in float32."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in ("tf", "np"):
        return _expression(f"tf.cast({node.id}, tf.float32)")
    return None


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
