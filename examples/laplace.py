"""Laplace approximation: a trained net that says how sure it is.

Train a net as usual, then look at the curvature of the loss at the optimum. It is the precision of a normal
distribution over the weights, and that makes error bars, which grow where there were no data. The same curvature
gives the evidence, which tells how strong the weight decay should be: without a validation set.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

import gradtape as tf

ITERATIONS = 3000  # small: 400
DECAYS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)  # small: (0.1, 1.0, 10.0)
NOISE, HIDDEN = 0.15, 20

# %% [markdown]
# ## Data with a gap


# %%
def truth(x):
    return np.sin(2.5 * x) + 0.3 * x


random = np.random.default_rng(4)
x = np.sort(
    np.concatenate([random.uniform(-2, -0.6, 40), random.uniform(0.7, 2, 40)])
)
y = truth(x) + random.normal(0, NOISE, x.size)

# %% [markdown]
# ## The net, as a function of one vector
#
# 61 weights. With all of them in one vector, curvature is one matrix.


# %%
def net(weights, x):
    w1, b1, w2, b2 = tf.split(weights, [HIDDEN, HIDDEN, HIDDEN, 1])
    hidden = tf.tanh(x[:, tf.newaxis] * w1 + b1)
    return tf.linalg.matvec(hidden, w2) + b2


weights = tf.Variable(random.normal(0, 1, 3 * HIDDEN + 1))
decay = tf.Variable(1.0, dtype=tf.float64)


@tf.function
def negative_log_posterior():
    """Noise of known size, and a normal prior with precision `decay` on the weights."""
    error = net(weights, tf.constant(x)) - y
    return 0.5 * tf.reduce_sum(error**2) / NOISE**2 + 0.5 * decay * tf.reduce_sum(
        weights**2
    )


# %% [markdown]
# ## Optimum, curvature, evidence
#
# Curvature in the form of Gauss and Newton: with J the Jacobian of the outputs by the weights, JᵀJ / noise² + decay.
# It is positive in all directions, as a precision must be. `jacrev` gives J in one call.


# %%
def curvature():
    jacobian = tf.autodiff.jacrev(net)(weights, tf.constant(x))
    return tf.matmul(
        jacobian, jacobian, transpose_a=True
    ) / NOISE**2 + decay * tf.eye(len(weights), dtype=tf.float64)


def log_evidence(precision):
    """The log of the integral over the weights, with the posterior taken as normal around its optimum."""
    scale = 0.5 * len(weights) * tf.math.log(decay) - x.size * np.log(
        NOISE * np.sqrt(2 * np.pi)
    )
    return float(
        scale - negative_log_posterior() - 0.5 * tf.linalg.logdet(precision)
    )


fits = {}
start = weights.numpy()
for value in DECAYS:
    decay.assign(value)
    weights.assign(start)
    tf.optimize.minimize(
        negative_log_posterior,
        weights,
        options={"maxiter": ITERATIONS, "maxcor": 20},
    )
    precision = curvature()
    fits[value] = log_evidence(precision), weights.numpy(), precision
    print(f"decay {value:5g}   log evidence {fits[value][0]:7.1f}")
best = max(fits, key=lambda value: fits[value][0])
print(f"best: {best:g}")

# %% [markdown]
# ## Error bars
#
# The variance of an output is j C jᵀ, with j its row of the Jacobian and C the inverse of the precision. Noise comes
# on top for a new measurement.


# %%
_, best_weights, precision = fits[best]


def predict(x):
    jacobian = tf.autodiff.jacrev(net)(best_weights, x)
    solved = tf.linalg.solve(precision, tf.transpose(jacobian))
    variance = tf.reduce_sum(jacobian * tf.transpose(solved), axis=1)
    return net(best_weights, x).numpy(), np.sqrt(variance.numpy())


test_x = np.concatenate(
    [random.uniform(-2, -0.6, 2000), random.uniform(0.7, 2, 2000)]
)
test_y = truth(test_x) + random.normal(0, NOISE, test_x.size)
mean, deviation = predict(tf.constant(test_x))
covered = np.mean(np.abs(test_y - mean) < 1.96 * np.hypot(deviation, NOISE))
_, in_gap = predict(tf.constant([0.05], tf.float64))
print(f"new measurements inside the 95 % band: {covered:.1%}")
print(
    f"deviation of the net where there are data {deviation.mean():.3f}, in the gap {in_gap[0]:.3f}"
)

# %% picture
figure, (axes, right) = plt.subplots(2, 1, figsize=(6, 6), height_ratios=(3, 2))
grid = np.linspace(-3, 3, 301)
mean, deviation = predict(tf.constant(grid))
for times, alpha in ((2, 0.2), (1, 0.3)):
    axes.fill_between(
        grid,
        mean - times * deviation,
        mean + times * deviation,
        color="C0",
        alpha=alpha,
        linewidth=0,
    )
axes.plot(grid, truth(grid), "--", color="0.5", label="truth")
axes.plot(grid, mean, color="C0", label="net, 1 and 2 deviations")
axes.plot(x, y, ".", color="C1", label="data")
axes.set(title="Sure where it has seen data", xlabel="x", ylabel="y", ylim=(-3, 3))
axes.legend(fontsize=9, loc="upper left")
right.semilogx(
    list(fits), [evidence for evidence, *_ in fits.values()], "o-", color="C2"
)
right.axvline(best, color="0.5", linestyle=":", linewidth=1)
right.set(title="Which weight decay?", xlabel="decay", ylabel="log evidence")
figure.savefig("laplace.png")
