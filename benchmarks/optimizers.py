"""The two optimizers of the training rows, each said once for each library."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.step import Array

Update = Callable[[Sequence[Any]], None]


class Optimizer(ABC):
    """How parameters move along their gradients.

    Learning rates are small, so that thousands of timed steps change little: a network fitted to its only
    batch has gradients that underflow, and arithmetic on those is slow.
    """

    @abstractmethod
    def numpy(self, parameters: Sequence[Array]) -> Update: ...

    @abstractmethod
    def tensorflow(self, tf: Any, parameters: Sequence[Any]) -> Update: ...

    @abstractmethod
    def torch(self, torch: Any, parameters: Sequence[Any]) -> Any:
        """The optimizer object of the library."""

    @abstractmethod
    def jax(self, jnp: Any, parameters: Sequence[Any]) -> tuple[Any, Callable[[Any, Any, Any], Any]]:
        """The first slots, and a function from (parameters, gradients, slots) to new parameters and slots."""


@dataclass(frozen=True)
class SGD(Optimizer):
    learning_rate: float = 1e-2

    def numpy(self, parameters: Sequence[Array]) -> Update:
        def update(gradients: Sequence[Array]) -> None:
            for parameter, gradient in zip(parameters, gradients, strict=True):
                parameter -= self.learning_rate * gradient

        return update

    def tensorflow(self, tf: Any, parameters: Sequence[Any]) -> Update:
        def update(gradients: Sequence[Any]) -> None:
            for parameter, gradient in zip(parameters, gradients, strict=True):
                parameter.assign_sub(self.learning_rate * gradient)

        return update

    def torch(self, torch: Any, parameters: Sequence[Any]) -> Any:
        return torch.optim.SGD(parameters, self.learning_rate)

    def jax(self, jnp: Any, parameters: Sequence[Any]) -> tuple[Any, Callable[[Any, Any, Any], Any]]:
        def update(parameters: Any, gradients: Any, slots: Any) -> Any:
            return [p - self.learning_rate * g for p, g in zip(parameters, gradients, strict=True)], slots

        return (), update


@dataclass(frozen=True)
class Adam(Optimizer):
    """In TensorFlow's dialect it is written out in ops, or one in-place op for each parameter."""

    in_place: bool = False
    learning_rate: float = 1e-5
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8

    def numpy(self, parameters: Sequence[Array]) -> Update:
        moments = [(np.zeros_like(p), np.zeros_like(p), np.empty_like(p)) for p in parameters]
        steps = 0

        def update(gradients: Sequence[Array]) -> None:
            nonlocal steps
            steps += 1
            rate = self.learning_rate * (1 - self.beta2**steps) ** 0.5 / (1 - self.beta1**steps)
            for parameter, gradient, (m, v, scratch) in zip(parameters, gradients, moments, strict=True):
                np.multiply(gradient, 1 - self.beta1, out=scratch)
                m *= self.beta1
                m += scratch
                np.multiply(gradient, gradient, out=scratch)
                scratch *= 1 - self.beta2
                v *= self.beta2
                v += scratch
                np.sqrt(v, out=scratch)
                scratch += self.epsilon
                np.divide(m, scratch, out=scratch)
                scratch *= rate
                parameter -= scratch

        return update

    def tensorflow(self, tf: Any, parameters: Sequence[Any]) -> Update:
        moments = [(tf.Variable(tf.zeros_like(p)), tf.Variable(tf.zeros_like(p))) for p in parameters]
        steps = tf.Variable(0.0)
        step = self._as_one_op if self.in_place else self._in_ops

        def update(gradients: Sequence[Any]) -> None:
            steps.assign_add(1.0)
            apply = step(tf, tf.pow(self.beta1, steps), tf.pow(self.beta2, steps))
            for parameter, gradient, (m, v) in zip(parameters, gradients, moments, strict=True):
                apply(parameter, gradient, m, v)

        return update

    def _in_ops(self, tf: Any, beta1_power: Any, beta2_power: Any) -> Callable[..., None]:
        rate = self.learning_rate * tf.sqrt(1.0 - beta2_power) / (1.0 - beta1_power)

        def apply(parameter: Any, gradient: Any, m: Any, v: Any) -> None:
            m.assign(self.beta1 * m + (1 - self.beta1) * gradient)
            v.assign(self.beta2 * v + (1 - self.beta2) * tf.square(gradient))
            parameter.assign_sub(rate * m / (tf.sqrt(v) + self.epsilon))

        return apply

    def _as_one_op(self, tf: Any, beta1_power: Any, beta2_power: Any) -> Callable[..., None]:
        def apply(parameter: Any, gradient: Any, m: Any, v: Any) -> None:
            tf.raw_ops.ResourceApplyAdam(
                var=parameter.handle,
                m=m.handle,
                v=v.handle,
                beta1_power=beta1_power,
                beta2_power=beta2_power,
                lr=self.learning_rate,
                beta1=self.beta1,
                beta2=self.beta2,
                epsilon=self.epsilon,
                grad=gradient,
            )

        return apply

    def torch(self, torch: Any, parameters: Sequence[Any]) -> Any:
        return torch.optim.Adam(parameters, self.learning_rate, (self.beta1, self.beta2), self.epsilon)

    def jax(self, jnp: Any, parameters: Sequence[Any]) -> tuple[Any, Callable[[Any, Any, Any], Any]]:
        def update(parameters: Any, gradients: Any, slots: Any) -> Any:
            steps, ms, vs = slots
            steps = steps + 1
            rate = self.learning_rate * jnp.sqrt(1 - self.beta2**steps) / (1 - self.beta1**steps)
            ms = [self.beta1 * m + (1 - self.beta1) * g for m, g in zip(ms, gradients, strict=True)]
            vs = [self.beta2 * v + (1 - self.beta2) * g * g for v, g in zip(vs, gradients, strict=True)]
            moved = [p - rate * m / (jnp.sqrt(v) + self.epsilon) for p, m, v in zip(parameters, ms, vs, strict=True)]
            return moved, (steps, ms, vs)

        ms, vs = ([jnp.zeros_like(p) for p in parameters] for _ in range(2))
        return (jnp.float32(0), ms, vs), update
