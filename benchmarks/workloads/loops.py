"""Loops inside compiled functions: many rounds of little work, forward and backward."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from benchmarks.dialects import Dialect
from benchmarks.step import Array, Data, Step, float32
from benchmarks.workload import Gradient, Limit, Workload, aim, limit
from benchmarks.workloads.lstm import BATCH, LSTM, STEPS, UNITS

COMPILED = ("numpy", "gradtape function", "tf function", "jax jit")
ROUNDS = 1000


class Rounds(Workload):
    name = "loop"
    title = "1,000 rounds of a loop on two floats"
    contestants = COMPILED
    limits = (limit("gradtape function", 0.3, "tf function"), aim("gradtape function", 1, "jax jit"))

    def data(self, rng: np.random.Generator) -> Data:
        return Data([], [np.array(2.0, np.float32), np.array(0.5, np.float32)])

    def run(self, d: Dialect, parameters: Sequence[Any], inputs: Sequence[Any]) -> Any:
        """Two numbers that turn about each other."""
        first, _ = d.repeat(ROUNDS, lambda a, b: (a * 0.999 + b * 0.01, b * 0.999 - a * 0.01), tuple(inputs))
        return first

    def step(self, dialect: Dialect, data: Data) -> Step:
        return dialect.value(self.run, data)

    def by_hand(self, data: Data) -> Step:
        def run(a: Any, b: Any) -> Any:
            keep, turn = np.float32(0.999), np.float32(0.01)
            for _ in range(ROUNDS):
                a, b = a * keep + b * turn, b * keep - a * turn
            return a

        return Step(run, tuple(data.inputs))


class RoundsGradient(Gradient):
    name = "loop-gradient"
    title = "1,000 rounds of a loop on two floats, gradient"
    contestants = COMPILED
    limits = (limit("gradtape function", 0.3, "tf function"), aim("gradtape function", 1, "jax jit"))

    def data(self, rng: np.random.Generator) -> Data:
        return Data([np.array(0.8, np.float32)], [np.array(0.5, np.float32)])

    def loss(self, d: Dialect, parameters: Sequence[Any], inputs: Sequence[Any]) -> Any:
        (start,), (forcing,) = parameters, inputs
        return d.repeat(ROUNDS, lambda y, f: (y + 0.01 * d.sin(y) * f, f), (start, forcing))[0]

    def loss_and_gradient(self, parameters: Sequence[Array], inputs: Sequence[Array]) -> tuple[Any, list[Array]]:
        (y,), (forcing,) = parameters, inputs
        small, kept = np.float32(0.01), []
        for _ in range(ROUNDS):
            kept.append(y)
            y = y + small * np.sin(y) * forcing
        g = np.float32(1)
        for before in reversed(kept):
            g = g + g * forcing * small * np.cos(before)
        return y, [np.asarray(g)]


class Heat(Gradient):
    name = "heat"
    title = "heat equation, 200 cells, 1,000 steps, gradient"
    contestants = COMPILED
    limits = (limit("gradtape function", 1.5, "numpy"), aim("gradtape function", 0.8, "jax jit"))

    def data(self, rng: np.random.Generator) -> Data:
        return Data([float32(rng, 200)], [])

    def loss(self, d: Dialect, parameters: Sequence[Any], inputs: Sequence[Any]) -> Any:
        (u,) = d.repeat(ROUNDS, lambda u: (u + 0.1 * (d.roll(u, 1) - 2.0 * u + d.roll(u, -1)),), tuple(parameters))
        return d.sum(d.square(u))

    def loss_and_gradient(self, parameters: Sequence[Array], inputs: Sequence[Array]) -> tuple[Any, list[Array]]:
        (u,) = parameters
        rate, two = np.float32(0.1), np.float32(2)
        for _ in range(ROUNDS):
            u = u + rate * (np.roll(u, 1) - two * u + np.roll(u, -1))
        g = two * u
        for _ in range(ROUNDS):
            g = g + rate * (np.roll(g, -1) - two * g + np.roll(g, 1))
        return np.sum(u * u), [g]


class RungeKutta(Gradient):
    name = "runge-kutta"
    title = "Runge-Kutta, a pendulum, 1,000 steps, gradient"
    contestants = (*COMPILED, "gradtape jit")
    limits = (limit("gradtape function", 1, "tf function"), aim("gradtape function", 0.3, "jax jit"))
    tolerance = 1e-3

    def data(self, rng: np.random.Generator) -> Data:
        return Data([np.array([1.0, 0.0], np.float32)], [])

    def loss(self, d: Dialect, parameters: Sequence[Any], inputs: Sequence[Any]) -> Any:
        h = 0.01

        def slope(y: Any) -> Any:
            return d.stack([y[1], -d.sin(y[0])])

        def turn(y: Any) -> tuple[Any]:
            k1 = slope(y)
            k2 = slope(y + h / 2 * k1)
            k3 = slope(y + h / 2 * k2)
            k4 = slope(y + h * k3)
            return (y + h / 6 * (k1 + 2.0 * k2 + 2.0 * k3 + k4),)

        (y,) = d.repeat(ROUNDS, turn, tuple(parameters))
        return d.sum(d.square(y))

    def loss_and_gradient(self, parameters: Sequence[Array], inputs: Sequence[Array]) -> tuple[Any, list[Array]]:
        h, kept, y = np.float32(0.01), [], parameters[0]

        def slope(y: Array) -> Array:
            return np.array([y[1], -np.sin(y[0])], np.float32)

        def back(at: Array, g: Array) -> Array:
            return np.array([-g[1] * np.cos(at[0]), g[0]], np.float32)

        half, sixth = h / np.float32(2), h / np.float32(6)
        for _ in range(ROUNDS):
            k1 = slope(y)
            k2 = slope(second := y + half * k1)
            k3 = slope(third := y + half * k2)
            k4 = slope(fourth := y + h * k3)
            kept.append((y, second, third, fourth))
            y = y + sixth * (k1 + 2 * k2 + 2 * k3 + k4)
        g = 2 * y
        for y0, second, third, fourth in reversed(kept):
            g4 = back(fourth, sixth * g)
            g3 = back(third, 2 * sixth * g + h * g4)
            g2 = back(second, 2 * sixth * g + half * g3)
            g1 = back(y0, sixth * g + half * g2)
            g = g + g1 + g2 + g3 + g4
        return np.sum(y * y), [g]


class Lorenz(Gradient):
    name = "lorenz"
    title = "Runge-Kutta, Lorenz's equations, 1,000 steps, gradient"
    contestants = COMPILED
    limits = (limit("gradtape function", 1, "tf function"), limit("gradtape function", 0.3, "jax jit"))
    tolerance = 1e-2  # (what was rounded in a different way grows by a factor of 10,000)

    def data(self, rng: np.random.Generator) -> Data:
        return Data([np.array([1.0, 1.0, 1.0], np.float32), np.array([10.0, 28.0, 8 / 3], np.float32)], [])

    def loss(self, d: Dialect, parameters: Sequence[Any], inputs: Sequence[Any]) -> Any:
        start, rates = parameters
        h = 0.01

        def slope(s: Any) -> Any:
            x, y, z = s[0], s[1], s[2]
            return d.stack([rates[0] * (y - x), x * (rates[1] - z) - y, x * y - rates[2] * z])

        def turn(s: Any) -> tuple[Any]:
            k1 = slope(s)
            k2 = slope(s + h / 2 * k1)
            k3 = slope(s + h / 2 * k2)
            k4 = slope(s + h * k3)
            return (s + h / 6 * (k1 + 2.0 * k2 + 2.0 * k3 + k4),)

        (s,) = d.repeat(ROUNDS, turn, (start,))
        return d.sum(d.square(s))

    def loss_and_gradient(self, parameters: Sequence[Array], inputs: Sequence[Array]) -> tuple[Any, list[Array]]:
        s, rates = parameters
        h, kept = np.float32(0.01), []
        half, sixth = h / np.float32(2), h / np.float32(6)

        def slope(s: Array) -> Array:
            x, y, z = s
            return np.array([rates[0] * (y - x), x * (rates[1] - z) - y, x * y - rates[2] * z], np.float32)

        def back(s: Array, g: Array) -> tuple[Array, Array]:
            (x, y, z), (a, b, c) = s, g
            by_x, by_y, by_z = (
                b * (rates[1] - z) + c * y - a * rates[0],
                a * rates[0] - b + c * x,
                -b * x - c * rates[2],
            )
            return np.array([by_x, by_y, by_z], np.float32), np.array([a * (y - x), b * x, -c * z], np.float32)

        for _ in range(ROUNDS):
            k1 = slope(s)
            k2 = slope(second := s + half * k1)
            k3 = slope(third := s + half * k2)
            k4 = slope(fourth := s + h * k3)
            kept.append((s, second, third, fourth))
            s = s + sixth * (k1 + 2 * k2 + 2 * k3 + k4)
        g, of_rates = 2 * s, np.zeros(3, np.float32)
        for first, second, third, fourth in reversed(kept):
            g4, r4 = back(fourth, sixth * g)
            g3, r3 = back(third, 2 * sixth * g + h * g4)
            g2, r2 = back(second, 2 * sixth * g + half * g3)
            g1, r1 = back(first, sixth * g + half * g2)
            g, of_rates = g + g1 + g2 + g3 + g4, of_rates + r1 + r2 + r3 + r4
        return np.sum(s * s), [g, of_rates]


class LoopedLSTM(LSTM):
    name = "lstm-loop"
    title = f"LSTM by hand in a loop over {STEPS} steps, {UNITS} units, batch {BATCH}, gradient"
    contestants: ClassVar[tuple[str, ...]] = (*COMPILED, "gradtape xla")
    limits: ClassVar[tuple[Limit, ...]] = (
        aim("gradtape function", 1, "tf function"),
        aim("gradtape function", 0.8, "jax jit"),
        aim("gradtape xla", 1.15, "jax jit"),
    )

    def loss(self, d: Dialect, parameters: Sequence[Any], inputs: Sequence[Any]) -> Any:
        return self.looped(d, parameters, inputs, STEPS)

    def looped(self, d: Dialect, parameters: Sequence[Any], inputs: Sequence[Any], steps: Any) -> Any:
        w, u, b = parameters
        start, *sequence = inputs

        def turn(state: Any, cell: Any, x: Any) -> tuple[Any, Any]:
            entry, forget, candidate, exit_ = d.split(x @ w + state @ u + b, 4)
            cell = d.sigmoid(forget) * cell + d.sigmoid(entry) * d.tanh(candidate)
            return d.sigmoid(exit_) * d.tanh(cell), cell

        state, _ = d.repeat(steps, turn, (start, start), d.stack(sequence))
        return d.mean(d.square(state))


class LSTMOfUnknownLength(LoopedLSTM):
    """The number of steps is an argument of the compiled function; JAX, whose scan has to know it, is told."""

    name = "lstm-length"
    title = f"LSTM by hand in a loop of unknown length, {UNITS} units, batch {BATCH}, gradient"
    contestants = COMPILED
    limits = (aim("gradtape function", 1, "tf function"), aim("gradtape function", 0.8, "jax jit"))

    def step(self, dialect: Dialect, data: Data) -> Step:
        return dialect.gradient_of_rounds(self.loss, data, STEPS)

    def loss(self, d: Dialect, parameters: Sequence[Any], inputs: Sequence[Any]) -> Any:
        *inputs, steps = inputs
        return self.looped(d, parameters, inputs, steps)
