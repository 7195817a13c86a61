"""Whole programs as traced functions: what they compute, and their gradients, are those of eager code."""

import numpy as np
import pytest

import gradtape as tf

c = tf.constant


def value_and_gradient(fn, *args):
    with tf.GradientTape() as tape:
        for arg in args:
            tape.watch(arg)
        y = fn(*args)
    return y, tape.gradient(y, args[0])


def assert_same_with_gradient(fn, *args):
    for eager, traced in zip(value_and_gradient(fn, *args), value_and_gradient(tf.function(fn), *args), strict=True):
        np.testing.assert_allclose(np.asarray(traced), np.asarray(eager), rtol=1e-6)


def branches(x):
    y = x * 2.0
    if tf.reduce_sum(x) > 0.0:
        y = y * x
        if tf.reduce_max(x) > 3.0:
            y = y + tf.sin(x)
    else:
        y = -y
    return tf.reduce_sum(y)


def power(x):
    y, i = x, tf.constant(0)
    while i < 3:
        y = y * x
        i += 1
    if y > 0.0:
        y = y * 2.0
    else:
        y = y * 3.0
    return y


def over_rows(x):
    total = tf.zeros([2])
    for row in x:
        if tf.reduce_sum(row) < 0.0:
            continue
        total += row * row
        if total[0] > 50.0:
            break
    return tf.reduce_sum(total)


def collected(x):
    rows = []
    for row in x:
        rows.append(tf.tanh(row))
    return tf.reduce_sum(tf.stack(rows) * x)


def newton(x):
    y = x
    while tf.abs(y * y - x) > 1e-4:
        y = 0.5 * (y + x / y)
    return y


def with_tape(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        if tf.reduce_sum(x) > 0.0:
            y = x**3
        else:
            y = x**2
        y = tf.reduce_sum(y)
    return tf.reduce_sum(tape.gradient(y, x))


@pytest.mark.parametrize("x", [[1.0, 2.0], [-1.0, -2.0], [1.0, 4.0]])
def test_branches_and_their_gradients(x):
    assert_same_with_gradient(branches, c(x))
    assert_same_with_gradient(with_tape, c(x))


@pytest.mark.parametrize("x", [2.0, -2.0, 0.5])
def test_loops_and_their_gradients(x):
    assert_same_with_gradient(power, c(x))
    assert_same_with_gradient(newton, c(abs(x)))


@pytest.mark.parametrize("fn", [over_rows, collected])
def test_loops_over_rows_and_their_gradients(fn):
    assert_same_with_gradient(fn, c([[1.0, 2.0], [-5.0, 1.0], [3.0, 4.0]]))
    assert_same_with_gradient(fn, c([[7.0, 2.0], [5.0, 1.0], [3.0, 4.0], [1.0, 1.0]]))


def test_second_derivatives_through_loops():
    x = c(1.5)

    @tf.function
    def fn(x):
        y, i = x, 0
        while i < 3:
            y, i = y * x, i + 1
        return y

    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = fn(x)
        first = inner.gradient(y, x)
    np.testing.assert_allclose(first, 4 * 1.5**3, rtol=1e-6)
    np.testing.assert_allclose(outer.gradient(first, x), 12 * 1.5**2, rtol=1e-6)


def test_unknown_sizes():
    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.float32)])
    def fn(x):
        total, count, rows = 0.0, 0, []
        for row in x:
            best = row[0]
            for v in row:
                if v > best:
                    best = v
            total, count = total + best, count + 1
            rows.append(row * 2.0)
        return total, count, tf.stack(rows)

    for shape in ((2, 3), (4, 1), (1, 6)):
        x = tf.random.normal(shape, seed=1)
        total, count, rows = fn(x)
        np.testing.assert_allclose(total, np.asarray(x).max(axis=1).sum(), rtol=1e-6)
        assert int(count) == shape[0]
        np.testing.assert_allclose(rows, np.asarray(x) * 2)
    assert fn.experimental_get_tracing_count() == 1


def test_shape_invariants():
    @tf.function
    def fn(n):
        v = tf.constant([0])
        for i in tf.range(n):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(v, tf.TensorShape([None]))])
            v = tf.concat([v, [i]], 0)
        return v

    assert fn(c(3)).numpy().tolist() == [0, 0, 1, 2]
    assert fn(c(0)).numpy().tolist() == [0]


def test_a_shape_that_leaves_its_invariant():
    @tf.function
    def fn(n):
        v = tf.zeros([1, 2])
        while n > 0:
            tf.autograph.experimental.set_loop_options(shape_invariants=[(v, tf.TensorShape([None, 2]))])
            v = tf.zeros([2, 3])
            n -= 1
        return v

    with pytest.raises(ValueError, match=r"'v' has shape \(2, 3\) .* shape invariant \(None, 2\)"):
        fn(c(3))


def test_a_long_loop_is_one_loop_of_the_graph():
    turns = []

    @tf.function
    def fn(x):
        i = tf.constant(0)
        while i < 1000:
            turns.append(1)
            x = x + 1.0
            i += 1
        for _ in tf.range(1000):
            turns.append(1)
            x = x + 1.0
        return x

    assert float(fn(c(0.0))) == 2000.0
    assert len(turns) <= 4


