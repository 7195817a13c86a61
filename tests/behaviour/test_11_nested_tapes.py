"""Tapes within tapes, `stop_gradient`, and ops without a gradient."""

import pytest

from .observed import Fact, Raises, T, better, float32, no_result, raises, row

SECTION = "11 nested tapes, stop_gradient, no-gradient ops"
FACTS = [
    row(
        "second order",
        """
        x = tf.Variable(3.0)
        with tf.GradientTape() as o:
            with tf.GradientTape() as i:
                y = x**3
            g = i.gradient(y, x)
        R = [g, o.gradient(g, x)]
        """,
        [T(float32, (), 27.0), T(float32, (), 18.0)],
    ),
    row(
        "inner gradient computed outside outer context: None",
        """
        x = tf.Variable(3.0)
        with tf.GradientTape() as o:
            with tf.GradientTape() as i:
                y = x**3
        g = i.gradient(y, x)
        R = o.gradient(g, x)
        """,
        None,
    ),
    row(
        "third order",
        """
        x = tf.Variable(2.0)
        with tf.GradientTape() as a:
            with tf.GradientTape() as b:
                with tf.GradientTape() as cc:
                    y = x**4
                g1 = cc.gradient(y, x)
            g2 = b.gradient(g1, x)
        R = [g1, g2, a.gradient(g2, x)]
        """,
        [T(float32, (), 32.0), T(float32, (), 48.0), T(float32, (), 48.0)],
    ),
    row(
        "two non-nested tapes at once",
        """
        a = tf.constant(0.5)
        b = tf.constant(0.25)
        with tf.GradientTape() as ta, tf.GradientTape() as tb:
            ta.watch(a)
            tb.watch(b)
            y = tf.sin(a) * tf.cos(b)
        R = [
            ta.gradient(y, a),
            tb.gradient(y, b),
        ]
        """,
        [T(float32, (), 0.8503), T(float32, (), -0.11861)],
    ),
    row(
        "exit outer tape before inner",
        """
        x = tf.constant(3.0)
        o = tf.GradientTape()
        i = tf.GradientTape()
        o.__enter__()
        i.__enter__()
        o.watch(x)
        i.watch(x)
        y = x * x
        o.__exit__(None, None, None)
        z = y * y
        i.__exit__(None, None, None)
        R = [o.gradient(y, x), i.gradient(z, x)]
        """,
        [T(float32, (), 6.0), T(float32, (), 108.0)],
    ),
    row(
        "gradient penalty pattern",
        """
        v = tf.Variable([1.0, 2.0])
        x = tf.constant([3.0, 4.0])
        with tf.GradientTape() as t2:
            with tf.GradientTape(watch_accessed_variables=False) as t1:
                t1.watch(x)
                y = tf.reduce_sum((v * x) ** 2)
            g = t1.gradient(y, x)
            p = tf.norm(g)
        R = [p, t2.gradient(p, v)]
        """,
        [T(float32, (), 32.55764), T(float32, (2,), [2.21146, 31.45191])],
    ),
    row(
        "mixed partials by persistent outer",
        """
        x = tf.Variable(2.0)
        y = tf.Variable(3.0)
        with tf.GradientTape(persistent=True) as o:
            with tf.GradientTape() as i:
                z = x * x * y
            gx, gy = i.gradient(z, [x, y])
        R = [o.gradient(gx, [x, y]), o.gradient(gy, [x, y])]
        """,
        [[T(float32, (), 6.0), T(float32, (), 4.0)], [T(float32, (), 4.0), None]],
    ),
    row(
        "tf.stop_gradient",
        """
        x = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch(x)
            y = tf.stop_gradient(x * x) * x
        R = t.gradient(y, x)
        """,
        T(float32, (), 9.0),
    ),
    row(
        "stop_gradient only path -> None",
        """
        x = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch(x)
            y = tf.stop_gradient(x * x)
        R = t.gradient(y, x)
        """,
        None,
    ),
    row(
        "stop_gradient result may be watched",
        """
        x = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch(x)
            s = tf.stop_gradient(x * x)
            t.watch(s)
            y = s * x
        R = t.gradient(y, [x, s])
        """,
        [T(float32, (), 9.0), T(float32, (), 3.0)],
    ),
    better(
        "op with no gradient registered: tape.gradient",
        """
        x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        with tf.GradientTape() as t:
            t.watch(x)
            y = tf.image.adjust_contrast(tf.ones([2, 2, 3]) * x[0, 0], 2.0)
        R = t.gradient(y, x)
        """,
        tensorflow=Raises(LookupError),
        gradtape=T(float32, (2, 2), [[12.0, 0.0], [0.0, 0.0]]),
    ),
    better(
        "unregistered op (Betainc a) message",
        """
        image = tf.Variable([[[0.5, 0.0, 0.0]]])
        delta = tf.Variable(0.1)
        with tf.GradientTape() as t:
            new_image = tf.image.adjust_contrast(image, delta)
        t.gradient(new_image, [image, delta])
        """,
        tensorflow=Raises(LookupError),
        gradtape=no_result,
    ),
    raises(
        "raw_ops with no gradient entry",
        """
        x = tf.constant([1.0, 2.0, 3.0])
        with tf.GradientTape() as t:
            t.watch(x)
            y = tf.raw_ops.Bucketize(input=x, boundaries=[2.0])
        R = t.gradient(y, x)
        """,
        LookupError,
    ),
    row(
        "raw op with float output and no registered gradient",
        """
        x = tf.constant([0.5])
        with tf.GradientTape() as t:
            t.watch(x)
            y = tf.raw_ops.NextAfter(x1=tf.constant([0.5], tf.float64), x2=tf.cast(x, tf.float64))
        R = t.gradient(y, x)
        """,
        T(float32, (1,), [0.0]),
    ),
    better(
        "LookupError example: fake quant / tf.raw_ops.Dequantize or AdjustHue",
        """
        x = tf.ones([1, 2, 2, 3])
        with tf.GradientTape() as t:
            t.watch(x)
            y = tf.raw_ops.AdjustHue(images=x, delta=0.1)
        R = t.gradient(y, x)
        """,
        tensorflow=Raises(LookupError),
        gradtape=T(float32, (1, 2, 2, 3), [[[[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]], [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]]]),
    ),
    row(
        "LookupError only if the op lies on the path",
        """
        x = tf.ones([1, 2, 2, 3])
        with tf.GradientTape() as t:
            t.watch(x)
            y = tf.raw_ops.AdjustHue(images=x, delta=0.1)
            z = x * 2.0
        R = tf.reduce_sum(t.gradient(z, x))
        """,
        T(float32, (), 24.0),
    ),
]


@pytest.mark.parametrize("fact", FACTS)
def test_nested_tapes(fact: Fact) -> None:
    fact.check()
