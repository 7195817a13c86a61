"""`custom_gradient`, `recompute_grad` and `grad_pass_through`."""

import pytest

from .observed import Fact, Raises, T, Variable, better, float32, raises, row

SECTION = "12 custom_gradient, recompute_grad, grad_pass_through"
FACTS = [
    row(
        "basic",
        """
        @tf.custom_gradient
        def f(x):
            def grad(dy):
                return dy * 100.0

            return x * x, grad

        x = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch(x)
            y = f(x)
        R = [y, t.gradient(y, x)]
        """,
        [T(float32, (), 9.0), T(float32, (), 100.0)],
    ),
    row(
        "called outside a tape",
        """
        @tf.custom_gradient
        def f(x):
            def grad(dy):
                return dy * 100.0

            return x * x, grad

        R = f(3.0)
        """,
        T(float32, (), 9.0),
    ),
    row(
        "two inputs, list returned",
        """
        @tf.custom_gradient
        def f(x, y):
            def grad(dy):
                return [dy * y * 2.0, dy * x * 2.0]

            return x * y, grad

        x = tf.constant(3.0)
        y = tf.constant(4.0)
        with tf.GradientTape() as t:
            t.watch([x, y])
            z = f(x, y)
        R = t.gradient(z, [x, y])
        """,
        [T(float32, (), 8.0), T(float32, (), 6.0)],
    ),
    row(
        "multiple outputs",
        """
        @tf.custom_gradient
        def f(x):
            def grad(da, db):
                return da * 10.0 + db * 100.0

            return (x * x, x + 1.0), grad

        x = tf.constant(3.0)
        with tf.GradientTape(persistent=True) as t:
            t.watch(x)
            a, b = f(x)
        R = [t.gradient(a, x), t.gradient(b, x), t.gradient([a, b], x)]
        """,
        [T(float32, (), 10.0), T(float32, (), 100.0), T(float32, (), 110.0)],
    ),
    row(
        "upstream of unused output is zeros not None",
        """
        seen = []

        @tf.custom_gradient
        def f(x):
            def grad(da, db):
                seen.append(db)
                return da

            return (x * x, x + 1.0), grad

        x = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch(x)
            a, b = f(x)
        t.gradient(a, x)
        R = seen
        """,
        [T(float32, (), 0.0)],
    ),
    raises(
        "wrong number of gradients",
        """
        @tf.custom_gradient
        def f(x):
            def grad(dy):
                return []

            return x, grad

        x = tf.Variable(1.0)
        with tf.GradientTape() as t:
            y = f(x)
        t.gradient(y, [x])
        """,
        ValueError,
    ),
    row(
        "grad returns None",
        """
        @tf.custom_gradient
        def f(x):
            def grad(dy):
                return None

            return x * 1.0, grad

        x = tf.Variable(1.0)
        with tf.GradientTape() as t:
            y = f(x)
        R = t.gradient(y, x)
        """,
        None,
    ),
    raises(
        "function forgets to return grad",
        """
        @tf.custom_gradient
        def f(x):
            return x * 2.0

        f(tf.constant(1.0))
        """,
        TypeError,
    ),
    raises(
        "uses a Variable, no variables kwarg",
        """
        v = tf.Variable(2.0, name="v")

        @tf.custom_gradient
        def f(x):
            def grad(dy):
                return dy

            return x * v, grad

        with tf.GradientTape() as t:
            y = f(tf.constant(1.0))
        """,
        TypeError,
    ),
    row(
        "uses a Variable, with variables kwarg",
        """
        v = tf.Variable(2.0, name="v")

        @tf.custom_gradient
        def f(x):
            def grad(dy, variables=None):
                return dy * 7.0, [dy * 9.0 for _ in variables]

            return x * v, grad

        x = tf.constant(1.0)
        with tf.GradientTape() as t:
            t.watch(x)
            y = f(x)
        R = t.gradient(y, [x, v])
        """,
        [T(float32, (), 7.0), T(float32, (), 9.0)],
    ),
    raises(
        "variables grads wrong number",
        """
        v = tf.Variable(2.0, name="v")

        @tf.custom_gradient
        def f(x):
            def grad(dy, variables=None):
                return dy * 7.0, []

            return x * v, grad

        x = tf.constant(1.0)
        with tf.GradientTape() as t:
            t.watch(x)
            y = f(x)
        t.gradient(y, [x, v])
        """,
        ValueError,
    ),
    row(
        "Variable passed as an argument is not in variables",
        """
        v = tf.Variable(2.0, name="v")
        seen = []

        @tf.custom_gradient
        def f(x):
            def grad(dy):
                return dy * 7.0

            return x * x, grad

        with tf.GradientTape() as t:
            y = f(v)
        R = t.gradient(y, v)
        """,
        T(float32, (), 7.0),
    ),
    row(
        "kwargs in eager",
        """
        @tf.custom_gradient
        def f(x, k=None):
            def grad(dy):
                return dy * 7.0

            return x * k, grad

        x = tf.constant(2.0)
        with tf.GradientTape() as t:
            t.watch(x)
            y = f(x, k=3.0)
        R = t.gradient(y, x)
        """,
        T(float32, (), 7.0),
    ),
    row(
        "kwargs tensor in eager",
        """
        @tf.custom_gradient
        def f(x, k=None):
            def grad(dy):
                return dy * 7.0

            return x * k, grad

        x = tf.constant(2.0)
        k = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch([x, k])
            y = f(x, k=k)
        R = t.gradient(y, [x, k])
        """,
        [T(float32, (), 7.0), None],
    ),
    better(
        "kwargs inside tf.function",
        """
        @tf.custom_gradient
        def f(x, k=None):
            def grad(dy):
                return dy * 7.0

            return x * k, grad

        @tf.function
        def g(x):
            return f(x, k=3.0)

        R = g(tf.constant(2.0))
        """,
        tensorflow=Raises(ValueError),
        gradtape=T(float32, (), 6.0),
    ),
    row(
        "nested custom gradient: second order override",
        """
        @tf.custom_gradient
        def f(x):
            def g1(dz):
                @tf.custom_gradient
                def inner(u):
                    def h(ddz):
                        return -2.1 * ddz

                    return -1.1, h

                return dz * inner(x)

            return x + 10.0, g1

        x = tf.constant(1.0)
        with tf.GradientTape() as o:
            o.watch(x)
            with tf.GradientTape() as i:
                i.watch(x)
                d = f(x) ** 4.0
            dd = i.gradient(d, x)
        R = [dd, o.gradient(dd, x)]
        """,
        [T(float32, (), -5856.4), T(float32, (), -9423.4795)],
    ),
    row(
        "second order through grad ops by default",
        """
        @tf.custom_gradient
        def f(x):
            def grad(dy):
                return dy * x * x

            return x * x, grad

        x = tf.constant(3.0)
        with tf.GradientTape() as o:
            o.watch(x)
            with tf.GradientTape() as i:
                i.watch(x)
                y = f(x)
            g = i.gradient(y, x)
        R = [g, o.gradient(g, x)]
        """,
        [T(float32, (), 9.0), T(float32, (), 6.0)],
    ),
    row(
        "clip-gradient pattern in saved f: shape changes allowed?",
        """
        @tf.custom_gradient
        def f(x):
            def grad(dy):
                return tf.ones([5])

            return x * 1.0, grad

        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as t:
            t.watch(x)
            y = f(x)
        R = t.gradient(y, x)
        """,
        T(float32, (5,), [1.0, 1.0, 1.0, 1.0, 1.0]),
    ),
    raises(
        "grad raising",
        """
        @tf.custom_gradient
        def f(x):
            def grad(dy):
                raise RuntimeError("boom")

            return x * 1.0, grad

        x = tf.constant(1.0)
        with tf.GradientTape() as t:
            t.watch(x)
            y = f(x)
        t.gradient(y, x)
        """,
        RuntimeError,
    ),
    row("bare call form tf.custom_gradient() / with f=None", "R = callable(tf.custom_gradient(None))", True),
    row(
        "inside tf.function",
        """
        @tf.custom_gradient
        def f(x):
            def grad(dy):
                return dy * 100.0

            return x * x, grad

        @tf.function
        def g(x):
            with tf.GradientTape() as t:
                t.watch(x)
                y = f(x)
            return t.gradient(y, x)

        R = g(tf.constant(3.0))
        """,
        T(float32, (), 100.0),
    ),
    row(
        "returning the very input tensor",
        """
        @tf.custom_gradient
        def f(x):
            def grad(dy):
                return dy * 5.0

            return x, grad

        x = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch(x)
            y = f(x)
        R = [y is x, t.gradient(y, x)]
        """,
        [False, T(float32, (), 5.0)],
    ),
    row(
        "recompute_grad",
        """
        n = []

        def f(x):
            n.append(1)
            return x * x

        g = tf.recompute_grad(f)
        x = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch(x)
            y = g(x)
        a = len(n)
        d = t.gradient(y, x)
        R = [a, len(n), d]
        """,
        [1, 2, T(float32, (), 6.0)],
    ),
    row(
        "recompute_grad with variables",
        """
        v = tf.Variable(2.0)
        g = tf.recompute_grad(lambda x: x * v)
        x = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch(x)
            y = g(x)
        R = t.gradient(y, [x, v])
        """,
        [T(float32, (), 2.0), T(float32, (), 3.0)],
    ),
    row(
        "recompute_grad second order",
        """
        g = tf.recompute_grad(lambda x: x**3)
        x = tf.constant(3.0)
        with tf.GradientTape() as o:
            o.watch(x)
            with tf.GradientTape() as t:
                t.watch(x)
                y = g(x)
            d = t.gradient(y, x)
        R = o.gradient(d, x)
        """,
        T(float32, (), 18.0),
    ),
    row(
        "recompute_grad __wrapped__",
        """
        def f(x):
            return x

        R = tf.recompute_grad(f).__wrapped__ is f
        """,
        True,
    ),
    row(
        "grad_pass_through",
        """
        x = tf.constant(3.2)
        with tf.GradientTape() as t:
            t.watch(x)
            y = tf.grad_pass_through(tf.round)(x) * 2.0
        R = [y, t.gradient(y, x)]
        """,
        [T(float32, (), 6.0), T(float32, (), 2.0)],
    ),
    row(
        "grad_pass_through of assign",
        """
        x = tf.Variable(1.0)
        z = tf.Variable(3.0)
        with tf.GradientTape() as t:
            y = tf.grad_pass_through(x.assign)(z**2)
        R = [y, t.gradient(y, z), x]
        """,
        [T(float32, (), 9.0), T(float32, (), 6.0), Variable(float32, 9.0)],
    ),
    row(
        "grad_pass_through with variable inside gives None",
        """
        v = tf.Variable(2.0)
        x = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch(x)
            y = tf.grad_pass_through(lambda a: a * v)(x)
        R = t.gradient(y, [x, v])
        """,
        [T(float32, (), 1.0), None],
    ),
]


@pytest.mark.parametrize("fact", FACTS)
def test_custom_gradient(fact: Fact) -> None:
    fact.check()