def test_variables_in_branches_and_loops():
    v = tf.Variable(1.0)

    @tf.function
    def fn(n):
        while n > 0:
            if n % 2 == 0:
                v.assign_add(1.0)
            else:
                v.assign(v * 2.0)
            n -= 1
        return v + 0.0

    def eager(n, value):
        for k in range(n, 0, -1):
            value = value + 1.0 if k % 2 == 0 else value * 2.0
        return value

    assert float(fn(c(4))) == eager(4, 1.0)
    assert float(fn(c(3))) == eager(3, eager(4, 1.0))


def test_a_variable_as_condition():
    flag = tf.Variable(True)

    @tf.function
    def fn(x):
        if flag:
            return x
        return -x

    assert int(fn(c(1))) == 1
    flag.assign(False)
    assert int(fn(c(1))) == -1


def test_recursion_on_python_values_and_functions_in_functions():
    @tf.function
    def factorial(n, x):
        if n <= 1:
            return x
        return factorial(n - 1, x * float(n))

    assert float(factorial(5, c(1.0))) == 120.0

    @tf.function
    def relu(x):
        if x > 0.0:
            return x
        return tf.zeros_like(x)

    @tf.function
    def outer(x):
        total = 0.0
        for v in x:
            total += relu(v)
        return total

    assert float(outer(c([1.0, -2.0, 3.0]))) == 4.0


def test_methods_of_modules():
    class Layer(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = None
            self.calls = 0

        @tf.function
        def __call__(self, x, training=False):
            if self.w is None:
                self.w = tf.Variable(tf.ones([2]), name="w")
            self.calls += 1
            y = x * self.w
            if training and tf.reduce_sum(y) > 0.0:
                y = self.scaled(y)
            return y

        def scaled(self, y):
            return y * 10.0 if y[0] > 1.0 else y

    layer = Layer()
    assert layer(c([2.0, 1.0])).numpy().tolist() == [2.0, 1.0]
    assert layer(c([2.0, 1.0]), training=True).numpy().tolist() == [20.0, 10.0]
    assert layer(c([1.0, 1.0]), training=True).numpy().tolist() == [1.0, 1.0]


def test_autograph_off():
    @tf.function(autograph=False)
    def fn(x):
        if x > 0.0:
            return x
        return -x

    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        fn(c(1.0))

    @tf.function(autograph=False)
    def plain(x):
        return tf.cond(x > 0.0, lambda: x, lambda: -x)

    assert float(plain(c(-1.0))) == 1.0


def test_functions_that_tf_calls():
    def step(total, x):
        if x > 0.0:
            return total + x
        return total

    @tf.function
    def fn(x):
        return (
            tf.foldl(step, x, 0.0),
            tf.scan(step, x, 0.0),
            tf.map_fn(lambda v: v if v > 0.0 else -v, x),
            tf.cond(x[0] > 0.0, lambda: step(x[0], x[1]), lambda: x[0]),
        )

    total, steps, absolute, chosen = fn(c([1.0, -2.0, 3.0]))
    assert float(total) == 4.0
    assert steps.numpy().tolist() == [1.0, 1.0, 4.0]
    assert absolute.numpy().tolist() == [1.0, 2.0, 3.0]
    assert float(chosen) == 1.0


def test_training_with_a_loop_inside():
    w = tf.Variable([0.0, 0.0])
    x = c([[1.0, 2.0], [3.0, 1.0], [2.0, 2.0]])
    y = c([5.0, 5.0, 6.0])

    @tf.function
    def train(steps):
        loss = tf.constant(0.0)
        for _ in tf.range(steps):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((tf.linalg.matvec(x, w) - y) ** 2)
            gradient = tape.gradient(loss, w)
            if tf.norm(gradient) < 1e-3:
                break
            w.assign_sub(0.05 * gradient)
        return loss

    assert float(train(c(2000))) < 1e-5
    np.testing.assert_allclose(w, [1.0, 2.0], atol=1e-2)
    assert train.experimental_get_tracing_count() == 1


def test_errors_of_ops_name_the_line_of_the_user():
    @tf.function
    def fn(x):
        if x[0] > 0.0:
            y = tf.reshape(
                x,
                [7],
            )
        else:
            y = x
        return y

    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)) as caught:
        fn(c([1.0, 2.0]))
    assert any("y = tf.reshape(" in note for note in caught.value.__notes__)


def test_the_same_names_inside_and_outside_of_a_list_in_a_branch():
    @tf.function
    def fn(x, n):
        items = []
        for i in tf.range(n):
            if x[i] > 0.0:
                items.append(x[i])
        return len(items), tf.stack(items)

    count, items = fn(c([1.0, -1.0, 2.0]), c(3))
    assert int(count) == 2
    assert items.numpy().tolist() == [1.0, 2.0]


def test_reading_from_a_list_that_grew():
    @tf.function
    def fn(x):
        items = [x[0]]
        for v in x:
            items.append(items[-1] + v)
        total = 0.0
        for item in items:
            total += item
        return total, items[1], len(items)

    total, second, count = fn(c([1.0, 2.0, 3.0]))
    assert (float(total), float(second), int(count)) == (1.0 + 2.0 + 4.0 + 7.0, 2.0, 4)


