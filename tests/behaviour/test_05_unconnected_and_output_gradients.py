"""The two options of `gradient`."""

import pytest

from .observed import Fact, T, float32, int32, raises, row, string, tf

SECTION = "5 unconnected_gradients & output_gradients"
FACTS = [
    row(
        "NONE default",
        """
        x = tf.constant([1.0, 2.0])
        y = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch([x, y])
            z = y * 2.0
        R = t.gradient(z, x)
        """,
        None,
    ),
    row(
        "ZERO enum",
        """
        x = tf.constant([1.0, 2.0])
        y = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch([x, y])
            z = y * 2.0
        R = t.gradient(z, x, unconnected_gradients=tf.UnconnectedGradients.ZERO)
        """,
        T(float32, (2,), [0.0, 0.0]),
    ),
    row(
        'string "zero" / "none"',
        """
        x = tf.constant([1.0, 2.0])
        y = tf.constant(3.0)
        with tf.GradientTape(persistent=True) as t:
            t.watch([x, y])
            z = y * 2.0
        R = [t.gradient(z, x, unconnected_gradients="zero"), t.gradient(z, x, unconnected_gradients="none")]
        """,
        [T(float32, (2,), [0.0, 0.0]), None],
    ),
    raises(
        "bad value",
        """
        x = tf.constant(1.0)
        with tf.GradientTape() as t:
            t.watch(x)
            z = x * 2.0
        t.gradient(z, x, unconnected_gradients="nonsense")
        """,
        ValueError,
    ),
    row(
        "ZERO for Variable",
        """
        v = tf.Variable([[1.0, 2.0]])
        w = tf.Variable(1.0)
        with tf.GradientTape() as t:
            z = w * 2.0
        R = t.gradient(z, v, unconnected_gradients="zero")
        """,
        T(float32, (1, 2), [[0.0, 0.0]]),
    ),
    row(
        "ZERO for int source",
        """
        x = tf.constant([1, 2])
        y = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch(y)
            z = y * 2.0
        R = t.gradient(z, x, unconnected_gradients="zero")
        """,
        T(int32, (2,), [0, 0]),
    ),
    row(
        "ZERO for string source",
        """
        x = tf.constant("a")
        y = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch(y)
            z = y * 2.0
        R = t.gradient(z, x, unconnected_gradients="zero")
        """,
        T(string, (), b""),
    ),
    row(
        "ZERO with int target",
        """
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as t:
            t.watch(x)
            z = tf.argmax(x)
        R = t.gradient(z, x, unconnected_gradients="zero")
        """,
        T(float32, (2,), [0.0, 0.0]),
    ),
    row(
        "ZERO of never-watched source",
        """
        x = tf.constant([1.0, 2.0])
        y = tf.constant(3.0)
        with tf.GradientTape() as t:
            z = y * 2.0
        R = t.gradient(z, x, unconnected_gradients="zero")
        """,
        T(float32, (2,), [0.0, 0.0]),
    ),
    row(
        "UnconnectedGradients members",
        "R = [(m.name, m.value) for m in tf.UnconnectedGradients]",
        [("NONE", "none"), ("ZERO", "zero")],
    ),
    row(
        "output_gradients for a tensor",
        """
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
        R = t.gradient(y, x, output_gradients=tf.constant([10.0, 100.0]))
        """,
        T(float32, (2,), [20.0, 400.0]),
    ),
    row(
        "output_gradients python list for single target",
        """
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
        R = t.gradient(y, x, output_gradients=[10.0, 100.0])
        """,
        T(float32, (2,), [20.0, 40.0]),
    ),
    row(
        "output_gradients list for list targets",
        """
        x = tf.constant(3.0)
        y = tf.constant(2.0)
        with tf.GradientTape() as t:
            t.watch([x, y])
            loss = x * y
        R = t.gradient([loss, x], [x], output_gradients=[1.0, 2.0])
        """,
        [T(float32, (), 4.0)],
    ),
    raises(
        "output_gradients with None entry",
        """
        x = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch(x)
            a = x * x
            b = x * x * x
        R = t.gradient([a, b], x, output_gradients=[None, tf.constant(2.0)])
        """,
        ValueError,
    ),
    row(
        "output_gradients wrong length",
        """
        x = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch(x)
            a = x * x
            b = x * x * x
        R = t.gradient([a, b], x, output_gradients=[tf.constant(2.0)])
        """,
        T(float32, (), 39.0),
    ),
    row(
        "output_gradients wrong shape (broadcastable)",
        """
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
        R = t.gradient(y, x, output_gradients=tf.constant(10.0))
        """,
        T(float32, (2,), [20.0, 40.0]),
    ),
    raises(
        "output_gradients wrong shape (not broadcastable)",
        """
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
        R = t.gradient(y, x, output_gradients=tf.constant([1.0, 2.0, 3.0]))
        """,
        tf.errors.InvalidArgumentError,
    ),
    raises(
        "output_gradients wrong dtype tensor",
        """
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
        R = t.gradient(y, x, output_gradients=tf.constant([1.0, 2.0], tf.float64))
        """,
        tf.errors.InvalidArgumentError,
    ),
    raises(
        "output_gradients numpy float64",
        """
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
        R = t.gradient(y, x, output_gradients=np.array([1.0, 2.0]))
        """,
        tf.errors.InvalidArgumentError,
    ),
    row(
        "output_gradients in dict matching target dict",
        """
        x = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch(x)
            y = {"a": x * x, "b": x * 3.0}
        R = t.gradient(y, x, output_gradients={"a": tf.constant(1.0), "b": tf.constant(10.0)})
        """,
        T(float32, (), 36.0),
    ),
    row(
        "output_gradients is differentiated by outer tape",
        """
        x = tf.constant(3.0)
        og = tf.constant(5.0)
        with tf.GradientTape() as o:
            o.watch(og)
            with tf.GradientTape() as t:
                t.watch(x)
                y = x * x
            g = t.gradient(y, x, output_gradients=og)
        R = o.gradient(g, og)
        """,
        T(float32, (), 6.0),
    ),
]


@pytest.mark.parametrize("fact", FACTS)
def test_unconnected_and_output_gradients(fact: Fact) -> None:
    fact.check()
