"""`tf.raw_ops` of functions, lists, queues, tables, datasets and streams.

`raw_calls.json` has small programs and TensorFlow 2.21's results. The steps of a program stand between ` ;; `; the last one is
what is compared.
"""

import gzip
import json
import pathlib
import zlib

import numpy as np
import pytest

import gradtape as tf
from gradtape.raw_ops import more_rows

CASES = json.loads((pathlib.Path(__file__).parent / "raw_calls.json").read_text(encoding="utf-8"))


def plain(value):
    """A result as JSON has it."""
    if isinstance(value, (tf.Tensor, tf.Variable)):
        value = value.numpy()
    if isinstance(value, bytes):
        return value.decode("latin1")
    if isinstance(value, (np.ndarray, np.generic)):
        return [str(value.dtype), plain(value.tolist())]
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    return value if value is None or isinstance(value, (int, float, str)) else str(value)


def agree(given, expected):
    if isinstance(expected, float):
        return given == pytest.approx(expected, rel=1e-5, abs=1e-5)
    if isinstance(expected, list):
        return isinstance(given, list) and len(given) == len(expected) and all(map(agree, given, expected))
    return given == expected


@pytest.mark.parametrize("program", CASES)
def test_a_program_gives_what_tensorflow_gives(program, tmp_path):
    tf.random.set_seed(7)
    space = {"tf": tf, "raw": tf.raw_ops, "np": np, "zlib": zlib, "gzip": gzip, "folder": tmp_path}
    *steps, last = program.split(" ;; ")
    for step in steps:
        exec(step, space)
    assert agree(plain(eval(last, space)), CASES[program])


@pytest.mark.quick
def test_every_row_stands_in_a_program():
    text = " ".join(CASES)
    names = [row.split()[0] for row in more_rows.ROWS.splitlines()]
    assert [name for name in names if f"raw.{name}(" not in text] == []


@pytest.mark.quick
def test_several_lists_get_a_row_each():
    raw = tf.raw_ops
    empty = raw.EmptyTensorList(element_shape=[1], max_num_elements=-1, element_dtype=tf.float32)
    found = raw.TensorListPushBackBatch(input_handles=[empty, empty], tensor=[[1.0], [2.0]])
    values = [
        raw.TensorListStack(input_handle=one, element_shape=[1], element_dtype=tf.float32).numpy() for one in found
    ]
    assert [value.tolist() for value in values] == [[[1.0]], [[2.0]]]


@pytest.mark.quick
def test_what_is_refused_says_what_was_given():
    raw = tf.raw_ops
    empty = raw.EmptyTensorList(element_shape=[2], max_num_elements=1, element_dtype=tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Trying to pop from an empty list"):
        raw.TensorListPopBack(input_handle=empty, element_shape=[2], element_dtype=tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="element 3 in a list with 0 elements"):
        raw.TensorListGetItem(input_handle=empty, index=3, element_shape=[2], element_dtype=tf.float32)
    with pytest.raises(TypeError, match="A list of tensors is needed"):
        raw.TensorListLength(input_handle=[1, 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="not compressed by ZLIB"):
        raw.DecodeCompressed(bytes=b"abc", compression_type="ZLIB")


@pytest.mark.quick
def test_derivatives_pass_through_functions_and_lists():
    raw, x = tf.raw_ops, tf.constant([1.0, 2.0])
    square = tf.function(lambda v: v * v).get_concrete_function(tf.TensorSpec([2], tf.float32))
    with tf.GradientTape() as tape:
        tape.watch(x)
        (y,) = raw.PartitionedCall(args=[x], Tout=[tf.float32], f=square)
        rows = raw.TensorListPushBack(input_handle=raw.TensorListFromTensor(tensor=[x], element_shape=[2]), tensor=y)
        z = tf.reduce_sum(raw.TensorListStack(input_handle=rows, element_shape=[2], element_dtype=tf.float32))
    assert tape.gradient(z, x).numpy().tolist() == [3.0, 5.0]
