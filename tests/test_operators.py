"""Python's operators, comparisons, indexing and conversions on tensors and variables."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import gradtape as tf

# ---------------------------------------------------------------- arithmetic


@pytest.mark.parametrize("make", [tf.constant, tf.Variable], ids=["tensor", "variable"])
@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (lambda x: x + 2.0, 9.0),
        (lambda x: 2.0 + x, 9.0),
        (lambda x: x - 2.0, 5.0),
        (lambda x: 2.0 - x, -5.0),
        (lambda x: x * 2.0, 14.0),
        (lambda x: 2.0 * x, 14.0),
        (lambda x: x / 2.0, 3.5),
        (lambda x: 14.0 / x, 2.0),
        (lambda x: x // 2.0, 3.0),
        (lambda x: 15.0 // x, 2.0),
        (lambda x: x % 2.0, 1.0),
        (lambda x: 15.0 % x, 1.0),
        (lambda x: x**2.0, 49.0),
        (lambda x: 2.0**x, 128.0),
        (lambda x: -x, -7.0),
        (lambda x: +x, 7.0),
        (lambda x: abs(-x), 7.0),
    ],
)
def test_operators_on_both_sides(make, expression, expected):
    result = expression(make(7.0))
    assert isinstance(result, tf.Tensor)
    assert result.dtype == tf.float32
    assert result.numpy() == expected


def test_integers_divide_as_floats_and_round_down():
    assert (tf.constant(7) / 2).dtype == tf.float64
    assert (tf.constant(7, tf.int8) / 2).dtype == tf.float32
    assert ((tf.constant(-7) // 2).numpy(), (tf.constant(-7) % 2).numpy()) == (-4, 1)
    assert np.isinf((tf.constant(1) / 0).numpy())
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.constant(1) // 0
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.constant(2) ** -1


def test_types_do_not_mix():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"tf\.cast"):
        tf.constant(1.0) + tf.constant(1)
    with pytest.raises((TypeError, tf.errors.InvalidArgumentError)):
        tf.constant(1) + 1.5
    with pytest.raises(ValueError, match="None"):
        tf.constant(1.0) + None


@pytest.mark.parametrize(
    ("left", "right", "dtype"),
    [
        (tf.constant(1.0), np.float64(2.0), "float32"),
        (np.float64(2.0), tf.constant(1.0), "float32"),
        (np.array([1.0, 2.0]), tf.constant([1.0, 2.0]), "float32"),
        (np.array([1, 2]), tf.constant([1.0, 2.0]), "float32"),
        ([1.0, 2.0], tf.constant([1.0, 2.0]), "float32"),
        (tf.constant([1.0, 2.0]), [1, 2], "float32"),
        (tf.constant(1, tf.int64), np.int32(1), "int64"),
        (tf.constant(1.0, tf.bfloat16), 2.5, "bfloat16"),
        (2.5, tf.constant(1.0, tf.float16), "float16"),
    ],
)
def test_numbers_lists_and_arrays_take_the_type_of_the_tensor(left, right, dtype):
    for result in (left + right, left * right):
        assert isinstance(result, tf.Tensor)
        assert result.dtype.name == dtype


def test_a_mask_of_truth_values_multiplies():
    assert (tf.constant([1.0, 2.0]) * np.array([True, False])).numpy().tolist() == [1.0, 0.0]


def test_truth_values_combine():
    t, f = tf.constant(True), tf.constant(False)
    assert [bool(x) for x in (t & f, t | f, t ^ t, ~t, True & f, False | t)] == [
        False,
        True,
        False,
        False,
        False,
        True,
    ]


def test_integers_combine_bit_by_bit():
    assert [(tf.constant(6) & 3).numpy(), (tf.constant(6) | 3).numpy(), (tf.constant(6) ^ 3).numpy()] == [
        2,
        7,
        5,
    ]
    assert (~tf.constant(6)).numpy() == -7


def test_strings_add_by_joining():
    assert (tf.constant("a") + "b").numpy() == b"ab"


def test_matmul_takes_arrays_and_vectors_on_either_side():
    matrix, vector = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([1.0, 10.0])
    assert (matrix @ np.eye(2)).numpy().tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert (np.eye(2) @ matrix).numpy().tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert (matrix @ vector).numpy().tolist() == [21.0, 43.0]
    assert (vector @ matrix).numpy().tolist() == [31.0, 42.0]
    assert (vector @ vector).numpy() == 101.0
    with pytest.raises(tf.errors.InvalidArgumentError):
        matrix @ tf.constant(2.0)


# ---------------------------------------------------------------- comparison


def test_comparisons_are_elementwise():
    x = tf.constant([1, 2, 3])
    assert (x < 2).numpy().tolist() == [True, False, False]
    assert (2 < x).numpy().tolist() == [False, False, True]  # noqa: SIM300
    assert (x >= tf.constant([3, 2, 1])).numpy().tolist() == [False, True, True]
    assert (x == [1, 0, 3]).numpy().tolist() == [True, False, True]
    assert (x != [1, 0, 3]).numpy().tolist() == [False, True, False]
    assert (np.array([1, 0, 3]) == x).numpy().tolist() == [True, False, True]


def test_other_shapes_and_none_are_different():
    x = tf.constant([1.0, 2.0])
    assert not (x == [1.0, 2.0, 3.0])  # noqa: SIM201
    assert x != [1.0, 2.0, 3.0]
    assert (x == None) is False  # noqa: E711
    assert (x != None) is True  # noqa: E711


def test_other_types_are_errors():
    with pytest.raises(TypeError):
        tf.constant([1.0]) == "a"  # noqa: B015
    with pytest.raises(TypeError):
        tf.constant(1) == 1.5  # noqa: B015
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.constant(1.0) == tf.constant(1)  # noqa: B015


def test_tensors_and_variables_are_no_keys_but_their_references_are():
    x, v = tf.constant(1.0), tf.Variable(1.0)
    for value in (x, v):
        with pytest.raises(TypeError, match="unhashable"):
            hash(value)
        assert {value.ref(): "found"}[value.ref()] == "found"
        assert value.ref().deref() is value
    assert x.ref() != tf.constant(1.0).ref()


# ---------------------------------------------------------------- conversion to Python


def test_python_numbers_of_scalars():
    assert (float(tf.constant(2)), int(tf.constant(2.7)), complex(tf.constant(2.0))) == (2.0, 2, 2 + 0j)
    assert float(tf.constant(1.5, tf.bfloat16)) == 1.5
    assert ["a", "b"][tf.constant(1)] == "b"
    assert list(range(tf.constant(3))) == [0, 1, 2]
    assert (float(tf.Variable(2.0)), int(tf.Variable(3)), bool(tf.Variable(True))) == (2.0, 3, True)


def test_only_integer_scalars_are_indices():
    for wrong in (tf.constant(1.0), tf.constant([1])):
        with pytest.raises(TypeError):
            ["a", "b"][wrong]


def test_arrays_are_no_python_numbers():
    with pytest.raises(TypeError):
        float(tf.constant([1.0, 2.0]))
    with pytest.raises(TypeError):
        len(tf.constant(1.0))
    assert len(tf.constant([1.0, 2.0])) == 2


def test_truth_is_that_of_one_element():
    assert bool(tf.constant(1.0))
    assert not bool(tf.constant([0]))
    assert not bool(tf.constant([]))
    assert bool(tf.constant("a"))
    assert not bool(tf.constant(""))
    with pytest.raises(ValueError, match="ambiguous"):
        bool(tf.constant([1.0, 2.0]))


def test_iteration_gives_rows_and_is_recorded():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert [row.numpy().tolist() for row in x] == [[1.0, 2.0], [3.0, 4.0]]
    with tf.GradientTape() as tape:
        tape.watch(x)
        first, second = x
        y = tf.reduce_sum(first) + 10.0 * tf.reduce_sum(second)
    assert tape.gradient(y, x).numpy().tolist() == [[1.0, 1.0], [10.0, 10.0]]
    with pytest.raises(TypeError):
        iter(tf.constant(1.0))


def test_pythons_sum_and_max_work():
    v = tf.Variable([3.0, 1.0, 2.0])
    assert sum(v).numpy() == 6.0
    assert max(v).numpy() == 3.0
    assert [float(x) for x in sorted(v)] == [1.0, 2.0, 3.0]
    assert 3.0 in tf.constant([1.0, 3.0])


# ---------------------------------------------------------------- indexing

CUBE = np.arange(24, dtype=np.float32).reshape(2, 3, 4)

KEYS = [
    0,
    -1,
    (1, 2),
    (1, 2, 3),
    slice(1, None),
    slice(None, None, -1),
    (slice(None), slice(2, 0, -1)),
    (slice(-100, 100), 1),
    ...,
    (..., 1),
    (1, ..., None),
    None,
    (slice(None), None, 1),
    (..., slice(None, None, 2)),
    (),
    (0, slice(5, None)),
]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_basic_keys_read_as_in_numpy_and_scatter_the_cotangent(key):
    x = tf.constant(CUBE)
    with tf.GradientTape() as tape:
        tape.watch(x)
        part = x[key]
        y = tf.reduce_sum(part * part)
    np.testing.assert_array_equal(part.numpy(), CUBE[key])
    expected = np.zeros_like(CUBE)
    expected[key] = 2 * CUBE[key]
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), expected)


ADVANCED = [
    CUBE > 10,
    np.array([True, False]),
    (0, np.array([True, False, True])),
    np.array([1, 0, 1]),
    (np.array([0, 1]), np.array([2, 0])),
    (slice(None), np.array([2, 2])),
    (np.array([[0], [1]]), np.array([1, 2])),
    (..., np.array([3, 3, 0])),
]


@pytest.mark.parametrize("wrap", [lambda a: a, tf.constant], ids=["array", "tensor"])
@pytest.mark.parametrize("position", range(len(ADVANCED)))
def test_masks_and_index_arrays_read_as_in_numpy_and_add_up_repeated_places(position, wrap):
    key = ADVANCED[position]
    given = tuple(wrap(k) if isinstance(k, np.ndarray) else k for k in key) if isinstance(key, tuple) else wrap(key)
    x = tf.constant(CUBE)
    with tf.GradientTape() as tape:
        tape.watch(x)
        part = x[given]
        y = tf.reduce_sum(part * part)
    np.testing.assert_array_equal(part.numpy(), CUBE[key])
    expected = np.zeros_like(CUBE)
    np.add.at(expected, key, 2 * CUBE[key])
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), expected)


LISTS = [
    ([0, 1], (0, 1)),
    ([1], (1,)),
    ([], ()),
    ([0, slice(None), -1], (0, slice(None), -1)),
    ([..., 0], (..., 0)),
    ([None, 1], (None, 1)),
    ([np.int64(1), np.array(2)], (1, 2)),
    ([tf.constant(0), 1], (0, 1)),
    ((0, True), (0, 1)),
]


@pytest.mark.parametrize("way", ["eager", "function", "variable"])
@pytest.mark.parametrize(("given", "read"), LISTS, ids=str)
def test_a_list_as_a_key_is_read_as_a_tuple(given, read, way):
    x = tf.Variable(CUBE) if way == "variable" else tf.constant(CUBE)
    take = tf.function(lambda x: x[given]) if way == "function" else lambda x: x[given]
    with tf.GradientTape() as tape:
        tape.watch(x)
        part = take(x)
        y = tf.reduce_sum(part * part)
    np.testing.assert_array_equal(part.numpy(), CUBE[read])
    expected = np.zeros_like(CUBE)
    expected[read] = 2 * CUBE[read]
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), expected)


@pytest.mark.parametrize("in_function", [False, True])
@pytest.mark.parametrize(("given", "read"), LISTS, ids=str)
def test_a_list_as_a_key_assigns_where_it_reads(given, read, in_function):
    variable = tf.Variable(CUBE)
    assign = lambda: variable[given].assign(-tf.ones_like(variable[given]))  # noqa: E731
    tf.function(assign)() if in_function else assign()
    expected = np.array(CUBE)
    expected[read] = -1
    np.testing.assert_array_equal(variable.numpy(), expected)


@pytest.mark.parametrize(
    ("key", "error"),
    [
        (True, ValueError),
        (np.array(False), ValueError),
        (tf.constant(True), ValueError),
        ([True, False], tf.errors.InvalidArgumentError),
        ((True,), tf.errors.InvalidArgumentError),
        (slice(True, None), tf.errors.InvalidArgumentError),
        (np.True_, TypeError),
        ([np.True_, np.False_], TypeError),
        ([[0, 1]], TypeError),
        (([0, 1],), TypeError),
        ((0, (0, 1)), TypeError),
        ((slice(None), [0, 1]), TypeError),
        (range(2), TypeError),
        ({0}, TypeError),
        ("a", TypeError),
        (1.0, TypeError),
        (slice(0.0, 2.0), TypeError),
        (slice(tf.constant([0]), None), TypeError),
        (tf.TensorShape([0, 1]), TypeError),
        (tf.constant(1, tf.uint8), TypeError),
        (np.array(1, np.int8), TypeError),
        (np.array([0.0, 1.0]), TypeError),
        ([0, 9], tf.errors.InvalidArgumentError),
        ((..., ...), tf.errors.InvalidArgumentError),
    ],
    ids=str,
)
def test_keys_that_tensorflow_refuses_are_refused_with_its_class(key, error):
    with pytest.raises(error):
        tf.constant(CUBE)[key]
    with pytest.raises(error):
        tf.Variable(CUBE)[key]


def test_scalar_tensors_are_indices_and_bounds():
    x = tf.range(10)
    assert x[tf.constant(3)].numpy() == 3
    assert x[tf.constant(1) : tf.constant(4)].numpy().tolist() == [1, 2, 3]
    assert x[np.int64(3)].numpy() == 3
    assert tf.Variable([1.0, 2.0])[tf.constant([True, False])].numpy().tolist() == [1.0]


@pytest.mark.parametrize("key", [10, -11, (0, 0)])
def test_out_of_range_is_an_invalid_argument(key):
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.range(10)[key]


@pytest.mark.parametrize("key", [1.5, "a", slice(0, 2.5)], ids=str)
def test_other_keys_are_type_errors(key):
    with pytest.raises(TypeError):
        tf.range(3)[key]


def test_a_mask_of_another_length_is_a_value_error():
    with pytest.raises(ValueError, match="shape"):
        tf.constant([1, 2, 3])[tf.constant([True, False])]


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_basic_key_of_numpy_reads_the_same(data):
    shape = data.draw(hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
    array = np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)
    key = data.draw(hnp.basic_indices(shape, allow_newaxis=True, allow_ellipsis=True))
    np.testing.assert_array_equal(tf.constant(array)[key].numpy(), array[key])


@settings(max_examples=60, deadline=None)
@given(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3))
def test_the_gradient_of_a_broadcast_operand_has_the_operands_shape(shapes):
    first, second = (tf.constant(np.full(shape, 2.0)) for shape in shapes.input_shapes)
    with tf.GradientTape() as tape:
        tape.watch([first, second])
        y = first * second
    gradients = tape.gradient(y, [first, second])
    for source, gradient in zip((first, second), gradients, strict=True):
        assert gradient.shape == source.shape
        repeats = y.numpy().size / max(source.numpy().size, 1)
        np.testing.assert_allclose(gradient.numpy(), np.full(source.shape, 2.0 * repeats))
