"""Neural ODE: a net learns the law of motion of a pendulum from what was measured of its swings.

The net gives the acceleration for an angle and a speed. A solver of differential equations turns it into a path, and
the gradient of the error of the path goes back through all steps of the solver, a loop inside a compiled function. In
the end the law that was learned is held against the true one, and a swing is predicted that was not in the data.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

import gradtape as tf

ITERATIONS = 3000  # small: 400
PATHS = 24  # small: 10
tf.keras.utils.set_random_seed(0)

# %% [markdown]
# ## The solver
#
# Runge and Kutta's method of fourth order, for any right side. `tf.scan` keeps each state on the way. All paths are
# solved at once: a state is a row `[angle, speed]`.

# %%
STEP = 0.1


def solve(rate, states, steps):
    """The states after 0, 1, ... steps: [steps + 1, paths, 2]."""

    def advance(state, _):
        k1 = rate(state)
        k2 = rate(state + STEP / 2 * k1)
        k3 = rate(state + STEP / 2 * k2)
        k4 = rate(state + STEP * k3)
        return state + STEP / 6 * (k1 + 2 * k2 + 2 * k3 + k4)

    later = tf.scan(advance, tf.range(steps), states)
    return tf.concat([states[tf.newaxis], later], axis=0)


# %% [markdown]
# ## The data
#
# A pendulum with friction, from random states, 3 seconds each; the measurements have noise of 0.03.


# %%
def truth(state):
    angle, speed = state[:, 0], state[:, 1]
    return tf.stack([speed, -4 * tf.sin(angle) - 0.2 * speed], axis=1)


starts = tf.random.uniform([PATHS, 2], [-2.5, -2.0], [2.5, 2.0])
paths = solve(truth, starts, 30)
measured = paths + 0.03 * tf.random.normal(paths.shape)

# %% [markdown]
# ## The net, and its training
#
# The angle changes by the speed: that is known. The net has to find only the acceleration. One step of training
# solves 24 equations, and differentiates all 30 x 4 evaluations of the net.

# %%
net = tf.keras.Sequential(
    [tf.keras.layers.Dense(32, "tanh"), tf.keras.layers.Dense(1)]
)
optimizer = tf.keras.optimizers.Adam(
    tf.keras.optimizers.schedules.CosineDecay(0.02, ITERATIONS)
)


def learned(state):
    return tf.concat([state[:, 1:], 10 * net(state)], axis=1)


@tf.function
def train_step():
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((solve(learned, measured[0], 30) - measured) ** 2)
    gradients = tape.gradient(loss, net.trainable_variables)
    gradients, _ = tf.clip_by_global_norm(gradients, 1.0)
    optimizer.apply_gradients(zip(gradients, net.trainable_variables, strict=True))
    return loss


for iteration in range(1, ITERATIONS + 1):
    loss = train_step()
    if iteration % (ITERATIONS // 4) == 0:
        print(
            f"iteration {iteration:4}   root mean square error {loss.numpy() ** 0.5:.3f}"
        )

# %% [markdown]
# What is left is the noise. The path starts at a noisy measurement too.
#
# ## A swing that was not in the data
#
# Twice as long as the paths it was trained on, and compared with the truth without noise.

# %%
new = tf.constant([[2.2, 0.0]])
predicted, expected = (
    solve(learned, new, 60)[:, 0].numpy(),
    solve(truth, new, 60)[:, 0].numpy(),
)
error = np.sqrt(np.mean((predicted - expected)[:, 0] ** 2))
print(
    f"a new swing of 6 s: root mean square error of the angle {error:.3f}, where it goes from -2 to 2.2"
)

# %% picture
figure, (swing, law) = plt.subplots(2, 1, figsize=(6, 6))
seconds = STEP * np.arange(61)
swing.plot(
    seconds, expected[:, 0], color="0.5", alpha=0.4, linewidth=6, label="pendulum"
)
swing.plot(seconds, predicted[:, 0], color="C0", label="learned law")
swing.axvline(3, color="0.5", linewidth=1, linestyle=":")
swing.set(
    title="A swing that was not in the data",
    xlabel="seconds (training: 3)",
    ylabel="angle",
)
swing.legend(ncols=2, loc="upper right")
angles = np.linspace(-2.5, 2.5, 101, dtype=np.float32)
at_rest = tf.constant(np.stack([angles, 0 * angles], axis=1))
law.plot(
    angles,
    truth(at_rest)[:, 1].numpy(),
    color="0.5",
    alpha=0.4,
    linewidth=6,
    label="-4 sin(angle)",
)
law.plot(angles, learned(at_rest)[:, 1].numpy(), color="C1", label="net")
law.set(
    title="The law that was learned", xlabel="angle, at rest", ylabel="acceleration"
)
law.legend()
figure.savefig("neural_ode.png")
