"""Tapes inside functions, around them, and both: the numbers of eager code."""

from __future__ import annotations

import numpy as np
import pytest

import gradtape as tf


def same(a, b, rtol=1e-5):
    for x, y in zip(tf.nest.flatten(a), tf.nest.flatten(b), strict=True):
        assert (x is None) == (y is None)
        if y is not None:
            assert type(x) is type(y)
            np.testing.assert_allclose(
                tf.convert_to_tensor(x).numpy(), tf.convert_to_tensor(y).numpy(), rtol=rtol, atol=1e-6
            )


def third_order(f, x):
    with tf.GradientTape() as t3:
        t3.watch(x)
        with tf.GradientTape() as t2:
            t2.watch(x)
            with tf.GradientTape() as t1:
                t1.watch(x)
                y = f(x)
            g1 = t1.gradient(y, x)
        g2 = t2.gradient(g1, x)
    return y, g1, g2, t3.gradient(g2, x)


FUNCTIONS = {
    "polynomial": lambda x: x**4 + 2.0 * x**2,
    "elementary": lambda x: tf.sin(x) * tf.exp(x) / (1.0 + x**2),
    "product": lambda x: tf.reduce_prod(x) * x,
    "matrix": lambda x: tf.linalg.inv(tf.linalg.diag(x) + 0.1) @ x[:, None],
    "softmax": lambda x: tf.nn.softmax(x) * x,
    "branch": lambda x: tf.cond(tf.reduce_sum(x) > 0.0, lambda: x**3, lambda: x),
    "loop": lambda x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, x])[1],
    "scan": lambda x: tf.scan(lambda a, b: a * b, x),
    "gather": lambda x: tf.gather(x * 1.0, [0, 1, 1]) ** 3,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_three_orders_in_and_around(name):
    f = FUNCTIONS[name]
    x = tf.constant([0.7, 1.3, 0.4])
    expected = third_order(f, x)
    same(third_order(tf.function(f), x), expected)  # around
    same(tf.function(third_order, autograph=False)(f, x), expected)  # inside
    inner = tf.function(f)
    same(tf.function(lambda v: third_order(inner, v))(x), expected)  # a function inside a function


