"""What `Monitor` leaves behind: a picture, a page in one file, and scalars for TensorBoard."""

from __future__ import annotations

import html
import io
import math
import os
import pathlib
from typing import TYPE_CHECKING, Any

import numpy as np

from .monitor_display import rows_of, summary_line

if TYPE_CHECKING:
    from .monitor import Monitor, PartHistory, Series

_ENDINGS = (".html", ".png", ".svg")
_MOST_LINES = 8  # parts that are drawn as lines; more are the rows of a heat map
_USUAL_RATIO = (3e-4, 3e-3)  # update to weight of networks that train well
_GREY, _WARNED = "#8a8f98", "#c0392b"


def checked_reports(report: Any) -> list[pathlib.Path]:
    """The names of the reports that were asked for."""
    given = [] if report is None else [report] if isinstance(report, (str, os.PathLike)) else list(report)
    paths = [pathlib.Path(name) for name in given]
    for path in paths:
        _check_ending(path)
    return paths


def _check_ending(path: pathlib.Path) -> None:
    if path.suffix.lower() not in _ENDINGS:
        raise ValueError(f"Monitor: the name of a report ends in .html, .png or .svg, got {str(path)!r}.")


def save(monitor: Monitor, path: str | os.PathLike[str]) -> None:
    """Write a report, of the kind that its name says."""
    path = pathlib.Path(path)
    _check_ending(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    ending = path.suffix.lower()
    if ending == ".html":
        path.write_text(as_html(monitor, whole=True), encoding="utf-8")
    else:
        figure_of(monitor).savefig(path, format=ending[1:], dpi=110, metadata=_metadata(ending))


def _metadata(ending: str) -> dict[str, str | None]:
    return {"Date": None} if ending == ".svg" else {}  # (the same run gives the same file)


# --- the picture ------------------------------------------------------------------------------------------------------


def figure_of(monitor: Monitor) -> Any:
    """Loss, gradient norms and update to weight, and dead units where there are any, as a figure of matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("Pictures need the package matplotlib: pip install matplotlib.") from error

    dead = {name: history for name, history in monitor.parts.items() if any(history.dead.values)}
    columns = 4 if dead else 3
    many = len(monitor.parts) > _MOST_LINES
    height = 3.6 if not many else min(3.6 + 0.14 * (len(monitor.parts) - _MOST_LINES), 12.0)
    # (Figure itself, not pyplot: no window, no global state.)
    figure = Figure(figsize=(4.4 * columns + (1.2 if many else 0.0), height), layout="constrained")
    axes = [figure.add_subplot(1, columns, place + 1) for place in range(columns)]
    _draw_losses(axes[0], monitor)
    draw = _draw_map if many else _draw_lines
    draw(figure, axes[1], {name: history.gradient for name, history in monitor.parts.items()}, "gradient norm")
    draw(figure, axes[2], {name: history.ratio for name, history in monitor.parts.items()}, "update / weight")
    if not many:
        axes[2].axhspan(*_USUAL_RATIO, color="#2e8b57", alpha=0.10, linewidth=0)
        handles, labels = axes[1].get_legend_handles_labels()
        if handles:
            figure.legend(
                handles, labels, loc="outside lower center", ncols=min(len(labels), 4), frameon=False, fontsize=8
            )
    if dead:
        _draw_dead(axes[3], dead)
    for one in axes:
        one.spines[["top", "right"]].set_visible(False)
        one.set_xlabel("step")
    return figure


def _title(axes: Any, text: str) -> None:
    axes.set_title(text, loc="left", fontsize=10, fontweight="bold")


def _draw_losses(axes: Any, monitor: Monitor) -> None:
    _title(axes, "loss")
    values = [value for series in monitor.losses.values() for value in series.values if math.isfinite(value)]
    for name, series in monitor.losses.items():
        axes.plot(series.steps, series.values, linewidth=1.3, label=name)
        wrong = [step for step, value in zip(series.steps, series.values, strict=True) if not math.isfinite(value)]
        if wrong:
            axes.axvline(wrong[0], color=_WARNED, linewidth=1, linestyle=":", label="nan or inf")
    if values and min(values) > 0 and max(values) / min(values) > 30:
        axes.set_yscale("log")
    axes.grid(alpha=0.2)
    if len(monitor.losses) > 1 or not all(map(math.isfinite, values)):
        axes.legend(fontsize=8, frameon=False)


def _draw_lines(figure: Any, axes: Any, lines: dict[str, Series], title: str) -> None:
    _title(axes, title)
    for name, series in lines.items():
        axes.plot(
            series.steps, [value if value > 0 else math.nan for value in series.values], linewidth=1.3, label=name
        )
    if any(value > 0 for series in lines.values() for value in series.values):
        axes.set_yscale("log")
    axes.grid(alpha=0.2)


def _draw_map(figure: Any, axes: Any, lines: dict[str, Series], title: str) -> None:
    """One row for each part, the first at the top; what has no value stays white."""
    from matplotlib.colors import LogNorm

    _title(axes, title)
    steps = sorted({step for series in lines.values() for step in series.steps})
    place = {step: column for column, step in enumerate(steps)}
    table = np.full((len(lines), max(len(steps), 1)), np.nan)
    for row, series in enumerate(lines.values()):
        for step, value in zip(series.steps, series.values, strict=True):
            table[row, place[step]] = value if value > 0 and math.isfinite(value) else np.nan
    known = table[np.isfinite(table)]
    if known.size:
        low, high = float(known.min()), float(known.max())
        norm = LogNorm(low, max(high, low * 10))
        edges = [*steps, steps[-1] + 1]
        image = axes.pcolormesh(edges, np.arange(len(lines) + 1), table, norm=norm, cmap="viridis", rasterized=True)
        figure.colorbar(image, ax=axes, pad=0.02)
    axes.invert_yaxis()
    every = max(1, math.ceil(len(lines) / 40))
    axes.set_yticks(np.arange(0, len(lines), every) + 0.5, [_short(name) for name in list(lines)[::every]], fontsize=7)


def _draw_dead(axes: Any, parts: dict[str, PartHistory]) -> None:
    _title(axes, "dead units")
    for name, history in sorted(parts.items(), key=lambda item: -max(item[1].dead.values))[:_MOST_LINES]:
        share = [value / max(history.units, 1) for value in history.dead.values]
        axes.plot(history.dead.steps, share, linewidth=1.3, label=_short(name), drawstyle="steps-post")
    axes.set_ylim(-0.02, 1.02)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    axes.grid(alpha=0.2)
    axes.legend(fontsize=8, frameon=False)


def _short(name: str) -> str:
    return name if len(name) <= 28 else f"…{name[-27:]}"


# --- the page ---------------------------------------------------------------------------------------------------------

_STYLE = """
.monitor{font:14px/1.45 system-ui,sans-serif;color:#1f2328}
.monitor h1{font-size:20px;margin:0 0 4px}.monitor .line{color:#59636e;margin-bottom:16px}
.monitor table{border-collapse:collapse;font-size:13px;margin:12px 0}
.monitor th{text-align:right;color:#59636e;font-weight:600;padding:4px 14px 4px 0;border-bottom:1px solid #d1d9e0}
.monitor td{text-align:right;padding:3px 14px 3px 0;border-bottom:1px solid #eef1f4;font-variant-numeric:tabular-nums}
.monitor :is(th,td):is(:first-child,:nth-last-child(-n+2)){text-align:left}
.monitor .warned td{background:#fff4e5}.monitor .picture{background:#fff;overflow-x:auto}
.monitor .picture svg{max-width:100%;min-width:720px;height:auto}.monitor .table{overflow-x:auto}
.monitor .warning{border-left:3px solid #d4782f;background:#fff8f0;padding:6px 10px;margin:6px 0}
"""
_DARK = """
@media (prefers-color-scheme:dark){body{background:#16191d}.monitor{color:#e6e9ed}
.monitor .warned td,.monitor .warning{background:#3a2c1a}.monitor td{border-color:#2b3138}.monitor th{border-color:#3d444d}
.monitor :is(th,.line){color:#aab2bb}
.monitor .picture{border-radius:6px;padding:6px}}
"""


def as_html(monitor: Monitor, whole: bool) -> str:
    """The report: a page of its own, or a part of a notebook."""
    parts = [f"<style>{_STYLE}{_DARK if whole else ''}</style><div class='monitor'>"]
    if whole:
        parts.append("<h1>Training</h1>")
    parts.append(f"<div class='line'>{html.escape(summary_line(monitor))}</div>")
    if not monitor.warnings:
        parts.append("<p>No warnings.</p>")
    parts += [
        f"<div class='warning'><b>{html.escape(warned.title)}</b>, step {warned.step}. {html.escape(warned.text)}</div>"
        for warned in monitor.warnings
    ]
    parts.append(_picture(monitor))
    parts.append(_table(monitor))
    body = "".join([*parts, "</div>"])
    if not whole:
        return body
    return (
        "<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'><title>Training</title>"
        "<meta name='viewport' content='width=device-width'></head>"
        f"<body style='margin:24px;max-width:1500px'>{body}</body></html>"
    )


def _picture(monitor: Monitor) -> str:
    """The picture as SVG inside the page; a sentence where there is no matplotlib."""
    try:
        figure = figure_of(monitor)
    except ModuleNotFoundError as error:
        return f"<p>{html.escape(str(error))}</p>"
    written = io.StringIO()
    figure.savefig(written, format="svg", metadata=_metadata(".svg"))
    return f"<div class='picture'>{written.getvalue()[written.getvalue().index('<svg') :]}</div>"


def _table(monitor: Monitor) -> str:
    heads = ("part", "gradient norm", "update / weight", "dead units", "nan or inf", "gradients", "")
    rows, _ = rows_of(monitor)
    lines = ["<tr>" + "".join(f"<th>{head}</th>" for head in heads) + "</tr>"]
    for cells, warned in rows:
        inside = "".join(f"<td>{html.escape(cell)}</td>" for cell in cells)
        lines.append(f"<tr{' class=warned' if warned else ''}>{inside}</tr>")
    return f"<div class='table'><table>{''.join(lines)}</table></div>"


# --- TensorBoard ------------------------------------------------------------------------------------------------------


def write_summaries(monitor: Monitor, step: int, losses: dict[str, float]) -> None:
    """Write the last measures to the summary writer that is open, under the names that `gradtape plot` knows."""
    from ..summary import scalar
    from ..summary.gradients import GLOBAL, NORMS

    for name, value in losses.items():
        scalar(f"loss/{name}" if name != "loss" else "loss", value, step)
    squares = 0.0
    for name, history in monitor.parts.items():
        if math.isfinite(history.gradient.last):
            squares += history.gradient.last**2
            scalar(f"{NORMS}/{name}", history.gradient.last, step)
        if math.isfinite(history.ratio.last):
            scalar(f"update_to_weight/{name}", history.ratio.last, step)
        if history.units:
            scalar(f"dead_units/{name}", history.dead.last, step)
        if history.nonfinite.last:
            scalar(f"nonfinite/{name}", history.nonfinite.last, step)
    scalar(GLOBAL, math.sqrt(squares), step)
