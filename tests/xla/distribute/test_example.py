"""examples/mesh_transformer.py, run small: it learns something, and ends with a picture."""

import os
import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("jax", reason="the extra `xla` is not installed")

EXAMPLE = pathlib.Path(__file__).parents[3] / "examples" / "mesh_transformer.py"


def test_mesh_transformer(tmp_path):
    arguments = ["--steps=60", "--data=2", "--model=2", "--width=16", f"--output={tmp_path / 'a.png'}"]
    environment = {name: value for name, value in os.environ.items() if name != "XLA_FLAGS"}
    command = [sys.executable, str(EXAMPLE), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    first, later = (float(line.rpartition(" ")[2]) for line in done.stdout.splitlines()[:2])
    assert later < 0.9 * first
    assert "| CPU:0 CPU:2" in done.stdout
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
