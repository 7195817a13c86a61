"""Programs whose gradient is None, as people write them: the line that cuts (marked `# <-`), the kind, and the repaired program.

A program ends with the question: it leaves a tape and its arguments in `asked`, and the gradient in `g`.
"""

from dataclasses import dataclass
from textwrap import dedent

from gradtape.diagnostics.explanation import Kind


@dataclass(frozen=True)
class Case:
    name: str
    kind: Kind
    program: str
    repaired: str


def case(name: str, kind: Kind, program: str, repaired: str) -> Case:
    return Case(name, kind, dedent(program).lstrip(), dedent(repaired).lstrip())


CASES = [
    case(
        "a tensor that was never watched",
        Kind.NEVER_WATCHED,
        """
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:  # <-
            y = x * x
        g = tape.gradient(y, x)
        asked = tape, y, x
        """,
        """
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        g = tape.gradient(y, x)
        """,
    ),
    case(
        "a variable that is not trainable",
        Kind.NEVER_WATCHED,
        """
        v = tf.Variable(3.0, trainable=False)
        with tf.GradientTape() as tape:  # <-
            y = v * v
        g = tape.gradient(y, v)
        asked = tape, y, v
        """,
        """
        v = tf.Variable(3.0, trainable=False)
        with tf.GradientTape() as tape:
            tape.watch(v)
            y = v * v
        g = tape.gradient(y, v)
        """,
    ),
    case(
        "a tape that does not watch variables",
        Kind.NEVER_WATCHED,
        """
        v = tf.Variable(3.0)
        with tf.GradientTape(watch_accessed_variables=False) as tape:  # <-
            y = v * v
        g = tape.gradient(y, v)
        asked = tape, y, v
        """,
        """
        v = tf.Variable(3.0)
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(v)
            y = v * v
        g = tape.gradient(y, v)
        """,
    ),
    case(
        "watch after the op",
        Kind.WATCHED_LATE,
        """
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            y = x * x
            tape.watch(x)  # <-
        g = tape.gradient(y, x)
        asked = tape, y, x
        """,
        """
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        g = tape.gradient(y, x)
        """,
    ),
    case(
        "computed before the tape",
        Kind.OUTSIDE,
        """
        v = tf.Variable(2.0)
        y = v * v  # <-
        with tf.GradientTape() as tape:
            tape.watch(v)
        g = tape.gradient(y, v)
        asked = tape, y, v
        """,
        """
        v = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            tape.watch(v)
            y = v * v
        g = tape.gradient(y, v)
        """,
    ),
    case(
        "the loss is computed after the block",
        Kind.OUTSIDE,
        """
        w = tf.Variable([1.0, 2.0])
        x = tf.constant([3.0, 4.0])
        with tf.GradientTape() as tape:
            h = w * x
        loss = tf.reduce_mean(h)  # <-
        g = tape.gradient(loss, w)
        asked = tape, loss, w
        """,
        """
        w = tf.Variable([1.0, 2.0])
        x = tf.constant([3.0, 4.0])
        with tf.GradientTape() as tape:
            h = w * x
            loss = tf.reduce_mean(h)
        g = tape.gradient(loss, w)
        """,
    ),
    case(
        "computed before the tape, and not watched",
        Kind.OUTSIDE,
        """
        x = tf.constant(2.0)
        y = tf.sin(x)  # <-
        with tf.GradientTape() as tape:
            z = x + 1.0
        g = tape.gradient(y, x)
        asked = tape, y, x
        """,
        """
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.sin(x)
            z = x + 1.0
        g = tape.gradient(y, x)
        """,
    ),
    case(
        "recording was stopped",
        Kind.STOPPED,
        """
        w = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            h = w * 3.0
            with tape.stop_recording():
                y = h * h  # <-
        g = tape.gradient(y, w)
        asked = tape, y, w
        """,
        """
        w = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            h = w * 3.0
            y = h * h
        g = tape.gradient(y, w)
        """,
    ),
    case(
        "gradient descent that replaces the variable",
        Kind.REPLACED,
        """
        v = tf.Variable(5.0)
        for step in range(2):
            with tf.GradientTape() as tape:
                loss = v * v
            g = tape.gradient(loss, v)
            if g is None:
                break
            v = v - 0.1 * g  # <-
        asked = tape, loss, v
        """,
        """
        v = tf.Variable(5.0)
        for step in range(2):
            with tf.GradientTape() as tape:
                loss = v * v
            g = tape.gradient(loss, v)
            v.assign_sub(0.1 * g)
        """,
    ),
    case(
        "gradient descent that replaces two variables in one line",
        Kind.REPLACED,
        """
        w, b = tf.Variable(1.0), tf.Variable(2.0)
        for step in range(2):
            with tf.GradientTape() as tape:
                loss = (w * 3.0 + b) ** 2
            dw, g = tape.gradient(loss, [w, b])
            if g is None:
                break
            w, b = w - 0.1 * dw, b - 0.1 * g  # <-
        asked = tape, loss, b
        """,
        """
        w, b = tf.Variable(1.0), tf.Variable(2.0)
        for step in range(2):
            with tf.GradientTape() as tape:
                loss = (w * 3.0 + b) ** 2
            dw, g = tape.gradient(loss, [w, b])
            w.assign_sub(0.1 * dw)
            b.assign_sub(0.1 * g)
        """,
    ),
    case(
        "NumPy on x.numpy()",
        Kind.NUMBER,
        """
        x = tf.Variable([1.0, 2.0])
        w = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            h = np.sin(x.numpy())  # <-
            y = tf.reduce_sum(h * w)
        g = tape.gradient(y, x)
        asked = tape, y, x
        """,
        """
        x = tf.Variable([1.0, 2.0])
        w = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            h = tf.sin(x)
            y = tf.reduce_sum(h * w)
        g = tape.gradient(y, x)
        """,
    ),
    case(
        "float() around the loss",
        Kind.NUMBER,
        """
        w = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            loss = tf.constant(float(w * w))  # <-
        g = tape.gradient(loss, w)
        asked = tape, loss, w
        """,
        """
        w = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            loss = w * w
        g = tape.gradient(loss, w)
        """,
    ),
    case(
        "np.asarray",
        Kind.NUMBER,
        """
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            h = tf.convert_to_tensor(np.asarray(x))  # <-
            y = tf.reduce_sum(h * h)
        g = tape.gradient(y, x)
        asked = tape, y, x
        """,
        """
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            h = x
            y = tf.reduce_sum(h * h)
        g = tape.gradient(y, x)
        """,
    ),
    case(
        "Python's math",
        Kind.NUMBER,
        """
        v = tf.Variable(0.5)
        scale = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            h = math.exp(v * 2.0)  # <-
            y = scale * h
        g = tape.gradient(y, v)
        asked = tape, y, v
        """,
        """
        v = tf.Variable(0.5)
        scale = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            h = tf.exp(v * 2.0)
            y = scale * h
        g = tape.gradient(y, v)
        """,
    ),
    case(
        "a helper that returns NumPy",
        Kind.NUMBER,
        """
        def normalized(x):
            return x.numpy() / 2.0  # <-

        w = tf.Variable([3.0, 4.0])
        with tf.GradientTape() as tape:
            h = normalized(w * 2.0)
            y = tf.reduce_sum(h * tf.constant([1.0, 2.0]))
        g = tape.gradient(y, w)
        asked = tape, y, w
        """,
        """
        def normalized(x):
            return x / 2.0

        w = tf.Variable([3.0, 4.0])
        with tf.GradientTape() as tape:
            h = normalized(w * 2.0)
            y = tf.reduce_sum(h * tf.constant([1.0, 2.0]))
        g = tape.gradient(y, w)
        """,
    ),
    case(
        "an integer source",
        Kind.DTYPE,
        """
        x = tf.constant(3)  # <-
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        g = tape.gradient(y, x)
        asked = tape, y, x
        """,
        """
        x = tf.cast(tf.constant(3), tf.float32)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        g = tape.gradient(y, x)
        """,
    ),
    case(
        "an integer variable",
        Kind.DTYPE,
        """
        v = tf.Variable(3)  # <-
        with tf.GradientTape() as tape:
            y = tf.cast(v, tf.float32) ** 2.0
        g = tape.gradient(y, v)
        asked = tape, y, v
        """,
        """
        v = tf.Variable(tf.cast(3, tf.float32))
        with tf.GradientTape() as tape:
            y = tf.cast(v, tf.float32) ** 2.0
        g = tape.gradient(y, v)
        """,
    ),
    case(
        "a cast to integers on the way",
        Kind.DTYPE,
        """
        x = tf.Variable([1.5, 2.5])
        with tf.GradientTape() as tape:
            k = tf.cast(x * 2.0, tf.int32)  # <-
            y = tf.reduce_sum(tf.cast(k, tf.float32))
        g = tape.gradient(y, x)
        asked = tape, y, x
        """,
        """
        x = tf.Variable([1.5, 2.5])
        with tf.GradientTape() as tape:
            k = x * 2.0
            y = tf.reduce_sum(tf.cast(k, tf.float32))
        g = tape.gradient(y, x)
        """,
    ),
    case(
        "accuracy as a loss",
        Kind.DTYPE,
        """
        w = tf.Variable([[0.2, 0.1], [0.4, 0.3]])
        with tf.GradientTape() as tape:
            logits = tf.matmul(tf.constant([[1.0, 2.0]]), w)
            label = tf.argmax(logits, axis=-1)  # <-
            loss = tf.reduce_mean(tf.cast(label, tf.float32))
        g = tape.gradient(loss, w)
        asked = tape, loss, w
        """,
        """
        w = tf.Variable([[0.2, 0.1], [0.4, 0.3]])
        with tf.GradientTape() as tape:
            logits = tf.matmul(tf.constant([[1.0, 2.0]]), w)
            label = tf.reduce_sum(tf.nn.softmax(logits) * tf.cast(tf.range(tf.shape(logits)[-1]), tf.float32), -1)
            loss = tf.reduce_mean(tf.cast(label, tf.float32))
        g = tape.gradient(loss, w)
        """,
    ),
    case(
        "a threshold",
        Kind.DTYPE,
        """
        x = tf.Variable([0.2, 0.8])
        with tf.GradientTape() as tape:
            hard = tf.cast(x > 0.5, tf.float32)  # <-
            y = tf.reduce_sum(hard * 2.0)
        g = tape.gradient(y, x)
        asked = tape, y, x
        """,
        """
        x = tf.Variable([0.2, 0.8])
        with tf.GradientTape() as tape:
            hard = tf.cast(tf.sigmoid(x - 0.5), tf.float32)
            y = tf.reduce_sum(hard * 2.0)
        g = tape.gradient(y, x)
        """,
    ),
    case(
        "a mask that chooses between constants",
        Kind.DTYPE,
        """
        x = tf.Variable([0.2, 0.8])
        with tf.GradientTape() as tape:
            mask = tf.cast(tf.greater(x, 0.5), tf.float32)  # <-
            y = tf.reduce_sum(mask)
        g = tape.gradient(y, x)
        asked = tape, y, x
        """,
        """
        x = tf.Variable([0.2, 0.8])
        with tf.GradientTape() as tape:
            mask = tf.cast(tf.sigmoid(x - 0.5), tf.float32)
            y = tf.reduce_sum(mask)
        g = tape.gradient(y, x)
        """,
    ),
    case(
        "round",
        Kind.NO_DERIVATIVE,
        """
        x = tf.Variable([0.2, 0.8])
        with tf.GradientTape() as tape:
            q = tf.round(x)  # <-
            y = tf.reduce_sum(q * 3.0)
        g = tape.gradient(y, x)
        asked = tape, y, x
        """,
        """
        x = tf.Variable([0.2, 0.8])
        with tf.GradientTape() as tape:
            q = x + tf.stop_gradient(tf.round(x) - x)
            y = tf.reduce_sum(q * 3.0)
        g = tape.gradient(y, x)
        """,
    ),
    case(
        "floor inside a longer line",
        Kind.NO_DERIVATIVE,
        """
        x = tf.Variable([0.2, 1.8])
        w = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(w * tf.floor(x))  # <-
        g = tape.gradient(y, [x, w])[0]
        asked = tape, y, x
        """,
        """
        x = tf.Variable([0.2, 1.8])
        w = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(w * (x + tf.stop_gradient(tf.floor(x) - x)))
        g = tape.gradient(y, [x, w])[0]
        """,
    ),
    case(
        "stop_gradient",
        Kind.STOP_GRADIENT,
        """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            h = tf.stop_gradient(x * 2.0)  # <-
            y = tf.reduce_sum(h * h)
        g = tape.gradient(y, x)
        asked = tape, y, x
        """,
        """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            h = x * 2.0
            y = tf.reduce_sum(h * h)
        g = tape.gradient(y, x)
        """,
    ),
    case(
        "stop_gradient beside another source",
        Kind.STOP_GRADIENT,
        """
        q = tf.Variable([1.0, 2.0])
        w = tf.Variable([3.0, 4.0])
        with tf.GradientTape() as tape:
            goal = tf.stop_gradient(q * 0.9)  # <-
            y = tf.reduce_sum((w - goal) ** 2)
        g = tape.gradient(y, [w, q])[1]
        asked = tape, y, q
        """,
        """
        q = tf.Variable([1.0, 2.0])
        w = tf.Variable([3.0, 4.0])
        with tf.GradientTape() as tape:
            goal = q * 0.9
            y = tf.reduce_sum((w - goal) ** 2)
        g = tape.gradient(y, [w, q])[1]
        """,
    ),
    case(
        "state that goes through an assign",
        Kind.ASSIGN,
        """
        x = tf.Variable(2.0)
        state = tf.Variable(0.0)
        with tf.GradientTape() as tape:
            state.assign(x * 3.0)  # <-
            y = state * state
        g = tape.gradient(y, x)
        asked = tape, y, x
        """,
        """
        x = tf.Variable(2.0)
        state = tf.Variable(0.0)
        with tf.GradientTape() as tape:
            new_state = x * 3.0
            state.assign(new_state)
            y = new_state * new_state
        g = tape.gradient(y, x)
        """,
    ),
    case(
        "a branch that was not taken",
        Kind.BRANCH,
        """
        w = tf.Variable(2.0)
        b = tf.Variable(1.0)
        use_bias = False
        with tf.GradientTape() as tape:
            if use_bias:  # <-
                y = w * 3.0 + b
            else:
                y = w * 3.0
        g = tape.gradient(y, b)
        asked = tape, y, b
        """,
        """
        w = tf.Variable(2.0)
        b = tf.Variable(1.0)
        use_bias = False
        with tf.GradientTape() as tape:
            if use_bias:
                y = w * 3.0 + b
            else:
                y = w * 3.0
        g = \\
        tape.gradient(y, b, unconnected_gradients="zero")
        """,
    ),
    case(
        "work in another thread",
        Kind.THREAD,
        """
        from concurrent.futures import ThreadPoolExecutor

        def square(value):
            return value * value

        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            with ThreadPoolExecutor() as pool:
                y = pool.submit(square, x).result()  # <-
        g = tape.gradient(y, x)
        asked = tape, y, x
        """,
        """
        def square(value):
            return value * value

        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = square(x)
        g = tape.gradient(y, x)
        """,
    ),
    case(
        "sources and targets swapped",
        Kind.SWAPPED,
        """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = x * x
        g = tape.gradient(x, y)  # <-
        asked = tape, x, y
        """,
        """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = x * x
        g = \\
        tape.gradient(y, x)
        """,
    ),
    case(
        "the wrong variable",
        Kind.UNCONNECTED,
        """
        a = tf.Variable(2.0)
        b = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = a * a  # <-
            z = b * b
        g = tape.gradient(y, b)
        asked = tape, y, b
        """,
        """
        a = tf.Variable(2.0)
        b = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = a * a
            z = b * b
        g = \\
        tape.gradient(y, b, unconnected_gradients="zero")
        """,
    ),
    case(
        "two values of one source",
        Kind.UNCONNECTED,
        """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            h = x * x
            left = h + 1.0
            right = h * 3.0  # <-
        g = tape.gradient(right, left)
        asked = tape, right, left
        """,
        """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            h = x * x
            left = h + 1.0
            right = h * 3.0
        g = \\
        tape.gradient(right, left, unconnected_gradients="zero")
        """,
    ),
    case(
        "stop_gradient inside a function",
        Kind.STOP_GRADIENT,
        """
        w = tf.Variable([1.0, 2.0])

        @tf.function
        def loss_of(x):
            h = tf.stop_gradient(x * 2.0)  # <-
            return tf.reduce_sum(h * h)

        with tf.GradientTape() as tape:
            y = loss_of(w)
        g = tape.gradient(y, w)
        asked = tape, y, w
        """,
        """
        w = tf.Variable([1.0, 2.0])

        @tf.function
        def loss_of(x):
            h = x * 2.0
            return tf.reduce_sum(h * h)

        with tf.GradientTape() as tape:
            y = loss_of(w)
        g = tape.gradient(y, w)
        """,
    ),
    case(
        "a cast inside a function, beside another argument",
        Kind.DTYPE,
        """
        table = tf.Variable([1.0, 2.0, 3.0])
        place = tf.Variable(1.2)

        @tf.function
        def lookup(table, place):
            index = tf.cast(place, tf.int32)  # <-
            return table[0] * tf.cast(index, tf.float32)

        with tf.GradientTape() as tape:
            y = lookup(table, place)
        g = tape.gradient(y, [table, place])[1]
        asked = tape, y, place
        """,
        """
        table = tf.Variable([1.0, 2.0, 3.0])
        place = tf.Variable(1.2)

        @tf.function
        def lookup(table, place):
            index = place
            return table[0] * tf.cast(index, tf.float32)

        with tf.GradientTape() as tape:
            y = lookup(table, place)
        g = tape.gradient(y, [table, place])[1]
        """,
    ),
]

