"""`python -m tests.soak`: mixed training, data, saving and restoring for 30 minutes; writes docs/soak.md."""

from __future__ import annotations

import argparse
import platform
from pathlib import Path

import numpy as np

from .run import GROWTH, Soak, soak

PAGE = Path(__file__).parents[2] / "docs" / "soak.md"


def page(seen: Soak) -> str:
    """The page, from what was seen."""
    quarter = max(1, len(seen.memory) // 4)
    rows = [
        ("rounds", f"{len(seen.memory):,}"),
        ("minutes", f"{seen.seconds / 60:.1f}"),
        ("updates of shared variables, all of which arrived", f"{seen.updates:,}"),
        ("memory after the first round, MB", f"{seen.memory[0]:.1f}"),
        ("memory after a quarter of the rounds, MB", f"{seen.memory[quarter]:.1f}"),
        ("memory at the end, MB", f"{seen.memory[-1]:.1f}"),
        ("growth from the second quarter to the last", f"{seen.growth:+.2%} (allowed: {GROWTH:.0%})"),
        ("Python, NumPy", f"{platform.python_version()}, {np.__version__}"),
    ]
    table = "\n".join(f"| {name} | {value} |" for name, value in rows)
    return f"""# Soak

`python -m tests.soak` writes this page. Each round runs six threads at once: two train a traced function with an optimizer in
one pass, and are saved and restored half way; one fits, saves and loads a Keras model; two add to shared variables, in eager code
and in functions; one saves these variables meanwhile, and looks whether they are whole in the file. All data comes from pipelines
with threads. After each round all losses and weights must have the bytes that they had on a thread alone, and every update of the
shared variables must have arrived.

| last run | |
| --- | --- |
{table}
"""


def main(arguments: list[str] | None = None) -> int:
    """0 when all results were exact and the memory flat."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0, help="how long to work (default: %(default)s)")
    seen = soak(60 * parser.parse_args(arguments).minutes)
    PAGE.write_text(page(seen), encoding="utf-8")
    print(f"{len(seen.memory)} rounds, memory {seen.growth:+.2%}; wrote {PAGE.name}")
    return int(seen.growth > GROWTH)


if __name__ == "__main__":
    raise SystemExit(main())
