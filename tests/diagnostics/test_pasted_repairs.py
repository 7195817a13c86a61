"""Programs as they are asked about in forums: what `tape.explain` says is pasted into them, and then there is a gradient."""

import ast
import linecache
from textwrap import dedent, indent

import numpy as np
import pytest

import gradtape as tf
from gradtape.diagnostics.explanation import Kind


def ran(tmp_path, program, name="program"):
    """The names of the program after it has run, from a file, so that its lines can be read."""
    path = tmp_path / f"{name}.py"
    path.write_text(program)
    linecache.checkcache()
    names = {"tf": tf, "np": np}
    exec(compile(program, str(path), "exec"), names)
    return names


def pasted(program, answers):
    """The program with each repair in place of the statement that it is for."""
    lines = program.splitlines()
    for where, repair in sorted(((a.where.line, a.repair) for a in answers), reverse=True):
        inner = [n for n in ast.walk(ast.parse(program)) if isinstance(n, ast.stmt) and not hasattr(n, "body")]
        (statement,) = [n for n in inner if n.lineno <= where <= n.end_lineno][-1:]
        margin = " " * statement.col_offset
        lines[statement.lineno - 1 : statement.end_lineno] = indent(repair, margin).splitlines()
    return "\n".join(lines) + "\n"


REPAIRED = {
    "rounded, then an integer": """
        x = tf.Variable([1.2, 2.7])
        with tf.GradientTape() as tape:
            r = tf.round(x)
            i = tf.cast(r, tf.int32)
            f = tf.cast(i, tf.float32)
            y = tf.reduce_sum(f * f)
        """,
    "the same on one line": """
        x = tf.Variable([1.2, 2.7])
        with tf.GradientTape() as tape:
            i = tf.cast(tf.round(x * 3.0), tf.int32)
            y = tf.reduce_sum(tf.cast(i, tf.float32) ** 2)
        """,
    "three cuts": """
        x = tf.Variable([1.2, 2.7])
        with tf.GradientTape() as tape:
            a = tf.stop_gradient(x) * 2.0
            b = tf.floor(a)
            c = tf.cast(b, tf.int64)
            y = tf.reduce_sum(tf.cast(c, tf.float32))
        """,
    "stopped, then the largest": """
        x = tf.Variable([[1.2, 2.7]])
        with tf.GradientTape() as tape:
            h = tf.stop_gradient(x)
            k = tf.argmax(h, axis=-1)
            y = tf.reduce_sum(tf.cast(k, tf.float32))
        """,
    "one hot of the largest": """
        x = tf.Variable(tf.random.normal([2, 3]))
        with tf.GradientTape() as tape:
            pred = tf.one_hot(tf.argmax(x, 1), 3)
            y = tf.reduce_mean((pred - tf.constant([1.0, 0.0, 0.0])) ** 2)
        """,
    "one hot of the largest, on two lines": """
        x = tf.Variable(tf.random.normal([2, 3]))
        with tf.GradientTape() as tape:
            k = tf.argmax(x, axis=1)
            p = tf.one_hot(k, 3)
            y = tf.reduce_mean((p - tf.constant([1.0, 0.0, 0.0])) ** 2)
        """,
    "accuracy as a loss": """
        x = tf.Variable([0.2, -0.4])
        t = tf.constant([1.0, 0.0])
        with tf.GradientTape() as tape:
            p = tf.sigmoid(x)
            y = tf.reduce_mean(tf.cast(tf.equal(tf.cast(p > 0.5, tf.float32), t), tf.float32))
        """,
    "accuracy of classes as a loss": """
        x = tf.Variable([[0.2, -0.4, 1.0]])
        labels = tf.constant([2], tf.int64)
        with tf.GradientTape() as tape:
            correct = tf.argmax(x, axis=1) == labels
            y = tf.reduce_mean(tf.cast(correct, tf.float32))
        """,
    "a NumPy function": """
        x = tf.Variable([1.0, 4.0])
        with tf.GradientTape() as tape:
            z = tf.numpy_function(lambda a: np.sqrt(a), [x], tf.float32)
            y = tf.reduce_sum(z)
        """,
    "inside a function that calls Python": """
        x = tf.Variable([1.0, 4.0])

        @tf.function
        def f(x):
            h = tf.numpy_function(lambda a: a, [tf.constant(1.0)], tf.float32) * x
            k = tf.floor(h)
            return tf.reduce_sum(k)

        with tf.GradientTape() as tape:
            y = f(x)
        """,
    "a count of what is positive": """
        x = tf.Variable([-1.0, 2.0, 3.0])
        with tf.GradientTape() as tape:
            positive = tf.reduce_sum(tf.cast(x > 0, tf.int32))
            y = tf.cast(positive, tf.float32)
        """,
    "a cast between integers after one to integers": """
        x = tf.Variable([1.7, 2.2])
        with tf.GradientTape() as tape:
            b = tf.cast(x * 10.0, tf.uint8)
            c = tf.cast(b, tf.int32) + 1
            y = tf.reduce_sum(tf.cast(c, tf.float64) / 255.0)
        """,
    "a choice between numbers": """
        x = tf.Variable([0.1, 0.5])
        with tf.GradientTape() as tape:
            y = tf.reduce_mean(tf.where(x > 0.3, 1.0, 0.0))
        """,
    "a gate on another line": """
        x = tf.Variable(0.3)
        a = tf.constant([1.0, 2.0])
        with tf.GradientTape() as tape:
            gate = tf.sigmoid(x) > 0.5
            out = tf.where(gate, a, tf.zeros_like(a))
            y = tf.reduce_sum(out)
        """,
    "a quotient that is rounded": """
        x = tf.Variable([7.5, 2.0])
        with tf.GradientTape() as tape:
            h = x // 2.0
            y = tf.reduce_sum(h * h)
        """,
    "rows of an array": """
        x = tf.Variable(tf.ones([4, 2]))
        with tf.GradientTape() as tape:
            rows = np.array(x)[[0, 2]]
            y = tf.reduce_sum(tf.convert_to_tensor(rows))
        """,
    "a loop over numbers": """
        x = tf.Variable([1.0, 4.0])
        with tf.GradientTape() as tape:
            total = 0.0
            for v in x:
                total += float(v) ** 2
            y = tf.convert_to_tensor(total)
        """,
}


