"""Compiled functions: a graph becomes a program of plain ops for given sizes, and the program a Python function.

| file | what it does |
| --- | --- |
| `executor.py`, `recorded.py` | runs a graph: chooses a program by the sizes of a call; under a tape, function and gradient |
| `lowering.py` | runs the steps on abstract values and writes down the ops, gradients included |
| `loops.py`, `branches.py`, `inside.py` | the same for loops and branches, whose insides are programs too |
| `measures.py`, `deferred.py` | sizes and attributes that depend on values; calls that are run as in eager code |
| `parts.py` | a graph that cannot be one program, cut into several |
| `program.py`, `passes.py` | what a program is, and how it is made smaller |
| `codegen.py` | a program as straight-line Python over NumPy, with groups of instructions in machine code (`fusion.py`) |
| `buffers.py` | what of its memory the code may free or write, which products other threads compute |
| `warming.py`, `whole/` | a small program as one native function, after some calls |

The engine is imported with the first call of a function: who computes eagerly does not wait for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..trace.concrete import COMPILERS
from ..trace.engines import Executor
from ..trace.graph import BODIES, Environment, Graph
from ..values.tensor import TensorSpec


def _compiled(graph: Graph, specs: list[TensorSpec]) -> Executor | None:
    from .executor import compiled

    return compiled(graph, specs)


def _compiled_body(graph: Graph) -> Callable[[Environment], Any]:
    from .executor import CompiledBody

    return CompiledBody(graph)


COMPILERS.append(_compiled)
BODIES.append(_compiled_body)
