"""Writes docs/accuracy.md."""

from __future__ import annotations

import pathlib
from collections.abc import Iterable
from typing import Any

from .held import EXCEPTIONS, LIMIT, worst_of
from .measure import Errors, Worst
from .reductions import LENGTH
from .reference import FULL
from .table import ELEMENTWISE, NOT_MEASURED, REDUCTIONS

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "accuracy.md"

_HEADER = f"""# How accurate results are

Written by `python -m tests.accuracy`, which measures every elementwise op and every reduction against mpmath in 50 digits:
the value and the derivative by each argument, in float32 and float64, on small arrays, on arrays large enough for machine
code and in a traced function, in reverse and in forward mode. A test measures a part of each op; it and the command fail
above {LIMIT:g} units, except for the rows of the last table.

Arguments lie over all exponents, half of them where functions bend. Among them are 0, -0, denormal numbers, the smallest and
the largest, infinities, nan, 1 and its neighbours, whole numbers and halves, and numbers that come ever closer to a
function's zeros and poles. A function of several arguments is differentiated at finite ones.

An error of an elementwise op is counted in units in the last place of the true result. An infinity counts as the number
after the largest; nan beside a number, or the other way, is infinitely wrong. *Denormal* is where the true result or an
argument is a denormal number, which TensorFlow takes for 0: nothing is promised there, and what is above {LIMIT:g} is shown.
"""

_REDUCTIONS = f"""
## Reductions

Rows of {LENGTH} numbers, {FULL} numbers in all: random, over many exponents, all equal, close together far from 0, with
zeros, near the ends of the range. An error is counted in units of the last place of the sum of the magnitudes that are added
up; for exponentials, with the size of their exponents. The gradient of a row is that of its sum with fixed weights.
"""

_EXCEPTIONS = """
## Exceptions

The worst error that was found, where it was found, and why it is allowed.
"""


def units(number: float) -> str:
    """An error as text."""
    if number == float("inf"):
        return "inf"
    if number < 1e4:
        return f"{number:.2g}" if number < 10 else f"{number:.0f}"
    return f"{number:.0e}".replace("e+0", "e").replace("e+", "e")


def summary(errors: dict[str, Any]) -> str:
    """The errors of one op, in a line."""
    return ", ".join(f"{of} {units(worst_of(error).units)}" for of, error in errors.items())


def write(found: dict[tuple[str, str], dict[str, Any]]) -> None:
    """The page, from what was found for each op and type."""
    lines = [
        _HEADER,
        *_elementwise(found),
        _REDUCTIONS,
        *_reductions(found),
        _EXCEPTIONS,
        *_exceptions(found),
        *_others(),
    ]
    PAGE.write_text("\n".join(lines) + "\n")
    print(f"wrote {PAGE}")


def _worst(errors: Iterable[Worst]) -> float:
    return max((worst.units for worst in errors), default=0.0)


def _elementwise(found: dict[tuple[str, str], dict[str, Any]]) -> Iterable[str]:
    yield "## Elementwise ops\n"
    yield "| op | arguments | float32: value | gradient | float64: value | gradient | denormal: float32 | float64 |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for name, reference in ELEMENTWISE.items():
        cells, denormal = [], []
        for kind in ("float32", "float64"):
            errors: dict[str, Errors] = found[name, kind]
            slopes = [error.normal for of, error in errors.items() if of != "value"]
            cells += [units(errors["value"].normal.units), units(_worst(slopes)) if slopes else ""]
            below = _worst(error.denormal for error in errors.values())
            denormal.append(units(below) if below > LIMIT else "")
        yield f"| {name} | {min(reference.count, FULL)} | {' | '.join([*cells, *denormal])} |"


def _reductions(found: dict[tuple[str, str], dict[str, Any]]) -> Iterable[str]:
    yield "| op | float32: value | gradient | float64: value | gradient |"
    yield "| --- | --- | --- | --- | --- |"
    for name in REDUCTIONS:
        cells = [
            units(found[name, kind][of].units) if of in found[name, kind] else ""
            for kind in ("float32", "float64")
            for of in ("value", "gradient")
        ]
        yield f"| {name} | {' | '.join(cells)} |"


def _exceptions(found: dict[tuple[str, str], dict[str, Any]]) -> Iterable[str]:
    yield "| op | of | float32 | float64 | at | found | true | why |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for (name, of), row in EXCEPTIONS.items():
        both = [worst_of(found[name, kind][of]) for kind in ("float32", "float64")]
        worst = max(both, key=lambda error: error.units)
        at = ", ".join(f"{argument:.6g}" for argument in worst.arguments)
        cells = [
            name,
            of,
            *(units(error.units) for error in both),
            at,
            f"{worst.found:.6g}",
            f"{worst.true:.6g}",
            row.reason,
        ]
        yield f"| {' | '.join(cells)} |"


def _others() -> Iterable[str]:
    yield "\nNot measured:"
    for reason in dict.fromkeys(NOT_MEASURED.values()):
        names = ", ".join(f"`{name}`" for name, why in NOT_MEASURED.items() if why == reason)
        yield f"\n- {reason}: {names}"
