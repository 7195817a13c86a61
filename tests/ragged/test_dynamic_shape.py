"""Shapes with ragged axes, and what is broadcast to them. All printed forms are those of TensorFlow 2.21."""

import numpy as np
import pytest

import gradtape as tf

pytestmark = pytest.mark.quick

Shape = tf.experimental.DynamicRaggedShape
Rows = tf.experimental.RowPartition
RT = tf.ragged.constant([[1, 2], [], [3]])
RT3 = tf.ragged.constant([[[1], []], [[2, 3], [4]]])
UNIFORM = tf.RaggedTensor.from_row_lengths(tf.RaggedTensor.from_uniform_row_length(tf.zeros([6, 3]), 2), [2, 1])


def lengths(text, partitions):
    return f"<DynamicRaggedShape lengths=[{text}] num_row_partitions={partitions}>"


MADE = {
    "from_lengths([2, (1, 2)])": lengths("2, (1, 2)", 1),
    "from_lengths([2, 3, (1, 2, 0, 1, 2, 2)])": lengths("2, 3, (1, 2, 0, 1, 2, 2)", 2),
    "from_lengths([2, (3, 2), 4])": lengths("2, (3, 2), 4", 1),
    "from_lengths([2, (3, 2), 4], num_row_partitions=2)": lengths("2, (3, 2), 4", 2),
    "from_lengths([5, 3])": lengths("5, 3", 0),
    "from_lengths([5, 3], num_row_partitions=1)": lengths("5, 3", 1),
    "from_lengths([])": lengths("", 0),
    "from_tensor(tf.zeros([2, 3]))": lengths("2, 3", 0),
    "from_tensor(7)": lengths("", 0),
    "from_tensor(RT)": lengths("3, (2, 0, 1)", 1),
    "from_tensor(RT3)": lengths("2, (2, 2), (1, 0, 2, 1)", 2),
    "from_tensor(UNIFORM)": lengths("2, (2, 1), 2, 3", 2),
    "from_row_partitions([Rows.from_row_lengths([2, 1]), Rows.from_row_lengths([1, 1, 4])])": lengths(
        "2, (2, 1), (1, 1, 4)", 2
    ),
    "from_tensor(RT3)[0:2]": lengths("2, (2, 2)", 1),
    "from_tensor(RT3)[:3]": lengths("2, (2, 2), (1, 0, 2, 1)", 2),
    "from_tensor(UNIFORM)[:]": lengths("2, (2, 1), 2, 3", 2),
    "from_tensor(tf.zeros([2, 3, 4]))[1:]": lengths("3, 4", 0),
    "from_lengths([2, 2, 2], num_row_partitions=2)[1:]": lengths("2, 2", 0),
    "from_lengths([2, 3])[2:]": lengths("", 0),
    "from_tensor(RT).with_dtype(tf.int32).dtype": "tf.int32",
    "from_tensor(RT).dtype": "tf.int64",
    "from_tensor(tf.zeros([2])).dtype": "tf.int32",
    "from_tensor(RT3).row_partitions": "(tf.RowPartition(row_splits=[0 2 4]), tf.RowPartition(row_splits=[0 1 1 3 4]))",
    "from_lengths([2, 2], 1).row_partitions": "(tf.RowPartition(nrows=2, uniform_row_length=2),)",
    "from_tensor(RT3).rank": "3",
    "from_tensor(UNIFORM).inner_rank": "2",
    "from_tensor(UNIFORM).static_lengths(ragged_lengths=False)": "[2, None, 2, 3]",
    "from_tensor(RT) == Shape.from_tensor(RT3)": "False",
    "from_tensor(RT) != Shape.from_tensor(RT3)": "True",
    "from_tensor(RT)[0]": "<tf.Tensor: shape=(), dtype=int64, numpy=3>",
    "from_tensor(UNIFORM)[2]": "<tf.Tensor: shape=(), dtype=int64, numpy=2>",
    "from_tensor(UNIFORM)[-1]": "<tf.Tensor: shape=(), dtype=int64, numpy=3>",
    "from_tensor(RT).inner_shape": "<tf.Tensor: shape=(1,), dtype=int64, numpy=array([3])>",
    "from_tensor(RT) == Shape.from_tensor(RT)": "<tf.Tensor: shape=(), dtype=bool, numpy=True>",
}


@pytest.mark.parametrize("text", MADE)
def test_a_shape_is(text):
    assert repr(eval(f"Shape.{text}")) == MADE[text]


