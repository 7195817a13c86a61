"""Distributions have the right shape (Kolmogorov and Smirnov, or moments), derivatives and errors."""

import numpy as np
import pytest
from scipy import special, stats

import gradtape as tf

R = tf.random
MANY = 20_000


@pytest.fixture(autouse=True)
def seeded():
    R.set_seed(2024)


def fits(sample, distribution):
    return stats.kstest(np.asarray(sample, np.float64).reshape(-1), distribution.cdf).pvalue > 1e-3


# --- distributions -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
def test_continuous_distributions(dtype):
    assert fits(R.normal([MANY], 1.0, 2.0, dtype), stats.norm(1, 2))
    assert fits(R.uniform([MANY], -1.0, 3.0, dtype), stats.uniform(-1, 4))
    assert fits(R.truncated_normal([MANY], 1.0, 2.0, dtype), stats.truncnorm(-2, 2, 1, 2))
    for alpha in (0.3, 1.0, 1.7, 40.0):
        assert fits(R.gamma([MANY], alpha, 2.0, dtype), stats.gamma(alpha, scale=0.5))


def test_unseeded_numbers_have_the_same_distributions():
    from gradtape.base import philox
    from gradtape.random.streams import Fresh

    fresh = Fresh()
    assert fits(philox.normal(fresh, (MANY,), np.dtype(np.float32)), stats.norm())
    assert fits(philox.gamma(fresh, np.full(MANY, 0.7)), stats.gamma(0.7))
    assert not np.array_equal(fresh.blocks(4), fresh.blocks(4))


@pytest.mark.parametrize("rate", [0.4, 3.0, 9.9, 10.1, 60.0])
def test_poisson_counts(rate):
    drawn = R.poisson([MANY], rate).numpy()
    values, seen = np.unique(drawn, return_counts=True)
    expected = stats.poisson(rate).pmf(values) * MANY
    often = expected > 5
    pooled = np.append(expected[often], MANY - expected[often].sum() + 1e-9)
    found = np.append(seen[often], MANY - seen[often].sum())
    assert stats.chisquare(found, pooled * found.sum() / pooled.sum()).pvalue > 1e-3


def test_integers_cover_their_range_evenly():
    seen = np.bincount(R.uniform([MANY], -3, 4, tf.int32).numpy() + 3)
    assert len(seen) == 7
    assert stats.chisquare(seen).pvalue > 1e-3


def test_categorical_follows_the_logits_and_never_takes_minus_infinity():
    logits = np.log([[0.1, 0.2, 0.7]]) + 5.0
    seen = np.bincount(R.categorical(logits, MANY).numpy()[0], minlength=3)
    assert stats.chisquare(seen, np.array([0.1, 0.2, 0.7]) * MANY).pvalue > 1e-3
    assert not R.categorical([[0.0, -np.inf, 0.0]], 1000).numpy().tolist()[0].count(1)


def test_shuffle_gives_all_orders_alike():
    orders = [tuple(R.shuffle([0, 1, 2]).numpy()) for _ in range(1200)]
    seen = np.unique(orders, axis=0, return_counts=True)[1]
    assert len(seen) == 6
    assert stats.chisquare(seen).pvalue > 1e-3
    rows = R.shuffle(np.arange(20).reshape(10, 2)).numpy()
    assert sorted(rows[:, 0].tolist()) == list(range(0, 20, 2))
    np.testing.assert_array_equal(rows[:, 1], rows[:, 0] + 1)


def test_expected_counts_of_candidates_are_what_is_drawn_on_average():
    counts = np.zeros(10)
    for _ in range(400):
        counts += np.bincount(R.log_uniform_candidate_sampler([[0]], 1, 20, False, 10)[0], minlength=10)
    everything = [[k] for k in range(10)]
    expected = R.log_uniform_candidate_sampler(everything, 1, 20, False, 10).true_expected_count.numpy()[:, 0]
    assert stats.chisquare(counts, expected / expected.sum() * counts.sum()).pvalue > 1e-3
    weights = [0.0, 1.0, 3.0]
    fixed = R.fixed_unigram_candidate_sampler([[1]], 1, 1000, False, 3, unigrams=weights)
    assert 0 not in fixed.sampled_candidates.numpy()
    np.testing.assert_allclose(fixed.true_expected_count, [[250.0]])
    assert R.all_candidate_sampler([[1]], 1, 3, True).sampled_candidates.numpy().tolist() == [0, 1, 2]


# --- shapes --------------------------------------------------------------------------------------------------------


def test_shapes():
    assert R.gamma([2], [1.0, 2.0], [[1.0], [2.0], [3.0]]).shape == (2, 3, 2)
    assert R.stateless_gamma([5, 3, 2], [1, 2], [[1.0], [2.0], [3.0]], [1.0, 2.0]).shape == (5, 3, 2)
    assert R.poisson([2], [[1.0, 2.0]]).shape == (2, 1, 2)
    for shape in ([], [0], [3], [2, 0], [2, 3]):
        assert R.normal(shape).shape == shape
        assert R.stateless_truncated_normal(shape, [1, 2]).shape == shape
    assert R.shuffle(3).shape == ()
    assert R.normal(tf.constant([2, 3])).shape == (2, 3)


