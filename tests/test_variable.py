"""Variables: declared once, read like tensors, changed with assign."""

import copy
import pickle

import numpy as np
import pytest

import gradtape as tf
from gradtape.native.abi import counts_holders

in_place = pytest.mark.skipif(
    not counts_holders(), reason="nothing is changed in place: counts of references are not exact"
)

REPRS = [
    (lambda: tf.Variable(1.0), "<tf.Variable 'Variable:0' shape=() dtype=float32, numpy=1.0>"),
    (
        lambda: tf.Variable(0.1),
        "<tf.Variable 'Variable:0' shape=() dtype=float32, numpy=0.10000000149011612>",
    ),
    (
        lambda: tf.Variable([1.0, 2.0], name="v"),
        "<tf.Variable 'v:0' shape=(2,) dtype=float32, numpy=array([1., 2.], dtype=float32)>",
    ),
    (
        lambda: tf.Variable([[1.0], [2.0]]),
        "<tf.Variable 'Variable:0' shape=(2, 1) dtype=float32, numpy=\narray([[1.],\n       [2.]], dtype=float32)>",
    ),
    (lambda: tf.Variable("a"), "<tf.Variable 'Variable:0' shape=() dtype=string, numpy=b'a'>"),
    (lambda: tf.Variable([True]), "<tf.Variable 'Variable:0' shape=(1,) dtype=bool, numpy=array([ True])>"),
    (
        lambda: tf.Variable(1.0, dtype=tf.bfloat16),
        "<tf.Variable 'Variable:0' shape=() dtype=bfloat16, numpy=1.0>",
    ),
    (
        lambda: tf.Variable([1.0], shape=tf.TensorShape(None)),
        "<tf.Variable 'Variable:0' shape=<unknown> dtype=float32, numpy=array([1.], dtype=float32)>",
    ),
    (
        lambda: tf.Variable([1.0], shape=[None]),
        "<tf.Variable 'Variable:0' shape=(None,) dtype=float32, numpy=array([1.], dtype=float32)>",
    ),
    (
        lambda: tf.Variable(1.0).assign(2.0),
        "<tf.Variable 'UnreadVariable' shape=() dtype=float32, numpy=2.0>",
    ),
]


@pytest.mark.parametrize(("make", "text"), REPRS, ids=[text for _, text in REPRS])
def test_variables_print_as_tensorflow_prints_them(make, text):
    assert repr(make()) == text
    assert str(make()) == text


# ---------------------------------------------------------------- making


def test_what_a_variable_knows_of_itself():
    v = tf.Variable([1.0, 2.0])
    assert (v.trainable, v.name, v.dtype, v.shape, v.constraint) == (
        True,
        "Variable:0",
        tf.float32,
        (2,),
        None,
    )
    assert v.synchronization is tf.VariableSynchronization.AUTO
    assert v.aggregation is tf.VariableAggregation.NONE
    assert v.device.endswith("CPU:0")


def test_the_initial_value_may_be_a_function_an_array_or_a_variable():
    assert tf.Variable(lambda: tf.constant(3.0)).numpy() == 3.0
    assert tf.Variable(np.ones(2), dtype=tf.float32).dtype == tf.float32
    a = tf.Variable([1.0, 2.0])
    b = tf.Variable(a)
    b.assign([5.0, 6.0])
    assert a.numpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({}, ValueError),
        ({"initial_value": None}, ValueError),
        ({"initial_value": 1.5, "dtype": tf.int32}, TypeError),
        ({"initial_value": tf.constant(1.5), "dtype": tf.float64}, ValueError),
        ({"initial_value": [1.0], "shape": [2]}, ValueError),
        ({"initial_value": 1.0, "constraint": 3}, ValueError),
    ],
    ids=str,
)
def test_wrong_declarations_are_errors(arguments, error):
    with pytest.raises(error):
        tf.Variable(**arguments)


def test_on_read_variables_are_not_trainable_unless_told():
    assert not tf.Variable(1.0, synchronization=tf.VariableSynchronization.ON_READ).trainable
    assert not tf.Variable(1.0, trainable=False).trainable


def test_the_initial_array_and_the_arrays_read_are_not_the_variable():
    source = np.ones(2, np.float32)
    v = tf.Variable(source)
    source[0] = 5.0
    v.numpy()[0] = 7.0
    assert v.numpy().tolist() == [1.0, 1.0]


# ---------------------------------------------------------------- assigning


