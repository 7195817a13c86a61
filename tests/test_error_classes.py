"""Bad arguments raise what TensorFlow raises: calls in error_classes.txt, each with the class observed there.

`python -m tests.oracle.errors` makes the calls, some 56,000 of them, and writes the file: one or a few for each function.
"""

import ast
import pathlib
import warnings
from typing import Any

import numpy as np
import pytest
from tests.oracle.case import Case
from tests.oracle.errors.functions import SIGNATURES, in_function

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


# Parts of calls that do not raise in functions, and why.
TAKEN_IN_FUNCTIONS = {
    "parallel_iterations": "a hint that is not looked at there",
    "f.__call__": "a function inside of another takes a tensor of unknown shape as one of its own",
}
# The same for calls whose class is another one.
OTHER_IN_FUNCTIONS = {
    "TensorArray": "TensorFlow's class is another one in functions, too",
    "tf.foldl": "TensorFlow's class is another one in functions, too",
    "tf.debugging.assert_rank_in": "the rank is asked for first",
}


def error_of(text: str) -> Exception | None:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            run(text)
        except Exception as error:
            return error
    return None


@pytest.mark.parametrize("signature", SIGNATURES)
def test_the_calls_inside_functions(signature: str) -> None:
    """They raise there too: a class that is caught in the same way, or the one of a value that is not known in time."""
    different, found = [], 0
    for theirs, text in OBSERVED:
        case = in_function(Case("", "", text, ""), signature)
        if case is None:
            continue
        found += 1
        error = error_of(case.text)
        if error is None:
            if not any(part in text for part in TAKEN_IN_FUNCTIONS):
                different.append(f"no error: {case.text}")
            continue
        late = signature == "unknown" and isinstance(error, tf.errors.OperatorNotAllowedInGraphError)
        late = late or any(part in text for part in OTHER_IN_FUNCTIONS)
        if not late and theirs not in [cls.__name__ for cls in type(error).__mro__]:
            different.append(f"{theirs}, not {type(error).__name__}: {error}: {case.text}")
    assert not different, "\n".join(different)
    assert found > 300


X, MATRIX, PICTURE = tf.zeros([3]), tf.zeros([2, 3]), tf.zeros([1, 4, 1])
# What TensorFlow 2.21 raises inside functions, where it is another class than in eager code.
IN_FUNCTIONS = [
    (TypeError, lambda x: tf.linalg.solve(100, x), MATRIX),  # the type is looked at before the rank
    (TypeError, lambda x: tf.pow([1, 2], x), X),
    (TypeError, lambda x: tf.tensor_scatter_nd_sub(-1, [[0], [2]], x), X),
    (TypeError, lambda x: tf.math.top_k(x, [0.5, 1.5]), X),
    (TypeError, lambda x: tf.debugging.check_numerics(x, "m"), tf.constant([1, 2])),
    (ValueError, lambda x: tf.reverse_sequence(x, [1, 2], seq_axis=3, batch_axis=0), MATRIX),
    (ValueError, lambda x: tf.linalg.solve(tf.eye(3, batch_shape=[1]), tf.transpose(x)), MATRIX),
    (ValueError, lambda x: tf.linalg.set_diag(tf.expand_dims(x, 0), tf.ones([2])), MATRIX),
    (ValueError, lambda x: tf.image.non_max_suppression_with_scores(x, tf.ones([2]), 2), MATRIX),
    (ValueError, lambda x: tf.raw_ops.ListDiff(x=x, y=x), MATRIX),
    (ValueError, lambda x: tf.signal.irfft(tf.complex(x, x), fft_length=0), X),
    (ValueError, lambda x: tf.nn.fractional_max_pool(x, "a"), tf.zeros([1, 4, 4, 1])),
    (tf.errors.OperatorNotAllowedInGraphError, lambda x: tf.nn.max_pool1d(x, tf.constant("a"), 1, "SAME"), PICTURE),
    (tf.errors.OperatorNotAllowedInGraphError, lambda x: tf.nn.max_pool1d(x, 2, 1, tf.constant("a")), PICTURE),
]


@pytest.mark.parametrize(("kind", "call", "given"), IN_FUNCTIONS)
def test_inside_functions_the_class_is_that_of_a_graph(kind: Any, call: Any, given: tf.Tensor) -> None:
    with pytest.raises(kind):
        tf.function(call)(given)
