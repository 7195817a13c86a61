"""What both libraries do with a call, and what the two outcomes mean."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import workers
from ..case import Case

PATIENCE = 20.0  # seconds that one call may take
AGREE, SILENT, CLASS, REVERSE, CRASH = "agree", "silent", "other class", "only here", "crash"


@dataclass(frozen=True)
class Outcome:
    """One call in both libraries: the names of the classes of what was raised (none if nothing was), and the messages."""

    case: Case
    ours: tuple[str, ...]
    theirs: tuple[str, ...]
    our_message: str = ""
    their_message: str = ""

    @property
    def verdict(self) -> str:
        """Ours agrees where `except` with TensorFlow's class would catch it."""
        if "crash" in self.theirs or "hang" in self.theirs:
            return CRASH
        if not self.theirs:
            return REVERSE if self.ours else AGREE
        if not self.ours:
            return SILENT
        return AGREE if self.theirs[0] in self.ours else CLASS

    def __str__(self) -> str:
        ours = f"{self.ours[0]}: {self.our_message}" if self.ours else "a result"
        theirs = f"{self.theirs[0]}: {self.their_message}" if self.theirs else "a result"
        return f"{self.verdict}: {self.case.text}\n    gradtape:   {ours}\n    TensorFlow: {theirs}"


def outcomes(python: tuple[Path, Path], cases: Sequence[Case], folder: Path, kept: Path | None) -> list[Outcome]:
    """Run the cases in both interpreters at once; what TensorFlow did is looked up in `kept`, if it is there."""
    known: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8")) if kept and kept.exists() else {}
    new = [case for case in cases if case.text not in known]
    with ThreadPoolExecutor(2) as pool:
        ours = pool.submit(workers.run, python[0], "gradtape", cases, folder, PATIENCE)
        theirs = pool.submit(workers.run, python[1], "tensorflow", new, folder, PATIENCE)
        known |= {case.text: outcome["value"] for case, outcome in zip(new, theirs.result(), strict=True)}
        if kept and new:
            kept.write_text(json.dumps(known), encoding="utf-8")
        pairs = zip(cases, ours.result(), strict=True)
        return [_outcome(case, mine["value"], known[case.text]) for case, mine in pairs]


def _outcome(case: Case, ours: dict[str, Any], theirs: dict[str, Any]) -> Outcome:
    raised = tuple(ours.get("error", ())), tuple(theirs.get("error", ()))
    return Outcome(case, *raised, ours.get("message", ""), theirs.get("message", ""))
