"""What may grow faster than its data, and why."""

from __future__ import annotations

from typing import NamedTuple


class Declared(NamedTuple):
    """The largest exponents of time and memory, and the reason."""

    time: float
    memory: float
    reason: str


DECLARED: dict[str, Declared] = {
    "dct": Declared(
        2.1, 1.6, "kind 1 of n numbers is a Fourier transform of 2 (n - 1), which takes longer with large prime factors"
    ),
    "logm": Declared(
        2.2,
        1.6,
        "a factorisation as below, then square roots of triangles: more of them, the larger the norm of the matrix is",
    ),
    "square matrices": Declared(1.9, 1.6, "factorisations take n^3 steps for n^2 numbers, an exponent of 1.5"),
}
