"""The how-to pages: a script of examples/ in cells is run once, and its notebook and its page are made from that run.

    python -m website.howto              # all of them, in full
    python -m website.howto pinn vae     # these
    python -m website.howto --pages      # the pages again, from the notebooks that are there

A script begins with a docstring, `Title: what it shows.` and a few sentences. `# %%` begins a cell of code, `# %% [markdown]`
one of text in comments, `# %% picture` the last one, which saves NAME.png. `STEPS = 2000  # small: 50` has the value of the
small run that the tests make.
"""

from __future__ import annotations

import argparse
import ast
import base64
import contextlib
import io
import linecache
import os
import re
import sys
import tempfile
import time
import types
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import nbformat
from PIL import Image

_ROOT = Path(__file__).parents[1]
SCRIPTS, PAGES = _ROOT / "examples", _ROOT / "docs" / "how-to"
MOST_BYTES = 60_000  # of a picture
_STYLE = Path(__file__).with_name("howto.mplstyle")

# The scripts by subject, in the order of the index and of the navigation.
SUBJECTS: dict[str, tuple[str, ...]] = {
    "Physics and numerics": ("pinn", "neural_ode", "lbfgs"),
    "Models that draw and write": ("vae", "gan", "wgan_gp", "style_transfer", "char_transformer"),
    "Learning from few, from friends, from rewards": ("maml", "graph_network", "actor_critic", "ppo"),
    "How sure, and how private": ("hmc", "laplace", "per_example_gradients", "dp_sgd"),
    "Which pixels": ("saliency", "fgsm"),
}
NAMES = tuple(name for names in SUBJECTS.values() for name in names)

_CELL = re.compile(r"^# %%(?: \[(markdown)\]| (picture))?\n", re.MULTILINE)
_SMALL = re.compile(r"^(\w+ = ).*?  # small: (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Cell:
    """A part of a script: `code`, `markdown` or `picture`, and the line of the script where its text begins."""

    kind: str
    text: str
    line: int


@dataclass(frozen=True)
class Script:
    """A script of examples/ in cells; in the small form, numbers are those of the comments `# small:`."""

    name: str
    title: str
    summary: str
    text: str
    cells: tuple[Cell, ...]


def read(name: str, small: bool = False) -> Script:
    text = (SCRIPTS / f"{name}.py").read_text(encoding="utf-8")
    text = _SMALL.sub(r"\1\2", text) if small else re.sub(r"  # small: .*", "", text)
    docstring = ast.get_docstring(ast.parse(text)) or ""
    first, _, rest = docstring.partition("\n")
    title, colon, summary = first.partition(": ")
    if not colon:
        raise ValueError(f"the docstring of {name}.py begins with {first!r}; expected 'Title: what it shows.'")
    summary = summary[0].upper() + summary[1:]
    cells = [Cell("markdown", f"# {title}\n\n{summary}\n\n{rest.strip()}", 0)]
    marks = list(_CELL.finditer(text))
    for mark, end in zip(marks, [*(mark.start() for mark in marks[1:]), len(text)], strict=True):
        kind, body = mark[1] or mark[2] or "code", text[mark.end() : end].rstrip()
        if kind == "markdown":
            body = re.sub(r"^# ?", "", body, flags=re.MULTILINE)
        cells.append(Cell(kind, body, text.count("\n", 0, mark.end())))
    return Script(name, title, summary, text, tuple(cells))


@dataclass
class Run:
    """What a script left: its names, what each cell printed, its picture as PNG, and the seconds of processor time it took."""

    names: dict[str, Any]
    printed: list[str]
    picture: bytes
    seconds: float


def run(script: Script) -> Run:
    """Run the cells one after the other, as a notebook does, in a folder of their own."""
    plt.switch_backend("Agg")
    module = types.ModuleType(f"how_to_{script.name}")
    # Functions are read to be converted: their text is that of this form of the script.
    file = f"<{script.name}.py>"
    linecache.cache[file] = (len(script.text), None, script.text.splitlines(keepends=True), file)
    printed, start, here = [], time.process_time(), Path.cwd()
    sys.modules[module.__name__] = module
    with tempfile.TemporaryDirectory() as folder, plt.style.context(_STYLE):
        os.chdir(folder)
        try:
            for cell in script.cells:
                output = io.StringIO()
                if cell.kind != "markdown":
                    with contextlib.redirect_stdout(output):
                        exec(compile("\n" * cell.line + cell.text, file, "exec"), vars(module))
                printed.append(output.getvalue())
            picture = _small_picture(Path(folder, f"{script.name}.png"))
        finally:
            os.chdir(here)
            plt.close("all")
            del sys.modules[module.__name__]
    return Run(vars(module), printed, picture, time.process_time() - start)


def _small_picture(path: Path) -> bytes:
    """At most 60 kB: as it is, or with as many colours as fit."""
    with Image.open(path) as image:
        for colours in (None, 256, 128, 64):
            form = image.convert("RGBA").quantize(colours, Image.Quantize.FASTOCTREE) if colours else image
            stream = io.BytesIO()
            form.save(stream, "PNG", optimize=True)
            if stream.tell() <= MOST_BYTES:
                break
    return stream.getvalue()


def notebook(script: Script, result: Run | None = None) -> nbformat.NotebookNode:
    """The script as a notebook, with what the run printed and drew if there was one."""
    book = nbformat.v4.new_notebook()
    book.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
        "seconds": round(result.seconds) if result else 0,
    }
    count = 0
    for number, cell in enumerate(script.cells):
        if cell.kind == "markdown":
            made = nbformat.v4.new_markdown_cell(cell.text)
        else:
            count += 1
            made = nbformat.v4.new_code_cell(cell.text, execution_count=count if result else None)
            if cell.kind == "picture":
                made.metadata = {"tags": ["picture"], "jupyter": {"source_hidden": True}}
            if result and result.printed[number]:
                made.outputs.append(nbformat.v4.new_output("stream", name="stdout", text=result.printed[number]))
            if result and cell.kind == "picture":
                data = {"image/png": base64.b64encode(result.picture).decode(), "text/plain": "<Figure>"}
                made.outputs.append(nbformat.v4.new_output("display_data", data))
        made.id = f"cell-{number}"
        book.cells.append(made)
    nbformat.validate(book)
    return book


