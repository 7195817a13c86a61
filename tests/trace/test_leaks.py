"""What a function was called with, and what it refers to, is let go."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import Any

import pytest

import gradtape as tf


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
