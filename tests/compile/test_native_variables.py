"""Native functions that read and change variables: one step for everybody else, in place where nobody else sees the memory."""

from __future__ import annotations

import gc
import itertools
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.native import abi, engine, thresholds
from gradtape.variables.in_place import lock_of

pytestmark = [
    pytest.mark.skipif(
        not (engine.available() and abi.calls_inner_loops() and abi.makes_functions()),
        reason="there is no machine code",
    ),
    pytest.mark.usefixtures("at_once"),
]

RNG = np.random.default_rng(0)


@pytest.fixture
def at_once(monkeypatch):
    """Programs are compiled with their first call."""
    monkeypatch.setattr(thresholds, "WARMING_CALLS", 0)


def numbers(*shape: int) -> Any:
    return RNG.normal(size=shape).astype(np.float32)


def native(function: Callable[..., Any], *arguments: Any) -> Any:
    """The function, called once, after which it is one native function."""
    compiled = tf.function(function)
    compiled(*arguments)
    compiled(*arguments)
    assert compiled._direct is not None
    return compiled


def address(variable: tf.Variable) -> int:
    return abi.address_of(variable._value._array)


class Network:
    """A network 2-16-16-1 that Adam trains."""

    def __init__(self) -> None:
        rng, sizes = np.random.default_rng(1), (2, 16, 16, 1)
        pairs = list(itertools.pairwise(sizes))
        self.weights = [tf.Variable(rng.normal(size=pair).astype(np.float32)) for pair in pairs]
        self.biases = [tf.Variable(tf.zeros(after)) for _, after in pairs]
        self.parameters = [*self.weights, *self.biases]
        self.means = [tf.Variable(tf.zeros_like(p)) for p in self.parameters]
        self.squares = [tf.Variable(tf.zeros_like(p)) for p in self.parameters]
        self.steps = tf.Variable(0.0)
        self.variables = [*self.parameters, *self.means, *self.squares, self.steps]

    def step(self, x, y):
        with tf.GradientTape() as tape:
            h = x
            for w, b in zip(self.weights[:-1], self.biases, strict=False):
                h = tf.tanh(tf.matmul(h, w) + b)
            loss = tf.reduce_mean(tf.square(tf.matmul(h, self.weights[-1]) + self.biases[-1] - y))
        self.steps.assign_add(1.0)
        rate = 0.01 * tf.sqrt(1.0 - 0.999**self.steps) / (1.0 - 0.9**self.steps)
        for p, g, m, s in zip(
            self.parameters, tape.gradient(loss, self.parameters), self.means, self.squares, strict=True
        ):
            m.assign(0.9 * m + 0.1 * g)
            s.assign(0.999 * s + 0.001 * g * g)
            p.assign_sub(rate * m / (tf.sqrt(s) + 1e-7))
        return loss


def test_a_training_step_has_the_bits_of_eager_code():
    x, y = tf.constant(numbers(8, 2)), tf.constant(numbers(8, 1))
    ours, eager = Network(), Network()
    step = tf.function(ours.step)
    for _ in range(20):
        assert step(x, y).numpy() == eager.step(x, y).numpy()
    assert step._direct is not None
    for found, expected in zip(ours.variables, eager.variables, strict=True):
        np.testing.assert_array_equal(found, expected)


def test_values_are_changed_in_place_where_nobody_else_holds_them():
    v = tf.Variable(numbers(5))
    step = native(lambda x: v.assign_add(x), tf.zeros(5))
    before = address(v)
    step(tf.ones(5))
    assert address(v) == before


@pytest.mark.parametrize(
    "hold",
    [
        lambda v: v.read_value(),
        lambda v: v._value,
        lambda v: tf.convert_to_tensor(v),
        lambda v: v._value._array[1:],
        lambda v: memoryview(v._value._array),
        lambda v: np.asarray(v._value),
    ],
    ids=["read", "value", "tensor", "view", "memory", "array"],
)
def test_what_was_read_before_a_step_stays(hold):
    v = tf.Variable(numbers(5))
    step = native(lambda x: v.assign_sub(x), tf.zeros(5))
    held = hold(v)
    before, expected = np.array(held), v.numpy() - 1.0
    step(tf.ones(5))
    np.testing.assert_array_equal(np.array(held), before)
    np.testing.assert_array_equal(v, expected)


