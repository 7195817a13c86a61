"""Functions that make, take and return ragged and sparse tensors, saved and loaded."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.saved_model.values import Decoder
from gradtape.values.composite import expanded

TEXTS = tf.TensorSpec([None], tf.string)


def again(tmp_path, **functions):
    module = tf.Module()
    for name, function in functions.items():
        setattr(module, name, function)
    tf.saved_model.save(module, str(tmp_path / "model"))
    return tf.saved_model.load(str(tmp_path / "model"))


def test_text_in_rows(tmp_path):
    @tf.function(input_signature=[TEXTS])
    def words(texts):
        rows = tf.strings.split(tf.strings.lower(texts))
        pairs = tf.strings.ngrams(rows, 2)
        lengths = tf.strings.length(rows)
        return rows, pairs.to_tensor(), tf.reduce_sum(lengths, axis=1), rows[:, :1], lengths + lengths

    loaded = again(tmp_path, words=words)
    for texts in (["A b", "c"], ["d e f"]):
        texts = tf.constant(texts)
        for found, expected in zip(loaded.words(texts), words(texts), strict=True):
            assert type(found) is type(expected)
            assert repr(found) == repr(expected)


def test_sparse_and_ragged_arguments(tmp_path):
    total = tf.function(lambda rows: tf.reduce_sum(rows, axis=1))
    dense = tf.function(lambda sparse: tf.sparse.to_dense(sparse) * 2.0)
    rows, sparse = tf.ragged.constant([[1.0, 2.0], [3.0]]), tf.sparse.from_dense([[0.0, 1.0], [2.0, 0.0]])
    total(rows), dense(sparse)
    loaded = again(tmp_path, total=total, dense=dense)
    assert loaded.total(rows).numpy().tolist() == [3.0, 3.0]
    assert loaded.dense(sparse).numpy().tolist() == [[0.0, 2.0], [4.0, 0.0]]
    with pytest.raises((TypeError, ValueError)):
        loaded.total(tf.constant([1.0]))


def test_rows_made_of_tensors(tmp_path):
    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.int32)])
    def rows(matrix):
        return tf.RaggedTensor.from_tensor(matrix, padding=0), tf.RaggedTensor.from_tensor(matrix).to_sparse().values

    loaded = again(tmp_path, rows=rows)
    found, values = loaded.rows(tf.constant([[1, 0], [2, 3]]))
    assert (found.to_list(), values.numpy().tolist()) == ([[1], [2, 3]], [1, 0, 2, 3])


def test_checks_of_parts_are_stored(tmp_path):
    module = tf.Module()

    @tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([None], tf.int64)])
    def rows(values, lengths):
        total = tf.reduce_sum(lengths)
        found = tf.case([(total > 0, lambda: 1), (total > 9, lambda: 2), (total > 99, lambda: 3)], exclusive=True)
        by_number = tf.RaggedTensor.from_value_rowids(values, tf.cast(values, tf.int64), 9)
        return tf.RaggedTensor.from_row_lengths(values, lengths).to_tensor(), found, by_number.row_lengths()

    module.rows = rows
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path).rows
    given = tf.constant([1.0, 2.0, 3.0])
    assert loaded(given, tf.constant([2, 1], tf.int64))[0].numpy().tolist() == [[1.0, 2.0], [3.0, 0.0]]
    for lengths in ([2, 2], [4, -1], [0, 0]):
        with pytest.raises(tf.errors.InvalidArgumentError):
            loaded(given, tf.constant(lengths, tf.int64))
    with pytest.raises(tf.errors.InvalidArgumentError, match="value_rowids"):
        loaded(given * 4.0, tf.constant([2, 1], tf.int64))


def test_every_kind_is_written_in_one_form(tmp_path):
    module = tf.Module()
    module.values = {
        "uniform": tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2),
        "deep": tf.ragged.constant([[[1], []], [[2, 3]]]),
        "sparse": tf.sparse.from_dense([[0.0, 5.0], [6.0, 0.0]]),
        "slices": tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([2]), tf.constant([4, 1])),
        "open": tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([2])),
    }
    tf.saved_model.save(module, tmp_path)
    index = (tmp_path / "saved_model.index").read_text(encoding="utf-8")
    assert index.count('"composite"') == len(module.values)
    assert '"RaggedTensor":' not in index
    loaded = tf.saved_model.load(tmp_path).values
    assert loaded["uniform"].uniform_row_length.numpy() == 2
    for name, value in module.values.items():
        assert type(loaded[name]) is type(value)
        for part, other in zip(expanded(loaded[name]), expanded(value), strict=True):
            assert part.numpy().tolist() == other.numpy().tolist(), name


@pytest.mark.parametrize(
    "content",
    [
        ["RaggedTensor", None, [{"tensor": "x"}, {"tensor": "x"}]],  # the splits do not begin with 0
        ["RaggedTensor", {"tuple": [2]}, [{"tensor": "x"}]],
        ["RaggedTensor", None, [{"tensor": "x"}, "splits"]],
        ["SparseTensor", None, [{"tensor": "x"}, {"tensor": "x"}, {"tensor": "x"}]],
    ],
)
def test_components_that_do_not_go_together_are_refused(content):
    with pytest.raises((ValueError, TypeError)):
        Decoder({"x": np.array([1, 2])}).decode({"composite": content})
