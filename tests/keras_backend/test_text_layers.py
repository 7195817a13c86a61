"""Layers for text and categories: no TensorFlow is there, and their numbers are those seen with TensorFlow 2.21."""

import subprocess
import sys
import warnings

import numpy as np
import pytest

import gradtape as tf

keras = tf.keras
layers = keras.layers

GOOD = ["a great film", "great fun", "what a great and lovely film", "lovely!", "so much fun", "a lovely story"]
BAD = ["a terrible film", "terrible", "what a terrible and dull film", "dull!", "so very dull", "a dull story"]
TEXTS = tf.constant(GOOD + BAD)
LABELS = np.array([1.0] * len(GOOD) + [0.0] * len(BAD), "float32")


def classifier(**settings):
    keras.utils.set_random_seed(0)
    vectorize = layers.TextVectorization(**settings)
    vectorize.adapt(TEXTS)
    model = keras.Sequential(
        [
            keras.Input((), dtype="string"),
            vectorize,
            layers.Embedding(vectorize.vocabulary_size(), 8),
            layers.GlobalAveragePooling1D(),
            layers.Dense(1),
        ]
    )
    loss = keras.losses.BinaryCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(0.05), loss, metrics=["accuracy"])
    return model


def test_a_text_classifier_from_strings_to_a_file_and_back(tmp_path):
    model = classifier(output_sequence_length=6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # every step is traced
        history = model.fit(TEXTS, LABELS, epochs=30, batch_size=4, verbose=0).history
        answers = model.predict(tf.constant(["a great story", "dull film"]), verbose=0)
    assert history["accuracy"][-1] == 1.0
    assert answers[0, 0] > 0 > answers[1, 0]
    path = str(tmp_path / "model.keras")
    model.save(path)
    again = keras.models.load_model(path)
    assert again.layers[0].get_vocabulary() == model.layers[0].get_vocabulary()
    np.testing.assert_allclose(again.predict(tf.constant(["a great story", "dull film"]), verbose=0), answers)


def test_a_text_classifier_is_exported(tmp_path):
    model = classifier(output_sequence_length=6)
    questions = tf.constant(["a great story", "dull film", "?"])
    answers = model.predict(questions, verbose=0)
    model.export(str(tmp_path / "exported"), verbose=False)
    served = tf.saved_model.load(str(tmp_path / "exported")).serve(questions)
    np.testing.assert_allclose(served, answers, rtol=1e-6)


def test_texts_of_any_length_in_a_pipeline():
    model = classifier()
    data = tf.data.Dataset.from_tensor_slices((TEXTS, LABELS)).batch(5)
    model.fit(data, epochs=2, verbose=0)
    vectorize = model.layers[0]
    numbers = list(data.map(lambda x, y: (vectorize(x), y)))
    assert [x.shape for x, _ in numbers] == [(5, 6), (5, 6), (2, 3)]
    head = keras.Sequential(model.layers[1:])
    np.testing.assert_allclose(head(numbers[0][0]), model(TEXTS[:5]), rtol=1e-5)


def test_a_layer_of_text_in_a_function():
    vectorize = layers.TextVectorization(vocabulary=["great", "film"], output_sequence_length=3)
    numbers = tf.function(vectorize, input_signature=[tf.TensorSpec([None], tf.string)])
    assert numbers(tf.constant(["A GREAT film!"])).numpy().tolist() == [[1, 2, 3]]
    assert numbers(tf.constant(["film", "x y z great"])).numpy().tolist() == [[3, 0, 0], [1, 1, 1]]


def test_vocabularies_count_and_hash_as_with_tensorflow():
    vectorize = layers.TextVectorization(max_tokens=6, ngrams=2)
    vectorize.adapt(GOOD)
    assert vectorize.get_vocabulary() == ["", "[UNK]", "lovely", "great", "a", "fun"]
    assert vectorize(["a great film"]).numpy().tolist() == [[4, 3, 1, 1, 1]]
    several = layers.StringLookup(vocabulary=["a", "b"], num_oov_indices=3)
    assert several(["a", "x", "y", "hello"]).numpy().tolist() == [3, 2, 2, 1]
    salted = layers.StringLookup(vocabulary=["a", "b"], num_oov_indices=3, salt=[7, 9])
    assert salted(["a", "x", "y", "hello"]).numpy().tolist() == [3, 1, 1, 1]
    assert layers.Hashing(100)(["a", "b"]).numpy().tolist() == [39, 22]
    assert layers.Hashing(100, salt=133)([[1], [2]]).numpy().tolist() == [[10], [55]]
    crossed = layers.HashedCrossing(100)((tf.constant(["a", "b"]), tf.constant([1, 2])))
    assert crossed.numpy().tolist() == [85, 57]
    back = layers.StringLookup(vocabulary=["a", "b"], invert=True)
    assert back([1, 2, 0]).numpy().tolist() == [b"a", b"b", b"[UNK]"]
    numbers = layers.IntegerLookup(vocabulary=[10, 20], num_oov_indices=2, oov_method="farmhash")
    assert numbers([[10, 20], [30, 41]]).numpy().tolist() == [[2, 3], [0, 0]]


def test_a_space_of_features_feeds_a_model():
    data = {"colour": ["red", "green", "red", "blue"], "count": [1, 2, 3, 2], "size": [1.0, 2.0, 3.0, 4.0]}
    space = keras.utils.FeatureSpace(
        {"colour": "string_categorical", "count": "integer_hashed", "size": "float_normalized"},
        crosses=[("colour", "count")],
        crossing_dim=8,
        output_mode="concat",
    )
    space.adapt(data)
    encoded = space({"colour": "red", "count": 3, "size": 2.5})
    assert encoded.shape == (1 + 4 + 32 + 8,)
    dataset = tf.data.Dataset.from_tensor_slices((data, [0.0, 1.0, 0.0, 1.0])).batch(2)
    model = keras.Model(dict(space.get_inputs()), layers.Dense(1)(space.get_encoded_features()))
    model.compile("sgd", "mse")
    model.fit(dataset, epochs=2, verbose=0)
    inside = list(dataset.map(lambda x, y: space(x)))
    assert [x.shape for x in inside] == [(2, 45), (2, 45)]


def test_texts_in_arrays_and_rows_are_data_for_fit():
    model = classifier(output_sequence_length=6)
    answers = model.predict(TEXTS, batch_size=5, verbose=0)
    unicode = TEXTS.numpy().astype(str)
    for texts in (unicode, unicode.astype(object), TEXTS.numpy()):
        np.testing.assert_allclose(model.predict(texts, batch_size=5, verbose=0), answers)
        np.testing.assert_allclose(model.predict_on_batch(texts), answers, rtol=1e-5)
    with pytest.raises(ValueError, match="Invalid dtype"):
        model.predict(np.array([{}, []], object), verbose=0)
    rows = tf.ragged.constant([[1, 2], [3], [1, 1, 2], [4]])
    inputs = keras.Input((None,), dtype="int32", ragged=True)
    means = layers.Lambda(lambda x: tf.reduce_mean(x, axis=1), output_shape=(2,))(layers.Embedding(5, 2)(inputs))
    model = keras.Model(inputs, layers.Dense(1)(means))
    model.compile("sgd", "mse")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(rows, np.ones((4, 1), "float32"), batch_size=2, epochs=3, verbose=0)
        assert model.predict(rows, batch_size=3, verbose=0).shape == (4, 1)


def test_what_is_wrong_is_said():
    lookup = layers.StringLookup()
    with pytest.raises(tf.errors.FailedPreconditionError, match="not initialized"):
        lookup(["a"])
    with pytest.raises(ValueError, match="repeated"):
        layers.StringLookup(vocabulary=["a", "a"])
    strict = layers.StringLookup(vocabulary=["a"], num_oov_indices=0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="found OOV values"):
        strict(["a", "b"])
    with pytest.raises(ValueError, match="last shape dimension must be 1"):
        layers.TextVectorization(vocabulary=["a"])([["a", "b"]])


def test_no_tensorflow_is_imported():
    program = (
        "import sys, gradtape as tf\n"
        "layer = tf.keras.layers.TextVectorization()\n"
        "layer.adapt(['a b', 'b'])\n"
        "assert layer(['b']).numpy().tolist() == [[2]]\n"
        "assert 'tensorflow' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
