"""One pass over images in memory: each is scaled, and they come shuffled, in batches, made ahead of the loop."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.dialects import Dialect
from benchmarks.step import Array, Data, Step
from benchmarks.workload import Workload, limit

BATCH = 128


class Pipeline(Workload):
    """PyTorch's DataLoader works in the process itself: with two workers of its own it is slower here."""

    name = "pipeline"
    title = "8,192 images: map, shuffle, batch of 128, prefetch"
    contestants = ("numpy", "gradtape", "tf", "torch")
    limits = (limit("gradtape", 1, "tf"), limit("gradtape", 1, "torch"))

    maps = True

    def data(self, rng: np.random.Generator) -> Data:
        images = rng.integers(0, 256, (8_192, 28, 28), dtype=np.uint8)
        return Data([], [images, rng.integers(0, 10, 8_192)])

    def step(self, dialect: Dialect, data: Data) -> Step:
        images, labels = data.inputs
        return Step(_checked, (dialect.batches(images, labels, BATCH, self.maps),))

    def by_hand(self, data: Data) -> Step:
        images, labels = data.inputs
        rng = np.random.default_rng(0)

        def batches() -> Any:
            order = rng.permutation(len(images))
            for start in range(0, len(order), BATCH):
                rows = order[start : start + BATCH]
                pixels = images[rows]
                yield (pixels.astype(np.float32) / np.float32(255) if self.maps else pixels), labels[rows]

        return Step(_checked, (batches,))


class ShuffledBatches(Pipeline):
    """Nothing but shuffling and slicing: a batch out of arrays costs one copy."""

    name = "shuffled-batches"
    title = "8,192 images: shuffle, batch of 128, prefetch"
    maps = False


def _checked(batches: Any) -> list[Array]:
    """What was seen in the pass: how many images, their labels, one pixel of each."""
    count, classes, pixels = 0, 0, 0.0
    for images, labels in batches():
        count += len(labels)
        classes += int(np.asarray(labels).sum())
        pixels += float(np.asarray(images)[:, 14, 14].sum(dtype=np.float64))
    return [np.float64(count), np.float64(classes), np.float64(pixels)]  # type: ignore[list-item]