@pytest.mark.parametrize("name", FUNCTIONS)
def test_forward_mode(name):
    f, x, v = FUNCTIONS[name], tf.constant([0.7, 1.3, 0.4]), tf.constant([1.0, -1.0, 0.5])

    def jvp(f, x, v):
        with tf.autodiff.ForwardAccumulator(x, v) as accumulator:
            y = f(x)
        return y, accumulator.jvp(y)

    expected = jvp(f, x, v)
    same(jvp(tf.function(f), x, v), expected)
    same(tf.function(lambda x, v: jvp(f, x, v))(x, v), expected)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_jacobians(name):
    f, x = FUNCTIONS[name], tf.constant([0.7, 1.3, 0.4])

    def jacobian(f, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.jacobian(y, x)

    expected = jacobian(f, x)
    same(jacobian(tf.function(f), x), expected)
    if name not in ("branch",):
        same(tf.function(lambda x: jacobian(f, x))(x), expected)


def test_variables_around_and_inside():
    v, frozen = tf.Variable([1.0, 2.0]), tf.Variable(3.0, trainable=False)

    def f(x):
        return tf.reduce_sum(v * x * frozen)

    traced = tf.function(f)
    x = tf.constant([2.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = traced(x)
    same(tape.gradient(y, [x, v, frozen]), [tf.constant([3.0, 6.0]), tf.constant([6.0, 9.0]), None])
    assert [w is v for w in tape.watched_variables()] == [True]
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(frozen)
        y = traced(x)
    same(tape.gradient(y, [v, frozen]), [None, tf.constant(8.0)])
    v.assign([5.0, 5.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = traced(x)
    same(tape.gradient(y, x), tf.constant([15.0, 15.0]))


def test_a_value_changed_after_the_call_does_not_change_its_gradient():
    v = tf.Variable(3.0)
    traced = tf.function(lambda x: v * v * x)
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = traced(x)
        v.assign(100.0)
        gradient = tape.gradient(y, x)
    assert float(gradient) == 9.0
    assert float(outer.gradient(gradient, v)) == 6.0


def test_lookups_give_slices():
    table = tf.Variable(np.arange(8.0, dtype=np.float32).reshape(4, 2))

    def look(ids):
        return tf.reduce_sum(tf.gather(table, ids) ** 2)

    def inside(ids):
        with tf.GradientTape() as tape:
            y = look(ids)
        return tape.gradient(y, table)

    ids = tf.constant([1, 3, 1])
    same(tf.function(inside)(ids), inside(ids))
    assert isinstance(tf.function(inside)(ids), tf.IndexedSlices)
    with tf.GradientTape() as tape:
        y = tf.function(look)(ids)
    same(tape.gradient(y, table), inside(ids))


def test_unconnected_and_structures():
    def f(x, z):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([x, z])
            y = x * 2.0
        none = tape.gradient(y, {"x": x, "z": [z]})
        zero = tape.gradient(y, z, unconnected_gradients="zero")
        return none, zero

    x, z = tf.constant([1.0]), tf.constant(2.0)
    same(tf.function(f)(x, z), f(x, z))
    traced = tf.function(lambda x, z: (x * 2.0, tf.stop_gradient(z)))
    with tf.GradientTape() as tape:
        tape.watch([x, z])
        y = traced(x, z)
    same(tape.gradient(y, [x, z]), [tf.constant([2.0]), None])


def test_stopping_and_resetting_inside():
    def f(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * x
            with tape.stop_recording():
                z = y * 10.0
            w = y * x
            first = tape.gradient(w, x)
            tape.reset()
            tape.watch(x)
            u = x**3
        return tape.gradient(z, x), first, tape.gradient(u, x), tape.gradient(w, x)

    x = tf.constant(2.0)
    same(tf.function(f)(x), f(x))


def test_custom_gradients():
    w = tf.Variable(3.0)

    @tf.custom_gradient
    def scaled(x):
        y = w * tf.exp(x)

        def grad(upstream, variables=None):
            return upstream * y * 10.0, [upstream * 7.0]

        return y, grad

    def inside(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = scaled(x) * 2.0
        return y, tape.gradient(y, [x, w])

    x = tf.constant(0.5)
    same(tf.function(inside)(x), inside(x))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(lambda x: scaled(x) * 2.0)(x)
    same(tape.gradient(y, [x, w]), inside(x)[1])
    recomputed = tf.recompute_grad(lambda x: tf.sin(x) * w)
    same(third_order(tf.function(recomputed), x), third_order(recomputed, x))


def test_gradients_of_graph_mode():
    v = tf.Variable(2.0)

    @tf.function
    def f(a, b):
        z = a * b * v
        y = z * z + a
        return (
            tf.gradients(y, [a, b, v]),
            tf.gradients([y, z], a, grad_ys=[tf.constant(2.0), tf.constant(3.0)]),
            tf.gradients(y, [a, z], stop_gradients=[z]),
            tf.gradients(tf.gradients(y, a)[0], b),
            tf.hessians(y, a),
            tf.gradients(y, z),
        )

    a, b = tf.constant(3.0), tf.constant(5.0)
    z = 3.0 * 5.0 * 2.0
    got = f(a, b)
    same(got[0], [tf.constant(2 * z * 10 + 1.0), tf.constant(2 * z * 6.0), tf.constant(2 * z * 15.0)])
    same(got[1], [tf.constant(2.0 * (2 * z * 10 + 1) + 3.0 * 10)])
    same(got[2], [tf.constant(1.0), tf.constant(2 * z)])
    same(got[3], [tf.constant(4 * 3.0 * 5.0 * 4.0)])
    assert float(got[4][0]) == 2 * 10.0 * 10.0
    assert float(got[5][0]) == 2 * z


def test_a_tape_from_outside_follows_through():
    x = tf.constant(2.0)

    @tf.function
    def square(x):
        return x * x

    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = square(x)
        z = square(y) + y
    assert float(tape.gradient(z, x)) == 4 * 8.0 + 4.0
    assert float(tape.gradient(z, y)) == 2 * 4.0 + 1.0
    assert float(tape.gradient(y, x)) == 4.0


def test_tensors_from_outside_may_be_watched():
    x = tf.constant([1.0, 2.0])

    @tf.function
    def f():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.nn.softmax(x * x) * x)
        return tape.gradient(y, x)

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.nn.softmax(x * x) * x)
    same(f(), tape.gradient(y, x))

    @tf.function
    def g():
        with tf.autodiff.ForwardAccumulator(x, tf.ones([2])) as accumulator:
            y = x * x
        return accumulator.jvp(y)

    same(g(), 2.0 * x)


def test_a_tape_around_that_is_nan_safe():
    @tf.function
    def f(x):
        return tf.where(x > 0.0, tf.sqrt(x) / x, 0.0)

    x = tf.constant([0.0, 4.0])
    with tf.GradientTape(nan_safe=True) as tape:
        tape.watch(x)
        y = f(x)
    assert np.isfinite(tape.gradient(y, x).numpy()).all()

    @tf.function
    def inside(x):
        with tf.GradientTape(nan_safe=True) as tape:
            tape.watch(x)
            y = tf.where(x > 0.0, tf.sqrt(x) / x, 0.0)
        return tape.gradient(y, x)

    assert np.isfinite(inside(x).numpy()).all()


def test_a_loop_with_shape_invariants_has_gradients():
    """What enters such a loop as a tensor of any shape is still the tensor that a tape inside the function follows."""

    @tf.function
    def slopes(x, y):
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            shapes = [tf.TensorShape([]), tf.TensorShape([None]), tf.TensorShape([None])]
            turn = lambda i, u, v: (i + 1, u * v, v)  # noqa: E731
            u = tf.while_loop(lambda i, u, v: i < 3, turn, [0, x, y], shape_invariants=shapes)[1]
        return tape.gradient(u, [x, y])

    of_x, of_y = slopes(tf.constant([2.0]), tf.constant([3.0]))
    assert (of_x.numpy().tolist(), of_y.numpy().tolist()) == ([27.0], [54.0])


FROM_OUTSIDE = tf.constant([3.0, 4.0])


def _of_an_inner_function(x):
    @tf.function
    def inner(x):
        y = tf.sin(x)
        return y, y, x

    return inner(x)


# Functions that return one value more than once.
SAME_VALUE = {
    "twice": lambda x: [x * 2] * 2,
    "an argument": lambda x: (x, x, x * 2),
    "a captured tensor": lambda x: (FROM_OUTSIDE, FROM_OUTSIDE, x * FROM_OUTSIDE),
    "in a structure": lambda x: (lambda y: {"a": y, "b": [y, y], "c": x})(x * x),
    "beside whole numbers": lambda x: (lambda y, z: [y, z, y, z])(x * 1, tf.cast(x, tf.int32)),
    "of an inner function": _of_an_inner_function,
    "ragged": lambda x: (lambda r: (r, r.values, r * 2.0, r))(tf.RaggedTensor.from_row_splits(x, [0, 1, 2])),
    "slices": lambda x: (lambda s: (s, s, x))(tf.IndexedSlices(x, tf.constant([0, 1]), tf.constant([2]))),
}


@pytest.mark.parametrize("is_inside", [False, True], ids=["called", "called in a function"])
@pytest.mark.parametrize("name", SAME_VALUE)
def test_each_of_several_results_that_are_one_value_has_its_gradient(name, is_inside):
    function = SAME_VALUE[name]
    traced = tf.function(function)
    if is_inside:
        traced = tf.function(lambda x: tf.function(function)(x))
    x = tf.constant([0.5, 0.7])
    tapes, results = [], []
    for run in (function, traced):
        with (
            tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator,
            tf.GradientTape(persistent=True) as tape,
        ):
            tape.watch([x, FROM_OUTSIDE])
            found = tf.nest.flatten(run(x), expand_composites=True)
        found = [value for value in found if value.dtype.is_floating]
        results.append([accumulator.jvp(value, unconnected_gradients="zero") for value in found])
        tapes.append((tape, found))
    sources = [x, FROM_OUTSIDE]  # (a function gives 0 for what eager code is not connected to)
    for value, expected in zip(tapes[1][1], tapes[0][1], strict=True):
        for name in ("gradient", "jacobian"):
            got, wanted = [getattr(tape, name) for tape, _ in (tapes[1], tapes[0])]
            same(
                got(value, sources, unconnected_gradients="zero"),
                wanted(expected, sources, unconnected_gradients="zero"),
            )
    same(tapes[1][0].gradient(tapes[1][1], x), tapes[0][0].gradient(tapes[0][1], x))
    same(results[1], results[0])


def test_a_tape_is_stopped_where_it_was_made_and_nowhere_deeper():
    @tf.function
    def stopped_around(x, n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
            with tape.stop_recording():
                z = y
                for _ in tf.range(n):
                    z = z * 2.0
            loss = y * z
        return tape.gradient(loss, x)

    assert stopped_around(tf.constant(3.0), tf.constant(2)).numpy() == 6.0 * 36.0

    @tf.function
    def stopped_inside(x, n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
            for _ in tf.range(n):
                with tape.stop_recording():
                    y = y * 2.0
        return tape.gradient(y, x)

    assert (
        stopped_inside(tf.constant(3.0), tf.constant(2)).numpy() == 24.0
    )  # (TensorFlow's: the loop is followed as a whole)

    @tf.function
    def looked_at_in_a_branch(x, seen):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
            if x > 0.0:
                with tape.stop_recording():
                    seen.assign(y)
            y = y * x
        return tape.gradient(y, x)

    seen = tf.Variable(0.0)
    assert looked_at_in_a_branch(tf.constant(3.0), seen).numpy() == 27.0
    assert seen.numpy() == 9.0


def test_a_branch_or_a_loop_asks_a_tape_around_it_for_gradients_of_what_it_computes():
    @tf.function
    def looped(x, n):
        total = tf.zeros([])
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * x
            for _ in tf.range(n):
                y = y * x
                with tape.stop_recording():
                    total += tape.gradient(y, x, unconnected_gradients="zero")
        return total

    @tf.function
    def branched(x):
        grad = tf.zeros([])
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * x
            if x > 0.0:
                grad += tape.gradient(y * x, x)
        return grad

    @tf.function
    def forward(x):
        tangent = tf.zeros([])
        with tf.autodiff.ForwardAccumulator(x, tf.ones([])) as accumulator:
            y = x * x
            if x > 0.0:
                tangent = accumulator.jvp(y * x)
        return tangent

    x = tf.constant(2.0)
    assert looped(x, tf.constant(3)).numpy() == 3 * 4 + 4 * 8 + 5 * 16
    assert branched(x).numpy() == forward(x).numpy() == 12.0
    assert branched(-x).numpy() == 0.0
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = branched(x)
    assert tape.gradient(y, x).numpy() == 12.0
    (trace,) = branched.explain().traces
    assert trace.ways[0][1].endswith("a gradient of what it computes itself.")
