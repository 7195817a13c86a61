"""What a round of the soak does, on several threads at once, and what must come out of it to the byte."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import gradtape as tf

Bytes = tuple[bytes, ...]
ROWS, COLUMNS = 300, 100
UPDATES = 60  # of each shared variable, by each thread that counts


def data(seed: int) -> tf.data.Dataset:
    """256 examples, the same for every pass over a new dataset, through all kinds of steps that have threads."""
    x = np.random.default_rng(seed).normal(size=(256, 32)).astype(np.float32)
    dataset = tf.data.Dataset.from_tensor_slices((x, x.sum(1, keepdims=True)))
    dataset = dataset.cache().shuffle(256, seed=seed).map(lambda x, y: (x * 2.0, y), num_parallel_calls=2)
    return dataset.batch(32).prefetch(2)


def train_function(seed: int, folder: Path) -> Bytes:
    """A traced step with an optimizer in one pass; half way everything is saved, and restored into new objects."""

    def model(start: bool) -> tf.Module:
        made = tf.Module()
        random = np.random.default_rng(seed)
        made.weights = [
            tf.Variable(random.normal(size=shape).astype(np.float32) * (0.1 if start else 0.0))
            for shape in ((32, 256), (256,), (256, 1), (1,))
        ]
        made.slots = [[tf.Variable(tf.zeros_like(w)) for w in made.weights] for _ in range(2)]
        made.step = tf.Variable(0.0)
        return made

    def step(module: tf.Module) -> Any:
        @tf.function
        def run(x: Any, y: Any) -> Any:
            w1, b1, w2, b2 = module.weights
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((tf.tanh(x @ w1 + b1) @ w2 + b2 - y) ** 2)
            module.step.assign_add(1.0)
            powers = [tf.pow(beta, module.step) for beta in (0.9, 0.999)]
            found = tape.gradient(loss, module.weights)
            for weight, m, v, gradient in zip(module.weights, *module.slots, found, strict=True):
                tf.raw_ops.ResourceApplyAdam(
                    var=weight, m=m, v=v, beta1_power=powers[0], beta2_power=powers[1], lr=0.01,
                    beta1=0.9, beta2=0.999, epsilon=1e-7, grad=gradient,
                )  # fmt: skip
            return loss

        return run

    module = model(start=True)
    run = step(module)
    losses = [run(x, y).numpy().tobytes() for x, y in data(seed)]
    path = tf.train.Checkpoint(module=module).save(folder / f"train-{seed}" / "ckpt")
    module = model(start=False)
    tf.train.Checkpoint(module=module).restore(path).assert_consumed()
    run = step(module)
    losses += [run(x, y).numpy().tobytes() for x, y in data(seed + 1)]
    return (*losses, *(w.numpy().tobytes() for w in module.weights))


def train_keras(seed: int, folder: Path) -> Bytes:
    """A Keras model, fitted, saved as a file, loaded and fitted again."""
    layers = tf.keras.layers
    tf.keras.utils.clear_session()
    start = functools.partial(tf.keras.initializers.GlorotUniform, seed=seed)
    model = tf.keras.Sequential(
        [
            tf.keras.Input((32,)),
            layers.Dense(64, "relu", kernel_initializer=start()),
            layers.BatchNormalization(),
            layers.Dropout(0.2, seed=seed),
            layers.Dense(1, kernel_initializer=start()),
        ]
    )
    model.compile(optimizer="adam", loss="mse", metrics=["mae"])
    first = model.fit(data(seed), epochs=2, verbose=0).history
    path = folder / f"model-{seed}.keras"
    model.save(path)
    again = tf.keras.models.load_model(path)
    second = again.fit(data(seed), epochs=1, verbose=0).history
    return (repr(first).encode(), repr(second).encode(), *(w.tobytes() for w in again.get_weights()))


class Shared:
    """Variables that all threads change at once; every update must arrive."""

    def __init__(self) -> None:
        self.large = tf.Variable(tf.zeros([ROWS, COLUMNS]))
        self.scattered = tf.Variable(tf.zeros([ROWS, COLUMNS]))
        self.small = tf.Variable(0, dtype=tf.int64)
        self._rows = tf.IndexedSlices(tf.ones([ROWS, COLUMNS]), tf.range(ROWS))
        self._ones = tf.ones([ROWS, COLUMNS])
        self.updates = 0  # of each variable

    def count(self, seed: int, folder: Path) -> Bytes:
        """Add one many times, in eager code and in a function."""

        @tf.function
        def traced() -> None:
            self.large.assign_add(self._ones)
            self.scattered.scatter_add(self._rows)
            self.small.assign_add(1)

        for _ in range(UPDATES // 2):
            traced()
            self.large.assign_add(self._ones)
            self.scattered.scatter_add(self._rows)
            self.small.assign_add(1)
        return ()

    def save(self, seed: int, folder: Path) -> Bytes:
        """Save while others write: each variable is whole in the file."""
        names = ("large", "scattered", "small")
        for _ in range(4):
            saved = tf.train.Checkpoint(**{name: getattr(self, name) for name in names})
            path = saved.save(folder / f"shared-{seed}" / "ckpt")
            for name in names:
                value = tf.train.load_variable(path, f"{name}/.ATTRIBUTES/VARIABLE_VALUE")
                if np.ptp(value):
                    raise AssertionError(f"{name!r} was saved half changed: {np.unique(value)}")
        return ()

    def check(self, counters: int) -> None:
        """Every update of a round has arrived."""
        self.updates += counters * UPDATES
        for variable in (self.large, self.scattered, self.small):
            if (variable.numpy() != self.updates).any():
                raise AssertionError(f"{self.updates} updates were made, {np.unique(variable.numpy())} arrived.")
        if self.updates > 1 << 22:  # (whole numbers are exact in float32 up to 1 << 24)
            for variable in (self.large, self.scattered, self.small):
                variable.assign(tf.zeros_like(variable))
            self.updates = 0


Work = Callable[[int, Path], Bytes]


def at_once(works: list[tuple[Work, int]], folder: Path) -> list[Bytes]:
    """Run each on a thread of its own; what they give, or the first error."""
    results: list[Any] = [None] * len(works)

    def run(place: int, work: Work, seed: int) -> None:
        try:
            results[place] = work(seed, folder)
        except BaseException as error:
            results[place] = error

    threads = [threading.Thread(target=run, args=(place, *work)) for place, work in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results
