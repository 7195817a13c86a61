"""A regression in strict types, and tapes on structures."""

from __future__ import annotations

from typing import Any, assert_type

import numpy as np
import numpy.typing as npt

import gradtape as tf


def make_data(n: int, seed: int = 0) -> tuple[tf.Tensor, tf.Tensor]:
    g = tf.random.Generator.from_seed(seed)
    x = g.normal([n, 3])
    assert_type(x, tf.Tensor)
    y = tf.linalg.matvec(x, [1.0, -2.0, 0.5]) + 0.1 * g.normal([n])
    assert_type(y, tf.Tensor)
    return x, y


class Linear(tf.Module):
    def __init__(self, n: int, name: str | None = None) -> None:
        super().__init__(name=name)
        self.w = tf.Variable(tf.zeros([n]), name="w")
        self.b: tf.Variable = tf.Variable(0.0)

    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        return tf.linalg.matvec(x, self.w) + self.b


def mse(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
    return tf.reduce_mean(tf.math.squared_difference(a, b))


@tf.function
def step(model: Linear, x: tf.Tensor, y: tf.Tensor, rate: float) -> tf.Tensor:
    with tf.GradientTape() as tape:
        loss = mse(model(x), y)
    gw, gb = tape.gradient(loss, (model.w, model.b))
    model.w.assign_sub(rate * gw)
    model.b.assign_sub(rate * gb)
    return loss


x, y = make_data(20)
model = Linear(3)
losses: list[float] = []
for _ in range(5):
    losses.append(float(step(model, x, y, 0.1)))
assert_type(step(model, x, y, 0.1), tf.Tensor)
history: npt.NDArray[Any] = np.array(losses)
arr = x.numpy()
print(arr[0], history.mean())
assert_type(model.variables, tuple[tf.Variable, ...])
assert_type(model.name, str)
assert_type(model.w.name, str)
assert_type(model.w.shape, tf.TensorShape)
assert_type(model.w.shape[0], int | Any)
assert_type(x.shape.rank, int | Any)
assert_type(x.shape.as_list(), list[int | Any])
assert_type(len(x), int)

a, b = tf.Variable(1.0), tf.Variable([2.0, 3.0])
params: dict[str, tf.Variable] = {"a": a, "b": b}
with tf.GradientTape(watch_accessed_variables=False, persistent=True) as tape:
    tape.watch([a, b])
    tape.watch(a)
    loss = tf.reduce_sum(a * b)
grads = tape.gradient(loss, params)
assert_type(grads, dict[str, tf.Tensor | Any])
for key, g in grads.items():
    params[key].assign_sub(0.1 * g)
gl = tape.gradient(loss, list(params.values()))
assert_type(gl, list[tf.Tensor | Any])
clipped, norm = tf.clip_by_global_norm(gl, 1.0)
assert_type(norm, tf.Tensor)
assert_type(clipped, list[tf.Tensor])
ga, gb = tape.gradient(loss, (a, b))
assert_type(ga, tf.Tensor | Any)
nested = tape.gradient(loss, {"x": [a, b]})
with tf.GradientTape() as paused, paused.stop_recording():
    print(loss * 2)
with tf.GradientTape() as t2:
    with tf.GradientTape() as t1:
        y = a * a
    dy = t1.gradient(y, a)
assert_type(t2.gradient(dy, a), tf.Tensor | Any)
assert_type(tape.jacobian(b * 2.0, b, experimental_use_pfor=False), tf.Tensor | Any)
with tf.GradientTape() as t3:
    t3.watch(x := tf.ones([3, 2]))
    z = x * x
assert_type(t3.batch_jacobian(z, x), tf.Tensor)
total: tf.Tensor = sum((tf.reduce_sum(v) for v in params.values()), start=tf.constant(0.0))
print(total, sum([tf.constant(1.0), tf.constant(2.0)]))
