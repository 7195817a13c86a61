"""What the constructor takes, and entering, leaving and re-entering a tape."""

import pytest

from .observed import Contains, Fact, Signature, T, float32, raises, row

SECTION = "1 constructor & context"
FACTS = [
    row(
        "signature of GradientTape.__init__",
        """
        import inspect

        R = str(inspect.signature(tf.GradientTape.__init__))
        """,
        Signature("(self, persistent=False, watch_accessed_variables=True)"),
    ),
    row(
        "signature of gradient",
        """
        import inspect

        R = str(inspect.signature(tf.GradientTape.gradient))
        """,
        Signature(
            "(self, target, sources, output_gradients=None, unconnected_gradients=<UnconnectedGradients.NONE: 'none'>)"
        ),
    ),
    row(
        "signature of jacobian",
        """
        import inspect

        R = str(inspect.signature(tf.GradientTape.jacobian))
        """,
        Signature(
            "(self, target, sources, unconnected_gradients=<UnconnectedGradients.NONE: 'none'>, "
            "parallel_iterations=None, experimental_use_pfor=True)"
        ),
    ),
    row(
        "signature of batch_jacobian",
        """
        import inspect

        R = str(inspect.signature(tf.GradientTape.batch_jacobian))
        """,
        Signature(
            "(self, target, source, unconnected_gradients=<UnconnectedGradients.NONE: 'none'>, "
            "parallel_iterations=None, experimental_use_pfor=True)"
        ),
    ),
    row(
        "public members",
        'R = [n for n in dir(tf.GradientTape) if not n.startswith("_")]',
        Contains("batch_jacobian", "gradient", "jacobian", "reset", "stop_recording", "watch", "watched_variables"),
    ),
    row(
        "positional args persistent, watch_accessed",
        """
        t = tf.GradientTape(True, False)
        v = tf.Variable(2.0)
        with t:
            y = v * v
        R = [t.gradient(y, v), t.watched_variables()]
        """,
        [None, ()],
    ),
    raises("unknown kwarg", "tf.GradientTape(foo=1)", TypeError),
    row(
        "__enter__ returns the same tape",
        """
        t = tf.GradientTape()
        with t as u:
            pass
        R = u is t
        """,
        True,
    ),
    raises(
        "nested with of the same tape",
        """
        with tf.GradientTape() as t:
            with t:
                pass
        """,
        ValueError,
    ),
    row(
        "re-enter same tape after exit keeps the record",
        """
        t = tf.GradientTape()
        x = tf.constant(3.0)
        with t:
            t.watch(x)
            y = 2 * x
        with t:
            z = 2 * y
        R = t.gradient(z, x)
        """,
        T(float32, (), 4.0),
    ),
    row(
        "op between two with-blocks not recorded",
        """
        t = tf.GradientTape(persistent=True)
        x = tf.constant(3.0)
        with t:
            t.watch(x)
            y = 2 * x
        q = y * y
        with t:
            z = 2 * q
        R = [t.gradient(z, x), t.gradient(y, x)]
        """,
        [None, T(float32, (), 2.0)],
    ),
    raises(
        "tape used without entering: gradient",
        """
        t = tf.GradientTape()
        x = tf.constant(3.0)
        t.watch(x)
        y = x * x
        R = t.gradient(y, x)
        """,
        AttributeError,
    ),
    raises(
        "watch before entering, then enter",
        """
        t = tf.GradientTape()
        x = tf.constant(3.0)
        t.watch(x)
        with t:
            y = x * x
        R = t.gradient(y, x)
        """,
        AttributeError,
    ),
    row(
        "exit without enter",
        """
        t = tf.GradientTape()
        t.__exit__(None, None, None)
        """,
    ),
    row(
        "exception in the body propagates; tape popped",
        """
        try:
            with tf.GradientTape() as t:
                raise KeyError("k")
        except KeyError as e:
            pass
        x = tf.constant(2.0)
        with tf.GradientTape() as t2:
            t2.watch(x)
            y = x * x
        R = t2.gradient(y, x)
        """,
        T(float32, (), 4.0),
    ),
    row(
        "tape still usable after exception in body",
        """
        x = tf.constant(2.0)
        t = tf.GradientTape()
        try:
            with t:
                t.watch(x)
                y = x * x
                raise KeyError("k")
        except KeyError:
            pass
        R = t.gradient(y, x)
        """,
        T(float32, (), 4.0),
    ),
]


@pytest.mark.parametrize("fact", FACTS)
def test_constructor(fact: Fact) -> None:
    fact.check()
