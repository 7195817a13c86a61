"""A function that cannot be compiled together with its derivative runs step by step; a mistake of the compiler is told."""

import logging

import pytest

import gradtape as tf
from gradtape.compile import executor

X = tf.constant([1.0, 2.0])


def gradient_of(f, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x).numpy().tolist()


@pytest.fixture
def told(caplog):
    caplog.set_level(logging.DEBUG, logger="gradtape")
    return caplog


@pytest.fixture
def broken_compiler(monkeypatch):
    def broken(program):
        raise KeyError("a mistake of the compiler")

    monkeypatch.setattr("gradtape.compile.recorded.optimized", broken)


def test_a_mistake_of_the_compiler_is_told_once_and_changes_no_result(told, broken_compiler):
    @tf.function
    def squares(x):
        return x * x

    assert gradient_of(squares, X) == gradient_of(squares, X) == [2.0, 4.0]
    (record,) = told.records
    assert record.levelno == logging.DEBUG
    assert "squares could not be compiled" in record.getMessage()
    assert record.exc_info[0] is KeyError
    assert record.exc_info[2].tb_next is not None  # the way to the mistake


def test_so_is_one_in_forward_mode(told, monkeypatch):
    def broken(*args):
        raise KeyError("a mistake of the compiler")

    monkeypatch.setattr(executor, "Advanced", broken)

    @tf.function
    def squares(x):
        return x * x

    for _ in range(2):
        with tf.autodiff.ForwardAccumulator(X, tf.ones([2])) as accumulator:
            y = squares(X)
        assert accumulator.jvp(y).numpy().tolist() == [2.0, 4.0]
    (record,) = told.records
    assert record.exc_info[0] is KeyError


def test_what_depends_on_values_is_interpreted_silently(told, tmp_path):
    @tf.function
    def scaled(x):
        return x * tf.strings.to_number(tf.io.read_file(str(tmp_path / "number")))

    (tmp_path / "number").write_text("3")
    assert gradient_of(scaled, X) == [3.0, 3.0]
    assert told.records == []


def test_an_op_without_a_gradient_is_interpreted_silently(told):
    @tf.function
    def bits(x):
        return tf.bitcast(x, tf.float32) * 2.0

    with pytest.raises(LookupError, match="Bitcast"):
        gradient_of(bits, X)
    assert told.records == []


def test_an_error_of_eager_code_is_raised_and_not_told(told):
    @tf.function(input_signature=[tf.TensorSpec([None, None]), tf.TensorSpec([None, None])])
    def product(a, b):
        return tf.matmul(a, b)

    a, b = tf.ones([2, 3]), tf.ones([2, 3])
    with tf.GradientTape() as tape:
        tape.watch(a)
        with pytest.raises(tf.errors.InvalidArgumentError, match="inner"):
            product(a, b)
    assert told.records == []


@pytest.mark.parametrize("settings", [{"nan_safe": True}, {"memory_budget": 1e9}])
def test_tapes_that_look_at_each_op_get_no_record_of_a_whole_call(settings, monkeypatch):
    def refused(*args):
        raise AssertionError("compiled as a whole")

    monkeypatch.setattr(executor, "Recorded", refused)

    @tf.function
    def f(x):
        return tf.exp(x * x)

    with tf.GradientTape(**settings) as tape:
        tape.watch(X)
        y = f(X)
        assert len(tape._records()) == 3  # the watched one, and two ops
    assert tape.gradient(y, X) is not None
