"""Every NaN has an op, a line and a rewrite: the table of nan_cases.py, and the checks that stop at the first one."""

import ast
import re

import numpy as np
import pytest

import gradtape as tf

from .nan_cases import CASES
from .test_why_none import MARK, run

HERE = "  # here"


def repaired(case):
    """The program with what is to be written instead, and the line of it."""
    lines = case.program.splitlines()
    (place,) = [i for i, line in enumerate(lines) if HERE in line] or [
        i for i, line in enumerate(lines) if MARK in line
    ]
    text = lines[place]
    lines[place] = text[: len(text) - len(text.lstrip())] + case.instead
    return "\n".join(lines).replace(MARK, ""), place + 1


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_op_the_line_and_the_rewrite(case):
    (marked,) = [number for number, line in enumerate(case.program.splitlines(), 1) if MARK in line]
    names = run(case.program.replace(MARK, ""), f"program of {case.name}")
    found = names["tape"].explain_nonfinite(names["y"], names["x"])
    origin = found.first
    assert origin is not None, found
    assert (origin.op, origin.backward, origin.where.line) == (case.op, case.backward, marked), found
    assert ast.unparse(ast.parse(origin.repair)) == ast.unparse(ast.parse(case.instead)), found
    program, place = repaired(case)
    assert (origin.repair_where or origin.where).line == place
    names = run(program, f"repaired {case.name}")
    gradient = names["tape"].gradient(names["y"], names["x"])
    assert np.isfinite(names["y"].numpy()).all()
    assert np.isfinite(gradient.numpy()).all()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_rewrite_has_the_same_value_where_there_was_one(case):
    numbers = iter([0.7, 0.3, 0.6, 0.45, 0.2, 0.9] * 3)

    def finite(program):
        """The program with numbers in its variables and constants that give a finite value."""
        return re.sub(
            r"(?<== tf\.)((?:Variable|constant)\()([^a-z]*)",
            lambda given: given[1] + re.sub(r"-?\d+\.\d+", lambda _: str(next(numbers)), given[2]),
            program,
        )

    numbers = iter([0.7, 0.3, 0.6, 0.45, 0.2, 0.9] * 3)
    before = run(finite(case.program.replace(MARK, "")), f"finite {case.name}")["y"].numpy()
    numbers = iter([0.7, 0.3, 0.6, 0.45, 0.2, 0.9] * 3)
    after = run(finite(repaired(case)[0]), f"finite repaired {case.name}")["y"].numpy()
    assert np.isfinite(before.astype(np.float32)).all()
    np.testing.assert_allclose(after, before, rtol=2e-3 if before.dtype == np.float16 else 2e-6, atol=2e-6)


@pytest.fixture
def checks():
    tf.debugging.enable_check_numerics()
    yield
    tf.debugging.disable_check_numerics()


@pytest.mark.usefixtures("checks")
@pytest.mark.parametrize(
    "case", [c for c in CASES if "float16" not in c.name and "custom" not in c.name], ids=lambda case: case.name
)
def test_checks_stop_at_the_same_op(case):
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"of {case.op} at program of {case.name}"):
        names = run(case.program.replace(MARK, ""), f"program of {case.name}")
        names["tape"].gradient(names["y"], names["x"])


def test_finite_computations_are_said_to_be_so():
    x = tf.Variable([1.0])
    with tf.GradientTape() as tape:
        y = x * x
    found = tape.explain_nonfinite(y, x)
    assert not found
    assert str(found) == "All values and gradients are finite."
    assert tape.gradient(y, x).numpy() == [2.0]


def test_a_value_that_no_record_holds_leads_to_the_op_that_made_it(tmp_path):
    x = tf.Variable([2.0])
    with tf.GradientTape() as tape:
        below = tf.cast(tf.size(x), tf.float32) - 1.0
        spread = tf.reduce_sum((x - tf.reduce_mean(x, 0, keepdims=True)) ** 2, 0) / below
        y = spread * 1.0
    origin = tape.explain_nonfinite(y, x).first
    assert (origin.op, origin.where.text.split(" = ")[0]) == ("divide", "spread")


def test_a_value_that_has_grown_too_large_is_said_to_have():
    x = tf.Variable(1e30)
    with tf.GradientTape() as tape:
        y = x * x
    assert "float32 ends at 3.4e+38" in tape.explain_nonfinite(y, x).first.reason


def test_a_power_that_has_grown_too_large_is_not_kept_above_0():
    x = tf.Variable([-1e30, 2.0])
    with tf.GradientTape() as tape:
        y = x**2
    origin = tape.explain_nonfinite(y, x).first
    assert (origin.op, origin.repair) == ("pow", "")
    assert "grown beyond" in origin.reason


