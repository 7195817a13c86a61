"""What errors are held to: 8 units, and the exceptions with their reasons, which stand in exceptions.toml."""

from __future__ import annotations

import pathlib
import tomllib
from collections.abc import Iterator
from typing import Any, NamedTuple

from .measure import Errors, Worst

LIMIT = 8.0
_FILE = pathlib.Path(__file__).with_name("exceptions.toml")


class Allowed(NamedTuple):
    """The largest error that is allowed of one result of an op, in each type, and why."""

    op: str
    of: str
    float32: float
    float64: float
    reason: str


def _read() -> dict[tuple[str, str], Allowed]:
    text = tomllib.loads(_FILE.read_text())
    reasons = text["reasons"]
    rows = [
        Allowed(row["op"], row["of"], row.get("float32", LIMIT), row.get("float64", LIMIT), reasons[row["why"]])
        for row in text["exception"]
    ]
    return {(row.op, row.of): row for row in rows}


EXCEPTIONS = _read()


def limit(name: str, of: str, kind: str) -> float:
    """How many units the value, or the derivative by an argument, may be off."""
    row = EXCEPTIONS.get((name, of))
    return LIMIT if row is None else float(getattr(row, kind))


def worst_of(errors: Errors | Worst) -> Worst:
    """What is held: nothing is promised of denormal numbers, which TensorFlow takes for 0."""
    return errors.normal if isinstance(errors, Errors) else errors


def over(name: str, kind: str, errors: dict[str, Any]) -> Iterator[str]:
    """A line for each error that is above its limit."""
    for of, error in errors.items():
        worst = worst_of(error)
        if worst.units > limit(name, of, kind):
            yield (
                f"{name}, {of}, {kind}: {worst.units:.3g} units, allowed are {limit(name, of, kind):.3g}; "
                f"at {worst.arguments} it is {worst.found!r}, and {worst.true!r} is right"
            )
