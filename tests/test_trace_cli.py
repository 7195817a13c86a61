"""`gradtape trace FILE.py:NAME`: graphs and programs as text, and clear errors."""

from __future__ import annotations

import pytest

from gradtape import TensorSpec, float32, int32
from gradtape.cli import command as cli
from gradtape.cli.show_trace import Settings, argument, shown
from gradtape.native import engine

PROGRAM = """
import tensorflow as tf

w = tf.Variable(tf.ones([3, 2]), name="w")

@tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
def layer(x):
    return tf.tanh(x @ w) * 1.0 + tf.tanh(x @ w)

@tf.function
def power(x, n):
    return x**n

power(tf.constant(2.0), 3)
power(tf.constant(2.0), 2)

@tf.function
def never(x, y):
    return x

def slope(a, b):
    with tf.GradientTape() as tape:
        tape.watch(a)
        y = tf.reduce_sum(a * a * b)
    return tape.gradient(y, a)

def branch(x):
    return tf.cond(x > 0, lambda: x, lambda: -x)

def called(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.py_function(lambda v: v * 2.0, [x], tf.float32)
    return tape.gradient(y, x)

def nothing():
    return tf.constant(1.0)

class Model(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def step(self, x):
        return x + 1.0

model = Model()
concrete = power.get_concrete_function(tf.TensorSpec([2]), 4)

if __name__ == "__main__":
    raise SystemExit("not when it is traced")
"""


@pytest.fixture
def traced(tmp_path, capsys, monkeypatch):
    """Run the command on a function of the program; exit code, output, errors."""
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    monkeypatch.setattr("sys.path", list(__import__("sys").path))

    def run(name, *options):
        code = cli.main(["trace", f"{path}:{name}" if name else str(path), *options])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


def floats(sizes):
    """How signatures name a float32 tensor."""
    return f"TensorSpec(shape=({sizes}), dtype=tf.float32, name=None)"


def test_a_function_with_a_signature(traced):
    code, out, _ = traced("layer")
    assert code == 0
    assert out.startswith(f"signature: layer(x: {floats('None, 3')}) -> {floats('None, 2')}\n")
    graph, before, after = out.split("\n\n")[1:]
    assert "%2: float32[None, 2] = matmul(%0, %1)" in graph
    assert before.startswith(
        "program before optimisation, 7 instructions, with 4 for sizes that are not known (--size):"
    )
    assert after.startswith("program after optimisation, 4 instructions:")
    assert before.count("tanh(") == 2
    assert after.count("tanh(") == 1
    assert "float32[9, 3]" in traced("layer", "--size", "9")[1]


def test_traces_that_the_file_has_made(traced):
    _, out, _ = traced("power")
    assert f"power(x: {floats('')}, n: Literal[3])" in out
    assert f"power(x: {floats('')}, n: Literal[2])" in out
    assert f"power(x: {floats('5,')}, n: Literal[7])" in traced("power", "--arg", "float32[5]", "--arg", "7")[1]


def test_plain_functions_with_arguments(traced):
    _, out, _ = traced("slope", "--arg", "float32[None, 3]", "--arg=2.0")
    assert f"slope(a: {floats('None, 3')}, b: Literal[2.0])" in out
    assert ".gradient(%1, %4, %0)" in out
    assert "GradientTape" not in out.partition("program before")[2]
    assert traced("nothing")[0] == 0


def test_methods_and_concrete_functions(traced):
    assert f"signature: step(x: {floats('')})" in traced("model.step")[1]
    assert f"power(x: {floats('2,')}, n: Literal[4])" in traced("concrete")[1]


def test_a_branch_shows_the_programs_inside(traced):
    code, out, _ = traced("branch", "--arg", "float32[]")
    assert code == 0
    assert "cond_1():" in out
    assert "= branch(" in out
    assert out.count("program(") > 3


