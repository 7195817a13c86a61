"""Crossed features: values as observed with TensorFlow."""

import pytest

import gradtape as tf

A, B = tf.constant([["a"], ["b"]]), tf.constant([["c"], ["d"]])
NUMBERS = tf.constant([[1], [2]])
SPARSE = tf.sparse.from_dense([["a", ""], ["b", "c"]])
RAGGED = tf.ragged.constant([["a"], ["b", "c"]])


def test_features_are_joined_in_all_combinations_sparse_ones_first():
    crossed = tf.sparse.cross([A, SPARSE, B])
    assert crossed.values.numpy().tolist() == [b"a_X_a_X_c", b"b_X_b_X_d", b"c_X_b_X_d"]
    assert crossed.indices.numpy().tolist() == [[0, 0], [1, 0], [1, 1]]
    assert crossed.dense_shape.numpy().tolist() == [2, 2]
    assert tf.sparse.cross([A, NUMBERS], separator="-").values.numpy().tolist() == [b"a-1", b"b-2"]
    wide = tf.sparse.cross([SPARSE, tf.constant([["f", "g"], ["h", "i"]])])
    assert wide.values.numpy().tolist() == [b"a_X_f", b"a_X_g", b"b_X_h", b"b_X_i", b"c_X_h", b"c_X_i"]
    assert tf.sparse.cross([]).dense_shape.numpy().tolist() == [0, 0]


def test_hashes_are_those_of_tensorflow():
    def hashed(*args, **kwargs):
        return tf.sparse.cross_hashed(*args, **kwargs).values.numpy().tolist()

    assert hashed([A, B], 100) == [66, 54]
    assert hashed([A, B]) == [1265624096873407566, 2292520902626215647]
    assert hashed([NUMBERS, B], 10) == [1, 4]
    assert hashed([tf.constant([[-1], [2]]), NUMBERS], 10) == [8, 1]
    assert hashed([tf.constant([[1.5], [2.5]]), NUMBERS], 10) == [1, 1]
    assert hashed([A, B], 100, hash_key=17) == [92, 98]
    assert hashed([A, SPARSE, B], 1000) == [216, 882, 262]
    assert tf.sparse.cross_hashed([A, B], 100).dtype == tf.int64


def test_ragged_features():
    assert tf.ragged.cross([RAGGED, A, SPARSE]).to_list() == [
        [b"a_X_a_X_a"],
        [b"b_X_b_X_b", b"b_X_b_X_c", b"c_X_b_X_b", b"c_X_b_X_c"],
    ]
    assert tf.ragged.cross([RAGGED, NUMBERS]).to_list() == [[b"a_X_1"], [b"b_X_2", b"c_X_2"]]
    empty = tf.ragged.constant([[], ["x"]], dtype=tf.string)
    assert tf.ragged.cross([RAGGED, empty]).to_list() == [[], [b"b_X_x", b"c_X_x"]]
    assert tf.ragged.cross_hashed([RAGGED, A, NUMBERS], 1000).to_list() == [[978], [353, 198]]
    assert tf.ragged.cross_hashed([RAGGED, RAGGED]).to_list()[0] == [3112133398209135108]


def test_what_cannot_be_crossed():
    invalid = tf.errors.InvalidArgumentError
    for call, error, match in [
        (lambda: tf.sparse.cross(A), TypeError, "list"),
        (lambda: tf.sparse.cross([["a"]]), TypeError, "tf.constant"),
        (lambda: tf.sparse.cross([tf.constant(["a"])]), invalid, r"\(1,\)"),
        (lambda: tf.sparse.cross([A, tf.constant([["b"]])]), invalid, r"\[2, 1\]"),
        (lambda: tf.sparse.cross([A, tf.constant([[1j], [2j]])]), invalid, "complex"),
        (lambda: tf.sparse.cross_hashed([A, B], -1), invalid, "-1"),
        (lambda: tf.ragged.cross(RAGGED), TypeError, "list"),
        (lambda: tf.ragged.cross([tf.ragged.constant([[["a"]]])]), ValueError, "rank=2"),
        (lambda: tf.ragged.cross([tf.constant("a")]), invalid, r"\(\)"),
    ]:
        with pytest.raises(error, match=match):
            call()
