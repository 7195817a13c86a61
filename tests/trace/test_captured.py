"""However a value reaches a traced function, its derivatives are those of eager code.

What a function refers to is an input of it like its arguments: a tape or an accumulator outside may follow it.
"""

from __future__ import annotations

import functools
import tracemalloc
import types

import numpy as np
import pytest

import gradtape as tf

Y = np.array([2.0, -1.0, 0.5], np.float32)

FORMULAS = {
    "beside an argument": lambda x, y: x * y + tf.sin(x),
    "before an argument": lambda x, y: x * x * y,
    "alone": lambda x, y: tf.sin(x) * 3.0 - x,
    "a composite": lambda x, y: tf.nn.softmax(x) * y + tf.reduce_mean(x * x),
    "parts": lambda x, y: tf.stack([x[0] * x[1], x[2], tf.reduce_sum(x[::-1] ** 3)]) * y,
    "a matrix product": lambda x, y: tf.linalg.matvec(x[:, None] * x[None], y) + tf.einsum("i,i->", x, x),
    "a branch": lambda x, y: tf.cond(tf.reduce_sum(y) > 0.0, lambda: tf.exp(x) * y, lambda: x),
    "a loop": lambda x, y: tf.while_loop(lambda i, z: i < 3, lambda i, z: (i + 1, z * tf.sin(x)), [0, y])[1],
    "a map": lambda x, y: tf.map_fn(lambda t: tf.reduce_sum(tf.sin(x) * t), y),
    "a map over numbers": lambda x, y: tf.map_fn(lambda t: tf.reduce_sum(tf.sin(x) * t), np.float32([1, 2, 3])) * y,
    "a vectorized map": lambda x, y: tf.vectorized_map(lambda t: tf.reduce_sum(x * x * t), y),
    "a gradient inside": lambda x, y: gradient_inside(x, y) * tf.sin(x),
    "a rule of its own": lambda x, y: odd(tf.sin(x)) * y + odd(x),
    "a rule that refers to it": lambda x, y: tf.custom_gradient(lambda z: (z * x, lambda u: u * tf.sin(x) * z))(y) * x,
    "a function around it": lambda x, y: tf.function(lambda z: tf.sin(x) * y * z)(y + x),
    "computed again": lambda x, y: tf.recompute_grad(lambda z: tf.sin(z) * z)(x) * y,
    "a list": lambda x, y: tf.reduce_sum([x, tf.exp(x), y], 0) * tf.concat([x[:1], x[1:]], 0),
    "two types": lambda x, y: tf.cast(tf.cast(x, tf.float64) ** 2, tf.float32) * y,
}


def gradient_inside(x, y):
    with tf.GradientTape() as tape:
        tape.watch(x)
        z = tf.sin(x) * x * y
    return tape.gradient(z, x)


@tf.custom_gradient
def odd(x):
    """The rule is not the derivative, so that it shows who follows it."""
    return x**2, lambda upstream: upstream * 10.0 * x**3


# --- the ways in -----------------------------------------------------------------------------------------------------


def argument(f, x):
    traced = tf.function(f)
    return lambda y: traced(x, y)


def keyword(f, x):
    traced = tf.function(lambda *, x, y: f(x, y))
    return lambda y: traced(x=x, y=y)


def closure(f, x):
    return tf.function(lambda y: f(x, y))


def unconverted(f, x):
    return tf.function(lambda y: f(x, y), autograph=False)


def global_name(f, x):
    space = {"f": f, "x": x, "__name__": "somewhere"}
    exec("def g(y):\n    return f(x, y)\n", space)
    return tf.function(space["g"])


def attribute(f, x):
    held = types.SimpleNamespace(x=x)
    return tf.function(lambda y: f(held.x, y))


def list_element(f, x):
    held = [None, x]
    return tf.function(lambda y: f(held[1], y))


def dict_element(f, x):
    held = {"x": x}
    return tf.function(lambda y: f(held["x"], y))


def default(f, x):
    def g(y, x=x):
        return f(x, y)

    return tf.function(g)


def partial(f, x):
    return tf.function(functools.partial(f, x))


def partial_keyword(f, x):
    return tf.function(functools.partial(lambda y, x: f(x, y), x=x))


class Holder:
    def __init__(self, f, x):
        self.f, self.x = f, x

    def run(self, y):
        return self.f(self.x, y)

    def __call__(self, y):
        return self.f(self.x, y)

    @tf.function
    def traced(self, y):
        return self.f(self.x, y)


def bound_method(f, x):
    return tf.function(Holder(f, x).run)


def traced_method(f, x):
    holder = Holder(f, x)
    return lambda y: holder.traced(y)