@pytest.mark.parametrize("name", REPAIRED)
@pytest.mark.parametrize("persistent", [False, True])
def test_the_repairs_of_all_cuts_give_a_gradient(tmp_path, name, persistent):
    program = dedent(REPAIRED[name]).lstrip() + "g = tape.gradient(y, x)\n"
    if persistent:
        program = program.replace("GradientTape()", "GradientTape(persistent=True)")
    names = ran(tmp_path, program)
    assert names["g"] is None
    answer = names["tape"].explain(names["y"], names["x"])
    repaired = pasted(program, [answer, *answer.further])
    assert ran(tmp_path, repaired, "repaired")["g"] is not None, repaired


def test_further_cuts_are_in_the_text_and_the_page(tmp_path):
    names = ran(tmp_path, dedent(REPAIRED["three cuts"]) + "g = tape.gradient(y, x)\n")
    answer = names["tape"].explain(names["y"], names["x"])
    assert [each.kind for each in (answer, *answer.further)] == [Kind.STOP_GRADIENT, Kind.NO_DERIVATIVE, Kind.DTYPE]
    assert answer.text().count("is cut again") == 2
    assert answer._repr_html_().count("is cut again") == 2
    assert "a = x * 2.0" in str(answer)
    assert "c = b" in str(answer)


def test_a_function_that_is_interpreted_shows_the_line_inside(tmp_path):
    program = dedent(REPAIRED["inside a function that calls Python"]).lstrip()
    program = program.replace("GradientTape()", "GradientTape(nan_safe=True)")  # such a tape needs each op
    names = ran(tmp_path, program + "g = tape.gradient(y, x)\n")
    answer = names["tape"].explain(names["y"], names["x"])
    assert answer.where.text == "k = tf.floor(h)"
    assert [step.name for step in answer.path] == ["multiply", "floor"]


