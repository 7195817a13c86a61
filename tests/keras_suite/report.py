"""The page docs/keras-coverage.md: what passes, by folder, and why the rest does not."""

from __future__ import annotations

import fnmatch
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

from .runs import ROOT, Outcome, outcomes

PAGE = ROOT / "docs" / "keras-coverage.md"
EXCLUSIONS = Path(__file__).with_name("exclusions.toml")

HEAD = """# Keras's own tests on gradtape

Written by `python -m tests.keras_suite`; do not edit. The tests are those inside the wheel of Keras 3.15
(`keras/src/**/*_test.py`), run on the gradtape backend in an environment that also holds TensorFlow, JAX and torch, which
some of the tests import. Left out: `applications/` (pretrained networks, which need downloads) and the folders of the other
backends. A test *applies* unless Keras's own conditions skip it or it stands in `tests/keras_suite/exclusions.toml`, where
each exclusion has its reason. A test that fails on TensorFlow in the same environment (`--backend tensorflow`) does not
apply either.
"""


def exclusions() -> list[tuple[str, str]]:
    """(pattern, reason) for each test that cannot pass here."""
    with EXCLUSIONS.open("rb") as file:
        rows = tomllib.load(file)["exclusion"]
    return [(test, row["reason"]) for row in rows for test in row["tests"]]


def reason_for(test: str, rows: list[tuple[str, str]]) -> str | None:
    """Why the test is excluded; None if it is not."""
    for pattern, reason in rows:
        if test == pattern or fnmatch.fnmatchcase(test, pattern):
            return reason
    return None


def counts_of(results: Iterable[Outcome]) -> str:
    """'12 passed, 1 failed, 3 skipped'."""
    counts = Counter(result.outcome for result in results)
    return ", ".join(f"{counts[kind]} {kind}" for kind in ("passed", "failed", "skipped"))


def page(folders: Iterable[str]) -> tuple[str, list[Outcome]]:
    """The text of the page, and the failures that nothing explains."""
    rows = exclusions()
    table = [
        "| folder | apply | pass | share | skipped | excluded | failed |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    unexplained: list[Outcome] = []
    excluded: dict[str, list[str]] = defaultdict(list)
    skipped: Counter[str] = Counter()
    totals: Counter[str] = Counter()
    for folder in sorted(folders):
        ours = outcomes("gradtape", folder)
        if not ours:
            table.append(f"| {folder} | not run | | | | | |")
            continue
        theirs = {result.test for result in outcomes("tensorflow", folder) if result.outcome == "passed"}
        known = bool(theirs)
        counts: Counter[str] = Counter()
        for result in ours:
            reason = reason_for(result.test, rows)
            if result.outcome == "skipped":
                counts["skipped"] += 1
                skipped[result.reason] += 1
            elif result.outcome == "passed":
                counts["apply"] += 1
                counts["pass"] += 1
            elif reason is not None:
                counts["excluded"] += 1
                excluded[reason].append(result.test)
            elif known and result.test not in theirs:
                counts["fails on TensorFlow too"] += 1
            else:
                counts["apply"] += 1
                counts["failed"] += 1
                unexplained.append(result)
        totals += counts
        table.append(_row(folder, counts))
    table.append(_row("**all**", totals))
    parts = [
        HEAD,
        "\n".join(table),
        _beside_tensorflow(folders),
        "## Failed",
        _failures(unexplained),
        "## Excluded",
        _excluded(excluded),
    ]
    parts += ["## Skipped", "Keras's own conditions, most of them on the name of the backend.", _skipped(skipped)]
    return "\n\n".join(part.strip() for part in parts) + "\n", unexplained


def _beside_tensorflow(folders: Iterable[str]) -> str:
    """What became here of the tests that pass on TensorFlow; nothing if they were not run there."""
    counts: Counter[str] = Counter()
    for folder in folders:
        ours = {result.test: result.outcome for result in outcomes("gradtape", folder)}
        theirs = [result.test for result in outcomes("tensorflow", folder) if result.outcome == "passed"]
        counts.update(ours.get(test, "absent") for test in theirs)
    if not counts:
        return ""
    return (
        f"Of the {counts.total()} tests that pass on TensorFlow in the same environment, {counts['passed']} pass here, "
        f"{counts['failed']} fail and stand below, {counts['skipped']} are skipped by Keras's own conditions, and "
        f"{counts['absent']} are only made for backends with sparse tensors, for which most of the skipped ones ask, too."
    )


def _row(folder: str, counts: Counter[str]) -> str:
    apply = counts["apply"]
    share = f"{100 * counts['pass'] / apply:.1f} %" if apply else ""
    cells = [folder, apply, counts["pass"], share, counts["skipped"], counts["excluded"], counts["failed"]]
    return "| " + " | ".join(map(str, cells)) + " |"


def _failures(results: list[Outcome]) -> str:
    if not results:
        return "None."
    lines = [f"| `{result.test}` | {_cell(result.reason)} |" for result in results]
    return "\n".join(["| test | what it says |", "| --- | --- |", *lines])


def _excluded(excluded: dict[str, list[str]]) -> str:
    blocks = []
    for reason, tests in excluded.items():
        blocks.append("\n".join([f"**{reason}**", "", *(f"- `{test}`" for test in sorted(tests))]))
    return "\n\n".join(blocks) or "None."


def _skipped(skipped: Counter[str]) -> str:
    lines = [f"| {_cell(reason)} | {count} |" for reason, count in skipped.most_common()]
    return "\n".join(["| reason | tests |", "| --- | ---: |", *lines])


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ").strip()
