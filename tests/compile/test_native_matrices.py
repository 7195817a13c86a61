"""Factorisations in native functions: LAPACK as eager code calls it, with its bits, and its ways where it fails."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.compile.codegen import python_of
from gradtape.compile.executor import lowered
from gradtape.compile.passes import optimized
from gradtape.compile.program import Program
from gradtape.native import abi, engine

if not (engine.available() and abi.calls_matrix_functions() and abi.makes_functions()):
    pytest.skip("there is no machine code", allow_module_level=True)

from gradtape.compile.whole.recording import Recording
from gradtape.compile.whole.stand_in import Steps


def program_of(function: Any, x: Any) -> Program:
    graph = tf.function(function).get_concrete_function(x).graph
    evaluator, _, _ = lowered(graph, [x._array.shape], [x._array.dtype])
    return optimized(evaluator.program)


FACTORED = {
    "qr": lambda x: tf.linalg.qr(x),
    "qr, complete": lambda x: tf.linalg.qr(x, full_matrices=True),
    "svd": lambda x: tf.linalg.svd(x),
    "svd, complete": lambda x: tf.linalg.svd(x, full_matrices=True),
    "singular values": lambda x: tf.linalg.svd(x, compute_uv=False),
    "of a transposed matrix": lambda x: tf.linalg.qr(tf.linalg.matrix_transpose(x * 2.0)),
    "of a part": lambda x: tf.linalg.qr((x * 2.0)[..., ::-1, 1:]),
}


@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (3, 5), (2, 4, 3), (1, 2)], ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("function", FACTORED.values(), ids=FACTORED)
def test_factorisations_are_native_and_have_the_bits_of_eager_code(function, dtype, shape):
    x = tf.constant(np.random.default_rng(0).standard_normal(shape).astype(dtype))
    program = program_of(function, x)
    recording = Recording(program, Steps())
    assert all(map(recording.add, program.nodes))
    before = x.numpy().copy()
    for found, expected in zip(python_of(program, whole=True)(x._array), tf.nest.flatten(function(x)), strict=True):
        np.testing.assert_array_equal(found, expected, strict=True)
    np.testing.assert_array_equal(x, before)  # (LAPACK overwrites what it is given: a copy)


def test_gradients_through_factorisations_have_the_bits_of_eager_code():
    def run(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            q, r = tf.linalg.qr(x)
            s, u, v = tf.linalg.svd(tf.transpose(x) @ x)
            loss = tf.reduce_sum(tf.sin(q)) + tf.reduce_sum(r * r) + tf.reduce_sum(s) + tf.reduce_sum(u * tf.cos(v))
        return tape.gradient(loss, x)

    x = tf.constant(np.random.default_rng(1).standard_normal((5, 3)))
    compiled = tf.function(run)
    for _ in range(20):
        np.testing.assert_array_equal(compiled(x), run(x))
    assert compiled._direct is not None  # (it is one native function by now)


def test_matrices_with_nan_go_the_way_of_eager_code():
    compiled = tf.function(lambda x: tf.linalg.svd(x))
    x = tf.constant(np.random.default_rng(0).standard_normal((2, 3, 2)))
    spoiled = tf.tensor_scatter_nd_update(x, [[0, 1, 1]], [np.nan])
    for _ in range(20):
        compiled(x)
    for found, expected in zip(compiled(spoiled), tf.linalg.svd(spoiled), strict=True):
        np.testing.assert_array_equal(found, expected)
