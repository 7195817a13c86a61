"""The kinds of differences that remain: a table in differences.toml, each row with its reason."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .outcomes import AGREE, CRASH, Outcome

TABLE = Path(__file__).parent / "differences.toml"
IN_FUNCTIONS = Path(__file__).parent / "in_functions.toml"


@dataclass(frozen=True)
class Known:
    """A row: every part that is given must fit. All but the verdict are regular expressions."""

    verdict: str
    reason: str
    call: str = ""
    kind: str = ""
    ours: str = ""
    theirs: str = ""

    def explains(self, outcome: Outcome) -> bool:
        """Whether the row is about this outcome."""
        return (
            self.verdict == outcome.verdict
            and re.search(self.call, outcome.case.text) is not None
            and re.search(self.kind, outcome.case.origin) is not None
            and re.search(self.ours, f"{outcome.ours[:1]} {outcome.our_message}") is not None
            and re.search(self.theirs, f"{outcome.theirs[:1]} {outcome.their_message}") is not None
        )


def known(table: Path = TABLE) -> list[Known]:
    """The rows of a table."""
    return [Known(**row) for row in tomllib.loads(table.read_text(encoding="utf-8")).get("difference", [])]


def explained(found: Sequence[Outcome], rows: Sequence[Known]) -> tuple[list[list[Outcome]], list[Outcome]]:
    """The differences by the first row that explains them, and those that none explains."""
    by_row: list[list[Outcome]] = [[] for _ in rows]
    unknown: list[Outcome] = []
    for outcome in found:
        if outcome.verdict in (AGREE, CRASH):
            continue
        number = next((n for n, row in enumerate(rows) if row.explains(outcome)), None)
        (unknown if number is None else by_row[number]).append(outcome)
    return by_row, unknown
