"""gradtape's functions on XLA. As JAX's calls, theirs return before the work is done; as there, inputs are arguments."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.dialects.dialect import Loss
from benchmarks.dialects.tensorflow import TensorFlow
from benchmarks.optimizers import Optimizer
from benchmarks.step import Data, Step, no_state


class Xla(TensorFlow):
    def __init__(self, tf: Any) -> None:
        super().__init__(tf, functools.partial(tf.function, engine="xla"))

    def gradient(self, loss: Loss, data: Data) -> Step:
        tf = self.module
        parameters, inputs = self._tensors(data)

        def gradient(*inputs: Any) -> Any:
            with tf.GradientTape() as tape:
                value = loss(self, parameters, inputs)
            return value, tape.gradient(value, parameters)

        return self._waiting(gradient, inputs)

    def training(self, loss: Loss, data: Data, optimizer: Optimizer) -> Step:
        tf = self.module
        parameters, inputs = self._tensors(data)
        update = optimizer.tensorflow(tf, parameters)

        def step(*inputs: Any) -> Any:
            with tf.GradientTape() as tape:
                value = loss(self, parameters, inputs)
            update(tape.gradient(value, parameters))
            return value

        return self._waiting(step, inputs, lambda: parameters)

    def _waiting(
        self, function: Callable[..., Any], inputs: Sequence[Any], state: Callable[[], Sequence[Any]] = no_state
    ) -> Step:
        """A step on inputs that are on the device, which waits for the first of its results: they are ready together."""
        from gradtape.xla.arrays import on_device, put

        compiled = self.compiled(function)

        def run(*inputs: Any) -> Any:
            results = compiled(*inputs)
            first = results[0] if isinstance(results, list | tuple) else results
            first._buffer.block_until_ready()
            return results

        return Step(run, tuple(on_device(put(x._array)) for x in inputs), state)
