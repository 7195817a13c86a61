"""What `importlib.metadata` says of TensorFlow: programs ask there whether it is installed, and which version."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.machinery import ModuleSpec
from importlib.metadata import Distribution, DistributionFinder
from pathlib import Path
from typing import Any

from ..version import VERSION

_METADATA = (
    f"Metadata-Version: 2.1\nName: tensorflow\nVersion: {VERSION}\nSummary: gradtape in the place of TensorFlow\n"
)


class _TensorFlow(Distribution):
    def read_text(self, filename: str) -> str | None:
        return _METADATA if filename == "METADATA" else None

    def locate_file(self, path: Any) -> Any:
        return Path(__file__).parent / path


class Distributions(DistributionFinder):
    """Finds the distribution `tensorflow`, and no modules."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        return None

    def find_distributions(self, context: Any = None) -> Iterable[Distribution]:
        wanted = None if context is None else context.name
        return [_TensorFlow()] if wanted is None or wanted.lower() == "tensorflow" else []
