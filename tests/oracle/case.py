"""A case: one text that both libraries run, its inputs, and what is compared."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .evaluate import encode

VALUE = ("value",)
FIRST = ("value", "gradient")
SECOND = ("value", "gradient", "second")

# Second derivatives are compared in the wide types; the narrow ones would compare rounding with rounding.
MODES: dict[str, tuple[str, ...]] = {"float16": FIRST, "bfloat16": FIRST, "complex64": FIRST}


@dataclass(frozen=True)
class Case:
    """`origin` says where it comes from (sample, bad input, call, program), `subject` what it is about."""

    origin: str
    subject: str
    text: str
    dtype: str
    inputs: Mapping[str, Any] = field(default_factory=dict)
    modes: tuple[str, ...] = SECOND

    @property
    def namespace(self) -> str:
        """The namespace of the first name of tf in the text."""
        if self.origin == "program":
            return "random programs"
        found = re.search(r"\btf((?:\.[a-z_0-9]+)*)\.\w+\(", self.text)
        return f"tf{found.group(1)}" if found else "operators"

    def as_json(self, number: int) -> dict[str, Any]:
        """What a worker is given."""
        inputs = {name: encode(array) for name, array in self.inputs.items()}
        return {"id": number, "text": self.text, "inputs": inputs, "modes": self.modes}

    def shown(self) -> str:
        """The call with its inputs named by type and shape."""
        shapes = ", ".join(f"{n}: {a.dtype}{list(a.shape)}" for n, a in self.inputs.items())
        return self.text.replace("\n", "; ") + (f"  [{shapes}]" if shapes else "")
