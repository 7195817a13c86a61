"""A function says why it was traced again, and what of it runs compiled."""

import logging

import gradtape as tf


def test_each_trace_says_what_changed_since_the_one_before():
    @tf.function
    def f(x, n):
        return x * n

    f(tf.constant([1.0]), 2)
    f(tf.constant([1.0]), 3)
    f(tf.constant([1.0, 2.0]), 3)
    f(tf.constant([1, 2]), 3)
    traces = f.explain().traces
    assert [trace.changed for trace in traces] == [
        (),
        ("n: int 2 -> int 3",),
        ("x: a tensor of float32 and shape (1,) -> a tensor of float32 and shape (2,)",),
        ("x: a tensor of float32 and shape (2,) -> a tensor of int32 and shape (2,)",),
    ]
    assert all(trace.compiled for trace in traces)


def test_a_retrace_is_logged(caplog):
    @tf.function
    def f(n):
        return tf.constant(n)

    with caplog.at_level(logging.INFO, "gradtape"):
        f(1)
        assert not caplog.records
        f(2)
    assert caplog.messages == ["'f' is traced again: n: int 1 -> int 2"]


def test_a_call_that_was_seen_before_makes_no_trace():
    @tf.function
    def f(x):
        return x + 1.0

    f(tf.constant(1.0))
    f(tf.constant(2.0))
    assert len(f.explain().traces) == 1
    assert str(f.explain()).startswith("f was traced 1 time.")


def test_a_function_with_a_signature_explains_its_trace():
    f = tf.function(lambda x: tf.unique(x)[0], input_signature=[tf.TensorSpec([None])])
    assert not f.explain().traces
    f(tf.ones([3]))
    f(tf.ones([4]))
    (trace,) = f.explain().traces
    assert trace.arguments == ("x: a tensor of float32 and shape (None,)",)
    assert trace.ways[0][0].startswith("alone")


def test_what_is_called_as_in_eager_code_is_told():
    @tf.function
    def f(x, n):
        return tf.linspace(x[0], x[1], n) * 2.0

    f(tf.constant([1.0, 1.0]), tf.constant(3))
    (trace,) = f.explain().traces
    assert trace.compiled
    assert trace.ways == (("alone, compiled", "calls linspace as in eager code, with values that only running shows"),)


def test_what_is_interpreted_has_its_reason():
    @tf.function
    def f(path):
        return tf.io.read_file(path)

    f(__file__)
    (trace,) = f.explain().traces
    assert not trace.compiled
    ((way, reason),) = trace.ways
    assert way == "alone, interpreted"
    assert reason


def test_ways_under_a_tape_are_listed():
    @tf.function
    def f(x):
        return x * x

    x = tf.Variable(2.0)
    f(x)
    with tf.GradientTape():
        f(x)
    (trace,) = f.explain().traces
    assert [way for way, _ in trace.ways] == ["alone, compiled", "under a tape, compiled"]


def test_traces_of_a_method():
    class Model(tf.Module):
        @tf.function
        def step(self, x):
            return x * 2.0

    model = Model()
    model.step(tf.constant(1.0))
    assert len(model.step.explain().traces) == 1


def test_a_trace_that_was_not_run_says_so():
    @tf.function
    def f(x):
        return x

    f.get_concrete_function(tf.TensorSpec([2], tf.float32))
    assert "it has not run yet" in str(f.explain())
    assert "<pre" in f.explain()._repr_html_()
