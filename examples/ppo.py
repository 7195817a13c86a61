"""PPO: a pole swings up and stays there, by clipped steps of a stochastic policy.

A pendulum hangs down and has a weak motor: it must swing back and forth to come up. Proximal policy optimization (Schulman
and others, 2017) plays many pendulums at once, learns from that for some epochs, and clips what an epoch may change. Play
and learning are two compiled functions; the play is a loop inside of one.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

import gradtape as tf

ROUNDS = 40  # small: 12
PENDULUMS = 64  # small: 32
STEPS, DISCOUNT, TRACE, CLIP, EPOCHS, PARTS = 100, 0.97, 0.95, 0.2, 8, 8
tf.keras.utils.set_random_seed(1)

# %% [markdown]
# ## The world
#
# Angle 0 is upright. Each step costs the square of the angle, and a little for speed and effort. All pendulums are one
# tensor, `[pendulums, 2]`.

# %%
STRENGTH, SECONDS = 2.0, 0.05


def move(states, efforts):
    """The states after a step, and the rewards."""
    angle, speed = states[:, 0], states[:, 1]
    torque = STRENGTH * tf.clip_by_value(efforts, -1.0, 1.0)
    angle = tf.math.floormod(angle + np.pi, 2 * np.pi) - np.pi
    reward = -(angle**2 + 0.1 * speed**2 + 0.001 * torque**2) / 10
    speed = tf.clip_by_value(
        speed + SECONDS * (15 * tf.sin(angle) + 3 * torque), -8.0, 8.0
    )
    return tf.stack([angle + SECONDS * speed, speed], axis=1), reward


def seen(states):
    return tf.stack(
        [tf.cos(states[:, 0]), tf.sin(states[:, 0]), states[:, 1] / 8], axis=1
    )


def new_states(count):
    return tf.random.uniform([count, 2], [-np.pi, -1.0], [np.pi, 1.0])


# %% [markdown]
# ## Policy and value
#
# The policy is a normal distribution over efforts: the mean from a net, the deviation a number that is learned too.

# %%
dense = tf.keras.layers.Dense
policy = tf.keras.Sequential(
    [dense(64, "tanh"), dense(64, "tanh"), dense(1, kernel_initializer="zeros")]
)
value = tf.keras.Sequential([dense(64, "tanh"), dense(64, "tanh"), dense(1)])
log_deviation = tf.Variable(-0.5)
for net in (policy, value):
    net.build([None, 3])
weights = [*policy.trainable_variables, *value.trainable_variables, log_deviation]
optimizer = tf.keras.optimizers.Adam(1e-3)


def log_chance(inputs, efforts):
    error = (efforts - policy(inputs)[:, 0]) / tf.exp(log_deviation)
    return -0.5 * error**2 - log_deviation


# %% [markdown]
# ## Play
#
# The loop over time is a `tf.while_loop` that AutoGraph makes of the `for`. The advantage says how much better an action was
# than the value had promised, summed up backwards over later steps (GAE).


# %%
@tf.function
def play():
    states = new_states(PENDULUMS)
    inputs, efforts, rewards = (tf.TensorArray(tf.float32, STEPS) for _ in range(3))
    for step in tf.range(STEPS):
        now = seen(states)
        effort = policy(now)[:, 0] + tf.exp(log_deviation) * tf.random.normal(
            [PENDULUMS]
        )
        states, reward = move(states, effort)
        inputs, efforts = inputs.write(step, now), efforts.write(step, effort)
        rewards = rewards.write(step, reward)
    inputs, efforts, rewards = inputs.stack(), efforts.stack(), rewards.stack()
    values = value(
        tf.reshape(tf.concat([inputs, seen(states)[tf.newaxis]], axis=0), [-1, 3])
    )
    values = tf.reshape(values, [STEPS + 1, PENDULUMS])
    surprise = rewards + DISCOUNT * values[1:] - values[:-1]
    advantage = tf.scan(
        lambda later, now: now + DISCOUNT * TRACE * later,
        surprise,
        tf.zeros([PENDULUMS]),
        reverse=True,
    )
    inputs, efforts = tf.reshape(inputs, [-1, 3]), tf.reshape(efforts, [-1])
    returns = tf.reshape(advantage + values[:-1], [-1])
    return (
        inputs,
        efforts,
        log_chance(inputs, efforts),
        tf.reshape(advantage, [-1]),
        returns,
        tf.reduce_mean(rewards),
    )


# %% [markdown]
# ## Learn
#
# The ratio says how much more likely an action has become since it was played. Beyond 0.8 or 1.2 there is nothing to gain:
# the clip takes the gradient away.


# %%
@tf.function
def learn(inputs, efforts, old, advantage, returns):
    advantage = (advantage - tf.reduce_mean(advantage)) / (
        tf.math.reduce_std(advantage) + 1e-6
    )
    with tf.GradientTape() as tape:
        ratio = tf.exp(log_chance(inputs, efforts) - old)
        clipped = tf.clip_by_value(ratio, 1 - CLIP, 1 + CLIP)
        gain = tf.reduce_mean(tf.minimum(ratio * advantage, clipped * advantage))
        value_loss = tf.reduce_mean((value(inputs)[:, 0] - returns) ** 2)
        loss = value_loss - gain
    gradients, _ = tf.clip_by_global_norm(tape.gradient(loss, weights), 0.5)
    optimizer.apply_gradients(zip(gradients, weights, strict=True))


curve = []
for number in range(1, ROUNDS + 1):
    *played, reward = play()
    for _ in range(EPOCHS):
        order = tf.random.shuffle(tf.range(STEPS * PENDULUMS))
        for part in tf.split(order, PARTS):
            learn(*(tf.gather(array, part) for array in played))
    curve.append(float(reward))
    if number % (ROUNDS // 5) == 0:
        print(
            f"round {number:3}   mean reward {curve[-1]:6.3f}   deviation {np.exp(log_deviation.numpy()):.2f}"
        )

# %% [markdown]
# ## From hanging down
#
# 200 pendulums start at the bottom, without noise in the policy. How many stand upright for the last 2 of 10 seconds?


# %%
def run(states, steps):
    path = []
    for _ in range(steps):
        path.append(states.numpy())
        states, _ = move(states, policy(seen(states))[:, 0])
    return np.stack(path)


bottom = tf.constant(
    np.random.default_rng(0).normal([np.pi, 0], 0.1, (200, 2)), tf.float32
)
path = run(bottom, 200)
lean = np.abs((path[..., 0] + np.pi) % (2 * np.pi) - np.pi)
upright = np.mean(lean[-40:].max(axis=0) < 0.3)
print(f"upright for the last two seconds: {upright:.0%} of 200")

# %% picture
figure, (learning, swings) = plt.subplots(2, 1, figsize=(6, 6))
learning.plot(range(1, ROUNDS + 1), curve, color="C0")
learning.set(
    title="Mean reward of a step",
    xlabel=f"round of {STEPS * PENDULUMS} steps",
    ylabel="reward",
)
seconds = SECONDS * np.arange(len(path))
for number in range(8):
    swings.plot(
        seconds, np.degrees(lean[:, number]), color=f"C{number}", linewidth=1.3
    )
swings.set(
    title="Eight pendulums after training",
    xlabel="seconds",
    ylabel="degrees from upright",
    yticks=[0, 90, 180],
)
figure.savefig("ppo.png")
