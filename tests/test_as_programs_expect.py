"""Small things that programs written for TensorFlow rely on, each as TensorFlow does it."""

import dataclasses
from typing import Any

import numpy as np
import pytest

import gradtape as tf

X = tf.constant([[1.0, 2.0], [3.0, 4.0]])
W = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
MORE = tf.constant([[7.0, 8.0], [9.0, 10.0]])


def test_shapes_are_printed_by_percent_signs():
    assert "%s" % X.shape == "(2, 2)"  # noqa: UP031
    assert "%s, %s" % (X.shape, tf.TensorShape([None])) == "(2, 2), (None,)"  # noqa: UP031
    assert "%s" % tf.TensorShape(None) == "<unknown>"  # noqa: UP031


def test_shapes_go_wherever_sizes_do():
    shape = X.shape
    assert np.zeros(shape).shape == np.random.normal(size=shape).shape == np.arange(4).reshape(shape).shape == (2, 2)
    assert ((1,) + shape, shape + [3], [*shape], {shape: 1}[2, 2]) == ((1, 2, 2), (2, 2, 3), [2, 2], 1)  # noqa: RUF005
    assert not isinstance(shape, tuple)


# --- gather and lookups ----------------------------------------------------------------------------------------------


def test_negative_batch_dims_count_from_the_last_axis_of_the_indices():
    indices = [[0, 1], [1, 0]]
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = tf.gather(X, indices, batch_dims=-1)
    np.testing.assert_array_equal(y, tf.gather(X, indices, batch_dims=1))
    assert tape.jacobian(y, X)[1, 0].numpy().tolist() == [[0.0, 0.0], [0.0, 1.0]]
    assert tf.gather(X, [0], axis=1, batch_dims=None).numpy().tolist() == [[1.0], [3.0]]


def test_a_table_in_parts_is_looked_up_part_by_part():
    with tf.GradientTape() as tape:
        tape.watch([W, MORE])
        rows = tf.nn.embedding_lookup([W, MORE], [[0, 4], [2, 0]])
    assert rows[0, 1].numpy().tolist() == [9.0, 10.0]
    first, second = tape.gradient(rows, [W, MORE])
    assert isinstance(first, tf.IndexedSlices)
    assert tf.convert_to_tensor(first).numpy().tolist() == [[2.0, 2.0], [0.0, 0.0], [1.0, 1.0]]
    assert tf.convert_to_tensor(second).numpy().tolist() == [[0.0, 0.0], [1.0, 1.0]]
    assert tf.nn.embedding_lookup([W], [2]).numpy().tolist() == [[5.0, 6.0]]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[0, 5\)"):
        tf.nn.embedding_lookup([W, MORE], [5])


def test_ragged_ids_give_ragged_rows():
    found = tf.nn.embedding_lookup([W], tf.ragged.constant([[0], [1, 2]]), max_norm=5.0)
    np.testing.assert_allclose(found.to_list()[1][0], [3.0, 4.0])
    np.testing.assert_allclose(np.linalg.norm(found.to_list()[1][1]), 5.0, rtol=1e-6)
    combined = tf.nn.embedding_lookup_sparse(W, tf.ragged.constant([[0], [1, 2]]), None, combiner="sum")
    assert combined.numpy().tolist() == [[1.0, 2.0], [8.0, 10.0]]


