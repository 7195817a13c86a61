"""A training step of ResNet-50. There are no gradients by hand: the libraries are held against each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.dialects import Dialect
from benchmarks.optimizers import SGD
from benchmarks.step import Array, Data, Unavailable, float32
from benchmarks.workload import Training


class ResNet(Training):
    """He et al., 2015: bottlenecks of 1 x 1, 3 x 3 and 1 x 1 convolutions, each with batch normalization.

    The pool after the first convolution is one of 2 x 2. The last scale of each bottleneck begins small, as is usual; with ones,
    float32 leaves two digits of the gradients, and the libraries could not be compared.
    """

    name = "resnet-50"
    optimizer = SGD(learning_rate=1.0)  # how far a parameter moves, which is compared, is its gradient
    # At 224 pixels the gradients of the first step, in float32 against float64 of the same library, are off by up to 0.6 % in
    # TensorFlow and 0.2 % in gradtape. The tolerance leaves room for the other libraries.
    tolerance = 5e-2
    classes = 1000

    def __init__(
        self,
        stages: Sequence[int] = (3, 4, 6, 3),
        width: int = 64,
        pixels: int = 224,
        batch: int = 2,
        title: str = "ResNet-50",
    ) -> None:
        self.stages, self.width, self.pixels, self.batch = stages, width, pixels, batch
        self.title = f"{title}, {pixels}x{pixels}, batch {batch}, SGD step"  # type: ignore[misc]

    def data(self, rng: np.random.Generator) -> Data:
        parameters = _convolution(rng, 7, 3, self.width)
        channels = self.width
        for stage, blocks in enumerate(self.stages):
            inner = self.width << stage
            for block in range(blocks):
                parameters += _convolution(rng, 1, channels, inner)
                parameters += _convolution(rng, 3, inner, inner)
                parameters += _convolution(rng, 1, inner, 4 * inner, gain=0.2)
                if not block:
                    parameters += _convolution(rng, 1, channels, 4 * inner)
                channels = 4 * inner
        parameters += [
            float32(rng, channels, self.classes, scale=channels**-0.5),
            float32(rng, self.classes, scale=0.1),
        ]
        images = float32(rng, self.batch, self.pixels, self.pixels, 3)
        return Data(parameters, [images, rng.integers(self.classes, size=self.batch, dtype=np.int32)])

    def loss(self, d: Dialect, parameters: Sequence[Any], inputs: Sequence[Any]) -> Any:
        images, labels = inputs
        left = iter(parameters)

        def convolution(x: Any, stride: int = 1) -> Any:
            return d.batch_norm(d.same_convolution(x, next(left), stride), next(left), next(left))

        x = d.max_pool(d.relu(convolution(images, 2)))
        for stage, blocks in enumerate(self.stages):
            for block in range(blocks):
                stride = 2 if stage and not block else 1
                inner = d.relu(convolution(x))
                inner = d.relu(convolution(inner, stride))
                inner = convolution(inner)
                x = d.relu(inner + (x if block else convolution(x, stride)))
        return d.cross_entropy(d.dense(d.mean_of_positions(x), next(left), next(left)), labels)

    def loss_and_gradient(self, parameters: Sequence[Array], inputs: Sequence[Array]) -> tuple[Any, list[Array]]:
        raise Unavailable("nobody has written these gradients by hand")


def _convolution(rng: np.random.Generator, size: int, channels: int, filters: int, gain: float = 1.0) -> list[Array]:
    """A kernel, and scale and shift of the normalization behind it."""
    scale = (2 / (size * size * channels)) ** 0.5
    return [
        float32(rng, size, size, channels, filters, scale=scale),
        gain + float32(rng, filters, scale=0.1),
        float32(rng, filters, scale=0.1),
    ]
