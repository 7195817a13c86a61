"""`gradtape explain` and `gradtape doctor`."""

import subprocess
import sys
from textwrap import dedent

import pytest

from gradtape.cli import doctor
from gradtape.cli.command import main


def gradtape(*arguments, **settings):
    return subprocess.run(
        [sys.executable, "-m", "gradtape", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        **settings,
    )


def test_explain_runs_a_script_and_explains_what_it_met(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(
        dedent("""
        import tensorflow as tf

        x = tf.constant(3.0)
        for _ in range(2):
            with tf.GradientTape() as tape:
                y = x * x
            print(tape.gradient(y, x))
        v = tf.Variable([0.0])

        @tf.function
        def root(v):
            return tf.sqrt(v)

        with tf.GradientTape() as tape:
            z = root(v)
        print(tape.gradient(z, v).numpy())
        """)
    )
    ran = gradtape("explain", script)
    assert ran.returncode == 0, ran.stderr
    shown, _, found = ran.stdout.partition("--- gradtape explain ---")
    assert shown.split() == ["None", "None", "[inf]"]
    assert "gradients that were None: 1" in found
    assert "never watched" in found
    assert "(2 times)" in found
    assert "tape.watch(x)" in found
    assert "Detected Inf in the gradient of sqrt" in found


def test_explain_reports_before_an_error_of_the_script_comes_through(tmp_path):
    script = tmp_path / "fails.py"
    script.write_text("import gradtape as tf\ntf.math.log(tf.constant(-1.0))\nraise SystemExit(3)\n")
    ran = gradtape("explain", script)
    assert ran.returncode == 3
    assert "Detected NaN in the output of log" in ran.stdout


def test_explain_names_the_line_inside_a_function_and_each_origin_once(tmp_path):
    script = tmp_path / "step.py"
    script.write_text(
        dedent("""
        import gradtape as tf

        @tf.function
        def f(x):
            return tf.reduce_sum(tf.sqrt(x * 2.0))

        x = tf.Variable([0.0, 1.0])
        with tf.GradientTape() as tape:
            y = f(x)
        tape.gradient(y, x)
        """)
    )
    _, _, found = gradtape("explain", script).stdout.partition("--- gradtape explain ---")
    assert "nan and inf: 1\n" in found
    assert "step.py:6: return tf.reduce_sum(tf.sqrt(x * 2.0))" in found
    assert "The square root has an infinite slope at 0." in found
    assert "return tf.reduce_sum(tf.sqrt(tf.maximum(x * 2.0, 1e-12)))" in found


def test_explain_without_a_file_says_so(capsys, tmp_path):
    assert main(["explain", str(tmp_path / "none.py")]) == 1
    assert "there is no file" in capsys.readouterr().err


def test_doctor_tests_each_part(capsys):
    pytest.importorskip("keras")
    assert main(["doctor"]) == 0
    shown = capsys.readouterr().out
    for part in doctor._TESTS:
        assert f"ok {part}\n" in shown
    assert "everything that is installed works." in shown


def test_doctor_names_what_is_broken_and_how_to_repair_what_is_missing(capsys, monkeypatch):
    monkeypatch.setattr(doctor, "_TESTS", {"tape": lambda: 1 / 0 > 0})
    monkeypatch.setattr(doctor, "_OPTIONAL", (("no_such_package", "something"),))
    assert main(["doctor"]) == 1
    shown = capsys.readouterr().out
    assert "FAILED tape: ZeroDivisionError" in shown
    assert "pip install no_such_package" in shown


@pytest.mark.parametrize("command", ["explain", "profile", "view"])
@pytest.mark.parametrize(
    ("script", "words"), [("missing.py", "there is no file"), (".", "folder without a __main__.py")]
)
def test_a_script_that_is_not_there_is_refused_without_a_report(command, script, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main([command, script]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert words in printed.err