def test_a_record_of_a_tape_holds_what_it_has_read():
    v = tf.Variable([2.0, 3.0])
    step = native(lambda x: v.assign(v * x), tf.ones(2))
    with tf.GradientTape() as tape:
        y = v * v
    step(tf.constant([10.0, 10.0]))
    np.testing.assert_array_equal(tape.gradient(y, v), [4.0, 6.0])


def test_variables_that_exchange_their_values():
    a, b, c = (tf.Variable(numbers(3)) for _ in range(3))

    def turn(x):
        old = a.read_value()
        a.assign(b)
        b.assign(c + x)
        c.assign(old)
        return a + b, b

    step = native(turn, tf.zeros(3))
    values = [a.numpy(), b.numpy(), c.numpy()]
    first, second = step(tf.ones(3))
    expected = [values[1], values[2] + 1.0, values[0]]
    for variable, value in zip((a, b, c), expected, strict=True):
        np.testing.assert_array_equal(variable, value)
    np.testing.assert_array_equal(first, expected[0] + expected[1])
    np.testing.assert_array_equal(second, expected[1])


def test_what_is_returned_is_no_memory_of_the_variable():
    v = tf.Variable([1.0, 2.0])
    step = native(lambda x: v.assign_add(x).read_value(), tf.zeros(2))
    first = step(tf.ones(2))
    step(tf.ones(2))
    np.testing.assert_array_equal(first, [2.0, 3.0])


def test_an_argument_that_is_assigned_is_copied():
    v = tf.Variable([1.0, 2.0])
    step = native(lambda x: v.assign(x), tf.zeros(2))
    given = tf.constant([5.0, 6.0])
    step(given)
    v.assign_add([1.0, 1.0])
    np.testing.assert_array_equal(given, [5.0, 6.0])
    np.testing.assert_array_equal(v, [6.0, 7.0])


@pytest.mark.parametrize(
    "result",
    [
        lambda x, v: None,
        lambda x, v: {"loss": x * v, "state": [x, (v + x, None)]},
        lambda x, v: (x * v, tf.constant(3.0)),
        lambda x, v: v + x,
    ],
    ids=["none", "nested", "constant", "tensor"],
)
def test_functions_return_any_structure(result):
    v, eager = tf.Variable([1.0, 2.0]), tf.Variable([1.0, 2.0])

    def change(variable, x):
        variable.assign_add(x)
        return result(x, variable)

    compiled, x = native(lambda x: change(v, x), tf.ones(2)), tf.constant([0.5, 0.25])
    eager.assign(v)
    found, expected = compiled(x), change(eager, x)
    tf.nest.assert_same_structure(found, expected)
    for one, other in zip(tf.nest.flatten(found), tf.nest.flatten(expected), strict=True):
        assert (one is None) == (other is None)
        if one is not None:
            np.testing.assert_array_equal(one, other)


def test_a_variable_of_another_shape_takes_the_usual_way():
    v = tf.Variable(tf.ones(3), shape=tf.TensorShape(None))
    f = tf.function(lambda x: tf.reduce_sum(v) * x)
    assert float(f(2.0)) == 6.0
    v.assign(tf.ones((2, 4)))
    assert float(f(2.0)) == 16.0


def test_nothing_is_changed_by_a_call_that_fails():
    v = tf.Variable([1.0, 2.0])
    step = native(lambda x: v.assign_add(x), tf.zeros(2))
    for wrong in (tf.ones(3), tf.constant([1, 2]), "text"):
        with pytest.raises((ValueError, TypeError, tf.errors.InvalidArgumentError)):
            step(wrong)
    np.testing.assert_array_equal(v, [1.0, 2.0])
    assert not lock_of(v)._is_owned()