def callable_object(f, x):
    return tf.function(Holder(f, x))


def inner_function(f, x):
    inner = tf.function(lambda y: f(x, y))
    return tf.function(lambda y: inner(y))


def inner_argument(f, x):
    inner = tf.function(f)
    return tf.function(lambda y: inner(x, y))


def function_made_inside(f, x):
    def outer(y):
        inner = tf.function(lambda z: f(x, z))
        return inner(y)

    return tf.function(outer)


def module(f, x):
    class Module(tf.Module):
        def __init__(self):
            super().__init__()
            self.x = x

        @tf.function
        def __call__(self, y):
            return f(self.x, y)

    return Module()


def signature(f, x):
    return tf.function(lambda y: f(x, y), input_signature=[tf.TensorSpec([None], tf.float32)])


def concrete(f, x):
    return tf.function(lambda y: f(x, y)).get_concrete_function(tf.TensorSpec([3], tf.float32))


WAYS = [
    argument,
    keyword,
    closure,
    unconverted,
    global_name,
    attribute,
    list_element,
    dict_element,
    default,
    partial,
    partial_keyword,
    bound_method,
    traced_method,
    callable_object,
    inner_function,
    inner_argument,
    function_made_inside,
    module,
    signature,
    concrete,
]


# --- the derivatives -------------------------------------------------------------------------------------------------


def gradient(make, x):
    g, y = make(x), tf.constant(Y)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = g(y)
    return z, tape.gradient(z, [x, y])


def of_derived(make, v):
    """What the function refers to was computed under the tape, from a variable."""
    v = tf.Variable(v)
    with tf.GradientTape() as tape:
        z = make(2.0 * v)(tf.constant(Y))
    return z, tape.gradient(z, v)


def jvp(make, x):
    g, y = make(x), tf.constant(Y)
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, -1.0, 0.5])) as accumulator:
        z = g(y)
    return z, accumulator.jvp(z)


def jacobian(make, x):
    g = make(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        z = g(tf.constant(Y))
    return z, tape.jacobian(z, x)


def second_order(make, x):
    g, y = make(x), tf.constant(Y)
    with tf.GradientTape() as outer:
        outer.watch([x, y])
        with tf.GradientTape() as tape:
            tape.watch(x)
            z = g(y)
        first = tape.gradient(z, x)
    return first, outer.gradient(first, [x, y])


def forward_over_reverse(make, x):
    g = make(x)
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, -1.0, 0.5])) as accumulator:
        with tf.GradientTape() as tape:
            tape.watch(x)
            z = g(tf.constant(Y))
        first = tape.gradient(z, x)
    return first, accumulator.jvp(first)


DERIVATIVES = [gradient, of_derived, jvp, jacobian, second_order, forward_over_reverse]


def eager(f, x):
    return lambda y: f(x, y)


def jvp_by_rules(make, x):
    """What the gradient functions give, transposed."""
    g, y = make(x), tf.constant(Y)
    upstream = tf.ones_like(x)
    with tf.GradientTape() as outer:
        outer.watch(upstream)
        with tf.GradientTape() as tape:
            tape.watch(x)
            z = g(y)
        first = tape.gradient(z, x, output_gradients=upstream)
    return z, outer.gradient(first, upstream, output_gradients=tf.constant([1.0, -1.0, 0.5]))


def same(found, expected):
    for a, b in zip(tf.nest.flatten(found), tf.nest.flatten(expected), strict=True):
        assert (a is None) == (b is None)
        if b is not None:
            assert a.dtype == b.dtype
            np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=2e-5, atol=1e-6)


# Every way with some formulas, and every formula on the ways that differ in more than where the value is found.
CASES = [(way, formula) for way in WAYS for formula in list(FORMULAS)[:5]]
CASES += [(way, formula) for way in (argument, closure, inner_function, signature) for formula in list(FORMULAS)[5:]]


@pytest.mark.parametrize(("way", "formula"), CASES, ids=lambda part: part if isinstance(part, str) else part.__name__)
def test_derivatives_do_not_depend_on_the_way_in(way, formula):
    x, f = tf.constant([0.7, 1.3, 0.4]), FORMULAS[formula]
    for derivative in DERIVATIVES:
        in_eager_code = derivative
        if formula.startswith("a rule") and derivative is jvp:
            in_eager_code = (
                jvp_by_rules  # eager code follows the body, a function's forward mode its rule: as in TensorFlow
            )
        if formula == "a rule that refers to it" and derivative is forward_over_reverse:
            continue  # (the rule is not the derivative of its body: there is nothing that both could give)
        same(derivative(lambda value: way(f, value), x), in_eager_code(lambda value: eager(f, value), x))


