"""One op in one type, measured: a piece of work for a process."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from .measure import elementwise, reduction
from .table import ELEMENTWISE, REDUCTIONS

TYPES = {"float32": np.float32, "float64": np.float64}
Task = tuple[str, str, int]  # the name of a row, the type, how many arguments


def measured(task: Task) -> tuple[Task, dict[str, Any]]:
    """The errors of the value, and of the derivative by each argument."""
    name, kind, count = task
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # (of NumPy itself, where a reference is one of its functions)
        if name in REDUCTIONS:
            return task, reduction(name, REDUCTIONS[name], count, TYPES[kind])
        return task, elementwise(name, ELEMENTWISE[name], count, TYPES[kind])
