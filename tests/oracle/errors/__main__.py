"""`python -m tests.oracle.errors`: bad arguments in both libraries, compared; docs/errors.md and tests/error_classes.txt."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from .. import workers
from ..case import Case
from . import differences, good, kinds, page, sample
from .outcomes import AGREE, CLASS, CRASH, Outcome, outcomes


def main(arguments: list[str] | None = None) -> int:
    """0 when nothing differs but what differences.toml explains."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle.errors", description=__doc__)
    option = parser.add_argument
    option("--venv", type=Path, metavar="DIR", help="an environment with TensorFlow (default: build one, remove it)")
    option("--keep", type=Path, metavar="FILE", help="keep what TensorFlow did here, and use it the next time")
    option(
        "--only", nargs="+", default=[], metavar="NAME", help="only calls whose text has one of these; writes no page"
    )
    option("--show", type=int, default=3, metavar="N", help="how many differences to print of each kind (default 3)")
    option("--all", type=Path, metavar="FILE", help="write every difference to this file")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="gradtape-oracle-") as temporary:
        folder = Path(temporary)
        theirs = workers.python_of(options.venv) if options.venv else workers.with_tensorflow(folder / "tensorflow")
        python = Path(sys.executable), theirs
        texts = [t for t in good.texts() if not options.only or any(name in t for name in options.only)]
        start = outcomes(python, [Case("good", "", t, "", {}, kinds.MODES) for t in texts], folder, options.keep)
        cases = list(kinds.cases(o.case.text for o in start if not o.ours and not o.theirs))
        print(f"{len(cases)} calls", file=sys.stderr)
        found = outcomes(python, cases, folder, options.keep)
        version = workers.version(theirs, "tensorflow")
    if options.all:
        options.all.write_text("\n".join(str(o) for o in found if o.verdict not in (AGREE, CRASH)), encoding="utf-8")
    return told(found, options, version)


def told(found: list[Outcome], options: argparse.Namespace, version: str) -> int:
    """Print what is not explained; write the page."""
    rows = differences.known()
    by_row, unknown = differences.explained(found, rows)
    print(page.summary(found, unknown, options.show))
    if options.only:
        return int(bool(unknown))
    idle = [row for row, explained in zip(rows, by_row, strict=True) if not explained]
    for row in idle:
        print(f"differences.toml: nothing differs any more: {row.reason}")
    page.PAGE.write_text(page.text(found, rows, by_row, unknown, version), encoding="utf-8")
    sample.write(found)
    print(f"wrote {page.PAGE} and {sample.FILE}")
    others = sum(outcome.verdict == CLASS for outcome in found)
    return int(bool(unknown or idle or others >= page.LIMIT * len(found)))


if __name__ == "__main__":
    raise SystemExit(main())
