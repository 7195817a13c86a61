"""The training step of TensorFlow's actor-critic tutorial: an environment in Python, loops, arrays that grow, a tape and Adam."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.dialects import Dialect
from benchmarks.step import Array, Data, Step, Unavailable, float32
from benchmarks.workload import Workload

UNITS = 128
MOST_STEPS = 30
DISCOUNT = 0.99
# Weights and biases of the hidden layer, the actor and the critic.
SHAPES = ((4, UNITS), (UNITS,), (UNITS, 2), (2,), (UNITS, 1), (1,))


class Pole:
    """A pole on a cart, as in CartPole: position, velocity, angle and its velocity; the same course in each episode."""

    def __init__(self) -> None:
        self._state = np.zeros(4)

    def reset(self) -> Array:
        self._state = np.array([0.01, -0.02, 0.03, 0.04])
        return self._state.astype(np.float32)

    def step(self, action: Any) -> tuple[Array, Array, Array]:
        """The state after a push to the left or right, the reward, and whether the episode is over."""
        position, velocity, angle, turn = self._state
        push = 10.0 if action == 1 else -10.0
        cos, sin = np.cos(angle), np.sin(angle)
        drive = (push + 0.05 * turn * turn * sin) / 1.1
        bend = (9.8 * sin - cos * drive) / (0.5 * (4 / 3 - 0.1 * cos * cos / 1.1))
        speed = drive - 0.05 * bend * cos / 1.1
        self._state = np.array(
            [position + 0.02 * velocity, velocity + 0.02 * speed, angle + 0.02 * turn, turn + 0.02 * bend]
        )
        is_over = abs(self._state[0]) > 2.4 or abs(self._state[2]) > 0.2095
        return self._state.astype(np.float32), np.array(1, np.int32), np.array(is_over, np.int32)


class ActorCritic(Workload):
    name = "actor-critic"
    title = "actor-critic, training step"
    contestants = ("gradtape function", "tf function")
    tolerance = 1e-3

    def data(self, rng: np.random.Generator) -> Data:
        return Data([0.1 * float32(rng, *shape) for shape in SHAPES], [])

    def step(self, dialect: Dialect, data: Data) -> Step:
        tf = dialect.module
        weights = [tf.Variable(array) for array in data.parameters]
        pole = Pole()
        train = dialect.compiled(_training_step(tf, weights, pole))
        return Step(lambda: train(tf.constant(pole.reset()), tf.constant(MOST_STEPS)), state=lambda: weights)

    def by_hand(self, data: Data) -> Step:
        raise Unavailable("what is compared is how long tracing takes")


def _training_step(tf: Any, weights: Sequence[Any], pole: Pole) -> Callable[..., Any]:
    """The step as the tutorial has it, with the likelier action in place of a random one, so that all play the same game."""
    first = [tf.Variable(tf.zeros_like(weight)) for weight in weights]
    second = [tf.Variable(tf.zeros_like(weight)) for weight in weights]
    count = tf.Variable(0.0)

    def model(state: Any) -> tuple[Any, Any]:
        hidden = tf.nn.relu(tf.matmul(state, weights[0]) + weights[1])
        return tf.matmul(hidden, weights[2]) + weights[3], tf.matmul(hidden, weights[4]) + weights[5]

    def run_episode(state: Any, most: Any) -> tuple[Any, Any, Any]:
        probabilities = tf.TensorArray(dtype=tf.float32, size=0, dynamic_size=True)
        values = tf.TensorArray(dtype=tf.float32, size=0, dynamic_size=True)
        rewards = tf.TensorArray(dtype=tf.int32, size=0, dynamic_size=True)
        shape = state.shape
        for t in tf.range(most):
            state = tf.expand_dims(state, 0)
            logits, value = model(state)
            action = tf.argmax(logits, 1)[0]
            values = values.write(t, tf.squeeze(value))
            probabilities = probabilities.write(t, tf.nn.softmax(logits)[0, action])
            state, reward, is_over = tf.numpy_function(pole.step, [action], [tf.float32, tf.int32, tf.int32])
            state.set_shape(shape)
            rewards = rewards.write(t, reward)
            if tf.cast(is_over, tf.bool):
                break
        return probabilities.stack(), values.stack(), rewards.stack()

    def expected_returns(rewards: Any) -> Any:
        rounds = tf.shape(rewards)[0]
        returns = tf.TensorArray(dtype=tf.float32, size=rounds)
        rewards = tf.cast(rewards[::-1], dtype=tf.float32)
        total = tf.constant(0.0)
        shape = total.shape
        for i in tf.range(rounds):
            total = rewards[i] + DISCOUNT * total
            total.set_shape(shape)
            returns = returns.write(i, total)
        returns = returns.stack()[::-1]
        return (returns - tf.math.reduce_mean(returns)) / (tf.math.reduce_std(returns) + 1e-7)

    def loss_of(probabilities: Any, values: Any, returns: Any) -> Any:
        actor = -tf.math.reduce_sum(tf.math.log(probabilities) * (returns - values))
        error = tf.abs(values - returns)
        return actor + tf.reduce_sum(tf.where(error <= 1.0, 0.5 * error * error, error - 0.5))

    def train_step(state: Any, most: Any) -> Any:
        with tf.GradientTape() as tape:
            probabilities, values, rewards = run_episode(state, most)
            returns = expected_returns(rewards)
            columns = [tf.expand_dims(x, 1) for x in [probabilities, values, returns]]
            loss = loss_of(*columns)
        gradients = tape.gradient(loss, weights)
        count.assign_add(1.0)
        rate = 0.01 * tf.sqrt(1.0 - 0.999**count) / (1.0 - 0.9**count)
        for weight, m, v, g in zip(weights, first, second, gradients, strict=True):
            m.assign_add((g - m) * 0.1)
            v.assign_add((g * g - v) * 0.001)
            weight.assign_sub(rate * m / (tf.sqrt(v) + 1e-7))
        return loss

    return train_step
