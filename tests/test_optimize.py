"""`tf.optimize.minimize`: SciPy's methods with the tape's derivatives."""

import math

import numpy as np
import pytest
import scipy.optimize

import gradtape as tf
from gradtape.base.context import ACTIVE
from gradtape.optimize import METHODS


@pytest.fixture(autouse=True)
def _no_state_is_left():
    yield
    assert not ACTIVE


def rosenbrock(x, y):
    return (1.0 - x) ** 2 + 100.0 * (y - x * x) ** 2


@pytest.mark.parametrize("method", METHODS)
def test_every_method_finds_the_minimum(method):
    x, y = tf.Variable(-1.2, dtype=tf.float64), tf.Variable([1.0], dtype=tf.float64)

    def bowl():
        return (x - 1.0) ** 2 + 2.0 * (y - 1.0) ** 2 + (x - 1.0) ** 4

    function = bowl if method in ("cobyla", "cobyqa", "dogleg") else lambda: rosenbrock(x, y)
    options = None if method == "tnc" else {"maxiter": 2000}
    result = tf.optimize.minimize(function, {"x": x, "y": y}, method, tol=1e-6, options=options)
    np.testing.assert_allclose([x.numpy(), y.numpy()[0]], [1.0, 1.0], atol=2e-2)
    assert result.x["y"].shape == (1,)
    assert result.x["x"].numpy() == x.numpy()
    assert result.fun == pytest.approx(float(function()[0]), abs=1e-9)
    assert result.nfev >= result.nit > 0
    assert (result.njev > 0) == (method not in ("nelder-mead", "powell", "cobyla", "cobyqa"))
    assert (result.nhev > 0) == (method.startswith("trust") or method in ("newton-cg", "dogleg"))
    assert result.scipy is not None


@pytest.mark.parametrize("method", ["L-BFGS-B", "BFGS", "CG", "Newton-CG"])
def test_the_steps_are_those_of_scipy(method):
    """The same points as SciPy with derivatives written by hand."""
    start = np.array([-1.2, 1.0])
    v = tf.Variable(start)
    result = tf.optimize.minimize(lambda: rosenbrock(v[0], v[1]), v, method)
    expected = scipy.optimize.minimize(
        scipy.optimize.rosen,
        start,
        method=method,
        jac=scipy.optimize.rosen_der,
        hessp=scipy.optimize.rosen_hess_prod if method == "Newton-CG" else None,
    )
    assert result.nit == expected.nit
    np.testing.assert_allclose(v, expected.x, rtol=1e-6)
    assert result.success == expected.success
    assert result.message == str(expected.message)


def test_a_function_of_arrays_needs_no_variables():
    start = {"a": np.zeros(3), "b": tf.constant(5.0, tf.float64)}
    result = tf.optimize.minimize(lambda p: tf.reduce_sum((p["a"] - [1.0, 2.0, 3.0]) ** 2) + (p["b"] + 1.0) ** 4, start)
    np.testing.assert_allclose(result.x["a"], [1, 2, 3], atol=1e-4)
    assert result.x["b"].numpy() == pytest.approx(-1.0, abs=0.05)
    np.testing.assert_array_equal(start["a"], np.zeros(3))


def test_float32_variables_and_a_module_are_fine():
    class Line(tf.Module):
        def __init__(self):
            super().__init__()
            self.w, self.b = tf.Variable(tf.zeros([3])), tf.Variable(0.0)
            self.unused = tf.Variable([1.0])

        def __call__(self, x):
            return tf.linalg.matvec(x, self.w) + self.b

    draw = np.random.default_rng(0)
    x = draw.normal(size=(50, 3)).astype(np.float32)
    y = x @ np.float32([1, -2, 3]) + np.float32(0.5)
    model = Line()
    result = tf.optimize.minimize(lambda: tf.reduce_mean((model(x) - y) ** 2), model.trainable_variables)
    np.testing.assert_allclose(model.w, [1, -2, 3], atol=1e-3)
    assert model.w.dtype == tf.float32
    assert model.unused.numpy() == 1.0
    assert len(result.x) == 3


def test_looked_up_rows_have_gradients_too():
    table = tf.Variable(np.ones((4, 2)))
    tf.optimize.minimize(lambda: tf.reduce_sum((tf.gather(table, [1, 3, 1]) - 5.0) ** 2), table)
    np.testing.assert_allclose(table, [[1, 1], [5, 5], [1, 1], [5, 5]], atol=1e-5)


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ((0.0, 0.5), [[0.5, 0.5], 0.5]),
        ((None, [np.array([0.5, 2.0]), None]), [[0.5, 1.0], 1.0]),
        (([2.0, None], None), [[2.0, 2.0], 1.0]),
        ((None, None), [[1.0, 1.0], 1.0]),
    ],
)
def test_bounds_hold(bounds, expected):
    a, b = tf.Variable(np.array([0.1, 0.1])), tf.Variable(np.float64(0.1))
    tf.optimize.minimize(lambda: tf.reduce_sum((a - 1.0) ** 2) + (b - 1.0) ** 2, [a, b], bounds=bounds)
    np.testing.assert_allclose(a, expected[0], atol=1e-5)
    np.testing.assert_allclose(b, expected[1], atol=1e-5)


