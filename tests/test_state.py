"""Whatever fails inside recorders, rules and maps, nothing of it stays behind in the thread."""

import importlib
import importlib.util

import pytest
from tests import conftest

import gradtape as tf
from gradtape.base.context import ACTIVE, STATE


class Failure(Exception):
    """Raised on purpose."""


X = tf.constant([1.0, 2.0])
V = tf.Variable([1.0, 2.0])


@tf.custom_gradient
def failing_gradient(x):
    def grad(g):
        raise Failure

    return x * 1.0, grad


@tf.custom_gradient
def failing_body(x):
    raise Failure


def fail(*_):
    raise Failure


def in_a_tape():
    with tf.GradientTape() as tape:
        tape.watch(X)
        fail(X * V)


def in_nested_tapes():
    with tf.GradientTape() as outer, tf.GradientTape(persistent=True) as inner:
        outer.watch(X)
        inner.watch(X)
        inner.gradient(X * X, X)
        fail()


def in_a_rule():
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = failing_gradient(X)
    tape.gradient(y, X)


def in_a_rule_inside_the_context():
    with tf.GradientTape() as tape:
        tape.watch(X)
        tape.gradient(failing_gradient(X) * V, X)


def in_a_rule_under_an_outer_tape():
    with tf.GradientTape() as outer:
        outer.watch(X)
        in_a_rule()


def in_the_body_of_a_custom_gradient():
    with tf.GradientTape() as tape:
        tape.watch(X)
        failing_body(X)


def in_a_recomputed_function():
    with tf.GradientTape() as tape:
        tape.watch(X)
        tf.recompute_grad(fail)(X)


def in_stop_recording():
    with tf.GradientTape() as tape, tape.stop_recording():
        fail()


def in_an_accumulator():
    with tf.autodiff.ForwardAccumulator(X, X), tf.GradientTape():
        fail(X * X)


def in_a_transposed_rule():
    with tf.autodiff.ForwardAccumulator(X, X):

        @tf.custom_gradient
        def opaque(x):
            return tf.constant(x.numpy()), fail

        opaque(X)


def in_a_map():
    with tf.GradientTape() as tape:
        tape.watch(X)
        tf.vectorized_map(lambda r: fail(r * r), X)


def in_a_tape_in_a_map():
    def function(r):
        with tf.GradientTape() as tape:
            tape.watch(r)
            fail(r * r)

    with tf.GradientTape() as outer:
        outer.watch(X)
        tf.vectorized_map(function, X)


def in_a_rule_of_a_map():
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = tf.vectorized_map(failing_gradient, X)
    tape.gradient(y, X)


def in_a_jacobian():
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = failing_gradient(X)
    tape.jacobian(y, X)


def in_a_hessian():
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = tf.reduce_sum(failing_gradient(X))
    tape.hessian(y, X)


def in_a_name_scope():
    with tf.name_scope("a"), tf.name_scope("b"):
        fail()


def in_an_op():
    with tf.GradientTape() as tape:
        tape.watch(X)
        try:
            tf.matmul(X, X)
        except tf.errors.InvalidArgumentError as error:
            raise Failure from error


PLACES = [value for name, value in list(globals().items()) if name.startswith("in_")]


def left_behind():
    """All that a thread could carry on."""
    return [
        len(ACTIVE),
        *(
            0 if value is None else value if isinstance(value, int) else len(value)
            for name, value in sorted(vars(STATE).items())
            if name[0] != "_"
        ),
    ]


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
def test_one_failure_leaves_nothing(place):
    before = left_behind()
    with pytest.raises(Failure):
        place()
    assert left_behind() == before == [0] * len(before)


def test_ten_thousand_failures_leave_nothing():
    for count in range(10_000):
        try:
            PLACES[count % len(PLACES)]()
        except Failure:
            continue
        raise AssertionError("nothing failed")
    assert left_behind() == [0] * len(left_behind())
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(V * V)
    assert tape.gradient(y, V).numpy().tolist() == [2.0, 4.0]


def test_a_failure_inside_an_outer_tape_leaves_the_outer_tape_whole():
    with tf.GradientTape() as outer:
        outer.watch(X)
        y = X * X
        for place in PLACES:
            with pytest.raises(Failure):
                place()
        z = tf.reduce_sum(y * X)
    assert outer.gradient(z, X).numpy().tolist() == [3.0, 12.0]
    assert left_behind() == [0] * len(left_behind())


def test_each_state_of_the_process_that_is_watched_is_there_and_found_changed():
    for module, name, new in conftest.PROCESS:
        if module != "distribute.dtensor" or importlib.util.find_spec("jax"):
            importlib.import_module(f"gradtape.{module}")
            owner, attribute = conftest._place(module, name)
            assert conftest._plain(getattr(owner, attribute)) == new, (module, name)
    before = conftest.process_state()
    tf.config.run_functions_eagerly(True)
    tape = tf.GradientTape()
    tape.__enter__()
    assert conftest.left_in_process(before, conftest.process_state()) == [
        "base.context.ACTIVE",
        "trace.function._UNUSUAL",
    ]
    tape.__exit__(None, None, None)
    conftest.restore(before)
    assert conftest.process_state() == before