def test_assignments_return_the_variable():
    v = tf.Variable(1.0)
    assert v.assign(2).assign_add(3.0).assign_sub(1.0).numpy() == 4.0
    assert v.numpy() == 4.0
    assert v.assign(5.0, read_value=False) is None
    result = v.assign(6.0)
    assert (result + 1.0).numpy() == 7.0
    assert result.name == "UnreadVariable"


def test_what_was_read_before_keeps_its_value():
    v = tf.Variable([1.0, 2.0])
    read, value, part, array = v.read_value(), v.value(), v[0], v.numpy()
    v.assign([3.0, 4.0])
    v[0].assign(9.0)
    v.assign_add([1.0, 1.0])
    v.scatter_add(tf.IndexedSlices(tf.constant([1.0]), tf.constant([0])))
    assert read.numpy().tolist() == value.numpy().tolist() == array.tolist() == [1.0, 2.0]
    assert part.numpy() == 1.0


def test_values_of_another_type_or_shape_are_refused_and_change_nothing():
    v = tf.Variable([1.0, 2.0])
    for wrong, error in [
        (lambda: v.assign([1.0]), ValueError),
        (lambda: v.assign(tf.constant([1, 2])), ValueError),
        (lambda: v.assign_add(1.0), tf.errors.InvalidArgumentError),
        (lambda: v.assign_sub([[1.0, 2.0]]), tf.errors.InvalidArgumentError),
        (lambda: v[:1].assign([1.0, 2.0]), tf.errors.InvalidArgumentError),
        (lambda: v[5].assign(1.0), tf.errors.InvalidArgumentError),
        (
            lambda: v.scatter_add(tf.IndexedSlices(tf.constant([2.0]), tf.constant([7]))),
            tf.errors.InvalidArgumentError,
        ),
        (lambda: v.scatter_nd_add([[5]], [1.0]), tf.errors.InvalidArgumentError),
        (lambda: v.scatter_add([1.0]), TypeError),
    ]:
        with pytest.raises(error):
            wrong()
    with pytest.raises(TypeError):
        tf.Variable(1).assign(2.5)
    with pytest.raises(TypeError):
        v[0] = 1.0
    assert v.numpy().tolist() == [1.0, 2.0]


def test_a_declared_shape_may_leave_sizes_open():
    v = tf.Variable([1.0, 2.0], shape=[None])
    v.assign([1.0, 2.0, 3.0])
    assert v.shape == [None]
    assert tf.shape(v).numpy().tolist() == [3]
    with pytest.raises(ValueError, match="Shape mismatch"):
        v.assign([[1.0]])
    anything = tf.Variable(1.0, shape=tf.TensorShape(None))
    anything.assign([[1.0]])
    assert anything.shape.rank is None
    with pytest.raises(tf.errors.InvalidArgumentError):
        anything.assign_add(1.0)


def test_parts_can_be_assigned():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    v[:, 0].assign([7.0, 8.0])
    v[1, ...].assign_add([0.5, 0.5])
    v[0, 1].assign_sub(1.0)
    v[0:1].assign(tf.zeros([1, 2]))
    assert v.numpy().tolist() == [[0.0, 0.0], [8.5, 4.5]]


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("scatter_add", [8.0, 2.0]),
        ("scatter_sub", [-6.0, 2.0]),
        ("scatter_mul", [10.0, 2.0]),
        ("scatter_div", [0.1, 2.0]),
        ("scatter_max", [5.0, 2.0]),
        ("scatter_min", [1.0, 2.0]),
        ("scatter_update", [5.0, 2.0]),
    ],
)
def test_rows_can_be_scattered_and_repeated_rows_all_count(method, expected):
    v = tf.Variable([1.0, 2.0])
    getattr(v, method)(tf.IndexedSlices(tf.constant([2.0, 5.0]), tf.constant([0, 0])))
    np.testing.assert_allclose(v.numpy(), expected, rtol=1e-6)


def test_scatter_nd_and_batch_scatter():
    v = tf.Variable([1.0, 2.0, 3.0])
    v.scatter_nd_add([[0], [2]], [1.0, 1.0])
    v.scatter_nd_sub([[1]], [2.0])
    v.scatter_nd_update([[1]], [9.0])
    v.scatter_nd_max([[0]], [7.0])
    v.scatter_nd_min([[2]], [-7.0])
    assert v.numpy().tolist() == [7.0, 9.0, -7.0]
    m = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    m.batch_scatter_update(tf.IndexedSlices(tf.constant([[9.0], [8.0]]), tf.constant([[0], [1]])))
    assert m.numpy().tolist() == [[9.0, 2.0], [3.0, 8.0]]
    assert v.sparse_read([0, 2]).numpy().tolist() == [7.0, -7.0]
    assert v.gather_nd([[1]]).numpy().tolist() == [9.0]


