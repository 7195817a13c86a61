"""Uncaught errors are printed without the frames of gradtape, and end at the user's line."""

import subprocess
import sys
import threading
import traceback
from textwrap import dedent
from types import SimpleNamespace

import pytest

import gradtape as tf
from gradtape.base import tracebacks


def printed(program, tmp_path):
    script = tmp_path / "program.py"
    script.write_text(dedent(program))
    ran = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120)
    return ran.stderr


def files_in(text):
    return {line.split('"')[1].rpartition("/")[2] for line in text.splitlines() if line.lstrip().startswith("File ")}


def test_the_traceback_of_a_script_ends_at_its_own_line(tmp_path):
    text = printed(
        """
        import gradtape as tf

        def product(a, b):
            return tf.matmul(a, b)

        product(tf.ones([2, 3]), tf.ones([2, 3]))
        """,
        tmp_path,
    )
    assert files_in(text) == {"program.py"}
    assert "return tf.matmul(a, b)" in text
    assert "InvalidArgumentError" in text
    assert "disable_traceback_filtering" not in text  # the message is the last line for programs that read it


def test_users_functions_inside_functions_stay(tmp_path):
    text = printed(
        """
        import gradtape as tf

        def inner(x):
            raise KeyError("mine")

        @tf.function(autograph=False)
        def step(x):
            return inner(x)

        try:
            step(tf.constant(1.0))
        except KeyError as error:
            raise ValueError("outer") from error
        """,
        tmp_path,
    )
    assert files_in(text) == {"program.py"}
    assert "direct cause" in text
    assert "in inner" in text
    assert "in step" in text


def test_whole_tracebacks_on_demand_and_in_threads(tmp_path):
    program = """
        import threading
        import gradtape as tf

        def work():
            {}
            tf.reshape(tf.ones([2]), [3])

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        """
    assert files_in(printed(program.format("pass"), tmp_path)) == {"program.py", "threading.py"}
    whole = printed(program.format("tf.debugging.disable_traceback_filtering()"), tmp_path)
    assert len(files_in(whole)) > 2
    assert "left out" not in whole


@pytest.fixture
def error():
    def wrong():
        tf.reshape(tf.ones([2]), [3])

    try:
        wrong()
    except tf.errors.InvalidArgumentError as caught:
        return caught


def test_who_catches_an_error_has_all_its_frames(error):
    assert len(traceback.extract_tb(error.__traceback__)) > 2


def test_folding(error):
    tracebacks.fold(error)
    assert {frame.name for frame in traceback.extract_tb(error.__traceback__)} == {"error", "wrong"}
    (note,) = error.__notes__
    assert "of gradtape" in note
    tracebacks.fold(error)
    assert error.__notes__ == [note]


def test_an_error_without_frames_of_the_user_is_left_whole():
    try:
        tf.reshape(tf.ones([2]), [3])
    except tf.errors.InvalidArgumentError as caught:
        inside = caught.__traceback__.tb_next
    assert tracebacks.folded(inside).tb_frame is inside.tb_frame


def test_the_switch_is_one_of_the_thread():
    assert tf.debugging.is_traceback_filtering_enabled()
    tf.debugging.disable_traceback_filtering()
    seen = []
    other = threading.Thread(target=lambda: seen.append(tf.debugging.is_traceback_filtering_enabled()))
    other.start()
    other.join()
    assert not tf.debugging.is_traceback_filtering_enabled()
    tf.debugging.enable_traceback_filtering()
    assert seen == [True]


def test_in_a_notebook(error, monkeypatch):
    class Shell:
        custom_exceptions = ()
        shown = None

        def set_custom_exc(self, kinds, handler):
            self.custom_exceptions, self.handler = kinds, handler

        def showtraceback(self, info, tb_offset):
            self.shown = info

    shell = Shell()
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    tracebacks._install_in_notebook()
    assert shell.custom_exceptions == (Exception,)
    shell.handler(shell, type(error), error, error.__traceback__, tb_offset=1)
    assert {frame.name for frame in traceback.extract_tb(shell.shown[2])} == {"error", "wrong"}
    first = shell.handler
    tracebacks._install_in_notebook()
    assert shell.handler is first  # the place is taken
