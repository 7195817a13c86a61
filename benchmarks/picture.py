"""The report as bars: one panel for each row, one bar for each contestant."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.peers import CONTESTANTS
from benchmarks.report import Row

COLORS = {"numpy": "#b0b0b0", "gradtape": "#d62728", "tf": "#ff9f40", "torch": "#8c6bb1", "jax": "#4c9be8"}
COLUMNS = 3


def draw(rows: Sequence[Row], path: Path, caption: str) -> str:
    """Write the picture and say where, or say what is missing for it."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return "no picture: matplotlib is missing (pip install matplotlib)"
    shown = [row for row in rows if any(row.figure(name) for name in row.entries)]
    if not shown:
        return "no picture: nothing was measured"

    lines = -(-len(shown) // COLUMNS)
    figure = Figure(figsize=(5.5 * COLUMNS, 2.9 * lines + 0.6), layout="constrained")
    panels = figure.subplots(lines, COLUMNS, squeeze=False).flat
    for row, panel in zip(shown, panels, strict=False):
        _panel(panel, row)
    for panel in panels:
        panel.set_axis_off()
    figure.suptitle(f"{caption}; lengths are logarithmic", fontsize=10)
    figure.savefig(path, dpi=110)
    return f"picture: {path}"


def _panel(panel: Any, row: Row) -> None:
    """Bars on a logarithmic axis, for contestants lie up to thousands of times apart; a stroke is a limit."""
    figures = {name: figure for name in row.entries if (figure := row.figure(name))}
    names = list(figures)
    bars = panel.barh(names, list(figures.values()), color=[COLORS[CONTESTANTS[name].peer] for name in names])
    panel.bar_label(bars, [f"{figure:.3g}" for figure in figures.values()], padding=3, fontsize=8)
    for limit in row.workload.limits:
        yardstick = row.yardstick(limit)
        if limit.required and yardstick is not None and limit.contestant in figures:
            middle = names.index(limit.contestant)
            panel.vlines(limit.factor * yardstick, middle - 0.48, middle + 0.48, color="black", linewidth=2)
    panel.set_xscale("log")
    panel.set_xlim(min(figures.values()) / 2, max(figures.values()) * 3)
    panel.set_ylim(max(len(names), 6) - 0.5, -0.5)
    panel.set_xticks([], [])
    panel.set_xticks([], [], minor=True)
    panel.tick_params(labelsize=8)
    panel.spines[["top", "right", "bottom"]].set_visible(False)
    panel.set_title(f"{row.workload.title} ({row.workload.unit})", fontsize=9)
