"""`model.export` writes a folder that `tf.saved_model.load` reads without the model's code."""

from __future__ import annotations

import numpy as np
import pytest

import gradtape as tf

keras = pytest.importorskip("gradtape.keras")


def test_a_model_is_served_from_its_folder(tmp_path, capsys):
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3, activation="relu"), keras.layers.Dropout(0.5)])
    model.export(str(tmp_path / "model"))
    assert "serve" in capsys.readouterr().out
    loaded = tf.saved_model.load(str(tmp_path / "model"))
    for rows in (1, 5):
        x = np.random.default_rng(rows).normal(size=(rows, 4)).astype(np.float32)
        np.testing.assert_allclose(loaded.serve(x).numpy(), model.predict(x, verbose=0), rtol=1e-6)
    assert "serving_default" in loaded.signatures


def test_several_inputs(tmp_path):
    first, second = keras.Input((3,)), keras.Input((2,))
    model = keras.Model([first, second], keras.layers.Dense(2)(keras.layers.Concatenate()([first, second])))
    model.export(str(tmp_path / "model"), verbose=False)
    given = [np.ones((2, 3), np.float32), np.ones((2, 2), np.float32)]
    loaded = tf.saved_model.load(str(tmp_path / "model"))
    np.testing.assert_allclose(loaded.serve(given).numpy(), model.predict(given, verbose=0), rtol=1e-6)


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("name", ["LSTM", "GRU", "SimpleRNN"])
def test_sequences_of_any_length(tmp_path, name, masked):
    masking = [keras.layers.Masking()] if masked else []
    layer = getattr(keras.layers, name)(3, return_sequences=True)
    model = keras.Sequential([keras.Input((None, 4)), *masking, keras.layers.Bidirectional(layer)])
    model.export(tmp_path, verbose=False)
    loaded = tf.saved_model.load(tmp_path)
    for length in (1, 5):
        x = np.random.default_rng(length).normal(size=(2, length, 4)).astype(np.float32)
        x[1, -1:] = 0.0
        np.testing.assert_allclose(loaded.serve(x), model(x), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("how", [{}, {"output_mode": "multi_hot"}, {"ngrams": 2}, {"split": "character"}])
def test_text_is_served_as_text(tmp_path, how):
    words = keras.layers.TextVectorization(**how)
    words.adapt(["one two", "three four", "one"])
    model = keras.Sequential([keras.Input((), dtype="string"), words])
    model.export(tmp_path, verbose=False)
    x = tf.constant(["two one nine", "four"])
    np.testing.assert_array_equal(tf.saved_model.load(tmp_path).serve(x), model(x))


def test_ragged_results_are_saved(tmp_path):
    words = keras.layers.TextVectorization(ragged=True, vocabulary=["one", "two"])
    model = keras.Sequential([keras.Input((), dtype="string"), words])
    model.export(tmp_path, verbose=False)
    found = tf.saved_model.load(tmp_path).serve(tf.constant(["one two", "two"]))
    assert isinstance(found, tf.RaggedTensor)
    assert found.to_list() == [[2, 3], [3]]


def test_an_archive_by_hand(tmp_path):
    layer = keras.layers.Dense(2)
    layer.build((None, 3))
    archive = keras.export.ExportArchive()
    archive.track(layer)
    archive.add_endpoint(
        "double", lambda x: 2.0 * layer(x), input_signature=[keras.InputSpec(shape=(None, 3), dtype="float32")]
    )
    archive.add_variable_collection("weights", layer.variables)
    with pytest.raises(ValueError, match="already taken"):
        archive.add_endpoint("double", layer, input_signature=[keras.InputSpec(shape=(None, 3), dtype="float32")])
    archive.write_out(str(tmp_path / "archive"), verbose=False)
    loaded = tf.saved_model.load(str(tmp_path / "archive"))
    x = np.ones((4, 3), np.float32)
    np.testing.assert_allclose(loaded.double(x).numpy(), 2.0 * np.asarray(layer(x)), rtol=1e-6)
    assert len(loaded.weights) == 2
    with pytest.raises(ValueError, match="add_endpoint"):
        keras.export.ExportArchive().write_out(str(tmp_path / "empty"))
    with pytest.raises(ValueError, match="input_signature"):
        keras.export.ExportArchive().add_endpoint("f", lambda x: x)


def test_an_archive_tells_what_it_tracks(tmp_path):
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3), keras.layers.BatchNormalization()])
    archive = keras.export.ExportArchive()
    archive.track(model)
    lists = (archive.variables, archive.trainable_variables, archive.non_trainable_variables)
    assert [len(found) for found in lists] == [6, 4, 2]
    endpoint = archive.add_endpoint("call", model.__call__, input_signature=[tf.TensorSpec((None, 4), tf.float32)])
    archive.add_variable_collection("some", model.layers[0].weights)
    archive.write_out(tmp_path, tf.saved_model.SaveOptions(function_aliases={"alias": endpoint}), verbose=False)
    loaded = tf.saved_model.load(tmp_path, options=tf.saved_model.LoadOptions(experimental_load_function_aliases=True))
    lists = (loaded.variables, loaded.trainable_variables, loaded.non_trainable_variables, loaded.some)
    assert [len(found) for found in lists] == [6, 4, 2, 2]
    x = np.ones((2, 4), np.float32)
    np.testing.assert_allclose(loaded.function_aliases["alias"](x), model(x), rtol=1e-6)


