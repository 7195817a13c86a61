"""Compares what the two libraries gave for one case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .case import Case
from .evaluate import decode

# The relative error that a computation in each type may have, measured against the largest element.
TOLERANCE = {
    "float16": 6e-3,
    "bfloat16": 4e-2,
    "float32": 3e-5,
    "float64": 1e-9,
    "complex64": 5e-5,
    "complex128": 1e-9,
}
# Derivatives are longer computations.
SLACK = {"value": 1.0, "gradient": 3.0, "second": 10.0}


@dataclass(frozen=True)
class Difference:
    """One disagreement: in which mode, of what kind, and both sides in words."""

    case: Case
    mode: str
    kind: str  # error, none, type, shape, value, structure, crash
    ours: str
    theirs: str

    def __str__(self) -> str:
        return (
            f"{self.mode}, {self.kind}: {self.case.shown()}\n    gradtape:   {self.ours}\n    TensorFlow: {self.theirs}"
        )


def differences(case: Case, ours: dict[str, Any], theirs: dict[str, Any]) -> list[Difference]:
    """The first disagreement of each mode; none after one in the value, which would only repeat it."""
    found: list[Difference] = []
    for mode in case.modes:
        if mode not in ours and mode not in theirs:
            continue
        disagreement = _outcomes(ours.get(mode), theirs.get(mode), mode)
        if disagreement is not None:
            found.append(Difference(case, mode, *disagreement))
            if mode == "value" or disagreement[0] in ("error", "none"):
                break
    return found


def compared(case: Case, ours: dict[str, Any], theirs: dict[str, Any]) -> list[str]:
    """The modes in which there was something to compare; an exception on both sides is the mode `error`."""
    modes = [mode for mode in case.modes if mode in ours and mode in theirs]
    return ["error" if "error" in theirs[m] and m == "value" else m for m in modes]


Verdict = tuple[str, str, str] | None


def _outcomes(ours: Any, theirs: Any, mode: str) -> Verdict:
    if ours is None or theirs is None:
        return ("structure", _said(ours), _said(theirs))
    if "error" in theirs or "error" in ours:
        if "error" in theirs and "error" in ours and theirs["error"][0] in ours["error"]:
            return None
        return ("crash" if "crash" in theirs or "crash" in ours else "error", _said(ours), _said(theirs))
    if len(ours["leaves"]) != len(theirs["leaves"]):
        return ("structure", _said(ours), _said(theirs))
    for mine, other in zip(ours["leaves"], theirs["leaves"], strict=True):
        verdict = _leaf(mine, other, mode)
        if verdict is not None:
            return verdict
    return None


def _leaf(ours: Any, theirs: Any, mode: str) -> Verdict:
    if ours is None or theirs is None:
        return None if ours is theirs else ("none", _said(ours), _said(theirs))
    if ours.keys() != theirs.keys():
        return ("structure", _said(ours), _said(theirs))
    for kind in ("slices", "sparse"):
        if kind in ours:
            for mine, other in zip(ours[kind], theirs[kind], strict=True):
                verdict = _arrays(mine, other, mode)
                if verdict is not None:
                    return verdict
            return None
    if "python" in ours:
        return None if ours == theirs else ("value", ours["python"], theirs["python"])
    return _arrays(ours, theirs, mode)


def _arrays(ours: dict[str, Any], theirs: dict[str, Any], mode: str) -> Verdict:
    if ours["dtype"] != theirs["dtype"]:
        return ("type", ours["dtype"], theirs["dtype"])
    if ours["shape"] != theirs["shape"]:
        return ("shape", str(ours["shape"]), str(theirs["shape"]))
    a, b = decode(ours), decode(theirs)
    if a.dtype.name not in TOLERANCE:
        return None if np.array_equal(a, b) else ("value", _text(a), _text(b))
    tolerance = TOLERANCE[a.dtype.name] * SLACK[mode]
    wide = np.complex128 if a.dtype.kind == "c" else np.float64
    a, b = a.astype(wide), b.astype(wide)
    return None if close(a, b, tolerance) else ("value", _text(a), _text(b))


def close(a: Any, b: Any, tolerance: float) -> bool:
    """Equal up to the tolerance; inf and nan at the same places."""
    if a.dtype.kind == "c":
        return close(a.real, b.real, tolerance) and close(a.imag, b.imag, tolerance)
    finite = np.isfinite(b)
    if not np.array_equal(finite, np.isfinite(a)) or not np.array_equal(a[~finite], b[~finite], equal_nan=True):
        return False
    scale = max(1.0, float(np.max(np.abs(b[finite]), initial=0.0)))
    return bool(np.all(np.abs(a[finite] - b[finite]) <= tolerance * scale))


def _text(array: Any) -> str:
    with np.printoptions(precision=7, threshold=12, edgeitems=4, linewidth=10**6):
        return " ".join(str(array).split())


def _said(outcome: Any) -> str:
    if outcome is None:
        return "None"
    if "error" in outcome:
        return f"{outcome['error'][0]}: {outcome['message']}"
    if "leaves" in outcome:
        return "[" + ", ".join(_said(leaf) for leaf in outcome["leaves"]) + "]"
    if "slices" in outcome:
        return "IndexedSlices"
    if "sparse" in outcome:
        return "SparseTensor"
    if "python" in outcome:
        return str(outcome["python"])
    return f"{outcome['dtype']}{outcome['shape']} {_text(decode(outcome))}"
