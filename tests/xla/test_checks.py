"""The engine `xla-checked` raises errors that depend on values, as eager code does."""

import numpy as np
import pytest

pytest.importorskip("jax", reason="the extra `xla` is not installed")

from tests.xla import bad_inputs, census

import gradtape as tf
from gradtape.op.declaration import REGISTRY
from gradtape.xla.checks import raises_by_values

X = tf.constant([1.0, 2.0, 3.0])


def first_of_each_op():
    found = {}
    for op, bad in bad_inputs.all_bad_inputs():
        if op.name not in found and bad_inputs.error_of(op, bad) is not None:
            found[op.name] = op, bad
    return found


def test_a_bad_input_of_each_op_raises_what_it_raises_in_eager_code():
    """And where the fast engine gives a value instead, the page says so."""
    listed = census.listed_silent_ops()
    wrong, unlisted = [], []
    for name, (op, bad) in first_of_each_op().items():
        expected, found = bad_inputs.error_of(op, bad), bad_inputs.error_of(op, bad, "xla-checked")
        if type(found) is not type(expected):
            wrong.append((name, bad.why, repr(expected), repr(found)))
        if name not in listed and bad_inputs.error_of(op, bad, "xla") is None:
            unlisted.append(name)
    assert not wrong
    assert not unlisted, "run python -m tests.xla.census"


@pytest.mark.full
def test_all_bad_inputs_raise_what_they_raise_in_eager_code():
    wrong = []
    for op, bad in bad_inputs.all_bad_inputs():
        expected = bad_inputs.error_of(op, bad)
        if expected is not None and type(bad_inputs.error_of(op, bad, "xla-checked")) is not type(expected):
            wrong.append((op.name, bad.why))
    assert not wrong


def test_ops_whose_errors_depend_on_shapes_alone_cost_nothing_more():
    assert raises_by_values(REGISTRY["take"])
    assert not raises_by_values(REGISTRY["matmul"])
    assert not raises_by_values(REGISTRY["tanh"])


def test_the_first_error_of_the_program_is_raised_and_variables_keep_their_values():
    v = tf.Variable([1.0, 2.0, 3.0])

    @tf.function(engine="xla-checked")
    def step(i, j):
        v.assign_add(tf.ones([3]))
        a = tf.gather(v, i)
        return a + tf.gather(v * a, j)

    assert float(step(tf.constant(0), tf.constant(1))) == 8.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="= 7 is not in"):
        step(tf.constant(7), tf.constant(9))
    assert v.numpy().tolist() == [2.0, 3.0, 4.0]
    assert float(step(tf.constant(0), tf.constant(0))) == 12.0


def test_inside_loops_and_branches_what_runs_is_checked():
    def f(n):
        total = tf.zeros([], tf.float64)
        for k in tf.range(n):
            if k < 10:
                total += tf.cast(tf.gather(X, k), tf.float64)
        return total

    checked = tf.function(f, engine="xla-checked")
    assert float(checked(tf.constant(3))) == 6.0
    assert "host" not in str(checked.explain())
    with pytest.raises(tf.errors.InvalidArgumentError, match="3 is not in"):
        checked(tf.constant(5))


def test_under_a_tape_both_programs_are_checked():
    f = tf.function(lambda x, i: tf.gather(x, i) * 2.0, engine="xla-checked")
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = f(X, tf.constant([0, 2]))
    assert np.array_equal(tf.convert_to_tensor(tape.gradient(y, X)).numpy(), [2.0, 0.0, 2.0])
    with tf.GradientTape() as tape, pytest.raises(tf.errors.InvalidArgumentError, match="is not in"):
        tape.watch(X)
        f(X, tf.constant([0, 3]))


def test_the_program_may_choose_it_for_all_functions():
    f = tf.function(tf.gather)
    tf.config.set_engine("xla-checked")
    try:
        assert tf.config.get_engine() == "xla-checked"
        with pytest.raises(tf.errors.InvalidArgumentError):
            f(X, tf.constant(3))
    finally:
        tf.config.set_engine("native")
