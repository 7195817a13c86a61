"""Two commits of gradtape in turns: `python -m benchmarks --against COMMIT`.

Made for small differences. What counts is processor time, which other programs disturb less than the clock on the wall. Both
commits run the rows of this checkout, in processes of their own, and these are started anew several times: where a
process happens to put its memory moves a figure by a few percent, however many rounds it runs.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.crew import CHECKOUT, Process, WorkerRunner
from benchmarks.peers import CONTESTANTS, PEERS
from benchmarks.race import Entry, Outcome, race
from benchmarks.timing import CLOCK, PROCESSOR
from benchmarks.workload import Workload

STARTS = 6  # of each commit's process, unless more are asked for; the rounds are divided among them
ROUNDS = 30  # the fewest that an interval is made from
CONFIDENCE = 0.95
_RESAMPLES = 4000
_ENVIRONMENT = {CLOCK: PROCESSOR, "PYTHONHASHSEED": "0"}
_OURS = [name for name, contestant in CONTESTANTS.items() if contestant.peer == "gradtape"]


class NoSuchCommit(Exception):
    """There are no files to compare with; the text says why."""


def contestants(row: Workload) -> list[str]:
    """The ways of running gradtape that take part in a row; none, if the row does not measure time."""
    return [name for name in _OURS if name in row.contestants] if row.is_timed else []


@dataclass
class Comparison:
    """One way of running one row, on both commits: processor seconds a step, by start and round."""

    row: Workload
    contestant: str
    new: list[list[float]] = field(default_factory=list)
    old: list[list[float]] = field(default_factory=list)
    problem: str = ""

    @property
    def ratio(self) -> float:
        """The median of this checkout over that of the other commit."""
        return float(np.median(np.concatenate(self.new)) / np.median(np.concatenate(self.old)))

    def interval(self) -> tuple[float, float]:
        """Where the ratio lies with 95 % confidence.

        By resampling: starts first, then the rounds of each, since rounds of one process are alike. A round of one
        commit stays with that of the other, which ran right beside it and met the same disturbances.
        """
        measured = np.asarray([self.new, self.old])
        _, starts, rounds = measured.shape
        rng = np.random.default_rng(0)
        start = rng.integers(starts, size=(_RESAMPLES, starts, 1))
        turn = rng.integers(rounds, size=(_RESAMPLES, starts, rounds))
        new, old = np.median(measured[:, start, turn].reshape(2, _RESAMPLES, -1), axis=2)
        tail = (1 - CONFIDENCE) / 2
        low, high = np.quantile(new / old, [tail, 1 - tail])
        return float(low), float(high)

    def verdict(self, within: float) -> str:
        """Whether the new commit is shown to be at most so many percent slower."""
        low, high = self.interval()
        bound = 1 + within / 100
        return "pass" if high <= bound else "FAIL" if low > bound else "not shown"


@contextlib.contextmanager
def checkout_of(commit: str) -> Iterator[Path]:
    """The files of a commit, in a folder of their own for as long as they are needed."""
    found = _git("rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}")
    if found.returncode:
        raise NoSuchCommit(f"no commit {commit!r} in this repository; `git log --oneline` lists them")
    with tempfile.TemporaryDirectory(prefix="gradtape-against-") as folder:
        archive = _git("archive", "--format=tar", found.stdout.decode().strip())
        if archive.returncode:
            raise NoSuchCommit(f"git cannot give the files of {commit}: {archive.stderr.decode().strip()}")
        subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
        yield Path(folder)


def _git(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["git", "-C", str(CHECKOUT), *arguments], capture_output=True)


def compare(
    rows: Sequence[Workload],
    other: Path,
    starts: int,
    rounds: int,
    seconds: float,
    passed: Callable[[], None] = lambda: None,
) -> Iterator[Comparison]:
    """Each row of this checkout and of the other one, in turns, one comparison after another.

    `passed` is called whenever a turn is over.
    """
    for row in rows:
        for contestant in contestants(row):
            comparison = Comparison(row, contestant)
            for start in range(starts):
                entries = _turns(
                    row,
                    contestant,
                    {"new": CHECKOUT, "old": other},
                    _rounds_a_start(starts, rounds),
                    seconds,
                    swapped=bool(start % 2),
                    passed=lambda name: passed(),
                )
                comparison.problem = _problem(entries)
                if comparison.problem:
                    break
                comparison.new.append(entries["new"].rounds)
                comparison.old.append(entries["old"].rounds)
            yield comparison


def turns(rows: Sequence[Workload], starts: int, rounds: int) -> int:
    """How many turns `compare` takes, for a progress bar."""
    return sum(len(contestants(row)) for row in rows) * starts * 2 * (1 + _rounds_a_start(starts, rounds))


def _rounds_a_start(starts: int, rounds: int) -> int:
    return -(-max(rounds, ROUNDS) // starts)


def _turns(
    row: Workload,
    contestant: str,
    trees: Mapping[str, Path],
    rounds: int,
    seconds: float,
    swapped: bool,
    passed: Callable[[str], None],
) -> dict[str, Entry]:
    """One start: a fresh process for each tree, and their rounds in turns."""
    with tempfile.TemporaryDirectory(prefix="gradtape-against-") as folder, contextlib.ExitStack() as stack:

        def runner(name: str) -> WorkerRunner:
            log, numbers = Path(folder) / f"{name}.log", Path(folder) / f"{name}.npz"
            process = Process(PEERS["gradtape"], Path(sys.executable), log, trees[name] / "src", _ENVIRONMENT)
            stack.callback(process.close)
            return WorkerRunner(lambda: process, CONTESTANTS[contestant], row.name, seconds, numbers)

        runners = {name: runner(name) for name in sorted(trees, reverse=swapped)}
        return race(runners, row.tolerance, rounds, settle=lambda: None, passed=passed)


def _problem(entries: Mapping[str, Entry]) -> str:
    names = {"new": "this checkout", "old": "the other commit"}
    return "; ".join(
        f"{names[name]} {entry.outcome.value}: {entry.reason}"
        for name, entry in entries.items()
        if entry.outcome is not Outcome.MEASURED
    )


def table(comparisons: Sequence[Comparison], within: float | None) -> Iterator[str]:
    """The lines of the report."""
    yield f"{'row':<28} {'contestant':<18} {'this':>10} {'other':>10}    {'ratio':>6}  {'95 % interval':<16}"
    for each in comparisons:
        line = f"{each.row.name:<28} {each.contestant:<18} "
        if each.problem:
            yield line + each.problem
            continue
        unit, scale = each.row.unit, each.row.unit_scale
        new, old = (float(np.median(np.concatenate(side))) * scale for side in (each.new, each.old))
        low, high = each.interval()
        verdict = "" if within is None else each.verdict(within)
        yield f"{line}{new:>10.4g} {old:>10.4g} {unit} {each.ratio:>6.3f}  {low:.3f} to {high:.3f}   {verdict}".rstrip()


def as_json(comparisons: Sequence[Comparison], context: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **context,
        "comparisons": [
            {
                "row": each.row.name,
                "contestant": each.contestant,
                "problem": each.problem,
                "new": each.new,
                "old": each.old,
                **({} if each.problem else {"ratio": each.ratio, "interval": each.interval()}),
            }
            for each in comparisons
        ],
    }
