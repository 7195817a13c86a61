"""`python -m tests.advisories`: runs all attempts, and writes docs/advisories.md."""

from __future__ import annotations

import collections
import sys

from . import worker
from .page import PAGE, page
from .run import run


def main() -> int:
    made = (make() for make in worker.attempts())
    counts = collections.Counter((attempt.subject, attempt.kind) for attempt in made)
    found = run()
    PAGE.write_text(page(counts, found), encoding="utf-8")
    for _, _, kind, text, how in found:
        print(f"{kind}: {text}\n    {how}")
    print(f"{sum(counts.values())} attempts, {len(found)} break the promise; wrote {PAGE.name}")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
