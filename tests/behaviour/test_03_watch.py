"""What `watch` accepts, and what it connects."""

import pytest

from .observed import Fact, RaggedTensor, T, bfloat16, complex64, float16, float32, float64, raises, row

SECTION = "3 watch()"
FACTS = [
    row(
        "watch int tensor: warning, and gradient",
        """
        x = tf.constant(3)
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
        R = t.gradient(y, x)
        """,
        None,
        logs="The dtype of the watched tensor must be floating (e.g. tf.float32), got tf.int32",
    ),
    row(
        "watch bool tensor",
        """
        x = tf.constant(True)
        with tf.GradientTape() as t:
            t.watch(x)
        R = "ok"
        """,
        "ok",
        logs="The dtype of the watched tensor must be floating (e.g. tf.float32), got tf.bool",
    ),
    row(
        "watch string tensor",
        """
        s = tf.constant("a")
        with tf.GradientTape() as t:
            t.watch(s)
        R = t.gradient(s, s)
        """,
        None,
        logs="The dtype of the watched tensor must be floating (e.g. tf.float32), got tf.string",
    ),
    row(
        "watch complex64",
        """
        x = tf.constant(1.0 + 2.0j, tf.complex64)
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
        R = t.gradient(y, x)
        """,
        T(complex64, (), 2.0 - 4.0j),
    ),
    row(
        "complex: real part of z*z",
        """
        x = tf.constant(1.0 + 2.0j, tf.complex64)
        with tf.GradientTape() as t:
            t.watch(x)
            y = tf.math.real(x * x)
        R = t.gradient(y, x)
        """,
        T(complex64, (), 2.0 - 4.0j),
    ),
    row(
        "complex: abs",
        """
        x = tf.constant(3.0 + 4.0j, tf.complex64)
        with tf.GradientTape() as t:
            t.watch(x)
            y = tf.abs(x)
        R = t.gradient(y, x)
        """,
        T(complex64, (), 0.6 + 0.8j),
    ),
    row(
        "complex: conj",
        """
        x = tf.constant(3.0 + 4.0j, tf.complex64)
        with tf.GradientTape() as t:
            t.watch(x)
            y = tf.math.conj(x) * (2.0 + 1.0j)
        R = t.gradient(y, x)
        """,
        T(complex64, (), 2.0 + 1.0j),
    ),
    row(
        "complex: exp",
        """
        x = tf.constant(0.3 + 0.4j, tf.complex64)
        with tf.GradientTape() as t:
            t.watch(x)
            y = tf.exp(x)
        R = t.gradient(y, x)
        """,
        T(complex64, (), 1.2433 - 0.52566j),
    ),
    row(
        "watch float16",
        """
        x = tf.constant(3.0, tf.float16)
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
        R = t.gradient(y, x)
        """,
        T(float16, (), 6.0),
    ),
    row(
        "watch bfloat16",
        """
        x = tf.constant(3.0, tf.bfloat16)
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
        R = t.gradient(y, x)
        """,
        T(bfloat16, (), 6.0),
    ),
    row(
        "watch float64",
        """
        x = tf.constant(3.0, tf.float64)
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
        R = t.gradient(y, x)
        """,
        T(float64, (), 6.0),
    ),
    raises(
        "watch numpy array",
        """
        with tf.GradientTape() as t:
            t.watch(np.array(1.0))
        """,
        ValueError,
    ),
    raises(
        "watch python float",
        """
        with tf.GradientTape() as t:
            t.watch(1.0)
        """,
        ValueError,
    ),
    raises(
        "watch None",
        """
        with tf.GradientTape() as t:
            t.watch(None)
        R = "ok"
        """,
        ValueError,
    ),
    row(
        "watch list / dict / nested",
        """
        x = tf.constant(1.0)
        y = tf.constant(2.0)
        z = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch({"a": x, "b": [y, (z,)]})
            w = x * y * z
        R = t.gradient(w, {"a": x, "b": [y, (z,)]})
        """,
        {"a": T(float32, (), 6.0), "b": [T(float32, (), 3.0), (T(float32, (), 2.0),)]},
    ),
    row(
        "watch returns",
        """
        x = tf.constant(1.0)
        with tf.GradientTape() as t:
            R = t.watch(x)
        """,
        None,
    ),
    row(
        "watch after the op: not connected",
        """
        x = tf.constant(1.0)
        with tf.GradientTape() as t:
            y = x * x
            t.watch(x)
        R = t.gradient(y, x)
        """,
        None,
    ),
    row(
        "watch an intermediate, gradient wrt it",
        """
        x = tf.constant(3.0)
        with tf.GradientTape() as t:
            y = x * x
            t.watch(y)
            z = y * y
        R = t.gradient(z, [x, y])
        """,
        [None, T(float32, (), 18.0)],
    ),
    row(
        "gradient wrt unwatched intermediate works",
        """
        x = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
            z = y * y
        R = t.gradient(z, [x, y])
        """,
        [T(float32, (), 108.0), T(float32, (), 18.0)],
    ),
    row(
        "watch twice is idempotent",
        """
        x = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch(x)
            t.watch(x)
            y = x * x
        R = t.gradient(y, x)
        """,
        T(float32, (), 6.0),
    ),
    row(
        "watch SparseTensor",
        """
        with tf.GradientTape() as t:
            vals = tf.constant([1.0, 2.0])
            s = tf.SparseTensor([[0, 0], [1, 2]], vals, [3, 4])
            t.watch(s)
            z = tf.sparse.reduce_sum(s)
        R = t.gradient(z, vals)
        """,
        T(float32, (2,), [1.0, 1.0]),
        logs="The dtype of the watched tensor must be floating (e.g. tf.float32), got tf.int64",
    ),
    row(
        "watch RaggedTensor, gradient wrt it",
        """
        r = tf.ragged.constant([[1.0, 2.0], [3.0]])
        with tf.GradientTape() as t:
            t.watch(r)
            z = tf.reduce_sum(r * r)
        R = t.gradient(z, r)
        """,
        RaggedTensor([[2.0, 4.0], [6.0]]),
        logs="The dtype of the watched tensor must be floating (e.g. tf.float32), got tf.int64",
    ),
    raises(
        "watch IndexedSlices",
        """
        s = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([0]), tf.constant([3, 2]))
        with tf.GradientTape() as t:
            t.watch(s)
            y = s.values * 2.0
        R = t.gradient(y, s)
        """,
        AttributeError,
        logs="The dtype of the watched tensor must be floating (e.g. tf.float32), got tf.int32",
    ),
    row(
        "unwatched constant gives None",
        """
        x = tf.constant(3.0)
        with tf.GradientTape() as t:
            y = x * x
        R = t.gradient(y, x)
        """,
        None,
    ),
    row(
        "two equal constants are distinct",
        """
        a = tf.constant(3.0)
        b = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch(a)
            t.watch(b)
            y = a + b
        R = t.gradient(y, a)
        """,
        T(float32, (), 1.0),
    ),
    row(
        "watching is local to one tape",
        """
        a = tf.Variable(2.0, trainable=False)
        b = tf.Variable(2.0, trainable=False)
        with tf.GradientTape() as t1:
            with tf.GradientTape() as t2:
                t1.watch(a)
                t2.watch([a, b])
                y = a**3
                z = b**2
                dy, dz = t2.gradient([y, z], [a, b])
            R = t1.gradient([dy, dz], [a, b])
        """,
        [T(float32, (), 12.0), None],
    ),
]


@pytest.mark.parametrize("fact", FACTS)
def test_watch(fact: Fact) -> None:
    fact.check()