ELSEWHERE = [
    (
        "a derivative taken before the outer tape",
        """
        x = tf.Variable(3.0)
        with tf.GradientTape() as t1:
            y = x**3
        first = t1.gradient(y, x)
        with tf.GradientTape() as tape:
            z = first * 1.0
        g = tape.gradient(z, x)
        asked = z, x
        """,
        Kind.OUTSIDE,
        "with tf.GradientTape() as t1:\n    y = x ** 3\nfirst = t1.gradient(y, x)",
    ),
    (
        "a model called above the block",
        """
        w = tf.Variable([[1.0], [2.0]])
        x = tf.constant([[1.0, 1.0]])
        pred = x @ w
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(pred - 1.0))
        g = tape.gradient(loss, w)
        asked = loss, w
        """,
        Kind.OUTSIDE,
        "pred = x @ w",
    ),
    (
        "a new tensor in place of the watched one",
        """
        x = np.array([1.0, 2.0], dtype=np.float32)
        with tf.GradientTape() as tape:
            t = tf.convert_to_tensor(x)
            tape.watch(t)
            y = tf.reduce_sum(t * t)
        g = tape.gradient(y, tf.convert_to_tensor(x))
        asked = y, tf.convert_to_tensor(x)
        """,
        Kind.UNCONNECTED,
        "tape.gradient(y, t)",
    ),
    (
        "a source made after the block",
        """
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x * x)
        row = tf.reshape(x, [2, 1])
        g = tape.gradient(y, row)
        asked = y, row
        """,
        Kind.UNCONNECTED,
        "tape.gradient(y, x)",
    ),
    (
        "an attribute that the loss does not use",
        """
        class Net(tf.Module):
            pass
        net = Net()
        net.a, net.b = tf.Variable(1.0), tf.Variable(2.0)
        with tf.GradientTape() as tape:
            loss = net.a * 3.0
        g = tape.gradient(loss, net.b)
        asked = loss, net.b
        """,
        Kind.UNCONNECTED,
        'tape.gradient(loss, net.b, unconnected_gradients="zero")',
    ),
    (
        "a number that went through text",
        """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = tf.constant(float(f"{x.numpy():.1f}")) * 2.0
        g = tape.gradient(y, x)
        asked = y, x
        """,
        Kind.NUMBER,
        'tape.gradient(y, x, unconnected_gradients="zero")',
    ),
    (
        "a value that was read from the variable",
        """
        v = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = v * v
        g = tape.gradient(y, v.read_value())
        asked = y, v.read_value()
        """,
        Kind.UNCONNECTED,
        "tape.gradient(y, v)",
    ),
    (
        "a tensor made of the variable, which the target does not use",
        """
        v = tf.Variable(3.0)
        t = tf.convert_to_tensor(v)
        with tf.GradientTape() as tape:
            y = v * v
        g = tape.gradient(y, t)
        asked = y, t
        """,
        Kind.UNCONNECTED,
        "tape.gradient(y, v)",
    ),
    (
        "a custom gradient that gives None",
        """
        x = tf.Variable(2.0)
        @tf.custom_gradient
        def f(t):
            return t * 2.0, lambda upstream: None
        with tf.GradientTape() as tape:
            y = f(tf.sin(x)) * 2.0
        g = tape.gradient(y, x)
        asked = y, x
        """,
        Kind.NO_DERIVATIVE,
        'tape.gradient(y, x, unconnected_gradients="zero")',
    ),
    (
        "a mask of constants",
        """
        x, a = tf.Variable([-1.0, 2.0]), tf.constant([3.0, 4.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.boolean_mask(a, x > 0))
        g = tape.gradient(y, x)
        asked = y, x
        """,
        Kind.DTYPE,
        'tape.gradient(y, x, unconnected_gradients="zero")',
    ),
    (
        "an operator with a mask",
        """
        x, a = tf.Variable([-1.0, 2.0]), tf.constant([3.0, 4.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(a[x > 0])
        g = tape.gradient(y, x)
        asked = y, x
        """,
        Kind.DTYPE,
        'tape.gradient(y, x, unconnected_gradients="zero")',
    ),
    (
        "a place in a table, from the largest",
        """
        x, table = tf.Variable([[0.1, 0.9]]), tf.constant([10.0, 20.0])
        with tf.GradientTape() as tape:
            best = tf.argmax(x, axis=1)
            y = tf.reduce_sum(tf.gather(table, best))
        g = tape.gradient(y, x)
        asked = y, x
        """,
        Kind.DTYPE,
        'tape.gradient(y, x, unconnected_gradients="zero")',
    ),
    (
        "an element of a table at the largest",
        """
        x, table = tf.Variable([0.1, 0.9]), tf.constant([10.0, 20.0])
        with tf.GradientTape() as tape:
            k = tf.argmax(x)
            y = table[k] * 2.0
        g = tape.gradient(y, x)
        asked = y, x
        """,
        Kind.DTYPE,
        'tape.gradient(y, x, unconnected_gradients="zero")',
    ),
    (
        "a map that gives integers",
        """
        x = tf.Variable([1.2, 2.7])
        with tf.GradientTape() as tape:
            n = tf.map_fn(lambda t: tf.cast(t, tf.int32), x, fn_output_signature=tf.int32)
            y = tf.reduce_sum(tf.cast(n, tf.float32))
        g = tape.gradient(y, x)
        asked = y, x
        """,
        Kind.DTYPE,
        'tape.gradient(y, x, unconnected_gradients="zero")',
    ),
    (
        "a number of rounds inside a function",
        """
        x = tf.Variable(2.5)
        @tf.function
        def rounds(x):
            total = 0
            for i in tf.range(tf.cast(x, tf.int32)):
                total += i
            return tf.cast(total, tf.float32)
        with tf.GradientTape() as tape:
            y = rounds(x)
        g = tape.gradient(y, x)
        asked = y, x
        """,
        Kind.DTYPE,
        'tape.gradient(y, x, unconnected_gradients="zero")',
    ),
    (
        "a derivative of a linear function",
        """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            with tf.GradientTape() as inner:
                z = 3.0 * x
            y = inner.gradient(z, x)
        g = tape.gradient(y, x)
        asked = y, x
        """,
        Kind.UNCONNECTED,
        'tape.gradient(y, x, unconnected_gradients="zero")',
    ),
    (
        "what another tape has noted",
        """
        x, w = tf.Variable([1.0, 2.0]), tf.Variable(3.0)
        with tf.GradientTape() as earlier:
            z = tf.reduce_sum(tf.round(x)) + w
        earlier.gradient(z, x)
        with tf.GradientTape() as tape:
            h = x * 2.0
            y = w * w
        g = tape.gradient(y, x)
        asked = y, x
        """,
        Kind.UNCONNECTED,
        'tape.gradient(y, x, unconnected_gradients="zero")',
    ),
    (
        "one of two sources of a Jacobian",
        """
        w, b = tf.Variable([1.0, 2.0]), tf.Variable([0.0])
        with tf.GradientTape() as tape:
            y = w * w
        g = tape.jacobian(y, [w, b])[1]
        asked = y, b
        """,
        Kind.UNCONNECTED,
        'tape.jacobian(y, [w, b], unconnected_gradients="zero")',
    ),
    (
        "a draw",
        """
        x = tf.Variable([[1.0, 2.0]])
        with tf.GradientTape() as tape:
            a = tf.random.categorical(x, 1)
            y = tf.reduce_mean(tf.cast(a, tf.float32))
        g = tape.gradient(y, x)
        asked = y, x
        """,
        Kind.NO_DERIVATIVE,
        'tape.gradient(y, x, unconnected_gradients="zero")',
    ),
]


