"""Gradients have the structure of their sources."""

from typing import Any, assert_type

import gradtape as tf

x = tf.Variable([1.0, 2.0])
y = tf.constant(3.0)
with tf.GradientTape(persistent=True) as tape:
    tape.watch(y)
    z = tf.reduce_sum(x * x) * y
assert_type(tape, tf.GradientTape)

# `| Any` stands for None, which comes where nothing is connected: a gradient is used as a tensor, and may be compared with None.
assert_type(tape.gradient(z, x), tf.Tensor | Any)
assert_type(tape.gradient(z, [x, y]), list[tf.Tensor | Any])
assert_type(tape.gradient(z, (x, y)), tuple[tf.Tensor | Any, ...])
assert_type(tape.gradient(z, {"x": x}), dict[str, tf.Tensor | Any])
assert_type(tape.gradient([z, z], x, output_gradients=[1.0, 2.0], unconnected_gradients="zero"), tf.Tensor | Any)
assert_type(tape.jacobian(x * x, x), tf.Tensor | Any)
assert_type(tape.hessian(z, x), tf.Tensor | Any)
assert_type(tape.hessian(z, [x, y]), list[list[tf.Tensor | Any]])
assert_type(tape.watched_variables(), tuple[tf.Variable, ...])
gradient = tape.gradient(z, x)
if gradient is not None:
    x.assign_sub(0.1 * gradient)
for part, variable in zip(tape.gradient(z, [x]), [x], strict=True):
    variable.assign_sub(0.1 * part)

with tf.autodiff.ForwardAccumulator(y, tf.constant(1.0)) as accumulator:
    square = y * y
assert_type(accumulator.jvp(square), tf.Tensor | Any)


def loss(w: tf.Tensor, scale: float = 1.0) -> tf.Tensor:
    return tf.reduce_sum(w * w) * scale


def loss_of(w: dict[str, tf.Tensor]) -> tf.Tensor:
    return tf.reduce_sum(w["a"])


assert_type(tf.autodiff.grad(loss)(x, scale=2.0), tf.Tensor)
assert_type(tf.autodiff.grad(tf.autodiff.grad(loss))(2.0), tf.Tensor)
assert_type(tf.autodiff.grad(loss_of)({"a": y}), dict[str, tf.Tensor])
assert_type(tf.autodiff.value_and_grad(loss)(x), tuple[tf.Tensor, tf.Tensor])
assert_type(tf.autodiff.hessian(loss)(x), tf.Tensor)
assert_type(tf.autodiff.jacrev(loss)(2.0), tf.Tensor)
assert_type(tf.autodiff.vmap(loss)(tf.ones([3, 2])), tf.Tensor)
assert_type(tf.autodiff.jvp(loss, [2.0], [1.0]), tuple[tf.Tensor, tf.Tensor])


@tf.custom_gradient
def clipped(t: tf.Tensor) -> tuple[tf.Tensor, Any]:
    def gradient(upstream: tf.Tensor) -> tf.Tensor:
        return tf.clip_by_norm(upstream, 1.0)

    return t, gradient


assert_type(clipped(y), tf.Tensor)
