"""The gradient of two transformer blocks over 1,024 tokens."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.dialects import Dialect
from benchmarks.step import Array, Data, float32
from benchmarks.workload import EVERYONE, THE_BEST, Gradient, aim, limit

SEQUENCES, LENGTH, WIDTH, HEADS = 8, 128, 256, 4
INNER = 4 * WIDTH
PARAMETERS_OF_A_BLOCK = 12


class Transformer(Gradient):
    """Blocks that normalize first: x + attention(norm(x)), then x + mlp(norm(x)), with GELU (tanh form)."""

    name = "transformer"
    title = "transformer, 2 blocks, d 256, 1,024 tokens, gradient"
    contestants = (*EVERYONE, "gradtape xla")
    limits = (
        limit("gradtape", 1.2, "torch"),
        aim("gradtape function", 0.9, *THE_BEST),
        aim("gradtape xla", 1.15, "jax jit"),
    )
    tolerance = 1e-3
    blocks = 2
    sequences = SEQUENCES

    def data(self, rng: np.random.Generator) -> Data:
        parameters = []
        for _ in range(self.blocks):
            parameters += [
                *_norm(rng),
                *_dense(rng, WIDTH, 3 * WIDTH),
                *_dense(rng, WIDTH, WIDTH),
                *_norm(rng),
                *_dense(rng, WIDTH, INNER),
                *_dense(rng, INNER, WIDTH),
            ]
        return Data(parameters, [float32(rng, self.sequences, LENGTH, WIDTH)])

    def loss(self, d: Dialect, parameters: Sequence[Any], inputs: Sequence[Any]) -> Any:
        (x,) = inputs
        for block in _blocks(parameters):
            x = self.block(d, x, *block)
        return d.mean(d.square(x))

    def block(self, d: Dialect, x: Any, *parameters: Any) -> Any:
        scale1, shift1, w_qkv, b_qkv, w_out, b_out, scale2, shift2, w_up, b_up, w_down, b_down = parameters
        projected = d.split(d.dense(d.layer_norm(x, scale1, shift1), w_qkv, b_qkv), 3)
        q, k, v = [
            d.transpose(d.reshape(part, (self.sequences, LENGTH, HEADS, WIDTH // HEADS)), (0, 2, 1, 3))
            for part in projected
        ]
        mixed = d.transpose(d.attention(q, k, v), (0, 2, 1, 3))
        x = x + d.dense(d.reshape(mixed, (self.sequences, LENGTH, WIDTH)), w_out, b_out)
        inner = d.gelu(d.dense(d.layer_norm(x, scale2, shift2), w_up, b_up))
        return x + d.dense(inner, w_down, b_down)

    def loss_and_gradient(self, parameters: Sequence[Array], inputs: Sequence[Array]) -> tuple[Any, list[Array]]:
        x = inputs[0].reshape(-1, WIDTH)
        blocks = _blocks(parameters)
        kept = []
        for block in blocks:
            x, saved = _block(x, block)
            kept.append(saved)
        loss = np.mean(x * x)

        gradient = x * np.float32(2 / x.size)
        gradients: list[Array] = []
        for block, saved in zip(reversed(blocks), reversed(kept), strict=True):
            gradient, block_gradients = _block_gradient(gradient, block, saved)
            gradients = block_gradients + gradients
        return loss, gradients


def _norm(rng: np.random.Generator) -> tuple[Array, Array]:
    return 1 + float32(rng, WIDTH, scale=0.1), float32(rng, WIDTH, scale=0.1)


def _dense(rng: np.random.Generator, fan_in: int, fan_out: int) -> tuple[Array, Array]:
    return float32(rng, fan_in, fan_out, scale=fan_in**-0.5), float32(rng, fan_out, scale=0.1)


def _blocks(parameters: Sequence[Any]) -> list[Sequence[Any]]:
    n = PARAMETERS_OF_A_BLOCK
    return [parameters[start : start + n] for start in range(0, len(parameters), n)]


# By hand, on rows (tokens, width) instead of (sequences, length, width).


def _block(x: Array, block: Sequence[Array]) -> tuple[Array, tuple[Any, ...]]:
    scale1, shift1, w_qkv, b_qkv, w_out, b_out, scale2, shift2, w_up, b_up, w_down, b_down = block
    normal1 = _layer_norm(x)
    seen1 = normal1[0] * scale1 + shift1
    q, k, v = (_heads(part) for part in np.split(seen1 @ w_qkv + b_qkv, 3, axis=1))
    weights = _softmax(q @ k.swapaxes(2, 3) * np.float32(1 / math.sqrt(WIDTH // HEADS)))
    mixed = _rows(weights @ v)
    x = x + (mixed @ w_out + b_out)
    normal2 = _layer_norm(x)
    seen2 = normal2[0] * scale2 + shift2
    up = seen2 @ w_up + b_up
    inner, slope = _gelu(up)
    out = x + (inner @ w_down + b_down)
    return out, (normal1, seen1, q, k, v, weights, mixed, normal2, seen2, inner, slope)


def _block_gradient(g: Array, block: Sequence[Array], saved: tuple[Any, ...]) -> tuple[Array, list[Array]]:
    """Of the block's input and of its parameters."""
    scale1, _, w_qkv, _, w_out, _, scale2, _, w_up, _, w_down, _ = block
    normal1, seen1, q, k, v, weights, mixed, normal2, seen2, inner, slope = saved

    g_up = (g @ w_down.T) * slope
    of_down = [inner.T @ g, g.sum(0)]
    of_up = [seen2.T @ g_up, g_up.sum(0)]
    g_normal, of_norm2 = _layer_norm_gradient(g_up @ w_up.T, scale2, *normal2)
    g = g + g_normal

    of_out = [mixed.T @ g, g.sum(0)]
    g_mixed = _heads(g @ w_out.T)
    g_weights = g_mixed @ v.swapaxes(2, 3)
    g_scores = weights * (g_weights - np.sum(g_weights * weights, axis=-1, keepdims=True))
    g_scores *= np.float32(1 / math.sqrt(WIDTH // HEADS))
    g_heads = (g_scores @ k, g_scores.swapaxes(2, 3) @ q, weights.swapaxes(2, 3) @ g_mixed)
    g_qkv = np.concatenate([_rows(part) for part in g_heads], axis=1)
    of_qkv = [seen1.T @ g_qkv, g_qkv.sum(0)]
    g_normal, of_norm1 = _layer_norm_gradient(g_qkv @ w_qkv.T, scale1, *normal1)
    return g + g_normal, [*of_norm1, *of_qkv, *of_out, *of_norm2, *of_up, *of_down]


def _heads(rows: Array) -> Array:
    return rows.reshape(SEQUENCES, LENGTH, HEADS, -1).transpose(0, 2, 1, 3)


def _rows(heads: Array) -> Array:
    return heads.transpose(0, 2, 1, 3).reshape(SEQUENCES * LENGTH, -1)


def _softmax(scores: Array) -> Array:
    scores -= scores.max(-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(-1, keepdims=True)
    return scores


def _layer_norm(x: Array) -> tuple[Array, Array]:
    """The normalized rows, and what they were multiplied by."""
    centered = x - x.mean(-1, keepdims=True)
    factor = 1 / np.sqrt(np.mean(centered * centered, axis=-1, keepdims=True) + np.float32(1e-5))
    centered *= factor
    return centered, factor


def _layer_norm_gradient(g: Array, scale: Array, normal: Array, factor: Array) -> tuple[Array, list[Array]]:
    """Of the rows; and of scale and shift."""
    scaled = g * scale
    along = np.mean(scaled * normal, axis=-1, keepdims=True)
    of_rows = (scaled - scaled.mean(-1, keepdims=True) - normal * along) * factor
    return of_rows, [np.sum(g * normal, axis=0), g.sum(0)]


def _gelu(x: Array) -> tuple[Array, Array]:
    """The value and the derivative."""
    rate, cubic = np.float32(math.sqrt(2 / math.pi)), np.float32(0.044715)
    squared = x * x
    bounded = np.tanh(rate * x * (1 + cubic * squared))
    value = 0.5 * x * (1 + bounded)
    slope = 0.5 * (1 + bounded) + 0.5 * x * (1 - bounded * bounded) * rate * (1 + 3 * cubic * squared)
    return value, slope
