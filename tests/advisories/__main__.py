"""`python -m tests.advisories`: tries bad sizes, axes and indices everywhere, and writes docs/advisories.md."""

from __future__ import annotations

import argparse
import collections
import itertools
import sys

from . import worker
from .page import PAGE, page
from .run import run


def main(step: int) -> int:
    made = (make() for make in itertools.islice(worker.attempts(), 0, None, step))
    counts = collections.Counter((attempt.subject, attempt.kind) for attempt in made)
    found = run(step=step)
    PAGE.write_text(page(counts, found, step), encoding="utf-8")
    for _, _, kind, text, how in found:
        print(f"{kind}: {text}\n    {how}")
    print(f"{sum(counts.values())} attempts, {len(found)} break the promise; wrote {PAGE.name}")
    return bool(found)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.advisories", description=__doc__)
    parser.add_argument(
        "step", nargs="?", type=int, default=1, metavar="N", help="makes one in N of all attempts (all)"
    )
    sys.exit(main(parser.parse_args().step))
