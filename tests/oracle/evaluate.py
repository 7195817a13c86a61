"""Runs calls against one library and writes down what came out. The same file serves both libraries.

    python evaluate.py LIBRARY CASES RESULTS [FIRST]

CASES and RESULTS hold one JSON object a line. The file stands alone: the interpreter that has TensorFlow need not
have gradtape. Each result is flushed before the next case starts, so that whoever watches knows where a crash was.
"""

from __future__ import annotations

import ast
import base64
import importlib
import json
import logging
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import ml_dtypes  # noqa: F401  (makes np.dtype("bfloat16") known)
import numpy as np

MEMORY = 12 * 2**30  # bytes a worker may map: what asks for more fails instead of filling the machine


def encode(value: Any) -> dict[str, Any]:
    """An array as JSON, to the last bit."""
    array = np.asarray(value)
    if array.dtype.kind in "OSU":
        items = [v.decode("latin-1") if isinstance(v, bytes) else str(v) for v in array.reshape(-1).tolist()]
        return {"dtype": "string", "shape": list(array.shape), "items": items}
    data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")
    return {"dtype": array.dtype.name, "shape": list(array.shape), "data": data}


def decode(coded: dict[str, Any]) -> Any:
    """The array that `encode` was given."""
    if coded["dtype"] == "string":
        return np.array([v.encode("latin-1") for v in coded["items"]], object).reshape(coded["shape"])
    data = base64.b64decode(coded["data"])
    return np.frombuffer(data, np.dtype(coded["dtype"])).reshape(coded["shape"]).copy()


def weights(like: Any, phase: int) -> Any:
    """Fixed numbers without pattern, of a tensor's shape and type: the same in every interpreter."""
    count = np.arange(like.size, dtype=np.float64)
    values = np.cos(2.3 * count + phase + 0.4)
    if like.dtype.kind == "c":
        values = values + 1j * np.sin(1.7 * count + phase)
    return np.asarray(values.reshape(like.shape)).astype(like.dtype)


def leaves(result: Any) -> Iterator[Any]:
    """The tensors of a result, in order; what is not a tensor is a leaf too."""
    if isinstance(result, dict):
        for key in sorted(result):
            yield from leaves(result[key])
    elif isinstance(result, (list, tuple)) and not hasattr(result, "as_list"):
        for part in result:
            yield from leaves(part)
    else:
        yield result


def is_differentiable(leaf: Any) -> bool:
    dtype = getattr(leaf, "dtype", None)
    return hasattr(leaf, "numpy") and (getattr(dtype, "is_floating", False) or getattr(dtype, "is_complex", False))


def written(leaf: Any) -> dict[str, Any] | None:
    """A leaf as JSON."""
    if leaf is None:
        return None
    if hasattr(leaf, "dense_shape") and hasattr(leaf, "indices"):
        kind = "slices" if "Slices" in type(leaf).__name__ else "sparse"
        return {kind: [encode(leaf.indices.numpy()), encode(leaf.values.numpy())]}
    if hasattr(leaf, "row_splits"):
        return {"python": repr(leaf.to_list())}
    if hasattr(leaf, "numpy") and hasattr(leaf, "dtype"):
        return encode(leaf.numpy())
    if isinstance(leaf, (np.ndarray, np.generic)):
        return encode(leaf)
    if hasattr(leaf, "as_list"):
        return {"python": repr(list(leaf.as_list()))}
    return {"python": repr(leaf)}


class Program:
    """A text whose last statement is an expression, with named inputs; run on a library it gives the expression's value."""

    def __init__(self, text: str, inputs: dict[str, Any]) -> None:
        tree = ast.parse(text)
        last = tree.body.pop()
        assert isinstance(last, ast.Expr)
        self.before = compile(tree, "<call>", "exec")
        self.last = compile(ast.Expression(last.value), "<call>", "eval")
        self.inputs = inputs

    def tensors(self, tf: Any) -> dict[str, Any]:
        return {name: tf.constant(array) for name, array in self.inputs.items()}

    def sources(self, tensors: dict[str, Any]) -> list[Any]:
        return [t for t in tensors.values() if is_differentiable(t)]

    def __call__(self, tf: Any, tensors: dict[str, Any]) -> list[Any]:
        names = {"tf": tf, "np": np, **tensors}
        exec(self.before, names)
        return list(leaves(eval(self.last, names)))


def dense(tf: Any, gradient: Any) -> Any:
    return tf.convert_to_tensor(gradient) if hasattr(gradient, "dense_shape") else gradient


