"""The page docs/tf-tests.md: what passes, by file, and why the rest does not."""

from __future__ import annotations

import fnmatch
import re
import tomllib
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "tf-tests.md"
# An object's own private part, which no stand-in hides.
_PRIVATE = re.compile(r"has no attribute '_(?!_)")
REASONS = Path(__file__).with_name("reasons.toml")

HEAD = """# TensorFlow's own tests on gradtape

Written by `python -m tests.oracle.tf_tests`; do not edit. The files are those of TensorFlow's repository, read with stand-ins for
its private modules that are made of public names (`tests/oracle/tf_tests/stand_ins.py`). What *counts* is a test that passes on
TensorFlow through the same stand-ins, and does not stop here at a private attribute of an object. The others ask for private
parts, for graphs of TensorFlow 1, or for a GPU.
"""


@dataclass(frozen=True)
class Outcome:
    """What came of one test."""

    test: str
    outcome: str  # passed, failed, skipped, or started
    reason: str


def written(found: dict[str, tuple[dict[str, Outcome], dict[str, Outcome]]]) -> tuple[str, float]:
    """The text of the page, and the share of counted tests that pass; `found` has TensorFlow's outcomes and gradtape's."""
    with REASONS.open("rb") as file:
        reasons = tomllib.load(file)["reason"]
    table = ["| file | tests | count | pass | share |", "| --- | ---: | ---: | ---: | ---: |"]
    left: dict[str, list[str]] = defaultdict(list)
    count = passing = 0
    for name, (theirs, ours) in found.items():
        asked = [
            test
            for test, outcome in theirs.items()
            if outcome.outcome == "passed" and not (test in ours and _PRIVATE.search(ours[test].reason))
        ]
        missing = [test for test in asked if test not in ours or ours[test].outcome != "passed"]
        count += len(asked)
        passing += len(asked) - len(missing)
        share = f"{1 - len(missing) / len(asked):.1%}" if asked else ""
        table.append(f"| {name} | {len(theirs)} | {len(asked)} | {len(asked) - len(missing)} | {share} |")
        for test in missing:
            said = ours[test].reason if test in ours else "not made here"
            left[_why(test, said, reasons)].append(f"- `{Path(name).stem}` {test}: {_plain(said)}")
    share = passing / max(count, 1)
    table.append(f"| **all** | {sum(len(t) for t, _ in found.values())} | {count} | {passing} | {share:.1%} |")
    parts = [HEAD.strip(), "\n".join(table), "## What is left"]
    parts += [f"**{reason}**\n\n" + "\n".join(sorted(tests)) for reason, tests in sorted(left.items())]
    return "\n\n".join(parts) + "\n", share


def _why(test: str, said: str, reasons: list[dict[str, Any]]) -> str:
    """The first reason that names the test, or else the first whose pattern is found in what the test said."""
    for row in reasons:
        if any(fnmatch.fnmatchcase(test, pattern) for pattern in row.get("tests", ())):
            return str(row["why"])
    for row in reasons:
        if "said" in row and re.search(row["said"], said, re.DOTALL):
            return str(row["why"])
    return "To be mended"


def _plain(text: str) -> str:
    """Cut to a line, without what would be read as Markdown, halves of characters, or places of a machine."""
    line = re.sub(r'"/[^"]*/', '"', " ".join(text.split())).replace("|", "\\|").replace("[", "\\[").replace("<", "&lt;")
    line = re.sub(r" at 0x[0-9a-f]+", "", line).encode(errors="replace").decode()
    return (line[:160] + " ...") if len(line) > 160 else line
