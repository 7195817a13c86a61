"""The command line: options, errors, exit codes."""

import os
import signal
import subprocess
import sys

import pytest

from gradtape.cli import command as cli
from gradtape.cli import demo
from gradtape.version import __version__


def ran_with(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> demo.Settings:
    """The settings that the command line hands to the demo."""
    seen: list[demo.Settings] = []
    monkeypatch.setattr(demo, "run", seen.append)
    assert cli.main(["demo", *arguments]) == 0
    return seen[0]


def test_without_options_the_demo_gets_its_defaults(monkeypatch):
    assert ran_with(monkeypatch) == demo.Settings()


def test_options_reach_the_demo(monkeypatch):
    arguments = ["--epochs=2", "--batch-size=16", "--learning-rate=0.5", "--hidden=8", "--seed=7", "--quiet"]
    expected = demo.Settings(epochs=2, batch_size=16, learning_rate=0.5, hidden=8, seed=7, quiet=True)
    assert ran_with(monkeypatch, *arguments) == expected


@pytest.mark.parametrize(
    ("option", "value", "expected"),
    [
        ("--epochs", "0", "expected a whole number of at least 1, got '0'"),
        ("--epochs", "2.5", "expected a whole number of at least 1, got '2.5'"),
        ("--epochs", "many", "expected a whole number of at least 1, got 'many'"),
        ("--batch-size", "-3", "expected a whole number of at least 1, got '-3'"),
        ("--hidden", "0", "expected a whole number of at least 1, got '0'"),
        ("--learning-rate", "0", "expected a number greater than 0, got '0'"),
        ("--learning-rate", "nan", "expected a number greater than 0, got 'nan'"),
        ("--learning-rate", "inf", "expected a number greater than 0, got 'inf'"),
        ("--seed", "-1", "expected a whole number from 0 to 2147483647, got '-1'"),
    ],
)
def test_bad_values_are_refused_with_what_was_expected(capsys, option, value, expected):
    with pytest.raises(SystemExit) as stopped:
        cli.main(["demo", f"{option}={value}"])
    assert stopped.value.code == 2
    assert f"argument {option}: {expected}" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["dmo"], ["demo", "--epoch-count", "3"]])
def test_wrong_usage_shows_the_usage_and_exits_with_2(capsys, arguments):
    with pytest.raises(SystemExit) as stopped:
        cli.main(arguments)
    assert stopped.value.code == 2
    assert "usage: gradtape" in capsys.readouterr().err


def test_help_lists_the_options_with_their_defaults(capsys):
    with pytest.raises(SystemExit) as stopped:
        cli.main(["demo", "--help"])
    assert stopped.value.code == 0
    shown = capsys.readouterr().out
    for option in ("--epochs", "--batch-size", "--learning-rate", "--hidden", "--seed", "--quiet"):
        assert option in shown
    assert f"(default: {demo.Settings().epochs})" in shown


def test_version(capsys):
    with pytest.raises(SystemExit) as stopped:
        cli.main(["--version"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out == f"gradtape {__version__}\n"


def test_steps_that_are_too_long_end_with_advice_and_no_traceback(capsys):
    assert cli.main(["demo", "--learning-rate", "1e30", "--quiet"]) == 1
    assert "the learning rate 1e+30 is too large; try --learning-rate 0.3" in capsys.readouterr().err


def test_ctrl_c_ends_with_130_and_no_traceback(capsys, monkeypatch):
    def interrupted(settings):
        raise KeyboardInterrupt

    monkeypatch.setattr(demo, "run", interrupted)
    assert cli.main(["demo"]) == 130
    assert capsys.readouterr().err == "gradtape demo: stopped\n"


@pytest.fixture
def interruptible():
    """Interrupts reach the processes that a test starts. (What a shell starts with `&` ignores them, and so do its children.)"""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.usefixtures("interruptible")
def test_a_real_interrupt_during_training_ends_with_130_and_no_traceback():
    command = [sys.executable, "-u", "-m", "gradtape", "demo", "--epochs", "1000000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline().startswith("data ")
            assert process.stdout.readline().startswith("model ")
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 130
    assert errors.endswith("gradtape demo: stopped\n")
    assert "Traceback" not in errors


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
def test_a_reader_that_leaves_early_causes_no_traceback():
    command = [sys.executable, "-u", "-m", "gradtape", "demo", "--epochs", "1", "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        errors = process.stderr.read()
    assert errors == ""
    assert process.returncode == 1
