"""One bad call of each function with the class that TensorFlow raises: tests/error_classes.txt, for the normal test run."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path

from .outcomes import AGREE, Outcome

FILE = Path(__file__).parents[2] / "error_classes.txt"
LONGEST = 240  # characters of a call
# Python itself refuses the first three; images need a package that need not be there.
LEFT_OUT = ("too many arguments", "an unknown keyword", "left out")
NEEDS_PILLOW = ("jpeg", "png", "decode_image")


def lines(found: Sequence[Outcome]) -> list[str]:
    """`class<tab>call`, one for each function, and one for each kind of bad argument and class."""
    chosen: dict[tuple[str, ...], Outcome] = {}
    for outcome in sorted(found, key=lambda o: zlib.crc32(o.case.text.encode())):
        text, kind = outcome.case.text, outcome.case.origin
        if not outcome.theirs or outcome.verdict != AGREE or len(text) > LONGEST or kind in LEFT_OUT:
            continue
        if "object()" not in text and not any(word in text for word in NEEDS_PILLOW):
            function = outcome.case.subject.partition(":")[0]
            chosen.setdefault((function,), outcome)
            chosen.setdefault((kind, outcome.theirs[0]), outcome)
    return sorted({f"{outcome.theirs[0]}\t{outcome.case.text}" for outcome in chosen.values()})


def write(found: Sequence[Outcome]) -> None:
    """Write the file."""
    FILE.write_text("\n".join(lines(found)) + "\n", encoding="utf-8")
