"""The package of examples/extension/, beside this checkout: its own tests, run as its author runs them."""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[2]
PACKAGE = ROOT / "examples" / "extension"


def test_the_example_package_passes_its_tests():
    """In a process of its own: an op stays declared as long as the process lives."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(PACKAGE)]), "PYTEST_ADDOPTS": ""}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    result = subprocess.run(command, cwd=PACKAGE, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "12 passed" in result.stdout
