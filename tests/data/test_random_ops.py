"""Random ops in users' functions give TensorFlow's numbers: each branch, loop and inner function has streams of its own.

The numbers are those of TensorFlow 2.21 for `tf.random.set_seed(5)`.
"""

import numpy as np
import pytest

import gradtape as tf

Dataset = tf.data.Dataset
uniform = tf.random.uniform


def branches(x):
    return (uniform(()), tf.cond(x >= 0, lambda: uniform(()), lambda: 0.0))[1]


def branches_between(x):
    return tf.stack([uniform(()), tf.cond(x > 1, lambda: uniform(()), lambda: uniform(())), uniform(())])


def augmented(x):
    y = tf.cast(x, tf.float32)
    if uniform(()) > 0.5:
        y = y + uniform(())
    if uniform(()) > 0.5:
        y = y * uniform((), seed=3)
    return y


def loop(x):
    y = uniform(())
    for _ in tf.range(3):
        y += uniform(())
    return y


def mapped(x):
    return tf.map_fn(lambda i: uniform(()), tf.zeros([3]))


def traced(x):
    once = tf.function(lambda: uniform(()))
    return tf.stack([once(), once(), uniform(())])


def plain(x):
    return uniform(())


def three(function):
    return lambda: Dataset.range(3).map(function)


CASES = {
    "cond": (three(branches), [0.183, 0.673, 0.936]),
    "a draw before and after": (
        three(branches_between),
        [[0.183, 0.183, 0.388], [0.673, 0.673, 0.986], [0.936, 0.183, 0.965]],
    ),
    "if": (three(augmented), [0.0, 0.341, 1.196]),
    "for": (three(loop), [1.975, 1.613, 2.523]),
    "map_fn": (three(mapped), [[0.183, 0.673, 0.936], [0.388, 0.066, 0.486], [0.773, 0.686, 0.129]]),
    "tf.function": (three(traced), [[0.183] * 3, [0.673] * 3, [0.936] * 3]),
    "repeat": (lambda: Dataset.range(2).map(plain).repeat(2), [0.183, 0.673, 0.936, 0.388]),
    "repeated branches": (lambda: Dataset.range(2).map(branches).repeat(2), [0.183, 0.673, 0.936, 0.388]),
    "repeated filter": (lambda: Dataset.range(4).filter(lambda x: uniform(()) > 0.5).repeat(2), [1, 2, 2, 3]),
    "repeated scan": (
        lambda: Dataset.range(2).scan(0.0, lambda state, x: (state, uniform(()))).repeat(2),
        [0.183, 0.673, 0.936, 0.388],
    ),
    "concatenate": (
        lambda: Dataset.range(2).map(plain).concatenate(Dataset.range(2).map(plain)),
        [0.183, 0.673, 0.183, 0.673],
    ),
    "zip": (
        lambda: Dataset.zip((Dataset.range(2).map(augmented), Dataset.range(2).map(augmented))).map(
            lambda a, b: tf.stack([a, b])
        ),
        [[0.0, 0.0], [0.341, 0.341]],
    ),
    "inner datasets": (
        lambda: Dataset.range(3).flat_map(lambda x: Dataset.range(2).map(branches)),
        [0.183, 0.673, 0.936, 0.388, 0.066, 0.486],
    ),
    "interleaved datasets": (
        lambda: Dataset.range(3).interleave(lambda x: Dataset.range(2).map(plain), cycle_length=2),
        [0.183, 0.673, 0.936, 0.388, 0.066, 0.486],
    ),
    "groups": (
        lambda: Dataset.range(4).group_by_window(lambda x: x % 2, lambda key, group: group.map(plain).batch(2), 2),
        [[0.183, 0.673], [0.936, 0.388]],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_numbers_are_tensorflows_and_each_iteration_has_the_same(case):
    make, expected = CASES[case]
    tf.random.set_seed(5)
    dataset = make()
    for _ in range(2):
        np.testing.assert_allclose([x.numpy() for x in dataset], expected, atol=6e-4)


@pytest.mark.parametrize("case", CASES)
def test_a_saved_position_has_the_streams(case):
    tf.random.set_seed(5)
    dataset = CASES[case][0]()
    if case != "concatenate":  # (which keeps the streams of the part that runs)
        dataset = dataset.repeat(2)
    first, second = iter(dataset), iter(dataset)
    for _ in range(2):
        next(first)
    state = first.get_state()
    rest = [x.numpy() for x in first]
    tf.random.set_seed(6)
    second.set_state(state)
    np.testing.assert_array_equal([x.numpy() for x in second], rest)


def test_a_function_that_draws_nothing_runs_as_it_is():
    seen = []

    def counted(x):
        seen.append(type(x).__name__)
        if x > 1:
            x = -x
        return x

    assert [int(x) for x in Dataset.range(4).map(counted)] == [0, 1, -2, -3]
    assert seen == ["EagerTensor"] * 4


def test_a_function_that_asks_for_values_draws_in_the_order_of_its_calls():
    def function(x):
        drawn = float(uniform(()).numpy())
        return drawn if drawn < 0.5 else float(uniform(()).numpy())

    tf.random.set_seed(5)
    first = [float(x) for x in Dataset.range(3).map(function)]
    tf.random.set_seed(5)
    assert [float(x) for x in Dataset.range(3).map(function)] == first
