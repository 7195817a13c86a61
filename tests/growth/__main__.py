"""`python -m tests.growth`: measures how time and memory grow, and writes docs/growth.md."""

from __future__ import annotations

import argparse
import itertools
import sys
from pathlib import Path

from .cases import Case, of_ops, of_programs, one_of_each_op
from .declared import DECLARED
from .measure import FULL, QUICK, TOLERATED, Effort, Exponents

PAGE = Path(__file__).parents[2] / "docs" / "growth.md"


def main(quick: bool) -> int:
    effort = QUICK if quick else FULL
    found: list[tuple[Case, Exponents]] = []
    failures = []
    for case in itertools.chain(one_of_each_op() if quick else of_ops(), of_programs()):
        measured = case.exponents(effort)
        found.append((case, measured))
        excess = case.excess(measured)
        if excess is not None:
            print(excess, flush=True)
            failures.append(excess)
    PAGE.write_text(page(found, failures, effort), encoding="utf-8")
    print(f"{len(found)} cases, {len(failures)} grow faster than declared; wrote {PAGE.name}")
    return bool(failures)


def page(found: list[tuple[Case, Exponents]], failures: list[str], effort: Effort) -> str:
    """The page: for each op and program the largest exponents over all ways in which it grows."""
    worst: dict[str, dict[str, float]] = {}
    for case, (seconds, memory) in found:
        row = worst.setdefault(case.subject, {})
        for label, value in ((case.what, seconds), ("memory", memory)):
            if value is not None:
                row[label] = max(row.get(label, 0.0), value)
    ways: dict[str, set[str]] = {}
    for case, _ in found:
        ways.setdefault(case.subject, set()).add(case.along)
    programs = [case.subject for case, _ in found if case.what == "program"]
    some = " (of each op one way to grow)" if effort is QUICK else ""
    lines = [
        "# How cost grows",
        "",
        "Written by `python -m tests.growth`. Each op, its gradient and what is built on them is run on n and on 8 n elements. 1",
        "means: as the data grows; 2: quadratic. The data is what grows, along one axis or, for square matrices, two; or the",
        "bytes of all operands and results where these grow faster. Time is processor time; memory is the most that is allocated",
        f"at a time. A dash: too little to measure at {effort.largest:,} elements. Above {TOLERATED} there is a reason.",
        "",
        f"{len(found):,} cases{some}; {len(failures)} grow faster than declared.",
        "",
        "## Declared",
        "",
        "| op | time | memory | reason |",
        "| --- | --- | --- | --- |",
        *(f"| `{name}` | {d.time} | {d.memory} | {d.reason} |" for name, d in sorted(DECLARED.items())),
        "",
        "## Programs",
        "",
        "| n | time | memory |",
        "| --- | --- | --- |",
        *(f"| {name} | {_shown(worst[name], 'program')} | {_shown(worst[name], 'memory')} |" for name in programs),
        "",
        "## Ops",
        "",
        "The largest exponent over the axes and attributes that can grow.",
        "",
        "| op | ways to grow | forward | with gradient | memory |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name, row in sorted(worst.items()):
        if name not in programs:
            cells = " | ".join(_shown(row, label) for label in ("forward", "gradient", "memory"))
            lines.append(f"| `{name}` | {len(ways[name])} | {cells} |")
    return "\n".join(lines) + "\n"


def _shown(row: dict[str, float], label: str) -> str:
    return f"{row[label]:.1f}" if label in row else "-"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.growth", description=__doc__)
    parser.add_argument("effort", nargs="?", choices=["quick"], help="measures one way of each op instead of all")
    sys.exit(main(parser.parse_args().effort == "quick"))