@pytest.mark.parametrize(("program", "kind", "repair"), [case[1:] for case in ELSEWHERE], ids=[c[0] for c in ELSEWHERE])
def test_what_to_change_elsewhere(tmp_path, program, kind, repair):
    names = ran(tmp_path, dedent(program).lstrip())
    assert names["g"] is None
    answer = names["tape"].explain(*names["asked"])
    assert (answer.kind, answer.repair) == (kind, repair)


@pytest.mark.parametrize("persistent", [False, True])
def test_a_gradient_that_raised_is_no_spent_tape(persistent):
    x = tf.Variable([1.0, 2.0, 2.0])
    with tf.GradientTape(persistent=persistent) as tape:
        values, _ = tf.unique(x)
        y = tf.reduce_sum(values)
    with pytest.raises(LookupError):
        tape.gradient(y, x)
    answer = tape.explain(y, x)
    assert answer.kind is Kind.NO_DERIVATIVE
    assert answer.where.text == "values, _ = tf.unique(x)"
    assert answer.repair == "values, _ = tf.unique(tf.stop_gradient(x))"


def test_lines_of_libraries_are_not_shown_as_the_users(tmp_path):
    pytest.importorskip("keras", reason="a metric of Keras")
    names = ran(
        tmp_path,
        dedent("""
        import keras
        x = tf.Variable([[1.0]])
        metric = keras.metrics.MeanSquaredError()
        with tf.GradientTape() as tape:
            metric.update_state([[2.0]], x * 1.0)
            y = metric.result()
        g = tape.gradient(y, x)
        """).lstrip(),
    )
    answer = names["tape"].explain(names["y"], names["x"])
    assert answer.kind is Kind.ASSIGN
    assert {step.where.file for step in answer.path if step.where is not None} == {str(tmp_path / "program.py")}
