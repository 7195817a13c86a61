"""tf.lookup: tables of keys and values; values and classes of errors as observed with TensorFlow."""

import pytest

import gradtape as tf

L = tf.lookup


def table(keys=("a", "b"), values=(1, 2), default=-1, **kwargs):
    return L.StaticHashTable(L.KeyValueTensorInitializer(list(keys), list(values), **kwargs), default)


def test_a_static_table():
    found = table()
    assert found.lookup(tf.constant([["a", "z"]])).numpy().tolist() == [[1, -1]]
    assert int(found[tf.constant("b")]) == 2
    assert int(found.lookup("a")) == 1
    assert (int(found.size()), found.size().dtype) == (2, tf.int64)
    assert (found.key_dtype, found.value_dtype, int(found.default_value)) == (tf.string, tf.int32, -1)
    keys, values = found.export()
    assert (keys.numpy().tolist(), values.numpy().tolist()) == ([b"a", b"b"], [1, 2])
    sparse = found.lookup(tf.sparse.from_dense([["a", ""]]))
    assert sparse.values.numpy().tolist() == [1]
    assert table(["a", "a"], [1, 1]).size() == 1


def test_types_of_keys_and_values():
    numbers = table([1, 2], [1.5, 2.5], 0.0, key_dtype=tf.int64, value_dtype=tf.float32)
    assert numbers.lookup(tf.constant([1, 9], tf.int64)).numpy().tolist() == [1.5, 0.0]
    assert table([1], ["one"], "").lookup(tf.constant([1, 2])).numpy().tolist() == [b"one", b""]


def test_wrong_static_tables():
    for call, error in [
        (lambda: table().lookup(tf.constant([1])), TypeError),
        (lambda: table([1], [1], 0, key_dtype=tf.int64).lookup(tf.constant([1])), TypeError),
        (lambda: table(["a", "a"], [1, 2]), tf.errors.FailedPreconditionError),
        (lambda: table(["a", "b"], [1]), tf.errors.InvalidArgumentError),
        (lambda: table(default="x"), TypeError),
        (lambda: table([1.5], [2]), tf.errors.NotFoundError),
        (lambda: table(default=[1, 2]), tf.errors.InvalidArgumentError),
    ]:
        with pytest.raises(error):
            call()


def test_a_vocabulary_with_buckets_hashes_as_tensorflow():
    words = L.KeyValueTensorInitializer(["a", "b"], tf.constant([0, 1], tf.int64))
    found = L.StaticVocabularyTable(words, num_oov_buckets=3)
    assert found.lookup(tf.constant(["a", "zz", "q", "hello"])).numpy().tolist() == [0, 3, 4, 3]
    assert int(found.size()) == 5
    alone = L.StaticVocabularyTable(None, 2, lookup_key_dtype=tf.string)
    assert set(alone.lookup(["x", "y", "z"]).numpy().tolist()) <= {0, 1}
    with pytest.raises(ValueError, match="StaticHashTable"):
        L.StaticVocabularyTable(words, 0)
    with pytest.raises(ValueError, match="int64"):
        L.StaticVocabularyTable(L.KeyValueTensorInitializer(["a"], [0]), 1)


