"""Every op of the registry, on its samples and bad inputs, in every way that gradtape.extend checks an op."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradtape.extend import checks, suite
from gradtape.op.declaration import Op

from . import count
from .registry import all_ops

OPS = all_ops()
DIFFERENTIABLE = [op for op in OPS if op.vjps]


def named(op: Op) -> str:
    return op.name


@pytest.mark.parametrize("op", OPS, ids=named)
def test_is_declared_completely(op: Op) -> None:
    suite.declaration(op)


@pytest.mark.parametrize("op", OPS, ids=named)
def test_value_of_samples(op: Op) -> None:
    suite.values(op)


@pytest.mark.parametrize("op", DIFFERENTIABLE, ids=named)
def test_first_derivatives(op: Op) -> None:
    suite.first_derivatives(op)


@pytest.mark.parametrize("op", DIFFERENTIABLE, ids=named)
def test_second_derivatives(op: Op) -> None:
    suite.second_derivatives(op)


@pytest.mark.parametrize("op", [op for op in DIFFERENTIABLE if np.dtype(np.complex128) in op.dtypes], ids=named)
def test_complex_derivatives(op: Op) -> None:
    suite.complex_derivatives(op)


@pytest.mark.parametrize("op", [op for op in OPS if op.batching is not None], ids=named)
def test_batched_is_looped(op: Op) -> None:
    suite.batches(op)


@pytest.mark.parametrize("op", DIFFERENTIABLE, ids=named)
def test_jacobian_is_gradient(op: Op) -> None:
    suite.jacobians(op)


@pytest.mark.parametrize("dtype", suite.NARROW, ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("op", DIFFERENTIABLE, ids=named)
def test_narrow_types(op: Op, dtype: Any) -> None:
    if np.dtype(dtype) not in op.dtypes:
        pytest.skip(f"{op.name} is not defined for this type")
    suite.narrow_type(op, dtype)


BINARY = [
    op for op in OPS if op.broadcasts and len(op.arguments) == 2 and not op.other and np.dtype(np.float32) in op.dtypes
]


@pytest.mark.parametrize("op", BINARY, ids=named)
def test_python_numbers_are_like_tensors(op: Op) -> None:
    suite.python_numbers(op)


@pytest.mark.parametrize("op", OPS, ids=named)
def test_bad_inputs_raise_and_leave_nothing(op: Op) -> None:
    assert len(list(checks.bad_inputs(op))) >= 10
    suite.bad_inputs(op)


def test_there_are_fifty_thousand_different_checks() -> None:
    assert count.distinct_checks(OPS).total() >= 50_000
