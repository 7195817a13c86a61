"""What `pyproject.toml` says it takes is what docs/install.md says was tested."""

import pathlib
import re
import sys
import tomllib

import pytest
from packaging.version import Version
from tests.install import __main__ as command
from tests.install import extras
from tests.install.environments import interpreters, minimums

ROOT = pathlib.Path(__file__).parents[1]


@pytest.fixture
def tested():
    """The table of the page: for each environment, what stands in its column."""
    rows = [
        line.strip("| ").split(" | ") for line in command.PAGE.read_text(encoding="utf-8").splitlines() if "|" in line
    ]
    (_, *names), _, *body = rows
    return {name: {row[0]: row[1 + k] for row in body if len(row) > 1 + k} for k, name in enumerate(names)}


def test_the_lower_bounds_are_what_was_tested(tested):
    (oldest,) = (name for name in tested if name.endswith("oldest"))
    assert {package: Version(tested[oldest][package]) for package in minimums()} == {
        package: Version(version) for package, version in minimums().items()
    }
    assert tested[oldest][command.COMPILED] == "passed"


def test_all_that_was_tried_passed(tested):
    assert {name for name, cells in tested.items() if cells[command.SMOKE] == cells[command.QUICK] == "passed"} == {
        *tested
    }


def test_the_versions_of_python_are_those_that_were_tested(tested):
    pythons = [found[1] for name in tested if (found := re.fullmatch(r"Python (3\.\d+), newest", name))]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert [line.rpartition(" ")[2] for line in project["classifiers"] if re.search(r":: 3\.\d", line)] == pythons
    assert project["requires-python"] == f">={pythons[0]}"
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"Python {', '.join(pythons[:-1])} or {pythons[-1]}" in readme


def test_this_interpreter_is_found():
    assert sys.version_info.minor in [one.minor for one in interpreters()]


def test_every_extra_has_a_program_that_uses_it_and_passed():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {*extras.PROGRAMS} == {"", *project["optional-dependencies"]}
    rows = re.findall(
        r"^\| `gradtape(?:\[(\w+)\])?` \| \d+ \| (.*) \|$", extras.PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert dict(rows) == dict.fromkeys(extras.PROGRAMS, "passed")
