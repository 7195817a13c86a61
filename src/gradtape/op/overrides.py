"""Ops with operands of types that public functions give way for (`base/dispatch.py`)."""

from __future__ import annotations

from typing import Any

from ..base.dispatch import OVERRIDES, overridden
from ..values.composite import OPERANDS, Run
from ..values.tensor import to_tensor
from .declaration import Op


def run_overridden(op: Op, args: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
    """Call what was registered for the op's public function; without it the operand is no tensor, which is an error."""
    if op.public in OVERRIDES:
        changed = {name: value for name, value in attributes.items() if value is not op.attributes.get(name)}
        result = overridden(op.public, args, changed)
        if result is not NotImplemented:
            return result
    operands = args[0] if op.variadic else args
    return to_tensor(next(value for value in operands if value.__class__ in OPERANDS))


def accept_operands(cls: type) -> None:
    """Let ops look for overrides where an operand is of this class."""
    before = OPERANDS.get(cls)
    if before is run_overridden or getattr(before, "falls_back", False):
        return
    OPERANDS[cls] = run_overridden if before is None else _first_overridden(before)


def _first_overridden(otherwise: Run) -> Run:
    def run(op: Op, args: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
        result = overridden(op.public, args, attributes) if op.public in OVERRIDES else NotImplemented
        return otherwise(op, args, attributes) if result is NotImplemented else result

    run.falls_back = True  # type: ignore[attr-defined]
    return run
