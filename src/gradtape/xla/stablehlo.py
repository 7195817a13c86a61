"""A traced function as StableHLO, the portable form of XLA's programs, for one or several kinds of devices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import jax
from jax import export

from ..base.errors import UnimplementedError, invalid
from ..base.nest import flatten
from ..compile.executor import lowered, renamed
from ..compile.passes import optimized
from ..compile.program import Value
from ..trace.abstract_tensor import NeedsValue
from ..trace.concrete import ConcreteFunction
from .arrays import abstract, value_of
from .executor import settings
from .lowering import Refused, run_program, touched
from .partition import parts_of


def exported(concrete: ConcreteFunction, platforms: Sequence[str]) -> bytes:
    """The function, with the present values of its variables, as the bytes of `jax.export`."""
    if not all(spec.shape.is_fully_defined() for spec in concrete.specs):
        raise invalid(f"export: all sizes must be known, got {concrete.pretty_printed_signature(verbose=False)}.")
    shapes = [tuple(spec.shape) for spec in concrete.specs]
    dtypes = [spec.dtype.numpy for spec in concrete.specs]
    try:
        evaluator, structure, _ = lowered(concrete.graph, shapes, dtypes, updates_in_place=False)
    except NeedsValue as error:
        raise _not_possible(concrete, [str(error)]) from error
    program = optimized(evaluator.program)
    returned = flatten(renamed(structure, iter(program.outputs)))
    program = replace(program, outputs=[part if part.__class__ is Value else part._array for part in returned])
    reasons = [reason for part in parts_of(program) for reason in part.reasons]
    changed = [variable.name for _, variable, is_changed in touched(program) if is_changed]
    if reasons or changed:
        raise _not_possible(concrete, [*reasons, *(f"it assigns the variable {name}" for name in changed)])
    state = {number: value_of(variable) for number, variable, _ in touched(program)}

    def run(*given: object) -> list[Any]:
        return run_program(program, list(given), dict(state))

    looks = [abstract(*program.looks[number]) for number in program.inputs]
    with settings():
        try:
            return bytes(export.export(jax.jit(run), platforms=tuple(platforms))(*looks).serialize())
        except Refused as error:
            raise _not_possible(concrete, [error.reason]) from error


def _not_possible(concrete: ConcreteFunction, reasons: list[str]) -> Exception:
    listed = "; ".join(dict.fromkeys(reasons))
    message = f"export: {concrete.name} cannot run on XLA as a whole: {listed}. Export the part that can."
    return UnimplementedError(None, None, message)
