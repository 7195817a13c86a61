"""Keras models inside a saved module: what their layers compute is stored, and runs without them."""

from __future__ import annotations

import numpy as np
import pytest

import gradtape as tf

keras = pytest.importorskip("keras", reason="needs the extra keras")
layers = keras.layers


def attention():
    inputs = keras.Input((6, 4))
    return keras.Model(inputs, layers.Add()([inputs, layers.MultiHeadAttention(2, 4)(inputs, inputs)]))


MODELS = {
    "dense": lambda: [
        keras.Input((3,)),
        layers.Dense(4, activation="relu"),
        layers.Dropout(0.5),
        layers.BatchNormalization(),
        layers.Dense(2, activation="softmax"),
    ],
    "images": lambda: [
        keras.Input((8, 8, 1)),
        layers.Conv2D(4, 3, activation="gelu"),
        layers.MaxPooling2D(),
        layers.Flatten(),
        layers.Dense(2),
    ],
    "lstm": lambda: [keras.Input((6, 3)), layers.LSTM(4), layers.Dense(2)],
    "rnn": lambda: [keras.Input((6, 3)), layers.SimpleRNN(4), layers.Dense(2)],
    "words": lambda: [
        keras.Input((6,), dtype="int32"),
        layers.Embedding(10, 4),
        layers.LayerNormalization(),
        layers.GlobalAveragePooling1D(),
    ],
    "attention": attention,
}


def test_a_model_by_itself_has_the_signature_of_its_inputs(tmp_path):
    b, a = keras.Input((3,), name="b"), keras.Input((3,), name="a")
    model = keras.Model({"b": b, "a": a}, layers.Dense(2)(layers.Concatenate()([a, b])))
    tf.saved_model.save(model, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    given = {"a": tf.ones([4, 3]), "b": tf.zeros([4, 3])}
    result = loaded.signatures["serving_default"](**given)
    np.testing.assert_allclose(result["output_0"].numpy(), model(given).numpy(), rtol=1e-6)
    assert len(loaded.variables) == 2


@pytest.mark.parametrize("name", MODELS)
def test_models(name, tmp_path):
    made = MODELS[name]()
    model = keras.Sequential(made) if isinstance(made, list) else made
    spec = tf.TensorSpec((None, *model.input_shape[1:]), model.inputs[0].dtype)
    module = tf.Module()
    module.model = model
    module.serve = tf.function(lambda x: model(x, training=False), input_signature=[spec])
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    assert len(loaded.variables) == len(model.variables)
    for size in (1, 5):
        x = tf.constant((np.random.default_rng(0).random((size, *model.input_shape[1:])) * 9).astype(spec.dtype.numpy))
        np.testing.assert_allclose(loaded.serve(x).numpy(), model(x, training=False).numpy(), rtol=1e-5, atol=1e-6)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(loaded.serve(x) ** 2)
    assert all(g is not None for g in tape.gradient(y, [v for v in tape.watched_variables() if "seed" not in v.name]))