def page(script: Script, book: nbformat.NotebookNode) -> str:
    """The Markdown of the page: text, code, and what the notebook holds of the run."""
    parts = [line for cell in book.cells for line in _parts(script, cell)]
    parts.append(
        f"This page is one run of [examples/{script.name}.py](../../examples/{script.name}.py), "
        f"{book.metadata.seconds} s of processor time. "
        f"The same as a notebook: [{script.name}.ipynb]({script.name}.ipynb)."
    )
    return "\n\n".join(parts) + "\n"


def _parts(script: Script, cell: nbformat.NotebookNode) -> Iterator[str]:
    if cell.cell_type == "markdown":
        yield cell.source
        return
    picture = "picture" in cell.metadata.get("tags", ())
    code = f"```python\n{cell.source}\n```"
    if picture:
        code = f'<details markdown="1">\n<summary>The code of the picture</summary>\n\n{code}\n\n</details>'
    shown = [
        f"```text\n{output.text.rstrip()}\n```"
        if output.output_type == "stream"
        else f"![{script.summary}](pictures/{script.name}.png)"
        for output in cell.outputs
    ]
    yield from [*shown, code] if picture else [code, *shown]


def index() -> str:
    """The page that shows all of them."""
    parts = [
        "---\nhide: [toc]\n---",
        "# How to",
        "Whole programs, each one script; a page shows what one run printed and drew. `python examples/pinn.py` runs one, "
        "after `pip install '.[all]'` in a clone; each takes less than a minute on two cores, and is there as a notebook too.",
    ]
    for subject, names in SUBJECTS.items():
        parts += [f"## {subject}", '<div class="grid cards how-to" markdown>']
        cards = []
        for script in map(read, names):
            link = f"{script.name}.md"
            cards.append(
                f"-   [![](pictures/{script.name}.png)]({link})\n\n    **[{script.title}]({link})**\n\n    {script.summary}"
            )
        parts += ["\n\n".join(cards), "</div>"]
    return "\n\n".join(parts) + "\n"


def navigation() -> list[str | dict[str, str]]:
    """The pages in the order of the navigation."""
    return [f"{PAGES.name}/index.md", *({read(name).title: f"{PAGES.name}/{name}.md"} for name in NAMES)]


def write(name: str) -> None:
    """The page and the picture, from the notebook."""
    book = nbformat.read(PAGES / f"{name}.ipynb", as_version=4)
    pictures = PAGES / "pictures"
    pictures.mkdir(exist_ok=True)
    for cell in book.cells:
        for output in cell.get("outputs", ()):
            if output.output_type == "display_data":
                (pictures / f"{name}.png").write_bytes(base64.b64decode(output.data["image/png"]))
    (PAGES / f"{name}.md").write_text(page(read(name), book), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", default=NAMES, help="of scripts; all, if none is given")
    parser.add_argument("--pages", action="store_true", help="do not run: write the pages from the notebooks")
    options = parser.parse_args()
    PAGES.mkdir(exist_ok=True)
    for name in options.names:
        if not options.pages:
            script = read(name)
            result = run(script)
            nbformat.write(notebook(script, result), PAGES / f"{name}.ipynb")
            print(f"{name}: {result.seconds:.0f} s, picture of {len(result.picture) / 1000:.0f} kB", flush=True)
        write(name)
    (PAGES / "index.md").write_text(index(), encoding="utf-8")


if __name__ == "__main__":
    main()
