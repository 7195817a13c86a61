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

Written by `python -m tests.keras_suite`; do not edit. The tests are those inside the wheel of Keras {version}
(`keras/src/**/*_test.py`), run on the gradtape backend. What *applies* is every test that passes on the TensorFlow backend in
the same environment (`--backend tensorflow`), less those in `tests/keras_suite/exclusions.toml`, where each has its reason. Left
out: `applications/` (pretrained networks, which need downloads) and the folders of the other backends.

The tests meet what a script meets under `gradtape run`: `import tensorflow` gives gradtape. To the tests, not to Keras, the
backend is called tensorflow, because many of them ask for that name before they use sparse or ragged tensors, strings or
`tf.data`. A test that fails here and is not listed below fails on TensorFlow, too; Keras's own conditions skip the others. Two
files that read with TensorFlow's internals what a callback wrote get TensorFlow, and the backend's own name.
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


def page(folders: Iterable[str], version: str) -> tuple[str, list[Outcome]]:
    """The text of the page, and the tests that apply and do not pass."""
    rows = exclusions()
    table = [
        "| folder | pass on TensorFlow | excluded | apply | pass here | share | all here: passed | failed | skipped |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    missing: list[Outcome] = []
    excluded: dict[str, list[str]] = defaultdict(list)
    totals: Counter[str] = Counter()
    for folder in sorted(folders):
        ours = {result.test: result for result in outcomes("gradtape", folder)}
        asked = [result.test for result in outcomes("tensorflow", folder) if result.outcome == "passed"]
        if not ours or not asked:
            table.append(f"| {folder} | not run | | | | | | | |")
            continue
        counts = Counter(result.outcome for result in ours.values())
        counts.update(asked=len(asked), beyond=len(_passed(ours.values()) - set(asked)))
        for test in asked:
            result = ours.get(test, Outcome(test, "absent", "not made here", 0.0))
            reason = reason_for(test, rows)
            if result.outcome == "passed":
                counts["pass"] += 1
            elif reason is not None:
                counts["excluded"] += 1
                excluded[reason].append(test)
            else:
                missing.append(result)
        totals += counts
        table.append(_row(folder, counts))
    table.append(_row("**all**", totals))
    share = 100 * totals["pass"] / max(totals["asked"], 1)
    also = (
        f"Without the list of exclusions it is {share:.1f} %: {totals['pass']} of {totals['asked']}. Beside these, "
        f"{totals['beyond']} tests pass here that fail, are skipped or do not exist on TensorFlow."
    )
    parts = [
        HEAD.format(version=version),
        "\n".join(table),
        also,
        "## Missing",
        _failures(missing),
        "## Excluded",
        _excluded(excluded),
    ]
    return "\n\n".join(part.strip() for part in parts) + "\n", missing


def _passed(results: Iterable[Outcome]) -> set[str]:
    return {result.test for result in results if result.outcome == "passed"}


def _row(folder: str, counts: Counter[str]) -> str:
    apply = counts["asked"] - counts["excluded"]
    share = f"{100 * counts['pass'] / apply:.1f} %" if apply else ""
    cells = [folder, counts["asked"], counts["excluded"], apply, counts["pass"], share]
    return "| " + " | ".join(map(str, [*cells, *(counts[kind] for kind in ("passed", "failed", "skipped"))])) + " |"


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


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ").strip()
