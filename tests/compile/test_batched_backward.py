"""Jacobians of compiled functions: the backward pass is one program for all cotangents."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.compile import batched_backward, recorded, scaled_products
from gradtape.compile.program import Program


def _jacobian(function, sources, **options):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(sources)
        target = function(*sources)
    return tape.jacobian(target, sources, **options)


@pytest.fixture
def interpreted(monkeypatch):
    """How often a backward program is run instruction by instruction."""
    runs = []
    run = Program.run

    def counted(program, *args):
        runs.append(program)
        return run(program, *args)

    monkeypatch.setattr(Program, "run", counted)
    return runs


def _draw(*shape, seed=0, dtype=np.float32):
    return tf.constant(np.random.default_rng(seed).normal(size=shape).astype(dtype))


def _chosen(x, y):
    return tf.cond(x[0] > 0, lambda: tf.sin(x) * y, lambda: x * x + tf.reduce_sum(y))


def _gathered(x, y):
    return tf.gather(x, [0, 2, 2, 1]) * tf.concat([y[:2], y[4:]], 0)


def _scattered(x, y):
    return tf.tensor_scatter_nd_update(x, [[1], [3]], y[:2]) * x


def _normed(x, y):
    return tf.nn.softmax(x) / tf.norm(y) + tf.linalg.matvec(tf.reshape(tf.tile(y, [6]), (6, 6)), x)


def _solved(x, y):
    return tf.linalg.solve(tf.linalg.diag(x) + 5.0, y[:, tf.newaxis])


FUNCTIONS = [_chosen, _gathered, _scattered, _normed, _solved]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_small_jacobians_have_the_bits_of_eager_code(function, interpreted):
    x, y = _draw(6), _draw(6, seed=1)
    compiled = tf.function(function)
    expected = _jacobian(function, [x, y])
    for _ in range(20):  # (Python lines at first, machine code then)
        for found, wanted in zip(_jacobian(compiled, [x, y]), expected, strict=True):
            np.testing.assert_array_equal(found, wanted)
    assert not interpreted


def test_a_branch_is_chosen_when_it_runs():
    function = tf.function(_chosen)
    for sign in (1.0, -1.0, 1.0):
        sources = [sign * tf.abs(_draw(6)) + sign, _draw(6, seed=1)]
        for found, wanted in zip(_jacobian(function, sources), _jacobian(_chosen, sources), strict=True):
            np.testing.assert_array_equal(found, wanted)


def test_each_size_has_a_program_of_its_own(interpreted):
    function = tf.function(lambda x: tf.tanh(x) * tf.reduce_sum(x), input_signature=[tf.TensorSpec([None], tf.float32)])
    for size in (5, 9, 5, 7):
        x = _draw(size)
        np.testing.assert_array_equal(_jacobian(function, [x])[0], _jacobian(function.python_function, [x])[0])
    assert not interpreted


def test_several_results_of_which_one_is_asked_for():
    @tf.function
    def function(x):
        return tf.sin(x), tf.reduce_sum(tf.cos(x)), x * 2.0

    x = _draw(6)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        sines, total, double = function(x)
        both = sines * total
    np.testing.assert_allclose(tape.jacobian(sines, x), np.diag(np.cos(x)), rtol=1e-6)
    np.testing.assert_array_equal(tape.jacobian(double, x), 2 * np.eye(6))
    expected = np.diag(np.cos(x) * np.cos(x).sum()) - np.outer(np.sin(x), np.sin(x))
    np.testing.assert_allclose(tape.jacobian(both, x), expected, rtol=1e-4, atol=1e-5)


def test_a_gradient_that_no_cotangent_has_a_say_in():
    function = tf.function(lambda x: x + 0.0 * tf.stop_gradient(x))
    np.testing.assert_array_equal(_jacobian(function, [_draw(6)])[0], np.eye(6))


def test_lookups_and_variables():
    table = tf.Variable(_draw(8, 3))

    def function(x):
        return tf.reshape(tf.nn.embedding_lookup(table, [1, 5, 1]) * x, [-1])

    x = _draw(3)
    results = []
    for call in (function, tf.function(function)):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = call(x)
        results.append((tape.jacobian(y, table), tape.jacobian(y, x)))
    for wanted, found in zip(*results, strict=True):
        np.testing.assert_array_equal(tf.convert_to_tensor(found), tf.convert_to_tensor(wanted))


def test_loops_are_run_instruction_by_instruction(interpreted):
    def function(x):
        for _ in tf.range(40):
            x = tf.tanh(x) + 0.1 * tf.reverse(x, [0])
        return x

    x = _draw(6)
    np.testing.assert_allclose(
        _jacobian(tf.function(function), [x])[0], _jacobian(lambda x: function(x), [x])[0], rtol=1e-5, atol=1e-6
    )
    assert interpreted


def test_maps_inside_of_maps():
    function = tf.function(lambda x: tf.tanh(x) * tf.reduce_sum(x))

    def hessian(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.reduce_sum(function(x))
            slope = inner.gradient(y, x)
        return outer.jacobian(slope, x)

    x = _draw(4, 6)
    found = tf.vectorized_map(hessian, x)
    wanted = tf.stack([hessian(x[row]) for row in range(4)])
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


def test_what_cannot_be_one_program_is_interpreted(monkeypatch, interpreted):
    def refuse(*args):
        raise batched_backward.NeedsValue("not here")

    monkeypatch.setattr(batched_backward, "BatchedBackward", refuse)
    x = _draw(6)
    function = tf.function(lambda x: tf.sin(x) * x)
    np.testing.assert_array_equal(_jacobian(function, [x])[0], _jacobian(function.python_function, [x])[0])
    assert interpreted


def test_errors_name_the_op():
    function = tf.function(lambda x: tf.linalg.inv(tf.reshape(x, (2, 2))))
    x = tf.constant([1.0, 0.0, 0.0, 1.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.concat([tf.reshape(function(x), [-1])] * 2, 0)
    assert tape.jacobian(y, x).shape == (8, 4)


# --- weighted sums -----------------------------------------------------------------------------------------------------------


def _skin(bones, points, weights):
    """Points that are moved by several bones, each with its weight for each point."""
    return tf.reduce_sum(tf.matmul(bones, points) * weights[:, tf.newaxis], 0)


def test_what_is_weighted_is_not_repeated_for_each_weight(monkeypatch):
    made = []
    batched = recorded.batched_backward
    monkeypatch.setattr(recorded, "batched_backward", lambda *args: made.append(batched(*args)) or made[-1])
    points, weights = _draw(4, 100, seed=1, dtype=np.float64), _draw(9, 100, seed=2, dtype=np.float64)
    bones = _draw(9, 3, 4, dtype=np.float64)

    def chosen(bones):
        return tf.reshape(tf.gather(_skin(bones, points, weights), list(range(20)), axis=1), [-1])

    (found,), (wanted,) = _jacobian(tf.function(chosen), [bones]), _jacobian(chosen, [bones])
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)
    sizes = [np.prod(shape) for program in made for shape, _ in program.program.looks.values()]
    used = {number for program in made for node in program.program.nodes for number in node.outputs}
    largest = max(np.prod(made[0].program.looks[number][0]) for number in used)
    assert largest == 60 * 3 * 100  # (60 cotangents for 100 points, not for each of 9 bones)
    assert max(sizes) >= largest


@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("transpose_b", [False, True])
@pytest.mark.parametrize("scaled", [0, 1])
@pytest.mark.parametrize("lead", [(), (5,), (5, 1), (1,)])
def test_the_smaller_operand_is_scaled(transpose_a, transpose_b, scaled, lead, monkeypatch):
    written = []
    write = scaled_products._Scaled._write_product
    monkeypatch.setattr(scaled_products._Scaled, "_write_product", lambda *args: written.append(write(*args)))
    inner, free = 120, 30
    last = (scaled == 0) != (transpose_a, transpose_b)[scaled]
    large = _draw(*lead, *((free, inner) if last else (inner, free)), seed=1, dtype=np.float64)
    weights = _draw(7, *((1, inner) if last else (inner, 1)), seed=2, dtype=np.float64)
    last_there = (scaled == 1) != (transpose_a, transpose_b)[1 - scaled]
    small = _draw(*((4, inner) if last_there else (inner, 4)), dtype=np.float64)
    if lead == (5,):
        large = large[:, tf.newaxis]

    def product(large, small, weights):
        operands = (large * weights, small) if scaled == 0 else (small, large * weights)
        return tf.matmul(*operands, transpose_a=transpose_a, transpose_b=transpose_b)

    compiled = tf.function(product)
    for _ in range(2):
        np.testing.assert_allclose(
            compiled(large, small, weights), product(large, small, weights), rtol=1e-12, atol=1e-12
        )
    assert len(written) == 1
