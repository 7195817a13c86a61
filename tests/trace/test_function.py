"""`tf.function`: when it is recorded, with what, and what it returns."""

from __future__ import annotations

import collections
import gc
import logging
import threading
import weakref
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.base.context import ACTIVE, STATE

pytestmark = pytest.mark.quick


class Counter:
    def __init__(self) -> None:
        self.count = 0


def test_one_trace_for_each_kind_of_arguments():
    seen = []

    @tf.function
    def f(x, n=1):
        seen.append(n)
        return x * float(n)

    f(tf.constant(1.0))
    f(tf.constant(2.0))
    assert len(seen) == 1
    f(tf.constant([1.0]))
    f(tf.constant([1.0, 2.0]))
    f(tf.constant(1.0), n=2)
    f(tf.constant(1.0), 2)
    f(n=2, x=tf.constant(5.0))
    assert len(seen) == 4
    assert f.experimental_get_tracing_count() == 4


def test_arrays_and_variables_as_arguments():
    seen = []

    @tf.function
    def f(x):
        seen.append(type(x).__name__)
        return x + 1.0

    assert f(np.ones(2, np.float32)).numpy().tolist() == [2.0, 2.0]
    assert f(np.zeros(2, np.float32)).numpy().tolist() == [1.0, 1.0]
    assert len(seen) == 1
    v, w = tf.Variable([1.0]), tf.Variable([5.0])
    assert f(v).numpy() == [2.0]
    assert f(w).numpy() == [6.0]
    v.assign([3.0])
    assert f(v).numpy() == [4.0]
    assert len(seen) == 3


def test_structures_in_and_out():
    Pair = collections.namedtuple("Pair", "a b")

    @tf.function
    def f(structure):
        return {"sum": structure["x"][0] + structure["x"][1].a, "pair": Pair(structure["x"][1].b, None), "n": 3}

    one = tf.constant(1.0)
    out = f({"x": [one, Pair(one * 2.0, one * 3.0)]})
    assert float(out["sum"]) == 3.0
    assert isinstance(out["pair"], Pair)
    assert float(out["pair"].a) == 3.0
    assert out["pair"].b is None
    assert isinstance(out["n"], tf.Tensor)


def test_input_signature():
    seen = []

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32), {"k": tf.TensorSpec([], tf.int32)}])
    def f(x, options):
        seen.append(x.shape)
        return tf.reduce_sum(x) + tf.cast(options["k"], tf.float32)

    assert float(f(tf.ones([3, 2]), {"k": tf.constant(1)})) == 7.0
    assert float(f([[1.0, 2.0]], {"k": 5})) == 8.0
    assert seen == [tf.TensorShape([None, 2])]
    with pytest.raises(TypeError, match="Can not cast"):
        f(tf.ones([2]), {"k": 1})
    with pytest.raises(TypeError):
        f(tf.ones([2, 2], tf.float64), {"k": 1})
    with pytest.raises(TypeError, match="tuple or a list"):
        tf.function(lambda x: x, input_signature=tf.TensorSpec([]))
    with pytest.raises(TypeError, match="TensorSpec"):
        tf.function(lambda x: x, input_signature=[3])


def test_concrete_functions():
    w = tf.Variable(2.0, name="w")

    @tf.function
    def f(x, scale):
        return x * w * scale

    concrete = f.get_concrete_function(tf.TensorSpec([None], tf.float32), 3.0)
    assert concrete(tf.constant([1.0, 2.0])).numpy().tolist() == [6.0, 12.0]
    assert concrete(x=tf.constant([1.0])).numpy().tolist() == [6.0]
    assert concrete.structured_outputs == tf.TensorSpec([None], tf.float32)
    assert concrete.variables == (w,) or concrete.variables[0] is w
    assert "multiply" in str(concrete.graph)
    assert concrete.pretty_printed_signature(verbose=False).startswith("(x: TensorSpec(shape=(None,), dtype=tf.float32")
    with pytest.raises(tf.errors.InvalidArgumentError):
        concrete(tf.constant([[1.0]]))
    with pytest.raises(TypeError):
        concrete()


