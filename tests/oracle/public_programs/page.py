"""The page docs/programs.md: each program, what it does, whether it runs, whether its numbers are equal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .comparison import ABSOLUTE, RELATIVE, Comparison

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "programs.md"

HEAD = f"""# Public programs on gradtape

Written by `python -m tests.oracle.public_programs`; do not edit. Scripts and notebooks of public repositories, run on TensorFlow
and, through `gradtape.as_tensorflow()`, on gradtape, with the same seeds. The edits are the same for both: what a program would
download is made (`tests/oracle/public_programs/made.py`: pictures, texts, houses, environments; networks have random weights),
epochs and sizes are small, and names that Keras 3 took away are replaced (`programs.toml` there has every edit).

*Cells* counts the cells of a notebook that end without an exception, here / on TensorFlow; a script is one. *Raises* means that
a cell which ends on TensorFlow does not end here. *Numbers* are those that a program prints and those that its global names hold
at the end: arrays, tensors, weights, states of optimizers; nothing after a cell that ends here only. Two are equal
within {RELATIVE:g} of the value or of the largest of its array, or {ABSOLUTE:g}; elements of pictures within 2 of 255.
"""


def line(row: dict[str, Any], comparison: Comparison, details: bool = False) -> str:
    """One row of the table; with what failed and differs below it."""
    cells = f"{comparison.ends_here} / {comparison.ends_on_tensorflow}"
    share = f"{comparison.equal:,} of {comparison.numbers:,}" if not comparison.agrees else f"{comparison.numbers:,}"
    reasons = [f"cells that end here only: {comparison.only_here}"] if comparison.only_here else []
    reasons += [row["why"]] if "why" in row else []
    parts = (f"{row['repository']} `{row['path']}`", row["does"], cells, comparison.verdict, share, "; ".join(reasons))
    text = f"| {' | '.join(parts)} |"
    if details:
        text += "".join(f"\n    {one}" for one in [*comparison.failures, *comparison.differences[:12]])
    return text


def written(found: Sequence[tuple[dict[str, Any], Comparison]]) -> str:
    """The text of the page."""
    runs = sum(comparison.runs for _, comparison in found)
    equal = sum(comparison.agrees for _, comparison in found)
    repositories = len({row["repository"] for row, _ in found})
    counts = f"{len(found)} programs of {repositories} repositories: {runs} run, {equal} with equal numbers."
    table = ["| program | what it does | cells | outcome | numbers | why |", "| --- | --- | ---: | --- | ---: | --- |"]
    return "\n".join([HEAD, counts, "", *table, *(line(row, comparison) for row, comparison in found)]) + "\n"
