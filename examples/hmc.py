"""Hamiltonian Monte Carlo (HMC): 100 chains sample a bent distribution, by gradients of its density.

A point slides over the density like a puck on ice, with a new random push for each sample. The slide needs the
gradient of the log density at each of its steps; all of it is one compiled function. The distribution has known
moments, so we see whether the samples are right.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

import gradtape as tf

SAMPLES = 2000  # small: 150
CHAINS = 100  # small: 50
LEAPS, STEP = 40, 0.12
tf.random.set_seed(3)

# %% [markdown]
# ## A banana
#
# u is normal, and v is normal around u². The log density needs no constant factor.

# %%
WIDE, NARROW = 1.5, 0.4


def log_density(point):
    u, v = point[..., 0], point[..., 1]
    return -0.5 * (u / WIDE) ** 2 - 0.5 * ((v - u**2) / NARROW) ** 2


exact_mean = np.array([0, WIDE**2])
exact_deviation = np.array([WIDE, np.sqrt(2 * WIDE**4 + NARROW**2)])

# %% [markdown]
# ## One sample of each chain
#
# The leapfrog method keeps the energy nearly constant over the slide; accepting by the change of energy makes up for
# the rest exactly. The sum over the chains is only a way to get all their gradients in one call: no chain depends on
# another.


# %%
def slope(points):
    return tf.autodiff.grad(lambda points: tf.reduce_sum(log_density(points)))(
        points
    )


def energy(points, pushes):
    return -log_density(points) + 0.5 * tf.reduce_sum(pushes**2, axis=-1)


@tf.function
def sample(points):
    pushes = tf.random.normal(tf.shape(points), dtype=points.dtype)
    # A step that differs a little from chain to chain and from slide to slide: no slide comes back to where it began.
    step = STEP * tf.random.uniform([CHAINS, 1], 0.7, 1.3, dtype=points.dtype)
    place, push = points, pushes + step / 2 * slope(points)
    for _ in tf.range(LEAPS):
        place += step * push
        push += step * slope(place)
    push -= step / 2 * slope(place)
    change = energy(place, push) - energy(points, pushes)
    accepted = (
        tf.math.log(tf.random.uniform([CHAINS], dtype=points.dtype)) < -change
    )
    return tf.where(accepted[:, tf.newaxis], place, points), accepted


# %% [markdown]
# ## Run
#
# The first samples, on the way from the start to where the density is, are left out.

# %%
points, chain, accepted = tf.random.normal([CHAINS, 2], dtype=tf.float64), [], []
for number in range(SAMPLES + SAMPLES // 5):
    points, taken = sample(points)
    if number >= SAMPLES // 5:
        chain.append(points.numpy())
        accepted.append(taken.numpy())
chain = np.stack(chain)  # [samples, chains, 2]
print(
    f"{chain.shape[0] * chain.shape[1]} samples, {np.mean(accepted):.0%} of the slides accepted"
)

# %% [markdown]
# ## Are they right?
#
# The chains are independent, so their means tell how sure the overall mean is. R-hat compares the spread between the
# chains with that inside of them; 1 means that each chain alone has seen the whole distribution.

# %%
mean, deviation = chain.mean(axis=(0, 1)), chain.std(axis=(0, 1))
uncertainty = chain.mean(axis=0).std(axis=0, ddof=1) / np.sqrt(CHAINS)
between, within = (
    chain.mean(axis=0).var(axis=0, ddof=1),
    chain.var(axis=0, ddof=1).mean(axis=0),
)
r_hat = np.sqrt(1 - 1 / len(chain) + between / within)
for row, name in enumerate("uv"):
    print(
        f"{name}: mean {mean[row]:6.3f} ± {uncertainty[row]:.3f} (exact {exact_mean[row]:.3f})   "
        f"deviation {deviation[row]:.3f} (exact {exact_deviation[row]:.3f})   R-hat {r_hat[row]:.3f}"
    )

# %% picture
figure, (cloud, margin) = plt.subplots(2, 1, figsize=(6, 7), height_ratios=(3, 2))
some = chain[:: max(1, len(chain) // 60)].reshape(-1, 2)
cloud.plot(
    some[:, 0],
    some[:, 1],
    ".",
    markersize=2,
    alpha=0.4,
    color="C0",
    label="samples of all chains",
)
cloud.plot(
    chain[:25, 0, 0],
    chain[:25, 0, 1],
    "o-",
    color="C1",
    linewidth=1,
    markersize=4,
    label="25 samples of one chain",
)
cloud.set(title="A banana", xlabel="u", ylabel="v", xlim=(-5, 5), ylim=(-2, 20))
cloud.legend(loc="upper center", fontsize=9)
edges = np.linspace(-5, 5, 61)
margin.hist(
    chain[:, :, 0].ravel(),
    edges,
    density=True,
    color="C0",
    alpha=0.5,
    label="samples",
)
margin.plot(
    edges,
    np.exp(-0.5 * (edges / WIDE) ** 2) / (WIDE * np.sqrt(2 * np.pi)),
    color="C1",
    label="exact",
)
margin.set(title="How often each u", xlabel="u", ylabel="density")
margin.legend(fontsize=9)
figure.savefig("hmc.png")
