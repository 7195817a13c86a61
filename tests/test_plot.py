"""`gradtape plot`: what is read, what goes into which panel, the picture, the errors."""

import math
import sys

import numpy as np
import pytest

import gradtape as tf
from gradtape.cli import command as cli
from gradtape.cli import plot

pytest.importorskip("tensorboardX")


def write_run(folder, steps=5, run="train"):
    v = tf.Variable([1.0, 2.0], name="v")
    with tf.summary.create_file_writer(folder / run).as_default():
        for step in range(steps):
            tf.summary.scalar("loss", 1 / (1 + step), step=step)
            tf.summary.scalar("accuracy", step / steps, step=step)
            tf.summary.gradients([v * float(1 + step)], [v], step=step)


def test_lines_are_read_by_run_and_tag(tmp_path):
    write_run(tmp_path)
    with tf.summary.create_file_writer(tmp_path).as_default():
        tf.summary.text("note", "no scalar", step=0)
        for value in (1.0, 2.0):
            tf.summary.scalar("twice", value, step=3)
    lines = {(line.run, line.tag): line.points for line in plot.read_lines(tmp_path)}
    assert set(lines) == {(".", "twice")} | {
        ("train", tag) for tag in ("loss", "accuracy", "gradient_norms/v", "gradient_norms/global")
    }
    assert lines[".", "twice"] == {3: 2.0}
    assert lines["train", "loss"] == pytest.approx({step: 1 / (1 + step) for step in range(5)})


def test_older_event_files_are_read_too(tmp_path):
    writer = pytest.importorskip("tensorboardX").SummaryWriter(str(tmp_path))
    writer.add_scalar("loss", 0.5, 7)
    writer.close()
    assert [(line.tag, line.points) for line in plot.read_lines(tmp_path)] == [("loss", {7: 0.5})]


def line(tag, *values, run="."):
    return plot.Line(run, tag, dict(enumerate(values)))


def test_losses_and_norms_come_first_and_equal_names_share_a_panel():
    tags = ["accuracy", "gradient_norms/global", "gradient_norms/w", "test/accuracy", "train/Loss", "loss"]
    panels = plot.panels([line(tag, 1.0) for tag in tags])
    assert [(panel.title, len(panel.lines)) for panel in panels] == [
        ("loss", 2),
        ("gradient norms", 2),
        ("accuracy", 2),
    ]


def test_of_many_norms_the_largest_are_shown():
    norms = [line(f"gradient_norms/w{number:02}", float(number)) for number in range(20)]
    (panel,) = plot.panels([line(plot.GLOBAL, 50.0), *norms])
    assert panel.note == "the largest 8 of 21"
    assert [shown.tag for shown in panel.lines][:3] == [plot.GLOBAL, "gradient_norms/w19", "gradient_norms/w18"]


@pytest.mark.parametrize(
    ("values", "logarithmic"), [((1.0, 2.0), False), ((1.0, 100.0), True), ((0.0, 100.0), False), ((math.nan,), False)]
)
def test_a_wide_range_gets_a_logarithmic_axis(values, logarithmic):
    assert plot.panels([line("loss", *values)])[0].logarithmic is logarithmic


def test_smoothing_keeps_constants_and_steps_over_nan():
    np.testing.assert_allclose(plot.smoothed(np.full(200, 3.0)), 3.0)
    values = np.full(200, 3.0)
    values[0] = values[50] = np.nan
    smooth = plot.smoothed(values)
    assert np.isnan(smooth[0])
    np.testing.assert_allclose(smooth[1:], 3.0)


@pytest.mark.parametrize(("name", "start"), [("run.png", b"\x89PNG"), ("sub/run.svg", b"<?xml")])
def test_the_command_draws_a_picture(tmp_path, capsys, name, start):
    write_run(tmp_path / "log", steps=150)
    write_run(tmp_path / "log", steps=1, run="test")
    target = tmp_path / name
    assert cli.main(["plot", str(tmp_path / "log"), "-o", str(target)]) == 0
    assert capsys.readouterr().out == f"wrote {target}\n"
    assert target.read_bytes().startswith(start)


def test_errors_say_what_is_missing_and_leave_no_picture(tmp_path, capsys, monkeypatch):
    def error(*arguments):
        assert cli.main(["plot", *map(str, arguments)]) == 1
        return capsys.readouterr().err

    (tmp_path / "empty").mkdir()
    target = tmp_path / "run.png"
    assert "there is no folder" in error(tmp_path / "none", "-o", target)
    assert "there are no event files below" in error(tmp_path / "empty", "-o", target)
    tf.summary.create_file_writer(tmp_path / "empty").close()
    assert "no scalars in the event files" in error(tmp_path / "empty", "-o", target)
    write_run(tmp_path / "log")
    assert "cannot write" in error(tmp_path / "log", "-o", tmp_path / "run.xyz")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "events.out.tfevents.1").write_bytes(b"x" * 100)
    assert "corrupted record" in error(tmp_path / "bad", "-o", target)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert "pip install matplotlib" in error(tmp_path / "log", "-o", target)
    assert not target.exists()


def test_the_folder_is_required(capsys):
    with pytest.raises(SystemExit) as stopped:
        cli.main(["plot"])
    assert stopped.value.code == 2
    assert "LOGDIR" in capsys.readouterr().err


def test_epochs_and_iterations_are_kept_apart():
    tags = ["epoch_loss", "batch_loss", "evaluation_loss_vs_iterations", "epoch_accuracy", "batch_accuracy"]
    panels = plot.panels([line(tag, 1.0) for tag in tags])
    assert [(panel.title, panel.axis, len(panel.lines)) for panel in panels] == [
        ("loss by epoch", "epoch", 1),
        ("loss by iteration", "iteration", 2),
        ("epoch_accuracy", "epoch", 1),
        ("batch_accuracy", "iteration", 1),
    ]


def test_long_titles_are_wrapped(tmp_path):
    pytest.importorskip("matplotlib")
    title = "a run with a long name " * 10
    figure = plot._draw(plot.panels([line("a_metric_of_many_words_" * 3 + "end of it all " * 4, 1.0, 2.0)]), title)
    assert "\n" in figure.get_suptitle()
    assert "\n" in figure.axes[0].get_title(loc="left")
    figure.savefig(tmp_path / "wide.png")