def test_tables_from_text_files(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("foo\nbar\nbaz\n")
    whole, number = L.TextFileIndex.WHOLE_LINE, L.TextFileIndex.LINE_NUMBER

    def read(**kwargs):
        words = L.TextFileInitializer(str(path), tf.string, whole, tf.int64, number, **kwargs)
        return L.StaticHashTable(words, -1).lookup(["bar", "q", "baz"]).numpy().tolist()

    assert read() == [1, -1, 2]
    assert read(vocab_size=2, value_index_offset=10) == [11, -1, -1]
    path.write_text("foo 1\nbar 2\n")
    columns = L.TextFileInitializer(path, tf.string, 0, tf.int64, 1, delimiter=" ")
    assert L.StaticHashTable(columns, -1).lookup(["bar"]).numpy().tolist() == [2]
    for words, error in [
        (lambda: L.TextFileInitializer(path, tf.string, 0, tf.int64, 5, delimiter=" "), tf.errors.InvalidArgumentError),
        (lambda: L.TextFileInitializer(path, tf.string, 0, tf.int64, 0, delimiter=" "), tf.errors.InvalidArgumentError),
        (lambda: L.TextFileInitializer(path, tf.string, 0, tf.int64, 1, 9, " "), tf.errors.InvalidArgumentError),
        (lambda: L.TextFileInitializer("none", tf.string, 0, tf.int64, 1), tf.errors.NotFoundError),
        (lambda: L.TextFileInitializer(path, tf.string, number, tf.int64, 1), ValueError),
        (lambda: L.TextFileInitializer(path, tf.string, -3, tf.int64, 1), ValueError),
    ]:
        with pytest.raises(error):
            L.StaticHashTable(words(), -1)


def test_a_table_that_changes():
    found = L.experimental.MutableHashTable(tf.string, tf.int64, default_value=-1)
    found.insert(tf.constant(["x", "y"]), tf.constant([1, 2], tf.int64))
    assert found.lookup(tf.constant(["x", "q"])).numpy().tolist() == [1, -1]
    found.insert(["x"], [5])
    found.remove(tf.constant(["y", "never there"]))
    assert [part.numpy().tolist() for part in found.export()] == [[b"x"], [5]]
    assert found.lookup(["q"], dynamic_default_values=[7]).numpy().tolist() == [7]
    vectors = L.experimental.MutableHashTable(tf.int64, tf.float32, default_value=[0.0, 0.0])
    vectors.insert([5], [[1.0, 2.0]])
    assert vectors.lookup(tf.constant([5, 6], tf.int64)).numpy().tolist() == [[1.0, 2.0], [0.0, 0.0]]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Expected shape \[1, 2\]"):
        vectors.insert([5], [1.0])
    assert int(vectors.size()) == 1


def test_a_dense_table_keeps_two_keys_for_itself():
    found = L.experimental.DenseHashTable(tf.string, tf.int64, -1, empty_key="", deleted_key="$")
    found.insert(["a"], [3])
    assert found.lookup(["a", "b"]).numpy().tolist() == [3, -1]
    for key in ("", "$"):
        with pytest.raises(tf.errors.InvalidArgumentError, match="not allowed"):
            found.insert([key], [3])
    found.erase(["a"])
    assert int(found.size()) == 0


def test_tables_inside_a_function():
    static = table()
    changing = L.experimental.MutableHashTable(tf.string, tf.int64, default_value=-1)

    @tf.function
    def count(keys):
        changing.insert(keys, changing.lookup(keys) + 1)
        return static.lookup(keys)

    assert count.get_concrete_function(tf.TensorSpec([None], tf.string)).output_shapes.as_list() == [None]
    for _ in range(3):
        assert count(tf.constant(["a", "z"])).numpy().tolist() == [1, -1]
    assert changing.lookup(["a", "z", "q"]).numpy().tolist() == [2, 2, -1]
    words = L.KeyValueTensorInitializer(["a", "b"], tf.constant([0, 1], tf.int64))
    vocabulary = L.StaticVocabularyTable(words, num_oov_buckets=3)
    assert tf.function(lambda keys: vocabulary.lookup(keys))(tf.constant(["a", "zz"])).numpy().tolist() == [0, 3]
    with pytest.raises(TypeError, match="Dtype of argument `keys`"):
        tf.function(lambda keys: static.lookup(keys))(tf.constant([1]))


def test_keys_in_rows():
    rows = tf.ragged.constant([["a"], ["z", "b"]])
    assert table().lookup(rows).to_list() == [[1], [-1, 2]]
    assert table()[rows].to_list() == [[1], [-1, 2]]
    changing = L.experimental.MutableHashTable(tf.string, tf.string, default_value="none")
    changing.insert(["a"], ["one"])
    assert changing.lookup(rows).to_list() == [[b"one"], [b"none", b"none"]]
    assert all(isinstance(text, bytes) for text in changing.lookup(["a", "z"]).numpy())


def test_an_initializer_of_ones_own_fills_the_table_or_leaves_it_empty():
    class Later(L.KeyValueTensorInitializer):
        key_dtype, value_dtype = "string", "int64"

        def __init__(self):
            pass

        def initialize(self, table):
            pass

    empty = L.StaticHashTable(Later(), -1)
    assert (int(empty.size()), empty.key_dtype, empty.value_dtype) == (0, tf.string, tf.int64)
    with pytest.raises(tf.errors.FailedPreconditionError, match="not initialized"):
        empty.lookup(["a"])
    L.KeyValueTensorInitializer(["a"], tf.constant([7], tf.int64)).initialize(empty)
    assert empty.lookup(["a", "b"]).numpy().tolist() == [7, -1]


def test_a_lookup_with_known_sizes_is_compiled_with_the_rest():
    found = table()
    numbers = tf.function(lambda keys: tf.cast(found.lookup(keys), tf.float32) * 2.0)
    assert numbers(tf.constant(["a", "z"])).numpy().tolist() == [2.0, -2.0]
    changing = L.experimental.MutableHashTable(tf.string, tf.int64, default_value=-1)
    latest = tf.function(lambda keys: changing.lookup(keys) + 1)
    assert latest(tf.constant(["a"])).numpy().tolist() == [0]
    changing.insert(["a"], [5])
    assert latest(tf.constant(["a"])).numpy().tolist() == [6]


def test_a_vocabulary_of_bytes_that_are_no_text(tmp_path):
    (tmp_path / "words").write_bytes(b"one\n\xff\xfe\n")
    kinds = (tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER)
    table = tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(str(tmp_path / "words"), *kinds), -1)
    assert table.lookup(tf.constant([b"\xff\xfe", b"one", b"two"])).numpy().tolist() == [1, 0, -1]


@pytest.mark.parametrize(
    ("kinds", "keys", "values", "default"),
    [
        ((tf.string, tf.int64), ["a", "b"], [1, 2], -1),
        ((tf.int64, tf.string), [1, 2], ["x", "y"], "?"),
        ((tf.int64, tf.float32), [1, 2], [[1.0, 2.0], [3.0, 4.0]], [0.0, 0.0]),
    ],
)
def test_checkpoints_keep_the_entries_of_tables_that_change(tmp_path, kinds, keys, values, default):
    def table():
        return tf.lookup.experimental.MutableHashTable(*kinds, default)

    first, keys = table(), tf.constant(keys, kinds[0])
    first.insert(keys, tf.constant(values, kinds[1]))
    checkpoint = tf.train.Checkpoint(table=first)
    path = checkpoint.save(str(tmp_path / "c"))
    second = table()
    tf.train.Checkpoint(table=second).restore(path).assert_consumed()
    assert second.lookup(keys).numpy().tolist() == first.lookup(keys).numpy().tolist()
    first.remove(keys)
    checkpoint.restore(path)
    assert int(first.size()) == 2


def test_the_default_of_a_table_that_changes_has_at_most_one_axis():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Default value must be a vector"):
        tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, [[-1, -1]])
