"""Each script under examples/ that has options, run small: it learns something, and ends with a picture."""

import importlib.util
import pathlib
import types

import numpy as np
import pytest

from gradtape.cli import plot

FOLDER = pathlib.Path(__file__).parents[2] / "examples"
SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.py"))
WITH_OPTIONS = [name for name in SCRIPTS if "def main(" in (FOLDER / f"{name}.py").read_text(encoding="utf-8")]

pytest.importorskip("matplotlib")


def load(name: str) -> types.ModuleType:
    """The script as a module."""
    pytest.importorskip("keras")
    spec = importlib.util.spec_from_file_location(f"example_{name}", FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def drawn(path: pathlib.Path) -> bool:
    """Whether there is a picture with something in it."""
    from matplotlib.image import imread

    return bool(imread(path).std() > 0.02)


@pytest.mark.parametrize("name", WITH_OPTIONS)
def test_help_tells_what_the_script_does(name, capsys):
    with pytest.raises(SystemExit) as stopped:
        load(name).main(["--help"])
    assert stopped.value.code == 0
    shown = capsys.readouterr().out
    assert "--output" in shown
    assert "(default: " in shown


def test_every_script_is_on_the_page():
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert [name for name in SCRIPTS if f"[{name}.py]({name}.py)" not in page] == []


def test_digits_cnn_goes_on_where_it_ended(tmp_path, capsys):
    arguments = ["--batch-size=64", f"--folder={tmp_path}", f"--output={tmp_path / 'a.png'}"]
    first = load("digits_cnn").main(["--epochs=2", *arguments])
    assert first[-1, 2] > 0.5
    second = load("digits_cnn").main(["--epochs=4", *arguments])
    assert "going on after epoch 2" in capsys.readouterr().out
    np.testing.assert_array_equal(second[:2], first)
    assert len(second) == 4
    assert second[-1, 2] > 0.85
    assert drawn(tmp_path / "a.png")
    tags = {(line.run, line.tag): line for line in plot.read_lines(tmp_path / "logs")}
    assert len(tags["train", "loss"].points) == 4 * 23  # 1,442 images in batches of 64
    assert tags["test", "accuracy"].points[4 * 23] == pytest.approx(second[-1, 2])
    assert ("train", "gradient_norms/global") in tags
