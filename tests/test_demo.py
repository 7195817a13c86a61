"""The demo does what it says: it learns, and its derivatives are right."""

import re

import numpy as np
import pytest

import gradtape as tf
from gradtape.cli import demo
from gradtape.datasets import digits


@pytest.fixture(scope="module")
def test_set() -> demo.Examples:
    _, (images, labels) = digits.load_data()
    return demo.Examples.of(images, labels)


@pytest.fixture(scope="module")
def model() -> demo.Classifier:
    tf.random.set_seed(0)
    return demo.Classifier(hidden=12)


def test_the_demo_exceeds_95_percent_and_prints_what_it_did(capsys):
    result = demo.run(demo.Settings())
    assert result.accuracy > 0.95
    shown = capsys.readouterr()
    assert f"accuracy   {100 * result.accuracy:.1f} % of the test images" in shown.out
    assert f"loss       {result.loss:.4f}" in shown.out
    assert re.search(r"time       \d+\.\d seconds", shown.out)
    for heading in ("gradient   of", "Hessian    of", "Jacobian   of"):
        assert heading in shown.out
    assert shown.err.splitlines()[-1].startswith("100 % epoch 30/30")


def test_quiet_shows_no_progress(capsys):
    demo.run(demo.Settings(epochs=1, quiet=True))
    assert capsys.readouterr().err == ""


def test_a_seed_repeats_the_run():
    settings = demo.Settings(epochs=1, seed=3, quiet=True)
    first, second = demo.run(settings), demo.run(settings)
    assert (first.loss, first.accuracy) == (second.loss, second.accuracy)
    assert demo.run(demo.Settings(epochs=1, seed=4, quiet=True)).loss != first.loss


def test_batches_may_be_larger_than_the_data():
    assert demo.run(demo.Settings(epochs=1, batch_size=10_000, quiet=True)).loss > 0


def test_the_gradient_shown_is_the_slope_of_the_score(model, test_set):
    image = tf.constant(test_set.images[0])
    gradient = demo.score_gradient(model, image, digit=3).numpy()
    direction = np.random.default_rng(0).normal(size=64).astype(np.float32)

    def score(step):
        moved = tf.constant((test_set.images[0] + step * direction).reshape(1, 64))
        return float(model(moved)[0, 3])

    assert (score(1e-3) - score(-1e-3)) / 2e-3 == pytest.approx(float(gradient @ direction), rel=1e-2)


def test_each_row_of_the_jacobian_shown_is_the_gradient_of_one_score(model, test_set):
    image = tf.constant(test_set.images[0])
    jacobian = demo.score_jacobian(model, image).numpy()
    assert jacobian.shape == (10, 64)
    for digit in range(10):
        np.testing.assert_allclose(
            jacobian[digit], demo.score_gradient(model, image, digit).numpy(), rtol=1e-5, atol=1e-6
        )


def test_the_hessian_shown_is_that_of_the_softmax(model, test_set):
    images, labels = tf.constant(test_set.images), tf.constant(test_set.labels)
    hessian = demo.bias_hessian(model, images, labels).numpy()
    scores = model(images).numpy().astype(np.float64)
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    # The second derivative of cross entropy by the logits is diag(p) - p p'; by the biases, its mean.
    expected = np.diag(p.mean(axis=0)) - p.T @ p / len(p)
    np.testing.assert_allclose(hessian, expected, atol=1e-6)


def test_pictures_run_from_the_first_shade_to_the_last():
    lines = demo.picture(np.linspace(-1, 1, 64, dtype=np.float32), -1, 1, "=- +#")
    assert len(lines) == 8
    assert {len(line) for line in lines} == {16}
    assert lines[0].startswith("==")
    assert lines[-1].endswith("##")