def test_augmented_assignment_would_lose_the_variable_and_is_refused():
    v = tf.Variable(1.0)
    for statement in ("v += 1.0", "v -= 1.0", "v *= 2.0", "v /= 2.0", "v **= 2.0"):
        with pytest.raises(RuntimeError, match="assign"):
            exec(statement, {"v": v})
    assert v.numpy() == 1.0


def test_strings_and_truth_values_can_be_held():
    assert tf.Variable("a").assign("b").numpy() == b"b"
    assert tf.Variable([True]).assign([False]).numpy().tolist() == [False]


# ---------------------------------------------------------------- gradients


def test_the_gradient_is_taken_at_the_value_that_was_read():
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = v * v
        v.assign(100.0)
    assert tape.gradient(y, v).numpy() == 6.0


def test_reads_before_and_after_an_assignment_both_count():
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = v * v
        v.assign_add(1.0)
        y += v * v
    assert tape.gradient(y, v).numpy() == 6.0 + 8.0


def test_an_assigned_value_is_not_followed_to_where_it_came_from():
    v, w = tf.Variable(3.0), tf.Variable(0.0)
    with tf.GradientTape() as tape:
        w.assign(v * v)
        y = w * 2.0
    assert [g if g is None else g.numpy() for g in tape.gradient(y, [v, w])] == [None, 2.0]


def test_a_slice_of_a_variable_is_recorded():
    v = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(v[1:] ** 2)
    assert tape.gradient(y, v).numpy().tolist() == [0.0, 4.0, 6.0]


# ---------------------------------------------------------------- copies


def test_a_deep_copy_is_a_variable_of_its_own():
    v = tf.Variable(1.0, name="q", trainable=False)
    w = copy.deepcopy(v)
    w.assign(3.0)
    assert (v.numpy(), w.numpy(), w.name, w.trainable) == (1.0, 3.0, "q:0", False)


def test_a_deep_copy_of_a_structure_keeps_what_is_shared_shared():
    v = tf.Variable(1.0)
    twin = copy.deepcopy({"a": v, "b": [v]})
    assert twin["a"] is twin["b"][0]
    with tf.GradientTape() as tape:
        y = v * twin["a"] * 3.0
    assert [g.numpy() for g in tape.gradient(y, [v, twin["a"]])] == [3.0, 3.0]


def test_pickle_keeps_value_name_and_kind():
    v = tf.Variable([1.0, 2.0], name="q", trainable=False, shape=[None])
    w = pickle.loads(pickle.dumps(v))
    assert isinstance(w, tf.Variable)
    assert repr(w) == repr(v)
    assert w.trainable is False
    with tf.GradientTape() as tape:
        tape.watch(w)
        y = w * w
    assert tape.gradient(y, w).numpy().tolist() == [2.0, 4.0]


# ---------------------------------------------------------------- names


def test_name_scopes_stand_in_front_of_names():
    with tf.name_scope("a") as outer, tf.name_scope("b") as inner:
        v = tf.Variable(1.0, name="w")
    assert (outer, inner, v.name) == ("a/", "a/b/", "a/b/w:0")
    assert tf.Variable(1.0).name == "Variable:0"


def test_a_name_scope_ends_with_an_exception():
    with pytest.raises(KeyError), tf.name_scope("a"):
        raise KeyError
    assert tf.Variable(1.0, name="w").name == "w:0"


# --- in place, where nobody can see it -----------------------------------------------------------------------------------------

ROWS = np.array([1, 3, 3])
CHANGES = {
    "assign_add": (lambda v: v.assign_add(tf.ones(v.shape)), lambda x: x + 1),
    "assign_sub": (lambda v: v.assign_sub(tf.ones(v.shape)), lambda x: x - 1),
    "scatter_add": (
        lambda v: v.scatter_add(tf.IndexedSlices(tf.ones((3, v.shape[1])), ROWS)),
        lambda x: x + np.bincount(ROWS, minlength=len(x))[:, None],
    ),
    "scatter_nd_update": (
        lambda v: v.scatter_nd_update([[0, 0]], [7.0]),
        lambda x: np.where(np.arange(x.size).reshape(x.shape), x, 7),
    ),
    "part": (
        lambda v: v[1:3].assign_add(tf.ones((2, v.shape[1]))),
        lambda x: x + np.isin(np.arange(len(x)), (1, 2))[:, None],
    ),
}


def of_size(columns):
    return np.random.default_rng(0).normal(size=(100, columns)).astype(np.float32)


