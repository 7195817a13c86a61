"""Generated expressions of sizes: every answer holds for all numbers that the symbols may stand for."""

from __future__ import annotations

import operator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from gradtape.base.sizes import Undecided, bounds, evaluate, larger, same, smaller, symbol

OPERATIONS = [operator.add, operator.sub, operator.mul, larger, smaller]
SYMBOLS = [symbol("a"), symbol("b"), symbol("c", least=1)]


@st.composite
def expressions(draw: Any) -> tuple[Any, Any]:
    """An expression, and the function that computes it from numbers."""
    kind = draw(st.integers(0, 9))
    if kind < 3:
        return SYMBOLS[kind], lambda numbers: numbers[kind]
    if kind < 5:
        number = draw(st.integers(-3, 6))
        return number, lambda numbers: number
    left, compute = draw(expressions())
    if kind == 5:
        divisor = draw(st.sampled_from([1, 2, 3, 4]))
        function = draw(st.sampled_from([operator.floordiv, operator.mod]))
        return function(left, divisor), lambda numbers: function(compute(numbers), divisor)
    right, other = draw(expressions())
    function = draw(st.sampled_from(OPERATIONS))
    return function(left, right), lambda numbers: function(compute(numbers), other(numbers))


NUMBERS = st.tuples(st.integers(0, 7), st.integers(0, 7), st.integers(1, 7))


@settings(max_examples=150, deadline=None)
@given(expressions(), expressions(), NUMBERS)
def test_expressions_mean_what_numbers_would_give(first: Any, second: Any, numbers: tuple[int, ...]) -> None:
    bound = dict(zip(SYMBOLS, numbers, strict=True))
    (a, compute), (b, other) = first, second
    x, y = compute(numbers), other(numbers)
    assert evaluate(a, bound) == x
    low, high = bounds(a)
    assert low <= x <= high
    if same(a, b) is not None:
        assert same(a, b) == (x == y)
    for question in (operator.lt, operator.le, operator.gt, operator.ge):
        try:
            answer = question(a, b)
        except Undecided:
            continue
        assert answer == question(x, y)
