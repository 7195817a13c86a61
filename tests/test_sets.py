"""tf.sets, compared with what TensorFlow gave for the same calls."""

import pytest

import gradtape as tf

A, B = tf.constant([[1, 2, 2], [3, 4, 9]]), tf.constant([[2, 5], [9, 4]])


def parts(sparse):
    return sparse.indices.numpy().tolist(), sparse.values.numpy().tolist(), sparse.dense_shape.numpy().tolist()


def test_union_intersection_difference():
    assert parts(tf.sets.union(A, B)) == (
        [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]],
        [1, 2, 5, 3, 4, 9],
        [2, 3],
    )
    assert parts(tf.sets.intersection(A, B)) == ([[0, 0], [1, 0], [1, 1]], [2, 4, 9], [2, 2])
    assert parts(tf.sets.difference(A, B)) == ([[0, 0], [1, 0]], [1, 3], [2, 1])
    assert parts(tf.sets.difference(A, B, aminusb=False)) == ([[0, 0]], [5], [2, 1])


def test_sparse_operands_text_and_more_axes():
    sparse = tf.sparse.from_dense([[1, 2, 0], [3, 0, 0]])
    expected = ([[0, 0], [0, 1], [1, 0], [1, 1], [1, 2]], [1, 2, 3, 4, 9], [2, 3])
    assert parts(tf.sets.union(A, sparse)) == parts(tf.sets.union(sparse, A)) == expected
    assert tf.sets.size(sparse).numpy().tolist() == [2, 1]
    assert tf.sets.size(sparse).dtype == tf.int32
    assert tf.sets.union([["a", "b"]], [["c"]]).values.numpy().tolist() == [b"a", b"b", b"c"]
    assert tf.sets.union([[[1, 2]], [[3, 3]]], [[[1, 7]], [[4, 5]]]).values.numpy().tolist() == [1, 2, 7, 3, 4, 5]
    assert parts(tf.sets.intersection([[1]], [[2]])) == ([], [], [1, 0])


def test_wrong_sets():
    for call, error, words in [
        (lambda: tf.sets.size(A), TypeError, "SparseTensor"),
        (lambda: tf.sets.union([[1.0]], [[1.0]]), TypeError, "float32"),
        (lambda: tf.sets.union(A, tf.constant([[1], [1]], tf.int64)), TypeError, "tf.cast"),
        (lambda: tf.sets.union(A, [[1]]), tf.errors.InvalidArgumentError, r"Mismatched shapes \[2\] vs \[1\]"),
        (lambda: tf.sets.union([1], [1]), tf.errors.InvalidArgumentError, "rank 1 < 2"),
    ]:
        with pytest.raises(error, match=words):
            call()
