"""cond, case, switch_case, while_loop, map_fn, foldl, foldr, scan: what they call, return, record and refuse."""

import numpy as np
import pytest

import gradtape as tf


def gradient_error(function, value):
    (found,), (numeric,) = tf.test.compute_gradient(function, [tf.constant(value)], delta=1e-5)
    return abs(found - numeric).max()


def never():
    raise AssertionError("this branch must not run")


# --- branches --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pred", [True, np.True_, tf.constant(True), tf.constant([True]), tf.constant(1), 1])
def test_cond_calls_one_branch_only(pred):
    assert tf.cond(pred, lambda: (1, [2]), never) == (1, [2])


def test_cond_is_recorded():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cond(x[0] > 0.0, lambda: x * x, never)
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 4.0]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: tf.cond(True, None, never), TypeError),
        (lambda: tf.cond(True, never), TypeError),
        (lambda: tf.cond(True, 5, never), TypeError),
        (lambda: tf.cond(None, never, never), ValueError),
        (lambda: tf.cond(tf.constant([True, False]), never, never), ValueError),
    ],
)
def test_bad_conditions_are_refused(call, error):
    with pytest.raises(error):
        call()


@pytest.mark.parametrize("run", [lambda f: f, tf.function])
def test_case_without_a_default_and_with_exclusive_predicates(run):
    def case(n, pairs, **settings):
        return tf.case([(n > k, lambda k=k: tf.constant(k)) for k in range(pairs)], **settings)

    def call(n, pairs, **settings):
        return int(run(lambda n: case(n, pairs, **settings))(tf.constant(n)))

    default = lambda: tf.constant(9)  # noqa: E731
    for pairs in (1, 2, 3):
        for exclusive in (False, True):
            with pytest.raises(tf.errors.InvalidArgumentError, match="none of the"):
                call(0, pairs, exclusive=exclusive)
            assert call(0, pairs, exclusive=exclusive, default=default) == 9
            assert call(1, pairs, exclusive=exclusive, default=default) == 0
    assert call(3, 3) == 0
    for settings in ({"pairs": 2, "default": default}, {"pairs": 3}, {"pairs": 3, "default": default}):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[0, 1"):
            call(2, exclusive=True, **settings)
    assert call(2, 2, exclusive=True) == 0  # without a default TensorFlow does not ask the last one


def test_case_takes_the_first_true_predicate():
    yes, no = tf.constant(True), tf.constant(False)
    assert tf.case([(no, never), (yes, lambda: 2), (yes, never)]) == 2
    assert tf.case([(no, never)], default=lambda: 5) == 5
    assert tf.case({no.ref(): never, yes.ref(): lambda: 7}, exclusive=True) == 7


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: tf.case([(tf.constant(False), never)]), tf.errors.InvalidArgumentError),
        (lambda: tf.case([]), ValueError),
        (lambda: tf.case({tf.constant(True).ref(): never}), ValueError),
        (lambda: tf.case([(True, never)]), TypeError),
        (lambda: tf.case([(tf.constant(1), never)]), (TypeError, AttributeError)),
        (lambda: tf.case([(tf.constant(True), 1)]), (TypeError, AttributeError)),
        (lambda: tf.case([(tf.constant(True), never, 3)]), TypeError),
        (lambda: tf.case([(tf.constant(True), never)], default=3), TypeError),
        (lambda: tf.case(3), TypeError),
    ],
)
def test_bad_cases_are_refused(call, error):
    with pytest.raises(error):
        call()


def test_switch_case_counts_branches():
    assert tf.switch_case(tf.constant(1), [never, lambda: "one"]) == "one"
    assert tf.switch_case(tf.constant(9), [never, lambda: "last"]) == "last"
    assert tf.switch_case(tf.constant(-1), [never, lambda: "last"]) == "last"
    assert tf.switch_case(tf.constant(9), {0: never, 1: never}, default=lambda: "default") == "default"
    assert tf.switch_case(tf.constant(0, tf.int64), [(1, never), (0, lambda: "zero")]) == "zero"


