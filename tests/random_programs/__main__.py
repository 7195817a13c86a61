"""`python -m tests.random_programs`: thousands of random programs of each kind; writes docs/random-programs.md.

The programs are those of four test files, which draw a few of them in CI. A program that fails is made as small as it gets and
printed, and belongs into the file of its kind as a test.
"""

from __future__ import annotations

import argparse
import platform
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from tests.autograph import test_random_programs as statements
from tests.compile import test_random_native as forms
from tests.trace import test_random_kinds as kinds
from tests.trace import test_random_programs as sizes

PAGE = Path(__file__).parents[2] / "docs" / "random-programs.md"
TEXT = """# Random programs

`python -m tests.random_programs` writes this page; `--kind` runs one kind, `--seed` draws others. Each program
is run in all of the ways that must agree.

| kind | what is drawn | what must agree |
| --- | --- | --- |
| `sizes` | up to 8 ops on matrices, with loops, branches, `map_fn` and `scan` that have such programs inside, two deep \
| eager code, a function of known sizes, of an unknown number of rows, and of unknown sizes alone: \
values and gradients, for 4 rows and for 1; each signature is traced once; of results that are one value, the gradient of each |
| `kinds` | up to 7 ops on text, truth values, ragged, sparse and plain tensors, with loops and branches, whose results are \
returned twice \
| the same, and the gradient of each result under a tape outside |
| `statements` | Python code: `if`, `while`, `for`, `break`, `continue` and `return` inside each other \
| the Python code, and what AutoGraph makes of it: values and gradients for three arguments |
| `forms` | ops on small vectors, with loops and branches inside each other \
| Python lines, native groups and one native function, to the last bit; eager code to 1e-7: values and gradients |
"""
HEAD = "| last run of | programs | failed | minutes | seed | Python, NumPy |\n| --- | ---: | ---: | ---: | ---: | --- |"


@dataclass(frozen=True)
class Kind:
    """Programs of one kind: how they are drawn, and the check that one of them must pass."""

    check: Callable[..., None]
    drawn: Any


KINDS = {
    "sizes": Kind(sizes.check, st.tuples(sizes.programs(2))),
    "kinds": Kind(kinds.check, st.tuples(kinds.programs)),
    "statements": Kind(statements.compare, st.tuples(st.integers(0, 2**32))),
    "forms": Kind(forms.check, st.tuples(forms.statements(2), forms.NUMBERS)),
}


def run(kind: Kind, count: int, number: int) -> int:
    """How many of these programs were run and passed; the first failure is printed and ends the run."""
    passed = 0

    def check(drawn: Any) -> None:
        nonlocal passed
        kind.check(*drawn)
        passed += 1

    options = settings(max_examples=count, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    try:
        seed(number)(options(given(kind.drawn)(check)))()
    except Exception:
        traceback.print_exc()
        return passed
    return count


def rows_of(page: str) -> dict[str, str]:
    """The rows of the last runs on a page, by kind."""
    lines = page.partition(HEAD)[2].splitlines()
    return {line.split("|")[1].strip(" `"): line for line in lines if line.startswith("| `")}


def main(arguments: list[str] | None = None) -> int:
    """0 when no program failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.random_programs", description=__doc__)
    parser.add_argument("--kind", choices=sorted(KINDS), action="append", help="only this kind (default: all)")
    parser.add_argument("--programs", type=int, default=5000, help="how many of each kind (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="which ones (default: %(default)s)")
    given = parser.parse_args(arguments)
    rows = rows_of(PAGE.read_text(encoding="utf-8")) if PAGE.exists() else {}
    failed = False
    for name in given.kind or KINDS:
        begin = time.monotonic()
        passed = run(KINDS[name], given.programs, given.seed)
        failed |= passed < given.programs
        minutes = (time.monotonic() - begin) / 60
        result = "none" if passed == given.programs else f"one after {passed:,}"
        versions = f"{platform.python_version()}, {np.__version__}"
        rows[name] = f"| `{name}` | {given.programs:,} | {result} | {minutes:.0f} | {given.seed} | {versions} |"
        print(f"{name}: {given.programs} programs, failed: {result}, {minutes:.1f} minutes")
        PAGE.write_text("\n".join([TEXT, HEAD, *(rows[kind] for kind in KINDS if kind in rows), ""]), encoding="utf-8")
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