def test_forward_mode_of_functions_follows_rules_as_in_tensorflow():
    x, y = tf.constant([0.7, 1.3, 0.4]), tf.constant([1.0, 2.0, 3.0])
    for f, expected in [
        (FORMULAS["a rule of its own"], [5.474889, -26.756142, 1.1358849]),
        (FORMULAS["a rule that refers to it"], [0.7, -2.6, 0.6]),
    ]:
        with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, -1.0, 0.5])) as accumulator:
            z = tf.function(f)(x, y)
        np.testing.assert_allclose(accumulator.jvp(z), expected, rtol=1e-5)


# --- what else a function refers to ----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float16", "float64", "complex64", "bfloat16"])
def test_every_type_that_has_derivatives_is_followed(dtype):
    x = tf.cast(tf.constant([0.5, 1.5]), dtype)
    for f in (tf.function(lambda: x * x * x), lambda: x * x * x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f()
        found = tape.gradient(y, x)
        assert found.dtype == x.dtype
        np.testing.assert_allclose(tf.cast(found, tf.complex64).numpy(), [0.75, 6.75], rtol=1e-2)


@pytest.mark.parametrize("value", [[3, 4], [True, False], ["a", "b"]])
def test_types_without_derivatives_are_constants(value):
    captured, x = tf.constant(value), tf.constant([0.5, 1.5])

    @tf.function
    def f(x):
        alike = captured[::-1] == captured
        return tf.where(alike, x, x * x) * tf.cast(tf.shape(captured)[0], tf.float32)

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), 4.0 * x.numpy())
    with tf.GradientTape() as tape:
        y = f(x)
    assert tape.gradient(y, x) is None


def test_what_has_no_derivative_is_known_while_the_function_is_traced():
    x = tf.constant([1.0, -2.0, 3.0])

    @tf.function
    def f(y):
        chosen = [i for i in range(3) if x[i] > 0.0]  # the value of a comparison decides in Python
        return tf.reduce_sum(tf.gather(x * x, chosen)) * y

    assert f(tf.constant(2.0)).numpy() == 20.0
    with tf.GradientTape() as tape:
        tape.watch(x)
        z = f(tf.constant(2.0))
    np.testing.assert_array_equal(tf.convert_to_tensor(tape.gradient(z, x)).numpy(), [4.0, 0.0, 12.0])


def test_what_comes_out_unchanged_is_connected():
    x = tf.constant(2.0)
    for f in (tf.function(lambda: x), tf.function(lambda: [x, tf.identity(x)]), tf.function(lambda: {"x": x * 1.0})):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f()
        assert tape.gradient(y, x).numpy() == len(tf.nest.flatten(y))


def test_parts_of_composite_tensors_are_followed():
    values = tf.constant([1.0, 2.0, 3.0])
    ragged = tf.RaggedTensor.from_row_lengths(values, [2, 1])
    sparse = tf.SparseTensor([[0, 1], [1, 0], [2, 2]], values, [3, 3])
    slices = tf.IndexedSlices(values, tf.constant([0, 2, 0]), tf.constant([3]))
    functions = [
        lambda: tf.reduce_sum(ragged * ragged, axis=1),
        lambda: tf.sparse.sparse_dense_matmul(sparse, tf.ones([3, 2])) ** 2,
        lambda: tf.convert_to_tensor(slices) ** 2,
    ]
    for f in functions:
        found = []
        for run in (tf.function(f), f):
            with tf.GradientTape() as tape:
                tape.watch(values)
                y = run()
            found.append(tape.gradient(y, values))
        same(*found)


def test_what_was_computed_before_the_call_leads_back_to_its_sources():
    v, x = tf.Variable(3.0), tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        w = 2.0 * v * x
        f = tf.function(lambda y: w * w * y)
        z = f(5.0) + f(5.0)
    same(tape.gradient(z, [v, x]), [tf.constant(960.0), tf.constant(1440.0)])


def test_a_value_that_is_followed_later_is_an_input_from_then_on():
    x, y = tf.constant(3.0), tf.constant(2.0)
    g = tf.function(lambda y: x * y + tf.sin(x))
    for follow in (False, True, False, True):
        assert g(y).numpy() == pytest.approx(6.0 + np.sin(3.0))
        with tf.GradientTape() as tape:
            tape.watch(x if follow else y)
            z = g(y)
        found = tape.gradient(z, [x, y])
        if follow:
            assert found[0].numpy() == pytest.approx(2.0 + np.cos(3.0))
        else:
            assert found[0] is None
            assert found[1].numpy() == 3.0


