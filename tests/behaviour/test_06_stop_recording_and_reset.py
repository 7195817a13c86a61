"""`stop_recording`, `reset` and `watched_variables`."""

import pytest

from .observed import Fact, T, float32, raises, row

SECTION = "6 stop_recording, reset, watched_variables"
FACTS = [
    row(
        "stop_recording hides ops",
        """
        x = tf.Variable(1.0)
        with tf.GradientTape() as t:
            with t.stop_recording():
                y = x * x
        R = t.gradient(y, x)
        """,
        None,
    ),
    row(
        "stop_recording: resumes",
        """
        x = tf.Variable(3.0)
        with tf.GradientTape(persistent=True) as t:
            x2 = x * 2.0
            with t.stop_recording():
                y = x2 * x2
            z = x2 * x2
        R = [t.gradient(y, x2), t.gradient(z, x2), t.gradient(z, x)]
        """,
        [None, T(float32, (), 12.0), T(float32, (), 24.0)],
    ),
    raises(
        "stop_recording when the tape is not active",
        """
        t = tf.GradientTape()
        with t.stop_recording():
            pass
        """,
        RuntimeError,
    ),
    row(
        "stop_recording yields",
        """
        with tf.GradientTape() as t:
            with t.stop_recording() as s:
                R = s
        """,
        None,
    ),
    row(
        "stop_recording of inner tape leaves outer recording",
        """
        x = tf.constant(3.0)
        with tf.GradientTape() as o:
            o.watch(x)
            with tf.GradientTape() as i:
                i.watch(x)
                with i.stop_recording():
                    y = x * x
        R = [i.gradient(y, x), o.gradient(y, x)]
        """,
        [None, T(float32, (), 6.0)],
    ),
    row(
        "stop_recording of OUTER tape while inner open (inner records?)",
        """
        x = tf.constant(3.0)
        with tf.GradientTape() as o:
            o.watch(x)
            with tf.GradientTape() as i:
                i.watch(x)
                with o.stop_recording():
                    y = x * x
        R = [i.gradient(y, x), o.gradient(y, x)]
        """,
        [T(float32, (), 6.0), None],
    ),
    row(
        "gradient inside stop_recording (cheap non-persistent use)",
        """
        x = tf.Variable(3.0)
        with tf.GradientTape() as t:
            y = x * x
            with t.stop_recording():
                g = t.gradient(y, x)
            z = y * 2.0
        R = [g]
        """,
        [T(float32, (), 6.0)],
    ),
    row(
        "gradient inside stop_recording, then gradient again",
        """
        x = tf.Variable(3.0)
        with tf.GradientTape() as t:
            y = x * x
            with t.stop_recording():
                g = t.gradient(y, x)
        R = t.gradient(y, x)
        """,
        None,
    ),
    raises(
        "stop_recording: nested twice",
        """
        x = tf.Variable(3.0)
        with tf.GradientTape() as t:
            with t.stop_recording():
                with t.stop_recording():
                    pass
        """,
        ValueError,
    ),
    row(
        "stop_recording: variables read there are not watched",
        """
        x = tf.Variable(3.0)
        w = tf.Variable(1.0)
        with tf.GradientTape() as t:
            a = x * x
            with t.stop_recording():
                b = w * w
        R = len(t.watched_variables())
        """,
        1,
    ),
    row(
        "stop_recording: exception restores",
        """
        x = tf.Variable(3.0)
        with tf.GradientTape() as t:
            try:
                with t.stop_recording():
                    raise KeyError
            except KeyError:
                pass
            y = x * x
        R = t.gradient(y, x)
        """,
        T(float32, (), 6.0),
    ),
    row(
        "reset forgets",
        """
        x = tf.Variable(1.0)
        with tf.GradientTape() as t:
            l = x * x
            t.reset()
            l = l + x * x
        R = t.gradient(l, x)
        """,
        T(float32, (), 2.0),
    ),
    row(
        "reset forgets watch of a tensor",
        """
        x = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch(x)
            t.reset()
            y = x * x
        R = t.gradient(y, x)
        """,
        None,
    ),
    raises(
        "reset outside context (before use)",
        """
        t = tf.GradientTape()
        t.reset()
        R = "ok"
        """,
        ValueError,
    ),
    raises(
        "reset outside context then gradient",
        """
        x = tf.Variable(3.0)
        with tf.GradientTape() as t:
            y = x * x
        t.reset()
        R = t.gradient(y, x)
        """,
        ValueError,
    ),
    row(
        "watched_variables type and order (creation order, not access order)",
        """
        a = tf.Variable(1.0, name="a")
        b = tf.Variable(1.0, name="b")
        cc = tf.Variable(1.0, name="c", trainable=False)
        with tf.GradientTape() as t:
            y = b * a * cc * b
        R = [type(t.watched_variables()).__name__, [v.name for v in t.watched_variables()]]
        """,
        ["tuple", ["a:0", "b:0"]],
    ),
    row(
        "watched_variables never entered",
        """
        t = tf.GradientTape()
        R = t.watched_variables()
        """,
        (),
    ),
    row(
        "watched_variables after reset",
        """
        a = tf.Variable(1.0)
        with tf.GradientTape() as t:
            y = a * a
            t.reset()
            R = t.watched_variables()
        """,
        (),
    ),
]


@pytest.mark.parametrize("fact", FACTS)
def test_stop_recording_and_reset(fact: Fact) -> None:
    fact.check()
