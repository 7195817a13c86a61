"""`and`, `or`, `not` and `assert`."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from . import public
from .branches import choose, negated
from .symbolic import is_symbolic, truth


def and_(first: Callable[[], Any], second: Callable[[], Any]) -> Any:
    """`first() and second()`."""
    left = truth(first(), "and")
    if not is_symbolic(left):
        return left and second()
    return choose(left, lambda: (truth(second(), "and"),), lambda: (left,), ("and",))[0]


def or_(first: Callable[[], Any], second: Callable[[], Any]) -> Any:
    """`first() or second()`."""
    left = truth(first(), "or")
    if not is_symbolic(left):
        return left or second()
    return choose(left, lambda: (left,), lambda: (truth(second(), "or"),), ("or",))[0]


_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "is": operator.is_,
    "is not": operator.is_not,
    "in": lambda item, container: item in container,
    "not in": lambda item, container: item not in container,
}


def compare(left: object, link: tuple[str, Callable[[], Any]], *rest: tuple[str, Callable[[], Any]]) -> Any:
    """`left < b < c ...`: each operand is computed once, and only as long as the comparisons hold."""
    sign, operand = link
    right = operand()
    result = _COMPARISONS[sign](left, right)
    return and_(lambda: result, lambda: compare(right, *rest)) if rest else result


def not_(value: object) -> Any:
    """`not value`."""
    value = truth(value, "not")
    return negated(value) if is_symbolic(value) else not value


def assert_stmt(condition: object, message: Callable[[], Any], text: str) -> None:
    """`assert condition, message()`; `text` is the condition as it is written."""
    condition = truth(condition, "assert")
    if not is_symbolic(condition):
        if not condition:
            shown = message()
            raise AssertionError(*(() if shown is None else (shown,)))
        return
    shown = message()
    public.framework().Assert(condition, [f"assert {text}" if shown is None else shown])
