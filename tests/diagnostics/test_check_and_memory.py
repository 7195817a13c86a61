"""`tape.check` finds the rule that is wrong; `tape.memory` counts what is held."""

import numpy as np
import pytest

import gradtape as tf


def test_right_rules_agree():
    x, w = tf.Variable([[0.3, 0.7]]), tf.Variable([[0.5], [0.2]])
    with tf.GradientTape() as tape:
        h = tf.tanh(tf.matmul(x, w)) / 2.0
        y = tf.reduce_sum(tf.exp(h) * tf.nn.softmax(x) + tf.sqrt(x))
    found = tape.check()
    assert found.ok, found
    assert found.checked >= 6
    assert tape.gradient(y, x) is not None


def test_a_kink_is_no_disagreement():
    x = tf.Variable([0.0, 1.0])
    with tf.GradientTape() as tape:
        tf.reduce_sum(tf.nn.relu(x) + tf.abs(x))
    assert tape.check().ok


def test_a_wrong_custom_gradient_is_named_with_its_line_and_error():
    @tf.custom_gradient
    def cube(x):
        return x**3, lambda upstream: upstream * 2.0 * x**2

    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        h = tf.exp(x)
        y = cube(h)
    found = tape.check()
    assert not found
    assert found.first.op == "the custom gradient of cube"
    assert found.first.where.text == "y = cube(h)"
    assert found.first.error == pytest.approx(1 / 3, rel=0.05)
    assert y.shape == (2,)


def test_a_right_custom_gradient_agrees():
    @tf.custom_gradient
    def cube(x):
        return x**3, lambda upstream: upstream * 3.0 * x**2

    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        cube(x)
    found = tape.check()
    assert found.ok, found
    assert found.checked == 1


def test_a_wrong_rule_of_a_declared_op_is_named():
    from gradtape.op.declaration import REGISTRY

    op = REGISTRY["tanh"]
    x = tf.Variable([0.5])
    with tf.GradientTape() as tape:
        tf.tanh(x)
    (record,) = [r for r in tape._tape.values() if r is not None]
    (number,) = [n for n, r in tape._tape.items() if r is not None]

    def pull(cotangent, record):
        return (cotangent * 5.0,)

    pull.op, pull.key, pull.on_tensors = op, record[0].key, pull
    tape._tape[number] = (pull, *record[1:])
    assert tape.check().first.op == "tanh"


@tf.custom_gradient
def bad_cube(x):
    return x**3, lambda upstream: upstream * 2.0 * x


@tf.custom_gradient
def bad_with_matrix(x, factor):
    return factor * tf.sin(x), lambda upstream: (upstream * factor * tf.cos(x), upstream * x)


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
@pytest.mark.parametrize("made", ["variable", "constant", "computed", "function", "function in a function", "branch"])
def test_a_wrong_custom_gradient_is_named_wherever_it_is_called(made, dtype):
    x = (tf.constant if made == "constant" else tf.Variable)([1.0, 2.0], dtype=dtype)

    def loss(value):
        return tf.reduce_sum(bad_cube(value) * tf.sin(value))

    def branching(value):
        return tf.cond(tf.reduce_sum(value) > 0.0, lambda: loss(value), lambda: tf.reduce_sum(value))

    inner = tf.function(branching if made == "branch" else loss)
    function = tf.function(lambda value: inner(value) * 2.0) if made == "function in a function" else inner
    with tf.GradientTape() as tape:
        if made == "constant":
            tape.watch(x)
        value = x * 2.0 if made == "computed" else x
        (function if "function" in made or made == "branch" else loss)(value)
    found = tape.check()
    assert not found.ok
    assert found.first.op == "the custom gradient of bad_cube", found
    assert found.first.where.text == "return tf.reduce_sum(bad_cube(value) * tf.sin(value))"


def test_a_custom_gradient_of_two_arguments_and_of_a_variable_that_it_reads():
    w = tf.Variable([2.0, 3.0])

    @tf.custom_gradient
    def scaled(x):
        def gradient(upstream, variables):
            return upstream * w, [upstream]  # that of w is x

        return x * w, gradient

    x = tf.Variable([1.3, 1.7])
    with tf.GradientTape(persistent=True) as tape:
        bad_with_matrix(x, tf.constant([2.0, 3.0]))
    assert tape.check().ok  # what is wrong is the gradient of the constant, which nobody follows
    with tf.GradientTape(persistent=True) as tape:
        bad_with_matrix(x, w)
    assert tape.check().first.op == "the custom gradient of bad_with_matrix"
    with tf.GradientTape(persistent=True) as tape:
        scaled(x)
    assert tape.check().first.op == "the custom gradient of scaled"
    np.testing.assert_array_equal(w.numpy(), [2.0, 3.0])


def test_what_was_not_checked_is_said():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        tf.concat([x, x], 0)
    found = tape.check()
    assert not found.ok
    assert "all rules agree" not in str(found)
    assert "not checked: concat" in str(found)
    with tf.GradientTape() as tape:
        tf.sin(tf.concat([x, x], 0)) * 2.0
    assert "what was checked agrees" in str(tape.check())


