"""`tf.function`, `tf.gradients`, `tf.hessians` and control flow."""

import pytest

from .observed import Fact, T, float32, raises, row, tf

SECTION = "14 tf.function, tf.gradients, tf.hessians"
FACTS = [
    raises(
        "tf.gradients eagerly",
        """
        x = tf.constant(2.0)
        tf.gradients(x * x, x)
        """,
        RuntimeError,
    ),
    row(
        "tf.gradients in tf.function",
        """
        @tf.function
        def f(x):
            y = x**3
            return tf.gradients(y, x)

        R = f(tf.constant(2.0))
        """,
        [T(float32, (), 12.0)],
    ),
    row(
        "tf.gradients list, grad_ys, stop_gradients",
        """
        @tf.function
        def f(a, b):
            z = a * 2.0
            y = z * b + a
            return [
                tf.gradients(y, [a, b]),
                tf.gradients(y, [a, b], grad_ys=tf.constant(10.0)),
                tf.gradients(y, [a, b], stop_gradients=[z]),
            ]

        R = f(tf.constant(2.0), tf.constant(3.0))
        """,
        [
            [T(float32, (), 7.0), T(float32, (), 4.0)],
            [T(float32, (), 70.0), T(float32, (), 40.0)],
            [T(float32, (), 1.0), T(float32, (), 4.0)],
        ],
    ),
    row(
        "tf.gradients unconnected",
        """
        @tf.function
        def f(a, b):
            g = tf.gradients(a * a, [a, b])
            h = tf.gradients(a * a, [a, b], unconnected_gradients="zero")
            print(g[1])
            return g[0], h

        R = f(tf.constant(2.0), tf.constant(3.0))
        """,
        (T(float32, (), 4.0), [T(float32, (), 4.0), T(float32, (), 0.0)]),
        prints="None\n",
    ),
    row(
        "tf.gradients of tf.gradients",
        """
        @tf.function
        def f(x):
            g = tf.gradients(x**3, x)[0]
            return tf.gradients(g, x)[0]

        R = f(tf.constant(2.0))
        """,
        T(float32, (), 12.0),
    ),
    row(
        "tf.gradients with an int y",
        """
        @tf.function
        def f(x):
            return tf.gradients(tf.cast(x, tf.int32), x)

        R = f(tf.constant(2.0))
        """,
        [None],
    ),
    row(
        "tf.gradients variables",
        """
        v = tf.Variable(3.0)

        @tf.function
        def f():
            y = v * v
            return tf.gradients(y, v)

        R = f()
        """,
        [T(float32, (), 6.0)],
    ),
    raises(
        "tf.hessians eagerly",
        """
        x = tf.constant([1.0, 2.0])
        tf.hessians(tf.reduce_sum(x**3), x)
        """,
        RuntimeError,
    ),
    row(
        "tf.hessians in tf.function",
        """
        @tf.function
        def f(x):
            return tf.hessians(tf.reduce_sum(x**3), x)

        R = f(tf.constant([1.0, 2.0]))
        """,
        [T(float32, (2, 2), [[6.0, 0.0], [0.0, 12.0]])],
    ),
    raises(
        "tf.hessians two xs (block diag only)",
        """
        @tf.function
        def f(x, z):
            return tf.hessians(tf.reduce_sum(x**3) * z, [x, z])

        R = f(tf.constant([1.0, 2.0]), tf.constant(2.0))
        """,
        ValueError,
    ),
    raises(
        "tf.hessians unconnected second derivative",
        """
        @tf.function
        def f(x):
            return tf.hessians(tf.reduce_sum(x), x)

        R = f(tf.constant([1.0, 2.0]))
        """,
        ValueError,
    ),
    row(
        "tape around tf.function",
        """
        v = tf.Variable(3.0)

        @tf.function
        def f(x):
            return v * x * x

        x = tf.constant(2.0)
        with tf.GradientTape() as t:
            t.watch(x)
            y = f(x)
        R = [t.gradient(y, [x, v]), len(t.watched_variables())]
        """,
        [[T(float32, (), 12.0), T(float32, (), 4.0)], 1],
    ),
    row(
        "tape inside tf.function",
        """
        v = tf.Variable(3.0)

        @tf.function
        def f(x):
            with tf.GradientTape() as t:
                t.watch(x)
                y = v * x * x
            return t.gradient(y, [x, v])

        R = f(tf.constant(2.0))
        """,
        [T(float32, (), 12.0), T(float32, (), 4.0)],
    ),
    raises(
        "second gradient on consumed tape in tf.function",
        """
        @tf.function
        def f(x):
            with tf.GradientTape() as t:
                t.watch(x)
                y = x * x
            t.gradient(y, x)
            t.gradient(y, x)

        f(tf.constant(2.0))
        """,
        RuntimeError,
    ),
    row(
        "tape opened outside, gradient called inside tf.function",
        """
        x = tf.constant(2.0)
        with tf.GradientTape(persistent=True) as t:
            t.watch(x)
            y = x * x

        @tf.function
        def g():
            return t.gradient(y, x)

        R = g()
        """,
        T(float32, (), 4.0),
    ),
    row(
        "tf.function retrace count & python side effects",
        """
        n = []

        @tf.function
        def f(x):
            n.append(1)
            return x * 2

        f(tf.constant(1.0))
        f(tf.constant(2.0))
        f(tf.constant([1.0]))
        f(1)
        f(2)
        f(1)
        R = len(n)
        """,
        4,
    ),
    raises(
        "tf.function creating a Variable on second call",
        """
        @tf.function
        def f(x):
            v = tf.Variable(1.0)
            return v * x

        f(tf.constant(1.0))
        """,
        ValueError,
    ),
    row(
        "autograph if/while gradients",
        """
        @tf.function
        def f(x):
            y = x
            i = tf.constant(0)
            while i < 3:
                y = y * x
                i += 1
            if y > 0.0:
                y = y * 2.0
            else:
                y = y * 3.0
            return y

        x = tf.constant(2.0)
        with tf.GradientTape() as t:
            t.watch(x)
            y = f(x)
        R = [y, t.gradient(y, x)]
        """,
        [T(float32, (), 32.0), T(float32, (), 64.0)],
    ),
    row(
        "tf.cond / tf.while_loop / switch_case / map_fn / scan / foldl gradients, eager",
        """
        x = tf.constant([1.0, 2.0, 3.0])
        with tf.GradientTape(persistent=True) as t:
            t.watch(x)
            a = tf.cond(x[0] > 0.0, lambda: x * x, lambda: x)
            _, b = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, x])
            cc = tf.switch_case(tf.constant(1), [lambda: x, lambda: x * 5.0])
            d = tf.map_fn(lambda e: e * e, x)
            e = tf.scan(lambda p, q: p * q, x)
            f = tf.foldl(lambda p, q: p * q, x)
        R = [t.gradient(q, x) for q in (a, b, cc, d, e, f)]
        """,
        [
            T(float32, (3,), [2.0, 4.0, 6.0]),
            T(float32, (3,), [4.0, 32.0, 108.0]),
            T(float32, (3,), [5.0, 5.0, 5.0]),
            T(float32, (3,), [2.0, 4.0, 6.0]),
            T(float32, (3,), [9.0, 4.0, 2.0]),
            T(float32, (3,), [6.0, 3.0, 2.0]),
        ],
    ),
    row(
        "tf.vectorized_map",
        """
        x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        with tf.GradientTape() as t:
            t.watch(x)
            y = tf.vectorized_map(lambda r: tf.reduce_sum(r * r), x)
        R = [y, t.gradient(y, x)]
        """,
        [T(float32, (2,), [5.0, 25.0]), T(float32, (2, 2), [[2.0, 4.0], [6.0, 8.0]])],
    ),
    row(
        "TensorArray gradients",
        """
        x = tf.constant([1.0, 2.0, 3.0])
        with tf.GradientTape() as t:
            t.watch(x)
            ta = tf.TensorArray(tf.float32, size=3)
            for i in range(3):
                ta = ta.write(i, x[i] * x[i])
            y = tf.reduce_sum(ta.stack())
        R = t.gradient(y, x)
        """,
        T(float32, (3,), [2.0, 4.0, 6.0]),
    ),
    raises(
        "iterating over a tensor / bool of a tensor inside tf.function without autograph",
        """
        @tf.function(autograph=False)
        def f(x):
            if x > 0.0:
                return x
            return -x

        f(tf.constant(1.0))
        """,
        tf.errors.OperatorNotAllowedInGraphError,
    ),
    raises(
        "input_signature mismatch",
        """
        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def f(x):
            return x * 2.0

        f(tf.constant([[1.0]]))
        """,
        TypeError,
    ),
    row(
        "ConcreteFunction gradient",
        """
        @tf.function
        def f(x):
            return x * x

        cf = f.get_concrete_function(tf.TensorSpec([], tf.float32))
        x = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch(x)
            y = cf(x)
        R = t.gradient(y, x)
        """,
        T(float32, (), 6.0),
    ),
    row(
        "run_functions_eagerly",
        """
        tf.config.run_functions_eagerly(True)
        n = []

        @tf.function
        def f(x):
            n.append(1)
            return x * 2.0

        f(tf.constant(1.0))
        f(tf.constant(1.0))
        tf.config.run_functions_eagerly(False)
        R = len(n)
        """,
        2,
    ),
]


@pytest.mark.parametrize("fact", FACTS)
def test_function(fact: Fact) -> None:
    fact.check()
