"""Functions that are recorded once and run many times; see docs/design/function.md."""

from __future__ import annotations

from . import facades, operations
from .concrete import ConcreteFunction
from .function import Function, function, inside_function
from .recorder import outside_traces
from .symbolic import SymbolicTensor, is_symbolic

__all__ = [
    "ConcreteFunction",
    "Function",
    "SymbolicTensor",
    "facades",
    "function",
    "inside_function",
    "is_symbolic",
    "operations",
    "outside_traces",
]
