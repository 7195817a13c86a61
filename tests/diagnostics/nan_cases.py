"""Programs that make a NaN or an infinity, as people write them: the marked line, the op, the pass, and what to write instead.

What is to be written stands in place of the marked line, or of the one marked `# here`.
"""

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
        "a divergence by hand",
        "divide",
        FORWARD,
        """
        x = tf.Variable([0.5, 0.5])
        p = tf.constant([0.0, 1.0])
        with tf.GradientTape() as tape:
            q = tf.nn.softmax(x)
            ratio = q / p  # <-
            y = tf.reduce_sum(q * tf.math.log(ratio))
        """,
        "ratio = q / tf.maximum(p, 1e-12)",
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
        "h = tf.exp(tf.minimum(x, 88.0))",
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
    case(
        "where with the division as its last arm",
        "divide",
        BACKWARD,
        """
        x = tf.Variable([0.0, 2.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.where(x == 0.0, 0.0, 1.0 / x))  # <-
        """,
        "y = tf.reduce_sum(tf.where(x == 0.0, 0.0, 1.0 / tf.where(x == 0.0, 1.0, x)))",
    ),
    case(
        "two divisions, one of them guarded",
        "divide",
        BACKWARD,
        """
        x = tf.Variable([0.0, 2.0])
        n = tf.constant([3.0, 4.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(x / n + tf.where(x > 0.0, tf.divide(n, x), x / 2.0))  # <-
        """,
        "y = tf.reduce_sum(x / n + tf.where(x > 0.0, tf.divide(n, tf.where(x > 0.0, x, 1.0)), x / 2.0))",
    ),
    case(
        "a where in a where",
        "log",
        BACKWARD,
        """
        x = tf.Variable([0.0, 2.0])
        flag = tf.constant([True, False])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.where(flag, 0.0, tf.where(x > 1.0, tf.math.log(x), x)))  # <-
        """,
        "y = tf.reduce_sum(tf.where(flag, 0.0, tf.where(x > 1.0, "
        "tf.math.log(tf.where(flag, 1.0, tf.where(x > 1.0, x, 1.0))), x)))",
    ),
    case(
        "where on a later line",
        "divide",
        BACKWARD,
        """
        x = tf.Variable([0.0, 2.0])
        with tf.GradientTape() as tape:
            ratio = tf.sin(x) / x  # <-
            y = tf.reduce_sum(tf.where(tf.equal(x, 0.0), 1.0, ratio))
        """,
        "ratio = tf.sin(x) / tf.where(tf.equal(x, 0.0), 1.0, x)",
    ),
    case(
        "where on a later line, and another use",
        "divide",
        BACKWARD,
        """
        x = tf.Variable([0.0, 2.0])
        with tf.GradientTape() as tape:
            ratio = tf.sin(x) / x  # <-
            y = tf.reduce_sum(tf.where(x < 1.0, 1.0, ratio))
        size = tf.shape(ratio)
        """,
        "ratio = tf.math.divide_no_nan(tf.sin(x), x)",
    ),
    case(
        "where around an arc cosine",
        "acos",
        BACKWARD,
        """
        x = tf.Variable([1.0, 0.5])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.where(x >= 1.0, x * x, tf.acos(x)))  # <-
        """,
        "y = tf.reduce_sum(tf.where(x >= 1.0, x * x, tf.acos(tf.where(x >= 1.0, 0.5, x))))",
    ),
    case(
        "the logarithm of a softmax by hand",
        "exp",
        FORWARD,
        """
        x = tf.Variable([100.0, 1.0])
        with tf.GradientTape() as tape:
            e = tf.exp(x)  # <-
            s = e / tf.reduce_sum(e)
            y = -tf.math.log(s[1])  # here
        """,
        "y = -tf.nn.log_softmax(x)[1]",
    ),
    case(
        "the logarithm of the softmax of rows by hand",
        "exp",
        FORWARD,
        """
        x = tf.Variable([[100.0, 1.0], [2.0, 3.0]])
        with tf.GradientTape() as tape:
            e = tf.exp(x)  # <-
            s = e / tf.reduce_sum(e, axis=1, keepdims=True)
            y = -tf.reduce_mean(tf.math.log(s[:, 1]))  # here
        """,
        "y = -tf.reduce_mean(tf.nn.log_softmax(x, 1)[:, 1])",
    ),
    case(
        "softmax of columns by hand",
        "exp",
        FORWARD,
        """
        x = tf.Variable([[100.0, 1.0], [2.0, 3.0]])
        with tf.GradientTape() as tape:
            e = tf.exp(x)  # <-
            s = e / tf.reduce_sum(e, 0)
            y = tf.reduce_sum(s * s)
        """,
        "e = tf.exp(x - tf.reduce_max(x, 0, keepdims=True))",
    ),
    case(
        "logsumexp by hand",
        "exp",
        FORWARD,
        """
        x = tf.Variable([100.0, 1.0])
        with tf.GradientTape() as tape:
            y = tf.math.log(tf.reduce_sum(tf.exp(x)))  # <-
        """,
        "y = tf.reduce_logsumexp(x)",
    ),
    case(
        "a sum of exponentials, which is no softmax",
        "exp",
        FORWARD,
        """
        x = tf.Variable([100.0, 1.0])
        with tf.GradientTape() as tape:
            e = tf.exp(x)  # <-
            y = tf.reduce_sum(e) / 2.0
        """,
        "e = tf.exp(tf.minimum(x, 88.0))",
    ),
    case(
        "exp of doubles",
        "exp",
        FORWARD,
        """
        x = tf.Variable([1000.0, 100.0], dtype=tf.float64)
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.exp(x))  # <-
        """,
        "y = tf.reduce_sum(tf.exp(tf.minimum(x, 709.0)))",
    ),
    case(
        "a root in float16",
        "sqrt",
        BACKWARD,
        """
        x = tf.Variable([0.0, 1.0], dtype=tf.float16)
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.sqrt(x))  # <-
        """,
        "y = tf.reduce_sum(tf.sqrt(tf.maximum(x, 0.0001)))",
    ),
    case(
        "exp overflows inside a custom gradient",
        "exp",
        FORWARD,
        """
        @tf.custom_gradient
        def log1pexp(v):
            e = tf.exp(v)  # <-
            return tf.math.log(1.0 + e), lambda upstream: upstream * e / (1.0 + e)

        x = tf.Variable(100.0)
        with tf.GradientTape() as tape:
            y = log1pexp(x)
        """,
        "e = tf.exp(tf.minimum(v, 88.0))",
    ),
    case(
        "a division by 0 in the gradient of a custom gradient",
        "divide",
        BACKWARD,
        """
        @tf.custom_gradient
        def root(v):
            r = tf.sqrt(v)

            def gradient(upstream):
                half = upstream * 0.5
                return half / r  # <-

            return r, gradient

        x = tf.Variable([0.0, 4.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(root(x * 1.0))
        """,
        "return tf.math.divide_no_nan(half, r)",
    ),
    case(
        "log1p of -1",
        "log1p",
        FORWARD,
        """
        x = tf.Variable([-1.0, 0.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.math.log1p(x))  # <-
        """,
        "y = tf.reduce_sum(tf.math.log1p(tf.maximum(x, -0.9999999)))",
    ),
    case(
        "the angle of no direction",
        "atan2",
        BACKWARD,
        """
        x = tf.Variable([0.0, 0.0])
        with tf.GradientTape() as tape:
            y = tf.atan2(x[0], x[1])  # <-
        """,
        "y = tf.atan2(x[0], x[1] + 1e-12)",
    ),
    case(
        "the mean of what a mask leaves",
        "reduce_mean",
        FORWARD,
        """
        x = tf.Variable([-2.0, -1.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_mean(tf.boolean_mask(x, x > 0))  # <-
        """,
        "y = tf.math.divide_no_nan(tf.reduce_sum(tf.boolean_mask(x, x > 0)), "
        "tf.cast(tf.size(tf.boolean_mask(x, x > 0)), tf.float32))",
    ),
    case(
        "a loop in a function",
        "log",
        FORWARD,
        """
        @tf.function
        def f(x):
            h = x
            for _ in tf.range(3):
                h = tf.math.log(h + 0.5)  # <-
            return tf.reduce_sum(h)
        x = tf.Variable([0.1])
        with tf.GradientTape() as tape:
            y = f(x)
        """,
        "h = tf.math.log(tf.maximum(h + 0.5, 1e-12))",
    ),
]
