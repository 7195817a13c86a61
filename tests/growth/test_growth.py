"""Nothing grows faster than its data unless that is declared: for each op one way to grow, and programs.

`python -m tests.growth` measures all ways.
"""

import numpy as np
import pytest

from .cases import Case, of_programs, one_of_each_op
from .measure import QUICK, TOLERATED, exponents


def excesses(cases: list[Case]) -> list[str]:
    return [excess for case in cases if (excess := case.excess(case.exponents(QUICK))) is not None]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # samples that are repeated thousands of times overflow
def test_ops_and_their_gradients() -> None:
    chosen = list(one_of_each_op())
    assert len(chosen) > 300
    assert excesses(chosen) == []


def test_programs() -> None:
    assert excesses(list(of_programs())) == []


class Elements:
    """What n elements are to `exponents`."""

    dimensions = 1

    def size(self, factor: int) -> int:
        return factor

    def data(self, factor: int) -> int:
        return factor


@pytest.mark.parametrize(
    ("what", "make"),
    [
        ("time", lambda n: lambda: np.convolve(np.ones(4 * n), np.ones(4 * n))),
        ("memory", lambda n: lambda: bytearray(n * n)),
    ],
)
def test_what_is_quadratic_is_found(what, make) -> None:
    assert getattr(exponents(Elements(), make, QUICK), what) > TOLERATED


def test_what_is_linear_is_not() -> None:
    assert exponents(Elements(), lambda n: lambda: np.sort(np.arange(256 * n)), QUICK).largest < TOLERATED
