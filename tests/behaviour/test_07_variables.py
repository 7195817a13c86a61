"""When a variable is watched, what reading and assigning do, and what a variable is."""

import pytest

from .observed import Fact, T, Variable, better, bool_, float32, raises, row

SECTION = "7 variables"
FACTS = [
    row(
        "trainable=False not watched",
        """
        v = tf.Variable(3.0, trainable=False)
        with tf.GradientTape() as t:
            y = v * v
        R = t.gradient(y, v)
        """,
        None,
    ),
    row(
        "trainable=False watched explicitly",
        """
        v = tf.Variable(3.0, trainable=False)
        with tf.GradientTape() as t:
            t.watch(v)
            y = v * v
        R = t.gradient(y, v)
        """,
        T(float32, (), 6.0),
    ),
    row(
        "watch_accessed_variables=False",
        """
        a = tf.Variable(1.0)
        b = tf.Variable(1.0)
        with tf.GradientTape(watch_accessed_variables=False) as t:
            t.watch(b)
            y = a**2
            z = b**3
        R = [t.gradient([y, z], [a, b]), len(t.watched_variables())]
        """,
        [[None, T(float32, (), 3.0)], 1],
    ),
    row(
        "int Variable",
        """
        v = tf.Variable(3)
        with tf.GradientTape() as t:
            y = v * v
        R = [v.trainable, t.gradient(y, v)]
        """,
        [True, None],
    ),
    row(
        "v + 0 read before the tape is a tensor: None",
        """
        v = tf.Variable(3.0)
        x = v + 0.0
        with tf.GradientTape() as t:
            y = x * x
        R = [t.gradient(y, v)]
        """,
        [None],
    ),
    row(
        "assign inside the tape: gradient uses value at time of read",
        """
        v = tf.Variable(3.0)
        with tf.GradientTape() as t:
            y = v * v
            v.assign(10.0)
        R = t.gradient(y, v)
        """,
        T(float32, (), 6.0),
    ),
    row(
        "assign between two reads",
        """
        v = tf.Variable(3.0)
        with tf.GradientTape() as t:
            y = v * v
            v.assign(10.0)
            z = v * v
        R = t.gradient([y, z], v)
        """,
        T(float32, (), 26.0),
    ),
    row(
        "assign of computed value cuts",
        """
        x = tf.Variable(2.0)
        v = tf.Variable(3.0)
        with tf.GradientTape() as t:
            v.assign(x * x)
            y = v * 5.0
        R = t.gradient(y, [x, v])
        """,
        [None, T(float32, (), 5.0)],
    ),
    row(
        "assign_add state across",
        """
        x0 = tf.Variable(3.0)
        x1 = tf.Variable(0.0)
        with tf.GradientTape() as t:
            x1.assign_add(x0)
            y = x1**2
        R = t.gradient(y, x0)
        """,
        None,
    ),
    row(
        "result of v.assign(...) used as tensor",
        """
        v = tf.Variable(3.0)
        x = tf.Variable(2.0)
        with tf.GradientTape() as t:
            y = v.assign(x * x) * 2.0
        R = t.gradient(y, [x, v])
        """,
        [None, T(float32, (), 2.0)],
    ),
    row(
        "v = v + 1 makes a tensor; second iteration None",
        """
        x = tf.Variable(2.0)
        R = []
        for e in range(2):
            with tf.GradientTape() as t:
                y = x + 1
            R.append([type(x).__name__, t.gradient(y, x)])
            x = x + 1
        """,
        [["ResourceVariable", T(float32, (), 1.0)], ["EagerTensor", None]],
    ),
    row(
        "read_value() twice",
        """
        v = tf.Variable(3.0)
        with tf.GradientTape() as t:
            y = v.read_value() * v.value()
        R = t.gradient(y, v)
        """,
        T(float32, (), 6.0),
    ),
    row(
        "gradient wrt v.read_value() result",
        """
        v = tf.Variable(3.0)
        with tf.GradientTape() as t:
            r = v.read_value()
            y = r * r
        R = t.gradient(y, [r, v])
        """,
        [T(float32, (), 6.0), T(float32, (), 6.0)],
    ),
    better(
        "v.numpy() / python math cuts",
        """
        v = tf.Variable([[1.0, 2.0]])
        with tf.GradientTape() as t:
            y = tf.reduce_mean(np.mean(v**2, axis=0))
        R = t.gradient(y, v)
        """,
        tensorflow=None,
        gradtape=T(float32, (1, 2), [[1.0, 2.0]]),
    ),
    raises(
        "v.assign wrong shape",
        """
        v = tf.Variable([1.0, 2.0])
        v.assign([1.0, 2.0, 3.0])
        """,
        ValueError,
    ),
    raises(
        "v.assign wrong dtype",
        """
        v = tf.Variable([1.0, 2.0])
        v.assign(tf.constant([1, 2]))
        """,
        ValueError,
    ),
    row(
        "Variable == Variable",
        """
        a = tf.Variable([1.0, 2.0])
        b = tf.Variable([1.0, 3.0])
        R = a == b
        """,
        T(bool_, (2,), [True, False]),
    ),
    raises(
        "Variable hash",
        """
        a = tf.Variable(1.0)
        hash(a)
        """,
        TypeError,
    ),
    raises(
        "Tensor hash",
        """
        a = tf.constant(1.0)
        hash(a)
        """,
        TypeError,
    ),
    row(
        "Tensor.ref() / Variable.ref()",
        """
        a = tf.constant(1.0)
        v = tf.Variable(1.0)
        R = [a.ref() == a.ref(), a.ref().deref() is a, v.ref().deref() is v, {v.ref(): 1}[v.ref()]]
        """,
        [True, True, True, 1],
    ),
    row(
        "default names",
        'R = [tf.Variable(1.0).name, tf.Variable(1.0, name="w").name, tf.Variable(1.0, name="w").name]',
        ["Variable:0", "w:0", "w:0"],
    ),
    row(
        "slice assign v[0].assign",
        """
        v = tf.Variable([1.0, 2.0, 3.0])
        v[0].assign(9.0)
        R = v
        """,
        Variable(float32, [9.0, 2.0, 3.0]),
    ),
    row(
        "gradient through v[1:]",
        """
        v = tf.Variable([1.0, 2.0, 3.0])
        with tf.GradientTape() as t:
            y = v[1:] * 2.0
        R = t.gradient(y, v)
        """,
        T(float32, (3,), [0.0, 2.0, 2.0]),
    ),
    row(
        "scatter_nd_update / scatter_update inside",
        """
        v = tf.Variable([1.0, 2.0, 3.0])
        with tf.GradientTape() as t:
            v.scatter_nd_update([[0]], [5.0])
            y = v * v
        R = [v, t.gradient(y, v)]
        """,
        [Variable(float32, [5.0, 2.0, 3.0]), T(float32, (3,), [10.0, 4.0, 6.0])],
    ),
]


@pytest.mark.parametrize("fact", FACTS)
def test_variables(fact: Fact) -> None:
    fact.check()
