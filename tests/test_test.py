"""tf.test: gradients against finite differences, and TestCase's assertions."""

import sys
import unittest

import numpy as np
import pytest

import gradtape as tf


class Case(tf.test.TestCase):
    def runTest(self):
        """Nothing: the assertions are called from outside."""


@pytest.fixture
def case():
    made = Case()
    made.setUp()
    return made


def test_jacobians_of_all_arguments_in_rows_of_outputs():
    exact, numeric = tf.test.compute_gradient(lambda x, y: x * y, [[1.0, 2.0], [3.0, 4.0]])
    np.testing.assert_allclose(exact[0], np.diag([3.0, 4.0]))
    np.testing.assert_allclose(exact[1], np.diag([1.0, 2.0]))
    for a, b in zip(exact, numeric, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-3)


def test_a_complex_element_counts_as_two():
    exact, numeric = tf.test.compute_gradient(lambda z: z * z, [tf.constant([1 + 2j])])
    np.testing.assert_allclose(exact[0], [[2.0, -4.0], [4.0, 2.0]])
    np.testing.assert_allclose(numeric[0], exact[0], atol=1e-6)


def test_a_function_that_is_not_holomorphic_is_right_too():
    exact, numeric = tf.test.compute_gradient(lambda z: tf.math.conj(z) * z, [tf.constant([1 + 2j, 3 - 1j])])
    np.testing.assert_allclose(exact[0], numeric[0], atol=1e-6)


def test_rows_looked_up_are_dense():
    (exact,), _ = tf.test.compute_gradient(lambda x: tf.gather(x, [0]), [tf.constant([1.0, 2.0])])
    assert exact.tolist() == [[1.0, 0.0]]


def test_scalars_and_unconnected_arguments():
    (exact,), (numeric,) = tf.test.compute_gradient(lambda x: x * 3.0, [2.0])
    assert exact.tolist() == [[3.0]]
    np.testing.assert_allclose(numeric, exact, atol=1e-3)
    (exact,), _ = tf.test.compute_gradient(lambda x: tf.constant([1.0, 2.0]), [2.0])
    assert exact.tolist() == [[0.0], [0.0]]


def test_a_single_value_instead_of_a_list_is_an_error():
    with pytest.raises(ValueError, match="list or tuple"):
        tf.test.compute_gradient(lambda x: x, tf.constant(1.0))


def test_ragged_values_and_texts_are_compared(case):
    rows = tf.ragged.constant([[1.0, 2.0], [3.0]])
    case.assertAllEqual(rows, [[1.0, 2.0], [3.0]])
    case.assertAllEqual(rows, tf.ragged.constant([[1.0, 2.0], [3.0]], row_splits_dtype=tf.int32))
    case.assertAllClose({"rows": rows}, {"rows": [[1.0, 2.0 + 1e-7], [3.0]]})
    for other in ([[1.0, 2.0], [3.0, 4.0]], [[1.0, 2.0]], [1.0, 2.0], [[1.0, 2.0], [4.0]]):
        with pytest.raises(AssertionError):
            case.assertAllEqual(rows, other)
    case.assertAllEqual(tf.constant(["mit", "stanford"]), ["mit", "stanford"])
    case.assertAllEqual(["é"], tf.constant("é")[tf.newaxis])
    with pytest.raises(AssertionError):
        case.assertAllEqual(tf.constant(["a", "b"]), ["a", "c"])
    case.assertAllEqual(tf.constant([np.nan, 1.0], tf.bfloat16), tf.constant([np.nan, 1.0], tf.bfloat16))


def test_equal_values_pass(case):
    case.assertAllClose([1.0, 2.0], tf.constant([1.0, 2.0]))
    case.assertAllClose({"a": [1.0]}, {"a": tf.constant([1.0])})
    case.assertAllClose([tf.constant(1.0), (2.0,)], [1.0, (2.0,)])
    case.assertAllClose(tf.Variable(1.0), 1.0 + 1e-7)
    case.assertAllClose(float("nan"), tf.constant(float("nan")))
    case.assertAllEqual([1, 2], (1, 2))
    case.assertAllEqual(tf.constant(["a"]), [b"a"])
    case.assertAllEqual(tf.constant([float("nan")]), [float("nan")])
    case.assertNotAllClose([1.0], [2.0])
    case.assertNotAllEqual([1], [2])
    case.assertAllCloseAccordingToType(tf.constant(1.0, tf.bfloat16), tf.constant(1.005, tf.bfloat16))
    case.assertAllGreater([2, 3], 1)
    case.assertAllLess(tf.constant([2, 3]), 4)
    case.assertAllGreaterEqual([2, 3], 2)
    case.assertAllLessEqual([2, 3], 3)
    case.assertAllInRange([2.0, 3.0], 2.0, 3.0)
    case.assertAllInSet([1, 2], {1, 2, 3})
    case.assertNear(1.0, 1.05, 0.1)
    case.assertArrayNear([1.0], [1.05], 0.1)
    case.assertNDArrayNear(np.ones(2), tf.ones(2), 0.0)
    case.assertShapeEqual(np.ones(2), tf.zeros(2))
    case.assertDTypeEqual(tf.constant(1.0), np.float32)
    case.assertStartsWith("abc", "ab")


