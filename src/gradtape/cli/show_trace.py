"""`gradtape trace FILE.py:NAME`: what a function of a file is recorded as, and what becomes of it before it runs."""

from __future__ import annotations

import ast
import os
import re
import runpy
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from keras_gradtape import aliases, hook

from ..base import dtypes
from ..base.sizes import Undecided
from ..compile.codegen import python_of
from ..compile.executor import lowered
from ..compile.fusion import native_stage
from ..compile.passes import optimized
from ..compile.program import Program
from ..trace.concrete import ConcreteFunction
from ..trace.function import Function, function
from ..values.tensor import TensorSpec

_SPEC = re.compile(r"(\w+)\s*(?:\[(.*)\])?")


class CannotShow(Exception):
    """There is no such function, or it cannot be traced."""


@dataclass(frozen=True)
class Settings:
    """What the command line says."""

    target: str
    args: tuple[Any, ...] = ()
    size: int = 4
    stage: str | None = None  # one of STAGES; None: the graph and the programs


STAGES = ("graph", "program", "groups", "llvm", "asm")


def argument(text: str) -> Any:
    """An argument as it is written on the command line: `float32[None, 3]`, `int32[]`, or a Python value; else ValueError."""
    match = _SPEC.fullmatch(text.strip())
    if match is not None and hasattr(dtypes, match[1]) and isinstance(getattr(dtypes, match[1]), dtypes.DType):
        sizes = match[2]
        if sizes is not None and sizes.strip() == "...":
            return TensorSpec(None, match[1])
        parts = [part.strip() for part in (sizes or "").split(",") if part.strip()]
        return TensorSpec([None if part in ("None", "?") else _size(part) for part in parts], match[1])
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        raise ValueError(f"expected a tensor such as float32[None,3], or a Python value; got {text!r}") from None


def _size(text: str) -> int:
    if not text.isdecimal():
        raise ValueError(f"expected a size such as 3 or None, got {text!r}")
    return int(text)


def run(settings: Settings) -> None:
    """Print the graph of a function, and its program before and after optimisation."""
    print("\n".join(shown(settings)))


def shown(settings: Settings) -> Iterator[str]:
    """The lines that are printed."""
    for number, concrete in enumerate(_traces(_found(settings.target), settings)):
        if number:
            yield ""
        yield f"signature: {concrete.name}{concrete.function_type}"
        if settings.stage in (None, "graph"):
            yield f"\ngraph, {_counted(len(concrete.graph.steps), 'step')}:"
            yield str(concrete.graph)
        if settings.stage != "graph":
            yield from _programs(concrete, settings.size, settings.stage)


def _programs(concrete: ConcreteFunction, size: int, stage: str | None) -> Iterator[str]:
    shapes = [
        (size,) if s.shape.rank is None else tuple(size if n is None else n for n in s.shape) for s in concrete.specs
    ]
    known = all(spec.shape.is_fully_defined() for spec in concrete.specs)
    sizes = "" if known else f", with {size} for sizes that are not known (--size)"
    try:
        evaluator, _, _ = lowered(concrete.graph, shapes, [spec.dtype.numpy for spec in concrete.specs])
    except Undecided as error:
        yield f"\nnot compiled, run step by step: {error}"
        return
    except Exception as error:
        raise CannotShow(f"{concrete.name} cannot be run with shapes {shapes}: {error} Try another --size.") from error
    before, after = evaluator.program, optimized(evaluator.program)
    if stage in STAGES[2:]:
        yield f"\nnative functions{sizes}:"
        yield from native_stage(after, python_of, str(stage))
        return
    yield f"\nprogram before optimisation, {_instructions(before)}{sizes}:"
    yield str(before)
    yield f"\nprogram after optimisation, {_instructions(after)}:"
    yield str(after)


def _instructions(program: Program) -> str:
    return _counted(len(program.nodes), "instruction")


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


# --- which function --------------------------------------------------------------------------------------------------------


def _traces(found: object, settings: Settings) -> list[ConcreteFunction]:
    if isinstance(found, ConcreteFunction):
        return [found]
    if not callable(found) or isinstance(found, type):
        raise CannotShow(f"{settings.target} is no function, but a {type(found).__name__}.")
    traced = found if isinstance(found, Function) else function(found)
    takes = [name for name in traced._parameters.names if name not in ("args", "kwargs")]
    if settings.args or (traced.input_signature is None and not takes):
        return [_traced(traced, settings.args)]
    if traced.input_signature is not None:
        return [_traced(traced, ())]
    if not traced._all_traces():
        raise CannotShow(
            f"{traced.name} has no input_signature and was not called in the file, so its arguments ({', '.join(takes)}) are "
            "not known. Say what they are, once for each: --arg 'float32[None,3]'."
        )
    return traced._all_traces()


def _traced(traced: Function, args: tuple[Any, ...]) -> ConcreteFunction:
    try:
        return traced.get_concrete_function(*args)
    except Exception as error:
        raise CannotShow(f"{traced.name} cannot be traced: {type(error).__name__}: {error}") from error


def _found(target: str) -> Any:
    path, colon, name = target.rpartition(":")
    if not colon or not path or not name:
        raise CannotShow(f"expected FILE.py:NAME, got {target!r}.")
    if not os.path.isfile(path):
        raise CannotShow(f"there is no file {path!r}.")
    names = _run_file(path)
    first, *rest = name.split(".")
    if first not in names:
        functions = [label for label, value in names.items() if _is_own_function(value, path)]
        raise CannotShow(f"{path} has no {first!r}. Its functions: {', '.join(functions) or 'none'}.")
    found = names[first]
    for part in rest:
        if not hasattr(found, part):
            raise CannotShow(f"{path}: a {type(found).__name__} has no attribute {part!r}.")
        found = getattr(found, part)
    return found


def _is_own_function(value: object, path: str) -> bool:
    if isinstance(value, (Function, ConcreteFunction)):
        return True
    code = getattr(value, "__code__", None)
    return code is not None and os.path.abspath(code.co_filename) == os.path.abspath(path)


def _run_file(path: str) -> dict[str, Any]:
    """The names of a file after it was run; `tensorflow` in it is gradtape, and it is not the main program."""
    aliases.PACKAGES["tensorflow"] = "gradtape"
    hook.insist()
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    try:
        return runpy.run_path(path, run_name="__gradtape_trace__")
    except (Exception, SystemExit) as error:
        lines = [entry.lineno for entry in traceback.extract_tb(error.__traceback__) if entry.filename == path]
        line = getattr(error, "lineno", None) or (lines[-1] if lines else "?")
        raise CannotShow(f"{path}, line {line}: {type(error).__name__}: {error}") from error
