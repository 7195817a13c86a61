"""Actor-critic: a cart learns to hold a pole, from an episode and its one gradient.

One net chooses where to push and guesses how long the pole will stay up. An episode is played under a tape, step by step:
plain Python, with a world that is not differentiable in between. Then one gradient moves both heads of the net.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

import gradtape as tf

EPISODES = 400  # small: 70
LONGEST = 300  # small: 50
DISCOUNT = 0.99
tf.keras.utils.set_random_seed(42)
random = np.random.default_rng(42)

# %% [markdown]
# ## The world
#
# A pole on a cart that is pushed left or right, by the equations of Barto, Sutton and Anderson (1983). It is over when the
# cart leaves the track or the pole leans by 12 degrees.

# %%
EDGE, TILT, SECONDS = 2.4, np.radians(12), 0.02


def push(state, action):
    """The state after 20 milliseconds: place and speed of the cart, angle and turning of the pole."""
    gravity, cart, pole, half_length = 9.8, 1.0, 0.1, 0.5
    _, speed, angle, turn = state
    force = (10.0 if action else -10.0) + pole * half_length * turn**2 * np.sin(
        angle
    )
    lever = half_length * (4 / 3 - pole * np.cos(angle) ** 2 / (cart + pole))
    turning = (
        gravity * np.sin(angle) - np.cos(angle) * force / (cart + pole)
    ) / lever
    moving = (force - pole * half_length * turning * np.cos(angle)) / (cart + pole)
    return state + SECONDS * np.array([speed, moving, turn, turning])


def over(state):
    return abs(state[0]) > EDGE or abs(state[2]) > TILT


# %% [markdown]
# ## Actor and critic
#
# A common layer and three outputs: scores of the two actions, and the value of the state. While it learns, the cart draws
# its action with the probabilities that it gives; afterwards it takes the likelier one.

# %%
model = tf.keras.Sequential(
    [tf.keras.layers.Dense(64, "relu"), tf.keras.layers.Dense(3)]
)
optimizer = tf.keras.optimizers.Adam(0.01)


def play(explore=True):
    """An episode: log probabilities of the actions, values of the states, and the states themselves."""
    state, states, chances, values = random.uniform(-0.05, 0.05, 4), [], [], []
    while not over(state) and len(states) < LONGEST:
        output = model(tf.constant(state[np.newaxis], tf.float32))[0]
        scores, value = output[:2], output[2]
        if explore:
            action = int(tf.random.categorical(scores[tf.newaxis], 1)[0, 0])
        else:
            action = int(tf.argmax(scores))
        chances.append(tf.nn.log_softmax(scores)[action])
        values.append(value)
        states.append(state)
        state = push(state, action)
    return tf.stack(chances), tf.stack(values), np.array(states)


# %% [markdown]
# ## Learn from an episode
#
# Each step earns 1. What is still to come after each step is the return. Actions that were followed by more than the critic
# had guessed become more likely, and the critic learns to guess better.


# %%
def train_episode():
    with tf.GradientTape() as tape:
        chances, values, states = play()
        returns = (1 - DISCOUNT ** np.arange(len(states), 0, -1)) / (
            1 - DISCOUNT
        )  # 1 + d + d² + ... to the end
        returns = tf.constant(
            (returns - returns.mean()) / (returns.std() + 1e-6), tf.float32
        )
        advantage = tf.stop_gradient(returns - values)
        actor_loss = -tf.reduce_sum(chances * advantage)
        critic_loss = tf.reduce_sum(
            tf.keras.losses.huber(returns[:, tf.newaxis], values[:, tf.newaxis])
        )
        loss = actor_loss + critic_loss
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(
        zip(gradients, model.trainable_variables, strict=True)
    )
    return len(states)


lengths = []
for episode in range(1, EPISODES + 1):
    lengths.append(train_episode())
    recent = np.mean(lengths[-25:])
    if episode % 50 == 0:
        print(f"episode {episode:3}   mean of the last 25: {recent:5.1f} steps")
    if recent > 0.95 * LONGEST and episode >= 25:
        print(f"solved after {episode} episodes")
        break

# %% [markdown]
# ## After training
#
# Twenty episodes with the likelier action, beside twenty of a cart that is pushed at random.

# %%
trained = [len(play(explore=False)[2]) for _ in range(20)]
at_random = []
for _ in range(20):
    state, steps = random.uniform(-0.05, 0.05, 4), 0
    while not over(state):
        state, steps = push(state, random.integers(2)), steps + 1
    at_random.append(steps)
print(
    f"steps until the pole falls, {LONGEST} at most: {np.mean(trained):.0f} trained, {np.mean(at_random):.0f} at random"
)

# %% picture
figure, (curve, path) = plt.subplots(2, 1, figsize=(6, 6))
mean = [
    np.mean(lengths[max(0, end - 25) : end]) for end in range(1, len(lengths) + 1)
]
curve.plot(lengths, ".", color="0.5", alpha=0.6, markersize=4, label="one episode")
curve.plot(mean, color="C0", label="mean of the last 25")
curve.axhline(
    np.mean(at_random), color="C1", linestyle="--", label="pushed at random"
)
curve.set(
    title=f"How long the pole stays up, {LONGEST} steps at most",
    xlabel="episode",
    ylabel="steps",
    ylim=(0, 1.3 * LONGEST),
)
curve.legend(loc="upper left", ncols=3, fontsize=9, columnspacing=1.2)
states = play(explore=False)[2]
seconds = SECONDS * np.arange(len(states))
path.plot(seconds, states[:, 0], color="C1", label="cart (m)")
path.plot(
    seconds, np.degrees(states[:, 2]) / 10, color="C2", label="pole (10 degrees)"
)
path.set(title="One episode after training", xlabel="seconds", ylim=(-2.5, 2.5))
path.legend(loc="upper left", ncols=2)
figure.savefig("actor_critic.png")
