"""Values and gradients at the corners, at x = [0, 4]."""

from typing import Any

import pytest

from .observed import Fact, Raises, T, better, float32, float64, inf, nan, raises, row

SECTION = "17a numeric corner gradients (x=[0.,4.])"


def at_corners(expression: str) -> str:
    """The code that gives [y, dy/dx] for y = `expression` at x = [0, 4]."""
    return f"""
        x = tf.constant([0.0, 4.0])
        with tf.GradientTape() as t:
            t.watch(x)
            y = {expression}
        R = [y, t.gradient(y, x)]
        """


def corner(name: str, expression: str, value: T, gradient: T, *, needs: str = "") -> Any:
    return row(f"{name}: {expression}", at_corners(expression), [value, gradient], needs=needs)


FACTS = [
    corner(
        "where+log",
        "tf.where(x > 0.0, tf.math.log(x), 0.0)",
        T(float32, (2,), [0.0, 1.38629]),
        T(float32, (2,), [nan, 0.25]),
    ),
    corner(
        "where+reciprocal 1/x",
        "tf.where(x > 0.0, 1.0 / x, 0.0)",
        T(float32, (2,), [0.0, 0.25]),
        T(float32, (2,), [nan, -0.0625]),
    ),
    corner(
        "where+sqrt",
        "tf.where(x > 0.0, tf.sqrt(x), 0.0)",
        T(float32, (2,), [0.0, 2.0]),
        T(float32, (2,), [0.0, 0.25]),
    ),
    corner(
        "where+pow 0.5",
        "tf.where(x > 0.0, x**0.5, 0.0)",
        T(float32, (2,), [0.0, 2.0]),
        T(float32, (2,), [nan, 0.25]),
    ),
    corner(
        "where+rsqrt",
        "tf.where(x > 0.0, tf.math.rsqrt(x), 0.0)",
        T(float32, (2,), [0.0, 0.5]),
        T(float32, (2,), [0.0, -0.0625]),
    ),
    corner(
        "where+x/x",
        "tf.where(x > 0.0, x / x, 0.0)",
        T(float32, (2,), [0.0, 1.0]),
        T(float32, (2,), [nan, 0.0]),
    ),
    corner(
        "where+exp overflow",
        "tf.where(x > 1.0, 0.0, tf.exp(x * 1e4))",
        T(float32, (2,), [1.0, 0.0]),
        T(float32, (2,), [10000.0, nan]),
    ),
    corner("sqrt at 0", "tf.sqrt(x)", T(float32, (2,), [0.0, 2.0]), T(float32, (2,), [inf, 0.25])),
    corner("norm at zero vector", "tf.norm(x - x)", T(float32, (), 0.0), T(float32, (2,), [nan, nan])),
    corner(
        "norm at zero (direct)",
        "tf.norm(tf.stop_gradient(-x) + x)",
        T(float32, (), 0.0),
        T(float32, (2,), [nan, nan]),
    ),
    corner(
        "reduce_std of constant",
        "tf.math.reduce_std(x * 0.0 + tf.constant(1.0))",
        T(float32, (), 0.0),
        T(float32, (2,), [nan, nan]),
    ),
    corner("log at 0", "tf.math.log(x)", T(float32, (2,), [-inf, 1.38629]), T(float32, (2,), [inf, 0.25])),
    corner("x**0.5 at 0", "x**0.5", T(float32, (2,), [0.0, 2.0]), T(float32, (2,), [inf, 0.25])),
    corner("tf.pow(x,0)", "tf.pow(x, 0.0)", T(float32, (2,), [1.0, 1.0]), T(float32, (2,), [nan, 0.0])),
    corner("0**y wrt y", "tf.pow(0.0, x)", T(float32, (2,), [1.0, 0.0]), T(float32, (2,), [0.0, 0.0])),
    corner("atan2(0,0)", "tf.atan2(x, x * 0.0)", T(float32, (2,), [0.0, 1.5708]), T(float32, (2,), [nan, 0.0])),
    corner("abs at 0", "tf.abs(x)", T(float32, (2,), [0.0, 4.0]), T(float32, (2,), [0.0, 1.0])),
    corner("relu at 0", "tf.nn.relu(x)", T(float32, (2,), [0.0, 4.0]), T(float32, (2,), [0.0, 1.0])),
    corner("relu6", "tf.nn.relu6(x + 2.0)", T(float32, (2,), [2.0, 6.0]), T(float32, (2,), [1.0, 0.0])),
    corner("elu", "tf.nn.elu(x - 1.0)", T(float32, (2,), [-0.63212, 3.0]), T(float32, (2,), [0.36788, 1.0])),
    corner(
        "selu",
        "tf.nn.selu(x - 1.0)",
        T(float32, (2,), [-1.11133, 3.1521]),
        T(float32, (2,), [0.64677, 1.0507]),
    ),
    corner("leaky_relu at 0", "tf.nn.leaky_relu(x)", T(float32, (2,), [0.0, 4.0]), T(float32, (2,), [0.2, 1.0])),
    corner(
        "softplus",
        "tf.nn.softplus(x * 100.0)",
        T(float32, (2,), [0.69315, 400.0]),
        T(float32, (2,), [50.0, 100.0]),
    ),
    corner("reduce_prod with zero", "tf.reduce_prod(x)", T(float32, (), 0.0), T(float32, (2,), [4.0, 0.0])),
    better(
        "cumprod with zero: tf.math.cumprod(x)",
        at_corners("tf.math.cumprod(x)"),
        tensorflow=[T(float32, (2,), [0.0, 0.0]), T(float32, (2,), [0.0, 0.0])],
        gradtape=[T(float32, (2,), [0.0, 0.0]), T(float32, (2,), [5.0, 0.0])],
    ),
    corner(
        "l2_normalize at 0",
        "tf.nn.l2_normalize(x * 0.0)",
        T(float32, (2,), [0.0, 0.0]),
        T(float32, (2,), [0.0, 0.0]),
    ),
    corner(
        "clip_by_value at boundary",
        "tf.clip_by_value(x, 0.0, 4.0)",
        T(float32, (2,), [0.0, 4.0]),
        T(float32, (2,), [1.0, 1.0]),
    ),
    corner("clip_by_norm", "tf.clip_by_norm(x, 1.0)", T(float32, (2,), [0.0, 1.0]), T(float32, (2,), [0.25, 0.0])),
    corner("sinc-like x/x at 0", "x / x", T(float32, (2,), [nan, 1.0]), T(float32, (2,), [nan, 0.0])),
    corner(
        "multiply_no_nan",
        "tf.math.multiply_no_nan(x, 0.0 * x)",
        T(float32, (2,), [0.0, 0.0]),
        T(float32, (2,), [0.0, 0.0]),
    ),
    corner(
        "logsumexp of -inf",
        "tf.reduce_logsumexp(tf.constant([-np.inf, -np.inf]) + x)",
        T(float32, (), -inf),
        T(float32, (2,), [nan, nan]),
    ),
    corner(
        "reduce_euclidean_norm at 0",
        "tf.math.reduce_euclidean_norm(x * 1.0 - x * 1.0)",
        T(float32, (), 0.0),
        T(float32, (2,), [nan, nan]),
    ),
    corner("acos(1)", "tf.acos(x * 0.0 + 1.0)", T(float32, (2,), [0.0, 0.0]), T(float32, (2,), [nan, nan])),
    corner("mod negative", "(-x) % 3.0", T(float32, (2,), [-0.0, 2.0]), T(float32, (2,), [-1.0, -1.0])),
    better(
        "truncatemod: tf.truncatemod(x, 3.0)",
        at_corners("tf.truncatemod(x, 3.0)"),
        tensorflow=Raises(LookupError),
        gradtape=[T(float32, (2,), [0.0, 1.0]), T(float32, (2,), [1.0, 1.0])],
    ),
    corner(
        "fake cast f64",
        "tf.cast(x, tf.float64) * 2.0",
        T(float64, (2,), [0.0, 8.0]),
        T(float32, (2,), [2.0, 2.0]),
    ),
    raises(
        "bitcast: tf.bitcast(x, tf.int32)",
        at_corners("tf.bitcast(x, tf.int32)"),
        LookupError,
    ),
    corner(
        "sort ties",
        "tf.sort(tf.concat([x, x], 0))",
        T(float32, (4,), [0.0, 0.0, 4.0, 4.0]),
        T(float32, (2,), [2.0, 2.0]),
    ),
    corner(
        "math.maximum scalar broadcast",
        "tf.maximum(x, 2.0)",
        T(float32, (2,), [2.0, 4.0]),
        T(float32, (2,), [0.0, 1.0]),
    ),
    corner(
        "tf.math.segment_mean",
        "tf.math.segment_mean(x, [0, 0])",
        T(float32, (1,), [2.0]),
        T(float32, (2,), [0.5, 0.5]),
    ),
    corner(
        "unsorted_segment_max",
        "tf.math.unsorted_segment_max(x, [0, 0], 2)",
        T(float32, (2,), [4.00000e00, -3.40282e38]),
        T(float32, (2,), [0.0, 1.0]),
    ),
    corner(
        "tensor_scatter_nd_update",
        "tf.tensor_scatter_nd_update(x, [[0]], [5.0])",
        T(float32, (2,), [5.0, 4.0]),
        T(float32, (2,), [0.0, 1.0]),
    ),
    corner(
        "scatter_nd",
        "tf.scatter_nd([[1], [1]], x, [3])",
        T(float32, (3,), [0.0, 4.0, 0.0]),
        T(float32, (2,), [1.0, 1.0]),
    ),
    corner(
        "roll",
        "tf.roll(x, 1, 0) * tf.constant([1.0, 10.0])",
        T(float32, (2,), [4.0, 0.0]),
        T(float32, (2,), [10.0, 1.0]),
    ),
    corner(
        "reverse",
        "tf.reverse(x, [0]) * tf.constant([1.0, 10.0])",
        T(float32, (2,), [4.0, 0.0]),
        T(float32, (2,), [10.0, 1.0]),
    ),
]


@pytest.mark.parametrize("fact", FACTS)
def test_numeric_corners(fact: Fact) -> None:
    fact.check()
