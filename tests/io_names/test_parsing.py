"""Serialized examples as tensors, with the values TensorFlow gives."""

import numpy as np
import pytest

import gradtape as tf

pytestmark = pytest.mark.quick


def ints(*values):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def floats(*values):
    return tf.train.Feature(float_list=tf.train.FloatList(value=values))


def texts(*values):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))


def example(**features):
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()


FULL = example(a=ints(1, -2, 300), b=texts(b"x", b""), c=floats(1.5, 0.25), d=tf.train.Feature())
EMPTY = example()
parse, Fixed, VarLen, Sequence = (
    tf.io.parse_single_example,
    tf.io.FixedLenFeature,
    tf.io.VarLenFeature,
    tf.io.FixedLenSequenceFeature,
)


def test_features_of_known_length():
    found = parse(FULL, {"a": Fixed([3], tf.int64), "c": Fixed([1, 2], tf.float32), "b": Fixed([2], tf.string)})
    assert list(found) == ["a", "b", "c"]
    assert found["a"].numpy().tolist() == [1, -2, 300]
    assert found["b"].numpy().tolist() == [b"x", b""]
    assert found["c"].numpy().tolist() == [[1.5, 0.25]]
    assert parse(example(n=ints(7)), {"n": Fixed([], tf.int64)})["n"].shape == ()


def test_a_missing_feature_is_its_default():
    assert parse(FULL, {"d": Fixed([2], tf.int64, [4, 5])})["d"].numpy().tolist() == [4, 5]
    assert parse(FULL, {"no": Fixed([], tf.string, "?")})["no"].numpy() == b"?"


def test_features_of_any_length():
    found = parse(FULL, {"a": VarLen(tf.int64), "no": VarLen(tf.float32), "c": Sequence([], tf.float32, True)})
    assert found["a"].values.numpy().tolist() == [1, -2, 300]
    assert found["a"].indices.numpy().tolist() == [[0], [1], [2]]
    assert found["no"].dense_shape.numpy().tolist() == [0]
    assert found["c"].numpy().tolist() == [1.5, 0.25]
    assert parse(FULL, {"a": tf.io.RaggedFeature(tf.int64)})["a"].numpy().tolist() == [1, -2, 300]


def test_a_batch_of_examples():
    wanted = {
        "a": tf.io.RaggedFeature(tf.int64),
        "b": VarLen(tf.string),
        "c": Sequence([], tf.float32, allow_missing=True, default_value=-1.0),
        "n": Fixed([], tf.int64, 9),
    }
    found = tf.io.parse_example([FULL, EMPTY], wanted)
    assert found["a"].to_list() == [[1, -2, 300], []]
    assert tf.sparse.to_dense(found["b"], b"-").numpy().tolist() == [[b"x", b""], [b"-", b"-"]]
    assert found["c"].numpy().tolist() == [[1.5, 0.25], [-1.0, -1.0]]
    assert found["n"].numpy().tolist() == [9, 9]
    assert tf.io.parse_example(np.array([], object), {"n": Fixed([2], tf.int64)})["n"].shape == (0, 2)


def test_values_at_places():
    text = example(where=ints(3, 0), what=floats(1.0, 2.0))
    found = parse(text, {"s": tf.io.SparseFeature("where", "what", tf.float32, 5)})["s"]
    assert tf.sparse.to_dense(found).numpy().tolist() == [2.0, 0.0, 0.0, 1.0, 0.0]
    both = tf.io.parse_example([text, EMPTY], {"s": tf.io.SparseFeature("where", "what", tf.float32, 5)})["s"]
    assert tf.sparse.to_dense(both).numpy().tolist() == [[2.0, 0.0, 0.0, 1.0, 0.0], [0.0] * 5]


def test_partitions_of_ragged_features():
    text = example(v=ints(1, 2, 3), lengths=ints(2, 0, 1))
    feature = tf.io.RaggedFeature(tf.int64, value_key="v", partitions=[tf.io.RaggedFeature.RowLengths("lengths")])
    assert parse(text, {"rows": feature})["rows"].to_list() == [[1, 2], [], [3]]


def sequence():
    lists = {
        "t": tf.train.FeatureList(feature=[ints(1, 2), ints(3, 4)]),
        "v": tf.train.FeatureList(feature=[floats(1.0), floats(2.0, 3.0)]),
    }
    context = tf.train.Features(feature={"n": ints(2)})
    message = tf.train.SequenceExample(context=context, feature_lists=tf.train.FeatureLists(feature_list=lists))
    return message.SerializeToString()