def test_an_op_of_keras_leads_to_the_line_that_called_it():
    keras = pytest.importorskip("keras")
    x = tf.Variable([0.0, 1.0])
    with tf.GradientTape() as tape:
        y = keras.ops.sum(keras.ops.log(x))
    origin = tape.explain_nonfinite(y, x).first
    assert origin.where.text == "y = keras.ops.sum(keras.ops.log(x))"
    assert origin.repair == "y = keras.ops.sum(keras.ops.log(tf.maximum(x, 1e-12)))"


def test_float16_in_a_layer_names_the_layer():
    keras = pytest.importorskip("keras")
    layer = keras.layers.Dense(2, dtype="mixed_float16", kernel_initializer=keras.initializers.Constant(1000.0))
    x = tf.Variable([[100.0, 100.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(layer(x))
    origin = tape.explain_nonfinite(y, x).first
    assert "`layer` with dtype='float32'" in origin.reason
    assert origin.repair == ""


def test_a_spent_tape_is_refused_with_the_repair():
    x = tf.Variable([0.0])
    with tf.GradientTape() as tape:
        y = tf.sqrt(x)
    tape.gradient(y, x)
    with pytest.raises(RuntimeError, match=r"write\n  with tf.GradientTape\(persistent=True\) as tape:\nor ask above"):
        tape.explain_nonfinite(y, x)
    with pytest.raises(RuntimeError, match="not entered yet"):
        tf.GradientTape().explain_nonfinite(y, x)


def test_the_line_inside_a_compiled_function_is_found_forward():
    @tf.function
    def f(x):
        h = x - 1.0
        logs = tf.math.log(h)
        return tf.reduce_sum(logs * 2.0)

    x = tf.Variable([0.5, 2.0])
    with tf.GradientTape() as tape:
        y = f(x)
    found = tape.explain_nonfinite(y, x)
    assert found.forward.op == "log"
    assert found.forward.where.text == "logs = tf.math.log(h)"
    assert found.forward.repair == "logs = tf.math.log(tf.maximum(h, 1e-12))"


def test_the_line_inside_a_compiled_function_is_found_backward():
    w = tf.Variable([0.0, 4.0])

    @tf.function
    def f(x):
        roots = tf.sqrt(w * x)
        return tf.reduce_sum(roots)

    with tf.GradientTape() as tape:
        y = f(tf.constant([1.0, 1.0]))
    found = tape.explain_nonfinite(y, w)
    assert found.forward is None
    assert found.backward.op == "sqrt"
    assert found.backward.where.text == "roots = tf.sqrt(w * x)"
    assert not np.isfinite(tape.gradient(y, w).numpy()).all()


def test_the_round_of_a_loop_that_overflows_is_found():
    @tf.function
    def diverges(t):
        for _ in tf.range(8):
            t = t * t
        return t

    x = tf.Variable(10.0)
    with tf.GradientTape() as tape:
        y = diverges(x)
    found = tape.explain_nonfinite(y, x).forward
    assert (found.op, found.where.text, found.repair) == ("multiply", "t = t * t", "")
    assert "grown beyond" in found.reason
    assert {known.high for _, known in found.operands} == {np.float32(1e32)}


@pytest.mark.usefixtures("checks")
def test_checks_see_into_functions_and_name_the_line():
    @tf.function
    def f(x):
        h = x - 1.0
        return tf.math.log(h)

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"log(.|\n)*in the function, at .*test_nonfinite\.py"):
        f(tf.constant(0.5))


@pytest.mark.usefixtures("checks")
def test_checks_see_into_branches_and_loops_of_functions():
    @tf.function
    def f(x):
        if x > 0.0:
            y = tf.math.log(x - 10.0)
        else:
            y = x
        return y

    @tf.function
    def g(x):
        for _ in tf.range(3):
            x = tf.sqrt(x - 1.0)
        return x

    with pytest.raises(tf.errors.InvalidArgumentError, match="log"):
        f(tf.constant(0.5))
    with pytest.raises(tf.errors.InvalidArgumentError, match="sqrt"):
        g(tf.constant(0.5))


@pytest.mark.usefixtures("checks")
def test_checks_see_the_backward_pass_of_a_function():
    @tf.function
    def f(x):
        return tf.norm(x)

    x = tf.Variable([0.0, 0.0])
    with tf.GradientTape() as tape:
        y = f(x)
    with pytest.raises(tf.errors.InvalidArgumentError, match="gradient of sqrt"):
        tape.gradient(y, x)


def test_functions_are_compiled_again_when_checks_are_off():
    @tf.function
    def f(x):
        return tf.math.log(x)

    tf.debugging.enable_check_numerics()
    tf.debugging.disable_check_numerics()
    assert np.isnan(f(tf.constant(-1.0)).numpy())


keras = pytest.importorskip("keras")


class Log(keras.layers.Layer):
    def call(self, x):
        return tf.math.log(x - 1.0)


@pytest.mark.usefixtures("checks")
def test_there_is_no_false_alarm_while_keras_builds_a_layer():
    inputs = keras.Input((3,))
    model = keras.Model(inputs, Log()(inputs))
    assert np.isfinite(model(tf.fill([1, 3], 2.0)).numpy()).all()


@pytest.mark.parametrize("eagerly", [True, False])
def test_a_callback_stops_fit_and_explains(eagerly, capsys):
    model = keras.Sequential([keras.layers.Dense(2), Log(), keras.layers.Dense(1)])
    model.compile("sgd", "mse", run_eagerly=eagerly)
    callback = tf.diagnostics.StopAtNonFinite()
    before = model.fit(tf.zeros((8, 2)), tf.ones((8, 1)), batch_size=4, epochs=5, verbose=0, callbacks=[callback])
    assert len(before.history["loss"]) == 1
    assert "log" in callback.explanation
    assert "return tf.math.log(x - 1.0)" in callback.explanation
    assert callback.explanation in capsys.readouterr().err


def test_the_callback_leaves_a_finite_fit_alone():
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    callback = tf.diagnostics.StopAtNonFinite()
    history = model.fit(tf.zeros((8, 2)), tf.ones((8, 1)), epochs=2, verbose=0, callbacks=[callback])
    assert len(history.history["loss"]) == 2
    assert callback.explanation is None


FORUM = {
    "softplus by hand": (
        "x = tf.Variable([100.0])\nwith tf.GradientTape() as tape:\n    y = tf.reduce_sum(tf.math.log(1.0 + tf.exp(x)))\n",
        ("exp", "softplus", "y = tf.reduce_sum(tf.nn.softplus(x))"),
    ),
    "the probability of one class": (
        "x = tf.Variable([[1000.0, 0.0]])\nwith tf.GradientTape() as tape:\n"
        "    y = -tf.math.log(tf.nn.softmax(x)[0, 1])\n",
        ("log", "probability has become 0", "y = -tf.nn.log_softmax(x)[0, 1]"),
    ),
    "a mean of nothing": (
        "x = tf.Variable([1.0])\nwith tf.GradientTape() as tape:\n    y = tf.reduce_mean(tf.boolean_mask(x, x > 5.0))\n",
        (
            "reduce_mean",
            "mean of no elements",
            "y = tf.math.divide_no_nan(tf.reduce_sum(tf.boolean_mask(x, x > 5.0)), "
            "tf.cast(tf.size(tf.boolean_mask(x, x > 5.0)), tf.float32))",
        ),
    ),
    "a row that is masked as a whole": (
        "x = tf.Variable([[1.0, 2.0]])\nwith tf.GradientTape() as tape:\n"
        "    y = tf.reduce_sum(tf.nn.softmax(x - np.inf))\n",
        ("softmax", "-1e9", ""),
    ),
    "data with a nan": (
        "x = tf.Variable([1.0])\ndata = tf.constant([1.0, np.nan])\nwith tf.GradientTape() as tape:\n"
        "    y = tf.reduce_mean((data - x) ** 2)\n",
        ("subtract", "`data` is not finite already", ""),
    ),
    "a factor with a nan": (
        "x = tf.Variable([1.0, 1.0])\ndata = tf.constant([1.0, np.nan])\nwith tf.GradientTape() as tape:\n"
        "    y = tf.reduce_sum(x * data)\n",
        ("multiply", "`data` is not finite already", ""),
    ),
    "a variable that was nan before": (
        "x = tf.Variable([np.float32('nan')])\nwith tf.GradientTape() as tape:\n    y = tf.reduce_sum(x**4)\n",
        ("pow", "learning rate", ""),
    ),
    "the angle of nothing": (
        "x = tf.Variable([0.0])\nwith tf.GradientTape() as tape:\n    y = tf.reduce_sum(tf.atan2(x, x))\n",
        ("atan2", "(0, 0)", "y = tf.reduce_sum(tf.atan2(x, x + 1e-12))"),
    ),
}


@pytest.mark.parametrize("name", FORUM)
def test_programs_of_forums(name):
    program, (op, words, repair) = FORUM[name]
    names = run(f"import numpy as np\n{program}", f"program of {name}")
    found = names["tape"].explain_nonfinite(names["y"], names["x"]).first
    assert found.op == op
    assert words in found.reason
    assert found.repair == repair
    assert "nan to nan" not in str(found)
