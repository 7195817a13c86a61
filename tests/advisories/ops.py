"""Attempts on the ops: each attribute and each operand of their samples, replaced by each kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from tests.ops.registry import all_ops

import gradtape as tf
from gradtape.extend import checks
from gradtape.op.declaration import Op

from .kinds import Attempt, replacements, tensors_like

SAMPLES = 3  # of each op; further ones differ in sizes


def attempts() -> Iterator[Callable[[], Attempt]]:
    for op in all_ops():
        kind = np.float32 if np.dtype(np.float32) in op.dtypes else checks.numeric_kind(op)
        good = list(checks.samples(op, kind))
        for sample in good[:: max(1, len(good) // SAMPLES)][:SAMPLES]:
            values = checks.operands(op, sample)
            for name, value in sample.attributes.items():
                if "dtype" in name:  # an object of gradtape's own
                    continue
                for which, bad in replacements(value):
                    yield partial(_attempt, op, which, values, {**sample.attributes, name: bad})
            for place, value in enumerate(values):
                for which, bad in tensors_like(value):
                    changed = [*values[:place], bad, *values[place + 1 :]]
                    yield partial(_attempt, op, which, changed, sample.attributes)
            if op.variadic:
                yield partial(_attempt, op, "empty", [], sample.attributes)


def _attempt(op: Op, kind: str, values: list[Any], attributes: dict[str, Any]) -> Attempt:
    def call() -> Any:
        tensors = [tf.constant(v) if isinstance(v, (np.ndarray, np.generic)) else v for v in values]
        return checks.call(op, tensors, attributes)

    given = [_described(value) for value in values] + [f"{name}={value!r}" for name, value in attributes.items()]
    return Attempt(op.name, kind, f"{op.name}({', '.join(given)})", call)


def _described(value: Any) -> str:
    if not isinstance(value, (np.ndarray, np.generic)):
        return repr(value)
    array = np.asarray(value)
    return f"{array.dtype}{list(array.shape)}" + (f"={array.tolist()}" if array.size < 5 else "")
