"""What may grow faster than its data, and why."""

from __future__ import annotations

from typing import NamedTuple


class Declared(NamedTuple):
    """The largest exponents of time and memory, and the reason."""

    time: float
    memory: float
    reason: str


DECLARED: dict[str, Declared] = {
    "square matrices": Declared(1.9, 1.6, "factorisations take n^3 steps for n^2 numbers, an exponent of 1.5"),
}
