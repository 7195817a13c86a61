"""Datasets from files and to files."""

import zlib

import numpy as np
import pytest

import gradtape as tf

Dataset = tf.data.Dataset


def test_lines_of_text_files(tmp_path):
    (tmp_path / "a").write_bytes(b"one\ntwo\r\n\nlast")
    (tmp_path / "b").write_bytes(b"more\n")
    names = [str(tmp_path / "a"), str(tmp_path / "b")]
    assert [x.numpy() for x in tf.data.TextLineDataset(names)] == [b"one", b"two", b"", b"last", b"more"]
    by_dataset = tf.data.TextLineDataset(Dataset.from_tensor_slices(names))
    assert [x.numpy() for x in by_dataset] == [b"one", b"two", b"", b"last", b"more"]
    in_turns = tf.data.TextLineDataset(names, num_parallel_reads=2)
    assert [x.numpy() for x in in_turns] == [b"one", b"more", b"two", b"", b"last"]


def test_pieces_of_one_length(tmp_path):
    (tmp_path / "a").write_bytes(b"HHabcdefF")
    pieces = tf.data.FixedLengthRecordDataset(str(tmp_path / "a"), 3, header_bytes=2, footer_bytes=1)
    assert [x.numpy() for x in pieces] == [b"abc", b"def"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="not an exact multiple"):
        list(tf.data.FixedLengthRecordDataset(str(tmp_path / "a"), 4))


def test_a_damaged_record_file_is_data_loss_and_the_next_file_follows(tmp_path):
    for name in "ab":
        with tf.io.TFRecordWriter(tmp_path / name) as writer:
            writer.write(name * 20)
    damaged = bytearray((tmp_path / "a").read_bytes())
    damaged[20] ^= 1
    (tmp_path / "a").write_bytes(damaged)
    dataset = tf.data.TFRecordDataset([str(tmp_path / "a"), str(tmp_path / "b")])
    with pytest.raises(tf.errors.DataLossError, match="checksum"):
        list(dataset)
    assert [x.numpy() for x in dataset.ignore_errors()] == [b"b" * 20]


def test_missing_files_and_wrong_settings_have_named_errors(tmp_path):
    with pytest.raises(tf.errors.NotFoundError, match="No such file"):
        list(tf.data.TFRecordDataset(str(tmp_path / "none")))
    with pytest.raises(ValueError, match="compression_type"):
        tf.data.TFRecordDataset("a", "LZ4")
    with pytest.raises(tf.errors.InvalidArgumentError, match="No files matched"):
        Dataset.list_files(str(tmp_path / "*.none"))
    with pytest.raises(TypeError, match="File names must be text"):
        tf.data.TextLineDataset(tf.constant([1]))


def test_names_of_files(tmp_path):
    for name in ("b.txt", "a.txt", "c.csv"):
        (tmp_path / name).touch()
    ordered = Dataset.list_files(str(tmp_path / "*.txt"), shuffle=False)
    assert [x.numpy().decode()[-5:] for x in ordered] == ["a.txt", "b.txt"]
    assert len(Dataset.list_files([str(tmp_path / "*.txt"), str(tmp_path / "*.csv")])) == 3


def test_columns_of_comma_separated_values(tmp_path):
    path = str(tmp_path / "x.csv")
    (tmp_path / "x.csv").write_text("a,b,y\n1,2.5,q\n3,,r\n5,6,s\n")
    batches = tf.data.experimental.make_csv_dataset(path, 2, label_name="y", num_epochs=1, shuffle=False)
    found = [({k: v.numpy().tolist() for k, v in x.items()}, y.numpy().tolist()) for x, y in batches]
    assert found == [({"a": [1, 3], "b": [2.5, 0.0]}, [b"q", b"r"]), ({"a": [5], "b": [6.0]}, [b"s"])]
    rows = tf.data.experimental.CsvDataset(path, [tf.int32, [9.0]], header=True, select_cols=[0, 1])
    assert [(int(a), float(b)) for a, b in rows] == [(1, 2.5), (3, 9.0), (5, 6.0)]


def test_a_dataset_is_saved_and_loaded(tmp_path):
    whole = Dataset.from_tensor_slices({"x": np.arange(6.0).reshape(3, 2), "name": ["a", "b", "c"]})
    whole.save(tmp_path / "kept")
    loaded = Dataset.load(tmp_path / "kept")
    assert loaded.element_spec == whole.element_spec
    for one, other in zip(whole, loaded, strict=True):
        np.testing.assert_array_equal(one["x"], other["x"])
        assert one["name"].numpy() == other["name"].numpy()
    Dataset.range(0).save(tmp_path / "empty")
    assert list(Dataset.load(tmp_path / "empty")) == []
    many_sizes = Dataset.range(3).map(lambda n: tf.range(n))
    many_sizes.save(tmp_path / "many_sizes")
    assert Dataset.load(tmp_path / "many_sizes").element_spec == tf.TensorSpec([None], tf.int64)
    with pytest.raises(tf.errors.NotFoundError):
        Dataset.load(tmp_path / "none")
    (tmp_path / "bad").mkdir()
    with tf.io.TFRecordWriter(tmp_path / "bad" / "elements") as writer:
        writer.write(b"\xff")
    with pytest.raises(tf.errors.DataLossError, match="structure"):
        Dataset.load(tmp_path / "bad")


