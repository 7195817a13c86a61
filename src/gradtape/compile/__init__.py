"""Compiled functions: a graph becomes a program of plain ops for given sizes, and the program a Python function.

`lowering` runs the steps of a graph on abstract values and writes down the ops (gradients included), `passes` makes the program
smaller, `codegen` writes it as straight-line Python over NumPy, and `executor` puts it in the place of the interpreter.
A native compiler would take a `Program` where `codegen` takes one.
"""

from __future__ import annotations

from ..trace.concrete import COMPILERS
from ..trace.graph import BODIES
from .executor import CompiledBody, compiled

COMPILERS.append(compiled)
BODIES.append(CompiledBody)