def first_order(tf: Any, program: Program, outcome: dict[str, Any], with_gradient: bool) -> bool:
    """Note the value and, if it has one, the gradient; say whether there is a gradient to differentiate again."""
    with attempt(outcome, "value"):
        tensors = program.tensors(tf)
        sources = program.sources(tensors)
        with tf.GradientTape() as tape:
            tape.watch(sources)
            result = program(tf, tensors)
        outcome["value"] = {"leaves": [written(leaf) for leaf in result]}
    if "error" in outcome["value"] or not (with_gradient and sources):
        return False
    targets = [leaf for leaf in result if is_differentiable(leaf)]
    if not targets:
        return False
    with attempt(outcome, "gradient"):
        seeds = [tf.constant(weights(t.numpy(), k)) for k, t in enumerate(targets)]
        found = tape.gradient(targets, sources, seeds)
        outcome["gradient"] = {"leaves": [written(leaf) for leaf in found]}
    return any(leaf is not None for leaf in outcome["gradient"].get("leaves", ()))


def second_order(tf: Any, program: Program, outcome: dict[str, Any]) -> None:
    """Note the gradient of the gradient, taken with nested tapes."""
    with attempt(outcome, "second"):
        tensors = program.tensors(tf)
        sources = program.sources(tensors)
        with tf.GradientTape() as outer:
            outer.watch(sources)
            with tf.GradientTape() as tape:
                tape.watch(sources)
                targets = [leaf for leaf in program(tf, tensors) if is_differentiable(leaf)]
            seeds = [tf.constant(weights(t.numpy(), k)) for k, t in enumerate(targets)]
            first = [dense(tf, g) for g in tape.gradient(targets, sources, seeds) if g is not None]
        again = [tf.constant(weights(g.numpy(), 10 + k)) for k, g in enumerate(first)]
        outcome["second"] = {"leaves": [written(leaf) for leaf in outer.gradient(first, sources, again)]}


@contextmanager
def attempt(outcome: dict[str, Any], mode: str) -> Iterator[None]:
    """Note an exception as the outcome of a mode: the names of its classes, and the first line of its message."""
    try:
        yield
    except Exception as error:
        names = [cls.__name__ for cls in type(error).__mro__ if cls not in (object, BaseException, Exception)]
        outcome[mode] = {
            "error": names or [type(error).__name__],
            "message": str(error).partition("\n")[0][:300],
        }


def evaluate(tf: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Everything the case asks for."""
    outcome: dict[str, Any] = {"id": case["id"]}
    program = Program(case["text"], {name: decode(array) for name, array in case["inputs"].items()})
    if first_order(tf, program, outcome, "gradient" in case["modes"]) and "second" in case["modes"]:
        second_order(tf, program, outcome)
    return outcome


def raises(tf: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Only whether the call raises, and what."""
    outcome: dict[str, Any] = {"id": case["id"], "value": {}}
    program = Program(case["text"], {})
    with attempt(outcome, "value"):
        program(tf, {})
    return outcome


def observed_ops(tf: Any, case: dict[str, Any]) -> list[str]:
    """gradtape only: the ops that the call and its derivatives run, by their names in the registry."""
    entry = importlib.import_module("gradtape.op.entry")
    seen: set[str] = set()

    def observe(op: Any, inputs: Any, outputs: Any) -> None:
        seen.add(op.name)

    program = Program(case["text"], {name: decode(array) for name, array in case["inputs"].items()})
    outcome: dict[str, Any] = {}
    entry.observe_ops(observe)
    try:
        if first_order(tf, program, outcome, "gradient" in case["modes"]):
            second_order(tf, program, outcome)
    finally:
        entry.unobserve_ops(observe)
    return sorted(seen)


def main(library: str, cases: str, results: str, first: str = "0") -> None:
    """Run the cases from number `first` on."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")  # its bfloat16 kernels end the process on some CPUs
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    tf = importlib.import_module(library)
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    except (ImportError, ValueError):
        pass
    with open(cases, encoding="utf-8") as given, open(results, "a", encoding="utf-8") as output:
        for number, line in enumerate(given):
            if number < int(first):
                continue
            case = json.loads(line)
            errors_only = case["modes"] == ["error"]
            outcome = raises(tf, case) if errors_only else evaluate(tf, case)
            if library == "gradtape" and not errors_only:
                outcome["ops"] = observed_ops(tf, case)
            output.write(json.dumps(outcome) + "\n")
            output.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
