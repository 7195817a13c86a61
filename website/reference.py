"""The reference: one page for each namespace, written for mkdocstrings, which reads signatures and docstrings.

`tf.raw_ops` and `tf.compat` are lists of other names for what the other pages describe: theirs are tables, a line for each name.
"""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Iterator

import gradtape
from website import outline
from website.public_names import Namespace

FOLDER = "reference"
# The namespaces that are tables, each with what stands above its table.
TABLES = {
    "tf.compat": "Text and sizes in the same form whatever they are given in, for programs that ran on several versions.",
    "tf.compat.v1": "Names of TensorFlow 1 that work without graphs and sessions. `tf.compat.v2` is `tf`.",
    "tf.raw_ops": "TensorFlow's kernels by their own names. All arguments are given by name; tapes follow the results.",
}
_NAME = re.compile(r"`(tf\.[\w.]+)`")


def pages(found: list[Namespace]) -> dict[str, str]:
    """The Markdown of each page, by its path in docs/."""
    written = {f"{FOLDER}/{_file(page.name)}": "\n".join(_page(page)) + "\n" for page in found}
    written[f"{FOLDER}/index.md"] = "\n".join(_index(found)) + "\n"
    homes = _homes(found)
    for name, text in TABLES.items():
        written[f"{FOLDER}/{_file(name)}"] = "\n".join(_table_page(name, text, homes)) + "\n"
    return written


def navigation(found: list[Namespace]) -> list[str | dict[str, str]]:
    """The pages in the order of the navigation."""
    names = sorted([*(page.name for page in found), *TABLES])
    return [f"{FOLDER}/index.md", *({name: f"{FOLDER}/{_file(name)}"} for name in names)]


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
    yield "`tf.keras` is Keras 3 itself, which has [a reference of its own](https://keras.io/api/)."
    yield ""
    yield "| namespace | names | |"
    yield "| --- | ---: | --- |"
    for page in found:
        yield f"| [`{page.name}`]({_file(page.name)}) | {len(page.described)} | {_first_sentence(page.module)} |"
    yield ""
    yield "Other names for these:"
    yield ""
    yield "| namespace | |"
    yield "| --- | --- |"
    for name, text in TABLES.items():
        yield f"| [`{name}`]({_file(name)}) | {text} |"


def _page(page: Namespace) -> Iterator[str]:
    yield f"# {page.name}"
    yield ""
    text = outline.markdown(page.module)
    yield text if "```" in text else _first_sentence(page.module)
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


def _homes(found: list[Namespace]) -> dict[str, str]:
    """The place where the reference describes a name, for every name of a callable."""
    homes = {f"{page.name}.{name}": f"{page.name}.{name}" for page in found for name in page.described}
    return homes | {f"{page.name}.{name}": home for page in found for name, home in page.aliases.items()}


def _table_page(name: str, text: str, homes: dict[str, str]) -> Iterator[str]:
    space = gradtape
    for part in name.split(".")[1:]:
        space = getattr(space, part)
    by_identity = {id(_value(home)): home for home in homes.values() if callable(_value(home))}
    yield f"# {name}"
    yield ""
    yield text
    inner = {}
    yield from _table_head()
    for below in filter(_is_public, dir(space)):
        value, full = getattr(space, below), f"{name}.{below}"
        if _is_space(value):
            if full not in TABLES:
                inner[full] = value
        elif not isinstance(value, types.ModuleType):
            yield _row(below, value, by_identity, homes)
    for full, below in inner.items():
        yield ""
        yield f"## {full}"
        yield from _table_head()
        names = filter(_is_public, vars(below) if not isinstance(below, types.ModuleType) else dir(below))
        values = {member: getattr(below, member) for member in sorted(names)}
        for member, value in values.items():
            if callable(value):
                yield _row(member, value, by_identity, homes)


def _table_head() -> Iterator[str]:
    yield from ("", "| name | |", "| --- | --- |")


def _is_public(name: str) -> bool:
    return not name.startswith("_")


def _is_space(value: object) -> bool:
    """Whether a value of `tf.compat` has names of its own: a module there, a group of functions, a class that is never made."""
    if isinstance(value, types.ModuleType):
        return value.__name__.startswith("gradtape.compat.")
    return isinstance(value, types.SimpleNamespace) or getattr(value, "__name__", "") == "logging"


def _value(name: str) -> object:
    value: object = gradtape
    for part in name.split(".")[1:]:
        value = getattr(value, part)
    return value


def _row(name: str, value: object, by_identity: dict[int, str], homes: dict[str, str]) -> str:
    home = by_identity.get(id(value))
    if home is not None:
        return f"| `{name}` | {_link(home, home)} |"
    if not callable(value):
        return f"| `{name}` | `{value!r}` |"

    def linked(found: re.Match[str]) -> str:
        return _link(found[1], homes[found[1]]) if found[1] in homes else found[0]

    return f"| `{name}{_arguments(value)}` | {_NAME.sub(linked, _first_sentence(value))} |"


def _arguments(value: object) -> str:
    """The names of the arguments, as they are given; those with a default in brackets."""
    try:
        parameters = inspect.signature(value).parameters.values()  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return ""
    shown = [
        parameter.name if parameter.default is parameter.empty else f"[{parameter.name}]"
        for parameter in parameters
        if parameter.name != "name" and parameter.kind is not parameter.VAR_KEYWORD
    ]
    return f"({', '.join(shown)})"


def _link(text: str, home: str) -> str:
    return f"[`{text}`]({_file(home.rpartition('.')[0])}#{home})"
