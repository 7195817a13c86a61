"""`python -m tests.oracle`: run everything through both libraries, compare, and write docs/coverage.md."""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
from pathlib import Path

from tests.ops.registry import all_ops

import gradtape as tf

from . import calls, differences, programs, report, samples, workers
from .case import Case
from .compare import Difference, compared
from .compare import differences as between
from .names import resolves, used_in


def main(arguments: list[str] | None = None) -> int:
    """0 when nothing differs but what differences.toml explains."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle", description=__doc__)
    option = parser.add_argument
    option("--venv", type=Path, metavar="DIR", help="an environment with TensorFlow (default: build one, remove it)")
    option("--only", nargs="+", default=[], metavar="NAME", help="only cases whose op or text has one of these names")
    option("--programs", type=int, default=400, metavar="N", help="how many random programs (default 400)")
    option("--show", type=int, default=3, metavar="N", help="how many differences to print of each kind (default 3)")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="gradtape-oracle-") as temporary:
        folder = Path(temporary)
        python = workers.python_of(options.venv) if options.venv else workers.with_tensorflow(folder / "tensorflow")
        cases, absent = gathered(options.only, options.programs)
        print(f"{len(cases)} cases", file=sys.stderr)
        ours = workers.run(Path(sys.executable), "gradtape", cases, folder)
        theirs = workers.run(python, "tensorflow", cases, folder)
        version = workers.version(python, "tensorflow")
    found: list[Difference] = []
    counts = report.Counts()
    for case, mine, other in zip(cases, ours, theirs, strict=True):
        found += between(case, mine, other)
        counts.add(case, compared(case, mine, other), mine.get("ops", ()))
    rows = differences.known()
    by_row, unknown = differences.explained(found, rows)
    missing = [] if options.only else samples.unmapped(all_ops())
    print(report.summary(counts, by_row, unknown, options.show))
    for name in missing:
        print(f"op {name}: neither called nor declared internal in tests/oracle/samples.py")
    if not options.only:
        idle = [row for row, explained in zip(rows, by_row, strict=True) if not explained]
        for row in idle:
            print(f"differences.toml: nothing differs any more in {row.call!r} ({row.reason})")
        report.PAGE.write_text(report.page(counts, rows, by_row, unknown, absent, version), encoding="utf-8")
        print(f"wrote {report.PAGE}")
        return int(bool(unknown or missing or idle))
    return int(bool(unknown))


def gathered(only: list[str], count: int) -> tuple[list[Case], list[str]]:
    """The cases asked for, and the names in the call lists that gradtape does not have."""
    cases: list[Case] = []
    absent: set[str] = set()
    for case in itertools.chain(samples.cases(all_ops()), calls.cases(), programs.cases(count)):
        if only and not any(name == case.subject or name in case.text for name in only):
            continue
        missing = {name for name in used_in(case.text) if not resolves(tf, name)}
        absent |= missing
        if not missing:
            cases.append(case)
    return cases, sorted(absent)


if __name__ == "__main__":
    raise SystemExit(main())
