"""The known differences: a table in differences.toml, each row with its reason."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .compare import Difference

TABLE = Path(__file__).parent / "differences.toml"


@dataclass(frozen=True)
class Known:
    """A row: every part that is given must fit."""

    call: str  # a regular expression that the call's text must contain
    reason: str
    modes: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    ours: str = ""  # regular expressions over what each side gave
    theirs: str = ""
    bug: bool = False  # ours to repair: reported apart

    def explains(self, difference: Difference) -> bool:
        """Whether the row is about this difference."""
        case = difference.case
        types = {case.dtype, *(a.dtype.name for a in case.inputs.values())}
        return (
            (not self.modes or difference.mode in self.modes)
            and (not self.kinds or difference.kind in self.kinds)
            and (not self.dtypes or bool(types & set(self.dtypes)))
            and (not self.origins or case.origin in self.origins)
            and re.search(self.call, case.text) is not None
            and re.search(self.ours, difference.ours) is not None
            and re.search(self.theirs, difference.theirs) is not None
        )


def known() -> list[Known]:
    """The rows of the table."""
    rows: list[dict[str, Any]] = tomllib.loads(TABLE.read_text(encoding="utf-8")).get("difference", [])
    return [Known(**{k: _frozen(v) for k, v in row.items()}) for row in rows]


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def explained(found: Sequence[Difference], rows: Sequence[Known]) -> tuple[list[list[Difference]], list[Difference]]:
    """The differences by the row that explains them, and those that none explains."""
    by_row: list[list[Difference]] = [[] for _ in rows]
    unknown: list[Difference] = []
    for difference in found:
        for number, row in enumerate(rows):
            if row.explains(difference):
                by_row[number].append(difference)
                break
        else:
            unknown.append(difference)
    return by_row, unknown
