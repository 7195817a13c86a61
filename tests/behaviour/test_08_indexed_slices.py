"""Sparse gradients: where `IndexedSlices` come from and what may be done with them."""

import pytest

from .observed import Contains, Fact, IndexedSlices, T, float32, int32, int64, raises, row, tf

SECTION = "8 IndexedSlices"
FACTS = [
    row(
        "gather on a constant",
        """
        p = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        with tf.GradientTape() as t:
            t.watch(p)
            y = tf.gather(p, [0, 2, 0])
        R = t.gradient(y, p)
        """,
        IndexedSlices(
            values=T(float32, (3, 2), [[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]),
            indices=T(int32, (3,), [0, 2, 0]),
            dense_shape=T(int32, (2,), [3, 2]),
        ),
    ),
    row(
        "gather on a Variable",
        """
        p = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        with tf.GradientTape() as t:
            y = tf.gather(p, [0, 2, 0])
        R = t.gradient(y, p)
        """,
        IndexedSlices(
            values=T(float32, (3, 2), [[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]),
            indices=T(int32, (3,), [0, 2, 0]),
            dense_shape=T(int32, (2,), [3, 2]),
        ),
    ),
    row(
        "gather 2-D indices",
        """
        p = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        with tf.GradientTape() as t:
            y = tf.gather(p, [[0, 2], [0, 1]])
        R = t.gradient(y, p)
        """,
        IndexedSlices(
            values=T(float32, (4, 2), [[1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]),
            indices=T(int32, (4,), [0, 2, 0, 1]),
            dense_shape=T(int32, (2,), [3, 2]),
        ),
    ),
    row(
        "gather axis=1 is dense",
        """
        p = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        with tf.GradientTape() as t:
            y = tf.gather(p, [1], axis=1)
        R = t.gradient(y, p)
        """,
        T(float32, (3, 2), [[0.0, 1.0], [0.0, 1.0], [0.0, 1.0]]),
    ),
    row(
        "gather int64 indices",
        """
        p = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        with tf.GradientTape() as t:
            y = tf.gather(p, tf.constant([1], tf.int64))
        R = t.gradient(y, p)
        """,
        IndexedSlices(
            values=T(float32, (1, 2), [[1.0, 1.0]]),
            indices=T(int64, (1,), [1]),
            dense_shape=T(int32, (2,), [3, 2]),
        ),
    ),
    row(
        "gather of an intermediate: densified by the next op",
        """
        p = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        with tf.GradientTape() as t:
            y = tf.gather(p * 2.0, [1, 1])
        R = t.gradient(y, p)
        """,
        T(float32, (3, 2), [[0.0, 0.0], [4.0, 4.0], [0.0, 0.0]]),
    ),
    row(
        "embedding_lookup",
        """
        p = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        with tf.GradientTape() as t:
            y = tf.nn.embedding_lookup(p, [0, 2, 0]) * 2.0
        R = t.gradient(y, p)
        """,
        IndexedSlices(
            values=T(float32, (3, 2), [[2.0, 2.0], [2.0, 2.0], [2.0, 2.0]]),
            indices=T(int32, (3,), [0, 2, 0]),
            dense_shape=T(int32, (2,), [3, 2]),
        ),
    ),
    row(
        "two gathers: concatenated slices",
        """
        p = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        with tf.GradientTape() as t:
            y = tf.reduce_sum(tf.gather(p, [0, 1])) + tf.reduce_sum(tf.gather(p, [1]))
        R = t.gradient(y, p)
        """,
        IndexedSlices(
            values=T(float32, (3, 2), [[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]),
            indices=T(int32, (3,), [0, 1, 1]),
            dense_shape=T(int32, (2,), [3, 2]),
        ),
    ),
    row(
        "gather + dense: what type",
        """
        p = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        with tf.GradientTape() as t:
            y = tf.reduce_sum(tf.gather(p, [0, 1])) + tf.reduce_sum(p)
        R = t.gradient(y, p)
        """,
        T(float32, (3, 2), [[2.0, 2.0], [2.0, 2.0], [1.0, 1.0]]),
    ),
    row(
        "gather + dense on a tensor source",
        """
        p = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        with tf.GradientTape() as t:
            t.watch(p)
            y = tf.reduce_sum(tf.gather(p, [0, 1])) + tf.reduce_sum(p)
        R = t.gradient(y, p)
        """,
        T(float32, (3, 2), [[2.0, 2.0], [2.0, 2.0], [1.0, 1.0]]),
    ),
    row(
        "convert_to_tensor(IndexedSlices) sums duplicates",
        """
        s = tf.IndexedSlices(
            tf.constant([[1.0, 2.0], [10.0, 20.0]]), tf.constant([1, 1]), tf.constant([3, 2])
        )
        R = tf.convert_to_tensor(s)
        """,
        T(float32, (3, 2), [[0.0, 0.0], [11.0, 22.0], [0.0, 0.0]]),
    ),
    raises(
        "convert without dense_shape",
        """
        s = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([1]))
        R = tf.convert_to_tensor(s)
        """,
        ValueError,
    ),
    row(
        "IndexedSlices attributes",
        """
        s = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([1]), tf.constant([3, 2]))
        R = [n for n in dir(s) if not n.startswith("_")]
        """,
        Contains("consumers", "dense_shape", "device", "dtype", "graph", "indices", "name", "op", "shape", "values"),
    ),
    raises(
        "-slices, slices*2",
        """
        s = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([1]), tf.constant([3, 2]))
        R = [-s, s * 2.0]
        """,
        TypeError,
    ),
    raises(
        "slices + slices",
        """
        s = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([1]), tf.constant([3, 2]))
        R = s + s
        """,
        TypeError,
    ),
    row(
        "clip_by_norm / clip_by_global_norm keep IndexedSlices",
        """
        s = tf.IndexedSlices(tf.constant([[3.0, 4.0]]), tf.constant([1]), tf.constant([3, 2]))
        R = [tf.clip_by_norm(s, 1.0), tf.clip_by_global_norm([s], 1.0)]
        """,
        [
            IndexedSlices(
                values=T(float32, (1, 2), [[0.6, 0.8]]),
                indices=T(int32, (1,), [1]),
                dense_shape=T(int32, (2,), [3, 2]),
            ),
            (
                [
                    IndexedSlices(
                        values=T(float32, (1, 2), [[0.6, 0.8]]),
                        indices=T(int32, (1,), [1]),
                        dense_shape=T(int32, (2,), [3, 2]),
                    )
                ],
                T(float32, (), 5.0),
            ),
        ],
    ),
    row(
        "output_gradients=IndexedSlices",
        """
        x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        s = tf.IndexedSlices(tf.constant([[1.0, 1.0]]), tf.constant([1]), tf.constant([2, 2]))
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
        R = t.gradient(y, x, output_gradients=s)
        """,
        T(float32, (2, 2), [[0.0, 0.0], [6.0, 8.0]]),
    ),
    row(
        "gather_nd gradient type",
        """
        p = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        with tf.GradientTape() as t:
            y = tf.gather_nd(p, [[0, 1], [0, 1]])
        R = t.gradient(y, p)
        """,
        T(float32, (2, 2), [[0.0, 2.0], [0.0, 0.0]]),
    ),
    raises(
        "gather with out of range index (CPU)",
        "R = tf.gather(tf.constant([1.0, 2.0]), [5])",
        tf.errors.InvalidArgumentError,
    ),
    row(
        "keras Embedding gradient",
        """
        l = tf.keras.layers.Embedding(4, 2)
        with tf.GradientTape() as t:
            y = l(tf.constant([[0, 3]]))
        g = t.gradient(y, l.trainable_variables)
        R = g
        """,
        [
            IndexedSlices(
                values=T(float32, (2, 2), [[1.0, 1.0], [1.0, 1.0]]),
                indices=T(int32, (2,), [0, 3]),
                dense_shape=T(int32, (2,), [4, 2]),
            )
        ],
    ),
]


@pytest.mark.parametrize("fact", FACTS)
def test_indexed_slices(fact: Fact) -> None:
    fact.check()