def test_the_arguments_of_a_custom_gradient_are_not_kept_alive():
    import weakref

    @tf.custom_gradient
    def passed(x):
        return x * 1.0, lambda upstream: upstream

    x = tf.Variable([1.0])
    with tf.GradientTape() as tape:
        h = x * 2.0
        y = passed(h)
    gone = weakref.ref(h)
    del h
    assert gone() is None
    assert tape.check().checked == 2  # its value is computed again
    assert tape.gradient(y, x).numpy() == [2.0]


def test_memory_is_counted_by_line_and_op():
    x = tf.Variable(tf.ones([1000]))
    with tf.GradientTape() as tape:
        h = tf.exp(x)  # keeps its result
        g = tf.tanh(h)  # keeps its result
        y = tf.reduce_sum(g)
    found = tape.memory()
    assert found.total == 8000
    assert {row.name: row.bytes for row in found.by_op} == {"exp": 4000, "tanh": 4000}
    assert found.by_line[0].bytes == 4000
    assert "h = tf.exp(x)" in found.by_line[0].name
    assert found.peak >= found.total
    assert found.recomputable == 8000
    assert tape.gradient(y, x) is not None


def test_memory_of_a_compiled_function_is_that_of_its_lines():
    @tf.function
    def inner(t):
        return tf.exp(t)

    @tf.function
    def loss(t):
        h = tf.tanh(t * 2.0)
        return tf.reduce_sum(inner(h))

    x = tf.Variable(tf.ones([1000]))
    for _ in range(3):  # also when it is warm
        with tf.GradientTape() as tape:
            y = loss(x)
        found = tape.memory()
        assert {row.name: row.bytes for row in found.by_op} == {"exp": 4000, "tanh": 4000}
        assert [row.name.split("  ")[1] for row in found.by_line] == ["h = tf.tanh(t * 2.0)", "return tf.exp(t)"]
        assert tape.gradient(y, x) is not None


def test_memory_of_a_loop_in_a_function_has_its_name():
    @tf.function
    def rounds(t):
        for _ in tf.range(3):
            t = tf.sigmoid(t)
        return tf.reduce_sum(t)

    x = tf.Variable(tf.ones([1000]))
    with tf.GradientTape() as tape:
        rounds(x)
    assert {row.name for row in tape.memory().by_op} == {"a loop"}


def _lines(found):
    return {row.name.split("  ")[1]: row.bytes for row in found.by_line}


def test_memory_of_a_loop_in_a_function_is_that_of_its_lines():
    w = tf.Variable(tf.ones([10, 10]))

    @tf.function
    def rounds(t):
        for _ in tf.range(3):
            z = t @ w
            t = tf.tanh(z)
        return tf.reduce_sum(t)

    x = tf.Variable(tf.ones([10, 10]))
    for _ in range(3):
        with tf.GradientTape() as tape:
            rounds(x)
        assert _lines(tape.memory()) == {"z = t @ w": 1200, "t = tf.tanh(z)": 1200}


def test_memory_of_a_loop_in_a_loop_is_that_of_the_innermost_line():
    @tf.function
    def rounds(t):
        k = 0
        while tf.reduce_sum(t) < 1e6 and k < 2:
            for _ in tf.range(4):
                t = tf.sin(t) * 2.0
            k += 1
        return tf.reduce_sum(t)

    x = tf.Variable(tf.ones([10, 10]))
    with tf.GradientTape() as tape:
        rounds(x)
    assert _lines(tape.memory()) == {"t = tf.sin(t) * 2.0": 800}


def test_memory_of_a_function_in_a_loop_is_that_of_the_functions_line():
    def one(t):
        return tf.sigmoid(t)

    @tf.function
    def rounds(t):
        for _ in tf.range(3):
            t = one(t)
        return tf.reduce_sum(t)

    x = tf.Variable(tf.ones([100]))
    with tf.GradientTape() as tape:
        rounds(x)
    assert _lines(tape.memory()) == {"return tf.sigmoid(t)": 1200}


def test_one_array_is_counted_once_and_variables_apart():
    x = tf.Variable(tf.ones([1000]))
    with tf.GradientTape() as tape:
        h = tf.exp(x)
        y = tf.reduce_sum(h * h + h * x)
    found = tape.memory()
    assert found.total == 4000
    assert found.of_variables == 4000
    assert np.isfinite(y.numpy())


def test_a_memory_budget_holds_what_was_said():
    def loss(tape, x):
        with tape:
            h = x
            for _ in range(20):
                h = tf.tanh(h)
        return tf.reduce_sum(h)

    x = tf.Variable(tf.ones([10_000]))
    plain, budgeted = tf.GradientTape(), tf.GradientTape(memory_budget=200_000)
    loss(plain, x)
    loss(budgeted, x)
    assert plain.memory().total - plain.memory().budget_saves(200_000) == 200_000
    assert budgeted.memory().total <= 200_000


def test_memory_is_text():
    x = tf.Variable(tf.ones([1000]))
    with tf.GradientTape() as tape:
        tf.exp(x)
    assert str(tape.memory()).startswith("The tape holds 4.0 KB")
    assert "by op" in tape.memory()._repr_html_()


keras = pytest.importorskip("keras")


def test_memory_is_counted_by_layer():
    model = keras.Sequential(
        [keras.layers.Dense(8, activation="tanh", name="first"), keras.layers.Dense(1, name="second")]
    )
    model.build((None, 4))
    with tf.GradientTape() as tape:
        model(tf.ones((16, 4)))
    names = [row.name for row in tape.memory().by_layer]
    assert any("first" in name for name in names)