# --- derivatives -----------------------------------------------------------------------------------------------------


def test_location_and_scale_are_followed():
    mean, stddev = tf.constant([1.0, 2.0]), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch([mean, stddev])
        y = R.stateless_normal([4, 2], [5, 6], mean, stddev)
    noise = R.stateless_normal([4, 2], [5, 6])
    of_mean, of_stddev = tape.gradient(y, [mean, stddev])
    assert of_mean.numpy().tolist() == [4.0, 4.0]
    np.testing.assert_allclose(of_stddev, noise.numpy().sum(), rtol=1e-5)
    low, high = tf.Variable(1.0), tf.Variable(4.0)
    with tf.GradientTape() as tape:
        y = R.uniform([100], low, high)
    of_low, of_high = tape.gradient(y, [low, high])
    np.testing.assert_allclose(of_low + of_high, 100.0, rtol=1e-5)


@pytest.mark.parametrize("alpha", [0.05, 0.7, 1.0, 3.3, 25.0, 800.0])
def test_a_gamma_sample_moves_along_its_quantile(alpha):
    quantiles = np.linspace(0.02, 0.98, 9)
    samples = special.gammaincinv(alpha, quantiles)
    step = 1e-4 * alpha
    moved = [special.gammaincinv(alpha + k * step, quantiles) for k in (-2, -1, 1, 2)]
    numeric = (moved[0] - 8 * moved[1] + 8 * moved[2] - moved[3]) / (12 * step)
    a = tf.constant(alpha, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(a)
        y = _as_sample(a, samples)
    np.testing.assert_allclose(tape.jacobian(y, a), numeric, rtol=1e-7)


def _as_sample(alpha, samples):
    from gradtape.ops.random import gamma_sample

    return gamma_sample.public(alpha, tf.constant(samples))


def test_a_gamma_sample_has_a_second_derivative():
    alpha, quantile = 2.5, 0.3
    step = 1e-3
    at = [special.gammaincinv(alpha + k * step, quantile) for k in (-1, 0, 1)]
    numeric = (at[0] - 2 * at[1] + at[2]) / step**2
    a = tf.constant(alpha, tf.float64)
    with tf.GradientTape() as outer:
        outer.watch(a)
        with tf.GradientTape() as inner:
            inner.watch(a)
            y = _as_sample(a, at[1])
        first = inner.gradient(y, a)
    np.testing.assert_allclose(outer.gradient(first, a), numeric, rtol=1e-5)


def test_the_gradient_of_stateless_gamma_in_both_parameters():
    alpha, beta = tf.constant([1.2, 2.7]), tf.constant([2.0, 4.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([alpha, beta])
        plain = R.stateless_gamma([2], [1, 2], alpha)
        scaled = R.stateless_gamma([2], [1, 2], alpha, beta)
    # Observed on TensorFlow 2.21.
    np.testing.assert_allclose(tape.gradient(plain, alpha), [1.37814, 1.05777], atol=1e-5)
    of_alpha, of_beta = tape.gradient(scaled, [alpha, beta])
    np.testing.assert_allclose(of_alpha, np.array([1.37814, 1.05777]) / [2.0, 4.0], atol=1e-5)
    np.testing.assert_allclose(of_beta, -plain.numpy() / np.array([4.0, 16.0]), rtol=1e-6)


def test_the_mean_gradient_of_many_gamma_samples_is_that_of_the_mean():
    alpha = tf.constant([0.5, 3.0], tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(alpha)
        y = tf.reduce_mean(R.gamma([MANY], alpha, dtype=tf.float64), 0)
    np.testing.assert_allclose(tape.gradient(y, alpha), [1.0, 1.0], atol=0.05)


def test_discrete_draws_cut_the_path():
    x = tf.constant([[1.0, 2.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        drawn = [R.poisson([2], x), tf.cast(R.categorical(x, 2), tf.float32)]
    assert [tape.gradient(y, x) for y in drawn] == [None, None]


# --- errors ----------------------------------------------------------------------------------------------------------

INVALID = tf.errors.InvalidArgumentError


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: R.normal([2], dtype=tf.int32), TypeError),
        (lambda: R.gamma([2], 1.0, dtype=tf.int32), TypeError),
        (lambda: R.uniform([2], dtype=tf.int32), ValueError),
        (lambda: R.uniform([2], maxval=3, dtype=tf.uint8), ValueError),
        (lambda: R.uniform([2], 5, 5, tf.int32), INVALID),
        (lambda: R.uniform([2], 0, [3, 4], tf.int32), INVALID),
        (lambda: R.uniform([2], 0, tf.constant(3)), ValueError),
        (lambda: R.uniform([-2]), INVALID),
        (lambda: R.uniform(2), INVALID),
        (lambda: R.uniform([2.5]), INVALID),
        (lambda: R.uniform([2**40, 2**40]), INVALID),
        (lambda: R.stateless_uniform([2], [1, 2], None, 5, tf.int32), ValueError),
        (lambda: R.stateless_uniform([2], [1, 2], 0, 5, tf.uint32), ValueError),
        (lambda: R.stateless_uniform([2], [1, 2], None, None, tf.int8), ValueError),
        (lambda: R.stateless_uniform([2], [1, 2, 3]), INVALID),
        (lambda: R.stateless_uniform([2], 1), INVALID),
        (lambda: R.stateless_uniform([2], [1.0, 2.0]), INVALID),
        (lambda: R.stateless_uniform([2], [1, 2], alg="threefry"), INVALID),
        (lambda: R.stateless_uniform([2], [1, 2], alg="dice"), ValueError),
        (lambda: R.gamma([2], [1.0, 2.0], [1.0, 2.0, 3.0]), INVALID),
        (lambda: R.stateless_gamma([2], [1, 2], [1.0, 2.0, 3.0]), INVALID),
        (lambda: R.stateless_poisson([3], [1, 2], [4.0, 20.0]), INVALID),
        (lambda: R.categorical([1.0, 2.0], 3), INVALID),
        (lambda: R.categorical([[1.0, 2.0]], -1), INVALID),
        (lambda: R.categorical(tf.zeros([2, 0]), 3), INVALID),
        (lambda: R.categorical([[1.0]], 3, tf.float32), ValueError),
        (lambda: R.fold_in([1, 2], [3]), INVALID),
        (lambda: R.log_uniform_candidate_sampler([[1]], 1, 21, True, 20), INVALID),
        (lambda: R.log_uniform_candidate_sampler([[1]], 2, 5, True, 20), INVALID),
        (lambda: R.log_uniform_candidate_sampler([1], 1, 5, True, 20), INVALID),
        (lambda: R.log_uniform_candidate_sampler([[30]], 1, 5, True, 20), INVALID),
        (lambda: R.log_uniform_candidate_sampler([[1]], 1, 0, True, 20), INVALID),
        (lambda: R.uniform_candidate_sampler([[1.0]], 1, 5, True, 20), TypeError),
        (lambda: R.fixed_unigram_candidate_sampler([[1]], 1, 1, True, 3, unigrams=[1.0]), INVALID),
        (lambda: R.fixed_unigram_candidate_sampler([[1]], 1, 1, True, 3), INVALID),
        (lambda: R.fixed_unigram_candidate_sampler([[1]], 1, 2, True, 2, unigrams=[1.0, 0.0]), INVALID),
    ],
)
def test_bad_arguments_are_refused(call, error):
    with pytest.raises(error):
        call()


_X = tf.constant([0.3, -1.0, 0.5])
_GENERATOR = tf.random.Generator.from_seed(3)
# What is drawn, and the derivative of each number by the centre or the bound of its own, from the number itself.
_FOLLOWED = {
    "lower bound": (lambda x: tf.random.stateless_uniform([3], [1, 2], x, 5.0), lambda x, y: 1 - (y - x) / (5 - x)),
    "upper bound": (lambda x: tf.random.stateless_uniform([3], [1, 2], -2.0, x), lambda x, y: (y + 2) / (x + 2)),
    "only an upper bound": (lambda x: tf.random.uniform([3], maxval=x), lambda x, y: y / x),
    "of a stream": (lambda x: tf.random.uniform([3], x, 5.0), lambda x, y: 1 - (y - x) / (5 - x)),
    "of a generator": (lambda x: _GENERATOR.uniform([3], x, 5.0), lambda x, y: 1 - (y - x) / (5 - x)),
    "normal": (lambda x: tf.random.normal([3], x, tf.abs(x)), lambda x, y: 1 + (y - x) / x),
    "normal of a generator": (lambda x: _GENERATOR.normal([3], x, tf.abs(x)), lambda x, y: 1 + (y - x) / x),
    "truncated": (lambda x: _GENERATOR.truncated_normal([3], x, tf.abs(x)), lambda x, y: 1 + (y - x) / x),
}


@pytest.mark.parametrize("name", _FOLLOWED)
def test_gradients_reach_centre_spread_and_bounds_in_functions_too(name):
    draw, slope = _FOLLOWED[name]

    def with_gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = draw(x)
        return y, tape.gradient(y, x)

    compiled = tf.function(draw)

    def around(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = compiled(x)
        return y, tape.gradient(y, x)

    def of_a_variable(x):
        v = tf.Variable(x)
        function = tf.function(lambda: draw(v))
        with tf.GradientTape() as tape:
            y = function()
        return y, tape.gradient(y, v)

    for run in (with_gradient, tf.function(with_gradient), around, of_a_variable):
        y, gradient = run(_X)
        np.testing.assert_allclose(gradient, slope(_X.numpy(), y.numpy()), rtol=1e-3, atol=1e-4)
