"""Control flow on symbolic tensors gives what it gives eagerly."""

import numpy as np
import pytest

import gradtape as tf
from gradtape import nest

c, function = tf.constant, tf.function


def assert_same(fn, *args):
    """The traced function returns what the function itself returns; numbers as tensors."""
    expected = nest.flatten(fn(*args))
    results = nest.flatten(function(fn)(*args))
    assert len(results) == len(expected)
    for result, value in zip(results, expected, strict=True):
        np.testing.assert_array_equal(np.asarray(result), np.asarray(value))


# --- if --------------------------------------------------------------------------------------------------------------


def both(x):
    if x > 0.0:
        y, z = x * 2.0, [x, {"a": x}]
    else:
        y, z = -x, [x + 1.0, {"a": x * x}]
    return y, z


def no_else(x):
    y = x
    if x > 0.0:
        y = x * 10.0
    return y


def chain(x):
    if x > 10.0:
        y = 1.0
    elif x > 0.0:
        y = 2.0
    else:
        y = 3.0
    return y


def early(x):
    if x > 10.0:
        return x
    if x > 0.0:
        y = x * 2.0
        if y > 5.0:
            return y
    else:
        y = x
    return y - 1.0


def returns_in_one_branch_only(x):
    if x > 0.0:
        if x > 10.0:
            return x, 1
        z = 2.0
    else:
        z = 3.0
    return x * z, 2


def number_beside_tensor(x):
    if x > 0.0:
        y = 1
    else:
        y = x
    return y + x


def agreeing(x):
    kind = None
    if x > 0.0:
        n, kind = 3, "same"
        y = x
    else:
        n, kind = 3, "same"
        y = -x
    return [y] * n if kind == "same" else None


def attributes(x):
    class_ = type("Box", (), {})
    box = class_()
    box.value = x
    table = {"k": x}
    if x > 0.0:
        box.value = box.value * 2.0
        table["k"] = table["k"] + 1.0
    return box.value, table["k"]


def expressions(x):
    return 1.0 if x > 0.0 else x, (x if x > 1.0 else 0.0) + 1.0, x if x > 0.0 and x < 5.0 else -x


@pytest.mark.parametrize(
    "fn", [both, no_else, chain, early, returns_in_one_branch_only, number_beside_tensor, agreeing]
)
@pytest.mark.parametrize("x", [-3.0, 0.5, 4.0, 30.0])
def test_if(fn, x):
    assert_same(fn, c(x))


@pytest.mark.parametrize("x", [-3.0, 0.5, 4.0])
def test_attributes_items_and_conditional_expressions(x):
    assert_same(expressions, c(x))
    assert_same(attributes, c(x))


def test_what_both_branches_agree_on_stays_python():
    seen = []

    def fn(x):
        if x > 0.0:
            mode, y = "a", x
        else:
            mode, y = "a", -x
        seen.append(mode)
        return y

    function(fn)(c(1.0))
    assert seen[-1] == "a"


def test_only_one_branch_computes():
    def fn(x):
        if x > 0:
            y = 10 // x
        else:
            y = 0
        return y

    assert_same(fn, c(3))
    assert_same(fn, c(0))


def test_variables_keep_their_value_where_a_branch_fails():
    def fn(x):
        y = x
        try:
            if x > 0.0:
                y = x * 2.0
                raise KeyError("k")
        except KeyError:
            pass
        return y

    assert float(function(fn)(c(3.0))) == 3.0


# --- and, or, not ----------------------------------------------------------------------------------------------------


def logic(x):
    return (
        x > 0.0 and x < 5.0,
        x < 0.0 or x > 5.0,
        not x > 0.0,
        0.0 < x < 5.0,
        x > 0.0 and x > 1.0 and x > 2.0,
        True and x > 0.0,
        False or not (x > 0.0 or x < -2.0),
    )


@pytest.mark.parametrize("x", [-3.0, 0.5, 4.0, 7.0])
def test_logic(x):
    assert_same(logic, c(x))


def test_the_right_side_is_not_computed_where_python_would_not():
    def fn(x, values):
        return x < 2 and values[x] > 0

    values = c([1, -1])
    for x in range(4):
        assert bool(function(fn)(c(x), values)) == bool(fn(x, values.numpy()))


def test_python_on_the_left_decides_in_python():
    calls = []

    def right(x):
        calls.append(x)
        return x > 0.0

    def fn(x, flag):
        return flag and right(x)

    assert not function(fn)(c(1.0), False)
    assert calls == []


# --- while -----------------------------------------------------------------------------------------------------------


def counting(n):
    i, total = 0, 0
    while i < n:
        i += 1
        if i == 3:
            continue
        if i > 6:
            break
        total += i
    return i, total


def newton(x):
    y = x
    while abs(y * y - x) > 0.01:
        y = (y + x / y) / 2.0
    return y


def tensor_in_the_loop(n):
    while n > 0:
        last = n * 2
        n -= 1
    return last


def begins_in_python(n):
    steps = 0
    while True:
        n = n * 2
        steps += 1
        if n > 100:
            break
    return n, steps


def nested(n):
    total = 0
    while n > 0:
        i = n
        while i > 0:
            if i % 2 == 0:
                i -= 1
                continue
            total += i
            i -= 2
        n -= 1
    return total


def returns_from_nested_loops(n):
    i = 0
    while i < 10:
        j = 0
        while j < 10:
            if i * j == n:
                return i, j
            j += 1
        i += 1
    return -1, -1