class Numbers:
    """What a traced loop needs of a dataset."""

    def __init__(self, *rows):
        self.rows = rows

    @property
    def element_spec(self):
        return {"x": tf.TensorSpec([None], tf.float32), "n": tf.TensorSpec([], tf.int32)}

    def __iter__(self):
        return iter([{"x": c(row), "n": c(len(row))} for row in self.rows])


def test_a_loop_over_a_dataset_is_one_loop_of_the_graph():
    turns = []
    w = tf.Variable(2.0)

    @tf.function
    def fn(dataset, limit):
        total, seen = 0.0, []
        for element in dataset:
            turns.append(1)
            if element["n"] == 2:
                continue
            total += tf.reduce_sum(element["x"]) * w
            seen.append(element["n"])
            if total > limit:
                break
        return total, tf.stack(seen)

    data = Numbers([1.0], [2.0, 3.0], [4.0, 5.0, 6.0], [7.0])
    with tf.GradientTape() as tape:
        total, seen = fn(data, c(1000.0))
    assert float(total) == 2.0 * (1.0 + 15.0 + 7.0)
    assert seen.numpy().tolist() == [1, 3, 1]
    assert float(tape.gradient(total, w)) == 23.0
    total, seen = fn(data, c(10.0))
    assert float(total) == 2.0 * 16.0
    assert len(turns) < 4 * fn.experimental_get_tracing_count()


def test_the_last_element_of_a_dataset():
    @tf.function
    def fn(dataset):
        for element in dataset:
            last = element["x"]
        return last

    assert fn(Numbers([1.0], [2.0, 3.0])).numpy().tolist() == [2.0, 3.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="at least once to initialize last"):
        fn(Numbers())


def test_attributes_that_change_in_loops_and_branches():
    class Counter:
        def __init__(self):
            self.total, self.parts = 0.0, {"n": 0}

        def run(self, x):
            for v in x:
                if v > 0.0:
                    self.total += v
                    self.parts["n"] += 1
            return self.total, self.parts["n"]

    total, count = tf.function(Counter().run)(c([1.0, -1.0, 2.0]))
    assert (float(total), int(count)) == (3.0, 2)


def test_an_attribute_that_is_set_in_one_branch_is_not_left_half_set():
    class Box:
        pass

    box = Box()

    @tf.function
    def fn(x):
        if x > 0.0:
            box.value = x
        return x

    with pytest.raises(ValueError, match=r"'box.value' must also be initialized in the else branch"):
        fn(c(1.0))
    assert not hasattr(box, "value")


def test_conditions_on_known_sizes_are_pythons():
    @tf.function
    def fn(x):
        if tf.shape(x)[0] > 1:
            return x[1]
        else:
            raise ValueError("one element only")

    assert float(fn(c([1.0, 2.0]))) == 2.0
    with pytest.raises(ValueError, match="one element only"):
        fn(c([1.0]))


def test_nonlocal_names_in_loops():
    @tf.function
    def fn(x):
        total = tf.constant(0.0)

        def add(v):
            nonlocal total
            if v > 0.0:
                total += v

        for v in x:
            add(v)
        return total

    assert float(fn(c([1.0, -2.0, 3.0]))) == 4.0


counter = 0.0


def test_global_names_in_branches():
    @tf.function
    def fn(x):
        global counter
        counter = x
        if x > 0.0:
            counter = counter + 1.0
        result, counter = counter, 0.0
        return result

    assert float(fn(c(1.0))) == 2.0
    assert float(fn(c(-1.0))) == -1.0


def test_a_tensor_that_leaves_its_loop_unseen_is_an_error():
    kept = []

    @tf.function
    def fn(x):
        for v in x:
            kept.append(v)
        return kept[-1]

    with pytest.raises(tf.errors.InaccessibleTensorError, match="inside a branch or a loop"):
        fn(c([1.0, 2.0]))


def test_variables_as_values_of_branches():
    first, second = tf.Variable(2.0), tf.Variable(3.0)

    @tf.function
    def fn(x):
        w = first if x > 0.0 else second
        if x > 1.0:
            w = w * 1.0
        kept = first
        if x > 2.0:
            kept = first
        kept.assign_add(0.0)
        return w * x

    for x in (-1.0, 0.5, 3.0):
        with tf.GradientTape() as tape:
            y = fn(c(x))
        assert float(y) == x * (2.0 if x > 0 else 3.0)
        gradients = tape.gradient(y, [first, second], unconnected_gradients=tf.UnconnectedGradients.ZERO)
        assert [float(g) for g in gradients] == ([x, 0.0] if x > 0 else [0.0, x])


def test_a_tensor_array_of_the_user():
    @tf.function
    def fn(x):
        ta = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        for v in x:
            if v > 0.0:
                ta = ta.write(ta.size(), v * 2.0)
        total = 0.0
        for v in ta:
            total += v
        return total

    assert float(fn(c([1.0, -1.0, 2.0]))) == 6.0
