"""The Python of the guides runs, and prints what they say."""

import contextlib
import io
import linecache
import logging
import os
import pathlib
import re
import sys
from typing import Any

import pytest

os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=8"
DOCS = pathlib.Path(__file__).parents[1] / "docs"

GUIDES = [
    "index.md",
    "start.md",
    "tape_from_scratch.md",
    *sorted(str(page.relative_to(DOCS)) for folder in ("guide", "from") for page in (DOCS / folder).glob("*.md")),
]

# A block of Python, and the block of text behind it, if one follows at once, or behind the end of a grid.
EXAMPLE = re.compile(r"^```python\n(.*?)^```\n(?:\n(?:</div>\n\n)?^```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)


@pytest.fixture
def logging_restored():
    """The guide shows a warning, for which it sets logging up."""
    root = logging.getLogger()
    handlers, disabled = list(root.handlers), logging.root.manager.disable
    yield
    logging.disable(disabled)
    for handler in list(root.handlers):
        root.removeHandler(handler)
    for handler in handlers:
        root.addHandler(handler)


@pytest.fixture
def one_device_restored():
    """A guide uses eight devices, which JAX makes with its first use."""
    yield
    if "gradtape.xla.sharding" in sys.modules:
        sys.modules["gradtape.xla.sharding"].end()
        sys.modules["gradtape.xla.names"].LOGICAL.configuration = None


@pytest.mark.usefixtures("logging_restored", "registry_restored", "one_device_restored")
@pytest.mark.parametrize("guide", GUIDES)
def test_the_examples_print_what_is_shown(guide, tmp_path, monkeypatch):
    if guide in ("guide/scale.md", "guide/devices.md"):
        pytest.importorskip("jax", reason="the extra `xla` is not installed")
    monkeypatch.chdir(tmp_path)  # some write files
    examples = EXAMPLE.findall((DOCS / guide).read_text(encoding="utf-8"))
    assert examples
    names: dict[str, Any] = {}
    for number, (code, shown) in enumerate(examples):
        file = f"{guide}, example {number}"
        linecache.cache[file] = (
            len(code),
            None,
            code.splitlines(keepends=True),
            file,
        )  # functions are read to be converted
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, file, "exec"), names)
        assert printed.getvalue() == shown
