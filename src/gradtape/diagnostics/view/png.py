"""A picture as PNG: the shapes that the page draws as SVG, drawn with matplotlib."""

from __future__ import annotations

import io
from typing import Any


def png_of(painted: dict[str, Any], scale: float) -> bytes:
    """The shapes of layout.js (`painted`) as a PNG with `scale` pixels to a point."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("A PNG is drawn with matplotlib: pip install matplotlib.") from None
    margin, head = 12, 26
    width, height = painted["width"] + 2 * margin, painted["height"] + 2 * margin + head
    figure = Figure(figsize=(width / 72, height / 72), dpi=72 * scale)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(-margin, width - margin)
    axes.set_ylim(height - margin - head, -margin - head)
    axes.axis("off")
    colours = painted["palette"]
    figure.patch.set_facecolor(colours["paper"])
    axes.text(4, -14, _plain(painted["title"]), size=13, weight="bold", color=colours["text"], va="baseline")
    for order, shape in enumerate(painted["shapes"], 2):
        _DRAW[shape["shape"]](axes, shape, colours, order)
    file = io.BytesIO()
    figure.savefig(file, format="png", facecolor=colours["paper"], metadata={"Software": "gradtape"})
    return file.getvalue()


def _rectangle(axes: Any, shape: dict[str, Any], colours: dict[str, str], order: int) -> None:
    from matplotlib.patches import FancyBboxPatch

    stroke = shape.get("stroke")
    axes.add_patch(
        FancyBboxPatch(
            (shape["x"], shape["y"]),
            shape["width"],
            shape["height"],
            boxstyle=f"round,pad=0,rounding_size={min(shape['radius'], shape['height'] / 2)}",
            facecolor=colours[shape["fill"]],
            edgecolor=colours[stroke] if stroke else "none",
            linewidth=1 if stroke else 0,
            linestyle=(0, (4, 3)) if shape.get("dash") else "solid",
            zorder=order,
        )
    )


def _text(axes: Any, shape: dict[str, Any], colours: dict[str, str], order: int) -> None:
    from matplotlib.patheffects import withStroke

    halo = shape.get("halo")
    axes.text(
        shape["x"],
        shape["y"],
        _plain(shape["text"]),
        size=shape["size"] * 0.94,  # (DejaVu Sans, which matplotlib brings, is wider than the fonts of browsers)
        weight="bold" if "weight" in shape else "normal",
        family="DejaVu Sans Mono" if shape.get("mono") else "DejaVu Sans",
        color=colours[shape["fill"]],
        ha={"middle": "center", "end": "right"}.get(shape.get("anchor", ""), "left"),
        va="baseline",
        zorder=order,
        path_effects=[withStroke(linewidth=5, foreground=colours[halo])] if halo else [],
    )


def _line(axes: Any, shape: dict[str, Any], colours: dict[str, str], order: int) -> None:
    from matplotlib.patches import FancyArrowPatch, PathPatch
    from matplotlib.path import Path

    points = [(point["x"], point["y"]) for point in shape["points"]]
    if len(points) < 2:
        return
    colour = colours[shape["stroke"]]
    path = Path(points, [Path.MOVETO, *[Path.CURVE4] * (len(points) - 1)])
    dash = (0, (4, 3)) if shape.get("dash") else "solid"
    axes.add_patch(
        PathPatch(path, fill=False, edgecolor=colour, linewidth=shape["width"], linestyle=dash, zorder=order)
    )
    if shape["arrow"]:
        start = next((point for point in reversed(points[:-1]) if point != points[-1]), points[0])
        axes.add_patch(
            FancyArrowPatch(
                start,
                points[-1],
                arrowstyle="-|>",
                mutation_scale=8,
                linewidth=0,
                color=colour,
                shrinkA=0,
                shrinkB=0,
                zorder=order,
            )
        )


def _dot(axes: Any, shape: dict[str, Any], colours: dict[str, str], order: int) -> None:
    from matplotlib.patches import Circle

    axes.add_patch(Circle((shape["x"], shape["y"]), 4, facecolor=colours[shape["fill"]], zorder=order))


def _toggle(axes: Any, shape: dict[str, Any], colours: dict[str, str], order: int) -> None:
    from matplotlib.patches import Circle

    x, y = shape["x"], shape["y"]
    axes.add_patch(Circle((x, y), 7, facecolor=colours["box"], edgecolor=colours["muted"], linewidth=1, zorder=order))
    axes.plot([x - 3.5, x + 3.5], [y, y], color=colours["muted"], linewidth=1.4, zorder=order)
    if not shape["open"]:
        axes.plot([x, x], [y - 3.5, y + 3.5], color=colours["muted"], linewidth=1.4, zorder=order)


def _plain(text: str) -> str:
    """A dollar sign begins no formula."""
    return text.replace("$", r"\$")


def _nothing(axes: object, shape: dict[str, Any], colours: dict[str, str], order: int) -> None:
    """Where a group of shapes begins or ends."""


_DRAW = {
    "rect": _rectangle,
    "text": _text,
    "line": _line,
    "dot": _dot,
    "toggle": _toggle,
    "begin": _nothing,
    "end": _nothing,
}
