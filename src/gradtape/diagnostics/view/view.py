"""`View`: what `tape.view()` gives. A page, an SVG, a PNG, a DOT file, or HTML inside a notebook."""

from __future__ import annotations

import functools
import html
import importlib.resources
import json
import os
from typing import Any

from .dot import dot_of
from .picture import Picture

_THEMES = ("light", "dark")
_COLOURS = ("kind", "bytes", "time", "norm")


class View:
    """Pictures of recorded computations; of a function with several traces, one for each.

    Shown in a notebook, it is the page itself. `save` writes a file by the end of its name: .html, .svg, .png or .dot.
    """

    def __init__(self, pictures: list[Picture]) -> None:
        self.pictures = pictures

    def __repr__(self) -> str:
        titles = ", ".join(picture.title for picture in self.pictures)
        return f"<gradtape view: {titles}. Use .save('view.html'), or .svg, .png, .dot>"

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{html.escape(self.html())}" title="gradtape view" '
            'style="box-sizing:border-box;width:100%;height:600px;border:1px solid #8884;border-radius:10px"></iframe>'
        )

    def html(self) -> str:
        """One page with everything in it: it needs no network and no other file."""
        page = asset("page.html")
        data = json.dumps([picture.data() for picture in self.pictures], ensure_ascii=False, separators=(",", ":"))
        title = self.pictures[0].title if len(self.pictures) == 1 else f"{len(self.pictures)} pictures"
        licence = f"/* dagre\n{asset('dagre.LICENSE.txt')}*/\n"
        parts = {
            "title": html.escape(f"{title} · gradtape"),
            "style": asset("page.css"),
            "dagre": licence + asset("dagre.min.js"),
            "layout": asset("layout.js"),
            "page": asset("page.js"),
            "data": data.replace("<", "\\u003c"),  # nothing in it can end the script
        }
        for name, text in parts.items():
            page = page.replace("{{" + name + "}}", text, 1)
        return page

    def svg(self, picture: int = 0, *, theme: str = "auto", colour: str = "kind") -> str:
        """One picture as SVG, as the page shows it at first.

        Args:
            picture: Which of them.
            theme: "light", "dark", or "auto" for what the reader prefers.
            colour: "kind", or what the boxes are coloured by: "bytes", "time" or "norm".
        """
        _check("theme", theme, ("auto", *_THEMES))
        return str(_engine_call("standalone", self._data(picture), colour, theme))

    def png(self, picture: int = 0, *, theme: str = "light", colour: str = "kind", scale: float = 2.0) -> bytes:
        """One picture as PNG, drawn without a browser; `scale` is the number of pixels to a point of the SVG."""
        from .png import png_of

        _check("theme", theme, _THEMES)
        if not 0.1 <= scale <= 8:
            raise ValueError(f"view: scale must be from 0.1 to 8, got {scale!r}.")
        return png_of(_engine_call("painted", self._data(picture), colour, theme), scale)

    def dot(self, picture: int = 0) -> str:
        """One picture in the language of Graphviz: all nodes, with groups as clusters."""
        return dot_of(self._picture(picture))

    def save(self, path: str | os.PathLike[str], picture: int = 0, **settings: Any) -> str:
        """Write a file by the end of its name, .html (all pictures), .svg, .png or .dot, with the settings of `svg` or `png`."""
        name = os.fspath(path)
        end = os.path.splitext(name)[1].lower()
        if end in (".html", ".htm") and not settings:
            content: str | bytes = self.html()
        elif end == ".svg":
            content = self.svg(picture, **settings)
        elif end == ".png":
            content = self.png(picture, **settings)
        elif end in (".dot", ".gv") and not settings:
            content = self.dot(picture)
        elif settings and end in (".html", ".htm", ".dot", ".gv"):
            raise TypeError(f"view: a {end} file takes no settings, got {', '.join(settings)}.")
        else:
            raise ValueError(f"view: a file that ends in .html, .svg, .png or .dot is needed, got {name!r}.")
        with open(name, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return name

    def _picture(self, place: int) -> Picture:
        if not isinstance(place, int) or not -len(self.pictures) <= place < len(self.pictures):
            raise IndexError(f"view: there are {len(self.pictures)} pictures, from 0 on; got {place!r}.")
        return self.pictures[place]

    def _data(self, place: int) -> dict[str, Any]:
        return self._picture(place).data()


def _check(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise ValueError(f"view: {name} is one of {', '.join(known)}; got {value!r}.")


@functools.cache
def asset(name: str) -> str:
    """A file that belongs to the page."""
    return importlib.resources.files(__package__).joinpath("assets", name).read_text(encoding="utf-8")


# --- layout without a browser ----------------------------------------------------------------------------------------------


def _engine_call(function: str, data: dict[str, Any], colour: str, theme: str) -> Any:
    """Run a function of layout.js, the same that the page runs, in an engine without a browser."""
    _check("colour", colour, _COLOURS)
    try:
        import quickjs
    except ImportError:
        raise ImportError(
            "A picture outside of a page is laid out by the script of the page, which needs the package quickjs-ng: "
            "pip install quickjs-ng. The page (view.html) and view.dot() need nothing."
        ) from None
    context = quickjs.Context()
    context.eval("globalThis.structuredClone = (value) => ({ ...value });")
    context.eval(asset("dagre.min.js"))
    context.eval(asset("layout.js"))
    context.set("data", json.dumps(data))
    context.set("settings", json.dumps([colour, theme]))
    found = context.eval(
        "(() => { const picture = gradtape.model(JSON.parse(data));"
        f" return JSON.stringify(gradtape.{function}(picture, gradtape.opened(picture), ...JSON.parse(settings))); }})()"
    )
    return json.loads(found)
