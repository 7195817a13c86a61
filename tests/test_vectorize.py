"""vectorized_map: one call for all examples, with tapes and accumulators inside and outside."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.base.context import ACTIVE, STATE

pytestmark = pytest.mark.quick

X = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


@tf.custom_gradient
def tripled(x):
    """x * x with 3 x as gradient, so that the given gradient can be told from the true one."""
    return x * x, lambda g: g * 3.0 * x


FUNCTIONS = {
    "arithmetic": lambda r: r * r + 2.0 / r - r**3,
    "reduction": lambda r: tf.reduce_sum(r) * tf.reduce_max(r),
    "matmul": lambda r: tf.constant([[1.0, 2.0], [3.0, 4.0]]) @ r,
    "outer": lambda r: r[:, None] * r[None, :],
    "slices": lambda r: r[::-1] + r[0],
    "iteration": lambda r: sum(part * part for part in r) + len(r),
    "reshape": lambda r: tf.reshape(tf.transpose(tf.stack([r, 2.0 * r])), [-1]),
    "concat": lambda r: tf.concat([r, tf.constant([7.0])], 0),
    "where": lambda r: tf.where(r > 2.0, r, -r),
    "gather": lambda r: tf.gather(r, [1, 0, 1]),
    "softmax": lambda r: tf.nn.softmax(r),
    "cast": lambda r: tf.cast(r, tf.int32),
    "numpy": lambda r: np.sin(r) + np.mean(r),
    "custom gradient": tripled,
    "constant": lambda r: tf.constant([1.0, 2.0]),
    "number": lambda r: 1.0,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_map_is_a_loop(name):
    function = FUNCTIONS[name]
    expected = np.stack([np.asarray(function(row)) for row in X])
    np.testing.assert_allclose(tf.vectorized_map(function, X).numpy(), expected, rtol=1e-6)


def test_structures_in_and_out():
    result = tf.vectorized_map(
        lambda e: {"sum": e["a"] + e["b"][0], "none": None},
        {"a": tf.constant([1.0, 2.0]), "b": (tf.constant([3.0, 4.0]),)},
    )
    assert result["sum"].numpy().tolist() == [4.0, 6.0]
    assert result["none"] is None


def test_the_function_runs_once():
    calls = []
    tf.vectorized_map(lambda r: calls.append(1) or r, X)
    assert calls == [1]


def test_an_index_may_differ_from_example_to_example():
    table = tf.constant([10.0, 20.0, 30.0])
    assert tf.vectorized_map(lambda i: tf.gather(table, i), tf.constant([2, 0])).numpy().tolist() == [
        30.0,
        10.0,
    ]


def test_an_empty_batch_gives_an_empty_result():
    assert tf.vectorized_map(lambda r: r * 2.0, tf.zeros([0, 3])).shape == (0, 3)


# ---------------------------------------------------------------- nested maps


def test_nested_maps_are_nested_loops():
    a, b = tf.constant([1.0, 2.0]), tf.constant([10.0, 20.0, 30.0])
    result = tf.vectorized_map(lambda p: tf.vectorized_map(lambda q: p * q + p, b), a)
    assert result.numpy().tolist() == [[11.0, 21.0, 31.0], [22.0, 42.0, 62.0]]


def test_tapes_in_nested_maps_follow_the_value_of_their_own_level():
    a, b = tf.constant([1.0, 2.0]), tf.constant([10.0, 20.0, 30.0])

    def inner(p, q):
        with tf.GradientTape() as tape:
            tape.watch([p, q])
            y = p * p * q
        return tf.stack(tape.gradient(y, [p, q]))

    result = tf.vectorized_map(lambda p: tf.vectorized_map(lambda q: inner(p, q), b), a).numpy()
    for i, p in enumerate([1.0, 2.0]):
        for j, q in enumerate([10.0, 20.0, 30.0]):
            assert result[i, j].tolist() == [2 * p * q, p * p]


# ---------------------------------------------------------------- tapes inside and outside


@pytest.mark.parametrize("name", [n for n in FUNCTIONS if n not in ("cast", "constant", "number", "iteration")])
def test_a_tape_outside_follows_the_map(name):
    function = FUNCTIONS[name]
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = tf.vectorized_map(function, X)
    with tf.GradientTape() as loop:
        loop.watch(X)
        z = tf.stack([function(row) for row in tf.unstack(X)])
    np.testing.assert_allclose(tape.gradient(y, X).numpy(), loop.gradient(z, X).numpy(), rtol=1e-5)


@pytest.mark.parametrize("method", ["gradient", "jacobian", "hessian"])
def test_a_tape_inside_gives_one_answer_for_each_example(method):
    def answer(row):
        with tf.GradientTape() as tape:
            tape.watch(row)
            y = tf.sin(row) * row[::-1]
            y = tf.reduce_sum(y) if method == "hessian" else y
        return getattr(tape, method)(y, row)

    expected = np.stack([answer(row).numpy() for row in X])
    np.testing.assert_allclose(tf.vectorized_map(answer, X).numpy(), expected, rtol=1e-5)


def test_a_tape_outside_goes_through_a_tape_inside():
    def slope(row):
        with tf.GradientTape() as tape:
            tape.watch(row)
            y = tf.reduce_sum(row**3)
        return tape.gradient(y, row)

    with tf.GradientTape() as outer:
        outer.watch(X)
        y = tf.vectorized_map(slope, X)
    np.testing.assert_allclose(outer.gradient(y, X).numpy(), 6.0 * X.numpy())


def test_a_jacobian_outside_goes_through_a_custom_gradient_inside():
    with tf.GradientTape() as outer:
        outer.watch(X)
        y = tf.vectorized_map(tripled, X)
    expected = np.einsum("ik,jl,ij->ijkl", np.eye(3), np.eye(2), 3.0 * X.numpy())
    np.testing.assert_allclose(outer.jacobian(y, X).numpy(), expected)


def test_custom_gradients_in_nested_maps_are_followed_from_outside():
    cube = tf.reshape(tf.range(1.0, 13.0), [2, 3, 2])
    with tf.GradientTape() as outer:
        outer.watch(cube)
        y = tf.vectorized_map(lambda m: tf.vectorized_map(tripled, m), cube)
    np.testing.assert_allclose(outer.gradient(y, cube).numpy(), 3.0 * cube.numpy())


def test_what_all_examples_share_gets_the_sum_through_a_custom_gradient():
    w = tf.Variable([1.0, 2.0])

    @tf.custom_gradient
    def scaled(row, weight):
        return row * weight, lambda g: (g * weight, g * row)

    with tf.GradientTape() as tape:
        y = tf.vectorized_map(lambda row: scaled(row, w), X)
    assert tape.gradient(y, w).numpy().tolist() == [9.0, 12.0]


def test_second_order_through_a_custom_gradient_inside():
    with tf.GradientTape() as second:
        second.watch(X)
        with tf.GradientTape() as first:
            first.watch(X)
            y = tf.vectorized_map(tripled, X)
        slope = first.gradient(y, X)
    np.testing.assert_allclose(slope.numpy(), 3.0 * X.numpy())
    np.testing.assert_allclose(second.gradient(slope, X).numpy(), np.full((3, 2), 3.0))


def test_accumulators_inside_and_outside():
    def along(row):
        with tf.autodiff.ForwardAccumulator(row, tf.ones_like(row)) as accumulator:
            y = row**3
        return accumulator.jvp(y)

    np.testing.assert_allclose(tf.vectorized_map(along, X).numpy(), 3.0 * X.numpy() ** 2)
    with tf.autodiff.ForwardAccumulator(X, tf.ones_like(X)) as outer:
        y = tf.vectorized_map(along, X)
    np.testing.assert_allclose(outer.jvp(y).numpy(), 6.0 * X.numpy())
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = tf.vectorized_map(along, X)
    np.testing.assert_allclose(tape.gradient(y, X).numpy(), 6.0 * X.numpy())


def test_forward_over_reverse_inside():
    def product(row):
        with tf.autodiff.ForwardAccumulator(row, tf.constant([1.0, 0.0])) as accumulator:
            with tf.GradientTape() as tape:
                tape.watch(row)
                y = tf.reduce_prod(row) ** 2
            gradient = tape.gradient(y, row)
        return accumulator.jvp(gradient)

    expected = np.stack([product(row).numpy() for row in X])
    np.testing.assert_allclose(tf.vectorized_map(product, X).numpy(), expected, rtol=1e-6)


def test_pausing_the_outer_tape_inside_leaves_the_inner_tape_recording():
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(X)

        def slope(row):
            with outer.stop_recording():
                with tf.GradientTape() as inner:
                    inner.watch(row)
                    y = row * row
                return inner.gradient(y, row)

        y = tf.vectorized_map(slope, X)
    np.testing.assert_allclose(y.numpy(), 2.0 * X.numpy())


def test_unconnected_zeros_inside():
    def slope(row):
        with tf.GradientTape() as tape:
            tape.watch(row)
            y = tf.constant(1.0)
        return tape.gradient(y, row, unconnected_gradients="zero")

    assert tf.vectorized_map(slope, X).numpy().tolist() == [[0.0, 0.0]] * 3


# ---------------------------------------------------------------- what cannot be vectorized


@pytest.mark.parametrize(
    "function",
    [
        lambda r: r.numpy(),
        lambda r: np.asarray(r),
        lambda r: float(r[0]),
        lambda r: r if r[0] > 0 else -r,
        lambda r: r[r > 2.0],
        lambda r: tf.Variable([0.0, 0.0]).assign(r),
        lambda r: [1, 2, 3][tf.cast(r[0], tf.int32)],
    ],
)
def test_what_needs_one_value_says_so_and_names_the_alternative(function):
    with pytest.raises((NotImplementedError, TypeError), match=r"vectorized computation.*tf\."):
        tf.vectorized_map(function, X)
    assert not STATE.tapes
    assert not ACTIVE


def test_elements_of_different_sizes_are_an_error():
    with pytest.raises(ValueError, match="first size"):
        tf.vectorized_map(lambda e: e[0], (tf.zeros([2]), tf.zeros([3])))
    with pytest.raises(ValueError, match="first size"):
        tf.vectorized_map(lambda e: e, tf.constant(1.0))


def test_an_op_without_a_batching_rule_is_named_and_done_slice_by_slice(caplog):
    def function(row):
        return tf.boolean_mask(row, row > 0.0) * 2.0

    x = tf.constant([[3.0, 1.0], [2.0, 5.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.vectorized_map(function, x)
    assert y.numpy().tolist() == [[6.0, 2.0], [4.0, 10.0]]
    assert tape.gradient(y, x).numpy().tolist() == [[2.0, 2.0], [2.0, 2.0]]
    assert "nonzero" in caplog.text
    with pytest.raises(tf.errors.UnimplementedError, match="nonzero"):
        tf.vectorized_map(function, x, fallback_to_while_loop=False)


def test_random_numbers_are_others_for_each_slice():
    def noisy(x):
        return x + tf.random.normal([2])

    for mapped in (tf.vectorized_map(noisy, tf.zeros([3, 2])), tf.function(tf.vectorized_map)(noisy, tf.zeros([3, 2]))):
        assert len(np.unique(mapped)) == 6
    nested = tf.vectorized_map(lambda row: tf.vectorized_map(lambda x: x * tf.random.uniform([]), row), tf.ones([2, 2]))
    assert len(np.unique(nested)) == 4
    in_function = tf.function(lambda x: x + tf.random.uniform([2]))
    assert len(np.unique(tf.vectorized_map(in_function, tf.zeros([3, 2])))) == 6


@pytest.mark.parametrize("traced", [False, True])
def test_slices_may_take_branches_and_numbers_of_rounds_of_their_own(traced):
    def halves(x):
        return tf.cond(x > 0.0, lambda: tf.sqrt(x), lambda: -x)

    def powers(x):
        return tf.while_loop(lambda i, y: i < x, lambda i, y: (i + 1.0, y * 2.0), [tf.constant(0.0), tf.constant(1.0)])[
            1
        ]

    def chosen(x):
        return tf.switch_case(tf.cast(x, tf.int32), [lambda: x * 10.0, lambda: x * 20.0, lambda: x])

    mapped = tf.function(tf.vectorized_map) if traced else tf.vectorized_map
    assert mapped(halves, tf.constant([4.0, -2.0])).numpy().tolist() == [2.0, 2.0]
    assert mapped(powers, tf.constant([1.0, 3.0])).numpy().tolist() == [2.0, 8.0]
    assert mapped(chosen, tf.constant([1.0, 2.0])).numpy().tolist() == [20.0, 2.0]
    x = tf.constant([4.0, -2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = mapped(halves, x)
    assert tape.gradient(y, x).numpy().tolist() == [0.25, -1.0]
