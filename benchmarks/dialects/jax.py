"""JAX's dialect. Its calls return before the work is done, so every step waits for its results."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from benchmarks.dialects.dialect import Compiler, Dialect, Loss, as_written
from benchmarks.optimizers import Optimizer
from benchmarks.step import Array, Data, Step


class Jax(Dialect):
    words: ClassVar[Mapping[str, str]] = {
        "sin": "numpy.sin",
        "tanh": "numpy.tanh",
        "exp": "numpy.exp",
        "sigmoid": "nn.sigmoid",
        "square": "numpy.square",
        "relu": "nn.relu",
        "gelu": "nn.gelu",
        "sum": "numpy.sum",
        "mean": "numpy.mean",
        "reshape": "numpy.reshape",
        "stack": "numpy.stack",
        "transpose": "numpy.transpose",
    }

    def __init__(self, module: Any, compiled: Compiler = as_written) -> None:
        super().__init__(module, compiled)
        # The results of one compiled call are ready together, and waiting for the first is cheaper.
        self._wait = module.block_until_ready if compiled is as_written else _wait_for_first

    def call(self, function: str, *operands: Array) -> Step:
        return self.apply(getattr(self.module.numpy, function), *operands)

    def apply(self, function: Callable[..., Any], *operands: Array) -> Step:
        asarray = self.module.numpy.asarray
        return self._waiting(self.compiled(function), [asarray(operand) for operand in operands])

    def value(self, function: Loss, data: Data) -> Step:
        run = self.compiled(lambda parameters, inputs: function(self, parameters, inputs))
        return self._waiting(run, self._tensors(data))

    def repeat(self, rounds: Any, turn: Callable[..., Any], state: tuple[Any, ...], rows: Any = None) -> Sequence[Any]:
        def count(state: Any, row: Any) -> Any:
            return tuple(turn(*state, *(() if row is None else (row,)))), None

        return self.module.lax.scan(count, state, rows, length=rounds)[0]  # type: ignore[no-any-return]

    def roll(self, x: Any, by: int) -> Any:
        return self.module.numpy.roll(x, by)

    def tracing(self, function: str, *operands: Array) -> Step:
        jnp = self.module.numpy
        tensors = [jnp.asarray(operand) for operand in operands]

        def trace() -> Array:
            traced = self.compiled(lambda *arguments: getattr(jnp, function)(*arguments))
            return np.asarray(traced.lower(*tensors).out_info.shape)

        return Step(trace)

    def gradient(self, loss: Loss, data: Data) -> Step:
        gradient = self.compiled(self.module.value_and_grad(lambda parameters, inputs: loss(self, parameters, inputs)))
        return self._waiting(gradient, self._tensors(data))

    def training(self, loss: Loss, data: Data, optimizer: Optimizer) -> Step:
        jax = self.module
        parameters, inputs = self._tensors(data)
        slots, update = optimizer.jax(jax.numpy, parameters)
        state = parameters, slots

        def advance(state: Any, inputs: Any) -> Any:
            parameters, slots = state
            value, gradients = jax.value_and_grad(lambda parameters: loss(self, parameters, inputs))(parameters)
            return value, update(parameters, gradients, slots)

        compiled = self.compiled(advance, donate_argnums=0)  # the new state may take the place of the old

        def step() -> Any:
            nonlocal state
            value, state = self._wait(compiled(state, inputs))
            return value

        return Step(step, state=lambda: state[0])

    def field(self, u: Callable[[Any, Any], Any], x: Any, t: Any) -> Sequence[Any]:
        grad = self.module.grad

        def slope(x: Any, t: Any) -> Any:
            return grad(lambda x: u(x, t).sum())(x)

        u_t = grad(lambda t: u(x, t).sum())(t)
        return u(x, t), slope(x, t), u_t, grad(lambda x: slope(x, t).sum())(x)

    def minimum(self, loss: Loss, data: Data, steps: int) -> Step:
        from scipy import optimize

        gradient = self.compiled(self.module.value_and_grad(lambda x: loss(self, [x], [])))

        def function(vector: Array) -> tuple[float, Array]:
            value, slope = gradient(vector.astype(np.float32))
            return float(value), np.asarray(slope, np.float64)

        def run(start: Array) -> Any:
            return optimize.minimize(function, start, jac=True, method="L-BFGS-B", options={"maxiter": steps}).x

        return Step(run, tuple(data.parameters))

    def jacobian(self, function: Loss, data: Data) -> Step:
        parameters, inputs = self._tensors(data)
        return self._waiting(
            self.compiled(self.module.jacrev(lambda x, parameters: function(self, parameters, [x]))),
            (*inputs, parameters),
        )

    def _waiting(self, function: Callable[..., Any], arguments: Sequence[Any]) -> Step:
        wait = self._wait
        return Step(lambda *arguments: wait(function(*arguments)), tuple(arguments))

    def _tensors(self, data: Data) -> tuple[list[Any], list[Any]]:
        asarray = self.module.numpy.asarray
        return [asarray(array) for array in data.parameters], [asarray(array) for array in data.inputs]

    def split(self, x: Any, parts: int) -> Sequence[Any]:
        return self.module.numpy.split(x, parts, axis=-1)  # type: ignore[no-any-return]

    def lookup(self, table: Any, ids: Any) -> Any:
        return table[ids]

    def dense(self, x: Any, weights: Any, bias: Any) -> Any:
        return x @ weights + bias

    def head(self, images: Any, kernel: Any, bias: Any) -> Any:
        return images.reshape(len(images), -1) @ kernel.reshape(-1, kernel.shape[-1]) + bias

    def convolution(self, images: Any, kernel: Any, bias: Any) -> Any:
        lax = self.module.lax
        layout = ("NHWC", "HWIO", "NHWC")
        return lax.conv_general_dilated(images, kernel, (1, 1), "VALID", dimension_numbers=layout) + bias

    def same_convolution(self, images: Any, kernel: Any, stride: int) -> Any:
        lax = self.module.lax
        layout = ("NHWC", "HWIO", "NHWC")
        return lax.conv_general_dilated(images, kernel, (stride, stride), "SAME", dimension_numbers=layout)

    def batch_norm(self, images: Any, scale: Any, shift: Any) -> Any:
        mean = images.mean((0, 1, 2))
        variance = self.module.numpy.square(images - mean).mean((0, 1, 2))
        return (images - mean) * (self.module.lax.rsqrt(variance + 1e-5) * scale) + shift

    def mean_of_positions(self, images: Any) -> Any:
        return images.mean((1, 2))

    def max_pool(self, images: Any) -> Any:
        lax = self.module.lax
        window = (1, 2, 2, 1)
        return lax.reduce_window(images, -math.inf, lax.max, window, window, "VALID")

    def layer_norm(self, x: Any, scale: Any, shift: Any) -> Any:
        centered = x - x.mean(-1, keepdims=True)
        variance = (centered * centered).mean(-1, keepdims=True)
        return centered * self.module.lax.rsqrt(variance + 1e-5) * scale + shift

    def attention(self, q: Any, k: Any, v: Any) -> Any:
        scores = q @ k.swapaxes(-1, -2) * (1 / math.sqrt(q.shape[-1]))
        return self.module.nn.softmax(scores) @ v

    def cross_entropy(self, logits: Any, labels: Any) -> Any:
        jnp = self.module.numpy
        chosen = jnp.take_along_axis(self.module.nn.log_softmax(logits), labels[:, None], axis=-1)
        return -chosen.mean()


def _wait_for_first(results: Any) -> Any:
    first = results
    while isinstance(first, list | tuple):
        first = first[0]
    first.block_until_ready()
    return results
