"""The public functions that the operators call. They belong to higher layers, and are imported when a trace first needs them."""

from __future__ import annotations

from types import ModuleType


def arrays() -> ModuleType:
    """`zeros`, `range`, `shape`."""
    from ..api import arrays

    return arrays


def control() -> ModuleType:
    """`cond`, `while_loop`, `for_dataset`."""
    from ..api import control

    return control


def framework() -> ModuleType:
    """`Assert`, `print`."""
    from ..api import framework

    return framework


def math() -> ModuleType:
    """Logic, reductions, casts."""
    from .. import math

    return math


def sorting() -> ModuleType:
    """`sort`."""
    from ..api import sorting

    return sorting


def tensor_array() -> ModuleType:
    """`TensorArray`."""
    from ..api import tensor_array

    return tensor_array
