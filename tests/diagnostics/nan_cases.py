"""Programs that make a NaN or an infinity, as people write them: the marked line, the op, the pass, and what to write instead."""

from dataclasses import dataclass
from textwrap import dedent


@dataclass(frozen=True)
class Case:
    name: str
    op: str
    backward: bool
    program: str
    instead: str  # replaces the marked line


def case(name: str, op: str, backward: bool, program: str, instead: str) -> Case:
    return Case(name, op, backward, dedent(program).lstrip(), instead)


FORWARD, BACKWARD = False, True
CASES = [
    case(
        "where around a log",
        "log",
        BACKWARD,
        """
        x = tf.Variable([0.0, 2.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.where(x > 0, tf.math.log(x), 0.0))  # <-
        """,
        "y = tf.reduce_sum(tf.where(x > 0, tf.math.log(tf.where(x > 0, x, 1.0)), 0.0))",
    ),
    case(
        "where around a division",
        "divide",
        BACKWARD,
        """
        x = tf.Variable([0.0, 2.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.where(x > 0, 1.0 / x, 0.0))  # <-
        """,
        "y = tf.reduce_sum(tf.where(x > 0, 1.0 / tf.where(x > 0, x, 1.0), 0.0))",
    ),
    case(
        "sqrt at 0",
        "sqrt",
        BACKWARD,
        """
        x = tf.Variable([0.0, 4.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.sqrt(x))  # <-
        """,
        "y = tf.reduce_sum(tf.sqrt(tf.maximum(x, 1e-12)))",
    ),
    case(
        "sqrt of a negative number",
        "sqrt",
        FORWARD,
        """
        x = tf.Variable([-1.0, 4.0])
        with tf.GradientTape() as tape:
            h = tf.sqrt(x)  # <-
            y = tf.reduce_sum(h * 2.0)
        """,
        "h = tf.sqrt(tf.maximum(x, 1e-12))",
    ),
    case(
        "a norm at 0",
        "sqrt",
        BACKWARD,
        """
        x = tf.Variable([0.0, 0.0])
        with tf.GradientTape() as tape:
            y = tf.norm(x)  # <-
        """,
        "y = tf.sqrt(tf.reduce_sum(x ** 2) + 1e-12)",
    ),
    case(
        "a distance between equal points",
        "sqrt",
        BACKWARD,
        """
        a = x = tf.Variable([[1.0, 2.0]])
        b = tf.constant([[1.0, 2.0]])
        with tf.GradientTape() as tape:
            square = tf.reduce_sum((a - b) ** 2, 1)
            y = tf.reduce_sum(tf.sqrt(square))  # <-
        """,
        "y = tf.reduce_sum(tf.sqrt(tf.maximum(square, 1e-12)))",
    ),
    case(
        "log of 0",
        "log",
        FORWARD,
        """
        x = tf.Variable([0.0, 1.0])
        with tf.GradientTape() as tape:
            h = tf.math.log(x)  # <-
            y = tf.reduce_sum(h * h)
        """,
        "h = tf.math.log(tf.maximum(x, 1e-12))",
    ),
    case(
        "log of a negative number",
        "log",
        FORWARD,
        """
        x = tf.Variable([-0.5])
        with tf.GradientTape() as tape:
            y = tf.math.log(x)  # <-
        """,
        "y = tf.math.log(tf.maximum(x, 1e-12))",
    ),
    case(
        "a power at 0",
        "pow",
        BACKWARD,
        """
        x = tf.Variable([0.0, 1.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(x ** 0.5)  # <-
        """,
        "y = tf.reduce_sum(tf.maximum(x, 1e-12) ** 0.5)",
    ),
    case(
        "a fractional power of a negative base",
        "pow",
        FORWARD,
        """
        x = tf.Variable([-2.0, 1.0])
        with tf.GradientTape() as tape:
            h = tf.pow(x, 1.5)  # <-
            y = tf.reduce_sum(h * h)
        """,
        "h = tf.pow(tf.maximum(x, 1e-12), 1.5)",
    ),
    case(
        "division by 0",
        "divide",
        FORWARD,
        """
        x = tf.Variable([1.0, 2.0])
        n = tf.constant([0.0, 2.0])
        with tf.GradientTape() as tape:
            mean = x / n  # <-
            y = tf.reduce_sum(mean * mean)
        """,
        "mean = tf.math.divide_no_nan(x, n)",
    ),
    case(
        "exp overflows",
        "exp",
        FORWARD,
        """
        x = tf.Variable([1.0, 100.0])
        with tf.GradientTape() as tape:
            h = tf.exp(x)  # <-
            y = tf.reduce_mean(h * 0.5)
        """,
        "h = tf.exp(tf.minimum(x, 80.0))",
    ),
    case(
        "softmax by hand",
        "exp",
        FORWARD,
        """
        x = tf.Variable([[1.0, 100.0]])
        with tf.GradientTape() as tape:
            e = tf.exp(x)  # <-
            p = e / tf.reduce_sum(e, -1, keepdims=True)
            y = tf.reduce_sum(p * p)
        """,
        "e = tf.exp(x - tf.reduce_max(x, -1, keepdims=True))",
    ),
    case(
        "cross entropy by hand",
        "log",
        FORWARD,
        """
        x = tf.Variable([[1.0, 200.0]])
        t = tf.constant([[1.0, 0.0]])
        with tf.GradientTape() as tape:
            h = tf.math.log(tf.nn.softmax(x))  # <-
            y = -tf.reduce_sum(t * h)
        """,
        "h = tf.nn.log_softmax(x)",
    ),
    case(
        "binary cross entropy by hand",
        "log",
        FORWARD,
        """
        x = tf.Variable([40.0, 1.0])
        with tf.GradientTape() as tape:
            h = tf.math.log(1.0 - tf.sigmoid(x))  # <-
            y = -tf.reduce_sum(h * 0.5)
        """,
        "h = tf.math.log_sigmoid(-x)",
    ),
    case(
        "the standard deviation of one value",
        "reduce_std",
        BACKWARD,
        """
        x = tf.Variable([3.0])
        with tf.GradientTape() as tape:
            y = tf.math.reduce_std(x)  # <-
        """,
        "y = tf.sqrt(tf.math.reduce_variance(x) + 1e-12)",
    ),
    case(
        "the range of float16",
        "multiply",
        FORWARD,
        """
        x = tf.Variable([300.0, 1.0], dtype=tf.float16)
        with tf.GradientTape() as tape:
            h = x * x  # <-
            y = tf.reduce_mean(h * 0.001)
        """,
        "h = tf.cast(x, tf.float32) * tf.cast(x, tf.float32)",
    ),
    case(
        "the angle between equal directions",
        "acos",
        BACKWARD,
        """
        x = tf.Variable([1.0, 0.5])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.acos(x))  # <-
        """,
        "y = tf.reduce_sum(tf.acos(tf.clip_by_value(x, -0.9999999, 0.9999999)))",
    ),
]
