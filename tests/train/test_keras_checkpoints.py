"""Checkpoints of Keras models and optimizers: built or not, restored to the byte."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.base.context import RESTORATIONS

keras = tf.keras
layers = keras.layers

X = np.random.default_rng(0).normal(size=(32, 4)).astype(np.float32)
Y = X.sum(1, keepdims=True)


@pytest.fixture(autouse=True)
def _nothing_waits_after_a_test():
    yield
    RESTORATIONS.clear()


def sequential():
    return keras.Sequential(
        [layers.Dense(8, activation="relu"), layers.BatchNormalization(), layers.Dropout(0.5, seed=1), layers.Dense(1)]
    )


def functional():
    inputs = keras.Input((4,))
    hidden = layers.Dense(5, activation="tanh")(inputs)
    return keras.Model(inputs, layers.Dense(1)(layers.Concatenate()([hidden, inputs])))


class Subclassed(keras.Model):
    def __init__(self):
        super().__init__()
        self.first = layers.Dense(6)
        self.rest = [layers.Dense(5), layers.Dense(1)]
        self.scale = self.add_weight(shape=(), initializer="ones", name="scale")

    def call(self, x, training=False):
        h = tf.nn.relu(self.first(x)) * self.scale
        for layer in self.rest:
            h = layer(h)
        return h


MODELS = [sequential, functional, Subclassed]


def train(model, optimizer, steps):
    losses = []
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(X, training=True) - Y) ** 2)
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        losses.append(loss.numpy().tobytes())
    return losses, [v.numpy().tobytes() for v in (*model.variables, *optimizer.variables)]


@pytest.mark.parametrize("make", MODELS)
@pytest.mark.parametrize("built", [True, False])
def test_a_stopped_run_goes_on_with_the_same_bytes(tmp_path, make, built):
    model, optimizer = make(), keras.optimizers.Adam(0.01)
    train(model, optimizer, 3)
    path = tf.train.Checkpoint(model=model, optimizer=optimizer).save(tmp_path / "ckpt")
    expected = train(model, optimizer, 4)

    model, optimizer = make(), keras.optimizers.Adam(0.5)
    if built:
        model(X)
        optimizer.build(model.trainable_variables)
    status = tf.train.Checkpoint(model=model, optimizer=optimizer).restore(path)
    assert train(model, optimizer, 4) == expected
    status.assert_consumed()
    assert not RESTORATIONS


@pytest.mark.parametrize("make", MODELS)
def test_a_model_is_restored_without_its_optimizer(tmp_path, make):
    model, optimizer = make(), keras.optimizers.SGD(0.01, momentum=0.9)
    train(model, optimizer, 2)
    path = tf.train.Checkpoint(model=model, optimizer=optimizer).save(tmp_path / "ckpt")
    again = make()
    tf.train.Checkpoint(model=again).restore(path).expect_partial()
    np.testing.assert_array_equal(again(X), model(X))


def test_an_optimizer_does_not_save_the_model(tmp_path):
    model, optimizer = functional(), keras.optimizers.Adam(0.01)
    train(model, optimizer, 1)
    path = tf.train.Checkpoint(optimizer=optimizer).save(tmp_path / "ckpt")
    names = [name for name, _ in tf.train.list_variables(path)]
    assert not [name for name in names if "_trainable_variables" in name]
    assert len(names) == 2 + len(optimizer.variables)  # the graph, the counter


def test_a_compiled_model_is_saved_whole(tmp_path):
    def make():
        model = sequential()
        model.compile(optimizer="adam", loss="mse", metrics=["mae"])
        return model

    model = make()
    model.fit(X, Y, epochs=2, verbose=0, shuffle=False)
    path = tf.train.Checkpoint(model).save(tmp_path / "ckpt")
    history = model.fit(X, Y, epochs=2, verbose=0, shuffle=False).history
    again = make()
    tf.train.Checkpoint(again).restore(path)
    assert again.fit(X, Y, epochs=2, verbose=0, shuffle=False).history == history


def test_seed_generators_and_metrics_have_values(tmp_path):
    seeds, metric = keras.random.SeedGenerator(5), keras.metrics.Mean()
    keras.random.normal([3], seed=seeds)
    metric.update_state([1.0, 3.0])
    path = tf.train.Checkpoint(seeds=seeds, metric=metric).save(tmp_path / "ckpt")
    expected = np.asarray(keras.random.normal([3], seed=seeds))
    other, empty = keras.random.SeedGenerator(9), keras.metrics.Mean()
    tf.train.Checkpoint(seeds=other, metric=empty).restore(path).assert_consumed()
    np.testing.assert_array_equal(keras.random.normal([3], seed=other), expected)
    assert float(empty.result()) == 2.0
