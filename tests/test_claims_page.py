"""docs/claims.md and the tests of claims name each other completely."""

import ast
import functools
import pathlib
import re

import pytest

pytestmark = pytest.mark.quick

ROOT = pathlib.Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "claims.md").read_text(encoding="utf-8")


def named_tests() -> list[tuple[str, str]]:
    """Every test that the page names, as (module, function); a bare name is a test of test_claims.py."""
    found = re.findall(r"`(?:(test_\w+)\.py::)?(test_\w+)`", PAGE)
    return [(module or "test_claims", name) for module, name in found]


@functools.cache
def defined_tests(module: str) -> set[str]:
    tree = ast.parse((ROOT / "tests" / f"{module}.py").read_text(encoding="utf-8"))
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    return {name for name in functions if name.startswith("test_")}


def test_every_test_that_the_page_names_exists():
    named = named_tests()
    assert len(named) > 40
    assert [(module, name) for module, name in named if name not in defined_tests(module)] == []


def test_every_test_of_a_claim_is_named_on_the_page():
    for module in ("test_claims", "test_claims_of_keras"):
        named = {name for place, name in named_tests() if place == module}
        assert defined_tests(module) - named == set()


def test_every_statement_has_a_test_or_says_why_not():
    rows = [line for line in PAGE.splitlines() if re.match(r"\| \d+ \|", line)]
    assert len(rows) > 50
    assert [row for row in rows if "`test_" not in row and "no test:" not in row] == []


def test_statements_are_numbered_without_gaps():
    numbers = [int(number) for number in re.findall(r"^\| (\d+) \|", PAGE, flags=re.MULTILINE)]
    assert numbers == list(range(1, len(numbers) + 1))


def test_what_waits_for_an_issue_is_an_expected_failure_and_nothing_else_is():
    """A row says "waits for Keras" or "waits for function" exactly when its test carries that mark."""
    source = (ROOT / "tests" / "test_claims.py").read_text(encoding="utf-8")
    marked = set(re.findall(r"@needs_(keras|function)\ndef (test_\w+)", source))
    waiting = {
        (feature.lower(), name) for name, feature in re.findall(r"`(test_\w+)` \(waits for (Keras|function)\)", PAGE)
    }
    assert waiting == marked
