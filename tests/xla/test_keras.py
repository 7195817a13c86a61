"""Keras trains on XLA as it does on the native engine."""

import numpy as np
import pytest

import gradtape as tf

pytest.importorskip("jax", reason="the extra `xla` is not installed")
keras = pytest.importorskip("keras", reason="the extra `keras` is not installed")


@pytest.fixture
def engine():
    yield tf.config.set_engine
    tf.config.set_engine("native")


def data():
    x = np.random.default_rng(0).normal(size=(64, 16)).astype(np.float32)
    return x, (x[:, 0] > 0).astype(int) + (x[:, 1] > 0)


def trained(optimizer):
    keras.utils.set_random_seed(1)
    layers = keras.layers
    hidden = [layers.Dense(16, "relu"), layers.BatchNormalization(), layers.Dropout(0.2)]
    model = keras.Sequential([keras.Input((16,)), *hidden, layers.Dense(3, "softmax")])
    model.compile(optimizer(), "sparse_categorical_crossentropy", metrics=["accuracy"])
    history = model.fit(*data(), epochs=3, batch_size=16, verbose=0)
    return history.history["loss"], model.predict(data()[0], verbose=0), model.evaluate(*data(), verbose=0)


@pytest.mark.parametrize(
    "optimizer",
    [
        lambda: keras.optimizers.Adam(1e-2),
        lambda: keras.optimizers.SGD(1e-2, momentum=0.9, nesterov=True),
        lambda: keras.optimizers.RMSprop(1e-3, momentum=0.5),
    ],
    ids=["adam", "sgd", "rmsprop"],
)
def test_fit_predict_and_evaluate_give_the_numbers_of_the_native_engine(engine, optimizer):
    expected = trained(optimizer)
    engine("xla")
    for found, wanted in zip(trained(optimizer), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


def test_a_training_step_of_keras_is_one_part(engine, monkeypatch):
    from gradtape.xla import executor

    made = []
    monkeypatch.setattr(executor.XlaForm, "made", property(lambda self: made, lambda self, value: None), raising=False)
    engine("xla")
    trained(lambda: keras.optimizers.Adam(1e-2))
    assert [reason for parts in made for reason in parts.reasons] == []