def test_constraints_are_scipys():
    v = tf.Variable(np.array([0.0, 0.0]))
    constraint = {"type": "eq", "fun": lambda x: x[0] + x[1] - 1.0}
    result = tf.optimize.minimize(lambda: tf.reduce_sum(v**2), v, "SLSQP", constraints=[constraint])
    assert result.success
    np.testing.assert_allclose(v, [0.5, 0.5], atol=1e-6)


# --- stopping ------------------------------------------------------------------------------------------------------------


def test_the_callback_sees_each_iteration_and_can_stop():
    seen = []
    v = tf.Variable(np.array([-1.2, 1.0]))

    def callback(state):
        seen.append(state)
        return state.iteration == 5

    result = tf.optimize.minimize(lambda: rosenbrock(v[0], v[1]), v, callback=callback)
    assert [state.iteration for state in seen] == [1, 2, 3, 4, 5]
    assert all(math.isfinite(state.gradient_norm) for state in seen)
    assert not result.success
    assert result.message == "Stopped by the callback."
    assert result.nit == 5
    assert result.scipy is None
    assert result.fun == pytest.approx(float(rosenbrock(v[0], v[1])))
    assert result.fun == min(state.fun for state in seen)


@pytest.mark.parametrize("method", ["L-BFGS-B", "TNC", "trust-constr", "Nelder-Mead"])
def test_ctrl_c_leaves_the_best_point(method):
    v = tf.Variable(np.array([-1.2, 1.0]))
    values = []

    def function():
        if len(values) == 12:
            raise KeyboardInterrupt
        value = rosenbrock(v[0], v[1])
        values.append(float(value))
        return value

    result = tf.optimize.minimize(function, v, method)
    assert result.message == "Stopped by KeyboardInterrupt."
    assert result.fun == min(values)
    assert float(rosenbrock(v[0], v[1])) == pytest.approx(min(values))


def test_an_error_in_the_function_is_raised_at_the_best_point():
    v = tf.Variable(np.array([-1.2, 1.0]))
    values = []

    def function():
        if len(values) == 7:
            raise KeyError("mine")
        value = rosenbrock(v[0], v[1])
        values.append(float(value))
        return value

    with pytest.raises(KeyError, match="mine"):
        tf.optimize.minimize(function, v)
    assert float(rosenbrock(v[0], v[1])) == pytest.approx(min(values))


def test_progress_is_any_function():
    lines = []
    v = tf.Variable(np.array([3.0]))
    tf.optimize.minimize(lambda: tf.reduce_sum(v**2), v, progress=lambda done, note: lines.append((done, note)))
    assert lines[0][0] == 1
    assert "value" in lines[0][1]


# --- bad input -----------------------------------------------------------------------------------------------------------


def test_bad_arguments_are_refused_and_change_nothing():
    v = tf.Variable(np.array([1.0, 2.0]))

    def loss():
        return tf.reduce_sum(v**2)

    with pytest.raises(ValueError, match="method must be one of"):
        tf.optimize.minimize(loss, v, "adam")
    with pytest.raises(ValueError, match="empty"):
        tf.optimize.minimize(loss, [])
    with pytest.raises(ValueError, match=r"all tf\.Variable, or all"):
        tf.optimize.minimize(loss, [v, np.ones(2)])
    with pytest.raises(tf.errors.InvalidArgumentError, match="int32"):
        tf.optimize.minimize(loss, tf.Variable(1))
    with pytest.raises(tf.errors.InvalidArgumentError, match="scalar"):
        tf.optimize.minimize(lambda: v**2, v)
    with pytest.raises(ValueError, match="pair"):
        tf.optimize.minimize(loss, v, bounds=3)
    with pytest.raises((ValueError, TypeError)):
        tf.optimize.minimize(loss, v, bounds=([1.0, 2.0], None))
    with pytest.raises(tf.errors.InvalidArgumentError, match="nan at the starting point"):
        tf.optimize.minimize(lambda: tf.reduce_sum(tf.sqrt(-v)), v)
    np.testing.assert_array_equal(v, [1.0, 2.0])


def test_a_traced_function_is_minimized_and_cannot_minimize():
    v = tf.Variable(np.array([-1.2, 1.0]))
    result = tf.optimize.minimize(tf.function(lambda: rosenbrock(v[0], v[1])), v, "Newton-CG")
    assert result.success
    np.testing.assert_allclose(v, [1.0, 1.0], atol=1e-4)
    with pytest.raises(NotImplementedError, match=r"outside of tf\.function"):
        tf.function(lambda: tf.optimize.minimize(lambda: v[0] ** 2, v).fun)()


def test_a_traced_function_is_evaluated_with_its_gradient_in_one_call():
    x, steps = tf.Variable(np.full(6, -1.0)), tf.Variable(0, trainable=False)

    def rosenbrock():
        steps.assign_add(1)
        return tf.reduce_sum(100.0 * tf.square(x[1:] - tf.square(x[:-1])) + tf.square(1.0 - x[:-1]))

    plain = tf.optimize.minimize(rosenbrock, [x])
    x.assign(np.full(6, -1.0))
    steps.assign(0)
    traced = tf.function(rosenbrock)
    found = tf.optimize.minimize(traced, [x])
    assert (found.nfev, found.fun, found.nit) == (plain.nfev, plain.fun, plain.nit)
    assert int(steps) == found.nfev
    np.testing.assert_array_equal(found.x[0], plain.x[0])
    assert len(traced.derived) == 1
    tf.optimize.minimize(traced, [x])
    assert len(traced.derived) == 1
