"""Sizes as expressions: arithmetic, what is decided and what is not."""

from __future__ import annotations

import pytest

from gradtape.base.sizes import (
    UNKNOWN,
    Mismatch,
    Undecided,
    evaluate,
    joined,
    matched,
    product,
    same,
    static,
    symbol,
)

pytestmark = pytest.mark.quick

n, m = symbol("n"), symbol("m")


def test_equal_expressions_are_equal_however_they_were_written() -> None:
    assert (n + 1) * (n - 1) == n * n - 1
    assert n + m - n == m
    assert hash(2 * n + m) == hash(m + n + n)
    assert {n + 1: "found"}[1 + n] == "found"


def test_what_cancels_out_is_a_number() -> None:
    assert (n + 3 - n).__class__ is int
    assert n - n == 0
    assert (n * 0).__class__ is int


def test_a_quotient_is_exact_where_it_divides() -> None:
    assert (4 * n + 6) // 2 == 2 * n + 3
    assert (n * m * 3) // n == 3 * m
    assert (4 * n + 1) // 2 == 2 * n
    assert (n * 784) // 784 == n


def test_what_is_known_to_divide_a_size_divides_it() -> None:
    quarter = symbol("n", multiple_of=4)
    assert quarter % 2 == 0
    assert quarter % 4 == 0
    assert quarter // 4 * 4 == quarter
    assert evaluate(quarter // 2, {quarter: 12}) == 6


def test_other_quotients_are_terms_of_their_own() -> None:
    assert (n + 1) // 2 == (n + 1) // 2
    assert same((n + 1) // 2, n // 2) is None
    assert str((n + 1) // 2) == "(n + 1)//2"
    assert evaluate((n + 1) // 2, {n: 4}) == 2


def test_questions_without_one_answer_are_undecided() -> None:
    for question in (lambda: n == 1, lambda: n == m, lambda: n < 3, lambda: bool(n), lambda: int(n), lambda: range(n)):
        with pytest.raises(Undecided):
            question()
    assert same(n, 1) is None


def test_questions_with_one_answer_are_answered() -> None:
    assert n + 1 != 0
    assert n + 1 > 0
    assert n >= 0
    assert not n < 0
    assert same(n + 2, n + 1) is False
    assert n != "n"
    assert symbol("k", least=2) != 1


def test_nothing_is_decided_about_the_unknown_size() -> None:
    assert same(UNKNOWN, UNKNOWN) is None
    assert UNKNOWN * 3 + 1 is UNKNOWN
    assert n + UNKNOWN is UNKNOWN
    assert 5 - UNKNOWN is UNKNOWN
    assert UNKNOWN * 0 == 0
    for question in (lambda: UNKNOWN == UNKNOWN, lambda: UNKNOWN > 0, lambda: len(UNKNOWN), lambda: list(UNKNOWN)):  # type: ignore[arg-type,call-overload]
        with pytest.raises(Undecided):
            question()


def test_symbols_of_one_name_are_two() -> None:
    assert same(symbol("n"), symbol("n")) is None


def test_operands_that_broadcast_have_a_common_size() -> None:
    assert joined(n, 1) == n
    assert joined(n, 5) == 5  # n is 5 or 1, or this is an error
    assert joined(n, n) == n
    assert joined(n, m) == joined(m, n)
    assert evaluate(joined(n, m), {n: 1, m: 7}) == evaluate(joined(n, m), {n: 7, m: 1}) == 7
    with pytest.raises(Mismatch, match="2 and 3"):
        joined(2, 3)
    with pytest.raises(Mismatch):
        joined(n + 4, 3)


def test_sizes_that_must_be_equal_tell_each_other() -> None:
    assert matched(n, 5) == matched(5, n) == 5
    assert matched(UNKNOWN, n) is n
    with pytest.raises(Mismatch, match="n \\+ 1 and n differ"):
        matched(n + 1, n)


def test_a_product_with_zero_is_zero() -> None:
    assert product((n, 0, UNKNOWN)) == 0
    assert product((n, 28, 28)) == 784 * n
    assert product(()) == 1


def test_users_see_none() -> None:
    assert static((n, 3, UNKNOWN)) == (None, 3, None)
    assert static(None) is None
