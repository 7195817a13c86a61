"""The README's Python runs, and prints what it says."""

import contextlib
import io
import pathlib
import re
import runpy
import sys
import types
from typing import Any

import pytest

pytestmark = pytest.mark.quick

ROOT = pathlib.Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")

# A block of Python, and the block of text behind it, if one follows at once.
EXAMPLE = re.compile(r"^```python\n(.*?)^```\n(?:\n^```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)


def test_the_examples_print_what_is_shown():
    examples = EXAMPLE.findall(README)
    assert len(examples) >= 3
    names: dict[str, Any] = {}
    for code, shown in examples:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "README.md", "exec"), names)
        assert printed.getvalue() == shown


def test_every_example_shows_its_output():
    assert [code for code, shown in EXAMPLE.findall(README) if not shown] == []


def test_the_first_example_is_the_first_derivative():
    code, shown = EXAMPLE.findall(README)[0]
    assert "x**2" in code
    assert shown == "tf.Tensor(6.0, shape=(), dtype=float32)\n"


def test_the_two_commands_are_there_to_the_letter():
    assert "pip install '.[all]' && gradtape demo\n" in README
    assert "pip install -e '.[all,test]' && pytest\n" in README


def test_ci_runs_the_command_of_the_tests():
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert re.search(r"^pip install .*-e '\.\[all,test\]'$", script, re.MULTILINE)
    assert re.search(r'^PYTEST_ADDOPTS="--durations=10 [^"]*" pytest$', script, re.MULTILINE)


@pytest.mark.parametrize(
    ("given", "workers"),
    [
        ({}, "auto"),
        ({"args_source": pytest.Config.ArgsSource.ARGS}, None),
        ({"keyword": "tape"}, None),
        ({"markexpr": "quick"}, None),
        ({"usepdb": True}, None),
        ({"collectonly": True}, None),
        ({"workerinput": {}}, None),
        ({"numprocesses": 3}, 3),
    ],
    ids=str,
)
def test_a_plain_pytest_uses_all_cores(given, workers, pytestconfig):
    conftest = pytestconfig.pluginmanager.get_plugin(str(ROOT / "conftest.py"))
    plain = {"numprocesses": None, "keyword": "", "markexpr": "not full", "usepdb": False, "collectonly": False}
    option = types.SimpleNamespace(**{**plain, **given})
    config = types.SimpleNamespace(**{"args_source": pytest.Config.ArgsSource.TESTPATHS, **given, "option": option})
    conftest.pytest_cmdline_main(config)
    assert config.option.numprocesses == workers


@pytest.mark.parametrize(
    ("markexpr", "path", "ignored"),
    [
        ("quick", "tests/test_readme.py", None),
        ("quick", "tests", None),
        ("quick", "tests/ops/test_registry.py", True),
        ("quick", "tests/keras_backend", True),
        ("quick", "src", True),
        ("not full", "tests/ops/test_registry.py", None),
    ],
)
def test_quick_collects_only_files_that_have_quick_tests(markexpr, path, ignored, pytestconfig):
    conftest = pytestconfig.pluginmanager.get_plugin(str(ROOT / "conftest.py"))
    config = types.SimpleNamespace(rootpath=ROOT, option=types.SimpleNamespace(markexpr=markexpr))
    assert conftest.pytest_ignore_collect(ROOT / path, config) is ignored


def test_the_readme_leads_to_the_repository_once_there_is_one(monkeypatch):
    # hatchling is there where the package is built, not where it is tested.
    for name in ("hatchling", "hatchling.metadata", "hatchling.metadata.plugin"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    interface = types.SimpleNamespace(MetadataHookInterface=object)
    monkeypatch.setitem(sys.modules, "hatchling.metadata.plugin.interface", interface)
    hook = runpy.run_path(str(ROOT / "hatch_build.py"))
    text = "[a](docs/a.md#b), [web](https://x.y), [here](#more), ![p](docs/p.png)"
    assert hook["absolute"](text, "") == text
    assert hook["absolute"](text, "https://home/g") == (
        "[a](https://home/g/blob/main/docs/a.md#b), [web](https://x.y), [here](#more), ![p](https://home/g/raw/main/docs/p.png)"
    )
    assert hook["home_in"]('site_name: x\nrepo_url: "https://home/g/"\n') == "https://home/g"
    assert hook["home_in"]((ROOT / "mkdocs.yml").read_text(encoding="utf-8")) == ""
