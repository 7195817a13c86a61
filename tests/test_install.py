"""What `pyproject.toml` says it takes is what docs/install.md says was tested."""

import pathlib
import re
import sys
import tomllib

from packaging.version import Version
from tests.install import __main__ as command
from tests.install.environments import interpreters, minimums

ROOT = pathlib.Path(__file__).parents[1]
ROWS = [
    line.strip("| \n").split(" | ") for line in command.PAGE.read_text(encoding="utf-8").splitlines() if "|" in line
]
HEAD, _, *BODY = ROWS
TESTED = {name: dict(zip(HEAD[1:], cells, strict=True)) for name, *cells in BODY}
PYTHONS = re.findall(r"Python (3\.\d+), newest", " ".join(HEAD))


def test_the_lower_bounds_are_what_was_tested():
    (oldest,) = (name for name in HEAD if name.endswith("oldest"))
    for package, version in minimums().items():
        assert Version(TESTED[package][oldest]) == Version(version), package


def test_all_that_was_tried_passed():
    assert {result for what in (command.SMOKE, command.QUICK) for result in TESTED[what].values()} == {"passed"}
    assert "passed" in TESTED[command.COMPILED].values()


def test_the_versions_of_python_are_those_that_were_tested():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    claimed = [line.rpartition(" ")[2] for line in project["classifiers"] if re.search(r"Python :: 3\.\d", line)]
    assert claimed == PYTHONS
    assert project["requires-python"] == f">={PYTHONS[0]}"
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"Python {', '.join(PYTHONS[:-1])} or {PYTHONS[-1]}" in readme


def test_this_interpreter_is_found():
    assert sys.version_info[:2] in [one.version for one in interpreters()]
