"""What a library does before it computes: tracing and compiling networks, and one product of small and of large matrices."""

from __future__ import annotations

import numpy as np

from benchmarks.dialects import Dialect
from benchmarks.step import Data, Step, Unavailable, float32
from benchmarks.workload import Workload, limit
from benchmarks.workloads.transformer import Transformer

FIRST_CALLS = (limit("gradtape function", 0.3, "tf function"), limit("gradtape function", 0.5, "jax jit"))


class DeepTransformer(Transformer):
    title = "transformer, 12 blocks, d 256, 512 tokens, gradient"
    blocks = 12
    sequences = 4


class TracedProduct(Workload):
    """A function of one matrix product is traced and not run: the time should not depend on the size."""

    contestants = ("gradtape function", "tf function", "jax jit")

    def __init__(self, size: int) -> None:
        self.size = size
        self.name = f"trace-matmul-{size}"  # type: ignore[misc]
        self.title = f"tracing a product of {size} x {size} matrices"  # type: ignore[misc]

    def data(self, rng: np.random.Generator) -> Data:
        return Data([], [float32(rng, self.size, self.size), float32(rng, self.size, self.size)])

    def step(self, dialect: Dialect, data: Data) -> Step:
        return dialect.tracing("matmul", *data.inputs)

    def by_hand(self, data: Data) -> Step:
        raise Unavailable("NumPy traces nothing")
