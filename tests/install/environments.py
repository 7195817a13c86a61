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
_NOT_IN_TESTS = ("jax", "ruff", "mypy")
_NAMES = [f"python3.{minor}{kind}" for minor in range(OLDEST, 20) for kind in ("", "t")]


class Interpreter(NamedTuple):
    """A Python: its program, its version, and whether it runs without a global lock."""

    path: str
    version: tuple[int, int]
    free_threaded: bool

    @property
    def name(self) -> str:
        return ".".join(map(str, self.version)) + ("t" if self.free_threaded else "")


def interpreters() -> list[Interpreter]:
    """One for each version from 3.11 on: this one, those on the path by their version's name, and those of pyenv."""
    found: dict[str, Interpreter] = {}
    for path in _programs():
        program = (
            "import sys; print(*sys.version_info[:2], hasattr(sys, '_is_gil_enabled') and not sys._is_gil_enabled())"
        )
        asked = subprocess.run([path, "-c", program], capture_output=True, text=True, check=False)
        if asked.returncode:
            continue  # one of pyenv's names for a version that is not chosen
        major, minor, free = asked.stdout.split()
        one = Interpreter(path, (int(major), int(minor)), free == "True")
        if one.version >= (3, OLDEST):
            found.setdefault(one.name, one)
    return sorted(found.values(), key=lambda one: (one.version, one.free_threaded))


def _programs() -> Iterator[str]:
    yield sys.executable
    yield from filter(None, map(shutil.which, _NAMES))
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
    subprocess.run([python, "-m", "pip", "install", "--quiet", *requirements], check=True)
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
