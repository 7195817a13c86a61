"""Makes the links of README.md absolute for the package index, once `repo_url` of mkdocs.yml says where the project is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?://|#)([^)]+)\)")


def absolute(text: str, home: str) -> str:
    """The text with links that lead from the page itself; as it is while there is no home."""
    if not home:
        return text
    return _LINK.sub(lambda link: f"{link[1]}[{link[2]}]({home}/{'raw' if link[1] else 'blob'}/main/{link[3]})", text)


def home_in(settings: str) -> str:
    """The address in mkdocs.yml."""
    found = re.search(r'^repo_url: "?([^"\n]*)"?$', settings, re.MULTILINE)
    return found[1].rstrip("/") if found else ""


class ReadmeHook(MetadataHookInterface):
    """Gives the readme to the metadata of the package."""

    def update(self, metadata: dict[str, Any]) -> None:
        root = Path(self.root)
        home = home_in((root / "mkdocs.yml").read_text(encoding="utf-8"))
        text = absolute((root / "README.md").read_text(encoding="utf-8"), home)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