KERAS = [
    case(
        "model.predict in the tape",
        Kind.PREDICT,
        """
        model = keras.Sequential([keras.layers.Dense(1)])
        x, t = tf.ones((4, 2)), tf.ones((4, 1))
        model.build((None, 2))
        w = model.trainable_variables[0]
        with tf.GradientTape() as tape:
            p = model.predict(x, verbose=0)  # <-
            loss = tf.reduce_mean((p - t) ** 2)
        g = tape.gradient(loss, w)
        asked = tape, loss, w
        """,
        """
        model = keras.Sequential([keras.layers.Dense(1)])
        x, t = tf.ones((4, 2)), tf.ones((4, 1))
        model.build((None, 2))
        w = model.trainable_variables[0]
        with tf.GradientTape() as tape:
            p = model(x)
            loss = tf.reduce_mean((p - t) ** 2)
        g = tape.gradient(loss, w)
        """,
    ),
    case(
        "a model called before the tape",
        Kind.OUTSIDE,
        """
        model = keras.Sequential([keras.layers.Dense(1)])
        x = tf.ones((4, 2))
        model.build((None, 2))
        w = model.trainable_variables[0]
        loss = tf.reduce_mean(model(x))  # <-
        with tf.GradientTape() as tape:
            pass
        g = tape.gradient(loss, w)
        asked = tape, loss, w
        """,
        """
        model = keras.Sequential([keras.layers.Dense(1)])
        x = tf.ones((4, 2))
        model.build((None, 2))
        w = model.trainable_variables[0]
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(model(x))
        g = tape.gradient(loss, w)
        """,
    ),
    case(
        "the moving mean of a normalization",
        Kind.NEVER_WATCHED,
        """
        layer = keras.layers.BatchNormalization()
        layer.build((None, 2))
        mean = layer.moving_mean
        with tf.GradientTape() as tape:  # <-
            y = tf.reduce_sum(layer(tf.ones((4, 2))))
        g = tape.gradient(y, mean)
        asked = tape, y, mean
        """,
        """
        layer = keras.layers.BatchNormalization()
        layer.build((None, 2))
        mean = layer.moving_mean
        with tf.GradientTape() as tape:
            tape.watch(mean)
            y = tf.reduce_sum(layer(tf.ones((4, 2))))
        g = tape.gradient(y, mean)
        """,
    ),
    case(
        "a layer that rounds",
        Kind.NO_DERIVATIVE,
        """
        class Quantized(keras.layers.Layer):
            def call(self, x):
                return tf.round(x)  # <-

        model = keras.Sequential([keras.layers.Dense(2), Quantized()])
        model.build((None, 2))
        w = model.trainable_variables[0]
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(model(tf.ones((4, 2))))
        g = tape.gradient(loss, w)
        asked = tape, loss, w
        """,
        """
        class Quantized(keras.layers.Layer):
            def call(self, x):
                return x + tf.stop_gradient(tf.round(x) - x)

        model = keras.Sequential([keras.layers.Dense(2), Quantized()])
        model.build((None, 2))
        w = model.trainable_variables[0]
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(model(tf.ones((4, 2))))
        g = tape.gradient(loss, w)
        """,
    ),
]
