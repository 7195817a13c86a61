"""While a function is traced no kernel runs on arrays of full size, and sizes that depend on values are None."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.op.declaration import REGISTRY


def test_no_kernel_runs_to_learn_a_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: Any, **attributes: Any) -> Any:
        raise AssertionError("a kernel ran while tracing")

    @tf.function
    def f(x: Any, image: Any) -> Any:
        y = tf.nn.softmax(tf.tanh(tf.matmul(x, x)))
        s, _, _ = tf.linalg.svd(tf.linalg.cholesky(y))
        return tf.reduce_sum(s), tf.nn.conv2d(image, tf.ones([3, 3, 3, 8]), 2, "SAME")

    f.python_function(
        tf.eye(30), tf.ones([2, 9, 9, 3])
    )  # (the entries of ops are generated with the kernels, at their first use)
    for name in ("matmul", "conv", "cholesky", "svd", "reduce_sum", "softmax", "tanh"):
        monkeypatch.setattr(REGISTRY[name], "eager", refuse)
    concrete = f.get_concrete_function(tf.TensorSpec([30, 30]), tf.TensorSpec([2, 9, 9, 3]))
    assert [spec.shape.as_list() for spec in concrete.outputs] == [[], [2, 5, 5, 8]]


def test_memory_while_tracing_does_not_depend_on_sizes() -> None:
    @tf.function
    def f(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.tanh(x @ x) * tf.sort(x, axis=-1))
        return tape.gradient(y, x)

    f.get_concrete_function(tf.TensorSpec([3, 3]))
    tracemalloc.start()
    try:
        concrete = f.get_concrete_function(tf.TensorSpec([20_000, 20_000]))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert concrete.outputs[0].shape == [20_000, 20_000]
    assert peak < 1 << 20


def test_results_as_long_as_the_values_say_have_unknown_sizes() -> None:
    shapes = {}

    @tf.function
    def f(x: Any, y: Any, boxes: Any, scores: Any) -> Any:
        left = tf.raw_ops.ListDiff(x=x, y=y)
        chosen = tf.image.non_max_suppression(boxes, scores, 3)
        shapes.update(left=left[0].shape.as_list(), chosen=chosen.shape.as_list())
        return left[0] * 2, chosen

    boxes = np.array([[0, 0, 1, 1], [0, 0, 1, 1.1], [2, 2, 3, 3]], np.float32)
    for y, expected in (([2], [2, 6]), ([9], [2, 4, 6])):
        doubled, chosen = f(np.array([1, 2, 3]), np.array(y), boxes, np.array([0.9, 0.8, 0.7], np.float32))
        np.testing.assert_array_equal(doubled, expected)
        np.testing.assert_array_equal(chosen, [0, 2])
    assert shapes == {"left": [None], "chosen": [None]}


def test_values_that_a_kernel_refuses_are_no_matter_while_tracing() -> None:
    @tf.function
    def f(x: Any, ids: Any) -> Any:
        return tf.math.unsorted_segment_sum(x, ids, 2), tf.gather(x, ids), tf.linalg.inv(x[:, None] * x)

    for spec in ([3], [None]):
        f.get_concrete_function(tf.TensorSpec(spec), tf.TensorSpec(spec, tf.int32))
