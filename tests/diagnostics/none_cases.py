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
    case(
        "a list whose elements are replaced",
        Kind.REPLACED,
        """
        ws = [tf.Variable(1.0), tf.Variable(2.0)]
        for step in range(2):
            with tf.GradientTape() as tape:
                y = (ws[0] * ws[1] - 3.0) ** 2
            grads = tape.gradient(y, ws)
            if grads[0] is None: break
            for i in range(2):
                ws[i] = ws[i] - 0.1 * grads[i]  # <-
        g = grads[0]
        asked = tape, y, ws[0]
        """,
        """
        ws = [tf.Variable(1.0), tf.Variable(2.0)]
        for step in range(2):
            with tf.GradientTape() as tape:
                y = (ws[0] * ws[1] - 3.0) ** 2
            grads = tape.gradient(y, ws)
            if grads[0] is None: break
            for i in range(2):
                ws[i].assign_sub(0.1 * grads[i])
        g = grads[0]
        """,
    ),
    case(
        "an attribute that is replaced",
        Kind.REPLACED,
        """
        class Model:
            def __init__(self):
                self.w = tf.Variable([1.0, 2.0])
            def __call__(self, x):
                return tf.reduce_sum(self.w * x)
        m = Model()
        for _ in range(2):
            with tf.GradientTape() as tape:
                loss = m(3.0) ** 2
            g = tape.gradient(loss, m.w)
            if g is not None:
                m.w = m.w - 0.01 * g  # <-
        asked = tape, loss, m.w
        """,
        """
        class Model:
            def __init__(self):
                self.w = tf.Variable([1.0, 2.0])
            def __call__(self, x):
                return tf.reduce_sum(self.w * x)
        m = Model()
        for _ in range(2):
            with tf.GradientTape() as tape:
                loss = m(3.0) ** 2
            g = tape.gradient(loss, m.w)
            if g is not None:
                m.w.assign_sub(0.01 * g)
        """,
    ),
    case(
        "a dictionary that is built again",
        Kind.REPLACED,
        """
        params = {"w": tf.Variable(1.0), "b": tf.Variable(0.5)}
        for _ in range(2):
            with tf.GradientTape() as tape:
                loss = (params["w"] * 2.0 + params["b"]) ** 2
            grads = tape.gradient(loss, params)
            g = grads["w"]
            if g is not None:
                params = {k: v - 0.1 * grads[k] for k, v in params.items()}  # <-
        asked = tape, loss, params["w"]
        """,
        """
        params = {"w": tf.Variable(1.0), "b": tf.Variable(0.5)}
        for _ in range(2):
            with tf.GradientTape() as tape:
                loss = (params["w"] * 2.0 + params["b"]) ** 2
            grads = tape.gradient(loss, params)
            g = grads["w"]
            if g is not None:
                for k, v in params.items():
                    v.assign_sub(0.1 * grads[k])
        """,
    ),
    case(
        "a list that is built again",
        Kind.REPLACED,
        """
        ws = [tf.Variable(1.0), tf.Variable(2.0)]
        for _ in range(2):
            with tf.GradientTape() as tape:
                y = (ws[0] * ws[1] - 1.0) ** 2
            grads = tape.gradient(y, ws)
            g = grads[0]
            if g is None: break
            ws = [v - 0.1 * d for v, d in zip(ws, grads)]  # <-
        asked = tape, y, ws[0]
        """,
        """
        ws = [tf.Variable(1.0), tf.Variable(2.0)]
        for _ in range(2):
            with tf.GradientTape() as tape:
                y = (ws[0] * ws[1] - 1.0) ** 2
            grads = tape.gradient(y, ws)
            g = grads[0]
            if g is None: break
            for v, d in zip(ws, grads):
                v.assign_sub(0.1 * d)
        """,
    ),
    case(
        "an attribute that a method replaces",
        Kind.REPLACED,
        """
        class Trainer:
            def __init__(self):
                self.w = tf.Variable(1.0)
            def step(self):
                with tf.GradientTape() as tape:
                    loss = (self.w - 3.0) ** 2
                g = tape.gradient(loss, self.w)
                if g is not None:
                    self.w = self.w - 0.1 * g  # <-
                return tape, loss, self.w, g
        t = Trainer(); t.step(); *asked, g = t.step()
        asked = asked
        """,
        """
        class Trainer:
            def __init__(self):
                self.w = tf.Variable(1.0)
            def step(self):
                with tf.GradientTape() as tape:
                    loss = (self.w - 3.0) ** 2
                g = tape.gradient(loss, self.w)
                if g is not None:
                    self.w.assign_sub(0.1 * g)
                return tape, loss, self.w, g
        t = Trainer(); t.step(); *asked, g = t.step()
        """,
    ),
    case(
        "a list of floats",
        Kind.NUMBER,
        """
        w = tf.Variable([1.0, 2.0, 3.0])
        with tf.GradientTape() as tape:
            losses = []
            for i in range(3):
                losses.append(float(w[i] ** 2))  # <-
            loss = tf.reduce_mean(tf.constant(losses))
        g = tape.gradient(loss, w)
        asked = tape, loss, w
        """,
        """
        w = tf.Variable([1.0, 2.0, 3.0])
        with tf.GradientTape() as tape:
            losses = []
            for i in range(3):
                losses.append(w[i] ** 2)
            loss = tf.reduce_mean(tf.constant(losses))
        g = tape.gradient(loss, w)
        """,
    ),
    case(
        "a method of an array",
        Kind.NUMBER,
        """
        w = tf.Variable([1.0, 2.0, 3.0])
        with tf.GradientTape() as tape:
            h = tf.tanh(w)
            loss = tf.constant(h.numpy().sum())  # <-
        g = tape.gradient(loss, w)
        asked = tape, loss, w
        """,
        """
        w = tf.Variable([1.0, 2.0, 3.0])
        with tf.GradientTape() as tape:
            h = tf.tanh(w)
            loss = tf.reduce_sum(h)
        g = tape.gradient(loss, w)
        """,
    ),
    case(
        "a metric that computes in NumPy",
        Kind.NUMBER,
        """
        def mse(a, b):
            a = np.array(a); b = np.array(b)  # <-
            return ((a - b) ** 2).mean()
        w = tf.Variable([1.0, 2.0])
        x = tf.constant([1.0, 3.0])
        with tf.GradientTape() as tape:
            loss = tf.convert_to_tensor(mse(w * x, [1.0, 2.0]))
        g = tape.gradient(loss, w)
        asked = tape, loss, w
        """,
        """
        def mse(a, b):
            a = a
            b = b
            return tf.reduce_mean((a - b) ** 2)
        w = tf.Variable([1.0, 2.0])
        x = tf.constant([1.0, 3.0])
        with tf.GradientTape() as tape:
            loss = tf.convert_to_tensor(mse(w * x, [1.0, 2.0]))
        g = tape.gradient(loss, w)
        """,
    ),
    case(
        "a metric on one line",
        Kind.NUMBER,
        """
        def accuracy(a, b):
            return np.mean(np.abs(np.asarray(a) - np.asarray(b)))  # <-
        w = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            pred = w * 2.0
            loss = tf.constant(accuracy(pred, [1.0, 1.0]))
        g = tape.gradient(loss, w)
        asked = tape, loss, w
        """,
        """
        def accuracy(a, b):
            return tf.reduce_mean(tf.abs(a - b))
        w = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            pred = w * 2.0
            loss = tf.constant(accuracy(pred, [1.0, 1.0]))
        g = tape.gradient(loss, w)
        """,
    ),
    case(
        "the places of the largest",
        Kind.DTYPE,
        """
        x = tf.Variable([3.0, 1.0, 2.0])
        with tf.GradientTape() as tape:
            idx = tf.math.top_k(x, 2).indices  # <-
            y = tf.reduce_sum(tf.cast(idx, tf.float32))
        g = tape.gradient(y, x)
        asked = tape, y, x
        """,
        """
        x = tf.Variable([3.0, 1.0, 2.0])
        with tf.GradientTape() as tape:
            idx = tf.math.top_k(x, 2).indices
            y = tf.reduce_sum(tf.cast(idx, tf.float32))
        g = \\
        tape.gradient(y, x, unconnected_gradients="zero")
        """,
    ),
    case(
        "the places of the largest, from a tuple",
        Kind.DTYPE,
        """
        x = tf.Variable([3.0, 1.0, 2.0])
        with tf.GradientTape() as tape:
            v, idx = tf.math.top_k(x, 2)  # <-
            y = tf.reduce_sum(tf.cast(idx, tf.float32))
        g = tape.gradient(y, x)
        asked = tape, y, x
        """,
        """
        x = tf.Variable([3.0, 1.0, 2.0])
        with tf.GradientTape() as tape:
            v, idx = tf.math.top_k(x, 2)
            y = tf.reduce_sum(tf.cast(idx, tf.float32))
        g = \\
        tape.gradient(y, x, unconnected_gradients="zero")
        """,
    ),
    case(
        "indices of a table",
        Kind.DTYPE,
        """
        table = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        ids = tf.Variable([0, 1])  # <-
        with tf.GradientTape() as tape:
            e = tf.gather(table, ids)
            y = tf.reduce_sum(e * e)
        g = tape.gradient(y, ids)
        asked = tape, y, ids
        """,
        """
        table = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        ids = tf.Variable([0, 1])
        with tf.GradientTape() as tape:
            e = tf.gather(table, ids)
            y = tf.reduce_sum(e * e)
        g = \\
        tape.gradient(y, ids, unconnected_gradients="zero")
        """,
    ),
    case(
        "a histogram",
        Kind.DTYPE,
        """
        x = tf.Variable([0.1, 0.4, 0.45, 0.9])
        with tf.GradientTape() as tape:
            h = tf.histogram_fixed_width(x, [0.0, 1.0], 4)  # <-
            loss = tf.reduce_mean((tf.cast(h, tf.float32) - 1.0) ** 2)
        g = tape.gradient(loss, x)
        asked = tape, loss, x
        """,
        """
        x = tf.Variable([0.1, 0.4, 0.45, 0.9])
        with tf.GradientTape() as tape:
            h = tf.histogram_fixed_width(x, [0.0, 1.0], 4)
            loss = tf.reduce_mean((tf.cast(h, tf.float32) - 1.0) ** 2)
        g = \\
        tape.gradient(loss, x, unconnected_gradients="zero")
        """,
    ),
    case(
        "an array of integers in a function",
        Kind.DTYPE,
        """
        @tf.function
        def f(w):
            ta = tf.TensorArray(tf.int32, size=3)
            for i in tf.range(3):
                ta = ta.write(i, tf.cast(w[i] * 10.0, tf.int32))  # <-
            return tf.reduce_sum(tf.cast(ta.stack(), tf.float32))
        w = tf.Variable([0.3, 0.7, 0.9])
        with tf.GradientTape() as tape:
            y = f(w)
        g = tape.gradient(y, w)
        asked = tape, y, w
        """,
        """
        @tf.function
        def f(w):
            ta = tf.TensorArray(tf.int32, size=3)
            for i in tf.range(3):
                ta = ta.write(i, tf.cast(w[i] * 10.0, tf.int32))
            return tf.reduce_sum(tf.cast(ta.stack(), tf.float32))
        w = tf.Variable([0.3, 0.7, 0.9])
        with tf.GradientTape() as tape:
            y = f(w)
        g = \\
        tape.gradient(y, w, unconnected_gradients="zero")
        """,
    ),
    case(
        "the size as a loss",
        Kind.DTYPE,
        """
        x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        with tf.GradientTape() as tape:
            n = tf.cast(tf.shape(x)[0], tf.float32)  # <-
            loss = n * 2.0
        g = tape.gradient(loss, x)
        asked = tape, loss, x
        """,
        """
        x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        with tf.GradientTape() as tape:
            n = tf.cast(tf.shape(x)[0], tf.float32)
            loss = n * 2.0
        g = \\
        tape.gradient(loss, x, unconnected_gradients="zero")
        """,
    ),
    case(
        "the length as a loss",
        Kind.DTYPE,
        """
        x = tf.Variable([0.2, 1.7])
        with tf.GradientTape() as tape:
            n = len(x)  # <-
            y = tf.constant(1.0) * n
        g = tape.gradient(y, x)
        asked = tape, y, x
        """,
        """
        x = tf.Variable([0.2, 1.7])
        with tf.GradientTape() as tape:
            n = len(x)
            y = tf.constant(1.0) * n
        g = \\
        tape.gradient(y, x, unconnected_gradients="zero")
        """,
    ),
    case(
        "a function that returns an integer",
        Kind.DTYPE,
        """
        @tf.function
        def f(x):
            k = tf.argmax(x)  # <-
            return k
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = tf.cast(f(x), tf.float32) * 2.0
        g = tape.gradient(y, x)
        asked = tape, y, x
        """,
        """
        @tf.function
        def f(x):
            k = tf.reduce_sum(tf.nn.softmax(x) * tf.cast(tf.range(tf.shape(x)[-1]), tf.float32), -1)
            return k
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = tf.cast(f(x), tf.float32) * 2.0
        g = tape.gradient(y, x)
        """,
    ),
    case(
        "a cast before one_hot",
        Kind.DTYPE,
        """
        x = tf.Variable([0.2, 1.7])
        with tf.GradientTape() as tape:
            k = tf.cast(x, tf.int32)  # <-
            y = tf.reduce_sum(tf.one_hot(k, 3) * tf.constant([1.0, 2.0, 3.0]))
        g = tape.gradient(y, x)
        asked = tape, y, x
        """,
        """
        x = tf.Variable([0.2, 1.7])
        with tf.GradientTape() as tape:
            k = tf.cast(x, tf.int32)
            y = tf.reduce_sum(tf.one_hot(k, 3) * tf.constant([1.0, 2.0, 3.0]))
        g = \\
        tape.gradient(y, x, unconnected_gradients="zero")
        """,
    ),
    case(
        "floor in a function that a function calls",
        Kind.NO_DERIVATIVE,
        """
        @tf.function
        def quantize(h):
            q = tf.floor(h * 8.0) / 8.0  # <-
            return q
        @tf.function
        def model(w, x):
            return tf.reduce_sum(quantize(w * x))
        w = tf.Variable([0.3, 0.7])
        with tf.GradientTape() as tape:
            y = model(w, tf.constant([1.0, 2.0]))
        g = tape.gradient(y, w)
        asked = tape, y, w
        """,
        """
        @tf.function
        def quantize(h):
            q = (h * 8.0 + tf.stop_gradient(tf.floor(h * 8.0) - h * 8.0)) / 8.0
            return q
        @tf.function
        def model(w, x):
            return tf.reduce_sum(quantize(w * x))
        w = tf.Variable([0.3, 0.7])
        with tf.GradientTape() as tape:
            y = model(w, tf.constant([1.0, 2.0]))
        g = tape.gradient(y, w)
        """,
    ),
    case(
        "state that is added to",
        Kind.ASSIGN,
        """
        w = tf.Variable(2.0)
        state = tf.Variable(0.0)
        with tf.GradientTape() as tape:
            state.assign_add(w * w)  # <-
            loss = state * 3.0
        g = tape.gradient(loss, w)
        asked = tape, loss, w
        """,
        """
        w = tf.Variable(2.0)
        state = tf.Variable(0.0)
        with tf.GradientTape() as tape:
            new_state = state + (w * w)
            state.assign(new_state)
            loss = new_state * 3.0
        g = tape.gradient(loss, w)
        """,
    ),
    case(
        "a part of a variable",
        Kind.ASSIGN,
        """
        w = tf.Variable(2.0)
        buf = tf.Variable(tf.zeros([3]))
        with tf.GradientTape() as tape:
            for i in range(3):
                buf[i].assign(w * float(i))  # <-
            loss = tf.reduce_sum(buf)
        g = tape.gradient(loss, w)
        asked = tape, loss, w
        """,
        """
        w = tf.Variable(2.0)
        buf = tf.Variable(tf.zeros([3]))
        with tf.GradientTape() as tape:
            for i in range(3):
                buf[i].assign(w * float(i))
            loss = tf.reduce_sum(buf)
        g = \\
        tape.gradient(loss, w, unconnected_gradients="zero")
        """,
    ),
    case(
        "fast weights as a variable",
        Kind.ASSIGN,
        """
        w = tf.Variable(2.0)
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                l = (w - 1.0) ** 2
            gi = inner.gradient(l, w)
            fast = tf.Variable(w - 0.1 * gi)  # <-
            l2 = (fast - 3.0) ** 2
        g = outer.gradient(l2, w)
        asked = outer, l2, w
        """,
        """
        w = tf.Variable(2.0)
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                l = (w - 1.0) ** 2
            gi = inner.gradient(l, w)
            fast = w - 0.1 * gi
            l2 = (fast - 3.0) ** 2
        g = outer.gradient(l2, w)
        """,
    ),
    case(
        "a copy of a variable",
        Kind.ASSIGN,
        """
        import copy
        w = tf.Variable([1.0, 2.0])
        target = copy.deepcopy(w)  # <-
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(target ** 2)
        g = tape.gradient(loss, w)
        asked = tape, loss, w
        """,
        """
        import copy
        w = tf.Variable([1.0, 2.0])
        target = w
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(target ** 2)
        g = tape.gradient(loss, w)
        """,
    ),
    case(
        "a variable that is read twice after the assign",
        Kind.ASSIGN,
        """
        w = tf.Variable(1.0); u = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            w.assign(u * 2.0)  # <-
            y = w * w
            z = w + y
        g = tape.gradient(z, u)
        asked = tape, z, u
        """,
        """
        w = tf.Variable(1.0); u = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            w.assign(u * 2.0)
            y = w * w
            z = w + y
        g = \\
        tape.gradient(z, u, unconnected_gradients="zero")
        """,
    ),
    case(
        "a loss that a lambda has captured",
        Kind.OUTSIDE,
        """
        opt_var = tf.Variable(1.0)
        loss_value = opt_var ** 2  # <-
        loss_fn = lambda: loss_value
        with tf.GradientTape() as tape:
            loss = loss_fn()
        g = tape.gradient(loss, opt_var)
        asked = tape, loss, opt_var
        """,
        """
        opt_var = tf.Variable(1.0)
        loss_fn = lambda: loss_value
        with tf.GradientTape() as tape:
            loss_value = opt_var ** 2
            loss = loss_fn()
        g = tape.gradient(loss, opt_var)
        """,
    ),
    case(
        "reset after the computation",
        Kind.OUTSIDE,
        """
        w = tf.Variable(1.0)
        with tf.GradientTape() as tape:
            y = w * 3.0
            tape.reset()  # <-
            z = w * 2.0
        g = tape.gradient(y, w)
        asked = tape, y, w
        """,
        """
        w = tf.Variable(1.0)
        with tf.GradientTape() as tape:
            tape.reset()
            y = w * 3.0
            z = w * 2.0
        g = tape.gradient(y, w)
        """,
    ),
    case(
        "a function of a dataset",
        Kind.OUTSIDE,
        """
        w = tf.Variable(2.0)
        ds = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0]).map(lambda x: x * w)  # <-
        with tf.GradientTape() as tape:
            loss = 0.0
            for b in ds:
                loss += b
        g = tape.gradient(loss, w)
        asked = tape, loss, w
        """,
        """
        w = tf.Variable(2.0)
        ds = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0]).map(lambda x: x * w)
        with tf.GradientTape() as tape:
            loss = 0.0
            for b in ds:
                loss += b
        g = \\
        tape.gradient(loss, w, unconnected_gradients="zero")
        """,
    ),
    case(
        "two lines before the block",
        Kind.OUTSIDE,
        """
        w = tf.Variable([1.0, 2.0])
        a = w * 2.0
        b = tf.exp(a)  # <-
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(b * b)
        g = tape.gradient(y, w)
        asked = tape, y, w
        """,
        """
        w = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            a = w * 2.0
            b = tf.exp(a)
            y = tf.reduce_sum(b * b)
        g = tape.gradient(y, w)
        """,
    ),
    case(
        "a helper that is called before the block",
        Kind.OUTSIDE,
        """
        w = tf.Variable([1.0, 2.0])
        def features():
            return tf.exp(w)
        f = features()  # <-
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(f)
        g = tape.gradient(y, w)
        asked = tape, y, w
        """,
        """
        w = tf.Variable([1.0, 2.0])
        def features():
            return tf.exp(w)
        with tf.GradientTape() as tape:
            f = features()
            y = tf.reduce_sum(f)
        g = tape.gradient(y, w)
        """,
    ),
    case(
        "an operand computed in a pause",
        Kind.STOPPED,
        """
        w = tf.Variable(1.0)
        with tf.GradientTape(persistent=True) as tape:
            with tape.stop_recording():
                h = w * 3.0  # <-
            y = h * h
        g = tape.gradient(y, w)
        asked = tape, y, w
        """,
        """
        w = tf.Variable(1.0)
        with tf.GradientTape(persistent=True) as tape:
            h = w * 3.0
            y = h * h
        g = tape.gradient(y, w)
        """,
    ),
    case(
        "an operand computed in a pause, beside another use",
        Kind.STOPPED,
        """
        w = tf.Variable(1.0)
        with tf.GradientTape() as tape:
            z = w * 1.0
            with tape.stop_recording():
                h = w * 3.0  # <-
            y = h * h
        g = tape.gradient(y, w)
        asked = tape, y, w
        """,
        """
        w = tf.Variable(1.0)
        with tf.GradientTape() as tape:
            z = w * 1.0
            h = w * 3.0
            y = h * h
        g = tape.gradient(y, w)
        """,
    ),
    case(
        "the target computed in a pause",
        Kind.STOPPED,
        """
        w = tf.Variable(1.0)
        with tf.GradientTape() as tape:
            with tape.stop_recording():
                y = w * 3.0  # <-
        g = tape.gradient(y, w)
        asked = tape, y, w
        """,
        """
        w = tf.Variable(1.0)
        with tf.GradientTape() as tape:
            y = w * 3.0
        g = tape.gradient(y, w)
        """,
    ),
    case(
        "a pause in a helper",
        Kind.STOPPED,
        """
        w = tf.Variable(1.0)
        def quiet(tape):
            with tape.stop_recording():
                return w * 3.0  # <-
        with tf.GradientTape() as tape:
            h = quiet(tape)
            y = h * h
        g = tape.gradient(y, w)
        asked = tape, y, w
        """,
        """
        w = tf.Variable(1.0)
        def quiet(tape):
            return w * 3.0
        with tf.GradientTape() as tape:
            h = quiet(tape)
            y = h * h
        g = tape.gradient(y, w)
        """,
    ),
    case(
        "a pool that maps",
        Kind.THREAD,
        """
        from concurrent.futures import ThreadPoolExecutor
        w = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            with ThreadPoolExecutor(2) as ex:
                parts = list(ex.map(lambda i: w * float(i), range(3)))  # <-
            loss = tf.add_n(parts)
        g = tape.gradient(loss, w)
        asked = tape, loss, w
        """,
        """
        from concurrent.futures import ThreadPoolExecutor
        w = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            with ThreadPoolExecutor(2) as ex:
                parts = list(map(lambda i: w * float(i), range(3)))
            loss = tf.add_n(parts)
        g = tape.gradient(loss, w)
        """,
    ),
    case(
        "a thread that reads a variable",
        Kind.THREAD,
        """
        import threading
        w = tf.Variable(2.0); out = {}
        def work(): out["y"] = w * 3.0
        with tf.GradientTape() as tape:
            th = threading.Thread(target=work); th.start(); th.join()  # <-
            loss = out["y"] * 2.0
        g = tape.gradient(loss, w)
        asked = tape, loss, w
        """,
        """
        import threading
        w = tf.Variable(2.0); out = {}
        def work(): out["y"] = w * 3.0
        with tf.GradientTape() as tape:
            work()
            loss = out["y"] * 2.0
        g = tape.gradient(loss, w)
        """,
    ),
    case(
        "a lambda given to a pool",
        Kind.THREAD,
        """
        from concurrent.futures import ThreadPoolExecutor
        w = tf.Variable(2.0)
        ex = ThreadPoolExecutor(1)
        with tf.GradientTape() as tape:
            loss = ex.submit(lambda: w * 3.0).result()  # <-
        g = tape.gradient(loss, w)
        asked = tape, loss, w
        """,
        """
        from concurrent.futures import ThreadPoolExecutor
        w = tf.Variable(2.0)
        ex = ThreadPoolExecutor(1)
        with tf.GradientTape() as tape:
            loss = w * 3.0
        g = tape.gradient(loss, w)
        """,
    ),
    case(
        "a thread that is given a tensor",
        Kind.THREAD,
        """
        import threading
        x = tf.constant(2.0); out = []
        def work(v): out.append(v * 3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            th = threading.Thread(target=work, args=(x,))  # <-
            th.start(); th.join()
            loss = out[0] * 2.0
        g = tape.gradient(loss, x)
        asked = tape, loss, x
        """,
        """
        import threading
        x = tf.constant(2.0); out = []
        def work(v): out.append(v * 3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            th = threading.Thread(target=work, args=(x,))
            th.start(); th.join()
            loss = out[0] * 2.0
        g = \\
        tape.gradient(loss, x, unconnected_gradients="zero")
        """,
    ),
    case(
        "a future that is kept",
        Kind.THREAD,
        """
        from concurrent.futures import ThreadPoolExecutor
        w = tf.Variable(2.0)
        pool = ThreadPoolExecutor(1)
        with tf.GradientTape() as tape:
            fut = pool.submit(tf.square, w)  # <-
            loss = fut.result() * 2.0
        g = tape.gradient(loss, w)
        asked = tape, loss, w
        """,
        """
        from concurrent.futures import ThreadPoolExecutor
        w = tf.Variable(2.0)
        pool = ThreadPoolExecutor(1)
        with tf.GradientTape() as tape:
            fut = pool.submit(tf.square, w)
            loss = fut.result() * 2.0
        g = \\
        tape.gradient(loss, w, unconnected_gradients="zero")
        """,
    ),
    case(
        "a branch in a function that was called",
        Kind.BRANCH,
        """
        w = tf.Variable(1.0); b = tf.Variable(1.0)
        def net(x, bias=False):
            h = x * w
            if bias:  # <-
                h = h + b
            return h
        with tf.GradientTape() as tape:
            y = net(2.0)
        g = tape.gradient(y, b)
        asked = tape, y, b
        """,
        """
        w = tf.Variable(1.0); b = tf.Variable(1.0)
        def net(x, bias=False):
            h = x * w
            if bias:
                h = h + b
            return h
        with tf.GradientTape() as tape:
            y = net(2.0)
        g = \\
        tape.gradient(y, b, unconnected_gradients="zero")
        """,
    ),
    case(
        "a part of a variable as the source",
        Kind.UNCONNECTED,
        """
        w = tf.Variable([1.0, 2.0, 3.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(w[:2] ** 2)
        g = tape.gradient(y, w[:2])  # <-
        asked = tape, y, w[:2]
        """,
        """
        w = tf.Variable([1.0, 2.0, 3.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(w[:2] ** 2)
        g = \\
        tape.gradient(y, w)[:2]
        """,
    ),
    case(
        "a number that is only printed",
        Kind.UNCONNECTED,
        """
        w = tf.Variable(2.0); v = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            h = w * 2.0
            print("h", float(h))
            y = v * 3.0  # <-
        g = tape.gradient(y, w)
        asked = tape, y, w
        """,
        """
        w = tf.Variable(2.0); v = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            h = w * 2.0
            print("h", float(h))
            y = v * 3.0
        g = \\
        tape.gradient(y, w, unconnected_gradients="zero")
        """,
    ),
    case(
        "a pause that has nothing to do with it",
        Kind.UNCONNECTED,
        """
        w = tf.Variable(1.0); v = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            with tape.stop_recording():
                size = tf.norm(w)
            y = v * 2.0  # <-
        g = tape.gradient(y, w)
        asked = tape, y, w
        """,
        """
        w = tf.Variable(1.0); v = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            with tape.stop_recording():
                size = tf.norm(w)
            y = v * 2.0
        g = \\
        tape.gradient(y, w, unconnected_gradients="zero")
        """,
    ),
    case(
        "a thread that has nothing to do with it",
        Kind.UNCONNECTED,
        """
        from concurrent.futures import ThreadPoolExecutor
        w = tf.Variable(2.0); v = tf.Variable(1.0)
        with ThreadPoolExecutor(1) as ex:
            with tf.GradientTape() as tape:
                fut = ex.submit(print, "hello")
                loss = v * 3.0  # <-
        g = tape.gradient(loss, w)
        asked = tape, loss, w
        """,
        """
        from concurrent.futures import ThreadPoolExecutor
        w = tf.Variable(2.0); v = tf.Variable(1.0)
        with ThreadPoolExecutor(1) as ex:
            with tf.GradientTape() as tape:
                fut = ex.submit(print, "hello")
                loss = v * 3.0
        g = \\
        tape.gradient(loss, w, unconnected_gradients="zero")
        """,
    ),
    case(
        "another attribute was used before the block",
        Kind.UNCONNECTED,
        """
        class M: pass
        m = M(); m.a = tf.Variable(1.0); m.b = tf.Variable(2.0)
        h = m.a * 2.0
        with tf.GradientTape() as tape:
            y = h * 3.0  # <-
        g = tape.gradient(y, m.b)
        asked = tape, y, m.b
        """,
        """
        class M: pass
        m = M(); m.a = tf.Variable(1.0); m.b = tf.Variable(2.0)
        h = m.a * 2.0
        with tf.GradientTape() as tape:
            y = h * 3.0
        g = \\
        tape.gradient(y, m.b, unconnected_gradients="zero")
        """,
    ),
    case(
        "a loss that is kept as a number, and a variable beside it",
        Kind.UNCONNECTED,
        """
        w = tf.Variable(1.0); b = tf.Variable(0.0)
        history = []
        for step in range(2):
            with tf.GradientTape() as tape:
                y = w * 2.0
                loss = y * y  # <-
            history.append(float(loss))
            g = tape.gradient(loss, b)
        asked = tape, loss, b
        """,
        """
        w = tf.Variable(1.0); b = tf.Variable(0.0)
        history = []
        for step in range(2):
            with tf.GradientTape() as tape:
                y = w * 2.0
                loss = y * y
            history.append(float(loss))
            g = \\
            tape.gradient(loss, b, unconnected_gradients="zero")
        """,
    ),
    case(
        "a number in a message",
        Kind.UNCONNECTED,
        """
        w = tf.Variable(1.0); v = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            a = w * 2.0
            msg = f"{a.numpy():.2f}"
            y = v * 3.0  # <-
        g = tape.gradient(y, w)
        asked = tape, y, w
        """,
        """
        w = tf.Variable(1.0); v = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            a = w * 2.0
            msg = f"{a.numpy():.2f}"
            y = v * 3.0
        g = \\
        tape.gradient(y, w, unconnected_gradients="zero")
        """,
    ),
    case(
        "variables that follow others in a loop",
        Kind.ASSIGN,
        """
        online = [tf.Variable(1.0)]; target = [tf.Variable(0.0)]
        with tf.GradientTape() as tape:
            for o, t in zip(online, target):
                t.assign(0.9 * t + 0.1 * o)  # <-
            q = target[0] * 2.0
        g = tape.gradient(q, online[0])
        asked = tape, q, online[0]
        """,
        """
        online = [tf.Variable(1.0)]; target = [tf.Variable(0.0)]
        with tf.GradientTape() as tape:
            for o, t in zip(online, target):
                t.assign(0.9 * t + 0.1 * o)
            q = target[0] * 2.0
        g = \\
        tape.gradient(q, online[0], unconnected_gradients="zero")
        """,
    ),
    case(
        "the number of rounds",
        Kind.NUMBER,
        """
        x = tf.Variable(3.7)
        with tf.GradientTape() as tape:
            n = int(x)  # <-
            y = tf.constant(1.0)
            for _ in range(n):
                y = y * 2.0
        g = tape.gradient(y, x)
        asked = tape, y, x
        """,
        """
        x = tf.Variable(3.7)
        with tf.GradientTape() as tape:
            n = int(x)
            y = tf.constant(1.0)
            for _ in range(n):
                y = y * 2.0
        g = \\
        tape.gradient(y, x, unconnected_gradients="zero")
        """,
    ),
    case(
        "places in a table",
        Kind.DTYPE,
        """
        x = tf.Variable([0.0, 1.0])
        table = tf.constant([[1.0], [2.0]])
        with tf.GradientTape() as tape:
            e = tf.gather(table, tf.cast(x, tf.int32))  # <-
            y = tf.reduce_sum(e)
        g = tape.gradient(y, x)
        asked = tape, y, x
        """,
        """
        x = tf.Variable([0.0, 1.0])
        table = tf.constant([[1.0], [2.0]])
        with tf.GradientTape() as tape:
            e = tf.gather(table, tf.cast(x, tf.int32))
            y = tf.reduce_sum(e)
        g = \\
        tape.gradient(y, x, unconnected_gradients="zero")
        """,
    ),
    case(
        "a mean of numbers",
        Kind.NUMBER,
        """
        w = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            losses = [w[0] ** 2, w[1] ** 2]
            loss = tf.constant(np.mean([l.numpy() for l in losses]))  # <-
        g = tape.gradient(loss, w)
        asked = tape, loss, w
        """,
        """
        w = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            losses = [w[0] ** 2, w[1] ** 2]
            loss = tf.reduce_mean([l for l in losses])
        g = tape.gradient(loss, w)
        """,
    ),
    case(
        "a function that wants an array",
        Kind.NUMBER,
        """
        def score(a):
            return a.sum() / len(a)
        w = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            loss = tf.constant(score((w * 2.0).numpy()))  # <-
        g = tape.gradient(loss, w)
        asked = tape, loss, w
        """,
        """
        def score(a):
            return a.sum() / len(a)
        w = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            loss = tf.constant(score((w * 2.0).numpy()))
        g = \\
        tape.gradient(loss, w, unconnected_gradients="zero")
        """,
    ),
    case(
        "an outer tape that does not watch",
        Kind.NEVER_WATCHED,
        """
        x = tf.constant(2.0)
        with tf.GradientTape() as t1:  # <-
            with tf.GradientTape() as t2:
                t2.watch(x)
                y = x * x
            d = t2.gradient(y, x)
        g = t1.gradient(d, x)
        asked = t1, d, x
        """,
        """
        x = tf.constant(2.0)
        with tf.GradientTape() as t1:
            with tf.GradientTape() as t2:
                t1.watch(x)
                t2.watch(x)
                y = x * x
            d = t2.gradient(y, x)
        g = t1.gradient(d, x)
        """,
    ),
    case(
        "a size",
        Kind.NUMBER,
        """
        w = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            n = int(w)  # <-
            loss = tf.reduce_sum(tf.ones([n]))
        g = tape.gradient(loss, w)
        asked = tape, loss, w
        """,
        """
        w = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            n = int(w)
            loss = tf.reduce_sum(tf.ones([n]))
        g = \\
        tape.gradient(loss, w, unconnected_gradients="zero")
        """,
    ),
    case(
        "the number of rounds, in the head of the loop",
        Kind.NUMBER,
        """
        w = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            loss = tf.constant(0.0)
            for _ in range(int(w.numpy())):  # <-
                loss = loss + 2.0
        g = tape.gradient(loss, w)
        asked = tape, loss, w
        """,
        """
        w = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            loss = tf.constant(0.0)
            for _ in range(int(w.numpy())):
                loss = loss + 2.0
        g = \\
        tape.gradient(loss, w, unconnected_gradients="zero")
        """,
    ),
    case(
        "a choice in a function",
        Kind.BRANCH,
        """
        x = tf.Variable(-1.0)
        def relu(t):
            if t > 0:  # <-
                return t
            return tf.constant(0.0)
        with tf.GradientTape() as tape:
            y = relu(x)
        g = tape.gradient(y, x)
        asked = tape, y, x
        """,
        """
        x = tf.Variable(-1.0)
        def relu(t):
            if t > 0:
                return t
            return tf.constant(0.0)
        with tf.GradientTape() as tape:
            y = relu(x)
        g = \\
        tape.gradient(y, x, unconnected_gradients="zero")
        """,
    ),
    case(
        "rounds that are counted",
        Kind.BRANCH,
        """
        x = tf.Variable(5.0)
        with tf.GradientTape() as tape:
            n = tf.constant(0.0)
            v = x
            while v > 1.0:  # <-
                v = v / 2.0
                n = n + 1.0
            y = n * 1.0
        g = tape.gradient(y, x)
        asked = tape, y, x
        """,
        """
        x = tf.Variable(5.0)
        with tf.GradientTape() as tape:
            n = tf.constant(0.0)
            v = x
            while v > 1.0:
                v = v / 2.0
                n = n + 1.0
            y = n * 1.0
        g = \\
        tape.gradient(y, x, unconnected_gradients="zero")
        """,
    ),
    case(
        "a variable that is cast before the block",
        Kind.REPLACED,
        """
        w = tf.Variable(2.0)
        w = tf.cast(w, tf.float64)  # <-
        with tf.GradientTape() as tape:
            loss = w * w
        g = tape.gradient(loss, w)
        asked = tape, loss, w
        """,
        """
        w = tf.Variable(2.0)
        w = tf.Variable(tf.cast(w, tf.float64))
        with tf.GradientTape() as tape:
            loss = w * w
        g = tape.gradient(loss, w)
        """,
    ),
    case(
        "a regularizer that is computed when its object is made",
        Kind.OUTSIDE,
        """
        class Net:
            def __init__(self):
                self.w = tf.Variable(2.0)
                self.reg = 0.5 * self.w ** 2  # <-
        net = Net()
        with tf.GradientTape() as tape:
            loss = net.reg * 1.0
        g = tape.gradient(loss, net.w)
        asked = tape, loss, net.w
        """,
        """
        class Net:
            def __init__(self):
                self.w = tf.Variable(2.0)
                self.reg = 0.5 * self.w ** 2
        net = Net()
        with tf.GradientTape() as tape:
            loss = 0.5 * net.w ** 2 * 1.0
        g = tape.gradient(loss, net.w)
        """,
    ),
    case(
        "threads in a comprehension",
        Kind.THREAD,
        """
        import threading
        w = tf.Variable(2.0)
        results = []
        def work(k):
            results.append(w * k)
        with tf.GradientTape() as tape:
            threads = [threading.Thread(target=work, args=(float(k),)) for k in range(2)]  # <-
            for t in threads: t.start()
            for t in threads: t.join()
            loss = tf.add_n(results)
        g = tape.gradient(loss, w)
        asked = tape, loss, w
        """,
        """
        import threading
        w = tf.Variable(2.0)
        results = []
        def work(k):
            results.append(w * k)
        with tf.GradientTape() as tape:
            threads = [threading.Thread(target=work, args=(float(k),)) for k in range(2)]
            for t in threads: t.start()
            for t in threads: t.join()
            loss = tf.add_n(results)
        g = \\
        tape.gradient(loss, w, unconnected_gradients="zero")
        """,
    ),
    case(
        "state that a function assigns",
        Kind.ASSIGN,
        """
        x = tf.Variable(1.0)
        st = tf.Variable(0.0, trainable=False)
        @tf.function
        def f(a):
            st.assign(a * 2.0)  # <-
            return st * 3.0
        with tf.GradientTape() as tape:
            y = f(x)
        g = tape.gradient(y, x)
        asked = tape, y, x
        """,
        """
        x = tf.Variable(1.0)
        st = tf.Variable(0.0, trainable=False)
        @tf.function
        def f(a):
            st.assign(a * 2.0)
            return st * 3.0
        with tf.GradientTape() as tape:
            y = f(x)
        g = \\
        tape.gradient(y, x, unconnected_gradients="zero")
        """,
    ),
    case(
        "a NumPy function in a function",
        Kind.NUMBER,
        """
        x = tf.Variable([1.0, 2.0])
        @tf.function
        def f(a):
            return tf.reduce_sum(tf.numpy_function(np.sin, [a], tf.float32))  # <-
        with tf.GradientTape() as tape:
            y = f(x)
        g = tape.gradient(y, x)
        asked = tape, y, x
        """,
        """
        x = tf.Variable([1.0, 2.0])
        @tf.function
        def f(a):
            return tf.reduce_sum(tf.py_function(np.sin, [a], tf.float32))
        with tf.GradientTape() as tape:
            y = f(x)
        g = tape.gradient(y, x)
        """,
    ),
    case(
        "rows as a list",
        Kind.NUMBER,
        """
        x = tf.Variable([1.0, 2.0, 3.0])
        with tf.GradientTape() as tape:
            r = tf.RaggedTensor.from_row_lengths(x, [2, 1])
            rows = r.to_list()  # <-
            y = tf.constant(sum(rows[0]))
        g = tape.gradient(y, x)
        asked = tape, y, x
        """,
        """
        x = tf.Variable([1.0, 2.0, 3.0])
        with tf.GradientTape() as tape:
            r = tf.RaggedTensor.from_row_lengths(x, [2, 1])
            rows = r.to_list()
            y = tf.constant(sum(rows[0]))
        g = \\
        tape.gradient(y, x, unconnected_gradients="zero")
        """,
    ),
    case(
        "attributes that are stored beside",
        Kind.NUMBER,
        """
        class Trainer:
            def __init__(self):
                self.w = tf.Variable([1.0, 2.0])
            def step(self):
                with tf.GradientTape() as tape:
                    pred = self.w * 2.0
                    loss = tf.constant(float(tf.reduce_sum(pred)))  # <-
                self.tape, self.loss = tape, loss
                return tape.gradient(loss, self.w)
        t = Trainer()
        g = t.step()
        asked = t.tape, t.loss, t.w
        """,
        """
        class Trainer:
            def __init__(self):
                self.w = tf.Variable([1.0, 2.0])
            def step(self):
                with tf.GradientTape() as tape:
                    pred = self.w * 2.0
                    loss = tf.reduce_sum(pred)
                self.tape, self.loss = tape, loss
                return tape.gradient(loss, self.w)
        t = Trainer()
        g = t.step()
        """,
    ),
    case(
        "a flag of a module",
        Kind.BRANCH,
        """
        class Net(tf.Module):
            def __init__(self):
                super().__init__()
                self.w = tf.Variable(1.0)
                self.b = tf.Variable(1.0)
                self.use_bias = False
            def __call__(self, x):
                h = x * self.w
                if self.use_bias:  # <-
                    h = h + self.b
                return h
        net = Net()
        with tf.GradientTape() as tape:
            loss = net(2.0) ** 2
        g = tape.gradient(loss, net.b)
        asked = tape, loss, net.b
        """,
        """
        class Net(tf.Module):
            def __init__(self):
                super().__init__()
                self.w = tf.Variable(1.0)
                self.b = tf.Variable(1.0)
                self.use_bias = False
            def __call__(self, x):
                h = x * self.w
                if self.use_bias:
                    h = h + self.b
                return h
        net = Net()
        with tf.GradientTape() as tape:
            loss = net(2.0) ** 2
        g = \\
        tape.gradient(loss, net.b, unconnected_gradients="zero")
        """,
    ),
    case(
        "a conditional expression",
        Kind.BRANCH,
        """
        w = tf.Variable(1.0)
        b = tf.Variable(1.0)
        use_b = False
        with tf.GradientTape() as tape:
            loss = (w * b if use_b else w * 2.0) ** 2  # <-
        g = tape.gradient(loss, b)
        asked = tape, loss, b
        """,
        """
        w = tf.Variable(1.0)
        b = tf.Variable(1.0)
        use_b = False
        with tf.GradientTape() as tape:
            loss = (w * b if use_b else w * 2.0) ** 2
        g = \\
        tape.gradient(loss, b, unconnected_gradients="zero")
        """,
    ),
    case(
        "a picture that is encoded and decoded",
        Kind.DTYPE,
        """
        x = tf.Variable(tf.random.uniform([8, 8, 3]))
        with tf.GradientTape() as tape:
            u8 = tf.cast(x * 255.0, tf.uint8)  # <-
            z = tf.io.decode_png(tf.io.encode_png(u8))
            y = tf.reduce_mean(tf.cast(z, tf.float32))
        g = tape.gradient(y, x)
        asked = tape, y, x
        """,
        """
        x = tf.Variable(tf.random.uniform([8, 8, 3]))
        with tf.GradientTape() as tape:
            u8 = tf.cast(x * 255.0, tf.uint8)
            z = tf.io.decode_png(tf.io.encode_png(u8))
            y = tf.reduce_mean(tf.cast(z, tf.float32))
        g = \\
        tape.gradient(y, x, unconnected_gradients="zero")
        """,
    ),
    case(
        "a number that is drawn at a rate",
        Kind.NO_DERIVATIVE,
        """
        x = tf.Variable([3.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.random.poisson([2], x))  # <-
        g = tape.gradient(y, x)
        asked = tape, y, x
        """,
        """
        x = tf.Variable([3.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.random.poisson([2], x))
        g = \\
        tape.gradient(y, x, unconnected_gradients="zero")
        """,
    ),
    case(
        "a coroutine that hands work to a thread",
        Kind.THREAD,
        """
        import asyncio
        w = tf.Variable(2.0)
        async def main():
            return await asyncio.to_thread(lambda: w * w)  # <-
        with tf.GradientTape() as tape:
            loss = asyncio.run(main())
        g = tape.gradient(loss, w)
        asked = tape, loss, w
        """,
        """
        import asyncio
        w = tf.Variable(2.0)
        async def main():
            return await asyncio.to_thread(lambda: w * w)
        with tf.GradientTape() as tape:
            loss = asyncio.run(main())
        g = \\
        tape.gradient(loss, w, unconnected_gradients="zero")
        """,
    ),
    case(
        "the loss of another tape's block",
        Kind.OUTSIDE,
        """
        w = tf.Variable(2.0)
        with tf.GradientTape() as tape1:
            loss = w * w  # <-
        with tf.GradientTape() as tape2:
            other = w + 1.0
        g = tape2.gradient(loss, w)
        asked = tape2, loss, w
        """,
        """
        w = tf.Variable(2.0)
        with tf.GradientTape() as tape1:
            pass
        with tf.GradientTape() as tape2:
            loss = w * w
            other = w + 1.0
        g = tape2.gradient(loss, w)
        """,
    ),
    case(
        "a weight that is an expression of a variable",
        Kind.NEVER_WATCHED,
        """
        class Net:
            def __init__(self):
                self.w = tf.Variable(tf.ones([3, 1])) * 0.1
            def __call__(self, x):
                return x @ self.w
        net = Net()
        with tf.GradientTape() as tape:  # <-
            loss = tf.reduce_sum(net(tf.ones([2, 3])))
        g = tape.gradient(loss, net.w)
        asked = tape, loss, net.w
        """,
        """
        class Net:
            def __init__(self):
                self.w = tf.Variable(tf.ones([3, 1])) * 0.1
            def __call__(self, x):
                return x @ self.w
        net = Net()
        with tf.GradientTape() as tape:
            tape.watch(net.w)
            loss = tf.reduce_sum(net(tf.ones([2, 3])))
        g = tape.gradient(loss, net.w)
        """,
    ),
    case(
        "a variable assigned a product",
        Kind.ASSIGN,
        """
        a = tf.Variable(2.0)
        b = tf.Variable(0.0)
        with tf.GradientTape() as tape:
            b.assign(a * 3.0)  # <-
            loss = b * b
        g = tape.gradient(loss, a)
        asked = tape, loss, a
        """,
        """
        a = tf.Variable(2.0)
        b = tf.Variable(0.0)
        with tf.GradientTape() as tape:
            new_b = a * 3.0
            b.assign(new_b)
            loss = new_b * new_b
        g = tape.gradient(loss, a)
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
    case(
        "evaluate in the tape",
        Kind.PREDICT,
        """
        m = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(1)])
        m.compile(loss="mse")
        x = np.ones([2, 3], "float32"); y = np.ones([2, 1], "float32")
        with tf.GradientTape() as tape:
            loss = tf.constant(m.evaluate(x, y, verbose=0))  # <-
        s = m.trainable_variables[0]
        g = tape.gradient(loss, s)
        asked = tape, loss, s
        """,
        """
        m = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(1)])
        m.compile(loss="mse")
        x = np.ones([2, 3], "float32"); y = np.ones([2, 1], "float32")
        with tf.GradientTape() as tape:
            loss = m.compute_loss(x, y, m(x))
        s = m.trainable_variables[0]
        g = tape.gradient(loss, s)
        """,
    ),
    case(
        "argmax of Keras",
        Kind.DTYPE,
        """
        m = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(2)])
        with tf.GradientTape() as tape:
            out = m(tf.ones([2, 3]))
            c = keras.ops.argmax(out, axis=-1)  # <-
            loss = keras.ops.mean(keras.ops.cast(c, "float32"))
        s = m.trainable_variables[0]
        g = tape.gradient(loss, s)
        asked = tape, loss, s
        """,
        """
        m = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(2)])
        with tf.GradientTape() as tape:
            out = m(tf.ones([2, 3]))
            c = tf.reduce_sum(tf.nn.softmax(out) * tf.cast(tf.range(tf.shape(out)[-1]), tf.float32), -1)
            loss = keras.ops.mean(keras.ops.cast(c, "float32"))
        s = m.trainable_variables[0]
        g = tape.gradient(loss, s)
        """,
    ),
    case(
        "stop_gradient of Keras",
        Kind.STOP_GRADIENT,
        """
        q = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(2)])
        with tf.GradientTape() as tape:
            v = q(tf.ones([2, 3]))
            target = keras.ops.stop_gradient(keras.ops.max(v, axis=1))  # <-
            loss = keras.ops.mean(target ** 2)
        s = q.trainable_variables[0]
        g = tape.gradient(loss, s)
        asked = tape, loss, s
        """,
        """
        q = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(2)])
        with tf.GradientTape() as tape:
            v = q(tf.ones([2, 3]))
            target = keras.ops.max(v, axis=1)
            loss = keras.ops.mean(target ** 2)
        s = q.trainable_variables[0]
        g = tape.gradient(loss, s)
        """,
    ),
    case(
        "a layer that gives classes of numbers",
        Kind.DTYPE,
        """
        m = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(2)])
        d = keras.layers.Discretization(bin_boundaries=[0.0, 0.5])
        with tf.GradientTape() as tape:
            h = m(tf.ones([2, 3]))
            b = d(h)  # <-
            loss = tf.reduce_mean(tf.cast(b, tf.float32))
        s = m.trainable_variables[0]
        g = tape.gradient(loss, s)
        asked = tape, loss, s
        """,
        """
        m = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(2)])
        d = keras.layers.Discretization(bin_boundaries=[0.0, 0.5])
        with tf.GradientTape() as tape:
            h = m(tf.ones([2, 3]))
            b = d(h)
            loss = tf.reduce_mean(tf.cast(b, tf.float32))
        s = m.trainable_variables[0]
        g = \\
        tape.gradient(loss, s, unconnected_gradients="zero")
        """,
    ),
    case(
        "a generator that is called before the tape",
        Kind.OUTSIDE,
        """
        gen = keras.Sequential([keras.layers.Input((2,)), keras.layers.Dense(3)])
        dis = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(1)])
        z = tf.random.normal([4, 2])
        fake = gen(z, training=True)  # <-
        with tf.GradientTape() as gt:
            loss = -tf.reduce_mean(dis(fake))
        s = gen.trainable_variables[0]
        g = gt.gradient(loss, s)
        asked = gt, loss, s
        """,
        """
        gen = keras.Sequential([keras.layers.Input((2,)), keras.layers.Dense(3)])
        dis = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(1)])
        z = tf.random.normal([4, 2])
        with tf.GradientTape() as gt:
            fake = gen(z, training=True)
            loss = -tf.reduce_mean(dis(fake))
        s = gen.trainable_variables[0]
        g = gt.gradient(loss, s)
        """,
    ),
    case(
        "an embedding of integers",
        Kind.DTYPE,
        """
        m = keras.Sequential([keras.layers.Embedding(5, 2), keras.layers.Flatten(), keras.layers.Dense(1)])
        x = tf.constant([[1, 2, 3]])  # <-
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(m(x))
        g = tape.gradient(loss, x)
        asked = tape, loss, x
        """,
        """
        m = keras.Sequential([keras.layers.Embedding(5, 2), keras.layers.Flatten(), keras.layers.Dense(1)])
        x = tf.constant([[1, 2, 3]])
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(m(x))
        g = \\
        tape.gradient(loss, x, unconnected_gradients="zero")
        """,
    ),
    case(
        "a metric as the loss",
        Kind.ASSIGN,
        """
        m = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(1)])
        met = keras.metrics.MeanSquaredError()
        with tf.GradientTape() as tape:
            met.update_state(tf.ones([2, 1]), m(tf.ones([2, 3])))  # <-
            loss = met.result()
        s = m.trainable_variables[0]
        g = tape.gradient(loss, s)
        asked = tape, loss, s
        """,
        """
        m = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(1)])
        met = keras.metrics.MeanSquaredError()
        with tf.GradientTape() as tape:
            met.update_state(tf.ones([2, 1]), m(tf.ones([2, 3])))
            loss = met.result()
        s = m.trainable_variables[0]
        g = \\
        tape.gradient(loss, s, unconnected_gradients="zero")
        """,
    ),
    case(
        "a normalization of what the loss does not use",
        Kind.UNCONNECTED,
        """
        bn = keras.layers.BatchNormalization(); d = keras.layers.Dense(2); e = keras.layers.Dense(1)
        d.build((None, 3)); e.build((None, 2))
        x = tf.ones([4, 3])
        with tf.GradientTape() as tape:
            h = d(x)
            z = bn(h, training=True)
            loss = tf.reduce_mean(e(tf.ones([4, 2])))  # <-
        s = d.kernel
        g = tape.gradient(loss, s)
        asked = tape, loss, s
        """,
        """
        bn = keras.layers.BatchNormalization(); d = keras.layers.Dense(2); e = keras.layers.Dense(1)
        d.build((None, 3)); e.build((None, 2))
        x = tf.ones([4, 3])
        with tf.GradientTape() as tape:
            h = d(x)
            z = bn(h, training=True)
            loss = tf.reduce_mean(e(tf.ones([4, 2])))
        s = d.kernel
        g = \\
        tape.gradient(loss, s, unconnected_gradients="zero")
        """,
    ),
    case(
        "another model predicts",
        Kind.UNCONNECTED,
        """
        teacher = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(1)])
        student = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(1)])
        head = tf.Variable(1.0)
        x = tf.ones([2, 3])
        with tf.GradientTape() as tape:
            t = teacher.predict(x, verbose=0)
            loss = tf.reduce_mean(t * head)  # <-
        g = tape.gradient(loss, student.trainable_variables)[0]
        asked = tape, loss, student.trainable_variables[0]
        """,
        """
        teacher = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(1)])
        student = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(1)])
        head = tf.Variable(1.0)
        x = tf.ones([2, 3])
        with tf.GradientTape() as tape:
            t = teacher.predict(x, verbose=0)
            loss = tf.reduce_mean(t * head)
        g = \\
        tape.gradient(loss, student.trainable_variables, unconnected_gradients="zero")
        """,
    ),
    case(
        "a layer that stores and reads its state",
        Kind.ASSIGN,
        """
        class Layer(keras.layers.Layer):
            def build(self, shape):
                self.w = self.add_weight(shape=(2,), initializer="ones")
                self.state = self.add_weight(shape=(2,), initializer="zeros", trainable=False)
            def call(self, x):
                self.state.assign(self.w * 2.0)  # <-
                return x * self.state
        layer = Layer()
        x = tf.ones([1, 2])
        layer(x)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(layer(x))
        g = tape.gradient(loss, layer.w)
        asked = tape, loss, layer.w
        """,
        """
        class Layer(keras.layers.Layer):
            def build(self, shape):
                self.w = self.add_weight(shape=(2,), initializer="ones")
                self.state = self.add_weight(shape=(2,), initializer="zeros", trainable=False)
            def call(self, x):
                self.state.assign(self.w * 2.0)
                return x * self.state
        layer = Layer()
        x = tf.ones([1, 2])
        layer(x)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(layer(x))
        g = \\
        tape.gradient(loss, layer.w, unconnected_gradients="zero")
        """,
    ),
    case(
        "the other output of a model",
        Kind.UNCONNECTED,
        """
        inp = keras.Input((3,))
        head1 = keras.layers.Dense(1, name="h1"); head2 = keras.layers.Dense(1, name="h2")
        model = keras.Model(inp, [head1(inp), head2(inp)])
        with tf.GradientTape() as tape:
            o1, o2 = model(tf.ones([2, 3]))
            loss = tf.reduce_mean(o1 ** 2)  # <-
        g = tape.gradient(loss, head2.trainable_variables)
        asked = tape, loss, head2.trainable_variables
        """,
        """
        inp = keras.Input((3,))
        head1 = keras.layers.Dense(1, name="h1"); head2 = keras.layers.Dense(1, name="h2")
        model = keras.Model(inp, [head1(inp), head2(inp)])
        with tf.GradientTape() as tape:
            o1, o2 = model(tf.ones([2, 3]))
            loss = tf.reduce_mean(o1 ** 2)
        g = \\
        tape.gradient(loss, head2.trainable_variables, unconnected_gradients="zero")
        """,
    ),
    case(
        "a flag of a layer",
        Kind.BRANCH,
        """
        class Noisy(keras.layers.Layer):
            def build(self, shape):
                self.noise = self.add_weight(shape=(), initializer="ones")
                self.k = self.add_weight(shape=(), initializer="ones")
            def call(self, x, training=False):
                if training:  # <-
                    x = x + self.noise * tf.random.normal(tf.shape(x))
                return x * self.k
        layer = Noisy()
        layer(tf.ones([1, 2]))
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(layer(tf.ones([1, 2]), training=False))
        g = tape.gradient(loss, layer.noise)
        asked = tape, loss, layer.noise
        """,
        """
        class Noisy(keras.layers.Layer):
            def build(self, shape):
                self.noise = self.add_weight(shape=(), initializer="ones")
                self.k = self.add_weight(shape=(), initializer="ones")
            def call(self, x, training=False):
                if training:
                    x = x + self.noise * tf.random.normal(tf.shape(x))
                return x * self.k
        layer = Noisy()
        layer(tf.ones([1, 2]))
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(layer(tf.ones([1, 2]), training=False))
        g = \\
        tape.gradient(loss, layer.noise, unconnected_gradients="zero")
        """,
    ),
    case(
        "the loss of test_on_batch",
        Kind.PREDICT,
        """
        model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
        model.compile(loss="mse")
        with tf.GradientTape() as tape:
            loss = tf.convert_to_tensor(model.test_on_batch(np.ones((4, 2)), np.ones((4, 1))))  # <-
        g = tape.gradient(loss, model.trainable_variables)
        asked = tape, loss, model.trainable_variables
        """,
        """
        model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
        model.compile(loss="mse")
        with tf.GradientTape() as tape:
            loss = model.compute_loss(tf.ones((4, 2)), tf.ones((4, 1)), model(tf.ones((4, 2))))
        g = tape.gradient(loss, model.trainable_variables)
        """,
    ),
]
