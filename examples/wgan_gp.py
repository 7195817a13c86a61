"""WGAN-GP: a critic with slope one, held there by the gradient of its gradient.

A Wasserstein GAN trains a critic whose difference between real and drawn points is a distance, as long as its slope is
nowhere above one. Gulrajani and others (2017) ask for that in the loss: the norm of the critic's gradient by its input
should be one. So the step differentiates through a gradient. The points are eight small clouds on a circle, where one sees
at once whether the generator has forgotten some.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

import gradtape as tf

STEPS = 1500  # small: 250
CRITIC_STEPS = 5  # small: 3
BATCH, NOISE, PENALTY = 128, 4, 1.0
tf.keras.utils.set_random_seed(0)

# %%
centres = 2 * np.stack(
    [np.cos(np.arange(8) * np.pi / 4), np.sin(np.arange(8) * np.pi / 4)], axis=1
).astype(np.float32)


def real_points(count):
    chosen = tf.gather(centres, tf.random.uniform([count], 0, 8, tf.int32))
    return chosen + 0.1 * tf.random.normal([count, 2])


def net(outputs):
    dense = tf.keras.layers.Dense
    return tf.keras.Sequential(
        [dense(64, "relu"), dense(64, "relu"), dense(64, "relu"), dense(outputs)]
    )


generator, critic = net(2), net(1)


def optimizer(steps):
    rate = tf.keras.optimizers.schedules.CosineDecay(2e-3, steps)
    return tf.keras.optimizers.Adam(rate, beta_1=0.5, beta_2=0.9)


generator_optimizer = optimizer(STEPS)
critic_optimizer = optimizer(STEPS * CRITIC_STEPS)

# %% [markdown]
# ## The penalty
#
# Points between real and drawn ones, the gradient of the critic there, and how far its norm is from one. The inner tape
# takes that gradient; the tape of the training step is around it and differentiates it once more, by the weights.


# %%
def slopes(points):
    """The norm of the critic's gradient at each point."""
    with tf.GradientTape() as tape:
        tape.watch(points)
        scores = critic(points)
    return tf.norm(tape.gradient(scores, points), axis=1)


@tf.function
def train_critic():
    real, drawn = real_points(BATCH), generator(tf.random.normal([BATCH, NOISE]))
    share = tf.random.uniform([BATCH, 1])
    with tf.GradientTape() as tape:
        distance = tf.reduce_mean(critic(real)) - tf.reduce_mean(critic(drawn))
        penalty = tf.reduce_mean(
            (slopes(share * real + (1 - share) * drawn) - 1) ** 2
        )
        loss = -distance + PENALTY * penalty
    gradients = tape.gradient(loss, critic.trainable_variables)
    critic_optimizer.apply_gradients(
        zip(gradients, critic.trainable_variables, strict=True)
    )
    return distance


@tf.function
def train_generator():
    with tf.GradientTape() as tape:
        loss = -tf.reduce_mean(critic(generator(tf.random.normal([BATCH, NOISE]))))
    gradients = tape.gradient(loss, generator.trainable_variables)
    generator_optimizer.apply_gradients(
        zip(gradients, generator.trainable_variables, strict=True)
    )


# %% [markdown]
# ## Train
#
# Several steps of the critic for one of the generator. The distance means something: once the critic has learned to
# measure it, it falls as the drawings become better.

# %%
distances = []
for step in range(1, STEPS + 1):
    for _ in range(CRITIC_STEPS):
        distance = train_critic()
    train_generator()
    distances.append(float(distance))
    if step % (STEPS // 5) == 0:
        print(f"step {step:4}   distance {np.mean(distances[-50:]):.3f}")

# %% [markdown]
# ## All eight clouds?

# %%
drawn = generator(tf.random.normal([4000, NOISE])).numpy()
away = np.linalg.norm(drawn[:, None] - centres, axis=2)
counts = np.bincount(away.argmin(axis=1)[away.min(axis=1) < 0.5], minlength=8)
steepness = slopes(real_points(1000)).numpy().mean()
print("drawings within 0.5 of each of the eight centres:", *counts)
print(
    f"{counts.sum() / len(drawn):.0%} of 4000; slope of the critic at real points {steepness:.2f}"
)

# %% picture
figure, (cloud, curve) = plt.subplots(2, 1, figsize=(6, 7.6), height_ratios=(3, 1))
grid = np.linspace(-3, 3, 60, dtype=np.float32)
field = (
    critic(tf.constant(np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2)))
    .numpy()
    .reshape(60, 60)
)
cloud.contourf(grid, grid, field, 12, cmap="Greys", alpha=0.45)
cloud.plot(
    *real_points(1000).numpy().T, ".", color="C0", markersize=4, label="real"
)
cloud.plot(*drawn[:1000].T, ".", color="C1", markersize=2.5, label="drawn")
cloud.set(
    title="Points, and the critic's score: darker is more real",
    xlabel="x",
    ylabel="y",
    aspect="equal",
)
cloud.legend(loc="center", markerscale=3)
curve.plot(np.convolve(distances, np.ones(25) / 25, "valid"))
curve.set(
    title="Distance between real and drawn",
    xlabel="step of the generator",
    ylabel="distance",
)
figure.savefig("wgan_gp.png")
