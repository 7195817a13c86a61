"""From measurements to verdicts: ratios, limits, the printed table and the JSON file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks import machine
from benchmarks.race import Entry, Outcome
from benchmarks.workload import Limit, Workload

OURS = "gradtape"


@dataclass(frozen=True)
class Verdict:
    """A limit and where we stand: `measured` is the ratio (or the absolute figure) that the limit bounds."""

    limit: Limit
    measured: float | None
    noisy: bool = False

    @property
    def word(self) -> str:
        if self.measured is None:
            return "unknown"
        if self.noisy:
            return "noisy"  # to be fast beside one whose threads wait for others is no victory
        if self.measured <= self.limit.factor:
            return "pass"
        return "FAIL" if self.limit.required else "not yet"


@dataclass(frozen=True)
class Row:
    """A workload, how each contestant did, and what that means for its limits."""

    workload: Workload
    entries: Mapping[str, Entry]
    cores_taken: float | None = None  # by others, during the race

    def figure(self, contestant: str) -> float | None:
        """The best round of a contestant, in the unit of the row."""
        entry = self.entries.get(contestant)
        best = entry.best if entry else None
        return None if best is None else best * self.workload.unit_scale

    def ratio(self, contestant: str) -> float | None:
        """How many times the contestant's figure ours is."""
        ours, theirs = self.figure(OURS), self.figure(contestant)
        return None if ours is None or theirs is None else ours / theirs

    def verdicts(self) -> list[Verdict]:
        noisy = machine.is_busy(self.cores_taken)
        return [Verdict(limit, self._measured(limit), noisy) for limit in self.workload.limits]

    def _measured(self, limit: Limit) -> float | None:
        figure, yardstick = self.figure(limit.contestant), self.yardstick(limit)
        return None if figure is None or yardstick is None else figure / yardstick

    def yardstick(self, limit: Limit) -> float | None:
        """What the factor of a limit multiplies: the figure of the fastest rival, or one unit."""
        if not limit.of:
            return 1.0
        rivals = [name for name in limit.of if name in self.workload.contestants]
        if any(name not in self.entries for name in rivals):
            return None  # the best of those who ran need not be the best
        return min((figure for name in rivals if (figure := self.figure(name)) is not None), default=None)

    def problems(self) -> list[str]:
        """What makes the run a failure: contestants that broke down or disagree, required limits missed."""
        broken = (Outcome.FAILED, Outcome.DISAGREES)
        return [
            *(f"{name} {e.outcome.value}: {e.reason}" for name, e in self.entries.items() if e.outcome in broken),
            *(v.limit.describe(self.workload.unit) for v in self.verdicts() if v.word == "FAIL"),
        ]


def table(rows: Sequence[Row]) -> Iterator[str]:
    """The lines of the report. The column of ratios says how many times the contestant's time ours is."""
    for row in rows:
        workload = row.workload
        yield f"{workload.title}  [{workload.name}]"
        if machine.is_busy(row.cores_taken):
            yield f"  NOISY: others took {row.cores_taken:.2f} cores"
        for name, entry in row.entries.items():
            figure, ratio = row.figure(name), row.ratio(name)
            if figure is None:
                yield f"  {name:<20} {entry.reason}"
                continue
            line = f"  {name:<20} {figure:>10.4g} {workload.unit}"
            if ratio is not None and name != OURS:
                line += f"   {OURS} takes {ratio:.3g} x"
            yield line
        for verdict in row.verdicts():
            kind = "limit" if verdict.limit.required else "aim"
            measured = "" if verdict.measured is None else f"{verdict.measured:.3g}"
            yield f"    {kind:<6} {verdict.limit.describe(workload.unit):<52} {measured:>7}  {verdict.word}"
        yield ""
    yield from summary(rows)


def summary(rows: Sequence[Row]) -> Iterator[str]:
    words = Counter(verdict.word for row in rows for verdict in row.verdicts() if verdict.limit.required)
    yield "limits: " + ", ".join(f"{words[word]} {word}" for word in ("pass", "FAIL", "noisy", "unknown"))
    for row in rows:
        for problem in row.problems():
            yield f"  {row.workload.name}: {problem}"


def as_json(rows: Sequence[Row], context: Mapping[str, Any]) -> dict[str, Any]:
    return {**context, "rows": [_row_as_json(row) for row in rows]}


def _row_as_json(row: Row) -> dict[str, Any]:
    workload = row.workload
    return {
        "name": workload.name,
        "title": workload.title,
        "unit": workload.unit,
        "cores_taken": row.cores_taken,
        "contestants": {
            name: {
                "outcome": entry.outcome.value,
                "detail": entry.detail,
                "best": row.figure(name),
                "rounds": [value * workload.unit_scale for value in entry.rounds],
                "calls_a_round": entry.calls,
                f"{OURS}_over_it": row.ratio(name),
            }
            for name, entry in row.entries.items()
        },
        "limits": [
            {
                "limit": verdict.limit.describe(workload.unit),
                "required": verdict.limit.required,
                "measured": verdict.measured,
                "verdict": verdict.word,
            }
            for verdict in row.verdicts()
        ],
    }
