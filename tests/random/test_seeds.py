"""Seeds: what repeats, what does not; generators as objects; threads."""

import threading

import numpy as np
import pytest

import gradtape as tf
from gradtape.base.seeds import GLOBAL

pytestmark = pytest.mark.quick

R = tf.random


def values(tensors):
    return [t.numpy().tolist() for t in tensors]


def test_the_same_global_seed_repeats_the_sequence():
    def sequence():
        R.set_seed(7)
        return values([R.normal([2]), R.uniform([2]), R.normal([2]), R.shuffle(tf.range(6))])

    first = sequence()
    assert first == sequence()
    assert first[0] != first[2]


def test_an_op_seed_is_independent_of_what_happens_between():
    R.set_seed(7)
    alone = values([R.normal([2], seed=1), R.normal([2], seed=1)])
    R.set_seed(7)
    first = R.normal([2], seed=1)
    R.uniform([5])
    R.normal([3], seed=2)
    R.uniform([5], seed=1)  # another op with the same seed has a stream of its own
    assert values([first, R.normal([2], seed=1)]) == alone


def test_stateless_functions_leave_and_need_no_state():
    R.set_seed(7)
    first = R.stateless_normal([3], [1, 2])
    R.normal([3])
    R.set_seed(8)
    np.testing.assert_array_equal(first, R.stateless_normal([3], [1, 2]))
    assert values([first]) != values([R.stateless_normal([3], [1, 3])])


def test_without_seeds_every_call_differs(monkeypatch):
    from gradtape.random.streams import Seeds

    monkeypatch.setattr(GLOBAL, "seed", None)
    seeds = Seeds()
    assert seeds.pair(None) is None
    assert seeds.pair(5) == (87654321, 5)
    stream = seeds.stream(("normal",), None, 1)
    assert not np.array_equal(stream.blocks(2), stream.blocks(2))


def test_seed_zero_is_a_seed():
    R.set_seed(0)
    first = R.uniform([3], seed=0)
    R.set_seed(0)
    np.testing.assert_array_equal(first, R.uniform([3], seed=0))


def test_threads_share_the_seed_but_never_a_number():
    R.set_seed(1)
    drawn = []

    def work():
        drawn.extend(float(R.uniform([])) for _ in range(50))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(drawn)) == 200


# --- generators ------------------------------------------------------------------------------------------------------


def test_states_from_seeds():
    def state(seed):
        return R.Generator.from_seed(seed).state.numpy().tolist()

    assert state(2**70 + 5) == [5, 64, 0]
    assert state(-5) == [-5, -1, -1]
    assert state([1, 2]) == [0, 1, 2]
    assert state([1, 2, 3, 4]) == [1, 2, 3]
    assert R.create_rng_state([12, 34], "threefry").numpy().tolist() == [12, 34]


def test_the_state_is_a_variable_that_advances():
    g = R.Generator.from_seed(1)
    assert (g.state.trainable, g.state.dtype, g.algorithm) == (False, tf.int64, 1)
    assert g.skip(3).numpy().tolist() == [1, 0, 0]
    assert g.state.numpy().tolist() == [769, 0, 0]
    g.normal([0])
    assert g.state.numpy().tolist() == [769, 0, 0]
    g.reset_from_seed(1)
    g.normal([3])
    assert g.state.numpy().tolist() == [769, 0, 0]


def test_a_generator_can_be_copied_reset_and_share_its_variable():
    g = R.Generator.from_seed(1)
    copy = R.Generator(copy_from=g)
    np.testing.assert_array_equal(g.uniform([3]), copy.uniform([3]))
    g.reset([5, 6, 7])
    assert (int(g.key), g.state.numpy().tolist()) == (7, [5, 6, 7])
    g.reset_from_key_counter(9, [5, 6])
    assert g.state.numpy().tolist() == [5, 6, 9]
    state = tf.Variable([5, 6, 7], dtype=tf.int64)
    shared = R.Generator.from_state(state, "philox")
    shared.normal([2])
    assert state.numpy().tolist() == [517, 6, 7]
    assert R.Generator.from_key_counter(9, [5, 6], R.Algorithm.PHILOX).state.numpy().tolist() == [5, 6, 9]


def test_split_gives_independent_generators():
    g = R.Generator.from_seed(1)
    first, second = g.split(2)
    assert first.state.numpy().tolist() == [0, 0, 6679402142117448868]
    assert g.state.numpy().tolist() == [513, 0, 0]
    assert values([first.normal([3])]) != values([second.normal([3])])


def test_make_seeds_feed_stateless_functions():
    seeds = R.Generator.from_seed([1, 2]).make_seeds(2)
    assert seeds.shape == (2, 2)
    assert seeds.numpy()[1].tolist() == [0, 0]
    assert R.stateless_normal([2], seeds[:, 0]).shape == (2,)


def test_generators_draw_everything_and_are_followed():
    g = R.Generator.from_seed(3)
    assert g.uniform([4], 0, 10, tf.int32).dtype == tf.int32
    assert g.uniform([4], None, None, tf.int64).dtype == tf.int64
    assert g.uniform_full_int([2]).dtype == tf.uint64
    assert abs(g.truncated_normal([100]).numpy()).max() < 2
    mean = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = g.normal([5], mean)
    assert float(tape.gradient(y, mean)) == 5.0


def test_the_global_generator_can_be_set():
    g = R.Generator.from_seed(1)
    R.set_global_generator(g)
    assert R.get_global_generator() is g
    assert R.experimental.get_global_generator() is g


def test_the_global_seed_does_not_touch_generators():
    g = R.Generator.from_seed(1)
    before = R.Generator.from_seed(1).normal([2])
    R.set_seed(99)
    np.testing.assert_array_equal(g.normal([2]), before)


def test_non_deterministic_generators_differ():
    first, second = (R.Generator.from_non_deterministic_state() for _ in range(2))
    assert first.state.numpy().tolist() != second.state.numpy().tolist()


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: R.Generator(), AssertionError),
        (lambda: R.Generator.from_seed(1, alg="dice"), ValueError),
        (lambda: R.Generator.from_seed(1, alg=9), ValueError),
        (lambda: R.Generator.from_seed(1, alg=2.5), TypeError),
        (lambda: R.Generator.from_state([5, 6], "philox"), ValueError),
        (lambda: R.Generator.from_seed(1).reset([5, 6]), ValueError),
        (lambda: R.Generator.from_seed(1, alg="threefry").normal([2]), tf.errors.UnimplementedError),
        (lambda: R.Generator.from_seed(1).uniform([2], dtype=tf.int32), ValueError),
        (lambda: R.Generator.from_seed(1).uniform_full_int([2], tf.float32), tf.errors.InvalidArgumentError),
        (lambda: R.Generator.from_seed(1).normal([2], dtype=tf.int32), TypeError),
        (lambda: R.Generator.from_seed(1).normal([-2]), tf.errors.InvalidArgumentError),
    ],
)
def test_bad_generators_are_refused(call, error):
    with pytest.raises(error):
        call()


def test_a_seed_may_be_a_list_with_tensors_inside_a_function():
    drawn = tf.function(lambda seed: tf.random.stateless_uniform([3], [seed[0], 3]))(tf.constant([1, 2]))
    assert np.array_equal(drawn, tf.random.stateless_uniform([3], [1, 3]))


def test_a_whole_float_is_a_seed_as_in_tensorflow():
    tf.random.set_seed(1.0)
    first = tf.random.uniform([3]).numpy()
    tf.random.set_seed(1)
    assert first.tolist() == tf.random.uniform([3]).numpy().tolist()
