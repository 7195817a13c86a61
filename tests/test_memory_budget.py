"""`GradientTape(memory_budget=...)`: the same gradients from less memory."""

import gc
import threading
import tracemalloc

import numpy as np
import pytest

import gradtape as tf
from gradtape.base.context import ACTIVE, STATE
from gradtape.differentiation.memory_budget import BudgetedRecords

TINY = 1  # everything is dropped, and joined as far as it goes
BUDGETS = [TINY, 200, 1000, 5000, 10**9]


@pytest.fixture(autouse=True)
def _no_state_is_left():
    yield
    assert not STATE.tapes
    assert not STATE.accumulators
    assert not ACTIVE


def same(first, second):
    for a, b in zip(tf.nest.flatten(first), tf.nest.flatten(second), strict=True):
        if a is None or b is None:
            assert a is b
        elif isinstance(a, tf.IndexedSlices):
            same([a.values, a.indices], [b.values, b.indices])
        else:
            assert a.dtype == b.dtype
            assert a.shape == b.shape
            assert a.numpy().tobytes() == b.numpy().tobytes()


def gradient_of(function, sources, budget, **options):
    with tf.GradientTape(memory_budget=budget, **options) as tape:
        tape.watch(sources)
        result = function(*sources)
    return tape.gradient(result, sources)


def random_program(seed):
    """A function of three tensors: 40 random ops, each on what random earlier ones gave."""

    def function(a, b, c):
        draw = np.random.default_rng(seed)
        values = [a, b, c, tf.constant(draw.normal(size=(4, 3)))]

        def pick():
            recent = values[-6:] if draw.random() < 0.7 else values  # some reach far back
            return recent[draw.integers(len(recent))]

        for _ in range(40):
            kind = draw.integers(12)
            x, y = pick(), pick()
            if kind == 0:
                z = tf.tanh(x)
            elif kind == 1:
                z = x * y
            elif kind == 2:
                z = 0.5 * x - 1
            elif kind == 3:
                z = tf.matmul(x, y, transpose_b=True) @ x / 10.0
            elif kind == 4:
                z = tf.concat([x[:2], y[2:]], 0)
            elif kind == 5:
                first, second = tf.split(x, 2, 0)
                z = tf.concat([second, first], 0)
            elif kind == 6:
                z = tf.reduce_mean(x, 1, keepdims=True) + y
            elif kind == 7:
                z = tf.nn.softmax(x) * tf.stop_gradient(y)
            elif kind == 8:
                z = tf.where(x > 0, x, y * 0.1)
            elif kind == 9:
                z = tf.add_n([x, y, tf.sin(x)])
            elif kind == 10:
                z = tf.einsum("ij,ij->ij", x, y)
            else:
                z = tf.reshape(tf.transpose(x), [4, 3]) + tf.gather(y, [0, 2, 1, 3])
            values.append(tf.clip_by_value(z, -3.0, 3.0))
        return tf.reduce_sum(values[-1]) + tf.reduce_sum(values[-7] * values[10])

    return function


def three(seed=0):
    draw = np.random.default_rng(seed)
    return [tf.constant(draw.normal(size=(4, 3))) for _ in range(3)]


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("seed", range(12))
def test_random_programs_have_the_same_gradients(seed, budget):
    function = random_program(seed)
    same(gradient_of(function, three(seed), budget), gradient_of(function, three(seed), None))


@pytest.mark.parametrize("budget", BUDGETS)
def test_a_persistent_tape_answers_again_and_again(budget):
    sources = three()
    with tf.GradientTape(persistent=True, memory_budget=budget) as tape, tf.GradientTape(persistent=True) as plain:
        for one in (tape, plain):
            one.watch(sources)
        middle = random_program(1)(*sources)
        target = tf.exp(-middle) + random_program(2)(*sources)
    for wanted in (target, middle, target, [middle, target]):
        same(tape.gradient(wanted, sources), plain.gradient(wanted, sources))
    same(tape.gradient(target, middle), plain.gradient(target, middle))
    same(tape.jacobian(target, sources), plain.jacobian(target, sources))


@pytest.mark.parametrize("budget", [TINY, 1000])
def test_second_derivatives_work_in_every_nesting(budget):
    function, sources = random_program(3), three(3)

    def second(outer_budget, inner_budget):
        with tf.GradientTape(memory_budget=outer_budget) as outer:
            outer.watch(sources)
            with tf.GradientTape(memory_budget=inner_budget) as inner:
                inner.watch(sources)
                value = function(*sources)
            first = inner.gradient(value, sources)
            total = tf.add_n([tf.reduce_sum(g**2) for g in first if g is not None])
        return outer.gradient(total, sources)

    plain = second(None, None)
    same(second(budget, None), plain)
    same(second(None, budget), plain)
    same(second(budget, budget), plain)


