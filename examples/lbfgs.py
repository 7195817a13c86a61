"""L-BFGS: the curve of fastest descent, found by minimising the time.

A bead slides without friction from a point to a lower one. Which wire is the fastest? Bernoulli asked in 1696; the
answer is a cycloid. Here the wire is 200 heights, the time is a sum over its pieces, and `tf.optimize.minimize` finds
the heights. The exact time is known.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

import gradtape as tf

PIECES = 200  # small: 60
WIDTH, DROP, GRAVITY = 2.0, 1.0, 9.81

# %% [markdown]
# ## The time as a function of the heights
#
# Along a straight piece the speed changes evenly, so its time is its length over the mean of the speeds at both ends.
# The speed follows from the depth alone. The points stand closer at the start, where the bead is slow.

# %%
x = tf.constant(WIDTH * np.linspace(0, 1, PIECES + 1) ** 2)


def travel_time(depth):
    depth = tf.concat([depth, [DROP]], axis=0)
    # The root has no slope at depth 0, so the start is added behind it.
    speed = tf.concat([[0.0], tf.sqrt(2 * GRAVITY * depth)], axis=0)
    depth = tf.concat([[0.0], depth], axis=0)
    length = tf.sqrt((x[1:] - x[:-1]) ** 2 + (depth[1:] - depth[:-1]) ** 2)
    return tf.reduce_sum(2 * length / (speed[1:] + speed[:-1]))


# %% [markdown]
# ## Minimise
#
# Without variables: the start is a tensor, and the answer is one. The first guess is a straight wire. Depths must be
# positive.

# %%
straight = DROP / WIDTH * x[1:-1]
times = [float(travel_time(straight))]
result = tf.optimize.minimize(
    travel_time,
    straight,
    method="L-BFGS-B",
    bounds=(1e-9, None),
    options={
        "maxiter": 2000,
        "maxfun": 4000,
        "maxcor": 30,
        "ftol": 1e-15,
        "gtol": 1e-9,
    },
    callback=lambda progress: times.append(progress.fun),
)
found = result.x.numpy()
print(f"straight wire {times[0]:.5f} s")
print(
    f"L-BFGS        {result.fun:.5f} s after {result.nit} iterations, {result.nfev} evaluations"
)

# %% [markdown]
# ## The cycloid
#
# The point of a wheel's rim that rolls under the ceiling: x = r (φ - sin φ), depth = r (1 - cos φ). One equation
# gives the angle at the end.

# %%
low, high = 1e-3, 2 * np.pi
for _ in range(60):
    middle = (low + high) / 2
    if (middle - np.sin(middle)) / (1 - np.cos(middle)) < WIDTH / DROP:
        low = middle
    else:
        high = middle
radius = DROP / (1 - np.cos(low))
exact_time = low * np.sqrt(radius / GRAVITY)
angle = np.linspace(0, low, 2001)
cycloid_x, cycloid_depth = (
    radius * (angle - np.sin(angle)),
    radius * (1 - np.cos(angle)),
)
error = np.abs(found - np.interp(x[1:-1], cycloid_x, cycloid_depth)).max()
excess = result.fun / exact_time - 1
print(
    f"cycloid       {exact_time:.5f} s: found {excess:.0e} slower, at most {error:.0e} m away"
)

# %% [markdown]
# ## Newton's method, with Hessian-vector products
#
# Another method is another name. `trust-ncg` asks for products of the Hessian with vectors, and gets them from the tape:
# from the same straight wire it needs few iterations.

# %%
newton = tf.optimize.minimize(
    travel_time, straight, method="trust-ncg", options={"gtol": 1e-9}
)
steepest = float(tf.reduce_max(tf.abs(tf.autodiff.grad(travel_time)(newton.x))))
print(
    f"trust-ncg     {newton.fun:.5f} s after {newton.nit} iterations, largest derivative {steepest:.0e}"
)

# %% picture
figure, (wire, curve) = plt.subplots(2, 1, figsize=(6, 5.6))
wire.plot(
    cycloid_x, -cycloid_depth, color="0.5", alpha=0.4, linewidth=6, label="cycloid"
)
wire.plot(
    x, -np.concatenate([[0], found, [DROP]]), color="C0", label="found by L-BFGS"
)
wire.plot(
    [0, WIDTH], [0, -DROP], "--", color="C1", label="straight: the first guess"
)
wire.set(
    title="The fastest wire",
    xlabel="distance (m)",
    ylabel="height (m)",
    aspect="equal",
)
wire.legend(fontsize=9, loc="upper right")
curve.loglog(
    np.arange(1, len(times) + 1), np.array(times) / exact_time - 1, color="C0"
)
curve.set(
    title="How much slower than the cycloid",
    xlabel="iteration of L-BFGS",
    ylabel="extra time / its time",
)
figure.savefig("lbfgs.png")
