"""Good calls, each a text that stands alone: from the registry, the oracle's call lists, and the lists in `calls/`.

A line there is a program of one line: statements separated by `;`, the last an expression. Draws (`N(2, 3)` and so on) are
those of `tests/oracle/calls.py`; here they become constants in the text.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from tests.ops.registry import all_ops

import gradtape as tf
from gradtape.extend import checks

from .. import calls, samples
from ..case import Case
from ..names import resolves, used_in

FOLDER = Path(__file__).parent / "calls"


def constant(array: Any) -> str:
    """`tf.constant(...)` with the values, which are rounded to be readable."""
    array = np.asarray(array)
    if array.dtype.kind in "OSU":
        items = np.vectorize(lambda v: v.decode("latin-1") if isinstance(v, bytes) else str(v), otypes=[object])(array)
        return _call(items.tolist() if array.size else array.tolist(), "string", array.shape)
    values = array.astype(np.float64) if array.dtype.kind == "V" else array
    if values.dtype.kind in "fc":
        values = np.round(values.astype(np.complex128 if values.dtype.kind == "c" else np.float64), 2)
    return _call(values.tolist(), array.dtype.name, array.shape)


def _call(values: Any, dtype: str, shape: tuple[int, ...]) -> str:
    sizes = f", {list(shape)}" if 0 in shape else ""  # a list without elements says nothing about its inner axes
    return f"tf.constant({values!r}, tf.{dtype}{sizes})".replace("nan", "np.nan").replace("inf", "np.inf")


class _Inline(ast.NodeTransformer):
    """Puts the inputs of a case into its text."""

    def __init__(self, inputs: Any) -> None:
        self.inputs = inputs

    def visit_Name(self, node: ast.Name) -> Any:
        return ast.parse(constant(self.inputs[node.id]), mode="eval").body if node.id in self.inputs else node


def standing_alone(case: Case) -> str:
    """The case as one text without inputs."""
    tree = _Inline(case.inputs).visit(ast.parse(case.text))
    return "; ".join(ast.unparse(statement) for statement in ast.fix_missing_locations(tree).body)


def texts() -> Iterator[str]:
    """Every good call, once; those with names that gradtape does not have are left out."""
    seen: set[str] = set()
    for text in (*_own(), *_listed(), *_registered()):
        if text not in seen and all(resolves(tf, name) for name in used_in(text)):
            seen.add(text)
            yield text


def _own() -> Iterator[str]:
    for path in sorted(FOLDER.glob("*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip() and not line.startswith("#"):
                yield standing_alone(calls.case(line.strip(), "float32"))


def _listed() -> Iterator[str]:
    for line, dtypes in calls.lines():
        yield standing_alone(calls.case(line, dtypes[0]))


def _registered() -> Iterator[str]:
    for op in all_ops():
        template = samples.template(op)
        if template is None:
            continue
        preferred = [np.dtype(t) for t in (np.float32, np.int32, np.complex64, np.bool_, object)]
        dtype = next((d for d in preferred if d in op.dtypes), None)
        if dtype is None:
            continue
        try:
            found = list(checks.samples(op, dtype))[:3]
        except (TypeError, ValueError):
            continue
        for sample in found:
            call, inputs = samples.from_sample(op, template, sample.args, sample.attributes)
            yield standing_alone(Case("sample", op.name, call, dtype.name, inputs))
