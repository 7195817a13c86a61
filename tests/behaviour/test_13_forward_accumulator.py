"""Forward mode: `tf.autodiff.ForwardAccumulator`, alone, nested and with tapes."""

import pytest

from .observed import Contains, Fact, Raises, Signature, T, better, float32, raises, row

SECTION = "13 ForwardAccumulator"
FACTS = [
    row(
        "signatures",
        """
        import inspect

        R = [
            str(inspect.signature(tf.autodiff.ForwardAccumulator.__init__)),
            str(inspect.signature(tf.autodiff.ForwardAccumulator.jvp)),
            [n for n in dir(tf.autodiff.ForwardAccumulator) if not n.startswith("_")],
            [n for n in dir(tf.autodiff) if not n.startswith("_")],
        ]
        """,
        [
            Signature("(self, primals, tangents)"),
            Signature("(self, primals, unconnected_gradients=<UnconnectedGradients.NONE: 'none'>)"),
            Contains("jvp"),
            Contains("ForwardAccumulator", "GradientTape"),
        ],
    ),
    row(
        "basic",
        """
        x = tf.constant([1.0, 2.0])
        with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0])) as a:
            y = x * x
        R = a.jvp(y)
        """,
        T(float32, (2,), [2.0, 0.0]),
    ),
    row(
        "jvp inside the context, and after",
        """
        x = tf.constant(2.0)
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as a:
            y = x**3
            j = a.jvp(y)
        R = [j, a.jvp(y)]
        """,
        [T(float32, (), 12.0), T(float32, (), 12.0)],
    ),
    row(
        "unconnected -> None ; ZERO",
        """
        x = tf.constant(2.0)
        z = tf.constant([1.0, 2.0])
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as a:
            y = z * z
        R = [a.jvp(y), a.jvp(y, unconnected_gradients=tf.UnconnectedGradients.ZERO)]
        """,
        [None, T(float32, (2,), [0.0, 0.0])],
    ),
    row(
        "Variable primal",
        """
        v = tf.Variable(2.0)
        with tf.autodiff.ForwardAccumulator(v, tf.constant(1.0)) as a:
            y = v**3
        R = a.jvp(y)
        """,
        T(float32, (), 12.0),
    ),
    row(
        "list of primals; structure of jvp",
        """
        x = tf.constant(2.0)
        v = tf.Variable(3.0)
        with tf.autodiff.ForwardAccumulator([x, v], [tf.constant(1.0), tf.constant(10.0)]) as a:
            y = x * v
        R = a.jvp({"y": y, "l": [y, x]})
        """,
        {"y": T(float32, (), 23.0), "l": [T(float32, (), 23.0), T(float32, (), 1.0)]},
    ),
    row(
        "primal itself",
        """
        x = tf.constant(2.0)
        with tf.autodiff.ForwardAccumulator(x, tf.constant(7.0)) as a:
            pass
        R = a.jvp(x)
        """,
        T(float32, (), 7.0),
    ),
    raises(
        "same primal twice",
        """
        x = tf.constant(2.0)
        tf.autodiff.ForwardAccumulator([x, x], [tf.constant(1.0), tf.constant(1.0)])
        """,
        ValueError,
    ),
    raises(
        "structure mismatch",
        """
        x = tf.constant(2.0)
        tf.autodiff.ForwardAccumulator([x], tf.constant(1.0))
        """,
        ValueError,
    ),
    raises(
        "length mismatch",
        """
        x = tf.constant(2.0)
        tf.autodiff.ForwardAccumulator([x], [tf.constant(1.0), tf.constant(2.0)])
        """,
        ValueError,
    ),
    row(
        "tangent of wrong shape",
        """
        x = tf.constant([1.0, 2.0])
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as a:
            y = x * x
        R = a.jvp(y)
        """,
        T(float32, (2,), [2.0, 4.0]),
    ),
    raises(
        "tangent of wrong dtype",
        """
        x = tf.constant([1.0, 2.0])
        with tf.autodiff.ForwardAccumulator(x, tf.constant([1, 1])) as a:
            y = x * x
        R = a.jvp(y)
        """,
        ValueError,
    ),
    row(
        "tangent is python float / numpy",
        """
        x = tf.constant(2.0)
        with tf.autodiff.ForwardAccumulator(x, 1.0) as a:
            y = x * x
        R = a.jvp(y)
        """,
        T(float32, (), 4.0),
    ),
    raises(
        "tangent None",
        """
        x = tf.constant(2.0)
        tf.autodiff.ForwardAccumulator(x, None)
        """,
        ValueError,
    ),
    row(
        "primal int",
        """
        x = tf.constant(2)
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1)) as a:
            y = x * x
        R = a.jvp(y)
        """,
        None,
        logs="The dtype of the watched primal must be floating (e.g. tf.float32), got tf.int32",
    ),
    raises("primal numpy", "tf.autodiff.ForwardAccumulator(np.array(1.0), tf.constant(1.0))", AttributeError),
    row(
        "nested forward-over-forward",
        """
        x = tf.constant(2.0)
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as o:
            with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as i:
                y = x**3
            j = i.jvp(y)
        R = [j, o.jvp(j), o.jvp(y)]
        """,
        [T(float32, (), 12.0), T(float32, (), 12.0), T(float32, (), 12.0)],
    ),
    row(
        "forward-over-reverse (hvp)",
        """
        x = tf.constant([1.0, 2.0])
        with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0])) as a:
            with tf.GradientTape() as t:
                t.watch(x)
                y = tf.reduce_sum(x**3)
            g = t.gradient(y, x)
        R = a.jvp(g)
        """,
        T(float32, (2,), [6.0, 0.0]),
    ),
    row(
        "reverse-over-forward",
        """
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as t:
            t.watch(x)
            with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0])) as a:
                y = tf.reduce_sum(x**3)
            j = a.jvp(y)
        R = t.gradient(j, x)
        """,
        T(float32, (2,), [6.0, 0.0]),
    ),
    raises(
        "re-enter while active",
        """
        x = tf.constant(2.0)
        a = tf.autodiff.ForwardAccumulator(x, tf.constant(1.0))
        with a:
            with a:
                pass
        """,
        ValueError,
    ),
    row(
        "re-enter after exit",
        """
        x = tf.constant(2.0)
        a = tf.autodiff.ForwardAccumulator(x, tf.constant(1.0))
        with a:
            y = x * x
        with a:
            z = y * y
        R = [a.jvp(y), a.jvp(z)]
        """,
        [T(float32, (), 4.0), T(float32, (), 32.0)],
    ),
    row(
        "op before enter not tracked",
        """
        x = tf.constant(2.0)
        a = tf.autodiff.ForwardAccumulator(x, tf.constant(1.0))
        y = x * x
        with a:
            z = y * y
        R = [a.jvp(y), a.jvp(z)]
        """,
        [None, None],
    ),
    row(
        "through tf.function",
        """
        @tf.function
        def f(x):
            return tf.sin(x) * x

        x = tf.constant(2.0)
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as a:
            y = f(x)
        R = a.jvp(y)
        """,
        T(float32, (), 0.077),
    ),
    row(
        "inside tf.function",
        """
        @tf.function
        def f(x):
            with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as a:
                y = tf.sin(x) * x
            return a.jvp(y)

        R = f(tf.constant(2.0))
        """,
        T(float32, (), 0.077),
    ),
    row(
        "custom_gradient op in forward mode uses transpose of grad",
        """
        @tf.custom_gradient
        def f(x):
            def grad(dy):
                return dy * 100.0

            return x * x, grad

        x = tf.constant(3.0)
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as a:
            y = f(x)
        R = a.jvp(y)
        """,
        T(float32, (), 6.0),
    ),
    better(
        "recompute_grad in forward mode",
        """
        f = tf.recompute_grad(lambda x: x * x)
        x = tf.constant(3.0)
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as a:
            y = f(x)
        R = a.jvp(y)
        """,
        tensorflow=Raises(NotImplementedError),
        gradtape=T(float32, (), 6.0),
    ),
    better(
        "_batch_accumulator",
        """
        x = tf.constant([1.0, 2.0])
        with tf.autodiff.ForwardAccumulator._batch_accumulator(x, tf.eye(2)) as a:
            y = x**3
        R = a.jvp(y)
        """,
        tensorflow=Raises(ValueError),
        gradtape=T(float32, (2, 2), [[3.0, 0.0], [0.0, 12.0]]),
    ),
    row(
        "jvp of IndexedSlices-producing op (gather)",
        """
        p = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        with tf.autodiff.ForwardAccumulator(p, tf.ones([2, 2])) as a:
            y = tf.gather(p, [1]) * 2.0
        R = a.jvp(y)
        """,
        T(float32, (1, 2), [[2.0, 2.0]]),
    ),
    row(
        "stop_gradient",
        """
        x = tf.constant(3.0)
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as a:
            y = tf.stop_gradient(x) * x
        R = a.jvp(y)
        """,
        T(float32, (), 3.0),
    ),
    better(
        "keras layer",
        """
        l = tf.keras.layers.Dense(1, kernel_initializer="ones")
        x = tf.ones([1, 2])
        l(x)
        with tf.autodiff.ForwardAccumulator(l.kernel, tf.constant([[1.0], [0.0]])) as a:
            y = l(x)
        R = a.jvp(y)
        """,
        tensorflow=Raises(AttributeError),
        gradtape=T(float32, (1, 1), [[1.0]]),
    ),
]


@pytest.mark.parametrize("fact", FACTS)
def test_forward_accumulator(fact: Fact) -> None:
    fact.check()
