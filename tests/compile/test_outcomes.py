"""What loops and branches read and draw is the same forward and backward, in all orders, however they are nested.

Each program multiplies x by numbers that it draws or reads, and returns the product of those numbers as well: it is the gradient.
"""

import numpy as np
import pytest

import gradtape as tf

X = tf.constant([1.0, 2.0, 3.0])
SCALE, ROWS = tf.Variable(1.0), tf.Variable([1.0, 1.0, 1.0])


@pytest.fixture(autouse=True)
def initial_values():
    SCALE.assign(1.0)
    ROWS.assign([1.0, 1.0, 1.0])


def a_loop_in_a_loop(x):
    product = tf.ones([3])
    for _ in tf.range(40):
        for _ in tf.range(3):
            factor = 1 + 0.01 * tf.random.normal([3])
            x, product = x * factor, product * factor
    return x, product


def a_while_with_a_drawn_condition_in_a_loop(x):
    product = tf.ones([3])
    for _ in tf.range(5):
        rounds = 0
        while tf.random.uniform([]) < 0.7:
            factor = 1 + 0.01 * tf.random.normal([3])
            x, product, rounds = x * factor, product * factor, rounds + 1
    return x, product


def branches_in_a_loop(x):
    product = tf.ones([3])
    for _ in tf.range(6):
        if tf.random.uniform([]) < 0.5:
            factor = 1 + 0.01 * tf.random.normal([3])
        elif tf.random.uniform([]) < 0.5:
            factor = tf.random.normal([3]) + tf.random.uniform([3])
        else:
            factor = tf.ones([3])
        x, product = x * factor, product * factor
    return x, product


def loops_in_a_branch(x):
    product = tf.ones([3])
    if tf.random.uniform([]) < 0.5:
        for _ in tf.range(50):
            factor = tf.random.uniform([3]) + 0.5
            x, product = x * factor, product * factor
    else:
        rounds = 0
        while tf.random.uniform([]) < 0.9:
            factor = tf.random.uniform([3]) + 0.5
            x, product, rounds = x * factor, product * factor, rounds + 1
    return x, product


def a_while_in_a_branch_in_a_loop(x):
    product = tf.ones([3])
    for _ in tf.range(4):
        if tf.random.uniform([]) < 0.7:
            rounds = 0
            while tf.random.uniform([]) < 0.8:
                factor = tf.random.uniform([3]) + 0.5
                x, product, rounds = x * factor, product * factor, rounds + 1
        else:  # a size that is drawn, too
            factor = tf.reduce_mean(tf.random.uniform([tf.random.uniform([], 1, 5, tf.int32)]))
            x, product = x * factor, product * factor
    return x, product


def a_branch_that_draws(x):
    choice = tf.random.uniform([], 0, 3, tf.int32)
    cases = [lambda: tf.random.normal([3]), lambda: tf.random.uniform([3]), lambda: tf.ones([3])]
    factor = tf.switch_case(choice, cases)
    return x * x * factor, 2 * x * factor


def branches_that_assign_in_a_loop(x):
    product = tf.ones([3])
    for i in tf.range(40):
        if i % 2 == 0:
            SCALE.assign_add(0.01)
            x, product = x * SCALE, product * SCALE
        elif i % 3 == 0:
            ROWS.assign(ROWS * 1.01)
        x, product = x * ROWS, product * ROWS
    SCALE.assign(7.0)
    ROWS.assign(ROWS * 9.0)
    return x, product


def loops_that_assign_and_draw_in_a_loop_with_a_condition_of_a_variable(x):
    product = tf.ones([3])
    while SCALE < 1.5:
        SCALE.assign_add(0.1)
        rounds = 0.0
        while rounds < SCALE * 2:
            ROWS.assign(ROWS * 1.01 + tf.random.uniform([3]) * 0.1)
            x, product, rounds = x * ROWS, product * ROWS, rounds + 1
    SCALE.assign(0.0)
    return x * ROWS, product * ROWS


PROGRAMS = [
    a_loop_in_a_loop,
    a_while_with_a_drawn_condition_in_a_loop,
    branches_in_a_loop,
    loops_in_a_branch,
    a_while_in_a_branch_in_a_loop,
    a_branch_that_draws,
    branches_that_assign_in_a_loop,
    loops_that_assign_and_draw_in_a_loop_with_a_condition_of_a_variable,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_derivatives_use_the_values_of_the_first_run(program):
    f = tf.function(program)
    with tf.GradientTape() as outer:
        outer.watch(X)
        with tf.GradientTape() as tape:
            tape.watch(X)
            y, factor = f(X)
        slope = tape.gradient(y, X)
        target = tf.reduce_sum(slope**2)
    np.testing.assert_allclose(slope, factor, rtol=1e-5)
    is_square = program is a_branch_that_draws
    np.testing.assert_allclose(outer.gradient(target, X), 2 * factor**2 / X if is_square else [0.0] * 3, rtol=1e-5)
    assert "part" not in str(f.explain())
    assert "interpreted" not in str(f.explain())


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_so_do_tangents(program):
    f = tf.function(program)
    with tf.autodiff.ForwardAccumulator(X, tf.ones([3])) as accumulator:
        y, factor = f(X)
    np.testing.assert_allclose(accumulator.jvp(y), factor, rtol=1e-5)


def times_scale_in_a_branch(x):
    return tf.cond(x > 0, lambda: x * SCALE, lambda: x)


def times_scale_in_a_loop(x):
    for _ in tf.range(40):
        x = x * SCALE
    return x


@pytest.mark.parametrize("times", [times_scale_in_a_branch, times_scale_in_a_loop])
def test_what_is_assigned_after_a_loop_or_branch_does_not_change_its_gradient(times):
    @tf.function
    def f(x):
        y = times(x)
        SCALE.assign(SCALE * 10.0)
        return y

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    rounds = 40.0 if times is times_scale_in_a_loop else 1.0
    assert [float(part) for part in tape.gradient(y, [x, SCALE])] == [1.0, 3.0 * rounds]
    assert float(SCALE) == 10.0


def test_a_tape_inside_sees_the_value_before_the_assignment_too():
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = times_scale_in_a_branch(x)
            SCALE.assign(SCALE * 10.0)
        return tape.gradient(y, x)

    assert float(f(tf.constant(3.0))) == 1.0
