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


def test_an_archive_by_hand(tmp_path):
    layer = keras.layers.Dense(2)
    layer.build((None, 3))
    archive = keras.export.ExportArchive()
    archive.track(layer)
    archive.add_endpoint("double", lambda x: 2.0 * layer(x), input_signature=[keras.InputSpec(shape=(None, 3))])
    archive.add_variable_collection("weights", layer.variables)
    with pytest.raises(ValueError, match="already taken"):
        archive.add_endpoint("double", layer, input_signature=[keras.InputSpec(shape=(None, 3))])
    archive.write_out(str(tmp_path / "archive"), verbose=False)
    loaded = tf.saved_model.load(str(tmp_path / "archive"))
    x = np.ones((4, 3), np.float32)
    np.testing.assert_allclose(loaded.double(x).numpy(), 2.0 * np.asarray(layer(x)), rtol=1e-6)
    assert len(loaded.weights) == 2
    with pytest.raises(ValueError, match="add_endpoint"):
        keras.export.ExportArchive().write_out(str(tmp_path / "empty"))
    with pytest.raises(ValueError, match="input_signature"):
        keras.export.ExportArchive().add_endpoint("f", lambda x: x)
