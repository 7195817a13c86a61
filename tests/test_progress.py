"""The progress bar, on a terminal and elsewhere."""

import io

import pytest

from gradtape.cli.progress import ProgressBar

pytestmark = pytest.mark.quick


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_log_gets_a_line_for_each_tenth():
    log = io.StringIO()
    with ProgressBar(200, log) as progress:
        for done in range(1, 201):
            progress.update(done, "loss 1.0")
    lines = log.getvalue().splitlines()
    assert len(lines) == 10
    assert lines[0] == " 10 % loss 1.0"
    assert lines[-1] == "100 % loss 1.0"
    assert "\r" not in log.getvalue()


def test_a_short_loop_in_a_log_reaches_one_hundred():
    log = io.StringIO()
    with ProgressBar(3, log) as progress:
        for done in (1, 2, 3):
            progress.update(done, "")
    assert [line.strip() for line in log.getvalue().splitlines()] == ["33 %", "66 %", "100 %"]


def test_a_terminal_gets_one_line_that_is_redrawn_and_ended():
    terminal = Terminal()
    with ProgressBar(2, terminal) as progress:
        progress.update(1, "half")
        progress.update(2, "done")
    drawn = terminal.getvalue()
    assert drawn.startswith("\r\x1b[K[###############...............] half")
    assert drawn.endswith("[##############################] done\n")
    assert drawn.count("\n") == 1


def test_a_terminal_is_not_redrawn_for_every_step():
    terminal = Terminal()
    with ProgressBar(100_000, terminal) as progress:
        for done in range(1, 1001):
            progress.update(done, "")
    assert terminal.getvalue().count("\r") < 200


def test_the_line_is_ended_when_the_loop_is_interrupted():
    terminal = Terminal()
    with pytest.raises(KeyboardInterrupt), ProgressBar(2, terminal) as progress:
        progress.update(1, "half")
        raise KeyboardInterrupt
    assert terminal.getvalue().endswith("half\n")


def test_nothing_is_written_without_an_update():
    terminal = Terminal()
    with ProgressBar(2, terminal):
        pass
    assert terminal.getvalue() == ""
