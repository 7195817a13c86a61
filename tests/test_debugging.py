"""tf.debugging: assertions on values, and nan and inf caught where they arise."""

import numpy as np
import pytest

import gradtape as tf

d = tf.debugging
Invalid = tf.errors.InvalidArgumentError

HOLD = [
    lambda: d.assert_equal([1, 1], 1),
    lambda: d.assert_equal(tf.constant([1.0]), [1.0]),
    lambda: d.assert_none_equal(1, 2),
    lambda: d.assert_less(1, tf.constant(2)),
    lambda: d.assert_less_equal([1, 2], 2),
    lambda: d.assert_greater(2.0, 1.0),
    lambda: d.assert_greater_equal(2, 2),
    lambda: d.assert_near(1.0, 1.0000001),
    lambda: d.assert_near(tf.constant(1.0), 1.1, atol=0.2),
    lambda: d.assert_positive([1.0, 2.0]),
    lambda: d.assert_negative(-1),
    lambda: d.assert_non_negative(0),
    lambda: d.assert_non_positive(0),
    lambda: d.assert_rank(1.0, 0),
    lambda: d.assert_rank_at_least([[1]], 1),
    lambda: d.assert_rank_in([1], [0, 1]),
    lambda: d.assert_scalar(1.0),
    lambda: d.assert_type(1.0, tf.float32),
    lambda: d.assert_integer(1),
    lambda: d.assert_shapes([(tf.zeros([2, 3]), ("N", "Q")), (tf.zeros([2]), ("N",)), (tf.zeros([]), ())]),
    lambda: d.assert_shapes([(tf.zeros([2, 3]), "NQ")]),
    lambda: d.assert_equal(tf.zeros([0]), tf.zeros([0])),
]

FAIL = [
    (lambda: d.assert_equal(1, 2, message="why"), Invalid),
    (lambda: d.assert_equal([1.0, 2.0], [1.0, 3.0]), Invalid),
    (lambda: d.assert_none_equal([1, 2], [1, 3]), Invalid),
    (lambda: d.assert_less(2, 1), Invalid),
    (lambda: d.assert_near(1.0, 1.1), Invalid),
    (lambda: d.assert_near(tf.constant(float("nan")), float("nan")), Invalid),
    (lambda: d.assert_positive([1.0, 0.0]), Invalid),
    (lambda: d.assert_rank([1.0], 0), ValueError),
    (lambda: d.assert_rank_at_least(1.0, 1), ValueError),
    (lambda: d.assert_rank_in(1.0, [1, 2]), ValueError),
    (lambda: d.assert_scalar([1.0]), ValueError),
    (lambda: d.assert_type(1.0, tf.int32), TypeError),
    (lambda: d.assert_integer(1.0), TypeError),
    (lambda: d.assert_same_float_dtype([tf.constant(1.0), tf.constant(1.0, tf.float64)]), ValueError),
    (lambda: d.assert_same_float_dtype([tf.constant(1)]), ValueError),
    (lambda: d.assert_shapes([(tf.zeros([2, 3]), ("N", "Q")), (tf.zeros([4]), ("N",))]), ValueError),
    (lambda: d.assert_shapes([(tf.zeros([2, 3]), (2, 4))]), ValueError),
    (lambda: d.check_numerics(tf.constant([float("nan")]), "here"), Invalid),
    (lambda: d.check_numerics(1, "here"), Invalid),
    (lambda: d.assert_all_finite([1.0, float("inf")], "here"), Invalid),
]


@pytest.mark.parametrize("check", HOLD)
def test_what_holds_passes(check):
    check()


@pytest.mark.parametrize(("check", "error"), FAIL)
def test_what_does_not_hold_raises_tensorflows_class(check, error):
    with pytest.raises(error):
        check()


def test_the_message_and_the_values_are_shown():
    with pytest.raises(Invalid, match=r"(?s)why.*x == y.*\[1\].*\[2\]"):
        d.assert_equal(1, 2, message="why")


def test_ellipsis_stands_for_any_axes():
    d.assert_shapes([(tf.zeros([2, 3, 4]), ("N", ...)), (tf.zeros([2, 3, 4]), (..., 4)), (tf.zeros([2]), ("N", ...))])
    with pytest.raises(ValueError, match=r"Specified explicitly.* dimension -1 must have size 4"):
        d.assert_shapes([(tf.zeros([2, 3]), (..., 4))])


def test_scalars_count_as_vectors_of_one_element_where_shapes_are_checked():
    d.assert_shapes([(tf.ones([1]), ()), (tf.constant(5), (1,)), (tf.constant(5), "a"), (tf.ones([1, 2]), ("a", 2))])
    with pytest.raises(ValueError, match="dimension 0 must have size 1"):
        d.assert_shapes([(tf.constant(5), ("a",)), (tf.ones([2, 2]), ("a", 2))])
    with pytest.raises(ValueError, match="must be an iterable"):
        d.assert_shapes([(tf.ones([2]), 2)])


def test_shapes_and_types_of_sparse_and_ragged_tensors_are_checked():
    sparse = tf.SparseTensor([[5, 6], [7, 8]], [23, -43], [30, 40])
    d.assert_shapes([(sparse, [None, 40]), (tf.ones([30, 2]), [30, "k"]), (sparse, ["N", "D"]), (tf.ones([40]), ["D"])])
    with pytest.raises(ValueError, match="must have rank 3"):
        d.assert_shapes([(sparse, [None, None, 40])])
    d.assert_type(tf.ragged.constant([[1.0, 2.0], [3.0]]), tf.float32)
    with pytest.raises(TypeError, match=r"must be of type tf.float32; got tf.int32"):
        d.assert_type(sparse, tf.float32)
    assert d.assert_same_float_dtype([tf.constant(1.0), None], None) is tf.float32


def test_the_places_where_two_tensors_differ_are_shown():
    with pytest.raises(Invalid, match=r"(?s)first 1 different values:\n\[\[1 0\]\]\nCorresponding x values:\n\[3\]"):
        d.assert_equal([[1, 2], [3, 4]], [[1, 2], [5, 4]])


def test_check_numerics_passes_value_and_gradient_on():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = d.check_numerics(x * x, "here")
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 4.0]


def test_enabled_checks_name_the_op_that_made_the_nan_and_can_be_taken_back():
    d.enable_check_numerics()
    d.enable_check_numerics()
    try:
        with pytest.raises(Invalid, match="log"):
            tf.math.log(tf.constant(-1.0))
        with pytest.raises(Invalid, match="Inf"):
            tf.constant(1.0) / tf.constant(0.0)
    finally:
        d.disable_check_numerics()
    assert np.isnan(tf.math.log(tf.constant(-1.0)).numpy())


def test_kinds_of_tensors():
    assert d.is_numeric_tensor(tf.constant(1))
    assert not d.is_numeric_tensor(tf.constant("a"))
    assert not d.is_numeric_tensor(1)
    assert d.get_log_device_placement() is False


def test_proper_iterables():
    tf.debugging.assert_proper_iterable([1])
    tf.debugging.assert_proper_iterable({"a": 1})
    for wrong in (3, "text", tf.constant([1]), np.ones(2), tf.Variable([1.0])):
        with pytest.raises(TypeError, match="iterable"):
            tf.debugging.assert_proper_iterable(wrong)


def test_dumps_are_not_written():
    with pytest.raises(NotImplementedError, match="enable_check_numerics"):
        tf.debugging.experimental.enable_dump_debug_info("folder")
    tf.debugging.experimental.disable_dump_debug_info()
