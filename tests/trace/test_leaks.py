"""What a function was called with, and what it refers to, is let go."""

from __future__ import annotations

import gc
import threading
import tracemalloc
import weakref
from typing import Any

import pytest

import gradtape as tf
from gradtape.base.context import ACTIVE


@pytest.mark.parametrize("autograph", [True, False])
def test_captured_tensors_go_with_the_function(autograph):
    def make(captured: Any) -> Any:
        @tf.function(autograph=autograph)
        def f(x):
            return x * captured

        return f

    captured = tf.ones([10])
    f = make(captured)
    x = tf.ones([10])
    f(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    tape.gradient(y, x)
    function, tensor = weakref.ref(f), weakref.ref(captured)
    del f, captured, tape, y
    gc.collect()
    assert function() is None
    assert tensor() is None


def test_a_symbolic_tensor_that_is_kept_does_not_keep_what_was_computed_while_tracing():
    kept, captured = [], tf.ones([4096])

    @tf.function
    def f(x):
        y = captured
        for _ in range(100):
            y = y + captured  # 16 kB each, and known
        kept.append(y)
        return tf.reduce_sum(y) * x

    tracemalloc.start()
    try:
        f.get_concrete_function(tf.constant(1.0))
        gc.collect()
        now, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak > 1_600_000
    assert now < 800_000


def test_sizes_that_did_not_fit_leave_no_tape_behind():
    weights = tf.ones([3])

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x * weights  # the size must be 3: others are tried
        return tape.gradient(y, x)

    assert slope(tf.ones([3])).numpy().tolist() == [2.0, 2.0, 2.0]
    assert not ACTIVE


def test_functions_made_inside_a_function_go_with_it():
    def make() -> Any:
        @tf.function
        def outer(x):
            inner = tf.function(lambda y: x * y)
            return inner(x) + inner(2.0 * x)

        return outer

    outer = make()
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = outer(x)
    tape.gradient(y, x)
    function = weakref.ref(outer)
    del outer, tape, y
    gc.collect()
    assert function() is None


def test_objects_that_were_arguments_go_with_their_traces():
    class Options:
        factor = 3.0

    @tf.function
    def f(options, x):
        return x * options.factor

    for _ in range(3):
        options = Options()
        f(options, tf.ones([2]))
    gone = weakref.ref(options)
    del options
    gc.collect()
    assert gone() is None
    assert not f._traces


def test_threads_leave_nothing():
    @tf.function
    def f(x):
        return tf.sin(x) * 2.0

    before = threading.active_count()
    for _ in range(5):
        thread = threading.Thread(target=lambda: f(tf.ones([3])))
        thread.start()
        thread.join()
    assert threading.active_count() == before
    assert len(f._traces) == 1


def test_a_tensor_of_a_function_is_no_constant_outside_of_it():
    kept = []
    tf.function(lambda x: kept.append(x * 2.0))(tf.constant(1.0))
    with pytest.raises(ValueError, match="out of scope"):
        tf.constant(kept[0])
    assert tf.function(lambda x: tf.constant(x * 2.0))(tf.constant(1.0)).numpy() == 2.0


def test_an_object_that_can_be_called_goes_with_its_last_name():
    class Scale:
        def __call__(self, x):
            return x * 3.0

    f = tf.function(lambda scale, x: scale(x))
    scale = Scale()
    assert f(scale, tf.constant(2.0)).numpy() == 6.0
    gone = weakref.ref(scale)
    del scale
    gc.collect()
    assert gone() is None
    assert not f._traces
