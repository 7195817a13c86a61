"""Which structures and dtypes `gradient` differentiates, and by what."""

from collections import OrderedDict, namedtuple

import pytest

from .observed import Fact, T, Variable, float32, raises, row

SECTION = "4 targets & sources"
P = namedtuple("P", "a b")
FACTS = [
    row(
        "int target of float source",
        """
        x = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch(x)
            y = tf.cast(x, tf.int32)
        R = t.gradient(y, x)
        """,
        None,
    ),
    row(
        "int source of float target",
        """
        x = tf.constant(3)
        with tf.GradientTape() as t:
            t.watch(x)
            y = tf.cast(x, tf.float32) * 2.0
        R = t.gradient(y, x)
        """,
        None,
        logs="The dtype of the watched tensor must be floating (e.g. tf.float32), got tf.int32",
    ),
    row(
        "gradient through int cast and back is cut",
        """
        x = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch(x)
            y = tf.cast(tf.cast(x, tf.int32), tf.float32) * x
        R = t.gradient(y, x)
        """,
        T(float32, (), 3.0),
    ),
    row(
        "non-scalar target sums",
        """
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * tf.constant([[1.0, 2.0], [3.0, 4.0]])
        R = t.gradient(y, x)
        """,
        T(float32, (2,), [4.0, 6.0]),
    ),
    row(
        "list target sums",
        """
        x = tf.constant(2.0)
        with tf.GradientTape() as t:
            t.watch(x)
            y = [x * x, x * x * x]
        R = t.gradient(y, x)
        """,
        T(float32, (), 16.0),
    ),
    row(
        "dict target sums",
        """
        x = tf.constant(2.0)
        with tf.GradientTape() as t:
            t.watch(x)
            y = {"a": x * x, "b": (x * x * x,)}
        R = t.gradient(y, x)
        """,
        T(float32, (), 16.0),
    ),
    row(
        "source structures keep their type",
        """
        from collections import OrderedDict, namedtuple

        P = namedtuple("P", "a b")
        x = tf.constant(2.0)
        y = tf.constant(3.0)
        with tf.GradientTape(persistent=True) as t:
            t.watch([x, y])
            z = x * y
        R = [
            t.gradient(z, x),
            t.gradient(z, [x]),
            t.gradient(z, (x,)),
            t.gradient(z, (x, [y, {"k": x}])),
            t.gradient(z, {"b": y, "a": x}),
            t.gradient(z, P(x, y)),
            t.gradient(z, OrderedDict([("q", x), ("p", y)])),
        ]
        """,
        [
            T(float32, (), 3.0),
            [T(float32, (), 3.0)],
            (T(float32, (), 3.0),),
            (T(float32, (), 3.0), [T(float32, (), 2.0), {"k": T(float32, (), 3.0)}]),
            {"b": T(float32, (), 2.0), "a": T(float32, (), 3.0)},
            P(a=T(float32, (), 3.0), b=T(float32, (), 2.0)),
            OrderedDict(q=T(float32, (), 3.0), p=T(float32, (), 2.0)),
        ],
    ),
    row(
        "empty sources list",
        """
        x = tf.constant(2.0)
        with tf.GradientTape() as t:
            t.watch(x)
            z = x * x
        R = t.gradient(z, [])
        """,
        [],
    ),
    raises(
        "sources None",
        """
        x = tf.constant(2.0)
        with tf.GradientTape() as t:
            t.watch(x)
            z = x * x
        t.gradient(z, None)
        """,
        TypeError,
    ),
    raises(
        "target None",
        """
        x = tf.constant(2.0)
        with tf.GradientTape() as t:
            t.watch(x)
        t.gradient(None, x)
        """,
        TypeError,
    ),
    raises(
        "target list containing None",
        """
        x = tf.constant(2.0)
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
        t.gradient([y, None], x)
        """,
        TypeError,
    ),
    raises(
        "sources list containing None",
        """
        x = tf.constant(2.0)
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
        R = t.gradient(y, [x, None])
        """,
        TypeError,
    ),
    raises(
        "python float as target",
        """
        x = tf.constant(2.0)
        with tf.GradientTape() as t:
            t.watch(x)
        t.gradient(3.0, x)
        """,
        AttributeError,
    ),
    raises(
        "numpy as target",
        """
        x = tf.constant(2.0)
        with tf.GradientTape() as t:
            t.watch(x)
        t.gradient(np.float32(3.0), x)
        """,
        AttributeError,
    ),
    raises(
        "numpy / python float as source",
        """
        x = tf.constant(2.0)
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
        t.gradient(y, 2.0)
        """,
        AttributeError,
    ),
    row(
        "source listed twice",
        """
        x = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
        R = t.gradient(y, [x, x])
        """,
        [T(float32, (), 6.0), T(float32, (), 6.0)],
    ),
    row(
        "target is the source (watched)",
        """
        x = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch(x)
        R = t.gradient(x, x)
        """,
        T(float32, (), 1.0),
    ),
    row(
        "target is the source (unwatched const)",
        """
        x = tf.constant(3.0)
        with tf.GradientTape() as t:
            pass
        R = t.gradient(x, x)
        """,
        T(float32, (), 1.0),
    ),
    row(
        "target twice",
        """
        x = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
        R = t.gradient([y, y], x)
        """,
        T(float32, (), 12.0),
    ),
    row(
        "target also source [x, x*x] wrt x",
        """
        x = tf.constant(2.0)
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
        R = t.gradient([x, y], x)
        """,
        T(float32, (), 5.0),
    ),
    row(
        "target is an intermediate of another target",
        """
        x = tf.constant(2.0)
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
            z = y * y
        R = t.gradient([y, z], [x, y])
        """,
        [T(float32, (), 36.0), T(float32, (), 9.0)],
    ),
    row(
        "Variable wrt itself (target=Variable), trainable, unread",
        """
        v = tf.Variable(3.0)
        with tf.GradientTape() as t:
            pass
        R = t.gradient(v, v)
        """,
        T(float32, (), 1.0),
    ),
    row(
        "Variable wrt itself, watched",
        """
        v = tf.Variable(3.0)
        with tf.GradientTape() as t:
            t.watch(v)
        R = t.gradient(v, v)
        """,
        T(float32, (), 1.0),
    ),
    row(
        "Variable target, other Variable source",
        """
        v = tf.Variable([3.0])
        w = tf.Variable([2.0])
        with tf.GradientTape() as t:
            pass
        R = t.gradient(v, w)
        """,
        None,
    ),
    row(
        "Variable target that has been read in the tape",
        """
        v = tf.Variable(3.0)
        with tf.GradientTape() as t:
            y = v * 2.0
        R = t.gradient(v, v)
        """,
        T(float32, (), 1.0),
    ),
    row(
        "max() of variables",
        """
        xs = [tf.Variable(2.0), tf.Variable(3.0), tf.Variable(5.0)]
        with tf.GradientTape() as t:
            f = max(xs)
        R = [f, t.gradient(f, xs)]
        """,
        [Variable(float32, 5.0), [None, None, T(float32, (), 1.0)]],
    ),
    row(
        "tape.gradient of tensor made outside",
        """
        x = tf.constant(3.0)
        y = x * x
        with tf.GradientTape() as t:
            t.watch(x)
        R = t.gradient(y, x)
        """,
        None,
    ),
    raises(
        "target IndexedSlices",
        """
        p = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        with tf.GradientTape() as t2:
            t2.watch(p)
            with tf.GradientTape() as t:
                t.watch(p)
                y = tf.reduce_sum(tf.gather(p, [0]) ** 2)
            g = t.gradient(y, p)
        R = [type(g).__name__, t2.gradient(g, p)]
        """,
        AttributeError,
    ),
    raises(
        "jacobian target list",
        """
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
        t.jacobian([y], x)
        """,
        AttributeError,
    ),
    row(
        "source is python list of Variables inside dict",
        """
        v = tf.Variable([1.0, 2.0])
        w = tf.Variable(2.0)
        with tf.GradientTape() as t:
            y = tf.reduce_sum(v * w)
        R = t.gradient(y, {"v": v, "rest": [w]})
        """,
        {"v": T(float32, (2,), [2.0, 2.0]), "rest": [T(float32, (), 3.0)]},
    ),
    row(
        "watch/gradient of a subclass of tf.Module variables",
        """
        class M(tf.Module):
            def __init__(s):
                s.w = tf.Variable(2.0, name="w")
                s.b = tf.Variable(1.0, name="b", trainable=False)

            def __call__(s, x):
                return s.w * x + s.b

        m = M()
        with tf.GradientTape() as t:
            y = m(3.0)
        R = [
            len(m.trainable_variables),
            t.gradient(y, m.trainable_variables),
            [v.name for v in t.watched_variables()],
        ]
        """,
        [1, (T(float32, (), 3.0),), ["w:0"]],
    ),
]


@pytest.mark.parametrize("fact", FACTS)
def test_targets_and_sources(fact: Fact) -> None:
    fact.check()
