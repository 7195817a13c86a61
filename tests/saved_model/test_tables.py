"""Lookup tables and other names for functions in a saved model."""

import json

import pytest

import gradtape as tf


class Words(tf.Module):
    """A model that looks words up."""

    def __init__(self):
        super().__init__()
        entries = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([0, 1], tf.int64))
        self.fixed = tf.lookup.StaticHashTable(entries, -1)
        self.vocabulary = tf.lookup.StaticVocabularyTable(entries, 3)
        self.seen = tf.lookup.experimental.MutableHashTable(tf.string, tf.float32, [0.0, 0.0])
        self.dense = tf.lookup.experimental.DenseHashTable(tf.int64, tf.string, "", -1, -2)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def numbers(self, words):
        return self.fixed.lookup(words), self.vocabulary.lookup(words)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def see(self, words):
        before = self.seen.lookup(words)
        self.seen.insert(words, before + 1.0)
        return before, self.seen.size()

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def forget(self, words):
        self.seen.remove(words)
        return self.seen.size()


def reloaded(module, folder, **options):
    tf.saved_model.save(module, folder, options=tf.saved_model.SaveOptions(**options))
    return tf.saved_model.load(folder, options=tf.saved_model.LoadOptions(experimental_load_function_aliases=True))


def test_tables_are_saved_with_what_they_hold(tmp_path):
    module = Words()
    module.see(tf.constant(["x"]))
    module.dense.insert(tf.constant([5], tf.int64), tf.constant(["five"]))
    loaded = reloaded(module, tmp_path)
    given = tf.constant(["b", "none", "a"])
    for ours, theirs in zip(loaded.numbers(given), module.numbers(given), strict=True):
        assert ours.numpy().tolist() == theirs.numpy().tolist()
    assert int(loaded.vocabulary.size()) == 5
    assert loaded.dense.lookup(tf.constant([5, 6], tf.int64)).numpy().tolist() == [b"five", b""]
    with pytest.raises(tf.errors.InvalidArgumentError, match="empty_key"):
        loaded.dense.lookup(tf.constant([-1], tf.int64))


def test_a_table_that_changes_is_one_table_in_all_functions(tmp_path):
    module = Words()
    module.see(tf.constant(["x"]))
    loaded = reloaded(module, tmp_path)
    before, size = loaded.see(tf.constant(["x", "y"]))
    assert (before.numpy().tolist(), int(size)) == ([[1.0, 1.0], [0.0, 0.0]], 2)
    assert loaded.seen.lookup(tf.constant("x")).numpy().tolist() == [2.0, 2.0]
    assert int(loaded.forget(tf.constant(["x"]))) == 1
    assert int(module.seen.size()) == 1


def test_a_table_that_is_none_is_refused(tmp_path):
    tf.saved_model.save(Words(), tmp_path)
    from gradtape.train import storage

    index = tmp_path / "saved_model.index"
    content = json.loads(index.read_text().splitlines()[1])
    content["tables"][0]["keys"] = 3
    del content["data"], content["tensors"]
    arrays = tf.saved_model.saving._SavedModel(str(tmp_path / "saved_model"))
    storage.write(str(tmp_path / "saved_model"), arrays.read(arrays.tensors), content, tf.saved_model.saving.KIND)
    with pytest.raises(tf.errors.DataLossError, match="no tensors"):
        tf.saved_model.load(tmp_path)


def test_functions_by_another_name(tmp_path):
    module = Words()
    loaded = reloaded(module, tmp_path, function_aliases={"look": module.numbers})
    assert loaded.function_aliases["look"](tf.constant(["b"]))[0].numpy().tolist() == [1]
    assert not hasattr(tf.saved_model.load(tmp_path), "function_aliases")
    with pytest.raises(TypeError, match=r"'look'.*created by tf\.function"):
        reloaded(module, tmp_path, function_aliases={"look": lambda x: x})
