"""`batch_jacobian`: shapes, options, errors."""

import pytest

from .observed import Fact, Raises, T, better, float32, no_result, raises, row

SECTION = "10 batch_jacobian"
FACTS = [
    row(
        "basic",
        """
        x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
        R = t.batch_jacobian(y, x)
        """,
        T(float32, (2, 2, 2), [[[2.0, 0.0], [0.0, 4.0]], [[6.0, 0.0], [0.0, 8.0]]]),
    ),
    raises(
        "first dim differs",
        """
        x = tf.ones([2, 3])
        with tf.GradientTape() as t:
            t.watch(x)
            y = tf.concat([x, x], 0)
        t.batch_jacobian(y, x)
        """,
        ValueError,
    ),
    raises(
        "target rank 1",
        """
        x = tf.ones([2, 3])
        with tf.GradientTape() as t:
            t.watch(x)
            y = tf.reduce_sum(x, 1)
        t.batch_jacobian(y, x)
        """,
        ValueError,
    ),
    raises(
        "source rank 1",
        """
        x = tf.ones([2])
        with tf.GradientTape() as t:
            t.watch(x)
            y = x[:, None] * tf.ones([2, 2])
        t.batch_jacobian(y, x)
        """,
        ValueError,
    ),
    raises(
        "scalar target",
        """
        x = tf.ones([2, 3])
        with tf.GradientTape() as t:
            t.watch(x)
            y = tf.reduce_sum(x)
        t.batch_jacobian(y, x)
        """,
        IndexError,
    ),
    raises(
        "source is a list",
        """
        x = tf.ones([2, 3])
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
        t.batch_jacobian(y, [x])
        """,
        AttributeError,
    ),
    row(
        "unconnected default: zeros or None?",
        """
        x = tf.ones([2, 3])
        z = tf.ones([2, 2])
        with tf.GradientTape() as t:
            t.watch([x, z])
            y = z * z
        R = t.batch_jacobian(y, x)
        """,
        T(float32, (2, 2, 3), [[[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]]),
    ),
    row(
        "unconnected ZERO",
        """
        x = tf.ones([2, 3])
        z = tf.ones([2, 2])
        with tf.GradientTape() as t:
            t.watch([x, z])
            y = z * z
        R = t.batch_jacobian(y, x, unconnected_gradients="zero")
        """,
        T(float32, (2, 2, 3), [[[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]]),
    ),
    raises(
        "use_pfor=False non-persistent",
        """
        x = tf.ones([2, 3])
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
        t.batch_jacobian(y, x, experimental_use_pfor=False)
        """,
        RuntimeError,
    ),
    better(
        "parallel_iterations non-persistent",
        """
        x = tf.ones([2, 3])
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
        R = t.batch_jacobian(y, x, parallel_iterations=2)
        """,
        tensorflow=Raises(RuntimeError),
        gradtape=T(float32, (2, 3, 3), 2 * [[[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]]]),
    ),
    better(
        "parallel_iterations non-persistent in tf.function",
        """
        @tf.function
        def f(x):
            with tf.GradientTape() as t:
                t.watch(x)
                y = x * x
            return t.batch_jacobian(y, x, parallel_iterations=2)

        f(tf.ones([2, 3]))
        """,
        tensorflow=Raises(RuntimeError),
        gradtape=no_result,
    ),
    row(
        "degenerate [1,0]",
        """
        x = tf.zeros([1, 0])
        with tf.GradientTape() as t:
            t.watch(x)
            y = x**2
        R = tuple(t.batch_jacobian(y, x).shape)
        """,
        (1, 0, 0),
    ),
    row(
        "higher rank shape (b,)+y[1:]+x[1:]",
        """
        x = tf.ones([2, 3, 4])
        with tf.GradientTape() as t:
            t.watch(x)
            y = tf.reduce_sum(x, 1)
        R = tuple(t.batch_jacobian(y, x).shape)
        """,
        (2, 4, 3, 4),
    ),
    row(
        "cross-batch dependence is summed over batch silently",
        """
        x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * tf.reduce_sum(x)
        R = t.batch_jacobian(y, x)
        """,
        T(float32, (2, 2, 2), [[[14.0, 4.0], [6.0, 16.0]], [[14.0, 4.0], [6.0, 16.0]]]),
    ),
    row(
        "source a Variable",
        """
        v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        with tf.GradientTape() as t:
            y = v * v
        R = t.batch_jacobian(y, v)
        """,
        T(float32, (2, 2, 2), [[[2.0, 0.0], [0.0, 4.0]], [[6.0, 0.0], [0.0, 8.0]]]),
    ),
]


@pytest.mark.parametrize("fact", FACTS)
def test_batch_jacobian(fact: Fact) -> None:
    fact.check()