@pytest.mark.parametrize(
    ("index", "branches", "error"),
    [
        (1, [never], TypeError),
        (tf.constant(1.0), [never], TypeError),
        (tf.constant([0]), [never], tf.errors.InvalidArgumentError),
        (tf.constant(0), [], ValueError),
        (tf.constant(0), 3, TypeError),
        (tf.constant(0), [1], TypeError),
        (tf.constant(0), {"a": never}, TypeError),
        (tf.constant(0), {0: never, 2: never}, ValueError),
        (tf.constant(0), [(1, never), (1, never)], ValueError),
        (tf.constant(0), [never, (1, never)], TypeError),
    ],
)
def test_bad_switches_are_refused(index, branches, error):
    with pytest.raises(error):
        tf.switch_case(index, branches)


# --- while_loop ------------------------------------------------------------------------------------------------------


def test_while_loop_keeps_the_structure_of_its_variables():
    i, state = tf.while_loop(
        lambda i, state: i < 3,
        lambda i, state: (i + 1, {"x": state["x"] * 2, "y": [state["y"][0]]}),
        [0, {"x": 1.0, "y": [2]}],
    )
    assert (int(i), float(state["x"]), int(state["y"][0])) == (3, 8.0, 2)
    assert isinstance(tf.while_loop(lambda i: i < 3, lambda i: (i + 1,), (0,)), tuple)


@pytest.mark.parametrize(("limit", "expected"), [(2, 2), (tf.constant(2), 2), (0, 0), (-1, 0), (99, 3)])
def test_maximum_iterations_bounds_the_loop(limit, expected):
    (i,) = tf.while_loop(lambda i: i < 3, lambda i: [i + 1], [0], maximum_iterations=limit)
    assert int(i) == expected


def test_a_loop_of_matrices_has_the_gradient_of_its_product():
    x = np.array([[0.5, 0.2], [0.1, 0.9]])

    def cube(x):
        return tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, y @ x), [0, x])[1]

    assert gradient_error(cube, x) < 1e-8


def test_shapes_may_grow_and_arrays_travel_along():
    _, x = tf.while_loop(
        lambda i, x: i < 2,
        lambda i, x: (i + 1, tf.concat([x, x], 0)),
        [0, tf.ones([1])],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])],
    )
    assert x.shape == (4,)
    squares = tf.TensorArray(tf.int32, 3)
    _, squares = tf.while_loop(lambda i, ta: i < 3, lambda i, ta: (i + 1, ta.write(i, i * i)), [0, squares])
    assert squares.stack().numpy().tolist() == [0, 1, 4]


@pytest.mark.parametrize(
    ("body", "variables", "settings", "error"),
    [
        (lambda i: i + 1, [0], {}, TypeError),
        (lambda i: i + 1, [tf.constant(0)], {}, TypeError),
        (lambda i: i + 1, [0], {"maximum_iterations": 2}, ValueError),
        (lambda i: [i + 1, i], [0], {}, ValueError),
        (lambda i: None, [0], {}, TypeError),
        (lambda i: [i + 1], 0, {}, ValueError),
        (lambda i: [i + 1], [], {}, ValueError),
        (3, [0], {}, TypeError),
        (lambda i: [i + 1], [0], {"parallel_iterations": 0}, TypeError),
        (lambda i: [i + 1], [0], {"parallel_iterations": "a"}, TypeError),
        (lambda i: [i + 1], [0], {"maximum_iterations": [2]}, ValueError),
        (lambda i: [[i[0] + 1]], [(0,)], {}, TypeError),
    ],
)
def test_bad_loops_are_refused(body, variables, settings, error):
    with pytest.raises(error):
        tf.while_loop(lambda i: tf.reduce_sum(i) < 3, body, variables, **settings)


# --- map_fn, folds, scan -----------------------------------------------------------------------------------------------


def test_map_fn_stacks_structures_and_types():
    pairs = (tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0]))
    named = tf.map_fn(lambda p: {"a": p[0] * p[1]}, pairs, fn_output_signature={"a": tf.float32})
    assert named["a"].numpy().tolist() == [3.0, 8.0]
    spec = tf.TensorSpec([], tf.int32)
    assert tf.map_fn(lambda x: tf.cast(x, tf.int32), pairs[0], fn_output_signature=spec).numpy().tolist() == [
        1,
        2,
    ]
    assert tf.map_fn(lambda x: x, {"a": pairs[0]})["a"].numpy().tolist() == [1.0, 2.0]
    assert tf.map_fn(lambda x: x * x, tf.zeros([0])).shape == (0,)


def test_map_fn_gives_what_vectorized_map_gives():
    x = tf.constant(np.random.default_rng(0).standard_normal((3, 2, 2)))
    one, all_at_once = (f(lambda m: m @ m - 1.0, x) for f in (tf.map_fn, tf.vectorized_map))
    np.testing.assert_allclose(one, all_at_once, rtol=1e-12)


