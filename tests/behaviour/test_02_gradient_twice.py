"""How often a tape answers: once when plain, as often as asked when persistent."""

import pytest

from .observed import Fact, T, Variable, float32, raises, row

SECTION = "2 calling gradient more than once"
FACTS = [
    raises(
        "second gradient() on non-persistent",
        """
        x = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
        t.gradient(y, x)
        t.gradient(y, x)
        """,
        RuntimeError,
    ),
    raises(
        "second jacobian() on non-persistent",
        """
        x = tf.constant([3.0, 1.0])
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
        t.jacobian(y, x)
        t.jacobian(y, x)
        """,
        RuntimeError,
    ),
    raises(
        "second batch_jacobian() on non-persistent",
        """
        x = tf.constant([[3.0, 1.0]])
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
        t.batch_jacobian(y, x)
        t.batch_jacobian(y, x)
        """,
        RuntimeError,
    ),
    row(
        "persistent twice",
        """
        x = tf.constant(3.0)
        with tf.GradientTape(persistent=True) as t:
            t.watch(x)
            y = x * x
            z = y * y
        R = [t.gradient(y, x), t.gradient(z, x), t.gradient(z, y)]
        """,
        [T(float32, (), 6.0), T(float32, (), 108.0), T(float32, (), 18.0)],
    ),
    row(
        "non-persistent, gradient inside the context, ok",
        """
        x = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
            g = t.gradient(y, x)
        R = g
        """,
        T(float32, (), 6.0),
    ),
    raises(
        "non-persistent, gradient twice inside context",
        """
        x = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
            g = t.gradient(y, x)
            g = t.gradient(y, x)
        """,
        RuntimeError,
    ),
    raises(
        "non-persistent: after gradient inside context, is recording resumed?",
        """
        x = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
            g = t.gradient(y, x)
            z = y * y
        R = t.gradient(z, x)
        """,
        RuntimeError,
    ),
    row(
        "after consumed: re-enter then gradient",
        """
        x = tf.constant(3.0)
        t = tf.GradientTape()
        with t:
            t.watch(x)
            y = x * x
        t.gradient(y, x)
        with t:
            t.watch(x)
            y = x * x * x
        R = t.gradient(y, x)
        """,
        T(float32, (), 27.0),
    ),
    raises(
        "after consumed: reset() then gradient",
        """
        x = tf.constant(3.0)
        t = tf.GradientTape()
        with t:
            t.watch(x)
            y = x * x
        t.gradient(y, x)
        t.reset()
        """,
        ValueError,
    ),
    raises(
        "after consumed: watch()",
        """
        x = tf.constant(3.0)
        t = tf.GradientTape()
        with t:
            t.watch(x)
            y = x * x
        t.gradient(y, x)
        t.watch(x)
        R = "no error"
        """,
        AttributeError,
    ),
    row(
        "after consumed: watched_variables()",
        """
        v = tf.Variable(3.0)
        with tf.GradientTape() as t:
            y = v * v
        t.gradient(y, v)
        R = t.watched_variables()
        """,
        (Variable(float32, 3.0),),
    ),
    row(
        "persistent, gradient inside context: higher order through own gradient ops",
        """
        x = tf.constant(3.0)
        with tf.GradientTape(persistent=True) as t:
            t.watch(x)
            y = x**3
            g = t.gradient(y, x)
            h = t.gradient(g, x)
        R = [g, h, t.gradient(h, x)]
        """,
        [T(float32, (), 27.0), T(float32, (), 18.0), T(float32, (), 6.0)],
        logs="Calling GradientTape.gradient on a persistent tape inside its context",
    ),
    row(
        "persistent, gradient inside context: logged warning",
        """
        x = tf.constant(3.0)
        with tf.GradientTape(persistent=True) as t:
            t.watch(x)
            y = x**3
            g = t.gradient(y, x)
        R = "see log"
        """,
        "see log",
        logs="Calling GradientTape.gradient on a persistent tape inside its context",
    ),
    row(
        "persistent, gradient outside context, not differentiable again",
        """
        x = tf.constant(3.0)
        with tf.GradientTape(persistent=True) as t:
            t.watch(x)
            y = x**3
        g = t.gradient(y, x)
        R = t.gradient(g, x)
        """,
        None,
    ),
    row(
        "jacobian in persistent tape context",
        """
        x = tf.constant([3.0, 2.0])
        with tf.GradientTape(persistent=True) as t:
            t.watch(x)
            y = x**3
            j = t.jacobian(y, x)
        R = [j, t.gradient(j, x)]
        """,
        [T(float32, (2, 2), [[27.0, 0.0], [0.0, 12.0]]), T(float32, (2,), [18.0, 12.0])],
        logs="Calling GradientTape.gradient on a persistent tape inside its context",
    ),
]


@pytest.mark.parametrize("fact", FACTS)
def test_gradient_twice(fact: Fact) -> None:
    fact.check()
