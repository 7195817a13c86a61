"""The reference: one page for each namespace, written for mkdocstrings, which reads signatures and docstrings."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from website.public_names import Namespace

FOLDER = "reference"


def pages(found: list[Namespace]) -> dict[str, str]:
    """The Markdown of each page, by its path in docs/."""
    written = {f"{FOLDER}/{_file(page.name)}": "\n".join(_page(page)) + "\n" for page in found}
    written[f"{FOLDER}/index.md"] = "\n".join(_index(found)) + "\n"
    return written


def navigation(found: list[Namespace]) -> list[str | dict[str, str]]:
    """The pages in the order of the navigation."""
    return [f"{FOLDER}/index.md", *({page.name: f"{FOLDER}/{_file(page.name)}"} for page in found)]


def _file(namespace: str) -> str:
    return f"{namespace}.md"


def _first_sentence(value: object) -> str:
    text = (inspect.getdoc(value) or "").strip().split("\n\n")[0].replace("\n", " ")
    return text.replace("|", "\\|")


def _index(found: list[Namespace]) -> Iterator[str]:
    count = sum(len(page.described) for page in found)
    yield "# Reference"
    yield ""
    yield f"All public names: {count} in {len(found)} namespaces, each described once. `tf` is `import gradtape as tf`."
    yield "`tf.keras` is Keras 3 itself, and `tf.raw_ops` has the ops of the other namespaces under TensorFlow's names."
    yield ""
    yield "| namespace | names | |"
    yield "| --- | ---: | --- |"
    for page in found:
        yield f"| [`{page.name}`]({_file(page.name)}) | {len(page.described)} | {_first_sentence(page.module)} |"


def _page(page: Namespace) -> Iterator[str]:
    yield f"# {page.name}"
    yield ""
    yield _first_sentence(page.module)
    yield ""
    kinds: dict[str, list[str]] = {"Classes": [], "Functions": [], "Values": []}
    for name, value in page.described.items():
        kinds["Classes" if isinstance(value, type) else "Functions" if callable(value) else "Values"].append(name)
    for title, names in kinds.items():
        if not names:
            continue
        yield f"## {title}"
        yield ""
        for name in names:
            yield from _entry(page, name, title)
    if page.aliases:
        yield "## Names of others"
        yield ""
        yield "| name | is |"
        yield "| --- | --- |"
        for name, home in page.aliases.items():
            namespace = home.rpartition(".")[0]
            yield f"| `{page.name}.{name}` | [`{home}`]({_file(namespace)}#{home}) |"


def _entry(page: Namespace, name: str, title: str) -> Iterator[str]:
    full, value = f"{page.name}.{name}", page.described[name]
    if title == "Values":
        yield f"### {full}"
        yield ""
        yield f"`{value!r}`"
        yield ""
        return
    yield f"::: {full}"
    yield ""
