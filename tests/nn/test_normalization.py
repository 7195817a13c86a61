"""Statistics that normalisation is made of."""

import numpy as np
import pytest

import gradtape as tf


@pytest.mark.parametrize("offset", [0.0, 10.0])
def test_statistics_over_the_first_axes_lose_no_more_than_sums_do(offset):
    x = np.random.default_rng(0).normal(offset, 1.0, (2, 112, 112, 16)).astype(np.float32)
    exact = x.astype(np.float64).var((0, 1, 2))
    for found in (
        tf.nn.moments(x, [0, 1, 2])[1],
        tf.math.reduce_variance(x, [0, 1, 2]),
        tf.math.reduce_std(x, [0, 1, 2]) ** 2,
    ):
        np.testing.assert_allclose(found, exact, rtol=2e-6)
