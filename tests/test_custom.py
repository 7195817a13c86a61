"""Gradients given by the user: custom_gradient, recompute_grad, grad_pass_through; wrong ones are caught."""

import numpy as np
import pytest

import gradtape as tf

pytestmark = pytest.mark.quick


def gradient(function, *sources):
    with tf.GradientTape() as tape:
        tape.watch(sources)
        y = function(*sources)
    return tape.gradient(y, list(sources))


def test_the_given_gradient_is_used():
    @tf.custom_gradient
    def doubled(x, y):
        return x * y, lambda g: (g * 100.0, g * 200.0)

    assert [g.numpy() for g in gradient(doubled, tf.constant(2.0), tf.constant(3.0))] == [100.0, 200.0]


def test_structures_of_arguments_and_results():
    @tf.custom_gradient
    def combine(pair, *, scale):
        a, b = pair["a"], pair["b"]

        def grad(g_sum, g_product):
            return g_sum + g_product * b, g_sum + g_product * a

        return {"sum": scale * (a + b), "zproduct": a * b}, grad

    a, b = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        y = combine({"a": a, "b": b}, scale=1.0)
    assert set(y) == {"sum", "zproduct"}
    assert [g.numpy() for g in tape.gradient(y, [a, b])] == [4.0, 3.0]


def test_second_derivatives_go_through_the_gradient_function():
    @tf.custom_gradient
    def cube(x):
        return x**3, lambda g: g * 3.0 * x**2

    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        (first,) = gradient(cube, x)
    assert first.numpy() == 12.0
    assert outer.gradient(first, x).numpy() == 12.0


def test_nested_custom_gradients():
    @tf.custom_gradient
    def square(x):
        @tf.custom_gradient
        def slope(x, g):
            return 2.0 * x * g, lambda gg: (gg * 7.0, gg * 2.0 * x)

        return x * x, lambda g: slope(x, g)

    x = tf.constant(3.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        (first,) = gradient(square, x)
    assert first.numpy() == 6.0
    assert outer.gradient(first, x).numpy() == 7.0


def test_variables_in_the_body_are_passed_on():
    w = tf.Variable(3.0)

    @tf.custom_gradient
    def layer(x):
        def grad(g, variables=None):
            assert len(variables) == 1
            assert variables[0] is w
            return g * w, [g * x]

        return x * w, grad

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = layer(x)
    assert [g.numpy() for g in tape.gradient(y, [x, w])] == [3.0, 2.0]


def test_returning_the_argument_itself_gives_a_value_of_its_own():
    @tf.custom_gradient
    def reversed_gradient(x):
        return x, lambda g: -g

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = reversed_gradient(x) + x
    assert tape.gradient(y, x).numpy() == 0.0


def test_methods_and_other_objects_are_passed_as_they_are():
    class Scale:
        factor = 5.0

        @tf.custom_gradient
        def __call__(self, x, mode=None):
            assert mode is None
            return x * self.factor, lambda g: g * self.factor

    assert gradient(Scale().__call__, tf.constant(1.0))[0].numpy() == 5.0


# ---------------------------------------------------------------- wrong returns


def run(function, *values):
    values = values or (tf.constant(2.0),)
    return gradient(function, *values)


@pytest.mark.parametrize(
    "returned", [lambda x: x, lambda x: (x,), lambda x: (x, 3), lambda x: None, lambda x: (x, x, x)]
)
def test_a_function_that_returns_no_pair_is_told_so(returned):
    with pytest.raises(TypeError, match="return y, grad"):
        run(tf.custom_gradient(returned))


@pytest.mark.parametrize("parts", [(), (1.0, 2.0), None, (None, None)])
def test_the_wrong_number_of_gradients_is_named(parts):
    def function(x):
        return x, lambda g: parts

    if parts is None:
        assert run(tf.custom_gradient(function))[0] is None
        return
    with pytest.raises(ValueError, match=r"1 gradients, but returned \d"):
        run(tf.custom_gradient(function))


def test_a_gradient_function_that_cannot_take_its_variables_is_told_so():
    w = tf.Variable(3.0)
    with pytest.raises(TypeError, match="variables"):
        run(tf.custom_gradient(lambda x: (x * w, lambda g: g)))


@pytest.mark.parametrize("returned", [lambda g: g, lambda g: (g, []), lambda g: (g, [g, g])])
def test_the_wrong_number_of_gradients_of_variables_is_named(returned):
    w = tf.Variable(3.0)
    with pytest.raises(ValueError, match=r"variable"):
        run(tf.custom_gradient(lambda x: (x * w, lambda g, variables=None: returned(g))))


def test_an_error_in_the_gradient_function_comes_out_as_it_is():
    class Mine(Exception):
        pass

    @tf.custom_gradient
    def function(x):
        def grad(g):
            raise Mine("here")

        return x, grad

    with pytest.raises(Mine, match="here"):
        run(function)


def test_no_gradient_is_asked_for_what_nobody_follows():
    def refuse(g):
        raise AssertionError("called")

    x, other = tf.constant(2.0), tf.constant(3.0)
    function = tf.custom_gradient(lambda x: (x * 1.0, refuse))
    with tf.GradientTape() as tape:
        tape.watch(other)
        y = function(x) * other
    assert tape.gradient(y, other).numpy() == 2.0


# ---------------------------------------------------------------- the derived ones


def test_recompute_grad_gives_the_same_gradients_and_runs_the_function_again():
    calls = []
    w = tf.Variable(3.0)

    def function(x, y):
        calls.append(1)
        return tf.sin(x * w) * y

    x, y = tf.constant(2.0), tf.constant(5.0)
    results = []
    for f in (function, tf.recompute_grad(function)):
        calls.clear()
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            z = f(x, y)
        results.append([g.numpy() for g in tape.gradient(z, [x, y, w])])
    np.testing.assert_allclose(results[0], results[1], rtol=1e-6)
    assert len(calls) == 2


def test_recompute_grad_differentiates_again():
    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        (first,) = gradient(tf.recompute_grad(lambda x: x**4), x)
    assert outer.gradient(first, x).numpy() == 48.0


def test_grad_pass_through_has_the_derivative_of_the_identity():
    x = tf.constant([1.2, 2.7])
    (result,) = gradient(lambda x: tf.grad_pass_through(tf.round)(x) * tf.constant([2.0, 3.0]), x)
    assert result.numpy().tolist() == [2.0, 3.0]


def test_stop_gradient_ends_a_path():
    (result,) = gradient(lambda x: tf.stop_gradient(x * x) * x, tf.constant(3.0))
    assert result.numpy() == 9.0


def test_names_of_gradients_can_be_registered_once():
    tf.no_gradient("TestOnlyOpWithoutGradient")
    with pytest.raises(KeyError, match="two gradient"):
        tf.RegisterGradient("TestOnlyOpWithoutGradient")(lambda op, g: g)
    with pytest.raises(KeyError):
        tf.no_gradient("Mul")
    for register in (tf.no_gradient, tf.RegisterGradient):
        with pytest.raises(TypeError):
            register(3)
