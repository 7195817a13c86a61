"""tf.compat.v1.distributions: samples are TensorFlow 2.21's for the same seeds, probabilities and statistics those of SciPy."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

import gradtape as tf

d = tf.compat.v1.distributions


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.asarray(found), expected, rtol=2e-5, atol=2e-6)


CONTINUOUS = [
    (lambda: d.Normal(0.5, 2.0), stats.norm(0.5, 2.0)),
    (lambda: d.Laplace(0.5, 2.0), stats.laplace(0.5, 2.0)),
    (lambda: d.StudentT(5.0, 0.5, 2.0), stats.t(5.0, 0.5, 2.0)),
    (lambda: d.Uniform(-1.0, 3.0), stats.uniform(-1.0, 4.0)),
    (lambda: d.Gamma(3.0, 2.0), stats.gamma(3.0, scale=0.5)),
    (lambda: d.Exponential(2.0), stats.expon(scale=0.5)),
    (lambda: d.Beta(3.0, 2.0), stats.beta(3.0, 2.0)),
]


@pytest.mark.parametrize(
    ("make", "reference"), CONTINUOUS, ids=lambda value: getattr(value, "dist", None) and value.dist.name
)
def test_densities_and_statistics(make: Any, reference: Any) -> None:
    ours, x = make(), 0.4
    close(ours.log_prob(x), reference.logpdf(x))
    close(ours.prob(x), reference.pdf(x))
    close(ours.cdf(x), reference.cdf(x))
    close(ours.log_cdf(x), reference.logcdf(x))
    close(ours.survival_function(x), reference.sf(x))
    close(ours.log_survival_function(x), reference.logsf(x))
    close(ours.entropy(), reference.entropy())
    close([ours.mean(), ours.variance(), ours.stddev()], [reference.mean(), reference.var(), reference.std()])
    assert ours.reparameterization_type is d.FULLY_REPARAMETERIZED


def test_densities_of_vectors_and_classes() -> None:
    close(d.Dirichlet([0.5, 2.0, 3.0]).log_prob([0.2, 0.3, 0.5]), stats.dirichlet([0.5, 2, 3]).logpdf([0.2, 0.3, 0.5]))
    close(d.Dirichlet([0.5, 2.0, 3.0]).covariance(), stats.dirichlet([0.5, 2, 3]).cov())
    close(
        d.Multinomial(4.0, probs=[0.2, 0.3, 0.5]).log_prob([1.0, 1.0, 2.0]),
        stats.multinomial(4, [0.2, 0.3, 0.5]).logpmf([1, 1, 2]),
    )
    close(d.Multinomial(4.0, probs=[0.2, 0.3, 0.5]).covariance(), stats.multinomial(4, [0.2, 0.3, 0.5]).cov())
    mixed, reference = d.DirichletMultinomial(4.0, [0.2, 0.3, 0.5]), stats.dirichlet_multinomial([0.2, 0.3, 0.5], 4)
    close(mixed.log_prob([1.0, 1.0, 2.0]), reference.logpmf([1, 1, 2]))
    close(mixed.mean(), reference.mean())
    close(mixed.covariance(), reference.cov())
    close(d.Bernoulli(probs=0.2).log_prob([1, 0]), np.log([0.2, 0.8]))
    classes = d.Categorical(probs=[[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]])
    close(classes.prob([2, 0]), [0.5, 0.1])
    close(classes.cdf(2), [0.5, 0.2])
    assert classes.mode().numpy().tolist() == [2, 2]


def test_far_tails_of_the_normal_distribution_are_finite() -> None:
    close(d.Normal(0.0, 1.0).log_cdf([-30.0, -9.0, 9.0]), stats.norm.logcdf([-30.0, -9.0, 9.0]))
    x = tf.Variable([-30.0, 0.0, 30.0])
    with tf.GradientTape() as tape:
        y = d.Normal(0.0, 1.0).log_cdf(x)
    assert np.isfinite(tape.gradient(y, x).numpy()).all()


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (
            lambda: d.Normal([0.0, 1.0], [[1.0], [2.0]]),
            [[[0.944704, 0.033209], [1.610343, 3.606632]], [[0.214905, 0.265342], [1.765569, -0.549096]]],
        ),
        (lambda: d.Beta([0.5, 3.0], 2.0), [[0.069249, 0.668864], [0.572455, 0.750544]]),
        (lambda: d.StudentT([0.5, 5.0], 0.0, 2.0), [[3423.237549, -1.843928], [2.124461, 2.282333]]),
        (lambda: d.Laplace([0.0, 1.0], 2.0), [[-0.440855, 0.43442], [-0.960639, -2.472824]]),
        (lambda: d.Exponential([0.5, 3.0]), [[1.827149, 0.325312], [2.346934, 0.809853]]),
        (lambda: d.Bernoulli(probs=[0.2, 0.7]), [[0, 1], [0, 1]]),
        (lambda: d.Categorical(logits=[[1.0, 2.0, 3.0], [0.0, 0.0, 1.0]]), [[1, 2], [2, 0]]),
        (
            lambda: d.Multinomial([4.0, 2.0], logits=[[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]]),
            [[[2.0, 1.0, 1.0], [1.0, 1.0, 0.0]], [[0.0, 1.0, 3.0], [1.0, 1.0, 0.0]]],
        ),
        (lambda: d.DirichletMultinomial(4.0, [0.2, 0.3, 0.5]), [[1.0, 0.0, 3.0], [1.0, 2.0, 1.0]]),
    ],
)
def test_samples_are_those_of_tensorflow(make: Any, expected: Any) -> None:
    tf.random.set_seed(7)
    found = make().sample(2, seed=3)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-4, atol=1e-6)


def test_divergences_are_integrals() -> None:
    pairs = [
        (d.Normal(0.0, 1.0), d.Normal(1.0, 2.0)),
        (d.Gamma(2.0, 1.0), d.Gamma(3.0, 2.0)),
        (d.Beta(2.0, 3.0), d.Beta(3.0, 2.0)),
    ]
    x = np.linspace(-9, 15, 200_001)
    for a, b in pairs:
        inside = (
            x[(x > 1e-6) & (x < 1 - 1e-6)] if isinstance(a, d.Beta) else x[x > 1e-6] if isinstance(a, d.Gamma) else x
        )
        p, q = a.log_prob(tf.constant(inside, tf.float32)).numpy(), b.log_prob(tf.constant(inside, tf.float32)).numpy()
        expected = np.trapezoid(np.exp(p) * (p - q), inside)
        np.testing.assert_allclose(d.kl_divergence(a, b).numpy(), expected, rtol=1e-3)
        np.testing.assert_allclose(a.cross_entropy(b).numpy(), a.entropy().numpy() + expected, rtol=1e-3)
    zero = [d.Categorical([1.0, 2.0]), d.Bernoulli(0.3), d.Dirichlet([1.0, 2.0])]
    close([a.kl_divergence(a) for a in zero], [0, 0, 0])
    with pytest.raises(NotImplementedError, match="Uniform"):
        d.kl_divergence(d.Uniform(), d.Normal(0.0, 1.0))
    with pytest.raises(ValueError, match="already"):
        d.RegisterKL(d.Normal, d.Normal)(lambda a, b, name=None: 0.0)


def test_samples_are_differentiable_by_the_parameters() -> None:
    loc, scale = tf.Variable([0.0, 1.0]), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(d.Normal(loc, scale).sample(3, seed=1))
    by_loc, by_scale = tape.gradient(total, [loc, scale])
    assert by_loc.numpy().tolist() == [3.0, 3.0]
    assert by_scale is not None


def test_in_a_function_with_unknown_sizes() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def run(loc: Any) -> Any:
        normal = d.Normal(loc, 1.0)
        return normal.log_prob(0.0), tf.shape(normal.sample(4)), d.Categorical(logits=loc).sample()

    density, sizes, drawn = run(tf.constant([0.0, 1.0, 2.0]))
    close(density, stats.norm.logpdf([0.0, 1.0, 2.0]))
    assert sizes.numpy().tolist() == [4, 3]
    assert drawn.shape == ()


def test_what_is_undefined_is_nan_or_an_error() -> None:
    assert np.isnan(d.Gamma(0.5, 1.0).mode())
    assert np.isnan(d.StudentT([0.5, 5.0], 0.0, 1.0).mean()).tolist() == [True, False]
    close(d.StudentT(1.5, 0.0, 1.0).variance(), np.inf)
    with pytest.raises(tf.errors.InvalidArgumentError):
        d.Gamma(0.5, 1.0, allow_nan_stats=False).mode()


def test_bad_parameters_are_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        d.Normal(0.0, -1.0, validate_args=True)
    with pytest.raises(tf.errors.InvalidArgumentError):
        d.Uniform(2.0, 1.0, validate_args=True)
    with pytest.raises(ValueError, match="not both"):
        d.Bernoulli(logits=1.0, probs=0.5)
    with pytest.raises(ValueError, match="float64"):
        d.Normal(0.0, tf.constant(1.0, tf.float64))


def test_a_distribution_of_ones_own() -> None:
    class Mine(d.Distribution):
        def __init__(self) -> None:
            super().__init__(tf.float32, d.NOT_REPARAMETERIZED, False, True)

        def _log_prob(self, value: Any) -> Any:
            return -value

        def _cdf(self, value: Any) -> Any:
            return value / 2

    close(Mine().prob(1.0), np.exp(-1))
    close(Mine().survival_function(1.0), 0.5)
    with pytest.raises(NotImplementedError, match="mean"):
        Mine().mean()


def test_shapes_copies_and_texts() -> None:
    normal = d.Normal([0.0, 1.0], [[1.0], [2.0], [3.0]])
    assert (normal.batch_shape, normal.event_shape) == ([3, 2], [])
    assert normal.sample([4, 5]).shape == [4, 5, 3, 2]
    assert normal.copy(loc=0.0).batch_shape == [3, 1]
    assert d.Dirichlet([[1.0, 2.0, 3.0]]).event_shape == [3]
    assert (
        str(d.Normal(0.0, 1.0)) == 'tfp.distributions.Normal("Normal/", batch_shape=(), event_shape=(), dtype=float32)'
    )
    assert d.Exponential(2.0).parameters == {
        "rate": 2.0,
        "validate_args": False,
        "allow_nan_stats": True,
        "name": "Exponential",
    }
    assert d.Normal.param_static_shapes([3, 4]) == {"loc": [3, 4], "scale": [3, 4]}
