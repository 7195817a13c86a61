"""Each script under examples/, run small: it learns something, and ends with a picture."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import types

import numpy as np
import pytest

from gradtape.cli import plot

FOLDER = pathlib.Path(__file__).parents[2] / "examples"
SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.py"))

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


@pytest.mark.parametrize("name", SCRIPTS)
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


def test_mesh_transformer(tmp_path):
    pytest.importorskip("jax", reason="the extra `xla` is not installed")
    arguments = ["--steps=60", "--data=2", "--model=2", "--width=16", f"--output={tmp_path / 'a.png'}"]
    environment = {name: value for name, value in os.environ.items() if name != "XLA_FLAGS"}
    command = [sys.executable, str(FOLDER / "mesh_transformer.py"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    first, later = (float(line.rpartition(" ")[2]) for line in done.stdout.splitlines()[:2])
    assert later < 0.9 * first
    assert "| CPU:0 CPU:2" in done.stdout
    assert drawn(tmp_path / "a.png")


def test_gan(tmp_path):
    losses = load("gan").main(["--epochs=4", "--hidden=32", f"--output={tmp_path / 'a.png'}"])
    assert losses.shape == (4 * 22, 2)
    assert np.isfinite(losses).all()
    # It starts at chance, 2 log 2 for the discriminator; neither may win outright.
    assert 0.5 < losses[-20:, 1].mean() < 2
    assert losses[:, 0].std() > 0.01
    assert drawn(tmp_path / "a.png")


def test_vae(tmp_path):
    losses = load("vae").main(["--epochs=4", "--hidden=64", f"--output={tmp_path / 'a.png'}"])
    assert losses[-1] < losses[0] < 40
    assert drawn(tmp_path / "a.png")


def test_actor_critic(tmp_path):
    example = load("actor_critic")
    lengths = example.main(["--episodes=70", "--longest=50", f"--output={tmp_path / 'a.png'}"])
    assert np.mean(lengths[-10:]) > 1.3 * np.mean(lengths[:10])
    assert drawn(tmp_path / "a.png")


def test_the_pole_falls_without_anybody_who_cares():
    world = load("actor_critic").CartPole(seed=0, longest=500)
    world.reset()
    steps = 0
    while not world.step(1)[2]:
        steps += 1
    assert 5 < steps < 20


def test_pinn(tmp_path):
    example = load("pinn")
    losses, error = example.main(
        [
            "--iterations=200",
            "--points=300",
            "--viscosity=0.1",
            "--widths",
            "12",
            "12",
            f"--output={tmp_path / 'a.png'}",
        ]
    )
    assert losses[-1] < 1e-2 * losses[0]
    assert error < 0.1
    assert drawn(tmp_path / "a.png")


def test_the_exact_solution_of_the_pinn_is_one():
    u = load("pinn").exact
    x, t, nu, h = np.array([-0.5, 0.1, 0.7]), 0.4, 0.05, 1e-4
    u_t = (u(x, t + h, nu) - u(x, t - h, nu)) / (2 * h)
    u_x = (u(x + h, t, nu) - u(x - h, t, nu)) / (2 * h)
    u_xx = (u(x + h, t, nu) - 2 * u(x, t, nu) + u(x - h, t, nu)) / h**2
    np.testing.assert_allclose(u_t + u(x, t, nu) * u_x - nu * u_xx, 0, atol=1e-5)


def test_dp_sgd(tmp_path):
    example = load("dp_sgd")
    curves = example.main(["--epochs=4", "--noise", "0", "2", "--hidden=32", f"--output={tmp_path / 'a.png'}"])
    assert curves[0.0][-1] > 0.8
    assert curves[2.0][-1] > 0.5
    assert drawn(tmp_path / "a.png")


def test_the_privacy_spent_grows_with_steps_and_falls_with_noise():
    epsilon = load("dp_sgd").epsilon
    assert epsilon(0.0, 0.01, 100, 1e-5) == np.inf
    assert epsilon(1.0, 0.01, 100, 1e-5) < epsilon(1.0, 0.01, 1000, 1e-5)
    assert epsilon(2.0, 0.01, 1000, 1e-5) < epsilon(1.0, 0.01, 1000, 1e-5)
    # All images in every step: the plain Gaussian mechanism, whose divergence of order a is a / (2 noise^2).
    expected = min(order / (2 * 16) + np.log(1e5) / (order - 1) for order in range(2, 129))
    assert epsilon(4.0, 1 - 1e-12, 1, 1e-5) == pytest.approx(expected, rel=1e-6)