@pytest.mark.parametrize(
    "check",
    [
        lambda case: case.assertAllClose([1.0], [1.1]),
        lambda case: case.assertAllClose([1.0], [[1.0]]),
        lambda case: case.assertAllClose([1.0, 2.0], [1.0]),
        lambda case: case.assertAllClose({"a": 1.0}, {"b": 1.0}),
        lambda case: case.assertAllClose({"a": 1.0}, 1.0),
        lambda case: case.assertAllEqual([1, 2], [1, 3]),
        lambda case: case.assertAllEqual(1.0, [1.0, 1.0]),
        lambda case: case.assertNotAllClose([1.0], [1.0]),
        lambda case: case.assertNotAllEqual([1.0], [1.0]),
        lambda case: case.assertAllGreater([1, 2], 1),
        lambda case: case.assertAllInRange([2.0, 3.0], 2.0, 3.0, open_upper_bound=True),
        lambda case: case.assertAllInSet([1, 4], {1, 2}),
        lambda case: case.assertNear(1.0, 1.2, 0.1),
        lambda case: case.assertShapeEqual(np.ones(2), tf.zeros(3)),
        lambda case: case.assertDTypeEqual(tf.constant(1.0), np.float64),
        lambda case: case.assertAllFinite(tf.constant([float("inf")])),
    ],
)
def test_different_values_fail(check, case):
    with pytest.raises(AssertionError):
        check(case)


def test_op_errors_can_be_expected(case):
    with case.assertRaisesOpError("inner dimensions|shape"):
        tf.matmul(tf.zeros([2, 3]), tf.zeros([2, 3]))


def test_evaluate_gives_the_parts_of_sparse_tensors(case):
    found = case.evaluate([tf.SparseTensor([[0, 1]], [5], [1, 2])])[0]
    assert isinstance(found, tf.compat.v1.SparseTensorValue)
    assert [part.tolist() for part in found] == [[[0, 1]], [5], [1, 2]]
    assert isinstance(found.values, np.ndarray)


def test_a_test_is_disabled_by_a_predicate():
    class Tests(tf.test.TestCase):
        @tf.test.disable_with_predicate(lambda: False, "never")
        def test_one(self):
            raise AssertionError("it ran")

    assert len(Tests("test_one").run().failures) == 1


def test_evaluate_gives_arrays(case):
    assert case.evaluate({"a": tf.constant([1.0]), "b": 2})["a"].tolist() == [1.0]
    with case.cached_session() as session:
        assert session is None


def test_every_test_starts_from_the_same_seed():
    drawn = []

    class Seeded(tf.test.TestCase):
        def test_one(self):
            drawn.append((tf.random.normal([]).numpy(), np.random.rand()))

        def test_two(self):
            drawn.append((tf.random.normal([]).numpy(), np.random.rand()))

    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Seeded).run(result)
    assert result.wasSuccessful()
    assert drawn[0] == drawn[1]


def test_the_namespace_says_that_there_is_no_gpu():
    assert not tf.test.is_gpu_available()
    assert not tf.test.is_built_with_cuda()
    assert tf.test.gpu_device_name() == ""


def test_incompatible_shapes_devices_and_threads_are_checked():
    case = tf.test.TestCase()
    with case.assertRaisesIncompatibleShapesError():
        tf.less(tf.ones([2]), tf.ones([3]))
    with pytest.raises(AssertionError):
        case.assertDeviceEqual("/CPU:0", "/CPU:1")
    thread = case.checkedThread(lambda: 1 // 0)
    thread.start()
    with pytest.raises(ZeroDivisionError):
        thread.join()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (
            tf.sparse.from_dense([[0, 1], [2, 0]]),
            "'SparseTensor(indices=[[0 1]\n [1 0]], values=[1 2], shape=[2 2])'\n",
        ),
        (tf.ragged.constant([[1.5], [2, 3]]), "[[1.500000], [2.000000, 3.000000]]\n"),
        ([tf.ragged.constant([[b"a"], []])], "[[['a'], []]]\n"),
        (tf.ragged.constant([list(range(9)), [1]]), "[[0, 1, 2, ..., 6, 7, 8], [1]]\n"),
    ],
)
@pytest.mark.parametrize("run", [lambda f, x: f(x), lambda f, x: tf.function(f)(x)])
def test_print_shows_what_is_made_of_several_tensors_as_tensorflow_does(run, value, text):
    with tf.test.TestCase().captureWritesToStream(sys.stdout) as captured:
        run(lambda x: tf.print(x, output_stream=sys.stdout), value)
    assert captured.contents() == text


def test_what_is_written_to_the_file_of_a_stream_is_captured(tmp_path):
    with open(tmp_path / "out.txt", "w+") as stream:
        with tf.test.TestCase().captureWritesToStream(stream) as captured:
            stream.write("inside")
            assert captured.contents() == "inside"
        stream.write("after")
    assert (tmp_path / "out.txt").read_text() == "after"
    assert captured.contents() == "inside"
