"""TensorFlow's functions around ops: print (the texts are TensorFlow 2.21's), devices, dependencies."""

import sys

import numpy as np
import pytest

import gradtape as tf

PRINTED = [
    (lambda: [tf.range(10)], "[0 1 2 ... 7 8 9]\n"),
    (lambda: [tf.range(10.0)], "[0 1 2 ... 7 8 9]\n"),
    (
        lambda: [tf.reshape(tf.range(100), [10, 10])],
        "[[0 1 2 ... 7 8 9]\n [10 11 12 ... 17 18 19]\n [20 21 22 ... 27 28 29]\n ...\n"
        " [70 71 72 ... 77 78 79]\n"
        " [80 81 82 ... 87 88 89]\n [90 91 92 ... 97 98 99]]\n",
    ),
    (
        lambda: [tf.reshape(tf.range(8), [2, 2, 2])],
        "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]\n",
    ),
    (lambda: [tf.constant("a")], "a\n"),
    (lambda: [tf.constant(["a", "b"])], '["a" "b"]\n'),
    (lambda: [[tf.constant("a"), "b"], tf.constant("x y")], '["a", \'b\'] "x y"\n'),
    (lambda: [tf.constant([[True, False]])], "[[1 0]]\n"),
    (lambda: [tf.constant(0.1)], "0.1\n"),
    (lambda: [tf.constant(1 / 3)], "0.333333343\n"),
    (lambda: [tf.constant(1 / 3, tf.float64)], "0.33333333333333331\n"),
    (lambda: [tf.constant(0.1, tf.float16)], "0.0999755859\n"),
    (lambda: [tf.constant(1.0, tf.bfloat16)], "1\n"),
    (lambda: [tf.constant(1e6), tf.constant(1234567.0), tf.constant(16777216.0)], "1e+06 1234567 16777216\n"),
    (lambda: [tf.constant([1.5, 1e20])], "[1.5 1e+20]\n"),
    (lambda: [tf.constant(float("nan")), tf.constant([float("-inf")])], "nan [-inf]\n"),
    (lambda: [tf.constant([])], "[]\n"),
    (lambda: [tf.Variable([1.0, 2.0])], "[1 2]\n"),
    (lambda: ["x:", tf.constant(1.0), "y:", [1.0, 2.0]], "x: 1 y: [1.0, 2.0]\n"),
    (lambda: [(1, 2.5, None, "s")], "(1, 2.5, None, 's')\n"),
    (lambda: [{"b": tf.constant(1), "a": tf.constant([2.0])}], "{'a': [2], 'b': 1}\n"),
    (lambda: [np.ones(3), 1.0, True], "array([1., 1., 1.]) 1.0 True\n"),
    (lambda: [], "\n"),
]


@pytest.mark.parametrize(("values", "text"), PRINTED, ids=[repr(text) for _, text in PRINTED])
def test_print_writes_what_tensorflow_writes(values, text, capsys):
    tf.print(*values(), output_stream=sys.stdout)
    assert capsys.readouterr().out == text


def test_print_goes_to_standard_error_or_a_file(capsys, tmp_path):
    tf.print("here")
    assert capsys.readouterr().err == "here\n"
    path = tmp_path / "log"
    tf.print("one", output_stream=f"file://{path}")
    tf.print("two", output_stream=f"file://{path}")
    assert path.read_text() == "one\ntwo\n"


def test_print_takes_a_separator_an_end_and_a_length(capsys):
    tf.print("a", "b", sep="|", end="!\n")
    tf.print(tf.range(10), summarize=2)
    tf.print(tf.range(10), summarize=-1)
    assert capsys.readouterr().err == "a|b!\n[0 1 ... 8 9]\n[0 1 2 3 4 5 6 7 8 9]\n"


def test_print_refuses_what_it_does_not_know():
    with pytest.raises(ValueError, match="foo"):
        tf.print(1, foo=2)
    with pytest.raises(ValueError, match="output stream"):
        tf.print(1, output_stream="nope")


def test_print_changes_no_gradient(capsys):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        tf.print(y)
    assert tape.gradient(y, x).numpy() == 6.0
    assert capsys.readouterr().err == "9\n"


def test_what_counts_as_a_tensor():
    slices = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))
    assert all(map(tf.is_tensor, (tf.constant(1), tf.Variable(1), slices)))
    assert not any(map(tf.is_tensor, (1, np.ones(2), None, "a")))
    assert isinstance(tf.constant(1.0), tf.Tensor)
    assert not isinstance(tf.Variable(1.0), tf.Tensor)
    assert not tf.is_symbolic_tensor(tf.constant(1))
    assert tf.executing_eagerly()


@pytest.mark.parametrize(
    "name",
    ["/GPU:0", "GPU:3", "/cpu:0", "/device:CPU:0", "/job:localhost/replica:0/task:0/device:GPU:0", None],
)
def test_a_device_that_is_not_there_is_the_cpu(name):
    with tf.device(name):
        x = tf.constant(1.0) + 1.0
    assert x.device.endswith("CPU:0")


def test_what_is_no_device_is_an_error():
    for wrong in ("nope", 3):
        with pytest.raises(ValueError, match="device"), tf.device(wrong):
            pass


def test_dependencies_and_groups_are_accepted():
    v = tf.Variable(1.0)
    with tf.control_dependencies([v.assign(2.0)]):
        assert tf.identity(v).numpy() == 2.0
    assert tf.group(v.assign(3.0), v.assign_add(1.0)) is None
    assert tf.no_op() is None
    assert v.numpy() == 4.0


def test_static_values():
    assert tf.get_static_value(tf.constant([1, 2])).tolist() == [1, 2]
    assert tf.get_static_value(3) == 3


def test_assert_raises_with_its_data():
    tf.Assert(tf.constant(True), ["a"])
    with pytest.raises(tf.errors.InvalidArgumentError, match="reason"):
        tf.Assert(tf.constant(False), ["reason", tf.constant(1)])


def test_small_things_of_the_top_level():
    first, nothing = tf.tuple([tf.constant(1), None])
    assert int(first) == 1
    assert nothing is None
    assert tf.get_logger().name == "gradtape"
    with tf.name_scope("a"), tf.name_scope("b"):
        assert tf.get_current_name_scope() == "a/b"
    assert tf.get_current_name_scope() == ""
    assert tf.timestamp().dtype == tf.float64
    assert int(tf.guarantee_const(3)) == 3
    assert tf.as_dtype("resource") is tf.resource
    assert tf.resource != tf.variant
    assert tf.as_string(3).numpy() == b"3"