def test_a_shape_of_partitions_has_the_shape_of_the_values_too():
    shape = Shape([Rows.from_row_lengths([2, 0, 1])], [3, 4], validate=True)
    assert repr(shape) == lengths("3, (2, 0, 1), 4", 1)
    assert [shape.is_uniform(axis) for axis in range(3)] == [True, False, True]
    with pytest.raises(ValueError, match="a partition has 3 values, but what it divides has 5 rows"):
        Shape([Rows.from_row_lengths([2, 0, 1])], [5, 4], validate=True)


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: Shape.from_lengths([2, (3, 2), 4], num_row_partitions=3), ValueError, "from 1 to 2"),
        (lambda: Shape.from_lengths([(3, 2), 4]), ValueError, "the first length must be a number"),
        (lambda: Shape.from_lengths([2, (3, 2, 1)]), ValueError, "axis 1 has 2 rows, but 3 lengths"),
        (lambda: Shape.from_lengths([2, "a"]), ValueError, "a number or a tuple"),
        (lambda: Shape.from_row_partitions([]), ValueError, "cannot be empty"),
        (lambda: Shape([], [2.0]), (ValueError, TypeError), "int"),
        (lambda: Shape.from_tensor(RT)[1], ValueError, "no one size"),
        (lambda: Shape.from_tensor(RT)[5], IndexError, "axis 5 of a shape with 2 axes"),
        (lambda: Shape.from_tensor(RT)["a"], TypeError, "a number or a slice"),
        (lambda: Shape.from_tensor(RT)[1:], ValueError, "no axis is ragged"),
        (lambda: Shape.from_lengths([2, 3, 4])[::2], IndexError, "step must be 1"),
    ],
)
def test_what_is_no_shape_is_refused(make, error, words):
    with pytest.raises(error, match=words):
        make()


def test_the_shape_of_a_ragged_tensor():
    assert repr(tf.shape(RT)) == lengths("3, (2, 0, 1)", 1)
    assert tf.shape(RT).dtype == tf.int32
    assert tf.shape(RT, out_type=tf.int64).dtype == tf.int64
    assert int(tf.shape(RT)[0]) == 3


TAKEN = {
    "tf.zeros(tf.shape(RT))": [[0.0, 0.0], [], [0.0]],
    "tf.ones(tf.shape(RT3), tf.int32)": [[[1], []], [[1, 1], [1]]],
    "tf.fill(Shape.from_lengths([2, (1, 2)]), 'x')": [[b"x"], [b"x", b"x"]],
    "tf.broadcast_to(5, Shape.from_lengths([2, (1, 2)]))": [[5], [5, 5]],
    "tf.broadcast_to([[1], [2]], Shape.from_lengths([2, (1, 3)]))": [[1], [2, 2, 2]],
    "tf.broadcast_to(RT, Shape.from_lengths([2, 3, (2, 0, 1, 2, 0, 1)]))": [[[1, 2], [], [3]], [[1, 2], [], [3]]],
    "tf.broadcast_to([10, 20], Shape.from_lengths([2, (1, 2), 2]))": [[[10, 20]], [[10, 20], [10, 20]]],
    "tf.broadcast_to([[[1]], [[2]]], Shape.from_lengths([2, (1, 2), 2]))": [[[1, 1]], [[2, 2], [2, 2]]],
    "tf.broadcast_to([1, 2, 3], Shape.from_lengths([2, 3]))": [[1, 2, 3], [1, 2, 3]],
    "tf.reshape(tf.range(4), Shape.from_lengths([2, (1, 3)]))": [[0], [1, 2, 3]],
    "tf.reshape(RT, Shape.from_lengths([1, (3,)]))": [[1, 2, 3]],
    "tf.reshape(RT, Shape.from_lengths([3]))": [1, 2, 3],
}


@pytest.mark.parametrize("text", TAKEN)
def test_functions_take_such_a_shape(text):
    found = eval(text)
    assert (found.to_list() if isinstance(found, tf.RaggedTensor) else found.numpy().tolist()) == TAKEN[text]


def test_the_common_shape_of_two():
    shape = Shape.from_lengths
    found = tf.broadcast_dynamic_shape(shape([1, (3,)]), shape([2, 1]))
    assert repr(found) == lengths("2, (3, 3)", 1)
    assert repr(tf.broadcast_dynamic_shape(shape([2, (2, 2)]), [2, 1])) == lengths("2, (2, 2)", 1)
    assert repr(tf.broadcast_dynamic_shape(shape([3]), shape([2, 3]))) == lengths("2, 3", 0)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[2, \(1, 2\)\] and \[2, \(1, 3\)\] do not broadcast"):
        tf.broadcast_dynamic_shape(shape([2, (1, 2)]), shape([2, (1, 3)]))