def test_a_safe_lookup_leaves_out_bad_ids_and_fills_empty_rows():
    ids = tf.sparse.SparseTensor([[0, 0], [0, 1], [1, 0], [3, 0]], [1, -1, -2, 2], [4, 2])
    found = tf.nn.safe_embedding_lookup_sparse(W, ids)
    assert found.numpy().tolist() == [[3.0, 4.0], [0.0, 0.0], [0.0, 0.0], [5.0, 6.0]]
    found = tf.nn.safe_embedding_lookup_sparse([W], ids, default_id=0, combiner="sum")
    assert found.numpy().tolist() == [[3.0, 4.0], [1.0, 2.0], [1.0, 2.0], [5.0, 6.0]]
    weights = tf.sparse.SparseTensor(ids.indices, [2.0, 1.0, 1.0, 0.0], ids.dense_shape)
    found = tf.nn.safe_embedding_lookup_sparse(W, ids, weights)
    assert found.numpy().tolist() == [[3.0, 4.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]


# --- gradients -------------------------------------------------------------------------------------------------------


def test_a_custom_gradient_takes_and_gives_ragged_tensors():
    @tf.custom_gradient
    def f(x):
        return x * 2.0, lambda cotangent: cotangent * 10.0

    x = tf.ragged.constant([[1.0, 2.0], [3.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert y.to_list() == [[2.0, 4.0], [6.0]]
    assert tape.gradient(y, x).to_list() == [[10.0, 10.0], [10.0]]


def test_jacobians_go_through_recomputation_and_tapes_inside_rules():
    @tf.custom_gradient
    def cube(x):
        def rule(cotangent):
            with tf.GradientTape() as inner:
                inner.watch(x)
                total = tf.reduce_sum(x**3)
            return cotangent * inner.gradient(total, x)

        return x**3, rule

    for function in (cube, tf.recompute_grad(lambda x: x**3)):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(X)
            y = function(X)
        expected = np.zeros((2, 2, 2))
        for row, column in np.ndindex(2, 2):
            expected[row, column, column] = 3 * X.numpy()[row, column] ** 2
        np.testing.assert_allclose(tape.batch_jacobian(y, X), expected)
        np.testing.assert_allclose(np.diag(tape.jacobian(y, X).numpy().reshape(4, 4)), 3 * X.numpy().reshape(-1) ** 2)


def test_gradients_of_nothing_are_computed():
    exact, numeric = tf.test.compute_gradient(lambda a: a * 2.0, [tf.zeros([0, 3])])
    assert exact[0].shape == numeric[0].shape == (0, 0)


def test_a_gradient_recorded_by_its_own_tape_is_warned_of_once(caplog, monkeypatch):
    for _ in range(3):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(X)
            tape.gradient(X * X, X)
    assert len(caplog.records) == 1


# --- what is accepted, and what is refused -----------------------------------------------------------------------------


def test_numpys_numbers_are_truth_values():
    assert tf.where(np.array([1, 0]), [1.0, 2.0], [3.0, 4.0]).numpy().tolist() == [1.0, 4.0]
    with pytest.raises(TypeError):
        tf.where([1, 0], [1.0, 2.0], [3.0, 4.0])


def test_references_can_be_sorted():
    first, second = tf.Variable(1.0), tf.Variable(2.0)
    ordered = sorted([first.ref(), second.ref()])
    assert {reference.deref() is first for reference in ordered} == {True, False}
    assert not first.ref() < first.ref()
    with pytest.raises(TypeError):
        first.ref() < 3  # noqa: B015
    assert first.experimental_ref() == first.ref()


def test_a_symbolic_scalar_is_not_iterated_over():
    @tf.function
    def f(x):
        with pytest.raises(TypeError, match="Cannot iterate over a scalar tensor"):
            list(x)
        return x

    f(tf.constant(1.0))


def test_positions_have_the_types_that_tensorflow_has():
    for good in (tf.int16, tf.uint16, tf.int32, tf.int64):
        assert tf.argmax([1, 2], output_type=good).dtype == good
    for bad in (tf.float32, tf.int8, tf.uint8):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.argmax([1, 2], output_type=bad)


def test_clipping_does_not_change_the_shape():
    with pytest.raises(ValueError, match="does not fit"):
        tf.clip_by_norm(tf.constant(3.0), tf.constant([1.0, 2.0]))
    with pytest.raises(ValueError, match="does not fit"):
        tf.clip_by_value(X, tf.ones([3, 1, 1]), 4.0)
    assert tf.clip_by_norm(X, [1.0, 2.0], axes=0).shape == (2, 2)


def test_a_concrete_function_is_for_the_literals_it_was_traced_with():
    scaled = tf.function(lambda x, factor, mode="a": x * factor)
    concrete = scaled.get_concrete_function(tf.TensorSpec([], tf.float32), 2, mode="b")
    x = tf.constant(3.0)
    for result in (concrete(x), concrete(x, 2, "b"), concrete(x, factor=2, mode="b")):
        assert float(result) == 6.0
    for bad in ({"factor": 3}, {"mode": "c"}):
        with pytest.raises(TypeError):
            concrete(x, **bad)


def test_what_was_read_of_a_tensor_array_is_zero_when_it_is_stacked():
    array = tf.TensorArray(tf.float32, size=3).unstack([1.0, 2.0, 3.0])
    assert float(array.read(1)) == 2.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="twice"):
        array.read(1)
    assert array.stack().numpy().tolist() == [1.0, 0.0, 3.0]


def test_a_variable_has_no_initializer():
    assert tf.Variable(1.0).initializer is None


def test_types_that_differ_are_type_errors():
    with pytest.raises(TypeError):
        tf.constant(1) / tf.constant(1.0)


# --- records as elements and structures --------------------------------------------------------------------------------


@dataclasses.dataclass
class Point:
    x: Any
    label: str = "p"

    def __tf_flatten__(self):
        return (self.label,), (self.x,)

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        return cls(components[0], metadata[0])


class _Field:
    def __init__(self, name):
        self.name = name


class Pair:
    """As `attrs` makes one."""

    __attrs_attrs__ = (_Field("a"), _Field("b"))

    def __init__(self, a, b):
        self.a, self.b = a, b


def test_records_are_structures():
    assert tf.nest.flatten([Point(1), Pair(2, [3])]) == [1, 2, 3]
    mapped = tf.nest.map_structure(lambda v: v + 1, [Point(1, "q"), Pair(2, [3])])
    assert mapped[0] == Point(2, "q")
    assert (mapped[1].a, mapped[1].b) == (3, [4])
    with pytest.raises((TypeError, ValueError)):
        tf.nest.assert_same_structure(Point(1), Pair(1, 2))


def test_records_are_elements_of_datasets():
    points = list(tf.data.Dataset.from_tensor_slices(Point(tf.constant([1.0, 2.0]))))
    assert [(type(p), float(p.x), p.label) for p in points] == [(Point, 1.0, "p"), (Point, 2.0, "p")]
    (batch,) = tf.data.Dataset.range(2).map(lambda i: Pair(i, {"c": i + 1})).batch(2)
    assert (batch.a.numpy().tolist(), batch.b["c"].numpy().tolist()) == ([0, 1], [1, 2])


def test_functions_take_and_give_records():
    found = tf.function(lambda p: Point(p.x * 2.0, p.label))(Point(tf.constant(3.0), "z"))
    assert (float(found.x), found.label) == (6.0, "z")


# --- rows that repeat --------------------------------------------------------------------------------------------------


def test_a_switch_squares_repeated_rows_as_tensorflow_does():
    keras = pytest.importorskip("keras")

    def trained():
        v = tf.Variable([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
        optimizer = keras.optimizers.Adam(learning_rate=0.1)
        for _ in range(3):
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(tf.gather(v, [0, 0, 2]) ** 2 * [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
            optimizer.apply_gradients([(tape.gradient(y, v), v)])
        return v.numpy()

    dense = trained()
    tf.config.sum_repeated_rows(False)
    try:
        by_rows = trained()
    finally:
        tf.config.sum_repeated_rows(True)
    np.testing.assert_allclose(dense[:, 1], [0.7016, 3.0, 4.7002], atol=1e-4)
    np.testing.assert_allclose(by_rows[:, 1], [0.6008, 3.0, 4.7002], atol=1e-4)  # TensorFlow's numbers


def test_a_truth_value_times_truth_values_is_and():
    truths = tf.constant([True, False])
    for product in (
        True * truths,
        truths * True,
        tf.function(lambda x: True * x)(truths),
        np.array([True, True]) * truths,
    ):
        assert product.dtype == tf.bool
        assert product.numpy().tolist() == [True, False]
    with pytest.raises(TypeError):
        1 * truths


def test_realdiv_is_a_name_of_the_top_level_alone():
    assert tf.realdiv(1.0, 4.0).numpy() == 0.25
    assert not hasattr(tf.math, "realdiv")


def test_assert_none_equal_takes_summarize_before_message():
    tf.debugging.assert_none_equal([1, 2], [3, 4], 3, "different")
    with pytest.raises(tf.errors.InvalidArgumentError, match="different"):
        tf.debugging.assert_none_equal([1, 2], [3, 2], 3, "different")
