"""Jacobians and Hessians: against loops and the nested recipes, in chunks, to any order."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.differentiation import jacobian as jacobian_module
from gradtape.native import thresholds

pytestmark = pytest.mark.quick

RNG = np.random.default_rng(5)


def model(x):
    """From shape (2, 3) to (2, 2), through matmul, softmax, a slice, a product and a broadcast sum."""
    w = tf.constant(RNG_W)
    h = tf.tanh(x @ w)
    return tf.nn.softmax(h) * h[:, ::-1] + tf.reduce_sum(x, axis=1, keepdims=True)


RNG_W = RNG.normal(size=(3, 2))
X = tf.constant(RNG.normal(size=(2, 3)))


def scalar_model(x):
    return tf.reduce_sum(model(x) ** 2 * tf.sin(model(x)))


def looped_jacobian(function, x):
    """One gradient for each element of the value."""
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = function(x)
        elements = tf.unstack(tf.reshape(y, [-1]))
    rows = [tape.gradient(e, x, unconnected_gradients="zero").numpy() for e in elements]
    return np.stack(rows).reshape(*y.shape, *x.shape)


def test_jacobian_is_one_gradient_for_each_output():
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = model(X)
    result = tape.jacobian(y, X)
    assert result.shape == (2, 2, 2, 3)
    np.testing.assert_allclose(result.numpy(), looped_jacobian(model, X), atol=1e-12)


def test_batch_jacobian_is_the_diagonal_of_the_jacobian():
    def rows(x):
        return tf.tanh(x @ tf.constant(RNG_W)) ** 3

    with tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        y = rows(X)
    full = tape.jacobian(y, X).numpy()
    np.testing.assert_allclose(
        tape.batch_jacobian(y, X).numpy(), np.stack([full[i, :, i] for i in range(2)]), atol=1e-12
    )


@pytest.mark.parametrize("bound", [1, 50, 100, 10**9])
def test_chunks_of_any_size_give_the_same(monkeypatch, bound):
    monkeypatch.setattr(jacobian_module, "MEMORY_BOUND", bound)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        y = model(X)
        s = scalar_model(X)
    np.testing.assert_allclose(tape.jacobian(y, X).numpy(), looped_jacobian(model, X), atol=1e-12)
    rows = tape.batch_jacobian(y, X)
    assert rows.shape == (2, 2, 3)
    hessian = tape.hessian(s, X).numpy().reshape(6, 6)
    np.testing.assert_allclose(tape.hessian_diagonal(s, X).numpy().reshape(6), np.diag(hessian), atol=1e-10)


def test_a_small_bound_really_runs_in_chunks(monkeypatch):
    sizes = []
    run = jacobian_module.backpropagate

    def noted(cotangents, *rest):
        sizes.extend(value.batch_size for value in cotangents.arrived.values())
        return run(cotangents, *rest)

    monkeypatch.setattr(jacobian_module, "backpropagate", noted)
    monkeypatch.setattr(jacobian_module, "MEMORY_BOUND", 3 * 10 * 8)
    x = tf.constant(np.arange(10.0))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert np.array_equal(tape.jacobian(y, x).numpy(), np.diag(2.0 * np.arange(10.0)))
    assert sizes == [3, 3, 3, 1]


def test_jacobian_of_a_jacobian():
    x = tf.constant([1.0, 2.0], tf.float64)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x**3 * tf.reduce_sum(x)
        first = inner.jacobian(y, x)
    second = outer.jacobian(first, x).numpy()
    a, b = 1.0, 2.0
    # y0 = a^4 + a^3 b, y1 = a b^3 + b^4
    expected = [
        [[12 * a * a + 6 * a * b, 3 * a * a], [3 * a * a, 0]],
        [[0, 3 * b * b], [3 * b * b, 6 * a * b + 12 * b * b]],
    ]
    np.testing.assert_allclose(second, expected, atol=1e-12)


def test_jacobians_under_an_outer_tape_also_in_chunks(monkeypatch):
    monkeypatch.setattr(jacobian_module, "MEMORY_BOUND", 20)
    x = tf.constant([1.0, 2.0, 3.0], tf.float64)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x**3
        first = inner.jacobian(y, x)
    np.testing.assert_allclose(outer.gradient(first, x).numpy(), [6.0, 12.0, 18.0])


def test_several_sources_in_their_structure():
    a, b, c = tf.Variable([1.0, 2.0]), tf.Variable(3.0), tf.Variable(1.0)
    with tf.GradientTape(persistent=True) as tape:
        y = a * b
    result = tape.jacobian(y, {"a": a, "rest": [b, c]})
    assert result["a"].numpy().tolist() == [[3.0, 0.0], [0.0, 3.0]]
    assert result["rest"][0].numpy().tolist() == [1.0, 2.0]
    assert result["rest"][1] is None
    zeros = tape.jacobian(y, c, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    assert zeros.numpy().tolist() == [0.0, 0.0]


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0), (1, 1)])
def test_targets_of_any_shape(shape):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.ones(shape) * tf.reduce_sum(x * x)
    result = tape.jacobian(y, x)
    assert result.shape == (*shape, 2)
    np.testing.assert_allclose(result.numpy(), np.broadcast_to([2.0, 4.0], (*shape, 2)))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "complex64", "complex128"])
def test_jacobians_keep_the_type(dtype):
    x = tf.cast([1.0, 2.0], dtype)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x * 0.5
    result = tape.jacobian(y, x)
    assert result.dtype == dtype
    assert result.numpy().astype(complex).tolist() == [[1.0, 0.0], [0.0, 2.0]]


def test_rows_looked_up_have_dense_jacobians():
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        y = tf.gather(table, [1, 1, 0])
    expected = np.zeros((3, 2, 2, 2))
    for row, source in enumerate([1, 1, 0]):
        expected[row, :, source] = np.eye(2)
    np.testing.assert_array_equal(tape.jacobian(y, table).numpy(), expected)


# ---------------------------------------------------------------- second order


def nested_hessian(function, x):
    """TensorFlow's recipe."""
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = function(x)
        gradient = inner.gradient(y, x)
    return outer.jacobian(gradient, x).numpy()


