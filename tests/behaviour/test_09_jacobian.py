"""`jacobian`: shapes, options, and its own derivatives."""

import pytest

from .observed import Fact, Raises, T, better, complex64, float32, float64, raises, row, tf

SECTION = "9 jacobian"
FACTS = [
    row(
        "vector wrt vector",
        """
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
        R = t.jacobian(y, x)
        """,
        T(float32, (2, 2), [[2.0, 0.0], [0.0, 4.0]]),
    ),
    row(
        "shape is target.shape + source.shape",
        """
        x = tf.ones([2, 3])
        with tf.GradientTape() as t:
            t.watch(x)
            y = tf.matmul(x, tf.ones([3, 4]))
        R = tuple(t.jacobian(y, x).shape)
        """,
        (2, 4, 2, 3),
    ),
    row(
        "scalar target",
        """
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as t:
            t.watch(x)
            y = tf.reduce_sum(x * x)
        R = t.jacobian(y, x)
        """,
        T(float32, (2,), [2.0, 4.0]),
    ),
    row(
        "structure of sources",
        """
        x = tf.constant([1.0, 2.0])
        v = tf.Variable(2.0)
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * v
        R = t.jacobian(y, {"x": x, "v": [v]})
        """,
        {"x": T(float32, (2, 2), [[2.0, 0.0], [0.0, 2.0]]), "v": [T(float32, (2,), [1.0, 2.0])]},
    ),
    row(
        "unconnected: NONE",
        """
        x = tf.constant([1.0, 2.0])
        z = tf.constant([1.0])
        with tf.GradientTape() as t:
            t.watch([x, z])
            y = x * x
        R = t.jacobian(y, [x, z])
        """,
        [T(float32, (2, 2), [[2.0, 0.0], [0.0, 4.0]]), None],
    ),
    row(
        "unconnected: ZERO",
        """
        x = tf.constant([1.0, 2.0])
        z = tf.constant([1.0])
        with tf.GradientTape() as t:
            t.watch([x, z])
            y = x * x
        R = t.jacobian(y, [x, z], unconnected_gradients="zero")
        """,
        [T(float32, (2, 2), [[2.0, 0.0], [0.0, 4.0]]), T(float32, (2, 1), [[0.0], [0.0]])],
    ),
    raises(
        "use_pfor=False on non-persistent",
        """
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
        t.jacobian(y, x, experimental_use_pfor=False)
        """,
        RuntimeError,
    ),
    row(
        "use_pfor=False persistent",
        """
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape(persistent=True) as t:
            t.watch(x)
            y = x * x
        R = t.jacobian(y, x, experimental_use_pfor=False)
        """,
        T(float32, (2, 2), [[2.0, 0.0], [0.0, 4.0]]),
    ),
    better(
        "parallel_iterations on non-persistent eager, pfor",
        """
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
        R = t.jacobian(y, x, parallel_iterations=2)
        """,
        tensorflow=Raises(ValueError),
        gradtape=T(float32, (2, 2), [[2.0, 0.0], [0.0, 4.0]]),
    ),
    row(
        "parallel_iterations persistent",
        """
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape(persistent=True) as t:
            t.watch(x)
            y = x * x
        R = [t.jacobian(y, x, parallel_iterations=2), t.jacobian(y, x, parallel_iterations=3)]
        """,
        [T(float32, (2, 2), [[2.0, 0.0], [0.0, 4.0]]), T(float32, (2, 2), [[2.0, 0.0], [0.0, 4.0]])],
    ),
    row(
        "jacobian with IndexedSlices gradient is dense",
        """
        p = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        with tf.GradientTape() as t:
            y = tf.gather(p, [1])
        R = t.jacobian(y, p)
        """,
        T(float32, (1, 2, 2, 2), [[[[0.0, 0.0], [1.0, 0.0]], [[0.0, 0.0], [0.0, 1.0]]]]),
    ),
    row(
        "int target",
        """
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as t:
            t.watch(x)
            y = tf.cast(x, tf.int32)
        R = t.jacobian(y, x)
        """,
        None,
    ),
    row(
        "empty target",
        """
        v = tf.Variable(1.0)
        with tf.GradientTape() as t:
            y = v * tf.zeros([0, 3])
        R = t.jacobian(y, v)
        """,
        T(float32, (0, 3), []),
    ),
    row(
        "complex target",
        """
        x = tf.constant([1.0 + 1j, 2.0], tf.complex64)
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
        R = t.jacobian(y, x)
        """,
        T(complex64, (2, 2), [[2.0 - 2.0j, 0.0 + 0.0j], [0.0 + 0.0j, 4.0 + 0.0j]]),
    ),
    row(
        "jacobian of a tf.function output",
        """
        @tf.function
        def f(x):
            return tf.sin(x) * x

        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as t:
            t.watch(x)
            y = f(x)
        R = t.jacobian(y, x)
        """,
        T(float32, (2, 2), [[1.38177, 0.0], [0.0, 0.077]]),
    ),
    row(
        "jacobian inside tf.function",
        """
        @tf.function
        def f(x):
            with tf.GradientTape() as t:
                t.watch(x)
                y = x * x
            return t.jacobian(y, x)

        R = f(tf.constant([1.0, 2.0]))
        """,
        T(float32, (2, 2), [[2.0, 0.0], [0.0, 4.0]]),
    ),
    row(
        "hessian by gradient then jacobian",
        """
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as o:
            o.watch(x)
            with tf.GradientTape() as i:
                i.watch(x)
                y = tf.reduce_sum(x**3)
            g = i.gradient(y, x)
        R = o.jacobian(g, x)
        """,
        T(float32, (2, 2), [[6.0, 0.0], [0.0, 12.0]]),
    ),
    row(
        "hessian by jacobian of jacobian (eager nested pfor)",
        """
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as o:
            o.watch(x)
            with tf.GradientTape() as i:
                i.watch(x)
                y = x**3
            j = i.jacobian(y, x)
        R = o.jacobian(j, x)
        """,
        T(float32, (2, 2, 2), [[[6.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 12.0]]]),
    ),
    row(
        "jacobian target dtype float64",
        """
        x = tf.constant([1.0, 2.0], tf.float64)
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
        R = t.jacobian(y, x)
        """,
        T(float64, (2, 2), [[2.0, 0.0], [0.0, 4.0]]),
    ),
    better(
        "jacobian over py_function / numpy_function op with pfor",
        """
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as t:
            t.watch(x)
            y = tf.py_function(lambda a: a * a, [x], tf.float32)
        R = t.jacobian(y, x)
        """,
        tensorflow=Raises(tf.errors.UnknownError),
        gradtape=T(float32, (2, 2), [[2.0, 0.0], [0.0, 4.0]]),
    ),
]


@pytest.mark.parametrize("fact", FACTS)
def test_jacobian(fact: Fact) -> None:
    fact.check()
