"""Errors are printed without the frames of gradtape, and end at the user's line."""

import io
import logging
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


CHAINS = {
    "branch": "if tf.reduce_sum(x) > 0:\n        x = tf.reshape(x, [7])",
    "loop": "for i in tf.range(3):\n        x = tf.reshape(x, [7])",
    "while": "while tf.reduce_sum(x) > 0:\n        x = tf.reshape(x, [7])",
}


@pytest.mark.parametrize("kind", CHAINS)
def test_what_gradtape_caught_itself_is_not_told(kind, tmp_path):
    program = "import gradtape as tf\n\n@tf.function\ndef f(x):\n    {}\n    return x\n\n{}\nf(tf.ones([3]))\n"
    text = printed(program.format(CHAINS[kind], ""), tmp_path)
    assert files_in(text) == {"program.py"}
    assert "direct cause" not in text
    assert text.count("Error: reshape") == 1
    whole = printed(program.format(CHAINS[kind], "tf.debugging.disable_traceback_filtering()"), tmp_path)
    assert "direct cause" in whole
    assert "recorder.py" in whole


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


def logged(error):
    stream = io.StringIO()
    logger = logging.getLogger("test_tracebacks")
    logger.propagate = False
    logger.addHandler(handler := logging.StreamHandler(stream))
    logger.error("failed", exc_info=error)
    logger.removeHandler(handler)
    return stream.getvalue()


def with_print_exc(error):
    stream = io.StringIO()
    try:
        raise error
    except tf.errors.InvalidArgumentError:
        traceback.print_exc(file=stream)
    return stream.getvalue()


@pytest.mark.parametrize("how", [logged, with_print_exc, lambda error: "".join(traceback.format_exception(error))])
def test_errors_that_a_program_prints_itself_end_at_its_line(how, error):
    before = traceback.extract_tb(error.__traceback__)
    assert files_in(how(error)) == {"test_tracebacks.py"}
    assert traceback.extract_tb(error.__traceback__)[-len(before) :] == before  # who asks the error has all frames
    tf.debugging.disable_traceback_filtering()
    try:
        assert len(files_in(how(error))) > 1
    finally:
        tf.debugging.enable_traceback_filtering()


def test_printing_leaves_causes_as_they_are(error):
    def chained():
        try:
            try:
                raise error
            except tf.errors.InvalidArgumentError as caught:
                raise KeyError("second") from caught
        except KeyError:
            raise ValueError("third")  # noqa: B904

    with pytest.raises(ValueError, match="third") as caught:
        chained()
    second = caught.value.__context__
    text = "".join(traceback.format_exception(caught.value))
    assert files_in(text) == {"test_tracebacks.py"}
    assert "direct cause" in text
    assert "During handling" in text
    assert caught.value.__context__ is second
    assert second.__cause__ is error
    assert not caught.value.__suppress_context__


# By its name, wherever its entry point is installed.
PLUGIN = ("-p", "no:gradtape", "-p", "keras_gradtape.pytest_frames")


def test_a_failed_test_ends_at_its_line(tmp_path):
    program = tmp_path / "test_user.py"
    program.write_text(
        "import gradtape as tf\n\ndef product(a):\n    return tf.matmul(a, a)\n\n"
        "def test_product():\n    product(tf.ones([2, 3]))\n"
    )

    def output(*options):
        command = [sys.executable, "-m", "pytest", *PLUGIN, *options, str(program)]
        return subprocess.run(command, capture_output=True, text=True, timeout=120).stdout

    text = output()
    assert "test_user.py:4: InvalidArgumentError" in text
    assert "products.py" not in text
    assert "products.py" in output("--full-trace")


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