def test_what_is_not_compiled_says_why(traced):
    code, out, _ = traced("called", "--arg", "float32[3]")
    assert code == 0
    assert "not compiled, run step by step: What tapes see of Python code is known only when it runs." in out


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("never", "its arguments (x, y) are not known. Say what they are, once for each: --arg 'float32[None,3]'"),
        ("nope", "has no 'nope'. Its functions: layer, power, never, slope, branch, called, nothing, concrete."),
        ("model.nope", "a Model has no attribute 'nope'"),
        ("w", "is no function, but a ResourceVariable"),
        ("Model", "is no function, but a type"),
        ("", "expected FILE.py:NAME"),
    ],
)
def test_errors(traced, name, message):
    code, out, errors = traced(name)
    assert code == 1
    assert out == ""
    assert message in errors
    assert errors.startswith("gradtape trace: error: ")


def test_a_function_that_cannot_be_traced(traced):
    code, _, errors = traced("slope", "--arg", "float32[2]", "--arg", "int32[]")
    assert code == 1
    assert "slope cannot be traced: TensorTypeError" in errors


def test_files_that_are_not_there_or_fail(tmp_path, capsys):
    assert cli.main(["trace", f"{tmp_path}/none.py:f"]) == 1
    assert "there is no file" in capsys.readouterr().err
    path = tmp_path / "bad.py"
    path.write_text("x = 1\nx / 0\n")
    assert cli.main(["trace", f"{path}:f"]) == 1
    assert "bad.py, line 2: ZeroDivisionError: division by zero" in capsys.readouterr().err
    path.write_text("x = 1\nx = = 2\n")
    assert cli.main(["trace", f"{path}:f"]) == 1
    assert "bad.py, line 2: SyntaxError" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("float32[None,3]", TensorSpec([None, 3], float32)),
        ("float32[?, 3]", TensorSpec([None, 3], float32)),
        ("int32[]", TensorSpec([], int32)),
        ("int32", TensorSpec([], int32)),
        ("float32[...]", TensorSpec(None, float32)),
        ("3", 3),
        ("'text'", "text"),
        ("(1, 2.5)", (1, 2.5)),
        ("None", None),
    ],
)
def test_arguments(text, value):
    assert argument(text) == value


@pytest.mark.parametrize("text", ["float32[a]", "float32[-1]", "float33[2]", "x", "", "__import__('os')"])
def test_wrong_arguments(text, capsys):
    with pytest.raises(SystemExit) as stopped:
        cli.main(["trace", "file.py:f", f"--arg={text}"])
    assert stopped.value.code == 2
    assert "argument --arg: expected a" in capsys.readouterr().err


# --- stages ------------------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not engine.available(), reason="there is no machine code")
@pytest.mark.parametrize(
    ("stage", "expected"),
    [
        ("graph", "graph, "),
        ("program", "program after optimisation"),
        ("groups", "one pass over (3,): multiply, add"),
        ("llvm", 'define ptr @"entry"'),
        ("asm", "entry:"),
    ],
)
def test_one_stage_is_printed_alone(tmp_path, stage, expected):
    file = tmp_path / "small.py"
    file.write_text("import gradtape as tf\n\n\ndef small(x):\n    return x * 2.0 + x\n")
    text = "\n".join(shown(Settings(f"{file}:small", (TensorSpec([3]),), stage=stage)))
    assert expected in text
    assert ("graph, " in text) == (stage == "graph")


@pytest.mark.skipif(not engine.available(), reason="there is no machine code")
def test_the_form_that_runs_is_shown_with_its_variables(tmp_path):
    file = tmp_path / "step.py"
    file.write_text(
        "import gradtape as tf\n\nw = tf.Variable([1.0, 2.0], name='w')\n\n\n"
        "def step(x):\n    w.assign_sub(0.1 * x)\n    return tf.reduce_sum(w)\n"
    )
    text = "\n".join(shown(Settings(f"{file}:step", (TensorSpec([2]),), stage="groups")))
    for line in ("which is the whole program:", "the value of 'w:0' is taken", "'w:0' gets its new value"):
        assert line in text
    assert "a Python line" not in text
