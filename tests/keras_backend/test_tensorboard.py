"""The callback TensorBoard writes event files without TensorFlow."""

import json

import numpy as np
import pytest

import gradtape as tf
from gradtape.cli import plot
from gradtape.summary.event_file import event_files, read_events

pytest.importorskip("tensorboardX")


def test_fit_with_the_callback_writes_losses_weights_and_the_model(tmp_path):
    x = np.random.default_rng(0).random((32, 3)).astype(np.float32)
    model = tf.keras.Sequential([tf.keras.layers.Dense(4, activation="relu"), tf.keras.layers.Dense(1)])
    model.compile("adam", "mse")
    callback = tf.keras.callbacks.TensorBoard(str(tmp_path), histogram_freq=1, update_freq=1)
    model.fit(x, x.sum(1), epochs=3, batch_size=8, verbose=0, validation_split=0.25, callbacks=[callback])
    lines = {(line.run, line.tag): line.points for line in plot.read_lines(tmp_path)}
    assert list(lines["train", "epoch_loss"]) == list(lines["validation", "epoch_loss"]) == [0, 1, 2]
    assert len(lines["train", "batch_loss"]) == 9
    values = [value for path in event_files(tmp_path) for event in read_events(path) for value in event.summary.value]
    plugins = {value.metadata.plugin_data.plugin_name: value for value in values}
    assert {"scalars", "histograms", "graph_keras_model"} <= set(plugins)
    configuration = json.loads(plugins["graph_keras_model"].tensor.string_val[0])
    assert configuration["class_name"] == "Sequential"
    names = [node.name for node in graph_in(tmp_path).node]
    assert any("dense" in name.lower() or "matmul" in name.lower() for name in names), names


def graph_in(folder):
    from tensorboardX.proto import graph_pb2

    (text,) = [event.graph_def for path in event_files(folder) for event in read_events(path) if event.graph_def]
    return graph_pb2.GraphDef.FromString(text)


def test_an_eager_step_has_no_graph_and_writes_none(tmp_path):
    x = np.ones((8, 3), np.float32)
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse", run_eagerly=True)
    model.fit(x, x[:, :1], verbose=0, callbacks=[tf.keras.callbacks.TensorBoard(str(tmp_path))])
    assert not [event for path in event_files(tmp_path) for event in read_events(path) if event.graph_def]
