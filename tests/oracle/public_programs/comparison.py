"""What two runs of a program have in common: cells that ended well, printed numbers, values of global names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

RELATIVE, ABSOLUTE = 2e-3, 2e-4  # training adds up differences of the last bits
_DURATION = re.compile(
    r"(?i)\b\w*time\b|\btook\b|elapsed|duration|seconds|\d\s*(?:secs?|ms|us|µs|s|h)\b|per sec|/sec|/s\b"
)
_ADDRESS = re.compile(r"0x[0-9a-f]{6,}|id=\d+|/\S+/\S*|\d{4}-\d\d-\d\d\S*|\d{8}-\d{6}")
_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.\d*(?:e[-+]?\d+)?|\.\d+|\d+(?:e[-+]?\d+)?|nan|inf)(?!\w)", re.IGNORECASE)
_PROGRESS = re.compile(r"[^\n]*[\b\r]+")
_STEP = re.compile(r"\s*\d+/\d+ ?━*|\d+m?s \d+[mu]?s/(?:step|epoch)|\d+[mu]?s/step|ETA: \S+|\x1b\[\d*m|\x1b\[\d*[A-Z]")


@dataclass
class Comparison:
    """The outcome of a program."""

    cells: int = 0
    ends_on_tensorflow: int = 0
    ends_here: int = 0
    only_here: int = 0
    numbers: int = 0
    equal: int = 0
    failures: list[str] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)

    @property
    def runs(self) -> bool:
        """Every cell that ends well on TensorFlow ends well here."""
        return self.ends_on_tensorflow > 0 and not self.failures

    @property
    def agrees(self) -> bool:
        """All numbers are equal within the tolerance."""
        return self.runs and self.numbers == self.equal and self.numbers > 0

    @property
    def verdict(self) -> str:
        """What came of it, in a word or three."""
        if self.failures:
            return "raises"
        if not self.ends_on_tensorflow:
            return "runs here only" if self.ends_here else "raises on both"
        return "equal" if self.agrees else "runs"


def compare(theirs: Mapping[str, Any], ours: Mapping[str, Any], silent: Sequence[int] = ()) -> Comparison:
    """Compare TensorFlow's outcome and gradtape's; what the `silent` cells print depends on a clock, or on nothing."""
    result = Comparison(len(theirs["cells"]))
    for number, (printed, error) in enumerate(theirs["cells"]):
        result.ends_on_tensorflow += not error
        here = ours["cells"][number] if number < len(ours["cells"]) else ("", "not reached")
        result.ends_here += not here[1]
        result.only_here += bool(error) and not here[1]
        if here[1] and not error:
            result.failures.append(f"cell {number}: {here[1].splitlines()[0]}")
        if not (error or here[1] or result.only_here or number in silent):
            _count(result, f"printed by cell {number}", numbers_of(printed), numbers_of(here[0]))
    if not (result.failures or result.only_here):  # else the two have computed different things
        for name in sorted(set(theirs["names"]) & set(ours["names"])):
            _count(result, name, theirs["names"][name], ours["names"][name])
    return result


def numbers_of(text: str) -> list[Any]:
    """The numbers that a text shows, without times, addresses and what a progress bar has overwritten."""
    found = []
    for line in _PROGRESS.sub("", text).splitlines():
        line = _ADDRESS.sub("", _STEP.sub("", line))
        if not _DURATION.search(line):
            found += [np.asarray(float(number)) for number in _NUMBER.findall(line)]
    return found


def _count(result: Comparison, what: str, theirs: Sequence[Any], ours: Sequence[Any]) -> None:
    if len(theirs) != len(ours):
        result.numbers += 1
        result.differences.append(f"{what}: {len(theirs)} arrays or numbers on TensorFlow, {len(ours)} here")
        return
    for place, (a, b) in enumerate(zip(theirs, ours, strict=True)):
        result.numbers += max(int(np.size(a)), 1)
        if np.shape(a) != np.shape(b):
            result.differences.append(f"{what} [{place}]: shape {np.shape(a)} on TensorFlow, {np.shape(b)} here")
            continue
        wide = [np.asarray(v, np.complex128 if np.iscomplexobj(v) else np.float64) for v in (a, b)]
        steps = 2 if np.asarray(a).dtype == np.uint8 else ABSOLUTE  # of a picture, after rounding
        scale = np.max(np.abs(wide[0]), initial=0, where=np.isfinite(wide[0]))
        same = np.isclose(*wide, rtol=RELATIVE, atol=max(steps, RELATIVE * scale), equal_nan=True)
        result.equal += int(np.sum(same)) if np.size(a) else 1
        if not np.all(same):
            first = np.argmin(np.ravel(same))
            values = ", ".join(f"{np.ravel(w)[first]:.6g}" for w in wide)
            result.differences.append(
                f"{what} [{place}]: {int(np.sum(~same))} of {np.size(a)} differ, such as {values}"
            )
