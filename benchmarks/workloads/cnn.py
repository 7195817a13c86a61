"""A training step of a small convolutional network on images of digits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from benchmarks.dialects import Dialect
from benchmarks.optimizers import SGD
from benchmarks.step import Array, Data, float32
from benchmarks.workload import EVERYONE, THE_BEST, Training, aim, limit
from benchmarks.workloads import classification


class CNN(Training):
    """From 28 x 28 by 3 x 3 filters and 2 x 2 pools to 13 x 13 x 32, to 5 x 5 x 64, and to 10 logits."""

    name = "cnn"
    title = "CNN 28x28, 32 and 64 filters, batch 128, SGD step"
    optimizer = SGD()
    contestants = (*EVERYONE, "gradtape xla", "torch channels_last")
    limits = (
        limit("gradtape", 1.5, "torch"),
        aim("gradtape function", 0.8, *THE_BEST),
        aim("gradtape xla", 1.15, "jax jit"),
    )

    def data(self, rng: np.random.Generator) -> Data:
        parameters = [
            float32(rng, 3, 3, 1, 32, scale=0.4),
            float32(rng, 32, scale=0.1),
            float32(rng, 3, 3, 32, 64, scale=0.08),
            float32(rng, 64, scale=0.1),
            float32(rng, 5, 5, 64, classification.CLASSES, scale=0.03),
            float32(rng, classification.CLASSES, scale=0.1),
        ]
        return Data(parameters, [float32(rng, classification.BATCH, 28, 28, 1), classification.labels(rng)])

    def loss(self, d: Dialect, parameters: Sequence[Any], inputs: Sequence[Any]) -> Any:
        images, labels = inputs
        k1, b1, k2, b2, k3, b3 = parameters
        x = d.max_pool(d.relu(d.convolution(images, k1, b1)))
        x = d.max_pool(d.relu(d.convolution(x, k2, b2)))
        return d.cross_entropy(d.head(x, k3, b3), labels)

    def loss_and_gradient(self, parameters: Sequence[Array], inputs: Sequence[Array]) -> tuple[Any, list[Array]]:
        images, labels = inputs
        k1, b1, k2, b2, k3, b3 = parameters
        patches1 = _patches(images)
        h1 = np.maximum(_convolved(patches1, k1, b1), 0)
        p1 = _pooled(h1)
        patches2 = _patches(p1)
        h2 = np.maximum(_convolved(patches2, k2, b2), 0)
        p2 = _pooled(h2)
        flat, weights = p2.reshape(len(p2), -1), k3.reshape(-1, k3.shape[-1])
        loss, logits_gradient = classification.cross_entropy(flat @ weights + b3, labels)

        g2 = _pool_and_relu_gradient((logits_gradient @ weights.T).reshape(p2.shape), h2, p2)
        g1 = _pool_and_relu_gradient(_patches_gradient(g2, k2), h1, p1)
        return loss, [
            *_convolution_gradient(patches1, g1, k1),
            *_convolution_gradient(patches2, g2, k2),
            (flat.T @ logits_gradient).reshape(k3.shape),
            logits_gradient.sum(0),
        ]


def _patches(images: Array) -> Array:
    """What each output of a 3 x 3 convolution sees, as rows: (positions, 9 * channels)."""
    n, height, width, channels = images.shape
    windows = sliding_window_view(images, (3, 3), axis=(1, 2))  # n, height - 2, width - 2, channels, 3, 3
    return windows.transpose(0, 1, 2, 4, 5, 3).reshape(n, height - 2, width - 2, 9 * channels)


def _convolved(patches: Array, kernel: Array, bias: Array) -> Array:
    out: Array = patches @ kernel.reshape(-1, kernel.shape[-1])
    out += bias
    return out


def _convolution_gradient(patches: Array, gradient: Array, kernel: Array) -> tuple[Array, Array]:
    """Of the kernel and of the bias."""
    rows = gradient.reshape(-1, gradient.shape[-1])
    return (patches.reshape(len(rows), -1).T @ rows).reshape(kernel.shape), rows.sum(0)


def _patches_gradient(gradient: Array, kernel: Array) -> Array:
    """Of the convolution's images: each position gives to the 3 x 3 it has seen."""
    n, height, width, filters = gradient.shape
    channels = kernel.shape[2]
    given = (gradient @ kernel.reshape(-1, filters).T).reshape(n, height, width, 3, 3, channels)
    out = np.zeros((n, height + 2, width + 2, channels), gradient.dtype)
    for row in range(3):
        for column in range(3):
            out[:, row : row + height, column : column + width] += given[:, :, :, row, column]
    return out


def _pooled(x: Array) -> Array:
    """The largest of each 2 x 2; an odd last row or column belongs to none."""
    height, width = x.shape[1] // 2 * 2, x.shape[2] // 2 * 2
    x = np.maximum(x[:, 0:height:2, :width], x[:, 1:height:2, :width])
    return np.maximum(x[:, :, 0:width:2], x[:, :, 1:width:2])


def _pool_and_relu_gradient(gradient: Array, x: Array, pooled: Array) -> Array:
    """Through pool(relu(z)), where x = relu(z): to the largest of each window, if it is above zero."""
    out = np.zeros_like(x)
    alive = np.where(pooled > 0, gradient, 0)
    height, width = 2 * pooled.shape[1], 2 * pooled.shape[2]
    for row in range(2):
        for column in range(2):
            corner = np.s_[:, row:height:2, column:width:2]
            out[corner] = alive * (x[corner] == pooled)
    return out
