"""`gradtape explain script.py`: runs a program, and says why each None was None, and where each NaN began."""

import sys
from collections.abc import Sequence
from typing import Any

from ..diagnostics import asking, chain, nonfinite
from . import launch


class Findings:
    """What a program met: each explanation once, with how often it came up."""

    def __init__(self) -> None:
        self.nones: dict[str, int] = {}
        self.nonfinite: dict[str, int] = {}

    def none(self, tape: Any, sources: list[Any]) -> None:
        """A tape gave None for these sources."""
        text = asking.summary(asking.explanations_of(tape, sources))
        self.nones[text] = self.nones.get(text, 0) + 1

    def not_finite(self, message: str) -> None:
        """An op made a nan or an inf."""
        self.nonfinite[message] = self.nonfinite.get(message, 0) + 1

    def __str__(self) -> str:
        lines = []
        for title, found in (("gradients that were None", self.nones), ("nan and inf", self.nonfinite)):
            lines.append(f"{title}: {len(found) or 'none'}")
            for text, count in found.items():
                lines.append(f"{text}\n  ({count} time{'' if count == 1 else 's'})")
        return "\n".join(lines)


def run(script: str, arguments: Sequence[str] = ()) -> None:
    """Run the file as the main program, then print what was found; also if the program fails."""
    findings = Findings()
    checks = nonfinite.Checks(findings.not_finite, origins=True)
    chain.LISTENERS.append(findings.none)
    checks.enable()
    ran = True
    try:
        launch.run(script, arguments)
    except launch.NoSuchProgram:
        ran = False
        raise
    finally:
        checks.disable()
        chain.LISTENERS.remove(findings.none)
        sys.stdout.flush()
        if ran:
            print(f"--- gradtape explain ---\n{findings}")
