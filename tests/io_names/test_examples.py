"""`tf.train.Example` and its parts: the bytes and the manners of the protocol buffers."""

import copy
import pickle

import numpy as np
import pytest

import gradtape as tf
from gradtape.io.examples import (
    BytesList,
    Example,
    Feature,
    FeatureList,
    FeatureLists,
    Features,
    FloatList,
    Int64List,
    SequenceExample,
)
from gradtape.io.wire import DecodeError

pytestmark = pytest.mark.quick

# What TensorFlow writes for `example()`, with the names in order.
BYTES = bytes.fromhex(
    "0a440a160a016112111a0f0a0d01feffffffffffffffff01ac020a100a0162120b0a090a0578220a00ff0a00"
    "0a110a0163120c120a0a080000c03fcdcccc3d0a050a01641200"
)
SEQUENCE_BYTES = bytes.fromhex(
    "0a0c0a0a0a016e12051a030a010212360a150a017412100a061a040a0201020a061a040a020304"
    "0a1d0a017612180a0812060a040000803f0a0c120a0a080000004000004040"
)


def ints(*values):
    return Feature(int64_list=Int64List(value=values))


def floats(*values):
    return Feature(float_list=FloatList(value=values))


def example():
    features = {"a": ints(1, -2, 300), "b": Feature(bytes_list=BytesList(value=[b'x"\n\x00\xff', b""]))}
    return Example(features=Features(feature={**features, "c": floats(1.5, 0.1), "d": Feature()}))


def sequence():
    lists = {"t": FeatureList([ints(1, 2), ints(3, 4)]), "v": FeatureList(feature=[floats(1.0), floats(2.0, 3.0)])}
    return SequenceExample(context=Features({"n": ints(2)}), feature_lists=FeatureLists(feature_list=lists))


def test_the_bytes_are_those_of_tensorflow():
    assert example().SerializeToString(deterministic=True) == BYTES
    assert sequence().SerializeToString(deterministic=True) == SEQUENCE_BYTES
    assert Example().SerializeToString() == b""
    assert Example(features=Features()).SerializeToString() == b"\n\x00"


def test_what_was_written_is_read():
    found = Example.FromString(BYTES)
    assert found == example()
    assert found.features.feature["a"].int64_list.value == [1, -2, 300]
    assert found.features.feature["b"].bytes_list.value[0] == b'x"\n\x00\xff'
    assert found.features.feature["c"].float_list.value == [1.5, float(np.float32(0.1))]
    assert found.features.feature["d"].WhichOneof("kind") is None
    steps = SequenceExample.FromString(SEQUENCE_BYTES).feature_lists.feature_list["v"].feature
    assert [list(step.float_list.value) for step in steps] == [[1.0], [2.0, 3.0]]


def test_fields_are_filled_in_place():
    message = Example()
    message.features.feature["z"].int64_list.value.append(3)
    assert message.SerializeToString() == b"\n\x0c\n\n\n\x01z\x12\x05\x1a\x03\n\x01\x03"
    message.features.feature["z"].float_list.value.extend([3])
    assert message.features.feature["z"].WhichOneof("kind") == "float_list"
    assert message.SerializeToString() == b"\n\x0f\n\r\n\x01z\x12\x08\x12\x06\n\x04\x00\x00@@"


def test_reading_a_field_does_not_set_it():
    feature = ints()
    assert list(feature.bytes_list.value) == []
    assert feature.WhichOneof("kind") == "int64_list"
    assert feature.HasField("int64_list")
    assert not feature.HasField("bytes_list")
    message = Example()
    assert len(message.features.feature) == 0
    assert not message.HasField("features")


def test_numpy_values_go_in():
    assert Int64List(value=np.array([1, 2])).value == [1, 2]
    assert FloatList(value=np.array([0.5], np.float32)).value == [0.5]
    assert BytesList(value=[tf.constant("t").numpy()]).value == [b"t"]


def test_it_prints_as_text():
    assert str(Example(Features({"a": ints(7)}))) == (
        'features {\n  feature {\n    key: "a"\n    value {\n      int64_list {\n        value: 7\n      }\n    }\n  }\n}\n'
    )


def test_copies_are_equal_and_their_own():
    first = example()
    for second in (copy.deepcopy(first), pickle.loads(pickle.dumps(first))):
        assert second == first
        second.features.feature["a"].int64_list.value.append(1)
        assert second != first
    other = Example()
    other.CopyFrom(first)
    assert other == first
    other.Clear()
    assert other == Example()


def test_unpacked_numbers_of_old_writers_are_read():
    assert Int64List.FromString(b"\x08\x01\x08\x02").value == [1, 2]
    assert FloatList.FromString(b"\x0d\x00\x00\x80\x3f").value == [1.0]


def test_unknown_fields_are_passed_over():
    assert Int64List.FromString(b"\x12\x03abc\x0a\x01\x05").value == [5]


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (lambda: BytesList(value=["abc"]), TypeError, "expected one of: bytes"),
        (lambda: BytesList(value=b"abc"), TypeError, r"Write value=\[...\]"),
        (lambda: Int64List(value=[1.5]), TypeError, "expected one of: int"),
        (lambda: Int64List(value=[2**63]), ValueError, "out of range"),
        (lambda: FloatList(value=["a"]), TypeError, "expected one of: int, float"),
        (lambda: Feature(int64_list=[1]), TypeError, "must be a tf.train.Int64List"),
        (lambda: Features(feature={"a": 1}), TypeError, "must be a tf.train.Feature"),
        (lambda: Example(features={}), TypeError, "must be a tf.train.Features"),
        (lambda: Features().feature.__setitem__("a", ints(1)), ValueError, "CopyFrom"),
    ],
)
def test_wrong_values_are_refused(build, error, message):
    with pytest.raises(error, match=message):
        build()


def test_a_refused_list_changes_nothing():
    values = Int64List(value=[1]).value
    with pytest.raises(TypeError):
        values.extend([2, 3.5])
    assert values == [1]


@pytest.mark.parametrize("size", range(1, len(BYTES)))
def test_truncated_bytes_never_crash(size):
    with pytest.raises(DecodeError):
        Example.FromString(BYTES[:size])


@pytest.mark.parametrize(
    "data", [b"\xff", b"\xff" * 20, b"\x00\x01", b"\x0a\xff\xff\xff\xff\x0f", b"\x0b", b"\x0a\x05\x0a\x03\x0a\x01\xff"]
)
def test_hostile_bytes_have_a_named_error_and_change_nothing(data):
    message = example()
    with pytest.raises(tf.errors.DataLossError):
        message.ParseFromString(data)
    assert message == example()
