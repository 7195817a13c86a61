"""docs/advisories.md: what was tried, and what came of it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from .run import ROOM

PAGE = Path(__file__).parents[2] / "docs" / "advisories.md"


def page(counts: Counter[Any], found: list[Any], step: int) -> str:
    """The page, from the number of attempts for each subject and kind, and those that break the promise."""
    kinds = Counter[str]()
    for (_, kind), count in counts.items():
        kinds[kind] += count
    broken = Counter(row[2] for row in found)
    subjects = {subject for subject, _ in counts}
    public = {subject for subject in subjects if subject.startswith("tf.")}
    lines = [
        "# Bad sizes, axes and indices",
        "",
        "TensorFlow has more than 400 security advisories. Nearly all are of a few kinds: an op is given a size, an axis or an",
        "index that nobody thought of. `python -m tests.advisories` tries these kinds on each op of the registry and on the",
        f"public functions, in a process that may ask for {ROOM >> 20} MB. Promised is a result, or a named error (a class",
        "of `tf.errors`, ValueError or TypeError) and a message, in one second of processor time.",
        "",
        f"The run that wrote this page: {sum(counts.values()):,} attempts "
        f"on {len(subjects) - len(public)} ops and {len(public)} public functions"
        + (f" (this run made one in {step} of all);" if step > 1 else ";"),
        f"{len(found)} break the promise.",
        "",
        "| kind | attempts | broken |",
        "| --- | --- | --- |",
        *(f"| {kind} | {count:,} | {broken[kind]} |" for kind, count in sorted(kinds.items())),
    ]
    if found:
        lines += ["", "| attempt | outcome |", "| --- | --- |"]
        lines += [f"| `{_shown(text)}` | {_shown(how)} |" for _, _, _, text, how in found]
    return "\n".join(lines) + "\n"


def _shown(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