@pytest.mark.parametrize("fn", [counting, tensor_in_the_loop, begins_in_python, nested, returns_from_nested_loops])
@pytest.mark.parametrize("n", [1, 2, 5, 12, 101])
def test_while(fn, n):
    if fn is nested and n > 12:
        n = 12
    assert_same(fn, c(n))


def test_while_on_floats():
    assert_same(newton, c(2.0))


def test_a_structure_of_variables():
    def fn(n):
        state = {"a": n, "b": (n, [n * 2])}
        while state["a"] > 0:
            state = {"a": state["a"] - 1, "b": (state["b"][0] + 1, [state["b"][1][0] * 2])}
        return state

    assert_same(fn, c(4))


def test_objects_that_do_not_change_stay_as_they_are():
    seen = []

    def fn(n):
        box, text = object(), "text"
        before = box
        while n > 0:
            box, text = box, text
            n -= 1
        seen.append(box is before)
        return n

    assert_same(fn, c(3))
    assert all(seen)


# --- for -------------------------------------------------------------------------------------------------------------


def total_of(x):
    total = 0
    for v in x:
        total = total + v
    return total


def last_of(x):
    for v in x:
        y = v * 2
    return y


def found(x):
    for i, v in enumerate(x):
        if v > 2:
            return i, v
    return -1, 0


def positive(x):
    total = 0
    for v in x:
        if v < 0:
            continue
        if v > 100:
            break
        total += v
    else:
        total = -total
    return total


def pairs(x):
    total = 0
    for i, (a, b) in enumerate(zip(x, x)):  # noqa: B905
        total += i * a * b
    return total


@pytest.mark.parametrize("fn", [total_of, last_of, found, positive, pairs])
@pytest.mark.parametrize("x", [[1], [3, -1, 2], [1, 2, 300, 4]])
def test_for_over_a_tensor(fn, x):
    assert_same(fn, c(x))


def test_for_over_rows():
    def fn(x):
        total = tf.zeros([2])
        for row in x:
            total += row
        return total

    assert_same(fn, c([[1.0, 2.0], [3.0, 4.0]]))


def test_for_over_a_symbolic_range():
    def fn(n):
        total = 0
        for i in range(n):
            total += i * i
        return total

    assert_same(fn, c(5))


def test_python_loops_are_unrolled():
    calls = []

    def fn(x):
        for i in range(3):
            calls.append(i)
            x = x * 2.0
        return x

    assert float(function(fn)(c(1.0))) == 8.0
    assert calls == [0, 1, 2]


def test_leaving_a_python_loop_on_a_tensor():
    def fn(x):
        for i in range(6):
            x = x + 1
            if x > 3:
                return x, i
        return x, -1

    for x in (-10, 0, 2, 5):
        assert_same(fn, c(x))


def test_leaving_an_endless_python_loop_on_a_tensor_is_refused():
    import itertools

    def fn(x):
        for _ in itertools.count():
            x = x + 1
            if x > 3:
                break
        return x

    with pytest.raises(NotImplementedError, match="known length"):
        function(fn)(c(1))


def test_unpacking_and_calls_in_loops():
    def add(a, b):
        if a > b:
            return a
        return a + b

    def fn(x):
        best, count = x[0], 0
        for v in x:
            best, count = add(best, v), count + 1
        return best, count

    assert_same(fn, c([1, 5, 2]))


# --- lists -----------------------------------------------------------------------------------------------------------


def squares(x):
    items = []
    for v in x:
        items.append(v * v)
    return tf.stack(items)


def some_squares(x):
    items = []
    for v in x:
        if v > 1:
            items.append(v * v)
        else:
            items += [v]
    return tf.stack(items)


def with_first_elements(x):
    items = [x[0], x[1]]
    while x[0] > 0:
        items.append(x[0])
        x = x - 1
    return tf.stack(items)


@pytest.mark.parametrize("fn", [squares, some_squares, with_first_elements])
def test_lists_that_grow(fn):
    assert_same(fn, c([3, 1, 2]))


def test_a_list_leaves_the_function_as_a_tensor():
    def fn(x):
        items = []
        for v in x:
            tf.autograph.experimental.set_element_type(items, tf.int32)
            items.append(v + 1)
        return items, len(items)

    items, count = function(fn)(c([3, 1]))
    assert items.numpy().tolist() == [4, 2]
    assert int(count) == 2


def test_the_users_list_is_not_changed_by_tracing():
    outside = [c(1)]

    def fn(x):
        items = outside
        for v in x:
            items.append(v)
        return tf.stack(items)

    assert function(fn)(c([3, 1])).numpy().tolist() == [1, 3, 1]
    assert len(outside) == 1


# --- options ---------------------------------------------------------------------------------------------------------


def test_maximum_iterations():
    def fn(n):
        while n > 0:
            tf.autograph.experimental.set_loop_options(maximum_iterations=3)
            n -= 1
        return n

    assert int(function(fn)(c(10))) == 7
    assert int(fn(c(2))) == 0


def test_a_variable_of_a_loop_over_a_dataset_may_change_its_shape():
    @tf.function
    def total(dataset):
        loss = tf.constant(0)
        for x, y in dataset:
            loss += tf.abs(y - x)
        return loss

    unknown = tf.data.Dataset.from_generator(lambda: [(1, 4)] * 3, (tf.int32, tf.int32))
    assert int(total(unknown)) == 9

    @tf.function
    def collected(dataset):
        found = tf.zeros([0], tf.int64)
        for element in dataset:
            found = tf.concat([found, [element]], 0)
        return found

    assert collected(tf.data.Dataset.range(4)).numpy().tolist() == [0, 1, 2, 3]
