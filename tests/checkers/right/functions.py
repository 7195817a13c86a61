"""`tf.function` keeps parameters and result; modules and optimizers."""

from typing import assert_type

import gradtape as tf


@tf.function
def power(x: tf.Tensor, n: int = 2) -> tf.Tensor:
    return x**n


@tf.function(jit_compile=True, input_signature=[tf.TensorSpec([None], tf.float32)])
def pair(x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    return x, x


assert_type(power(tf.constant(2.0), n=3), tf.Tensor)
assert_type(pair(tf.constant([2.0])), tuple[tf.Tensor, tf.Tensor])
assert_type(power.experimental_get_tracing_count(), int)


class Dense(tf.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__(name="dense")
        self.w = tf.Variable(tf.random.normal([inputs, outputs]), name="w")

    @tf.function
    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        return x @ self.w

    @tf.function
    def scaled(self, x: tf.Tensor, by: float) -> tf.Tensor:
        return self(x) * by


dense = Dense(2, 3)
assert_type(dense(tf.ones([1, 2])), tf.Tensor)
assert_type(dense.scaled(tf.ones([1, 2]), by=2.0), tf.Tensor)
assert_type(dense.trainable_variables, tuple[tf.Variable, ...])
with tf.GradientTape() as tape:
    loss = tf.reduce_mean(tf.square(dense(tf.ones([1, 2]))))
for gradient, variable in zip(tape.gradient(loss, dense.trainable_variables), dense.trainable_variables, strict=True):
    variable.assign_sub(0.1 * gradient)
assert_type(tf.cond(loss > 0, lambda: loss, lambda: -loss), tf.Tensor)
assert_type(tf.map_fn(tf.tanh, tf.ones([2, 2])), tf.Tensor)
checkpoint = tf.train.Checkpoint(model=dense)
assert_type(checkpoint.save("checkpoint"), str)


def same(value: tf.types.experimental.TensorLike) -> tf.Tensor:
    return tf.convert_to_tensor(value)


def traces(compiled: tf.types.experimental.GenericFunction) -> int:
    return compiled.experimental_get_tracing_count()


def name_of(concrete: tf.types.experimental.ConcreteFunction) -> str:
    return str(concrete.name)


assert_type(same([1.0, 2.0]), tf.Tensor)
assert_type(tf.vectorized_map(same, tf.ones([3, 2])), tf.Tensor)