def forward_over_reverse(function, x, vector):
    """TensorFlow's recipe for Hessian-vector products."""
    with tf.autodiff.ForwardAccumulator(x, vector) as accumulator:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        gradient = tape.gradient(y, x)
    return accumulator.jvp(gradient).numpy()


def recorded(function, x):
    tape = tf.GradientTape(persistent=True)
    with tape:
        tape.watch(x)
        y = function(x)
    return tape, y


def test_hessian_is_the_nested_recipe():
    tape, y = recorded(scalar_model, X)
    hessian = tape.hessian(y, X)
    assert hessian.shape == (2, 3, 2, 3)
    np.testing.assert_allclose(hessian.numpy(), nested_hessian(scalar_model, X), atol=1e-12)


def test_hvp_is_forward_over_reverse_and_the_hessian_times_the_vector():
    vector = tf.constant(RNG.normal(size=(2, 3)))
    tape, y = recorded(scalar_model, X)
    product = tape.hvp(y, X, vector).numpy()
    np.testing.assert_allclose(product, forward_over_reverse(scalar_model, X, vector), atol=1e-12)
    hessian = tape.hessian(y, X).numpy().reshape(6, 6)
    np.testing.assert_allclose(product.reshape(6), hessian @ vector.numpy().reshape(6), atol=1e-12)


def test_diagonal_and_laplacian_are_those_of_the_hessian():
    tape, y = recorded(scalar_model, X)
    hessian = tape.hessian(y, X).numpy().reshape(6, 6)
    np.testing.assert_allclose(tape.hessian_diagonal(y, X).numpy().reshape(6), np.diag(hessian), atol=1e-12)
    np.testing.assert_allclose(tape.laplacian(y, X).numpy(), np.trace(hessian), atol=1e-12)


def test_second_order_of_variables_and_scalars():
    v = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y = v**4
    assert tape.hessian(y, v).numpy() == 48.0
    assert tape.hvp(y, v, 0.5).numpy() == 24.0
    assert tape.hessian_diagonal(y, v).numpy() == 48.0
    assert tape.laplacian(y, v).numpy() == 48.0


def test_linear_targets_have_zeros_and_unconnected_ones_none():
    x, other = tf.constant([1.0, 2.0]), tf.constant([1.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, other])
        y = tf.reduce_sum(3.0 * x)
    assert tape.hessian(y, x).numpy().tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert tape.hvp(y, x, tf.ones(2)).numpy().tolist() == [0.0, 0.0]
    assert tape.hessian_diagonal(y, x).numpy().tolist() == [0.0, 0.0]
    assert tape.laplacian(y, x).numpy() == 0.0
    assert tape.hessian(y, other) is None
    assert tape.hvp(y, other, tf.ones(1)) is None
    assert tape.hessian_diagonal(y, other) is None
    assert tape.laplacian(y, other) is None


