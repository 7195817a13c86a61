"""Whole-program groups as text, for people: their steps, what LLVM is given, and the processor's instructions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...native import engine
from ..group import with_outputs
from ..program import Program
from .group import WholeGroup, can_be_whole, whole_groups
from .scheduling import Fused, scheduled
from .steps import (
    Accumulation,
    AnyStep,
    Called,
    Check,
    Choice,
    Elementwise,
    MatrixFunction,
    Part,
    Product,
    Reduction,
    Rounds,
)


def shown(program: Program, python_of: Any, stage: str) -> Iterator[str]:
    """The lines of a stage: `groups`, `llvm` or `asm`."""
    if not can_be_whole(program):
        yield "no native function: some arrays are large, or there is no machine code"
        return
    for item in with_outputs(program, whole_groups(program, python_of)):
        if not isinstance(item, WholeGroup):
            yield f"a Python line: {item}"
        elif stage == "groups":
            yield f"a native function of {len(item.nodes)} instructions:"
            wanted = [item.recording.values[number].located.buffer for number in item.outputs]
            yield from _steps(scheduled(item.recording.steps.current, wanted), "    ")
        else:
            module = item.code().module
            yield str(module) if stage == "llvm" else engine.assembly(module)


def _steps(order: list[AnyStep], indent: str) -> Iterator[str]:
    for step in order:
        if isinstance(step, Rounds):
            yield f"{indent}a loop:"
            yield from _part(step.body, indent)
        elif isinstance(step, Choice):
            for number, part in enumerate(step.parts):
                yield f"{indent}branch {number}:"
                yield from _part(part, indent)
        elif isinstance(step, Fused):
            names = ", ".join(inner.name for inner in step.steps)
            yield f"{indent}one pass over {step.steps[0].writes.shape}: {names}"
        elif isinstance(step, Elementwise):
            yield f"{indent}NumPy's loop of {step.name} over {step.writes.shape}"
        elif isinstance(step, Reduction):
            yield f"{indent}{step.ufunc.__name__} of {step.reads[0].shape} over axes {step.axes}"
        elif isinstance(step, Product):
            yield f"{indent}product of {step.reads[0].shape} and {step.reads[1].shape}"
        elif isinstance(step, Check):
            yield f"{indent}check, else the Python lines"
        elif isinstance(step, Called):
            yield f"{indent}call of Python for {step.writes.shape}"
        elif isinstance(step, (Accumulation, MatrixFunction)):
            yield f"{indent}NumPy's loop of {step.ufunc.__name__} over {step.reads[0].shape}"
        else:
            yield f"{indent}elements put together as {step.writes.shape}"


def _part(part: Part, indent: str) -> Iterator[str]:
    yield from _steps(part.order, indent + "    ")
