"""A part of what `python -m tests.accuracy` measures: some arguments of each op, the special values among them."""

import math

import numpy as np
import pytest

pytest.importorskip("mpmath", reason="the extra `test` is not installed")

import gradtape.numpy  # noqa: F401 (registers the ops under NumPy's names)
from gradtape.op.declaration import REGISTRY

from . import page
from .held import EXCEPTIONS, LIMIT, over
from .measure import in_units
from .reference import FULL, Truth
from .table import ELEMENTWISE, NOT_MEASURED, REDUCTIONS
from .tasks import TYPES, measured

SOME = 200  # arguments, where mpmath is fast


def part_of(name):
    count = ELEMENTWISE[name].count if name in ELEMENTWISE else FULL
    return min(SOME, max(count // 15, 8)) if count < FULL else SOME


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("name", [*ELEMENTWISE, *REDUCTIONS])
def test_errors_are_within_their_limits(name, kind):
    _, errors = measured((name, kind, part_of(name)))
    assert not list(over(name, kind, errors))


def test_every_elementwise_op_is_measured_or_says_why_not():
    single = np.dtype(np.float32)
    ops = {name for name, op in REGISTRY.items() if op.broadcasts and single in op.dtypes}
    measured_ops = {name.split(" ")[0] for name in ELEMENTWISE}
    assert ops - measured_ops - set(NOT_MEASURED) == set(), (
        "an elementwise op needs a Reference in tests/accuracy/elementwise.py (its value and slopes in mpmath), or a reason in "
        "NOT_MEASURED of tests/accuracy/table.py"
    )
    assert not measured_ops & set(NOT_MEASURED)


def test_every_derivative_is_measured():
    for name, reference in ELEMENTWISE.items():
        op = REGISTRY[name.split(" ")[0]]
        missing = set(op.vjps) - set(reference.slopes)
        assert missing <= SECOND_DERIVATIVES.get(op.name, set()), name


# Slopes that are ops themselves: their derivatives by what they are the slope of are second derivatives, which nobody measures.
SECOND_DERIVATIVES = {
    "gelu_grad": {"features"},
    "silu_grad": {"features"},
    "igammac": {"a"},  # that of igamma, with the other sign
    "gamma_density": {"a", "x"},
    "igamma_in_a": {"a", "x"},
    "beta_density": {"a", "b", "x"},
}


def test_an_exception_is_needed_and_known():
    for (name, _), row in EXCEPTIONS.items():
        assert name in ELEMENTWISE or name in REDUCTIONS
        assert max(row.float32, row.float64) > LIMIT
        assert row.reason


def test_the_page_has_every_op():
    text = page.PAGE.read_text()
    for name in (*ELEMENTWISE, *REDUCTIONS):
        assert f"| {name} |" in text


def units_of(found, true, dtype=np.float32):
    given = Truth(np.array([true]), np.zeros(1), np.zeros(1, bool), np.ones(1, bool))
    return in_units(np.array([found], dtype), given, dtype)[0]


@pytest.mark.parametrize(
    ("found", "true", "units"),
    [
        (1.0, 1.0, 0.0),
        (1.0 + 2**-23, 1.0, 1.0),
        (1.0, 1.0 + 2**-24, 0.5),
        (math.inf, math.inf, 0.0),
        (math.nan, math.nan, 0.0),
        (math.nan, 1.0, math.inf),
        (1.0, math.nan, math.inf),
        (math.inf, -math.inf, 2.0**25),
        (math.inf, float(np.finfo(np.float32).max), 1.0),
        (math.inf, 1e300, 0.0),
        (0.0, 2.0**-149, 1.0),
        (0.0, 2.0**-126, 2.0**23),
    ],
)
def test_how_units_are_counted(found, true, units):
    assert units_of(found, true) == units
