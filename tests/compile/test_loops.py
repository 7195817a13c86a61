"""Loops and branches in compiled functions: what they give is what eager code gives, and nothing is interpreted."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.compile import buffers, executor
from gradtape.native import thresholds
from gradtape.ops.array.row import set_in_place, set_row

X = tf.constant(np.random.default_rng(0).normal(size=(40, 3)).astype(np.float32))
W = tf.Variable(np.random.default_rng(1).normal(size=(3, 3)).astype(np.float32) * 0.3)


@pytest.fixture
def compiled_only(monkeypatch):
    """Fails where a graph is run step by step."""

    def interpret(*args: Any) -> Any:
        raise AssertionError("the graph is interpreted")

    monkeypatch.setattr(executor, "interpret", interpret)


def eagerly(function: Callable[..., Any], *args: Any) -> Any:
    tf.config.run_functions_eagerly(True)
    try:
        return tf.function(function)(*args)
    finally:
        tf.config.run_functions_eagerly(False)


def same(found: Any, expected: Any, rtol: float = 1e-4) -> None:
    for a, b in zip(tf.nest.flatten(found), tf.nest.flatten(expected), strict=True):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=rtol, atol=1e-5)


def check(function: Callable[..., Any], *args: Any) -> None:
    """The first call and a later one give what eager code gives."""
    expected = eagerly(function, *args)
    compiled = tf.function(function)
    same(compiled(*args), expected)
    same(compiled(*args), expected)


# --- what a function is asked for ----------------------------------------------------------------------------------------


def value(function):
    return function


def gradient(function):
    def run(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, [x, W], unconnected_gradients="zero")

    return run


def second(function):
    def run(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = function(x)
            slopes = tape.gradient(y, x, unconnected_gradients="zero")
            size = tf.reduce_sum(slopes**2)
        return outer.gradient(size, [x, W], unconnected_gradients="zero")

    return run


def jacobian(function):
    def run(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.jacobian(y, x)

    return run


def forward(function):
    def run(x):
        with tf.autodiff.ForwardAccumulator(x, tf.cos(x)) as accumulator:
            y = function(x)
        return accumulator.jvp(y)

    return run


def forward_over_reverse(function):
    def run(x):
        with tf.autodiff.ForwardAccumulator(x, tf.cos(x)) as accumulator:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = function(x)
            slopes = tape.gradient(y, x)
        return accumulator.jvp(slopes)

    return run


def reverse_over_forward(function):
    def run(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            with tf.autodiff.ForwardAccumulator(x, tf.cos(x)) as accumulator:
                y = function(x)
            slope = accumulator.jvp(y)
        return tape.gradient(slope, x)

    return run


def vectorized(function):
    def run(x):
        return tf.vectorized_map(function, tf.stack([x, x * 0.5]))

    return run


# --- programs ------------------------------------------------------------------------------------------------------------


def while_loop(x):
    _, y = tf.while_loop(
        lambda i, y: i < 40, lambda i, y: (i + 1, tf.tanh(tf.linalg.matvec(W, y)) + x[0]), [tf.constant(0), x[1]]
    )
    return y


def limited(x):
    return tf.while_loop(lambda y: True, lambda y: (tf.sin(y) + x[0],), [x[1]], maximum_iterations=7)[0]


def until(x):
    """The number of rounds depends on what the rounds compute."""
    y = x[0]
    while tf.reduce_sum(tf.abs(y)) < 1e3:
        y = y * 1.5 + tf.cos(y)
    return y * 1e-3


def counted(x):
    y = x[0]
    for i in tf.range(25):
        y = tf.sin(y) + x[i]
    return y


def counted_by_a_tensor(x):
    y = x[0]
    for i in tf.range(2, tf.cast(tf.reduce_sum(x * x), tf.int32) % 9 + 20, 3):
        y = tf.sin(y) + x[i] * tf.cast(i, tf.float32)
    return y


def over_rows(x):
    y = tf.zeros([3])
    for row in x:
        y = tf.tanh(tf.linalg.matvec(W, y) + row)
    return y


def with_break_and_continue(x):
    y = tf.zeros([3])
    for i in tf.range(40):
        if tf.reduce_sum(y) > 6.0:
            break
        if x[i, 1] < 0.0:
            continue
        y += x[i] ** 2
    return y


def with_return(x):
    for row in x:
        if row[0] > 1.0:
            return row * row
    return x[0]


def branch(x):
    return tf.cond(tf.reduce_sum(x) > 0.0, lambda: tf.sin(x[0]), lambda: x[1] ** 2)


def switch(x):
    place = tf.cast(tf.abs(x[0, 0]) * 10.0, tf.int32) % 4
    return tf.switch_case(place, [lambda: x[0], lambda: x[1] ** 2, lambda: tf.ones([3])], default=lambda: tf.sin(x[2]))


def nested(x):
    def body(i, y):
        _, z = tf.while_loop(lambda j, z: j < i, lambda j, z: (j + 1, z * 0.9 + tf.sin(y)), [0, y])
        return i + 1, tf.cond(tf.reduce_sum(z) > 0.0, lambda: z * 0.5, lambda: -z + x[0])

    return tf.while_loop(lambda i, y: i < 12, body, [0, x[1]])[1]


def scanned(x):
    return tf.scan(lambda h, r: tf.tanh(tf.linalg.matvec(W, h) + r), x, initializer=tf.zeros([3]))


def scanned_backwards(x):
    return tf.scan(lambda h, r: tf.tanh(h * 0.5 + tf.linalg.matvec(W, r)), x, reverse=True)


def mapped(x):
    return tf.map_fn(lambda row: tf.tanh(tf.linalg.matvec(W, row)) * row, x)


def folded(x):
    left = tf.foldl(lambda a, row: tf.tanh(a * 0.5 + row), x)
    return left + tf.foldr(lambda a, row: tf.tanh(a * 0.5 + tf.linalg.matvec(W, row)), x)


def written(x):
    rows = tf.TensorArray(tf.float32, size=40)
    h = tf.zeros([3])
    for i in tf.range(40):
        h = tf.tanh(tf.linalg.matvec(W, h) + x[i])
        rows = rows.write(i, h)
    return rows.stack()


def read_and_written(x):
    given = tf.TensorArray(tf.float32, size=40).unstack(x)
    rows = tf.TensorArray(tf.float32, size=40)
    h = tf.zeros([3])
    for i in tf.range(40):
        row = given.read(i)
        if tf.reduce_sum(row) > 0.0:
            h = tf.tanh(tf.linalg.matvec(W, h) + row)
        else:
            h = h * 0.5
        rows = rows.write(39 - i, h)
    return rows.concat()


def collected_in_a_list(x):
    rows = []
    for i in tf.range(6):
        rows.append(tf.sin(x[i]) * 2.0)
    return tf.stack(rows)


LOOPS = [while_loop, limited, until, counted, counted_by_a_tensor, over_rows, with_break_and_continue, with_return]
LOOPS += [branch, switch, nested, scanned, scanned_backwards, mapped, folded, written, read_and_written]
LOOPS += [collected_in_a_list]
QUESTIONS = [value, gradient, second, jacobian, forward, forward_over_reverse, reverse_over_forward]


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("program", LOOPS)
def test_a_compiled_function_with_loops_gives_what_eager_code_gives(compiled_only, program, question):
    check(question(program), X)


@pytest.mark.parametrize("program", [while_loop, limited, counted, over_rows, scanned, mapped, folded, written])
def test_loops_are_vectorized(compiled_only, program):
    check(vectorized(program), X)


@pytest.mark.parametrize("program", LOOPS)
def test_a_tape_outside_follows_a_compiled_function_with_loops(compiled_only, program):
    compiled = tf.function(program)
    for question in (gradient, second, jacobian, forward):
        same(question(compiled)(X), eagerly(question(program), X))


# --- what could have depended on something --------------------------------------------------------------------------------


def constant_branch(x):
    return tf.cond(x > 0.0, lambda: tf.constant(1.0), lambda: x * x)


def constant_branch_of_a_known_condition(x):
    return tf.cond(tf.constant(True), lambda: tf.constant(1.0), lambda: x * x)


def constant_statement(x):
    y = x * x
    if x > 0.0:
        y = 1.0
    return y


def constant_case(x):
    return tf.switch_case(tf.cast(x, tf.int32), [lambda: x, lambda: 1.0, lambda: tf.constant(2.0)])


def constant_case_of_a_known_number(x):
    return tf.switch_case(tf.constant(1), [lambda: x, lambda: 1.0, lambda: tf.constant(2.0)])


def no_round(x):
    return tf.while_loop(lambda i, y: i < 0, lambda i, y: (i + 1, y + x), [0, tf.constant(1.0)])[1]


def no_number(x):
    y = tf.constant(1.0)
    for _ in tf.range(tf.cast(x, tf.int32) - 1):
        y = y * x
    return y


def no_element_to_fold(x):
    return tf.foldl(lambda a, e: a + e * x, tf.zeros([0]), initializer=tf.constant(1.0))


def no_element_to_scan(x):
    return tf.reduce_sum(tf.scan(lambda a, e: a + e * x, tf.zeros([0]), initializer=tf.constant(1.0)))


def no_element_to_map(x):
    return tf.reduce_sum(tf.map_fn(lambda e: e * x, tf.zeros([0])))


CONSTANT = [constant_branch, constant_branch_of_a_known_condition, constant_statement, constant_case]
CONSTANT += [constant_case_of_a_known_number, no_round, no_number, no_element_to_fold, no_element_to_scan]
CONSTANT += [no_element_to_map]


@pytest.mark.parametrize("program", CONSTANT)
def test_what_a_loop_or_branch_did_not_use_this_time_has_gradient_0(compiled_only, program):
    def slope(function):
        def run(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = function(x)
            return tape.gradient(y, x)

        return run

    x = tf.constant(1.0)
    compiled = tf.function(program)
    for run in (tf.function(slope(program)), slope(compiled), tf.function(jacobian(program)), forward(compiled)):
        np.testing.assert_array_equal(run(x), 0.0)


def test_what_no_branch_depends_on_has_no_gradient():
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(lambda x: tf.cond(x > 0.0, lambda: tf.constant(1.0), lambda: tf.constant(2.0)))(x)
    assert tape.gradient(y, x) is None


def test_a_loop_over_nothing_gives_nothing_of_the_shape_of_its_rounds():
    empty = tf.zeros([0, 2])
    assert tf.function(lambda x: tf.map_fn(lambda row: tf.stack([row, row]), x))(empty).shape == (0, 2, 2)
    assert tf.function(lambda x: tf.scan(lambda a, row: a + row, x, initializer=tf.zeros([2])))(empty).shape == (0, 2)


@pytest.mark.parametrize("fold", [tf.foldl, tf.foldr, tf.scan])
@pytest.mark.parametrize("size", [0, None])
@pytest.mark.parametrize("under_tape", [False, True])
def test_a_fold_of_nothing_without_a_beginning_raises_tensorflows_class(fold, size, under_tape):
    f = tf.function(lambda x: fold(lambda a, row: a + row, x), input_signature=[tf.TensorSpec([size, 2])])
    empty = tf.zeros([0, 2])
    with (
        tf.GradientTape() if under_tape else tf.name_scope("none") as tape,
        pytest.raises(tf.errors.InvalidArgumentError, match="Use an initializer"),
    ):
        if under_tape:
            tape.watch(empty)
        f(empty)


@pytest.mark.parametrize("size", [0, None])
def test_the_gradient_of_a_loop_over_nothing_is_empty_or_0(size):
    start = tf.constant([1.0, 2.0])

    @tf.function(input_signature=[tf.TensorSpec([size, 2]), tf.TensorSpec([2])])
    def f(x, start):
        scanned = tf.scan(lambda a, row: a * row, x, start)
        folded = tf.foldr(lambda a, row: a * row, x, start)
        return scanned, folded, tf.map_fn(lambda row: tf.reduce_sum(row * start), x)

    empty = tf.zeros([0, 2])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([empty, start])
        scanned, folded, mapped = f(empty, start)
    assert [scanned.shape, folded.shape, mapped.shape] == [(0, 2), (2,), (0,)]
    for target, slope in [(scanned, 0.0), (folded, 1.0), (mapped, 0.0)]:
        of_rows, of_start = tape.gradient(target, [empty, start])
        assert of_rows.shape == (0, 2)
        assert of_start.numpy().tolist() == [slope, slope]


# --- arrays that grow -----------------------------------------------------------------------------------------------------


def appended_twice(x):
    rows = [x[0]]
    for i in tf.range(4):
        rows.append(x[i])
        rows.append(x[i] * 2.0)
    for i in tf.range(3):
        rows.append(x[i] ** 2)
    return tf.stack(rows)


def dynamic(x):
    rows = tf.TensorArray(tf.float32, size=0, dynamic_size=True, clear_after_read=False)
    for i in tf.range(5):
        rows = rows.write(2 * i, x[i] * 2.0)
        rows = rows.write(2 * i + 1, rows.read(2 * i) + 1.0)
    rows = rows.write(10, x[20])
    return rows.stack()


def as_long_as_values_say(x):
    rows, y = [], x[0] * 0.1
    while tf.reduce_sum(y * y) < 50.0:
        rows.append(y)
        y = y * 1.3 + x[1] * 0.1
    return tf.stack(rows)


def in_two_loops(x):
    rows, count = tf.TensorArray(tf.float32, size=0, dynamic_size=True, clear_after_read=False), 0
    for i in tf.range(6):
        if tf.reduce_sum(x[i]) > 1e3:
            break
        for k in tf.range(count % 4 + 1):
            if k != 1:
                rows = rows.write(count, x[i] * tf.sin(x[k]))
                count += 1
        rows = rows.write(count // 2, rows.read(count // 2) * 2.0)
    return rows.stack()


def scattered_and_gathered(x):
    rows = tf.TensorArray(tf.float32, size=8)
    for i in tf.range(3):
        rows = rows.scatter([0, 5], tf.stack([x[i], x[i + 1]]))
        rows = rows.write(i + 1, x[i + 4])
    return rows.gather([0, 1, 2, 3, 5])


def read_while_growing(x):
    rows, y = tf.TensorArray(tf.float32, size=0, dynamic_size=True, clear_after_read=False), x[0] * 0.1
    i = 0
    while tf.reduce_sum(y * y) < 50.0:
        rows = rows.write(i, y)
        y = rows.read(i // 2) * 1.3 + y * 1.1 + x[1] * 0.1
        i += 1
    return tf.concat([rows.stack(), rows.gather([0, i - 1])], 0)


@pytest.mark.parametrize("question", [value, gradient, second, jacobian, forward])
@pytest.mark.parametrize(
    "program",
    [read_while_growing, appended_twice, dynamic, as_long_as_values_say, in_two_loops, scattered_and_gathered],
)
def test_arrays_and_lists_that_grow_in_loops(compiled_only, program, question):
    check(question(program), X)


@pytest.mark.parametrize("is_counted", [False, True])
@pytest.mark.parametrize("is_native", [False, True])
def test_there_is_no_element_after_the_last_one_of_a_growing_array(compiled_only, monkeypatch, is_counted, is_native):
    monkeypatch.setattr(thresholds, "WARMING_CALLS", 0 if is_native else 10**9)

    @tf.function
    def f(x, count, place):
        count = tf.constant(5) if is_counted else count
        rows, i = tf.TensorArray(tf.float32, size=0, dynamic_size=True, clear_after_read=False), 0
        total = x
        while i < count:
            rows = rows.write(i, x * tf.cast(i, tf.float32))
            total += rows.read(tf.maximum(i + place, 0))
            i += 1
        return total, rows.read(count - 1 + place), rows.gather([0, count - 1 + place])

    total, last, both = f(*map(tf.constant, (1.5, 5, 0)))
    assert [float(total), float(last), both.numpy().tolist()] == [16.5, 6.0, [0.0, 6.0]]
    assert float(f(*map(tf.constant, (1.5, 5, -2)))[1]) == 3.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="There is no element 1 in an array of 1 elements"):
        f(*map(tf.constant, (1.5, 5, 1)))
    assert float(f(*map(tf.constant, (1.5, 5, 0)))[1]) == 6.0


def test_an_array_that_grows_by_constants_alone(compiled_only):
    @tf.function
    def f():
        rows, i = tf.TensorArray(tf.float32, size=0, dynamic_size=True), 0
        while i < tf.constant(5):
            rows = rows.write(i, tf.cast(i, tf.float32))
            i += 1
        return rows.stack()

    assert f().numpy().tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]


def test_a_list_that_grows_is_as_long_as_the_call_makes_it(compiled_only):
    @tf.function
    def powers(x, count):
        rows = []
        for _ in tf.range(count):
            x = x * 2.0
            rows.append(x)
        return len(rows), tf.stack(rows)

    for count in (0, 1, 5, 64, 65):
        length, rows = powers(tf.constant([1.0, 2.0]), tf.constant(count))
        assert int(length) == count
        np.testing.assert_array_equal(rows.numpy(), 2.0 ** np.arange(1, count + 1)[:, None] * [1.0, 2.0])


def test_the_gradient_of_a_row_changes_the_others_in_place(monkeypatch):
    changes = []

    def counted(*operands):
        changes.append(operands)
        return set_in_place(*operands)

    monkeypatch.setitem(buffers.IN_PLACE, set_row, counted)

    @tf.function
    def gradient_of_rows(x, count):
        with tf.GradientTape() as tape:
            tape.watch(x)
            rows, i, y = tf.TensorArray(tf.float32, size=8), 0, x
            while i < count:
                rows = rows.write(i, y)
                y, i = y * 2.0, i + 1
            total = tf.reduce_sum(rows.stack() ** 2)
        return tape.gradient(total, x)

    assert gradient_of_rows(tf.ones([2]), tf.constant(5)).numpy().tolist() == [682, 682]
    assert len(changes) == 10  # five rows are written, and five taken out of the gradient


# --- effects --------------------------------------------------------------------------------------------------------------


def test_a_loop_changes_variables(compiled_only):
    total, last = tf.Variable(0.0), tf.Variable([0.0, 0.0, 0.0])

    @tf.function
    def run(x):
        for i in tf.range(20):
            total.assign_add(x[i, 0])
            if x[i, 0] > 0.0:
                last.assign(x[i] * total)
        return total * 2.0

    for _ in range(2):
        total.assign(1.0)
        sums, expected = np.float32(1.0), None
        for row in X.numpy()[:20]:
            sums += row[0]
            expected = row * sums if row[0] > 0 else expected
        np.testing.assert_allclose(run(X), sums * 2, rtol=1e-5)
        np.testing.assert_allclose(last, expected, rtol=1e-5)


def test_a_training_loop_inside_a_function(compiled_only):
    weights = tf.Variable([0.0, 0.0, 0.0])
    target = X @ tf.constant([[1.0], [2.0], [3.0]])

    @tf.function
    def train(steps):
        for _ in tf.range(steps):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((tf.linalg.matvec(X, weights) - target[:, 0]) ** 2)
            weights.assign_sub(0.3 * tape.gradient(loss, weights))
        return loss

    assert train(tf.constant(200)) < 1e-6
    np.testing.assert_allclose(weights, [1.0, 2.0, 3.0], rtol=1e-3)


def test_each_round_draws_anew_and_the_gradient_sees_what_was_drawn(compiled_only):
    @tf.function
    def run(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in tf.range(50):
                y = y * tf.random.uniform([], 0.5, 1.5)
        return y, tape.gradient(y, x)

    y, slope = run(tf.constant(2.0))
    np.testing.assert_allclose(slope, y / 2.0, rtol=1e-5)
    assert run(tf.constant(2.0))[0] != y


def test_an_error_inside_a_loop_names_the_op():
    @tf.function
    def run(x, n):
        y = 0.0
        for i in tf.range(n):
            y += tf.gather(x, i)
        return y

    assert run(tf.ones([3]), tf.constant(3)) == 3.0
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"gather: indices = 3"):
        run(tf.ones([3]), tf.constant(4))


def test_a_program_shows_its_loops():
    concrete = tf.function(while_loop).get_concrete_function(X)
    evaluator, _, _ = executor.lowered(concrete.graph, [(40, 3)], [np.dtype(np.float32)])
    text = str(evaluator.program)
    assert "loop(" in text
    assert "        %" in text  # what runs inside stands further in


def test_the_gradient_of_a_loop_takes_what_the_loop_has_computed():
    """sin is computed once in each round: the loop keeps it for the way back."""

    def run(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in tf.range(100):
                y = y + 0.1 * tf.exp(tf.sin(y * 0.5))
        return tape.gradient(y, x)

    x = tf.constant([0.3, -0.2, 0.9])
    concrete = tf.function(run).get_concrete_function(x)
    evaluator, _, _ = executor.lowered(concrete.graph, [(3,)], [np.dtype(np.float32)])
    loops = [node.what for node in executor.optimized(evaluator.program).nodes if node.what.name == "loop"]
    assert len(loops) == 2
    assert [sum(node.what.name == "exp" for node in loop.body.nodes) for loop in loops] == [1, 0]
    check(run, x)


def test_a_loop_keeps_no_more_than_a_few_times_what_its_rounds_begin_with():
    def run(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in tf.range(5):
                wide = tf.sin(y[:, None] * tf.ones([1, 4000], tf.float64))
                y = tf.reduce_mean(tf.exp(wide), 1)
        return tape.gradient(y, x)

    x = tf.constant([0.3, -0.2, 0.9], tf.float64)
    concrete = tf.function(run).get_concrete_function(x)
    evaluator, _, _ = executor.lowered(concrete.graph, [(3,)], [np.dtype(np.float64)])
    first, *_ = [node for node in executor.optimized(evaluator.program).nodes if node.what.name == "loop"]
    assert all(np.prod(first.what.body.look_of(output)[0]) < 100 for output in first.what.body.outputs)
    check(run, x)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer signals here")
def test_an_interrupt_ends_a_loop_without_end(compiled_only):
    @tf.function
    def endless(x):
        i = tf.constant(0.0)
        while i < 1e30:
            x, i = x * 0.999 + 1.0, i * 0.5
        return x

    def interrupt(*args: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        with pytest.raises(KeyboardInterrupt):
            endless(tf.constant(1.0))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def _joined(texts: Any) -> Any:
    joined = tf.constant("")
    for text in texts:
        joined = joined + tf.strings.substr(text, 0, 2)
    return joined


def _written(texts: Any) -> Any:
    array = tf.TensorArray(tf.string, 0, dynamic_size=True)
    for place in tf.range(tf.shape(texts)[0]):
        array = array.write(place, tf.strings.upper(texts[place]))
    return array.stack()


def _read_backwards(texts: Any) -> Any:
    array = tf.TensorArray(tf.string, 60).unstack(texts)
    joined = tf.constant("")
    for place in tf.range(60):
        joined = joined + array.read(59 - place)
    return joined


def _counted(flags: Any) -> Any:
    count = 0
    for flag in flags:
        if flag:
            count += 1
    return count


TEXTS = tf.constant([f"t{number}" for number in range(60)])
FLAGS = tf.constant([number % 3 == 0 for number in range(60)])
WITHOUT_NUMBERS = {
    "map_fn to text": (lambda texts: tf.map_fn(lambda text: text + "x", texts), TEXTS),
    "map_fn to numbers": (lambda texts: tf.map_fn(tf.strings.length, texts, fn_output_signature=tf.int32), TEXTS),
    "scan": (
        lambda texts: tf.scan(lambda a, b: tf.strings.join([tf.strings.substr(a, 0, 3), b]), texts, initializer=""),
        TEXTS,
    ),
    "rows of a matrix": (lambda texts: tf.map_fn(tf.strings.reduce_join, tf.reshape(texts, [30, 2])), TEXTS),
    "for over text": (_joined, TEXTS),
    "an array that grows": (_written, TEXTS),
    "an array that is read": (_read_backwards, TEXTS),
    "for over booleans": (_counted, FLAGS),
    "map_fn over booleans": (lambda flags: tf.map_fn(tf.logical_not, flags), FLAGS),
}


@pytest.mark.parametrize("size", [60, None])
@pytest.mark.parametrize("name", WITHOUT_NUMBERS)
def test_loops_over_text_and_booleans(compiled_only, name, size):
    function, given = WITHOUT_NUMBERS[name]
    traced = tf.function(function, input_signature=[tf.TensorSpec([size], given.dtype)])
    got, expected = traced(given), function(given)
    expected = tf.convert_to_tensor(expected)
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(got.numpy(), expected.numpy())


def test_parts_of_a_variable_are_assigned_in_the_program() -> None:
    table, vector = tf.Variable(tf.zeros([5, 3])), tf.Variable([1.0, 2.0, 3.0, 4.0])

    def change(row: Any, count: Any) -> Any:
        for place in tf.range(count):
            table[place].assign(row * tf.cast(place, tf.float32))
            table[place, 1].assign(table[place, 1] + 1.0)
        before = vector + 0.0
        if count > 2:
            vector[0].assign(row[0])
        else:
            vector[tf.constant(-1)].assign(row[1])
        vector[count - 2 :].assign(vector[: 6 - count] * 2.0)
        return before, vector + tf.reduce_sum(table)

    traced = tf.function(change)
    for count in (4, 2):
        results = []
        for run in (change, traced):
            table.assign(tf.zeros([5, 3]))
            vector.assign([1.0, 2.0, 3.0, 4.0])
            found = run(tf.constant([1.0, 2.0, 3.0]), tf.constant(count))
            results.append([value.numpy().tolist() for value in (*found, table, vector)])
        assert results[0] == results[1]
    assert "part" not in str(traced.explain())
    with pytest.raises(tf.errors.InvalidArgumentError, match="slice"):
        tf.function(lambda: vector[0].assign([1.0, 2.0]))()
