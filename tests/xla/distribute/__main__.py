"""`python -m tests.xla.distribute`: a program in 2 and 4 processes, with and without a kill; writes docs/processes.md."""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

from .runs import STEPS, Run, run

PAGE = Path(__file__).parents[3] / "docs" / "processes.md"
HEAD = "| run | processes | killed | named after, s | went on from step | whole run, s | result |"
TEXT = f"""# Runs in several processes

`python -m tests.xla.distribute` writes this page. A program ([worker.py](../tests/xla/distribute/worker.py)) trains for {STEPS}
steps with replicas, and on a mesh with a weight that is cut over all processes, started by `gradtape launch` on one machine. It
saves a checkpoint after each step. In some of the runs one process, chosen at random, is killed (`kill -9`) at a random moment:
while it starts, finds the others, compiles, trains or saves.

A run is *ok* if all processes end with the losses that NumPy computes in one process (within 1e-4), and, after a kill, the
command has named the lost process within 30 seconds and all have gone on from the last checkpoint. A run that does not end in 5
minutes has failed.
"""


def page(runs: list[Run]) -> str:
    """The page, from all runs."""
    killed = [r for r in runs if r.killed]
    failed = sum(r.result != "ok" for r in runs)
    named = max((r.named for r in killed if r.named is not None), default=0.0)
    lines = [
        f"Last result: **{len(runs) - len(killed)} runs without a kill, {len(killed)} with one; {failed} failed.** A lost "
        f"process was named after at most {named:.1f} s.",
        "",
        HEAD,
        "| ---: | ---: | --- | ---: | ---: | ---: | --- |",
    ]
    for number, r in enumerate(runs, 1):
        seconds = "" if r.named is None else f"{r.named:.1f}"
        step = "" if r.resumed is None else r.resumed
        result = " ".join(r.result.replace("|", "/").split())
        lines.append(f"| {number} | {r.processes} | {r.killed} | {seconds} | {step} | {r.seconds:.1f} | {result} |")
    return "\n".join([TEXT, *lines, ""])


def runs_in(text: str) -> list[Run]:
    """The runs that a page has."""
    table = text.partition(HEAD)[2].strip().splitlines()[1:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table]
    return [
        Run(int(count), killed, float(named) if named else None, int(step) if step else None, float(seconds), result)
        for _, count, killed, named, step, seconds, result in cells
    ]


def main(arguments: list[str] | None = None) -> int:
    """0 when no run has failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.xla.distribute", description=__doc__)
    parser.add_argument("--runs", type=int, default=20, help="runs without a kill (default: %(default)s)")
    parser.add_argument("--kills", type=int, default=20, help="runs with a kill (default: %(default)s)")
    parser.add_argument("--seed", type=int, help="of the moments (default: another one each time)")
    parser.add_argument("--more", action="store_true", help="add to the runs of the page, rather than begin it anew")
    settings = parser.parse_args(arguments)
    seed = random.randrange(2**32) if settings.seed is None else settings.seed
    chance = random.Random(seed)
    print(f"seed {seed}", flush=True)
    runs = runs_in(PAGE.read_text(encoding="utf-8")) if settings.more and PAGE.exists() else []
    for number in range(settings.runs + settings.kills):
        runs.append(run(4 if number % 2 else 2, chance if number >= settings.runs else None))
        print(runs[-1], flush=True)
        PAGE.write_text(page(runs), encoding="utf-8")
    return int(any(r.result != "ok" for r in runs))


if __name__ == "__main__":
    sys.exit(main())