def test_an_interrupted_step_changes_nothing_and_holds_no_lock():
    import signal

    if threading.current_thread() is not threading.main_thread():
        pytest.skip("signals reach the main thread")
    v = tf.Variable([1.0, 2.0])

    def endless(x):
        v.assign_add(x)
        while tf.reduce_sum(x) > -1.0:
            x = tf.sin(x) + 1.0
        v.assign_add(x)

    function = tf.function(endless)
    assert function(-tf.ones(2)) is None
    before = v.numpy()

    def stop(*args):
        raise InterruptedError

    old = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(InterruptedError):
            function(tf.ones(2))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    np.testing.assert_array_equal(v, before)
    assert not lock_of(v)._is_owned()


def test_updates_of_many_threads_all_arrive():
    """Some steps are short; the others let go of the interpreter's lock. Methods of the variable come in between."""
    v = tf.Variable(np.zeros(1000))
    one = tf.constant(np.ones(1000))
    short = native(lambda x: v.assign_add(x), one * 0.0)

    def slowly(x):
        for _ in tf.range(100):
            x = x * 1.0
        return v.assign_add(x)

    long = native(slowly, one * 0.0)
    seen: list[Any] = []

    def work(step: Callable[[Any], Any]) -> None:
        for _ in range(300):
            step(one)

    def watch() -> None:
        for _ in range(300):
            value = v.numpy()
            if (value != value[0]).any():
                seen.append(value)

    targets = [lambda: work(short), lambda: work(long), lambda: work(v.assign_add), watch]
    threads = [threading.Thread(target=target) for target in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not seen
    np.testing.assert_array_equal(v, np.full(1000, 900.0))


def test_a_lock_that_another_thread_holds_is_waited_for():
    v = tf.Variable([1.0])
    step = native(lambda x: v.assign_add(x), tf.zeros(1))
    taken, done = threading.Event(), threading.Event()

    def hold() -> None:
        with lock_of(v):
            taken.set()
            done.wait(10)

    holder = threading.Thread(target=hold)
    holder.start()
    taken.wait(10)
    caller = threading.Thread(target=lambda: step(tf.ones(1)))
    caller.start()
    caller.join(0.2)
    assert caller.is_alive()
    done.set()
    holder.join()
    caller.join()
    np.testing.assert_array_equal(v, [2.0])


def test_calls_leave_nothing_behind():
    v, w = tf.Variable(numbers(3)), tf.Variable(numbers(3))

    def change(x):
        v.assign_add(x)
        w.assign(x)
        return {"sum": v + w}

    step, x = native(change, tf.zeros(3)), tf.constant(numbers(3))
    step(x)
    gc.collect()

    def counts() -> list[int]:
        things = (x, v._value, v._value._array, w._value, w._value._array, v, w, None, True, False, lock_of(v))
        return [*map(sys.getrefcount, things), len(gc.get_objects())]

    before = counts()
    for _ in range(200):
        step(x)
    gc.collect()
    after = counts()
    assert all(abs(new - old) < 50 for new, old in zip(after, before, strict=True))
    assert before[:7] == after[:7]


def test_a_checkpoint_waits_for_no_step_and_has_whole_values(tmp_path):
    v = tf.Variable(np.zeros(1000, np.float32))
    step, stop = native(lambda x: v.assign_add(x), tf.zeros(1000)), threading.Event()

    def train() -> None:
        while not stop.is_set():
            step(tf.ones(1000))

    thread = threading.Thread(target=train)
    thread.start()
    try:
        paths = [tf.train.Checkpoint(v=v).write(str(tmp_path / f"c{number}")) for number in range(5)]
    finally:
        stop.set()
        thread.join()
    for path in paths:
        again = tf.Variable(np.zeros(1000, np.float32))
        tf.train.Checkpoint(v=again).read(path)
        assert (again.numpy() == again.numpy()[0]).all()


def test_the_rows_of_a_bias_are_added_as_einsum_adds_them():
    def function(x, b):
        with tf.GradientTape() as tape:
            tape.watch(b)
            y = tf.reduce_sum(tf.sin(x + b))
        return tape.gradient(y, b)

    for shape in ((7, 1), (40, 1), (1, 5), (33, 2), (64, 17), (3, 5, 4), (1, 1)):
        x, b = tf.constant(numbers(*shape)), tf.constant(numbers(shape[-1]))
        np.testing.assert_array_equal(native(function, x, b)(x, b), function(x, b))


# --- loops and branches that change variables --------------------------------------------------------------------------------


def in_both_ways(make: Callable[[], tuple[list[tf.Variable], Callable[..., Any]]], *calls: Any) -> None:
    """A function that changes variables leaves them with the bits that it does in eager code, as one native function."""
    (eagerly, plain), (natively, function) = make(), make()
    compiled = tf.function(function)
    for arguments in calls:
        expected, found = plain(*arguments), compiled(*arguments)
        assert np.asarray(found).tobytes() == np.asarray(expected).tobytes()
        for one, two in zip(eagerly, natively, strict=True):
            assert one.numpy().tobytes() == two.numpy().tobytes()
    assert compiled._direct is not None


@pytest.mark.parametrize("rounds", [0, 1, 50])
def test_a_loop_that_changes_variables(rounds):
    def make():
        v, w, kept = tf.Variable(numbers_of(3)), tf.Variable(0.5), tf.Variable(numbers_of(3))

        def run(x, rounds):
            for _ in tf.range(rounds):
                v.assign(v * 0.9 + x * kept)
                w.assign_add(tf.reduce_sum(v))
            return w + v[0]

        return [v, w, kept], run

    in_both_ways(make, *[(tf.constant(numbers_of(3)), tf.constant(rounds))] * 3)


def numbers_of(*shape: int) -> Any:
    return np.random.default_rng(5).normal(size=shape).astype(np.float32)


def test_loops_inside_of_loops_and_branches_change_variables():
    def make():
        v, count = tf.Variable(numbers_of(2)), tf.Variable(0)

        def run(x):
            while tf.reduce_sum(tf.abs(v)) < 40.0:
                for _ in tf.range(35):
                    v.assign_add(tf.abs(x) * 0.01)
                if v[0] > 3.0:
                    v.assign(v * 1.5)
                else:
                    count.assign_add(1)
            return tf.cast(count, tf.float32) + v

        return [v, count], run

    in_both_ways(make, *[(tf.constant([0.3, 0.2]),)] * 3)


def test_a_branch_that_changes_variables():
    def make():
        v, w = tf.Variable(numbers_of(2)), tf.Variable(1.0)

        def run(x):
            if tf.reduce_sum(x) > 0:
                v.assign(x)
            else:
                w.assign_sub(0.25)
            return v * w

        return [v, w], run

    in_both_ways(make, (tf.constant([1.0, 2.0]),), (tf.constant([-1.0, 0.5]),), (tf.constant([3.0, 0.5]),))


def test_a_loop_of_training_steps_is_one_function():
    def make():
        network = Network()

        def run(x, y):
            loss = 0.0
            for _ in tf.range(40):
                loss = network.step(x, y)
            return loss

        return network.variables, run

    rng = np.random.default_rng(2)
    x, y = (tf.constant(rng.normal(size=(8, n)).astype(np.float32)) for n in (2, 1))
    in_both_ways(make, (x, y), (x, y), (x, y))


def test_a_loop_that_fails_leaves_what_eager_code_leaves():
    v = tf.Variable([1.0, 2.0, 3.0])

    def run(x, last):
        total = 0.0
        for k in tf.range(40):
            total += tf.gather(x, k % last)
            v.assign_add(x * 0.1)
        return total

    function = native(run, tf.constant([1.0, 2.0, 3.0]), tf.constant(3))
    before = v.numpy()
    with pytest.raises(tf.errors.InvalidArgumentError, match="is not in"):
        function(tf.constant([1.0, 2.0, 3.0]), tf.constant(4))
    eager = tf.Variable(before)
    for _ in range(3):  # (the rounds before the one that fails, as in eager code)
        eager.assign_add(tf.constant([1.0, 2.0, 3.0]) * 0.1)
    np.testing.assert_array_equal(v, eager)