def test_an_archive_refuses_what_it_cannot_write():
    archive = keras.export.ExportArchive()
    with pytest.raises(ValueError, match="Invalid resource type"):
        archive.track("model")
    with pytest.raises(ValueError, match="must be built"):
        archive.track(keras.layers.Dense(2))
    with pytest.raises(ValueError, match="has never been called"):
        archive.add_endpoint("f", tf.function(lambda x: x))
    with pytest.raises(TypeError, match="Unsupported x=123"):
        archive.add_endpoint("f", lambda x: x, input_signature=[123])
    with pytest.raises(ValueError, match="jax2tf_kwargs"):
        archive.add_endpoint("f", lambda x: x, input_signature=[tf.TensorSpec([])], jax2tf_kwargs={})
    with pytest.raises(ValueError, match="list/tuple/set"):
        archive.add_variable_collection("v", tf.Variable(1.0))
    with pytest.raises(ValueError, match=r"variables.*'int'"):
        archive.add_variable_collection("v", [1])


def test_random_numbers_and_tables_are_exported(tmp_path):
    model = keras.Sequential([keras.Input((50,)), keras.layers.Dropout(0.5)])
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1.0, 2.0]), 0.0)
    archive = keras.export.ExportArchive()
    archive.track(table)
    archive.add_endpoint("train", lambda x: model(x, training=True), input_signature=[tf.TensorSpec((None, 50))])
    archive.add_endpoint("value", lambda x: table.lookup(x), input_signature=[tf.TensorSpec([None], tf.string)])
    archive.write_out(tmp_path, verbose=False)
    loaded = tf.saved_model.load(tmp_path)
    first, second = (loaded.train(tf.ones((1, 50))).numpy() for _ in range(2))
    assert set(np.unique(first)) == {0.0, 2.0}
    assert (first != second).any()
    assert loaded.value(tf.constant(["b", "x"])).numpy().tolist() == [2.0, 0.0]


def test_a_saved_model_is_a_layer_that_can_be_trained(tmp_path):
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1), keras.layers.BatchNormalization()])
    model.export(tmp_path, verbose=False)
    layer = keras.layers.TFSMLayer(str(tmp_path))
    x = tf.constant(np.random.default_rng(0).normal(size=(8, 3)), tf.float32)
    np.testing.assert_allclose(layer(x), model(x), rtol=1e-6)
    assert [len(layer.trainable_weights), len(layer.non_trainable_weights)] == [4, 2]
    assert all(isinstance(weight, keras.Variable) for weight in layer.weights)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(layer(x) ** 2)
    gradients = tape.gradient(loss, layer.trainable_weights)
    for weight, gradient in zip(layer.trainable_weights, gradients, strict=True):
        weight.assign_sub(0.01 * gradient)
    assert float(tf.reduce_sum(layer(x) ** 2)) < float(loss)
    with pytest.raises(ValueError, match="The endpoint 'wrong'"):
        keras.layers.TFSMLayer(str(tmp_path), call_endpoint="wrong")
