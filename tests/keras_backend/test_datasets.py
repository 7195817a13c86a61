"""Keras's functions for data make and take datasets of gradtape, without TensorFlow."""

from __future__ import annotations

import json

import numpy as np
import pytest

import gradtape as tf

keras = pytest.importorskip("gradtape.keras")


def numbers(count=10):
    return tf.data.Dataset.from_tensor_slices((tf.reshape(tf.range(2.0 * count), [count, 2]), tf.range(count)))


def small_model(loss="mse"):
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile("sgd", loss)
    return model


def test_a_dataset_is_split():
    left, right = keras.utils.split_dataset(numbers(), left_size=0.3, seed=1, shuffle=True)
    assert isinstance(left, tf.data.Dataset)
    found = [[int(y) for _, y in part] for part in (left, right)]
    assert [len(part) for part in found] == [3, 7]
    assert sorted(found[0] + found[1]) == list(range(10))
    with pytest.raises(ValueError, match="At least one of the `left_size` or `right_size`"):
        keras.utils.split_dataset(numbers())


def test_a_series_is_cut_into_windows():
    windows = keras.utils.timeseries_dataset_from_array(np.arange(6.0), np.arange(6), sequence_length=3, batch_size=2)
    batches = [(x.numpy().tolist(), y.numpy().tolist()) for x, y in windows]
    assert batches[0] == ([[0, 1, 2], [1, 2, 3]], [0, 1])
    assert len(batches) == 2


def test_files_in_folders(tmp_path):
    for place, word in enumerate(["good", "bad"]):
        folder = tmp_path / word
        folder.mkdir()
        for number in range(3):
            (folder / f"{number}.txt").write_text(f"{word} {number}")
            sound = tf.audio.encode_wav(np.full([10, 1], 0.25 * place), 1000)
            (folder / f"{number}.wav").write_bytes(sound.numpy())
    texts = keras.utils.text_dataset_from_directory(tmp_path, batch_size=6, shuffle=False, verbose=False)
    words, labels = next(iter(texts))
    assert isinstance(texts, tf.data.Dataset)
    assert texts.class_names == ["bad", "good"]
    assert [word.split()[0] for word in words.numpy().tolist()] == [b"bad"] * 3 + [b"good"] * 3
    assert labels.numpy().tolist() == [0, 0, 0, 1, 1, 1]
    sounds = keras.utils.audio_dataset_from_directory(tmp_path, batch_size=6, output_sequence_length=12, verbose=False)
    sound, labels = next(iter(sounds))
    assert tuple(sound.shape) == (6, 12, 1)
    np.testing.assert_array_equal(sound[:, 0, 0], np.where(labels == 0, 0.25, 0.0))


def test_images_in_folders(tmp_path):
    pytest.importorskip("PIL")
    for place, name in enumerate(["dark", "light"]):
        (tmp_path / name).mkdir()
        image = tf.io.encode_png(tf.fill([8, 6, 3], tf.cast(200 * place, tf.uint8)))
        (tmp_path / name / "1.png").write_bytes(image.numpy())
    for how in ({}, {"crop_to_aspect_ratio": True}, {"pad_to_aspect_ratio": True}):
        images = keras.utils.image_dataset_from_directory(
            tmp_path, image_size=(4, 4), shuffle=False, verbose=False, **how
        )
        found, labels = next(iter(images))
        assert tuple(found.shape) == (2, 4, 4, 3)
        assert labels.numpy().tolist() == [0, 1]
        assert float(found[1, 2, 2, 0]) == 200.0


def test_fit_takes_datasets_and_what_is_distributed():
    model = small_model()
    dataset = numbers().batch(4)
    assert np.isfinite(model.fit(dataset, verbose=0).history["loss"][0])
    distributed = tf.distribute.MirroredStrategy().experimental_distribute_dataset(dataset)
    assert np.isfinite(model.evaluate(distributed, verbose=0))
    assert model.predict(dataset.map(lambda x, y: x), verbose=0).shape == (10, 1)


def test_class_weights_for_a_dataset():
    data = tf.data.Dataset.from_tensors((tf.ones([2, 2]), tf.constant([[0.0], [1.0]])))
    # The errors are 2 and 1, with weights 0 and 8; the mean is over both.
    assert small_model().fit(data, class_weight={0: 0.0, 1: 8.0}, verbose=0).history["loss"] == [4.0]
    for wrong, message in [
        (data.map(lambda x, y: (x, y, y)), "at the same time"),
        (data.map(lambda x, y: (x, (y, y))), "single output"),
        (data.map(lambda x, y: x), "no targets"),
    ]:
        with pytest.raises(ValueError, match=message):
            small_model().fit(wrong, class_weight={0: 1.0}, verbose=0)


def test_what_does_not_go_with_a_dataset():
    with pytest.raises(ValueError, match="`y` should not be passed"):
        small_model().fit(numbers().batch(2), np.ones(10), verbose=0)
    with pytest.raises(ValueError, match="`sample_weights` should not be passed"):
        small_model().fit(numbers().batch(2), sample_weight=np.ones(10), verbose=0)


def test_shapes_and_specs_in_older_files():
    from keras.src.legacy.saving import json_utils

    for value in (
        {"a": tf.TensorShape(None), "b": [tf.TensorShape([3, None])], "c": (1, 2)},
        tf.TensorSpec([1, 5], tf.float32),
        tf.RaggedTensorSpec([2, None], tf.int32),
    ):
        assert json_utils.decode(json_utils.Encoder().encode(value)) == value
    assert json.loads(json_utils.Encoder().encode({"d": tf.float16})) == {"d": "float16"}
    with pytest.raises(ValueError, match="No TypeSpec has been registered"):
        json_utils.decode('{"class_name": "TypeSpec", "type_spec": "tf.function", "serialized": null}')