@pytest.mark.parametrize("columns", [3, 200, 2000])
@pytest.mark.parametrize("name", CHANGES)
def test_what_was_read_before_a_change_stays(name, columns):
    change, changed = CHANGES[name]
    before = of_size(columns)
    readers = {
        "a tensor": lambda v: v.read_value(),
        "the tensor itself": lambda v: tf.convert_to_tensor(v),
        "a part": lambda v: v[:, 1:],
        "an array": lambda v: np.asarray(v),
        "a view": lambda v: v.numpy()[1:],
        "another shape": lambda v: tf.reshape(v, (-1,)),
        "nothing": lambda v: 0,
    }
    for read in readers.values():
        variable = tf.Variable(before)
        seen = read(variable)
        kept = np.array(seen)
        change(variable)
        change(variable)
        np.testing.assert_array_equal(seen, kept)
        np.testing.assert_allclose(variable, changed(changed(before)), rtol=1e-6)


@pytest.mark.parametrize("name", CHANGES)
def test_a_tape_keeps_the_value_that_it_saw(name):
    change, _ = CHANGES[name]
    before = of_size(200)
    variable = tf.Variable(before)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(variable * variable)
        change(variable)
    np.testing.assert_allclose(tape.gradient(loss, variable), 2 * before)


@pytest.mark.parametrize("name", CHANGES)
@in_place
def test_a_large_value_that_nobody_else_holds_is_changed_where_it_is(name):
    change, _ = CHANGES[name]
    variable = tf.Variable(of_size(2000))
    change(variable)
    place = variable._value._array.__array_interface__["data"]
    for _ in range(3):
        change(variable)
        assert variable._value._array.__array_interface__["data"] == place


def test_a_variable_added_to_itself():
    before = of_size(200)
    variable = tf.Variable(before)
    variable.assign_add(variable)
    np.testing.assert_array_equal(variable, 2 * before)
    variable.scatter_nd_add([[k] for k in range(100)], variable)
    np.testing.assert_array_equal(variable, 4 * before)


@pytest.mark.parametrize("name", ["scatter_add", "scatter_update", "scatter_max"])
def test_a_change_that_does_not_fit_changes_nothing(name):
    before = of_size(200)
    variable = tf.Variable(before)
    for values, rows in [((3, 7), ROWS), ((2, 200), ROWS), ((3, 200), [0, 1, 100]), ((3, 200), [0, -1, 2])]:
        with pytest.raises((ValueError, IndexError, tf.errors.InvalidArgumentError)):
            getattr(variable, name)(tf.IndexedSlices(tf.ones(values), np.array(rows)))
        np.testing.assert_array_equal(variable, before)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "float16"])
@pytest.mark.parametrize("count", [0, 1, 5, 300])
@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "max", "min"])
def test_many_rows_are_scattered_as_one_after_the_other(name, count, dtype):
    if name == "div" and dtype == "int32":
        pytest.skip("quotients of integers are no integers")
    rng = np.random.default_rng(count)
    before = rng.integers(1, 4, (20, 3)).astype(dtype)
    rows, values = rng.integers(0, 20, count), rng.choice([1, 2], (count, 3)).astype(dtype)
    if name in ("mul", "div"):  # powers of two: exact, whatever the order
        values = np.where(np.arange(count)[:, None] % 3, np.ones_like(values), values)
    wanted = before.copy()
    function = getattr(
        np, {"sub": "subtract", "mul": "multiply", "div": "divide", "max": "maximum", "min": "minimum"}.get(name, name)
    )
    for row, value in zip(rows, values, strict=True):
        wanted[row] = function(wanted[row], value)
    variable = tf.Variable(before)
    getattr(variable, f"scatter_{name}")(tf.IndexedSlices(tf.constant(values), tf.constant(rows)))
    np.testing.assert_array_equal(variable, wanted)


REPEATED = [  # method, type, start, what comes for one row
    ("scatter_div", "float32", 1e38, [1e30, 1e30]),
    ("scatter_div", "float32", 0, [1e-30, 1e-30]),
    ("scatter_mul", "float32", 0, [1e30, 1e30]),
    ("scatter_mul", "float32", 1e-30, [1e30, 1e-30]),
    ("scatter_mul", "float16", 1e-3, [256, 256]),
    ("scatter_add", "float16", -60000, [40000, 40000]),
    ("scatter_sub", "float32", 1, [2, 3, 4, 5]),
    ("scatter_max", "float32", 1, [2, 5, 4, 3]),
]