@pytest.mark.parametrize("where", ["memory", "file", "snapshot"])
def test_what_is_kept_is_made_once(tmp_path, where):
    calls = []

    def count(x):
        calls.append(int(x))
        return x, tf.strings.as_string(x)

    dataset = Dataset.range(4).map(count)
    if where == "snapshot":
        dataset = dataset.snapshot(str(tmp_path / "kept"))
    else:
        dataset = dataset.cache("" if where == "memory" else str(tmp_path / "kept"))
    for x, _ in dataset:  # a pass that ends early keeps nothing
        if int(x) == 1:
            break
    assert [f for f in tmp_path.rglob("*") if f.is_file()] == []
    first = [(int(x), y.numpy()) for x, y in dataset]
    second = [(int(x), y.numpy()) for x, y in dataset]
    assert first == second == [(k, b"%d" % k) for k in range(4)]
    assert calls == [0, 1, 0, 1, 2, 3]


def test_an_iterator_is_restored_from_a_checkpoint(tmp_path):
    def build():
        return iter(Dataset.range(100).shuffle(50, seed=1).batch(4).prefetch(2))

    iterator = build()
    for _ in range(5):
        next(iterator)
    path = tf.train.Checkpoint(data=iterator).save(str(tmp_path / "ckpt"))
    rest = [x.numpy().tolist() for x in iterator]
    restored = build()
    tf.train.Checkpoint(data=restored).restore(path)
    assert [x.numpy().tolist() for x in restored] == rest


@pytest.mark.parametrize("compression", ["GZIP", "ZLIB"])
def test_damaged_compression_is_data_loss_and_the_next_file_follows(tmp_path, compression):
    pack = zlib.compressobj(wbits=31 if compression == "GZIP" else 15)
    whole = pack.compress(b"abcdefgh" * 20) + pack.flush()
    (tmp_path / "whole").write_bytes(whole)
    flipped = bytes([*whole[:12], whole[12] ^ 255, *whole[13:]])
    for damage in (b"not compressed", whole[:-6], whole[:12], flipped):
        (tmp_path / "damaged").write_bytes(damage)
        names = [str(tmp_path / "damaged"), str(tmp_path / "whole")]
        for dataset in (
            tf.data.TextLineDataset(names, compression),
            tf.data.FixedLengthRecordDataset(names, 8, compression_type=compression),
            tf.data.TFRecordDataset(names, compression),
        ):
            with pytest.raises(tf.errors.DataLossError, match="damaged"):
                list(dataset)
        kept = [line.numpy() for line in tf.data.TextLineDataset(names, compression).ignore_errors()]
        assert kept[-1] == b"abcdefgh" * 20


def test_a_file_that_is_not_there_is_passed_over_where_errors_are(tmp_path):
    (tmp_path / "there").write_bytes(b"line")
    names = [str(tmp_path / "missing"), str(tmp_path / "there")]
    assert [line.numpy() for line in tf.data.TextLineDataset(names).ignore_errors()] == [b"line"]
    with pytest.raises(tf.errors.NotFoundError):
        list(tf.data.TextLineDataset(names))


def test_a_saved_dataset_whose_elements_are_damaged(tmp_path):
    Dataset.from_tensor_slices([1.0, 2.0]).save(str(tmp_path))
    header = next(iter(tf.data.TFRecordDataset(str(tmp_path / "elements")))).numpy()
    for record in (b"", b"\x0a\x01\x00", b"\xff" * 20, header):
        with tf.io.TFRecordWriter(str(tmp_path / "elements")) as writer:
            writer.write(header)
            writer.write(record)
        with pytest.raises(tf.errors.DataLossError, match="elements"):
            list(Dataset.load(str(tmp_path)))


def test_tables_that_are_no_text(tmp_path):
    path = tmp_path / "table.csv"
    for data, error, words in (
        (b"", ValueError, "is empty"),
        (b"a,\xff\xfe\n1,2\n", tf.errors.InvalidArgumentError, "no line of comma-separated text"),
        (b"a,a\n1,2\n", ValueError, "duplicate column names"),
    ):
        path.write_bytes(data)
        with pytest.raises(error, match=words):
            tf.data.experimental.make_csv_dataset(str(path), 1)
