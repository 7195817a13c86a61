"""Interpreters of this machine, fresh environments made with them, and the oldest versions that the project says it takes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
OLDEST = 11  # of Python 3
_NOT_IN_TESTS = ("jax", "flatbuffers", "ruff", "mypy", "basedpyright", "mkdocs-material", "mkdocstrings", "nbformat")
_ASKED = """
import sys, sysconfig
assert sys.version_info[0] == 3 and not sysconfig.get_config_var("Py_GIL_DISABLED")
print(sys.version_info[1])
"""


class Interpreter(NamedTuple):
    """A Python 3: its minor version and its program."""

    minor: int
    path: str


def interpreters() -> list[Interpreter]:
    """One for each version from 3.11 on, with a global lock: this one, those on the path by their names, and those of pyenv."""
    found: dict[int, Interpreter] = {}
    for path in _programs():
        answer = subprocess.run([path, "-c", _ASKED], capture_output=True, text=True, check=False)
        if (
            answer.returncode == 0 and int(answer.stdout) >= OLDEST
        ):  # (else perhaps pyenv's name for one that is not chosen)
            found.setdefault(int(answer.stdout), Interpreter(int(answer.stdout), path))
    return sorted(found.values())


def _programs() -> Iterator[str]:
    yield sys.executable
    yield from filter(None, map(shutil.which, (f"python3.{minor}" for minor in range(OLDEST, 20))))
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    yield from map(str, versions.glob("3.*/bin/python"))


def wheel(folder: Path) -> Path:
    """The wheel of this checkout."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(command, check=True)
    return next(folder.glob("gradtape-*.whl"))


def fresh(interpreter: Interpreter, folder: Path, *requirements: str) -> Path:
    """The Python of a new environment with these packages."""
    subprocess.run([interpreter.path, "-m", "venv", folder], check=True)
    python = folder / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-compile", *requirements], check=True)
    return python


def minimums() -> dict[str, str]:
    """The oldest version that the project takes of each package that its tests use."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    found = {}
    for requirement in map(Requirement, [*project["dependencies"], *(line for lines in extras for line in lines)]):
        if requirement.name not in (project["name"], *_NOT_IN_TESTS):
            (lowest,) = (bound.version for bound in requirement.specifier if bound.operator == ">=")
            found[requirement.name] = lowest
    return found