@pytest.mark.parametrize(("method", "dtype", "start", "values"), REPEATED)
@pytest.mark.parametrize("others", [0, 10])
def test_what_is_for_one_row_comes_one_after_the_other(method, dtype, start, values, others):
    before = np.full((20, 2), start, dtype)
    rows = np.array([3] * len(values) + list(range(5, 5 + others)))
    given = np.repeat(np.array(values + [1] * others, dtype)[:, None], 2, 1)
    names = {"sub": "subtract", "mul": "multiply", "div": "divide", "max": "maximum"}
    name = method.removeprefix("scatter_")
    wanted = before.copy()
    getattr(np, names.get(name, name)).at(wanted, rows, given)
    variable = tf.Variable(before)
    getattr(variable, method)(tf.IndexedSlices(tf.constant(given), tf.constant(rows)))
    np.testing.assert_allclose(variable.numpy().astype(float), wanted.astype(float), rtol=1e-3)


@in_place
def test_a_copy_is_changed_where_somebody_holds_the_value():
    variable = tf.Variable(of_size(200))
    seen = []
    held = [variable.read_value()]
    variable._updated(lambda array: seen.append(array is held[0]._array))
    held.clear()
    before = id(variable._value._array)
    variable._updated(lambda array: seen.append(id(array) == before))
    assert seen == [False, True]
    assert id(variable._value._array) == before


N = 20_000  # numbers, enough for updates in place


def _two_changes(v, one):
    old = v.read_value()
    v.assign_sub(0.1 * one)
    v.assign_sub(0.5 * old)


def _a_value_from_before_an_assignment(v, one):
    old = v.read_value()
    v.assign(one * 100.0)
    v.assign_sub(0.5 * old)


def _two_results_of_one_value(v, one):
    less, more = v - one, v * 3.0
    v.assign(less)
    v.assign(more)


def _a_result_that_waits(v, one):
    twice = v * 2.0
    v.assign(one * 100.0)
    tf.reduce_sum(v)
    v.assign(twice)


def _a_result_beside_an_update(v, one):
    twice = v * 2.0
    v.assign_sub(one)
    v.assign(twice)


@pytest.mark.parametrize(
    "change",
    [
        _two_changes,
        _a_value_from_before_an_assignment,
        _two_results_of_one_value,
        _a_result_that_waits,
        _a_result_beside_an_update,
    ],
)
def test_large_changes_in_a_function_happen_in_their_order(change):
    one = tf.ones(N)
    traced, plain = tf.Variable(one * 5.0), tf.Variable(one * 5.0)
    function = tf.function(lambda: change(traced, one))
    for _ in range(2):
        function()
        change(plain, one)
        np.testing.assert_allclose(traced, plain)


def test_a_text_is_assigned_to_one_element():
    v = tf.Variable(["a", "b"])
    v[1].assign("q")
    assert v.numpy().tolist() == [b"a", b"q"]
    assert tf.strings.join([v, v]).numpy().tolist() == [b"aa", b"qq"]


def test_an_update_in_a_function_does_not_broadcast_to_a_variable_of_any_shape():
    v = tf.Variable(tf.ones((2, 3)), shape=tf.TensorShape(None))
    subtract = tf.function(lambda delta: v.assign_sub(delta))
    subtract(tf.ones((2, 3)))
    v.assign(tf.ones((1, 3)))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"shape \(1, 3\)"):
        subtract(tf.ones((2, 3)))
    assert v.numpy().shape == (1, 3)


PARTS = {  # a change of a variable of five elements that fits with 1, and not with 9
    "an element": lambda v, i: v[i].assign(1.0),
    "from the end": lambda v, i: v[-i].assign(1.0),
    "behind dots": lambda v, i: v[..., i].assign_add(1.0),
    "a step of zero": lambda v, i: v[:: i - 9].assign(tf.zeros([5])),
    "another shape": lambda v, i: v.assign(tf.ones([i])),
    "rows": lambda v, i: v.scatter_update(tf.IndexedSlices([1.0], [i])),
    "rows of a batch": lambda v, i: v.batch_scatter_update(tf.IndexedSlices([1.0], [i])),
    "values for other rows": lambda v, i: v.scatter_add(tf.IndexedSlices([1.0, 2.0, 3.0], [0, i // 9])),
}


@pytest.mark.parametrize("name", PARTS)
def test_a_part_that_is_not_there_is_an_invalid_argument_inside_functions_too(name):
    v = tf.Variable(tf.zeros([5]))

    def call(i):
        PARTS[name](v, i)

    unknown = tf.function(call, input_signature=[tf.TensorSpec(None, tf.int32)])
    for run in (call, tf.function(call), unknown):
        with pytest.raises(tf.errors.InvalidArgumentError):
            run(tf.constant(9))
    assert not v.numpy().any()
