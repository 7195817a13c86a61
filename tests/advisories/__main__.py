"""`python -m tests.advisories`: runs all attempts, or with a number N one in N, and writes docs/advisories.md."""

from __future__ import annotations

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
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1))
