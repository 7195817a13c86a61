"""Gradients of ops that select, round, count or branch, mostly at x = [1.2, 2.7]."""

from typing import Any

import pytest

from .observed import Fact, Raises, T, float32, nan, row

SECTION = "11b gradient of special ops (x=[1.2,2.7])"


def gradient_of(expression: str, expected: Any, *, needs: str = "") -> Any:
    """The gradient of `expression` by x = [1.2, 2.7]."""
    code = f"""
        x = tf.constant([1.2, 2.7])
        with tf.GradientTape() as t:
            t.watch(x)
            y = {expression}
        R = t.gradient(y, x)
        """
    return row(expression, code, expected, needs=needs)


FACTS = [
    gradient_of("tf.round(x)", None),
    gradient_of("tf.floor(x)", None),
    gradient_of("tf.math.ceil(x)", None),
    gradient_of("tf.sign(x)", T(float32, (2,), [0.0, 0.0])),
    gradient_of("tf.zeros_like(x)", None),
    gradient_of("tf.ones_like(x)", None),
    gradient_of("tf.cast(tf.argmax(x), tf.float32)", None),
    gradient_of("tf.cast(x > 1.0, tf.float32)", None),
    gradient_of("tf.math.rint(x)", None),
    gradient_of("tf.cast(tf.shape(x), tf.float32)", None),
    gradient_of("tf.one_hot(tf.cast(x, tf.int32), 3)", None),
    gradient_of("tf.searchsorted(x, [1.5])", None),
    gradient_of("tf.sort(x)", T(float32, (2,), [1.0, 1.0])),
    gradient_of("tf.math.top_k(x, 1).values", T(float32, (2,), [0.0, 1.0])),
    gradient_of("tf.cast(tf.argsort(x), tf.float32)", None),
    gradient_of("tf.random.normal([2]) * 0.0 + 1.0", None),
    gradient_of("tf.histogram_fixed_width(x, [0.0, 5.0])", Raises(LookupError)),
    gradient_of(
        "tf.quantization.fake_quant_with_min_max_args(x)",
        T(float32, (2,), [1.0, 1.0]),
    ),
    gradient_of("tf.math.floormod(x, 2.0)", T(float32, (2,), [1.0, 1.0])),
    gradient_of("x // 2.0", None),
    gradient_of("tf.math.floordiv(x, 2.0)", None),
    gradient_of("tf.linspace(x[0], x[1], 3)", T(float32, (2,), [1.5, 1.5])),
    gradient_of("tf.range(x[0], x[1])", None),
    gradient_of(
        "tf.random.stateless_gamma([2], seed=[1, 2], alpha=x)",
        T(float32, (2,), [1.37814, 1.05777]),
    ),
    gradient_of("tf.reduce_max(x)", T(float32, (2,), [0.0, 1.0])),
    gradient_of("tf.reduce_any(x > 1)", None),
    gradient_of("tf.unique(x).y", Raises(LookupError)),
    gradient_of("tf.boolean_mask(x, [True, False])", T(float32, (2,), [1.0, 0.0])),
    gradient_of("tf.where(x > 1.0)", None),
    gradient_of("tf.dynamic_partition(x, [0, 1], 2)[0]", T(float32, (2,), [1.0, 0.0])),
    gradient_of("tf.numpy_function(lambda a: a * 2, [x], tf.float32)", None),
    gradient_of(
        "tf.py_function(lambda a: a * 2, [x], tf.float32)",
        T(float32, (2,), [2.0, 2.0]),
    ),
    gradient_of("tf.identity(x)", T(float32, (2,), [1.0, 1.0])),
    gradient_of("tf.convert_to_tensor(x.numpy())", None),
    gradient_of("tf.math.is_nan(x)", Raises(LookupError)),
    gradient_of("tf.nn.l2_normalize(x)", T(float32, (2,), [0.15701, -0.06978])),
    gradient_of("tf.norm(x * 0.0)", T(float32, (2,), [nan, nan])),
    gradient_of("tf.sqrt(x * 0.0)", T(float32, (2,), [nan, nan])),
    gradient_of("tf.abs(x * 0.0)", T(float32, (2,), [0.0, 0.0])),
    gradient_of("tf.maximum(x, x)", T(float32, (2,), [1.0, 1.0])),
    gradient_of("tf.maximum(x, tf.constant([1.0, 2.0]))", T(float32, (2,), [1.0, 1.0])),
    gradient_of("tf.nn.relu(x * 0.0)", T(float32, (2,), [0.0, 0.0])),
    gradient_of("tf.clip_by_value(x, 1.0, 1.5)", T(float32, (2,), [1.0, 0.0])),
    gradient_of("tf.pow(x * 0.0, 2.0)", T(float32, (2,), [0.0, 0.0])),
    gradient_of("tf.pow(x, tf.constant([2.0, 0.0]))", T(float32, (2,), [2.4, 0.0])),
    gradient_of("tf.math.divide_no_nan(x, x * 0.0)", T(float32, (2,), [0.0, 0.0])),
    gradient_of("tf.math.xlogy(x * 0.0, x)", T(float32, (2,), [0.0, 0.0])),
    gradient_of("tf.reduce_prod(x * tf.constant([0.0, 1.0]))", T(float32, (2,), [0.0, 0.0])),
    gradient_of("tf.reduce_max(tf.ones_like(x) * x[0])", T(float32, (2,), [1.0, 0.0])),
    gradient_of("tf.math.reduce_std(x * 0.0)", T(float32, (2,), [nan, nan])),
    gradient_of("tf.math.segment_max(x, [0, 0])", T(float32, (2,), [0.0, 1.0])),
    gradient_of("tf.atan2(x, x)", T(float32, (2,), [0.0, 0.0])),
    row(
        "reduce_max tie: splits equally",
        """
        x = tf.constant([2.0, 2.0, 1.0])
        with tf.GradientTape() as t:
            t.watch(x)
            y = tf.reduce_max(x)
        R = t.gradient(y, x)
        """,
        T(float32, (3,), [0.5, 0.5, 0.0]),
    ),
    row(
        "maximum(x,y) tie: all to x",
        """
        x = tf.constant(2.0)
        z = tf.constant(2.0)
        with tf.GradientTape(persistent=True) as t:
            t.watch([x, z])
            y = tf.maximum(x, z)
            w = tf.minimum(x, z)
        R = [t.gradient(y, [x, z]), t.gradient(w, [x, z])]
        """,
        [[T(float32, (), 1.0), T(float32, (), 0.0)], [T(float32, (), 1.0), T(float32, (), 0.0)]],
    ),
    row(
        "where with NaN in the untaken branch",
        """
        x = tf.constant([0.0, 4.0])
        with tf.GradientTape() as t:
            t.watch(x)
            y = tf.where(x > 0.0, tf.sqrt(x), 0.0)
        R = t.gradient(y, x)
        """,
        T(float32, (2,), [0.0, 0.25]),
    ),
    row(
        "tf.unique / string ops target",
        """
        x = tf.constant(1.0)
        with tf.GradientTape() as t:
            t.watch(x)
            y = tf.strings.as_string(x)
        R = t.gradient(y, x)
        """,
        None,
    ),
]


@pytest.mark.parametrize("fact", FACTS)
def test_special_ops(fact: Fact) -> None:
    fact.check()
