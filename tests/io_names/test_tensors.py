"""Tensors as bytes, bytes as numbers, lines as columns."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.base import dtypes

pytestmark = pytest.mark.quick


# What TensorFlow writes.
@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.float32([[1, 2]]), "08011208120208011202080222080000803f00000040"),
        (np.array([b"a", b"bc"], object), "080712041202080242016142026263"),
        (np.int64(7), "0809120022080700000000000000"),
        (np.array([True, False]), "080a12041202080222020100"),
        (np.zeros((0, 2), np.float16), "08131206120012020802"),
        (np.complex64(1 + 2j), "0808120022080000803f00000040"),
        (tf.constant([1.5], tf.bfloat16), "080e1204120208012202c03f"),
    ],
)
def test_tensors_are_written_and_read_as_in_tensorflow(value, expected):
    text = tf.io.serialize_tensor(value)
    assert text.numpy().hex() == expected
    tensor = tf.constant(value)
    found = tf.io.parse_tensor(text, tensor.dtype)
    assert found.dtype is tensor.dtype
    assert found.shape == tensor.shape
    np.testing.assert_array_equal(found, tensor)


@pytest.mark.parametrize("dtype", [t for t in dtypes.ALL if t is not tf.string])
def test_every_type_comes_back(dtype):
    value = tf.cast(tf.constant([[0, 1, 2], [3, 4, 5]]), dtype)
    np.testing.assert_array_equal(tf.io.parse_tensor(tf.io.serialize_tensor(value), dtype), value)


def test_values_in_fields_of_their_own_are_read():
    # float_val = [1, 2] of shape [3]: the last one is repeated.
    proto = bytes.fromhex("08011204120208032a08") + np.float32([1, 2]).tobytes()
    np.testing.assert_array_equal(tf.io.parse_tensor(proto, tf.float32), [1, 2, 2])
    # half_val holds the bits of a float16 as an integer: 0x3c00 is 1.
    proto = bytes.fromhex("08131200" + "6a0280" + "78")
    np.testing.assert_array_equal(tf.io.parse_tensor(proto, tf.float16), 1)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"abc", "Could not parse"),
        (b"", "no dtype"),
        (bytes.fromhex("08011204120208022204") + b"\0\0\0\0", "do not fill"),
        (bytes.fromhex("0801120c120a08ffffffffffffffff7f2a0400000000"), "do not fill"),
        (bytes.fromhex("0863"), "no dtype of number"),
    ],
)
def test_bytes_that_are_no_tensor_are_refused(data, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.io.parse_tensor(data, tf.float32)


def test_another_type_is_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"out_type=tf\.float32"):
        tf.io.parse_tensor(tf.io.serialize_tensor([1.0]), tf.int32)


def test_raw_bytes_are_numbers():
    assert tf.io.decode_raw(b"\x01\x02", tf.int16, little_endian=False).numpy().tolist() == [258]
    assert tf.io.decode_raw([b"ab", b"abcd"], tf.uint8, fixed_length=3).numpy().tolist() == [[97, 98, 0], [97, 98, 99]]
    assert tf.io.decode_raw([[b"a"], [b"b"]], tf.uint8).shape == (2, 1, 1)
    for bad in ([b"ab", b"abc"], [b"abc"]):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.io.decode_raw(bad, tf.int16)


def test_base64_has_no_padding_unless_asked():
    assert tf.io.encode_base64([b"\xff\xfe"]).numpy().tolist() == [b"__4"]
    assert tf.io.encode_base64(b"\xff\xfe", pad=True).numpy() == b"__4="
    assert tf.io.decode_base64(["__4", "__4="]).numpy().tolist() == [b"\xff\xfe"] * 2
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.io.decode_base64("a+b")


def test_lines_become_columns():
    found = tf.io.decode_csv(["1,a,", '2,"b,c",3.5'], [[0], [""], [9.0]])
    assert [column.numpy().tolist() for column in found] == [[1, 2], [b"a", b"b,c"], [9.0, 3.5]]
    one = tf.io.decode_csv("4;x;NA", [tf.int64, [""], [0.5]], field_delim=";", na_value="NA", select_cols=[0, 1, 2])
    assert [(v.numpy(), v.dtype) for v in one] == [(4, tf.int64), (b"x", tf.string), (0.5, tf.float32)]
    for line, message in (
        ("1,2,3", "Expect 2 fields but have 3"),
        (",2", "required but missing"),
        ("x,2", "not a valid"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            tf.io.decode_csv([line], [tf.int32, tf.int32])