@pytest.mark.parametrize("value", [tf.ragged.constant([[1], [2]]), [1, 2, 3]])
def test_rows_that_happen_to_have_one_element_are_not_repeated(value):
    with pytest.raises(tf.errors.InvalidArgumentError, match="cannot be broadcast to"):
        tf.broadcast_to(value, Shape.from_lengths([2, (1, 3)]))


def test_a_shape_with_fewer_axes_is_refused():
    with pytest.raises(ValueError, match="more axes"):
        tf.broadcast_to(tf.zeros([2, 2, 2]), Shape.from_lengths([2, 2]))


ONE = tf.RaggedTensor.from_uniform_row_length(tf.constant([10, 20]), 1)
TWO = tf.ragged.constant([[1, 2], [3]])
SUMS = {
    "more axes": (TWO, tf.constant([[[10]], [[20]]]), [[[11, 12], [13]], [[21, 22], [23]]]),
    "uniform rows": (TWO, ONE, [[11, 12], [23]]),
    "uniform rows first": (ONE, TWO, [[11, 12], [23]]),
    "inner rows": (
        tf.ragged.constant([[[1, 2], [3]], [[4]]]),
        tf.ragged.constant([[10, 20], [30]])[:, :, tf.newaxis],
        [[[11, 12], [23]], [[34]]],
    ),
    "another number of ragged axes": (
        TWO,
        tf.ragged.constant([[[1, 2], [3]], [[4, 5], [6]]]),
        [[[2, 4], [6]], [[5, 7], [9]]],
    ),
    "rows of the same lengths": (tf.ragged.constant([[1, 2], [3, 4]]), tf.constant([10, 20]), [[11, 22], [13, 24]]),
}


@pytest.mark.parametrize("case", SUMS)
def test_operands_are_broadcast_to_each_other(case):
    one, other, expected = SUMS[case]
    assert (one + other).to_list() == expected
    assert tf.add(other, one).to_list() == expected


def test_rows_that_differ_are_an_error_with_both_shapes():
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"add: the shapes \[2, \(2, 1\)\] and \[2, \(2, 2\)\] do not"
    ):
        TWO + tf.ragged.constant([[1, 2], [3, 4]])


def test_gradients_are_summed_over_what_was_repeated():
    x = tf.Variable([[1.0], [2.0]])
    with tf.GradientTape() as tape:
        y = tf.broadcast_to(x, Shape.from_lengths([2, (1, 3)]))
        total = tf.reduce_sum(y * tf.ragged.constant([[10.0], [1.0, 2.0, 3.0]]))
    np.testing.assert_array_equal(tape.gradient(total, x), [[10.0], [6.0]])


def test_shapes_in_traced_functions():
    @tf.function
    def f(r, x):
        shape = tf.shape(r)
        return shape, shape[0], tf.ones(shape), tf.broadcast_to(x, shape)

    for rows in ([[1, 2], [], [3]], [[], [4, 5, 6], [7]]):
        r = tf.ragged.constant(rows, ragged_rank=1)
        shape, count, ones, spread = f(r, tf.constant([[1.0], [2.0], [3.0]]))
        assert repr(shape) == repr(tf.shape(r))
        assert int(count) == 3
        assert ones.to_list() == [[1.0] * len(row) for row in rows]
        assert spread.to_list() == [[float(place)] * len(row) for place, row in enumerate(rows, 1)]


def test_a_shape_is_a_structure_of_tensors():
    shape = Shape.from_tensor(RT)
    assert tf.nest.flatten(shape)[0] is shape
    inner, splits = tf.nest.flatten(shape, expand_composites=True)
    assert (inner.numpy().tolist(), splits.numpy().tolist()) == ([3], [0, 2, 2, 3])
    spec = tf.type_spec_from_value(shape)
    assert repr(spec) == (
        "DynamicRaggedShape.Spec(row_partitions=(RowPartitionSpec(nrows=3, nvals=3, uniform_row_length=None, "
        "dtype=tf.int64),), static_inner_shape=TensorShape([3]), dtype=tf.int64)"
    )
    assert isinstance(spec, Shape.Spec)
    assert spec.is_compatible_with(shape)
    assert not spec.is_compatible_with(Shape.from_tensor(RT3))
    wider = spec.most_specific_compatible_type(tf.type_spec_from_value(Shape.from_lengths([2, (1, 2)])))
    assert wider.is_compatible_with(shape)


def test_rows_of_one_length_print_as_in_tensorflow():
    assert repr(tf.ragged.stack([RT, RT], axis=1)) == ("<tf.RaggedTensor [[[1, 2], [1, 2]],\n [[], []],\n [[3], [3]]]>")
    assert repr(tf.strings.split([["a b"], ["c"]])) == "<tf.RaggedTensor [[[b'a', b'b']],\n [[b'c']]]>"
