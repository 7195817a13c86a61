"""Every op's shape rule is its kernel: on every sample, with sizes known, unknown, and of unknown rank."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from gradtape.extend import checks
from gradtape.op.declaration import Op

from . import shape_checks
from .registry import all_ops

OPS = all_ops()

# Ops for which a symbol leaves more open than a size: it may be 1, or say how many results or axes there are. (Where a size is 0,
# reshape works out -1 from the others, and must know which these are.)
RANK_BY_SIZE = {"squeeze", "unpack", "take_nd", "reshape"}


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_shape_rule_is_the_kernel(op: Op) -> None:
    assert op.shape_rule is not None, "an op says how its shapes follow"
    vague, rng = False, np.random.default_rng(len(op.name))
    for sample in checks.samples(op, checks.numeric_kind(op)):
        given = shape_checks.arrays(op, sample)
        expected = shape_checks.looks(op, given, sample.attributes)
        shape_checks.check_all_known(op, given, sample.attributes, expected)
        vague |= shape_checks.check_symbols(op, given, sample.attributes, expected)
        with warnings.catch_warnings(action="ignore"):
            shape_checks.check_other_sizes(op, given, sample.attributes, rng)
        shape_checks.check_unknown(op, given, sample.attributes, expected)
        shape_checks.check_attributes(op, given, sample.attributes, expected)
    assert not vague or op.name in shape_checks.SIZED_BY_VALUES | RANK_BY_SIZE, "an expression was possible"


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_types_of_results_are_the_kernels(op: Op) -> None:
    kinds = [dtype for dtype in sorted(op.dtypes, key=str) if dtype.kind != "O"]
    found = [shape_checks.check_types(op, dtype) for dtype in kinds]
    assert any(found) or not kinds


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_bad_inputs_are_refused_alike_or_left_to_the_kernel(op: Op) -> None:
    for bad in checks.bad_inputs(op):
        shape_checks.check_bad_input(op, bad)
