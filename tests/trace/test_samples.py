"""Eager equals function, for every op on every one of its samples: values, types, gradients, with and without sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.ops import checks

import gradtape as tf
from gradtape import nest
from gradtape.op.declaration import Op

OPS = checks.all_ops()


def named(op: Op) -> str:
    return op.name


def value_and_gradient(op: Op, attributes: dict[str, Any], positions: list[int]) -> Any:
    """A function that returns what an op gives, and the gradient of the sum of that."""

    def run(*values: Any) -> Any:
        sources = [values[p] for p in positions]
        with tf.GradientTape() as tape:
            tape.watch(sources)
            results = checks.outputs(checks.call(op, list(values), attributes))
        targets = [result for result in results if result.dtype.is_differentiable]
        gradients = tape.gradient(targets, sources) if targets and sources and op.vjps else []
        return results, gradients

    return run


def only_value(op: Op, attributes: dict[str, Any]) -> Any:
    return lambda *values: checks.outputs(checks.call(op, list(values), attributes))


def same(given: Any, expected: Any) -> None:
    for a, b in zip(nest.flatten(given), nest.flatten(expected), strict=True):
        if b is None:
            assert a is None
            continue
        a, b = tf.convert_to_tensor(a), tf.convert_to_tensor(b)
        assert a.dtype == b.dtype
        assert a.shape == b.shape
        if b.dtype == tf.string:
            assert np.array_equal(a.numpy(), b.numpy())
        else:
            np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-9, atol=1e-9)


def cases(op: Op) -> list[Any]:
    return list(checks.samples(op, checks.numeric_kind(op)))


@pytest.mark.parametrize("op", OPS, ids=named)
def test_function_is_eager(op: Op) -> None:
    for sample in cases(op):
        values = [np.asarray(v) for v in checks.operands(op, sample)]
        tensors = [tf.constant(v) for v in values]
        positions = checks.differentiable_positions(op, values) if op.vjps else []
        eager = value_and_gradient(op, sample.attributes, positions)
        traced = tf.function(eager, autograph=False)
        expected = eager(*tensors)
        same(traced(*tensors), expected)
        around = tf.function(only_value(op, sample.attributes), autograph=False)
        sources = [tensors[p] for p in positions]
        with tf.GradientTape() as tape:
            tape.watch(sources)
            results = around(*tensors)
        same(results, expected[0])
        targets = [result for result in results if result.dtype.is_differentiable]
        if targets and sources and op.vjps:
            same(tape.gradient(targets, sources), expected[1])