def deep(x, layers=12):
    for layer in range(layers):
        x = tf.tanh(x * (1.0 + layer / 10) + 0.1)
    return x


@pytest.mark.parametrize("budget", [TINY, 100])
@pytest.mark.parametrize("ask", ["jacobian", "hessian", "hessian_diagonal", "laplacian"])
def test_the_other_questions_get_the_same_answers(ask, budget):
    def answer(budget):
        x = tf.constant([0.3, -0.7, 0.2], tf.float64)
        with tf.GradientTape(memory_budget=budget) as tape:
            tape.watch(x)
            y = deep(x)
            z = tf.reduce_sum(y**3)
        return getattr(tape, ask)(y if ask == "jacobian" else z, x)

    np.testing.assert_allclose(answer(budget), answer(None), rtol=1e-14)


def test_hessian_vector_products_are_the_same():
    def answer(budget):
        x = tf.constant([0.3, -0.7, 0.2], tf.float64)
        with tf.GradientTape(memory_budget=budget) as tape:
            tape.watch(x)
            z = tf.reduce_sum(deep(x) ** 3)
        return tape.hvp(z, x, tf.constant([1.0, 2.0, 3.0], tf.float64))

    same(answer(TINY), answer(None))


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.complex64, tf.complex128])
def test_every_type_works(dtype):
    x = tf.cast(tf.constant([0.5, -0.25]), dtype)

    def function(x):
        for _ in range(6):
            x = x * x + x
        return tf.abs(x) if dtype.is_complex else x

    same(gradient_of(function, [x], TINY), gradient_of(function, [x], None))


@pytest.mark.quick
def test_variables_are_followed_and_read_as_they_were():
    def run(budget):
        w = tf.Variable([[0.5, -0.2], [0.1, 0.3]])
        table = tf.Variable(tf.ones([5, 2]))
        with tf.GradientTape(memory_budget=budget) as tape:
            h = tf.gather(table, [1, 3, 1])
            for _ in range(5):
                h = tf.tanh(h @ w)
            loss = tf.reduce_sum(h)
            w.assign(tf.zeros([2, 2]))  # after it was read
        assert len(tape.watched_variables()) == 2
        return tape.gradient(loss, [w, table])

    plain = run(None)
    assert isinstance(plain[1], tf.IndexedSlices)
    same(run(TINY), plain)


@pytest.mark.quick
def test_rules_of_the_user_work():
    @tf.custom_gradient
    def doubled(x):
        y = tf.sin(x)
        return y, lambda g: 2.0 * g * tf.cos(x)

    block = tf.recompute_grad(lambda x: tf.tanh(tf.tanh(x)))

    def function(x):
        for _ in range(4):
            x = block(doubled(tf.exp(-x * x)) + x)
        return x

    x = tf.constant([0.5, -0.25])
    same(gradient_of(function, [x], TINY), gradient_of(function, [x], None))


def test_accumulators_and_maps_work_inside():
    def function(x):
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
            y = deep(x, 5)
        mapped = tf.vectorized_map(lambda row: tf.reduce_sum(deep(row, 3) * row), tf.stack([x, y, 2.0 * y]))
        return tf.reduce_sum(accumulator.jvp(y) * y) + tf.reduce_sum(mapped)

    x = tf.constant([0.5, -0.25])
    same(gradient_of(function, [x], TINY), gradient_of(function, [x], None))


def test_an_accumulator_outside_follows_the_gradient():
    def directional(budget):
        x = tf.constant([0.5, -0.25], tf.float64)
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
            with tf.GradientTape(memory_budget=budget) as tape:
                tape.watch(x)
                y = tf.reduce_sum(deep(x) ** 2)
            gradient = tape.gradient(y, x)
        return accumulator.jvp(gradient)

    same(directional(TINY), directional(None))


def test_nan_safe_works_with_a_budget():
    def function(x):
        for _ in range(4):
            x = tf.where(x > 0, tf.sqrt(x), x * 0.0)
        return x

    x = tf.constant([4.0, 0.0, -1.0])
    same(gradient_of(function, [x], TINY, nan_safe=True), gradient_of(function, [x], None, nan_safe=True))


def test_recording_stops_and_goes_on():
    x = tf.constant(0.3)
    for budget in (TINY, None):
        with tf.GradientTape(memory_budget=budget) as tape:
            tape.watch(x)
            y = deep(x)
            with tape.stop_recording():
                hidden = deep(y)
            z = y * hidden
        with tape:
            z = z * y
        result = tape.gradient(z, x)
        if budget:
            first = result
    same(first, result)
    with tf.GradientTape(memory_budget=TINY) as tape:
        tape.watch(x)
        deep(x)
        tape.reset()
        tape.watch(x)
        y = x * x
    assert tape.gradient(y, x).numpy() == np.float32(0.6)
    with pytest.raises(RuntimeError, match="one set of gradients"):
        tape.gradient(y, x)