@pytest.mark.parametrize(
    ("function", "elems", "settings", "error"),
    [
        (lambda x: x, [1.0, 2.0], {}, ValueError),
        (lambda x: x, tf.constant(1.0), {}, ValueError),
        (lambda x: x, [], {}, ValueError),
        (3, tf.constant([1.0]), {}, (TypeError, AttributeError)),
        (lambda x: (x, x), tf.constant([1.0]), {}, ValueError),
        (lambda x: [x, x], tf.constant([1.0]), {"dtype": (tf.float32, tf.float32)}, TypeError),
        (lambda x: x, (tf.constant([1.0, 2.0]), tf.constant([1.0])), {}, ValueError),
        (lambda x: tf.cast(x, tf.int32), tf.constant([1.0]), {}, tf.errors.InvalidArgumentError),
        (lambda x: tf.range(x), tf.constant([1, 2]), {}, ValueError),
        (lambda x: None, tf.constant([1, 2]), {}, ValueError),
        (lambda x: x, tf.constant([1, 2]), {"fn_output_signature": tf.TensorSpec([3], tf.int32)}, ValueError),
    ],
)
def test_bad_maps_are_refused(function, elems, settings, error):
    with pytest.raises(error):
        tf.map_fn(function, elems, **settings)


def test_folds_go_left_and_right():
    x = tf.constant([1, 2, 3])
    assert int(tf.foldl(lambda a, e: a * 10 + e, x)) == 123
    assert int(tf.foldr(lambda a, e: a * 10 + e, x)) == 321
    assert int(tf.foldl(lambda a, e: a - e, x, initializer=10)) == 4
    both = tf.foldl(lambda a, e: (a[0] + e, a[1] * e), x, initializer=(0, 1))
    assert [int(v) for v in both] == [6, 6]
    assert float(tf.foldl(lambda a, e: a + e, tf.zeros([0]), initializer=1.0)) == 1.0


def test_scan_shows_every_step():
    x = tf.constant([1, 2, 3])
    assert tf.scan(lambda a, e: a + e, x).numpy().tolist() == [1, 3, 6]
    assert tf.scan(lambda a, e: a + e, x, reverse=True).numpy().tolist() == [6, 5, 3]
    assert tf.scan(lambda a, e: a - e, x, initializer=10, reverse=True).numpy().tolist() == [4, 5, 7]
    fibonacci = tf.scan(lambda a, _: (a[1], a[0] + a[1]), tf.zeros([4]), initializer=(0, 1))
    assert fibonacci[0].numpy().tolist() == [1, 1, 2, 3]
    assert tf.scan(lambda a, e: {"s": a["s"] + e}, x, initializer={"s": 0})["s"].numpy().tolist() == [1, 3, 6]
    assert tf.scan(lambda a, e: a + e, tf.zeros([0]), initializer=1.0).shape == (0,)


@pytest.mark.parametrize("fold", [tf.foldl, tf.foldr, tf.scan])
def test_folds_refuse_what_they_cannot_take_apart(fold):
    with pytest.raises(tf.errors.OutOfRangeError):
        fold(lambda a, e: a + e, tf.zeros([0]))
    with pytest.raises(IndexError):
        fold(lambda a, e: a + e, tf.constant(3))
    with pytest.raises(AttributeError):
        fold(3, tf.constant([1]))


def test_scan_checks_structure_and_shape():
    x = tf.constant([1, 2])
    with pytest.raises(TypeError):
        tf.scan(lambda a, e: [a[1], a[0]], x, initializer=(0, 1))
    with pytest.raises(ValueError, match="Incompatible"):
        tf.scan(lambda a, e: tf.concat([a, [e]], 0), x, initializer=tf.zeros([0], tf.int32))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: tf.map_fn(lambda e: e * e * e, x),
        lambda x: tf.foldl(lambda a, e: a * e, x),
        lambda x: tf.foldr(lambda a, e: a / e, x),
        lambda x: tf.scan(lambda a, e: a * e + e, x),
        lambda x: tf.scan(lambda a, e: a * e + e, x, reverse=True, initializer=tf.constant(0.5, tf.float64)),
    ],
)
def test_gradients_through_loops(function):
    assert gradient_error(function, np.array([0.5, 1.5, -2.0])) < 1e-6
