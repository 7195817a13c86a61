"""More edges of the tape."""

import pytest

from .observed import Fact, T, TensorShape, Variable, float32, int32, ndarray, raises, row

SECTION = "17b more tape edges"
FACTS = [
    row(
        "output_gradients longer than targets",
        """
        x = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch(x)
            a = x * x
        R = t.gradient([a], x, output_gradients=[tf.constant(2.0), tf.constant(5.0)])
        """,
        T(float32, (), 12.0),
    ),
    raises(
        "unconnected_gradients=None",
        """
        x = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch(x)
            a = x * x
        R = t.gradient(a, x, unconnected_gradients=None)
        """,
        ValueError,
    ),
    row(
        "empty list target",
        """
        x = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch(x)
        R = t.gradient([], x)
        """,
        None,
    ),
    row(
        "mixed int and float targets",
        """
        x = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch(x)
            a = x * x
            b = tf.cast(x, tf.int32)
        R = t.gradient([a, b], x)
        """,
        T(float32, (), 6.0),
    ),
    row(
        "all-int targets: logged?",
        """
        x = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch(x)
            b = tf.cast(x, tf.int32)
        R = t.gradient([b, b], [x, x])
        """,
        [None, None],
    ),
    raises(
        "sources is a generator",
        """
        v = tf.Variable(1.0)
        with tf.GradientTape() as t:
            y = v * v
        R = t.gradient(y, (q for q in [v]))
        """,
        TypeError,
    ),
    raises(
        "sources is a set",
        """
        v = tf.constant(1.0)
        with tf.GradientTape() as t:
            y = v * v
        R = t.gradient(y, {1, 2})
        """,
        TypeError,
    ),
    raises(
        "sources is a tf.Module",
        """
        class M(tf.Module):
            def __init__(s):
                s.w = tf.Variable(2.0)

        m = M()
        with tf.GradientTape() as t:
            y = m.w * 2.0
        t.gradient(y, m)
        """,
        TypeError,
    ),
    raises(
        "sources is a keras Model",
        """
        m = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        with tf.GradientTape() as t:
            y = m(tf.ones([1, 2]))
        t.gradient(y, m)
        """,
        AttributeError,
    ),
    row(
        "target is a python callable result with keras Variable target",
        """
        l = tf.keras.layers.Dense(1, kernel_initializer="ones")
        l.build([None, 2])
        with tf.GradientTape() as t:
            pass
        R = t.gradient(l.kernel, l.kernel)
        """,
        T(float32, (2, 1), [[1.0], [1.0]]),
    ),
    row(
        "float32->float64 cast: gradient dtype follows the source",
        """
        x = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch(x)
            y = tf.cast(x, tf.float64) ** 2
        R = t.gradient(y, x)
        """,
        T(float32, (), 6.0),
    ),
    row(
        "broadcast gradient is reduced to the source shape",
        """
        x = tf.constant([[1.0], [2.0]])
        w = tf.constant([1.0, 2.0, 3.0])
        with tf.GradientTape() as t:
            t.watch([x, w])
            y = x * w
        R = t.gradient(y, [x, w])
        """,
        [T(float32, (2, 1), [[6.0], [6.0]]), T(float32, (3,), [3.0, 3.0, 3.0])],
    ),
    row(
        "ops in another thread are not recorded",
        """
        import threading

        x = tf.constant(3.0)
        box = []
        with tf.GradientTape() as t:
            t.watch(x)
            th = threading.Thread(target=lambda: box.append(x * x))
            th.start()
            th.join()
        R = t.gradient(box[0], x)
        """,
        None,
    ),
    row(
        "jacobian of a Variable target",
        """
        v = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as t:
            pass
        R = t.jacobian(v, v)
        """,
        T(float32, (2, 2), [[1.0, 0.0], [0.0, 1.0]]),
    ),
    row(
        "jacobian with empty sources",
        """
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
        R = t.jacobian(y, [])
        """,
        [],
    ),
    raises(
        "jacobian bad unconnected",
        """
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x
        t.jacobian(y, x, unconnected_gradients="nope")
        """,
        ValueError,
    ),
    row(
        "gradient() result is a new object each time",
        """
        x = tf.constant(3.0)
        with tf.GradientTape(persistent=True) as t:
            t.watch(x)
            y = x * x
        a = t.gradient(y, x)
        b = t.gradient(y, x)
        R = [a is b, type(a).__name__]
        """,
        [False, "EagerTensor"],
    ),
    row(
        "identity gradient returns what object for target==source",
        """
        x = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch(x)
        g = tf.constant(5.0)
        r = t.gradient(x, x, output_gradients=g)
        R = [r, r is g]
        """,
        [T(float32, (), 5.0), True],
    ),
    row(
        "tape attribute names used in the wild",
        """
        t = tf.GradientTape()
        R = [hasattr(t, n) for n in ("_tape", "_persistent", "_recording", "_watch_accessed_variables")]
        """,
        [True, True, True, True],
    ),
    row(
        "v.assign_sub returned & chained",
        """
        v = tf.Variable(3.0)
        R = [type(v.assign_sub(1.0)).__name__, v]
        """,
        ["_UnreadVariable", Variable(float32, 2.0)],
    ),
    row(
        "tf.Variable(lambda) / shape / dtype args",
        """
        v = tf.Variable(lambda: tf.ones([2]), dtype=tf.float32, shape=tf.TensorShape([None]))
        v.assign([1.0, 2.0, 3.0])
        R = [v, v.shape]
        """,
        [Variable(float32, [1.0, 2.0, 3.0]), TensorShape([None])],
    ),
    raises(
        "Variable.trainable is read-only?",
        """
        v = tf.Variable(1.0)
        v.trainable = False
        """,
        AttributeError,
    ),
    row(
        "deepcopy Variable",
        """
        import copy

        v = tf.Variable(2.0, name="q")
        w = copy.deepcopy(v)
        w.assign(5.0)
        R = [v, w]
        """,
        [Variable(float32, 2.0), Variable(float32, 5.0)],
    ),
    row(
        "custom_gradient in forward mode, result made by numpy",
        """
        @tf.custom_gradient
        def f(x):
            def grad(dy):
                return dy * 100.0

            return tf.constant(x.numpy() ** 2), grad

        x = tf.constant(3.0)
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as a:
            y = f(x)
        R = a.jvp(y)
        """,
        T(float32, (), 100.0),
    ),
    row(
        "custom_gradient returning dict output",
        """
        @tf.custom_gradient
        def f(x):
            def grad(*dy):
                return dy[0] * 3.0 + dy[1] * 5.0

            return {"a": x * 1.0, "b": x * 2.0}, grad

        x = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch(x)
            y = f(x)
        R = [sorted(y), t.gradient(y["b"], x)]
        """,
        [["a", "b"], T(float32, (), 5.0)],
    ),
    row(
        "custom_gradient with nested list input",
        """
        @tf.custom_gradient
        def f(xs):
            def grad(dy):
                return [dy * 3.0, dy * 5.0]

            return xs[0] * xs[1], grad

        a = tf.constant(3.0)
        b = tf.constant(4.0)
        with tf.GradientTape() as t:
            t.watch([a, b])
            y = f([a, b])
        R = t.gradient(y, [a, b])
        """,
        [T(float32, (), 3.0), T(float32, (), 5.0)],
    ),
    row(
        "custom_gradient non-tensor python arg",
        """
        @tf.custom_gradient
        def f(x, n):
            def grad(dy):
                return dy * 7.0, None

            return x * n, grad

        x = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch(x)
            y = f(x, 2)
        R = t.gradient(y, x)
        """,
        T(float32, (), 7.0),
    ),
    row(
        "custom_gradient method on a class",
        """
        class A:
            @tf.custom_gradient
            def f(self, x):
                def grad(dy):
                    return dy * 7.0

                return x * x, grad

        x = tf.constant(3.0)
        with tf.GradientTape() as t:
            t.watch(x)
            y = A().f(x)
        R = t.gradient(y, x)
        """,
        T(float32, (), 7.0),
    ),
    row(
        "stop_gradient of int / list",
        "R = [tf.stop_gradient(tf.constant(1)), tf.stop_gradient([1.0, 2.0])]",
        [T(int32, (), 1), T(float32, (2,), [1.0, 2.0])],
    ),
    row(
        "RegisterGradient + raw op override exists",
        """
        R = [
            hasattr(tf, "RegisterGradient"),
            hasattr(tf, "no_gradient"),
            hasattr(tf, "gradients"),
            hasattr(tf, "hessians"),
            hasattr(tf, "AggregationMethod"),
        ]
        """,
        [True, True, True, True, True],
    ),
    row(
        "tf.test.compute_gradient",
        "R = tf.test.compute_gradient(lambda x: x * x, [tf.constant([1.0, 2.0])])",
        (
            (ndarray(float32, (2, 2), [[2.0, 0.0], [0.0, 4.0]]),),
            (ndarray(float32, (2, 2), [[2.0, 0.0], [0.0, 4.0]]),),
        ),
    ),
    row(
        "tf.debugging enable_check_numerics exists",
        'R = hasattr(tf.debugging, "enable_check_numerics")',
        True,
    ),
    row(
        "aggregation of 3 gradients uses AddN order",
        """
        x = tf.constant(1e8)
        with tf.GradientTape() as t:
            t.watch(x)
            y = x + x * 1e-8 + x * (-1.0)
        R = t.gradient(y, x)
        """,
        T(float32, (), 0.0),
    ),
]


@pytest.mark.parametrize("fact", FACTS)
def test_edges(fact: Fact) -> None:
    fact.check()