def test_a_tape_inside_and_a_tape_outside_follow_the_same_value():
    x = tf.constant(3.0)

    @tf.function
    def slope(y):
        with tf.GradientTape() as tape:
            tape.watch(x)
            z = x**3 * y
        return tape.gradient(z, x)

    with tf.GradientTape() as tape:
        tape.watch(x)
        s = slope(tf.constant(2.0))
    assert s.numpy() == 54.0
    assert tape.gradient(s, x).numpy() == 36.0


def test_gradients_without_a_tape():
    x, y, v = tf.constant([0.7, 1.3]), tf.constant([2.0, -1.0]), tf.Variable([1.0, 2.0])
    inner = tf.function(lambda z: z * x * x + v * v)
    first = tf.function(lambda y: tf.gradients(inner(y), [x, y, v]))
    second = tf.function(lambda y: tf.gradients(tf.gradients(x**3 * y, [x]), [x]))
    same(first(y), [2.0 * x * y, x * x, 2.0 * v])
    same(second(y), [6.0 * x * y])
    same(tf.function(lambda: tf.hessians(tf.reduce_sum(x**3), [x]))(), [tf.linalg.diag(6.0 * x)])
    with tf.GradientTape() as tape:
        tape.watch(x)
        z = first(y)
    same(tape.gradient(z, x), 2.0 * y + 2.0 * x)


def test_products_with_hessians_and_rows_one_by_one():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    cube = tf.function(lambda: x**3)

    def answers(f):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = f()
            total = tf.reduce_sum(y)
        return tape.batch_jacobian(y, x), tape.hvp(total, x, tf.ones_like(x)), tape.hessian_diagonal(total, x)

    same(answers(cube), answers(lambda: x**3))


def test_a_map_over_a_function_follows_what_it_refers_to():
    x = tf.constant([1.0, 2.0])
    f = tf.function(lambda row: tf.reduce_sum(tf.sin(x) * row))
    rows = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    for apply in (tf.vectorized_map, tf.map_fn):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = apply(f, rows)
        np.testing.assert_allclose(tape.gradient(y, x).numpy(), np.cos([1.0, 2.0]) * [9.0, 12.0], rtol=1e-6)


def test_functions_that_a_step_calls_may_refer_to_it_too():
    x, w, rows = tf.constant([1.0, 2.0]), tf.Variable([[1.0, 3.0]]), tf.constant([[1.0], [2.0]])

    def norms(rows):
        loss = lambda row: tf.reduce_sum(tf.sin(x) * (row[None] @ w)[0] ** 2)  # noqa: E731
        return tf.train.per_example_gradients(loss, w, rows)

    found = []
    for f in (tf.function(norms), norms):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(rows)
        found.append(tape.gradient(y, x))
    assert found[1] is not None
    same(*found)


def test_the_list_of_what_a_function_refers_to():
    x, n, v, w = tf.constant([1.0, 2.0]), tf.constant(1), tf.Variable(1.0), tf.constant(4.0)
    inner = tf.function(lambda y: y * w)
    f = tf.function(lambda y: tf.gather(inner(y * 2.0 * x), n) * v + tf.constant(3.0))
    found = f.get_concrete_function(tf.constant(1.0)).captured_inputs
    assert [value is expected for value, expected in zip(found, [x, w, n, v], strict=True)] == [True] * 4


def test_what_refers_to_nothing_that_is_followed_is_computed_once():
    calls = []
    x = tf.constant(2.0)

    @tf.function
    def f(y):
        calls.append(1)
        return y + tf.exp(tf.sin(x) * 3.0)

    f(tf.constant(1.0))
    program = f.get_concrete_function(tf.constant(1.0))._executor._plans[()]
    assert len(calls) == 1
    assert "sin" not in program.__source__
    assert "exp" not in program.__source__


def test_tracing_does_not_compute_with_large_values():
    x = tf.constant(np.ones(100_000, np.float32))

    @tf.function
    def f(y):
        z = x
        for _ in range(50):
            z = z * x + 1.0
        return tf.reduce_sum(z) * y

    tracemalloc.start()
    try:
        f.get_concrete_function(tf.constant(1.0))
        assert tracemalloc.get_traced_memory()[1] < 5 * x.numpy().nbytes
    finally:
        tracemalloc.stop()
    assert f(tf.constant(2.0)).numpy() == 51 * 2 * 100_000


def test_the_jacobian_of_a_lookup_in_a_compiled_function():
    w = tf.constant([0.3, 0.9, 1.4])
    f = tf.function(lambda: tf.gather(w, [0, 0, 2]) ** 2)
    with tf.GradientTape() as tape:
        tape.watch(w)
        y = f()
    np.testing.assert_allclose(tape.jacobian(y, w), [[0.6, 0, 0], [0.6, 0, 0], [0, 0, 2.8]], rtol=1e-6)
