"""`GradientTape(profile=True)` and `gradtape profile`."""

import json
import time
import xml.etree.ElementTree as ET

import pytest

import gradtape as tf
from gradtape.op.call import CALL_OBSERVERS, OBSERVERS, PULL_OBSERVERS

from .test_commands import gradtape


def profiled():
    x = tf.Variable(tf.ones([100, 100]))
    with tf.GradientTape(profile=True) as tape:
        h = tf.matmul(x, x)
        y = tf.reduce_sum(tf.tanh(h))
    tape.gradient(y, x)
    return tape.profile()


def test_ops_and_backward_steps_have_times_and_lines():
    found = profiled()
    names = [row.name for row in found.by_op]
    assert {"matmul", "tanh", "reduce_sum", "gradient of matmul", "gradient of tanh"} <= set(names)
    assert found.seconds == pytest.approx(sum(row.seconds for row in found.by_op))
    assert any("h = tf.matmul(x, x)" in row.name for row in found.by_line)
    (line,) = [row for row in found.by_line if row.name.endswith("h = tf.matmul(x, x)")]
    assert line.calls == 2  # forward and backward


def test_what_runs_between_ops_is_no_time_of_an_op():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape(profile=True) as tape:
        h = x * 2.0
        time.sleep(0.05)
        y = tf.exp(h)
    tape.gradient(y, x)
    found = tape.profile()
    by_op = {row.name: row.seconds for row in found.by_op}
    assert by_op["exp"] < 0.02
    assert by_op["Python"] >= 0.05
    assert found.by_line[0].name.endswith("y = tf.exp(h)  (Python before it)")
    assert found.by_line[0].calls == 0


def test_the_lines_of_a_function_are_measured_when_it_runs_in_steps():
    @tf.function
    def inner(x):
        h = tf.tanh(x)
        return h * h

    @tf.function
    def f(x):
        h = tf.exp(x)
        return tf.reduce_sum(inner(h))

    x = tf.Variable([0.1, 0.2])
    with tf.GradientTape(profile=True) as tape:
        y = f(x)
    tape.gradient(y, x)
    assert "profile='steps'" in str(tape.profile())
    with tf.GradientTape(profile="steps") as tape:
        y = f(x)
    tape.gradient(y, x)
    found = tape.profile()
    lines = {row.name.rpartition("  ")[2]: row.calls for row in found.by_line if "Python" not in row.name}
    assert lines["h = tf.tanh(x)"] == lines["h = tf.exp(x)"] == 2  # forward and backward
    assert lines["return h * h"] == 2
    assert {"tanh", "gradient of tanh", "exp", "gradient of exp"} <= {row.name for row in found.by_op}


def test_a_wrong_setting_is_refused_with_those_there_are():
    with pytest.raises(ValueError, match='"steps"'):
        tf.GradientTape(profile="lines")


def test_nothing_observes_afterwards():
    profiled()
    assert [OBSERVERS, PULL_OBSERVERS, CALL_OBSERVERS] == [[], [], []]


def test_a_compiled_function_is_one_event_and_stays_compiled():
    @tf.function
    def f(x):
        return tf.tanh(x) * 2.0

    x = tf.Variable(1.0)
    with tf.GradientTape(profile=True) as tape:
        y = f(x)
    tape.gradient(y, x)
    names = [row.name for row in tape.profile().by_op]
    assert "function f" in names
    assert "gradient of function" in names
    assert f.explain().traces[0].compiled


def test_the_picture_is_svg_and_the_events_are_json():
    found = profiled()
    picture = ET.fromstring(found.svg())
    titles = [node.text for node in picture.iter("{http://www.w3.org/2000/svg}title")]
    assert any("matmul" in title for title in titles)
    events = json.loads(found.chrome_trace())["traceEvents"]
    assert {event["cat"] for event in events} == {"forward", "backward", "python"}
    assert all(event["dur"] >= 0 for event in events)


def test_a_tape_that_does_not_measure_says_how():
    with pytest.raises(RuntimeError, match="profile=True"):
        tf.GradientTape().profile()


def test_the_command_prints_tables_and_writes_files(tmp_path):
    script = tmp_path / "work.py"
    script.write_text(
        "import tensorflow as tf\nx = tf.Variable([1.0])\nwith tf.GradientTape() as tape:\n    y = tf.exp(x)\n"
        "tape.gradient(y, x)\n"
    )
    ran = gradtape("profile", "--svg", tmp_path / "flame.svg", "--json", tmp_path / "events.json", script)
    assert ran.returncode == 0, ran.stderr
    assert "gradient of exp" in ran.stdout
    assert "y = tf.exp(x)" in ran.stdout
    assert (tmp_path / "flame.svg").read_text().startswith("<svg")
    assert json.loads((tmp_path / "events.json").read_text())["traceEvents"]
