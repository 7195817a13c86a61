"""The op of the package, in every way in which gradtape tests its own ops; and what it is for."""

import numpy as np
import pytest
import smoothing

import gradtape as tf
from gradtape import extend


@pytest.mark.parametrize(
    "check", extend.checks_of(smoothing.smoothing_soft_clip), ids=str
)
def test_op(check):
    check()


def test_what_lies_beyond_the_limit_has_a_gradient():
    x = tf.constant([-3.0, 0.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = smoothing.soft_clip(x, limit=2.0)
    assert np.abs(y.numpy()).max() < 2.0
    assert tape.gradient(y, x).numpy().min() > 0.0
