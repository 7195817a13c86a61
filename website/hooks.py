"""What mkdocs calls while it builds: the reference is written, and links that leave docs/ lead to the repository."""

from __future__ import annotations

import posixpath
import re
import shutil
import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).parents[1]))

from website import howto, outline, public_names, reference

_LINK = re.compile(r"\[([^\]]*)\]\(((?:\.\./)+[^)#]*)(#[^)]*)?\)")


_OUTLINE = Path(__file__).parents[1] / "build" / "outline"  # `paths` of mkdocstrings in mkdocs.yml
_PAGES = public_names.namespaces()

# What the search shows first, by the parts of the navigation: answers for users before records of the project.
_BOOSTS = {
    "Start here": 2,
    "Learn": 2,
    "How to": 2,
    "Reference": 1.5,
    "How it works": 0.5,
    "Measured": 0.5,
    "Project": 0.2,
}


def on_startup(command: str, dirty: bool) -> None:
    shutil.rmtree(_OUTLINE, ignore_errors=True)
    outline.write(_PAGES, _OUTLINE)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The pages of the reference and the how-to pages in the navigation, in the places of their folders."""
    for section in config.nav:
        if section.get("Reference") == f"{reference.FOLDER}/":
            section["Reference"] = reference.navigation(_PAGES)
        if section.get("How to") == "how-to/":
            section["How to"] = howto.navigation()
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for path, text in reference.pages(_PAGES).items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    def outside(link: re.Match[str]) -> str:
        text, target, anchor = link.groups()
        path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page.file.src_uri), target))
        if path.startswith("docs/"):
            return link.group()
        return f"[{text}]({config.repo_url}/blob/main/{path}{anchor or ''})" if config.repo_url else text

    if page.ancestors and (boost := _BOOSTS.get(page.ancestors[-1].title)):
        page.meta.setdefault("search", {})["boost"] = boost
    return _LINK.sub(outside, markdown)
