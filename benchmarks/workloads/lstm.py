"""The gradient of an LSTM written by hand: many dependent ops of a middling size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.dialects import Dialect
from benchmarks.step import Array, Data, float32
from benchmarks.workload import EVERYONE, THE_BEST, Gradient, aim, limit

STEPS, FEATURES, UNITS, BATCH = 28, 28, 64, 128


class LSTM(Gradient):
    name = "lstm"
    title = "LSTM by hand, 28 steps, 64 units, batch 128, gradient"
    contestants = EVERYONE
    limits = (limit("gradtape", 1, "torch"), aim("gradtape function", 0.8, *THE_BEST))
    tolerance = 1e-3

    def data(self, rng: np.random.Generator) -> Data:
        """The sequence comes unstacked: one input for each time step."""
        parameters = [
            float32(rng, FEATURES, 4 * UNITS, scale=FEATURES**-0.5),
            float32(rng, UNITS, 4 * UNITS, scale=UNITS**-0.5),
            float32(rng, 4 * UNITS, scale=0.1),
        ]
        start = np.zeros((BATCH, UNITS), np.float32)
        return Data(parameters, [start, *(float32(rng, BATCH, FEATURES) for _ in range(STEPS))])

    def loss(self, d: Dialect, parameters: Sequence[Any], inputs: Sequence[Any]) -> Any:
        w, u, b = parameters
        start, *sequence = inputs
        state, cell = start, start
        for x in sequence:
            entry, forget, candidate, exit_ = d.split(x @ w + state @ u + b, 4)
            cell = d.sigmoid(forget) * cell + d.sigmoid(entry) * d.tanh(candidate)
            state = d.sigmoid(exit_) * d.tanh(cell)
        return d.mean(d.square(state))

    def loss_and_gradient(self, parameters: Sequence[Array], inputs: Sequence[Array]) -> tuple[Any, list[Array]]:
        w, u, b = parameters
        start, *sequence = inputs
        state, cell = start, start
        saved = []
        for x in sequence:
            z = x @ w
            z += state @ u
            z += b
            entry, forget, candidate, exit_ = np.split(z, 4, axis=1)
            i, f, c, o = _sigmoid(entry), _sigmoid(forget), np.tanh(candidate), _sigmoid(exit_)
            new_cell = f * cell + i * c
            bounded = np.tanh(new_cell)
            saved.append((x, state, cell, i, f, c, o, bounded))
            state, cell = o * bounded, new_cell
        loss = np.mean(state * state)

        g_state = state * np.float32(2 / state.size)
        g_cell = np.zeros_like(cell)
        gw, gu, gb = np.zeros_like(w), np.zeros_like(u), np.zeros_like(b)
        for x, before, cell, i, f, c, o, bounded in reversed(saved):
            g_cell = g_cell + g_state * o * (1 - bounded * bounded)
            gz = np.concatenate(
                [
                    g_cell * c * i * (1 - i),
                    g_cell * cell * f * (1 - f),
                    g_cell * i * (1 - c * c),
                    g_state * bounded * o * (1 - o),
                ],
                axis=1,
            )
            gw += x.T @ gz
            gu += before.T @ gz
            gb += gz.sum(0)
            g_state = gz @ u.T
            g_cell *= f
        return loss, [gw, gu, gb]


def _sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))
