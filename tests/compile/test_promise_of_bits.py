"""Where compiled functions have the bits of eager code, and how far they are from it elsewhere (docs/design/compiler.md)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.compile.codegen import python_of
from gradtape.compile.executor import lowered
from gradtape.compile.fusion import can_be_whole, grouped
from gradtape.compile.passes import optimized
from gradtape.compile.program import Program
from gradtape.compile.row_groups import RowGroup
from gradtape.native import abi, engine, thresholds

pytestmark = pytest.mark.skipif(
    not (engine.available() and abi.calls_inner_loops() and abi.makes_functions()), reason="there is no machine code"
)

RNG = np.random.default_rng(0)


def program_of(function: Callable[..., Any], value: tf.Tensor) -> Program:
    concrete = tf.function(function).get_concrete_function(value)
    evaluator, _, _ = lowered(concrete.graph, [value._array.shape], [value._array.dtype])
    return optimized(evaluator.program)


def chain(x: tf.Tensor) -> tf.Tensor:
    return tf.tanh(x) * tf.exp(-x * x) + x / (1.0 + x * x)


def test_the_promise_ends_at_the_size_that_the_page_names():
    """Up to there Python lines have no row groups, which have bits of their own."""
    assert thresholds.WHOLE_ELEMENTS == 16_384
    below, at = (tf.constant(RNG.normal(size=size).astype(np.float32)) for size in (16_383, 16_384))
    assert can_be_whole(program_of(chain, below))
    assert not can_be_whole(program_of(chain, at))
    assert not any(isinstance(item, RowGroup) for item in grouped(program_of(chain, below)))
    assert any(isinstance(item, RowGroup) for item in grouped(program_of(chain, at), python_of))


@pytest.mark.parametrize("size", [16_383, 16_384])
def test_a_chain_on_either_side_of_that_size(size):
    x = tf.constant(RNG.normal(size=size).astype(np.float32))
    eager, compiled = chain(x).numpy(), tf.function(chain)
    results = [compiled(x).numpy().tobytes() for _ in range(20)]
    assert len(set(results)) == 1, "results do not depend on what ran before"
    if size < thresholds.WHOLE_ELEMENTS:
        assert results[0] == eager.tobytes()
    np.testing.assert_allclose(np.frombuffer(results[0], np.float32), eager, rtol=0, atol=4e-7)


def gradient(function: Callable[[tf.Tensor], tf.Tensor]) -> Callable[[tf.Tensor], Any]:
    def run(x: tf.Tensor) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            result = function(x)
        return tape.gradient(result, x)

    return run


def rounds(x: tf.Tensor) -> tf.Tensor:
    y = x
    for _ in tf.range(7):
        y = y * x - y
    return y


def used_later(x: tf.Tensor) -> tf.Tensor:
    y = tf.ones_like(x)
    for _ in tf.range(7):
        y = y * x
    return y * x + x


def tiles(x: tf.Tensor) -> tf.Tensor:
    x = tf.reshape(x, [3, 5])
    return tf.tile(x, [2, 2]) * tf.repeat(tf.repeat(x, 2, 0), 2, 1)


@pytest.mark.parametrize("function", [rounds, used_later, tiles])
def test_sums_in_another_order_are_close(function):
    """The terms of a sum are the same: it differs by some roundings of its largest term."""
    x = tf.constant(RNG.normal(size=15).astype(np.float32))
    eager, compiled = gradient(function)(x).numpy(), tf.function(gradient(function))
    results = [compiled(x).numpy() for _ in range(20)]
    assert len({result.tobytes() for result in results}) == 1
    bound = 16 * np.finfo(np.float32).eps * max(1.0, float(np.abs(eager).max()))
    np.testing.assert_allclose(results[0], eager, rtol=0, atol=bound)


def test_a_loop_has_the_bits_of_eager_code_for_what_only_it_uses():
    def powers(x: tf.Tensor) -> tf.Tensor:
        y = tf.ones_like(x)
        for _ in tf.range(7):
            y = y * x
        return y

    x = tf.constant(RNG.normal(size=15).astype(np.float32))
    compiled = tf.function(gradient(powers))
    for _ in range(20):
        assert compiled(x).numpy().tobytes() == gradient(powers)(x).numpy().tobytes()
