"""Whole-program groups as text, for people: their steps, what LLVM is given, and the processor's instructions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...native import engine
from ..group import with_outputs
from ..program import Program, Value
from .group import WholeGroup, WholeProgram, can_be_whole, whole_groups, whole_program
from .native_function import written
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
    Sorting,
)


def shown(program: Program, python_of: Any, stage: str) -> Iterator[str]:
    """The lines of a stage: `groups`, `llvm` or `asm`."""
    if not can_be_whole(program):
        yield "no native function: some arrays are large, or there is no machine code"
        return
    whole = whole_program(program, [output for output in program.outputs if isinstance(output, Value)])
    if whole is not None:  # (the whole function, with what it reads and changes of variables)
        yield from _whole(whole, stage)
        return
    for item in with_outputs(program, whole_groups(program, python_of)):
        if not isinstance(item, WholeGroup):
            yield f"a Python line: {item}"
        elif stage == "groups":
            yield f"a native function of {len(item.nodes)} instructions:"
            wanted = [item.recording.values[number].located.buffer for number in item.outputs]
            yield from _steps(scheduled(item.recording.steps.current, wanted), "    ")
        else:
            module, _ = written(item.parts())
            yield str(module) if stage == "llvm" else engine.assembly(module)


def _whole(whole: WholeProgram, stage: str) -> Iterator[str]:
    """The whole program as one native function."""
    if stage == "groups":
        yield f"one native function of {len(whole.state.program.nodes)} instructions, which is the whole program:"
        for variable in whole.state.read.values():
            yield f"    the value of {variable.name!r} is taken"
        wanted = [value.located.buffer for value in whole.wanted]
        yield from _steps(scheduled(whole.recording.steps.current, wanted), "    ")
        for variable, _ in whole.changed:
            yield f"    {variable.name!r} gets its new value"
    else:
        module, _ = written(whole.parts())
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
            yield f"{indent}{step.ufunc.__name__} of {step.reads[0].shape} over axes {tuple(map(int, step.axes))}"
        elif isinstance(step, Product):
            yield f"{indent}product of {step.reads[0].shape} and {step.reads[1].shape}"
        elif isinstance(step, Check):
            yield f"{indent}check, else the Python lines"
        elif isinstance(step, Called):
            yield f"{indent}call of Python for {step.writes.shape}"
        elif isinstance(step, (Accumulation, MatrixFunction)):
            yield f"{indent}NumPy's loop of {step.ufunc.__name__} over {step.reads[0].shape}"
        elif isinstance(step, Sorting):
            yield f"{indent}NumPy's sort of {step.writes.shape} along axis {step.axis}"
        else:
            yield f"{indent}elements put together as {step.writes.shape}"


def _part(part: Part, indent: str) -> Iterator[str]:
    yield from _steps(part.order, indent + "    ")
