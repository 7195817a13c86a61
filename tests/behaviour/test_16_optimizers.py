"""Gradients on their way into Keras optimizers and models."""

import numpy as np
import pytest

from .observed import Fact, Raises, T, Variable, better, float32, raises, row

SECTION = "16 gradients feeding optimizers (Keras 3)"
FACTS = [
    raises(
        "apply_gradients with all None",
        """
        v = tf.Variable(1.0)
        o = tf.keras.optimizers.SGD(0.1)
        o.apply_gradients([(None, v)])
        """,
        ValueError,
    ),
    row(
        "apply_gradients with some None warns",
        """
        v = tf.Variable(1.0, name="v")
        w = tf.Variable(1.0, name="w")
        o = tf.keras.optimizers.SGD(0.1)
        o.apply_gradients([(None, v), (tf.constant(1.0), w)])
        R = [v, w]
        """,
        [Variable(float32, 1.0), Variable(float32, 0.8999999761581421)],
        logs="Gradients do not exist for variables",
    ),
    row(
        "SGD on IndexedSlices",
        """
        v = tf.Variable([[1.0], [2.0]])
        o = tf.keras.optimizers.SGD(0.5)
        o.apply_gradients(
            [(tf.IndexedSlices(tf.constant([[1.0], [1.0]]), tf.constant([1, 1]), tf.constant([2, 1])), v)]
        )
        R = v
        """,
        Variable(float32, [[1.0], [1.0]]),
    ),
    row(
        "Adam 3 steps on tf.Variable",
        """
        v = tf.Variable([1.0, 2.0])
        o = tf.keras.optimizers.Adam(0.1)
        R = []
        for _ in range(3):
            with tf.GradientTape() as t:
                l = tf.reduce_sum(v**2)
            o.apply_gradients(zip(t.gradient(l, [v]), [v]))
            R.append(v.numpy().round(5).tolist())
        R.append(o.iterations.numpy())
        """,
        [
            [0.8999999761581421, 1.899999976158142],
            [0.8004099726676941, 1.8001699447631836],
            [0.7015900015830994, 1.7006299495697021],
            np.int64(3),
        ],
    ),
    raises(
        "apply_gradients with new variable after build",
        """
        v = tf.Variable(1.0)
        w = tf.Variable(1.0)
        o = tf.keras.optimizers.SGD(0.1)
        o.apply_gradients([(tf.constant(1.0), v)])
        o.apply_gradients([(tf.constant(1.0), w)])
        """,
        ValueError,
    ),
    row(
        "model.trainable_variables element type & tape",
        """
        m = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
        x = tf.ones([2, 3])
        with tf.GradientTape() as t:
            y = tf.reduce_mean(m(x))
        g = t.gradient(y, m.trainable_variables)
        R = [type(m.trainable_variables[0]).__module__ + "." + type(m.trainable_variables[0]).__name__, g]
        """,
        ["keras.src.backend.Variable", [T(float32, (3, 1), [[1.0], [1.0], [1.0]]), T(float32, (1,), [1.0])]],
    ),
    row(
        "gradient wrt keras Variable inside dict",
        """
        l = tf.keras.layers.Dense(1, kernel_initializer="ones")
        x = tf.ones([2, 3])
        with tf.GradientTape() as t:
            y = tf.reduce_mean(l(x))
        R = t.gradient(y, {"k": l.kernel, "b": l.bias})
        """,
        {"k": T(float32, (3, 1), [[1.0], [1.0], [1.0]]), "b": T(float32, (1,), [1.0])},
    ),
    better(
        "tape.watch(keras layer variable) with watch_accessed_variables=False",
        """
        l = tf.keras.layers.Dense(1, kernel_initializer="ones")
        x = tf.ones([2, 3])
        l.build([None, 3])
        with tf.GradientTape(watch_accessed_variables=False) as t:
            t.watch(l.kernel)
            y = tf.reduce_mean(l(x))
        R = t.gradient(y, [l.kernel, l.bias])
        """,
        tensorflow=Raises(ValueError),
        gradtape=[T(float32, (3, 1), [[1.0], [1.0], [1.0]]), None],
    ),
    row(
        "layer.trainable=False then gradient",
        """
        l = tf.keras.layers.Dense(1, kernel_initializer="ones")
        x = tf.ones([2, 3])
        l.build([None, 3])
        l.trainable = False
        k = l.kernel
        with tf.GradientTape() as t:
            y = tf.reduce_mean(l(x))
        R = [len(l.trainable_variables), t.gradient(y, k)]
        """,
        [0, T(float32, (3, 1), [[1.0], [1.0], [1.0]])],
    ),
    raises(
        "optimizer.minimize with tape (legacy api)",
        """
        v = tf.Variable(1.0)
        o = tf.keras.optimizers.SGD(0.1)
        o.minimize(lambda: v * v, [v])
        """,
        AttributeError,
    ),
    row(
        "optimizer clipnorm / global_clipnorm",
        """
        R = []
        for kw in ({"clipnorm": 1.0}, {"global_clipnorm": 1.0}, {"clipvalue": 0.5}):
            v = tf.Variable([3.0, 4.0])
            w = tf.Variable([0.0])
            o = tf.keras.optimizers.SGD(1.0, **kw)
            o.apply_gradients([(tf.constant([3.0, 4.0]), v), (tf.constant([12.0]), w)])
            R.append([v.numpy().round(4).tolist(), w.numpy().round(4).tolist()])
        """,
        [
            [[2.4000000953674316, 3.200000047683716], [-1.0]],
            [[2.769200086593628, 3.6923000812530518], [-0.9230999946594238]],
            [[2.5, 3.5], [-0.5]],
        ],
    ),
    row(
        "compiled_loss/train_step override pattern",
        """
        class M(tf.keras.Model):
            def __init__(s):
                super().__init__()
                s.d = tf.keras.layers.Dense(1, kernel_initializer="zeros")

            def call(s, x):
                return s.d(x)

            def train_step(s, data):
                x, y = data
                with tf.GradientTape() as t:
                    p = s(x, training=True)
                    l = s.compute_loss(y=y, y_pred=p)
                s.optimizer.apply_gradients(
                    zip(t.gradient(l, s.trainable_variables), s.trainable_variables)
                )
                return {"loss": l}

        m = M()
        m.compile(optimizer=tf.keras.optimizers.SGD(0.1), loss="mse")
        h = m.fit(np.ones([4, 2], "float32"), np.ones([4, 1], "float32"), epochs=2, verbose=0, batch_size=4)
        R = [round(q, 5) for q in h.history["loss"]]
        """,
        [0.0, 0.0],
    ),
]


@pytest.mark.parametrize("fact", FACTS)
def test_optimizers(fact: Fact) -> None:
    fact.check()
