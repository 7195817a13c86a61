"""`keras.distribution`: training under both distributions gives the numbers of one device."""

import numpy as np
import pytest

import gradtape as tf

pytest.importorskip("jax", reason="the extra `xla` is not installed")
pytest.importorskip("keras", reason="the extra `keras` is not installed")

import keras
from keras import distribution

from gradtape.experimental import dtensor

RANDOM = np.random.default_rng(0)
X, Y = RANDOM.random((66, 16)).astype(np.float32), RANDOM.integers(0, 4, 66)


@pytest.fixture(autouse=True)
def _no_distribution_after_it():
    yield
    distribution.set_distribution(None)


def data_parallel():
    return distribution.DataParallel()


def model_parallel():
    mesh = distribution.DeviceMesh((4, 2), ("batch", "model"), distribution.list_devices())
    layouts = distribution.LayoutMap(mesh)
    layouts[".*a/kernel"] = (None, "model")
    layouts[".*a/bias"] = ("model",)
    layouts[".*b/kernel"] = ("model", None)
    return distribution.ModelParallel(layout_map=layouts, batch_dim_name="batch")


def trained(spread=None):
    distribution.set_distribution(spread)
    keras.utils.set_random_seed(1)
    layers = keras.layers
    model = keras.Sequential(
        [
            keras.Input((16,)),
            layers.Dense(32, "relu", name="a"),
            layers.Dropout(0.2, seed=3),
            layers.Dense(32, "relu", name="b", use_bias=False),
            layers.BatchNormalization(),
            layers.Dense(4, name="c"),
        ]
    )
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(1e-2), loss, metrics=["accuracy"])
    # (The last batch has 8 rows less than the others.)
    history = model.fit(
        X, Y, batch_size=64, epochs=3, shuffle=False, validation_data=(X[:50], Y[:50]), verbose=0
    ).history
    return model, history, model.predict(X[:20], verbose=0), model.evaluate(X, Y, verbose=0)


@pytest.fixture(scope="module")
def on_one_device():
    return trained()


def agree(found, expected):
    model, history, predicted, evaluated = found
    other, wanted, outputs, results = expected
    for name in wanted:
        np.testing.assert_allclose(history[name], wanted[name], atol=1e-4)
    np.testing.assert_allclose(predicted, outputs, atol=1e-3)
    np.testing.assert_allclose(evaluated, results, atol=1e-4)
    for value, expected_value in zip(model.get_weights(), other.get_weights(), strict=True):
        np.testing.assert_allclose(value, expected_value, atol=1e-3)


def test_data_parallel_training_gives_the_numbers_of_one_device(on_one_device):
    agree(trained(data_parallel()), on_one_device)


def test_model_parallel_training_gives_the_numbers_of_one_device_and_lays_out_weights_and_momenta(on_one_device):
    found = trained(model_parallel())
    agree(found, on_one_device)
    model = found[0]
    kernel = model.get_layer("a").kernel
    assert [part.shape for part in dtensor.unpack(kernel)] == [(16, 16)] * 8
    momenta = [variable for variable in model.optimizer.variables if variable.shape == kernel.shape]
    assert {part.shape for variable in momenta for part in dtensor.unpack(variable)} == {(16, 16)}
    assert dtensor.unpack(model.get_layer("c").kernel)[0].shape == (32, 4)


def test_saved_weights_are_read_under_a_distribution(tmp_path):
    model, *_ = trained()
    model.save_weights(tmp_path / "model.weights.h5")
    expected = model.predict(X[:16], verbose=0)
    distribution.set_distribution(model_parallel())
    keras.utils.set_random_seed(2)
    other = keras.models.clone_model(model)
    other.load_weights(tmp_path / "model.weights.h5")
    np.testing.assert_allclose(other.predict(X[:16], verbose=0), expected, atol=1e-5)


def test_outputs_of_a_layer_are_laid_out_inside_of_a_function():
    mesh = distribution.DeviceMesh((8,), ("batch",), distribution.list_devices())
    layout = distribution.TensorLayout(("batch", None), mesh)
    inside = tf.function(lambda x: distribution.distribute_tensor(tf.tanh(x), layout))
    found = inside(distribution.distribute_tensor(X[:64], layout))
    np.testing.assert_allclose(found, np.tanh(X[:64]), rtol=1e-5)
    assert dtensor.fetch_layout(found).sharding_specs == ["batch", "unsharded"]


def test_devices_are_listed():
    assert distribution.list_devices("cpu") == [f"cpu:{number}" for number in range(8)]
    assert distribution.list_devices("tpu") == []
    assert keras.src.distribution.distribution_lib.get_device_count("cpu") == 8


def test_a_layout_that_does_not_come_out_even_names_the_variable():
    mesh = distribution.DeviceMesh((2, 2), ["batch", "model"], distribution.list_devices()[:4])
    layouts = distribution.LayoutMap(mesh)
    layouts[".*kernel"] = (None, "model")
    distribution.set_distribution(distribution.ModelParallel(layout_map=layouts, batch_dim_name="batch"))
    with pytest.raises(ValueError, match=r"'head/kernel' of shape \(7, 3\) cannot be cut.*'model'.*LayoutMap"):
        keras.layers.Dense(3, name="head").build((None, 7))