def test_sequences():
    context, steps = tf.io.parse_single_sequence_example(
        sequence(), {"n": Fixed([], tf.int64)}, {"t": Sequence([2], tf.int64), "v": VarLen(tf.float32)}
    )
    assert int(context["n"]) == 2
    assert steps["t"].numpy().tolist() == [[1, 2], [3, 4]]
    assert tf.sparse.to_dense(steps["v"]).numpy().tolist() == [[1.0, 0.0], [2.0, 3.0]]
    _, ragged = tf.io.parse_single_sequence_example(
        sequence(), sequence_features={"v": tf.io.RaggedFeature(tf.float32)}
    )
    assert ragged["v"].to_list() == [[1.0], [2.0, 3.0]]


def test_a_batch_of_sequences_is_padded():
    empty = tf.train.SequenceExample().SerializeToString()
    wanted = {"t": Sequence([2], tf.int64, allow_missing=True), "v": VarLen(tf.float32)}
    context, steps, lengths = tf.io.parse_sequence_example([sequence(), empty], {"n": Fixed([], tf.int64, 0)}, wanted)
    assert context["n"].numpy().tolist() == [2, 0]
    assert steps["t"].numpy().tolist() == [[[1, 2], [3, 4]], [[0, 0], [0, 0]]]
    assert steps["v"].dense_shape.numpy().tolist() == [2, 2, 2]
    assert lengths["t"].numpy().tolist() == [2, 0]


def test_examples_written_as_json():
    text = (
        '{"features": {"feature": {"a": {"int64List": {"value": ["3", 4]}}, "b": {"bytesList": {"value": ["eA=="]}}}}}'
    )
    found = parse(tf.io.decode_json_example(text), {"a": Fixed([2], tf.int64), "b": Fixed([], tf.string)})
    assert found["a"].numpy().tolist() == [3, 4]
    assert found["b"].numpy() == b"x"
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.io.decode_json_example("{")


def test_a_pipeline_reads_what_was_written(tmp_path):
    with tf.io.TFRecordWriter(tmp_path / "data") as writer:
        for number in range(10):
            writer.write(example(x=floats(number, -number), y=ints(number)))
    wanted = {"x": Fixed([2], tf.float32), "y": Fixed([], tf.int64)}
    dataset = tf.data.TFRecordDataset(str(tmp_path / "data")).map(lambda text: parse(text, wanted)).batch(4)
    assert [batch["x"].shape.as_list() for batch in dataset] == [[4, 2], [4, 2], [2, 2]]
    again = tf.data.TFRecordDataset(str(tmp_path / "data")).batch(4).map(lambda text: tf.io.parse_example(text, wanted))
    for one, other in zip(dataset, again, strict=True):
        np.testing.assert_array_equal(one["x"], other["x"])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: parse(FULL, {"a": Fixed([2], tf.int64)}), tf.errors.InvalidArgumentError, "has 3 values"),
        (lambda: parse(FULL, {"no": Fixed([], tf.int64)}), tf.errors.InvalidArgumentError, "could not be found"),
        (lambda: parse(FULL, {"a": Fixed([3], tf.float32)}), tf.errors.InvalidArgumentError, "Data types don't match"),
        (lambda: parse(FULL, {"a": VarLen(tf.int32)}), ValueError, "must be float32, int64 or string"),
        (lambda: parse(FULL, {"a": Fixed([None], tf.int64)}), ValueError, "FixedLenSequenceFeature"),
        (lambda: parse(FULL, {"a": Sequence([], tf.int64)}), ValueError, "allow_missing"),
        (lambda: parse(FULL, {}), ValueError, "empty"),
        (lambda: parse(FULL, {"a": 3}), ValueError, "Invalid feature 'a'"),
        (lambda: parse(b"\xff\xff", {"a": VarLen(tf.int64)}), tf.errors.InvalidArgumentError, "Could not parse"),
        (lambda: parse(3, {"a": VarLen(tf.int64)}), tf.errors.InvalidArgumentError, "byte string"),
        (lambda: tf.io.parse_single_sequence_example(sequence()), ValueError, "context_features"),
    ],
)
def test_what_is_wrong_has_a_named_error(call, error, message):
    with pytest.raises(error, match=message):
        call()
