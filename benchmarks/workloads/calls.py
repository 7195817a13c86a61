"""What a call of a compiled function costs, by the kind of its arguments, as a multiple of the plain call."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np

from benchmarks.step import Unavailable
from benchmarks.workload import Reading, limit

CALLS, ROUNDS = 300, 40


class Call(Reading):
    """A function of three floats is called in two ways by turns; the best of each counts."""

    unit = "x the plain call"
    unit_scale = 1
    contestants = ("gradtape", "tf")

    def __init__(
        self, name: str, title: str, way: Callable[[Any, Any, Any], Callable[[], Any]], factor: float = 1.3
    ) -> None:
        self.limits = (limit("gradtape", factor),)  # type: ignore[misc]
        self.name = f"call-{name}"  # type: ignore[misc]
        self.title = f"call of a compiled function {title}"  # type: ignore[misc]
        self.way = way

    def read(self, module: str) -> float:
        if module not in ("gradtape", "tensorflow"):
            raise Unavailable(f"{module} is not written here")
        tf = importlib.import_module(module)
        x = tf.constant([1.0, 2.0, 3.0])
        f = tf.function(_increased)
        ways = [lambda: f(x), self.way(tf, _increased, x)]
        best = [float("inf"), float("inf")]
        for way in ways * 2:
            way()
        for _ in range(ROUNDS):
            for place, way in enumerate(ways):
                start = process_time()
                for _ in range(CALLS):
                    way()
                best[place] = min(best[place], process_time() - start)
        return best[1] / best[0]


def _increased(x: Any) -> Any:
    return x + 1.0


def _with_signature(tf: Any, function: Any, x: Any) -> Callable[[], Any]:
    f = tf.function(function, input_signature=[tf.TensorSpec([None], tf.float32)])
    return lambda: f(x)


def _with_keyword(tf: Any, function: Any, x: Any) -> Callable[[], Any]:
    f = tf.function(function)
    return lambda: f(x=x)


def _with_array(tf: Any, function: Any, x: Any) -> Callable[[], Any]:
    f, array = tf.function(function), np.array([1.0, 2.0, 3.0], np.float32)
    return lambda: f(array)


CALLS_BY_KIND = (
    Call("signature", "with a TensorSpec signature", _with_signature),
    Call("keyword", "by keyword", _with_keyword),
    Call("array", "with a NumPy array", _with_array),
)
