"""Actor-critic on a cart with a pole: one network chooses where to push and guesses how long the pole will stay up.

    python examples/actor_critic.py

An episode is played under a tape, step by step, and its one gradient moves both heads of the network. The picture shows how
long the episodes became, and how a trained cart moves.
"""

import argparse
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import gradtape as tf


class CartPole:
    """A pole on a cart that is pushed left or right; the equations of Barto, Sutton and Anderson (1983)."""

    GRAVITY, CART, POLE, HALF_LENGTH, FORCE, SECONDS = 9.8, 1.0, 0.1, 0.5, 10.0, 0.02
    EDGE, TILT = 2.4, math.radians(12)

    def __init__(self, seed: int, longest: int) -> None:
        self.random, self.longest = np.random.default_rng(seed), longest

    def reset(self) -> np.ndarray:
        self.state, self.steps = self.random.uniform(-0.05, 0.05, 4), 0
        return self.state.astype(np.float32)

    def step(self, action: int) -> tuple[np.ndarray, float, bool]:
        """The next state, the reward, and whether the episode is over."""
        _, speed, angle, turn = self.state
        force = self.FORCE if action else -self.FORCE
        total, moment = self.CART + self.POLE, self.POLE * self.HALF_LENGTH
        push = (force + moment * turn**2 * math.sin(angle)) / total
        lever = self.HALF_LENGTH * (4 / 3 - self.POLE * math.cos(angle) ** 2 / total)
        turning = (self.GRAVITY * math.sin(angle) - math.cos(angle) * push) / lever
        moving = push - moment * turning * math.cos(angle) / total
        self.state = self.state + self.SECONDS * np.array([speed, moving, turn, turning])
        self.steps += 1
        fallen = abs(self.state[0]) > self.EDGE or abs(self.state[2]) > self.TILT
        return self.state.astype(np.float32), 1.0, bool(fallen or self.steps >= self.longest)


class ActorCritic(tf.keras.Model):
    """A common layer, and two heads: scores of the two actions, and the value of the state."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.common = tf.keras.layers.Dense(hidden, activation="relu")
        self.actor = tf.keras.layers.Dense(2)
        self.critic = tf.keras.layers.Dense(1)

    def call(self, states: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        common = self.common(states)
        return self.actor(common), self.critic(common)


def play(model: ActorCritic, world: CartPole, path: list[np.ndarray] | None = None) -> tuple[tf.Tensor, ...]:
    """One episode: the log-probabilities of the actions taken, the values guessed, and the rewards."""
    state, over = world.reset(), False
    chances, values, rewards = [], [], []
    while not over:
        scores, value = model(tf.constant(state)[tf.newaxis])
        action = int(tf.random.categorical(scores, 1)[0, 0])
        chances.append(tf.nn.log_softmax(scores)[0, action])
        values.append(value[0, 0])
        state, reward, over = world.step(action)
        rewards.append(reward)
        if path is not None:
            path.append(state)
    return tf.stack(chances), tf.stack(values), tf.constant(rewards)


def expected_returns(rewards: tf.Tensor, discount: float) -> tf.Tensor:
    """What is still to come after each step, discounted; brought to mean 0 and deviation 1."""
    returns = tf.scan(lambda later, reward: reward + discount * later, rewards, tf.constant(0.0), reverse=True)
    return (returns - tf.reduce_mean(returns)) / (tf.math.reduce_std(returns) + 1e-6)


def train_episode(
    model: ActorCritic, world: CartPole, optimizer: tf.keras.optimizers.Optimizer, discount: float
) -> int:
    """Play one episode and learn from it; how many steps it had."""
    with tf.GradientTape() as tape:
        chances, values, rewards = play(model, world)
        returns = expected_returns(rewards, discount)
        advantage = tf.stop_gradient(returns - values)
        actor_loss = -tf.reduce_sum(chances * advantage)
        critic_loss = tf.reduce_sum(tf.keras.losses.huber(returns[:, tf.newaxis], values[:, tf.newaxis]))
        loss = actor_loss + critic_loss
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    return len(rewards)


def draw(lengths: list[int], path: list[np.ndarray], longest: int, output: Path) -> None:
    figure = Figure(figsize=(11, 4.2), layout="constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=(3, 2))
    left, place, tilt = figure.add_subplot(grid[:, 0]), figure.add_subplot(grid[0, 1]), figure.add_subplot(grid[1, 1])
    window = min(25, len(lengths))
    mean = np.convolve(lengths, np.ones(window), "full")[: len(lengths)]
    mean /= np.minimum(np.arange(1, len(lengths) + 1), window)
    left.plot(lengths, ".", color="0.7", markersize=4, label="one episode")
    left.plot(mean, color="C0", linewidth=2, label=f"mean of the last {window}")
    left.axhline(longest, color="0.5", linewidth=0.8, linestyle=":")
    left.set(title="How long the pole stays up", xlabel="episode", ylabel="steps", ylim=(0, 1.25 * longest))
    left.legend(frameon=False, loc="upper left", ncols=2)

    states = np.array(path)
    seconds = CartPole.SECONDS * np.arange(1, len(states) + 1)
    for axes, values, edge, label, colour in (
        (place, states[:, 0], CartPole.EDGE, "cart (m)", "C1"),
        (tilt, np.degrees(states[:, 2]), math.degrees(CartPole.TILT), "pole (degrees)", "C2"),
    ):
        axes.plot(seconds, values, color=colour)
        axes.axhspan(edge, 1.2 * edge, color="0.9")
        axes.axhspan(-1.2 * edge, -edge, color="0.9")
        axes.set(ylabel=label, ylim=(-1.2 * edge, 1.2 * edge))
    place.set_title(f"One episode after training, {len(states)} steps")
    tilt.set_xlabel("seconds")
    for axes in (left, place, tilt):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(output, dpi=120)


def main(arguments: Sequence[str] | None = None) -> list[int]:
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--episodes", type=int, default=350, help="how many to play at most")
    parser.add_argument("--longest", type=int, default=300, help="steps after which an episode ends")
    parser.add_argument("--hidden", type=int, default=64, help="units of the common layer")
    parser.add_argument("--learning-rate", type=float, default=0.01)
    parser.add_argument("--discount", type=float, default=0.99)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--output", type=Path, default=Path("actor_critic.png"), help="where the picture goes")
    options = parser.parse_args(arguments)

    tf.keras.utils.set_random_seed(options.seed)
    world = CartPole(options.seed, options.longest)
    model = ActorCritic(options.hidden)
    optimizer = tf.keras.optimizers.Adam(options.learning_rate)
    lengths: list[int] = []
    for episode in range(1, options.episodes + 1):
        lengths.append(train_episode(model, world, optimizer, options.discount))
        recent = float(np.mean(lengths[-25:]))
        if episode % 25 == 0:
            print(f"episode {episode:4}   mean of the last 25: {recent:5.1f} steps", flush=True)
        if len(lengths) >= 25 and recent > 0.95 * options.longest:
            print(f"solved after {episode} episodes")
            break
    path: list[np.ndarray] = []
    play(model, world, path)
    draw(lengths, path, options.longest, options.output)
    print(f"wrote {options.output}")
    return lengths


if __name__ == "__main__":
    main()
