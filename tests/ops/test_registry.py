"""Every op of the registry, on its samples and bad inputs, in every way that checks.py knows."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import gradtape as tf
from gradtape.base.context import ACTIVE, STATE
from gradtape.op.declaration import Op

from . import checks, count

OPS = checks.all_ops()
DIFFERENTIABLE = [op for op in OPS if op.vjps]


def named(op: Op) -> str:
    return op.name


def real_cases(op: Op) -> list[checks.Directional]:
    return [checks.Directional(op, s) for s in checks.samples(op, np.float64) if s.differentiable]


@pytest.mark.quick
@pytest.mark.parametrize("op", OPS, ids=named)
def test_is_declared_completely(op: Op) -> None:
    assert op.__doc__, "an op says what it computes"
    assert bool(op.vjps) != (op.no_derivative is not None), "an op has derivatives, or says why not"
    for argument in op.vjps:
        assert argument in op.jvps or argument in op.linear_in, f"no forward rule for {argument}"
    assert op.batching is not None or op.no_derivative is not None, "no batching rule"
    if op.vjps:
        assert len(list(checks.samples(op, np.float64))) >= 12, "at least 12 samples"


@pytest.mark.quick
@pytest.mark.parametrize("op", OPS, ids=named)
def test_value_of_samples(op: Op) -> None:
    for sample in checks.samples(op, checks.numeric_kind(op)):
        checks.check_value(op, sample)
        checks.check_strides(op, sample)


@pytest.mark.quick
@pytest.mark.parametrize("op", DIFFERENTIABLE, ids=named)
def test_first_derivatives(op: Op) -> None:
    for case in real_cases(op):
        checks.check_reverse(case)
        checks.check_forward(case)


@pytest.mark.parametrize("op", DIFFERENTIABLE, ids=named)
def test_second_derivatives(op: Op) -> None:
    for case in real_cases(op):
        checks.check_second(case)


@pytest.mark.parametrize("op", [op for op in DIFFERENTIABLE if np.dtype(np.complex128) in op.dtypes], ids=named)
def test_complex_derivatives(op: Op) -> None:
    for sample in checks.samples(op, np.complex128):
        if not sample.differentiable:
            continue
        case = checks.Directional(op, sample)
        checks.check_reverse(case)
        checks.check_forward(case)
        checks.check_second(case)


@pytest.mark.parametrize("op", [op for op in OPS if op.batching is not None], ids=named)
def test_batched_is_looped(op: Op) -> None:
    for sample in checks.samples(op, checks.numeric_kind(op)):
        checks.check_batched(op, sample)


@pytest.mark.parametrize("op", DIFFERENTIABLE, ids=named)
def test_jacobian_is_gradient(op: Op) -> None:
    for case in real_cases(op):
        checks.check_jacobian(case)


@pytest.mark.parametrize(("dtype", "rtol"), [(np.float32, 2e-5), (np.float16, 2e-2), (ml_dtypes.bfloat16, 1.2e-1)])
@pytest.mark.parametrize("op", DIFFERENTIABLE, ids=named)
def test_narrow_types(op: Op, dtype: Any, rtol: float) -> None:
    if np.dtype(dtype) not in op.dtypes:
        pytest.skip(f"{op.name} is not defined for this type")
    for wide, sample in zip(checks.samples(op, np.float64), checks.samples(op, dtype), strict=True):
        checks.check_dtype(op, wide, sample, rtol)
        case = checks.Directional(op, sample)
        for source, gradient in zip(case.positions, case.vjp(case.values), strict=True):
            assert gradient.dtype == case.values[source].dtype
            assert gradient.shape == case.values[source].shape


BINARY = [
    op for op in OPS if op.broadcasts and len(op.arguments) == 2 and not op.other and np.dtype(np.float32) in op.dtypes
]


@pytest.mark.parametrize("op", BINARY, ids=named)
def test_python_numbers_are_like_tensors(op: Op) -> None:
    checks.check_numbers(op)


@pytest.mark.parametrize("op", OPS, ids=named)
def test_bad_inputs_raise_and_leave_nothing(op: Op) -> None:
    assert len(list(checks.bad_inputs(op))) >= 10
    assert sum(1 for declared in op.bad_inputs for _ in declared()) >= 4, "against the op's own meaning"
    for bad in checks.bad_inputs(op):
        before = len(ACTIVE), len(STATE.tapes)
        with pytest.raises(bad.error), tf.GradientTape():
            checks.call_bad(op, bad)
        assert (len(ACTIVE), len(STATE.tapes)) == before, bad


def test_there_are_fifty_thousand_different_checks() -> None:
    assert count.distinct_checks(OPS).total() >= 50_000
