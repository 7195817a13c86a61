"""Bad arguments raise what TensorFlow raises: calls in error_classes.txt, each with the class observed there.

`python -m tests.oracle.errors` makes the calls, some 56,000 of them, and writes the file: one or a few for each function.
"""

import ast
import pathlib
import warnings
from typing import Any

import numpy as np
import pytest

import gradtape as tf

OBSERVED = [
    line.split("\t", 1)
    for line in (pathlib.Path(__file__).parent / "error_classes.txt").read_text(encoding="utf-8").splitlines()
]


def run(text: str) -> Any:
    """The value of the last statement."""
    tree = ast.parse(text)
    last = tree.body.pop()
    assert isinstance(last, ast.Expr)
    names: dict[str, Any] = {"tf": tf, "np": np}
    try:
        exec(compile(tree, "<call>", "exec"), names)
        return eval(compile(ast.Expression(last.value), "<call>", "eval"), names)
    finally:
        if "__enter__" in text:
            for entered in names.keys() & {"tape", "acc"}:
                names[entered].__exit__(None, None, None)


@pytest.mark.parametrize(("theirs", "call"), OBSERVED, ids=[call for _, call in OBSERVED])
def test_except_with_tensorflows_class_catches_the_error(theirs: str, call: str) -> None:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        with pytest.raises(Exception) as caught:  # noqa: PT011  (the class is compared by name)
            run(call)
    assert theirs in [cls.__name__ for cls in type(caught.value).__mro__], f"{type(caught.value)}: {caught.value}"
