"""Measures every elementwise op and every reduction, and writes docs/accuracy.md: `python -m tests.accuracy [op ...]`.

With names of ops, only these are measured, and nothing is written.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from typing import Any

from . import page
from .held import over
from .measure import op_of
from .reference import FULL
from .table import ELEMENTWISE, REDUCTIONS
from .tasks import TYPES, measured


def main() -> int:
    wanted = set(sys.argv[1:])
    names = [name for name in (*ELEMENTWISE, *REDUCTIONS) if not wanted or wanted & {name, op_of(name).name}]
    # The slowest first: those of few arguments.
    names.sort(key=lambda name: ELEMENTWISE[name].count if name in ELEMENTWISE else FULL)
    tasks = [(name, kind, FULL) for name in names for kind in TYPES]
    found: dict[tuple[str, str], dict[str, Any]] = {}
    failed = 0
    with multiprocessing.get_context("spawn").Pool(os.cpu_count()) as pool:
        for (name, kind, _), errors in pool.imap_unordered(measured, tasks):
            found[name, kind] = errors
            for line in over(name, kind, errors):
                print(line)
                failed += 1
            print(f"{name}, {kind}: {page.summary(errors)}", flush=True)
    if not wanted:
        page.write(found)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
