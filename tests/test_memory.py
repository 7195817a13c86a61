"""What tapes hold, and when they let go: measured in bytes and references, with the garbage collector off."""

import gc
import sys
import tracemalloc
import weakref

import numpy as np
import pytest

import gradtape as tf


@pytest.fixture(autouse=True)
def without_collector():
    """Whatever is freed is freed by its last reference, at once: nothing depends on the collector."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def traced():
    """Bytes in use since the test began: (now, at the worst time)."""
    tracemalloc.start()
    start = tracemalloc.get_traced_memory()[0]
    yield lambda: tuple(size - start for size in tracemalloc.get_traced_memory())
    tracemalloc.stop()


class Watched:
    """Weak references to tensors and to their arrays."""

    def __init__(self):
        self.references = []

    def __call__(self, tensor):
        self.references.append(weakref.ref(tensor))
        if isinstance(tensor._array, np.ndarray):
            self.references.append(weakref.ref(tensor._array))
        return tensor

    @property
    def alive(self):
        return sum(reference() is not None for reference in self.references)


def network(x, w, seen):
    """Ops that keep their operands, their results, shapes, and several outputs."""
    h = seen(tf.tanh(seen(seen(x @ w) + 1.0)))
    a, b = tf.split(h, 2, axis=1)
    z = seen(seen(a) * seen(b)) / seen(tf.exp(seen(tf.sin(a))))
    z = seen(tf.where(z > 0.0, z, seen(z * z)))
    return tf.reduce_mean(seen(tf.gather(seen(tf.nn.softmax(z)), [0, 1, 1])) ** 2)


def make():
    rng = np.random.default_rng(0)
    return tf.constant(rng.normal(size=(4, 3))), tf.Variable(rng.normal(size=(3, 6)))


# ---------------------------------------------------------------- when it is freed


def test_after_gradient_a_living_plain_tape_holds_nothing():
    x, w = make()
    seen = Watched()
    with tf.GradientTape() as tape:
        y = network(x, w, seen)
    assert seen.alive
    gradient = tape.gradient(y, w)
    assert seen.alive == 0
    assert gradient.shape == w.shape
    assert tape.watched_variables() == (w,)


@pytest.mark.parametrize("ask", ["jacobian", "hessian", "laplacian"])
def test_after_any_answer_a_living_plain_tape_holds_nothing(ask):
    x, w = make()
    seen = Watched()
    with tf.GradientTape() as tape:
        y = network(x, w, seen)
    answer = getattr(tape, ask)(y, w)
    assert answer is not None
    assert seen.alive == 0


def test_a_persistent_tape_holds_until_it_is_deleted_and_then_nothing():
    x, w = make()
    seen = Watched()
    with tf.GradientTape(persistent=True) as tape:
        y = network(x, w, seen)
    tape.gradient(y, w)
    tape.hessian(y, w)
    assert seen.alive
    del tape
    assert seen.alive == 0


def test_a_tape_never_asked_lets_go_when_it_is_deleted():
    x, w = make()
    seen = Watched()
    with tf.GradientTape() as tape:
        network(x, w, seen)
    del tape
    assert seen.alive == 0


def test_reset_lets_go():
    x, w = make()
    seen = Watched()
    with tf.GradientTape() as tape:
        network(x, w, seen)
        tape.reset()
        assert seen.alive == 0


def test_a_tape_left_by_an_exception_lets_go():
    x, w = make()
    seen = Watched()

    def work():
        with tf.GradientTape():
            network(x, w, seen)
            raise KeyError

    with pytest.raises(KeyError) as caught:
        work()
    del caught
    assert seen.alive == 0


def test_nested_tapes_let_go():
    x, w = make()
    seen = Watched()
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = network(x, w, seen)
        gradient = inner.gradient(y, w)
    second = outer.gradient(gradient, w)
    del y, gradient
    assert seen.alive == 0
    assert second.shape == w.shape


def test_custom_gradients_recomputation_and_maps_let_go():
    x, w = make()
    seen = Watched()

    @tf.custom_gradient
    def square(v):
        kept = seen(v * 2.0)
        return seen(v * v), lambda g: g * kept

    with tf.GradientTape() as tape:
        h = square(seen(x @ w))
        h = tf.recompute_grad(lambda v: seen(tf.sin(v)))(h)
        y = tf.reduce_sum(tf.vectorized_map(lambda row: square_rows(row), h))
    tape.gradient(y, w)
    del h, y, square
    assert seen.alive == 0


@tf.custom_gradient
def square_rows(v):
    return v * v, lambda g: g * 2.0 * v


def test_an_accumulator_lets_go_when_it_is_deleted():
    x, w = make()
    seen = Watched()
    with tf.autodiff.ForwardAccumulator(w, tf.ones_like(w)) as accumulator:
        y = network(x, w, seen)
    assert accumulator.jvp(y) is not None
    del accumulator
    assert seen.alive == 0


def test_a_plain_tape_frees_its_records_while_it_walks_back():
    alive = []
    seen = Watched()
    x = tf.constant([1.0, 2.0])

    @tf.custom_gradient
    def bottom(v):
        def grad(g):
            alive.append(seen.alive)
            return g

        return v, grad

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = bottom(x)
        for _ in range(10):
            y = seen(tf.sin(seen(y * 1.5)))
        del _
    target = tf.reduce_sum(y)
    with tape:
        target = tf.reduce_sum(y)
    del y
    tape.gradient(target, x)
    assert alive == [0]


# ---------------------------------------------------------------- what is kept


@pytest.mark.parametrize(
    ("op", "operand", "result"),
    [
        (lambda x: x + 1.0, False, False),
        (lambda x: x + tf.constant([1.0, 1.0]), False, False),
        (lambda x: -x, False, False),
        (lambda x: x * 2.0, False, False),
        (lambda x: x * tf.constant([2.0, 2.0]), False, False),
        (lambda x: x * x, True, False),
        (lambda x: tf.reshape(x, [2, 1]), False, False),
        (lambda x: tf.reduce_sum(x), False, False),
        (lambda x: tf.reduce_mean(x), False, False),
        (lambda x: tf.concat([x, x], 0), False, False),
        (lambda x: tf.broadcast_to(x, [3, 2]), False, False),
        (lambda x: x[:1], False, False),
        (lambda x: tf.exp(x), False, True),
        (lambda x: tf.tanh(x), False, True),
        (lambda x: tf.sigmoid(x), False, True),
        (lambda x: tf.sqrt(x), False, True),
        (lambda x: tf.nn.softmax(x), False, True),
        (lambda x: tf.sin(x), True, False),
        (lambda x: tf.square(x), True, False),
        (lambda x: tf.math.log(x), True, False),
        (lambda x: tf.reshape(x, [1, 2]) @ tf.ones([2, 2]), False, False),
        (lambda x: tf.stop_gradient(x), False, False),
        (lambda x: tf.round(x), False, False),
        (lambda x: x > 1.0, False, False),
    ],
)
def test_only_what_the_rule_asks_for_is_kept(op, operand, result):
    source = tf.constant([0.5, 1.5])
    with tf.GradientTape() as tape:
        tape.watch(source)
        x = source + 0.0
        y = op(x)
    held_operand, held_result = weakref.ref(x), weakref.ref(y)
    del x, y
    assert (held_operand() is not None, held_result() is not None) == (operand, result)
    del tape


def test_what_nobody_follows_is_not_kept():
    with tf.GradientTape() as tape:
        tape.watch(tf.constant(1.0))
        x = tf.constant([1.0, 2.0])
        y = tf.sin(x * x)
    reference = weakref.ref(x)
    del x, y
    assert reference() is None
    assert len(tape._tape) == 1


def test_a_thousand_additions_of_four_megabytes_hold_no_four_gigabytes(traced):
    size = 4 * 2**20
    x = tf.constant(np.ones(size // 4, np.float32))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in range(1000):
            y = y + x
    now, worst = traced()
    assert now < 3 * size
    assert worst < 5 * size
    assert tape.gradient(y, x).numpy()[0] == 1001.0
    assert traced()[1] < 8 * size


def test_a_gradient_takes_no_more_than_the_records_and_a_few_values(traced):
    size = 2**20
    x = tf.constant(np.full(size // 4, 0.5, np.float32))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in range(50):
            y = tf.sin(y)
    recorded = traced()[0]
    assert recorded < 53 * size
    tape.gradient(y, x)
    assert traced()[1] < recorded + 5 * size


# ---------------------------------------------------------------- in proportion


def chain(count):
    x = tf.constant(1.0)
    tape = tf.GradientTape()
    with tape:
        tape.watch(x)
        y = x
        for _ in range(count):
            y = y + 1.0
    return tape, x, y


def test_bytes_grow_in_proportion_to_the_ops(traced):
    sizes = []
    for count in (100_000, 200_000):
        before = traced()[0]
        tape, x, y = chain(count)
        sizes.append((traced()[0] - before) / count)
        assert tape.gradient(y, x).numpy() == 1.0
        del tape, x, y
    assert max(sizes) < 400
    # A dict doubles its table at sizes of its own, so the share of one op is not the same at every count.
    assert max(sizes) < 1.5 * min(sizes)
    assert traced()[0] < 300_000  # a byte for each op at most: nothing of them is left


def calls_of(function):
    """How many calls, of Python functions and of built-in ones, a function makes."""
    count = 0

    def note(frame, event, argument):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("ask", ["gradient", "hvp", "jacobian"])
def test_calls_grow_in_proportion_to_the_ops(ask):
    def work(count):
        tape, x, y = chain(count)
        arguments = (y, x, tf.constant(1.0)) if ask == "hvp" else (y, x)
        return calls_of(lambda: getattr(tape, ask)(*arguments))

    work(100)
    small, large = work(2000), work(4000)
    assert small < 40 * 2000
    assert abs(large - 2 * small) < 0.01 * large


def test_a_wide_fan_grows_in_proportion_too():
    def work(count):
        x = tf.constant(1.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.add_n([x * 2.0 for _ in range(count)])
        return calls_of(lambda: tape.gradient(y, x))

    work(10)
    small, large = work(1000), work(2000)
    assert abs(large - 2 * small) < 0.01 * large


def test_a_gradient_from_the_middle_touches_only_what_lies_below():
    tape, x, y = chain(10)
    with tape:
        middle = y + 1.0
        z = middle
        for _ in range(5000):
            z = z + 1.0
    assert calls_of(lambda: tape.gradient(middle, x)) < 1000


def test_a_tape_of_a_hundred_thousand_ops_needs_no_recursion():
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(200)
    try:
        tape, x, y = chain(100_000)
        assert tape.gradient(y, x).numpy() == 1.0
    finally:
        sys.setrecursionlimit(limit)


def test_a_tape_of_a_million_ops_works():
    x = tf.constant(1.0, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in range(500_000):
            y = tf.sin(y) + 1.0
    assert len(tape._tape) == 1_000_001
    gradient = tape.gradient(y, x).numpy()
    value, slope = 1.0, 1.0
    for _ in range(500_000):
        value, slope = np.sin(value) + 1.0, slope * np.cos(value)
    np.testing.assert_allclose((y.numpy(), gradient), (value, slope))
