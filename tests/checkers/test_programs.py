"""What mypy and pyright say of programs: right ones pass with the types written beside them, wrong lines fail."""

import json
import pathlib
import re
import subprocess
import sys

import pytest
from website.public_names import namespaces

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
RIGHT = sorted((HERE / "right").glob("*.py"))
WRONG = HERE / "wrong" / "programs.py"
# Names that only raise: checkers know the namespace as empty, and refuse what would fail.
WITHDRAWN = "tf.feature_column"
Messages = dict[tuple[str, int], str]  # by file and line


@pytest.fixture(scope="module")
def every_name(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A program that names everything public, and annotates with each class."""
    path = tmp_path_factory.mktemp("names") / "every_name.py"
    lines = ["import gradtape as tf"]
    for page in namespaces():
        for name, value in [*page.described.items(), *((alias, None) for alias in page.aliases)]:
            full = f"{page.name}.{name}"
            if page.name != WITHDRAWN:
                lines.append(f"def of_{len(lines)}(given: {full}) -> None: ..." if isinstance(value, type) else full)
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def mypy(every_name: pathlib.Path) -> Messages:
    """The settings are those of the package, so that what `mypy` knows of it is not found again."""
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--no-error-summary",
        "--output",
        "json",
        *map(str, [*RIGHT, WRONG, every_name]),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert not done.stderr, done.stderr
    found: Messages = {}
    for line in map(json.loads, done.stdout.splitlines()):
        if line["severity"] == "error":
            place = pathlib.Path(line["file"]).name, line["line"]
            found[place] = f"{found.get(place, '')}\n{line['message']} {line['hint'] or ''}"
    return found


@pytest.fixture(scope="module")
def pyright(tmp_path_factory: pytest.TempPathFactory, every_name: pathlib.Path) -> Messages:
    pytest.importorskip("basedpyright")
    settings = tmp_path_factory.mktemp("pyright") / "pyrightconfig.json"
    settings.write_text(
        json.dumps(
            {
                "include": [str(HERE / "right"), str(HERE / "wrong"), str(every_name)],
                "extraPaths": [str(ROOT / "src")],
                "typeCheckingMode": "strict",
            }
        ),
        encoding="utf-8",
    )
    command = [
        sys.executable,
        "-m",
        "basedpyright",
        "-p",
        str(settings),
        "--outputjson",
        "--pythonpath",
        sys.executable,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found: Messages = {}
    for line in json.loads(done.stdout)["generalDiagnostics"]:
        if line["severity"] == "error":
            place = pathlib.Path(line["file"]).name, line["range"]["start"]["line"] + 1
            found[place] = f"{found.get(place, '')}\n{line['message']}"
    return found


def expected() -> dict[int, str]:
    """What the messages about each wrong line must name."""
    lines = WRONG.read_text(encoding="utf-8").splitlines()
    return {number: mark[1] for number, line in enumerate(lines, 1) if (mark := re.search(r"# wrong: (.*)", line))}


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
@pytest.mark.parametrize("path", RIGHT, ids=lambda path: path.stem)
def test_right_programs_have_the_types_that_are_written(request, checker, path):
    messages = request.getfixturevalue(checker)
    assert {place: text for place, text in messages.items() if place[0] == path.name} == {}


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_wrong_lines_are_refused(request, checker):
    messages = request.getfixturevalue(checker)
    found = {line: text for (name, line), text in messages.items() if name == WRONG.name}
    assert found.keys() == expected().keys()
    silent = {line: (word, found[line]) for line, word in expected().items() if word not in found[line]}
    assert silent == {}


@pytest.mark.parametrize("path", RIGHT, ids=lambda path: path.stem)
def test_right_programs_run(path, tmp_path):
    """The types are those of programs that work."""
    command = [sys.executable, str(path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_every_public_name_is_known_and_every_class_is_an_annotation(request, checker, every_name):
    messages = request.getfixturevalue(checker)
    lines = every_name.read_text(encoding="utf-8").splitlines()
    refused = {lines[line - 1]: text for (name, line), text in messages.items() if name == every_name.name}
    assert {
        line: text for line, text in refused.items() if "reportUnused" not in text and "value is unused" not in text
    } == {}
