"""`if` statements and conditional expressions."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ..base import nest
from ..values.tensor import Tensor, to_tensor
from ..variables.variable import Variable
from . import public
from .state import (
    Restart,
    from_leaf,
    is_carried,
    is_python,
    placeholder,
    same,
    same_structure,
    shown,
    takes_type,
    to_leaf,
)
from .symbolic import decided, is_composite, is_symbolic
from .undefined import Undefined, UndefinedReturnValue, is_undefined

# The flags into which `return`, `break` and `continue` are rewritten.
_FLAG = re.compile(r"(do_return|break_|continue_)(_\d+)?$")

Values = tuple[Any, ...]


def if_stmt(
    cond: object,
    body: Callable[[], None],
    orelse: Callable[[], None],
    get_state: Callable[[], Values],
    set_state: Callable[[Values], None],
    symbol_names: tuple[str, ...],
    nouts: int,
) -> None:
    """`if cond: body() else: orelse()`, where both set the variables that `get_state` reads."""
    cond = decided(cond, "if statement")
    if not is_symbolic(cond):
        if cond:
            body()
        else:
            orelse()
        return
    before = get_state()

    def branch(run: Callable[[], None], holds: bool) -> Values:
        set_state(_with_known_flags(before, symbol_names, cond, holds))
        run()
        return get_state()[:nouts]

    after = before
    try:
        names = symbol_names[:nouts]
        after = choose(cond, lambda: branch(body, True), lambda: branch(orelse, False), names) + before[nouts:]
    finally:
        set_state(after)


def if_exp(cond: object, if_true: Callable[[], Any], if_false: Callable[[], Any], text: str) -> Any:
    """`if_true() if cond else if_false()`."""
    cond = decided(cond, "conditional expression")
    if not is_symbolic(cond):
        return if_true() if cond else if_false()
    return choose(cond, lambda: (if_true(),), lambda: (if_false(),), (text,))[0]


def negated(flag: object) -> Any:
    """`not flag` of a symbolic flag; the result remembers the flag, so that a branch on it can use its value."""
    result = public.math().logical_not(flag)
    result._negates = flag
    return result


def _with_known_flags(values: Values, names: tuple[str, ...], cond: object, holds: bool) -> Values:
    """Inside `if not do_return:` the flag is false, in its else it is true: Python then sees that all paths return."""
    negates = getattr(cond, "_negates", None)
    known = list(values)
    for place, (name, value) in enumerate(zip(names, values, strict=True)):
        if is_symbolic(value) and _FLAG.match(name):
            if value is cond:
                known[place] = holds
            elif value is negates:
                known[place] = not holds
    return tuple(known)


def choose(
    cond: object, if_true: Callable[[], Values], if_false: Callable[[], Values], names: tuple[str, ...]
) -> Values:
    """What `if_true` or `if_false` returns. Parts on which both agree stay Python values; the others become tensors."""
    hints: dict[int, Any] = {}
    while True:
        try:
            return _chosen(cond, if_true, if_false, names, hints)
        except Restart as restart:
            if restart.owner is not hints:
                raise
            hints.update(restart.values)


def _chosen(
    cond: object,
    if_true: Callable[[], Values],
    if_false: Callable[[], Values],
    names: tuple[str, ...],
    hints: dict[int, Any],
) -> Values:
    branches: list[Values] = []

    def branch(run: Callable[[], Values]) -> list[Any]:
        values = tuple(_completed(value, hints.get(place)) for place, value in enumerate(run()))
        branches.append(values)
        if len(branches) > 1:
            leaving = [_leaves(names, values) for values in branches]
            learned = {
                place: example
                for place, (name, first, second) in enumerate(zip(names, *branches, strict=True))
                if (example := _checked(name, first, second, leaving)) is not None
            }
            if learned:
                raise Restart(hints, learned)
        return [to_leaf(leaf) for leaf in nest.flatten(values) if is_carried(leaf)]

    results = iter(public.control().cond(cond, lambda: branch(if_true), lambda: branch(if_false)))
    first, second = branches

    def merged(left: object, right: object) -> Any:
        if not is_carried(left):
            return left
        result = next(results)
        # Values that neither branch changes, and Python values on which both agree, need no op.
        return left if left is right or (is_python(left) and same(left, right)) else from_leaf(left, result)

    return tuple(_map_pairs(merged, left, right) for left, right in zip(first, second, strict=True))


def _map_pairs(function: Callable[[Any, Any], Any], first: object, second: object) -> Any:
    pairs = zip(nest.flatten(first), nest.flatten(second), strict=True)
    return nest.pack_sequence_as(first, [function(left, right) for left, right in pairs])


def _completed(value: object, example: object) -> Any:
    """The value of a name after one branch, converted to be like its value after the other one, `example`."""
    if example is None:
        return value
    if is_undefined(value):
        return placeholder(example)
    if not same_structure(value, example):
        return value
    return _map_pairs(lambda leaf, like: to_leaf(leaf, like.dtype) if takes_type(leaf, like) else leaf, value, example)


def _leaves(names: tuple[str, ...], values: Values) -> bool:
    """Whether a branch ends with `return`, `break` or `continue`: the code that follows runs after the other one only."""
    return any(value is True and _FLAG.match(name) for name, value in zip(names, values, strict=True))


def _checked(name: str, main: object, other: object, leaving: list[bool]) -> Any:
    """Whether one name can have these values after the two branches.

    None where it can. Otherwise an example to restart with, where that helps: for a name that is not set in a branch that
    leaves, the value of a function that returns later (`FunctionScope.ret` says if it does not), a number beside a tensor.
    """
    for value, otherwise, branch, leaves in ((main, other, "main", leaving[0]), (other, main, "else", leaving[1])):
        if isinstance(value, UndefinedReturnValue):
            return None if is_undefined(otherwise) or otherwise is None else otherwise
        if isinstance(value, Undefined):
            if is_undefined(otherwise):
                return None
            if leaves:
                return otherwise
            raise ValueError(
                f"'{name}' must also be initialized in the {branch} branch: a value that depends on a tensor is needed in both."
            )
        if value is None and otherwise is not None:
            raise ValueError(
                f"'{name}' is None at the end of the {branch} branch, and {shown(otherwise)} at the end of the other. "
                "Which one holds is known only when the function runs: give it a tensor in both."
            )
    if not same_structure(main, other):
        raise TypeError(
            f"'{name}' does not have the same nested structure in the main and else branches: {shown(main)} and {shown(other)}."
        )
    pairs = list(zip(nest.flatten(main), nest.flatten(other), strict=True))
    if any(
        takes_type(first, second) or takes_type(second, first) or _two_variables(first, second)
        for first, second in pairs
    ):
        return _map_pairs(_example, main, other)
    for first, second in pairs:
        _check_leaves(name, first, second)
    return None


def _two_variables(first: object, second: object) -> bool:
    return isinstance(first, Variable) and isinstance(second, Variable) and first is not second


def _example(first: object, second: object) -> Any:
    """Of two leaves, the one that the other is converted to match."""
    if _two_variables(first, second):
        return to_tensor(first)
    return first if isinstance(first, Tensor) else second


def _check_leaves(name: str, main: object, other: object) -> None:
    if same(main, other):
        return
    if not is_carried(main) or not is_carried(other):
        raise TypeError(
            f"'{name}' is {shown(main)} in the main branch and {shown(other)} in the else branch. Which one holds is known "
            "only when the function runs, and only tensors can depend on that."
        )
    if is_composite(main) or is_composite(other):
        return
    first, second = to_leaf(main), to_leaf(other)
    if first.dtype != second.dtype:
        raise TypeError(
            f"'{name}' has dtype {first.dtype.name} in the main branch, but dtype {second.dtype.name} in the else branch"
        )
