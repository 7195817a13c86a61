"""TensorFlow's dialect, spoken by TensorFlow and by gradtape."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from benchmarks.dialects.dialect import Dialect, Loss
from benchmarks.optimizers import Optimizer
from benchmarks.step import Array, Data, Step


class TensorFlow(Dialect):
    words: ClassVar[Mapping[str, str]] = {
        "sin": "sin",
        "tanh": "tanh",
        "exp": "exp",
        "sigmoid": "sigmoid",
        "square": "square",
        "relu": "nn.relu",
        "sum": "reduce_sum",
        "mean": "reduce_mean",
        "reshape": "reshape",
        "stack": "stack",
        "transpose": "transpose",
        "lookup": "gather",
    }

    def array(self, value: Any) -> Array | Sequence[Array]:
        if isinstance(value, np.ndarray):
            return value
        if isinstance(value, self.module.IndexedSlices):
            return [value.values.numpy(), value.indices.numpy()]
        return np.asarray(value.numpy())

    def call(self, function: str, *operands: Array) -> Step:
        return self.apply(getattr(self.module, function), *operands)

    def apply(self, function: Callable[..., Any], *operands: Array) -> Step:
        return Step(self.compiled(function), tuple(self.module.constant(operand) for operand in operands))

    def tracing(self, function: str, *operands: Array) -> Step:
        tf = self.module
        tensors = [tf.constant(operand) for operand in operands]

        def trace() -> Array:
            traced = self.compiled(lambda *arguments: getattr(tf, function)(*arguments))
            return np.asarray(traced.get_concrete_function(*tensors).structured_outputs.shape)

        return Step(trace)

    def batches(self, images: Array, labels: Array, size: int, maps: bool) -> Callable[[], Any]:
        tf = self.module

        def scale(image: Any, label: Any) -> Any:
            return tf.cast(image, tf.float32) / 255.0, label

        dataset = tf.data.Dataset.from_tensor_slices((images, labels))
        if maps:
            dataset = dataset.map(scale, num_parallel_calls=tf.data.AUTOTUNE)
        dataset = dataset.shuffle(len(images)).batch(size).prefetch(tf.data.AUTOTUNE)
        return lambda: iter(dataset)

    def value(self, function: Loss, data: Data) -> Step:
        run = self.compiled(lambda parameters, inputs: function(self, parameters, inputs))
        return Step(run, self._tensors(data))

    def repeat(self, rounds: Any, turn: Callable[..., Any], state: tuple[Any, ...], rows: Any = None) -> Sequence[Any]:
        def count(place: Any, *state: Any) -> Any:
            return place + 1, *turn(*state, *(() if rows is None else (rows[place],)))

        return self.module.while_loop(lambda place, *state: place < rounds, count, (0, *state))[1:]  # type: ignore[no-any-return]

    def gradient(self, loss: Loss, data: Data) -> Step:
        return self._gradient(loss, data)

    def gradient_of_rounds(self, loss: Loss, data: Data, rounds: int) -> Step:
        return self._gradient(loss, data, self.module.constant(rounds))

    def _gradient(self, loss: Loss, data: Data, *arguments: Any) -> Step:
        tf = self.module
        parameters, inputs = self._tensors(data)
        sources = parameters[0] if len(parameters) == 1 else parameters

        def gradient(*arguments: Any) -> Any:
            with tf.GradientTape() as tape:
                value = loss(self, parameters, [*inputs, *arguments])
            return value, tape.gradient(value, sources)

        return Step(self.compiled(gradient), arguments)

    def gradient_of_tensors(self, loss: Loss, data: Data) -> Step:
        """The parameters are arguments: a traced function would fold small constants away."""
        tf = self.module
        _, inputs = self._tensors(data)

        def gradient(*parameters: Any) -> Any:
            sources = parameters[0] if len(parameters) == 1 else parameters
            with tf.GradientTape() as tape:
                tape.watch(sources)
                value = loss(self, parameters, inputs)
            return value, tape.gradient(value, sources)

        return Step(self.compiled(gradient), tuple(tf.constant(array) for array in data.parameters))

    def watched_gradient(self, loss: Loss, data: Data, watch: Sequence[int]) -> Step:
        """As `gradient`, with a tape that watches these parameters only, instead of all that it sees read."""
        tf = self.module
        parameters, inputs = self._tensors(data)
        watched = [parameters[i] for i in watch]

        def gradient() -> Any:
            with tf.GradientTape(watch_accessed_variables=False) as tape:
                tape.watch(watched)
                value = loss(self, parameters, inputs)
            return value, tape.gradient(value, parameters)

        return Step(self.compiled(gradient))

    def training(self, loss: Loss, data: Data, optimizer: Optimizer) -> Step:
        tf = self.module
        parameters, inputs = self._tensors(data)
        update = optimizer.tensorflow(tf, parameters)

        def step() -> Any:
            with tf.GradientTape() as tape:
                value = loss(self, parameters, inputs)
            update(tape.gradient(value, parameters))
            return value

        return Step(self.compiled(step), state=lambda: parameters)

    def field(self, u: Callable[[Any, Any], Any], x: Any, t: Any) -> Sequence[Any]:
        tf = self.module
        with tf.GradientTape(watch_accessed_variables=False) as outer:
            outer.watch(x)
            with tf.GradientTape(watch_accessed_variables=False) as inner:
                inner.watch([x, t])
                value = u(x, t)
            u_x, u_t = inner.gradient(value, [x, t])
        return value, u_x, u_t, outer.gradient(u_x, x)

    def minimum(self, loss: Loss, data: Data, steps: int) -> Step:
        tf = self.module
        (x,), _ = self._tensors(data)
        traced = self.compiled(lambda: loss(self, [x], []))

        def run(start: Any) -> Any:
            x.assign(start)
            return tf.optimize.minimize(traced, [x], options={"maxiter": steps}).x[0]

        return Step(run, (tf.constant(data.parameters[0]),))

    def jacobian(self, function: Loss, data: Data) -> Step:
        tf = self.module
        parameters, inputs = self._tensors(data)

        def jacobian(x: Any) -> Any:
            with tf.GradientTape(watch_accessed_variables=False) as tape:
                tape.watch(x)
                y = function(self, parameters, [x])
            return tape.jacobian(y, x)

        return Step(self.compiled(jacobian), tuple(inputs))

    def _tensors(self, data: Data) -> tuple[list[Any], list[Any]]:
        """Parameters become variables."""
        tf = self.module
        return [tf.Variable(array) for array in data.parameters], [tf.constant(array) for array in data.inputs]

    def gelu(self, x: Any) -> Any:
        return self.module.nn.gelu(x, approximate=True)

    def split(self, x: Any, parts: int) -> Sequence[Any]:
        return self.module.split(x, parts, axis=-1)  # type: ignore[no-any-return]

    def dense(self, x: Any, weights: Any, bias: Any) -> Any:
        return x @ weights + bias

    def head(self, images: Any, kernel: Any, bias: Any) -> Any:
        tf = self.module
        return tf.reshape(images, (images.shape[0], -1)) @ tf.reshape(kernel, (-1, kernel.shape[-1])) + bias

    def convolution(self, images: Any, kernel: Any, bias: Any) -> Any:
        return self.module.nn.conv2d(images, kernel, strides=1, padding="VALID") + bias

    def same_convolution(self, images: Any, kernel: Any, stride: int) -> Any:
        return self.module.nn.conv2d(images, kernel, strides=stride, padding="SAME")

    def batch_norm(self, images: Any, scale: Any, shift: Any) -> Any:
        tf = self.module
        mean, variance = tf.nn.moments(images, axes=[0, 1, 2])
        return tf.nn.batch_normalization(images, mean, variance, shift, scale, 1e-5)

    def mean_of_positions(self, images: Any) -> Any:
        return self.module.reduce_mean(images, axis=[1, 2])

    def max_pool(self, images: Any) -> Any:
        return self.module.nn.max_pool2d(images, 2, 2, "VALID")

    def layer_norm(self, x: Any, scale: Any, shift: Any) -> Any:
        tf = self.module
        centered = x - tf.reduce_mean(x, axis=-1, keepdims=True)
        variance = tf.reduce_mean(tf.square(centered), axis=-1, keepdims=True)
        return centered * tf.math.rsqrt(variance + 1e-5) * scale + shift

    def attention(self, q: Any, k: Any, v: Any) -> Any:
        tf = self.module
        scores = tf.matmul(q, k, transpose_b=True) * (1 / math.sqrt(q.shape[-1]))
        return tf.nn.softmax(scores) @ v

    def cross_entropy(self, logits: Any, labels: Any) -> Any:
        tf = self.module
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
