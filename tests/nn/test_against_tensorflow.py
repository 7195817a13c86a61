"""Every function of `tf.nn` that is made of several ops, on numbers that TensorFlow 2.21 was run on.

The operands are sines (`wave`), so that a test file can write down what they give.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
import pytest

import gradtape as tf

from .tensorflow_values import OBSERVED

nn = tf.nn


def wave(*shape: int, k: float = 1.0) -> tf.Tensor:
    return tf.constant(np.sin(k * np.arange(prod(shape))).reshape(shape).astype(np.float32))


def const(values: Any, shape: Any = None) -> tf.Tensor:
    return tf.constant(values, tf.float32, shape)


ONES = [1, 1, 1, 1]
SAMPLED = (tf.constant([1, 3, 0], tf.int64), const([[0.5], [0.25]]), const([0.4, 0.3, 0.2]))
SAMPLED_TWO = (SAMPLED[0], const([[0.5, 0.1], [0.25, 0.2]]), SAMPLED[2])
LABELS = tf.constant([[1], [2]], tf.int64)
EMBEDDING = [wave(5, 2), wave(5, k=0.4), wave(2, 2, k=0.6)]
EXPLICIT = [[0, 0], [1, 0], [0, 2], [0, 0]]
TIES = const([1, 2, 2, 2, 1, 2, 0, 2, 2], (1, 3, 3, 1))
WEIGHTS = const([[1], [2], [0.5]])

CASES: dict[str, tuple[Callable[..., Any], list[tf.Tensor]]] = {
    "conv2d same s2": (
        lambda x, w: nn.conv2d(x, w, [1, 2, 1, 1], "SAME"),
        [wave(1, 4, 3, 2), wave(2, 3, 2, 1, k=0.3)],
    ),
    "conv2d dil": (
        lambda x, w: nn.conv2d(x, w, 1, EXPLICIT, dilations=[2, 1]),
        [wave(1, 4, 3, 1), wave(2, 2, 1, 2, k=0.3)],
    ),
    "conv1d": (lambda x, w: nn.conv1d(x, w, 2, "SAME"), [wave(1, 5, 2), wave(3, 2, 2, k=0.3)]),
    "conv3d": (
        lambda x, w: nn.conv3d(x, w, [1, 1, 2, 1, 1], "VALID"),
        [wave(1, 2, 3, 2, 1), wave(2, 2, 1, 1, 2, k=0.3)],
    ),
    "conv2d_t": (
        lambda x, w: nn.conv2d_transpose(x, w, [1, 4, 3, 1], [1, 2], "SAME"),
        [wave(1, 4, 2, 2), wave(2, 2, 1, 2, k=0.3)],
    ),
    "conv1d_t": (
        lambda x, w: nn.conv1d_transpose(x, w, [1, 6, 1], 2, "VALID"),
        [wave(1, 3, 2), wave(2, 1, 2, k=0.3)],
    ),
    "depthwise": (
        lambda x, w: nn.depthwise_conv2d(x, w, [1, 2, 2, 1], "SAME"),
        [wave(1, 3, 3, 2), wave(2, 2, 2, 2, k=0.3)],
    ),
    "separable": (
        lambda x, w, p: nn.separable_conv2d(x, w, p, ONES, "VALID"),
        [wave(1, 3, 3, 2), wave(2, 2, 2, 1, k=0.3), wave(1, 1, 2, 2, k=0.9)],
    ),
    "atrous": (lambda x, w: nn.atrous_conv2d(x, w, 2, "SAME"), [wave(1, 4, 3, 1), wave(2, 2, 1, 1, k=0.3)]),
    "atrous_t": (
        lambda x, w: nn.atrous_conv2d_transpose(x, w, [1, 4, 3, 1], 2, "SAME"),
        [wave(1, 4, 3, 1), wave(2, 2, 1, 1, k=0.3)],
    ),
    "dilation": (
        lambda x, w: nn.dilation2d(x, w, [1, 1, 2, 1], "SAME", "NHWC", [1, 2, 1, 1]),
        [wave(1, 3, 4, 2), wave(2, 2, 2, k=0.3)],
    ),
    "erosion": (
        lambda x, w: nn.erosion2d(x, w, ONES, "SAME", "NHWC", ONES),
        [wave(1, 3, 2, 1), wave(2, 2, 1, k=0.3)],
    ),
    "max same": (lambda x: nn.max_pool2d(x, 3, 2, "SAME"), [wave(1, 4, 5, 1)]),
    "max ties": (lambda x: nn.max_pool2d(x, 2, 1, "VALID"), [TIES]),
    "max depth": (lambda x: nn.max_pool2d(x, [1, 1, 1, 2], [1, 1, 1, 2], "VALID"), [wave(1, 1, 2, 4)]),
    "avg same": (lambda x: nn.avg_pool2d(x, 3, 2, "SAME"), [wave(1, 4, 5, 1)]),
    "max3d": (lambda x: nn.max_pool3d(x, 2, 1, "SAME"), [wave(1, 2, 2, 2, 1)]),
    "avg1d": (lambda x: nn.avg_pool1d(x, 3, 2, "SAME"), [wave(1, 4, 2)]),
    "pool dil": (lambda x: nn.pool(x, [2, 2], "AVG", dilations=[2, 1]), [wave(1, 4, 3, 1)]),
    "pool dil max": (lambda x: nn.pool(x, [2, 2], "MAX", dilations=[2, 1]), [wave(1, 4, 3, 1)]),
    "lrn": (lambda x: nn.lrn(x, 1, 1.5, 0.7, 0.6), [wave(1, 1, 2, 4)]),
    "silu": (nn.silu, [wave(4), const(1.5)]),
    "gelu": (nn.gelu, [wave(4)]),
    "gelu tanh": (lambda x: nn.gelu(x, True), [wave(4)]),
    "crelu": (nn.crelu, [wave(2, 2)]),
    "bn": (
        lambda x, m, v, o, s: nn.batch_normalization(x, m, v, o, s, 0.01),
        [wave(2, 2), wave(2, k=0.5), const([1.5, 0.5]), wave(2, k=0.2), wave(2, k=2)],
    ),
    "wmom mean": (lambda x, w: nn.weighted_moments(x, [0], w)[0], [wave(3, 2), WEIGHTS]),
    "wmom var": (lambda x, w: nn.weighted_moments(x, [0], w)[1], [wave(3, 2), WEIGHTS]),
    "poisson": (lambda t, x: nn.log_poisson_loss(t, x, True), [const([0.5, 2, 3]), wave(3)]),
    "wce": (
        lambda z, x: nn.weighted_cross_entropy_with_logits(z, x, 2.5),
        [const([0.5, 1, 0]), wave(3)],
    ),
    "nce": (lambda w, b, x: nn.nce_loss(w, b, LABELS, x, 3, 5, sampled_values=SAMPLED), EMBEDDING),
    "nce hits": (
        lambda w, b, x: nn.nce_loss(w, b, LABELS, x, 3, 5, sampled_values=SAMPLED, remove_accidental_hits=True),
        EMBEDDING,
    ),
    "sampled": (
        lambda w, b, x: nn.sampled_softmax_loss(w, b, LABELS, x, 3, 5, sampled_values=SAMPLED),
        EMBEDDING,
    ),
    "sampled2": (
        lambda w, b, x: nn.sampled_softmax_loss(w, b, [[1, 2], [2, 4]], x, 3, 5, 2, sampled_values=SAMPLED_TWO),
        EMBEDDING,
    ),
    "embed": (lambda p: nn.embedding_lookup(p, [[0, 2], [1, 1]], max_norm=0.8), [wave(3, 2)]),
}


def test_every_observation_is_tested() -> None:
    assert set(CASES) == set(OBSERVED)


@pytest.mark.parametrize("name", CASES)
def test_value_and_gradients(name: str) -> None:
    function, operands = CASES[name]
    with tf.GradientTape() as tape:
        tape.watch(operands)
        value = function(*operands)
        target = tf.reduce_sum(value * wave(*value.shape, k=0.7))
    expected, *gradients = OBSERVED[name]
    np.testing.assert_allclose(value.numpy().ravel(), expected, rtol=2e-5, atol=4e-6)
    assert value.dtype == tf.float32
    for found, wanted in zip(tape.gradient(target, operands), gradients, strict=True):
        if wanted is not None:
            np.testing.assert_allclose(tf.convert_to_tensor(found).numpy().ravel(), wanted, rtol=3e-5, atol=4e-6)


@pytest.mark.parametrize(
    "name", [n for n in CASES if n not in ("max ties", "crelu", "nce", "nce hits", "sampled", "sampled2")]
)
def test_gradients_are_finite_differences(name: str) -> None:
    function, operands = CASES[name]
    for position in range(len(operands)):

        def of_one(x: Any, position: int = position) -> Any:
            given = [tf.cast(v, tf.float64) for v in operands]
            given[position] = x
            return function(*given)

        if name.startswith("nce"):  # its samples are float32
            continue
        exact, numeric = tf.test.compute_gradient(of_one, [tf.cast(operands[position], tf.float64)], delta=1e-5)
        np.testing.assert_allclose(exact[0], numeric[0], rtol=1e-6, atol=1e-7)