def test_methods_do_not_keep_their_objects():
    class Model(tf.Module):
        def __init__(self, value: float) -> None:
            super().__init__()
            self.w = tf.Variable(value)
            self.traces = 0

        @tf.function
        def __call__(self, x):
            self.traces += 1
            return self.w * x

    first, second = Model(2.0), Model(3.0)
    assert float(first(tf.constant(2.0))) == 4.0
    assert float(first(tf.constant(3.0))) == 6.0
    assert float(second(tf.constant(2.0))) == 6.0
    assert (first.traces, second.traces) == (1, 1)
    gone, weights = weakref.ref(first), weakref.ref(first.w)
    del first
    gc.collect()
    assert gone() is None
    assert weights() is None


def test_variables_are_made_once():
    class Lazy:
        v: Any = None

        @tf.function
        def __call__(self, x):
            if self.v is None:
                self.v = tf.Variable(tf.ones([2]) * 3.0)
            return self.v * x

    lazy = Lazy()
    assert lazy(tf.constant(2.0)).numpy().tolist() == [6.0, 6.0]
    assert lazy(tf.constant([1.0, 2.0])).numpy().tolist() == [3.0, 6.0]

    @tf.function
    def each_time(x):
        return tf.Variable(1.0) * x

    with pytest.raises(ValueError, match="singleton"):
        each_time(tf.constant(1.0))

    @tf.function
    def from_argument(x):
        return tf.Variable(x) + 1.0

    with pytest.raises(ValueError, match="argument"):
        from_argument(tf.constant(1.0))
    assert STATE.trace is None
    assert not ACTIVE


def test_effects_in_the_order_of_the_program(capsys):
    v = tf.Variable(1.0)
    log = []

    @tf.function
    def f(x):
        log.append("traced")
        a = v.assign_add(x)
        tf.print("v is", v)
        b = v * 10.0
        v.assign(b)
        tf.py_function(lambda t: log.append(float(t)), [b], [])
        return a.read_value() + v

    assert float(f(tf.constant(1.0))) == 40.0
    assert float(f(tf.constant(1.0))) == 420.0
    assert log == ["traced", 20.0, 210.0]
    assert "v is 2" in capsys.readouterr().err
    assert float(v) == 210.0


def test_changed_arguments_are_found():
    @tf.function
    def f(items):
        items.append(tf.constant(1.0))
        return items[0]

    with pytest.raises(ValueError, match="should not modify"):
        f([tf.constant(1.0)])


def test_leaked_tensors_say_so():
    kept = []

    @tf.function
    def f(x):
        kept.append(x * 2.0)
        return x

    f(tf.constant(1.0))
    with pytest.raises(ValueError, match="'f'"):
        kept[0] + 1.0
    assert not hasattr(kept[0], "numpy")
    with pytest.raises(AttributeError, match=r"tf\.numpy_function"):
        kept[0].numpy()

    @tf.function
    def g(x):
        return x + kept[0]

    with pytest.raises(ValueError, match="'f'"):
        g(tf.constant(1.0))


def test_a_storm_of_traces_is_named_twice_at_most(caplog):
    @tf.function
    def f(x, n):
        return x * float(n)

    with caplog.at_level(logging.WARNING, logger="gradtape"):
        for n in range(12):
            f(tf.constant(1.0), n)
    first, second = [record.getMessage() for record in caplog.records]
    assert first.startswith("5 out of the last 5 calls")
    assert second.startswith("6 out of the last 6 calls")
    text = first
    assert "retracing" in text
    assert "n: int" in text
    assert "tf.constant" in text
    assert "x:" not in text


def test_reduce_retracing():
    seen = []

    @tf.function(reduce_retracing=True)
    def f(x):
        seen.append(x.shape.as_list())
        return tf.reduce_sum(x)

    for n in (1, 2, 3, 4):
        assert float(f(tf.ones([n]))) == n
    assert seen == [[1], [None]]


def test_errors_leave_nothing_behind():
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            raise KeyError("k")

    with pytest.raises(KeyError):
        f(tf.constant(1.0))
    assert STATE.trace is None
    assert not STATE.tapes
    assert not ACTIVE

    @tf.function
    def bad(x):
        return tf.matmul(x, tf.ones([3, 2]))

    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        bad(tf.ones([2, 2]))
    assert STATE.trace is None

    @tf.function(input_signature=[tf.TensorSpec([None, None])])
    def late(x):
        return tf.linalg.inv(x)

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"invert|singular"):
        late(tf.zeros([2, 2]))


