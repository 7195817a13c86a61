"""Every None has a line and a repair: the table of none_cases.py, and the ways to ask."""

import ast
import linecache
import math
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.diagnostics.explanation import Kind

from .none_cases import CASES, KERAS, Case

MARK = "  # <-"


def run(text: str, file: str) -> dict[str, Any]:
    """Run a program as a file of its own, whose text can be read."""
    names: dict[str, Any] = {"tf": tf, "np": np, "math": math, "__name__": file}
    if "keras" in text:
        import keras

        names["keras"] = keras
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), names)
    return names


def check(case: Case) -> None:
    program = case.program.replace(MARK, "")
    names = run(program, f"program of {case.name}")
    assert all(each is None for each in tf.nest.flatten(names["g"]))
    tape, target, source = names["asked"]
    answer = tape.explain(target, source)
    answer = answer[0] if isinstance(answer, list) else answer
    assert answer.kind is case.kind, answer
    marked = [number for number, line in enumerate(case.program.splitlines(), 1) if MARK in line]
    assert [answer.where.line] == marked, answer
    assert answer.where.file == f"program of {case.name}"
    repaired = run(case.repaired, f"repaired {case.name}")
    assert all(each is not None for each in tf.nest.flatten(repaired["g"]))
    lines = {_normal(line) for line in case.repaired.splitlines()}
    for each in (answer, *answer.further):
        assert {_normal(line) for line in each.repair.splitlines()} <= lines, answer


def _normal(line: str) -> str:
    try:
        return ast.unparse(ast.parse(line.strip()))
    except SyntaxError:
        return line.strip()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_line_the_kind_and_the_repair(case):
    check(case)


@pytest.mark.parametrize("case", KERAS, ids=lambda case: case.name)
def test_the_line_the_kind_and_the_repair_with_keras(case):
    pytest.importorskip("keras")
    check(case)


def test_there_are_more_than_thirty_cases():
    assert len(CASES) + len(KERAS) >= 30
    assert {case.kind for case in CASES + KERAS} >= set(Kind) - {Kind.CONNECTED, Kind.SPENT}
