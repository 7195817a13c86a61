"""`tf.nn.ctc_loss` against its definition: the sum over every path that collapses to the labels."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import gradtape as tf

SINES = np.sin(np.arange(24.0)).reshape(4, 2, 3)


def collapsed(path: tuple[int, ...], blank: int) -> list[int]:
    return [c for i, c in enumerate(path) if c != blank and (i == 0 or path[i - 1] != c)]


def by_definition(labels: Any, logits: Any, label_length: Any, logit_length: Any, blank: int = 0) -> Any:
    steps, batch, classes = logits.shape
    losses = []
    for b in range(batch):
        length = min(logit_length[b], steps)
        probability = np.exp(logits[:, b])
        probability /= probability.sum(-1, keepdims=True)
        total = sum(
            np.prod([probability[t, c] for t, c in enumerate(path)])
            for path in product(range(classes), repeat=length)
            if collapsed(path, blank % classes) == labels[b][: label_length[b]]
        )
        with np.errstate(divide="ignore"):
            losses.append(-np.log(total))
    return losses


CASES: list[tuple[Any, Any, Any, int]] = [
    ([[1, 2], [2, 0]], [2, 1], [4, 3], 0),
    ([[0, 1], [1, 0]], [2, 1], [4, 4], -1),
    ([[0, 2], [0, 0]], [2, 2], [4, 4], 1),
    ([[1, 1], [2, 2]], [2, 1], [3, 4], 0),
    ([[1, 1], [2, 0]], [2, 0], [2, 4], 0),
    ([[1, 2], [2, 0]], [2, 0], [0, 0], 0),
    ([[1, 2], [2, 0]], [2, 1], [9, 1], 0),
]


@pytest.mark.parametrize(("labels", "label_length", "logit_length", "blank"), CASES)
def test_loss_is_the_sum_over_paths(labels: Any, label_length: Any, logit_length: Any, blank: int) -> None:
    expected = by_definition(labels, SINES, label_length, logit_length, blank)
    found = tf.nn.ctc_loss(labels, tf.constant(SINES), label_length, logit_length, blank_index=blank)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    batch_major = tf.constant(SINES.transpose(1, 0, 2))
    other = tf.nn.ctc_loss(labels, batch_major, label_length, logit_length, False, blank_index=blank)
    np.testing.assert_array_equal(other, found)


def test_numbers_of_tensorflow() -> None:
    x = tf.constant(SINES, tf.float32)
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.nn.ctc_loss([[1, 2], [2, 0]], x, [2, 1], [4, 3])
    np.testing.assert_allclose(loss, [1.3780017, 1.5869739], rtol=1e-6)
    gradient = tape.gradient(loss, x).numpy()
    np.testing.assert_allclose(gradient[0], [[-0.010035, -0.417822, 0.427857], [0.04118, 0.23411, -0.27529]], atol=2e-6)
    np.testing.assert_allclose(gradient[3], [[-0.014201, 0.281606, -0.267405], [0, 0, 0]], atol=2e-6)


@pytest.mark.parametrize(("labels", "label_length", "logit_length", "blank"), CASES[:4])
def test_both_derivatives(labels: Any, label_length: Any, logit_length: Any, blank: int) -> None:
    def loss(x: Any) -> Any:
        return tf.nn.ctc_loss(labels, x, label_length, logit_length, blank_index=blank)

    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = loss(x)
        return tape.gradient(y, x)

    for function in (loss, slope):
        exact, numeric = tf.test.compute_gradient(function, [tf.constant(SINES)], delta=1e-5)
        np.testing.assert_allclose(exact[0], numeric[0], rtol=1e-6, atol=1e-8)


def test_a_sequence_without_an_alignment_has_infinite_loss_and_no_gradient() -> None:
    x = tf.constant(SINES)
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.nn.ctc_loss([[1, 1], [2, 0]], x, [2, 1], [2, 4])
    assert loss.numpy()[0] == np.inf
    gradient = tape.gradient(loss, x).numpy()
    assert (gradient[:, 0] == 0).all()
    assert (gradient[:, 1] != 0).all()


def test_long_sequences_do_not_underflow() -> None:
    x = tf.constant(np.random.default_rng(0).standard_normal((400, 2, 30)), tf.float32)
    loss = tf.nn.ctc_loss(np.arange(1, 21).reshape(2, 10), x, [10, 10], [400, 400])
    assert (loss.numpy() > 800).all()
    assert np.isfinite(loss.numpy()).all()


@pytest.mark.parametrize(
    ("labels", "label_length", "logit_length", "blank"),
    [
        ([[1, 3], [2, 0]], [2, 1], [4, 4], 0),
        ([[1, 2], [2, 0]], [2, 3], [4, 4], 0),
        ([[1, 2], [2, 0]], [2, -1], [4, 4], 0),
        ([[1, 2]], [2], [4], 0),
        ([[1, 2], [2, 0]], [2, 1], [4, -4], 0),
        ([[1, 2], [2, 0]], [2, 1], [4, 4], 7),
    ],
)
def test_labels_and_lengths_must_fit(labels: Any, label_length: Any, logit_length: Any, blank: int) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.nn.ctc_loss(labels, tf.constant(SINES), label_length, logit_length, blank_index=blank)


def test_unique_labels_and_collapsed_repeats() -> None:
    values, places = tf.nn.ctc_unique_labels(tf.constant([[3, 4, 4, 3], [1, 2, 1, 0]]))
    assert values.numpy()[0].tolist() == [3, 4, 0, 0]
    assert places.numpy().tolist() == [[0, 1, 1, 0], [0, 1, 0, 2]]
    rows, lengths = tf.nn.collapse_repeated(tf.constant([[1, 1, 2, 2, 1], [3, 3, 3, 0, 0]]), [5, 3])
    assert rows.numpy().tolist() == [[1, 2, 1], [3, 0, 0]]
    assert lengths.numpy().tolist() == [3, 1]