def test_run_eagerly_and_init_scope():
    seen = []

    @tf.function
    def f(x):
        with tf.init_scope():
            seen.append((tf.executing_eagerly(), tf.constant(1.0).numpy()))
        seen.append(tf.executing_eagerly())
        return x

    f(tf.constant(1.0))
    assert seen == [(True, 1.0), False]
    tf.config.run_functions_eagerly(True)
    try:
        f(tf.constant(1.0))
        assert seen[2:] == [(True, 1.0), True]
    finally:
        tf.config.run_functions_eagerly(False)


def test_first_calls_from_many_threads():
    seen = []

    @tf.function
    def f(x):
        seen.append(1)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.sin(x) * x)
        return tape.gradient(y, x)

    results: dict[int, Any] = {}
    barrier = threading.Barrier(8)

    def work(k: int) -> None:
        barrier.wait()
        for _ in range(20):
            results[k] = f(tf.ones([3]) * float(k)).numpy()

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 1
    for k in range(8):
        np.testing.assert_allclose(results[k], np.cos(k) * k + np.sin(k) * np.ones(3), rtol=1e-5, atol=1e-6)


def test_a_thousand_calls_keep_nothing():
    @tf.function
    def f(x):
        return tf.nn.softmax(x @ tf.transpose(x))

    x = tf.ones([4, 4])
    for _ in range(50):  # (it becomes a native function meanwhile)
        f(x)
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(1000):
        f(x)
    gc.collect()
    assert len(gc.get_objects()) - before < 50


def test_function_in_function_and_recursion_over_python():
    @tf.function
    def inner(x):
        return x * x

    @tf.function
    def outer(x, depth):
        return inner(x) if depth == 0 else outer(inner(x), depth - 1)

    x = tf.constant(1.5)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = outer(x, 1)
    assert float(y) == pytest.approx(1.5**4)
    assert float(tape.gradient(y, x)) == pytest.approx(4 * 1.5**3)


def test_random_numbers_are_drawn_each_time():
    @tf.function
    def f():
        return tf.random.normal([3]), tf.random.uniform([2], maxval=5, dtype=tf.int32)

    a, b = f()[0].numpy(), f()[0].numpy()
    assert not np.allclose(a, b)

    generator = tf.random.Generator.from_seed(3)

    @tf.function
    def g():
        return generator.normal([3])

    expected = tf.random.Generator.from_seed(3)
    np.testing.assert_array_equal(g().numpy(), expected.normal([3]).numpy())
    np.testing.assert_array_equal(g().numpy(), expected.normal([3]).numpy())


def test_dropout_has_the_gradient_of_its_own_mask():
    x = tf.ones([200])

    @tf.function
    def f(x):
        return tf.nn.dropout(x, 0.5)

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), y.numpy())
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x) ** 2
        gradient = tape.gradient(y, x)
    np.testing.assert_allclose(gradient.numpy(), 2 * y.numpy())
    np.testing.assert_allclose(outer.gradient(gradient, x).numpy(), 2 * y.numpy())


@pytest.mark.parametrize(
    ("args", "kwargs", "words"),
    [
        ((), {}, "missing a required argument: 'x'"),
        ((1.0,), {"w": 3}, "got an unexpected keyword argument 'w'"),
        ((1.0,), {"x": 3}, "multiple values for argument 'x'"),
        ((1.0, 2.0, 3.0), {}, "too many positional arguments"),
    ],
)
def test_errors_of_arguments_show_what_was_given_and_what_is_taken(args, kwargs, words):
    @tf.function
    def f(x, y=2.0, *, z=1.0):
        return x * y + z

    for _ in range(3):  # also when the function has run natively
        assert f(tf.constant(1.0)).numpy() == 3.0
        with pytest.raises(TypeError) as caught:
            f(*args, **kwargs)
        expected = f"due to `{words}`. Received args: {args} and kwargs: {kwargs} for signature: (x, y=2.0, *, z=1.0)."
        assert str(caught.value) == f"Binding inputs to tf.function failed {expected}"