def test_a_gradient_inside_the_context_works():
    x = tf.constant(0.5)
    with tf.GradientTape(memory_budget=TINY) as tape:
        tape.watch(x)
        y = deep(x)
        inside = tape.gradient(y, x)
    same(inside, gradient_of(deep, [x], None)[0])
    with tf.GradientTape(memory_budget=TINY) as tape:
        tape.watch(x)
        y = deep(x)
        with tape.stop_recording():
            inside = tape.gradient(y, x)
        tape.watch(x)
        z = x * 3.0
    same(inside, gradient_of(deep, [x], None)[0])
    assert tape.gradient(z, x).numpy() == 3.0


def test_an_error_in_the_block_leaves_nothing_behind():
    with pytest.raises(KeyError), tf.GradientTape(memory_budget=TINY) as tape:
        x = tf.Variable(1.0)
        y = deep(x)
        raise KeyError
    same(tape.gradient(y, x), gradient_of(deep, [tf.constant(1.0)], None)[0])


def test_two_threads_may_ask_one_persistent_tape():
    x = tf.constant(np.linspace(-1, 1, 50))
    with tf.GradientTape(persistent=True, memory_budget=2000) as tape:
        tape.watch(x)
        y = deep(x, 40)
    expected = gradient_of(lambda x: deep(x, 40), [x], None)[0]
    found = []

    def ask():
        found.extend(tape.gradient(y, x) for _ in range(5))

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 15
    for gradient in found:
        same(gradient, expected)


def test_traced_functions_work_around_and_inside():
    x = tf.constant([0.3, -0.2])

    def step(x):
        return gradient_of(deep, [x], TINY)[0]

    expected = gradient_of(deep, [x], None)[0]
    np.testing.assert_allclose(tf.function(step)(x), expected, rtol=1e-6)
    np.testing.assert_allclose(gradient_of(tf.function(deep), [x], TINY)[0], expected, rtol=1e-6)


# --- memory --------------------------------------------------------------------------------------------------------------

WIDTH = 64 * 1024  # 256 KB of float32


def peaks(budget, layers=100, persistent=False):
    """Peak bytes of the forward and of the backward pass over a deep net, whose values take 2 x layers x 256 KB."""
    weights = [tf.Variable(tf.fill([WIDTH], 1.0 + layer / 1000)) for layer in range(3)]
    x = tf.constant(np.linspace(-1, 1, WIDTH, dtype=np.float32))
    gc.collect()
    tracemalloc.start()
    try:
        with tf.GradientTape(memory_budget=budget, persistent=persistent) as tape:
            h = x
            for layer in range(layers):
                h = tf.sin(h * weights[layer % 3])
            loss = tf.reduce_sum(h)
        del h
        forward = tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        result = tape.gradient(loss, weights)
        backward = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    return forward, backward, result


@pytest.mark.parametrize("megabytes", [5, 10, 20])
@pytest.mark.parametrize("persistent", [False, True])
def test_a_deep_net_stays_in_its_budget(megabytes, persistent):
    budget = megabytes * 2**20
    plain_forward, _, plain = peaks(None)
    assert plain_forward > 45 * 2**20
    forward, backward, result = peaks(budget, persistent=persistent)
    same(result, plain)
    slack = 3 * 2**20  # the cotangents, the gradients, what an op needs while it runs
    assert forward < budget + slack
    assert backward < budget + slack


def test_a_large_budget_drops_nothing():
    x = tf.constant(np.linspace(-1, 1, 1000))
    with tf.GradientTape(memory_budget=10**9) as tape:
        tape.watch(x)
        deep(x)
    assert isinstance(tape._tape, BudgetedRecords)
    assert not tape._tape._dropped


def test_time_grows_slowly(monkeypatch):
    """What is computed again, in steps: at most about log2 of the number of stretches for each."""
    from gradtape.differentiation import memory_budget

    counted = []
    run = memory_budget._run
    monkeypatch.setattr(memory_budget, "_run", lambda s, **k: counted.append(len(s.steps)) or run(s, **k))
    peaks(20 * 2**20)
    assert sum(counted) < 1.1 * 200
    counted.clear()
    peaks(2 * 2**20)
    assert sum(counted) < 7 * 200


@pytest.mark.quick
@pytest.mark.parametrize("budget", [0, -1, "1GB", True, float("nan"), [1]])
def test_a_budget_is_a_positive_number(budget):
    with pytest.raises(ValueError, match="memory_budget must be a positive number of bytes"):
        tf.GradientTape(memory_budget=budget)