def test_a_plain_tape_answers_one_question_of_second_order():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x**3)
    tape.hessian(y, x)
    with pytest.raises(RuntimeError, match="non-persistent"):
        tape.gradient(y, x)


def test_second_order_needs_a_scalar_target_and_a_vector_that_fits():
    x = tf.constant([1.0, 2.0])
    tape, y = recorded(lambda x: x**3, x)
    for ask in (tape.hessian, tape.hessian_diagonal, tape.laplacian):
        with pytest.raises(tf.errors.InvalidArgumentError, match="reduce_sum"):
            ask(y, x)
    tape, y = recorded(lambda x: tf.reduce_sum(x**3), x)
    with pytest.raises(tf.errors.InvalidArgumentError, match="shape"):
        tape.hvp(y, x, tf.ones(3))


def test_hvp_goes_through_a_structure_of_variables():
    a, b = tf.Variable(2.0), tf.Variable([1.0, 3.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(a * a * b * b)
    first, second = tape.hvp(y, [a, b], [tf.constant(1.0), tf.constant([0.0, 1.0])])
    # d2y/da2 = 2 sum b^2, d2y/dadb = 4 a b, d2y/db2 = 2 a^2
    assert first.numpy() == 2 * 10.0 + 4 * 2.0 * 3.0
    assert second.numpy().tolist() == [4 * 2.0 * 1.0, 4 * 2.0 * 3.0 + 2 * 4.0]


@pytest.mark.parametrize("name", ["hessian", "hessian_diagonal", "laplacian"])
def test_outer_tapes_and_accumulators_follow_second_order(name):
    x = tf.constant([1.0, 2.0], tf.float64)
    with tf.GradientTape() as outer, tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        outer.watch(x)
        tape, y = recorded(lambda x: tf.reduce_sum(x**4), x)
        total = tf.reduce_sum(getattr(tape, name)(y, x))
    np.testing.assert_allclose(outer.gradient(total, x).numpy(), [24.0, 48.0])
    np.testing.assert_allclose(accumulator.jvp(total).numpy(), 72.0)


def test_the_record_is_not_changed_by_second_order():
    x = tf.constant([1.0, 2.0])
    tape, y = recorded(lambda x: tf.reduce_sum(x**3), x)
    count = len(tape._tape)
    tape.hessian(y, x)
    tape.hvp(y, x, tf.ones(2))
    tape.laplacian(y, x)
    assert len(tape._tape) == count
    assert tape.gradient(y, x).numpy().tolist() == [3.0, 12.0]


@pytest.mark.parametrize("rows", [1, 2, 4, 5])
def test_few_elements_are_differentiated_one_by_one_and_many_at_once_with_equal_results(rows, monkeypatch):
    rng = np.random.default_rng(0)
    table, weight, unused = (tf.constant(rng.normal(size=shape)) for shape in ((6, 3), (3, rows), (2,)))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([table, weight, unused])
        y = tf.tanh(tf.linalg.matvec(weight, tf.reduce_sum(tf.gather(table, [1, 4, 1]), 0), transpose_a=True))
    found = tape.jacobian(y, [table, weight, unused])
    monkeypatch.setattr(thresholds, "JACOBIAN_PASSES", 0)
    batched = tape.jacobian(y, [table, weight, unused])
    assert found[2] is batched[2] is None
    for one, other in zip(found[:2], batched[:2], strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_that_a_tape_was_used_comes_before_what_is_wrong_with_the_arguments():
    x = tf.constant([[3.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    tape.batch_jacobian(y, x)
    with pytest.raises(RuntimeError, match="A non-persistent GradientTape can only"):
        tape.batch_jacobian(y, [x])


@pytest.mark.parametrize("run", [lambda f: f, tf.function])
@pytest.mark.parametrize(
    ("ask", "expected"),
    [
        (lambda tape, y, x: tape.hessian(y, x), [[12.0, 0.0], [0.0, 0.0]]),
        (lambda tape, y, x: tape.hvp(y, x, tf.ones([2])), [12.0, 0.0]),
        (lambda tape, y, x: tape.hessian_diagonal(y, x), [12.0, 0.0]),
        (lambda tape, y, x: tape.laplacian(y, x), 12.0),
    ],
)
def test_second_derivatives_of_a_lookup(run, ask, expected):
    x = tf.Variable([1.0, 2.0])

    def second():
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.gather(x, [0, 0]) ** 3)
        return ask(tape, y, x)

    assert run(second)().numpy().tolist() == expected
